//! Operands and arguments that C++ evaluates in either order: `x + f(x)`, `f(i, i += 3)`.
//!
//! Given what evaluating two of them emitted, tells whether one writes what the other one reads; `operators` and
//! `call::arguments` make it unknown. Knows nothing of memory that lanes share.

use super::context::Lower;
use crate::ir::visit::{each_part_of, statements};
use crate::ir::{Expr, ExprId, Stmt, VarId};
use rustc_hash::FxHashSet;

/// How far the open block had come.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize);

/// What was emitted from one mark to another.
pub(super) type Span = (Mark, Mark);

impl Lower<'_> {
    pub fn mark(&self) -> Mark {
        Mark(self.blocks.last().map_or(0, Vec::len))
    }

    /// What was emitted since.
    pub fn since(&self, mark: Mark) -> &[Stmt] {
        let block = self.blocks.last();
        block.and_then(|block| block.get(mark.0..)).unwrap_or(&[])
    }

    /// Local variables and objects that `span` writes.
    pub fn written_in(&self, span: Span) -> FxHashSet<VarId> {
        let mut written = FxHashSet::default();
        statements(self.emitted_in(span), &mut |stmt: &Stmt| match stmt {
            Stmt::Assign { variable, .. } => {
                written.insert(*variable);
            }
            Stmt::Store { pointer, .. } => written.extend(self.arena.local_object(*pointer)),
            _ => {}
        });
        written
    }

    /// Local variables and objects that `value` is made of, or that `span` reads.
    pub fn read_in(&self, value: ExprId, span: Span) -> FxHashSet<VarId> {
        let mut read = FxHashSet::default();
        let note = |value: ExprId, read: &mut FxHashSet<VarId>| {
            each_part_of(&self.arena.exprs, value, &mut |part| {
                if let Expr::Var(variable) = part {
                    read.insert(*variable);
                }
            });
        };
        note(value, &mut read);
        for stmt in self.emitted_in(span) {
            match stmt {
                Stmt::Load { pointer, .. } => read.extend(self.arena.local_object(*pointer)),
                // What is kept of a variable was read there.
                Stmt::Assign { value, .. } => note(*value, &mut read),
                _ => {}
            }
        }
        read
    }

    /// Whether `other` writes a local that `value`, found in `own`, was read from.
    pub fn is_unsequenced(&self, value: ExprId, own: Span, other: Span) -> bool {
        let written = self.written_in(other);
        !written.is_empty() && !written.is_disjoint(&self.read_in(value, own))
    }

    fn emitted_in(&self, (from, to): Span) -> &[Stmt] {
        let block = self.blocks.last();
        block
            .and_then(|block| block.get(from.0..to.0))
            .unwrap_or(&[])
    }
}
