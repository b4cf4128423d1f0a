//! Input, output and origins, as tables.

mod passes;

use std::path::Path;
use std::sync::Arc;

use super::*;

/// Files of a test, by path.
struct Files(Vec<(PathBuf, String)>);

impl Includes for Files {
    fn read(&self, path: &Path) -> Option<Arc<SourceFile>> {
        let (path, text) = self.0.iter().find(|(name, _)| name == path)?;
        let file = SourceFile::new(path.clone(), text.as_str().into());
        Some(Arc::new(file))
    }
}

fn run(source: &str, options: &Options) -> (SourceMap, Expanded) {
    let mut parts = source.split("//@ file ");
    let main_text = parts.next().unwrap();
    let files = parts.map(|part| {
        let (name, text) = part.split_once('\n').unwrap();
        (Path::new("/src").join(name), text.to_owned())
    });
    let files = Files(files.collect());
    let mut sources = SourceMap::default();
    let main = sources.add("/src/main.cu", main_text);
    let expanded = preprocess(main, &mut sources, options, &files);
    comes_back(&expanded, &sources);
    (sources, expanded)
}

/// A text that is packed is the same afterwards.
#[track_caller]
fn comes_back(expanded: &Expanded, sources: &SourceMap) {
    let input = |id| Some(&**sources.get(id).input());
    let packed = Packed::of(expanded, &input);
    let back = packed.unpacked(&input).unwrap();
    let parts = |one: &Expanded| {
        let places = (&one.invocations, &one.places, &one.bodies);
        format!("{:?}", (one.main, &one.pieces, places))
    };
    assert_eq!(back.text, expanded.text);
    assert_eq!(parts(&back), parts(expanded));
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A range of the output, the text it comes from, and the part of a definition.
type OriginCase<'a> = (&'a str, &'a str, Option<&'a str>);

/// Preprocesses `source`; files after the first start at lines `//@ file NAME`. Compares the output
/// apart from blanks, the kinds of the notes, and the origins of parts of the output.
#[track_caller]
fn check_all(source: &str, output: &str, notes: &[NoteKind], origins: &[OriginCase]) {
    let options = Options {
        include_dirs: vec!["/src/include".into()],
        ..Options::default()
    };
    let (sources, expanded) = run(source, &options);
    assert_eq!(words(&expanded.text), words(output), "in {source}");
    let kinds: Vec<NoteKind> = expanded.notes.iter().map(|note| note.kind).collect();
    assert_eq!(kinds, notes, "{:?}", expanded.notes);
    for &(part, text, definition) in origins {
        let start = expanded.text.find(part).unwrap();
        let origin = expanded.origin(start..start + part.len());
        let found = origin.definition.map(|span| sources.text(span));
        assert_eq!(
            (sources.text(origin.span), found),
            (text, definition),
            "origin of {part}"
        );
    }
}

#[track_caller]
fn check(source: &str, output: &str) {
    check_all(source, output, &[], &[]);
}

#[test]
fn macros_expand_as_the_standard_says() {
    // The examples of C17 6.10.3.5.
    let definitions = "\
#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
#define p() int
#define q(x) x
#define r(x,y) x ## y
#define str(x) # x
";
    for (source, output) in [
        (
            "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);",
            "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);",
        ),
        (
            "g(x+(3,4)-w) | h 5) & m\n(f)^m(m);",
            "f(2 * (2 +(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1)) ^m(0,1);",
        ),
        (
            "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };",
            "int i[] = { 1, 23, 4, 5, };",
        ),
        (
            "char c[2][6] = { str(hello), str() };",
            "char c[2][6] = { \"hello\", \"\" };",
        ),
        (
            "str(strncmp(\"abc\\0d\", 'a', '\\4') // gone\n== 0) str(: @\\n)",
            r#""strncmp(\"abc\\0d\", 'a', '\\4') == 0" ": @\n""#,
        ),
    ] {
        check(&format!("{definitions}{source}"), output);
    }
}

