//! Loads and stores of one thread that together are one vector access.
//!
//! Given an access whose lanes lie a few elements apart, finds those that fill the gap. Says so
//! only where addresses prove it: same array, same stride, all elements taken, and the first one
//! aligned for the vector.

use super::pattern::Pattern;
use super::{Scope, spread};
use crate::prove::verdict::Access;

/// Widest access of the hardware, in bytes.
const WIDEST: u32 = 16;

/// A vector access in the making.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector {
    /// Elements.
    pub count: u32,
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
        let view = scope.view;
        let mut taken = vec![false; count as usize];
        for other in scope.accesses.iter().filter(|other| {
            other.instance == access.instance
                && other.launch == access.launch
                && other.declaration == access.declaration
                && other.site.array == access.site.array
                && (other.op, other.width, other.loop_depth)
                    == (access.op, access.width, access.loop_depth)
                && other.guards == access.guards
        }) {
            let Some(distance) = spread::distance(access, other, view) else {
                continue;
            };
            let place = (mine as i64).wrapping_add(distance).rem_euclid(stride) as u32;
            if distance.abs() < stride && place.is_multiple_of(width) {
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
