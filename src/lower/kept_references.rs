//! References that objects of classes without a definition may keep: whatever such an object is made of is forgotten,
//! when it is made and at each later call that is not followed.

use super::call::ArgumentLValue;
use super::context::Lower;
use super::groups::{SpecialValue, class_name};
use super::values::{LValue, Val};
use crate::ir::ExprId;
use crate::sema::types::Type;
use crate::syntax::ast;
use std::sync::Arc;

/// Classes whose objects keep nothing that they are made of.
const KEEP_NOTHING: [&str; 4] = ["fragment", "pipeline", "barrier", "initializer_list"];

impl Lower<'_> {
    pub fn construct_opaque(
        &mut self,
        name: &Arc<str>,
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> Val {
        if let Some(value) = self.known_opaque(name, places, range) {
            return value;
        }
        let ty = Type::Opaque(name.clone());
        if let Some((LValue::Val(value @ Val::SpecialValue(_)), _)) = places.first()
            && !value.is_taken_by(&ty)
        {
            return value.clone();
        }
        let pointers: Vec<ExprId> = places
            .iter()
            .filter_map(|(place, _)| match place {
                LValue::Mem(mem) => Some(mem.pointer),
                LValue::Val(Val::Scalar {
                    id,
                    ty: Type::Pointer(_),
                    ..
                }) => Some(*id),
                _ => None,
            })
            .collect();
        let is_harmless = KEEP_NOTHING.contains(&class_name(name));
        if !pointers.is_empty() && !is_harmless {
            let reason = format!("`{name}` has no definition in the files given");
            self.gap(range, &reason, Vec::new(), pointers);
        }
        Val::SpecialValue(SpecialValue::Opaque(ty))
    }

    /// An object of a class without a definition may keep references to the variables that it is made of,
    /// and write them whenever it is used.
    pub fn keeps_references(&mut self, name: &str, places: &[ArgumentLValue], range: ast::Range) {
        let class = class_name(name);
        let takes_values = !name.contains('&')
            && matches!(
                class,
                "pair" | "tuple" | "array" | "complex" | "optional" | "integral_constant"
            );
        let takes_others = KEEP_NOTHING.contains(&class)
            || matches!(class, "thread_block_tile" | "coalesced_group");
        if takes_values || takes_others {
            return;
        }
        let reason = format!("`{name}` has no definition in the files given");
        self.keep_places(places, &reason, range);
    }

    /// Forgets what is kept by reference, now and at each later call that is not followed.
    pub fn keep_places(&mut self, places: &[ArgumentLValue], reason: &str, range: ast::Range) {
        let (mut variables, mut pointers) = (Vec::new(), Vec::new());
        for (place, _) in places {
            match place {
                LValue::Var { variable, .. } if !self.constants.contains(variable) => {
                    variables.push(*variable);
                }
                LValue::Mem(mem) if mem.is_const != Some(true) && self.is_local(mem) => {
                    pointers.push(mem.pointer);
                }
                LValue::Val(Val::SpecialValue(SpecialValue::Closure(closure))) => {
                    self.reach_captured(closure, &mut variables, &mut pointers);
                }
                _ => {}
            }
        }
        if !variables.is_empty() || !pointers.is_empty() {
            self.kept.extend(&variables);
            self.kept_objects.extend(&pointers);
            self.gap(range, reason, variables, pointers);
        }
    }

    /// The variables that an object of a class which is not declared may hold references to: it is made of these.
    pub fn kept_by(&mut self, given: &[&ast::Expr]) -> Vec<ArgumentLValue> {
        let named = given.iter().copied().flat_map(named_by);
        // A name alone has no effects: it is evaluated again for its value.
        named.map(|e| (self.place(e), e.range)).collect()
    }
}

/// The variables that an argument may name.
fn named_by(e: &ast::Expr) -> Vec<&ast::Expr> {
    match &e.kind {
        ast::ExprKind::Path(_) => vec![e],
        ast::ExprKind::Conditional(_, then, otherwise) => {
            let mut all = named_by(then);
            all.extend(named_by(otherwise));
            all
        }
        ast::ExprKind::Binary(ast::BinaryOp::Comma, _, right) => named_by(right),
        _ => Vec::new(),
    }
}
