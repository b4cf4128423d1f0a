//! Every capability once, with real files.

use super::editor::{Editor, able, pulling, range, uri};
use crate::support::{Scratch, root};
use serde_json::{Value, json};

/// The kernel with a conflict that padding cures, and its text.
fn example() -> (String, String) {
    let path = root().join("tests/snapshots/example.cu");
    let text = std::fs::read_to_string(&path).expect("the example");
    (uri(&path), text)
}

pub fn codes(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics
        .iter()
        .map(|one| one["code"].as_str().expect("a code"))
        .collect()
}

/// The text with edits applied, as a client does it.
pub fn applied(text: &str, edits: &Value) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let mut edits: Vec<&Value> = edits.as_array().expect("edits").iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit["range"]["start"]["line"].as_u64()));
    for edit in edits {
        let at =
            |end: &str, axis: &str| edit["range"][end][axis].as_u64().expect("a number") as usize;
        let (line, from, to) = (
            at("start", "line"),
            at("start", "character"),
            at("end", "character"),
        );
        assert_eq!(line, at("end", "line"), "edits of one line");
        lines[line].replace_range(from..to, edit["newText"].as_str().expect("a text"));
    }
    lines.join("\n")
}

#[test]
fn diagnostics_are_pushed_for_unsaved_text() {
    let (uri, text) = example();
    let mut editor = Editor::start(able(), None, Value::Null);
    assert_eq!(editor.server["serverInfo"]["name"], "cudalint");
    editor.open(&uri, &text);
    let found = editor.pushed(&uri, 1);
    assert_eq!(codes(&found), ["CL101", "CL201", "CL201"]);

    let conflict = &found[0];
    assert_eq!(conflict["source"], "cudalint");
    assert_eq!(conflict["severity"], 1 + 1, "proved, so a warning");
    assert_eq!(
        found[2]["severity"], 4,
        "a stride of 1 is common, so a hint"
    );
    assert_eq!(conflict["range"], range([12, 34, 12, 68]));
    let page = conflict["codeDescription"]["href"]
        .as_str()
        .expect("a page");
    assert!(page.ends_with("rules/bank-conflict.md"), "{page}");
    let related = &conflict["relatedInformation"][0];
    assert_eq!(related["message"], "`tile` is declared here");
    assert_eq!(related["location"]["uri"], uri);
    assert_eq!(related["location"]["range"]["start"]["line"], 4);

    // One character on line 5 cures the conflict; nothing is saved.
    editor.edit(&uri, 2, [4, 36, 4, 36], " + 1");
    let after = editor.pushed(&uri, 2);
    assert_eq!(codes(&after), ["CL201", "CL201"]);
    editor.edit(&uri, 3, [4, 36, 4, 40], "");
    assert_eq!(editor.pushed(&uri, 3), found, "as before");

    editor.notify(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": uri } }),
    );
    let gone = editor.wait("an empty list", |message| {
        message["method"] == "textDocument/publishDiagnostics"
            && message["params"].get("version").is_none()
    });
    assert_eq!(gone["params"]["diagnostics"], json!([]));
    assert!(editor.end().success());
}

#[test]
fn diagnostics_are_pulled_and_named() {
    let (uri, text) = example();
    let mut editor = Editor::start(pulling(), None, Value::Null);
    editor.open(&uri, &text);
    let ask = |previous: Option<&Value>| json!({ "textDocument": { "uri": uri }, "previousResultId": previous });
    let first = editor.request("textDocument/diagnostic", ask(None));
    assert_eq!(first["kind"], "full");
    assert_eq!(first["items"].as_array().map(Vec::len), Some(3));
    let again = editor.request("textDocument/diagnostic", ask(Some(&first["resultId"])));
    assert_eq!(again["kind"], "unchanged");
    assert_eq!(again["resultId"], first["resultId"]);
    // A client that pulls is not pushed at.
    let pushed = editor.said.iter();
    assert_eq!(
        pushed
            .filter(|message| message["method"] == "textDocument/publishDiagnostics")
            .count(),
        0
    );
}

