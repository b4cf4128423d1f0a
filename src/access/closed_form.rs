//! How variables go through the iterations of a loop.
//!
//! Given a studied body, gives how often it runs, what each variable is when an iteration begins, and
//! what it is afterwards: a line, a table of what constants run through, a start that is halved or
//! doubled, or something unknown. Knows nothing of statements, nor of lanes that leave on the way.

use super::loops::{Carried, Study};
use super::value::{Base, Pointer, Value, Variation};
use super::walker::Walker;
use crate::ir::{Loop, Scalar, VarId};
use crate::term::compiled;
use crate::term::substitution::Substitution;
use crate::term::{Domain, LIMIT, Op, Sharing, SymbolId, Term, TermId, Terms};
use rustc_hash::FxHashMap;

/// Iterations that are run concretely to find a table of values.
const MAX_TABLE: usize = 64;
/// Largest trip count that is told from "unlimited".
const MAX_TRIP: i64 = 1 << 40;

/// The values that a variable runs through.
pub(super) struct Table {
    values: Vec<i64>,
    /// After this many iterations they begin again.
    period: Option<usize>,
    /// The value that would come next.
    last: Option<i64>,
    /// The variable never has another value: the next one would overflow a signed type.
    is_all: bool,
}

/// How often a loop's body runs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trips {
    /// Just so often, unless lanes leave on the way.
    pub exact: Option<i64>,
    /// So often at most.
    pub most: Option<i64>,
}

/// What an iteration adds to a variable.
#[derive(Clone, Copy, Debug)]
struct Step {
    amount: TermId,
    /// The sum is reduced to this type in every iteration.
    wraps: Option<Scalar>,
}

