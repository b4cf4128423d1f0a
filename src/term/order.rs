//! Comparisons that are decided because one symbol is known to be less than another.
//!
//! `blockIdx.x < gridDim.x` holds for whatever the two are, so `blockIdx.x >= gridDim.x` and
//! `blockIdx.x * 4 == gridDim.x * 4 + 2` never do. Works on sums of symbols and of anything else that has
//! bounds; says nothing of products.

use super::{LIMIT, Op, SymbolId, Term, TermId, Terms};

/// Parts of a difference that are looked at; what is left beyond counts by its bounds.
const MOST_PARTS: usize = 24;

/// A sum: symbols with their factors, and the bounds of all else.
#[derive(Default)]
struct Sum {
    symbols: Vec<(SymbolId, i128)>,
    low: i128,
    high: i128,
    parts: usize,
}

impl Sum {
    fn add(&mut self, symbol: SymbolId, factor: i128) {
        match self.symbols.iter_mut().find(|(known, _)| *known == symbol) {
            Some((_, all)) => *all += factor,
            None => self.symbols.push((symbol, factor)),
        }
    }

    fn factor(&self, symbol: SymbolId) -> i128 {
        let mut all = self.symbols.iter();
        all.find(|(known, _)| *known == symbol)
            .map_or(0, |(_, factor)| *factor)
    }

    /// Adds `factor` times something of those bounds; `None` where it has none.
    fn bounded(&mut self, factor: i128, (low, high): (i64, i64)) -> Option<()> {
        if factor != 0 && (low <= -LIMIT || high >= LIMIT) {
            return None;
        }
        let ends = [factor * i128::from(low), factor * i128::from(high)];
        self.low += ends[0].min(ends[1]);
        self.high += ends[0].max(ends[1]);
        Some(())
    }
}

impl Terms {
    /// Lets `less < greater` hold from now on, for any values that the two have.
    pub fn state_order(&mut self, less: SymbolId, greater: SymbolId) {
        self.orders.push((less, greater));
    }

    /// The value of a comparison that the stated orders decide.
    pub(super) fn by_order(&self, op: Op, a: TermId, b: TermId) -> Option<bool> {
        if !matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le) {
            return None;
        }
        let there = self.symbol_bits(a) | self.symbol_bits(b);
        let is_there = |symbol: &SymbolId| there & super::bit(*symbol) != 0;
        let mut stated = self.orders.iter();
        if !stated.any(|(less, greater)| is_there(less) && is_there(greater)) {
            return None;
        }
        let (low, high) = self.difference(b, a)?;
        match op {
            Op::Lt if low > 0 => Some(true),
            Op::Lt if high <= 0 => Some(false),
            Op::Le if low >= 0 => Some(true),
            Op::Le if high < 0 => Some(false),
            Op::Eq | Op::Ne if low > 0 || high < 0 => Some(op == Op::Ne),
            _ => None,
        }
    }

    /// Bounds of `a - b`.
    fn difference(&self, a: TermId, b: TermId) -> Option<(i128, i128)> {
        let mut sum = Sum::default();
        self.sum_up(a, 1, &mut sum)?;
        self.sum_up(b, -1, &mut sum)?;
        let domain = |symbol: SymbolId| {
            let domain = &self.symbol(symbol).domain;
            (domain.low, domain.high)
        };
        for (less, greater) in &self.orders {
            let (x, y) = (sum.factor(*less), sum.factor(*greater));
            if x.signum() * y.signum() >= 0 {
                continue;
            }
            // So often the sum has `greater - less`, which is 1 at least.
            let often = y.signum() * x.abs().min(y.abs());
            sum.add(*less, often);
            sum.add(*greater, -often);
            let most = domain(*greater).1.checked_sub(domain(*less).0)?;
            sum.bounded(often, (1, most.max(1)))?;
        }
        for (symbol, factor) in std::mem::take(&mut sum.symbols) {
            sum.bounded(factor, domain(symbol))?;
        }
        Some((sum.low, sum.high))
    }

    /// Adds `factor` times a term.
    fn sum_up(&self, id: TermId, factor: i128, into: &mut Sum) -> Option<()> {
        into.parts += 1;
        if into.parts > MOST_PARTS || factor.abs() > i128::from(LIMIT) {
            return None;
        }
        match *self.term(id) {
            Term::Symbol(symbol) => into.add(symbol, factor),
            Term::Binary(Op::Add, a, b) => {
                self.sum_up(a, factor, into)?;
                self.sum_up(b, factor, into)?;
            }
            Term::Binary(Op::Sub, a, b) => {
                self.sum_up(a, factor, into)?;
                self.sum_up(b, -factor, into)?;
            }
            Term::Binary(Op::Mul, a, b) if let Some(by) = self.constant(b) => {
                self.sum_up(a, factor * i128::from(by), into)?;
            }
            _ => into.bounded(factor, self.interval(id))?,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Domain, Sharing};

    #[test]
    fn what_an_order_decides_is_a_number() {
        let mut terms = Terms::default();
        let mut new = |name: &str, high: i64| {
            terms.new_symbol(name, Sharing::Uniform, Domain::range(0, high))
        };
        let (warp, size, lane, n) = (
            new("warp", 31),
            new("size", 32),
            new("lane", 31),
            new("n", 9),
        );
        let symbol = |terms: &Terms, id| match *terms.term(id) {
            Term::Symbol(symbol) => symbol,
            _ => unreachable!("a symbol of many values is no constant"),
        };
        let (less, greater) = (symbol(&terms, warp), symbol(&terms, size));
        terms.state_order(less, greater);
        let by = terms.int(32);
        let (first, all) = (terms.mul(warp, by), terms.mul(size, by));
        let thread = terms.add(first, lane);
        let mut told = |op, a, b| {
            let found = terms.binary(op, a, b);
            terms.constant(found)
        };
        assert_eq!(told(Op::Lt, thread, all), Some(1));
        assert_eq!(told(Op::Le, all, thread), Some(0));
        assert_eq!(told(Op::Eq, warp, size), Some(0));
        assert_eq!(told(Op::Ne, size, warp), Some(1));
        // The last one may be reached, and nothing is known of another symbol.
        assert_eq!(told(Op::Lt, thread, first), None);
        assert_eq!(told(Op::Lt, warp, n), None);
        let one = terms.int(1);
        let last = terms.sub(size, one);
        let is_last = terms.binary(Op::Eq, warp, last);
        assert_eq!(terms.constant(is_last), None);
        let is_past = terms.binary(Op::Lt, last, warp);
        assert_eq!(terms.constant(is_past), Some(0));
    }
}
