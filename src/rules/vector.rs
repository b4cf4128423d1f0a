//! Loads and stores of one thread that together are one vector access.
//!
//! Given an access whose lanes lie a few elements apart, finds those that fill the gap. Says so
//! only where addresses prove it: same array, same stride, all elements taken, and the first one
//! aligned for the vector.

use super::Scope;
use super::kernel_facts::{First, KernelFacts, STEP, Wanted, attempts};
use super::lane_pattern::Pattern;
use super::spread;
use crate::access::{LoopIterations, Target};
use crate::gpu::{Op, Space, WARP};
use crate::ir::{Scalar, Stmt, visit};
use crate::prove::verdict::{Access, LaunchShape};
use crate::source::Span;
use crate::term::compiled::Lanes;
use crate::term::{SymbolId, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// Widest access of the hardware, in bytes.
pub const WIDEST: u32 = 16;
/// Bytes of a sector, the unit of global traffic.
pub const SECTOR: u64 = 32;
/// Bytes of one line of the cache and a half: what a lane takes of them is there until it has all of it.
const LONGEST_RECORD: i64 = 192;
/// Accesses that are looked at for members of one record.
const MOST_MEMBERS: usize = 64;

/// A vector access in the making.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector {
    /// Elements.
    pub count: u32,
}

/// The common properties of accesses whose addresses can be compared.
#[derive(PartialEq, Eq, Hash)]
struct Kind<'a> {
    launch: &'a LaunchShape,
    target: &'a Target,
    /// Its place and name, where the target is not known.
    array: Option<(Option<Span>, &'a str)>,
    op: Op,
}

/// Accesses of one kind, each with its first lane in a sample and its conditions, in order of where the lane goes.
type Placed<'a> = Vec<(First, &'a [TermId], &'a Access)>;

/// The accesses of a kernel by where they go, for finding those that lie close together among very
/// many; made when first asked for.
#[derive(Default)]
pub struct Neighbours<'a>(OnceCell<ByKind<'a>>);

struct ByKind<'a> {
    /// One access is one place in memory.
    firsts: FxHashMap<*const Access, First>,
    all: FxHashMap<Kind<'a>, Placed<'a>>,
}

impl<'a> Kind<'a> {
    fn of(access: &'a Access, view: &'a KernelFacts) -> Option<Self> {
        let (_, visit) = view.visit_of(access)?;
        let is_unknown = visit.target.is_open();
        Some(Self {
            launch: &access.launch,
            target: &visit.target,
            array: is_unknown.then_some((access.declaration, &*access.site.array)),
            op: access.op,
        })
    }
}

impl<'a> Neighbours<'a> {
    fn get(&self, scope: &Scope<'a>) -> &ByKind<'a> {
        self.0.get_or_init(|| ByKind::of(scope))
    }
}

impl<'a> ByKind<'a> {
    fn of(scope: &Scope<'a>) -> Self {
        let instance = &scope.view.kernel.instance;
        let own = scope.accesses.iter().copied();
        let own: Vec<&Access> = own
            .filter(|access| *access.instance == **instance)
            .collect();
        let wanted: Vec<Option<Wanted>> = own.iter().map(|one| scope.view.wanted(one)).collect();
        let firsts = scope.view.firsts(&wanted, STEP);
        let mut this = Self {
            firsts: FxHashMap::default(),
            all: FxHashMap::default(),
        };
        for ((access, wanted), first) in own.into_iter().zip(wanted).zip(firsts) {
            let (Some(wanted), Some(first)) = (wanted, first) else {
                continue;
            };
            if let Some(kind) = Kind::of(access, scope.view) {
                this.firsts.insert(access, first);
                let placed = this.all.entry(kind).or_default();
                placed.push((first, wanted.conditions, access));
            }
        }
        for placed in this.all.values_mut() {
            placed.sort_by_key(|(first, ..)| *first);
        }
        this
    }

