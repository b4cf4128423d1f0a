//! `cudalint compile`: a compiler's launcher, which lints what the compiler compiles.
//!
//! Given a compile command, runs it as it stands, checks its CUDA sources with its flags meanwhile, and
//! prints what was found as compilers print warnings. The exit code is the compiler's; with `--fail`
//! the check comes first, and nothing is compiled where it finds something. A build does not fail for
//! trouble of the check itself.

use super::args::CompileArgs;
use super::{FINDINGS, complain_plainly, remark};
use crate::disk::MOST_SETTINGS;
use crate::session::input::{load, nvcc};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, ExitStatus, Output, Stdio};

/// What this program may be called to stand in front of a compiler, or in its place.
const NAME: &str = "cudalint-nvcc";
/// Options of `compile` where the name leaves no place for them.
const OPTIONS: &str = "CUDALINT_COMPILE_OPTIONS";
/// The compiler where the name stands in its place.
const COMPILER: &str = "CUDALINT_NVCC";

/// Phases that make no code, and questions.
const NO_CODE: [&str; 14] = [
    "-E",
    "--preprocess",
    "-M",
    "-MM",
    "--generate-dependencies",
    "--generate-nonsystem-dependencies",
    "-dryrun",
    "--dryrun",
    "--version",
    "-V",
    "--help",
    "-h",
    "--list-gpu-arch",
    "--list-gpu-code",
];

/// `cudalint-nvcc ARGUMENTS` as a call of this command; other calls as they are.
///
/// # Errors
/// One sentence about the variable with options.
pub fn as_called(arguments: Vec<OsString>) -> Result<Vec<OsString>, String> {
    let own = arguments.first().map(Path::new);
    if own.and_then(Path::file_stem) != Some(OsStr::new(NAME)) {
        return Ok(arguments);
    }
    let options = std::env::var(OPTIONS).unwrap_or_default();
    let options = shlex::split(&options)
        .ok_or_else(|| format!("{OPTIONS}: a quote is not closed; close it"))?;
    let mut all = vec![OsString::from("cudalint"), OsString::from("compile")];
    all.extend(options.into_iter().map(OsString::from));
    // CMake names the compiler, a build that calls this program in its place does not.
    let names_compiler = arguments
        .get(1)
        .is_some_and(|word| !word.to_string_lossy().starts_with('-') && !is_source(word));
    if !names_compiler {
        let compiler = std::env::var_os(COMPILER).filter(|name| !name.is_empty());
        all.push(compiler.unwrap_or_else(|| OsString::from("nvcc")));
    }
    all.extend(arguments.into_iter().skip(1));
    Ok(all)
}

/// Where the compiler stands: behind the options of this command.
pub fn compiler_at(arguments: &[OsString]) -> Option<usize> {
    let mut rest = arguments.iter().enumerate().skip(2);
    while let Some((at, word)) = rest.next() {
        match word.to_str() {
            Some("--format" | "--options") => drop(rest.next()),
            Some("--") => return Some(at),
            Some(option) if option.starts_with('-') => {}
            _ => return Some(at),
        }
    }
    None
}

/// # Errors
/// One sentence where the compiler does not start.
pub fn run(args: &CompileArgs) -> Result<u8, String> {
    let Some((compiler, rest)) = args.command.split_first() else {
        return Err(
            "the compiler is missing: `cudalint compile [OPTIONS] nvcc ARGUMENTS`".to_owned(),
        );
    };
    let fails = |error: std::io::Error| {
        let name = Path::new(compiler).display();
        format!("{name} does not start ({error})")
    };
    let mut command = Command::new(compiler);
    command.args(rest);
    let Some(mut check) = check(args, rest) else {
        return Ok(code(command.status().map_err(fails)?));
    };
    if args.fail {
        let found = check.output();
        let has_found = tell(found);
        if has_found {
            return Ok(FINDINGS);
        }
        return Ok(code(command.status().map_err(fails)?));
    }
    let mut running = command.spawn().map_err(fails)?;
    let found = check.output();
    let status = running.wait().map_err(fails)?;
    // Whose code does not compile has other worries.
    if status.success() {
        tell(found);
    }
    Ok(code(status))
}

