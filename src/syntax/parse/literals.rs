//! Values of literals: integers, floating-point numbers, characters, strings.
//!
//! Given the spelling of one literal, gives its value. Knows nothing of trees.

use crate::syntax::ast::{Builtin, ExprKind};

/// A number as written; [`ExprKind::Other`] where it is none (user-defined suffixes).
pub fn number(text: &str) -> ExprKind {
    let cleaned: String = text.chars().filter(|c| *c != '\'').collect();
    let lower = cleaned.to_ascii_lowercase();
    let is_hex = lower.starts_with("0x");
    let is_float =
        lower.contains('.') || (is_hex && lower.contains('p')) || (!is_hex && lower.contains('e'));
    if is_float {
        float(&lower, is_hex)
    } else {
        integer(&lower)
    }
}

fn integer(lower: &str) -> ExprKind {
    let (radix, digits) = if let Some(rest) = lower.strip_prefix("0x") {
        (16, rest)
    } else if let Some(rest) = lower.strip_prefix("0b") {
        (2, rest)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (8, &lower[1..])
    } else {
        (10, lower)
    };
    let end = digits
        .find(|c: char| !c.is_digit(radix))
        .unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    if !suffix.chars().all(|c| matches!(c, 'u' | 'l' | 'z')) {
        // `1f` is written though the standard wants `1.f`.
        if suffix == "f" && radix == 10 {
            return float(lower, false);
        }
        return ExprKind::Other("user-defined literal");
    }
    let digits = if digits.is_empty() { "0" } else { digits };
    let Ok(value) = u64::from_str_radix(digits, radix) else {
        return ExprKind::Other("integer beyond 64 bits");
    };
    let suffixed_unsigned = suffix.contains('u');
    let suffixed_long = suffix.contains('l') || suffix.contains('z');
    let fits = |limit: u64| value <= limit;
    let may_be_unsigned = suffixed_unsigned || radix != 10;
    let (is_unsigned, is_long) = if suffixed_long {
        (suffixed_unsigned || !fits(i64::MAX as u64), true)
    } else if suffixed_unsigned {
        (true, !fits(u64::from(u32::MAX)))
    } else if fits(i32::MAX as u64) {
        (false, false)
    } else if may_be_unsigned && fits(u64::from(u32::MAX)) {
        (true, false)
    } else {
        (!fits(i64::MAX as u64), true)
    };
    ExprKind::Int {
        value,
        is_unsigned,
        is_long,
        is_long_long: suffix.contains("ll"),
    }
}

fn float(lower: &str, is_hex: bool) -> ExprKind {
    let body = if is_hex {
        lower
    } else {
        lower.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '_')
    };
    let suffix = if is_hex {
        lower.rsplit_once('p').map_or("", |(_, exponent)| {
            exponent
                .trim_start_matches(['+', '-'])
                .trim_start_matches(|c: char| c.is_ascii_digit())
        })
    } else {
        &lower[body.len()..]
    };
    let value = if is_hex {
        hex_float(lower)
    } else {
        body.parse().ok()
    };
    let known = matches!(suffix, "" | "f" | "l" | "f16" | "f32" | "f64");
    match value {
        Some(value) if known => ExprKind::Float {
            value,
            is_single: matches!(suffix, "f" | "f32"),
        },
        _ => ExprKind::Other("user-defined literal"),
    }
}

