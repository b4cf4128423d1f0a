//! Values of the simulator: masks of threads, columns of values, scalar arithmetic.
//!
//! Given bits and types, gives bits: integers as 64 bits sign- or zero-extended from
//! their own width, floats as the bits of an `f64` that was rounded to their type,
//! pointers as addresses. `None` is a value that C leaves undefined. Knows nothing of
//! statements, memory or warps.

use crate::ir::{Binary, Scalar, Unary};
use std::rc::Rc;

/// Most threads a block can have.
pub(super) const MAX_THREADS: usize = 1024;

/// A set of threads of one block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mask([u64; MAX_THREADS / 64]);

impl Mask {
    pub(super) const EMPTY: Self = Self([0; MAX_THREADS / 64]);

    /// Threads `0..count`.
    pub(super) fn first(count: usize) -> Self {
        let mut mask = Self::EMPTY;
        for (at, word) in mask.0.iter_mut().enumerate() {
            let missing = 64_usize.saturating_sub(count.saturating_sub(64 * at));
            *word = u64::MAX.checked_shr(missing as u32).unwrap_or(0);
        }
        mask
    }

    pub(super) fn get(&self, thread: usize) -> bool {
        self.0[thread / 64] >> (thread % 64) & 1 == 1
    }

    pub(super) fn set(&mut self, thread: usize) {
        self.0[thread / 64] |= 1 << (thread % 64);
    }

    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        let mut result = self;
        for (word, theirs) in result.0.iter_mut().zip(other.0) {
            *word = f(*word, theirs);
        }
        result
    }

    pub(super) fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    pub(super) fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    pub(super) fn without(self, other: Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Bit i is thread `32 * warp + i`.
    pub(super) fn warp(&self, warp: usize) -> u32 {
        (self.0[warp / 2] >> (32 * (warp % 2))) as u32
    }

    /// Hands each thread's value to `put`, in rising order.
    pub(super) fn each<T>(self, mut put: impl FnMut(usize, T), mut f: impl FnMut(usize) -> T) {
        for (at, word) in self.0.into_iter().enumerate() {
            if word == u64::MAX {
                for thread in 64 * at..64 * (at + 1) {
                    put(thread, f(thread));
                }
                continue;
            }
            let mut rest = word;
            while rest != 0 {
                let thread = 64 * at + rest.trailing_zeros() as usize;
                put(thread, f(thread));
                rest &= rest - 1;
            }
        }
    }

    /// In rising order.
    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(at, word)| {
            let next = |rest: &u64| Some(rest & (rest - 1)).filter(|rest| *rest != 0);
            std::iter::successors(Some(word).filter(|word| *word != 0), next)
                .map(move |rest| 64 * at + rest.trailing_zeros() as usize)
        })
    }
}

/// Why a value is not modelled: an index from 1 into the simulator's list of reasons.
pub(super) type Why = u8;

/// One value for each thread; only active threads' values mean anything.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) values: Values,
    /// Threads whose value is not modelled.
    pub(super) poison: Mask,
    pub(super) why: Why,
}

#[derive(Clone, Debug)]
pub(super) enum Values {
    Uniform(u64),
    Each(Rc<Vec<u64>>),
}

impl Column {
    pub(super) fn uniform(value: u64) -> Self {
        Self {
            values: Values::Uniform(value),
            poison: Mask::EMPTY,
            why: 0,
        }
    }

    pub(super) fn each(values: Vec<u64>) -> Self {
        Self {
            values: Values::Each(Rc::new(values)),
            poison: Mask::EMPTY,
            why: 0,
        }
    }

    pub(super) fn poison(mask: Mask, why: Why) -> Self {
        Self {
            values: Values::Uniform(0),
            poison: mask,
            why,
        }
    }

    pub(super) fn get(&self, thread: usize) -> u64 {
        match &self.values {
            Values::Uniform(value) => *value,
            Values::Each(values) => values[thread],
        }
    }

    pub(super) fn is_poison(&self, thread: usize) -> bool {
        self.poison.get(thread)
    }

