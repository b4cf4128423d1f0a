//! Host passes: what the host compiles, and what a pass leaves out.

use super::*;

/// What each pass makes of `__CUDA_ARCH__`, and what is made of both.
#[test]
#[expect(clippy::too_many_lines, reason = "one list of cases")]
fn host_functions_are_those_of_the_host() {
    let cases = [
        (
            "a macro",
            "#ifdef __CUDA_ARCH__\n#define N 8\n#else\n#define N 4\n#endif\n\
             __global__ void k(float *a) { a[N]; }\nvoid f() { k<<<N, N>>>(0); }",
            "__global__ void k(float *a) { a[8]; } void f() { k<<<4, 4>>>(0); }",
        ),
        (
            "a constant, and what rests on it",
            "#ifdef __CUDA_ARCH__\nconst int N = 8;\n#else\nconst int N = 4;\n#endif\n\
             const int M = N;\nvoid f() { g(M); }\nvoid h() { g(1); }",
            "const int N$host = 4; const int N = 8; const int M = N; const int M$host = N$host; \
             void f() { g(M$host); } void h() { g(1); }",
        ),
        (
            "a function of both",
            "__host__ __device__ int n() {\n#ifdef __CUDA_ARCH__\nreturn 8;\n#else\nreturn 4;\n#endif\n}\n\
             void f() { g(n()); }",
            "__host__ __device__ int n() { return 8; } __host__ __device__ int n$host() { return 4; } \
             void f() { g(n$host()); }",
        ),
        (
            "members that begin with values in braces, and a constructor that differs",
            "#ifdef __CUDA_ARCH__\n#define CHECK(c)\n#else\n#define CHECK(c) check(c)\n#endif\n\
             struct S {\n__host__ __device__ S(int *p) : data(p) { CHECK(data); }\nint *data { nullptr };\n};\n\
             __global__ void k(S s) { s.data[0]; }",
            "struct S { __host__ __device__ S(int *p) : data(p) { ; } int *data { nullptr }; }; \
             __global__ void k(S s) { s.data[0]; }",
        ),
        (
            "a function without a word that the device calls",
            "int n() {\n#ifdef __CUDA_ARCH__\nreturn 8;\n#else\nreturn 4;\n#endif\n}\n\
             __device__ int d() { return n(); }\nvoid f() { g(n()); }",
            "int n() { return 8; } int n$host() { return 4; } __device__ int d() { return n(); } \
             void f() { g(n$host()); }",
        ),
        (
            "functions of one pass alone",
            "#ifdef __CUDA_ARCH__\nvoid d() { 8; }\n#else\nvoid h() { 4; }\n#endif\nint x;",
            "void h() { 4; } int x;",
        ),
        (
            "members of a class",
            "struct S {\n#ifdef __CUDA_ARCH__\nenum { n = 8 };\nvoid f() { 8; }\n#else\nenum { n = 4 };\n\
             void f() { 4; }\n#endif\n};\nvoid g() { S::n; }",
            "struct S { void f() { 4; } enum { n = 8 }; }; void g() { S::n$host; }",
        ),
        (
            "a namespace",
            "namespace a { extern \"C\" {\n#ifndef __CUDA_ARCH__\nvoid f() { 4; }\n#endif\n} }",
            "namespace a { extern \"C\" { void f() { 4; } } }",
        ),
        (
            "a template's parameter that hides what differs",
            "#ifdef __CUDA_ARCH__\nusing B = int;\n#else\nusing B = long;\n#endif\n\
             template <class B, class C = int> struct S { enum { n = 3 }; };\nvoid g() { S<char>::n; }",
            "using B$host = long; using B = int; \
             template <class B, class C = int> struct S { enum { n = 3 }; }; void g() { S<char>::n; }",
        ),
        (
            "a word of the language in a constant that differs",
            "#ifdef __CUDA_ARCH__\nconst bool v = f<A, B>(1) || true;\n#else\n\
             const bool v = f<A, B>(2) || true;\n#endif\nvoid g() { h(true); }",
            "const bool v$host = f<A, B>(2) || true; const bool v = f<A, B>(1) || true; \
             void g() { h(true); }",
        ),
        (
            "code of the device alone",
            "__device__ int d() {\n#if __CUDA_ARCH__ >= 800\nreturn 8;\n#else\nreturn 4;\n#endif\n}",
            "__device__ int d() { return 8; }",
        ),
    ];
    for (what, source, output) in cases {
        let (sources, expanded) = run(source, &Options::default());
        assert_eq!(words(&expanded.text), words(output), "{what}");
        assert!(expanded.notes.is_empty(), "{what}: {:?}", expanded.notes);
        // What stands there under another name points to what the user wrote.
        for (at, _) in expanded.text.match_indices("$host") {
            let word = expanded.text[..at]
                .rsplit(|c: char| !c.is_alphanumeric())
                .next()
                .unwrap();
            let origin = expanded.origin(at - word.len()..at + 5);
            assert_eq!(sources.text(origin.span), word, "{what}");
        }
    }
}

