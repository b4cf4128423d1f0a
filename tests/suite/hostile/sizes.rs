//! Texts that are long without end: time and memory grow with them, up to a limit that is told.

use super::HEALTHY;
use super::run_bounded;
use crate::cli::{code, cudalint_in, stderr, stdout};
use crate::support::Scratch;
use std::fmt::Write as _;

const MEGABYTE: usize = 1 << 20;

/// Texts of about so many bytes, each with what it is repeated from.
fn texts(bytes: usize) -> Vec<(&'static str, String)> {
    let repeat = |unit: &str| unit.repeat(bytes / unit.len());
    let units = [
        (
            "fixture launches",
            "//@ launch healthy grid=1 block=32 args(o=f32[64])\n",
        ),
        ("launches", "// cudalint: launch(block = (32, 8))\n"),
        ("assumptions", "// cudalint: assume(n % 32 == 0)\n"),
        ("shapes", "// --blockDim=32 --gridDim=4\n"),
        ("unreadable comments", "// cudalint: nonsense here\n"),
        ("allowances", "// cudalint: allow(CL201)\n"),
        ("templates", "template<"),
        ("lists without an end", "a<b,"),
        ("lists between statements", "a<b>,;= "),
        ("launch brackets", "<<<"),
        ("launch calls", "void r() { k<<<1,32>>>(0); }\n"),
        ("allocations", "new "),
        ("choices", "if(a) b; else "),
        ("braces", "{"),
        ("closed braces", "}"),
        ("parentheses", "("),
        ("spliced lines", "\\\n"),
        ("sums", "1+"),
        ("one word", "a"),
        ("words", "a "),
        ("quotes", "\""),
        ("primes", "'"),
        ("hashes", "#\n"),
        ("ifs", "#if 1\n"),
        ("elses", "#else\n"),
        ("macros", "#define A A A\nA\n"),
        ("comments", "/*"),
        ("scopes", "a::"),
        ("declarations", "int a;\n"),
        ("functions", "__device__ void f(int a) { a = a + 1; }\n"),
    ];
    units
        .iter()
        .map(|(name, unit)| (*name, repeat(unit)))
        .collect()
}

#[test]
fn long_texts_end_in_time() {
    let scratch = Scratch::new("long");
    for (name, text) in texts(MEGABYTE) {
        scratch.write("a.cu", format!("{text}\n{HEALTHY}"));
        let output = run_bounded(
            &scratch.0,
            &["check", "--no-cache", "--format", "concise", "a.cu"],
        );
        assert!(code(&output) <= 1, "{name}: {}", stderr(&output));
        let said = stdout(&output).len() + stderr(&output).len();
        assert!(said < MEGABYTE, "{name}: {said} bytes of output");
    }
}

