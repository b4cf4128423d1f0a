//! Evaluation of expressions.

use super::{Fields, Locals, Value, arithmetic, body, library, literal_type};
use crate::ir::Scalar;
use crate::ir::scope::{self, Binding, Entry, Env, Guard, Names, Prefix, field, function_value, resolve_type, select};
use crate::ir::types::{RecordType, Type};
use crate::syntax::ast::{self, BinaryOp, Expr, ExprKind, Initialiser, Path, TypeExpr, TypeKind, UnaryOp};
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
        ExprKind::Int { value, is_unsigned, is_long } => Some(Value::int(*value as i64, literal_type(*value, *is_unsigned, *is_long))),
        ExprKind::Float { value, is_single } => Value::Float(*value, Scalar::F64).convert(if *is_single { Scalar::F32 } else { Scalar::F64 }),
        ExprKind::Bool(b) => Some(Value::int(i64::from(*b), Scalar::Bool)),
        ExprKind::Char(c) => Some(Value::int(*c, Scalar::I8)),
        ExprKind::Null => Some(Value::int(0, Scalar::I64)),
        ExprKind::Str(s) => Some(Value::Str(s.clone())),
        ExprKind::Lambda(l) => Some(Value::Lambda(l.clone())),
        ExprKind::Path(path) => path_value(names, env, locals, path),
        ExprKind::Unary(op, inner) => unary(names, env, locals, *op, inner),
        ExprKind::Binary(op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr), a, b) => {
            let left = eval_in(names, env, locals, a)?.as_bool()?;
            if left == (*op == BinaryOp::LogicalOr) {
                return Some(Value::int(i64::from(left), Scalar::Bool));
            }
            let right = eval_in(names, env, locals, b)?.as_bool()?;
            Some(Value::int(i64::from(right), Scalar::Bool))
        }
        ExprKind::Binary(op, a, b) => {
            let left = eval_in(names, env, locals, a)?;
            let right = eval_in(names, env, locals, b)?;
            arithmetic::binary(*op, &left, &right)
        }
        ExprKind::Assign(op, place, value) => {
            let mut value = eval_in(names, env, locals, value)?;
            if let Some(op) = op {
                let old = eval_in(names, env, locals, place)?;
                let ty = old.ty();
                value = arithmetic::binary(*op, &old, &value)?;
                if let Some(Type::Scalar(s)) = ty {
                    value = value.convert(s)?;
                }
            }
            if locals.is_mutable && !assign(names, env, locals, place, Some(value.clone())) {
                return None;
            }
            Some(value)
        }
        ExprKind::Conditional(c, a, b) => {
            let taken = if eval_in(names, env, locals, c)?.as_bool()? { a } else { b };
            let value = eval_in(names, env, locals, taken)?;
            let other = scope::type_with(names, env, if std::ptr::eq(taken, a) { b } else { a }, &|n| locals.get(n).map(|s| s.ty.clone()));
            match (value.ty(), other) {
                (Some(Type::Scalar(s)), Type::Scalar(t)) if s != t => value.convert(crate::ir::types::usual_arithmetic(s, t)),
                _ => Some(value),
            }
        }
        ExprKind::Call { callee, arguments } => call(names, env, locals, callee, arguments),
        ExprKind::Index(base, at) => {
            let base = eval_in(names, env, locals, base)?;
            let [at] = &at[..] else { return None };
            let at = eval_in(names, env, locals, at)?.as_int()?;
            match base {
                Value::List(items) => items.get(usize::try_from(at).ok()?)?.clone(),
                _ => None,
            }
        }
        ExprKind::Member { object, member, arrow } => {
            let name = &member.segments.last()?.name;
            if !arrow
                && let Some(v) = eval_in(names, env, locals, object)
            {
                return v.field(name).cloned();
            }
            // A static member through an object.
            let of = scope::type_with(names, env, object, &|n| locals.get(n).map(|s| s.ty.clone()));
            let of = if *arrow { of.element()?.clone() } else { of };
            match of.strip_reference() {
                Type::Record(r) => static_member(names, r, name),
                // `std::integral_constant<int, 32>`, `std::bool_constant<true>`
                Type::Opaque(text) if &**name == "value" && text.contains("_constant<") => match scope::opaque_arguments(text)?.1.last()? {
                    Binding::Value(v, _) => Some(v.clone()),
                    _ => None,
                },
                _ => None,
            }
        }
        ExprKind::Cast { ty, value, .. } => {
            let wanted = resolve_type(names, env, ty);
            let value = eval_in(names, env, locals, value)?;
            cast(names, &wanted, value)
        }
        ExprKind::Construct { ty, arguments } => {
            let mut wanted = resolve_type(names, env, ty);
            if let (Type::Array(of, None), TypeKind::Array(..)) = (&wanted, &ty.kind) {
                wanted = Type::Array(of.clone(), Some(arguments.len() as u64));
            }
            let values = arguments.iter().map(|a| eval_in(names, env, locals, a)).collect();
            construct(names, &wanted, values)
        }
        ExprKind::List(items) => {
            let values = items.iter().map(|(_, e)| eval_in(names, env, locals, e)).collect();
            Some(Value::List(Arc::new(values)))
        }
        ExprKind::SizeofType(ty) => Some(Value::int(resolve_type(names, env, ty).size()? as i64, Scalar::U64)),
        ExprKind::AlignofType(ty) => Some(Value::int(resolve_type(names, env, ty).align()? as i64, Scalar::U64)),
        ExprKind::Sizeof(e) => {
            // `sizeof(x)` where `x` is a type.
            if let ExprKind::Path(p) = &e.kind
                && !p.segments.first().is_some_and(|s| locals.get(&s.name).is_some())
                && let Some(size) = path_as_type(names, env, p).and_then(|t| t.size())
            {
                return Some(Value::int(size as i64, Scalar::U64));
            }
            let ty = scope::type_with(names, env, e, &|n| locals.get(n).map(|s| s.ty.clone()));
            Some(Value::int(ty.size()? as i64, Scalar::U64))
        }
        ExprKind::SizeofPack(name) => match env.get(name)? {
            Binding::Pack(items) => Some(Value::int(items.len() as i64, Scalar::U64)),
            _ => None,
        },
        ExprKind::Fold { op, pack, init, is_left } => {
            let mut values = Vec::new();
            for env in each_of_pack(env, pack)? {
                values.push(eval_in(names, &env, locals, pack)?);
            }
            if let Some(init) = init {
                let v = eval_in(names, env, locals, init)?;
                values.insert(if *is_left { 0 } else { values.len() }, v);
            }
            let truth = |b: bool| Value::int(i64::from(b), Scalar::Bool);
            let step = |a: Value, b: Value| arithmetic::binary(*op, &a, &b);
            let mut all = values.into_iter();
            match (all.next(), op) {
                (Some(first), _) => all.try_fold(first, step),
                (None, BinaryOp::LogicalAnd) => Some(truth(true)),
                (None, BinaryOp::LogicalOr) => Some(truth(false)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The environments in which the packs that `e` names stand for their elements one by one.
#[must_use]
pub fn each_of_pack(env: &Env, e: &Expr) -> Option<Vec<Env>> {
    let mut found: Vec<(ast::Name, Arc<[Binding]>)> = Vec::new();
    pack_names(env, e, &mut found, 16);
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

fn pack_names(env: &Env, e: &Expr, found: &mut Vec<(ast::Name, Arc<[Binding]>)>, depth: u32) {
    if depth == 0 {
        return;
    }
    let path = |p: &Path, found: &mut Vec<(ast::Name, Arc<[Binding]>)>| {
        if let [s] = &p.segments[..]
            && let Some(Binding::Pack(items)) = env.get(&s.name)
            && !found.iter().any(|(n, _)| *n == s.name)
        {
            found.push((s.name.clone(), items.clone()));
        }
    };
    match &e.kind {
        ExprKind::Path(p) => {
            path(p, found);
            for a in p.segments.iter().filter_map(|s| s.arguments.as_deref()).flatten() {
                match a {
                    ast::TemplateArgument::Type(TypeExpr { kind: TypeKind::Named(p), .. }) => path(p, found),
                    ast::TemplateArgument::Expr(e) => pack_names(env, e, found, depth - 1),
                    ast::TemplateArgument::Type(_) => {}
                }
            }
        }
        ExprKind::SizeofType(TypeExpr { kind: TypeKind::Named(p), .. }) => path(p, found),
        ExprKind::Unary(_, a) | ExprKind::Sizeof(a) | ExprKind::Cast { value: a, .. } => pack_names(env, a, found, depth - 1),
        ExprKind::Binary(_, a, b) => {
            pack_names(env, a, found, depth - 1);
            pack_names(env, b, found, depth - 1);
        }
        ExprKind::Conditional(c, a, b) => [c, a, b].into_iter().for_each(|e| pack_names(env, e, found, depth - 1)),
        ExprKind::Call { callee, arguments } => {
            pack_names(env, callee, found, depth - 1);
            arguments.iter().for_each(|e| pack_names(env, e, found, depth - 1));
        }
        _ => {}
    }
}

fn path_as_type(names: &Names<'_>, env: &Env, path: &Path) -> Option<Type> {
    let last = path.segments.last()?;
    if path.segments.len() == 1 && matches!(env.get(&last.name), Some(Binding::Variable(_) | Binding::Value(..))) {
        return None;
    }
    let written = TypeExpr { kind: TypeKind::Named(path.clone()), is_const: false, is_volatile: false, range: path.range };
    match resolve_type(names, env, &written) {
        Type::Unknown(_) | Type::Opaque(_) => None,
        t => Some(t),
    }
}

fn path_value(names: &Names<'_>, env: &Env, locals: &Locals, path: &Path) -> Option<Value> {
    let last = path.segments.last()?;
    if path.segments.len() == 1 && !path.is_global {
        if let Some(slot) = locals.get(&last.name) {
            return slot.value.clone();
        }
        match env.get(&last.name) {
            Some(Binding::Value(v, _)) => return Some(v.clone()),
            Some(_) => return None,
            None => {}
        }
        let mut record = env.record.clone();
        while let Some(r) = record {
            if let Some(v) = static_member(names, &r, &last.name) {
                return Some(v);
            }
            if field(names, &r, &last.name).is_some() {
                return None;
            }
            record = r.env.record.clone();
        }
        let entries = names.unqualified(env, &last.name, false);
        if !entries.is_empty() {
            return entry_value(names, env, &entries, path);
        }
        return library::constant(&last.name).or_else(|| scope::trait_value(names, env, last));
    }
    match names.prefix(env, path) {
        None => entry_value(names, env, &names.unqualified(env, &last.name, true), path),
        Some(Prefix::Scope(s)) => entry_value(names, env, &names.in_scope(s, &last.name, 0), path),
        Some(Prefix::Record(r)) => static_member(names, &r, &last.name).or_else(|| function_value(names, env, path)),
        Some(Prefix::Enum(e, at)) => enumerator(names, &at, &e, &last.name),
        Some(Prefix::Foreign(_)) => {
            let before = &path.segments[path.segments.len() - 2];
            if &*before.name == "numeric_limits" {
                return limit(names, env, path);
            }
            match &*last.name {
                "value" => scope::trait_value(names, env, before),
                _ => scope::trait_value(names, env, last),
            }
        }
    }
}

fn limit(names: &Names<'_>, env: &Env, path: &Path) -> Option<Value> {
    let [.., before, last] = &path.segments[..] else { return None };
    match scope::resolve_arguments(names, env, before.arguments.as_deref()?, None).first()? {
        Binding::Type(t) => library::limit(t, &last.name),
        _ => None,
    }
}

fn entry_value(names: &Names<'_>, env: &Env, entries: &[(Entry<'_>, scope::ScopeId)], path: &Path) -> Option<Value> {
    let last = path.segments.last()?;
    for (entry, scope) in entries {
        match entry {
            Entry::Enumerator(e) => return enumerator(names, &Env::new(*scope), e, &last.name),
            Entry::Function(_) => return function_value(names, env, path),
            Entry::Variable(_) => {
                let (v, at) = names.variable(env, path)?;
                if let Some(head) = &v.template {
                    let at = scope::bind_template(names, env, &at, head, last.arguments.as_deref().unwrap_or_default(), &[]).ok()?;
                    return variable_value(names, &at, v);
                }
                if let Some(known) = names.cached_value(v) {
                    return known;
                }
                let value = variable_value(names, &at, v);
                names.cache_value(v, value.clone());
                return value;
            }
            _ => {}
        }
    }
    None
}

/// Whether the declared object itself is constant (`const int`, `const int[4]`, not `const int*`).
#[must_use]
pub(crate) fn is_const_object(ty: &TypeExpr) -> bool {
    ty.is_const
        || match &ty.kind {
            TypeKind::Array(of, _) => is_const_object(of),
            _ => false,
        }
}

/// The value of a variable that never changes.
fn variable_value(names: &Names<'_>, at: &Env, v: &ast::Variable) -> Option<Value> {
    let is_fixed = (v.storage.is_constexpr || is_const_object(&v.ty)) && !v.storage.is_shared && !v.storage.is_managed && !v.storage.is_constant;
    if !is_fixed || v.ty.is_volatile {
        return None;
    }
    initial_value(names, at, &mut Locals::default(), v)
}

/// What a declaration's initialiser gives, converted to the declared type.
#[must_use]
pub(crate) fn initial_value(names: &Names<'_>, at: &Env, locals: &mut Locals, v: &ast::Variable) -> Option<Value> {
    let ty = scope::variable_type(names, at, v);
    let is_auto = matches!(v.ty.kind, TypeKind::Auto);
    match v.init.as_ref()? {
        Initialiser::Equals(e) => {
            let value = eval_in(names, at, locals, e)?;
            if is_auto { Some(value) } else { cast(names, &ty, value) }
        }
        Initialiser::Paren(es) => {
            let values: Vec<_> = es.iter().map(|e| eval_in(names, at, locals, e)).collect();
            if is_auto { values.into_iter().next()? } else { construct(names, &ty, values) }
        }
        Initialiser::Brace(e) => match &e.kind {
            ExprKind::List(items) => {
                if let Type::Record(r) = &ty {
                    return aggregate(names, at, locals, r, items);
                }
                let values: Vec<_> = items.iter().map(|(_, e)| eval_in(names, at, locals, e)).collect();
                if is_auto { values.into_iter().next()? } else { construct(names, &ty, values) }
            }
            _ => cast(names, &ty, eval_in(names, at, locals, e)?),
        },
    }
}

fn aggregate(names: &Names<'_>, at: &Env, locals: &mut Locals, r: &Arc<RecordType>, items: &[(Option<ast::Name>, Expr)]) -> Option<Value> {
    let values: Vec<_> = items.iter().map(|(_, e)| eval_in(names, at, locals, e)).collect();
    if items.iter().all(|(n, _)| n.is_none()) {
        return construct(names, &Type::Record(r.clone()), values);
    }
    let mut made = construct(names, &Type::Record(r.clone()), Vec::new())?;
    if let Value::Fields(f) = &mut made {
        let f = Arc::make_mut(f);
        for ((name, _), value) in items.iter().zip(values) {
            let name = name.as_ref()?;
            f.values.iter_mut().find(|(n, _)| n == name)?.1 = value;
        }
    }
    Some(made)
}

/// A static constant or an enumerator of a class or its bases.
pub(super) fn static_member(names: &Names<'_>, r: &Arc<RecordType>, name: &str) -> Option<Value> {
    let _guard = Guard::enter()?;
    let inside = Env::inside(r);
    for member in &r.record.members {
        match member {
            ast::Member::Enum(e) if !e.is_class && e.values.iter().any(|(n, _)| &**n == name) => return enumerator(names, &inside, e, name),
            ast::Member::Variables(vs) => {
                let Some(v) = vs.iter().find(|v| &*v.name == name && (v.storage.is_static || v.storage.is_constexpr)) else { continue };
                if v.init.is_some() {
                    return variable_value(names, &inside, v);
                }
                return variable_value(names, &inside, names.outside_variable(r, name)?);
            }
            _ => {}
        }
    }
    r.bases.iter().find_map(|(_, b)| static_member(names, b, name))
}

fn enumerator(names: &Names<'_>, at: &Env, e: &ast::Enum, name: &str) -> Option<Value> {
    let ty = e.underlying.as_ref().map_or(Some(Type::Scalar(Scalar::I32)), |u| Some(resolve_type(names, at, u)))?.scalar()?;
    let index = e.values.iter().position(|(n, _)| &**n == name)?;
    let base = e.values[..=index].iter().rposition(|(_, v)| v.is_some());
    let start = match base {
        None => -1,
        Some(i) => {
            // Earlier enumerators are in scope.
            let init = e.values[i].1.as_ref()?;
            let mut at = at.clone();
            if e.is_class
                && let ExprKind::Path(_) | ExprKind::Binary(..) = init.kind
            {
                for (n, _) in &e.values[..i] {
                    if let Some(v) = enumerator(names, &at, e, n) {
                        at.set(n.clone(), Binding::Value(v, None));
                    }
                }
            }
            eval(names, &at, init)?.as_int()?
        }
    };
    let steps = base.map_or(index as i64 + 1, |i| (index - i) as i64);
    let value = start.checked_add(steps)?;
    Some(Value::int(value, if i32::try_from(value).is_ok() { ty } else { Scalar::I64 }))
}

fn unary(names: &Names<'_>, env: &Env, locals: &mut Locals, op: UnaryOp, inner: &Expr) -> Option<Value> {
    use UnaryOp as U;
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
            Some(if matches!(op, U::PreIncrement | U::PreDecrement) { new } else { old })
        }
        op => arithmetic::unary(op, &eval_in(names, env, locals, inner)?),
    }
}

