//! Lambdas that a kernel is handed by its launch.
//!
//! Given a parameter whose argument is a lambda of host code, makes it a lambda here: what it holds copies of
//! becomes parameters of the kernel, behind its own. The host's `lambda_arguments` has their arguments in the same order.

use super::context::{Binding, Lower, new_scope};
use super::values::{LValue, Val};
use crate::ir::Parameter;
use crate::sema::consteval::{LambdaValue, Value};
use crate::sema::scope;
use crate::sema::types::Type;
use crate::syntax::ast;

impl Lower<'_> {
    /// The lambda that the launch hands to the parameter of this name, if it is known.
    pub(super) fn handed_lambda(
        &mut self,
        parameter: &ast::Parameter,
        name: &ast::Name,
    ) -> Option<Val> {
        let key = LambdaValue::key(name);
        let Some(scope::Binding::Value(Value::Lambda(lambda), _)) = self.frame.env.get(&key) else {
            return None;
        };
        let lambda = lambda.clone();
        self.closure_of(&lambda, parameter)
    }

    /// `F` of `void kernel(F f)` is the type of the lambda that `f` is, and of no other.
    pub(super) fn name_type_of_lambda(&mut self, written: &ast::TypeExpr, ty: Type) {
        let ast::TypeKind::Named(path) = &written.kind else {
            return;
        };
        if let ([only], false) = (&path.segments[..], path.is_global)
            && only.arguments.is_none()
            && let Some(scope::Binding::Type(named)) = self.frame.env.get(&only.name)
            && named.is_lambda()
        {
            self.frame
                .env
                .set(only.name.clone(), scope::Binding::Type(ty));
        }
    }

    fn closure_of(&mut self, value: &LambdaValue, parameter: &ast::Parameter) -> Option<Val> {
        let own = new_scope(None);
        let mut env = value.env.clone();
        for slot in value.slots.iter().filter(|slot| slot.is_constant()) {
            let known = slot.value.clone()?;
            let known = scope::Binding::Value(known, Some(slot.ty.clone()));
            env.set(slot.name.clone(), known);
        }
        for slot in value.handed()? {
            let place = match &slot.value {
                Some(Value::Lambda(inner)) => LValue::Val(self.closure_of(inner, parameter)?),
                _ => {
                    let (variable, kind, place) =
                        self.declare_parameter(&slot.name, parameter, slot.ty.strip_reference());
                    self.handed.push(Parameter {
                        name: slot.name.to_string(),
                        variable,
                        kind,
                        span: self.span(parameter.range),
                    });
                    place
                }
            };
            env.set(slot.name.clone(), scope::Binding::Variable(place.ty()));
            let outer = std::mem::replace(&mut self.frame.scope, own.clone());
            self.bind(&slot.name, Binding::LValue(place));
            self.frame.scope = outer;
        }
        Some(self.closure_in(&value.lambda, &own, env, None))
    }
}
