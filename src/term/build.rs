//! Construction of terms: each operation folds constants and takes its simplest form.

use super::*;

impl Terms {
    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => {
                if let Some(sum) = x.checked_add(y) {
                    return self.int(sum);
                }
            }
            (Some(0), None) => return b,
            (None, Some(0)) => return a,
            (Some(_), None) => return self.add(b, a),
            (None, Some(y)) => {
                if let Term::Binary(Op::Add, p, q) = *self.term(a)
                    && let Some(x) = self.constant(q)
                    && let Some(sum) = x.checked_add(y)
                {
                    let q = self.int(sum);
                    return self.add(p, q);
                }
            }
            (None, None) => {}
        }
        self.intern(Term::Binary(Op::Add, a, b))
    }

    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b {
            return self.int(0);
        }
        if let Some(y) = self.constant(b)
            && let Some(negated) = y.checked_neg()
        {
            let negated = self.int(negated);
            return self.add(a, negated);
        }
        // (p + b) - b
        if let Term::Binary(Op::Add, p, q) = *self.term(a) {
            if q == b {
                return p;
            }
            if p == b {
                return q;
            }
        }
        // a - (a / d) * d
        if let Some((of, divisor)) = self.whole_multiple(b)
            && of == a
        {
            return self.binary(Op::Rem, a, divisor);
        }
        self.intern(Term::Binary(Op::Sub, a, b))
    }

    /// `a` and `d` of `(a / d) * d`.
    fn whole_multiple(&self, id: TermId) -> Option<(TermId, TermId)> {
        let Term::Binary(Op::Mul, x, y) = *self.term(id) else {
            return None;
        };
        let of = |quotient: TermId, divisor: TermId| match *self.term(quotient) {
            Term::Binary(Op::Div, of, by) if by == divisor => Some((of, divisor)),
            _ => None,
        };
        of(x, y).or_else(|| of(y, x))
    }

    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => {
                if let Some(product) = x.checked_mul(y) {
                    return self.int(product);
                }
            }
            (Some(_), None) => return self.mul(b, a),
            (None, Some(0)) => return b,
            (None, Some(1)) => return a,
            _ => {}
        }
        self.intern(Term::Binary(Op::Mul, a, b))
    }

    /// The term that is just `symbol`.
    pub fn symbol_term(&mut self, symbol: SymbolId) -> TermId {
        self.intern(Term::Symbol(symbol))
    }

    /// Any operator; comparisons give 0 or 1.
    pub fn binary(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        match op {
            Op::Add => return self.add(a, b),
            Op::Sub => return self.sub(a, b),
            Op::Mul => return self.mul(a, b),
            _ => {}
        }
        let (x, y) = (self.constant(a), self.constant(b));
        if let (Some(x), Some(y)) = (x, y)
            && let Some(value) = fold(op, x, y)
        {
            return self.int(value);
        }
        if let Some(holds) = self.by_order(op, a, b) {
            return self.int(i64::from(holds));
        }
        let simpler = match op {
            Op::And => self.simpler_mask(a, b, y),
            Op::Div | Op::Rem => self.simpler_quotient(op, a, b, y),
            Op::Xor => {
                let simpler = self.simpler_shift(op, a, y);
                simpler.or_else(|| self.flip_below(a, b))
            }
            Op::Shl | Op::Shr | Op::Or => self.simpler_shift(op, a, y),
            _ => None,
        };
        if let Some(simpler) = simpler {
            return simpler;
        }
        if x.is_some()
            && matches!(
                op,
                Op::And | Op::Or | Op::Xor | Op::Min | Op::Max | Op::Eq | Op::Ne
            )
        {
            return self.binary(op, b, a);
        }
        if a == b {
            match op {
                Op::Xor | Op::Ne | Op::Lt => return self.int(0),
                Op::Eq | Op::Le => return self.int(1),
                Op::And | Op::Or | Op::Min | Op::Max | Op::LogicalAnd | Op::LogicalOr => return a,
                _ => {}
            }
        }
        match op {
            Op::LogicalAnd if y == Some(1) => return a,
            Op::LogicalAnd if x == Some(1) => return b,
            Op::LogicalOr if y == Some(0) => return a,
            Op::LogicalOr if x == Some(0) => return b,
            Op::Min | Op::Max => {
                let ((low, high), (low_b, high_b)) = (self.interval(a), self.interval(b));
                // From the limit on there is no bound.
                let a_is_less = high <= low_b && high < LIMIT;
                let b_is_less = high_b <= low && high_b < LIMIT;
                if a_is_less || b_is_less {
                    return if a_is_less == (op == Op::Min) { a } else { b };
                }
            }
            _ => {}
        }
        self.intern(Term::Binary(op, a, b))
    }

    /// `a & mask` in other words.
    fn simpler_mask(&mut self, a: TermId, b: TermId, mask: Option<i64>) -> Option<TermId> {
        let mask = mask?;
        let (low, high) = self.interval(a);
        // From the limit on there is no bound.
        let is_bounded = low >= 0 && high < LIMIT;
        // All bits but the lowest, of a number that has no others.
        if mask > 0 && is_bounded && has_all_but_lowest(mask, high) {
            let bits = self.int((1 << mask.trailing_zeros()) - 1);
            let bits = self.binary(Op::And, a, bits);
            return Some(self.sub(a, bits));
        }
        // Low bits are what they were before the value was reduced to a type that has them.
        if let Term::Wrap(ty, inner) = *self.term(a)
            && ty != Scalar::Bool
            && mask > 0
            && mask >> ty.bits().min(62) == 0
        {
            return Some(self.binary(Op::And, inner, b));
        }
        // A word without some of its bits.
        if mask < -1 && !mask & (!mask).wrapping_add(1) != 0 {
            let bits = self.int(!mask);
            let bits = self.binary(Op::And, a, bits);
            return Some(self.sub(a, bits));
        }
        if mask == 0 {
            return Some(self.int(0));
        }
        // `x & (2^k - 1)` is a remainder where x is not negative.
        if mask > 0 && (mask & mask.wrapping_add(1)) == 0 && low >= 0 {
            if is_bounded && high <= mask {
                return Some(a);
            }
            if mask < LIMIT {
                let modulus = self.int(mask + 1);
                return Some(self.binary(Op::Rem, a, modulus));
            }
        }
        None
    }

    /// `a / b` or `a % b` in other words; `y` is the number that `b` is.
    fn simpler_quotient(&mut self, op: Op, a: TermId, b: TermId, y: Option<i64>) -> Option<TermId> {
        let is_quotient = op == Op::Div;
        if !is_quotient
            && let Some(y) = y
            && let Term::Wrap(ty, inner) = *self.term(a)
            && !ty.is_signed()
            && ty != Scalar::Bool
            && y > 1
            && y & (y - 1) == 0
            && (y - 1) >> ty.bits().min(62) == 0
        {
            let mask = self.int(y - 1);
            return Some(self.binary(Op::And, inner, mask));
        }
        // What the remainder leaves is a multiple: `(a - a % d) / d` is `a / d`.
        if let Term::Binary(Op::Sub, of, rest) = *self.term(a)
            && *self.term(rest) == Term::Binary(Op::Rem, of, b)
        {
            return Some(if is_quotient {
                self.binary(Op::Div, of, b)
            } else {
                self.int(0)
            });
        }
        let y = y.filter(|y| *y > 0)?;
        let (low, high) = self.interval(a);
        // From the limit on there is no bound: the word may be larger than any divisor.
        if y == 1 || low >= 0 && high < y.min(LIMIT) {
            let is_all = is_quotient == (y == 1);
            return Some(if is_all { a } else { self.int(0) });
        }
        if let Some((quotient, rest)) = self.split_multiple(a, y) {
            return Some(if is_quotient { quotient } else { rest });
        }
        // (x / m) / y = x / (m y); (x * k y) / y = x * k
        if is_quotient
            && let Term::Binary(inner, p, q) = *self.term(a)
            && let Some(m) = self.constant(q)
        {
            if inner == Op::Div
                && m > 0
                && let Some(product) = m.checked_mul(y)
            {
                let divisor = self.int(product);
                return Some(self.binary(Op::Div, p, divisor));
            }
            if inner == Op::Mul && m % y == 0 {
                let factor = self.int(m / y);
                return Some(self.mul(p, factor));
            }
        }
        None
    }

    /// A shift as product or quotient, and what 0 leaves as it is.
    fn simpler_shift(&mut self, op: Op, a: TermId, by: Option<i64>) -> Option<TermId> {
        let by = by?;
        if by == 0 {
            return Some(a);
        }
        if op == Op::Shl && (0..62).contains(&by) {
            let factor = self.int(1 << by);
            return Some(self.mul(a, factor));
        }
        if op == Op::Shr && (0..60).contains(&by) && self.interval(a).0 >= 0 {
            let divisor = self.int(1 << by);
            return Some(self.binary(Op::Div, a, divisor));
        }
        None
    }

    /// `(x + c) ^ bits` as `(x ^ bits) + c`, where `c` is a multiple of what lies above the bits.
    fn flip_below(&mut self, a: TermId, bits: TermId) -> Option<TermId> {
        let (low, high) = self.interval(bits);
        if low < 0 || high >= LIMIT / 2 {
            return None;
        }
        let above = i64::try_from((high.unsigned_abs() + 1).next_power_of_two()).ok()?;
        match *self.term(a) {
            Term::Binary(op @ (Op::Add | Op::Sub), x, c)
                if self.constant(c).is_some_and(|c| c % above == 0) =>
            {
                let flipped = self.binary(Op::Xor, x, bits);
                Some(self.binary(op, flipped, c))
            }
            Term::Wrap(ty, sum) if ty.is_integer() && ty != Scalar::Bool => {
                let is_sum = matches!(self.term(sum), Term::Binary(Op::Add | Op::Sub, ..));
                let fits = above < 1 << (ty.bits() - 1).min(62);
                let flipped = (is_sum && fits).then(|| self.flip_below(sum, bits))??;
                Some(self.wrap(ty, flipped))
            }
            _ => None,
        }
    }

    /// `a` as `quotient * divisor + rest` with `0 <= rest < divisor`, where the shape of the sum
    /// shows it: `(32 * w + lane) / 32` is `w`.
    fn split_multiple(&mut self, a: TermId, divisor: i64) -> Option<(TermId, TermId)> {
        let mut parts = vec![a];
        let mut quotient = None;
        let mut rest = None;
        let mut seen = 0;
        while let Some(part) = parts.pop() {
            seen += 1;
            if seen > 16 {
                return None;
            }
            let multiple = match *self.term(part) {
                Term::Binary(Op::Add, x, y) => {
                    parts.extend([y, x]);
                    continue;
                }
                Term::Binary(Op::Mul, x, factor) => match self.constant(factor) {
                    Some(c) if c % divisor == 0 && self.interval(part).0 >= 0 => {
                        let scale = self.int(c / divisor);
                        Some(self.mul(x, scale))
                    }
                    _ => None,
                },
                Term::Const(c) if c >= 0 && c % divisor == 0 => Some(self.int(c / divisor)),
                _ => None,
            };
            let into = if multiple.is_some() {
                &mut quotient
            } else {
                &mut rest
            };
            let part = multiple.unwrap_or(part);
            *into = Some(match *into {
                Some(sum) => self.add(sum, part),
                None => part,
            });
        }
        let quotient = quotient?;
        let rest = match rest {
            Some(rest) => rest,
            None => self.int(0),
        };
        let (low, high) = self.interval(rest);
        (low >= 0 && high < divisor).then_some((quotient, rest))
    }

    pub fn not(&mut self, a: TermId) -> TermId {
        match *self.term(a) {
            Term::Const(value) => self.int(i64::from(value == 0)),
            Term::Not(inner) if self.interval(inner) == (0, 1) => inner,
            Term::Binary(Op::Lt, x, y) => self.binary(Op::Le, y, x),
            Term::Binary(Op::Le, x, y) => self.binary(Op::Lt, y, x),
            Term::Binary(Op::Eq, x, y) => self.binary(Op::Ne, x, y),
            Term::Binary(Op::Ne, x, y) => self.binary(Op::Eq, x, y),
            // What both say can be used one by one.
            Term::Binary(Op::LogicalOr, x, y) => {
                let (x, y) = (self.not(x), self.not(y));
                self.binary(Op::LogicalAnd, x, y)
            }
            _ => self.intern(Term::Not(a)),
        }
    }

    /// The value as a condition: 0 or 1.
    pub fn truth(&mut self, a: TermId) -> TermId {
        match *self.term(a) {
            Term::Const(value) => self.int(i64::from(value != 0)),
            Term::Not(_)
            | Term::Binary(
                Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::LogicalAnd | Op::LogicalOr,
                ..,
            ) => a,
            _ if self.interval(a) == (0, 1) => a,
            _ => {
                let zero = self.int(0);
                self.binary(Op::Ne, a, zero)
            }
        }
    }

    pub fn select(&mut self, condition: TermId, a: TermId, b: TermId) -> TermId {
        match self.constant(condition) {
            Some(0) => b,
            Some(_) => a,
            None if a == b => a,
            None => self.intern(Term::Select(condition, a, b)),
        }
    }

    /// `value` reduced to the range of `ty`; itself where it lies inside.
    pub fn wrap(&mut self, ty: Scalar, value: TermId) -> TermId {
        let domain = Domain::of_type(ty);
        let (low, high) = self.interval(value);
        // 64-bit words stand for themselves, as what they are modulo 2^64.
        if (low >= domain.low && high <= domain.high) || (ty.is_integer() && ty.size() == 8) {
            return value;
        }
        if let Some(value) = self.constant(value) {
            return self.int(ty.wrap(value));
        }
        // `(a / d) * d` lies between 0 and `a`.
        if let Some((of, divisor)) = self.whole_multiple(value)
            && self.interval(divisor).0 >= 0
            && let (low, high) = self.interval(of)
            && low >= domain.low
            && high <= domain.high
        {
            return value;
        }
        // What was reduced to a wider type before is reduced to this one all the same.
        if let Term::Wrap(wider, inner) = *self.term(value)
            && ty != Scalar::Bool
            && wider.bits() >= ty.bits()
        {
            return self.wrap(ty, inner);
        }
        // So is what a number was added to since then.
        if let Term::Binary(op @ (Op::Add | Op::Sub), sum, by) = *self.term(value)
            && let Term::Wrap(wider, inner) = *self.term(sum)
            && self.constant(by).is_some()
            && ty != Scalar::Bool
            && wider != Scalar::Bool
            && wider.bits() >= ty.bits()
        {
            let value = self.binary(op, inner, by);
            return self.wrap(ty, value);
        }
        self.intern(Term::Wrap(ty, value))
    }

    /// `values[index]`; `index` must lie in range.
    pub fn table(&mut self, index: TermId, values: impl Into<Arc<[i64]>> + AsRef<[i64]>) -> TermId {
        let all = values.as_ref();
        if let Some(at) = self.constant(index)
            && let Some(value) = usize::try_from(at).ok().and_then(|at| all.get(at))
        {
            return self.int(*value);
        }
        if let Some(first) = all.first()
            && all.iter().all(|value| value == first)
        {
            return self.int(*first);
        }
        self.intern(Term::Table(index, values.into()))
    }
}

