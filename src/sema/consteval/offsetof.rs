//! `offsetof`, written as `(size_t)&((T *)0)->m`: the address that a member has in an object at address 0.

use super::eval::eval_in;
use super::{Locals, Value};
use crate::ir::Scalar;
use crate::sema::scope::{self, Env, Names, resolve_type};
use crate::sema::types::Type;
use crate::syntax::ast::{Expr, ExprKind, UnaryOp};

/// What `(size_t)&((T *)0)->m` comes to; `None` for any other expression.
pub(super) fn offset(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    address: &Expr,
) -> Option<Value> {
    let ExprKind::Unary(UnaryOp::AddressOf, place) = &address.kind else {
        return None;
    };
    let (offset, _) = place_at(names, env, locals, place)?;
    Some(Value::int(i64::try_from(offset).ok()?, Scalar::U64))
}

/// Where a place lies that is reached from address 0, and its type.
fn place_at(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    place: &Expr,
) -> Option<(u64, Type)> {
    match &place.kind {
        ExprKind::Member {
            object,
            arrow,
            member,
        } => {
            let (start, of) = if *arrow {
                (0, null_object(names, env, locals, object)?)
            } else {
                place_at(names, env, locals, object)?
            };
            let Type::Record(record) = of else {
                return None;
            };
            let [only] = &member.segments[..] else {
                return None;
            };
            let field = scope::field(names, &record, &only.name)?;
            let is_laid_out = scope::complete(names, &record).problem.is_none();
            (is_laid_out && field.bits.is_none()).then_some((start + field.offset, field.ty))
        }
        ExprKind::Index(array, at) => {
            let (start, of) = place_at(names, env, locals, array)?;
            let Type::Array(element, _) = of else {
                return None;
            };
            let [at] = &at[..] else { return None };
            let at = u64::try_from(eval_in(names, env, locals, at)?.as_int()?).ok()?;
            let size = element.size()?;
            Some((start + at.checked_mul(size)?, element.whole().unqualified()))
        }
        _ => None,
    }
}

/// The class of `(T *)0`.
fn null_object(names: &Names<'_>, env: &Env, locals: &mut Locals, pointer: &Expr) -> Option<Type> {
    let ExprKind::Cast { ty, value, .. } = &pointer.kind else {
        return None;
    };
    let Type::Pointer(to) = resolve_type(names, env, ty) else {
        return None;
    };
    let is_null = eval_in(names, env, locals, value)?.as_int() == Some(0);
    is_null.then(|| to.whole().unqualified())
}
