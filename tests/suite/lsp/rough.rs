//! What clients should not do, and what they may do at any time.

use super::editor::{Editor, able, range, uri};
use crate::support::{Scratch, root};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

const KERNEL: &str = "__global__ void k(float *o) { o[threadIdx.x * 8] = 0; }\nvoid run(float *o) { k<<<1, 32>>>(o); }\n";

fn error(response: &Value) -> (i64, &str) {
    let error = &response["error"];
    (
        error["code"]
            .as_i64()
            .unwrap_or_else(|| panic!("no error: {response}")),
        error["message"].as_str().expect("a message"),
    )
}

#[test]
fn malformed_messages_are_answered_and_skipped() {
    let mut editor = Editor::start(able(), None, Value::Null);
    for bytes in [
        &b"Content-Length: 5\r\n\r\n{\"a\":"[..],
        b"Content-Length: 2\r\n\r\n\xff\xfe",
        b"Content-Type: text\r\n\r\n",
        b"Content-Length: many\r\n\r\n",
    ] {
        editor.raw(bytes);
        let answer = editor.wait("an error", |message| message.get("error").is_some());
        assert_eq!(error(&answer).0, -32700, "{answer}");
        assert_eq!(answer["id"], Value::Null);
    }
    for message in [
        json!([]),
        json!(7),
        json!({ "id": 9 }),
        json!({ "id": 1e30, "method": "x" }),
    ] {
        editor.send(&message);
        let answer = editor.wait("an error", |message| message.get("error").is_some());
        assert_eq!(error(&answer).0, -32600, "{answer}");
    }
    // And on it goes.
    editor.open("file:///k.cu", KERNEL);
    assert_eq!(editor.pushed("file:///k.cu", 1).len(), 1);
    assert!(editor.end().success());
}

#[test]
fn requests_at_the_wrong_time_or_of_the_wrong_form_are_refused() {
    let mut editor = Editor::silent();
    let early = editor.ask("textDocument/hover", json!({}));
    assert_eq!(error(&editor.response(early)).0, -32002);
    editor.notify("textDocument/didOpen", json!({}));
    editor.request("initialize", json!({ "capabilities": {} }));
    editor.notify("initialized", json!({}));
    for (method, params, code) in [
        ("initialize", json!({}), -32600),
        ("textDocument/definition", json!({}), -32601),
        ("textDocument/hover", json!({ "textDocument": 3 }), -32602),
        ("textDocument/hover", Value::Null, -32602),
        ("inlayHint/resolve", json!([]), -32602),
        (
            "workspace/executeCommand",
            json!({ "command": "cudalint.run" }),
            -32602,
        ),
        (
            "workspace/executeCommand",
            json!({ "command": "cudalint.explain", "arguments": ["nothing"] }),
            -32602,
        ),
    ] {
        let id = editor.ask(method, params);
        assert_eq!(error(&editor.response(id)).0, code, "{method}");
    }
    // Notifications that make no sense are left out.
    for (method, params) in [
        (
            "textDocument/didChange",
            json!({ "textDocument": { "uri": "file:///no.cu", "version": 1 }, "contentChanges": [] }),
        ),
        ("textDocument/didChange", json!([])),
        (
            "textDocument/didClose",
            json!({ "textDocument": { "uri": "file:///no.cu" } }),
        ),
        ("$/cancelRequest", json!({ "id": 77 })),
        ("workspace/didChangeWatchedFiles", json!({ "changes": 3 })),
        ("nothing/known", Value::Null),
    ] {
        editor.notify(method, params);
    }
    // A document that is not open, or no CUDA, has nothing to say.
    let hover = json!({ "textDocument": { "uri": "file:///no.cu" }, "position": { "line": 0, "character": 0 } });
    assert_eq!(editor.request("textDocument/hover", hover), Value::Null);
    editor.notify(
        "textDocument/didOpen",
        json!({ "textDocument": { "uri": "file:///a.cpp", "languageId": "cpp", "version": 1, "text": "int x;" } }),
    );
    let lenses = json!({ "textDocument": { "uri": "file:///a.cpp" } });
    assert_eq!(editor.request("textDocument/codeLens", lenses), json!([]));
    editor.request("shutdown", Value::Null);
    let late = editor.ask("textDocument/hover", json!({}));
    assert_eq!(error(&editor.response(late)).0, -32600);
}

