//! Template arguments: explicit, by default, and deduced from calls.
//!
//! Given heads and arguments; gives environments in which a template's names are
//! bound. Deduction covers the shapes `T`, `T*`, `T&`, `T(&)[N]`, `S<T>` and packs
//! of these. [`select`] chooses among overloads, by what `ranking` says of conversions.

use super::ranking::{Rank, forwarded_parameter, rank};
use super::shape::{Shape, is_same, mentions, shape, takes_part};
use super::unify::Unifier;
use super::{Binding, Callee, Entry, Env, Fingerprint, Names, resolve_qualified, resolve_type};
use crate::sema::consteval::{self, FunctionValue, Value};
use crate::sema::types::{self, EnumerationKind, Qualifiers, Twin, Type};
use crate::syntax::ast::{
    self, ExprKind, Name, Path, TemplateArgument, TemplateHead, TemplateParameter,
    TemplateParameterKind, TypeExpr, TypeKind,
};
use std::cmp::Ordering;
use std::sync::Arc;

/// Template arguments read in `env`. `head` tells types from values where it is known. What cannot
/// be read is a [`Binding::Type`] of an unknown type; `xs...` is spliced in.
#[must_use]
pub fn resolve_arguments(
    names: &Names<'_>,
    env: &Env,
    written: &[TemplateArgument],
    head: Option<&TemplateHead>,
) -> Vec<Binding> {
    let mut out = Vec::with_capacity(written.len());
    for argument in written {
        let parameter = head.and_then(|h| {
            h.parameters
                .get(out.len())
                .or_else(|| h.parameters.last().filter(|p| p.is_pack))
        });
        match argument {
            TemplateArgument::Type(ty) => out.push(type_argument(names, env, ty, parameter)),
            TemplateArgument::Expr(e) => match &e.kind {
                ExprKind::Expand(inner) => expand(names, env, inner, &mut out),
                ExprKind::Path(path) => out.push(path_argument(names, env, path, parameter)),
                _ => out.push(value_argument(names, env, e)),
            },
        }
    }
    out
}

fn expand(names: &Names<'_>, env: &Env, inner: &ast::Expr, out: &mut Vec<Binding>) {
    if let ExprKind::Path(p) = &inner.kind
        && let [segment] = &p.segments[..]
        && let Some(Binding::Pack(items)) = env.get(&segment.name)
    {
        out.extend(items.iter().cloned());
        return;
    }
    match consteval::each_of_pack(env, inner) {
        Some(envs) => out.extend(envs.iter().map(|env| value_argument(names, env, inner))),
        None => out.push(unknown(inner)),
    }
}

fn unknown(e: &ast::Expr) -> Binding {
    Binding::Type(Type::unknown(format!(
        "the template argument `{}` is not known",
        crate::sema::text(e)
    )))
}

fn value_argument(names: &Names<'_>, env: &Env, e: &ast::Expr) -> Binding {
    // The type of what calls and names give is not known here.
    let is_number = matches!(
        e.kind,
        ExprKind::Int { .. } | ExprKind::Bool(_) | ExprKind::Char(..) | ExprKind::SizeofType(_)
    );
    match consteval::eval(names, env, e) {
        Some(v) => {
            let ty = v.ty().filter(|_| is_number);
            Binding::Value(v, ty)
        }
        None => unknown(e),
    }
}

/// Whether a type is a scoped enumeration.
fn is_scoped(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(_, Twin::Enumeration(one)) if one.kind == EnumerationKind::Scoped)
}

/// The type of a template's value parameter, where only values of that very type can be passed.
enum ValueType {
    Enumeration(Type),
    Number(Type),
    Other,
}

fn value_type(names: &Names<'_>, env: &Env, ty: &TypeExpr) -> ValueType {
    match &ty.kind {
        TypeKind::Named(path) => names
            .enumeration_type(env, path)
            .map_or(ValueType::Other, ValueType::Enumeration),
        TypeKind::Builtin(builtin) => ValueType::Number(types::builtin(*builtin)),
        _ => ValueType::Other,
    }
}

/// A value for a parameter of that type, with the type; `None` where it cannot be passed.
fn passed(value: Value, given: Option<Type>, wanted: &ValueType) -> Option<Binding> {
    let is_enumerator = given.as_ref().is_some_and(Type::is_enumeration);
    let is_number = !is_enumerator && matches!(given, Some(Type::Scalar(_, _)));
    let ty = match wanted {
        ValueType::Enumeration(_) if is_number => return None,
        ValueType::Enumeration(ty) if is_enumerator && given.as_ref() != Some(ty) => return None,
        ValueType::Number(_) if given.as_ref().is_some_and(is_scoped) => return None,
        ValueType::Enumeration(ty) | ValueType::Number(ty) => Some(ty.clone()),
        ValueType::Other => given,
    };
    Some(Binding::Value(value, ty))
}

