//! Pure mathematical functions, by their CUDA names.
//!
//! Given a name and argument values, gives the value. Floats are computed in `f64` and
//! rounded once, so a transcendental function may differ from the device's in the last
//! bits. Knows nothing of threads; a name that is not listed gives `None`.

use super::value::{cast, decode, encode, round, to_integer, wrap};
use crate::ir::Scalar;

/// A value with its type.
pub(super) type Typed = (u64, Scalar);

/// The function's value, of type `ty`.
pub(super) fn call(name: &str, arguments: &[Typed], ty: Scalar) -> Option<u64> {
    let name = name.rsplit("::").next().unwrap_or(name);
    let bare = name.trim_start_matches('_');
    let floats: Vec<f64> = arguments
        .iter()
        .map(|(bits, from)| f64::from_bits(cast(*bits, *from, Scalar::F64)))
        .collect();
    let is_float = ty.is_float();
    if is_float
        && arguments.iter().any(|(_, from)| from.is_float())
        && let Some(value) = float(bare, &floats, ty)
    {
        return Some(round(value, ty).to_bits());
    }
    conversion(bare, arguments, &floats, ty).or_else(|| integer(bare, arguments, ty))
}

/// Functions from floats to floats; `sqrt`, `sqrtf`, `__fsqrt_rn` and `hsqrt` are one.
fn float(name: &str, x: &[f64], ty: Scalar) -> Option<f64> {
    // Directed rounding is taken as rounding to nearest.
    const SUFFIXES: [&str; 8] = ["", "f", "_rn", "_rz", "_ru", "_rd", "f_rn", "f_rz"];
    const PREFIXES: [&str; 4] = ["", "h", "f", "d"];
    PREFIXES.iter().find_map(|prefix| {
        let rest = name.strip_prefix(prefix)?;
        SUFFIXES
            .iter()
            .find_map(|suffix| float_named(rest.strip_suffix(suffix)?, x, ty))
    })
}

fn float_named(name: &str, x: &[f64], ty: Scalar) -> Option<f64> {
    Some(match (name, x) {
        ("sqrt", [x]) => x.sqrt(),
        ("rsqrt", [x]) => 1.0 / x.sqrt(),
        ("cbrt", [x]) => x.cbrt(),
        ("rcp", [x]) => 1.0 / x,
        ("exp", [x]) => x.exp(),
        ("exp2", [x]) => x.exp2(),
        ("exp10", [x]) => 10_f64.powf(*x),
        ("expm1", [x]) => x.exp_m1(),
        ("log", [x]) => x.ln(),
        ("log2", [x]) => x.log2(),
        ("log10", [x]) => x.log10(),
        ("log1p", [x]) => x.ln_1p(),
        ("sin", [x]) => x.sin(),
        ("cos", [x]) => x.cos(),
        ("tan", [x]) => x.tan(),
        ("asin", [x]) => x.asin(),
        ("acos", [x]) => x.acos(),
        ("atan", [x]) => x.atan(),
        ("atan2", [y, x]) => y.atan2(*x),
        ("sinpi", [x]) => (x * std::f64::consts::PI).sin(),
        ("cospi", [x]) => (x * std::f64::consts::PI).cos(),
        ("sinh", [x]) => x.sinh(),
        ("cosh", [x]) => x.cosh(),
        ("tanh", [x]) => x.tanh(),
        ("hypot", [x, y]) => x.hypot(*y),
        ("pow", [x, y]) => x.powf(*y),
        ("abs" | "fabs", [x]) => x.abs(),
        ("neg", [x]) => -x,
        ("min" | "fmin", [x, y]) => x.min(*y),
        ("max" | "fmax", [x, y]) => x.max(*y),
        ("dim", [x, y]) => (x - y).max(0.0),
        ("mod" | "fmod", [x, y]) => x % y,
        ("remainder", [x, y]) => x - y * (x / y).round_ties_even(),
        ("floor", [x]) => x.floor(),
        ("ceil", [x]) => x.ceil(),
        ("trunc", [x]) => x.trunc(),
        ("round", [x]) => x.round(),
        ("rint" | "nearbyint", [x]) => x.round_ties_even(),
        ("add", [x, y]) => x + y,
        ("sub", [x, y]) => x - y,
        ("mul", [x, y]) => x * y,
        ("div" | "divide" | "fdivide", [x, y]) => x / y,
        // One rounding, as the instruction does; f64 products of f32 are exact.
        ("ma" | "fma" | "maf", [x, y, z]) if ty == Scalar::F64 => x.mul_add(*y, *z),
        ("ma" | "fma" | "maf", [x, y, z]) if ty == Scalar::F32 => {
            f64::from((*x as f32).mul_add(*y as f32, *z as f32))
        }
        ("ma" | "fma" | "maf", [x, y, z]) => x.mul_add(*y, *z),
        ("copysign", [x, y]) => x.copysign(*y),
        ("saturate", [x]) => x.clamp(0.0, 1.0),
        ("ldexp", [x, n]) => x * n.exp2(),
        _ => return None,
    })
}

