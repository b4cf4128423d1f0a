//! Quotients of one dividend, one inside the other.
//!
//! An index taken apart as `i / (C H W)`, `i / (H W) % C`, `i / W % H` has quotients that step
//! together: where `i / (H W)` steps, `i / W` does. Given the terms of a problem, writes the quotient
//! by the longer product of divisors as one of the quotient by the shorter: `(i / W) / H`. That it is
//! the same is [`super::law::Law::Nested`]. Knows nothing of cases.

use crate::term::substitution::Substitution;
use crate::term::{Op, Term, TermId, Terms};

/// Most factors of a divisor that are told apart.
const MAX_FACTORS: usize = 8;

/// A quotient, or a remainder that goes with one.
struct Division {
    id: TermId,
    op: Op,
    dividend: TermId,
    divisor: TermId,
    /// The divisor's factors, in order.
    factors: Vec<TermId>,
}

/// Writes quotients in `roots` by others where they can be. Whether there was one.
pub fn nest(terms: &mut Terms, roots: &mut [TermId]) -> bool {
    let divisions = divisions(terms, roots);
    let mut nested_by = Substitution::default();
    let mut is_any = false;
    // Parts have smaller numbers than what they are parts of.
    for division in &divisions {
        let Some(quotient) = nested(terms, &divisions, division) else {
            continue;
        };
        is_any = true;
        // The dividend may have quotients of its own.
        let quotient = nested_by.apply(terms, quotient);
        let new = if division.op == Op::Div {
            quotient
        } else {
            let dividend = nested_by.apply(terms, division.dividend);
            let divisor = nested_by.apply(terms, division.divisor);
            let product = terms.mul(quotient, divisor);
            terms.sub(dividend, product)
        };
        nested_by.replace(terms, division.id, new);
    }
    if is_any {
        for root in roots {
            *root = nested_by.apply(terms, *root);
        }
    }
    is_any
}

/// The quotient of `division` by way of the one with the longest divisor within its own, which may go
/// by way of another one itself.
fn nested(terms: &mut Terms, divisions: &[Division], division: &Division) -> Option<TermId> {
    let (inner, left) = divisions
        .iter()
        .filter(|other| {
            other.dividend == division.dividend && other.factors.len() < division.factors.len()
        })
        .filter_map(|other| Some((other, rest(&division.factors, &other.factors)?)))
        .max_by_key(|(other, _)| (other.factors.len(), std::cmp::Reverse(other.id)))?;
    let quotient = match nested(terms, divisions, inner) {
        Some(quotient) => quotient,
        None => terms.binary(Op::Div, inner.dividend, inner.divisor),
    };
    let mut divisor = None;
    for factor in left {
        divisor = Some(match divisor {
            Some(product) => terms.mul(product, factor),
            None => factor,
        });
    }
    Some(terms.binary(Op::Div, quotient, divisor?))
}

/// The quotients and remainders below `roots` that have a shared divisor which is no number.
fn divisions(terms: &Terms, roots: &[TermId]) -> Vec<Division> {
    let mut found = Vec::new();
    for id in terms.subterms(roots.iter().copied()) {
        let Term::Binary(op @ (Op::Div | Op::Rem), dividend, divisor) = *terms.term(id) else {
            continue;
        };
        if terms.constant(divisor).is_some() || terms.is_varying(divisor) {
            continue;
        }
        let Some(factors) = factors_of(terms, divisor) else {
            continue;
        };
        found.push(Division {
            id,
            op,
            dividend,
            divisor,
            factors,
        });
    }
    found
}

fn factors_of(terms: &Terms, id: TermId) -> Option<Vec<TermId>> {
    let mut factors = Vec::new();
    let mut stack = vec![id];
    while let Some(id) = stack.pop() {
        match *terms.term(id) {
            Term::Binary(Op::Mul, a, b) => stack.extend([a, b]),
            _ => factors.push(id),
        }
        if factors.len() + stack.len() > MAX_FACTORS {
            return None;
        }
    }
    factors.sort_unstable();
    Some(factors)
}

/// What is left of `all`, which is in order, without the factors in `some`; `None` where one is missing.
fn rest(all: &[TermId], some: &[TermId]) -> Option<Vec<TermId>> {
    let mut left = all.to_vec();
    for factor in some {
        let at = left.iter().position(|other| other == factor)?;
        left.remove(at);
    }
    Some(left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::render::render;
    use crate::term::{Domain, Sharing};

    #[test]
    fn quotients_of_one_index_are_nested() {
        let mut terms = Terms::default();
        let mut symbol =
            |name: &str| terms.new_symbol(name, Sharing::Uniform, Domain::range(1, 1 << 20));
        let (index, depth, height, width) = (symbol("i"), symbol("C"), symbol("H"), symbol("W"));
        let plane = terms.mul(height, width);
        let volume = terms.mul(depth, plane);
        let outer = terms.binary(Op::Div, index, volume);
        let of_plane = terms.binary(Op::Div, index, plane);
        let channel = terms.binary(Op::Rem, of_plane, depth);
        let of_row = terms.binary(Op::Div, index, width);
        let row = terms.binary(Op::Rem, of_row, height);
        let rest = terms.binary(Op::Rem, index, plane);
        let mut roots = [outer, channel, row, rest];
        assert!(nest(&mut terms, &mut roots));
        let texts = roots.map(|root| render(&terms, root, 100));
        assert_eq!(
            texts,
            [
                "i / W / H / C",
                "i / W / H % C",
                "i / W % H",
                "i - i / W / H * (H * W)"
            ]
        );
    }

    #[test]
    fn quotients_by_other_divisors_stay() {
        let mut terms = Terms::default();
        let mut symbol =
            |name: &str| terms.new_symbol(name, Sharing::Uniform, Domain::range(1, 1 << 20));
        let (index, other, height, width) = (symbol("i"), symbol("j"), symbol("H"), symbol("W"));
        let plane = terms.mul(height, width);
        let roots = [
            terms.binary(Op::Div, index, plane),
            terms.binary(Op::Div, other, width),
        ];
        let mut same = roots;
        assert!(!nest(&mut terms, &mut same));
        assert_eq!(same, roots);
    }
}
