//! The normal form: polynomials over symbols whose coefficients are one number per lane.
//!
//! `value(lane) = sum over monomials m of coefficient[m][lane] * m`. Addition and
//! multiplication are exact; whatever is not ring arithmetic enters as an atom.
//! Knows nothing of costs or Z3.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::term::TermId;

/// Lanes of a warp.
pub const LANES: usize = 32;
/// Most factors of a monomial.
const DEGREE: usize = 6;
/// Most monomials; past it the form is given up.
const MOST: usize = 96;

/// A product of atoms, sorted; the empty product is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Monomial([u32; DEGREE]);

const ABSENT: u32 = u32::MAX;

impl Monomial {
    pub const ONE: Monomial = Monomial([ABSENT; DEGREE]);

    #[must_use]
    pub fn of(atom: TermId) -> Self {
        let mut factors = [ABSENT; DEGREE];
        factors[0] = atom.0;
        Self(factors)
    }

    pub fn atoms(&self) -> impl Iterator<Item = TermId> + '_ {
        self.0
            .iter()
            .filter(|factor| **factor != ABSENT)
            .map(|factor| TermId(*factor))
    }

    /// `None` where that are too many factors.
    #[must_use]
    pub fn times(self, other: Self) -> Option<Self> {
        let (mut mine, mut theirs) = (0, 0);
        let factor = |of: &Self, at: usize| of.0.get(at).copied().unwrap_or(ABSENT);
        let mut next = || {
            let (a, b) = (factor(&self, mine), factor(&other, theirs));
            if a <= b {
                mine += 1;
            } else {
                theirs += 1;
            }
            a.min(b)
        };
        let mut factors = [ABSENT; DEGREE];
        for slot in &mut factors {
            *slot = next();
        }
        (next() == ABSENT).then_some(Self(factors))
    }

    /// The product of those factors that `is_meant` says.
    #[must_use]
    pub fn of_those(self, is_meant: impl Fn(TermId) -> bool) -> Self {
        let mut factors = [ABSENT; DEGREE];
        let meant = self.atoms().filter(|atom| is_meant(*atom));
        for (slot, atom) in factors.iter_mut().zip(meant) {
            *slot = atom.0;
        }
        Self(factors)
    }
}

/// One number for all lanes, or one for each.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Coefficient {
    Splat(i64),
    Lanes(Rc<[i64; LANES]>),
}

impl Coefficient {
    #[must_use]
    pub fn lane(&self, lane: usize) -> i64 {
        match self {
            Self::Splat(value) => *value,
            Self::Lanes(values) => values[lane],
        }
    }

    #[must_use]
    pub fn lanes(&self) -> [i64; LANES] {
        match self {
            Self::Splat(value) => [*value; LANES],
            Self::Lanes(values) => **values,
        }
    }

    #[must_use]
    pub fn from_lanes(values: [i64; LANES]) -> Self {
        if values.iter().all(|value| *value == values[0]) {
            Self::Splat(values[0])
        } else {
            Self::Lanes(Rc::new(values))
        }
    }

    fn is_zero(&self) -> bool {
        matches!(self, Self::Splat(0))
    }

    /// What `of` says of each lane; `None` where it says of one that it does not fit.
    fn by_lane(of: impl Fn(usize) -> (i64, bool)) -> Option<Self> {
        let mut values = [0; LANES];
        let mut is_over = false;
        for (lane, value) in values.iter_mut().enumerate() {
            let (found, over) = of(lane);
            *value = found;
            is_over |= over;
        }
        (!is_over).then(|| Self::from_lanes(values))
    }

    /// Lane by lane; `None` where `f` says that one of the results does not fit.
    fn combine(&self, other: &Self, f: impl Fn(i64, i64) -> (i64, bool)) -> Option<Self> {
        match (self, other) {
            (Self::Splat(a), Self::Splat(b)) => {
                let (value, is_over) = f(*a, *b);
                (!is_over).then_some(Self::Splat(value))
            }
            (Self::Lanes(a), Self::Splat(b)) => Self::by_lane(|lane| f(a[lane], *b)),
            (Self::Splat(a), Self::Lanes(b)) => Self::by_lane(|lane| f(*a, b[lane])),
            (Self::Lanes(a), Self::Lanes(b)) => Self::by_lane(|lane| f(a[lane], b[lane])),
        }
    }

