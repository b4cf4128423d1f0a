//! Walks without what they made on the way.
//!
//! Given a walk, gives the same one with those terms only that it mentions: loops are studied with
//! terms of their own, which are most of all. Of the symbols those that studies made go where nothing
//! mentions them. The others stay: by them two walks are told to have gone the same way.

use super::side_effects::ExtraKind;
use super::{LoopIterations, Visit, Walk};
use crate::term::{SymbolId, Term, TermId};
use std::ops::Range;

/// The same walk; terms and symbols keep their order. `studied` has the numbers of the symbols that
/// studies made, in order.
pub(super) fn compact(mut walk: Walk, studied: &[Range<usize>]) -> Walk {
    let mut roots = Vec::new();
    each_term(&mut walk, &mut |id| roots.push(*id));
    let terms = walk.terms.subterms(roots.into_iter());
    let mut symbols: Vec<SymbolId> = terms
        .iter()
        .filter_map(|id| match walk.terms.term(*id) {
            Term::Symbol(symbol) => Some(*symbol),
            _ => None,
        })
        .collect();
    let mut next = 0;
    for range in studied.iter().chain([&(usize::MAX..usize::MAX)]) {
        let end = range.start.min(walk.terms.symbol_count());
        symbols.extend((next..end).map(|symbol| SymbolId(symbol as u32)));
        next = range.end;
    }
    symbols.sort_unstable();
    symbols.dedup();
    walk.terms = walk.terms.only(&terms, &symbols);
    each_term(&mut walk, &mut |id| {
        *id = TermId(place(&terms, *id));
    });
    let renumbered = |symbol: SymbolId| SymbolId(place(&symbols, symbol));
    walk.lane = renumbered(walk.lane);
    for warp in walk.warps.iter_mut().flatten() {
        *warp = renumbered(*warp);
    }
    walk
}

/// Where something stands among what is kept, in order, which it is.
fn place<T: Ord>(kept: &[T], one: T) -> u32 {
    kept.binary_search(&one).unwrap_or_default() as u32
}

fn each_term(walk: &mut Walk, f: &mut impl FnMut(&mut TermId)) {
    walk.facts.iter_mut().for_each(&mut *f);
    for visit in &mut walk.visits {
        let Visit {
            offset,
            guards,
            facts,
            schedule,
            inner_loops,
            ..
        } = visit;
        offset
            .iter_mut()
            .chain(guards)
            .chain(facts)
            .for_each(&mut *f);
        let mut loops: Vec<&mut LoopIterations> = inner_loops.iter_mut().collect();
        if let Some(schedule) = schedule {
            schedule.guards.iter_mut().for_each(&mut *f);
            loops.extend(&mut schedule.loops);
        }
        for turns in loops {
            f(&mut turns.counter);
            turns.condition.iter_mut().for_each(&mut *f);
        }
    }
    for extra in &mut walk.extras {
        extra.guards.iter_mut().for_each(&mut *f);
        match &mut extra.kind {
            ExtraKind::Constant { offset, .. } | ExtraKind::Local { offset, .. } => f(offset),
            ExtraKind::Exchange { mask, .. } => f(mask),
            ExtraKind::Barrier { .. } => {}
        }
    }
}
