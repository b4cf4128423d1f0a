//! Facts that narrow symbols: assumptions of the user, and shared conditions on the way.
//!
//! Given conditions, gives for single symbols a range and a residue. A condition of
//! any other shape is left out, which is sound: it could only narrow further.

use crate::term::gcd;
use crate::term::{LIMIT, Op, SymbolId, Term, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bounds and residue of a symbol. Empty where `low > high`.
#[derive(Clone, Copy, Debug)]
pub struct Narrowed {
    pub low: i64,
    pub high: i64,
    /// `value % modulus == residue`.
    pub modulus: i64,
    pub residue: i64,
}

impl Narrowed {
    #[must_use]
    pub fn within(low: i64, high: i64) -> Self {
        Self {
            low,
            high,
            modulus: 1,
            residue: 0,
        }
    }

    /// Takes in another bound and residue.
    fn meet(&mut self, low: i64, high: i64, modulus: i64, residue: i64) {
        self.low = self.low.max(low);
        self.high = self.high.min(high);
        if modulus > 1 {
            let common = gcd(self.modulus, modulus);
            if (self.residue - residue).rem_euclid(common) != 0 {
                self.high = self.low - 1;
            } else if modulus % self.modulus == 0 {
                self.modulus = modulus;
                self.residue = residue.rem_euclid(modulus);
            }
        }
    }

    #[must_use]
    pub fn contains(&self, value: i64) -> bool {
        (self.low..=self.high).contains(&value)
            && (value - self.residue).rem_euclid(self.modulus) == 0
    }

    /// A value near this one; `None` where there is none.
    #[must_use]
    pub fn nearest(&self, value: i64) -> Option<i64> {
        if self.low > self.high {
            return None;
        }
        let value = value.clamp(self.low, self.high);
        let above = value + (self.residue - value).rem_euclid(self.modulus);
        let found = if above <= self.high {
            above
        } else {
            above - self.modulus
        };
        self.contains(found).then_some(found)
    }
}

/// Given conditions, gives the least and greatest value and the remainder of each symbol that one of them bounds alone.
#[must_use]
pub fn narrow(terms: &Terms, facts: &[TermId]) -> FxHashMap<SymbolId, Narrowed> {
    let mut known = FxHashMap::default();
    let mut seen = FxHashSet::default();
    for fact in facts {
        apply(terms, *fact, &mut seen, &mut known);
    }
    known
}

fn apply(
    terms: &Terms,
    fact: TermId,
    seen: &mut FxHashSet<TermId>,
    known: &mut FxHashMap<SymbolId, Narrowed>,
) {
    if !seen.insert(fact) {
        return;
    }
    let Term::Binary(op, a, b) = *terms.term(fact) else {
        return;
    };
    if op == Op::LogicalAnd {
        apply(terms, a, seen, known);
        apply(terms, b, seen, known);
        return;
    }
    let symbol = |id: TermId| match *terms.term(id) {
        Term::Symbol(symbol) => Some(symbol),
        _ => None,
    };
    let mut meet = |symbol: SymbolId, low: i64, high: i64, modulus: i64, residue: i64| {
        let domain = &terms.symbol(symbol).domain;
        let entry = known
            .entry(symbol)
            .or_insert(Narrowed::within(domain.low, domain.high));
        entry.meet(low, high, modulus, residue);
    };
    match (op, terms.constant(a), terms.constant(b)) {
        (Op::Lt, Some(value), None) => {
            if let Some(s) = symbol(b) {
                meet(s, value + 1, LIMIT, 1, 0);
            }
        }
        (Op::Le, Some(value), None) => {
            if let Some(s) = symbol(b) {
                meet(s, value, LIMIT, 1, 0);
            }
        }
        (Op::Lt, None, Some(value)) => {
            if let Some(s) = symbol(a) {
                meet(s, -LIMIT, value - 1, 1, 0);
            }
        }
        (Op::Le, None, Some(value)) => {
            if let Some(s) = symbol(a) {
                meet(s, -LIMIT, value, 1, 0);
            }
        }
        (Op::Eq, None, Some(value)) => {
            if let Some(s) = symbol(a) {
                meet(s, value, value, 1, 0);
            } else if let Term::Binary(Op::Rem, x, m) = *terms.term(a)
                && let (Some(s), Some(modulus)) = (symbol(x), terms.constant(m))
                && (2..=4096).contains(&modulus)
                && (0..modulus).contains(&value)
            {
                // A remainder of 0 says nothing of the sign; any other one says "not negative".
                meet(
                    s,
                    if value == 0 { -LIMIT } else { 0 },
                    LIMIT,
                    modulus,
                    value,
                );
            }
        }
        // Two terms: each bounds the other by its interval.
        (Op::Lt | Op::Le, None, None) => {
            let gap = i64::from(op == Op::Lt);
            if let Some(s) = symbol(b) {
                meet(s, terms.interval(a).0.saturating_add(gap), LIMIT, 1, 0);
            }
            if let Some(s) = symbol(a) {
                meet(s, -LIMIT, terms.interval(b).1.saturating_sub(gap), 1, 0);
            }
        }
        _ => {}
    }
}
