//! Macros, functions, templates, lambdas and classes.

use super::kernel::Kernel;

pub fn macros(k: &mut Kernel) {
    let name = k.global_name("IDX");
    let (x, y, c) = (k.variable(), k.shared(), k.constant());
    match k.random.below(10) {
        0 => {
            k.head += &format!("#define {name}(i,j,ld) (((j)*(ld))+(i))\n");
            k.touch(&format!("{name}({c}, {x}, {y})"));
        }
        1 => {
            k.head += &format!("#define {name}(r,c) ((r)*{c}+(c))\n");
            k.touch(&format!("{name}(t, n)"));
        }
        2 => {
            k.head += &format!("#define {name}(a,b) a*b\n");
            k.touch(&format!("{name}(t + 1, {c} + 2)"));
        }
        3 => {
            k.head += &format!("#define {name}(x) (x & {c})\n");
            k.touch(&format!("t * 2 + {name}(t | 4)"));
        }
        4 => {
            k.head += &format!("#define {name} ({c})\n");
            let v = k.name("w");
            k.line(&format!("const int {v} = {c};"));
            k.touch(&format!("(t*({v})) & 1023"));
            k.touch(&format!("(n*(t))+{name}"));
        }
        5 => {
            k.head += &format!("#define {name}(a, b) ((a) < (b) ? (a) : (b))\n");
            k.touch(&format!("{name}(t * 3, n + {c})"));
        }
        6 => {
            let v = k.name("w");
            k.head += &format!("#define {name}(to, i) do {{ to = (i) * {c}; }} while (0)\n");
            k.line(&format!("int {v};"));
            k.line(&format!("{name}({v}, t + 1);"));
            k.touch(&v);
        }
        7 => {
            k.head += &format!("#define {name}(x, y) x##y\n");
            let v = k.name("w");
            k.line(&format!("int {v} = t * {c};"));
            let (first, rest) = v.split_at(1);
            k.touch(&format!("{name}({first}, {rest})"));
        }
        8 => {
            let v = k.name("c");
            k.line(&format!("int {v} = {c};"));
            k.open(&format!("if (((t)*({v}))-(n) > 9)"));
            k.touch("t * 2");
            k.close();
        }
        _ => {
            k.head += &format!("#define {name}_W {c}\n#define {name}(y, x) (y) * {name}_W + (x)\n");
            k.touch(&format!("2 * {name}(t, 1)"));
        }
    }
}

pub fn device_functions(k: &mut Kernel) {
    let f = k.global_name("f");
    let (c, e) = (k.constant(), k.small());
    let qualifier = k.pick(&[
        "__device__ int",
        "__device__ __forceinline__ int",
        "static __device__ int",
        "__device__ inline int",
        "__host__ __device__ int",
        "constexpr __device__ int",
    ]);
    match k.random.below(6) {
        0 => {
            k.head += &format!("{qualifier} {f}(int i, int w) {{ return i * w + {e}; }}\n");
            let w = k.shared();
            k.touch(&format!("{f}(t, {w})"));
        }
        1 => {
            k.head += &format!(
                "{qualifier} {f}(int i, int w = {c}) {{\n  i += 1;\n  return i * w;\n}}\n"
            );
            k.touch(&format!("{f}(t)"));
        }
        2 => {
            k.head += &format!("{qualifier} {f}(unsigned char i) {{ return i * {c}; }}\n");
            k.touch(&format!("{f}(t * 16)"));
        }
        3 => {
            k.head += &format!(
                "{qualifier} {f}(int i) {{\n  if (i < {c})\n    return i;\n  return i * 2;\n}}\n"
            );
            k.touch(&format!("{f}(t)"));
        }
        4 => {
            k.head +=
                &format!("__device__ int {f}(int i) {{ return i <= 1 ? {e} : {f}(i / 2) + 1; }}\n");
            k.touch(&format!("t * {f}({c})"));
            k.touch(&format!("{f}(t) + t"));
        }
        _ => {
            let element = k.element();
            k.head += &format!(
                "__device__ void {f}({element} *p, int i, {element} x) {{\n  p[i * {e}] = x;\n}}\n"
            );
            k.line(&format!("{f}(a + {c}, t, v);"));
            k.line(&format!("{f}(s, t & 63, v);"));
        }
    }
}

