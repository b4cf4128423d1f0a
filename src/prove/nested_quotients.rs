//! Quotients of one dividend, one inside the other.
//!
//! An index taken apart as `i / (C H W)`, `i / (H W) % C`, `i / W % H` has quotients that step
//! together: where `i / (H W)` steps, `i / W` does. Given the terms of a problem, writes the quotient
//! by the longer product of divisors as one of the quotient by the shorter: `(i / W) / H`. That it is
//! the same is [`Law::Nested`]. An index taken apart by remainders of remainders, `r = i % (H W)` and then
//! `r / W` and `r % W`, is brought to that form first: by [`Law::Flat`]. So is `i - i / (H W) * H * W`, which is
//! such a remainder: by [`Law::Remainder`]. Knows nothing of cases.

use super::law::Law;
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

/// Writes quotients and remainders in `roots` by others where they can be. Gives the laws that were used.
pub fn nest(terms: &mut Terms, roots: &mut [TermId]) -> Vec<Law> {
    let mut laws = Vec::new();
    if name_rests(terms, roots) {
        laws.push(Law::Remainder);
    }
    if flatten(terms, roots) {
        laws.push(Law::Flat);
    }
    if nest_quotients(terms, roots) {
        laws.push(Law::Nested);
    }
    laws
}

/// Writes `x - x / (a b) * a * b` as `x % (a b)`, whatever the order of the factors. Whether there was one.
fn name_rests(terms: &mut Terms, roots: &mut [TermId]) -> bool {
    let mut by = Substitution::default();
    let mut is_any = false;
    // Parts have smaller numbers than what they are parts of.
    for id in terms.subterms(roots.iter().copied()) {
        let Term::Binary(Op::Sub, index, taken) = *terms.term(id) else {
            continue;
        };
        let (index, taken) = (by.apply(terms, index), by.apply(terms, taken));
        let Some(divisor) = divisor_of_rest(terms, index, taken) else {
            continue;
        };
        let rest = terms.binary(Op::Rem, index, divisor);
        by.replace(terms, id, rest);
        is_any = true;
    }
    if is_any {
        for root in roots {
            *root = by.apply(terms, *root);
        }
    }
    is_any
}

/// The divisor that is no number of the quotient of `index` that `taken` is, multiplied by it.
fn divisor_of_rest(terms: &Terms, index: TermId, taken: TermId) -> Option<TermId> {
    let factors = factors_of(terms, taken)?;
    factors.iter().find_map(|quotient| {
        let Term::Binary(Op::Div, x, divisor) = *terms.term(*quotient) else {
            return None;
        };
        let others = rest(&factors, &[*quotient])?;
        let is_whole = factors_of(terms, divisor)? == others;
        let is_told = terms.constant(divisor).is_none() && !terms.is_varying(divisor);
        (x == index && is_whole && is_told).then_some(divisor)
    })
}

/// Writes `x % (a b) % b` as `x % b`, and `x % (a b) / b` as `x / b % a`. Whether there was one.
fn flatten(terms: &mut Terms, roots: &mut [TermId]) -> bool {
    let mut by = Substitution::default();
    let mut is_any = false;
    // Parts have smaller numbers than what they are parts of.
    for id in terms.subterms(roots.iter().copied()) {
        let Term::Binary(op @ (Op::Div | Op::Rem), dividend, divisor) = *terms.term(id) else {
            continue;
        };
        if terms.constant(divisor).is_some() || terms.is_varying(divisor) {
            continue;
        }
        let (dividend, divisor) = (by.apply(terms, dividend), by.apply(terms, divisor));
        let Term::Binary(Op::Rem, index, modulus) = *terms.term(dividend) else {
            continue;
        };
        let factors = factors_of(terms, modulus).zip(factors_of(terms, divisor));
        let Some(left) = factors.and_then(|(all, some)| rest(&all, &some)) else {
            continue;
        };
        let flat = match op {
            Op::Rem => terms.binary(Op::Rem, index, divisor),
            _ => {
                let quotient = terms.binary(Op::Div, index, divisor);
                match product(terms, left) {
                    Some(left) => terms.binary(Op::Rem, quotient, left),
                    None => terms.int(0),
                }
            }
        };
        by.replace(terms, id, flat);
        is_any = true;
    }
    if is_any {
        for root in roots {
            *root = by.apply(terms, *root);
        }
    }
    is_any
}

fn product(terms: &mut Terms, factors: Vec<TermId>) -> Option<TermId> {
    factors
        .into_iter()
        .reduce(|all, factor| terms.mul(all, factor))
}

/// Writes quotients in `roots` by others where they can be. Whether there was one.
fn nest_quotients(terms: &mut Terms, roots: &mut [TermId]) -> bool {
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
    let divisor = product(terms, left)?;
    Some(terms.binary(Op::Div, quotient, divisor))
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

/// The sorted factors of `all` without those in `some`; `None` where one is missing.
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
        assert_eq!(nest(&mut terms, &mut roots), [Law::Nested]);
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
        assert!(nest(&mut terms, &mut same).is_empty());
        assert_eq!(same, roots);
    }

    #[test]
    fn what_a_quotient_leaves_is_a_remainder() {
        let mut terms = Terms::default();
        let mut symbol =
            |name: &str| terms.new_symbol(name, Sharing::Uniform, Domain::range(-9, 1 << 20));
        let (index, height, width) = (symbol("i"), symbol("H"), symbol("W"));
        let plane = terms.mul(height, width);
        let outer = terms.binary(Op::Div, index, plane);
        let rows = terms.mul(outer, width);
        let taken = terms.mul(rows, height);
        let left = terms.sub(index, taken);
        let row = terms.binary(Op::Div, left, width);
        let other = terms.sub(index, rows);
        let mut roots = [row, other];
        assert!(name_rests(&mut terms, &mut roots));
        let texts = roots.map(|root| render(&terms, root, 100));
        assert_eq!(texts, ["i % (H * W) / W", "i - i / (H * W) * W"]);
    }

    #[test]
    fn remainders_of_remainders_are_flat() {
        let mut terms = Terms::default();
        let mut symbol =
            |name: &str| terms.new_symbol(name, Sharing::Uniform, Domain::range(1, 1 << 20));
        let (index, depth, height, width) = (symbol("i"), symbol("C"), symbol("H"), symbol("W"));
        let plane = terms.mul(height, width);
        let volume = terms.mul(depth, plane);
        let of_volume = terms.binary(Op::Rem, index, volume);
        let channel = terms.binary(Op::Div, of_volume, plane);
        let of_plane = terms.binary(Op::Rem, of_volume, plane);
        let row = terms.binary(Op::Div, of_plane, width);
        let column = terms.binary(Op::Rem, of_plane, width);
        let mut roots = [channel, row, column];
        assert!(flatten(&mut terms, &mut roots));
        let texts = roots.map(|root| render(&terms, root, 100));
        assert_eq!(texts, ["i / (H * W) % C", "i / W % H", "i % W"]);
    }
}
