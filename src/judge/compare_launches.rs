//! What `cudalint launches --format json` says, held against the launches that a program did.

use super::bounded;
use super::case::Case;
use super::finds::{Class, Finding};
use super::trace::{Argument, HostLaunch, RunTrace, Trace};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Debug, Default, Deserialize)]
pub struct Launches {
    launches: Vec<Record>,
    #[serde(default)]
    not_launched: Vec<NotLaunched>,
}

#[derive(Debug, Deserialize)]
struct Record {
    #[serde(default)]
    kernel: String,
    file: String,
    line: u32,
    #[serde(default)]
    grid: [Option<u64>; 3],
    #[serde(default)]
    block: [Option<u64>; 3],
    #[serde(default)]
    dynamic_shared: Option<u64>,
    #[serde(default)]
    arguments: Vec<Claimed>,
    #[serde(default)]
    also: Vec<FileLine>,
    #[serde(default)]
    problem: Option<String>,
}

#[derive(Debug, Deserialize)]
struct FileLine {
    file: String,
    line: u32,
}

#[derive(Debug, Deserialize)]
struct Claimed {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    value: serde_json::Value,
    #[serde(default)]
    offset: Option<i64>,
    #[serde(default)]
    step: Option<i64>,
}

#[derive(Debug, Deserialize)]
struct NotLaunched {
    kernel: String,
    file: String,
    /// Launches of which the kernel is not known: any of them may launch this one.
    #[serde(default)]
    unknown_launches: usize,
}

impl Launches {
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.launches.extend(other.launches);
        self.not_launched.extend(other.not_launched);
        self
    }
}

/// The launches of all files; none where the program has no such list.
pub fn ask(
    binary: &Path,
    paths: &[PathBuf],
    limit: bounded::Limit,
) -> Result<Option<Launches>, bounded::Failure> {
    let mut command = Command::new(binary);
    command
        .args(["launches", "--format", "json", "--isolated", "--no-cache"])
        .args(paths);
    let output = bounded::output(&mut command, limit)?;
    Ok(serde_json::from_slice(&output.stdout).ok())
}

/// Gives launches of a variable the name of the kernel that it held: the one that ran.
pub fn name_entered(trace: &mut Trace, cases: &[&Case]) {
    let sites = &trace.sites;
    for run in &mut trace.runs {
        let Some(case) = cases.get(run.case as usize) else {
            continue;
        };
        // A run may launch many thousand times: each block is looked at once.
        let mut is_open: Vec<bool> = run
            .launches
            .iter()
            .map(|launch| {
                let name = launch.kernel.rsplit("::").next().unwrap_or("").trim();
                !case.kernels.iter().any(|kernel| kernel.name == name)
            })
            .collect();
        for block in &run.blocks {
            let Some(number) = block.launch.filter(|at| is_open.get(*at) == Some(&true)) else {
                continue;
            };
            let places = block
                .requests
                .iter()
                .filter_map(|request| sites.get(request.site? as usize))
                .filter(|site| site.file == run.case);
            let mut entered = places
                .filter_map(|site| case.kernels.iter().find(|k| k.lines.contains(&site.line)));
            if let Some(kernel) = entered.next() {
                run.launches[number].kernel.clone_from(&kernel.name);
                is_open[number] = false;
            }
        }
    }
}

/// Gives arguments the values that the parameters hold, which may be narrower than what was given.
pub fn convert_arguments(trace: &mut Trace, cases: &[&Case]) {
    for run in &mut trace.runs {
        let Some(case) = cases.get(run.case as usize) else {
            continue;
        };
        for launch in &mut run.launches {
            let name = launch.kernel.rsplit("::").next().unwrap_or("").trim();
            // Overloads stand on one line as often as not, which the reader of cases takes for one.
            let is_alone = case.text.matches(&format!(" {name}(")).count() == 1;
            let mut named = case.kernels.iter().filter(|kernel| kernel.name == name);
            let Some(kernel) = named.next().filter(|_| is_alone) else {
                continue;
            };
            for (parameter, given) in kernel.parameters.iter().zip(&mut launch.arguments) {
                if !parameter.is_integer() {
                    continue;
                }
                let held = match *given {
                    Argument::Integer(value) => parameter.holds(value),
                    Argument::Float(value) if parameter.ty.trim() == "bool" => {
                        i128::from(value != 0.0)
                    }
                    Argument::Float(value) => parameter.holds(value as i64),
                    _ => continue,
                };
                *given = Argument::Integer(held as i64);
            }
        }
    }
}