pub fn references(k: &mut Kernel) {
    let f = k.global_name("g");
    let (p, q) = (k.name("p"), k.name("q"));
    let (c, e) = (k.constant(), k.small());
    let cond = k.condition();
    match k.random.below(7) {
        0 => {
            k.head += &format!(
                "__device__ void {f}(int &x, int &y) {{\n  int z = x;\n  x = y;\n  y = z;\n}}\n"
            );
            k.line(&format!("int {p} = {c}, {q} = {e};"));
            k.line(&format!("{f}({p}, {q});"));
        }
        1 => {
            k.head += &format!("__device__ void {f}(int *x, int y) {{ *x = y * {c}; }}\n");
            k.line(&format!("int {p} = 1, {q} = 2;"));
            k.line(&format!("{f}(&{p}, 1);"));
        }
        2 => {
            k.line(&format!("int {q} = {c};"));
            k.line(&format!("int &{p} = {q};"));
            k.line(&format!("{p} += {e};"));
        }
        3 => {
            k.head +=
                &format!("__device__ int &{f}(bool b, int &x, int &y) {{ return b ? x : y; }}\n");
            k.line(&format!("int {p} = 1, {q} = 2;"));
            k.line(&format!("{f}({cond}, {p}, {q}) = {c};"));
        }
        4 => {
            k.line(&format!("int {p} = 1, {q} = 2;"));
            let r = k.name("r");
            k.line(&format!("int *{r} = ({cond}) ? &{p} : &{q};"));
            k.line(&format!("*{r} = {c};"));
        }
        5 => {
            k.line(&format!("int {p} = 1, {q} = {e};"));
            let r = k.name("r");
            k.line(&format!("int *{r} = &{p};"));
            k.line(&format!("if ({cond}) {r} = &{q};"));
            k.line(&format!("*{r} += {c};"));
        }
        _ => {
            k.head += &format!(
                "__device__ bool {f}(int i, int &out) {{\n  if (i < {c}) return false;\n  out = i;\n  return true;\n}}\n"
            );
            k.line(&format!("int {p} = 1, {q} = 2;"));
            k.open(&format!("if ({f}(t, {q}))"));
            k.touch(&q);
            k.close();
        }
    }
    k.touch_by(&q);
    k.touch_by(&p);
}

pub fn templates(k: &mut Kernel) {
    let f = k.global_name("h");
    let (c, e) = (k.constant(), k.small());
    match k.random.below(8) {
        0 => {
            k.head += &format!("template <int W>\n__device__ int {f}(int i) {{ return i * W; }}\n");
            k.touch(&format!("{f}<{c}>(t)"));
        }
        1 => {
            k.head += &format!(
                "template <class T>\n__device__ int {f}(T i) {{ return (int)sizeof(T) * i; }}\n"
            );
            let ty = k.integer_type();
            k.touch(&format!("{f}(({ty})t)"));
        }
        2 => {
            k.head +=
                &format!("template <int N>\nstruct {f} {{ static constexpr int v = N * 2; }};\n");
            k.touch(&format!("({f}<{c}>::v) * t"));
        }
        3 => {
            k.head += &format!(
                "template <class T>\nstruct {f} {{ static const int v = 3; }};\ntemplate <>\nstruct {f}<float> {{ static const int v = {c}; }};\ntemplate <class T>\nstruct {f}<T *> {{ static const int v = {e}; }};\n"
            );
            let ty = k.pick(&["float", "int", "float *", "char *", "double"]);
            k.touch(&format!("t * {f}<{ty}>::v"));
        }
        4 => {
            k.head += &format!(
                "template <int N>\n__device__ int {f}(int i) {{\n  if constexpr (N > 4)\n    return i * N;\n  else\n    return i;\n}}\n"
            );
            k.touch(&format!("{f}<{e}>(t)"));
        }
        5 => {
            k.head += &format!(
                "template <class... A>\n__device__ int {f}(A... x) {{ return (x + ... + 0); }}\n"
            );
            k.touch(&format!("{f}(t, t, {c})"));
        }
        6 => {
            k.head += &format!(
                "template <int A, int B = A * 2>\nstruct {f} {{\n  int x[B];\n  __device__ int operator()(int i) const {{ return i * (A + B); }}\n}};\n"
            );
            k.touch(&format!("{f}<{e}>()(t)"));
            k.touch(&format!("t * sizeof({f}<{e}>)"));
        }
        _ => {
            k.head += &format!(
                "template <class T, int N>\n__device__ T {f}(const T *p, int i) {{\n  T sum = 0;\n#pragma unroll\n  for (int j = 0; j < N; ++j)\n    sum += p[i * N + j];\n  return sum;\n}}\n"
            );
            let element = k.element();
            k.line(&format!("v += {f}<{element}, {e}>(b, t);"));
        }
    }
}

