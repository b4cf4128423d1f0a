//! Interior warps: whether guards let a whole warp through for some values of the symbols.
//!
//! Given guards and lanes, looks for values under which all of those lanes pass: a verdict that speaks
//! of an interior warp needs that there is one, and a witness one that it may show. Finds values or does not; never says that there are
//! none. Knows nothing of costs.

use super::narrow::{Narrowed, narrow};
use crate::term::compiled::{Evaluation, ValueSlot};
use crate::term::{SymbolId, TermId, Terms};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Parts of the evaluation, and guards, by their places.
type PartsAndGuards = (Rc<[usize]>, Rc<[usize]>);

/// Rounds in which each symbol is given its best value.
const ROUNDS: usize = 3;
/// Symbols for which values are looked for; of more nothing is found.
const MOST_SYMBOLS: usize = 512;
/// Values that are tried beside the ends of a domain.
const TRIED: [i64; 6] = [0, 1, 2, 31, 1024, 1 << 20];

/// Values of symbols, each once.
pub type Values = Vec<(SymbolId, i64)>;

/// Values under which all guards hold in all lanes of `mask`, if some are found.
#[must_use]
pub fn passage(terms: &Terms, guards: &[TermId], mask: u32) -> Option<Values> {
    Interior::new(terms, guards.to_vec(), mask, usize::MAX).passage(&[])
}

/// Guards made ready for many searches.
pub struct Interior<'t> {
    terms: &'t Terms,
    guards: Vec<Option<ValueSlot>>,
    mask: u32,
    symbols: Vec<Mentioned>,
    evaluation: Evaluation<'t>,
    /// The values of a search by the symbol's number, for those that guards mention.
    values: Vec<Option<i64>>,
    /// Parts of guards that may be evaluated still.
    budget: usize,
}

/// A symbol of the guards.
struct Mentioned {
    symbol: SymbolId,
    /// Parts of terms that it has a say in, once that was asked for.
    parts: Option<Rc<[usize]>>,
    /// Places of the guards that mention it.
    guards: Rc<[usize]>,
    /// What guards that speak of it alone leave of its values.
    narrowed: Narrowed,
}

impl<'t> Interior<'t> {
    /// `budget`: parts of guards that all searches together may evaluate; then nothing more is found.
    #[must_use]
    pub fn new(terms: &'t Terms, guards: Vec<TermId>, mask: u32, budget: usize) -> Self {
        let evaluation = Evaluation::new(terms, guards.iter().copied());
        let narrowed = narrow(terms, &guards);
        let mut mentioned: Vec<(SymbolId, Vec<usize>)> = Vec::new();
        let mut places = FxHashMap::default();
        for (at, guard) in guards.iter().enumerate() {
            for symbol in terms.symbols_in([*guard]) {
                let place = *places.entry(symbol).or_insert(mentioned.len());
                if place == mentioned.len() {
                    mentioned.push((symbol, Vec::new()));
                }
                mentioned[place].1.push(at);
            }
        }
        let numbers = mentioned.iter().map(|(symbol, _)| symbol.0 as usize + 1);
        let values = vec![None; numbers.max().unwrap_or(0)];
        let symbols = mentioned.into_iter().map(|(symbol, guards)| Mentioned {
            symbol,
            parts: None,
            guards: guards.into(),
            narrowed: narrowed.get(&symbol).copied().unwrap_or_else(|| {
                let domain = &terms.symbol(symbol).domain;
                Narrowed::within(domain.low, domain.high)
            }),
        });
        Self {
            terms,
            guards: guards
                .iter()
                .map(|guard| evaluation.place(*guard))
                .collect(),
            mask,
            symbols: symbols.collect(),
            evaluation,
            values,
            budget,
        }
    }

