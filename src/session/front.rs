//! From files to a program: preprocess, parse, lower.
//!
//! Given the texts of files, gives their units, and the program of all or of some of them. Knows
//! nothing of proofs or rules.

use super::includes::Headers;
use super::trees::KnownTrees;
use super::{Analysis, Flags, Options, Timings, Unit, together};
use crate::config::{LaunchRule, glob_matches};
use crate::ir::lower::{self, Lowering, UnitInput};
use crate::ir::{Dimension, Launch, LaunchSource, Program};
use crate::report::Note;
use crate::source::{FileId, SourceFile, SourceMap};
use crate::syntax::preprocess::{self, NoteKind};
use crate::syntax::{ast, parse};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a run reads less of than all.
#[derive(Default)]
pub(super) struct Reading<'a> {
    /// What was parsed before.
    pub trees: Option<&'a KnownTrees>,
    /// The kernels to lower, by qualified name; all if there is none.
    pub only: Option<FxHashSet<String>>,
}

/// Preprocessed files.
#[derive(Default)]
pub(super) struct Texts {
    pub sources: SourceMap,
    pub units: Vec<Unit>,
    pub timings: Timings,
}

/// Every stage up to the program. Headers come from `overlay` where it has them.
pub(super) fn front(
    files: &[Arc<SourceFile>],
    overlay: &[Arc<SourceFile>],
    options: &Options,
    reading: Reading<'_>,
) -> Analysis {
    let Texts {
        sources,
        units,
        mut timings,
    } = expand(files, overlay, options);
    let program = program(&units, &sources, options, reading, &mut timings);
    Analysis {
        notes: notes(&units, &sources),
        sources,
        program,
        timings,
        units,
        ..Analysis::default()
    }
}

/// The units of `files`.
pub(super) fn expand(
    files: &[Arc<SourceFile>],
    overlay: &[Arc<SourceFile>],
    options: &Options,
) -> Texts {
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
    Texts {
        sources,
        units,
        timings,
    }
}

/// The program of `units`, with what could not be read.
pub(super) fn program(
    units: &[Unit],
    sources: &SourceMap,
    options: &Options,
    reading: Reading<'_>,
    timings: &mut Timings,
) -> Program {
    let read = |unit: &Unit| {
        let text = &unit.expanded.text;
        match reading.trees {
            Some(trees) => trees.parse(&sources.get(unit.file).path, text),
            None => parse::parse(text),
        }
    };
    let paths: Vec<PathBuf> = units
        .iter()
        .map(|unit| sources.get(unit.file).path.clone())
        .collect();
    let bounds = lower::Options {
        max_statements: options.limits.statements,
        only: reading.only,
        ..lower::Options::default()
    };
    let mut lowering = Lowering::new(paths.iter().map(PathBuf::as_path), bounds);
    // Trees are large: those of one batch go before the next is read.
    for batch in together::batches(units, sources) {
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
        timings.time("lower", || lowering.add(&inputs, sources));
    }
    let mut program = lowering.finish();
    program.most_steps = Some(options.limits.steps);
    assume_launches(&mut program, &options.launches, false);
    assume_launches(&mut program, &options.chosen_launches, true);
    program
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
pub(super) fn notes(units: &[Unit], sources: &SourceMap) -> Vec<Note> {
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
