//! Canonical form: two accesses that differ only in names share one proof.
//!
//! Given a visit of a walk, gives a [`Problem`] whose symbols are numbered in order
//! of appearance and named by their number, a key that is equal for equal problems,
//! and the names to put back. Knows nothing of how a problem is decided.

use super::explore::Problem;
use super::narrow::{self, Narrowed};
use crate::access::{Visit, Walk};
use crate::term::side_table::SideTable;
use crate::term::{
    Counted, DifferenceKind, Domain, LaneDifference, Sharing, SymbolId, SymbolOrigin, Term, TermId,
    Terms,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A problem with what is needed to speak of it in the user's names.
pub struct Canonical {
    pub problem: Problem,
    pub key: Vec<i64>,
    pub names: Names,
    /// The walk's symbol for each of the problem's.
    pub origins: Vec<SymbolId>,
    /// The facts contradict each other.
    pub contradiction: bool,
}

/// Stands before and behind the number of a symbol in a problem's texts: no name and no sentence holds it.
pub(super) const MARK: char = '\u{7f}';

/// A part of a problem's text.
enum Piece<'t> {
    Text(&'t str),
    /// The name of the symbol of this number.
    Symbol(usize),
    /// What the symbol of this number selects from a table.
    Selected(usize),
    /// Why the symbol differs from lane to lane that is the n-th to do so.
    Difference(usize),
}

/// What a symbol of this name in a problem selects from a table, for a problem's texts.
pub(super) fn selected_by(name: &str) -> String {
    match name.strip_prefix(MARK) {
        Some(rest) => format!("{MARK}#{rest}"),
        None => format!("table[{name}]"),
    }
}

fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    text.split(MARK).enumerate().map(|(at, part)| {
        let number = |text: &str| text.parse::<usize>().ok();
        let piece = match (part.strip_prefix('~'), part.strip_prefix('#')) {
            _ if at % 2 == 0 => None,
            (Some(rest), _) => number(rest).map(Piece::Difference),
            (_, Some(rest)) => number(rest).map(Piece::Selected),
            _ => number(part).map(Piece::Symbol),
        };
        piece.unwrap_or(Piece::Text(part))
    })
}

/// Names that replace the numbers in a problem's texts.
#[derive(Default)]
pub struct Names {
    /// Name of each symbol, in canonical order; `lane` is not among them.
    pub symbols: Vec<Arc<str>>,
    /// The variable that counts the iterations which a symbol numbers, and what the symbol's name is with it alone.
    counters: Vec<Option<Counter>>,
    /// Why a symbol differs from lane to lane, for those that do.
    reasons: Vec<Arc<str>>,
    /// The walk's symbol behind each symbol.
    pub origins: Vec<Origin>,
}

struct Counter {
    variable: Arc<str>,
    name: Arc<str>,
    counted: Counted,
}

/// A symbol of the walk that one of the problem stands for: `modulus * it + residue`.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub symbol: SymbolId,
    modulus: i64,
    residue: i64,
}

impl Origin {
    /// The walk's value where the problem's is this one.
    #[must_use]
    pub fn value(&self, of: i64) -> i64 {
        of.saturating_mul(self.modulus).saturating_add(self.residue)
    }

    /// The problem's value where the walk's is this one.
    #[must_use]
    pub fn count(&self, of: i64) -> i64 {
        (of - self.residue).div_euclid(self.modulus)
    }
}

struct Builder<'w> {
    from: &'w Terms,
    to: Terms,
    lane: SymbolId,
    from_lane: SymbolId,
    narrowed: FxHashMap<SymbolId, Narrowed>,
    memo: SideTable,
    symbols: Vec<SymbolId>,
    origins: Vec<SymbolId>,
    names: Names,
    key: Vec<i64>,
}