#[test]
fn a_hover_tells_all_about_an_access() {
    let (uri, text) = example();
    let mut editor = Editor::start(able(), None, Value::Null);
    editor.open(&uri, &text);
    let at = |line: u32, character: u32| json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } });
    let hover = editor.request("textDocument/hover", at(12, 40));
    assert_eq!(hover["range"], range([12, 34, 12, 68]));
    assert_eq!(hover["contents"]["kind"], "markdown");
    let text = hover["contents"]["value"].as_str().expect("a text");
    for part in [
        "**32 wavefronts** per request, ideal 1, 31 excessive",
        "- address: `lane * 128",
        "- launch: block (32, 8, 1)",
        "(example.cu:22)",
        "- proof: exact (checked with Z3)",
        "lane  bank 0       8       16      24",
        "0-31       #...............................",
        "bank 0     ################################ 32 words",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    // The kernel's name and the array's declaration list accesses; white space is nothing.
    let kernel = editor.request("textDocument/hover", at(15, 18));
    assert!(
        kernel["contents"]["value"]
            .as_str()
            .expect("a text")
            .contains("| example.cu:18 |")
    );
    let array = editor.request("textDocument/hover", at(4, 23));
    assert!(
        array["contents"]["value"]
            .as_str()
            .expect("a text")
            .contains("32-way")
    );
    assert_eq!(editor.request("textDocument/hover", at(0, 0)), Value::Null);
}

#[test]
fn every_access_has_a_hint_with_a_tooltip() {
    let (uri, text) = example();
    let mut editor = Editor::start(able(), None, Value::Null);
    editor.open(&uri, &text);
    let ask = |lines: [u32; 2]| json!({ "textDocument": { "uri": uri }, "range": range([lines[0], 0, lines[1], 0]) });
    let hints = editor.request("textDocument/inlayHint", ask([0, 99]));
    let labels: Vec<&str> = hints
        .as_array()
        .expect("a list")
        .iter()
        .map(|hint| hint["label"].as_str().expect("a label"))
        .collect();
    assert_eq!(
        labels,
        [
            "1 wavefront ✓",
            "4 sectors ✓",
            "4 sectors ✓",
            "32-way",
            "4 sectors ✓",
            "5 sectors of 4",
            "32 sectors of 4",
            "1..32 sectors of 4 (pitch)"
        ]
    );
    assert_eq!(hints[3]["position"], json!({ "line": 12, "character": 68 }));
    assert!(hints[3].get("tooltip").is_none(), "resolved lazily");
    let resolved = editor.request("inlayHint/resolve", hints[3].clone());
    let tooltip = resolved["tooltip"]["value"].as_str().expect("a tooltip");
    assert!(tooltip.contains("**32 wavefronts**"), "{tooltip}");
    let some = editor.request("textDocument/inlayHint", ask([16, 18]));
    assert_eq!(some.as_array().map(Vec::len), Some(4), "of the range only");

    // A client that cannot resolve gets them whole, and settings choose.
    let mut plain = Editor::start(json!({}), None, json!({ "inlayHints": "costly" }));
    plain.open(&uri, &text);
    let hints = plain.request("textDocument/inlayHint", ask([0, 99]));
    assert_eq!(hints.as_array().map(Vec::len), Some(4));
    assert!(hints[0]["tooltip"]["value"].is_string());
}

#[test]
fn a_lens_sums_up_each_kernel_and_lists_its_accesses() {
    let (uri, text) = example();
    let mut editor = Editor::start(able(), None, Value::Null);
    editor.open(&uri, &text);
    let lenses = editor.request(
        "textDocument/codeLens",
        json!({ "textDocument": { "uri": uri } }),
    );
    assert_eq!(lenses.as_array().map(Vec::len), Some(2));
    let command = &lenses[0]["command"];
    assert_eq!(
        command["title"],
        "4 accesses, 3 proved ideal · worst 32-way · wasted per block: 992 wavefronts"
    );
    let list = editor.request(
        "workspace/executeCommand",
        json!({ "command": command["command"], "arguments": command["arguments"] }),
    );
    let list = list.as_str().expect("a text");
    assert!(list.starts_with("# Accesses of `transpose`"), "{list}");
    assert!(
        list.contains("| example.cu:13 | shared load | `tile` | 32-way | 1 | exact |"),
        "{list}"
    );
}