/// `v + 1` or `v - 1` in the type of `v`.
#[must_use]
pub(crate) fn step(v: &Value, up: bool) -> Option<Value> {
    let one = Value::int(1, Scalar::I32);
    let new = arithmetic::binary(if up { BinaryOp::Add } else { BinaryOp::Sub }, v, &one)?;
    match v.ty() {
        Some(Type::Scalar(s)) => new.convert(s),
        _ => Some(new),
    }
}

/// Writes a local variable, a field or an element; false where `place` is none of these. An unknown
/// index makes the whole array unknown.
pub(crate) fn assign(names: &Names<'_>, env: &Env, locals: &mut Locals, place: &Expr, value: Option<Value>) -> bool {
    let mut steps = Vec::new();
    let mut at = place;
    let root = loop {
        match &at.kind {
            ExprKind::Path(p) if p.segments.len() == 1 => break &p.segments[0].name,
            ExprKind::Member { object, arrow: false, member } => {
                let Some(last) = member.segments.last() else { return false };
                steps.push(Step::Field(last.name.clone()));
                at = object;
            }
            ExprKind::Index(base, index) if index.len() == 1 => {
                let i = eval_in(names, env, &mut Locals { slots: locals.slots.clone(), is_mutable: false }, &index[0]);
                steps.push(Step::Element(i.and_then(|v| v.as_int()).and_then(|i| usize::try_from(i).ok())));
                at = base;
            }
            ExprKind::Cast { value, .. } => at = value,
            _ => return false,
        }
    };
    let Some(slot) = locals.get_mut(root) else { return false };
    if steps.is_empty() {
        slot.value = value.and_then(|v| cast(names, &slot.ty, v));
        return true;
    }
    let mut target = &mut slot.value;
    while let Some(step) = steps.pop() {
        let next = match (target.as_mut(), &step) {
            (Some(Value::Fields(f)), Step::Field(name)) => Arc::make_mut(f).values.iter_mut().find(|(n, _)| n == name).map(|(_, v)| v),
            (Some(Value::List(items)), Step::Element(Some(i))) => Arc::make_mut(items).get_mut(*i),
            (Some(Value::Pointer { .. }), Step::Element(_)) => return true,
            _ => None,
        };
        match next {
            Some(next) => target = next,
            None => {
                slot.value = None;
                return true;
            }
        }
    }
    *target = match (value, target.as_ref().and_then(Value::ty)) {
        (Some(v), Some(Type::Scalar(s))) => v.convert(s).or(Some(v)),
        (v, _) => v,
    };
    true
}

