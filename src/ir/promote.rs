//! Parts of local objects that are variables: what LLVM calls scalar replacement and promotion to registers.
//!
//! Given a kernel, makes each pointer in a local object, and each integer that a loop writes, a variable of its own,
//! where the object's address goes nowhere and every access says which part it means. What a loop does to a
//! variable has a closed form; what it does to memory has none. Knows nothing of values.

use super::VariableKind;
use super::visit::{each_evaluated, each_part, each_written, statements, statements_mut};
use super::{Block, Expr, ExprId, Holds, Kernel, Object, Scalar, Stmt, Value, VarId, Variable};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Objects with more parts that are variables stay as they are: a walk carries each through each loop.
const MOST_PARTS: usize = 24;

/// A place in a local object.
pub type Place = (VarId, u32);

/// Variables that hold one address, with the place that it is.
pub type Aliases = FxHashMap<VarId, Place>;

/// A part that is a pointer into another object may make it one whose parts can be variables.
const MOST_ROUNDS: u32 = 4;

/// What is known of one local object.
#[derive(Default)]
struct Parts {
    /// Its address is a value, or what it is accessed as is not plain.
    is_exposed: bool,
    /// By their first byte.
    parts: FxHashMap<u32, Part>,
    /// Bytes that a subscript chooses among, from and to.
    subscripted: Vec<(u32, u32)>,
}

struct Part {
    ty: Scalar,
    name: Arc<str>,
    is_written_in_a_loop: bool,
}

/// Makes the parts variables.
pub fn promote(kernel: &mut Kernel) {
    for _ in 0..MOST_ROUNDS {
        if !promote_once(kernel) {
            return;
        }
    }
}

/// Whether there were any.
fn promote_once(kernel: &mut Kernel) -> bool {
    let may_be = |variable: &Variable| matches!(variable.kind, VariableKind::Object { holds, .. } if holds != Holds::Argument);
    if !kernel.variables.iter().any(may_be) {
        return false;
    }
    let aliases = aliases(kernel);
    let mut found: FxHashMap<VarId, Parts> = FxHashMap::default();
    collect(kernel, &aliases, &kernel.body, 0, &mut found);
    for parameter in &kernel.parameters {
        found.entry(parameter.variable).or_default().is_exposed = true;
    }
    let variables = variables_of(kernel, found);
    if variables.is_empty() {
        return false;
    }
    let mut body = std::mem::take(&mut kernel.body);
    rewrite(kernel, &aliases, &variables, &mut body);
    kernel.body = body;
    true
}

/// Variables that hold one address, that of a place in a local object, from where they are set.
#[must_use]
pub fn aliases(kernel: &Kernel) -> Aliases {
    let mut writes: FxHashMap<VarId, u32> = FxHashMap::default();
    statements(&kernel.body, &mut |stmt| {
        each_written(stmt, &mut |variable| {
            *writes.entry(variable).or_default() += 1;
        });
    });
    for parameter in &kernel.parameters {
        *writes.entry(parameter.variable).or_default() += 1;
    }
    let mut found = FxHashMap::default();
    statements(&kernel.body, &mut |stmt| {
        if let Stmt::Assign { variable, value } = stmt
            && writes.get(variable) == Some(&1)
            && let Some(place) = place_of(kernel, &found, *value)
        {
            found.insert(*variable, place);
        }
    });
    found
}

/// The place that a pointer certainly means.
fn place_of(kernel: &Kernel, aliases: &Aliases, pointer: ExprId) -> Option<Place> {
    match kernel.expr(pointer) {
        Expr::Address(Object::Local(object)) => Some((*object, 0)),
        Expr::Var(variable) => aliases.get(variable).copied(),
        Expr::Offset { pointer, bytes, .. } => {
            let Expr::Int { value, .. } = kernel.expr(*bytes) else {
                return None;
            };
            let (object, at) = place_of(kernel, aliases, *pointer)?;
            let at = i64::from(at).checked_add(*value)?;
            Some((object, u32::try_from(at).ok()?))
        }
        _ => None,
    }
}

