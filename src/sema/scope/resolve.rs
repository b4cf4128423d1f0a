//! From a type as written to a type with a layout.
//!
//! Given names and an environment; follows aliases, members and templates,
//! chooses specialisations and lays out classes. Whatever cannot be resolved is
//! [`Type::Unknown`] or [`Type::Opaque`], never an error.

use super::bind::bind_values;
use super::instantiate::{complete, instantiate};
use super::specialisation::choose;
use super::standard::{foreign_type, opaque, standard};
use super::{Binding, Entry, Env, Fingerprint, Guard, Names, Prefix, ScopeId, resolve_arguments};
use crate::ir::Scalar;
use crate::sema::consteval;
use crate::sema::types::{
    self, Enumeration, EnumerationKind, Qualifiers, RecordType, Target, Twin, Type,
};
use crate::syntax::ast::{self, Path, Segment, TypeExpr, TypeKind};
use std::sync::Arc;

/// The type that `ty` names in `env`.
#[must_use]
pub fn resolve_type(names: &Names<'_>, env: &Env, ty: &TypeExpr) -> Type {
    resolve_qualified(names, env, ty).unqualified()
}

/// As [`resolve_type`]; `const` and `volatile` of the type itself are kept, as template arguments need
/// them.
#[must_use]
pub fn resolve_qualified(names: &Names<'_>, env: &Env, ty: &TypeExpr) -> Type {
    let Some(_guard) = Guard::enter() else {
        return Type::unknown("its type is nested too deeply");
    };
    let resolved = match &ty.kind {
        TypeKind::Auto | TypeKind::DecltypeAuto => {
            Type::unknown("its type is deduced from a value that is not known")
        }
        TypeKind::Builtin(b) => types::builtin(*b),
        TypeKind::Named(path) => resolve_named(names, env, path),
        TypeKind::Pointer { to, .. } => {
            Type::Pointer(Target::new(resolve_qualified(names, env, to)))
        }
        TypeKind::Reference { to, is_rvalue } => match resolve_qualified(names, env, to) {
            Type::Reference(t) => {
                let is_rvalue = t.is_rvalue && *is_rvalue;
                Type::Reference(t.referred(is_rvalue))
            }
            t => Type::Reference(Target::new(t).referred(*is_rvalue)),
        },
        TypeKind::Array(of, bound) => {
            let element = Target::new(resolve_qualified(names, env, of).with(Qualifiers::of(ty)));
            match bound {
                None => Type::Array(element, None),
                Some(e) => match consteval::eval(names, env, e).and_then(|v| v.as_int()) {
                    Some(n) if n >= 0 => Type::Array(element, Some(n as u64)),
                    _ => Type::unknown(format!(
                        "the array bound `{}` is not a known constant",
                        crate::sema::text(e)
                    )),
                },
            }
        }
        TypeKind::Function { .. } => Type::Function,
        TypeKind::Record(r) => record_type(names, &[(r, env.clone())], None, env),
        TypeKind::Enum(e) => enum_type(names, env, e),
        TypeKind::Decltype(e) => super::type_of::decltype(names, env, e),
        TypeKind::None => Type::unknown("no type is written"),
    };
    match resolved {
        Type::Array(of, count) if of.is_class || matches!(ty.kind, TypeKind::Array(..)) => {
            Type::Array(of, count)
        }
        // `const Row`, of an array: its elements are.
        resolved => resolved.with(Qualifiers::of(ty)),
    }
}

fn resolve_named(names: &Names<'_>, env: &Env, path: &Path) -> Type {
    let Some(last) = path.segments.last() else {
        return Type::unknown("no type is written");
    };
    match names.prefix(env, path) {
        None => unqualified_type(names, env, last, path.is_global, path.range),
        Some(Prefix::Scope(s)) => {
            type_from_entries(names, &names.in_scope(s, &last.name, 0), last, env)
                .unwrap_or_else(|| foreign_type(names, env, names.scope_name(s), path))
        }
        Some(Prefix::Record(r)) => member_type(names, &r, last, env).unwrap_or_else(|| {
            Type::unknown(format!("`{}` has no type member `{}`", r.name, last.name))
        }),
        Some(Prefix::Enum(..)) => Type::unknown(format!("`{}` is not a type", last.name)),
        Some(Prefix::Foreign(prefix)) => {
            // A member of an instance that is not known is not known: no type of a header.
            if let Some(first) = path.segments.first()
                && first.arguments.is_some()
                && let reason @ Type::Unknown(_) =
                    unqualified_type(names, env, first, path.is_global, path.range)
            {
                return reason;
            }
            foreign_type(names, env, &prefix, path)
        }
    }
}

