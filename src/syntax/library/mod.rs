//! Headers of well-known libraries, as far as their device code decides accesses.
//!
//! Given the name that an `#include` asks for, where the search path does not have it, gives a text that is
//! read in its place. Each text lays out what kernels hold and moves what the library moves, access for
//! access; what it leaves out stays a name without a definition. Accesses in such a text stand at the call.

/// Where these texts stand: no path of a file system.
const FOLDER: &str = "<cudalint>";

/// A text that is read in place of headers.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    pub path: &'static str,
    pub text: &'static str,
}

/// One of the texts beside this file.
macro_rules! header {
    ($name:literal) => {
        Header {
            path: concat!("<cudalint>/", $name),
            text: include_str!($name),
        }
    };
}

const TORCH: Header = header!("torch.cuh");
const CUB: Header = header!("cub.cuh");
const GLM: Header = header!("glm.cuh");
const OPENCV: Header = header!("opencv.cuh");
const COMPLEX: Header = header!("complex.cuh");
const STANDARD: Header = header!("standard.cuh");
const RAFT: Header = header!("raft.cuh");
const LIBCUDACXX: Header = header!("libcudacxx.cuh");
const CUTLASS: Header = header!("cutlass.cuh");

/// Headers of the standard library that bring its small classes with them.
const WITH_STANDARD: &[&str] = &[
    "algorithm",
    "array",
    "functional",
    "map",
    "memory",
    "optional",
    "span",
    "string",
    "tuple",
    "type_traits",
    "unordered_map",
    "utility",
    "vector",
];

/// Headers of the toolkit that bring `cuComplex.h` with them, and that itself.
const WITH_COMPLEX: &[&str] = &[
    "cuComplex.h",
    "cublas.h",
    "cublasLt.h",
    "cublasXt.h",
    "cublas_v2.h",
    "cufft.h",
    "cufftXt.h",
    "cusolverDn.h",
    "cusolverSp.h",
    "cusparse.h",
    "cusparse_v2.h",
];

/// What is read in place of the header of this name.
#[must_use]
pub fn header(name: &str) -> Option<Header> {
    if WITH_COMPLEX.contains(&name) {
        return Some(COMPLEX);
    }
    if WITH_STANDARD.contains(&name) {
        return Some(STANDARD);
    }
    let (folder, rest) = name.split_once('/')?;
    match folder {
        "cuda" if matches!(rest, "ptx" | "cmath") || rest.starts_with("std/") => Some(LIBCUDACXX),
        "thrust" => Some(LIBCUDACXX),
        "torch" | "ATen" | "c10" | "THC" => Some(TORCH),
        "cub" => Some(CUB),
        "cutlass" | "cute" => Some(CUTLASS),
        "glm" => Some(GLM),
        "raft" => Some(RAFT),
        "opencv2" => Some(OPENCV),
        _ => None,
    }
}

/// A header that a text leaves to whoever includes it: it names what that declares, and declares none of it.
#[must_use]
pub fn named_before(text: &str) -> Option<&'static str> {
    // One text stands for the headers of both.
    const SPACES: [&str; 2] = ["cutlass", "cute"];
    let is_named = |space: &&str| {
        let mut all = text.match_indices(*space);
        all.any(|(at, _)| {
            let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            let before = text[..at].chars().next_back();
            let after = &text[at + space.len()..];
            !before.is_some_and(is_word) && after.trim_start().starts_with("::")
        })
    };
    let is_declared = |space: &&str| {
        let head = format!("namespace {space}");
        let mut all = text.match_indices(&head);
        all.any(|(at, _)| !text[..at].trim_end().ends_with("using"))
    };
    let is_missing = SPACES.iter().any(is_named) && !SPACES.iter().any(is_declared);
    is_missing.then_some("cutlass/cutlass.h")
}

/// Whether the file at a path is one of these texts.
#[must_use]
pub fn is_one(path: &std::path::Path) -> bool {
    // Every group asks this of every file of the run: nearly all differ in the first bytes.
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.starts_with(FOLDER.as_bytes()) && path.starts_with(FOLDER)
}
