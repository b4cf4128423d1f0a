//! nvcc's flags among ours.
//!
//! Given arguments, gives those that we know: flags that change what the text
//! means (`-D`, `-I`, `-include`, `-arch=…`) in our form, the others left out. An
//! argument that is neither nvcc's nor ours stays, so that it is reported.

use crate::disk::{self, MOST_SETTINGS};
use crate::gpu::Arch;
use crate::session::Flags;
use std::path::Path;

/// nvcc's flags, without hyphens, that take a value and say nothing about memory accesses.
/// Source: `nvcc --help` of CUDA 13.0, with a few of earlier releases and of host compilers.
#[rustfmt::skip]
const WITH_VALUE: [&str; 98] = [
    "L", "MF", "MQ", "MT", "O", "Ofast-compile", "Ofc", "Xarch_device", "Xarch_host",
    "Xarchive", "Xclang", "Xcudafe", "Xfatbin", "Xlinker", "Xnvlink", "Xptxas",
    "arbin", "archive-options", "archiver-binary", "brief-diag", "brief-diagnostics", "ccbin",
    "code", "compiler-bindir", "compress-mode", "create-pch", "cudadevrt",
    "cudafe-options", "cudart", "ddp", "device-stack-protector", "dependency-drive-prefix",
    "dependency-output", "dependency-target-name", "device-entity-has-hidden-visibility",
    "diag-error", "diag-suppress", "diag-warn", "dopt", "dp", "drive-prefix", "e", "entries",
    "fatbin-options", "fdevice-time-trace", "fmad", "frandom-seed", "ftemplate-backtrace-limit",
    "ftemplate-depth", "ftz", "gpu-code", "hls",
    "host-linker-script", "idp", "input-drive-prefix", "isysroot", "jtd", "jump-table-density",
    "keep-dir", "l", "ldir", "libdevice-directory", "library", "library-path", "linker-options",
    "m", "machine", "maxrregcount", "nvlink-options", "o", "odir", "opt-info", "optf",
    "optimization-info", "optimize", "options-file", "output-directory", "output-file",
    "pch-dir", "prec-div", "prec-sqrt", "ptxas-options", "qpp-config", "random-seed",
    "run-args", "sanitize", "split-compile", "split-compile-extended",
    "static-global-template-stub", "sysroot", "t", "target-dir", "target-directory",
    "threads", "time", "use-pch", "version-ident", "x",
];

/// Flags without a value, or with one joined on: `-lineinfo`, `--restrict`, `-keep=true`.
#[rustfmt::skip]
const ALONE: [&str; 120] = [
    "E", "G", "M", "MD", "MM", "MMD", "MP", "S", "W", "Wdefault-stream-launch",
    "Wext-lambda-captures-this", "Wmissing-launch-bounds", "Wno-deprecated-declarations",
    "Wno-deprecated-gpu-targets", "Wreorder", "allow-unsupported-compiler", "arch-ls",
    "astoolspatch", "aug-hls", "augment-host-linker-script", "c", "clean", "clean-targets",
    "code-ls", "compile", "compile-as-tools-patch", "cubin", "cuda", "cuda-path-ignore-env",
    "debug", "device-debug", "device-link",
    "device-w", "disable-warnings", "display-error-number", "dlink", "dlink-time-opt", "dlto",
    "dont-use-profile", "dryrun", "dw", "err-no", "ewp", "extensible-whole-program",
    "extra-device-vectorization", "fatbin", "fdevice-syntax-only", "fopenmp",
    "force-cl-env-setup", "forward-slash-prefix-opts", "forward-unknown-opts",
    "forward-unknown-to-host-compiler", "forward-unknown-to-host-linker", "g", "gen-opt-lto",
    "generate-dependencies", "generate-dependencies-with-compile",
    "generate-dependency-targets", "generate-line-info", "generate-nonsystem-dependencies",
    "generate-nonsystem-dependencies-with-compile", "host-relocatable-link",
    "instantiate-templates-in-pch", "jobserver", "keep", "keep-device-functions", "lib",
    "lineinfo", "link", "list-gpu-arch", "list-gpu-code", "lto", "ltoir", "m32", "m64",
    "minimal", "no-align-double", "no-compress", "no-device-link", "no-display-error-number",
    "no-err-no", "no-exceptions", "no-host-device-initializer-list",
    "no-host-device-move-forward", "nodlink", "noeh",
    "nohdinitlist", "nohdmoveforward", "noprof", "nostdinc", "nostdlib", "objdir-as-tempdir", "objtemp",
    "optix-ir", "orig-src-file-name", "orig-src-path-name", "pch", "pch-messages",
    "pch-verbose", "pg", "preprocess", "profile", "pthread", "ptx", "r", "reloc-ptx", "relocatable-link",
    "relocatable-ptx", "res-usage",
    "resource-usage", "restrict", "run", "save-temps", "shared", "source-in-ptx", "src-in-ptx",
    "static", "use-local-env", "use_fast_math", "w",
];

