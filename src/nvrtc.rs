//! The one door to NVRTC without a GPU: finds the library and compiles text to PTX and machine code.
//!
//! The library is that of the folder or file that `CUDALINT_NVRTC` names, else that of the toolkit
//! (`CUDA_HOME`, `CUDA_PATH`, `/usr/local/cuda`), else the loader's. Its headers lie beside it.
#![allow(unsafe_code)]

use cudarc::nvrtc::sys;
use std::ffi::{CStr, CString, c_char};
use std::path::{Path, PathBuf};

/// Names the folder with the library, or the library.
pub const VARIABLE: &str = "CUDALINT_NVRTC";

/// NVRTC, ready to be called, and where its headers are.
#[derive(Clone, Debug)]
pub struct Compiler {
    pub version: String,
    pub includes: Vec<PathBuf>,
}

/// Result of compiling a text.
#[derive(Clone, Debug, Default)]
pub struct Output {
    pub ptx: String,
    /// Machine code, where an architecture was asked for that machines have (`sm_90`).
    pub cubin: Vec<u8>,
    /// The name in the PTX of each kernel expression asked for, in their order.
    pub names: Vec<Option<String>>,
}

impl Compiler {
    /// # Errors
    /// Where no library is found, with what to do about it.
    pub fn find() -> Result<Compiler, String> {
        let folder = folders()
            .into_iter()
            .find(|folder| !libraries(folder).is_empty());
        if let Some(folder) = &folder {
            // NVRTC loads its other part by name, which the loader knows once it is in memory.
            for library in libraries(folder) {
                load(&library)?;
            }
        }
        if !is_there() {
            return Err(format!(
                "the CUDA compiler library (libnvrtc) was not found: set {VARIABLE} to its folder, or put the toolkit's library folder on LD_LIBRARY_PATH (without a toolkit, `pip install nvidia-cuda-nvrtc` brings it)"
            ));
        }
        let version = version()?;
        let roots = folder.iter().filter_map(|folder| folder.parent());
        let includes =
            roots.flat_map(|root| ["include", "include/cccl"].map(|part| root.join(part)));
        Ok(Compiler {
            version,
            // Whole: the compiler may be called from another folder.
            includes: includes
                .filter_map(|folder| std::fs::canonicalize(folder).ok())
                .filter(|folder| folder.is_dir())
                .collect(),
        })
    }
}

/// Whether the loader finds the library, or has it already.
#[must_use]
pub fn is_there() -> bool {
    // SAFETY: loads a library and runs its constructors, as any use of it does.
    unsafe { sys::is_culib_present() }
}

/// `13.0`; the library is there.
///
/// # Errors
/// The library's words.
pub fn version() -> Result<String, String> {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both pointers are valid for the call.
    check(unsafe { sys::nvrtcVersion(&mut major, &mut minor) })?;
    Ok(format!("{major}.{minor}"))
}

/// Compiles `text`, which is called `name`, with all `kernels` that are asked for. The library is there.
///
/// # Errors
/// The compiler's complaints.
pub fn compile(
    name: &str,
    text: &str,
    options: &[String],
    kernels: &[String],
) -> Result<Output, String> {
    let (name, text) = (c_string(name)?, c_string(text)?);
    let options: Vec<CString> = options
        .iter()
        .map(|option| c_string(option))
        .collect::<Result<_, _>>()?;
    let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    let kernels: Vec<CString> = kernels
        .iter()
        .map(|kernel| c_string(kernel))
        .collect::<Result<_, _>>()?;
    let mut program = std::ptr::null_mut();
    // SAFETY: all strings live until the program is destroyed, which happens on every path.
    unsafe {
        check(sys::nvrtcCreateProgram(
            &mut program,
            text.as_ptr(),
            name.as_ptr(),
            0,
            std::ptr::null(),
            std::ptr::null(),
        ))?;
        let output = compile_program(program, &options, &kernels);
        check(sys::nvrtcDestroyProgram(&mut program))?;
        output
    }
}