#[test]
fn texts_beyond_the_limit_are_refused_at_once() {
    let scratch = Scratch::new("too-long");
    scratch.write("a.cu", "{".repeat(50 * MEGABYTE));
    let output = run_bounded(&scratch.0, &["a.cu"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("larger than 8388608 bytes"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_header_without_a_guard_is_not_read_for_ever() {
    let scratch = Scratch::new("unguarded");
    let line = "static inline int f(int a) { return a + 1; }\n";
    scratch.write("big.h", line.repeat(MEGABYTE / line.len()));
    scratch.write(
        "a.cu",
        format!("{}{HEALTHY}", "#include \"big.h\"\n".repeat(200)),
    );
    let output = run_bounded(
        &scratch.0,
        &["check", "--no-cache", "--format", "concise", "a.cu"],
    );
    assert!(stdout(&output).contains("CL201"), "{}", stdout(&output));
    assert!(
        stderr(&output).contains("included again and again"),
        "{}",
        stderr(&output)
    );
    assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
}

#[test]
fn a_long_definition_is_not_parsed_and_said_to_be() {
    let scratch = Scratch::new("long-definition");
    let body = "o[threadIdx.x] = 1.0f; ".repeat(MEGABYTE / 16);
    scratch.write(
        "a.cu",
        format!("__global__ void long_one(float *o) {{ {body} }}\n{HEALTHY}"),
    );
    let output = cudalint_in(&scratch.0, &["check", "--no-cache", "a.cu"]);
    let said = stdout(&output);
    assert!(
        said.contains("`long_one` was not analysed: longer than"),
        "{said:.2000}"
    );
    assert!(said.contains("CL201"), "{said:.2000}");
}

/// Each step of the grammar's parser takes as long as what it has read of such a text: it is given up after a
/// bounded number of steps, which no real text needs.
#[test]
fn a_definition_that_the_parser_is_lost_in_is_given_up() {
    let scratch = Scratch::new("lost");
    let parsed = |body: String| {
        let text = format!("__global__ void lost(float *o) {{ x = {body} }}\n{HEALTHY}");
        scratch.write("a.cu", text);
        let output = cudalint_in(&scratch.0, &["check", "--no-cache", "a.cu"]);
        let said = stdout(&output);
        assert!(said.contains("CL201"), "{said:.2000}");
        let given_up = "`lost` was not analysed: could not be parsed in bounded time";
        assert!(said.matches(given_up).count() <= 1, "{said:.2000}");
        !said.contains(given_up)
    };
    assert!(!parsed("x=a<b>,;= ".repeat(25_000)));
    assert!(parsed(
        "0; o[threadIdx.x] = a[threadIdx.x + 1] * 2.0f; ".repeat(2_000)
    ));
}

/// Small texts that stand for large ones: each level or case once, not as often as ways lead to it.
#[test]
fn small_texts_that_multiply_end() {
    let scratch = Scratch::new("multiply");
    let mut calls = String::from("__device__ int f0(int a) { return a + 1; }\n");
    for level in 1..=20 {
        let below = level - 1;
        let _ = writeln!(
            calls,
            "__device__ int f{level}(int a) {{ return f{below}(a) + f{below}(a + 1) + f{below}(a + 2); }}"
        );
    }
    let mut cases = String::new();
    for case in 0..1000 {
        let _ = writeln!(cases, "    case {case}: x = {case} * 3 + o[{case}]; break;");
    }
    for (name, text) in [
        (
            "a file that includes itself twice",
            "#include \"a.cu\"\n#include \"a.cu\"\n__global__ void k(int *o) { o[threadIdx.x * 2] = 1; }\nvoid r() { k<<<1, 32>>>(0); }\n"
                .to_owned(),
        ),
        (
            "calls",
            format!("{calls}__global__ void k(int *o) {{ o[f20(threadIdx.x)] = 1; }}\nvoid r(int *o) {{ k<<<1, 32>>>(o); }}\n"),
        ),
        (
            "cases of lanes",
            format!(
                "__global__ void k(int *o) {{\n  int x = 0;\n  switch (threadIdx.x % 1024) {{\n{cases}  }}\n  o[x] = x;\n}}\n\
                 void r(int *o) {{ k<<<1, 1024>>>(o); }}\n"
            ),
        ),
    ] {
        scratch.write("a.cu", format!("{text}{HEALTHY}"));
        let output = run_bounded(&scratch.0, &["accesses", "--no-cache", "a.cu"]);
        let said = stdout(&output);
        assert!(said.contains("\"kernel\":\"healthy\""), "{name}: {said:.2000}");
        assert!(said.contains("\"k\""), "{name}: {said:.2000}");
        assert!(said.len() < 16 * MEGABYTE, "{name}: {} bytes", said.len());
    }
}

/// What stands many times in one kernel is worked on once for each: time and memory are no squares of it.
#[test]
fn statements_in_a_row_are_no_square() {
    let rows = |count: usize, row: &dyn Fn(usize) -> String| -> String {
        (0..count).map(|at| row(at) + "\n").collect()
    };
    let scratch = Scratch::new("rows");
    for (name, body) in [
        (
            "places of an array",
            format!(
                "int l[20000];\n{}x = l[a];",
                rows(20_000, &|at| format!("l[{at}] = x * {at};"))
            ),
        ),
        (
            "places of an array in a loop",
            format!(
                "int l[4000];\nfor (int i = 0; i < a; ++i) {{\n{}}}\nx = l[a];",
                rows(4_000, &|at| format!("l[{at}] = x * i;"))
            ),
        ),
        (
            "jumps ahead",
            rows(3_000, &|at| {
                format!("if (x == {at}) goto l{at}; x += {at}; l{at}:;")
            }),
        ),
        (
            "returns that data decide",
            rows(4_000, &|at| format!("if (o[{at}] == {at}) return;")),
        ),
        (
            "sums of what was loaded",
            rows(4_000, &|at| format!("x += o[x + {at}];")),
        ),
    ] {
        let kernel = format!(
            "__global__ void k(int *o, int a) {{\n  int x = threadIdx.x;\n{body}\n  o[x] = a;\n}}\n\
             void r(int *o, int a) {{ k<<<1, 256>>>(o, a); }}\n"
        );
        scratch.write("a.cu", format!("{kernel}{HEALTHY}"));
        let output = run_bounded(&scratch.0, &["accesses", "--no-cache", "a.cu"]);
        let said = stdout(&output);
        assert!(
            said.contains("\"kernel\":\"healthy\""),
            "{name}: {said:.2000}"
        );
        assert!(said.contains("\"k\""), "{name}: {said:.2000}");
    }
}
