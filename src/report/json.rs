//! Findings as JSON, whole or one object per line; schema `cudalint.findings/1`.

use super::fingerprint::fingerprints;
use super::merge_causes::Cause;
use super::not_followed::{self, Gap, NotFollowed};
use super::{Report, severity, visible};
use crate::finding::{Edit, Evidence, Finding, Fix, Label, Remark, Safety};
use crate::gpu::Total;
use crate::ir::{NotAnalysed, Omission};
use crate::rules::page_url;
use crate::source::Span;
use serde::Serialize;

/// Name and version of the format; fields may be added without a new version.
pub const SCHEMA: &str = "cudalint.findings/1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    version: &'static str,
    /// The part of a run that this is, such as `2/4`.
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<String>,
    findings: Vec<FindingRecord<'a>>,
    not_analysed: Vec<NotAnalysedRecord<'a>>,
    not_followed: Vec<NotFollowedRecord<'a>>,
    /// What was not followed in any of them: each place and reason once.
    gaps: Vec<GapRecord<'a>>,
    /// What the text that was read rests on, where it is told without being asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<NoteRecord<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct NoteRecord<'a> {
    #[serde(flatten)]
    place: Option<PlaceRecord>,
    message: &'a str,
}

#[derive(Serialize)]
struct Summary {
    files: usize,
    accesses: usize,
    ideal: usize,
    bad: usize,
    undecided: usize,
    merged: usize,
    data_dependent: usize,
    unknown: usize,
    hidden: usize,
    /// Places in kernels that were not followed, each once: what they access is in no number above.
    not_followed: usize,
}

#[derive(Serialize)]
struct FindingRecord<'a> {
    code: &'a str,
    rule: &'a str,
    /// The rule's page.
    url: String,
    level: &'static str,
    evidence: &'static str,
    #[serde(flatten)]
    place: PlaceRecord,
    kernel: &'a str,
    instance: &'a str,
    array: &'a str,
    message: &'a str,
    label: &'a str,
    cost: u32,
    ideal: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_block: Option<TotalRecord>,
    notes: &'a [Remark],
    related: Vec<LabelRecord<'a>>,
    fixes: Vec<FixRecord<'a>>,
    /// Findings with the same cause, for which this one stands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    siblings: Vec<SiblingRecord<'a>>,
    fingerprint: String,
    /// What puts it together with findings of other parts of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<Cause>,
}

#[derive(Serialize)]
struct SiblingRecord<'a> {
    #[serde(flatten)]
    place: PlaceRecord,
    kernel: &'a str,
    instance: &'a str,
    message: &'a str,
}

/// Lines and columns from 1, columns in characters, the end one past the last.
#[derive(Serialize)]
pub(super) struct PlaceRecord {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

/// Sums over all requests of a block.
#[derive(Serialize)]
pub(super) struct TotalRecord {
    requests: u64,
    cost: u64,
    ideal: u64,
    excessive: u64,
}

impl From<Total> for TotalRecord {
    fn from(total: Total) -> Self {
        Self {
            requests: total.requests,
            cost: total.cost,
            ideal: total.ideal,
            excessive: total.excessive(),
        }
    }
}

#[derive(Serialize)]
struct LabelRecord<'a> {
    #[serde(flatten)]
    place: PlaceRecord,
    message: &'a str,
}

#[derive(Serialize)]
struct FixRecord<'a> {
    title: &'a str,
    safety: &'static str,
    edits: Vec<EditRecord<'a>>,
}

#[derive(Serialize)]
struct EditRecord<'a> {
    #[serde(flatten)]
    place: PlaceRecord,
    replacement: &'a str,
}

#[derive(Serialize)]
pub(super) struct NotAnalysedRecord<'a> {
    #[serde(flatten)]
    place: PlaceRecord,
    function: &'a str,
    reason: &'a str,
    /// `launches`: some launches of the kernel were left out, not its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    omits: Option<&'static str>,
}

/// A kernel that was not followed everywhere, or that has no access.
#[derive(Serialize)]
struct NotFollowedRecord<'a> {
    #[serde(flatten)]
    place: PlaceRecord,
    kernel: &'a str,
    accesses: usize,
    /// How many places there are; the first of them follow.
    places: usize,
    reasons: Vec<NotAnalysedRecord<'a>>,
}

/// A place that was not followed, and why.
#[derive(Serialize)]
pub(super) struct GapRecord<'a> {
    #[serde(flatten)]
    gap: NotAnalysedRecord<'a>,
    /// How many kernels come by.
    kernels: usize,
}

pub(super) fn gap<'a>(report: &Report, one: &Gap<'a>) -> GapRecord<'a> {
    GapRecord {
        gap: not_analysed(report, one.gap),
        kernels: one.kernels,
    }
}

fn not_followed<'a>(report: &Report, one: &'a NotFollowed) -> NotFollowedRecord<'a> {
    NotFollowedRecord {
        place: place(report, one.span),
        kernel: &one.kernel,
        accesses: one.accesses,
        places: one.gaps.len(),
        reasons: one
            .gaps
            .iter()
            .take(not_followed::LISTED)
            .map(|gap| not_analysed(report, gap))
            .collect(),
    }
}

