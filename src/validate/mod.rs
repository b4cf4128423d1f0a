//! Validation: predictions beside what a real GPU's counters say.
//!
//! Given: fixtures. Gives: a plan (kernels with launches and arguments), a measurement of it,
//! and the comparison of a measurement with predictions. Three separable steps: the plan and
//! one binary can travel to another machine, a measurement comes back. Only `fixtures`,
//! `predict` and `reconcile` know the analyser and the simulator; to `compare`, predictions
//! are totals per line.
//! Does not know: command lines.

pub mod application;
pub mod compare;
pub mod counters;
pub mod device;
pub mod fixtures;
pub mod instructions;
mod joins;
pub mod measurement;
pub mod ncu;
pub mod patterns;
pub mod plan;
pub mod predict;
pub mod prediction;
pub mod probes;
pub mod reconcile;
pub mod run;
pub mod shapes;
pub mod trace;

#[cfg(test)]
mod tests;
