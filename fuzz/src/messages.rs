//! A client of the language server that says anything.
//!
//! Given drawn steps, plays them against a server in this process. Every request must be answered
//! while the input stays open. Files it names exist nowhere, so that the server reads no disk.

use arbitrary::Arbitrary;
use cudalint::lsp;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Far more than any answer takes.
const PATIENCE: Duration = Duration::from_secs(15);
const MOST_STEPS: usize = 24;

/// What a client sends, in order.
#[derive(Arbitrary, Debug)]
pub struct Session {
    greets: bool,
    utf8: bool,
    pulls: bool,
    steps: Vec<Step>,
}

#[derive(Arbitrary, Debug)]
enum Step {
    Open(Uri, Text),
    Change(Uri, i16, Vec<Change>),
    Close(Uri),
    Ask(Method, Uri, Place),
    Notify(Method, Uri, Place),
    /// Any method with parameters of no known form.
    Odd(String, Parameters),
    Cancel(u8),
    Answer(u8, Parameters),
    Settings(Parameters),
    Bytes(Vec<u8>),
    Shutdown,
    Exit,
}

#[derive(Arbitrary, Debug)]
enum Uri {
    Kernel,
    Header,
    Untitled,
    Odd(String),
}

#[derive(Arbitrary, Debug)]
enum Text {
    Tile,
    Launches,
    Typed(String),
}

#[derive(Arbitrary, Debug)]
struct Change {
    range: Option<Place>,
    text: Text,
}

#[derive(Arbitrary, Debug)]
struct Place {
    line: u8,
    column: u8,
    end_line: u8,
    end_column: u8,
    /// Beyond any text.
    is_far: bool,
}

#[derive(Arbitrary, Debug)]
enum Method {
    Hover,
    InlayHint,
    CodeLens,
    CodeAction,
    Diagnostic,
    WorkspaceDiagnostic,
    ResolveHint,
    ResolveAction,
    Execute,
    Initialize,
    WatchedFiles,
    Folders,
    Initialized,
}

#[derive(Arbitrary, Debug)]
enum Parameters {
    Null,
    Number(i64),
    Text(String),
    List(Vec<i32>),
    Pairs(Vec<(Key, Leaf)>),
}

#[derive(Arbitrary, Debug)]
enum Key {
    Delay,
    Arch,
    InlayHints,
    CodeLens,
    Select,
    Threads,
    Kernel,
    Block,
    Uri,
    Odd(String),
}

#[derive(Arbitrary, Debug)]
enum Leaf {
    Null,
    Flag(bool),
    Number(i64),
    Text(String),
    Words(Vec<String>),
    Numbers(Vec<i64>),
}

const KERNEL: &str = "file:///nowhere/kernel.cu";
const HEADER: &str = "file:///nowhere/tile.cuh";

const TILE: &str = "#include \"tile.cuh\"\n__global__ void tile(float *o, int n) {\n  __shared__ float s[32][32];\n  \
    s[threadIdx.y][threadIdx.x] = o[threadIdx.x * n];\n  __syncthreads();\n  \
    o[threadIdx.x] = s[threadIdx.x][threadIdx.y];\n}\n";
const LAUNCHES: &str = "#pragma once\n__global__ void tile(float *o, int n);\n\
    inline void run(float *o, int n) { tile<<<n, dim3(32, 32)>>>(o, n); }\n";

impl Session {
    /// Plays the session; panics where a request stays without an answer.
    pub fn play(&self) {
        let mut frames = VecDeque::new();
        let mut next_id = 1_i64;
        if self.greets {
            frames.push_back(request(
                &mut next_id,
                "initialize",
                &initialize(self.utf8, self.pulls),
            ));
            frames.push_back(notification("initialized", &json!({})));
        }
        for step in self.steps.iter().take(MOST_STEPS) {
            frames.push_back(step.frame(&mut next_id));
            if matches!(step, Step::Exit) {
                break;
            }
        }
        let wire = Arc::new(Wire::default());
        let input = Input {
            frames,
            current: Vec::new(),
            wire: wire.clone(),
        };
        let _ = lsp::serve(input, Output(wire.clone()));
        let mut said = wire.lock();
        assert!(
            !said.is_late,
            "{} requests, {} answers",
            said.asked, said.answered
        );
        // After a goodbye nothing more comes, and the reader need not wait.
        said.asked = 0;
        drop(said);
        wire.changed.notify_all();
    }
}

fn initialize(utf8: bool, pulls: bool) -> Value {
    let encodings = if utf8 { ["utf-8"] } else { ["utf-16"] };
    let diagnostic = if pulls { json!({}) } else { Value::Null };
    json!({
        "capabilities": {
            "general": { "positionEncodings": encodings },
            "textDocument": {
                "diagnostic": diagnostic,
                "codeAction": { "codeActionLiteralSupport": {}, "resolveSupport": { "properties": ["edit"] } },
                "inlayHint": { "resolveSupport": { "properties": ["tooltip"] } },
            },
            "workspace": { "configuration": true, "applyEdit": true },
        },
        "initializationOptions": { "delay": 0 },
    })
}

