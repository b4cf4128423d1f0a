//! Whether terms mention some symbols, for many terms that share parts.
//!
//! Given symbols, answers for one term after the other. What a part came to is kept: a chain of sums
//! that is asked about at each of its links is looked at once, and not once for each link.

use super::{SymbolId, Term, TermId, Terms};
use rustc_hash::FxHashMap;

/// Some symbols, and what is known of terms that may mention them.
#[derive(Debug, Default)]
pub struct Mention {
    symbols: Vec<SymbolId>,
    known: FxHashMap<TermId, bool>,
}

impl Mention {
    #[must_use]
    pub fn of(symbols: Vec<SymbolId>) -> Self {
        Self {
            symbols,
            known: FxHashMap::default(),
        }
    }

    /// Whether any of the symbols occurs in the term, which is always one of the same arena.
    pub fn is_in(&mut self, terms: &Terms, root: TermId) -> bool {
        if !terms.may_mention(root, &self.symbols) {
            return false;
        }
        // Most terms are small, or known.
        if let Term::Symbol(symbol) = terms.term(root) {
            return self.symbols.contains(symbol);
        }
        if let Some(known) = self.known.get(&root) {
            return *known;
        }
        // Terms may be deep.
        let mut open = vec![root];
        while let Some(id) = open.last().copied() {
            if let Some(found) = self.settled(terms, id) {
                self.known.insert(id, found);
                open.pop();
                continue;
            }
            let is_open = |part: &TermId| {
                !self.known.contains_key(part) && terms.may_mention(*part, &self.symbols)
            };
            open.extend(terms.term(id).parts().find(is_open));
        }
        self.known.get(&root).copied().unwrap_or(false)
    }

    /// What a term comes to, as far as its parts say already.
    fn settled(&self, terms: &Terms, id: TermId) -> Option<bool> {
        if let Some(known) = self.known.get(&id) {
            return Some(*known);
        }
        let term = terms.term(id);
        if let Term::Symbol(symbol) = term {
            return Some(self.symbols.contains(symbol));
        }
        let mut all_known = true;
        for part in term.parts() {
            match self.known.get(&part) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => all_known &= !terms.may_mention(part, &self.symbols),
            }
        }
        all_known.then_some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Domain, Op, Sharing};

    /// A chain of `links` sums over a symbol, with every second number between them a symbol of its own.
    fn chain(terms: &mut Terms, links: u32) -> (TermId, Vec<TermId>) {
        let domain = || Domain::range(0, 1 << 20);
        let first = terms.new_symbol("first", Sharing::Uniform, domain());
        let mut all = vec![first];
        for _ in 0..links {
            let other = terms.new_symbol("other", Sharing::Uniform, domain());
            let last = all[all.len() - 1];
            all.push(terms.binary(Op::Mul, last, other));
        }
        (first, all)
    }

    #[test]
    fn each_part_is_looked_at_once() {
        let mut terms = Terms::default();
        let (first, links) = chain(&mut terms, 1000);
        let Term::Symbol(symbol) = *terms.term(first) else {
            panic!("a symbol")
        };
        let mut mention = Mention::of(vec![symbol]);
        for link in links.iter().rev() {
            assert!(mention.is_in(&terms, *link));
            assert!(terms.mentions(*link, &[symbol]));
        }
        // The links and the first symbol.
        assert!(mention.known.len() <= 1001);
    }

    #[test]
    fn what_is_older_than_a_symbol_does_not_mention_it() {
        let mut terms = Terms::default();
        let (_, links) = chain(&mut terms, 200);
        let late = terms.new_symbol("late", Sharing::Uniform, Domain::range(0, 9));
        let Term::Symbol(symbol) = *terms.term(late) else {
            panic!("a symbol")
        };
        let last = links[200];
        let mut mention = Mention::of(vec![symbol]);
        assert!(!mention.is_in(&terms, last) && mention.known.is_empty());
        let sum = terms.binary(Op::Mul, last, late);
        assert!(mention.is_in(&terms, sum) && terms.mentions(sum, &[symbol]));
        assert!(mention.known.len() <= 2);
    }
}
