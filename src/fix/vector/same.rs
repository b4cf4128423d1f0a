//! Whether an edited kernel does what it did, but for its vectors.

use super::Group;
use crate::access::{Visit, Walk};
use crate::fix::layout::{import, means_the_same};
use crate::gpu::Op;
use crate::term::TermId;
use rustc_hash::FxHashMap;

/// Whether the new walk has the same accesses as the old one, but vectors for groups.
pub(super) fn keeps_the_rest(old: &Walk, new: &Walk, groups: &[Group]) -> bool {
    if !means_the_same(old, new) || old.extras.len() != new.extras.len() {
        return false;
    }
    let mut memo = FxHashMap::default();
    let (visits, terms) = (&old.visits, &mut old.terms.clone());
    let is_grouped = |visit: &Visit| groups.iter().any(|one| one.sites.contains(&visit.site));
    let mut rest = visits
        .iter()
        .enumerate()
        .filter(|(_, visit)| !is_grouped(visit))
        .peekable();
    let mut open: Vec<&Group> = groups.iter().collect();
    // Where the last group that was stored ends.
    let mut stored = 0;
    for visit in &new.visits {
        let offset = visit
            .offset
            .map(|offset| import(terms, &new.terms, offset, &mut memo));
        let guards: Vec<TermId> = visit
            .guards
            .iter()
            .map(|guard| import(terms, &new.terms, *guard, &mut memo))
            .collect();
        let is_like = |before: &Visit| {
            (before.op, &before.target, before.offset, &before.guards)
                == (visit.op, &visit.target, offset, &guards)
        };
        let is_next = |(_, before): &(usize, &Visit)| {
            is_like(before) && (before.width, &before.reason) == (visit.width, &visit.reason)
        };
        if rest.next_if(is_next).is_some() {
            continue;
        }
        let next = rest.peek().map_or(visits.len(), |(at, _)| *at);
        // The vector moves no more than its group did.
        let vector = open.iter().position(|group| {
            let first = visits.iter().find(|before| before.site == group.sites[0]);
            first.is_some_and(|first| is_like(first) && visit.width == group.bytes())
        });
        let Some(group) = vector.map(|at| open.remove(at)) else {
            return false;
        };
        let Some((low, high)) = range(visits, group) else {
            return false;
        };
        let passed = match group.op {
            Op::Load => next..low,
            _ => high + 1..next,
        };
        let is_harmless =
            |visit: &Visit| is_grouped(visit) || group.op == Op::Load && visit.op == Op::Load;
        let passed = visits.get(passed.start.min(passed.end)..passed.end);
        if !passed.is_some_and(|passed| passed.iter().all(is_harmless)) {
            return false;
        }
        // Stores to one array keep their order.
        if group.op != Op::Load {
            if low < stored {
                return false;
            }
            stored = high;
        }
    }
    rest.peek().is_none() && open.is_empty()
}

/// The first and the last visit of the group.
fn range(visits: &[Visit], group: &Group) -> Option<(usize, usize)> {
    let is_own = |visit: &Visit| group.sites.contains(&visit.site);
    let low = visits.iter().position(is_own)?;
    let high = visits.iter().rposition(is_own)?;
    Some((low, high))
}
