//! Another compiler's reading of a kernel, held against the verdicts.
//!
//! Given CUDA files, or a seed for the generators, builds their text unchanged with the machine's
//! C++ compiler, runs it lane by lane on the CPU with every access recorded, and compares each
//! request of each warp with what `cudalint accesses` says of its line. Knows nothing of how verdicts
//! come about: of this crate it uses the cost of a request, which hardware judged, and nothing else.

mod assembly;
mod assume;
mod batch;
pub(crate) mod bounded;
mod case;
mod compare;
mod compare_launches;
mod driver;
mod finds;
mod fixes;
mod generate;
mod random;
mod reduce;
mod report;
mod trace;
pub mod vendor;
mod verdicts;

pub use bounded::Deadline;
pub use driver::{Options, run};
pub use finds::End;
