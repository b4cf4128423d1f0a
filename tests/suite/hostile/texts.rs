//! Bytes, macros, includes, numbers and sizes that nobody writes by accident.

use super::{HEALTHY, has_healthy, is_told, survive};
use crate::cli::{code, cudalint_in, stderr, stdout};
use crate::support::Scratch;
use std::fmt::Write as _;
use std::time::Instant;

#[test]
fn macros_that_explode() {
    let mut doubling = String::from("#define M0 x + 1\n");
    for n in 1..64 {
        let _ = writeln!(doubling, "#define M{n} (M{0} + M{0})", n - 1);
    }
    let mut pasting = String::from(
        "#define P0 xxxxxxxxxxxxxxxx\n#define C(a, b) a##b\n#define D(a, b) C(a, b)\n",
    );
    for n in 1..64 {
        let _ = writeln!(pasting, "#define P{n} D(P{0}, P{0})", n - 1);
    }
    let mut arguments = String::from("#define F0(x) x x\n");
    for n in 1..64 {
        let _ = writeln!(arguments, "#define F{n}(x) F{0}(F{0}(x))", n - 1);
    }
    let kernel = |before: &str, index: &str| {
        format!("{before}__global__ void deep(int *o, int x) {{ o[{index}] = 1; }}\n{HEALTHY}")
    };
    for (name, text) in [
        ("doubling", kernel(&doubling, "M63")),
        ("pasting", kernel(&pasting, "P63")),
        ("arguments", kernel(&arguments, "F63(1)")),
        ("itself", kernel("#define R R + R\n", "R")),
        (
            "each other",
            kernel(
                "#define A(x) B(x)(x)\n#define B(x) A(x)(x)\n",
                "A(A)(B)(A)(B)",
            ),
        ),
        (
            "arguments in arguments",
            kernel(
                "#define G(x) x\n",
                &format!("{}1{}", "G(".repeat(100_000), ")".repeat(100_000)),
            ),
        ),
        (
            "strings of strings",
            kernel(
                "#define S(x) #x\n",
                &format!("sizeof({}1{})", "S(".repeat(50_000), ")".repeat(50_000)),
            ),
        ),
    ] {
        let analysis = survive(&text);
        let is_there = analysis.accesses.iter().any(|one| &*one.kernel == "deep");
        assert!(
            is_there || is_told(&analysis, "deep"),
            "{name}: nothing is said"
        );
    }
    let healthy = survive(&format!("{doubling}{HEALTHY}"));
    assert!(
        has_healthy(&healthy),
        "a bomb that nobody lights harms nobody"
    );
}

#[test]
fn conditions_that_explode() {
    let many = format!(
        "{}\n{HEALTHY}{}",
        "#if 1\n".repeat(100_000),
        "#endif\n".repeat(100_000)
    );
    assert!(has_healthy(&survive(&many)));
    let skipped = format!(
        "{}\n{}{HEALTHY}",
        "#if 0\n".repeat(100_000),
        "#endif\n".repeat(100_000)
    );
    assert!(has_healthy(&survive(&skipped)));
    for condition in [
        format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("{}1", "!".repeat(100_000)),
        format!("{}1", "1 ? 1 : ".repeat(100_000)),
        format!("{}1", "1 + ".repeat(100_000)),
        "1 / 0".to_owned(),
        "1 % 0".to_owned(),
        "(-0x7fffffffffffffff - 1) / -1".to_owned(),
        "(-0x7fffffffffffffff - 1) % -1".to_owned(),
        "-(-0x7fffffffffffffff - 1)".to_owned(),
        "1 << 64".to_owned(),
        "1 << -1".to_owned(),
        "0x7fffffffffffffff * 3 + 0x7fffffffffffffff".to_owned(),
        "999999999999999999999999999999".to_owned(),
        "'\\xfffffffffffffffffffff'".to_owned(),
        "''".to_owned(),
        "defined".to_owned(),
        "defined(".to_owned(),
        "__has_include(".to_owned(),
    ] {
        let text = format!("#if {condition}\nint a;\n#else\nint b;\n#endif\n{HEALTHY}");
        let analysis = survive(&text);
        assert!(has_healthy(&analysis), "#if {condition:.40}");
    }
}

