//! How variables go through the iterations of a loop.
//!
//! Given a studied body, gives how often it runs, what each variable is when an iteration begins, and
//! what it is afterwards: a line, a table of what constants run through, a start that is halved or
//! doubled, or something unknown. Knows nothing of statements.

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
    is_complete: bool,
}

impl Walker<'_> {
    /// What an iteration adds to a variable, where that is the same in every iteration.
    fn step_of(&mut self, carried: &Carried, study: &Study) -> Option<TermId> {
        let symbol = carried.symbol?;
        let end = match (carried.start.as_ref()?, carried.end.as_ref()?) {
            (Value::Int(_), Value::Int(end)) => *end,
            (Value::Pointer(start), Value::Pointer(end)) if start.base == end.base => end.offset,
            _ => return None,
        };
        let step = self.difference(end, symbol)?;
        let mut symbols = Vec::new();
        self.terms.symbols_of(step, &mut symbols);
        let own: Vec<SymbolId> = study.carried.iter().filter_map(|c| c.symbol).collect();
        let invariant = symbols
            .iter()
            .all(|s| (s.0 as usize) < study.first_symbol && !own.contains(s));
        invariant.then_some(step)
    }

    /// `term - symbol`, where that is visible in the term's shape.
    fn difference(&mut self, term: TermId, symbol: SymbolId) -> Option<TermId> {
        self.difference_in(term, symbol, &mut FxHashMap::default())
    }

    /// The same; terms share parts, so `known` has what was found for selections.
    fn difference_in(
        &mut self,
        term: TermId,
        symbol: SymbolId,
        known: &mut FxHashMap<TermId, Option<TermId>>,
    ) -> Option<TermId> {
        match *self.terms.term(term) {
            Term::Symbol(found) if found == symbol => Some(self.terms.int(0)),
            Term::Binary(Op::Add, a, b) => {
                if self.terms.mentions(a, &[symbol]) {
                    if self.terms.mentions(b, &[symbol]) {
                        return None;
                    }
                    let rest = self.difference_in(a, symbol, known)?;
                    Some(self.terms.add(rest, b))
                } else {
                    let rest = self.difference_in(b, symbol, known)?;
                    Some(self.terms.add(a, rest))
                }
            }
            Term::Binary(Op::Sub, a, b) if !self.terms.mentions(b, &[symbol]) => {
                let rest = self.difference_in(a, symbol, known)?;
                Some(self.terms.sub(rest, b))
            }
            Term::Wrap(_, a) => self.difference_in(a, symbol, known),
            Term::Select(condition, a, b) if !self.terms.mentions(condition, &[symbol]) => {
                if let Some(found) = known.get(&term) {
                    return *found;
                }
                let x = self.difference_in(a, symbol, known);
                let y = self.difference_in(b, symbol, known);
                let found = x.zip(y).map(|(x, y)| self.terms.select(condition, x, y));
                known.insert(term, found);
                found
            }
            _ => None,
        }
    }

    /// Runs the loop on constants where that is possible: the trip count where it is known, and
    /// for variables that follow no line the values they run through.
    pub(super) fn concrete_run(
        &mut self,
        body: &Loop,
        study: &Study,
    ) -> (Option<i64>, FxHashMap<VarId, Table>) {
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
        let mut trip = None;
        let mut period = None;
        for iteration in 0..=MAX_TABLE {
            let goes_on = self.decide(study.condition, &state);
            if body.pretest && goes_on == Some(false) {
                trip = Some(iteration as i64);
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
            for (symbol, (_, _, end)) in &concrete {
                let lookup = |s: SymbolId| state.get(&s).copied();
                if let Some(value) = compiled::value(&self.terms, *end, lookup)
                    && value.abs() < i64::from(u32::MAX)
                {
                    next.insert(*symbol, value);
                }
            }
            if !body.pretest && goes_on == Some(false) {
                trip = Some(iteration as i64 + 1);
                state = next;
                break;
            }
            if next.len() < state.len() {
                // A value passed its range: the program never gets here.
                break;
            }
            state = next;
        }
        let trip = trip.or_else(|| self.linear_trip(body, study));
        let mut tables = FxHashMap::default();
        for (symbol, (variable, _, _)) in &concrete {
            let Some(list) = values.remove(variable) else {
                continue;
            };
            let last = state.get(symbol).copied();
            tables.insert(
                *variable,
                Table {
                    values: list,
                    period,
                    last,
                    is_complete: trip.is_some(),
                },
            );
        }
        (trip, tables)
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
        let step = self.terms.constant(step)?;
        let goes_on = |k: i64| {
            let value = start.checked_add(k.checked_mul(step)?)?;
            let holds = compiled::value(&self.terms, study.condition, |_| Some(value));
            holds.map(|holds| holds != 0)
        };
        // An ordering comparison with a line holds up to one point and not after it.
        if !matches!(
            self.terms.term(study.condition),
            Term::Binary(Op::Lt | Op::Le, ..)
        ) {
            return None;
        }
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
        Some(if body.pretest { low } else { low + 1 })
    }

    /// An upper bound on the last iteration's number from the interval of a bound.
    pub(super) fn trip_bound(&mut self, study: &Study) -> Option<i64> {
        let (Op::Lt | Op::Le, left, right) = (match *self.terms.term(study.condition) {
            Term::Binary(op, a, b) => (op, a, b),
            _ => return None,
        }) else {
            return None;
        };
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
            let (step, _) = self.terms.interval(step);
            if step <= 0
                || !self.terms.mentions(left, &[symbol])
                || self.terms.mentions(right, &[symbol])
            {
                continue;
            }
            let Some(rest) = self.difference(left, symbol) else {
                continue;
            };
            let own: Vec<SymbolId> = study.carried.iter().filter_map(|c| c.symbol).collect();
            if self.terms.mentions(rest, &own) || self.terms.mentions(right, &own) {
                continue;
            }
            let (rest, _) = self.terms.interval(rest);
            let (start, _) = self.terms.interval(start);
            let (_, bound) = self.terms.interval(right);
            if bound >= i64::from(i32::MAX) || start <= -LIMIT / 2 || rest <= -LIMIT / 2 {
                continue;
            }
            return Some(((bound - start - rest) / step).max(0));
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
        let start = carried.start.clone()?;
        if let Some(step) = self.step_of(carried, study) {
            if self.terms.constant(step) == Some(0) {
                return Some(start);
            }
            let moved = self.terms.mul(step, counter);
            return Some(self.moved(start, moved));
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
            if !table.is_complete && table.values.len() < MAX_TABLE {
                // It ran out of its type's range: these are all the values it can have.
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
        let (start, end) = (*start, *end);
        let (op, factor) = match *self.terms.term(end) {
            Term::Binary(op @ (Op::Mul | Op::Div), a, b) => {
                let is_own = matches!(*self.terms.term(a), Term::Symbol(s) if s == symbol);
                let factor = self.terms.constant(b)?;
                if !is_own || factor < 2 {
                    return None;
                }
                (op, factor)
            }
            // An arithmetic shift of a value that is not negative.
            Term::Binary(Op::Shr, a, b) => {
                let is_own = matches!(*self.terms.term(a), Term::Symbol(s) if s == symbol);
                let by = self.terms.constant(b)?;
                if !is_own || !(1..16).contains(&by) {
                    return None;
                }
                (Op::Div, 1 << by)
            }
            _ => return None,
        };
        let (low, high) = self.terms.interval(start);
        if low < 0 || high > i64::from(i32::MAX) {
            return None;
        }
        let mut powers = Vec::new();
        let mut power: i64 = 1;
        while power <= high.max(1) && powers.len() < 32 {
            powers.push(power);
            power = power.checked_mul(factor)?;
        }
        let (_, last) = self.terms.interval(counter);
        let index = if usize::try_from(last).is_ok_and(|last| last < powers.len()) {
            counter
        } else {
            let end = Domain::range(0, powers.len() as i64 - 1);
            self.terms.new_symbol("iteration", Sharing::Uniform, end)
        };
        let power = self.terms.table(index, powers);
        Some(Value::Int(self.terms.binary(op, start, power)))
    }

    fn unknown_carried(&mut self, carried: &Carried, study: &Study, after: bool) -> Value {
        let name: std::sync::Arc<str> = self.kernel.variables[carried.variable.index()]
            .name
            .as_str()
            .into();
        let mut variation = match (&carried.start, &carried.end) {
            (Some(start), Some(end)) => start
                .variation(&self.terms)
                .join(&end.variation(&self.terms)),
            (None, Some(end)) => end.variation(&self.terms),
            _ => Variation::Uniform,
        };
        if carried.varying && variation == Variation::Uniform {
            variation =
                Variation::Varying(format!("`{name}`, which a loop changes per lane").into());
        }
        if after && study.leaves_at_different_times(&self.terms) && variation == Variation::Uniform
        {
            variation = Variation::Varying(
                format!("`{name}` after a loop that lanes leave at different times").into(),
            );
        }
        let ty = self.is_scalar(carried.variable).unwrap_or(Scalar::I32);
        match (&carried.start, &carried.end) {
            (Some(Value::Pointer(start)), Some(Value::Pointer(end))) if start.base == end.base => {
                let sharing = variation.sharing();
                let element = self
                    .terms
                    .new_symbol(name, sharing, Domain::range(0, 1 << 40));
                let unit = self.terms.int(4);
                let offset = self.terms.mul(element, unit);
                Value::Pointer(Pointer {
                    base: start.base.clone(),
                    offset,
                })
            }
            (Some(Value::Pointer(_)), _) => {
                let offset = self.terms.int(0);
                let base = match variation {
                    Variation::Varying(reason) => Base::Varying(reason),
                    Variation::Uniform => self.allocation(name),
                };
                Value::Pointer(Pointer { base, offset })
            }
            _ => self.unknown(ty, variation, name),
        }
    }

    /// A carried variable's value after the loop.
    pub(super) fn final_value(
        &mut self,
        carried: &Carried,
        study: &Study,
        trip: Option<i64>,
        tables: &FxHashMap<VarId, Table>,
    ) -> Option<Value> {
        let start = match carried.start.clone() {
            Some(start) => start,
            None => {
                return carried
                    .end
                    .as_ref()
                    .map(|_| self.unknown_carried(carried, study, true));
            }
        };
        let step = self.step_of(carried, study);
        if let Some(step) = step {
            if self.terms.constant(step) == Some(0) {
                return Some(start);
            }
            let count = match trip {
                Some(n) if !study.leaves_early => Some(self.terms.int(n)),
                _ if !study.leaves_at_different_times(&self.terms) => {
                    let name = "iterations done";
                    let high = trip.unwrap_or(i64::from(i32::MAX));
                    Some(
                        self.terms
                            .new_symbol(name, Sharing::Uniform, Domain::range(0, high)),
                    )
                }
                _ => None,
            };
            if let Some(count) = count {
                let moved = self.terms.mul(step, count);
                return Some(self.moved(start, moved));
            }
        } else if let Some(table) = tables.get(&carried.variable)
            && let Some(trip) = trip
            && !study.leaves_early
        {
            let at = match table.period {
                Some(period) => usize::try_from(trip).ok().map(|n| n % period),
                None => usize::try_from(trip).ok(),
            };
            let value = at.and_then(|at| table.values.get(at).copied()).or_else(|| {
                table
                    .last
                    .filter(|_| table.period.is_none() && trip as usize == table.values.len())
            });
            if let Some(value) = value {
                return Some(Value::Int(self.terms.int(value)));
            }
        }
        Some(self.unknown_carried(carried, study, true))
    }
}

impl Study {
    /// Whether lanes may have run different numbers of iterations.
    fn leaves_at_different_times(&self, terms: &Terms) -> bool {
        self.leaves_varying || terms.is_varying(self.condition)
    }
}
