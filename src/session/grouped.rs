//! Runs of `check`: each group goes through all stages by itself, and only its findings are kept.
//!
//! Given files, finds which belong together, and takes each group through all stages by itself: its
//! trees, program and accesses go before the next is read. What an earlier run found in the same
//! text is not looked for again. The findings are those of one run over everything.

use super::build_program::{Reading, notes, program};
use super::cache::encode::{self, Part};
use super::cache::findings::ResultStore;
use super::cache::key::CacheKeys;
use super::control::{STOPPED, STOPPED_INSIDE};
use super::expand::{Expander, Texts};
use super::judge_program::{ProgramInput, VerdictSource, conclude};
use super::order::{by_place, in_order};
use super::{
    Analysis, Options, Retain, Timings, Unit, grouping, prove_options, shard, shared_headers,
    workers,
};
use crate::finding::Finding;
use crate::ir::{Kernel, NotAnalysed, Omission};
use crate::prove::Prover;
use crate::prove::claim::Hash;
use crate::report::not_followed::NotFollowed;
use crate::source::{Canonical, SourceFile, SourceMap, Span};
use rayon::prelude::*;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Data that all groups of a run share.
#[derive(Clone, Copy)]
struct Run<'a> {
    files: &'a [Arc<SourceFile>],
    expander: &'a Expander<'a>,
    sources: &'a SourceMap,
    canonical: &'a Canonical<'a>,
    prover: &'a Prover,
}

/// Every stage, for findings and counts.
pub(super) fn run(files: &[Arc<SourceFile>], options: &Options) -> Analysis {
    let mut timings = Timings::default();
    let expander = Expander::new(files, &[], options);
    let Texts { sources, units } = timings.time("preprocess", || expander.all(false));
    let notes = notes(&units, &sources);
    let canonical = Canonical::of(&sources);
    let prover = Prover::new(prove_options(options));
    let run = Run {
        files,
        expander: &expander,
        sources: &sources,
        canonical: &canonical,
        prover: &prover,
    };
    let groups = timings.time("group", || split(units, &sources));
    let groups = match options.shard {
        Some(shard) => shard::pick(shard, groups, |units| bytes(units)),
        None => groups,
    };
    let mut problem = None;
    let results = options.results.as_ref();
    let parts = match results.filter(|_| options.keeps == Retain::Findings) {
        Some(store) => {
            let (parts, kept) = recall_or_analyse(run, &groups, store, &mut timings);
            problem = kept.err();
            parts
        }
        None => {
            let unknown = groups.iter().map(|_| None).collect();
            let (parts, times) = analyse_groups(run, &groups, unknown);
            timings.merge(times);
            parts
        }
    };
    // What served the groups makes room for the reports.
    let proofs = prover.proofs();
    drop(expander);
    let mut analysis = Analysis {
        proofs,
        notes,
        timings,
        units: groups.into_iter().flatten().collect(),
        cache_problem: problem,
        ..Analysis::default()
    };
    analysis.units.sort_by_key(|unit| unit.file);
    join_parts(&mut analysis, parts, &sources, &canonical);
    analysis.sources = sources;
    analysis
}

/// What an earlier run found in a group, or else what this one finds, which is kept; with the problem that the
/// cache had.
fn recall_or_analyse(
    run: Run<'_>,
    groups: &[Vec<Unit>],
    store: &ResultStore,
    timings: &mut Timings,
) -> (Vec<Part>, Result<(), String>) {
    let Run {
        sources, canonical, ..
    } = run;
    let keys = CacheKeys::of(sources, canonical, run.expander.options);
    let names: Vec<Hash> = timings.time("recall", || {
        groups.par_iter().map(|units| keys.key(units)).collect()
    });
    let known: Vec<Option<Part>> = timings.time("recall", || {
        let recall = |name| encode::read(&store.get(name)?, &canonical.by_path, sources);
        names.par_iter().map(recall).collect()
    });
    let is_new: Vec<bool> = known.iter().map(Option::is_none).collect();
    let (parts, times) = analyse_groups(run, groups, known);
    let kept = timings.time("keep", || {
        let mut kept = Ok(());
        for ((part, name), is_new) in parts.iter().zip(&names).zip(is_new) {
            if is_new && !part.is_left_out && kept.is_ok() {
                kept = keep(store, name, part, sources);
            }
        }
        store.tidy();
        kept
    });
    timings.merge(times);
    (parts, kept)
}

