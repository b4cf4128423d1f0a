//! The judge that reads real files: NVRTC compiles a kernel, our interpreter of PTX runs it on
//! made-up inputs, and every request is held against the verdicts.
//!
//! Each file is judged in a process of its own, with a limit of time: a compiler that hangs or breaks
//! down on one file is a reason in the table, no end of the run.

mod hold;
mod inputs;
mod source;

pub(crate) use super::batch::scratch;
pub(crate) use super::bounded;
pub(crate) use source::Project;

use super::assume::condition;
use super::case::Case;
use super::compare::{Setting, shape_names};
use super::random::Random;
use super::verdicts;
use crate::gpu::Arch;
use crate::nvrtc::{self, Compiler, Output};
use crate::ptx;
use hold::{Holder, Outcome};
use inputs::Known;
use serde::{Deserialize, Serialize};
use source::Kernel;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What to judge.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program whose verdicts are judged.
    pub binary: PathBuf,
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    pub includes: Vec<PathBuf>,
    pub seed: u64,
    /// Ways to launch each kernel.
    pub turns: usize,
    pub jobs: usize,
    pub seconds_a_file: u64,
    /// Judge the one file in this process, and say what came of it as JSON.
    pub alone: bool,
    pub verbose: bool,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct FileReport {
    kernels: Vec<KernelReport>,
    found: Vec<Found>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct KernelReport {
    kernel: String,
    instance: String,
    compared: u64,
    left_out: BTreeMap<String, u64>,
    /// Why nothing of it was compared.
    reason: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Found {
    file: String,
    line: u32,
    class: String,
    kernel: String,
    message: String,
}

/// Judges and prints a table; whether nothing was found.
///
/// # Errors
/// Where NVRTC is not found, or files cannot be read.
pub fn run(options: &Options) -> Result<bool, String> {
    let compiler = Compiler::find()?;
    if options.alone {
        let Some(path) = options.paths.first() else {
            return Err("no file".to_owned());
        };
        let folder = scratch("nvrtc")?;
        let report = one(options, &compiler, path, &folder);
        if !options.verbose {
            let _ = std::fs::remove_dir_all(&folder);
        }
        let text = serde_json::to_string(&report?).map_err(|error| error.to_string())?;
        println!("{text}");
        return Ok(true);
    }
    println!("NVRTC {}, seed {}", compiler.version, options.seed);
    let mut files: Vec<(PathBuf, PathBuf)> = Vec::new();
    for path in &options.paths {
        collect(path, path, &mut files);
    }
    let parts = parts_of_others(&files);
    let next = AtomicUsize::new(0);
    let reports: Mutex<BTreeMap<usize, Result<FileReport, String>>> = Mutex::new(BTreeMap::new());
    let worker = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((_, file)) = files.get(at) else {
                break;
            };
            let report = if parts.contains(file) {
                Err("part of another file".to_owned())
            } else {
                apart(options, file)
            };
            if let Ok(report) = &report {
                for one in &report.found {
                    println!(
                        "{}:{}: {}: in `{}` {}",
                        one.file, one.line, one.class, one.kernel, one.message
                    );
                }
            }
            if options.verbose {
                println!("{}: {report:?}", file.display());
            }
            reports
                .lock()
                .unwrap_or_else(|held| held.into_inner())
                .insert(at, report);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(worker);
        }
    });
    let reports = reports
        .into_inner()
        .unwrap_or_else(|held| held.into_inner());
    Ok(table(&files, &reports))
}

/// CUDA files below a path, each with the path that it was found under.
fn collect(root: &Path, path: &Path, out: &mut Vec<(PathBuf, PathBuf)>) {
    if path.is_file() {
        out.push((root.to_path_buf(), path.to_path_buf()));
        return;
    }
    let Ok(entries) = std::fs::read_dir(path) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(root, &path, out);
        } else if path.extension().is_some_and(|extension| extension == "cu") {
            out.push((root.to_path_buf(), path));
        }
    }
}

