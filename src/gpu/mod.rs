//! The hardware's answer to one warp's memory request.
//!
//! Given: 32 lane addresses, an access width, a memory space and a compute capability.
//! Gives: wavefronts (shared) or sectors (global), each beside its ideal.
//! Does not know: CUDA source, kernels, launches, loops, or how an address came about.

pub mod arch;
pub mod cost;
pub mod cost_csv;
mod counting;
mod occupancy;
mod older;
mod total;

pub use arch::Arch;
pub use cost::{Bytes, Cost, Lane, LaneAddresses, Op, Request, Sectors, Space, Wavefronts, cost};
pub use total::Total;

/// Lanes in a warp, on every compute capability.
pub const WARP: usize = 32;
