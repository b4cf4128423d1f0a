//! The form that compilers write and editors read: `file:line:column: warning: message [rule]`.

use super::{Report, severity, visible};
use crate::finding::Level;
use std::fmt::Write as _;

#[must_use]
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    for finding in report.findings {
        let mut line = |span, kind: &str, message: &str| {
            let place = report.place(span);
            let (line, column) = (place.start.line, place.start.column);
            let _ = writeln!(
                out,
                "{}:{line}:{column}: {kind}: {message}",
                visible::path(place.path)
            );
        };
        // GCC has no level between note and warning.
        let kind = if finding.level <= Level::Info {
            "note"
        } else {
            severity(finding.level)
        };
        let message = format!("{} [{}]", finding.message, finding.rule);
        line(finding.primary.span, kind, &message);
        for label in &finding.secondary {
            line(label.span, "note", &label.text);
        }
        for fix in &finding.fixes {
            line(finding.primary.span, "note", &fix.title);
        }
    }
    out
}