    /// Takes `other`'s values for the threads of `mask`.
    pub(super) fn assign(&mut self, other: &Column, mask: &Mask, threads: usize) {
        let mut values = match &self.values {
            Values::Uniform(value) => vec![*value; threads],
            Values::Each(values) => values.to_vec(),
        };
        mask.iter()
            .for_each(|thread| values[thread] = other.get(thread));
        self.values = Values::Each(Rc::new(values));
        self.poison = self.poison.without(*mask).or(other.poison.and(*mask));
        if other.why != 0 {
            self.why = other.why;
        }
    }
}

/// Cuts `bits` to the width of `ty`.
pub(super) fn wrap(bits: u64, ty: Scalar) -> u64 {
    match ty {
        Scalar::Bool => u64::from(bits != 0),
        Scalar::I8 => bits as i8 as u64,
        Scalar::U8 => u64::from(bits as u8),
        Scalar::I16 => bits as i16 as u64,
        Scalar::U16 => u64::from(bits as u16),
        Scalar::I32 => bits as i32 as u64,
        Scalar::U32 => u64::from(bits as u32),
        _ => bits,
    }
}

/// The nearest value of type `ty`, ties to even.
pub(super) fn round(value: f64, ty: Scalar) -> f64 {
    match ty {
        Scalar::F16 => round_to(value, 11, -14, 65504.0),
        Scalar::BF16 => round_to(value, 8, -126, f64::from(f32::from_bits(0x7F7F_0000))),
        Scalar::F32 => f64::from(value as f32),
        _ => value,
    }
}

/// Rounds to `precision` bits with exponents from `lowest`; values that round past `largest`
/// become infinite.
fn round_to(value: f64, precision: i32, lowest: i32, largest: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let exponent = (value.to_bits() >> 52 & 0x7FF) as i32 - 1023;
    let quantum = 2_f64.powi(exponent.max(lowest) - (precision - 1));
    let rounded = (value / quantum).round_ties_even() * quantum;
    if rounded.abs() > largest {
        f64::INFINITY.copysign(value)
    } else {
        rounded
    }
}

/// How a value lies in memory, in the low `ty.size()` bytes.
pub(super) fn encode(bits: u64, ty: Scalar) -> u64 {
    let value = f64::from_bits(bits);
    match ty {
        Scalar::F16 => u64::from(half_bits(value)),
        Scalar::BF16 => u64::from((value as f32).to_bits() >> 16),
        Scalar::F32 => u64::from((value as f32).to_bits()),
        _ => bits,
    }
}

/// The value that lies in memory as `raw`.
pub(super) fn decode(raw: u64, ty: Scalar) -> u64 {
    match ty {
        Scalar::F16 => half_value(raw as u16).to_bits(),
        Scalar::BF16 => f64::from(f32::from_bits((raw as u32) << 16)).to_bits(),
        Scalar::F32 => f64::from(f32::from_bits(raw as u32)).to_bits(),
        _ => wrap(raw, ty),
    }
}

/// IEEE 754 binary16 of a value that binary16 holds.
fn half_bits(value: f64) -> u16 {
    let sign = u16::from(value.is_sign_negative()) << 15;
    let size = value.abs();
    let rest = if value.is_nan() {
        0x7FFF
    } else if size.is_infinite() {
        0x7C00
    } else if size < 2_f64.powi(-14) {
        (size * 2_f64.powi(24)) as u16
    } else {
        let exponent = (size.to_bits() >> 52) as i32 - 1023;
        let fraction = (size.to_bits() >> 42 & 0x3FF) as u16;
        ((exponent + 15) as u16) << 10 | fraction
    };
    sign | rest
}

fn half_value(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3FF);
    let size = match bits >> 10 & 0x1F {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1.0 + fraction / 1024.0) * 2_f64.powi(i32::from(exponent) - 15),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// Whether C takes the value as true.
pub(super) fn truth(bits: u64, ty: Scalar) -> bool {
    if ty.is_float() {
        f64::from_bits(bits) != 0.0
    } else {
        bits != 0
    }
}

