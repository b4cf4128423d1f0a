//! Evaluation of expressions.

use super::methods::call_method;
use super::named::{limit, path_value};
use super::objects::{assign, cast, construct, construct_of, copied, step};
use super::operations::{
    assigned, cast_to, conditional, constructed, element, folded, logical, member_of, path_as_type,
    size_of,
};
use super::{
    LambdaValue, Locals, Slot, Value, arithmetic, body, enumerations, library, literal_type,
};
use crate::ir::Scalar;
use crate::sema::scope::{self, Binding, Env, Guard, Names, overload_for_types, resolve_type};
use crate::sema::types::{self, RecordType, Type};
use crate::syntax::ast::{self, BinaryOp, Expr, ExprKind, TypeKind, UnaryOp};
use crate::syntax::visit::pattern_names;
use std::sync::Arc;

/// The value of a constant expression.
#[must_use]
pub fn eval(names: &Names<'_>, env: &Env, e: &Expr) -> Option<Value> {
    eval_in(names, env, &mut Locals::default(), e)
}

/// The value of an expression over local variables.
#[must_use]
pub fn eval_in(names: &Names<'_>, env: &Env, locals: &mut Locals, e: &Expr) -> Option<Value> {
    let _guard = Guard::enter()?;
    match &e.kind {
        ExprKind::Int {
            value,
            is_unsigned,
            is_long,
            ..
        } => Some(Value::int(
            *value as i64,
            literal_type(*value, *is_unsigned, *is_long),
        )),
        ExprKind::Float { value, is_single } => Value::Float(*value, Scalar::F64)
            .convert(if *is_single { Scalar::F32 } else { Scalar::F64 }),
        ExprKind::Bool(b) => Some(Value::int(i64::from(*b), Scalar::Bool)),
        ExprKind::Char(c, ty) => Some(Value::int(*c, types::builtin(*ty).scalar()?)),
        ExprKind::Null => Some(Value::int(0, Scalar::I64)),
        ExprKind::Str(s) => Some(Value::Str(s.clone())),
        ExprKind::Lambda(l) => Some(Value::Lambda(Arc::new(LambdaValue {
            lambda: l.clone(),
            env: env.clone(),
            slots: captured(names, l, locals),
            frame: locals.frame,
        }))),
        ExprKind::Path(path) => path_value(names, env, locals, path),
        ExprKind::Unary(op, inner) => unary(names, env, locals, *op, inner),
        ExprKind::Binary(op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr), a, b) => {
            logical(names, env, locals, *op == BinaryOp::LogicalOr, a, b)
        }
        ExprKind::Binary(op, a, b) => {
            if let Some(found) = enumerations::of_user(names, env, locals, op.symbol(), &[a, b]) {
                return found;
            }
            let left = eval_in(names, env, locals, a)?;
            let right = eval_in(names, env, locals, b)?;
            if *op == BinaryOp::Comma && names.declares_operator(op.symbol()) {
                return None;
            }
            arithmetic::binary(*op, &left, &right)
        }
        ExprKind::Assign(op, place, value) => assigned(names, env, locals, *op, place, value),
        ExprKind::Conditional(c, a, b) => conditional(names, env, locals, c, a, b),
        ExprKind::Call { callee, arguments } => call(names, env, locals, callee, arguments),
        ExprKind::Index(base, at) => element(names, env, locals, base, at),
        ExprKind::Member {
            object,
            member,
            arrow,
        } => member_of(names, env, locals, object, member, *arrow),
        ExprKind::Cast { ty, value, .. } => cast_to(names, env, locals, ty, value),
        ExprKind::Construct { ty, arguments } => constructed(names, env, locals, ty, arguments),
        // Which members these are, the type would tell.
        ExprKind::List(items) if has_designators(items) => None,
        ExprKind::List(items) => {
            let values = list_values(names, env, locals, items)?;
            Some(Value::List(Arc::new(values)))
        }
        ExprKind::SizeofType(ty) => Some(Value::int(
            resolve_type(names, env, ty).size()? as i64,
            Scalar::U64,
        )),
        ExprKind::AlignofType(ty) => Some(Value::int(
            resolve_type(names, env, ty).align()? as i64,
            Scalar::U64,
        )),
        ExprKind::Sizeof(e) => {
            size_of(names, env, locals, e).map(|size| Value::int(size as i64, Scalar::U64))
        }
        ExprKind::SizeofPack(name) => match env.get(name)? {
            Binding::Pack(items) => Some(Value::int(items.len() as i64, Scalar::U64)),
            _ => None,
        },
        ExprKind::Fold {
            op,
            pack,
            init,
            is_left,
        } => folded(names, env, locals, *op, pack, init.as_deref(), *is_left),
        _ => None,
    }
}

