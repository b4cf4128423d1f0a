//! One line per finding: `file:line:column: CODE message`.

use super::{Report, summary, visible};
use std::fmt::Write as _;

#[must_use]
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    for finding in report.findings {
        let place = report.place(finding.primary.span);
        let _ = writeln!(
            out,
            "{}:{}:{}: {} [{}] {}",
            visible::path(place.path),
            place.start.line,
            place.start.column,
            finding.code,
            finding.rule,
            finding.message
        );
    }
    out.push_str(&summary(report));
    out
}