#[test]
fn actions_fix_allow_and_explain() {
    let (uri, text) = example();
    let mut editor = Editor::start(able(), None, Value::Null);
    editor.open(&uri, &text);
    let ask = |lines: [u32; 4], only: Value| {
        json!({
            "textDocument": { "uri": uri }, "range": range(lines),
            "context": { "diagnostics": [], "only": only },
        })
    };
    let actions = editor.request(
        "textDocument/codeAction",
        ask([12, 40, 12, 40], Value::Null),
    );
    let titles: Vec<&str> = actions
        .as_array()
        .expect("a list")
        .iter()
        .map(|action| action["title"].as_str().expect("a title"))
        .collect();
    assert_eq!(titles.len(), 5, "{titles:?}");
    assert!(titles[0].starts_with("pad to `[TILE][TILE + 1]`: proved conflict-free"));
    assert_eq!(titles[1], "Allow bank-conflict here with a comment");
    assert_eq!(titles[2], "Explain bank-conflict (CL101)");
    assert_eq!(titles[3], "Expect ways <= 32 here with a comment");
    assert_eq!(titles[4], "Explain this access");

    let fix = &actions[0];
    assert_eq!(fix["kind"], "quickfix");
    assert_eq!(fix["diagnostics"][0]["code"], "CL101");
    let change = &fix["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({ "uri": uri, "version": 1 }));
    let fixed = applied(&text, &change["edits"]);
    assert!(fixed.contains("tile[TILE][TILE + 1]"), "{fixed}");

    let allow = &actions[1]["edit"]["documentChanges"][0]["edits"][0];
    assert_eq!(allow["range"], range([12, 0, 12, 0]));
    assert_eq!(
        allow["newText"],
        "        // cudalint: allow(bank-conflict)\n"
    );

    let page = editor.request(
        "workspace/executeCommand",
        json!({
            "command": actions[2]["command"]["command"],
            "arguments": actions[2]["command"]["arguments"],
        }),
    );
    assert!(
        page.as_str()
            .expect("a page")
            .contains("# bank-conflict (CL101)")
    );

    // All at once, resolved when it is chosen.
    let all = editor.request(
        "textDocument/codeAction",
        ask([0, 0, 0, 0], json!(["source.fixAll.cudalint"])),
    );
    assert_eq!(all.as_array().map(Vec::len), Some(1));
    assert!(all[0].get("edit").is_none());
    let resolved = editor.request("codeAction/resolve", all[0].clone());
    let edits = &resolved["edit"]["documentChanges"][0]["edits"];
    assert_eq!(applied(&text, edits), fixed);
    let none = editor.request(
        "textDocument/codeAction",
        ask([0, 0, 99, 0], json!(["refactor"])),
    );
    assert_eq!(none, json!([]));
}

#[test]
fn a_launch_can_be_chosen() {
    let (uri, text) = example();
    let mut editor = Editor::start(able(), None, Value::Null);
    editor.open(&uri, &text);
    editor.pushed(&uri, 1);
    let mut run = |command: &str, argument: Value| {
        let params = json!({ "command": command, "arguments": [argument] });
        editor.request("workspace/executeCommand", params);
        let hover = editor.request(
            "textDocument/hover",
            json!({ "textDocument": { "uri": uri }, "position": { "line": 12, "character": 40 } }),
        );
        hover["contents"]["value"]
            .as_str()
            .expect("a text")
            .to_owned()
    };
    let chosen = json!({ "kernel": "transpose", "block": [8, 32] });
    let other = run("cudalint.chooseLaunch", chosen);
    assert!(other.contains("block (8, 32, 1), as configured"), "{other}");
    assert!(other.contains("**8 wavefronts**"), "{other}");
    let back = run("cudalint.forgetLaunch", json!("transpose"));
    assert!(back.contains("block (32, 8, 1)"), "{back}");
}

#[test]
fn settings_and_configuration_files_are_read_again() {
    let scratch = Scratch::new("lsp-config");
    let (_, text) = example();
    scratch.write("a.cu", &text);
    let uri = uri(&scratch.0.join("a.cu"));
    let mut editor = Editor::start(able(), Some(&scratch.0), Value::Null);
    editor.open(&uri, &text);
    assert_eq!(codes(&editor.pushed(&uri, 1)), ["CL101", "CL201", "CL201"]);

    let config = scratch.0.join("cudalint.toml");
    let changed = json!({ "changes": [{ "uri": super::editor::uri(&config), "type": 1 }] });
    scratch.write("cudalint.toml", "[lint]\nignore = ['CL2']\n");
    editor.notify("workspace/didChangeWatchedFiles", changed.clone());
    assert_eq!(codes(&editor.pushed(&uri, 1)), ["CL101"]);

    // A file that cannot be read is told of, and counts as absent.
    scratch.write("cudalint.toml", "[lint]\nignor = ['CL2']\n");
    editor.notify("workspace/didChangeWatchedFiles", changed);
    let told = editor.wait("a message", |message| {
        message["method"] == "window/showMessage"
    });
    let told = told["params"]["message"].as_str().expect("a text");
    assert!(
        told.contains("cudalint.toml:2:1: unknown key `ignor`"),
        "{told}"
    );
    assert_eq!(editor.pushed(&uri, 1).len(), 3);

    // The editor's own settings.
    editor.settings = json!({ "level": "error" });
    editor.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": null }),
    );
    assert_eq!(editor.pushed(&uri, 1).len(), 0);
    editor.settings = json!({ "arch": "sm_1" });
    editor.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": null }),
    );
    let told = editor.wait("a message", |message| {
        message["method"] == "window/showMessage"
    });
    assert!(
        told["params"]["message"]
            .as_str()
            .expect("a text")
            .contains("cudalint.arch")
    );
}

