//! From terms to the normal form, and what stands in the way of it.
//!
//! Given a term, gives its [`Poly`]. An operation that is not ring arithmetic is
//! resolved lane by lane where the shared part of its operand allows it; where not,
//! it stays an atom, which may cancel (`x / n * n + x % n` is `x`). [`obstacle`]
//! says which case split would resolve a lane-dependent atom that is left.

mod obstacles;

use super::law::{self, Law};
use super::poly::{Coefficient, LANES, Monomial, Poly};
use super::reasons::Hard;
use super::residue_cost;
use super::threshold::Threshold;
use crate::access::assumption::Assumption;
use crate::ir::Scalar;
use crate::term::substitution::Substitution;
use crate::term::{Domain, LaneDifference, Op, Sharing, SymbolId, Term, TermId, Terms, fold};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Largest modulus that is split on.
pub const MAX_MODULUS: i64 = 256;

/// A case split that would help.
#[derive(Clone, Debug)]
pub enum Obstacle {
    /// The symbol's residue for this modulus decides.
    Residue(SymbolId, i64),
    /// The remainder by this modulus of a value that all lanes share decides.
    Remainder(TermId, i64),
    /// Each number of bits that lanes may shift by.
    Shift(TermId),
    /// Each of the symbol's few values.
    Values(SymbolId),
    /// Whether a condition that all lanes share holds.
    Condition(TermId),
    /// Which lanes a lane-dependent comparison holds for: one of the threshold's masks.
    Masks(TermId, Box<Threshold>),
    /// A division by a shared divisor: the quotient is a new shared symbol, and what `whole` says of the lane
    /// more, and one more in the lanes of one of these masks. A divisor that is not known is larger than the
    /// spread of the dividend.
    Quotient {
        term: TermId,
        steps: Vec<u32>,
        whole: Box<[i64; LANES]>,
        divisor: TermId,
        spread: i64,
    },
    /// Per-lane data.
    Data(LaneDifference),
    /// Nothing known helps.
    Hard(Hard),
}

/// The effect of reducing a value to a type.
enum Reduced {
    /// Nothing: it lies within the type.
    Stays,
    /// Nothing, it is assumed.
    Assumed,
    /// It may wrap.
    Open,
}

/// The law that resolved an operation, and its terms.
#[derive(Clone, Debug, Default)]
pub struct Step {
    pub laws: Vec<Law>,
    pub from: Vec<TermId>,
}

/// A normal form, where it stays within its limits.
type Form = Option<Rc<Poly>>;

/// Normal forms of the terms of one problem. A term means the same in every case, so all cases share them.
#[derive(Debug, Default)]
pub struct Forms {
    /// By the term's number.
    polys: Vec<Option<Form>>,
    /// Results of [`Evaluator::mask`] by the term's number; conditions share parts, too.
    masks: Vec<Option<Option<u32>>>,
    /// How operations were resolved; those that are not here, from their operands' numbers.
    pub steps: FxHashMap<TermId, Rc<Step>>,
    /// Conditions that were taken for granted, in words.
    pub assumptions: Vec<Assumption>,
    /// Terms whose normal form rests on one.
    pub assumed: FxHashSet<TermId>,
    /// What is divided and assumed not to be negative.
    pub divided: FxHashSet<TermId>,
    /// [`Evaluator::coarse`] had a say.
    pub has_small_divisor: bool,
}

/// The entry of `known` for a term, if there is one.
fn look_up<T: Clone>(known: &[Option<T>], id: TermId) -> Option<T> {
    known.get(id.0 as usize).cloned().flatten()
}

fn note<T: Clone>(known: &mut Vec<Option<T>>, id: TermId, found: T) {
    let at = id.0 as usize;
    if known.len() <= at {
        known.resize(at + 1, None);
    }
    known[at] = Some(found);
}

pub struct Evaluator<'t> {
    pub terms: &'t mut Terms,
    pub lane: SymbolId,
    pub forms: &'t mut Forms,
    /// Split a quotient by where it steps even if its divisor is small.
    pub coarse: bool,
}