    /// Values under which all guards hold in all lanes, if some are found; some symbols have theirs already.
    pub fn passage(&mut self, taken: &[(SymbolId, i64)]) -> Option<Values> {
        // Conditions that contradict each other let nobody through.
        let is_empty = |one: &Mentioned| one.narrowed.low > one.narrowed.high;
        if self.symbols.len() > MOST_SYMBOLS || self.symbols.iter().any(is_empty) {
            return None;
        }
        // Values that programs have before ends of types, at which arithmetic wraps. Equal values may need all
        // symbols to start at 0.
        let starts = [(false, 1), (false, 0), (true, 1), (true, 0)];
        let mut starts = starts.into_iter();
        starts.find_map(|(has_ends, first)| self.climb(taken, first, has_ends))
    }

    /// Gives one symbol after the other its best value, each beginning at `first` or what is nearest to it.
    fn climb(&mut self, taken: &[(SymbolId, i64)], first: i64, has_ends: bool) -> Option<Values> {
        let is_taken = |symbol: SymbolId| taken.iter().any(|(known, _)| *known == symbol);
        let places = 0..self.symbols.len();
        let free: Vec<usize> = places
            .filter(|at| !is_taken(self.symbols[*at].symbol))
            .collect();
        let mut values: Values = free
            .iter()
            .map(|at| self.start(&self.symbols[*at], first))
            .collect();
        values.extend(taken);
        self.budget = self.budget.checked_sub(self.evaluation.len())?;
        self.values.fill(None);
        // The first value of a symbol counts.
        for (symbol, value) in values.iter().rev() {
            self.put(*symbol, *value);
        }
        self.evaluation
            .run(|symbol, _| self.values[symbol.0 as usize]);
        let mut passing: Vec<u32> = self.guards.iter().map(|guard| self.lanes(*guard)).collect();
        let mut best: u32 = passing.iter().sum();
        let every = self.mask.count_ones();
        let all = self.guards.len() as u32 * every;
        let mut is_free = vec![false; passing.len()];
        for at in &free {
            for guard in &*self.symbols[*at].guards {
                is_free[*guard] = true;
            }
        }
        if (0..passing.len()).any(|at| passing[at] < every && !is_free[at]) {
            return None;
        }
        for _ in 0..ROUNDS {
            let before = best;
            for (at, of) in free.iter().enumerate() {
                if best == all {
                    return Some(values);
                }
                let (parts, guards) = self.of_symbol(*of)?;
                let others = best - guards.iter().map(|guard| passing[*guard]).sum::<u32>();
                let (mut chosen, mut last) = (values[at].1, values[at].1);
                for value in self.tried(&self.symbols[*of], has_ends) {
                    if value == last {
                        continue;
                    }
                    self.budget = self.budget.checked_sub(parts.len())?;
                    (values[at].1, last) = (value, value);
                    // No other value lets more through.
                    if best == all {
                        continue;
                    }
                    self.evaluate(&parts, values[at]);
                    let own = guards.iter().map(|guard| self.lanes(self.guards[*guard]));
                    let found = others + own.sum::<u32>();
                    if found > best {
                        (best, chosen) = (found, value);
                    }
                }
                if chosen != last {
                    values[at].1 = chosen;
                    self.evaluate(&parts, values[at]);
                }
                for guard in &*guards {
                    passing[*guard] = self.lanes(self.guards[*guard]);
                }
            }
            if best == before {
                break;
            }
        }
        (best == all).then_some(values)
    }

    fn put(&mut self, symbol: SymbolId, value: i64) {
        if let Some(place) = self.values.get_mut(symbol.0 as usize) {
            *place = Some(value);
        }
    }

    /// Evaluates what a symbol has a say in for another value of it.
    fn evaluate(&mut self, parts: &[usize], (symbol, value): (SymbolId, i64)) {
        self.put(symbol, value);
        self.evaluation
            .run_again(parts, |symbol, _| self.values[symbol.0 as usize]);
    }

