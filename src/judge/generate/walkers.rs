//! Iterators of the user's: by hand and by `for`, with other ends, that skip, that pair, and that free functions give.

use super::kernel::Kernel;

/// The body of an iterator: what it holds, gives and how it goes on.
fn iterator(k: &mut Kernel, it: &str) {
    let (c, d) = (k.small(), k.small());
    let reference = k.pick(&[
        "int operator*() const { return i; }",
        "int operator*() const { return i * @; }",
    ]);
    let reference = reference.replace('@', &c.to_string());
    let step = match k.random.below(4) {
        0 => format!("i += {d};"),
        1 => "++i;".to_owned(),
        2 => format!("do ++i; while (i % {} == 1);", d + 1),
        _ => "i = i + 1;".to_owned(),
    };
    k.head += &format!(
        "struct {it} {{\n  int i;\n  __device__ {reference}\n  __device__ {it} &operator++() {{ {step} return *this; }}\n  __device__ {it} operator++(int) {{ {it} old = *this; ++*this; return old; }}\n  __device__ {it} operator+(int n) const {{ return {{i + n}}; }}\n  __device__ int operator-(const {it} &o) const {{ return i - o.i; }}\n  __device__ int operator[](int n) const {{ return *(*this + n); }}\n  __device__ bool operator==(const {it} &o) const {{ return i >= o.i; }}\n  __device__ bool operator!=(const {it} &o) const {{ return !(*this == o); }}\n}};\n"
    );
}

pub fn iterators(k: &mut Kernel) {
    let (it, rg) = (k.global_name("Iter"), k.global_name("Span"));
    iterator(k, &it);
    let (x, c) = (k.name("x"), k.small());
    let low = k.pick(&["0", "t & 3", "n & 3", "m"]);
    let long = k.pick(&["4", "n & 7", "5", "(t & 1) + 2"]);
    let end = format!("({low}) + ({long})");
    match k.random.below(7) {
        0 => {
            let (i, e) = (k.name("i"), k.name("e"));
            let step = step(k, &i);
            k.open(&format!(
                "for ({it} {i}{{{low}}}, {e}{{{end}}}; {i} != {e}; {step})"
            ));
            k.line(&format!("int {x} = *{i};"));
            body(k, &x);
            k.close();
        }
        1 => {
            let (i, e) = (k.name("i"), k.name("e"));
            k.line(&format!("{it} {i}{{{low}}}; const {it} {e}{{{end}}};"));
            k.open(&format!("while (!({i} == {e}))"));
            k.line(&format!("int {x} = *{i}++;"));
            body(k, &x);
            k.close();
            k.touch(&format!("({i} - {e}) + t"));
        }
        2 => {
            k.head += &format!(
                "struct {rg} {{ int lo, hi; __device__ {it} begin() const {{ return {it}{{lo}}; }} __device__ {it} end() const {{ return {it}{{hi}}; }} }};\n"
            );
            over(k, &x, &format!("{rg}{{{low}, {end}}}"));
        }
        3 => {
            k.head += &format!(
                "namespace n{rg} {{ struct {rg} {{ int lo, hi; }};\n__device__ {it} begin(const {rg} &r) {{ return {{r.lo}}; }}\n__device__ {it} end(const {rg} &r) {{ return {{r.hi}}; }} }}\n"
            );
            over(k, &x, &format!("n{rg}::{rg}{{{low}, {end}}}"));
        }
        4 => {
            k.head += &format!(
                "struct {rg}End {{ int hi; }};\n__device__ bool operator!=(const {it} &a, const {rg}End &b) {{ return a.i < b.hi; }}\nstruct {rg} {{ int lo, hi; __device__ {it} begin() {{ return {{lo}}; }} __device__ {rg}End end() {{ return {{hi}}; }} }};\n"
            );
            over(k, &x, &format!("{rg}{{{low}, {end}}}"));
        }
        5 => {
            let p = k.name("p");
            k.head += &format!(
                "struct {rg} {{ int v[4]; __device__ int *begin() {{ return v; }} __device__ int *end() {{ return v + 3; }} __device__ const int *begin() const {{ return v + 1; }} __device__ const int *end() const {{ return v + 4; }} }};\n"
            );
            let e = k.expression(0);
            k.line(&format!("{rg} {p}{{{{1, {e}, {c}, 2}}}};"));
            if k.random.one_in(2) {
                let by = k.name("by");
                k.open(&format!("for (int {by} = t % {c}; auto &{x} : {p})"));
                k.line(&format!("{x} += {by}++;"));
            } else {
                k.open(&format!("for (auto &{x} : {p})"));
                k.line(&format!("{x} += {c};"));
            }
            k.close();
            k.line(&format!("const {rg} &{p}c = {p};"));
            over(k, &x, &format!("{p}c"));
        }
        _ => {
            let (pair, a, b) = (k.global_name("Two"), k.name("a"), k.name("b"));
            k.head += &format!(
                "struct {pair} {{ int at, of; }};\nstruct {pair}It {{ {it} i; int n; __device__ {pair} operator*() const {{ return {{n, *i}}; }} __device__ void operator++() {{ ++i; ++n; }} __device__ bool operator!=(const {pair}It &o) const {{ return i != o.i; }} }};\nstruct {rg} {{ int lo, hi; __device__ {pair}It begin() const {{ return {{{{lo}}, 0}}; }} __device__ {pair}It end() const {{ return {{{{hi}}, 0}}; }} }};\n"
            );
            k.open(&format!("for (auto [{a}, {b}] : {rg}{{{low}, {end}}})"));
            k.touch(&format!("{a} * {c} + t"));
            k.touch_by(&b);
            k.close();
        }
    }
    let i = k.name("i");
    k.line(&format!("{it} {i} = {it}{{{c}}} + 1;"));
    k.touch_by(&format!("{i}[2]"));
}

fn step(k: &mut Kernel, i: &str) -> String {
    if k.random.one_in(2) {
        format!("++{i}")
    } else {
        format!("{i}++")
    }
}

fn over(k: &mut Kernel, x: &str, range: &str) {
    let declared = k.pick(&["int", "auto", "const auto", "auto &&"]);
    k.open(&format!("for ({declared} {x} : {range})"));
    body(k, x);
    k.close();
}

fn body(k: &mut Kernel, x: &str) {
    let (condition, c) = (k.condition(), k.small());
    match k.random.below(5) {
        0 => k.line(&format!("if ({condition}) break;")),
        1 => k.line(&format!("if ({condition}) continue;")),
        2 => k.line(&format!("if ({x} == {c}) continue;")),
        _ => {}
    }
    k.touch(&format!("{x} * {c} + t"));
    k.touch_by(x);
}
