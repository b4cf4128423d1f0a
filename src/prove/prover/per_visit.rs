//! One visit and what it is told of: its problem before the proof, its verdict in the user's words after it.

use super::Prover;
use crate::access::assumption::Assumption;
use crate::access::{CopySource, Target, Visit, Walk};
use crate::gpu::cost::{Op, Space};
use crate::ir::{Kernel, Program};
use crate::prove::canonical::{Names, Origin, canonical};
use crate::prove::decide::Replay;
use crate::prove::explore::Problem;
use crate::prove::premise::Grounds;
use crate::prove::verdict::{Access, Claim, Dependence, LaunchShape, Status, Verdict, Witness};
use crate::prove::witness;
use crate::source::Span;
use crate::term::{DifferenceKind, render};
use std::sync::Arc;

/// Parts of addresses and conditions that are looked at for one launch of a kernel, those that accesses
/// share once for each.
const MOST_PARTS: usize = 3_000_000;

/// One visit with its problem, where it has one.
pub(super) struct Prepared {
    access: Access,
    /// The user's names of the problem's symbols.
    names: Names,
    /// The problem and its canonical key, or why there is none.
    problem: Result<(Vec<i64>, Problem), (Status, String)>,
}

/// How many of the visits are decided: the first ones whose addresses and conditions, one by one, have no
/// more than so many parts. A chain of sums is as long at each access as there were links before it.
pub(super) fn within_limit(walk: &Walk, only: Option<Space>) -> usize {
    let mut left = MOST_PARTS;
    for (number, visit) in walk.visits.iter().enumerate() {
        let Some(offset) = visit.offset else { continue };
        if only.is_some_and(|space| space != visit.space) {
            continue;
        }
        let roots = visit.guards.iter().copied().chain([offset]);
        let parts = walk.terms.part_count(roots, left) + visit.facts.len();
        match left.checked_sub(parts) {
            Some(rest) => left = rest,
            None => return number,
        }
    }
    walk.visits.len()
}

/// Why nothing is said of a visit beyond the limit.
pub(super) fn over_the_limit() -> String {
    format!("over the limit of {MOST_PARTS} parts of all addresses of one kernel")
}

/// Of a visit of which a reason keeps from saying anything, as of one beyond the limit, only what it is.
pub(super) fn prepare(
    program: &Program,
    kernel: &Kernel,
    walk: &Walk,
    shape: &LaunchShape,
    visit: &Visit,
    refusal: Option<String>,
) -> Prepared {
    let mut verdict = blank();
    verdict.assumptions.clone_from(&walk.assumptions);
    let is_pointed_to = matches!(visit.target, Target::Allocation(_));
    if visit.space == Space::Global && is_pointed_to {
        verdict.assumptions.push(Assumption::AlignedPointers);
    }
    let access = Access {
        kernel: kernel.name.as_str().into(),
        instance: kernel.instance.as_str().into(),
        kernel_span: kernel.span,
        launch: shape.clone(),
        site: kernel.sites[visit.site.index()].clone(),
        declaration: declaration(program, kernel, visit),
        space: visit.space,
        is_distributed: visit.target == Target::Distributed,
        op: visit.op,
        width: visit.width,
        formula: visit.offset.map_or_else(String::new, |offset| {
            render::render(&walk.terms, offset, 200)
        }),
        guards: visit
            .guards
            .iter()
            .map(|guard| render::render(&walk.terms, *guard, 120))
            .collect(),
        loop_depth: visit.loop_depth,
        iterations: visit.iterations,
        per_block: None,
        verdict,
        merged: None,
        loose: None,
        is_kept: false,
        narrowed: None,
        reads_apart: false,
    };
    let Some(offset) = visit.offset else {
        let (status, reason) = match &visit.reason {
            Some(why) if why.kind == DifferenceKind::Data => (Status::DataDependent, &*why.text),
            Some(why) => (Status::Unknown, &*why.text),
            None => (Status::Unknown, "the address is not modelled"),
        };
        return Prepared {
            access,
            names: Names::default(),
            problem: Err((status, reason.to_owned())),
        };
    };
    if let Some(reason) = refusal {
        return Prepared {
            access,
            names: Names::default(),
            problem: Err((Status::Unknown, reason)),
        };
    }
    let canonical = canonical(walk, visit, offset);
    let problem = if canonical.contradiction {
        let reason = "the assumptions contradict each other".to_owned();
        Err((Status::Unknown, reason))
    } else {
        Ok((canonical.key, canonical.problem))
    };
    Prepared {
        access,
        names: canonical.names,
        problem,
    }
}