fn type_argument(
    names: &Names<'_>,
    env: &Env,
    ty: &TypeExpr,
    parameter: Option<&TemplateParameter>,
) -> Binding {
    let TypeKind::Named(path) = &ty.kind else {
        return Binding::Type(resolve_qualified(names, env, ty));
    };
    match path_argument(names, env, path, parameter) {
        Binding::Type(of) => Binding::Type(of.with(Qualifiers::of(ty))),
        other => other,
    }
}

fn path_argument(
    names: &Names<'_>,
    env: &Env,
    path: &Path,
    parameter: Option<&TemplateParameter>,
) -> Binding {
    let Some(last) = path.segments.last() else {
        return Binding::Type(Type::unknown("no template argument is written"));
    };
    if path.segments.len() == 1 && last.arguments.is_none() {
        match env.get(&last.name) {
            Some(Binding::Variable(_) | Binding::Namespace(_)) | None => {}
            Some(b) => return b.clone(),
        }
    }
    let as_type = || resolve_qualified(names, env, &TypeExpr::named(path.clone()));
    let as_value = || {
        consteval::eval(
            names,
            env,
            &ast::Expr {
                kind: ExprKind::Path(path.clone()),
                range: path.range,
            },
        )
    };
    match parameter.map(|p| &p.kind) {
        Some(TemplateParameterKind::Type { .. }) => return Binding::Type(as_type()),
        Some(TemplateParameterKind::Template { .. }) => {
            return Binding::Template(path.clone(), env.clone());
        }
        Some(TemplateParameterKind::Value { .. }) | None => {}
    }
    if let Some(v) = as_value() {
        let ty = match v {
            Value::Int { .. } => names.enumerator_type(env, path),
            _ => None,
        };
        return Binding::Value(v, ty);
    }
    let reason = || {
        Binding::Type(Type::unknown(format!(
            "the template argument `{}` is not known",
            super::display_path(path)
        )))
    };
    if parameter.is_some() {
        return reason();
    }
    match as_type() {
        Type::Unknown(_) if is_template(names, env, path) => {
            Binding::Template(path.clone(), env.clone())
        }
        Type::Opaque(_) if path.segments.len() == 1 && names.variable(env, path).is_some() => {
            reason()
        }
        t => Binding::Type(t),
    }
}

fn is_template(names: &Names<'_>, env: &Env, path: &Path) -> bool {
    path.segments.last().is_some_and(|last| {
        last.arguments.is_none()
            && names
                .unqualified(env, &last.name, false)
                .iter()
                .any(|(e, _)| match e {
                    Entry::Record(r) => !r.templates.is_empty(),
                    Entry::Alias(a) => a.template.is_some(),
                    _ => false,
                })
    })
}

/// Binds what is known of a template's parameters; the others stay open: a value that nobody tells, a
/// type with the reason. A default says nothing of a parameter that an argument is given for.
#[must_use]
pub fn bind_open(
    names: &Names<'_>,
    definition: &Env,
    head: &TemplateHead,
    explicit: Vec<Binding>,
) -> Env {
    let mut env = definition.clone();
    let mut rest = explicit.into_iter();
    for p in &head.parameters {
        let Some(name) = &p.name else {
            rest.next();
            continue;
        };
        let reason = || Type::unknown(format!("the template argument `{name}` is not known"));
        if p.is_pack {
            let items: Vec<Binding> = rest.by_ref().collect();
            env.set(name.clone(), Binding::Pack(items.into()));
            continue;
        }
        let given = rest.next().or_else(|| default_of(names, &env, p));
        let binding = match (&p.kind, given) {
            (TemplateParameterKind::Value { ty, .. }, Some(Binding::Value(value, t))) => {
                match resolve_type(names, &env, ty) {
                    Type::Scalar(s, _) => {
                        let converted = value.convert(s);
                        Binding::Value(converted.unwrap_or(value), t)
                    }
                    _ => Binding::Value(value, t),
                }
            }
            (TemplateParameterKind::Value { ty, .. }, _) => {
                Binding::Variable(resolve_type(names, &env, ty))
            }
            (TemplateParameterKind::Type { .. }, Some(Binding::Type(t))) if !t.is_unknown() => {
                Binding::Type(t)
            }
            (TemplateParameterKind::Template { .. }, Some(found @ Binding::Template(..))) => found,
            _ => Binding::Type(reason()),
        };
        env.set(name.clone(), binding);
    }
    env
}

