//! Rules about kernels as a whole, and what all of them share.
//!
//! Given a kernel, a rule gives [`KernelFinding`]s; here they become findings, one per rule and
//! place, where the worst instance leads. Knows nothing of any single rule.

use super::{Context, Rule};
use crate::finding::{Evidence, Finding, Fix, Label, Level, Remark, RemarkKind, Safety};
use crate::ir::{Dimension, Kernel, Launch, LaunchSource, Site};
use crate::source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A rule's finding about one place of a kernel.
#[derive(Clone, Debug)]
pub(super) struct KernelFinding {
    pub span: Span,
    pub array: String,
    pub evidence: Evidence,
    /// `None` takes the rule's own level.
    pub level: Option<Level>,
    pub message: String,
    pub label: String,
    pub secondary: Vec<Label>,
    pub notes: Vec<Remark>,
    pub advice: Option<String>,
    /// Larger is worse.
    pub weight: u64,
}

impl KernelFinding {
    pub fn new(span: Span, message: String, label: String) -> Self {
        Self {
            span,
            array: String::new(),
            evidence: Evidence::Proved,
            level: None,
            message,
            label,
            secondary: Vec::new(),
            notes: Vec::new(),
            advice: None,
            weight: 0,
        }
    }

    /// At an access, with the calls that lead to it.
    pub fn at(site: &Site, message: String, label: String) -> Self {
        let calls = site.inlined.iter().rev().take(2).map(|(name, call)| Label {
            span: *call,
            text: format!("`{name}` is called here"),
        });
        let definition = site.definition.map(|span| Label {
            span,
            text: "the access in the macro's body".to_owned(),
        });
        let secondary = definition
            .into_iter()
            .chain(calls)
            .filter(|label| label.span != site.span)
            .collect();
        Self {
            array: site.array.to_string(),
            secondary,
            ..Self::new(site.span, message, label)
        }
    }
}

/// One rule at one place: path, start, end, code.
type Key<'a> = (&'a Path, u32, u32, &'static str);

/// The findings of a rule about all kernels.
pub(super) fn findings(
    told: Vec<(&Rule, &Kernel, KernelFinding)>,
    context: &Context,
) -> Vec<Finding> {
    // A header that several units include has a number for each of them: the first one counts.
    let fix = |span| context.canonical.span(span);
    let mut groups: BTreeMap<Key, Vec<(&Rule, &Kernel, KernelFinding)>> = BTreeMap::new();
    for one in told {
        let span = one.2.span;
        let path = context.sources.get(span.file).path.as_path();
        groups
            .entry((path, span.start, span.end, one.0.code))
            .or_default()
            .push(one);
    }
    groups
        .into_values()
        .filter_map(|mut group| {
            // Stable: of equals, the first kernel leads.
            group.sort_by_key(|(rule, _, told)| {
                let level = told.level.unwrap_or(rule.level);
                (std::cmp::Reverse(level), std::cmp::Reverse(told.weight))
            });
            let launch = |told: &KernelFinding| {
                let mut notes = told.notes.iter();
                let note = notes.find(|note| note.kind == RemarkKind::Launch);
                note.map(|note| note.text.clone())
            };
            let who = group
                .iter()
                .map(|(_, kernel, told)| (&kernel.name, &kernel.instance, launch(told)));
            let others = who.collect::<BTreeSet<_>>().len() - 1;
            let (rule, kernel, told) = group.into_iter().next()?;
            let mut notes = told.notes;
            if others > 0 {
                let what = if others == 1 {
                    "instance or launch"
                } else {
                    "instances or launches"
                };
                notes.push(format!("and in {others} more {what}").into());
            }
            let place = |label: Label| Label {
                span: fix(label.span),
                ..label
            };
            Some(Finding {
                code: rule.code,
                rule: rule.name,
                level: told.level.unwrap_or(rule.level),
                evidence: told.evidence,
                kernel: kernel.name.clone(),
                instance: kernel.instance.clone(),
                array: told.array,
                message: told.message,
                primary: Label {
                    span: fix(told.span),
                    text: told.label,
                },
                secondary: told.secondary.into_iter().map(place).collect(),
                declaration: None,
                call: None,
                notes,
                fixes: told
                    .advice
                    .into_iter()
                    .map(|title| Fix {
                        title,
                        safety: Safety::Advice,
                        is_whole: false,
                        edits: Vec::new(),
                    })
                    .collect(),
                cost: 0,
                ideal: 0,
                per_block: None,
                weight: told.weight,
                siblings: Vec::new(),
                is_slight: false,
            })
        })
        .collect()
}

/// `launch: block (32, 8, 1) from line 40`.
pub(super) fn launch_note(launch: &Launch, context: &Context) -> Remark {
    let [x, y, z] = launch.block.each_ref().map(axis);
    let place = launch.span.map(|span| {
        let file = context.sources.get(span.file);
        format!(" from {}:{}", file.path.display(), file.line(span.start))
    });
    let place = place.unwrap_or_else(|| match launch.source {
        LaunchSource::Config => " from the configuration".to_owned(),
        LaunchSource::Bounds => " from `__launch_bounds__`".to_owned(),
        _ => String::new(),
    });
    RemarkKind::Launch.remark(format!("launch: block ({x}, {y}, {z}){place}"))
}

fn axis(axis: &Dimension) -> String {
    axis.known()
        .map_or_else(|| "?".to_owned(), |n| n.to_string())
}

/// Threads of a block along each axis, where all are known.
pub(super) fn block_of(launch: &Launch) -> Option<[u64; 3]> {
    let [x, y, z] = launch.block.each_ref().map(Dimension::known);
    Some([x?, y?, z?])
}
