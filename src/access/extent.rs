//! The extent of a write: which bytes of a local object it may reach.
//!
//! A subscript stays inside of its array: where that is a member of a record, the other members keep what
//! they hold. Knows expressions; knows nothing of values.

use crate::ir::{Expr, ExprId, Kernel, Object, VarId};

/// Ranges that are kept apart; more become one.
const MOST_RANGES: usize = 32;

/// Some bytes of an object: ranges in order, from the first byte to one past the last, none of which touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent(Vec<(u32, u32)>);

impl Extent {
    /// The whole object.
    #[must_use]
    pub fn all() -> Self {
        Self(vec![(0, u32::MAX)])
    }

    /// The bytes from `start` to `end`, as far as there are any.
    #[must_use]
    pub fn of(start: i64, end: i64) -> Self {
        let byte = |at: i64| u32::try_from(at.max(0)).unwrap_or(u32::MAX);
        let (start, end) = (byte(start), byte(end));
        Self(if start < end {
            vec![(start, end)]
        } else {
            Vec::new()
        })
    }

    /// From where to where it goes, where that is one range with an end.
    #[must_use]
    pub fn only(&self) -> Option<(u32, u32)> {
        match self.0.as_slice() {
            [(start, end)] if *end < u32::MAX => Some((*start, *end)),
            _ => None,
        }
    }

    /// Whether any of the bytes from `start` to `end` is among them.
    #[must_use]
    pub fn meets(&self, start: u32, end: u32) -> bool {
        self.0.iter().any(|(from, to)| *from < end && start < *to)
    }

    /// Whether all of those are among them.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        let mut ranges = other.0.iter();
        ranges.all(|(start, end)| self.0.iter().any(|(from, to)| from <= start && end <= to))
    }

    /// Takes those in as well.
    pub fn join(&mut self, other: &Self) {
        if self.covers(other) {
            return;
        }
        self.0.extend(&other.0);
        self.0.sort_unstable();
        let mut joined: Vec<(u32, u32)> = Vec::with_capacity(self.0.len());
        for (start, end) in std::mem::take(&mut self.0) {
            match joined.last_mut() {
                Some((_, last)) if start <= *last => *last = end.max(*last),
                _ => joined.push((start, end)),
            }
        }
        if let (true, Some(first), Some(last)) =
            (joined.len() > MOST_RANGES, joined.first(), joined.last())
        {
            joined = vec![(first.0, last.1)];
        }
        self.0 = joined;
    }
}

/// The bytes that an access of `size` bytes may touch, relative to the innermost pointer of the expression. `None`
/// where something other than subscripts of arrays moves it.
#[must_use]
pub(super) fn reach(kernel: &Kernel, mut pointer: ExprId, size: u32) -> Option<(ExprId, i64, i64)> {
    let (mut low, mut high) = (0_i64, i64::from(size));
    let mut is_known = true;
    while let Expr::Offset {
        pointer: inner,
        bytes,
        within,
    } = kernel.expr(pointer)
    {
        match (kernel.expr(*bytes), within) {
            (Expr::Int { value, .. }, _) => {
                low = low.saturating_add(*value);
                high = high.saturating_add(*value);
            }
            // What an element has lies in its array.
            (_, Some(array)) => (low, high) = (0, i64::from(*array)),
            _ => is_known = false,
        }
        pointer = *inner;
    }
    is_known.then_some((pointer, low, high))
}

/// The local object that a pointer goes into by name, and the bytes of it that an access may reach; `None` where the
/// text does not tell them.
#[must_use]
pub(super) fn of_named(
    kernel: &Kernel,
    pointer: ExprId,
    size: u32,
) -> Option<(VarId, Option<Extent>)> {
    if let Some((start, low, high)) = reach(kernel, pointer, size) {
        return match kernel.expr(start) {
            Expr::Address(Object::Local(object)) => Some((*object, Some(Extent::of(low, high)))),
            _ => None,
        };
    }
    let object = crate::ir::local_object(&kernel.exprs, pointer)?;
    Some((object, None))
}

#[cfg(test)]
mod tests {
    use super::Extent;

    #[test]
    fn extents_join_where_they_touch() {
        let mut some = Extent::of(0, 4);
        some.join(&Extent::of(8, 12));
        assert!(some.meets(3, 9) && !some.meets(4, 8));
        assert!(some.covers(&Extent::of(9, 11)) && !some.covers(&Extent::of(3, 9)));
        some.join(&Extent::of(4, 8));
        assert_eq!(some, Extent::of(0, 12));
        assert!(Extent::all().covers(&some) && !some.covers(&Extent::all()));
        assert!(some.covers(&Extent::of(5, 5)) && Extent::of(-8, 2) == Extent::of(0, 2));
    }
}
