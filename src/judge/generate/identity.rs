//! What tells types and functions apart beside their width: names of fundamental types, `const`,
//! references, `explicit`.

use super::kernel::Kernel;

/// Types of one width that are two, chosen by specialisations and overloads.
pub fn twins(k: &mut Kernel) {
    let (w, f) = (k.global_name("Kind"), k.global_name("kind"));
    let (a, b) = k.pick_pair(&[
        ("char", "signed char"),
        ("long", "long long"),
        ("unsigned long", "unsigned long long"),
        ("int", "wchar_t"),
    ]);
    let (c, d, e) = (k.small(), k.small(), k.small());
    k.head += &format!(
        "template <class T>\nstruct {w} {{ static constexpr int v = {c}; }};\ntemplate <>\nstruct {w}<{a}> {{ static constexpr int v = {d} + 1; }};\ntemplate <>\nstruct {w}<{b}> {{ static constexpr int v = {e} + 9; }};\n__device__ int {f}({a}, int i) {{ return i * {d}; }}\n__device__ int {f}({b}, int i) {{ return i * ({e} + 4); }}\ntemplate <class T>\n__device__ int {f}T(T, int i) {{ return i * {w}<T>::v; }}\n"
    );
    let (x, y) = (k.name("x"), k.name("y"));
    k.line(&format!("{a} {x} = n;"));
    k.line(&format!("{b} {y} = n;"));
    let value = match k.random.below(8) {
        0 => x,
        1 => y,
        2 => format!("{x} + {y}"),
        3 => format!("({a}){y}"),
        4 => format!("-{y}"),
        5 => k.pick(&["1L", "1LL", "1ul", "'c'", "sizeof(t)"]).to_owned(),
        6 => format!("true ? {x} : {y}"),
        _ => format!("{x} << 1"),
    };
    k.touch(&format!("{f}T({value}, t)"));
    let given = k.pick(&[a, b]);
    k.touch(&format!("{f}(({given})n, t) + {w}<decltype({value})>::v"));
}

/// Specialisations that ask for `const`, and templates that pass it on.
pub fn qualifiers(k: &mut Kernel) {
    let (w, f) = (k.global_name("Bare"), k.global_name("bare"));
    let list = [
        "const T",
        "volatile T",
        "T *",
        "const T *",
        "T &",
        "const T &",
    ];
    k.head += &format!("template <class T>\nstruct {w} {{ static constexpr int v = 1; }};\n");
    for (at, pattern) in list.into_iter().enumerate() {
        if k.random.below(3) > 0 {
            let v = at + 2;
            k.head += &format!(
                "template <class T>\nstruct {w}<{pattern}> {{ static constexpr int v = {v}; }};\n"
            );
        }
    }
    k.head += &format!(
        "template <class T>\n__device__ int {f}(T *, int i) {{ return i * {w}<T>::v; }}\ntemplate <class T>\n__device__ int {f}R(T &, int i) {{ return i * {w}<T>::v; }}\ntemplate <class T>\nstruct {w}Of {{ using C = const T; static constexpr int v = {w}<T>::v; }};\n"
    );
    let given = k.pick(&[
        "int",
        "const int",
        "volatile int",
        "float *",
        "const float *",
        "int &",
        "const int &",
    ]);
    k.touch(&format!("t * {w}<{given}>::v"));
    let plain = k.pick(&["int", "const int", "float *"]);
    k.touch(&format!(
        "t * {w}Of<{plain}>::v + {w}<typename {w}Of<{plain}>::C>::v"
    ));
    let x = k.name("x");
    let word = k.pick(&["", "const "]);
    k.line(&format!("{word}int {x}[2] = {{1, 2}};"));
    let call = match k.random.below(3) {
        0 => format!("{f}({x}, t)"),
        1 => format!("{f}R({x}[1], t)"),
        _ => format!("{f}(&{x}[1], t)"),
    };
    k.touch(&call);
}