/// Binds a template's parameters: explicit arguments (read in `caller`), then what was deduced,
/// then defaults (read in `definition`).
///
/// # Errors
/// The first parameter that stays open, as a clause.
pub fn bind_template(
    names: &Names<'_>,
    caller: &Env,
    definition: &Env,
    head: &TemplateHead,
    explicit: &[TemplateArgument],
    deduced: &[(Name, Binding)],
) -> Result<Env, String> {
    bind_values(
        names,
        definition,
        head,
        resolve_arguments(names, caller, explicit, Some(head)),
        deduced,
    )
}

/// As [`bind_template`] with arguments that have been read.
///
/// # Errors
/// The first parameter that stays open, as a clause.
pub fn bind_values(
    names: &Names<'_>,
    definition: &Env,
    head: &TemplateHead,
    explicit: Vec<Binding>,
    deduced: &[(Name, Binding)],
) -> Result<Env, String> {
    let mut env = definition.clone();
    let mut rest = explicit.into_iter();
    let unfit = || "a template argument does not fit its parameter".to_owned();
    for p in &head.parameters {
        let known = |name: &Name| {
            deduced
                .iter()
                .find(|(n, _)| n == name)
                .map(|(_, b)| b.clone())
        };
        if p.is_pack {
            let mut items: Vec<Binding> = Vec::new();
            let wanted = match &p.kind {
                TemplateParameterKind::Value { ty, .. } => value_type(names, &env, ty),
                _ => ValueType::Other,
            };
            for b in rest.by_ref() {
                match b {
                    Binding::Pack(inner) => items.extend(inner.iter().cloned()),
                    Binding::Value(v, t) => items.push(passed(v, t, &wanted).ok_or_else(unfit)?),
                    b => items.push(b),
                }
            }
            if let Some(name) = &p.name {
                let b = if items.is_empty() { known(name) } else { None };
                env.set(
                    name.clone(),
                    b.unwrap_or_else(|| Binding::Pack(items.into())),
                );
            }
            continue;
        }
        let label = p.name.as_deref().unwrap_or("<unnamed>");
        let given = rest
            .next()
            .or_else(|| p.name.as_ref().and_then(known))
            .or_else(|| default_of(names, &env, p));
        let given = match given {
            Some(Binding::Type(Type::Unknown(reason))) => return Err(reason.to_string()),
            Some(b) => b,
            None if p.name.is_none() => continue,
            None => return Err(format!("the template argument `{label}` is not known")),
        };
        let given = match (&p.kind, given) {
            (TemplateParameterKind::Value { ty, .. }, Binding::Value(v, t)) => {
                let declared = resolve_type(names, &env, ty);
                let v = match (&declared, &v) {
                    (Type::Scalar(s, _), Value::Int { .. } | Value::Float(..)) => {
                        v.convert(*s).unwrap_or(v)
                    }
                    _ => v,
                };
                passed(v, t, &value_type(names, &env, ty)).ok_or_else(unfit)?
            }
            (TemplateParameterKind::Value { .. }, Binding::Type(t)) => {
                return Err(format!(
                    "the template argument `{label}` is a type (`{t}`), not a value"
                ));
            }
            (TemplateParameterKind::Type { .. }, Binding::Value(v, _)) => {
                return Err(format!(
                    "the template argument `{label}` is a value (`{v}`), not a type"
                ));
            }
            (_, b) => b,
        };
        if let Some(name) = &p.name {
            env.set(name.clone(), given);
        }
    }
    Ok(env)
}

fn default_of(names: &Names<'_>, env: &Env, p: &TemplateParameter) -> Option<Binding> {
    match &p.kind {
        TemplateParameterKind::Type { default: Some(ty) } => {
            Some(Binding::Type(resolve_qualified(names, env, ty)))
        }
        TemplateParameterKind::Value {
            default: Some(e), ..
        } => Some(value_argument(names, env, e)),
        TemplateParameterKind::Template {
            default: Some(path),
        } => Some(Binding::Template(path.clone(), env.clone())),
        _ => None,
    }
}

