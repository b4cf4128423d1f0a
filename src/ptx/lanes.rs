//! Arithmetic of one lane: registers are 64 bits, of which a type uses the low ones.

use super::operation::{Code, Compare, Half, Kind, Operation, Rounding, Type};

#[must_use]
pub fn mask(bits: u32) -> u64 {
    if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    }
}

/// The low `bits` of a word as a signed number.
#[must_use]
pub fn signed(word: u64, bits: u32) -> i64 {
    let shift = 64 - bits.clamp(1, 64);
    ((word << shift) as i64) >> shift
}

fn half_to_float(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    sign * match exponent {
        0 => fraction * 2_f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + fraction) * 2_f32.powi(exponent - 25),
    }
}

fn float_to_half(value: f32) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let size = value.abs();
    if size.is_nan() {
        return 0x7fff;
    }
    if size >= 65520.0 {
        return sign | 0x7c00;
    }
    if size < 2_f32.powi(-14) {
        return sign | (size * 2_f32.powi(24)).round_ties_even() as u16;
    }
    let exponent = (size.to_bits() >> 23) as i32 - 127;
    let scaled = (size * 2_f32.powi(10 - exponent)).round_ties_even() as u32;
    sign | (((exponent + 14) as u32) * 1024 + scaled) as u16
}

fn float_of(word: u64, ty: Type) -> f64 {
    match (ty.kind, ty.bits) {
        (Kind::Brain, _) => f64::from(f32::from_bits((word as u32 & 0xffff) << 16)),
        (_, 16) => f64::from(half_to_float(word as u16)),
        (_, 32) => f64::from(f32::from_bits(word as u32)),
        _ => f64::from_bits(word),
    }
}

