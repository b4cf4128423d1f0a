//! Comments that ask something of the analysis: findings to accept, and costs to keep to.
//!
//! Given the comments of a run, its accesses and its findings, gives the findings that
//! remain, those that a comment accepts, and findings about the comments themselves: an
//! expectation that does not hold, an allowance that nothing needs, a comment that cannot
//! be read. Knows nothing of `assume` and `launch`, which the program was built with.

mod allow;
pub mod baseline;
mod directive;
mod expect;
mod scope;

use crate::finding::{Evidence, Finding, Fix, Label, Level};
use crate::prove::verdict::Access;
use crate::rules::{self, Context};
use crate::source::{SourceMap, Span};
use directive::Directive;
use scope::Scope;
use std::path::Path;

/// The rule about comments that accept nothing.
pub const UNUSED_ALLOW: &str = "unused-allow";

/// A finding that is not reported, with the reason.
#[derive(Clone, Debug)]
pub struct Suppressed {
    pub finding: Finding,
    pub by: AcceptedBy,
    /// As the user gave it; may be empty.
    pub reason: String,
}

/// Who accepted a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcceptedBy {
    /// The comment at this place.
    Comment(Span),
    /// The record of findings that were there before.
    Baseline,
}

/// Findings after the comments were applied.
#[derive(Debug, Default)]
pub struct CommentOutcome {
    /// By file and line.
    pub findings: Vec<Finding>,
    pub suppressed: Vec<Suppressed>,
}

/// Applies every directive among `comments` (places of comments, repeats allowed).
#[must_use]
pub fn apply(
    comments: impl Iterator<Item = Span>,
    accesses: &[Access],
    mut findings: Vec<Finding>,
    context: &Context,
) -> CommentOutcome {
    let directives = directive::read(comments, context.sources);
    if directives.is_empty() {
        return CommentOutcome {
            findings,
            suppressed: Vec::new(),
        };
    }
    for one in &directives {
        match &one.content {
            Ok(directive::Content::Expect(bounds)) => {
                findings.extend(expect::judge(one, bounds, accesses, context));
            }
            Err(problem) => findings.push(unreadable(one.span, problem)),
            Ok(_) => {}
        }
    }
    let mut outcome = allow::apply(&directives, findings, context.sources);
    let findings = &mut outcome.findings;
    findings.sort_by(|a, b| a.compare(b, context.sources));
    outcome
}

/// Whether a comment, marks included, is meant for this tool; gives what follows the name.
#[must_use]
pub fn addressed(comment: &str) -> Option<&str> {
    let inner = comment
        .trim_start_matches('/')
        .trim_start_matches(['*', '!', '<'])
        .trim_end_matches('/')
        .trim_end_matches('*');
    inner.trim_start().strip_prefix("cudalint:")
}

/// The bytes that a comment of a line of its own would speak of, put in at `at`, where a line begins.
#[must_use]
pub fn reach(text: &str, at: u32) -> std::ops::Range<u32> {
    let scope = scope::of(
        text,
        at as usize,
        at as usize,
        scope::Reach::Here,
        &mut scope::Below::default(),
    );
    scope.start..scope.end
}

fn unreadable(span: Span, problem: &str) -> Finding {
    about(
        "unreadable-comment",
        format!("this comment for cudalint has no effect: {problem}"),
        Label {
            span,
            text: "cannot be read".to_owned(),
        },
    )
}

/// A finding about a comment, at the level of its rule.
fn about(rule: &str, message: String, primary: Label) -> Finding {
    let (code, name, level) = rules::find(rule).map_or(("CL000", "comment", Level::Warn), |rule| {
        (rule.code, rule.name, rule.level)
    });
    Finding {
        code,
        rule: name,
        level,
        evidence: Evidence::Proved,
        kernel: String::new(),
        instance: String::new(),
        array: String::new(),
        message,
        primary,
        secondary: Vec::new(),
        declaration: None,
        call: None,
        notes: Vec::new(),
        fixes: Vec::<Fix>::new(),
        cost: 0,
        ideal: 0,
        per_block: None,
        weight: 0,
        siblings: Vec::new(),
        is_slight: false,
    }
}

/// Whether `span` lies in `scope`, which may have come from another reading of the same file.
fn is_within(span: Span, scope: &Scope, home: Span, sources: &SourceMap) -> bool {
    let path = |span: Span| -> &Path { &sources.get(span.file).path };
    (span.file == home.file || path(span) == path(home))
        && span.start < scope.end
        && scope.start <= span.end.saturating_sub(1).max(span.start)
}

/// What a directive covers, and where it stands.
impl Directive {
    fn covers(&self, span: Span, sources: &SourceMap) -> bool {
        is_within(span, &self.scope, self.span, sources)
    }
}