enum Step {
    Field(ast::Name),
    Element(Option<usize>),
}

/// A value converted to a type; what has no meaning there is unknown.
pub(crate) fn cast(names: &Names<'_>, wanted: &Type, value: Value) -> Option<Value> {
    match (wanted.strip_reference(), &value) {
        (Type::Scalar(s), Value::Int { .. } | Value::Float(..) | Value::Pointer { .. }) => value.convert(*s),
        (Type::Scalar(_), Value::List(items)) => match &items[..] {
            [Some(v)] => cast(names, wanted, v.clone()),
            [] => cast(names, wanted, Value::int(0, Scalar::I32)),
            _ => None,
        },
        (Type::Pointer(t), Value::Pointer { offset, .. }) => Some(Value::Pointer { offset: *offset, element: t.size().unwrap_or(0) }),
        (Type::Pointer(_) | Type::Function, Value::Function(_) | Value::Str(_)) => Some(value),
        (Type::Pointer(_), Value::Int { .. }) => Some(value),
        (Type::Pointer(_) | Type::Array(..), Value::List(_)) => match (wanted, &value) {
            (Type::Array(of, n), Value::List(items)) => {
                let mut items: Vec<_> = items.iter().map(|v| v.clone().and_then(|v| cast(names, of, v))).collect();
                let length = n.and_then(|n| usize::try_from(n).ok()).unwrap_or(items.len());
                if length > 65_536 {
                    return None;
                }
                while items.len() < length {
                    items.push(cast(names, of, Value::List(Arc::default())));
                }
                Some(Value::List(Arc::new(items)))
            }
            _ => Some(value),
        },
        (Type::Vector { .. } | Type::Record(_), Value::List(items)) => construct(names, wanted.strip_reference(), items.to_vec()),
        (Type::Vector { name, .. }, Value::Fields(f)) if matches!(&f.ty, Type::Vector { name: n, .. } if n == name) => Some(value),
        (Type::Vector { name: "dim3", .. }, _) => construct(names, wanted, vec![Some(value)]),
        (Type::Record(_), Value::Fields(f)) if f.ty == *wanted.strip_reference() => Some(value),
        (Type::Record(r), _) if !matches!(value, Value::Fields(_)) => constructed(names, r, &[Some(value)]),
        // `auto`, and classes of headers that are not there.
        (Type::Unknown(_) | Type::Opaque(_), Value::Lambda(_) | Value::Function(_) | Value::List(_)) => Some(value),
        _ => None,
    }
}