#[test]
fn operators_and_variadics() {
    for (source, output) in [
        (
            "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n\
             #define join(c, d) in_between(c hash_hash d)\njoin(x, y)",
            "\"x ## y\"",
        ),
        (
            "#define t(x,y,z) x ## y ## z\nt(1,2,3) t(,4,5) t(6,,7) t(8,9,) t(10,,) t(,,)",
            "123 45 67 89 10",
        ),
        (
            "#define e(f, a...) p(f, ## a)\ne(1) e(1,) e(1, 2, 3)",
            "p(1) p(1,) p(1, 2, 3)",
        ),
        (
            "#define e(f, ...) p(f, ##__VA_ARGS__)\ne(1) e(1, 2)",
            "p(1) p(1, 2)",
        ),
        (
            "#define E\n#define F(...) f(0 __VA_OPT__(,) __VA_ARGS__)\nF(a, b) F() F(E)",
            "f(0, a, b) f(0) f(0)",
        ),
        (
            "#define H4(X, ...) __VA_OPT__(a X ## X) ## b\nH4(, 1) H4(y, 1)",
            "a b a yyb",
        ),
        (
            "#define S(...) #__VA_ARGS__\nS(a,  b , \"c\\n\") S()",
            r#""a, b , \"c\\n\"" """#,
        ),
        (
            "#define CAT(a, b) CAT_(a, b)\n#define CAT_(a, b) a ## b\nCAT(v, __LINE__) CAT(v, __COUNTER__) __COUNTER__",
            "v3 v0 1",
        ),
        (
            "#define N(...) N_(__VA_ARGS__, 3, 2, 1, 0)\n#define N_(a, b, c, n, ...) n\nN(x) N(x, (y, z))",
            "1 2",
        ),
        ("#define f(x) x f\nf(1)(2)(3)", "1 f(2)(3)"),
        ("#define a b\n#define b a+1\na b", "a+1 b+1"),
        ("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2*9*g"),
        (
            "#define L(k, ...) k<<<1, 2>>>(__VA_ARGS__)\nL(kern, a, b);",
            "kern<<<1, 2>>>(a, b);",
        ),
        ("#define o() x\no o ( ) o(\n) o", "o x x o"),
        (
            "#define cat(a, b) a ## b\ncat(L, \"s\") cat(-, >) cat(1, .5) cat(+, x)",
            "L\"s\" -> 1.5 + x",
        ),
        ("_Pragma(\"unroll\") for", "for"),
    ] {
        check(source, output);
    }
}

#[test]
fn tokens_never_join() {
    for (source, output) in [
        ("#define E\n-E- +E+ E-1 a E b", "- - + + -1 a b"),
        ("#define M -\n-M-1 M>y x M= M M", "- - -1 - >y x - = - -"),
        (
            "#define X y\nX(1) 1X u8X X\"s\" 0x1e+X",
            "y(1) 1X u8X y \"s\" 0x1e+X",
        ),
        ("#define f(x) a x(x)x\nf(1)", "a 1(1)1"),
        ("#define D .\n1 D D.", "1 . . ."),
    ] {
        check(source, output);
    }
}

#[test]
fn text_outside_of_macros_stays() {
    for (source, output) in [
        ("a/* x\n */b // c\nd", "a \nb  \nd"),
        ("a\\\nb é\\\nü \\\r\n+\\\n+ \"x\\\ny\"", "ab éü ++ \"xy\""),
        (
            "\u{feff}int é = '\\'' + 1'000 + '\"';\r\n",
            "int é = '\\'' + 1'000 + '\"';",
        ),
        (
            "R\"d(\n#define x // )\" )d\" x",
            "R\"d(\n#define x // )\" )d\" x",
        ),
        (
            "\"unterminated // x\n'y\nz \\ \0 `@",
            "\"unterminated // x\n'y\nz \\ \0 `@",
        ),
        ("#pragma unroll\nfor\n#\n#line 3\n# 4 \"x\"\n", "for"),
        (
            "__global__ __launch_bounds__(256) void k()",
            "__global__ __launch_bounds__(256) void k()",
        ),
        ("#define __shared__ static\n__shared__ x", "__shared__ x"),
        ("/* never closed", ""),
    ] {
        check(source, output);
    }
    let (_, expanded) = run(
        "#define A \\\n 1\nA\n#if 0\nx\n#endif\ny",
        &Options::default(),
    );
    assert_eq!(expanded.text, "\n\n1\n\n\n\ny", "lines stay lines");
}

