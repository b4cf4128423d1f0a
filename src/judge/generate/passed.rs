//! Functions that are handed on: by pointers in objects and tables, to templates, as members and as lambdas.

use super::kernel::Kernel;

/// Two functions of one type; their names.
fn two(k: &mut Kernel) -> (String, String) {
    let (f, g) = (k.global_name("fa"), k.global_name("fb"));
    let (c, e) = (k.constant(), k.small());
    k.head += &format!(
        "__device__ int {f}(int x) {{ return x * {c}; }}\n__device__ int {g}(int x) {{ return x + {e}; }}\n"
    );
    (f, g)
}

pub fn on(k: &mut Kernel) {
    match k.random.below(5) {
        0 => held(k),
        1 => to_templates(k),
        2 => assigned(k),
        3 => made_of_functions(k),
        _ => members(k),
    }
}

/// A variable that gets another function through a reference or a pointer, or as a parameter.
fn assigned(k: &mut Kernel) {
    let (f, g) = two(k);
    let (ty, o, p) = (k.global_name("Fn"), k.name("o"), k.name("p"));
    let condition = k.condition();
    k.head += &format!("using {ty} = int (*)(int);\n");
    k.line(&format!("{ty} {o} = {f};"));
    match k.random.below(5) {
        0 => {
            k.line(&format!("{ty} &{p} = {o};"));
            k.line(&format!("if ({condition}) {p} = {g};"));
        }
        1 => {
            k.line(&format!("{ty} *{p} = &{o};"));
            k.line(&format!("if ({condition}) *{p} = {g};"));
        }
        2 => {
            k.head += &format!(
                "__device__ void {ty}swap({ty} &a, {ty} &b) {{ {ty} c = a; a = b; b = c; }}\n"
            );
            k.line(&format!("{ty} {p} = {g};"));
            k.line(&format!("{ty}swap({o}, {p});"));
            k.touch(&format!("{p}(t)"));
        }
        3 => {
            k.head += &format!("__device__ void {ty}set({ty} *a, {ty} b) {{ *a = b; }}\n");
            k.line(&format!("if ({condition}) {ty}set(&{o}, {g});"));
        }
        _ => {
            k.head += &format!(
                "__device__ int {ty}call({ty} a, int x) {{ if (x & 1) a = {g}; return a(x); }}\n"
            );
            k.touch(&format!("{ty}call({o}, t)"));
        }
    }
    k.touch(&format!("{o}(t)"));
}

/// Classes that are made of a function or a lambda, where it is written and where it is not.
fn made_of_functions(k: &mut Kernel) {
    let (f, _) = two(k);
    let (class, twice, o) = (k.global_name("Made"), k.global_name("Twice"), k.name("o"));
    let (c, e) = (k.small(), k.small());
    k.head += &format!(
        "struct {class} {{\n  int w;\n  template <class F> __device__ {class}(F f) : w(f({e})) {{}}\n  \
         __device__ int operator()(int x) const {{ return x * w + {c}; }}\n}};\n\
         __device__ int {class}call(const {class} &o, int x) {{ return o(x); }}\n\
         __device__ int {class}copied({class} o, int x) {{ return o(x); }}\n\
         __device__ {class} {class}back(int i) {{ return [=](int x) {{ return x + i; }}; }}\n\
         template <class F> struct {twice} {{\n  F f;\n  __device__ {twice}(F f) : f(f) {{}}\n  \
         __device__ int operator()(int x) const {{ return f(f(x)); }}\n}};\n"
    );
    let lambda = format!("[=](int x) {{ return x * {c} + {e}; }}");
    let of = if k.random.one_in(2) { f } else { lambda };
    match k.random.below(7) {
        0 => k.line(&format!("{class} {o} = {of};")),
        1 => k.line(&format!("{class} {o}({of});")),
        2 => k.line(&format!("const {class} &{o} = {of};")),
        3 => k.line(&format!("{twice} {o} = {of};")),
        4 => k.line(&format!("{twice} {o}({of});")),
        5 => k.line(&format!("auto {o} = static_cast<{class}>({of});")),
        _ => k.line(&format!("auto {o} = {class}back({c});")),
    }
    k.touch(&format!("{o}(t)"));
    match k.random.below(3) {
        0 => k.touch(&format!("{class}call({of}, t)")),
        1 => k.touch(&format!("{class}copied({of}, t)")),
        _ => k.touch(&format!("{class}({of})(t)")),
    }
}