    /// Those less than so many bytes away in the sample that run when the access runs, with their distance: one access could
    /// take their place.
    fn within<'s>(
        &'s self,
        access: &'s Access,
        bytes: i64,
        view: &'s KernelFacts,
    ) -> impl Iterator<Item = (&'s Access, i64)> {
        let conditions = view.wanted(access).map(|wanted| wanted.conditions);
        let near = self.near(access, bytes, view);
        near.filter_map(move |(of_other, other, distance)| {
            let is_alike = (other.width, other.loop_depth) == (access.width, access.loop_depth)
                && other.guards == access.guards
                && Some(of_other) == conditions;
            is_alike.then_some((other, distance))
        })
    }

    /// Accesses of the same kind.
    fn of_kind<'s>(
        &'s self,
        access: &'s Access,
        view: &'s KernelFacts,
    ) -> impl Iterator<Item = &'s Access> {
        let kind = Kind::of(access, view);
        let placed = kind.and_then(|kind| self.all.get(&kind));
        placed.into_iter().flatten().map(|(_, _, other)| *other)
    }

    /// Accesses of the same kind less than so many bytes away in the sample, with their conditions and their distance.
    fn near<'s>(
        &'s self,
        access: &'s Access,
        bytes: i64,
        view: &'s KernelFacts,
    ) -> impl Iterator<Item = (&'s [TermId], &'s Access, i64)> {
        let kind = Kind::of(access, view);
        let placed = kind
            .and_then(|kind| self.all.get(&kind))
            .map_or(&[][..], Vec::as_slice);
        let mine = self
            .firsts
            .get(&std::ptr::from_ref(access))
            .copied()
            .unwrap_or_default();
        let distance = move |first: &First| {
            let is_comparable = (first.attempt, first.lane) == (mine.attempt, mine.lane);
            let distance = first.offset.checked_sub(mine.offset)?;
            (is_comparable && distance.abs() < bytes).then_some(distance)
        };
        let lowest = First {
            offset: mine.offset.saturating_sub(bytes - 1),
            ..mine
        };
        let from = placed.partition_point(|(first, ..)| *first < lowest);
        placed[from..]
            .iter()
            .map_while(move |(first, of_other, other)| Some((*of_other, *other, distance(first)?)))
    }
}

/// Whether each lane takes half a sector with the widest access there is, and another access of the same lane,
/// another move of the same object, or this access in another turn of a short loop takes what is left of the
/// sectors: the cache serves both with what one of them brings.
pub fn has_other_half(access: &Access, scope: &Scope) -> bool {
    let Some(witness) = &access.verdict.witness else {
        return false;
    };
    if access.space != Space::Global || access.machine_width() != WIDEST {
        return false;
    }
    let lanes: Vec<u64> = witness.addresses.iter().flatten().copied().collect();
    let is_half = |distance: i64| distance.unsigned_abs() == u64::from(WIDEST);
    let fills = |distance: i64| is_half(distance) && fill_sectors(&lanes, distance);
    let own = steps_of_turns(access, scope).chain(scope.view.pieces(access));
    if own.flat_map(|one| [one, -one]).any(fills) {
        return true;
    }
    let neighbours = scope.neighbours.get(scope);
    let mut near = neighbours.within(access, SECTOR as i64, scope.view);
    near.any(|(other, distance)| {
        fills(distance) && spread::distance(access, other, scope.view) == Some(distance)
    })
}

/// Whether lanes that take 16 bytes at these addresses, and at these with a distance, take what they touch whole
/// but for the ends of rows: rows may begin in the middle of a sector.
fn fill_sectors(lanes: &[u64], distance: i64) -> bool {
    /// Of so many sectors one may be for an end.
    const SECTORS_AN_END: u64 = 9;
    let others = lanes.iter().map(|lane| lane.wrapping_add_signed(distance));
    let halves: FxHashSet<u64> = lanes.iter().copied().chain(others).collect();
    let last = u64::from(WIDEST) - 1;
    let sectors: FxHashSet<u64> = halves
        .iter()
        .flat_map(|at| [at / SECTOR, at.wrapping_add(last) / SECTOR])
        .collect();
    let touched = sectors.len() as u64 * SECTOR;
    let taken = halves.len() as u64 * u64::from(WIDEST);
    touched * (SECTORS_AN_END - 1) <= taken * SECTORS_AN_END
}

