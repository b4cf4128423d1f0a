//! What was not followed in kernels: calls without a definition, parts over a limit, and kernels that
//! nothing is known of. A list of findings says nothing about what stands behind these.

use super::{Report, count};
use crate::ir::{Kernel, NotAnalysed, Omission, Program};
use crate::prove::verdict::Access;
use crate::source::{Canonical, SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

/// Places of one kernel that a list of kernels repeats; the list of gaps has all.
pub(super) const LISTED: usize = 20;

/// A kernel, all its instances together, that was not followed everywhere or has no access.
#[derive(Clone, Debug)]
pub struct NotFollowed {
    pub kernel: String,
    /// The kernel's name in its definition.
    pub span: Span,
    /// Accesses of it that have a verdict.
    pub accesses: usize,
    /// Places in it, or in functions that it calls, that were not followed, each reason once.
    pub gaps: Vec<NotAnalysed>,
}

/// A place that was not followed, and why: one, however many kernels and instances come by.
#[derive(Clone, Copy, Debug)]
pub struct Gap<'a> {
    pub gap: &'a NotAnalysed,
    /// Kernels in which it stands, or that call the function it stands in.
    pub kernels: usize,
    /// Their instances that it was met in.
    pub instances: usize,
}

impl Gap<'_> {
    /// The reason, and how many kernels it concerns where that is more than one.
    #[must_use]
    pub fn message(&self) -> String {
        match self.kernels {
            0 | 1 => format!("not followed: {}", self.gap.reason),
            kernels => format!("not followed, in {kernels} kernels: {}", self.gap.reason),
        }
    }
}

/// The gaps of a run, by file, place and reason.
#[must_use]
pub fn gaps<'a>(kernels: &'a [NotFollowed], sources: &SourceMap) -> Vec<Gap<'a>> {
    let all = kernels.iter().map(|one| (one.span, &*one.gaps));
    join(all, sources)
}

/// As [`gaps`], of kernels that are still there with each instance.
#[must_use]
pub fn gaps_in<'a>(kernels: &'a [Kernel], sources: &SourceMap) -> Vec<Gap<'a>> {
    let all = kernels.iter().map(|kernel| (kernel.span, &*kernel.gaps));
    join(all, sources)
}

/// Given the places of each instance, with the kernel it is of.
fn join<'a>(
    instances: impl Iterator<Item = (Span, &'a [NotAnalysed])>,
    sources: &SourceMap,
) -> Vec<Gap<'a>> {
    let canonical = Canonical::of(sources);
    let mut at: FxHashMap<(Span, &str), usize> = FxHashMap::default();
    let mut met: FxHashSet<(usize, Span)> = FxHashSet::default();
    let mut all: Vec<Gap> = Vec::new();
    for (kernel, gaps) in instances {
        // One place of an instance may be listed for several functions that hold it.
        let mut here: FxHashSet<usize> = FxHashSet::default();
        for gap in gaps {
            let number = match at.entry((canonical.span(gap.span), &gap.reason)) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(slot) => {
                    all.push(Gap {
                        gap,
                        kernels: 0,
                        instances: 0,
                    });
                    *slot.insert(all.len() - 1)
                }
            };
            let Some(cause) = all.get_mut(number) else {
                continue;
            };
            cause.instances += usize::from(here.insert(number));
            cause.kernels += usize::from(met.insert((number, canonical.span(kernel))));
        }
    }
    all.sort_by(|a, b| {
        let path = |one: &Gap| &sources.get(one.gap.span.file).path;
        let place = |one: &Gap| (one.gap.span.start, one.gap.span.end);
        path(a)
            .cmp(path(b))
            .then_with(|| place(a).cmp(&place(b)))
            .then_with(|| a.gap.reason.cmp(&b.gap.reason))
    });
    all
}

