//! Built-in functions on integers: their types and their exact values.
//!
//! One row a function: what it takes, what it gives, and its value at that width. Lowering converts
//! arguments to the types of the row, constants and terms are folded by it. The simulator has
//! meanings of its own; a test holds the two together.

use super::Scalar;

/// A function from integers to an integer.
pub struct Builtin {
    pub name: &'static str,
    pub parameters: &'static [Scalar],
    pub result: Scalar,
    value: fn(&[i64]) -> Option<i64>,
}

/// The built-in function of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Builtin> {
    ROWS.binary_search_by(|row| row.name.cmp(name))
        .ok()
        .and_then(|at| ROWS.get(at))
}

/// All of them, sorted by name.
#[must_use]
pub fn all() -> &'static [Builtin] {
    ROWS
}

impl Builtin {
    /// The value for these arguments, which are reduced to their types first; `None` where CUDA
    /// leaves it open, or it does not fit.
    #[must_use]
    pub fn value(&self, arguments: &[i64]) -> Option<i64> {
        if arguments.len() != self.parameters.len() {
            return None;
        }
        let arguments: Vec<i64> = arguments
            .iter()
            .zip(self.parameters)
            .map(|(value, ty)| ty.wrap(*value))
            .collect();
        (self.value)(&arguments).map(|value| self.result.wrap(value))
    }
}

impl Builtin {
    /// The least and the greatest value that it gives, where that is less than its type holds.
    #[must_use]
    pub fn range(&self) -> Option<(i64, i64)> {
        let (least, bits) = match self.name {
            // Bits of the argument, or the place of one.
            "__clz" | "__ffs" | "__popc" | "__builtin_ffs" | "__builtin_popcount" => (0, 32),
            "__clzll" | "__ffsll" | "__popcll" | "__builtin_popcountll" => (0, 64),
            "__builtin_clz" | "__builtin_ctz" => (0, 31),
            "__builtin_clzll" | "__builtin_ctzll" => (0, 63),
            _ => return None,
        };
        Some((least, bits))
    }
}

fn byte_perm(x: u32, y: u32, selector: u32) -> Option<i64> {
    let bytes = (u64::from(y) << 32 | u64::from(x)).to_le_bytes();
    let mut out = [0; 4];
    for (at, byte) in out.iter_mut().enumerate() {
        let pick = selector >> (4 * at) & 15;
        // The fourth bit copies a sign on some devices and is ignored by the documentation.
        if pick > 7 {
            return None;
        }
        *byte = bytes[pick as usize];
    }
    Some(i64::from(u32::from_le_bytes(out)))
}

/// The place of the `offset`-th bit that is set, counted upwards from `base`, or downwards where `offset` is negative;
/// all ones where there is none. CUDA leaves open what a `base` outside of the word gives.
fn nth_set_bit(mask: u32, base: u32, offset: i64) -> Option<i64> {
    const NONE: i64 = u32::MAX as i64;
    if base > 31 {
        return None;
    }
    let from_base = if offset < 0 {
        mask << (31 - base)
    } else {
        mask >> base
    };
    if offset == 0 {
        return Some(if from_base & 1 == 1 {
            i64::from(base)
        } else {
            NONE
        });
    }
    let mut left = if offset < 0 {
        from_base.reverse_bits()
    } else {
        from_base
    };
    for _ in 1..offset.unsigned_abs().min(33) {
        left &= left.wrapping_sub(1);
    }
    let distance = i64::from(left.trailing_zeros());
    Some(match left {
        0 => NONE,
        _ if offset < 0 => i64::from(base) - distance,
        _ => i64::from(base) + distance,
    })
}

/// A function of bytes, done to the four bytes of two words.
fn by_byte(words: &[i64], of_bytes: impl Fn(u8, u8) -> u8) -> i64 {
    let [x, y] = [words[0], words[1]].map(|word| (word as u32).to_le_bytes());
    let bytes = [0, 1, 2, 3].map(|at| of_bytes(x[at], y[at]));
    i64::from(u32::from_le_bytes(bytes))
}

