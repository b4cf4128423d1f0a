//! Concrete requests of a walk: values put in for symbols.
//!
//! Given a walk, a number and conditions, gives what each active lane has for a term. Which
//! values are likely is for the caller to say. Knows nothing of costs.

use super::Walk;
use super::term::{Domain, Op, Sharing, SymbolId, Term, TermId, fold, wrap_value};
use crate::gpu::WARP;
use crate::ir::Scalar;
use rustc_hash::FxHashSet;
use std::sync::Arc;

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
    /// Every subterm once, after its parts.
    parts: Vec<Part>,
    /// Values of subterms that all lanes share.
    shared: Vec<Option<i64>>,
    /// Those of the others.
    by_lane: Vec<Lanes>,
    /// Conditions that all lanes share.
    gates: FxHashSet<usize>,
    conditions: Vec<Place>,
    term: Place,
}

/// Where a subterm's value stands.
#[derive(Clone, Copy)]
enum Place {
    Shared(usize),
    ByLane(usize),
}

struct Part {
    place: Place,
    what: What,
}

/// A subterm over the places of its parts.
enum What {
    Symbol(SymbolId),
    Lane,
    Binary(Op, Place, Place),
    Not(Place),
    Select(Place, Place, Place),
    Wrap(Scalar, Place),
    Table(Place, Arc<[i64]>),
}

impl<'a> Sampler<'a> {
    /// For `term` where all of `conditions` hold.
    #[must_use]
    pub fn new(walk: &'a Walk, conditions: &[TermId], term: TermId) -> Self {
        let roots = conditions.iter().copied().chain([term]);
        // Terms are made after their parts: the order of their numbers is one of evaluation.
        let subterms = walk.terms.subterms(roots);
        let mut places: Vec<Place> = Vec::with_capacity(subterms.len());
        let mut this = Self {
            walk,
            parts: Vec::with_capacity(subterms.len()),
            shared: Vec::new(),
            by_lane: Vec::new(),
            gates: FxHashSet::default(),
            conditions: Vec::new(),
            term: Place::Shared(0),
        };
        for id in &subterms {
            let place = this.add(walk.terms.term(*id), &|part| {
                places[subterms.binary_search(&part).unwrap_or_default()]
            });
            places.push(place);
        }
        let place = |id: &TermId| places[subterms.binary_search(id).unwrap_or_default()];
        this.conditions = conditions.iter().map(place).collect();
        this.gates
            .extend(this.conditions.iter().filter_map(|one| match one {
                Place::Shared(at) => Some(*at),
                Place::ByLane(_) => None,
            }));
        this.term = place(&term);
        this
    }

    /// Adds the next subterm.
    fn add(&mut self, term: &Term, place: &dyn Fn(TermId) -> Place) -> Place {
        let is_shared = |place: &Place| matches!(place, Place::Shared(_));
        let (is_shared, what) = match term {
            // Never changes.
            Term::Const(value) => {
                self.shared.push(Some(*value));
                return Place::Shared(self.shared.len() - 1);
            }
            Term::Symbol(symbol) if *symbol == self.walk.lane => (false, What::Lane),
            Term::Symbol(symbol) => {
                let sharing = &self.walk.terms.symbol(*symbol).sharing;
                (*sharing == Sharing::Uniform, What::Symbol(*symbol))
            }
            Term::Binary(op, a, b) => {
                let (a, b) = (place(*a), place(*b));
                (is_shared(&a) && is_shared(&b), What::Binary(*op, a, b))
            }
            Term::Not(a) => {
                let a = place(*a);
                (is_shared(&a), What::Not(a))
            }
            Term::Select(condition, a, b) => {
                let all = [*condition, *a, *b].map(place);
                let [condition, a, b] = all;
                (all.iter().all(is_shared), What::Select(condition, a, b))
            }
            Term::Wrap(ty, a) => {
                let a = place(*a);
                (is_shared(&a), What::Wrap(*ty, a))
            }
            Term::Table(index, values) => {
                let index = place(*index);
                (is_shared(&index), What::Table(index, values.clone()))
            }
        };
        let place = if is_shared {
            self.shared.push(None);
            Place::Shared(self.shared.len() - 1)
        } else {
            self.by_lane.push([None; WARP]);
            Place::ByLane(self.by_lane.len() - 1)
        };
        self.parts.push(Part { place, what });
        place
    }

    /// What each active lane has for the term, where `pick` gives each symbol its value by lane,
    /// the same for all lanes where they share it; `None` where no lane is active.
    pub fn lanes(&mut self, pick: &dyn Fn(SymbolId, i64) -> i64) -> Option<Lanes> {
        for part in 0..self.parts.len() {
            match self.parts[part].place {
                Place::Shared(at) => {
                    let value = self.value(part, 0, pick);
                    if value.unwrap_or(0) == 0 && self.gates.contains(&at) {
                        return None;
                    }
                    self.shared[at] = value;
                }
                Place::ByLane(at) => {
                    self.by_lane[at] = std::array::from_fn(|lane| self.value(part, lane, pick));
                }
            }
        }
        let mut lanes: Lanes = std::array::from_fn(|lane| self.at(self.term, lane));
        for condition in &self.conditions {
            for (lane, slot) in lanes.iter_mut().enumerate() {
                if self.at(*condition, lane).unwrap_or(0) == 0 {
                    *slot = None;
                }
            }
        }
        lanes.iter().any(Option::is_some).then_some(lanes)
    }

    fn at(&self, place: Place, lane: usize) -> Option<i64> {
        match place {
            Place::Shared(at) => self.shared[at],
            Place::ByLane(at) => self.by_lane[at][lane],
        }
    }

    fn value(&self, part: usize, lane: usize, pick: &dyn Fn(SymbolId, i64) -> i64) -> Option<i64> {
        let at = |place: &Place| self.at(*place, lane);
        match &self.parts[part].what {
            What::Symbol(symbol) => Some(pick(*symbol, lane as i64)),
            What::Lane => Some(lane as i64),
            What::Binary(op, a, b) => fold(*op, at(a)?, at(b)?),
            What::Not(a) => Some(i64::from(at(a)? == 0)),
            What::Select(condition, a, b) => at(if at(condition)? == 0 { b } else { a }),
            What::Wrap(ty, a) => Some(wrap_value(*ty, at(a)?)),
            What::Table(index, values) => values.get(usize::try_from(at(index)?).ok()?).copied(),
        }
    }
}
