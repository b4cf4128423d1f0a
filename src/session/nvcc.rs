//! nvcc's flags among ours.
//!
//! Given arguments, gives those that we know: flags that change what the text
//! means (`-D`, `-I`, `-include`, `-arch=…`) in our form, the others left out. An
//! argument that is neither nvcc's nor ours stays, so that it is reported.

use super::Flags;
use crate::gpu::Arch;
use std::path::Path;

/// nvcc flags that take the next argument and say nothing about memory accesses.
const WITH_VALUE: [&str; 54] = [
    "-o",
    "-x",
    "-std",
    "-L",
    "-l",
    "-O",
    "-ccbin",
    "-code",
    "-gencode",
    "-maxrregcount",
    "-Xcompiler",
    "-Xlinker",
    "-Xptxas",
    "-Xnvlink",
    "-Xarchive",
    "-Xcudafe",
    "-Xfatbin",
    "-MF",
    "-MT",
    "-MQ",
    "-m",
    "-t",
    "-ftz",
    "-prec-div",
    "-prec-sqrt",
    "-fmad",
    "-rdc",
    "-cudart",
    "-cudadevrt",
    "-odir",
    "-isysroot",
    "-target-dir",
    "-split-compile",
    "-diag-suppress",
    "-diag-error",
    "-diag-warn",
    "-Werror-value",
    "--output-file",
    "--std",
    "--optimize",
    "--library",
    "--library-path",
    "--compiler-bindir",
    "--gpu-code",
    "--generate-code",
    "--maxrregcount",
    "--compiler-options",
    "--linker-options",
    "--ptxas-options",
    "--relocatable-device-code",
    "--cudart",
    "--machine",
    "--threads",
    "--x",
];

/// nvcc and host compiler flags without a value.
const ALONE: [&str; 52] = [
    "-c",
    "-dc",
    "-dw",
    "-dlink",
    "-E",
    "-M",
    "-MM",
    "-MD",
    "-MMD",
    "-MP",
    "-S",
    "-ptx",
    "-cubin",
    "-fatbin",
    "-lib",
    "-link",
    "-run",
    "-g",
    "-G",
    "-pg",
    "-lineinfo",
    "-w",
    "-W",
    "-Wall",
    "-Wextra",
    "-Wno-deprecated-gpu-targets",
    "-pthread",
    "-fopenmp",
    "-fPIC",
    "-fpic",
    "-march=native",
    "-extra-device-vectorization",
    "-use_fast_math",
    "-restrict",
    "-keep",
    "-dryrun",
    "-expt-relaxed-constexpr",
    "-expt-extended-lambda",
    "-extended-lambda",
    "-shared",
    "-static",
    "--use_fast_math",
    "--expt-relaxed-constexpr",
    "--expt-extended-lambda",
    "--extended-lambda",
    "--compile",
    "--device-c",
    "--device-debug",
    "--debug",
    "--generate-line-info",
    "--restrict",
    "--shared",
];

/// Beginnings of flags whose value is joined on.
const JOINED: [&str; 22] = [
    "-std=",
    "--std=",
    "-O",
    "-l",
    "-L",
    "-W",
    "-f",
    "-m64",
    "-m32",
    "-march=",
    "-mtune=",
    "-gencode=",
    "--generate-code=",
    "-code=",
    "--gpu-code=",
    "-X",
    "-rdc=",
    "--relocatable-device-code=",
    "-maxrregcount=",
    "--maxrregcount=",
    "-cudart=",
    "-ccbin=",
];

