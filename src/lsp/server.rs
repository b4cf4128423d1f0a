//! The server's loop: one client, its documents, and what is under way for them.
//!
//! Given events one at a time, keeps an answer for every open document and replies to
//! requests as soon as the answer is that of the present text. Takes no time itself:
//! analyses and proofs are jobs.

use super::answer::{Answer, Task};
use super::client::{self, Client};
use super::commands;
use super::documents::Documents;
use super::index::{self, Index};
use super::jobs::{Jobs, Subject, Turn, Work};
use super::requests::{Question, Waiting};
use super::settings::Projects;
use super::transport::Outbox;
use super::workspace_diagnostics::Sweep;
use super::{End, Event, actions, parent, uri};
use crate::session::cache::memory::Memory;
use gen_lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProvider, CodeLensOptions, DiagnosticOptions,
    DiagnosticProvider, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, ExecuteCommandOptions, HoverProvider, InitializeResult,
    InlayHintOptions, InlayHintProvider, PublishDiagnosticsParams, ServerCapabilities, ServerInfo,
    TextDocumentSync, TextDocumentSyncKind, TextDocumentSyncOptions, Uri, WorkDoneProgressOptions,
    WorkspaceFoldersServerCapabilities, WorkspaceOptions,
};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Instant;

/// Where the client and the server stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Starting,
    Running,
    /// After `shutdown`.
    Ending,
}

/// Pending work for one document.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Counts changes of the text and of everything else that its answer depends on.
    pub revision: u64,
    /// When to start an analysis.
    pub due: Option<Instant>,
    /// Of `revision`, or of an earlier one.
    pub answer: Option<Arc<Answer>>,
    /// Whether the client has to be told to ask again.
    pub refresh: bool,
    /// Files that changed while the analysis was under way: only its answer says whether it read them.
    pub meanwhile: BTreeSet<PathBuf>,
    /// The revision whose analysis met a bug.
    failed: Option<u64>,
}

pub(super) struct Server {
    pub outbox: Outbox,
    pub events: Sender<Event>,
    phase: Phase,
    pub client: Arc<Client>,
    pub documents: Documents,
    pub states: BTreeMap<String, State>,
    pub projects: Projects,
    pub folders: Vec<PathBuf>,
    pub index: Arc<Index>,
    memory: Arc<Memory>,
    pub jobs: Jobs,
    pub waiting: Vec<Waiting>,
    pub sweep: Option<Sweep>,
    /// Requests that are told to stop and will say so.
    pub cancelled: Vec<RequestId>,
    /// Requests of ours, by their number, that the client has not answered.
    pub asked: BTreeMap<i32, &'static str>,
    pub next_id: i32,
}

impl Server {
    pub fn new(outbox: Outbox, events: Sender<Event>) -> Self {
        let jobs = Jobs::start(events.clone());
        Self {
            outbox,
            events,
            phase: Phase::Starting,
            client: Arc::default(),
            documents: Documents::default(),
            states: BTreeMap::new(),
            projects: Projects::default(),
            folders: Vec::new(),
            index: Arc::default(),
            memory: Arc::default(),
            jobs,
            waiting: Vec::new(),
            sweep: None,
            cancelled: Vec::new(),
            asked: BTreeMap::new(),
            next_id: 0,
        }
    }

