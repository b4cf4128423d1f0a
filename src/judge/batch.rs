//! Many cases as one program of the machine's C++ compiler: which compiler that is, with which options
//! (`FLAGS`: the language standard, sanitizers) it reads them, and what became of its runs.

use super::assembly::annotated;
use super::bounded::{self, Deadline, Unjudged};
use super::case::{Case, Run, closing, has_word, is_word, split_commas, without_comments};
use super::trace::{self, Trace};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const SHIM: &str = include_str!("runtime/shim.hpp");
const RUNTIME: &str = include_str!("runtime/runtime.cpp");

/// Headers of the toolkit that the shim stands for.
const EMPTY_HEADERS: [&str; 14] = [
    "cuda_runtime.h",
    "cuda.h",
    "cuda_runtime_api.h",
    "device_launch_parameters.h",
    "device_functions.h",
    "vector_types.h",
    "vector_functions.h",
    "math_constants.h",
    "sm_20_atomic_functions.h",
    "cuda_profiler_api.h",
    "helper_cuda.h",
    "helper_functions.h",
    "crt/host_defines.h",
    "cuda_device_runtime_api.h",
];

const FLAGS: [&str; 18] = [
    "-std=c++17",
    "-O0",
    "-g1",
    "-w",
    "-fpermissive",
    "-Wno-narrowing",
    "-fno-exceptions",
    "-fno-omit-frame-pointer",
    "-fno-pie",
    "-fno-stack-protector",
    "-fsanitize=thread",
    // Guards of static variables would be atomics.
    "-fno-threadsafe-statics",
    "-fsanitize=undefined",
    "-fno-sanitize=shift-base,return,vptr,object-size",
    "-fsanitize-coverage=trace-pc",
    "-finstrument-functions",
    "-ftls-model=local-exec",
    "-fmax-errors=0",
];

/// A batch compiles in seconds, in some tens of them on a busy machine …
const LIMIT_OF_THE_COMPILER: Duration = Duration::from_secs(240);
/// … and its runs take less: the runtime stops each by itself.
const LIMIT_OF_RUNS: Duration = Duration::from_secs(300);
const COMPILER: &str = "the C++ compiler";

/// The compiler, and the runtime as it made it.
#[derive(Clone, Debug)]
pub struct Toolchain {
    compiler: String,
    folder: PathBuf,
}

impl Toolchain {
    pub fn find() -> Result<Self, String> {
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
        let version = Command::new(&compiler).arg("--version").output();
        let version = version.ok().filter(|output| output.status.success());
        let Some(version) = version else {
            return Err(format!(
                "no C++ compiler: `{compiler} --version` does not run; install g++ or set CXX"
            ));
        };
        let mut hasher = DefaultHasher::new();
        (SHIM, RUNTIME, FLAGS, &version.stdout).hash(&mut hasher);
        let name = format!("cudalint-judge-{:016x}", hasher.finish());
        let folder = std::env::temp_dir().join(name);
        let toolchain = Self { compiler, folder };
        toolchain.prepare()?;
        Ok(toolchain)
    }

    /// Builds the runtime, unless an earlier run has.
    fn prepare(&self) -> Result<(), String> {
        if self.folder.join("runtime.o").is_file() {
            return Ok(());
        }
        let fresh = scratch("runtime")?;
        write(&fresh.join("shim.hpp"), SHIM)?;
        write(&fresh.join("runtime.cpp"), RUNTIME)?;
        let headers = fresh.join("include");
        create(&headers.join("crt"))?;
        for header in EMPTY_HEADERS {
            write(&headers.join(header), "")?;
        }
        let mut command = Command::new(&self.compiler);
        command
            .current_dir(&fresh)
            .args([
                "-std=c++17",
                "-O2",
                "-fno-pie",
                "-fno-omit-frame-pointer",
                "-w",
                "-c",
            ])
            .args(["runtime.cpp", "-o", "runtime.o"]);
        let output = bounded::output(&mut command, LIMIT_OF_THE_COMPILER)
            .map_err(|failure| failure.of(COMPILER).to_string())?;
        if !output.status.success() {
            let complaint = String::from_utf8_lossy(&output.stderr);
            return Err(format!("the judge's runtime does not compile: {complaint}"));
        }
        // Whoever comes first wins; the others' is the same.
        if std::fs::rename(&fresh, &self.folder).is_err() {
            let _ = std::fs::remove_dir_all(&fresh);
        }
        Ok(())
    }
}

