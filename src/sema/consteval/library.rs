//! Constants and functions of the standard headers, by name.

use super::{Value, binary};
use crate::ir::{Scalar, builtin};
use crate::sema::types::{Type, usual_arithmetic};
use crate::syntax::ast::BinaryOp;

/// Macros and constants that a missing header would have defined.
#[must_use]
pub(super) fn constant(name: &str) -> Option<Value> {
    let int = |v: i64, t| Some(Value::int(v, t));
    match name {
        "INT_MAX" | "INT32_MAX" => int(i64::from(i32::MAX), Scalar::I32),
        "INT_MIN" | "INT32_MIN" => int(i64::from(i32::MIN), Scalar::I32),
        "UINT_MAX" | "UINT32_MAX" => int(i64::from(u32::MAX), Scalar::U32),
        "SHRT_MAX" | "INT16_MAX" => int(i64::from(i16::MAX), Scalar::I32),
        "USHRT_MAX" | "UINT16_MAX" => int(i64::from(u16::MAX), Scalar::I32),
        "UCHAR_MAX" | "UINT8_MAX" => int(255, Scalar::I32),
        "CHAR_BIT" => int(8, Scalar::I32),
        "LONG_MAX" | "LLONG_MAX" | "INT64_MAX" => int(i64::MAX, Scalar::I64),
        "ULONG_MAX" | "ULLONG_MAX" | "UINT64_MAX" | "SIZE_MAX" => int(-1, Scalar::U64),
        "FLT_MAX" => Some(Value::Float(f64::from(f32::MAX), Scalar::F32)),
        "FLT_MIN" => Some(Value::Float(f64::from(f32::MIN_POSITIVE), Scalar::F32)),
        "FLT_EPSILON" => Some(Value::Float(f64::from(f32::EPSILON), Scalar::F32)),
        "DBL_MAX" => Some(Value::Float(f64::MAX, Scalar::F64)),
        "DBL_MIN" => Some(Value::Float(f64::MIN_POSITIVE, Scalar::F64)),
        "DBL_EPSILON" => Some(Value::Float(f64::EPSILON, Scalar::F64)),
        "M_PI" => Some(Value::Float(std::f64::consts::PI, Scalar::F64)),
        "M_PI_2" => Some(Value::Float(std::f64::consts::FRAC_PI_2, Scalar::F64)),
        "M_E" => Some(Value::Float(std::f64::consts::E, Scalar::F64)),
        "M_SQRT2" => Some(Value::Float(std::f64::consts::SQRT_2, Scalar::F64)),
        "warpSize" => int(32, Scalar::I32),
        _ => None,
    }
}

/// `std::numeric_limits<ty>::name`.
#[must_use]
pub(super) fn limit(ty: &Type, name: &str) -> Option<Value> {
    let Type::Scalar(s, _) = ty.strip_reference() else {
        return None;
    };
    if s.is_integer() {
        let bits = s.bits();
        let max = if *s == Scalar::U64 {
            -1
        } else if *s == Scalar::Bool {
            1
        } else if s.is_signed() {
            (((1_u128) << (bits - 1)) - 1) as i64
        } else {
            ((1_u128 << bits) - 1) as i64
        };
        let min = if s.is_signed() {
            (-(1_i128 << (bits - 1))) as i64
        } else {
            0
        };
        return match name {
            "max" => Some(Value::int(max, *s)),
            "min" | "lowest" => Some(Value::int(min, *s)),
            "digits" => Some(Value::int(
                i64::from(bits - u32::from(s.is_signed())),
                Scalar::I32,
            )),
            _ => None,
        };
    }
    let f = |single: f32, double: f64| match s {
        Scalar::F32 => Some(Value::Float(f64::from(single), *s)),
        Scalar::F64 => Some(Value::Float(double, *s)),
        _ => None,
    };
    match name {
        "max" => f(f32::MAX, f64::MAX),
        "lowest" => f(f32::MIN, f64::MIN),
        "min" => f(f32::MIN_POSITIVE, f64::MIN_POSITIVE),
        "epsilon" => f(f32::EPSILON, f64::EPSILON),
        "infinity" => f(f32::INFINITY, f64::INFINITY),
        _ => None,
    }
}

