// Complex numbers of the toolkit: what each function reads, member for member.
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

static __host__ __device__ inline float cuCrealf(cuFloatComplex x) { return x.x; }
static __host__ __device__ inline float cuCimagf(cuFloatComplex x) { return x.y; }
static __host__ __device__ inline cuFloatComplex make_cuFloatComplex(float r, float i) {
  cuFloatComplex res;
  res.x = r;
  res.y = i;
  return res;
}
static __host__ __device__ inline cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
static __host__ __device__ inline cuFloatComplex cuConjf(cuFloatComplex x) { return make_cuFloatComplex(x.x, -x.y); }
static __host__ __device__ inline cuFloatComplex cuCaddf(cuFloatComplex x, cuFloatComplex y) {
  return make_cuFloatComplex(x.x + y.x, x.y + y.y);
}
static __host__ __device__ inline cuFloatComplex cuCsubf(cuFloatComplex x, cuFloatComplex y) {
  return make_cuFloatComplex(x.x - y.x, x.y - y.y);
}
static __host__ __device__ inline cuFloatComplex cuCmulf(cuFloatComplex x, cuFloatComplex y) {
  return make_cuFloatComplex(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}
static __host__ __device__ inline cuFloatComplex cuCdivf(cuFloatComplex x, cuFloatComplex y) {
  float s = y.x * y.x + y.y * y.y;
  return make_cuFloatComplex((x.x * y.x + x.y * y.y) / s, (x.y * y.x - x.x * y.y) / s);
}
static __host__ __device__ inline float cuCabsf(cuFloatComplex x) { return sqrtf(x.x * x.x + x.y * x.y); }
static __host__ __device__ inline cuComplex cuCfmaf(cuComplex x, cuComplex y, cuComplex d) {
  return make_cuFloatComplex(x.x * y.x - x.y * y.y + d.x, x.x * y.y + x.y * y.x + d.y);
}

static __host__ __device__ inline double cuCreal(cuDoubleComplex x) { return x.x; }
static __host__ __device__ inline double cuCimag(cuDoubleComplex x) { return x.y; }
static __host__ __device__ inline cuDoubleComplex make_cuDoubleComplex(double r, double i) {
  cuDoubleComplex res;
  res.x = r;
  res.y = i;
  return res;
}
static __host__ __device__ inline cuDoubleComplex cuConj(cuDoubleComplex x) { return make_cuDoubleComplex(x.x, -x.y); }
static __host__ __device__ inline cuDoubleComplex cuCadd(cuDoubleComplex x, cuDoubleComplex y) {
  return make_cuDoubleComplex(x.x + y.x, x.y + y.y);
}
static __host__ __device__ inline cuDoubleComplex cuCsub(cuDoubleComplex x, cuDoubleComplex y) {
  return make_cuDoubleComplex(x.x - y.x, x.y - y.y);
}
static __host__ __device__ inline cuDoubleComplex cuCmul(cuDoubleComplex x, cuDoubleComplex y) {
  return make_cuDoubleComplex(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}
static __host__ __device__ inline cuDoubleComplex cuCdiv(cuDoubleComplex x, cuDoubleComplex y) {
  double s = y.x * y.x + y.y * y.y;
  return make_cuDoubleComplex((x.x * y.x + x.y * y.y) / s, (x.y * y.x - x.x * y.y) / s);
}
static __host__ __device__ inline double cuCabs(cuDoubleComplex x) { return sqrt(x.x * x.x + x.y * x.y); }
static __host__ __device__ inline cuDoubleComplex cuCfma(cuDoubleComplex x, cuDoubleComplex y, cuDoubleComplex d) {
  return make_cuDoubleComplex(x.x * y.x - x.y * y.y + d.x, x.x * y.y + x.y * y.x + d.y);
}

static __host__ __device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) {
  return make_cuDoubleComplex((double)c.x, (double)c.y);
}
static __host__ __device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) {
  return make_cuFloatComplex((float)c.x, (float)c.y);
}
