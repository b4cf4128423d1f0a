//! One run: from files to findings.
//!
//! Given the texts of files and options, runs every stage and gives what they
//! found, in an order that does not depend on the number of threads. Knows
//! nothing of command lines or output formats.

mod build_program;
pub mod cache;
pub mod control;
mod expand;
mod fixes;
mod grouped;
mod grouping;
pub mod incremental;
pub mod input;
mod judge_program;
mod order;
mod shard;
mod shared_headers;

use crate::access::Walks;
use crate::config::{LaunchRule, Limits};
use crate::contract::Suppressed;
use crate::disk::bounds::Bounds;
use crate::finding::{Edit, Finding};
use crate::gpu::Arch;
use crate::ir::stop::Stop;
use crate::ir::{NotAnalysed, Program};
use crate::prove::answer_cache::Store;
use crate::prove::verdict::Access;
use crate::prove::{self, Proofs, Prover};
use crate::report::merge::Shard;
use crate::report::not_followed::NotFollowed;
use crate::report::{self, Counts, Note, Report};
use crate::rules::Rule;
use crate::source::{Canonical, FileId, SourceFile, SourceMap};
use crate::syntax::preprocess::Expanded;
use build_program::{Reading, front};
use cache::findings::ResultStore;
use cache::proofs::DiskStore;
use expand::Expander;
use incremental::Again;
use judge_program::{ProgramInput, VerdictSource, conclude};
use order::by_place;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Deeply nested code makes deep trees, and the stages walk them by recursion.
const STACK_BYTES: usize = 256 << 20;

/// Options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    pub arch: Arch,
    /// Macros of the command line: name and body; no body is 1.
    pub defines: Vec<(String, Option<String>)>,
    pub undefines: Vec<String>,
    pub includes: Vec<PathBuf>,
    /// Headers met in the folders of the run, for includes that no search path finds.
    pub headers: Vec<PathBuf>,
    pub forced_includes: Vec<PathBuf>,
    /// Launches assumed for kernels by name.
    pub launches: Vec<LaunchRule>,
    /// Flags of single files, added to those of the run.
    pub flags: FxHashMap<PathBuf, Flags>,
    /// Texts that stand in for headers on disk.
    pub overlay: Vec<Arc<SourceFile>>,
    /// Whether CUDA in the strings of Python and C++ files is read.
    pub in_strings: bool,
    /// Answers of earlier runs.
    pub store: Option<Arc<DiskStore>>,
    /// Launches chosen for kernels by name, in place of those in the text.
    pub chosen_launches: Vec<LaunchRule>,
    /// Results of earlier runs, for runs that keep no accesses.
    pub results: Option<Arc<ResultStore>>,
    /// The results to keep; a run that wants findings alone saves memory.
    pub keeps: Retain,
    /// Whether rules judge what was found.
    pub judges: bool,
    /// Whether to look for fixes (each costs runs over the files concerned).
    pub fixes: bool,
    /// Whether Z3 is asked; without it verdicts are arithmetic that nobody checked.
    pub asks_solver: bool,
    /// Whether headers may be read from disk; off for texts in memory that stand alone.
    pub reads_disk: bool,
    /// Where they may be read; anywhere if there is none, for texts that the caller vouches for.
    pub bounds: Option<Arc<Bounds>>,
    /// Whether every claim that Z3 was asked for is kept, for writing them down.
    pub keep_claims: bool,
    /// Only this part of the groups of files, in runs that keep less than everything.
    pub shard: Option<Shard>,
    /// Worker threads; 0 takes as many as there are cores.
    pub threads: usize,
    pub limits: Limits,
    /// Who waits for the run.
    pub control: Option<Arc<control::Control>>,
}

/// Results that outlive the group of files that they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retain {
    Findings,
    /// Accesses as well, and of kernels all but their code.
    Accesses,
    Everything,
}

/// Flags that change what a text means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    pub defines: Vec<(String, Option<String>)>,
    pub undefines: Vec<String>,
    pub includes: Vec<PathBuf>,
    pub forced_includes: Vec<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            arch: Arch::DEFAULT,
            defines: Vec::new(),
            undefines: Vec::new(),
            includes: Vec::new(),
            headers: Vec::new(),
            forced_includes: Vec::new(),
            launches: Vec::new(),
            flags: FxHashMap::default(),
            overlay: Vec::new(),
            in_strings: false,
            store: None,
            chosen_launches: Vec::new(),
            results: None,
            keeps: Retain::Everything,
            judges: true,
            fixes: true,
            asks_solver: true,
            reads_disk: true,
            bounds: None,
            keep_claims: false,
            shard: None,
            threads: 0,
            limits: Limits::default(),
            control: None,
        }
    }
}