fn hex_float(lower: &str) -> Option<f64> {
    let (mantissa, exponent) = lower.strip_prefix("0x")?.split_once('p')?;
    let exponent: i32 = exponent
        .trim_end_matches(|c: char| c.is_ascii_alphabetic())
        .parse()
        .ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut value = 0.0;
    for digit in whole.chars() {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let mut scale = 1.0 / 16.0;
    for digit in fraction.chars() {
        value += f64::from(digit.to_digit(16)?) * scale;
        scale /= 16.0;
    }
    Some(value * 2f64.powi(exponent))
}

/// A character constant: one character of the type that its prefix tells, or up to four in an `int`.
pub fn character(text: &str) -> ExprKind {
    const UNREAD: ExprKind =
        ExprKind::Other("a character constant that compilers read differently");
    let Some((prefix, inner)) = text.split_once('\'') else {
        return UNREAD;
    };
    let inner = inner.strip_suffix('\'').unwrap_or(inner);
    let codes: Vec<u32> = unescape(inner, Unit::CodePoint)
        .chars()
        .map(u32::from)
        .collect();
    let ty = match prefix {
        "" => Builtin::Char,
        "L" => Builtin::WChar,
        "u8" => Builtin::Char8,
        "u" => Builtin::Char16,
        "U" => Builtin::Char32,
        _ => return UNREAD,
    };
    match codes[..] {
        [code] if !prefix.is_empty() => ExprKind::Char(i64::from(code), ty),
        // The bytes of a character beyond ASCII are those of the text's encoding.
        _ if !prefix.is_empty() || !inner.is_ascii() => UNREAD,
        // `'\xff'` is a negative char.
        [code] => ExprKind::Char(i64::from(code as u8 as i8), ty),
        // nvcc takes `'\xff\xff'` for a negative number (measured on an H200, CUDA 13.0), g++ for a positive one.
        [_, .., _] if codes.len() <= 4 && codes.iter().all(|code| *code < 0x80) => {
            let value = codes.iter().fold(0, |value, code| value << 8 | code);
            ExprKind::Char(i64::from(value as i32), Builtin::Int)
        }
        _ => UNREAD,
    }
}

/// The contents of one string literal without `L`, `u` or `U`: each character is one byte of it, so that
/// `"\xff"` has one and `"é"` has the two of its encoding.
pub fn string(text: &str) -> String {
    let Some(open) = text.find('"') else {
        return String::new();
    };
    let inner = text[open + 1..]
        .strip_suffix('"')
        .unwrap_or(&text[open + 1..]);
    if text[..open].ends_with('R') {
        let begin = inner.find('(').map_or(0, |at| at + 1);
        let end = inner.rfind(')').unwrap_or(inner.len()).max(begin);
        return bytes(&inner[begin..end]);
    }
    unescape(inner, Unit::Byte)
}

/// The bytes of a text's encoding, one character each.
fn bytes(text: &str) -> String {
    text.bytes().map(char::from).collect()
}

/// What a string or a character constant consists of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Byte,
    CodePoint,
}

fn unescape(text: &str, unit: Unit) -> String {
    let is_bytes = unit == Unit::Byte;
    if !text.contains('\\') {
        return if is_bytes {
            bytes(text)
        } else {
            text.to_owned()
        };
    }
    let mut out = String::with_capacity(text.len());
    let push = |out: &mut String, c: char| {
        if is_bytes {
            out.push_str(&bytes(c.encode_utf8(&mut [0; 4])));
        } else {
            out.push(c);
        }
    };
    let character = |value: u32| char::from_u32(value).unwrap_or('\u{fffd}');
    // A number is one unit, whatever character that is.
    let number = |value: u32| {
        if is_bytes {
            char::from(value as u8)
        } else {
            character(value)
        }
    };
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\\' {
            push(&mut out, c);
            continue;
        }
        let Some(escape) = rest.next() else { break };
        let mut digits = |radix: u32, first: u32, most: usize| {
            let mut value = first;
            let mut count = 0;
            while count < most
                && let Some(digit) = rest.peek().and_then(|c| c.to_digit(radix))
            {
                value = value.wrapping_mul(radix).wrapping_add(digit);
                rest.next();
                count += 1;
            }
            value
        };
        match escape {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'a' => out.push('\x07'),
            'b' => out.push('\x08'),
            'f' => out.push('\x0c'),
            'v' => out.push('\x0b'),
            'e' => out.push('\x1b'),
            '\n' => {}
            'x' => out.push(number(digits(16, 0, usize::MAX))),
            'u' => push(&mut out, character(digits(16, 0, 4))),
            'U' => push(&mut out, character(digits(16, 0, 8))),
            '0'..='7' => out.push(number(digits(8, escape.to_digit(8).unwrap_or(0), 2))),
            other => push(&mut out, other),
        }
    }
    out
}
