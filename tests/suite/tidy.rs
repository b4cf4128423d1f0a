//! The source tree keeps its own rules: layers, doors of foreign crates, file documentation.

use crate::support::{collect, root};
use std::path::{Path, PathBuf};

/// Foreign crates, each with the only files that may name it.
const DOORS: [(&str, &[&str]); 12] = [
    ("tree_sitter", &["syntax/parse/cst.rs"]),
    ("tree_sitter_cuda", &["syntax/parse/cst.rs"]),
    ("z3", &["prove/smt.rs"]),
    ("cudarc", &["validate/device", "nvrtc.rs"]),
    ("codespan_reporting", &["report/human.rs"]),
    ("clap", &["cli", "main.rs"]),
    ("lsp_server", &["lsp/"]),
    ("gen_lsp_types", &["lsp/"]),
    ("percent_encoding", &["lsp/uri.rs"]),
    ("gimli", &["confirm/machine_code.rs"]),
    ("object", &["confirm/machine_code.rs"]),
    ("rustix", &["disk/", "lsp/parent.rs"]),
];

/// Layers from the top; a module may name modules of its own and of lower layers only.
const LAYERS: [&[&str]; 19] = [
    &["main"],
    &["cli"],
    &["confirm"],
    &["validate", "lsp", "judge"],
    &["session"],
    &["disk"],
    &["report"],
    &["contract"],
    &["rules"],
    &["fix"],
    &["prove"],
    &["access", "sim"],
    &["term"],
    &["lower"],
    &["host"],
    &["sema"],
    &["syntax", "fixture", "config"],
    &["ir", "finding"],
    &["gpu", "source", "ptx", "nvrtc"],
];

/// The back end works on the IR alone: none of it may name any of the front end.
const BACK_END: [&str; 4] = ["prove", "access", "sim", "term"];
const FRONT_END: [&str; 4] = ["lower", "host", "sema", "syntax"];

fn sources() -> Vec<(String, String)> {
    let folder = root().join("src");
    let mut paths = Vec::new();
    collect(&folder, "rs", &mut paths);
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (relative(&path, &folder), text)
    };
    paths.into_iter().map(read).collect()
}

fn relative(path: &Path, folder: &Path) -> String {
    path.strip_prefix(folder)
        .unwrap_or(path)
        .display()
        .to_string()
        .replace('\\', "/")
}

/// Lines of code, numbered from 1: no comments.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

fn fail(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn every_file_says_what_it_is() {
    let silent: Vec<String> = sources()
        .into_iter()
        .filter(|(_, text)| !text.starts_with("//!"))
        .map(|(name, _)| format!("src/{name} starts without `//!`"))
        .collect();
    fail(&silent);
}

/// `src/FILES.md`: whoever looks for a thing searches one page.
#[test]
fn the_list_of_files_is_that_of_the_sources() {
    let mut list = String::from(
        "# Every file of `src`, by its own first sentence\n\n\
         [ARCHITECTURE.md](../ARCHITECTURE.md) says how they hang together. `BLESS=1 cargo test --test suite tidy` writes this page.\n",
    );
    let mut sources = sources();
    sources.sort();
    let mut folder = "";
    for (name, text) in &sources {
        let of_file = name.split_once('/').map_or("", |(folder, _)| folder);
        if of_file != folder || list.ends_with("page.\n") {
            folder = of_file;
            list += &format!("\n## `src/{folder}`\n\n");
        }
        let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
        let first: Vec<&str> = lines
            .map(str::trim)
            .take_while(|line| !line.is_empty())
            .collect();
        list += &format!("- `{name}`: {}\n", first.join(" "));
    }
    let page = root().join("src/FILES.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&page, &list).expect("the page");
    }
    let now = std::fs::read_to_string(&page).unwrap_or_default();
    assert!(
        now == list,
        "src/FILES.md is not what the files say: BLESS=1 writes it"
    );
}

#[test]
fn foreign_crates_have_one_door() {
    let mut problems = Vec::new();
    for (name, text) in sources() {
        for (foreign, doors) in DOORS {
            let is_door = doors.iter().any(|door| name.starts_with(door));
            for (line, code) in code(&text).filter(|_| !is_door) {
                if names(code, foreign) {
                    problems.push(format!("src/{name}:{line} names `{foreign}`"));
                }
            }
        }
    }
    fail(&problems);
}

/// Whether a path in `code` starts with `foreign`.
fn names(code: &str, foreign: &str) -> bool {
    let pattern = format!("{foreign}::");
    code.match_indices(&pattern).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '"')
    })
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// First part of a path below `src/`, without its extension.
fn module(name: &str) -> &str {
    let first = name.split('/').next().unwrap_or(name);
    first.strip_suffix(".rs").unwrap_or(first)
}

