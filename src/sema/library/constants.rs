//! Constants of the standard headers: macros that stay names where those headers are not read, and limits of types.

use crate::ir::Scalar;

/// A number and its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    Int(i64, Scalar),
    Float(f64, Scalar),
}

/// Macros of the standard headers that stay names where those headers are not there.
#[must_use]
pub fn constant(name: &str) -> Option<Constant> {
    use Constant::{Float, Int};
    Some(match name {
        "INT_MAX" => Int(i64::from(i32::MAX), Scalar::I32),
        "INT_MIN" => Int(i64::from(i32::MIN), Scalar::I32),
        "UINT_MAX" | "UINT32_MAX" => Int(i64::from(u32::MAX), Scalar::U32),
        "INT32_MAX" => Int(i64::from(i32::MAX), Scalar::I32),
        "INT32_MIN" => Int(i64::from(i32::MIN), Scalar::I32),
        "INT16_MAX" | "SHRT_MAX" => Int(i64::from(i16::MAX), Scalar::I32),
        "INT16_MIN" | "SHRT_MIN" => Int(i64::from(i16::MIN), Scalar::I32),
        "UINT16_MAX" | "USHRT_MAX" => Int(i64::from(u16::MAX), Scalar::I32),
        "UINT8_MAX" | "UCHAR_MAX" => Int(255, Scalar::I32),
        "LONG_MAX" | "LLONG_MAX" | "INT64_MAX" => Int(i64::MAX, Scalar::I64),
        "LONG_MIN" | "LLONG_MIN" | "INT64_MIN" => Int(i64::MIN, Scalar::I64),
        "ULONG_MAX" | "ULLONG_MAX" | "UINT64_MAX" | "SIZE_MAX" => Int(-1, Scalar::U64),
        "CHAR_BIT" => Int(8, Scalar::I32),
        "RAND_MAX" => Int(i64::from(i32::MAX), Scalar::I32),
        "FLT_MAX" | "MAXFLOAT" => Float(f32::MAX as f64, Scalar::F32),
        "FLT_MIN" => Float(f32::MIN_POSITIVE as f64, Scalar::F32),
        "FLT_EPSILON" => Float(f32::EPSILON as f64, Scalar::F32),
        "DBL_MAX" => Float(f64::MAX, Scalar::F64),
        "DBL_MIN" => Float(f64::MIN_POSITIVE, Scalar::F64),
        "DBL_EPSILON" => Float(f64::EPSILON, Scalar::F64),
        "INFINITY" | "CUDART_INF_F" | "HUGE_VALF" => Float(f64::INFINITY, Scalar::F32),
        "CUDART_INF" | "HUGE_VAL" => Float(f64::INFINITY, Scalar::F64),
        "NAN" | "CUDART_NAN_F" => Float(f64::NAN, Scalar::F32),
        "CUDART_NAN" => Float(f64::NAN, Scalar::F64),
        "M_PI" | "CUDART_PI" => Float(std::f64::consts::PI, Scalar::F64),
        "CUDART_PI_F" => Float(std::f64::consts::PI, Scalar::F32),
        "M_PI_2" => Float(std::f64::consts::FRAC_PI_2, Scalar::F64),
        "M_PI_4" => Float(std::f64::consts::FRAC_PI_4, Scalar::F64),
        "M_1_PI" => Float(std::f64::consts::FRAC_1_PI, Scalar::F64),
        "M_2_PI" => Float(std::f64::consts::FRAC_2_PI, Scalar::F64),
        "M_2_SQRTPI" => Float(std::f64::consts::FRAC_2_SQRT_PI, Scalar::F64),
        "M_SQRT2" => Float(std::f64::consts::SQRT_2, Scalar::F64),
        "M_SQRT1_2" => Float(std::f64::consts::FRAC_1_SQRT_2, Scalar::F64),
        "M_E" => Float(std::f64::consts::E, Scalar::F64),
        "M_LN2" => Float(std::f64::consts::LN_2, Scalar::F64),
        "M_LN10" => Float(std::f64::consts::LN_10, Scalar::F64),
        "M_LOG2E" => Float(std::f64::consts::LOG2_E, Scalar::F64),
        "M_LOG10E" => Float(std::f64::consts::LOG10_E, Scalar::F64),
        _ => return None,
    })
}

/// `std::numeric_limits<ty>::name`.
#[must_use]
pub fn limit(ty: Scalar, name: &str) -> Option<Constant> {
    use Constant::{Float, Int};
    if ty.is_integer() {
        let bits = ty.bits();
        let digits = if ty == Scalar::Bool {
            1
        } else {
            bits - u32::from(ty.is_signed())
        };
        return Some(match name {
            // Of 64 bits all are set.
            "max" => Int(((1_u128 << digits) - 1) as i64, ty),
            "min" | "lowest" if ty.is_signed() => Int(i64::MIN >> (64 - bits), ty),
            "min" | "lowest" => Int(0, ty),
            "digits" => Int(i64::from(digits), Scalar::I32),
            _ => return None,
        });
    }
    let both = |single: f32, double: f64| match ty {
        Scalar::F32 => Some(Float(f64::from(single), ty)),
        Scalar::F64 => Some(Float(double, ty)),
        _ => None,
    };
    match name {
        "max" => both(f32::MAX, f64::MAX),
        "lowest" => both(f32::MIN, f64::MIN),
        "min" => both(f32::MIN_POSITIVE, f64::MIN_POSITIVE),
        "epsilon" => both(f32::EPSILON, f64::EPSILON),
        "infinity" => Some(Float(f64::INFINITY, ty)),
        "quiet_NaN" | "signaling_NaN" => Some(Float(f64::NAN, ty)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_integers_fit_their_types() {
        let int = |ty, name| match limit(ty, name) {
            Some(Constant::Int(value, _)) => Some(value),
            _ => None,
        };
        assert_eq!(int(Scalar::Bool, "max"), Some(1));
        assert_eq!(int(Scalar::Bool, "digits"), Some(1));
        assert_eq!(int(Scalar::I8, "min"), Some(-128));
        assert_eq!(int(Scalar::U16, "max"), Some(65535));
        assert_eq!(int(Scalar::I64, "max"), Some(i64::MAX));
        assert_eq!(int(Scalar::U64, "max"), Some(-1));
        assert_eq!(int(Scalar::U64, "digits"), Some(64));
        assert_eq!(int(Scalar::I32, "infinity"), None);
    }
}
