//! Accesses that both branches make: the compiler may make one of them, in front of the branches or behind them.
//!
//! Given the visits of a walk with their verdicts; notes what an access comes to at most where the lanes of the other branch
//! take part as well. Two accesses are one where they go to the same place, if they stand in branches of one `if` (seen in the
//! counters of an H200, CUDA 13.0: a store at the end of each branch; LLVM's `SimplifyCFG`). Whether the compiler does is
//! its choice: nothing is said of it.

use super::group::sampled;
use super::scan::{Scan, Spot};
use super::{SAMPLES, Visit, Walk, is_plain_move};
use crate::access::Target;
use crate::gpu::Arch;
use crate::gpu::cost::{Op, Request, cost};
use crate::prove::verdict::{Access, Loose};
use crate::term::TermId;
use crate::term::compiled::Evaluation;
use rustc_hash::FxHashMap;

/// Accesses to one place that are compared with each other.
const MOST_AT_ONE_PLACE: usize = 16;

/// Where an access goes: the array, bytes from its start, bytes per lane.
type Place<'w> = (&'w Target, TermId, u32, Op);

const REASON: &str = "another branch accesses the same place: the compiler may make one access of both, for the lanes of both";

pub(super) fn note(
    walk: &Walk,
    scan: &Scan,
    visits: &[&Visit],
    accesses: &mut [Option<Access>],
    arch: &Arch,
) {
    let mut places: FxHashMap<Place, Vec<(usize, &Spot)>> = FxHashMap::default();
    for (at, visit) in visits.iter().enumerate() {
        let (Some(offset), Some(spot)) = (visit.offset, scan.spots.get(&visit.site)) else {
            continue;
        };
        if is_plain_move(visit) && !spot.arms.is_empty() {
            let place = (&visit.target, offset, visit.width, visit.op);
            places.entry(place).or_default().push((at, spot));
        }
    }
    for ((_, offset, ..), all) in places {
        if all.len() < 2 || all.len() > MOST_AT_ONE_PLACE {
            continue;
        }
        for (at, spot) in &all {
            let others = all
                .iter()
                .filter(|(_, other)| scan.are_branches_of_one(spot, other));
            let shared = others
                .map(|(other, _)| shared_guards(visits[*at], visits[*other]))
                .min();
            let known = accesses[*at].as_mut().filter(|one| one.verdict.is_known());
            if let (Some(shared), Some(access)) = (shared, known) {
                let guards = &visits[*at].guards[..shared];
                if let Some(loose) = together(walk, visits[*at], offset, guards, arch) {
                    access.loosen(loose);
                }
            }
        }
    }
}

/// How many conditions around two accesses are the same.
fn shared_guards(one: &Visit, other: &Visit) -> usize {
    let both = one.guards.iter().zip(&other.guards);
    both.take_while(|(one, other)| one == other).count()
}

/// The worst request of all lanes that these conditions let through.
fn together(
    walk: &Walk,
    visit: &Visit,
    offset: TermId,
    guards: &[TermId],
    arch: &Arch,
) -> Option<Loose> {
    let terms = &walk.terms;
    let roots = guards.iter().copied().chain([offset]);
    let mut evaluation = Evaluation::new(terms, roots);
    let mut worst: Option<Loose> = None;
    for sample in 0..SAMPLES {
        evaluation.run(|symbol, lane| Some(sampled(terms, symbol, lane, sample)));
        let (lanes, active) = (evaluation.lanes(offset), evaluation.active(guards));
        let request = Request {
            addresses: std::array::from_fn(|lane| {
                let byte = lanes[lane].filter(|_| active >> lane & 1 == 1);
                byte.map(|byte| byte as u64)
            }),
            width: visit.width,
            space: visit.space,
            op: visit.op,
        };
        if active != 0 {
            let found = cost(&request, arch);
            let one = Loose {
                max: found.actual,
                ideal: found.ideal,
                reason: REASON,
            };
            worst = Some(worst.map_or(one, |other| other.worse(one)));
        }
    }
    worst
}
