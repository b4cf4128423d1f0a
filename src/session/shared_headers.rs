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

/// An instance of a kernel: the place of its name, its name, its template arguments. A macro may define several at one
/// place.
type Instance = (Span, String, String);

fn instance(place: Span, name: &str, arguments: &str) -> Instance {
    (place, name.to_owned(), arguments.to_owned())
}

/// Joins kernels that several groups gave, and drops open ones with their accesses where an instance is known.
/// Gives the launches of those whose instance is known nowhere.
pub(super) fn join(
    kernels: &mut Vec<Kernel>,
    accesses: &mut Vec<Access>,
    canonical: &Canonical,
) -> Vec<NotAnalysed> {
    let place = |span| canonical.span(span);
    let mut known: FxHashSet<(Span, String)> = FxHashSet::default();
    let mut told: FxHashSet<Instance> = FxHashSet::default();
    let mut sites: FxHashSet<Span> = FxHashSet::default();
    for kernel in kernels.iter().filter(|kernel| !kernel.is_open) {
        known.insert((place(kernel.span), kernel.name.clone()));
        told.insert(instance(place(kernel.span), &kernel.name, &kernel.instance));
        sites.extend(kernel.launches.iter().filter_map(|one| one.span).map(place));
    }
    let mut dropped: FxHashSet<Instance> = FxHashSet::default();
    let mut unknown: Vec<NotAnalysed> = Vec::new();
    for kernel in kernels.iter().filter(|kernel| kernel.is_open) {
        let one = instance(place(kernel.span), &kernel.name, &kernel.instance);
        if !known.contains(&(one.0, one.1.clone())) || told.contains(&one) {
            continue;
        }
        dropped.insert(one);
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
    let is_kept = |span: Span, name: &str, arguments: &str| {
        dropped.is_empty() || !dropped.contains(&instance(place(span), name, arguments))
    };
    accesses.retain(|access| is_kept(access.kernel_span, &access.kernel, &access.instance));
    kernels.retain(|kernel| is_kept(kernel.span, &kernel.name, &kernel.instance));
    join_instances(kernels, &place);
    unknown
}

/// One kernel of those with one place and one text of arguments, with the launches and gaps of all.
fn join_instances(kernels: &mut Vec<Kernel>, place: &dyn Fn(Span) -> Span) {
    let mut at: FxHashMap<Instance, usize> = FxHashMap::default();
    let mut out: Vec<Kernel> = Vec::new();
    for kernel in std::mem::take(kernels) {
        match at.entry(instance(place(kernel.span), &kernel.name, &kernel.instance)) {
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

/// Joins what the groups did not follow in one kernel, given all accesses: one group may have what another lacks.
pub(super) fn join_not_followed(
    all: &mut Vec<NotFollowed>,
    accesses: &[Access],
    canonical: &Canonical,
) {
    let reached = accesses.iter();
    let reached: FxHashSet<(Span, &str)> = reached
        .map(|access| (canonical.span(access.kernel_span), &*access.kernel))
        .collect();
    let mut at: FxHashMap<(Span, String), usize> = FxHashMap::default();
    let mut out: Vec<NotFollowed> = Vec::new();
    for one in std::mem::take(all) {
        let key = (canonical.span(one.span), one.kernel.clone());
        if one.gaps.is_empty() && reached.contains(&(key.0, &*key.1)) {
            continue;
        }
        match at.entry(key) {
            Entry::Vacant(slot) => {
                slot.insert(out.len());
                out.push(one);
            }
            Entry::Occupied(slot) => {
                if let Some(first) = out.get_mut(*slot.get()) {
                    first.join(one, &|span| canonical.span(span));
                }
            }
        }
    }
    *all = out;
}
