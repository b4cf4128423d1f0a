//! `sector-waste` (CL204): sectors are moved for few of their bytes.

use super::lane_pattern::Pattern;
use super::{Judged, Scope, spread};
use crate::finding::Evidence;
use crate::gpu::cost::{self, Space};
use crate::prove::verdict::Access;

/// Bytes of a sector, the unit of global traffic.
const SECTOR: u64 = 32;
/// Reported where less than one byte of this many moved is used.
const LEAST_SHARE: u64 = 4;

pub fn judge(access: &Access, scope: &Scope) -> Option<Judged> {
    if access.space != Space::Global || !access.verdict.is_known() {
        return None;
    }
    let addresses = spread::request(access, scope.view)?;
    let used = Pattern::of_request(&addresses, access.width).bytes();
    let sectors = cost::sectors(&addresses, access.width, access.op, scope.context.arch).0;
    let moved = u64::from(sectors) * SECTOR;
    if used == 0 || used * LEAST_SHARE > moved {
        return None;
    }
    Some(Judged {
        evidence: Evidence::Proved,
        level: None,
        message: format!(
            "a {} of `{}` moves {moved} bytes and uses {used} of them",
            access.op.name(),
            access.site.array
        ),
        label: format!("{sectors} sectors for {used} bytes"),
        is_slight: false,
        causes: Vec::new(),
        advice: Some(
            "place what one warp touches side by side, or let fewer warps touch it".to_owned(),
        ),
    })
}
