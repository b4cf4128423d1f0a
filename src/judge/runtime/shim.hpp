// CUDA's words for a C++ compiler: a kernel's text, unchanged, compiles after this header.
//
// What runs in a kernel's thread is one fiber of the runtime; functions that are `JUDGE_QUIET` are
// part of no kernel: they report no access and are no place where lanes part.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <initializer_list>

#define JUDGE_QUIET                                                                                  \
    __attribute__((no_instrument_function, no_sanitize("thread"), no_sanitize("undefined"),          \
                   no_sanitize_coverage))

#define __CUDACC__ 1
#define __CUDA_ARCH__ 900
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __shared__ static thread_local
#define __constant__ __attribute__((section("judge_const")))
#define __managed__
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))

#define JUDGE_VECTORS(T, name, a2, a4)                                                               \
    struct name##1 { T x; };                                                                         \
    struct __align__(a2) name##2 { T x, y; };                                                        \
    struct name##3 { T x, y, z; };                                                                   \
    struct __align__(a4) name##4 { T x, y, z, w; };                                                  \
    JUDGE_QUIET static inline name##1 make_##name##1(T x) { return {x}; }                            \
    JUDGE_QUIET static inline name##2 make_##name##2(T x, T y) { return {x, y}; }                    \
    JUDGE_QUIET static inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }            \
    JUDGE_QUIET static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
JUDGE_VECTORS(signed char, char, 2, 4)
JUDGE_VECTORS(unsigned char, uchar, 2, 4)
JUDGE_VECTORS(short, short, 4, 8)
JUDGE_VECTORS(unsigned short, ushort, 4, 8)
JUDGE_VECTORS(int, int, 8, 16)
JUDGE_VECTORS(unsigned int, uint, 8, 16)
JUDGE_VECTORS(float, float, 8, 16)
JUDGE_VECTORS(double, double, 16, 16)
JUDGE_VECTORS(long long, longlong, 16, 16)
JUDGE_VECTORS(unsigned long long, ulonglong, 16, 16)
#undef JUDGE_VECTORS

struct dim3 {
    unsigned int x, y, z;
    JUDGE_QUIET constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
        : x(x), y(y), z(z) {}
    JUDGE_QUIET constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    JUDGE_QUIET constexpr operator uint3() const { return uint3{x, y, z}; }
};

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
static constexpr int warpSize = 32;

// ---------------------------------------------------------------- what the runtime gives

extern "C" {
void judge_barrier(void *site);
int judge_vote_barrier(int kind, int value, void *site);
unsigned long long judge_collective(int kind, unsigned mask, unsigned long long value, int operand,
                                    int width, void *site);
unsigned judge_activemask();
void judge_atomic(void *address, unsigned size, void *site);
void judge_undefined();
void *judge_pointer(int index, unsigned size, int is_float, int is_char);
long long judge_number(int index);
double judge_float(int index);
void *judge_malloc(unsigned long long bytes);
}
#define JUDGE_SITE __builtin_return_address(0)

JUDGE_QUIET static inline void __syncthreads() { judge_barrier(JUDGE_SITE); }
JUDGE_QUIET static inline int __syncthreads_count(int p) { return judge_vote_barrier(0, p, JUDGE_SITE); }
JUDGE_QUIET static inline int __syncthreads_and(int p) { return judge_vote_barrier(1, p, JUDGE_SITE); }
JUDGE_QUIET static inline int __syncthreads_or(int p) { return judge_vote_barrier(2, p, JUDGE_SITE); }
JUDGE_QUIET static inline void __syncwarp(unsigned mask = ~0u) { judge_collective(0, mask, 0, 0, 32, JUDGE_SITE); }
JUDGE_QUIET static inline unsigned __activemask() { return judge_activemask(); }
JUDGE_QUIET static inline void __threadfence() {}
JUDGE_QUIET static inline void __threadfence_block() {}
JUDGE_QUIET static inline void __threadfence_system() {}
JUDGE_QUIET static inline void __nanosleep(unsigned) {}
JUDGE_QUIET static inline long long clock64() { return 0; }
#define clock() 0
JUDGE_QUIET static inline void __trap() { judge_undefined(); }
JUDGE_QUIET static inline void __assume_holds(bool b) { if (!b) judge_undefined(); }
#define __builtin_assume(x) __assume_holds(x)
#ifndef assert
#define assert(x) __assume_holds(x)
#endif

