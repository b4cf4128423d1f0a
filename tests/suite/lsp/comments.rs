//! Comments that actions put in, and what the server says once they are there.

use super::conversation::codes;
use super::editor::{Editor, able, range};
use serde_json::{Value, json};

const URI: &str = "file:///k.cu";

/// A kernel that nothing launches, whose shared load costs what `n` makes of it.
const KERNEL: &str = "template <int T>\n__global__ void other(float *o) {}\n\n__global__ void k(float *o, int n) {\n    __shared__ float s[4096];\n    o[threadIdx.x] = s[threadIdx.x * n];\n}\n";
const LINE: u32 = 5;

fn open(text: &str) -> Editor {
    let mut editor = Editor::start(able(), None, Value::Null);
    editor.open(URI, text);
    editor
}

/// The actions at a place.
fn actions(editor: &mut Editor, line: u32, column: u32) -> Vec<Value> {
    let params = json!({
        "textDocument": { "uri": URI }, "range": range([line, column, line, column]),
        "context": { "diagnostics": [] },
    });
    let list = editor.request("textDocument/codeAction", params);
    list.as_array().expect("a list").clone()
}

fn named<'a>(actions: &'a [Value], start: &str) -> &'a Value {
    let fits = |one: &&Value| {
        one["title"]
            .as_str()
            .is_some_and(|title| title.starts_with(start))
    };
    let titles: Vec<&Value> = actions.iter().map(|one| &one["title"]).collect();
    actions
        .iter()
        .find(fits)
        .unwrap_or_else(|| panic!("no {start:?} in {titles:?}"))
}

/// Puts an action's comment in, and gives its text and line.
fn take(editor: &mut Editor, action: &Value, version: i64) -> (String, u64) {
    let edit = &action["edit"]["documentChanges"][0]["edits"][0];
    let line = edit["range"]["start"]["line"].as_u64().expect("a line");
    let text = edit["newText"].as_str().expect("a text");
    let at = line as u32;
    editor.edit(URI, version, [at, 0, at, 0], text);
    (text.to_owned(), line)
}

fn hints(editor: &mut Editor) -> Vec<String> {
    let params = json!({ "textDocument": { "uri": URI }, "range": range([0, 0, 99, 0]) });
    let hints = editor.request("textDocument/inlayHint", params);
    let list = hints.as_array().expect("a list").iter();
    list.map(|hint| hint["label"].as_str().expect("a label").to_owned())
        .collect()
}

#[test]
fn an_assumption_that_makes_an_access_ideal_is_offered_and_holds() {
    let mut editor = open(KERNEL);
    assert_eq!(hints(&mut editor)[1], "1..32-way (n)");
    let offered = actions(&mut editor, LINE, 24);
    let (text, line) = take(&mut editor, named(&offered, "Assume n % 2 == 1"), 2);
    assert_eq!(text, "// cudalint: assume(n % 2 == 1)\n");
    assert_eq!(line, 3, "above the kernel's own head");
    assert_eq!(hints(&mut editor)[1], "1 wavefront ✓");
}

#[test]
fn a_launch_is_offered_where_none_is_known() {
    let mut editor = open(KERNEL);
    // On the kernel's name, too.
    let offered = actions(&mut editor, 3, 17);
    let comment = "Analyse `k` for block 256 with a comment";
    let (text, _) = take(&mut editor, named(&offered, comment), 2);
    assert_eq!(text, "// cudalint: launch(block = 256)\n");
    let at =
        json!({ "textDocument": { "uri": URI }, "position": { "line": LINE + 1, "character": 6 } });
    let hover = editor.request("textDocument/hover", at);
    let told = hover["contents"]["value"].as_str().expect("a text");
    assert!(
        told.contains("block (256, 1, 1), from a directive"),
        "{told}"
    );
    // It is known now.
    let again = actions(&mut editor, LINE + 1, 6);
    let others = again.iter().filter(|one| {
        one["title"]
            .as_str()
            .is_some_and(|title| title.contains("for block"))
    });
    assert_eq!(others.count(), 0, "{again:?}");
}