/// Whether a mask has all bits of numbers up to `high`, but some at the end.
fn has_all_but_lowest(mask: i64, high: i64) -> bool {
    let low = mask.trailing_zeros();
    let bits = mask.trailing_zeros() + (mask >> low).trailing_ones();
    low > 0 && bits < 62 && high >> bits == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Sharing, compiled};

    #[test]
    fn flips_of_sums_mean_what_they_are_built_of() {
        let types = [
            Scalar::U8,
            Scalar::I16,
            Scalar::I32,
            Scalar::U32,
            Scalar::U64,
        ];
        for ty in types {
            for (by, bits) in [
                (8, 6),
                (8, 7),
                (8, 8),
                (256, 6),
                (-16, 5),
                (3, 1),
                (12, 3),
                (0, 255),
            ] {
                let mut terms = Terms::default();
                let domain = Domain::range(-70_000, 70_000);
                let x = terms.new_symbol("x", Sharing::Uniform, domain);
                let (number, flips) = (terms.int(by), terms.int(bits));
                let sum = terms.add(x, number);
                let sum = terms.wrap(ty, sum);
                let flipped = terms.binary(Op::Xor, sum, flips);
                let back = terms.sub(flipped, number);
                let back = terms.wrap(ty, back);
                for value in [-70_000, -129, -1, 0, 1, 5, 127, 255, 32_767, 65_540] {
                    let wanted = ty.wrap((ty.wrap(value + by) ^ bits) - by);
                    let found = compiled::value(&terms, back, |_| Some(value));
                    assert_eq!(found, Some(wanted), "{ty:?} {by} {bits} {value}");
                }
            }
        }
    }
}
