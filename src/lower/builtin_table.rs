//! Names of built-in functions and what they give.
//!
//! Given a name, gives the same name with a static lifetime and the kind of its
//! result. Knows nothing of how calls are lowered.

use crate::ir::{Barrier, Scalar};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Result {
    Scalar(Scalar),
    /// The floating-point type that the arguments make; `double` for integers.
    Float,
    /// The promoted type of the first argument.
    Same,
    /// A built-in vector whose value is not modelled.
    Vector(&'static str),
}

/// `atomicAdd` and kin, by the name without its scope.
pub(super) fn atomic(name: &str) -> Option<&'static str> {
    const NAMES: [&str; 11] = [
        "atomicAdd",
        "atomicSub",
        "atomicMin",
        "atomicMax",
        "atomicExch",
        "atomicCAS",
        "atomicAnd",
        "atomicOr",
        "atomicXor",
        "atomicInc",
        "atomicDec",
    ];
    let bare = name
        .strip_suffix("_block")
        .or_else(|| name.strip_suffix("_system"))
        .unwrap_or(name);
    NAMES.into_iter().find(|known| *known == bare)
}

pub(super) fn barrier(name: &str) -> Option<Barrier> {
    Some(match name {
        "__syncthreads"
        | "__syncthreads_and"
        | "__syncthreads_or"
        | "__syncthreads_count"
        | "__barrier_sync"
        | "__cluster_barrier_wait" => Barrier::Block,
        "__syncwarp" => Barrier::Warp,
        "__threadfence" | "__threadfence_block" | "__threadfence_system" => Barrier::Fence,
        _ => return None,
    })
}

pub(super) fn collective(name: &str) -> Option<&'static str> {
    const NAMES: [&str; 30] = [
        "__shfl_sync",
        "__shfl_up_sync",
        "__shfl_down_sync",
        "__shfl_xor_sync",
        "__shfl",
        "__shfl_up",
        "__shfl_down",
        "__shfl_xor",
        "__ballot_sync",
        "__ballot",
        "__any_sync",
        "__any",
        "__all_sync",
        "__all",
        "__uni_sync",
        "__activemask",
        "__match_any_sync",
        "__match_all_sync",
        "__reduce_add_sync",
        "__reduce_min_sync",
        "__reduce_max_sync",
        "__reduce_and_sync",
        "__reduce_or_sync",
        "__reduce_xor_sync",
        "__syncthreads_and",
        "__syncthreads_or",
        "__syncthreads_count",
        "__shfl_sync_impl",
        "__vote_any",
        "__vote_all",
    ];
    NAMES.into_iter().find(|known| *known == name)
}

/// `__half2int_rz`, `__ushort2bfloat16_rn`: what a conversion from or to half precision gives.
fn conversion(name: &str) -> Option<Scalar> {
    const TYPES: [(&str, Scalar); 13] = [
        ("half", Scalar::F16),
        ("bfloat16", Scalar::BF16),
        ("float", Scalar::F32),
        ("double", Scalar::F64),
        ("int", Scalar::I32),
        ("uint", Scalar::U32),
        ("short", Scalar::I16),
        ("ushort", Scalar::U16),
        ("char", Scalar::I8),
        ("uchar", Scalar::U8),
        ("ll", Scalar::I64),
        ("ull", Scalar::U64),
        ("longlong", Scalar::I64),
    ];
    let rest = name.strip_prefix("__")?;
    TYPES.iter().find_map(|(from, _)| {
        let to = rest.strip_prefix(from)?.strip_prefix('2')?;
        let to = ["_rn", "_rz", "_rd", "_ru"]
            .iter()
            .find_map(|end| to.strip_suffix(end))
            .unwrap_or(to);
        let (to, scalar) = TYPES.iter().find(|(known, _)| *known == to)?;
        let is_half = |one: &str| matches!(one, "half" | "bfloat16");
        (is_half(from) || is_half(to)).then_some(*scalar)
    })
}

/// A pure function of scalars.
pub(super) fn function(name: &str) -> Option<(&'static str, Result)> {
    if let Ok(at) = PLAIN.binary_search_by(|(known, _)| (*known).cmp(name)) {
        return PLAIN.get(at).copied();
    }
    if let Some(scalar) = conversion(name) {
        // Of a float nothing is known but its type.
        return Some(("a conversion", Result::Scalar(scalar)));
    }
    if let Ok(at) = FLOAT.binary_search(&name) {
        return FLOAT.get(at).map(|known| (*known, Result::Float));
    }
    if let Ok(at) = SINGLE.binary_search(&name) {
        return SINGLE
            .get(at)
            .map(|known| (*known, Result::Scalar(Scalar::F32)));
    }
    None
}

