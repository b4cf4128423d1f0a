//! Headers that NVRTC lacks, and what stands in their place.

/// Headers of the toolkit that say nothing to NVRTC, which knows all of it.
pub(super) const BUILT_IN: [&str; 12] = [
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "cuda.h",
    "device_launch_parameters.h",
    "device_functions.h",
    "helper_cuda.h",
    "helper_functions.h",
    "cuda_profiler_api.h",
    "vector_types.h",
    "vector_functions.h",
    "sm_20_atomic_functions.h",
    "device_atomic_functions.h",
];

/// Parts of the C++ library that device code uses, and the toolkit's own version of each.
pub(super) const LIBRARY: [(&str, &str); 17] = [
    ("limits", "limits"),
    ("type_traits", "type_traits"),
    ("utility", "utility"),
    ("tuple", "tuple"),
    ("array", "array"),
    ("cmath", "cmath"),
    ("math.h", "cmath"),
    ("algorithm", "__algorithm_"),
    ("numeric", "numeric"),
    ("complex", "complex"),
    ("functional", "functional"),
    ("cstdint", "cstdint"),
    ("stdint.h", "cstdint"),
    ("cstddef", "cstddef"),
    ("stddef.h", "cstddef"),
    ("initializer_list", "initializer_list"),
    ("iterator", "iterator"),
];

/// Headers of the C and C++ libraries, which the toolkit's own include.
pub(super) const STANDARD_HEADERS: [&str; 32] = [
    "assert.h",
    "float.h",
    "limits.h",
    "math.h",
    "stdarg.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "time.h",
    "atomic",
    "cassert",
    "cfloat",
    "chrono",
    "climits",
    "cstdarg",
    "cstdio",
    "cstdlib",
    "cstring",
    "exception",
    "iosfwd",
    "iostream",
    "map",
    "memory",
    "new",
    "ostream",
    "sstream",
    "stdexcept",
    "string",
    "string_view",
    "vector",
];

/// Libraries of the toolkit that the host calls: nothing of them is for device code.
pub(super) const HOST_LIBRARIES: [&str; 9] = [
    "cublas",
    "cudnn",
    "cusolver",
    "cusparse",
    "curand.h",
    "nccl",
    "npp",
    "nvml",
    "nvToolsExt",
];

/// Parts of a library for device code, in place of the header for everything.
pub(super) const CUB: &str = "#pragma once
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
";

/// Libraries whose headers define the types of half precision as well.
pub(super) const HALF_TYPES: [&str; 3] = ["cublas", "cudnn", "cusparse"];

/// Types of cuBLAS that classes with kernels' launches hold; each of its headers repeats them.
pub(super) const CUBLAS: &str = "
#if __has_include(<library_types.h>)
#include <library_types.h>
#endif
typedef struct cublasContext *cublasHandle_t; typedef struct cublasLtContext *cublasLtHandle_t;
typedef int cublasStatus_t; typedef int cublasOperation_t; typedef int cublasGemmAlgo_t; typedef int cublasComputeType_t;
typedef int cublasMath_t; typedef int cublasFillMode_t; typedef int cublasSideMode_t; typedef int cublasDiagType_t;
typedef int cublasPointerMode_t; typedef int cublasLtEpilogue_t;
typedef struct cublasLtMatmulDescOpaque_t *cublasLtMatmulDesc_t;
typedef struct cublasLtMatrixLayoutOpaque_t *cublasLtMatrixLayout_t;
typedef struct cublasLtMatmulPreferenceOpaque_t *cublasLtMatmulPreference_t;
#ifndef CUBLAS_OP_N
struct cublasLtMatmulAlgo_t {}; struct cublasLtMatmulHeuristicResult_t {};
#endif
#define CUBLAS_OP_N 0
#define CUBLAS_OP_T 1
#define CUBLAS_OP_C 2
#define CUBLAS_GEMM_DEFAULT (-1)
#define CUBLAS_GEMM_DEFAULT_TENSOR_OP 99
#define CUBLAS_STATUS_SUCCESS 0
#define CUBLAS_DEFAULT_MATH 0
#define CUBLAS_TF32_TENSOR_OP_MATH 3
#define CUBLAS_COMPUTE_16F 64
#define CUBLAS_COMPUTE_32F 68
#define CUBLAS_COMPUTE_32F_FAST_TF32 77
";

/// The generators of cuRAND that device code calls, and the header that stands for them.
pub(super) const CURAND_KERNEL: &str = "curand_kernel.h";
pub(super) const CURAND_TEXT: &str = include_str!("curand.h");

/// Where PyTorch's headers lie, and what stands in for each of them.
pub(super) const TORCH: [&str; 3] = ["ATen/", "torch/", "c10/"];
pub(super) const TORCH_HEADER: &str = "judge_torch.h";
pub(super) const TORCH_TEXT: &str = include_str!("torch.h");

/// What headers of the host give to device code.
pub(super) const PRELUDE: &str = "
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;
typedef unsigned long long uint64_t; typedef unsigned long long uintptr_t; typedef long long intptr_t;
typedef unsigned int uint; typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned long ulong;
typedef long ssize_t;
namespace std { using ::size_t; using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::uintptr_t; }
typedef struct CUstream_st *cudaStream_t; typedef struct CUevent_st *cudaEvent_t;
#define assert(...) ((void)0)
#define __extension__
#define __const__ const
#define register
typedef struct _IO_FILE FILE;
// Templates, so that the toolkit's own functions of these names may come after them.
template <class None = void> __device__ __forceinline__ void cudaGridDependencySynchronize() {}
template <class None = void> __device__ __forceinline__ void cudaTriggerProgrammaticLaunchCompletion() {}
#ifndef CUDA_VERSION
#define CUDA_VERSION 13000
#endif
#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-016
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807L
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define CHAR_BIT 8
#define UINT8_MAX 255
#define INT32_MAX 2147483647
#define INT32_MIN (-2147483647 - 1)
#define UINT32_MAX 4294967295u
#define UINT64_MAX 18446744073709551615ULL
#define INT64_MAX 9223372036854775807LL
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define M_LN2 0.69314718055994530942
#define M_E 2.7182818284590452354
#define M_2_PI 0.63661977236758134308
#define M_1_PI 0.31830988618379067154
#define M_2_SQRTPI 1.12837916709551257390
#endif
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define HUGE_VALF INFINITY
#endif
";
