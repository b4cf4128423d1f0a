//! Diagnostics of the whole workspace.
//!
//! Given a request, analyses one file after the other while nothing else is to be
//! done; a client that takes partial results gets each as it comes.

use super::Event;
use super::answer::Answer;
use super::jobs::{Subject, Turn, Work};
use super::requests::workspace_report;
use super::server::Server;
use lsp_server::RequestId;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

/// One request under way.
#[derive(Debug)]
pub struct Sweep {
    pub id: RequestId,
    /// Where partial results go.
    token: Option<Value>,
    /// What the client has already, by URI.
    previous: BTreeMap<String, String>,
    /// Still to be done; the first one is being worked on.
    left: VecDeque<PathBuf>,
    items: Vec<Value>,
}

impl Sweep {
    #[must_use]
    pub fn new<'a>(id: RequestId, params: &Value, files: impl Iterator<Item = &'a Path>) -> Self {
        let known = params.get("previousResultIds").and_then(Value::as_array);
        let pair = |one: &Value| {
            let text = |key: &str| one.get(key).and_then(Value::as_str).map(str::to_owned);
            text("uri").zip(text("value"))
        };
        Self {
            id,
            token: params.get("partialResultToken").cloned(),
            previous: known.into_iter().flatten().filter_map(pair).collect(),
            left: files.map(Path::to_path_buf).collect(),
            items: Vec::new(),
        }
    }
}

impl Server {
    /// Works on the next file, or ends the request.
    pub(super) fn sweep_on(&mut self) {
        while let Some(sweep) = &mut self.sweep {
            let Some(path) = sweep.left.front().cloned() else {
                if let Some(sweep) = self.sweep.take() {
                    self.reply(sweep.id, json!({ "items": sweep.items }));
                }
                return;
            };
            // Open documents have answers of their own.
            let open = self
                .documents
                .at(&path)
                .map(|document| document.uri.clone());
            if let Some(answer) = open.and_then(|uri| self.current(&uri)) {
                self.swept_one(&answer);
                continue;
            }
            match self.task_for(&path) {
                Some(task) => {
                    let work: Work = Box::new(move |stop| match task.run(stop) {
                        Some(answer) => Event::Swept(Box::new(Some(answer))),
                        None => Event::Stopped(Subject::Background),
                    });
                    self.jobs.submit(Subject::Background, Turn::Last, work);
                    return;
                }
                None => {
                    sweep_past(self);
                }
            }
        }
    }

    pub(super) fn swept(&mut self, answer: Option<Answer>) {
        match answer {
            Some(answer) => self.swept_one(&answer),
            None => sweep_past(self),
        }
        self.sweep_on();
    }

    fn swept_one(&mut self, answer: &Answer) {
        sweep_past(self);
        let Some(sweep) = &mut self.sweep else { return };
        let previous = sweep.previous.get(&answer.uri.0).map(String::as_str);
        let report = workspace_report(answer, previous);
        match sweep.token.clone() {
            None => sweep.items.push(report),
            Some(token) => self.notify(
                "$/progress",
                json!({ "token": token, "value": { "items": [report] } }),
            ),
        }
    }
}

/// Leaves the file that was worked on.
fn sweep_past(server: &mut Server) {
    if let Some(sweep) = &mut server.sweep {
        sweep.left.pop_front();
    }
}