/// What was found in all groups, in order of files and places.
fn join_parts(
    analysis: &mut Analysis,
    parts: Vec<Part>,
    sources: &SourceMap,
    canonical: &Canonical<'_>,
) {
    let count = parts.iter().map(|part| part.findings.len()).sum();
    analysis.findings.reserve_exact(count);
    for part in parts {
        analysis.counts.add(part.counts);
        analysis.findings.extend(part.findings);
        analysis.suppressed.extend(part.suppressed);
        analysis.not_analysed.extend(part.not_analysed);
        analysis.not_followed.extend(part.not_followed);
        analysis.accesses.extend(part.accesses);
        analysis.program.kernels.extend(part.kernels);
    }
    let kernels = &mut analysis.program.kernels;
    let unknown = shared_headers::join(kernels, &mut analysis.accesses, canonical);
    analysis.not_analysed.extend(unknown);
    shared_headers::join_not_followed(&mut analysis.not_followed, &analysis.accesses, canonical);
    let accesses = std::mem::take(&mut analysis.accesses);
    analysis.accesses = in_order(accesses, sources, canonical);
    let findings = &mut analysis.findings;
    findings.sort_by(|a, b| a.compare(b, sources));
    let suppressed = &mut analysis.suppressed;
    suppressed.sort_by(|a, b| a.finding.compare(&b.finding, sources));
    by_place(&mut analysis.not_analysed, sources);
    let place = |one: &NotFollowed| (sources.get(one.span.file).path.clone(), one.span.start);
    analysis.not_followed.sort_by_cached_key(place);
}

/// The units, group by group.
fn split(units: Vec<Unit>, sources: &SourceMap) -> Vec<Vec<Unit>> {
    let groups = grouping::groups(&units, sources);
    let mut units: Vec<Option<Unit>> = units.into_iter().map(Some).collect();
    groups
        .into_iter()
        .map(|group| {
            group
                .into_iter()
                .filter_map(|at| units.get_mut(at)?.take())
                .collect()
        })
        .collect()
}

fn keep(store: &ResultStore, name: &Hash, part: &Part, sources: &SourceMap) -> Result<(), String> {
    match encode::write(part, sources) {
        Some(bytes) => store.put(name, &bytes),
        None => Ok(()),
    }
}

/// Of the texts of a group.
fn bytes(units: &[Unit]) -> usize {
    units.iter().map(|unit| unit.text.bytes).sum()
}

/// Analyses every group that is not in the cache; gives the results and the time of all threads.
fn analyse_groups(
    run: Run,
    groups: &[Vec<Unit>],
    known: Vec<Option<Part>>,
) -> (Vec<Part>, Timings) {
    let size = |at: usize| bytes(&groups[at]);
    let mut open: Vec<usize> = (0..groups.len())
        .filter(|at| known[*at].is_none())
        .collect();
    open.sort_by_cached_key(|at| std::cmp::Reverse(size(*at)));
    let done: Mutex<(Vec<Option<Part>>, Timings)> = Mutex::new((known, Timings::default()));
    let control = run.expander.options.control.as_deref();
    if let Some(control) = control {
        control.expect(open.iter().map(|at| groups[*at].len()).sum());
    }
    let work = |at: usize| {
        let mut timings = Timings::default();
        let name = groups[at]
            .first()
            .map(|unit| &run.sources.get(unit.file).path);
        let part = match control.zip(name) {
            Some((control, _)) if control.is_stopped() => part_left_out(&groups[at], run.sources),
            Some((control, name)) => {
                control.begin(name);
                let part = analyse_group(run, &groups[at], &mut timings);
                control.end(name, groups[at].len());
                part
            }
            None => analyse_group(run, &groups[at], &mut timings),
        };
        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
        done.0[at] = Some(part);
        done.1.merge(timings);
    };
    // All threads work on a group that is much of what is left; of the others, each on its own.
    let threads = rayon::current_num_threads();
    let mut left: usize = open.iter().map(|at| size(*at)).sum();
    let is_large = |at: usize, left: &mut usize| {
        let is_large = size(at) * 2 * threads > *left;
        *left -= size(at);
        is_large
    };
    let large = open
        .iter()
        .take_while(|at| is_large(**at, &mut left))
        .count();
    let (large, small) = open.split_at(large);
    large.iter().for_each(|at| work(*at));
    let ends = SizeQueue::of(small);
    let go = |from: End| {
        // A thread of one pool that waits for another would begin with more groups meanwhile.
        let pool = workers(1);
        while let Some(at) = ends.take(from) {
            match &pool {
                Some(pool) => pool.install(|| work(at)),
                None => work(at),
            }
        }
    };
    let go = &go;
    std::thread::scope(|scope| {
        // One thread takes the largest ones, so that no two of them are in memory together.
        let sides = std::iter::once(End::Largest).chain(std::iter::repeat(End::Smallest));
        let started: Vec<_> = sides
            .take(threads.min(small.len()))
            .map_while(|from| {
                let builder = std::thread::Builder::new();
                builder.spawn_scoped(scope, move || go(from)).ok()
            })
            .collect();
        if started.is_empty() {
            while let Some(at) = ends.take(End::Largest) {
                work(at);
            }
        }
    });
    let (parts, timings) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    (
        parts.into_iter().map(Option::unwrap_or_default).collect(),
        timings,
    )
}

