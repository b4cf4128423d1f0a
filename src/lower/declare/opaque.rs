//! Objects of a type whose members are not known, but whose name is: `cuda::barrier`, `cg::thread_group`.
//!
//! Given the type and the initialiser, gives the value that stands for the object.

use super::super::context::Lower;
use super::super::groups::SpecialValue;
use super::super::packs::has_packs;
use super::super::values::{LValue, Val};
use crate::sema::types::Type;
use crate::syntax::ast::{self, ExprKind, Range};
use std::sync::Arc;

impl Lower<'_> {
    pub(super) fn opaque_object(
        &mut self,
        name: &Arc<str>,
        ty: &Type,
        init: Option<&ast::Initialiser>,
        range: Range,
    ) -> Val {
        match init {
            Some(ast::Initialiser::Paren(arguments)) => {
                let places = self.arguments(arguments);
                self.keeps_references(name, &places, range);
                self.construct_opaque(name, &places, range)
            }
            Some(ast::Initialiser::Equals(e))
                if let ExprKind::List(items) = &e.kind
                    && !has_packs(items) =>
            {
                let items = items.iter().map(|(_, item)| self.argument(item));
                let places: Vec<_> = items.collect();
                self.keeps_references(name, &places, range);
                self.construct_opaque(name, &places, range)
            }
            Some(ast::Initialiser::Equals(e)) => self.opaque_from(name, ty, e, range),
            Some(ast::Initialiser::Brace(e)) => {
                let places = match &e.kind {
                    ExprKind::List(items) => {
                        items.iter().map(|(_, item)| self.argument(item)).collect()
                    }
                    _ => vec![self.argument(e)],
                };
                self.keeps_references(name, &places, range);
                self.construct_opaque(name, &places, range)
            }
            None => Val::SpecialValue(SpecialValue::Opaque(ty.clone())),
        }
    }

    /// `Object o = e;`
    fn opaque_from(&mut self, name: &Arc<str>, ty: &Type, e: &ast::Expr, range: Range) -> Val {
        let place = self.place(e);
        // What it is made of may be kept by reference.
        let is_known = matches!(
            place.ty(),
            Type::Scalar(..) | Type::Pointer(_) | Type::Array(..) | Type::Record(_)
        );
        let is_made = matches!(&place, LValue::Val(value) if value.is_taken_by(ty));
        if is_known || is_made {
            let places = [(place, e.range)];
            self.keeps_references(name, &places, range);
            self.construct_opaque(name, &places, range)
        } else if let LValue::Val(special @ Val::SpecialValue(_)) = place {
            match special {
                Val::SpecialValue(SpecialValue::List(items)) => {
                    self.keeps_references(name, &items, range);
                    self.construct_opaque(name, &items, range)
                }
                special => special,
            }
        } else {
            match self.read(place, e.range) {
                special @ Val::SpecialValue(_) => special,
                _ => Val::SpecialValue(SpecialValue::Opaque(ty.clone())),
            }
        }
    }
}
