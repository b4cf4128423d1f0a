//! Verdicts of one access under several launches, joined to one.
//!
//! Bounds of the whole hold each part's; what parts do not agree on is said of none.

use super::prover::place;
use super::verdict::{Access, Condition, Dependence, Merged, Status, Verdict};
use crate::access::assumption::Assumption;
use rustc_hash::FxHashMap;

/// One record for each place, operation and launch: a place that is reached in several ways has
/// the bounds of all of them.
#[must_use]
pub fn merge(accesses: impl Iterator<Item = Access>) -> Vec<Access> {
    let mut index = FxHashMap::default();
    let mut merged: Vec<Access> = Vec::new();
    for access in accesses {
        let key = (
            access.kernel.clone(),
            // Kernels may be overloaded.
            access.kernel_span,
            access.instance.clone(),
            access.launch.block,
            place(&access),
        );
        match index.get(&key) {
            None => {
                index.insert(key, merged.len());
                merged.push(access);
            }
            Some(at) => join(&mut merged[*at], access),
        }
    }
    merged
}

fn join(into: &mut Access, other: Access) {
    // Sums that differ are those of launches with other arguments.
    let per_block = into.per_block.filter(|sum| other.per_block == Some(*sum));
    let merged = join_merged(into, &other);
    let reads_apart = into.reads_apart || other.reads_apart;
    let loose = match (into.loose, other.loose) {
        (Some(one), Some(other)) => Some(one.worse(other)),
        (one, other) => one.or(other),
    };
    let narrowed = into.narrowed.into_iter().chain(other.narrowed).min();
    let is_kept = into.is_kept && other.is_kept;
    join_verdicts(into, other);
    into.is_kept = is_kept;
    into.narrowed = narrowed;
    into.loose = loose.filter(|_| into.verdict.is_known());
    into.reads_apart = reads_apart && into.verdict.is_known();
    into.per_block = per_block;
    into.merged = merged;
}

/// A place is merged where all ways of reaching it are, or cost no more than their ideal.
fn join_merged(a: &Access, b: &Access) -> Option<Merged> {
    match (&a.merged, &b.merged) {
        (Some(one), Some(other)) => Some(one.clone().worse(other)),
        (Some(one), None) if b.verdict.is_ideal() => Some(one.clone()),
        (None, Some(one)) if a.verdict.is_ideal() => Some(one.clone()),
        _ => None,
    }
}

/// The assumptions of either.
fn both_assume(a: &Verdict, b: &Verdict) -> Vec<Assumption> {
    let new = b
        .assumptions
        .iter()
        .filter(|assumption| !a.assumptions.contains(assumption));
    a.assumptions.iter().chain(new).cloned().collect()
}

/// Cases that both tell, with the bounds of both.
fn both_depend(a: &Verdict, b: &Verdict) -> Vec<Dependence> {
    if a.depends_on == b.depends_on {
        return a.depends_on.clone();
    }
    let mut out = Vec::new();
    for one in &a.depends_on {
        let Some(other) = b.depends_on.iter().find(|other| other.symbol == one.symbol) else {
            continue;
        };
        let same = |when: &Condition| other.cases.iter().find(|case| case.when == *when);
        // What is left over by other cases is another thing.
        let is_whole = one.cases.len() == other.cases.len()
            && one
                .cases
                .iter()
                .all(|case| same(&case.when).is_some_and(|other| other.ideal == case.ideal));
        if !is_whole {
            continue;
        }
        let mut cases = one.cases.clone();
        for case in &mut cases {
            if let Some(other) = same(&case.when) {
                case.min = case.min.min(other.min);
                case.max = case.max.max(other.max);
            }
        }
        out.push(Dependence {
            is_swept: one.is_swept && other.is_swept,
            cases,
            ..one.clone()
        });
    }
    out
}

fn join_verdicts(into: &mut Access, other: Access) {
    let (a, b) = (&into.verdict, &other.verdict);
    let rank = |status: Status| match status {
        Status::Exact => 0,
        Status::Bounded => 1,
        Status::DataDependent => 2,
        Status::Unknown => 3,
    };
    if a.is_known() && b.is_known() {
        let worse = u64::from(b.max) * u64::from(a.ideal.max(1))
            > u64::from(a.max) * u64::from(b.ideal.max(1));
        let both_ideal = a.is_ideal() && b.is_ideal();
        let same = (a.min, a.max, a.ideal) == (b.min, b.max, b.ideal);
        let (min, max) = (a.min.min(b.min), a.max.max(b.max));
        let exact = a.status == Status::Exact && b.status == Status::Exact && (same || both_ideal);
        let ideal = a.ideal.max(b.ideal);
        let told = if a.reason.is_empty() { b } else { a };
        let (reason, has_open_strides) = (told.reason.clone(), told.has_open_strides);
        // Each way of getting here speaks under its own assumptions, and of its own cases.
        let assumptions = both_assume(a, b);
        let depends_on = both_depend(a, b);
        if worse {
            let depth = into.loop_depth.max(other.loop_depth);
            *into = other;
            into.loop_depth = depth;
        }
        let verdict = &mut into.verdict;
        (verdict.assumptions, verdict.depends_on) = (assumptions, depends_on);
        (verdict.min, verdict.max) = (min, max);
        if both_ideal {
            verdict.ideal = ideal;
        }
        if exact {
            verdict.status = Status::Exact;
        } else {
            verdict.status = Status::Bounded;
            verdict.has_open_strides = has_open_strides;
            verdict.reason = if reason.is_empty() {
                "it differs between the ways of getting here".to_owned()
            } else {
                reason
            };
        }
        return;
    }
    if rank(b.status) > rank(a.status) {
        *into = other;
    }
}
