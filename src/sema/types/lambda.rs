//! Types of lambdas. Each lambda has a type of its own; all are displayed alike.
//!
//! The type of a lambda that a kernel makes names the place of its text and the time that it was made:
//! one text gives one type, but what it captured is another thing each time.

use super::Type;
use std::sync::Arc;

/// As which the type of a lambda is displayed.
const LAMBDA: &str = "lambda";

impl Type {
    /// The type of a lambda of which nothing else is known: enough of one to be deduced.
    #[must_use]
    pub fn lambda() -> Self {
        Self::Opaque(Arc::from(LAMBDA))
    }

    /// The type of the lambda that begins at `start` of the text, made as the lambda number `made`.
    #[must_use]
    pub fn lambda_made(start: u32, made: u32) -> Self {
        Self::Opaque(Arc::from(format!("{LAMBDA}#{start}.{made}")))
    }

    #[must_use]
    pub fn is_lambda(&self) -> bool {
        matches!(self, Self::Opaque(name) if is_lambda(name))
    }

    /// The number that [`Type::lambda_made`] was given.
    #[must_use]
    pub fn lambda_number(&self) -> Option<u32> {
        match self {
            Self::Opaque(name) if is_lambda(name) => {
                let (_, made) = name.split_once('#')?.1.split_once('.')?;
                made.parse().ok()
            }
            _ => None,
        }
    }
}

/// Whether the name of an opaque type is that of a lambda's.
pub(super) fn is_lambda(name: &str) -> bool {
    displayed(name) == LAMBDA
}

/// What is displayed of the name of an opaque type.
pub(super) fn displayed(name: &str) -> &str {
    let is_numbered = name
        .strip_prefix(LAMBDA)
        .is_some_and(|rest| rest.starts_with('#'));
    if is_numbered { LAMBDA } else { name }
}

/// Whether two opaque types are one, where both are types of lambdas: `Some(None)` where that is not known.
pub(super) fn is_same(a: &str, b: &str) -> Option<Option<bool>> {
    if !is_lambda(a) || !is_lambda(b) {
        return None;
    }
    let start = |name: &str| {
        let (_, place) = name.split_once('#')?;
        place.split_once('.').map(|(start, _)| start.to_owned())
    };
    Some(match (start(a), start(b)) {
        (Some(_), Some(_)) if a == b => Some(true),
        (Some(one), Some(other)) if one != other => Some(false),
        _ => None,
    })
}