/// `T(values…)` or `T{values…}`; `None` among the values is an unknown one.
pub(crate) fn construct(names: &Names<'_>, ty: &Type, values: Vec<Option<Value>>) -> Option<Value> {
    match ty.strip_reference() {
        Type::Scalar(s) => match &values[..] {
            [] => Value::int(0, Scalar::I32).convert(*s),
            [Some(v)] => cast(names, ty, v.clone()),
            _ => None,
        },
        Type::Vector { name, scalar, lanes } => {
            if let [Some(v @ Value::Fields(_))] = &values[..] {
                // A copy, or `dim3(uint3)`.
                return fields_as(ty, name, v);
            }
            if let [Some(v @ Value::List(_))] = &values[..] {
                return cast(names, ty, v.clone());
            }
            let missing = i64::from(*name == "dim3");
            let lane = |i: usize| match values.get(i) {
                Some(v) => v.as_ref()?.convert(*scalar),
                None => Value::int(missing, Scalar::I32).convert(*scalar),
            };
            let values = ["x", "y", "z", "w"].into_iter().take(usize::from(*lanes)).enumerate().map(|(i, n)| (ast::Name::from(n), lane(i))).collect();
            Some(Value::Fields(Arc::new(Fields { ty: ty.strip_reference().clone(), values })))
        }
        Type::Record(r) => match &values[..] {
            [Some(Value::Fields(f))] if f.ty == *ty.strip_reference() => values[0].clone(),
            _ => constructed(names, r, &values),
        },
        Type::Array(..) => cast(names, ty, Value::List(Arc::new(values))),
        Type::Pointer(_) => match values.into_iter().next() {
            Some(v) => cast(names, ty, v?),
            None => Some(Value::int(0, Scalar::I64)),
        },
        _ => None,
    }
}

