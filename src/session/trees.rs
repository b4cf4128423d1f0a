//! Trees of texts that were parsed before.
//!
//! Given a unit's text, gives its syntax tree, parsed anew only where it differs from the last text
//! of that path. The answer is that of a fresh parse.

use crate::syntax::ast;
use crate::syntax::parse::{self, Pieces, Trees};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Units whose trees are kept.
const MOST_TREES: usize = 16;
/// Bytes of the trees of single definitions.
const PIECES_BYTES: usize = 48 << 20;

/// Trees of earlier texts, the oldest first. May be shared by threads.
#[derive(Debug)]
pub(super) struct KnownTrees {
    units: Mutex<Vec<(PathBuf, Trees)>>,
    pieces: Arc<Pieces>,
}

impl Default for KnownTrees {
    fn default() -> Self {
        Self::sharing(Arc::new(Pieces::new(PIECES_BYTES)))
    }
}

impl KnownTrees {
    /// Trees of no text, with definitions that others have parsed, too.
    pub fn sharing(pieces: Arc<Pieces>) -> Self {
        Self {
            units: Mutex::default(),
            pieces,
        }
    }

    /// The tree of a unit's text, with the help of the one before.
    pub fn parse(&self, path: &Path, text: &str) -> ast::Unit {
        let lock = || self.units.lock().unwrap_or_else(PoisonError::into_inner);
        // Taken out while it is used; whoever else parses this path starts afresh.
        let known = {
            let mut kept = lock();
            let at = kept.iter().position(|(known, _)| known == path);
            at.map(|at| kept.remove(at).1)
        };
        let mut trees = known.unwrap_or_else(|| Trees::new(self.pieces.clone()));
        let unit = parse::parse_again(text, &mut trees);
        let mut kept = lock();
        if kept.len() >= MOST_TREES {
            kept.remove(0);
        }
        kept.push((path.to_path_buf(), trees));
        unit
    }
}
