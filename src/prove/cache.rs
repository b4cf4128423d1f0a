//! Answers to obligations, asked once each.
//!
//! Given an obligation's text, gives Z3's answer: from this run, from a store that
//! outlives the run, or from Z3. Knows nothing of files.

use super::smt::{self, Answer};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// The content hash of an obligation: 128 bits of BLAKE3 over its text.
pub type Hash = [u8; 16];

/// Answers that outlive a run. Both calls may come from several threads at once.
pub trait Store: Send + Sync {
    fn get(&self, hash: &Hash) -> Option<Answer>;
    fn put(&self, hash: &Hash, answer: Answer);
}

#[must_use]
pub fn hash(text: &str) -> Hash {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    short
}

/// The hash as an obligation's file name has it.
#[must_use]
pub fn hexadecimal(hash: &Hash) -> String {
    use std::fmt::Write as _;
    hash.iter()
        .fold(String::with_capacity(32), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// The obligations of one run.
pub struct Asked {
    answers: Mutex<FxHashMap<Hash, Answer>>,
    store: Option<Arc<dyn Store>>,
}

impl Asked {
    #[must_use]
    pub fn new(store: Option<Arc<dyn Store>>) -> Self {
        Self {
            answers: Mutex::default(),
            store,
        }
    }

    /// Z3's answer, and the obligation's hash.
    pub fn ask(&self, text: &str) -> (Hash, Answer) {
        let hash = hash(text);
        if let Ok(answers) = self.answers.lock()
            && let Some(known) = answers.get(&hash)
        {
            return (hash, *known);
        }
        let stored = self.store.as_ref().and_then(|store| store.get(&hash));
        let answer = stored.unwrap_or_else(|| smt::check(text));
        if stored.is_none()
            && let Some(store) = &self.store
        {
            store.put(&hash, answer);
        }
        if let Ok(mut answers) = self.answers.lock() {
            answers.insert(hash, answer);
        }
        (hash, answer)
    }
}