fn fields_as(ty: &Type, name: &str, v: &Value) -> Option<Value> {
    let Value::Fields(f) = v else { return None };
    match &f.ty {
        Type::Vector { name: other, .. } if *other == name => Some(v.clone()),
        Type::Vector { scalar: Scalar::U32, lanes: 3, .. } if matches!(name, "dim3" | "uint3") => {
            Some(Value::Fields(Arc::new(Fields { ty: ty.clone(), values: f.values.clone() })))
        }
        _ => None,
    }
}

/// An object of a class: by its constructor where it has one that fits, else member by member.
fn constructed(names: &Names<'_>, r: &Arc<RecordType>, values: &[Option<Value>]) -> Option<Value> {
    let _guard = Guard::enter()?;
    let r = scope::complete(names, r);
    let inside = Env::inside(&r);
    let constructors: Vec<_> = r.record.name.as_ref().map_or_else(Vec::new, |n| names.methods(&r, n));
    let constructors: Vec<_> = constructors.into_iter().filter(|c| c.function.kind == ast::FunctionKind::Constructor).collect();
    let mut locals = Locals { is_mutable: true, ..Locals::default() };
    let default_of = |name: &str, locals: &mut Locals| {
        let v = r.record.members.iter().find_map(|m| match m {
            ast::Member::Variables(vs) => vs.iter().find(|v| &*v.name == name),
            _ => None,
        })?;
        initial_value(names, &inside, locals, v)
    };
    let mut fields: Vec<(ast::Name, Option<Value>)> = Vec::new();
    if constructors.is_empty() {
        if !r.bases.is_empty() {
            return None;
        }
        for (i, f) in r.fields.iter().enumerate() {
            let value = match values.get(i) {
                Some(v) => v.clone().and_then(|v| cast(names, &f.ty, v)),
                None => default_of(&f.name, &mut locals),
            };
            fields.push((ast::Name::from(f.name.as_str()), value));
        }
    } else {
        let types: Vec<_> = values.iter().map(|v| v.as_ref().and_then(Value::ty).unwrap_or_else(|| Type::unknown("unknown"))).collect();
        let (c, env) = select(names, &inside, &constructors, &[], &types)?;
        body::bind_parameters(names, &env, &c.function, values, &mut locals);
        for f in &r.fields {
            let given = c.function.initialisers.iter().find(|(n, _)| **n == *f.name);
            let value = match given {
                Some((_, es)) => {
                    let values: Vec<_> = es.iter().map(|e| eval_in(names, &env, &mut locals, e)).collect();
                    construct(names, &f.ty, values)
                }
                None => default_of(&f.name, &mut locals),
            };
            fields.push((ast::Name::from(f.name.as_str()), value));
        }
        let statements = c.function.body.as_deref().unwrap_or_default();
        if c.function.body.is_none() && fields.iter().any(|(_, v)| v.is_some()) {
            return None;
        }
        if !statements.is_empty() {
            // The body sees the fields as variables.
            let at = locals.slots.len();
            for ((name, value), f) in fields.iter().zip(&r.fields) {
                locals.push(name.clone(), f.ty.clone(), value.clone());
            }
            let whole = body::run(names, &env, &mut locals, statements);
            for ((_, value), slot) in fields.iter_mut().zip(&locals.slots[at..]) {
                *value = if whole { slot.value.clone() } else { None };
            }
        }
    }
    Some(Value::Fields(Arc::new(Fields { ty: Type::Record(r), values: fields })))
}

