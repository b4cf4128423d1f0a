//! A folder from strangers in an editor: its text shows nothing of other files, acts on nobody, and keeps nobody waiting.

use super::editor::{Editor, able, uri};
use crate::support::Scratch;
use serde_json::{Value, json};

const SECRET: &str = "MARKED_SECRET_83b0";
const HEALTHY: &str = "__global__ void healthy(float *o) { o[threadIdx.x * 2] = 1.0f; }\nvoid run() { healthy<<<1, 32>>>(0); }\n";

/// Everything that the server says of a document when it is asked for all there is.
fn everything(editor: &mut Editor, uri: &str, text: &str) -> String {
    editor.open(uri, text);
    let document = json!({ "textDocument": { "uri": uri } });
    let mut said = vec![Value::from(editor.pushed(uri, 1))];
    let lines = text.lines().count() as u32;
    let whole =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": lines, "character": 0 } });
    for (line, written) in text.lines().enumerate() {
        for (column, _) in written.match_indices(['[', '(']) {
            let at = json!({ "line": line, "character": column.saturating_sub(1) });
            said.push(editor.request(
                "textDocument/hover",
                json!({ "textDocument": { "uri": uri }, "position": at }),
            ));
        }
    }
    said.push(editor.request("textDocument/codeLens", document.clone()));
    said.push(editor.request(
        "textDocument/inlayHint",
        json!({ "textDocument": { "uri": uri }, "range": whole }),
    ));
    said.push(editor.request(
        "textDocument/codeAction",
        json!({ "textDocument": { "uri": uri }, "range": whole, "context": { "diagnostics": [] } }),
    ));
    for command in ["cudalint.showAccesses", "cudalint.explainAccess"] {
        let arguments = json!([uri, { "line": lines - 2, "character": 40 }]);
        let id = editor.ask(
            "workspace/executeCommand",
            json!({ "command": command, "arguments": arguments }),
        );
        said.push(editor.response(id));
    }
    said.extend(editor.said.drain(..));
    Value::from(said).to_string()
}

#[cfg(unix)]
#[test]
fn secrets_stay_outside_of_every_message() {
    use std::os::unix::fs::symlink;
    let scratch = Scratch::new("lsp-secrets");
    let secret = format!(
        "#define STRIDE {SECRET}\n#error {SECRET}\n__global__ void {SECRET}(float *{SECRET}_x) {{ {SECRET}_x[2 * threadIdx.x] = 0.0f; }}\n"
    );
    scratch.write("project/.git/HEAD", "ref: refs/heads/main\n");
    for name in ["project/.env", "outside/secret.cuh", "outside/secret.cu"] {
        scratch.write(name, &secret);
    }
    let (outside, project) = (scratch.0.join("outside"), scratch.0.join("project"));
    scratch.write("project/src/a.cu", HEALTHY);
    symlink(outside.join("secret.cu"), project.join("src/link.cu")).expect("a link");
    symlink(&outside, project.join("src/folder")).expect("a link");
    scratch.write(
        "project/cudalint.toml",
        "includes = ['../outside']\nbaseline = '../outside/secret.cu'\n",
    );
    symlink(project.join(".env"), project.join("compile_commands.json")).expect("a link");
    let mut editor = Editor::start(able(), Some(&project), Value::Null);
    let absolute = outside.join("secret.cuh");
    for (at, way) in [
        format!("\"{}\"", absolute.display()),
        "\"../../outside/secret.cuh\"".to_owned(),
        "\"folder/secret.cuh\"".to_owned(),
        "\"../.env\"".to_owned(),
        "<secret.cuh>".to_owned(),
    ]
    .iter()
    .enumerate()
    {
        let text = format!("#include {way}\n{HEALTHY}");
        let document = uri(&project.join(format!("src/b{at}.cu")));
        let said = everything(&mut editor, &document, &text);
        assert!(!said.contains(SECRET), "{way}: {said}");
        assert!(said.contains("CL201"), "{way}: {said}");
    }
}

#[test]
fn nothing_in_a_message_acts() {
    let scratch = Scratch::new("lsp-escapes");
    let unseen = "\u{1b}[31m\u{9b}2J\u{202e}\u{2066}\u{7}\u{200b}";
    let evil = "`![x](http://e.vil/x.png)<img src=x onerror=alert(1)>[c](command:evil)``` ";
    let text = format!(
        "// cudalint: allow({evil}{unseen})\n#error {evil}{unseen}\n#include \"{unseen}{evil}.h\"\n\
         __global__ void k(float *x) {{ x[/* {evil}{unseen} */ 2 * threadIdx.x] = 0.0f; }}\n\
         void run(float *x) {{ k<<</* {evil} */ 1, 32>>>(x); }}\n"
    );
    let mut editor = Editor::start(able(), Some(&scratch.0), Value::Null);
    let said = everything(&mut editor, &uri(&scratch.0.join("a.cu")), &text);
    assert!(said.contains("CL201"), "{said}");
    let messages: Value = serde_json::from_str(&said).expect("JSON");
    let mut markdown = Vec::new();
    texts(&messages, &mut |kind, text| {
        let acts = |c: char| {
            c.is_control() && c != '\n' && c != '\t' || unseen.contains(c) && !c.is_ascii()
        };
        assert!(!text.contains(acts), "{text:?}");
        if kind == "markdown" {
            markdown.push(text.to_owned());
        }
    });
    assert!(!markdown.is_empty(), "{said}");
    for text in markdown {
        // Every second part is code.
        let words = text.replace("\\`", "");
        let words: String = words.split('`').step_by(2).collect();
        for markup in ["<img", "![x](", "[c]("] {
            assert!(!words.contains(markup), "{text}");
        }
    }
}

/// Shows each text that people see, with what kind it is of.
fn texts<'v>(value: &'v Value, see: &mut impl FnMut(&'v str, &'v str)) {
    match value {
        Value::Array(all) => all.iter().for_each(|one| texts(one, see)),
        Value::Object(all) => {
            let kind = all.get("kind").and_then(Value::as_str).unwrap_or("");
            for (key, value) in all {
                match value.as_str() {
                    // The text of the document as it is to be.
                    Some(_) if ["newText", "uri"].contains(&key.as_str()) => {}
                    Some(text) => see(kind, text),
                    None => texts(value, see),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn a_file_that_includes_itself_keeps_nobody_waiting() {
    let scratch = Scratch::new("lsp-self");
    let text = format!("#include \"a.cu\"\n#include \"a.cu\"\n{HEALTHY}");
    scratch.write("a.cu", &text);
    let mut editor = Editor::start(able(), Some(&scratch.0), Value::Null);
    editor.open(&uri(&scratch.0.join("a.cu")), &text);
    let other = uri(&scratch.0.join("b.cu"));
    editor.open(&other, HEALTHY);
    assert_eq!(editor.pushed(&other, 1).len(), 1);
    // Its own answer comes as well.
    assert!(!editor.pushed(&uri(&scratch.0.join("a.cu")), 1).is_empty());
}