/// Beginnings of flags whose value is joined on, also those of host compilers.
const JOINED: [&str; 14] = [
    "-O",
    "-l",
    "-L",
    "-W",
    "-f",
    "-m",
    "-X",
    "-x",
    "-nostd",
    "-g",
    "--cuda-path",
    "--offload",
    "-rdynamic",
    "-pipe",
];

/// Values of nvcc's `-Werror`; a host compiler's `-Werror` has no value.
const ERRORS: [&str; 7] = [
    "all-warnings",
    "cross-execution-space-call",
    "default-stream-launch",
    "deprecated-declarations",
    "ext-lambda-captures-this",
    "missing-launch-bounds",
    "reorder",
];

/// A file of options that names another, and so on, is a circle beyond this.
const MOST_NESTED: usize = 8;

/// Puts the arguments that stand in a file where `--options-file FILE` stands: CMake keeps
/// folders of headers in one. Paths are relative to `directory`; only files that `may_read` admits are opened,
/// and no more than `left` bytes of them, each as often as it is named.
///
/// # Errors
/// One sentence about a file that cannot be read.
pub fn with_option_files(
    arguments: Vec<String>,
    directory: &Path,
    may_read: &dyn Fn(&Path) -> bool,
    left: &mut u64,
) -> Result<Vec<String>, String> {
    fn expand(
        arguments: Vec<String>,
        directory: &Path,
        may_read: &dyn Fn(&Path) -> bool,
        depth: usize,
        left: &mut u64,
        all: &mut Vec<String>,
    ) -> Result<(), String> {
        let mut rest = arguments.into_iter();
        while let Some(argument) = rest.next() {
            let (name, joined) = split(&argument);
            if depth >= MOST_NESTED || !["options-file", "optf"].contains(&name) {
                all.push(argument);
                continue;
            }
            let names = joined.map(str::to_owned).or_else(|| rest.next());
            for name in names.unwrap_or_default().split(',') {
                let file = directory.join(name);
                if !may_read(&file) {
                    return Err(format!("{name}: lies outside of the project"));
                }
                let text = disk::text(&file, MOST_SETTINGS.min(*left))
                    .map_err(|why| format!("{name}: the options cannot be read ({why})"))?;
                *left -= (text.len() as u64).max(1).min(*left);
                let words = shlex::split(&text)
                    .ok_or_else(|| format!("{name}: a quote is not closed; close it"))?;
                expand(words, directory, may_read, depth + 1, left, all)?;
            }
        }
        Ok(())
    }
    let mut all = Vec::new();
    expand(arguments, directory, may_read, 0, left, &mut all)?;
    Ok(all)
}

/// A flag's name without hyphens, and the value after `=`; no name where this is no flag.
fn split(argument: &str) -> (&str, Option<&str>) {
    let Some(flag) = argument.strip_prefix('-') else {
        return ("", None);
    };
    let flag = flag.strip_prefix('-').unwrap_or(flag);
    match flag.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (flag, None),
    }
}

