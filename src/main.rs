//! The `cudalint` command; all of it is in [`cudalint::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    cudalint::cli::main(std::env::args_os())
}
