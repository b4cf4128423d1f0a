//! Findings as diagnostics.
//!
//! Given an answer, gives the diagnostics of its document. How sure a finding is
//! decides how loud it is.

use super::answer::Answer;
use crate::finding::{Evidence, Finding, Label, Level, Remark, RemarkKind};
use crate::report::visible;
use crate::rules;
use gen_lsp_types::{
    Code, CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity,
    DiagnosticTag, Message, Range, Uri,
};
use serde_json::json;

/// Name of the tool in editors.
pub const SOURCE: &str = "cudalint";

/// The rule about comments that do nothing, which editors fade out.
const NEEDLESS: &str = "unused-allow";

/// Findings first, then what was not analysed.
#[must_use]
pub fn all(answer: &Answer) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = here(answer)
        .map(|finding| diagnostic(answer, finding))
        .collect();
    if answer.project.settings.show_not_analysed {
        diagnostics.extend(not_analysed(answer));
    }
    diagnostics
}

/// Findings of the document itself.
pub fn here(answer: &Answer) -> impl Iterator<Item = &Finding> {
    let mut findings = answer.findings.iter();
    std::iter::from_fn(move || findings.find(|finding| answer.is_here(finding.primary.span)))
}

/// The page of a rule.
#[must_use]
pub fn page(rule: &str) -> Uri {
    Uri(rules::page_url(rule))
}

/// One finding as the client can show it.
#[must_use]
pub fn diagnostic(answer: &Answer, finding: &Finding) -> Diagnostic {
    let client = &answer.client;
    let mut lines = vec![finding.message.clone(), finding.primary.text.clone()];
    // Of an access the hover tells all but the launch, below its map.
    let is_told = |note: &&Remark| finding.cost == 0 || note.kind == RemarkKind::Launch;
    let notes = finding.notes.iter().filter(is_told);
    lines.extend(notes.map(|note| note.text.clone()));
    let related = |label: &Label| DiagnosticRelatedInformation {
        location: answer.location(label.span),
        message: visible::text(&label.text),
    };
    let related_information: Vec<DiagnosticRelatedInformation> =
        finding.secondary.iter().map(related).collect();
    Diagnostic {
        range: answer.location(finding.primary.span).range,
        severity: Some(severity(finding)),
        code: Some(Code::String(finding.code.to_owned())),
        code_description: client.code_description.then(|| CodeDescription {
            href: page(finding.rule),
        }),
        source: Some(SOURCE.to_owned()),
        message: Message::String(visible::text(&lines.join("\n"))),
        tags: (client.diagnostic_tags && finding.rule == NEEDLESS)
            .then(|| vec![DiagnosticTag::Unnecessary]),
        related_information: (client.related_information && !related_information.is_empty())
            .then_some(related_information),
        data: client
            .diagnostic_data
            .then(|| json!({ "rule": finding.rule, "kernel": finding.kernel })),
    }
}

/// Loud where every launch pays, quiet where sizes decide.
fn severity(finding: &Finding) -> DiagnosticSeverity {
    match (finding.level, finding.evidence) {
        (Level::Error, _) => DiagnosticSeverity::Error,
        (Level::Warn, Evidence::Proved) => DiagnosticSeverity::Warning,
        (Level::Warn, Evidence::Possible) => DiagnosticSeverity::Information,
        (Level::Info | Level::Allow, _) => DiagnosticSeverity::Hint,
    }
}

fn not_analysed(answer: &Answer) -> impl Iterator<Item = Diagnostic> {
    let functions = answer.analysis.not_analysed.iter().map(|one| {
        let text = format!("`{}` is not analysed: {}", one.function, one.reason);
        (Some(one.span), text)
    });
    let notes = answer
        .analysis
        .notes
        .iter()
        .map(|note| (note.span, note.message.clone()));
    let kernels = answer.analysis.not_followed.iter();
    let kernels = kernels
        .filter(|kernel| !kernel.gaps.is_empty())
        .map(|one| (Some(one.span), one.message()));
    functions
        .chain(kernels)
        .chain(notes)
        .filter_map(|(span, text)| {
            let span = span.filter(|span| answer.is_here(*span))?;
            let range: Range = answer.location(span).range;
            Some(Diagnostic {
                range,
                severity: Some(DiagnosticSeverity::Hint),
                code: Some(Code::String("not-analysed".to_owned())),
                code_description: None,
                source: Some(SOURCE.to_owned()),
                message: Message::String(visible::text(&text)),
                tags: None,
                related_information: None,
                data: None,
            })
        })
}
