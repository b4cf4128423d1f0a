//! Symbols that only occur together, as one.
//!
//! Given the terms of a problem, looks for two shared symbols `s` and `t`, `0 <= t < n`, that occur
//! in sums of the form `k n s + k t + …` only: `blockIdx.x` and the warp in
//! `blockIdx.x * 256 + warp * 32 + lane`. As `s` and `t` vary, `n s + t` takes every value of one
//! range, so a single symbol `g` stands for both and cases are made for it once. Gives the terms with
//! `g` in them, and `g / n` and `g % n` for what `s` and `t` were. Knows nothing of cases or costs.

use super::claim::{Identity, Node, Sum};
use crate::term::substitution::Substitution;
use crate::term::{Domain, Op, Sharing, SymbolId, Term, TermId, Terms};
use rustc_hash::FxHashSet;

/// Most parts of a sum that are looked through.
const MAX_PARTS: usize = 64;

/// `k n s + k t = k (n s + t)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Join {
    /// How many values `t` has.
    pub many: i64,
    /// `k`, of one of the sums.
    pub step: i64,
}

impl Join {
    /// The claim that a sum has the joint symbol's multiple in it: `k n s + k t = k (n s + t)`. That
    /// every value of the joint symbol is `n s + t` for some `s` and `t` is the law of remainders.
    #[must_use]
    pub fn identity(&self) -> Identity {
        Identity {
            unknowns: vec![false, false],
            nodes: vec![
                Node::Sum(Sum::of(&[(self.many, &[0]), (1, &[1])])),
                Node::Number(self.step),
                Node::Multiply(0, 1),
            ],
            equal: vec![(
                2,
                Sum::of(&[(self.many * self.step, &[0]), (self.step, &[1])]),
            )],
            of_address: 1,
        }
    }
}

/// Two symbols that may be one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Pair {
    high: SymbolId,
    low: SymbolId,
}

/// Replaces symbols in `roots` that only occur together; `values` are what symbols are, in terms of
/// those that are left. Gives what was joined: nothing where no two symbols can be.
pub fn join(terms: &mut Terms, roots: &mut [TermId], values: &mut [TermId]) -> Vec<Join> {
    let mut joins = Vec::new();
    let mut tried = FxHashSet::default();
    while let Some((pair, many, step)) = candidate(terms, roots, &mut tried) {
        let (Domain { low, high, .. }, name) = {
            let symbol = terms.symbol(pair.high);
            let low_name = &terms.symbol(pair.low).name;
            let name = format!("({} * {many} + {low_name})", symbol.name);
            (symbol.domain.clone(), name)
        };
        let bounds = low.checked_mul(many).zip(
            high.checked_mul(many)
                .and_then(|most| most.checked_add(many - 1)),
        );
        let Some((low, high)) = bounds else { continue };
        let joint = terms.new_symbol(name, Sharing::Uniform, Domain::range(low, high));
        let mut sums = sums_with(terms, roots, pair, many, joint);
        let new: Vec<TermId> = roots.iter().map(|root| sums.apply(terms, *root)).collect();
        let left = terms.symbols_in(new.iter().copied());
        if left.contains(&pair.high) || left.contains(&pair.low) {
            continue;
        }
        roots.copy_from_slice(&new);
        let many_term = terms.int(many);
        let parts = [
            (pair.high, terms.binary(Op::Div, joint, many_term)),
            (pair.low, terms.binary(Op::Rem, joint, many_term)),
        ];
        let mut by = Substitution::of_symbols(terms, parts);
        for value in values.iter_mut() {
            *value = by.apply(terms, *value);
        }
        joins.push(Join { many, step });
    }
    joins
}

/// The next pair that stands in a sum as it should, how many values the lower one has, and its factor.
fn candidate(
    terms: &Terms,
    roots: &[TermId],
    tried: &mut FxHashSet<Pair>,
) -> Option<(Pair, i64, i64)> {
    for id in terms.subterms(roots.iter().copied()) {
        if !is_sum(terms, id) {
            continue;
        }
        let Some(symbols) = parts_of(terms, id).map(|parts| symbols_among(terms, &parts)) else {
            continue;
        };
        for (low, step) in &symbols {
            let domain = &terms.symbol(*low).domain;
            let Some(many) = domain.count(1024).filter(|_| domain.low == 0) else {
                continue;
            };
            let many = many as i64;
            for (high, factor) in &symbols {
                let pair = Pair {
                    high: *high,
                    low: *low,
                };
                let fits = high != low
                    && terms.symbol(*high).domain.low >= 0
                    && Some(*factor) == step.checked_mul(many);
                if fits && tried.insert(pair) {
                    return Some((pair, many, *step));
                }
            }
        }
    }
    None
}

fn is_sum(terms: &Terms, id: TermId) -> bool {
    matches!(terms.term(id), Term::Binary(Op::Add | Op::Sub, ..))
}