#[test]
fn conditions() {
    for (condition, value) in [
        ("1", true),
        ("0", false),
        ("", false),
        ("undefined_name", false),
        ("true && !false", true),
        ("defined A && defined(A) && !defined B", true),
        ("A == 3 && F(2) == 5", true),
        ("F(A)", true),
        ("IS(defined(A))", true),
        ("0x10 == 16 && 010 == 8 && 0b11 == 3 && 1'000 == 1000", true),
        (
            "10UL > 9ll && 'a' == 97 && '\\n' == 10 && '\\x41' == 65",
            true,
        ),
        ("1 ? 0 : 1", false),
        ("0 ? 1 / 0 : 2 == 2", true),
        ("(2 + 3) * 4 - 5 % 3 == 18", true),
        ("1 << 3 | 1 == 8", true),
        ("~0 == -1 && -1 < 0 && -1 > 0u", true),
        ("0 || 1 && 1 ^ 1 & 1", false),
        ("0xffffffffffffffff > 0", true),
        (
            "__CUDA_ARCH__ >= 800 && defined(__CUDACC__) && __CUDACC_VER_MAJOR__ >= 11",
            true,
        ),
        ("__cplusplus >= 201402L && defined(__linux__)", true),
        (
            "__has_include(\"here.h\") && !__has_include(\"there.h\") && __has_include(<cuda_fp16.h>)",
            true,
        ),
        (
            "defined(__has_include) && !__has_builtin(__x) && !__has_cpp_attribute(a::b)",
            true,
        ),
        ("A and not B or B", true),
    ] {
        let output = if value { "yes" } else { "no" };
        let source = format!(
            "#define A 3\n#define F(x) (x + A)\n#define IS(x) x\n#if {condition}\nyes\n#else\nno\n#endif\n//@ file here.h\n"
        );
        let (_, expanded) = run(&source, &Options::default());
        assert_eq!(expanded.text.trim(), output, "#if {condition}");
        assert_eq!(
            expanded.notes.is_empty(),
            !condition.is_empty(),
            "#if {condition}: {:?}",
            expanded.notes
        );
    }
    for condition in [
        "1 / 0",
        "(-9223372036854775807 - 1) / -1",
        "(-9223372036854775807 - 1) % -1",
        "1 << 64",
        "1 >> 99999999999",
        "1.5",
        "\"x\"",
        "1 +",
        "(1",
        "1)",
        "F(1)",
        "0x",
        "''",
    ] {
        let source = format!("#if {condition}\nyes\n#else\nno\n#endif");
        check_all(&source, "no", &[NoteKind::MalformedDirective], &[]);
    }
}

#[test]
fn conditionals() {
    for (source, output) in [
        (
            "#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif\ne",
            "b e",
        ),
        ("#ifdef X\na\n#elifdef __CUDACC__\nb\n#else\nc\n#endif", "b"),
        (
            "#ifndef X\na\n#if 0\n#else\nb\n#endif\n#else\nc\n#endif",
            "a b",
        ),
        (
            "#if 0\n#if 1\n#else\n#elif\n#endif\nit's\n\"\n/* \n#else */\n#else\nb\n#endif",
            "b",
        ),
        ("#if 1\na\n#elif 1 / 0\nb\n#endif", "a"),
        ("  #  if 0 // x\na\n/* */ # /* */ endif\nb", "b"),
        (
            "#define f(x) [x]\nf(1\n#if 1\n+2\n#else\n+3\n#endif\n)",
            "[1 +2]",
        ),
        ("#define f(x) [x]\nf\n#if 1\n(1)\n#endif", "f (1)"),
    ] {
        check(source, output);
    }
    use NoteKind::*;
    check_all("#if 1\na", "a", &[UnbalancedConditional], &[]);
    check_all(
        "#endif\na\n#else\nb",
        "a b",
        &[UnbalancedConditional; 2],
        &[],
    );
    check_all("#error it's wrong\na", "a", &[ErrorDirective], &[]);
    check_all(
        "#frobnicate\n#define\n#define f(a\na",
        "a",
        &[MalformedDirective; 3],
        &[],
    );
    check_all(
        "#define f(a) a\nf(1, 2) f(",
        "f(1, 2) f(",
        &[MalformedInvocation; 2],
        &[],
    );
}

