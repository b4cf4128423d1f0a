//! Claims about ranges: what bounds an address whose value is not known.
//!
//! Given a term, gives a claim for each operation in it: from operands within their bounds comes a
//! result within its own. With the domains of symbols, by induction over the term, the address lies
//! within its bounds; one more claim says how much can lie there. Other terms need none: comparisons
//! are 0 or 1 and wrapped values of their type by definition, and of selections and tables the bounds
//! are those of the numbers or sides. Knows nothing of how bounds were found.

use super::claim::{Claim, Hash};
use super::explore::Problem;
use crate::gpu::cost::Space;
use crate::term::{Domain, LIMIT, Op, Term, TermId};
use rustc_hash::FxHashSet;
use std::fmt::Write as _;

/// Least and greatest value; from [`LIMIT`] on there is none.
pub type Bounds = (i64, i64);

/// That a result lies within bounds if what it is made of does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Range {
    /// Of an operation on two integers that C gives a value.
    Of {
        op: Op,
        left: Bounds,
        right: Bounds,
        result: Bounds,
    },
    /// Bytes within these bounds lie in no more than `most` sectors, or have no more than `most` words
    /// of one bank.
    Span {
        bytes: Bounds,
        is_shared: bool,
        most: u32,
    },
}

/// The claims that a request costs no more than `most` because its address has bounds, each once.
#[must_use]
pub fn claims(problem: &Problem, most: u32) -> Vec<(Hash, Claim)> {
    let terms = &problem.terms;
    let mut found = Vec::new();
    let mut claimed = FxHashSet::default();
    let mut add = |range: Range| {
        if claimed.insert(range) {
            let claim = Claim::Range(range);
            found.push((claim.hash(), claim));
        }
    };
    let mut seen = FxHashSet::default();
    let mut stack = vec![problem.address];
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        match *terms.term(id) {
            Term::Binary(op, a, b) if is_arithmetic(op) => {
                let bounds = |part: TermId| match terms.constant(part) {
                    Some(value) => (value, value),
                    None => terms.interval(part),
                };
                let (mut left, mut right) = (bounds(a), bounds(b));
                let everything = (-LIMIT, LIMIT);
                // A mask bounds whatever is masked.
                let is_mask = |part: Bounds| op == Op::And && part.0 >= 0 && part.0 == part.1;
                if is_mask(right) {
                    left = everything;
                } else if is_mask(left) {
                    right = everything;
                } else {
                    stack.extend([a, b]);
                }
                let result = terms.interval(id);
                if result.0 > -LIMIT || result.1 < LIMIT {
                    add(Range::Of {
                        op,
                        left,
                        right,
                        result,
                    });
                }
            }
            Term::Select(_, a, b) => stack.extend([a, b]),
            Term::Wrap(ty, a) => {
                let (low, high) = terms.interval(a);
                let domain = Domain::of_type(ty);
                if domain.low <= low && high <= domain.high {
                    stack.push(a);
                }
            }
            _ => {}
        }
    }
    let (low, high) = terms.interval(problem.address);
    let last = high.saturating_add(i64::from(problem.width) - 1);
    add(Range::Span {
        bytes: (low, last),
        is_shared: problem.space == Space::Shared,
        most,
    });
    found
}

fn is_arithmetic(op: Op) -> bool {
    match op {
        Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem | Op::Shl | Op::Shr => true,
        Op::And | Op::Or | Op::Xor | Op::Min | Op::Max => true,
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::LogicalAnd | Op::LogicalOr => false,
    }
}

impl Range {
    /// The claim, negated.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::Of {
                op,
                left,
                right,
                result,
            } => of_operation(op, left, right, result),
            Self::Span {
                bytes,
                is_shared,
                most,
            } => {
                let (unit, apart) = if is_shared {
                    (4, 32 * most)
                } else {
                    (32, most)
                };
                let mut text = String::from("(set-logic QF_LIA)\n");
                Kind::Integer.declare("x", bytes, &mut text);
                Kind::Integer.declare("y", bytes, &mut text);
                let _ = writeln!(
                    text,
                    "(assert (not (< (- (div y {unit}) (div x {unit})) {apart})))"
                );
                text
            }
        }
    }
}

/// The kind of an operation's operands.
#[derive(Clone, Copy)]
enum Kind {
    Integer,
    Word,
}

impl Kind {
    fn number(self, value: i64) -> String {
        match self {
            Self::Integer if value < 0 => format!("(- {})", value.unsigned_abs()),
            Self::Integer => value.to_string(),
            Self::Word => format!("#x{:016x}", value as u64),
        }
    }

    /// That `name` lies within bounds, as far as it has any.
    fn within(self, name: &str, (low, high): Bounds) -> String {
        let order = match self {
            Self::Integer => "<=",
            Self::Word => "bvsle",
        };
        let mut text = String::from("(and true");
        if low > -LIMIT {
            let _ = write!(text, " ({order} {} {name})", self.number(low));
        }
        if high < LIMIT {
            let _ = write!(text, " ({order} {name} {})", self.number(high));
        }
        text + ")"
    }

