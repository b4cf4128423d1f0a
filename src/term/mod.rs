//! Hash-consed integer terms over symbols.
//!
//! Given operations as the IR has them, gives terms that mean mathematical
//! integers: `Add`, `Sub` and `Mul` do not wrap, because signed overflow is
//! undefined in C and an unsigned index that wraps is stated by a [`Op::Wrap`] node.
//! Every term knows an interval of its values and whether lanes of one warp may
//! differ in it. Knows nothing of memory, launches or costs.

mod arithmetic;
mod build;
pub mod compiled;
mod difference;
pub mod formula;
pub mod mention;
mod order;
pub mod render;
pub mod side_table;
pub mod substitution;
mod symbol;
mod word_symbols;

pub use crate::ir::Binary as Op;
pub(crate) use arithmetic::binary_interval;
pub use arithmetic::{fold, gcd};
pub use difference::{DifferenceKind, LaneDifference};
pub use symbol::{Counted, Domain, Sharing, Symbol, SymbolName, SymbolOrigin, iteration_of};

use crate::ir::Scalar;
use crate::term::side_table::SideTable;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::sync::Arc;

/// A term of one [`Terms`] arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u32);

/// A symbol of one [`Terms`] arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

/// Bound past which intervals are taken as unlimited.
pub const LIMIT: i64 = 1 << 60;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    Const(i64),
    Symbol(SymbolId),
    Binary(Op, TermId, TermId),
    /// 1 where the condition is 0.
    Not(TermId),
    Select(TermId, TermId, TermId),
    /// The value reduced to a type's range, for values that may lie outside it.
    Wrap(Scalar, TermId),
    /// `values[index]`, for an index that lies in range.
    Table(TermId, Arc<[i64]>),
}

impl Term {
    /// Its operands, from left to right.
    pub fn parts(&self) -> impl DoubleEndedIterator<Item = TermId> + use<> {
        let parts = match *self {
            Self::Const(_) | Self::Symbol(_) => [None; 3],
            Self::Not(a) | Self::Wrap(_, a) | Self::Table(a, _) => [Some(a), None, None],
            Self::Binary(_, a, b) => [Some(a), Some(b), None],
            Self::Select(c, a, b) => [Some(c), Some(a), Some(b)],
        };
        parts.into_iter().flatten()
    }
}

#[derive(Clone, Copy, Debug)]
struct Facts {
    low: i64,
    high: i64,
    /// Contains the lane or per-lane data.
    varying: bool,
    /// Contains per-lane data.
    data: bool,
    /// Contains only symbols whose bits are set.
    symbols: u64,
    /// Contains no symbol of this number or a higher one.
    symbols_below: u32,
}

/// The first symbols, which are of the launch, have a bit each: nearly all terms have some of them, and are
/// asked for others.
fn bit(symbol: SymbolId) -> u64 {
    const OWN: u32 = 24;
    1 << match symbol.0 {
        first @ 0..OWN => first,
        later => OWN + later % (u64::BITS - OWN),
    }
}

#[derive(Clone, Debug, Default)]
pub struct Terms {
    terms: Vec<Term>,
    facts: Vec<Facts>,
    /// Numbers by what they stand for.
    index: HashTable<TermId>,
    symbols: Vec<Symbol>,
    /// Of each pair the first is less than the second.
    orders: Vec<(SymbolId, SymbolId)>,
}

fn clamp(value: i128) -> i64 {
    value.clamp(i128::from(-LIMIT), i128::from(LIMIT)) as i64
}

impl Terms {
    #[must_use]
    pub fn term(&self, id: TermId) -> &Term {
        &self.terms[id.0 as usize]
    }

