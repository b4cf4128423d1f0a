//! Code actions: fixes that were proved, comments that allow a finding, explanations.
//!
//! Given an answer and a range, gives what can be done there. Edits are those of
//! fixes, which were proved first, and comments.

use super::answer::Answer;
use super::comments::{self, Comment};
use super::{commands, diagnostics, hover};
use crate::finding::{Edit, Finding, Fix, Safety};
use crate::fix::apply;
use crate::prove::verdict::Access;
use crate::report::visible;
use crate::source::Span;
use gen_lsp_types::{
    CodeAction, CodeActionKind, Command, Diagnostic, DocumentChange,
    OptionalVersionedTextDocumentIdentifier, Position, Range, TextDocumentEdit,
    TextDocumentIdentifier, TextEdit, Uri, WorkspaceEdit,
};
use serde_json::{Value, json};
use std::collections::HashMap;

/// All fixes of a document that keep everything but what they fix.
pub const FIX_ALL: &str = "source.fixAll.cudalint";

/// Launches of one kernel that are offered one by one.
const MOST_LAUNCHES: usize = 4;

/// Kinds of actions that the client asks for.
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
            let comment = comments::allow(answer, &finding);
            found.extend(
                comment_action(answer, &comment, CodeActionKind::QuickFix).map(|action| {
                    CodeAction {
                        diagnostics: Some(vec![diagnostic.clone()]),
                        ..action
                    }
                }),
            );
            found.push(explain(&finding, diagnostic));
        }
    }
    if wish.wants("refactor") {
        found.extend(at_cursor(answer, wish.range.start));
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
        title: visible::line(&fix.title),
        kind: Some(CodeActionKind::QuickFix),
        diagnostics: Some(vec![diagnostic.clone()]),
        is_preferred: (fix.safety == Safety::Safe).then_some(true),
        edit: Some(workspace_edit(answer, &fix.edits)),
        ..empty()
    }
}

/// What can be done with the access or kernel under the cursor, whether it costs too much or not.
fn at_cursor(answer: &Answer, position: Position) -> Vec<CodeAction> {
    let offset = answer.client.encoding.offset(answer.source(), position);
    let places = answer.places();
    let place = hover::place_at(&places, answer, offset);
    let kernel = match place {
        Some(place) => place.accesses.first().map(|access| access.kernel_span),
        None => hover::kernel_at(answer, offset),
    };
    let mut found = Vec::new();
    let comment = |comment: &Comment| comment_action(answer, comment, CodeActionKind::Refactor);
    if let Some(place) = place {
        found.extend(comments::expect(answer, place).as_ref().and_then(comment));
        let assumptions = comments::assume(answer, place);
        found.extend(assumptions.iter().filter_map(comment));
        found.push(command(
            "Explain this access".to_owned(),
            commands::EXPLAIN_ACCESS,
            vec![json!(answer.uri.0), json!(position)],
        ));
    }
    if let Some(kernel) = kernel {
        let launches = comments::launch(answer, kernel);
        found.extend(launches.iter().filter_map(comment));
        found.extend(launch_choices(answer, kernel));
    }
    found
}

/// Commands that choose the launch to analyse a kernel with, or go back to those in the text.
fn launch_choices(answer: &Answer, kernel_span: Span) -> Vec<CodeAction> {
    let accesses = answer.analysis.accesses.iter();
    let of_kernel: Vec<&Access> = accesses
        .filter(|access| access.kernel_span == kernel_span)
        .collect();
    let Some(name) = of_kernel.first().map(|access| &*access.kernel) else {
        return Vec::new();
    };
    let mut chosen = answer.options().chosen_launches.iter();
    if chosen.any(|rule| rule.kernel == name) {
        return vec![command(
            format!("Analyse `{name}` for the launches in the text again"),
            commands::FORGET_LAUNCH,
            vec![json!(name)],
        )];
    }
    let mut blocks: Vec<Vec<u64>> = Vec::new();
    for access in &of_kernel {
        let [x, y, z] = access.launch.block;
        if let (Some(x), Some(y), Some(z)) = (x, y, z)
            && !blocks.contains(&vec![x, y, z])
        {
            blocks.push(vec![x, y, z]);
        }
    }
    let title = |block: &[u64]| match blocks.len() {
        0 => format!(
            "Analyse `{name}` as if launched with block {}",
            comments::shape(block)
        ),
        _ => format!("Analyse `{name}` for block {} only", comments::shape(block)),
    };
    let offered = match blocks.len() {
        0 => of_kernel
            .first()
            .and_then(|access| comments::kernel_of(answer, access))
            .map(comments::likely_blocks)
            .unwrap_or_default(),
        1 => Vec::new(),
        _ => blocks.clone(),
    };
    offered
        .iter()
        .take(MOST_LAUNCHES)
        .map(|block| {
            let launch = json!({ "kernel": name, "block": block });
            command(title(block), commands::CHOOSE_LAUNCH, vec![launch])
        })
        .collect()
}

fn comment_action(answer: &Answer, comment: &Comment, kind: CodeActionKind) -> Option<CodeAction> {
    let edit = comment.edit(answer.source())?;
    Some(CodeAction {
        title: comment.title.clone(),
        kind: Some(kind),
        edit: Some(edit_of(answer, vec![(answer.uri.clone(), vec![edit])])),
        ..empty()
    })
}

fn command(title: String, command: &str, arguments: Vec<Value>) -> CodeAction {
    CodeAction {
        title: title.clone(),
        kind: Some(CodeActionKind::Refactor),
        command: Some(Command {
            title,
            tooltip: None,
            command: command.to_owned(),
            arguments: Some(arguments),
        }),
        ..empty()
    }
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
