// What a name may write decides which overload is meant: of loops over ranges, structured bindings, choices, lambdas'
// results and references to what expires.
__device__ int told225(int &) { return 1; }
__device__ int told225(const int &) { return 2; }
//@ launch r225_names_of_constants grid=(2) block=(48) args(a=f32[65536])
__global__ void r225_names_of_constants(float *a) {
  int t = threadIdx.x, i = 1;
  const int c = 2;
  int w[2] = {1, 2};
  const int cw[2] = {1, 2};
  int &&r = i + 4;
  auto &&s = 3;
  a[t * told225(r)] = 1;
  a[t * told225(s) + 1] = 1;
  for (const auto &q : w) a[t * told225(q) + 2] = 1;
  for (auto &q : cw) a[t * told225(q) + 3] = 1;
  for (auto &q : {1, 2}) a[t * told225(q) + 4] = 1;
  const auto [x, y] = w;
  a[t * told225(x) + y] = 1;
  a[t * told225(true ? i : c) + 5] = 1;
  auto l = [&]() -> const int & { return i; };
  a[t * told225(l()) + 6] = 1;
  int k = 3;
  { decltype(auto) z = (int &)k; z = 5; }
  a[t * k + 7] = 1;
}