/// A new folder for temporary files, which nobody has prepared.
pub fn scratch(what: &str) -> Result<PathBuf, String> {
    use std::sync::atomic::{AtomicU64, Ordering};
    const TRIES: usize = 100;
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    let mut said = String::new();
    for _ in 0..TRIES {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("cudalint-judge-{what}-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        match builder.create(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) => said = format!("{}: {error}", folder.display()),
        }
    }
    Err(said)
}

fn create(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

pub fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// What came of a batch.
pub struct BatchRun {
    pub trace: Trace,
    /// Cases that the compiler rejects, with its first complaint.
    pub rejected: Vec<(usize, String)>,
}

/// Builds the cases in `folder` and does the runs, which name cases by their place.
pub fn execute(
    toolchain: &Toolchain,
    folder: &Path,
    cases: &[&Case],
    runs: &[(usize, Vec<Run>)],
    deadline: Deadline,
) -> Result<BatchRun, Unjudged> {
    let mut rejected: Vec<(usize, String)> = Vec::new();
    let mut attempts = 0;
    loop {
        let is_out = |at: usize| rejected.iter().any(|(other, _)| *other == at);
        let kept: Vec<usize> = (0..cases.len()).filter(|at| !is_out(*at)).collect();
        if kept.is_empty() {
            return Ok(BatchRun {
                trace: Trace::default(),
                rejected,
            });
        }
        match build(toolchain, folder, cases, &kept, deadline)? {
            Ok(()) => break,
            Err(complaints) => {
                let named = blamed(&complaints, cases.len());
                attempts += 1;
                if named.is_empty() || attempts > 6 {
                    if let [only] = kept[..] {
                        rejected.push((only, complaints));
                        continue;
                    }
                    let reason = format!("the batch does not compile: {complaints}");
                    return Err(Unjudged::Broken(reason));
                }
                rejected.extend(named);
            }
        }
    }
    let kept = runs
        .iter()
        .filter(|(at, _)| !rejected.iter().any(|(other, _)| other == at));
    let trace = run_built(folder, kept, DIGESTS, deadline)?;
    Ok(BatchRun { trace, rejected })
}

/// Does these runs again, with the program that [`execute`] built in `folder`: one whose outputs depend on
/// the order of threads ends as [`trace::Status::Racy`].
pub fn look_for_races(
    folder: &Path,
    runs: &[(usize, Vec<Run>)],
    deadline: Deadline,
) -> Result<Trace, Unjudged> {
    run_built(folder, runs.iter(), RACES, deadline)
}

/// Flags of a run, as the runtime reads them: nothing recorded but races, or a digest of the outputs.
const RACES: u32 = 1 | 4;
const DIGESTS: u32 = 2;

fn run_built<'a>(
    folder: &Path,
    runs: impl Iterator<Item = &'a (usize, Vec<Run>)>,
    flags: u32,
    deadline: Deadline,
) -> Result<Trace, Unjudged> {
    let mut input = String::new();
    for (at, runs) in runs {
        for (id, run) in runs.iter().enumerate() {
            let Launch3 { grid, block } = Launch3::of(run);
            let entry = if run.entry == usize::MAX {
                -1
            } else {
                run.entry as i64
            };
            let budget = if entry < 0 { 1_500_000 } else { 400_000 };
            let _ = write!(
                input,
                "{at} {entry} {id} {budget} {} {} {} {grid} {block} {} {}",
                run.data_mode,
                run.seed,
                flags,
                run.launch.shared,
                run.values.len()
            );
            for value in &run.values {
                let _ = write!(input, " {value}");
            }
            input.push('\n');
        }
    }
    let mut command = Command::new(folder.join("batch"));
    let limit = deadline.within_processor_time(LIMIT_OF_RUNS);
    let output = bounded::output_of(&mut command, input.into_bytes(), limit)
        .map_err(|failure| failure.of("a batch of runs"))?;
    let mut trace = trace::read(&output.stdout);
    // The runtime knows files by the numbers that the assembler's text has.
    let names = std::fs::read_to_string(folder.join("files")).unwrap_or_default();
    let names: Vec<Option<u32>> = names.lines().map(|line| line.parse().ok()).collect();
    for site in &mut trace.sites {
        site.file = names
            .get(site.file as usize)
            .copied()
            .flatten()
            .unwrap_or(u32::MAX);
    }
    Ok(trace)
}

