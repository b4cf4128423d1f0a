//! Every statement of a block, nested ones included.
//!
//! Given a block, hands each statement to a function in the order of the text. Knows nothing
//! of what statements mean.

use super::{Block, Stmt};

/// Calls `visit` for each statement, outer ones first.
pub fn statements<'k>(block: &'k Block, visit: &mut dyn FnMut(&'k Stmt)) {
    for stmt in block {
        visit(stmt);
        match stmt {
            Stmt::If {
                then, otherwise, ..
            } => {
                statements(then, visit);
                statements(otherwise, visit);
            }
            Stmt::Loop(inner) => {
                statements(&inner.prelude, visit);
                statements(&inner.body, visit);
                statements(&inner.step, visit);
            }
            Stmt::Labelled { body, .. } => statements(body, visit),
            _ => {}
        }
    }
}
