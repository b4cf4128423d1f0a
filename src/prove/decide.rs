//! From a canonical problem to its outcome: cases, costs, proof, witness.

use super::certificate::claims;
use super::claim::{Claim, Hash};
use super::dependence;
use super::explore::{Exploration, Failure, Leaf, Problem, explore};
use super::poly::LANES;
use super::range;
use super::reasons::OpenGuard;
use super::residue_cost::{self, Costs, LeafCost, RequestKind};
use super::smt::Answer;
use super::verdict::{Dependence, Status};
use crate::access::Atomic;
use crate::access::assumption::Assumption;
use crate::gpu::arch::Arch;
use crate::gpu::cost::{self, Space};
use crate::ir::stop::Stop;
use crate::term::compiled::Evaluation;
use crate::term::substitution::Substitution;
use crate::term::{DifferenceKind, Domain, LIMIT, SymbolId, Term, TermId};
use std::sync::Arc;

/// Cases that are tried for a witness at most.
const MAX_WITNESS_CASES: usize = 16;
/// Terms of a problem with which its two sides are still looked at, each in a search of its own.
const MAX_TERMS_OF_SIDES: usize = 45_000;

/// The answer to a problem; its texts speak of symbols by number.
#[derive(Clone, Debug)]
pub struct Decision {
    pub status: Status,
    pub min: u32,
    pub max: u32,
    pub ideal: u32,
    pub reason: String,
    /// As [`Verdict::has_open_strides`](super::verdict::Verdict::has_open_strides).
    pub has_open_strides: bool,
    pub depends_on: Vec<Dependence>,
    pub assumptions: Vec<Assumption>,
    pub witness: Option<Box<Replay>>,
    pub obligations: Vec<Proved>,
    /// No lane ever takes part.
    pub dead: bool,
}

/// A request that was replayed through the cost function.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Value of each symbol in canonical order.
    pub symbols: Vec<i64>,
    pub addresses: [Option<u64>; LANES],
    pub cost: u32,
    pub ideal: u32,
}

/// A claim with Z3's answer and its content hash.
#[derive(Clone, Debug)]
pub struct Proved {
    pub claim: Arc<Claim>,
    pub hash: Hash,
    pub answer: Answer,
}

/// Everything that a decision needs beside its problem.
#[derive(Clone, Copy)]
pub struct DecideContext<'a> {
    pub arch: &'a Arch,
    /// Asks the solver, through whatever cache it keeps.
    pub prove: &'a dyn Fn(Hash, &Claim) -> Answer,
    /// Costs that other problems' cases had, on that architecture.
    pub costs: &'a Costs,
    /// Raised to end the search.
    pub stop: &'a Stop,
}

/// Decides a problem.
pub fn decide(problem: &mut Problem, by: DecideContext) -> Decision {
    decide_within(problem, by, 3)
}

fn decide_within(problem: &mut Problem, by: DecideContext, depth: u32) -> Decision {
    let DecideContext {
        arch,
        prove,
        costs,
        stop,
    } = by;
    let same = residue_cost::request_cost(RequestKind::of(problem), arch, u32::MAX, &[0; LANES]);
    let is_indifferent =
        problem.atomic == Atomic::No && problem.rows == 0 && (same.actual, same.ideal) == (1, 1);
    let mut exploration = explore(problem, is_indifferent, stop);
    let mut outcome = match &exploration.failure {
        Some(failure) => mixture(problem, by, depth).unwrap_or_else(|| {
            let mut outcome = unresolved(problem, arch, failure);
            if outcome.status == Status::Bounded {
                let claims = range::claims(problem, outcome.max);
                discharge(claims, &mut outcome, prove);
            }
            outcome
        }),
        None => resolved(problem, arch, costs, &exploration),
    };
    for assumption in exploration.assumptions.iter().chain(&problem.narrowed) {
        if !outcome.assumptions.contains(assumption) {
            outcome.assumptions.push(assumption.clone());
        }
    }
    if exploration.failure.is_none() && matches!(outcome.status, Status::Exact | Status::Bounded) {
        certify(problem, arch, &mut exploration, &mut outcome, prove);
    }
    outcome
}

