//! Merges: the one wide access that the compiler makes of neighbouring accesses of one thread.
//!
//! Given the visits of a walk with their verdicts, predicts which loads or stores nvcc puts together:
//! those of one basic block, unrolled iterations included, that lie side by side, from an address that
//! types or declarations prove aligned, with nothing between them that may write the same bytes. The
//! prediction is read off samples, no proof: a verdict of the accesses as written stays what it is. The compiler
//! knows no launch: what is merged only for the numbers of one is not.

mod contended;
mod copies;
mod fused;
mod group;
mod kept;
mod leftover;
mod narrowed;
mod scan;
mod unused;
mod vectors;

use super::verdict::{Access, Merged};
use crate::access::{Visit, Walk};
use crate::gpu::Arch;
use crate::gpu::cost::Op;
use crate::ir::{Kernel, Path, SiteId};
use crate::source::Span;
use crate::term::compiled::Evaluation;
use crate::term::{SymbolId, Term, TermId};
use copies::Copies;
use group::{Group, distance, sampled};
use rustc_hash::{FxHashMap, FxHashSet};
use scan::{Scan, Spot};
use std::cell::OnceCell;

/// Widest access of the hardware, in bytes.
const WIDEST: i64 = 16;
/// Bytes of a word: narrower accesses are put together to a word or more, or not at all.
const WORD: i64 = 4;
/// Iterations of one loop that are looked at: more than one wide access takes.
const MOST_TURNS: u64 = 16;
/// Iterations of nested loops that are looked at together.
const MOST_TOGETHER: u64 = 64;
/// Values tried for what is not known, before a distance counts as fixed.
const SAMPLES: i64 = 6;
/// Values of numbers that the caller chooses.
const SIZES: [i64; 6] = [1024, 1, 33, 5, 258, 7];
/// Groups of accesses of one kind at no fixed distance that are looked at.
const MOST_GROUPS: usize = 8;
/// A block of statements with more accesses than this is not looked at.
const MOST_ACCESSES: usize = 256;

/// One visit, with the places that it goes to in one run of its block.
struct Member<'w> {
    visit: &'w Visit,
    /// Its place among the accesses of the walk.
    at: usize,
    spot: &'w Spot,
    span: Span,
    offset: TermId,
    counters: Vec<(SymbolId, u64)>,
    /// Loops from the innermost to that of each of `counters`.
    depths: Vec<usize>,
}

/// The part of nvcc that puts accesses together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Merger {
    /// Knows of types and declarations, and that objects lie apart.
    Nvvm,
    /// Knows where it places a shared array, but tells no two addresses in unlike registers apart: another
    /// access of shared memory between two stores, or a store between two loads, keeps them single; so does a
    /// store to global memory between two stores. It merges no single bytes, and four halves at most (seen in
    /// the SASS of CUDA 13.0 for sm_90).
    Ptxas,
}

/// One element: bytes past the first member's address, the member, the iteration.
#[derive(Clone, Copy)]
struct Element {
    place: i64,
    member: usize,
    turn: usize,
}

/// Bytes of the widest access that the compiler makes of each site that it merges at all.
pub type Widths = FxHashMap<SiteId, u32>;

/// Says of accesses what they come to where the compiler puts them together. `accesses` are those of `visits`, one by
/// one; `of_any_launch` gives what is merged whatever the launch.
pub fn note<'k>(
    kernel: &Kernel,
    walk: &Walk,
    visits: &[&Visit],
    accesses: &mut [Option<Access>],
    arch: &Arch,
    of_any_launch: impl FnOnce() -> &'k Widths,
) {
    let is_known = |at: usize| {
        let access = accesses.get(at).and_then(Option::as_ref);
        access.is_some_and(|one| one.verdict.is_known())
    };
    if !(0..accesses.len()).any(is_known) {
        return;
    }
    let scan = Scan::of(kernel);
    let unused = unused::beside_one_that_is_used(kernel);
    let mut found = predict(kernel, walk, visits, (&scan, &unused), &is_known, arch);
    found.retain(|(at, _)| is_known(*at));
    if !found.is_empty() {
        let widths = of_any_launch();
        found.retain(|(at, merged)| {
            let known = widths.get(&visits[*at].site);
            known.is_some_and(|known| merged.width <= *known)
        });
    }
    for (at, merged) in found {
        if let Some(Some(access)) = accesses.get_mut(at) {
            access.merged = Some(merged);
        }
    }
    narrowed::note(kernel, visits, accesses);
    leftover::note(walk, &scan, visits, accesses, arch);
    fused::note(walk, &scan, visits, accesses, arch);
    contended::note(walk, visits, accesses);
    kept::note(kernel, walk, (&scan, &unused), visits, accesses);
}

