//! What lanes give to each other, where the whole warp takes part and what they give depends on the lane
//! and on numbers that they share: a term.
//!
//! Says nothing of data, of masks that are not full, and of places that some lanes have left.

use super::side_effects::OtherEffectKind;
use super::value::{Value, Variation};
use super::walker::Walker;
use crate::gpu::WARP;
use crate::ir::{ExprId, Scalar, VarId, VariableKind};
use crate::source::Span;
use crate::term::compiled::Lanes;
use crate::term::substitution::Substitution;
use crate::term::{LaneDifference, Op, TermId};
use std::sync::Arc;

const LAST: i64 = WARP as i64 - 1;

impl Walker<'_> {
    /// Walks a vote, an exchange or an arrival of lanes.
    pub(super) fn collective(
        &mut self,
        target: Option<VarId>,
        op: &str,
        arguments: &[ExprId],
        ty: Scalar,
        span: Span,
    ) {
        if let (true, Some(mask)) = (op.ends_with("_sync"), arguments.first())
            && let Value::Int(mask) = self.eval(*mask)
        {
            self.note(OtherEffectKind::Exchange { span, mask });
        }
        if let Some(target) = target
            && let Some(value) = self.exchanged(op, arguments)
            && let VariableKind::Scalar(ty) = self.kernel.variables[target.index()].kind
            && ty.is_integer()
        {
            let value = self.cast(value, ty);
            self.assign(target, value);
            return;
        }
        let mut variation = Variation::Uniform;
        for argument in arguments {
            let value = self.eval(*argument);
            variation = variation.join(&value.variation(&self.terms));
        }
        // A vote or a broadcast from a fixed lane is one value for the warp.
        // Lanes that name different ones with their mask have different results.
        let is_of_all = !op.ends_with("_sync") || self.has_shared_mask(arguments);
        let is_uniform = variation == Variation::Uniform
            || op.starts_with("__activemask")
            || is_of_all
                && ["__ballot", "__any", "__all", "__reduce"]
                    .iter()
                    .any(|kind| op.starts_with(kind));
        let broadcast = (op == "__shfl_sync" || op == "__shfl") && self.is_broadcast(op, arguments);
        if let Some(target) = target {
            let name: Arc<str> = format!("the result of `{op}`").into();
            let variation = if is_uniform || broadcast {
                Variation::Uniform
            } else {
                Variation::Varying(LaneDifference::computed(name.clone()))
            };
            self.define(target, variation, name, ty);
        }
    }

    fn has_shared_mask(&mut self, arguments: &[ExprId]) -> bool {
        match arguments.first().map(|id| self.eval(*id)) {
            Some(Value::Int(mask)) => !self.terms.is_varying(mask),
            _ => false,
        }
    }

    /// Whether every lane reads the same source lane (second operand of the exchange): that is a number
    /// within parts of the warp, where the exchange has a width.
    fn is_broadcast(&mut self, op: &str, arguments: &[ExprId]) -> bool {
        let at = if op == "__shfl_sync" { 2 } else { 1 };
        let is_whole = match arguments.get(at + 1).map(|id| self.eval(*id)) {
            Some(Value::Int(width)) => self.terms.constant(width) == Some(32),
            Some(_) => false,
            None => true,
        };
        match arguments.get(at).map(|id| self.eval(*id)) {
            Some(Value::Int(term)) => is_whole && !self.terms.is_varying(term),
            _ => false,
        }
    }

    /// The result of an exchange.
    pub(super) fn exchanged(&mut self, op: &str, arguments: &[ExprId]) -> Option<Value> {
        let (name, given) = match op.strip_suffix("_sync") {
            Some(name) => {
                let Value::Int(mask) = self.eval(*arguments.first()?) else {
                    return None;
                };
                let is_full = matches!(self.terms.constant(mask)?, -1 | 0xffff_ffff);
                (name, arguments.get(1..).filter(|_| is_full)?)
            }
            None => (op, arguments),
        };
        if !self.is_whole_warp() {
            return None;
        }
        let mut terms = Vec::new();
        for argument in given {
            match self.eval(*argument) {
                Value::Int(term) if !self.terms.has_data(term) => terms.push(term),
                _ => return None,
            }
        }
        let result = match name {
            "__shfl" | "__shfl_up" | "__shfl_down" | "__shfl_xor" => self.shuffled(name, &terms)?,
            _ => {
                let [value] = terms[..] else { return None };
                self.tabulated(&[value], |lanes| vote(name, lanes.first()?))?
            }
        };
        Some(Value::Int(result))
    }

    /// Whether all lanes are at the present place, as far as its guards say.
    fn is_whole_warp(&self) -> bool {
        let parts = |guard: &super::walker::Guard| self.terms.is_varying(guard.condition);
        self.exits_of_unknown_lanes.is_empty() && !self.guards.iter().any(parts)
    }

    /// The value as the lane has it that each lane names.
    fn shuffled(&mut self, name: &str, terms: &[TermId]) -> Option<TermId> {
        let (value, by) = (*terms.first()?, *terms.get(1)?);
        let width = match terms.get(2) {
            Some(width) => self.terms.constant(*width)?,
            None => WARP as i64,
        };
        if !(1..=WARP as i64).contains(&width) || width & (width - 1) != 0 {
            return None;
        }
        let (low, high) = self.terms.interval(by);
        // Of other numbers the hardware takes some bits only.
        if name != "__shfl" && !(0 <= low && high <= LAST) {
            return None;
        }
        let lane_symbol = self.shape.lane;
        let lane = self.terms.symbol_term(lane_symbol);
        let (size, within) = (self.terms.int(width), self.terms.int(width - 1));
        let place = self.terms.binary(Op::Rem, lane, size);
        let first = self.terms.sub(lane, place);
        let source = match name {
            "__shfl" => {
                let place = self.terms.binary(Op::And, by, within);
                self.terms.add(first, place)
            }
            "__shfl_up" => {
                let from = self.terms.sub(lane, by);
                let is_there = self.terms.binary(Op::Le, first, from);
                self.terms.select(is_there, from, lane)
            }
            "__shfl_down" => {
                let (from, last) = (self.terms.add(lane, by), self.terms.add(first, within));
                let is_there = self.terms.binary(Op::Le, from, last);
                self.terms.select(is_there, from, lane)
            }
            _ => {
                let from = self.terms.binary(Op::Xor, lane, by);
                let last = self.terms.add(first, within);
                let is_there = self.terms.binary(Op::Le, from, last);
                self.terms.select(is_there, from, lane)
            }
        };
        // Each lane for itself has a number there: it is simpler to read.
        let source = self
            .tabulated(&[source], |lanes| {
                let mut numbers = [0; WARP];
                for (number, lane) in numbers.iter_mut().zip(lanes.first()?) {
                    *number = (*lane)?;
                }
                Some(numbers)
            })
            .filter(|_| self.terms.constant(by).is_none() || width < WARP as i64)
            .unwrap_or(source);
        let mut there = Substitution::of_symbols(&mut self.terms, [(lane_symbol, source)]);
        Some(there.apply(&mut self.terms, value))
    }
}

