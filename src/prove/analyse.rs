//! A whole program: walks, canonical forms, proofs once each, verdicts in order.

use super::cache::{Asked, Store};
use super::canonical::{canonical, named};
use super::claim;
use super::decide::{Outcome, Proved, decide};
use super::explore::Problem;
use super::smt::Answer;
use super::verdict::{
    Access, Claim, Dependence, DependenceCase, LaunchShape, Status, Verdict, Witness,
};
use crate::access::{self, Target, Visit, Walk, render};
use crate::gpu::arch::Arch;
use crate::gpu::cost::Space;
use crate::ir::{Dimension, Kernel, Launch, LaunchSource, NotAnalysed, Program};
use crate::source::Span;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Launches of one kernel that are analysed; the rest repeat their shapes more often than not.
const MAX_LAUNCHES: usize = 12;

/// How to analyse.
#[derive(Clone)]
pub struct Options {
    pub arch: Arch,
    /// Whether Z3 is asked; without it verdicts carry no certificate.
    pub prove: bool,
    /// Answers of earlier runs.
    pub store: Option<Arc<dyn Store>>,
    /// Only accesses of this space, where one is named.
    pub only: Option<Space>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            arch: Arch::DEFAULT,
            prove: true,
            store: None,
            only: None,
        }
    }
}

/// What the proofs of one run came to.
#[derive(Clone, Debug, Default)]
pub struct Proofs {
    /// Distinct canonical problems.
    pub problems: usize,
    /// Visits that they stand for.
    pub visits: usize,
    /// Distinct claims, by hash.
    pub obligations: Vec<Proved>,
    /// Kernels of which a limit left something out.
    pub incomplete: Vec<NotAnalysed>,
}

/// One visit, waiting for its problem's outcome.
struct Pending {
    access: Access,
    names: Vec<Arc<str>>,
    base_assumptions: Vec<String>,
    /// Index of the problem, or why there is none.
    problem: Result<usize, (Status, String)>,
}

/// A visit with its problem and the problem's canonical key, where it has one.
type Prepared = (Pending, Option<(Vec<i64>, Problem)>);

/// The accesses of one kernel under one launch.
struct Walked {
    walk: Walk,
    shape: LaunchShape,
    kernel: usize,
}

/// Verdicts for every access of every kernel of the program, in order of kernel, launch and place.
#[must_use]
pub fn analyse(program: &Program, options: &Options) -> (Vec<Access>, Proofs) {
    let jobs: Vec<(usize, Launch)> = program
        .kernels
        .iter()
        .enumerate()
        .flat_map(|(at, kernel)| launches(kernel).into_iter().map(move |launch| (at, launch)))
        .collect();
    let walked: Vec<Walked> = jobs
        .par_iter()
        .map(|(at, launch)| {
            let kernel = &program.kernels[*at];
            Walked {
                walk: access::walk(program, kernel, launch),
                shape: shape_of(launch),
                kernel: *at,
            }
        })
        .collect();
    let incomplete = incomplete(program, &walked);

    // Canonical forms in order, so that numbering does not depend on threads.
    let prepared: Vec<Vec<Prepared>> = walked
        .par_iter()
        .map(|walked| prepare(program, walked, options.only))
        .collect();
    // Problems have terms of their own.
    drop(walked);
    let mut index: FxHashMap<Vec<i64>, usize> = FxHashMap::default();
    let mut problems: Vec<Problem> = Vec::new();
    let mut pending: Vec<Pending> = Vec::new();
    for (mut item, canonical) in prepared.into_iter().flatten() {
        if let Some((key, problem)) = canonical {
            let next = problems.len();
            let at = *index.entry(key).or_insert(next);
            if at == next {
                problems.push(problem);
            }
            item.problem = Ok(at);
        }
        pending.push(item);
    }

    let asked = Asked::new(options.store.clone());
    let outcomes: Vec<Outcome> = problems
        .into_par_iter()
        .map(|mut problem| {
            let prove = |hash, claim: &claim::Claim| {
                if options.prove {
                    asked.ask(hash, claim)
                } else {
                    Answer::Proved
                }
            };
            decide(&mut problem, &options.arch, &prove)
        })
        .collect();

    let mut proofs = Proofs {
        problems: outcomes.len(),
        visits: pending.len(),
        obligations: Vec::new(),
        incomplete,
    };
    if options.prove {
        let mut obligations: Vec<Proved> = outcomes
            .iter()
            .flat_map(|outcome| outcome.obligations.iter().cloned())
            .collect();
        obligations.sort_by_key(|proved| proved.hash);
        obligations.dedup_by_key(|proved| proved.hash);
        proofs.obligations = obligations;
    }
    let accesses = pending
        .into_par_iter()
        .filter_map(|item| finish(item, &outcomes, options.prove))
        .collect::<Vec<_>>();
    (merge(accesses), proofs)
}

