//! Accesses of one kind in one segment, put together as far as their addresses allow.

use super::vectors::Wide;
use super::{Element, Member, Merger, SAMPLES, SIZES, Segment, WIDEST};
use crate::access::sample::from_domain;
use crate::access::{Target, Visit};
use crate::gpu::cost::{Op, Request, Space, cost};
use crate::gpu::{Arch, WARP};
use crate::ir::{ParameterKind, Path, SiteId, Stops};
use crate::prove::verdict::Merged;
use crate::source::Span;
use crate::term::compiled::{Evaluation, Lanes};
use crate::term::{Sharing, SymbolId, SymbolOrigin, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// Accesses of one kind in one segment.
pub(super) struct Group<'w> {
    pub(super) segment: Segment<'w>,
    /// Those of the kind.
    pub(super) group: &'w [usize],
    /// What wider accesses prove of the leader's address; computed on demand.
    pub(super) align: OnceCell<Vec<(i64, i64)>>,
}

impl Group<'_> {
    /// Adds what is merged; gives the members that stand at no fixed distance from the first one.
    pub(super) fn merge(&self, arch: &Arch, found: &mut Vec<(usize, Merged)>) -> Vec<usize> {
        let leader = &self.segment.members[self.group[0]];
        let width = i64::from(leader.visit.width);
        let Some((places, bases)) = self.places(leader) else {
            return Vec::new();
        };
        let bases = self.aligned_as_typed(&places, bases);
        let others = self.group.iter().zip(&places).skip(1);
        let apart = others
            .filter(|(_, places)| places.is_empty())
            .map(|(member, _)| *member)
            .collect();
        let mut elements: Vec<Element> = self
            .group
            .iter()
            .zip(&places)
            .flat_map(|(member, places)| {
                places.iter().enumerate().map(|(turn, place)| Element {
                    place: *place,
                    member: *member,
                    turn,
                })
            })
            .collect();
        elements.sort_by_key(|element| element.place);
        // What goes to a place a second time is an access of its own, unless nothing keeps the two apart.
        let mut again: FxHashSet<usize> = FxHashSet::default();
        elements.dedup_by(|later, first| {
            let is_again = later.place == first.place;
            let are_one = |merger| self.is_undisturbed(&[*first, *later], merger);
            if is_again && first.member != later.member && !are_one(Merger::Nvvm) {
                again.insert(later.member);
            }
            is_again
        });
        // The wide access that each place is part of: its first place, its bytes, how many it takes.
        let mut wide: FxHashMap<i64, (i64, i64, u32)> = FxHashMap::default();
        let mut left = elements;
        let mut closed = i64::MIN;
        while !left.is_empty() {
            let (one, end) = self.widest(&left, &bases, width, closed);
            closed = closed.max(end);
            let Wide { start, size, taken } = one;
            if taken.len() > 1 {
                for at in &taken {
                    wide.insert(left[*at].place, (start, size, taken.len() as u32));
                }
            }
            let mut at = 0;
            left.retain(|_| {
                at += 1;
                !taken.contains(&(at - 1))
            });
        }
        for (member, places) in self.group.iter().zip(&places) {
            let mut worst: Option<Merged> = None;
            let mut is_whole = !again.contains(member);
            for place in places {
                let of_place = wide.get(place).copied();
                let found = of_place.and_then(|(start, size, accesses)| {
                    let merged = self.cost(leader, &bases, start, size, arch)?;
                    Some(Merged { accesses, ..merged })
                });
                let Some(mut merged) = found else {
                    is_whole = false;
                    break;
                };
                if let Some(other) = &worst {
                    merged = merged.worse(other);
                }
                worst = Some(merged);
            }
            if let Some(merged) = worst.filter(|_| is_whole) {
                found.push((self.segment.members[*member].at, merged));
            }
        }
        apart
    }

    /// Where each member goes in each iteration, in bytes past the leader's first address, where that
    /// is fixed; and the leader's addresses under each sample.
    #[expect(clippy::type_complexity, reason = "two lists that belong together")]
    pub(super) fn places(&self, leader: &Member) -> Option<(Vec<Vec<i64>>, Vec<(Lanes, u32)>)> {
        let terms = &self.segment.walk.terms;
        let members: Vec<&Member> = self
            .group
            .iter()
            .map(|at| &self.segment.members[*at])
            .collect();
        let conditions = &leader.visit.guards;
        let roots = members.iter().map(|member| member.offset);
        let mut evaluation = Evaluation::new(terms, roots.chain(conditions.iter().copied()));
        let turns = turns(&leader.counters);
        let mut places: Vec<Vec<Option<i64>>> = vec![vec![None; turns.len()]; members.len()];
        let mut is_fixed = vec![true; members.len()];
        let mut bases = Vec::new();
        'samples: for sample in 0..SAMPLES {
            let mut base: Option<Lanes> = None;
            for (number, turn) in turns.iter().enumerate() {
                evaluation.run(|symbol, lane| Some(self.pick(symbol, lane, sample, leader, turn)));
                if number == 0 {
                    let lanes = evaluation.lanes(leader.offset);
                    // Values under which nothing has an address, as where one of them divides.
                    if lanes.iter().all(Option::is_none) {
                        continue 'samples;
                    }
                    bases.push((lanes, evaluation.active(conditions)));
                    base = Some(lanes);
                }
                let base = base.as_ref()?;
                for (member, one) in members.iter().enumerate() {
                    // Nothing is told of it any more.
                    if !is_fixed[member] {
                        continue;
                    }
                    let lanes = evaluation.lanes(one.offset);
                    match distance(base, &lanes) {
                        Some(distance) if places[member][number].is_none_or(|d| d == distance) => {
                            places[member][number] = Some(distance);
                        }
                        _ => is_fixed[member] = false,
                    }
                }
            }
        }
        let places = places.into_iter().zip(is_fixed);
        let places = places.map(|(places, is_fixed)| {
            if is_fixed {
                places.into_iter().flatten().collect()
            } else {
                Vec::new()
            }
        });
        Some((places.collect(), bases))
    }

    /// Of these samples, those that lay the leader's object where its type wants it, if there are any: what is
    /// said of a pointer's first address is what its narrowest access needs.
    fn aligned_as_typed(&self, places: &[Vec<i64>], bases: Vec<(Lanes, u32)>) -> Vec<(Lanes, u32)> {
        let leader = &self.segment.members[self.group[0]];
        let align = self.whole_align(leader.visit);
        let of_object = self.group.iter().zip(places).filter_map(|(at, places)| {
            let is_part = self.segment.members[*at].span == leader.span;
            places.first().filter(|_| is_part).copied()
        });
        let parts: Vec<i64> = of_object.collect();
        let (Some(first), Some(last)) = (parts.iter().min(), parts.iter().max()) else {
            return bases;
        };
        // One statement that takes bytes up to the next object takes the object from its start.
        let bytes = last - first + i64::from(leader.visit.width);
        if parts.len() < 2 || align <= i64::from(leader.visit.width) || bytes % align != 0 {
            return bases;
        }
        let is_typed = |lanes: &Lanes| {
            let mut addresses = lanes.iter().flatten();
            addresses.all(|byte| (byte + first).rem_euclid(align) == 0)
        };
        if bases.iter().any(|(lanes, _)| is_typed(lanes)) {
            bases
                .into_iter()
                .filter(|(lanes, _)| is_typed(lanes))
                .collect()
        } else {
            // Pointers out of a table may lie anywhere: each lane's is one that its type allows.
            let settled = bases.into_iter().map(|(mut lanes, active)| {
                for byte in lanes.iter_mut().flatten() {
                    *byte -= (*byte + first).rem_euclid(align);
                }
                (lanes, active)
            });
            settled.collect()
        }
    }

    fn pick(
        &self,
        symbol: SymbolId,
        lane: usize,
        sample: i64,
        leader: &Member,
        turn: &[i64],
    ) -> i64 {
        let of_turn = leader.counters.iter().zip(turn);
        if let Some((_, value)) = of_turn.into_iter().find(|((one, _), _)| *one == symbol) {
            return *value;
        }
        sampled(&self.segment.walk.terms, symbol, lane, sample)
    }

    /// Where ptxas puts the shared array of a visit: behind those that are declared before it, as close as their
    /// types allow (seen in the SASS of CUDA 13.0 for sm_90).
    fn placed(&self, visit: &Visit) -> i64 {
        let Target::Shared(wanted) = &visit.target else {
            return 0;
        };
        let mut end = 0_i64;
        for (at, object) in self.segment.kernel.shared.iter().enumerate() {
            let align = i64::from(object.align.max(1));
            let start = end.saturating_add(align - 1) / align * align;
            if at == wanted.index() {
                return if object.size.is_some() { start } else { 0 };
            }
            if let Some(size) = object.size.filter(|_| self.is_read(at)) {
                end = start.saturating_add(i64::try_from(size).unwrap_or(i64::MAX));
            }
        }
        0
    }

    /// Whether anything may read a shared array, given by its number: nvcc drops one that is only written, with the stores
    /// to it (seen in the PTX of CUDA 13.0).
    fn is_read(&self, at: usize) -> bool {
        let mut all = self.segment.everything.iter();
        all.any(|one| match &one.target {
            Target::Shared(id) => id.index() == at && one.op != Op::Store,
            target => target.is_open() && one.space == Space::Shared && one.op != Op::Store,
        })
    }

    /// Bytes that the type of the object around an access proves its address a multiple of.
    pub(super) fn whole_align(&self, visit: &Visit) -> i64 {
        let site = self.segment.kernel.sites.get(visit.site.index());
        site.map_or(0, |site| i64::from(site.whole_align))
    }

    /// What wider accesses before the leader prove of its address: so many bytes past it lies a multiple of so many. ptxas
    /// takes over what it knows of a register (seen in its SASS for sm_90, CUDA 13.0).
    fn align_of_neighbours(&self) -> Vec<(i64, i64)> {
        let leader = &self.segment.members[self.group[0]];
        let runs_before = |one: &Visit| {
            self.segment.scan.spots.get(&one.site).is_some_and(|spot| {
                let is_same = spot.arms == leader.spot.arms;
                is_same
                    || spot.order < leader.spot.order && leader.spot.arms.starts_with(&spot.arms)
            })
        };
        let aligned = self.segment.everything.iter().filter_map(|one| {
            let align = self.moved_at_once(one);
            let is_wider = align > i64::from(leader.visit.width);
            let is_neighbour = one.target == leader.visit.target && one.path == Path::Plain;
            (is_wider && is_neighbour && runs_before(one)).then_some(())?;
            let distance = self.fixed_distance(leader.offset, one.offset?)?;
            let span = self.segment.kernel.sites.get(one.site.index())?.span;
            Some(((span, one.op), (distance, align)))
        });
        // Of an object that is copied its first element is aligned.
        let mut first: FxHashMap<_, (i64, i64)> = FxHashMap::default();
        for (copy, (distance, align)) in aligned {
            let known = first.entry(copy).or_insert((distance, align));
            *known = (known.0.min(distance), known.1.max(align));
        }
        first.into_values().collect()
    }

    /// Bytes of the access that a visit is made by where it stands by itself: those of the object that it helps to copy, if
    /// all of that is used.
    fn moved_at_once(&self, visit: &Visit) -> i64 {
        let span = |one: &Visit| Some(self.segment.kernel.sites.get(one.site.index())?.span);
        let is_of_copy = |one: &&&Visit| {
            (one.op, &one.target, span(one)) == (visit.op, &visit.target, span(visit))
                && !self.segment.unused.contains(&one.site)
        };
        let copy = self.segment.everything.iter().filter(is_of_copy);
        // Elements of an array are one visit, in a loop.
        let bytes = |one: &&Visit| {
            let turns = one.iterations.and_then(|turns| i64::try_from(turns).ok());
            i64::from(one.width).saturating_mul(turns.unwrap_or(1))
        };
        let copied = copy.map(bytes).fold(0, i64::saturating_add);
        let (align, width) = (self.whole_align(visit), i64::from(visit.width));
        if copied > width && copied >= align {
            align.max(width)
        } else {
            width
        }
    }

    /// Bytes from one address to another, where that is one number in all lanes, whatever is not known.
    fn fixed_distance(&self, from: TermId, to: TermId) -> Option<i64> {
        let leader = &self.segment.members[self.group[0]];
        let mut evaluation = Evaluation::new(&self.segment.walk.terms, [from, to]);
        let mut known = None;
        for sample in 0..SAMPLES {
            evaluation.run(|symbol, lane| Some(self.pick(symbol, lane, sample, leader, &[])));
            let found = distance(&evaluation.lanes(from), &evaluation.lanes(to))?;
            if *known.get_or_insert(found) != found {
                return None;
            }
        }
        known
    }

    /// The parts of the compiler that know that these elements stand in an access at `start`, aligned to `size`.
    pub(super) fn mergers(
        &self,
        elements: &[Element],
        bases: &[(Lanes, u32)],
        start: i64,
        size: i64,
    ) -> Vec<Merger> {
        let first = elements[0];
        let of_type = elements
            .iter()
            .map(|element| self.whole_align(self.segment.members[element.member].visit))
            .max()
            .unwrap_or(0);
        let visit = self.segment.members[first.member].visit;
        let object = match &visit.target {
            Target::Shared(id) => self.segment.kernel.shared.get(id.index()),
            Target::Global(_)
            | Target::Allocation(_)
            | Target::Distributed
            | Target::Unknown(_) => None,
        };
        // nvcc declares an array of unknown size `.align 16`, of whatever type (seen in the PTX of CUDA 13.0).
        let declared = object.map_or(0, |object| match object.size {
            Some(_) => i64::from(object.align),
            None => WIDEST,
        });
        let most = match visit.width {
            1 => 0,
            2 => 8,
            _ => WIDEST,
        };
        let is_aligned = |placed: i64| {
            let mut addresses = bases.iter().flat_map(|(lanes, _)| lanes.iter().flatten());
            addresses.all(|byte| (byte + placed + start).rem_euclid(size) == 0)
        };
        let is_declared = of_type.max(declared) >= size;
        let mut mergers = Vec::new();
        if is_declared && is_aligned(0)
            || !is_declared && self.is_aligned_beside(bases, start, size)
        {
            mergers.push(Merger::Nvvm);
        }
        if object.is_some() && size <= most && is_aligned(self.placed(visit)) {
            mergers.push(Merger::Ptxas);
        }
        mergers
    }

    /// Whether an address so many bytes past the leader is a multiple of `size` wherever wider accesses beside it may stand,
    /// and they tell the compiler.
    fn is_aligned_beside(&self, bases: &[(Lanes, u32)], start: i64, size: i64) -> bool {
        let known = self.align.get_or_init(|| self.align_of_neighbours());
        let is_allowed = |lanes: &Lanes| {
            let mut addresses = lanes.iter().flatten();
            addresses.all(|byte| {
                let mut known = known.iter();
                known.all(|(distance, align)| (byte + distance).rem_euclid(*align) == 0)
            })
        };
        let mut allowed = bases
            .iter()
            .filter(|(lanes, _)| is_allowed(lanes))
            .peekable();
        let is_multiple = |lanes: &Lanes| {
            let mut addresses = lanes.iter().flatten();
            addresses.all(|byte| (byte + start).rem_euclid(size) == 0)
        };
        known.iter().any(|(_, align)| *align >= size)
            && allowed.peek().is_some()
            && allowed.all(|(lanes, _)| is_multiple(lanes))
    }

    /// From where to where among the accesses these elements stand, or the loop does whose turns they are of; nothing where
    /// something in that keeps them apart.
    fn orders_of(
        &self,
        elements: &[Element],
        is_one_turn: bool,
        is_apart: &dyn Fn(Stops) -> bool,
    ) -> Option<(u32, u32)> {
        let segment = self.segment;
        if is_one_turn {
            let orders = elements
                .iter()
                .map(|element| segment.members[element.member].spot.order);
            return Some(orders.fold((u32::MAX, 0), |(low, high), order| {
                (low.min(order), high.max(order))
            }));
        }
        let leader = &segment.members[elements[0].member];
        let loops = &leader.spot.loops;
        let depth = depth_between(leader, elements);
        let outer = loops[loops.len().saturating_sub(depth)..].first()?;
        let outer = segment.scan.loops[*outer];
        // It stands between what one turn moves and what the next one does.
        (!is_apart(outer.stops)).then(|| (outer.accesses.0, outer.accesses.1.saturating_sub(1)))
    }

    /// Whether nothing between these elements may write what is loaded, or touch what is stored.
    pub(super) fn is_undisturbed(&self, elements: &[Element], merger: Merger) -> bool {
        let segment = self.segment;
        let leader = &segment.members[elements[0].member];
        let op = leader.visit.op;
        // Of loads across an `asm` statement ptxas leaves some single, as the registers of their addresses come out.
        let is_apart = |between: Stops| match merger {
            Merger::Ptxas if op == Op::Store => between.memory > 0,
            Merger::Ptxas => between.has_other_than_half(),
            Merger::Nvvm => between.asm > 0,
        };
        let is_one_turn = elements
            .iter()
            .all(|element| element.turn == elements[0].turn);
        let Some((low, high)) = self.orders_of(elements, is_one_turn, &is_apart) else {
            return false;
        };
        let stops = |element: &Element| {
            let site = segment.members[element.member].visit.site;
            let site = segment.kernel.sites.get(site.index());
            site.map_or(Stops::default(), |site| site.stops)
        };
        let first = stops(&elements[0]);
        let mut others = elements.iter().map(stops);
        if others.any(|one| is_apart(one - first) || is_apart(first - one)) {
            return false;
        }
        let own: FxHashSet<SiteId> = elements
            .iter()
            .map(|element| segment.members[element.member].visit.site)
            .collect();
        // Of a copy there are several loads, and several stores; of a value that is changed in place one of each.
        let mut sites_at: FxHashMap<Span, FxHashSet<SiteId>> = FxHashMap::default();
        for element in elements {
            let member = &segment.members[element.member];
            let sites = sites_at.entry(member.span).or_default();
            sites.insert(member.visit.site);
        }
        let is_object = |span: &Span| sites_at.get(span).is_some_and(|sites| sites.len() > 1);
        let mut others = segment.everything.iter().filter(|other| {
            let order = self
                .segment
                .scan
                .spots
                .get(&other.site)
                .map(|spot| spot.order);
            let is_between = order.is_some_and(|order| (low..=high).contains(&order));
            let site = segment.kernel.sites.get(other.site.index());
            // A copy reads all of an object before it writes the first byte.
            let is_of_copy = site.is_some_and(|site| is_object(&site.span));
            let is_dropped = match &other.target {
                Target::Shared(id) => other.op == Op::Store && !self.is_read(id.index()),
                _ => false,
            };
            is_between && !own.contains(&other.site) && !is_of_copy && !is_dropped
        });
        // Loads move up to the first of them, stores down to the last.
        let moves_past = |element: &Element, other: &Visit| {
            let own = segment.members[element.member].spot.order;
            let other = self
                .segment
                .scan
                .spots
                .get(&other.site)
                .map(|spot| spot.order);
            other.is_none_or(|other| match op {
                _ if !is_one_turn => true,
                Op::Load => other < own,
                _ => other > own,
            })
        };
        !others.any(|other| {
            let writes = other.op != Op::Load;
            let may_meet = match merger {
                Merger::Nvvm => elements.iter().any(|element| {
                    moves_past(element, other)
                        && self.may_meet(segment.members[element.member].visit, other)
                }),
                Merger::Ptxas => other.space == Space::Shared || op == Op::Store && writes,
            };
            (writes || op == Op::Store) && may_meet
        })
    }

    /// Whether two accesses may touch the same bytes, as far as the compiler knows.
    pub(super) fn may_meet(&self, one: &Visit, other: &Visit) -> bool {
        if other.target.is_open() {
            return true;
        }
        if one.space != other.space {
            return false;
        }
        let member = |visit: &Visit| self.segment.kernel.sites.get(visit.site.index())?.member;
        if let (Some(a), Some(b)) = (member(one), member(other))
            && a.class == b.class
            && a.offset != b.offset
        {
            // Members of one class lie apart, in whichever of its objects.
            return false;
        }
        match (&one.target, &other.target) {
            (Target::Shared(a), Target::Shared(b)) if a != b => {
                let is_dynamic = |id: &crate::ir::SharedId| {
                    let object = self.segment.kernel.shared.get(id.index());
                    object.is_none_or(|object| object.size.is_none())
                };
                is_dynamic(a) && is_dynamic(b)
            }
            (Target::Allocation(a), Target::Allocation(b)) if a != b => {
                let known = (self.restriction(a), self.restriction(b));
                // What is only read.
                let is_read_only =
                    |given, visit: &Visit| given == Some((true, true)) && visit.op == Op::Load;
                // Of two parameters one is enough that alone reaches what it points to.
                let are_apart = matches!(known, (Some(a), Some(b)) if a.1 || b.1);
                !(is_read_only(known.0, one) || is_read_only(known.1, other) || are_apart)
            }
            (Target::Global(a), Target::Global(b)) if a != b => false,
            (a, b) if a == b => self.overlaps(one, other),
            _ => true,
        }
    }

    /// `const`, `restrict`.
    fn restriction(&self, name: &str) -> Option<(bool, bool)> {
        let mut parameters = self.segment.kernel.parameters.iter();
        match parameters.find(|parameter| parameter.name == name)?.kind {
            ParameterKind::Pointer {
                is_const,
                is_restrict,
                ..
            } => Some((is_const, is_restrict)),
            _ => None,
        }
    }

    /// Whether two accesses to one object may touch the same bytes: of those at a fixed distance, only
    /// where they do.
    fn overlaps(&self, one: &Visit, other: &Visit) -> bool {
        let (Some(a), Some(b)) = (one.offset, other.offset) else {
            return true;
        };
        if a == b {
            // A value that is changed in place: each is read before it is written.
            return false;
        }
        let widths = (i64::from(one.width), i64::from(other.width));
        match self.fixed_distance(a, b) {
            Some(d) => d < widths.0 && -d < widths.1 && d != 0,
            None => self.meets_in_steps(a, b, widths),
        }
    }

    /// Whether two accesses at no fixed distance may touch the same bytes. LLVM knows that they don't where the distance
    /// is a number and multiples of a power of two (`BasicAAResult`, the greatest common divisor of the scales).
    fn meets_in_steps(&self, a: TermId, b: TermId, (of_a, of_b): (i64, i64)) -> bool {
        let leader = &self.segment.members[self.group[0]];
        let mut evaluation = Evaluation::new(&self.segment.walk.terms, [a, b]);
        let mut known: Option<(i64, i64)> = None;
        for sample in 0..SAMPLES {
            evaluation.run(|symbol, lane| Some(self.pick(symbol, lane, sample, leader, &[])));
            let (from, to) = (evaluation.lanes(a), evaluation.lanes(b));
            for (from, to) in from.iter().zip(&to) {
                let Some(d) = from.zip(*to).and_then(|(from, to)| to.checked_sub(from)) else {
                    return true;
                };
                let (first, bits) = known.get_or_insert((d, 0));
                *bits |= d.wrapping_sub(*first);
            }
        }
        let Some((first, bits)) = known.filter(|(_, bits)| *bits != 0) else {
            return true;
        };
        let step = 1 << bits.trailing_zeros().min(32);
        let past = first.rem_euclid(step);
        past < of_a || step - past < of_b
    }

    /// Cost of one access of `size` bytes, `start` bytes past the leader.
    pub(super) fn cost(
        &self,
        leader: &Member,
        bases: &[(Lanes, u32)],
        start: i64,
        size: i64,
        arch: &Arch,
    ) -> Option<Merged> {
        let width = u32::try_from(size).ok()?;
        let mut found: Option<Merged> = None;
        // Where no sample meets the conditions, a warp that meets them whole stands for all.
        let is_met = bases.iter().any(|(_, active)| *active != 0);
        for (lanes, active) in bases {
            let active = if is_met { *active } else { u32::MAX };
            if active == 0 {
                continue;
            }
            let mut addresses = [None; WARP];
            for (lane, byte) in lanes.iter().enumerate() {
                let byte = byte.filter(|_| active >> lane & 1 == 1);
                addresses[lane] = byte.map(|byte| byte.wrapping_add(start) as u64);
            }
            let request = Request {
                addresses,
                width,
                space: leader.visit.space,
                op: leader.visit.op,
            };
            let cost = cost(&request, arch);
            let one = Merged {
                accesses: width / leader.visit.width.max(1),
                each: leader.visit.width,
                width,
                min: cost.actual,
                max: cost.actual,
                ideal: cost.ideal,
                is_piece: false,
            };
            found = Some(match &found {
                Some(other) => one.worse(other),
                None => one,
            });
        }
        found
    }
}

