//! Closed forms of loop variables that are no lines: offsets whose bits are flipped on the way through a
//! swizzled tile, `(start ^ flips) + sum`, and places in a ring, `(start + k * step) & mask`.
//!
//! Given a studied body, gives what such a variable is after `count` iterations. Each form is stated as a
//! premise. Knows nothing of statements, nor of lanes that leave on the way.

use super::loops::{Carried, Study};
use super::premises::{MAX_STEPS, Stepped};
use super::trips::Table;
use super::value::Value;
use super::walker::Walker;
use crate::ir::{Scalar, VarId};
use crate::term::{Domain, Op, Sharing, SymbolId, Term, TermId, Terms, compiled};
use rustc_hash::FxHashMap;

/// Iterations that are told one by one.
const MAX_ENTRIES: i64 = 64;

/// One operation of an iteration on the variable itself.
#[derive(Clone, Copy, Debug)]
enum Move {
    Add(TermId),
    Sub(TermId),
    Flip(TermId),
}

/// The operations of an iteration, first to last.
struct Moves {
    moves: Vec<Move>,
    /// A sum is reduced to the variable's type.
    wraps: bool,
}

/// `(start ^ flips) + sums`, iteration after iteration.
struct Flips {
    flips: Vec<i64>,
    sums: Vec<i64>,
    /// Both go on as they began: the flips by turns, the sums along a line.
    is_endless: bool,
}

enum BitForm {
    Ring(Ring),
    /// Reduced to a type, where sums are.
    Flips(Flips, Option<Scalar>),
}

/// What an iteration adds to a place in a ring, and the mask that keeps it there.
struct Ring {
    step: i64,
    mask: i64,
}

impl Walker<'_> {
    /// A variable's value after `count` iterations, where flips and sums by constants decide it.
    pub(super) fn stepped_bits(
        &mut self,
        carried: &Carried,
        study: &Study,
        count: TermId,
        tables: &FxHashMap<VarId, Table>,
    ) -> Option<Value> {
        let symbol = carried.symbol?;
        let (Value::Int(start), Value::Int(end)) = (carried.start.as_ref()?, carried.end.as_ref()?)
        else {
            return None;
        };
        let (start, end) = (*start, *end);
        let ty = self.scalar_type_of(carried.variable)?;
        if !ty.is_integer() || ty.bits() < 32 {
            return None;
        }
        let (_, last) = self.terms.interval(count);
        let form = match self.ring_of(symbol, start, end) {
            Some(ring) => BitForm::Ring(ring),
            None => {
                let moves = moves_of(&self.terms, symbol, ty, end)?;
                let found = self.flips_of(&moves, study, tables, last)?;
                BitForm::Flips(found, moves.wraps.then_some(ty))
            }
        };
        let entries = match &form {
            BitForm::Flips(flips, _) if !flips.is_endless => Some(last),
            _ if last > MAX_STEPS => return None,
            _ => None,
        };
        // What holds from any start on holds from this one.
        let range = self.terms.interval(start);
        let domain = Domain::range(range.0, range.1);
        let any = self.terms.new_symbol("start", Sharing::Uniform, domain);
        let Term::Symbol(any_start) = *self.terms.term(any) else {
            return None;
        };
        let general = self.stepped(any, &form, self.iteration);
        let value = self.stepped(start, &form, count);
        let stated = Stepped {
            general,
            start: any_start,
            range,
        };
        self.state_steps(carried, study, tables, stated, entries)?;
        Some(Value::Int(value))
    }

    /// What is made of a start after `count` iterations.
    fn stepped(&mut self, start: TermId, form: &BitForm, count: TermId) -> TermId {
        match form {
            BitForm::Ring(ring) => self.in_ring(start, ring, count),
            BitForm::Flips(flips, wraps) => self.flipped(start, flips, *wraps, count),
        }
    }

    /// `pos = (pos + step) & mask`, `pos = (pos + step) % length` with a length that is a power of two.
    fn ring_of(&self, symbol: SymbolId, start: TermId, end: TermId) -> Option<Ring> {
        let Term::Binary(op @ (Op::And | Op::Rem), sum, by) = *self.terms.term(end) else {
            return None;
        };
        let by = self.terms.constant(by)?;
        let mask = by.checked_sub(i64::from(op == Op::Rem))?;
        let is_mask = mask > 0 && mask & (mask + 1) == 0 && mask < i64::from(i32::MAX);
        let (low, high) = self.terms.interval(start);
        if !is_mask || low < 0 || high > mask {
            return None;
        }
        let Term::Binary(Op::Add, a, b) = *self.terms.term(without_wrap(&self.terms, sum)) else {
            return None;
        };
        let (own, step) = if is_symbol(&self.terms, a, symbol) {
            (a, b)
        } else {
            (b, a)
        };
        let step = self.terms.constant(step)?;
        if !is_symbol(&self.terms, own, symbol) {
            return None;
        }
        // Of negative sums a remainder is no place in the ring.
        (step > 0 && step <= mask).then_some(Ring { step, mask })
    }

    fn in_ring(&mut self, start: TermId, ring: &Ring, count: TermId) -> TermId {
        let step = self.terms.int(ring.step);
        let by = self.terms.mul(step, count);
        let sum = self.terms.add(start, by);
        let mask = self.terms.int(ring.mask);
        self.terms.binary(Op::And, sum, mask)
    }

    /// The flips and sums of iterations 0 to `last`, where each is a constant.
    fn flips_of(
        &self,
        moves: &Moves,
        study: &Study,
        tables: &FxHashMap<VarId, Table>,
        last: i64,
    ) -> Option<Flips> {
        let is_constant = |step: &Move| self.terms.constant(step.by()).is_some();
        let is_same = moves.moves.iter().all(is_constant);
        let entries = if is_same { 2 } else { last };
        if !(0..=MAX_ENTRIES).contains(&entries) {
            return None;
        }
        let (mut flips, mut sums) = (vec![0_i64], vec![0_i64]);
        let (mut flip, mut sum) = (0_i64, 0_i64);
        for at in 0..usize::try_from(entries).ok()? {
            let state = |symbol: SymbolId| {
                let own = |carried: &&Carried| carried.symbol == Some(symbol);
                let carried = study.carried.iter().find(own)?;
                tables.get(&carried.variable)?.at(at)
            };
            for step in &moves.moves {
                let by = compiled::value(&self.terms, step.by(), state)?;
                match step {
                    Move::Add(_) => sum = sum.checked_add(by)?,
                    Move::Sub(_) => sum = sum.checked_sub(by)?,
                    // What is added so far leaves the flipped bits alone.
                    Move::Flip(_) => {
                        let width = u64::try_from(by).ok()?.checked_add(1)?.next_power_of_two();
                        let is_apart = sum % i64::try_from(width).ok()? == 0;
                        flip = is_apart.then_some(flip ^ by)?;
                    }
                }
            }
            flips.push(flip);
            sums.push(sum);
        }
        if is_same {
            // The second iteration undoes the flips of the first, and adds the same.
            let step = sums[1];
            let is_line = flip == 0
                && sums[2] == step.checked_mul(2)?
                && step.unsigned_abs() < MAX_STEPS.unsigned_abs();
            return is_line.then(|| Flips {
                flips: flips[..2].to_vec(),
                sums: sums[..2].to_vec(),
                is_endless: true,
            });
        }
        Some(Flips {
            flips,
            sums,
            is_endless: false,
        })
    }

    fn flipped(
        &mut self,
        start: TermId,
        found: &Flips,
        wraps: Option<Scalar>,
        count: TermId,
    ) -> TermId {
        let (turn, sum) = if found.is_endless {
            let two = self.terms.int(2);
            let step = self.terms.int(found.sums[1]);
            (
                self.terms.binary(Op::Rem, count, two),
                self.terms.mul(step, count),
            )
        } else {
            (count, self.terms.table(count, found.sums.clone()))
        };
        let flip = self.terms.table(turn, found.flips.clone());
        let flipped = self.terms.binary(Op::Xor, start, flip);
        let value = self.terms.add(flipped, sum);
        match wraps {
            Some(ty) => self.terms.wrap(ty, value),
            None => value,
        }
    }
}

