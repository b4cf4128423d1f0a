//! GitLab Code Quality: a list of issues with unique fingerprints.

use super::Report;
use super::fingerprint::fingerprints;
use super::json::pretty;
use crate::finding::Level;
use serde::Serialize;

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
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
            let place = report.place(finding.primary.span);
            // GitLab matches paths relative to the repository.
            let path = place.file();
            Issue {
                description: format!("{}: {}", finding.code, finding.message),
                check_name: finding.rule,
                fingerprint,
                severity: match finding.level {
                    Level::Error => "critical",
                    Level::Warn => "major",
                    Level::Info | Level::Allow => "info",
                },
                location: Location {
                    path: path.strip_prefix("./").unwrap_or(&path).to_owned(),
                    lines: Lines {
                        begin: place.start.line,
                        end: place.end.line,
                    },
                },
            }
        })
        .collect();
    pretty(&issues)
}
