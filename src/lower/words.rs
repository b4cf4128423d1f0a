//! Names that are kept once.

use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The names of one kernel: bodies that are inlined often have the same ones each time.
#[derive(Default)]
pub(super) struct Words(FxHashSet<Arc<str>>);

impl Words {
    /// The one copy of `text`.
    pub fn of(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let word: Arc<str> = text.into();
        self.0.insert(word.clone());
        word
    }
}