/// Kernels whose walk stopped early, and those with more launches than are analysed; each reason
/// once.
fn incomplete(program: &Program, walked: &[Walked]) -> Vec<NotAnalysed> {
    let gap = |kernel: &Kernel, reason: String| NotAnalysed {
        function: kernel.name.clone(),
        span: kernel.span,
        reason,
    };
    let stopped = walked.iter().filter_map(|walked| {
        let reason = walked.walk.incomplete.clone()?;
        Some(gap(&program.kernels[walked.kernel], reason))
    });
    let crowded = program.kernels.iter().filter_map(|kernel| {
        let reason = || {
            format!(
                "it is launched in more than {MAX_LAUNCHES} ways, of which the first {MAX_LAUNCHES} were analysed"
            )
        };
        (distinct(kernel).len() > MAX_LAUNCHES).then(|| gap(kernel, reason()))
    });
    let mut all: Vec<NotAnalysed> = stopped.chain(crowded).collect();
    all.dedup_by(|a, b| a.span == b.span && a.reason == b.reason);
    all
}

/// The launches that differ in what matters, in their order: no more than one too many.
fn distinct(kernel: &Kernel) -> Vec<&Launch> {
    let mut found: Vec<&Launch> = Vec::new();
    for launch in &kernel.launches {
        let same = |other: &&Launch| {
            other.block == launch.block
                && other.grid == launch.grid
                && other.arguments == launch.arguments
        };
        if !found.iter().any(same) {
            found.push(launch);
        }
        if found.len() > MAX_LAUNCHES {
            break;
        }
    }
    found
}

/// The launches to analyse: those that are known, each once, or an assumed one.
#[must_use]
pub fn launches(kernel: &Kernel) -> Vec<Launch> {
    let known = distinct(kernel).into_iter().take(MAX_LAUNCHES);
    let mut found: Vec<Launch> = known.cloned().collect();
    if found.is_empty() {
        let unknown = || Dimension::Unknown("no launch is visible".into());
        found.push(Launch {
            grid: [unknown(), unknown(), unknown()],
            block: [unknown(), unknown(), unknown()],
            dynamic_shared: None,
            arguments: Vec::new(),
            source: if kernel.max_threads.is_some() {
                LaunchSource::Bounds
            } else {
                LaunchSource::Assumed
            },
            span: None,
        });
    }
    found
}

fn shape_of(launch: &Launch) -> LaunchShape {
    let known = |dims: &[Dimension; 3]| [dims[0].known(), dims[1].known(), dims[2].known()];
    LaunchShape {
        block: known(&launch.block),
        grid: known(&launch.grid),
        source: launch.source,
        span: launch.span,
    }
}

fn prepare(program: &Program, walked: &Walked, only: Option<Space>) -> Vec<Prepared> {
    let kernel = &program.kernels[walked.kernel];
    let name: Arc<str> = kernel.name.as_str().into();
    let instance: Arc<str> = kernel.instance.as_str().into();
    walked
        .walk
        .visits
        .iter()
        .filter(|visit| only.is_none_or(|space| space == visit.space))
        .map(|visit| {
            let access = Access {
                kernel: name.clone(),
                instance: instance.clone(),
                kernel_span: kernel.span,
                launch: walked.shape.clone(),
                site: kernel.sites[visit.site.index()].clone(),
                declaration: declaration(program, kernel, visit),
                space: visit.space,
                op: visit.op,
                width: visit.width,
                formula: visit.offset.map_or_else(String::new, |offset| {
                    render::render(&walked.walk.terms, offset, 200)
                }),
                guards: visit
                    .guards
                    .iter()
                    .map(|guard| render::render(&walked.walk.terms, *guard, 120))
                    .collect(),
                loop_depth: visit.loop_depth,
                iterations: visit.iterations,
                verdict: blank(),
            };
            let mut pending = Pending {
                access,
                names: Vec::new(),
                base_assumptions: walked.walk.assumptions.clone(),
                problem: Err((Status::Unknown, String::new())),
            };
            if visit.space == Space::Global && !matches!(visit.target, Target::Unknown(_)) {
                pending
                    .base_assumptions
                    .push("pointers are 256-byte aligned, as cudaMalloc returns them".into());
            }
            let Some(offset) = visit.offset else {
                let reason = visit
                    .reason
                    .clone()
                    .unwrap_or_else(|| "the address is not modelled".into());
                let is_data =
                    matches!(&visit.target, Target::Unknown(_)) && looks_like_data(&reason);
                let status = if is_data {
                    Status::DataDependent
                } else {
                    Status::Unknown
                };
                pending.problem = Err((status, reason.to_string()));
                return (pending, None);
            };
            let canonical = canonical(&walked.walk, visit, offset);
            pending.names = canonical.names;
            if canonical.contradiction {
                pending.problem = Err((
                    Status::Unknown,
                    "the assumptions contradict each other".to_owned(),
                ));
                return (pending, None);
            }
            (pending, Some((canonical.key, canonical.problem)))
        })
        .collect()
}

