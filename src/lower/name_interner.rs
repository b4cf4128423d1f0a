//! The interner of names: each text of one kernel is kept once.

use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The names of one kernel: bodies that are inlined often have the same ones each time.
#[derive(Default)]
pub(super) struct NameInterner(FxHashSet<Arc<str>>);

impl NameInterner {
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
