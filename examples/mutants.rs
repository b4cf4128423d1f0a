//! A check of the checks: errors put into the prover on purpose must make a test fail.
//!
//! ```text
//! cargo run --example mutants [WORD]
//! ```
//!
//! Given `tests/mutants.toml`, copies the sources aside, makes one change after the other (those
//! whose description holds WORD), runs the suites that judge verdicts and prints which of the
//! changes they noticed. Ends with 1 if one was not noticed. Each takes a build of the library.

use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

#[derive(Deserialize)]
struct Mutants {
    mutant: Vec<Mutant>,
}

#[derive(Deserialize)]
struct Mutant {
    why: String,
    file: PathBuf,
    find: String,
    replace: String,
}

/// Suites that hold verdicts to the simulator and to what fixtures say, and the prover's own tests.
const SUITES: [&str; 8] = [
    "judge::",
    "fixtures::",
    "oracle::",
    "generated::",
    "certificates::",
    "measured::",
    "sums::",
    "prove::",
];

fn main() -> ExitCode {
    let word = std::env::args().nth(1).unwrap_or_default();
    match run(&word) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("mutants: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(word: &str) -> Result<bool, Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = std::fs::read_to_string(root.join("tests/mutants.toml"))?;
    let mutants: Mutants = toml::from_str(&list)?;
    let copy = root.join("target/mutants");
    std::fs::create_dir_all(&copy)?;
    for name in ["Cargo.toml", "Cargo.lock", "build.rs"] {
        std::fs::copy(root.join(name), copy.join(name))?;
    }
    for folder in [
        "src", "tests", "benches", "examples", "fixtures", "rules", "docs", "editors",
    ] {
        copy_folder(&root.join(folder), &copy.join(folder))?;
    }
    let mut all_noticed = true;
    for mutant in mutants
        .mutant
        .iter()
        .filter(|mutant| mutant.why.contains(word))
    {
        let path = copy.join(&mutant.file);
        let text = std::fs::read_to_string(&path)?;
        if text.matches(&mutant.find).count() != 1 {
            return Err(format!(
                "`{}` does not occur once in {}",
                mutant.find,
                mutant.file.display()
            )
            .into());
        }
        std::fs::write(&path, text.replacen(&mutant.find, &mutant.replace, 1))?;
        let is_noticed = !passes(&copy)?;
        std::fs::write(&path, text)?;
        println!(
            "{:12} {}",
            if is_noticed { "noticed" } else { "NOT NOTICED" },
            mutant.why
        );
        all_noticed &= is_noticed;
    }
    Ok(all_noticed)
}

/// Whether the suites pass; an error if they do not build. The library's own tests are another build:
/// they are asked only of what the suites let through.
fn passes(folder: &Path) -> Result<bool, Box<dyn std::error::Error>> {
    for target in [["--test", "suite"].as_slice(), &["--lib"]] {
        let cargo = || {
            let mut command = Command::new(env!("CARGO"));
            command
                .args(["test", "--quiet"])
                .args(target)
                .current_dir(folder)
                .env("CARGO_TARGET_DIR", folder.join("target"))
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            command
        };
        if !cargo().arg("--no-run").status()?.success() {
            return Err("a change does not compile".into());
        }
        if !cargo().arg("--").args(SUITES).status()?.success() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            if entry.file_name() != "node_modules" {
                copy_folder(&entry.path(), &target)?;
            }
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
