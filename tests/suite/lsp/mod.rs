//! The language server, as editors talk to it.
//!
//! `conversation` goes through every capability with real files, `rough` is what
//! clients should not do, `edits` compares the server's answers with cold analyses,
//! `neovim` runs a real editor.

mod conversation;
mod editor;
mod edits;
mod neovim;
mod rough;
