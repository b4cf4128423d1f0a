//! Values that symbolic execution gives to variables, and the contents of locals.
//!
//! Knows terms; knows nothing of statements or loops.

use super::extent::Extent;
use crate::gpu::cost::Space;
use crate::ir::{GlobalId, Scalar, SharedId, VarId};
use crate::term::{Domain, LaneDifference, Sharing, SymbolName, TermId, Terms};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// Whether lanes of a warp may differ in a value that is not modelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variation {
    Uniform,
    Varying(LaneDifference),
}

impl Variation {
    #[must_use]
    pub fn join(self, other: &Variation) -> Variation {
        match (&self, other) {
            (Variation::Varying(_), _) => self,
            (Variation::Uniform, other) => other.clone(),
        }
    }

    #[must_use]
    pub fn sharing(&self) -> Sharing {
        match self {
            Variation::Uniform => Sharing::Uniform,
            Variation::Varying(reason) => Sharing::Varying(reason.clone()),
        }
    }
}

/// An allocation in global memory: a pointer parameter's, a pointer member's, or one whose
/// address was loaded from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AllocationId(pub u32);

#[derive(Clone, Debug)]
pub enum Base {
    Local(VarId),
    Shared(SharedId),
    Global(GlobalId),
    Allocation(AllocationId),
    /// Shared memory of some block of the cluster, perhaps of another one for each lane.
    Distributed(Variation),
    /// The null pointer: no object.
    Null,
    /// One of these, each an object or allocation, or null; the same for all lanes. What is read or
    /// written through it is no null pointer's.
    OneOf(Rc<[Base]>),
    /// Lanes may point into different objects, none of which is a local one; all are in shared memory, or not all are.
    NoLocal(LaneDifference, Space),
    /// Lanes may point into different allocations.
    Varying(LaneDifference),
    Unknown(Arc<str>),
}

/// Two choices are the same where one is a copy of the other: the same objects may be chosen by other
/// conditions.
impl PartialEq for Base {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Base::Local(a), Base::Local(b)) => a == b,
            (Base::Shared(a), Base::Shared(b)) => a == b,
            (Base::Global(a), Base::Global(b)) => a == b,
            (Base::Allocation(a), Base::Allocation(b)) => a == b,
            (Base::Distributed(a), Base::Distributed(b)) => a == b,
            (Base::Null, Base::Null) => true,
            (Base::OneOf(a), Base::OneOf(b)) => Rc::ptr_eq(a, b),
            (Base::NoLocal(a, x), Base::NoLocal(b, y)) => a == b && x == y,
            (Base::Varying(a), Base::Varying(b)) => a == b,
            (Base::Unknown(a), Base::Unknown(b)) => a == b,
            _ => false,
        }
    }
}

/// Whether one of these is a local object.
pub(super) fn has_local(all: &[Base]) -> bool {
    all.iter().any(|base| matches!(base, Base::Local(_)))
}

/// Where all of some objects are; null apart, which is nowhere.
pub(super) fn space_of(all: &[Base]) -> Space {
    let mut objects = all.iter().filter(|base| **base != Base::Null);
    match objects.all(|base| matches!(base, Base::Shared(_))) {
        true => Space::Shared,
        false => Space::Global,
    }
}

/// How lanes differ that choose among pointers, each for itself.
pub(super) fn pointer_of_each_lane() -> LaneDifference {
    LaneDifference::data("a pointer chosen per lane")
}

impl Eq for Base {}

impl Base {
    /// A new choice among the same objects; each lane chooses for itself where `varies` is set.
    #[must_use]
    pub fn one_of_those(&self, varies: bool) -> Base {
        match self {
            Base::OneOf(all) => {
                // What is written through it has to reach the locals.
                if varies && !has_local(all) {
                    return Base::NoLocal(pointer_of_each_lane(), space_of(all));
                }
                Base::OneOf(all.to_vec().into())
            }
            one => one.clone(),
        }
    }

    /// Whether both certainly are the same object.
    #[must_use]
    pub fn is_same_object(&self, other: &Self) -> bool {
        self == other && self.candidates().is_some()
    }

    /// Whether it certainly is global or constant memory.
    #[must_use]
    pub fn is_in_global_memory(&self) -> bool {
        let is_global = |base: &Base| matches!(base, Base::Global(_) | Base::Allocation(_));
        self.candidates()
            .is_some_and(|all| all.iter().all(is_global))
    }

    /// Whether it is one object, the same wherever this base stands.
    #[must_use]
    pub fn is_one(&self) -> bool {
        !matches!(
            self,
            Base::Distributed(_)
                | Base::OneOf(_)
                | Base::NoLocal(..)
                | Base::Varying(_)
                | Base::Unknown(_)
        )
    }

    /// The objects and allocations that it may be; `None` where that is not known.
    #[must_use]
    pub fn candidates(&self) -> Option<&[Base]> {
        match self {
            Base::OneOf(all) => Some(all),
            Base::Null => Some(&[]),
            Base::Distributed(_) | Base::NoLocal(..) | Base::Varying(_) | Base::Unknown(_) => None,
            one => Some(std::slice::from_ref(one)),
        }
    }
}

/// An object and a byte offset into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    pub base: Base,
    pub offset: TermId,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Int(TermId),
    Pointer(Pointer),
    /// Floating point, or anything else that is not modelled; the name is what users call it.
    Opaque(Variation, SymbolName),
}

