//! Every test that looks at the tool from outside, as one binary.
//!
//! Fixtures are judged by what the analysis says (`fixtures`) and by what the simulator
//! counts (`oracle`) and a GPU counted (`measured`); `rules`, `cli` and `tidy` hold pages, commands and the source tree
//! to their word.

mod cli;
mod fixtures;
mod generated;
mod measured;
mod oracle;
mod rules;
mod support;
mod tidy;
