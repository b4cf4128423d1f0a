//! Markdown: a table of findings, worst first. GitHub's step summary is one.

use super::{Report, prose, severity, summary};
use crate::finding::Finding;
use std::cmp::Reverse;
use std::fmt::Write as _;

/// More rows than this nobody reads.
const ROWS: usize = 100;

#[must_use]
pub fn render(report: &Report) -> String {
    let mut out = String::from("## cudalint\n\n");
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    findings.sort_by_key(|finding| (Reverse(finding.level), Reverse(finding.weight)));
    if !findings.is_empty() {
        out.push_str("| level | place | finding | cost | ideal |\n|---|---|---|--:|--:|\n");
    }
    for finding in findings.iter().take(ROWS) {
        let place = report.place(finding.primary.span);
        let (cost, ideal) = if finding.cost > 0 {
            (finding.cost.to_string(), finding.ideal.to_string())
        } else {
            (String::new(), String::new())
        };
        let _ = writeln!(
            out,
            "| {} | {} | **{}** {} | {cost} | {ideal} |",
            severity(finding.level),
            prose::code(&format!("{}:{}", place.file(), place.start.line)),
            finding.code,
            prose::inline(&finding.message),
        );
    }
    if findings.len() > ROWS {
        let _ = writeln!(out, "\n{} more are not listed.", findings.len() - ROWS);
    }
    if !findings.is_empty() {
        out.push('\n');
    }
    for line in summary(report).lines() {
        let _ = writeln!(out, "{line}  ");
    }
    out
}