/// What a vote of the whole warp, or a sum over it, comes to.
fn vote(name: &str, lanes: &Lanes) -> Option<[i64; WARP]> {
    let values = lanes.iter().copied().collect::<Option<Vec<i64>>>()?;
    let bits = |holds: &dyn Fn(i64) -> bool| {
        let set = values
            .iter()
            .enumerate()
            .filter(|(_, value)| holds(**value));
        set.fold(0_i64, |all, (lane, _)| all | 1 << lane)
    };
    let word = |value: i64| i64::from(value as i32);
    let folded = |f: &dyn Fn(i64, i64) -> i64| values.iter().copied().reduce(f);
    Some(match name {
        "__ballot" => [bits(&|value| value != 0); WARP],
        "__any" => [i64::from(values.iter().any(|value| *value != 0)); WARP],
        "__all" => [i64::from(values.iter().all(|value| *value != 0)); WARP],
        "__match_any" => {
            let mut found = [0; WARP];
            for (one, value) in found.iter_mut().zip(&values) {
                *one = bits(&|other| other == *value);
            }
            found
        }
        "__reduce_add" => {
            let sum = folded(&|a, b| a.saturating_add(b))?;
            // At its own width, which the type does not tell here.
            (word(sum) == sum && sum >= 0).then_some([sum; WARP])?
        }
        "__reduce_min" => [folded(&i64::min)?; WARP],
        "__reduce_max" => [folded(&i64::max)?; WARP],
        "__reduce_and" => [folded(&|a, b| a & b)?; WARP],
        "__reduce_or" => [folded(&|a, b| a | b)?; WARP],
        "__reduce_xor" => [folded(&|a, b| a ^ b)?; WARP],
        _ => return None,
    })
}
