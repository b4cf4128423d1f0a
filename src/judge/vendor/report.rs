//! What came of each file, and the table of all of them.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct FileReport {
    pub kernels: Vec<KernelReport>,
    pub found: Vec<Found>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct KernelReport {
    pub kernel: String,
    pub instance: String,
    pub compared: u64,
    pub left_out: BTreeMap<String, u64>,
    /// Why nothing of it was compared.
    pub reason: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Found {
    pub file: String,
    pub line: u32,
    pub class: String,
    pub kernel: String,
    pub message: String,
}

/// Reasons of one project that are told.
const MOST_REASONS: usize = 5;

/// What came of a project.
#[derive(Default)]
struct Row {
    files: usize,
    kernels: usize,
    compared: usize,
    requests: u64,
    found: BTreeMap<String, usize>,
    reasons: BTreeMap<String, usize>,
}

#[expect(clippy::too_many_lines, reason = "still to be split")]
pub(super) fn table(
    files: &[(PathBuf, PathBuf)],
    reports: &BTreeMap<usize, Result<FileReport, String>>,
) -> bool {
    let mut rows: BTreeMap<&Path, Row> = BTreeMap::new();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut left_out: BTreeMap<String, u64> = BTreeMap::new();
    let mut done: BTreeSet<(String, u32, String)> = BTreeSet::new();
    for (at, report) in reports {
        let row = rows.entry(&files[*at].0).or_default();
        row.files += 1;
        match report {
            Ok(report) => {
                for kernel in &report.kernels {
                    row.kernels += 1;
                    row.compared += usize::from(kernel.compared > 0);
                    row.requests += kernel.compared;
                    for (why, count) in &kernel.left_out {
                        *left_out.entry(why.clone()).or_default() += count;
                    }
                    if kernel.compared == 0 {
                        *reasons.entry(kernel.reason.clone()).or_default() += 1;
                        *row.reasons.entry(kind_of(&kernel.reason)).or_default() += 1;
                    }
                }
                for one in &report.found {
                    if done.insert((one.file.clone(), one.line, one.class.clone())) {
                        *row.found.entry(one.class.clone()).or_default() += 1;
                    }
                }
            }
            Err(why) => {
                *reasons.entry(format!("file: {why}")).or_default() += 1;
                *row.reasons
                    .entry(format!("file: {}", kind_of(why)))
                    .or_default() += 1;
            }
        }
    }
    println!(
        "{:<44} {:>6} {:>8} {:>9} {:>11}  found",
        "project", "files", "kernels", "compared", "requests"
    );
    let mut sum = Row::default();
    let show = |name: &str, row: &Row| {
        let found: Vec<String> = row
            .found
            .iter()
            .map(|(class, count)| format!("{count} {class}"))
            .collect();
        let found = if found.is_empty() {
            "nothing".to_owned()
        } else {
            found.join(", ")
        };
        println!(
            "{name:<44} {:>6} {:>8} {:>9} {:>11}  {found}",
            row.files, row.kernels, row.compared, row.requests
        );
    };
    for (root, row) in &rows {
        show(&root.display().to_string(), row);
        for (why, count) in by_count(&row.reasons).iter().take(MOST_REASONS) {
            println!("{count:>14}  {why}");
        }
        sum.files += row.files;
        sum.kernels += row.kernels;
        sum.compared += row.compared;
        sum.requests += row.requests;
        for (class, count) in &row.found {
            *sum.found.entry(class.clone()).or_default() += count;
        }
    }
    show("all", &sum);
    println!("kernels of which nothing was compared:");
    for (why, count) in by_count(&reasons).iter().take(40) {
        println!("{count:>8}  {why}");
    }
    println!("requests that were not compared:");
    for (why, count) in &left_out {
        println!("{count:>8}  {why}");
    }
    sum.compared > 0
        && !sum
            .found
            .keys()
            .any(|class| class == "wrong" || class == "missing")
}

fn by_count(reasons: &BTreeMap<String, usize>) -> Vec<(&str, usize)> {
    let mut out: Vec<(&str, usize)> = reasons.iter().map(|(why, n)| (why.as_str(), *n)).collect();
    out.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    out
}

/// A reason without what differs from kernel to kernel.
fn kind_of(reason: &str) -> String {
    let kind = if reason.starts_with(super::NOT_COMPILED) {
        super::NOT_COMPILED
    } else {
        reason.split(['`', '\n']).next().unwrap_or(reason)
    };
    kind.trim().chars().take(90).collect()
}