/// The result for files that a stopped run did not reach.
fn part_left_out(units: &[Unit], sources: &SourceMap) -> Part {
    Part {
        not_analysed: left_out(units, sources, STOPPED),
        is_left_out: true,
        ..Part::default()
    }
}

/// Each file with the reason why not all is told of it.
pub(super) fn left_out(units: &[Unit], sources: &SourceMap, reason: &str) -> Vec<NotAnalysed> {
    let one = |unit: &Unit| NotAnalysed {
        function: file_name(&sources.get(unit.file).path),
        span: Span::new(unit.file, 0, 0),
        reason: reason.to_owned(),
        omission: Omission::Text,
    };
    units.iter().map(one).collect()
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Groups in order of size, the largest first, taken from both ends.
struct SizeQueue<'a> {
    groups: &'a [usize],
    /// Those that are left.
    left: Mutex<std::ops::Range<usize>>,
}

#[derive(Clone, Copy)]
enum End {
    Largest,
    Smallest,
}

impl<'a> SizeQueue<'a> {
    fn of(groups: &'a [usize]) -> Self {
        Self {
            groups,
            left: Mutex::new(0..groups.len()),
        }
    }

    fn take(&self, from: End) -> Option<usize> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let at = match from {
            End::Largest => left.next(),
            End::Smallest => left.next_back(),
        }?;
        self.groups.get(at).copied()
    }
}

/// Analyses one group.
fn analyse_group(run: Run, units: &[Unit], timings: &mut Timings) -> Part {
    let Run {
        files,
        expander,
        sources,
        canonical,
        prover,
    } = run;
    let reading = Reading {
        folds: true,
        ..Reading::default()
    };
    let mut program = program(units, sources, expander, reading, timings);
    let stop = expander.options.stop();
    // Of a program that was read in part nothing is known: launches and overloads may be missing.
    if stop.is_raised() {
        return part_left_out(units, sources);
    }
    let given = ProgramInput {
        files,
        overlay: &[],
        sources,
        canonical,
        units,
        expander,
    };
    // Nothing stops a run that has no memory.
    let mut found =
        conclude(given, &mut program, VerdictSource::Prover(prover), timings).unwrap_or_default();
    found.findings.iter_mut().for_each(Finding::shrink);
    let counts = crate::report::Counts::of(&found.accesses);
    let is_left_out = stop.is_raised();
    if is_left_out {
        let rest = left_out(units, sources, STOPPED_INSIDE);
        found.not_analysed.extend(rest);
    }
    let (accesses, kernels) = if expander.options.keeps == Retain::Accesses {
        let kernels = program.kernels.into_iter().map(Kernel::without_code);
        (found.accesses, kernels.collect())
    } else {
        Default::default()
    };
    Part {
        counts,
        accesses,
        kernels,
        findings: found.findings,
        suppressed: found.suppressed,
        not_analysed: found.not_analysed,
        not_followed: found.not_followed,
        is_left_out,
    }
}
