//! `misaligned-access` (CL202): the lanes of a global request are dense, but begin inside a sector.

use super::confidence::weigh;
use super::lane_pattern::Pattern;
use super::{Judged, Scope};
use crate::finding::Evidence;
use crate::gpu::cost::Space;
use crate::prove::verdict::Access;

pub fn judge(access: &Access, scope: &Scope) -> Option<Judged> {
    let context = scope.context;
    if access.space != Space::Global || !access.verdict.is_bad() {
        return None;
    }
    let pattern = Pattern::of(access.verdict.witness.as_ref()?, access.width);
    let (cost, ideal) = (access.verdict.max, access.verdict.ideal);
    if !pattern.is_only_misaligned(ideal) {
        return None;
    }
    let (evidence, level) = weigh(access, context);
    let possible = if evidence == Evidence::Possible {
        "possibly misaligned"
    } else {
        "misaligned"
    };
    let pieces = match pattern.runs.len() {
        1 => format!("{} dense bytes begin", pattern.bytes()),
        n => format!("{n} dense pieces begin"),
    };
    Some(Judged {
        evidence,
        level,
        message: format!(
            "{possible} {} of `{}`: {cost} sectors per request, ideal {ideal}, {} excessive",
            access.op.name(),
            access.site.array,
            cost.saturating_sub(ideal)
        ),
        label: format!("{pieces} {} bytes past a sector", pattern.misalignment()),
        causes: Vec::new(),
        advice: Some("begin each row and each warp's part at a multiple of 32 bytes (pad the pitch, shift the range)".to_owned()),
    })
}