fn frame(value: &Value) -> Sent {
    let text = value.to_string();
    Sent {
        bytes: format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes(),
        asks: false,
    }
}

fn request(next_id: &mut i64, method: &str, params: &Value) -> Sent {
    let id = *next_id;
    *next_id += 1;
    let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    Sent {
        asks: true,
        ..frame(&message)
    }
}

fn notification(method: &str, params: &Value) -> Sent {
    frame(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
}

impl Step {
    fn frame(&self, next_id: &mut i64) -> Sent {
        match self {
            Step::Open(uri, text) => notification(
                "textDocument/didOpen",
                &json!({ "textDocument": {
                    "uri": uri.text(), "languageId": "cuda-cpp", "version": 1, "text": text.text(),
                } }),
            ),
            Step::Change(uri, version, changes) => {
                let changes: Vec<Value> = changes.iter().map(Change::value).collect();
                notification(
                    "textDocument/didChange",
                    &json!({
                        "textDocument": { "uri": uri.text(), "version": version },
                        "contentChanges": changes,
                    }),
                )
            }
            Step::Close(uri) => notification(
                "textDocument/didClose",
                &json!({ "textDocument": { "uri": uri.text() } }),
            ),
            Step::Ask(method, uri, place) => {
                let (name, params) = method.call(uri, place);
                request(next_id, name, &params)
            }
            Step::Notify(method, uri, place) => {
                let (name, params) = method.call(uri, place);
                notification(name, &params)
            }
            Step::Odd(method, params) => request(next_id, method, &params.value()),
            Step::Cancel(id) => notification("$/cancelRequest", &json!({ "id": id })),
            Step::Answer(id, params) => {
                frame(&json!({ "jsonrpc": "2.0", "id": id, "result": params.value() }))
            }
            Step::Settings(params) => notification(
                "workspace/didChangeConfiguration",
                &json!({ "settings": params.value() }),
            ),
            Step::Bytes(bytes) => Sent {
                bytes: tame(bytes),
                asks: false,
            },
            Step::Shutdown => request(next_id, "shutdown", &Value::Null),
            Step::Exit => notification("exit", &Value::Null),
        }
    }
}

/// Bytes that end as a header does, so that the next message is read, and announce no body: it
/// would swallow requests that then rightly have no answer.
fn tame(bytes: &[u8]) -> Vec<u8> {
    let mut bytes: Vec<u8> = bytes
        .iter()
        .map(|byte| if *byte == b':' { b';' } else { *byte })
        .collect();
    bytes.extend_from_slice(b"\r\n\r\n");
    bytes
}

impl Uri {
    fn text(&self) -> String {
        match self {
            Uri::Kernel => KERNEL.to_owned(),
            Uri::Header => HEADER.to_owned(),
            Uri::Untitled => "untitled:Untitled-1".to_owned(),
            Uri::Odd(text) => format!("odd:{text}"),
        }
    }
}

impl Text {
    fn text(&self) -> &str {
        match self {
            Text::Tile => TILE,
            Text::Launches => LAUNCHES,
            Text::Typed(text) => text,
        }
    }
}

impl Change {
    fn value(&self) -> Value {
        match &self.range {
            Some(place) => json!({ "range": place.value(), "text": self.text.text() }),
            None => json!({ "text": self.text.text() }),
        }
    }
}

impl Place {
    fn value(&self) -> Value {
        let far = if self.is_far {
            u32::MAX - u32::from(self.line)
        } else {
            u32::from(self.end_line % 16)
        };
        json!({
            "start": { "line": self.line % 16, "character": self.column % 64 },
            "end": { "line": far, "character": self.end_column },
        })
    }
}

impl Method {
    fn call(&self, uri: &Uri, place: &Place) -> (&'static str, Value) {
        let document = json!({ "uri": uri.text() });
        let range = place.value();
        match self {
            Method::Hover => (
                "textDocument/hover",
                json!({ "textDocument": document, "position": range["start"] }),
            ),
            Method::InlayHint => (
                "textDocument/inlayHint",
                json!({ "textDocument": document, "range": range }),
            ),
            Method::CodeLens => (
                "textDocument/codeLens",
                json!({ "textDocument": document }),
            ),
            Method::CodeAction => (
                "textDocument/codeAction",
                json!({ "textDocument": document, "range": range, "context": { "diagnostics": [] } }),
            ),
            Method::Diagnostic => (
                "textDocument/diagnostic",
                json!({ "textDocument": document }),
            ),
            Method::WorkspaceDiagnostic => (
                "workspace/diagnostic",
                json!({ "previousResultIds": [{ "uri": uri.text(), "value": "1" }] }),
            ),
            Method::ResolveHint => (
                "inlayHint/resolve",
                json!({
                    "position": range["start"], "label": "x",
                    "data": { "uri": uri.text(), "version": place.column, "index": place.line },
                }),
            ),
            Method::ResolveAction => (
                "codeAction/resolve",
                json!({
                    "title": "x",
                    "data": { "uri": uri.text(), "version": place.column, "index": place.line },
                }),
            ),
            Method::Execute => {
                let commands = [
                    "cudalint.showAccesses",
                    "cudalint.explain",
                    "cudalint.chooseLaunch",
                    "cudalint.forgetLaunch",
                ];
                let command = commands[usize::from(place.line) % commands.len()];
                let block = [place.column, place.end_column, place.end_line];
                (
                    "workspace/executeCommand",
                    json!({ "command": command, "arguments": [uri.text(), "tile", block] }),
                )
            }
            Method::Initialize => ("initialize", initialize(place.is_far, !place.is_far)),
            Method::WatchedFiles => (
                "workspace/didChangeWatchedFiles",
                json!({ "changes": [{ "uri": uri.text(), "type": place.line % 5 }] }),
            ),
            Method::Folders => (
                "workspace/didChangeWorkspaceFolders",
                json!({ "event": { "added": [{ "uri": "file:///nowhere", "name": "n" }], "removed": [] } }),
            ),
            Method::Initialized => ("initialized", json!({})),
        }
    }
}

impl Parameters {
    fn value(&self) -> Value {
        match self {
            Parameters::Null => Value::Null,
            Parameters::Number(number) => json!(number),
            Parameters::Text(text) => json!(text),
            Parameters::List(list) => json!(list),
            Parameters::Pairs(pairs) => {
                let pairs = pairs.iter().map(|(key, leaf)| (key.text(), leaf.value()));
                Value::Object(pairs.collect())
            }
        }
    }
}

impl Key {
    fn text(&self) -> String {
        let name = match self {
            Key::Delay => "delay",
            Key::Arch => "arch",
            Key::InlayHints => "inlayHints",
            Key::CodeLens => "codeLens",
            Key::Select => "select",
            Key::Threads => "threads",
            Key::Kernel => "kernel",
            Key::Block => "block",
            Key::Uri => "uri",
            // Folders of the workspace would be looked through.
            Key::Odd(text) => return format!("x{text}"),
        };
        name.to_owned()
    }
}

impl Leaf {
    fn value(&self) -> Value {
        match self {
            Leaf::Null => Value::Null,
            Leaf::Flag(flag) => json!(flag),
            Leaf::Number(number) => json!(number),
            Leaf::Text(text) => json!(text),
            Leaf::Words(words) => json!(words),
            Leaf::Numbers(numbers) => json!(numbers),
        }
    }
}

/// One message, or what is none.
struct Sent {
    bytes: Vec<u8>,
    asks: bool,
}

/// What went over the wire so far.
#[derive(Default)]
struct Wire {
    said: Mutex<Said>,
    changed: Condvar,
}

#[derive(Default)]
struct Said {
    asked: usize,
    answered: usize,
    is_late: bool,
}

impl Wire {
    fn lock(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the server reads: it ends only once everything is answered.
struct Input {
    frames: VecDeque<Sent>,
    current: Vec<u8>,
    wire: Arc<Wire>,
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.current.is_empty() {
            match self.frames.pop_front() {
                Some(sent) => {
                    self.wire.lock().asked += usize::from(sent.asks);
                    self.current = sent.bytes;
                }
                None => {
                    let end = Instant::now() + PATIENCE;
                    let mut said = self.wire.lock();
                    while said.answered < said.asked && Instant::now() < end {
                        let wait = self.wire.changed.wait_timeout(said, PATIENCE);
                        said = wait.unwrap_or_else(PoisonError::into_inner).0;
                    }
                    said.is_late = said.answered < said.asked;
                    return Ok(0);
                }
            }
        }
        let length = buffer.len().min(self.current.len());
        buffer[..length].copy_from_slice(&self.current[..length]);
        self.current.drain(..length);
        Ok(length)
    }
}

/// What the server writes: one message per flush.
struct Output(Arc<Wire>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let body = text.find('{').map(|at| &text[at..]);
        let message: Option<Value> = body.and_then(|body| serde_json::from_str(body).ok());
        let is_answer = message.is_some_and(|message| {
            message.get("method").is_none() && message.get("id").is_some_and(Value::is_number)
        });
        if is_answer {
            self.0.lock().answered += 1;
            self.0.changed.notify_all();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
