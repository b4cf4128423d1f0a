//! ATen's macros that run a lambda once for the type that a tensor turns out to have.
//!
//! Given a macro's name and its arguments, where its header is not read; gives the name of the type in
//! the lambda, and the types it may be. Macros over quantised types are not known.

use super::reaching::Receiver;
use super::walk::{Walk, World};
use super::worlds::{forget, join};
use crate::ir::Scalar;
use crate::sema::scope::Env;
use crate::sema::types::{self, Type};
use crate::syntax::ast::{Expr, ExprKind, Lambda, Name};
use std::borrow::Cow;
use std::sync::Arc;

impl Walk<'_, '_> {
    /// Runs the lambda of a dispatching macro once in each of these environments: one of them is what happens.
    pub fn run_dispatched(&mut self, envs: &[Env], world: &mut World, arguments: &[Expr]) {
        let lambda = arguments.last().and_then(|e| match &e.kind {
            ExprKind::Lambda(l) if is_a_block(l) => Some(l),
            _ => None,
        });
        let Some(l) = lambda.filter(|l| self.enter_lambda(Arc::as_ptr(l) as usize)) else {
            for env in envs {
                self.run_lambdas(env, world, arguments, &Receiver::Anybody);
            }
            return;
        };
        let place = self.survey.displaced.place_of_lambda(l);
        let outer = std::mem::replace(&mut self.place, place);
        let mut end: Option<World> = None;
        for env in envs {
            let inside = &mut env.clone();
            for (after, _) in self.statements(inside, vec![world.clone()], &l.body) {
                end = Some(match end {
                    Some(before) => join(&before, &after),
                    None => after,
                });
            }
        }
        self.place = outer;
        self.leave_lambda();
        match end {
            Some(mut end) => {
                end.slots.truncate(world.slots.len());
                *world = end;
            }
            None => {
                let writes = self.writes_of_lambda(l);
                forget(world, &writes);
            }
        }
    }
}

/// Whether running it is running its body where it stands.
pub(super) fn is_a_block(l: &Lambda) -> bool {
    l.parameters.is_empty() && l.captures.default == Some(true) && l.captures.listed.is_empty()
}

/// The types that the lambda of a dispatching macro is run for.
pub(super) fn types_of(name: &str, arguments: &[Expr]) -> Option<(Name, Vec<Type>)> {
    let rest = name.strip_prefix("AT_DISPATCH_")?;
    let (rest, has_complex) = without_complex(rest);
    let (base, more) = match rest.find("_AND") {
        Some(at) => rest.split_at(at),
        None => (&*rest, ""),
    };
    const FLOATING: &[&str] = &["double", "float"];
    const INTEGRAL: &[&str] = &["uint8_t", "int8_t", "int", "int64_t", "int16_t"];
    let names: Vec<&str> = match base {
        "FLOATING_TYPES" => FLOATING.to_vec(),
        "REDUCED_FLOATING_TYPES" => vec!["Half", "BFloat16"],
        "INTEGRAL_TYPES" => INTEGRAL.to_vec(),
        "ALL_TYPES" => INTEGRAL.iter().chain(FLOATING).copied().collect(),
        "INDEX_TYPES" => vec!["int", "int64_t"],
        "COMPLEX_TYPES" => Vec::new(),
        _ => return None,
    };
    let given = match more {
        "" => 0,
        "_AND_HALF" => 0,
        "_AND" | "_AND1" => 1,
        "_AND2" => 2,
        "_AND3" => 3,
        "_AND4" => 4,
        _ => return None,
    };
    let mut out: Vec<Type> = names.into_iter().filter_map(named).collect();
    if more == "_AND_HALF" {
        out.extend(named("Half"));
    }
    if has_complex || base == "COMPLEX_TYPES" {
        let both = [Scalar::F64, Scalar::F32].map(|of| types::complex(false, of));
        out.extend(both.into_iter().flatten());
    }
    for e in arguments.get(..given)? {
        out.push(scalar_type(e)?);
    }
    let alias = if base == "INDEX_TYPES" {
        "index_t"
    } else {
        "scalar_t"
    };
    Some((Name::from(alias), out))
}

/// A macro's name without its word for complex types, and whether it has one.
fn without_complex(name: &str) -> (Cow<'_, str>, bool) {
    for (long, short) in [
        ("ALL_TYPES_AND_COMPLEX", "ALL_TYPES"),
        ("FLOATING_AND_COMPLEX_TYPES", "FLOATING_TYPES"),
    ] {
        if let Some(rest) = name.strip_prefix(long) {
            return (format!("{short}{rest}").into(), true);
        }
    }
    (name.into(), false)
}

/// `at::ScalarType::Half`, `at::kHalf`
fn scalar_type(e: &Expr) -> Option<Type> {
    let ExprKind::Path(p) = &e.kind else {
        return None;
    };
    let name = &*p.segments.last()?.name;
    named(match name.strip_prefix('k').unwrap_or(name) {
        name @ ("Half" | "BFloat16") => name,
        "Bool" => "bool",
        "Byte" => "uint8_t",
        "Char" => "int8_t",
        "Short" => "int16_t",
        "Int" => "int",
        "Long" => "int64_t",
        "Float" => "float",
        "Double" => "double",
        _ => return None,
    })
}

fn named(name: &str) -> Option<Type> {
    match name {
        "double" => Some(Type::number(Scalar::F64)),
        "float" => Some(Type::number(Scalar::F32)),
        "int" => Some(Type::number(Scalar::I32)),
        "bool" => Some(Type::number(Scalar::Bool)),
        _ => types::of_torch(name).or_else(|| types::known(name)),
    }
}
