//! The `cudalint` command; all of it is in [`cudalint::cli`].

use std::process::ExitCode;

/// Terms are many small objects: a third of a run's time went into the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cudalint::cli::main(std::env::args_os())
}
