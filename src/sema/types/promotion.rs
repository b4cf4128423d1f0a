//! C's integer promotions and usual arithmetic conversions.

use super::{Twin, Type};
use crate::ir::Scalar;

/// Integral promotion.
#[must_use]
pub fn promote(s: Scalar) -> Scalar {
    match s {
        Scalar::Bool | Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 => Scalar::I32,
        other => other,
    }
}

/// The common type of two arithmetic operands.
#[must_use]
pub fn usual_arithmetic(a: Scalar, b: Scalar) -> Scalar {
    for float in [Scalar::F64, Scalar::F32, Scalar::BF16, Scalar::F16] {
        if a == float || b == float {
            return float;
        }
    }
    let (a, b) = (promote(a), promote(b));
    if a == b {
        return a;
    }
    for wide in [Scalar::U64, Scalar::I64, Scalar::U32] {
        if a == wide || b == wide {
            return wide;
        }
    }
    Scalar::I32
}

/// The type of a number after integral promotion.
#[must_use]
pub fn promoted(s: Scalar, twin: Twin) -> Type {
    if let Twin::Class(name) = twin {
        return no_number(name);
    }
    let to = promote(s);
    // `wchar_t` is promoted to `int`.
    if to != s || s.size() == 4 {
        return Type::number(to);
    }
    match twin {
        Twin::Enumeration(_) => Type::number(s),
        twin => Type::Scalar(s, twin),
    }
}

/// The common type of two arithmetic operands, where `long` and `long long` are two.
#[must_use]
pub fn common((a, x): (Scalar, Twin), (b, y): (Scalar, Twin)) -> Type {
    let class = [x, y].into_iter().find_map(|twin| match twin {
        Twin::Class(name) => Some(name),
        _ => None,
    });
    if let Some(name) = class {
        return no_number(name);
    }
    let scalar = usual_arithmetic(a, b);
    if scalar.size() < 8 {
        return Type::number(scalar);
    }
    let is_part = |one: Scalar| one.size() == 8 && one.is_float() == scalar.is_float();
    let takes_part = [(a, x), (b, y)]
        .into_iter()
        .filter(|(one, _)| is_part(*one));
    let twin = takes_part.map(|(_, twin)| twin).reduce(Twin::larger);
    Type::Scalar(scalar, twin.unwrap_or(Twin::First))
}

/// The type that arithmetic on a class of the toolkit gives.
fn no_number(class: &str) -> Type {
    Type::unknown(format!("what an operator makes of `{class}` is not known"))
}
