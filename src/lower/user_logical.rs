//! `&&`, `||` and `,`: an operator of the user's takes both sides evaluated, the built-in one may leave one out.

use super::context::Lower;
use super::short_circuit::Halves;
use super::values::{LValue, scalar_val};
use crate::ir::Scalar;
use crate::sema::scope;
use crate::sema::types::Type;
use crate::syntax::ast::{self, BinaryOp};

/// Who is meant by an operator that has an operand of some type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Meant {
    BuiltIn,
    User,
    /// The type is not known, and somewhere such an operator is declared.
    Open,
}

impl Lower<'_> {
    /// `left && right` or `left, right` by an operator of the user's. What types that are not known mean is
    /// decided by what the sides turn out to be, so this may give the built-in operator's result as well.
    pub(super) fn operator_in_order(
        &mut self,
        op: BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        e: &ast::Expr,
    ) -> Option<LValue> {
        let written = [left, right].map(|side| {
            let ty = scope::type_of(&self.unit.names, &self.frame.env, side);
            self.meant(op, &ty, e.range)
        });
        if written.contains(&Meant::User) {
            let a = self.operand_place(left, true);
            let a = self.pin(a);
            let b = self.operand_place(right, true);
            return Some(self.operator_of_user(op, [(a, left), (b, right)], e));
        }
        if !written.contains(&Meant::Open) {
            return None;
        }
        let a = self.operand_place(left, true);
        let a = self.pin(a);
        self.push_block();
        let b = self.operand_place(right, true);
        let mut block = self.pop_block();
        let is_built_in =
            [&a, &b].map(|side| self.meant(op, &side.ty(), e.range) == Meant::BuiltIn);
        if is_built_in == [true; 2] && op != BinaryOp::Comma {
            let a = self.in_place(a, left.range);
            let a = self.scalar_of(a, Scalar::Bool, left.range);
            let known = self.arena.as_bool(a);
            if known.is_some_and(|known| known != (op == BinaryOp::LogicalAnd)) {
                return Some(LValue::Val(scalar_val(a, Scalar::Bool)));
            }
            self.push_block();
            let b = self.in_place(b, right.range);
            let b = self.scalar_of(b, Scalar::Bool, right.range);
            block.extend(self.pop_block());
            if known.is_some() {
                self.append(block);
                return Some(LValue::Val(scalar_val(b, Scalar::Bool)));
            }
            return Some(LValue::Val(self.logical_of(
                op,
                a,
                Halves { block, value: b },
                e,
            )));
        }
        self.append(block);
        if is_built_in == [true; 2] {
            return Some(b);
        }
        Some(self.operator_of_user(op, [(a, left), (b, right)], e))
    }

    fn operator_of_user(
        &mut self,
        op: BinaryOp,
        operands: [(LValue, &ast::Expr); 2],
        e: &ast::Expr,
    ) -> LValue {
        if let Some(result) = self.of_enumerations(op.symbol(), &operands, e) {
            return result;
        }
        let operands = operands.map(|(place, side)| (place, side.range));
        if let Some(result) = self.operator_call(op.symbol(), &operands, e.range) {
            return result;
        }
        let reason = format!("which `operator{}` is meant is not known", op.symbol());
        self.not_followed(&[], None, &operands, None, &reason, e.range)
    }

    pub(super) fn meant(&self, op: BinaryOp, ty: &Type, at: ast::Range) -> Meant {
        let (names, symbol) = (&self.unit.names, op.symbol());
        let is_own = match ty.strip_reference() {
            Type::Record(class) => {
                let mut all =
                    names.operators(&self.frame.env, std::slice::from_ref(class), symbol, at);
                names.add_friends(class, symbol, &mut all);
                !all.is_empty()
            }
            Type::Vector { .. } => !names.operators(&self.frame.env, &[], symbol, at).is_empty(),
            Type::Unknown(_) | Type::Opaque(_) => {
                return if names.declares_operator(symbol) {
                    Meant::Open
                } else {
                    Meant::BuiltIn
                };
            }
            ty => {
                ty.is_enumeration()
                    && names.has_operator_of_enumerations(&self.frame.env, symbol, &[ty])
            }
        };
        if is_own { Meant::User } else { Meant::BuiltIn }
    }
}
