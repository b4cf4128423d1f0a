//! One kernel as rules look at it: its launches, its walks and what it does concretely.
//!
//! Given a kernel, computes each of these at most once and only if some rule asks. Knows
//! nothing of any single rule.

use super::Context;
use super::hazards::{self, Hazards};
use crate::access::sample::{self, Sampler};
use crate::access::{Visit, Walk, Walks};
use crate::gpu::{self, Arch, Space, WARP};
use crate::ir::{Dimension, Kernel, Launch, Program, Site};
use crate::prove;
use crate::prove::verdict::{Access, Witness};
use crate::source::{Canonical, Span};
use crate::term::compiled::Evaluation;
use crate::term::{Op, Sharing, SymbolId, SymbolOrigin, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, OnceLock};

/// Values of a parameter that programs commonly have.
const TYPICAL: [i64; 4] = [1024, 4096, 512, 256];
/// The same of one that something is shifted by: a number of threads, of elements in a tile.
const TYPICAL_SHIFTS: [i64; 4] = [3, 5, 4, 2];
/// Values that show what commonly stays hidden.
const ODD: [i64; 6] = [1, 3, 1001, 5, 7, 33];
const ODD_SHIFTS: [i64; 6] = [0, 1, 9, 6, 7, 10];
/// Requests tried for one access.
pub const ATTEMPTS: i64 = 48;
/// Of all attempts, every so many are looked at; no divisor of how many values there are to choose from.
pub const STEP: usize = 7;

/// Where an access begins and ends, and what it does.
type SourcePlace = ((u32, u32), (gpu::Op, u32, Space));

fn place(span: Span, op: gpu::Op, width: u32, space: Space) -> SourcePlace {
    ((span.start, span.end), (op, width, space))
}

/// A kernel with what is worked out about it on demand.
#[derive(Debug)]
pub struct KernelFacts<'a> {
    pub program: &'a Program,
    pub kernel: &'a Kernel,
    pub launches: Vec<Launch>,
    canonical: &'a Canonical<'a>,
    shared: &'a Walks,
    walks: OnceLock<Vec<Arc<Walk>>>,
    /// For each walk the first visits of each kind in each place, one for each way to be called.
    places: OnceLock<Vec<FxHashMap<SourcePlace, Vec<usize>>>>,
    /// Of the walk at an address: what other terms are shifted by.
    shift_counts: OnceLock<FxHashMap<usize, FxHashSet<SymbolId>>>,
    hazards: OnceLock<Hazards>,
}

impl<'a> KernelFacts<'a> {
    pub fn new(kernel: &'a Kernel, context: &Context<'a>) -> Self {
        Self {
            program: context.program,
            kernel,
            launches: prove::launches(kernel),
            canonical: context.canonical,
            shared: context.walks,
            walks: OnceLock::new(),
            places: OnceLock::new(),
            shift_counts: OnceLock::new(),
            hazards: OnceLock::new(),
        }
    }

    /// One walk for each launch.
    pub fn walks(&self) -> &[Arc<Walk>] {
        self.walks.get_or_init(|| {
            self.launches
                .iter()
                .map(|launch| self.shared.get(self.program, self.kernel, launch))
                .collect()
        })
    }

    /// Which of the launches the access is told under. One place may launch blocks of several shapes. A header has
    /// a number in each unit that reads it, and accesses have the first one.
    pub fn launch_of(&self, access: &Access) -> Option<usize> {
        let shape = &access.launch;
        let is_there = |one: &Launch| one.span.map(|span| self.placed(span)) == shape.span;
        let is_like = |one: &Launch| one.block.each_ref().map(Dimension::known) == shape.block;
        let mut launches = self.launches.iter();
        let exact = launches.position(|one| is_there(one) && is_like(one));
        exact.or_else(|| self.launches.iter().position(is_there))
    }

    /// The span as accesses have it.
    pub fn placed(&self, span: Span) -> Span {
        self.canonical.span(span)
    }

    /// The walk under the launch of an access, and its first visit that is the access; of a place in a function that is
    /// called several times, under the same calls.
    pub fn visit_of(&self, access: &Access) -> Option<(&Walk, &Visit)> {
        let nth = self.launch_of(access)?;
        let walk = self.walks().get(nth)?;
        let places = self
            .places
            .get_or_init(|| self.walks().iter().map(|walk| self.places(walk)).collect());
        let place = place(access.site.span, access.op, access.width, access.space);
        let all = places.get(nth)?.get(&place)?;
        let is_called_so = |at: &&usize| {
            self.site(&walk.visits[**at])
                .is_some_and(|site| site.inlined == access.site.inlined)
        };
        let at = all.iter().find(is_called_so).or(all.first())?;
        Some((walk, walk.visits.get(*at)?))
    }