/// Whether the reason for a missing address names per-lane data.
fn looks_like_data(reason: &str) -> bool {
    reason.starts_with("a value loaded")
        || reason.contains("per lane")
        || reason.contains("loaded from")
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
        Target::Unknown(_) => None,
    }
}

fn blank() -> Verdict {
    Verdict {
        status: Status::Unknown,
        min: 0,
        max: 0,
        ideal: 0,
        reason: String::new(),
        depends_on: Vec::new(),
        assumptions: Vec::new(),
        witness: None,
        certificate: Vec::new(),
    }
}

/// Puts the outcome into the user's words. `None` for an access that no lane reaches.
fn finish(item: Pending, outcomes: &[Outcome], prove: bool) -> Option<Access> {
    let mut access = item.access;
    let verdict = &mut access.verdict;
    verdict.assumptions = item.base_assumptions;
    let outcome = match item.problem {
        Ok(at) => &outcomes[at],
        Err((status, reason)) => {
            verdict.status = status;
            verdict.reason = reason;
            return Some(access);
        }
    };
    if outcome.dead {
        return None;
    }
    let say = |text: &str| named(text, &item.names);
    verdict.status = outcome.status;
    (verdict.min, verdict.max, verdict.ideal) = (outcome.min, outcome.max, outcome.ideal);
    verdict.reason = say(&outcome.reason);
    verdict.depends_on = outcome
        .depends_on
        .iter()
        .map(|dependence| Dependence {
            symbol: plain_symbol(&say(&dependence.symbol)),
            cases: dependence
                .cases
                .iter()
                .map(|case| DependenceCase {
                    when: plain_symbol(&say(&case.when)),
                    ..case.clone()
                })
                .collect(),
        })
        .collect();
    verdict
        .assumptions
        .extend(outcome.assumptions.iter().map(|text| say(text)));
    verdict.assumptions.dedup();
    verdict.witness = outcome.witness.as_ref().map(|replay| Witness {
        symbols: item
            .names
            .iter()
            .zip(&replay.symbols)
            .map(|(name, value)| (name.to_string(), *value))
            .collect(),
        addresses: replay.addresses,
        cost: replay.cost,
        ideal: replay.ideal,
    });
    if prove {
        for proved in outcome
            .obligations
            .iter()
            .filter(|p| p.answer == Answer::Proved)
        {
            verdict.certificate.push(Claim {
                kind: proved.claim.kind(),
                statement: statement(proved.claim.kind()).to_owned(),
                obligation: claim::hexadecimal(&proved.hash),
            });
        }
    }
    Some(access)
}

/// `iteration of s` is `s` where its values are listed.
fn plain_symbol(text: &str) -> String {
    text.replace("iteration of ", "")
}

fn statement(kind: &str) -> &'static str {
    match kind {
        "offsets" => "the address is the sum that its normal form is, whatever the lanes' numbers",
        "offsets and active lanes" => {
            "the address and the guards' operands are the sums that their normal forms are"
        }
        "base residue" => {
            "the shared part of the address has only the residues that were enumerated"
        }
        "division" => "a quotient is taken part by part, and steps at most once within a warp",
        "remainder" => "a remainder is what the quotient leaves",
        _ => "an operation on bits is the sum that it was replaced by",
    }
}

/// One record for each place, operation and launch: a place that is reached in several ways has
/// the bounds of all of them.
fn merge(accesses: Vec<Access>) -> Vec<Access> {
    let mut index = FxHashMap::default();
    let mut merged: Vec<Access> = Vec::with_capacity(accesses.len());
    for access in accesses {
        let key = (
            access.kernel.clone(),
            access.instance.clone(),
            access.launch.block,
            access.site.span,
            access.site.array.clone(),
            access.space,
            access.op,
            access.width,
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
        let reason = if a.reason.is_empty() {
            b.reason.clone()
        } else {
            a.reason.clone()
        };
        if worse {
            let depth = into.loop_depth.max(other.loop_depth);
            *into = other;
            into.loop_depth = depth;
        }
        let verdict = &mut into.verdict;
        (verdict.min, verdict.max) = (min, max);
        if both_ideal {
            verdict.ideal = ideal;
        }
        if exact {
            verdict.status = Status::Exact;
        } else {
            verdict.status = Status::Bounded;
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
