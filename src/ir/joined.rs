//! The joined launch: what several launches of a kernel have in common.

use super::residue::Residue;
use super::{Argument, Dimension, Launch};

impl Launch {
    /// The least launch that covers both: what they do not agree on is unknown.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        let three = |a: &[Dimension; 3], b: &[Dimension; 3]| {
            std::array::from_fn(|i| dimension(&a[i], &b[i]))
        };
        let arguments = self.arguments.iter().zip(&other.arguments);
        Self {
            grid: three(&self.grid, &other.grid),
            block: three(&self.block, &other.block),
            dynamic_shared: if self.dynamic_shared == other.dynamic_shared {
                self.dynamic_shared
            } else {
                None
            },
            arguments: arguments.map(|(a, b)| argument(a, b)).collect(),
            moved: {
                let mut all = self.moved.clone();
                all.extend(other.moved.iter().cloned());
                all.sort_unstable();
                all.dedup();
                all
            },
            source: self.source,
            span: None,
        }
    }
}

fn dimension(a: &Dimension, b: &Dimension) -> Dimension {
    match (a, b) {
        (a, b) if a == b => a.clone(),
        (Dimension::Const(x), Dimension::Const(y)) => {
            let text = format!("{x} or {y} or others").into();
            if a.is_uneven() || b.is_uneven() {
                Dimension::Uneven(text)
            } else {
                Dimension::Unknown(text)
            }
        }
        (Dimension::Uneven(_), _) => a.clone(),
        (_, Dimension::Uneven(_)) => b.clone(),
        (Dimension::Unknown(text), known) | (known, Dimension::Unknown(text)) => {
            if known.is_uneven() {
                Dimension::Uneven(text.clone())
            } else {
                Dimension::Unknown(text.clone())
            }
        }
    }
}

fn argument(a: &Argument, b: &Argument) -> Argument {
    match (a, b) {
        (a, b) if a == b => a.clone(),
        (
            Argument::Pointer {
                offset: x,
                is_assumed: a,
            },
            Argument::Pointer {
                offset: y,
                is_assumed: b,
            },
        ) => Argument::Pointer {
            offset: x.or(*y),
            is_assumed: *a || *b,
        },
        // No pointer, or one that is taken for the start of an allocation.
        (Argument::Pointer { offset, .. }, _) | (_, Argument::Pointer { offset, .. }) => {
            Argument::Pointer {
                offset: offset.or(Residue::ZERO),
                is_assumed: true,
            }
        }
        _ => Argument::Unknown,
    }
}
