//! The findings log over bodies of code, one line a finding, and what changed since the last one.
//!
//! ```text
//! cargo run --release --example lintcheck -- --log findings.log FOLDER…
//! ```
//!
//! Given folders, writes `FOLDER/FILE:LINE:COLUMN CODE KERNEL ARRAY: MESSAGE` of every finding of
//! each, in order, to the log (standard output without `--log`). Where the log was there before,
//! prints the lines that are gone (`-`) and new (`+`) and ends with 1 if there are any. Each folder
//! below a given one is a run of its own, as its files are built together; paths begin with the
//! given folder's name, so that logs of two machines compare.

use cudalint::finding::Finding;
use cudalint::session::input::load;
use cudalint::session::{self, Options};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(is_changed) => ExitCode::from(u8::from(is_changed)),
        Err(message) => {
            eprintln!("lintcheck: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<bool, String> {
    let mut log = None;
    let mut folders = Vec::new();
    while let Some(argument) = arguments.next() {
        if argument == "--log" {
            let path = arguments.next().ok_or("--log needs the path of a file")?;
            log = Some(PathBuf::from(path));
        } else {
            folders.push(PathBuf::from(argument));
        }
    }
    if folders.is_empty() {
        return Err("name one folder or more, after `--log FILE` to keep the log".to_owned());
    }
    let mut lines = BTreeSet::new();
    for folder in &folders {
        let root = folder.parent().unwrap_or(Path::new(""));
        for group in groups(folder)? {
            lines.extend(findings(group, root));
        }
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let Some(log) = log else {
        print!("{text}");
        return Ok(false);
    };
    let before = std::fs::read_to_string(&log).ok();
    std::fs::write(&log, &text).map_err(|error| format!("{}: {error}", log.display()))?;
    let Some(before) = before else {
        println!("{} findings written to {}", lines.len(), log.display());
        return Ok(false);
    };
    let before: BTreeSet<String> = before.lines().map(str::to_owned).collect();
    for gone in before.difference(&lines) {
        println!("-{gone}");
    }
    for new in lines.difference(&before) {
        println!("+{new}");
    }
    println!("{} findings, {} before", lines.len(), before.len());
    Ok(before != lines)
}

/// The folders right below this one, in order; the folder itself where there is none.
fn groups(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut groups = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(problem)? {
        let path = entry.map_err(problem)?.path();
        if path.is_dir() {
            groups.push(path);
        }
    }
    groups.sort();
    if groups.is_empty() {
        groups.push(folder.to_path_buf());
    }
    Ok(groups)
}

/// A line for each finding in a folder whose files belong together.
fn findings(folder: PathBuf, root: &Path) -> Vec<String> {
    let loaded = load::load(load::Request {
        paths: &[folder],
        ..load::Request::default()
    });
    let options = Options {
        headers: loaded.headers,
        fixes: false,
        ..Options::default()
    };
    let analysis = session::analyse(&loaded.files, &options);
    let line = |finding: &Finding| {
        let file = analysis.sources.get(finding.primary.span.file);
        let at = file.line_column(finding.primary.span.start);
        format!(
            "{}:{}:{} {} {} {}: {}",
            file.path.strip_prefix(root).unwrap_or(&file.path).display(),
            at.line,
            at.column,
            finding.code,
            finding.kernel,
            finding.array,
            finding.message
        )
    };
    analysis.findings.iter().map(line).collect()
}
