//! What `?:` names where both of its sides are places: one of two places in memory, or a copy of one.
//!
//! nvcc spreads an assignment over the branches of such a choice, other compilers choose the address first: sites
//! of both are marked as [`crate::ir::Site::by_branch`].

use super::context::Lower;
use super::values::{LValue, Mem, Val};
use crate::ir::{Block, ExprId, Scalar, Stmt};
use crate::sema::scope;
use crate::sema::types::Type;
use crate::syntax::ast::{self, ExprKind};

impl Lower<'_> {
    /// What `c ? a : b` names: one of two places in memory, or a value where a side is none.
    pub(super) fn chosen_place(
        &mut self,
        condition: &ast::Expr,
        then: &ast::Expr,
        otherwise: &ast::Expr,
        e: &ast::Expr,
    ) -> LValue {
        self.chosen(condition, (then, otherwise), e, false)
    }

    /// The value of `c ? a : b`; [`Lower::place`] gives the place.
    pub fn conditional(
        &mut self,
        condition: &ast::Expr,
        then: &ast::Expr,
        otherwise: &ast::Expr,
        e: &ast::Expr,
    ) -> LValue {
        self.chosen(condition, (then, otherwise), e, true)
    }

    /// The side that is taken, or one of two. With `is_copied` nothing but a copy is wanted.
    fn chosen(
        &mut self,
        condition: &ast::Expr,
        (then, otherwise): (&ast::Expr, &ast::Expr),
        e: &ast::Expr,
        is_copied: bool,
    ) -> LValue {
        let condition = self.condition(condition);
        match self.arena.as_bool(condition) {
            Some(true) => return self.taken_side(then, otherwise, e),
            Some(false) => return self.taken_side(otherwise, then, e),
            None => {}
        }
        let may_be_places = may_name(then) && may_name(otherwise);
        if may_be_places && (!is_copied || self.are_copied_as_a_whole(then, otherwise)) {
            self.one_of_two_places(condition, (then, otherwise), e, is_copied)
        } else {
            self.choice(condition, then, otherwise, e)
        }
    }

    /// Whether both sides are objects of one type, and copying one moves its bytes.
    fn are_copied_as_a_whole(&self, then: &ast::Expr, otherwise: &ast::Expr) -> bool {
        let of = |e| scope::type_of(&self.unit.names, &self.frame.env, e);
        let (a, b) = (of(then), of(otherwise));
        let (a, b) = (a.strip_reference(), b.strip_reference());
        a == b
            && self.copies_as_a_whole(a, then)
            && !matches!(a, Type::Record(record) if record.is_polymorphic)
    }

    /// One of two places in memory, where both sides are such, else a value.
    fn one_of_two_places(
        &mut self,
        condition: ExprId,
        (then, otherwise): (&ast::Expr, &ast::Expr),
        e: &ast::Expr,
        is_copied: bool,
    ) -> LValue {
        let (a, mut first) = self.memory_of_side(then);
        let (b, mut second) = self.memory_of_side(otherwise);
        let (Some((a, is_made)), Some((b, is_other_made))) = (a, b) else {
            return self.choice(condition, then, otherwise, e);
        };
        // Of two types the result is a value, converted.
        if a.ty != b.ty || a.bits.is_some() || b.bits.is_some() {
            return self.choice(condition, then, otherwise, e);
        }
        // Where one side is no place, the result is an object of its own: what has a place is copied, and
        // what is made is made there.
        let is_named = !is_made && !is_other_made;
        let is_apart = is_copied && (self.is_local(&a) || self.is_local(&b));
        let is_object = matches!(a.ty, Type::Record(_) | Type::Vector { .. });
        // A number is read where it lies: no place is chosen.
        if !is_named && !is_object {
            return self.choice(condition, then, otherwise, e);
        }
        if (!is_named || is_apart) && is_object {
            let object = self.local("", &a.ty, None);
            for (block, side, is_made, at) in [
                (&mut first, a, is_made, then.range),
                (&mut second, b, is_other_made, otherwise.range),
            ] {
                let side = if is_made {
                    LValue::Val(Val::Object(side))
                } else {
                    LValue::Mem(side)
                };
                self.push_block();
                self.construct_into(&object, &[(side, at)], at);
                block.extend(self.pop_block());
            }
            self.emit_if(condition, first, second, e.range);
            if is_named {
                self.chosen.insert(object.pointer);
            }
            return LValue::Val(Val::Object(object));
        }
        let pointer = if first.is_empty() && second.is_empty() {
            self.arena
                .select(condition, a.pointer, b.pointer, Scalar::Pointer)
        } else {
            let variable = self.scalar_variable("", Scalar::Pointer, None);
            for (block, side) in [(&mut first, &a), (&mut second, &b)] {
                block.push(Stmt::Assign {
                    variable,
                    value: side.pointer,
                });
            }
            self.emit_if(condition, first, second, e.range);
            self.arena.var(variable, Scalar::Pointer)
        };
        self.chosen.insert(pointer);
        LValue::Mem(Mem {
            pointer,
            volatile: a.volatile || b.volatile,
            is_const: either_const(a.is_const, b.is_const),
            ..a
        })
    }

    /// The memory that one side of a choice names, whether it is an object that the side makes, and what is
    /// done to get there.
    fn memory_of_side(&mut self, side: &ast::Expr) -> (Option<(Mem, bool)>, Block) {
        self.push_block();
        let place = self.place(side);
        let is_made = matches!(place, LValue::Val(_));
        let mem = self.memory_of(place, side.range);
        (mem.map(|mem| (mem, is_made)), self.pop_block())
    }

    /// Whether it points into a place that a `?:` names.
    pub fn is_chosen(&self, pointer: ExprId) -> bool {
        let mut bases = self.arena.bases(pointer);
        bases.any(|base| self.chosen.contains(&base))
    }

    /// What was lowered from site `first` on stands in the branches of a choice.
    pub(super) fn spread_over_branches(&mut self, first: usize) {
        for site in &mut self.sites[first..] {
            site.by_branch = true;
        }
    }

    /// Whether it is a whole object out of a place that a `?:` names.
    pub(super) fn is_chosen_object(&self, place: &LValue) -> bool {
        match place {
            LValue::Mem(mem) | LValue::Val(Val::Object(mem)) => {
                matches!(mem.ty, Type::Vector { .. } | Type::Record(_))
                    && self.is_chosen(mem.pointer)
            }
            _ => false,
        }
    }
}

/// Whether an expression is a `?:` or a part of one.
pub(super) fn is_choice_of_places(e: &ast::Expr) -> bool {
    match &e.kind {
        ExprKind::Conditional(..) => true,
        ExprKind::Member { object, .. } => is_choice_of_places(object),
        ExprKind::Index(base, _) => is_choice_of_places(base),
        ExprKind::Cast { value, .. } => is_choice_of_places(value),
        _ => false,
    }
}

/// Whether one of two places may not be written by the name that stands for either.
pub(super) fn either_const(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

/// Whether an expression may name a place: literals and what arithmetic gives never do.
fn may_name(e: &ast::Expr) -> bool {
    !matches!(
        e.kind,
        ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Bool(_)
            | ExprKind::Char(..)
            | ExprKind::Null
            | ExprKind::Lambda(_)
    )
}