/// In objects and tables.
fn held(k: &mut Kernel) {
    let (f, g) = two(k);
    let (o, c) = (k.name("o"), k.small());
    let at = k.pick(&["n & 1", "m & 1", "t & 1", "0", "1"]);
    let condition = k.condition();
    match k.random.below(5) {
        0 => {
            k.line(&format!("int (*{o}[2])(int) = {{{f}, &{g}}};"));
            k.touch(&format!("{o}[{at}](t)"));
            k.line(&format!("if ({condition}) {o}[0] = {o}[1];"));
            k.touch(&format!("{o}[0](t * {c})"));
        }
        1 => {
            let s = k.global_name("Fs");
            k.head += &format!(
                "struct {s} {{ int (*f)(int); int w; __device__ int operator()(int i) const {{ return f(i) * w; }} }};\n"
            );
            k.line(&format!("{s} {o}{{{f}, {c}}};"));
            k.touch(&format!("{o}(t)"));
            k.line(&format!("if ({condition}) {o}.f = {g};"));
            k.touch(&format!("{o}(t)"));
            k.touch(&format!("{o}.f(t) * {c}"));
        }
        2 => {
            let s = k.global_name("F");
            k.head += &format!(
                "using {s} = int (*)(int);\n__device__ {s} {s}pick(int i) {{ switch (i) {{ case 0: return {f}; case 1: return {g}; }} return [](int x) {{ return x * {c}; }}; }}\n"
            );
            let at = k.pick(&["n & 3", "m & 1", "2", "t & 1"]);
            k.touch(&format!("{s}pick({at})(t)"));
        }
        3 => {
            k.line(&format!("int (&{o})(int) = {f};"));
            k.touch(&format!("{o}(t) + {g}(t)"));
            k.line(&format!("int (*{o}p)(int) = &{o};"));
            k.line(&format!("auto {o}q = {condition} ? {o}p : {g};"));
            k.touch(&format!("(*{o}q)(t)"));
        }
        _ => {
            let i = k.name("i");
            k.line(&format!("int (*{o})(int) = {f}, (*{o}b)(int) = {g};"));
            k.open(&format!("for (int {i} = 0; {i} < 3; ++{i})"));
            k.touch(&format!("{o}(t * {c})"));
            k.line(&format!("auto {o}c = {o}; {o} = {o}b; {o}b = {o}c;"));
            k.close();
            k.touch(&format!("{o}b(t)"));
        }
    }
}