#define JUDGE_SHUFFLE(name, kind, second)                                                            \
    template <class T> JUDGE_QUIET static T name(unsigned mask, T v, second, int width = 32) {       \
        static_assert(sizeof(T) <= 8, "a value of one register or two");                             \
        unsigned long long bits = 0;                                                                 \
        memcpy(&bits, &v, sizeof v);                                                                 \
        bits = judge_collective(kind, mask, bits, (int)operand, width, JUDGE_SITE);                  \
        memcpy(&v, &bits, sizeof v);                                                                 \
        return v;                                                                                    \
    }
JUDGE_SHUFFLE(__shfl_sync, 1, int operand)
JUDGE_SHUFFLE(__shfl_up_sync, 2, unsigned operand)
JUDGE_SHUFFLE(__shfl_down_sync, 3, unsigned operand)
JUDGE_SHUFFLE(__shfl_xor_sync, 4, int operand)
#undef JUDGE_SHUFFLE
JUDGE_QUIET static inline unsigned __ballot_sync(unsigned m, int p) { return (unsigned)judge_collective(5, m, p != 0, 0, 32, JUDGE_SITE); }
JUDGE_QUIET static inline int __any_sync(unsigned m, int p) { return judge_collective(5, m, p != 0, 0, 32, JUDGE_SITE) != 0; }
JUDGE_QUIET static inline int __all_sync(unsigned m, int p) { return judge_collective(5, m, p == 0, 0, 32, JUDGE_SITE) == 0; }
JUDGE_QUIET static inline int __reduce_add_sync(unsigned m, int v) { return (int)judge_collective(6, m, (unsigned)v, 0, 32, JUDGE_SITE); }
JUDGE_QUIET static inline unsigned __reduce_add_sync(unsigned m, unsigned v) { return (unsigned)judge_collective(6, m, v, 0, 32, JUDGE_SITE); }
JUDGE_QUIET static inline int __reduce_max_sync(unsigned m, int v) { return (int)(judge_collective(7, m, (unsigned)v ^ 0x80000000u, 0, 32, JUDGE_SITE) ^ 0x80000000u); }
JUDGE_QUIET static inline int __reduce_min_sync(unsigned m, int v) { return (int)(judge_collective(8, m, (unsigned)v ^ 0x80000000u, 0, 32, JUDGE_SITE) ^ 0x80000000u); }
JUDGE_QUIET static inline unsigned __reduce_max_sync(unsigned m, unsigned v) { return (unsigned)judge_collective(7, m, v, 0, 32, JUDGE_SITE); }
JUDGE_QUIET static inline unsigned __reduce_min_sync(unsigned m, unsigned v) { return (unsigned)judge_collective(8, m, v, 0, 32, JUDGE_SITE); }
JUDGE_QUIET static inline unsigned __match_any_sync(unsigned m, unsigned long long v) { return (unsigned)judge_collective(9, m, v, 0, 32, JUDGE_SITE); }

// ---------------------------------------------------------------- atomics

#define JUDGE_ATOMIC(name, expression)                                                               \
    template <class T, class U> JUDGE_QUIET static T name(T *p, U given) {                           \
        judge_atomic((void *)p, sizeof(T), JUDGE_SITE);                                              \
        T old = *p, v = (T)given;                                                                    \
        (void)v;                                                                                     \
        *p = (expression);                                                                           \
        return old;                                                                                  \
    }                                                                                                \
    template <class T, class U> JUDGE_QUIET static T name##_block(T *p, U given) {                   \
        judge_atomic((void *)p, sizeof(T), JUDGE_SITE);                                              \
        T old = *p, v = (T)given;                                                                    \
        (void)v;                                                                                     \
        *p = (expression);                                                                           \
        return old;                                                                                  \
    }