impl<'t> Evaluator<'t> {
    pub fn new(terms: &'t mut Terms, lane: SymbolId, forms: &'t mut Forms) -> Self {
        Self {
            terms,
            lane,
            forms,
            coarse: false,
        }
    }

    /// The normal form; `None` where it grows past its limits.
    pub fn poly(&mut self, id: TermId) -> Form {
        if let Some(known) = look_up(&self.forms.polys, id) {
            return known;
        }
        let poly = self.poly_new(id).map(Rc::new);
        note(&mut self.forms.polys, id, poly.clone());
        poly
    }

    /// Whether all lanes have the same value of a term.
    pub fn is_shared(&mut self, id: TermId) -> bool {
        let Some(poly) = self.poly(id) else {
            return false;
        };
        poly.terms.iter().all(|part| self.is_shared_part(part))
    }

    /// Whether all lanes have the same of a part of a normal form, in its number and in what it is a multiple of.
    fn is_shared_part(&self, (monomial, coefficient): &(Monomial, Coefficient)) -> bool {
        matches!(coefficient, Coefficient::Splat(_))
            && monomial.atoms().all(|atom| !self.terms.is_varying(atom))
    }

    fn poly_new(&mut self, id: TermId) -> Option<Poly> {
        Some(match self.terms.term(id).clone() {
            Term::Const(value) => Poly::constant(value),
            Term::Symbol(symbol) if symbol == self.lane => {
                let mut lanes = [0; LANES];
                for (at, lane) in lanes.iter_mut().enumerate() {
                    *lane = at as i64;
                }
                Poly::from_lanes(lanes)
            }
            Term::Symbol(_) => Poly::atom(id),
            Term::Binary(op, a, b) => return self.binary(id, op, a, b),
            Term::Not(a) => match self.mask(a) {
                Some(mask) => Poly::from_lanes(bits(!mask)),
                None => Poly::atom(id),
            },
            Term::Select(c, a, b) => {
                let (x, y) = (self.poly(a)?, self.poly(b)?);
                if x == y {
                    return Some(Poly::clone(&x));
                }
                match self.mask(c) {
                    Some(mask) => x.choose(&y, mask)?,
                    None => Poly::atom(id),
                }
            }
            Term::Wrap(ty, a) => {
                let inner = self.poly(a)?;
                if let Some(lanes) = inner.as_lanes() {
                    return Some(Poly::from_lanes(lanes.map(|value| ty.wrap(value))));
                }
                match self.reduced(ty, &inner) {
                    Reduced::Stays => return Some(Poly::clone(&inner)),
                    Reduced::Assumed => {
                        self.forms.assumed.insert(id);
                        self.assume(Assumption::NoWrap);
                        return Some(Poly::clone(&inner));
                    }
                    Reduced::Open => Poly::atom(id),
                }
            }
            Term::Table(index, values) => {
                let inner = self.poly(index)?;
                match inner.as_lanes() {
                    Some(lanes) => {
                        let mut found = [0; LANES];
                        for (lane, at) in lanes.iter().enumerate() {
                            found[lane] = usize::try_from(*at)
                                .ok()
                                .and_then(|at| values.get(at).copied())?;
                        }
                        Poly::from_lanes(found)
                    }
                    None => Poly::atom(id),
                }
            }
        })
    }

