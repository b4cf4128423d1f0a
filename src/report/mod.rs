//! Findings and verdicts as text: one file per output format.
//!
//! Given what a run found, gives the text of a report. Knows nothing of files on
//! disk, terminals or exit codes.

pub mod accesses;
pub mod bank_map;
pub mod brief;
pub mod causes;
pub mod checkstyle;
pub mod concise;
pub mod explain;
pub mod fingerprint;
pub mod gcc;
pub mod github;
pub mod gitlab;
pub mod html;
pub mod human;
pub mod json;
pub mod junit;
pub mod launches;
pub mod markdown;
pub mod measured;
pub mod merge;
mod merge_causes;
pub mod not_followed;
pub mod prose;
pub mod rdjson;
pub mod rules;
pub mod sarif;
pub mod screen;
pub mod stats;
pub mod step_summary;
pub mod visible;
pub mod xml;

use crate::contract::Suppressed;
use crate::finding::{Finding, Level};
use crate::gpu::Arch;
use crate::ir::NotAnalysed;
use crate::prove::verdict::{Access, Status};
use crate::source::{LineColumn, SourceMap, Span};
use crate::syntax::preprocess::READ_AS_EMPTY;
use measured::Measured;
use merge::Shard;
use not_followed::NotFollowed;
use std::path::Path;

/// Something to say that is no finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub span: Option<Span>,
    /// One sentence.
    pub message: String,
    /// Whether it is told without being asked for.
    pub is_told: bool,
}

/// Input of a report.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    pub sources: &'a SourceMap,
    /// Those to show, in order.
    pub findings: &'a [Finding],
    /// Findings below the level shown.
    pub hidden: usize,
    /// All of them, where the run kept them.
    pub accesses: &'a [Access],
    pub counts: Counts,
    pub not_analysed: &'a [NotAnalysed],
    pub not_followed: &'a [NotFollowed],
    pub notes: &'a [Note],
    /// Findings that a comment or a baseline accepts.
    pub suppressed: &'a [Suppressed],
    /// Main files read.
    pub files: usize,
    /// The architecture that the costs hold for.
    pub arch: Arch,
    /// The part of a run that it tells of, where it is not all of it.
    pub shard: Option<Shard>,
    /// Counts of a profiler, where one ran.
    pub measured: Option<&'a Measured>,
}

/// How text for people looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    pub color: bool,
    /// Whether rules' codes link to their pages, as terminals have it.
    pub links: bool,
    /// Whether to spell out what is otherwise only counted.
    pub verbose: bool,
}

/// An output format of `cudalint check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Full,
    Concise,
    Gcc,
    Json,
    JsonLines,
    Sarif,
    Github,
    Gitlab,
    Junit,
    Checkstyle,
    Rdjson,
    RdjsonLines,
    Markdown,
    Html,
}

impl Format {
    pub const ALL: [(&'static str, Format); 14] = [
        ("full", Format::Full),
        ("concise", Format::Concise),
        ("gcc", Format::Gcc),
        ("json", Format::Json),
        ("jsonl", Format::JsonLines),
        ("sarif", Format::Sarif),
        ("github", Format::Github),
        ("gitlab", Format::Gitlab),
        ("junit", Format::Junit),
        ("checkstyle", Format::Checkstyle),
        ("rdjson", Format::Rdjson),
        ("rdjsonl", Format::RdjsonLines),
        ("markdown", Format::Markdown),
        ("html", Format::Html),
    ];

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, format)| *format)
    }

    /// Whether the text is for people, who also want a summary.
    #[must_use]
    pub fn is_human(self) -> bool {
        matches!(self, Self::Full | Self::Concise)
    }

    /// Whether it tells of one finding for each cause, with the others in a list: one line for each
    /// place is what line-by-line formats are for.
    #[must_use]
    pub fn folds(self) -> bool {
        matches!(
            self,
            Self::Full | Self::Json | Self::JsonLines | Self::Sarif | Self::Markdown
        )
    }

    /// Whether reports of parts of a run can be put together.
    #[must_use]
    pub fn merges(self) -> bool {
        matches!(self, Self::Json | Self::Sarif)
    }

    /// The whole report, its last line ended.
    #[must_use]
    pub fn render(self, report: &Report, style: Style) -> String {
        match self {
            Self::Full => full(report, style),
            Self::Concise => visible::text(&concise::render(report)),
            Self::Gcc => visible::text(&gcc::render(report)),
            Self::Json => json::render(report),
            Self::JsonLines => json::render_lines(report),
            Self::Sarif => sarif::render(report),
            Self::Github => github::render(report),
            Self::Gitlab => gitlab::render(report),
            Self::Junit => visible::markup(junit::render(report)),
            Self::Checkstyle => visible::markup(checkstyle::render(report)),
            Self::Rdjson => rdjson::render(report),
            Self::RdjsonLines => rdjson::render_lines(report),
            Self::Markdown => visible::text(&step_summary::render(report)),
            Self::Html => visible::markup(html::render(report)),
        }
    }
}

/// Colours are escapes too, so a text that brings escapes of its own is shown without them.
fn full(report: &Report, style: Style) -> String {
    let plain = Style {
        color: false,
        links: false,
        ..style
    };
    let raw = human::render(report, plain);
    let shown = visible::text(&raw);
    if style.color && shown == raw {
        human::render(report, style)
    } else {
        shown
    }
}

/// First and last place of a span, in the file that users know it by.
#[derive(Clone, Debug)]
pub(crate) struct SourceRange<'a> {
    pub path: &'a Path,
    pub start: LineColumn,
    /// One past the last character.
    pub end: LineColumn,
}

