//! Assumptions of a verdict: what it takes for granted, and the sentence for it.
//!
//! Plain data, given by `access` and `prove`, read by rules, reports and the judge.

use serde::Serialize;
use std::fmt;

/// Something that a verdict rests on and that was not proved.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Assumption {
    /// Pointers are as cudaMalloc returns them.
    AlignedPointers,
    /// The verdict speaks of warps that a guard lets through whole.
    WholeWarp,
    /// Unsigned arithmetic does not wrap.
    NoWrap,
    /// A quotient is taken of no negative number.
    NotNegative,
    /// The address is a multiple of so many bytes.
    AlignedAddress { bytes: u32 },
    /// A dimension of the block is a multiple of a number.
    Multiple { of: i64, symbol: &'static str },
    /// A symbol is greater than a number.
    Greater { symbol: String, than: i64 },
    /// So is every divisor that is no symbol.
    LargeDivisors { than: i64 },
}

impl Assumption {
    /// A copy whose symbol has another name.
    #[must_use]
    pub fn renamed(&self, name: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Greater { symbol, than } => Self::Greater {
                symbol: name(symbol),
                than: *than,
            },
            other => other.clone(),
        }
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlignedPointers => {
                f.write_str("pointers are 256-byte aligned, as cudaMalloc returns them")
            }
            Self::WholeWarp => {
                f.write_str("the guard lets the whole warp through (an interior warp)")
            }
            Self::NoWrap => f.write_str("unsigned index arithmetic does not wrap"),
            Self::NotNegative => f.write_str("divided index values are not negative"),
            Self::AlignedAddress { bytes } => {
                write!(f, "the address is a multiple of {bytes} bytes")
            }
            Self::Multiple { symbol, of } => write!(f, "{symbol} is a multiple of {of}"),
            Self::Greater { symbol, than } => write!(f, "{symbol} > {than}"),
            Self::LargeDivisors { than } => write!(f, "divisors are larger than {than}"),
        }
    }
}

/// The sentences of several, in one line.
#[must_use]
pub fn sentences(all: &[Assumption]) -> String {
    let all: Vec<String> = all.iter().map(Assumption::to_string).collect();
    all.join("; ")
}