    /// Whether a value stays what it is where it is reduced to a type. That the arithmetic of a launch
    /// does not wrap may be assumed where it can be so for all lanes at once.
    fn reduced(&mut self, ty: Scalar, inner: &Poly) -> Reduced {
        let domain = Domain::of_type(ty);
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        let mut may_fit = true;
        for (least, most) in residue_cost::lane_intervals(self.terms, inner) {
            (low, high) = (low.min(least), high.max(most));
            may_fit &= least <= domain.high && most >= domain.low;
        }
        if domain.low <= low && high <= domain.high {
            return Reduced::Stays;
        }
        let lanes = inner.constant_lanes();
        let is_coupled = inner
            .open()
            .any(|(_, coefficient)| matches!(coefficient, Coefficient::Lanes(_)));
        if !is_coupled {
            may_fit &= spread(&lanes).is_some_and(|spread| spread <= domain.high - domain.low);
            // One shared part for all lanes.
            let (least, most) = residue_cost::open_interval(self.terms, inner);
            let first = lanes.iter().copied().min().unwrap_or(0);
            let last = lanes.iter().copied().max().unwrap_or(0);
            may_fit &= most.saturating_add(first) >= domain.low;
            may_fit &= least.saturating_add(last) <= domain.high;
        }
        // Few values are gone through.
        if !may_fit || ty.size() < 4 || self.small_symbols(inner, None).is_some() {
            return Reduced::Open;
        }
        Reduced::Assumed
    }

    /// Whether what was found of a term rests on an assumption.
    #[must_use]
    pub fn is_assumed(&self, id: TermId) -> bool {
        !self.forms.assumed.is_empty()
            && self
                .terms
                .subterms([id].into_iter())
                .iter()
                .any(|part| self.forms.assumed.contains(part))
    }

    fn assume(&mut self, assumption: Assumption) {
        if !self.forms.assumptions.contains(&assumption) {
            self.forms.assumptions.push(assumption);
        }
    }

    fn binary(&mut self, id: TermId, op: Op, a: TermId, b: TermId) -> Option<Poly> {
        match op {
            Op::Add | Op::Sub | Op::Mul => {
                let (x, y) = (self.poly(a)?, self.poly(b)?);
                return match op {
                    Op::Add => x.add(&y),
                    Op::Sub => x.sub(&y),
                    _ => x.mul(&y).or_else(|| Some(Poly::atom(id))),
                };
            }
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::LogicalAnd | Op::LogicalOr => {
                return Some(match self.mask(id) {
                    Some(mask) => Poly::from_lanes(bits(mask)),
                    None => Poly::atom(id),
                });
            }
            _ => {}
        }
        let (x, y) = (self.poly(a)?, self.poly(b)?);
        if let (Some(p), Some(q)) = (x.as_lanes(), y.as_lanes()) {
            let mut values = [0; LANES];
            for lane in 0..LANES {
                // An undefined lane (division by zero) is never asked for under its guard.
                values[lane] = fold(op, p[lane], q[lane]).unwrap_or(0);
            }
            return Some(Poly::from_lanes(values));
        }
        match op {
            Op::Div => Some(self.quotient(id, &x, &y, a, b)),
            Op::Rem => self.remainder(id, &x, &y, a, b),
            Op::Shr => Some(self.right_shift(id, &x, &y, a, b)),
            Op::Shl => Some(Poly::atom(id)),
            Op::And => match self.and(id, &x, &y, a, b) {
                Some(poly) => Some(poly),
                None => Some(Poly::atom(id)),
            },
            Op::Or | Op::Xor => {
                let (p, q) = if a <= b { (a, b) } else { (b, a) };
                let term = self.terms.binary(Op::And, p, q);
                let common = self.poly(term)?;
                let (law, factor) = if op == Op::Or {
                    (Law::Or, 1)
                } else {
                    (Law::Xor, 2)
                };
                self.step(id, &[law], &[a, b, term]);
                x.add(&y)?.sub(&common.scale(factor)?)
            }
            Op::Min | Op::Max => {
                let less = self.terms.binary(Op::Lt, a, b);
                match self.mask(less) {
                    Some(mask) if op == Op::Min => x.choose(&y, mask),
                    Some(mask) => x.choose(&y, !mask),
                    None => Some(Poly::atom(id)),
                }
            }
            _ => Some(Poly::atom(id)),
        }
    }

