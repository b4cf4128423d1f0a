//! `new (place) T(x)`: an object that is made where a pointer points to.

use super::context::Lower;
use super::place::base_name;
use super::values::LValue;
use crate::sema::types::Type;
use crate::syntax::ast;

impl Lower<'_> {
    /// Gives the pointer. `has_value`: what no constructor sets is zero.
    pub(super) fn made_in_place(
        &mut self,
        ty: &ast::TypeExpr,
        place: &ast::Expr,
        (given, has_value): (&[ast::Expr], bool),
        range: ast::Range,
    ) -> LValue {
        let pointer = self.resolve(ty);
        let value = self.value(place);
        let value = self.cast_place_to(LValue::Val(value), &pointer, range);
        if !matches!(pointer, Type::Pointer(_)) {
            return LValue::Val(value);
        }
        match self.deref_named(value.clone(), base_name(place)) {
            LValue::Mem(object) => {
                let places = self.arguments_of_class(&object.ty, given);
                if places.is_empty() && has_value {
                    self.initialise_by_nothing(&object, range);
                } else {
                    self.construct_into(&object, &places, range);
                }
            }
            _ => {
                let places = self.arguments_of_class(&Type::Void, given);
                let reason = "an object made in a place that is not known";
                self.not_followed(&[], None, &places, None, reason, range);
            }
        }
        LValue::Val(value)
    }
}
