//! Answers that are kept: what a question about names gave, by all that it depends on.
//!
//! What was asked while a class that it names was still being laid out is not kept, and what met a
//! bound only where the question had nearly all of the bound to itself. A kept answer takes one step
//! whether it was kept before or not, so that bounds do not depend on who asked first.

use super::env::Watch;
use super::identity::{Fingerprint, Identity};
use super::{Env, Guard};
use crate::sema::types::RecordType;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::{Arc, Mutex};

/// Answers of one kind that are kept.
const MOST_ANSWERS: usize = 1 << 16;

/// An answer, and what its key names by its place in memory.
#[derive(Debug)]
struct Kept<T> {
    answer: T,
    _alive: Box<[Env]>,
}

#[derive(Debug)]
pub(crate) struct Memo<T>(Mutex<FxHashMap<Identity, Kept<T>>>);

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Memo<T> {
    pub fn answer(&self, question: Fingerprint, ask: impl FnOnce() -> T) -> T {
        let Some((key, alive)) = question.key() else {
            return ask();
        };
        let watch = Watch::start();
        if let Ok(table) = self.0.lock()
            && let Some(kept) = table.get(&key)
        {
            watch.end();
            return kept.answer.clone();
        }
        let answer = ask();
        if watch.end()
            && let Ok(mut table) = self.0.lock()
            && table.len() < MOST_ANSWERS
        {
            let answer = answer.clone();
            table.insert(
                key,
                Kept {
                    answer,
                    _alive: alive,
                },
            );
        }
        answer
    }
}

/// Classes with their layouts, by identity.
#[derive(Debug, Default)]
pub(super) struct Instances(Mutex<FxHashMap<Identity, Arc<RecordType>>>);

thread_local! {
    /// What this thread is laying out, by the table that it belongs to. Other threads lay it out
    /// themselves: what one sees must not depend on how far another is.
    static UNFINISHED: RefCell<Vec<(usize, Arc<RecordType>)>> = const { RefCell::new(Vec::new()) };
}

impl Instances {
    fn place(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    pub fn get(&self, identity: &Identity) -> Option<Arc<RecordType>> {
        let unfinished = UNFINISHED.with_borrow(|all| {
            let mut all = all.iter().rev();
            all.find(|(place, r)| *place == self.place() && r.identity == *identity)
                .map(|(_, r)| r.clone())
        });
        if unfinished.is_some() {
            Guard::note_unfinished();
            return unfinished;
        }
        self.0.lock().ok()?.get(identity).cloned()
    }

    pub fn insert(&self, record: Arc<RecordType>) {
        if let Ok(mut table) = self.0.lock() {
            table.insert(record.identity, record);
        }
    }

    /// `record` is being laid out until the answer is dropped.
    pub fn begin(&self, record: Arc<RecordType>) -> Unfinished {
        UNFINISHED.with_borrow_mut(|all| all.push((self.place(), record)));
        Unfinished
    }
}

pub(super) struct Unfinished;

impl Unfinished {
    /// More is known of it now.
    pub fn update(&self, record: Arc<RecordType>) {
        UNFINISHED.with_borrow_mut(|all| {
            if let Some(last) = all.last_mut() {
                last.1 = record;
            }
        });
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        UNFINISHED.with_borrow_mut(Vec::pop);
    }
}
