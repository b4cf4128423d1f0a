//! Terms with parts of them replaced.
//!
//! Given what is to be replaced by what, gives terms anew, folded as they are made. Parts that
//! several terms share are made anew once. Knows nothing of why something is replaced.

use super::side_table::SideTable;
use super::{SymbolId, Term, TermId, Terms};

/// A replacement of some terms by others.
#[derive(Debug, Default)]
pub struct Substitution {
    /// Replaced terms, and terms that were built anew.
    done: SideTable,
    /// The least of the replaced terms: what has it as a part has a larger number.
    least: Option<TermId>,
    /// The symbols of each replaced term, as [`Terms::symbol_bits`] has them.
    bits: Vec<u64>,
}

impl Substitution {
    /// Of symbols by terms.
    #[must_use]
    pub fn of_symbols(terms: &mut Terms, by: impl IntoIterator<Item = (SymbolId, TermId)>) -> Self {
        let mut this = Self::default();
        for (symbol, new) in by {
            let old = terms.symbol_term(symbol);
            this.replace(terms, old, new);
        }
        this
    }

    /// Of terms by terms.
    #[must_use]
    pub fn of_terms(terms: &Terms, by: impl IntoIterator<Item = (TermId, TermId)>) -> Self {
        let mut this = Self::default();
        for (old, new) in by {
            this.replace(terms, old, new);
        }
        this
    }

    /// Replaces `old`, too, from now on: what was made anew before stays as it was made.
    /// A number stays what it is.
    pub fn replace(&mut self, terms: &Terms, old: TermId, new: TermId) {
        if terms.constant(old).is_some() {
            return;
        }
        self.done.insert(old, new.0);
        self.least = Some(self.least.map_or(old, |least| least.min(old)));
        let bits = terms.symbol_bits(old);
        if !self.bits.contains(&bits) {
            self.bits.push(bits);
        }
    }

    /// The term after the replacement.
    pub fn apply(&mut self, terms: &mut Terms, id: TermId) -> TermId {
        if !self.may_change(terms, id) {
            return id;
        }
        if let Some(done) = self.done.get(id) {
            return TermId(done);
        }
        let new = match terms.term(id).clone() {
            Term::Const(_) | Term::Symbol(_) => id,
            Term::Binary(op, a, b) => {
                let (a, b) = (self.apply(terms, a), self.apply(terms, b));
                terms.binary(op, a, b)
            }
            Term::Not(a) => {
                let a = self.apply(terms, a);
                terms.not(a)
            }
            Term::Select(c, a, b) => {
                let c = self.apply(terms, c);
                let (a, b) = (self.apply(terms, a), self.apply(terms, b));
                terms.select(c, a, b)
            }
            Term::Wrap(ty, a) => {
                let a = self.apply(terms, a);
                terms.wrap(ty, a)
            }
            Term::Table(index, values) => {
                let index = self.apply(terms, index);
                terms.table(index, values)
            }
        };
        self.done.insert(id, new.0);
        new
    }

    fn may_change(&self, terms: &Terms, id: TermId) -> bool {
        let has = terms.symbol_bits(id);
        self.least.is_some_and(|least| least <= id)
            && self.bits.iter().any(|needed| needed & !has == 0)
    }
}
