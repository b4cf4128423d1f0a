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

/// Calls `visit` for each statement, outer ones first; it may change them.
pub fn statements_mut(block: &mut Block, visit: &mut dyn FnMut(&mut Stmt)) {
    for stmt in block {
        visit(stmt);
        match stmt {
            Stmt::If {
                then, otherwise, ..
            } => {
                statements_mut(then, visit);
                statements_mut(otherwise, visit);
            }
            Stmt::Loop(inner) => {
                statements_mut(&mut inner.prelude, visit);
                statements_mut(&mut inner.body, visit);
                statements_mut(&mut inner.step, visit);
            }
            Stmt::Labelled { body, .. } => statements_mut(body, visit),
            _ => {}
        }
    }
}
