//! GitLab Code Quality: a list of issues with unique fingerprints.

use super::fingerprint::fingerprints;
use super::json::pretty;
use super::{Report, prose};
use crate::finding::Level;
use crate::rules::page_url;
use crate::source::Span;
use serde::Serialize;

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_locations: Vec<Location>,
    content: Content,
}

/// Markdown.
#[derive(Serialize)]
struct Content {
    body: String,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

#[must_use]
pub fn render(report: &Report) -> String {
    let prints = fingerprints(report);
    let issues: Vec<Issue> = report
        .findings
        .iter()
        .zip(prints)
        .map(|(finding, fingerprint)| {
            let page = format!("[{}]({})", finding.rule, page_url(finding.rule));
            let details = report.details(finding);
            let mut lines: Vec<String> = details.iter().map(|line| prose::inline(line)).collect();
            lines.push(format!("rule: {page}"));
            Issue {
                description: format!("{}: {}", finding.code, finding.message),
                check_name: finding.rule,
                fingerprint,
                severity: match finding.level {
                    Level::Error => "critical",
                    Level::Warn => "major",
                    Level::Info | Level::Allow => "info",
                },
                location: location(report, finding.primary.span),
                other_locations: finding
                    .secondary
                    .iter()
                    .map(|label| location(report, label.span))
                    .collect(),
                content: Content {
                    body: lines.iter().map(|line| format!("- {line}\n")).collect(),
                },
            }
        })
        .collect();
    pretty(&issues)
}

fn location(report: &Report, span: Span) -> Location {
    let place = report.place(span);
    // GitLab matches paths relative to the repository.
    let path = place.file();
    Location {
        path: path.strip_prefix("./").unwrap_or(&path).to_owned(),
        lines: Lines {
            begin: place.start.line,
            end: place.end.line,
        },
    }
}
