//! Answers to claims, asked once each.
//!
//! Given a claim, gives Z3's answer: from this run, from a store that
//! outlives the run, or from Z3. Knows nothing of files.

use super::claim::{Claim, Hash};
use super::smt::{self, Answer};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// Answers that outlive a run. Both calls may come from several threads at once.
pub trait Store: Send + Sync {
    fn get(&self, hash: &Hash) -> Option<Answer>;
    fn put(&self, hash: &Hash, answer: Answer);
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

    /// Z3's answer to the claim with this hash.
    pub fn ask(&self, hash: Hash, claim: &Claim) -> Answer {
        if let Ok(answers) = self.answers.lock()
            && let Some(known) = answers.get(&hash)
        {
            return *known;
        }
        let stored = self.store.as_ref().and_then(|store| store.get(&hash));
        let answer = stored.unwrap_or_else(|| smt::check(claim));
        if stored.is_none()
            && let Some(store) = &self.store
        {
            store.put(&hash, answer);
        }
        if let Ok(mut answers) = self.answers.lock() {
            answers.insert(hash, answer);
        }
        answer
    }

    /// Distinct claims that were asked for.
    #[must_use]
    pub fn count(&self) -> usize {
        self.answers.lock().map_or(0, |answers| answers.len())
    }
}
