// An index that is taken apart by quotients: what each leaves is a remainder, in whatever order its factors stand.
//@ launch k grid=(4) block=(64) args(a=i32[65536], b=i32[65536], n=?7, m=?5, q=?3)
__global__ void k(int *a, const int *b, int n, int m, int q) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  a[t] = b[(t - t / (n * m) * n * m) / n];
  a[t] = b[(t - t / (n * m) * (m * n)) / m];
  { int i2 = t / (n * m), i1 = (t - i2 * n * m) / n, i0 = t - i2 * n * m - i1 * n; a[t] = b[i0]; a[t] = b[i1 + i2]; a[t] = b[i0 * 2 + i1 * 3 + i2 * 5]; }
  { long i = t; long i3 = i / ((long)n * m * q), i2 = (i - i3 * n * m * q) / ((long)n * m), i1 = (i - i3 * n * m * q - i2 * m * n) / n, i0 = i - i3 * n * m * q - i2 * n * m - i1 * n; a[t] = b[i0]; a[t] = b[i1]; a[t] = b[i2]; a[t] = b[i3]; a[t] = b[i0 + n * (i1 + m * (i2 + q * i3))]; }
  { unsigned i = t; unsigned i2 = i / (unsigned)(n * m), i1 = (i - i2 * n * m) / n, i0 = i - i2 * n * m - i1 * n; a[t] = b[i0]; a[t] = b[i1]; a[t] = b[i2]; }
  { int i = t - 77; int i2 = i / (n * m), i1 = (i - i2 * n * m) / n, i0 = i - i2 * n * m - i1 * n; a[t] = b[i0 + 400]; a[t] = b[i1 + 100]; a[t] = b[i2 + 100]; }
  { short i = t - 77; short d = n * m; short i2 = i / d, i0 = i - i2 * n * m; a[t] = b[i0 + 400]; a[t] = b[i2 + 100]; }
  a[t] = b[(t % (n * m)) % n]; a[t] = b[((t - 50) % (n * m)) % m + 60];
}