/// The bytes of a local object that a subscript chooses among, from and to.
fn subscripted(kernel: &Kernel, aliases: &Aliases, pointer: ExprId) -> Option<(VarId, u32, u32)> {
    let Expr::Offset {
        pointer: inner,
        bytes,
        within,
    } = kernel.expr(pointer)
    else {
        return None;
    };
    if let Some(within) = within
        && let Some((object, at)) = place_of(kernel, aliases, *inner)
    {
        return Some((object, at, at.checked_add(*within)?));
    }
    // A part of an element lies in its array.
    match kernel.expr(*bytes) {
        Expr::Int { .. } => subscripted(kernel, aliases, *inner),
        _ if within.is_some() => subscripted(kernel, aliases, *inner),
        _ => None,
    }
}

/// What the statements of a block do to each local object.
fn collect(
    kernel: &Kernel,
    aliases: &Aliases,
    block: &Block,
    depth: u32,
    found: &mut FxHashMap<VarId, Parts>,
) {
    for stmt in block {
        match stmt {
            Stmt::Assign { variable, .. } if aliases.contains_key(variable) => {}
            Stmt::Load {
                pointer, ty, site, ..
            } => {
                access(kernel, aliases, (*pointer, *ty, *site), None, found);
            }
            Stmt::Store {
                pointer,
                value,
                ty,
                site,
                ..
            } => {
                access(
                    kernel,
                    aliases,
                    (*pointer, *ty, *site),
                    Some(depth > 0),
                    found,
                );
                match value {
                    Value::Scalar(value) => expose(kernel, aliases, *value, found),
                    Value::Object(object) => found.entry(*object).or_default().is_exposed = true,
                }
            }
            _ => each_evaluated(stmt, &mut |id| expose(kernel, aliases, id, found)),
        }
        if !matches!(stmt, Stmt::Opaque { .. }) {
            each_written(stmt, &mut |variable| {
                if let VariableKind::Object { .. } = kernel.variables[variable.index()].kind {
                    found.entry(variable).or_default().is_exposed = true;
                }
            });
        }
        match stmt {
            Stmt::If {
                then, otherwise, ..
            } => {
                collect(kernel, aliases, then, depth, found);
                collect(kernel, aliases, otherwise, depth, found);
            }
            Stmt::Loop(inner) => {
                for block in [&inner.prelude, &inner.body, &inner.step] {
                    collect(kernel, aliases, block, depth + 1, found);
                }
            }
            Stmt::Labelled { body, .. } => collect(kernel, aliases, body, depth, found),
            _ => {}
        }
    }
}

/// One load or store; `store` says whether it stands in a loop.
fn access(
    kernel: &Kernel,
    aliases: &Aliases,
    (pointer, ty, site): (ExprId, Scalar, super::SiteId),
    store: Option<bool>,
    found: &mut FxHashMap<VarId, Parts>,
) {
    if let Some((object, at)) = place_of(kernel, aliases, pointer) {
        let of_object = found.entry(object).or_default();
        let part = of_object.parts.entry(at).or_insert_with(|| Part {
            ty,
            name: kernel.sites[site.index()].array.clone(),
            is_written_in_a_loop: false,
        });
        part.is_written_in_a_loop |= store == Some(true);
        if part.ty != ty {
            // Read as something else than it is written as.
            let size = part.ty.size().max(ty.size());
            of_object.subscripted.push((at, at.saturating_add(size)));
        }
        return;
    }
    match subscripted(kernel, aliases, pointer) {
        Some((object, from, to)) => {
            found
                .entry(object)
                .or_default()
                .subscripted
                .push((from, to));
            // What chooses the element may be an address itself.
            let mut inner = pointer;
            while let Expr::Offset { pointer, bytes, .. } = kernel.expr(inner) {
                expose(kernel, aliases, *bytes, found);
                inner = *pointer;
            }
        }
        None => expose(kernel, aliases, pointer, found),
    }
}

/// The objects whose addresses stand in an expression.
fn expose(kernel: &Kernel, aliases: &Aliases, id: ExprId, found: &mut FxHashMap<VarId, Parts>) {
    each_part(kernel, id, &mut |part| {
        let object = match part {
            Expr::Address(Object::Local(object)) => Some(*object),
            Expr::Var(variable) => aliases.get(variable).map(|(object, _)| *object),
            _ => None,
        };
        if let Some(object) = object {
            found.entry(object).or_default().is_exposed = true;
        }
    });
}

