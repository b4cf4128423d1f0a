//! Objects that constructors make: arrays, unnamed unions and bases among their initialisers, members with
//! values of their own, objects that are made in a place, and loops over objects with iterators.

use super::kernel::Kernel;

/// `: Base(x), v{a, b}, i(x), m()`.
pub fn initialisers(k: &mut Kernel) {
    let (base, inner, s) = (
        k.global_name("Base"),
        k.global_name("Inner"),
        k.global_name("S"),
    );
    let [c, d, e] = [k.small(), k.constant(), k.small()];
    let base_by = match k.random.below(3) {
        0 => format!("{base}(a + {c})"),
        1 => format!("{base}{{a * {c}}}"),
        _ => format!("Parent(a, {e})"),
    };
    let array = k.pick(&["v{a, b}", "v{a}", "v{b, a, 3}", "v{}", "v()"]);
    let matrix = k.pick(&["m{{a, 1}, {2, b}}", "m{a, b, 3, 4}", "m{{a}}", "m()"]);
    let member = k
        .pick(&["in()", "in{}", "in{a}", "in(b)", "in(in)"])
        .replace("in(in)", "in(a)");
    let word = k.pick(&["i(a)", "i{b}", "h{(short)a, 2}", "f(1)"]);
    k.head += &format!(
        "struct {base} {{ int k; __device__ {base}(int x, int y = 1) : k(x * 2 + y) {{}} }};\nstruct {inner} {{ int v = {d}; int w; __device__ {inner}() : w({c}) {{}} __device__ {inner}(int x) : v(x), w{{v + 1}} {{}} }};\nstruct {s} : {base} {{\n  using Parent = {base};\n  int v[3];\n  int m[2][2];\n  {inner} in;\n  union {{ int i; short h[2]; float f; }};\n  int last = {e};\n  __device__ {s}(int a, int b) : {base_by}, {array}, {matrix}, {member}, {word} {{}}\n}};\n"
    );
    let x = k.name("x");
    let (a, b) = (k.expression(1), k.shared());
    k.line(&format!("{s} {x}({a}, {b});"));
    let part = match k.random.below(9) {
        0 => "v[0]".to_owned(),
        1 => "v[1]".to_owned(),
        2 => "m[0][0]".to_owned(),
        3 => "m[1][1]".to_owned(),
        4 => "in.v".to_owned(),
        5 => "in.w".to_owned(),
        6 => "k".to_owned(),
        7 => "last".to_owned(),
        _ => "v[2]".to_owned(),
    };
    k.touch(&format!("{x}.{part} + t"));
    if word.starts_with('i') {
        k.touch(&format!("{x}.i * 2"));
    }
    k.line(&format!("{s} {x}s[2] = {{{{t, 1}}, {{2, t}}}};"));
    k.line(&format!("{x}s[0] = {x}s[1];"));
    k.touch(&format!("{x}s[0].{part} * {c}"));
}

/// `new (place) T(x)`.
pub fn placed(k: &mut Kernel) {
    let (s, x, p) = (k.global_name("S"), k.name("buf"), k.name("p"));
    let [c, d] = [k.small(), k.constant()];
    let is_class = k.random.one_in(2);
    let maker = match is_class {
        true => format!("__device__ {s}(int x, int y = {d}) : a(x), b(y) {{}}"),
        false => String::new(),
    };
    k.head += &format!("#include <new>\nstruct {s} {{ int a, b; {maker} }};\n");
    k.line(&format!("alignas({s}) char {x}[sizeof({s}) * 2];"));
    let e = k.expression(1);
    let made = match (is_class, k.random.below(3)) {
        (true, 0) => format!("{s}({e})"),
        (true, _) => format!("{s}({e}, {c})"),
        (false, _) => format!("{s}{{{e}, {c}}}"),
    };
    k.line(&format!("{s} *{p} = new ({x} + sizeof({s})) {made};"));
    k.touch(&format!("{p}->a"));
    k.touch(&format!("{p}->b * t"));
    k.line(&format!("(({s} *){x})[1].a = t * {c};"));
    k.touch(&format!("{p}->a + 1"));
}

/// `T x{}`, `T x = T()`, `new (p) T()`: arrays of any depth of objects that constructors make, or that are zero.
pub fn nothings(k: &mut Kernel) {
    let (inner, outer, x) = (k.global_name("In"), k.global_name("S"), k.name("x"));
    let [c, d] = [k.small(), k.small()];
    let kind = k.random.below(5);
    let (members, is_complete) = match kind {
        0 => (
            format!("int v = {c}; int w; __device__ {inner}() : w({d}) {{}}"),
            true,
        ),
        1 => (format!("int v = {c}, w = {d};"), true),
        2 => (
            format!("int w, v = {c}; __device__ {inner}() = default;"),
            false,
        ),
        3 => (
            format!("int w, v; __device__ {inner}(int x = {c}) : w({d}), v(x) {{}}"),
            true,
        ),
        _ => ("int v, w;".to_owned(), false),
    };
    let (dimensions, element) = k.pick_pair(&[
        ("", ""),
        ("[2]", "[1]"),
        ("[2][3]", "[1][2]"),
        ("[70]", "[66]"),
        ("[2][2][2]", "[1][0][1]"),
    ]);
    k.head += &format!(
        "#include <new>\nstruct {inner} {{ {members} }};\nstruct {outer}Part {{ {inner} of{dimensions}; }};\nstruct {outer} : {outer}Part {{ int last; {inner} one; }};\n"
    );
    // The compiler puts values of members at the class, where nobody wrote a constructor.
    let is_at_class = matches!(kind, 1 | 2);
    let form = match k.random.below(if is_complete { 6 } else { 5 }) {
        4 if is_at_class => 0,
        other => other,
    };
    let is_in_loop = k.random.one_in(3);
    if is_in_loop {
        k.open("for (int i = 0; i < 3; ++i)");
    }
    k.line(&match form {
        0 => format!("{outer} {x}{{}};"),
        1 => format!("{outer} {x} = {{}};"),
        2 => format!("auto {x} = {outer}();"),
        3 => format!("{outer} {x} = {outer}{{}};"),
        4 => format!("{outer} {x} = *new (({outer} *)a + (t & 3)) {outer}();"),
        _ => format!("{outer} {x};"),
    });
    k.touch_by(&format!("{x}.of{element}.v"));
    k.touch_by(&format!("{x}.one.w + {c}"));
    if form < 5 {
        k.touch(&format!("{x}.last * t + t"));
    }
    k.line(&format!("{x}.of{element}.v += {d};"));
    if is_in_loop {
        k.close();
    }
}