    /// Serves until the client is gone.
    pub fn run(&mut self, inbox: &Receiver<Event>) -> End {
        loop {
            let due = self.states.values().filter_map(|state| state.due).min();
            let event = match due {
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(due) => inbox.recv_timeout(due.saturating_duration_since(Instant::now())),
            };
            match event {
                Ok(event) => {
                    if let Some(end) = self.handle(event) {
                        return end;
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.start_due(),
                Err(RecvTimeoutError::Disconnected) => return End::Abrupt,
            }
        }
    }

    fn handle(&mut self, event: Event) -> Option<End> {
        match event {
            Event::Message(Message::Request(request)) => self.request(request),
            Event::Message(Message::Response(response)) => self.response(response),
            Event::Message(Message::Notification(notification)) => {
                if notification.method == "exit" {
                    return Some(match self.phase {
                        Phase::Ending => End::Orderly,
                        Phase::Starting | Phase::Running => End::Abrupt,
                    });
                }
                if self.phase == Phase::Running {
                    self.notification(notification);
                }
            }
            Event::Closed => {
                return Some(match self.phase {
                    Phase::Ending => End::Orderly,
                    Phase::Starting | Phase::Running => End::Abrupt,
                });
            }
            Event::Answered(answer) => self.answered(*answer),
            Event::Swept(answer) => self.swept(*answer),
            Event::Replied(response) => self.replied(response),
            Event::Stopped(subject) => self.stopped(subject),
            Event::Crashed(subject) => self.crashed(subject),
            Event::Indexed(index) => self.indexed(index),
        }
        None
    }

    fn request(&mut self, request: Request) {
        match (self.phase, request.method.as_str()) {
            (Phase::Starting, "initialize") => self.initialize(request),
            (Phase::Starting, _) => self.refuse(
                request.id,
                ErrorCode::ServerNotInitialized,
                "`initialize` comes first",
            ),
            (Phase::Running, "shutdown") => {
                self.phase = Phase::Ending;
                self.reply(request.id, Value::Null);
            }
            (Phase::Running, "initialize") => self.refuse(
                request.id,
                ErrorCode::InvalidRequest,
                "the server is initialized already",
            ),
            (Phase::Running, _) => self.ask(request),
            (Phase::Ending, _) => self.refuse(
                request.id,
                ErrorCode::InvalidRequest,
                "the server is shutting down",
            ),
        }
    }

    fn initialize(&mut self, request: Request) {
        let parameters = request.params;
        self.client = Arc::new(Client::read(&parameters));
        self.folders = client::folders(&parameters);
        let options = parameters.get("initializationOptions");
        self.configure(options.unwrap_or(&Value::Null));
        self.phase = Phase::Running;
        if let Some(number) = parameters.get("processId").and_then(Value::as_i64) {
            parent::watch(number, self.events.clone());
        }
        self.reply(
            request.id,
            InitializeResult {
                capabilities: self.capabilities(),
                server_info: Some(ServerInfo {
                    name: env!("CARGO_PKG_NAME").to_owned(),
                    version: Some(env!("CARGO_PKG_VERSION").to_owned()),
                }),
            },
        );
    }

    fn capabilities(&self) -> ServerCapabilities {
        let quiet = WorkDoneProgressOptions::default();
        ServerCapabilities {
            position_encoding: Some(self.client.encoding.kind()),
            text_document_sync: Some(TextDocumentSync::Options(TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::Incremental),
                ..TextDocumentSyncOptions::default()
            })),
            hover_provider: Some(HoverProvider::Bool(true)),
            code_action_provider: Some(CodeActionProvider::CodeActionOptions(CodeActionOptions {
                code_action_kinds: Some(vec![
                    CodeActionKind::QuickFix,
                    CodeActionKind::Refactor,
                    CodeActionKind::Custom(actions::FIX_ALL.into()),
                ]),
                documentation: None,
                resolve_provider: Some(true),
                work_done_progress_options: quiet,
            })),
            code_lens_provider: Some(CodeLensOptions {
                resolve_provider: Some(false),
                work_done_progress_options: quiet,
            }),
            inlay_hint_provider: Some(InlayHintProvider::InlayHintOptions(InlayHintOptions {
                resolve_provider: Some(true),
                work_done_progress_options: quiet,
            })),
            diagnostic_provider: Some(DiagnosticProvider::DiagnosticOptions(DiagnosticOptions {
                identifier: Some("cudalint".to_owned()),
                // A launch elsewhere changes what is said here.
                inter_file_dependencies: true,
                workspace_diagnostics: self.projects.settings().whole_workspace,
                work_done_progress_options: quiet,
            })),
            execute_command_provider: Some(ExecuteCommandOptions {
                commands: commands::ALL.iter().map(|&name| name.to_owned()).collect(),
                work_done_progress_options: quiet,
            }),
            workspace: Some(WorkspaceOptions {
                workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                    supported: Some(true),
                    change_notifications: Some(true.into()),
                }),
                ..WorkspaceOptions::default()
            }),
            ..ServerCapabilities::default()
        }
    }

    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            "initialized" => self.initialized(),
            "textDocument/didOpen" => {
                if let Some(params) = self.read::<DidOpenTextDocumentParams>(&method, params) {
                    self.open(params);
                }
            }
            "textDocument/didChange" => {
                if let Some(params) = self.read::<DidChangeTextDocumentParams>(&method, params) {
                    self.change(params);
                }
            }
            "textDocument/didClose" => {
                if let Some(params) = self.read::<DidCloseTextDocumentParams>(&method, params) {
                    self.close(&params.text_document.uri);
                }
            }
            "workspace/didChangeConfiguration" => self.configuration_changed(&params),
            "workspace/didChangeWatchedFiles" => self.files_changed(&params),
            "workspace/didChangeWorkspaceFolders" => self.folders_changed(&params),
            "$/cancelRequest" => {
                let id = params.get("id").cloned().unwrap_or(Value::Null);
                if let Ok(id) = serde_json::from_value::<RequestId>(id) {
                    self.cancel(&id);
                }
            }
            _ => {}
        }
    }

    fn start_due(&mut self) {
        let now = Instant::now();
        let due: Vec<String> = self
            .states
            .iter()
            .filter(|(_, state)| state.due.is_some_and(|due| due <= now))
            .map(|(uri, _)| uri.clone())
            .collect();
        for uri in due {
            self.start(&uri, Turn::Now);
        }
    }

    fn start(&mut self, uri: &str, turn: Turn) {
        let uri = Uri(uri.to_owned());
        let (Some(document), Some(state)) = (self.documents.get(&uri), self.states.get_mut(&uri.0))
        else {
            return;
        };
        state.due = None;
        state.meanwhile.clear();
        let revision = state.revision;
        let (version, file) = (Some(document.version), document.file.clone());
        let path = document.path.clone();
        let project = self.projects.of(&path);
        for problem in self.projects.problems() {
            self.show(&problem);
        }
        let task = Task {
            uri: uri.clone(),
            version,
            revision,
            file,
            open: self.open_files(),
            index: self.index.clone(),
            project,
            client: self.client.clone(),
            memory: self.memory.clone(),
        };
        let subject = Subject::Document(uri.0);
        let again = subject.clone();
        let work: Work = Box::new(move |stop| match task.run(stop) {
            Some(answer) => Event::Answered(Box::new(answer)),
            None => Event::Stopped(again),
        });
        self.jobs.submit(subject, turn, work);
    }

    fn open_files(&self) -> Vec<(Uri, Arc<crate::source::SourceFile>)> {
        self.documents
            .iter()
            .map(|document| (document.uri.clone(), document.file.clone()))
            .collect()
    }

    /// A task for a file that is not open.
    pub fn task_for(&mut self, path: &Path) -> Option<Task> {
        let file = index::file(path)?;
        Some(Task {
            uri: uri::of(path),
            version: None,
            revision: 0,
            file,
            open: self.open_files(),
            index: self.index.clone(),
            project: self.projects.of(path),
            client: self.client.clone(),
            memory: self.memory.clone(),
        })
    }

    fn answered(&mut self, answer: Answer) {
        let uri = answer.uri.clone();
        let Some(state) = self.states.get_mut(&uri.0) else {
            return;
        };
        if answer.revision != state.revision {
            // An edit came meanwhile; its own analysis is on its way.
            return;
        }
        let answer = Arc::new(answer);
        // Dropped last: what is large takes a moment to go.
        let _before = state.answer.replace(answer.clone());
        let refresh = std::mem::take(&mut state.refresh);
        let changed = std::mem::take(&mut state.meanwhile);
        if changed.iter().any(|path| answer.depends_on(path)) || self.has_other_companions(&answer)
        {
            self.outdated(&uri.0, true);
        }
        if !self.client.pulls_diagnostics {
            self.notify(
                "textDocument/publishDiagnostics",
                PublishDiagnosticsParams {
                    uri: uri.clone(),
                    version: answer.version,
                    diagnostics: answer.diagnostics.clone(),
                },
            );
        }
        let (ready, kept) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|waiting| waiting.uri == uri);
        self.waiting = kept;
        let ready: Vec<Waiting> = ready;
        for waiting in ready {
            self.put(waiting.id, waiting.question, &answer);
        }
        if refresh {
            self.refresh();
        }
    }

    fn stopped(&mut self, subject: Subject) {
        match subject {
            Subject::Document(uri) => {
                // Overtaken by another document: this one still waits for its answer.
                let is_wanted = self.states.get(&uri).is_some_and(|state| {
                    let answered = state.answer.as_ref().map(|answer| answer.revision);
                    state.due.is_none() && answered != Some(state.revision)
                });
                if is_wanted {
                    self.start(&uri, Turn::Again);
                }
            }
            Subject::Background => self.sweep_on(),
            Subject::Request(_) => {}
        }
    }

    fn crashed(&mut self, subject: Subject) {
        self.log("an analysis met a bug in cudalint; please report it with the file");
        match subject {
            Subject::Document(uri) => {
                if let Some(state) = self.states.get_mut(&uri) {
                    state.failed = Some(state.revision);
                }
                let (gone, kept) = std::mem::take(&mut self.waiting)
                    .into_iter()
                    .partition(|waiting| waiting.uri.0 == uri);
                self.waiting = kept;
                let gone: Vec<Waiting> = gone;
                for waiting in gone {
                    self.refuse(waiting.id, ErrorCode::InternalError, "the analysis failed");
                }
            }
            Subject::Request(id) => {
                if let Ok(id) = serde_json::from_str::<RequestId>(&id) {
                    self.refuse(id, ErrorCode::InternalError, "the analysis failed");
                }
            }
            Subject::Background => self.sweep_on(),
        }
    }

    /// The answer to the document's present text, if it is there.
    pub fn current(&self, uri: &Uri) -> Option<Arc<Answer>> {
        let state = self.states.get(&uri.0)?;
        let answer = state.answer.as_ref()?;
        (answer.revision == state.revision).then(|| answer.clone())
    }

    /// Whether an answer is on its way or can be.
    pub fn is_coming(&self, uri: &Uri) -> bool {
        let state = self.states.get(&uri.0);
        state.is_some_and(|state| state.failed != Some(state.revision))
    }

    /// Puts a question that takes long to the worker.
    pub fn submit_question(&self, id: RequestId, question: Question, answer: Arc<Answer>) {
        let subject = Subject::Request(request_key(&id));
        let work: Work = Box::new(move |stop| {
            let result = question.answer(&answer);
            let is_stale = stop.load(std::sync::atomic::Ordering::Relaxed);
            Event::Replied(if is_stale {
                let why = "the text was edited meanwhile".to_owned();
                Response::new_err(id, ErrorCode::ContentModified as i32, why)
            } else {
                Response::new_ok(id, result)
            })
        });
        self.jobs.submit(subject, Turn::Next, work);
    }
}

