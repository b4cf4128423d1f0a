//! Commands that run other programs: a profiler (`measure`), a compiler (`compile`). Scripts stand in
//! for both, so that neither a GPU nor a toolkit is needed.
#![cfg(unix)]

use crate::cli::{code, cudalint_in, refused, stderr, stdout};
use crate::support::{Scratch, root};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

/// 32 blocks by 32, 32 warps each: every access makes 32768 requests.
const TRANSPOSE: &str = "\
#define TILE 32
__global__ void transpose(float *out, const float *in, int n) {
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
void run(float *out, const float *in) {
    transpose<<<dim3(32, 32), dim3(TILE, TILE)>>>(out, in, 1024);
}
";

/// The source page in the form of Nsight Compute 2025.3, with the counts that an H200 gives.
fn page(source: &Path) -> String {
    let head = r#""Line No","Source","Address","Source","inst_executed","memory_l1_wavefronts_shared","memory_l1_wavefronts_shared_ideal","memory_l2_theoretical_sectors_global","memory_l2_theoretical_sectors_global_ideal","thread_inst_executed_true""#;
    format!(
        "==PROF== Disconnected\n\"File Path\",\"{}\"\n\"Function Name\",\"transpose(float *, const float *, int)\"\n{head}\n\
         \"5\",\"tile\",\"-\",\"-\",\"65536\",\"32768\",\"32768\",\"131072\",\"131072\",\"2097152\"\n\
         \"\",\"\",\"0x10\",\"LDG.E R0, desc[UR6][R2.64]\",\"32768\",\"0\",\"0\",\"131072\",\"131072\",\"1048576\"\n\
         \"\",\"\",\"0x20\",\"STS [R2], R0\",\"32768\",\"32768\",\"32768\",\"0\",\"0\",\"1048576\"\n\
         \"9\",\"out\",\"-\",\"-\",\"65536\",\"1048576\",\"32768\",\"131072\",\"131072\",\"2097152\"\n\
         \"\",\"\",\"0x30\",\"LDS R0, [R2]\",\"32768\",\"1048576\",\"32768\",\"0\",\"0\",\"1048576\"\n\
         \"\",\"\",\"0x40\",\"STG.E desc[UR6][R2.64], R0\",\"32768\",\"0\",\"0\",\"131072\",\"131072\",\"1048576\"\n",
        source.display()
    )
}

const RAW: &str = "\
\"ID\",\"Process ID\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"inst_executed\"
\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"inst\"
\"0\",\"7\",\"transpose(float *, const float *, int)\",\"1\",\"7\",\"(32, 32, 1)\",\"(32, 32, 1)\",\"0\",\"9.0\",\"1\"
";

/// Writes its arguments down, leaves a report, and runs what `app` names; gives pages on request.
const NCU: &str = r#"#!/bin/sh
here=$(dirname "$0")
case "$*" in
--version) exit 0 ;;
--import*source*) cat "$here/source.csv"; exit 0 ;;
--import*raw*) cat "$here/raw.csv"; exit 0 ;;
esac
echo "$@" > "$here/arguments"
while [ "$1" != --export ]; do shift; done
: > "$2"
while [ "${1##*/}" != app ]; do shift; done
exec "$@"
"#;

fn script(scratch: &Scratch, name: &str, text: &str) {
    scratch.write(name, text);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(scratch.0.join(name), mode).expect("a mode");
}

fn profiled(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    let real = std::fs::canonicalize(&scratch.0).expect("a folder");
    scratch.write("tr.cu", TRANSPOSE);
    scratch.write("source.csv", page(&real.join("tr.cu")));
    scratch.write("raw.csv", RAW);
    script(&scratch, "ncu", NCU);
    script(&scratch, "app", "#!/bin/sh\necho \"the app says $*\"\n");
    scratch
}

/// The profiler names the file that holds the kernel; the one that includes it has the macros and the launch.
#[test]
fn a_source_is_read_by_what_includes_it() {
    let scratch = profiled("included");
    let (kernel, rest) = TRANSPOSE.split_once("__global__").expect("a kernel");
    let (body, launch) = rest.split_once("void run").expect("a launch");
    scratch.write("tr.cu", format!("\n__global__{body}"));
    scratch.write(
        "main.cu",
        format!("{kernel}#include \"tr.cu\"  // has the kernel\nvoid run{launch}"),
    );
    scratch.write("other.cu", "#define TILE 16\n#include \"none.cu\"\n");
    let output = cudalint_in(&scratch.0, &["measure", "--ncu", "./ncu", "--", "./app"]);
    let text = stdout(&output);
    assert_eq!(code(&output), 0, "{}{text}", stderr(&output));
    assert!(
        text.ends_with("\n4 lines: 4 agree, 0 explained, 0 disagree\n"),
        "{text}"
    );
}

