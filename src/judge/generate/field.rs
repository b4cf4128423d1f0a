//! Helpers as kernels of the field have them: index structs, iterators, layouts and policies.

use super::kernel::Kernel;

/// Rows and columns by a struct, with operators.
pub fn coordinates(k: &mut Kernel) {
    let s = k.global_name("Coord");
    let (w, ld, c) = (k.constant(), k.constant(), k.small());
    k.head += &format!(
        "struct {s} {{\n  int i, j;\n  __device__ {s}(int at, int w) : i(at / w), j(at % w) {{}}\n  __device__ {s}() : i(1), j({c}) {{}}\n  __device__ int at(int ld) const {{ return i * ld + j; }}\n  __device__ {s} operator+(const {s} &o) const {{\n    {s} r;\n    r.i = i + o.i;\n    r.j = j + o.j;\n    return r;\n  }}\n  __device__ friend {s} operator*(int k, {s} c) {{\n    c.i *= k;\n    c.j *= k;\n    return c;\n  }}\n}};\n"
    );
    let x = k.name("x");
    k.line(&format!("{s} {x}(t, {w});"));
    let of = match k.random.below(4) {
        0 => x.clone(),
        1 => format!("({x} + {s}())"),
        2 => format!("({c} * {x})"),
        _ => format!("(2 * {x} + {s}({c}, {w}))"),
    };
    k.touch(&format!("{of}.at({ld})"));
    k.line(&format!("auto {x}c = {of};"));
    k.line(&format!("{x}c.j += {c};"));
    k.touch(&format!("{x}c.at({ld}) + {x}.j"));
}

/// A tile's iterator, stepped in an unrolled loop.
pub fn iterators(k: &mut Kernel) {
    let s = k.global_name("Tile");
    let element = k.element();
    let (rows, ld) = (k.small(), k.constant());
    let columns = [4, 8, 16, 32][k.random.below(4)];
    let step = k.pick(&["++it", "it++", "it += 1"]);
    k.head += &format!(
        "template <int C, int R>\nstruct {s} {{\n  static constexpr int steps = R;\n  const {element} *p;\n  int ld, r, c;\n  __device__ {s}(const {element} *p, int ld, int t) : p(p), ld(ld), r(t / C), c(t % C) {{}}\n  __device__ const {element} *get() const {{ return p + r * ld + c; }}\n  __device__ const {element} &operator*() const {{ return *get(); }}\n  __device__ {s} &operator++() {{\n    r += R;\n    return *this;\n  }}\n  __device__ {s} operator++(int) {{\n    {s} old = *this;\n    ++*this;\n    return old;\n  }}\n  __device__ {s} &operator+=(int n) {{\n    r += R * n;\n    return *this;\n  }}\n}};\n"
    );
    let unroll = k.pick(&["", "#pragma unroll\n", "#pragma unroll 2\n"]);
    k.open("");
    k.line(&format!("{s}<{columns}, {rows}> it(b, {ld}, t);"));
    k.body += unroll;
    k.open(&format!("for (int i = 0; i < it.steps; ++i, {step})"));
    let read = k.pick(&["*it", "*it.get()", "it.get()[1]"]);
    k.line(&format!("v += {read};"));
    k.close();
    k.close();
}

/// Swizzles and fast division by functors, with shifts from templates.
pub fn functors(k: &mut Kernel) {
    let s = k.global_name("Swizzle");
    let [b, m, h] = [0, 1, 2].map(|_| k.random.number(&[0, 1, 2, 3]));
    k.head += &format!(
        "template <int B, int M, int S>\nstruct {s} {{\n  static constexpr int mask = ((1 << B) - 1) << (M + S);\n  __device__ static constexpr int apply(int x) {{ return x ^ ((x & mask) >> S); }}\n  template <class T> __device__ constexpr auto operator()(T x) const {{ return apply(x); }}\n}};\nstruct {s}Div {{\n  int d;\n  unsigned m, s;\n  __device__ unsigned div(unsigned n) const {{ return d == 1 ? n : __umulhi(n, m) >> s; }}\n  __device__ void both(unsigned n, unsigned &q, unsigned &r) const {{\n    q = div(n);\n    r = n - q * d;\n  }}\n}};\n"
    );
    let x = k.name("x");
    let index = k.expression(1);
    k.line(&format!("{s}<{b}, {m}, {h}> {x};"));
    let call = k.pick(&["(", ".apply("]);
    k.touch(&format!("{x}{call}({index}) & 1023)"));
    k.line(&format!("{s}Div {x}d{{8, 1u << 30, 1}};"));
    k.line(&format!("unsigned {x}q, {x}r;"));
    k.line(&format!("{x}d.both(t, {x}q, {x}r);"));
    k.touch(&format!("{x}q * 16 + {x}r"));
}

