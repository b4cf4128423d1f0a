//! Witnesses replayed: whether the text lets the request happen that shows a finding.
//!
//! Given a request that a verdict shows and the visit it belongs to, puts its values into the address and
//! the guards of the text, and looks for values of the remaining symbols under which every shared condition
//! on the way holds, such as guards and bounds of loops, and what any launch has to hold to. The lanes that
//! take part then must cost what the verdict says, inside an array whose size is known. Where they do not,
//! another request of the same cost is looked for. Values of symbols that guards alone mention come from
//! `interior`. Knows nothing of how a verdict came about.

use super::canonical::Names;
use super::decide::Replay;
use super::interior::{Interior, Values, value_of};
use super::poly::LANES;
use super::residue_cost::{RequestKind, request_cost};
use crate::access::{Visit, Walk};
use crate::gpu::arch::Arch;
use crate::term::compiled::Evaluation;
use crate::term::{Domain, Op, SymbolId, Term, TermId};

/// Values of one symbol that are tried, the others being what they were.
const EACH: i64 = 96;
/// Requests whose values all are others.
const ALL: i64 = 160;

/// Parts of conditions that are evaluated in searches for values that pass them all, and how many such searches
/// there are.
const PARTS_OF_CONDITIONS: usize = 150_000;
const PASSAGES: usize = 24;
/// Parts of terms that are evaluated in the search for another request.
const MOST_PARTS: usize = 100_000;

/// The request that `replay` is, or another one that happens and costs the same.
pub(super) fn reached(
    walk: &Walk,
    visit: &Visit,
    names: &Names,
    replay: &Replay,
    size: Option<u64>,
    arch: &Arch,
) -> Option<Replay> {
    let offset = visit.offset?;
    let mut search = Search::new(walk, visit, offset, replay, size, arch);
    let origins = names.origins.iter().zip(&replay.symbols);
    let shown: Values = origins
        .map(|(origin, value)| (origin.symbol, origin.value(*value)))
        .collect();
    let (values, addresses) = search.find(&shown)?;
    let symbols = names.origins.iter().zip(&replay.symbols);
    Some(Replay {
        symbols: symbols
            .map(|(origin, old)| {
                value_of(&values, origin.symbol).map_or(*old, |value| origin.count(value))
            })
            .collect(),
        addresses,
        ..replay.clone()
    })
}

struct Search<'a> {
    walk: &'a Walk,
    offset: TermId,
    width: u64,
    kind: RequestKind,
    wanted: &'a Replay,
    /// The lanes of the request that the verdict shows.
    mask: u32,
    size: Option<u64>,
    arch: &'a Arch,
    /// Conditions on shared values that have to hold.
    shared: Option<Interior<'a>>,
    /// All conditions on the way, for the lanes of the request that the verdict shows.
    way: Interior<'a>,
    /// Guards over the lane's number and shared values: they decide which lanes take part.
    by_lane: Vec<TermId>,
    /// Guards over data: they may leave out any lane.
    by_data: Vec<TermId>,
    evaluation: Evaluation<'a>,
    /// Rest of the budget.
    passages: usize,
    parts: usize,
}

impl<'a> Search<'a> {
    fn new(
        walk: &'a Walk,
        visit: &Visit,
        offset: TermId,
        wanted: &'a Replay,
        size: Option<u64>,
        arch: &'a Arch,
    ) -> Self {
        let terms = &walk.terms;
        let mentioned: Vec<TermId> = [offset]
            .into_iter()
            .chain(visit.guards.iter().copied())
            .chain(visit.facts.iter().copied())
            .collect();
        let mut shared = walk.facts_about(&mentioned);
        shared.extend(&visit.facts);
        shared.retain(|condition| terms.constant(*condition).is_none());
        let (mut by_lane, mut by_data) = (Vec::new(), Vec::new());
        let mut guards = visit.guards.clone();
        while let Some(guard) = guards.pop() {
            match *terms.term(guard) {
                Term::Const(_) => {}
                Term::Binary(Op::LogicalAnd, a, b) => guards.extend([a, b]),
                _ if terms.has_data(guard) => by_data.push(guard),
                _ => by_lane.push(guard),
            }
        }
        let lanes = wanted.addresses.iter().enumerate();
        let mask = lanes.fold(0, |mask, (lane, address)| {
            mask | u32::from(address.is_some()) << lane
        });
        let conditions: Vec<TermId> = [&shared, &by_lane, &by_data]
            .into_iter()
            .flatten()
            .copied()
            .collect();
        let ready = |conditions, mask| Interior::new(terms, conditions, mask, PARTS_OF_CONDITIONS);
        let roots = by_lane.iter().chain([&offset]).copied();
        Self {
            walk,
            offset,
            width: u64::from(visit.width),
            kind: RequestKind {
                space: visit.space,
                op: visit.op,
                width: visit.width,
                rows: visit.rows,
                atomic: visit.atomic,
            },
            wanted,
            mask,
            size,
            arch,
            evaluation: Evaluation::new(terms, roots),
            passages: PASSAGES,
            parts: MOST_PARTS,
            shared: (!shared.is_empty()).then(|| ready(shared, 1)),
            way: ready(conditions, mask),
            by_lane,
            by_data,
        }
    }

