//! The judge that reads real files: NVRTC compiles a kernel, our interpreter of PTX runs it on
//! made-up inputs, and every request is held against the verdicts.
//!
//! Each file is judged in a process of its own, with a limit of time: a compiler that hangs or breaks
//! down on one file is a reason in the table, no end of the run.

mod compiled;
mod files;
mod fixes;
mod hold;
mod inputs;
mod report;
mod source;

pub(crate) use super::batch::scratch;
pub(crate) use super::bounded;
pub(crate) use compiled::build;
pub(crate) use files::includes;
pub(crate) use source::Project;

use super::assume::condition;
use super::case::Case;
use super::compare::{Setting, shape_names};
use super::random::Random;
use super::verdicts;
use crate::gpu::Arch;
use crate::nvrtc::{Compiler, Output};
use crate::ptx;
use files::{collect, parts_of_others, siblings};
use hold::{Holder, Outcome};
use inputs::Known;
use report::{FileReport, Found, KernelReport, table};
use source::Kernel;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Begins the reason of a kernel that NVRTC refuses.
const NOT_COMPILED: &str = "does not compile";

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
    /// No file is begun later than that.
    pub seconds: Option<u64>,
    /// Try the fixes that are offered, in place of judging verdicts.
    pub fixes: bool,
    /// Judge the one file in this process, and say what came of it as JSON.
    pub alone: bool,
    pub verbose: bool,
}

/// Judges and prints a table; whether nothing was found.
///
/// # Errors
/// Where NVRTC is not found, or files cannot be read.
pub fn run(options: &Options) -> Result<bool, String> {
    if options.fixes {
        return fixes::run(options);
    }
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
    let files = in_turns(files);
    let end = options
        .seconds
        .map(|seconds| Instant::now() + Duration::from_secs(seconds));
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
            } else if end.is_some_and(|end| Instant::now() > end) {
                Err("the time of the run was over".to_owned())
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

/// One file of each project after the other, so that a run whose time is over has seen some of all.
fn in_turns(files: Vec<(PathBuf, PathBuf)>) -> Vec<(PathBuf, PathBuf)> {
    let mut turns: BTreeMap<PathBuf, usize> = BTreeMap::new();
    let mut out: Vec<(usize, (PathBuf, PathBuf))> = Vec::new();
    for file in files {
        let turn = turns.entry(file.0.clone()).or_default();
        out.push((*turn, file));
        *turn += 1;
    }
    out.sort_by_key(|(turn, _)| *turn);
    out.into_iter().map(|(_, file)| file).collect()
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
    command.args(["--limit", &options.seconds_a_file.to_string()]);
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

#[expect(clippy::too_many_lines, reason = "still to be split")]
fn one(
    options: &Options,
    compiler: &Compiler,
    path: &Path,
    folder: &Path,
) -> Result<FileReport, String> {
    // Before the file is stopped, what was compared so far is told.
    let end = Instant::now() + Duration::from_secs(options.seconds_a_file).mul_f32(0.75);
    let path =
        std::fs::canonicalize(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut includes = includes(&options.includes, &path);
    // What is judged reads no headers of the toolkit, as with its users.
    let toolkit = compiler.includes.iter();
    let toolkit: Vec<PathBuf> = toolkit
        .filter_map(|one| std::fs::canonicalize(one).ok())
        .collect();
    includes.retain(|one| !toolkit.contains(one));
    let mut project = Project::read(&path, &includes, &compiler.includes, folder, &|_| true)?;
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
    let deadline = bounded::Deadline::at(end);
    let limit = Duration::from_secs(options.seconds_a_file.max(1));
    let mut said = verdicts::ask(&options.binary, &as_paths, deadline.within(limit))
        .map_err(|problem| format!("accesses: {problem}"))?;
    said.accesses
        .retain(|verdict| project.has(Path::new(&verdict.file)));
    let launches = inputs::ask(&options.binary, &arguments, deadline.within(limit))?.launches;
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
        // Host code's own meaning of a class is told apart by its name; the instance is of the class.
        .map(|(kernel, instance)| format!("{}{}", kernel.path, instance.replace("$host", "")))
        .collect();
    let flags = ["--gpu-architecture=compute_90", "-G"].map(str::to_owned);
    let built = build(
        compiler,
        &mut project,
        &expressions,
        &flags,
        (Some(end), options.verbose),
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
            Some(_) if Instant::now() > end => "the time of the file was over".to_owned(),
            Some(entry) => {
                let subject = Subject {
                    kernel,
                    instance,
                    entry,
                };
                kernel_runs(options, &mut holder, &launches, &case, &subject, &mut out)
            }
            None => format!("{NOT_COMPILED}: {complaint}"),
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

/// One instance of a kernel, and its function in the PTX.
struct Subject<'a> {
    kernel: &'a Kernel,
    instance: &'a str,
    entry: usize,
}

/// Runs it in several ways; the reason that weighs most where nothing could be compared.
#[expect(clippy::too_many_lines, reason = "still to be split")]
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
            is_left_out: false,
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