/// `__float2int_rn`, `__int_as_float`, `__half2float`, `isnan`, …
fn conversion(name: &str, arguments: &[Typed], floats: &[f64], ty: Scalar) -> Option<u64> {
    let [(bits, from), ..] = *arguments else {
        return None;
    };
    let x = *floats.first()?;
    match name {
        "isnan" => return Some(u64::from(x.is_nan())),
        "isinf" => return Some(u64::from(x.is_infinite())),
        "heq" | "hne" | "hlt" | "hle" | "hgt" | "hge" => {
            let y = *floats.get(1)?;
            let holds = match name {
                "heq" => x == y,
                "hne" => x != y,
                "hlt" => x < y,
                "hle" => x <= y,
                "hgt" => x > y,
                _ => x >= y,
            };
            return Some(u64::from(holds));
        }
        "isfinite" => return Some(u64::from(x.is_finite())),
        "signbit" => return Some(u64::from(x.is_sign_negative())),
        "lrint" | "lrintf" | "llrint" | "llrintf" => {
            return Some(to_integer(x.round_ties_even(), ty));
        }
        "lround" | "lroundf" | "llround" | "llroundf" => return Some(to_integer(x.round(), ty)),
        _ => {}
    }
    if name.contains("_as_") {
        // The same bits read as another type of the same size.
        return Some(decode(encode(bits, from), ty));
    }
    let (_, target) = name.split_once('2')?;
    if !target.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    if from.is_float() && ty.is_integer() {
        let whole = match target.rsplit('_').next() {
            Some("rn") => x.round_ties_even(),
            Some("ru") => x.ceil(),
            Some("rd") => x.floor(),
            _ => x,
        };
        return Some(to_integer(whole, ty));
    }
    Some(cast(bits, from, ty))
}