/// The whole report as one indented document.
#[must_use]
pub fn render(report: &Report) -> String {
    let counts = report.counts;
    let all = not_followed::gaps(report.not_followed, report.sources);
    let gaps = all.iter().map(|one| gap(report, one));
    pretty(&Document {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        shard: report.shard.map(|shard| shard.to_string()),
        findings: records(report),
        not_analysed: report
            .not_analysed
            .iter()
            .map(|one| not_analysed(report, one))
            .collect(),
        not_followed: report
            .not_followed
            .iter()
            .map(|one| not_followed(report, one))
            .collect(),
        gaps: gaps.collect(),
        notes: report
            .notes
            .iter()
            .filter(|note| note.is_told)
            .map(|note| NoteRecord {
                place: note.span.map(|span| place(report, span)),
                message: &note.message,
            })
            .collect(),
        summary: Summary {
            files: report.files,
            accesses: counts.accesses,
            ideal: counts.ideal,
            bad: counts.bad,
            undecided: counts.undecided,
            merged: counts.merged,
            data_dependent: counts.data_dependent,
            unknown: counts.unknown,
            hidden: report.hidden,
            not_followed: all.len(),
        },
    })
}

/// One finding per line.
#[must_use]
pub fn render_lines(report: &Report) -> String {
    let mut out = String::new();
    for record in records(report) {
        out.push_str(&line(&record));
    }
    out
}

/// Indented JSON with a last line end. Our records hold only strings, numbers and lists, which always serialise.
pub(super) fn pretty(value: &impl Serialize) -> String {
    let mut text = visible::json(serde_json::to_string_pretty(value).unwrap_or_default());
    text.push('\n');
    text
}

/// JSON on one line, ended.
pub(super) fn line(value: &impl Serialize) -> String {
    let mut text = visible::json(serde_json::to_string(value).unwrap_or_default());
    text.push('\n');
    text
}

pub(super) fn place(report: &Report, span: Span) -> PlaceRecord {
    let place = report.place(span);
    PlaceRecord {
        file: place.file(),
        line: place.start.line,
        column: place.start.column,
        end_line: place.end.line,
        end_column: place.end.column,
    }
}

pub(super) fn not_analysed<'a>(report: &Report, one: &'a NotAnalysed) -> NotAnalysedRecord<'a> {
    NotAnalysedRecord {
        place: place(report, one.span),
        function: &one.function,
        reason: &one.reason,
        omits: match one.omission {
            Omission::Text => None,
            Omission::Launches => Some("launches"),
        },
    }
}

fn records<'a>(report: &'a Report) -> Vec<FindingRecord<'a>> {
    let prints = fingerprints(report);
    report
        .findings
        .iter()
        .zip(prints)
        .map(|(finding, print)| record(report, finding, print))
        .collect()
}

fn record<'a>(report: &Report, finding: &'a Finding, fingerprint: String) -> FindingRecord<'a> {
    FindingRecord {
        code: finding.code,
        rule: finding.rule,
        url: page_url(finding.rule),
        level: severity(finding.level),
        evidence: match finding.evidence {
            Evidence::Proved => "proved",
            Evidence::Possible => "possible",
        },
        place: place(report, finding.primary.span),
        kernel: &finding.kernel,
        instance: &finding.instance,
        array: &finding.array,
        message: &finding.message,
        label: &finding.primary.text,
        cost: finding.cost,
        ideal: finding.ideal,
        per_block: finding.per_block.map(TotalRecord::from),
        notes: &finding.notes,
        related: finding
            .secondary
            .iter()
            .map(|label| related(report, label))
            .collect(),
        fixes: finding
            .fixes
            .iter()
            .map(|fix| fix_record(report, fix))
            .collect(),
        siblings: finding
            .siblings
            .iter()
            .map(|sibling| SiblingRecord {
                place: place(report, sibling.span),
                kernel: &sibling.kernel,
                instance: &sibling.instance,
                message: &sibling.message,
            })
            .collect(),
        fingerprint,
        cause: report.shard.map(|_| Cause::of(report, finding)),
    }
}

fn related<'a>(report: &Report, label: &'a Label) -> LabelRecord<'a> {
    LabelRecord {
        place: place(report, label.span),
        message: &label.text,
    }
}

fn fix_record<'a>(report: &Report, fix: &'a Fix) -> FixRecord<'a> {
    let edit = |edit: &'a Edit| EditRecord {
        place: place(report, edit.span),
        replacement: &edit.replacement,
    };
    FixRecord {
        title: &fix.title,
        safety: safety(fix.safety),
        edits: fix.edits.iter().map(edit).collect(),
    }
}

fn safety(safety: Safety) -> &'static str {
    match safety {
        Safety::Safe => "safe",
        Safety::Unsafe => "unsafe",
        Safety::Advice => "advice",
    }
}
