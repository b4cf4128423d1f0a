//! Expressions of several parts: choices, assignments, members, conversions and folds.
//!
//! Given the parts as they are written, evaluates those that C++ evaluates and gives what they come to.

use super::eval::{each_of_pack, eval_in, has_designators};
use super::named::static_member;
use super::objects::{aggregate, assign, cast, construct_of};
use super::{Locals, Value, arithmetic, enumerations, offsetof};
use crate::ir::Scalar;
use crate::sema::scope::{self, Binding, Env, Names, resolve_type};
use crate::sema::types::{Type, usual_arithmetic};
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Path, TypeExpr, TypeKind};
use std::sync::Arc;

/// `a && b` or `a || b`: what is not evaluated need not be constant.
pub(super) fn logical(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    is_or: bool,
    a: &Expr,
    b: &Expr,
) -> Option<Value> {
    let left = eval_in(names, env, locals, a)?.as_bool()?;
    if left == is_or {
        return Some(Value::int(i64::from(left), Scalar::Bool));
    }
    let right = eval_in(names, env, locals, b)?.as_bool()?;
    Some(Value::int(i64::from(right), Scalar::Bool))
}

/// What an assignment leaves in its place.
pub(super) fn assigned(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    op: Option<BinaryOp>,
    place: &Expr,
    value: &Expr,
) -> Option<Value> {
    write(names, env, locals, op, place, value)?;
    locals.is_mutable = false;
    let left = eval_in(names, env, locals, place);
    locals.is_mutable = true;
    left
}

/// Assigns; `None` where it can't be done, and where nothing may change.
pub(super) fn write(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    op: Option<BinaryOp>,
    place: &Expr,
    value: &Expr,
) -> Option<()> {
    if !locals.is_mutable {
        return None;
    }
    if let Some(op) = op
        && let Some(found) = enumerations::of_user(
            names,
            env,
            locals,
            &format!("{}=", op.symbol()),
            &[place, value],
        )
    {
        return found.map(|_| ());
    }
    let mut value = eval_in(names, env, locals, value)?;
    if let Some(op) = op {
        let old = eval_in(names, env, locals, place)?;
        let ty = old.ty();
        value = arithmetic::binary(op, &old, &value)?;
        if let Some(Type::Scalar(s, _)) = ty {
            value = value.convert(s)?;
        }
    }
    assign(names, env, locals, place, Some(value)).then_some(())
}

/// `condition ? a : b`, of the type that both have in common.
pub(super) fn conditional(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    condition: &Expr,
    a: &Expr,
    b: &Expr,
) -> Option<Value> {
    let taken = if eval_in(names, env, locals, condition)?.as_bool()? {
        a
    } else {
        b
    };
    let value = eval_in(names, env, locals, taken)?;
    let other = scope::type_with(
        names,
        env,
        if std::ptr::eq(taken, a) { b } else { a },
        &|n| locals.get(n).map(|s| s.ty.clone()),
    );
    match (value.ty(), other) {
        (Some(Type::Scalar(s, _)), Type::Scalar(t, _)) if s != t => {
            value.convert(usual_arithmetic(s, t))
        }
        _ => Some(value),
    }
}

pub(super) fn element(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    base: &Expr,
    at: &[Expr],
) -> Option<Value> {
    let base = eval_in(names, env, locals, base)?;
    let [at] = at else { return None };
    let at = eval_in(names, env, locals, at)?.as_int()?;
    match base {
        Value::List(items) => items.get(usize::try_from(at).ok()?)?.clone(),
        _ => None,
    }
}

/// A field of a value, or a static member through an object.
pub(super) fn member_of(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    object: &Expr,
    member: &Path,
    arrow: bool,
) -> Option<Value> {
    let name = &member.segments.last()?.name;
    if !arrow && let Some(v) = eval_in(names, env, locals, object) {
        return v.field(name).cloned();
    }
    let of = scope::type_with(names, env, object, &|n| locals.get(n).map(|s| s.ty.clone()));
    let of = if arrow { of.element()?.clone() } else { of };
    match of.strip_reference() {
        Type::Record(r) => static_member(names, r, name),
        // `std::integral_constant<int, 32>`, `std::bool_constant<true>`
        Type::Opaque(text) if &**name == "value" && text.contains("_constant<") => {
            match scope::opaque_arguments(text)?.1.last()? {
                Binding::Value(v, _) => Some(v.clone()),
                _ => None,
            }
        }
        _ => None,
    }
}

