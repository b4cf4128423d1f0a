//! nvcc's flags among ours.
//!
//! Given arguments, gives those that we know: flags that change what the text
//! means (`-D`, `-I`, `-include`, `-arch=…`) in our form, the others left out. An
//! argument that is neither nvcc's nor ours stays, so that it is reported.

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
    fn our_own_and_unknown_flags_stay() {
        assert_eq!(
            run("-v -q -j 4 --format json --bogus a.cu"),
            "-v -q -j 4 --format json --bogus a.cu"
        );
        assert_eq!(run("-- -O3"), "-- -O3");
    }
}