JUDGE_ATOMIC(atomicAdd, (T)(old + v))
JUDGE_ATOMIC(atomicSub, (T)(old - v))
JUDGE_ATOMIC(atomicMax, old < v ? v : old)
JUDGE_ATOMIC(atomicMin, old < v ? old : v)
JUDGE_ATOMIC(atomicAnd, (T)(old & v))
JUDGE_ATOMIC(atomicOr, (T)(old | v))
JUDGE_ATOMIC(atomicXor, (T)(old ^ v))
JUDGE_ATOMIC(atomicExch, v)
JUDGE_ATOMIC(atomicInc, old >= v ? 0 : (T)(old + 1))
JUDGE_ATOMIC(atomicDec, (old == 0 || old > v) ? v : (T)(old - 1))
#undef JUDGE_ATOMIC
template <class T, class U, class V> JUDGE_QUIET static T atomicCAS(T *p, U compare, V v) {
    judge_atomic((void *)p, sizeof(T), JUDGE_SITE);
    T old = *p;
    if (old == (T)compare) *p = (T)v;
    return old;
}

// ---------------------------------------------------------------- functions of one thread

#define __ldg(p) (*(p))
#define __ldcg(p) (*(p))
#define __ldca(p) (*(p))
#define __ldcs(p) (*(p))
#define __ldcv(p) (*(p))
#define __ldlu(p) (*(p))
#define __stcg(p, v) (void)(*(p) = (v))
#define __stcs(p, v) (void)(*(p) = (v))
#define __stwb(p, v) (void)(*(p) = (v))
#define __stwt(p, v) (void)(*(p) = (v))

#define JUDGE_MINMAX(R, A, B)                                                                        \
    JUDGE_QUIET static constexpr R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }               \
    JUDGE_QUIET static constexpr R max(A a, B b) { return (R)a < (R)b ? (R)b : (R)a; }
