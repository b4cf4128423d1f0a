//! Fixes that are offered, tried with the vendor's compiler.
//!
//! Given projects, or reports of `check --format json` on them, applies each fix to a copy of its file in memory
//! and has [`pair`] compile and run the text before and after it, in a process of its own. Prints a table by project.

mod edit;
mod pair;
mod table;
mod units;

use super::{Options, bounded, scratch};
use crate::nvrtc::Compiler;
use edit::Edit;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How long the findings of one project may take.
const PATIENCE: Duration = Duration::from_secs(1800);

/// `check --format json`, as far as fixes go.
#[derive(Deserialize)]
struct Findings {
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    code: String,
    file: PathBuf,
    line: u32,
    kernel: String,
    #[serde(default)]
    instance: String,
    #[serde(default)]
    fixes: Vec<Fix>,
}

#[derive(Deserialize)]
struct Fix {
    title: String,
    safety: String,
    #[serde(default)]
    edits: Vec<Edit>,
}

/// One fix, and the kernels that findings offer it for.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Offered {
    code: String,
    title: String,
    safety: String,
    /// Where its first finding is.
    file: PathBuf,
    line: u32,
    edits: Vec<Edit>,
    /// Name and template arguments.
    kernels: Vec<(String, String)>,
    /// The project that it belongs to.
    root: PathBuf,
}

/// What the compiler and the interpreter of its PTX say of a fix.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Outcome {
    /// The process that tried it was stopped, or broke down.
    Lost(String),
    /// The text before the fix does not compile.
    NotCompiled(String),
    /// The text before the fix compiles, the text after it does not.
    Broken(String),
    /// Both compile, and store different values.
    Differs(String),
    /// Both compile and store the same values, at a higher cost than before.
    Dearer(String),
    /// Both compile; why none of the kernels could be run to the end.
    NotRun(String),
    /// Both compile and store the same values.
    Same(pair::Costs),
}

/// Tries all fixes and prints a table; whether none of them is wrong.
///
/// # Errors
/// Where NVRTC is not found, or findings cannot be had.
pub fn run(options: &Options) -> Result<bool, String> {
    let compiler = Compiler::find()?;
    if options.alone {
        let path = options.paths.first().ok_or("no file")?;
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let offered: Offered = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let folder = scratch("fix")?;
        let outcome = pair::try_fix(options, &compiler, &offered, &folder);
        if options.verbose {
            eprintln!("{}", folder.display());
        } else {
            let _ = std::fs::remove_dir_all(&folder);
        }
        let text = serde_json::to_string(&outcome?).map_err(|error| error.to_string())?;
        println!("{text}");
        return Ok(true);
    }
    println!("NVRTC {}, seed {}", compiler.version, options.seed);
    let mut offered = Vec::new();
    for path in &options.paths {
        offered.extend(of_project(options, path)?);
    }
    let folder = scratch("fixes")?;
    let next = AtomicUsize::new(0);
    let outcomes: Mutex<BTreeMap<usize, Outcome>> = Mutex::default();
    let worker = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = offered.get(at) else { break };
            let file = folder.join(format!("{at}.json"));
            let outcome = apart(options, one, &file).unwrap_or_else(Outcome::Lost);
            table::tell(one, &outcome);
            let mut outcomes = outcomes.lock().unwrap_or_else(|held| held.into_inner());
            outcomes.insert(at, outcome);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(worker);
        }
    });
    let _ = std::fs::remove_dir_all(&folder);
    let outcomes = outcomes
        .into_inner()
        .unwrap_or_else(|held| held.into_inner());
    Ok(table::print(&offered, &outcomes))
}

/// The fixes of a project, each once.
fn of_project(options: &Options, path: &Path) -> Result<Vec<Offered>, String> {
    let is_report = path.extension().is_some_and(|one| one == "json");
    let text = if is_report {
        std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?
    } else {
        let mut command = Command::new(&options.binary);
        command.args(["check", "--isolated", "--format", "json", "--exit-zero"]);
        command.args(["--level", "info"]);
        for include in &options.includes {
            command.arg("-I").arg(include);
        }
        let output = bounded::output(command.arg(path), PATIENCE);
        output.map_err(|problem| problem.to_string())?.stdout
    };
    let said: Findings = serde_json::from_slice(&text)
        .map_err(|error| format!("the findings of {}: {error}", path.display()))?;
    let mut out: Vec<Offered> = Vec::new();
    for finding in said.findings {
        let kernel = (finding.kernel, finding.instance);
        for fix in finding.fixes {
            if fix.edits.is_empty() {
                continue;
            }
            if let Some(known) = out.iter_mut().find(|known| known.edits == fix.edits) {
                if !known.kernels.contains(&kernel) {
                    known.kernels.push(kernel.clone());
                }
                continue;
            }
            out.push(Offered {
                code: finding.code.clone(),
                title: fix.title,
                safety: fix.safety,
                file: finding.file.clone(),
                line: finding.line,
                edits: fix.edits,
                kernels: vec![kernel.clone()],
                root: path.to_path_buf(),
            });
        }
    }
    Ok(out)
}

/// Tries one fix in a process of its own; why there is no answer.
fn apart(options: &Options, offered: &Offered, file: &Path) -> Result<Outcome, String> {
    let text = serde_json::to_string(offered).map_err(|error| error.to_string())?;
    std::fs::write(file, text).map_err(|error| error.to_string())?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args(["judge", "--nvrtc", "--fixes", "--alone"]);
    command.args(["--seed", &options.seed.to_string()]);
    command.args(["--runs", &options.turns.to_string()]);
    command.args(["--limit", &options.seconds_a_file.to_string()]);
    for include in &options.includes {
        command.arg("-I").arg(include);
    }
    command.arg(file).env("CUDALINT_BIN", &options.binary);
    let limit = Duration::from_secs(options.seconds_a_file.max(1));
    let output = bounded::output(&mut command, limit).map_err(|failure| failure.to_string())?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let last = complaint.lines().last().unwrap_or("it says nothing");
        format!("breaks down ({}): {last}", output.status)
    })
}
