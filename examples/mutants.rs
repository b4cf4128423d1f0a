//! A check of the checks: errors put into the prover on purpose must make a test fail.
//!
//! ```text
//! cargo run --example mutants [WORD]
//! ```
//!
//! Given `tests/mutants.toml`, copies the sources aside and makes all changes there, each behind a
//! switch of its own. Then runs the suites that judge verdicts with one switch on after the other
//! (those whose description holds WORD) and prints which of the changes they noticed. Ends with 1
//! if one was not noticed, with 2 if the suites fail where nothing is switched on.

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

/// Suites that hold verdicts to the simulator and to what fixtures say, and the prover's own tests; the quick ones
/// first, for the first that fails ends a mutant.
const SUITES: [&str; 8] = [
    "certificates::",
    "fixtures::",
    "sums::",
    "prove::",
    "oracle::",
    "measured::",
    "generated::",
    "judge::",
];

/// What the copy's library gets: whether a mutant is switched on.
const SWITCH: &str = r#"
#[must_use]
pub(crate) fn is_mutated(number: usize) -> bool {
    static ON: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();
    *ON.get_or_init(|| std::env::var("CUDALINT_MUTANT").ok()?.parse().ok()) == Some(number)
}
"#;

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
    for (number, mutant) in mutants.mutant.iter().enumerate() {
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
        let switched = mutant
            .replace
            .replace("MUTATED", &format!("crate::is_mutated({number})"));
        std::fs::write(&path, text.replacen(&mutant.find, &switched, 1))?;
    }
    let library = copy.join("src/lib.rs");
    let text = std::fs::read_to_string(&library)?;
    std::fs::write(&library, text + SWITCH)?;
    if !passes(&copy, None)? {
        return Err("the suites fail where nothing is switched on".into());
    }
    let mut all_noticed = true;
    for (number, mutant) in mutants.mutant.iter().enumerate() {
        if !mutant.why.contains(word) {
            continue;
        }
        let is_noticed = !passes(&copy, Some(number))?;
        println!(
            "{:12} {}",
            if is_noticed { "noticed" } else { "NOT NOTICED" },
            mutant.why
        );
        all_noticed &= is_noticed;
    }
    Ok(all_noticed)
}

/// Whether the suites pass with that mutant switched on; an error if they do not build. The library's own tests are
/// another build: they are asked only of what the suites let through.
fn passes(folder: &Path, mutant: Option<usize>) -> Result<bool, Box<dyn std::error::Error>> {
    // What one mutant has proved is not for the next.
    let cache = folder.join("cache");
    if cache.exists() {
        std::fs::remove_dir_all(&cache)?;
    }
    for target in [["--test", "suite"].as_slice(), &["--lib"]] {
        let cargo = || {
            let mut command = Command::new(env!("CARGO"));
            command
                .args(["test", "--quiet"])
                .args(target)
                .current_dir(folder)
                .env("CARGO_TARGET_DIR", folder.join("target"))
                .env("XDG_CACHE_HOME", &cache)
                .stdout(Stdio::null());
            command
        };
        let build = cargo().arg("--no-run").output()?;
        if !build.status.success() {
            return Err(String::from_utf8_lossy(&build.stderr).into_owned().into());
        }
        for suite in SUITES {
            let mut run = cargo();
            run.args(["--", suite]).stderr(Stdio::null());
            if let Some(number) = mutant {
                run.env("CUDALINT_MUTANT", number.to_string());
            }
            if !run.status()?.success() {
                return Ok(false);
            }
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