JUDGE_MINMAX(int, int, int)
JUDGE_MINMAX(unsigned, unsigned, unsigned)
JUDGE_MINMAX(unsigned, int, unsigned)
JUDGE_MINMAX(unsigned, unsigned, int)
JUDGE_MINMAX(long, long, long)
JUDGE_MINMAX(unsigned long, unsigned long, unsigned long)
JUDGE_MINMAX(unsigned long, long, unsigned long)
JUDGE_MINMAX(unsigned long, unsigned long, long)
JUDGE_MINMAX(long long, long long, long long)
JUDGE_MINMAX(unsigned long long, unsigned long long, unsigned long long)
JUDGE_MINMAX(unsigned long long, long long, unsigned long long)
JUDGE_MINMAX(unsigned long long, unsigned long long, long long)
JUDGE_MINMAX(float, float, float)
JUDGE_MINMAX(double, double, double)
JUDGE_MINMAX(double, float, double)
JUDGE_MINMAX(double, double, float)
#undef JUDGE_MINMAX
JUDGE_QUIET static inline int umin(unsigned a, unsigned b) { return a < b ? a : b; }
JUDGE_QUIET static inline int umax(unsigned a, unsigned b) { return a < b ? b : a; }
JUDGE_QUIET static inline int __popc(unsigned v) { return __builtin_popcount(v); }
JUDGE_QUIET static inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
JUDGE_QUIET static inline int __clz(int v) { return v == 0 ? 32 : __builtin_clz((unsigned)v); }
JUDGE_QUIET static inline int __clzll(long long v) { return v == 0 ? 64 : __builtin_clzll((unsigned long long)v); }
JUDGE_QUIET static inline int __ffs(int v) { return __builtin_ffs(v); }
JUDGE_QUIET static inline int __ffsll(long long v) { return __builtin_ffsll(v); }
JUDGE_QUIET static inline unsigned __brev(unsigned v) {
    unsigned out = 0;
    for (int i = 0; i < 32; ++i) out |= (v >> i & 1u) << (31 - i);
    return out;
}
JUDGE_QUIET static inline unsigned long long __brevll(unsigned long long v) { return (unsigned long long)__brev((unsigned)v) << 32 | __brev((unsigned)(v >> 32)); }
JUDGE_QUIET static inline unsigned __fns(unsigned mask, unsigned base, int offset) {
    int step = offset < 0 ? -1 : 1, left = offset * step;
    if (offset == 0) return mask >> base & 1u ? base : ~0u;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if ((mask >> at & 1u) && --left == 0) return (unsigned)at;
    return ~0u;
}
JUDGE_QUIET static inline int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
JUDGE_QUIET static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
JUDGE_QUIET static inline int mul24(int a, int b) { return __mul24(a, b); }
JUDGE_QUIET static inline unsigned umul24(unsigned a, unsigned b) { return __umul24(a, b); }
JUDGE_QUIET static inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
JUDGE_QUIET static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
JUDGE_QUIET static inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
JUDGE_QUIET static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)((unsigned __int128)a * b >> 64); }
JUDGE_QUIET static inline unsigned __sad(int a, int b, unsigned c) { return (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b) + c; }
JUDGE_QUIET static inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a < b ? b - a : a - b) + c; }
JUDGE_QUIET static inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
JUDGE_QUIET static inline int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
JUDGE_QUIET static inline unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
JUDGE_QUIET static inline unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
JUDGE_QUIET static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
    unsigned long long both = (unsigned long long)b << 32 | a;
    unsigned out = 0;
    for (int i = 0; i < 4; ++i) {
        unsigned pick = s >> (4 * i) & 15u, byte = (unsigned)(both >> (8 * (pick & 7u))) & 255u;
        if (pick & 8u) byte = (byte & 128u) ? 255u : 0u;
        out |= byte << (8 * i);
    }
    return out;
}
JUDGE_QUIET static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s) { return (unsigned)(((unsigned long long)hi << 32 | lo) << (s & 31u) >> 32); }
JUDGE_QUIET static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) { return (unsigned)(((unsigned long long)hi << 32 | lo) >> (s & 31u)); }
JUDGE_QUIET static inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned s) { return s >= 32u ? lo : __funnelshift_l(lo, hi, s); }
JUDGE_QUIET static inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned s) { return s >= 32u ? hi : __funnelshift_r(lo, hi, s); }
JUDGE_QUIET static inline unsigned __vabsdiffu4(unsigned a, unsigned b) {
    unsigned out = 0;
    for (int i = 0; i < 32; i += 8) {
        int difference = (int)(a >> i & 255u) - (int)(b >> i & 255u);
        out |= (unsigned)(difference < 0 ? -difference : difference) << i;
    }
    return out;
}
JUDGE_QUIET static inline unsigned __vcmpgtu4(unsigned a, unsigned b) {
    unsigned out = 0;
    for (int i = 0; i < 32; i += 8) out |= (a >> i & 255u) > (b >> i & 255u) ? 255u << i : 0u;
    return out;
}
JUDGE_QUIET static inline unsigned __vcmpne4(unsigned a, unsigned b) {
    unsigned out = 0;
    for (int i = 0; i < 32; i += 8) out |= ((a ^ b) >> i & 255u) ? 255u << i : 0u;
    return out;
}
JUDGE_QUIET static inline unsigned __vsubss4(unsigned a, unsigned b) {
    unsigned out = 0;
    for (int i = 0; i < 32; i += 8) {
        int difference = (signed char)(a >> i) - (signed char)(b >> i);
        difference = difference > 127 ? 127 : difference < -128 ? -128 : difference;
        out |= ((unsigned)difference & 255u) << i;
    }
    return out;
}
JUDGE_QUIET static inline int __float_as_int(float f) { int i; memcpy(&i, &f, 4); return i; }
JUDGE_QUIET static inline float __int_as_float(int i) { float f; memcpy(&f, &i, 4); return f; }
JUDGE_QUIET static inline unsigned __float_as_uint(float f) { unsigned i; memcpy(&i, &f, 4); return i; }
JUDGE_QUIET static inline float __uint_as_float(unsigned i) { float f; memcpy(&f, &i, 4); return f; }
JUDGE_QUIET static inline int __float2int_rz(float f) { return (int)f; }
JUDGE_QUIET static inline int __float2int_rd(float f) { return (int)__builtin_floorf(f); }
JUDGE_QUIET static inline int __float2int_rn(float f) { return (int)__builtin_rintf(f); }
JUDGE_QUIET static inline float __int2float_rn(int i) { return (float)i; }
JUDGE_QUIET static inline float __fmaf_rn(float a, float b, float c) { return a * b + c; }
JUDGE_QUIET static inline float __fdividef(float a, float b) { return a / b; }
JUDGE_QUIET static inline float rsqrtf(float f) { return 1.0f / __builtin_sqrtf(f); }
extern "C" JUDGE_QUIET inline float __expf(float f) noexcept { return __builtin_expf(f); }
JUDGE_QUIET static inline float __saturatef(float f) { return f < 0 ? 0 : f > 1 ? 1 : f; }
extern "C" {
float sqrtf(float) noexcept; float fabsf(float) noexcept; float floorf(float) noexcept; float ceilf(float) noexcept;
float fmaxf(float, float) noexcept; float fminf(float, float) noexcept; float expf(float) noexcept; float logf(float) noexcept;
float powf(float, float) noexcept; float sinf(float) noexcept; float cosf(float) noexcept; float fmaf(float, float, float) noexcept;
double sqrt(double) noexcept; double fabs(double) noexcept; double floor(double) noexcept; double ceil(double) noexcept;
int abs(int) noexcept; int printf(const char *, ...); int atoi(const char *) noexcept;
}
#define __isShared(p) judge_is_shared(p)
extern "C" char *judge_dynamic();
extern "C" int judge_is_shared(const void *p);
extern "C" unsigned long long judge_shared_offset(const void *p);
#define __cvta_generic_to_shared(p) judge_shared_offset(p)