impl Walker<'_> {
    /// What an iteration adds to a variable, where that is the same in every iteration.
    fn step_of(&mut self, carried: &Carried, study: &Study) -> Option<Step> {
        let symbol = carried.symbol?;
        let end = match (carried.start.as_ref()?, carried.end.as_ref()?) {
            (Value::Int(_), Value::Int(end)) => *end,
            (Value::Pointer(start), Value::Pointer(end))
                if start.base.is_same_object(&end.base) =>
            {
                end.offset
            }
            _ => return None,
        };
        let mut difference = Difference::of(symbol);
        let amount = difference.take(&mut self.terms, end)?;
        let mut symbols = Vec::new();
        self.terms.symbols_of(amount, &mut symbols);
        let own: Vec<SymbolId> = study.carried.iter().filter_map(|c| c.symbol).collect();
        let is_invariant = symbols
            .iter()
            .all(|s| (s.0 as usize) < study.first_symbol && !own.contains(s));
        if !is_invariant {
            return None;
        }
        // Sums that are reduced to a type and then to a narrower one agree with those that are
        // reduced to that one alone.
        let wraps = match difference.narrowest {
            None => None,
            Some(bits) => {
                let ty = self.scalar_type_of(carried.variable)?;
                let is_reduced = ty.is_integer() && ty != Scalar::Bool && ty.bits() <= bits;
                Some(is_reduced.then_some(ty)?)
            }
        };
        Some(Step { amount, wraps })
    }

    /// `start + count * step`, as the variable's type holds it.
    fn advanced(&mut self, start: Value, step: Step, count: TermId) -> Value {
        let by = self.terms.mul(step.amount, count);
        match (self.moved(start, by), step.wraps) {
            (Value::Int(sum), Some(ty)) => Value::Int(self.terms.wrap(ty, sum)),
            (sum, _) => sum,
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
        // The variables that constants alone decide.
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
                break;
            }
            for symbol in dropped {
                concrete.remove(&symbol);
            }
        }
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
            let mut next = FxHashMap::default();
            for (symbol, (variable, _, end)) in &concrete {
                let lookup = |s: SymbolId| state.get(&s).copied();
                let ty = self.scalar_type_of(*variable).unwrap_or(Scalar::I32);
                let Some(value) = compiled::value(&self.terms, *end, lookup) else {
                    continue;
                };
                if Domain::of_type(ty).contains(value) {
                    next.insert(*symbol, value);
                } else if ty.is_signed() {
                    // It overflows: no program gets here.
                    is_all = true;
                }
            }
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
            let Some(list) = values.remove(variable) else {
                continue;
            };
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

    /// An upper bound on the last iteration's number from the interval of a bound.
    pub(super) fn trip_bound(&mut self, body: &Loop, study: &Study) -> Option<i64> {
        let mut bound: Option<i64> = None;
        let mut parts = vec![study.condition];
        while let Some(part) = parts.pop() {
            let Term::Binary(op, a, b) = *self.terms.term(part) else {
                continue;
            };
            match op {
                Op::Both => parts.extend([a, b]),
                Op::Lt | Op::Le => {
                    if let Some(found) = self.bound_by(study, a, b) {
                        bound = Some(bound.map_or(found, |known| known.min(found)));
                    }
                }
                _ => {}
            }
        }
        // A test after the body lets one more iteration through.
        bound.map(|bound| bound + i64::from(!body.pretest))
    }

    /// In which iteration at most `left < right`, or `<=`, holds for the last time.
    fn bound_by(&mut self, study: &Study, left: TermId, right: TermId) -> Option<i64> {
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
            return Some(((bound - start - rest) / least).max(0));
        }
        None
    }

    /// A carried variable's value when iteration `counter` begins.
    pub(super) fn closed_form(
        &mut self,
        carried: &Carried,
        study: &Study,
        counter: TermId,
        tables: &FxHashMap<VarId, Table>,
    ) -> Option<Value> {
        let Some(start) = carried.start.clone() else {
            // From the second iteration on it has what the one before left.
            let is_set = carried.end.is_some();
            return is_set.then(|| self.unknown_carried(carried, study, false));
        };
        if let Some(step) = self.step_of(carried, study) {
            if self.terms.constant(step.amount) == Some(0) {
                return Some(start);
            }
            return Some(self.advanced(start, step, counter));
        }
        if let Some(table) = tables.get(&carried.variable) {
            let index = match table.period {
                Some(period) => {
                    let period = self.terms.int(period as i64);
                    self.terms.binary(Op::Rem, counter, period)
                }
                None => counter,
            };
            let (_, high) = self.terms.interval(index);
            if usize::try_from(high).is_ok_and(|high| high < table.values.len()) {
                return Some(Value::Int(self.terms.table(index, table.values.clone())));
            }
            if table.is_all {
                let name = self.kernel.variables[carried.variable.index()].name.clone();
                let mut values = table.values.clone();
                values.sort_unstable();
                values.dedup();
                return Some(Value::Int(self.terms.new_symbol(
                    name,
                    Sharing::Uniform,
                    Domain::of(values),
                )));
            }
        }
        if let Some(value) = self.geometric(carried, counter) {
            return Some(value);
        }
        Some(self.unknown_carried(carried, study, false))
    }

    /// A number that is larger by so much, or a pointer that is so many bytes further on.
    fn moved(&mut self, start: Value, by: TermId) -> Value {
        match start {
            Value::Int(start) => Value::Int(self.terms.add(start, by)),
            Value::Pointer(pointer) => Value::Pointer(Pointer {
                base: pointer.base,
                offset: self.terms.add(pointer.offset, by),
            }),
            other => other,
        }
    }

    /// A start that every iteration halves or doubles.
    fn geometric(&mut self, carried: &Carried, counter: TermId) -> Option<Value> {
        let symbol = carried.symbol?;
        let (Some(Value::Int(start)), Some(Value::Int(end))) = (&carried.start, &carried.end)
        else {
            return None;
        };
        let (start, mut end) = (*start, *end);
        let ty = self.scalar_type_of(carried.variable)?;
        let mut wraps = None;
        if let Term::Wrap(reduced, inner) = *self.terms.term(end) {
            if reduced != ty {
                return None;
            }
            (wraps, end) = (Some(ty), inner);
        }
        let Term::Binary(op, own, by) = *self.terms.term(end) else {
            return None;
        };
        let is_own = matches!(*self.terms.term(own), Term::Symbol(s) if s == symbol);
        let by = self.terms.constant(by)?;
        let (op, factor) = match op {
            Op::Mul | Op::Div if by >= 2 => (op, by),
            // An arithmetic shift of a value that is not negative.
            Op::Shr if (1..16).contains(&by) => (Op::Div, 1 << by),
            _ => return None,
        };
        let (low, high) = self.terms.interval(start);
        let (_, last) = self.terms.interval(counter);
        if !is_own || (op == Op::Div && (low < 0 || high >= LIMIT || wraps.is_some())) {
            return None;
        }
        let mut powers = Vec::new();
        let mut power: i64 = 1;
        // Past the end a quotient is 0, and a product overflows or, reduced to its type, is 0.
        let end = match (op, wraps) {
            (Op::Div, _) => high,
            (_, None) if ty.is_signed() => Domain::of_type(ty).high,
            (_, Some(ty)) if factor & (factor - 1) == 0 && ty.bits() <= 32 => (1 << ty.bits()) - 1,
            _ => i64::MAX,
        };
        let is_exhaustive = end < i64::MAX;
        while power <= end && i64::try_from(powers.len()).is_ok_and(|count| count <= last) {
            powers.push(power);
            power = match power.checked_mul(factor) {
                Some(power) => power,
                None if is_exhaustive => break,
                None => return None,
            };
        }
        if op == Op::Div || wraps.is_some() {
            powers.push(power);
        }
        let index = if usize::try_from(last).is_ok_and(|last| last < powers.len()) {
            counter
        } else if is_exhaustive {
            let end = Domain::range(0, powers.len() as i64 - 1);
            self.terms.new_symbol("iteration", Sharing::Uniform, end)
        } else {
            return None;
        };
        let power = self.terms.table(index, powers);
        let value = self.terms.binary(op, start, power);
        Some(Value::Int(match wraps {
            Some(ty) => self.terms.wrap(ty, value),
            None => value,
        }))
    }

    fn unknown_carried(&mut self, carried: &Carried, study: &Study, after: bool) -> Value {
        let variable = self.kernel.variables[carried.variable.index()]
            .name
            .as_str();
        let place = if after { "after" } else { "in" };
        let name: std::sync::Arc<str> = format!("{variable} {place} the loop").into();
        let mut variation = match (&carried.start, &carried.end) {
            (Some(start), Some(end)) => start
                .variation(&self.terms)
                .join(&end.variation(&self.terms)),
            (None, Some(end)) => end.variation(&self.terms),
            _ => Variation::Uniform,
        };
        if carried.varying && variation == Variation::Uniform {
            variation =
                Variation::Varying(format!("`{variable}`, which a loop changes per lane").into());
        }
        if after && study.parts_ways && variation == Variation::Uniform {
            variation = Variation::Varying(
                format!("`{variable}` after a loop that lanes leave at different times").into(),
            );
        }
        let ty = self.scalar_type_of(carried.variable).unwrap_or(Scalar::I32);
        match (&carried.start, &carried.end) {
            (Some(Value::Pointer(start)), Some(Value::Pointer(end))) if start.base == end.base => {
                let sharing = variation.sharing();
                let domain = Domain::range(-(1 << 40), 1 << 40);
                let offset = self.terms.new_symbol(name, sharing, domain);
                let parts = after && study.parts_ways;
                Value::Pointer(Pointer {
                    base: start.base.one_of_those(parts),
                    offset,
                })
            }
            (Some(Value::Pointer(_)), _) => {
                let offset = self.terms.int(0);
                let base = match variation {
                    Variation::Varying(reason) => Base::Varying(reason),
                    Variation::Uniform => Base::Unknown(name),
                };
                Value::Pointer(Pointer { base, offset })
            }
            _ => self.unknown(ty, variation, name),
        }
    }

    /// A carried variable's value where the condition ended the loop, after `count` iterations.
    pub(super) fn final_value(
        &mut self,
        carried: &Carried,
        study: &Study,
        count: TermId,
        tables: &FxHashMap<VarId, Table>,
    ) -> Option<Value> {
        let Some(start) = carried.start.clone() else {
            let is_set = carried.end.is_some();
            return is_set.then(|| self.unknown_carried(carried, study, true));
        };
        if let Some(step) = self.step_of(carried, study) {
            if self.terms.constant(step.amount) == Some(0) {
                return Some(start);
            }
            return Some(self.advanced(start, step, count));
        }
        if let Some(table) = tables.get(&carried.variable)
            && let Some(count) = self.terms.constant(count)
            && let Ok(count) = usize::try_from(count)
        {
            let value = match table.period {
                Some(period) => table.values.get(count % period).copied(),
                None if count == table.values.len() => table.last,
                None => table.values.get(count).copied(),
            };
            if let Some(value) = value {
                return Some(Value::Int(self.terms.int(value)));
            }
        }
        Some(self.unknown_carried(carried, study, true))
    }
}

