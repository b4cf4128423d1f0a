//! One of several places, objects or functions, and control flow that few kernels have.

use super::kernel::Kernel;

/// A choice between two variables where something may be written.
pub fn places(k: &mut Kernel) {
    let (x, y) = (k.name("x"), k.name("y"));
    let (one, two, new) = (k.constant(), k.small(), k.constant());
    let cond = k.condition();
    k.line(&format!("int {x} = {one}, {y} = {two};"));
    match k.random.below(8) {
        0 => {
            let f = k.global_name("bump");
            k.head += &format!("__device__ void {f}(int &x) {{ x += {new}; }}\n");
            k.line(&format!("{f}({cond} ? {x} : {y});"));
        }
        1 => {
            let p = k.name("p");
            k.line(&format!("int *{p} = &({cond} ? {x} : {y});"));
            k.line(&format!("*{p} = {new};"));
        }
        2 => k.line(&format!("({cond} ? {x} : {y}) += {new};")),
        3 => k.line(&format!("({cond} ? {x} : {y})++;")),
        4 => {
            let r = k.name("r");
            k.line(&format!("int &{r} = {cond} ? {x} : {y};"));
            k.line(&format!("{r} = {new};"));
            k.touch_by(&r);
        }
        5 => {
            let f = k.global_name("which");
            k.head +=
                &format!("__device__ int &{f}(bool b, int &x, int &y) {{ return b ? x : y; }}\n");
            k.line(&format!("{f}({cond}, {x}, {y}) = {new};"));
        }
        6 => {
            let f = k.global_name("first");
            k.head += &format!(
                "template <class T> __device__ T &{f}(T &x, T &y, bool b) {{\n  if (b) return x;\n  return y;\n}}\n"
            );
            k.line(&format!("{f}({x}, {y}, {cond}) *= {new};"));
        }
        _ => {
            let (s, p, q) = (k.global_name("Pair"), k.name("p"), k.name("q"));
            k.head += &format!("struct {s} {{ int v, w; }};\n");
            k.line(&format!("{s} {p} = {{{x}, {y}}}, {q} = {{{y}, {x}}};"));
            k.line(&format!("({cond} ? {p} : {q}).v = {new};"));
            k.line(&format!("{x} = {p}.v;"));
        }
    }
    k.touch_by(&x);
    k.touch_by(&y);
}

/// Whole objects out of one of two places in memory, or into one.
pub fn whole_objects(k: &mut Kernel) {
    let (from, to) = (k.name("from"), k.name("to"));
    // Places that are two: of one alone g++ leaves the condition out, and what it loads.
    let (c, e) = (k.small(), k.small());
    let (cond, other) = (k.condition(), k.condition());
    let (ty, part) = match k.random.below(3) {
        0 => ("float4".to_owned(), "z"),
        1 => ("int2".to_owned(), "y"),
        _ => {
            let quad = k.global_name("Quad");
            k.head += &format!("struct {quad} {{ float x, y, z, w; }};\n");
            (quad, "w")
        }
    };
    k.line(&format!("const {ty} *{from} = (const {ty} *)b;"));
    k.line(&format!("{ty} *{to} = ({ty} *)a;"));
    match k.random.below(7) {
        0 => k.line(&format!(
            "{to}[t] = {cond} ? {from}[t] : {from}[t * {c} + 1];"
        )),
        1 => {
            let zero = k.name("zero");
            k.line(&format!("{ty} {zero} = {{}};"));
            k.line(&format!("{to}[t * {c}] = {cond} ? {from}[t] : {zero};"));
        }
        2 => {
            let w = k.name("w");
            k.line(&format!(
                "{ty} {w} = {cond} ? {from}[t] : {from}[t + {e} + 1];"
            ));
            k.line(&format!("v += {w}.{part};"));
        }
        3 => k.line(&format!(
            "({cond} ? {to}[t] : {to}[t * {c} + 1]) = {from}[t];"
        )),
        4 => k.line(&format!(
            "v += ({cond} ? {from}[t] : {from}[t + {e} + 1]).{part};"
        )),
        5 => k.line(&format!(
            "{to}[t] = {cond} ? {from}[t] : {other} ? {from}[t + {e} + 1] : {from}[{c}];"
        )),
        _ => {
            let w = k.name("w");
            k.line(&format!("{ty} {w};"));
            k.line(&format!("{w} = {cond} ? {from}[t] : {to}[t + {e}];"));
            k.line(&format!("{to}[t] = {w};"));
        }
    }
}

