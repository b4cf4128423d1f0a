//! Values of names: constants of namespaces and classes, enumerators, initial values.

use super::objects::{aggregate, cast, construct_of, copied};
use super::{Locals, Value, eval, eval_in, has_designators, library, list_values};
use crate::ir::Scalar;
use crate::sema::scope::{
    self, Binding, Entry, Env, Fingerprint, Guard, Names, Prefix, field, function_value,
    is_of_numbers, plain_enumeration, resolve_type,
};
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast::{self, ExprKind, Initialiser, Path, TypeExpr, TypeKind};
use std::sync::Arc;

pub(super) fn path_value(
    names: &Names<'_>,
    env: &Env,
    locals: &Locals,
    path: &Path,
) -> Option<Value> {
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
            if names.hides_base(&r, &last.name) {
                record = r.env.record.clone();
                continue;
            }
            if let Some(v) = static_member(names, &r, &last.name) {
                return Some(v);
            }
            if names.has_meaning_in(&r, &last.name) {
                return None;
            }
            record = r.env.record.clone();
        }
        let entries = names.unqualified(env, &last.name, false, path.range);
        if !entries.is_empty() {
            return entry_value(names, env, &entries, path);
        }
        return library::constant(&last.name).or_else(|| scope::trait_value(names, env, last));
    }
    if &*last.name == "value"
        && let Some(qualifier) = path.qualifier()
        && let named = TypeExpr::named(qualifier)
        && let Some(value) = scope::constant_of(&resolve_type(names, env, &named))
    {
        return Some(value);
    }
    match names.prefix(env, path) {
        None => entry_value(
            names,
            env,
            &names.unqualified(env, &last.name, true, path.range),
            path,
        ),
        Some(Prefix::Scope(s)) => {
            let entries = names.in_scope(s, &last.name, 0);
            // A text may bring a part of the namespace `std`: what it does not declare stands in the other headers.
            if entries.is_empty() && is_of_std(path) {
                return scope::trait_value(names, env, last);
            }
            entry_value(names, env, &entries, path)
        }
        Some(Prefix::Record(r)) => {
            static_member(names, &r, &last.name).or_else(|| function_value(names, env, path))
        }
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

/// Whether the last name of a path is one of a namespace `std`, such as `cuda::std`.
fn is_of_std(path: &Path) -> bool {
    matches!(&path.segments[..], [.., within, _] if &*within.name == "std")
}

pub(super) fn limit(names: &Names<'_>, env: &Env, path: &Path) -> Option<Value> {
    let [.., before, last] = &path.segments[..] else {
        return None;
    };
    match scope::resolve_arguments(names, env, before.arguments.as_deref()?, None).first()? {
        Binding::Type(t) => library::limit(t, &last.name),
        _ => None,
    }
}

fn entry_value(
    names: &Names<'_>,
    env: &Env,
    entries: &[(Entry<'_>, scope::ScopeId)],
    path: &Path,
) -> Option<Value> {
    let last = path.segments.last()?;
    for (entry, scope) in entries {
        match entry {
            Entry::Enumerator(e) => return enumerator(names, &Env::new(*scope), e, &last.name),
            Entry::Function(_) => return function_value(names, env, path),
            Entry::Variable(_) => {
                let (v, at) = names.variable(env, path)?;
                if let Some(head) = &v.template {
                    let given = last.arguments.as_deref().unwrap_or_default();
                    let mut given = scope::resolve_arguments(names, env, given, Some(head));
                    if let Ok(all) = scope::bind_values(names, &at, head, given.clone(), &[]) {
                        // With those that the template has by default.
                        given = scope::bindings_of(names, head, &all, &given);
                    }
                    let (special, is_open) = specialised_variable(names, entries, &given);
                    if let Some((special, at)) = special {
                        return variable_value(names, &at, special);
                    }
                    if is_open {
                        return None;
                    }
                    let at = scope::bind_template(
                        names,
                        env,
                        &at,
                        head,
                        last.arguments.as_deref().unwrap_or_default(),
                        &[],
                    )
                    .ok()?;
                    return variable_value(names, &at, v);
                }
                let question = Fingerprint::new("constant")
                    .place(std::ptr::from_ref(v))
                    .env(&at);
                return names.value_of(question, || variable_value(names, &at, v));
            }
            _ => {}
        }
    }
    None
}

/// The specialisation of a variable template that these arguments choose, with its own bindings; else whether
/// one may fit.
fn specialised_variable<'a>(
    names: &Names<'_>,
    entries: &[(Entry<'a>, scope::ScopeId)],
    given: &[Binding],
) -> (Option<(&'a ast::Variable, Env)>, bool) {
    let mut fitting: Vec<(usize, &'a ast::Variable, Env)> = Vec::new();
    for (entry, scope) in entries {
        let Entry::Variable(v) = entry else { continue };
        if v.arguments.is_empty() {
            continue;
        }
        let at = Env::new(*scope);
        let head = v.template.as_ref().map(|head| &head.parameters[..]);
        let written = (&v.arguments[..], head.unwrap_or_default());
        let mut is_open = false;
        let matched = scope::match_arguments(names, &at, written, given, &mut is_open);
        if matched.is_some() && is_open {
            return (None, true);
        }
        fitting.extend(matched.map(|(score, env)| (score, *v, env)));
    }
    let most = fitting.iter().map(|(score, ..)| *score).max();
    let mut best = fitting
        .into_iter()
        .filter(|(score, ..)| Some(*score) == most);
    match (best.next(), best.next()) {
        (Some((_, v, env)), None) => (Some((v, env)), false),
        (first, _) => (None, first.is_some()),
    }
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
    let is_fixed = (v.storage.is_constexpr || is_const_object(&v.ty))
        && !v.storage.is_shared
        && !v.storage.is_managed
        && !v.storage.is_constant;
    if !is_fixed || v.ty.is_volatile {
        return None;
    }
    initial_value(names, at, &mut Locals::default(), v)
}

/// What a declaration's initialiser gives, converted to the declared type.
#[must_use]
pub(crate) fn initial_value(
    names: &Names<'_>,
    at: &Env,
    locals: &mut Locals,
    v: &ast::Variable,
) -> Option<Value> {
    let ty = scope::variable_type(names, at, v);
    let is_auto = matches!(v.ty.kind, TypeKind::Auto | TypeKind::DecltypeAuto);
    match v.init.as_ref()? {
        Initialiser::Equals(e) => {
            if let (Type::Record(r), ExprKind::List(items)) = (&ty, &e.kind)
                && has_designators(items)
            {
                return aggregate(names, at, locals, r, items);
            }
            let value = eval_in(names, at, locals, e)?;
            if is_auto {
                copied(names, value)
            } else {
                cast(names, &ty, value)
            }
        }
        Initialiser::Paren(es) => {
            let values: Vec<_> = es.iter().map(|e| eval_in(names, at, locals, e)).collect();
            if is_auto {
                values.into_iter().next()?
            } else {
                construct_of(names, (at, locals), &ty, es, values)
            }
        }
        Initialiser::Brace(e) => match &e.kind {
            ExprKind::List(items) => {
                if let Type::Record(r) = &ty {
                    return aggregate(names, at, locals, r, items);
                }
                let values = list_values(names, at, locals, items)?;
                if is_auto {
                    values.into_iter().next()?
                } else {
                    let given = items.iter().map(|(_, e)| e);
                    construct_of(names, (at, locals), &ty, given, values)
                }
            }
            _ => cast(names, &ty, eval_in(names, at, locals, e)?),
        },
    }
}

/// A static constant or an enumerator of a class or its bases.
/// The class, of these and its bases, that declares a static member or an enumerator.
#[must_use]
pub fn class_of_static(r: &Arc<RecordType>, name: &str) -> Option<Arc<RecordType>> {
    let _guard = Guard::enter()?;
    let declares = |member: &ast::Member| match member {
        ast::Member::Enum(e) => !e.is_class && e.values.iter().any(|(n, _)| &**n == name),
        ast::Member::Variables(vs) => vs
            .iter()
            .any(|v| &*v.name == name && (v.storage.is_static || v.storage.is_constexpr)),
        _ => false,
    };
    if r.record.members.iter().any(declares) {
        return Some(r.clone());
    }
    if let Some(base) = scope::used_base(r, name) {
        return class_of_static(&base?, name);
    }
    r.bases
        .iter()
        .find_map(|(_, base)| class_of_static(base, name))
}

pub(super) fn static_member(names: &Names<'_>, r: &Arc<RecordType>, name: &str) -> Option<Value> {
    let _guard = Guard::enter()?;
    let question = Fingerprint::new("member").record(r).text(name);
    names.value_of(question, || find_static_member(names, r, name))
}

fn find_static_member(names: &Names<'_>, r: &Arc<RecordType>, name: &str) -> Option<Value> {
    let inside = Env::inside(r);
    for member in &r.record.members {
        match member {
            ast::Member::Enum(e) if !e.is_class && e.values.iter().any(|(n, _)| &**n == name) => {
                return enumerator(names, &inside, e, name);
            }
            ast::Member::Variables(vs) => {
                let Some(v) = vs
                    .iter()
                    .find(|v| &*v.name == name && (v.storage.is_static || v.storage.is_constexpr))
                else {
                    continue;
                };
                let outside = names.outside_variable(r, name);
                let of_instance = outside.filter(|(_, is_of_instance)| *is_of_instance);
                let v = match (of_instance, &v.init) {
                    (Some((special, _)), _) => special,
                    (None, Some(_)) => return variable_value(names, &inside, v),
                    (None, None) => outside?.0,
                };
                let env = names.outside_env(r, v.template.as_slice());
                return variable_value(names, &env, v);
            }
            // `using Base::n;`, of a base by whatever name
            ast::Member::Using(path)
                if path.segments.len() > 1
                    && path.segments.last().is_some_and(|last| &*last.name == name) =>
            {
                if let Some(Prefix::Record(base)) = names.prefix(&inside, path)
                    && let Some(value) = static_member(names, &base, name)
                {
                    return Some(value);
                }
            }
            _ => {}
        }
    }
    if let Some(base) = scope::used_base(r, name) {
        return static_member(names, &base?, name);
    }
    let of_bases = r.bases.iter();
    let found = of_bases
        .filter_map(|(_, b)| static_member(names, b, name))
        .next();
    let is_own = || field(names, r, name).is_some() || !names.methods(r, name).is_empty();
    match name {
        "value" if found.is_none() && !is_own() => {
            scope::inherited_constant(names, &inside, &r.record)
        }
        _ => found,
    }
}

fn enumerator(names: &Names<'_>, at: &Env, e: &ast::Enum, name: &str) -> Option<Value> {
    let ty = match &e.underlying {
        Some(written) => resolve_type(names, at, written).scalar()?,
        None if e.is_class => Scalar::I32,
        None => plain_enumeration(names, at, e),
    };
    let index = e.values.iter().position(|(n, _)| &**n == name)?;
    let int = |value: i64| {
        // Of a value that names something the type does not know.
        let has_room = e.underlying.is_some() || ty.size() == 8 || ty.wrap(value) == value;
        let wider = match u32::try_from(value) {
            Ok(_) => Scalar::U32,
            Err(_) => Scalar::I64,
        };
        Value::int(value, if has_room { ty } else { wider })
    };
    let base = e.values[..=index].iter().rposition(|(_, v)| v.is_some());
    let start = match base {
        None => -1,
        Some(i) => {
            let init = e.values[i].1.as_ref()?;
            let value = if e.is_class && !is_of_numbers(init) {
                let at = with_enumerators(names, at, &e.values[..i], int);
                eval(names, &at, init)
            } else {
                eval(names, at, init)
            };
            value?.as_int()?
        }
    };
    let steps = base.map_or(index as i64 + 1, |i| (index - i) as i64);
    Some(int(start.checked_add(steps)?))
}

/// An environment in which these enumerators are in scope. Each is worked out once: of those that build on
/// each other, the last one would ask for each again for each one between.
fn with_enumerators(
    names: &Names<'_>,
    at: &Env,
    values: &[(ast::Name, Option<ast::Expr>)],
    int: impl Fn(i64) -> Value,
) -> Env {
    let mut at = at.clone();
    let mut next = Some(0);
    for (name, init) in values {
        let value = match init {
            Some(init) => eval(names, &at, init).and_then(|value| value.as_int()),
            None => next,
        };
        if let Some(value) = value {
            at.set(name.clone(), Binding::Value(int(value), None));
        }
        next = value.and_then(|value| value.checked_add(1));
    }
    at
}