// ---------------------------------------------------------------- host code

typedef int cudaError_t;
typedef void *cudaStream_t;
typedef void *cudaEvent_t;
enum { cudaSuccess = 0 };
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
struct cudaDeviceProp { char name[256]; size_t totalGlobalMem, sharedMemPerBlock; int warpSize, maxThreadsPerBlock, multiProcessorCount, major, minor; };
template <class T> JUDGE_QUIET static cudaError_t cudaMalloc(T **p, size_t n) { *p = (T *)judge_malloc(n); return 0; }
template <class T> JUDGE_QUIET static cudaError_t cudaMallocManaged(T **p, size_t n, unsigned = 0) { *p = (T *)judge_malloc(n); return 0; }
template <class T> JUDGE_QUIET static cudaError_t cudaMallocHost(T **p, size_t n) { *p = (T *)judge_malloc(n); return 0; }
template <class T> JUDGE_QUIET static cudaError_t cudaMallocAsync(T **p, size_t n, cudaStream_t) { *p = (T *)judge_malloc(n); return 0; }
template <class T> JUDGE_QUIET static cudaError_t cudaHostAlloc(T **p, size_t n, unsigned) { *p = (T *)judge_malloc(n); return 0; }
template <class T> JUDGE_QUIET static cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t w, size_t h) { *pitch = (w + 511) / 512 * 512; *p = (T *)judge_malloc(*pitch * h); return 0; }
JUDGE_QUIET static inline cudaError_t cudaFree(void *) { return 0; }
JUDGE_QUIET static inline cudaError_t cudaFreeAsync(void *, cudaStream_t) { return 0; }
JUDGE_QUIET static inline cudaError_t cudaFreeHost(void *) { return 0; }
JUDGE_QUIET static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t n, int) { memmove(to, from, n); return 0; }
JUDGE_QUIET static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, int, cudaStream_t = 0) { memmove(to, from, n); return 0; }
JUDGE_QUIET static inline cudaError_t cudaMemset(void *to, int v, size_t n) { memset(to, v, n); return 0; }
JUDGE_QUIET static inline cudaError_t cudaDeviceSynchronize() { return 0; }
JUDGE_QUIET static inline cudaError_t cudaGetLastError() { return 0; }
JUDGE_QUIET static inline cudaError_t cudaPeekAtLastError() { return 0; }
JUDGE_QUIET static inline const char *cudaGetErrorString(cudaError_t) { return ""; }
JUDGE_QUIET static inline cudaError_t cudaSetDevice(int) { return 0; }
JUDGE_QUIET static inline cudaError_t cudaStreamCreate(cudaStream_t *s) { *s = 0; return 0; }
JUDGE_QUIET static inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return 0; }
JUDGE_QUIET static inline cudaError_t cudaStreamDestroy(cudaStream_t) { return 0; }
template <class F> JUDGE_QUIET static cudaError_t cudaFuncSetAttribute(F, int, int) { return 0; }
JUDGE_QUIET static inline cudaError_t cudaMemsetAsync(void *to, int v, size_t n, cudaStream_t = 0) { memset(to, v, n); return 0; }
enum cudaDeviceAttr { cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMultiProcessorCount = 16 };
JUDGE_QUIET static inline cudaError_t cudaGetDevice(int *d) { *d = 0; return 0; }
JUDGE_QUIET static inline cudaError_t cudaDeviceGetAttribute(int *v, cudaDeviceAttr, int) { *v = 3; return 0; }
JUDGE_QUIET static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int) { memset((void *)p, 0, sizeof *p); p->warpSize = 32; p->maxThreadsPerBlock = 1024; p->multiProcessorCount = 3; p->major = 9; return 0; }
template <class T> JUDGE_QUIET static cudaError_t cudaMemcpyToSymbol(T &to, const void *from, size_t n, size_t at = 0, int = 1) { memcpy((char *)&to + at, from, n); return 0; }
template <class F> JUDGE_QUIET static cudaError_t cudaOccupancyMaxPotentialBlockSize(int *g, int *b, F, size_t = 0, int = 0) { *g = 3; *b = 96; return 0; }
template <class F> JUDGE_QUIET static cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, F, int, size_t) { *n = 2; return 0; }