impl SourceRange<'_> {
    /// With `/` on every system, as machine formats want it.
    pub(crate) fn file(&self) -> String {
        self.path.display().to_string().replace('\\', "/")
    }
}

impl<'a> Report<'a> {
    pub(crate) fn place(&self, span: Span) -> SourceRange<'a> {
        place(self.sources, span)
    }

    /// Message, notes and fixes in one text, for formats that know nothing finer.
    pub(crate) fn details(&self, finding: &Finding) -> Vec<String> {
        let helps = finding
            .fixes
            .iter()
            .map(|fix| format!("help: {}", fix.title));
        let notes = finding.notes.iter().map(|note| note.text.clone());
        notes.chain(helps).collect()
    }
}

pub(crate) fn place(sources: &SourceMap, span: Span) -> SourceRange<'_> {
    let file = sources.get(span.file);
    SourceRange {
        path: &file.path,
        start: file.line_column(span.start),
        end: file.line_column(span.end),
    }
}

/// The word for a level that most tools share.
pub(crate) fn severity(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warn => "warning",
        Level::Info | Level::Allow => "info",
    }
}

/// How many accesses got which answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub accesses: usize,
    pub ideal: usize,
    pub bad: usize,
    /// Known bounds that reach beyond the ideal without a request to show for it.
    pub undecided: usize,
    /// Not ideal as written, but the compiler is expected to make one ideal access of several.
    pub merged: usize,
    pub data_dependent: usize,
    pub unknown: usize,
}

impl Counts {
    #[must_use]
    pub fn of<'a>(accesses: impl IntoIterator<Item = &'a Access>) -> Self {
        let mut counts = Self::default();
        for access in accesses {
            counts.accesses += 1;
            let verdict = &access.verdict;
            let slot = match verdict.status {
                Status::DataDependent => &mut counts.data_dependent,
                Status::Unknown => &mut counts.unknown,
                _ if access.reads_apart && !access.is_bad() => &mut counts.undecided,
                _ if verdict.is_ideal() && access.loose.is_none() => &mut counts.ideal,
                _ if access.is_bad() => &mut counts.bad,
                _ if access.merged.is_some() || access.is_kept => &mut counts.merged,
                _ => &mut counts.undecided,
            };
            *slot += 1;
        }
        counts
    }

    /// Those of other accesses, too.
    pub fn add(&mut self, other: Self) {
        self.accesses += other.accesses;
        self.ideal += other.ideal;
        self.bad += other.bad;
        self.undecided += other.undecided;
        self.merged += other.merged;
        self.data_dependent += other.data_dependent;
        self.unknown += other.unknown;
    }
}

/// `1 access`, `2 accesses`.
pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    if n == 1 {
        format!("{n} {one}")
    } else {
        format!("{n} {many}")
    }
}

/// The line of a summary where no kernel accesses memory: whoever expects some should know what was not read.
fn nothing_found(report: &Report) -> String {
    let is_missing = |note: &&Note| note.message.ends_with(READ_AS_EMPTY);
    match report.notes.iter().filter(is_missing).count() {
        0 => String::new(),
        missing => format!(
            "no kernel that accesses memory was found; {} not found, which may hold them: -I says where to look\n",
            count(missing, "header was", "headers were")
        ),
    }
}

/// The last lines of a report for people.
pub(crate) fn summary(report: &Report) -> String {
    let counts = report.counts;
    let mut parts = vec![
        format!("{} proved ideal", counts.ideal),
        format!("{} bad", counts.bad),
        format!("{} data-dependent", counts.data_dependent),
        format!("{} unknown", counts.unknown),
    ];
    if counts.undecided > 0 {
        parts.insert(2, format!("{} not ideal for some inputs", counts.undecided));
    }
    if counts.merged > 0 {
        parts.insert(
            1,
            format!("{} ideal as the compiler makes them", counts.merged),
        );
    }
    let mut text = format!(
        "{} in {}: {}\n",
        count(counts.accesses, "access", "accesses"),
        count(report.files, "file", "files"),
        parts.join(", ")
    );
    if counts.accesses == 0 && report.not_analysed.is_empty() {
        text.push_str(&nothing_found(report));
    }
    text.push_str(&not_followed::summary(report));
    let of = |level| {
        report
            .findings
            .iter()
            .filter(|finding| finding.level == level)
            .count()
    };
    let mut found = Vec::new();
    let folded: usize = report
        .findings
        .iter()
        .map(|finding| finding.siblings.len())
        .sum();
    for (level, one, many) in [
        (Level::Error, "error", "errors"),
        (Level::Warn, "warning", "warnings"),
        (Level::Info, "note", "notes"),
    ] {
        let n = of(level);
        if n > 0 {
            found.push(count(n, one, many));
        }
    }
    if let Some(last) = found.last_mut().filter(|_| folded > 0) {
        let places = count(folded, "more place", "more places");
        last.push_str(&format!(" (and {places} with the same causes)"));
    }
    if report.hidden > 0 {
        found.push(format!("{} hidden (show with --level info)", report.hidden));
    }
    if found.is_empty() {
        found.push("no findings".to_owned());
    }
    if !report.suppressed.is_empty() {
        found.push(format!("{} accepted", report.suppressed.len()));
    }
    if !report.not_analysed.is_empty() {
        found.push(format!(
            "{} not analysed",
            count(report.not_analysed.len(), "function", "functions")
        ));
    }
    text.push_str(&found.join(", "));
    text.push('\n');
    text
}
