//! Masks of exchanges between lanes, held to the lanes that take part.
//!
//! Given every exchange with what its lanes pass as mask, gives those that break the rule for
//! masks: each lane that calls is named, and every lane that is named and has not exited calls,
//! too (CUDA C++ Programming Guide, "Warp Shuffle Functions"). Both sides of a branch run one
//! after the other here, so a lane may come later: a call is held against it only if it still
//! owes one at the next point where all threads meet. Knows nothing of what is exchanged.

use super::MissedExchange;
use super::value::{Column, Mask};
use crate::gpu::WARP;
use crate::source::Span;
use rustc_hash::FxHashMap;

/// Exchanges in which lanes of one block wait for each other.
#[derive(Debug, Default)]
pub(super) struct Partners {
    /// Calls that named a thread which was elsewhere.
    owed: FxHashMap<usize, Vec<MissedExchange>>,
    /// Calls of a thread that waited for others: each may be the one that others wait for.
    made: FxHashMap<usize, usize>,
    found: Vec<MissedExchange>,
}

impl Partners {
    /// The `active` threads call an exchange; `returned` ones have left the kernel.
    pub fn call(
        &mut self,
        span: Span,
        mask: &Column,
        active: &Mask,
        returned: &Mask,
        threads: usize,
    ) {
        let there = Mask::first(threads).without(*returned);
        for warp in 0..threads.div_ceil(WARP) {
            let (lanes, there) = (active.warp(warp), there.warp(warp));
            let mut waits = false;
            let mut named = 0;
            for lane in (0..WARP).filter(|lane| lanes >> lane & 1 == 1) {
                let thread = warp * WARP + lane;
                if mask.is_poison(thread) {
                    waits = true;
                    continue;
                }
                let mask = mask.get(thread) as u32;
                let missed = |absent: usize| MissedExchange {
                    span,
                    caller: thread as u32,
                    mask,
                    absent: absent as u32,
                };
                if mask >> lane & 1 == 0 {
                    self.found.push(missed(thread));
                    waits = true;
                    continue;
                }
                let absent = mask & there & !lanes;
                waits |= absent != 0;
                for other in (0..WARP).filter(|other| (absent & !named) >> other & 1 == 1) {
                    let other = warp * WARP + other;
                    self.owed.entry(other).or_default().push(missed(other));
                }
                named |= absent;
            }
            if waits {
                for lane in (0..WARP).filter(|lane| lanes >> lane & 1 == 1) {
                    *self.made.entry(warp * WARP + lane).or_default() += 1;
                }
            }
        }
    }

    /// All threads that have not `returned` are in one place: what is owed now stays owed. Gives
    /// what was found, each place once.
    pub fn settle(&mut self, returned: &Mask) -> Vec<MissedExchange> {
        let made = std::mem::take(&mut self.made);
        for (thread, owed) in std::mem::take(&mut self.owed) {
            let paid = made.get(&thread).copied().unwrap_or(0);
            if !returned.get(thread) {
                self.found.extend(owed.into_iter().skip(paid));
            }
        }
        let mut found = std::mem::take(&mut self.found);
        found.sort_by_key(|one| (one.span, one.caller, one.absent));
        found.dedup_by_key(|one| one.span);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    fn lanes(range: std::ops::Range<usize>) -> Mask {
        Mask::first(range.end).without(Mask::first(range.start))
    }

    fn span(at: u32) -> Span {
        Span::new(FileId(0), at, at + 1)
    }

    #[test]
    fn both_sides_of_a_branch_may_meet() {
        let full = Column::uniform(u64::from(u32::MAX));
        let mut partners = Partners::default();
        partners.call(span(0), &full, &lanes(0..16), &Mask::EMPTY, 32);
        partners.call(span(1), &full, &lanes(16..32), &Mask::EMPTY, 32);
        assert!(partners.settle(&Mask::EMPTY).is_empty());
        partners.call(span(0), &full, &lanes(0..16), &Mask::EMPTY, 32);
        let found = partners.settle(&Mask::EMPTY);
        assert_eq!((found[0].caller, found[0].absent), (0, 16));
    }

    #[test]
    fn lanes_that_left_need_not_come() {
        let full = Column::uniform(u64::from(u32::MAX));
        let mut partners = Partners::default();
        partners.call(span(0), &full, &lanes(0..16), &lanes(16..32), 32);
        assert!(partners.settle(&lanes(16..32)).is_empty());
    }

    #[test]
    fn callers_name_themselves() {
        let mut partners = Partners::default();
        let below = Column::each((0..32).map(|lane| (1u64 << lane) - 1).collect());
        partners.call(span(0), &below, &lanes(0..32), &Mask::EMPTY, 32);
        let found = partners.settle(&Mask::EMPTY);
        assert_eq!((found[0].caller, found[0].absent, found[0].mask), (0, 0, 0));
    }
}
