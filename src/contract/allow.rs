//! `allow`: findings that a comment accepts, and comments that accept nothing.

use super::directive::{Content, Directive};
use super::{AcceptedBy, CommentOutcome, Suppressed, about};
use crate::finding::{Edit, Finding, Fix, Label, Safety};
use crate::source::{SourceMap, Span};

/// Takes out what is allowed and adds what is said of needless allowances.
pub fn apply(
    directives: &[Directive],
    findings: Vec<Finding>,
    sources: &SourceMap,
) -> CommentOutcome {
    let mut used: Vec<Vec<bool>> = directives
        .iter()
        .map(|directive| match &directive.content {
            Ok(Content::Allow { rules, .. }) => vec![false; rules.len()],
            _ => Vec::new(),
        })
        .collect();
    let mut outcome = CommentOutcome::default();
    for finding in findings {
        let mut by = None;
        for (directive, used) in directives.iter().zip(&mut used) {
            let Ok(Content::Allow { rules, reason }) = &directive.content else {
                continue;
            };
            if !directive.covers(finding.primary.span, sources) {
                continue;
            }
            for (named, used) in rules.iter().zip(used) {
                if named.codes.contains(&finding.code) {
                    *used = true;
                    by.get_or_insert((directive.span, reason));
                }
            }
        }
        match by {
            Some((span, reason)) => outcome.suppressed.push(Suppressed {
                finding,
                by: AcceptedBy::Comment(span),
                reason: reason.clone(),
            }),
            None => outcome.findings.push(finding),
        }
    }
    for (directive, used) in directives.iter().zip(used) {
        if let Ok(Content::Allow { rules, .. }) = &directive.content {
            let idle: Vec<&str> = rules
                .iter()
                .zip(&used)
                .filter(|(_, used)| !**used)
                .map(|(named, _)| named.word.as_str())
                .collect();
            if !idle.is_empty() {
                let is_whole = idle.len() == rules.len();
                outcome
                    .findings
                    .push(unused(directive.span, &idle, is_whole, sources));
            }
        }
    }
    outcome
}

fn unused(span: Span, idle: &[&str], is_whole: bool, sources: &SourceMap) -> Finding {
    let mut finding = about(
        super::UNUSED_ALLOW,
        format!("nothing here needs `allow({})`", idle.join(", ")),
        Label {
            span,
            text: "accepts no finding".to_owned(),
        },
    );
    let fix = if is_whole {
        Fix {
            title: "remove the comment".to_owned(),
            safety: Safety::Safe,
            is_whole: false,
            edits: vec![Edit {
                span: with_its_line(span, sources),
                replacement: String::new(),
            }],
        }
    } else {
        Fix {
            title: format!("leave out {}", idle.join(", ")),
            safety: Safety::Advice,
            is_whole: false,
            edits: Vec::new(),
        }
    };
    finding.fixes.push(fix);
    finding
}

/// A comment with the blanks before it, and with its line where nothing else stands on it.
fn with_its_line(span: Span, sources: &SourceMap) -> Span {
    let text = &sources.get(span.file).text;
    let before = text[..span.start as usize].trim_end_matches([' ', '\t']);
    let after = &text[span.end as usize..];
    let line_end = after.find('\n').map_or(after.len(), |at| at + 1);
    let is_alone = before.is_empty() || before.ends_with('\n');
    if is_alone && after[..line_end].trim().is_empty() {
        Span::new(span.file, before.len() as u32, span.end + line_end as u32)
    } else {
        Span::new(span.file, before.len() as u32, span.end)
    }
}
