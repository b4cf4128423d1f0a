//! Loops whose lanes go on to the next turn while the others wait behind them.
//!
//! Where control can only leave a loop behind a `continue`, that is where the branch comes together again: lanes
//! that continue take turns until they come there, too. That is a loop of its own, inside.

use super::context::Lower;
use super::jumps::exits_to;
use crate::ir::visit::{add_labels, leaves, statements, statements_mut};
use crate::ir::{Block, LabelId, Loop, Stmt};
use rustc_hash::FxHashSet;

/// Loops in each other that are made of one. Studying them costs twice as much for each.
const MOST_LOOPS: usize = 4;

impl Lower<'_> {
    /// Emits a loop, with an inner one for each `continue` that comes before every way out.
    pub(super) fn emit_in_turns(&mut self, whole: Loop) {
        let body = if self.is_endless(&whole) {
            // A jump back at the very end asks whether there is another turn: lanes wait there.
            let of_end = usize::from(matches!(whole.body.last(), Some(Stmt::Exit(_)))) * 2;
            let within = whole.body.len().saturating_sub(of_end);
            self.with_inner_loops(whole, within, MOST_LOOPS)
        } else {
            whole
        };
        self.emit(Stmt::Loop(Box::new(body)));
    }

    /// Whether nothing but a jump leaves the loop, and nothing runs between its turns.
    fn is_endless(&self, body: &Loop) -> bool {
        body.prelude.is_empty()
            && body.step.is_empty()
            && self.arena.as_bool(body.condition) == Some(true)
    }

    fn with_inner_loops(&mut self, mut outer: Loop, within: usize, depth: usize) -> Loop {
        let past = last_continue(&outer.body[..within], outer.continue_label)
            .filter(|past| depth > 0 && has_work_and_way_out(&outer.body[*past..], &outer));
        let Some(past) = past else {
            return outer;
        };
        let rest = outer.body.split_off(past);
        let mut body = std::mem::replace(&mut outer.body, rest);
        let (continue_label, break_label) = (self.label(), self.label());
        statements_mut(&mut body, &mut |stmt| {
            if let Stmt::Exit(to) = stmt
                && *to == outer.continue_label
            {
                *to = continue_label;
            }
        });
        let within = body.len() - 1;
        body.push(Stmt::Exit(break_label));
        let inner = Loop {
            id: self.loop_id(),
            pretest: true,
            prelude: Block::new(),
            condition: outer.condition,
            body,
            step: Block::new(),
            continue_label,
            break_label,
            stops: outer.stops,
            span: outer.span,
        };
        let inner = self.with_inner_loops(inner, within, depth - 1);
        outer.body.insert(0, Stmt::Loop(Box::new(inner)));
        outer
    }
}

/// Behind the last statement that has a `continue`, of those before each way out of the loop.
fn last_continue(body: &[Stmt], continue_label: LabelId) -> Option<usize> {
    let mut found = None;
    for (at, stmt) in body.iter().enumerate() {
        let one = std::slice::from_ref(stmt);
        if goes_out(one, continue_label) {
            break;
        }
        if exits_to(one, continue_label) {
            found = Some(at + 1);
        }
    }
    found
}

/// Whether control goes from these statements to a place outside of them, other than the next turn.
fn goes_out(stmts: &[Stmt], continue_label: LabelId) -> bool {
    let mut inside = FxHashSet::from_iter([continue_label]);
    add_labels(stmts, &mut inside);
    let mut goes_out = false;
    statements(stmts, &mut |stmt| goes_out |= leaves(stmt, &inside));
    goes_out
}

/// Whether something is done, or asked, on the way out.
fn has_work_and_way_out(rest: &[Stmt], outer: &Loop) -> bool {
    goes_out(rest, outer.continue_label) && !matches!(rest, [Stmt::Exit(_)])
}
