//! From terms to the normal form, and what stands in the way of it.
//!
//! Given a term, gives its [`Poly`]. An operation that is not ring arithmetic is
//! resolved lane by lane where the shared part of its operand allows it; where not,
//! it stays an atom, which may cancel (`x / n * n + x % n` is `x`). [`obstacle`]
//! says which case split would resolve a lane-dependent atom that is left.

use super::law::{self, Law};
use super::poly::{Coefficient, LANES, Monomial, Poly};
use super::residue_cost;
use super::threshold::Threshold;
use crate::ir::Scalar;
use crate::term::substitution::Substitution;
use crate::term::{Domain, Op, Sharing, SymbolId, Term, TermId, Terms, fold, wrap_value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What divisions assume that are resolved by the floor.
pub const NOT_NEGATIVE: &str = "divided index values are not negative";
/// Why a division is given up.
const TOO_FAR: &str = "a division of numbers that lie too far apart";

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
    /// A division by a shared divisor: the quotient is a new shared symbol, one more in the
    /// lanes of one of these masks. The divisor is larger than the spread of the dividend.
    Quotient {
        term: TermId,
        steps: Vec<u32>,
        divisor: TermId,
        spread: i64,
    },
    /// Per-lane data.
    Data(std::sync::Arc<str>),
    /// Nothing known helps.
    Hard(&'static str),
}

/// What reducing a value to a type does to it.
enum Reduced {
    /// Nothing: it lies within the type.
    Stays,
    /// Nothing, it is assumed.
    Assumed,
    /// It may wrap.
    Open,
}

/// What an operation was resolved by, and the terms that it was resolved from.
#[derive(Clone, Debug, Default)]
pub struct Step {
    pub laws: Vec<Law>,
    pub from: Vec<TermId>,
}

/// A normal form, where it stays within its limits.
type Form = Option<Rc<Poly>>;

/// What was found out about the terms of one problem. A term means the same in every case, so all
/// cases share it.
#[derive(Debug, Default)]
pub struct Forms {
    /// By the term's number.
    polys: Vec<Option<Form>>,
    /// What [`Evaluator::mask`] found, by the term's number: conditions share parts, too.
    masks: Vec<Option<Option<u32>>>,
    /// How operations were resolved; those that are not here, from their operands' numbers.
    pub steps: FxHashMap<TermId, Step>,
    /// Conditions that were taken for granted, in words.
    pub assumptions: Vec<String>,
    /// Terms whose normal form rests on one.
    pub assumed: FxHashSet<TermId>,
    /// [`Evaluator::coarse`] had a say.
    pub has_small_divisor: bool,
}

/// What `known` has for a term, once that was found out.
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
        poly.terms.iter().all(|(monomial, coefficient)| {
            matches!(coefficient, Coefficient::Splat(_))
                && monomial.atoms().all(|atom| !self.terms.is_varying(atom))
        })
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
                    return Some(Poly::from_lanes(lanes.map(|value| wrap_value(ty, value))));
                }
                match self.reduced(ty, &inner) {
                    Reduced::Stays => return Some(Poly::clone(&inner)),
                    Reduced::Assumed => {
                        self.forms.assumed.insert(id);
                        self.assume("unsigned index arithmetic does not wrap");
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
        for lane in 0..LANES {
            let (least, most) = residue_cost::interval_in_lane(self.terms, inner, lane);
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

    fn assume(&mut self, text: &str) {
        if !self.forms.assumptions.iter().any(|known| known == text) {
            self.forms.assumptions.push(text.to_owned());
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
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Both | Op::Either => {
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
            Op::Div => {
                if let Some(divisor) = y.as_constant().filter(|d| *d > 0)
                    && let Some(quotient) = self.exact_quotient(&x, divisor, a)
                {
                    self.step(id, &[Law::Division(divisor)], &[a, b]);
                    return Some(quotient);
                }
                Some(Poly::atom(id))
            }
            Op::Rem => {
                if let Some(divisor) = y.as_constant().filter(|d| *d > 0)
                    && let Some(quotient) = self.exact_quotient(&x, divisor, a)
                {
                    let laws = [Law::RemainderBy(divisor), Law::Division(divisor)];
                    self.step(id, &laws, &[a, b]);
                    return x.sub(&quotient.scale(divisor)?);
                }
                let term = self.terms.binary(Op::Div, a, b);
                let quotient = self.poly(term)?;
                match quotient.mul(&y).and_then(|product| x.sub(&product)) {
                    Some(rest) => {
                        self.step(id, &[Law::Remainder], &[a, b, term]);
                        Some(rest)
                    }
                    None => Some(Poly::atom(id)),
                }
            }
            Op::Shr => {
                if let Some(by) = y.as_constant().filter(|by| (0..60).contains(by)) {
                    let divisor = 1_i64 << by;
                    if x.open().all(|(_, c)| c.divisible_by(divisor)) {
                        self.step(id, &[Law::Division(divisor)], &[a, b]);
                        return Some(x.map(|_, value| value.div_euclid(divisor)));
                    }
                }
                Some(Poly::atom(id))
            }
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

    fn step(&mut self, id: TermId, laws: &[Law], from: &[TermId]) {
        let step = Step {
            laws: laws.to_vec(),
            from: from.to_vec(),
        };
        self.forms.steps.insert(id, step);
    }

    /// `x / divisor`, where the shared part of `x` is a multiple of it.
    fn exact_quotient(&mut self, x: &Poly, divisor: i64, term: TermId) -> Option<Poly> {
        if !x
            .open()
            .all(|(_, coefficient)| coefficient.divisible_by(divisor))
        {
            return None;
        }
        // Truncation and floor agree where the value is not negative.
        let (low, _) = self.terms.interval(term);
        if low < 0 {
            let lowest = |lane| residue_cost::interval_in_lane(self.terms, x, lane);
            let bounds: Vec<(i64, i64)> = (0..LANES).map(lowest).collect();
            if bounds.iter().any(|(_, high)| *high < 0) {
                return None;
            }
            if bounds.iter().any(|(low, _)| *low < 0) {
                self.forms.assumed.insert(term);
                self.assume(NOT_NEGATIVE);
            }
        }
        Some(x.map(|_, value| value.div_euclid(divisor)))
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
        let is_apart = x.open().all(|(_, coefficient)| {
            matches!(coefficient, Coefficient::Splat(_)) && coefficient.divisible_by(modulus)
        });
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
            Term::Binary(Op::Both, a, b) => match (self.mask(a), self.mask(b)) {
                (Some(x), Some(y)) => Some(x & y),
                (Some(0), _) | (_, Some(0)) => Some(0),
                _ => None,
            },
            Term::Binary(Op::Either, a, b) => match (self.mask(a), self.mask(b)) {
                (Some(x), Some(y)) => Some(x | y),
                (Some(u32::MAX), _) | (_, Some(u32::MAX)) => Some(u32::MAX),
                _ => None,
            },
            Term::Binary(op @ (Op::Eq | Op::Ne | Op::Lt | Op::Le), a, b) => {
                let difference = self.poly(a)?.sub(&*self.poly(b)?)?;
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

    /// What would resolve a lane-dependent atom of `poly`.
    pub fn obstacle_of(&mut self, poly: &Poly) -> Option<Obstacle> {
        let atoms: Vec<TermId> = poly
            .terms
            .iter()
            .flat_map(|(monomial, _)| monomial.atoms().collect::<Vec<_>>())
            .filter(|atom| self.terms.is_varying(*atom))
            .collect();
        // Data first: no split helps against it.
        for atom in &atoms {
            if self.terms.has_data(*atom) {
                return Some(self.obstacle(*atom, 0));
            }
        }
        atoms.first().map(|atom| self.obstacle(*atom, 0))
    }

    /// What would resolve this lane-dependent term.
    pub fn obstacle(&mut self, atom: TermId, depth: u32) -> Obstacle {
        if depth > 24 {
            return Obstacle::Hard("the expression is too deep");
        }
        let below = |this: &mut Self, inner: TermId| -> Option<Obstacle> {
            let poly = match this.poly(inner) {
                Some(poly) => poly,
                None => return Some(Obstacle::Hard("the expression is too large")),
            };
            let next = poly
                .terms
                .iter()
                .flat_map(|(monomial, _)| monomial.atoms().collect::<Vec<_>>())
                .find(|atom| this.terms.is_varying(*atom));
            next.map(|next| this.obstacle(next, depth + 1))
        };
        match self.terms.term(atom).clone() {
            Term::Symbol(symbol) => match &self.terms.symbol(symbol).sharing {
                Sharing::Varying(reason) => Obstacle::Data(reason.clone()),
                _ => Obstacle::Hard("a symbol"),
            },
            Term::Const(_) => Obstacle::Hard("a constant"),
            Term::Binary(Op::Div | Op::Shr, a, b) => {
                if let Some(found) = below(self, a).or_else(|| below(self, b)) {
                    return found;
                }
                let (Some(x), Some(y)) = (self.poly(a), self.poly(b)) else {
                    return Obstacle::Hard("the expression is too large");
                };
                let is_shift = matches!(self.terms.term(atom), Term::Binary(Op::Shr, ..));
                let divisor = match y.as_constant() {
                    Some(by) if is_shift => (0..60).contains(&by).then(|| 1_i64 << by),
                    other => other.filter(|d| *d > 0),
                };
                match divisor {
                    Some(divisor) => self.split_for_divisor(atom, &x, divisor, b),
                    None if is_shift => self.shift_obstacle(&y, b),
                    None => self.split_quotient(atom, &x, &y, b),
                }
            }
            Term::Binary(Op::And | Op::Or | Op::Xor, a, b) => {
                if let Some(found) = below(self, a).or_else(|| below(self, b)) {
                    return found;
                }
                let (Some(x), Some(y)) = (self.poly(a), self.poly(b)) else {
                    return Obstacle::Hard("the expression is too large");
                };
                let most = |poly: &Poly| {
                    poly.as_lanes()
                        .map(|lanes| lanes.iter().copied().max().unwrap_or(0).max(0))
                };
                match (most(&x), most(&y)) {
                    (Some(most), _) => {
                        let modulus = (most as u64 + 1).next_power_of_two() as i64;
                        self.residue_obstacle(&y, modulus)
                    }
                    (None, Some(most)) => {
                        let modulus = (most as u64 + 1).next_power_of_two() as i64;
                        self.residue_obstacle(&x, modulus)
                    }
                    (None, None) => self.uniform_obstacle(&[&x, &y]),
                }
            }
            Term::Binary(Op::Min | Op::Max, a, b) => {
                if let Some(found) = below(self, a).or_else(|| below(self, b)) {
                    return found;
                }
                let less = self.terms.binary(Op::Lt, a, b);
                self.condition_obstacle(less, depth)
            }
            Term::Select(condition, a, b) => {
                if self.mask(condition).is_none() {
                    return self.condition_obstacle(condition, depth);
                }
                below(self, a)
                    .or_else(|| below(self, b))
                    .unwrap_or(Obstacle::Hard("a selection"))
            }
            Term::Not(inner) => self.condition_obstacle(inner, depth),
            Term::Binary(Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Both | Op::Either, ..) => {
                self.condition_obstacle(atom, depth)
            }
            Term::Table(index, _) => match self.poly(index) {
                Some(poly) => below(self, index).unwrap_or_else(|| self.uniform_obstacle(&[&poly])),
                None => Obstacle::Hard("the expression is too large"),
            },
            Term::Binary(Op::Shl, a, b) => below(self, a)
                .or_else(|| below(self, b))
                .unwrap_or_else(|| match self.poly(b) {
                    Some(poly) => self.shift_obstacle(&poly, b),
                    None => Obstacle::Hard("a shift"),
                }),
            Term::Binary(_, a, b) => below(self, a)
                .or_else(|| below(self, b))
                .unwrap_or(Obstacle::Hard("the expression is too large")),
            Term::Wrap(_, inner) => {
                if let Some(found) = below(self, inner) {
                    return found;
                }
                let few = self
                    .poly(inner)
                    .and_then(|inner| self.small_symbols(&inner, None));
                few.map_or(Obstacle::Hard("arithmetic that may wrap"), Obstacle::Values)
            }
        }
    }

    /// What decides a condition lane by lane.
    pub fn condition_obstacle(&mut self, condition: TermId, depth: u32) -> Obstacle {
        if depth > 24 {
            return Obstacle::Hard("the condition is too deep");
        }
        if !self.terms.is_varying(condition) {
            return Obstacle::Condition(condition);
        }
        match self.terms.term(condition).clone() {
            Term::Not(inner) => self.condition_obstacle(inner, depth + 1),
            Term::Binary(Op::Both | Op::Either, a, b) => {
                if self.mask(a).is_none() {
                    self.condition_obstacle(a, depth + 1)
                } else {
                    self.condition_obstacle(b, depth + 1)
                }
            }
            Term::Binary(op @ (Op::Eq | Op::Ne | Op::Lt | Op::Le), a, b) => {
                let Some(difference) = self.poly(a).zip(self.poly(b)).and_then(|(x, y)| x.sub(&y))
                else {
                    return Obstacle::Hard("the condition is too large");
                };
                if let Some(found) = self.obstacle_of(&difference) {
                    return found;
                }
                // Few values of the symbols in it: each of them decides.
                if let Some(symbol) = self.small_symbols(&difference, None) {
                    return Obstacle::Values(symbol);
                }
                if difference
                    .open()
                    .any(|(_, c)| matches!(c, Coefficient::Lanes(_)))
                {
                    return Obstacle::Hard("the condition multiplies the lane by a symbol");
                }
                // shared + lanes < 0 holds for the lanes below some threshold.
                let lanes = difference.constant_lanes();
                let shared = residue_cost::open_interval(self.terms, &difference);
                Obstacle::Masks(condition, Box::new(Threshold { op, lanes, shared }))
            }
            Term::Symbol(symbol) => match &self.terms.symbol(symbol).sharing {
                Sharing::Varying(reason) => Obstacle::Data(reason.clone()),
                _ => Obstacle::Condition(condition),
            },
            _ => self.obstacle(condition, depth + 1),
        }
    }

    /// A symbol of `poly` to enumerate, where those that matter have few values together: for its
    /// sign the one that moves it most, after which the others may not matter any more; for a
    /// division the one with the fewest values of those that are not divided evenly.
    fn small_symbols(&mut self, poly: &Poly, divisor: Option<i64>) -> Option<SymbolId> {
        let mut product = 1_usize;
        let mut found: Vec<(u64, SymbolId)> = Vec::new();
        for (monomial, coefficient) in poly.open() {
            if divisor.is_some_and(|divisor| coefficient.divisible_by(divisor)) {
                continue;
            }
            let mut symbols = Vec::new();
            for atom in monomial.atoms() {
                self.terms.symbols_of(atom, &mut symbols);
            }
            let factor = coefficient.lane(LANES - 1).unsigned_abs();
            for symbol in symbols.into_iter().filter(|symbol| *symbol != self.lane) {
                let domain = &self.terms.symbol(symbol).domain;
                let moves = factor.saturating_mul(domain.high.abs_diff(domain.low));
                match found.iter_mut().find(|(_, known)| *known == symbol) {
                    Some((most, _)) => *most = moves.max(*most),
                    None => {
                        product = product.checked_mul(domain.count(1024)?)?;
                        found.push((moves, symbol));
                    }
                }
            }
        }
        if product > 1024 {
            return None;
        }
        if divisor.is_some() {
            return found.first().map(|(_, symbol)| *symbol);
        }
        let first_of_most = found.into_iter().rev().max_by_key(|(moves, _)| *moves);
        first_of_most.map(|(_, symbol)| symbol)
    }

    /// The symbol with the fewest values, of those with at most `most`: after it the others may not
    /// matter any more.
    fn fewest_values(&self, symbols: &[SymbolId], most: usize) -> Option<SymbolId> {
        let values = |symbol: &SymbolId| self.terms.symbol(*symbol).domain.count(most);
        let few = symbols.iter().filter(|symbol| values(symbol).is_some());
        few.min_by_key(|symbol| values(symbol)).copied()
    }

    /// The split that makes the shared part of `x` a multiple of `modulus`.
    fn residue_obstacle(&mut self, x: &Poly, modulus: i64) -> Obstacle {
        for (monomial, coefficient) in &x.terms {
            if *monomial == Monomial::ONE || coefficient.divisible_by(modulus) {
                continue;
            }
            let common = coefficient
                .lanes()
                .iter()
                .fold(modulus, |g, value| gcd(g, value.abs()));
            let needed = modulus / common;
            let is_symbol = |atom: &TermId| matches!(self.terms.term(*atom), Term::Symbol(_));
            let atoms: Vec<TermId> = monomial.atoms().collect();
            let Some(atom) = atoms
                .iter()
                .copied()
                .find(is_symbol)
                .or(atoms.first().copied())
            else {
                continue;
            };
            return match *self.terms.term(atom) {
                Term::Symbol(symbol) => {
                    // Values, where they are no more than residues.
                    let most = usize::try_from(needed).unwrap_or(0).clamp(8, 1024);
                    match self.terms.symbol(symbol).domain.count(most) {
                        Some(_) => Obstacle::Values(symbol),
                        None => Obstacle::Residue(symbol, needed),
                    }
                }
                _ => match self.uniform_atom_obstacle(atom) {
                    Obstacle::Hard(_) if !self.terms.is_varying(atom) => {
                        Obstacle::Remainder(atom, needed)
                    }
                    found => found,
                },
            };
        }
        Obstacle::Hard("the shared part")
    }

    /// A symbol inside shared atoms to enumerate.
    fn uniform_obstacle(&mut self, parts: &[&Poly]) -> Obstacle {
        let open = parts.iter().flat_map(|part| part.open());
        let atoms: Vec<TermId> = open
            .flat_map(|(monomial, _)| monomial.atoms().collect::<Vec<_>>())
            .collect();
        let mut symbols = Vec::new();
        for atom in &atoms {
            self.terms.symbols_of(*atom, &mut symbols);
        }
        if let Some(symbol) = self.fewest_values(&symbols, 256) {
            return Obstacle::Values(symbol);
        }
        let conditions = atoms.iter().find_map(|atom| match self.terms.term(*atom) {
            Term::Select(condition, ..) => Some(*condition),
            _ => None,
        });
        conditions.map_or(
            Obstacle::Hard("a shared value of many values"),
            Obstacle::Condition,
        )
    }

    /// What decides a shift by an amount that all lanes share.
    fn shift_obstacle(&mut self, amount: &Poly, term: TermId) -> Obstacle {
        match self.uniform_obstacle(&[amount]) {
            Obstacle::Hard(_) if !self.terms.is_varying(term) => Obstacle::Shift(term),
            found => found,
        }
    }

    fn uniform_atom_obstacle(&mut self, atom: TermId) -> Obstacle {
        self.uniform_obstacle(&[&Poly::atom(atom)])
    }

    fn split_for_divisor(
        &mut self,
        atom: TermId,
        x: &Poly,
        divisor: i64,
        divisor_term: TermId,
    ) -> Obstacle {
        let lanes = x.constant_lanes();
        let Some(spread) = spread(&lanes) else {
            return Obstacle::Hard(TOO_FAR);
        };
        if let Some(symbol) = self.small_symbols(x, Some(divisor)) {
            return Obstacle::Values(symbol);
        }
        let coupled = x.open().any(|(_, c)| matches!(c, Coefficient::Lanes(_)));
        let steps_within = spread < divisor && !coupled;
        if divisor <= 256 && steps_within {
            self.forms.has_small_divisor = true;
        }
        if (divisor <= 256 && !self.coarse) || !steps_within {
            if divisor > 4096 {
                return Obstacle::Hard("a division by a large constant");
            }
            return match self.residue_obstacle(x, divisor) {
                Obstacle::Hard(_) if !coupled && spread < divisor => {
                    self.quotient_by_constant(atom, x, divisor, divisor_term, spread)
                }
                found => found,
            };
        }
        self.quotient_by_constant(atom, x, divisor, divisor_term, spread)
    }

    /// The quotient of a spread below the divisor takes two values at most; the remainders that
    /// the shared part can have say which lanes may get the larger one.
    fn quotient_by_constant(
        &mut self,
        term: TermId,
        x: &Poly,
        divisor: i64,
        divisor_term: TermId,
        spread: i64,
    ) -> Obstacle {
        let lanes = x.constant_lanes();
        let least = lanes.iter().copied().min().unwrap_or(0);
        let common = x.open().fold(divisor, |g, (_, c)| {
            c.lanes().iter().fold(g, |g, value| gcd(g, value.abs()))
        });
        // The mask grows with the remainder, and only where one more lane passes the divisor.
        let common = common.max(1);
        let start = least.rem_euclid(common);
        let mut remainders = vec![start];
        for value in &lanes {
            let passes = (divisor - (value - least)).max(0);
            let first =
                start + (passes - start).max(0).saturating_add(common - 1) / common * common;
            remainders.push(first);
        }
        remainders.retain(|remainder| *remainder < divisor);
        remainders.sort_unstable();
        remainders.dedup();
        let mut steps = Vec::new();
        for remainder in remainders {
            let mut mask = 0;
            for (lane, value) in lanes.iter().enumerate() {
                if remainder + (value - least) >= divisor {
                    mask |= 1 << lane;
                }
            }
            if !steps.contains(&mask) {
                steps.push(mask);
            }
        }
        Obstacle::Quotient {
            term,
            steps,
            divisor: divisor_term,
            spread,
        }
    }

    /// A remainder of a symbol in a term, or its low bits, by a number that it can be split by.
    fn remainder_in(&self, term: TermId) -> Option<(SymbolId, i64)> {
        let parts = self.terms.subterms([term].into_iter());
        parts.iter().find_map(|part| match *self.terms.term(*part) {
            Term::Binary(op @ (Op::Rem | Op::And), x, by) => match *self.terms.term(x) {
                Term::Symbol(symbol) if symbol != self.lane => {
                    let by = self.terms.constant(by)?;
                    let modulus = if op == Op::And {
                        by.checked_add(1)?
                    } else {
                        by
                    };
                    let is_told = op == Op::Rem || modulus & by == 0;
                    (is_told && (2..=64).contains(&modulus)).then_some((symbol, modulus))
                }
                _ => None,
            },
            _ => None,
        })
    }

    fn split_quotient(&mut self, term: TermId, x: &Poly, y: &Poly, divisor: TermId) -> Obstacle {
        if y.open().any(|(_, c)| matches!(c, Coefficient::Lanes(_)))
            || matches!(y.constant_lanes(), lanes if lanes.iter().any(|v| *v != lanes[0]))
        {
            return Obstacle::Hard("a divisor that depends on the lane");
        }
        if let Some(symbol) = self.small_symbols(y, None) {
            return Obstacle::Values(symbol);
        }
        if let Some((symbol, modulus)) = self.remainder_in(divisor) {
            return Obstacle::Residue(symbol, modulus);
        }
        if x.open().any(|(_, c)| matches!(c, Coefficient::Lanes(_))) {
            return Obstacle::Hard("a division of a product of lane and symbol by a symbol");
        }
        let lanes = x.constant_lanes();
        let Some(spread) = spread(&lanes) else {
            return Obstacle::Hard(TOO_FAR);
        };
        // That the divisor is larger is no assumption where the text says that it is not.
        if self.terms.interval(divisor).1 <= spread {
            return Obstacle::Hard("a divisor that is smaller than what lanes lie apart");
        }
        let mut steps = Threshold {
            op: Op::Le,
            lanes: lanes.map(|value| -value),
            shared: (i64::MIN / 4, i64::MAX / 4),
        }
        .masks();
        if !steps.contains(&0) {
            steps.push(0);
        }
        // All lanes one further is the same as none, with another quotient.
        steps.retain(|mask| *mask != u32::MAX);
        Obstacle::Quotient {
            term,
            steps,
            divisor,
            spread,
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

/// Greatest common divisor; `gcd(0, n) = n`.
#[must_use]
pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
