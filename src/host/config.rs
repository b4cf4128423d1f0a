//! `cudaLaunchConfig_t`: the shape of a launch as an object.

use super::walk::{Walk, World};
use crate::ir::Scalar;
use crate::sema::consteval::{self, Fields, Value};
use crate::sema::scope::{Env, Names};
use crate::sema::types::{self, Type};
use crate::syntax::ast::{Expr, Name};
use std::sync::Arc;

/// A `cudaLaunchConfig_t` before anything is assigned.
pub(super) fn empty_config(names: &Names<'_>, ty: &Type) -> Value {
    let dim3 = || types::known("dim3").and_then(|t| consteval::construct(names, &t, Vec::new()));
    let values: Vec<(Name, Option<Value>)> = vec![
        (Name::from("gridDim"), dim3()),
        (Name::from("blockDim"), dim3()),
        (
            Name::from("dynamicSmemBytes"),
            Some(Value::int(0, Scalar::U64)),
        ),
        (Name::from("stream"), None),
        (Name::from("attrs"), None),
        (Name::from("numAttrs"), None),
    ];
    Value::Fields(Arc::new(Fields {
        ty: ty.clone(),
        values,
    }))
}

/// A `cudaLaunchConfig_t` that somebody filled in.
pub(super) fn unknown_config(names: &Names<'_>, ty: &Type) -> Value {
    match empty_config(names, ty) {
        Value::Fields(mut f) => {
            let values = Arc::make_mut(&mut f).values.iter_mut();
            values.for_each(|(_, v)| *v = None);
            Value::Fields(f)
        }
        other => other,
    }
}

impl Walk<'_, '_> {
    /// A `cudaLaunchConfig_t` made of a list.
    pub fn listed_config(
        &mut self,
        env: &Env,
        world: &mut World,
        ty: &Type,
        items: &[(Option<Name>, Expr)],
    ) -> Value {
        let Value::Fields(mut made) = empty_config(self.names, ty) else {
            return unknown_config(self.names, ty);
        };
        let values = &mut Arc::make_mut(&mut made).values;
        for (at, (name, e)) in items.iter().enumerate() {
            let at = match name {
                Some(name) => values.iter().position(|(known, _)| known == name),
                None => Some(at),
            };
            let Some((name, place)) = at.and_then(|at| values.get_mut(at)) else {
                return unknown_config(self.names, ty);
            };
            let value = self.value(env, world, e);
            *place = match &**name {
                "gridDim" | "blockDim" => types::known("dim3").and_then(|dim3| match value {
                    Some(value) => consteval::cast(self.names, &dim3, value),
                    None => self.shape_of_number(env, world, &dim3, e),
                }),
                "dynamicSmemBytes" => value.and_then(|v| v.convert(Scalar::U64)),
                _ => None,
            };
        }
        Value::Fields(made)
    }
}