/// `term - symbol`, where that is visible in the term's shape.
pub(super) struct Difference {
    symbol: SymbolId,
    /// Bits of the narrowest type that a sum on the way is reduced to.
    narrowest: Option<u32>,
    /// What was found for selections: terms share parts.
    known: FxHashMap<TermId, Option<TermId>>,
}

impl Difference {
    fn of(symbol: SymbolId) -> Self {
        Self {
            symbol,
            narrowest: None,
            known: FxHashMap::default(),
        }
    }

    fn take(&mut self, terms: &mut Terms, term: TermId) -> Option<TermId> {
        let symbol = self.symbol;
        match *terms.term(term) {
            Term::Symbol(found) if found == symbol => Some(terms.int(0)),
            Term::Binary(Op::Add, a, b) => {
                if terms.mentions(a, &[symbol]) {
                    if terms.mentions(b, &[symbol]) {
                        return None;
                    }
                    let rest = self.take(terms, a)?;
                    Some(terms.add(rest, b))
                } else {
                    let rest = self.take(terms, b)?;
                    Some(terms.add(a, rest))
                }
            }
            Term::Binary(Op::Sub, a, b) if !terms.mentions(b, &[symbol]) => {
                let rest = self.take(terms, a)?;
                Some(terms.sub(rest, b))
            }
            Term::Wrap(ty, a) => {
                let bits = ty.bits();
                self.narrowest = Some(self.narrowest.map_or(bits, |least| least.min(bits)));
                self.take(terms, a)
            }
            Term::Select(condition, a, b) if !terms.mentions(condition, &[symbol]) => {
                if let Some(found) = self.known.get(&term) {
                    return *found;
                }
                let x = self.take(terms, a);
                let y = self.take(terms, b);
                let found = x.zip(y).map(|(x, y)| terms.select(condition, x, y));
                self.known.insert(term, found);
                found
            }
            _ => None,
        }
    }
}

