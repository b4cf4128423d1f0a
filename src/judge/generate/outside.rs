//! What is declared in one place and defined or specialised in another, and where names are looked for.

use super::kernel::Kernel;

/// Members that their class only declares, of overloads and of classes of one name.
pub fn members(k: &mut Kernel) {
    let (s, n) = (k.global_name("S"), k.global_name("n"));
    let (a, b, c) = (k.constant().max(1), k.small().max(1), k.small());
    match k.random.below(3) {
        0 => {
            k.head += &format!(
                "struct {s} {{\n  __device__ int at(int i, int by = {b});\n  __device__ int at(unsigned i, int by = {a});\n  __device__ int at(float i);\n}};\n__device__ int {s}::at(unsigned i, int by) {{ return (int)i * by + {c}; }}\n__device__ int {s}::at(int i, int by) {{ return i * by; }}\n__device__ int {s}::at(float i) {{ return {c}; }}\n"
            );
            k.touch(&format!("{s}().at(t)"));
            k.touch(&format!("{s}().at((unsigned)t)"));
        }
        1 => {
            k.head += &format!(
                "namespace {n}_a {{\nstruct {s} {{ __device__ int at(int i); static const int w; }};\n__device__ int {s}::at(int i) {{ return i * {a}; }}\nconst int {s}::w = {a};\n}}\nnamespace {n}_b {{\nstruct {s} {{ __device__ int at(int i); static const int w; }};\n}}\n__device__ int {n}_b::{s}::at(int i) {{ return i * {b}; }}\nconst int {n}_b::{s}::w = {b};\n"
            );
            for side in ["a", "b"] {
                k.touch(&format!("{n}_{side}::{s}().at(t)"));
                k.touch(&format!("t * {n}_{side}::{s}::w"));
            }
        }
        _ => {
            k.head += &format!(
                "struct {n} {{ struct In {{ __device__ int at(int i); }}; struct Late; }};\nstruct {s} {{ struct In {{ __device__ int at(int i); }}; }};\n__device__ int {s}::In::at(int i) {{ return i * {a}; }}\n__device__ int {n}::In::at(int i) {{ return i * {b}; }}\nstruct {n}::Late {{ static constexpr int w = {a}; }};\n"
            );
            k.touch(&format!("{s}::In().at(t)"));
            k.touch(&format!("{n}::In().at(t) + {n}::Late::w"));
        }
    }
}

/// Specialisations of members, of member templates and of variables.
pub fn specialised(k: &mut Kernel) {
    let s = k.global_name("S");
    let (a, b, c) = (k.constant().max(1), k.small().max(1), k.small().max(1));
    match k.random.below(4) {
        0 => {
            k.head += &format!(
                "template <class T> struct {s} {{\n  __device__ int at(int i) {{ return i * {b}; }}\n  __device__ static int by(int i);\n}};\ntemplate <class T> __device__ int {s}<T>::by(int i) {{ return i * {a}; }}\ntemplate <> __device__ int {s}<char>::at(int i) {{ return i * {c} + 1; }}\ntemplate <> __device__ int {s}<float>::by(int i) {{ return i * {c}; }}\n"
            );
            for ty in ["char", "float"] {
                k.touch(&format!("{s}<{ty}>().at(t)"));
                k.touch(&format!("{s}<{ty}>::by(t)"));
            }
        }
        1 => {
            k.head += &format!(
                "template <class T> struct {s} {{ static const int w; static constexpr int v = {a}; }};\ntemplate <class T> const int {s}<T>::w = {b};\ntemplate <> const int {s}<char>::w = {c};\n"
            );
            k.touch(&format!("t * {s}<char>::w"));
            k.touch(&format!("t * {s}<int>::w + {s}<char>::v"));
        }
        2 => {
            k.head += &format!(
                "template <class T> constexpr int {s} = {a};\ntemplate <> constexpr int {s}<float> = {b};\n"
            );
            k.touch(&format!("t * {s}<float>"));
            k.touch(&format!("t * {s}<int>"));
        }
        _ => {
            k.head += &format!(
                "template <class T> struct {s} {{\n  template <int N> __device__ int at(int i) {{ return i * N; }}\n  template <class U> struct In {{ static constexpr int w = {a}; }};\n}};\ntemplate <> template <> __device__ int {s}<int>::at<3>(int i) {{ return i * {b}; }}\ntemplate <> template <> struct {s}<int>::In<char> {{ static constexpr int w = {c}; }};\n"
            );
            k.touch(&format!("{s}<int>().at<3>(t) + {s}<int>().at<2>(t)"));
            k.touch(&format!("{s}<char>().at<3>(t)"));
            k.touch(&format!("t * {s}<int>::In<char>::w"));
            k.touch(&format!("t * {s}<char>::In<char>::w"));
        }
    }
}