/// # Safety
/// The program is alive; options are C strings that outlive the call.
unsafe fn compile_program(
    program: sys::nvrtcProgram,
    options: &[*const c_char],
    kernels: &[CString],
) -> Result<Output, String> {
    // SAFETY: as the caller promises; sizes are asked for before buffers are filled.
    unsafe {
        for kernel in kernels {
            check(sys::nvrtcAddNameExpression(program, kernel.as_ptr()))?;
        }
        let status = sys::nvrtcCompileProgram(program, options.len() as i32, options.as_ptr());
        if status != sys::nvrtcResult::NVRTC_SUCCESS {
            let mut size = 0;
            check(sys::nvrtcGetProgramLogSize(program, &mut size))?;
            let mut log = vec![0_u8; size.max(1)];
            check(sys::nvrtcGetProgramLog(program, log.as_mut_ptr().cast()))?;
            let log = String::from_utf8_lossy(&log);
            let log = log.trim_end_matches(['\0', '\n']);
            return Err(if log.is_empty() {
                check(status).err().unwrap_or_default()
            } else {
                log.to_owned()
            });
        }
        let mut names = Vec::new();
        for kernel in kernels {
            let mut lowered = std::ptr::null();
            let status = sys::nvrtcGetLoweredName(program, kernel.as_ptr(), &mut lowered);
            let is_known = status == sys::nvrtcResult::NVRTC_SUCCESS && !lowered.is_null();
            names.push(is_known.then(|| CStr::from_ptr(lowered).to_string_lossy().into_owned()));
        }
        let mut size = 0;
        check(sys::nvrtcGetPTXSize(program, &mut size))?;
        let mut ptx = vec![0_u8; size.max(1)];
        check(sys::nvrtcGetPTX(program, ptx.as_mut_ptr().cast()))?;
        let ptx = String::from_utf8_lossy(&ptx)
            .trim_end_matches('\0')
            .to_owned();
        let mut size = 0;
        check(sys::nvrtcGetCUBINSize(program, &mut size))?;
        let mut cubin = vec![0_u8; size];
        if size > 0 {
            check(sys::nvrtcGetCUBIN(program, cubin.as_mut_ptr().cast()))?;
        }
        Ok(Output { ptx, cubin, names })
    }
}

fn c_string(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| "a text holds a zero byte".to_owned())
}

fn check(status: sys::nvrtcResult) -> Result<(), String> {
    if status == sys::nvrtcResult::NVRTC_SUCCESS {
        return Ok(());
    }
    // SAFETY: NVRTC returns a static string for any value.
    let words = unsafe { CStr::from_ptr(sys::nvrtcGetErrorString(status)) };
    Err(words.to_string_lossy().into_owned())
}

/// Folders that may hold the library, best first.
fn folders() -> Vec<PathBuf> {
    let mut out = Vec::new();
    if let Some(named) = std::env::var_os(VARIABLE).map(PathBuf::from) {
        let folder = if named.is_file() {
            named.parent().map(Path::to_path_buf)
        } else {
            Some(named)
        };
        out.extend(folder);
    }
    let roots = ["CUDA_HOME", "CUDA_PATH"]
        .map(std::env::var_os)
        .into_iter()
        .flatten();
    let roots = roots
        .map(PathBuf::from)
        .chain([PathBuf::from("/usr/local/cuda")]);
    for root in roots {
        out.extend(["lib64", "lib"].map(|part| root.join(part)));
    }
    out
}

/// NVRTC's own parts in a folder, those first that others need.
fn libraries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut out: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let name = |path: &Path| {
        path.file_name()
            .map_or(String::new(), |name| name.to_string_lossy().into_owned())
    };
    out.retain(|path| {
        let name = name(path);
        name.starts_with("libnvrtc") && name.contains(".so") && !name.contains(".alt.")
    });
    out.sort_by_key(|path| (!name(path).contains("builtins"), name(path)));
    let has_compiler = out.iter().any(|path| name(path).starts_with("libnvrtc.so"));
    if has_compiler { out } else { Vec::new() }
}

#[cfg(target_os = "linux")]
fn load(library: &Path) -> Result<(), String> {
    use std::os::unix::ffi::OsStrExt as _;
    unsafe extern "C" {
        fn dlopen(name: *const c_char, flags: i32) -> *mut std::ffi::c_void;
    }
    const NOW_AND_FOR_ALL: i32 = 0x2 | 0x100;
    let name = CString::new(library.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    // SAFETY: the name is a C string; the library stays loaded to the end of the process.
    let handle = unsafe { dlopen(name.as_ptr(), NOW_AND_FOR_ALL) };
    if handle.is_null() {
        return Err(format!("{} cannot be loaded", library.display()));
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn load(_library: &Path) -> Result<(), String> {
    Ok(())
}
