//! Copies of whole objects: nvcc moves them in pieces of the object's alignment, holes included.
//!
//! Given the accesses of one segment, finds statements such as `to[i] = from[i]` of a class whose members
//! have unlike widths, or holes between them, and says what each member's access comes to in its piece
//! (seen in the SASS of CUDA 13.0 for sm_90: a structure of 24 bytes, aligned to 8, in three moves of 8).

use super::scan::Scan;
use super::{Element, Group, Member, WIDEST};
use crate::access::{Visit, Walk};
use crate::gpu::Arch;
use crate::gpu::cost::Op;
use crate::ir::{Kernel, Path};
use crate::prove::verdict::Merged;
use std::cell::OnceCell;

/// Bytes of text between the two sides of an assignment, at most: ` = `, and a cast or parentheses.
const MOST_BETWEEN: u32 = 8;

pub(super) struct Copies<'a> {
    pub kernel: &'a Kernel,
    pub walk: &'a Walk,
    pub scan: &'a Scan,
    pub visits: &'a [&'a Visit],
    /// Of one segment, in the order in which they run.
    pub members: &'a [Member<'a>],
}

impl Copies<'_> {
    /// Adds what the accesses of whole copies come to, by their places in the walk.
    pub fn note(&self, arch: &Arch, found: &mut Vec<(usize, Merged)>) {
        let mut order: Vec<usize> = (0..self.members.len()).collect();
        order.sort_by_key(|at| self.members[*at].spot.order);
        let runs: Vec<&[usize]> = order
            .chunk_by(|a, b| self.is_one_object(*a, *b))
            .filter(|run| run.len() > 1)
            .collect();
        for pair in runs.windows(2) {
            let [from, to] = pair else { continue };
            if self.is_copy(from, to) {
                for side in [from, to] {
                    self.add_side(side, arch, found);
                }
            }
        }
    }

    /// Whether two accesses, one after the other, are of one object in one place of the text.
    fn is_one_object(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.members[a], &self.members[b]);
        a.span == b.span
            && a.visit.op == b.visit.op
            && a.visit.target == b.visit.target
            && b.spot.order == a.spot.order + 1
    }

    /// Whether all members that are loaded are stored in one statement, whose left side is the stored one.
    fn is_copy(&self, from: &[usize], to: &[usize]) -> bool {
        let member = |at: &usize| &self.members[*at];
        let ops = |side: &[usize], op| side.iter().all(|at| member(at).visit.op == op);
        let widths =
            |side: &[usize]| -> Vec<u32> { side.iter().map(|at| member(at).visit.width).collect() };
        let (Some(last), Some(first)) = (from.last(), to.first()) else {
            return false;
        };
        let (source, target) = (member(last).span, member(first).span);
        let gap = source.start.checked_sub(target.end);
        let is_plain = |at: &usize| member(at).visit.path == Path::Plain;
        ops(from, Op::Load)
            && ops(to, Op::Store)
            && widths(from) == widths(to)
            && member(first).spot.order == member(last).spot.order + 1
            && source.file == target.file
            && gap.is_some_and(|gap| gap <= MOST_BETWEEN)
            && from.iter().chain(to).all(is_plain)
    }

    fn add_side(&self, side: &[usize], arch: &Arch, found: &mut Vec<(usize, Merged)>) {
        let group = Group {
            kernel: self.kernel,
            walk: self.walk,
            members: self.members,
            group: side,
            scan: self.scan,
            everything: self.visits,
            align: OnceCell::new(),
        };
        let leader = &self.members[side[0]];
        let align = group.whole_align(leader.visit);
        let piece = align.min(WIDEST);
        let Some((places, bases)) = group.places(leader) else {
            return;
        };
        let elements: Option<Vec<Element>> = side
            .iter()
            .zip(&places)
            .map(|(member, places)| {
                let place = *places.first()?;
                Some(Element {
                    place,
                    member: *member,
                    turn: 0,
                })
            })
            .collect();
        let Some(elements) = elements else { return };
        let widest = elements
            .iter()
            .map(|one| self.members[one.member].visit.width);
        let is_taken_apart = piece > i64::from(widest.max().unwrap_or(0));
        let mut addresses = bases.iter().flat_map(|(lanes, _)| lanes.iter().flatten());
        let is_aligned = align > 0 && addresses.all(|byte| byte.rem_euclid(align) == 0);
        // Members of one width, without holes, are put together like any neighbours.
        if !is_aligned || !(is_taken_apart || self.is_uneven(&elements)) {
            return;
        }
        for one in &elements {
            let start = one.place - one.place.rem_euclid(piece);
            let together = elements
                .iter()
                .filter(|other| (start..start + piece).contains(&other.place));
            let accesses = together.count() as u32;
            let own = i64::from(self.members[one.member].visit.width);
            if own >= piece {
                continue;
            }
            if let Some(merged) = group.cost(leader, &bases, start, piece, arch) {
                let merged = Merged {
                    accesses,
                    is_piece: true,
                    ..merged
                };
                found.push((self.members[one.member].at, merged));
            }
        }
    }

    /// Whether members have unlike widths.
    fn is_uneven(&self, elements: &[Element]) -> bool {
        let width = |one: &Element| self.members[one.member].visit.width;
        elements.iter().any(|one| width(one) != width(&elements[0]))
    }
}