/// Whether the items of a braced list go by names, not by their order.
pub(super) fn has_designators(items: &[(Option<ast::Name>, Expr)]) -> bool {
    items.iter().any(|(name, _)| name.is_some())
}

/// The values of a braced list, with its packs expanded; `None` where a pack is not known.
pub(super) fn list_values(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    items: &[(Option<ast::Name>, Expr)],
) -> Option<Vec<Option<Value>>> {
    let mut values = Vec::with_capacity(items.len());
    for (_, item) in items {
        match &item.kind {
            ExprKind::Expand(pattern) => {
                for env in each_of_pack(env, pattern)? {
                    values.push(eval_in(names, &env, locals, pattern));
                }
            }
            _ => values.push(eval_in(names, env, locals, item)),
        }
    }
    Some(values)
}

/// The environments in which the packs that `e` names stand for their elements one by one.
#[must_use]
pub fn each_of_pack(env: &Env, e: &Expr) -> Option<Vec<Env>> {
    let pack = |name: ast::Name| match env.get(&name) {
        Some(Binding::Pack(items)) => Some((name, items.clone())),
        _ => None,
    };
    let found: Vec<(ast::Name, Arc<[Binding]>)> =
        pattern_names(e).into_iter().filter_map(pack).collect();
    let length = found.first()?.1.len();
    if found.iter().any(|(_, items)| items.len() != length) || length > 1024 {
        return None;
    }
    let each = (0..length).map(|i| {
        let mut env = env.clone();
        for (name, items) in &found {
            env.set(name.clone(), items[i].clone());
        }
        env
    });
    Some(each.collect())
}

fn unary(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    op: UnaryOp,
    inner: &Expr,
) -> Option<Value> {
    use UnaryOp as U;
    let symbol = match op {
        U::PreIncrement | U::PostIncrement => "++",
        U::PreDecrement | U::PostDecrement => "--",
        _ => op.symbol()?,
    };
    if let Some(found) = enumerations::of_user(names, env, locals, symbol, &[inner]) {
        return found;
    }
    match op {
        U::AddressOf => match &inner.kind {
            ExprKind::Index(base, at) if at.len() == 1 => {
                let base = eval_in(names, env, locals, base)?;
                let at = eval_in(names, env, locals, &at[0])?;
                arithmetic::binary(BinaryOp::Add, &base, &at)
            }
            ExprKind::Path(p) => match path_value(names, env, locals, p)? {
                f @ Value::Function(_) => Some(f),
                _ => None,
            },
            _ => None,
        },
        U::Deref => match eval_in(names, env, locals, inner)? {
            f @ Value::Function(_) => Some(f),
            Value::List(items) => items.first()?.clone(),
            _ => None,
        },
        U::PreIncrement | U::PreDecrement | U::PostIncrement | U::PostDecrement => {
            if !locals.is_mutable {
                return None;
            }
            let old = eval_in(names, env, locals, inner)?;
            let new = step(&old, matches!(op, U::PreIncrement | U::PostIncrement))?;
            if !assign(names, env, locals, inner, Some(new.clone())) {
                return None;
            }
            Some(if matches!(op, U::PreIncrement | U::PreDecrement) {
                new
            } else {
                old
            })
        }
        op => arithmetic::unary(op, &eval_in(names, env, locals, inner)?),
    }
}

fn call(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    callee: &Expr,
    arguments: &[Expr],
) -> Option<Value> {
    // How many arguments there are is not known here.
    if arguments
        .iter()
        .any(|a| matches!(a.kind, ExprKind::Expand(_)))
    {
        return None;
    }
    match &callee.kind {
        ExprKind::Path(path) => call_path(names, env, locals, callee, path, arguments),
        ExprKind::Lambda(_) => {
            let value = eval_in(names, env, locals, callee)?;
            call_value(names, env, locals, &value, arguments)
        }
        ExprKind::Member {
            object,
            member,
            arrow: false,
        } => {
            // `sizes.size()` and methods that only read.
            let name = &member.segments.last()?.name;
            match eval_in(names, env, locals, object)? {
                Value::List(items) if &**name == "size" => {
                    Some(Value::int(items.len() as i64, Scalar::U64))
                }
                Value::List(items) if matches!(&**name, "front" | "back") => (if &**name == "front"
                {
                    items.first()
                } else {
                    items.last()
                })?
                .clone(),
                Value::Fields(object) => match object.values.iter().find(|(n, _)| n == name) {
                    Some((_, held)) => call_value(names, env, locals, held.as_ref()?, arguments),
                    None => call_method(names, env, locals, &object, member, arguments),
                },
                _ => None,
            }
        }
        _ => None,
    }
}