#[test]
fn passes_that_do_not_fit_are_told() {
    let source = "void f() {\n#ifdef __CUDA_ARCH__\n}\n#endif\nint x;";
    check_all(source, "void f() { } int x;", &[NoteKind::HostPass], &[]);
}

#[test]
fn what_is_left_out_is_told() {
    use NoteKind as N;
    let kernel = "__global__ void __launch_bounds__(32) k(float *a) { }";
    for (source, notes, names) in [
        (
            format!("#ifdef USE\n{kernel}\nf(); k<<<1, 2>>>(p);\n#endif"),
            vec![N::SkippedKernel, N::SkippedLaunch],
            vec!["k", "<<<"],
        ),
        (
            format!("#if defined(USE) && N > 2\n{kernel}\n#else\n#endif"),
            vec![N::SkippedKernel],
            vec!["k"],
        ),
        (
            format!("#ifndef USE\n#else\n{kernel}\n#endif"),
            vec![N::SkippedKernel],
            vec!["k"],
        ),
        (
            format!("#define USE\n#ifdef USE\n#else\n{kernel}\n#endif"),
            vec![N::SkippedText],
            vec!["k"],
        ),
        (
            format!("#if 0\n{kernel}\n#endif"),
            vec![N::SkippedText],
            vec!["k"],
        ),
        (
            format!("#ifdef __HIPCC__\n{kernel}\n#endif"),
            vec![N::SkippedText],
            vec!["k"],
        ),
        (
            "#ifdef USE\n// __global__ void k() {} k<<<1, 1>>>();\n__global__ void k();\n#endif"
                .to_owned(),
            vec![],
            vec![],
        ),
    ] {
        let beside = format!("__global__ void compiled();\n{source}");
        let (sources, expanded) = run(&beside, &Options::default());
        let kinds: Vec<NoteKind> = expanded.notes.iter().map(|note| note.kind).collect();
        assert_eq!(kinds, notes, "{source}");
        let spans: Vec<&str> = expanded
            .notes
            .iter()
            .map(|note| sources.text(note.span))
            .collect();
        assert_eq!(spans, names, "{source}");
    }
}

