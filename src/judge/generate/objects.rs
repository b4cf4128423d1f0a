//! Classes and their relatives, lists without braces, and which of several functions is meant.

use super::kernel::Kernel;

/// Members and functions that a derived class hides, named through references, pointers and classes.
pub fn relatives(k: &mut Kernel) {
    let (base, derived) = (k.global_name("Base"), k.global_name("Derived"));
    let (object, other) = (k.name("object"), k.name("other"));
    let (c, e, f) = (k.constant(), k.small(), k.small());
    let is_virtual = k.random.one_in(3);
    let mark = if is_virtual { "virtual " } else { "" };
    let second = k.random.one_in(2);
    let extra = if second {
        format!("struct {base}First {{ int z = 6; }};\n")
    } else {
        String::new()
    };
    let list = if second {
        format!("{base}First, {base}")
    } else {
        base.clone()
    };
    k.head += &format!(
        "struct {base} {{\n  int x = {c};\n  {mark}__device__ int get() const {{ return x; }}\n  __device__ int twice() const {{ return get() * 2; }}\n}};\n{extra}struct {derived} : {list} {{\n  int x = {e};\n  __device__ int get() const {{ return x + {f}; }}\n}};\n"
    );
    k.line(&format!("{derived} {object};"));
    match k.random.below(7) {
        0 => {
            k.line(&format!("{base} &{other} = {object};"));
            k.line(&format!("{other}.x += 2;"));
            k.touch(&format!("t * {other}.get()"));
            k.touch(&format!("t * {object}.x"));
        }
        1 => {
            k.line(&format!("{base} *{other} = &{object};"));
            k.line(&format!("{other}->x = {f};"));
            k.touch(&format!("t * {other}->get()"));
            k.touch(&format!("t * static_cast<{derived} *>({other})->x"));
        }
        2 => {
            k.touch(&format!("t * {object}.{base}::get()"));
            k.touch(&format!("t * {object}.{base}::x"));
            k.touch(&format!("t * {object}.get()"));
        }
        3 => {
            k.line(&format!("{base} {other} = {object};"));
            k.line(&format!("{other}.x++;"));
            k.touch(&format!("t * {other}.get()"));
            k.touch(&format!("t * {object}.{base}::x"));
        }
        4 => {
            let by = k.pick(&["const BASE &", "BASE ", "BASE &"]);
            let by = by.replace("BASE", &base);
            let function = k.global_name("look");
            k.head += &format!("__device__ int {function}({by}o) {{ return o.get() + o.x; }}\n");
            k.touch(&format!("t * {function}({object})"));
        }
        5 => {
            k.touch(&format!("t * {object}.twice()"));
            k.touch(&format!("t * static_cast<{base} &>({object}).x"));
        }
        _ => {
            k.line(&format!("const auto &{other} = ({base} &){object};"));
            k.touch(&format!("t * {other}.get()"));
        }
    }
}

/// Lists whose inner braces are left out, that end early or name members.
pub fn braces(k: &mut Kernel) {
    let (inner, outer) = (k.global_name("In"), k.global_name("Out"));
    let object = k.name("object");
    let (c, e) = (k.constant(), k.small());
    k.head += &format!(
        "struct {inner} {{ int x, y; }};\nstruct {outer} {{\n  {inner} p[2];\n  int q[2];\n  int r;\n}};\n"
    );
    match k.random.below(7) {
        0 => k.line(&format!(
            "{outer} {object} = {{1, {e}, 2, {c}, 3, {e}, 4}};"
        )),
        1 => k.line(&format!(
            "{outer} {object} = {{{{{{{e}, 2}}, {c}}}, {e}, 7, {c}}};"
        )),
        2 => k.line(&format!("{outer} {object} = {{{{{e}}}}};")),
        3 => {
            k.line(&format!("{inner} {object}i = {{{c}, {e}}};"));
            k.line(&format!(
                "{outer} {object} = {{{object}i, 3, {e}, 5, {c}, 6}};"
            ));
        }
        4 => k.line(&format!("{outer} {object} = {{.q = {{{c}}}, .r = {e}}};")),
        5 => {
            k.line(&format!("{inner} {object}i[2] = {{{e}, {c}, 3}};"));
            k.line(&format!("{outer} {object}{{}};"));
            k.line(&format!("{object}.p[1] = {object}i[0];"));
            k.touch(&format!("t * ({object}i[1].x + {object}i[1].y)"));
        }
        _ => {
            k.line(&format!("{inner} {object}i[] = {{{e}, {c}, 3, 4}};"));
            k.line(&format!("{outer} {object}{{}};"));
            k.touch(&format!("t * (int)sizeof({object}i)"));
        }
    }
    let member = k.pick(&["p[0].y", "p[1].x", "p[1].y", "q[0]", "q[1]", "r"]);
    k.touch(&format!("t * {object}.{member}"));
    k.touch(&format!("t * {object}.r + {object}.q[0]"));
}

