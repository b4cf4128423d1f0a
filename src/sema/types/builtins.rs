//! Types that CUDA and C++ name themselves: arithmetic types, vectors, halves, complex numbers.

use super::qualifiers::Target;
use super::{Twin, Type, null_type, scalar_name};
use crate::ir::Scalar;
use crate::syntax::ast;

/// The type of a fundamental type's name. `long double` is computed as double on the device, and has another
/// size on the host: it is left open.
#[must_use]
pub fn builtin(b: ast::Builtin) -> Type {
    use ast::Builtin as B;
    let scalar = match b {
        B::Void => return Type::Void,
        B::LongDouble => return Type::Opaque("long double".into()),
        B::Bool => Scalar::Bool,
        B::Char | B::SignedChar => Scalar::I8,
        B::UnsignedChar | B::Char8 => Scalar::U8,
        B::Short => Scalar::I16,
        B::UnsignedShort | B::Char16 => Scalar::U16,
        B::Int | B::WChar => Scalar::I32,
        B::UnsignedInt | B::Char32 => Scalar::U32,
        B::Long | B::LongLong => Scalar::I64,
        B::UnsignedLong | B::UnsignedLongLong => Scalar::U64,
        B::Float => Scalar::F32,
        B::Double => Scalar::F64,
    };
    let twin = match b {
        B::SignedChar
        | B::Char8
        | B::Char16
        | B::WChar
        | B::Char32
        | B::LongLong
        | B::UnsignedLongLong => Twin::Second,
        _ => Twin::First,
    };
    Type::Scalar(scalar, twin)
}

/// CUDA C++ Programming Guide, "Built-in Vector Types", table of alignments: a vector of two or
/// four lanes is aligned to its size, at most 16 bytes, one of three lanes to its lane.
pub(super) fn vector_align(name: &str, scalar: Scalar, lanes: u8) -> u64 {
    let lane = u64::from(scalar.size());
    if name.ends_with("_32a") {
        return 32;
    }
    if lanes == 3 || name.starts_with("std::complex") {
        return lane;
    }
    (lane * u64::from(lanes)).min(16)
}

macro_rules! vectors {
    ($($name:literal $scalar:ident $lanes:literal)*) => {
        &[$(($name, Scalar::$scalar, $lanes)),*]
    };
}

const VECTORS: &[(&str, Scalar, u8)] = vectors! {
    "char1" I8 1 "char2" I8 2 "char3" I8 3 "char4" I8 4
    "uchar1" U8 1 "uchar2" U8 2 "uchar3" U8 3 "uchar4" U8 4
    "short1" I16 1 "short2" I16 2 "short3" I16 3 "short4" I16 4
    "ushort1" U16 1 "ushort2" U16 2 "ushort3" U16 3 "ushort4" U16 4
    "int1" I32 1 "int2" I32 2 "int3" I32 3 "int4" I32 4
    "uint1" U32 1 "uint2" U32 2 "uint3" U32 3 "uint4" U32 4
    "long1" I64 1 "long2" I64 2 "long3" I64 3 "long4" I64 4
    "ulong1" U64 1 "ulong2" U64 2 "ulong3" U64 3 "ulong4" U64 4
    "longlong1" I64 1 "longlong2" I64 2 "longlong3" I64 3 "longlong4" I64 4
    "ulonglong1" U64 1 "ulonglong2" U64 2 "ulonglong3" U64 3 "ulonglong4" U64 4
    "float1" F32 1 "float2" F32 2 "float3" F32 3 "float4" F32 4
    "double1" F64 1 "double2" F64 2 "double3" F64 3 "double4" F64 4
    "double4_16a" F64 4 "double4_32a" F64 4 "long4_16a" I64 4 "long4_32a" I64 4
    "ulong4_16a" U64 4 "ulong4_32a" U64 4 "longlong4_16a" I64 4 "longlong4_32a" I64 4
    "ulonglong4_16a" U64 4 "ulonglong4_32a" U64 4
    "dim3" U32 3
    "__half2" F16 2 "__nv_bfloat162" BF16 2 "__half2_raw" U16 2 "__nv_bfloat162_raw" U16 2
};

