//! Iterators of one's own in loops, operators of enumerations, and values that nobody wants.

use super::super::kernel::Kernel;
use super::operand::{Class, place, readable};

/// Loops over ranges whose iterators do more than step.
pub fn ranges(k: &mut Kernel) {
    let (it, range, v) = (k.global_name("It"), k.global_name("Range"), k.name("each"));
    let (from, to, c) = (k.small(), 4 + k.constant().min(16), k.small());
    let takes = k.pick(&["IT &o", "const IT &o", "IT o", "const T &o", "T &o"]);
    let is_writing = matches!(takes, "IT &o" | "T &o") && k.random.one_in(2);
    let template = if takes.contains("T &") && !takes.contains("IT") {
        "template <class T> "
    } else {
        ""
    };
    let takes = takes.replace("IT", &it);
    let less = if is_writing { "    o.i -= 1;\n" } else { "" };
    let is_friend = k.random.one_in(3);
    let different = if is_friend {
        format!(
            "  {template}friend __device__ bool operator!=({it} &s, {takes}) {{\n{less}    return s.i < o.i;\n  }}\n"
        )
    } else {
        let word = k.pick(&["", " const"]);
        format!(
            "  {template}__device__ bool operator!=({takes}){word} {{\n{less}    return i < o.i;\n  }}\n"
        )
    };
    let step = k.pick(&["++i;", "i += 2;", "i++;\n    seen += 1;"]);
    let star = match k.random.below(4) {
        0 => "  __device__ int operator*() { return i++; }\n".to_owned(),
        1 => "  __device__ int &operator*() { return i; }\n".to_owned(),
        2 => format!("  __device__ int operator*() const {{ return i * {c}; }}\n"),
        _ => "  __device__ const int &operator*() const { return i; }\n".to_owned(),
    };
    let result = k.pick(&["IT &", "void "]).replace("IT", &it);
    let back = if result == "void " {
        ""
    } else {
        "    return *this;\n"
    };
    k.head += &format!(
        "struct {it} {{\n  int i, seen;\n{different}  __device__ {result}operator++() {{\n    {step}\n{back}  }}\n{star}}};\n"
    );
    k.head += &match k.random.below(2) {
        0 => format!(
            "struct {range} {{\n  int from, to;\n  __device__ {it} begin() const {{ return {{from, 0}}; }}\n  __device__ {it} end() const {{ return {{to, 0}}; }}\n}};\n"
        ),
        _ => format!(
            "struct {range} {{ int from, to; }};\n__device__ inline {it} begin(const {range} &r) {{ return {{r.from, 0}}; }}\n__device__ inline {it} end(const {range} &r) {{ return {{r.to, 0}}; }}\n"
        ),
    };
    let by = k.pick(&["int", "auto", "auto &&", "const auto &", "const int &"]);
    let over = match k.random.below(4) {
        0 => {
            let x = k.name("over");
            k.line(&format!("{range} {x}{{{from}, {to}}};"));
            x
        }
        1 => format!("{range}{{{from}, n & 7}}"),
        _ => format!("{range}{{{from}, {to}}}"),
    };
    if k.random.one_in(4) {
        // The same, written out.
        let (x, e) = (k.name("at"), k.name("end"));
        k.line(&format!("{it} {x}{{{from}, 0}}, {e}{{{to}, 0}};"));
        k.open(&format!("for (; {x} != {e}; ++{x})"));
        k.touch_by(&format!("{x}.i"));
        k.close();
        k.touch_by(&format!("{x}.i"));
        k.touch_by(&format!("{e}.i + {x}.seen"));
        return;
    }
    k.open(&format!("for ({by} {v} : {over})"));
    k.touch_by(&v);
    k.close();
}

