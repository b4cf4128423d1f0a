// An enumeration with operators of its own: in constants, too, they are called, on results of others as well.
enum class Flag : unsigned { None = 0, A = 2, B = 4 };
__host__ __device__ constexpr Flag operator&(Flag x, Flag y) { return Flag(unsigned(x) & unsigned(y)); }
__host__ __device__ constexpr Flag operator|(Flag x, Flag y) { return Flag(unsigned(x) | unsigned(y)); }
__host__ __device__ constexpr Flag operator~(Flag x) { return Flag(7u & ~unsigned(x)); }
__host__ __device__ constexpr int operator+(Flag x) { return unsigned(x) + 1; }
__host__ __device__ constexpr int operator-(Flag x) { return unsigned(x) / 2; }
__host__ __device__ constexpr int operator*(int x, Flag y) { return x * (unsigned(y) + 1); }
__host__ __device__ constexpr bool operator!(Flag x) { return x != Flag::A; }
__global__ void k1(int *a) { int t = threadIdx.x; a[t * +(Flag::A | Flag::B)] = 0; }
__global__ void k2(int *a) { int t = threadIdx.x; a[t * +~Flag::A] = 0; }
__global__ void k3(int *a) { int t = threadIdx.x; a[t * (2 + !(Flag::A | Flag::B))] = 0; }
__global__ void k4(int *a) { int t = threadIdx.x; a[t * -(Flag::A | Flag::B)] = 0; }
__global__ void k5(int *a) { int t = threadIdx.x; a[t * (1 * (Flag::A | Flag::B))] = 0; }
template <Flag F> __device__ int stride() { return !(F & Flag::B) ? 2 : 4; }
__global__ void k6(int *a) { int t = threadIdx.x; a[t * stride<Flag::A>()] = 0; a[t * stride<(Flag::A | Flag::B)>()] = 0; }
template <Flag F> struct P { static constexpr bool has = !(F & Flag::B); static constexpr Flag G = F & Flag::A; static constexpr int n = +G, m = +(F | Flag::B); };
__global__ void k7(int *a) { int t = threadIdx.x; a[t * (P<Flag::A>::has ? 2 : 4)] = 0; a[t * P<Flag::A>::n] = 0; a[t * P<Flag::A>::m] = 0;  a[t * +P<Flag::A>::G] = 0; }
template <Flag F> __global__ void k8(int *a) { int t = threadIdx.x; if constexpr (!(F & Flag::A)) a[t] = 0; else a[t * 2] = 0; constexpr Flag G = F & Flag::A; a[t * +G] = 0; if (!(F | Flag::B)) a[t * 3] = 0; else a[t * 5] = 0; }
template __global__ void k8<Flag::A>(int *);
