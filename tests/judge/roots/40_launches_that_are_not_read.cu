// Launches outside of what is followed: in classes within functions, initialisers, lambdas of namespaces.
__global__ void r40_launches_that_are_not_read(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int r40_block = 32;
static auto r40_lambda = [](float *p) { r40_launches_that_are_not_read<<<1, 64>>>(p, 1, 0); };
struct R40Friend {
  friend void r40_friend(R40Friend, float *p) { r40_launches_that_are_not_read<<<1, 96>>>(p, 1, 1); }
};
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  struct Local {
    static void set() { r40_block = 128; }
    void go(float *p) { r40_launches_that_are_not_read<<<1, 160>>>(p, 1, 2); }
  };
  Local().go(p);
  Local::set();
  r40_launches_that_are_not_read<<<1, r40_block>>>(p, 1, 3);
  r40_lambda(p);
  r40_friend(R40Friend(), p);
}
