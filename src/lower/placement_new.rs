//! `new (place) T(x)`: an object that is made where a pointer points to.

use super::call::ArgumentLValue;
use super::context::Lower;
use super::place::base_name;
use super::values::{LValue, Mem};
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
        let Type::Pointer(of) = &pointer else {
            return LValue::Val(value);
        };
        let is_class = matches!(of.whole().unqualified(), Type::Record(_));
        match self.deref_named(value.clone(), base_name(place)) {
            LValue::Mem(object) => {
                let places = self.arguments_of_class(&object.ty, given);
                self.make(&object, &places, has_value && !is_class, range);
            }
            _ => {
                let places = self.arguments_of_class(&Type::Void, given);
                let reason = "an object made in a place that is not known";
                self.not_followed(&[], None, &places, None, reason, range);
            }
        }
        LValue::Val(value)
    }

    fn make(&mut self, object: &Mem, places: &[ArgumentLValue], is_zero: bool, range: ast::Range) {
        if places.is_empty() && is_zero {
            self.zero_fill(object, range);
            return;
        }
        self.construct_into(object, places, range);
    }
}
