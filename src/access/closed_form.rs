//! Closed forms of loop variables: `start + k * step`, tables, periods, halving and doubling.
//!
//! Given a studied body, gives what each variable is when an iteration begins, and what it is
//! afterwards: a line, a table of what constants run through, a start that is halved or doubled, or
//! something unknown. Each form is stated as a premise (`premises.rs`). Knows nothing of statements, nor
//! of lanes that leave on the way.

use super::loops::{Carried, Study};
use super::trips::Table;
use super::value::{Base, Pointer, Value, Variation};
use super::walker::Walker;
use crate::ir::{Scalar, VarId};
use crate::term::mention::Mention;
use crate::term::{Domain, LIMIT, LaneDifference, Op, Sharing, SymbolId, Term, TermId, Terms};
use rustc_hash::FxHashMap;

/// The increment of a variable in one iteration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub amount: TermId,
    /// The sum is reduced to this type in every iteration.
    pub wraps: Option<Scalar>,
}

impl Walker<'_> {
    /// The increment of a variable, if every iteration adds the same.
    pub(super) fn step_of(&mut self, carried: &Carried, study: &Study) -> Option<Step> {
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
        let own = || study.carried.iter().filter_map(|carried| carried.symbol);
        let is_old = |symbol: &SymbolId| (symbol.0 as usize) < study.first_symbol;
        let first = own().map(|symbol| symbol.0 as usize).min();
        let first = first.map_or(study.first_symbol, |first| first.min(study.first_symbol));
        let is_invariant = self.terms.symbols_below(amount) <= first || {
            let mut symbols = self.terms.symbols_in([amount]).into_iter();
            symbols.all(|symbol| is_old(&symbol) && !own().any(|one| one == symbol))
        };
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
    pub(super) fn advanced(&mut self, start: Value, step: Step, count: TermId) -> Value {
        if self.terms.constant(step.amount) == Some(0) {
            return start;
        }
        let by = self.terms.mul(step.amount, count);
        match (self.moved(start, by), step.wraps) {
            (Value::Int(sum), Some(ty)) => Value::Int(self.terms.wrap(ty, sum)),
            (sum, _) => sum,
        }
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
            let value = self.advanced(start, step, counter);
            self.state_line(carried, step, counter, &value);
            return Some(value);
        }
        if let Some(table) = tables.get(&carried.variable) {
            let index = self.table_index(table, counter);
            let (_, high) = self.terms.interval(index);
            if usize::try_from(high).is_ok_and(|high| high < table.values.len()) {
                let value = self.terms.table(index, table.values.clone());
                self.state_table(study, tables, carried, counter, value);
                return Some(Value::Int(value));
            }
            if table.is_all {
                let zero = self.terms.int(0);
                let first = self.terms.int(table.values.first().copied().unwrap_or(0));
                self.state_table(study, tables, carried, zero, first);
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
        if let Some(value) = self.stepped_bits(carried, study, counter, tables) {
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
            self.terms.new_iteration(None, powers.len() as i64 - 1)
        } else {
            return None;
        };
        let entries = powers.len();
        let mut at = |index: TermId| {
            let power = self.terms.table(index, powers.clone());
            let value = self.terms.binary(op, start, power);
            match wraps {
                Some(ty) => self.terms.wrap(ty, value),
                None => value,
            }
        };
        let general = at(self.iteration);
        let value = at(index);
        self.state_powers(carried, general, entries, index != counter, (index, value));
        Some(Value::Int(value))
    }

    fn unknown_carried(&mut self, carried: &Carried, study: &Study, after: bool) -> Value {
        let variable = &self.kernel.variables[carried.variable.index()].name;
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
            variation = Variation::Varying(LaneDifference::data(format!(
                "`{variable}`, which a loop changes per lane"
            )));
        }
        if after && study.parts_ways && variation == Variation::Uniform {
            variation = Variation::Varying(LaneDifference::computed(format!(
                "`{variable}` after a loop that lanes leave at different times"
            )));
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
                    Variation::Uniform => {
                        let reason =
                            format!("the loop moves `{variable}` from one object to another");
                        Base::Unknown(reason.into())
                    }
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
            let value = self.advanced(start, step, count);
            self.state_line(carried, step, count, &value);
            return Some(value);
        }
        if let Some(table) = tables.get(&carried.variable)
            && let Some(number) = self.terms.constant(count)
            && let Ok(number) = usize::try_from(number)
            && let Some(value) = table.at(number)
        {
            let value = self.terms.int(value);
            self.state_table(study, tables, carried, count, value);
            return Some(Value::Int(value));
        }
        if let Some(value) = self.stepped_bits(carried, study, count, tables) {
            return Some(value);
        }
        Some(self.unknown_carried(carried, study, true))
    }
}

/// `term - symbol`, where that is visible in the term's shape.
pub(super) struct Difference {
    symbol: SymbolId,
    mention: Mention,
    /// Bits of the narrowest type that a sum on the way is reduced to.
    pub narrowest: Option<u32>,
    /// Results for selections, kept because terms share parts.
    known: FxHashMap<TermId, Option<TermId>>,
}

impl Difference {
    pub fn of(symbol: SymbolId) -> Self {
        Self {
            symbol,
            mention: Mention::of(vec![symbol]),
            narrowest: None,
            known: FxHashMap::default(),
        }
    }

    pub fn take(&mut self, terms: &mut Terms, term: TermId) -> Option<TermId> {
        let symbol = self.symbol;
        match *terms.term(term) {
            Term::Symbol(found) if found == symbol => Some(terms.int(0)),
            Term::Binary(Op::Add, a, b) => {
                if self.mention.is_in(terms, a) {
                    if self.mention.is_in(terms, b) {
                        return None;
                    }
                    let rest = self.take(terms, a)?;
                    Some(terms.add(rest, b))
                } else {
                    let rest = self.take(terms, b)?;
                    Some(terms.add(a, rest))
                }
            }
            Term::Binary(Op::Sub, a, b) if !self.mention.is_in(terms, b) => {
                let rest = self.take(terms, a)?;
                Some(terms.sub(rest, b))
            }
            Term::Wrap(ty, a) => {
                let bits = ty.bits();
                self.narrowest = Some(self.narrowest.map_or(bits, |least| least.min(bits)));
                self.take(terms, a)
            }
            Term::Select(condition, a, b) if !self.mention.is_in(terms, condition) => {
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

/// How a value that is reduced to a type is treated.
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

/// Least and greatest slope of a term in `symbol`, if the term is linear in it.
pub(super) fn slope(
    terms: &Terms,
    term: TermId,
    symbol: SymbolId,
    wraps: Wraps,
) -> Option<(i64, i64)> {
    slope_in(terms, term, &mut Mention::of(vec![symbol]), wraps)
}

fn slope_in(
    terms: &Terms,
    term: TermId,
    mention: &mut Mention,
    wraps: Wraps,
) -> Option<(i64, i64)> {
    if !mention.is_in(terms, term) {
        return Some((0, 0));
    }
    let mut of = |part: TermId| slope_in(terms, part, mention, wraps);
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
            let (line, factor) = if mention.is_in(terms, a) {
                (a, b)
            } else {
                (b, a)
            };
            if mention.is_in(terms, factor) {
                return None;
            }
            let line = slope_in(terms, line, mention, wraps)?;
            let factor = bounds(terms, factor, wraps);
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