/// The arguments without what only a compiler wants. Nothing after `--` is touched.
pub fn translate(arguments: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut generated: Vec<String> = Vec::new();
    let mut rest = arguments.into_iter().peekable();
    while let Some(argument) = rest.next() {
        // A compile command as it stands in a build log, also after `--`.
        let is_compiled = argument == "--" && rest.next_if(|word| is_compiler(word)).is_some();
        if is_compiled || is_compiler(&argument) {
            continue;
        }
        if argument == "--" {
            name_newest(&generated, &mut kept);
            kept.push(argument);
            kept.extend(rest);
            return kept;
        }
        let (name, joined) = split(&argument);
        let ours = match name {
            "include" if !argument.starts_with("--") => Some("--include"),
            "pre-include" => Some("--include"),
            "isystem" | "system-include" | "idirafter" | "iquote" | "include-path" => Some("-I"),
            "arch" if !argument.starts_with("--") => Some("--arch"),
            "gpu-architecture" => Some("--arch"),
            "define-macro" => Some("-D"),
            "undefine-macro" => Some("-U"),
            _ => None,
        };
        if matches!(name, "gencode" | "generate-code") {
            let value = joined.map(str::to_owned).or_else(|| rest.next());
            let parts = value.iter().flat_map(|value| value.split(','));
            let archs = parts.filter_map(|part| part.trim().strip_prefix("arch="));
            generated.extend(archs.map(str::to_owned));
            continue;
        }
        if let Some(macros) = macros_of(name, joined, &mut rest) {
            kept.extend(macros);
            continue;
        }
        if let Some(ours) = ours {
            let Some(value) = joined.map(str::to_owned).or_else(|| rest.next()) else {
                kept.push(argument);
                continue;
            };
            // `-arch=native` and `-arch=all` name no one architecture.
            if ours != "--arch" || value.starts_with("sm_") || value.starts_with("compute_") {
                kept.extend([ours.to_owned(), value]);
            }
        } else if name == "Werror" && joined.is_none() {
            let is_kind = |next: &String| next.split(',').all(|kind| ERRORS.contains(&kind));
            rest.next_if(is_kind);
        } else if WITH_VALUE.contains(&name) {
            if joined.is_none() {
                rest.next();
            }
        } else if ALONE.contains(&name)
            || JOINED.iter().any(|start| argument.starts_with(start))
            || is_number_of_threads(&argument)
        {
        } else {
            kept.push(argument);
        }
    }
    name_newest(&generated, &mut kept);
    kept
}

/// Of the architectures that code is generated for the newest one, where no other flag names one.
fn name_newest(generated: &[String], kept: &mut Vec<String>) {
    let known = generated
        .iter()
        .filter_map(|name| Some((Arch::parse(name).ok()?, name)));
    let newest = known.max_by_key(|(arch, _)| (arch.major, arch.minor));
    let is_named = kept.iter().any(|argument| argument.starts_with("--arch"));
    if let Some((_, name)) = newest.filter(|_| !is_named) {
        kept.extend(["--arch".to_owned(), name.clone()]);
    }
}

/// The macros that a flag defines which is no `-D` itself: the language standard, separate compilation, streams,
/// lambdas, and what is handed on to the host compiler, whose macros nvcc knows, too. Nothing where it is no such flag.
fn macros_of(
    name: &str,
    joined: Option<&str>,
    rest: &mut impl Iterator<Item = String>,
) -> Option<Vec<String>> {
    let mut value = || joined.map(str::to_owned).or_else(|| rest.next());
    let define = |macros: &[&str]| {
        let all = macros
            .iter()
            .flat_map(|one| ["-D".to_owned(), (*one).to_owned()]);
        Some(all.collect())
    };
    match name {
        "std" => {
            let value = value()?;
            let year = value.trim_start_matches("gnu++").trim_start_matches("c++");
            match year {
                "03" | "98" => define(&["__cplusplus=199711L"]),
                "11" | "0x" => define(&["__cplusplus=201103L"]),
                "14" | "1y" => define(&["__cplusplus=201402L"]),
                "20" | "2a" => define(&STANDARD_20),
                "23" | "2b" => {
                    let mut all = STANDARD_20;
                    all[0] = "__cplusplus=202302L";
                    define(&all)
                }
                _ => Some(Vec::new()),
            }
        }
        "rdc" | "relocatable-device-code" => match value()?.as_str() {
            "true" => define(&["__CUDACC_RDC__"]),
            _ => Some(Vec::new()),
        },
        "dc" | "device-c" => define(&["__CUDACC_RDC__"]),
        "default-stream" => match value()?.as_str() {
            "per-thread" => define(&["CUDA_API_PER_THREAD_DEFAULT_STREAM"]),
            _ => Some(Vec::new()),
        },
        "extended-lambda" | "expt-extended-lambda" => define(&["__CUDACC_EXTENDED_LAMBDA__"]),
        "expt-relaxed-constexpr" => define(&["__CUDACC_RELAXED_CONSTEXPR__"]),
        "Xcompiler" | "compiler-options" => {
            let value = value()?;
            let mut kept = Vec::new();
            for option in value.split([',', ' ']) {
                let is_macro = |flag: &str| option.len() > 2 && option.starts_with(flag);
                if is_macro("-D") || is_macro("-U") {
                    kept.extend([option[..2].to_owned(), option[2..].to_owned()]);
                }
            }
            Some(kept)
        }
        _ => None,
    }
}

/// What C++20 defines that C++17 does not, as far as code asks for it (C++ standard, [cpp.predefined]).
const STANDARD_20: [&str; 8] = [
    "__cplusplus=202002L",
    "__cpp_concepts=201907L",
    "__cpp_conditional_explicit=201806L",
    "__cpp_consteval=201811L",
    "__cpp_constinit=201907L",
    "__cpp_designated_initializers=201707L",
    "__cpp_generic_lambdas=201707L",
    "__cpp_impl_three_way_comparison=201907L",
];

