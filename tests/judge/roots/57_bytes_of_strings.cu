// A number in a string is one byte, a character beyond ASCII as many as its encoding has.
template <int N> __device__ int length(const char (&)[N]) { return N; }
//@ launch r57_strings grid=(1) block=(32) args(a=f32[65536])
__global__ void r57_strings(float *a) {
  int t = threadIdx.x;
  const char word[] = "\xff\xfe";
  a[t * sizeof("\xff")] = 1;
  a[t * sizeof("\377")] = 1;
  a[t * sizeof("\xc3\xa9")] = 1;
  a[t * sizeof("é")] = 1;
  a[t * sizeof(u8"é")] = 1;
  a[t * sizeof("\u00e9")] = 1;
  a[t * sizeof("\x00000000041")] = 1;
  a[t * sizeof("ab\0cd")] = 1;
  a[t * sizeof("\x41g" "1")] = 1;
  a[t * sizeof(R"(\xff)")] = 1;
  a[t * sizeof(word)] = 1;
  a[t * length("\xff")] = 1;
  a[t * sizeof("a" L"\xff")] = 1;
}
