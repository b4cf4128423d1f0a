//! One run: from files to findings.
//!
//! Given the texts of files and options, runs every stage and gives what they
//! found, in an order that does not depend on the number of threads. Knows
//! nothing of command lines or output formats.

pub mod again;
pub mod compile_commands;
pub mod configured;
pub mod git;
pub mod load;
pub mod memory;
pub mod nvcc;

pub mod store;

mod includes;
mod opinions;
mod reprove;
mod together;

use crate::config::{LaunchRule, Limits, glob_matches};
use crate::contract::{self, Suppressed};
use crate::finding::{Edit, Finding};
use crate::gpu::Arch;
use crate::ir::lower::{self, Lowering, UnitInput};
use crate::ir::{Dimension, Launch, LaunchSource, NotAnalysed, Program};
use crate::prove::cache::Store;
use crate::prove::{self, Proofs, verdict::Access};
use crate::report::{self, Note, Report};
use crate::rules::{self, stopwatch::Stopwatch};
use crate::source::{FileId, SourceFile, SourceMap, Span};
use crate::syntax::preprocess::{self, Expanded, NoteKind};
use crate::syntax::{ast, parse};
use again::Again;
use includes::Headers;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use store::DiskStore;

/// Deeply nested code makes deep trees, and the stages walk them by recursion.
const STACK_BYTES: usize = 64 << 20;

/// What a run needs to know besides the files.
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
    /// Whether rules judge what was found.
    pub judges: bool,
    /// Whether to look for fixes (each costs runs over the files concerned).
    pub fixes: bool,
    /// Whether Z3 is asked; without it verdicts are arithmetic that nobody checked.
    pub asks_solver: bool,
    /// Whether headers may be read from disk; off for texts in memory that stand alone.
    pub reads_disk: bool,
    /// Whether every claim that Z3 was asked for is kept, for writing them down.
    pub keep_claims: bool,
    /// Worker threads; 0 takes as many as there are cores.
    pub threads: usize,
    pub limits: Limits,
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
            judges: true,
            fixes: true,
            asks_solver: true,
            reads_disk: true,
            keep_claims: false,
            threads: 0,
            limits: Limits::default(),
        }
    }
}

/// Everything a run found.
#[derive(Debug, Default)]
pub struct Analysis {
    pub sources: SourceMap,
    pub program: Program,
    /// By file, line, column, kernel, instance, launch, operation.
    pub accesses: Vec<Access>,
    /// By place; gaps inside analysed kernels are in `program`.
    pub not_analysed: Vec<NotAnalysed>,
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
    pub expanded: Expanded,
    /// Every file that its text came from, itself included.
    pub files: FxHashSet<PathBuf>,
}

/// Time per stage, in the order of the pipeline.
#[derive(Clone, Debug, Default)]
pub struct Timings {
    pub stages: Vec<(&'static str, Duration)>,
    /// Time of each rule, summed over threads; the slowest first.
    pub rules: Vec<(&'static rules::Rule, Duration)>,
}

impl Analysis {
    /// What reports are made of, with every finding in sight.
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
            not_analysed: &self.not_analysed,
            notes: &self.notes,
            suppressed: &self.suppressed,
            files: files.len(),
            arch,
        }
    }
}

impl Timings {
    fn time<T>(&mut self, stage: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        let time = start.elapsed();
        match self.stages.iter_mut().find(|(known, _)| *known == stage) {
            Some((_, sum)) => *sum += time,
            None => self.stages.push((stage, time)),
        }
        result
    }
}

/// Analyses `files` together: a launch in one reaches kernels in another.
#[must_use]
pub fn analyse(files: &[Arc<SourceFile>], options: &Options) -> Analysis {
    // Nothing stops a run that has no memory.
    let mut analysis =
        on_workers(options.threads, || run(files, &[], options, None)).unwrap_or_default();
    if let Some(store) = &options.store {
        analysis.cache_problem = store.save().err();
    }
    analysis
}

/// Runs the stages up to the program only: nothing is walked, proved or judged.
#[must_use]
pub fn read(files: &[Arc<SourceFile>], options: &Options) -> Analysis {
    on_workers(options.threads, || front(files, &[], options, None))
}

