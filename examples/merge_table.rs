//! Predicted merges beside NVRTC's machine code: which of them the compiler makes.
//!
//! `cargo run --release --example merge_table -- BINARY [-I FOLDER]… FILE…` asks the binary for the accesses of each
//! file, and for the machine code of the kernels with merges in them (`judge --nvrtc --machine-code`; `CUDALINT_NVRTC`
//! as for the judge, no GPU). Of each load and store that is predicted to be part of a wider one it tells whether the
//! same line has one of that width, and prints those that have none, then the share that agrees.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const ARCH: &str = "sm_90";

#[derive(Default)]
struct Tally {
    agree: usize,
    disagree: usize,
    /// Predictions for lines without any such instruction: dropped, or counted under another line.
    unseen: usize,
    /// Files that were not compiled.
    left_out: usize,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("merge_table: {message}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let binary = arguments.next().ok_or("name the binary, then files")?;
    let mut includes: Vec<String> = Vec::new();
    let mut tally = Tally::default();
    while let Some(argument) = arguments.next() {
        if argument == "-I" {
            let folder = arguments.next().ok_or("-I needs a folder")?;
            includes.extend(["-I".to_owned(), folder]);
        } else if compare(&binary, &includes, &argument, &mut tally).is_none() {
            tally.left_out += 1;
        }
    }
    let Tally {
        agree,
        disagree,
        unseen,
        left_out,
    } = tally;
    let share = 100.0 * agree as f64 / (agree + disagree).max(1) as f64;
    println!(
        "{agree} of {} predicted merges are made ({share:.1}%), {unseen} stand on lines without such an access, \
         {left_out} files left out",
        agree + disagree
    );
    Ok(())
}

fn ask(binary: &str, arguments: &[String]) -> Option<Value> {
    let output = Command::new(binary).args(arguments).output().ok()?;
    serde_json::from_slice(&output.stdout).ok()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn kernel_of(access: &Value) -> String {
    format!("{}{}", text(access, "kernel"), text(access, "instance"))
}

/// `None` where there is no answer to compare with.
fn compare(binary: &str, includes: &[String], file: &str, tally: &mut Tally) -> Option<()> {
    let mut question = vec![
        "accesses".to_owned(),
        "--format".to_owned(),
        "json".to_owned(),
    ];
    question.extend(includes.iter().cloned());
    question.push(file.to_owned());
    let said = ask(binary, &question)?;
    let merged = said["accesses"].as_array()?.iter();
    let merged: Vec<&Value> = merged.filter(|one| !one["merged"].is_null()).collect();
    if merged.is_empty() {
        return Some(());
    }
    let kernels: BTreeSet<String> = merged.iter().map(|one| kernel_of(one)).collect();
    let mut question: Vec<String> = ["judge", "--nvrtc", "--machine-code", ARCH]
        .map(str::to_owned)
        .into();
    question.extend(includes.iter().cloned());
    for kernel in &kernels {
        question.extend(["--kernel".to_owned(), kernel.clone()]);
    }
    question.extend(["--".to_owned(), file.to_owned()]);
    let compiled = ask(binary, &question)?;
    let functions = compiled["functions"].as_array()?;
    let whole = |path: &str| std::fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    let mut seen: BTreeSet<(String, u64, u64, &str)> = BTreeSet::new();
    for one in merged {
        let kernel = kernel_of(one);
        let (line, column) = (one["line"].as_u64()?, one["column"].as_u64()?);
        let at = kernels.iter().position(|name| *name == kernel)?;
        let Some(function) = functions.get(at).and_then(Value::as_str) else {
            continue;
        };
        // An access under several launches is one piece of code.
        if !seen.insert((kernel, line, column, text(one, "op"))) {
            continue;
        }
        let lines = line..=one["end_line"].as_u64().unwrap_or(line);
        let path = whole(text(one, "file"));
        let here = compiled["accesses"].as_array()?.iter().filter(|code| {
            text(code, "function") == function
                && code["line"]
                    .as_u64()
                    .is_some_and(|line| lines.contains(&line))
                && text(code, "space").eq_ignore_ascii_case(text(one, "space"))
                && text(code, "op").eq_ignore_ascii_case(text(one, "op"))
                && whole(text(code, "file")) == path
        });
        let widths: BTreeSet<u64> = here.filter_map(|code| code["width"].as_u64()).collect();
        let wanted = one["merged"]["width"].as_u64()?;
        if widths.is_empty() {
            tally.unseen += 1;
        } else if widths.contains(&wanted) {
            tally.agree += 1;
        } else {
            tally.disagree += 1;
            let file = Path::new(file).display();
            println!(
                "{file}:{line}:{column}: {} {} of `{}`: {wanted} bytes predicted, {widths:?} made",
                text(one, "space"),
                text(one, "op"),
                text(one, "array")
            );
        }
    }
    Some(())
}
