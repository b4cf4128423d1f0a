//! What may not be written by a name, and what a name refers to: the overload that is meant tells.

use super::kernel::Kernel;

/// Functions that tell a `const` object, one that is not, and one that expires apart.
fn told_apart(k: &mut Kernel) -> String {
    let f = k.global_name("told");
    let [c, d, e] = [k.small(), k.small() + 8, k.small() + 16];
    k.head += &format!(
        "#include <utility>\n__device__ inline int {f}(int &) {{ return {c}; }}\n__device__ inline int {f}(const int &) {{ return {d}; }}\n__device__ inline int {f}(int &&) {{ return {e}; }}\n"
    );
    f
}

pub fn constant_names(k: &mut Kernel) {
    let f = told_apart(k);
    let [i, c, r, w] = ["i", "c", "r", "w"].map(|stem| k.name(stem));
    let value = k.constant();
    k.line(&format!("int {i} = {value}; const int {c} = {value};"));
    k.line(&format!(
        "int {w}[2] = {{{value}, 1}}; const int o{w}[2] = {{2, {value}}};"
    ));
    match k.random.below(8) {
        0 => {
            let how = k.pick(&["int &&", "auto &&", "const int &", "const auto &"]);
            k.line(&format!("{how}{r} = {i} + 1;"));
            k.touch(&format!("t * {f}({r})"));
        }
        1 => {
            let how = k.pick(&["auto &", "const auto &", "auto &&", "auto", "const int &"]);
            let over = k.pick(&["", "o"]);
            k.open(&format!("for ({how} {r} : {over}{w})"));
            k.touch(&format!("t * {f}({r})"));
            k.close();
        }
        2 => {
            let how = k.pick(&["const auto &", "auto &&", "auto", "const int &"]);
            k.open(&format!("for ({how} {r} : {{1, 2, {value}}})"));
            k.touch(&format!("t * {f}({r})"));
            k.close();
        }
        3 => {
            let how = k.pick(&["const auto ", "auto ", "const auto &", "auto &"]);
            k.line(&format!("{how}[x{r}, y{r}] = {w};"));
            k.touch(&format!("t * {f}(x{r}) + {f}(y{r})"));
        }
        4 => {
            let test = k.pick(&["true", "t > 3", "v > 2"]);
            k.touch(&format!("t * {f}({test} ? {i} : {c})"));
            k.touch(&format!("t * {f}({test} ? {i} : {w}[1])"));
        }
        5 => {
            let result = k.pick(&["const int &", "int &", "int", "auto &", "decltype(auto)"]);
            k.line(&format!("auto {r} = [&]() -> {result} {{ return {i}; }};"));
            k.touch(&format!("t * {f}({r}())"));
        }
        6 => {
            let of = k.pick(&["i", "c", "(i)", "(c)", "w[0]"]);
            let of = of.replace('i', &i).replace('c', &c).replace('w', &w);
            k.line(&format!("decltype(auto) {r} = {of};"));
            k.touch(&format!("t * {f}({r})"));
        }
        _ => {
            let of = k.pick(&[
                "std::move(i)",
                "std::as_const(i)",
                "(const int &)i",
                "(int &)i",
            ]);
            k.touch(&format!(
                "t * {f}({})",
                of.replace("i)", &format!("{i})"))
                    .replace("&)i", &format!("&){i}"))
            ));
        }
    }
}

/// References that results and members are, written through another name.
pub fn other_names(k: &mut Kernel) {
    let s = k.global_name("Refers");
    let [i, o, w] = ["i", "o", "w"].map(|stem| k.name(stem));
    let [c, d] = [k.small(), k.small()];
    k.head += &format!(
        "struct {s} {{ int v; int &r; __device__ int &get() {{ return v; }} __device__ const int &get() const {{ return v; }} }};\n"
    );
    k.line(&format!("int {i} = {c}; {s} {o}{{{d}, {i}}};"));
    let of = k.pick(&[
        "o.r",
        "(o.v)",
        "o.get()",
        "(int &)i",
        "static_cast<int &>(o.r)",
        "(i, o.v)",
        "o.v",
    ]);
    let of = of
        .replace("o.", &format!("{o}."))
        .replace(")i", &format!("){i}"))
        .replace("(i,", &format!("({i},"));
    k.line(&format!(
        "{{ decltype(auto) {w} = {of}; {w} = {}; }}",
        c + d
    ));
    k.touch(&format!("t * ({i} + {o}.v)"));
}

