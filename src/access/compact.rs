//! Garbage collection of a walk: terms and symbols that nothing mentions go.
//!
//! Given a walk, gives the same one with those terms only that it mentions: loops are studied with
//! terms of their own, which are most of all. Symbols that nothing mentions go as well; of those that no
//! study made a hash stays, by which two walks are told to have gone the same way.

use super::side_effects::OtherEffectKind;
use super::{CopySource, LoopIterations, Visit, Walk, WalkFingerprint};
use crate::term::{Sharing, SymbolId, Term, TermId};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// Drops the terms and symbols that nothing uses; the others keep their order. `studied` has the numbers of the
/// symbols that studies made, in order.
pub(super) fn compact(mut walk: Walk, studied: &[Range<usize>]) -> Walk {
    let mut roots = Vec::new();
    each_term(&mut walk, &mut |id| roots.push(*id));
    let terms = walk.terms.subterms(roots.into_iter());
    let mentioned = terms.iter().filter_map(|id| match walk.terms.term(*id) {
        Term::Symbol(symbol) => Some(*symbol),
        _ => None,
    });
    let mut symbols: Vec<SymbolId> = mentioned.collect();
    symbols.push(walk.lane);
    symbols.extend(walk.warps.iter().flatten());
    symbols.sort_unstable();
    symbols.dedup();
    walk.course = course(&walk, &symbols, studied);
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

/// The symbols that no study made or that are kept, and where among them those are.
fn course(walk: &Walk, kept: &[SymbolId], studied: &[Range<usize>]) -> WalkFingerprint {
    let mut hasher = DefaultHasher::new();
    let mut numbers = Vec::with_capacity(kept.len());
    let mut studied = studied.iter().peekable();
    let mut kept = kept.iter().copied().peekable();
    let mut number = 0;
    for at in 0..walk.terms.symbol_count() {
        while studied.next_if(|range| range.end <= at).is_some() {}
        let is_kept = kept.next_if(|symbol| symbol.0 as usize == at).is_some();
        if !is_kept && studied.peek().is_some_and(|range| range.contains(&at)) {
            continue;
        }
        if is_kept {
            numbers.push(number);
        }
        number += 1;
        let symbol = walk.terms.symbol(SymbolId(at as u32));
        let is_data = matches!(symbol.sharing, Sharing::Varying(_));
        (&symbol.name, &symbol.domain, is_data).hash(&mut hasher);
    }
    WalkFingerprint {
        symbols: hasher.finish(),
        numbers,
    }
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
            source,
            ..
        } = visit;
        let distance = match source {
            Some(CopySource::Distance(distance)) => Some(distance),
            Some(CopySource::Unknown) | None => None,
        };
        offset
            .iter_mut()
            .chain(distance)
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
            OtherEffectKind::Constant { offset, .. } | OtherEffectKind::Local { offset, .. } => {
                f(offset)
            }
            OtherEffectKind::Exchange { mask, .. } => f(mask),
            OtherEffectKind::Barrier { .. } => {}
        }
    }
}