/// Operators of an enumeration that take references.
#[expect(clippy::too_many_lines, reason = "one text")]
pub fn enumerations(k: &mut Kernel) {
    let (name, q) = (k.global_name("Sort"), k.name("q"));
    let (c, e) = (k.constant(), k.small());
    let element = k.element();
    let case = k.random.below(6);
    // Of one that converts, `<<=` may be the built-in one.
    let word = if case == 5 {
        "enum class"
    } else {
        k.pick(&["enum", "enum class"])
    };
    let mut one = format!("{name}::{name}A");
    if word == "enum" && k.random.one_in(2) {
        one = format!("{name}A");
    } else if k.random.one_in(3) {
        let x = k.name("sort");
        k.line(&format!("{name} {x} = {one};"));
        one = x;
    }
    k.head += &format!("{word} {name} {{ {name}A = {e}, {name}B = {c} }};\n");
    let sign = k.pick(&["+", "<<", "|", "*", "=="]);
    match case {
        0 => {
            let read = k.pick(&["2", "x * 2", "x"]);
            k.head += &format!(
                "__device__ inline {element} operator{sign}({name}, const {element} &x) {{\n  return {read};\n}}\n"
            );
            k.line(&format!("v += {one} {sign} b[t * {e}];"));
        }
        1 => {
            let read = k.pick(&["2", "x * 2"]);
            k.head += &format!(
                "template <class T>\n__device__ T operator{sign}(const T &x, {name} s) {{\n  return {read} + int(s);\n}}\n"
            );
            k.line(&format!("v += b[t * {e}] {sign} {one};"));
        }
        2 => {
            let by = k.pick(&["int &", "T &", "T &&"]);
            let template = if by == "int &" {
                ""
            } else {
                "template <class T>\n"
            };
            k.head += &format!(
                "{template}__device__ inline {name} operator{sign}({name} s, {by}x) {{\n  x = int(s) + {c};\n  return s;\n}}\n"
            );
            let operand = place(k);
            k.line(&format!("{one} {sign} {};", operand.text));
            operand.touch(k);
        }
        3 => {
            k.head += &format!(
                "__device__ inline {name} &operator|=({name} &s, int x) {{\n  s = {name}(int(s) | x);\n  return s;\n}}\n"
            );
            let operand = readable(k);
            k.line(&format!("{name} {q} = {one};"));
            k.line(&format!("({q} |= {}) |= {c};", operand.text));
            k.touch_by(&format!("(int({q}) & 31)"));
        }
        4 => {
            k.head += &format!(
                "__device__ inline {name} &operator++({name} &s) {{\n  s = {name}(int(s) + 1);\n  return s;\n}}\n__device__ inline {name} operator++({name} &s, int) {{\n  {name} old = s;\n  ++s;\n  return old;\n}}\n"
            );
            k.line(&format!("{name} {q} = {one};"));
            let step = k.pick(&["++Q;", "Q++;", "++++Q;", "++Q = X;"]);
            k.line(&step.replace('Q', &q).replace('X', &one));
            k.touch_by(&format!("int({q})"));
            k.touch_by(&format!("int({q}++)"));
            k.touch_by(&format!("int({q})"));
        }
        _ => {
            let read = k.pick(&["int(s)", "3"]);
            k.parameters += &format!(", {name} *e{q}");
            k.arguments += &format!(", e{q}=i32[65536]");
            k.head += &format!(
                "__device__ inline int operator~(const {name} &s) {{\n  return {};\n}}\n__device__ inline void operator<<=({name} &s, int &x) {{\n  x = {e};\n  s = {name}::{name}B;\n}}\n",
                read
            );
            k.line(&format!("v += ~e{q}[t * {e}];"));
            let operand = place(k);
            k.line(&format!("e{q}[t * {c}] <<= {};", operand.text));
            operand.touch(k);
        }
    }
}

/// Places that are named, and never read.
pub fn discarded(k: &mut Kernel) {
    let (i, c, e) = (k.name("i"), k.constant(), k.small());
    match k.random.below(14) {
        0 => k.line(&format!("b[t * {e}];")),
        1 => k.line(&format!("(void)b[t * {e}];")),
        2 => k.line(&format!("b[t + {c}], v += 1;")),
        3 => k.line("static_cast<void>(s[t & 127]);"),
        4 => k.line(&format!("(b[t], a[t * {e}]) = v;")),
        5 => k.line(&format!("*(a + t * {e});")),
        6 => {
            let cond = k.condition();
            k.line(&format!("({cond}) ? b[t] : b[t * {e}];"));
        }
        7 => {
            k.open(&format!("for (int {i} = 0; {i} < 3; b[t], ++{i})"));
            k.touch(&format!("t * {i}"));
            k.close();
        }
        8 => k.line(&format!("&a[t * {e}];")),
        9 => {
            k.line(&format!("a[t * {e}] = v, b[t];"));
        }
        10 => {
            k.line(&format!("int {i} = (b[t * {e}], {c});"));
            k.touch_by(&i);
        }
        11 => {
            // Of what is volatile, the place alone is read.
            k.line(&format!("volatile const int *{i} = d;"));
            let way = k.pick(&["P[t * 2];", "(void)P[t * 2];", "*P;", "P[t], v += 1;"]);
            k.line(&way.replace('P', &i));
        }
        _ => {
            let class = Class::new(k, "Left");
            class.declare(k);
            let m = class.member(k);
            let object = class.place(k);
            let o = &object.text;
            match k.random.below(5) {
                0 => k.line(&format!("{o};")),
                1 => k.line(&format!("(void){o};")),
                2 => k.line(&format!("{o}.{m};")),
                3 => k.line(&format!("(b[t], {o}).{m} = {c};")),
                _ => {
                    let other = class.readable(k);
                    k.line(&format!("({}, {o}).{m} = {c};", other.text));
                }
            }
            object.touch(k);
        }
    }
    k.touch("t * 2");
}
