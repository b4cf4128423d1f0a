//! Arithmetic and comparisons of words of 64 bits, which stand as what they are modulo 2^64.

use super::value::{Value, Variation};
use super::walker::Walker;
use crate::ir::Scalar;
use crate::term::{Domain, LIMIT, LaneDifference, Op, Sharing, TermId};

/// From so many bits on, what is left of a word is told apart from what is left of a number below
/// [`LIMIT`].
const FEW_BITS: u32 = 48;

impl Walker<'_> {
    /// `a < b` of unsigned words of 64 bits, which stand as what they are modulo 2^64.
    pub(super) fn unsigned_less(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        let zero = self.terms.int(0);
        let (above_a, above_b) = (
            self.terms.binary(Op::Lt, a, zero),
            self.terms.binary(Op::Lt, b, zero),
        );
        // The sign bit is the highest one.
        let alike = self.terms.binary(Op::Eq, above_a, above_b);
        let less = self.terms.binary(op, a, b);
        let apart = self.terms.not(alike);
        let both = self.terms.binary(Op::LogicalAnd, alike, less);
        let one = self.terms.binary(Op::LogicalAnd, apart, above_b);
        let result = self.terms.binary(Op::LogicalOr, both, one);
        let is_open = self.terms.has_word(a) || self.terms.has_word(b);
        if self.terms.constant(result).is_some() && is_open && a != b {
            return self.open_comparison(a, b);
        }
        result
    }

    /// An operation on unsigned words of 64 bits that is not the one on the integers they stand as,
    /// where an operand may have the highest bit set.
    pub(super) fn unsigned_word(&mut self, op: Op, x: TermId, y: TermId) -> TermId {
        // The low bits of a word are those of what it stands as.
        if let (Op::Rem, Some(by)) = (op, self.terms.constant(y))
            && by.count_ones() == 1
            && by > 0
        {
            let mask = self.terms.int(by - 1);
            return self.terms.binary(Op::And, x, mask);
        }
        let zero = self.terms.int(0);
        let plain = self.terms.binary(op, x, y);
        let is_high = |this: &mut Self, part: TermId| {
            let may_be = this.terms.interval(part).0 < 0;
            may_be.then(|| this.terms.binary(Op::Lt, part, zero))
        };
        let reason = "64-bit unsigned arithmetic that wraps";
        let mut result = plain;
        match (op, is_high(self, y)) {
            (_, None) => {}
            // A divisor from 2^63 on is larger than a dividend below: nothing is divided.
            (Op::Div, Some(above)) if self.terms.interval(x).0 >= 0 => {
                result = self.terms.select(above, zero, result);
            }
            (Op::Rem, Some(above)) if self.terms.interval(x).0 >= 0 => {
                result = self.terms.select(above, x, result);
            }
            (_, Some(above)) => {
                let other = self.unmodelled_word(reason, x, y);
                result = self.terms.select(above, other, result);
            }
        }
        if let Some(above) = is_high(self, x) {
            let other = self.unmodelled_word(reason, x, y);
            result = self.terms.select(above, other, result);
        }
        result
    }

    /// Whether unsigned arithmetic of 64 bits may wrap, as that of hashes does. A term then means its value
    /// modulo 2^64 only, which no comparison, quotient or range may go by. Sizes and indices, which have no
    /// bound here, are taken to stay below 2^63, unless a factor says otherwise.
    fn may_wrap(&self, op: Op, x: TermId, y: TermId) -> bool {
        const FACTOR_OF_A_HASH: u128 = 1 << 31;
        let is_bounded = |id: TermId| {
            let (low, high) = self.terms.interval(id);
            (-LIMIT < low && high < LIMIT) || self.terms.constant(id).is_some()
        };
        let ends = |id: TermId| {
            let (low, high) = self.terms.interval(id);
            [i128::from(low), i128::from(high)]
        };
        let passes = |ends: [i128; 2]| ends.iter().any(|end| i64::try_from(*end).is_err());
        let constant = |id: TermId| self.terms.constant(id).map(i128::from);
        let (of, factor) = match (op, constant(x), constant(y)) {
            (Op::Add | Op::Sub, ..) if is_bounded(x) && is_bounded(y) => {
                let ([low, high], [least, most]) = (ends(x), ends(y));
                return passes(match op {
                    Op::Add => [low + least, high + most],
                    _ => [low - most, high - least],
                });
            }
            // One operand has no bound, and the other lies beyond any.
            (Op::Add | Op::Sub, Some(part), _) | (Op::Add | Op::Sub, _, Some(part)) => {
                return part.unsigned_abs() >= u128::from(LIMIT as u64);
            }
            (Op::Mul, None, Some(factor)) => (x, factor),
            (Op::Mul, Some(factor), None) => (y, factor),
            (Op::Shl, None, Some(by @ 0..64)) => (x, 1 << by),
            _ => return false,
        };
        if is_bounded(of) {
            return passes(ends(of).map(|end| end * factor));
        }
        factor.unsigned_abs() >= FACTOR_OF_A_HASH
    }

    /// The word that unsigned arithmetic gives which may wrap: a number for numbers, else one that may be any.
    pub(super) fn wrapped_word(&mut self, op: Op, x: TermId, y: TermId) -> Option<TermId> {
        if let (Some(a), Some(b)) = (self.terms.constant(x), self.terms.constant(y)) {
            let value = match op {
                Op::Add => a.wrapping_add(b),
                Op::Sub => a.wrapping_sub(b),
                Op::Mul => a.wrapping_mul(b),
                Op::Shl => a << u32::try_from(b).ok().filter(|by| *by < 64)?,
                _ => return None,
            };
            return Some(self.terms.int(value));
        }
        self.may_wrap(op, x, y)
            .then(|| self.unmodelled_word("64-bit unsigned arithmetic that wraps", x, y))
    }

    /// A word that may be any; it differs between lanes where an operand does.
    fn unmodelled_word(&mut self, reason: &str, x: TermId, y: TermId) -> TermId {
        let sharing = match self.variation_of_either(x, y) {
            Variation::Uniform => Sharing::Uniform,
            Variation::Varying(_) => Sharing::Varying(LaneDifference::not_modelled(reason)),
        };
        let domain = Domain::range(-LIMIT, LIMIT);
        self.terms.new_symbol(reason, sharing, domain)
    }

    /// A comparison. One that only the domain of a word decides is open: the word may be a mark such as
    /// `~0ull`, which means -1.
    pub(super) fn comparison(&mut self, op: Op, x: TermId, y: TermId) -> TermId {
        let result = self.terms.binary(op, x, y);
        if self.terms.constant(result).is_none() || !self.terms.rests_on_words(op, x, y) {
            return result;
        }
        self.open_comparison(x, y)
    }

    fn open_comparison(&mut self, x: TermId, y: TermId) -> TermId {
        let variation = self.variation_of_either(x, y);
        let name = "a comparison of a 64-bit word";
        let domain = Domain::range(0, 1);
        self.terms.new_symbol(name, variation.sharing(), domain)
    }

    fn variation_of_either(&self, x: TermId, y: TermId) -> Variation {
        let of = |term: TermId| Value::Int(term).variation(&self.terms);
        of(x).join(&of(y))
    }

    /// What is left of a word that may be any where few of its bits are: those at its end are not in its
    /// domain.
    pub(super) fn end_of_word(
        &mut self,
        op: Op,
        x: TermId,
        y: TermId,
        ty: Scalar,
    ) -> Option<Value> {
        let by = self.terms.constant(y)?;
        let is_signed = ty.is_signed();
        let all = match op {
            _ if !ty.is_integer() || ty.size() < 8 => return None,
            Op::Shr => {
                let by = u32::try_from(by)
                    .ok()
                    .filter(|by| (FEW_BITS..64).contains(by))?;
                let unsigned = (u64::MAX >> by) as i64;
                match is_signed {
                    true => Domain::range(i64::MIN >> by, i64::MAX >> by),
                    false => Domain::range(0, unsigned),
                }
            }
            Op::Div if by >= 1 << FEW_BITS => match is_signed {
                true => Domain::range(i64::MIN / by, i64::MAX / by),
                false => Domain::range(0, (u64::MAX / by as u64) as i64),
            },
            // Only bits that no number below the limit has.
            Op::And if by != 0 && by & (LIMIT - 1) == 0 => match by.count_ones() {
                1 => Domain::of(vec![0, by]),
                _ => Domain::range(by.clamp(-LIMIT, 0), by.clamp(0, LIMIT)),
            },
            _ => return None,
        };
        if !self.terms.is_open(x) {
            return None;
        }
        let sharing = Value::Int(x).variation(&self.terms).sharing();
        let name = "the end of a 64-bit word";
        Some(Value::Int(self.terms.new_symbol(name, sharing, all)))
    }
}
