//! `misaligned-access` (CL202): the lanes of a global request are dense, but begin inside a sector.

use super::confidence::weigh;
use super::lane_pattern::Pattern;
use super::{Judged, Scope};
use crate::finding::Evidence;
use crate::gpu::cost::Space;
use crate::prove::verdict::Access;

pub fn judge(access: &Access, scope: &Scope) -> Option<Judged> {
    if access.space != Space::Global || !access.is_bad() {
        return None;
    }
    let pattern = Pattern::of(access.verdict.witness.as_ref()?, access.width);
    let (cost, ideal) = (access.verdict.max, access.verdict.ideal);
    if !pattern.is_only_misaligned(ideal) {
        return None;
    }
    let (evidence, _) = weigh(access, scope);
    let possible = if evidence == Evidence::Possible {
        "possibly misaligned"
    } else {
        "misaligned"
    };
    let past = pattern.misalignment();
    let label = match pattern.runs.len() {
        1 => format!(
            "{} contiguous bytes start {past} bytes into a 32-byte sector",
            pattern.bytes()
        ),
        n => format!("{n} contiguous runs each start {past} bytes into a 32-byte sector"),
    };
    Some(Judged {
        evidence,
        level: None,
        message: format!(
            "{possible} {} of `{}`: {cost} sectors per request, ideal {ideal}, {} excessive",
            access.op.name(),
            access.site.array,
            cost.saturating_sub(ideal)
        ),
        label,
        is_slight: false,
        causes: Vec::new(),
        advice: Some(format!(
            "round the pitch, or where a warp's part starts, to a multiple of {} elements",
            32 / access.width.clamp(1, 32)
        )),
    })
}
