// A temporary that a reference binds to is an object: what is made of the reference is a copy. It was taken for the
// temporary itself, made in place, and the copy constructor did not run.
struct Counted {
  int v;
  __device__ Counted(int x) : v(x) {}
  __device__ Counted(const Counted &o) : v(o.v + 1) {}
};
struct Moved {
  int v;
  __device__ Moved(int x) : v(x) {}
  __device__ Moved(const Moved &o) : v(o.v + 1) {}
  __device__ Moved(Moved &&o) : v(o.v * 2) {}
};
struct Holder {
  Counted c;
  __device__ Counted get() const { return c; }
  __device__ const Counted &ref() const { return c; }
};
__device__ const Counted &same(const Counted &c) { return c; }
__device__ Counted copied(const Counted &c) { return c; }
__device__ Counted handed(const Counted &c) { return same(c); }
__device__ Moved moved(Moved &&m) { return static_cast<Moved &&>(m); }
__device__ Counted by_value(Counted c) { return same(c); }
//@ launch temporaries grid=(1) block=(64) args(out=f32[4096], n=?5)
__global__ void temporaries(float *out, int n) {
  int t = threadIdx.x;
  out[copied(Counted(t)).v] = 1;
  out[handed(Counted(t)).v] = 1;
  out[moved(Moved(t)).v] = 1;
  out[by_value(Counted(t)).v] = 1;
  Counted made = same(Counted(t));
  out[made.v] = 1;
  const Counted &held = Counted(t);
  Counted again = held;
  out[again.v] = 1;
  out[held.v] = 1;
  Counted plain = Counted(Counted(t));
  out[plain.v] = 1;
  out[Holder{Counted(t)}.get().v] = 1;
  out[Counted(Holder{Counted(t)}.ref()).v] = 1;
  auto copies = [](const Counted &c) { return c; };
  out[copies(Counted(t)).v] = 1;
}