#[test]
fn arrows_point_down() {
    let mut problems = Vec::new();
    for (name, text) in sources() {
        let from = module(&name);
        let Some(from_layer) = layer(from) else {
            if from != "lib" {
                problems.push(format!("src/{name} belongs to no layer"));
            }
            continue;
        };
        // What tests of a module look at is their own business.
        if name.ends_with("tests.rs") || name.contains("/tests/") {
            continue;
        }
        for (line, to) in named_modules(&text) {
            let Some(to_layer) = layer(&to) else { continue };
            let is_allowed = to_layer > from_layer || to == from;
            if !is_allowed {
                problems.push(format!(
                    "src/{name}:{line} names `{to}`, which is no lower layer"
                ));
            }
            if BACK_END.contains(&from) && FRONT_END.contains(&to.as_str()) {
                problems.push(format!(
                    "src/{name}:{line}: the back end names `{to}`, which is of the front end"
                ));
            }
        }
    }
    fail(&problems);
}

/// An entry of the tables above that names nothing would let a renamed module go unchecked.
#[test]
fn tables_of_layers_name_what_is_there() {
    let modules: Vec<String> = sources()
        .iter()
        .map(|(name, _)| module(name).to_owned())
        .collect();
    let is_there = |name: &&str| modules.iter().any(|module| module == name);
    let named = LAYERS
        .iter()
        .copied()
        .flatten()
        .chain(&BACK_END)
        .chain(&FRONT_END);
    let missing: Vec<String> = named
        .filter(|name| !is_there(name))
        .map(|name| format!("no module is called `{name}`"))
        .collect();
    fail(&missing);
    let closed: Vec<String> = DOORS
        .iter()
        .filter(|(_, doors)| {
            let is_door = |name: &str| doors.iter().any(|door| name.starts_with(door));
            !sources().iter().any(|(name, _)| is_door(name))
        })
        .map(|(foreign, _)| format!("no file is a door of `{foreign}`"))
        .collect();
    fail(&closed);
}

/// A reason is for people. Whoever acts on one compares kinds, so that a better sentence changes no answer.
#[test]
fn no_sentence_steers_an_answer() {
    const CALLS: [&str; 4] = [".contains(\"", ".starts_with(\"", ".ends_with(\"", "== \""];
    // Those read texts that others wrote: sources, listings of tools, messages of a library.
    const READERS: [&str; 14] = [
        "syntax/",
        "fixture",
        "config/",
        "nvrtc.rs",
        "confirm/",
        "validate/",
        "ptx/",
        "judge/",
        "host/unparsed_text.rs",
        "host/unseen_launches.rs",
        "lower/asm",
        "lower/directives.rs",
        "session/input/",
        "cli/",
    ];
    let mut problems = Vec::new();
    for (name, text) in sources() {
        let is_free = READERS.iter().any(|reader| name.starts_with(reader))
            || name.ends_with("tests.rs")
            || name.contains("/tests/");
        let text = without_test_items(&text);
        for (at, line) in text.lines().enumerate().filter(|_| !is_free) {
            let mut found = CALLS.iter().flat_map(|call| {
                line.match_indices(call)
                    .map(|(at, call)| &line[at + call.len()..])
            });
            // Two words make a sentence.
            let is_sentence = |rest: &str| {
                let literal = rest.split('"').next().unwrap_or_default();
                let words = literal.split_whitespace();
                words
                    .filter(|word| word.chars().all(char::is_alphabetic))
                    .count()
                    > 1
            };
            if found.any(is_sentence) {
                problems.push(format!("src/{name}:{} compares words", at + 1));
            }
        }
    }
    fail(&problems);
}

/// Whoever reads or writes a file by himself may follow a link, wait for a pipe, or leave half a file.
#[test]
fn files_have_one_door() {
    const CALLS: [&str; 9] = [
        "fs::read(",
        "fs::read_to_string",
        "fs::write",
        "fs::copy",
        "fs::rename",
        "File::open",
        "File::create",
        "File::options",
        "OpenOptions",
    ];
    // What measures on a GPU, or judges with another compiler, works in folders of its own.
    const DOORS: [&str; 4] = ["disk/", "validate/", "cli/validate.rs", "judge/"];
    let mut problems = Vec::new();
    for (name, text) in sources() {
        let is_free = DOORS.iter().any(|door| name.starts_with(door)) || name.ends_with("tests.rs");
        let text = without_test_items(&text);
        for (at, line) in text.lines().enumerate().filter(|_| !is_free) {
            if CALLS.iter().any(|call| line.contains(call)) {
                problems.push(format!("src/{name}:{} opens a file past `disk`", at + 1));
            }
        }
    }
    fail(&problems);
}