#[test]
fn edits_beyond_the_text_mean_its_end() {
    let mut editor = Editor::start(able(), None, Value::Null);
    let uri = "file:///k.cu";
    editor.open(uri, KERNEL);
    editor.pushed(uri, 1);
    editor.edit(uri, 2, [0, 999, 0, 9999], " // ä");
    editor.edit(uri, 3, [999, 0, u32::MAX, u32::MAX], "// end");
    // The wrong way round.
    editor.edit(uri, 4, [0, 48, 0, 44], "* 8");
    editor.pushed(uri, 4);
    // The whole text, without a range.
    editor.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": uri, "version": 5 }, "contentChanges": [{ "text": KERNEL }] }),
    );
    assert_eq!(editor.pushed(uri, 5).len(), 1);
}

#[test]
fn only_the_last_of_many_edits_is_answered() {
    let mut editor = Editor::start(able(), None, Value::Null);
    let uri = "file:///k.cu";
    editor.open(uri, KERNEL);
    for version in 2..=200 {
        editor.edit(uri, version, [0, 0, 0, 0], "\n");
    }
    let found = editor.pushed(uri, 200);
    assert_eq!(found[0]["range"]["start"]["line"], 199);
    let pushed = editor.said.iter();
    let others = pushed
        .filter(|one| one["method"] == "textDocument/publishDiagnostics")
        .count();
    assert!(
        others < 150,
        "{others} of 199 edits were answered on their own"
    );
}

#[test]
fn a_request_can_be_cancelled() {
    let mut editor = Editor::start(able(), None, json!({ "delay": 3000 }));
    let uri = "file:///k.cu";
    editor.open(uri, KERNEL);
    // The analysis waits for its delay, and the hover for the analysis.
    let position = json!({ "line": 0, "character": 32 });
    let id = editor.ask(
        "textDocument/hover",
        json!({ "textDocument": { "uri": uri }, "position": position }),
    );
    editor.notify("$/cancelRequest", json!({ "id": id }));
    let start = Instant::now();
    assert_eq!(error(&editor.response(id)).0, -32800);
    assert!(start.elapsed() < Duration::from_secs(2));
    // Closing answers what still waits.
    let id = editor.ask(
        "textDocument/hover",
        json!({ "textDocument": { "uri": uri }, "position": position }),
    );
    editor.notify(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": uri } }),
    );
    assert_eq!(editor.response(id)["result"], Value::Null);
}

#[test]
fn a_client_that_vanishes_ends_the_server() {
    let mut editor = Editor::start(able(), None, Value::Null);
    editor.open("file:///k.cu", KERNEL);
    let start = Instant::now();
    let status = editor.vanish();
    assert_eq!(status.code(), Some(1), "no goodbye was said");
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(Editor::silent().vanish().code(), Some(1));
}

#[test]
fn a_long_file_is_served() {
    let mut text = String::new();
    let mut n = 0;
    while text.lines().count() < 20_000 {
        // Filler without accesses, as generated headers have it, and a kernel now and then.
        let _ = writeln!(text, "static const int table_{n}[4] = {{1, 2, 3, {n}}};");
        if n % 1000 == 0 {
            let _ = writeln!(
                text,
                "__global__ void k{n}(float *o) {{\n    o[threadIdx.x * {}] = 0;\n}}",
                n / 1000 + 1
            );
        }
        n += 1;
    }
    let mut editor = Editor::start(able(), None, Value::Null);
    let uri = "file:///long.cu";
    editor.open(uri, &text);
    let before = editor.pushed(uri, 1);
    assert_eq!(before.len(), 19, "all strides but 1");
    editor.edit(uri, 2, [10_000, 0, 10_000, 0], "\n");
    let after = editor.pushed(uri, 2);
    assert_eq!(after.len(), before.len());
    let line = |one: &Value| one["range"]["start"]["line"].as_u64();
    assert_eq!(line(&after[18]), line(&before[18]).map(|line| line + 1));
}

#[test]
fn folders_come_and_go() {
    let (one, two) = (Scratch::new("lsp-root-1"), Scratch::new("lsp-root-2"));
    let kernel = "__global__ void k(float *o) { o[threadIdx.x * 8 + threadIdx.y] = 0; }\n";
    one.write("k.cu", kernel);
    two.write(
        "main.cu",
        "__global__ void k(float *o);\nvoid run(float *o) { k<<<1, 64>>>(o); }\n",
    );
    two.write("cudalint.toml", "[lint]\nselect = ['CL1']\n");
    let mut editor = Editor::start(able(), Some(&one.0), Value::Null);
    let here = uri(&one.0.join("k.cu"));
    editor.open(&here, kernel);
    editor.pushed(&here, 1);
    editor.notify(
        "workspace/didChangeWorkspaceFolders",
        json!({ "event": { "added": [{ "uri": uri(&two.0), "name": "two" }], "removed": [] } }),
    );
    // The other folder launches the kernel.
    let after = editor.pushed(&here, 1);
    assert!(
        after[0]["message"]
            .as_str()
            .expect("a text")
            .contains("block (64, 1, 1)"),
        "{after:?}"
    );
    // Each folder has its own configuration.
    let there = uri(&two.0.join("x.cu"));
    editor.open(&there, &KERNEL.replace('k', "other"));
    assert_eq!(editor.pushed(&there, 1), Vec::<Value>::new());
    editor.notify(
        "workspace/didChangeWorkspaceFolders",
        json!({ "event": { "added": [], "removed": [{ "uri": uri(&two.0), "name": "two" }] } }),
    );
    let without = editor.pushed(&here, 1);
    assert!(
        !without[0]["message"]
            .as_str()
            .expect("a text")
            .contains("block (64, 1, 1)")
    );
}

