//! Increments and decrements: `++a`, `a--`.
//!
//! Given one, emits the read and the write, or the call of the class's operator. `++a` of a number is the assignment `a += 1`.

use super::context::Lower;
use super::groups::SpecialValue;
use super::operators::names_class;
use super::values::{LValue, Val, scalar_val};
use crate::ir::Scalar;
use crate::sema::types::Type;
use crate::syntax::ast::{self, BinaryOp, UnaryOp};

/// What an increment or decrement does to a number.
fn sign(op: UnaryOp) -> BinaryOp {
    match op {
        UnaryOp::PreIncrement | UnaryOp::PostIncrement => BinaryOp::Add,
        _ => BinaryOp::Sub,
    }
}

impl Lower<'_> {
    /// `a++`, `a--`, and `++a`, `--a` for their effect; gives the value before where that is asked for.
    pub fn increment(
        &mut self,
        op: UnaryOp,
        inner: &ast::Expr,
        e: &ast::Expr,
        wants_value: bool,
    ) -> LValue {
        let place = self.place(inner);
        if let Some(result) = self.by_operator(op, &place, inner, e) {
            return result;
        }
        LValue::Val(if matches!(place.ty(), Type::Record(_)) {
            self.unknown_step(&place, e)
        } else {
            self.stepped(op, place, inner, e, wants_value)
        })
    }

    /// `++a`, `--a`: `a += 1`, but for operators of classes and vectors.
    pub(super) fn pre_increment(
        &mut self,
        op: UnaryOp,
        inner: &ast::Expr,
        e: &ast::Expr,
        wants_value: bool,
    ) -> LValue {
        // Evaluated once: what stands in it may have effects, or be an increment itself.
        let place = self.place(inner);
        if let Some(result) = self.by_operator(op, &place, inner, e) {
            return result;
        }
        match place.ty() {
            Type::Record(_) => {
                self.unknown_step(&place, e);
                return place;
            }
            Type::Vector { .. } => {
                self.stepped(op, place.clone(), inner, e, false);
                return place;
            }
            _ => {}
        }
        let one = scalar_val(self.arena.int(1, Scalar::I32), Scalar::I32);
        self.assign_to(place, Some(sign(op)), one, inner, inner, e, wants_value)
    }

    /// What an operator gives that is no built-in one: an atomic reference's, or one of the user's.
    fn by_operator(
        &mut self,
        op: UnaryOp,
        place: &LValue,
        inner: &ast::Expr,
        e: &ast::Expr,
    ) -> Option<LValue> {
        match self.atomic_operator(place, e) {
            Some(value) => Some(LValue::Val(value)),
            None => self.own_increment(op, place, inner, e),
        }
    }

    /// `r = 1`, `r += 1`, `++r` of an atomic reference: what it refers to is written, how is not modelled.
    pub(super) fn atomic_operator(&mut self, place: &LValue, e: &ast::Expr) -> Option<Val> {
        let LValue::Val(Val::SpecialValue(SpecialValue::AtomicRef(mem))) = place else {
            return None;
        };
        let reason = "an operator of `cuda::atomic_ref`";
        self.gap(e.range, reason, Vec::new(), vec![mem.pointer]);
        Some(self.unknown_val(reason, mem.ty.clone()))
    }

    /// `++` or `--` of an object whose operator is not known: it may change the object.
    fn unknown_step(&mut self, place: &LValue, e: &ast::Expr) -> Val {
        let reason = format!(
            "the operator of `{}` has no definition in the files given",
            place.ty()
        );
        let mem = self.memory_of(place.clone(), e.range);
        let pointers = mem.iter().map(|mem| mem.pointer).collect();
        self.gap(e.range, &reason, Vec::new(), pointers);
        self.unknown_val(&reason, place.ty())
    }

    /// What an operator `++` or `--` of the user's gives.
    fn own_increment(
        &mut self,
        op: UnaryOp,
        place: &LValue,
        inner: &ast::Expr,
        e: &ast::Expr,
    ) -> Option<LValue> {
        let text = match sign(op) {
            BinaryOp::Add => "++",
            _ => "--",
        };
        let is_after = matches!(op, UnaryOp::PostIncrement | UnaryOp::PostDecrement);
        if place.ty().is_enumeration() {
            let zero = LValue::Val(scalar_val(self.arena.int(0, Scalar::I32), Scalar::I32));
            let mut operands = vec![(place.clone(), inner)];
            if is_after {
                operands.push((zero, e));
            }
            return self.of_enumerations(text, &operands, e);
        }
        if !names_class(place) {
            return None;
        }
        let mut operands = vec![(place.clone(), inner.range)];
        if is_after {
            let zero = scalar_val(self.arena.int(0, Scalar::I32), Scalar::I32);
            operands.push((LValue::Val(zero), e.range));
        }
        self.operator_call(text, &operands, e.range)
    }

    /// Moves what stands at `place` on by one; gives the value before where `op` asks for that.
    fn stepped(
        &mut self,
        op: UnaryOp,
        place: LValue,
        inner: &ast::Expr,
        e: &ast::Expr,
        wants_value: bool,
    ) -> Val {
        let old = self.read(place.clone(), inner.range);
        let one = scalar_val(self.arena.int(1, Scalar::I32), Scalar::I32);
        let kept = match (&old, op) {
            (Val::Scalar { id, ty, volatile }, UnaryOp::PostIncrement | UnaryOp::PostDecrement)
                if wants_value =>
            {
                let id = if matches!(place, LValue::Var { .. }) {
                    self.keep(*id, "")
                } else {
                    *id
                };
                Val::Scalar {
                    id,
                    ty: ty.clone(),
                    volatile: *volatile,
                }
            }
            _ => Val::Void,
        };
        let from = match &kept {
            Val::Void => old,
            kept => kept.clone(),
        };
        let new = self.arithmetic(sign(op), from, one, e.range);
        self.write(&place, new, inner.range);
        kept
    }
}