#[test]
fn launches_and_headers_of_the_workspace_count() {
    let scratch = Scratch::new("lsp-workspace");
    let kernel = "#include \"inc/tile.cuh\"\n__global__ void k(float *o) {\n    __shared__ float t[32][W];\n    o[threadIdx.x] = t[threadIdx.x][threadIdx.y];\n}\n";
    scratch.write("k.cu", kernel);
    scratch.write("inc/tile.cuh", "#define W 32\n");
    scratch.write(
        "main.cu",
        "__global__ void k(float *o);\nvoid run(float *o) { k<<<1, dim3(16, 16)>>>(o); }\n",
    );
    let at = |name: &str| uri(&scratch.0.join(name));
    let mut editor = Editor::start(able(), Some(&scratch.0), Value::Null);
    editor.open(&at("k.cu"), kernel);
    let hover = |editor: &mut Editor| {
        let params = json!({
            "textDocument": { "uri": at("k.cu") }, "position": { "line": 3, "character": 25 },
        });
        let hover = editor.request("textDocument/hover", params);
        hover["contents"]["value"]
            .as_str()
            .expect("a text")
            .to_owned()
    };
    // The workspace may still be being looked through, and a document be on its way.
    let settled = |editor: &mut Editor, is_there: &dyn Fn(&str) -> bool| {
        let mut text = hover(editor);
        for _ in 0..1000 {
            if is_there(&text) {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
            text = hover(editor);
        }
        text
    };
    // The launch stands in another file.
    let text = settled(&mut editor, &|text| text.contains("main.cu:2"));
    assert!(
        text.contains("block (16, 16, 1)") && text.contains("main.cu:2"),
        "{text}"
    );
    assert!(text.contains("**16 wavefronts**"), "{text}");

    // An unsaved header counts as the editor has it, for documents that include it.
    editor.open(&at("inc/tile.cuh"), "#define W 33\n");
    let text = settled(&mut editor, &|text| !text.contains("**16 wavefronts**"));
    assert!(!text.contains("**16 wavefronts**"), "{text}");

    // An unsaved launch too, after which the editor is asked to look again.
    editor.said.clear();
    editor.open(
        &at("main.cu"),
        "__global__ void k(float *o);\nvoid run(float *o) { k<<<1, dim3(32, 8)>>>(o); }\n",
    );
    editor.wait("a refresh", |message| {
        message["method"] == "workspace/inlayHint/refresh"
    });
    let text = settled(&mut editor, &|text| text.contains("block (32, 8, 1)"));
    assert!(text.contains("block (32, 8, 1)"), "{text}");
}

#[test]
fn the_whole_workspace_is_reported_on_request() {
    let scratch = Scratch::new("lsp-sweep");
    let (_, text) = example();
    scratch.write("a.cu", &text);
    scratch.write(
        "b/b.cu",
        "__global__ void f(float *o) { o[threadIdx.x] = 0; }\n",
    );
    scratch.write("c/c.cu", text.replace("TILE][TILE]", "TILE][TILE + 1]"));
    let mut editor = Editor::start(
        pulling(),
        Some(&scratch.0),
        json!({ "wholeWorkspace": true }),
    );
    assert_eq!(
        editor.server["capabilities"]["diagnosticProvider"]["workspaceDiagnostics"],
        true
    );
    let mut items = Vec::new();
    // The workspace may still be being looked through.
    for _ in 0..1000 {
        let report = editor.request("workspace/diagnostic", json!({ "previousResultIds": [] }));
        items = report["items"].as_array().expect("a list").clone();
        if items.len() == 3 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let counts: Vec<usize> = items
        .iter()
        .map(|item| item["items"].as_array().expect("a list").len())
        .collect();
    assert_eq!(counts, [3, 0, 2]);
    let known: Vec<Value> = items
        .iter()
        .map(|item| json!({ "uri": item["uri"], "value": item["resultId"] }))
        .collect();
    let id = editor.ask(
        "workspace/diagnostic",
        json!({ "previousResultIds": known, "partialResultToken": "t" }),
    );
    for _ in 0..3 {
        let part = editor.wait("a part", |message| message["method"] == "$/progress");
        assert_eq!(part["params"]["token"], "t");
        assert_eq!(part["params"]["value"]["items"][0]["kind"], "unchanged");
    }
    assert_eq!(editor.response(id)["result"]["items"], json!([]));
}

#[test]
fn columns_are_counted_as_the_client_asks() {
    let text =
        "// \u{1d11e}\n__global__ void k(float *o) { /* ä\u{1d11e} */ o[threadIdx.x * 8] = 0; }\n";
    for (offered, agreed, column) in [
        (json!(["utf-32", "utf-16"]), "utf-32", 39),
        (json!(["utf-8", "utf-16"]), "utf-8", 43),
        (json!(["utf-16"]), "utf-16", 40),
        (Value::Null, "utf-16", 40),
    ] {
        let capabilities = json!({ "general": { "positionEncodings": offered } });
        let mut editor = Editor::start(capabilities, None, Value::Null);
        assert_eq!(editor.server["capabilities"]["positionEncoding"], agreed);
        let uri = "untitled:Untitled-1";
        editor.open(uri, text);
        let found = editor.pushed(uri, 1);
        assert_eq!(
            found[0]["range"]["start"],
            json!({ "line": 1, "character": column }),
            "{agreed}"
        );
        // The same units the other way round.
        editor.edit(uri, 2, [1, column + 14, 1, column + 17], "");
        assert_eq!(editor.pushed(uri, 2), Vec::<Value>::new(), "{agreed}");
    }
}