    /// Lane by lane; `None` past 64 bits.
    #[must_use]
    pub fn times(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Splat(1), one) | (one, Self::Splat(1)) => return Some(one.clone()),
            _ => {}
        }
        self.combine(other, i64::overflowing_mul)
    }

    #[must_use]
    pub fn divisible_by(&self, divisor: i64) -> bool {
        match self {
            Self::Splat(value) => value % divisor == 0,
            Self::Lanes(values) => values.iter().all(|value| value % divisor == 0),
        }
    }
}

/// A polynomial; no coefficient is zero, monomials are sorted.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Poly {
    pub terms: Vec<(Monomial, Coefficient)>,
}

impl Poly {
    #[must_use]
    pub fn constant(value: i64) -> Self {
        Self::from_coefficient(Coefficient::Splat(value))
    }

    #[must_use]
    pub fn from_lanes(values: [i64; LANES]) -> Self {
        Self::from_coefficient(Coefficient::from_lanes(values))
    }

    fn from_coefficient(coefficient: Coefficient) -> Self {
        if coefficient.is_zero() {
            return Self::default();
        }
        Self {
            terms: vec![(Monomial::ONE, coefficient)],
        }
    }

    #[must_use]
    pub fn atom(atom: TermId) -> Self {
        Self {
            terms: vec![(Monomial::of(atom), Coefficient::Splat(1))],
        }
    }

    /// Whether it is this atom and nothing else.
    #[must_use]
    pub fn is_atom(&self, atom: TermId) -> bool {
        let [(monomial, Coefficient::Splat(1))] = self.terms.as_slice() else {
            return false;
        };
        *monomial == Monomial::of(atom)
    }

    /// The coefficient of 1: what is left when every atom is 0.
    #[must_use]
    pub fn constant_lanes(&self) -> [i64; LANES] {
        self.terms
            .iter()
            .find(|(monomial, _)| *monomial == Monomial::ONE)
            .map_or([0; LANES], |(_, coefficient)| coefficient.lanes())
    }

    /// The lanes' values, where no atom is left.
    #[must_use]
    pub fn as_lanes(&self) -> Option<[i64; LANES]> {
        match self.terms.as_slice() {
            [] => Some([0; LANES]),
            [(monomial, coefficient)] if *monomial == Monomial::ONE => Some(coefficient.lanes()),
            _ => None,
        }
    }

