//! Loads and stores of one thread that together are one vector access.
//!
//! Given an access whose lanes lie a few elements apart, finds those that fill the gap. Says so
//! only where addresses prove it: same array, same stride, all elements taken, and the first one
//! aligned for the vector.

use super::Scope;
use super::kernel_facts::{First, KernelFacts, Wanted};
use super::lane_pattern::Pattern;
use super::spread::{self, DISTANCE_STEP};
use crate::gpu::Op;
use crate::prove::verdict::{Access, LaunchShape};
use crate::source::Span;
use crate::term::TermId;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// Widest access of the hardware, in bytes.
const WIDEST: u32 = 16;

/// A vector access in the making.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector {
    /// Elements.
    pub count: u32,
}

/// What accesses that one could take the place of have in common.
#[derive(PartialEq, Eq, Hash)]
struct Kind<'a> {
    launch: &'a LaunchShape,
    declaration: Option<Span>,
    array: &'a str,
    op: Op,
    width: u32,
    loop_depth: u32,
    guards: &'a [String],
    conditions: &'a [TermId],
}

/// Accesses of one kind, each with its first lane in a sample, in order of where that goes.
type Placed<'a> = Vec<(First, &'a Access)>;

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
    fn of(access: &'a Access, conditions: &'a [TermId]) -> Self {
        Self {
            launch: &access.launch,
            declaration: access.declaration,
            array: &access.site.array,
            op: access.op,
            width: access.width,
            loop_depth: access.loop_depth,
            guards: &access.guards,
            conditions,
        }
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
        let firsts = scope.view.firsts(&wanted, DISTANCE_STEP);
        let mut this = Self {
            firsts: FxHashMap::default(),
            all: FxHashMap::default(),
        };
        for ((access, wanted), first) in own.into_iter().zip(wanted).zip(firsts) {
            if let (Some(wanted), Some(first)) = (wanted, first) {
                this.firsts.insert(access, first);
                let placed = this.all.entry(Kind::of(access, wanted.conditions));
                placed.or_default().push((first, access));
            }
        }
        for placed in this.all.values_mut() {
            placed.sort_by_key(|(first, _)| *first);
        }
        this
    }

    /// Accesses of the same kind less than so many bytes away in the sample, with their distance.
    fn within<'s>(
        &'s self,
        access: &'s Access,
        bytes: i64,
        view: &'s KernelFacts,
    ) -> impl Iterator<Item = (&'s Access, i64)> {
        let kind = view
            .wanted(access)
            .map(|wanted| Kind::of(access, wanted.conditions));
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
        let from = placed.partition_point(|(first, _)| *first < lowest);
        placed[from..]
            .iter()
            .map_while(move |(first, other)| Some((*other, distance(first)?)))
    }
}

impl Vector {
    pub fn of(access: &Access, scope: &Scope) -> Option<Self> {
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
        if !matches!(count, 2 | 4) || bytes % width != 0 || bytes > WIDEST {
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

    pub fn advice(self, access: &Access) -> String {
        let bytes = self.count * access.width;
        let name = match bytes {
            16 => "float4",
            8 => "float2",
            _ => "a vector type",
        };
        format!(
            "one {bytes}-byte {} takes all {}: `reinterpret_cast<{name} *>({})[…]`, whose index is this one over {}",
            access.op.name(),
            self.count,
            access.site.array,
            self.count
        )
    }
}
