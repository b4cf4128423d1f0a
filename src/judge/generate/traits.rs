//! Choices at compile time as libraries write them: traits with partial specialisations, `enable_if` of
//! their own, variable templates, parameters that are base classes or alias templates, literals with suffixes, `offsetof`.

use super::kernel::Kernel;

/// A class template, others that it is told from, and a trait that tells.
pub fn specialised(k: &mut Kernel) {
    let (vec, other, is) = (
        k.global_name("Vec"),
        k.global_name("Other"),
        k.global_name("is_vec"),
    );
    let (of, rank) = (k.global_name("by"), k.global_name("rank"));
    let [n, c, d, e] = [k.small(), k.small(), k.constant(), k.small()];
    k.head += &format!(
        "template <class T, int N> struct {vec} {{ T d[N]; static constexpr int size = N; }};\nstruct {other} {{ int x; }};\ntemplate <class T> struct {is} {{ static constexpr bool value = false; }};\ntemplate <class T, int N> struct {is}<{vec}<T, N>> {{ static constexpr bool value = true; }};\ntemplate <class T> constexpr int {rank} = {c};\ntemplate <class T> constexpr int {rank}<T *> = 1 + {rank}<T>;\ntemplate <class T, int N> constexpr int {rank}<{vec}<T, N>> = N + {e};\n"
    );
    let taken = match k.random.below(3) {
        0 => format!("if constexpr ({is}<T>::value) return T::size; else return {d};"),
        1 => format!("return {is}<T>::value ? {c} : {d};"),
        _ => format!("return {rank}<T> * {c};"),
    };
    k.head += &format!("template <class T> __device__ int {of}(const T &) {{ {taken} }}\n");
    let x = k.name("x");
    let ty = match k.random.below(5) {
        0 => format!("{vec}<int, {n}>"),
        1 => other,
        2 => "float *".to_owned(),
        3 => format!("{vec}<{vec}<int, 2>, {n}> *"),
        _ => "int".to_owned(),
    };
    k.line(&format!("{ty} {x}{{}};"));
    k.touch_by(&format!("{of}({x})"));
}

/// Overloads that conditions on types take out.
pub fn enabled(k: &mut Kernel) {
    let (when, f) = (k.global_name("when"), k.global_name("f"));
    let [c, d] = [k.small(), k.constant()];
    k.head += &format!(
        "template <bool B, class T = void> struct {when} {{}};\ntemplate <class T> struct {when}<true, T> {{ using type = T; }};\ntemplate <bool B, class T = void> using {when}_t = typename {when}<B, T>::type;\n"
    );
    let heads = match k.random.below(4) {
        0 => [
            format!(
                "template <class T, typename {when}<sizeof(T) == 4, int>::type = 0> __device__ int {f}(T x)"
            ),
            format!(
                "template <class T> __device__ typename {when}<sizeof(T) == 8, int>::type {f}(T x)"
            ),
        ],
        1 => [
            format!("template <class T> __device__ {when}_t<sizeof(T) == 4, int> {f}(T x)"),
            format!("template <class T> __device__ {when}_t<sizeof(T) == 8, int> {f}(T x)"),
        ],
        2 => [
            format!("template <class T, class = {when}_t<sizeof(T) == 4>> __device__ int {f}(T x)"),
            format!(
                "template <class T, class = {when}_t<sizeof(T) == 8>, class = void> __device__ int {f}(T x)"
            ),
        ],
        _ => [
            format!(
                "template <class T> __device__ auto {f}(T x) -> {when}_t<(sizeof(T) < 8), int>"
            ),
            format!(
                "template <class T, {when}_t<sizeof(T) == 8, int> = 0> __device__ int {f}(T x)"
            ),
        ],
    };
    k.head += &format!(
        "{} {{ return (int)x * {c}; }}\n{} {{ return (int)x + {d}; }}\n",
        heads[0], heads[1]
    );
    let cast = k.pick(&["", "(long long)", "(unsigned)", "(double)"]);
    k.touch(&format!("{f}({cast}t)"));
}

/// Functions that take a base class of their argument.
pub fn bases(k: &mut Kernel) {
    let (base, row, column, at) = (
        k.global_name("Layout"),
        k.global_name("Row"),
        k.global_name("Column"),
        k.global_name("at"),
    );
    let [ld, c] = [k.constant(), k.small()];
    let taken = k.pick(&["const B<D> &l", "B<D> &l", "B<D> l", "const B<D> *l"]);
    let is_pointer = taken.contains('*');
    let taken = taken.replace("B<", &format!("{base}<"));
    // A copy of the base is no part of the derived object any more.
    let body = match (is_pointer, taken.contains('&')) {
        (true, _) => "static_cast<const D *>(l)->offset(i, j) + l->shift",
        (_, true) => "static_cast<const D &>(l).offset(i, j) + l.shift",
        _ => "i * 3 + j + l.shift",
    };
    k.head += &format!(
        "template <class D> struct {base} {{ int shift = {c}; }};\ntemplate <int LD> struct {row} : {base}<{row}<LD>> {{ __device__ int offset(int i, int j) const {{ return i * LD + j; }} }};\ntemplate <int LD> struct {column} : {base}<{column}<LD>> {{ __device__ int offset(int i, int j) const {{ return j * LD + i; }} }};\ntemplate <class D> __device__ int {at}({taken}, int i, int j) {{ return {body}; }}\n"
    );
    let x = k.name("x");
    let class = k.pick(&[&*row, &*column]).to_owned();
    k.line(&format!("{class}<{ld}> {x};"));
    let of = if is_pointer {
        format!("&{x}")
    } else {
        x.clone()
    };
    let (i, j) = (k.expression(1), k.shared());
    k.touch(&format!("{at}({of}, {i}, {j})"));
    k.line(&format!("{x}.shift = t;"));
    k.touch(&format!("{at}({of}, t & 3, {c})"));
}

