//! Figures over a whole run as JSON; schema `cudalint.stats/1`.

use super::json::pretty;
use super::not_followed::{Gap, gaps_in};
use crate::ir::{NotAnalysed, Program};
use crate::prove::verdict::{Access, Status};
use crate::source::{Canonical, SourceMap, Span};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Source of the figures.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    pub files: usize,
    pub program: &'a Program,
    pub sources: &'a SourceMap,
    pub accesses: &'a [Access],
    pub not_analysed: &'a [NotAnalysed],
    pub stages: &'a [(&'static str, Duration)],
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    files: usize,
    kernels: usize,
    kernel_instances: usize,
    /// Instances without any access in the lists.
    without_access: WithoutAccess,
    not_analysed: Reasons<'a>,
    /// Places in the source that were not followed, each reason once.
    gaps: Reasons<'a>,
    /// Accesses by space, then by answer.
    accesses: BTreeMap<&'static str, BTreeMap<&'static str, usize>>,
    unknown: Vec<Reason<'a>>,
    data_dependent: Vec<Reason<'a>>,
    bounded: Vec<Reason<'a>>,
    launches: BTreeMap<&'static str, usize>,
    seconds: Vec<(&'static str, f64)>,
}

/// What is said of them instead: an instance that is `empty` has nothing that touches memory as it is compiled for
/// this architecture, and nothing in it was left out; one that is `silent` has, but no access was listed.
#[derive(Serialize)]
struct WithoutAccess {
    not_analysed: usize,
    not_followed: usize,
    empty: usize,
    silent: usize,
    /// Names of those that are silent, some of them.
    examples: Vec<String>,
}

fn without_access(input: Input) -> WithoutAccess {
    const MOST_EXAMPLES: usize = 8;
    // A header's kernel has a place for each unit that reads it; of what is alike in them one is listed.
    let canonical = Canonical::of(input.sources);
    let place = |span| canonical.span(span);
    let reached: BTreeSet<(Span, &str, &str)> = input
        .accesses
        .iter()
        .map(|access| {
            (
                place(access.kernel_span),
                &*access.kernel,
                &*access.instance,
            )
        })
        .collect();
    let unread = input.not_analysed.iter().map(|one| place(one.span));
    let unread: BTreeSet<Span> = unread.collect();
    let mut out = WithoutAccess {
        not_analysed: 0,
        not_followed: 0,
        empty: 0,
        silent: 0,
        examples: Vec::new(),
    };
    for kernel in &input.program.kernels {
        let span = place(kernel.span);
        if reached.contains(&(span, &*kernel.name, &*kernel.instance)) {
            continue;
        }
        if unread.contains(&span) {
            out.not_analysed += 1;
        } else if !kernel.gaps.is_empty() {
            out.not_followed += 1;
        } else if !kernel.touches_memory {
            out.empty += 1;
        } else {
            out.silent += 1;
            if out.examples.len() < MOST_EXAMPLES {
                out.examples
                    .push(format!("{}{}", kernel.name, kernel.instance));
            }
        }
    }
    out
}

#[derive(Serialize)]
struct Reasons<'a> {
    total: usize,
    reasons: Vec<Reason<'a>>,
}

/// How often one sentence was said; names in backquotes count as one.
#[derive(Serialize)]
struct Reason<'a> {
    count: usize,
    reason: String,
    /// The first one, as it was said.
    example: &'a str,
    /// Of places not followed: in how many instances of kernels they were met, each place by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    instances: Option<usize>,
}

#[must_use]
pub fn render(input: Input) -> String {
    let mut accesses: BTreeMap<&'static str, BTreeMap<&'static str, usize>> = BTreeMap::new();
    for access in input.accesses {
        let verdict = &access.verdict;
        let answer = match verdict.status {
            Status::DataDependent | Status::Unknown => verdict.status.name(),
            Status::Exact if verdict.is_ideal() => "exact ideal",
            Status::Exact => "exact bad",
            Status::Bounded if verdict.is_ideal() => "bounded ideal",
            Status::Bounded if verdict.min > verdict.ideal => "bounded bad",
            Status::Bounded => "bounded either",
        };
        *accesses
            .entry(access.memory())
            .or_default()
            .entry(answer)
            .or_default() += 1;
    }
    let mut launches: BTreeMap<&'static str, usize> = BTreeMap::new();
    for launch in input
        .program
        .kernels
        .iter()
        .flat_map(|kernel| &kernel.launches)
    {
        *launches.entry(launch.source.name()).or_default() += 1;
    }
    let mut kernels: Vec<_> = input
        .program
        .kernels
        .iter()
        .map(|kernel| kernel.span)
        .collect();
    let kernel_instances = kernels.len();
    kernels.sort_unstable();
    kernels.dedup();
    let said = |status: Status| {
        let of = input
            .accesses
            .iter()
            .filter(move |access| access.verdict.status == status);
        by_frequency(of.map(|access| access.verdict.reason.as_str()))
    };
    let gaps = gaps_in(&input.program.kernels, input.sources);
    pretty(&Document {
        schema: "cudalint.stats/1",
        files: input.files,
        kernels: kernels.len(),
        kernel_instances,
        without_access: without_access(input),
        not_analysed: Reasons {
            total: input.not_analysed.len(),
            reasons: by_frequency(input.not_analysed.iter().map(|one| one.reason.as_str())),
        },
        gaps: Reasons {
            total: gaps.len(),
            reasons: of_gaps(&gaps),
        },
        accesses,
        unknown: said(Status::Unknown),
        data_dependent: said(Status::DataDependent),
        bounded: said(Status::Bounded),
        launches,
        seconds: input
            .stages
            .iter()
            .map(|(stage, time)| (*stage, (time.as_secs_f64() * 1e3).round() / 1e3))
            .collect(),
    })
}

/// By frequency, with the instances that each concerns.
fn of_gaps<'a>(gaps: &[Gap<'a>]) -> Vec<Reason<'a>> {
    let mut instances: BTreeMap<String, usize> = BTreeMap::new();
    for cause in gaps {
        *instances.entry(shape(&cause.gap.reason)).or_default() += cause.instances;
    }
    let mut list = by_frequency(gaps.iter().map(|cause| cause.gap.reason.as_str()));
    for one in &mut list {
        one.instances = instances.get(&one.reason).copied();
    }
    list
}

fn by_frequency<'a>(reasons: impl Iterator<Item = &'a str>) -> Vec<Reason<'a>> {
    let mut counts: BTreeMap<String, (usize, &'a str)> = BTreeMap::new();
    for reason in reasons {
        counts.entry(shape(reason)).or_insert((0, reason)).0 += 1;
    }
    let mut list: Vec<Reason> = counts
        .into_iter()
        .map(|(reason, (count, example))| Reason {
            count,
            reason,
            example,
            instances: None,
        })
        .collect();
    list.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.reason.cmp(&b.reason)));
    list
}

/// The sentence with what stands in backquotes left out.
pub(super) fn shape(reason: &str) -> String {
    let pieces: Vec<&str> = reason.split('`').collect();
    let kept: Vec<&str> = pieces
        .iter()
        .enumerate()
        .map(|(at, piece)| if at % 2 == 0 { *piece } else { "…" })
        .collect();
    kept.join("`")
}
