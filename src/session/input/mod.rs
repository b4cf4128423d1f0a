//! Inputs of an analysis: files, include folders, build commands, the repository.

pub mod compile_commands;
pub mod configured;
pub mod folders;
pub mod git;
mod git_folder;
pub(super) mod header_files;
pub mod load;
pub mod mentioned;
pub mod nvcc;
pub mod project_config;
pub mod unread_files;
