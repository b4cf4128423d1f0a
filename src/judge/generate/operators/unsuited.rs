//! Operators that do not take what stands beside them, so that the built-in ones are meant; and choices between
//! objects that functions of other classes change.

use super::super::kernel::Kernel;

/// A class that converts to a number, and operators of its own that take something else.
pub fn unsuited(k: &mut Kernel) {
    let (class, other) = (k.global_name("Num"), k.global_name("Not"));
    let (x, c, e) = (k.name("num"), k.constant(), k.small());
    let sign = k.pick(&["+", "-", "*", "^", "|", "&"]);
    let (declared, suited) = match k.random.below(4) {
        0 => (
            format!("enum class {other} {{ {other}A = {e}, {other}B }};\n"),
            format!("{other}::{other}A"),
        ),
        1 => (
            format!("enum {other} {{ {other}A = {e}, {other}B }};\n"),
            format!("{other}A"),
        ),
        2 => (
            format!("struct {other} {{\n  int u;\n}};\n"),
            format!("{other}{{{e}}}"),
        ),
        _ => (
            format!(
                "template <class U>\nstruct {other}Of {{\n  U u;\n}};\nusing {other} = {other}Of<short>;\n"
            ),
            format!("{other}{{{e}}}"),
        ),
    };
    k.head += &declared;
    let form = k.random.below(4);
    let member = if form == 0 {
        format!("  __device__ int operator{sign}({other}) const {{ return {c}; }}\n")
    } else {
        String::new()
    };
    let converts = k.pick(&[
        "operator int() const",
        "operator int()",
        "operator short() const",
    ]);
    k.head += &format!(
        "struct {class} {{\n  int x;\n  __device__ {converts} {{ return x; }}\n{member}}};\n"
    );
    k.head += &match form {
        0 => String::new(),
        1 => format!(
            "__device__ inline int operator{sign}(const {class} &n, {other}) {{\n  return {c};\n}}\n"
        ),
        2 => format!(
            "template <class T>\n__device__ T operator{sign}(const T &n, {other}) {{\n  return T{{{c}}};\n}}\n"
        ),
        _ => format!(
            "template <class T>\n__device__ int operator{sign}({other}, T n) {{\n  return {c};\n}}\n"
        ),
    };
    let value = k.pick(&["t & 15", "3", "t", "n & 7"]).to_owned();
    k.line(&format!("{class} {x}{{{value}}};"));
    let operand = k.pick(&["t * E", "(t & 7) * E", "t", "m", "(unsigned char)t"]);
    let operand = operand.replace('E', &e.to_string());
    let index = if k.random.one_in(3) {
        format!("({operand} {sign} {x})")
    } else {
        format!("({x} {sign} {operand})")
    };
    k.line(&format!("v += s[{index} & 1023];"));
    if k.random.one_in(3) {
        let both = if form == 3 {
            format!("{suited} {sign} {x}")
        } else {
            format!("{x} {sign} {suited}")
        };
        k.line(&format!("v += b[({both}) + t * {e}];"));
    }
}

/// A choice between two objects, given to what is made of it, or converted.
pub fn converted_choices(k: &mut Kernel) {
    let (class, maker, f) = (
        k.global_name("Sum"),
        k.global_name("Of"),
        k.global_name("take"),
    );
    let (x, y, q) = (k.name("x"), k.name("y"), k.name("q"));
    let (c, e) = (k.small(), k.small());
    let change = k.pick(&["p += C", "p = C", "++p"]);
    let change = change.replace('C', &c.to_string());
    let case = k.random.below(4);
    let member = match case {
        0 => format!("  __device__ operator int &() {{\n    {change};\n    return p;\n  }}\n"),
        1 => format!("  __device__ operator int() {{\n    {change};\n    return p;\n  }}\n"),
        2 => String::new(),
        _ => format!(
            "  __device__ {class}(int p) : p(p) {{}}\n  __device__ {class}({class} &o) : p(o.p) {{ o.{change}; }}\n",
            change = change.trim_start_matches("++"),
            class = class,
        ),
    };
    let member = if case == 3 && change.starts_with("++") {
        format!(
            "  __device__ {class}(int p) : p(p) {{}}\n  __device__ {class}({class} &o) : p(o.p) {{ ++o.p; }}\n"
        )
    } else {
        member
    };
    k.head += &format!("struct {class} {{\n  int p;\n{member}}};\n");
    let takes = match case {
        0 | 1 => k.pick(&["const int &i", "int i", "long long i"]).to_owned(),
        2 => {
            let own = if change.starts_with("++") {
                "++s.p".to_owned()
            } else {
                format!("s.{change}")
            };
            k.head += &format!(
                "struct {maker} {{\n  int q;\n  __device__ {maker}({class} &s) : q(s.p) {{ {own}; }}\n}};\n"
            );
            k.pick(&["M i", "const M &i"]).replace('M', &maker)
        }
        _ => format!("{class} i"),
    };
    let read = match case {
        0 | 1 => "(int)i",
        2 => "i.q",
        _ => "i.p",
    };
    k.head += &format!("__device__ inline int {f}({takes}) {{ return {read}; }}\n");
    k.line(&format!("{class} {x}{{{c}}}, {y}{{{e}}};"));
    let condition = k.condition();
    k.line(&format!("int {q} = {f}({condition} ? {x} : {y});"));
    k.line(&format!("v += b[({x}.p & 31) * t + ({q} & 1)];"));
    k.line(&format!("v += b[({y}.p & 31) * t];"));
}