/// Files that others, or headers beside them, include: with the macros of those they may be other text.
fn parts_of_others(files: &[(PathBuf, PathBuf)]) -> BTreeSet<PathBuf> {
    let mut out = BTreeSet::new();
    let folders: BTreeSet<&Path> = files.iter().filter_map(|(_, file)| file.parent()).collect();
    let beside = folders
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok());
    let headers = beside.flatten().flatten().map(|entry| entry.path());
    let headers = headers.filter(|path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("h" | "hpp" | "cuh"))
    });
    let texts = files.iter().map(|(_, file)| file.clone()).chain(headers);
    for file in &texts.collect::<Vec<_>>() {
        let text = std::fs::read(file).unwrap_or_default();
        let folder = file.parent().unwrap_or(Path::new("."));
        for name in source::included(&String::from_utf8_lossy(&text)) {
            let place = folder.join(name);
            let is_part = |other: &&(PathBuf, PathBuf)| {
                let (a, b) = (
                    std::fs::canonicalize(&place),
                    std::fs::canonicalize(&other.1),
                );
                other.1 != *file && a.is_ok() && a.ok() == b.ok()
            };
            if place.extension().is_some_and(|extension| extension == "cu") {
                out.extend(files.iter().find(is_part).map(|(_, part)| part.clone()));
            }
        }
    }
    out
}

fn apart(options: &Options, file: &Path) -> Result<FileReport, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args([
        "judge",
        "--nvrtc",
        "--alone",
        "--seed",
        &options.seed.to_string(),
    ]);
    command.args(["--runs", &options.turns.to_string()]);
    for include in &options.includes {
        command.arg("-I").arg(include);
    }
    command.arg(file).env("CUDALINT_BIN", &options.binary);
    let limit = Duration::from_secs(options.seconds_a_file.max(1));
    let output = bounded::output(&mut command, limit).map_err(|failure| match failure {
        bounded::Failure::Late => "takes too long".to_owned(),
        bounded::Failure::Broken(reason) => reason,
    })?;
    let text = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    let status = output.status;
    serde_json::from_str(text.trim()).map_err(|_| {
        let last = complaint.lines().last().unwrap_or("").to_owned();
        if status.code().is_some() {
            last
        } else {
            format!("breaks down: {status}")
        }
    })
}

