//! The binary, as users run it: exit codes, what it says, and its output formats.
//!
//! Whole outputs lie in `tests/snapshots/`; `BLESS=1` rewrites them.

mod validation;

use crate::support::{Scratch, root};
use std::path::Path;
use std::process::{Command, Output};

/// One kernel with a conflict that padding cures, one that is clean, one misaligned load.
pub const EXAMPLE: &str = "tests/snapshots/example.cu";

pub fn cudalint(arguments: &[&str]) -> Output {
    cudalint_in(root(), arguments)
}

pub fn cudalint_in(folder: &Path, arguments: &[&str]) -> Output {
    let binary = crate::support::program();
    let mut command = Command::new(&binary);
    command
        .current_dir(folder)
        .args(arguments)
        .env("NO_COLOR", "1")
        .env("CUDALINT_CACHE_DIR", cache())
        .env_remove("FORCE_COLOR")
        .env_remove("GITHUB_ACTIONS");
    command
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", binary.display()))
}

/// Runs git as nobody in particular, without hooks; it must succeed.
pub fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .args(["-c", "user.name=a", "-c", "user.email=a@b"])
        .args(["-c", "commit.gpgsign=false", "-c", "core.hooksPath=none"])
        .args(["-c", "core.fsmonitor=false"])
        .args(arguments);
    let output = command.output().expect("git runs");
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        stderr(&output)
    );
}

/// A folder that no other run of the tests has: what they see must not depend on earlier proofs.
fn cache() -> String {
    format!(
        "{}/proofs-{}",
        env!("CARGO_TARGET_TMPDIR"),
        std::process::id()
    )
}

pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What the program says where it refuses: exit code 2, nothing on the standard output.
pub fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = cudalint_in(folder, arguments);
    assert_eq!(
        (code(&output), stdout(&output).as_str()),
        (2, ""),
        "{arguments:?}"
    );
    stderr(&output)
}

/// Compares with `tests/snapshots/<name>`, or writes it under `BLESS=1`.
pub fn snapshot(name: &str, actual: &str) {
    let path = root().join("tests/snapshots").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, actual).expect("the snapshot");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let mut lines = expected.lines().zip(actual.lines()).enumerate();
    if let Some((at, (expected, actual))) = lines.find(|(_, (expected, actual))| expected != actual)
    {
        panic!(
            "{name}, line {}:\nexpected {expected}\n  actual {actual}\nBLESS=1 rewrites it",
            at + 1
        );
    }
    assert!(
        expected == actual,
        "{name}: one is longer than the other; BLESS=1 rewrites it"
    );
}

/// All formats of reports.
pub const FORMATS: [&str; 14] = [
    "full",
    "concise",
    "gcc",
    "json",
    "jsonl",
    "sarif",
    "github",
    "gitlab",
    "junit",
    "checkstyle",
    "rdjson",
    "rdjsonl",
    "markdown",
    "html",
];

#[test]
fn every_format_is_as_it_was() {
    for format in FORMATS {
        let output = cudalint(&["check", "--format", format, EXAMPLE]);
        assert_eq!(code(&output), 1, "{format}: {}", stderr(&output));
        assert_eq!(stderr(&output), "", "{format}");
        snapshot(&format!("format.{format}"), &stdout(&output));
    }
}

