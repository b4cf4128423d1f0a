//! Which accesses of a kernel together take one vector.

use super::written::Written;
use super::{Group, WIDEST};
use crate::access::{Target, Visit, Walk};
use crate::fix::layout::is_wrong_somewhere;
use crate::gpu::Op;
use crate::ir::{Kernel, Parameter, ParameterKind, Path, Site, SiteId};
use crate::prove::implication::Claims;
use crate::prove::smt::Answer;
use crate::source::SourceMap;
use crate::term::{Op as TermOp, SymbolId, TermId, Terms};

/// Accesses of one parameter that are looked at.
const MOST_ACCESSES: usize = 64;
/// Elements that one vector may hold, the widest first.
const COUNTS: [u32; 4] = [16, 8, 4, 2];

fn is_meant(visit: &Visit, parameter: &Parameter, op: Op) -> bool {
    let is_of = |name: &str| *name == *parameter.name;
    visit.op == op
        && matches!(visit.path, Path::Plain | Path::ReadOnly)
        && visit.reason.is_none()
        && matches!(&visit.target, Target::Allocation(name) if is_of(name))
}

/// Whether the text of the access is one that edits can change.
fn is_plain(site: &Site, sources: &SourceMap, parameter: &Parameter) -> bool {
    site.definition.is_some() || Written::of(sources, site, parameter.span).is_some()
}

/// `None` where the walk is not to be relied upon.
pub(super) fn groups_of(
    walk: &Walk,
    kernel: &Kernel,
    sources: &SourceMap,
    parameter: &Parameter,
    op: Op,
    claims: &mut Claims,
) -> Option<Vec<Group>> {
    let ParameterKind::Pointer { is_restrict, .. } = parameter.kind else {
        return None;
    };
    if walk.incomplete.is_some() {
        return None;
    }
    let visits = &walk.visits;
    let is_once = |site: SiteId| visits.iter().filter(|visit| visit.site == site).count() == 1;
    let site = |visit: &Visit| &kernel.sites[visit.site.index()];
    let all: Vec<(usize, TermId)> = visits
        .iter()
        .enumerate()
        .filter(|(_, visit)| is_meant(visit, parameter, op) && is_once(visit.site))
        .filter(|(_, visit)| is_plain(site(visit), sources, parameter))
        .filter_map(|(at, visit)| Some((at, visit.offset?)))
        .take(MOST_ACCESSES)
        .collect();
    let terms = &mut walk.terms.clone();
    let mut used = vec![false; all.len()];
    let mut groups = Vec::new();
    for first in 0..all.len() {
        for count in COUNTS {
            let (at, start) = all[first];
            let width = visits[at].width;
            let left = used.iter().filter(|used| !**used).count();
            if used[first] || count * width > WIDEST || left < count as usize {
                continue;
            }
            let search = Search {
                visits,
                all: &all,
                lane: walk.lane,
            };
            let Some(members) = search.members(terms, claims, (first, start), count, &used) else {
                continue;
            };
            let places: Vec<usize> = members.iter().map(|one| all[*one].0).collect();
            let Some(between) = between(visits, &places, op, is_restrict) else {
                continue;
            };
            members.iter().for_each(|one| used[*one] = true);
            groups.push(Group {
                op,
                sites: places.iter().map(|one| visits[*one].site).collect(),
                width,
                is_between_others: between,
            });
        }
    }
    Some(groups)
}

/// What groups are looked for among.
struct Search<'a> {
    visits: &'a [Visit],
    all: &'a [(usize, TermId)],
    lane: SymbolId,
}

impl Search<'_> {
    /// The accesses that take `count` elements from the first one on, if it begins a vector.
    fn members(
        &self,
        terms: &mut Terms,
        claims: &mut Claims,
        (first, start): (usize, TermId),
        count: u32,
        used: &[bool],
    ) -> Option<Vec<usize>> {
        let one = &self.visits[self.all[first].0];
        let bytes = terms.int(i64::from(count * one.width));
        let zero = terms.int(0);
        let rest = terms.binary(TermOp::Rem, start, bytes);
        let is_aligned = terms.binary(TermOp::Eq, rest, zero);
        if !holds(terms, self.lane, one, is_aligned, claims) {
            return None;
        }
        let mut members = vec![first];
        for place in 1..count {
            let by = terms.int(i64::from(place * one.width));
            let expected = terms.add(start, by);
            let next = (0..self.all.len()).find(|other| {
                let (at, offset) = self.all[*other];
                let other_one = &self.visits[at];
                let is_like = (one.width, one.path, &one.guards)
                    == (other_one.width, other_one.path, &other_one.guards);
                if used[*other] || !is_like {
                    return false;
                }
                let same = terms.binary(TermOp::Eq, offset, expected);
                holds(terms, self.lane, other_one, same, claims)
            });
            members.push(next?);
        }
        Some(members)
    }
}

/// Whether others than the group's own accesses come between them, which another pointer has to keep apart; `None`
/// where they may touch the same memory.
fn between(visits: &[Visit], places: &[usize], op: Op, is_restrict: bool) -> Option<bool> {
    let (low, high) = (places.iter().min()?, places.iter().max()?);
    let own = &visits[*low].target;
    let mut is_between = false;
    for (at, visit) in visits.iter().enumerate().take(*high).skip(*low) {
        let is_harmless = op == Op::Load && visit.op == Op::Load;
        if places.contains(&at) || is_harmless || visit.space != visits[*low].space {
            continue;
        }
        if visit.target == *own || matches!(visit.target, Target::Unknown(_)) {
            return None;
        }
        is_between |= !is_restrict;
    }
    Some(is_between)
}

fn holds(
    terms: &mut Terms,
    lane: SymbolId,
    visit: &Visit,
    claim: TermId,
    claims: &mut Claims,
) -> bool {
    !is_wrong_somewhere(terms, &visit.guards, &[claim])
        && claims.hold(terms, lane, &[], claim) == Answer::Proved
}
