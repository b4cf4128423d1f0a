// Enumerations are types of their own where templates and overloads are chosen.
enum Op { ADD, MUL = 3, SUB }; enum class Mode : unsigned char { A = 2, B = 5 };
template <Op O> struct Apply { static __device__ int f(int x) { return O == ADD ? x + 1 : x * 2; } };
template <> struct Apply<SUB> { static __device__ int f(int x) { return x - 1; } };
template <Mode M> __device__ int md() { if constexpr (M == Mode::A) return 2; else return 5; }
template <class T, T V> struct Ic { static constexpr T v = V; };
__device__ int sw(Op o) { switch (o) { case ADD: return 2; case MUL: return 4; default: return 6; } }
__device__ int sm(Mode m) { switch (m) { case Mode::A: return 3; case Mode::B: return 7; } return 1; }
struct Cfg { Mode m = Mode::B; Op o = MUL; __device__ int get() const { return m == Mode::B ? int(o) : 8; } };
constexpr Op kop = MUL; constexpr auto kau = Mode::A;
__device__ Op operator|(Op a, Op b) { return Op(int(a) + int(b)); }
template <class T> __device__ int over(T) { return 2; } template <> __device__ int over<Op>(Op) { return 4; } template <> __device__ int over(Mode) { return 6; }
//@ launch k grid=(2) block=(64) args(a=f32[65536], n=?3)
__global__ void k(float *a, int n) {
  int t = threadIdx.x;
  a[t * Apply<ADD>::f(3)] = 1; a[t * Apply<MUL>::f(3)] = 1;
  a[t * Apply<SUB>::f(3)] = 1;
  a[t * md<Mode::A>()] = 1;
  a[t * md<kau>()] = 1;
  a[t * Ic<Op, MUL>::v] = 1;
  a[t * int(Ic<Mode, Mode::B>::v)] = 1;
  a[t * sw(kop)] = 1; 
  a[t * sw(Op(n & 3))] = 1;
  a[t * sm(Mode::B)] = 1;
  a[t * sm(static_cast<Mode>(2))] = 1;
  a[t * Cfg().get()] = 1;
  Cfg c; c.o = SUB; c.m = Mode::B;
  a[t * c.get()] = 1;
  a[t * (ADD | MUL)] = 1;
  a[t * over(ADD)] = 1;
  a[t * over(Mode::A)] = 1;
  a[t * over(kop)] = 1;
  a[t * over(c.m)] = 1;
  const Op lo = SUB; a[t * over(lo)] = 1;
  Op ar[2] = {MUL, SUB}; a[t * ar[1]] = 1;
  a[t * over(ar[0])] = 1;
  for (int i = ADD; i < MUL; ++i) a[t * (i + 1)] = 1;
  Op v = n > 1 ? ADD : MUL; a[t * (v + 2)] = 1;
  a[t * over(n > 1 ? ADD : MUL)] = 1;
  a[t * (Mode::A < Mode::B ? 3 : 2)] = 1;
  a[t * sizeof(Mode)] = 1; a[t * sizeof(Op)] = 1;
}