/// A request's id as a job's name.
pub(super) fn request_key(id: &RequestId) -> String {
    serde_json::to_string(id).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::transport;
    use serde_json::json;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    const KERNEL: &str = "#include \"size.cuh\"\n__global__ void k(float *o) {\n    __shared__ float t[32][W];\n    o[threadIdx.x] = t[threadIdx.x][threadIdx.y];\n}\n";

    /// A document under analysis, the answer to it that nobody has heard of yet, and what else happens.
    struct Desk {
        server: Server,
        inbox: Receiver<Event>,
        uri: Uri,
    }

    impl Desk {
        fn new() -> Self {
            let (events, inbox) = channel();
            let (outbox, _writer) = transport::write(std::io::sink(), events.clone());
            let mut server = Server::new(outbox, events);
            server.phase = Phase::Running;
            let uri = Uri("file:///none/k.cu".to_owned());
            let mut desk = Self { server, inbox, uri };
            desk.open("file:///none/size.cuh", "#define W 32\n");
            desk.open("file:///none/k.cu", KERNEL);
            desk
        }

        fn open(&mut self, uri: &str, text: &str) {
            let document =
                json!({ "uri": uri, "languageId": "cuda-cpp", "version": 1, "text": text });
            self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        }

        fn tell(&mut self, method: &str, params: Value) {
            let notification = Notification::new(method.to_owned(), params);
            self.server
                .handle(Event::Message(Message::Notification(notification)));
        }

        /// Starts what is due, and gives the answer about the kernel once it is there.
        fn answer(&mut self) -> Answer {
            let uri = self.uri.0.clone();
            self.server.start(&uri, Turn::Now);
            loop {
                match self.inbox.recv_timeout(Duration::from_secs(60)) {
                    Ok(Event::Answered(answer)) if answer.uri == self.uri => return *answer,
                    Ok(_) => {}
                    Err(error) => panic!("no answer: {error}"),
                }
            }
        }

        fn is_due(&self) -> bool {
            self.server.states[&self.uri.0].due.is_some()
        }
    }

    #[test]
    fn a_workspace_that_is_known_during_an_analysis_counts() {
        let mut desk = Desk::new();
        let answer = desk.answer();
        let mut index = Arc::new(Index::default());
        let launch = "void run(float *o) { k<<<1, dim3(16, 16)>>>(o); }";
        Index::set(&mut index, Path::new("/none/run.cu"), Some(launch));
        desk.server.indexed(Arc::unwrap_or_clone(index));
        desk.server.answered(answer);
        assert!(desk.is_due());
        let answer = desk.answer();
        assert_eq!(answer.companions, [PathBuf::from("/none/run.cu")]);
        desk.server.answered(answer);
        assert!(!desk.is_due());
    }

    #[test]
    fn headers_that_change_during_an_analysis_count() {
        let mut desk = Desk::new();
        let answer = desk.answer();
        desk.open("file:///none/other.cuh", "#define OTHER 1\n");
        desk.server.answered(answer);
        assert!(!desk.is_due());

        let change = json!({
            "textDocument": { "uri": "file:///none/size.cuh", "version": 2 },
            "contentChanges": [{ "text": "#define W 33\n" }],
        });
        let mut desk = Desk::new();
        let answer = desk.answer();
        desk.tell("textDocument/didChange", change);
        desk.server.answered(answer);
        assert!(desk.is_due());
    }
}