/// A call of a function by its name.
fn call_path(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    callee: &Expr,
    path: &ast::Path,
    arguments: &[Expr],
) -> Option<Value> {
    let last = path.segments.last()?;
    let is_one_name = path.segments.len() == 1 && !path.is_global;
    if let Some(slot) = locals.get(&last.name).filter(|_| is_one_name) {
        let value = slot.value.clone()?;
        return call_value(names, env, locals, &value, arguments);
    }
    let candidates = names.functions(env, path);
    if candidates.is_empty() {
        return call_unfound(names, env, locals, path, arguments);
    }
    // A method called without its object: another class may have its own.
    if let (Some(r), 1) = (&env.record, path.segments.len())
        && is_virtual(names, r, &last.name)
    {
        return None;
    }
    let explicit = last.arguments.as_deref().unwrap_or_default();
    let is_plain = path.segments.len() == 1 && !path.is_global;
    let associated = (is_plain && !callee.is_name_in_parentheses()).then_some(&*last.name);
    let given = (arguments, associated);
    let of_toolkit = if is_plain && explicit.is_empty() {
        rival(names, env, locals, &candidates, &last.name, arguments)
    } else {
        None
    };
    let value = call_one_of(names, env, locals, &candidates, explicit, given)?;
    of_toolkit
        .is_none_or(|other| other == value)
        .then_some(value)
}

/// A call where no function of that name is in the text: a conversion, a vector, or a function of a library.
fn call_unfound(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    path: &ast::Path,
    arguments: &[Expr],
) -> Option<Value> {
    let last = path.segments.last()?;
    // Somebody's function may be called like one of the library's.
    let first = path.segments.first().map_or("", |s| &*s.name);
    let is_foreign = path.segments.len() > 1
        && !matches!(
            first,
            "std" | "thrust" | "cuda" | "cub" | "at" | "c10" | "torch"
        )
        && !names.is_taken_from_std(env, path);
    if path.segments.len() > 1 && &*path.segments[path.segments.len() - 2].name == "numeric_limits"
    {
        return limit(names, env, path);
    }
    let values: Vec<_> = arguments
        .iter()
        .map(|a| eval_in(names, env, locals, a))
        .collect();
    if let Some(t) = path_as_type(names, env, path) {
        return construct_of(names, (env, locals), &t, arguments, values);
    }
    if let Some(vector) = last.name.strip_prefix("make_")
        && let Some(t) = crate::sema::types::known(vector)
    {
        return construct(names, &t, values);
    }
    // `std::max<T>(a, b)` converts first.
    let to = match last
        .arguments
        .as_deref()
        .map(|a| scope::resolve_arguments(names, env, a, None))
        .as_deref()
    {
        Some([Binding::Type(Type::Scalar(s, _))]) => Some(*s),
        _ => None,
    };
    let values = values
        .into_iter()
        .map(|v| to.map_or_else(|| v.clone(), |s| v.as_ref()?.convert(s)))
        .collect::<Option<Vec<_>>>()?;
    if is_foreign {
        return None;
    }
    library::call(&last.name, &values)
}

/// What the toolkit's function of a name gives: C++ takes it rather than a template, unless a namespace
/// hides it.
fn rival(
    names: &Names<'_>,
    env: &Env,
    locals: &Locals,
    candidates: &[scope::Callee],
    name: &str,
    arguments: &[Expr],
) -> Option<Value> {
    let is_template = |c: &scope::Callee| names.own_head(&c.function, &c.env).is_some();
    if !library::is_overloaded(name) || !candidates.iter().all(is_template) {
        return None;
    }
    let mut seen = Locals {
        is_mutable: false,
        ..locals.clone()
    };
    let values = arguments.iter();
    let values: Option<Vec<Value>> = values.map(|a| eval_in(names, env, &mut seen, a)).collect();
    library::call(name, &values?)
}

/// Whether a class or one of its bases declares a virtual method of this name.
fn is_virtual(names: &Names<'_>, r: &Arc<RecordType>, name: &str) -> bool {
    let Some(_guard) = Guard::enter() else {
        return true;
    };
    let own = names.methods(r, name);
    own.iter().any(|c| c.function.attributes.is_virtual)
        || r.bases
            .iter()
            .any(|(_, base)| is_virtual(names, base, name))
}

fn call_value(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    value: &Value,
    arguments: &[Expr],
) -> Option<Value> {
    match value {
        Value::Lambda(v) => {
            let values: Vec<_> = arguments
                .iter()
                .map(|a| eval_in(names, env, locals, a))
                .collect();
            call_lambda(names, locals, v, values)
        }
        Value::Function(f) => {
            let explicit = f.explicit.clone();
            let given = explicit.as_deref().map_or(0, <[_]>::len);
            // Template arguments mean what they do where the function was named.
            if !names.is_one_function(&f.candidates, given) || given > 0 && !f.env.is_same(env) {
                return None;
            }
            call_one_of(
                names,
                env,
                locals,
                &f.candidates,
                explicit.as_deref().unwrap_or_default(),
                (arguments, None),
            )
        }
        _ => None,
    }
}

