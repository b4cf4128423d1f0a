//! Batches of cases, from generator or file to report.

use super::batch::{self, Toolchain, execute, scratch};
use super::bounded::{self, Deadline, Unjudged};
use super::case::{Case, Run};
use super::compare::judge;
use super::compare_launches;
use super::finds::{Class, Counts, End, Finding};
use super::fixes;
use super::generate;
use super::random::Random;
use super::report::{Tally, report};
use super::trace::RunTrace;
use super::verdicts;
use crate::gpu::Arch;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What to judge, and for how long.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The program whose verdicts are judged.
    pub binary: PathBuf,
    /// Files to judge; the generators' if there are none.
    pub files: Vec<PathBuf>,
    pub seed: u64,
    /// Ends after so many seconds …
    pub seconds: u64,
    /// When what still runs is stopped, before the seconds tell.
    pub deadline: Deadline,
    /// … or so many generated files.
    pub cases: usize,
    /// Runs of each launch.
    pub runs: usize,
    pub jobs: usize,
    /// Only generators whose name holds this.
    pub only: String,
    /// No generator of these names.
    pub without: Vec<String>,
    /// Where reduced finds go.
    pub finds: Option<PathBuf>,
    /// Finds are shown as they were generated.
    pub as_generated: bool,
    /// Every request that ran, for the first run.
    pub verbose: bool,
}

pub(super) const CASES_A_BATCH: usize = 40;
const RUNS_FOR_ASSUMPTIONS: usize = 80;
/// A run that has a time ends at most so much later: whoever waits for it may not wait for long.
const GRACE: Duration = Duration::from_secs(5);
/// Launches of one run that are looked at: a program may launch in a loop that never ends.
const MOST_LAUNCHES: usize = 2000;
/// A batch takes the analyser seconds. One that takes so long has a file in it that never ends …
const LIMIT_OF_A_BATCH: Duration = Duration::from_secs(60);
/// … and this long tells which; no generated file takes a tenth of it.
const LIMIT_OF_A_FILE: Duration = Duration::from_secs(20);

/// Judges and prints a report.
///
/// # Errors
/// Where there is no C++ compiler, or a program or file cannot be read or run.
pub fn run(options: &Options) -> Result<End, String> {
    let toolchain = Toolchain::find()?;
    if options.files.is_empty() {
        generated(options, &toolchain)
    } else {
        given(options, &toolchain)
    }
}

fn given(options: &Options, toolchain: &Toolchain) -> Result<End, String> {
    let mut cases = Vec::new();
    for path in &options.files {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        cases.push(Case::new(&path.display().to_string(), &text));
    }
    let mut end = End::Clean;
    let mut rest = &cases[..];
    while !rest.is_empty() {
        let (some, others) = rest.split_at(apart(rest));
        rest = others;
        let list: Vec<&Case> = some.iter().collect();
        let judged = judge_all(options, toolchain, &list, options.seed)
            .map_err(|problem| problem.to_string())?;
        for (case, (counts, findings, rejected)) in some.iter().zip(judged) {
            if let Some(complaint) = rejected {
                println!("{}: does not compile: {complaint}", case.name);
                end = End::Finds;
                continue;
            }
            println!("{}: {}", case.name, say(&counts));
            for finding in &findings {
                println!("{}", describe(&case.name, finding));
            }
            if !findings.is_empty() {
                end = End::Finds;
            }
        }
    }
    Ok(end)
}

fn names_differ(cases: &[&Case]) -> bool {
    let mut names = BTreeSet::new();
    let mut kernels = cases.iter().flat_map(|case| &case.kernels);
    kernels.all(|kernel| names.insert(&kernel.name))
}

/// How many of the cases go into one batch: those of which no two have a kernel of one name.
fn apart(cases: &[Case]) -> usize {
    let mut names = BTreeSet::new();
    let is_new = |case: &&Case| {
        case.kernels
            .iter()
            .all(|kernel| names.insert(kernel.name.clone()))
            && !case.has_main
    };
    cases
        .iter()
        .take(CASES_A_BATCH)
        .take_while(is_new)
        .count()
        .max(1)
}

pub(super) fn describe(file: &str, finding: &Finding) -> String {
    format!(
        "{file}:{}: {}: in `{}` {}",
        finding.line,
        finding.class.name(),
        finding.kernel,
        finding.message
    )
}

