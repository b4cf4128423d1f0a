//! What a verdict assumes, and whether that holds in a run; the conditions of its cases.

use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    Yes,
    No,
    /// It names what the judge cannot evaluate.
    Unknown,
}

impl From<Option<bool>> for Truth {
    fn from(value: Option<bool>) -> Self {
        match value {
            Some(true) => Self::Yes,
            Some(false) => Self::No,
            None => Self::Unknown,
        }
    }
}

/// Values by name: parameters, `blockDim.x` and the like.
pub type Names = BTreeMap<String, i128>;

/// One warp request as assumptions see it.
pub struct Situation<'a> {
    pub names: &'a Names,
    /// All 32 lanes take part.
    pub is_full: bool,
    pub addresses: &'a [Option<u64>; 32],
    /// Pointers are moved off their allocation.
    pub is_moved: bool,
}

/// An assumption, as the list of accesses has it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Assumption {
    /// Pointers are as cudaMalloc returns them.
    AlignedPointers,
    /// The verdict speaks of warps that a guard lets through whole.
    WholeWarp,
    /// The address is a multiple of so many bytes.
    AlignedAddress { bytes: u64 },
    /// An expression is a multiple of a number.
    Multiple { symbol: String, of: i64 },
    /// An expression is greater than a number.
    Greater { symbol: String, than: i64 },
    /// Nothing that a run shows.
    #[serde(other)]
    Other,
}

impl Assumption {
    pub fn holds(&self, situation: &Situation) -> Truth {
        let value = |symbol: &str| evaluate(symbol, situation.names);
        Truth::from(match self {
            Self::AlignedPointers => Some(!situation.is_moved),
            Self::WholeWarp => Some(situation.is_full),
            Self::AlignedAddress { bytes } => {
                let mut addresses = situation.addresses.iter().flatten();
                Some(addresses.all(|address| address % bytes.max(&1) == 0))
            }
            Self::Multiple { symbol, of } if *of != 0 => {
                value(symbol).map(|value| value % i128::from(*of) == 0)
            }
            Self::Greater { symbol, than } => value(symbol).map(|value| value > i128::from(*than)),
            Self::Multiple { .. } | Self::Other => None,
        })
    }
}

/// `n % 8 == 0`, `n in {1, 2}`, `n > 31`, `a >= b && c < 4`; `None` where a name is not known.
pub fn condition(text: &str, names: &Names) -> Option<bool> {
    if let Some((left, list)) = text.split_once(" in {") {
        let value = evaluate(left, names)?;
        let list = list.strip_suffix('}')?;
        let mut found = false;
        for one in list.split(',') {
            let one = one.trim();
            if one.contains("..") || one.contains('…') {
                return None;
            }
            found |= evaluate(one, names)? == value;
        }
        return Some(found);
    }
    // `1 <= n <= 8`
    if let [low, value, high] = text.split(" <= ").collect::<Vec<_>>().as_slice() {
        let value = evaluate(value, names)?;
        return Some(evaluate(low, names)? <= value && value <= evaluate(high, names)?);
    }
    let has_comparison = ["==", "!=", "<", ">"].iter().any(|op| text.contains(op));
    if !has_comparison {
        return None;
    }
    evaluate(text, names).map(|value| value != 0)
}

/// Casts that cut values off, behind their bracket: bits, and whether they are signed.
const NARROW: &[(&str, u32, bool)] = &[
    ("signed char)", 8, true),
    ("unsigned char)", 8, false),
    ("short)", 16, true),
    ("unsigned short)", 16, false),
];

/// An expression of integers as C has it, without widths; `None` where a name is not known or
/// something else stands there.
pub fn evaluate(text: &str, names: &Names) -> Option<i128> {
    let mut parser = Parser {
        rest: text.trim(),
        names,
        depth: 0,
    };
    let value = parser.binary(0)?;
    parser.rest.trim().is_empty().then_some(value)
}

struct Parser<'a> {
    rest: &'a str,
    names: &'a Names,
    /// Brackets around the place: what stands in them is the source's own text.
    depth: u32,
}

const LEVELS: [&[&str]; 9] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Parser<'_> {
    fn binary(&mut self, level: usize) -> Option<i128> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        loop {
            self.rest = self.rest.trim_start();
            let found = operators.iter().find(|op| {
                self.rest.starts_with(**op)
                    && !(op.len() == 1
                        && (self.rest[1..].starts_with(**op)
                            || (matches!(**op, "<" | ">") && self.rest[1..].starts_with('='))))
            });
            let Some(op) = found else { return Some(left) };
            self.rest = &self.rest[op.len()..];
            let right = self.binary(level + 1)?;
            left = match *op {
                "||" => i128::from(left != 0 || right != 0),
                "&&" => i128::from(left != 0 && right != 0),
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "==" => i128::from(left == right),
                "!=" => i128::from(left != right),
                "<=" => i128::from(left <= right),
                ">=" => i128::from(left >= right),
                "<" => i128::from(left < right),
                ">" => i128::from(left > right),
                "+" => left.checked_add(right)?,
                "-" => left.checked_sub(right)?,
                "*" => left.checked_mul(right)?,
                "/" => left.checked_div(right)?,
                "%" if self.depth > 0 => left.checked_rem(right)?,
                // A residue, as conditions of verdicts mean it.
                _ => left.checked_rem_euclid(right)?,
            };
        }
    }

    fn unary(&mut self) -> Option<i128> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next()?;
        match first {
            '-' => {
                self.rest = &self.rest[1..];
                self.unary().map(|value| -value)
            }
            '(' => {
                self.rest = &self.rest[1..];
                for (ty, bits, is_signed) in NARROW {
                    if let Some(rest) = self.rest.strip_prefix(ty) {
                        self.rest = rest;
                        let value = self.unary()?.rem_euclid(1 << bits);
                        let is_negative = *is_signed && value >> (bits - 1) == 1;
                        return Some(value - if is_negative { 1 << bits } else { 0 });
                    }
                }
                self.depth += 1;
                let value = self.binary(0)?;
                self.depth -= 1;
                self.rest = self.rest.trim_start().strip_prefix(')')?;
                Some(value)
            }
            _ if first.is_ascii_digit() => {
                let end = self.rest.find(|c: char| !c.is_ascii_digit());
                let (digits, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
                self.rest = rest;
                digits.parse().ok()
            }
            _ => {
                let end = self
                    .rest
                    .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
                let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
                self.rest = rest;
                self.names.get(name).copied()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_hold_the_source_and_residues_stand_outside() {
        let names: Names = [("m".to_owned(), -8)].into_iter().collect();
        let value = |text: &str| evaluate(text, &names);
        assert_eq!(value("m % 3"), Some(1));
        assert_eq!(value("(m % 3)"), Some(-2));
        assert_eq!(value("((unsigned char)((m ^ 1) % 31)) % 8"), Some(1));
    }
}
