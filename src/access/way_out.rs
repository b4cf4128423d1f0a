//! What lanes do on the only way out of a loop: `for (;;) { …; if (found) { store; break; } }`.
//!
//! All lanes come through it once, each in the iteration that it leaves in. The text does not say whether
//! they come one after the other: a compiler that sees the end of the loop there lets them wait for each
//! other in front of it. So it stands behind the loop here, for any of the lanes that left. Where a loop has
//! another way out, lanes wait behind both, and each is gone through in the iteration that lanes leave in.

use super::loops::Study;
use super::walker::{ExitRecord, Guard, Walker};
use crate::ir::visit::{add_labels, leaves, reaches_memory, statements};
use crate::ir::{Block, Expr, Kernel, LabelId, Loop, Stmt};
use crate::term::{Domain, LaneDifference, Sharing};
use rustc_hash::FxHashSet;

const TOGETHER: &str =
    "whether lanes that leave a loop in different iterations wait for each other";

/// The loop without the statements in front of its only exit, and these, if memory is accessed there.
pub(super) fn split(kernel: &Kernel, body: &Loop) -> Option<(Loop, Block)> {
    let goes_on = matches!(kernel.expr(body.condition), Expr::Int { value, .. } if *value != 0);
    let inside = labels_inside(body);
    if !goes_on || ways_out(body, &inside) != 1 {
        return None;
    }
    let mut shorter = body.clone();
    let mut way = take_way_out(&mut shorter.body, body.break_label, &inside)?;
    way.pop_if(|last| matches!(last, Stmt::Exit(to) if *to == body.break_label));
    reaches_memory(&way).then_some((shorter, way))
}

fn blocks(body: &Loop) -> [&Block; 3] {
    [&body.prelude, &body.body, &body.step]
}

/// Labels that no exit leaves the loop for.
fn labels_inside(body: &Loop) -> FxHashSet<LabelId> {
    let mut inside = FxHashSet::from_iter([body.continue_label]);
    for block in blocks(body) {
        add_labels(block, &mut inside);
    }
    inside
}

fn ways_out(body: &Loop, inside: &FxHashSet<LabelId>) -> usize {
    let mut count = 0;
    for block in blocks(body) {
        statements(block, &mut |stmt| {
            count += usize::from(leaves(stmt, inside))
        });
    }
    count
}

/// Takes the branch that ends with the way out from a block; a `break` is left of it.
fn take_way_out(block: &mut Block, to: LabelId, inside: &FxHashSet<LabelId>) -> Option<Block> {
    block.iter_mut().find_map(|stmt| match stmt {
        Stmt::If {
            then, otherwise, ..
        } => [then, otherwise].into_iter().find_map(|branch| {
            match branch.last().is_some_and(|last| leaves(last, inside)) {
                true => Some(std::mem::replace(branch, vec![Stmt::Exit(to)])),
                false => take_way_out(branch, to, inside),
            }
        }),
        Stmt::Labelled { body, .. } => take_way_out(body, to, inside),
        _ => None,
    })
}

impl Walker<'_> {
    /// Whether some lanes leave in an iteration that others stay in.
    pub(super) fn parts_at_exits(&self, study: &Study, base: usize) -> bool {
        let own = |exit: &ExitRecord| exit.guards.get(base..).unwrap_or(&[]).to_vec();
        let mut guards = study.exits.iter().flat_map(own);
        guards.any(|guard| self.terms.is_varying(guard))
    }

    /// Goes through what stands on the way out of a loop that lanes leave at different times.
    pub(super) fn way_out(&mut self, mut way: Block) -> bool {
        let last = way.pop_if(|last| matches!(last, Stmt::Exit(_) | Stmt::Return));
        let sharing = Sharing::Varying(LaneDifference::computed(TOGETHER));
        let there = self
            .terms
            .new_symbol(TOGETHER, sharing, Domain::range(0, 1));
        let at = self.guards.len();
        self.guards.push(Guard::of_branch(there));
        let falls = self.block(&way);
        if self.guards.len() > at {
            self.guards.remove(at);
        }
        // All go on, together or not.
        falls && self.block(&Block::from_iter(last))
    }
}