/// What a class has of its bases: conversions, members by using-declarations, names that are hidden.
pub fn of_bases(k: &mut Kernel) {
    let [a, b, c, e] = ["Far", "Near", "Used", "Both"].map(|stem| k.global_name(stem));
    let [x, y, z] = [k.small(), k.small() + 1, k.small() + 2];
    k.head += &format!(
        "struct {a} {{ int x = {x}; static constexpr int K = {x}; __device__ operator int() const {{ return x; }} __device__ int *operator->() {{ return &x; }} __device__ explicit operator bool() const {{ return x > 3; }} }};\nstruct {b} : {a} {{ int x = {y}; static constexpr int K = {y}; }};\nstruct {c} : {b} {{ using {a}::x; using {a}::K; __device__ int get() const {{ return x; }} }};\nstruct L{e} {{ int v = {z}; }};\nstruct {e} : L{e}, {a} {{ int x = {y}; }};\n"
    );
    let o = k.name("o");
    let which = k.pick(&["b", "c", "e"]);
    let class = match which {
        "b" => &b,
        "c" => &c,
        _ => &e,
    };
    k.line(&format!("{class} {o};"));
    match k.random.below(4) {
        0 => k.touch(&format!("t * (int){o}")),
        1 => {
            let n = k.name("n");
            k.line(&format!("int {n} = {o};"));
            k.touch(&format!("t * {n} + {o}.x"));
        }
        2 => k.touch(&format!("t * ({o} ? {y} : {z}) + {class}::K")),
        _ => k.touch(&format!("t * ({o} + {o}.x)")),
    }
    if which == "c" {
        k.touch(&format!("t * {o}.get() + {o}.K"));
    }
}

/// Lambdas that objects hold, given on by templates.
pub fn held_lambdas(k: &mut Kernel) {
    let [h, g, m] = ["Holds", "given", "made"].map(|stem| k.global_name(stem));
    let [c, d] = [k.small(), k.small()];
    k.head += &format!(
        "#include <type_traits>\ntemplate <class F> struct {h} {{ F f; __device__ int go(int i) const {{ return f(i) + {c}; }} __device__ int operator()(int i) const {{ return f(i + 1); }} }};\ntemplate <class F> __device__ int {g}(F &&f, int i) {{ return {h}<std::decay_t<F>>{{f}}.go(i); }}\n__device__ inline auto {m}(int x) {{ return [x](int i) {{ return i * x; }}; }}\n"
    );
    let [l, o, n] = ["l", "o", "n"].map(|stem| k.name(stem));
    k.line(&format!("int {n} = {d};"));
    let how = k.pick(&["=", "&", "n"]).replace('n', &n);
    k.line(&format!("auto {l} = [{how}](int i) {{ return i * {n}; }};"));
    k.line(&format!("{h}<decltype({l})> {o}{{{l}}};"));
    if k.random.one_in(2) {
        k.line(&format!("{n} = {c};"));
    }
    match k.random.below(6) {
        0 => k.touch(&format!("{o}.go(t)")),
        1 => k.touch(&format!("{o}(t)")),
        2 => k.touch(&format!("{g}({l}, t)")),
        3 => k.touch(&format!("{g}([&](int i) {{ return i + {n}; }}, t)")),
        4 => {
            k.line(&format!("auto c{o} = {o};"));
            k.touch(&format!("c{o}.go(t)"));
        }
        _ => {
            k.line(&format!("auto p{o} = {m}({c}); auto q{o} = {m}({d} + 1);"));
            k.line(&format!("{h}<decltype(p{o})> r{o}{{p{o}}};"));
            k.touch(&format!("r{o}.go(t)"));
            k.touch(&format!("q{o}(t)"));
        }
    }
}