fn declaration(program: &Program, kernel: &Kernel, visit: &Visit) -> Option<Span> {
    match &visit.target {
        Target::Shared(id) => Some(kernel.shared.get(id.index())?.span),
        Target::Global(id) => Some(program.globals.get(id.index())?.span),
        Target::Allocation(name) => {
            let parameter = kernel
                .parameters
                .iter()
                .find(|parameter| *parameter.name == **name)?;
            Some(parameter.span)
        }
        Target::Distributed | Target::Unknown(_) => None,
    }
}

/// Bytes of the object that is accessed, where the text says it.
pub(super) fn size_of(program: &Program, kernel: &Kernel, visit: &Visit) -> Option<u64> {
    match &visit.target {
        Target::Shared(id) => kernel.shared.get(id.index())?.size,
        Target::Global(id) => program.globals.get(id.index())?.size,
        Target::Allocation(_) | Target::Distributed | Target::Unknown(_) => None,
    }
}

fn blank() -> Verdict {
    Verdict {
        status: Status::Unknown,
        min: 0,
        max: 0,
        ideal: 0,
        reason: String::new(),
        has_open_strides: false,
        depends_on: Vec::new(),
        assumptions: Vec::new(),
        witness: None,
        certificate: Arc::default(),
    }
}

/// Puts the outcome into the user's words. `None` for an access that no lane reaches.
pub(super) fn finish(
    prepared: Prepared,
    kernel: &Kernel,
    (walk, grounds): (&Walk, &Grounds),
    (number, visit): (usize, &Visit),
    size: Option<u64>,
    prover: &Prover,
) -> Option<Access> {
    let Prepared {
        mut access,
        names,
        problem,
    } = prepared;
    let verdict = &mut access.verdict;
    let cell = match problem {
        Ok((key, problem)) => prover.settle(&key, problem, access.site.span),
        Err((status, reason)) => {
            verdict.status = status;
            verdict.reason = reason;
            return Some(access);
        }
    };
    let settled = cell.get()?;
    let outcome = &settled.outcome;
    let is_told = outcome.dead || matches!(outcome.status, Status::Exact | Status::Bounded);
    if is_told && let Some(reason) = grounds.failure(visit.premises) {
        verdict.status = Status::Unknown;
        reason.clone_into(&mut verdict.reason);
        return Some(access);
    }
    if outcome.dead {
        return None;
    }
    let say = |text: &str| names.put_into(text);
    // The iteration of a loop over `s` is `s` where values are listed, unless a parameter has that name.
    let is_parameter = |name: &str| kernel.parameters.iter().any(|known| *known.name == *name);
    let say_plainly = |text: &str| names.put_into_by_counters(text, &|name| !is_parameter(name));
    verdict.status = outcome.status;
    (verdict.min, verdict.max, verdict.ideal) = (outcome.min, outcome.max, outcome.ideal);
    verdict.reason = say(&outcome.reason);
    verdict.has_open_strides = outcome.has_open_strides;
    verdict.depends_on = outcome
        .depends_on
        .iter()
        .map(|dependence| Dependence {
            symbol: say_plainly(&dependence.symbol),
            operand: say_plainly(&dependence.operand),
            is_swept: is_swept(walk, &names, &dependence.symbol),
            parameters: parameters(walk, &names, &dependence.symbol),
            cases: dependence.cases.clone(),
        })
        .collect();
    verdict.assumptions.extend(
        outcome
            .assumptions
            .iter()
            .map(|assumption| assumption.renamed(say)),
    );
    verdict.assumptions.dedup();
    let arch = &prover.options.arch;
    let reached = outcome
        .witness
        .as_ref()
        .and_then(|replay| witness::reached(walk, visit, &names, replay, size, arch));
    verdict.witness = reached.map(|replay| Box::new(told(&names, &replay)));
    verdict.certificate = settled.certificate.clone();
    if is_told
        && grounds.is_assumed(number, visit)
        && !verdict.assumptions.contains(&Assumption::NoWrap)
    {
        verdict.assumptions.push(Assumption::NoWrap);
    }
    if is_told && prover.options.prove {
        let claims = grounds.claims(number, visit);
        verdict.certificate = prover.with_claims(&settled.certificate, claims);
    }
    if is_told {
        note_source(&mut access, walk, visit, prover);
    }
    if !access.reads_apart {
        access.per_block = prover.total(walk, visit, outcome);
    }
    Some(access)
}