    fn site(&self, visit: &Visit) -> Option<&Site> {
        self.kernel.sites.get(visit.site.index())
    }

    /// The first visit of each kind in each place under the same calls.
    fn places(&self, walk: &Walk) -> FxHashMap<SourcePlace, Vec<usize>> {
        let mut places: FxHashMap<SourcePlace, Vec<usize>> = FxHashMap::default();
        for (at, visit) in walk.visits.iter().enumerate() {
            let Some(site) = self.site(visit).filter(|_| visit.offset.is_some()) else {
                continue;
            };
            let place = place(site.span, visit.op, visit.width, visit.space);
            let all = places.entry(place).or_default();
            let mut others = all
                .iter()
                .filter_map(|other| self.site(&walk.visits[*other]));
            if !others.any(|other| other.inlined == site.inlined) {
                all.push(at);
            }
        }
        places
    }

    /// How far the moves of an object that one access makes are from the first of them, in one sample: a
    /// double4 goes in two.
    pub fn pieces(&self, access: &Access) -> Vec<i64> {
        let Some((walk, first)) = self.visit_of(access) else {
            return Vec::new();
        };
        // How far they are apart does not depend on which lanes take part.
        let start = |visit: &Visit| {
            let lanes = self.moved_lanes(walk, visit.offset?, Attempt::FIRST, None);
            lanes.into_iter().flatten().next()
        };
        let Some(from) = start(first) else {
            return Vec::new();
        };
        let is_same = |visit: &&Visit| {
            (visit.op, visit.width, visit.space) == (first.op, first.width, first.space)
                && (&visit.guards, &visit.target) == (&first.guards, &first.target)
                && self
                    .site(visit)
                    .is_some_and(|one| one.span == access.site.span)
        };
        let visits = walk.visits.iter().filter(is_same);
        visits
            .filter_map(|visit| start(visit)?.checked_sub(from))
            .collect()
    }

    /// How many accesses of the machine the object takes that this one moves a part of, and its bytes; where these are as
    /// narrow as its type is aligned.
    pub fn torn_copy(&self, access: &Access) -> Option<(u32, u32)> {
        let site = &access.site;
        let piece = access.machine_width();
        let is_torn = site.whole_align > 0 && site.whole_align <= piece;
        if !is_torn {
            return None;
        }
        let of_call = self
            .kernel
            .sites
            .iter()
            .filter(|one| (one.span, &one.inlined) == (site.span, &site.inlined));
        let mut pieces = self.pieces(access);
        pieces.sort_unstable();
        pieces.dedup();
        let width = i64::from(access.width);
        let is_whole = pieces.windows(2).all(|pair| pair[1] - pair[0] == width);
        let bytes = u32::try_from(pieces.len())
            .ok()?
            .checked_mul(access.width)?;
        let is_copy = is_whole && of_call.count() >= pieces.len() && bytes.is_multiple_of(piece);
        (is_copy && bytes > piece).then_some((bytes / piece, bytes))
    }

    pub fn hazards(&self, arch: &Arch) -> &Hazards {
        self.hazards.get_or_init(|| hazards::find(self, arch))
    }

    /// Whether the caller, or the compiler, chooses the symbol's value once for a whole launch.
    pub fn is_free(&self, walk: &Walk, symbol: SymbolId) -> bool {
        let symbol = walk.terms.symbol(symbol);
        symbol.sharing == Sharing::Uniform
            && matches!(
                symbol.origin,
                SymbolOrigin::Dimension
                    | SymbolOrigin::PointerOffset { .. }
                    | SymbolOrigin::Start { .. }
                    | SymbolOrigin::Element { .. }
                    | SymbolOrigin::Parameter(_)
            )
    }

    /// Whether addresses or conditions of the walk shift something by the symbol.
    fn is_shift_count(&self, walk: &Walk, symbol: SymbolId) -> bool {
        let all = self.shift_counts.get_or_init(|| {
            let of = |walk: &Walk| {
                let roots = walk.visits.iter().flat_map(|visit| {
                    let guards = visit.guards.iter().copied();
                    guards.chain(visit.offset)
                });
                let counts = walk.terms.subterms(roots).into_iter().filter_map(|id| {
                    match *walk.terms.term(id) {
                        Term::Binary(Op::Shl | Op::Shr, _, count) => Some(count),
                        _ => None,
                    }
                });
                let counts: Vec<TermId> = counts.collect();
                walk.terms.symbols_in(counts).into_iter().collect()
            };
            let walks = self.walks().iter();
            walks
                .map(|walk| (Arc::as_ptr(walk).addr(), of(walk)))
                .collect()
        });
        let counts = all.get(&std::ptr::from_ref(walk).addr());
        counts.is_some_and(|counts| counts.contains(&symbol))
    }