impl Value {
    #[must_use]
    pub fn variation(&self, terms: &Terms) -> Variation {
        let of_term = |term: TermId, what: &str| {
            if !terms.is_varying(term) {
                return Variation::Uniform;
            }
            let reason = terms.data_reason(term).cloned();
            Variation::Varying(reason.unwrap_or_else(|| LaneDifference::computed(what)))
        };
        match self {
            Value::Int(term) => of_term(*term, "a value that depends on the lane"),
            Value::Pointer(pointer) => match &pointer.base {
                Base::NoLocal(reason, _)
                | Base::Varying(reason)
                | Base::Distributed(Variation::Varying(reason)) => {
                    Variation::Varying(reason.clone())
                }
                _ => of_term(pointer.offset, "an address that depends on the lane"),
            },
            Value::Opaque(variation, _) => variation.clone(),
        }
    }

    /// Whether it is a pointer into objects that are known.
    #[must_use]
    pub fn is_known_pointer(&self) -> bool {
        matches!(self, Value::Pointer(pointer) if pointer.base.candidates().is_some())
    }

    /// The value as an integer term of type `ty`; a new symbol where it is not modelled.
    pub fn as_term(&self, terms: &mut Terms, ty: Scalar) -> TermId {
        match self {
            Value::Int(term) => *term,
            Value::Pointer(_) => {
                let sharing = self.variation(terms).sharing();
                terms.new_symbol("an address", sharing, Domain::of_type(Scalar::U64))
            }
            Value::Opaque(variation, name) => {
                terms.new_symbol(name.clone(), variation.sharing(), Domain::of_type(ty))
            }
        }
    }
}

/// The bytes of a local object: what is known to stand at constant offsets.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// Offset to size and value; cells do not overlap.
    pub cells: BTreeMap<u32, (u32, Value)>,
    /// Everything else.
    pub rest: Variation,
    /// Nothing was seen to write anything else: what is read there says nothing.
    pub is_unset: bool,
    /// Counts what made the rest another one: where two states differ in it, it may be any.
    pub changes: u64,
    /// A pointer whose objects were known is among what is not known any more.
    pub has_lost_a_pointer: bool,
}

impl Contents {
    #[must_use]
    pub fn empty() -> Self {
        Self {
            cells: BTreeMap::new(),
            rest: Variation::Uniform,
            is_unset: true,
            changes: 0,
            has_lost_a_pointer: false,
        }
    }

    /// The value of `size` bytes at `offset`, where one cell holds just them.
    #[must_use]
    pub fn read(&self, offset: u32, size: u32) -> Option<&Value> {
        self.cells
            .get(&offset)
            .filter(|(cell, _)| *cell == size)
            .map(|(_, value)| value)
    }

    /// Whether lanes may differ anywhere in the object.
    #[must_use]
    pub fn variation(&self, terms: &Terms) -> Variation {
        self.cells
            .values()
            .fold(self.rest.clone(), |all, (_, value)| {
                all.join(&value.variation(terms))
            })
    }

    /// Writes one cell; what it overlaps becomes unknown.
    pub fn write(&mut self, terms: &Terms, offset: u32, size: u32, value: Value) {
        let end = offset.saturating_add(size);
        let overlapping: Vec<u32> = self
            .cells
            .range(offset.saturating_sub(64)..end)
            .filter(|(at, (cell, _))| **at < end && at.saturating_add(*cell) > offset)
            .map(|(at, _)| *at)
            .collect();
        for at in overlapping {
            if let Some((cell, old)) = self.cells.remove(&at)
                && (at, cell) != (offset, size)
            {
                self.has_lost_a_pointer |= old.is_known_pointer();
                self.rest = self.rest.clone().join(&old.variation(terms));
                self.is_unset = false;
                self.changes += 1;
            }
        }
        self.cells.insert(offset, (size, value));
    }

    /// Whether an access of some of the bytes may meet one that nothing was seen to write.
    #[must_use]
    pub fn may_be_unset(&self, extent: &Extent) -> bool {
        let Some((start, end)) = extent.only() else {
            return self.is_unset;
        };
        let mut at = start;
        while at < end && self.is_unset {
            let covers = |(from, (size, _)): &(&u32, &(u32, Value))| {
                **from <= at && at < from.saturating_add(*size)
            };
            let mut before = self.cells.range(..=at).rev().take(8);
            match before.find(covers) {
                Some((from, (size, _))) => at = from.saturating_add(*size),
                None => return true,
            }
        }
        false
    }

    /// Whether lanes may differ in what an access of some of the bytes gives.
    #[must_use]
    pub fn variation_of(&self, terms: &Terms, extent: &Extent) -> Variation {
        let cells = self.cells.iter();
        let reached = cells.filter(|(at, (size, _))| extent.meets(**at, at.saturating_add(*size)));
        reached.fold(self.rest.clone(), |all, (_, (_, value))| {
            all.join(&value.variation(terms))
        })
    }

    /// Forgets some of the bytes; lanes may differ in them as `variation` says.
    pub fn havoc(&mut self, terms: &Terms, extent: &Extent, variation: &Variation) {
        self.rest = self.variation_of(terms, extent).join(variation);
        self.is_unset = false;
        self.changes += 1;
        let is_kept = |at: u32, size: u32| !extent.meets(at, at.saturating_add(size));
        let lost = &mut self.has_lost_a_pointer;
        self.cells.retain(|at, (size, value)| {
            let is_kept = is_kept(*at, *size);
            *lost |= !is_kept && value.is_known_pointer();
            is_kept
        });
    }

    /// Whether some of the bytes are those of a pointer.
    #[must_use]
    pub fn holds_a_pointer_in(&self, extent: &Extent) -> bool {
        self.cells.iter().any(|(at, (size, value))| {
            matches!(value, Value::Pointer(_)) && extent.meets(*at, at.saturating_add(*size))
        })
    }

    /// Whether a pointer stands in it.
    #[must_use]
    pub fn holds_a_pointer(&self) -> bool {
        let mut cells = self.cells.values();
        cells.any(|(_, value)| matches!(value, Value::Pointer(_)))
    }
}
