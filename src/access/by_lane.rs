//! Tables for functions of the lane: where a value depends on the lane and a few shared numbers alone, the function
//! is evaluated for each of them.
//!
//! Given terms and a function on the numbers of all lanes, gives a term. Knows nothing of what the
//! function is, and nothing of arrays of constants in the text: those are in `elements`.

use super::walker::Walker;
use crate::gpu::WARP;
use crate::term::compiled::{Evaluation, Lanes};
use crate::term::{Sharing, SymbolId, TermId};

/// Most ways in which the numbers that lanes share are tried.
const MOST_WAYS: i64 = 32;

impl Walker<'_> {
    /// The term of what a function gives for the numbers that `arguments` are in each lane. `None` where they
    /// depend on more than can be tried, or the function gives nothing for some lane.
    pub(super) fn tabulated(
        &mut self,
        arguments: &[TermId],
        function: impl Fn(&[Lanes]) -> Option<[i64; WARP]>,
    ) -> Option<TermId> {
        let mut symbols = Vec::new();
        for id in arguments {
            self.terms.symbols_of(*id, &mut symbols);
        }
        // Of each number that lanes share the least value, and how many there are.
        let mut shared: Vec<(SymbolId, i64, i64)> = Vec::new();
        let mut lane = None;
        let mut ways = 1_i64;
        for symbol in symbols {
            match self.terms.symbol(symbol).sharing {
                Sharing::Lane => lane = Some(symbol),
                Sharing::Varying(_) => return None,
                Sharing::Uniform => {
                    let domain = &self.terms.symbol(symbol).domain;
                    if domain.values.is_some() {
                        return None;
                    }
                    let count = domain.high.checked_sub(domain.low)?.checked_add(1)?;
                    ways = ways.checked_mul(count).filter(|ways| *ways <= MOST_WAYS)?;
                    shared.push((symbol, domain.low, count));
                }
            }
        }
        let mut evaluation = Evaluation::new(&self.terms, arguments.iter().copied());
        let mut values = Vec::new();
        for way in 0..ways {
            let mut left = way;
            let numbers: Vec<(SymbolId, i64)> = shared
                .iter()
                .map(|(symbol, low, count)| {
                    let value = low + left % count;
                    left /= count;
                    (*symbol, value)
                })
                .collect();
            evaluation.run(|symbol, _| {
                let known = numbers.iter().find(|(known, _)| *known == symbol);
                known.map(|(_, value)| *value)
            });
            let lanes: Vec<Lanes> = arguments.iter().map(|id| evaluation.lanes(*id)).collect();
            values.push(function(&lanes)?);
        }
        let is_shared = values
            .iter()
            .all(|row| row.iter().all(|one| *one == row[0]));
        let mut index = self.terms.int(0);
        let mut scale = 1;
        if let Some(lane) = lane.filter(|_| !is_shared) {
            index = self.terms.symbol_term(lane);
            scale = WARP as i64;
        } else if !is_shared {
            return None;
        }
        for (symbol, low, count) in shared {
            let (low, by) = (self.terms.int(low), self.terms.int(scale));
            let symbol = self.terms.symbol_term(symbol);
            let moved = self.terms.sub(symbol, low);
            let part = self.terms.mul(moved, by);
            index = self.terms.add(index, part);
            scale *= count;
        }
        let flat: Vec<i64> = match is_shared {
            true => values.iter().map(|row| row[0]).collect(),
            false => values.into_iter().flatten().collect(),
        };
        Some(self.terms.table(index, flat))
    }
}