#[test]
fn includes_and_links_that_go_round() {
    let scratch = Scratch::new("round");
    scratch.write("a.cuh", "#include \"b.cuh\"\n#include \"b.cuh\"\n");
    scratch.write("b.cuh", "#include \"a.cuh\"\n#include \"a.cuh\"\n");
    scratch.write(
        "self.cu",
        format!("#include \"self.cu\"\n#include \"a.cuh\"\n{HEALTHY}"),
    );
    scratch.write(
        "one.cu",
        "#include \"two.cu\"\n#include \"sub/../one.cu\"\n",
    );
    scratch.write(
        "two.cu",
        "#include \"one.cu\"\n__global__ void k(int *p) { p[threadIdx.x] = 1; }\n",
    );
    scratch.write("sub/deep/x.cu", "int x;\n");
    #[cfg(unix)]
    for (target, link) in [
        ("loop.cu", "loop.cu"),
        ("ping.cu", "pong.cu"),
        ("pong.cu", "ping.cu"),
        ("nowhere.cu", "dangling.cu"),
        ("..", "sub/up"),
        (".", "sub/deep/here"),
    ] {
        std::os::unix::fs::symlink(target, scratch.0.join(link)).expect("a link");
    }
    scratch.write(
        "links.cu",
        "#include \"loop.cu\"\n#include \"sub/up/sub/up/a.cuh\"\nint y;\n",
    );
    let output = cudalint_in(&scratch.0, &["check", "--exit-zero", "--no-cache", "."]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("self.cu"), "{}", stdout(&output));
    // Named itself, a link that leads nowhere is one sentence.
    let output = cudalint_in(&scratch.0, &["check", "--no-cache", "loop.cu"]);
    assert_eq!(code(&output), 2);
    assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
}

#[test]
fn bytes_that_are_no_text() {
    let kernel = HEALTHY.trim_start();
    let crlf = kernel.replace('\n', "\r\n");
    let cases: Vec<(&str, Vec<u8>, bool)> = vec![
        (
            "a byte order mark",
            [b"\xef\xbb\xbf", kernel.as_bytes()].concat(),
            true,
        ),
        ("CRLF", crlf.into_bytes(), true),
        ("CR", kernel.replace('\n', "\r").into_bytes(), false),
        (
            "a splice before CRLF",
            format!("#define A \\\r\n 1\r\n{kernel}").into_bytes(),
            true,
        ),
        (
            "latin-1",
            [b"// \xe9\xe8\n", kernel.as_bytes()].concat(),
            true,
        ),
        (
            "overlong",
            [b"// \xc0\xaf\xf8\x88\n", kernel.as_bytes()].concat(),
            true,
        ),
        (
            "a surrogate",
            [b"// \xed\xa0\x80\n", kernel.as_bytes()].concat(),
            true,
        ),
        (
            "a late NUL",
            [&vec![b'\n'; 10_000], &b"\0"[..], kernel.as_bytes()].concat(),
            true,
        ),
        (
            "Unicode names",
            kernel.replace("healthy", "gesund_äöü_変数").into_bytes(),
            false,
        ),
        (
            "form feeds",
            kernel.replace(' ', "\x0c \x0b").into_bytes(),
            true,
        ),
        (
            "a file without an end of line",
            kernel.trim_end().as_bytes().to_vec(),
            true,
        ),
        (
            "a splice at the end",
            format!("{kernel}\\").into_bytes(),
            true,
        ),
        ("an open comment", format!("{kernel}/* ").into_bytes(), true),
        ("an open string", format!("{kernel}\"").into_bytes(), true),
        (
            "an open raw string",
            format!("{kernel}auto s = R\"x(").into_bytes(),
            true,
        ),
        (
            "control characters",
            [kernel.as_bytes(), b"\x01\x1b[31m\x7f"].concat(),
            true,
        ),
    ];
    let scratch = Scratch::new("bytes");
    for (name, bytes, is_healthy) in cases {
        scratch.write("k.cu", bytes);
        let output = cudalint_in(&scratch.0, &["accesses", "--no-cache", "k.cu"]);
        assert_eq!(code(&output), 0, "{name}: {}", stderr(&output));
        let text = stdout(&output);
        assert!(text.starts_with("{\"schema\""), "{name}");
        if is_healthy {
            assert!(text.contains("\"kernel\":\"healthy\""), "{name}: {text}");
        }
    }
    // A NUL at the beginning means no text at all.
    scratch.write("k.cu", b"\0\0\0\0");
    let output = cudalint_in(&scratch.0, &["check", "k.cu"]);
    assert_eq!((code(&output), stderr(&output).lines().count()), (2, 1));
    scratch.write("k.cu", b"");
    let output = cudalint_in(&scratch.0, &["check", "k.cu"]);
    assert_eq!((code(&output), stderr(&output).lines().count()), (0, 1));
}

