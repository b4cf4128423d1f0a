//! Atomics that are loops: lanes that want one place take turns, and each turn is a request of fewer lanes.
//!
//! Given the visits of a walk with their verdicts; notes what the later turns of a compare-and-swap of 8 bytes come to: of
//! lanes in both halves of the warp a request takes four wavefronts, and 16 lanes or less should need two (seen in the
//! counters of an H200, CUDA 13.0; [`crate::gpu::cost::atomic_loop_round`]).

use super::group::sampled;
use super::{SAMPLES, Visit, Walk};
use crate::access::Atomic;
use crate::gpu::cost::Space;
use crate::prove::verdict::{Access, Loose};
use crate::term::compiled::Evaluation;
use rustc_hash::FxHashSet;

const REASON: &str = "lanes that meet at one place take turns, and a turn of fewer lanes may cost as much as one of all";

pub(super) fn note(walk: &Walk, visits: &[&Visit], accesses: &mut [Option<Access>]) {
    for (visit, access) in visits.iter().zip(accesses) {
        let is_loop = visit.atomic == Atomic::Loop && visit.space == Space::Shared;
        let Some(access) = access.as_mut().filter(|one| one.verdict.is_known()) else {
            continue;
        };
        if is_loop && visit.width == 8 && meets(walk, visit) {
            access.loosen(Loose {
                max: 4,
                ideal: 2,
                reason: REASON,
            });
        }
    }
}

/// Whether two lanes of a warp go to one place, or may.
fn meets(walk: &Walk, visit: &Visit) -> bool {
    let Some(offset) = visit.offset else {
        return true;
    };
    let terms = &walk.terms;
    let mut evaluation = Evaluation::new(terms, [offset]);
    (0..SAMPLES).any(|sample| {
        evaluation.run(|symbol, lane| Some(sampled(terms, symbol, lane, sample)));
        let lanes = evaluation.lanes(offset);
        let mut seen = FxHashSet::default();
        !lanes.iter().flatten().all(|byte| seen.insert(*byte))
    })
}