/// Whether each lane takes most of a record of its own with accesses that no wider one can take the place of:
/// what the first of them brings to the cache, the others find there.
pub fn is_record(access: &Access, scope: &Scope) -> bool {
    let stride = access.verdict.witness.as_ref();
    let stride = stride.and_then(|one| Pattern::of(one, access.width).stride);
    let Some(record) = stride.and_then(|bytes| i64::try_from(bytes.unsigned_abs()).ok()) else {
        return false;
    };
    let width = i64::from(access.width);
    let is_widest = access.machine_width() == WIDEST;
    let is_short = record > width && record <= LONGEST_RECORD;
    let has_wider = record % i64::from(WIDEST) == 0 || record.count_ones() == 1;
    if access.space != Space::Global
        || !is_short
        || has_wider && !is_widest && has_mate_of_width(access, scope)
    {
        return false;
    }
    if !spread::symbols_of_stride(access, scope.view).is_empty() {
        return false;
    }
    let depth = long_loops(access, scope);
    // Stores meet in no cache: those that may not run fill nothing.
    let is_alike = |other: &Access| {
        let is_same = (other.width, &other.guards) == (access.width, &access.guards);
        (is_same || access.op == Op::Load) && long_loops(other, scope) == depth
    };
    let mut taken = vec![false; usize::try_from(record).unwrap_or(0)];
    let mut take = |distance: i64, width: u32| {
        for byte in distance..distance + i64::from(width) {
            let place = usize::try_from(byte.rem_euclid(record)).unwrap_or(usize::MAX);
            if let Some(byte) = taken.get_mut(place) {
                *byte = true;
            }
        }
    };
    let pieces = scope.view.pieces(access).into_iter();
    let pieces = pieces.filter(|distance| distance.abs() < record);
    for distance in pieces.chain(turns(access, scope)) {
        take(distance, access.width);
    }
    let neighbours = scope.neighbours.get(scope);
    for other in neighbours.of_kind(access, scope.view).take(MOST_MEMBERS) {
        if std::ptr::eq(other, access) || !is_alike(other) {
            continue;
        }
        let turns = turns(other, scope);
        // What a short loop takes lies as far away as its first turn says, and the others behind that.
        let at_start = || {
            let is_loop = turns.len() > 1;
            is_loop
                .then(|| spread::distance_at_start(access, other, scope.view))
                .flatten()
        };
        let distance = spread::distance(access, other, scope.view).or_else(at_start);
        if let Some(distance) = distance.filter(|distance| distance.abs() < record) {
            for turn in &turns {
                take(distance + turn, other.width);
            }
        }
    }
    let taken = taken.iter().filter(|one| **one).count() as i64;
    taken > width && 2 * taken >= record
}

/// Whether each lane takes three or another odd number of elements in the turns of a short loop, as far apart as one number of the
/// caller says: for records of that size it is that number, and no wider access takes one.
pub fn is_record_of_turns(access: &Access, scope: &Scope) -> bool {
    let mut places = turns(access, scope);
    places.sort_unstable();
    let width = i64::from(access.width);
    let is_row = places.windows(2).all(|pair| pair[1] - pair[0] == width);
    let is_odd = places.len() > 2 && !places.len().is_power_of_two();
    let strides = spread::stride(access, scope.view);
    let is_free = |symbol: SymbolId| {
        let wanted = scope.view.wanted(access);
        wanted.is_some_and(|wanted| scope.view.is_free(wanted.walk, symbol))
    };
    access.space == Space::Global
        && is_row
        && is_odd
        && matches!(strides[..], [one] if is_free(one))
}

/// Whether lanes load two neighbouring elements one after the other that no vector load can take at once, as rows may begin
/// between two vectors: the cache serves the second load with what the first one brings.
pub fn is_pair_of_loads(access: &Access, scope: &Scope) -> bool {
    let (cost, ideal) = access.worst();
    let is_load = (access.space, access.op) == (Space::Global, Op::Load);
    let is_twice = is_load && cost <= 2 * ideal + 1;
    let vector = is_twice.then(|| Vector::of(access, scope)).flatten();
    vector.is_some_and(|vector| vector.count == 2 && !vector.is_aligned(access, scope))
}