/// Types that CUDA's and the standard library's headers define, by name.
#[must_use]
pub fn known(name: &str) -> Option<Type> {
    let scalar = |s| Some(Type::Scalar(s, Twin::First));
    let second = |s| Some(Type::Scalar(s, Twin::Second));
    match name {
        "CUdeviceptr" | "cudaTextureObject_t" | "cudaSurfaceObject_t" => second(Scalar::U64),
        "char32_t" => second(Scalar::U32),
        "wchar_t" => second(Scalar::I32),
        "char16_t" => second(Scalar::U16),
        "char8_t" => second(Scalar::U8),
        "size_t" | "uint64_t" | "uintptr_t" | "uintmax_t" | "ulong" | "cuuint64_t"
        | "uint_fast64_t" | "uint_fast32_t" | "uint_fast16_t" | "uint_least64_t" => {
            scalar(Scalar::U64)
        }
        "ptrdiff_t" | "ssize_t" | "int64_t" | "intptr_t" | "intmax_t" | "off_t" | "clock_t"
        | "time_t" | "int_fast64_t" | "int_fast32_t" | "int_fast16_t" | "int_least64_t"
        | "streamsize" => scalar(Scalar::I64),
        "uint"
        | "uint32_t"
        | "u_int32_t"
        | "cuuint32_t"
        | "uint_least32_t"
        | "u_int"
        | "__nv_fp8x4_storage_t"
        | "__nv_fp6x4_storage_t" => scalar(Scalar::U32),
        "int32_t" | "cudaError_t" | "cudaError" | "CUresult" | "CUdevice" | "nvrtcResult"
        | "cublasStatus_t" | "curandStatus_t" | "cufftResult" | "cusparseStatus_t"
        | "int_least32_t" | "cudaMemcpyKind" | "cufftHandle" => scalar(Scalar::I32),
        "ushort"
        | "uint16_t"
        | "uint_least16_t"
        | "u_int16_t"
        | "__nv_fp8x2_storage_t"
        | "__nv_fp6x2_storage_t"
        | "__nv_fp4x4_storage_t" => scalar(Scalar::U16),
        "int16_t" | "int_least16_t" => scalar(Scalar::I16),
        "uchar"
        | "uint8_t"
        | "u_char"
        | "byte"
        | "uint_least8_t"
        | "uint_fast8_t"
        | "u_int8_t"
        | "__nv_fp8_storage_t"
        | "__nv_fp6_storage_t"
        | "__nv_fp4_storage_t"
        | "__nv_fp4x2_storage_t" => scalar(Scalar::U8),
        "int8_t" | "int_least8_t" | "int_fast8_t" => second(Scalar::I8),
        "half" | "__half" | "nv_half" | "half_t" | "_Float16" => scalar(Scalar::F16),
        "nv_bfloat16" | "__nv_bfloat16" | "__bf16" | "bfloat16" => scalar(Scalar::BF16),
        "float_t" | "cufftReal" => scalar(Scalar::F32),
        "double_t" | "cufftDoubleReal" => scalar(Scalar::F64),
        "cudaStream_t" | "cudaEvent_t" | "CUstream" | "CUevent" | "CUmodule" | "CUfunction"
        | "CUcontext" | "cublasHandle_t" | "cudaArray_t" | "cudaGraph_t" | "cudaGraphExec_t" => {
            Some(Type::Pointer(Target::new(Type::Void)))
        }
        "nullptr_t" => Some(null_type()),
        "half2" | "nv_half2" => vector("__half2"),
        "nv_bfloat162" | "bfloat162" => vector("__nv_bfloat162"),
        "cuComplex" | "cuFloatComplex" | "cufftComplex" | "float2_t" => vector("float2"),
        "cuDoubleComplex" | "cufftDoubleComplex" | "double2_t" => vector("double2"),
        _ => class_of_a_number(name).or_else(|| vector(name)),
    }
}

