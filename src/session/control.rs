//! A run as seen from outside: how far it is, and whether it should end.
//!
//! Given by whoever starts a run and waits for it. The run says which groups of files are done; a raised
//! stop ends the work on kernels under way and leaves out what is left, so that a report tells what was done.

use crate::ir::stop::Stop;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Why a file that a stopped run left out has no answer.
pub const STOPPED: &str = "the run was stopped before this file";
/// Why less may be told of a file that a stopped run had begun.
pub const STOPPED_INSIDE: &str = "the run was stopped at this file: its results may be incomplete";

#[derive(Debug, Default)]
pub struct Control {
    stop: Stop,
    files: AtomicUsize,
    done: AtomicUsize,
    /// A file of each group under way, the longest first.
    open: Mutex<Vec<PathBuf>>,
}

impl Control {
    /// Lets the run end as soon as it can.
    pub fn stop(&self) {
        self.stop.raise();
    }

    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.is_raised()
    }

    /// The signal that ends the work under way.
    #[must_use]
    pub fn signal(&self) -> Stop {
        self.stop.clone()
    }

    /// Files done, and all of them; none until they are known.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        let [done, files] = [&self.done, &self.files].map(|count| count.load(Ordering::Relaxed));
        (done, files)
    }

    /// The file that has been under way longest.
    #[must_use]
    pub fn slowest(&self) -> Option<PathBuf> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.first().cloned()
    }

    pub(super) fn expect(&self, files: usize) {
        self.files.store(files, Ordering::Relaxed);
    }

    pub(super) fn begin(&self, file: &Path) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.push(file.to_path_buf());
    }

    pub(super) fn end(&self, file: &Path, files: usize) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = open.iter().position(|known| known == file) {
            open.remove(at);
        }
        self.done.fetch_add(files, Ordering::Relaxed);
    }
}
