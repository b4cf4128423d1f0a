//! Pure functions of the toolkit and of the standard library, and the types that they give.
//!
//! Their values are not modelled here: those of integers have rows in [`builtin`].

use super::function_table::{FLOAT, PACKED, PLAIN, SINGLE};
use crate::ir::{Scalar, builtin};
use crate::sema::types::{self, Type, promote, usual_arithmetic};

/// The type of a result, as the arguments' types make it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    Scalar(Scalar),
    /// The floating-point type that the arguments make; `double` for integers. Halves become `float`.
    Float,
    /// The floating-point type of the first argument; `double` for an integer.
    FloatOfFirst,
    /// The half-precision type of the first argument; `int` where it is none, as for `__hadd`.
    Half,
    /// The type of the last argument, promoted: `__dp4a` adds to it.
    Last,
    /// A class of the toolkit by its name: a vector, a raw half.
    Class(&'static str),
    /// The pair of halves that the first argument is.
    Pair,
}

/// Whether numbers of this type have half precision.
fn is_half(ty: Scalar) -> bool {
    matches!(ty, Scalar::F16 | Scalar::BF16)
}

impl Gives {
    /// The type of the result for scalar arguments; `None` for a class.
    #[must_use]
    pub fn scalar(self, arguments: &[Scalar]) -> Option<Scalar> {
        let float = |ty: &Scalar| match *ty {
            ty if is_half(ty) => Scalar::F32,
            ty if ty.is_float() => ty,
            _ => Scalar::F64,
        };
        match self {
            Self::Scalar(scalar) => Some(scalar),
            Self::Float => arguments.iter().map(float).reduce(usual_arithmetic),
            Self::FloatOfFirst => arguments.first().map(float),
            Self::Half => {
                let first = arguments.first().copied()?;
                Some(if is_half(first) { first } else { Scalar::I32 })
            }
            Self::Last => arguments.last().map(|ty| promote(*ty)),
            Self::Class(_) | Self::Pair => None,
        }
    }

    /// The class that comes of arguments of which the first has type `first`.
    #[must_use]
    pub fn class(self, first: Option<&Type>) -> Option<Type> {
        match (self, first.map(Type::strip_reference)) {
            (Self::Class(name), _) => types::known(name),
            (
                Self::Pair,
                Some(
                    ty @ Type::Vector {
                        scalar, lanes: 2, ..
                    },
                ),
            ) if is_half(*scalar) => Some(ty.clone()),
            _ => None,
        }
    }

    /// Whether the type of the result is open for these arguments: CUDA's `sqrt` makes a half a `float`,
    /// those of libcu++ and ATen leave it a half.
    #[must_use]
    pub fn is_open(self, arguments: &[Scalar]) -> bool {
        matches!(self, Self::Float | Self::FloatOfFirst) && arguments.iter().any(|ty| is_half(*ty))
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
    if let Ok(at) = PACKED.binary_search(&name) {
        return PACKED
            .get(at)
            .map(|known| (*known, Gives::Scalar(Scalar::U32)));
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
        "__shfl_sync" | "__shfl_up_sync" | "__shfl_down_sync" | "__shfl_xor_sync" => {
            decayed(1).map(exchanged)
        }
        "__shfl" | "__shfl_up" | "__shfl_down" | "__shfl_xor" => decayed(0).map(exchanged),
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
            if matches!(gives, Gives::Class(_) | Gives::Pair) {
                return gives.class(arguments().first());
            }
            let scalar = |ty: &Type| match ty.strip_reference() {
                Type::Scalar(scalar, _) => Some(*scalar),
                _ => None,
            };
            let scalars: Vec<Scalar> = arguments().iter().map(scalar).collect::<Option<_>>()?;
            if gives.is_open(&scalars) {
                return None;
            }
            let is_single = scalars.contains(&Scalar::F32) && !scalars.contains(&Scalar::F64);
            // `pow(1.0f, 2)` is `double` to one compiler and `float` to another.
            if gives == Gives::Float && is_single && !scalars.iter().all(|ty| ty.is_float()) {
                return None;
            }
            number(gives.scalar(&scalars)?)
        }
    }
}

/// What a shuffle of a value gives: there is none of `short` or `char`, that of `int` takes them.
#[must_use]
pub fn exchanged(ty: Type) -> Type {
    match ty {
        Type::Scalar(scalar, twin) => types::promoted(scalar, twin),
        other => other,
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
        assert!(PACKED.is_sorted());
        assert!(PLAIN.is_sorted_by_key(|(name, _)| *name));
        let plain = PLAIN.iter().map(|(name, _)| *name);
        for name in plain
            .chain(FLOAT.iter().copied())
            .chain(SINGLE.iter().copied())
            .chain(PACKED.iter().copied())
        {
            assert!(
                builtin::find(name).is_none(),
                "{name} has a row in ir::builtin"
            );
        }
    }
}