/// Pointers to functions that are assigned, chosen and returned; some of overloads and templates.
pub fn functions(k: &mut Kernel) {
    let (f, g) = (k.global_name("one"), k.global_name("two"));
    let (c, e) = (k.constant(), k.small());
    k.head += &format!("__device__ int {f}(int x) {{ return x * {c}; }}\n");
    k.head += &format!("__device__ int {g}(int x) {{ return x + {e}; }}\n");
    let p = k.name("f");
    let cond = k.condition();
    match k.random.below(8) {
        0 => {
            k.line(&format!("int (*{p})(int) = {f};"));
            k.line(&format!("if ({cond}) {p} = {g};"));
        }
        1 => {
            let i = k.name("i");
            k.line(&format!("int (*{p})(int) = {f};"));
            k.open(&format!("for (int {i} = 0; {i} < 3; ++{i})"));
            k.touch(&format!("{p}(t)"));
            k.line(&format!("{p} = {g};"));
            k.close();
        }
        2 => k.line(&format!("int (*{p})(int) = {cond} ? {f} : {g};")),
        3 => {
            k.head += &format!("__device__ int {f}(float x) {{ return (int)x * {e} + 8; }}\n");
            let of = if k.random.below(2) == 0 {
                "int"
            } else {
                "float"
            };
            k.line(&format!("int (*{p})({of}) = {f};"));
        }
        4 => {
            let m = k.global_name("many");
            k.head += &format!("template <int D> __device__ int {m}(int x) {{ return x * D; }}\n");
            k.line(&format!("int (*{p})(int) = {cond} ? {m}<{c}> : {m}<{e}>;"));
        }
        5 => {
            let (m, v) = (k.global_name("many"), k.global_name("via"));
            k.head += &format!("template <int D> __device__ int {m}(int x) {{ return x * D; }}\n");
            k.head += &format!("template <int D> __device__ auto {v}() {{ return &{m}<D>; }}\n");
            k.line(&format!("int (*{p})(int) = {v}<{c}>();"));
        }
        6 => {
            let m = k.global_name("sized");
            k.head += &format!(
                "template <class T> __device__ int {m}(T x) {{ return (int)x * (int)sizeof(T); }}\n"
            );
            k.line(&format!("int (*{p})(double) = {m};"));
        }
        _ => k.line(&format!("auto {p} = {g};")),
    }
    k.touch(&format!("{p}(t)"));
}

/// Objects that change something where their scope ends.
pub fn destructors(k: &mut Kernel) {
    let (s, x, g) = (k.global_name("Guard"), k.name("x"), k.name("g"));
    let (c, e, before) = (k.constant(), k.small(), k.small());
    k.head += &format!(
        "struct {s} {{\n  int &x;\n  __device__ {s}(int &y) : x(y) {{ x = {c}; }}\n  __device__ ~{s}() {{ x {} {e}; }}\n}};\n",
        k.random.pick(&["=", "+="])
    );
    k.line(&format!("int {x} = {before};"));
    match k.random.below(3) {
        0 => {
            k.open("");
            k.line(&format!("{s} {g}({x});"));
            k.touch_by(&x);
            k.close();
        }
        1 => {
            let i = k.name("i");
            let cond = k.condition();
            k.open(&format!("for (int {i} = 0; {i} < 3; ++{i})"));
            k.line(&format!("{s} {g}({x});"));
            k.line(&format!("if ({cond}) break;"));
            k.touch_by(&x);
            k.close();
        }
        _ => {
            let f = k.global_name("held");
            k.head += &format!("__device__ int {f}(int &x) {{\n  {s} g(x);\n  return x;\n}}\n");
            k.touch_by(&format!("{f}({x})"));
        }
    }
    k.touch_by(&x);
}

/// Locals that are read and written by way of pointers.
pub fn locals(k: &mut Kernel) {
    let (x, y, p) = (k.name("x"), k.name("y"), k.name("ps"));
    let (one, two, new) = (k.expression(0), k.small(), k.constant());
    let at = k.pick(&["n & 1", "t & 1", "(n >> 1) & 1", "n > m"]);
    k.line(&format!("int {x} = {one}, {y} = {two};"));
    match k.random.below(4) {
        0 => {
            k.line(&format!("int *{p}[2] = {{&{x}, &{y}}};"));
            k.line(&format!("*{p}[{at}] = {new};"));
        }
        1 => {
            k.line(&format!("int *{p}[2] = {{&{x}, &{y}}};"));
            let q = k.name("q");
            k.line(&format!("int {q} = *{p}[{at}];"));
            k.touch_by(&q);
        }
        2 => {
            let (f, s) = (k.global_name("deep"), k.global_name("Held"));
            k.head += &format!(
                "struct {s} {{ int *p; }};\n__device__ void {f}({s} h, int k) {{\n  if (k > 0) {f}(h, k - 1);\n  else *h.p = {new};\n}}\n"
            );
            k.line(&format!("{f}({s}{{&{x}}}, m & 3);"));
        }
        _ => {
            k.line(&format!("int *{p} = &{x};"));
            let cond = k.condition();
            k.line(&format!("if ({cond}) {p} = &{y};"));
            k.line(&format!("*{p} = {new};"));
        }
    }
    k.touch_by(&x);
    k.touch_by(&y);
}

