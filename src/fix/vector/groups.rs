//! Groups: the accesses of a kernel that together take one vector.

use super::order::Order;
use super::written::Written;
use super::{Group, WIDEST, loops};
use crate::access::{LoopIterations, Target, Visit, Walk};
use crate::fix::layout::is_wrong_somewhere;
use crate::gpu::Op;
use crate::ir::{Kernel, Parameter, ParameterKind, Path, Site, SiteId};
use crate::prove::implication::Claims;
use crate::prove::smt::Answer;
use crate::source::SourceMap;
use crate::term::substitution::Substitution;
use crate::term::{Op as TermOp, SymbolId, SymbolOrigin, Term, TermId, Terms};

/// Accesses of one parameter that are looked at.
const MOST_ACCESSES: usize = 64;
/// Elements that one vector may hold, the widest first.
const COUNTS: [u32; 4] = [16, 8, 4, 2];
/// Bytes that all turns of a loop take together: a few vectors.
const MOST_IN_LOOP: u32 = 4 * WIDEST;

/// How far into its allocation a launch lets the parameter point, where that is not known.
struct BaseOffset {
    symbol: SymbolId,
    /// Bytes that the pointer moves by where the symbol grows by one.
    step: i64,
}

impl BaseOffset {
    fn of(walk: &Walk, parameter: &Parameter) -> Option<Self> {
        let ParameterKind::Pointer { element, .. } = parameter.kind else {
            return None;
        };
        let mut all = (0..walk.terms.symbol_count()).map(|at| SymbolId(at as u32));
        all.find_map(|symbol| {
            let known = walk.terms.symbol(symbol);
            let is_own = known.variable.as_deref() == Some(&*parameter.name);
            match known.origin {
                SymbolOrigin::PointerOffset { piece } if is_own => Some(Self {
                    symbol,
                    step: piece.unwrap_or_else(|| i64::from(element.max(1))),
                }),
                _ => None,
            }
        })
    }
}

/// Whether the launch of a walk may pass the parameter moved.
pub(super) fn is_moved(walk: &Walk, parameter: &Parameter) -> bool {
    BaseOffset::of(walk, parameter).is_some()
}

/// The claim that the offset is a multiple of so many bytes. That the parameter itself is one is what every fix says
/// that it needs, so its own offset goes through such values only.
fn is_aligned(terms: &mut Terms, offset: TermId, bytes: u32, base: Option<&BaseOffset>) -> TermId {
    let bytes = i64::from(bytes);
    let mut offset = offset;
    if let Some(BaseOffset { symbol, step }) = base {
        let mut every = 1;
        while every < bytes && step.wrapping_mul(every) % bytes != 0 {
            every *= 2;
        }
        let (count, every) = (terms.symbol_term(*symbol), terms.int(every));
        let kept = terms.mul(count, every);
        offset = Substitution::of_symbols(terms, [(*symbol, kept)]).apply(terms, offset);
    }
    let bytes = terms.int(bytes);
    let rest = terms.binary(TermOp::Rem, offset, bytes);
    let zero = terms.int(0);
    terms.binary(TermOp::Eq, rest, zero)
}

fn is_meant(visit: &Visit, parameter: &Parameter, op: Op) -> bool {
    let is_of = |name: &str| *name == *parameter.name;
    visit.op == op
        && matches!(visit.path, Path::Plain | Path::ReadOnly)
        && visit.reason.is_none()
        && matches!(&visit.target, Target::Allocation(name) if is_of(name))
}

/// Whether the same thread loads again what it stored: the compiler keeps an element for that, and of a vector it does not.
fn is_loaded_again(visits: &[Visit], at: usize, offset: TermId, parameter: &Parameter) -> bool {
    let mut later = visits[at..].iter();
    later.any(|visit| visit.offset == Some(offset) && is_meant(visit, parameter, Op::Load))
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
    let order = Order::of(kernel);
    let visits = &walk.visits;
    let is_once = |site: SiteId| visits.iter().filter(|visit| visit.site == site).count() == 1;
    let site = |visit: &Visit| &kernel.sites[visit.site.index()];
    let all: Vec<(usize, TermId)> = visits
        .iter()
        .enumerate()
        .filter(|(_, visit)| is_meant(visit, parameter, op) && is_once(visit.site))
        .filter(|(_, visit)| is_plain(site(visit), sources, parameter))
        .filter_map(|(at, visit)| Some((at, visit.offset?)))
        .filter(|(at, offset)| op != Op::Store || !is_loaded_again(visits, *at, *offset, parameter))
        .take(MOST_ACCESSES)
        .collect();
    let terms = &mut walk.terms.clone();
    let base = BaseOffset::of(walk, parameter);
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
                base: base.as_ref(),
            };
            let Some(members) = search.members(terms, claims, (first, start), count, &used) else {
                continue;
            };
            let places: Vec<usize> = members.iter().map(|one| all[*one].0).collect();
            if !order.is_free(places.iter().map(|at| visits[*at].site)) {
                continue;
            }
            let Some(between) = between(visits, &places, is_restrict) else {
                continue;
            };
            members.iter().for_each(|one| used[*one] = true);
            groups.push(Group {
                op,
                sites: places.iter().map(|one| visits[*one].site).collect(),
                width,
                turns: 1,
                is_between_others: between,
            });
        }
    }
    for (at, (visit, _)) in all.iter().enumerate() {
        let is_free = !used[at] && !order.is_ordered_in_loop(visits[*visit].site);
        let found = is_free.then(|| in_loop(walk, kernel, sources, *visit, is_restrict));
        if let Some((turns, between)) = found.flatten()
            && follows(terms, walk, *visit, turns, base.as_ref(), claims)
        {
            groups.push(Group {
                op,
                sites: vec![visits[*visit].site],
                width: visits[*visit].width,
                turns,
                is_between_others: between,
            });
        }
    }
    Some(groups)
}

