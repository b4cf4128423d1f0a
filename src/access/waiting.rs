//! Loops that wait for other lanes: they go on until an atomic gives what they want.
//!
//! Lanes come out of such a loop one after the other, and nothing brings them together again before the
//! next barrier: in a loop around it they are in different iterations from the second one on. Knows
//! nothing of terms.

use crate::ir::visit::{mentions, statements};
use crate::ir::{Barrier, Kernel, Loop, Stmt, VarId};
use rustc_hash::FxHashSet;

/// Whether lanes that begin an iteration of `body` together may come to the next one apart.
#[must_use]
pub fn parts_lanes(kernel: &Kernel, body: &Loop) -> bool {
    let mut is_apart = false;
    for block in [&body.prelude, &body.body, &body.step] {
        statements(block, &mut |stmt| match stmt {
            Stmt::Loop(inner) => is_apart |= waits(kernel, inner),
            // A fence orders what was written; no lane waits at it.
            Stmt::Barrier { kind, .. } if *kind != Barrier::Fence => is_apart = false,
            Stmt::Collective { op, .. } if op.ends_with("_sync") => is_apart = false,
            _ => {}
        });
    }
    is_apart
}

/// Whether what an atomic in the loop gave decides how long the loop runs.
fn waits(kernel: &Kernel, waiting: &Loop) -> bool {
    let mut given: FxHashSet<VarId> = FxHashSet::default();
    // What one iteration was given may decide in the next.
    for _ in 0..2 {
        each_statement(waiting, &mut |stmt| match stmt {
            Stmt::Atomic {
                target: Some(target),
                ..
            } => {
                given.insert(*target);
            }
            Stmt::Assign { variable, value }
                if mentions(kernel, *value, &|own| given.contains(&own)) =>
            {
                given.insert(*variable);
            }
            _ => {}
        });
    }
    let mut decides =
        !given.is_empty() && mentions(kernel, waiting.condition, &|own| given.contains(&own));
    each_statement(waiting, &mut |stmt| {
        if let Stmt::If {
            condition,
            then,
            otherwise,
            ..
        } = stmt
        {
            let leaves = |stmt: &Stmt| matches!(stmt, Stmt::Exit(_) | Stmt::Return);
            let is_way_out = then.iter().chain(otherwise).any(leaves);
            decides |= is_way_out && mentions(kernel, *condition, &|own| given.contains(&own));
        }
    });
    decides
}

fn each_statement<'k>(body: &'k Loop, visit: &mut dyn FnMut(&'k Stmt)) {
    for block in [&body.prelude, &body.body, &body.step] {
        statements(block, visit);
    }
}