    fn quotient(&mut self, id: TermId, x: &Poly, y: &Poly, a: TermId, b: TermId) -> Poly {
        if let Some(divisor) = y.as_constant().filter(|d| *d > 0)
            && let Some(quotient) = self.exact_quotient(x, divisor, a)
        {
            self.step(id, &[Law::Division(divisor)], &[a, b]);
            return quotient;
        }
        let apart = self.quotient_apart(id, Op::Div, x, y.as_constant(), a, b);
        apart.unwrap_or_else(|| Poly::atom(id))
    }

    fn remainder(&mut self, id: TermId, x: &Poly, y: &Poly, a: TermId, b: TermId) -> Option<Poly> {
        if let Some(divisor) = y.as_constant().filter(|d| *d > 0)
            && let Some(quotient) = self.exact_quotient(x, divisor, a)
        {
            let laws = [Law::RemainderBy(divisor), Law::Division(divisor)];
            self.step(id, &laws, &[a, b]);
            return x.sub(&quotient.scale(divisor)?);
        }
        let term = self.terms.binary(Op::Div, a, b);
        let quotient = self.poly(term)?;
        let Some(rest) = quotient.mul(y).and_then(|product| x.sub(&product)) else {
            return Some(Poly::atom(id));
        };
        self.step(id, &[Law::Remainder], &[a, b, term]);
        Some(rest)
    }

    fn right_shift(&mut self, id: TermId, x: &Poly, y: &Poly, a: TermId, b: TermId) -> Poly {
        let Some(by) = y.as_constant().filter(|by| (0..60).contains(by)) else {
            return Poly::atom(id);
        };
        let divisor = 1_i64 << by;
        if x.open().all(|(_, c)| c.divisible_by(divisor)) {
            self.step(id, &[Law::Division(divisor)], &[a, b]);
            return x.map(|_, value| value.div_euclid(divisor));
        }
        let apart = self.quotient_apart(id, Op::Shr, x, Some(divisor), a, b);
        apart.unwrap_or_else(|| Poly::atom(id))
    }

    fn step(&mut self, id: TermId, laws: &[Law], from: &[TermId]) {
        let step = Step {
            laws: laws.to_vec(),
            from: from.to_vec(),
        };
        self.forms.steps.insert(id, Rc::new(step));
    }

    /// `x / divisor`, where the shared part of `x` is a multiple of it.
    fn exact_quotient(&mut self, x: &Poly, divisor: i64, term: TermId) -> Option<Poly> {
        if !x
            .open()
            .all(|(_, coefficient)| coefficient.divisible_by(divisor))
        {
            return None;
        }
        self.divides_as_floor(x, term)
            .then(|| x.map(|_, value| value.div_euclid(divisor)))
    }

    /// Truncation and floor agree where the value is not negative, which is assumed where it may be.
    fn divides_as_floor(&mut self, x: &Poly, term: TermId) -> bool {
        let (low, _) = self.terms.interval(term);
        if low < 0 {
            let bounds = residue_cost::lane_intervals(self.terms, x);
            if bounds.iter().any(|(_, high)| *high < 0)
                || residue_cost::is_negative_for_counts(self.terms, x)
            {
                return false;
            }
            if bounds.iter().any(|(low, _)| *low < 0) {
                self.forms.assumed.insert(term);
                self.forms.divided.insert(term);
                self.assume(Assumption::NotNegative);
            }
        }
        true
    }

    /// `x / divisor` or `x >> k`, where lanes lie apart by multiples of the divisor: what is shared is divided as it
    /// is in lane 0.
    fn quotient_apart(
        &mut self,
        id: TermId,
        op: Op,
        x: &Poly,
        divisor: Option<i64>,
        a: TermId,
        b: TermId,
    ) -> Option<Poly> {
        let divisor = divisor.filter(|divisor| *divisor > 1)?;
        let lanes = x.constant_lanes();
        let mut apart = [0; LANES];
        for (apart, value) in apart.iter_mut().zip(&lanes) {
            let difference = value.checked_sub(lanes[0])?;
            if difference % divisor != 0 {
                return None;
            }
            *apart = difference / divisor;
        }
        let is_shared = x.open().all(|part| self.is_shared_part(part));
        if apart == [0; LANES] || !is_shared {
            return None;
        }
        let zero = self.terms.int(0);
        let first = Substitution::of_symbols(self.terms, [(self.lane, zero)]).apply(self.terms, a);
        if first == a || self.terms.is_varying(first) {
            return None;
        }
        if op == Op::Div && !self.divides_as_floor(x, a) {
            return None;
        }
        let quotient = self.terms.binary(op, first, b);
        let found = self.poly(quotient)?.add(&Poly::from_lanes(apart))?;
        self.step(id, &[Law::Division(divisor)], &[a, b, quotient]);
        Some(found)
    }

