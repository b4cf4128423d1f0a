//! What nests, 100,000 deep, and what goes on, 100,000 long.

use super::{HEALTHY, has_healthy, is_told, survive};
use std::fmt::Write as _;

const DEEP: usize = 100_000;

fn nested(open: &str, middle: &str, close: &str) -> String {
    format!("{}{middle}{}", open.repeat(DEEP), close.repeat(DEEP))
}

/// A kernel with `body`, and the healthy one behind it.
fn around(body: &str) -> String {
    format!(
        "__global__ void deep(int *o, int a) {{\n  int x = threadIdx.x;\n{body}\n  o[x] = a;\n}}\n{HEALTHY}"
    )
}

/// Every shape ends in an answer; the kernel behind it has its own, and the deep one is not
/// passed over in silence.
fn all(shapes: &[(&str, String)]) {
    for (name, text) in shapes {
        let analysis = survive(text);
        assert!(
            has_healthy(&analysis),
            "{name}: what follows is lost: {:?}",
            analysis.not_analysed.iter().take(3).collect::<Vec<_>>()
        );
        assert!(is_told(&analysis, "deep"), "{name}: nothing is said");
    }
}

#[test]
fn deep_expressions() {
    let set = |text: String| around(&format!("  x = {text};"));
    all(&[
        ("parentheses", set(nested("(", "a", ")"))),
        ("minus", set(nested("- ", "a", ""))),
        ("increments", set(nested("++", "a", ""))),
        ("not", set(nested("!", "a", ""))),
        ("complements", set(nested("~", "a", ""))),
        ("stars", set(nested("*", "o", ""))),
        ("casts", set(nested("(int)", "a", ""))),
        ("calls", set(nested("min(a, ", "a", ")"))),
        ("subscripts", set(nested("o[", "a", "]"))),
        ("choices to the left", set(nested("(a ? ", "a", " : 1)"))),
        ("choices to the right", set(nested("a ? 1 : ", "a", ""))),
        ("assignments", set(nested("a = ", "a", ""))),
        ("lambdas", set(nested("[&](){ return ", "a", "; }()"))),
        (
            "lists",
            around(&format!("  int l[] = {};", nested("{", "1", "}"))),
        ),
        ("sizes", set(nested("sizeof(", "a", ")"))),
    ]);
}

#[test]
fn long_chains() {
    let set = |text: String| around(&format!("  x = {text};"));
    all(&[
        ("sums", set(nested("a + ", "a", ""))),
        ("products", set(nested("a * ", "a", ""))),
        ("shifts", set(nested("a << ", "1", ""))),
        ("differences", set(nested("a - ", "a", ""))),
        ("comparisons", set(nested("a < ", "a", ""))),
        ("ands", set(nested("a && ", "a", ""))),
        ("commas", set(nested("a, ", "a", ""))),
        ("members", set(nested("a.", "a", ""))),
        ("arrows", set(nested("o->", "a", ""))),
        ("calls of results", set(format!("a{}", "()".repeat(DEEP)))),
        (
            "subscripts of results",
            set(format!("o{}", "[0]".repeat(DEEP))),
        ),
    ]);
}

#[test]
fn deep_statements() {
    let mut cases = String::new();
    for case in 0..DEEP {
        let _ = writeln!(cases, "  case {case}: x += {case}; break;");
    }
    all(&[
        ("braces", around(&nested("{", "x = a;", "}"))),
        ("ifs", around(&nested("if (a) ", "x = a;", ""))),
        (
            "else ifs",
            around(&nested("if (a) x = 1; else ", "x = a;", "")),
        ),
        ("loops", around(&nested("for (;;) ", "x = a;", ""))),
        ("whiles", around(&nested("while (a) ", "x = a;", ""))),
        ("dos", around(&nested("do ", "x = a;", " while (a);"))),
        ("labels", around(&nested("l: ", "x = a;", ""))),
        (
            "switches",
            around(&nested("switch (a) case 1: ", "x = a;", "")),
        ),
        (
            "cases and a division",
            around(&format!("  switch (a) {{\n{cases}  }}\n  x = o[x] / 0;")),
        ),
    ]);
}

