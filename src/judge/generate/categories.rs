//! What an argument is beside its type, what `decltype` says of expressions, and lanes that return from
//! one of several cases.

use super::kernel::Kernel;

/// Arguments with names, temporary ones and such as expire: what `T &&` deduces, which overload is meant.
pub fn arguments(k: &mut Kernel) {
    let (w, f, p) = (
        k.global_name("Deduced"),
        k.global_name("deduced"),
        k.global_name("Passed"),
    );
    let [b, c, d] = [k.small(), k.small() + 8, k.small() + 16];
    if !k.head.contains("<utility>") {
        k.head.insert_str(0, "#include <utility>\n");
    }
    k.head += &format!(
        "template <class T>\nstruct {w} {{ static constexpr int v = {b}; }};\ntemplate <class T>\nstruct {w}<T &> {{ static constexpr int v = {c}; }};\ntemplate <class T>\nstruct {w}<const T &> {{ static constexpr int v = {d}; }};\ntemplate <class T>\n__device__ int {f}(T &&, int i) {{ return i * {w}<T>::v; }}\ntemplate <class T>\n__device__ int {f}On(T &&x, int i) {{ return {f}(std::forward<T>(x), i); }}\ntemplate <class T>\n__device__ void {f}Step(T &&x) {{ x += {b}; }}\nstruct {p} {{\n  int x;\n  __device__ int get(int i) & {{ return i * {b}; }}\n  __device__ int get(int i) const & {{ return i * {c}; }}\n  __device__ int get(int i) && {{ return i * {d}; }}\n}};\n__device__ inline int {f}Of(const {p} &, int i) {{ return i * {c}; }}\n__device__ inline int {f}Of({p} &&, int i) {{ return i * {b}; }}\n__device__ inline {p} {f}Make(int n) {{\n  if (n > 4) return {p}{{2}};\n  return {p}{{1}};\n}}\n"
    );
    let (x, o, q) = (k.name("x"), k.name("o"), k.name("q"));
    let word = k.pick(&["", "const "]);
    k.line(&format!("{word}int {x} = n;"));
    k.line(&format!("{word}{p} {o}{{{b}}};"));
    let number = match k.random.below(6) {
        0 => x.clone(),
        1 => format!("{o}.x"),
        2 => format!("{x} + 1"),
        3 => format!("{f}Make(n).x"),
        4 if word.is_empty() => format!("std::move({x})"),
        _ => k.constant().to_string(),
    };
    let on = k.pick(&["", "On"]);
    k.touch(&format!("{f}{on}({number}, t)"));
    let object = match k.random.below(5) {
        0 => o.clone(),
        1 => format!("{p}{{2}}"),
        2 => format!("{f}Make(n)"),
        3 if word.is_empty() => format!("std::move({o})"),
        4 if word.is_empty() => format!("static_cast<{p} &&>({o})"),
        _ => o.clone(),
    };
    if k.random.one_in(2) {
        k.touch(&format!("{f}Of({object}, t)"));
    } else {
        k.touch(&format!("{object}.get(t)"));
    }
    k.line(&format!("int {q} = {c};"));
    let stepped = k.pick(&["", "std::move"]);
    k.line(&format!("{f}Step({stepped}({q}));"));
    k.touch_by(&q);
}

/// Types of bit-fields in arithmetic, of calls, and of references.
pub fn types(k: &mut Kernel) {
    let (w, s) = (k.global_name("Said"), k.global_name("Fields"));
    let [b, c, d, e] = [k.small(), k.small() + 8, k.small() + 16, k.small() + 24];
    let width = k.pick(&["3", "31", "32"]);
    k.head += &format!(
        "template <class T>\nstruct {w} {{ static constexpr int v = {b}; }};\ntemplate <>\nstruct {w}<int> {{ static constexpr int v = {c}; }};\ntemplate <>\nstruct {w}<unsigned> {{ static constexpr int v = {d}; }};\ntemplate <>\nstruct {w}<int &> {{ static constexpr int v = {e}; }};\nstruct {s} {{\n  unsigned f : {width};\n  int x;\n  __device__ int &at() {{ return x; }}\n  __device__ int by() const {{ return x; }}\n}};\n"
    );
    let o = k.name("o");
    k.line(&format!("{s} {o}{{1, {b}}};"));
    let said = k.pick(&[
        ".f + 1",
        ".f << 1",
        ".f * .f",
        ".at()",
        ".by()",
        ".x + 1",
        ".at() + 0u",
    ]);
    let said = match said {
        ".f * .f" => format!("{o}.f * {o}.f"),
        said => format!("{o}{said}"),
    };
    k.touch(&format!("t * {w}<decltype({said})>::v"));
    k.line(&format!("auto &&{o}r = {o}.at();\n  {o}r += {c};"));
    k.touch_by(&format!("{o}.x"));
    let step = k.pick(&["++", "--"]);
    k.line(&format!("{step}{o}.x = {d};"));
    k.touch_by(&format!("{o}.x"));
}

/// Lanes that return from one case, beside others that go on.
pub fn returns(k: &mut Kernel) {
    let on = k.pick(&["t >> 3", "t & 3", "n", "t % 3", "t / 16"]);
    let condition = k.condition();
    let c = k.constant();
    let falls = k.pick(&["break;", ""]);
    k.open(&format!("switch ({on})"));
    k.line(&format!("case 1: v += b[t * {c}]; {falls}"));
    k.line("case 2: v += 1; break;");
    k.line(&format!("default: if ({condition}) return;"));
    if k.random.one_in(2) {
        k.line("v += 2;");
    }
    k.close();
    k.touch_by(&c.to_string());
}