    /// A value for the symbol in one attempt.
    fn pick(&self, walk: &Walk, symbol: SymbolId, lane: i64, attempt: Attempt) -> i64 {
        let known = walk.terms.symbol(symbol);
        let domain = &known.domain;
        let by_lane = match known.sharing {
            Sharing::Varying(_) => lane * 7 + 1,
            _ => 0,
        };
        let step = attempt.number * (2 * i64::from(symbol.0) + 1) + by_lane;
        if domain.values.is_none() && self.is_free(walk, symbol) {
            let values: &[i64] = match (attempt.is_typical, self.is_shift_count(walk, symbol)) {
                (true, false) => &TYPICAL,
                (true, true) => &TYPICAL_SHIFTS,
                (false, false) => &ODD,
                (false, true) => &ODD_SHIFTS,
            };
            let at = step.rem_euclid(values.len() as i64) as usize;
            return values[at].clamp(domain.low, domain.high);
        }
        sample::from_domain(domain, step, 64)
    }

    /// Values of `term` in the active lanes in one attempt; `None` where no lane is active.
    pub fn lanes(
        &self,
        walk: &Walk,
        guards: &[TermId],
        term: TermId,
        attempt: Attempt,
    ) -> Option<[Option<i64>; WARP]> {
        self.sampled(walk, guards, term)(attempt)
    }

    /// The same where one symbol has this value.
    pub fn lanes_where(
        &self,
        wanted: &Wanted,
        attempt: Attempt,
        (symbol, value): (SymbolId, i64),
    ) -> Option<[Option<i64>; WARP]> {
        let walk = wanted.walk;
        sample::lanes(walk, wanted.conditions, wanted.offset, &|one, lane| {
            if one == symbol {
                value
            } else {
                self.pick(walk, one, lane, attempt)
            }
        })
    }

    /// The same where every pointer that a launch passes points to the start of its allocation.
    pub fn lanes_from_start(
        &self,
        wanted: &Wanted,
        attempt: Attempt,
    ) -> Option<[Option<i64>; WARP]> {
        let walk = wanted.walk;
        sample::lanes(walk, wanted.conditions, wanted.offset, &|one, lane| {
            let known = walk.terms.symbol(one);
            match known.origin {
                SymbolOrigin::PointerOffset { .. } => 0.clamp(known.domain.low, known.domain.high),
                _ => self.pick(walk, one, lane, attempt),
            }
        })
    }

    /// The lanes of a witness where every pointer that a launch passes points to the start of its allocation.
    pub fn witness_from_start(
        &self,
        wanted: &Wanted,
        witness: &Witness,
    ) -> Option<[Option<i64>; WARP]> {
        let walk = wanted.walk;
        let first = Attempt::FIRST;
        let lanes = sample::lanes(walk, &[], wanted.offset, &|one, lane| {
            let known = walk.terms.symbol(one);
            let mut told = witness.symbols.iter();
            match known.origin {
                SymbolOrigin::PointerOffset { .. } => 0.clamp(known.domain.low, known.domain.high),
                _ => match told.find(|(name, _)| **name == *known.name) {
                    Some((_, value)) => *value,
                    None => self.pick(walk, one, lane, first),
                },
            }
        })?;
        let active = witness.addresses.iter();
        let mut lanes = lanes.into_iter().zip(active);
        Some(std::array::from_fn(|_| {
            let (lane, is_active) = lanes.next()?;
            lane.filter(|_| is_active.is_some())
        }))
    }

