//! What lies around a file: compilation databases, other folders, other languages.

use super::conversation::codes;
use super::editor::{Editor, able, range, uri};
use crate::support::Scratch;
use serde_json::{Value, json};

const KERNEL: &str = "#include \"size.cuh\"\n__global__ void k(float *o) {\n    __shared__ float t[32][W];\n    o[threadIdx.x] = t[threadIdx.x][0];\n}\nvoid run(float *o) { k<<<1, 32>>>(o); }\n";

/// A database as CMake writes it: `arguments` of one compilation of `k.cu`.
fn database(scratch: &Scratch, define: &str) -> String {
    json!([{
        "directory": scratch.0.join("build"),
        "command": format!("nvcc $(touch executed) `touch executed` {define} -I../headers -arch=sm_80 -o k.o -c ../k.cu"),
        "file": "../k.cu",
    }])
    .to_string()
}

#[test]
fn a_compilation_database_says_how_files_are_compiled() {
    let scratch = Scratch::new("lsp-database");
    scratch.write("k.cu", KERNEL);
    scratch.write("headers/size.cuh", "#ifndef W\n#define W 1\n#endif\n");
    scratch.write("build/compile_commands.json", database(&scratch, "-DW=32"));
    let here = uri(&scratch.0.join("k.cu"));
    let mut editor = Editor::start(able(), Some(&scratch.0), Value::Null);
    editor.open(&here, KERNEL);
    let found = editor.pushed(&here, 1);
    assert_eq!(codes(&found), ["CL101"]);
    assert!(
        found[0]["message"]
            .as_str()
            .is_some_and(|text| text.starts_with("32-way"))
    );

    // Written anew by the build system.
    scratch.write("build/compile_commands.json", database(&scratch, "-DW=33"));
    let file = uri(&scratch.0.join("build/compile_commands.json"));
    let changed = json!({ "changes": [{ "uri": file, "type": 2 }] });
    editor.notify("workspace/didChangeWatchedFiles", changed.clone());
    assert_eq!(editor.pushed(&here, 1), Vec::<Value>::new());

    // One that cannot be read is told of, and counts as absent.
    scratch.write("build/compile_commands.json", "{}");
    editor.notify("workspace/didChangeWatchedFiles", changed);
    let told = editor.wait("a message", |one| one["method"] == "window/showMessage");
    let told = told["params"]["message"].as_str().expect("a text");
    assert!(
        told.contains("compile_commands.json: not a compilation database"),
        "{told}"
    );
    editor.pushed(&here, 1);

    // The editor may name another one, or none.
    scratch.write("other/compile_commands.json", database(&scratch, "-DW=34"));
    editor.settings = json!({ "compileCommands": scratch.0.join("other") });
    editor.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": null }),
    );
    let found = editor.pushed(&here, 1);
    assert!(
        found[0]["message"]
            .as_str()
            .is_some_and(|text| text.starts_with("2-way")),
        "{found:?}"
    );
    for folder in ["", "build", "other"] {
        assert!(
            !scratch.0.join(folder).join("executed").exists(),
            "{folder}"
        );
    }
}

#[test]
fn files_outside_of_the_workspace_and_without_a_file_are_served() {
    let (inside, outside) = (Scratch::new("lsp-inside"), Scratch::new("lsp-outside"));
    let kernel = "__global__ void k(float *o) { o[threadIdx.x * 8] = 0; }\nvoid run(float *o) { k<<<1, 32>>>(o); }\n";
    inside.write("a.cu", kernel);
    outside.write("b.cu", kernel);
    let mut editor = Editor::start(able(), Some(&inside.0), Value::Null);
    let there = uri(&outside.0.join("b.cu"));
    for uri in [
        there.as_str(),
        "untitled:Untitled-1",
        "file:///nowhere/at/all.cu",
    ] {
        editor.open(uri, kernel);
        assert_eq!(codes(&editor.pushed(uri, 1)), ["CL201"], "{uri}");
        editor.edit(uri, 2, [0, 43, 0, 47], "");
        assert_eq!(editor.pushed(uri, 2), Vec::<Value>::new(), "{uri}");
    }
}

#[test]
fn cuda_in_the_strings_of_other_languages_is_left_alone() {
    let kernel = "__global__ void k(float *o) { o[threadIdx.x * 8] = 0; }";
    let python = format!("SOURCE = r'''\n{kernel}\n'''\n");
    let cpp = format!("const char *source = R\"({kernel})\";\n");
    let mut editor = Editor::start(able(), None, Value::Null);
    let open = |editor: &mut Editor, uri: &str, language: &str, text: &str| {
        editor.notify(
            "textDocument/didOpen",
            json!({ "textDocument": { "uri": uri, "languageId": language, "version": 1, "text": text } }),
        );
        let all = json!({ "textDocument": { "uri": uri }, "range": range([0, 0, 9, 0]) });
        editor.request("textDocument/inlayHint", all)
    };
    assert_eq!(
        open(&mut editor, "file:///a.py", "python", &python),
        json!([])
    );
    assert_eq!(open(&mut editor, "file:///a.cpp", "cpp", &cpp), json!([]));
    let said = editor.said.iter();
    let pushed: Vec<&Value> = said
        .filter(|one| one["method"] == "textDocument/publishDiagnostics")
        .collect();
    assert!(
        pushed
            .iter()
            .all(|one| one["params"]["diagnostics"] == json!([])),
        "{pushed:?}"
    );
    // A header becomes CUDA while it is typed.
    assert_eq!(open(&mut editor, "file:///a.h", "cpp", "\n"), json!([]));
    editor.edit("file:///a.h", 2, [0, 0, 0, 0], kernel);
    assert_eq!(editor.pushed("file:///a.h", 2).len(), 1);
}
