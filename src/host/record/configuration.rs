//! The configuration of a launch: grid, block, bytes of shared memory, and the list it is given as.

use super::super::bounded_counters::most_of;
use super::super::operands::address_of;
use super::super::walk::{Walk, World};
use super::shown;
use crate::gpu::WARP;
use crate::ir::{Dimension, Scalar};
use crate::sema::consteval::Value;
use crate::sema::scope::Env;
use crate::sema::types::{self, Type};
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Name};
use std::sync::Arc;

/// Nesting of an expression that is looked at for a bound.
const MAX_DEPTH: u32 = 8;

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
        let is_same = known
            .named
            .iter()
            .all(|(name, at)| world.place(name) == *at);
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
        let known = self.integer(env, world, e);
        match known.and_then(|n| u64::try_from(n).ok()) {
            Some(n) => Dimension::Const(n),
            None => Dimension::Unknown(shown(e).into()),
        }
    }

    pub fn integer(&self, env: &Env, world: &mut World, e: &Expr) -> Option<i64> {
        as_integer(&self.value(env, world, e)?)
    }

    pub(super) fn bytes(&self, env: &Env, world: &mut World, e: &Expr) -> Option<u64> {
        u64::try_from(self.integer(env, world, e)?).ok()
    }

    pub(super) fn shape(&self, env: &Env, world: &mut World, e: &Expr) -> [Dimension; 3] {
        let mut axes = self.axes(env, world, e);
        let first = match written_axes(e) {
            Some(list) => list.first().copied(),
            None => Some(e),
        };
        if let (Dimension::Unknown(text), Some(first)) = (&axes[0], first)
            && self
                .bound(env, world, first, MAX_DEPTH)
                .is_some_and(|most| most < WARP as i64)
        {
            axes[0] = Dimension::Uneven(text.clone());
        }
        axes
    }

    /// A number that an expression of unknown value is not above, as it is written: `n % 16 + 1`, `min(n, 24)`.
    fn bound(&self, env: &Env, world: &mut World, e: &Expr, depth: u32) -> Option<i64> {
        let depth = depth.checked_sub(1)?;
        if let Some(known) = self.value(env, world, e) {
            return as_integer(&known);
        }
        let mut of = |e: &Expr| self.bound(env, world, e, depth);
        match &e.kind {
            ExprKind::Binary(BinaryOp::Rem, _, by) => of(by).map(|by| by.abs() - 1),
            ExprKind::Binary(BinaryOp::And, a, b) => {
                let known = [of(a), of(b)].into_iter().flatten();
                known.filter(|bits| *bits >= 0).min()
            }
            ExprKind::Binary(BinaryOp::Add, a, b) => of(a)?.checked_add(of(b)?),
            ExprKind::Binary(BinaryOp::Shl, a, by) => {
                of(a)?.checked_shl(u32::try_from(of(by)?).ok()?)
            }
            ExprKind::Conditional(_, a, b) => Some(of(a)?.max(of(b)?)),
            ExprKind::Cast { value, .. } => of(value),
            ExprKind::Path(path) => most_of(world, path.as_name()?),
            ExprKind::Call { callee, arguments } => {
                let ExprKind::Path(path) = &callee.kind else {
                    return None;
                };
                let name = path.segments.last().map_or("", |last| &*last.name);
                let mut known = arguments.iter().filter_map(of);
                match name {
                    "min" | "MIN" | "Min" => known.min(),
                    "dim3" => known.next(),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn axes(&self, env: &Env, world: &mut World, e: &Expr) -> [Dimension; 3] {
        let value = self.value(env, world, e);
        // What is written in place names the parts that are not known.
        let list = written_axes(e).unwrap_or_default();
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

fn as_integer(value: &Value) -> Option<i64> {
    value.convert(Scalar::I64)?.as_int()
}

/// The parts of a shape that is written in place: `dim3(a, b)`, `{a, b}`.
fn written_axes(e: &Expr) -> Option<Vec<&Expr>> {
    match &e.kind {
        ExprKind::Construct { arguments, .. } | ExprKind::Call { arguments, .. } => {
            Some(arguments.iter().collect())
        }
        ExprKind::List(items) => Some(items.iter().map(|(_, e)| e).collect()),
        _ => None,
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
