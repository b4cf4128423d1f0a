//! Reasons why lanes of a warp may differ in a value.

use std::sync::Arc;

/// Why lanes may differ in a value, in words, and what a verdict makes of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LaneDifference {
    pub kind: DifferenceKind,
    /// As a noun: "a value loaded from `x`".
    pub text: Arc<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DifferenceKind {
    /// Data: loaded from memory, or chosen by each lane for itself.
    Data,
    /// Made of data by other means: an exchange, an atomic, a loop that lanes leave at different times.
    /// Within an object it counts as data; where a pointer made of it points is not known.
    Computed,
    /// No data: the text was not understood.
    NotModelled,
}

impl LaneDifference {
    #[must_use]
    pub fn data(text: impl Into<Arc<str>>) -> Self {
        Self {
            kind: DifferenceKind::Data,
            text: text.into(),
        }
    }

    #[must_use]
    pub fn computed(text: impl Into<Arc<str>>) -> Self {
        Self {
            kind: DifferenceKind::Computed,
            text: text.into(),
        }
    }

    #[must_use]
    pub fn not_modelled(text: impl Into<Arc<str>>) -> Self {
        Self {
            kind: DifferenceKind::NotModelled,
            text: text.into(),
        }
    }
}