/// A class's own name within it, with and without template arguments.
pub fn own_names(k: &mut Kernel) {
    let name = k.global_name("Vec");
    let (p, q) = (k.name("p"), k.name("q"));
    let (c, e) = (k.constant(), k.small());
    let is_template = k.random.one_in(2);
    let (head, ty, of) = if is_template {
        ("template <class T>\n", "T", "<int>")
    } else {
        ("", "int", "")
    };
    k.head += &format!(
        "{head}struct {name} {{\n  {ty} x, y;\n  __device__ {name}({ty} x, {ty} y) : x(x), y(y) {{}}\n  __device__ {name} operator+(const {name} &o) const {{ return {name}(x + o.x, y + o.y); }}\n  __device__ {name} turned() const {{\n    {name} r(*this);\n    r.x = y;\n    r.y = x;\n    return r;\n  }}\n  __device__ {name} by({ty} k) const {{ return {{x * k, y * k}}; }}\n  static __device__ {name} both({ty} k) {{ return {name}(k, k); }}\n}};\n"
    );
    k.line(&format!("{name}{of} {p}({c}, {e});"));
    let made = match k.random.below(4) {
        0 => format!("{p} + {p}"),
        1 => format!("{p}.turned()"),
        2 => format!("{p}.by({e}) + {name}{of}::both(1)"),
        _ => format!("{name}{of}::both({e})"),
    };
    k.line(&format!("{name}{of} {q} = {made};"));
    k.touch(&format!("t * {q}.x"));
    k.touch(&format!("t * {p}.x + {q}.y"));
}

/// Operators of enumerations, and functions that argument types bring in.
pub fn operators(k: &mut Kernel) {
    let name = k.global_name("Kind");
    let (c, e) = (k.constant(), k.small());
    match k.random.below(3) {
        0 => {
            k.head += &format!(
                "enum {name} {{ {name}A = {e}, {name}B = {c} }};\n__device__ inline int operator|({name} x, {name} y) {{ return int(x) + int(y) + 1; }}\n"
            );
            k.touch(&format!("t * ({name}A | {name}B)"));
        }
        1 => {
            let f = k.global_name("near");
            k.head += &format!(
                "namespace n{name} {{\nstruct O {{ int v; }};\n__device__ inline int {f}(O o) {{ return o.v; }}\n}}\ntemplate <class T>\n__device__ int {f}(T) {{ return {e}; }}\n"
            );
            let o = k.name("o");
            k.line(&format!("n{name}::O {o}{{{c}}};"));
            k.touch(&format!("t * {f}({o})"));
            k.touch(&format!("t * {f}(1)"));
        }
        _ => {
            let f = k.global_name("const");
            k.head += &format!(
                "__device__ inline int {f}(const int *x) {{ return {c}; }}\ntemplate <class T>\n__device__ int {f}(T *x) {{ return {e}; }}\n"
            );
            let v = k.name("w");
            k.line(&format!("int {v} = 1;"));
            k.touch(&format!("t * {f}(&{v})"));
            k.touch(&format!("t * {f}(d)"));
        }
    }
}