/// Member functions chosen by what they are called with.
pub fn of_objects(k: &mut Kernel) {
    let (s, f) = (k.global_name("Call"), k.global_name("call"));
    let (c, d) = (k.small(), k.small());
    let name = k.pick(&["operator()", "at", "operator[]"]);
    k.head += &format!(
        "struct {s} {{\n  int k;\n  __device__ int {name}(int i) {{ return i * {c}; }}\n  __device__ int {name}(int i) const {{ return i * ({d} + 8); }}\n  __device__ int by(int i) & {{ return i * {d}; }}\n  __device__ int by(int i) && {{ return i * ({c} + 5); }}\n}};\nstruct {s}In {{\n  {s} x;\n  mutable {s} y;\n  const {s} z;\n  __device__ {s} &get() {{ return x; }}\n  __device__ const {s} &get() const {{ return x; }}\n}};\n"
    );
    let parameter = match k.random.below(3) {
        0 => format!("const {s} &"),
        1 => format!("{s} &"),
        _ => format!("{s} "),
    };
    let of = |object: &str| match name {
        "operator()" => format!("{object}(t)"),
        "operator[]" => format!("{object}[t]"),
        name => format!("{object}.{name}(t)"),
    };
    let body = of("q");
    k.head += &format!("__device__ int {f}({parameter}q, int t) {{ return {body}; }}\n");
    let (x, y, o) = (k.name("x"), k.name("y"), k.name("o"));
    let word = k.pick(&["", "const "]);
    k.line(&format!("{s} {x}{{1}};"));
    k.line(&format!("{word}{s} {y}{{2}};"));
    k.line(&format!("{word}{s}In {o}{{{{1}}, {{2}}, {{3}}}};"));
    let call = match k.random.below(9) {
        0 => of(&x),
        1 => of(&y),
        2 => format!("{f}({x}, t)"),
        3 => of(&format!("{o}.x")),
        4 => of(&format!("{o}.y")),
        5 => of(&format!("{o}.z")),
        6 => of(&format!("{o}.get()")),
        7 => format!("{x}.by(t)"),
        _ => format!("{s}{{3}}.by(t)"),
    };
    k.touch(&call);
    let l = k.name("l");
    let (brackets, word) = k.pick_pair(&[("[=]", ""), ("[&]", ""), ("[=]", "mutable ")]);
    let body = of(&x);
    k.line(&format!(
        "auto {l} = {brackets}(int t) {word}{{ return {body}; }};"
    ));
    k.touch(&format!("{l}(t)"));
}

/// Constructors that only a written class calls, and names that are looked for without their arguments.
pub fn written_classes(k: &mut Kernel) {
    let (s, f) = (k.global_name("Width"), k.global_name("width"));
    let (c, d) = (k.small(), k.small());
    k.head += &format!(
        "namespace {s}Space {{\nstruct {s} {{\n  int v;\n  __device__ explicit {s}(int x) : v(x + {c}) {{}}\n  __device__ {s}(long x) : v((int)x * {d}) {{}}\n}};\n__device__ int {f}({s} w, int i) {{ return i * w.v; }}\n}}\nusing {s}Space::{s};\n__device__ int {f}(const {s} &w, long i) {{ return (int)i * (w.v + 3); }}\n__device__ {s} {f}Of(int x) {{ return x; }}\n__device__ int {f}By({s}, int i) {{ return i * 3; }}\n__device__ int {f}By(float, int i) {{ return i * {d}; }}\n"
    );
    let w = k.name("w");
    let start = match k.random.below(5) {
        0 => format!("{s} {w} = 2;"),
        1 => format!("{s} {w}(2);"),
        2 => format!("{s} {w}{{2}};"),
        3 => format!("{s} {w} = {f}Of(2);"),
        _ => format!("{s} {w} = ({s})2;"),
    };
    k.line(&start);
    k.touch(&format!("t * {w}.v"));
    let call = match k.random.below(3) {
        0 => format!("({f})({w}, t)"),
        1 => format!("{s}Space::{f}({w}, t)"),
        _ => format!("{f}By(2, t)"),
    };
    k.touch(&call);
}