/// A witness with the names of its symbols.
fn told(names: &Names, replay: &Replay) -> Witness {
    let symbols = names.symbols.iter().zip(&replay.symbols);
    Witness {
        symbols: symbols
            .map(|(name, value)| (name.to_string(), *value))
            .collect(),
        addresses: replay.addresses,
        cost: replay.cost,
        ideal: replay.ideal,
    }
}

/// Of the shared side of a copy, whether its cost is that of the stores alone.
fn note_source(access: &mut Access, walk: &Walk, visit: &Visit, prover: &Prover) {
    let Some(source) = visit.source else { return };
    match same_distance(walk, visit, source, (prover, access.site.span)) {
        Some((claims, assumptions)) => {
            let verdict = &mut access.verdict;
            verdict.certificate = prover.with_claims(&verdict.certificate, claims.to_vec());
            for assumption in assumptions {
                if !verdict.assumptions.contains(&assumption) {
                    verdict.assumptions.push(assumption);
                }
            }
        }
        None => access.reads_apart = true,
    }
}

/// Why all lanes of a copy read at one distance from where they write: bytes at that many times 32 lie in one
/// sector. `None` where they may not.
fn same_distance(
    walk: &Walk,
    visit: &Visit,
    source: CopySource,
    (prover, span): (&Prover, Span),
) -> Option<(Arc<[Claim]>, Vec<Assumption>)> {
    let CopySource::Distance(distance) = source else {
        return None;
    };
    if !walk.terms.is_varying(distance) {
        return Some((Arc::default(), Vec::new()));
    }
    let bytes = Visit {
        space: Space::Global,
        op: Op::Load,
        width: 1,
        offset: Some(distance),
        ..visit.clone()
    };
    let canonical = canonical(walk, &bytes, distance);
    if canonical.contradiction {
        return None;
    }
    let cell = prover.settle(&canonical.key, canonical.problem, span);
    let settled = cell.get()?;
    let outcome = &settled.outcome;
    let is_one = outcome.status == Status::Exact && outcome.max == 1;
    let say = |text: &str| canonical.names.put_into(text);
    let assumptions = outcome.assumptions.iter().map(|one| one.renamed(say));
    is_one.then(|| (settled.certificate.clone(), assumptions.collect()))
}

/// Whether a launch goes through all values of all symbols that a text speaks of.
fn is_swept(walk: &Walk, names: &Names, text: &str) -> bool {
    let mut origins = names.origins_in(text).peekable();
    let is_swept = |one: Origin| walk.terms.symbol(one.symbol).origin.is_swept();
    origins.peek().is_some() && origins.all(is_swept)
}

/// The kernel's parameters that a text speaks of, by their places.
fn parameters(walk: &Walk, names: &Names, text: &str) -> Vec<u32> {
    let origin = |one: Origin| walk.terms.symbol(one.symbol).origin;
    let parameter = |one: Origin| origin(one).parameter();
    names.origins_in(text).filter_map(parameter).collect()
}
