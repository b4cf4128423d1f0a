//! Time that each rule takes.
//!
//! Given a clock, sums what is measured around rules, over all threads. Has no clock of its own.
//! What rules share is worked out by the one that asks first, and counts as its time.

use super::{Rule, TABLE, all};
use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

#[derive(Debug)]
pub struct Stopwatch {
    clock: fn() -> Duration,
    /// Nanoseconds, by a rule's number.
    spent: [AtomicU64; TABLE.len()],
}

impl Stopwatch {
    #[must_use]
    pub fn new(clock: fn() -> Duration) -> Self {
        Self {
            clock,
            spent: Default::default(),
        }
    }

    pub(super) fn time<T>(&self, rule: usize, work: impl FnOnce() -> T) -> T {
        let start = (self.clock)();
        let result = work();
        let time = (self.clock)().saturating_sub(start).as_nanos();
        if let Some(spent) = self.spent.get(rule) {
            spent.fetch_add(u64::try_from(time).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
        result
    }

    /// Rules that took any time, the slowest first.
    #[must_use]
    pub fn spent(&self) -> Vec<(&'static Rule, Duration)> {
        let mut spent: Vec<_> = all()
            .iter()
            .zip(&self.spent)
            .map(|(rule, time)| (rule, Duration::from_nanos(time.load(Ordering::Relaxed))))
            .filter(|(_, time)| !time.is_zero())
            .collect();
        spent.sort_by_key(|(_, time)| Reverse(*time));
        spent
    }
}
