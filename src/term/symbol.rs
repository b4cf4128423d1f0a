//! Symbols: what a term knows of a value that it does not compute.

use super::{LIMIT, LaneDifference};
use crate::ir::{Axis, Scalar};
use std::sync::Arc;

/// The values that a symbol may have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Domain {
    pub low: i64,
    pub high: i64,
    /// All values, where they are few and known (then `low` and `high` are their bounds).
    pub values: Option<Arc<[i64]>>,
}

impl Domain {
    #[must_use]
    pub fn range(low: i64, high: i64) -> Self {
        Self {
            low,
            high,
            values: None,
        }
    }

    #[must_use]
    pub fn of(values: Vec<i64>) -> Self {
        let low = values.iter().copied().min().unwrap_or(0);
        let high = values.iter().copied().max().unwrap_or(0);
        Self {
            low,
            high,
            values: Some(values.into()),
        }
    }

    /// All values of a scalar type.
    #[must_use]
    pub fn of_type(ty: Scalar) -> Self {
        match ty {
            Scalar::Bool => Self::range(0, 1),
            Scalar::I8 => Self::range(-128, 127),
            Scalar::U8 => Self::range(0, 255),
            Scalar::I16 => Self::range(-32768, 32767),
            Scalar::U16 => Self::range(0, 65535),
            Scalar::U32 => Self::range(0, i64::from(u32::MAX)),
            Scalar::I32 => Self::range(i64::from(i32::MIN), i64::from(i32::MAX)),
            Scalar::U64 => Self::range(0, LIMIT),
            _ => Self::range(-LIMIT, LIMIT),
        }
    }

    /// How many values there are, where at most `most`.
    #[must_use]
    pub fn count(&self, most: usize) -> Option<usize> {
        let n = match &self.values {
            Some(values) => values.len() as u64,
            None => self
                .high
                .checked_sub(self.low)?
                .unsigned_abs()
                .checked_add(1)?,
        };
        usize::try_from(n).ok().filter(|n| *n <= most)
    }

    /// The values; only for domains that [`Domain::count`] accepts.
    #[must_use]
    pub fn list(&self) -> Vec<i64> {
        match &self.values {
            Some(values) => values.to_vec(),
            None => (self.low..=self.high).collect(),
        }
    }

    #[must_use]
    pub fn contains(&self, value: i64) -> bool {
        match &self.values {
            Some(values) => values.contains(&value),
            None => (self.low..=self.high).contains(&value),
        }
    }
}

/// Who shares a symbol's value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sharing {
    /// The lane's number in its warp, 0..=31.
    Lane,
    /// Equal in all lanes of a request.
    Uniform,
    Varying(LaneDifference),
}

#[derive(Clone, Debug)]
pub struct Symbol {
    /// As users know it: `blockIdx.x`, `pitch`, `k`.
    pub name: Arc<str>,
    pub sharing: Sharing,
    pub domain: Domain,
    /// A base address or another value that is a multiple of this many.
    pub multiple_of: i64,
    pub origin: SymbolOrigin,
    /// The variable behind it: the counter of the loop whose iterations it numbers, or the pointer whose offset it is.
    pub variable: Option<Arc<str>>,
    /// Of an iteration: what that variable is in it.
    pub counted: Counted,
}

/// What the variable that counts a loop is in an iteration, by the iteration's number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counted {
    /// The number itself.
    Number,
    /// What the number selects from a table.
    Selected,
    #[default]
    Other,
}

/// What users call a value, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolName {
    pub text: Arc<str>,
    pub origin: SymbolOrigin,
}

impl SymbolName {
    #[must_use]
    pub fn new(text: impl Into<Arc<str>>, origin: SymbolOrigin) -> Self {
        let text = text.into();
        Self { text, origin }
    }

    /// An element of `array`: `x[…]`.
    #[must_use]
    pub fn element_of(array: &str) -> Self {
        let origin = SymbolOrigin::Element { is_given: false };
        Self::new(format!("{array}[…]"), origin)
    }

    /// As [`SymbolName::element_of`], of an array in global memory or in an argument of the launch.
    #[must_use]
    pub fn given_element_of(array: &str) -> Self {
        let origin = SymbolOrigin::Element { is_given: true };
        Self::new(format!("{array}[…]"), origin)
    }
}

impl<T: Into<Arc<str>>> From<T> for SymbolName {
    fn from(text: T) -> Self {
        Self::new(text, SymbolOrigin::Other)
    }
}

impl std::fmt::Display for SymbolName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// Where the value of a symbol comes from, for whoever tells symbols apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SymbolOrigin {
    /// `threadIdx`, but for the part that is the lane.
    ThreadIndex(Axis),
    BlockIndex,
    /// `blockDim` or `gridDim`.
    Dimension,
    /// Which warp of the block, where that is no thread index.
    Warp,
    /// The iteration of a loop.
    Iteration,
    /// How far into its allocation a pointer points that a launch passes: in pieces of so many bytes, or in elements.
    PointerOffset {
        piece: Option<i64>,
    },
    /// Where the compiler puts a variable, in pieces of so many bytes past an aligned place.
    Start {
        piece: i64,
    },
    /// A parameter of the kernel, or a member of one, by the parameter's place.
    Parameter(u32),
    /// Read from an array. What lies in an array that is given, in global memory or an argument of the launch, was
    /// not made up by the block.
    Element {
        is_given: bool,
    },
    #[default]
    Other,
}

/// How a loop's iterations are called: by the variable that counts them, where there is one.
#[must_use]
pub fn iteration_of(variable: Option<&str>) -> String {
    match variable {
        Some(name) => format!("iteration of {name}"),
        None => "iteration".to_owned(),
    }
}

impl SymbolOrigin {
    /// Whether one launch goes through all values of such a symbol.
    #[must_use]
    pub fn is_swept(self) -> bool {
        matches!(
            self,
            Self::ThreadIndex(_) | Self::BlockIndex | Self::Warp | Self::Iteration
        )
    }

    /// Whether the launch gives it, or what it was read from: an address in it is none that the block made.
    #[must_use]
    pub fn is_given(self) -> bool {
        matches!(self, Self::Parameter(_) | Self::Element { is_given: true })
    }

    /// Whether one block goes through all values of such a symbol, the least ones among them.
    #[must_use]
    pub fn is_swept_by_a_block(self) -> bool {
        matches!(self, Self::ThreadIndex(_) | Self::Warp)
    }

    /// The place of the parameter that it is.
    #[must_use]
    pub fn parameter(self) -> Option<u32> {
        match self {
            Self::Parameter(at) => Some(at),
            _ => None,
        }
    }
}
