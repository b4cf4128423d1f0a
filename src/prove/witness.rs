//! Witnesses replayed: whether the text lets the request happen that shows a finding.
//!
//! Given a request that a verdict shows and the visit it belongs to, looks for values of the remaining
//! symbols under which every shared condition on the way holds, such as guards and bounds of loops, and
//! whether the request stays inside an array whose size is known. Where it does not happen, another
//! request of the same cost is looked for. Knows nothing of how a verdict came about.

use super::canonical::{Names, canonical};
use super::decide::Replay;
use super::interior::passage;
use super::poly::LANES;
use super::residue_cost::request_cost;
use crate::access::{Visit, Walk};
use crate::gpu::arch::Arch;
use crate::term::compiled::Evaluation;
use crate::term::{SymbolId, TermId};

/// The request that `replay` is, or another one that happens and costs the same.
pub(super) fn reached(
    walk: &Walk,
    visit: &Visit,
    names: &Names,
    replay: &Replay,
    size: Option<u64>,
    arch: &Arch,
) -> Option<Replay> {
    let open = |condition: &&TermId| walk.terms.constant(**condition).is_none();
    let facts: Vec<TermId> = visit.facts.iter().filter(open).copied().collect();
    let is_inside = |addresses: &[Option<u64>; LANES]| {
        size.is_none_or(|size| {
            let ends = addresses.iter().flatten();
            let mut ends = ends.map(|start| start.checked_add(u64::from(visit.width)));
            ends.all(|end| end.is_some_and(|end| end <= size))
        })
    };
    let taken: Vec<(SymbolId, i64)> = names
        .origins
        .iter()
        .zip(&replay.symbols)
        .map(|(origin, value)| (origin.symbol, origin.value(*value)))
        .collect();
    let is_let_through = facts.is_empty() || passage(&walk.terms, &facts, 1, &taken).is_some();
    if is_let_through && is_inside(&replay.addresses) {
        return Some(replay.clone());
    }
    let offset = visit.offset?;
    let lanes = replay.addresses.iter().enumerate();
    let mask = lanes.fold(0, |mask, (lane, address)| {
        mask | u32::from(address.is_some()) << lane
    });
    let mut conditions = facts;
    conditions.extend(visit.guards.iter().filter(open));
    let values = passage(&walk.terms, &conditions, mask, &[])?;
    let value = |symbol: SymbolId| {
        let found = values.iter().find(|(known, _)| *known == symbol);
        let known = || taken.iter().find(|(known, _)| *known == symbol);
        found.or_else(known).map(|(_, value)| *value)
    };
    let mut evaluation = Evaluation::new(&walk.terms, [offset]);
    evaluation.run(|symbol, _| value(symbol));
    let mut offsets = [0; LANES];
    let mut addresses = [None; LANES];
    for (lane, found) in evaluation.lanes(offset).into_iter().enumerate() {
        if mask >> lane & 1 == 1 {
            offsets[lane] = found?;
            addresses[lane] = Some(offsets[lane] as u64);
        }
    }
    let problem = canonical(walk, visit, offset).problem;
    let found = request_cost(&problem, arch, mask, &offsets);
    let is_same = (found.actual, found.ideal) == (replay.cost, replay.ideal);
    let symbols = names.origins.iter().zip(&replay.symbols);
    (is_same && is_inside(&addresses)).then(|| Replay {
        symbols: symbols
            .map(|(origin, old)| value(origin.symbol).map_or(*old, |value| origin.count(value)))
            .collect(),
        addresses,
        ..replay.clone()
    })
}