fn one(
    options: &Options,
    compiler: &Compiler,
    path: &Path,
    folder: &Path,
) -> Result<FileReport, String> {
    let path =
        std::fs::canonicalize(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let includes = includes(&options.includes, &path);
    let mut project = Project::read(&path, &includes, &compiler.includes, folder)?;
    let mut report = FileReport::default();
    if project.kernels.is_empty() {
        return Ok(report);
    }
    let mut arguments: Vec<String> = Vec::new();
    for include in &includes {
        arguments.extend(["-I".to_owned(), include.display().to_string()]);
    }
    let siblings = siblings(&path);
    arguments.extend(siblings.iter().map(|path| path.display().to_string()));
    let as_paths: Vec<PathBuf> = arguments.iter().map(PathBuf::from).collect();
    let limit = Duration::from_secs(options.seconds_a_file.max(1));
    let mut said = verdicts::ask(&options.binary, &as_paths, limit)
        .map_err(|problem| format!("accesses: {problem}"))?;
    said.accesses
        .retain(|verdict| project.has(Path::new(&verdict.file)));
    let launches = inputs::ask(&options.binary, &arguments)?.launches;
    let mut wanted: BTreeSet<(String, String)> = BTreeSet::new();
    for verdict in &said.accesses {
        wanted.insert((verdict.kernel.clone(), verdict.instance.clone()));
    }
    let mut kernels: Vec<(Kernel, String)> = Vec::new();
    for kernel in &project.kernels {
        let of_kernel = wanted
            .iter()
            .filter(|(name, _)| *name == kernel.name || *name == kernel.path);
        let instances: Vec<String> = of_kernel.map(|(_, instance)| instance.clone()).collect();
        let mut reason = "";
        if instances.is_empty() {
            reason = "no access in the list";
        }
        for instance in instances {
            if kernel.is_template && instance.is_empty() {
                reason = "a template without a known instance";
                continue;
            }
            if !kernels
                .iter()
                .any(|(known, of)| known.path == kernel.path && *of == instance)
            {
                kernels.push((kernel.clone(), instance));
            }
        }
        if !reason.is_empty() {
            report.kernels.push(KernelReport {
                kernel: kernel.name.clone(),
                reason: reason.to_owned(),
                ..KernelReport::default()
            });
        }
    }
    if kernels.is_empty() {
        return Ok(report);
    }
    let expressions: Vec<String> = kernels
        .iter()
        .map(|(kernel, instance)| format!("{}{instance}", kernel.path))
        .collect();
    let flags = ["--gpu-architecture=compute_90", "-G"].map(str::to_owned);
    let built = build(
        compiler,
        &mut project,
        &expressions,
        &flags,
        options.verbose,
    );
    let (output, complaint) = match built {
        Ok(built) => built,
        Err(complaint) => (Output::default(), complaint),
    };
    if options.verbose {
        let _ = std::fs::write(folder.join("out.ptx"), &output.ptx);
        eprintln!("{}", folder.display());
    }
    let module = ptx::read::read(&output.ptx)?;
    let arch = Arch::DEFAULT;
    let case = Case::new("", &std::fs::read_to_string(&path).unwrap_or_default());
    let mut holder = Holder::new(&project, &said, &module, &arch);
    for (at, (kernel, instance)) in kernels.iter().enumerate() {
        let name = output.names.get(at).cloned().flatten();
        let entry = name.and_then(|name| module.function(&name));
        let mut out = Outcome::default();
        let reason = match entry {
            Some(entry) => {
                let subject = Subject {
                    kernel,
                    instance,
                    entry,
                };
                kernel_runs(options, &mut holder, &launches, &case, &subject, &mut out)
            }
            None => format!("does not compile: {complaint}"),
        };
        report.kernels.push(KernelReport {
            kernel: kernel.name.clone(),
            instance: instance.clone(),
            compared: out.compared,
            left_out: out
                .left_out
                .iter()
                .map(|(why, count)| ((*why).to_owned(), *count))
                .collect(),
            reason: if out.compared > 0 {
                String::new()
            } else {
                reason
            },
        });
        for ((file, line, class), message) in out.found {
            report.found.push(Found {
                file: file.display().to_string(),
                line,
                class: class.to_owned(),
                kernel: format!("{}{instance}", kernel.name),
                message,
            });
        }
    }
    Ok(report)
}

/// Compiles, taking out what does not, for as long as that helps. What could not be had of the
/// kernels is said beside.
pub(crate) fn build(
    compiler: &Compiler,
    project: &mut Project,
    expressions: &[String],
    flags: &[String],
    is_verbose: bool,
) -> Result<(Output, String), String> {
    let mut wanted: Vec<usize> = (0..expressions.len()).collect();
    let mut last = String::new();
    for _ in 0..40 {
        let (text, mut options) = project.write()?;
        options.extend(
            [
                "--std=c++17",
                // Functions of the host are no error where nothing of the host is called.
                "--device-as-default-execution-space",
            ]
            .map(str::to_owned),
        );
        options.extend(flags.iter().cloned());
        options.extend(
            compiler
                .includes
                .iter()
                .map(|folder| format!("-I{}", folder.display())),
        );
        let names: Vec<String> = wanted.iter().map(|at| expressions[*at].clone()).collect();
        match nvrtc::compile("judged", &text, &options, &names) {
            Ok(mut output) => {
                let mut all = vec![None; expressions.len()];
                for (at, name) in wanted.iter().zip(output.names.drain(..)) {
                    all[*at] = name;
                }
                output.names = all;
                return Ok((output, last));
            }
            Err(log) => {
                let first = log
                    .lines()
                    .find(|line| line.contains("error"))
                    .unwrap_or(&log);
                if is_verbose {
                    eprintln!(
                        "{}",
                        log.lines()
                            .filter(|line| line.contains("error"))
                            .take(24)
                            .collect::<Vec<_>>()
                            .join("\n")
                    );
                }
                last = brief(first);
                let removed = project.remove(&log);
                let before = wanted.len();
                // Names that the text no longer has, or that are none outside of it.
                wanted.retain(|at| !names_complaint(&log, &expressions[*at]));
                if removed == 0 && wanted.len() == before {
                    return Err(last);
                }
            }
        }
    }
    Err(last)
}

/// Whether the compiler complains of an expression that was asked for, not of the text.
fn names_complaint(log: &str, expression: &str) -> bool {
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let sought = squeezed(expression);
    let mut previous = String::new();
    for line in log.lines() {
        let is_of_names = ["nv_name", "__nv"]
            .iter()
            .any(|word| previous.contains(word));
        if is_of_names && squeezed(line).contains(&sought) {
            return true;
        }
        if line.contains("error") {
            previous = line.to_owned();
        }
    }
    false
}

fn brief(line: &str) -> String {
    let message = line.split("error: ").nth(1).unwrap_or(line);
    message.chars().take(100).collect()
}

/// One instance of a kernel, and its function in the PTX.
struct Subject<'a> {
    kernel: &'a Kernel,
    instance: &'a str,
    entry: usize,
}

