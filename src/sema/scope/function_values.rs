//! Functions as values: what a path names; and what using-declarations of a block bring in.

use super::arguments::resolve_arguments;
use super::{Binding, Env, Names, resolve_type};
use crate::sema::consteval::{FunctionValue, Value};
use crate::sema::types::Type;
use crate::syntax::ast::{Path, TypeExpr};
use std::sync::Arc;

/// The function or overload set that a path names, as a value.
#[must_use]
pub fn function_value(names: &Names<'_>, env: &Env, path: &Path) -> Option<Value> {
    let candidates = names.functions(env, path);
    let last = path.segments.last()?;
    if candidates.is_empty() {
        return None;
    }
    if let Some(Binding::Value(v @ Value::Function(_), _)) = env.named(path) {
        return Some(v.clone());
    }
    let explicit = resolve_arguments(
        names,
        env,
        last.arguments.as_deref().unwrap_or_default(),
        None,
    );
    let text = if explicit.is_empty() {
        last.name.to_string()
    } else {
        format!("{}<{}>", last.name, super::display_list(&explicit))
    };
    Some(Value::Function(Arc::new(FunctionValue {
        text,
        candidates,
        explicit: last.arguments.clone(),
        env: env.clone(),
        is_declared: false,
    })))
}

/// `using a::b;` in a block, of what is no variable: functions, a type or a template, or a name of a header that is not
/// there.
pub fn use_name(names: &Names<'_>, env: &mut Env, path: &Path) {
    let Some(name) = path.segments.last().map(|last| last.name.clone()) else {
        return;
    };
    let binding = match declared_functions(names, env, path) {
        Some(functions) => Binding::Value(functions, None),
        None => match resolve_type(names, env, &TypeExpr::named(path.clone())) {
            Type::Unknown(_) | Type::Opaque(_) => Binding::Template(path.clone(), env.clone()),
            ty => Binding::Type(ty),
        },
    };
    env.set(name, binding);
}

/// The functions that a using-declaration of a block brings in, beside those that others did before it.
fn declared_functions(names: &Names<'_>, env: &Env, path: &Path) -> Option<Value> {
    let Some(Value::Function(found)) = function_value(names, env, path) else {
        return None;
    };
    let mut all = (*found).clone();
    all.is_declared = true;
    let name = &path.segments.last()?.name;
    if let Some(Binding::Value(Value::Function(before), _)) = env.get(name)
        && before.is_declared
    {
        for callee in &before.candidates {
            let is_new = |one: &super::Callee| !Arc::ptr_eq(&one.function, &callee.function);
            if all.candidates.iter().all(is_new) {
                all.candidates.push(callee.clone());
            }
        }
    }
    Some(Value::Function(Arc::new(all)))
}