#[test]
fn what_is_measured_stands_beside_what_is_predicted() {
    let scratch = profiled("measure");
    let run = |arguments: &[&str]| {
        let all = [&["measure", "--ncu", "./ncu"][..], arguments].concat();
        cudalint_in(&scratch.0, &all)
    };
    // The file is the one that the profiler names, and arguments of the program are its own.
    let output = run(&["--", "./app", "--version", "@file", "-O3"]);
    assert_eq!(code(&output), 0, "{}{}", stderr(&output), stdout(&output));
    assert!(stderr(&output).contains("the app says --version @file -O3\n"));
    let said = scratch.read("arguments");
    assert!(said.contains("--kernel-id ::regex:.*:1 ./app"), "{said}");
    assert!(said.contains("memory_l1_wavefronts_shared,"), "{said}");
    let text = stdout(&output);
    let rows: Vec<String> = text
        .lines()
        .filter(|line| line.contains("tr.cu:"))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        rows,
        [
            "tr.cu:9 shared load in transpose 32/1 32/1 32768",
            "tr.cu:5 shared store in transpose 1/1 1/1 32768",
            "tr.cu:5 global load in transpose 4/4 4/4 32768",
            "tr.cu:9 global store in transpose 4/4 4/4 32768",
        ]
    );
    assert!(
        text.ends_with("\n4 lines: 4 agree, 0 explained, 0 disagree\n"),
        "{text}"
    );

    let output = run(&[
        "--format",
        "json",
        "--html",
        "page.html",
        "tr.cu",
        "--",
        "./app",
    ]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let first = &value["rows"][0];
    assert_eq!(first["predicted"]["total"]["cost"], 1_048_576, "{first}");
    assert_eq!(first["measured"]["cost"], 1_048_576, "{first}");
    let html = scratch.read("page.html");
    assert!(html.contains("<h2>Predicted and measured</h2>"));
    assert!(html.contains(">32/1 4/4</span>"), "the gutter of line 9");

    // A kernel that pays less than was proved of it is told first.
    let changed = scratch
        .read("source.csv")
        .replace("1048576\",\"32768", "65536\",\"32768");
    scratch.write("source.csv", changed);
    let output = run(&[
        "--kernel",
        "transpose",
        "--launches",
        "0",
        "tr.cu",
        "--",
        "./app",
    ]);
    assert_eq!(code(&output), 1, "{}", stdout(&output));
    assert!(
        scratch
            .read("arguments")
            .contains("--kernel-name transpose ./app")
    );
    let text = stdout(&output);
    assert!(text.starts_with("disagrees\n"), "{text}");
    assert!(
        text.lines()
            .nth(2)
            .is_some_and(|line| line.contains("tr.cu:9 shared load")),
        "{text}"
    );
}

#[test]
fn other_launch_shapes_are_told() {
    let scratch = profiled("measure-shape");
    scratch.write(
        "raw.csv",
        RAW.replace("(32, 32, 1)\",\"(32, 32, 1)", "(32, 16, 1)\",\"(8, 8, 1)"),
    );
    let other = scratch
        .read("source.csv")
        .replace("1048576\",\"32768", "65536\",\"32768");
    scratch.write("source.csv", other);
    let output = cudalint_in(
        &scratch.0,
        &["measure", "--ncu", "./ncu", "tr.cu", "--", "./app"],
    );
    let text = stdout(&output);
    assert!(text.starts_with("explained\n"), "{text}");
    assert!(text.contains("it ran with block (32, 16, 1)"), "{text}");
}

#[test]
fn what_cannot_be_measured_is_one_sentence() {
    let scratch = profiled("measure-wrong");
    let said = |arguments: &[&str]| refused(&scratch.0, arguments);
    assert!(said(&["measure", "tr.cu"]).contains("the program to run is missing"));
    let none = said(&["measure", "--ncu", "./none", "tr.cu", "--", "./app"]);
    assert!(none.contains("no Nsight Compute starts there"), "{none}");
    scratch.write("source.csv", "==WARNING== No source\n");
    let page = said(&["measure", "--ncu", "./ncu", "tr.cu", "--", "./app"]);
    assert!(page.contains("no source page"), "{page}");
    script(
        &scratch,
        "ncu",
        "#!/bin/sh\n[ \"$1\" = --version ] || { echo '==ERROR== ERR_NVGPUCTRPERM'; exit 1; }\n",
    );
    let refused = said(&["measure", "--ncu", "./ncu", "tr.cu", "--", "./app"]);
    assert!(
        refused.contains("ERR_NVGPUCTRPERM") && refused.contains("wrote no report"),
        "{refused}"
    );
}

/// Writes its arguments down and makes what it is asked for.
const NVCC: &str = "#!/bin/sh\necho \"$@\" >> \"$(dirname \"$0\")/compiled\"\nfor last; do :; done\n: > \"$last\"\n[ ! -e \"$(dirname \"$0\")/fails\" ] || exit 3\n";

fn built(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    scratch.write("tr.cu", TRANSPOSE);
    scratch.write("clean.cu", "__global__ void copy(float *o, const float *i) { o[threadIdx.x] = i[threadIdx.x]; }\nvoid go(float *o, float *i) { copy<<<1, 64>>>(o, i); }\n");
    script(&scratch, "nvcc", NVCC);
    scratch
}

