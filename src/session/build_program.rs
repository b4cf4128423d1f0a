//! From files to a program: preprocess, parse, lower.
//!
//! Given the texts of files, gives their units, and the program of all or of some of them, with few
//! trees in memory at a time. Knows nothing of proofs or rules.

use super::expand::{Expander, Texts};
use super::{Analysis, Timings, Unit, grouping};
use crate::config::{LaunchRule, glob_matches};
use crate::ir::{Dimension, Launch, LaunchSource, NotAnalysed, Omission, Program};
use crate::lower::{self, Lowering, UnitInput};
use crate::report::Note;
use crate::source::SourceMap;
use crate::syntax::preprocess::{Expanded, NoteKind};
use crate::syntax::{ast, parse};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::path::Path;
use std::sync::Arc;

/// Limits on what a run reads.
#[derive(Default)]
pub(super) struct Reading {
    /// The kernels to lower, by qualified name; all if there is none.
    pub only: Option<FxHashSet<String>>,
    /// Whether the caller wants every expanded text.
    pub keeps_texts: bool,
    /// Whether kernels come folded.
    pub folds: bool,
}

/// Every stage up to the program.
pub(super) fn front(expander: &Expander, reading: Reading) -> Analysis {
    let mut timings = Timings::default();
    let Texts { sources, units } = timings.time("preprocess", || expander.all(reading.keeps_texts));
    let program = program(&units, &sources, expander, reading, &mut timings);
    Analysis {
        notes: notes(&units, &sources),
        sources,
        program,
        timings,
        units,
        ..Analysis::default()
    }
}

/// The program of `units`, with what could not be read.
pub(super) fn program(
    units: &[Unit],
    sources: &SourceMap,
    expander: &Expander,
    reading: Reading,
    timings: &mut Timings,
) -> Program {
    let options = expander.options;
    let paths: Vec<&Path> = units
        .iter()
        .map(|unit| sources.get(unit.file).path.as_path())
        .collect();
    let bounds = lower::Options {
        max_statements: options.limits.statements,
        max_steps: options.limits.lowering_steps,
        max_function_steps: options.limits.function_steps,
        max_file_steps: options.limits.file_steps,
        max_instances: options.limits.instances,
        max_instances_in_all: options.limits.run_instances,
        only: reading.only,
        folds: reading.folds,
        stop: options.stop(),
        ..lower::Options::default()
    };
    let mut lowering = Lowering::new(bounds);
    // Trees are large: those of one batch go before the next is read.
    for batch in grouping::batches(&grouping::sets(units), units) {
        // What is lowered after the stop is no answer.
        if options.stop().is_raised() {
            break;
        }
        // Texts that were not kept are made again.
        let made: Vec<Option<Expanded>> = timings.time("preprocess", || {
            let make = |(at, _): &(usize, usize)| {
                let unit = &units[*at];
                (!unit.expanded.has_text()).then(|| expander.again(unit, sources))
            };
            batch.par_iter().map(make).collect()
        });
        let texts: Vec<&Expanded> = batch
            .iter()
            .zip(&made)
            .map(|((at, _), made)| made.as_ref().unwrap_or(&units[*at].expanded))
            .collect();
        let trees: Vec<ast::Unit> = timings.time("parse", || {
            let read =
                |expanded: &&Expanded| parse::parse_sharing(&expanded.text, &expander.pieces);
            texts.par_iter().map(read).collect()
        });
        let inputs: Vec<UnitInput> = batch
            .iter()
            .zip(&texts)
            .zip(&trees)
            .map(|(((at, set), expanded), unit)| UnitInput {
                unit,
                expanded,
                path: paths[*at],
                set: *set,
            })
            .collect();
        timings.time("lower", || lowering.add(&inputs, sources));
        drop(inputs);
        // Large trees take long to go.
        trees.into_par_iter().for_each(drop);
    }
    let mut program = lowering.finish();
    left_out(units, sources, &mut program);
    program.most_steps = Some(options.limits.steps);
    program.most_terms = Some(options.limits.terms);
    program.stop = options.stop();
    assume_launches(&mut program, &options.launches, false);
    assume_launches(&mut program, &options.chosen_launches, true);
    program
}

/// Says which kernels and launches are not compiled as a name is not defined: each once, a launch once for
/// each file and name, and no kernel of which another definition is compiled.
fn left_out(units: &[Unit], sources: &SourceMap, program: &mut Program) {
    let mut seen = FxHashSet::default();
    for note in units.iter().flat_map(|unit| &unit.expanded.notes) {
        let path = &sources.get(note.span.file).path;
        let (function, place) = match note.kind {
            NoteKind::SkippedKernel => (sources.text(note.span), note.span.start),
            NoteKind::SkippedLaunch => ("", 0),
            _ => continue,
        };
        let is_compiled = |name: &str| name.rsplit("::").next() == Some(function);
        if program
            .defined
            .iter()
            .any(|kernel| is_compiled(&kernel.name))
        {
            continue;
        }
        if seen.insert((path.clone(), place, note.message.clone())) {
            program.not_analysed.push(NotAnalysed {
                function: function.to_owned(),
                span: note.span,
                reason: note.message.clone(),
                omission: Omission::Text,
            });
        }
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
            moved: Vec::new(),
            source: LaunchSource::Config,
            span: None,
        }];
    }
}

/// Failures of the preprocessor, once per place.
pub(super) fn notes(units: &[Unit], sources: &SourceMap) -> Vec<Note> {
    let mut seen = FxHashSet::default();
    let mut notes = Vec::new();
    for note in units.iter().flat_map(|unit| &unit.expanded.notes) {
        // Headers of the toolkit are expected to be absent; what is left out is said by name.
        let is_said = matches!(
            note.kind,
            NoteKind::ToolchainInclude | NoteKind::SkippedKernel | NoteKind::SkippedLaunch
        );
        if is_said {
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
                is_told: matches!(
                    note.kind,
                    NoteKind::OutsideInclude
                        | NoteKind::LimitReached
                        | NoteKind::OpenCondition
                        | NoteKind::HostPass
                ),
            };
            notes.push((place, note));
        }
    }
    notes.sort_by(|a, b| a.0.cmp(&b.0));
    notes.into_iter().map(|(_, note)| note).collect()
}
