//! The choice of a specialisation by the arguments of a class template.
//!
//! Given the template and its arguments; matches every partial and explicit specialisation and takes the most
//! special one. Where that is not certain, the answer says so.

use super::bind::{bind_values, bindings_of, is_same_binding, names_concept};
use super::instantiate::instantiate;
use super::unify::unify_argument;
use super::{Binding, Env, Names, resolve_arguments};
use crate::sema::types::Type;
use crate::syntax::ast::{self};
use std::sync::Arc;

/// The instance of a class template for `explicit` arguments.
pub(super) fn choose(
    names: &Names<'_>,
    candidates: &[(&Arc<ast::Record>, Env)],
    (primary, definition): (&Arc<ast::Record>, &Env),
    head: &ast::TemplateHead,
    explicit: Vec<Binding>,
    label: &str,
) -> Type {
    // Defaults may stand in a forward declaration.
    let bound = primary_heads(candidates)
        .map(|(h, env)| {
            bind_values(names, env, h, explicit.clone(), &[])
                .map(|env| bindings_of(names, h, &env, &explicit))
        })
        .reduce(|a, b| a.or(b));
    let values = match bound {
        Some(Ok(values)) => values,
        Some(Err(reason)) => return Type::unknown(reason),
        None => return Type::unknown(format!("the template `{label}` is not defined")),
    };
    let mut fitting: Vec<Fitting<'_>> = Vec::new();
    for (r, at) in candidates
        .iter()
        .filter(|(r, _)| r.is_specialisation() && r.is_definition)
    {
        let written = r.arguments.len();
        let has_pack =
            r.arguments.iter().any(is_expanded) || head.parameters.iter().any(|p| p.is_pack);
        let (given, defaulted) = if has_pack || written >= values.len() {
            (&values[..], None)
        } else {
            (&values[..written], Some(&values[written..]))
        };
        let mut is_open = false;
        let mut matched = match_specialisation(names, at, r, given, &mut is_open);
        let own = r.templates.last().map_or(&[][..], |head| &head.parameters);
        is_open |= r.is_constrained || own.iter().any(|p| names_concept(names, at, p));
        if matched.is_some() && is_open {
            return Type::unknown(format!(
                "whether a specialisation of `{label}` fits is not known"
            ));
        }
        if let (Some((score, _)), Some(rest)) = (&mut matched, defaulted) {
            // What is not written is what the template's defaults say.
            let full = bind_values(names, definition, head, given.to_vec(), &[]).ok();
            let full = full.or_else(|| {
                primary_heads(candidates)
                    .find_map(|(h, env)| bind_values(names, env, h, given.to_vec(), &[]).ok())
            });
            let Some(full) = full else {
                return Type::unknown(format!(
                    "whether a specialisation of `{label}` fits is not known"
                ));
            };
            let full = bindings_of(names, head, &full, given);
            let is_same = full.len() == values.len()
                && full[written..]
                    .iter()
                    .zip(rest)
                    .all(|(a, b)| is_same_binding(a, b));
            if is_same {
                *score += rest.len();
            } else {
                matched = None;
            }
        }
        if let Some((score, env)) = matched {
            fitting.push((score, *r, at, env));
        }
    }
    if !fitting.is_empty() {
        let Some((_, r, _, env)) = most_special(names, &fitting) else {
            return Type::unknown(format!(
                "which specialisation of `{label}` is meant is not known"
            ));
        };
        return instantiate(names, r, env, values, label);
    }
    match bind_values(names, definition, head, values.clone(), &[]) {
        Ok(env) => instantiate(names, primary, &env, values, label),
        Err(reason) => Type::unknown(reason),
    }
}

/// The heads of a template, of which each may give defaults.
fn primary_heads<'a>(
    candidates: &'a [(&Arc<ast::Record>, Env)],
) -> impl Iterator<Item = (&'a ast::TemplateHead, &'a Env)> {
    candidates
        .iter()
        .filter(|(r, _)| !r.is_specialisation())
        .filter_map(|(r, env)| r.templates.last().map(|h| (h, env)))
}

/// A specialisation that fits the arguments: how many parts of them it names, where it stands, and its bindings.
type Fitting<'a> = (usize, &'a Arc<ast::Record>, &'a Env, Env);

