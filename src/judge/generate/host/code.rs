//! Functions, lambdas, templates and macros of host code.

use super::Program;

pub(super) fn functions(p: &mut Program) {
    let f = p.global("count");
    let c = 1 + p.random.below(6);
    match p.random.below(5) {
        0 => {
            p.head += &format!("static int {f}(int x, int y) {{ return (x + y - 1) / y; }}\n");
            p.line(&format!("g = {f}(100, b);"));
        }
        1 => {
            p.head += &format!(
                "static int {f}(int x) {{\n  for (int i = 1; i < 100; i *= 2)\n    if (i > x)\n      return i;\n  return {c};\n}}\n"
            );
            p.line(&format!("n = {f}(n + {c});"));
        }
        2 => {
            p.head += &format!("static int {f}(int x) {{ return x <= 1 ? 1 : x * {f}(x - 1); }}\n");
            p.line(&format!("n = {f}({c});"));
        }
        3 => {
            p.head += &format!(
                "static int {f}(int x) {{\n  static int calls = 0;\n  calls += x;\n  return calls;\n}}\n"
            );
            p.line(&format!("n = {f}({c});"));
            p.line(&format!("m = {f}({c});"));
        }
        _ => {
            p.head +=
                &format!("static int {f}(int x, int y = {c}) {{\n  x += y;\n  return x;\n}}\n");
            p.line(&format!("n = {f}(m);"));
        }
    }
}

pub(super) fn lambdas(p: &mut Program) {
    let f = p.name("f");
    let x = p.value_of("n");
    let number = p.number;
    match p.random.below(6) {
        0 => {
            p.line(&format!("auto {f} = [&](int x) {{ n = x; }};"));
            p.line(&format!("{f}({x});"));
        }
        1 => {
            p.line(&format!("auto {f} = [=] {{ return n; }};"));
            p.line(&format!("n = {x};"));
            p.line(&format!("m = {f}();"));
        }
        2 => {
            p.line(&format!("auto {f} = [n]() mutable {{ return n += {x}; }};"));
            p.line(&format!("{f}();"));
            p.line(&format!("m = {f}();"));
        }
        3 => {
            p.line(&format!(
                "auto {f} = [&](int x, int y) {{ k{number}<<<g, b, 256>>>(p, x, y); }};"
            ));
            p.line(&format!("{f}({x}, 2);"));
            p.line(&format!("{f}(n, 3);"));
        }
        4 => {
            p.line(&format!("auto {f} = [k = n + 1] {{ return k * 2; }};"));
            p.line(&format!("n = {f}();"));
        }
        _ => {
            let w = p.name("w");
            p.line(&format!("std::vector<int> {w}{{1, 2, {x}}};"));
            p.line(&format!(
                "std::for_each({w}.begin(), {w}.end(), [&](int e) {{ n = e; }});"
            ));
        }
    }
}

pub(super) fn templates(p: &mut Program) {
    let f = p.global("run");
    let (number, x) = (p.number, p.value_of("n"));
    let block = p.value_of("b");
    match p.random.below(6) {
        0 => {
            p.head += &format!(
                "template <int B>\nvoid {f}(float *p, int n) {{\n  k{number}<<<2, B, 128>>>(p, n, 1);\n}}\n"
            );
            p.line(&format!("{f}<{block}>(p, {x});"));
        }
        1 => {
            p.head += &format!(
                "template <class T, int W>\n__global__ void {f}(T *p, T *q, int n) {{\n  int t = threadIdx.x;\n  p[t * W] = n;\n  if (q)\n    q[t * n] = 2;\n}}\n"
            );
            let ty = ["float", "int", "double", "char"][p.random.below(4)];
            p.line(&format!("{ty} *{f}p;"));
            p.line(&format!("cudaMalloc(&{f}p, 4096 * sizeof({ty}));"));
            p.line(&format!(
                "{f}<{ty}, {}><<<g, b>>>({f}p, nullptr, n);",
                1 + x % 9
            ));
        }
        2 => {
            p.head += &format!(
                "template <class T>\n__global__ void {f}(T *p, int n) {{ p[threadIdx.x * n] = 1; }}\n"
            );
            p.line(&format!("{f}<<<2, b>>>(p, n);"));
        }
        3 => {
            p.head += &format!("template <class F>\nvoid {f}(F go, int x) {{ go(x, x + 1); }}\n");
            p.line(&format!(
                "{f}([&](int x, int y) {{ k{number}<<<g, {block}, 128>>>(p, x, y); }}, {x});"
            ));
        }
        4 => {
            p.head += &format!(
                "template <int B>\nvoid {f}(float *p, int n) {{\n  if constexpr (B > 32)\n    k{number}<<<1, B, 128>>>(p, n, 2);\n  else\n    k{number}<<<3, 32, 128>>>(p, n, 4);\n}}\n"
            );
            p.line(&format!("{f}<{block}>(p, {x});"));
        }
        _ => {
            p.head += &format!(
                "template <int V>\nstruct {f} {{\n  static constexpr int value = V * 2 + 1;\n}};\n"
            );
            p.line(&format!("n = {f}<{x}>::value;"));
        }
    }
}

pub(super) fn wrappers(p: &mut Program) {
    let f = p.global("launch");
    let (number, x) = (p.number, p.value_of("n"));
    match p.random.below(4) {
        0 => {
            p.head += &format!(
                "void {f}(float *p, int blocks, int threads, int n) {{\n  k{number}<<<blocks, threads, 128>>>(p, n, 1);\n}}\n"
            );
            p.line(&format!("{f}(p, 2, b, {x});"));
            p.line(&format!("{f}(p + 1, g, 96, n);"));
        }
        1 => {
            p.head += &format!(
                "int {f}(float *p, int n) {{\n  int threads = n > 4 ? 64 : 32;\n  k{number}<<<2, threads, 128>>>(p, n, threads / 32);\n  return threads;\n}}\n"
            );
            p.line(&format!("b = {f}(p, {x});"));
        }
        2 => {
            p.head += &format!(
                "struct {f} {{\n  int threads = 64;\n  void operator()(float *p, int n) const {{\n    k{number}<<<1, threads, 128>>>(p, n, 3);\n  }}\n}};\n"
            );
            p.line(&format!("{f} {f}o;"));
            p.line(&format!("{f}o.threads = {};", 32 + 16 * (x % 4)));
            p.line(&format!("{f}o(p, n);"));
        }
        _ => {
            p.head += &format!(
                "static void {f}(float *p, int n, int depth) {{\n  if (depth == 0)\n    return;\n  k{number}<<<depth, 32, 128>>>(p, n, depth);\n  {f}(p, n + 1, depth - 1);\n}}\n"
            );
            p.line(&format!("{f}(p, {x}, 2);"));
        }
    }
}

pub(super) fn macros(p: &mut Program) {
    let name = p.global("CEIL");
    match p.random.below(3) {
        0 => {
            p.head += &format!("#define {name}(a, b) (((a) + (b) - 1) / (b))\n");
            p.line(&format!("g = {name}(n * 100, b) % 5 + 1;"));
        }
        1 => {
            p.head += &format!(
                "#define {name}(x) do {{ cudaError_t e = (x); if (e) exit(1); }} while (0)\n"
            );
            p.line(&format!("{name}(cudaDeviceSynchronize());"));
        }
        _ => {
            p.head += &format!("#define {name} 48\n");
            p.line(&format!("b = {name} * 2;"));
        }
    }
}