pub(super) fn say(counts: &Counts) -> String {
    format!(
        "{} runs ({} dropped), {} verdicts, {} requests compared, {} outside of assumptions, {} open, {} unread or merged, {} sums, {} launches, {} fixed texts",
        counts.runs,
        counts.dropped,
        counts.verdicts,
        counts.compared,
        counts.left_out,
        counts.open,
        counts.unread,
        counts.sums,
        counts.launches,
        counts.fixes
    )
}

pub type Judged = (Counts, Vec<Finding>, Option<String>);

/// Judges cases as one batch; for each what was counted and found, or why it does not compile.
pub fn judge_all(
    options: &Options,
    toolchain: &Toolchain,
    cases: &[&Case],
    seed: u64,
) -> Result<Vec<Judged>, Unjudged> {
    let folder = scratch("batch")?;
    let result = judge_in(options, toolchain, cases, seed, &folder);
    if !options.verbose {
        let _ = std::fs::remove_dir_all(&folder);
    }
    result
}

fn judge_in(
    options: &Options,
    toolchain: &Toolchain,
    cases: &[&Case],
    seed: u64,
    folder: &Path,
) -> Result<Vec<Judged>, Unjudged> {
    let mut paths = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let path = folder.join(format!("judged_{at}.cu"));
        batch::write(&path, &case.text)?;
        paths.push(path);
    }
    let runs = runs_of(options, cases, seed);
    let mut outcome = execute(toolchain, folder, cases, &runs, options.deadline)?;
    outcome.trace.shorten(MOST_LAUNCHES);
    compare_launches::name_entered(&mut outcome.trace, cases);
    compare_launches::convert_arguments(&mut outcome.trace, cases);
    // Files with kernels of one name would be taken for one program.
    let together = if names_differ(cases) {
        paths.len().max(1)
    } else {
        1
    };
    let Said {
        report,
        list,
        endless,
    } = ask(options, &paths, cases, together)?;
    let by_case = runs_by_case(&outcome.trace.runs, cases.len());
    let arch = Arch::DEFAULT;
    let mut out = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        if endless.contains(paths[at].as_path()) {
            out.push((Counts::default(), vec![not_analysed(case)], None));
            continue;
        }
        if let Some((_, complaint)) = outcome.rejected.iter().find(|(other, _)| *other == at) {
            out.push((Counts::default(), Vec::new(), Some(complaint.clone())));
            continue;
        }
        let mut judgement = judge(
            case,
            at,
            &runs[at].1,
            &by_case[at],
            &outcome.trace,
            &report,
            &arch,
        );
        if let Some(list) = list.as_ref().filter(|_| case.has_main) {
            let (compared, found) =
                compare_launches::judge(list, &format!("judged_{at}.cu"), &by_case[at]);
            judgement.counts.launches += compared;
            judgement.findings.extend(found);
        }
        out.push((judgement.counts, judgement.findings, None));
        if options.verbose {
            print_requests(&by_case[at], &outcome.trace);
        }
    }
    if !endless.is_empty() {
        return Ok(out);
    }
    let originals = fixes::Originals {
        cases,
        runs: &runs,
        traces: &by_case,
    };
    // Every other batch takes the fixes, too, that may cost something.
    let with_unsafe = seed.is_multiple_of(2);
    let (count, found) = fixes::judge(
        options,
        toolchain,
        folder,
        &originals,
        with_unsafe,
        together,
    )?;
    if let Some((counts, _, _)) = out.first_mut() {
        counts.fixes += count;
    }
    for (at, finding) in found {
        out[at].1.push(finding);
    }
    Ok(out)
}

/// How each case is run, by its number.
fn runs_of(options: &Options, cases: &[&Case], seed: u64) -> Vec<(usize, Vec<Run>)> {
    let runs = cases.iter().enumerate().map(|(at, case)| {
        let mut random = Random::new(seed ^ (at as u64 + 1).wrapping_mul(0x51_7C_C1_B7));
        let mut runs = case.runs(&mut random, options.runs.max(2));
        if case.has_main {
            runs.extend(generate::runs_of_main(&mut random));
        }
        (at, runs)
    });
    runs.collect()
}

fn runs_by_case(runs: &[RunTrace], count: usize) -> Vec<Vec<&RunTrace>> {
    let mut by_case: Vec<Vec<&RunTrace>> = vec![Vec::new(); count];
    for run in runs {
        if let Some(list) = by_case.get_mut(run.case as usize) {
            list.push(run);
        }
    }
    by_case
}

