//! Unsigned words of 64 bits of which nothing is known.
//!
//! Their domain has no negative number, since a size or an index has its highest bit clear. Terms mean
//! what a word is modulo 2^64, so a key or a mark such as `~0ull` is below that domain. What the domain
//! decides of such a word is not decided.

use super::{Facts, LIMIT, Op, SymbolId, Term, TermId, Terms, binary_interval};
use rustc_hash::FxHashMap;

impl Terms {
    /// Whether it may be any word: what it means may lie below its domain.
    fn is_word(&self, symbol: SymbolId) -> bool {
        let domain = &self.symbol(symbol).domain;
        domain.values.is_none() && domain.low >= 0 && domain.high >= LIMIT
    }

    /// Whether a word that may be any occurs in it.
    #[must_use]
    pub fn has_word(&self, id: TermId) -> bool {
        let mut symbols = Vec::new();
        self.symbols_of(id, &mut symbols);
        symbols.iter().any(|symbol| self.is_word(*symbol))
    }

    /// Whether a symbol of it may be beyond all bounds.
    #[must_use]
    pub fn is_open(&self, id: TermId) -> bool {
        let (low, high) = self.interval(id);
        if -LIMIT < low && high < LIMIT {
            return false;
        }
        let mut symbols = Vec::new();
        self.symbols_of(id, &mut symbols);
        symbols.iter().any(|symbol| {
            let domain = &self.symbol(*symbol).domain;
            domain.low <= -LIMIT || LIMIT <= domain.high
        })
    }

    /// Whether a comparison that is decided would not be if words were any.
    #[must_use]
    pub fn rests_on_words(&self, op: Op, a: TermId, b: TermId) -> bool {
        if a == b || !(self.has_word(a) || self.has_word(b)) || self.by_order(op, a, b).is_some() {
            return false;
        }
        let mut known: FxHashMap<TermId, Facts> = FxHashMap::default();
        for id in self.subterms([a, b].into_iter()) {
            let facts = match self.term(id) {
                Term::Symbol(symbol) if self.is_word(*symbol) => Facts {
                    low: -LIMIT,
                    ..self.facts[id.0 as usize]
                },
                // Parts come before what is made of them.
                term => self.derive_from(term, |part| {
                    let known = known.get(part).copied();
                    known.unwrap_or(self.facts[part.0 as usize])
                }),
            };
            known.insert(id, facts);
        }
        let bounds = |id: TermId| {
            let facts = known.get(&id).unwrap_or(&self.facts[id.0 as usize]);
            (facts.low, facts.high)
        };
        binary_interval(op, bounds(a), bounds(b)) == (0, 1)
    }
}
