//! The language server, as editors talk to it.
//!
//! `conversation` goes through every capability with real files, `comments` through the
//! comments that actions put in, `workspace` through what lies around a file; `rough` is what
//! clients should not do, `edits` compares the server's answers with cold analyses, `neovim`
//! runs a real editor, `strangers` opens what means harm.

mod comments;
mod conversation;
mod editor;
mod edits;
mod neovim;
mod rough;
mod strangers;
mod workspace;
