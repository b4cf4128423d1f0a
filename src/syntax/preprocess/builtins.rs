//! Macros that stand before the first line.
//!
//! Gives the macros that nvcc predefines on Linux, and those that user code
//! takes from headers of the toolkit and of the standard library, which need
//! not be there to be read. Words of CUDA such as `__global__` are no macros
//! here: the grammar knows them. Macros that depend on the target architecture,
//! as `__CUDA_ARCH__` does, and those of the command line are set in `preprocess.rs`.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

/// A macro of [`TEXT`]: ranges of its parameter list and of its body.
pub(super) struct BuiltIn {
    pub parameters: Option<(u32, u32)>,
    pub body: (u32, u32),
    pub special: Option<Special>,
}

/// What [`TEXT`] defines, and the index of each name.
pub(super) struct BuiltIns {
    pub macros: Vec<BuiltIn>,
    pub names: NameFilter,
    by_name: FxHashMap<&'static str, u32>,
}

impl BuiltIns {
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }
}

pub(super) fn built_ins() -> &'static BuiltIns {
    static TABLE: OnceLock<BuiltIns> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = BuiltIns {
            macros: Vec::new(),
            names: NameFilter::default(),
            by_name: FxHashMap::default(),
        };
        let mut start = 0;
        for line in TEXT.lines() {
            let name = line.find([' ', '(']).unwrap_or(line.len());
            let list = line[name..].starts_with('(');
            let close = line.find(')').filter(|_| list).map(|at| at + 1);
            let at = |offset: usize| (start + offset) as u32;
            table.names.add(&line[..name]);
            table
                .by_name
                .insert(&line[..name], table.macros.len() as u32);
            table.macros.push(BuiltIn {
                special: Special::named(&line[..name]),
                parameters: close.map(|close| (at(name), at(close))),
                body: (at(close.unwrap_or(name)), at(line.len())),
            });
            start += line.len() + 1;
        }
        table
    })
}

/// Says of most words that they are no macro's name, at the cost of one look: a set of pairs of
/// first byte and length.
#[derive(Clone)]
pub(super) struct NameFilter([u64; 256]);

impl Default for NameFilter {
    fn default() -> Self {
        Self([0; 256])
    }
}

impl NameFilter {
    fn slot(name: &str) -> (usize, u64) {
        let byte = name.as_bytes().first().copied().unwrap_or(0);
        (usize::from(byte), 1 << (name.len() & 63))
    }

    pub(super) fn add(&mut self, name: &str) {
        let (byte, bit) = Self::slot(name);
        self.0[byte] |= bit;
    }

    #[inline]
    pub(super) fn may_hold(&self, name: &str) -> bool {
        let (byte, bit) = Self::slot(name);
        self.0[byte] & bit != 0
    }
}

/// Macros whose value depends on where they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    Line,
    File,
    Counter,
    /// `__has_include` and its kin: defined, but answered in conditions only.
    HasInclude,
}

impl Special {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "__LINE__" => Self::Line,
            "__FILE__" => Self::File,
            "__COUNTER__" => Self::Counter,
            "__has_include"
            | "__has_include_next"
            | "__has_builtin"
            | "__has_attribute"
            | "__has_cpp_attribute" => Self::HasInclude,
            _ => return None,
        })
    }
}

/// Words of CUDA that keep their meaning whatever user code defines for other compilers.
pub(super) fn is_cuda_word(name: &str) -> bool {
    matches!(
        name,
        "__host__"
            | "__device__"
            | "__global__"
            | "__shared__"
            | "__constant__"
            | "__managed__"
            | "__grid_constant__"
            | "__forceinline__"
            | "__noinline__"
            | "__launch_bounds__"
            | "__cluster_dims__"
            | "__maxnreg__"
            | "__align__"
    )
}