fn word_of(value: f64, ty: Type) -> u64 {
    match (ty.kind, ty.bits) {
        (Kind::Brain, _) => {
            let bits = (value as f32).to_bits();
            let bits = bits.wrapping_add(0x7fff + (bits >> 16 & 1));
            u64::from(bits >> 16)
        }
        (_, 16) => u64::from(float_to_half(value as f32)),
        (_, 32) => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

/// Whether two integers of a signed type leave its range: the text may not do so, and what a
/// run does then says nothing.
#[must_use]
pub fn overflows(operation: &Operation, a: u64, b: u64) -> bool {
    let ty = operation.ty;
    if ty.kind != Kind::Signed || ty.bits != 32 || operation.half != Half::Low {
        return false;
    }
    let (a, b) = (a as i32, b as i32);
    match operation.code {
        Code::Add => a.checked_add(b).is_none(),
        Code::Sub => a.checked_sub(b).is_none(),
        Code::Mul | Code::MulAdd => a.checked_mul(b).is_none(),
        _ => false,
    }
}

/// The result, and the carry where one is asked for; none for what is no plain computation.
#[must_use]
pub fn compute(operation: &Operation, words: [u64; 4], carry: bool) -> Option<(u64, bool)> {
    let ty = operation.ty;
    if ty.is_pair {
        return pair(operation, words).map(|word| (word, false));
    }
    if ty.is_float() {
        return float(operation, words).map(|word| (word, false));
    }
    integer(operation, words, carry)
}

fn pair(operation: &Operation, words: [u64; 4]) -> Option<u64> {
    let ty = Type {
        bits: 16,
        is_pair: false,
        ..operation.ty
    };
    let single = Operation {
        ty,
        source: ty,
        ..operation.clone()
    };
    let low = compute(&single, words.map(|word| word & 0xffff), false)?.0;
    let high = compute(&single, words.map(|word| word >> 16 & 0xffff), false)?.0;
    Some((low & 0xffff) | (high & 0xffff) << 16)
}

fn float(operation: &Operation, words: [u64; 4]) -> Option<u64> {
    let ty = operation.ty;
    let [a, b, c, _] = words.map(|word| float_of(word, ty));
    let is_single = ty.bits == 32 && ty.kind == Kind::Float;
    let value = match operation.code {
        Code::Move => return Some(words[0]),
        Code::Select => {
            return Some(if words[2] & 1 == 1 {
                words[0]
            } else {
                words[1]
            });
        }
        Code::Neg => return Some(words[0] ^ 1 << (ty.bits - 1)),
        Code::Abs => return Some(words[0] & mask(ty.bits - 1)),
        Code::CopySign => {
            let sign = 1 << (ty.bits - 1);
            return Some(words[0] & sign | words[1] & !sign & mask(ty.bits));
        }
        Code::Add => a + b,
        Code::Sub => a - b,
        Code::Mul => a * b,
        Code::MulAdd if is_single => {
            return Some(word_of(
                f64::from((a as f32).mul_add(b as f32, c as f32)),
                ty,
            ));
        }
        Code::MulAdd => a.mul_add(b, c),
        Code::Div => a / b,
        Code::Min => {
            if a.is_nan() {
                b
            } else if b.is_nan() {
                a
            } else {
                a.min(b)
            }
        }
        Code::Max => {
            if a.is_nan() {
                b
            } else if b.is_nan() {
                a
            } else {
                a.max(b)
            }
        }
        Code::SquareRoot => a.sqrt(),
        Code::InverseSquareRoot => 1.0 / a.sqrt(),
        Code::Reciprocal => 1.0 / a,
        Code::Sine => a.sin(),
        Code::Cosine => a.cos(),
        Code::Log2 => a.log2(),
        Code::Exp2 => a.exp2(),
        Code::Tanh => a.tanh(),
        Code::TestProperty => {
            let holds = match operation.variant {
                "finite" => a.is_finite(),
                "infinite" => a.is_infinite(),
                "number" => !a.is_nan(),
                "notanumber" => a.is_nan(),
                "normal" => a != 0.0 && a.is_finite(),
                _ => false,
            };
            return Some(u64::from(holds));
        }
        _ => return None,
    };
    let value = if operation.is_saturated {
        if value.is_nan() {
            0.0
        } else {
            value.clamp(0.0, 1.0)
        }
    } else {
        value
    };
    Some(word_of(value, ty))
}

#[expect(clippy::too_many_lines, reason = "a match over the language")]
fn integer(operation: &Operation, words: [u64; 4], carry: bool) -> Option<(u64, bool)> {
    let ty = operation.ty;
    let bits = width_of(operation);
    let kept = mask(bits);
    let is_signed = ty.kind == Kind::Signed;
    let [a, b, c, d] = words;
    let (ua, ub) = (a & kept, b & kept);
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let plain = |word: u64| Some((word & kept, false));
    match operation.code {
        Code::Move => plain(a),
        Code::Select => plain(if c & 1 == 1 { a } else { b }),
        Code::SelectBySign => {
            let is_negative = if operation.source.is_float() {
                f32::from_bits(c as u32) < 0.0
            } else {
                (c as i32) < 0
            };
            plain(if is_negative { b } else { a })
        }
        Code::Add => Some(sum(operation, a, b, carry)),
        Code::Sub => Some(difference(operation, a, b, carry)),
        Code::Mul | Code::MulAdd => Some(product(operation, [a, b, c], carry)),
        Code::Mul24 | Code::MulAdd24 => plain(product_of_24_bits(operation, [a, b, c])),
        Code::Div => plain(match (is_signed, ub) {
            (_, 0) => u64::MAX,
            (true, _) => sa.wrapping_div(sb) as u64,
            (false, _) => ua / ub,
        }),
        Code::Rem => plain(match (is_signed, ub) {
            (_, 0) => ua,
            (true, _) => sa.wrapping_rem(sb) as u64,
            (false, _) => ua % ub,
        }),
        Code::Neg => plain(sa.wrapping_neg() as u64),
        Code::Abs => plain(sa.wrapping_abs() as u64),
        Code::Min => plain(if is_signed {
            sa.min(sb) as u64
        } else {
            ua.min(ub)
        }),
        Code::Max => plain(if is_signed {
            sa.max(sb) as u64
        } else {
            ua.max(ub)
        }),
        Code::Sad => {
            let difference = if is_signed {
                sa.abs_diff(sb)
            } else {
                ua.abs_diff(ub)
            };
            plain(difference.wrapping_add(c))
        }
        Code::And => plain(a & b),
        Code::Or => plain(a | b),
        Code::Xor => plain(a ^ b),
        Code::Not => plain(!a),
        Code::LogicalNot => plain(u64::from(ua == 0)),
        Code::ShiftLeft => {
            let by = b & mask(32);
            plain(if by >= u64::from(bits) { 0 } else { a << by })
        }
        Code::ShiftRight => {
            let by = (b & mask(32)).min(u64::from(bits));
            plain(match (is_signed, by >= u64::from(bits)) {
                (true, true) => (sa >> (bits - 1)) as u64,
                (true, false) => (sa >> by) as u64,
                (false, true) => 0,
                (false, false) => ua >> by,
            })
        }
        Code::FunnelShift => plain(funnel_shift(&operation.name, [a, b, c])),
        Code::CountOnes => plain(u64::from(ua.count_ones())),
        Code::LeadingZeros => plain(u64::from(ua.leading_zeros() - (64 - bits))),
        Code::ReverseBits => plain(ua.reverse_bits() >> (64 - bits)),
        Code::FindBit => {
            let sought = if is_signed && sa < 0 { !ua & kept } else { ua };
            let is_shift = operation.variant == "shiftamt";
            Some((highest_bit(sought, is_shift.then_some(bits)), false))
        }
        Code::ExtractBits => plain(extract_bits(operation, ua, b & 255, c & 255)),
        Code::InsertBits => plain(insert_bits(bits, [a, b], c & 255, d & 255)),
        Code::Permute => Some((permute(a, b, c, operation.variant), false)),
        Code::NthSetBit => plain(nth_set_bit(a as u32, b as u32, c as i32)),
        Code::Logic3 => Some((logic3([a, b, c], d & 255), false)),
        Code::Dot4 | Code::Dot2 => plain(dot_product(operation, [a, b, c])),
        _ => None,
    }
}

/// Bits of an integer operation; those without a type of their own work on words of 32.
fn width_of(operation: &Operation) -> u32 {
    match operation.ty.bits {
        0 => 32,
        bits => bits,
    }
}

/// With whether it carries.
fn sum(operation: &Operation, a: u64, b: u64, carry: bool) -> (u64, bool) {
    let bits = width_of(operation);
    let kept = mask(bits);
    let sum =
        u128::from(a & kept) + u128::from(b & kept) + u128::from(carry && operation.carries_in);
    let result = if operation.is_saturated {
        let sum = signed(a, bits) + signed(b, bits);
        sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as u64
    } else {
        sum as u64
    };
    (result & kept, sum > u128::from(kept))
}

/// With whether it borrows.
fn difference(operation: &Operation, a: u64, b: u64, carry: bool) -> (u64, bool) {
    let bits = width_of(operation);
    let kept = mask(bits);
    let borrow = u128::from(carry && operation.carries_in);
    let less = u128::from(b & kept) + borrow;
    let result = if operation.is_saturated {
        let difference = signed(a, bits) - signed(b, bits);
        difference.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as u64
    } else {
        u128::from(a & kept).wrapping_sub(less) as u64
    };
    (result & kept, u128::from(a & kept) < less)
}

/// The wide product, or the half of it that is asked for, and an addend where there is one.
fn product(operation: &Operation, [a, b, c]: [u64; 3], carry: bool) -> (u64, bool) {
    let bits = width_of(operation);
    let kept = mask(bits);
    let wide = |word: u64| -> i128 {
        if operation.ty.kind == Kind::Signed {
            i128::from(signed(word, bits))
        } else {
            i128::from(word & kept)
        }
    };
    let product = wide(a).wrapping_mul(wide(b));
    let with_addend = operation.code == Code::MulAdd;
    if operation.half == Half::Wide {
        let sum = if with_addend {
            product.wrapping_add(i128::from(c))
        } else {
            product
        };
        return (sum as u64 & mask(bits * 2), false);
    }
    let part = match operation.half {
        Half::High => (product >> bits) as u64 & kept,
        _ => product as u64 & kept,
    };
    let addend = if with_addend { c & kept } else { 0 };
    let sum = u128::from(part) + u128::from(addend) + u128::from(carry && operation.carries_in);
    (sum as u64 & kept, sum > u128::from(kept))
}

fn product_of_24_bits(operation: &Operation, [a, b, c]: [u64; 3]) -> u64 {
    let is_signed = operation.ty.kind == Kind::Signed;
    let product = part_of(a, is_signed, 24) * part_of(b, is_signed, 24);
    let part = if operation.half == Half::High {
        product >> 16
    } else {
        product
    };
    let addend = if operation.code == Code::MulAdd24 {
        c
    } else {
        0
    };
    (part as u64).wrapping_add(addend)
}

/// The low bits of a word as a number.
fn part_of(word: u64, is_signed: bool, bits: u32) -> i64 {
    if is_signed {
        signed(word, bits)
    } else {
        (word & mask(bits)) as i64
    }
}

/// `shf`: 32 bits of two words.
fn funnel_shift(name: &str, [low, high, by]: [u64; 3]) -> u64 {
    let both = (high & mask(32)) << 32 | low & mask(32);
    let by = by & mask(32);
    let by = if name.contains(".wrap") {
        by & 31
    } else {
        by.min(32)
    };
    if name.starts_with("shf.l") {
        ((u128::from(both) << by) >> 32) as u64
    } else {
        both >> by
    }
}

/// `bfind`: the place of the highest bit, or how far to shift it to the top of so many; all ones where there is none.
fn highest_bit(word: u64, shift_in: Option<u32>) -> u64 {
    if word == 0 {
        return u64::from(u32::MAX);
    }
    let high = u64::from(63 - word.leading_zeros());
    match shift_in {
        Some(bits) => u64::from(bits - 1) - high,
        None => high,
    }
}

/// `bfe`: bits of a word, filled with their sign.
fn extract_bits(operation: &Operation, word: u64, from: u64, count: u64) -> u64 {
    let bits = u64::from(width_of(operation));
    if count == 0 {
        return 0;
    }
    let shifted = if from >= bits { 0 } else { word >> from };
    let cut = shifted & mask(count.min(64) as u32);
    if operation.ty.kind != Kind::Signed {
        return cut;
    }
    let top = (from + count - 1).min(bits - 1);
    let is_negative = word >> top & 1 == 1;
    let width = count.min(bits.saturating_sub(from)) as u32;
    if is_negative { cut | !mask(width) } else { cut }
}

/// `bfi`: the low bits of one word in the place of others.
fn insert_bits(bits: u32, [part, word]: [u64; 2], from: u64, count: u64) -> u64 {
    if from >= u64::from(bits) {
        return word;
    }
    let place = mask(count.min(64) as u32) << from;
    word & !place | part << from & place
}

/// `lop3`: any function of three bits, by its table.
fn logic3([a, b, c]: [u64; 3], table: u64) -> u64 {
    let mut out = 0;
    for bit in 0..32 {
        let index = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | c >> bit & 1;
        out |= (table >> index & 1) << bit;
    }
    out
}

/// `dp4a`, `dp2a`: products of parts of two words, added to the third.
fn dot_product(operation: &Operation, [a, b, c]: [u64; 3]) -> u64 {
    let is_signed = operation.ty.kind == Kind::Signed;
    let is_second_signed = operation.source.kind == Kind::Signed;
    let (count, width, start) = match operation.code {
        Code::Dot4 => (4, 8, 0),
        _ if operation.half == Half::High => (2, 16, 16),
        _ => (2, 16, 0),
    };
    (0..count).fold(part_of(c, is_signed, width_of(operation)), |sum, at| {
        let first = part_of(a >> (at * width), is_signed, width);
        let second = part_of(b >> (start + at * 8), is_second_signed, 8);
        sum.wrapping_add(first * second)
    }) as u64
}

/// `fns`: walks from bit `base` in the direction of `offset` until so many bits were met; all ones where the
/// word ends before.
fn nth_set_bit(mask: u32, base: u32, offset: i32) -> u64 {
    let mut left = offset.unsigned_abs().max(1);
    let mut at = i64::from(base);
    while let Ok(bit @ 0..32) = u32::try_from(at) {
        left -= mask >> bit & 1;
        if left == 0 {
            return u64::from(bit);
        }
        if offset == 0 {
            break;
        }
        at += i64::from(offset.signum());
    }
    u64::from(u32::MAX)
}

fn permute(a: u64, b: u64, c: u64, mode: &str) -> u64 {
    let bytes = (b & mask(32)) << 32 | a & mask(32);
    let byte = |at: u64| bytes >> ((at & 7) * 8) & 255;
    let selectors: [u64; 4] = match mode {
        "f4e" => std::array::from_fn(|at| (c & 3) + at as u64),
        "b4e" => std::array::from_fn(|at| (c & 3).wrapping_sub(at as u64) & 7),
        "rc8" => [c & 3; 4],
        "rc16" => {
            let at = (c & 1) * 2;
            [at, at + 1, at, at + 1]
        }
        _ => std::array::from_fn(|at| c >> (at * 4) & 15),
    };
    let mut out = 0;
    for (at, selector) in selectors.into_iter().enumerate() {
        let value = byte(selector);
        let value = if mode.is_empty() && selector & 8 != 0 {
            if value & 128 != 0 { 255 } else { 0 }
        } else {
            value
        };
        out |= value << (at * 8);
    }
    out
}

#[must_use]
pub fn compare(operation: &Operation, a: u64, b: u64) -> bool {
    let ty = operation.source;
    let order = if ty.is_float() {
        let (a, b) = (float_of(a, ty), float_of(b, ty));
        match operation.compare {
            Compare::IsNumber => return !a.is_nan() && !b.is_nan(),
            Compare::IsNan => return a.is_nan() || b.is_nan(),
            _ => {}
        }
        match a.partial_cmp(&b) {
            Some(order) => order,
            None => {
                // Unordered comparisons end in u: `ltu`, `neu`.
                let is_unordered = operation
                    .name
                    .split('.')
                    .any(|part| matches!(part, "equ" | "neu" | "ltu" | "leu" | "gtu" | "geu"));
                return is_unordered;
            }
        }
    } else if ty.kind == Kind::Signed {
        signed(a, ty.bits).cmp(&signed(b, ty.bits))
    } else {
        (a & mask(ty.bits)).cmp(&(b & mask(ty.bits)))
    };
    match operation.compare {
        Compare::Equal => order.is_eq(),
        Compare::NotEqual => order.is_ne(),
        Compare::Less => order.is_lt(),
        Compare::LessEqual => order.is_le(),
        Compare::Greater => order.is_gt(),
        Compare::GreaterEqual => order.is_ge(),
        Compare::IsNumber | Compare::IsNan => true,
    }
}

/// `cvt.to.from`: the first type is the result's.
#[must_use]
pub fn convert(operation: &Operation, word: u64) -> u64 {
    let (to, from) = (operation.ty, operation.source);
    match (from.is_float(), to.is_float()) {
        (true, true) => {
            let value = float_of(word, from);
            let is_integral = operation
                .name
                .split('.')
                .any(|part| matches!(part, "rni" | "rzi" | "rmi" | "rpi"));
            let value = if is_integral {
                round(value, operation.rounding)
            } else {
                value
            };
            let value = if operation.is_saturated {
                value.clamp(0.0, 1.0)
            } else {
                value
            };
            word_of(value, to)
        }
        (true, false) => {
            let value = round(float_of(word, from), operation.rounding);
            let value = if value.is_nan() { 0.0 } else { value };
            if to.kind == Kind::Signed {
                let most = 2_f64.powi(to.bits as i32 - 1);
                let whole = if value >= most {
                    (mask(to.bits) >> 1) as i64
                } else {
                    value.max(-most) as i64
                };
                whole as u64 & mask(to.bits)
            } else {
                (value as u64).min(mask(to.bits))
            }
        }
        (false, true) => {
            let value = if from.kind == Kind::Signed {
                signed(word, from.bits) as f64
            } else {
                (word & mask(from.bits)) as f64
            };
            word_of(value, to)
        }
        (false, false) => {
            let wide = if from.kind == Kind::Signed {
                signed(word, from.bits)
            } else {
                (word & mask(from.bits)) as i64
            };
            if operation.is_saturated {
                let (least, most) = if to.kind == Kind::Signed {
                    (-(1_i128 << (to.bits - 1)), (1_i128 << (to.bits - 1)) - 1)
                } else {
                    (0, (1_i128 << to.bits) - 1)
                };
                let wide = if from.kind == Kind::Signed {
                    i128::from(wide)
                } else {
                    i128::from(word & mask(from.bits))
                };
                return wide.clamp(least, most) as u64 & mask(to.bits);
            }
            wide as u64 & mask(to.bits)
        }
    }
}

fn round(value: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Nearest => value.round_ties_even(),
        Rounding::Down => value.floor(),
        Rounding::Up => value.ceil(),
        Rounding::Zero | Rounding::None => value.trunc(),
    }
}