/// A pointer that conditions move from one object to another.
pub fn moved(k: &mut Kernel) {
    let (p, s) = (k.name("p"), k.name("z"));
    let (cond, c) = (k.condition(), k.small());
    let element = k.element();
    k.line(&format!("__shared__ {element} {s}[640];"));
    k.line(&format!("{element} *{p} = a;"));
    match k.random.below(4) {
        0 => k.line(&format!("if ({cond}) {p} = {s};")),
        1 => {
            k.line(&format!("if ({cond}) {p} = {s} + 1;"));
            k.line(&format!("else {p} = {s} + {c};"));
        }
        2 => {
            let (q, r) = (k.name("q"), k.name("r"));
            k.line(&format!("{element} *{q} = n > 4 ? {s} : {s} + 1;"));
            k.line(&format!("{element} *{r} = m > 2 ? {s} + 1 : {s};"));
            k.line(&format!("{p} = {cond} ? {q} : {r};"));
        }
        _ => {
            let i = k.name("i");
            k.open(&format!("for (int {i} = 0; {i} < 4; ++{i})"));
            k.line(&format!("{p}[t & 127] = 1;"));
            k.line(&format!("{p} = {cond} ? {s} + {i} : {p} + {c};"));
            k.close();
        }
    }
    // No further than the array reaches, whatever the grid.
    k.line(&format!("{p}[(t & 127) * {}] = 1;", 1 + c % 4));
}

/// Jumps back, by lanes and by parameters.
pub fn jumps_back(k: &mut Kernel) {
    let (label, i, q) = (k.name("again"), k.name("i"), k.name("q"));
    let c = k.small();
    let more = k.pick(&["t < 16", "(t & 7) > ", "n > ", "3 > ", "(n & 7) >"]);
    let more = if more.ends_with('>') || more.ends_with("> ") {
        format!("{more} {i}")
    } else {
        format!("{more} && {i} < 4")
    };
    k.line(&format!("int {i} = 0, {q} = {c};"));
    let is_nested = k.random.one_in(2);
    if is_nested {
        let cond = k.condition();
        k.open(&format!("if ({cond})"));
    }
    k.line(&format!("{label}:"));
    k.touch_by(&q);
    k.line(&format!("{q} += {};", 1 + c % 3));
    if k.random.one_in(3) {
        let cond = k.condition();
        k.line(&format!("if (({cond}) && {i} > 1) {q} = 1;"));
    }
    k.line(&format!("if (++{i} < 8 && ({more})) goto {label};"));
    if is_nested {
        k.close();
    }
    k.touch_by(&q);
    k.touch(&format!("{i} * 8 + t"));
}

/// Cases inside of the loop that their `switch` begins.
pub fn cases_in_loops(k: &mut Kernel) {
    let x = k.name("x");
    let on = k.pick(&["n & 3", "t & 3", "m & 3"]);
    k.line(&format!("int {x} = 0;"));
    k.open(&format!("switch ({on})"));
    k.line("case 0:");
    k.open("do");
    k.line(&format!("{x} += 1;"));
    k.line("case 3:");
    k.touch_by(&x);
    k.line("case 2:");
    k.line(&format!("{x} += 2;"));
    k.line("case 1:");
    k.line("v += 1;");
    k.depth -= 1;
    let end = k.constant().clamp(3, 12);
    k.line(&format!("}} while ({x} < {end});"));
    k.close();
    k.touch_by(&x);
}

/// Loops inside of loops that lanes leave in every way.
pub fn nested_exits(k: &mut Kernel) {
    let (i, j, q) = (k.name("i"), k.name("j"), k.name("q"));
    let (rows, columns) = (k.shared(), k.small());
    k.line(&format!("int {q} = 1;"));
    k.open(&format!("for (int {i} = 0; {i} < ({rows}); ++{i})"));
    k.open(&format!("for (int {j} = 0; {j} < {columns}; ++{j})"));
    for _ in 0..2 {
        let cond = match k.random.below(4) {
            0 => format!("t == {i} * 4 + {j}"),
            1 => format!("{j} > (n & 3)"),
            2 => format!("d[{i}] > {j}"),
            _ => k.condition(),
        };
        let leave = k.pick(&["break;", "continue;", "return;", "break;"]);
        let set = if k.random.one_in(2) {
            format!("{q} = {i} + {j}; ")
        } else {
            String::new()
        };
        k.line(&format!("if ({cond}) {{ {set}{leave} }}"));
        k.touch_by(&format!("{q} + {j}"));
    }
    k.close();
    let (cond, leave) = (k.condition(), k.pick(&["break;", "continue;", ";"]));
    k.line(&format!("if ({cond}) {leave}"));
    k.touch_by(&q);
    k.close();
    k.touch_by(&q);
}