/// Character constants, `decltype(auto)`, and template arguments in the middle of a path.
pub fn spellings(k: &mut Kernel) {
    let c = k.small();
    match k.random.below(3) {
        0 => {
            let text = k.pick(&[
                "'ab'",
                "'\\1\\4'",
                "L'\\4'",
                "u'\\5'",
                "'abcd'",
                "U'\\6'",
                "'\\xff'",
                "'\\xff\\xfe'",
            ]);
            k.touch(&format!("t * ({text} & 15)"));
            k.touch(&format!("t * sizeof({text})"));
        }
        1 => {
            let (x, d) = (k.name("x"), k.name("d"));
            k.line(&format!("int {x} = 1;"));
            let init = k.pick(&["x", "(x)", "x + 1", "++x", "*&x", "x++"]);
            let init = init.replace('x', &x);
            k.line(&format!("decltype(auto) {d} = {init};"));
            k.line(&format!("{d} = {c} + 2;"));
            k.touch(&format!("t * {x} + {d}"));
        }
        _ => {
            let s = k.global_name("Path");
            k.head += &format!(
                "template <class T>\nstruct {s} {{\n  template <int N>\n  struct In {{\n    static constexpr int v = N;\n    static __device__ int f(int i) {{ return i * N; }}\n  }};\n}};\n"
            );
            let index = match k.random.below(4) {
                0 => format!("t * {s}<int>::In<{c}>::v"),
                1 => format!("t + {s}<int>::In<{c} + 1>::v * 2"),
                2 => format!("({s}<float>::In<{c}>::v) * t"),
                _ => format!("{s}<int>::In<{c}>::f(t)"),
            };
            k.touch(&index);
        }
    }
}

/// Functions that C's `...` stands beside: what no conversion reaches takes no part.
pub fn ellipses(k: &mut Kernel) {
    let (f, s, e) = (
        k.global_name("either"),
        k.global_name("Some"),
        k.global_name("Enum"),
    );
    let (c, d) = (k.small(), k.small());
    let explicit = k.pick(&["", "explicit "]);
    let parameter = k
        .pick(&[
            "int",
            "bool",
            "double",
            "int *",
            "const int *",
            "void *",
            "const void *",
            "S",
            "B *",
            "const B *",
            "E",
            "int &",
            "const long &",
            "const S &",
        ])
        .replace('S', &s)
        .replace('B', &format!("{s}Base"))
        .replace('E', &e);
    k.head += &format!(
        "enum {e} {{ {e}A = 1, {e}B = 3 }};\nstruct {s}Base {{ int x; }};\nstruct {s} : {s}Base {{\n  int v;\n  __device__ {s}(int x = 0) : v(x) {{}}\n  __device__ {explicit}operator long() const {{ return v; }}\n}};\n__device__ int {f}({parameter}, int i) {{ return i * {c}; }}\n__device__ int {f}(...) {{ return {d} + 40; }}\n"
    );
    let (x, y, o, p) = (k.name("x"), k.name("y"), k.name("o"), k.name("p"));
    k.line(&format!("int {x} = n;"));
    k.line(&format!("const int {y} = {c};"));
    k.line(&format!("{s} {o}{{2}};"));
    k.line(&format!("const int *{p} = &{x};"));
    let given = match k.random.below(13) {
        0 => x,
        1 => y,
        2 => o,
        3 => p,
        4 => format!("&{x}"),
        5 => format!("&{y}"),
        6 => format!("&{o}"),
        7 => format!("{e}B"),
        8 => "1.5f".to_owned(),
        9 => "n + 1L".to_owned(),
        10 => "true".to_owned(),
        11 => format!("{x} + 1"),
        _ => format!("(short){x}"),
    };
    k.touch(&format!("t + {f}({given}, t)"));
}
