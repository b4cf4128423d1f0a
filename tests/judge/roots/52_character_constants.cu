// Character constants of several characters, and with prefixes.
//@ launch r52_characters_1 grid=(2) block=(64) args(a=f32[65536])
__global__ void r52_characters_1(float *a) {
  int t = threadIdx.x;
  a[t * ('ab' & 0xf)] = 1;
  a[t * sizeof('ab')] = 1;
  a[t * ('ab' >> 8 & 0xf)] = 1;
  a[t * ('abcd' >> 24 & 0xf)] = 1;
  a[t * ('\0\4' & 0xf)] = 1;
  a[t * (L'\4')] = 1;
  a[t * (u'\4')] = 1;
  a[t * (U'\4')] = 1;
  a[t * sizeof(U'\4')] = 1;
  a[t * sizeof(u'\4')] = 1;
  a[t * sizeof(u8'\4')] = 1;
  constexpr int x = 'ab';
  a[t * (x & 15)] = 1;
  switch (x) { case 'ab': a[t * 2] = 1; break; case 'b': a[t] = 1; }
  a[t * ('\xff' < 0 ? 2 : 4)] = 1;
  a[t * (u'\xff' < 0 ? 2 : 4)] = 1;
  a[t * ('\xff\xff' < 0 ? 2 : 4)] = 1;
}