/// Copies of lambdas that change, functions that are chosen, folds that stop.
pub fn values(k: &mut Kernel) {
    let (f, g, x) = (k.name("f"), k.name("g"), k.name("x"));
    let (c, e) = (k.constant(), k.small());
    match k.random.below(6) {
        5 => {
            let name = k.global_name("again");
            let element = k.element();
            k.head += &format!(
                "__device__ void {name}({element} *p, int i, int d) {{\n  p[i * d] = {c};\n  if (d > 1)\n    {name}(p, i, d - 1);\n}}\n"
            );
            k.line(&format!("{name}(a, t, {e});"));
        }
        4 => {
            let name = k.global_name("change");
            k.head +=
                &format!("__device__ inline int {name}(int &x) {{\n  x += {e};\n  return 1;\n}}\n");
            k.line(&format!("int {x} = {c};"));
            k.line(&format!("int {g} = {x} + {name}({x});"));
            k.touch(&format!("t * {g}"));
            k.touch(&format!("t * {x}"));
        }
        0 => {
            k.line(&format!(
                "auto {f} = [{x} = {c}]() mutable {{ return {x} += {e}; }};"
            ));
            k.line(&format!("{f}();"));
            k.line(&format!("auto {g} = {f};"));
            k.touch(&format!("t * {g}()"));
            k.touch(&format!("t * {g}()"));
            k.touch(&format!("t * {f}()"));
        }
        1 => {
            let name = k.global_name("run");
            k.head += &format!(
                "template <class F>\n__device__ int {name}(F f) {{\n  f();\n  return f();\n}}\n"
            );
            k.line(&format!(
                "auto {f} = [{x} = {e}]() mutable {{ return {x}++; }};"
            ));
            k.touch(&format!("t * {name}({f})"));
            k.touch(&format!("t * {f}()"));
        }
        2 => {
            let (one, two) = (k.global_name("one"), k.global_name("two"));
            k.head += &format!(
                "__device__ inline int {one}(int i) {{ return i * {c}; }}\n__device__ inline int {two}(int i) {{ return i + {e}; }}\n"
            );
            k.line(&format!("int (*{f})(int) = {one};"));
            k.line(&format!("{f} = n > 2 ? {one} : {two};"));
            k.touch(&format!("{f}(t)"));
        }
        _ => {
            let name = k.global_name("any");
            let op = k.pick(&["&&", "||"]);
            k.head += &format!(
                "template <class... F>\n__device__ bool {name}(F... f) {{ return (f() {op} ...); }}\n"
            );
            let cond = k.condition();
            k.line(&format!("int {x} = 1;"));
            k.line(&format!(
                "bool {g} = {name}([&] {{ a[t * {e}] = v; return {cond}; }}, [&] {{ {x} = {c}; a[t * 2] = v; return n > 1; }});"
            ));
            k.touch(&format!("t * {x} + {g}"));
        }
    }
}

/// Specialisations of templates with defaults, for `const`, and where a member decides.
pub fn specialisations(k: &mut Kernel) {
    let name = k.global_name("Trait");
    let (c, e, f) = (k.constant(), k.small(), k.small());
    match k.random.below(3) {
        0 => {
            k.head += &format!(
                "template <class T, int K = sizeof(T)>\nstruct {name} {{ static constexpr int v = K; }};\ntemplate <>\nstruct {name}<int> {{ static constexpr int v = {c}; }};\ntemplate <class T>\nstruct {name}<T *> {{ static constexpr int v = {e}; }};\n"
            );
            let ty = k.pick(&[
                "int",
                "short",
                "int *",
                "int, 3",
                "const int",
                "double *, 8",
            ]);
            k.touch(&format!("t * {name}<{ty}>::v"));
        }
        1 => {
            k.head += &format!(
                "template <class T, class U = T>\nstruct {name} {{ static constexpr int v = {c}; }};\ntemplate <class T>\nstruct {name}<T, float> {{ static constexpr int v = {e}; }};\ntemplate <>\nstruct {name}<char> {{ static constexpr int v = {f}; }};\n"
            );
            let ty = k.pick(&["int", "float", "char", "char, float", "char, char"]);
            k.touch(&format!("t * {name}<{ty}>::v"));
        }
        _ => {
            k.head += &format!(
                "template <class T>\nstruct {name}Void {{ using type = void; }};\ntemplate <class T, class = void>\nstruct {name} {{ static constexpr int v = {c}; }};\ntemplate <class T>\nstruct {name}<T, typename {name}Void<typename T::K>::type> {{ static constexpr int v = {e}; }};\nstruct {name}With {{ using K = int; }};\n"
            );
            let with = format!("{name}With");
            k.touch(&format!("t * {name}<{with}>::v"));
            k.touch(&format!("t * {name}<int>::v"));
        }
    }
}

