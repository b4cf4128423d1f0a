//! Pure functions of the toolkit and of the standard library, and the types that they give.
//!
//! Their values are not modelled here: those of integers have rows in [`builtin`].

use crate::ir::{Scalar, builtin};
use crate::sema::types::{self, Type, promote, usual_arithmetic};

/// The type of a result, as the arguments' types make it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    Scalar(Scalar),
    /// The floating-point type that the arguments make; `double` for integers.
    Float,
    /// The floating-point type of the first argument; `double` for an integer.
    FloatOfFirst,
    /// The promoted type of the first argument.
    Same,
    /// A built-in vector.
    Vector(&'static str),
}

impl Gives {
    /// The type of the result for scalar arguments; `None` for a vector.
    #[must_use]
    pub fn scalar(self, arguments: &[Scalar]) -> Option<Scalar> {
        let float = |ty: &Scalar| if ty.is_float() { *ty } else { Scalar::F64 };
        match self {
            Self::Scalar(scalar) => Some(scalar),
            Self::Float => arguments.iter().map(float).reduce(usual_arithmetic),
            Self::FloatOfFirst => arguments.first().map(float),
            Self::Same => arguments.first().map(|ty| promote(*ty)),
            Self::Vector(_) => None,
        }
    }
}

/// A pure function by its name, which comes back with a static lifetime.
#[must_use]
pub fn find(name: &str) -> Option<(&'static str, Gives)> {
    if let Some(row) = builtin::find(name) {
        return Some((row.name, Gives::Scalar(row.result)));
    }
    if let Ok(at) = PLAIN.binary_search_by(|(known, _)| (*known).cmp(name)) {
        return PLAIN.get(at).copied();
    }
    if let Some(scalar) = conversion(name) {
        // Of a float nothing is known but its type.
        return Some(("a conversion", Gives::Scalar(scalar)));
    }
    if let Ok(at) = FLOAT.binary_search(&name) {
        return FLOAT.get(at).map(|known| (*known, Gives::Float));
    }
    if let Ok(at) = SINGLE.binary_search(&name) {
        return SINGLE
            .get(at)
            .map(|known| (*known, Gives::Scalar(Scalar::F32)));
    }
    None
}

/// The type of a call, also of functions that are not pure, or that are no functions of scalars; `None` where
/// compilers differ, or the function is not known.
#[must_use]
pub fn result(name: &str, arguments: &dyn Fn() -> Vec<Type>) -> Option<Type> {
    if let Some(vector) = name.strip_prefix("make_") {
        return types::known(vector);
    }
    let decayed = |at: usize| Some(arguments().get(at)?.strip_reference().clone().decay());
    let number = |scalar| Some(Type::number(scalar));
    match name {
        "move" | "forward" | "ref" => decayed(0),
        "thrust_raw_pointer_cast" | "raw_pointer_cast" => arguments().into_iter().next(),
        "__ldg" | "__ldca" | "__ldcg" | "__ldcs" | "__ldcv" | "__ldlu" => match decayed(0)? {
            Type::Pointer(to) => Some((*to).clone()),
            _ => None,
        },
        // Behind the mask.
        "__shfl_sync" | "__shfl_up_sync" | "__shfl_down_sync" | "__shfl_xor_sync" => decayed(1),
        "__shfl" | "__shfl_up" | "__shfl_down" | "__shfl_xor" => decayed(0),
        "__syncthreads_and" | "__syncthreads_or" | "__syncthreads_count" => number(Scalar::I32),
        "__ballot_sync" | "__ballot" | "__activemask" => number(Scalar::U32),
        "__cvta_generic_to_shared" | "strtoul" | "strlen" => number(Scalar::U64),
        "malloc" | "calloc" => Some(Type::Void.pointer_to()),
        "atoi" | "rand" | "strcmp" | "printf" => number(Scalar::I32),
        "atof" => number(Scalar::F64),
        // `bool` to one compiler, `int` to another.
        "isfinite" | "isinf" | "isnan" | "signbit" => None,
        "min" | "max" => match arguments().as_slice() {
            [a, b] => least_or_greatest(
                &a.strip_reference().clone().decay(),
                &b.strip_reference().clone().decay(),
            ),
            _ => None,
        },
        "abs" => match decayed(0)? {
            Type::Scalar(scalar, twin) => Some(types::promoted(scalar, twin)),
            _ => None,
        },
        _ => {
            let (_, gives) = find(name)?;
            if let Gives::Vector(vector) = gives {
                return types::known(vector);
            }
            let scalar = |ty: &Type| match ty.strip_reference() {
                Type::Scalar(scalar, _) => Some(*scalar),
                _ => None,
            };
            let scalars: Vec<Scalar> = arguments().iter().map(scalar).collect::<Option<_>>()?;
            let is_single = scalars.contains(&Scalar::F32) && !scalars.contains(&Scalar::F64);
            // `pow(1.0f, 2)` is `double` to one compiler and `float` to another.
            if gives == Gives::Float && is_single && !scalars.iter().all(|ty| ty.is_float()) {
                return None;
            }
            number(gives.scalar(&scalars)?)
        }
    }
}