/// Launches that a run did and the list does not have; how many were compared comes with it.
pub fn judge(list: &Launches, file: &str, runs: &[&RunTrace]) -> (u64, Vec<Finding>) {
    let is_own = |name: &str| name.ends_with(file);
    let mut compared = 0;
    let mut found: Vec<Finding> = Vec::new();
    for launch in runs.iter().flat_map(|run| &run.launches) {
        compared += 1;
        let of_place = list.launches.iter().filter(|record| {
            let is_here = is_own(&record.file) && record.line == launch.line;
            let is_alike = |place: &FileLine| is_own(&place.file) && place.line == launch.line;
            is_here || record.also.iter().any(is_alike)
        });
        let records: Vec<&Record> = of_place.collect();
        let name = launch.kernel.rsplit("::").next().unwrap_or("").trim();
        let denied = list
            .not_launched
            .iter()
            .any(|one| one.kernel == name && is_own(&one.file) && one.unknown_launches == 0);
        // What stands before `<<<` may be a variable that holds the kernel.
        let is_kernel = list.launches.iter().any(|record| record.kernel == name)
            || list.not_launched.iter().any(|one| one.kernel == name);
        let agrees = |record: &&Record| {
            let name = if is_kernel { name } else { &*record.kernel };
            speaks_of(record, name, launch)
        };
        if !denied && records.iter().any(agrees) {
            continue;
        }
        if found.iter().any(|known| known.line == launch.line) {
            continue;
        }
        let said: Vec<String> = records.iter().map(|record| say(record)).collect();
        found.push(Finding {
            class: Class::Launch,
            kernel: name.to_owned(),
            line: launch.line,
            message: format!(
                "a launch with grid {:?}, block {:?}, shared {}, {:?}; said: {}{}",
                launch.grid,
                launch.block,
                launch.shared,
                launch.arguments,
                if said.is_empty() {
                    "nothing".to_owned()
                } else {
                    said.join(" and ")
                },
                if denied {
                    ", and that nothing launches it"
                } else {
                    ""
                }
            ),
        });
    }
    (compared, found)
}

fn say(record: &Record) -> String {
    let shape = |three: [Option<u64>; 3]| {
        three
            .map(|n| n.map_or("?".to_owned(), |n| n.to_string()))
            .join(",")
    };
    let arguments: Vec<String> = record
        .arguments
        .iter()
        .map(|one| match one.kind.as_str() {
            "pointer" => format!("pointer+{:?} step {:?}", one.offset, one.step),
            kind => format!("{kind} {}", one.value),
        })
        .collect();
    format!(
        "grid {}, block {}, shared {:?}, ({})",
        shape(record.grid),
        shape(record.block),
        record.dynamic_shared,
        arguments.join("; ")
    )
}

fn speaks_of(record: &Record, name: &str, launch: &HostLaunch) -> bool {
    let same = |known: [Option<u64>; 3], real: [u32; 3]| {
        let mut axes = known.iter().zip(real);
        axes.all(|(known, real)| known.is_none_or(|n| n == u64::from(real)))
    };
    let has_shape = same(record.grid, launch.grid)
        && same(record.block, launch.block)
        && record.dynamic_shared.is_none_or(|n| n == launch.shared);
    if record.problem.is_some() {
        return has_shape;
    }
    let mut pairs = record.arguments.iter().zip(&launch.arguments);
    has_shape && record.kernel == name && pairs.all(|(claimed, real)| agrees(claimed, *real))
}

fn agrees(claimed: &Claimed, real: Argument) -> bool {
    match (claimed.kind.as_str(), real) {
        ("int", Argument::Integer(real)) => {
            // The parameter may be narrower than what was given.
            let said = claimed
                .value
                .as_i64()
                .or(claimed.value.as_u64().map(|n| n as i64));
            said.is_none_or(|said| said == real || said as i32 == real as i32)
        }
        ("int", Argument::Float(real)) => claimed
            .value
            .as_f64()
            .is_none_or(|said| said == real.trunc()),
        ("float", Argument::Float(real)) => {
            let close = |said: f64| said == real || said as f32 == real as f32;
            claimed.value.as_f64().is_none_or(close)
        }
        ("float", Argument::Integer(real)) => claimed
            .value
            .as_f64()
            .is_none_or(|said| said == real as f64),
        ("pointer", Argument::Pointer(real)) => match (claimed.offset, claimed.step) {
            (Some(offset), Some(step)) if step > 0 => (real - offset) % step == 0,
            (Some(offset), _) => offset == real,
            _ => true,
        },
        _ => true,
    }
}
