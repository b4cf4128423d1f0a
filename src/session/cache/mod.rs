//! What later runs may use again: answers of the solver, findings of groups, what stays in memory.

pub(super) mod encode;
pub mod findings;
pub mod memory;
pub(super) mod opinions;
pub mod proofs;
#[cfg(test)]
pub(super) mod scratch;
