//! The first warp of a block, which every launch has: what the text says of it is nothing to assume otherwise.
//!
//! Given a search that took dividends for not negative, fails it where one is negative in the first warp.

use super::*;
use crate::prove::interior::Interior;
use crate::prove::residue_cost::negative_in_first_warp;

/// The cases of a problem. Where `is_indifferent` is set, one address for all lanes costs the same
/// whichever lanes take part, so that no case is made for guards then.
#[must_use]
pub fn explore(problem: &mut Problem, is_indifferent: bool, stop: &Stop) -> Exploration {
    let mut out = search(problem, is_indifferent, stop);
    hold(problem, &mut out);
    out
}

fn hold(problem: &mut Problem, out: &mut Exploration) {
    if out.failure.is_some() || out.forms.divided.is_empty() {
        return;
    }
    // What a split makes of a dividend holds in some warps only.
    let roots = std::iter::once(problem.address).chain(problem.guards.iter().copied());
    let whole = problem.terms.subterms(roots);
    let mut divided: Vec<TermId> = out.forms.divided.iter().copied().collect();
    divided.retain(|dividend| whole.binary_search(dividend).is_ok());
    divided.sort_unstable();
    if divided
        .into_iter()
        .any(|dividend| is_negative(problem, dividend, &mut out.forms))
    {
        out.failure = Some(Failure::Hard(Hard::NegativeDividend));
    }
}

/// Whether some lane of the first warp gets there with a negative value. Guards may keep it away.
fn is_negative(problem: &mut Problem, dividend: TermId, forms: &mut Forms) -> bool {
    let lane = problem.lane;
    let Some(poly) = Evaluator::new(&mut problem.terms, lane, forms).poly(dividend) else {
        return false;
    };
    let lanes = negative_in_first_warp(&problem.terms, &poly);
    if lanes.is_empty() {
        return false;
    }
    let zero = problem.terms.int(0);
    let condition = problem.terms.binary(Op::Le, zero, dividend);
    let negative = problem.terms.not(condition);
    let terms = &problem.terms;
    let mut symbols = vec![lane];
    terms.symbols_of(dividend, &mut symbols);
    let mut guards = problem.guards.clone();
    guards.retain(|guard| {
        let mut own = Vec::new();
        terms.symbols_of(*guard, &mut own);
        own.iter().any(|symbol| symbols.contains(symbol))
    });
    if guards.is_empty() {
        return true;
    }
    guards.push(negative);
    let of_warps = symbols.iter().filter_map(|symbol| {
        let known = terms.symbol(*symbol);
        let is_swept = known.origin.is_swept_by_a_block();
        is_swept.then_some((*symbol, known.domain.low))
    });
    let taken: Vec<(SymbolId, i64)> = of_warps.collect();
    lanes.into_iter().any(|lane| {
        let mut found = Interior::new(terms, guards.clone(), 1 << lane, usize::MAX);
        found.passage(&taken).is_some()
    })
}
