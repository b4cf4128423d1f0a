//! Runs of a session that goes on, such as an editor's.
//!
//! Given texts, texts in memory that win over the disk, and the memory of earlier
//! runs, gives what one run would give, in less time; fixes are looked for only where
//! they are asked for. Knows nothing of editors.

use super::memory::Memory;
use super::{Analysis, Options, front, in_order, on_workers, reprove};
use crate::finding::Finding;
use crate::rules;
use crate::source::SourceFile;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a run is made of.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Analysed together, each a unit of its own unless another includes it.
    pub files: &'a [Arc<SourceFile>],
    /// In place of what stands on disk, where a unit includes it.
    pub overlay: &'a [Arc<SourceFile>],
    pub options: &'a Options,
}

/// A run without fixes; `None` once `stop` is raised.
#[must_use]
pub fn analyse(input: Input, memory: &Memory, stop: &Arc<AtomicBool>) -> Option<Analysis> {
    on_workers(input.options.threads, || run(input, memory, stop))
}

fn run(input: Input, memory: &Memory, stop: &Arc<AtomicBool>) -> Option<Analysis> {
    let mut analysis = front(input.files, input.overlay, input.options, Some(memory));
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    let Analysis {
        sources,
        program,
        timings,
        ..
    } = &mut analysis;
    let arch = input.options.arch;
    let accesses = timings.time("prove", || memory.prove(program, arch, stop))?;
    let accesses = in_order(accesses, sources);
    let context = rules::Context {
        sources,
        program,
        arch: &arch,
    };
    let findings = timings.time("judge", || rules::judge(&accesses, &context));
    analysis.accesses = accesses;
    analysis.findings = findings;
    Some(analysis)
}

/// Adds proved fixes to `findings`, which are of `analysis`, which is of `input`.
pub fn fixes(input: Input, analysis: &Analysis, findings: &mut [Finding]) {
    let found = reprove::Found {
        files: input.files,
        overlay: input.overlay,
        accesses: &analysis.accesses,
        program: &analysis.program,
        sources: &analysis.sources,
        units: &analysis.units,
        options: input.options,
    };
    on_workers(input.options.threads, || reprove::propose(found, findings));
}
