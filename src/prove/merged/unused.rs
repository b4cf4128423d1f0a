//! Copies of which one member alone is used: the compiler loads that member, and drops the other loads.
//!
//! Given a kernel; finds the values that nothing of what it does depends on, and with them the loads of a copy that
//! stand beside the one that is used (seen in the PTX of CUDA 13.0: of an object of 16 bytes that is aligned to 16, one
//! used member is one load of 4 bytes, two are one of 16).

use crate::ir::visit::{each_evaluated, each_unseen_part_of, statements};
use crate::ir::{Expr, ExprId, Kernel, SiteId, Stmt, Value, VarId, fixed_offset, local_object};
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// The loads that the compiler drops out of copies of which it keeps one.
pub(super) fn beside_one_that_is_used(kernel: &Kernel) -> FxHashSet<SiteId> {
    let mut copies: FxHashMap<Span, Vec<(SiteId, VarId)>> = FxHashMap::default();
    statements(&kernel.body, &mut |stmt| {
        if let Stmt::Load {
            target,
            pointer,
            site,
            ..
        } = stmt
            && local_object(&kernel.exprs, *pointer).is_none()
        {
            let span = kernel.sites[site.index()].span;
            copies.entry(span).or_default().push((*site, *target));
        }
    });
    copies.retain(|_, loads| loads.len() > 1);
    let mut dropped = FxHashSet::default();
    if copies.is_empty() {
        return dropped;
    }
    let used = Used::of(kernel).parts;
    for loads in copies.values() {
        let is_used = |(_, target): &&(SiteId, VarId)| used.contains(&(*target, ALL));
        if loads.iter().filter(is_used).count() == 1 {
            let others = loads.iter().filter(|load| !is_used(load));
            dropped.extend(others.map(|(site, _)| *site));
        }
    }
    dropped
}

/// A variable, or the part of a local object that begins at a byte.
type Part = (VarId, i64);

/// A whole variable or object.
const ALL: i64 = i64::MIN;

/// What something depends on which a kernel does.
struct Used {
    parts: FxHashSet<Part>,
    /// What each part is made of.
    sources: FxHashMap<Part, Vec<Part>>,
}

impl Used {
    fn of(kernel: &Kernel) -> Self {
        let mut out = Self {
            parts: FxHashSet::default(),
            sources: FxHashMap::default(),
        };
        let mut waiting: Vec<Part> = Vec::new();
        let mut of_object: FxHashMap<VarId, FxHashSet<i64>> = FxHashMap::default();
        statements(&kernel.body, &mut |stmt| match stmt {
            Stmt::Assign { variable, value } => {
                let parts = parts_of(kernel, *value);
                out.sources
                    .entry((*variable, ALL))
                    .or_default()
                    .extend(parts);
            }
            Stmt::Load {
                target, pointer, ..
            } => {
                let mut parts = parts_of(kernel, *pointer);
                parts.extend(part_at(kernel, *pointer));
                out.sources.entry((*target, ALL)).or_default().extend(parts);
            }
            Stmt::Store { pointer, value, .. } => {
                let mut parts = parts_of(kernel, *pointer);
                match value {
                    Value::Scalar(value) => parts.extend(parts_of(kernel, *value)),
                    Value::Object(object) => parts.push((*object, ALL)),
                }
                match part_at(kernel, *pointer) {
                    Some(part) => {
                        of_object.entry(part.0).or_default().insert(part.1);
                        out.sources.entry(part).or_default().extend(parts);
                    }
                    None => waiting.extend(parts),
                }
            }
            _ => {
                each_evaluated(stmt, &mut |value| waiting.extend(parts_of(kernel, value)));
                if let Stmt::Opaque { variables, .. } = stmt {
                    waiting.extend(variables.iter().map(|one| (*one, ALL)));
                }
            }
        });
        while let Some(next) = waiting.pop() {
            if !out.parts.insert(next) {
                continue;
            }
            waiting.extend(out.sources.get(&next).into_iter().flatten());
            let (object, at) = next;
            let known = of_object.get(&object);
            // Of a part that nothing is written to as such, anything written may be a piece.
            let is_known = known.is_some_and(|known| known.contains(&at));
            if at == ALL || !is_known {
                let all = known.into_iter().flatten();
                waiting.extend(all.map(|at| (object, *at)));
            }
            if at != ALL {
                waiting.extend(out.sources.get(&(object, ALL)).into_iter().flatten());
            }
        }
        out
    }
}

/// The part of a local object that a pointer leads to.
fn part_at(kernel: &Kernel, pointer: ExprId) -> Option<Part> {
    let object = local_object(&kernel.exprs, pointer)?;
    let at = fixed_offset(&kernel.exprs, pointer);
    Some((object, at.unwrap_or(ALL)))
}

/// The variables and local objects that a value is made of. An address that is only loaded from or stored to is none.
fn parts_of(kernel: &Kernel, value: ExprId) -> Vec<Part> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let is_place = local_object(&kernel.exprs, value).is_some();
    each_unseen_part_of(&kernel.exprs, value, &mut seen, &mut |part| match part {
        Expr::Var(variable) => found.push((*variable, ALL)),
        Expr::Address(crate::ir::Object::Local(object)) if !is_place => found.push((*object, ALL)),
        _ => {}
    });
    found
}
