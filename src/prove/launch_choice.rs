//! The choice of launches that are proved one by one, and what is said of the rest.

use super::prover::MAX_JOINED;
use super::verdict::LaunchShape;
use crate::ir::{Dimension, Kernel, Launch, LaunchSource};
use rustc_hash::FxHashMap;

/// Launches of one kernel that are analysed one by one; the rest repeat their shapes more often than not.
pub(super) const MAX_LAUNCHES: usize = 12;

/// Different launches of one kernel that are looked at.
const MAX_DISTINCT: usize = 256;

/// The launches to analyse, and whether they cover all of the kernel's: the first ones as they are, and
/// for each shape of block one that stands for all others. Each shape that comes later keeps a place.
pub(super) fn chosen(kernel: &Kernel) -> (Vec<Launch>, bool) {
    let distinct = distinct(kernel);
    let mut is_all = distinct.len() <= MAX_DISTINCT;
    let mut out: Vec<Launch> = Vec::new();
    let mut joined: Vec<Launch> = Vec::new();
    // The last launch of each shape, which needs a place of its own or a joined one.
    let mut last: FxHashMap<&[Dimension; 3], usize> = FxHashMap::default();
    last.extend(distinct.iter().enumerate().map(|(at, l)| (&l.block, at)));
    for (at, launch) in distinct.iter().enumerate() {
        let has_place = |block: &[Dimension; 3]| joined.iter().any(|known| known.block == *block);
        let later = last
            .iter()
            .filter(|(block, last)| **last > at && !has_place(block));
        let taken = out.len() + joined.len() + later.count();
        if out.len() < MAX_LAUNCHES && taken < MAX_LAUNCHES + MAX_JOINED {
            out.push((*launch).clone());
        } else if let Some(known) = joined.iter_mut().find(|l| l.block == launch.block) {
            *known = known.join(launch);
        } else if out.len() + joined.len() < MAX_LAUNCHES + MAX_JOINED {
            joined.push((*launch).clone());
        } else {
            is_all = false;
        }
    }
    out.extend(joined);
    (out, is_all)
}

/// The launches that differ in what matters, in their order: no more than one too many.
fn distinct(kernel: &Kernel) -> Vec<&Launch> {
    let mut found: Vec<&Launch> = Vec::new();
    for launch in &kernel.launches {
        if !found.iter().any(|other| other.runs_like(launch)) {
            found.push(launch);
        }
        if found.len() > MAX_DISTINCT {
            break;
        }
    }
    found
}

/// The launches to analyse: those that are known, each once, or an assumed one.
#[must_use]
pub fn launches(kernel: &Kernel) -> Vec<Launch> {
    let (mut found, _) = chosen(kernel);
    if found.is_empty() {
        found.push(any(kernel));
    }
    found
}

/// A launch of which nothing is known.
#[must_use]
pub fn any(kernel: &Kernel) -> Launch {
    let unknown = || Dimension::Unknown("no launch is visible".into());
    Launch {
        grid: [unknown(), unknown(), unknown()],
        block: [unknown(), unknown(), unknown()],
        dynamic_shared: None,
        arguments: Vec::new(),
        moved: Vec::new(),
        source: if kernel.max_threads.is_some() {
            LaunchSource::Bounds
        } else {
            LaunchSource::Assumed
        },
        span: None,
    }
}

/// Why nothing is said of a launch whose rows of threads end within warps, at places that are not known.
pub(super) fn uneven_block(launch: &Launch) -> Option<String> {
    match &launch.block[0] {
        Dimension::Uneven(text) => Some(format!(
            "the launch has blocks of `{text}` threads along x, which are no whole warps"
        )),
        Dimension::Const(_) | Dimension::Unknown(_) => None,
    }
}

pub(super) fn shape_of(launch: &Launch) -> LaunchShape {
    let known = |dims: &[Dimension; 3]| [dims[0].known(), dims[1].known(), dims[2].known()];
    LaunchShape {
        block: known(&launch.block),
        grid: known(&launch.grid),
        source: launch.source,
        span: launch.span,
    }
}
