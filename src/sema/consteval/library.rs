//! Constants and functions of the standard headers, by name.

use super::{Value, binary};
use crate::ir::{Scalar, builtin};
use crate::sema::library::constants::{self, Constant};
use crate::sema::types::{Type, usual_arithmetic};
use crate::syntax::ast::BinaryOp;

/// A number as a value of constant expressions.
fn value(constant: Constant) -> Value {
    match constant {
        Constant::Int(value, ty) => Value::int(value, ty),
        Constant::Float(value, ty) => Value::Float(value, ty),
    }
}

/// Macros and constants that a missing header would have defined.
#[must_use]
pub(super) fn constant(name: &str) -> Option<Value> {
    if name == "warpSize" {
        return Some(Value::int(32, Scalar::I32));
    }
    constants::constant(name).map(value)
}

/// `std::numeric_limits<ty>::name`.
#[must_use]
pub(super) fn limit(ty: &Type, name: &str) -> Option<Value> {
    let Type::Scalar(scalar, _) = ty.strip_reference() else {
        return None;
    };
    constants::limit(*scalar, name).map(value)
}

/// Whether the toolkit has plain functions of this name for several types.
#[must_use]
pub(super) fn is_overloaded(name: &str) -> bool {
    matches!(
        name,
        "min" | "max" | "abs" | "pow" | "round" | "ceil" | "floor" | "sqrt"
    )
}

/// A mathematical function of known arguments.
#[must_use]
#[expect(clippy::too_many_lines, reason = "a match over the language")]
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