/// The arguments of a bound template in the order of its parameters.
#[must_use]
pub fn bindings_of(
    names: &Names<'_>,
    head: &TemplateHead,
    env: &Env,
    explicit: &[Binding],
) -> Vec<Binding> {
    head.parameters
        .iter()
        .enumerate()
        .filter_map(|(i, p)| match &p.name {
            Some(name) => env.get(name).cloned(),
            None => explicit
                .get(i)
                .cloned()
                .or_else(|| default_of(names, env, p)),
        })
        .collect()
}

#[must_use]
pub(crate) fn is_same_binding(a: &Binding, b: &Binding) -> bool {
    match (a, b) {
        (Binding::Type(a), Binding::Type(b)) => a == b && a.is_identical(b) != Some(false),
        (Binding::Value(a, _), Binding::Value(b, _)) => match (a.as_int(), b.as_int()) {
            (Some(a), Some(b)) => a == b,
            _ => a == b,
        },
        (Binding::Pack(a), Binding::Pack(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| is_same_binding(a, b))
        }
        (Binding::Template(a, _), Binding::Template(b, _)) => {
            super::display_path(a) == super::display_path(b)
        }
        _ => false,
    }
}

/// The environment of a function template's body for a call: `explicit` is read in `caller`, the rest
/// is deduced from the types of the arguments. `definition` is [`Callee::env`].
#[must_use]
pub fn deduce(
    names: &Names<'_>,
    caller: &Env,
    definition: &Env,
    function: &ast::Function,
    explicit: &[TemplateArgument],
    argument_types: &[Type],
) -> Option<Env> {
    deduce_with_reason(
        names,
        caller,
        definition,
        function,
        explicit,
        argument_types,
    )
    .ok()
}

/// As [`deduce`], with the reason where a parameter stays open.
///
/// # Errors
/// The first parameter that stays open, as a clause.
pub fn deduce_with_reason(
    names: &Names<'_>,
    caller: &Env,
    definition: &Env,
    function: &ast::Function,
    explicit: &[TemplateArgument],
    argument_types: &[Type],
) -> Result<Env, String> {
    let Some(head) = names
        .own_head(function, definition)
        .filter(|h| !h.parameters.is_empty())
    else {
        return Ok(definition.clone());
    };
    let explicit = resolve_arguments(names, caller, explicit, Some(head));
    let is_told = |at: usize| at < explicit.len() && !head.parameters[at].is_pack;
    let open = head.parameters.iter().enumerate();
    let open = open.filter(|(at, _)| !is_told(*at));
    let open: Vec<Name> = open.filter_map(|(_, p)| p.name.clone()).collect();
    let mut deduced: Vec<(Name, Binding)> = Vec::new();
    for (i, p) in function.parameters.iter().enumerate() {
        // Of a type that is told the argument need not be.
        if !explicit.is_empty() && !p.is_pack && !mentions(&p.ty, &open) {
            continue;
        }
        let mut found = Vec::new();
        let forwarded = forwarded_parameter(p, &head.parameters);
        let unify = |ty: &Type, found: &mut Vec<(Name, Binding)>| {
            // `T &&` of an object that has a name: `T` is a reference to it.
            if let (Some(name), Type::Reference(to)) = (forwarded, ty)
                && !to.is_rvalue
            {
                found.push((name.clone(), Binding::Type(ty.clone())));
                return Some(0);
            }
            let ty = match ty {
                Type::Reference(to) if matches!(p.ty.kind, TypeKind::Reference { .. }) => {
                    to.whole()
                }
                ty if matches!(p.ty.kind, TypeKind::Reference { .. }) => ty.clone(),
                ty => ty.decay(),
            };
            let mut unifier = Unifier {
                names,
                at: definition,
                parameters: &head.parameters,
                is_strict: false,
                is_open: false,
                found,
            };
            match (&p.ty.kind, &ty) {
                // A parameter that is written as an array is a pointer.
                (TypeKind::Array(of, _), Type::Pointer(to)) => unifier.ty(of, to),
                _ => unifier.ty(&p.ty, &ty),
            }
        };
        if p.is_pack {
            let mut packs: Vec<(Name, Vec<Binding>)> = Vec::new();
            for ty in argument_types.get(i..).unwrap_or_default() {
                let before = found.len();
                if unify(ty, &mut found).is_none() {
                    return Err("the arguments do not fit the parameters".to_string());
                }
                for (name, b) in found.drain(before..) {
                    match packs.iter_mut().find(|(n, _)| *n == name) {
                        Some((_, items)) => items.push(b),
                        None => packs.push((name, vec![b])),
                    }
                }
            }
            deduced.extend(
                packs
                    .into_iter()
                    .map(|(n, items)| (n, Binding::Pack(items.into()))),
            );
            break;
        }
        let Some(ty) = argument_types.get(i) else {
            break;
        };
        if !ty.is_unknown() && unify(ty, &mut found).is_none() {
            return Err("the arguments do not fit the parameters".to_string());
        }
        for (name, b) in found {
            let is_explicit = head
                .parameters
                .iter()
                .position(|q| q.name.as_ref() == Some(&name))
                .is_some_and(|at| at < explicit.len());
            match deduced.iter().find(|(n, _)| *n == name) {
                Some((_, other)) if !is_explicit && !is_same_binding(other, &b) => {
                    return Err(format!(
                        "the template argument `{name}` is deduced as `{other}` and as `{b}`"
                    ));
                }
                Some(_) => {}
                None => deduced.push((name, b)),
            }
        }
    }
    // A pack that an argument should have told is open, not empty.
    for (at, parameter) in head.parameters.iter().enumerate() {
        let Some(name) = parameter.name.as_ref().filter(|_| parameter.is_pack) else {
            continue;
        };
        let given = function.parameters.iter().take(argument_types.len());
        let is_told = at < explicit.len() || deduced.iter().any(|(found, _)| found == name);
        let own = std::slice::from_ref(name);
        if !is_told
            && given
                .into_iter()
                .any(|p| !p.is_pack && mentions(&p.ty, own))
        {
            return Err(format!("the template argument `{name}` is not known"));
        }
    }
    bind_values(names, definition, head, explicit, &deduced)
}

