//! Caches: answers of the solver, findings of groups, and what stays in memory between runs.

use crate::finding::Finding;
use crate::source::{Canonical, SourceMap};

pub(super) mod encode;
pub mod findings;
pub(super) mod key;
pub mod memory;
pub(super) mod opinions;
pub mod proofs;
#[cfg(test)]
pub(super) mod scratch;

/// The findings that bytes of the cache say of these files, none where they are not to be believed.
#[must_use]
pub fn recalled(bytes: &[u8], sources: &SourceMap) -> Option<Vec<Finding>> {
    let files = Canonical::of(sources).by_path;
    encode::read(bytes, &files, sources).map(|part| part.findings)
}
