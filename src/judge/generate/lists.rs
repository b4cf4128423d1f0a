//! Comparisons in lists of templates, defaults in braces, types of expressions: text that is near to other text.

use super::kernel::Kernel;

/// A condition on constants that compares with a bare `<`.
fn condition(k: &mut Kernel, a: &str, b: &str) -> String {
    let (c, d) = (k.constant(), k.constant());
    let one = match k.random.below(4) {
        0 => format!("{a} < {c}"),
        1 => format!("{a}<{c}"),
        2 => format!("{a} + 1 < {b} * 2"),
        _ => format!("{a} <{c}"),
    };
    match k.random.below(5) {
        0 => format!("{one} && {b} >= {d}"),
        1 => format!("{one} || {b} < {d}"),
        2 => format!("{one} && {b} != {d}"),
        _ => one,
    }
}

pub fn comparisons(k: &mut Kernel) {
    let [f, a, b] = ["picked", "kA", "kB"].map(|stem| k.global_name(stem));
    let (x, y) = (k.constant(), k.constant());
    let [c, d, e] = [k.small(), k.small() + 1, k.small() + 2];
    let tests: Vec<String> = (0..4).map(|_| condition(k, &a, &b)).collect();
    let own = k.pick(&["N < 4", "N<3", "(N < 4)", "N < 4 && N > (2)"]);
    let default = match own.contains("&&") {
        // A bare `>` would end the head.
        true => "N < 4 && N >= 2",
        false => own,
    };
    k.head += &format!(
        "constexpr int {a} = {x}, {b} = {y};\ntemplate <bool P, int E = {c}> __device__ int {f}(int i) {{ return P ? i * E : i; }}\ntemplate <bool P, int E> struct T{f} {{ static constexpr int v = P ? E : 1; }};\ntemplate <int N, bool P = {default}> __device__ int own{f}(int i) {{ return P ? i * {d} : i; }}\ntemplate <int N, int E = N < 3 ? {d} : {e}> struct O{f} {{\n  static constexpr int v = E;\n  enum {{ first = 1, w = {own} ? {d} : {c} }};\n}};\nconstexpr int w{f} = {c};\nstruct S{f} {{\n  static constexpr int w{f} = {a} < {x} && {b} > (2) ? {d} : {e};\n  enum {{ z = {a} < 5 && {b} > (3) ? {e} : {d} }};\n  __device__ static int go() {{ return w{f} + z; }}\n}};\nusing U{f} = T{f}<{}, {e}>;\n",
        tests[0]
    );
    let count = 2 + k.random.below(3);
    for _ in 0..count {
        let test = &tests[k.random.below(tests.len())];
        let n = k.random.number(&[1, 2, 3, 4, 5]);
        let text = match k.random.below(8) {
            0 => format!("{f}<{test}, {d}>(t)"),
            1 => format!("{f}<{test}>(t)"),
            2 => format!("{f}<true, {test} ? {d} : {e}>(t)"),
            3 => format!("t * T{f}<{test}, {e}>::v"),
            4 => format!("own{f}<{n}>(t)"),
            5 => format!("t * O{f}<{n}>::v"),
            6 => format!("t * (int)O{f}<{n}>::w"),
            _ => format!("t * S{f}::go()"),
        };
        k.touch(&text);
    }
    k.touch(&format!("t * U{f}::v"));
    let s = k.name("s");
    k.line(&format!("T{f}<{}, {d}> {s};", tests[1]));
    k.touch(&format!("t * {s}.v"));
}