/// Pointers that walk by a stride. Lanes that meet write the same, so that their order tells nothing.
pub fn walks(k: &mut Kernel) {
    let (p, i) = (k.name("p"), k.name("i"));
    let element = k.element();
    let (c, stride) = (k.small(), k.shared());
    k.line(&format!("{element} *{p} = a + t * {c};"));
    match k.random.below(4) {
        0 => {
            k.open(&format!(
                "for (int {i} = 0; {i} < 4; ++{i}, {p} += {stride})"
            ));
            k.line(&format!("*{p} = 1;"));
            k.close();
        }
        1 => {
            let end = k.name("e");
            k.line(&format!("{element} *{end} = {p} + {c};"));
            k.line(&format!("while ({p} != {end}) *{p}++ = 1;"));
        }
        2 => {
            let cond = k.condition();
            k.open(&format!("for (int {i} = 0; {i} < 4; ++{i})"));
            k.line(&format!("if ({cond}) {p} += {stride};"));
            k.line(&format!("{p}[{i}] = 1;"));
            k.close();
        }
        _ => {
            k.line(&format!("*{p}++ = 1;"));
            k.line(&format!("*++{p} = 1;"));
            k.line(&format!("{p} += ({stride}) * {c};"));
        }
    }
    k.line(&format!("{p}[1] = 1;"));
}

/// Two overloads that differ in `const`.
pub fn const_overloads(k: &mut Kernel) {
    let (s, q, c) = (k.global_name("View"), k.name("q"), k.small());
    let element = k.element();
    let f = k.global_name("read");
    k.head += &format!(
        "struct {s} {{\n  {element} *p;\n  __device__ {element} &at(int i) {{ return p[i]; }}\n  __device__ {element} at(int i) const {{ return p[i * {c}]; }}\n}};\n__device__ {element} {f}(const {s} &q, int i) {{ return q.at(i); }}\n"
    );
    k.line(&format!("{s} {q}{{a}};"));
    k.line(&format!("{q}.at(t) = {f}({q}, t + 1);"));
}

/// Methods called by their plain names, which templates or the object's class decide between: they write the
/// object around the call.
pub fn own_methods(k: &mut Kernel) {
    let c = k.global_name("Own");
    let [p, q, r] = [k.small(), k.small(), k.small()];
    let e = k.constant();
    let test = k.pick(&[
        "sizeof(T) > 2",
        "T(-1) < T(0)",
        "__is_same(T, int)",
        "sizeof(decltype(T() + 1ll)) == 8",
    ]);
    let way = k.pick(&["T x", "T &x", "const T &x", "T x, int = 0"]);
    k.head += &format!(
        "template <bool B> struct {c}If {{}};\ntemplate <> struct {c}If<true> {{ using type = int; }};\nstruct {c} {{\n  int k = {p};\n  template <class T, typename {c}If<({test})>::type = 0> __device__ void set({way}) {{ k = {q} + (int)x % 2; }}\n  template <class T, typename {c}If<!({test})>::type = 0> __device__ void set({way}) {{ k = {r}; }}\n  __device__ virtual void v(int x) {{ k += x & 1; }}\n  __device__ int run(int x) {{ set(x); return k * x; }}\n  __device__ int over(int x) {{ v(x); return k * x + {e}; }}\n}};\nstruct {c}Two : {c} {{ __device__ void v(int x) override {{ k = {r}; }} }};\n__device__ int {c}by({c} &o, int x) {{ o.v(x); return o.k * x; }}\n__device__ int {c}at({c} *o, int x) {{ return o->over(x); }}\n"
    );
    let x = k.name("x");
    let which = k.pick(&["", "Two"]);
    k.line(&format!("{c}{which} {x};"));
    match k.random.below(4) {
        0 => k.touch(&format!("{x}.run(t)")),
        1 => k.touch(&format!("{x}.over(t)")),
        2 => k.touch(&format!("{c}by({x}, t)")),
        _ => k.touch(&format!("{c}at(&{x}, t)")),
    }
    k.touch(&format!("{x}.k * t"));
}