/// A type by a name without `::`.
pub(super) fn unqualified_type(
    names: &Names<'_>,
    env: &Env,
    segment: &Segment,
    is_global: bool,
    at: ast::Range,
) -> Type {
    let Some(_guard) = Guard::enter() else {
        return Type::unknown("its type is nested too deeply");
    };
    if let Some(written) = segment.decltype() {
        return resolve_type(names, env, written);
    }
    if !is_global {
        match env.get(&segment.name) {
            Some(Binding::Type(t)) => return t.clone(),
            Some(Binding::Template(path, at)) => {
                let mut path = path.clone();
                if let Some(last) = path.segments.last_mut() {
                    let arguments = resolve_arguments(
                        names,
                        env,
                        segment.arguments.as_deref().unwrap_or_default(),
                        None,
                    );
                    // The arguments are read here, the template's name where it was given.
                    let mut at = at.clone();
                    let mut written = Vec::new();
                    for (i, b) in arguments.into_iter().enumerate() {
                        let name: ast::Name = Arc::from(format!("$argument{i}"));
                        at.set(name.clone(), b);
                        written.push(named_argument(name));
                    }
                    last.arguments = Some(written.into());
                    return resolve_named(names, &at, &path);
                }
            }
            Some(_) => return Type::unknown(format!("`{}` is not a type", segment.name)),
            None => {}
        }
        let mut record = env.record.clone();
        while let Some(r) = record {
            if let Some(t) = member_type(names, &r, segment, env)
                && !names.hides_base(&r, &segment.name)
            {
                return t;
            }
            record = r.env.record.clone();
        }
    }
    if let Some(t) = type_from_entries(
        names,
        &names.unqualified(env, &segment.name, is_global, at),
        segment,
        env,
    ) {
        return t;
    }
    if let Some(t) = types::known(&segment.name) {
        return t;
    }
    // `using namespace std;`, and headers that are not there.
    standard(names, env, segment, "").unwrap_or_else(|| opaque(names, env, "", segment))
}

/// Whether a type names a member that its class certainly lacks, itself or by what its aliases stand for:
/// an `enable_if` of the user's own says no so.
pub(super) fn is_ill_formed(names: &Names<'_>, env: &Env, ty: &TypeExpr) -> bool {
    let Some(_guard) = Guard::enter() else {
        return false;
    };
    let path = match &ty.kind {
        TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } | TypeKind::Array(to, _) => {
            return is_ill_formed(names, env, to);
        }
        TypeKind::Named(path) => path,
        _ => return false,
    };
    let Some(last) = path.segments.last() else {
        return false;
    };
    let entries = match names.prefix(env, path) {
        Some(Prefix::Record(r)) => {
            let r = complete(names, &r);
            return r.problem.is_none() && member_type(names, &r, last, env).is_none();
        }
        None if env.named(path).is_none() && (env.record.is_none() || path.is_global) => {
            names.unqualified(env, &last.name, path.is_global, path.range)
        }
        Some(Prefix::Scope(scope)) => names.in_scope(scope, &last.name, 0),
        _ => return false,
    };
    let alias = entries.iter().find_map(|(entry, scope)| match entry {
        Entry::Alias(alias) => Some((alias, Env::new(*scope))),
        _ => None,
    });
    let Some((alias, definition)) = alias else {
        return false;
    };
    let Some(head) = &alias.template else {
        return false;
    };
    let given = last.arguments.as_deref().unwrap_or_default();
    let given = resolve_arguments(names, env, given, Some(head));
    bind_values(names, &definition, head, given, &[])
        .is_ok_and(|inside| is_ill_formed(names, &inside, &alias.ty))
}

