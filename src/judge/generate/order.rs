//! Names by where they stand: what a namespace declares only after a place means something farther out there.

use super::kernel::Kernel;

/// A kind of declaration: at the file's level and in the inner namespace, and an expression that names it.
fn kinds(f: &str, outer: i64, inner: i64) -> Vec<(String, String, String)> {
    let function = |value: i64| format!("__device__ inline int f{f}(int) {{ return {value}; }}");
    let template = |value: i64| {
        format!("template <class T> struct T{f} {{ static constexpr int v = {value}; }};")
    };
    let operator = |value: i64, ty: &str| {
        format!("__device__ inline int operator+(Op{f}, {ty}) {{ return {value}; }}")
    };
    vec![
        (
            format!("struct W{f} {{ int x; }};"),
            format!("struct W{f} {{ int x[{inner}]; }};"),
            format!("(int)sizeof(W{f})"),
        ),
        (
            format!("constexpr int w{f} = {outer};"),
            format!("constexpr int w{f} = {inner};"),
            format!("w{f}"),
        ),
        (
            format!("using A{f} = short;"),
            format!("typedef long long A{f};"),
            format!("(int)sizeof(A{f})"),
        ),
        (
            format!("enum {{ m{f} = {outer} }};"),
            format!("enum E{f} : int {{ m{f} = {inner} }};"),
            format!("m{f}"),
        ),
        (function(outer), function(inner), format!("f{f}(1)")),
        (template(outer), template(inner), format!("T{f}<int>::v")),
        (
            format!("namespace sub{f} {{ constexpr int k = {outer}; }}"),
            format!("namespace sub{f} {{ constexpr int k = {inner}; }}"),
            format!("sub{f}::k"),
        ),
        (
            format!("enum class S{f} {{ k = {outer} }};"),
            format!("enum class S{f} {{ k = {inner} }};"),
            format!("(int)S{f}::k"),
        ),
        (
            format!("constexpr int u{f} = {outer};"),
            format!(
                "namespace brought{f} {{ constexpr int u{f} = {inner}; }}\nusing namespace brought{f};"
            ),
            format!("u{f}"),
        ),
        (
            format!(
                "namespace far{f} {{ constexpr int p{f} = {inner}; }}\nconstexpr int p{f} = {outer};"
            ),
            format!("using far{f}::p{f};"),
            format!("p{f}"),
        ),
        (
            format!("struct Op{f} {{ int x; }};\n{}", operator(outer, "int")),
            format!(
                "struct No{f} {{ }};\n__device__ inline int operator+(No{f}, int) {{ return {inner}; }}\n__device__ inline int operator+(Op{f}, long) {{ return {inner}; }}"
            ),
            format!("(Op{f}{{1}} + 1)"),
        ),
    ]
}

pub fn declared_later(k: &mut Kernel) {
    let [n, f] = ["inner", "late"].map(|stem| k.global_name(stem));
    let (outer, inner) = (k.small(), k.small() + 1);
    let mut of_file = String::new();
    let mut own = String::new();
    let mut uses = Vec::new();
    for (there, here, text) in kinds(&f, outer, inner) {
        if k.random.one_in(3) {
            of_file += &format!("{there}\n");
            own += &format!("{here}\n");
            uses.push(text);
        }
    }
    if uses.is_empty() {
        let (there, here, text) = kinds(&f, outer, inner).swap_remove(0);
        (of_file, own) = (format!("{there}\n"), format!("{here}\n"));
        uses.push(text);
    }
    let sum = uses.join(" + ");
    let early = match k.random.below(4) {
        0 => format!("__device__ inline int early(int i) {{ return i * ({sum}); }}"),
        1 => format!("template <class I> __device__ int early(I i) {{ return i * ({sum}); }}"),
        2 => format!("__device__ inline int early(int i, int by = {sum}) {{ return i * by; }}"),
        _ => format!(
            "struct Early {{ __device__ int go(int i) const {{ return i * ({sum}); }} }};\n__device__ inline int early(int i) {{ return Early().go(i); }}"
        ),
    };
    k.head += &format!(
        "{of_file}namespace {n} {{\n{early}\n{own}__device__ inline int late(int i) {{ return i * ({sum}); }}\n}}\n"
    );
    k.touch(&format!("{n}::early(t)"));
    k.touch(&format!("{n}::late(t)"));
}

/// A block's own declaration of a function: other defaults, and no namespaces of the arguments.
pub fn of_blocks(k: &mut Kernel) {
    let [a, f] = ["Space", "again"].map(|stem| k.global_name(stem));
    let [c, d, e] = [k.small(), k.small() + 1, k.small() + 2];
    k.head += &format!(
        "namespace {a} {{\nstruct W {{ int x; }};\n__device__ inline int {f}(W) {{ return {d}; }}\n}}\nstruct From{f} {{ __device__ From{f}({a}::W) {{}} }};\n__device__ int {f}(From{f}) {{ return {c}; }}\n__device__ int by{f}(int i, int s = {d}) {{ return i * s; }}\n"
    );
    k.touch(&format!("t * {f}({a}::W{{1}})"));
    k.open("");
    k.line(&format!("__device__ int {f}(From{f});"));
    k.line(&format!("__device__ int by{f}(int i, int s = {e});"));
    k.touch(&format!("by{f}(t)"));
    k.touch(&format!("t * {f}({a}::W{{2}})"));
    k.close();
    k.touch(&format!("by{f}(t)"));
}