/// The one that names most of the arguments, or else is more special than each other one.
fn most_special<'f, 'a>(names: &Names<'_>, fitting: &'f [Fitting<'a>]) -> Option<&'f Fitting<'a>> {
    let most = fitting.iter().map(|(score, ..)| *score).max();
    let mut best = fitting.iter().filter(|(score, ..)| Some(*score) == most);
    let is_most_special = |one: &&Fitting<'a>| {
        let mut others = fitting.iter().filter(|other| !Arc::ptr_eq(other.1, one.1));
        others.all(|other| is_more_special(names, (one.1, one.2), (other.1, other.2)))
    };
    match (best.next(), best.next()) {
        (one, None) => one,
        _ => fitting.iter().find(is_most_special),
    }
}

/// Whether a specialisation is more special than another one: that fits its arguments, whatever its
/// parameters are, and not the other way round.
fn is_more_special(
    names: &Names<'_>,
    one: (&Arc<ast::Record>, &Env),
    other: (&Arc<ast::Record>, &Env),
) -> bool {
    // A type of its own for each parameter; what values and packs would need is not worked out.
    let arguments = |(r, at): (&Arc<ast::Record>, &Env)| {
        let mut env = at.clone();
        for p in r.templates.last().map_or(&[][..], |head| &head.parameters) {
            let name = p.name.clone()?;
            if p.is_pack || !matches!(p.kind, ast::TemplateParameterKind::Type { .. }) {
                return None;
            }
            let unique = Type::Opaque(Arc::from(format!("{name} of {:?}", Arc::as_ptr(r))));
            env.set(name, Binding::Type(unique));
        }
        Some(resolve_arguments(names, &env, &r.arguments, None))
    };
    let fits = |pattern: (&Arc<ast::Record>, &Env), values: &[Binding]| {
        let mut is_open = false;
        let matched = match_specialisation(names, pattern.1, pattern.0, values, &mut is_open);
        (!is_open).then_some(matched.is_some())
    };
    let (Some(a), Some(b)) = (arguments(one), arguments(other)) else {
        return false;
    };
    fits(other, &a) == Some(true) && fits(one, &b) == Some(false)
}

/// `Rest...`
fn is_expanded(pattern: &ast::TemplateArgument) -> bool {
    matches!(pattern, ast::TemplateArgument::Expr(e) if matches!(e.kind, ast::ExprKind::Expand(_)))
}

/// How closely a specialisation fits, and its own bindings.
fn match_specialisation(
    names: &Names<'_>,
    at: &Env,
    r: &ast::Record,
    values: &[Binding],
    is_open: &mut bool,
) -> Option<(usize, Env)> {
    let parameters = r.templates.last().map_or(&[][..], |h| &h.parameters);
    match_arguments(names, at, (&r.arguments, parameters), values, is_open)
}

/// How closely the arguments that a specialisation is written with fit, and its own bindings.
pub(crate) fn match_arguments(
    names: &Names<'_>,
    at: &Env,
    (arguments, parameters): (&[ast::TemplateArgument], &[ast::TemplateParameter]),
    values: &[Binding],
    is_open: &mut bool,
) -> Option<(usize, Env)> {
    let mut found = Vec::new();
    let mut score = 0;
    let values = flatten(values);
    if values.iter().any(|b| matches!(b, Binding::Pack(_))) {
        return None;
    }
    let mut rest = values.as_slice();
    for pattern in arguments {
        if let ast::TemplateArgument::Expr(e) = pattern
            && let ast::ExprKind::Expand(inner) = &e.kind
            && let ast::ExprKind::Path(p) = &inner.kind
            && let Some(s) = p.segments.last()
        {
            found.push((s.name.clone(), Binding::Pack(rest.into())));
            rest = &[];
            continue;
        }
        let (value, tail) = rest.split_first()?;
        rest = tail;
        score += unify_argument(names, at, parameters, pattern, value, &mut found, is_open)?;
    }
    if !rest.is_empty() {
        return None;
    }
    let mut env = at.clone();
    for (i, (name, b)) in found.iter().enumerate() {
        if found[..i]
            .iter()
            .any(|(n, other)| n == name && !is_same_binding(other, b))
        {
            return None;
        }
        env.set(name.clone(), b.clone());
    }
    let is_left = |p: &ast::TemplateParameter| {
        let name = p.name.as_ref();
        name.is_some_and(|n| !p.is_pack && env.get(n).is_none())
    };
    // What could not be read may tell it.
    if parameters.iter().any(is_left) && !*is_open {
        return None;
    }
    Some((score + 1, env))
}

/// Arguments with what packs hold in their place.
pub(super) fn flatten(bindings: &[Binding]) -> Vec<Binding> {
    let mut out = Vec::new();
    for b in bindings {
        match b {
            Binding::Pack(items) => out.extend(items.iter().cloned()),
            b => out.push(b.clone()),
        }
    }
    out
}
