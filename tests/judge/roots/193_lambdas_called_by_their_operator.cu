// `f.template operator()<true>()` runs the lambda's body with that argument.
//@ launch by_operator grid=(1) block=(64) args(out=f32[4096], n=3)
__global__ void by_operator(float *out, int n) {
  int t = threadIdx.x;
  constexpr int STEP = 7;
  auto flag = [&]<bool WIDE>() {
    if constexpr (WIDE)
      out[t * 2] = 1;
    else
      out[t] = 1;
  };
  if (n > 2)
    flag.template operator()<true>();
  else
    flag.template operator()<false>();
  auto step = [&]<int STEP>(int by) { out[t * STEP + by] = 1; };
  step.template operator()<3>(n);
  step.template operator()<5>(n & 1);
  auto typed = [&]<class T, int N = 4>(T x) { out[t * (int)sizeof(T) + N * t] = x; };
  typed((char)1);
  typed(2.0);
  typed.template operator()<short>(3);
  typed.template operator()<double, 1>(3);
  out[t * STEP] = 1;
}
