//! Fixes, judged by what they are for: the fixed text gives the same outputs, at no higher cost.

use super::batch::{self, Toolchain, execute, look_for_races};
use super::bounded::{self, Unjudged};
use super::case::{Case, Run};
use super::driver::Options;
use super::finds::{Class, Finding};
use super::trace::{RunTrace, Status};
use crate::gpu::Arch;
use crate::gpu::cost::{self, Op, Space};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Fixing a batch takes the analyser seconds.
const LIMIT: Duration = Duration::from_secs(120);

/// What was asked of the original cases, and what they did.
pub struct Originals<'a> {
    pub cases: &'a [&'a Case],
    pub runs: &'a [(usize, Vec<Run>)],
    pub traces: &'a [Vec<&'a RunTrace>],
}

/// How many cases a fix changed, and what is wrong with them, by case. `together` files are fixed as one
/// program.
#[expect(clippy::too_many_lines, reason = "still to be split")]
pub fn judge(
    options: &Options,
    toolchain: &Toolchain,
    folder: &Path,
    originals: &Originals,
    with_unsafe: bool,
    together: usize,
) -> Result<(u64, Vec<(usize, Finding)>), Unjudged> {
    let built = folder;
    let folder = folder.join("fixed");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let path = |at: usize| folder.join(format!("judged_{at}.cu"));
    let paths: Vec<PathBuf> = (0..originals.cases.len()).map(path).collect();
    for (path, case) in paths.iter().zip(originals.cases) {
        batch::write(path, &case.text)?;
    }
    for some in paths.chunks(together) {
        let mut command = Command::new(&options.binary);
        command.args(["check", "--fix-only", "--isolated", "--no-cache", "-j", "1"]);
        if with_unsafe {
            command.arg("--unsafe-fixes");
        }
        command.args(some);
        bounded::output(&mut command, options.deadline.within_processor_time(LIMIT))
            .map_err(|failure| failure.of("cudalint check --fix-only"))?;
    }
    let mut places = Vec::new();
    let mut fixed = Vec::new();
    for (at, path) in paths.iter().enumerate() {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let ran = originals.traces[at]
            .iter()
            .any(|run| run.status == Status::Fine);
        if text != originals.cases[at].text && ran {
            let mut case = originals.cases[at].clone();
            case.text = text;
            places.push(at);
            fixed.push(case);
        }
    }
    if fixed.is_empty() {
        return Ok((0, Vec::new()));
    }
    let list: Vec<&Case> = fixed.iter().collect();
    let runs = places.iter().enumerate();
    let runs: Vec<(usize, Vec<Run>)> = runs
        .map(|(new, at)| (new, originals.runs[*at].1.clone()))
        .collect();
    let outcome = execute(toolchain, &folder, &list, &runs, options.deadline)?;
    // Threads that race promise no outputs that a fix could keep.
    let raced: Vec<(usize, Vec<Run>)> = places
        .iter()
        .map(|at| (*at, originals.runs[*at].1.clone()))
        .collect();
    let raced = look_for_races(built, &raced, options.deadline)?;
    let is_racy = |at: usize, id: u32| {
        let is_this = |run: &&RunTrace| run.case as usize == at && run.id == id;
        let run = raced.runs.iter().find(is_this);
        run.is_none_or(|run| run.status != Status::Fine)
    };
    let mut found = Vec::new();
    for (new, at) in places.iter().enumerate() {
        let complain = |message: String| Finding {
            class: Class::Fix,
            kernel: originals.cases[*at].name.clone(),
            line: 0,
            message: format!("{message}; fixed text:\n{}", fixed[new].text),
        };
        if let Some((_, complaint)) = outcome.rejected.iter().find(|(other, _)| *other == new) {
            found.push((
                *at,
                complain(format!("the fixed text does not compile: {complaint}")),
            ));
            continue;
        }
        let afterwards = outcome
            .trace
            .runs
            .iter()
            .filter(|run| run.case as usize == new);
        for after in afterwards {
            let before = originals.traces[*at].iter().find(|run| run.id == after.id);
            let Some(before) = before.filter(|run| is_fine(run) && !is_racy(*at, run.id)) else {
                continue;
            };
            // A longer index takes more steps; how many may be taken is the judge's own limit.
            if after.status == Status::Exhausted {
                continue;
            }
            if !is_fine(after) {
                found.push((
                    *at,
                    complain(format!("run {} ends with {:?}", after.id, after.status)),
                ));
                break;
            }
            if before.digest != after.digest {
                found.push((
                    *at,
                    complain(format!("run {} gives other outputs", after.id)),
                ));
                break;
            }
            let (old, new) = (wavefronts(before), wavefronts(after));
            if new > old && !with_unsafe {
                found.push((
                    *at,
                    complain(format!(
                        "run {} takes {new} wavefronts, it took {old}",
                        after.id
                    )),
                ));
                break;
            }
        }
    }
    Ok((places.len() as u64, found))
}

fn is_fine(run: &RunTrace) -> bool {
    run.status == Status::Fine
        && run
            .launches
            .iter()
            .all(|launch| launch.status == Status::Fine)
}

/// Of all shared requests of a run; atomics cost what the instruction behind them does.
fn wavefronts(run: &RunTrace) -> u64 {
    let requests = run.blocks.iter().flat_map(|block| &block.requests);
    let shared = requests.filter(|request| !request.is_global && request.op < 2);
    shared
        .map(|request| {
            let ask = cost::Request {
                addresses: request.addresses,
                width: request.size,
                space: Space::Shared,
                op: [Op::Load, Op::Store][usize::from(request.op)],
            };
            u64::from(cost::cost(&ask, &Arch::DEFAULT).actual)
        })
        .sum()
}
