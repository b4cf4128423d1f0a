//! Functions as values: what a path names, and what using-declarations of a block bring in.

use super::arguments::resolve_arguments;
use super::{Binding, Env, Names};
use crate::sema::consteval::{FunctionValue, Value};
use crate::syntax::ast::Path;
use std::sync::Arc;

/// The function or overload set that a path names, as a value.
#[must_use]
pub fn function_value(names: &Names<'_>, env: &Env, path: &Path) -> Option<Value> {
    let candidates = names.functions(env, path);
    let last = path.segments.last()?;
    if candidates.is_empty() {
        return None;
    }
    if path.segments.len() == 1
        && let Some(Binding::Value(v @ Value::Function(_), _)) = env.get(&last.name)
    {
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

/// The functions that a using-declaration of a block brings in, beside those that others did before it.
#[must_use]
pub fn declared_functions(names: &Names<'_>, env: &Env, path: &Path) -> Option<Value> {
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