/// Whether the same lane takes what lies beside this element whenever it takes this one: a wider access could take both.
pub fn has_mate(access: &Access, scope: &Scope) -> bool {
    is_beside_any(access, scope, |_| true)
}

/// The same of an element as wide as this one: of others no type without an alignment of its own takes both.
fn has_mate_of_width(access: &Access, scope: &Scope) -> bool {
    is_beside_any(access, scope, |other| other.width == access.width)
}

fn is_beside_any(access: &Access, scope: &Scope, is_wanted: impl Fn(&Access) -> bool) -> bool {
    let width = i64::from(access.width);
    let turns = turns(access, scope).into_iter();
    let mut own = turns.chain(scope.view.pieces(access));
    // A loop of unknown length may take it in its next turn.
    let steps = spread::steps(access, scope.view);
    let mut steps = steps.iter().filter(|step| step.origin.is_swept());
    if own.any(|distance| distance.abs() == width) || steps.any(|step| step.bytes.abs() == width) {
        return true;
    }
    let Some(Wanted { conditions, .. }) = scope.view.wanted(access) else {
        return false;
    };
    let neighbours = scope.neighbours.get(scope);
    let reach = width + i64::from(WIDEST);
    let mut near = neighbours.near(access, reach, scope.view);
    near.any(|(of_other, other, distance)| {
        let is_beside = distance == width || distance == -i64::from(other.width);
        is_beside
            && is_wanted(other)
            && of_other == conditions
            && other.loop_depth == access.loop_depth
            && spread::distance(access, other, scope.view) == Some(distance)
    })
}

/// Whether lanes take parts of records that they share or that do not lie evenly, the loads of the kernel take most of the
/// sectors of these parts in one turn of its long loops, and no wider load could take a lane's part: the cache keeps a
/// sector until all of it was asked for.
pub fn is_part_of_records(access: &Access, scope: &Scope) -> bool {
    let Some(witness) = &access.verdict.witness else {
        return false;
    };
    if (access.space, access.op) != (Space::Global, Op::Load)
        || Pattern::of(witness, access.width).stride.is_some()
        || !spread::symbols_of_stride(access, scope.view).is_empty()
    {
        return false;
    }
    let depth = long_loops(access, scope);
    // How far each lane's part is from what it takes here, and its bytes.
    let mut parts: Vec<(Lanes, i64)> = Vec::new();
    let mut take = |other: &Access, distances: Lanes| {
        for turn in turns(other, scope) {
            let moved = distances.map(|lane| lane.map(|distance| distance + turn));
            parts.push((moved, i64::from(other.width)));
        }
    };
    let of_all = |distance: i64| [Some(distance); WARP];
    take(access, of_all(0));
    for piece in scope.view.pieces(access) {
        take(access, of_all(piece));
    }
    let neighbours = scope.neighbours.get(scope);
    for (_, other, distance) in neighbours.near(access, LONGEST_RECORD, scope.view) {
        let is_near = distance != 0 && long_loops(other, scope) == depth;
        if let Some(distances) = spread::distances(access, other, scope.view).filter(|_| is_near) {
            take(other, distances);
        }
    }
    let addresses: Lanes = witness.addresses.map(|lane| lane.map(|byte| byte as i64));
    let lanes: Vec<i64> = addresses.iter().flatten().copied().collect();
    let width = i64::from(access.width);
    // Of two neighbours one access can be made where they lie alike in each lane.
    let mut places = lanes.iter().map(|lane| lane.rem_euclid(2 * width));
    let first = places.next();
    let is_even = places.all(|place| Some(place) == first);
    let is_neighbour = |distance: i64| {
        let mut alike = parts.iter().filter(|(_, bytes)| *bytes == width);
        alike.any(|(lanes, _)| lanes.iter().flatten().all(|one| *one == distance))
    };
    let has_neighbour = is_neighbour(width) || is_neighbour(-width);
    if is_even && has_neighbour && access.width < WIDEST {
        return false;
    }
    let sectors: FxHashSet<i64> = lanes
        .iter()
        .flat_map(|lane| (*lane..lane + width).map(|byte| byte.div_euclid(SECTOR as i64)))
        .collect();
    let part = |lanes: &Lanes, lane: usize| Some(addresses[lane]? + lanes[lane]?);
    let taken: FxHashSet<i64> = (0..WARP)
        .flat_map(|lane| {
            let of_lane = parts.iter();
            of_lane.filter_map(move |(from, bytes)| Some((part(from, lane)?, *bytes)))
        })
        .flat_map(|(from, bytes)| from..from + bytes)
        .filter(|byte| sectors.contains(&byte.div_euclid(SECTOR as i64)))
        .collect();
    2 * taken.len() > sectors.len() * SECTOR as usize
}

