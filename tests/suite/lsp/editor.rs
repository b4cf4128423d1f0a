//! An editor as the tests play it: the server as a child process, messages as JSON.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Far longer than anything takes; a server that says nothing fails the test.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Editor {
    child: Child,
    stdin: Option<ChildStdin>,
    inbox: Receiver<Value>,
    /// Notifications and requests of the server that nobody looked at yet.
    pub said: VecDeque<Value>,
    next_id: i64,
    /// What `workspace/configuration` is answered with.
    pub settings: Value,
    /// What the server said it can do.
    pub server: Value,
}

impl Editor {
    /// Starts the server without a word.
    pub fn silent() -> Self {
        let mut child = Command::new(crate::support::program())
            .args(["lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("an output");
        let (sender, inbox) = channel();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Some(message) = read(&mut stdout) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            stdin,
            inbox,
            said: VecDeque::new(),
            next_id: 0,
            settings: Value::Null,
            server: Value::Null,
        }
    }

    /// Starts the server and greets it.
    pub fn start(capabilities: Value, folder: Option<&Path>, settings: Value) -> Self {
        let mut editor = Self::silent();
        editor.settings = settings.clone();
        let folders = folder.map(|folder| json!([{ "uri": uri(folder), "name": "p" }]));
        editor.server = editor.request(
            "initialize",
            json!({
                "processId": null,
                "capabilities": capabilities,
                "workspaceFolders": folders,
                "initializationOptions": settings,
            }),
        );
        editor.notify("initialized", json!({}));
        editor
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("not closed");
        stdin.write_all(bytes).expect("the server reads");
        stdin.flush().expect("the server reads");
    }

    pub fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and does not wait; gives its id.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The whole response to a request.
    pub fn response(&mut self, id: i64) -> Value {
        self.wait(&format!("the response to {id}"), |message| {
            message["id"] == id && message.get("method").is_none()
        })
    }

    /// Sends a request and gives its result.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let response = self.response(id);
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].clone()
    }

    /// The next message that fits, among those that were kept and those that come.
    pub fn wait(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.said.iter().position(&fits) {
            return self.said.remove(at).expect("just found");
        }
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let message = self.inbox.recv_timeout(left).unwrap_or_else(|error| {
                panic!("{what} does not come ({error}); heard {:#?}", self.said)
            });
            if message.get("method").is_some() && message.get("id").is_some() {
                self.serve(&message);
            }
            if fits(&message) {
                return message;
            }
            self.said.push_back(message);
        }
    }

    /// Answers a request of the server.
    fn serve(&mut self, message: &Value) {
        let result = match message["method"].as_str() {
            Some("workspace/configuration") => json!([self.settings]),
            _ => Value::Null,
        };
        self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        self.notify(
            "textDocument/didOpen",
            json!({ "textDocument": { "uri": uri, "languageId": "cuda-cpp", "version": 1, "text": text } }),
        );
    }

    /// Replaces a range, given as line, column, line, column.
    pub fn edit(&mut self, uri: &str, version: i64, range: [u32; 4], text: &str) {
        self.notify(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": uri, "version": version },
                "contentChanges": [{ "range": self::range(range), "text": text }],
            }),
        );
    }

    /// Pushed diagnostics of this version.
    pub fn pushed(&mut self, uri: &str, version: i64) -> Vec<Value> {
        let message = self.wait(&format!("diagnostics of {uri} {version}"), |message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == version
        });
        message["params"]["diagnostics"]
            .as_array()
            .expect("a list")
            .clone()
    }

    /// Diagnostics that were asked for.
    pub fn pulled(&mut self, uri: &str) -> Vec<Value> {
        let report = self.request(
            "textDocument/diagnostic",
            json!({ "textDocument": { "uri": uri } }),
        );
        report["items"].as_array().expect("a full report").clone()
    }

    /// Says goodbye and gives how the server ended.
    pub fn end(mut self) -> ExitStatus {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.child.wait().expect("an end")
    }

    /// Gives how the server ended by itself, its input open still; kills one that does not.
    pub fn wait_for_end(mut self, limit: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + limit;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        None
    }

    /// Goes away without a word and gives how the server ended.
    pub fn vanish(mut self) -> ExitStatus {
        self.stdin = None;
        self.child.wait().expect("an end")
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One message; `None` at the end.
fn read(input: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

pub fn range([line, column, end_line, end_column]: [u32; 4]) -> Value {
    json!({
        "start": { "line": line, "character": column },
        "end": { "line": end_line, "character": end_column },
    })
}

/// Everything a modern client can do.
pub fn able() -> Value {
    json!({
        "general": { "positionEncodings": ["utf-16", "utf-8"] },
        "textDocument": {
            "publishDiagnostics": {
                "relatedInformation": true, "codeDescriptionSupport": true, "dataSupport": true,
                "tagSupport": { "valueSet": [1, 2] },
            },
            "hover": { "contentFormat": ["markdown"] },
            "codeAction": {
                "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix", "refactor"] } },
                "resolveSupport": { "properties": ["edit"] },
            },
            "inlayHint": { "resolveSupport": { "properties": ["tooltip"] } },
        },
        "workspace": {
            "workspaceEdit": { "documentChanges": true },
            "configuration": true,
            "didChangeWatchedFiles": { "dynamicRegistration": true },
            "inlayHint": { "refreshSupport": true },
            "codeLens": { "refreshSupport": true },
            "diagnostics": { "refreshSupport": true },
        },
    })
}

/// The same, and it asks for diagnostics.
pub fn pulling() -> Value {
    let mut all = able();
    all["textDocument"]["diagnostic"] = json!({ "dynamicRegistration": false });
    all
}