pub fn lambdas(k: &mut Kernel) {
    let (x, g) = (k.name("x"), k.name("g"));
    let (c, e) = (k.constant(), k.small());
    match k.random.below(8) {
        0 => {
            k.line(&format!("int {x} = {c};"));
            k.line(&format!("auto {g} = [=] {{ return {x}; }};"));
            k.line(&format!("{x} = {e};"));
            k.touch(&format!("t * {g}()"));
        }
        1 => {
            k.line(&format!("int {x} = {c};"));
            k.line(&format!("auto {g} = [&] {{ return {x}; }};"));
            k.line(&format!("{x} = {e};"));
            k.touch(&format!("t * {g}()"));
        }
        2 => {
            k.line(&format!("int {x} = t;"));
            k.line(&format!(
                "auto {g} = [=]() mutable {{ {x} += {c}; return {x}; }};"
            ));
            k.line(&format!("{g}();"));
            k.touch(&format!("{x} * 2"));
            k.touch(&format!("{g}()"));
        }
        3 => {
            k.line(&format!(
                "auto {g} = [{x} = t * {c}](int i) {{ return {x} + i; }};"
            ));
            k.touch(&format!("{g}({e})"));
        }
        4 => {
            k.line(&format!("auto {g} = [&](int i) {{ a[i * {c}] = v; }};"));
            k.line(&format!("{g}(t);"));
        }
        5 => {
            k.line(&format!(
                "auto {g} = [](auto i, int w) {{ return i * w; }};"
            ));
            k.touch(&format!("{g}(t, {c})"));
        }
        6 => {
            k.line(&format!("int {x} = 1;"));
            k.line(&format!("auto {g} = [&{x}](int i) {{ {x} = i; }};"));
            k.line(&format!("{g}({c});"));
            k.touch_by(&x);
        }
        _ => {
            k.line(&format!("int {x} = {c};"));
            k.line(&format!(
                "auto {g} = [&, {x}](int i) {{ return i + {x} + n; }};"
            ));
            k.line(&format!("{x} = t;"));
            k.touch(&format!("{g}(t * {e})"));
        }
    }
}

pub fn early_results(k: &mut Kernel) {
    let f = k.global_name("find");
    let (c, e) = (k.constant(), k.small());
    match k.random.below(5) {
        0 => {
            k.head += &format!(
                "__device__ int {f}(int t, const int *d, int n) {{\n  for (int i = 0; i < 32; ++i)\n    if (i == t)\n      return i * {c};\n  return 0;\n}}\n"
            )
        }
        1 => {
            k.head += &format!(
                "__device__ int {f}(int t, const int *d, int n) {{\n  for (int i = 0; i < 8; ++i)\n    if (d[i] > n)\n      return i;\n  return -1;\n}}\n"
            )
        }
        2 => {
            k.head += &format!(
                "__device__ int {f}(int t, const int *d, int n) {{\n  int i = 0;\n  while (true) {{\n    if (i * {e} >= t)\n      return i;\n    i++;\n  }}\n}}\n"
            )
        }
        3 => {
            k.head += &format!(
                "__device__ int {f}(int t, const int *d, int n) {{\n  if (n > 4)\n    return t;\n  for (int i = 0; i < n; ++i)\n    if (i > {e})\n      return i * {c};\n  return t * 2;\n}}\n"
            )
        }
        _ => {
            k.head += &format!(
                "__device__ int {f}(int t, const int *d, int n) {{\n  int low = 0, high = 32;\n  while (low < high) {{\n    int mid = (low + high) / 2;\n    if (d[mid] < t)\n      low = mid + 1;\n    else\n      high = mid;\n  }}\n  return low;\n}}\n"
            )
        }
    }
    match k.random.below(3) {
        0 => k.touch(&format!("{f}(t, d, n)")),
        1 => k.touch(&format!("t * {f}(m & 31, d, n)")),
        _ => k.touch(&format!("t + {f}(t, d, 3)")),
    }
}