    /// `x & y` where one of them is lane numbers below a power of two that divides the shared
    /// part of the other, or a constant mask.
    fn and(&mut self, id: TermId, x: &Poly, y: &Poly, a: TermId, b: TermId) -> Option<Poly> {
        for (small, large, other) in [(x, y, b), (y, x, a)] {
            let Some(lanes) = small.as_lanes() else {
                continue;
            };
            if let Some(mask) = small
                .as_constant()
                .filter(|mask| *mask < 0 || *mask > 0xffff)
            {
                // Keep the high bits: x & -2^k = x - x mod 2^k.
                let modulus = mask.checked_neg()?;
                if modulus > 0 && modulus & (modulus - 1) == 0 {
                    let bits = modulus.trailing_zeros();
                    let by = self.terms.int(i64::from(bits));
                    let high = self.terms.binary(Op::Shr, other, by);
                    let scaled = self.poly(high)?.scale(modulus)?;
                    self.step(id, &[Law::HighBits(bits)], &[a, b, high]);
                    return Some(scaled);
                }
            }
            if lanes.iter().any(|value| *value < 0) {
                continue;
            }
            let most = lanes.iter().copied().max().unwrap_or(0);
            let modulus = (most as u64 + 1).next_power_of_two() as i64;
            if large
                .open()
                .all(|(_, coefficient)| coefficient.divisible_by(modulus))
            {
                let low = large.constant_lanes();
                let mut values = [0; LANES];
                for lane in 0..LANES {
                    values[lane] = lanes[lane] & low[lane].rem_euclid(modulus);
                }
                self.step(id, &[Law::LowBits(modulus.trailing_zeros())], &[a, b]);
                return Some(Poly::from_lanes(values));
            }
            // A constant mask is a difference of shifts for each run of its bits.
            if let Some(mask) = small.as_constant()
                && mask > 0
            {
                let mut sum = Poly::default();
                let mut from = vec![a, b];
                for (at, run) in law::runs(mask) {
                    let (start, end) = (i64::from(at), i64::from(at + run));
                    let (start, end) = (self.terms.int(start), self.terms.int(end));
                    let low = self.terms.binary(Op::Shr, other, start);
                    let high = self.terms.binary(Op::Shr, other, end);
                    from.extend([low, high]);
                    let (low, high) = (self.poly(low)?, self.poly(high)?);
                    let part = low.sub(&high.scale(1 << run)?)?;
                    sum = sum.add(&part.scale(1 << at)?)?;
                }
                self.step(id, &law::of_mask(mask), &from);
                return Some(sum);
            }
        }
        for (own, shared, x, y) in [(a, b, x, y), (b, a, y, x)] {
            if let Some(found) = self.masked_apart(id, own, shared, x, y) {
                return Some(found);
            }
        }
        None
    }

