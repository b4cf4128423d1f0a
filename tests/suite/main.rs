//! Every test that looks at the tool from outside, as one binary.
//!
//! Fixtures are judged by what the analysis says (`fixtures`) and by what the simulator
//! counts (`oracle`); `fixes` runs what is offered; `rules`, `cli`, `adoption`, `docs` and `tidy` hold pages, commands and the source tree
//! to their word.

mod adoption;
mod cli;
mod docs;
mod fixes;
mod fixtures;
mod generated;
mod lsp;
mod oracle;
mod rules;
mod support;
mod tidy;