/// `for (int i : range(0, n))`, with a step and by reference.
pub fn ranges(k: &mut Kernel) {
    let (it, rg) = (k.global_name("It"), k.global_name("Range"));
    let step = k.small();
    let form = k.pick(&["i != o.i", "i < o.i", "(st > 0 ? i < o.i : i > o.i)"]);
    let end = if form.contains("!=") {
        k.small() * step
    } else {
        k.constant()
    };
    k.head += &format!(
        "struct {it} {{\n  int i, st;\n  __device__ bool operator!=(const {it} &o) const {{ return {form}; }}\n  __device__ {it} &operator++() {{\n    i += st;\n    return *this;\n  }}\n  __device__ int operator*() const {{ return i; }}\n}};\nstruct {rg} {{\n  int lo, hi, st;\n  __device__ {it} begin() const {{ return {{lo, st}}; }}\n  __device__ {it} end() const {{ return {{hi, st}}; }}\n}};\n"
    );
    let (x, c) = (k.name("x"), k.small());
    let lo = k.pick(&["0", "t", "n & 3"]);
    let over = match k.random.below(2) {
        0 => format!("{rg}{{{lo}, ({lo}) + {end}, {step}}}"),
        _ => {
            let r = k.name("r");
            k.line(&format!("{rg} {r}{{{lo}, ({lo}) + {end}, {step}}};"));
            r
        }
    };
    let declared = k.pick(&["int", "auto", "const auto", "auto &&"]);
    k.open(&format!("for ({declared} {x} : {over})"));
    if k.random.one_in(3) {
        let condition = k.condition();
        let leave = k.pick(&["continue", "break"]);
        k.line(&format!("if ({condition}) {leave};"));
    }
    k.touch(&format!("{x} * {c} + t"));
    k.close();
}

/// Bases of one template, or with the class's own name, that initialisers tell by their full names.
pub fn named_bases(k: &mut Kernel) {
    let (c, n) = (k.global_name("Base"), k.global_name("in"));
    let [p, q, r] = [k.small(), k.small(), k.small()];
    let order = match k.random.one_in(2) {
        true => format!("{c}<1>(x), {c}<2>(x * {p})"),
        false => format!("{c}<2>(x + {q}), {c}<1>(x)"),
    };
    let alias = match k.random.below(3) {
        0 => format!("{n}::{c}Two(x, {r})"),
        1 => format!("Own(x, {r})"),
        _ => format!("{n}::{c}Two{{x, {r}}}"),
    };
    k.head += &format!(
        "template <int N> struct {c} {{ int v; __device__ {c}(int x) : v(x * N) {{}} __device__ {c}(int x, int y) : {c}(x + y) {{}} }};\nstruct {c}Both : {c}<1>, {c}<2> {{ int k = {q}; __device__ {c}Both(int x) : {order} {{}} }};\nnamespace {n} {{ struct {c}Two {{ int w; __device__ {c}Two(int x, int y) : w(x * y) {{}} }}; }}\nstruct {c}Two : {n}::{c}Two {{\n  using Own = {n}::{c}Two;\n  int z = {p};\n  __device__ {c}Two(int x) : {alias}, z({q}) {{}}\n  __device__ {c}Two(int x, int y) : {n}::{c}Two(x, y), z(y) {{}}\n}};\ntemplate <int N> struct {c}Rec : {c}Rec<N - 1> {{\n  int u = {r};\n  __device__ {c}Rec(int x) : {c}Rec<N - 1>(x, {p}), u({q}) {{}}\n  __device__ {c}Rec(int x, int y) : {c}Rec<N - 1>(x) {{ u = y; }}\n}};\ntemplate <> struct {c}Rec<0> {{ int e; __device__ {c}Rec(int x, int y = 1) : e(x + y) {{}} }};\n"
    );
    let x = k.name("x");
    match k.random.below(3) {
        0 => {
            k.line(&format!("{c}Both {x}(t);"));
            let which = k.pick(&["1", "2"]);
            k.touch(&format!("static_cast<{c}<{which}> &>({x}).v"));
            k.touch_by(&format!("{x}.k"));
        }
        1 => {
            k.line(&format!("{c}Two {x}(t);"));
            k.touch(&format!("{x}.w + {x}.z"));
            k.touch_by(&format!("{x}.z"));
        }
        _ => {
            let depth = k.random.number(&[1, 2, 3]);
            k.line(&format!("{c}Rec<{depth}> {x}(t);"));
            k.touch(&format!("{x}.e"));
            k.touch_by(&format!("{x}.u"));
        }
    }
}