/// Two words as one, the high one first.
fn join(high: i64, low: i64) -> u64 {
    u64::from(high as u32) << 32 | u64::from(low as u32)
}

/// The low 24 bits with their sign.
fn low24(value: i64) -> i64 {
    i64::from((value as i32) << 8 >> 8)
}

macro_rules! rows {
    ($($name:literal ($($parameter:ident),*) -> $result:ident = $value:expr;)*) => {
        &[$(Builtin {
            name: $name,
            parameters: &[$(Scalar::$parameter),*],
            result: Scalar::$result,
            value: $value,
        }),*]
    };
}

/// Sorted by name.
const ROWS: &[Builtin] = rows! {
    "__brev" (U32) -> U32 = |a| Some(i64::from((a[0] as u32).reverse_bits()));
    "__brevll" (U64) -> U64 = |a| Some((a[0] as u64).reverse_bits() as i64);
    "__builtin_clz" (U32) -> I32 = |a| (a[0] != 0).then(|| i64::from((a[0] as u32).leading_zeros()));
    "__builtin_clzll" (U64) -> I32 = |a| (a[0] != 0).then(|| i64::from(a[0].leading_zeros()));
    "__builtin_ctz" (U32) -> I32 = |a| (a[0] != 0).then(|| i64::from((a[0] as u32).trailing_zeros()));
    "__builtin_ctzll" (U64) -> I32 = |a| (a[0] != 0).then(|| i64::from(a[0].trailing_zeros()));
    "__builtin_ffs" (I32) -> I32 = |a| Some(if a[0] == 0 { 0 } else { i64::from(a[0].trailing_zeros()) + 1 });
    "__builtin_popcount" (U32) -> I32 = |a| Some(i64::from((a[0] as u32).count_ones()));
    "__builtin_popcountll" (U64) -> I32 = |a| Some(i64::from(a[0].count_ones()));
    "__byte_perm" (U32, U32, U32) -> U32 = |a| byte_perm(a[0] as u32, a[1] as u32, a[2] as u32);
    "__clz" (I32) -> I32 = |a| Some(i64::from((a[0] as i32).leading_zeros()));
    "__clzll" (I64) -> I32 = |a| Some(i64::from(a[0].leading_zeros()));
    "__ffs" (I32) -> I32 = |a| Some(if a[0] == 0 { 0 } else { i64::from(a[0].trailing_zeros()) + 1 });
    "__ffsll" (I64) -> I32 = |a| Some(if a[0] == 0 { 0 } else { i64::from(a[0].trailing_zeros()) + 1 });
    "__fns" (U32, U32, I32) -> U32 = |a| nth_set_bit(a[0] as u32, a[1] as u32, a[2]);
    "__funnelshift_l" (U32, U32, U32) -> U32 = |a| Some((join(a[1], a[0]) << (a[2] & 31) >> 32) as i64);
    "__funnelshift_lc" (U32, U32, U32) -> U32 = |a| Some((u128::from(join(a[1], a[0])) << a[2].min(32) >> 32) as u32 as i64);
    "__funnelshift_r" (U32, U32, U32) -> U32 = |a| Some((join(a[1], a[0]) >> (a[2] & 31)) as u32 as i64);
    "__funnelshift_rc" (U32, U32, U32) -> U32 = |a| Some((join(a[1], a[0]) >> a[2].min(32)) as u32 as i64);
    "__mul24" (I32, I32) -> I32 = |a| Some(low24(a[0]).wrapping_mul(low24(a[1])));
    "__mul64hi" (I64, I64) -> I64 = |a| Some(((i128::from(a[0]) * i128::from(a[1])) >> 64) as i64);
    "__mulhi" (I32, I32) -> I32 = |a| Some((a[0] * a[1]) >> 32);
    "__popc" (U32) -> I32 = |a| Some(i64::from((a[0] as u32).count_ones()));
    "__popcll" (U64) -> I32 = |a| Some(i64::from(a[0].count_ones()));
    "__rhadd" (I32, I32) -> I32 = |a| Some((a[0] + a[1] + 1) >> 1);
    "__sad" (I32, I32, U32) -> U32 = |a| Some((a[0] - a[1]).abs() + a[2]);
    "__uhadd" (U32, U32) -> U32 = |a| Some((a[0] + a[1]) >> 1);
    "__umul24" (U32, U32) -> U32 = |a| Some((a[0] & 0xff_ffff) * (a[1] & 0xff_ffff));
    "__umul64hi" (U64, U64) -> U64 = |a| Some(((u128::from(a[0] as u64) * u128::from(a[1] as u64)) >> 64) as i64);
    "__umulhi" (U32, U32) -> U32 = |a| Some(((a[0] as u64).wrapping_mul(a[1] as u64) >> 32) as i64);
    "__urhadd" (U32, U32) -> U32 = |a| Some((a[0] + a[1] + 1) >> 1);
    "__usad" (U32, U32, U32) -> U32 = |a| Some((a[0] - a[1]).abs() + a[2]);
    "__vabsdiffu4" (U32, U32) -> U32 = |a| Some(by_byte(a, u8::abs_diff));
    "__vcmpgtu4" (U32, U32) -> U32 = |a| Some(by_byte(a, |x, y| if x > y { u8::MAX } else { 0 }));
    "__vcmpne4" (U32, U32) -> U32 = |a| Some(by_byte(a, |x, y| if x == y { 0 } else { u8::MAX }));
    "__vsubss4" (U32, U32) -> U32 = |a| Some(by_byte(a, |x, y| (x as i8).saturating_sub(y as i8) as u8));
    "mul24" (I32, I32) -> I32 = |a| Some(low24(a[0]).wrapping_mul(low24(a[1])));
    "umul24" (U32, U32) -> U32 = |a| Some((a[0] & 0xff_ffff) * (a[1] & 0xff_ffff));
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_range() {
        for row in ROWS {
            let Some((low, high)) = row.range() else {
                continue;
            };
            for number in [
                0,
                1,
                -1,
                2,
                3,
                1 << 31,
                -(1 << 31),
                i64::MIN,
                i64::MAX,
                1 << 40,
            ] {
                let value = row.value(&[number]);
                assert!(
                    value.is_none_or(|value| (low..=high).contains(&value)),
                    "{}({number}) = {value:?}",
                    row.name
                );
            }
        }
    }

    #[test]
    fn rows_are_sorted() {
        assert!(ROWS.is_sorted_by_key(|row| row.name));
    }

    #[test]
    fn values_have_the_width_of_their_types() {
        let of = |name: &str, arguments: &[i64]| find(name).and_then(|row| row.value(arguments));
        assert_eq!(of("__popc", &[-1]), Some(32));
        assert_eq!(of("__popcll", &[-1]), Some(64));
        assert_eq!(of("__mul24", &[3, 1 << 24]), Some(0));
        assert_eq!(of("__clz", &[-1]), Some(0));
        assert_eq!(of("__clz", &[0]), Some(32));
        assert_eq!(of("__ffs", &[0]), Some(0));
        assert_eq!(of("__brev", &[1]), Some(0x8000_0000));
        assert_eq!(of("__umulhi", &[-1, -1]), Some(0xffff_fffe));
        assert_eq!(of("__mulhi", &[-1, 1]), Some(-1));
        assert_eq!(of("__funnelshift_l", &[0x8000_0000, 1, 1]), Some(3));
        assert_eq!(of("__funnelshift_r", &[2, 1, 33]), Some(0x8000_0001));
        assert_eq!(
            of("__byte_perm", &[0x3322_1100, 0x7766_5544, 0x0145]),
            Some(0x0011_4455)
        );
        assert_eq!(of("__byte_perm", &[1, 2, 0x8888]), None);
        assert_eq!(of("__builtin_clz", &[0]), None);
    }
}