    #[must_use]
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0 as usize]
    }

    pub fn symbol_mut(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.symbols[id.0 as usize]
    }

    #[must_use]
    pub fn symbol_count(&self) -> usize {
        self.symbols.len()
    }

    /// Bounds of the value.
    #[must_use]
    pub fn interval(&self, id: TermId) -> (i64, i64) {
        let facts = self.facts[id.0 as usize];
        (facts.low, facts.high)
    }

    /// Whether lanes of one warp may differ in it.
    #[must_use]
    pub fn is_varying(&self, id: TermId) -> bool {
        self.facts[id.0 as usize].varying
    }

    /// Whether it depends on per-lane data.
    #[must_use]
    pub fn has_data(&self, id: TermId) -> bool {
        self.facts[id.0 as usize].data
    }

    /// Why the first per-lane data in the term differs from lane to lane; down one path, since terms
    /// share parts and this is asked of every value.
    #[must_use]
    pub fn data_reason(&self, mut id: TermId) -> Option<&LaneDifference> {
        while self.has_data(id) {
            let term = self.term(id);
            if let Term::Symbol(symbol) = term {
                return match &self.symbol(*symbol).sharing {
                    Sharing::Varying(reason) => Some(reason),
                    _ => None,
                };
            }
            id = term.parts().find(|part| self.has_data(*part))?;
        }
        None
    }

    /// Which symbols may occur in the term: only those whose bits are set. Terms that have a part
    /// have its bits.
    #[must_use]
    pub fn symbol_bits(&self, id: TermId) -> u64 {
        self.facts[id.0 as usize].symbols
    }

    /// The number of its newest symbol, plus one.
    #[must_use]
    pub fn symbols_below(&self, id: TermId) -> usize {
        self.facts[id.0 as usize].symbols_below as usize
    }

    #[must_use]
    pub fn constant(&self, id: TermId) -> Option<i64> {
        match self.term(id) {
            Term::Const(value) => Some(*value),
            _ => None,
        }
    }

    pub fn new_symbol(
        &mut self,
        name: impl Into<SymbolName>,
        sharing: Sharing,
        domain: Domain,
    ) -> TermId {
        if let Some(values) = &domain.values
            && values.len() == 1
        {
            return self.int(values[0]);
        }
        if domain.values.is_none() && domain.low == domain.high {
            return self.int(domain.low);
        }
        let id = SymbolId(self.symbols.len() as u32);
        let SymbolName { text, origin } = name.into();
        self.symbols.push(Symbol {
            name: text,
            sharing,
            domain,
            multiple_of: 1,
            origin,
            variable: None,
            counted: Counted::Other,
        });
        self.intern(Term::Symbol(id))
    }

    /// The number of an iteration, up to `last`, of the loop that `variable` counts.
    pub fn new_iteration(&mut self, variable: Option<&Arc<str>>, last: i64) -> TermId {
        let name = iteration_of(variable.map(|name| &**name));
        let domain = Domain::range(0, last);
        let term = self.new_symbol_of(SymbolOrigin::Iteration, name, Sharing::Uniform, domain);
        if let Term::Symbol(symbol) = *self.term(term) {
            self.symbol_mut(symbol).variable = variable.cloned();
        }
        term
    }

    /// As [`Terms::new_symbol`], with an origin.
    pub fn new_symbol_of(
        &mut self,
        origin: SymbolOrigin,
        name: impl Into<Arc<str>>,
        sharing: Sharing,
        domain: Domain,
    ) -> TermId {
        self.new_symbol(SymbolName::new(name, origin), sharing, domain)
    }

    pub fn int(&mut self, value: i64) -> TermId {
        self.intern(Term::Const(value))
    }

    /// Adds a term that is not there yet, with its hash.
    fn push(&mut self, term: Term, hash: u64, facts: Facts) -> TermId {
        let id = TermId(self.terms.len() as u32);
        self.terms.push(term);
        self.facts.push(facts);
        let hash_of = |id: &TermId| FxBuildHasher.hash_one(&self.terms[id.0 as usize]);
        self.index.insert_unique(hash, id, hash_of);
        id
    }

    fn intern(&mut self, term: Term) -> TermId {
        let hash = FxBuildHasher.hash_one(&term);
        let is_known = |id: &TermId| self.terms[id.0 as usize] == term;
        if let Some(id) = self.index.find(hash, is_known) {
            return *id;
        }
        let facts = self.derive(&term);
        if facts.low == facts.high
            && !matches!(term, Term::Const(_))
            && facts.low.abs() < LIMIT
            && !matches!(term, Term::Symbol(_))
        {
            return self.int(facts.low);
        }
        self.push(term, hash, facts)
    }

    fn derive(&self, term: &Term) -> Facts {
        self.derive_from(term, |id| self.facts[id.0 as usize])
    }

    /// What is known of a term by what is known of its parts.
    fn derive_from(&self, term: &Term, of: impl Fn(&TermId) -> Facts) -> Facts {
        let join = |parts: &[Facts], (low, high): (i64, i64)| Facts {
            low,
            high,
            varying: parts.iter().any(|p| p.varying),
            data: parts.iter().any(|p| p.data),
            symbols: parts.iter().fold(0, |all, part| all | part.symbols),
            symbols_below: parts.iter().map(|p| p.symbols_below).max().unwrap_or(0),
        };
        match term {
            Term::Const(value) => Facts {
                low: *value,
                high: *value,
                varying: false,
                data: false,
                symbols: 0,
                symbols_below: 0,
            },
            Term::Symbol(id) => {
                let symbol = self.symbol(*id);
                Facts {
                    low: symbol.domain.low,
                    high: symbol.domain.high,
                    varying: symbol.sharing != Sharing::Uniform,
                    data: matches!(symbol.sharing, Sharing::Varying(_)),
                    symbols: bit(*id),
                    symbols_below: id.0 + 1,
                }
            }
            Term::Binary(op, left, right) => {
                let (a, b) = (of(left), of(right));
                join(
                    &[a, b],
                    binary_interval(*op, (a.low, a.high), (b.low, b.high)),
                )
            }
            Term::Not(value) => {
                let v = of(value);
                let interval = match (v.low, v.high) {
                    (0, 0) => (1, 1),
                    (low, high) if low > 0 || high < 0 => (0, 0),
                    _ => (0, 1),
                };
                join(&[v], interval)
            }
            Term::Select(c, a, b) => {
                let interval = self.selected_interval(c, &of(a), b, &of);
                join(&[of(c), of(a), of(b)], interval)
            }
            Term::Wrap(ty, value) => {
                let domain = Domain::of_type(*ty);
                let v = of(value);
                let inside = v.low >= domain.low && v.high <= domain.high;
                join(
                    &[v],
                    if inside {
                        (v.low, v.high)
                    } else {
                        (domain.low, domain.high)
                    },
                )
            }
            Term::Table(index, values) => {
                let low = values.iter().copied().min().unwrap_or(0);
                let high = values.iter().copied().max().unwrap_or(0);
                join(&[of(index)], (low, high))
            }
        }
    }

    /// Bounds of a choice. Where a divisor below 0 is left to the other branch, a quotient has the sign of its
    /// dividend: so unsigned ones are written whose divisor may have its highest bit set.
    fn selected_interval(
        &self,
        condition: &TermId,
        a: &Facts,
        b: &TermId,
        of: &impl Fn(&TermId) -> Facts,
    ) -> (i64, i64) {
        let mut other = of(b);
        if let Term::Binary(Op::Lt, tested, bound) = self.term(*condition)
            && self.constant(*bound) == Some(0)
            && let Term::Binary(Op::Div, dividend, divisor) = self.term(*b)
            && divisor == tested
            && of(dividend).low >= 0
        {
            (other.low, other.high) = (0, of(dividend).high);
        }
        (a.low.min(other.low), a.high.max(other.high))
    }

    /// How many different parts the terms have; some number above `most` where there are more than that.
    #[must_use]
    pub fn part_count(&self, roots: impl IntoIterator<Item = TermId>, most: usize) -> usize {
        let mut seen = SideTable::default();
        let mut count = 0;
        let mut stack: Vec<TermId> = roots.into_iter().collect();
        while let Some(id) = stack.pop() {
            if seen.first_visit(id) {
                count += 1;
                if count > most {
                    break;
                }
                stack.extend(self.term(id).parts());
            }
        }
        count
    }

    /// The symbols of a term, in order of first appearance, added to `into`, which none is in twice.
    pub fn symbols_of(&self, id: TermId, into: &mut Vec<SymbolId>) {
        let before = into.len();
        self.each_part([id], |id| {
            if let Term::Symbol(symbol) = self.term(id)
                && !into[..before].contains(symbol)
            {
                into.push(*symbol);
            }
        });
    }

    /// The symbols of these terms, each once: those of the first in order of appearance, then those that
    /// the second has besides, and so on.
    #[must_use]
    pub fn symbols_in(&self, roots: impl IntoIterator<Item = TermId>) -> Vec<SymbolId> {
        let mut found = Vec::new();
        let mut seen = SideTable::default();
        for root in roots {
            self.each_unseen(root, &mut seen, |id| {
                if let Term::Symbol(symbol) = self.term(id) {
                    found.push(*symbol);
                }
            });
        }
        found
    }

    /// Hands over the terms and all of their parts, each once, left before right.
    fn each_part(&self, roots: impl IntoIterator<Item = TermId>, mut f: impl FnMut(TermId)) {
        let mut seen = SideTable::default();
        for root in roots {
            self.each_unseen(root, &mut seen, &mut f);
        }
    }

    /// The same for one term, but for what was seen before.
    fn each_unseen(&self, root: TermId, seen: &mut SideTable, mut f: impl FnMut(TermId)) {
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if seen.first_visit(id) {
                f(id);
                stack.extend(self.term(id).parts().rev());
            }
        }
    }

    /// Number of different terms.
    #[must_use]
    pub fn count(&self) -> usize {
        self.terms.len()
    }

    /// The terms with all of their parts, each once, parts before what is made of them.
    #[must_use]
    pub fn subterms(&self, roots: impl Iterator<Item = TermId>) -> Vec<TermId> {
        let mut found = Vec::new();
        self.each_part(roots, |id| found.push(id));
        found.sort_unstable();
        found
    }

    /// These terms, which are in order and have the parts of each, over these symbols, which are in
    /// order, too. Each gets its place among them for a number.
    #[must_use]
    pub fn only(&self, terms: &[TermId], symbols: &[SymbolId]) -> Self {
        let mut new_numbers = vec![TermId(0); self.terms.len()];
        let place = |one: &SymbolId| {
            let place = symbols.binary_search(one).ok()?;
            Some(SymbolId(place as u32))
        };
        let both = |(a, b): &(SymbolId, SymbolId)| place(a).zip(place(b));
        let mut only = Self {
            symbols: symbols
                .iter()
                .map(|symbol| self.symbol(*symbol).clone())
                .collect(),
            orders: self.orders.iter().filter_map(both).collect(),
            index: HashTable::with_capacity(terms.len()),
            ..Self::default()
        };
        for (at, old) in terms.iter().enumerate() {
            let of = |part: &TermId| new_numbers[part.0 as usize];
            let term = match self.term(*old) {
                Term::Const(value) => Term::Const(*value),
                Term::Symbol(symbol) => {
                    let place = symbols.binary_search(symbol).unwrap_or_default();
                    Term::Symbol(SymbolId(place as u32))
                }
                Term::Binary(op, a, b) => Term::Binary(*op, of(a), of(b)),
                Term::Not(a) => Term::Not(of(a)),
                Term::Select(c, a, b) => Term::Select(of(c), of(a), of(b)),
                Term::Wrap(ty, a) => Term::Wrap(*ty, of(a)),
                Term::Table(index, values) => Term::Table(of(index), values.clone()),
            };
            new_numbers[old.0 as usize] = TermId(at as u32);
            let facts = self.facts[old.0 as usize];
            let renamed = only.derive(&term);
            let facts = Facts {
                symbols: renamed.symbols,
                symbols_below: renamed.symbols_below,
                ..facts
            };
            let hash = FxBuildHasher.hash_one(&term);
            only.push(term, hash, facts);
        }
        only
    }

    /// Whether one of `symbols` may occur in the term, by what is known of it without looking at its parts.
    #[must_use]
    pub fn may_mention(&self, id: TermId, symbols: &[SymbolId]) -> bool {
        let facts = &self.facts[id.0 as usize];
        let mut symbols = symbols.iter();
        symbols.any(|symbol| facts.symbols & bit(*symbol) != 0 && symbol.0 < facts.symbols_below)
    }

    /// Whether any of `symbols` occurs in the term.
    #[must_use]
    pub fn mentions(&self, id: TermId, symbols: &[SymbolId]) -> bool {
        if !self.may_mention(id, symbols) {
            return false;
        }
        let mut seen = SideTable::default();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            if !seen.first_visit(id) {
                continue;
            }
            let term = self.term(id);
            match term {
                Term::Symbol(symbol) if symbols.contains(symbol) => return true,
                // Parts that may, one behind the other: most do not.
                _ => stack.extend(
                    term.parts()
                        .rev()
                        .filter(|part| self.may_mention(*part, symbols)),
                ),
            }
        }
        false
    }
}