/// Everything a run found.
#[derive(Debug, Default)]
pub struct Analysis {
    pub sources: SourceMap,
    /// As far as [`Options::keeps`] says.
    pub program: Program,
    /// By file, line, column, kernel, instance, launch, operation; empty as the program is.
    pub accesses: Vec<Access>,
    pub counts: Counts,
    /// By place; gaps inside analysed kernels are in `program`.
    pub not_analysed: Vec<NotAnalysed>,
    /// Kernels that were not followed everywhere, by place.
    pub not_followed: Vec<NotFollowed>,
    pub proofs: Proofs,
    /// By file and line, each at the level its rule gives it.
    pub findings: Vec<Finding>,
    /// Findings that comments accept.
    pub suppressed: Vec<Suppressed>,
    pub notes: Vec<Note>,
    pub timings: Timings,
    /// Files that were a unit of their own.
    pub units: Vec<Unit>,
    /// One sentence where proofs could not be kept for the next run.
    pub cache_problem: Option<String>,
}

/// One main file and what became of its text.
#[derive(Debug)]
pub struct Unit {
    pub file: FileId,
    /// Without its text where that takes too much memory; [`read`] keeps all.
    pub expanded: Expanded,
    /// Every file that its text came from, itself included.
    pub files: FxHashSet<PathBuf>,
    /// The first of the files that it includes; the others follow it.
    included: FileId,
    text: expand::OfText,
}

/// Time per stage, in the order of the pipeline; of all threads together, where each takes a part
/// through several stages.
#[derive(Clone, Debug, Default)]
pub struct Timings {
    pub stages: Vec<(&'static str, Duration)>,
    /// Time of each rule, summed over threads; the slowest first.
    pub rules: Vec<(&'static Rule, Duration)>,
}

impl Options {
    /// The signal that ends the run early; never raised where nobody waits for it.
    fn stop(&self) -> Stop {
        let control = self.control.as_deref();
        control.map(control::Control::signal).unwrap_or_default()
    }
}

impl Analysis {
    /// Input of reports, with every finding in sight.
    #[must_use]
    pub fn report(&self, arch: Arch) -> Report<'_> {
        let files: FxHashSet<&Path> = self
            .units
            .iter()
            .map(|unit| self.sources.get(unit.file).path.as_path())
            .collect();
        Report {
            sources: &self.sources,
            findings: &self.findings,
            hidden: 0,
            accesses: &self.accesses,
            counts: self.counts,
            not_analysed: &self.not_analysed,
            not_followed: &self.not_followed,
            notes: &self.notes,
            suppressed: &self.suppressed,
            files: files.len(),
            arch,
            shard: None,
            measured: None,
        }
    }
}

impl Timings {
    fn time<T>(&mut self, stage: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.add(stage, start.elapsed());
        result
    }

    fn add(&mut self, stage: &'static str, time: Duration) {
        match self.stages.iter_mut().find(|(known, _)| *known == stage) {
            Some((_, sum)) => *sum += time,
            None => self.stages.push((stage, time)),
        }
    }