/// A `<` behind a constant of a namespace, a member, or a member of a template's class.
pub fn compared_paths(k: &mut Kernel) {
    let [v, g, n, q, o] = ["Nv", "times", "space", "Q", "kO"].map(|stem| k.global_name(stem));
    let [c, d, e] = [k.small(), k.small() + 1, k.small() + 2];
    k.head += &format!(
        "template <int N> struct {v} {{ static constexpr int v = N; }};\n\
         template <int N> __device__ int {g}(int i) {{ return i * N; }}\n\
         template <class T> struct {q} {{\n  static constexpr int n = sizeof(T) + 1;\n  enum {{ m = sizeof(T) + 2 }};\n}};\n\
         struct {o}Of {{ int n; }};\nconstexpr {o}Of {o}{{{c} + 3}};\n\
         namespace {n} {{ constexpr int n = {d} + 3; }}\n"
    );
    for _ in 0..2 + k.random.below(3) {
        let ty = k.pick(&["int", "short", "char"]);
        let operand = match k.random.below(5) {
            0 => format!("{n}::n"),
            1 => format!("{o}.n"),
            2 => format!("{q}<{ty}>::n"),
            3 => format!("{q}<{ty}>::m"),
            _ => "'a'".to_owned(),
        };
        let than = k.random.number(&[3, 4, 5, 6, 7]);
        let text = match k.random.below(4) {
            0 => format!("t * {v}<{operand} < {than} ? {d} : {e}>::v"),
            1 => format!("t * {v}<({operand} < {than}) + {c}>::v"),
            2 => format!("t * {v}<{operand} < {than}>::v + t"),
            _ => format!("{g}<{operand} < {than} ? {e} : {d}>(t)"),
        };
        k.touch(&text);
    }
}

pub fn braced_defaults(k: &mut Kernel) {
    let [s, f] = ["Default", "braced"].map(|stem| k.global_name(stem));
    let [c, d, e] = [k.small(), k.small() + 1, k.small() + 2];
    k.head += &format!(
        "struct {s} {{\n  int v, w;\n  __device__ {s}(int x = {c}, int y = {d}) : v(x), w(y) {{}}\n  __device__ int m(int i, {s} by = {{{e}, {c}}}) const;\n}};\n__device__ inline int {s}::m(int i, {s} by) const {{ return i * (v + by.v + by.w); }}\nstruct A{s} {{ int v, w = {d}; }};\n__device__ inline int {f}1(int i, {s} p = {{{e}}}) {{ return i * p.v + p.w; }}\n__device__ inline int {f}2(int i, int y = {{{d}}}) {{ return i * y; }}\n__device__ inline int {f}3(int i, A{s} p = {{{e}}}) {{ return i * p.v + p.w; }}\n__device__ inline int {f}4(int i, const int (&y)[3] = {{{c}, {d}, {e}}}) {{ return i * y[1] + y[2]; }}\ntemplate <class T> __device__ int {f}5(int i, T p = {{{e}}}) {{ return i * (int)p; }}\n__device__ inline int {f}6(int i, {s} p = {{}}) {{ return i * p.w; }}\n"
    );
    let indices = [
        format!("{f}1(t)"),
        format!("{f}2(t)"),
        format!("{f}3(t)"),
        format!("{f}4(t)"),
        format!("{f}5<int>(t)"),
        format!("{f}6(t)"),
        format!("{s}({d}).m(t)"),
    ];
    k.touch_some(2, 3, &indices);
}

pub fn typeof_types(k: &mut Kernel) {
    let [x, y, z] = ["narrow", "same", "many"].map(|stem| k.name(stem));
    let word = k.pick(&["__typeof__", "__typeof"]);
    let ty = k.pick(&[
        "unsigned char",
        "signed char",
        "short",
        "unsigned short",
        "int",
        "unsigned",
        "long long",
    ]);
    let c = k.constant();
    k.line(&format!("{ty} {x} = {c} & 15;"));
    let of = match k.random.below(4) {
        0 => ty.to_owned(),
        1 => format!("{x} + 1"),
        2 => format!("({x})"),
        _ => x.clone(),
    };
    k.line(&format!("{word}({of}) {y} = t * 20;"));
    k.touch(&format!("(int){y} & 4095"));
    match k.random.below(3) {
        0 => {
            k.line(&format!("{word}({x}) {z} = -1;"));
            k.touch(&format!("({z} > 0 ? t : t * 2)"));
        }
        1 => {
            k.open(&format!("for ({word}({x}) {z} = 0; {z} < 3; {z}++)"));
            k.touch(&format!("t * (int)sizeof({z}) + {z}"));
            k.close();
        }
        _ => k.touch(&format!("t * (int)sizeof({word}({x}))")),
    }
}
