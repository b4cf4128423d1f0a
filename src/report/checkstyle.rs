//! Checkstyle XML, version 4.3.

use super::xml::escape;
use super::{Report, severity};
use std::collections::BTreeMap;
use std::fmt::Write as _;

#[must_use]
pub fn render(report: &Report) -> String {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for finding in report.findings {
        let mut message = vec![finding.message.clone()];
        message.extend(report.details(finding));
        let place = report.place(finding.primary.span);
        files.entry(place.file()).or_default().push(format!(
            "    <error line=\"{}\" column=\"{}\" severity=\"{}\" message=\"{}\" source=\"cudalint.{}\"/>\n",
            place.start.line,
            place.start.column,
            severity(finding.level),
            escape(&message.join("\n")),
            finding.rule
        ));
    }
    let mut out =
        String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n");
    for (file, errors) in files {
        let _ = writeln!(
            out,
            "  <file name=\"{}\">\n{}  </file>",
            escape(&file),
            errors.concat()
        );
    }
    out.push_str("</checkstyle>\n");
    out
}