/// References to something of another type or class are values of their own.
pub fn bound_references(k: &mut Kernel) {
    let (x, r) = (k.name("x"), k.name("r"));
    let (c, e) = (k.constant(), k.small());
    let ty = k.integer_type();
    k.line(&format!("int {x} = {c} + 250;"));
    k.line(&format!("const {ty} &{r} = {x};"));
    k.line(&format!("{x} = {e};"));
    k.touch(&format!("t * {r} + {x}"));
    k.touch(&format!("t * {x}"));
}

/// Arrays in records, written at indices that are not known, beside pointers and numbers.
pub fn arrays_beside_pointers(k: &mut Kernel) {
    let name = k.global_name("Keeper");
    let (o, i, p) = (k.name("o"), k.name("i"), k.name("p"));
    let (c, e) = (k.constant(), k.small());
    let element = k.element();
    let array = k.pick(&["a", "s"]).to_owned();
    k.head += &format!(
        "struct {name} {{\n  int q[3];\n  {element} *to;\n  int rows[2][2];\n  int step;\n  __device__ void put(int at, int value) {{ q[at] = value; }}\n}};\n"
    );
    k.line(&format!(
        "{name} {o} = {{{{1, 2, {e}}}, {array}, {{{{1, {e}}}, {{{c}, 4}}}}, {e}}};"
    ));
    for _ in 0..1 + k.random.below(3) {
        let cond = k.condition();
        match k.random.below(9) {
            0 => k.line(&format!("{o}.q[n & 1] = {c};")),
            1 => k.line(&format!(
                "for (int {i} = 0; {i} < 3; ++{i}) {o}.q[{i}] += m;"
            )),
            2 => k.line(&format!("if ({cond}) {o}.q[t & 1] = {c};")),
            3 => {
                k.open(&format!("for (int {i} = 0; {i} < (n & 3); ++{i})"));
                k.line(&format!("{o}.q[{i}] = {i} * {e};"));
                k.line(&format!("if ({cond}) {{ {o}.step = {e} + 1; break; }}"));
                k.close();
            }
            4 => {
                k.open("");
                k.line(&format!("int *{p} = {o}.q + (n & 1);"));
                k.line(&format!("{p}[1] = {c};"));
                k.close();
            }
            5 => k.line(&format!("((int *)&{o})[m & 1] = {e};")),
            6 => k.line(&format!(
                "for (int {i} = 0; {i} < 2; ++{i}) {o}.rows[{i}][n & 1] = {c};"
            )),
            7 => k.line(&format!("{o}.put((n + m) & 1, {e});")),
            _ => k.line(&format!(
                "for (int {i} = 0; {i} < 2; ++{i}) {{ {o}.q[{i}] = n; {o}.to += {e}; }}"
            )),
        }
    }
    k.line(&format!("{o}.to[(t * {o}.step) & 511] = v;"));
    k.touch(&format!("t * {o}.rows[n & 1][1] + {o}.q[2]"));
    k.touch(&format!("t * {o}.q[m & 1]"));
}