/// Runs it in several ways; the reason that weighs most where nothing could be compared.
fn kernel_runs(
    options: &Options,
    holder: &mut Holder,
    launches: &[Known],
    case: &Case,
    subject: &Subject,
    out: &mut Outcome,
) -> String {
    let Subject {
        kernel,
        instance,
        entry,
    } = *subject;
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let of_kernel: Vec<usize> = (0..holder.report.accesses.len())
        .filter(|at| {
            let verdict = &holder.report.accesses[*at];
            (verdict.kernel == kernel.name || verdict.kernel == kernel.path)
                && verdict.instance == instance
        })
        .collect();
    let mut known: Vec<&Known> = launches
        .iter()
        .filter(|known| known.kernel == kernel.name || known.kernel == kernel.path)
        .filter(|known| known.problem.is_some() || squeezed(&known.instance) == squeezed(instance))
        .collect();
    let shapes: Vec<_> = of_kernel
        .iter()
        .map(|at| &holder.report.accesses[*at].launch)
        .collect();
    let own = inputs::without_host(kernel, instance, case, &shapes);
    let has_directive = case
        .kernels
        .iter()
        .any(|one| one.name == kernel.name && !one.launches.is_empty());
    if known.is_empty() || has_directive {
        known = own.iter().collect();
    }
    let promises = holder.project.promises();
    let mut random = Random::new(options.seed ^ entry as u64);
    let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
    let module = holder.module;
    let started = Instant::now();
    let turns = options.turns.max(known.len().min(2 * options.turns));
    for turn in 0..turns {
        if turn > 1 && started.elapsed() > Duration::from_secs(3) {
            break;
        }
        let launch = (!known.is_empty()).then(|| known[turn % known.len()]);
        let round = if known.is_empty() {
            turn
        } else {
            turn / known.len()
        };
        let round = if turn >= known.len() || round > 0 {
            round
        } else {
            turn % 6
        };
        let made = inputs::make(
            Some(kernel),
            &module.functions[entry],
            launch,
            round,
            &mut random,
        );
        let threads: u64 = made.launch.block.iter().map(|n| u64::from(*n)).product();
        if threads == 0
            || threads > 1024
            || made.launch.grid.contains(&0)
            || made.launch.dynamic_shared > 1 << 20
        {
            *reasons
                .entry("the launch is none that can run".to_owned())
                .or_default() += 1;
            continue;
        }
        let fits = |at: &usize| {
            // Launches of the same block are told as one of them: grids say nothing.
            let known = holder.report.accesses[*at].launch.block;
            let mut axes = known.iter().zip(made.launch.block);
            axes.all(|(known, real)| known.is_none_or(|n| n == u64::from(real)))
        };
        let fitting: Vec<usize> = of_kernel.iter().copied().filter(fits).collect();
        if fitting.is_empty() {
            *reasons
                .entry("no verdict is about this launch".to_owned())
                .or_default() += 1;
            continue;
        }
        let mut names = shape_names(made.launch.grid, made.launch.block);
        let mut says = format!("grid {:?}, block {:?}", made.launch.grid, made.launch.block);
        for (name, value) in &made.numbers {
            names.insert(name.clone(), *value);
            says += &format!(", {name} = {value}");
        }
        let is_broken = |promise: &String| condition(promise, &names) == Some(false);
        if promises.iter().any(is_broken) {
            *reasons
                .entry("a promise of the text is not kept".to_owned())
                .or_default() += 1;
            continue;
        }
        let setting = Setting {
            at: turn,
            kernel: &kernel.name,
            template: String::new(),
            block: made.launch.block,
            names,
            is_moved: made.is_moved,
            has_sums: false,
            says,
        };
        let mut grid = ptx::machine::Grid::new(module, entry, &made.launch);
        let last = made.launch.grid.map(|n| n - 1);
        let mut indices = vec![[0, 0, 0], last.map(|n| n / 2), last];
        indices.dedup();
        for index in indices {
            let block = grid.run(index);
            if let Some(stop) = &block.stop {
                *reasons.entry(format!("stopped: {stop}")).or_default() += 1;
            } else if block.requests.is_empty() {
                *reasons.entry("no request runs".to_owned()).or_default() += 1;
            }
            let project = holder.project;
            let constants = |address: u64| {
                let variable = grid.variable_at(address);
                variable.is_some_and(|name| !project.is_of_device(name))
            };
            holder.block(&setting, index, &fitting, &block, &constants, out);
        }
    }
    for (why, count) in &out.left_out {
        *reasons.entry((*why).to_owned()).or_default() += count;
    }
    let most = reasons.into_iter().max_by_key(|(_, count)| *count);
    most.map_or_else(|| "no request runs".to_owned(), |(why, _)| why)
}