/// Classes of the toolkit that hold one number: the integer has the size of theirs (`cuda_fp8.h`, `cuda_fp6.h`,
/// `cuda_fp4.h`), the half is the one that a raw half holds the bits of.
const CLASSES: &[(&str, Scalar)] = &[
    ("__half_raw", Scalar::F16),
    ("__nv_bfloat16_raw", Scalar::BF16),
    ("__nv_fp4_e2m1", Scalar::U8),
    ("__nv_fp4x2_e2m1", Scalar::U8),
    ("__nv_fp4x4_e2m1", Scalar::U16),
    ("__nv_fp6_e2m3", Scalar::U8),
    ("__nv_fp6_e3m2", Scalar::U8),
    ("__nv_fp6x2_e2m3", Scalar::U16),
    ("__nv_fp6x2_e3m2", Scalar::U16),
    ("__nv_fp6x4_e2m3", Scalar::U32),
    ("__nv_fp6x4_e3m2", Scalar::U32),
    ("__nv_fp8_e4m3", Scalar::U8),
    ("__nv_fp8_e5m2", Scalar::U8),
    ("__nv_fp8_e8m0", Scalar::U8),
    ("__nv_fp8x2_e4m3", Scalar::U16),
    ("__nv_fp8x2_e5m2", Scalar::U16),
    ("__nv_fp8x2_e8m0", Scalar::U16),
    ("__nv_fp8x4_e4m3", Scalar::U32),
    ("__nv_fp8x4_e5m2", Scalar::U32),
    ("__nv_fp8x4_e8m0", Scalar::U32),
];

fn class_of_a_number(name: &str) -> Option<Type> {
    let (name, scalar) = CLASSES.iter().find(|(class, _)| *class == name)?;
    Some(Type::Scalar(*scalar, Twin::Class(name)))
}

/// PyTorch's own halves: types beside CUDA's.
#[must_use]
pub fn of_torch(name: &str) -> Option<Type> {
    match name {
        "Half" => Some(Type::Scalar(Scalar::F16, Twin::Second)),
        "BFloat16" => Some(Type::Scalar(Scalar::BF16, Twin::Second)),
        _ => None,
    }
}

/// What PyTorch sums values of a type in: `at::acc_type` on the device, `at::opmath_type`.
#[must_use]
pub fn computed_in(of: &Type, is_sum: bool) -> Option<Type> {
    let scalar = match of {
        Type::Scalar(_, twin) if twin.is_enumeration() => return None,
        Type::Scalar(scalar, _) => *scalar,
        _ => return None,
    };
    Some(match scalar {
        Scalar::F16 | Scalar::BF16 => Type::number(Scalar::F32),
        scalar if is_sum && scalar.is_integer() && scalar != Scalar::Bool => {
            Type::number(Scalar::I64)
        }
        _ => of.clone(),
    })
}

fn vector(name: &str) -> Option<Type> {
    let (name, scalar, lanes) = VECTORS.iter().find(|v| v.0 == name)?;
    Some(Type::Vector {
        name,
        scalar: *scalar,
        lanes: *lanes,
    })
}

/// The type that [`Type::display`] shows as `text`, for types without arguments and pointers to them.
#[must_use]
pub fn by_display(text: &str) -> Option<Type> {
    if let Some(inner) = text.strip_suffix('*') {
        return Some(by_display(inner)?.pointer_to());
    }
    let all = [
        Scalar::Bool,
        Scalar::I8,
        Scalar::U8,
        Scalar::I16,
        Scalar::U16,
        Scalar::I32,
        Scalar::U32,
        Scalar::I64,
        Scalar::U64,
        Scalar::F16,
        Scalar::BF16,
        Scalar::F32,
        Scalar::F64,
    ];
    if text == "void" {
        return Some(Type::Void);
    }
    let twins = [Twin::First, Twin::Second];
    let mut types = all.into_iter().flat_map(|s| twins.map(|twin| (s, twin)));
    types
        .find(|(s, twin)| scalar_name(*s, *twin) == text)
        .map(|(s, twin)| Type::Scalar(s, twin))
        .or_else(|| known(text))
}

/// `complex<T>` of the standard library (aligned as `T`) or of thrust and libcu++ (aligned to its size).
#[must_use]
pub fn complex(is_std: bool, of: Scalar) -> Option<Type> {
    let name = match (is_std, of) {
        (true, Scalar::F32) => "std::complex<float>",
        (true, Scalar::F64) => "std::complex<double>",
        (false, Scalar::F32) => "thrust::complex<float>",
        (false, Scalar::F64) => "thrust::complex<double>",
        _ => return None,
    };
    Some(Type::Vector {
        name,
        scalar: of,
        lanes: 2,
    })
}
