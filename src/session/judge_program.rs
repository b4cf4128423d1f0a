//! From a program to findings: prove, judge, fix.
//!
//! Given the program of some units, gives its accesses with verdicts, what rules and comments say of
//! them, and proved fixes. Knows nothing of how the program came about.

use super::expand::Expander;
use super::fixes::prove_fixes;
use super::incremental::Again;
use super::order::{by_place, in_order};
use super::{Timings, Unit, prove_options, since_start};
use crate::access::Walks;
use crate::contract::{self, Suppressed, UNUSED_ALLOW};
use crate::finding::Finding;
use crate::ir::{NotAnalysed, Program};
use crate::prove::Prover;
use crate::prove::verdict::Access;
use crate::report::not_followed::NotFollowed;
use crate::rules;
use crate::rules::stopwatch::Stopwatch;
use crate::source::{Canonical, SourceFile, SourceMap};
use std::sync::Arc;

/// The input that a program is read from.
#[derive(Clone, Copy)]
pub(super) struct ProgramInput<'a> {
    pub files: &'a [Arc<SourceFile>],
    /// Headers in place of those on disk.
    pub overlay: &'a [Arc<SourceFile>],
    pub sources: &'a SourceMap,
    pub canonical: &'a Canonical<'a>,
    /// Those that the program is of.
    pub units: &'a [Unit],
    pub expander: &'a Expander<'a>,
}

/// Who knows verdicts.
#[derive(Clone, Copy)]
pub(super) enum VerdictSource<'a> {
    Prover(&'a Prover),
    /// A session that goes on.
    Memory(Again<'a>),
}

/// Results of the later stages.
#[derive(Default)]
pub(super) struct Concluded {
    pub accesses: Vec<Access>,
    pub not_analysed: Vec<NotAnalysed>,
    pub not_followed: Vec<NotFollowed>,
    pub findings: Vec<Finding>,
    pub suppressed: Vec<Suppressed>,
}

/// What was proved of a fix after the stop is no proof, and a comment may accept what was not looked for.
fn drop_unproved(findings: &mut Vec<Finding>) {
    findings.retain(|finding| finding.rule != UNUSED_ALLOW);
    findings
        .iter_mut()
        .for_each(|finding| finding.fixes.clear());
}

/// What the rules find; a session that goes on keeps what they find in each kernel.
fn judge(accesses: &[Access], context: &rules::Context, by: VerdictSource) -> Vec<Finding> {
    let kept = match by {
        VerdictSource::Prover(_) => None,
        VerdictSource::Memory(again) => Some(again.memory.opinions(context)),
    };
    let keeper = kept
        .as_ref()
        .map(|kept| kept as &dyn rules::per_kernel::Keeper);
    rules::judge(accesses, context, keeper)
}

/// Proves, judges and fixes; `None` where a session was told to stop.
pub(super) fn conclude(
    given: ProgramInput,
    program: &mut Program,
    by: VerdictSource,
    timings: &mut Timings,
) -> Option<Concluded> {
    let ProgramInput {
        files,
        overlay,
        sources,
        canonical,
        units,
        expander,
    } = given;
    let options = expander.options;
    let mut not_analysed = std::mem::take(&mut program.not_analysed);
    // Of kernels as they stand when all are proved.
    let walks = if options.judges || options.fixes {
        Walks::default()
    } else {
        Walks::passing()
    };
    let (accesses, incomplete) = timings.time("prove", || match by {
        VerdictSource::Prover(prover) => {
            let walked = |kernel: &_, launch: &_| walks.get(program, kernel, launch);
            Some(prover.analyse_walked(program, &walked))
        }
        VerdictSource::Memory(again) => again.memory.prove(program, options.arch, again.stop),
    })?;
    not_analysed.extend(incomplete);
    by_place(&mut not_analysed, sources);
    let accesses = in_order(accesses, sources, canonical);
    let stopwatch = Stopwatch::new(since_start);
    let context = rules::Context {
        sources,
        canonical,
        program,
        walks: &walks,
        arch: &options.arch,
        stopwatch: &stopwatch,
    };
    let comments = units.iter().flat_map(|unit| &unit.expanded.comments);
    let outcome = timings.time("judge", || {
        let found = if options.judges {
            judge(&accesses, &context, by)
        } else {
            Vec::new()
        };
        contract::apply(comments.copied(), &accesses, found, &context)
    });
    timings.add_rules(&stopwatch.spent());
    let mut findings = outcome.findings;
    let stop = options.stop();
    if options.fixes && !stop.is_raised() {
        let own;
        let prover = match by {
            VerdictSource::Prover(prover) => prover,
            VerdictSource::Memory(_) => {
                own = Prover::new(prove_options(options));
                &own
            }
        };
        let found = prove_fixes::RunResults {
            files,
            overlay,
            accesses: &accesses,
            program,
            walks: &walks,
            sources,
            canonical,
            units,
            expander,
            prover,
        };
        timings.time("fix", || prove_fixes::propose(found, &mut findings));
    }
    if stop.is_raised() {
        drop_unproved(&mut findings);
    }
    Some(Concluded {
        not_followed: NotFollowed::of(program, &accesses, canonical),
        accesses,
        not_analysed,
        findings,
        suppressed: outcome.suppressed,
    })
}