fn call(names: &Names<'_>, env: &Env, locals: &mut Locals, callee: &Expr, arguments: &[Expr]) -> Option<Value> {
    match &callee.kind {
        ExprKind::Path(path) => {
            let last = path.segments.last()?;
            if let Some(slot) = locals.get(&last.name).filter(|_| path.segments.len() == 1) {
                let value = slot.value.clone()?;
                return call_value(names, env, locals, &value, arguments);
            }
            let candidates = names.functions(env, path);
            if candidates.is_empty() {
                if path.segments.len() > 1 && &*path.segments[path.segments.len() - 2].name == "numeric_limits" {
                    return limit(names, env, path);
                }
                let values: Vec<_> = arguments.iter().map(|a| eval_in(names, env, locals, a)).collect();
                if let Some(t) = path_as_type(names, env, path) {
                    return construct(names, &t, values);
                }
                if let Some(vector) = last.name.strip_prefix("make_")
                    && let Some(t) = crate::ir::types::known(vector)
                {
                    return construct(names, &t, values);
                }
                // `std::max<T>(a, b)` converts first.
                let to = match last.arguments.as_deref().map(|a| scope::resolve_arguments(names, env, a, None)).as_deref() {
                    Some([Binding::Type(Type::Scalar(s))]) => Some(*s),
                    _ => None,
                };
                let values = values.into_iter().map(|v| to.map_or_else(|| v.clone(), |s| v.as_ref()?.convert(s))).collect::<Option<Vec<_>>>()?;
                return library::call(&last.name, &values);
            }
            let explicit = last.arguments.as_deref().unwrap_or_default();
            call_one_of(names, env, locals, &candidates, explicit, arguments)
        }
        ExprKind::Lambda(_) => {
            let value = eval_in(names, env, locals, callee)?;
            call_value(names, env, locals, &value, arguments)
        }
        ExprKind::Member { object, member, arrow: false } => {
            // `sizes.size()` and methods that only read.
            let name = &member.segments.last()?.name;
            match eval_in(names, env, locals, object)? {
                Value::List(items) if &**name == "size" => Some(Value::int(items.len() as i64, Scalar::U64)),
                Value::List(items) if matches!(&**name, "front" | "back") => (if &**name == "front" { items.first() } else { items.last() })?.clone(),
                _ => None,
            }
        }
        _ => None,
    }
}

