//! `cudalint merge`: reports of parts of a run as one.

use super::args::MergeArgs;
use super::{CLEAN, FINDINGS, print, write_file};
use crate::disk;
use crate::report::merge;
use serde_json::Value;
use std::path::Path;

/// Bytes of a report: that of a large project has many thousand findings.
const MOST_REPORT: u64 = 1 << 30;

/// # Errors
/// One sentence.
pub fn run(args: &MergeArgs) -> Result<u8, String> {
    let read = |path: &Path| -> Result<(String, Value), String> {
        let name = path.display().to_string();
        let bytes = disk::bytes(path, MOST_REPORT).map_err(|why| format!("{name}: {why}"))?;
        let value = serde_json::from_slice(&bytes).map_err(|why| format!("{name}: {why}"))?;
        Ok((name, value))
    };
    let reports: Result<Vec<(String, Value)>, String> =
        args.reports.iter().map(|path| read(path)).collect();
    let merged = merge::merge(&reports?)?;
    let code = match &args.output {
        Some(path) => write_file(path, merged.text.as_bytes()).map(|()| CLEAN)?,
        None => print(&merged.text),
    };
    let fails = merged.fails && !args.exit_zero;
    Ok(code.max(if fails { FINDINGS } else { CLEAN }))
}