/// Each is walked as often as it has loops around it, not twice as often for each of them.
#[test]
fn loops_in_loops() {
    let nest = |inside: &dyn Fn(usize) -> String| {
        let mut body = String::from("  int sums[1] = {0}, s = 0;\n");
        for at in 0..24 {
            let _ = write!(body, "for (int i{at} = 0; i{at} < a; ++i{at}) {{ ");
            body += &inside(at);
        }
        body += "o[x + s] = sums[0];";
        body += &"}".repeat(24);
        around(&body)
    };
    for (name, text) in [
        ("counted", nest(&|at| format!("s += i{at};"))),
        (
            "left",
            nest(&|at| format!("if (s > {at}) break; s += i{at};")),
        ),
        (
            "gone on",
            nest(&|at| format!("if (o[x] > {at}) continue; s += {at};")),
        ),
        (
            "returned from",
            nest(&|at| format!("if (x + i{at} > 40) return; s += {at};")),
        ),
        (
            "with data",
            nest(&|at| format!("sums[0] += o[x + i{at}]; s += a;")),
        ),
    ] {
        let analysis = survive(&text);
        assert!(analysis.not_analysed.is_empty(), "{name}: not analysed");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one list of cases")]
fn deep_declarations() {
    let before = |text: String| format!("{text}\n{HEALTHY}");
    let shapes = [
        ("namespaces", before(nested("namespace n { ", "", "}"))),
        ("structs", before(nested("struct s { ", "int a;", "};"))),
        (
            "templates",
            before(format!(
                "template <typename T> struct B {{ T t; }};\n{} v;",
                nested("B<", "int", ">")
            )),
        ),
        (
            "template parameters",
            before(format!(
                "{} struct C;",
                "template <typename T> ".repeat(DEEP)
            )),
        ),
        ("pointers", before(format!("int {}p;", "*".repeat(DEEP)))),
        (
            "declarators",
            before(format!("int {};", nested("(", "p", ")"))),
        ),
        ("arrays", before(format!("int p{};", "[2]".repeat(DEEP)))),
        (
            "attributes",
            before(format!(
                "{} int p;",
                "__attribute__((aligned(4))) ".repeat(DEEP)
            )),
        ),
        (
            "qualified names",
            before(format!("int v = {};", nested("n::", "a", ""))),
        ),
        (
            "parameters",
            before(format!("void f({});", vec!["int"; DEEP].join(", "))),
        ),
        (
            "types of types",
            before(format!("{} v;", nested("decltype(", "1", ")"))),
        ),
        (
            "enumerators",
            before(format!(
                "enum E {{ {} }};",
                (0..DEEP)
                    .map(|n| format!("e{n}"))
                    .collect::<Vec<_>>()
                    .join(", ")
            )),
        ),
        (
            "unclosed parentheses",
            format!("{HEALTHY}\nint v = {};", "(".repeat(DEEP)),
        ),
        (
            "unclosed braces",
            format!("{HEALTHY}\nvoid f() {}", "{".repeat(DEEP)),
        ),
        (
            "closing braces alone",
            format!("{HEALTHY}\n{}", "}".repeat(DEEP)),
        ),
        (
            "launch brackets",
            format!("{HEALTHY}\nvoid f() {{ {} }}", "a<<<".repeat(DEEP)),
        ),
        (
            "angle brackets",
            format!("{HEALTHY}\nvoid f() {{ {} }}", "a<".repeat(DEEP)),
        ),
    ];
    for (name, text) in shapes {
        let analysis = survive(&text);
        assert!(
            has_healthy(&analysis),
            "{name}: what stands beside it is lost: {:?}",
            analysis.not_analysed.iter().take(3).collect::<Vec<_>>()
        );
    }
}

#[test]
fn templates_and_functions_that_recurse() {
    let kernel = |before: &str, value: &str| {
        format!(
            "{before}\n__global__ void deep(int *o, int a) {{ o[threadIdx.x + {value}] = {value}; }}\n\
             void go() {{ deep<<<1, 32>>>(0, 1); }}\n{HEALTHY}"
        )
    };
    all(&[
        (
            "a function without an end",
            kernel("__device__ int f(int n) { return f(n + 1); }", "f(a)"),
        ),
        (
            "two functions without an end",
            kernel(
                "__device__ int g(int n);\n__device__ int f(int n) { return g(n) + g(n + 1); }\n\
                 __device__ int g(int n) { return f(n) + f(n + 1); }",
                "f(a)",
            ),
        ),
        (
            "a constant without an end",
            kernel(
                "constexpr int f(int n) { return f(n + 1) + f(n + 2); }",
                "f(0)",
            ),
        ),
        (
            "a template without an end",
            kernel(
                "template <int N> struct S { static constexpr int v = S<N + 1>::v + S<N + 2>::v; };",
                "S<0>::v",
            ),
        ),
        (
            "a function template without an end",
            kernel(
                "template <int N> __device__ int f(int n) { return f<N + 1>(n) + f<N + 2>(n); }",
                "f<0>(a)",
            ),
        ),
        (
            "a type that holds itself",
            kernel(
                "template <typename T> struct S { S<S<T>> s; T t; };\n__device__ int f(S<int> *p) { return p[3].s.s.t; }",
                "f((S<int> *)0)",
            ),
        ),
    ]);
    let launches = "template <int N> __global__ void grow(int *o) { o[threadIdx.x * N] = N; }\n\
                    template <int N> void go(int *o) { grow<N><<<1, 32>>>(o); go<N + 1>(o); }\n\
                    void first(int *o) { go<0>(o); }\n";
    let text = format!("{launches}{HEALTHY}");
    assert!(has_healthy(&survive(&text)));
}