/// Where a name is looked for: dependent bases, inline namespaces, members like built-ins, unnamed unions.
pub fn lookups(k: &mut Kernel) {
    let (s, n) = (k.global_name("S"), k.global_name("n"));
    let (a, b) = (k.constant().max(1), k.small().max(1));
    match k.random.below(4) {
        0 => {
            k.head += &format!(
                "constexpr int {n}_w = {a};\n__device__ int {n}_f(int i) {{ return i * {a}; }}\ntemplate <class T> struct {s}_base {{\n  static constexpr int {n}_w = {b};\n  __device__ int {n}_f(int i) {{ return i * {b}; }}\n}};\ntemplate <class T> struct {s} : {s}_base<T> {{\n  __device__ int x(int i) {{ return {n}_f(i); }}\n  __device__ int y(int i) {{ return this->{n}_f(i); }}\n  __device__ int z(int i) {{ return i * {n}_w; }}\n}};\nstruct {s}_plain : {s}_base<int> {{\n  __device__ int x(int i) {{ return {n}_f(i) + {n}_w; }}\n}};\n"
            );
            let way = k.pick(&["x", "y", "z"]).to_owned();
            k.touch(&format!("{s}<int>().{way}(t)"));
            k.touch(&format!("{s}_plain().x(t)"));
        }
        1 => {
            k.head += &format!(
                "constexpr int {n}_w = {a};\nnamespace {n} {{\ninline namespace v2 {{ constexpr int {n}_w = {b}; }}\n__device__ int at(int i) {{ return i * {n}_w; }}\n}}\n"
            );
            k.touch(&format!("{n}::at(t)"));
            k.touch(&format!("t * {n}::v2::{n}_w + {n}::{n}_w"));
        }
        2 => {
            let name = k.pick(&["warpSize", "blockDim", "threadIdx"]).to_owned();
            k.head += &format!(
                "struct {s} {{\n  int {name};\n  __device__ int at(int i) {{ return i * {name}; }}\n}};\ntemplate <int {name}> __device__ int {n}(int i) {{ return i * {name}; }}\n"
            );
            k.touch(&format!("{s}{{{a}}}.at(t)"));
            k.touch(&format!("{n}<{b}>(t)"));
        }
        _ => {
            let x = k.name("x");
            k.line(&format!("int {x} = {b};"));
            k.open("");
            k.line(&format!(
                "union {{ int {x}; unsigned char {x}_bytes[4]; }};"
            ));
            k.line(&format!("{x} = {a};"));
            k.touch_by(&x);
            k.close();
            k.touch_by(&x);
        }
    }
}

/// References that `decltype` and `auto` make, packs that sequences tell, commas in subscripts.
pub fn forms(k: &mut Kernel) {
    let f = k.global_name("h");
    let (a, b) = (k.constant().max(1), k.small().max(1));
    match k.random.below(4) {
        0 => {
            let (x, y) = (k.name("x"), k.name("y"));
            let way = "decltype((";
            k.line(&format!("int {x} = {b};"));
            k.line(&format!("{way}{x})) {y} = {x};"));
            k.line(&format!("{y} = {a};"));
            k.touch_by(&x);
        }
        1 => {
            let way = k.random.pick(&["auto &", "auto &&", "decltype(auto) "]);
            let x = k.name("x");
            k.head += &format!("__device__ {way}{f}(int *p, int i) {{ return p[i]; }}\n");
            k.line(&format!("int {x}[2] = {{{a}, {b}}};"));
            k.line(&format!("{f}({x}, 1) = {b} + 1;"));
            k.touch_by(&format!("{x}[1]"));
        }
        2 => {
            let x = k.name("x");
            k.head += &format!(
                "#include <utility>\ntemplate <int... I> __device__ int {f}(int i, std::integer_sequence<int, I...>) {{ return ((i * (I + 1)) + ...); }}\n"
            );
            k.line(&format!("int {x} = 0;"));
            k.line(&format!(
                "{x} += {f}(1, std::make_integer_sequence<int, {}>{{}});",
                b % 4 + 1
            ));
            k.touch_by(&x);
        }
        _ => {
            let (x, op) = (k.name("x"), k.random.pick(&["+=", "<<=", "=", "*="]));
            k.line(&format!("int {x} = {b};"));
            k.touch(&format!("({x} {op} 2, t * {x})"));
            k.touch(&format!("({x}++, t + {x}, t * {x})"));
        }
    }
}