#[test]
fn includes() {
    for (source, output) in [
        (
            "#include \"a.h\"\n#include \"a.h\"\n//@ file a.h\n#pragma once\na",
            "a",
        ),
        (
            "#include \"a.h\"\n#include \"./x/../a.h\"\nb\n//@ file a.h\n#ifndef A\n#define A\na\n#endif",
            "a b",
        ),
        (
            "#include <a.h>\n//@ file a.h\nno\n//@ file include/a.h\nyes",
            "yes",
        ),
        (
            "#include \"d/b.h\"\n//@ file d/b.h\n#include \"c.h\"\n//@ file d/c.h\nc",
            "c",
        ),
        (
            "#define H <a.h>\n#define Q(x) #x\n#include H\n#include Q(b.h)\n//@ file b.h\nb\n//@ file include/a.h\na",
            "a b",
        ),
        (
            "x\n#include \"a.h\" // c\ny\n//@ file a.h\n#define f(x) [x]\na",
            "x a y",
        ),
    ] {
        check(source, output);
    }
    use NoteKind::*;
    check_all(
        "#include \"none.h\"\n#include <iostream>\n#include <other.hpp>\n#include <cuda/barrier>\n#include \"cuda/none.h\"\n#include 3\n#include",
        "",
        &[
            UnresolvedInclude,
            ToolchainInclude,
            UnresolvedInclude,
            ToolchainInclude,
            UnresolvedInclude,
            MalformedDirective,
            MalformedDirective,
        ],
        &[],
    );
    check_all(
        "#include \"main.cu\"\na\n#undef main",
        &"a ".repeat(100),
        &[LimitReached],
        &[],
    );
}

#[test]
fn comments_are_collected() {
    let source = "// one\n#include \"a.h\"\n#include \"a.h\"\n#include <b.h>\n#define f(x) x /* two */\n\
                  #if 0 // three\n// not this\n#endif\nf(/* four */ 1) f f\n//@ file a.h\n// five\n//@ file include/b.h\n// system";
    let options = Options {
        include_dirs: vec!["/src/include".into()],
        ..Options::default()
    };
    let (sources, expanded) = run(source, &options);
    let comments: Vec<&str> = expanded.comments.iter().map(|c| sources.text(*c)).collect();
    assert_eq!(
        comments,
        ["// one", "/* two */", "// three", "/* four */", "// five"]
    );
}

