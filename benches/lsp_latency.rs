//! How long an editor waits: from an edit to its diagnostics, on a file of 2,000 lines.
//!
//! Replays `typing.session`, one message per key, against the server as it is built, and
//! waits for the diagnostics of each version before the next key. Prints median, 99th
//! percentile and worst, and the server's memory before and after `--keys` edits
//! (default 10,000; the session is typed over and over).

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const LINES: usize = 2_000;
const URI: &str = "file:///typing.cu";

fn main() {
    let keys = option("--keys").unwrap_or(10_000);
    let mut text = program();
    let mut server = Server::start();
    let start = Instant::now();
    server.open(&text);
    println!(
        "{} lines; first diagnostics after {:.0} ms",
        text.lines().count(),
        milliseconds(start.elapsed())
    );
    let before = server.memory();
    let original = text.clone();
    let mut took: Vec<Duration> = Vec::with_capacity(keys);
    let mut sessions = 0;
    'typing: loop {
        let from = took.len();
        for edit in session(&original) {
            if took.len() == keys {
                break 'typing;
            }
            let begin = Instant::now();
            server.edit(&mut text, &edit);
            took.push(begin.elapsed());
        }
        sessions += 1;
        if sessions == 1 {
            report("first session", &took[from..]);
        }
        // From the beginning again.
        let whole = Edit {
            at: 0,
            removed: text.len(),
            typed: original.clone(),
        };
        server.edit(&mut text, &whole);
    }
    report("all", &took);
    if let Some((before, after)) = before.zip(server.memory()) {
        println!(
            "memory: {before} KiB before, {after} KiB after {} edits",
            took.len()
        );
    }
}

fn option(name: &str) -> Option<usize> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    arguments.nth(1)?.parse().ok()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn report(what: &str, took: &[Duration]) {
    let mut sorted = took.to_vec();
    sorted.sort_unstable();
    let at = |share: f64| {
        let index = ((sorted.len() - 1) as f64 * share).round() as usize;
        milliseconds(sorted[index])
    };
    println!(
        "{what}: {} edits, median {:.1} ms, p99 {:.1} ms, worst {:.1} ms",
        sorted.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

/// Kernels of the fixtures, each in a namespace of its own, until there are lines enough.
fn program() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut paths: Vec<PathBuf> = ["shared", "global"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).expect("the fixtures"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cu"))
        .collect();
    paths.sort();
    let mut text = String::new();
    for round in 0.. {
        for (at, path) in paths.iter().enumerate() {
            let source = std::fs::read_to_string(path).expect("a fixture");
            // Headers inside a namespace and other architectures are not what this is about.
            if source.contains("#include") || source.contains("//@ option") {
                continue;
            }
            text.push_str(&format!("namespace part_{round}_{at} {{\n"));
            let mut macros = Vec::new();
            for line in source.lines() {
                let rest = line.trim_start();
                if rest.starts_with("//") && (rest.contains('^') || rest.starts_with("//@")) {
                    continue;
                }
                if let Some(rest) = line.strip_prefix("#define ") {
                    let name: String = rest
                        .chars()
                        .take_while(|c| c.is_alphanumeric() || *c == '_')
                        .collect();
                    macros.push(name);
                }
                text.push_str(line);
                text.push('\n');
            }
            text.push_str("}\n");
            for name in macros {
                text.push_str(&format!("#undef {name}\n"));
            }
            if text.lines().count() >= LINES {
                return text;
            }
        }
    }
    text
}

/// One message: bytes removed and typed.
struct Edit {
    at: usize,
    removed: usize,
    typed: String,
}

/// The recorded session as edits of one key each.
fn session(original: &str) -> Vec<Edit> {
    let script = include_str!("typing.session");
    let mut text = original.to_owned();
    // People work in the middle of a file.
    let mut cursor = text.len() / 2;
    while !text.is_char_boundary(cursor) {
        cursor += 1;
    }
    let mut edits = Vec::new();
    for line in script.lines().filter(|line| !line.starts_with('#')) {
        let (verb, rest) = line.split_once(' ').expect("a verb and what it takes");
        match verb {
            "at" => {
                let found = text[cursor..].find(rest).map(|at| at + cursor);
                let found = found.or_else(|| text.find(rest)).expect("a place");
                cursor = found + rest.len();
            }
            "type" => {
                for key in rest.chars() {
                    let typed = if key == '⏎' { '\n' } else { key }.to_string();
                    text.insert_str(cursor, &typed);
                    edits.push(Edit {
                        at: cursor,
                        removed: 0,
                        typed,
                    });
                    cursor += edits.last().map_or(0, |edit| edit.typed.len());
                }
            }
            "back" => {
                for _ in 0..rest.parse::<usize>().expect("a number") {
                    let last = text[..cursor].chars().next_back().expect("a character");
                    cursor -= last.len_utf8();
                    text.remove(cursor);
                    edits.push(Edit {
                        at: cursor,
                        removed: last.len_utf8(),
                        typed: String::new(),
                    });
                }
            }
            other => panic!("no such verb: {other}"),
        }
    }
    edits
}

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    version: i64,
}

impl Server {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_cudalint"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take().expect("an input");
        let output = BufReader::new(child.stdout.take().expect("an output"));
        let mut server = Self {
            child,
            input,
            output,
            version: 0,
        };
        let capabilities = json!({ "general": { "positionEncodings": ["utf-8"] } });
        server.send(
            &json!({ "id": 1, "method": "initialize", "params": { "capabilities": capabilities } }),
        );
        while server.read()["id"] != 1 {}
        server.send(&json!({ "method": "initialized", "params": {} }));
        server
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("a reader");
        self.input.flush().expect("a reader");
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).expect("a header");
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.parse().expect("a number");
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("a body");
        serde_json::from_slice(&body).expect("JSON")
    }

    fn open(&mut self, text: &str) {
        self.version = 1;
        let document = json!({ "uri": URI, "languageId": "cuda", "version": 1, "text": text });
        self.send(
            &json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } }),
        );
        self.diagnostics();
    }

    fn edit(&mut self, text: &mut String, edit: &Edit) {
        let position = |at: usize| {
            let before = &text[..at];
            let start = before.rfind('\n').map_or(0, |at| at + 1);
            json!({ "line": before.matches('\n').count(), "character": at - start })
        };
        let range = json!({ "start": position(edit.at), "end": position(edit.at + edit.removed) });
        text.replace_range(edit.at..edit.at + edit.removed, &edit.typed);
        self.version += 1;
        self.send(&json!({ "method": "textDocument/didChange", "params": {
            "textDocument": { "uri": URI, "version": self.version },
            "contentChanges": [{ "range": range, "text": edit.typed }],
        }}));
        self.diagnostics();
    }

    /// Waits for the diagnostics of the last version.
    fn diagnostics(&mut self) {
        loop {
            let message = self.read();
            if message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["version"] == self.version
            {
                return;
            }
        }
    }

    /// Resident KiB, where the system tells.
    fn memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