/// Whether a header comes with the CUDA toolkit, the C++ library or the C library.
pub(super) fn is_toolchain_header(name: &str) -> bool {
    const FOLDERS: &str = "\
        cub cuda thrust nv cooperative_groups crt sys bits linux ext arpa netinet cccl \
        experimental nvtx3";
    const HEADERS: &str = "\
        assert complex ctype errno fenv float inttypes iso646 limits locale malloc math \
        memory pthread setjmp signal stdalign stdarg stdatomic stdbool stddef stdint stdio \
        stdlib string strings tgmath threads time uchar unistd wchar wctype dirent dlfcn \
        fcntl getopt libgen alloca endian poll semaphore immintrin xmmintrin emmintrin \
        x86intrin omp execinfo cxxabi features values mma nvrtc nppi npp nvml nvToolsExt \
        builtin_types vector_types vector_functions device_functions \
        device_launch_parameters device_types driver_types driver_functions math_constants \
        math_functions sm_20_intrinsics sm_30_intrinsics sm_60_atomic_functions \
        texture_types texture_fetch_functions texture_indirect_functions surface_types \
        surface_functions channel_descriptor host_defines host_config common_functions \
        cooperative_groups cufft cufftXt curand curand_kernel cusolverDn cusolverSp \
        cusolverMg cusparse cusparseLt cublas cublas_v2 cublasLt cublasXt nvjpeg \
        library_types fatbinary cudnn cuda cuda_runtime cuda_runtime_api cuda_fp16 cuda_fp8 \
        cuda_fp6 cuda_fp4 cuda_bf16 cuComplex cuda_pipeline cuda_pipeline_primitives \
        cuda_pipeline_helpers cuda_awbarrier cuda_awbarrier_primitives cuda_profiler_api \
        cuda_device_runtime_api cuda_occupancy cuda_texture_types cuda_surface_types \
        cuda_gl_interop cuda_egl_interop cuda_vdpau_interop cuda_vector_types cudaProfiler \
        cudaGL cudaEGL cudaVDPAU cudaTypedefs sched err wait ucontext termios netdb syslog \
        ftw glob regex search spawn utime pwd grp";
    if let Some((folder, rest)) = name.split_once('/') {
        // Projects have such folders, too; the headers of libcu++ have no extension.
        let is_of_project = matches!(folder, "cuda" | "nv" | "experimental")
            && rest.contains('.')
            && !["std/", "experimental/", "__"]
                .iter()
                .any(|part| rest.starts_with(part));
        return !is_of_project && FOLDERS.split(' ').any(|known| known == folder);
    }
    match name.rsplit_once('.') {
        None => {
            !name.is_empty()
                && name
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b == b'_' || b.is_ascii_digit())
        }
        Some((stem, "h" | "hpp" | "cuh")) => HEADERS.split(' ').any(|known| known == stem),
        Some(_) => false,
    }
}

/// Whether a name that stands for itself here is a macro of nvcc or of the headers that it includes on its own
/// (`crt/host_defines.h`): conditions see it as one.
pub(super) fn is_macro_of_toolkit(name: &str) -> bool {
    matches!(
        name,
        "__device__"
            | "__host__"
            | "__global__"
            | "__shared__"
            | "__constant__"
            | "__managed__"
            | "__forceinline__"
            | "__noinline__"
            | "__align__"
            | "__launch_bounds__"
            | "__CUDACC_VER__"
    )
}

