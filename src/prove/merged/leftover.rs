//! Iterations that an unrolled loop leaves over.
//!
//! nvcc runs an innermost counted loop several iterations at a time, and those that are left over one by one. Where
//! the lanes of a warp run unequal numbers of iterations, each lane comes to that rest with a number of its own: lanes
//! are in different iterations at once, and some of them only (seen in the counters of an H200, CUDA 13.0: four lanes
//! at each of eight iterations of `for (k = 0; k < threadIdx.x; k++)`). Given the visits of a walk with their
//! verdicts, notes what such an access comes to at most. The factor is the compiler's: nothing is said of it.

use super::group::sampled;
use super::scan::Scan;
use super::{SAMPLES, Visit, Walk};
use crate::gpu::cost::{Request, cost};
use crate::gpu::{Arch, WARP};
use crate::prove::decide::ideal_of_subset;
use crate::prove::verdict::{Access, Loose};
use crate::term::compiled::{Evaluation, Lanes};
use crate::term::{Op, Sharing, SymbolId, Term, TermId};

/// For users: why bounds are wide.
const REASON: &str = "lanes run unequal numbers of iterations: where the compiler unrolls the loop, they may be in different ones";

pub(super) fn note(
    walk: &Walk,
    scan: &Scan,
    visits: &[&Visit],
    accesses: &mut [Option<Access>],
    arch: &Arch,
) {
    for (visit, access) in visits.iter().zip(accesses) {
        let Some(access) = access.as_mut().filter(|one| one.verdict.is_known()) else {
            continue;
        };
        let Some(counter) = leaves_over(walk, scan, visit) else {
            continue;
        };
        let is_moved = visit
            .offset
            .is_none_or(|offset| walk.terms.mentions(offset, &[counter]));
        let verdict = &access.verdict;
        let max = if is_moved {
            most(visit, arch).max(verdict.max)
        } else {
            verdict.max
        };
        let kind = (visit.space, visit.op, visit.width);
        let ideal = ideal_of_subset(kind, arch, max, verdict.ideal);
        let is_told = (max, ideal) == (verdict.max, verdict.ideal);
        // A request costs 1 at least.
        if visit.rows == 0 && max > 1 && !is_told {
            access.loose = Some(Loose {
                max,
                ideal,
                reason: REASON,
            });
        }
    }
}

/// The counter of the loop around a visit, where lanes run it unequal numbers of times and the compiler may unroll it.
fn leaves_over(walk: &Walk, scan: &Scan, visit: &Visit) -> Option<SymbolId> {
    let spot = scan.spots.get(&visit.site)?;
    let of_text = scan.loops[*spot.loops.last()?];
    if !of_text.is_plain || !of_text.is_innermost {
        return None;
    }
    let turns = visit.loops().next()?;
    let condition = turns.condition?;
    let Term::Symbol(counter) = *walk.terms.term(turns.counter) else {
        return None;
    };
    let mut parts = vec![condition];
    while let Some(part) = parts.pop() {
        match *walk.terms.term(part) {
            Term::Binary(Op::LogicalAnd, a, b) => parts.extend([a, b]),
            Term::Not(inner) => parts.push(inner),
            Term::Binary(Op::Lt | Op::Le | Op::Ne | Op::Eq, a, b)
                if part_lanes(walk, visit, counter, (a, b)) =>
            {
                return Some(counter);
            }
            _ => {}
        }
    }
    None
}

/// Whether a comparison of two lines in the counter holds for more iterations in one lane than in another, by more
/// than one.
fn part_lanes(walk: &Walk, visit: &Visit, counter: SymbolId, (a, b): (TermId, TermId)) -> bool {
    let terms = &walk.terms;
    let mentions = |id| terms.mentions(id, &[counter]);
    let varies = terms.is_varying(a) || terms.is_varying(b);
    if !varies || !(mentions(a) || mentions(b)) {
        return false;
    }
    let is_lane = |symbol: &SymbolId| match terms.symbol(*symbol).sharing {
        Sharing::Varying(_) => false,
        Sharing::Lane | Sharing::Uniform => true,
    };
    let has_data = !terms.symbols_in([a, b]).iter().all(is_lane);
    let guards = visit.guards.iter().copied();
    let guards: Vec<TermId> = guards.filter(|guard| !mentions(*guard)).collect();
    let mut evaluation = Evaluation::new(terms, [a, b].into_iter().chain(guards.iter().copied()));
    let mut is_line = false;
    let mut parts_ways = false;
    for sample in 0..SAMPLES {
        let mut found: Vec<Lanes> = Vec::new();
        let mut active = u32::MAX;
        for turn in 0..3 {
            evaluation.run(|symbol, lane| {
                Some(if symbol == counter {
                    turn
                } else {
                    sampled(terms, symbol, lane, sample)
                })
            });
            let (left, right) = (evaluation.lanes(a), evaluation.lanes(b));
            found.push(std::array::from_fn(|lane| {
                left[lane]?.checked_sub(right[lane]?)
            }));
            active = evaluation.active(&guards);
        }
        let active = if active == 0 { u32::MAX } else { active };
        let Some(of_sample) = Line::of(&found, active) else {
            continue;
        };
        if of_sample.step == 0 {
            return false;
        }
        is_line = true;
        parts_ways |= of_sample.spread > of_sample.step;
    }
    is_line && (has_data || parts_ways)
}

/// The difference of two sides, as a line in the counter.
struct Line {
    /// What an iteration adds to it, whichever way.
    step: i64,
    /// How far lanes are apart.
    spread: i64,
}

impl Line {
    /// From its values in three iterations that follow each other; `None` where it is no line in these lanes.
    fn of(found: &[Lanes], active: u32) -> Option<Self> {
        let [first, second, third] = found else {
            return None;
        };
        let mut step = None;
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        for lane in (0..WARP).filter(|lane| active >> lane & 1 == 1) {
            let (a, b, c) = (first[lane]?, second[lane]?, third[lane]?);
            let by = b.checked_sub(a)?;
            if c.checked_sub(b)? != by || *step.get_or_insert(by) != by {
                return None;
            }
            (low, high) = (low.min(a), high.max(a));
        }
        Some(Self {
            step: step?.checked_abs()?,
            spread: high.checked_sub(low)?,
        })
    }
}

/// Most that any request of this kind can cost.
fn most(visit: &Visit, arch: &Arch) -> u32 {
    let request = Request {
        addresses: std::array::from_fn(|lane| Some(lane as u64 * 4096)),
        width: visit.width,
        space: visit.space,
        op: visit.op,
    };
    cost(&request, arch).actual
}