/// `sqrt`, `std::sqrt`: overloaded in C++.
const FLOAT: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "cospi",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "fdivide",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "j0",
    "j1",
    "ldexp",
    "lerp",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "nearbyint",
    "norm3d",
    "norm4d",
    "normcdf",
    "normcdfinv",
    "pow",
    "rcbrt",
    "remainder",
    "rhypot",
    "rint",
    "rnorm3d",
    "round",
    "rsqrt",
    "scalbn",
    "sin",
    "sinh",
    "sinpi",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
    "y0",
    "y1",
];

/// Functions from `float` to `float`.
const SINGLE: &[&str] = &[
    "__cosf",
    "__exp10f",
    "__expf",
    "__fadd_rd",
    "__fadd_rn",
    "__fadd_ru",
    "__fadd_rz",
    "__fdiv_rn",
    "__fdiv_rz",
    "__fdividef",
    "__fmaf_rd",
    "__fmaf_rn",
    "__fmaf_ru",
    "__fmaf_rz",
    "__fmul_rd",
    "__fmul_rn",
    "__fmul_ru",
    "__fmul_rz",
    "__frcp_rn",
    "__frcp_rz",
    "__frsqrt_rn",
    "__fsqrt_rn",
    "__fsqrt_rz",
    "__fsub_rn",
    "__fsub_rz",
    "__int_as_float",
    "__log10f",
    "__log2f",
    "__logf",
    "__powf",
    "__saturatef",
    "__sinf",
    "__tanf",
    "__tanhf",
    "__uint_as_float",
    "acosf",
    "acoshf",
    "asinf",
    "asinhf",
    "atan2f",
    "atanf",
    "atanhf",
    "cbrtf",
    "ceilf",
    "copysignf",
    "cosf",
    "coshf",
    "cospif",
    "erfcf",
    "erff",
    "erfinvf",
    "exp10f",
    "exp2f",
    "expf",
    "expm1f",
    "fabsf",
    "fdimf",
    "fdividef",
    "floorf",
    "fmaf",
    "fmaxf",
    "fminf",
    "fmodf",
    "hypotf",
    "ldexpf",
    "lgammaf",
    "log10f",
    "log1pf",
    "log2f",
    "logbf",
    "logf",
    "nearbyintf",
    "norm3df",
    "normcdff",
    "powf",
    "powif",
    "rcbrtf",
    "remainderf",
    "rhypotf",
    "rintf",
    "rnorm3df",
    "roundf",
    "rsqrtf",
    "saturate",
    "scalbnf",
    "sinf",
    "sinhf",
    "sinpif",
    "sqrtf",
    "tanf",
    "tanhf",
    "tgammaf",
    "truncf",
];

macro_rules! plain {
    ($($name:literal $kind:ident $(($what:expr))?),* $(,)?) => {
        &[$(($name, plain!(@ $kind $(($what))?))),*]
    };
    (@ Same) => { Result::Same };
    (@ Vector ($what:expr)) => { Result::Vector($what) };
    (@ $scalar:ident) => { Result::Scalar(Scalar::$scalar) };
}

