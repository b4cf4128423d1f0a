//! Accesses of two source lines that a compiler may make one wide access of.
//!
//! Given: the requests that the simulator saw at two lines. Gives: what stands at a line then,
//! to be found exactly so in the counters.
//! Does not know: what the compiler did, or counters.

use crate::gpu::cost::{self, Op, Request};
use crate::gpu::{Arch, WARP};
use crate::sim::SimRequest;
use rustc_hash::FxHashMap;

use super::prediction::{Joined, Totals};

/// What stands at the first line if the neighbours in memory among both lines' requests become
/// accesses of twice the width (a load of `s[i]` on one line and of `s[i + 1]` on the next): the
/// wide ones, which are listed at either line, and what is left there.
pub(super) fn joined(
    first: &[(u64, SimRequest)],
    (other, second): (u32, &[(u64, SimRequest)]),
    arch: &Arch,
) -> Option<Joined> {
    type Lanes = [Option<u64>; WARP];
    let sample = first.first()?.1.request;
    let width = sample.width;
    let is_like = |(_, request): &(u64, SimRequest)| request.request.width == width;
    if sample.op == Op::Atomic || width > 8 || !first.iter().chain(second).all(is_like) {
        return None;
    }
    let mut waiting: FxHashMap<(u64, Lanes), usize> = FxHashMap::default();
    for (warp, request) in second {
        let lanes = request.request.addresses;
        *waiting.entry((*warp, lanes)).or_default() += 1;
    }
    let step = u64::from(width);
    let mut wide = Totals::default();
    let mut left = Totals::default();
    for (warp, request) in first {
        let Request { addresses, .. } = request.request;
        let above = addresses.map(|lane| lane.map(|address| address + step));
        let below = addresses.map(|lane| lane.map(|address| address.wrapping_sub(step)));
        let mut take = |low: Lanes, other: Lanes| {
            if low.iter().flatten().any(|low| low % (2 * step) != 0) {
                return None;
            }
            let left = waiting.get_mut(&(*warp, other))?;
            *left = left.checked_sub(1)?;
            Some(low)
        };
        match take(addresses, above).or_else(|| take(below, below)) {
            Some(low) => {
                let request = Request {
                    addresses: low,
                    width: 2 * width,
                    ..request.request
                };
                wide.add(cost::source_page(&request, arch));
            }
            None => left.add(cost::source_page(&request.request, arch)),
        }
    }
    (wide.requests > 0).then_some(Joined {
        other,
        width: 2 * width,
        wide,
        left,
    })
}