#[expect(clippy::too_many_lines, reason = "a match over the language")]
fn integer(name: &str, arguments: &[Typed], ty: Scalar) -> Option<u64> {
    let value = |at: usize| {
        arguments
            .get(at)
            .map(|(bits, from)| cast(*bits, *from, Scalar::I64))
    };
    let a = value(0)?;
    let bits = arguments
        .first()
        .map_or(32, |(_, from)| from.bits().max(32));
    let low = if bits >= 64 { a } else { a & 0xFFFF_FFFF };
    let result = match name {
        "popc" | "popcll" | "popcount" | "builtin_popcount" | "builtin_popcountll" => {
            u64::from(low.count_ones())
        }
        "clz" | "clzll" | "builtin_clz" | "builtin_clzll" => {
            u64::from(low.leading_zeros() + bits - 64)
        }
        "builtin_ctz" | "builtin_ctzll" if low != 0 => u64::from(low.trailing_zeros()),
        "ffs" | "ffsll" | "builtin_ffs" => {
            if low == 0 {
                0
            } else {
                u64::from(low.trailing_zeros()) + 1
            }
        }
        "brev" => u64::from((low as u32).reverse_bits()),
        "brevll" => low.reverse_bits(),
        "abs" | "labs" | "llabs" => (a as i64).unsigned_abs(),
        "mul24" => {
            let cut = |v: u64| ((v as i32) << 8 >> 8) as i64;
            cut(a).wrapping_mul(cut(value(1)?)) as u64
        }
        "umul24" => (a & 0xFF_FFFF).wrapping_mul(value(1)? & 0xFF_FFFF),
        "mulhi" => ((a as i32 as i64 * value(1)? as i32 as i64) >> 32) as u64,
        "umulhi" => (low * (value(1)? & 0xFFFF_FFFF)) >> 32,
        "mul64hi" => ((i128::from(a as i64) * i128::from(value(1)? as i64)) >> 64) as u64,
        "umul64hi" => ((u128::from(a) * u128::from(value(1)?)) >> 64) as u64,
        "sad" | "usad" => (a as i64)
            .abs_diff(value(1)? as i64)
            .wrapping_add(value(2)?),
        "dp4a" => dot_of_bytes(arguments)?,
        "hadd" | "uhadd" => ((a as i64 + value(1)? as i64) >> 1) as u64,
        "rhadd" | "urhadd" => ((a as i64 + value(1)? as i64 + 1) >> 1) as u64,
        "funnelshift_l" => {
            let both = u128::from((value(1)? & 0xFFFF_FFFF) << 32 | low);
            (both << (value(2)? & 31) >> 32) as u64
        }
        "funnelshift_r" => ((value(1)? & 0xFFFF_FFFF) << 32 | low) >> (value(2)? & 31),
        "funnelshift_lc" => {
            let both = u128::from((value(1)? & 0xFFFF_FFFF) << 32 | low);
            (both << value(2)?.min(32) >> 32) as u64
        }
        "funnelshift_rc" => ((value(1)? & 0xFFFF_FFFF) << 32 | low) >> value(2)?.min(32),
        "fns" => place_of_set_bit(low, value(1)?, value(2)? as i64),
        "vabsdiffu4" => {
            let other = value(1)?;
            let bytes = (0..4).map(|at| 0xFF << (8 * at));
            bytes.map(|byte| (low & byte).abs_diff(other & byte)).sum()
        }
        "vcmpgtu4" => {
            let other = value(1)?;
            let bytes = (0..4).map(|at| 0xFF << (8 * at));
            bytes.filter(|byte| low & byte > other & byte).sum()
        }
        "vcmpne4" => {
            let differing = low ^ value(1)? & 0xFFFF_FFFF;
            let bytes = (0..4).map(|at| 0xFF << (8 * at));
            bytes.filter(|byte| differing & byte != 0).sum()
        }
        "vsubss4" => {
            let other = value(1)?;
            (0..4).fold(0, |out, at| {
                let byte = |word: u64| i64::from((word >> (8 * at)) as i8);
                let difference = (byte(low) - byte(other)).clamp(-128, 127);
                out | (difference as u64 & 0xFF) << (8 * at)
            })
        }
        "byte_perm" => byte_perm(low, value(1)? & 0xFFFF_FFFF, value(2)?),
        "min" | "umin" | "llmin" | "ullmin" | "max" | "umax" | "llmax" | "ullmax" => {
            let b = value(1)?;
            let a_is_less = if ty.is_signed() {
                (a as i64) < b as i64
            } else {
                a < b
            };
            if a_is_less == name.contains("min") {
                a
            } else {
                b
            }
        }
        _ => return None,
    };
    Some(wrap(result, ty))
}

/// `c` plus the four products of `a`'s and `b`'s bytes, signed as `a` is.
fn dot_of_bytes(arguments: &[Typed]) -> Option<u64> {
    let [(a, ty), (b, _), (c, _)] = *arguments else {
        return None;
    };
    let byte = |word: u64, at: u32| match ty.is_signed() {
        true => i64::from((word >> (8 * at)) as i8),
        false => i64::from((word >> (8 * at)) as u8),
    };
    let sum: i64 = (0..4).map(|at| byte(a, at) * byte(b, at)).sum();
    Some(c.wrapping_add(sum as u64))
}

/// The place of a bit that is set in `mask`: the first, second, … from `base` upwards, or downwards
/// where `nth` is negative; all ones where there is none.
fn place_of_set_bit(mask: u64, base: u64, nth: i64) -> u64 {
    let mut places = (0..32).filter(|place| mask >> place & 1 == 1);
    let skipped = usize::try_from(nth.unsigned_abs())
        .unwrap_or(usize::MAX)
        .saturating_sub(1);
    match nth {
        0 => places.find(|place| *place == base),
        1.. => places.filter(|place| *place >= base).nth(skipped),
        _ => places.filter(|place| *place <= base).rev().nth(skipped),
    }
    .unwrap_or(0xFFFF_FFFF)
}

