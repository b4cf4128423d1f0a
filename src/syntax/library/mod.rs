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

const TORCH: Header = Header {
    path: "<cudalint>/torch.cuh",
    text: include_str!("torch.cuh"),
};

const CUB: Header = Header {
    path: "<cudalint>/cub.cuh",
    text: include_str!("cub.cuh"),
};

const GLM: Header = Header {
    path: "<cudalint>/glm.cuh",
    text: include_str!("glm.cuh"),
};

const OPENCV: Header = Header {
    path: "<cudalint>/opencv.cuh",
    text: include_str!("opencv.cuh"),
};

const COMPLEX: Header = Header {
    path: "<cudalint>/complex.cuh",
    text: include_str!("complex.cuh"),
};

const STANDARD: Header = Header {
    path: "<cudalint>/standard.cuh",
    text: include_str!("standard.cuh"),
};

const LIBCUDACXX: Header = Header {
    path: "<cudalint>/libcudacxx.cuh",
    text: include_str!("libcudacxx.cuh"),
};

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
        "cuda" if rest == "ptx" || rest.starts_with("std/") => Some(LIBCUDACXX),
        "thrust" => Some(LIBCUDACXX),
        "torch" | "ATen" | "c10" | "THC" => Some(TORCH),
        "cub" => Some(CUB),
        "glm" => Some(GLM),
        "opencv2" => Some(OPENCV),
        _ => None,
    }
}

/// Whether the file at a path is one of these texts.
#[must_use]
pub fn is_one(path: &std::path::Path) -> bool {
    path.starts_with(FOLDER)
}
