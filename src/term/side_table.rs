//! Numbers by term, for walks over terms.
//!
//! Given terms with a number each, gives the numbers back. Walks over terms are many and mostly
//! short: a table has a place for each term, is not cleared but stamped anew, and serves the next
//! walk of its thread. Knows nothing of what a number means.

use super::TermId;
use std::cell::RefCell;

/// Tables that a thread keeps.
const MOST_KEPT: usize = 8;
/// Above so many places a table is large; a thread keeps few of these. One that is not kept has to be
/// made anew for each walk, which costs more than the walk.
const LARGE: usize = 1 << 18;
const MOST_LARGE: usize = 2;

thread_local! {
    static KEPT: RefCell<Vec<Table>> = const { RefCell::new(Vec::new()) };
}

/// Numbers by term; empty at first.
#[derive(Debug)]
pub struct SideTable(Table);

#[derive(Debug, Default)]
struct Table {
    /// By the term's number; only places that bear this stamp are filled.
    places: Vec<Slot>,
    stamp: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    stamp: u32,
    number: u32,
}

impl Default for SideTable {
    fn default() -> Self {
        let kept = KEPT.try_with(|kept| kept.borrow_mut().pop());
        let mut this = Self(kept.ok().flatten().unwrap_or_default());
        this.clear();
        this
    }
}

impl SideTable {
    #[must_use]
    pub fn get(&self, term: TermId) -> Option<u32> {
        let place = self.0.places.get(term.0 as usize)?;
        (place.stamp == self.0.stamp).then_some(place.number)
    }

    /// Gives the term this number; whether it had none.
    pub fn insert(&mut self, term: TermId, number: u32) -> bool {
        let at = term.0 as usize;
        if self.0.places.len() <= at {
            self.0.places.resize(at + 1, Slot::default());
        }
        let stamp = self.0.stamp;
        let new = Slot { stamp, number };
        std::mem::replace(&mut self.0.places[at], new).stamp != stamp
    }

    /// Notes that a term was seen; whether it was not before.
    pub fn first_visit(&mut self, term: TermId) -> bool {
        self.insert(term, 0)
    }

    pub fn clear(&mut self) {
        self.0.stamp = self.0.stamp.wrapping_add(1);
        if self.0.stamp == 0 {
            self.0.places.fill(Slot::default());
            self.0.stamp = 1;
        }
    }
}

impl Drop for SideTable {
    fn drop(&mut self) {
        let table = std::mem::take(&mut self.0);
        let is_large = |table: &Table| table.places.capacity() > LARGE;
        // The thread may be ending.
        let _ = KEPT.try_with(|kept| {
            let mut kept = kept.borrow_mut();
            let room = if is_large(&table) {
                kept.iter().filter(|kept| is_large(kept)).count() < MOST_LARGE
            } else {
                kept.len() < MOST_KEPT
            };
            if room {
                kept.push(table);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_forgets_what_it_held() {
        let mut first = SideTable::default();
        assert!(first.insert(TermId(7), 3) && !first.insert(TermId(7), 4));
        assert_eq!(
            (first.get(TermId(7)), first.get(TermId(8))),
            (Some(4), None)
        );
        let mut beside = SideTable::default();
        assert_eq!(beside.get(TermId(7)), None);
        assert!(beside.first_visit(TermId(2)));
        first.clear();
        assert_eq!(first.get(TermId(7)), None);
        first.0.stamp = u32::MAX;
        first.insert(TermId(1), 1);
        drop((first, beside));
        for _ in 0..3 {
            let again = SideTable::default();
            assert!((0..9).all(|at| again.get(TermId(at)).is_none()));
            std::mem::forget(again);
        }
    }
}
