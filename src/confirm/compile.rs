//! One file's machine code, in a process of its own: a compiler that hangs or breaks down on a file is a
//! reason, no end of the run.

use super::machine_code::{self, MachineAccess};
use crate::disk::bounds::Bounds;
use crate::gpu::Arch;
use crate::judge::vendor::{self, bounded};
use crate::nvrtc::Compiler;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Seconds of wall-clock time that the compiler may take for a file.
const LIMIT: Duration = Duration::from_secs(60);
/// Templates can make a compiler need any amount; a file that needs more is said not to compile.
const MOST_MEMORY: u64 = 4 << 30;

/// Input of a compilation.
#[derive(Clone, Debug)]
pub struct Request {
    pub file: PathBuf,
    pub includes: Vec<PathBuf>,
    pub arch: Arch,
    /// Name and template arguments, `sum<float, 4>`.
    pub kernels: Vec<String>,
}

/// Result of a compilation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Compiled {
    /// Of the compiler.
    pub version: String,
    /// The function of each kernel asked for, in their order; `None` where it did not compile.
    pub functions: Vec<Option<String>>,
    pub accesses: Vec<MachineAccess>,
    /// The compiler's last complaint.
    pub complaint: String,
}

/// Starts this program anew for the file.
///
/// # Errors
/// Why there is no machine code, in words.
pub fn apart(request: &Request) -> Result<Compiled, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args([
        "judge",
        "--nvrtc",
        "--machine-code",
        &request.arch.to_string(),
    ]);
    for include in &request.includes {
        command.arg("-I").arg(include);
    }
    for kernel in &request.kernels {
        command.arg("--kernel").arg(kernel);
    }
    command.arg("--").arg(&request.file);
    let limit = bounded::Limit::from(LIMIT).with_memory(MOST_MEMORY);
    let output = bounded::output(&mut command, limit).map_err(|failure| failure.to_string())?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).map_err(|_| match output.status.code() {
        Some(_) => {
            let last = complaint.lines().last().unwrap_or("it says nothing");
            last.trim_start_matches("error: ").to_owned()
        }
        None => format!("the compiler breaks down ({})", output.status),
    })
}

/// Compiles in this process.
///
/// # Errors
/// Where there is no compiler, the file cannot be read, or none of the kernels compiles.
pub fn here(request: &Request) -> Result<Compiled, String> {
    let compiler = Compiler::find()?;
    let folder = vendor::scratch("code")?;
    let compiled = of_file(request, &compiler, &folder);
    // What is left behind is in the folder for temporary files.
    let _ = std::fs::remove_dir_all(&folder);
    compiled
}

fn of_file(request: &Request, compiler: &Compiler, folder: &Path) -> Result<Compiled, String> {
    let path = std::fs::canonicalize(&request.file)
        .map_err(|error| format!("{}: {error}", request.file.display()))?;
    let includes = vendor::includes(&request.includes, &path);
    // The source may come from a stranger, and what it includes stands in complaints.
    let mut bounds = Bounds::toolkit();
    bounds.add_input(&path);
    request.includes.iter().for_each(|one| bounds.add_code(one));
    let may_read = |file: &Path| bounds.admit(file);
    let mut project =
        vendor::Project::read(&path, &includes, &compiler.includes, folder, &may_read)?;
    project.hold();
    let mut expressions = Vec::new();
    let mut places = vec![None; request.kernels.len()];
    for (kernel, place) in request.kernels.iter().zip(&mut places) {
        let (name, instance) = kernel.split_at(kernel.find('<').unwrap_or(kernel.len()));
        let known = project.kernels.iter();
        let mut known = known.filter(|one| one.name == name || one.path == name);
        if let Some(known) = known.next() {
            *place = Some(expressions.len());
            expressions.push(format!("{}{instance}", known.path));
        }
    }
    if expressions.is_empty() {
        return Err("the file has no such kernel".to_owned());
    }
    let flags = [
        format!("--gpu-architecture={}", request.arch),
        "-lineinfo".to_owned(),
    ];
    let (output, complaint) =
        vendor::build(compiler, &mut project, &expressions, &flags, (None, false))?;
    let functions = places.into_iter();
    Ok(Compiled {
        version: compiler.version.clone(),
        functions: functions
            .map(|at| output.names.get(at?).cloned().flatten())
            .collect(),
        accesses: machine_code::accesses(&output.cubin)?,
        complaint,
    })
}
