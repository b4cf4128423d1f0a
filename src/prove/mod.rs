//! The prover: bounds on the cost of every access, certified by Z3.
//!
//! Given the visits of symbolic execution, gives a verdict for each access. Equal
//! canonical forms share one proof; distinct ones are decided in parallel, and the
//! answer depends on neither order nor number of threads. Knows nothing of rules,
//! messages or files.

pub mod answer_cache;
pub mod canonical;
pub mod certificate;
pub mod claim;
pub mod claim_kind;
mod condition;
pub mod explore;
pub mod implication;
pub mod interior;
mod join_accesses;
mod launch_choice;
mod law;
pub mod narrow;
pub mod normalise;
pub mod poly;
pub mod premise;
pub mod range;
pub mod reasons;
pub mod residue_cost;
pub mod smt;
pub mod threshold;
pub mod verdict;
mod witness;

mod block_sum;
mod bound;
mod decide;
mod dependence;
mod merge_symbols;
mod merged;
mod nested_quotients;
mod prover;
#[cfg(test)]
mod tests;

pub use decide::Proved;
pub use join_accesses::merge;
pub use launch_choice::launches;
pub use prover::{Options, Proofs, Prover, Verdicts, analyse};
pub use smt::version as solver_version;