/// Sorted by name.
const PLAIN: &[(&str, Result)] = plain! {
    "__bfloat1622float2" Vector("float2"),
    "__bfloat162float" F32,
    "__brev" U32,
    "__brevll" U64,
    "__builtin_clz" I32,
    "__builtin_ctz" I32,
    "__builtin_popcount" I32,
    "__byte_perm" U32,
    "__clz" I32,
    "__clzll" I32,
    "__dadd_rn" F64,
    "__ddiv_rn" F64,
    "__dmul_rn" F64,
    "__double2float_rn" F32,
    "__double2float_rz" F32,
    "__double2hiint" I32,
    "__double2int_rd" I32,
    "__double2int_rn" I32,
    "__double2int_ru" I32,
    "__double2int_rz" I32,
    "__double2ll_rn" I64,
    "__double2ll_rz" I64,
    "__double2loint" I32,
    "__double2uint_rn" U32,
    "__double2uint_rz" U32,
    "__double2ull_rn" U64,
    "__double_as_longlong" I64,
    "__dp2a_lo" I32,
    "__dp4a" I32,
    "__drcp_rn" F64,
    "__dsqrt_rn" F64,
    "__dsub_rn" F64,
    "__ffs" I32,
    "__ffsll" I32,
    "__float22bfloat162_rn" Vector("__nv_bfloat162"),
    "__float22half2_rn" Vector("__half2"),
    "__float2bfloat16" BF16,
    "__float2bfloat162_rn" Vector("__nv_bfloat162"),
    "__float2bfloat16_rn" BF16,
    "__float2half" F16,
    "__float2half2_rn" Vector("__half2"),
    "__float2half_rn" F16,
    "__float2half_rz" F16,
    "__float2int_rd" I32,
    "__float2int_rn" I32,
    "__float2int_ru" I32,
    "__float2int_rz" I32,
    "__float2ll_rn" I64,
    "__float2ll_rz" I64,
    "__float2uint_rd" U32,
    "__float2uint_rn" U32,
    "__float2uint_ru" U32,
    "__float2uint_rz" U32,
    "__float2ull_rn" U64,
    "__float2ull_rz" U64,
    "__float_as_int" I32,
    "__float_as_uint" U32,
    "__floats2bfloat162_rn" Vector("__nv_bfloat162"),
    "__floats2half2_rn" Vector("__half2"),
    "__fma_rn" F64,
    "__funnelshift_l" U32,
    "__funnelshift_r" U32,
    "__habs" Same,
    "__habs2" Vector("__half2"),
    "__hadd" Same,
    "__hadd2" Vector("__half2"),
    "__half22float2" Vector("float2"),
    "__half2float" F32,
    "__half2half2" Vector("__half2"),
    "__half2int_rn" I32,
    "__half2uint_rn" U32,
    "__half_as_short" I16,
    "__half_as_ushort" U16,
    "__halves2bfloat162" Vector("__nv_bfloat162"),
    "__halves2half2" Vector("__half2"),
    "__hdiv" Same,
    "__heq" Bool,
    "__hfma" Same,
    "__hfma2" Vector("__half2"),
    "__hge" Bool,
    "__hgt" Bool,
    "__hgt2" Vector("__half2"),
    "__high2bfloat16" BF16,
    "__high2float" F32,
    "__high2half" F16,
    "__hiloint2double" F64,
    "__hisnan" Bool,
    "__hle" Bool,
    "__hlt" Bool,
    "__hmax" Same,
    "__hmax2" Vector("__half2"),
    "__hmin" Same,
    "__hmin2" Vector("__half2"),
    "__hmul" Same,
    "__hmul2" Vector("__half2"),
    "__hneg" Same,
    "__hsub" Same,
    "__hsub2" Vector("__half2"),
    "__int2double_rn" F64,
    "__int2float_rd" F32,
    "__int2float_rn" F32,
    "__int2float_ru" F32,
    "__int2float_rz" F32,
    "__int2half_rn" F16,
    "__ll2double_rn" F64,
    "__ll2float_rn" F32,
    "__longlong_as_double" F64,
    "__low2bfloat16" BF16,
    "__low2float" F32,
    "__low2half" F16,
    "__mul24" I32,
    "__mul64hi" I64,
    "__mulhi" I32,
    "__popc" I32,
    "__popcll" I32,
    "__rhadd" I32,
    "__sad" U32,
    "__short_as_half" F16,
    "__uhadd" U32,
    "__uint2double_rn" F64,
    "__uint2float_rd" F32,
    "__uint2float_rn" F32,
    "__uint2float_ru" F32,
    "__uint2float_rz" F32,
    "__uint2half_rn" F16,
    "__ull2double_rn" F64,
    "__ull2float_rn" F32,
    "__umul24" U32,
    "__umul64hi" U64,
    "__umulhi" U32,
    "__usad" U32,
    "__ushort_as_bfloat16" BF16,
    "__ushort_as_half" F16,
    "__vmaxs4" U32,
    "__vsub4" U32,
    "hceil" Same,
    "hcos" Same,
    "hexp" Same,
    "hexp2" Same,
    "hfloor" Same,
    "hlog" Same,
    "hrcp" Same,
    "hrsqrt" Same,
    "hsin" Same,
    "hsqrt" Same,
    "htanh" Same,
    "htrunc" Same,
    "ilogb" I32,
    "ilogbf" I32,
    "isfinite" Bool,
    "isinf" Bool,
    "isnan" Bool,
    "llrint" I64,
    "llrintf" I64,
    "llround" I64,
    "llroundf" I64,
    "lrint" I64,
    "lrintf" I64,
    "lround" I64,
    "lroundf" I64,
    "mul24" I32,
    "signbit" Bool,
    "umul24" U32,
};