/// Other files of the program: what launches a kernel may stand beside it.
fn siblings(path: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    if let Some(folder) = path.parent() {
        let mut all = Vec::new();
        collect_here(folder, &mut all);
        if all.len() <= 8 {
            out = all;
        }
    }
    if !out.iter().any(|one| one == path) {
        out.push(path.to_path_buf());
    }
    out
}

fn collect_here(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    out.extend(entries.flatten().map(|entry| entry.path()).filter(|path| {
        path.is_file() && path.extension().is_some_and(|extension| extension == "cu")
    }));
    out.sort();
}

/// Folders that headers of a project commonly lie in, seen from one of its files.
pub(crate) fn includes(given: &[PathBuf], path: &Path) -> Vec<PathBuf> {
    // Verdicts name a header as its folder was named; the judge goes by whole paths.
    let given = given.iter();
    let mut out: Vec<PathBuf> = given
        .map(|one| std::fs::canonicalize(one).unwrap_or_else(|_| one.clone()))
        .collect();
    for folder in path.ancestors().skip(1).take(6) {
        for name in [
            "include",
            "includes",
            "common",
            "Common",
            "inc",
            "csrc/includes",
            "csrc",
        ] {
            let one = folder.join(name);
            if one.is_dir() && !out.contains(&one) {
                out.push(one);
            }
        }
    }
    if let Some(above) = path.parent().and_then(Path::parent) {
        out.push(above.to_path_buf());
    }
    out
}

fn table(
    files: &[(PathBuf, PathBuf)],
    reports: &BTreeMap<usize, Result<FileReport, String>>,
) -> bool {
    #[derive(Default)]
    struct Row {
        files: usize,
        kernels: usize,
        compared: usize,
        requests: u64,
        found: BTreeMap<String, usize>,
    }
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
                    }
                }
                for one in &report.found {
                    if done.insert((one.file.clone(), one.line, one.class.clone())) {
                        *row.found.entry(one.class.clone()).or_default() += 1;
                    }
                }
            }
            Err(why) => *reasons.entry(format!("file: {why}")).or_default() += 1,
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
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (why, count) in reasons.iter().take(40) {
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