/// One macro per line: name, parameter list, body.
pub(super) const TEXT: &str = "\
__LINE__
__FILE__
__COUNTER__
__has_include
__has_include_next
__has_builtin
__has_attribute
__has_cpp_attribute
__BASE_FILE__ \"main\"
__NVCC_DIAG_PRAGMA_SUPPORT__ 1
__cpp_aggregate_bases 201603L
__cpp_aggregate_nsdmi 201304L
__cpp_alias_templates 200704L
__cpp_constexpr 201603L
__cpp_decltype 200707L
__cpp_decltype_auto 201304L
__cpp_deduction_guides 201703L
__cpp_fold_expressions 201603L
__cpp_generic_lambdas 201304L
__cpp_if_constexpr 201606L
__cpp_init_captures 201304L
__cpp_inline_variables 201606L
__cpp_lambdas 200907L
__cpp_nontype_template_parameter_auto 201606L
__cpp_range_based_for 201603L
__cpp_return_type_deduction 201304L
__cpp_static_assert 201411L
__cpp_structured_bindings 201606L
__cpp_variable_templates 201304L
__cpp_variadic_templates 200704L
__DATE__ \"Jan  1 1970\"
__TIME__ \"00:00:00\"
_Pragma(x)
__pragma(x)
__CUDACC__ 1
__NVCC__ 1
__CUDACC_VER_MAJOR__ 13
__CUDACC_VER_MINOR__ 0
__CUDACC_VER_BUILD__ 48
__CUDA_API_VER_MAJOR__ 13
__CUDA_API_VER_MINOR__ 0
__CUDA_ARCH_HAS_FEATURE__(x) 0
CUDA_VERSION 13000
CUDART_VERSION 13000
__CUDART_API_VERSION 13000
__CUDA_RUNTIME_H__
__GLIBC__ 2
__GLIBC_MINOR__ 36
__BYTE_ORDER 1234
__LITTLE_ENDIAN 1234
__BIG_ENDIAN 4321
CUDARTAPI
CUDAAPI
CUDART_CB
CUDA_CB
__CUDA_ALIGN__(n) __align__(n)
__cplusplus 201703L
__STDC__ 1
__STDC_HOSTED__ 1
__STDC_IEC_559__ 1
_GNU_SOURCE 1
__GNUC__ 12
__GNUC_MINOR__ 2
__GNUC_PATCHLEVEL__ 0
__GNUG__ 12
__GNUC_STDC_INLINE__ 1
__VERSION__ \"12.2.0\"
__EXCEPTIONS 1
__GXX_RTTI 1
__linux__ 1
__linux 1
__gnu_linux__ 1
linux 1
__unix__ 1
__unix 1
unix 1
__ELF__ 1
__x86_64__ 1
__x86_64 1
__amd64__ 1
__amd64 1
__LP64__ 1
_LP64 1
__SSE__ 1
__SSE2__ 1
__CHAR_BIT__ 8
__ORDER_LITTLE_ENDIAN__ 1234
__ORDER_BIG_ENDIAN__ 4321
__BYTE_ORDER__ 1234
__SIZEOF_SHORT__ 2
__SIZEOF_INT__ 4
__SIZEOF_LONG__ 8
__SIZEOF_LONG_LONG__ 8
__SIZEOF_POINTER__ 8
__SIZEOF_SIZE_T__ 8
__SIZEOF_PTRDIFF_T__ 8
__SIZEOF_WCHAR_T__ 4
__SIZEOF_FLOAT__ 4
__SIZEOF_DOUBLE__ 8
__SIZEOF_INT128__ 16
__SCHAR_MAX__ 127
__SHRT_MAX__ 32767
__INT_MAX__ 2147483647
__LONG_MAX__ 9223372036854775807L
__LONG_LONG_MAX__ 9223372036854775807LL
__SIZE_MAX__ 18446744073709551615UL
__PTRDIFF_MAX__ 9223372036854775807L
__INT8_TYPE__ signed char
__INT16_TYPE__ short int
__INT32_TYPE__ int
__INT64_TYPE__ long int
__UINT8_TYPE__ unsigned char
__UINT16_TYPE__ unsigned short int
__UINT32_TYPE__ unsigned int
__UINT64_TYPE__ unsigned long int
__SIZE_TYPE__ unsigned long
__PTRDIFF_TYPE__ long
__INTPTR_TYPE__ long int
__UINTPTR_TYPE__ unsigned long int
__FLT_MAX__ 3.40282346638528859811704183484516925e+38F
__FLT_MIN__ 1.17549435082228750796873653722224568e-38F
__FLT_EPSILON__ 1.19209289550781250000000000000000000e-7F
__DBL_MAX__ 1.79769313486231570814527423731704357e+308
__DBL_MIN__ 2.22507385850720138309023271733240406e-308
__DBL_EPSILON__ 2.22044604925031308084726333618164062e-16
CHAR_BIT 8
SCHAR_MIN (-128)
SCHAR_MAX 127
UCHAR_MAX 255
CHAR_MIN (-128)
CHAR_MAX 127
SHRT_MIN (-32768)
SHRT_MAX 32767
USHRT_MAX 65535
INT_MIN (-2147483647 - 1)
INT_MAX 2147483647
UINT_MAX 4294967295U
LONG_MIN (-9223372036854775807L - 1L)
LONG_MAX 9223372036854775807L
ULONG_MAX 18446744073709551615UL
LLONG_MIN (-9223372036854775807LL - 1LL)
LLONG_MAX 9223372036854775807LL
ULLONG_MAX 18446744073709551615ULL
PATH_MAX 4096
INT8_MIN (-128)
INT16_MIN (-32768)
INT32_MIN (-2147483647 - 1)
INT64_MIN (-9223372036854775807L - 1)
INT8_MAX 127
INT16_MAX 32767
INT32_MAX 2147483647
INT64_MAX 9223372036854775807L
UINT8_MAX 255
UINT16_MAX 65535
UINT32_MAX 4294967295U
UINT64_MAX 18446744073709551615UL
INTPTR_MAX 9223372036854775807L
UINTPTR_MAX 18446744073709551615UL
PTRDIFF_MAX 9223372036854775807L
SIZE_MAX 18446744073709551615UL
INT8_C(x) x
INT16_C(x) x
INT32_C(x) x
INT64_C(x) x ## L
UINT8_C(x) x
UINT16_C(x) x
UINT32_C(x) x ## U
UINT64_C(x) x ## UL
PRId8 \"d\"
PRId16 \"d\"
PRId32 \"d\"
PRId64 \"ld\"
PRIi32 \"i\"
PRIi64 \"li\"
PRIu8 \"u\"
PRIu16 \"u\"
PRIu32 \"u\"
PRIu64 \"lu\"
PRIx8 \"x\"
PRIx16 \"x\"
PRIx32 \"x\"
PRIx64 \"lx\"
PRIX32 \"X\"
PRIX64 \"lX\"
PRIuPTR \"lu\"
PRIdPTR \"ld\"
SCNd32 \"d\"
SCNd64 \"ld\"
SCNu32 \"u\"
SCNu64 \"lu\"
FLT_RADIX 2
FLT_MANT_DIG 24
FLT_DIG 6
FLT_EPSILON 1.19209290e-7F
FLT_MIN 1.17549435e-38F
FLT_MAX 3.40282347e+38F
FLT_MIN_EXP (-125)
FLT_MAX_EXP 128
FLT_MIN_10_EXP (-37)
FLT_MAX_10_EXP 38
DBL_MANT_DIG 53
DBL_DIG 15
DBL_EPSILON 2.2204460492503131e-16
DBL_MIN 2.2250738585072014e-308
DBL_MAX 1.7976931348623157e+308
DBL_MIN_EXP (-1021)
DBL_MAX_EXP 1024
DBL_MAX_10_EXP 308
LDBL_MAX 1.18973149535723176502e+4932L
LDBL_MIN 3.36210314311209350626e-4932L
LDBL_EPSILON 1.08420217248550443401e-19L
M_E 2.7182818284590452354
M_LOG2E 1.4426950408889634074
M_LOG10E 0.43429448190325182765
M_LN2 0.69314718055994530942
M_LN10 2.30258509299404568402
M_PI 3.14159265358979323846
M_PI_2 1.57079632679489661923
M_PI_4 0.78539816339744830962
M_1_PI 0.31830988618379067154
M_2_PI 0.63661977236758134308
M_2_SQRTPI 1.12837916709551257390
M_SQRT2 1.41421356237309504880
M_SQRT1_2 0.70710678118654752440
RAND_MAX 2147483647
EXIT_SUCCESS 0
EXIT_FAILURE 1
BUFSIZ 8192
NULL 0
assert(x) ((void)(asserts_are_off || (x)))
__idle_assert(x) ((void)0)
va_arg(list, type) (*(type *)(list))";
