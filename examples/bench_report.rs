//! How fast, beside what else could be run: one table from one machine in one run.
//!
//! `cargo run --release --example bench_report -- FOLDER…` reads every `.cu` and `.cuh` file below
//! the folders and measures, each in a process of its own: tree-sitter's bare parse of the files, and of
//! all that is read for them;
//! cudalint cold, with a warm cache, with one and two threads, and without asking Z3; clang-tidy and
//! cppcheck on the first files, where they are installed (`clang-tidy-19` and `cppcheck` in Debian);
//! cuxray on a probe kernel, with the compiler that it needs first (`pip install cuxray`; `nvcc` and
//! `nvdisasm` on the PATH). `CUDA_PATH` is where clang-tidy takes CUDA's headers from (19 knows those of
//! CUDA 12.1); without them it gives up at the first `#include <cuda.h>`, which the table says.
//! Then what an access costs as one file grows. What is not there is said to be so. Wall time is the
//! best of `--runs` (default 3); memory is the peak of the process, read while it runs (Linux).

use cudalint::session::input::load::{Request, load};
use cudalint::session::{self, Options};
use cudalint::source::SourceFile;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// That of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Files that the other linters are given: each is a process that takes about a second.
const FOREIGN_FILES: usize = 40;
/// What a foreign tool may take in all.
const PATIENCE: Duration = Duration::from_secs(180);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("--parse") => parse_only(&arguments[1..]),
        Some("--parse-listed") => parse_listed(&arguments[1..]),
        Some("--unproved") => unproved(&arguments[1..]),
        // What follows is a command line of cudalint.
        Some("--cudalint") => {
            return cudalint::cli::main(
                std::iter::once("cudalint".into()).chain(arguments[1..].iter().map(Into::into)),
            );
        }
        None | Some("--help") => {
            eprintln!("bench_report [--runs N] FOLDER…");
            return ExitCode::from(2);
        }
        _ => {
            let (runs, folders) = match arguments.as_slice() {
                [flag, runs, folders @ ..] if flag == "--runs" => {
                    (runs.parse().unwrap_or(3), folders)
                }
                folders => (3, folders),
            };
            report(runs, folders);
        }
    }
    ExitCode::SUCCESS
}

fn files(folders: &[String]) -> Vec<Arc<SourceFile>> {
    let paths: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
    load(Request {
        paths: &paths,
        ..Request::default()
    })
    .files
}

/// The floor under everything that parses: the grammar alone, one thread.
fn parse_only(folders: &[String]) {
    let files = files(folders);
    parse_all(files.iter().map(|file| Arc::clone(&file.text)));
}

/// The same for the files whose paths stand in a file, a line each.
fn parse_listed(list: &[String]) {
    let paths = std::fs::read_to_string(&list[0]).expect("this program wrote the list");
    let texts = paths.lines().filter_map(|path| std::fs::read(path).ok());
    parse_all(texts.map(|text| String::from_utf8_lossy(&text).into()));
}

/// The paths of all files that are read for those that are given: their headers, too.
fn with_headers(files: &[Arc<SourceFile>]) -> Vec<PathBuf> {
    let sources = session::read(files, &Options::default()).sources;
    let paths = sources.iter().map(|(_, file)| file.path.clone());
    let distinct: BTreeSet<PathBuf> = paths.filter(|path| path.is_file()).collect();
    distinct.into_iter().collect()
}

fn parse_all(texts: impl Iterator<Item = Arc<str>>) {
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(&tree_sitter_cuda::LANGUAGE.into())
        .expect("the grammar fits the library");
    let mut nodes = 0;
    for text in texts {
        if let Some(tree) = parser.parse(&*text, None) {
            nodes += tree.root_node().descendant_count();
        }
    }
    println!("{nodes}");
}

/// Everything but Z3, judged and reported as `check` does.
fn unproved(folders: &[String]) {
    let options = Options {
        asks_solver: false,
        ..Options::default()
    };
    let analysis = session::analyse(&files(folders), &options);
    println!("{}", analysis.accesses.len());
}

/// What one process took.
#[derive(Clone, Copy)]
struct Took {
    wall: Duration,
    /// Peak resident memory in KiB, where the system tells.
    memory: Option<u64>,
    /// How many processes ended with an error.
    errors: usize,
}