/// The function among `candidates` that a call means, with the environment of its body; `None`
/// also where several suit as well and none is more special. Whether arguments have names is not known.
#[must_use]
pub fn select(
    names: &Names<'_>,
    caller: &Env,
    candidates: &[Callee],
    explicit: &[TemplateArgument],
    argument_types: &[Type],
) -> Option<(Callee, Env)> {
    select_by(names, caller, candidates, (explicit, false), argument_types)
}

/// As [`select`]; arguments with names have references as types, and plain types are those of temporaries.
#[must_use]
pub fn select_call(
    names: &Names<'_>,
    caller: &Env,
    candidates: &[Callee],
    explicit: &[TemplateArgument],
    argument_types: &[Type],
) -> Option<(Callee, Env)> {
    select_by(names, caller, candidates, (explicit, true), argument_types)
}

fn select_by(
    names: &Names<'_>,
    caller: &Env,
    candidates: &[Callee],
    (explicit, tells_names): (&[TemplateArgument], bool),
    argument_types: &[Type],
) -> Option<(Callee, Env)> {
    let ask = || {
        let how = (explicit, tells_names);
        select_among(names, caller, candidates, how, argument_types)
    };
    if !explicit.is_empty() {
        return ask();
    }
    let question = Fingerprint::new("select")
        .number(u64::from(tells_names))
        .types(argument_types);
    let question = candidates.iter().fold(question, |out, candidate| {
        out.place(Arc::as_ptr(&candidate.function))
            .env(&candidate.env)
    });
    names.selected.answer(question, ask)
}

/// A candidate that a call may mean, with what its arguments' conversions are.
struct Viable<'c> {
    callee: &'c Callee,
    env: Env,
    ranks: Vec<Rank>,
    is_template: bool,
}

fn select_among(
    names: &Names<'_>,
    caller: &Env,
    candidates: &[Callee],
    (explicit, tells_names): (&[TemplateArgument], bool),
    argument_types: &[Type],
) -> Option<(Callee, Env)> {
    let has_choice = candidates.len() > 1;
    if has_choice && candidates.iter().any(|c| is_constrained(names, c))
        || is_undecided(names, candidates, argument_types)
    {
        return None;
    }
    let mut viable: Vec<Viable<'_>> = Vec::new();
    let mut unfit: Vec<Viable<'_>> = Vec::new();
    let mut is_open = false;
    // Explicit specialisations take no part: they stand in for the template that is chosen.
    let has_template = candidates
        .iter()
        .any(|c| !parameters_of(names, c).is_empty());
    let is_special = |c: &&Callee| has_template && is_specialisation(names, c);
    for c in candidates.iter().filter(|c| !is_special(c)) {
        let Some(env) = fit(names, caller, c, explicit, argument_types) else {
            continue;
        };
        let ranks = ranks(names, c, &env, argument_types, tells_names);
        let own = parameters_of(names, c);
        let is_template = !own.is_empty();
        if !ranks.iter().all(Rank::is_possible) {
            unfit.push(Viable {
                callee: c,
                env,
                ranks,
                is_template,
            });
            continue;
        }
        match takes_part(names, &env, &c.function, own) {
            Some(true) => {}
            Some(false) => continue,
            None => is_open = true,
        }
        viable.push(Viable {
            callee: c,
            env,
            ranks,
            is_template,
        });
    }
    // Types of host code are known roughly: what is called there is there.
    if !tells_names && viable.is_empty() && unfit.len() == 1 {
        viable = unfit;
    }
    if is_open && viable.len() > 1 {
        return None;
    }
    // Of a declaration and a definition of one function the definition.
    viable.sort_by_key(|one| one.callee.function.body.is_none());
    let count = argument_types.len();
    let is_best = |one: &&Viable<'_>| {
        viable
            .iter()
            .all(|other| is_one(one.callee, other.callee) || is_better(names, one, other, count))
    };
    let Viable { callee, env, .. } = viable.iter().find(is_best)?;
    let special: Vec<&Callee> = candidates.iter().filter(is_special).collect();
    match specialised(names, callee, env, &special) {
        Specialised::No => Some(((*callee).clone(), env.clone())),
        Specialised::By(one) => Some((one.clone(), one.env.clone())),
        Specialised::Open => None,
    }
}