/// How many of the loops around the access run longer than over a record, or for nobody knows how long.
pub fn long_loops(access: &Access, scope: &Scope) -> u32 {
    const SHORT: u64 = 16;
    let Some((_, visit)) = scope.view.visit_of(access) else {
        return access.loop_depth;
    };
    let is_short = |one: &&LoopIterations| one.trip.is_some_and(|trip| trip <= SHORT);
    let short = visit.loops().filter(is_short).count() as u32;
    access.loop_depth.saturating_sub(short)
}

/// Whether a loop around the access is known to run so many times.
pub fn has_turns(access: &Access, scope: &Scope, count: u64) -> bool {
    let visit = scope.view.visit_of(access);
    visit.is_some_and(|(_, visit)| visit.loops().any(|one| one.trip == Some(count)))
}

/// How far what the access takes in the next turn of each loop around it is from what it takes in one.
fn steps_of_turns(access: &Access, scope: &Scope) -> impl Iterator<Item = i64> {
    let loops = counted_loops(access, scope).into_iter();
    loops.filter(|(trip, _)| *trip > 1).map(|(_, bytes)| bytes)
}

/// The loops around the access that are known to run so many times, innermost first, each with how far its next turn moves
/// the access.
fn counted_loops(access: &Access, scope: &Scope) -> Vec<(u64, i64)> {
    let Some((walk, visit)) = scope.view.visit_of(access) else {
        return Vec::new();
    };
    let steps = spread::steps(access, scope.view);
    let counted = visit.loops().filter_map(|one| {
        let Term::Symbol(counter) = *walk.terms.term(one.counter) else {
            return None;
        };
        let step = steps.iter().find(|step| step.symbol == counter)?;
        Some((one.trip?, step.bytes))
    });
    counted.collect()
}

/// How far what the access takes in other turns of the short loops around it is from what it takes in one.
fn turns(access: &Access, scope: &Scope) -> Vec<i64> {
    if scope.view.visit_of(access).is_none() {
        return Vec::new();
    }
    let mut all = vec![0_i64];
    for (trip, bytes) in counted_loops(access, scope) {
        let trip = i64::try_from(trip).unwrap_or(i64::MAX);
        if bytes.abs().saturating_mul(trip) <= LONGEST_RECORD {
            let before = std::mem::take(&mut all);
            all = (0..trip)
                .flat_map(|turn| before.iter().map(move |from| from + turn * bytes))
                .collect();
        }
    }
    all
}

/// A type of so many bytes that holds elements such as the access takes.
pub fn type_of(bytes: u32, access: &Access, scope: &Scope) -> &'static str {
    match (bytes, access.width, element(access, scope)) {
        (16, 4, Some(Scalar::I32)) => "int4",
        (8, 4, Some(Scalar::I32)) => "int2",
        (16, 4, Some(Scalar::U32)) => "uint4",
        (8, 4, Some(Scalar::U32)) => "uint2",
        (16, 4, _) => "float4",
        (8, 4, _) => "float2",
        (16, 8, Some(Scalar::I64)) => "longlong2",
        (16, 8, Some(Scalar::U64)) => "ulonglong2",
        (16, 8, _) => "double2",
        // Of narrower elements there is none that wide: their bits move as integers.
        (16, ..) => "uint4",
        (8, ..) => "uint2",
        (4, 2, Some(Scalar::I16)) => "short2",
        (4, 2, Some(Scalar::U16)) => "ushort2",
        (4, 2, Some(Scalar::F16)) => "half2",
        (4, 2, Some(Scalar::BF16)) => "__nv_bfloat162",
        (4, 1, Some(Scalar::I8)) => "char4",
        (4, 1, Some(Scalar::U8)) => "uchar4",
        (4, ..) => "unsigned",
        (2, 1, Some(Scalar::I8)) => "char2",
        (2, 1, Some(Scalar::U8)) => "uchar2",
        _ => "unsigned short",
    }
}