fn named_argument(name: ast::Name) -> ast::TemplateArgument {
    let range = ast::Range::default();
    let segments = vec![Segment {
        name,
        arguments: None,
    }];
    ast::TemplateArgument::Type(TypeExpr::named(Path {
        is_global: false,
        segments,
        range,
    }))
}

/// The type among the namespace-level meanings of a name.
pub(super) fn type_from_entries(
    names: &Names<'_>,
    entries: &[(Entry<'_>, ScopeId)],
    segment: &Segment,
    caller: &Env,
) -> Option<Type> {
    let mut records = Vec::new();
    for (entry, scope) in entries {
        match entry {
            Entry::Alias(a) => {
                // `typedef struct S S;` names the class itself.
                if let TypeKind::Named(p) = &a.ty.kind
                    && p.segments.len() == 1
                    && p.segments[0].name == a.name
                {
                    continue;
                }
                return Some(alias_type(names, a, &Env::new(*scope), segment, caller));
            }
            Entry::Enum(e) => return Some(enum_type(names, &Env::new(*scope), e)),
            Entry::Record(r) => records.push((*r, Env::new(*scope))),
            _ => {}
        }
    }
    if records.is_empty() {
        return None;
    }
    Some(record_type(
        names,
        &records,
        segment.arguments.as_deref(),
        caller,
    ))
}

fn alias_type(
    names: &Names<'_>,
    alias: &ast::Alias,
    definition: &Env,
    segment: &Segment,
    caller: &Env,
) -> Type {
    let Some(_guard) = Guard::enter() else {
        return Type::unknown("its type is nested too deeply");
    };
    let question = Fingerprint::new("alias")
        .place(std::ptr::from_ref(alias))
        .env(definition);
    match &alias.template {
        None => {
            // `typedef struct { … } S;`: the class goes by the alias.
            if let TypeKind::Record(r) = &alias.ty.kind
                && r.name.is_none()
            {
                return instantiate(names, r, definition, Vec::new(), &alias.name);
            }
            names
                .types
                .answer(question, || resolve_qualified(names, definition, &alias.ty))
        }
        Some(head) => {
            let explicit = resolve_arguments(
                names,
                caller,
                segment.arguments.as_deref().unwrap_or_default(),
                Some(head),
            );
            let question = question.bindings(&explicit);
            names.types.answer(question, || {
                match bind_values(names, definition, head, explicit, &[]) {
                    Ok(env) => resolve_qualified(names, &env, &alias.ty),
                    Err(reason) => Type::unknown(reason),
                }
            })
        }
    }
}

/// The types that a function takes to which a type, or the elements of one, point.
pub(crate) fn pointed_parameters(names: &Names<'_>, env: &Env, ty: &TypeExpr) -> Option<Vec<Type>> {
    let _guard = Guard::enter()?;
    match &ty.kind {
        TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } | TypeKind::Array(to, _) => {
            pointed_parameters(names, env, to)
        }
        TypeKind::Function { parameters, .. } => Some(
            parameters
                .iter()
                .map(|p| resolve_type(names, env, p))
                .collect(),
        ),
        TypeKind::Named(path) if path.segments.len() == 1 => {
            let only = &path.segments[0];
            let entries = names.unqualified(env, &only.name, path.is_global, path.range);
            let (alias, scope) = entries.iter().find_map(|(entry, scope)| match entry {
                Entry::Alias(a) => Some((*a, *scope)),
                _ => None,
            })?;
            let definition = Env::new(scope);
            let Some(head) = &alias.template else {
                return pointed_parameters(names, &definition, &alias.ty);
            };
            let written = only.arguments.as_deref().unwrap_or_default();
            let explicit = resolve_arguments(names, env, written, Some(head));
            let bound = bind_values(names, &definition, head, explicit, &[]).ok()?;
            pointed_parameters(names, &bound, &alias.ty)
        }
        _ => None,
    }
}

/// A type declared in a class or its bases.
pub(super) fn member_type(
    names: &Names<'_>,
    record: &Arc<RecordType>,
    segment: &Segment,
    caller: &Env,
) -> Option<Type> {
    let _guard = Guard::enter()?;
    let own = record.record.name.as_ref();
    if own == Some(&segment.name) && segment.arguments.is_none() {
        return Some(Type::Record(complete(names, record)));
    }
    let inside = Env::inside(record);
    let mut records = Vec::new();
    for member in &record.record.members {
        match member {
            ast::Member::Alias(a) if a.name == segment.name => {
                // `using Base = Base<T>;`: the name on the right is the one that stands outside.
                if let (None, TypeKind::Named(path)) = (&a.template, &a.ty.kind)
                    && let [outer] = path.segments.as_slice()
                    && outer.name == a.name
                {
                    let of_class = record.env.record.as_ref();
                    return of_class
                        .and_then(|class| member_type(names, class, outer, &inside))
                        .or_else(|| {
                            let entries =
                                names.unqualified(&record.env, &outer.name, false, path.range);
                            type_from_entries(names, &entries, outer, &inside)
                        });
                }
                return Some(alias_type(names, a, &inside, segment, caller));
            }
            ast::Member::Enum(e) if e.name.as_ref() == Some(&segment.name) => {
                return Some(enum_type(names, &inside, e));
            }
            // `using Base::T;`
            ast::Member::Using(path)
                if path.segments.len() > 1
                    && path
                        .segments
                        .last()
                        .is_some_and(|last| last.name == segment.name) =>
            {
                if let Some(Prefix::Record(base)) = names.prefix(&inside, path)
                    && let Some(ty) = member_type(names, &base, segment, caller)
                {
                    return Some(ty);
                }
            }
            ast::Member::Record(r) if r.name.as_ref() == Some(&segment.name) => {
                records.push((r, inside.clone()))
            }
            ast::Member::Variables(vs) => {
                for v in vs {
                    if let TypeKind::Record(r) = &v.ty.kind
                        && r.name.as_ref() == Some(&segment.name)
                    {
                        records.push((r, inside.clone()));
                    }
                }
            }
            _ => {}
        }
    }
    if !records.is_empty() {
        let (outside, plain, is_replaced) = names.member_classes_outside(record, &segment.name);
        if let Some((class, env)) = plain {
            return Some(instantiate(names, class, &env, Vec::new(), &segment.name));
        }
        if is_replaced {
            records.clear();
        }
        records.extend(outside);
        return Some(record_type(
            names,
            &records,
            segment.arguments.as_deref(),
            caller,
        ));
    }
    record
        .bases
        .iter()
        .find_map(|(_, b)| member_type(names, b, segment, caller))
}

/// An enumeration of a function: another function may have one of its name.
#[must_use]
pub fn local_enumeration(names: &Names<'_>, env: &Env, e: &ast::Enum) -> Type {
    match enum_type(names, env, e) {
        Type::Scalar(scalar, Twin::Enumeration(one)) => {
            let here = Fingerprint::new("local enumeration").place(std::ptr::from_ref(e));
            let identity = here.identity();
            Type::Scalar(scalar, Twin::Enumeration(Enumeration { identity, ..one }))
        }
        other => other,
    }
}

/// An enumeration as a type of its own: the type of its values, and which one it is.
pub(super) fn enum_type(names: &Names<'_>, env: &Env, e: &ast::Enum) -> Type {
    if e.has_attributes {
        return Type::unknown("attributes of enumerations are not modelled");
    }
    let (scalar, kind) = match &e.underlying {
        Some(written) => match resolve_type(names, env, written) {
            Type::Scalar(scalar, _) if e.is_class => (scalar, EnumerationKind::Scoped),
            Type::Scalar(scalar, _) => (scalar, EnumerationKind::Fixed),
            other => return other,
        },
        None if e.is_class => (Scalar::I32, EnumerationKind::Scoped),
        None => {
            let scalar = plain_enumeration(names, env, e);
            (scalar, EnumerationKind::Plain)
        }
    };
    // It may be declared before it is defined.
    let named = match &e.name {
        Some(name) => Fingerprint::new("enumeration")
            .text(name)
            .number(u64::from(env.namespace)),
        None => Fingerprint::new("unnamed enumeration").place(std::ptr::from_ref(e)),
    };
    let named = match &env.record {
        Some(record) => named.record(record),
        None => named,
    };
    let identity = named.identity();
    let one = Enumeration {
        identity,
        kind,
        home: env.namespace,
        is_member: env.record.is_some(),
    };
    Type::Scalar(scalar, Twin::Enumeration(one))
}

/// The first of `int`, `unsigned` and `long` that has all values of an enumeration. Of those
/// that name something that is not asked.
pub(crate) fn plain_enumeration(names: &Names<'_>, env: &Env, e: &ast::Enum) -> Scalar {
    let (mut least, mut most) = (0, 0);
    let mut next = Some(0_i64);
    for (_, written) in &e.values {
        let value = match written {
            Some(ast::Expr {
                kind: ast::ExprKind::Int { value, .. },
                ..
            }) => i64::try_from(*value).ok(),
            Some(written) if is_of_numbers(written) => {
                consteval::eval(names, env, written).and_then(|value| value.as_int())
            }
            Some(_) => None,
            None => next,
        };
        if let Some(value) = value {
            (least, most) = (value.min(least), value.max(most));
        }
        next = value.and_then(|value| value.checked_add(1));
    }
    let has_all = |low: i64, high: i64| low <= least && most <= high;
    if has_all(i32::MIN.into(), i32::MAX.into()) {
        Scalar::I32
    } else if has_all(0, u32::MAX.into()) {
        Scalar::U32
    } else {
        Scalar::I64
    }
}

/// Whether an expression is made of numbers alone: it names no enumerator.
pub(crate) fn is_of_numbers(e: &ast::Expr) -> bool {
    use ast::ExprKind::{Binary, Bool, Cast, Char, Conditional, Int, Unary};
    match &e.kind {
        Int { .. } | Char(..) | Bool(_) => true,
        Unary(_, value) => is_of_numbers(value),
        Cast { ty, value, .. } => matches!(ty.kind, TypeKind::Builtin(_)) && is_of_numbers(value),
        Binary(_, a, b) => is_of_numbers(a) && is_of_numbers(b),
        Conditional(a, b, c) => [a, b, c].iter().all(|part| is_of_numbers(part)),
        _ => false,
    }
}

/// The class that `arguments` choose among declarations, definitions and specialisations.
fn record_type(
    names: &Names<'_>,
    candidates: &[(&Arc<ast::Record>, Env)],
    arguments: Option<&[ast::TemplateArgument]>,
    caller: &Env,
) -> Type {
    let Some(_guard) = Guard::enter() else {
        return Type::unknown("its type is nested too deeply");
    };
    let primary = candidates
        .iter()
        .find(|(r, _)| !r.is_specialisation() && r.is_definition)
        .or_else(|| candidates.iter().find(|(r, _)| !r.is_specialisation()))
        .or_else(|| candidates.first());
    let Some((primary, definition)) = primary else {
        return Type::unknown("the class is not defined");
    };
    let label = primary
        .name
        .clone()
        .unwrap_or_else(|| Arc::from("<unnamed>"));
    let Some(head) = primary
        .templates
        .last()
        .filter(|h| !h.parameters.is_empty())
    else {
        return instantiate(names, primary, definition, Vec::new(), &label);
    };
    let explicit = resolve_arguments(names, caller, arguments.unwrap_or_default(), Some(head));
    let types = super::instantiate::types_of_auto(primary.templates.last(), &explicit);
    let mut question = Fingerprint::new("class").bindings(&explicit).text(&types);
    for (record, at) in candidates {
        question = question.place(Arc::as_ptr(record)).env(at);
    }
    names.types.answer(question, || {
        choose(
            names,
            candidates,
            (primary, definition),
            head,
            explicit,
            &label,
        )
    })
}