/// A base class that asks the class derived from it.
pub fn derived_by_name(k: &mut Kernel) {
    let (base, one, other) = (
        k.global_name("Base"),
        k.global_name("One"),
        k.global_name("Other"),
    );
    let [c, d, e] = [k.small(), k.constant(), k.small()];
    k.head += &format!(
        "template <class D>\nstruct {base} {{\n  int by = {e};\n  __device__ int at(int t) const {{ return static_cast<const D *>(this)->map(t) * by + D::bias; }}\n  __device__ D &self() {{ return *static_cast<D *>(this); }}\n  __device__ int map(int t) const {{ return t; }}\n}};\nstruct {one} : {base}<{one}> {{\n  static constexpr int bias = {c};\n  int k = 2;\n  __device__ int map(int t) const {{ return t * k; }}\n}};\nstruct {other} : {base}<{other}> {{\n  enum {{ bias = {d} }};\n}};\n"
    );
    let x = k.name("x");
    let class = k.pick(&[&*one, &*other]).to_owned();
    k.line(&format!("{class} {x};"));
    k.touch(&format!("{x}.at(t)"));
    k.line(&format!("{x}.self().by = {c};"));
    if class == one && k.random.one_in(2) {
        k.line(&format!("{x}.self().k += {e};"));
    }
    k.touch(&format!("{x}.at(t)"));
}

/// Tags, chains of `if constexpr` and constants of dependent classes.
pub fn policies(k: &mut Kernel) {
    let (p, f) = (k.global_name("Policy"), k.global_name("place"));
    let [c, d, e] = [k.small(), k.constant(), k.small()];
    k.head += &format!(
        "struct {p}Row {{}};\nstruct {p}Column {{}};\ntemplate <class T, class L>\nstruct {p} {{\n  static constexpr int width = 16 / sizeof(T);\n  static constexpr int ld = width * {c} + (sizeof(T) == 4 ? 1 : 2);\n  using layout = L;\n  template <int K> struct by {{ static constexpr int value = K * ld; }};\n}};\n__device__ inline int {f}({p}Row, int i, int j, int ld) {{ return i * ld + j; }}\n__device__ inline int {f}({p}Column, int i, int j, int ld) {{ return j * ld + i; }}\ntemplate <class P, int V>\n__device__ int {f}By(int t) {{\n  if constexpr (V == 1) {{\n    return {f}(typename P::layout{{}}, t / 8, t % 8, P::ld);\n  }} else if constexpr (V > {c} && sizeof(P) > 0) {{\n    return t * P::template by<V>::value;\n  }} else {{\n    constexpr int k = P::width * V;\n    return t * k + {d};\n  }}\n}}\n"
    );
    let ty = k.pick(&["float", "double", "short", "char"]);
    let layout = k.pick(&["Row", "Column"]);
    let v = k.pick(&["1", "2", "9"]);
    k.touch(&format!("{f}By<{p}<{ty}, {p}{layout}>, {v}>(t)"));
    k.touch(&format!("{f}({p}{layout}(), t >> 3, t & 7, {e})"));
}

/// Strides in a struct of parameters, and loops over dimensions that end early.
pub fn strides(k: &mut Kernel) {
    let s = k.global_name("Strides");
    let [a, b, c] = [k.small(), k.constant(), k.constant()];
    let ty = k.pick(&["int", "long long", "unsigned"]);
    let unroll = k.pick(&["", "#pragma unroll\n"]);
    let way = k.pick(&["if (i == p.dims) break;", "if (i >= p.dims) continue;"]);
    k.head += &format!(
        "struct {s} {{\n  int dims;\n  int size[3];\n  {ty} by[3];\n}};\n__device__ {ty} {s}At(const {s} &p, int at) {{\n  {ty} offset = 0;\n{unroll}  for (int i = 0; i < 3; ++i) {{\n    {way}\n    int next = at / p.size[i];\n    offset += (at - next * p.size[i]) * p.by[i];\n    at = next;\n  }}\n  return offset;\n}}\n"
    );
    let x = k.name("x");
    let dims = k.random.number(&[1, 2, 3]);
    k.line(&format!(
        "{s} {x}{{{dims}, {{8, 4, 16}}, {{{a}, {b}, {c}}}}};"
    ));
    k.touch(&format!("{s}At({x}, t)"));
    k.line(&format!("{x}.by[0] = {b};"));
    k.touch(&format!("{s}At({x}, t + {a})"));
}