/// `min` and `max`: of CUDA, which promote, and of the standard library, which take one type only.
fn least_or_greatest(a: &Type, b: &Type) -> Option<Type> {
    let (Type::Scalar(x, first), Type::Scalar(y, second)) = (a, b) else {
        return (a == b).then(|| a.clone());
    };
    let is_narrow = |ty: Scalar| promote(ty) != ty;
    // Which of the two is meant decides about `short`.
    if is_narrow(*x) && x == y {
        return None;
    }
    Some(types::common((*x, *first), (*y, *second)))
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
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "j0",
    "j1",
    "lerp",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "nearbyint",
    "normcdf",
    "normcdfinv",
    "pow",
    "rcbrt",
    "remainder",
    "rint",
    "round",
    "rsqrt",
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
    (@ Same) => { Gives::Same };
    (@ FloatOfFirst) => { Gives::FloatOfFirst };
    (@ Vector ($what:expr)) => { Gives::Vector($what) };
    (@ $scalar:ident) => { Gives::Scalar(Scalar::$scalar) };
}

/// Sorted by name.
const PLAIN: &[(&str, Gives)] = plain! {
    "__bfloat1622float2" Vector("float2"),
    "__bfloat162float" F32,
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
    "__short_as_half" F16,
    "__uint2double_rn" F64,
    "__uint2float_rd" F32,
    "__uint2float_rn" F32,
    "__uint2float_ru" F32,
    "__uint2float_rz" F32,
    "__uint2half_rn" F16,
    "__ull2double_rn" F64,
    "__ull2float_rn" F32,
    "__ushort_as_bfloat16" BF16,
    "__ushort_as_half" F16,
    "__vmaxs4" U32,
    "__vsub4" U32,
    "fdivide" F64,
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
    "ldexp" FloatOfFirst,
    "llrint" I64,
    "llrintf" I64,
    "llround" I64,
    "llroundf" I64,
    "lrint" I64,
    "lrintf" I64,
    "lround" I64,
    "lroundf" I64,
    "norm3d" F64,
    "norm4d" F64,
    "rhypot" F64,
    "rnorm3d" F64,
    "scalbln" FloatOfFirst,
    "scalbn" FloatOfFirst,
    "signbit" Bool,
};

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
    fn results_have_the_types_that_compilers_give_them() {
        let of = |name: &str, arguments: &[Scalar]| {
            let arguments: Vec<Type> = arguments.iter().map(|ty| Type::number(*ty)).collect();
            result(name, &|| arguments.clone()).and_then(|ty| ty.scalar())
        };
        assert_eq!(of("sqrt", &[Scalar::I32]), Some(Scalar::F64));
        assert_eq!(of("sqrt", &[Scalar::F32]), Some(Scalar::F32));
        assert_eq!(of("pow", &[Scalar::F32, Scalar::I32]), None);
        assert_eq!(of("pow", &[Scalar::I32, Scalar::I32]), Some(Scalar::F64));
        assert_eq!(of("ldexp", &[Scalar::F32, Scalar::I32]), Some(Scalar::F32));
        assert_eq!(of("abs", &[Scalar::I16]), Some(Scalar::I32));
        assert_eq!(of("min", &[Scalar::I16, Scalar::I16]), None);
        assert_eq!(of("min", &[Scalar::I32, Scalar::U32]), Some(Scalar::U32));
        assert_eq!(
            of("__shfl_sync", &[Scalar::U32, Scalar::F64, Scalar::I32]),
            Some(Scalar::F64)
        );
    }

    #[test]
    fn tables_are_sorted_and_say_nothing_twice() {
        assert!(FLOAT.is_sorted());
        assert!(SINGLE.is_sorted());
        assert!(PLAIN.is_sorted_by_key(|(name, _)| *name));
        let plain = PLAIN.iter().map(|(name, _)| *name);
        for name in plain
            .chain(FLOAT.iter().copied())
            .chain(SINGLE.iter().copied())
        {
            assert!(
                builtin::find(name).is_none(),
                "{name} has a row in ir::builtin"
            );
        }
    }
}
