//! Packs of parameters: folds, lists, recursion over their first, and sequences of numbers.

use super::kernel::Kernel;

#[expect(clippy::too_many_lines, reason = "one text")]
pub fn expanded(k: &mut Kernel) {
    let (f, s) = (k.global_name("pack"), k.global_name("Pack"));
    let [c, d] = [k.small(), k.constant()];
    let (e, g) = (k.expression(1), k.expression(0));
    match k.random.below(9) {
        0 => {
            let fold = k.pick(&[
                "(... + x)",
                "(x + ... + 3)",
                "(1 + ... + x)",
                "(... - x)",
                "(x - ...)",
                "(... * x)",
                "((x * 2) + ...)",
                "(0, ..., x)",
                "(int)(... || (x > 2))",
                "(int)(... && x)",
            ]);
            k.head +=
                &format!("template <class... T> __device__ int {f}(T... x) {{ return {fold}; }}\n");
            k.touch(&format!("{f}({e}, {c}, (short)n) & 1023"));
            k.touch(&format!("{f}({g}) * t"));
        }
        1 => {
            k.head += &format!(
                "__device__ int {f}() {{ return {c}; }}\ntemplate <class H, class... T> __device__ int {f}(H h, T... t) {{ return (int)h + (int)sizeof(H) * {f}(t...); }}\n"
            );
            k.touch(&format!("({f}(t, (short){c}, n) & 255) + t"));
            k.touch(&format!("{f}(t)"));
        }
        2 => {
            k.head += &format!(
                "template <class... T> __device__ int {f}(int at, T... x) {{\n  int v[] = {{x..., {d}}};\n  return v[at % (sizeof...(x) + 1)];\n}}\n"
            );
            let at = k.pick(&["n & 3", "1", "2", "t & 1"]);
            k.touch_by(&format!("{f}({at}, {g}, {c})"));
            k.touch(&format!("{f}(0, {e}, 2, 3)"));
        }
        3 => {
            k.head += &format!(
                "template <int... D> struct {s} {{\n  static constexpr int rank = sizeof...(D);\n  static constexpr int size = (D * ... * 1);\n  __device__ static int at(int i) {{ int o = 0; ((o = o * D + i % D), ...); return o; }}\n}};\n"
            );
            let other = k.small() + 1;
            k.touch(&format!("{s}<{d}, {other}, 4>::at(t)"));
            k.touch_by(&format!("{s}<{c}, {other}>::size + {s}<{c}>::rank"));
        }
        4 => {
            k.head += &format!(
                "#include <utility>\ntemplate <int... I> __device__ int {f}(int i, std::integer_sequence<int, I...>) {{ int v[sizeof...(I)] = {{(I * {c} + i)...}}; return (v[I] + ...); }}\n"
            );
            k.touch(&format!(
                "{f}(t, std::make_integer_sequence<int, {}>{{}})",
                2 + c % 3
            ));
        }
        5 => {
            k.head += &format!(
                "template <class... T> __device__ void {f}(int by, T &...x) {{ ((x = x * 2 + by), ...); }}\n"
            );
            let (x, y) = (k.name("x"), k.name("y"));
            k.line(&format!("int {x} = {g}; short {y} = {c};"));
            k.line(&format!("{f}({d}, {x}, {y});"));
            k.touch_by(&x);
            k.touch_by(&y);
        }
        6 => {
            let element = k.element();
            k.head += &format!(
                "template <class P, class... I> __device__ void {f}(P *p, I... i) {{ ((p[i] = (P)1), ...); }}\n"
            );
            k.line(&format!("{f}<{element}>(a, {e}, t * {c}, t + n);"));
        }
        7 => {
            k.head += &format!(
                "template <class... B> struct {s} : B... {{ using B::at...; }};\nstruct {s}A {{ int v = {c}; __device__ int at(int i) const {{ return i * v; }} }};\nstruct {s}B {{ int w = {d}; __device__ int at(float i) const {{ return (int)i + w; }} }};\n"
            );
            let o = k.name("o");
            k.line(&format!("{s}<{s}A, {s}B> {o};"));
            k.touch(&format!("{o}.at(t)"));
            k.touch(&format!("{o}.at(2.0f) + t * {o}.v"));
        }
        _ => {
            k.head += &format!(
                "template <class F, class... A> __device__ auto {f}(F &&g, A &&...x) {{ return g(x..., sizeof...(A)); }}\n"
            );
            k.touch(&format!(
                "{f}([=](int i, int j, int n) {{ return i * {c} + j * n; }}, t, {d})"
            ));
            k.touch(&format!(
                "{f}([&](auto... i) {{ return (i + ...); }}, t, n)"
            ));
        }
    }
}
