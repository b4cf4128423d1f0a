//! Texts that are long without end: time and memory grow with them, up to a limit that is told.

use super::HEALTHY;
use super::run_bounded;
use crate::cli::{code, cudalint_in, stderr, stdout};
use crate::support::Scratch;

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
        ("launch brackets", "<<<"),
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
        stderr(&output).contains("larger than 16777216 bytes"),
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