/// How to check the sources of a compile command; nothing where it compiles no CUDA.
fn check(args: &CompileArgs, command: &[OsString]) -> Option<Command> {
    let words: Option<Vec<String>> = command
        .iter()
        .map(|word| word.to_str().map(str::to_owned))
        .collect();
    let mut left = MOST_SETTINGS;
    let words = match nvcc::with_option_files(words?, Path::new(""), &|_| true, &mut left) {
        Ok(words) => nvcc::translate(words),
        Err(problem) => {
            remark(&format!("not checked: {problem}"));
            return None;
        }
    };
    let makes_code = !command
        .iter()
        .any(|word| NO_CODE.iter().any(|flag| word == flag));
    if !makes_code || !words.iter().any(|word| is_source(OsStr::new(word))) {
        return None;
    }
    let mut check = Command::new(std::env::current_exe().ok()?);
    check.args(["check", "--jobs", "1", "--format", &args.format]);
    check.args(
        args.options
            .iter()
            .flat_map(|options| shlex::split(options))
            .flatten(),
    );
    // What is no source and no flag of ours is the linker's or the host compiler's.
    let mut rest = words.into_iter();
    while let Some(word) = rest.next() {
        let takes_value = ["-I", "-D", "-U", "--include", "--arch"].contains(&word.as_str());
        let is_joined = ["-I", "-D", "-U"].iter().any(|flag| word.starts_with(flag));
        if takes_value {
            check.arg(word).args(rest.next());
        } else if is_joined || is_source(OsStr::new(&word)) {
            check.arg(word);
        }
    }
    check.stdin(Stdio::null());
    Some(check)
}

fn is_source(word: &OsStr) -> bool {
    load::is_wanted(Path::new(word), false)
}

/// Prints what a check says where compilers do; whether it found something.
fn tell(checked: std::io::Result<Output>) -> bool {
    match checked {
        Ok(output) => {
            for text in [&output.stdout, &output.stderr] {
                complain_plainly(&String::from_utf8_lossy(text));
            }
            output.status.code() == Some(i32::from(FINDINGS))
        }
        Err(error) => {
            remark(&format!("not checked: {error}"));
            false
        }
    }
}

/// As shells give it.
fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(u8::MAX);
    }
    status
        .code()
        .map_or(u8::MAX, |code| u8::try_from(code).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(words: &[&str]) -> Vec<String> {
        let words = words.iter().map(OsString::from).collect();
        let all = as_called(words).expect("no options");
        all.into_iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn the_name_stands_before_a_compiler_or_in_its_place() {
        assert_eq!(called(&["cudalint", "a.cu"]), ["cudalint", "a.cu"]);
        assert_eq!(
            called(&["/x/cudalint-nvcc", "/cuda/nvcc", "-c", "a.cu"]),
            ["cudalint", "compile", "/cuda/nvcc", "-c", "a.cu"]
        );
        for rest in [["-c", "a.cu"], ["a.cu", "-c"]] {
            let all = called(&[&["cudalint-nvcc"][..], &rest].concat());
            assert_eq!(all, [&["cudalint", "compile", "nvcc"][..], &rest].concat());
        }
    }

    #[test]
    fn options_stand_before_the_compiler() {
        let at = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            compiler_at(&words)
        };
        assert_eq!(at("cudalint compile c++ -c @a.rsp"), Some(2));
        assert_eq!(
            at("cudalint compile --fail --options -q --format=gcc nvcc -c"),
            Some(6)
        );
        assert_eq!(at("cudalint compile --fail -- nvcc -c"), Some(3));
        assert_eq!(at("cudalint compile --help"), None);
    }

    #[test]
    fn only_what_compiles_cuda_is_checked() {
        let args = CompileArgs {
            fail: false,
            format: "gcc".to_owned(),
            options: None,
            command: Vec::new(),
        };
        let checked = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let command = check(&args, &words)?;
            let words = command.get_args().skip(5).map(OsStr::to_string_lossy);
            Some(words.collect::<Vec<_>>().join(" "))
        };
        assert_eq!(
            checked("-O3 -arch=sm_80 -I inc -DN=4 -Xcompiler -fPIC -c a.cu -o a.o").as_deref(),
            Some("--arch sm_80 -I inc -DN=4 a.cu")
        );
        assert_eq!(checked("-o app a.cu b.o -lm").as_deref(), Some("a.cu"));
        assert_eq!(checked("-o app a.o b.o"), None);
        assert_eq!(checked("-E a.cu"), None);
        assert_eq!(checked("-c a.cpp -o a.o"), None);
        assert_eq!(checked("--version"), None);
    }
}
