//! Copies of whole objects: nvcc moves them in pieces of the object's alignment, holes included.
//!
//! Given the accesses of one segment, finds statements such as `to[i] = from[i]` of a class whose members
//! have unlike widths, or holes between them, and says what each member's access comes to in its piece
//! (seen in the SASS of CUDA 13.0 for sm_90: a structure of 24 bytes, aligned to 8, in three moves of 8).

use super::scan::local;
use super::{Element, Segment, WIDEST};
use crate::access::Target;
use crate::gpu::Arch;
use crate::gpu::cost::Op;
use crate::ir::{Expr, Kernel, ParameterKind, Path, SiteId, Stmt, Value, VarId, visit};
use crate::prove::verdict::Merged;
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Bytes of text between the two sides of an assignment, at most: ` = `, and a cast or parentheses.
const MOST_BETWEEN: u32 = 8;

/// Of stores that write what a load has just read from an object that the kernel is given, at a place that only
/// the run tells: the load. Where the place is known, the compiler holds the members apart, and stores them so
/// (seen in the SASS of CUDA 13.0 for sm_90: 16 bytes of `given.list[i]` in one store, of `given` in two).
pub(super) fn of_parameters(kernel: &Kernel) -> FxHashMap<SiteId, SiteId> {
    let objects = kernel.parameters.iter();
    let objects = objects.filter(|object| matches!(object.kind, ParameterKind::Object { .. }));
    let mut given: FxHashSet<VarId> = objects.map(|object| object.variable).collect();
    let mut copied = FxHashMap::default();
    if given.is_empty() {
        return copied;
    }
    visit::statements(&kernel.body, &mut |statement| {
        if let Stmt::Store { pointer, .. } = statement
            && let Some(object) = local(kernel, *pointer)
        {
            given.remove(&object);
        }
    });
    let mut read: FxHashMap<VarId, SiteId> = FxHashMap::default();
    visit::statements(&kernel.body, &mut |statement| match statement {
        Stmt::Load {
            target,
            pointer,
            site,
            ..
        } => {
            let mut is_moving = false;
            visit::each_part(kernel, *pointer, &mut |part| {
                is_moving |= matches!(part, Expr::Var(_) | Expr::Builtin(_));
            });
            let is_given = local(kernel, *pointer).is_some_and(|object| given.contains(&object));
            if is_given && is_moving {
                read.insert(*target, *site);
            } else {
                read.remove(target);
            }
        }
        Stmt::Assign { variable, .. } => {
            read.remove(variable);
        }
        Stmt::Store {
            value: Value::Scalar(value),
            site,
            ..
        } => {
            if let Expr::Var(variable) = kernel.expr(*value)
                && let Some(from) = read.get(variable)
            {
                copied.insert(*site, *from);
            }
        }
        _ => {}
    });
    copied
}

pub(super) struct Copies<'a> {
    pub segment: Segment<'a>,
    /// The result of [`of_parameters`].
    pub given: &'a FxHashMap<SiteId, SiteId>,
}

