//! What changes: documents, files, folders and settings.
//!
//! Given what the client tells, keeps texts and index as they are now, and marks the
//! documents whose answers are no longer true.

use super::Event;
use super::answer::Answer;
use super::index::Index;
use super::jobs::Subject;
use super::requests::Waiting;
use super::server::Server;
use super::settings::Settings;
use super::uri;
use crate::config;
use crate::session::input::mentioned::Names;
use crate::session::input::{compile_commands, load};
use gen_lsp_types::{
    DidChangeTextDocumentParams, DidOpenTextDocumentParams, PublishDiagnosticsParams, Uri,
};

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

impl Server {
    pub(super) fn initialized(&mut self) {
        if self.client.watches_files {
            let globs = [
                "**/*.{cu,cuh,h,hpp,hh,inl}",
                "**/cudalint.toml",
                "**/.cudalint.toml",
                "**/compile_commands.json",
            ];
            let watchers = globs.map(|glob| json!({ "globPattern": glob }));
            self.call(
                "client/registerCapability",
                json!({ "registrations": [{
                    "id": "cudalint-files",
                    "method": "workspace/didChangeWatchedFiles",
                    "registerOptions": { "watchers": watchers },
                }]}),
            );
        }
        self.ask_configuration();
        self.look_through();
    }

    /// Reads the names of all files of the workspace, on a thread of its own.
    pub(super) fn look_through(&self) {
        let (folders, events) = (self.folders.clone(), self.events.clone());
        std::thread::spawn(move || {
            let _ = events.send(Event::Indexed(Index::build(&folders)));
        });
    }

    pub(super) fn indexed(&mut self, index: Index) {
        let mut index = Arc::new(index);
        for document in self.documents.iter().filter(|document| document.is_cuda) {
            Index::set(&mut index, &document.path, Some(&document.file.text));
        }
        self.index = index;
        self.companions_changed();
    }

    pub(super) fn open(&mut self, params: DidOpenTextDocumentParams) {
        let uri = params.text_document.uri.clone();
        self.documents.open(params.text_document);
        let Some(document) = self.documents.get(&uri) else {
            return;
        };
        let (path, text) = (document.path.clone(), document.file.text.clone());
        if document.is_cuda {
            self.states.entry(uri.0.clone()).or_default();
        }
        self.outdated(&uri.0, false);
        // The editor's text may differ from the one on disk.
        self.text_changed(&path, &text, &uri.0);
    }

    pub(super) fn change(&mut self, params: DidChangeTextDocumentParams) {
        let identity = params.text_document;
        let uri = identity.text_document_identifier.uri;
        let encoding = self.client.encoding;
        let changes = params.content_changes;
        let changed = self
            .documents
            .change(&uri, identity.version, changes, encoding);
        let Some(document) = changed else {
            return;
        };
        let (path, text) = (document.path.clone(), document.file.text.clone());
        if document.is_cuda {
            // An empty header becomes CUDA while it is typed.
            self.states.entry(uri.0.clone()).or_default();
        }
        self.outdated(&uri.0, false);
        self.text_changed(&path, &text, &uri.0);
    }

