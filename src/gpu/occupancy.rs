//! Occupancy: how many blocks one multiprocessor can hold.
//!
//! Given a row of the architecture table, the threads of a block and its shared memory, gives
//! the bound that threads and shared memory set. Does not know: registers, which only a
//! compiler knows.

use super::arch::Arch;

/// Bytes that the system takes of each block's shared memory from compute capability 8.0 on
/// (CUDA C++ Programming Guide, compute capabilities 8.x and later).
const RESERVED: u64 = 1024;

impl Arch {
    /// Most resident blocks of `threads` threads and `shared` bytes each; 0 where one does not fit.
    #[must_use]
    pub fn resident_blocks(&self, threads: u64, shared: u64) -> u64 {
        let reserved = if self.major >= 8 { RESERVED } else { 0 };
        let by_shared = u64::from(self.shared_per_sm) / (shared + reserved).max(1);
        by_shared.min(self.resident_by_threads(threads))
    }

    /// Most resident blocks of `threads` threads that take no shared memory.
    #[must_use]
    pub fn resident_by_threads(&self, threads: u64) -> u64 {
        let by_threads = u64::from(self.warps_per_sm) / threads.div_ceil(32).max(1);
        by_threads.min(u64::from(self.blocks_per_sm))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_and_shared_memory_both_bound_blocks() {
        let arch = Arch::DEFAULT;
        assert_eq!(arch.resident_blocks(256, 0), 8);
        assert_eq!(arch.resident_blocks(64, 0), 32);
        assert_eq!(arch.resident_blocks(256, 48 * 1024), 4);
        assert_eq!(arch.resident_blocks(256, 300 * 1024), 0);
    }
}