struct Launch3 {
    grid: String,
    block: String,
}

impl Launch3 {
    fn of(run: &Run) -> Self {
        let say = |[x, y, z]: [u32; 3]| format!("{x} {y} {z}");
        Self {
            grid: say(run.launch.grid),
            block: say(run.launch.block),
        }
    }
}

/// The cases that complaints name.
fn blamed(complaints: &str, count: usize) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut seen = BTreeSet::new();
    for line in complaints.lines() {
        let is_error = ["error", "Error:", "required from"]
            .iter()
            .any(|word| line.contains(word));
        let Some(rest) = line.strip_prefix("judged_").filter(|_| is_error) else {
            continue;
        };
        let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let number = number.parse::<usize>().ok().filter(|at| *at < count);
        if let Some(at) = number.filter(|at| seen.insert(*at)) {
            out.push((at, line.to_owned()));
        }
    }
    out
}

fn build(
    toolchain: &Toolchain,
    folder: &Path,
    cases: &[&Case],
    kept: &[usize],
    deadline: Deadline,
) -> Result<Result<(), String>, Unjudged> {
    let run = |command: &mut Command| {
        let limit = deadline.within_processor_time(LIMIT_OF_THE_COMPILER);
        bounded::output(command, limit).map_err(|failure| failure.of(COMPILER))
    };
    let text = program(cases, kept);
    write(&folder.join("batch.cpp"), &text)?;
    // What exceptions cost is paid where they are used.
    let handlers = has_word(&text, "try").then_some("-fexceptions");
    let mut command = Command::new(&toolchain.compiler);
    command
        .current_dir(folder)
        .env("LC_ALL", "C")
        .args(FLAGS)
        .args(handlers)
        .arg("-I")
        .arg(&toolchain.folder)
        .arg("-I")
        .arg(toolchain.folder.join("include"))
        .args(["-S", "batch.cpp", "-o", "batch.s"]);
    let output = run(&mut command)?;
    if !output.status.success() {
        return Ok(Err(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let assembly = std::fs::read(folder.join("batch.s")).map_err(|error| error.to_string())?;
    let (assembly, files) = annotated(&String::from_utf8_lossy(&assembly));
    write(&folder.join("batch.s"), &assembly)?;
    write(&folder.join("files"), &files)?;
    let mut command = Command::new(&toolchain.compiler);
    command
        .current_dir(folder)
        .env("LC_ALL", "C")
        .args(["-no-pie", "batch.s"])
        .arg(toolchain.folder.join("runtime.o"))
        .args(["-lm", "-o", "batch"]);
    let output = run(&mut command)?;
    if !output.status.success() {
        return Ok(Err(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(Ok(()))
}

/// One translation unit: every case in a namespace of its own, its lines as they are.
fn program(cases: &[&Case], kept: &[usize]) -> String {
    let mut out = String::from("#include \"shim.hpp\"\n");
    let texts = kept.iter().map(|at| cases[*at].text.as_str());
    let headers: BTreeSet<String> = texts.flat_map(host_headers).collect();
    for header in headers {
        let _ = writeln!(
            out,
            "#if __has_include(<{header}>)\n#include <{header}>\n#endif"
        );
    }
    out.push_str("struct judge_entry { const char *kernel; void (*run)(); };\n");
    for at in kept {
        let case = cases[*at];
        let _ = writeln!(out, "namespace judged{at} {{\n#line 1 \"judged_{at}.cu\"");
        out.push_str(&with_std_outside(&for_compiler(&case.text), *at));
        let _ = writeln!(out, "\n}}\n#line 1 \"judged_{at}.calls\"");
        for line in case.text.lines() {
            let define = line.trim_start().strip_prefix('#').map(str::trim_start);
            let define = define.and_then(|rest| rest.strip_prefix("define"));
            if let Some(rest) = define {
                let name: String = rest
                    .trim_start()
                    .chars()
                    .take_while(|c| is_word(*c))
                    .collect();
                let _ = writeln!(out, "#undef {name}");
            }
        }
        entries(&mut out, case, *at);
    }
    tables(&mut out, cases, kept);
    out
}

/// Headers that a text includes and that g++ may have.
fn host_headers(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim_start);
    let names = lines.filter_map(|line| {
        let name = line.strip_prefix("#include")?.trim_start();
        let name = name.strip_prefix('<')?;
        Some(name.split('>').next().unwrap_or(""))
    });
    names
        .filter(|name| !EMPTY_HEADERS.contains(name))
        .map(str::to_owned)
        .collect()
}

/// What runs each kernel of a case, and its `main`.
fn entries(out: &mut String, case: &Case, at: usize) {
    let entries = case.entries();
    for (number, (kernel, template)) in entries.iter().enumerate() {
        let kernel = &case.kernels[*kernel];
        let arguments: Vec<String> = (0..kernel.parameters.len())
            .map(|index| format!("judge_any{{{index}}}"))
            .collect();
        let _ = writeln!(
            out,
            "JUDGE_QUIET static void judge_run_{at}_{number}() {{ using namespace judged{at}; judged{at}::{}{template}({}); }}",
            kernel.name,
            arguments.join(", ")
        );
    }
    let _ = write!(out, "static const judge_entry judge_entries_{at}[] = {{");
    for number in 0..entries.len() {
        let _ = write!(out, "{{\"\", judge_run_{at}_{number}}}, ");
    }
    out.push_str("{nullptr, nullptr}};\n");
    if case.has_main {
        let plain = without_comments(&case.text);
        let takes = plain.find("main").and_then(|found| {
            let open = found + plain[found..].find('(')?;
            let past = closing(&plain, open)?;
            Some(split_commas(&plain[open + 1..past - 1]).len() >= 2)
        });
        let call = if takes == Some(true) { "c, v" } else { "" };
        let _ = writeln!(
            out,
            "static int judge_main_{at}(int c, char **v) {{ return judged{at}::main({call}); }}"
        );
    }
}

/// The cases by number, for the runtime.
fn tables(out: &mut String, cases: &[&Case], kept: &[usize]) {
    out.push_str("#line 1 \"tables\"\nextern \"C\" {\n");
    let is_kept = |at: &usize| kept.contains(at);
    out.push_str("extern const judge_entry *const judge_entries[] = {");
    for at in 0..cases.len() {
        let text = if is_kept(&at) {
            format!("judge_entries_{at}, ")
        } else {
            "nullptr, ".into()
        };
        out.push_str(&text);
    }
    out.push_str("nullptr};\nextern int (*const judge_mains[])(int, char **) = {");
    for (at, case) in cases.iter().enumerate() {
        let has = is_kept(&at) && case.has_main;
        let text = if has {
            format!("judge_main_{at}, ")
        } else {
            "nullptr, ".into()
        };
        out.push_str(&text);
    }
    out.push_str("nullptr};\n}\n");
}

/// The text with the few words put otherwise that no header can explain; lines stay.
fn for_compiler(text: &str) -> String {
    let text = with_dynamic_shared(text);
    let text = text.replace("static __shared__", "__shared__");
    with_launches(&text)
}

/// What a case adds to `std` stands in that namespace itself, and sees the names of the case.
fn with_std_outside(text: &str, at: usize) -> String {
    const HEAD: &str = "namespace std {";
    let plain = without_comments(text);
    let (mut out, mut done) = (String::new(), 0);
    for (start, _) in plain.match_indices(HEAD) {
        let past = closing(&plain, start + HEAD.len() - 1);
        let Some(past) = past.filter(|_| start >= done) else {
            continue;
        };
        let inner = start + HEAD.len();
        let _ = write!(
            out,
            "{}}} {HEAD} using namespace judged{at};{}}} namespace judged{at} {{",
            &text[done..start],
            &text[inner..past - 1]
        );
        done = past;
    }
    out.push_str(&text[done..]);
    out
}

/// `extern __shared__ T s[];` becomes a reference to the runtime's array.
fn with_dynamic_shared(text: &str) -> String {
    let plain = without_comments(text);
    let mut out = String::new();
    let mut done = 0;
    for (at, _) in plain.match_indices("extern") {
        let Some(end) = plain[at..].find(';').map(|n| at + n) else {
            continue;
        };
        let declaration = &plain[at..end];
        if at < done || !has_word(declaration, "__shared__") {
            continue;
        }
        let Some(open) = declaration.find("[") else {
            continue;
        };
        let head = &declaration["extern".len()..open];
        let mut words = head.replace("__shared__", " ");
        for attribute in ["__align__", "alignas", "__attribute__"] {
            while let Some(found) = words.find(attribute) {
                let Some(past) = words[found..]
                    .find('(')
                    .and_then(|n| closing(&words, found + n))
                else {
                    break;
                };
                words.replace_range(found..past, " ");
            }
        }
        let words = words.trim_end();
        let split = words.rfind(|c: char| !is_word(c)).map_or(0, |n| n + 1);
        let (ty, name) = (words[..split].trim(), &words[split..]);
        let rest = &declaration[open..];
        let dimensions = rest.replacen("[]", "[262144]", 1);
        out.push_str(&text[done..at]);
        let breaks = "\n".repeat(text[at..end].matches('\n').count());
        let _ = write!(
            out,
            "{breaks}auto &{name} = *(judge_same<{ty}> (*){dimensions})judge_dynamic()"
        );
        done = end;
    }
    out.push_str(&text[done..]);
    out
}

/// `k<<<g, b>>>(a)` becomes a call of the runtime's launch.
fn with_launches(text: &str) -> String {
    let mut text = text.to_owned();
    let mut from = 0;
    while let Some(at) = without_comments(&text)[from..]
        .find("<<<")
        .map(|n| from + n)
    {
        let plain = without_comments(&text);
        let Some(config_end) = launch_end(&plain, at + 3) else {
            break;
        };
        let Some(open) = plain[config_end + 3..]
            .find('(')
            .map(|n| config_end + 3 + n)
        else {
            break;
        };
        let Some(past) = closing(&plain, open) else {
            break;
        };
        let start = callee_start(&plain, at);
        let callee = text[start..at].trim().to_owned();
        let config = text[at + 3..config_end].to_owned();
        let line = text[..start].matches('\n').count() + 1;
        let name: String = callee.split('<').next().unwrap_or("").trim().to_owned();
        let given = &text[open + 1..past - 1];
        let comma = if given.trim().is_empty() { "" } else { ", " };
        let call = format!(
            "judge_config(\"{name}\", {line}, {config}).run([&](auto &...judge_given) JUDGE_QUIET {{ {callee}(judge_given...); }}{comma}{given})"
        );
        from = start + call.len();
        text.replace_range(start..past, &call);
    }
    text
}

/// Where the `>>>` stands that closes a launch's configuration.
fn launch_end(plain: &str, from: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, c) in plain[from..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '>' if depth == 0 && plain[from + at..].starts_with(">>>") => return Some(from + at),
            _ => {}
        }
    }
    None
}

/// Where the expression starts that is launched: a name, with scopes and template arguments.
fn callee_start(plain: &str, end: usize) -> usize {
    let bytes = plain.as_bytes();
    let mut at = end;
    while at > 0 && bytes[at - 1].is_ascii_whitespace() {
        at -= 1;
    }
    if at > 0 && bytes[at - 1] == b'>' {
        let mut depth = 0;
        while at > 0 {
            at -= 1;
            match bytes[at] {
                b'>' => depth += 1,
                b'<' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    if at > 0 && bytes[at - 1] == b')' {
        let mut depth = 0;
        while at > 0 {
            at -= 1;
            match bytes[at] {
                b')' => depth += 1,
                b'(' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return at;
            }
        }
    }
    while at > 0 && (is_word(bytes[at - 1] as char) || bytes[at - 1] == b':') {
        at -= 1;
    }
    at
}