fn call_value(names: &Names<'_>, env: &Env, locals: &mut Locals, value: &Value, arguments: &[Expr]) -> Option<Value> {
    match value {
        Value::Lambda(l) => {
            let values: Vec<_> = arguments.iter().map(|a| eval_in(names, env, locals, a)).collect();
            let mark = locals.slots.len();
            for (i, p) in l.parameters.iter().enumerate() {
                let ty = resolve_type(names, env, &p.ty);
                let value = values.get(i).cloned().flatten();
                if let Some(name) = &p.name {
                    let ty = value.as_ref().and_then(Value::ty).filter(|_| ty.is_unknown()).unwrap_or(ty);
                    locals.push(name.clone(), ty, value);
                }
            }
            let was = std::mem::replace(&mut locals.is_mutable, true);
            let mut inner = locals.clone();
            let result = body::result(names, env, &mut inner, &l.body);
            locals.is_mutable = was;
            locals.slots.truncate(mark);
            result
        }
        Value::Function(f) => {
            let explicit = f.explicit.clone();
            call_one_of(names, env, locals, &f.candidates, explicit.as_deref().unwrap_or_default(), arguments)
        }
        _ => None,
    }
}

fn call_one_of(names: &Names<'_>, env: &Env, locals: &mut Locals, candidates: &[scope::Callee], explicit: &[ast::TemplateArgument], arguments: &[Expr]) -> Option<Value> {
    let values: Vec<_> = arguments.iter().map(|a| eval_in(names, env, locals, a)).collect();
    let types: Vec<_> = arguments
        .iter()
        .zip(&values)
        .map(|(a, v)| match v.as_ref().and_then(Value::ty) {
            Some(t) => t,
            None => scope::type_with(names, env, a, &|n| locals.get(n).map(|s| s.ty.clone())),
        })
        .collect();
    let (callee, inner) = select(names, env, candidates, explicit, &types)?;
    body::call(names, &callee, &inner, &values)
}

/// A static member of the class a type names, for callers that hold the type.
#[must_use]
pub fn member_of(names: &Names<'_>, ty: &Type, name: &str) -> Option<Value> {
    match ty.strip_reference() {
        Type::Record(r) => static_member(names, r, name),
        _ => None,
    }
}
