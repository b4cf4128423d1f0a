//! What objects of a type may hold: addresses, or numbers alone.

use super::{MAX_DEPTH, RecordType, Type};
use crate::ir::Scalar;

impl Type {
    /// Whether no part of such an object is large enough for an address, nor raw storage in which one may
    /// be built.
    #[must_use]
    pub fn holds_numbers(&self) -> bool {
        let is_number = |scalar: &crate::ir::Scalar| {
            scalar.is_float() || (scalar.is_integer() && matches!(scalar.size(), 2 | 4))
        };
        self.all_parts(MAX_DEPTH, &mut |part, _| match part {
            Self::Scalar(scalar, _) | Self::Vector { scalar, .. } => is_number(scalar),
            _ => false,
        })
    }

    /// Whether a part is two halves with a copy constructor of their own: `half2`, `__nv_bfloat162`.
    #[must_use]
    pub fn holds_pair_of_halves(&self) -> bool {
        let mut found = false;
        self.all_parts(MAX_DEPTH, &mut |part, _| {
            found |= matches!(
                part,
                Self::Vector {
                    scalar: Scalar::F16 | Scalar::BF16,
                    lanes: 2,
                    ..
                }
            );
            true
        });
        found
    }

    /// Whether a constant of the type stays what it is: no member of it is `mutable`.
    #[must_use]
    pub fn is_fixed_if_const(&self) -> bool {
        self.all_parts(MAX_DEPTH, &mut |part, is_mutable| {
            !is_mutable && !matches!(part, Self::Opaque(_) | Self::Unknown(_))
        })
    }

    /// Whether `holds` for all parts that are no classes or arrays, with whether they are `mutable`.
    fn all_parts(&self, depth: u32, holds: &mut dyn FnMut(&Self, bool) -> bool) -> bool {
        if depth == 0 {
            return false;
        }
        match self {
            Self::Array(element, _) | Self::Qualified(element) => {
                element.all_parts(depth - 1, holds)
            }
            Self::Record(record) => record.all_parts(depth - 1, holds),
            other => holds(other, false),
        }
    }
}

impl RecordType {
    fn all_parts(&self, depth: u32, holds: &mut dyn FnMut(&Type, bool) -> bool) -> bool {
        self.problem.is_none()
            && !self.is_polymorphic
            && self
                .bases
                .iter()
                .all(|(_, base)| base.all_parts(depth.saturating_sub(1), holds))
            && self.fields.iter().all(|field| {
                let is_mutable = field.is_const == Some(false);
                field
                    .ty
                    .all_parts(depth, &mut |part, inner| holds(part, inner || is_mutable))
            })
    }
}