pub fn classes(k: &mut Kernel) {
    let name = k.global_name("View");
    let object = k.name("view");
    let element = k.element();
    let (c, e) = (k.constant(), k.small());
    match k.random.below(5) {
        0 => {
            k.head += &format!(
                "struct {name} {{\n  {element} *data;\n  int pitch;\n  __device__ {element} &operator()(int r, int c) {{\n    return data[r * pitch + c];\n  }}\n}};\n"
            );
            k.line(&format!("{name} {object}{{a, {c}}};"));
            k.line(&format!("{object}(t, n) = v;"));
        }
        1 => {
            k.head += &format!(
                "struct {name} {{\n  int base, step;\n  __device__ {name}(int b, int s) : base(b), step(s) {{}}\n  __device__ int at(int i) const {{ return base + i * step; }}\n}};\n"
            );
            k.line(&format!("{name} {object}(n, {c});"));
            k.touch(&format!("{object}.at(t)"));
        }
        2 => {
            k.head += &format!(
                "struct {name}Base {{\n  int w = {c};\n}};\nstruct {name} : {name}Base {{\n  int h = {e};\n  __device__ int area() const {{ return w * h; }}\n}};\n"
            );
            k.line(&format!("{name} {object};"));
            k.touch(&format!("t * {object}.area()"));
        }
        3 => {
            k.head += &format!(
                "struct {name} {{\n  int i;\n  __device__ {name} &operator+=(int by) {{\n    i += by * {c};\n    return *this;\n  }}\n  __device__ operator int() const {{ return i; }}\n}};\n"
            );
            k.line(&format!("{name} {object}{{t}};"));
            k.line(&format!("{object} += {e};"));
            k.touch(&format!("{object} * 2"));
        }
        _ => {
            k.head += &format!(
                "class {name} {{\n  int i, end, by;\n\npublic:\n  __device__ {name}(int from, int to, int by) : i(from), end(to), by(by) {{}}\n  __device__ bool more() const {{ return i < end; }}\n  __device__ void next() {{ i += by; }}\n  __device__ int get() const {{ return i; }}\n}};\n"
            );
            k.open(&format!(
                "for ({name} {object}(t, {c} * 4, 32); {object}.more(); {object}.next())"
            ));
            k.touch(&format!("{object}.get() * {e}"));
            k.close();
        }
    }
}

pub fn overloads(k: &mut Kernel) {
    let f = k.global_name("ov");
    let (c, e) = (k.constant(), k.small());
    match k.random.below(5) {
        4 => {
            let wide = k.pick(&["double", "long", "unsigned", "long long", "float"]);
            k.head += &format!(
                "__device__ int {f}({wide} x) {{ return (int)x * {c}; }}\n__device__ int {f}(int x) {{ return x * {e} + 1; }}\n"
            );
            let ty = k.pick(&[
                "short",
                "unsigned char",
                "bool",
                "signed char",
                "unsigned short",
                "int",
            ]);
            k.touch(&format!("({f}(({ty})t) & 511)"));
        }
        0 => {
            k.head += &format!(
                "__device__ int {f}(int x) {{ return x; }}\n__device__ int {f}(unsigned x) {{ return x * {c}; }}\n__device__ int {f}(long long x) {{ return x * {e} + 1; }}\n"
            );
            let ty = k.pick(&["int", "unsigned", "long long", "short", "unsigned char"]);
            k.touch(&format!("{f}(({ty})t)"));
        }
        1 => {
            k.head += &format!(
                "template <class T>\n__device__ int {f}(T x) {{ return (int)sizeof(x) * {c}; }}\ntemplate <class T>\n__device__ int {f}(T *x) {{ return {e}; }}\n"
            );
            let argument = k.pick(&["3", "a", "nullptr", "&t", "(void *)a", "2.5"]);
            k.touch(&format!("t * {f}({argument})"));
        }
        2 => {
            k.head += &format!(
                "namespace n{f} {{\n__device__ int g{f}(int x) {{ return x * {c}; }}\n}}\n"
            );
            k.line(&format!("using n{f}::g{f};"));
            k.touch(&format!("g{f}(t)"));
        }
        _ => {
            k.head += &format!(
                "__device__ int {f}(float x) {{ return {c}; }}\n__device__ int {f}(double x) {{ return {e}; }}\n"
            );
            let literal = k.pick(&["1.0f", "1.0", "2.5", "0.f"]);
            k.touch(&format!("t * {f}({literal})"));
        }
    }
}