impl Copies<'_> {
    /// Adds what the accesses of whole copies come to, by their places in the walk.
    pub fn note(&self, arch: &Arch, found: &mut Vec<(usize, Merged)>) {
        let mut sides: FxHashMap<(Span, Op, &Target), Vec<usize>> = FxHashMap::default();
        for (at, member) in self.segment.members.iter().enumerate() {
            let key = (member.span, member.visit.op, &member.visit.target);
            sides.entry(key).or_default().push(at);
        }
        let mut sides: Vec<Vec<usize>> = sides
            .into_values()
            .filter(|value| value.len() > 1)
            .collect();
        for side in &mut sides {
            side.sort_by_key(|at| self.segment.members[*at].spot.order);
        }
        for to in &sides {
            if self.is_copy_of_parameter(to) {
                self.add_side(to, arch, found);
            } else if let Some(from) = sides.iter().find(|from| self.is_copy(from, to)) {
                self.add_side(from, arch, found);
                self.add_side(to, arch, found);
            }
        }
    }

    /// Whether one statement stores just what it reads from an object that the kernel is given, and nothing else.
    fn is_copy_of_parameter(&self, to: &[usize]) -> bool {
        let mut low = u32::MAX;
        let mut high = 0;
        for at in to {
            let member = &self.segment.members[*at];
            let Some(from) = self.given.get(&member.visit.site) else {
                return false;
            };
            let (Some(site), Some(spot)) = (
                self.segment.kernel.sites.get(from.index()),
                self.segment.scan.spots.get(from),
            ) else {
                return false;
            };
            // Both sides of such a copy are called by the place of the one that is written.
            let is_plain = member.visit.op == Op::Store && member.visit.path == Path::Plain;
            if !is_plain || site.span != member.span {
                return false;
            }
            low = low.min(spot.order);
            high = high.max(member.spot.order);
        }
        self.accesses_between(low, high) == to.len()
    }

    /// Accesses to memory from one place among the statements to another; an object that holds a value on its
    /// way is none.
    fn accesses_between(&self, low: u32, high: u32) -> usize {
        let orders = self.segment.everything.iter().filter_map(|visit| {
            let spot = self.segment.scan.spots.get(&visit.site)?;
            Some(spot.order)
        });
        orders.filter(|order| (low..=high).contains(order)).count()
    }

    /// Whether all members that are loaded are stored in one statement, whose left side is the stored one, and
    /// nothing else happens there.
    fn is_copy(&self, from: &[usize], to: &[usize]) -> bool {
        let member = |at: &usize| &self.segment.members[*at];
        let widths =
            |side: &[usize]| -> Vec<u32> { side.iter().map(|at| member(at).visit.width).collect() };
        let (source, target) = (member(&from[0]), member(&to[0]));
        let gap = source.span.start.checked_sub(target.span.end);
        let is_plain = |at: &usize| member(at).visit.path == Path::Plain;
        let orders = from.iter().chain(to).map(|at| member(at).spot.order);
        let (Some(first), Some(last)) = (orders.clone().min(), orders.max()) else {
            return false;
        };
        source.visit.op == Op::Load
            && target.visit.op == Op::Store
            && widths(from) == widths(to)
            && self.accesses_between(first, last) == from.len() + to.len()
            && source.span.file == target.span.file
            && gap.is_some_and(|gap| gap <= MOST_BETWEEN)
            && from.iter().chain(to).all(is_plain)
    }

    fn add_side(&self, side: &[usize], arch: &Arch, found: &mut Vec<(usize, Merged)>) {
        let group = self.segment.group(side);
        let leader = &self.segment.members[side[0]];
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
            .map(|element| self.segment.members[element.member].visit.width);
        let is_taken_apart = piece > i64::from(widest.max().unwrap_or(0));
        let mut addresses = bases.iter().flat_map(|(lanes, _)| lanes.iter().flatten());
        let is_aligned = align > 0 && addresses.all(|byte| byte.rem_euclid(align) == 0);
        // Members of one width, without holes, are put together like any neighbours.
        if !is_aligned || !(is_taken_apart || self.is_uneven(&elements)) {
            return;
        }
        let is_part =
            |one: &&Element| i64::from(self.segment.members[one.member].visit.width) < piece;
        for one in elements.iter().filter(is_part) {
            let start = one.place - one.place.rem_euclid(piece);
            if let Some(merged) = group.cost(leader, &bases, start, piece, arch) {
                let together = elements
                    .iter()
                    .filter(|other| (start..start + piece).contains(&other.place));
                let merged = Merged {
                    accesses: together.count() as u32,
                    is_piece: true,
                    ..merged
                };
                found.push((self.segment.members[one.member].at, merged));
            }
        }
    }

    /// Whether members have unlike widths.
    fn is_uneven(&self, elements: &[Element]) -> bool {
        let width = |one: &Element| self.segment.members[one.member].visit.width;
        elements
            .iter()
            .any(|element| width(element) != width(&elements[0]))
    }
}