    fn add_rules(&mut self, spent: &[(&'static Rule, Duration)]) {
        for (rule, time) in spent {
            let known = self
                .rules
                .iter_mut()
                .find(|(known, _)| known.code == rule.code);
            match known {
                Some((_, sum)) => *sum += *time,
                None => self.rules.push((rule, *time)),
            }
        }
        self.rules.sort_by_key(|(_, time)| Reverse(*time));
    }

    fn merge(&mut self, other: Self) {
        for (stage, time) in other.stages {
            self.add(stage, time);
        }
        self.add_rules(&other.rules);
    }
}

/// Analyses `files` together: a launch in one reaches kernels in another.
#[must_use]
pub fn analyse(files: &[Arc<SourceFile>], options: &Options) -> Analysis {
    let mut analysis = on_workers(options.threads, || {
        if options.keeps == Retain::Everything {
            // Nothing stops a run that has no memory.
            run(files, &[], options, None).unwrap_or_default()
        } else {
            grouped::run(files, options)
        }
    });
    if let Some(store) = &options.store
        && let Err(problem) = store.save()
    {
        analysis.cache_problem = Some(problem);
    }
    analysis
}

/// Runs the stages up to the program only: nothing is walked, proved or judged.
#[must_use]
pub fn read(files: &[Arc<SourceFile>], options: &Options) -> Analysis {
    on_workers(options.threads, || {
        let reading = Reading {
            keeps_texts: true,
            ..Reading::default()
        };
        let mut analysis = front(&Expander::new(files, &[], options), reading);
        analysis.not_analysed = std::mem::take(&mut analysis.program.not_analysed);
        by_place(&mut analysis.not_analysed, &analysis.sources);
        analysis
    })
}

/// Reads host code only: the program has its launches and no kernel.
#[must_use]
pub fn launches(files: &[Arc<SourceFile>], options: &Options) -> Analysis {
    on_workers(options.threads, || {
        let reading = Reading {
            only: Some(FxHashSet::default()),
            ..Reading::default()
        };
        front(&Expander::new(files, &[], options), reading)
    })
}

/// The verdict on a shared access, with a request to show, after `edits`, which are a fix of this analysis of
/// `files`.
#[must_use]
pub fn after(
    files: &[Arc<SourceFile>],
    options: &Options,
    analysis: &Analysis,
    access: &Access,
    edits: &[Edit],
) -> Option<Access> {
    on_workers(options.threads, || {
        let found = fixes::prove_fixes::RunResults {
            files,
            overlay: &[],
            accesses: &analysis.accesses,
            program: &analysis.program,
            walks: &Walks::default(),
            sources: &analysis.sources,
            canonical: &Canonical::of(&analysis.sources),
            units: &analysis.units,
            expander: &Expander::new(files, &[], options),
            prover: &Prover::new(prove_options(options)),
        };
        let reproof = fixes::prove_fixes::after(found, access, edits)?;
        let after = reproof.counterpart(access, &analysis.sources)?;
        Some(report::explain::with_request(
            after,
            &reproof.program,
            &options.arch,
        ))
    })
}

/// Analyses one text that need not be on disk.
#[must_use]
pub fn analyse_text(
    path: impl Into<PathBuf>,
    text: impl Into<Arc<str>>,
    options: &Options,
) -> Analysis {
    analyse(
        &[Arc::new(SourceFile::new(path.into(), text.into()))],
        options,
    )
}

/// Runs `work` where there is stack enough for deep trees.
pub fn on_workers<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    if rayon::current_thread_index().is_some() {
        return work();
    }
    match workers(threads) {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// Threads with stack enough for deep trees, for callers that run many analyses; `None` where the
/// system gives no threads.
#[must_use]
pub fn workers(threads: usize) -> Option<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK_BYTES)
        .build()
        .ok()
}

/// Every stage over all files together; `None` where `again` was stopped.
fn run(
    files: &[Arc<SourceFile>],
    overlay: &[Arc<SourceFile>],
    options: &Options,
    again: Option<Again>,
) -> Option<Analysis> {
    let mut expander = Expander::new(files, overlay, options);
    if let Some(again) = again {
        expander.pieces = again.memory.pieces.clone();
    }
    let mut analysis = front(&expander, Reading::default());
    // Of a program that was read in part nothing is known: launches and overloads may be missing.
    if options.stop().is_raised() {
        analysis.program = Program::default();
        analysis.not_analysed =
            grouped::left_out(&analysis.units, &analysis.sources, control::STOPPED);
        return Some(analysis);
    }
    let prover = Prover::new(prove_options(options));
    let given = ProgramInput {
        files,
        overlay,
        sources: &analysis.sources,
        canonical: &Canonical::of(&analysis.sources),
        units: &analysis.units,
        expander: &expander,
    };
    let by = again.map_or(VerdictSource::Prover(&prover), VerdictSource::Memory);
    let found = conclude(given, &mut analysis.program, by, &mut analysis.timings)?;
    analysis.proofs = prover.proofs();
    analysis.counts = Counts::of(&found.accesses);
    analysis.accesses = found.accesses;
    analysis.not_analysed = found.not_analysed;
    analysis.not_followed = found.not_followed;
    analysis.findings = found.findings;
    analysis.suppressed = found.suppressed;
    Some(analysis)
}

/// Time since the first call: what the prover, which knows no clock, measures its problems with.
fn since_start() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

fn prove_options(options: &Options) -> prove::Options {
    prove::Options {
        arch: options.arch,
        prove: options.asks_solver,
        store: options.store.clone().map(|store| store as Arc<dyn Store>),
        keep_claims: options.keep_claims,
        clock: Some(since_start),
        stop: options.stop(),
        ..prove::Options::default()
    }
}
