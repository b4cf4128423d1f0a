//! Validation: predictions beside what a real GPU's counters say.
//!
//! Given: a plan (kernels with launches and arguments). Gives: a measurement, and the
//! comparison of a measurement with predictions. Three separable steps: the plan and one
//! binary can travel to another machine, a measurement comes back.
//! Does not know: CUDA source beyond its text, the analyser, or the simulator: predictions
//! come in as totals per line.

pub mod compare;
pub mod counters;
pub mod device;
pub mod instructions;
pub mod measurement;
pub mod ncu;
pub mod patterns;
pub mod plan;
pub mod probes;
pub mod run;