/// Bounds for an address whose lanes choose between two: a request never costs more than its two
/// halves together, and part of a warp never more than the whole.
///
/// Holds for sectors (the union of two sets) and for wavefronts of up to 4 bytes per lane (the
/// words of a bank are such a union); wider shared loads may lose a merging of groups.
fn mixture(problem: &mut Problem, by: DecideContext, depth: u32) -> Option<Decision> {
    if depth == 0 || problem.rows > 0 || (problem.space == Space::Shared && problem.width > 4) {
        return None;
    }
    if problem.terms.count() > MAX_TERMS_OF_SIDES {
        return None;
    }
    let (choice, sides) = lane_choice(problem, problem.address)?;
    let arch = by.arch;
    let mut total: Option<Decision> = None;
    for side in sides {
        let mut chosen = Substitution::of_terms(&problem.terms, [(choice, side)]);
        let address = chosen.apply(&mut problem.terms, problem.address);
        let original = std::mem::replace(&mut problem.address, address);
        // Which lanes take this side is left open, so guards have no say either.
        let guards = std::mem::take(&mut problem.guards);
        let part = decide_within(problem, by, depth - 1);
        problem.address = original;
        problem.guards = guards;
        if !matches!(part.status, Status::Exact | Status::Bounded) {
            return None;
        }
        total = Some(match total {
            None => part,
            Some(mut sum) => {
                sum.max += part.max;
                sum.ideal = sum.ideal.max(part.ideal);
                sum.obligations.extend(part.obligations);
                for assumption in part.assumptions {
                    if !sum.assumptions.contains(&assumption) {
                        sum.assumptions.push(assumption);
                    }
                }
                sum
            }
        });
    }
    let mut outcome = total?;
    outcome.status = Status::Bounded;
    outcome.min = 1;
    outcome.max = outcome.max.min(most(problem, arch, u32::MAX));
    if !problem.guards.is_empty() {
        // Lanes that take no part may be any.
        outcome.ideal = ideal_of_subset(kind_of(problem), arch, outcome.max, outcome.ideal);
    }
    outcome.reason = "lanes take either side of a condition".to_owned();
    outcome.has_open_strides = false;
    outcome.witness = None;
    outcome.depends_on = Vec::new();
    Some(outcome)
}

/// A selection, minimum or maximum that lanes decide differently, and its two sides.
fn lane_choice(problem: &Problem, address: TermId) -> Option<(TermId, [TermId; 2])> {
    use crate::term::Op;
    let mut stack = vec![address];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) || !problem.terms.is_varying(id) {
            continue;
        }
        match problem.terms.term(id) {
            Term::Select(_, a, b) | Term::Binary(Op::Min | Op::Max, a, b) => {
                return Some((id, [*a, *b]));
            }
            Term::Binary(_, a, b) => stack.extend([*b, *a]),
            Term::Not(a) | Term::Wrap(_, a) | Term::Table(a, _) => stack.push(*a),
            Term::Const(_) | Term::Symbol(_) => {}
        }
    }
    None
}

/// Has Z3 discharge the claims that the verdict rests on.
fn certify(
    problem: &mut Problem,
    arch: &Arch,
    exploration: &mut Exploration,
    outcome: &mut Decision,
    prove: &dyn Fn(Hash, &Claim) -> Answer,
) {
    let modulus = residue_cost::period(problem, arch);
    let claims = match claims(problem, exploration, modulus) {
        Ok(claims) => claims,
        Err(reason) => {
            outcome.status = Status::Unknown;
            reason.clone_into(&mut outcome.reason);
            outcome.has_open_strides = false;
            return;
        }
    };
    discharge(claims, outcome, prove);
}

