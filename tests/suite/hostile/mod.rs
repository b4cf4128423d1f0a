//! Input that means harm, and luck that is bad: every text ends in an answer, every run in one
//! clear sentence at worst.
//!
//! `deep` nests and chains what can be nested and chained, `texts` is bytes, macros, includes and
//! numbers, `doors` is everything else that is read, `cache` breaks the folder of proofs, `order`
//! compares outputs that must be equal, and `replay` plays what fuzzers found and mutations of the
//! fixtures.

mod cache;
mod deep;
mod doors;
mod escapes;
mod inputs;
mod leaks;
mod order;
mod replay;
mod repository;
mod sizes;
mod texts;
mod writes;

use cudalint::session::{self, Analysis, Options};
use std::time::{Duration, Instant};

/// A kernel that has one access with a known answer; it follows what is hostile.
pub const HEALTHY: &str = "\n__global__ void healthy(float *o) { o[threadIdx.x * 2] = 1.0f; }\nvoid run() { healthy<<<1, 32>>>(0); }\n";

/// Analyses a text that stands alone, within `limit`.
fn survive(name: &str, text: &str, limit: Duration) -> Analysis {
    let options = Options {
        fixes: false,
        reads_disk: false,
        ..Options::default()
    };
    let start = Instant::now();
    let analysis = session::analyse_text("hostile.cu", text, &options);
    let took = start.elapsed();
    assert!(took < limit, "{name} took {took:?}");
    analysis
}

/// Whether the kernel that follows has its answer: 8 sectors where 4 would do.
fn has_healthy(analysis: &Analysis) -> bool {
    analysis.accesses.iter().any(|access| {
        let verdict = &access.verdict;
        &*access.kernel == "healthy" && (verdict.min, verdict.max, verdict.ideal) == (8, 8, 4)
    })
}

/// Asserts that the kernel named is listed with a reason, or has an access without an answer.
fn is_told(analysis: &Analysis, kernel: &str) -> bool {
    let is_named = |name: &str| name.contains(kernel);
    analysis
        .not_analysed
        .iter()
        .any(|one| is_named(&one.function) && !one.reason.is_empty())
        || analysis
            .program
            .kernels
            .iter()
            .any(|one| is_named(&one.name) && !one.gaps.is_empty())
        || analysis
            .accesses
            .iter()
            .any(|one| is_named(&one.kernel) && !one.verdict.reason.is_empty())
        || !analysis.notes.is_empty()
}
