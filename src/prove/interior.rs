//! Whether guards let a whole warp through for some values of the symbols.
//!
//! Given guards and lanes, looks for values under which all of those lanes pass: a verdict that speaks
//! of an interior warp needs that there is one. Finds values or does not; never says that there are
//! none. Knows nothing of costs.

use crate::term::compiled::Evaluation;
use crate::term::{SymbolId, TermId, Terms};

/// Rounds in which each symbol is given its best value.
const ROUNDS: usize = 3;
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
    guards: Vec<TermId>,
    mask: u32,
    symbols: Vec<Mentioned>,
    evaluation: Evaluation<'t>,
    /// Parts of guards that may be evaluated still.
    budget: usize,
}

/// A symbol of the guards.
struct Mentioned {
    symbol: SymbolId,
    /// Parts of terms that it has a say in.
    parts: Vec<usize>,
    /// Places of the guards that mention it.
    guards: Vec<usize>,
}

impl<'t> Interior<'t> {
    /// `budget`: parts of guards that all searches together may evaluate; then nothing more is found.
    #[must_use]
    pub fn new(terms: &'t Terms, guards: Vec<TermId>, mask: u32, budget: usize) -> Self {
        let evaluation = Evaluation::new(terms, guards.iter().copied());
        let mut symbols: Vec<Mentioned> = Vec::new();
        let mut own = Vec::new();
        for (at, guard) in guards.iter().enumerate() {
            own.clear();
            terms.symbols_of(*guard, &mut own);
            for symbol in &own {
                match symbols.iter_mut().find(|known| known.symbol == *symbol) {
                    Some(known) => known.guards.push(at),
                    None => symbols.push(Mentioned {
                        symbol: *symbol,
                        parts: evaluation.parts_of(*symbol),
                        guards: vec![at],
                    }),
                }
            }
        }
        Self {
            terms,
            guards,
            mask,
            symbols,
            evaluation,
            budget,
        }
    }

    /// Values under which all guards hold in all lanes, if some are found; some symbols have theirs already.
    pub fn passage(&mut self, taken: &[(SymbolId, i64)]) -> Option<Values> {
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
            .map(|at| self.start(self.symbols[*at].symbol, first))
            .collect();
        values.extend(taken);
        self.budget = self.budget.checked_sub(self.evaluation.len())?;
        self.evaluation.run(|symbol, _| value_of(&values, symbol));
        let mut passing: Vec<u32> = self.guards.iter().map(|guard| self.lanes(*guard)).collect();
        let mut best: u32 = passing.iter().sum();
        let every = self.mask.count_ones();
        let all = self.guards.len() as u32 * every;
        let is_settled = |at: usize| !free.iter().any(|n| self.symbols[*n].guards.contains(&at));
        if (0..passing.len()).any(|at| passing[at] < every && is_settled(at)) {
            return None;
        }
        for _ in 0..ROUNDS {
            let before = best;
            for (at, of) in free.iter().enumerate() {
                if best == all {
                    return Some(values);
                }
                let of = &self.symbols[*of];
                let others = best - of.guards.iter().map(|guard| passing[*guard]).sum::<u32>();
                let (mut chosen, mut last) = (values[at].1, values[at].1);
                for value in self.tried(of.symbol, has_ends) {
                    if value == last {
                        continue;
                    }
                    self.budget = self.budget.checked_sub(of.parts.len())?;
                    (values[at].1, last) = (value, value);
                    self.evaluation
                        .run_again(&of.parts, |symbol, _| value_of(&values, symbol));
                    let own = of
                        .guards
                        .iter()
                        .map(|guard| self.lanes(self.guards[*guard]));
                    let found = others + own.sum::<u32>();
                    if found > best {
                        (best, chosen) = (found, value);
                    }
                }
                if chosen != last {
                    values[at].1 = chosen;
                    self.evaluation
                        .run_again(&of.parts, |symbol, _| value_of(&values, symbol));
                }
                for guard in &of.guards {
                    passing[*guard] = self.lanes(self.guards[*guard]);
                }
            }
            if best == before {
                break;
            }
        }
        (best == all).then_some(values)
    }

    fn start(&self, symbol: SymbolId, first: i64) -> (SymbolId, i64) {
        let domain = &self.terms.symbol(symbol).domain;
        let near = first.clamp(domain.low, domain.high);
        let value = domain.values.as_ref().and_then(|values| values.first());
        (symbol, value.copied().unwrap_or(near))
    }

    /// The values that a symbol is given in turn, those at the ends of its domain among them or not.
    fn tried(&self, symbol: SymbolId, has_ends: bool) -> Vec<i64> {
        let domain = &self.terms.symbol(symbol).domain;
        match &domain.values {
            Some(values) => values.to_vec(),
            None => {
                let low = TRIED.map(|value| domain.low.saturating_add(value));
                let high = TRIED.map(|value| domain.high.saturating_sub(value));
                let ends = low.into_iter().chain(high).filter(|_| has_ends);
                let all = TRIED.into_iter().chain(ends);
                all.filter(|value| domain.contains(*value)).collect()
            }
        }
    }

    /// How many of the lanes a guard lets through.
    fn lanes(&self, guard: TermId) -> u32 {
        let (holds, defined) = self.evaluation.holds(guard);
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
    use crate::term::{Domain, Op, Sharing};

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
}