#[test]
fn a_compiler_runs_and_its_sources_are_checked() {
    let scratch = built("compile");
    let run = |arguments: &[&str]| cudalint_in(&scratch.0, &[&["compile"][..], arguments].concat());
    let command = ["./nvcc", "-O3", "-arch=sm_80", "-c", "tr.cu", "-o", "tr.o"];
    let output = run(&command);
    assert_eq!((code(&output), stdout(&output).as_str()), (0, ""));
    assert!(stderr(&output).contains("tr.cu:9:"), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("[bank-conflict]"),
        "{}",
        stderr(&output)
    );
    assert_eq!(
        scratch.read("compiled"),
        "-O3 -arch=sm_80 -c tr.cu -o tr.o\n"
    );

    // Where findings are to fail the build, nothing is compiled, so that the next build finds them, too.
    std::fs::remove_file(scratch.0.join("tr.o")).expect("it was made");
    let output = run(&[&["--fail", "--format", "concise"][..], &command].concat());
    assert_eq!(code(&output), 1);
    assert!(!scratch.0.join("tr.o").exists());
    let output = run(&[&["--fail", "--options", "--ignore CL101"][..], &command].concat());
    assert_eq!((code(&output), stderr(&output).as_str()), (0, ""));
    assert!(scratch.0.join("tr.o").exists());

    for quiet in [
        &["./nvcc", "-c", "clean.cu", "-o", "clean.o"][..],
        &["./nvcc", "-o", "app", "tr.o"],
        &["./nvcc", "-E", "tr.cu", "-o", "tr.i"],
    ] {
        let output = run(quiet);
        assert_eq!(
            (code(&output), stderr(&output).as_str()),
            (0, ""),
            "{quiet:?}"
        );
    }
    scratch.write("fails", "");
    let output = run(&command);
    assert_eq!((code(&output), stderr(&output).as_str()), (3, ""));
    let output = run(&["./none/nvcc", "-c", "tr.cu"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("does not start"),
        "{}",
        stderr(&output)
    );
}

/// As a build does it that knows one word for the compiler, and one for what stands before it.
#[test]
fn the_name_of_the_program_makes_it_a_compiler() {
    let scratch = built("compile-name");
    let link = scratch.0.join("cudalint-nvcc");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cudalint"), &link).expect("a link");
    let run = |arguments: &[&str], options: &str| -> Output {
        let mut command = Command::new("./cudalint-nvcc");
        command
            .current_dir(&scratch.0)
            .args(arguments)
            .env("CUDALINT_NVCC", "./nvcc")
            .env("CUDALINT_COMPILE_OPTIONS", options)
            .env("CUDALINT_CACHE_DIR", scratch.0.join("cache"));
        command.output().expect("it runs")
    };
    let launcher = run(&["./nvcc", "-c", "tr.cu", "-o", "tr.o"], "");
    let instead = run(&["-c", "tr.cu", "-o", "tr.o"], "");
    assert_eq!(
        (code(&launcher), code(&instead)),
        (0, 0),
        "{}",
        stderr(&launcher)
    );
    assert!(
        stderr(&instead).contains("[bank-conflict]"),
        "{}",
        stderr(&instead)
    );
    assert_eq!(stderr(&launcher), stderr(&instead));
    assert_eq!(scratch.read("compiled"), "-c tr.cu -o tr.o\n".repeat(2));
    assert_eq!(code(&run(&["-c", "tr.cu", "-o", "tr.o"], "--fail")), 1);
}

/// The example of the CMake module, where there is a CMake.
#[test]
fn the_cmake_module_checks_a_target_with_its_flags() {
    let example = root().join("build-systems/cmake/example");
    let flags = ["-DTILE=32", "-Iinclude", "--arch", "sm_90", "kernels.cu"];
    let by_hand = cudalint_in(&example, &[&["check"][..], &flags].concat());
    assert_eq!(code(&by_hand), 1, "{}", stderr(&by_hand));
    let module = std::fs::read_to_string(root().join("build-systems/cmake/Cudalint.cmake"));
    assert!(
        module
            .expect("the module")
            .contains("COMMAND ${CUDALINT_EXECUTABLE} check ${flags}")
    );

    let scratch = Scratch::new("cmake");
    let cmake = |arguments: &[&str]| {
        let mut command = Command::new("cmake");
        command
            .current_dir(&scratch.0)
            .args(arguments)
            .env("CUDALINT_CACHE_DIR", scratch.0.join("cache"));
        command.output()
    };
    let program = format!("-DCUDALINT_EXECUTABLE={}", env!("CARGO_BIN_EXE_cudalint"));
    let source = example.display().to_string();
    let Ok(configured) = cmake(&["-S", &source, "-B", "b", "-DWITH_CUDA=OFF", &program]) else {
        eprintln!("NOT RUN, the CMake module was not tried: there is no cmake");
        return;
    };
    assert!(configured.status.success(), "{}", stderr(&configured));
    let built = cmake(&["--build", "b", "--target", "kernels-cudalint"]).expect("it runs");
    assert!(!built.status.success(), "{}", stdout(&built));
    let last = |output: &Output| {
        let text = stdout(output);
        let of_report = text.lines().filter(|line| line.contains("proved ideal"));
        of_report.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(last(&built), last(&by_hand), "{}", stdout(&built));
}