/// The type that the text accesses with.
fn element(access: &Access, scope: &Scope) -> Option<Scalar> {
    let (_, of_access) = scope.view.visit_of(access)?;
    let mut element = None;
    visit::statements(&scope.view.kernel.body, &mut |stmt| {
        if let Stmt::Load { ty, site, .. } | Stmt::Store { ty, site, .. } = stmt
            && *site == of_access.site
        {
            element = Some(*ty);
        }
    });
    element
}

impl Vector {
    pub fn of(access: &Access, scope: &Scope) -> Option<Self> {
        if access.op == Op::Atomic {
            return None;
        }
        let start = |access: &Access| {
            let witness = access.verdict.witness.as_ref()?;
            let stride = Pattern::of(witness, access.width).stride?;
            let first = witness.addresses.iter().flatten().next().copied()?;
            Some((stride, first))
        };
        let (stride, mine) = start(access)?;
        let width = access.width;
        let bytes = u32::try_from(stride).ok()?;
        let count = bytes / width.max(1);
        // Two of the widest accesses take a sector.
        let is_count = count > 1 && count.is_power_of_two();
        if !is_count || bytes % width != 0 || bytes > 2 * WIDEST {
            return None;
        }
        let mut taken = vec![false; count as usize];
        let neighbours = scope.neighbours.get(scope);
        for (other, distance) in neighbours.within(access, stride, scope.view) {
            let place = (mine as i64).wrapping_add(distance).rem_euclid(stride) as u32;
            let is_free = place.is_multiple_of(width) && !taken[(place / width) as usize];
            if is_free && spread::distance(access, other, scope.view) == Some(distance) {
                taken[(place / width) as usize] = true;
            }
        }
        taken.iter().all(|one| *one).then_some(Self { count })
    }

    /// Bytes of the access that takes the place of all, or of each of two.
    fn bytes(self, access: &Access) -> u32 {
        (self.count * access.width).min(WIDEST)
    }

    pub fn advice(self, access: &Access, scope: &Scope) -> String {
        let bytes = self.bytes(access);
        let condition = if self.is_aligned(access, scope) {
            ""
        } else {
            ", where the address is aligned for it"
        };
        let op = access.op.name();
        let taken = match self.count * access.width / bytes {
            1 => format!("one {bytes}-byte {op} takes all {}", self.count),
            pieces => format!("{pieces} {op}s of {bytes} bytes take all {}", self.count),
        };
        // The index of a member counts objects.
        if let Some(member) = access.site.member {
            return if member.size == bytes {
                format!("{taken}: read or write the object as a whole, not by its members")
            } else {
                let ty = type_of(bytes, access, scope);
                format!("{taken}: as a `{ty}` of the members that lie side by side{condition}")
            };
        }
        // What is read may point to what must not be written.
        let qualifier = if access.op == Op::Load { "const " } else { "" };
        format!(
            "{taken}: `reinterpret_cast<{qualifier}{} *>({})[…]`, whose index is this one over {}{condition}",
            type_of(bytes, access, scope),
            access.site.array,
            bytes / access.width
        )
    }

    /// Whether the place in its vector that an element has is the same under all samples: then the vectors
    /// begin at multiples of their size.
    fn is_aligned(self, access: &Access, scope: &Scope) -> bool {
        let Some(wanted) = scope.view.wanted(access) else {
            return false;
        };
        let bytes = i64::from(self.bytes(access));
        let mut sampled = scope
            .view
            .sampled(wanted.walk, wanted.conditions, wanted.offset);
        let mut places = attempts().filter_map(|attempt| {
            let lanes = sampled(attempt)?;
            let first = lanes.iter().flatten().next()?;
            Some(first.rem_euclid(bytes))
        });
        let first = places.next();
        first.is_some() && places.all(|place| Some(place) == first)
    }
}