pub(super) fn cast(bits: u64, from: Scalar, to: Scalar) -> u64 {
    match (from.is_float(), to) {
        (_, Scalar::Bool) => u64::from(truth(bits, from)),
        (true, to) if to.is_float() => round(f64::from_bits(bits), to).to_bits(),
        (true, to) => to_integer(f64::from_bits(bits), to),
        (false, to) if to.is_float() => from_integer(bits, from, to).to_bits(),
        (false, to) => wrap(bits, to),
    }
}

/// Towards zero; out of range saturates, as the machine's conversions do.
pub(super) fn to_integer(value: f64, to: Scalar) -> u64 {
    match to {
        Scalar::I8 => (value as i8) as u64,
        Scalar::U8 => u64::from(value as u8),
        Scalar::I16 => (value as i16) as u64,
        Scalar::U16 => u64::from(value as u16),
        Scalar::I32 => (value as i32) as u64,
        Scalar::U32 => u64::from(value as u32),
        Scalar::I64 => (value as i64) as u64,
        _ => value as u64,
    }
}

fn from_integer(bits: u64, from: Scalar, to: Scalar) -> f64 {
    match (from.is_signed(), to) {
        // Straight to f32: two roundings could differ from one.
        (true, Scalar::F32) => f64::from(bits as i64 as f32),
        (false, Scalar::F32) => f64::from(bits as f32),
        (true, _) => round(bits as i64 as f64, to),
        (false, _) => round(bits as f64, to),
    }
}

pub(super) fn unary(op: Unary, bits: u64, ty: Scalar) -> u64 {
    match op {
        Unary::LogicalNot => u64::from(!truth(bits, ty)),
        Unary::Neg if ty.is_float() => (-f64::from_bits(bits)).to_bits(),
        Unary::Neg => wrap(bits.wrapping_neg(), ty),
        Unary::Not => wrap(!bits, ty),
    }
}

/// `ty` is the operands' type (of a shift: the left one's).
#[inline]
pub(super) fn binary(op: Binary, left: u64, right: u64, ty: Scalar) -> Option<u64> {
    if ty.is_float() {
        return Some(float_binary(
            op,
            f64::from_bits(left),
            f64::from_bits(right),
            ty,
        ));
    }
    let signed = ty.is_signed();
    let (a, b) = (left as i64, right as i64);
    let less = if signed { a < b } else { left < right };
    let result = match op {
        Binary::Add => left.wrapping_add(right),
        Binary::Sub => left.wrapping_sub(right),
        Binary::Mul => left.wrapping_mul(right),
        Binary::Div | Binary::Rem if right == 0 => return None,
        Binary::Div if signed => a.wrapping_div(b) as u64,
        Binary::Div => left / right,
        Binary::Rem if signed => a.wrapping_rem(b) as u64,
        Binary::Rem => left % right,
        // Like the machine, shifts by the width or more move every bit out.
        Binary::Shl if right >= u64::from(ty.bits()) => 0,
        Binary::Shl => left << right,
        Binary::Shr if signed => (a >> right.min(63)) as u64,
        Binary::Shr if right >= 64 => 0,
        Binary::Shr => left >> right,
        Binary::And => left & right,
        Binary::Or => left | right,
        Binary::Xor => left ^ right,
        Binary::Min => {
            if less {
                left
            } else {
                right
            }
        }
        Binary::Max => {
            if less {
                right
            } else {
                left
            }
        }
        Binary::Eq => return Some(u64::from(left == right)),
        Binary::Ne => return Some(u64::from(left != right)),
        Binary::Lt => return Some(u64::from(less)),
        Binary::Le => return Some(u64::from(less || left == right)),
        Binary::LogicalAnd => return Some(u64::from(left != 0 && right != 0)),
        Binary::LogicalOr => return Some(u64::from(left != 0 || right != 0)),
    };
    Some(wrap(result, ty))
}

