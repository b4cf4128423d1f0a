//! Requests: what a client may ask, and when it is answered.
//!
//! Given a request, gives its answer at once where the analysis of the present text is
//! there, or keeps it until then. Questions that take a proof are put to the worker.

use super::actions::{self, Wish};
use super::answer::Answer;
use super::commands::{self, Order};
use super::hints;
use super::hover;
use super::jobs::{Cancelled, Subject};
use super::lens;
use super::server::{Server, request_key};
use super::workspace_diagnostics::Sweep;
use crate::report::markdown;
use crate::rules;
use gen_lsp_types::{
    CodeAction, CodeActionParams, CodeLensParams, DocumentDiagnosticParams, ExecuteCommandParams,
    FullDocumentDiagnosticReport, HoverParams, InlayHint, InlayHintParams, Position, Range,
    RelatedFullDocumentDiagnosticReport, RelatedUnchangedDocumentDiagnosticReport,
    UnchangedDocumentDiagnosticReport, Uri,
};
use lsp_server::{ErrorCode, Request, RequestId, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;

/// Questions about a document.
#[derive(Clone, Debug)]
pub enum Question {
    Hover(Position),
    Hints(Range),
    Lenses,
    Actions(Wish),
    /// All fixes, for an action that was offered without them.
    FixAll(Box<CodeAction>),
    /// The tooltip of a hint.
    Tooltip(Box<InlayHint>),
    Diagnostics {
        previous: Option<String>,
    },
    Accesses {
        kernel: Option<String>,
    },
    /// Everything about the access there.
    Explain(Position),
}

/// A question that waits for an analysis.
#[derive(Debug)]
pub struct Waiting {
    pub id: RequestId,
    pub uri: Uri,
    pub question: Question,
}

impl Question {
    /// Whether it takes proofs, or a walk.
    fn is_slow(&self) -> bool {
        matches!(self, Self::Actions(_) | Self::FixAll(_) | Self::Explain(_))
    }

    /// The answer where there is nothing to say.
    #[must_use]
    pub fn nothing(self) -> Value {
        match self {
            Self::Hover(_) | Self::Accesses { .. } | Self::Explain(_) => Value::Null,
            Self::Hints(_) | Self::Lenses | Self::Actions(_) => json!([]),
            Self::FixAll(action) => json(*action),
            Self::Tooltip(hint) => json(*hint),
            Self::Diagnostics { .. } => json(full(None, Vec::new())),
        }
    }

    #[must_use]
    pub fn answer(self, answer: &Answer) -> Value {
        match self {
            Self::Hover(position) => json(hover::hover(answer, position)),
            Self::Hints(range) => json(hints::hints(answer, range)),
            Self::Lenses => json(lens::lenses(answer)),
            Self::Actions(wish) => {
                let actions = actions::actions(answer, &wish);
                if answer.client.code_action_literals {
                    json(actions)
                } else {
                    // Such a client knows commands only.
                    let commands = actions.into_iter().filter_map(|action| action.command);
                    json(commands.collect::<Vec<_>>())
                }
            }
            Self::FixAll(mut action) => {
                action.edit = actions::fix_all(answer);
                json(*action)
            }
            Self::Tooltip(mut hint) => {
                hints::resolve(answer, &mut hint);
                json(*hint)
            }
            Self::Diagnostics { previous } => {
                let id = result_id(answer);
                if previous.as_deref() == Some(id.as_str()) {
                    json(RelatedUnchangedDocumentDiagnosticReport {
                        related_documents: None,
                        unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport {
                            result_id: id,
                        },
                    })
                } else {
                    json(full(Some(id), answer.diagnostics.clone()))
                }
            }
            Self::Accesses { kernel } => Value::String(accesses(answer, kernel.as_deref())),
            Self::Explain(position) => Value::String(hover::explain(answer, position)),
        }
    }
}

fn full(
    result_id: Option<String>,
    items: Vec<gen_lsp_types::Diagnostic>,
) -> RelatedFullDocumentDiagnosticReport {
    RelatedFullDocumentDiagnosticReport {
        related_documents: None,
        full_document_diagnostic_report: FullDocumentDiagnosticReport { result_id, items },
    }
}

/// Names the diagnostics by their content.
#[must_use]
pub fn result_id(answer: &Answer) -> String {
    let text = serde_json::to_vec(&answer.diagnostics).unwrap_or_default();
    blake3::hash(&text).to_hex()[..16].to_owned()
}

/// Plain data always has a JSON form.
fn json(value: impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

fn accesses(answer: &Answer, kernel: Option<&str>) -> String {
    let mut kernels: Vec<(crate::source::Span, Arc<str>)> = answer
        .analysis
        .accesses
        .iter()
        .filter(|access| answer.is_here(access.kernel_span))
        .filter(|access| kernel.is_none_or(|name| *access.kernel == *name))
        .map(|access| (access.kernel_span, access.kernel.clone()))
        .collect();
    kernels.sort();
    kernels.dedup();
    let tables: Vec<String> = kernels
        .iter()
        .map(|(span, name)| {
            let of_kernel = lens::of_kernel(answer, *span);
            markdown::table(name, &of_kernel, &answer.analysis.sources)
        })
        .collect();
    if tables.is_empty() {
        "No access of shared or global memory was found here.\n".to_owned()
    } else {
        tables.join("\n")
    }
}

impl Server {
    /// Takes a request of a running session.
    pub(super) fn ask(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let asked = match method.as_str() {
            "textDocument/hover" => read(params).map(|params: HoverParams| {
                let at = params.text_document_position_params;
                (at.text_document.uri, Question::Hover(at.position))
            }),
            "textDocument/inlayHint" => read(params).map(|params: InlayHintParams| {
                (params.text_document.uri, Question::Hints(params.range))
            }),
            "textDocument/codeLens" => read(params)
                .map(|params: CodeLensParams| (params.text_document.uri, Question::Lenses)),
            "textDocument/codeAction" => read(params).map(|params: CodeActionParams| {
                let wish = Wish {
                    range: params.range,
                    only: params.context.only.unwrap_or_default(),
                };
                (params.text_document.uri, Question::Actions(wish))
            }),
            "textDocument/diagnostic" => read(params).map(|params: DocumentDiagnosticParams| {
                let previous = params.previous_result_id;
                (params.text_document.uri, Question::Diagnostics { previous })
            }),
            "inlayHint/resolve" => return self.resolve_hint(id, params),
            "codeAction/resolve" => return self.resolve_action(id, params),
            "workspace/executeCommand" => return self.execute(id, params),
            "workspace/diagnostic" => return self.sweep(id, &params),
            _ => {
                let why = format!("{method} is not supported");
                return self.refuse(id, ErrorCode::MethodNotFound, &why);
            }
        };
        match asked {
            Ok((uri, question)) => self.question(id, uri, question),
            Err(why) => self.refuse(
                id,
                ErrorCode::InvalidParams,
                &format!("the parameters of {method} cannot be read: {why}"),
            ),
        }
    }

    /// Answers now, or as soon as the present text is analysed.
    fn question(&mut self, id: RequestId, uri: Uri, question: Question) {
        if let Some(answer) = self.current(&uri) {
            self.put(id, question, &answer);
        } else if self.is_coming(&uri) {
            self.waiting.push(Waiting { id, uri, question });
        } else {
            self.reply(id, question.nothing());
        }
    }

    /// Answers from `answer`.
    pub(super) fn put(&self, id: RequestId, question: Question, answer: &Arc<Answer>) {
        if question.is_slow() {
            self.submit_question(id, question, answer.clone());
        } else {
            self.reply(id, question.answer(answer));
        }
    }

    pub(super) fn replied(&mut self, response: Response) {
        match self.cancelled.iter().position(|id| *id == response.id) {
            None => self.outbox.send(response),
            Some(at) => {
                let id = self.cancelled.swap_remove(at);
                self.refuse(id, ErrorCode::RequestCanceled, "cancelled");
            }
        }
    }

    pub(super) fn cancel(&mut self, id: &RequestId) {
        let before = self.waiting.len();
        self.waiting.retain(|waiting| waiting.id != *id);
        let mut is_known = self.waiting.len() < before;
        if self.sweep.as_ref().is_some_and(|sweep| sweep.id == *id) {
            self.sweep = None;
            self.jobs.cancel(&Subject::Background);
            is_known = true;
        }
        match self.jobs.cancel(&Subject::Request(request_key(id))) {
            // Nobody is left to answer for it.
            Cancelled::Dropped => is_known = true,
            Cancelled::Stopped => self.cancelled.push(id.clone()),
            Cancelled::Unknown => {}
        }
        if is_known {
            self.refuse(id.clone(), ErrorCode::RequestCanceled, "cancelled");
        }
    }

    fn resolve_hint(&mut self, id: RequestId, params: Value) {
        let hint: InlayHint = match read(params) {
            Ok(hint) => hint,
            Err(why) => return self.refuse(id, ErrorCode::InvalidParams, &why),
        };
        let origin = hint.data.as_ref().and_then(hints::origin);
        let answer = origin.and_then(|(uri, version)| self.of_version(uri, version));
        match answer {
            Some(answer) => self.put(id, Question::Tooltip(Box::new(hint)), &answer),
            None => self.reply(id, hint),
        }
    }

    fn resolve_action(&mut self, id: RequestId, params: Value) {
        let action: CodeAction = match read(params) {
            Ok(action) => action,
            Err(why) => return self.refuse(id, ErrorCode::InvalidParams, &why),
        };
        let Some((uri, version)) = action.data.as_ref().and_then(actions::origin) else {
            return self.reply(id, action);
        };
        match self.of_version(uri, version) {
            Some(answer) => self.put(id, Question::FixAll(Box::new(action)), &answer),
            None => self.refuse(
                id,
                ErrorCode::ContentModified,
                "the text was edited since the action was offered",
            ),
        }
    }

    /// The answer to a given version of a document, if it is the present one.
    fn of_version(&self, uri: &str, version: Option<i64>) -> Option<Arc<Answer>> {
        let answer = self.current(&Uri(uri.to_owned()))?;
        (answer.version.map(i64::from) == version).then_some(answer)
    }

    fn execute(&mut self, id: RequestId, params: Value) {
        let order = read(params).and_then(|params: ExecuteCommandParams| {
            commands::read(&params.command, &params.arguments.unwrap_or_default())
        });
        match order {
            Err(why) => self.refuse(id, ErrorCode::InvalidParams, &why),
            Ok(Order::ShowAccesses { uri, kernel }) => {
                self.question(id, uri, Question::Accesses { kernel });
            }
            Ok(Order::Explain { rule }) => match rules::find(&rule) {
                Some(rule) => self.reply(id, rule.body),
                None => self.refuse(id, ErrorCode::InvalidParams, &rules::select::unknown(&rule)),
            },
            Ok(Order::ExplainAccess { uri, position }) => {
                self.question(id, uri, Question::Explain(position));
            }
            Ok(Order::ChooseLaunch(rule)) => {
                let kernel = rule.kernel.clone();
                self.projects.choose_launch(&kernel, Some(rule));
                self.all_outdated();
                self.reply(id, Value::Null);
            }
            Ok(Order::ForgetLaunch { kernel }) => {
                self.projects.choose_launch(&kernel, None);
                self.all_outdated();
                self.reply(id, Value::Null);
            }
        }
    }

    fn sweep(&mut self, id: RequestId, params: &Value) {
        if let Some(before) = self.sweep.take() {
            self.jobs.cancel(&Subject::Background);
            self.refuse(
                before.id,
                ErrorCode::ServerCancelled,
                "a newer request took its place",
            );
        }
        self.sweep = Some(Sweep::new(id, params, self.index.files()));
        self.sweep_on();
    }
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, String> {
    serde_json::from_value(params).map_err(|error| error.to_string())
}

/// The report of one file for the whole workspace.
#[must_use]
pub fn workspace_report(answer: &Answer, previous: Option<&str>) -> Value {
    let id = result_id(answer);
    if previous == Some(id.as_str()) {
        json!({
            "kind": "unchanged", "resultId": id,
            "uri": answer.uri.0, "version": answer.version,
        })
    } else {
        json!({
            "kind": "full", "resultId": id, "items": answer.diagnostics,
            "uri": answer.uri.0, "version": answer.version,
        })
    }
}