#[test]
fn the_list_of_accesses_is_as_it_was() {
    let output = cudalint(&["accesses", "--format", "json", EXAMPLE]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(value["schema"], "cudalint.accesses/1");
    for access in value["accesses"].as_array().expect("a list") {
        for key in [
            "file", "line", "column", "kernel", "space", "op", "width", "unit", "cost", "ideal",
            "status",
        ] {
            assert!(!access[key].is_null(), "{key} is missing in {access}");
        }
    }
    snapshot("accesses.json", &stdout(&output));
}

#[test]
fn machine_formats_can_be_read() {
    for format in ["json", "sarif", "gitlab", "rdjson"] {
        let output = cudalint(&["check", "--format", format, EXAMPLE]);
        serde_json::from_slice::<serde_json::Value>(&output.stdout)
            .unwrap_or_else(|error| panic!("{format}: {error}"));
    }
    for format in ["jsonl", "rdjsonl"] {
        let output = cudalint(&["check", "--format", format, EXAMPLE]);
        for line in stdout(&output).lines() {
            serde_json::from_str::<serde_json::Value>(line)
                .unwrap_or_else(|error| panic!("{format}: {error}"));
        }
    }
}

#[test]
fn wrong_use_is_one_sentence_and_exit_code_2() {
    let cases: [&[&str]; 15] = [
        &["no/such/file.cu"],
        &["--no-such-flag", EXAMPLE],
        &["--formt", "json", EXAMPLE],
        &["--format", "xml", EXAMPLE],
        &["check"],
        &["explain", "CL999"],
        &["explain", "bank-conflct"],
        &["--select", "CL9", EXAMPLE],
        &["--arch", "sm_1", EXAMPLE],
        &["--output", "sarif", EXAMPLE],
        &["--output", "xml=a", EXAMPLE],
        &["--config", "arhc='sm_90'", EXAMPLE],
        &["--config", "no/such.toml", EXAMPLE],
        &["cost", "no/such.csv"],
        &["-j", "many", EXAMPLE],
    ];
    let mut transcript = String::new();
    for arguments in cases {
        let output = cudalint(arguments);
        let said = stderr(&output);
        assert_eq!(code(&output), 2, "{arguments:?}: {}{said}", stdout(&output));
        assert_eq!(said.lines().count(), 1, "{arguments:?}: {said}");
        transcript.push_str(&format!("$ cudalint {}\n{said}", arguments.join(" ")));
    }
    snapshot("wrong_use.txt", &transcript);
}

#[test]
fn bad_files_are_named_and_the_others_analysed() {
    let scratch = Scratch::new("bad-files");
    let good = std::fs::read(root().join(EXAMPLE)).expect("the example");
    scratch.write("good.cu", &good);
    scratch.write("binary.cu", b"\x7fELF\0\0\0\0");
    scratch.write("empty.cu", b"");
    scratch.write(
        "latin.cu",
        b"// caf\xe9\n__global__ void k(float *x) { x[threadIdx.x] = 0.0f; }\n",
    );
    scratch.write("folder/readme.txt", b"no CUDA here");
    let cases: [(&[&str], i32, &str); 8] = [
        (
            &["missing.cu", "good.cu"],
            2,
            "cudalint: missing.cu: no such file or folder\n",
        ),
        (
            &["binary.cu", "good.cu"],
            2,
            "cudalint: binary.cu: a binary file, not CUDA source; skipped\n",
        ),
        (
            &["folder", "good.cu"],
            2,
            "cudalint: folder: this folder holds no .cu or .cuh file; name one that does, or the files themselves\n",
        ),
        (
            &["empty.cu"],
            0,
            "note: empty.cu: the file is empty; nothing to analyse\n",
        ),
        (
            &["folder/readme.txt"],
            2,
            "cudalint: folder/readme.txt: no CUDA source: it holds no kernel and no launch\n",
        ),
        (
            &["chek"],
            2,
            "cudalint: `chek` is neither a command nor a file; did you mean `check`?\n",
        ),
        (
            &["explain", "conflict"],
            2,
            "cudalint: no rule is called `conflict`; did you mean `bank-conflict`?\n",
        ),
        (
            &["latin.cu"],
            0,
            "note: latin.cu: not UTF-8 (first on line 1); analysed with replacement characters there\n",
        ),
    ];
    for (arguments, expected, said) in cases {
        let output = cudalint_in(&scratch.0, arguments);
        assert_eq!(
            (code(&output), stderr(&output).as_str()),
            (expected, said),
            "{arguments:?}"
        );
        assert_eq!(
            stdout(&output).contains("good.cu:"),
            arguments.contains(&"good.cu"),
            "{arguments:?}"
        );
    }
}

#[test]
fn a_folder_is_walked_as_git_would() {
    let scratch = Scratch::new("walk");
    let kernel = "__global__ void k(float *x) { x[2 * threadIdx.x] = 0.0f; }\n";
    for name in ["a.cu", "deep/b.cuh", "ignored/c.cu", "d.cpp"] {
        scratch.write(name, kernel);
    }
    scratch.write(".gitignore", "ignored/\n");
    let output = cudalint_in(&scratch.0, &["--format", "concise", "."]);
    let files: Vec<String> = stdout(&output)
        .lines()
        .filter_map(|line| line.split_once(":1:"))
        .map(|(file, _)| file.to_owned())
        .collect();
    assert_eq!(files, ["a.cu", "deep/b.cuh"]);
}

#[test]
fn a_header_is_reported_once() {
    let scratch = Scratch::new("header");
    scratch.write(
        "k.cuh",
        "#pragma once\n__global__ void k(float *x) { x[2 * threadIdx.x] = 0.0f; }\n",
    );
    for name in ["a.cu", "b.cu"] {
        scratch.write(
            name,
            "#include \"k.cuh\"\nvoid run(float *x) { k<<<1, 128>>>(x); }\n",
        );
    }
    let output = cudalint_in(&scratch.0, &["--format", "concise", "."]);
    let found = stdout(&output);
    assert_eq!(found.matches("k.cuh:2:").count(), 1, "{found}");
}

#[test]
fn a_configuration_is_found_and_flags_win() {
    let scratch = Scratch::new("config");
    let kernel = "__global__ void k(float *x) { x[2 * threadIdx.x] = 0.0f; }\n";
    scratch.write("src/a.cu", kernel);
    scratch.write(
        "cudalint.toml",
        "[lint]\nignore = ['CL2']\n[[launch]]\nkernel = 'k'\nblock = 64\n",
    );
    assert_eq!(code(&cudalint_in(&scratch.0, &["src"])), 0);
    assert_eq!(code(&cudalint_in(&scratch.0, &["--isolated", "src"])), 1);
    let output = cudalint_in(&scratch.0, &["-v", "--config", "lint.ignore=[]", "src"]);
    assert_eq!(code(&output), 1);
    assert!(
        stdout(&output).contains("block (64, 1, 1) from the configuration"),
        "{}",
        stdout(&output)
    );

    scratch.write(
        "cudalint.toml",
        "[lint.levels]\nuncoalesced-access = 'error'\n",
    );
    assert!(stdout(&cudalint_in(&scratch.0, &["src"])).contains("error[CL201]"));
    scratch.write("cudalint.toml", "[per-file-ignores]\n'src/**' = ['ALL']\n");
    assert_eq!(code(&cudalint_in(&scratch.0, &["src"])), 0);
    scratch.write("cudalint.toml", "[lint]\nslect = ['CL1']\n");
    let output = cudalint_in(&scratch.0, &["src"]);
    assert_eq!(code(&output), 2);
    assert_eq!(
        stderr(&output),
        "cudalint: cudalint.toml:2:1: unknown key `slect`; did you mean `select`?\n"
    );
}

#[test]
fn exit_codes_follow_the_flags() {
    for (arguments, expected) in [
        (vec![EXAMPLE], 1),
        (vec!["--exit-zero", EXAMPLE], 0),
        (vec!["--max-warnings", "99", EXAMPLE], 0),
        (vec!["--level", "error", EXAMPLE], 0),
        (
            vec![
                "-O3",
                "-std=c++17",
                "-arch=sm_90",
                "-Xcompiler",
                "-fPIC",
                "-c",
                "-o",
                "x.o",
                EXAMPLE,
            ],
            1,
        ),
    ] {
        let output = cudalint(&arguments);
        assert_eq!(
            code(&output),
            expected,
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn fixes_are_shown_applied_and_then_gone() {
    let scratch = Scratch::new("fix");
    let text = std::fs::read_to_string(root().join(EXAMPLE))
        .expect("the example")
        .replace('\n', "\r\n");
    scratch.write("a.cu", &text);
    let output = cudalint_in(
        &scratch.0,
        &["check", "--select", "CL101", "--diff", "a.cu"],
    );
    assert_eq!(code(&output), 1);
    assert!(
        stdout(&output).contains("+    __shared__ float tile[TILE][TILE + 1];\r\n"),
        "{}",
        stdout(&output)
    );
    assert_eq!(scratch.read("a.cu"), text);

    let output = cudalint_in(&scratch.0, &["check", "--select", "CL101", "--fix", "a.cu"]);
    assert_eq!(
        (code(&output), stderr(&output).as_str()),
        (0, "1 fixed\n"),
        "{}",
        stdout(&output)
    );
    let fixed = text.replace("tile[TILE][TILE];", "tile[TILE][TILE + 1];");
    assert_eq!(scratch.read("a.cu"), fixed);
    let output = cudalint_in(&scratch.0, &["check", "--select", "CL101", "--fix", "a.cu"]);
    assert_eq!((code(&output), stderr(&output).as_str()), (0, ""));
    assert_eq!(scratch.read("a.cu"), fixed);
}

#[test]
fn reports_go_to_files_as_well() {
    let scratch = Scratch::new("output");
    let target = scratch.0.join("out.sarif");
    let flag = format!("sarif={}", target.display());
    let output = cudalint(&["check", "--output", &flag, "--format", "concise", EXAMPLE]);
    assert_eq!(code(&output), 1);
    snapshot("format.concise", &stdout(&output));
    snapshot("format.sarif", &scratch.read("out.sarif"));
}

#[test]
fn rules_are_listed_and_explained() {
    let output = cudalint(&["rules"]);
    assert_eq!(code(&output), 0);
    snapshot("rules.txt", &stdout(&output));
    let output = cudalint(&["explain", "CL101"]);
    assert_eq!(code(&output), 0);
    assert!(
        stdout(&output).starts_with("# bank-conflict (CL101)"),
        "{}",
        stdout(&output)
    );
    let output = cudalint(&["rules", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(value["schema"], "cudalint.rules/1");
}

#[test]
fn an_access_is_explained_with_its_map_before_and_after() {
    let place = "fixtures/shared/transpose_tile.cu:10";
    let output = cudalint(&["explain", place]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    let load = text
        .split("\n\nfixtures")
        .find(|part| part.contains("shared load of `S`"))
        .expect("the load of S");
    for part in [
        "the lane of the warp, 0 to 31",
        "32 wavefronts per request, ideal 1, 31 excessive",
        "(Z3, obligation ",
        "after the fix: pad to `[TILE][TILE + 1]`",
        "1 wavefronts per request, ideal 1, 0 excessive",
    ] {
        assert!(load.contains(part), "no `{part}` in\n{load}");
    }
    let (before, after) = load.split_once("after the fix").expect("both");
    let column = |text: &str| text.lines().filter(|line| line.contains("#....")).count();
    assert_eq!((column(before), column(after)), (32, 0), "{load}");

    let output = cudalint(&["explain", "fixtures/shared/transpose_tile.cu:1"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (2, ""));
    assert!(stderr(&output).contains("no access"), "{}", stderr(&output));
}

#[test]
fn fix_only_reports_nothing() {
    let scratch = Scratch::new("fix-only");
    let text = std::fs::read_to_string(root().join(EXAMPLE)).expect("the example");
    scratch.write("a.cu", &text);
    let output = cudalint_in(&scratch.0, &["check", "--fix-only", "a.cu"]);
    assert_eq!(
        (
            code(&output),
            stdout(&output).as_str(),
            stderr(&output).as_str()
        ),
        (0, "", "1 fixed\n")
    );
    assert_ne!(scratch.read("a.cu"), text);
}

#[test]
fn the_most_wasteful_finding_comes_first_if_asked() {
    let output = cudalint(&["check", "--sort", "waste", "--format", "jsonl", EXAMPLE]);
    let text = stdout(&output);
    let first = text.lines().next().expect("a finding");
    assert!(first.contains("bank-conflict"), "{first}");
}

#[test]
fn every_measured_request_is_predicted() {
    let output = cudalint(&[
        "cost",
        "--arch",
        "sm_90",
        "fixtures/measured/h200-requests.csv",
    ]);
    assert_eq!(code(&output), 0);
    assert!(
        stdout(&output).ends_with("334 of 334 agree\n"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let run = |threads: &str| {
        let arguments = [
            "accesses",
            "--format",
            "json",
            "-j",
            threads,
            "fixtures/shared",
            "fixtures/launch",
        ];
        cudalint(&arguments).stdout
    };
    assert!(
        run("1") == run("4"),
        "the output depends on the number of threads"
    );
}

#[test]
fn fixtures_can_all_be_checked_at_once() {
    let output = cudalint(&["fixtures"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
    let output = cudalint(&["stats", "--format", "json", "fixtures"]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(value["schema"], "cudalint.stats/1");
}

/// The kernel of a header that two units read has a place in each, and accesses in one list.
#[test]
fn a_kernel_of_a_shared_header_is_not_silent() {
    let folder = Scratch::new("shared-header");
    let header = "#pragma once
template <class T, int N> __global__ void add(T *a) { a[threadIdx.x * N] = 1; }
__global__ void idle(int n) { if (n > 3) return; }
template <int N> __global__ void trapped(float *a) {
  if constexpr (N == 1) { __trap(); return; }
  a[threadIdx.x * N] = 1;
}
";
    folder.write("h.cuh", header);
    for name in ["f", "g"] {
        let text = format!(
            "#include \"h.cuh\"\nvoid {name}(float *a) {{ add<float, 2><<<4, 64>>>(a); trapped<1><<<4, 64>>>(a); }}\n"
        );
        folder.write(&format!("{name}.cu"), text);
    }
    let path = folder.0.to_string_lossy();
    let output = cudalint(&["stats", "--format", "json", &path]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let without = &value["without_access"];
    assert_eq!(without["empty"], 2, "{value}");
    assert_eq!(without["silent"], 0, "{value}");
}

#[test]
fn no_findings_of_unknown_accesses_are_not_praise() {
    let folder = Scratch::new("unknown-said");
    let known = "__global__ void k(float *o) { o[threadIdx.x * COUNT] = 1; }\n";
    folder.write("k.cu", known);
    let run = |flag: &str| cudalint_in(&folder.0, &["check", flag, "k.cu"]);
    let said = stdout(&run("-DOTHER=1"));
    assert!(
        said.contains("1 access is unknown: `cudalint accesses"),
        "{said}"
    );
    let why = cudalint_in(&folder.0, &["accesses", "--format", "text", "k.cu"]);
    assert!(
        stdout(&why).contains("`COUNT` is not declared"),
        "{}",
        stdout(&why)
    );
    assert!(!stdout(&run("-DCOUNT=1")).contains("unknown:"));
}

#[test]
fn a_whole_compile_command_may_follow() {
    let plain = cudalint(&["check", "--format", "concise", EXAMPLE]);
    for command in [
        &["check", "--format", "concise", "nvcc", "-O3", "-c", EXAMPLE][..],
        &[
            "check", "--format", "concise", "--", "nvcc", "-O3", "-c", EXAMPLE,
        ][..],
    ] {
        let output = cudalint(command);
        assert_eq!(
            stdout(&output),
            stdout(&plain),
            "{command:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn accesses_are_listed_as_a_table() {
    let output = cudalint(&["accesses", "--format", "text", EXAMPLE]);
    let text = stdout(&output);
    let json = stdout(&cudalint(&["accesses", "--format", "jsonl", EXAMPLE]));
    assert_eq!(text.lines().count(), json.lines().count());
    assert!(text.lines().all(|line| line.starts_with(EXAMPLE)), "{text}");
    assert!(text.contains(" wavefronts, exact"), "{text}");
}

#[test]
fn files_that_are_not_read_may_name_kernels() {
    let scratch = Scratch::new("unread");
    scratch.write(
        "a.cu",
        "__global__ void loaded(float *p) {}\n__global__ void idle(float *p) {}\n",
    );
    scratch.write("bind.cpp", "int reloaded;\nauto f = find(\"loaded\");\n");
    let told = stdout(&cudalint_in(&scratch.0, &["launches", "."]));
    for line in [
        "a.cu:1: loaded has no launch: it is named at bind.cpp:2, in a file that is not read",
        "a.cu:2: idle has no launch: nothing in the files given names it",
        "without a launch: 1, as a file that is not read names it",
    ] {
        assert!(told.contains(line), "{line}\n{told}");
    }
}

#[test]
fn macros_of_a_library_that_is_not_there_choose_types() {
    let scratch = Scratch::new("dispatch");
    let text = "#include <ATen/Dispatch.h>\n\
                #define DISPATCH(TYPE, ...) \\\n  \
                  AT_DISPATCH_SWITCH(TYPE, \"run\", \\\n    \
                    AT_DISPATCH_CASE(at::ScalarType::Half, __VA_ARGS__) \\\n    \
                    AT_DISPATCH_CASE(at::kInt, __VA_ARGS__))\n\
                template <typename T> __global__ void k(T *p) { p[threadIdx.x] = 1; }\n\
                void run(at::Tensor x) {\n  \
                  DISPATCH(x.scalar_type(), [&] { k<scalar_t><<<1, 64>>>(x.data_ptr<scalar_t>()); });\n\
                }\n";
    scratch.write("a.cu", text);
    let told = stdout(&cudalint_in(&scratch.0, &["launches", "a.cu"]));
    for line in [
        "k<c10::Half>",
        "k<int>",
        "1 of 1 kernels are launched; 2 launches, 2 with a known block",
    ] {
        assert!(told.contains(line), "{line}\n{told}");
    }
}

#[test]
fn kernels_without_a_launch_say_what_the_text_does_with_their_names() {
    let scratch = Scratch::new("absence");
    let text = "__global__ void idle(float *p) {}\n\
                __global__ void dead(float *p) {}\n\
                __global__ void left(float *p) {}\n\
                __global__ void given(float *p) {}\n\
                __global__ void same(float *p) {}\n\
                __global__ void same(double *p) {}\n\
                template <typename T> __global__ void lone(T *p) {}\n\
                template <typename T> void uncalled(T *p) { lone<T><<<1, 32>>>(p); }\n\
                void run(double *d) {\n  \
                  const bool never = false;\n  \
                  if (never) dead<<<1, 32>>>(nullptr);\n  \
                  same<<<1, 32>>>(d);\n  \
                  // idle<<<1, 32>>>(nullptr);\n\
                #if 0\n  \
                  left<<<1, 32>>>(nullptr);\n\
                #endif\n  \
                  const void *k = (const void *)given;\n\
                }\n";
    scratch.write("a.cu", text);
    let output = cudalint_in(&scratch.0, &["launches", "a.cu"]);
    let told = stdout(&output);
    for line in [
        "a.cu:1: idle has no launch: nothing in the files given names it",
        "a.cu:2: dead has no launch: no run gets to its launch at a.cu:11",
        "a.cu:3: left has no launch: its launch at a.cu:15 is not compiled",
        "a.cu:4: given has no launch: it is named at a.cu:17, and what becomes of it there is not followed",
        "a.cu:5: same has no launch: the launch of its name at a.cu:12 means another kernel",
        "without a launch: 1, as no run gets to the launch",
        "without a known instance: 1, as nothing in the text names `…`, the template around it",
        "2 of 7 kernels are launched; 2 launches, 2 with a known block",
    ] {
        assert!(told.contains(line), "{line}\n{told}");
    }
}

#[test]
fn kernels_that_no_header_was_found_for_are_no_silence() {
    let scratch = Scratch::new("no-kernel");
    scratch.write(
        "launch.cu",
        "#include \"kernels.cuh\"\nvoid run(float *out) { launch(out); }\n",
    );
    let told = stdout(&cudalint_in(&scratch.0, &["check", "launch.cu"]));
    let line = "no kernel that accesses memory was found; 1 header was not found";
    assert!(told.contains(line), "{told}");
}

/// Macros that nobody defines: behind a method and in front of one they are no members; elsewhere the layout, or the
/// value of an enumerator, is not known.
#[test]
fn macros_that_nobody_defines_leave_open_what_they_may_change() {
    let known = [
        "int g() const UNK_NOEXCEPT; int y;",
        "UNK_DEVICE UNK_INLINE int g() const; int y;",
    ];
    let open = [
        "float x UNK_ALIGN; int y;",
        "float UNK_ALIGN x; int y;",
        "float x; unknown_member(float, z); int y;",
        "float x; float pad_of(3); int y;",
    ];
    let text = |members: &str| {
        format!(
            "struct A {{ {members} }};\n__global__ void k(A *a) {{ a[threadIdx.x].y = 1; }}\n\
             void run(A *a) {{ k<<<1, 32>>>(a); }}\n"
        )
    };
    let scratch = Scratch::new("unknown-macros");
    let said = |text: &str| {
        scratch.write("k.cu", text);
        stdout(&cudalint_in(
            &scratch.0,
            &["accesses", "--format", "text", "k.cu"],
        ))
    };
    for members in known {
        let said = said(&text(members));
        assert!(said.contains("exact"), "{members}: {said}");
    }
    for members in open {
        let said = said(&text(members));
        assert!(
            said.contains("the size of `A` is not known"),
            "{members}: {said}"
        );
    }
    for values in ["A0, MORE A1, A2", "A0, A1 IS_FIVE, A2"] {
        let said = said(&format!(
            "enum E {{ {values} }};\n__global__ void k(int *a) {{ a[threadIdx.x * (A2 + 1)] = 1; }}\n\
             void run(int *a) {{ k<<<1, 32>>>(a); }}\n"
        ));
        assert!(said.contains("unknown"), "{values}: {said}");
    }
}