/// The canonical form of `visit`, which must have an offset.
#[must_use]
pub fn canonical(walk: &Walk, visit: &Visit, offset: TermId) -> Canonical {
    let narrowed = narrow::narrow(&walk.terms, &visit.facts);
    let contradiction = narrowed.values().any(|n| n.low > n.high);
    let mut to = Terms::default();
    let lane = to.new_symbol("lane", Sharing::Lane, Domain::range(0, 31));
    let Term::Symbol(lane) = *to.term(lane) else {
        unreachable!("a symbol of 32 values is no constant")
    };
    let mut builder = Builder {
        from: &walk.terms,
        to,
        lane,
        from_lane: walk.lane,
        narrowed,
        memo: SideTable::default(),
        symbols: Vec::new(),
        origins: Vec::new(),
        names: Names::default(),
        key: Vec::with_capacity(64),
    };
    let address = builder.term(offset);
    builder.key.push(i64::MIN);
    let guards: Vec<TermId> = visit
        .guards
        .iter()
        .map(|guard| builder.term(*guard))
        .collect();
    builder.key.push(i64::from(address.0));
    builder
        .key
        .extend(guards.iter().map(|guard| i64::from(guard.0)));
    let problem = Problem {
        terms: builder.to,
        lane,
        address,
        guards,
        space: visit.space,
        op: visit.op,
        width: visit.width,
        rows: visit.rows,
        atomic: visit.atomic,
        symbols: builder.symbols,
        narrowed: Vec::new(),
    };
    builder.key.extend(problem.kind());
    Canonical {
        problem,
        key: builder.key,
        names: builder.names,
        origins: builder.origins,
        contradiction,
    }
}

impl Names {
    /// The symbols of the walk that a text speaks of.
    pub fn origins_in<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Origin> + 't {
        pieces(text).filter_map(|piece| match piece {
            Piece::Symbol(number) | Piece::Selected(number) => self.origins.get(number).copied(),
            _ => None,
        })
    }

    /// The text in the user's words.
    #[must_use]
    pub fn put_into(&self, text: &str) -> String {
        self.put_into_by_counters(text, &|_| false)
    }

    /// As [`Names::put_into`]; a loop's iterations are called by the variable that counts them, where `is_plain`
    /// says so of it.
    #[must_use]
    pub fn put_into_by_counters(&self, text: &str, is_plain: &dyn Fn(&str) -> bool) -> String {
        let mut out = String::with_capacity(text.len() + 16);
        for piece in pieces(text) {
            let name = |number: usize| self.symbols.get(number).map(|name| &**name);
            let counter = |number: usize, counted: Counted| match self.counters.get(number) {
                Some(Some(counter))
                    if counter.counted == counted && is_plain(&counter.variable) =>
                {
                    Some(&*counter.name)
                }
                _ => None,
            };
            let known = match piece {
                Piece::Text(text) => Some(text),
                Piece::Difference(number) => self.reasons.get(number).map(|reason| &**reason),
                Piece::Symbol(number) => counter(number, Counted::Number).or_else(|| name(number)),
                // The values of what counts a loop are told by its name.
                Piece::Selected(number) => match (counter(number, Counted::Selected), name(number))
                {
                    (None, Some(name)) => {
                        out.push_str(&format!("table[{name}]"));
                        continue;
                    }
                    (counter, _) => counter,
                },
            };
            out.push_str(known.unwrap_or("a value"));
        }
        out
    }
}

