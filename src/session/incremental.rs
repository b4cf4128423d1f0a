//! Runs of a session that goes on, such as an editor's.
//!
//! Given texts, texts in memory that win over the disk, and the memory of earlier
//! runs, gives what one run would give, in less time; fixes are looked for only where
//! they are asked for. Knows nothing of editors.

use super::cache::memory::Memory;
use super::expand::Expander;
use super::fixes::prove_fixes;
use super::{Analysis, Options, on_workers, prove_options, run};
use crate::access::Walks;
use crate::finding::Finding;
use crate::prove::Prover;
use crate::source::{Canonical, SourceFile};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The input of a run.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Analysed together, each a unit of its own unless another includes it.
    pub files: &'a [Arc<SourceFile>],
    /// In place of what stands on disk, where a unit includes it.
    pub overlay: &'a [Arc<SourceFile>],
    pub options: &'a Options,
}

/// State that a run passes on to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Again<'a> {
    pub memory: &'a Memory,
    /// Raised to end the run.
    pub stop: &'a Arc<AtomicBool>,
}

/// One run; `None` once `stop` is raised. Proofs of earlier runs count, so the list of obligations
/// stays empty.
#[must_use]
pub fn analyse(input: Input, memory: &Memory, stop: &Arc<AtomicBool>) -> Option<Analysis> {
    let again = Again { memory, stop };
    on_workers(input.options.threads, || {
        run(input.files, input.overlay, input.options, Some(again))
    })
}

/// Adds proved fixes to `findings`, which are of `analysis`, which is of `input`.
pub fn fixes(input: Input, analysis: &Analysis, findings: &mut [Finding]) {
    let found = prove_fixes::RunResults {
        files: input.files,
        overlay: input.overlay,
        accesses: &analysis.accesses,
        program: &analysis.program,
        walks: &Walks::default(),
        sources: &analysis.sources,
        canonical: &Canonical::of(&analysis.sources),
        units: &analysis.units,
        expander: &Expander::new(input.files, input.overlay, input.options),
        prover: &Prover::new(prove_options(input.options)),
    };
    on_workers(input.options.threads, || {
        prove_fixes::propose(found, findings)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session;
    use std::path::PathBuf;

    const HALF_EDITED: &str = "__device__ float get(const float *p, int k) { return p[k * 2]; }\n\
        __global__ void a(float *o) { o[threadIdx.x] = get(o, threadIdx.x); }\n\
        __global__ void a(float *o) { o[threadIdx.x] = get(o, threadIdx.x); }\n";

    #[test]
    fn a_kernel_that_stands_there_twice_is_told_as_in_one_run() {
        let options = Options::default();
        let files = [Arc::new(SourceFile::new(
            PathBuf::from("twice.cu"),
            HALF_EDITED.into(),
        ))];
        let input = Input {
            files: &files,
            overlay: &[],
            options: &options,
        };
        let places = |analysis: &Analysis| -> Vec<_> {
            let accesses = analysis.accesses.iter();
            accesses
                .map(|access| (access.site.span, access.op))
                .collect()
        };
        let memory = Memory::default();
        let again = analyse(input, &memory, &Arc::default()).expect("nobody stops it");
        let once = session::analyse(&files, &options);
        // What the two share is listed for each.
        assert_eq!(places(&once).len(), 4);
        assert_eq!(places(&again), places(&once));
    }

    #[test]
    fn divisors_that_are_taken_to_be_large_are_told() {
        let text = "__global__ void f(float *o, int W, int H) {\n  \
            int i = blockIdx.x * 256 + threadIdx.x;\n  o[i / W + i / H] = 1;\n}\n\
            void host(float *o, int n, int m) { f<<<100, 256>>>(o, n, m); }\n";
        let path = PathBuf::from("quotients.cu");
        let files = [Arc::new(SourceFile::new(path, text.into()))];
        let analysis = session::analyse(&files, &Options::default());
        let assumptions = &analysis.accesses[0].verdict.assumptions;
        for told in ["W > 31", "H > 31"] {
            assert!(
                assumptions
                    .iter()
                    .any(|assumption| assumption.to_string() == told),
                "{assumptions:?}"
            );
        }
    }
}