/// Literals with a suffix, and offsets of members.
pub fn literals(k: &mut Kernel) {
    let (s, suffix) = (k.global_name("S"), k.global_name("_k"));
    let [n, c, d] = [k.small(), k.constant(), k.small()];
    k.head += &format!(
        "constexpr __device__ int operator\"\"{suffix}(unsigned long long v) {{ return (int)v * {d}; }}\nconstexpr __device__ int operator\"\"{suffix}(char c) {{ return c - 'a'; }}\nstruct {s} {{ char a; double b; float c[{n}]; struct {{ short x, y; }} in; }};\n"
    );
    match k.random.below(5) {
        0 => k.touch_by(&format!("{c}{suffix}")),
        1 => k.touch(&format!("t + 'c'{suffix} * 2")),
        2 => k.touch(&format!("t + (int)offsetof({s}, c) / {d}")),
        3 => k.touch_by(&format!("(int)offsetof({s}, in) & 31")),
        _ => {
            let o = k.name("o");
            k.line(&format!(
                "constexpr int {o} = offsetof({s}, c) + 2{suffix};"
            ));
            k.touch(&format!("t * 2 + {o}"));
        }
    }
}

/// Traits that get their value from a class of the standard library.
pub fn inherited(k: &mut Kernel) {
    let c = k.global_name("Trait");
    let [p, q, r] = [k.small(), k.small(), k.small()];
    let base = k.pick(&[
        "false_type",
        "true_type",
        "is_integral<T>",
        "bool_constant<(sizeof(T) > 2)>",
    ]);
    k.head += &format!(
        "#include <type_traits>\ntemplate <class T> struct {c} : std::{base} {{}};\ntemplate <> struct {c}<short> : std::true_type {{}};\ntemplate <class T> struct {c}<T *> : {c}<T> {{}};\ntemplate <> struct {c}<float> {{ static constexpr int value = {p}; }};\ntemplate <class T> struct {c}Size : std::integral_constant<int, sizeof(T) * {q}> {{}};\ntemplate <class T> struct {c}Own : std::true_type {{ int value = {r}; __device__ int get() const {{ return value; }} }};\ntemplate <class T> inline constexpr int {c}V = {c}<T>::value ? {p} : {q};\ntemplate <class T> __device__ int {c}pick(T x) {{\n  if constexpr ({c}<T>::value) return {r};\n  else return {c}Size<T>::value;\n}}\n"
    );
    let ty = k.pick(&[
        "int",
        "short",
        "float",
        "char",
        "const int *",
        "short *",
        "long long",
    ]);
    match k.random.below(5) {
        0 => k.touch_by(&format!("{c}<{ty}>::value")),
        1 => k.touch_by(&format!("{c}V<{ty}>")),
        2 => k.touch_by(&format!("{c}pick(({ty})0)")),
        3 => k.touch_by(&format!("{c}Size<{ty}>::value")),
        _ => k.touch_by(&format!("{c}Own<{ty}>{{}}.get()")),
    }
}

/// Overloads and operators that take alias templates: what they stand for tells the template arguments.
pub fn aliased(k: &mut Kernel) {
    let (constant, int, pointer, f) = (
        k.global_name("Constant"),
        k.global_name("Int"),
        k.global_name("Pointer"),
        k.global_name("f"),
    );
    let [c, d, e] = [k.small(), k.small() + 8, k.small() + 16];
    let op = k.pick(&["+", "-", "*"]);
    k.head += &format!(
        "template <class T, T V> struct {constant} {{ constexpr operator T() const {{ return V; }} }};\ntemplate <int N> using {int} = {constant}<int, N>;\ntemplate <class T> using {pointer} = T *;\ntemplate <int N> __device__ constexpr int operator{op}({int}<N>, int x) {{ return N * {d} + x; }}\ntemplate <int N> __device__ int {f}({int}<N>) {{ return N + {c}; }}\n__device__ inline int {f}(int) {{ return {d}; }}\ntemplate <class T> __device__ int {f}({pointer}<T>) {{ return {e}; }}\n"
    );
    let x = k.name("x");
    k.line(&format!("{int}<{c}> {x};"));
    let given = match k.random.below(4) {
        0 => x.clone(),
        1 => format!("{int}<3>{{}}"),
        2 => "a".to_owned(),
        _ => c.to_string(),
    };
    k.touch_by(&format!("{f}({given})"));
    k.touch_by(&format!("({x} {op} 2)"));
}
