//! Things of one name that are not the same: classes of two namespaces, local classes of a template,
//! overloads that only the kind of a template argument tells apart.

use super::kernel::Kernel;

pub fn classes(k: &mut Kernel) {
    let (x, f) = (k.global_name("X"), k.global_name("h"));
    let (c, e) = (k.constant().max(1), k.small().max(1));
    let fields = |count: i64| format!("  int v[{}];\n", count % 48 + 1);
    k.head += &format!(
        "namespace {f}_a {{\nstruct {x} {{\n{}}};\n}}\nnamespace {f}_b {{\nstruct {x} {{\n{}}};\n}}\n",
        fields(c),
        fields(e)
    );
    let (one, other) = (format!("{f}_a::{x}"), format!("{f}_b::{x}"));
    match k.random.below(4) {
        0 => {
            k.head += &format!("template <class T>\nstruct {f} {{ T x; }};\n");
            k.touch(&format!("t * sizeof({f}<{one}>)"));
            k.touch(&format!("t * sizeof({f}<{other}>)"));
        }
        1 => {
            k.head += &format!(
                "template <class T>\n__device__ int {f}(int i) {{ return i * (int)sizeof(T); }}\n"
            );
            k.touch(&format!("{f}<{other}>(t)"));
            k.touch(&format!("{f}<{one}>(t)"));
        }
        2 => {
            k.head += &format!(
                "template <class T>\nstruct {f} {{ static constexpr int v = sizeof(T); }};\ntemplate <>\nstruct {f}<{other}> {{ static constexpr int v = 3; }};\n"
            );
            k.touch(&format!("t * {f}<{one}>::v"));
            k.touch(&format!("t * {f}<{other}>::v"));
        }
        _ => {
            k.head += &format!(
                "template <int N>\n__device__ int {f}(int i) {{\n  struct R {{ int x[N]; }};\n  return i * (int)sizeof(R);\n}}\ntemplate <class T>\nstruct {f}_c {{\n  template <int N>\n  __device__ int at(int i) {{\n    struct R {{ T x[N]; }};\n    return i * (int)sizeof(R);\n  }}\n}};\n"
            );
            let (n, m) = (c % 48 + 1, e % 48 + 1);
            k.touch(&format!("{f}<{n}>(t) + {f}<{m}>(t)"));
            k.touch(&format!("{f}_c<char>().at<{n}>(t)"));
            k.touch(&format!("{f}_c<char>().at<{m}>(t)"));
        }
    }
}

pub fn enumerations(k: &mut Kernel) {
    let (e, f) = (k.global_name("E"), k.global_name("h"));
    let (a, b) = (k.small().max(1), k.constant().max(1));
    k.head += &format!(
        "enum class {e} {{ One = {b}, Two }};\ntemplate <{e} A, int W = {a}>\n__device__ int {f}(int i) {{ return i * W; }}\ntemplate <{e} A, {e} B, int W = {b}>\n__device__ int {f}(int i) {{ return i * W + 1; }}\ntemplate <int N, {e}... Es>\n__device__ int {f}_all(int i) {{ return {f}<Es...>(i) + {f}<Es..., N>(i); }}\n"
    );
    match k.random.below(3) {
        0 => k.touch(&format!("{f}<{e}::Two, {a}>(t)")),
        1 => k.touch(&format!("{f}<{e}::One, {e}::Two>(t)")),
        _ => {
            k.touch(&format!("{f}_all<{a}, {e}::One>(t)"));
            k.touch(&format!("{f}_all<{b}, {e}::One, {e}::Two>(t)"));
        }
    }
}

/// What blocks bring in by aliases of namespaces, using-declarations of several names and enumerations, beside others of
/// the same names.
pub fn of_blocks(k: &mut Kernel) {
    let (one, other, z) = (k.global_name("A"), k.global_name("B"), k.global_name("z"));
    let (f, v) = (k.global_name("f"), k.global_name("v"));
    let (a, b, c) = (k.small() + 1, k.small() + 2, k.small() + 3);
    for (space, by) in [(&one, a), (&other, b)] {
        k.head += &format!(
            "namespace {space} {{\nconstexpr int {v} = {by};\n__device__ int {f}(int x) {{ return x * {by}; }}\n\
             struct S {{ static constexpr int w = {by}; }};\n}}\n"
        );
    }
    k.head += &format!("namespace {z} = {other};\nconstexpr int {v} = {c};\n");
    match k.random.below(4) {
        0 => {
            k.open("");
            k.line(&format!("namespace {z} = {one};"));
            k.touch(&format!("t * {z}::{v}"));
            k.touch(&format!("{z}::{f}(t) + {z}::S::w"));
            k.close();
            k.touch(&format!("t * {z}::{v}"));
        }
        1 => {
            let inner = k.global_name("q");
            k.head += &format!(
                "namespace {inner} {{\nusing {one}::{v}, {other}::{f};\n\
                 __device__ int at(int x) {{ return {f}(x) * {v}; }}\n}}\n"
            );
            k.touch(&format!("{inner}::at(t)"));
        }
        2 => {
            k.line(&format!("auto {f} = [](int x) {{ return x * {c}; }};"));
            k.open("");
            k.line(&format!("using {one}::{f}, {other}::{v};"));
            k.touch(&format!("{f}(t) + {v}"));
            k.close();
            k.touch(&format!("{f}(t) * {v}"));
        }
        _ => {
            let inner = k.global_name("q");
            k.head += &format!(
                "namespace {inner} {{\nconst auto [{v}, more] = int2{{{a}, {b}}};\n\
                 __device__ int at(int x) {{ return x * {v}; }}\n}}\n"
            );
            let m = k.name("m");
            k.line(&format!("int {m} = n & 15;"));
            k.open(&format!("switch ({m} & 1)"));
            k.line(&format!("using {one}::{v};"));
            k.line(&format!("case 0: {m} = {v};"));
            k.line(&format!("default: {m} += {v} + 1;"));
            k.close();
            k.touch(&format!("t * {m} + {inner}::at(t)"));
        }
    }
}
