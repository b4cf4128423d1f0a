//! What a pointer points to, as far as its value depends on it: a pointer to a class is another address as
//! one to a base that does not lie at its start.

use crate::ir::residue::Residue;
use crate::sema::scope::offset_of_base;
use crate::sema::types::{RecordType, Type};
use std::fmt;
use std::sync::Arc;

/// The type behind a pointer.
#[derive(Clone)]
pub struct Pointee {
    /// Bytes, 0 where unknown.
    pub size: u64,
    class: Option<Arc<RecordType>>,
}

impl Pointee {
    #[must_use]
    pub fn of(ty: &Type) -> Self {
        let class = match ty {
            Type::Record(class) => Some(class.clone()),
            _ => None,
        };
        Self {
            size: ty.size().unwrap_or(0),
            class,
        }
    }

    /// Where a pointer to this points as one to `to`, given where it points now; both count bytes from the
    /// start of its allocation.
    #[must_use]
    pub fn converted(&self, to: &Type, offset: Residue) -> Residue {
        let Some(from) = &self.class else {
            return offset;
        };
        let to = match to {
            Type::Record(to) => to,
            // A class that is not known may be a base, or derive from this one.
            Type::Unknown(_) => return Residue::ANY,
            _ => return offset,
        };
        if from.identity == to.identity {
            return offset;
        }
        if [from, to].iter().any(|class| class.problem.is_some()) {
            return Residue::ANY;
        }
        let bytes = |at: u64| i64::try_from(at).map_or(Residue::ANY, Residue::exactly);
        if let Some(at) = offset_of_base(from, to, 0) {
            return offset.plus(bytes(at));
        }
        match offset_of_base(to, from, 0) {
            Some(at) => offset.plus(bytes(at).times(Residue::exactly(-1))),
            None => offset,
        }
    }
}

impl PartialEq for Pointee {
    fn eq(&self, other: &Self) -> bool {
        let identity = |one: &Self| one.class.as_ref().map(|class| class.identity);
        self.size == other.size && identity(self) == identity(other)
    }
}

impl fmt::Debug for Pointee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let identity = self.class.as_ref().map(|class| class.identity);
        write!(f, "{} {identity:?}", self.size)
    }
}