/// Whether both are the same function: of two instances of a class each has its own.
fn is_one(one: &Callee, other: &Callee) -> bool {
    let class = |c: &Callee| c.env.record.as_ref().map(|record| record.identity);
    Arc::ptr_eq(&one.function, &other.function) && class(one) == class(other)
}

/// Whether it takes part only where a condition holds that is not worked out here.
fn is_constrained(names: &Names<'_>, c: &Callee) -> bool {
    let has_concept = |p: &TemplateParameter| names_concept(names, &c.env, p);
    c.function.attributes.is_constrained || parameters_of(names, c).iter().any(has_concept)
}

/// Whether a template parameter goes by a concept: `template <Small T>` reads as one for values of a type
/// that there is not.
pub(super) fn names_concept(names: &Names<'_>, env: &Env, p: &TemplateParameter) -> bool {
    let TemplateParameterKind::Value { ty, .. } = &p.kind else {
        return false;
    };
    let TypeKind::Named(path) = &ty.kind else {
        return false;
    };
    // `std::enable_if_t<…>`, `typename std::enable_if<…>::type`
    let is_type = |name: &str| name.ends_with("_t") || name == "type";
    path.segments
        .last()
        .is_some_and(|last| !is_type(&last.name))
        && matches!(resolve_type(names, env, ty), Type::Opaque(_))
}

/// Whether a call means `one` rather than `other`: no argument suits it worse, and one suits it better, or
/// it is the more special one.
fn is_better(names: &Names<'_>, one: &Viable<'_>, other: &Viable<'_>, count: usize) -> bool {
    let mut has_better = false;
    for (a, b) in one.ranks.iter().zip(&other.ranks) {
        match a.compare(b) {
            Some(Ordering::Greater) => has_better = true,
            Some(Ordering::Equal) => {}
            Some(Ordering::Less) | None => return false,
        }
    }
    if has_better {
        return true;
    }
    if one.is_template != other.is_template {
        return other.is_template;
    }
    is_preferred(names, one.callee, other.callee, count)
}

/// What the conversions of all arguments are.
fn ranks(
    names: &Names<'_>,
    c: &Callee,
    env: &Env,
    argument_types: &[Type],
    tells_names: bool,
) -> Vec<Rank> {
    let own = parameters_of(names, c);
    let parameters = &c.function.parameters;
    let one = |(at, given): (usize, &Type)| {
        let last = parameters.last().filter(|last| last.is_pack);
        let Some(parameter) = parameters.get(at).or(last) else {
            return Rank::ellipsis();
        };
        if tells_names || matches!(given, Type::Reference(_) | Type::Qualified(_)) {
            return rank(names, env, parameter, own, given);
        }
        let open = given.clone().with(Qualifiers::OPEN);
        rank(names, env, parameter, own, &open)
    };
    argument_types.iter().enumerate().map(one).collect()
}