    /// `x & y` for a shared `y`, where lanes differ only in bits of `x` below those of its shared part: the
    /// high bits are shared, and the low ones are lane numbers under a mask.
    fn masked_apart(
        &mut self,
        id: TermId,
        own: TermId,
        shared: TermId,
        x: &Poly,
        y: &Poly,
    ) -> Option<Poly> {
        const MOST_BITS: u32 = 10;
        let lanes = x.constant_lanes();
        let most = lanes.iter().copied().max()?;
        let is_wanted = self.terms.is_varying(own) && !self.terms.is_varying(shared);
        if !is_wanted || y.as_constant().is_some() || most <= 0 {
            return None;
        }
        let bits = 64 - (most as u64).leading_zeros();
        let modulus = 1_i64 << bits;
        let is_apart = x
            .open()
            .all(|part| self.is_shared_part(part) && part.1.divisible_by(modulus));
        let has_high_bits = x.open().next().is_some();
        if bits > MOST_BITS || lanes.iter().any(|value| *value < 0) || !is_apart || !has_high_bits {
            return None;
        }
        let lane = self.terms.symbol_term(self.lane);
        let low = self.terms.table(lane, lanes.to_vec());
        let low = self.terms.binary(Op::And, low, shared);
        // In lane 0 the high bits are what they are in all lanes.
        let first = self.terms.int(0);
        let mut in_first = Substitution::of_symbols(self.terms, [(self.lane, first)]);
        let first = in_first.apply(self.terms, own);
        let by = self.terms.int(i64::from(bits));
        let (high, mask) = (
            self.terms.binary(Op::Shr, first, by),
            self.terms.binary(Op::Shr, shared, by),
        );
        let high = self.terms.binary(Op::And, high, mask);
        let found = self.poly(low)?.add(&self.poly(high)?.scale(modulus)?)?;
        let from = [own, shared, low, high];
        self.step(id, &[Law::Masked(bits)], &from);
        Some(found)
    }

    /// The lanes for which a condition holds, where no shared symbol has a say in it.
    pub fn mask(&mut self, condition: TermId) -> Option<u32> {
        if let Some(known) = look_up(&self.forms.masks, condition) {
            return known;
        }
        let mask = self.mask_new(condition);
        note(&mut self.forms.masks, condition, mask);
        mask
    }

    fn mask_new(&mut self, condition: TermId) -> Option<u32> {
        match self.terms.term(condition).clone() {
            Term::Const(value) => Some(if value != 0 { u32::MAX } else { 0 }),
            Term::Not(inner) => self.mask(inner).map(|mask| !mask),
            Term::Binary(Op::LogicalAnd, a, b) => match (self.mask(a), self.mask(b)) {
                (Some(x), Some(y)) => Some(x & y),
                (Some(0), _) | (_, Some(0)) => Some(0),
                _ => None,
            },
            Term::Binary(Op::LogicalOr, a, b) => match (self.mask(a), self.mask(b)) {
                (Some(x), Some(y)) => Some(x | y),
                (Some(u32::MAX), _) | (_, Some(u32::MAX)) => Some(u32::MAX),
                _ => None,
            },
            Term::Binary(op @ (Op::Eq | Op::Ne | Op::Lt | Op::Le), a, b) => {
                let (x, y) = (self.poly(a)?, self.poly(b)?);
                // What is open goes only where both sides have the same of it.
                if x.open().count() != y.open().count() {
                    return None;
                }
                let difference = x.sub(&y)?;
                let lanes = difference.as_lanes()?;
                let mut mask = 0;
                for (lane, value) in lanes.iter().enumerate() {
                    if fold(op, *value, 0) == Some(1) {
                        mask |= 1 << lane;
                    }
                }
                Some(mask)
            }
            _ => {
                let lanes = self.poly(condition)?.as_lanes()?;
                let mut mask = 0;
                for (lane, value) in lanes.iter().enumerate() {
                    if *value != 0 {
                        mask |= 1 << lane;
                    }
                }
                Some(mask)
            }
        }
    }
}

/// How far lanes lie apart; `None` where that or a number's opposite passes 64 bits.
fn spread(lanes: &[i64; LANES]) -> Option<i64> {
    let (least, most) = (lanes.iter().min()?, lanes.iter().max()?);
    least.checked_neg()?;
    most.checked_sub(*least)
}

fn bits(mask: u32) -> [i64; LANES] {
    let mut values = [0; LANES];
    for (lane, value) in values.iter_mut().enumerate() {
        *value = i64::from(mask >> lane & 1);
    }
    values
}
