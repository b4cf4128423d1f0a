//! The file system, as far as a repository from strangers may be trusted with it.
//!
//! Given paths, gives the bytes of regular files of bounded size, and puts files in place whole. Knows
//! nothing of what stands in them. Whoever opens a file goes through here, which a test holds the
//! others to.

pub mod bounds;
mod child;
pub mod private;
mod read;
mod write;

pub use child::{bound_memory, bound_processor_time, was_stopped};
pub use read::{Refusal, bytes, text};
pub use write::{Replacement, append, append_private, put, put_beside, replace};

/// Files of settings and records: configuration, baseline, options.
pub const MOST_SETTINGS: u64 = 16 << 20;
/// `compile_commands.json`: projects with many thousand files have large ones.
pub const MOST_DATABASE: u64 = 64 << 20;