/// Asks for claims until one is not proved; then the verdict is unknown.
fn discharge(
    claims: Vec<(Hash, Claim)>,
    outcome: &mut Decision,
    prove: &dyn Fn(Hash, &Claim) -> Answer,
) {
    for (hash, claim) in claims {
        let answer = prove(hash, &claim);
        if answer != Answer::Proved {
            outcome.status = Status::Unknown;
            outcome.has_open_strides = false;
            outcome.reason = match answer {
                Answer::Refuted => {
                    "the solver refuted the normal form of this address: please report it"
                }
                _ => "the solver reached its resource limit",
            }
            .to_owned();
        }
        outcome.obligations.push(Proved {
            claim: Arc::new(claim),
            hash,
            answer,
        });
        if answer != Answer::Proved {
            // The verdict is unknown already: the other claims cannot mend it.
            break;
        }
    }
}

fn empty(status: Status, reason: String) -> Decision {
    Decision {
        status,
        min: 0,
        max: 0,
        ideal: 0,
        reason,
        has_open_strides: false,
        depends_on: Vec::new(),
        assumptions: Vec::new(),
        witness: None,
        obligations: Vec::new(),
        dead: false,
    }
}

/// Most that any request of this width and mask can cost.
fn most(problem: &Problem, arch: &Arch, mask: u32) -> u32 {
    // Every lane in a row of its own: one bank, and a sector or line for each.
    let mut offsets = [0_i64; LANES];
    for (lane, offset) in offsets.iter_mut().enumerate() {
        *offset = lane as i64 * 4096;
    }
    residue_cost::request_cost(RequestKind::of(problem), arch, mask, &offsets).actual
}

fn unresolved(problem: &mut Problem, arch: &Arch, failure: &Failure) -> Decision {
    let ideal = cost::ideal(problem.space, problem.op, problem.width, u32::MAX, arch);
    let trivial = most(problem, arch, u32::MAX);
    // A value that a mask or a type keeps small bounds the address.
    let (low, high) = problem.terms.interval(problem.address);
    let span = high
        .saturating_sub(low)
        .saturating_add(i64::from(problem.width));
    let by_range = match problem.space {
        // Exactly: words of one bank in a range of that many bytes.
        Space::Shared if low.rem_euclid(128) == 0 => span.saturating_add(127) / 128,
        Space::Shared => (span / 4 + 32) / 32 + 1,
        Space::Global => span.saturating_add(62) / 32,
    };
    let reason = match failure {
        Failure::Data(why) => format!("the address depends on {}", why.text),
        Failure::Hard(reason) => format!("the address is not understood: {reason}"),
        Failure::OverBudget => {
            "the address is not understood: it splits into too many cases".to_string()
        }
    };
    // Beyond the limit an interval says nothing.
    let is_within = -LIMIT < low && high < LIMIT;
    if is_within
        && problem.rows == 0
        && problem.width <= 4
        && by_range < i64::from(trivial)
        && span < 1 << 20
    {
        let max = u32::try_from(by_range.max(1)).unwrap_or(trivial);
        let mut outcome = empty(Status::Bounded, reason);
        outcome.min = 1;
        outcome.max = max.max(1);
        outcome.ideal = match problem.space {
            Space::Shared => ideal,
            Space::Global => 1,
        };
        return outcome;
    }
    match failure {
        Failure::Data(why) if why.kind == DifferenceKind::NotModelled => {
            empty(Status::Unknown, why.text.to_string())
        }
        Failure::Data(_) => empty(Status::DataDependent, reason),
        Failure::Hard(_) | Failure::OverBudget => empty(Status::Unknown, reason),
    }
}

