//! Reads the verdicts that `cudalint accesses --format json` gives.

use super::assume::Assumption;
use super::bounded;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Clone, Debug, Deserialize)]
pub struct Verdict {
    pub file: String,
    pub line: u32,
    pub end_line: u32,
    #[serde(default)]
    pub column: u32,
    #[serde(default)]
    pub end_column: u32,
    pub kernel: String,
    #[serde(default)]
    pub instance: String,
    pub launch: Shape,
    pub space: String,
    #[serde(default)]
    pub array: String,
    pub op: String,
    pub width: u32,
    pub cost: Bounds,
    pub ideal: u32,
    #[serde(default)]
    pub per_block: Option<Sum>,
    pub status: String,
    #[serde(default)]
    pub reason: String,
    #[serde(default)]
    pub depends_on: Vec<Dependence>,
    #[serde(default)]
    pub assumptions: Vec<String>,
    /// The same, one by one.
    #[serde(default)]
    pub assumes: Vec<Assumption>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Shape {
    pub block: [Option<u64>; 3],
    pub grid: [Option<u64>; 3],
    pub source: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Bounds {
    pub min: u32,
    pub max: u32,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
pub struct Sum {
    pub requests: u64,
    pub cost: u64,
    pub ideal: u64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Dependence {
    pub symbol: String,
    pub cases: Vec<DependenceCase>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct DependenceCase {
    pub when: String,
    pub min: u32,
    pub max: u32,
}

/// A function, or a part of one, that was not read.
#[derive(Clone, Debug, Deserialize)]
pub struct Unread {
    #[serde(default)]
    pub file: String,
    #[serde(default)]
    pub line: u32,
    #[serde(default)]
    pub end_line: u32,
    #[serde(default)]
    pub function: String,
    /// Set where something else than its text was left out.
    #[serde(default)]
    pub omits: Option<Omits>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Omits {
    /// Launches of a kernel that has more of them than are analysed.
    Launches,
}

#[derive(Debug, Default, Deserialize)]
pub struct Report {
    pub accesses: Vec<Verdict>,
    #[serde(default)]
    pub not_analysed: Vec<Unread>,
    #[serde(default)]
    pub gaps: Vec<Unread>,
}

impl Report {
    pub fn add(&mut self, other: Self) {
        self.accesses.extend(other.accesses);
        self.not_analysed.extend(other.not_analysed);
        self.gaps.extend(other.gaps);
    }
}

impl Verdict {
    pub fn is_known(&self) -> bool {
        self.status == "exact" || self.status == "bounded"
    }

    pub fn describe(&self) -> String {
        let array = &self.array;
        let mut text = format!(
            "{} {} of `{array}`, {} bytes, block {:?}: {}",
            self.space,
            self.op,
            self.width,
            self.launch.block.map(|n| n.unwrap_or(0)),
            self.status
        );
        if self.is_known() {
            text += &format!(" {}..{}/{}", self.cost.min, self.cost.max, self.ideal);
        }
        if !self.reason.is_empty() {
            text += &format!(" ({})", self.reason);
        }
        if !self.assumptions.is_empty() {
            text += &format!(", assuming {}", self.assumptions.join("; "));
        }
        text
    }
}

/// Verdicts of these files, together one program.
pub fn ask(
    binary: &Path,
    paths: &[PathBuf],
    limit: impl Into<bounded::Limit>,
) -> Result<Report, bounded::Failure> {
    let mut command = Command::new(binary);
    command
        .args([
            "accesses",
            "--format",
            "json",
            "--isolated",
            "--no-cache",
            "-j",
            "1",
        ])
        .args(paths);
    let output = bounded::output(&mut command, limit)?;
    if output.stdout.is_empty() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(bounded::Failure::Broken(format!(
            "`{} accesses` ended with {} and said: {complaint}",
            binary.display(),
            output.status
        )));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| {
        bounded::Failure::Broken(format!("the list of accesses cannot be read: {error}"))
    })
}
