//! The command `judge`: which program is judged, and from which seed on.

use super::args::JudgeArgs;
use super::progress;
use super::{CLEAN, FINDINGS};
use crate::confirm::compile;
use crate::gpu::Arch;
use crate::judge::{self, End, Options, vendor};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// Exit code of a run of generated files that found nothing, but did not judge all of them.
const PARTIAL: u8 = 3;

/// Names the program whose verdicts are judged, where it is not this one.
const BINARY: &str = "CUDALINT_BIN";

pub fn run(args: JudgeArgs) -> Result<u8, String> {
    let binary = match std::env::var_os(BINARY) {
        Some(path) => PathBuf::from(path),
        None => std::env::current_exe()
            .map_err(|error| format!("this program cannot be found ({error})"))?,
    };
    let clock = SystemTime::now().duration_since(UNIX_EPOCH);
    let fresh = clock.map_or(1, |time| time.as_nanos() as u64 % 1_000_000_007);
    if let Some(arch) = &args.machine_code {
        let Some(file) = args.files.first() else {
            return Err("no file".to_owned());
        };
        let compiled = compile::here(&compile::Request {
            file: file.clone(),
            includes: args.includes,
            arch: Arch::parse(arch)?,
            kernels: args.kernel,
        })?;
        let text = serde_json::to_string(&compiled).map_err(|error| error.to_string())?;
        return Ok(super::print(&text));
    }
    if args.nvrtc {
        let is_clean = vendor::run(&vendor::Options {
            binary,
            paths: args.files,
            includes: args.includes,
            seed: args.seed.unwrap_or(fresh),
            turns: args.runs,
            jobs: args.jobs,
            seconds_a_file: args.limit,
            seconds: args.seconds,
            fixes: args.fixes,
            alone: args.alone,
            verbose: args.verbose,
        })?;
        return Ok(if is_clean { CLEAN } else { FINDINGS });
    }
    // A long run that is stopped prints what it found so far.
    let deadline = if args.files.is_empty() {
        judge::Deadline::when(progress::raised_by_signal())
    } else {
        judge::Deadline::NEVER
    };
    let end = judge::run(&Options {
        binary,
        files: args.files,
        seed: args.seed.unwrap_or(fresh),
        seconds: if args.cases.is_some() {
            0
        } else {
            args.seconds.unwrap_or(60)
        },
        deadline,
        cases: args.cases.unwrap_or(0),
        runs: args.runs,
        jobs: args.jobs,
        only: args.only,
        without: args.without,
        finds: args.finds,
        as_generated: args.as_generated,
        verbose: args.verbose,
    })?;
    Ok(match end {
        End::Clean => CLEAN,
        End::Finds => FINDINGS,
        End::Partial => PARTIAL,
    })
}