/// What is merged in a walk of no launch in particular.
#[must_use]
pub fn widths(kernel: &Kernel, walk: &Walk, arch: &Arch) -> Widths {
    let visits: Vec<&Visit> = walk.visits.iter().collect();
    let told = (&Scan::of(kernel), &unused::beside_one_that_is_used(kernel));
    let mut widths = Widths::default();
    for (at, merged) in predict(kernel, walk, &visits, told, &|_| true, arch) {
        let known = widths.entry(visits[at].site).or_default();
        *known = merged.width.max(*known);
    }
    widths
}

/// The merges of a walk, by the visit's number; of those of one visit the last one counts.
fn predict(
    kernel: &Kernel,
    walk: &Walk,
    visits: &[&Visit],
    (scan, unused): (&Scan, &FxHashSet<SiteId>),
    is_known: &dyn Fn(usize) -> bool,
    arch: &Arch,
) -> Vec<(usize, Merged)> {
    let given = copies::of_parameters(kernel);
    let segments = segments(kernel, walk, visits, (scan, unused));
    let mut found: Vec<(usize, Merged)> = Vec::new();
    for members in segments.into_values() {
        let wanted =
            |member: &Member| is_plain_move(member.visit) && i64::from(member.visit.width) < WIDEST;
        if members.len() > MOST_ACCESSES {
            continue;
        }
        let members = &members;
        let segment = Segment {
            kernel,
            walk,
            members,
            scan,
            everything: visits,
            unused,
        };
        let mut kinds: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        for (number, member) in members.iter().enumerate().filter(|(_, one)| wanted(one)) {
            let visit = member.visit;
            let is_known = !visit.target.is_open();
            if is_known {
                let kind = (visit.op, visit.width, visit.space, &visit.target);
                kinds.entry(kind).or_default().push(number);
            }
        }
        for group in kinds.into_values() {
            let has_neighbours = group.len() > 1
                || group
                    .iter()
                    .any(|number| !members[*number].counters.is_empty());
            let is_of_interest = group.iter().any(|number| is_known(members[*number].at));
            if !has_neighbours || !is_of_interest {
                continue;
            }
            // Two objects of one array, at no fixed distance, are two groups.
            let mut left = group;
            for _ in 0..MOST_GROUPS {
                if left.is_empty() {
                    break;
                }
                left = segment.group(&left).merge(arch, &mut found);
            }
        }
        // What is said of a whole object stands.
        let copies = Copies {
            segment,
            given: &given,
        };
        copies.note(arch, &mut found);
    }
    found
}

/// Members that run one after the other, and what is around them.
#[derive(Clone, Copy)]
struct Segment<'w> {
    kernel: &'w Kernel,
    walk: &'w Walk,
    members: &'w [Member<'w>],
    scan: &'w Scan,
    /// All visits of the walk.
    everything: &'w [&'w Visit],
    /// Loads of copies that the compiler drops.
    unused: &'w FxHashSet<SiteId>,
}

impl<'w> Segment<'w> {
    fn group<'g>(self, group: &'g [usize]) -> Group<'g>
    where
        'w: 'g,
    {
        Group {
            segment: self,
            group,
            align: OnceCell::new(),
        }
    }
}

