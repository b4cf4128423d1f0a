//! Concrete requests of a walk: values put in for symbols.
//!
//! Given a walk, a number and conditions, gives what each active lane has for a term. Which
//! values are likely is for the caller to say. Knows nothing of costs.

use super::Walk;
use super::term::{Domain, SymbolId, TermId};
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
) -> Option<[Option<i64>; WARP]> {
    let mut lanes = [None; WARP];
    for (lane, slot) in lanes.iter_mut().enumerate() {
        let value = |symbol| {
            Some(if symbol == walk.lane {
                lane as i64
            } else {
                pick(symbol, lane as i64)
            })
        };
        let is_active = conditions
            .iter()
            .all(|one| walk.terms.value(*one, &value).is_some_and(|one| one != 0));
        if is_active {
            *slot = walk.terms.value(term, &value);
        }
    }
    lanes.iter().any(Option::is_some).then_some(lanes)
}