/// The arguments without what only a compiler wants. Nothing after `--` is touched.
pub fn translate(arguments: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        if argument == "--" {
            kept.push(argument);
            kept.extend(rest);
            return kept;
        }
        let (name, joined) = match argument.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (argument.as_str(), None),
        };
        let ours = match name {
            "-include" | "--pre-include" => Some("--include"),
            "-isystem" | "--system-include" | "-idirafter" | "-iquote" | "--include-path" => {
                Some("-I")
            }
            "-arch" | "--gpu-architecture" => Some("--arch"),
            "--define-macro" => Some("-D"),
            "--undefine-macro" => Some("-U"),
            _ => None,
        };
        if let Some(ours) = ours {
            let Some(value) = joined.or_else(|| rest.next()) else {
                kept.push(argument);
                continue;
            };
            // `-arch=native` and `-arch=all` name no one architecture.
            if ours != "--arch" || value.starts_with("sm_") || value.starts_with("compute_") {
                kept.extend([ours.to_owned(), value]);
            }
        } else if WITH_VALUE.contains(&argument.as_str()) {
            rest.next();
        } else if ALONE.contains(&argument.as_str())
            || JOINED.iter().any(|start| argument.starts_with(start))
        {
        } else {
            kept.push(argument);
        }
    }
    kept
}

/// What the arguments of one compilation mean for its text, and the newest architecture they
/// name. Folders are relative to `directory`.
pub fn flags(arguments: &[String], directory: &Path) -> (Flags, Option<Arch>) {
    let mut flags = Flags::default();
    let mut arch: Option<Arch> = None;
    let mut newer = |name: &str| {
        if let Ok(found) = Arch::parse(name)
            && arch.is_none_or(|known| (known.major, known.minor) < (found.major, found.minor))
        {
            arch = Some(found);
        }
    };
    // Translation leaves out which code is generated, and that names architectures.
    for argument in arguments {
        let rest = argument.split("arch=").skip(1);
        for name in rest.filter(|_| argument.contains("arch=compute_")) {
            let end = name.find(|c: char| c != '_' && !c.is_alphanumeric());
            newer(&name[..end.unwrap_or(name.len())]);
        }
    }
    let mut rest = translate(arguments.to_vec()).into_iter();
    while let Some(argument) = rest.next() {
        let known = ["--include", "--arch", "-D", "-U", "-I"];
        let Some(flag) = known.iter().find(|flag| argument.starts_with(**flag)) else {
            continue;
        };
        let joined = argument[flag.len()..].trim_start_matches('=').to_owned();
        let value = if joined.is_empty() {
            rest.next().unwrap_or_default()
        } else {
            joined
        };
        match *flag {
            "-D" => flags.defines.push(define(&value)),
            "-U" => flags.undefines.push(value),
            "-I" => flags.includes.push(directory.join(value)),
            "--include" => flags.forced_includes.push(directory.join(value)),
            _ => newer(&value),
        }
    }
    (flags, arch)
}

/// `NAME` or `NAME=VALUE`.
pub fn define(text: &str) -> (String, Option<String>) {
    match text.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
        None => (text.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(line: &str) -> String {
        translate(line.split(' ').map(str::to_owned).collect()).join(" ")
    }

    #[test]
    fn a_compile_command_leaves_what_matters() {
        assert_eq!(
            run(
                "-O3 -std=c++17 -arch=sm_80 -DN=4 -I inc -include pre.h -Xcompiler -fPIC -lineinfo -c -o a.o a.cu"
            ),
            "--arch sm_80 -DN=4 -I inc --include pre.h a.cu"
        );
    }

    #[test]
    fn flags_of_one_compilation() {
        let line = "-forward-unknown-to-host-compiler -DN=4 -D M -Iinc -I/abs -isystem sys \
                    --generate-code=arch=compute_80,code=[sm_80] -gencode arch=compute_90,code=sm_90 -O3 -c a.cu";
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let (flags, arch) = flags(&arguments, Path::new("build"));
        assert_eq!(
            flags.defines,
            [
                ("N".to_owned(), Some("4".to_owned())),
                ("M".to_owned(), None)
            ]
        );
        let folders = ["build/inc", "/abs", "build/sys"].map(std::path::PathBuf::from);
        assert_eq!(flags.includes, folders);
        assert_eq!(arch.map(|arch| arch.to_string()).as_deref(), Some("sm_90"));
    }

    #[test]
    fn our_own_and_unknown_flags_stay() {
        assert_eq!(
            run("-v -q -j 4 --format json --bogus a.cu"),
            "-v -q -j 4 --format json --bogus a.cu"
        );
        assert_eq!(run("-- -O3"), "-- -O3");
    }
}
