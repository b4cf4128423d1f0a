//! Kernels of headers that several groups read: each is told of once.
//!
//! Given what the groups of a run found, keeps one kernel of each instance, and drops those with open
//! template arguments where another group makes an instance: in a group that only includes the header
//! nothing launches the kernel.

use crate::ir::{Kernel, Launch, NotAnalysed, Omission};
use crate::prove::verdict::Access;
use crate::report::not_followed::NotFollowed;
use crate::source::{Canonical, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// The place of a span, whichever group read the file.
fn place(canonical: &Canonical, span: Span) -> Span {
    Span {
        file: canonical.id(span.file),
        ..span
    }
}

/// Joins kernels that several groups gave, and drops open ones with their accesses where an instance is known.
/// Gives the launches of those whose instance is known nowhere.
pub(super) fn join(
    kernels: &mut Vec<Kernel>,
    accesses: &mut Vec<Access>,
    canonical: &Canonical,
) -> Vec<NotAnalysed> {
    let place = |span| place(canonical, span);
    let mut known: FxHashSet<Span> = FxHashSet::default();
    let mut told: FxHashSet<(Span, String)> = FxHashSet::default();
    let mut sites: FxHashSet<Span> = FxHashSet::default();
    for kernel in kernels.iter().filter(|kernel| !kernel.is_open) {
        known.insert(place(kernel.span));
        told.insert((place(kernel.span), kernel.instance.clone()));
        sites.extend(kernel.launches.iter().filter_map(|one| one.span).map(place));
    }
    let mut dropped: FxHashSet<(Span, String)> = FxHashSet::default();
    let mut unknown: Vec<NotAnalysed> = Vec::new();
    for kernel in kernels.iter().filter(|kernel| kernel.is_open) {
        let at = place(kernel.span);
        if !known.contains(&at) || told.contains(&(at, kernel.instance.clone())) {
            continue;
        }
        dropped.insert((at, kernel.instance.clone()));
        let spans = kernel.launches.iter().filter_map(|launch| launch.span);
        unknown.extend(
            spans
                .filter(|span| sites.insert(place(*span)))
                .map(|span| NotAnalysed {
                    function: kernel.name.clone(),
                    span,
                    reason: format!(
                        "the instance that is launched here is not known: `{}{}`",
                        kernel.name, kernel.instance
                    ),
                    omission: Omission::Launches,
                }),
        );
    }
    let is_kept = |span: Span, instance: &str| {
        dropped.is_empty() || !dropped.contains(&(place(span), instance.to_owned()))
    };
    accesses.retain(|access| is_kept(access.kernel_span, &access.instance));
    kernels.retain(|kernel| is_kept(kernel.span, &kernel.instance));
    join_instances(kernels, &place);
    unknown
}

/// One kernel of those with one place and one text of arguments, with the launches and gaps of all.
fn join_instances(kernels: &mut Vec<Kernel>, place: &dyn Fn(Span) -> Span) {
    let mut at: FxHashMap<(Span, String), usize> = FxHashMap::default();
    let mut out: Vec<Kernel> = Vec::new();
    for kernel in std::mem::take(kernels) {
        match at.entry((place(kernel.span), kernel.instance.clone())) {
            Entry::Vacant(slot) => {
                slot.insert(out.len());
                out.push(kernel);
            }
            Entry::Occupied(slot) => {
                let Some(first) = out.get_mut(*slot.get()) else {
                    continue;
                };
                first.is_open &= kernel.is_open;
                let is_same = |a: &Launch, b: &Launch| {
                    a.span.map(place) == b.span.map(place) && a.runs_like(b)
                };
                for launch in kernel.launches {
                    if !first.launches.iter().any(|known| is_same(known, &launch)) {
                        first.launches.push(launch);
                    }
                }
                first.gaps.extend(kernel.gaps);
            }
        }
    }
    for kernel in &mut out {
        let mut seen = FxHashSet::default();
        kernel
            .gaps
            .retain(|gap| seen.insert((place(gap.span), gap.reason.clone(), gap.function.clone())));
    }
    *kernels = out;
}

/// Joins what the groups did not follow in one kernel.
pub(super) fn join_not_followed(all: &mut Vec<NotFollowed>, canonical: &Canonical) {
    let mut at: FxHashMap<Span, usize> = FxHashMap::default();
    let mut out: Vec<NotFollowed> = Vec::new();
    for one in std::mem::take(all) {
        match at.entry(place(canonical, one.span)) {
            Entry::Vacant(slot) => {
                slot.insert(out.len());
                out.push(one);
            }
            Entry::Occupied(slot) => {
                if let Some(first) = out.get_mut(*slot.get()) {
                    first.join(one, &|span| place(canonical, span));
                }
            }
        }
    }
    *all = out;
}