/// The parts of a sum, each with its factor; `None` where they are too many.
fn parts_of(terms: &Terms, id: TermId) -> Option<Vec<(i64, TermId)>> {
    let mut parts = Vec::new();
    let mut stack = vec![(1_i64, id)];
    while let Some((factor, id)) = stack.pop() {
        if parts.len() + stack.len() > MAX_PARTS {
            return None;
        }
        match *terms.term(id) {
            Term::Binary(Op::Add, a, b) => stack.extend([(factor, b), (factor, a)]),
            Term::Binary(Op::Sub, a, b) => stack.extend([(factor.checked_neg()?, b), (factor, a)]),
            Term::Binary(Op::Mul, a, b) => match terms.constant(b) {
                Some(by) => stack.push((factor.checked_mul(by)?, a)),
                None => parts.push((factor, id)),
            },
            _ => parts.push((factor, id)),
        }
    }
    Some(parts)
}

/// The shared symbols of one range each among the parts, with their factors.
fn symbols_among(terms: &Terms, parts: &[(i64, TermId)]) -> Vec<(SymbolId, i64)> {
    let mut found: Vec<(SymbolId, i64)> = Vec::new();
    for (factor, part) in parts {
        let Term::Symbol(symbol) = *terms.term(*part) else {
            continue;
        };
        let of = terms.symbol(symbol);
        if of.sharing != Sharing::Uniform || of.domain.values.is_some() || of.multiple_of != 1 {
            continue;
        }
        match found.iter_mut().find(|(known, _)| *known == symbol) {
            Some((_, sum)) => *sum = sum.wrapping_add(*factor),
            None => found.push((symbol, *factor)),
        }
    }
    found
}

/// The sums with both symbols in the right proportion, rewritten over the joint symbol.
fn sums_with(
    terms: &mut Terms,
    roots: &[TermId],
    pair: Pair,
    many: i64,
    joint: TermId,
) -> Substitution {
    let mut sums = Substitution::default();
    for id in terms.subterms(roots.iter().copied()) {
        if !is_sum(terms, id) {
            continue;
        }
        let Some(parts) = parts_of(terms, id) else {
            continue;
        };
        let symbols = symbols_among(terms, &parts);
        let factor_of = |symbol| {
            let found = symbols.iter().find(|(known, _)| *known == symbol);
            found.map(|(_, factor)| *factor)
        };
        let step = match (factor_of(pair.high), factor_of(pair.low)) {
            (Some(high), Some(low)) if low.checked_mul(many) == Some(high) => low,
            _ => continue,
        };
        let step = terms.int(step);
        let mut sum = terms.mul(joint, step);
        for (factor, part) in parts {
            let is_joined = matches!(*terms.term(part), Term::Symbol(symbol)
                if symbol == pair.high || symbol == pair.low);
            if is_joined {
                continue;
            }
            let part = sums.apply(terms, part);
            let factor = terms.int(factor);
            let product = terms.mul(part, factor);
            sum = terms.add(sum, product);
        }
        sums.replace(terms, id, sum);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `block * 256 + warp * 32 + lane`
    fn index(terms: &mut Terms) -> (TermId, TermId, TermId) {
        let lane = terms.new_symbol("lane", Sharing::Lane, Domain::range(0, 31));
        let block = terms.new_symbol("block", Sharing::Uniform, Domain::range(0, 99));
        let warp = terms.new_symbol("warp", Sharing::Uniform, Domain::range(0, 7));
        let (by_256, by_32) = (terms.int(256), terms.int(32));
        let (of_block, of_warp) = (terms.mul(block, by_256), terms.mul(warp, by_32));
        let thread = terms.add(of_warp, lane);
        (terms.add(of_block, thread), block, warp)
    }

    #[test]
    fn symbols_of_one_index_are_one() {
        let mut terms = Terms::default();
        let (index, block, warp) = index(&mut terms);
        let seven = terms.int(7);
        let rest = terms.binary(Op::Rem, index, seven);
        let mut roots = [rest, index];
        let mut values = [block, warp];
        let joins = join(&mut terms, &mut roots, &mut values);
        assert_eq!(joins, [Join { many: 8, step: 32 }]);
        let mut left = Vec::new();
        terms.symbols_of(roots[0], &mut left);
        terms.symbols_of(roots[1], &mut left);
        let joint = left
            .iter()
            .find(|symbol| terms.symbol(**symbol).sharing == Sharing::Uniform)
            .copied();
        let joint = joint.expect("one shared symbol is left");
        assert_eq!(terms.symbol(joint).domain, Domain::range(0, 799));
        assert_eq!(left.len(), 2, "the joint symbol and the lane");
        let mut of_values = Vec::new();
        terms.symbols_of(values[0], &mut of_values);
        terms.symbols_of(values[1], &mut of_values);
        assert_eq!(of_values, [joint]);
    }

    #[test]
    fn a_symbol_that_stands_elsewhere_too_stays() {
        let mut terms = Terms::default();
        let (index, block, warp) = index(&mut terms);
        let mut roots = [index, warp];
        let mut values = [block, warp];
        assert_eq!(join(&mut terms, &mut roots, &mut values), []);
        assert_eq!(roots, [index, warp]);
        assert_eq!(values, [block, warp]);
    }
}
