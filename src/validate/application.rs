//! Runs a program under Nsight Compute and reads what it counted.
//!
//! Given: a program with its arguments, and which of its launches are wanted. Gives: the rows of
//! each launch, with its shape. Does not know: predictions.
//!
//! The profiler writes a report of its own and is then asked for two pages of it, so that nothing
//! that the program prints can be taken for a count.

use super::ncu;
use super::reconcile::{self, Profiled};
use super::shapes;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// The program to run, and the kernels to count.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// Nsight Compute's command, as [`find`] gives it.
    pub ncu: &'a Path,
    /// The program and its arguments.
    pub program: &'a [OsString],
    /// Only kernels of this name, or `regex:…`.
    pub kernel: Option<&'a str>,
    /// So many launches of each kernel; all of them if not given.
    pub launches: Option<u32>,
    /// The report that the profiler writes.
    pub report: &'a Path,
}

/// Result of the run.
#[derive(Debug)]
pub struct Run {
    pub profiled: Vec<Profiled>,
    /// Of the GPU, such as `sm_90`.
    pub arch: Option<String>,
    /// How the profiler ended, which is how the program did.
    pub status: ExitStatus,
}

/// Folders that hold the command where it is not on the PATH.
const USUAL: [&str; 2] = ["/usr/local/cuda/bin/ncu", "/opt/cuda/bin/ncu"];
/// Here installers of Nsight Compute put a folder for each version.
const VERSIONS: &str = "/opt/nvidia/nsight-compute";

/// Nsight Compute's command: what is given, else what the PATH has, else where installers put it.
///
/// # Errors
/// One sentence that says what to do.
pub fn find(given: Option<PathBuf>) -> Result<PathBuf, String> {
    let starts = |program: &Path| {
        let mut command = Command::new(program);
        let quiet = command
            .arg("--version")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    };
    if let Some(given) = given {
        return if starts(&given) {
            Ok(given)
        } else {
            Err(format!(
                "{}: no Nsight Compute starts there",
                given.display()
            ))
        };
    }
    let versions = std::fs::read_dir(VERSIONS).into_iter().flatten().flatten();
    let mut versions: Vec<PathBuf> = versions.map(|entry| entry.path().join("ncu")).collect();
    // The newest first.
    versions.sort();
    versions.reverse();
    let all = std::iter::once(PathBuf::from("ncu"))
        .chain(USUAL.map(PathBuf::from))
        .chain(versions);
    all.into_iter().find(|program| starts(program)).ok_or_else(|| {
        "Nsight Compute (ncu) is not on the PATH: install it (it comes with the CUDA toolkit), or name it with --ncu FILE"
            .to_owned()
    })
}

/// Which launches the profiler is to count. Invocations are counted for each kernel by itself.
fn selection(request: &Request) -> Vec<String> {
    match (request.kernel, request.launches) {
        (None, None) => Vec::new(),
        (Some(kernel), None) => vec!["--kernel-name".to_owned(), kernel.to_owned()],
        (kernel, Some(launches)) => {
            let kernel = kernel.unwrap_or("regex:.*");
            let numbers: Vec<String> = (1..=launches).map(|n| n.to_string()).collect();
            vec![
                "--kernel-id".to_owned(),
                format!("::{kernel}:{}", numbers.join("|")),
            ]
        }
    }
}

/// Runs the program; what it prints goes to the standard error.
///
/// # Errors
/// One sentence where nothing was counted, and what can be done.
pub fn measure(request: &Request) -> Result<Run, String> {
    let mut command = Command::new(request.ncu);
    command
        .args(["--force-overwrite", "--export"])
        .arg(request.report)
        .args(ncu::counted())
        .args(selection(request))
        .args(request.program)
        .stdout(Stdio::from(io::stderr()));
    let status = command
        .status()
        .map_err(|error| format!("{} does not start ({error})", request.ncu.display()))?;
    if !request.report.is_file() {
        return Err(format!(
            "Nsight Compute wrote no report ({status}): its lines above say why{}",
            match request.kernel {
                Some(kernel) => format!("; did a kernel `{kernel}` run?"),
                None => String::new(),
            }
        ));
    }
    let text = page(request, &ncu::SOURCE_PAGE)?;
    let mut profiled = reconcile::read(&text)?;
    let launched = shapes::read(&page(request, &["--page", "raw", "--csv"])?);
    reconcile::add_shapes(&mut profiled, &launched);
    Ok(Run {
        profiled,
        arch: launched.into_iter().find_map(|launch| launch.arch),
        status,
    })
}

/// A page of the report that the profiler wrote.
fn page(request: &Request, page: &[&str]) -> Result<String, String> {
    let output = Command::new(request.ncu)
        .arg("--import")
        .arg(request.report)
        .args(page)
        .args(["--print-units", "base"])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{} does not start ({error})", request.ncu.display()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let mut complaint = text.lines().chain(said.lines());
    let complaint = complaint.rfind(|line| !line.trim().is_empty());
    Err(format!(
        "Nsight Compute does not give its page: {}",
        complaint.unwrap_or("it says nothing").trim()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_are_chosen_for_each_kernel() {
        let request = |kernel, launches| Request {
            ncu: Path::new("ncu"),
            program: &[],
            kernel,
            launches,
            report: Path::new("r"),
        };
        assert_eq!(selection(&request(None, None)), [""; 0]);
        assert_eq!(selection(&request(Some("k"), None)), ["--kernel-name", "k"]);
        assert_eq!(
            selection(&request(None, Some(1))),
            ["--kernel-id", "::regex:.*:1"]
        );
        assert_eq!(
            selection(&request(Some("k"), Some(3))),
            ["--kernel-id", "::k:1|2|3"]
        );
    }
}
