//! Values that a thread has already: what it loads again, or has just stored, the compiler keeps in a register.
//!
//! Given the visits of a walk with their verdicts; notes the loads of a place that the same thread loaded or stored
//! before, always, with nothing between the two that may write there or that keeps the compiler from looking across
//! (seen in the PTX of CUDA 13.0: LLVM's `GVN`). No request is made for those. A prediction, as a merge is.

use super::group::Group;
use super::scan::{Scan, Spot};
use super::{Member, Segment, is_plain_move};
use crate::access::{Target, Visit, Walk};
use crate::gpu::cost::Op;
use crate::ir::{Kernel, SiteId};
use crate::prove::verdict::Access;
use crate::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// Accesses between two that are looked at.
const MOST_BETWEEN: usize = 64;

pub(super) fn note(
    kernel: &Kernel,
    walk: &Walk,
    (scan, unused): (&Scan, &FxHashSet<SiteId>),
    visits: &[&Visit],
    accesses: &mut [Option<Access>],
) {
    let mut in_order: Vec<(&Spot, usize)> = (0..visits.len())
        .filter_map(|at| Some((scan.spots.get(&visits[at].site)?, at)))
        .collect();
    in_order.sort_by_key(|(spot, at)| (spot.order, *at));
    // The last access to each place, by its rank in `in_order`.
    let mut last: FxHashMap<(&Target, TermId, u32), usize> = FxHashMap::default();
    for (rank, (spot, at)) in in_order.iter().enumerate() {
        let visit = visits[*at];
        let is_candidate = is_plain_move(visit) && !visit.target.is_open();
        let Some(offset) = visit.offset.filter(|_| is_candidate) else {
            continue;
        };
        let Some(before) = last.insert((&visit.target, offset, visit.width), rank) else {
            continue;
        };
        let (first, _) = in_order[before];
        let runs_before = first.order < spot.order
            && first.loops == spot.loops
            && spot.arms.starts_with(&first.arms);
        let between = &in_order[before + 1..rank];
        if visit.op != Op::Load || !runs_before || between.len() > MOST_BETWEEN {
            continue;
        }
        if scan.is_stopped(first.order, spot.order)
            || has_asm(kernel, in_order[before].1, *at, visits)
        {
            continue;
        }
        let member = [Member {
            visit,
            at: *at,
            spot,
            span: kernel.sites[visit.site.index()].span,
            offset,
            counters: Vec::new(),
            depths: Vec::new(),
        }];
        let group = Group {
            segment: Segment {
                kernel,
                walk,
                members: &member,
                scan,
                everything: visits,
                unused,
            },
            group: &[0],
            align: OnceCell::new(),
        };
        let may_change = |(_, other): &(&Spot, usize)| {
            let other = visits[*other];
            other.op != Op::Load && group.may_meet(visit, other)
        };
        if !between.iter().any(may_change)
            && let Some(access) = &mut accesses[*at]
        {
            access.is_kept = true;
        }
    }
}

/// Whether an `asm` statement, which may touch memory, stands between the accesses of two visits.
fn has_asm(kernel: &Kernel, first: usize, second: usize, visits: &[&Visit]) -> bool {
    let stops = |at: usize| kernel.sites[visits[at].site.index()].stops;
    (stops(second) - stops(first)).has_other_than_half()
}