#[test]
fn origins() {
    // Outside of macros, also across comments and macros.
    check_all(
        "#define N 32\nint a/*x*/[N]; b",
        "int a [32]; b",
        &[],
        &[
            ("int", "int", None),
            ("a [32]", "a/*x*/[N]", None),
            ("32", "N", Some("32")),
            ("b", "b", None),
        ],
    );
    // Arguments as written, bodies as used.
    check_all(
        "#define AT(p, i) p[(i) * STRIDE + 1]\n#define STRIDE 33\nx = AT(tile, threadIdx.x + 2);",
        "x = tile[(threadIdx.x + 2) * 33 + 1];",
        &[],
        &[
            ("threadIdx.x + 2", "threadIdx.x + 2", None),
            ("tile", "tile", None),
            ("tile[", "AT(tile, threadIdx.x + 2)", Some("p[")),
            (
                "(threadIdx.x + 2)",
                "AT(tile, threadIdx.x + 2)",
                Some("(i)"),
            ),
            (
                "tile[(threadIdx.x + 2) * 33 + 1]",
                "AT(tile, threadIdx.x + 2)",
                Some("p[(i) * STRIDE + 1]"),
            ),
            ("33", "AT(tile, threadIdx.x + 2)", Some("33")),
            ("x = tile", "x = AT(tile, threadIdx.x + 2)", None),
        ],
    );
    // A macro inside an argument, and one inside a body.
    check_all(
        "#define IN(a) a[0]\n#define OUT(b) IN(s) + IN(b)\nOUT(q) + IN(IN(r));",
        "s[0] + q[0] + r[0][0];",
        &[],
        &[
            ("s[0]", "OUT(q)", Some("a[0]")),
            ("s", "OUT(q)", Some("s")),
            ("q", "q", None),
            ("q[0]", "OUT(q)", Some("a[0]")),
            ("r[0][0]", "IN(IN(r))", Some("a[0]")),
            ("+ q", "OUT(q)", Some("+")),
        ],
    );
    // Made tokens, predefined macros, and the command line have their invocation.
    check_all(
        "#define C(a) s_ ## a #a\nC(x) INT_MAX __LINE__",
        "s_x \"x\" 2147483647 2",
        &[],
        &[
            ("s_x", "C(x)", Some("s_ ## a")),
            ("\"x\"", "C(x)", Some("#a")),
            ("2147483647", "INT_MAX", None),
        ],
    );
    // A file that is included.
    check_all(
        "#include \"a.h\"\nF(1) y\n//@ file a.h\nint k;\n#define F(x) x + 2\n",
        "int k; 1 + 2 y",
        &[],
        &[
            ("int k", "int k", None),
            ("1 + 2", "F(1)", Some("x + 2")),
            ("y", "y", None),
        ],
    );
    let (sources, expanded) = run("#define F(x) x\n F(\n a + b\n)", &Options::default());
    let start = expanded.text.find("a + b").unwrap();
    let site = expanded.use_site(start..start + 5);
    assert_eq!(sources.text(site), "F(\n a + b\n)");
    assert!(expanded.is_expansion(start..start + 5));
    let end = expanded.text.len();
    let _ = expanded.origin(end..end);
    let _ = expanded.origin(end + 7..end + 9);
    let (_, empty) = run("", &Options::default());
    assert_eq!(empty.origin(0..0).span, Span::new(FileId(0), 0, 0));
}

#[test]
fn options() {
    let options = Options {
        defines: vec![
            ("A".into(), None),
            ("B".into(), Some("x\ny".into())),
            ("F(x)".into(), Some("[x]".into())),
            ("GONE".into(), None),
        ],
        undefines: vec!["GONE".into(), "__linux__".into()],
        forced_includes: vec!["pre.h".into(), "none.h".into()],
        include_dirs: vec!["/src".into()],
        arch: 800,
        ..Options::default()
    };
    let source = "A B F(2) GONE __linux__ __CUDA_ARCH__\n//@ file pre.h\nfirst\n";
    let (sources, expanded) = run(source, &options);
    assert_eq!(words(&expanded.text), "first 1 x y [2] GONE __linux__ 800");
    let kinds: Vec<NoteKind> = expanded.notes.iter().map(|note| note.kind).collect();
    assert_eq!(kinds, [NoteKind::UnresolvedInclude]);
    let start = expanded.text.find("[2]").unwrap();
    let origin = expanded.origin(start..start + 3);
    assert_eq!(
        (sources.text(origin.span), origin.definition),
        ("F(2)", None)
    );
}

#[test]
fn bombs_are_left_as_they_stand() {
    let doubling: String = (1..60)
        .map(|i| format!("#define A{i} A{0} A{0}\n", i - 1))
        .collect();
    check_all(
        &format!("{doubling}A59;"),
        "A59;",
        &[NoteKind::LimitReached],
        &[],
    );
    let pasting: String = (0..60)
        .map(|i| format!("#define P{i}(x) P{}(x ## x)\n", i + 1))
        .collect();
    check_all(
        &format!("{pasting}P0(abc);"),
        "P0(abc);",
        &[NoteKind::LimitReached],
        &[],
    );
    let nested = |depth| {
        format!(
            "#define F(x) x\n{}1{}",
            "F(".repeat(depth),
            ")".repeat(depth)
        )
    };
    check(&nested(200), "1");
    let (_, expanded) = run(&nested(3000), &Options::default());
    assert!(
        expanded
            .notes
            .iter()
            .all(|note| note.kind == NoteKind::LimitReached)
    );
    for source in ["(", "-", "1?1:", "1+("] {
        let source = format!("#if {}1\n#endif\nx", source.repeat(50_000));
        let (_, expanded) = run(&source, &Options::default());
        assert_eq!(expanded.text.trim(), "x");
    }
}