impl Move {
    fn by(self) -> TermId {
        match self {
            Self::Add(by) | Self::Sub(by) | Self::Flip(by) => by,
        }
    }
}

fn is_symbol(terms: &Terms, term: TermId, symbol: SymbolId) -> bool {
    matches!(*terms.term(term), Term::Symbol(found) if found == symbol)
}

fn without_wrap(terms: &Terms, term: TermId) -> TermId {
    match *terms.term(term) {
        Term::Wrap(_, inner) => inner,
        _ => term,
    }
}

/// What an iteration does to the variable, if it flips bits of it and all else is adding.
fn moves_of(terms: &Terms, symbol: SymbolId, ty: Scalar, end: TermId) -> Option<Moves> {
    let mut moves = Vec::new();
    let mut wraps = false;
    let mut at = end;
    while !is_symbol(terms, at, symbol) {
        let step = |a: TermId, b: TermId, of: fn(TermId) -> Move| match (
            terms.mentions(a, &[symbol]),
            terms.mentions(b, &[symbol]),
        ) {
            (true, false) => Some((a, of(b))),
            (false, true) => Some((b, of(a))),
            _ => None,
        };
        let (inner, taken) = match *terms.term(at) {
            // Bits that are flipped in a value of the type stay in it.
            Term::Wrap(to, inner) if to == ty => {
                wraps = true;
                at = inner;
                continue;
            }
            Term::Binary(Op::Add, a, b) => step(a, b, Move::Add)?,
            Term::Binary(Op::Xor, a, b) => step(a, b, Move::Flip)?,
            Term::Binary(Op::Sub, a, b) if !terms.mentions(b, &[symbol]) => (a, Move::Sub(b)),
            _ => return None,
        };
        moves.push(taken);
        at = inner;
    }
    moves.reverse();
    let flips = moves.iter().any(|step| matches!(step, Move::Flip(_)));
    flips.then_some(Moves { moves, wraps })
}
