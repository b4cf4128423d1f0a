//! Shared memory of one block, and how many blocks fit beside each other.
//!
//! Given a kernel, gives the bytes of its `__shared__` objects and of its launches. Knows
//! nothing of registers, the other bound on resident blocks. Decides nothing: `padding` and the rule
//! `shared_capacity` do.

use crate::gpu::Arch;
use crate::ir::Kernel;

/// No sum of two sizes passes 64 bits; a declaration may claim more than this.
const MOST: u64 = 1 << 62;

/// Shared memory of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Bytes of the declarations with a size.
    pub fixed: u64,
    /// Bytes that the launch adds, the most of all launches; `None` where one does not tell.
    pub dynamic: Option<u64>,
    /// Threads of the smallest block.
    pub threads: u64,
}

impl Memory {
    #[must_use]
    pub fn of(kernel: &Kernel) -> Self {
        let fixed = kernel.shared.iter().fold(0, |at: u64, object| {
            let start = at.next_multiple_of(u64::from(object.align.max(1)));
            start.saturating_add(object.size.unwrap_or(0)).min(MOST)
        });
        let has_dynamic = kernel.shared.iter().any(|object| object.size.is_none());
        let dynamic = kernel
            .launches
            .iter()
            .map(|launch| launch.dynamic_shared)
            .try_fold(0, |most: u64, bytes| {
                bytes.map(|bytes| most.max(bytes.min(MOST)))
            });
        let threads = kernel
            .launches
            .iter()
            .filter_map(|launch| {
                launch
                    .block
                    .iter()
                    .try_fold(1u64, |n, axis| n.checked_mul(axis.known()?))
            })
            .min();
        Self {
            fixed,
            dynamic: if has_dynamic {
                dynamic
            } else {
                Some(dynamic.unwrap_or(0))
            },
            threads: threads.unwrap_or(1),
        }
    }

    /// Blocks that one multiprocessor holds, as far as threads and shared memory allow.
    #[must_use]
    pub fn resident(&self, arch: &Arch) -> u64 {
        arch.resident_blocks(self.threads, self.fixed + self.dynamic.unwrap_or(0))
    }
}