#[test]
fn fixtures_of_broken_code_are_survived() {
    let mut editor = Editor::start(able(), None, Value::Null);
    let mut paths = Vec::new();
    crate::support::collect(&root().join("fixtures/parse"), "cu", &mut paths);
    assert!(!paths.is_empty());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a fixture");
        let uri = uri(&path);
        editor.open(&uri, &text);
        let found = editor.pushed(&uri, 1);
        let lines = text.lines().count() as u64 + 1;
        for one in &found {
            assert!(
                one["range"]["end"]["line"]
                    .as_u64()
                    .is_some_and(|line| line <= lines)
            );
        }
        let hints = json!({ "textDocument": { "uri": uri }, "range": range([0, 0, 9999, 0]) });
        editor.request("textDocument/inlayHint", hints);
    }
}

#[cfg(unix)]
#[test]
fn a_server_does_not_outlive_who_started_it() {
    let mut gone = std::process::Command::new("true")
        .spawn()
        .expect("a process");
    gone.wait().expect("an end");
    let mut editor = Editor::silent();
    let dead = json!({ "processId": gone.id(), "capabilities": able() });
    let _ = editor.ask("initialize", dead);
    let status = editor.wait_for_end(Duration::from_secs(20));
    assert_eq!(status.and_then(|status| status.code()), Some(1));

    let mut editor = Editor::silent();
    let alive = json!({ "processId": std::process::id(), "capabilities": able() });
    editor.request("initialize", alive);
    editor.notify("initialized", json!({}));
    std::thread::sleep(Duration::from_millis(300));
    assert!(editor.end().success());
}

/// A document that takes hundreds of times as long as the others does not make them wait. `lsp::jobs` tests the order
/// of jobs itself; here the long one only has to be the slower by far, on a busy machine too.
#[test]
fn other_documents_are_answered_while_one_is_analysed() {
    let mut long = String::new();
    for n in 0..4_000 {
        let _ = writeln!(
            long,
            "__global__ void k{n}(float *o, int a, int b) {{\n  __shared__ float s[4096];\n  \
             for (int i = 0; i < a; i += {0}) for (int j = threadIdx.x; j < b; j += {1})\n    \
             if ((i ^ j) % {2} < 5) s[(i * {1} + j / {2} * 33 + (j ^ {n})) % 4096] = o[i * b + j * {0} + {n}];\n}}",
            n + 1,
            n % 97 + 2,
            n % 89 + 7,
        );
    }
    let mut editor = Editor::start(able(), None, Value::Null);
    editor.open("file:///long.cu", &long);
    // Asked for while it is under way: the answer waits, and nothing else does.
    let waits = editor.ask(
        "textDocument/hover",
        json!({ "textDocument": { "uri": "file:///long.cu" }, "position": { "line": 0, "character": 20 } }),
    );
    let is_of_long = |message: &Value| {
        message["params"]["uri"] == "file:///long.cu"
            || message["id"] == waits && message.get("method").is_none()
    };
    for n in 0..3 {
        let name = format!("file:///short{n}.cu");
        editor.open(&name, KERNEL);
        assert_eq!(editor.pushed(&name, 1).len(), 1);
        // The long one begins anew after each of these: only of the first is it sure that it comes before.
        let is_answered = editor.said.iter().any(is_of_long);
        assert!(
            n > 0 || !is_answered,
            "the long document was answered first"
        );
        let hover = editor.request(
            "textDocument/hover",
            json!({ "textDocument": { "uri": name }, "position": { "line": 0, "character": 32 } }),
        );
        assert!(hover.to_string().contains("sectors"), "{hover}");
        editor.edit(&name, 2, [0, 45, 0, 46], "16");
        assert_eq!(editor.pushed(&name, 2).len(), 1);
    }
    assert!(editor.end().success());
}