/// Picks four of the eight bytes of `b:a`.
fn byte_perm(a: u64, b: u64, selector: u64) -> u64 {
    let both = b << 32 | a;
    (0..4).fold(0, |result, at| {
        let pick = selector >> (4 * at) & 7;
        result | (both >> (8 * pick) & 0xFF) << (8 * at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(name: &str, arguments: &[f64], ty: Scalar) -> Option<f64> {
        let arguments: Vec<Typed> = arguments.iter().map(|x| (x.to_bits(), ty)).collect();
        call(name, &arguments, ty).map(f64::from_bits)
    }

    fn ints(name: &str, arguments: &[i64], ty: Scalar) -> Option<i64> {
        let arguments: Vec<Typed> = arguments
            .iter()
            .map(|n| (wrap(*n as u64, ty), ty))
            .collect();
        call(name, &arguments, ty).map(|bits| bits as i64)
    }

    #[test]
    fn names_of_all_precisions() {
        for name in ["sqrt", "sqrtf", "__fsqrt_rn", "__dsqrt_rn", "std::sqrt"] {
            assert_eq!(floats(name, &[9.0], Scalar::F32), Some(3.0), "{name}");
        }
        assert_eq!(floats("fmaxf", &[1.0, 2.0], Scalar::F32), Some(2.0));
        assert_eq!(floats("fmaf", &[2.0, 3.0, 1.0], Scalar::F32), Some(7.0));
        assert_eq!(
            floats("__fmaf_rn", &[2.0, 3.0, 1.0], Scalar::F32),
            Some(7.0)
        );
        assert_eq!(floats("__hadd", &[1.0, 0.5], Scalar::F16), Some(1.5));
        assert_eq!(floats("__fdividef", &[1.0, 2.0], Scalar::F32), Some(0.5));
        assert_eq!(floats("no_such_function", &[1.0], Scalar::F32), None);
    }

    /// The table of built-in functions, row by row, against the meanings here.
    #[test]
    fn rows_of_the_table_of_builtins() {
        const NUMBERS: [i64; 12] = [
            0,
            1,
            2,
            5,
            31,
            33,
            1 << 23,
            1 << 24,
            -1,
            -7,
            i32::MIN as i64,
            i64::MAX,
        ];
        for row in crate::ir::builtin::all() {
            let count = row.parameters.len();
            let mut compared = 0;
            for at in 0..NUMBERS.len().pow(count as u32) {
                let numbers: Vec<i64> = (0..count)
                    .map(|place| NUMBERS[at / NUMBERS.len().pow(place as u32) % NUMBERS.len()])
                    .collect();
                let typed: Vec<Typed> = numbers
                    .iter()
                    .zip(row.parameters)
                    .map(|(number, ty)| (wrap(*number as u64, *ty), *ty))
                    .collect();
                let Some(ours) = row.value(&numbers) else {
                    continue;
                };
                if let Some(theirs) = call(row.name, &typed, row.result) {
                    assert_eq!(
                        wrap(ours as u64, row.result),
                        theirs,
                        "{}{numbers:?}",
                        row.name
                    );
                    compared += 1;
                }
            }
            assert!(compared > 0, "the simulator does not know {}", row.name);
        }
    }

    #[test]
    fn integers_and_conversions() {
        assert_eq!(ints("__popc", &[-1], Scalar::I32), Some(32));
        assert_eq!(ints("__clz", &[1], Scalar::I32), Some(31));
        assert_eq!(ints("__ffs", &[8], Scalar::I32), Some(4));
        assert_eq!(ints("__brev", &[1], Scalar::U32), Some(0x8000_0000));
        assert_eq!(ints("__mul24", &[-3, 5], Scalar::I32), Some(-15));
        assert_eq!(ints("__umulhi", &[0x8000_0000, 4], Scalar::U32), Some(2));
        assert_eq!(ints("min", &[-1, 1], Scalar::I32), Some(-1));
        assert_eq!(ints("abs", &[-4], Scalar::I32), Some(4));
        assert_eq!(
            ints(
                "__byte_perm",
                &[0x3322_1100, 0x7766_5544, 0x0145],
                Scalar::U32
            ),
            Some(0x0011_4455)
        );
        let rounded = call(
            "__float2int_rn",
            &[(2.5_f64.to_bits(), Scalar::F32)],
            Scalar::I32,
        );
        assert_eq!(rounded, Some(2));
        let one = call("__int_as_float", &[(0x3F80_0000, Scalar::I32)], Scalar::F32);
        assert_eq!(one, Some(1.0_f64.to_bits()));
        let half = call(
            "__float2half",
            &[(0.1_f64.to_bits(), Scalar::F32)],
            Scalar::F16,
        );
        assert_eq!(half.map(f64::from_bits), Some(0.0999755859375));
    }
}