fn resolved(
    problem: &mut Problem,
    arch: &Arch,
    known: &Costs,
    exploration: &Exploration,
) -> Decision {
    let leaves = &exploration.leaves;
    if leaves.is_empty() {
        return unreached(problem, exploration);
    }
    let mut costs: Vec<LeafCost> = Vec::with_capacity(leaves.len());
    let mut complete = true;
    for leaf in leaves {
        let mut found = known.of(problem, leaf, arch, leaves.len() == 1);
        if !found.complete {
            complete = false;
            found.min = found.min.min(1);
            found.max = most(problem, arch, leaf.mask);
        }
        if leaf.open_mask.is_some() {
            open_mask_bounds(problem, arch, &mut found);
        }
        costs.push(found);
    }
    let worst = worst_case(&costs);
    let all_ideal = costs.iter().all(|c| c.max <= c.ideal);
    let min = costs.iter().map(|c| c.min).min().unwrap_or(0);
    let max = costs.iter().map(|c| c.max).max().unwrap_or(0);
    // Of the request that the maximum speaks of, where that one is not ideal.
    let largest = costs.iter().filter(|c| c.max == max && c.max > c.ideal);
    let ideal = if all_ideal {
        costs.iter().map(|c| c.ideal).max().unwrap_or(1)
    } else {
        let least = largest.map(|c| c.ideal).min();
        least.unwrap_or(costs[worst].ideal)
    };
    let one_ratio = costs.iter().all(|c| c.min == c.max)
        && costs.iter().all(|c| {
            u64::from(c.max) * u64::from(costs[0].ideal)
                == u64::from(costs[0].max) * u64::from(c.ideal)
        });
    let open = leaves.iter().find_map(|leaf| leaf.open_mask.clone());
    // A request of any lanes costs 1 at least.
    let is_told = open.is_none() || max == 1;
    // A full warp and the last, partial one may cost the same and have other ideals.
    let one_ideal = costs.iter().all(|c| c.ideal == costs[0].ideal);
    let exact = complete && is_told && (one_ratio || (min == max && one_ideal));
    let mut outcome = empty(
        if exact {
            Status::Exact
        } else {
            Status::Bounded
        },
        String::new(),
    );
    (outcome.min, outcome.max, outcome.ideal) = (min, max, ideal);
    if !exact {
        if complete {
            outcome.depends_on = dependence::depends_on(problem, leaves, &costs);
            if open.is_some() {
                of_any_lanes(&mut outcome);
            }
        }
        // Data may choose the lanes as well: it says nothing of strides.
        outcome.has_open_strides = !complete && outcome.depends_on.is_empty();
        outcome.reason = why_bounded(&outcome, leaves, open.as_ref());
    }
    if leaves.iter().any(|leaf| leaf.interior) {
        outcome.assumptions.push(Assumption::WholeWarp);
    }
    if costs.iter().any(|c| c.assumed_aligned) {
        outcome.assumptions.push(Assumption::AlignedAddress {
            bytes: problem.width,
        });
    }
    // Where the worst ratio and the largest cost belong to different masks, no single request
    // shows the bounds.
    let shown = costs.iter().position(|c| (c.max, c.ideal) == (max, ideal));
    if outcome.max > outcome.ideal
        && let Some(shown) = shown
    {
        outcome.witness = witness(problem, arch, &leaves[shown], &costs[shown]);
        if outcome.witness.is_none() && complete && open.is_none() {
            // No request was found that attains it: it stays an upper bound.
            outcome.witness = leaves
                .iter()
                .zip(&costs)
                .filter(|(_, c)| c.max > c.ideal && c.max == outcome.max)
                .take(MAX_WITNESS_CASES)
                .find_map(|(leaf, c)| witness(problem, arch, leaf, c));
        }
    }
    outcome
}

/// A verdict where no case lets a lane through.
fn unreached(problem: &Problem, exploration: &Exploration) -> Decision {
    let mut outcome = empty(
        Status::Unknown,
        "no lane ever gets here under this launch".to_owned(),
    );
    // What an assumption drops may well be reached.
    outcome.dead = exploration.assumptions.is_empty()
        && exploration.forms.assumptions.is_empty()
        && problem.narrowed.is_empty();
    if !outcome.dead {
        outcome.reason = "whether a lane gets here rests on an assumption".to_owned();
    }
    outcome
}