/// Whether the type of an argument that is not known decides between candidates.
fn is_undecided(names: &Names<'_>, candidates: &[Callee], types: &[Type]) -> bool {
    let is_unknown = |ty: &Type| ty.strip_reference().is_unknown();
    let Some(at) = types.iter().position(is_unknown) else {
        return false;
    };
    let takes = |c: &&Callee| {
        let parameters = &c.function.parameters;
        let is_open = parameters.last().is_some_and(|p| p.is_pack);
        let has_default = |i: usize| {
            parameters[i].is_pack || names.default_argument(&c.function, &c.env, i).is_some()
        };
        (types.len() <= parameters.len() || is_open)
            && (types.len()..parameters.len()).all(has_default)
    };
    let of = |c: &Callee| {
        let ty = c.function.parameters.get(at).map(|p| &p.ty);
        let mut text = ty.map_or(String::new(), |ty| without_places(&format!("{ty:?}")));
        // Parameters of templates have names of their own.
        if !parameters_of(names, c).is_empty() {
            text.push_str(&format!("{:?}", Arc::as_ptr(&c.function)));
        }
        text
    };
    let mut fits = candidates.iter().filter(takes);
    let Some(first) = fits.next() else {
        return false;
    };
    let others: Vec<&Callee> = fits.collect();
    let same = |c: &&Callee| of(c) == of(first) || does_the_same(&c.function, &first.function);
    // A declaration and a definition are one function.
    let is_declared = |c: &&Callee| c.function.body.is_none() || first.function.body.is_none();
    !others.iter().all(|c| same(c) || is_declared(c))
}

/// `template <> void f<float>(…)`
fn is_specialisation(names: &Names<'_>, c: &Callee) -> bool {
    let head = names.own_head(&c.function, &c.env);
    head.is_some_and(|head| head.parameters.is_empty())
}

enum Specialised<'c> {
    No,
    By(&'c Callee),
    /// Types that are not known decide.
    Open,
}

/// The explicit specialisation of a chosen template for the arguments in `env`.
fn specialised<'c>(
    names: &Names<'_>,
    template: &Callee,
    env: &Env,
    special: &[&'c Callee],
) -> Specialised<'c> {
    let parameters = parameters_of(names, template);
    if parameters.is_empty() {
        return Specialised::No;
    }
    let f = &*template.function;
    let same = |a: &Type, b: &Type| match (a, b) {
        _ if a.is_unknown() || b.is_unknown() => None,
        _ => Some(a == b),
    };
    let mut found: Option<&Callee> = None;
    for one in special.iter().copied() {
        let g = &*one.function;
        if g.parameters.len() != f.parameters.len() || g.name != f.name {
            continue;
        }
        let given = resolve_arguments(names, &one.env, &g.arguments, None);
        let fits_given = given.iter().zip(parameters).all(|(given, parameter)| {
            let bound = parameter.name.as_ref().and_then(|name| env.get(name));
            bound.is_none_or(|bound| is_same_binding(given, bound))
        });
        if !fits_given || given.len() > parameters.len() {
            continue;
        }
        let types = f.parameters.iter().zip(&g.parameters);
        let types = types
            .map(|(p, q)| (&p.ty, &q.ty))
            .chain([(&f.result, &g.result)]);
        let mut is_open = false;
        let mut fits = true;
        for (p, q) in types {
            match same(
                &resolve_type(names, env, p),
                &resolve_type(names, &one.env, q),
            ) {
                Some(is_same) => fits &= is_same,
                None => is_open = true,
            }
        }
        match (fits, is_open, found) {
            (false, ..) => {}
            (true, true, _) => return Specialised::Open,
            (true, false, None) => found = Some(one),
            // Declared, and defined.
            (true, false, Some(old)) if old.function.body.is_none() => found = Some(one),
            (true, false, Some(_)) => {}
        }
    }
    found.map_or(Specialised::No, Specialised::By)
}

/// The template parameters of a function's own.
fn parameters_of<'n>(names: &'n Names<'_>, callee: &'n Callee) -> &'n [TemplateParameter] {
    let head = names.own_head(&callee.function, &callee.env);
    head.map_or(&[], |head| &head.parameters)
}