/// Numbers as types, layouts made of them, and packs of sizes.
pub fn layouts(k: &mut Kernel) {
    let (i, l, p) = (
        k.global_name("Int"),
        k.global_name("Layout"),
        k.global_name("Shape"),
    );
    let [a, b, c] = [k.small(), k.small(), k.constant()];
    k.head += &format!(
        "template <int N>\nstruct {i} {{\n  static constexpr int value = N;\n  __device__ constexpr operator int() const {{ return N; }}\n}};\ntemplate <int A, int B>\n__device__ constexpr {i}<A * B> operator*({i}<A>, {i}<B>) {{ return {{}}; }}\ntemplate <int A, int B>\n__device__ constexpr {i}<A + B> operator+({i}<A>, {i}<B>) {{ return {{}}; }}\ntemplate <class S, class D>\nstruct {l} {{\n  S s;\n  D d;\n  template <class I> __device__ auto operator()(I i) const {{ return i * d; }}\n}};\ntemplate <class S, class D>\n__device__ {l}<S, D> {l}Of(S s, D d) {{ return {{s, d}}; }}\ntemplate <int... D>\nstruct {p} {{\n  static constexpr int rank = sizeof...(D);\n  static constexpr int size = (D * ... * 1);\n  static constexpr int dims[] = {{D...}};\n  template <class... I> __device__ static int at(I... i) {{\n    int o = 0, k = 0;\n    ((o = o * dims[k++] + i), ...);\n    return o;\n  }}\n}};\n"
    );
    let x = k.name("x");
    let by = match k.random.below(4) {
        0 => format!("{i}<{a}>{{}} * {i}<{b}>{{}}"),
        1 => format!("{i}<{a}>{{}} + {i}<{b}>{{}}"),
        2 => "n".to_owned(),
        _ => format!("{i}<{c}>()"),
    };
    k.line(&format!("auto {x} = {l}Of({i}<8>{{}}, {by});"));
    k.touch(&format!("{x}(t)"));
    k.touch(&format!("{x}({i}<{a}>{{}}) + t * {x}.s"));
    k.touch(&format!("{p}<4, {b}, {a}>::at(t / 16, t % 16, {a})"));
    k.touch(&format!("t * {p}<{a}, {b}>::rank + {p}<{a}, {b}>::size"));
}

/// Words of an object read as others, by unions and casts.
pub fn views(k: &mut Kernel) {
    let u = k.global_name("Words");
    let (c, d) = (k.constant(), k.small());
    k.head += &format!(
        "union {u} {{\n  uint4 v;\n  unsigned w[4];\n  unsigned short h[8];\n  struct {{ unsigned lo, hi; }};\n}};\ntemplate <class T, int N>\nstruct alignas(sizeof(T) * N) {u}Of {{ T val[N]; }};\n"
    );
    let x = k.name("x");
    k.line(&format!("{u} {x};"));
    match k.random.below(3) {
        0 => k.line(&format!("{x}.v = make_uint4({c}, {d}, 1, 2);")),
        1 => k.line(&format!("{x}.w[0] = {c};\n  {x}.hi = {d};")),
        _ => k.line(&format!("{x}.lo = {c};\n  {x}.w[1] = {d} | {c} << 16;")),
    }
    let read = k.pick(&[".w[0]", ".h[0]", ".h[2]", ".lo", ".v.x", ".v.y"]);
    k.touch(&format!("t * {x}{read}"));
    k.line(&format!("{u}Of<short, 4> {x}p{{{{1, {d}, 3, 4}}}};"));
    k.touch(&format!("t * {x}p.val[1]"));
    k.line(&format!("{u}Of<short, 4> {x}q = {x}p;"));
    k.line(&format!("{x}q.val[1] = {d} + 1;"));
    k.touch(&format!("t * {x}p.val[1] + {x}q.val[1]"));
}
