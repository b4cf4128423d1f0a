//! Reviewdog's diagnostic format, whole (`rdjson`) or one diagnostic per line (`rdjsonl`).

use super::Report;
use super::json::{line, pretty};
use crate::finding::{Finding, Level, Safety};
use crate::rules::page_url;
use crate::source::Span;
use serde::Serialize;

#[derive(Serialize)]
struct Document {
    source: Source,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Serialize)]
struct Source {
    name: &'static str,
}

#[derive(Serialize)]
struct Diagnostic {
    message: String,
    location: Location,
    severity: &'static str,
    code: Code,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<Suggestion>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Related>,
}

#[derive(Serialize)]
struct Code {
    value: &'static str,
    /// The rule's page.
    url: String,
}

#[derive(Serialize)]
struct Location {
    path: String,
    range: Range,
}

#[derive(Serialize)]
struct Range {
    start: Position,
    end: Position,
}

/// Reviewdog counts columns in bytes of UTF-8.
#[derive(Serialize)]
struct Position {
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct Suggestion {
    range: Range,
    text: String,
}

#[derive(Serialize)]
struct Related {
    message: String,
    location: Location,
}

#[must_use]
pub fn render(report: &Report) -> String {
    pretty(&Document {
        source: Source { name: "cudalint" },
        diagnostics: report
            .findings
            .iter()
            .map(|finding| diagnostic(report, finding))
            .collect(),
    })
}

#[must_use]
pub fn render_lines(report: &Report) -> String {
    report
        .findings
        .iter()
        .map(|finding| line(&diagnostic(report, finding)))
        .collect()
}

fn diagnostic(report: &Report, finding: &Finding) -> Diagnostic {
    let mut message = vec![finding.message.clone()];
    message.extend(report.details(finding));
    // A suggestion is one edit in the file of the finding.
    let suggestions = finding
        .fixes
        .iter()
        .filter(|fix| fix.safety != Safety::Advice && fix.edits.len() == 1)
        .flat_map(|fix| &fix.edits)
        .filter(|edit| edit.span.file == finding.primary.span.file)
        .map(|edit| Suggestion {
            range: range(report, edit.span),
            text: edit.replacement.clone(),
        })
        .collect();
    Diagnostic {
        message: message.join("\n"),
        location: location(report, finding.primary.span),
        severity: match finding.level {
            Level::Error => "ERROR",
            Level::Warn => "WARNING",
            Level::Info | Level::Allow => "INFO",
        },
        code: Code {
            value: finding.code,
            url: page_url(finding.rule),
        },
        suggestions,
        related_locations: finding
            .secondary
            .iter()
            .map(|label| Related {
                message: label.text.clone(),
                location: location(report, label.span),
            })
            .collect(),
    }
}

fn location(report: &Report, span: Span) -> Location {
    Location {
        path: report.place(span).file(),
        range: range(report, span),
    }
}

fn range(report: &Report, span: Span) -> Range {
    let file = report.sources.get(span.file);
    let position = |offset: u32| {
        let line = file.line(offset);
        Position {
            line,
            column: offset - file.line_start(line).unwrap_or(offset) + 1,
        }
    };
    Range {
        start: position(span.start),
        end: position(span.end),
    }
}