    /// The parts that a symbol has a say in, and the guards that mention it; `None` where the budget is spent.
    fn of_symbol(&mut self, at: usize) -> Option<PartsAndGuards> {
        if self.symbols[at].parts.is_none() {
            self.budget = self.budget.checked_sub(self.evaluation.len())?;
            let parts = self.evaluation.parts_of(self.symbols[at].symbol);
            self.symbols[at].parts = Some(parts.into());
        }
        let of = &self.symbols[at];
        Some((of.parts.clone()?, of.guards.clone()))
    }

    fn start(&self, of: &Mentioned, first: i64) -> (SymbolId, i64) {
        let domain = &self.terms.symbol(of.symbol).domain;
        let value = match &domain.values {
            Some(values) => values.first().copied(),
            None => of.narrowed.nearest(first),
        };
        (of.symbol, value.unwrap_or(domain.low))
    }

    /// The values that a symbol is given in turn, those at the ends of its domain among them or not.
    fn tried(&self, of: &Mentioned, has_ends: bool) -> Vec<i64> {
        match &self.terms.symbol(of.symbol).domain.values {
            Some(values) => values.to_vec(),
            None => {
                let Narrowed { low, high, .. } = of.narrowed;
                let least = TRIED.map(|value| low.saturating_add(value));
                let most = TRIED.map(|value| high.saturating_sub(value));
                let ends = least.into_iter().chain(most).filter(|_| has_ends);
                let all = TRIED.into_iter().chain(ends);
                all.filter(|value| of.narrowed.contains(*value)).collect()
            }
        }
    }

    /// How many of the lanes a guard lets through.
    fn lanes(&self, guard: Option<ValueSlot>) -> u32 {
        let (holds, defined) = self.evaluation.holds_at(guard);
        (holds & defined & self.mask).count_ones()
    }
}

/// The value that a symbol has among those, if one.
#[must_use]
pub fn value_of(values: &[(SymbolId, i64)], symbol: SymbolId) -> Option<i64> {
    let found = values.iter().find(|(known, _)| *known == symbol);
    found.map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Domain, Op, Sharing, Term};

    #[test]
    fn a_bound_lets_a_warp_through_and_a_triangle_none() {
        let mut terms = Terms::default();
        let lane = terms.new_symbol("lane", Sharing::Lane, Domain::range(0, 31));
        let mut symbol = |name: &str| {
            let domain = Domain::range(0, i64::from(i32::MAX));
            terms.new_symbol(name, Sharing::Uniform, domain)
        };
        let (block, bound) = (symbol("block"), symbol("n"));
        let size = terms.int(256);
        let first = terms.mul(block, size);
        let index = terms.add(first, lane);
        let guard = terms.binary(Op::Lt, index, bound);
        assert!(passage(&terms, &[guard], u32::MAX).is_some());
        // Lanes equal to one number.
        let only = terms.binary(Op::Eq, index, bound);
        assert!(passage(&terms, &[only], u32::MAX).is_none());
        assert!(passage(&terms, &[only], 1).is_some());
    }

    #[test]
    fn what_a_guard_says_of_one_symbol_is_where_the_search_begins() {
        let mut terms = Terms::default();
        let domain = Domain::range(i64::from(i32::MIN), i64::from(i32::MAX));
        let mode = terms.new_symbol("mode", Sharing::Uniform, domain);
        let Term::Symbol(symbol) = *terms.term(mode) else {
            panic!("a symbol")
        };
        let number = |terms: &mut Terms, value| terms.int(value);
        let (low, high) = (number(&mut terms, 77), number(&mut terms, 80));
        let (given, not) = (number(&mut terms, 4711), number(&mut terms, 78));
        let is = terms.binary(Op::Eq, mode, given);
        assert_eq!(passage(&terms, &[is], 1), Some(vec![(symbol, 4711)]));
        let above = terms.binary(Op::Lt, low, mode);
        let below = terms.binary(Op::Lt, mode, high);
        let other = terms.binary(Op::Ne, mode, not);
        let between = [above, below, other];
        assert_eq!(passage(&terms, &between, 1), Some(vec![(symbol, 79)]));
        assert!(passage(&terms, &[is, below], 1).is_none());
    }
}