/// What the analyser says of a batch.
struct Said<'a> {
    report: verdicts::Report,
    /// Launches, where a case has a `main`.
    list: Option<compare_launches::Launches>,
    /// Files that it does not end with.
    endless: BTreeSet<&'a Path>,
}

fn ask<'a>(
    options: &Options,
    paths: &'a [PathBuf],
    cases: &[&Case],
    together: usize,
) -> Result<Said<'a>, Unjudged> {
    let mut report = verdicts::Report::default();
    let mut list: Option<compare_launches::Launches> = None;
    let mut endless: BTreeSet<&Path> = BTreeSet::new();
    for (some, cases) in paths.chunks(together).zip(cases.chunks(together)) {
        let stuck = add_verdicts(options, some, &mut report)?;
        let is_stuck = !stuck.is_empty();
        endless.extend(stuck);
        if !is_stuck && cases.iter().any(|case| case.has_main) {
            let limit = options.deadline.within_processor_time(LIMIT_OF_A_BATCH);
            let more = compare_launches::ask(&options.binary, some, limit)
                .map_err(|failure| failure.of("cudalint launches"))?;
            list = match (list, more) {
                (Some(list), Some(more)) => Some(list.with(more)),
                (list, more) => list.or(more),
            };
        }
    }
    Ok(Said {
        report,
        list,
        endless,
    })
}

fn not_analysed(case: &Case) -> Finding {
    Finding {
        class: Class::Endless,
        kernel: case.name.clone(),
        line: 0,
        message: format!(
            "not analysed within {} s of a processor",
            LIMIT_OF_A_FILE.as_secs()
        ),
    }
}

/// Adds the verdicts of these files; those are given that the analyser does not end with.
fn add_verdicts<'a>(
    options: &Options,
    paths: &'a [PathBuf],
    report: &mut verdicts::Report,
) -> Result<Vec<&'a Path>, Unjudged> {
    const ACCESSES: &str = "cudalint accesses";
    let deadline = options.deadline;
    let mut stuck = Vec::new();
    match verdicts::ask(
        &options.binary,
        paths,
        deadline.within_processor_time(LIMIT_OF_A_BATCH),
    ) {
        Ok(more) => report.add(more),
        Err(bounded::Failure::Late) => {
            for path in paths {
                let limit = deadline.within_processor_time(LIMIT_OF_A_FILE);
                match verdicts::ask(&options.binary, std::slice::from_ref(path), limit) {
                    Ok(more) => report.add(more),
                    Err(bounded::Failure::Late) if !deadline.is_over() => {
                        stuck.push(path.as_path());
                    }
                    Err(failure) => return Err(failure.of(ACCESSES)),
                }
            }
        }
        Err(failure) => return Err(failure.of(ACCESSES)),
    }
    Ok(stuck)
}

fn print_requests(runs: &[&RunTrace], trace: &super::trace::Trace) {
    for run in runs {
        println!("run {}: {:?}", run.id, run.status);
        for block in run.blocks.iter().take(1) {
            for request in block.requests.iter().take(60) {
                let site = request.site.map(|at| trace.sites[at as usize]);
                let (line, column) = site.map_or((0, 0), |site| (site.line, site.column));
                println!(
                    "  {line}:{column} {} {} {} warp {} lanes {:#010x} {:x?}",
                    if request.is_global {
                        "global"
                    } else {
                        "shared"
                    },
                    ["load", "store", "atomic"][usize::from(request.op.min(2))],
                    request.size,
                    request.warp,
                    request.mask,
                    request
                        .addresses
                        .iter()
                        .flatten()
                        .take(3)
                        .collect::<Vec<_>>()
                );
            }
        }
    }
}

