//! cudalint: a static access-pattern analyser and linter for CUDA source.
//!
//! Modules are the stages of a pipeline (see ARCHITECTURE.md); each says what it
//! is given, what it gives, and what it does not know.

pub mod access;
pub mod cli;
pub mod config;
pub mod confirm;
pub mod contract;
pub mod disk;
pub mod finding;
pub mod fix;
pub mod fixture;
pub mod gpu;
pub mod host;
pub mod ir;
pub mod judge;
pub mod lower;
pub mod lsp;
pub mod nvrtc;
pub mod prove;
pub mod ptx;
pub mod report;
pub mod rules;
pub mod sema;
pub mod session;
pub mod sim;
pub mod source;
pub mod syntax;
pub mod term;
pub mod validate;
