//! Bounds of an index: the conditions that an interior warp passes whole.
//!
//! Given a condition, tells whether it orders two values whose difference goes one way from lane to
//! lane. Blocks before such a bound pass it with all lanes. `i % n < m` is none: of every `n` lanes some
//! fail it, in every block. Knows nothing of costs or cases.

use crate::term::{Op, Term, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// How a value goes from lane to lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    /// All lanes share it.
    Level,
    Rises,
    Falls,
    /// It goes one way, and a symbol says which.
    OneWay,
}

impl Direction {
    fn opposite(self) -> Self {
        match self {
            Self::Rises => Self::Falls,
            Self::Falls => Self::Rises,
            other => other,
        }
    }

    /// Of a sum of two.
    fn and(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Level, one) | (one, Self::Level) => Some(one),
            (one, two) if one == two && one != Self::OneWay => Some(one),
            _ => None,
        }
    }

    /// Where it is multiplied by a shared value between these bounds.
    fn times(self, (low, high): (i64, i64)) -> Self {
        match self {
            Self::Level => Self::Level,
            _ if low >= 0 => self,
            _ if high <= 0 => self.opposite(),
            _ => Self::OneWay,
        }
    }
}

/// Results for terms, kept because terms share parts.
type Known = FxHashMap<TermId, Option<Direction>>;

/// Whether the condition orders two values whose difference goes one way.
#[must_use]
pub fn is_bound(terms: &Terms, condition: TermId) -> bool {
    let mut known = Known::default();
    let mut stack = vec![condition];
    let mut seen = FxHashSet::default();
    while let Some(part) = stack.pop() {
        if !terms.is_varying(part) || !seen.insert(part) {
            continue;
        }
        match *terms.term(part) {
            Term::Binary(Op::LogicalAnd | Op::LogicalOr, a, b) => stack.extend([a, b]),
            Term::Not(inner) => stack.push(inner),
            Term::Binary(Op::Lt | Op::Le, a, b) => {
                let sides = [a, b].map(|side| direction(terms, side, &mut known));
                let [Some(a), Some(b)] = sides else {
                    return false;
                };
                if a.and(b.opposite()).is_none() {
                    return false;
                }
            }
            _ => return false,
        }
    }
    true
}

fn direction(terms: &Terms, id: TermId, known: &mut Known) -> Option<Direction> {
    if !terms.is_varying(id) {
        return Some(Direction::Level);
    }
    if let Some(found) = known.get(&id) {
        return *found;
    }
    let found = direction_new(terms, id, known);
    known.insert(id, found);
    found
}

/// Which way a value goes; `None` where it may go up and down.
fn direction_new(terms: &Terms, id: TermId, known: &mut Known) -> Option<Direction> {
    let mut of = |id| direction(terms, id, known);
    match *terms.term(id) {
        Term::Symbol(_) if terms.has_data(id) => None,
        Term::Symbol(_) => Some(Direction::Rises),
        Term::Binary(Op::Add, a, b) => of(a)?.and(of(b)?),
        Term::Binary(Op::Sub, a, b) => of(a)?.and(of(b)?.opposite()),
        Term::Binary(Op::Mul, a, b) if !terms.is_varying(b) => {
            Some(of(a)?.times(terms.interval(b)))
        }
        Term::Binary(Op::Mul, a, b) if !terms.is_varying(a) => {
            Some(of(b)?.times(terms.interval(a)))
        }
        Term::Binary(Op::Div, a, b) if !terms.is_varying(b) => {
            Some(of(a)?.times(terms.interval(b)))
        }
        Term::Binary(Op::Shl | Op::Shr, a, b) if !terms.is_varying(b) => of(a),
        Term::Binary(Op::Min | Op::Max, a, b) => of(a)?.and(of(b)?),
        Term::Wrap(_, a) => of(a),
        Term::Table(index, ref values) if of(index)? == Direction::Rises => {
            if values.is_sorted() {
                Some(Direction::Rises)
            } else {
                values
                    .is_sorted_by(|a, b| a >= b)
                    .then_some(Direction::Falls)
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Domain, Sharing};

    #[test]
    fn an_index_below_a_bound_is_one_and_a_remainder_is_none() {
        let mut terms = Terms::default();
        let lane = terms.new_symbol("lane", Sharing::Lane, Domain::range(0, 31));
        let domain = Domain::range(1, i64::from(i32::MAX));
        let n = terms.new_symbol("n", Sharing::Uniform, domain.clone());
        let m = terms.new_symbol("m", Sharing::Uniform, domain);
        let below = terms.binary(Op::Lt, lane, n);
        assert!(is_bound(&terms, below));
        let row = terms.binary(Op::Div, lane, n);
        let is_row = terms.binary(Op::Lt, row, m);
        assert!(is_bound(&terms, is_row));
        let column = terms.binary(Op::Rem, lane, n);
        let is_column = terms.binary(Op::Lt, column, m);
        assert!(!is_bound(&terms, is_column));
        // The same, spelled as what the quotient leaves.
        let whole = terms.mul(row, n);
        let end = terms.add(whole, m);
        let is_half = terms.binary(Op::Lt, lane, end);
        assert!(!is_bound(&terms, is_half));
    }
}
