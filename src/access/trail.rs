//! The undo log of writes, by which a branch is taken back and merged in time that its own writes take.
//!
//! Given writes with what stood there before, gives back what a stretch of them changed. Of each slot the
//! first write of a stretch is kept: that one says what undoing comes to. So a trail is as long as there
//! are slots, however often they are written. Knows nothing of statements.

use super::walker::{Slot, SlotValue};
use crate::ir::VarId;
use rustc_hash::FxHashSet;

/// The beginning of a stretch of writes that may be undone.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    at: usize,
    /// Where the stretch around it begins.
    outer: usize,
}

struct Entry {
    slot: Slot,
    old: SlotValue,
    /// The place of the slot's entry before this one, plus one; 0 for none.
    before: usize,
}

#[derive(Default)]
pub(super) struct Trail {
    entries: Vec<Entry>,
    /// By variable the place of its newest entry, plus one; 0 for none.
    newest: Vec<usize>,
    /// Where the innermost stretch begins.
    stretch: usize,
    /// Above 0, [`Trail::held_a_pointer`] is kept.
    pub watches: u32,
    /// Objects in which a pointer stood before a write that left no entry.
    pub held_a_pointer: FxHashSet<VarId>,
}

fn variable(slot: Slot) -> VarId {
    match slot {
        Slot::Scalar(variable) | Slot::Object(variable) => variable,
    }
}

impl Trail {
    pub fn of(variables: usize) -> Self {
        Self {
            newest: vec![0; variables],
            ..Self::default()
        }
    }

    /// Begins a stretch.
    pub fn open(&mut self) -> Mark {
        let mark = Mark {
            at: self.entries.len(),
            outer: self.stretch,
        };
        self.stretch = mark.at;
        mark
    }

    /// Ends a stretch, which is not undone any more by itself: its writes become those of the stretch
    /// around it.
    pub fn close(&mut self, mark: Mark) {
        self.stretch = mark.outer;
        for entry in self.entries[mark.at.min(self.entries.len())..].iter().rev() {
            self.newest[variable(entry.slot).index()] = entry.before;
        }
        if self.entries.len() <= mark.at {
            return;
        }
        for entry in self.entries.split_off(mark.at) {
            if self.is_noted(entry.slot) {
                self.watch(entry.slot, &entry.old);
            } else {
                self.push(entry.slot, entry.old);
            }
        }
    }

    /// Whether the innermost stretch has an entry of the slot: another write needs none.
    pub fn is_noted(&self, slot: Slot) -> bool {
        self.newest[variable(slot).index()] > self.stretch
    }

    /// Notes what a slot held before it is written.
    pub fn note(&mut self, slot: Slot, old: SlotValue) {
        if self.is_noted(slot) {
            self.watch(slot, &old);
        } else {
            self.push(slot, old);
        }
    }

    fn push(&mut self, slot: Slot, old: SlotValue) {
        let newest = &mut self.newest[variable(slot).index()];
        let before = *newest;
        self.entries.push(Entry { slot, old, before });
        *newest = self.entries.len();
    }

    fn watch(&mut self, slot: Slot, old: &SlotValue) {
        if self.watches > 0
            && let (Slot::Object(object), SlotValue::Object(contents)) = (slot, old)
            && !self.held_a_pointer.contains(&object)
            && contents.holds_a_pointer()
        {
            self.held_a_pointer.insert(object);
        }
    }

    /// Takes the newest entry of a stretch back.
    pub fn pop(&mut self, mark: Mark) -> Option<(Slot, SlotValue)> {
        if self.entries.len() <= mark.at {
            return None;
        }
        let entry = self.entries.pop()?;
        self.newest[variable(entry.slot).index()] = entry.before;
        Some((entry.slot, entry.old))
    }

    /// The entries of a stretch, oldest first.
    pub fn since(&self, mark: Mark) -> impl DoubleEndedIterator<Item = (Slot, &SlotValue)> {
        let entries = self.entries.get(mark.at..).unwrap_or_default().iter();
        entries.map(|entry| (entry.slot, &entry.old))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(number: u32) -> Slot {
        Slot::Scalar(VarId(number))
    }

    fn write(trail: &mut Trail, number: u32) {
        trail.note(slot(number), SlotValue::Scalar(None));
    }

    fn slots(trail: &Trail, mark: Mark) -> Vec<Slot> {
        trail.since(mark).map(|(slot, _)| slot).collect()
    }

    #[test]
    fn a_stretch_has_each_slot_once() {
        let mut trail = Trail::of(3);
        let all = trail.open();
        for _ in 0..100 {
            write(&mut trail, 1);
        }
        let inner = trail.open();
        for _ in 0..100 {
            write(&mut trail, 2);
            write(&mut trail, 1);
        }
        assert_eq!(slots(&trail, inner), [slot(2), slot(1)]);
        trail.close(inner);
        write(&mut trail, 1);
        assert_eq!(slots(&trail, all), [slot(1), slot(2)]);
        assert_eq!(trail.entries.len(), 2);
    }

    #[test]
    fn what_is_undone_is_noted_again() {
        let mut trail = Trail::of(3);
        let all = trail.open();
        write(&mut trail, 0);
        let inner = trail.open();
        write(&mut trail, 1);
        write(&mut trail, 0);
        while trail.pop(inner).is_some() {}
        write(&mut trail, 1);
        assert_eq!(slots(&trail, inner), [slot(1)]);
        while trail.pop(inner).is_some() {}
        trail.close(inner);
        write(&mut trail, 0);
        write(&mut trail, 2);
        assert_eq!(slots(&trail, all), [slot(0), slot(2)]);
    }
}