pub(super) fn cast_to(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    ty: &TypeExpr,
    value: &Expr,
) -> Option<Value> {
    let wanted = resolve_type(names, env, ty);
    if let Type::Scalar(scalar, _) = wanted
        && scalar.is_integer()
        && let Some(offset) = offsetof::offset(names, env, locals, value)
    {
        return offset.convert(scalar);
    }
    let value = eval_in(names, env, locals, value)?;
    cast(names, &wanted, value)
}

pub(super) fn constructed(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    ty: &TypeExpr,
    arguments: &[Expr],
) -> Option<Value> {
    let mut wanted = resolve_type(names, env, ty);
    if let (Type::Record(r), [only]) = (&wanted, arguments)
        && let ExprKind::List(items) = &only.kind
        && has_designators(items)
    {
        return aggregate(names, env, locals, r, items);
    }
    if let (Type::Array(of, None), TypeKind::Array(..)) = (&wanted, &ty.kind) {
        wanted = Type::Array(of.clone(), Some(arguments.len() as u64));
    }
    let values: Vec<Option<Value>> = arguments
        .iter()
        .map(|a| eval_in(names, env, locals, a))
        .collect();
    if is_deduced_array(&wanted, ty) {
        // One element may be an array that is copied.
        let is_plain =
            |v: &Option<Value>| matches!(v, Some(Value::Function(_) | Value::Int { .. }));
        return values
            .iter()
            .all(is_plain)
            .then(|| Value::List(Arc::new(values)));
    }
    construct_of(names, (env, locals), &wanted, arguments, values)
}

/// `std::array{a, b}`: the elements say of what.
fn is_deduced_array(wanted: &Type, ty: &TypeExpr) -> bool {
    let TypeKind::Named(path) = &ty.kind else {
        return false;
    };
    let [.., space, last] = &path.segments[..] else {
        return false;
    };
    matches!(wanted, Type::Opaque(_) | Type::Unknown(_))
        && &*space.name == "std"
        && &*last.name == "array"
        && last.arguments.is_none()
}

/// `sizeof(x)`, where `x` may be a type.
pub(super) fn size_of(names: &Names<'_>, env: &Env, locals: &Locals, e: &Expr) -> Option<u64> {
    match &e.kind {
        ExprKind::Str(text) => return Some(text.chars().count() as u64 + 1),
        ExprKind::Path(path) => {
            let is_local = |name| locals.get(name).is_some();
            let first = path.segments.first();
            // A value hides a type of its name.
            let is_value = || {
                names.variable(env, path).is_some()
                    || names.is_variable_around(env, path)
                    || super::eval(names, env, e).is_some()
            };
            if !first.is_some_and(|first| is_local(&first.name))
                && !is_value()
                && let Some(size) = path_as_type(names, env, path).and_then(|ty| ty.size())
            {
                return Some(size);
            }
        }
        _ => {}
    }
    scope::type_with(names, env, e, &|n| locals.get(n).map(|s| s.ty.clone())).size()
}

/// A fold over a pack: `(x + ... + init)`.
pub(super) fn folded(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    op: BinaryOp,
    pack: &Expr,
    init: Option<&Expr>,
    is_left: bool,
) -> Option<Value> {
    // In `(a + ... + b)` only names tell which side has the pack.
    let (pack, init, is_left) = match init {
        Some(other) if each_of_pack(env, other).is_some() => (other, Some(pack), !is_left),
        _ => (pack, init, is_left),
    };
    let mut values = Vec::new();
    for env in each_of_pack(env, pack)? {
        values.push(eval_in(names, &env, locals, pack)?);
    }
    if let Some(init) = init {
        let v = eval_in(names, env, locals, init)?;
        values.insert(if is_left { 0 } else { values.len() }, v);
    }
    let truth = |b: bool| Value::int(i64::from(b), Scalar::Bool);
    // `(x - ...)` begins at its end.
    if !is_left {
        values.reverse();
    }
    let step = |a: Value, b: Value| match is_left {
        true => arithmetic::binary(op, &a, &b),
        false => arithmetic::binary(op, &b, &a),
    };
    let mut all = values.into_iter();
    match (all.next(), op) {
        (Some(first), _) => all.try_fold(first, step),
        (None, BinaryOp::LogicalAnd) => Some(truth(true)),
        (None, BinaryOp::LogicalOr) => Some(truth(false)),
        _ => None,
    }
}

pub(super) fn path_as_type(names: &Names<'_>, env: &Env, path: &Path) -> Option<Type> {
    if let Some(Binding::Variable(_) | Binding::Value(..)) = env.named(path) {
        return None;
    }
    let written = TypeExpr::named(path.clone());
    match resolve_type(names, env, &written) {
        Type::Unknown(_) | Type::Opaque(_) => None,
        t => Some(t),
    }
}