/// To templates and through them.
fn to_templates(k: &mut Kernel) {
    let (f, g) = two(k);
    let (h, c) = (k.global_name("apply"), k.small());
    let condition = k.condition();
    match k.random.below(6) {
        0 => {
            k.head += &format!(
                "template <int (*F)(int)> __device__ int {h}(int x) {{ return F(x) + F(1); }}\n"
            );
            k.touch(&format!("{h}<{f}>(t)"));
            k.touch(&format!("{h}<&{g}>(t * {c})"));
        }
        1 => {
            k.head += &format!(
                "template <class F> __device__ int {h}(F f, int x) {{ return f(f(x)); }}\n"
            );
            k.touch(&format!("{h}({f}, t)"));
            k.touch(&format!("{h}({condition} ? {f} : {g}, t)"));
            k.touch(&format!("{h}([=](int x) {{ return x * {c} + n; }}, t)"));
        }
        2 => {
            k.head +=
                &format!("__device__ int {h}(int (*f)(int), int x) {{ return f(x) * {c}; }}\n");
            k.touch(&format!("{h}({f}, t)"));
            k.touch(&format!("{h}(+[](int x) {{ return x + {c}; }}, t)"));
            k.touch(&format!("{h}([](int x) {{ return x << 1; }}, t)"));
        }
        3 => {
            k.head += &format!(
                "template <auto F, int D = {c}> struct {h} {{ __device__ static int at(int i) {{ return F(i) * D; }} }};\n"
            );
            k.touch(&format!("{h}<{f}>::at(t)"));
            k.touch(&format!("{h}<{g}, 3>::at(t)"));
        }
        4 => {
            k.head += &format!(
                "template <class R, class... A> __device__ R {h}(R (*f)(A...), A... x) {{ return f(x...); }}\n__device__ int {h}sum(int a, short b, int c) {{ return a * {c} + b - c; }}\n"
            );
            k.touch(&format!("{h}({f}, t)"));
            k.touch(&format!("{h}({h}sum, t, (short)n, 2)"));
        }
        _ => {
            let (x, y) = (k.name("f"), k.name("f"));
            k.line(&format!(
                "auto {x} = [=](auto g, int i) {{ return g(i) + {c}; }};"
            ));
            k.line(&format!(
                "auto {y} = [&](int i) {{ return {x}({f}, i) * 2; }};"
            ));
            k.touch(&format!("{x}({g}, t)"));
            k.touch(&format!("{x}({y}, t)"));
        }
    }
}

/// Pointers to members.
fn members(k: &mut Kernel) {
    let (s, o, p) = (k.global_name("S"), k.name("o"), k.name("p"));
    let [c, d, e] = [k.small(), k.constant(), k.small()];
    k.head += &format!(
        "struct {s} {{\n  int v, w;\n  __device__ int one(int i) {{ v += {c}; return i * v; }}\n  __device__ int two(int i) {{ return i + w; }}\n  __device__ static int three(int i) {{ return i * {e}; }}\n}};\n"
    );
    let first = k.expression(0);
    k.line(&format!("{s} {o}{{{first}, {d}}};"));
    let condition = k.condition();
    match k.random.below(5) {
        0 => {
            k.line(&format!("int {s}::*{p} = &{s}::v;"));
            k.touch_by(&format!("{o}.*{p}"));
            k.line(&format!("if ({condition}) {p} = &{s}::w;"));
            k.line(&format!("{o}.*{p} += {c};"));
            k.touch_by(&format!("{o}.w"));
        }
        1 => {
            k.line(&format!("int ({s}::*{p})(int) = &{s}::one;"));
            k.touch(&format!("({o}.*{p})(t)"));
            k.line(&format!("{p} = &{s}::two;"));
            k.touch(&format!("((&{o})->*{p})(t)"));
        }
        2 => {
            k.line(&format!("auto {p} = &{s}::three;"));
            k.touch(&format!("{p}(t)"));
        }
        3 => {
            let h = k.global_name("on");
            k.head += &format!(
                "template <class C, int (C::*F)(int)> __device__ int {h}(C &o, int i) {{ return (o.*F)(i); }}\n"
            );
            k.touch(&format!("{h}<{s}, &{s}::two>({o}, t)"));
            k.touch(&format!("{h}<{s}, &{s}::one>({o}, t)"));
        }
        _ => {
            let h = k.global_name("of");
            k.head += &format!(
                "template <int {s}::*M> __device__ int {h}(const {s} &o) {{ return o.*M; }}\n"
            );
            k.touch_by(&format!("{h}<&{s}::w>({o})"));
            k.touch_by(&format!("{h}<&{s}::v>({o})"));
        }
    }
    k.touch_by(&format!("{o}.v"));
}