/// Macros of the standard headers that stay names where those headers are not there.
pub(super) fn constant(name: &str) -> Option<(Constant, Scalar)> {
    use Constant::{Float, Int};
    Some(match name {
        "INT_MAX" => (Int(i64::from(i32::MAX)), Scalar::I32),
        "INT_MIN" => (Int(i64::from(i32::MIN)), Scalar::I32),
        "UINT_MAX" | "UINT32_MAX" => (Int(i64::from(u32::MAX)), Scalar::U32),
        "INT32_MAX" => (Int(i64::from(i32::MAX)), Scalar::I32),
        "INT32_MIN" => (Int(i64::from(i32::MIN)), Scalar::I32),
        "INT16_MAX" | "SHRT_MAX" => (Int(i64::from(i16::MAX)), Scalar::I32),
        "INT16_MIN" | "SHRT_MIN" => (Int(i64::from(i16::MIN)), Scalar::I32),
        "UINT16_MAX" | "USHRT_MAX" => (Int(i64::from(u16::MAX)), Scalar::I32),
        "UINT8_MAX" | "UCHAR_MAX" => (Int(255), Scalar::I32),
        "LONG_MAX" | "LLONG_MAX" | "INT64_MAX" => (Int(i64::MAX), Scalar::I64),
        "LONG_MIN" | "LLONG_MIN" | "INT64_MIN" => (Int(i64::MIN), Scalar::I64),
        "ULONG_MAX" | "ULLONG_MAX" | "UINT64_MAX" | "SIZE_MAX" => (Int(-1), Scalar::U64),
        "CHAR_BIT" => (Int(8), Scalar::I32),
        "RAND_MAX" => (Int(i64::from(i32::MAX)), Scalar::I32),
        "FLT_MAX" | "MAXFLOAT" => (Float(f32::MAX as f64), Scalar::F32),
        "FLT_MIN" => (Float(f32::MIN_POSITIVE as f64), Scalar::F32),
        "FLT_EPSILON" => (Float(f32::EPSILON as f64), Scalar::F32),
        "DBL_MAX" => (Float(f64::MAX), Scalar::F64),
        "DBL_MIN" => (Float(f64::MIN_POSITIVE), Scalar::F64),
        "DBL_EPSILON" => (Float(f64::EPSILON), Scalar::F64),
        "INFINITY" | "CUDART_INF_F" | "HUGE_VALF" => (Float(f64::INFINITY), Scalar::F32),
        "CUDART_INF" | "HUGE_VAL" => (Float(f64::INFINITY), Scalar::F64),
        "NAN" | "CUDART_NAN_F" => (Float(f64::NAN), Scalar::F32),
        "CUDART_NAN" => (Float(f64::NAN), Scalar::F64),
        "M_PI" | "CUDART_PI" => (Float(std::f64::consts::PI), Scalar::F64),
        "CUDART_PI_F" => (Float(std::f64::consts::PI), Scalar::F32),
        "M_PI_2" => (Float(std::f64::consts::FRAC_PI_2), Scalar::F64),
        "M_PI_4" => (Float(std::f64::consts::FRAC_PI_4), Scalar::F64),
        "M_1_PI" => (Float(std::f64::consts::FRAC_1_PI), Scalar::F64),
        "M_2_PI" => (Float(std::f64::consts::FRAC_2_PI), Scalar::F64),
        "M_2_SQRTPI" => (Float(std::f64::consts::FRAC_2_SQRT_PI), Scalar::F64),
        "M_SQRT2" => (Float(std::f64::consts::SQRT_2), Scalar::F64),
        "M_SQRT1_2" => (Float(std::f64::consts::FRAC_1_SQRT_2), Scalar::F64),
        "M_E" => (Float(std::f64::consts::E), Scalar::F64),
        "M_LN2" => (Float(std::f64::consts::LN_2), Scalar::F64),
        "M_LN10" => (Float(std::f64::consts::LN_10), Scalar::F64),
        "M_LOG2E" => (Float(std::f64::consts::LOG2_E), Scalar::F64),
        "M_LOG10E" => (Float(std::f64::consts::LOG10_E), Scalar::F64),
        _ => return None,
    })
}

pub(super) enum Constant {
    Int(i64),
    Float(f64),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_of_half_precision_have_their_type() {
        assert_eq!(conversion("__half2int_rz"), Some(Scalar::I32));
        assert_eq!(conversion("__ull2bfloat16_rn"), Some(Scalar::BF16));
        assert_eq!(conversion("__bfloat162float"), Some(Scalar::F32));
        for other in [
            "__int2float_rn",
            "__half22float2",
            "__half2half2",
            "half2int",
        ] {
            assert_eq!(conversion(other), None, "{other}");
        }
    }

    #[test]
    fn tables_are_sorted() {
        assert!(FLOAT.is_sorted());
        assert!(SINGLE.is_sorted());
        assert!(PLAIN.is_sorted_by_key(|(name, _)| *name));
    }
}