/// A build defines what all device code of a file hangs on, unless the options say that it does not.
#[test]
fn device_code_that_is_all_hidden_is_compiled() {
    let kernel = "__global__ void k(float *a) { }";
    let without = Options {
        undefines: vec!["USE_CUDA".to_owned()],
        ..Options::default()
    };
    let plain = Options::default();
    for (source, options, is_compiled, told) in [
        (
            format!("#ifdef USE_CUDA\n{kernel}\n#endif"),
            &plain,
            true,
            1,
        ),
        (format!("#if USE_CUDA\n{kernel}\n#endif"), &plain, true, 1),
        (
            format!("#ifdef USE_CUDA\n#ifdef USE_RINGS\n{kernel}\n#endif\n#endif"),
            &plain,
            true,
            2,
        ),
        (
            "#ifdef USE_CUDA\nk<<<1, 32>>>(p);\n#endif".to_owned(),
            &plain,
            true,
            1,
        ),
        (
            format!("#ifdef USE_CUDA\n{kernel}\n#endif"),
            &without,
            false,
            0,
        ),
        (
            format!("#if USE_CUDA > 3\n{kernel}\n#endif"),
            &plain,
            false,
            0,
        ),
        (
            format!("#ifdef USE_ROCM\n{kernel}\n#endif"),
            &plain,
            false,
            0,
        ),
        (
            format!("{kernel}\n#ifdef USE_CUDA\n{kernel}\n#endif"),
            &plain,
            true,
            0,
        ),
    ] {
        let (_, expanded) = run(&source, options);
        let has_code = ["__global__", "<<<"]
            .iter()
            .any(|word| expanded.text.contains(word));
        assert_eq!(has_code, is_compiled, "{source}");
        let is_told = |note: &&Note| note.kind == NoteKind::OpenCondition;
        assert_eq!(
            expanded.notes.iter().filter(is_told).count(),
            told,
            "{source}"
        );
    }
}

#[test]
fn what_a_missing_header_may_define_is_told() {
    for (condition, is_open) in [
        ("#ifdef BIG\n#endif", true),
        ("#if TUNING > 3\n#endif", true),
        ("#ifndef BS\n#define BS 64\n#endif", true),
        ("#if 1\n#elif defined(BIG)\n#endif", false),
        ("#ifndef MAIN_H\n#define MAIN_H\n#endif", false),
        (
            "#ifdef __GNUC__\n#endif\n#ifdef _MSC_VER\n#endif\n#ifndef NDEBUG\n#endif",
            false,
        ),
        ("#define BIG 1\n#if BIG\n#endif", false),
    ] {
        for (header, is_missing) in [("\"config.h\"", true), ("<cuda_runtime.h>", false)] {
            let (_, expanded) = run(
                &format!("#include {header}\n{condition}"),
                &Options::default(),
            );
            let is_told = expanded
                .notes
                .iter()
                .any(|note| note.kind == NoteKind::OpenCondition);
            assert_eq!(is_told, is_open && is_missing, "{header} {condition}");
        }
    }
}

/// A build system sets what only adds cases to a dispatch, unless something asked for it before.
#[test]
fn cases_of_a_dispatch_are_compiled() {
    let dispatch = "#ifdef ENABLE_HALF
#define CASE_HALF(T, ...) \\
  case 2: {               \\
    using T = half;       \\
    __VA_ARGS__           \\
  }
#else
#define CASE_HALF(T, ...)
#endif
CASE_HALF(T, f<T>();)
";
    let logs = dispatch.replace("case 2: ", "printf(\"\"); ");
    for (before, text, is_compiled) in [
        ("", dispatch, true),
        ("#ifdef ENABLE_HALF\n#endif\n", dispatch, false),
        ("#undef ENABLE_HALF\n", dispatch, false),
        ("", &logs, false),
        (
            "",
            &dispatch.replace("(T, ...)\n#endif", "(T, ...) 1\n#endif"),
            false,
        ),
    ] {
        let (_, expanded) = run(&format!("{before}{text}"), &Options::default());
        let made = &expanded.text;
        assert_eq!(made.contains("using T = half"), is_compiled, "{made}");
        let said = |note: &Note| note.message.contains("`ENABLE_HALF` is defined");
        assert_eq!(expanded.notes.iter().any(said), is_compiled, "{made}");
    }
    let options = Options {
        undefines: vec!["ENABLE_HALF".to_owned()],
        ..Options::default()
    };
    let (_, expanded) = run(dispatch, &options);
    assert!(!expanded.text.contains("using T = half"));
}
