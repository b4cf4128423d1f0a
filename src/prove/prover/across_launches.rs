//! Places across launches: sums over all ways to reach one, and kernels that were cut short.

use super::LeftOut;
use crate::gpu::Total;
use crate::ir::Kernel;
use crate::prove::verdict::Access;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;

/// The key under which accesses of one launch are one.
pub(in crate::prove) fn place(access: &Access) -> impl Hash + Eq + use<> {
    (
        access.site.span,
        access.site.array.clone(),
        access.space,
        access.op,
        access.width,
    )
}

/// Gives each way of reaching a place the sum over all of them: in one launch all are gone.
pub(super) fn add_up(accesses: &mut [Option<Access>]) {
    let mut sums = FxHashMap::default();
    for access in accesses.iter().flatten() {
        let sum = sums.entry(place(access)).or_insert(Some(Total::default()));
        *sum = sum.zip(access.per_block).and_then(|(a, b)| a.plus(b));
    }
    for access in accesses.iter_mut().flatten() {
        access.per_block = sums.get(&place(access)).copied().flatten();
    }
}

/// Takes the sum from places that not all launches of one row reach: launches that differ in arguments
/// alone are told as one. `rows` names the row of each launch.
pub(super) fn drop_uneven_sums<R: Hash + Eq>(rows: &[R], found: &mut [Vec<Option<Access>>]) {
    let mut launches: FxHashMap<&R, usize> = FxHashMap::default();
    let mut reaching: FxHashMap<_, usize> = FxHashMap::default();
    for (row, accesses) in rows.iter().zip(found.iter()) {
        *launches.entry(row).or_default() += 1;
        let places: FxHashSet<_> = accesses.iter().flatten().map(place).collect();
        for place in places {
            *reaching.entry((row, place)).or_default() += 1;
        }
    }
    for (row, accesses) in rows.iter().zip(found.iter_mut()) {
        for access in accesses.iter_mut().flatten() {
            if reaching.get(&(row, place(access))) != launches.get(row) {
                access.per_block = None;
            }
        }
    }
}

/// Takes the accesses of kernels away of which some launch was not looked at to its end: what is told of an
/// access speaks of all launches.
pub(super) fn drop_cut<R>(
    rows: &[(*const Kernel, R)],
    left_out: &[Option<LeftOut>],
    found: &mut [Vec<Option<Access>>],
) {
    let is_cut = |why: &Option<LeftOut>| why.as_ref().is_some_and(|why| why.is_stopped);
    let ends = rows.iter().zip(left_out);
    let cut: FxHashSet<*const Kernel> = ends
        .filter(|(_, why)| is_cut(why))
        .map(|((kernel, _), _)| *kernel)
        .collect();
    for ((kernel, _), accesses) in rows.iter().zip(found) {
        if cut.contains(kernel) {
            accesses.clear();
        }
    }
}
