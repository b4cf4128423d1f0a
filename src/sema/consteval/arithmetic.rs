//! Arithmetic on constants as C++ defines it.

use super::Value;
use crate::ir::Scalar;
use crate::ir::residue::Residue;
use crate::sema::types::{promote, usual_arithmetic};
use crate::syntax::ast::{BinaryOp, UnaryOp};

pub(super) fn convert(v: &Value, to: Scalar) -> Option<Value> {
    match (v, to) {
        (Value::Int { .. }, to) if to.is_integer() => Some(Value::int(v.as_int()?, to)),
        (Value::Float(f, _), Scalar::Bool) => Some(Value::int(i64::from(*f != 0.0), Scalar::Bool)),
        (Value::Float(f, _), to) if to.is_integer() => {
            let f = f.trunc();
            // Out of range is undefined.
            let (low, high) = match to {
                Scalar::I8 => (-128.0, 127.0),
                Scalar::U8 => (0.0, 255.0),
                Scalar::I16 => (-32768.0, 32767.0),
                Scalar::U16 => (0.0, 65535.0),
                Scalar::I32 => (-2147483648.0, 2147483647.0),
                Scalar::U32 => (0.0, 4294967295.0),
                Scalar::I64 => (-9.2e18, 9.2e18),
                _ => (0.0, 1.8e19),
            };
            if !(low..=high).contains(&f) {
                return None;
            }
            let value = if to == Scalar::U64 {
                f as u64 as i64
            } else {
                f as i64
            };
            Some(Value::int(value, to))
        }
        (_, to) if to.is_float() => Some(float(v.as_f64()?, to)),
        _ => None,
    }
}

fn float(v: f64, ty: Scalar) -> Value {
    Value::Float(
        if ty == Scalar::F32 {
            f64::from(v as f32)
        } else {
            v
        },
        ty,
    )
}

/// The result of a unary operator without side effects.
#[must_use]
pub fn unary(op: UnaryOp, v: &Value) -> Option<Value> {
    match (op, v) {
        (UnaryOp::Not, v) => Some(Value::int(i64::from(!v.as_bool()?), Scalar::Bool)),
        (UnaryOp::Plus, Value::Int { value, ty }) => Some(Value::int(*value, promote(*ty))),
        (UnaryOp::Neg, Value::Int { value, ty }) => {
            let ty = promote(*ty);
            checked(value.checked_neg()?, ty)
        }
        (UnaryOp::BitNot, Value::Int { value, ty }) => Some(Value::int(!value, promote(*ty))),
        (UnaryOp::Plus, Value::Float(..)) => Some(v.clone()),
        (UnaryOp::Neg, Value::Float(f, ty)) => Some(Value::Float(-f, *ty)),
        _ => None,
    }
}

/// Wraps unsigned results; signed overflow is undefined.
fn checked(value: i64, ty: Scalar) -> Option<Value> {
    let wrapped = ty.wrap(value);
    (!ty.is_signed() || wrapped == value).then_some(Value::Int { value: wrapped, ty })
}

/// The result of a binary operator on two constants.
#[must_use]
#[expect(clippy::too_many_lines, reason = "a match over the language")]
pub fn binary(op: BinaryOp, a: &Value, b: &Value) -> Option<Value> {
    use BinaryOp as B;
    let truth = |v: bool| Some(Value::int(i64::from(v), Scalar::Bool));
    match op {
        B::LogicalAnd => return truth(a.as_bool()? && b.as_bool()?),
        B::LogicalOr => return truth(a.as_bool()? || b.as_bool()?),
        B::Comma => return Some(b.clone()),
        _ => {}
    }
    if let Value::Pointer { .. } = a {
        return pointer(op, a, b);
    }
    if let (Value::Pointer { .. }, B::Add) = (b, op) {
        return pointer(op, b, a);
    }
    let (
        Value::Int { ty: s, .. } | Value::Float(_, s),
        Value::Int { ty: t, .. } | Value::Float(_, t),
    ) = (a, b)
    else {
        return None;
    };
    if matches!(op, B::Shl | B::Shr) {
        let ty = promote(*s);
        let (value, by) = (ty.wrap(a.as_int()?), b.as_int()?);
        if by < 0 || by >= i64::from(ty.bits()) {
            return None;
        }
        return Some(match (op, ty) {
            (B::Shl, _) => Value::int(value.wrapping_shl(by as u32), ty),
            (_, Scalar::U64) => Value::int(((value as u64) >> by) as i64, ty),
            _ => Value::int(value >> by, ty),
        });
    }
    let ty = usual_arithmetic(*s, *t);
    if ty.is_float() {
        let (x, y) = (a.convert(ty)?.as_f64()?, b.convert(ty)?.as_f64()?);
        return match op {
            B::Add => Some(float(x + y, ty)),
            B::Sub => Some(float(x - y, ty)),
            B::Mul => Some(float(x * y, ty)),
            B::Div if y != 0.0 => Some(float(x / y, ty)),
            B::Eq => truth(x == y),
            B::Ne => truth(x != y),
            B::Lt => truth(x < y),
            B::Le => truth(x <= y),
            B::Gt => truth(x > y),
            B::Ge => truth(x >= y),
            _ => None,
        };
    }
    let (x, y) = (ty.wrap(a.as_int()?), ty.wrap(b.as_int()?));
    let order = if ty == Scalar::U64 {
        (x as u64).cmp(&(y as u64))
    } else {
        x.cmp(&y)
    };
    match op {
        B::Eq => truth(order.is_eq()),
        B::Ne => truth(order.is_ne()),
        B::Lt => truth(order.is_lt()),
        B::Le => truth(order.is_le()),
        B::Gt => truth(order.is_gt()),
        B::Ge => truth(order.is_ge()),
        B::And => Some(Value::int(x & y, ty)),
        B::Or => Some(Value::int(x | y, ty)),
        B::Xor => Some(Value::int(x ^ y, ty)),
        _ if ty.is_signed() => {
            let value = match op {
                B::Add => x.checked_add(y),
                B::Sub => x.checked_sub(y),
                B::Mul => x.checked_mul(y),
                B::Div => x.checked_div(y),
                _ => x.checked_rem(y),
            };
            checked(value?, ty)
        }
        _ => {
            let (x, y) = (x as u64, y as u64);
            let value = match op {
                B::Add => x.wrapping_add(y),
                B::Sub => x.wrapping_sub(y),
                B::Mul => x.wrapping_mul(y),
                B::Div => x.checked_div(y)?,
                _ => x.checked_rem(y)?,
            };
            Some(Value::int(value as i64, ty))
        }
    }
}

fn pointer(op: BinaryOp, pointer: &Value, by: &Value) -> Option<Value> {
    let Value::Pointer {
        offset,
        pointee,
        is_assumed,
    } = pointer
    else {
        return None;
    };
    let moved = |sign: i64| {
        let by = by.as_int().filter(|n| *n == 0 || pointee.size > 0);
        match by.zip(i64::try_from(pointee.size).ok()) {
            Some((by, element)) => {
                let elements = Residue::exactly(sign).times(Residue::exactly(by));
                offset.plus(elements.times(Residue::exactly(element)))
            }
            None => Residue::ANY,
        }
    };
    match (op, by) {
        (BinaryOp::Add, Value::Int { .. }) => Some(Value::Pointer {
            offset: moved(1),
            pointee: pointee.clone(),
            is_assumed: *is_assumed,
        }),
        (BinaryOp::Sub, Value::Int { .. }) => Some(Value::Pointer {
            offset: moved(-1),
            pointee: pointee.clone(),
            is_assumed: *is_assumed,
        }),
        _ => None,
    }
}
