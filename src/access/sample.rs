//! Concrete requests of a walk: values put in for symbols.
//!
//! Given a walk, a number and conditions, gives what each active lane has for a term. Which
//! values are likely is for the caller to say. Knows nothing of costs.

use super::Walk;
use crate::term::compiled::{Evaluation, Lanes};
use crate::term::{Domain, SymbolId, TermId};

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

/// Values of `term` in the lanes where all conditions hold, with each symbol's value from `pick`; `None` where no
/// lane is left.
#[must_use]
pub fn lanes(
    walk: &Walk,
    conditions: &[TermId],
    term: TermId,
    pick: &dyn Fn(SymbolId, i64) -> i64,
) -> Option<Lanes> {
    Sampler::new(walk, conditions, term).lanes(pick)
}

/// A term and its conditions, to be evaluated for whole warps again and again.
pub struct Sampler<'a> {
    evaluation: Evaluation<'a>,
    conditions: Vec<TermId>,
    term: TermId,
}

impl<'a> Sampler<'a> {
    /// For `term` where all of `conditions` hold.
    #[must_use]
    pub fn new(walk: &'a Walk, conditions: &[TermId], term: TermId) -> Self {
        let roots = conditions.iter().copied().chain([term]);
        let mut evaluation = Evaluation::new(&walk.terms, roots);
        for condition in conditions {
            evaluation.require(*condition);
        }
        Self {
            evaluation,
            conditions: conditions.to_vec(),
            term,
        }
    }

    /// The term's value in each active lane, with each symbol's value from `pick` (one value for all lanes if they
    /// share it); `None` where no lane is active.
    pub fn lanes(&mut self, pick: &dyn Fn(SymbolId, i64) -> i64) -> Option<Lanes> {
        let evaluation = &mut self.evaluation;
        if !evaluation.run(|symbol, lane| Some(pick(symbol, lane as i64))) {
            return None;
        }
        let active = evaluation.active(&self.conditions);
        let mut lanes = evaluation.lanes(self.term);
        for (lane, slot) in lanes.iter_mut().enumerate() {
            if active >> lane & 1 == 0 {
                *slot = None;
            }
        }
        lanes.iter().any(Option::is_some).then_some(lanes)
    }
}