/// Whether a call that both functions suit means `one`: it is as good a declaration of the same
/// function, the device's version, or the more special template.
fn is_preferred(names: &Names<'_>, one: &Callee, other: &Callee, count: usize) -> bool {
    let (f, g) = (&*one.function, &*other.function);
    let on_device = |f: &ast::Function| f.attributes.device || f.attributes.global;
    if on_device(f) != on_device(g) {
        return on_device(f);
    }
    let (f_head, g_head) = (parameters_of(names, one), parameters_of(names, other));
    let shapes = |f: &ast::Function, head: &[TemplateParameter]| -> Vec<Shape> {
        let head: Vec<Name> = head.iter().filter_map(|p| p.name.clone()).collect();
        let taken = f.parameters.iter().take(count);
        taken.map(|p| shape(&p.ty, &head)).collect()
    };
    let (a, b) = (shapes(f, f_head), shapes(g, g_head));
    let loose = |shapes: &[Shape]| -> Vec<String> {
        shapes
            .iter()
            .map(|(_, text)| text.replace("const ", ""))
            .collect()
    };
    if loose(&a) == loose(&b) {
        // Whether an argument is `const` is not known: it is the same if both do the same.
        let consts = |f: &ast::Function, shapes: &[Shape]| {
            usize::from(f.attributes.is_const) + shapes.iter().map(|one| one.0).sum::<usize>()
        };
        let (mine, theirs) = (consts(f, &a), consts(g, &b));
        return (mine < theirs && does_the_same(f, g))
            || (mine == theirs
                && f.attributes.reference == g.attributes.reference
                && is_same((f, f_head), (g, g_head)));
    }
    if f_head.is_empty() && g_head.is_empty() {
        // Of `f(long)` and `f(long long)` only a compiler knows which is meant.
        return false;
    }
    let not_less = a.iter().zip(&b).all(|(a, b)| a.0 >= b.0);
    let more = a.iter().zip(&b).any(|(a, b)| a.0 > b.0);
    not_less && more
}

/// Whether the bodies of two functions are the same text, up to `const` where nothing is called.
pub(crate) fn does_the_same(f: &ast::Function, g: &ast::Function) -> bool {
    match (&f.body, &g.body) {
        (Some(a), Some(b)) => {
            let [a, b] = [a, b].map(|body| without_places(&format!("{body:?}")));
            // What a cast calls `const` says only which function is called.
            let calls = ["Call {", "Construct {"].iter().any(|one| a.contains(one));
            a == b || (!calls && without_const(&a) == without_const(&b))
        }
        (a, b) => a.is_none() && b.is_none(),
    }
}

fn without_const(tree: &str) -> String {
    tree.replace("is_const: true", "is_const: false")
}

/// A tree's text without the places that its parts have in the source.
fn without_places(tree: &str) -> String {
    let mut out = String::with_capacity(tree.len());
    for (at, part) in tree.split("Range {").enumerate() {
        let rest = match part.split_once('}') {
            Some((_, rest)) if at > 0 => rest,
            _ => part,
        };
        out.push_str(rest);
    }
    out
}

/// The environment of a candidate's body, if it takes as many arguments and they tell what its template
/// arguments are.
fn fit(
    names: &Names<'_>,
    caller: &Env,
    c: &Callee,
    explicit: &[TemplateArgument],
    argument_types: &[Type],
) -> Option<Env> {
    let f = &*c.function;
    let is_open = f.parameters.last().is_some_and(|p| p.is_pack) || f.attributes.is_variadic;
    let given = argument_types.len();
    if given > f.parameters.len() && !is_open {
        return None;
    }
    if (given..f.parameters.len()).any(|i| {
        !f.parameters[i].is_pack && names.default_argument(&c.function, &c.env, i).is_none()
    }) {
        return None;
    }
    let is_template = names
        .own_head(f, &c.env)
        .is_some_and(|h| !h.parameters.is_empty());
    if !is_template && !explicit.is_empty() {
        // An explicit specialisation: `template <> void f<float>(…)`.
        let wanted = resolve_arguments(names, caller, explicit, None);
        let own = resolve_arguments(names, &c.env, &f.arguments, None);
        if own.is_empty()
            || !wanted.iter().zip(&own).all(|(a, b)| is_same_binding(a, b))
            || (wanted.len() > own.len())
        {
            return None;
        }
    }
    deduce(names, caller, &c.env, f, explicit, argument_types)
}

/// The function or overload set that a path names, as a value.
#[must_use]
pub fn function_value(names: &Names<'_>, env: &Env, path: &Path) -> Option<Value> {
    let candidates = names.functions(env, path);
    let last = path.segments.last()?;
    if candidates.is_empty() {
        return None;
    }
    if path.segments.len() == 1
        && let Some(Binding::Value(v @ Value::Function(_), _)) = env.get(&last.name)
    {
        return Some(v.clone());
    }
    let explicit = resolve_arguments(
        names,
        env,
        last.arguments.as_deref().unwrap_or_default(),
        None,
    );
    let text = if explicit.is_empty() {
        last.name.to_string()
    } else {
        format!("{}<{}>", last.name, super::display_list(&explicit))
    };
    Some(Value::Function(Arc::new(FunctionValue {
        text,
        candidates,
        explicit: last.arguments.clone(),
        env: env.clone(),
    })))
}