fn generated(options: &Options, toolchain: &Toolchain) -> Result<End, String> {
    generate::check_names(options)?;
    println!("seed {}", options.seed);
    let started = Instant::now();
    let end = started + Duration::from_secs(options.seconds.max(1));
    let options = &Options {
        deadline: if options.seconds > 0 {
            options.deadline.or_at(end + GRACE)
        } else {
            options.deadline
        },
        ..options.clone()
    };
    let tally = Mutex::new(Tally::default());
    let next = AtomicUsize::new(0);
    let is_over = AtomicBool::new(false);
    let failure: Mutex<Option<String>> = Mutex::new(None);
    // A batch takes some seconds: none begins that would end late. Reducing finds takes time, too.
    let worker = || {
        let mut slowest = Duration::from_millis(500);
        while !is_over.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let has_finds = tally.lock().is_ok_and(|tally| tally.has_finds());
            let reserve = Duration::from_secs(if has_finds {
                options.seconds.min(300) / 5
            } else {
                0
            });
            let is_late =
                options.seconds > 0 && Instant::now() + slowest + reserve > end && number > 0;
            let is_enough = options.cases > 0 && number * CASES_A_BATCH >= options.cases;
            if is_late || is_enough || options.deadline.is_stopped() {
                break;
            }
            let begun = Instant::now();
            match one_batch(options, toolchain, number, &tally) {
                Ok(()) => slowest = slowest.max(begun.elapsed()),
                // A signal from the terminal ends the programs of the batch, too.
                Err(_) if options.deadline.is_stopped() => break,
                Err(problem) => {
                    *failure.lock().unwrap_or_else(|held| held.into_inner()) = Some(problem);
                    is_over.store(true, Ordering::Relaxed);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(worker);
        }
    });
    if let Some(problem) = failure
        .into_inner()
        .unwrap_or_else(|held| held.into_inner())
    {
        return Err(problem);
    }
    let tally = tally.into_inner().unwrap_or_else(|held| held.into_inner());
    let end = if options.deadline.is_stopped() {
        println!("stopped by a signal: this is what was done");
        Instant::now()
    } else if options.seconds > 0 {
        end
    } else {
        Instant::now() + Duration::from_secs(240)
    };
    let outcome = report(options, toolchain, &tally, started.elapsed(), end)?;
    Ok(match outcome {
        End::Clean if options.deadline.is_stopped() => End::Partial,
        other => other,
    })
}

fn one_batch(
    options: &Options,
    toolchain: &Toolchain,
    number: usize,
    tally: &Mutex<Tally>,
) -> Result<(), String> {
    let seed = options
        .seed
        .wrapping_add((number as u64).wrapping_mul(0x9E37_79B9));
    // Host code needs the standard library's headers, which take time: it has batches of its own.
    let is_host = match options.only.as_str() {
        "" => seed.is_multiple_of(5),
        only => only.starts_with("host"),
    };
    let mut cases = Vec::new();
    for at in 0..CASES_A_BATCH {
        let mut random = Random::new(seed.rotate_left(17) ^ (at as u64).wrapping_mul(0xD134_2543));
        cases.push(generate::case(
            &mut random,
            number * CASES_A_BATCH + at,
            options,
            is_host,
        ));
    }
    let judged = judge_twice(options, toolchain, &cases, seed);
    let mut tally = tally.lock().unwrap_or_else(|held| held.into_inner());
    let judged = match judged {
        Ok(judged) => judged,
        Err(Unjudged::Late(program)) => {
            tally.stopped(seed, program, options.deadline.is_over());
            return Ok(());
        }
        Err(Unjudged::Broken(reason)) => return Err(reason),
    };
    for (case, judged) in cases.into_iter().zip(judged) {
        tally.add(seed, case, judged);
    }
    Ok(())
}

/// Judges cases, and once more those with an assumption that no run met.
fn judge_twice(
    options: &Options,
    toolchain: &Toolchain,
    cases: &[Case],
    seed: u64,
) -> Result<Vec<Judged>, Unjudged> {
    let list: Vec<&Case> = cases.iter().collect();
    let mut judged = judge_all(options, toolchain, &list, seed)?;
    for (case, (_, findings, _)) in list.iter().zip(&mut judged) {
        look_again_for_assumptions(options, toolchain, case, findings, seed)?;
    }
    Ok(judged)
}

/// Keeps of the verdicts whose assumptions no run met only those that many more runs do not meet either:
/// few runs give a divisor a large value.
fn look_again_for_assumptions(
    options: &Options,
    toolchain: &Toolchain,
    case: &Case,
    findings: &mut Vec<Finding>,
    seed: u64,
) -> Result<(), Unjudged> {
    let is_vacuous = |finding: &Finding| finding.class == Class::Vacuous;
    if !findings.iter().any(is_vacuous) {
        return Ok(());
    }
    let options = Options {
        runs: RUNS_FOR_ASSUMPTIONS,
        ..options.clone()
    };
    let judged = judge_all(&options, toolchain, &[case], seed.wrapping_add(1))?;
    findings.retain(|finding| !is_vacuous(finding));
    findings.extend(judged.into_iter().flat_map(|(_, again, _)| again));
    Ok(())
}