    pub(super) fn close(&mut self, uri: &Uri) {
        let Some(document) = self.documents.close(uri) else {
            return;
        };
        self.states.remove(&uri.0);
        self.jobs.cancel(&Subject::Document(uri.0.clone()));
        let (gone, kept) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|waiting| waiting.uri == *uri);
        self.waiting = kept;
        let gone: Vec<Waiting> = gone;
        for waiting in gone {
            self.reply(waiting.id, waiting.question.nothing());
        }
        if !self.client.pulls_diagnostics {
            self.notify(
                "textDocument/publishDiagnostics",
                PublishDiagnosticsParams {
                    uri: uri.clone(),
                    version: None,
                    diagnostics: Vec::new(),
                },
            );
        }
        // From here on the disk counts.
        Index::refresh(&mut self.index, &document.path);
        self.dependents_of(&document.path, &uri.0);
    }

    /// Takes the text of a document into the index, and renews what depends on it.
    pub(super) fn text_changed(&mut self, path: &Path, text: &str, uri: &str) {
        self.index_text(path, text);
        self.dependents_of(path, uri);
    }

    pub(super) fn index_text(&mut self, path: &Path, text: &str) {
        // Headers of other names are found through those that include them.
        if load::is_cuda(path) && Index::set(&mut self.index, path, Some(text)) {
            self.companions_changed();
        }
    }

    /// Renews other open documents whose answers read the file at `path`. Of an answer that is under way nobody
    /// knows yet what it reads: it is looked at when it comes.
    pub(super) fn dependents_of(&mut self, path: &Path, but: &str) {
        let mut dependents = Vec::new();
        for (uri, state) in &mut self.states {
            if uri == but {
                continue;
            }
            let answer = state.answer.as_ref();
            if answer.is_some_and(|answer| answer.depends_on(path)) {
                dependents.push(uri.clone());
            } else if answer.is_none_or(|answer| answer.revision != state.revision) {
                state.meanwhile.insert(path.to_path_buf());
            }
        }
        for uri in dependents {
            self.outdated(&uri, true);
        }
    }

    /// Renews documents whose launches or includers are others than before.
    pub(super) fn companions_changed(&mut self) {
        let changed: Vec<String> = self
            .states
            .iter()
            .filter(|(_, state)| {
                let answer = state.answer.as_ref();
                answer.is_some_and(|answer| self.has_other_companions(answer))
            })
            .map(|(uri, _)| uri.clone())
            .collect();
        for uri in changed {
            self.outdated(&uri, true);
        }
    }

    /// Whether the index, as it is now, names other files beside the document than the answer was made with.
    pub(super) fn has_other_companions(&self, answer: &Answer) -> bool {
        let names = Names::of(&answer.source().text);
        let path = &answer.source().path;
        self.index.companions(path, &names) != answer.companions
    }

    /// The document's answer is no longer true. `refresh` tells the client to ask again afterwards:
    /// it knows of its own edits only.
    pub(super) fn outdated(&mut self, uri: &str, refresh: bool) {
        let delay = self.projects.settings().delay();
        if let Some(state) = self.states.get_mut(uri) {
            state.revision += 1;
            state.due = Some(Instant::now() + delay);
            state.refresh |= refresh;
        }
    }

    pub(super) fn all_outdated(&mut self) {
        let uris: Vec<String> = self.states.keys().cloned().collect();
        for uri in uris {
            self.outdated(&uri, true);
        }
    }

    pub(super) fn configure(&mut self, value: &Value) {
        match Settings::read(value) {
            Ok(settings) => self.projects.set(settings),
            Err(problem) => self.show(&problem),
        }
    }

    pub(super) fn ask_configuration(&mut self) {
        if self.client.configuration {
            self.call(
                "workspace/configuration",
                json!({ "items": [{ "section": "cudalint" }] }),
            );
        }
    }

    pub(super) fn configuration_changed(&mut self, params: &Value) {
        if self.client.configuration {
            self.ask_configuration();
            return;
        }
        let settings = params.get("settings").unwrap_or(&Value::Null);
        if !settings.is_null() {
            self.configure(settings);
            self.all_outdated();
        }
    }

    pub(super) fn files_changed(&mut self, params: &Value) {
        let changes = params.get("changes").and_then(Value::as_array);
        let paths: Vec<PathBuf> = changes
            .into_iter()
            .flatten()
            .filter_map(|change| uri::file(&Uri(change.get("uri")?.as_str()?.to_owned())))
            .collect();
        let is_configuration = |path: &PathBuf| {
            path.file_name().is_some_and(|name| {
                let mut names = config::FILE_NAMES.iter();
                name == compile_commands::FILE_NAME || names.any(|one| name == *one)
            })
        };
        if paths.iter().any(is_configuration) {
            self.projects.forget();
            self.all_outdated();
        }
        for path in paths.iter().filter(|path| !is_configuration(path)) {
            // What is open counts as the editor has it.
            if self.documents.at(path).is_some() {
                continue;
            }
            if load::is_cuda(path) && Index::refresh(&mut self.index, path) {
                self.companions_changed();
            }
            self.dependents_of(path, "");
        }
    }

    pub(super) fn folders_changed(&mut self, params: &Value) {
        let list = |key: &str| -> Vec<PathBuf> {
            let folders = params.pointer(&format!("/event/{key}"));
            folders
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(|folder| uri::file(&Uri(folder.get("uri")?.as_str()?.to_owned())))
                .collect()
        };
        let removed = list("removed");
        self.folders.retain(|folder| !removed.contains(folder));
        for folder in list("added") {
            if !self.folders.contains(&folder) {
                self.folders.push(folder);
            }
        }
        self.look_through();
    }
}