/// Loops from the innermost to the outermost in whose iterations these elements differ.
fn depth_between(leader: &Member, elements: &[Element]) -> usize {
    let turns = turns(&leader.counters);
    let differ = |counter: &usize| {
        let mut of_counter = elements.iter().map(|element| {
            let turn = turns.get(element.turn);
            turn.and_then(|turn| turn.get(*counter))
        });
        let first = of_counter.next();
        of_counter.any(|turn| Some(turn) != first)
    };
    let outermost = (0..leader.counters.len()).rev().find(differ);
    let depth = outermost.and_then(|counter| leader.depths.get(counter));
    depth.copied().unwrap_or(0)
}

/// The iterations of nested loops, all at their start first.
fn turns(counters: &[(SymbolId, u64)]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for (_, trip) in counters {
        all = all
            .into_iter()
            .flat_map(|turn: Vec<i64>| {
                (0..*trip as i64).map(move |n| {
                    let mut longer = turn.clone();
                    longer.push(n);
                    longer
                })
            })
            .collect();
    }
    all
}

/// Bytes from one to the other, where that is one number in all lanes.
pub(super) fn distance(from: &Lanes, to: &Lanes) -> Option<i64> {
    let mut found = None;
    for (from, to) in from.iter().zip(to) {
        let distance = (*to)?.checked_sub((*from)?)?;
        if *found.get_or_insert(distance) != distance {
            return None;
        }
    }
    found
}

/// What a symbol is in one of the samples.
pub(super) fn sampled(terms: &Terms, symbol: SymbolId, lane: usize, sample: i64) -> i64 {
    let known = terms.symbol(symbol);
    if let Sharing::Lane = known.sharing {
        return lane as i64;
    }
    // Where ptxas puts shared arrays is known here: `placed` says it.
    if let SymbolOrigin::Start { .. } = known.origin {
        return 0;
    }
    let seed = seed(sample, symbol);
    let domain = &known.domain;
    let multiple = known.multiple_of.max(1);
    if domain.values.is_none() && domain.high.saturating_sub(domain.low) > 1 << 16 {
        let at = seed.rem_euclid(SIZES.len() as i64) as usize;
        return (SIZES[at] * multiple).clamp(domain.low, domain.high);
    }
    from_domain(domain, seed * multiple, 64)
}

/// Neighbouring values first, so that no residue hides what an address is a multiple of; then values that have nothing
/// to do with those of other symbols.
fn seed(sample: i64, symbol: SymbolId) -> i64 {
    if sample < SAMPLES / 2 {
        return sample;
    }
    let mut bits = (sample as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits ^= (u64::from(symbol.0) + 1).wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    bits ^= bits >> 29;
    (bits.wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33) as i64
}
