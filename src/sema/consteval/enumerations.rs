//! Operators of the user's on enumerations.
//!
//! A value does not say which enumeration it is of; the types of the operands do.

use super::eval::call_one_of;
use super::{Locals, Value};
use crate::sema::scope::{self, Env, Names};
use crate::sema::types::Type;
use crate::syntax::ast::Expr;

/// What an operator of the user's gives for these operands; the inner `None` where that is not known. `None` where the
/// operator is the language's.
pub(super) fn of_user(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    symbol: &str,
    operands: &[&Expr],
) -> Option<Option<Value>> {
    if !names.declares_operator(symbol) {
        return None;
    }
    let local = |name: &str| locals.get(name).map(|slot| slot.ty.clone());
    let types = operands.iter();
    let types: Vec<Type> = types
        .map(|e| scope::type_with(names, env, e, &local))
        .collect();
    let of: Vec<&Type> = types.iter().filter(|ty| ty.is_enumeration()).collect();
    if of.is_empty() && !types.iter().any(|ty| ty.strip_reference().is_unknown())
        || !names.has_operator_of_enumerations(env, symbol, &of)
    {
        return None;
    }
    if of.is_empty() {
        // It may be of one.
        return Some(None);
    }
    let arguments: Vec<Expr> = operands.iter().map(|e| (*e).clone()).collect();
    let range = arguments.first()?.range;
    let candidates = names.operators_of_enumerations(env, symbol, &types, range)?;
    let given = (&arguments[..], None);
    Some(call_one_of(names, env, locals, &candidates, &[], given))
}
