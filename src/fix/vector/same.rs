//! The check that an edited kernel does what it did, but for its vectors.

use super::Group;
use super::groups::{in_first_turn, innermost};
use crate::access::side_effects::OtherEffectKind;
use crate::access::{Visit, Walk};
use crate::fix::layout::{import, means_the_same};
use crate::gpu::Op;
use crate::prove::implication::Claims;
use crate::prove::smt::Answer;
use crate::term::{Op as TermOp, TermId, Terms};
use rustc_hash::FxHashMap;

/// Whether the new walk has the same accesses as the old one, but vectors for groups.
pub(super) fn keeps_the_rest(
    old: &Walk,
    new: &Walk,
    groups: &[Group],
    claims: &mut Claims,
) -> bool {
    // What stood in memory of all lies in a thread's own now.
    let extras = |walk: &Walk| {
        let all = walk.extras.iter();
        all.filter(|extra| !matches!(extra.kind, OtherEffectKind::Local { .. }))
            .count()
    };
    if !means_the_same(old, new) || extras(old) != extras(new) {
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
    let Some(mut open) = expected(visits, terms, groups) else {
        return false;
    };
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
        let is_next = |(_, before): &(usize, &Visit)| {
            (before.op, &before.target, before.offset, &before.guards)
                == (visit.op, &visit.target, offset, &guards)
                && (before.width, &before.reason) == (visit.width, &visit.reason)
        };
        if rest.next_if(is_next).is_some() {
            continue;
        }
        let next = rest.peek().map_or(visits.len(), |(at, _)| *at);
        // The vector moves no more than its group did.
        let vector = open.iter().position(|one| {
            let first = &visits[one.first];
            (first.op, &first.target, &first.guards) == (visit.op, &visit.target, &guards)
                && visit.width == one.group.bytes()
                && offset.is_some_and(|offset| {
                    let same = terms.binary(TermOp::Eq, offset, one.offset);
                    claims.hold(terms, old.lane, &[], same) == Answer::Proved
                })
        });
        let Some(group) = vector.map(|at| open.remove(at).group) else {
            return false;
        };
        let Some((low, high)) = range(visits, group) else {
            return false;
        };
        let passed = match group.op {
            Op::Load => next..low,
            _ => high + 1..next,
        };
        // What shares a loop with the group was looked at when the group was found.
        let is_shared = |visit: &Visit| {
            let counter = |visit| innermost(visit).map(|one| one.counter);
            group.is_loop() && counter(visit) == counter(&visits[low])
        };
        let is_harmless = |visit: &Visit| {
            is_grouped(visit) || group.op == Op::Load && visit.op == Op::Load || is_shared(visit)
        };
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

/// A vector that is to come.
struct Expected<'a> {
    group: &'a Group,
    /// The visit of its group's first site.
    first: usize,
    offset: TermId,
}

/// The vectors of all groups.
fn expected<'a>(
    visits: &[Visit],
    terms: &mut Terms,
    groups: &'a [Group],
) -> Option<Vec<Expected<'a>>> {
    let mut all = Vec::new();
    for group in groups {
        let first = visits
            .iter()
            .position(|before| before.site == group.sites[0])?;
        let start = if group.is_loop() {
            in_first_turn(terms, &visits[first])?
        } else {
            visits[first].offset?
        };
        for piece in 0..group.pieces() {
            let by = terms.int(i64::from(piece * group.bytes()));
            all.push(Expected {
                group,
                first,
                offset: terms.add(start, by),
            });
        }
    }
    Some(all)
}

/// The first and the last visit of the group.
fn range(visits: &[Visit], group: &Group) -> Option<(usize, usize)> {
    let is_own = |visit: &Visit| group.sites.contains(&visit.site);
    let low = visits.iter().position(is_own)?;
    let high = visits.iter().rposition(is_own)?;
    Some((low, high))
}
