//! What accesses come to in a block and in a launch: in words, and as a weight to sort by.
//!
//! Given accesses with their sums over a block, gives those of a finding and of its line. Where a
//! sum is not known, the weight is estimated, and nothing is said. Knows nothing of single rules.

use crate::finding::{Remark, RemarkKind};
use crate::gpu::{Space, Total};
use crate::prove::verdict::Access;
use crate::source::{FileId, SourceMap};
use rustc_hash::FxHashMap;

/// A loop multiplies what an access costs; deeper ones say nothing new.
const DEEPEST: u32 = 6;
/// Bytes of a sector.
const SECTOR: u64 = 32;

/// The accesses of a run by the line that a profiler counts them on.
pub(super) struct Lines<'a> {
    sources: &'a SourceMap,
    accesses: FxHashMap<(FileId, u32), Vec<&'a Access>>,
}

impl<'a> Lines<'a> {
    pub fn of(accesses: &'a [Access], sources: &'a SourceMap) -> Self {
        let mut lines = Self {
            sources,
            accesses: FxHashMap::default(),
        };
        for access in accesses {
            let line = lines.line(access);
            lines.accesses.entry(line).or_default().push(access);
        }
        lines
    }

    fn line(&self, access: &Access) -> (FileId, u32) {
        let span = access.site.line;
        (span.file, self.sources.get(span.file).line(span.start))
    }

    /// `per block: 24 requests, 94 wavefronts (ideal 24), 70 excessive; line 11 in all: 105
    /// excessive`, then the same of the launch.
    pub fn notes(&self, lead: &Access, sum: Option<Total>) -> Vec<Remark> {
        let Some(sum) = sum.filter(|sum| sum.excessive() > 0) else {
            return Vec::new();
        };
        let mut text = format!("per block: {}", told(sum, lead.space));
        let key = self.line(lead);
        let same_line = self.accesses.get(&key).into_iter().flatten().copied();
        let of_space = same_line.filter(|other| other.space == lead.space);
        let of_line = add_up(lead, of_space).filter(|of_line| *of_line != sum);
        if let Some(of_line) = of_line {
            let line = key.1;
            text += &format!("; line {line} in all: {} excessive", of_line.excessive());
        }
        let texts = std::iter::once(text).chain(per_launch(lead, sum));
        texts.map(|text| RemarkKind::Total.remark(text)).collect()
    }
}

/// The sum of those accesses that belong to the same launch of the same kernel as `lead`; `None`
/// where it is not known of one of them.
pub(super) fn add_up<'a>(
    lead: &Access,
    accesses: impl Iterator<Item = &'a Access>,
) -> Option<Total> {
    let of_launch = |access: &Access| {
        (&access.kernel, &access.instance, &access.launch)
            == (&lead.kernel, &lead.instance, &lead.launch)
            && access.kernel_span == lead.kernel_span
    };
    let mut sums = accesses
        .filter(|access| of_launch(access))
        .map(Access::machine_sum);
    sums.try_fold(Total::default(), |all, one| all.plus(one?))
}

/// `24 requests, 94 wavefronts (ideal 24), 70 excessive`.
#[must_use]
pub(crate) fn told(sum: Total, space: Space) -> String {
    let Total {
        requests,
        cost,
        ideal,
    } = sum;
    let plural = if requests == 1 { "" } else { "s" };
    let excessive = match sum.excessive() {
        0 => String::new(),
        n => format!(", {n} excessive"),
    };
    let unit = space.unit();
    format!("{requests} request{plural}, {cost} {unit} (ideal {ideal}){excessive}")
}

/// The sum of an access over a block as the text has it, and that it is so where the compiler merges it.
#[must_use]
pub(crate) fn told_as_written(access: &Access) -> Option<String> {
    let text = told(access.per_block?, access.space);
    Some(match access.merged {
        Some(_) => text + " as written",
        None => text,
    })
}

/// `per launch: 1024 requests, 31744 excessive wavefronts`, where the grid is known.
fn per_launch(lead: &Access, sum: Total) -> Option<String> {
    let all = sum.times(product(lead.launch.grid)?)?;
    let bytes = match lead.space {
        Space::Shared => String::new(),
        Space::Global => format!(" ({} bytes)", all.excessive().checked_mul(SECTOR)?),
    };
    Some(format!(
        "per launch: {} requests, {} excessive {}{bytes}",
        all.requests,
        all.excessive(),
        lead.space.unit()
    ))
}

/// The waste of one launch, as far as it is known: wavefronts or sectors. A grid of unknown size counts as one
/// block, a loop of unknown length as one of a few iterations.
pub(super) fn weight(access: &Access, sum: Option<Total>) -> u64 {
    let blocks = product(access.launch.grid).unwrap_or(1);
    if let Some(sum) = sum {
        return sum.excessive().saturating_mul(blocks);
    }
    let (cost, ideal) = access.worst();
    let excessive = u64::from(cost.saturating_sub(ideal));
    let iterations = access
        .iterations
        .unwrap_or(1 << (3 * access.loop_depth.min(DEEPEST)));
    let warps = product(access.launch.block).map_or(1, |threads| threads.div_ceil(32));
    excessive
        .saturating_mul(iterations)
        .saturating_mul(warps)
        .saturating_mul(blocks)
        .div_ceil(
            access
                .merged
                .as_ref()
                .map_or(1, |merged| u64::from(merged.accesses.max(1))),
        )
}

fn product(axes: [Option<u64>; 3]) -> Option<u64> {
    axes.iter()
        .try_fold(1_u64, |n, axis| n.checked_mul((*axis)?))
}