fn float_binary(op: Binary, a: f64, b: f64, ty: Scalar) -> u64 {
    let value = match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
        Binary::Rem => a % b,
        Binary::Min => a.min(b),
        Binary::Max => a.max(b),
        Binary::Eq => return u64::from(a == b),
        Binary::Ne => return u64::from(a != b),
        Binary::Lt => return u64::from(a < b),
        Binary::Le => return u64::from(a <= b),
        Binary::LogicalAnd => return u64::from(a != 0.0 && b != 0.0),
        Binary::LogicalOr => return u64::from(a != 0.0 || b != 0.0),
        // No such operation on floats in C.
        Binary::Shl | Binary::Shr | Binary::And | Binary::Or | Binary::Xor => f64::NAN,
    };
    // One rounding more than the machine's changes nothing: f64 has over twice the bits.
    round(value, ty).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(op: Binary, a: i64, b: i64, ty: Scalar) -> Option<i64> {
        binary(op, a as u64, b as u64, ty).map(|bits| bits as i64)
    }

    #[test]
    fn integers_keep_to_their_width() {
        assert_eq!(
            int(Binary::Add, i64::from(i32::MAX), 1, Scalar::I32),
            Some(i64::from(i32::MIN))
        );
        assert_eq!(int(Binary::Sub, 0, 1, Scalar::U32), Some(0xFFFF_FFFF));
        assert_eq!(int(Binary::Mul, 1 << 20, 1 << 20, Scalar::U32), Some(0));
        assert_eq!(int(Binary::Div, -7, 2, Scalar::I32), Some(-3));
        assert_eq!(int(Binary::Rem, -7, 2, Scalar::I32), Some(-1));
        assert_eq!(int(Binary::Div, 7, 0, Scalar::I32), None);
        assert_eq!(int(Binary::Shl, 1, 33, Scalar::I32), Some(0));
        assert_eq!(
            int(Binary::Shl, 1, 31, Scalar::I32),
            Some(i64::from(i32::MIN))
        );
        assert_eq!(int(Binary::Shr, -8, 40, Scalar::I32), Some(-1));
        assert_eq!(int(Binary::Lt, -1, 1, Scalar::I64), Some(1));
        assert_eq!(
            int(Binary::Max, 0xFFFF_FFFF, 1, Scalar::U32),
            Some(0xFFFF_FFFF)
        );
    }

    #[test]
    fn halves_round_and_survive_memory() {
        for bits in 0..=u16::MAX {
            let value = half_value(bits);
            if !value.is_nan() {
                assert_eq!(half_bits(value), bits);
                assert_eq!(round(value, Scalar::F16), value);
            }
        }
        assert_eq!(round(1.0 + 2_f64.powi(-11), Scalar::F16), 1.0);
        assert_eq!(round(65520.0, Scalar::F16), f64::INFINITY);
        assert_eq!(round(2_f64.powi(-25) * 1.5, Scalar::F16), 2_f64.powi(-24));
        assert_eq!(round(1.0 + 2_f64.powi(-8), Scalar::BF16), 1.0);
        assert_eq!(
            decode(encode(1.5_f64.to_bits(), Scalar::BF16), Scalar::BF16),
            1.5_f64.to_bits()
        );
    }

    #[test]
    fn casts_follow_the_machine() {
        assert_eq!(cast(-1_i64 as u64, Scalar::I32, Scalar::U8), 255);
        assert_eq!(cast(0xFFFF_FFFF, Scalar::U32, Scalar::I32), u64::MAX);
        assert_eq!(
            cast((-2.7_f64).to_bits(), Scalar::F32, Scalar::I32) as i64,
            -2
        );
        assert_eq!(
            cast(1e20_f64.to_bits(), Scalar::F64, Scalar::I32) as i64,
            i64::from(i32::MAX)
        );
        assert_eq!(cast(0.5_f64.to_bits(), Scalar::F32, Scalar::Bool), 1);
    }

    #[test]
    fn masks_list_their_threads() {
        let mut mask = Mask::EMPTY;
        [0, 63, 64, 1023]
            .into_iter()
            .for_each(|thread| mask.set(thread));
        assert_eq!(mask.iter().collect::<Vec<_>>(), [0, 63, 64, 1023]);
        assert_eq!((mask.count(), mask.warp(1), mask.warp(2)), (4, 1 << 31, 1));
        assert_eq!(Mask::first(70).count(), 70);
    }
}