/// Turns of the short loop that the visit stands in, and whether others come between its accesses.
fn in_loop(
    walk: &Walk,
    kernel: &Kernel,
    sources: &SourceMap,
    at: usize,
    is_restrict: bool,
) -> Option<(u32, bool)> {
    let visit = &walk.visits[at];
    let site = &kernel.sites[visit.site.index()];
    let turns = u32::try_from(innermost(visit)?.trip?).ok()?;
    let bytes = turns.checked_mul(visit.width)?;
    let is_whole = turns > 1 && bytes <= MOST_IN_LOOP && bytes.is_power_of_two();
    if !is_whole || site.definition.is_some() {
        return None;
    }
    let around = loops::around(sources, kernel, site.span)?;
    let is_inside = |other: &Visit| {
        let site = &kernel.sites[other.site.index()];
        let place = site.inlined.first().map_or(site.span, |(_, call)| *call);
        place.file != kernel.span.file || around.holds(place)
    };
    let places: Vec<usize> = (0..walk.visits.len())
        .filter(|at| is_inside(&walk.visits[*at]))
        .collect();
    let (low, high) = (*places.first()?, *places.last()?);
    let passed = (low..=high).filter(|other| *other != at);
    let passed: Vec<&Visit> = passed.map(|at| &walk.visits[at]).collect();
    Some((turns, passes(&passed, visit, is_restrict)?))
}

/// The innermost loop around the visit.
pub(super) fn innermost(visit: &Visit) -> Option<&LoopIterations> {
    match &visit.schedule {
        Some(schedule) => schedule.loops.last(),
        None => visit.inner_loops.first(),
    }
}

/// The offset in the first turn of the loop around the visit; `None` where a guard depends on the turn.
pub(super) fn in_first_turn(terms: &mut Terms, visit: &Visit) -> Option<TermId> {
    let counter = innermost(visit)?.counter;
    let Term::Symbol(symbol) = *terms.term(counter) else {
        return None;
    };
    let mut mentioned = Vec::new();
    for guard in &visit.guards {
        terms.symbols_of(*guard, &mut mentioned);
    }
    if mentioned.contains(&symbol) {
        return None;
    }
    let zero = terms.int(0);
    Some(Substitution::of_symbols(terms, [(symbol, zero)]).apply(terms, visit.offset?))
}

/// Whether each turn takes the element behind that of the turn before, from an aligned one on.
fn follows(
    terms: &mut Terms,
    walk: &Walk,
    at: usize,
    turns: u32,
    base: Option<&BaseOffset>,
    claims: &mut Claims,
) -> bool {
    let visit = &walk.visits[at];
    let Some((first, offset, counter)) = in_first_turn(terms, visit)
        .zip(visit.offset)
        .zip(innermost(visit))
        .map(|((first, offset), around)| (first, offset, around.counter))
    else {
        return false;
    };
    let width = terms.int(i64::from(visit.width));
    let by = terms.binary(TermOp::Mul, counter, width);
    let expected = terms.add(first, by);
    let same = terms.binary(TermOp::Eq, offset, expected);
    let is_aligned = is_aligned(terms, first, (turns * visit.width).min(WIDEST), base);
    [same, is_aligned]
        .iter()
        .all(|claim| holds(terms, walk.lane, *claim, claims))
}

/// What groups are looked for among.
struct Search<'a> {
    visits: &'a [Visit],
    all: &'a [(usize, TermId)],
    lane: SymbolId,
    base: Option<&'a BaseOffset>,
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
        let is_aligned = is_aligned(terms, start, count * one.width, self.base);
        if !holds(terms, self.lane, is_aligned, claims) {
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
                holds(terms, self.lane, same, claims)
            });
            members.push(next?);
        }
        Some(members)
    }
}

/// Whether others than the group's own accesses come between them, which another pointer has to keep apart; `None`
/// where they may touch the same memory.
fn between(visits: &[Visit], places: &[usize], is_restrict: bool) -> Option<bool> {
    let (low, high) = (places.iter().min()?, places.iter().max()?);
    let passed = (*low..*high).filter(|at| !places.contains(at));
    let passed: Vec<&Visit> = passed.map(|at| &visits[at]).collect();
    passes(&passed, &visits[*low], is_restrict)
}

/// The same for an access that is to pass others.
fn passes(others: &[&Visit], own: &Visit, is_restrict: bool) -> Option<bool> {
    let mut is_between = false;
    for other in others {
        let is_harmless = own.op == Op::Load && other.op == Op::Load;
        if is_harmless || other.space != own.space {
            continue;
        }
        if other.target == own.target || other.target.is_open() {
            return None;
        }
        is_between |= !is_restrict;
    }
    Some(is_between)
}

/// Whether `claim` holds wherever the access stands, whatever guards it.
fn holds(terms: &mut Terms, lane: SymbolId, claim: TermId, claims: &mut Claims) -> bool {
    !is_wrong_somewhere(terms, &[], &[claim])
        && claims.hold(terms, lane, &[], claim) == Answer::Proved
}