/// Runs a lambda's body: it sees the variables around its own place, not those around the call.
fn call_lambda(
    names: &Names<'_>,
    locals: &mut Locals,
    v: &LambdaValue,
    values: Vec<Option<Value>>,
) -> Option<Value> {
    // What its own head stands for is not bound here.
    if !v.lambda.templates.is_empty() {
        return None;
    }
    let around = v.slots.len();
    let is_near = v.frame == locals.frame && around <= locals.slots.len();
    let mut inner = Locals {
        slots: if is_near {
            locals.slots[..around].to_vec()
        } else {
            v.copies()
        },
        is_mutable: true,
        frame: if is_near {
            locals.frame
        } else {
            super::Frame::default()
        },
    };
    if is_near {
        inner.slots.extend(v.own_copies());
    }
    for capture in v.lambda.captures.listed.iter().filter(|c| c.is_new) {
        let ty = Type::unknown("a lambda's own variable");
        inner.push(capture.name.clone(), ty, None);
    }
    for (i, p) in v.lambda.parameters.iter().enumerate() {
        let ty = resolve_type(names, &v.env, &p.ty);
        let value = values.get(i).cloned().flatten();
        if let Some(name) = &p.name {
            let own = value.as_ref().and_then(Value::ty);
            let (ty, value) = if ty.strip_reference().is_unknown() {
                (own.unwrap_or(ty), value)
            } else {
                let value = value.and_then(|v| cast(names, &ty, v));
                (ty, value)
            };
            inner.push(name.clone(), ty, value);
        }
    }
    let mut result = body::result(names, &v.env, &mut inner, &v.lambda.body)?;
    if let Some(ty) = &v.lambda.result {
        result = cast(names, &resolve_type(names, &v.env, ty), result)?;
    }
    if is_near {
        let before = &mut locals.slots[..around];
        let is_same = |(a, b): (&super::Slot, &super::Slot)| a.value == b.value;
        if !before.iter().zip(&inner.slots).all(is_same) {
            if !locals.is_mutable {
                return None;
            }
            before.clone_from_slice(&inner.slots[..around]);
        }
    }
    Some(result)
}

pub(super) fn call_one_of(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    candidates: &[scope::Callee],
    explicit: &[ast::TemplateArgument],
    given: (&[Expr], Option<&str>),
) -> Option<Value> {
    let (callee, inner, values) = overload_of(names, env, locals, candidates, explicit, given)?;
    body::call(names, &callee, &inner, &values)
}

/// The function that is meant, the environment of its body, and the values of its arguments.
pub(super) fn overload_of(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    candidates: &[scope::Callee],
    explicit: &[ast::TemplateArgument],
    (arguments, associated): (&[Expr], Option<&str>),
) -> Option<(scope::Callee, Env, Vec<Option<Value>>)> {
    let values: Vec<_> = arguments
        .iter()
        .map(|a| eval_in(names, env, locals, a))
        .collect();
    let types: Vec<_> = arguments
        .iter()
        .zip(&values)
        .map(|(a, v)| {
            let written =
                || scope::type_with(names, env, a, &|n| locals.get(n).map(|s| s.ty.clone()));
            match v.as_ref().and_then(Value::ty) {
                // A null pointer is kept as a number.
                Some(t) if matches!(v, Some(Value::Int { .. })) => match written() {
                    pointer if matches!(pointer.strip_reference(), Type::Pointer(_)) => pointer,
                    one if one.is_enumeration() => one,
                    _ => t,
                },
                Some(t) => t,
                None => written(),
            }
        })
        .collect();
    let mut candidates = candidates.to_vec();
    if let Some(name) = associated {
        names.add_associated(env, &mut candidates, name, &types);
    }
    let (callee, inner) = overload_for_types(names, env, &candidates, explicit, &types)?;
    // A callee that may write its arguments would have to write ours.
    let writes = |p: &ast::Parameter| matches!(&p.ty.kind, TypeKind::Reference { to, is_rvalue: false } if !to.is_const);
    if locals.is_mutable && callee.function.parameters.iter().any(writes) {
        return None;
    }
    Some((callee, inner, values))
}

/// The variables around a lambda; those that it copies as their classes copy them.
fn captured(names: &Names<'_>, l: &ast::Lambda, locals: &Locals) -> Vec<Slot> {
    let mut slots = locals.slots.clone();
    for slot in slots.iter_mut().filter(|s| !s.is_static && !s.is_const) {
        if matches!(slot.value, Some(Value::Fields(_)))
            && l.captures.is_reference(&slot.name) == Some(false)
        {
            slot.value = slot.value.take().and_then(|v| copied(names, v));
        }
    }
    slots
}
