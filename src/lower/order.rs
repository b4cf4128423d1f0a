//! Operands and arguments that C++ evaluates in either order: `x + f(x)`, `f(i, i += 3)`.
//!
//! Given what evaluating two of them emitted, tells whether one writes what the other one reads; `operators`, `assign`
//! and `call::arguments` make it unknown. Leaves open where the latter reads memory, too. Knows nothing of what lanes
//! write to memory that they share.

use super::context::Lower;
use super::expr::{has_effects, may_change_part};
use super::values::{LValue, Val};
use crate::ir::visit::{
    each_evaluated, each_part_of, each_unseen_part_of, each_written, statements,
};
use crate::ir::{Expr, ExprId, Object, Scalar, Stmt, VarId, VariableKind};
use crate::sema::types::Type;
use crate::syntax::ast::{self, Range};
use rustc_hash::FxHashSet;
use std::sync::Arc;

const REASON: &str = "what another operand or argument writes, in either order";

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
        statements(self.emitted_in(span), &mut |stmt: &Stmt| {
            each_written(stmt, &mut |variable| {
                written.insert(variable);
            });
            let pointers = match stmt {
                Stmt::Store { pointer, .. } | Stmt::Atomic { pointer, .. } => {
                    std::slice::from_ref(pointer)
                }
                Stmt::Opaque { pointers, .. } => pointers,
                _ => &[],
            };
            let objects = pointers.iter();
            written.extend(objects.filter_map(|pointer| self.arena.local_object(*pointer)));
        });
        written
    }

    /// Local variables and objects that `value` is made of, or that `span` reads.
    pub fn read_in(&self, value: ExprId, span: Span) -> FxHashSet<VarId> {
        let mut read = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut note = |value: ExprId, read: &mut FxHashSet<VarId>| {
            each_unseen_part_of(&self.arena.exprs, value, &mut seen, &mut |part| {
                if let Expr::Var(variable) = part {
                    read.insert(*variable);
                }
            });
        };
        note(value, &mut read);
        statements(self.emitted_in(span), &mut |stmt: &Stmt| {
            // What is kept of a variable was read there.
            each_evaluated(stmt, &mut |value| note(value, &mut read));
            if let Stmt::Load { pointer, .. } = stmt {
                read.extend(self.arena.local_object(*pointer));
            }
        });
        read
    }

    /// Lets `own` begin with unknown values of what is `written` elsewhere, before or after it: so it is not known
    /// where it reads and writes memory that lanes share. What it does not write itself is afterwards what it was.
    pub fn leave_open(&mut self, own: Span, written: &FxHashSet<VarId>) {
        if written.is_empty() {
            return;
        }
        let (from, to) = own;
        let nothing = self.arena.int(0, Scalar::I32);
        let read = self.read_in(nothing, own);
        let mut open: Vec<VarId> = read.intersection(written).copied().collect();
        if open.is_empty() || !self.reaches_shared_memory(own) {
            return;
        }
        open.sort_unstable();
        let own_writes = self.written_in(own);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for variable in open {
            match self.variables[variable.index()].kind {
                VariableKind::Scalar(scalar) => {
                    if !own_writes.contains(&variable) {
                        let kept = self.scalar_variable("", scalar, None);
                        let value = self.arena.var(variable, scalar);
                        before.push(Stmt::Assign {
                            variable: kept,
                            value,
                        });
                        let value = self.arena.var(kept, scalar);
                        after.push(Stmt::Assign { variable, value });
                    }
                    let value = self.arena.unknown(REASON, Vec::new(), true, scalar);
                    before.push(Stmt::Assign { variable, value });
                }
                VariableKind::Object { .. } => before.push(Stmt::Opaque {
                    variables: Vec::new(),
                    pointers: vec![self.arena.address(Object::Local(variable))],
                    reason: Arc::from(REASON),
                    span: self.span(Range::default()),
                }),
            }
        }
        if let Some(block) = self.blocks.last_mut() {
            block.splice(to.0..to.0, after);
            block.splice(from.0..from.0, before);
        }
    }

    /// A place whose address is made of what is `written` elsewhere: where in its array it is is not known.
    pub fn open_place(&mut self, place: &mut LValue, written: &FxHashSet<VarId>) -> bool {
        let LValue::Mem(mem) = place else {
            return false;
        };
        let mut is_open = false;
        each_part_of(&self.arena.exprs, mem.pointer, &mut |part| {
            is_open |= matches!(part, Expr::Var(variable) if written.contains(variable));
        });
        if is_open {
            let bytes = self.arena.unknown(REASON, Vec::new(), true, Scalar::I64);
            mem.pointer = self.arena.offset(mem.pointer, bytes);
        }
        is_open
    }

    /// `left op= right`, or an operator of a class: C++ takes the right side first, GCC the left one. What the left
    /// one writes and the right one reads is not known.
    pub fn open_right_side(
        &mut self,
        from: &mut LValue,
        value: Option<&mut Val>,
        (right, left): (Span, Span),
    ) {
        let reason = "a number that the other side of its assignment writes";
        let written = self.written_in(left);
        if written.is_empty() {
            return;
        }
        let is_number = is_number(from);
        let is_open = !written.is_disjoint(&self.read_for(from, right));
        let is_elsewhere = self.open_place(from, &written);
        if let Some(value) = value
            && self.is_read_from(value, right, &written)
        {
            *value = self.unknown_val(reason, value.ty());
        }
        if is_open && is_number && !is_elsewhere {
            *from = LValue::Val(self.unknown_val(reason, from.ty()));
        }
        self.leave_open(right, &written);
    }

    fn reaches_shared_memory(&self, span: Span) -> bool {
        let mut found = false;
        statements(self.emitted_in(span), &mut |stmt: &Stmt| {
            let pointer = match stmt {
                Stmt::Load { pointer, .. }
                | Stmt::Store { pointer, .. }
                | Stmt::Atomic { pointer, .. }
                | Stmt::Matrix { pointer, .. }
                | Stmt::OpaqueAccess { pointer, .. } => pointer,
                _ => return,
            };
            found |= self.arena.local_object(*pointer).is_none();
        });
        found
    }

    /// Whether `value`, found in `own`, was read from a local that is `written` elsewhere.
    pub fn is_read_from(&self, value: &Val, own: Span, written: &FxHashSet<VarId>) -> bool {
        let Val::Scalar { id, .. } = value else {
            return false;
        };
        !written.is_empty() && !written.is_disjoint(&self.read_in(*id, own))
    }

    fn emitted_in(&self, (from, to): Span) -> &[Stmt] {
        let block = self.blocks.last();
        block
            .and_then(|block| block.get(from.0..to.0))
            .unwrap_or(&[])
    }
}

pub(super) fn is_number(place: &LValue) -> bool {
    !matches!(
        place.ty(),
        Type::Record(_) | Type::Vector { .. } | Type::Array(..)
    )
}

/// Whether `left = right` of objects writes what it copies while it finds where to: compilers copy before
/// that, or after.
pub(super) fn changes_copied_object(left: &ast::Expr, right: &ast::Expr, from: &LValue) -> bool {
    !is_number(from) && has_effects(left) && may_change_part(left, right)
}