/// A variable for each part that can be one.
fn variables_of(
    kernel: &mut Kernel,
    found: FxHashMap<VarId, Parts>,
) -> FxHashMap<VarId, FxHashMap<u32, (VarId, Scalar)>> {
    let mut out = FxHashMap::default();
    let mut objects: Vec<(VarId, Parts)> = found.into_iter().collect();
    objects.sort_unstable_by_key(|(object, _)| *object);
    for (object, of_object) in objects {
        let variable = kernel.variables[object.index()].clone();
        let VariableKind::Object { size, holds, .. } = variable.kind else {
            continue;
        };
        if of_object.is_exposed || holds == Holds::Argument {
            continue;
        }
        let taken: Vec<(u32, u32)> = of_object
            .parts
            .iter()
            .map(|(at, part)| (*at, at.saturating_add(part.ty.size())))
            .collect();
        let is_alone = |at: u32, end: u32| {
            let meets = |(from, to): &(u32, u32)| *from < end && at < *to;
            taken.iter().filter(|range| meets(range)).count() == 1
                && !of_object.subscripted.iter().any(meets)
        };
        let mut parts: Vec<(u32, &Part)> = of_object
            .parts
            .iter()
            .filter(|(at, part)| {
                let end = at.saturating_add(part.ty.size());
                (part.ty == Scalar::Pointer || part.ty.is_integer() && part.is_written_in_a_loop)
                    && end <= size
                    && is_alone(**at, end)
            })
            .map(|(at, part)| (*at, part))
            .collect();
        if parts.is_empty() || parts.len() > MOST_PARTS {
            continue;
        }
        parts.sort_unstable_by_key(|(at, _)| *at);
        let mut variables = FxHashMap::default();
        for (at, part) in parts {
            let name = if part.name.is_empty() {
                variable.name.clone()
            } else {
                part.name.clone()
            };
            let number = VarId(u32::try_from(kernel.variables.len()).unwrap_or(u32::MAX));
            kernel.variables.push(Variable {
                name,
                kind: VariableKind::Scalar(part.ty),
                span: variable.span,
            });
            variables.insert(at, (number, part.ty));
        }
        out.insert(object, variables);
    }
    out
}

/// Puts the variables in place of loads and stores.
fn rewrite(
    kernel: &mut Kernel,
    aliases: &Aliases,
    variables: &FxHashMap<VarId, FxHashMap<u32, (VarId, Scalar)>>,
    body: &mut Block,
) {
    let mut read: FxHashMap<VarId, ExprId> = FxHashMap::default();
    statements_mut(body, &mut |stmt| {
        let part = |kernel: &Kernel, pointer: ExprId| {
            let (object, at) = place_of(kernel, aliases, pointer)?;
            Some(variables.get(&object)?.get(&at)?.0)
        };
        match stmt {
            Stmt::Load {
                target, pointer, ..
            } => {
                if let Some(variable) = part(kernel, *pointer) {
                    let value = *read.entry(variable).or_insert_with(|| {
                        kernel.exprs.push(Expr::Var(variable));
                        ExprId(u32::try_from(kernel.exprs.len() - 1).unwrap_or(u32::MAX))
                    });
                    *stmt = Stmt::Assign {
                        variable: *target,
                        value,
                    };
                }
            }
            Stmt::Store {
                pointer,
                value: Value::Scalar(value),
                ..
            } => {
                if let Some(variable) = part(kernel, *pointer) {
                    *stmt = Stmt::Assign {
                        variable,
                        value: *value,
                    };
                }
            }
            Stmt::Opaque {
                variables: forgotten,
                ..
            } => {
                let parts: FxHashSet<VarId> = forgotten
                    .iter()
                    .filter_map(|object| variables.get(object))
                    .flat_map(|parts| parts.values().map(|(variable, _)| *variable))
                    .collect();
                let mut parts: Vec<VarId> = parts.into_iter().collect();
                parts.sort_unstable();
                forgotten.extend(parts);
            }
            _ => {}
        }
    });
}