    /// One value for all lanes, where no atom is left.
    #[must_use]
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(monomial, Coefficient::Splat(value))] if *monomial == Monomial::ONE => Some(*value),
            _ => None,
        }
    }

    pub fn open(&self) -> impl Iterator<Item = &(Monomial, Coefficient)> {
        self.terms
            .iter()
            .filter(|(monomial, _)| *monomial != Monomial::ONE)
    }

    /// Monomial by monomial; `alone` makes of a coefficient what it is where only `other` has the monomial.
    fn zip(
        &self,
        other: &Self,
        both: impl Fn(i64, i64) -> (i64, bool),
        alone: impl Fn(&Coefficient) -> Option<Coefficient>,
    ) -> Option<Self> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut mine, mut theirs) = (self.terms.as_slice(), other.terms.as_slice());
        while let ([(m, x), rest @ ..], [(n, y), others @ ..]) = (mine, theirs) {
            match m.cmp(n) {
                Ordering::Less => {
                    terms.push((*m, x.clone()));
                    mine = rest;
                }
                Ordering::Greater => {
                    terms.push((*n, alone(y)?));
                    theirs = others;
                }
                Ordering::Equal => {
                    let sum = x.combine(y, &both)?;
                    if !sum.is_zero() {
                        terms.push((*m, sum));
                    }
                    (mine, theirs) = (rest, others);
                }
            }
        }
        terms.extend_from_slice(mine);
        for (n, y) in theirs {
            terms.push((*n, alone(y)?));
        }
        (terms.len() <= MOST).then_some(Self { terms })
    }

    #[must_use]
    pub fn add(&self, other: &Self) -> Option<Self> {
        self.zip(other, i64::overflowing_add, |theirs| Some(theirs.clone()))
    }

    #[must_use]
    pub fn sub(&self, other: &Self) -> Option<Self> {
        let zero = Coefficient::Splat(0);
        self.zip(other, i64::overflowing_sub, |theirs| {
            zero.combine(theirs, i64::overflowing_sub)
        })
    }

    #[must_use]
    pub fn mul(&self, other: &Self) -> Option<Self> {
        for (sum, factor) in [(self, other), (other, self)] {
            if let [(Monomial::ONE, factor)] = factor.terms.as_slice() {
                return sum.times_number(factor);
            }
        }
        let mut products = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (m, x) in &self.terms {
            for (n, y) in &other.terms {
                let product = x.times(y)?;
                if !product.is_zero() {
                    products.push((m.times(*n)?, product));
                }
            }
        }
        Self::sum_of(products)
    }

    /// The product with a number for each lane: it has the same monomials in the same order, but for those
    /// that become zero.
    fn times_number(&self, factor: &Coefficient) -> Option<Self> {
        let mut terms = Vec::with_capacity(self.terms.len());
        for (monomial, coefficient) in &self.terms {
            let product = coefficient.times(factor)?;
            if !product.is_zero() {
                terms.push((*monomial, product));
            }
        }
        Some(Self { terms })
    }

    /// The sum of products in any order; `None` where it grows past its limits.
    #[must_use]
    pub fn sum_of(mut products: Vec<(Monomial, Coefficient)>) -> Option<Self> {
        products.sort_by_key(|(monomial, _)| *monomial);
        let mut terms: Vec<(Monomial, Coefficient)> = Vec::with_capacity(products.len());
        for (monomial, coefficient) in products {
            match terms.last_mut() {
                Some((last, sum)) if *last == monomial => {
                    *sum = sum.combine(&coefficient, i64::overflowing_add)?;
                }
                _ => terms.push((monomial, coefficient)),
            }
        }
        terms.retain(|(_, coefficient)| !coefficient.is_zero());
        (terms.len() <= MOST).then_some(Self { terms })
    }

    #[must_use]
    pub fn scale(&self, by: i64) -> Option<Self> {
        self.mul(&Self::constant(by))
    }

    /// Applies `f` to every lane of every coefficient.
    #[must_use]
    pub fn map(&self, f: impl Fn(Monomial, i64) -> i64) -> Self {
        let mut terms = Vec::with_capacity(self.terms.len());
        for (monomial, coefficient) in &self.terms {
            let mapped = match coefficient {
                Coefficient::Splat(value) => Coefficient::Splat(f(*monomial, *value)),
                Coefficient::Lanes(values) => {
                    Coefficient::from_lanes(values.map(|value| f(*monomial, value)))
                }
            };
            if !mapped.is_zero() {
                terms.push((*monomial, mapped));
            }
        }
        Self { terms }
    }

    /// Lane by lane: `self` where `mask` has the lane's bit, else `other`.
    #[must_use]
    pub fn choose(&self, other: &Self, mask: u32) -> Option<Self> {
        let keep = |poly: &Self, mask: u32| {
            let mut terms = Vec::with_capacity(poly.terms.len());
            for (monomial, coefficient) in &poly.terms {
                let mut values = coefficient.lanes();
                for (lane, value) in values.iter_mut().enumerate() {
                    if mask >> lane & 1 == 0 {
                        *value = 0;
                    }
                }
                let kept = Coefficient::from_lanes(values);
                if !kept.is_zero() {
                    terms.push((*monomial, kept));
                }
            }
            Self { terms }
        };
        keep(self, mask).add(&keep(other, !mask))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_with_numbers_is_the_sum_of_the_products() {
        let lanes: [i64; LANES] = std::array::from_fn(|lane| lane as i64 - 3);
        let (x, y) = (Poly::atom(TermId(4)), Poly::atom(TermId(9)));
        let sum = x.add(&y).and_then(|sum| sum.add(&Poly::from_lanes(lanes)));
        let sum = sum.expect("few monomials");
        for factor in [Poly::constant(-7), Poly::from_lanes(lanes), Poly::default()] {
            let parts = [&x, &y, &Poly::from_lanes(lanes)].map(|part| part.mul(&factor));
            let parts = parts.into_iter().map(|part| part.expect("small numbers"));
            let wanted = parts.reduce(|all, part| all.add(&part).expect("few monomials"));
            assert_eq!(sum.mul(&factor), wanted);
            assert_eq!(factor.mul(&sum), wanted);
        }
        assert_eq!(
            x.mul(&Poly::constant(i64::MAX)).and_then(|x| x.scale(2)),
            None
        );
    }
}