/// Runs a command to its end; `None` where it cannot be started or takes too long.
fn run(command: &mut Command) -> Option<Took> {
    let start = Instant::now();
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.ok()?;
    let status = format!("/proc/{}/status", child.id());
    let mut memory = None;
    let errors = loop {
        memory = peak(&status).or(memory);
        match child.try_wait() {
            Ok(Some(status)) => break usize::from(!status.success()),
            Ok(None) if start.elapsed() < PATIENCE => {}
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let wall = start.elapsed();
    Some(Took {
        wall,
        memory,
        errors,
    })
}

fn peak(status: &str) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The fastest of several runs, with the most memory of any.
fn best(runs: usize, mut command: impl FnMut() -> Command) -> Option<Took> {
    let mut best: Option<Took> = None;
    for _ in 0..runs.max(1) {
        let took = run(&mut command())?;
        best = Some(best.map_or(took, |best| Took {
            wall: best.wall.min(took.wall),
            memory: best.memory.max(took.memory),
            errors: best.errors.max(took.errors),
        }));
    }
    best
}

struct Table {
    /// What everything is compared with.
    floor: Option<Duration>,
}

impl Table {
    fn row(&self, name: &str, files: usize, took: Option<Took>) {
        let Some(took) = took else {
            println!("{name:44} {files:>6}   not there, or not done in {PATIENCE:?}");
            return;
        };
        let seconds = took.wall.as_secs_f64();
        let per_file = seconds * 1e3 / files.max(1) as f64;
        let memory = took
            .memory
            .map_or("?".to_owned(), |kib| format!("{} MiB", kib >> 10));
        let times = self.floor.map_or(String::new(), |floor| {
            format!("{:.2}x", seconds / floor.as_secs_f64())
        });
        let errors = match took.errors {
            0 => String::new(),
            n => format!("   {n} ended with an error"),
        };
        println!(
            "{name:44} {files:>6} {seconds:>9.3} s {per_file:>9.2} ms {memory:>9} {times:>8}{errors}"
        );
    }
}

#[expect(clippy::too_many_lines, reason = "one report")]
fn report(runs: usize, folders: &[String]) {
    let files = files(folders);
    let bytes: usize = files.iter().map(|file| file.text.len()).sum();
    let lines: usize = files.iter().map(|file| file.text.lines().count()).sum();
    println!(
        "{} files, {lines} lines, {:.1} MB; {} processors; best of {runs}\n",
        files.len(),
        bytes as f64 / 1e6,
        std::thread::available_parallelism().map_or(1, usize::from)
    );
    println!(
        "{:44} {:>6} {:>11} {:>12} {:>9} {:>8}",
        "", "files", "wall", "per file", "memory", "of parse"
    );
    let this = std::env::current_exe().expect("this program has a path");
    let own = |mode: &str, more: &[&str]| {
        let mut command = Command::new(&this);
        command.arg(mode).args(more).args(folders);
        command
    };
    let count = files.len();
    let floor = best(runs, || own("--parse", &[]));
    let table = Table {
        floor: floor.map(|took| took.wall),
    };
    table.row("tree-sitter's bare parse, one thread", count, floor);
    let read = with_headers(&files);
    let list = std::env::temp_dir().join(format!("cudalint-bench-{}.list", std::process::id()));
    let lines: String = read
        .iter()
        .map(|path| format!("{}\n", path.display()))
        .collect();
    if std::fs::write(&list, lines).is_ok() {
        table.row(
            "the same, with all headers that are read",
            read.len(),
            best(runs, || {
                let mut command = Command::new(&this);
                command.arg("--parse-listed").arg(&list);
                command
            }),
        );
        let _ = std::fs::remove_file(&list);
    }

    let cache = std::env::temp_dir().join(format!("cudalint-bench-{}", std::process::id()));
    let cache_dir = cache.display().to_string();
    let warm = ["check", "--exit-zero", "--cache-dir", &cache_dir];
    let cold = ["check", "--exit-zero", "--no-cache"];
    let with = |arguments: &[&str], jobs: &str| {
        let mut command = own("--cudalint", arguments);
        command.arg(jobs);
        command
    };
    table.row(
        "cudalint, cold",
        count,
        best(runs, || own("--cudalint", &cold)),
    );
    let _ = run(&mut own("--cudalint", &warm));
    table.row(
        "cudalint, warm",
        count,
        best(runs, || own("--cudalint", &warm)),
    );
    let _ = std::fs::remove_dir_all(&cache);
    table.row(
        "cudalint, cold, one thread",
        count,
        best(runs, || with(&cold, "-j1")),
    );
    table.row(
        "cudalint, cold, two threads",
        count,
        best(runs, || with(&cold, "-j2")),
    );
    table.row(
        "cudalint, without Z3",
        count,
        best(runs, || own("--unproved", &[])),
    );
    let stats = ["stats", "--no-cache"];
    table.row(
        "cudalint stats (no rules, no fixes)",
        count,
        best(runs, || own("--cudalint", &stats)),
    );

    foreign(&table, &files);
    cuxray(&table);
    growth();
}

/// Linters of C++ on the first files, a process each, as they are used.
fn foreign(table: &Table, files: &[Arc<SourceFile>]) {
    let some: Vec<&Path> = files
        .iter()
        .map(|file| file.path.as_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cu"))
        .take(FOREIGN_FILES)
        .collect();
    let this = std::env::current_exe().expect("this program has a path");
    // As many of the files as there is patience for, and how many those were.
    let sum = |one: &dyn Fn(&Path) -> Command| {
        let start = Instant::now();
        let (mut memory, mut errors, mut done) = (None, 0, 0);
        for path in &some {
            let Some(took) = run(&mut one(path)) else {
                break;
            };
            memory = memory.max(took.memory);
            errors += took.errors;
            done += 1;
            if start.elapsed() > PATIENCE {
                break;
            }
        }
        let wall = start.elapsed();
        let took = Took {
            wall,
            memory,
            errors,
        };
        (done, (done > 0).then_some(took))
    };
    println!("\nThe first {} .cu files, a process for each:", some.len());
    // A table of its own: the floor above is of all files.
    let table = Table {
        floor: table.floor.and(None),
    };
    let row = |name: &str, (done, took): (usize, Option<Took>)| table.row(name, done, took);
    row(
        "cudalint",
        sum(&|path| {
            let mut command = Command::new(&this);
            command
                .args(["--cudalint", "check", "--exit-zero", "--no-cache"])
                .arg(path);
            command
        }),
    );
    let headers = std::env::var("CUDA_PATH").map_or("-nocudainc".to_owned(), |path| {
        format!("--cuda-path={path}")
    });
    row(
        "clang-tidy-19 (performance-*, analyzer)",
        sum(&|path| {
            let mut command = Command::new("clang-tidy-19");
            command
                .args(["--quiet", "--checks=-*,performance-*,clang-analyzer-*"])
                .arg(path)
                .args([
                    "--",
                    "-x",
                    "cuda",
                    &headers,
                    "-nocudalib",
                    "--cuda-host-only",
                ]);
            command
        }),
    );
    row(
        "cppcheck (warning, performance)",
        sum(&|path| {
            let mut command = Command::new("cppcheck");
            command
                .args(["--quiet", "--language=c++", "--enable=warning,performance"])
                .arg(path);
            command
        }),
    );
}

const PROBE: &str = "__global__ void probe(float *o, const float *i, int n) {\n  __shared__ float s[32][32];\n  \
    s[threadIdx.y][threadIdx.x] = i[threadIdx.y * n + threadIdx.x];\n  __syncthreads();\n  \
    o[threadIdx.y * n + threadIdx.x] = s[threadIdx.x][threadIdx.y];\n}\n";

/// A tool that reads machine code: what it is given has to be compiled first.
fn cuxray(table: &Table) {
    println!("\nOne probe kernel:");
    let folder = std::env::temp_dir().join(format!("cudalint-probe-{}", std::process::id()));
    let (source, cubin) = (folder.join("probe.cu"), folder.join("probe.cubin"));
    if std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&source, PROBE))
        .is_err()
    {
        println!("no folder for the probe can be made");
        return;
    }
    let table = Table {
        floor: table.floor.and(None),
    };
    let this = std::env::current_exe().expect("this program has a path");
    table.row(
        "cudalint",
        1,
        best(3, || {
            let mut command = Command::new(&this);
            command
                .args(["--cudalint", "check", "--exit-zero", "--no-cache"])
                .arg(&source);
            command
        }),
    );
    table.row(
        "nvcc -cubin, which cuxray needs",
        1,
        best(1, || {
            let mut command = Command::new("nvcc");
            command
                .args(["-arch=sm_90", "-cubin", "-o"])
                .arg(&cubin)
                .arg(&source);
            command
        }),
    );
    table.row(
        "cuxray report",
        1,
        best(1, || {
            let mut command = Command::new("cuxray");
            command
                .args(["report", "--no-cache", "--threads", "32,32"])
                .arg(&cubin);
            command
        }),
    );
    let _ = std::fs::remove_dir_all(&folder);
}

/// A text with so many of something.
type Shape = fn(usize) -> String;

/// What an access costs as one file grows, in each of the ways in which files do: no two kernels or
/// accesses are alike.
fn growth() {
    println!("\nOne file that grows, in this process, cold:");
    println!(
        "{:<36} {:>8} {:>10} {:>10} {:>14}",
        "", "", "accesses", "wall", "per access"
    );
    let shapes: [(&str, Shape); 4] = [
        ("kernels", |n| (0..n).map(kernel).collect()),
        ("kernels that differ in their names", |n| {
            (0..n).map(namesake).collect()
        }),
        ("kernels with functions and launches", |n| {
            (0..n).map(launched).collect()
        }),
        ("accesses of one kernel", |n| {
            let body: String = (0..n / 4).map(line).collect();
            format!(
                "__global__ void k(float *o, const float *i, int w) {{\n  __shared__ float s[4096];\n{body}}}\n"
            )
        }),
    ];
    for (name, shape) in shapes {
        for count in [100, 1_000, 10_000] {
            let text = shape(count);
            let start = Instant::now();
            let analysis = session::analyse_text("growing.cu", text, &Options::default());
            let took = start.elapsed();
            let accesses = analysis.accesses.len();
            assert!(
                accesses >= count / 2,
                "{accesses} accesses of {count} {name}"
            );
            println!(
                "{name:<36} {count:>8} {accesses:>10} {:>8.3} s {:>11.1} us",
                took.as_secs_f64(),
                took.as_secs_f64() * 1e6 / accesses as f64
            );
        }
    }
}

fn kernel(n: usize) -> String {
    let (size, stride, step) = (1024 + n, n % 97 + 1, n % 31 + 1);
    format!(
        "__global__ void k{n}(float *o, const float *i, int w) {{\n  __shared__ float s[{size}];\n  \
         s[threadIdx.x * {stride} % {size}] = i[(blockIdx.x * w + threadIdx.x) * {step}];\n  \
         __syncthreads();\n  if (threadIdx.x < w)\n    o[threadIdx.x + {n}] = s[threadIdx.x];\n}}\n"
    )
}

fn namesake(n: usize) -> String {
    format!(
        "__global__ void k{n}(float *o, const float *i) {{\n  __shared__ float t[32][32];\n  \
         t[threadIdx.y][threadIdx.x] = i[threadIdx.x];\n  __syncthreads();\n  \
         o[threadIdx.x] = t[threadIdx.x][threadIdx.y];\n}}\n"
    )
}

fn launched(n: usize) -> String {
    let (step, blocks) = (n % 30 + 1, n % 50 + 1);
    format!(
        "__device__ float f{n}(const float *p, int at) {{ return p[at * {step}] + {n}; }}\n\
         __global__ void k{n}(float *o, const float *i, int w) {{ o[threadIdx.x * w] = f{n}(i, threadIdx.x); }}\n\
         void h{n}(float *o, const float *i) {{ k{n}<<<{blocks}, 128>>>(o, i, {n}); }}\n"
    )
}

fn line(n: usize) -> String {
    let (stride, offset, step) = (n % 97 + 1, n % 90, n % 31 + 1);
    format!(
        "  s[threadIdx.x * {stride} % 4000 + {offset}] = i[(blockIdx.x * w + threadIdx.x) * {step} + {n}];\n"
    )
}
