//! Whether guards let a whole warp through for some values of the symbols.
//!
//! Given guards and lanes, looks for values under which all of those lanes pass: a verdict that speaks
//! of an interior warp needs that there is one. Finds values or does not; never says that there are
//! none. Knows nothing of costs.

use crate::term::compiled::Evaluation;
use crate::term::{SymbolId, TermId, Terms};

/// Rounds in which each symbol is given its best value.
const ROUNDS: usize = 3;
/// Values that are tried beside the ends of a domain.
const TRIED: [i64; 6] = [0, 1, 2, 31, 1024, 1 << 20];

/// Values under which all guards hold in all lanes of `mask`, if some are found. Some symbols have their
/// values already.
#[must_use]
pub fn passage(
    terms: &Terms,
    guards: &[TermId],
    mask: u32,
    taken: &[(SymbolId, i64)],
) -> Option<Vec<(SymbolId, i64)>> {
    let mut symbols = Vec::new();
    for guard in guards {
        terms.symbols_of(*guard, &mut symbols);
    }
    // Equal values may need all symbols to start at 0.
    [1, 0]
        .into_iter()
        .find_map(|first| climb(terms, guards, mask, taken, &symbols, first))
}

/// Gives one symbol after the other its best value, each beginning at `first` or what is nearest to it.
fn climb(
    terms: &Terms,
    guards: &[TermId],
    mask: u32,
    taken: &[(SymbolId, i64)],
    symbols: &[SymbolId],
    first: i64,
) -> Option<Vec<(SymbolId, i64)>> {
    let domain = |symbol: SymbolId| &terms.symbol(symbol).domain;
    let start = |symbol: &SymbolId| {
        let domain = domain(*symbol);
        let near = first.clamp(domain.low, domain.high);
        let value = domain.values.as_ref().and_then(|values| values.first());
        (*symbol, value.copied().unwrap_or(near))
    };
    let is_taken = |symbol: &SymbolId| taken.iter().any(|(known, _)| known == symbol);
    let free = symbols.iter().filter(|symbol| !is_taken(symbol));
    let mut values: Vec<(SymbolId, i64)> = free.map(start).collect();
    let count = values.len();
    values.extend(taken);
    let mut evaluation = Evaluation::new(terms, guards.iter().copied());
    let all = guards.len() as u32 * mask.count_ones();
    let mut score = |values: &[(SymbolId, i64)]| {
        evaluation.run(|symbol, _| {
            let found = values.iter().find(|(known, _)| *known == symbol);
            found.map(|(_, value)| *value)
        });
        let passing = guards.iter().map(|guard| {
            let (holds, defined) = evaluation.holds(*guard);
            (holds & defined & mask).count_ones()
        });
        passing.sum::<u32>()
    };
    let mut best = score(&values);
    for _ in 0..ROUNDS {
        let before = best;
        for at in 0..count {
            if best == all {
                return Some(values);
            }
            let domain = domain(values[at].0);
            let tried: Vec<i64> = match &domain.values {
                Some(values) => values.to_vec(),
                None => {
                    let low = TRIED.map(|value| domain.low.saturating_add(value));
                    let high = TRIED.map(|value| domain.high.saturating_sub(value));
                    let all = low.into_iter().chain(TRIED).chain(high);
                    all.filter(|value| domain.contains(*value)).collect()
                }
            };
            let mut chosen = values[at].1;
            for value in tried {
                values[at].1 = value;
                let found = score(&values);
                if found > best {
                    (best, chosen) = (found, value);
                }
            }
            values[at].1 = chosen;
        }
        if best == before {
            break;
        }
    }
    (best == all).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Domain, Op, Sharing};

    #[test]
    fn a_bound_lets_a_warp_through_and_a_triangle_none() {
        let mut terms = Terms::default();
        let lane = terms.new_symbol("lane", Sharing::Lane, Domain::range(0, 31));
        let mut symbol = |name: &str| {
            let domain = Domain::range(0, i64::from(i32::MAX));
            terms.new_symbol(name, Sharing::Uniform, domain)
        };
        let (block, bound) = (symbol("block"), symbol("n"));
        let size = terms.int(256);
        let first = terms.mul(block, size);
        let index = terms.add(first, lane);
        let guard = terms.binary(Op::Lt, index, bound);
        assert!(passage(&terms, &[guard], u32::MAX, &[]).is_some());
        // Lanes equal to one number.
        let only = terms.binary(Op::Eq, index, bound);
        assert!(passage(&terms, &[only], u32::MAX, &[]).is_none());
        assert!(passage(&terms, &[only], 1, &[]).is_some());
    }
}
