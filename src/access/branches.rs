//! Branches and exits: the guards under which the statements after them are reached.
//!
//! A lane that left for a label is put back where the label closes.

use super::trail::Mark;
use super::walker::{ExitRecord, Guard, OpenLabel, RETURN, Slot, SlotValue, Walker};
use crate::ir::{Block, ExprId, LabelId};
use crate::term::TermId;
use rustc_hash::FxHashMap;

impl Walker<'_> {
    pub(super) fn branch(&mut self, condition: ExprId, then: &Block, otherwise: &Block) -> bool {
        let term = self.condition(condition);
        match self.terms.constant(term) {
            Some(0) => return self.block(otherwise),
            Some(_) => return self.block(then),
            None => {}
        }
        let base = self.guards.len();
        let mark = self.trail.open();
        let first_exit = self.exits.len();

        // What is stated on one side holds there.
        let facts = self.facts.len();
        self.guards.push(Guard::of_branch(term));
        let then_falls = self.block(then);
        self.facts.truncate(facts);
        let then_written = self.written_since(mark);
        self.undo(mark);
        self.guards.truncate(base);

        let before: FxHashMap<Slot, SlotValue> = then_written
            .iter()
            .map(|(slot, _)| (*slot, self.held(*slot)))
            .collect();
        let negated = self.terms.not(term);
        self.guards.push(Guard::of_branch(negated));
        let else_falls = self.block(otherwise);
        self.facts.truncate(facts);
        self.guards.truncate(base);

        match (then_falls, else_falls) {
            (true, true) => {
                let else_slots = self.slots_written_since(mark);
                let mut before = before;
                // What the trail has of a slot is its value before the branch.
                for (slot, old) in self.trail.since(mark) {
                    before.insert(slot, old.clone());
                }
                self.merge_into(term, then_written, &else_slots, &before);
            }
            (true, false) => {
                self.undo(mark);
                for (slot, held) in then_written {
                    self.set(slot, held);
                }
            }
            (false, _) => {}
        }
        self.trail.close(mark);
        self.guard_against_exits(base, first_exit);
        then_falls || else_falls
    }

    /// After a branch or loop: lanes that left through an exit since `first_exit` are gone.
    pub fn guard_against_exits(&mut self, base: usize, first_exit: usize) {
        let left: Vec<(LabelId, Vec<TermId>)> = self.exits[first_exit..]
            .iter()
            .filter(|exit| exit.guards.len() >= base)
            .map(|exit| (exit.label, exit.guards[base..].to_vec()))
            .collect();
        for (label, path) in left {
            let gone = self.conjunction(&path);
            let stays = self.terms.not(gone);
            let is_known =
                |guard: &Guard| guard.condition == stays && guard.left_for == Some(label);
            if self.terms.constant(stays) != Some(1) && !self.guards.iter().any(is_known) {
                self.guards.push(Guard::against(label, stays));
            }
        }
    }

    pub(super) fn exit(&mut self, label: LabelId) {
        let Some(open) = self.open.iter().rev().find(|open| open.label == label) else {
            return;
        };
        let written = if label == RETURN {
            Vec::new()
        } else {
            self.written_since(open.mark)
        };
        self.keep(self.guards.len() + written.len());
        let guards = self.guards.iter().map(|guard| guard.condition).collect();
        self.exits.push(ExitRecord {
            label,
            guards,
            written,
        });
    }

    pub fn labelled(&mut self, label: LabelId, body: &Block) -> bool {
        let base = self.guards.len();
        let mark = self.trail.open();
        let first_exit = self.exits.len();
        self.open.push(OpenLabel { label, mark });
        let falls = self.block(body);
        self.open.pop();
        let falls = self.close_label(label, base, mark, first_exit, falls);
        self.trail.close(mark);
        falls
    }

    /// Joins the lanes that left for `label` with those that fell through.
    fn close_label(
        &mut self,
        label: LabelId,
        base: usize,
        mark: Mark,
        first_exit: usize,
        falls: bool,
    ) -> bool {
        self.exits_of_unknown_lanes.retain(|open| *open != label);
        // Guards of lanes that left for here no longer hold; those for outer labels stay.
        let kept: Vec<Guard> = self
            .guards
            .drain(base.min(self.guards.len())..)
            .filter(|guard| guard.left_for.is_some_and(|target| target != label))
            .collect();

        let first = first_exit.min(self.exits.len());
        let is_for_here = |exit: &ExitRecord| exit.label == label;
        let (arrived, on) = self
            .exits
            .split_off(first)
            .into_iter()
            .partition(is_for_here);
        let arrived: Vec<ExitRecord> = arrived;
        self.exits.extend::<Vec<ExitRecord>>(on);
        // Among lanes that come here by other ways nobody left for those.
        if arrived.is_empty() {
            self.guards.extend(kept);
        }
        let mut falls = falls;
        for exit in arrived.into_iter().rev() {
            if falls {
                let path = self.conjunction(&exit.guards[base.min(exit.guards.len())..]);
                let here = self.slots_written_since(mark);
                self.keep(here.len());
                let old = self.trail.since(mark).rev();
                let before = old.map(|(slot, old)| (slot, old.clone())).collect();
                self.merge_into(path, exit.written, &here, &before);
            } else {
                self.undo(mark);
                for (slot, held) in exit.written {
                    self.set(slot, held);
                }
                falls = true;
            }
        }
        if falls {
            // Who left for a label further out is gone, also where no branch says so.
            self.guard_against_exits(base, first_exit);
        }
        falls
    }

    /// Opens a label around a loop; see [`Walker::close_loop_label`].
    pub fn open_label(&mut self, label: LabelId) {
        let mark = self.trail.open();
        self.open.push(OpenLabel { label, mark });
    }

    pub fn close_open_label(&mut self) {
        if let Some(open) = self.open.pop() {
            self.trail.close(open.mark);
        }
    }
}
