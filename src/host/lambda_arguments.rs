//! Lambdas that a launch hands to its kernel.
//!
//! Given a launch of one kernel, notes for each parameter that gets a lambda which one it is, and adds what the
//! kernel is handed with it behind its own arguments. Running the body is `lower`'s business.

use super::record::{Parts, known_argument};
use super::walk::{Walk, World};
use crate::ir::Argument;
use crate::sema::consteval::{LambdaValue, Slot, Value};
use crate::sema::scope::{self, Binding, Env, resolve_type};
use crate::sema::types::Type;
use crate::syntax::ast;
use std::sync::Arc;

impl Walk<'_, '_> {
    /// Binds the lambdas of a launch in the instance's environment. Gives the number of each among those that
    /// kernels are handed in this unit: lambdas differ in type, though all are displayed alike.
    pub(super) fn hand_lambdas(
        &mut self,
        (env, world): (&Env, &mut World),
        (function, inner): (&ast::Function, &mut Env),
        (parts, arguments): (&Parts, &mut Vec<Argument>),
    ) -> Vec<usize> {
        let parameters = &function.parameters;
        let mut numbers = Vec::new();
        if parameters.len() != arguments.len() || parameters.iter().any(|p| p.is_pack) {
            return numbers;
        }
        for (parameter, argument) in parameters.iter().zip(&parts.arguments) {
            let Some(name) = &parameter.name else {
                continue;
            };
            let ty = resolve_type(self.names, inner, &parameter.ty);
            if !ty.unqualified().is_lambda() {
                continue;
            }
            let Some(Value::Lambda(lambda)) = self.value(env, world, argument) else {
                continue;
            };
            let Some(handed) = lambda.handed() else {
                continue;
            };
            numbers.push(self.number_of(&lambda, &handed));
            let handed = lambda.handed_one_by_one().into_iter();
            arguments.extend(handed.map(|(holder, slot)| argument_of(holder, slot)));
            let value = Binding::Value(Value::Lambda(lambda.clone()), None);
            inner.set(LambdaValue::key(name), value);
        }
        numbers
    }

    /// Counts the lambdas of the unit: those of one place where names mean different things are different.
    fn number_of(&mut self, lambda: &LambdaValue, handed: &[&Slot]) -> usize {
        let types = handed.iter().fold(lambda.env.clone(), |env, slot| {
            env.with(slot.name.clone(), Binding::Variable(slot.ty.clone()))
        });
        let one = (
            Arc::as_ptr(&lambda.lambda) as usize,
            scope::identity_of_names(&types),
        );
        let known = &mut self.out.lambdas;
        known
            .iter()
            .position(|other| *other == one)
            .unwrap_or_else(|| {
                known.push(one);
                known.len() - 1
            })
    }
}

/// What is known of a copy that a kernel is handed with a lambda.
fn argument_of(lambda: &LambdaValue, slot: &Slot) -> Argument {
    // A mutable lambda's copies are what earlier calls left in them; a reference goes by what it refers to.
    let is_kept = !lambda.lambda.is_mutable && !matches!(slot.ty, Type::Reference(_));
    let ty = slot.ty.strip_reference();
    let value = slot.value.as_ref().filter(|_| is_kept);
    let known = value.and_then(|value| known_argument(value, Some(ty)));
    known.unwrap_or(match ty {
        Type::Pointer(_) => Argument::OPEN_POINTER,
        _ => Argument::Unknown,
    })
}
