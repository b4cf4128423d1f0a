//! Code lenses: one line above each kernel.
//!
//! Given an answer, gives a lens per kernel with what its accesses come to; a click
//! lists them.

use super::answer::Answer;
use super::commands;
use crate::gpu::Space;
use crate::prove::verdict::Access;
use crate::report::{Counts, brief, count};
use crate::source::Span;
use gen_lsp_types::{CodeLens, Command};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Bytes of a sector.
const SECTOR_BYTES: u64 = 32;

/// A lens for every kernel that is defined in the document.
#[must_use]
pub fn lenses(answer: &Answer) -> Vec<CodeLens> {
    if !answer.project.settings.code_lens {
        return Vec::new();
    }
    let kernels: BTreeSet<Span> = answer
        .analysis
        .accesses
        .iter()
        .map(|access| access.kernel_span)
        .filter(|span| span.file == answer.file)
        .collect();
    kernels
        .into_iter()
        .map(|span| {
            let accesses = of_kernel(answer, span);
            let kernel = accesses.first().map_or("", |access| &*access.kernel);
            CodeLens {
                range: answer.location(span).range,
                command: Some(Command {
                    title: title(&accesses, not_followed(answer, span)),
                    tooltip: None,
                    command: commands::SHOW_ACCESSES.to_owned(),
                    arguments: Some(vec![json!(answer.uri.0), json!(kernel)]),
                }),
                data: None,
            }
        })
        .collect()
}

/// Places of the kernel whose name stands at `span` that were not followed.
#[must_use]
pub fn not_followed(answer: &Answer, span: Span) -> usize {
    let mut all = answer.analysis.not_followed.iter();
    all.find(|one| one.span == span)
        .map_or(0, |one| one.gaps.len())
}

/// The accesses of the kernel whose name stands at `span`, in order.
#[must_use]
pub fn of_kernel(answer: &Answer, span: Span) -> Vec<&Access> {
    let accesses = answer.analysis.accesses.iter();
    accesses
        .filter(|access| access.kernel_span == span)
        .collect()
}

/// `7 accesses, 5 proved ideal · worst 32-way · wasted per block: 31 wavefronts, 896 bytes`
#[must_use]
pub fn title(accesses: &[&Access], not_followed: usize) -> String {
    let counts = Counts::of(accesses.iter().copied());
    let mut text = format!(
        "{}, {} proved ideal",
        count(counts.accesses, "access", "accesses"),
        counts.ideal
    );
    if counts.unknown > 0 {
        let _ = write!(text, ", {} unknown", counts.unknown);
    }
    if not_followed > 0 {
        let _ = write!(
            text,
            ", {} not followed",
            count(not_followed, "place", "places")
        );
    }
    let worst = accesses
        .iter()
        .filter(|access| access.verdict.is_known() && !access.verdict.is_ideal())
        .max_by_key(|access| brief::badness(access));
    if let Some(worst) = worst {
        let _ = write!(text, " · worst {}", brief::one(worst));
    }
    // Of the launches and instances of one place the worst counts.
    let mut worst_of: BTreeMap<(Span, &str), &Access> = BTreeMap::new();
    let excess = |access: &Access| {
        let (cost, ideal) = access.worst();
        u64::from(cost.saturating_sub(ideal))
    };
    for access in accesses.iter().filter(|access| access.is_bad()) {
        let known = worst_of
            .entry((access.site.span, access.op.name()))
            .or_insert(access);
        if excess(access) > excess(known) {
            *known = access;
        }
    }
    // Blocks where all sums are known, else warps.
    let is_summed = worst_of
        .values()
        .all(|access| access.machine_sum().is_some());
    let wasted_in = |wanted: Space| -> u64 {
        let of_space = worst_of.values().filter(|access| access.space == wanted);
        let wasted = of_space.map(|access| match access.machine_sum().filter(|_| is_summed) {
            Some(sum) => sum.excessive(),
            None => excess(access),
        });
        wasted.fold(0, u64::saturating_add)
    };
    let mut wasted = Vec::new();
    let (wavefronts, sectors) = (wasted_in(Space::Shared), wasted_in(Space::Global));
    if wavefronts > 0 {
        wasted.push(count(wavefronts as usize, "wavefront", "wavefronts"));
    }
    if sectors > 0 {
        wasted.push(format!("{} bytes", sectors.saturating_mul(SECTOR_BYTES)));
    }
    if !wasted.is_empty() {
        let whole = if is_summed { "block" } else { "warp" };
        let _ = write!(text, " · wasted per {whole}: {}", wasted.join(", "));
    }
    text
}