/// What becomes of a shared access, with a request to show, under `edits`, which are a fix of this analysis of `files`.
#[must_use]
pub fn after(
    files: &[Arc<SourceFile>],
    options: &Options,
    analysis: &Analysis,
    access: &Access,
    edits: &[Edit],
) -> Option<Access> {
    on_workers(options.threads, || {
        let found = reprove::Found {
            files,
            overlay: &[],
            accesses: &analysis.accesses,
            program: &analysis.program,
            sources: &analysis.sources,
            units: &analysis.units,
            options,
        };
        let reproof = reprove::after(found, access, edits)?;
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

/// Every stage; `None` where `again` was stopped.
fn run(
    files: &[Arc<SourceFile>],
    overlay: &[Arc<SourceFile>],
    options: &Options,
    again: Option<Again>,
) -> Option<Analysis> {
    let mut analysis = front(files, overlay, options, again.map(|again| again.memory));
    let Analysis {
        sources,
        program,
        timings,
        units,
        not_analysed,
        ..
    } = &mut analysis;
    let (accesses, mut proofs) = timings.time("prove", || match again {
        None => Some(prove::analyse(program, &prove_options(options))),
        Some(again) => {
            let (accesses, incomplete) = again.memory.prove(program, options.arch, again.stop)?;
            let proofs = Proofs {
                incomplete,
                ..Proofs::default()
            };
            Some((accesses, proofs))
        }
    })?;
    if !proofs.incomplete.is_empty() {
        not_analysed.append(&mut proofs.incomplete);
        by_place(not_analysed, sources);
    }
    let accesses = in_order(accesses, sources);
    let stopwatch = Stopwatch::new(since_start);
    let context = rules::Context {
        sources,
        program,
        arch: &options.arch,
        stopwatch: &stopwatch,
    };
    let comments = || {
        units
            .iter()
            .flat_map(|unit| &unit.expanded.comments)
            .copied()
    };
    let outcome = timings.time("judge", || {
        let found = if options.judges {
            let kept = again.map(|again| again.memory.opinions(&context));
            let keeper = kept
                .as_ref()
                .map(|kept| kept as &dyn rules::opinion::Keeper);
            rules::judge(&accesses, &context, keeper)
        } else {
            Vec::new()
        };
        contract::apply(comments(), &accesses, found, &context)
    });
    timings.rules = stopwatch.spent();
    let mut findings = outcome.findings;
    if options.fixes {
        let found = reprove::Found {
            files,
            overlay,
            accesses: &accesses,
            program,
            sources,
            units,
            options,
        };
        timings.time("fix", || reprove::propose(found, &mut findings));
    }
    analysis.accesses = accesses;
    analysis.proofs = proofs;
    analysis.findings = findings;
    analysis.suppressed = outcome.suppressed;
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
        ..prove::Options::default()
    }
}

/// Every stage up to the program: preprocess, parse, lower. Headers come from `overlay` where it has
/// them; `memory` knows what was parsed before.
fn front(
    files: &[Arc<SourceFile>],
    overlay: &[Arc<SourceFile>],
    options: &Options,
    memory: Option<&memory::Memory>,
) -> Analysis {
    let mut timings = Timings::default();
    let mut sources = SourceMap::default();
    let mains: Vec<FileId> = files
        .iter()
        .map(|file| sources.add_file(file.clone()))
        .collect();

    let texts = options.overlay.iter().chain(files).chain(overlay);
    let headers = Headers::new(texts, &options.headers, options.reads_disk);
    let common = preprocess_options(options, None);
    let mut units: Vec<Unit> = Vec::new();
    timings.time("preprocess", || {
        for main in mains {
            let path = sources.get(main).path.clone();
            let known = sources.iter().count();
            let own = options
                .flags
                .get(&path)
                .map(|flags| preprocess_options(options, Some(flags)));
            let settings = own.as_ref().unwrap_or(&common);
            let expanded = preprocess::preprocess(main, &mut sources, settings, &headers);
            let mut unit_files: FxHashSet<PathBuf> = sources
                .iter()
                .skip(known)
                .map(|(_, file)| file.path.clone())
                .collect();
            unit_files.insert(path);
            units.push(Unit {
                file: main,
                expanded,
                files: unit_files,
            });
        }
    });
    drop_included(&mut units, &sources);
    units.sort_by_key(|unit| unit.file);

    let read = |unit: &Unit| {
        let text = &unit.expanded.text;
        match memory {
            Some(memory) => memory.parse(&sources.get(unit.file).path, text),
            None => parse::parse(text),
        }
    };
    let paths: Vec<PathBuf> = units
        .iter()
        .map(|unit| sources.get(unit.file).path.clone())
        .collect();
    let bounds = lower::Options {
        max_statements: options.limits.statements,
        ..lower::Options::default()
    };
    let mut lowering = Lowering::new(paths.iter().map(PathBuf::as_path), bounds);
    // Trees are large: those of one batch go before the next is read.
    for batch in together::batches(&units, &sources) {
        let trees: Vec<ast::Unit> = timings.time("parse", || {
            batch.par_iter().map(|at| read(&units[*at])).collect()
        });
        let inputs: Vec<UnitInput> = batch
            .iter()
            .zip(&trees)
            .map(|(at, unit)| UnitInput {
                unit,
                expanded: &units[*at].expanded,
                path: &paths[*at],
            })
            .collect();
        timings.time("lower", || lowering.add(&inputs, &sources));
    }
    let mut program = lowering.finish();
    program.most_steps = Some(options.limits.steps);
    assume_launches(&mut program, &options.launches, false);
    assume_launches(&mut program, &options.chosen_launches, true);
    let mut not_analysed = std::mem::take(&mut program.not_analysed);
    by_place(&mut not_analysed, &sources);
    let notes = notes(&units, &sources);
    Analysis {
        notes,
        sources,
        program,
        not_analysed,
        timings,
        units,
        ..Analysis::default()
    }
}

/// Sorts by place; one reason for each function is enough.
fn by_place(not_analysed: &mut Vec<NotAnalysed>, sources: &SourceMap) {
    let place = |span: Span| (sources.get(span.file).path.clone(), span.start, span.end);
    not_analysed
        .sort_by_cached_key(|one| (place(one.span), one.function.clone(), one.reason.clone()));
    not_analysed.dedup_by(|a, b| a.function == b.function && place(a.span) == place(b.span));
}

/// Drops the units that another unit includes: what stands in them is analysed there, with that
/// unit's macros and types. Of two that include each other the first stays.
fn drop_included(units: &mut Vec<Unit>, sources: &SourceMap) {
    let paths: Vec<PathBuf> = units
        .iter()
        .map(|unit| sources.get(unit.file).path.clone())
        .collect();
    let mut includers: FxHashMap<&Path, Vec<usize>> = FxHashMap::default();
    for (at, unit) in units.iter().enumerate() {
        for file in &unit.files {
            if *file != paths[at] {
                includers.entry(file).or_default().push(at);
            }
        }
    }
    let is_dropped: Vec<bool> = paths
        .iter()
        .enumerate()
        .map(|(at, path)| {
            let by = includers.get(path.as_path()).map_or(&[][..], Vec::as_slice);
            by.iter()
                .any(|by| *by < at || !units[at].files.contains(&paths[*by]))
        })
        .collect();
    let mut dropped = is_dropped.iter();
    units.retain(|_| !dropped.next().copied().unwrap_or(false));
}

/// The run's flags, those of one file before them as a compiler's search path has it.
fn preprocess_options(options: &Options, own: Option<&Flags>) -> preprocess::Options {
    let none = Flags::default();
    let own = own.unwrap_or(&none);
    let chain = |own: &[PathBuf], all: &[PathBuf]| own.iter().chain(all).cloned().collect();
    preprocess::Options {
        defines: own
            .defines
            .iter()
            .chain(&options.defines)
            .cloned()
            .collect(),
        undefines: own
            .undefines
            .iter()
            .chain(&options.undefines)
            .cloned()
            .collect(),
        include_dirs: chain(&own.includes, &options.includes),
        forced_includes: chain(&own.forced_includes, &options.forced_includes),
        arch: u32::from(options.arch.major) * 100 + u32::from(options.arch.minor) * 10,
        limits: preprocess::Limits {
            expansion_tokens: options.limits.expansion_tokens,
            ..preprocess::Limits::default()
        },
    }
}

/// Gives kernels the launch that `rules` say: only those whose block no launch fixes, unless `all`.
fn assume_launches(program: &mut Program, rules: &[LaunchRule], all: bool) {
    for kernel in &mut program.kernels {
        let is_known = |launch: &Launch| launch.block.iter().all(|axis| axis.known().is_some());
        let Some(rule) = rules
            .iter()
            .find(|rule| glob_matches(&rule.kernel, &kernel.name))
        else {
            continue;
        };
        if !all && kernel.launches.iter().any(is_known) {
            continue;
        }
        let unknown = || Dimension::Unknown(Arc::from("?"));
        kernel.launches = vec![Launch {
            grid: match rule.grid {
                Some(grid) => grid.map(Dimension::Const),
                None => [unknown(), unknown(), unknown()],
            },
            block: rule.block.map(Dimension::Const),
            dynamic_shared: None,
            arguments: Vec::new(),
            source: LaunchSource::Config,
            span: None,
        }];
    }
}

/// What the preprocessor could not do, once per place.
fn notes(units: &[Unit], sources: &SourceMap) -> Vec<Note> {
    let mut seen = FxHashSet::default();
    let mut notes = Vec::new();
    for note in units.iter().flat_map(|unit| &unit.expanded.notes) {
        // Headers of the toolkit are expected to be absent.
        if note.kind == NoteKind::ToolchainInclude {
            continue;
        }
        let place = (
            sources.get(note.span.file).path.clone(),
            note.span.start,
            note.message.clone(),
        );
        if seen.insert(place.clone()) {
            let note = Note {
                span: Some(note.span),
                message: note.message.clone(),
            };
            notes.push((place, note));
        }
    }
    notes.sort_by(|a, b| a.0.cmp(&b.0));
    notes.into_iter().map(|(_, note)| note).collect()
}

/// Sorts accesses for output and drops those that a header shared by several units gave twice.
fn in_order(mut accesses: Vec<Access>, sources: &SourceMap) -> Vec<Access> {
    let mut ids: FxHashMap<PathBuf, FileId> = FxHashMap::default();
    let canonical: Vec<FileId> = sources
        .iter()
        .map(|(id, file)| *ids.entry(file.path.clone()).or_insert(id))
        .collect();
    let fix = |span: &mut Span| {
        span.file = canonical
            .get(span.file.0 as usize)
            .copied()
            .unwrap_or(span.file)
    };
    for access in &mut accesses {
        fix(&mut access.kernel_span);
        fix(&mut access.site.span);
        fix(&mut access.site.line);
        access
            .site
            .inlined
            .iter_mut()
            .for_each(|(_, span)| fix(span));
        access.site.definition.iter_mut().for_each(fix);
        access.declaration.iter_mut().for_each(fix);
        access.launch.span.iter_mut().for_each(fix);
    }
    accesses.sort_by_cached_key(|access| {
        let line = sources.get(access.site.line.file);
        let place = sources
            .get(access.site.span.file)
            .line_column(access.site.span.start);
        (
            line.path.clone(),
            line.line(access.site.line.start),
            place.column,
            access.site.span,
            access.kernel.clone(),
            access.instance.clone(),
            (
                access.launch.block,
                access.launch.grid,
                access.launch.source.name(),
                access.launch.span,
            ),
            access.op.name(),
            (access.width, access.formula.clone(), access.guards.clone()),
        )
    });
    accesses.dedup_by(|a, b| {
        let key = |access: &Access| {
            (
                access.site.span,
                access.site.line,
                access.op,
                access.space,
                access.width,
            )
        };
        let verdict = |access: &Access| {
            let verdict = &access.verdict;
            (verdict.status, verdict.min, verdict.max, verdict.ideal)
        };
        key(a) == key(b)
            && verdict(a) == verdict(b)
            && (&a.kernel, &a.instance, &a.launch) == (&b.kernel, &b.instance, &b.launch)
            && (&a.formula, &a.guards, &a.site.inlined) == (&b.formula, &b.guards, &b.site.inlined)
    });
    accesses
}
