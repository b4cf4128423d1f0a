//! Concrete requests of a walk: values put in for symbols.
//!
//! Given a walk, a number and conditions, gives what each active lane has for a term. Which
//! values are likely is for the caller to say. Knows nothing of costs.

use super::Walk;
use super::term::{Domain, SymbolId, Term, TermId, fold, wrap_value};
use crate::gpu::WARP;

/// A value of the domain that depends on `seed` alone; small ones from 0 on where it is wide.
#[must_use]
pub fn from_domain(domain: &Domain, seed: i64, span: i64) -> i64 {
    if let Some(values) = &domain.values {
        let at = seed.rem_euclid(values.len().max(1) as i64) as usize;
        return values.get(at).copied().unwrap_or(0);
    }
    let low = domain.low.max(0).min(domain.high);
    let width = domain.high.saturating_sub(low).min(span - 1) + 1;
    low + seed.rem_euclid(width)
}

/// What the lanes for which all conditions hold have for `term`, where `pick` gives each symbol
/// its value by lane; `None` where no lane is left.
#[must_use]
pub fn lanes(
    walk: &Walk,
    conditions: &[TermId],
    term: TermId,
    pick: &dyn Fn(SymbolId, i64) -> i64,
) -> Option<Lanes> {
    Sampler::new(walk, conditions, term).lanes(pick)
}

/// A value for each active lane.
pub type Lanes = [Option<i64>; WARP];

/// A term and its conditions, to be evaluated for whole warps again and again.
pub struct Sampler<'a> {
    walk: &'a Walk,
    /// Every subterm once, before those that use it.
    subterms: Vec<TermId>,
    /// What each of them has been evaluated to.
    values: Vec<Lanes>,
    conditions: Vec<usize>,
    term: usize,
}

impl<'a> Sampler<'a> {
    /// For `term` where all of `conditions` hold.
    #[must_use]
    pub fn new(walk: &'a Walk, conditions: &[TermId], term: TermId) -> Self {
        let roots = conditions.iter().copied().chain([term]);
        // Terms are made after their parts: the order of their numbers is one of evaluation.
        let subterms = walk.terms.subterms(roots);
        let place = |id: &TermId| subterms.binary_search(id).unwrap_or_default();
        Self {
            walk,
            values: vec![[None; WARP]; subterms.len()],
            conditions: conditions.iter().map(place).collect(),
            term: place(&term),
            subterms,
        }
    }

    /// What each active lane has for the term, where `pick` gives each symbol its value by lane;
    /// `None` where no lane is active.
    pub fn lanes(&mut self, pick: &dyn Fn(SymbolId, i64) -> i64) -> Option<Lanes> {
        for at in 0..self.subterms.len() {
            self.values[at] = self.evaluated(at, pick);
        }
        let mut lanes = self.values[self.term];
        for condition in &self.conditions {
            for (slot, holds) in lanes.iter_mut().zip(&self.values[*condition]) {
                if !holds.is_some_and(|value| value != 0) {
                    *slot = None;
                }
            }
        }
        lanes.iter().any(Option::is_some).then_some(lanes)
    }

    fn evaluated(&self, at: usize, pick: &dyn Fn(SymbolId, i64) -> i64) -> Lanes {
        let part = |id: &TermId| match self.subterms[..at].binary_search(id) {
            Ok(place) => &self.values[place],
            Err(_) => &[None; WARP],
        };
        let each = |of: &dyn Fn(usize) -> Option<i64>| std::array::from_fn(of);
        match self.walk.terms.term(self.subterms[at]) {
            Term::Const(value) => [Some(*value); WARP],
            Term::Symbol(symbol) if *symbol == self.walk.lane => each(&|lane| Some(lane as i64)),
            Term::Symbol(symbol) => each(&|lane| Some(pick(*symbol, lane as i64))),
            Term::Binary(op, a, b) => {
                let (a, b) = (part(a), part(b));
                each(&|lane| fold(*op, a[lane]?, b[lane]?))
            }
            Term::Not(a) => part(a).map(|value| value.map(|value| i64::from(value == 0))),
            Term::Select(condition, a, b) => {
                let (condition, a, b) = (part(condition), part(a), part(b));
                each(&|lane| {
                    if condition[lane]? == 0 {
                        b[lane]
                    } else {
                        a[lane]
                    }
                })
            }
            Term::Wrap(ty, a) => part(a).map(|value| Some(wrap_value(*ty, value?))),
            Term::Table(index, values) => {
                part(index).map(|index| values.get(usize::try_from(index?).ok()?).copied())
            }
        }
    }
}
