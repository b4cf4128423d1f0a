//! Loops of few iterations that are run one by one for what they leave behind: an array that they fill, a
//! variable without a closed form. What the compiler unrolls is another matter (`prove/merged`).
//!
//! Accesses in the loop are those of the walk over all iterations at once; here only values count.

use super::loops::Study;
use super::trips::Trips;
use super::value::{Value, Variation};
use super::walker::{Slot, SlotValue, Walker};
use crate::ir::{Block, Expr, Loop, Scalar, Stmt, Value as Stored, VarId, visit};
use crate::term::{DifferenceKind, Sharing, TermId};
use rustc_hash::FxHashSet;

/// Most iterations, statements of all of them, and terms that they may make.
const MOST_ITERATIONS: i64 = 32;
const MOST_STEPS: u64 = 1000;
const MOST_TERMS: usize = 4000;
/// Statements of all such loops of a kernel.
pub(super) const MOST_STEPS_OF_A_KERNEL: u64 = 6_000;

impl Walker<'_> {
    /// What the loop leaves behind, where it runs so often and no lane leaves it early. Nothing where the
    /// closed forms say as much.
    pub(super) fn unrolled(
        &mut self,
        body: &Loop,
        study: &Study,
        trips: Trips,
    ) -> Vec<(Slot, SlotValue)> {
        let Some(count) = trips.exact.filter(|count| *count <= MOST_ITERATIONS) else {
            return Vec::new();
        };
        let is_wanted = self.study_depth == 0 || self.unrolling > 0;
        if !is_wanted || !study.exits.is_empty() || !self.leaves_numbers(body, study) {
            return Vec::new();
        }
        let (steps, terms) = (self.steps, self.terms.count());
        let (mark, base, first_exit) = (self.trail.open(), self.guards.len(), self.exits.len());
        let (facts, visits) = (self.facts.len(), self.visits.len());
        let unknown_lanes = self.exits_of_unknown_lanes.clone();
        let touched = std::mem::take(&mut self.touched);
        self.study_depth += 1;
        self.unrolling += 1;
        self.open_label(body.break_label);
        let limit = MOST_STEPS.min(self.unroll_left);
        let mut is_done = true;
        for iteration in 0..count {
            let goes_on = !body.pretest || self.test(body) == Some(true);
            is_done = goes_on && self.labelled(body.continue_label, &body.body);
            if is_done {
                self.block(&body.step);
                let is_last = iteration + 1 == count;
                is_done = body.pretest || self.test(body) == Some(!is_last);
            }
            is_done &= self.steps - steps <= limit
                && self.terms.count() - terms <= MOST_TERMS
                && self.exits.len() == first_exit
                && self.incomplete.is_none();
            if !is_done {
                break;
            }
        }
        is_done = is_done && (!body.pretest || self.test(body) == Some(false));
        self.close_open_label();
        self.unrolling -= 1;
        self.study_depth -= 1;
        let written = self.written_since(mark);
        self.undo(mark);
        self.trail.close(mark);
        self.guards.truncate(base);
        self.exits.truncate(first_exit);
        self.facts.truncate(facts);
        self.visits.truncate(visits);
        self.exits_of_unknown_lanes = unknown_lanes;
        self.touched = touched;
        self.unroll_left = self.unroll_left.saturating_sub(self.steps - steps);
        self.steps = steps;
        if is_done { written } else { Vec::new() }
    }

    /// Runs what stands before the loop's test; gives what the test comes to.
    fn test(&mut self, body: &Loop) -> Option<bool> {
        self.block(&body.prelude);
        let condition = self.condition(body.condition);
        self.terms.constant(condition).map(|value| value != 0)
    }

    /// Sets what was found, where the walk over all iterations knows less.
    pub(super) fn set_unrolled(&mut self, written: Vec<(Slot, SlotValue)>, own: usize) {
        for (slot, held) in written {
            let is_known = match self.held(slot) {
                SlotValue::Scalar(Some(Value::Int(term))) => !self.has_symbol_from(term, own),
                SlotValue::Scalar(Some(Value::Pointer(pointer))) => {
                    pointer.base.candidates().is_some()
                        && !self.has_symbol_from(pointer.offset, own)
                }
                SlotValue::Scalar(_) | SlotValue::Object(_) => false,
            };
            if !is_known {
                self.set(slot, held);
            }
        }
    }

    fn has_symbol_from(&self, term: TermId, own: usize) -> bool {
        self.terms.symbols_below(term) > own
    }

    /// Whether the loop changes numbers or pointers that no data tells: in an array, or such that lanes
    /// differ in them after it.
    fn leaves_numbers(&self, body: &Loop, study: &Study) -> bool {
        let blocks = [&body.prelude, &body.body, &body.step];
        if !study.objects.is_empty() && self.stores_numbers(blocks) {
            return true;
        }
        study.carried.iter().any(|carried| {
            let (Some(start), Some(end)) = (&carried.start, &carried.end) else {
                return false;
            };
            let is_plain = matches!(
                (start, end),
                (Value::Int(_), Value::Int(_)) | (Value::Pointer(_), Value::Pointer(_))
            );
            is_plain && carried.begin.as_ref() != Some(end) && {
                let term = match end {
                    Value::Int(term) => *term,
                    Value::Pointer(pointer) => pointer.offset,
                    Value::Opaque(..) => return false,
                };
                !self.reads_data(term, study) && end.variation(&self.terms) != Variation::Uniform
            }
        })
    }

    /// Whether numbers or pointers that are no data are stored in a local array.
    fn stores_numbers(&self, blocks: [&Block; 3]) -> bool {
        let mut loaded: FxHashSet<VarId> = FxHashSet::default();
        let mut stored = Vec::new();
        for block in blocks {
            visit::statements(block, &mut |stmt| match stmt {
                // A pointer that is loaded points to an allocation, and which one is told apart.
                Stmt::Load {
                    target,
                    pointer,
                    ty,
                    ..
                } if *ty != Scalar::Pointer
                    && crate::ir::local_object(&self.kernel.exprs, *pointer).is_none() =>
                {
                    loaded.insert(*target);
                }
                Stmt::Atomic {
                    target: Some(target),
                    ..
                } => {
                    loaded.insert(*target);
                }
                Stmt::Store {
                    ty,
                    pointer,
                    value: Stored::Scalar(value),
                    ..
                } if (ty.is_integer() || *ty == Scalar::Pointer)
                    && crate::ir::local_object(&self.kernel.exprs, *pointer).is_some() =>
                {
                    stored.push(*value);
                }
                _ => {}
            });
        }
        stored.into_iter().any(|value| {
            let mut parts = vec![value];
            while let Some(part) = parts.pop() {
                match self.kernel.expr(part) {
                    Expr::Var(variable) if loaded.contains(variable) => return false,
                    other => other.each_part(&mut |inner| parts.push(inner)),
                }
            }
            true
        })
    }

    /// Whether a value at the end of an iteration has data in it that the body read.
    fn reads_data(&self, term: TermId, study: &Study) -> bool {
        let mut symbols = Vec::new();
        self.terms.symbols_of(term, &mut symbols);
        let own = study.carried.iter().filter_map(|carried| carried.symbol);
        let own: Vec<_> = own.collect();
        symbols.iter().any(|symbol| {
            let is_new = symbol.0 as usize >= study.first_symbol && !own.contains(symbol);
            // What lanes exchange is known where what they give is.
            let is_exchanged = matches!(&self.terms.symbol(*symbol).sharing,
                Sharing::Varying(reason) if reason.kind == DifferenceKind::Computed);
            is_new && !is_exchanged
        })
    }
}
