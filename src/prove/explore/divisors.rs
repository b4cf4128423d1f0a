//! Sizes that unsigned arithmetic divides by, and that the text leaves signed.
//!
//! Given the terms of a problem, takes such sizes to be positive, which is said, where their signs would
//! otherwise be told apart one by one. Knows nothing of the cases that come after.

use super::*;

/// Signs of one divisor alone are told apart; it is shorter to say nothing of it.
const FEWEST: usize = 2;

/// Replaces the tests for divisors below 0 in `roots`, if there are several.
pub(super) fn hold_positive(problem: &mut Problem, roots: &mut [TermId]) {
    let tests = tests_of_divisors(&problem.terms, roots);
    if tests.len() < FEWEST {
        return;
    }
    let mut symbols: Vec<SymbolId> = tests.iter().flat_map(|(_, of)| of.clone()).collect();
    symbols.sort_unstable();
    symbols.dedup();
    let may_be_positive = |symbol: &SymbolId| problem.terms.symbol(*symbol).domain.high > 0;
    if !symbols.iter().all(may_be_positive) {
        return;
    }
    for symbol in symbols {
        if problem.terms.symbol(symbol).domain.low <= 0 {
            problem.hold_above(symbol, 0);
        }
    }
    let (no, yes) = (problem.terms.int(0), problem.terms.int(1));
    let mut values = Vec::new();
    for (test, _) in tests {
        values.extend([(test, no), (problem.terms.not(test), yes)]);
    }
    let mut by = Substitution::of_terms(&problem.terms, values);
    for root in roots {
        *root = by.apply(&mut problem.terms, *root);
    }
}

/// Tests whether a product of symbols is below 0 that something is divided by, and its symbols.
fn tests_of_divisors(terms: &Terms, roots: &[TermId]) -> Vec<(TermId, Vec<SymbolId>)> {
    let mut seen = SideTable::default();
    let mut stack = roots.to_vec();
    let mut tests = Vec::new();
    let mut divisors = Vec::new();
    while let Some(term) = stack.pop() {
        if !seen.first_visit(term) {
            continue;
        }
        let part = terms.term(term);
        match *part {
            Term::Binary(Op::Lt, product, bound) if terms.constant(bound) == Some(0) => {
                tests.extend(factors(terms, product).map(|symbols| (term, product, symbols)));
            }
            Term::Binary(Op::Div | Op::Rem, _, divisor) => divisors.push(divisor),
            _ => {}
        }
        stack.extend(part.parts());
    }
    tests
        .into_iter()
        .filter(|(_, product, _)| divisors.contains(product))
        .map(|(test, _, symbols)| (test, symbols))
        .collect()
}

/// The symbols of a product of symbols that may be of either sign, and of positive numbers.
fn factors(terms: &Terms, product: TermId) -> Option<Vec<SymbolId>> {
    let mut symbols = Vec::new();
    let mut stack = vec![product];
    while let Some(term) = stack.pop() {
        match *terms.term(term) {
            Term::Binary(Op::Mul, a, b) => stack.extend([a, b]),
            Term::Symbol(symbol) => symbols.push(symbol),
            Term::Const(value) if value > 0 => {}
            _ => return None,
        }
    }
    Some(symbols)
}
