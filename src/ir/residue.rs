//! Residues: what is known of an integer that may vary, one value or a class modulo some number.
//!
//! Knows nothing of where integers come from. Moduli are powers of two up to 256, so that unsigned
//! arithmetic may wrap; no alignment of an address asks for more.

/// Alignment of what cudaMalloc returns, in bytes (CUDA C++ Programming Guide, device memory accesses).
const MOST: i64 = 256;

/// `rest`, plus any multiple of `step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Residue {
    /// 0 where there is one value only.
    step: i64,
    rest: i64,
}

impl Residue {
    pub const ZERO: Self = Self::exactly(0);
    /// Nothing is known.
    pub const ANY: Self = Self { step: 1, rest: 0 };

    #[must_use]
    pub const fn exactly(value: i64) -> Self {
        Self {
            step: 0,
            rest: value,
        }
    }

    fn of(step: i64, rest: i64) -> Self {
        if step == 0 {
            return Self::exactly(rest);
        }
        let step = 1 << step.trailing_zeros().min(MOST.trailing_zeros());
        Self {
            step,
            rest: rest.rem_euclid(step),
        }
    }

    /// The value, where there is one only.
    #[must_use]
    pub fn value(self) -> Option<i64> {
        (self.step == 0).then_some(self.rest)
    }

    /// Modulus and residue of all values; `None` where one value or nothing is known.
    #[must_use]
    pub fn class(self) -> Option<(i64, i64)> {
        (self.step > 1).then_some((self.step, self.rest))
    }

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        match self.rest.checked_add(other.rest) {
            Some(rest) => Self::of(self.step | other.step, rest),
            None => Self::ANY,
        }
    }

    #[must_use]
    pub fn times(self, other: Self) -> Self {
        // (s a + r)(t b + q) = s t a b + s q a + t r b + r q
        let parts = [
            self.step.checked_mul(other.step),
            self.step.checked_mul(other.rest),
            other.step.checked_mul(self.rest),
        ];
        let rest = self.rest.checked_mul(other.rest);
        match (parts, rest) {
            ([Some(a), Some(b), Some(c)], Some(rest)) => Self::of(a | b | c, rest),
            _ => Self::ANY,
        }
    }

    /// The union: facts that hold for the values of both.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match self.rest.checked_sub(other.rest) {
            Some(apart) => Self::of(self.step | other.step | apart, self.rest),
            None => Self::ANY,
        }
    }

    /// Whether every value of `other` is one of these.
    #[must_use]
    pub fn covers(self, other: Self) -> bool {
        self.or(other) == self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_products_keep_what_is_known() {
        let four = Residue::exactly(4);
        let fours = Residue::ANY.times(four);
        assert_eq!(fours.class(), Some((4, 0)));
        assert_eq!(fours.plus(Residue::exactly(6)).class(), Some((4, 2)));
        assert_eq!(fours.times(fours).class(), Some((16, 0)));
        assert_eq!(fours.plus(Residue::ANY), Residue::ANY);
        assert_eq!(Residue::exactly(3).times(four).value(), Some(12));
        // 12 n is a multiple of 4 even where it wraps.
        assert_eq!(
            Residue::ANY.times(Residue::exactly(12)).class(),
            Some((4, 0))
        );
    }

    #[test]
    fn joins_keep_what_both_are() {
        let (two, ten) = (Residue::exactly(2), Residue::exactly(10));
        assert_eq!(two.or(ten).class(), Some((8, 2)));
        assert_eq!(two.or(two).value(), Some(2));
        assert!(two.or(ten).covers(Residue::exactly(26)) && !two.covers(ten));
        assert!(Residue::ANY.covers(two.or(ten)));
    }
}