    fn declare(self, name: &str, bounds: Bounds, text: &mut String) {
        let sort = match self {
            Self::Integer => "Int",
            Self::Word => "(_ BitVec 64)",
        };
        let _ = writeln!(text, "(declare-const {name} {sort})");
        let _ = writeln!(text, "(assert {})", self.within(name, bounds));
    }
}

fn of_operation(op: Op, left: Bounds, right: Bounds, result: Bounds) -> String {
    let by = (right.0 == right.1).then_some(right.0);
    let kind = match (op, by) {
        (Op::And | Op::Or | Op::Xor, _) | (Op::Shl | Op::Shr, None) => Kind::Word,
        _ => Kind::Integer,
    };
    let mut text = String::from(match kind {
        Kind::Integer => "(set-logic QF_NIA)\n",
        Kind::Word => "(set-logic QF_BV)\n",
    });
    // A number in place of an unknown keeps the claim linear.
    let mut operand = |name: &str, bounds: Bounds| {
        if bounds.0 == bounds.1 {
            return kind.number(bounds.0);
        }
        kind.declare(name, bounds, &mut text);
        name.to_owned()
    };
    let (x, y) = (operand("x", left), operand("y", right));
    // Division is C's: towards 0, and of nothing by 0.
    let signed = |by: &str| format!("(ite (>= {x} 0) ({by} {x} {y}) (- ({by} (- {x}) {y})))");
    let power = |by: i64| 1_i64.checked_shl(by.clamp(0, 62) as u32).unwrap_or(1);
    let value = match (op, by) {
        (Op::Add, _) => format!("(+ {x} {y})"),
        (Op::Sub, _) => format!("(- {x} {y})"),
        (Op::Mul, _) => format!("(* {x} {y})"),
        (Op::Div, _) => signed("div"),
        (Op::Rem, _) => signed("mod"),
        (Op::Shl, Some(by)) => format!("(* {x} {})", power(by)),
        (Op::Shr, Some(by)) => format!("(div {x} {})", power(by)),
        (Op::Shl, None) => format!("(bvshl {x} {y})"),
        (Op::Shr, None) => format!("(bvashr {x} {y})"),
        (Op::And, _) => format!("(bvand {x} {y})"),
        (Op::Or, _) => format!("(bvor {x} {y})"),
        (Op::Xor, _) => format!("(bvxor {x} {y})"),
        (Op::Min, _) => format!("(ite (<= {x} {y}) {x} {y})"),
        (Op::Max, _) => format!("(ite (<= {x} {y}) {y} {x})"),
        // They are 0 or 1 whatever they compare; no claim is made of them.
        (Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::LogicalAnd | Op::LogicalOr, _) => "0".to_owned(),
    };
    if matches!(op, Op::Div | Op::Rem) {
        let _ = writeln!(text, "(assert (not (= {y} 0)))");
    }
    let within = kind.within("r", result);
    let _ = writeln!(text, "(assert (let ((r {value})) (not {within})))");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prove::smt::{self, Answer};

    fn of(op: Op, left: Bounds, right: Bounds, result: Bounds) -> Answer {
        smt::check(&Claim::Range(Range::Of {
            op,
            left,
            right,
            result,
        }))
    }

    #[test]
    fn bounds_that_hold_are_proved_and_others_refuted() {
        let byte = (0, 255);
        for (op, left, right, result, less) in [
            (Op::Add, byte, (0, 3), (0, 258), (0, 257)),
            (Op::Sub, byte, byte, (-255, 255), (0, 255)),
            (Op::Mul, (-3, 5), (-7, 2), (-35, 21), (-34, 21)),
            (Op::Div, (-9, 9), (2, 2), (-4, 4), (-3, 4)),
            (Op::Rem, (-100, 100), (0, 8), (-7, 7), (0, 7)),
            (Op::Shl, byte, (0, 4), (0, 4080), (0, 4079)),
            (Op::Shr, (-16, 255), (2, 2), (-4, 63), (-3, 63)),
            (Op::And, (-LIMIT, LIMIT), (63, 63), (0, 63), (0, 62)),
            (Op::Or, byte, (0, 300), (0, 511), (0, 300)),
            (Op::Xor, byte, byte, (0, 255), (0, 254)),
            (Op::Min, byte, (0, 9), (0, 9), (0, 8)),
            (Op::Max, byte, (7, 9), (7, 255), (8, 255)),
        ] {
            assert_eq!(of(op, left, right, result), Answer::Proved, "{op:?}");
            assert_eq!(of(op, left, right, less), Answer::Refuted, "{op:?}");
        }
    }

    #[test]
    fn a_span_holds_so_much_and_no_less() {
        for (bytes, is_shared, most) in [
            ((0, 1023), true, 8),
            ((0, 255), false, 8),
            ((5, 64), false, 3),
        ] {
            let claim = |most| {
                smt::check(&Claim::Range(Range::Span {
                    bytes,
                    is_shared,
                    most,
                }))
            };
            assert_eq!(claim(most), Answer::Proved);
            assert_eq!(claim(most - 1), Answer::Refuted);
        }
    }
}
