//! Operands that C++ evaluates in either order: `x + f(x)`.
//!
//! Given what evaluating the left and the right operand emitted, tells whether the right one writes what
//! the left one reads. Knows nothing of memory that lanes share.

use super::context::Lower;
use crate::ir::visit::{each_part_of, statements};
use crate::ir::{Expr, ExprId, Stmt, VarId};
use rustc_hash::FxHashSet;

/// How far the open block had come.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize);

impl Lower<'_> {
    pub fn mark(&self) -> Mark {
        Mark(self.blocks.last().map_or(0, Vec::len))
    }

    /// What was emitted since.
    pub fn since(&self, mark: Mark) -> &[Stmt] {
        let block = self.blocks.last();
        block.and_then(|block| block.get(mark.0..)).unwrap_or(&[])
    }

    /// Whether what was emitted after `right` writes a local that `value` is made of, or that was read
    /// between `left` and `right`.
    pub fn is_unsequenced(&self, value: ExprId, left: Mark, right: Mark) -> bool {
        let Some(block) = self.blocks.last() else {
            return false;
        };
        let (Some(read), Some(written)) = (block.get(left.0..right.0), block.get(right.0..)) else {
            return false;
        };
        if written.is_empty() {
            return false;
        }
        let mut locals: FxHashSet<VarId> = FxHashSet::default();
        let note = |value: ExprId, locals: &mut FxHashSet<VarId>| {
            each_part_of(&self.arena.exprs, value, &mut |part| {
                if let Expr::Var(variable) = part {
                    locals.insert(*variable);
                }
            });
        };
        note(value, &mut locals);
        for stmt in read {
            match stmt {
                Stmt::Load { pointer, .. } => locals.extend(self.arena.local_object(*pointer)),
                // What is kept of a variable was read there.
                Stmt::Assign { value, .. } => note(*value, &mut locals),
                _ => {}
            }
        }
        let mut is_written = false;
        let mut visit = |stmt: &Stmt| match stmt {
            Stmt::Assign { variable, .. } => is_written |= locals.contains(variable),
            Stmt::Store { pointer, .. } => {
                let object = self.arena.local_object(*pointer);
                is_written |= object.is_some_and(|object| locals.contains(&object));
            }
            _ => {}
        };
        statements(written, &mut visit);
        is_written
    }
}
