//! Requests added up.
//!
//! Plain data: gives sums, and nothing where a sum passes 64 bits. Knows nothing of where requests
//! come from.

use super::cost::Cost;

/// The sum of several requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Total {
    /// Those in which a lane takes part.
    pub requests: u64,
    /// Wavefronts (shared) or sectors (global).
    pub cost: u64,
    pub ideal: u64,
}

impl From<Cost> for Total {
    fn from(cost: Cost) -> Self {
        Self {
            requests: 1,
            cost: u64::from(cost.actual),
            ideal: u64::from(cost.ideal),
        }
    }
}

impl Total {
    /// The cost beyond the ideal.
    #[must_use]
    pub fn excessive(self) -> u64 {
        self.cost.saturating_sub(self.ideal)
    }

    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        Some(Self {
            requests: self.requests.checked_add(other.requests)?,
            cost: self.cost.checked_add(other.cost)?,
            ideal: self.ideal.checked_add(other.ideal)?,
        })
    }

    #[must_use]
    pub fn times(self, factor: u64) -> Option<Self> {
        Some(Self {
            requests: self.requests.checked_mul(factor)?,
            cost: self.cost.checked_mul(factor)?,
            ideal: self.ideal.checked_mul(factor)?,
        })
    }
}
