//! Fixes: edits of the source that are proved before they are offered.
//!
//! Given accesses with conflicts and a way to analyse the edited text again, gives
//! [`crate::finding::Fix`]es; and applies them to text. Knows nothing of files on
//! disk or of who asks.

pub mod apply;
pub mod padding;
mod text;

use crate::finding::Edit;
use crate::ir::Program;
use crate::prove::verdict::Access;
use crate::source::{SourceMap, Span};

/// The analysis of edited text. Spans are of `sources`, not of the text before.
#[derive(Debug)]
pub struct Reproof {
    pub sources: SourceMap,
    pub program: Program,
    pub accesses: Vec<Access>,
}

/// Analyses the files concerned again, with edits in place.
pub trait Reprove {
    /// `None` where the edits cannot be applied.
    fn with(&self, edits: &[Edit]) -> Option<Reproof>;
}

/// Whether two spans of different source maps begin at the same place.
fn same_start(sources: &SourceMap, a: Span, other: &SourceMap, b: Span) -> bool {
    a.start == b.start && sources.get(a.file).path == other.get(b.file).path
}