/// Why requests differ, for users.
fn why_bounded(outcome: &Decision, leaves: &[Leaf], open: Option<&OpenGuard>) -> String {
    match (open, outcome.depends_on.first()) {
        (Some(reason), _) => format!("which lanes take part depends on {reason}"),
        (None, Some(first)) => format!("it depends on {}", first.symbol),
        (None, None) if outcome.has_open_strides => {
            if leaves.iter().any(|leaf| leaf.coupled.len() > 1) {
                "several symbols multiply the lane".to_owned()
            } else {
                "a symbol multiplies the lane, and lanes stand too far apart to try its values"
                    .to_owned()
            }
        }
        (None, None) if outcome.min == outcome.max => {
            "requests of other lanes have another ideal".to_owned()
        }
        (None, None) => "it differs between warps, iterations or offsets".to_owned(),
    }
}

/// The case with the largest cost for its ideal.
fn worst_case(costs: &[LeafCost]) -> usize {
    let mut worst = 0;
    for (at, c) in costs.iter().enumerate() {
        let best = &costs[worst];
        let (left, right) = (
            u64::from(c.max) * u64::from(best.ideal.max(1)),
            u64::from(best.max) * u64::from(c.ideal.max(1)),
        );
        if left > right || (left == right && c.max > best.max) {
            worst = at;
        }
    }
    worst
}

/// Any subset of the lanes may take part: one lane costs 1, whatever the case is.
fn of_any_lanes(outcome: &mut Decision) {
    let all = outcome.depends_on.iter_mut();
    all.flat_map(|one| &mut one.cases)
        .for_each(|case| case.min = case.min.min(1));
}

/// Bounds when any subset of the lanes may take part, as a ratio to the ideal of that subset.
fn open_mask_bounds(problem: &Problem, arch: &Arch, found: &mut LeafCost) {
    found.min = 1;
    found.ideal = ideal_of_subset(kind_of(problem), arch, found.max, found.ideal);
}

fn kind_of(problem: &Problem) -> (Space, cost::Op, u32) {
    (problem.space, problem.op, problem.width)
}

/// The ideal to compare the maximum over all subsets of lanes with, so that no subset has a worse ratio; `ideal` is
/// that of all lanes.
pub(super) fn ideal_of_subset(
    (space, op, width): (Space, cost::Op, u32),
    arch: &Arch,
    max: u32,
    ideal: u32,
) -> u32 {
    match space {
        // Fewer lanes never cost more; one wavefront is the least a request costs.
        Space::Shared => ideal.min(1),
        Space::Global => {
            // One lane in each sector: as many sectors as lanes whose bytes would fill one.
            let lanes_of_one = (32 / width.max(1)).max(1);
            let sparse = max.min(lanes_of_one);
            let least = cost::ideal(space, op, width, 1, arch).max(1);
            // The ratio of the full warp may be the worse one. The maximum stays that of all subsets.
            let is_worse =
                u64::from(max) * u64::from(least) < u64::from(sparse) * u64::from(ideal.max(1));
            if is_worse {
                (max * least / sparse.max(1)).max(1)
            } else {
                ideal
            }
        }
    }
}

/// Values that are put in before a request counts as one that none shows: with what the address mentions small, and then
/// with what guards mention, too, large.
const SMALL_ATTEMPTS: i64 = 48;
const LARGE_ATTEMPTS: i64 = 24;

