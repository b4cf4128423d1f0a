//! GitHub workflow commands.
//!
//! A step shows ten annotations of a kind, so the worst come first.

use super::{Report, visible};
use crate::finding::{Finding, Level};
use std::cmp::Reverse;
use std::fmt::Write as _;

#[must_use]
pub fn render(report: &Report) -> String {
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    findings.sort_by_key(|finding| (Reverse(finding.level), Reverse(finding.weight)));
    let mut out = String::new();
    for finding in findings {
        let place = report.place(finding.primary.span);
        let command = match finding.level {
            Level::Error => "error",
            Level::Warn => "warning",
            Level::Info | Level::Allow => "notice",
        };
        // GitHub takes columns only for annotations on one line.
        let end = if place.start.line == place.end.line {
            format!(",col={},endColumn={}", place.start.column, place.end.column)
        } else {
            format!(",endLine={}", place.end.line)
        };
        let mut text = vec![finding.message.clone()];
        text.extend(report.details(finding));
        let _ = writeln!(
            out,
            "::{command} file={},line={}{end},title={}::{}",
            property(&place.file()),
            place.start.line,
            property(&format!("{} {}", finding.code, finding.rule)),
            data(&text.join("\n"))
        );
    }
    out
}

fn data(text: &str) -> String {
    // A property has no line of its own to be a command on.
    visible::text(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