    /// As [`KernelFacts::lanes`], for one term in many attempts: one sampler serves all.
    pub fn sampled<'w>(
        &'w self,
        walk: &'w Walk,
        guards: &[TermId],
        term: TermId,
    ) -> impl FnMut(Attempt) -> Option<[Option<i64>; WARP]> + 'w {
        let mut sampler = Sampler::new(walk, guards, term);
        move |attempt| sampler.lanes(&|symbol, lane| self.pick(walk, symbol, lane, attempt))
    }

    /// The term and conditions to sample for an access; `None` where it has no address.
    pub fn wanted(&self, access: &Access) -> Option<Wanted<'_>> {
        let (walk, visit) = self.visit_of(access)?;
        Some(Wanted {
            walk,
            conditions: &visit.guards,
            offset: visit.offset?,
        })
    }

    /// The first lane of each, in the first of every so many attempts that has one, or in the first of all whether it takes part or
    /// not; all are evaluated together, so that what they have in common counts once.
    pub fn firsts(&self, all: &[Option<Wanted>], step: usize) -> Vec<Option<First>> {
        let mut firsts = vec![None; all.len()];
        for walk in self.walks() {
            let mut left: Vec<(usize, &Wanted)> = all
                .iter()
                .enumerate()
                .filter_map(|(at, one)| Some((at, one.as_ref()?)))
                .filter(|(_, one)| std::ptr::eq(one.walk, &raw const **walk))
                .collect();
            let roots = left.iter().flat_map(|(_, one)| {
                let conditions = one.conditions.iter().copied();
                conditions.chain([one.offset])
            });
            let mut evaluation = Evaluation::new(&walk.terms, roots);
            for (number, attempt) in attempts().step_by(step).enumerate() {
                if left.is_empty() {
                    break;
                }
                evaluation.run(|symbol, lane| Some(self.pick(walk, symbol, lane as i64, attempt)));
                left.retain(|(at, one)| {
                    let active = evaluation.active(one.conditions);
                    let lanes = evaluation.lanes(one.offset);
                    let mut lanes = lanes.iter().enumerate();
                    firsts[*at] = lanes.find_map(|(lane, offset)| {
                        let is_active = active >> lane & 1 == 1;
                        let offset = (*offset).filter(|_| is_active)?;
                        Some(First {
                            attempt: number,
                            lane,
                            offset,
                        })
                    });
                    firsts[*at].is_none()
                });
            }
            // Loops run from where others end: few samples meet their conditions.
            evaluation
                .run(|symbol, lane| Some(self.pick(walk, symbol, lane as i64, Attempt::FIRST)));
            for (at, one) in left {
                let lanes = evaluation.lanes(one.offset);
                let mut lanes = lanes.iter().enumerate();
                firsts[at] = lanes.find_map(|(lane, offset)| {
                    let attempt = usize::MAX;
                    Some(First {
                        attempt,
                        lane,
                        offset: (*offset)?,
                    })
                });
            }
        }
        firsts
    }

    /// Value of `term` in the first active lane, if one symbol (not the lane) is one more than in `attempt`.
    pub fn moved_lane(
        &self,
        walk: &Walk,
        guards: &[TermId],
        term: TermId,
        attempt: Attempt,
        moved: Option<SymbolId>,
    ) -> Option<i64> {
        let lane = self
            .lanes(walk, guards, term, attempt)?
            .iter()
            .position(Option::is_some)?;
        self.moved_lanes(walk, term, attempt, moved)[lane]
    }

    /// Values of `term` in all lanes, active or not, if one symbol is one more than in `attempt`.
    pub fn moved_lanes(
        &self,
        walk: &Walk,
        term: TermId,
        attempt: Attempt,
        moved: Option<SymbolId>,
    ) -> [Option<i64>; WARP] {
        let mut evaluation = Evaluation::new(&walk.terms, [term]);
        evaluation.run(|symbol, lane| {
            let plain = self.pick(walk, symbol, lane as i64, attempt);
            Some(plain + i64::from(moved == Some(symbol)))
        });
        evaluation.lanes(term)
    }

    /// `blockIdx.x = 3, n = 1024`: the values that `term` takes in one attempt.
    pub fn values(&self, walk: &Walk, term: TermId, attempt: Attempt) -> String {
        let mut symbols = Vec::new();
        walk.terms.symbols_of(term, &mut symbols);
        let told: Vec<String> = symbols
            .iter()
            .filter(|symbol| **symbol != walk.lane)
            .filter(|symbol| walk.terms.symbol(**symbol).sharing == Sharing::Uniform)
            .take(6)
            .map(|symbol| {
                format!(
                    "{} = {}",
                    walk.terms.symbol(*symbol).name,
                    self.pick(walk, *symbol, 0, attempt)
                )
            })
            .collect();
        told.join(", ")
    }
}

/// The address of an access under the conditions of its visit.
#[derive(Clone, Copy)]
pub struct Wanted<'v> {
    pub walk: &'v Walk,
    pub conditions: &'v [TermId],
    pub offset: TermId,
}

/// Where the first active lane of a sample goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct First {
    /// The number of the attempt; the largest of all where no attempt meets the conditions.
    pub attempt: usize,
    pub lane: usize,
    /// Bytes.
    pub offset: i64,
}

/// One choice of values.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    pub number: i64,
    /// Parameters have common values.
    pub is_typical: bool,
}

impl Attempt {
    pub const FIRST: Self = Self {
        number: 0,
        is_typical: true,
    };
}

/// All attempts, those with common values first.
pub fn attempts() -> impl Iterator<Item = Attempt> {
    [true, false]
        .into_iter()
        .flat_map(|is_typical| (0..ATTEMPTS).map(move |number| Attempt { number, is_typical }))
}