#[test]
fn names_in_any_script_are_analysed() {
    let text = HEALTHY
        .replace("threadIdx.x * 2", "größe変数 * 2")
        .replace("{ o[", "{ int größe変数 = threadIdx.x; o[");
    assert!(has_healthy(&survive(&text)), "{text}");
}

#[test]
fn constants_that_overflow() {
    let expressions = [
        "1 / 0",
        "1 % 0",
        "(-2147483647 - 1) / -1",
        "(-2147483647 - 1) % -1",
        "(-9223372036854775807LL - 1) / -1",
        "(-9223372036854775807LL - 1) % -1",
        "-(-9223372036854775807LL - 1)",
        "1 << 32",
        "1 << 100",
        "1 << -1",
        "1LL << 63",
        "1LL << 64",
        "1 >> 99",
        "1 >> -5",
        "-1 << 31",
        "2147483647 + 1",
        "9223372036854775807LL + 1",
        "9223372036854775807LL * 9223372036854775807LL",
        "0xffffffffffffffffULL + 1",
        "18446744073709551615ULL * 18446744073709551615ULL",
        "99999999999999999999999999999999999999",
        "1e400",
        "(int)1e30",
        "(unsigned)-1",
        "(char)300",
        "abs(-2147483647 - 1)",
        "sizeof(int[9223372036854775807LL])",
        "~0ULL / 3 * 4",
        "0x7fffffff * 0x7fffffff",
        "threadIdx.x / 0",
        "threadIdx.x % 0",
        "threadIdx.x << 40",
        "threadIdx.x * 9223372036854775807LL",
        "threadIdx.x - 9223372036854775807LL - 9223372036854775807LL",
        "(threadIdx.x + 9223372036854775807LL) / -1",
        "-threadIdx.x >> 70",
        "threadIdx.x & -9223372036854775807LL - 1",
    ];
    let mut text = String::new();
    for (at, expression) in expressions.iter().enumerate() {
        let _ = writeln!(
            text,
            "#define E{at} ({expression})\nconstexpr long long c{at} = {expression};\n\
             template <long long N> __global__ void t{at}(char *o) {{ o[threadIdx.x * N] = 1; }}\n\
             __global__ void k{at}(char *o, int n) {{\n  __shared__ int s[64];\n  o[threadIdx.x + ({expression})] = 1;\n  \
             s[({expression}) * threadIdx.x] = n;\n  for (int i = 0; i < ({expression}); i += ({expression})) o[i] = 2;\n  \
             for (long long i = {expression}; i > 0; i /= 2) s[i] = 1;\n  if (n < ({expression})) o[n] = 3;\n}}\n\
             void r{at}(char *o) {{ k{at}<<<{expression}, {expression}, {expression}>>>(o, {expression}); t{at}<({expression})><<<1, 32>>>(o); }}\n\
             __shared__ int a{at}[{expression}];"
        );
    }
    text.push_str(HEALTHY);
    let analysis = survive(&text);
    assert!(has_healthy(&analysis));
    for (at, expression) in expressions.iter().enumerate() {
        let name = format!("k{at}");
        assert!(
            analysis.accesses.iter().any(|one| *one.kernel == *name) || is_told(&analysis, &name),
            "{name} ({expression}) is passed over in silence"
        );
    }
}

#[test]
fn launches_that_overlap_and_contradict() {
    let mut text = String::from(
        "__global__ void many(float *o, int n) {\n  extern __shared__ float s[];\n  s[threadIdx.x * n] = o[threadIdx.y];\n}\nvoid run(float *o, int m) {\n",
    );
    for n in 0..500 {
        let _ = writeln!(
            text,
            "  many<<<{n}, dim3({}, {}, {}), {n}>>>(o, {n});",
            n % 40,
            n % 7,
            n % 3
        );
    }
    text.push_str("  many<<<many<<<1, 1>>>(o, 1), 2>>>(o, many<<<1, 1>>>(o, 2));\n}\n");
    text.push_str("void again() { run(0, 0); run(0, 1); again(); }\n");
    text.push_str(HEALTHY);
    let analysis = survive(&text);
    assert!(has_healthy(&analysis));
    assert!(is_told(&analysis, "many"));
}

#[test]
fn a_long_line() {
    // One statement after the other, without an end of line.
    let body = "o[threadIdx.x] = 1; ".repeat(500);
    let kernel = |n: usize| format!("__global__ void k{n}(int *o) {{ {body} }} ");
    let line: String = (0..50).map(kernel).collect();
    assert!(line.len() > 500_000);
    let analysis = survive(&format!("{line}\n{HEALTHY}"));
    assert!(has_healthy(&analysis));
    assert_eq!(analysis.accesses.len(), 50 * 500 + 1);
}

