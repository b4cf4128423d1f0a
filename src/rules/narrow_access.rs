//! `narrow-access` (CL203): neighbouring bytes that a wider access would move at once.

use super::vector::Vector;
use super::{Judged, Scope, spread};
use crate::finding::Evidence;
use crate::gpu::cost::{Op, Space};
use crate::prove::verdict::{Access, Status};

/// Bytes of a word: narrower lanes leave part of each request's width unused.
const WORD: u32 = 4;
/// Lanes that make a request worth widening.
const FULL: usize = 32;

pub fn judge(access: &Access, scope: &Scope) -> Option<Judged> {
    if access.space != Space::Global || access.op == Op::Atomic {
        return None;
    }
    if let Some(vector) = Vector::of(access, scope) {
        return Some(Judged {
            evidence: Evidence::Proved,
            level: None,
            message: format!(
                "each lane moves {} neighbouring elements of `{}` with {} {}s",
                vector.count,
                access.site.array,
                vector.count,
                access.op.name()
            ),
            label: format!(
                "{} bytes at every {}th byte",
                access.width,
                access.width * vector.count
            ),
            is_slight: false,
            causes: Vec::new(),
            advice: Some(vector.advice(access, scope)),
        });
    }
    if access.width >= WORD {
        return None;
    }
    let addresses = spread::request(access, scope.view)?;
    let lanes: Vec<u64> = addresses.iter().flatten().copied().collect();
    let is_dense = lanes
        .windows(2)
        .all(|pair| pair[1].wrapping_sub(pair[0]) == u64::from(access.width));
    if access.verdict.status != Status::Exact || lanes.len() < FULL || !is_dense {
        return None;
    }
    Some(Judged {
        evidence: Evidence::Proved,
        level: None,
        message: format!(
            "a warp's {} of `{}` moves {} bytes, as lanes take {} each",
            access.op.name(),
            access.site.array,
            lanes.len() as u32 * access.width,
            access.width
        ),
        label: format!(
            "{} bytes of 128 that one request can move",
            32 * access.width
        ),
        is_slight: false,
        causes: Vec::new(),
        advice: Some(format!(
            "let each lane take {} neighbouring elements at once, as a vector type",
            WORD / access.width
        )),
    })
}
