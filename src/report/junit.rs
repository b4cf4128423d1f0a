//! JUnit XML: each finding is a failed test case; a run without findings is one that passed.

use super::xml::escape;
use super::{Report, severity};
use std::fmt::Write as _;

#[must_use]
pub fn render(report: &Report) -> String {
    let mut cases = String::new();
    for finding in report.findings {
        let place = report.place(finding.primary.span);
        let details = report.details(finding).join("\n");
        let _ = writeln!(
            cases,
            "    <testcase classname=\"{file}\" name=\"{rule} {line}:{column}\" file=\"{file}\" line=\"{line}\">\n      \
             <failure type=\"{level}\" message=\"{message}\">{details}</failure>\n    </testcase>",
            file = escape(&place.file()),
            rule = finding.rule,
            line = place.start.line,
            column = place.start.column,
            level = severity(finding.level),
            message = escape(&finding.message),
            details = escape(&details).replace("&#10;", "\n"),
        );
    }
    let failures = report.findings.len();
    if failures == 0 {
        cases.push_str("    <testcase classname=\"cudalint\" name=\"no findings\"/>\n");
    }
    let tests = failures.max(1);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"cudalint\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">\n  \
         <testsuite name=\"cudalint\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">\n\
         {cases}  </testsuite>\n</testsuites>\n"
    )
}
