//! Trip counts: how often a loop runs.
//!
//! Given a studied body, gives the number of its iterations where it is known, a bound where there is
//! one, and for variables that constants decide the values they run through. Knows nothing of
//! statements, nor of lanes that leave on the way.

use super::closed_form::{Difference, Wraps, slope};
use super::loops::Study;
use super::value::Value;
use super::walker::Walker;
use crate::ir::{Loop, Scalar, VarId};
use crate::term::compiled::{self, Evaluation};
use crate::term::substitution::Substitution;
use crate::term::{Domain, LIMIT, Op, SymbolId, Term, TermId};
use rustc_hash::FxHashMap;

/// Iterations that are run concretely to find a table of values.
const MAX_TABLE: usize = 64;
/// Largest trip count that is told from "unlimited".
const MAX_TRIP: i64 = 1 << 40;

/// The values that a variable runs through.
pub(super) struct Table {
    pub values: Vec<i64>,
    /// After this many iterations they begin again.
    pub period: Option<usize>,
    /// The value that would come next.
    pub last: Option<i64>,
    /// The variable never has another value: the next one would overflow a signed type.
    pub is_all: bool,
}

/// Why a loop runs so often at most: the variable grows until its test fails.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub symbol: SymbolId,
    /// The last iteration in which the test may hold.
    pub last: i64,
    /// Least value of the variable in iteration 0.
    pub first: i64,
    /// Least increment of an iteration.
    pub least: i64,
}

impl Table {
    /// The value when an iteration begins, or behind the last one.
    pub fn at(&self, iteration: usize) -> Option<i64> {
        match self.period {
            Some(period) => self.values.get(iteration % period).copied(),
            None if iteration == self.values.len() => self.last,
            None => self.values.get(iteration).copied(),
        }
    }

    /// Iterations after which it is known what comes of them.
    pub fn steps(&self) -> usize {
        match self.period {
            Some(period) => period,
            None => (self.values.len() + usize::from(self.last.is_some())).saturating_sub(1),
        }
    }
}

/// How often a loop's body runs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trips {
    /// Just so often, unless lanes leave on the way.
    pub exact: Option<i64>,
    /// So often at most.
    pub most: Option<i64>,
}