/// What to make of a value that is reduced to a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wraps {
    /// It follows no line.
    Stop,
    /// It does not leave the type: whoever uses the value in a proof says so.
    Through,
}

/// Bounds of a term; of one that is reduced to a type those of what it is, where that does not wrap.
fn bounds(terms: &Terms, term: TermId, wraps: Wraps) -> (i64, i64) {
    match *terms.term(term) {
        Term::Wrap(ty, inner) if wraps == Wraps::Through && ty.size() >= 4 => {
            let domain = Domain::of_type(ty);
            let (low, high) = bounds(terms, inner, wraps);
            (low.max(domain.low), high.min(domain.high))
        }
        Term::Binary(Op::Mul, a, b) => {
            let (a, b) = (bounds(terms, a, wraps), bounds(terms, b, wraps));
            if a.0 < 0 || b.0 < 0 {
                return terms.interval(term);
            }
            (a.0.saturating_mul(b.0), a.1.saturating_mul(b.1))
        }
        _ => terms.interval(term),
    }
}

/// What a term gains at least and at most where `symbol` gains 1, if it follows a line in it.
pub(super) fn slope(
    terms: &Terms,
    term: TermId,
    symbol: SymbolId,
    wraps: Wraps,
) -> Option<(i64, i64)> {
    if !terms.mentions(term, &[symbol]) {
        return Some((0, 0));
    }
    let of = |part: TermId| slope(terms, part, symbol, wraps);
    match *terms.term(term) {
        Term::Symbol(_) => Some((1, 1)),
        Term::Binary(Op::Add, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?))
        }
        Term::Binary(Op::Sub, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            Some((a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?))
        }
        Term::Binary(Op::Mul, a, b) => {
            let (line, factor) = if terms.mentions(a, &[symbol]) {
                (a, b)
            } else {
                (b, a)
            };
            if terms.mentions(factor, &[symbol]) {
                return None;
            }
            let (line, factor) = (of(line)?, bounds(terms, factor, wraps));
            let corners = [
                line.0.checked_mul(factor.0)?,
                line.0.checked_mul(factor.1)?,
                line.1.checked_mul(factor.0)?,
                line.1.checked_mul(factor.1)?,
            ];
            let least = corners.iter().copied().min()?;
            Some((least, corners.iter().copied().max()?))
        }
        Term::Wrap(ty, a) if wraps == Wraps::Through && ty.size() >= 4 => of(a),
        _ => None,
    }
}