/// A mathematical function of known arguments.
#[must_use]
pub(super) fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    let first = arguments.first()?;
    match (name, arguments) {
        ("min" | "max" | "fmin" | "fmax" | "fminf" | "fmaxf", [a, b]) => {
            let less = binary(BinaryOp::Lt, a, b)?.as_bool()?;
            let chosen = if less == name.contains("min") { a } else { b };
            let ty = usual_arithmetic(scalar(a)?, scalar(b)?);
            // `std::min` needs equal types, CUDA's `min` promotes; equal types keep theirs.
            return if scalar(a) == scalar(b) {
                Some(chosen.clone())
            } else {
                chosen.convert(ty)
            };
        }
        ("min" | "max", [Value::List(items)]) => {
            let mut all = items.iter();
            let mut best = all.next()?.clone()?;
            for v in all {
                best = call(name, &[best, v.clone()?])?;
            }
            return Some(best);
        }
        ("clamp", [v, low, high]) => {
            return call(
                "min",
                &[call("max", &[v.clone(), low.clone()])?, high.clone()],
            );
        }
        ("abs" | "labs" | "llabs", [Value::Int { value, ty }]) => {
            return Some(Value::int(value.checked_abs()?, *ty));
        }
        ("move" | "forward" | "size_t" | "as_const", [v]) => return Some(v.clone()),
        ("gcd" | "__gcd", [a, b]) => {
            let (mut a, mut b) = (a.as_int()?.unsigned_abs(), b.as_int()?.unsigned_abs());
            while b != 0 {
                (a, b) = (b, a % b);
            }
            return Some(Value::int(
                i64::try_from(a).ok()?,
                usual_arithmetic(scalar(first)?, scalar(&arguments[1])?),
            ));
        }
        _ => {}
    }
    let bare = if name == "popcount" {
        "__builtin_popcountll"
    } else {
        name
    };
    if let Some(row) = builtin::find(bare) {
        let converted = arguments
            .iter()
            .zip(row.parameters)
            .map(|(value, ty)| {
                // `std::popcount` takes its argument's own width.
                let ty = if name == "popcount" {
                    scalar(value)?
                } else {
                    *ty
                };
                let value = value.convert(ty)?.as_int()?;
                Some(match ty.bits() {
                    64 => value,
                    bits if name == "popcount" => value & ((1 << bits) - 1),
                    _ => value,
                })
            })
            .collect::<Option<Vec<_>>>()?;
        return Some(Value::int(row.value(&converted)?, row.result));
    }
    let x = first.as_f64()?;
    let (base, single) = match name.strip_suffix('f') {
        Some(base) if !matches!(name, "erf") => (base, true),
        _ => (name, scalar(first)? == Scalar::F32),
    };
    let v = match base {
        "sqrt" => x.sqrt(),
        "cbrt" => x.cbrt(),
        "ceil" => x.ceil(),
        "floor" => x.floor(),
        "round" => x.round(),
        "trunc" => x.trunc(),
        "fabs" | "abs" => x.abs(),
        "log2" => x.log2(),
        "log10" => x.log10(),
        "log" => x.ln(),
        "exp" => x.exp(),
        "exp2" => x.exp2(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tan" => x.tan(),
        "pow" => x.powf(arguments.get(1)?.as_f64()?),
        _ => return None,
    };
    // Of an integer the result is a double.
    Value::Float(v, Scalar::F64).convert(if single { Scalar::F32 } else { Scalar::F64 })
}

fn scalar(v: &Value) -> Option<Scalar> {
    match v {
        Value::Int { ty, .. } | Value::Float(_, ty) => Some(*ty),
        _ => None,
    }
}