/// A word that calls a compiler, such as `/usr/local/cuda/bin/nvcc`, and is no file to read.
pub fn is_compiler(word: &str) -> bool {
    let name = Path::new(word).file_stem().and_then(|name| name.to_str());
    let is_known = |name: &str| {
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
        ["nvcc", "clang++", "clang", "nvc++", "hipcc"].contains(&name)
    };
    name.is_some_and(is_known) && Path::new(word).extension().is_none_or(|e| e == "exe")
}

/// `-t4`
fn is_number_of_threads(argument: &str) -> bool {
    let number = argument.strip_prefix("-t").unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Effects of the arguments of one compilation on its text, and the newest architecture they name. Folders are
/// relative to `directory`.
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
        for line in [
            "check /usr/local/cuda/bin/nvcc -O3 -c a.cu",
            "check nvcc -O3 -dw a.cu",
            "check -- nvcc -O3 -c a.cu",
        ] {
            assert_eq!(run(line), "check a.cu", "{line}");
        }
        assert_eq!(run("nvcc -O3 -c a.cu"), "a.cu");
        assert_eq!(run("check nvcc.cu"), "check nvcc.cu");
        assert_eq!(run("check -- -odd.cu"), "check -- -odd.cu");
    }

    #[test]
    fn flags_of_every_kind_are_passed_over() {
        for line in [
            "--ptxas-options=-v -Xptxas -O3,-v -Xptxas=-v -Xcompiler=-fPIC,-Wall",
            "--relocatable-device-code=false -rdc false -dlto -ewp",
            "--ftz=true -ftz true -prec-div=false -fmad false -use_fast_math --use_fast_math",
            "-Werror all-warnings -Werror=reorder,cross-execution-space-call -Wno-unused -w",
            "--threads 0 -t4 -t=0 --split-compile=0 --maxrregcount=64 -maxrregcount 64",
            "-diag-suppress 177,20012 --diag-suppress=550 --display-error-number -res-usage",
            "-keep --keep-dir=tmp -MD -MF a.d -MT a.o -ccbin=g++ --compiler-bindir g++ -time out.csv",
            "--default-stream legacy -default-stream=legacy --resource-usage -src-in-ptx",
            "-m64 -march=native -O3 -O 3 -lcudart -L/usr/lib -L lib -x cu -xcu -std c++17 --std=c++17",
            "-forward-unknown-to-host-compiler -pthread",
            "-arch=native -arch all --cudart=shared -lineinfo -g -G -g3 -o a.o -odir out --compile",
        ] {
            assert_eq!(run(&format!("{line} a.cu")).trim_start(), "a.cu", "{line}");
        }
        assert_eq!(run("-Werror a.cu"), "a.cu");
    }

    #[test]
    fn flags_that_define_macros_are_definitions() {
        for (line, macros) in [
            ("-dc", "-D __CUDACC_RDC__"),
            ("-rdc=true", "-D __CUDACC_RDC__"),
            ("--relocatable-device-code true", "-D __CUDACC_RDC__"),
            (
                "--default-stream per-thread",
                "-D CUDA_API_PER_THREAD_DEFAULT_STREAM",
            ),
            ("--extended-lambda", "-D __CUDACC_EXTENDED_LAMBDA__"),
            (
                "--expt-relaxed-constexpr",
                "-D __CUDACC_RELAXED_CONSTEXPR__",
            ),
            ("-std=c++14", "-D __cplusplus=201402L"),
            ("-Xcompiler -Wall,-DN=4 -Xcompiler=-UM", "-D N=4 -U M"),
        ] {
            assert_eq!(
                run(&format!("{line} a.cu")),
                format!("{macros} a.cu"),
                "{line}"
            );
        }
        assert!(run("-std=gnu++20 a.cu").starts_with("-D __cplusplus=202002L -D __cpp_concepts"));
    }

    #[test]
    fn of_several_architectures_the_newest_is_meant() {
        let both =
            "-gencode=arch=compute_80,code=sm_80 --generate-code arch=compute_90a,code=sm_90a";
        assert_eq!(run(&format!("{both} a.cu")), "a.cu --arch compute_90a");
        assert_eq!(
            run(&format!("{both} -arch=sm_86 a.cu")),
            "--arch sm_86 a.cu"
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
        assert_eq!(
            run("-p build --include a.h --output sarif=o -"),
            "-p build --include a.h --output sarif=o -"
        );
        assert_eq!(run("-- -O3"), "-- -O3");
    }
}