#[test]
fn an_expectation_holds_today_and_breaks_when_it_gets_worse() {
    let text = KERNEL.replace("* n", "* 2");
    let mut editor = open(&text);
    assert_eq!(codes(&editor.pushed(URI, 1)), ["CL101"]);
    let offered = actions(&mut editor, LINE, 24);
    let (text, line) = take(&mut editor, named(&offered, "Expect ways <= 2"), 2);
    assert_eq!(text, "    // cudalint: expect(ways <= 2)\n");
    assert_eq!(line, u64::from(LINE));
    assert_eq!(codes(&editor.pushed(URI, 2)), ["CL101"], "it holds");
    editor.edit(URI, 3, [LINE + 1, 37, LINE + 1, 38], "4");
    let worse = editor.pushed(URI, 3);
    assert!(codes(&worse).contains(&"CL001"), "{worse:?}");
    let broken = worse.iter().find(|one| one["code"] == "CL001");
    assert_eq!(broken.map(|one| &one["severity"]), Some(&json!(1)));
}

#[test]
fn an_allowance_silences_and_is_faded_once_nothing_needs_it() {
    let text = KERNEL.replace("* n", "* 2");
    let mut editor = open(&text);
    editor.pushed(URI, 1);
    let offered = actions(&mut editor, LINE, 24);
    take(&mut editor, named(&offered, "Allow bank-conflict"), 2);
    assert_eq!(editor.pushed(URI, 2), Vec::<Value>::new());
    editor.edit(URI, 3, [LINE + 1, 35, LINE + 1, 38], "   ");
    let idle = editor.pushed(URI, 3);
    assert_eq!(idle[0]["tags"], json!([1]), "Unnecessary: {idle:?}");
    assert_eq!(idle[0]["range"]["start"]["line"], LINE);
    // Nothing else is tagged, and clients that know no tags get none.
    let mut plain = Editor::start(json!({}), None, Value::Null);
    plain.open(URI, "// cudalint: allow(bank-conflict)\nint x;\n");
    let idle = plain.pushed(URI, 1);
    assert_eq!(idle.len(), 1);
    assert!(idle[0].get("tags").is_none());
}

#[test]
fn one_of_several_launches_can_be_chosen() {
    let text = format!(
        "{KERNEL}void run(float *o, int n) {{ k<<<1, 64>>>(o, n); k<<<1, dim3(8, 8)>>>(o, n); }}\n"
    );
    let mut editor = open(&text);
    let offered = actions(&mut editor, LINE, 6);
    let choice = named(&offered, "Analyse `k` for block (8, 8, 1) only");
    let run = |editor: &mut Editor, action: &Value| {
        let command = &action["command"];
        editor.request(
            "workspace/executeCommand",
            json!({ "command": command["command"], "arguments": command["arguments"] }),
        )
    };
    run(&mut editor, choice);
    let offered = actions(&mut editor, LINE, 6);
    let explain = named(&offered, "Explain this access");
    let told = run(&mut editor, explain);
    let told = told.as_str().expect("a text");
    assert!(
        told.starts_with("# Access `o[threadIdx.x]`\n\n```text\n"),
        "{told}"
    );
    assert!(told.contains("block (8, 8, 1)"), "{told}");
    assert!(told.contains("address   start of `o` + "), "{told}");
    let back = named(&offered, "Analyse `k` for the launches in the text again");
    run(&mut editor, back);
    let offered = actions(&mut editor, LINE, 6);
    named(&offered, "Analyse `k` for block (64, 1, 1) only");
}

#[test]
fn no_comment_ends_a_macro_that_goes_on() {
    let mut editor = open(
        "#define BODY \\\n    __shared__ float s[64]; \\\n    o[threadIdx.x * 8] = s[threadIdx.x];\n__global__ void k(float *o) { BODY }\nvoid run(float *o) { k<<<1, 32>>>(o); }\n",
    );
    let found = editor.pushed(URI, 1);
    assert!(!found.is_empty());
    let at = |key: &str| {
        let number = found[0]["range"]["start"][key].as_u64().expect("a number");
        number as u32
    };
    for action in actions(&mut editor, at("line"), at("character")) {
        let edit = &action["edit"]["documentChanges"][0]["edits"][0];
        let line = edit["range"]["start"]["line"].as_u64();
        assert!(!matches!(line, Some(1 | 2)), "{action}");
    }
}