#[test]
fn limits_can_be_set_and_are_told() {
    let scratch = Scratch::new("limits");
    let kernel = format!(
        "#define TWICE(x) x, x\n#define FOUR(x) TWICE(TWICE(x))\nint all[] = {{ FOUR(1) }};\nint more[] = {{ FOUR(FOUR(1)) }};\nint rest[] = {{ FOUR(2) }};\n\
         __global__ void longer(float *o) {{\n{}}}\n",
        "  o[threadIdx.x] += 1.0f;\n".repeat(50)
    );
    scratch.write("k.cu", format!("{kernel}{HEALTHY}"));
    for (limit, said) in [
        ("file-bytes = 100", "larger than 100 bytes"),
        ("expansion-tokens = 3", "expansion is too large"),
        (
            "steps = 30",
            "over the limit of 30 steps of the walk through one kernel",
        ),
    ] {
        scratch.write("cudalint.toml", format!("[limits]\n{limit}\n"));
        let output = cudalint_in(
            &scratch.0,
            &["check", "--exit-zero", "--no-cache", "-v", "k.cu"],
        );
        let text = stdout(&output) + &stderr(&output);
        assert!(text.contains(said), "{limit}: {text}");
    }
    // A kernel that is read in part says so among its gaps.
    scratch.write("cudalint.toml", "[limits]\nstatements = 20\n");
    let output = cudalint_in(&scratch.0, &["accesses", "--no-cache", "k.cu"]);
    assert!(stdout(&output).contains("over the limit of 20 statements of one kernel"));
    // A file raises a limit a little, the command line as it likes.
    scratch.write("cudalint.toml", "[limits]\nstatements = 900000\n");
    let output = cudalint_in(&scratch.0, &["check", "--no-cache", "."]);
    let said = stderr(&output);
    assert_eq!(code(&output), 2, "{said}");
    assert!(said.contains("may set no more than 800000"), "{said}");
    scratch.write("cudalint.toml", "");
    let raised = [
        "check",
        "--no-cache",
        "--config",
        "limits.statements=900000",
        ".",
    ];
    assert_ne!(code(&cudalint_in(&scratch.0, &raised)), 2);
    scratch.write("cudalint.toml", "[limits]\nfile-bytes = 99999999999\n");
    let output = cudalint_in(&scratch.0, &["check", "k.cu"]);
    assert_eq!((code(&output), stderr(&output).lines().count()), (2, 1));
}

/// What takes a while; `cargo test --test suite huge -- --nocapture` prints how long.
#[test]
fn huge() {
    let report = |name: &str, text: &str| {
        let start = Instant::now();
        let analysis = survive(text);
        println!(
            "{name}: {} MB, {} accesses, {} not analysed, {:.1} s",
            text.len() / 1_000_000,
            analysis.accesses.len(),
            analysis.not_analysed.len(),
            start.elapsed().as_secs_f64()
        );
        assert!(has_healthy(&analysis), "{name}");
    };
    let kernel = |n: usize| {
        format!(
            "__global__ void k{n}(float *o) {{ o[threadIdx.x * {}] = {n}; }}\n",
            n % 64
        )
    };
    let kernels: String = (0..50_000).map(kernel).collect();
    report("50,000 kernels", &format!("{kernels}{HEALTHY}"));
    let filler = |n: usize| format!("static const int t{n}[8] = {{1, 2, 3, 4, 5, 6, 7, {n}}};\n");
    let mut file: String = (0..1_000_000).map(filler).collect();
    file.truncate(50_000_000);
    let end = file.rfind('\n').unwrap_or(0);
    file.truncate(end);
    report("a file of 50 MB", &format!("{file}{HEALTHY}"));
    let line = "int a = 1 + 2 * (3 - 4); ".repeat(400_000);
    report(
        "a line of 10 MB",
        &format!("void f() {{ {line} }}\n{HEALTHY}"),
    );
    let text = format!("const char *s = \"{}\";\n{HEALTHY}", "x".repeat(10_000_000));
    report("a string of 10 MB", &text);
    let numbers = "1, ".repeat(10_000_000 / 3);
    report(
        "a list of 10 MB",
        &format!("int t[] = {{ {numbers} }};\n{HEALTHY}"),
    );
    let kernel = format!(
        "__global__ void one(int *o) {{ {} }}\n{HEALTHY}",
        "o[threadIdx.x] = 1; ".repeat(500_000)
    );
    report("a kernel of 10 MB", &kernel);
}
