//! What was not followed in kernels: calls without a definition, parts over a limit, and kernels that
//! nothing is known of. A list of findings says nothing about what stands behind these.

use super::{Report, count};
use crate::ir::{NotAnalysed, Omission, Program};
use crate::prove::verdict::Access;
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Places of one kernel that are listed; all are counted.
const LISTED: usize = 20;

/// A kernel, all its instances together, that was not followed everywhere or has no access.
#[derive(Clone, Debug)]
pub struct NotFollowed {
    pub kernel: String,
    /// The kernel's name in its definition.
    pub span: Span,
    /// Accesses of it that have a verdict.
    pub accesses: usize,
    /// Places in it, or in functions that it calls, that were not followed.
    pub places: usize,
    /// The first of them.
    pub gaps: Vec<NotAnalysed>,
}

impl NotFollowed {
    /// Of the kernels of a program, by place.
    #[must_use]
    pub fn of(program: &Program, accesses: &[Access]) -> Vec<Self> {
        let mut counts: FxHashMap<Span, usize> = FxHashMap::default();
        for access in accesses {
            *counts.entry(access.kernel_span).or_default() += 1;
        }
        // The name of the kernel, and its gaps: place, reason, function.
        type Gaps<'a> = (&'a str, BTreeSet<(Span, &'a str, &'a str)>);
        let mut kernels: FxHashMap<Span, Gaps> = FxHashMap::default();
        for kernel in &program.kernels {
            let known = kernels
                .entry(kernel.span)
                .or_insert_with(|| (&kernel.name, BTreeSet::new()));
            let gaps = kernel.gaps.iter();
            known
                .1
                .extend(gaps.map(|gap| (gap.span, &*gap.reason, &*gap.function)));
        }
        let mut all: Vec<Self> = kernels
            .into_iter()
            .filter_map(|(span, (name, gaps))| {
                let accesses = counts.get(&span).copied().unwrap_or(0);
                (accesses == 0 || !gaps.is_empty()).then(|| Self {
                    kernel: name.to_owned(),
                    span,
                    accesses,
                    places: gaps.len(),
                    gaps: gaps
                        .into_iter()
                        .take(LISTED)
                        .map(|(span, reason, function)| NotAnalysed {
                            function: function.to_owned(),
                            span,
                            reason: reason.to_owned(),
                            omission: Omission::Text,
                        })
                        .collect(),
                })
            })
            .collect();
        all.sort_by_key(|one| one.span);
        all
    }

    /// Takes in what another group found in the same kernel; `place` gives a file one number.
    pub fn join(&mut self, other: Self, place: &dyn Fn(Span) -> Span) {
        self.accesses = self.accesses.max(other.accesses);
        let listed = self.gaps.len() + other.gaps.len();
        let known = |gaps: &[NotAnalysed], one: &NotAnalysed| {
            let is_same =
                |gap: &NotAnalysed| place(gap.span) == place(one.span) && gap.reason == one.reason;
            gaps.iter().any(is_same)
        };
        for gap in other.gaps {
            if !known(&self.gaps, &gap) {
                self.gaps.push(gap);
            }
        }
        // Of places that are not listed it is not known which are the same.
        self.places = match listed == self.places + other.places {
            true => self.gaps.len(),
            false => self.places.max(other.places),
        };
        self.gaps.truncate(LISTED);
    }

    /// One sentence.
    #[must_use]
    pub fn message(&self) -> String {
        let Self {
            kernel,
            accesses,
            places,
            gaps,
            ..
        } = self;
        let first = gaps.first().map_or("", |gap| &gap.reason);
        match (accesses, places) {
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
        match self.places {
            1 => "1 place was".to_owned(),
            n => format!("{n} places were"),
        }
    }
}

/// The line of a summary; empty where everything was followed.
pub(super) fn summary(report: &Report) -> String {
    let with_gaps = report.not_followed.iter().filter(|one| one.places > 0);
    let kernels = with_gaps.clone().count();
    if kernels == 0 {
        return String::new();
    }
    let places: usize = with_gaps.clone().map(|gap| gap.places).sum();
    let silent = with_gaps.filter(|gap| gap.accesses == 0).count();
    let mut text = format!(
        "not followed: {} in {}, whose accesses are not counted",
        count(places, "place", "places"),
        count(kernels, "kernel", "kernels")
    );
    if silent > 0 {
        text.push_str(&format!(
            "; {} no access for that reason",
            if silent == 1 {
                "1 kernel has".to_owned()
            } else {
                format!("{silent} kernels have")
            }
        ));
    }
    text.push_str(" (-v lists them)\n");
    text
}