/// Whether the compiler may move an access, and make another one of it: no atomic, nothing volatile, no matrix.
fn is_plain_move(visit: &Visit) -> bool {
    let is_move = matches!(visit.op, Op::Load | Op::Store);
    is_move && visit.path == Path::Plain && visit.rows == 0
}

/// Visits that run one after the other, as far as their places are known.
fn segments<'w>(
    kernel: &Kernel,
    walk: &Walk,
    visits: &[&'w Visit],
    (scan, unused): (&'w Scan, &FxHashSet<SiteId>),
) -> FxHashMap<u32, Vec<Member<'w>>> {
    let mut segments: FxHashMap<u32, Vec<Member>> = FxHashMap::default();
    for (at, visit) in visits.iter().enumerate() {
        let (Some(spot), Some(offset)) = (scan.spots.get(&visit.site), visit.offset) else {
            continue;
        };
        let Some(site) = kernel.sites.get(visit.site.index()) else {
            continue;
        };
        if unused.contains(&visit.site) {
            continue;
        }
        let (counters, depths) = counters(walk, visit, spot, scan);
        segments.entry(spot.segment).or_default().push(Member {
            visit,
            at,
            spot,
            span: site.span,
            offset,
            counters,
            depths,
        });
    }
    segments
}

/// The counters of the loops around the visit that the compiler unrolls, innermost first, with the
/// iterations to look at; and the loops from the innermost to that of each.
fn counters(
    walk: &Walk,
    visit: &Visit,
    spot: &Spot,
    scan: &Scan,
) -> (Vec<(SymbolId, u64)>, Vec<usize>) {
    if visit.loop_depth as usize != spot.loops.len() {
        return (Vec::new(), Vec::new());
    }
    let moves = |symbol: SymbolId| {
        let offset = visit.offset;
        offset.is_some_and(|offset| walk.terms.mentions(offset, &[symbol]))
    };
    let mut found = Vec::new();
    let (mut together, mut repeated) = (1, 1_u64);
    let mut depths = Vec::new();
    for (nth, (turns, number)) in visit.loops().zip(spot.loops.iter().rev()).enumerate() {
        let of_text = scan.loops[*number];
        let Some(trip) = turns
            .trip
            .filter(|_| of_text.is_plain && of_text.is_unrolled)
        else {
            break;
        };
        match *walk.terms.term(turns.counter) {
            // A loop that does not move the access repeats it.
            Term::Symbol(symbol) if !moves(symbol) => {
                repeated = repeated.saturating_mul(trip);
                if repeated > MOST_TOGETHER {
                    break;
                }
            }
            // What its turns move by a number that is not known lies beside nothing of another turn.
            Term::Symbol(symbol) if !moves_evenly(walk, visit, symbol) => break,
            Term::Symbol(symbol) => {
                let trip = trip.min(MOST_TURNS);
                together *= trip;
                if together > MOST_TOGETHER {
                    break;
                }
                found.push((symbol, trip));
                depths.push(nth + 1);
            }
            _ if trip <= 1 => {}
            _ => break,
        }
    }
    (found, depths)
}

/// Whether the second turn moves the access by one number of bytes, whatever is not known.
fn moves_evenly(walk: &Walk, visit: &Visit, counter: SymbolId) -> bool {
    let Some(offset) = visit.offset else {
        return false;
    };
    let terms = &walk.terms;
    let mut evaluation = Evaluation::new(terms, [offset]);
    let mut known = None;
    (0..SAMPLES).all(|sample| {
        let mut at = |turn: i64| {
            evaluation.run(|symbol, lane| {
                let is_counter = symbol == counter;
                Some(if is_counter {
                    turn
                } else {
                    sampled(terms, symbol, lane, sample)
                })
            });
            evaluation.lanes(offset)
        };
        let (first, second) = (at(0), at(1));
        // Values under which nothing has an address show nothing.
        first.iter().all(Option::is_none)
            || distance(&first, &second).is_some_and(|bytes| *known.get_or_insert(bytes) == bytes)
    })
}