    /// A request that happens and costs what is wanted, with its values; the one with the values `shown`
    /// where it does.
    fn find(&mut self, shown: &Values) -> Option<(Values, [Option<u64>; LANES])> {
        if let Some(found) = self.confirm(shown.clone()) {
            return Some(found);
        }
        // Bounds in guards may have to be others for those lanes.
        let mut moving = Vec::new();
        self.walk.terms.symbols_of(self.offset, &mut moving);
        let is_moving = |symbol: &SymbolId| moving.contains(symbol);
        let own: Values = shown
            .iter()
            .filter(|(symbol, _)| is_moving(symbol))
            .copied()
            .collect();
        if let Some(found) = self.meet(own.clone(), &[]) {
            return Some(found);
        }
        // Some values that pass all conditions, and the others as they were.
        if let Some(found) = self.meet(Vec::new(), shown) {
            return Some(found);
        }
        for at in 0..own.len() {
            let domain = self.walk.terms.symbol(own[at].0).domain.clone();
            for nth in 0..EACH {
                let mut values = own.clone();
                values[at].1 = nth_value(&domain, nth);
                if self.costs_as_wanted(&values)
                    && let Some(found) = self.meet(values, &[])
                {
                    return Some(found);
                }
            }
        }
        for nth in 1..ALL {
            let mut values = own.clone();
            for (at, (symbol, value)) in values.iter_mut().enumerate() {
                let domain = &self.walk.terms.symbol(*symbol).domain;
                *value = nth_value(domain, nth * (2 * at as i64 + 1) % EACH);
            }
            if self.costs_as_wanted(&values)
                && let Some(found) = self.meet(values, &[])
            {
                return Some(found);
            }
        }
        None
    }

    /// The request under those values and such of the remaining symbols as pass all conditions, else those
    /// of `otherwise`.
    fn meet(
        &mut self,
        values: Values,
        otherwise: &[(SymbolId, i64)],
    ) -> Option<(Values, [Option<u64>; LANES])> {
        self.passages = self.passages.checked_sub(1)?;
        let mut found = self.way.passage(&values)?;
        for (symbol, value) in values.iter().chain(otherwise) {
            if !found.iter().any(|(known, _)| known == symbol) {
                found.push((*symbol, *value));
            }
        }
        self.confirm(found)
    }

    /// Whether the lanes' addresses alone could cost what is wanted.
    fn costs_as_wanted(&mut self, values: &Values) -> bool {
        let work = self.evaluation.len();
        if self.passages == 0 || self.parts < work {
            return false;
        }
        self.parts -= work;
        self.run(values);
        let mask = self.mask;
        self.addresses(mask).is_some()
    }

    fn run(&mut self, values: &Values) {
        self.evaluation.run(|symbol, _| value_of(values, symbol));
    }

    /// The request under those values, where it happens and costs what is wanted.
    fn confirm(&mut self, mut values: Values) -> Option<(Values, [Option<u64>; LANES])> {
        if let Some(shared) = &mut self.shared {
            values = shared.passage(&values)?;
        }
        self.run(&values);
        let mut active = u32::MAX;
        for guard in &self.by_lane {
            let (holds, defined) = self.evaluation.holds(*guard);
            if defined & self.mask != self.mask {
                return None;
            }
            active &= holds & defined;
        }
        if !self.by_data.is_empty() {
            active &= self.mask;
        }
        let addresses = self.addresses(active)?;
        Some((values, addresses))
    }

    /// Where those lanes stand, if they cost what is wanted and stay inside.
    fn addresses(&self, active: u32) -> Option<[Option<u64>; LANES]> {
        let mut offsets = [0; LANES];
        let mut addresses = [None; LANES];
        for (lane, found) in self.evaluation.lanes(self.offset).into_iter().enumerate() {
            if active >> lane & 1 == 1 {
                offsets[lane] = found?;
                addresses[lane] = Some(offsets[lane] as u64);
            }
        }
        let found = request_cost(self.kind, self.arch, active, &offsets);
        let is_inside = self.size.is_none_or(|size| {
            let mut ends = addresses.iter().flatten();
            ends.all(|at| at.checked_add(self.width).is_some_and(|end| end <= size))
        });
        let is_wanted = (found.actual, found.ideal) == (self.wanted.cost, self.wanted.ideal);
        (is_wanted && is_inside).then_some(addresses)
    }
}

/// Values of a domain: the least ones, the powers of two from 32 on and what lies beside them (divisors are
/// taken for larger than a warp), other small numbers, then some in between.
fn nth_value(domain: &Domain, nth: i64) -> i64 {
    if let Some(values) = &domain.values {
        let at = nth.rem_euclid(values.len().max(1) as i64) as usize;
        return values.get(at).copied().unwrap_or(domain.low);
    }
    let low = domain.low.max(0).min(domain.high);
    let step = match nth {
        0..3 => nth,
        3..27 => (1 << (5 + nth / 3 - 1)) + nth % 3 - 1,
        27..72 => nth - 24,
        _ => 37 + (nth - 72) * 5,
    };
    low.saturating_add(step).min(domain.high)
}
