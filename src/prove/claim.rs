//! Single claims over the terms of a walk.
//!
//! Given conditions and a claim as terms, gives whether Z3 proves that the claim holds for
//! every lane and every value of the symbols under which the conditions hold. Per-lane data
//! counts as any value at all. Knows nothing of costs or accesses.

use super::explore::Problem;
use super::obligation;
use super::smt::{self, Answer};
use crate::access::Atomic;
use crate::access::term::{Sharing, SymbolId, TermId, Terms};
use crate::gpu::cost::{Op, Space};
use rustc_hash::FxHashMap;

/// Claims with their answers; equal texts are asked once.
#[derive(Debug, Default)]
pub struct Claims {
    answers: FxHashMap<String, Answer>,
}

impl Claims {
    /// Whether `given` implies `claim`. The sharing of the symbols of `terms` is forgotten:
    /// a claim speaks of one lane.
    pub fn hold(
        &mut self,
        terms: &mut Terms,
        lane: SymbolId,
        given: &[TermId],
        claim: TermId,
    ) -> Answer {
        match terms.constant(claim) {
            Some(0) => return Answer::Refuted,
            Some(_) => return Answer::Proved,
            None => {}
        }
        for symbol in 0..terms.symbol_count() {
            let symbol = terms.symbol_mut(SymbolId(symbol as u32));
            if matches!(symbol.sharing, Sharing::Varying(_)) {
                symbol.sharing = Sharing::Uniform;
            }
        }
        let mut problem = Problem {
            terms: std::mem::take(terms),
            lane,
            address: claim,
            guards: given.to_vec(),
            space: Space::Shared,
            op: Op::Load,
            width: 4,
            rows: 0,
            atomic: Atomic::No,
            symbols: Vec::new(),
        };
        let forms = obligation::implication(&mut problem);
        *terms = problem.terms;
        let mut last = Answer::Unknown;
        for form in forms {
            last = match self.answers.get(&form) {
                Some(known) => *known,
                None => {
                    let answer = smt::check(&form);
                    self.answers.insert(form, answer);
                    answer
                }
            };
            if last == Answer::Proved {
                break;
            }
        }
        last
    }
}
