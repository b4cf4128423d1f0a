//! Input that means harm, and luck that is bad: every text ends in an answer, every run in one
//! clear sentence at worst.
//!
//! `deep` nests and chains what can be nested and chained, `texts` is bytes, macros, includes and
//! numbers, `doors` is everything else that is read, `cache` breaks the folder of proofs, `order`
//! compares outputs that must be equal, and `replay` plays what fuzzers found and mutations of the
//! fixtures.

mod cache;
mod deep;
mod doors;
mod escapes;
mod git_folder;
mod inputs;
mod leaks;
mod names;
mod order;
mod replay;
mod repository;
mod sizes;
mod solver;
mod stopped;
mod texts;
mod writes;

use cudalint::session::{self, Analysis, Options};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A kernel that has one access with a known answer; it follows what is hostile.
pub const HEALTHY: &str = "\n__global__ void healthy(float *o) { o[threadIdx.x * 2] = 1.0f; }\nvoid run() { healthy<<<1, 32>>>(0); }\n";

/// Analyses a text that stands alone.
fn survive(text: &str) -> Analysis {
    let options = Options {
        fixes: false,
        reads_disk: false,
        ..Options::default()
    };
    session::analyse_text("hostile.cu", text, &options)
}

/// Seconds of work on all cores together, whatever else the machine does: far more than the slowest run
/// takes in a test build. Squares take hours.
const MOST_SECONDS: u32 = 120;
/// Of address space: a run that reads a device to its end is stopped here.
const MOST_KILOBYTES: u64 = 8 << 20;

/// A command line behind the program that the system ends once it has worked too much or taken too much memory.
fn bounded(folder: &Path, arguments: &[&str]) -> Command {
    let limits = format!(
        "ulimit -t {MOST_SECONDS}; ulimit -v {MOST_KILOBYTES}; exec timeout -s KILL 900 \"$0\" \"$@\""
    );
    let mut command = Command::new("sh");
    command
        .args(["-c", &limits])
        .arg(crate::support::program())
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    command
}

/// A run that may neither wait nor take all memory; it ends with an exit code of its own.
fn run_bounded(folder: &Path, arguments: &[&str]) -> Output {
    let output = bounded(folder, arguments).output().expect("a shell");
    let code = crate::cli::code(&output);
    let said = crate::cli::stderr(&output);
    assert!(
        (0..=2).contains(&code),
        "{arguments:.200?}: {code}: {said:.2000}"
    );
    output
}

/// Whether the kernel that follows has its answer: 8 sectors where 4 would do.
fn has_healthy(analysis: &Analysis) -> bool {
    analysis.accesses.iter().any(|access| {
        let verdict = &access.verdict;
        &*access.kernel == "healthy" && (verdict.min, verdict.max, verdict.ideal) == (8, 8, 4)
    })
}

/// Asserts that the kernel named is listed with a reason, or has an access without an answer.
fn is_told(analysis: &Analysis, kernel: &str) -> bool {
    let is_named = |name: &str| name.contains(kernel);
    analysis
        .not_analysed
        .iter()
        .any(|one| is_named(&one.function) && !one.reason.is_empty())
        || analysis
            .program
            .kernels
            .iter()
            .any(|one| is_named(&one.name) && !one.gaps.is_empty())
        || analysis
            .accesses
            .iter()
            .any(|one| is_named(&one.kernel) && !one.verdict.reason.is_empty())
        || !analysis.notes.is_empty()
}