namespace thrust {
template <class T> struct device_ptr {
    T *p;
    JUDGE_QUIET device_ptr operator+(long i) const { return {p + i}; }
    JUDGE_QUIET T *get() const { return p; }
};
template <class T> struct device_reference {
    T *p;
    JUDGE_QUIET device_ptr<T> operator&() const { return {p}; }
};
template <class T> struct device_vector {
    T *p;
    size_t n;
    JUDGE_QUIET explicit device_vector(size_t k) : p((T *)judge_malloc(k * sizeof(T))), n(k) {}
    JUDGE_QUIET device_ptr<T> data() { return {p}; }
    JUDGE_QUIET device_ptr<T> begin() { return {p}; }
    JUDGE_QUIET device_reference<T> operator[](size_t i) { return {p + i}; }
    JUDGE_QUIET size_t size() const { return n; }
};
template <class T> JUDGE_QUIET T *raw_pointer_cast(device_ptr<T> q) { return q.p; }
template <class T> JUDGE_QUIET T *raw_pointer_cast(T *q) { return q; }
}

// ---------------------------------------------------------------- how kernels are started

struct judge_shape { dim3 grid, block; unsigned long long shared; };
extern "C" void judge_launch(const char *kernel, unsigned line, const judge_shape *, void (*)(void *), void *);

template <class T> struct judge_traits { static constexpr int is_float = 0, is_number = __is_enum(T), is_pointer = 0; };
template <class T> struct judge_traits<const T> : judge_traits<T> {};
template <class T> struct judge_traits<volatile T> : judge_traits<T> {};
template <class T> struct judge_traits<T *> { static constexpr int is_float = 0, is_number = 0, is_pointer = 1; };
template <> struct judge_traits<float> { static constexpr int is_float = 1, is_number = 0, is_pointer = 0; };
template <> struct judge_traits<double> : judge_traits<float> {};
#define JUDGE_NUMBER(T) template <> struct judge_traits<T> { static constexpr int is_float = 0, is_number = 1, is_pointer = 0; };
JUDGE_NUMBER(bool) JUDGE_NUMBER(char) JUDGE_NUMBER(signed char) JUDGE_NUMBER(unsigned char)
JUDGE_NUMBER(short) JUDGE_NUMBER(unsigned short) JUDGE_NUMBER(int) JUDGE_NUMBER(unsigned)
JUDGE_NUMBER(long) JUDGE_NUMBER(unsigned long) JUDGE_NUMBER(long long) JUDGE_NUMBER(unsigned long long)
#undef JUDGE_NUMBER
// Kind 0 begins a list; 1 integer, 2 floating point, 3 pointer, 4 anything else.
extern "C" void judge_argument(int kind, long long integer, double floating);
template <class T> JUDGE_QUIET static void judge_tell(const T &v) {
    if constexpr (judge_traits<T>::is_number) judge_argument(1, (long long)v, 0);
    else if constexpr (judge_traits<T>::is_float) judge_argument(2, 0, (double)v);
    else if constexpr (judge_traits<T>::is_pointer) judge_argument(3, (long long)v, 0);
    else judge_argument(4, 0, 0);
}