/// The modules of this crate that code outside of `#[cfg(test)]` names after `crate::`, each with its
/// line: single ones and those of a group in braces.
fn named_modules(text: &str) -> Vec<(usize, String)> {
    let text = without_test_items(text);
    let word = |rest: &str| -> String {
        let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
        rest.trim_start().chars().take_while(is_word).collect()
    };
    let mut found = Vec::new();
    for (at, path) in text.match_indices("crate::") {
        let line = text[..at].matches('\n').count() + 1;
        let rest = &text[at + path.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            found.push((line, word(rest)));
            continue;
        };
        let mut depth = 0;
        let mut starts = vec![0];
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => starts.push(at + 1),
                _ => {}
            }
        }
        found.extend(starts.into_iter().map(|at| (line, word(&group[at..]))));
    }
    found
}

/// The same lines, those of comments and of items behind `#[cfg(test)]` empty.
fn without_test_items(text: &str) -> String {
    let mut kept = String::new();
    // Where an item behind the attribute began: its indent, and whether its end was seen to be later.
    let mut skipped: Option<String> = None;
    let mut attribute: Option<String> = None;
    for line in text.lines() {
        let indent: String = line.chars().take_while(|c| *c == ' ').collect();
        let body = line.trim();
        let is_end = skipped.as_ref().is_some_and(|start| {
            indent == *start && (body.starts_with('}') || body.ends_with(';'))
        });
        if is_end {
            skipped = None;
        } else if skipped.is_some() {
        } else if body == "#[cfg(test)]" {
            attribute = Some(indent);
        } else if let Some(start) = attribute.take_if(|_| !body.starts_with("#[")) {
            if !body.ends_with(';') && !body.ends_with('}') {
                skipped = Some(start);
            }
        } else if attribute.is_none() && !body.starts_with("//") {
            kept.push_str(line);
        }
        kept.push('\n');
    }
    kept
}

#[test]
fn the_reader_of_modules_misses_none() {
    let text = "use crate::{ir::Kernel, prove::{Proved, range}, gpu};\n#[cfg(test)]\nmod tests;\n\
                use crate::sema::types;\n#[cfg(test)]\nmod inner {\n    use crate::cli;\n}\n\
                // crate::lsp\nfn f() { crate::host::run() }\n";
    let found: Vec<String> = named_modules(text).into_iter().map(|(_, m)| m).collect();
    assert_eq!(found, ["ir", "prove", "gpu", "sema", "host"]);
    assert_eq!(named_modules(text)[4].0, 10);
}

#[test]
fn files_hold_one_idea() {
    /// What is meant is 700; a little is left for work under way.
    const MOST_LINES: usize = 750;
    let long = sources()
        .into_iter()
        .map(|(name, text)| (name, text.lines().count()));
    let long: Vec<String> = long
        .filter(|(_, lines)| *lines > MOST_LINES)
        .map(|(name, lines)| format!("src/{name} has {lines} lines"))
        .collect();
    fail(&long);
}

#[test]
fn no_machine_is_named() {
    const PATHS: [&str; 4] = ["/home/", "/root/", "/work/", "/Users/"];
    let mut problems = Vec::new();
    let mut paths = Vec::new();
    for (folder, extension) in [("src", "rs"), ("rules", "md"), ("fixtures", "cu")] {
        collect(&root().join(folder), extension, &mut paths);
    }
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        for (at, line) in text.lines().enumerate() {
            if PATHS.iter().any(|known| line.contains(known)) {
                problems.push(format!(
                    "{}:{} names a path of one machine",
                    relative(&path, root()),
                    at + 1
                ));
            }
        }
    }
    fail(&problems);
}

#[test]
fn fixtures_say_what_they_show() {
    let folder = root().join("fixtures");
    let mut paths = Vec::new();
    collect(&folder, "cu", &mut paths);
    let silent = paths.iter().filter(|path| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        !text.starts_with("// ")
    });
    let silent: Vec<String> = silent
        .map(|path| {
            format!(
                "fixtures/{} starts without a comment",
                relative(path, &folder)
            )
        })
        .collect();
    fail(&silent);
}

/// What `examples/mutants.rs` changes is still there to be changed.
#[test]
fn mutants_are_about_the_sources_of_today() {
    let text = std::fs::read_to_string(root().join("tests/mutants.toml")).expect("the list");
    let list: toml::Table = toml::from_str(&text).expect("a table");
    let mutants = list["mutant"].as_array().expect("mutants");
    assert!(mutants.len() >= 40, "{} mutants", mutants.len());
    for mutant in mutants {
        let file = mutant["file"].as_str().expect("a file");
        let find = mutant["find"].as_str().expect("a text");
        let source = std::fs::read_to_string(root().join(file)).expect(file);
        assert_eq!(source.matches(find).count(), 1, "`{find}` in {file}");
        assert_ne!(mutant["replace"].as_str(), Some(find), "{file}");
    }
}
