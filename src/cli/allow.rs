//! `--add-allow`: comments that accept today's findings.

use crate::finding::{Edit, Finding, Fix, Safety};
use crate::source::{FileId, SourceMap, Span};
use std::collections::BTreeMap;

/// One comment above each line with findings, as fixes that can be written.
#[must_use]
pub fn comments(findings: &[Finding], reason: &str, sources: &SourceMap) -> Vec<Fix> {
    let mut lines: BTreeMap<(FileId, u32), Vec<&str>> = BTreeMap::new();
    for finding in findings {
        let span = finding.primary.span;
        let file = sources.get(span.file);
        let rules = lines.entry((span.file, file.line(span.start))).or_default();
        if !rules.contains(&finding.rule) {
            rules.push(finding.rule);
        }
    }
    lines
        .into_iter()
        .filter_map(|((file, line), rules)| {
            let source = sources.get(file);
            let start = source.line_start(line)?;
            let text = source.line_text(line);
            let indent = &text[..text.len() - text.trim_start().len()];
            let reason = if reason.is_empty() {
                String::new()
            } else {
                format!(": {reason}")
            };
            let end = if source.text.contains("\r\n") {
                "\r\n"
            } else {
                "\n"
            };
            Some(Fix {
                title: "accept this finding".to_owned(),
                safety: Safety::Safe,
                is_whole: false,
                edits: vec![Edit {
                    span: Span::new(file, start, start),
                    replacement: format!(
                        "{indent}// cudalint: allow({}){reason}{end}",
                        rules.join(", ")
                    ),
                }],
            })
        })
        .collect()
}