struct judge_config {
    const char *kernel;
    unsigned line;
    judge_shape shape;
    JUDGE_QUIET judge_config(const char *k, unsigned l, dim3 g, dim3 b, unsigned long long s = 0, cudaStream_t = 0)
        : kernel(k), line(l), shape{g, b, s} {}
    // Arguments are evaluated once, as on a device; then each thread is called with them.
    template <class F, class... A> JUDGE_QUIET void run(F call, A... given) {
        auto body = [&]() JUDGE_QUIET { call(given...); };
        using Body = decltype(body);
        judge_argument(0, 0, 0);
        (judge_tell(given), ...);
        judge_launch(kernel, line, &shape, [](void *f) JUDGE_QUIET { (*(Body *)f)(); }, &body);
    }
};

template <int... I> struct judge_places {};
template <class... P, int... I>
JUDGE_QUIET static cudaError_t judge_listed_at(judge_config config, void (*f)(P...), void **list, judge_places<I...>) {
    config.run([&](auto &...given) JUDGE_QUIET { f(given...); }, *(P *)list[I]...);
    return 0;
}
template <class... P>
JUDGE_QUIET static cudaError_t judge_listed(const char *name, unsigned line, void (*f)(P...), dim3 g, dim3 b, void **list, size_t s = 0, cudaStream_t = 0) {
    return judge_listed_at(judge_config(name, line, g, b, s), f, list, judge_places<__integer_pack(sizeof...(P))...>());
}
#define cudaLaunchKernel(k, ...) judge_listed(#k, __LINE__, k, __VA_ARGS__)
#define cudaLaunchCooperativeKernel(k, ...) judge_listed(#k, __LINE__, k, __VA_ARGS__)

enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6
};
union cudaLaunchAttributeValue {
    char pad[64];
    struct { unsigned x, y, z; } clusterDim;
    int cooperative, programmaticStreamSerializationAllowed;
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};
template <class... P, class... A>
JUDGE_QUIET static cudaError_t judge_configured(const char *name, unsigned line, const cudaLaunchConfig_t *c, void (*f)(P...), A &&...a) {
    auto call = [&](auto &...given) { f(given...); };
    judge_config config(name, line, c->gridDim, c->blockDim, c->dynamicSmemBytes);
    config.template run<decltype(call), P...>(call, a...);
    return 0;
}
#define cudaLaunchKernelEx(c, k, ...) judge_configured(#k, __LINE__, c, k __VA_OPT__(, ) __VA_ARGS__)

template <class T> struct judge_same_type { typedef T type; };
template <class T> using judge_same = typename judge_same_type<T>::type;

// An argument of whatever type the parameter has.
template <class T> struct judge_size { static constexpr unsigned value = sizeof(T); };
template <> struct judge_size<void> { static constexpr unsigned value = 4; };
template <> struct judge_size<const void> { static constexpr unsigned value = 4; };
struct judge_any {
    int index;
    template <class T> JUDGE_QUIET operator T *() const {
        return (T *)judge_pointer(index, judge_size<T>::value, judge_traits<T>::is_float, 0);
    }
    template <class T, int = 1 / (1 - judge_traits<T>::is_pointer)> JUDGE_QUIET operator T() const {
        if constexpr (judge_traits<T>::is_number) {
            return (T)judge_number(index);
        } else if constexpr (judge_traits<T>::is_float) {
            return (T)judge_float(index);
        } else {
            T v;
            memset((void *)&v, 0, sizeof v);
            return v;
        }
    }
};