impl Builder<'_> {
    fn term(&mut self, id: TermId) -> TermId {
        if let Some(done) = self.memo.get(id) {
            return TermId(done);
        }
        let new = match self.from.term(id).clone() {
            Term::Const(value) => {
                self.key.extend([0, value]);
                self.to.int(value)
            }
            Term::Symbol(symbol) if symbol == self.from_lane => {
                self.key.push(1);
                self.to.symbol_term(self.lane)
            }
            Term::Symbol(symbol) => self.symbol(symbol),
            Term::Binary(op, a, b) => {
                let (a, b) = (self.term(a), self.term(b));
                self.key
                    .extend([3, op as i64, i64::from(a.0), i64::from(b.0)]);
                self.to.binary(op, a, b)
            }
            Term::Not(a) => {
                let a = self.term(a);
                self.key.extend([4, i64::from(a.0)]);
                self.to.not(a)
            }
            Term::Select(c, a, b) => {
                let (c, a, b) = (self.term(c), self.term(a), self.term(b));
                self.key
                    .extend([5, i64::from(c.0), i64::from(a.0), i64::from(b.0)]);
                self.to.select(c, a, b)
            }
            Term::Wrap(ty, a) => {
                let a = self.term(a);
                self.key.extend([
                    6,
                    i64::from(ty.size()),
                    i64::from(ty.is_signed()),
                    i64::from(a.0),
                ]);
                self.to.wrap(ty, a)
            }
            Term::Table(index, values) => {
                let index = self.term(index);
                self.key
                    .extend([7, i64::from(index.0), values.len() as i64]);
                self.key.extend(values.iter());
                self.to.table(index, values.to_vec())
            }
        };
        self.memo.insert(id, new.0);
        new
    }

    fn symbol(&mut self, symbol: SymbolId) -> TermId {
        let original = self.from.symbol(symbol);
        self.origins.push(symbol);
        let mut domain = original.domain.clone();
        let mut modulus = 1;
        let mut residue = 0;
        if let Some(narrowed) = self.narrowed.get(&symbol) {
            if domain.values.is_none() && narrowed.low <= narrowed.high {
                domain.low = domain.low.max(narrowed.low);
                domain.high = domain.high.min(narrowed.high);
            }
            modulus = narrowed.modulus;
            residue = narrowed.residue;
        }
        let is_split = modulus > 1 && domain.values.is_none();
        self.names.origins.push(Origin {
            symbol,
            modulus: if is_split { modulus } else { 1 },
            residue: if is_split { residue } else { 0 },
        });
        // Data is told from what is not modelled.
        let variation = match &original.sharing {
            Sharing::Varying(why) => 1 + i64::from(why.kind == DifferenceKind::NotModelled),
            _ => 0,
        };
        // Of where a value comes from a decision asks this only.
        let is_swept = original.origin.is_swept_by_a_block();
        let origin = match is_swept {
            true => SymbolOrigin::Warp,
            false => SymbolOrigin::Other,
        };
        self.key.extend([
            2,
            variation,
            domain.low,
            domain.high,
            modulus,
            residue,
            i64::from(is_swept),
        ]);
        if let Some(values) = &domain.values {
            self.key.push(values.len() as i64);
            self.key.extend(values.iter());
        }
        let sharing = match &original.sharing {
            Sharing::Varying(why) => {
                let placeholder = format!("{MARK}~{}{MARK}", self.names.reasons.len());
                self.names.reasons.push(why.text.clone());
                Sharing::Varying(LaneDifference {
                    kind: why.kind,
                    text: placeholder.into(),
                })
            }
            other => other.clone(),
        };
        let name = format!("{MARK}{}{MARK}", self.names.symbols.len());
        let counter = match original.origin {
            SymbolOrigin::Iteration => original.variable.clone(),
            _ => None,
        };
        self.names.counters.push(counter.map(|variable| Counter {
            name: match is_split {
                true => format!("{variable} / {modulus}").into(),
                false => variable.clone(),
            },
            variable,
            counted: original.counted,
        }));
        if is_split {
            let low = (domain.low - residue).div_euclid(modulus)
                + i64::from((domain.low - residue).rem_euclid(modulus) != 0);
            let high = (domain.high - residue).div_euclid(modulus).max(low);
            self.names
                .symbols
                .push(format!("{} / {modulus}", original.name).into());
            let quotient = self.new_symbol(name, origin, sharing, Domain::range(low, high));
            let (factor, rest) = (self.to.int(modulus), self.to.int(residue));
            let product = self.to.mul(quotient, factor);
            return self.to.add(product, rest);
        }
        self.names.symbols.push(original.name.clone());
        self.new_symbol(name, origin, sharing, domain)
    }

    fn new_symbol(
        &mut self,
        name: String,
        origin: SymbolOrigin,
        sharing: Sharing,
        domain: Domain,
    ) -> TermId {
        let term = self.to.new_symbol_of(origin, name, sharing, domain);
        if let Term::Symbol(id) = *self.to.term(term) {
            self.symbols.push(id);
        } else {
            // One value only: its place in the order stays taken by the lane.
            self.symbols.push(self.lane);
        }
        term
    }
}