impl Walker<'_> {
    /// Where a table has what holds after `count` iterations.
    pub(super) fn table_index(&mut self, table: &Table, count: TermId) -> TermId {
        match table.period {
            Some(period) => {
                let period = self.terms.int(period as i64);
                self.terms.binary(Op::Rem, count, period)
            }
            None => count,
        }
    }

    /// Runs the loop on constants where that is possible: how often it runs, and for variables that
    /// follow no line the values they run through. It runs just so often where the condition is
    /// decided in every iteration, and so often at most where it was open in an earlier one.
    pub(super) fn concrete_run(
        &mut self,
        body: &Loop,
        study: &Study,
    ) -> (Trips, FxHashMap<VarId, Table>) {
        let concrete = self.decided_by_constants(study);
        let mut values: FxHashMap<VarId, Vec<i64>> = FxHashMap::default();
        let mut state: FxHashMap<SymbolId, i64> = concrete
            .iter()
            .map(|(symbol, (_, start, _))| (*symbol, *start))
            .collect();
        let first = state.clone();
        let mut trips = Trips::default();
        let mut is_decided = true;
        let mut is_all = false;
        let mut is_stuck = false;
        let mut period = None;
        for iteration in 0..=MAX_TABLE {
            let goes_on = self.decide(study.condition, &state);
            let ends_after = |trips: &mut Trips, count: i64| {
                trips.most = Some(count);
                trips.exact = is_decided.then_some(count);
            };
            if body.pretest && goes_on == Some(false) {
                ends_after(&mut trips, iteration as i64);
                break;
            }
            if iteration > 0 && state == first {
                period = Some(iteration);
                break;
            }
            if iteration == MAX_TABLE {
                break;
            }
            for (symbol, (variable, _, _)) in &concrete {
                values.entry(*variable).or_default().push(state[symbol]);
            }
            let next = self.next_state(&concrete, &state, &mut is_all);
            if !body.pretest && goes_on == Some(false) {
                ends_after(&mut trips, iteration as i64 + 1);
                state = next;
                break;
            }
            is_decided &= goes_on.is_some();
            if next.len() < state.len() {
                is_stuck = true;
                break;
            }
            state = next;
        }
        if trips.most.is_none()
            && let Some(count) = self.linear_trip(body, study)
        {
            trips = Trips {
                exact: Some(count),
                most: Some(count),
            };
        }
        let mut tables = FxHashMap::default();
        for (symbol, (variable, _, _)) in &concrete {
            let list = values.remove(variable).unwrap_or_default();
            let last = state
                .get(symbol)
                .copied()
                .filter(|_| period.is_none() && !is_stuck);
            tables.insert(
                *variable,
                Table {
                    values: list,
                    period,
                    last,
                    is_all,
                },
            );
        }
        (trips, tables)
    }

    /// The variables that constants alone decide: by their symbols, with first value and next one.
    fn decided_by_constants(&self, study: &Study) -> FxHashMap<SymbolId, (VarId, i64, TermId)> {
        let mut concrete: FxHashMap<SymbolId, (VarId, i64, TermId)> = FxHashMap::default();
        for carried in &study.carried {
            if let (Some(symbol), Some(Value::Int(start)), Some(Value::Int(end))) =
                (carried.symbol, &carried.start, &carried.end)
                && let Some(start) = self.terms.constant(*start)
            {
                concrete.insert(symbol, (carried.variable, start, *end));
            }
        }
        loop {
            let mut dropped = Vec::new();
            for (symbol, (_, _, end)) in &concrete {
                let mut symbols = Vec::new();
                self.terms.symbols_of(*end, &mut symbols);
                if symbols.iter().any(|s| !concrete.contains_key(s)) {
                    dropped.push(*symbol);
                }
            }
            if dropped.is_empty() {
                return concrete;
            }
            for symbol in dropped {
                concrete.remove(&symbol);
            }
        }
    }

    /// The values after one more iteration, of those that have one. `is_all` is set where a signed one overflows.
    fn next_state(
        &self,
        concrete: &FxHashMap<SymbolId, (VarId, i64, TermId)>,
        state: &FxHashMap<SymbolId, i64>,
        is_all: &mut bool,
    ) -> FxHashMap<SymbolId, i64> {
        let mut next = FxHashMap::default();
        let ends = concrete.values().map(|(_, _, end)| *end);
        let mut evaluation = Evaluation::new(&self.terms, ends);
        evaluation.run(|symbol, _| state.get(&symbol).copied());
        for (symbol, (variable, _, end)) in concrete {
            let ty = self.scalar_type_of(*variable).unwrap_or(Scalar::I32);
            let Some(value) = evaluation.value(*end) else {
                continue;
            };
            if Domain::of_type(ty).contains(value) {
                next.insert(*symbol, value);
            } else if ty.is_signed() {
                // It overflows: no program gets here.
                *is_all = true;
            }
        }
        next
    }

    /// Whether the condition holds for concrete values of some symbols; `None` where that is open.
    fn decide(&mut self, condition: TermId, state: &FxHashMap<SymbolId, i64>) -> Option<bool> {
        if let Some(value) = self.terms.constant(condition) {
            return Some(value != 0);
        }
        let values: Vec<(SymbolId, TermId)> = state
            .iter()
            .map(|(symbol, value)| (*symbol, self.terms.int(*value)))
            .collect();
        let mut values = Substitution::of_symbols(&mut self.terms, values);
        let decided = values.apply(&mut self.terms, condition);
        self.terms.constant(decided).map(|value| value != 0)
    }

    /// The trip count of a long counted loop with constant bounds.
    fn linear_trip(&mut self, body: &Loop, study: &Study) -> Option<i64> {
        let mut symbols = Vec::new();
        self.terms.symbols_of(study.condition, &mut symbols);
        let [symbol] = symbols[..] else { return None };
        let carried = study.carried.iter().find(|c| c.symbol == Some(symbol))?;
        let Some(Value::Int(start)) = &carried.start else {
            return None;
        };
        let start = self.terms.constant(*start)?;
        let step = self.step_of(carried, study)?;
        let amount = self.terms.constant(step.amount)?;
        // The sides of an ordering draw near each other until it fails, and part from there on.
        let Term::Binary(Op::Lt | Op::Le, left, right) = *self.terms.term(study.condition) else {
            return None;
        };
        let (left, right) = (
            slope(&self.terms, left, symbol, Wraps::Stop)?,
            slope(&self.terms, right, symbol, Wraps::Stop)?,
        );
        let gains = [left.0.checked_sub(right.1)?, left.1.checked_sub(right.0)?];
        let grows = gains.map(|gain| gain.checked_mul(amount));
        if !grows.iter().all(|gain| gain.is_some_and(|gain| gain > 0)) {
            return None;
        }
        let goes_on = |k: i64| {
            let value = start.checked_add(k.checked_mul(amount)?)?;
            let holds = compiled::value(&self.terms, study.condition, |_| Some(value));
            holds.map(|holds| holds != 0)
        };
        let mut high = 1;
        while goes_on(high)? {
            high *= 2;
            if high > MAX_TRIP {
                return None;
            }
        }
        let mut low = 0;
        while low < high {
            let middle = (low + high) / 2;
            if goes_on(middle)? {
                low = middle + 1
            } else {
                high = middle
            }
        }
        // On the way the variable stays within its type.
        let ty = self.scalar_type_of(carried.variable)?;
        let last = start.checked_add(low.checked_mul(amount)?)?;
        let is_held = Domain::of_type(ty).contains(last);
        is_held.then_some(if body.pretest { low } else { low + 1 })
    }

    /// An upper bound on the last iteration's number from the interval of a bound, stated.
    pub(super) fn trip_bound(&mut self, body: &Loop, study: &Study) -> Option<i64> {
        let mut bound: Option<Bound> = None;
        let mut parts = vec![study.condition];
        while let Some(part) = parts.pop() {
            let Term::Binary(op, a, b) = *self.terms.term(part) else {
                continue;
            };
            match op {
                Op::LogicalAnd => parts.extend([a, b]),
                Op::Lt | Op::Le => {
                    if let Some(found) = self.bound_by(study, a, b) {
                        let is_less = |known: &Bound| known.last <= found.last;
                        bound = Some(bound.filter(is_less).unwrap_or(found));
                    }
                }
                _ => {}
            }
        }
        let bound = bound?;
        self.state_bound(body, study, bound);
        // A test after the body lets one more iteration through.
        Some(bound.last + i64::from(!body.pretest))
    }

    /// In which iteration at most `left < right`, or `<=`, holds for the last time.
    fn bound_by(&mut self, study: &Study, left: TermId, right: TermId) -> Option<Bound> {
        for carried in &study.carried {
            let Some(symbol) = carried.symbol else {
                continue;
            };
            let Some(Value::Int(start)) = carried.start else {
                continue;
            };
            let Some(step) = self.step_of(carried, study) else {
                continue;
            };
            let (least, most) = self.terms.interval(step.amount);
            if least <= 0
                || !self.terms.mentions(left, &[symbol])
                || self.terms.mentions(right, &[symbol])
            {
                continue;
            }
            let mut difference = Difference::of(symbol);
            let Some(rest) = difference.take(&mut self.terms, left) else {
                continue;
            };
            let own: Vec<SymbolId> = study.carried.iter().filter_map(|c| c.symbol).collect();
            if difference.narrowest.is_some()
                || self.terms.mentions(rest, &own)
                || self.terms.mentions(right, &own)
            {
                continue;
            }
            let (rest, _) = self.terms.interval(rest);
            let (start, _) = self.terms.interval(start);
            let (_, bound) = self.terms.interval(right);
            if bound >= i64::from(i32::MAX) || start <= -LIMIT / 2 || rest <= -LIMIT / 2 {
                continue;
            }
            // It must not come round before the test fails.
            if let Some(ty) = step.wraps
                && bound.saturating_sub(rest).saturating_add(most) > Domain::of_type(ty).high
            {
                continue;
            }
            return Some(Bound {
                symbol,
                last: ((bound - start - rest) / least).max(0),
                first: start,
                least,
            });
        }
        None
    }
}
