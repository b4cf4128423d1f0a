//! Every test that looks at the tool from outside, as one binary.
//!
//! Fixtures are judged by what the analysis says (`fixtures`), by what the simulator counts
//! (`oracle`) and by what a GPU counted (`measured`); `fixes` runs what is offered; `rules`, `cli`, `companions`,
//! `adoption`, `docs`, `examples`, `packaging` and `tidy` hold pages, commands and the source tree to their word.

mod adoption;
mod certificates;
mod cli;
mod companions;
mod compiled;
mod docs;
mod examples;
mod fixes;
mod fixtures;
mod followed;
mod generated;
mod hostile;
mod judge;
mod libraries;
mod lsp;
mod measured;
mod nvrtc;
mod oracle;
mod packaging;
mod parts;
mod patterns;
mod rules;
mod shards;
mod sums;
mod support;
mod tidy;
mod witnesses;
