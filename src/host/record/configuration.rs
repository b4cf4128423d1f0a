//! The configuration of a launch: grid, block, bytes of shared memory, and the list it is given as.

use super::super::operands::address_of;
use super::super::walk::{Walk, World};
use super::shown;
use crate::ir::{Dimension, Scalar};
use crate::sema::consteval::Value;
use crate::sema::scope::Env;
use crate::sema::types::{self, Type};
use crate::syntax::ast::{Expr, ExprKind, Name};
use std::sync::Arc;

impl Walk<'_, '_> {
    /// What an array of addresses holds, where nothing else is ever put into it.
    pub(super) fn list(&self, world: &World, name: &Name) -> Option<&Vec<Expr>> {
        let function = self.function.as_ref()?;
        let is_written = self
            .survey
            .of(function)
            .is_some_and(|b| b.summary.writes.names.contains(name));
        let known = self
            .lists
            .get(&(Arc::as_ptr(function) as usize, name.clone()))?;
        let known = known.as_ref().filter(|_| !is_written)?;
        // Its names mean what they meant where it was made.
        let means = |name: &Name| world.slots.iter().rposition(|s| s.name == *name);
        let is_same = known.named.iter().all(|(name, at)| means(name) == *at);
        is_same.then_some(&known.items)
    }

    /// The expressions behind `void* list[] = {&a, &b}`.
    pub(super) fn listed(&self, world: &World, list: &Expr) -> Vec<Expr> {
        let strip = |items: &[Expr]| {
            items
                .iter()
                .map(|e| address_of(e).unwrap_or(e).clone())
                .collect()
        };
        match &list.kind {
            ExprKind::Path(p) => p
                .segments
                .last()
                .and_then(|s| self.list(world, &s.name))
                .map_or_else(Vec::new, |l| strip(l)),
            ExprKind::Cast { value, .. } => self.listed(world, value),
            ExprKind::Construct { arguments, .. } => strip(arguments),
            ExprKind::List(items) => {
                strip(&items.iter().map(|(_, e)| e.clone()).collect::<Vec<_>>())
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn dimension(&self, env: &Env, world: &mut World, e: &Expr) -> Dimension {
        match self
            .value(env, world, e)
            .and_then(|v| u64::try_from(v.convert(Scalar::I64)?.as_int()?).ok())
        {
            Some(n) => Dimension::Const(n),
            None => Dimension::Unknown(shown(e).into()),
        }
    }

    pub(super) fn bytes(&self, env: &Env, world: &mut World, e: &Expr) -> Option<u64> {
        u64::try_from(self.value(env, world, e)?.convert(Scalar::I64)?.as_int()?).ok()
    }

    pub(super) fn shape(&self, env: &Env, world: &mut World, e: &Expr) -> [Dimension; 3] {
        let value = self.value(env, world, e);
        // What is written in place names the parts that are not known.
        let parts: &[Expr] = match &e.kind {
            ExprKind::Construct { arguments, .. } | ExprKind::Call { arguments, .. } => arguments,
            _ => &[],
        };
        let list: Vec<&Expr> = match &e.kind {
            ExprKind::List(items) => items.iter().map(|(_, e)| e).collect(),
            _ => parts.iter().collect(),
        };
        let whole = shown(e);
        if matches!(value, Some(Value::Fields(_) | Value::List(_))) {
            let value = match value {
                Some(v @ Value::List(_)) => types::known("dim3")
                    .and_then(|t| crate::sema::consteval::cast(self.names, &t, v)),
                v => v,
            };
            return dimensions(value.as_ref(), |axis| {
                let i = ["x", "y", "z"]
                    .iter()
                    .position(|a| *a == &axis[1..])
                    .unwrap_or(0);
                list.get(i)
                    .map_or_else(|| format!("{whole}{axis}"), |e| shown(e))
            });
        }
        if let Some(n) = value.and_then(|v| u64::try_from(v.convert(Scalar::U32)?.as_int()?).ok()) {
            return [
                Dimension::Const(n),
                Dimension::Const(1),
                Dimension::Const(1),
            ];
        }
        let ty = self.argument_type(env, world, e);
        if matches!(ty, Type::Scalar(_, _)) {
            return [
                Dimension::Unknown(whole.into()),
                Dimension::Const(1),
                Dimension::Const(1),
            ];
        }
        dimensions(None, |axis| format!("{whole}{axis}"))
    }
}

pub(super) fn dimensions(value: Option<&Value>, name: impl Fn(&str) -> String) -> [Dimension; 3] {
    [".x", ".y", ".z"].map(|axis| {
        let known = match value {
            Some(v @ Value::Fields(_)) => v.field(&axis[1..]).cloned(),
            Some(v @ Value::Int { .. }) => Some(if axis == ".x" {
                v.clone()
            } else {
                Value::int(1, Scalar::U32)
            }),
            _ => None,
        };
        match known.and_then(|v| u64::try_from(v.convert(Scalar::U32)?.as_int()?).ok()) {
            Some(n) => Dimension::Const(n),
            None => Dimension::Unknown(name(axis).into()),
        }
    })
}
