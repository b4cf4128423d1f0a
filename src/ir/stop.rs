//! The flag that ends a run before its work is done.
//!
//! Handed down to whatever goes on for long; whoever sees it raised leaves its work as it is, and what it
//! gives then is no answer. Knows nothing of who raises it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Why a kernel that a stopped run left has no answer.
pub const STOPPED: &str = "the run was stopped before this kernel was done";

/// A flag that is raised once; copies are one flag.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl From<Arc<AtomicBool>> for Stop {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}
