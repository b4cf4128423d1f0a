//! `for (int stride : {32, 16, 8})`: a loop over a list in braces.
//!
//! The body is lowered once for each number of the list, so that what follows from the number is known in
//! each. Lists of anything but numbers of one type are not read.

use super::context::Lower;
use super::declare::has_auto;
use super::jumps::exits_to;
use super::values::Val;
use crate::ir::{LabelId, Stmt};
use crate::sema::types::Type;
use crate::syntax::ast::{self, Name};

/// Numbers beyond which a list is not gone through.
const MAX_NUMBERS: usize = 32;

impl Lower<'_> {
    pub(super) fn range_of_list(
        &mut self,
        variable: &ast::Variable,
        items: &[(Option<Name>, ast::Expr)],
        body: &ast::Stmt,
        range: ast::Range,
    ) {
        let Some((values, ty)) = self.numbers(variable, items) else {
            let reason = "a loop over a list in braces that is not of numbers of one type";
            return self.forget_locals(reason, range);
        };
        self.each_turn(values, body, |this, value| {
            this.declare_value(variable, &ty, value);
            // The elements of a list are `const`.
            if matches!(variable.ty.kind, ast::TypeKind::Reference { .. }) {
                this.bind_as_const(&variable.name);
            }
        });
    }

    /// The body of a loop once for each of some values, which `begin` gives to the loop's variable.
    pub(super) fn each_turn<T>(
        &mut self,
        values: Vec<T>,
        body: &ast::Stmt,
        begin: impl Fn(&mut Self, T),
    ) {
        let end = self.label();
        self.frame.breaks.push(self.aim(end));
        self.push_block();
        self.loop_depth += 1;
        for value in values {
            let next = self.label();
            self.frame.continues.push(self.aim(next));
            self.push_block();
            self.scoped(|this| {
                begin(this, value);
                this.statement(body, false);
            });
            self.frame.continues.pop();
            self.labelled(next);
        }
        self.loop_depth -= 1;
        self.frame.breaks.pop();
        self.labelled(end);
    }

    /// The statements since the last `push_block`, which may be left by a label.
    pub(super) fn labelled(&mut self, label: LabelId) {
        let body = self.pop_block();
        if exits_to(&body, label) {
            self.emit(Stmt::Labelled { label, body });
        } else {
            self.append(body);
        }
    }

    /// The values of a list, all of them taken before the loop begins, and the variable's type.
    fn numbers(
        &mut self,
        variable: &ast::Variable,
        items: &[(Option<Name>, ast::Expr)],
    ) -> Option<(Vec<Val>, Type)> {
        let is_plain = |(name, e): &(Option<Name>, ast::Expr)| {
            name.is_none() && !matches!(e.kind, ast::ExprKind::Expand(_))
        };
        let is_read = items.len() <= MAX_NUMBERS && items.iter().all(is_plain);
        if !is_read || items.is_empty() || !variable.bindings.is_empty() {
            return None;
        }
        let mut values = Vec::new();
        let mut element: Option<Type> = None;
        for (_, e) in items {
            let value = self.value(e);
            let Val::Scalar { id, ty, .. } = value else {
                return None;
            };
            let (Type::Scalar(..), Some(scalar)) = (&ty, ty.scalar()) else {
                return None;
            };
            if *element.get_or_insert_with(|| ty.clone()) != ty {
                return None;
            }
            // What the body changes changes no number of the list.
            let held = self.scalar_variable("", scalar, None);
            self.emit(Stmt::Assign {
                variable: held,
                value: id,
            });
            values.push(Val::Scalar {
                id: self.arena.var(held, scalar),
                ty,
                volatile: false,
            });
        }
        let ty = if has_auto(&variable.ty) {
            element?
        } else {
            self.resolve(&variable.ty).strip_reference().clone()
        };
        matches!(ty, Type::Scalar(..)).then_some((values, ty))
    }
}