/// A concrete request that costs the maximum of its case, replayed.
fn witness(problem: &Problem, arch: &Arch, leaf: &Leaf, wanted: &LeafCost) -> Option<Box<Replay>> {
    let in_address = problem.terms.symbols_in([leaf.address]);
    let guards = leaf.guards.iter().map(|(guard, _)| *guard);
    let in_guards = problem.terms.symbols_in(guards.clone());
    let mentioned = [leaf.address].into_iter().chain(guards);
    let symbols = problem
        .terms
        .symbols_in(mentioned.chain(leaf.values.iter().copied()));
    let factor_atom: Option<SymbolId> = match leaf.coupled.as_slice() {
        [(monomial, _)] => {
            let mut atoms = monomial.atoms();
            match (
                atoms.next().map(|atom| problem.terms.term(atom).clone()),
                atoms.next(),
            ) {
                (Some(Term::Symbol(symbol)), None) => Some(symbol),
                _ => None,
            }
        }
        _ => None,
    };
    let roots = std::iter::once(leaf.address)
        .chain(leaf.guards.iter().map(|(guard, _)| *guard))
        .chain(leaf.values.iter().copied());
    let mut evaluation = Evaluation::new(&problem.terms, roots);
    let mut places = vec![0; problem.terms.symbol_count()];
    for (place, symbol) in symbols.iter().enumerate() {
        places[symbol.0 as usize] = place;
    }
    let mut before = None;
    for attempt in 0..SMALL_ATTEMPTS + LARGE_ATTEMPTS {
        let pick = |symbol: SymbolId| -> i64 {
            let domain: &Domain = &problem.terms.symbol(symbol).domain;
            if Some(symbol) == factor_atom
                && let Some(factor) = wanted.worst_factor
            {
                return factor;
            }
            let place = places[symbol.0 as usize];
            if !in_address.contains(&symbol) {
                // Bounds in guards are best large, and what stays below them small: `blockIdx.x * 32 + t < n`. Which is
                // which, no name tells here.
                let nth = place.saturating_sub(in_address.len()) % 5;
                if attempt >> nth & 1 == 1 {
                    return domain.low.max(0).min(domain.high);
                }
                let large = 1_i64 << (12 + (attempt % 8));
                return large.clamp(domain.low, domain.high);
            }
            if let Some(values) = &domain.values {
                return values[(attempt as usize * (place + 1)) % values.len()];
            }
            let base = domain.low.max(0).min(domain.high);
            let span = domain.high.saturating_sub(base).min(63) + 1;
            let step = attempt * (2 * place as i64 + 1);
            // A bound that is the length of a row, too: `if (c < n) … = in[blockIdx.x * n + c]`.
            if attempt >= SMALL_ATTEMPTS && in_guards.contains(&symbol) {
                let large = (1_i64 << (12 + (attempt % 8))) + step % LANES as i64;
                return large.clamp(domain.low, domain.high);
            }
            base + step % span
        };
        evaluation.run(|symbol, _| Some(pick(symbol)));
        if let Some(replay) = replay(problem, arch, leaf, wanted, &evaluation) {
            // A lane that stands before the array's start shows it only where no other request does.
            if replay.addresses.iter().flatten().all(|at| *at < 1 << 63) {
                return Some(Box::new(replay));
            }
            before = before.or(Some(Box::new(replay)));
        }
    }
    before
}

/// The request of a case under the values that were put in; `None` where a lane of the case takes no
/// part, or C leaves open whether it does, and where it does not cost what is wanted.
fn replay(
    problem: &Problem,
    arch: &Arch,
    leaf: &Leaf,
    wanted: &LeafCost,
    evaluation: &Evaluation,
) -> Option<Replay> {
    let is_open = leaf.open_mask.is_some();
    let told = leaf
        .guards
        .iter()
        .filter(|(_, is_decided)| *is_decided || !is_open);
    let mut active = leaf.mask;
    for (guard, _) in told {
        let (holds, defined) = evaluation.holds(*guard);
        if defined != u32::MAX {
            return None;
        }
        active &= holds;
    }
    if active != leaf.mask {
        return None;
    }
    let mut offsets = [0_i64; LANES];
    let mut addresses = [None; LANES];
    for (lane, value) in evaluation.lanes(leaf.address).into_iter().enumerate() {
        if active >> lane & 1 == 1 {
            offsets[lane] = value?;
            // Two's complement: a lane may stand before the array's start.
            addresses[lane] = Some(offsets[lane] as u64);
        }
    }
    let found = residue_cost::request_cost(RequestKind::of(problem), arch, active, &offsets);
    if (found.actual, found.ideal) != (wanted.max, wanted.ideal) {
        return None;
    }
    let symbols = leaf.values.iter();
    Some(Replay {
        symbols: symbols
            .map(|value| evaluation.value(*value).unwrap_or(0))
            .collect(),
        addresses,
        cost: found.actual,
        ideal: found.ideal,
    })
}
