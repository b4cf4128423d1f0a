//! After any edit the server says what a server says that sees the text for the first time.

use super::editor::{Editor, able, pulling, range};
use crate::support::root;
use serde_json::{Value, json};

/// Rounds of edits per text; each costs a cold analysis.
const ROUNDS: usize = 25;

/// Texts with several kernels, launches, macros and shared arrays.
const TEXTS: [&str; 2] = [
    "fixtures/shared/transpose_tile.cu",
    "fixtures/shared/dynamic_shared_carved.cu",
];

/// What people type, and what they leave half done.
const PIECES: [&str; 14] = [
    " + 1",
    "threadIdx.x",
    " * 2",
    "{",
    "}",
    ";",
    "\n",
    "// comment ä\u{1d11e}\n",
    "(",
    "/*",
    "#define TILE 16\n",
    "__shared__ float extra[32][32];\n",
    "[",
    "<<<",
];

/// The same numbers in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

/// Everything that the server says of a text.
fn answer(editor: &mut Editor, uri: &str) -> Vec<Value> {
    let document = json!({ "uri": uri });
    let mut hints = editor.request(
        "textDocument/inlayHint",
        json!({ "textDocument": document, "range": range([0, 0, 99_999, 0]) }),
    );
    for hint in hints.as_array_mut().expect("a list") {
        // Names the version.
        hint["data"] = Value::Null;
    }
    let lenses = editor.request("textDocument/codeLens", json!({ "textDocument": document }));
    let mut all = editor.pulled(uri);
    all.push(hints);
    all.push(lenses);
    all
}

/// Replaces `from..to` (characters) and tells the server.
fn replace(
    editor: &mut Editor,
    uri: &str,
    version: i64,
    text: &mut Vec<char>,
    from: usize,
    to: usize,
    new: &str,
) {
    let position = |at: usize| -> [u32; 2] {
        let before = &text[..at];
        let line = before.iter().filter(|c| **c == '\n').count();
        let start = before
            .iter()
            .rposition(|c| *c == '\n')
            .map_or(0, |at| at + 1);
        let column: usize = before[start..].iter().map(|c| c.len_utf16()).sum();
        [line as u32, column as u32]
    };
    let ([a, b], [c, d]) = (position(from), position(to));
    editor.edit(uri, version, [a, b, c, d], new);
    text.splice(from..to, new.chars());
}

#[test]
fn edited_texts_are_answered_as_new_ones() {
    for (seed, name) in TEXTS.iter().enumerate() {
        let uri = "file:///edited.cu";
        let path = root().join(name);
        let original = std::fs::read_to_string(&path).expect("a fixture");
        let mut text: Vec<char> = original.chars().filter(|c| *c != '\r').collect();
        let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ (seed as u64 + 1));
        let mut warm = Editor::start(utf16(pulling()), None, Value::Null);
        warm.open(uri, &text.iter().collect::<String>());
        let mut version = 1;
        let mut undo: Vec<Vec<char>> = Vec::new();
        for round in 0..ROUNDS {
            // A few edits at once, as a fast typist makes them.
            for _ in 0..=dice.roll(3) {
                version += 1;
                let at = dice.roll(text.len() + 1);
                match dice.roll(4) {
                    0 => {
                        let end = (at + dice.roll(12)).min(text.len());
                        undo.push(text.clone());
                        replace(&mut warm, uri, version, &mut text, at, end, "");
                    }
                    1 if !undo.is_empty() => {
                        let back: String = undo.swap_remove(dice.roll(undo.len())).iter().collect();
                        let end = text.len();
                        replace(&mut warm, uri, version, &mut text, 0, end, &back);
                    }
                    _ => {
                        let piece = PIECES[dice.roll(PIECES.len())];
                        undo.push(text.clone());
                        replace(&mut warm, uri, version, &mut text, at, at, piece);
                    }
                }
            }
            let whole: String = text.iter().collect();
            let mut cold = Editor::start(utf16(pulling()), None, Value::Null);
            cold.open(uri, &whole);
            assert_eq!(
                answer(&mut warm, uri),
                answer(&mut cold, uri),
                "{name}, round {round}, of the text\n{whole}"
            );
        }
    }
}

/// Without a choice of encodings, positions are in UTF-16.
fn utf16(mut capabilities: Value) -> Value {
    capabilities["general"] = Value::Null;
    capabilities
}

#[test]
fn kernels_that_only_move_keep_their_answer() {
    let uri = "file:///moved.cu";
    let path = root().join("tests/snapshots/example.cu");
    let text = std::fs::read_to_string(path).expect("the example");
    let mut editor = Editor::start(able(), None, Value::Null);
    editor.open(uri, &text);
    let before = editor.pushed(uri, 1);
    editor.edit(uri, 2, [3, 0, 3, 0], "// moved\n// down\n");
    let after = editor.pushed(uri, 2);
    assert_eq!(before.len(), after.len());
    for (a, b) in before.iter().zip(&after) {
        for end in ["start", "end"] {
            let line = |one: &Value| one["range"][end]["line"].as_u64().expect("a line");
            assert_eq!(line(a) + 2, line(b));
            assert_eq!(a["range"][end]["character"], b["range"][end]["character"]);
        }
        // Lines in the words move too.
        assert_ne!(a["message"], b["message"]);
    }
    assert!(
        after[0]["message"]
            .as_str()
            .expect("a text")
            .contains("from line 24")
    );
}
