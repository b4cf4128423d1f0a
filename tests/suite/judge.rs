//! Another compiler judges: every known root of wrong verdicts, and some generated kernels, always the same.
//! `.ci/run` judges kernels that are new each day.
//!
//! `tests/judge/roots/` has a small file for each root; `tests/judge/open.txt` lists the roots, and the
//! generators' constructs, that are still read wrong. A listed root that is read right fails, too, so
//! that the list says how things are. It must become empty.

use crate::support::root;
use std::collections::BTreeSet;
use std::process::Command;

/// What `open.txt` lists after `word`.
fn open(word: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join("tests/judge/open.txt")).expect("the list");
    let lines = text.lines().filter_map(|line| line.strip_prefix(word));
    lines.map(|rest| rest.trim().to_owned()).collect()
}

fn judge(arguments: &[String]) -> (String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_cudalint"))
        .arg("judge")
        .args(arguments)
        .env_remove("CUDALINT_BIN")
        .current_dir(root())
        .output()
        .expect("the program runs");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() != Some(2), "{complaint}");
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    (report, output.status.code())
}

#[test]
fn roots_of_wrong_verdicts_stay_cured() {
    let folder = root().join("tests/judge/roots");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| name.ends_with(".cu"))
        .collect();
    names.sort();
    let mut arguments = vec!["--seed".to_owned(), "1".to_owned()];
    arguments.extend(names.iter().map(|name| format!("tests/judge/roots/{name}")));
    let (report, _) = judge(&arguments);
    let mut wrong = BTreeSet::new();
    for name in &names {
        let start = format!("tests/judge/roots/{name}:");
        let lines: Vec<&str> = report
            .lines()
            .filter_map(|line| line.strip_prefix(&start))
            .collect();
        let is_clean = match lines[..] {
            // Read and held against something, or honestly unknown.
            [only] if only.contains("does not compile") => false,
            [only] => !only.contains(" 0 requests compared") || !only.contains(" 0 open"),
            _ => false,
        };
        if !is_clean {
            wrong.insert(name.clone());
        }
    }
    let listed = open("root ");
    let fresh: Vec<&String> = wrong.difference(&listed).collect();
    let cured: Vec<&String> = listed.difference(&wrong).collect();
    assert!(fresh.is_empty(), "read wrong: {fresh:?}\n{report}");
    assert!(
        cured.is_empty(),
        "read right, take them from tests/judge/open.txt: {cured:?}"
    );
}

/// The judge holds a built-in function against a compiler where this root calls it.
#[test]
fn every_builtin_is_judged() {
    let file = "tests/judge/roots/64_each_builtin.cu";
    let text = std::fs::read_to_string(root().join(file)).expect("the root");
    for row in cudalint::ir::builtin::all() {
        let is_called = [' ', '[', '(']
            .iter()
            .any(|before| text.contains(&format!("{before}{}(", row.name)));
        assert!(is_called, "{file} does not call {}", row.name);
    }
}

/// A number of files, not a time, and one seed: the answer is the same on every machine and day.
#[test]
fn generated_kernels_are_judged_right() {
    let mut arguments: Vec<String> = ["--cases", "120", "--seed", "7"]
        .map(str::to_owned)
        .to_vec();
    for construct in open("construct ") {
        arguments.extend(["--without".to_owned(), construct]);
    }
    let (report, code) = judge(&arguments);
    assert_eq!(code, Some(0), "{report}");
}
