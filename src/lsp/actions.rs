//! Code actions: fixes that were proved, comments that allow a finding, explanations.
//!
//! Given an answer and a range, gives what can be done there. Edits are those of
//! fixes; nothing is offered that was not proved first.

use super::answer::Answer;
use super::{commands, diagnostics};
use crate::finding::{Edit, Finding, Fix, Safety};
use crate::fix::apply;
use gen_lsp_types::{
    CodeAction, CodeActionKind, Command, Diagnostic, DocumentChange,
    OptionalVersionedTextDocumentIdentifier, Position, Range, TextDocumentEdit,
    TextDocumentIdentifier, TextEdit, Uri, WorkspaceEdit,
};
use serde_json::{Value, json};
use std::collections::HashMap;

/// All fixes of a document that keep everything but what they fix.
pub const FIX_ALL: &str = "source.fixAll.cudalint";

/// What the client wants to do.
#[derive(Clone, Debug)]
pub struct Wish {
    pub range: Range,
    /// Kinds wanted; empty for all.
    pub only: Vec<CodeActionKind>,
}

impl Wish {
    /// Kinds are paths: `source` wants `source.fixAll` too.
    fn wants(&self, kind: &str) -> bool {
        self.only.is_empty()
            || self.only.iter().any(|wanted| {
                let wanted = String::from(wanted.clone());
                let rest = kind.strip_prefix(&wanted);
                wanted.is_empty()
                    || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
    }
}

/// What can be done at the wish's range; takes as long as the fixes there take to prove.
#[must_use]
pub fn actions(answer: &Answer, wish: &Wish) -> Vec<CodeAction> {
    let mut found = Vec::new();
    if wish.wants("quickfix") {
        let touched =
            |range: &Range| range.start <= wish.range.end && wish.range.start <= range.end;
        let here: Vec<Finding> = diagnostics::here(answer)
            .filter(|finding| touched(&answer.location(finding.primary.span).range))
            .cloned()
            .collect();
        let mut offered: Vec<Vec<Edit>> = Vec::new();
        for finding in answer.with_fixes(here) {
            let diagnostic = diagnostics::diagnostic(answer, &finding);
            for fix in finding.fixes.iter().filter(|fix| !fix.edits.is_empty()) {
                // One fix may cure several findings.
                if !offered.contains(&fix.edits) {
                    offered.push(fix.edits.clone());
                    found.push(quick_fix(answer, fix, &diagnostic));
                }
            }
            found.extend(allow(answer, &finding, &diagnostic));
            found.push(explain(&finding, diagnostic));
        }
    }
    let is_asked_for = !wish.only.is_empty() && wish.wants(FIX_ALL);
    if is_asked_for && diagnostics::here(answer).next().is_some() {
        let mut all = CodeAction {
            title: "Apply all proved fixes that change nothing else".to_owned(),
            kind: Some(CodeActionKind::Custom(FIX_ALL.into())),
            ..empty()
        };
        if answer.client.resolves_edits {
            all.data = Some(json!({ "uri": answer.uri.0, "version": answer.version }));
            found.push(all);
        } else {
            all.edit = fix_all(answer);
            found.extend(all.edit.is_some().then_some(all));
        }
    }
    found
}

/// The document that an unresolved action speaks of.
#[must_use]
pub fn origin(data: &Value) -> Option<(&str, Option<i64>)> {
    Some((data.get("uri")?.as_str()?, data.get("version")?.as_i64()))
}

/// The edits of every safe fix of the document; `None` where there are none.
#[must_use]
pub fn fix_all(answer: &Answer) -> Option<WorkspaceEdit> {
    let findings = answer.with_fixes(diagnostics::here(answer).cloned().collect());
    let safe = findings.iter().filter_map(|finding| {
        let mut fixes = finding.fixes.iter();
        fixes.find(|fix| fix.safety == Safety::Safe && !fix.edits.is_empty())
    });
    let (changes, _) = apply::plan(safe);
    let edits: Vec<Edit> = changes
        .into_iter()
        .flat_map(|change| change.edits)
        .collect();
    (!edits.is_empty()).then(|| workspace_edit(answer, &edits))
}

fn empty() -> CodeAction {
    CodeAction {
        title: String::new(),
        kind: None,
        diagnostics: None,
        is_preferred: None,
        disabled: None,
        edit: None,
        command: None,
        data: None,
        tags: None,
    }
}

fn quick_fix(answer: &Answer, fix: &Fix, diagnostic: &Diagnostic) -> CodeAction {
    CodeAction {
        title: fix.title.clone(),
        kind: Some(CodeActionKind::QuickFix),
        diagnostics: Some(vec![diagnostic.clone()]),
        is_preferred: (fix.safety == Safety::Safe).then_some(true),
        edit: Some(workspace_edit(answer, &fix.edits)),
        ..empty()
    }
}

/// A comment on the line above, at the same depth.
fn allow(answer: &Answer, finding: &Finding, diagnostic: &Diagnostic) -> Option<CodeAction> {
    let file = answer.source();
    let line = file.line(finding.primary.span.start);
    let text = file.line_text(line);
    // A comment would end a macro that goes on over lines.
    let before = line
        .checked_sub(1)
        .map_or("", |above| file.line_text(above));
    if before.trim_end().ends_with('\\') {
        return None;
    }
    let blanks = &text[..text.len() - text.trim_start().len()];
    let end = if file.text.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let start = Position {
        line: line - 1,
        character: 0,
    };
    let edit = TextEdit {
        range: Range { start, end: start },
        new_text: format!("{blanks}// cudalint: allow({}){end}", finding.rule),
    };
    Some(CodeAction {
        title: format!("Allow {} here with a comment", finding.rule),
        kind: Some(CodeActionKind::QuickFix),
        diagnostics: Some(vec![diagnostic.clone()]),
        edit: Some(edit_of(answer, vec![(answer.uri.clone(), vec![edit])])),
        ..empty()
    })
}

fn explain(finding: &Finding, diagnostic: Diagnostic) -> CodeAction {
    CodeAction {
        title: format!("Explain {} ({})", finding.rule, finding.code),
        kind: Some(CodeActionKind::QuickFix),
        diagnostics: Some(vec![diagnostic]),
        command: Some(Command {
            title: format!("Explain {}", finding.rule),
            tooltip: None,
            command: commands::EXPLAIN.to_owned(),
            arguments: Some(vec![json!(finding.rule)]),
        }),
        ..empty()
    }
}

/// Edits of the analysis in the client's terms, by file.
fn workspace_edit(answer: &Answer, edits: &[Edit]) -> WorkspaceEdit {
    let mut by_file: Vec<(Uri, Vec<TextEdit>)> = Vec::new();
    for edit in edits {
        let location = answer.location(edit.span);
        let change = TextEdit {
            range: location.range,
            new_text: edit.replacement.clone(),
        };
        match by_file.iter_mut().find(|(uri, _)| *uri == location.uri) {
            Some((_, changes)) => changes.push(change),
            None => by_file.push((location.uri, vec![change])),
        }
    }
    edit_of(answer, by_file)
}

fn edit_of(answer: &Answer, by_file: Vec<(Uri, Vec<TextEdit>)>) -> WorkspaceEdit {
    let empty = WorkspaceEdit {
        changes: None,
        document_changes: None,
        change_annotations: None,
    };
    if !answer.client.versioned_edits {
        let changes: HashMap<Uri, Vec<TextEdit>> = by_file.into_iter().collect();
        return WorkspaceEdit {
            changes: Some(changes),
            ..empty
        };
    }
    let change = |(uri, edits): (Uri, Vec<TextEdit>)| {
        let version = (uri == answer.uri).then_some(answer.version).flatten();
        DocumentChange::TextDocumentEdit(TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier {
                version,
                text_document_identifier: TextDocumentIdentifier { uri },
            },
            edits: edits.into_iter().map(Into::into).collect(),
        })
    };
    WorkspaceEdit {
        document_changes: Some(by_file.into_iter().map(change).collect()),
        ..empty
    }
}