impl NotFollowed {
    /// Of the kernels of a program, by place.
    #[must_use]
    pub fn of(program: &Program, accesses: &[Access], canonical: &Canonical<'_>) -> Vec<Self> {
        // A header that is given and included has two numbers.
        let place = |span| canonical.span(span);
        // A macro may define several kernels at one place.
        let mut counts: FxHashMap<(Span, &str), usize> = FxHashMap::default();
        for access in accesses {
            let kernel = (place(access.kernel_span), &*access.kernel);
            *counts.entry(kernel).or_default() += 1;
        }
        // The gaps of each: place and reason, with the function that has the place.
        type Gaps<'a> = BTreeMap<(Span, &'a str), &'a str>;
        let mut kernels: FxHashMap<(Span, &str), Gaps> = FxHashMap::default();
        for kernel in &program.kernels {
            let kernel_place = (place(kernel.span), &*kernel.name);
            let known = kernels.entry(kernel_place).or_default();
            let gaps = kernel.gaps.iter();
            known.extend(gaps.map(|gap| ((gap.span, &*gap.reason), &*gap.function)));
        }
        let mut all: Vec<Self> = kernels
            .into_iter()
            .filter_map(|((span, name), gaps)| {
                let accesses = counts.get(&(span, name)).copied().unwrap_or(0);
                (accesses == 0 || !gaps.is_empty()).then(|| Self {
                    kernel: name.to_owned(),
                    span,
                    accesses,
                    gaps: gaps
                        .into_iter()
                        .map(|((span, reason), function)| NotAnalysed {
                            function: function.to_owned(),
                            span,
                            reason: reason.to_owned(),
                            omission: Omission::Text,
                        })
                        .collect(),
                })
            })
            .collect();
        all.sort_by(|a, b| (a.span, &a.kernel).cmp(&(b.span, &b.kernel)));
        all
    }

    /// Takes in what another group found in the same kernel; `place` gives a file one number.
    pub fn join(&mut self, other: Self, place: &dyn Fn(Span) -> Span) {
        self.accesses = self.accesses.max(other.accesses);
        let mut known: FxHashSet<(Span, &str)> = FxHashSet::default();
        let own = self.gaps.iter();
        known.extend(own.map(|gap| (place(gap.span), &*gap.reason)));
        let gaps = other.gaps.into_iter();
        let further: Vec<NotAnalysed> = gaps
            .filter(|gap| !known.contains(&(place(gap.span), &gap.reason)))
            .collect();
        self.gaps.extend(further);
    }

    /// One sentence.
    #[must_use]
    pub fn message(&self) -> String {
        let Self {
            kernel,
            accesses,
            gaps,
            ..
        } = self;
        let first = gaps.first().map_or("", |gap| &gap.reason);
        match (accesses, gaps.len()) {
            (0, 0) => format!("`{kernel}` has no access of global or shared memory"),
            (0, _) => format!(
                "`{kernel}` has no access that could be judged: {} not followed, the first because {first}",
                self.said()
            ),
            _ => format!(
                "`{kernel}`: {} not followed, whose accesses are not counted; the first because {first}",
                self.said()
            ),
        }
    }

    fn said(&self) -> String {
        match self.gaps.len() {
            1 => "1 place was".to_owned(),
            n => format!("{n} places were"),
        }
    }
}

/// The line of a summary; empty where everything was followed.
pub(super) fn summary(report: &Report) -> String {
    let with_gaps = report.not_followed.iter();
    let with_gaps = with_gaps.filter(|one| !one.gaps.is_empty());
    let kernels = with_gaps.clone().count();
    if kernels == 0 {
        return String::new();
    }
    let places = gaps(report.not_followed, report.sources).len();
    let silent = with_gaps.filter(|gap| gap.accesses == 0).count();
    let mut text = format!(
        "not followed: {} in {}, whose accesses are not counted",
        count(places, "place", "places"),
        count(kernels, "kernel", "kernels")
    );
    if silent > 0 {
        text.push_str(&format!(
            "; {} no access for that reason",
            count(silent, "kernel has", "kernels have")
        ));
    }
    text.push_str(" (-v lists them)\n");
    text
}
