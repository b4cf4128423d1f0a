//! Launches of host code as a table.

mod elsewhere;
mod instances;
mod moved;
mod unread;

use super::*;
use crate::syntax::parse::parse;
use crate::syntax::preprocess;
use std::fmt::Write;

/// One line a launch: instance, grid, block, dynamic shared bytes, arguments.
fn lines(source: &str) -> String {
    let (text, problem) = known_lines(source);
    assert!(problem.is_none(), "{source}: {problem:?}");
    text
}

/// The same of the launches in known instances, with what is not known of the last of the others.
fn known_lines(source: &str) -> (String, Option<Arc<str>>) {
    let unit = parse(source);
    let names = Names::new(&unit);
    let found = launches(&names, &unit, source, false);
    let mut out = String::new();
    let dimension = |d: &Dimension| match d {
        Dimension::Const(n) => n.to_string(),
        Dimension::Unknown(text) | Dimension::Uneven(text) => format!("`{text}`"),
    };
    let mut line = |name: String, l: &Launch| {
        let three = |d: &[Dimension; 3]| d.iter().map(dimension).collect::<Vec<_>>().join(",");
        let _ = write!(out, "{name} {} x {}", three(&l.grid), three(&l.block));
        match l.dynamic_shared {
            Some(0) => {}
            Some(n) => _ = write!(out, " +{n}"),
            None => out.push_str(" +?"),
        }
        for a in &l.arguments {
            let _ = match a {
                Argument::Int(n) => write!(out, " {n}"),
                Argument::Float(f) => write!(out, " {f:?}"),
                Argument::Pointer { offset, .. } => match (offset.value(), offset.class()) {
                    (Some(bytes), _) => write!(out, " *{bytes}"),
                    (None, Some((step, rest))) => write!(out, " *{rest}+{step}?"),
                    (None, None) => write!(out, " *?"),
                },
                Argument::Unknown | Argument::Narrowed => write!(out, " ?"),
            };
        }
        out.push('\n');
    };
    let mut problem = None;
    for l in &found.host {
        match &l.problem {
            None => line(format!("{}{}", l.name, l.instance), &l.launch),
            open => problem.clone_from(open),
        }
    }
    for l in &found.foreign {
        line(format!("extern {}", l.name), &l.launch);
    }
    (out, problem)
}

const KERNELS: &str = "
    __global__ void k(float* p, int n) {}
    template <typename T, int B> __global__ void t(T* p) {}
    template <int B> __global__ void b(int n) {}
    __global__ void none() {}
";

#[test]
#[expect(clippy::too_many_lines, reason = "one list of cases")]
fn launches_fold_what_every_run_has() {
    let check = |body: &str, expected: &[&str]| {
        let text = lines(&format!(
            "{KERNELS} int main(int argc, char** argv) {{ float* d; {body} }}"
        ));
        assert_eq!(
            text.trim_end().lines().collect::<Vec<_>>(),
            expected,
            "{body}"
        );
    };
    check("k<<<4, 256>>>(d, 7);", &["k 4,1,1 x 256,1,1 *0 7"]);
    check(
        "dim3 g(2, 3), b{16, 8}; k<<<g, b, 64>>>(d + 3, 1);",
        &["k 2,3,1 x 16,8,1 +64 *12 1"],
    );
    check(
        "dim3 b; b.x = 32; b.y = b.x / 4; k<<<1, b>>>(&d[2], 1);",
        &["k 1,1,1 x 32,8,1 *8 1"],
    );
    check(
        "const int N = 1000, B = 128; k<<<(N + B - 1) / B, B, B * sizeof(float)>>>(d, N);",
        &["k 8,1,1 x 128,1,1 +512 *0 1000"],
    );
    check(
        "int n = atoi(argv[1]); k<<<(n + 31) / 32, 32>>>(d + n, n);",
        &["k `(n + 31) / 32`,1,1 x 32,1,1 *0+4? ?"],
    );
    check(
        "int n = atoi(argv[1]); k<<<1, 32>>>(d + 4 * n + 1, 1);",
        &["k 1,1,1 x 32,1,1 *4+16? 1"],
    );
    check(
        "int n = atoi(argv[1]); float* q = &d[8 * n]; q -= n << 1; k<<<1, 32>>>(q, 1);",
        &["k 1,1,1 x 32,1,1 *0+8? 1"],
    );
    check(
        "int n = atoi(argv[1]); double* q = (double*)(d + 2) + n; k<<<1, 32>>>((float*)q, 1);",
        &["k 1,1,1 x 32,1,1 *0+8? 1"],
    );
    check(
        "for (int i = 0; i < argc; ++i) k<<<1, 32>>>(d + 2 * i, 1);",
        &["k 1,1,1 x 32,1,1 *0+8? 1"],
    );
    check(
        "int n = atoi(argv[1]); float* q = n > 1 ? d + 3 : d + 5; k<<<1, 32>>>(q, 1);",
        &["k 1,1,1 x 32,1,1 *4+8? 1"],
    );
    check(
        "float* q = (float*)pick(d) + 2; k<<<1, 32>>>(q, 1);",
        &["k 1,1,1 x 32,1,1 *? 1"],
    );
    check(
        "int n = 64; scanf(\"%d\", &n); k<<<1, n>>>(d, n);",
        &["k 1,1,1 x `n`,1,1 *0 ?"],
    );
    check(
        "int n = 64; std::cin >> n; k<<<1, 32>>>(d, n);",
        &["k 1,1,1 x 32,1,1 *0 ?"],
    );
    check(
        "int n = argc > 1 ? atoi(argv[1]) : 64; k<<<1, 32>>>(d, n);",
        &["k 1,1,1 x 32,1,1 *0 ?"],
    );
    check(
        "int n = 64; if (argc > 1) n = atoi(argv[1]); k<<<1, 32>>>(d, n);",
        &["k 1,1,1 x 32,1,1 *0 ?"],
    );
    check(
        "int b = 64; if (argc > 1) b = 128; k<<<1, b>>>(d, b);",
        &["k 1,1,1 x 128,1,1 *0 128", "k 1,1,1 x 64,1,1 *0 64"],
    );
    check(
        "for (int b = 32; b <= 128; b *= 2) k<<<256 / b, b>>>(d, 1);",
        &[
            "k 8,1,1 x 32,1,1 *0 1",
            "k 4,1,1 x 64,1,1 *0 1",
            "k 2,1,1 x 128,1,1 *0 1",
        ],
    );
    check(
        "int sizes[] = {64, 128}; for (int s : sizes) k<<<1, s>>>(d, s);",
        &["k 1,1,1 x 64,1,1 *0 64", "k 1,1,1 x 128,1,1 *0 128"],
    );
    check(
        "for (int i = 0; i < 1000; i++) k<<<1, 32>>>(d, i);",
        &["k 1,1,1 x 32,1,1 *0 ?"],
    );
    check(
        "int n = 1; while (n < 100) n *= 2; k<<<1, n>>>(d, n);",
        &["k 1,1,1 x 128,1,1 *0 128"],
    );
    check(
        "float *a = d, *c = d; for (int i = 0; i < 99; i++) { k<<<1, 1>>>(a, 0); float* s = a; a = c; c = s; }",
        &["k 1,1,1 x 1,1,1 *0 0"],
    );
    check(
        "float* a = d; for (int i = 0; i < 99; i++) { k<<<1, 1>>>(a, 0); a += 5; }",
        &["k 1,1,1 x 1,1,1 *? 0"],
    );
    check(
        "t<float, 16><<<1, 16>>>(d);",
        &["t<float, 16> 1,1,1 x 16,1,1 *0"],
    );
    check(
        "const int B = 8; using T = float; t<T, B * 2><<<1, B>>>(d);",
        &["t<float, 16> 1,1,1 x 8,1,1 *0"],
    );
    check(
        "switch (argc) { case 64: b<64><<<1, argc>>>(0); break; case 32: b<32><<<1, argc>>>(0); break; }",
        &["b<64> 1,1,1 x 64,1,1 0", "b<32> 1,1,1 x 32,1,1 0"],
    );
    check(
        "int s = atoi(argv[1]); dim3 g(1), bl(s); if (s == 32) b<32><<<g, bl>>>(0); else if (s == 64) b<64><<<g, bl>>>(0);",
        &["b<32> 1,1,1 x 32,1,1 0", "b<64> 1,1,1 x 64,1,1 0"],
    );
    check(
        "void (*f)(float*, int) = &k; f<<<1, 2>>>(d, 3);",
        &["k 1,1,1 x 2,1,1 *0 3"],
    );
    check(
        "auto run = [&](int b) { k<<<1, b>>>(d, b); }; run(32); run(64);",
        &["k 1,1,1 x 32,1,1 *0 32", "k 1,1,1 x 64,1,1 *0 64"],
    );
    check(
        "int n = 5; void* a[] = {&d, &n}; cudaLaunchKernel((void*)k, dim3(2), dim3(32), a, 16, 0);",
        &["k 2,1,1 x 32,1,1 +16 *0 5"],
    );
    check(
        "cudaLaunchConfig_t c = {0}; c.gridDim = dim3(4); c.blockDim = 64; c.dynamicSmemBytes = 8; cudaLaunchKernelEx(&c, k, d, 9);",
        &["k 4,1,1 x 64,1,1 +8 *0 9"],
    );
    check(
        "hipLaunchKernelGGL(k, dim3(1), dim3(8), 0, 0, d, 2);",
        &["k 1,1,1 x 8,1,1 *0 2"],
    );
    check(
        "k<<<1, 8>>>(d, 2); k<<<1, 8>>>(d, 2);",
        &["k 1,1,1 x 8,1,1 *0 2"],
    );
    check(
        "elsewhere<<<1, 8>>>(d, 2);",
        &["extern elsewhere 1,1,1 x 8,1,1 *0 2"],
    );
    check(
        "if (argc < 2) exit(1); else { none<<<1, 8>>>(); }",
        &["none 1,1,1 x 8,1,1"],
    );
    check(
        "int b = std::min(1024, 300); k<<<{2, 2}, {(unsigned)b, 1}>>>(d, 1);",
        &["k 2,2,1 x 300,1,1 *0 1"],
    );
}

#[test]
fn launches_follow_calls() {
    let check = |source: &str, expected: &[&str]| {
        let text = lines(&format!("{KERNELS} {source}"));
        assert_eq!(
            text.trim_end().lines().collect::<Vec<_>>(),
            expected,
            "{source}"
        );
    };
    check(
        "void run(float* d, int b) { k<<<1, b>>>(d, b); } int main() { float* d; run(d, 64); }",
        &["k 1,1,1 x 64,1,1 *0 64"],
    );
    check(
        "void run(float* d, int b) { k<<<1, b>>>(d, b); }",
        &["k 1,1,1 x `b`,1,1 *0 ?"],
    );
    check(
        "void run(float* d, int b = 96) { k<<<1, b>>>(d, b); } int main() { float* d; run(d); }",
        &["k 1,1,1 x 96,1,1 *0 96"],
    );
    check(
        "template <typename T, int B> void run(T* d) { t<T, B><<<1, B>>>(d); } int main() { float* f; double* g; run<float, 8>(f); run<double, 4>(g); }",
        &[
            "t<float, 8> 1,1,1 x 8,1,1 *0",
            "t<double, 4> 1,1,1 x 4,1,1 *0",
        ],
    );
    check(
        "int N = 32; int main() { float* d; k<<<1, N>>>(d, N); }",
        &["k 1,1,1 x 32,1,1 *0 32"],
    );
    check(
        "int N = 32; void set() { N = f(); } int main() { float* d; set(); k<<<1, N>>>(d, N); }",
        &["k 1,1,1 x `N`,1,1 *0 ?"],
    );
    check(
        "int N; int main() { float* d; N = 64; k<<<1, N>>>(d, N); }",
        &["k 1,1,1 x 64,1,1 *0 64"],
    );
    check(
        "struct R { int b; void go(float* d) { k<<<1, 32>>>(d, b); } };",
        &["k 1,1,1 x 32,1,1 *0 ?"],
    );
    check(
        "template <typename T> struct R { static constexpr int b = 16; void go(float* d); }; template <typename T> void R<T>::go(float* d) { k<<<1, b>>>(d, b); }",
        &["k 1,1,1 x 16,1,1 *0 16"],
    );
    check(
        "void run(int& n) { n = 3; } int main() { float* d; int n = 5; run(n); k<<<1, 8>>>(d, n); }",
        &["k 1,1,1 x 8,1,1 *0 ?"],
    );
    check(
        "template <class F> void pick(F f, int n) { f(std::integral_constant<int, 32>{}); } int main() { float* d; int m = 3; auto go = [&](auto c) { constexpr int B = c.value; b<B><<<m, B>>>(m); }; pick(go, m); }",
        &["b<32> 3,1,1 x 32,1,1 3"],
    );
    check(
        "template <typename T> void run(int s, T* d) { t<T, 4><<<1, s>>>(d); } template void run<double>(int s, double* d);",
        &["t<double, 4> 1,1,1 x `s`,1,1 *0"],
    );
    check(
        "namespace a { __global__ void k2() {} void go() { k2<<<1, 1>>>(); } }",
        &["a::k2 1,1,1 x 1,1,1"],
    );
    check(
        "void f(int n) { if (n > 0) f(n - 1); none<<<1, 1>>>(); }",
        &["none 1,1,1 x 1,1,1"],
    );
}

/// What a judge found: each of these was the only launch claimed, and some run does another.
#[test]
#[expect(clippy::too_many_lines, reason = "one list of cases")]
fn nothing_is_guessed() {
    const WORLD: &str = "
        int G = 4; static int S = 5; int *P = &S; int L = 7;
        void set() { G = 8; }
        int &ref() { return L; }
        struct Hold { int &r; };
        struct Ctor { Ctor() { S = 50; } };
        template <class F> void apply(F f) { int n = 99; f(); }
    ";
    for (body, wrong) in [
        ("int p = 3; argc > 1 && (p = 4); k<<<1, 32>>>(d, p);", "4"),
        (
            "int p = 3; argc > 1 ? (p = 4) : (p = 8); k<<<1, 32>>>(d, p);",
            "8",
        ),
        (
            "int p = 3, m = 5; int *q = argc > 1 ? &p : &m; *q = 9; k<<<1, 32>>>(d, p);",
            "3",
        ),
        (
            "int x[2] = {1, 2}; *(x + argc % 2) = 4; k<<<1, 32>>>(d, x[1]);",
            "2",
        ),
        (
            "int x[2] = {1, 2}; for (auto &e : x) e *= 2; k<<<1, 32>>>(d, x[1]);",
            "2",
        ),
        (
            "std::vector<int> v = {1, 2}; v.front() = 9; k<<<1, 32>>>(d, v[0]);",
            "1",
        ),
        (
            "int p = 1, q = 2; std::tie(p, q) = f(); k<<<1, 32>>>(d, p);",
            "1",
        ),
        (
            "int p = 1; std::thread t([&] { p = 3; }); t.join(); k<<<1, 32>>>(d, p);",
            "1",
        ),
        ("int p = 1; Hold h{p}; h.r = 9; k<<<1, 32>>>(d, p);", "1"),
        (
            "int x = 4; auto f = [=] { return x; }; x = 8; k<<<1, 32>>>(d, f());",
            "8",
        ),
        (
            "int i = 0; again: k<<<1, 32>>>(d, i); i++; if (i < 3) goto again;",
            "0",
        ),
        (
            "int i = 5; if (argc > 1) goto skip; i = 6; skip: k<<<1, 32>>>(d, i);",
            "6",
        ),
        ("*P = 44; k<<<1, 32>>>(d, S);", "5"),
        ("Ctor c; k<<<1, 32>>>(d, S);", "5"),
        ("ref() = 3; k<<<1, 32>>>(d, L);", "7"),
        (
            "int n = 4; auto f = [=] { k<<<1, 32>>>(d, n); }; n = 5; apply(f);",
            "5",
        ),
        (
            "int n = 4; auto f = [&] { k<<<1, 32>>>(d, n); }; n = 5; apply(f);",
            "4",
        ),
        ("int x = 8; while ((x /= 2) > 1) ; k<<<1, 32>>>(d, x);", "0"),
        (
            "int x = 1, y = 2; (argc > 1 ? x : y) = 9; k<<<1, 32>>>(d, x);",
            "1",
        ),
        (
            "int x = 1; const int &r = x; x = 6; k<<<1, 32>>>(d, r);",
            "1",
        ),
        (
            "std::map<int, int> m = {{1, 5}, {2, 6}}; k<<<1, 32>>>(d, m[1]);",
            "2",
        ),
        (
            "std::vector<float> v = {1, 2}; k<<<1, 32>>>(d, v[0] / 2 > 0.4f);",
            "0",
        ),
        (
            "int x = 1; try { x = 2; f(); x = 3; } catch (...) { x += 10; } k<<<1, 32>>>(d, x);",
            "3",
        ),
        ("int x = 1; [&] { x = 2; }(); k<<<1, 32>>>(d, x);", "1"),
        (
            "int x = 1; asm(\"mov %0\" : \"=r\"(x)); k<<<1, 32>>>(d, x);",
            "1",
        ),
        (
            "int s = 0; switch (argc % 4) { case 0: do { s++; case 3: s++; } while (s < 5); } k<<<1, 32>>>(d, s);",
            "0",
        ),
    ] {
        let text = lines(&format!(
            "{KERNELS} {WORLD} int main(int argc, char** argv) {{ float* d; {body} }}"
        ));
        let claimed: Vec<&str> = text.trim_end().lines().collect();
        assert!(!claimed.is_empty(), "{body}");
        assert_ne!(claimed, [format!("k 1,1,1 x 32,1,1 *0 {wrong}")], "{body}");
    }
    for (outside, body, wrong) in [
        (
            "int L = 7; struct M { int L; void go(float* d) { k<<<1, 32>>>(d, L); } };",
            "M m{9}; m.go(d);",
            "7",
        ),
        (
            "void two(float* d, int &a, int &c) { a = 4; c = 8; k<<<1, 32>>>(d, a); }",
            "int x = 1; two(d, x, x);",
            "4",
        ),
        (
            "int G = 4; void go(float* d, int n) { k<<<1, 32>>>(d, G); if (n) { G = n; go(d, n - 1); } }",
            "go(d, 2);",
            "4",
        ),
    ] {
        let text = lines(&format!(
            "{KERNELS} {outside} int main(int argc, char** argv) {{ float* d; {body} }}"
        ));
        let claimed: Vec<&str> = text.trim_end().lines().collect();
        assert!(!claimed.is_empty(), "{body}");
        assert_ne!(claimed, [format!("k 1,1,1 x 32,1,1 *0 {wrong}")], "{body}");
    }
}

#[test]
fn an_attribute_before_its_name_makes_no_kernel_less_of_a_template() {
    let text = lines(
        "template <int N> __launch_bounds__(4 * 32, 1) __global__ void k(float* a, int n) {}
         template <class F> void run(F f, float* p, int n) { f<<<2, 64>>>(p, n); }
         int main() { float* d; run(k<64>, d, 3); }",
    );
    assert_eq!(text, "k<64> 2,1,1 x 64,1,1 *0 3\n");
}

/// Pointers are taken for the start of an allocation only where nothing in the text moves them.
/// Kernels in variables are followed to wherever the text names them.
#[test]
fn kernels_in_variables_are_followed() {
    let check = |body: &str, outside: &str| {
        let text = lines(&format!(
            "{KERNELS} __global__ void l(float* p, int n) {{}} {outside} int main(int argc, char** argv) {{ float* d; {body} }}"
        ));
        let found: Vec<&str> = text.trim_end().lines().collect();
        let both = ["k 1,1,1 x 32,1,1 *0 1", "l 1,1,1 x 32,1,1 *0 1"];
        assert_eq!(found, both, "{outside} {body}");
    };
    check("auto f = argc > 1 ? k : l; f<<<1, 32>>>(d, 1);", "");
    check(
        "void (*f[2])(float*, int) = {k, l}; auto h = f[argc & 1]; h<<<1, 32>>>(d, 1);",
        "",
    );
    check(
        "std::map<int, void (*)(float*, int)> f; f[1] = k; f[2] = l; auto h = f[argc]; h<<<1, 32>>>(d, 1);",
        "",
    );
    check(
        "auto h = pick(argc); h<<<1, 32>>>(d, 1);",
        "typedef void (*F)(float*, int); F pick(int c) { switch (c) { case 1: return k; default: return l; } }",
    );
    check(
        "E e[2] = {{1, k}, {2, l}}; for (auto& x : e) if (x.c == argc) x.f<<<1, 32>>>(d, 1);",
        "struct E { int c; void (*f)(float*, int); };",
    );
}

#[test]
fn dispatching_macros_run_their_lambda_for_each_type() {
    let check = |body: &str, expected: &[&str]| {
        let text = lines(&format!("{KERNELS} void run(at::Tensor x) {{ {body} }}"));
        assert_eq!(
            text.trim_end().lines().collect::<Vec<_>>(),
            expected,
            "{body}"
        );
    };
    check(
        "AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), \"run\", [&] { t<scalar_t, 4><<<1, 32>>>(x.data_ptr<scalar_t>()); });",
        &[
            "t<double, 4> 1,1,1 x 32,1,1 *0",
            "t<float, 4> 1,1,1 x 32,1,1 *0",
        ],
    );
    check(
        "AT_DISPATCH_REDUCED_FLOATING_TYPES(x.scalar_type(), \"run\", ([&] { t<scalar_t, sizeof(scalar_t)><<<1, 32>>>(x.data_ptr<scalar_t>()); }));",
        &[
            "t<c10::Half, 2> 1,1,1 x 32,1,1 *0",
            "t<c10::BFloat16, 2> 1,1,1 x 32,1,1 *0",
        ],
    );
    // It may pick the kernel, and a block that depends on the type.
    check(
        "void *kernel; int b = 1;
         AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), \"run\", [&] { kernel = (void *)t<scalar_t, 4>; b = 8 * sizeof(scalar_t); });
         void *list[] = {&x}; cudaLaunchKernel(kernel, 1, b, list, 0, 0); cudaLaunchKernel((void *)kernel, 1, 64, list, 0, 0);",
        &[
            "t<double, 4> 1,1,1 x `b`,1,1 *0",
            "t<float, 4> 1,1,1 x `b`,1,1 *0",
            "t<double, 4> 1,1,1 x 64,1,1 *0",
            "t<float, 4> 1,1,1 x 64,1,1 *0",
        ],
    );
}

#[test]
fn constants_of_an_enumeration_are_passed_on() {
    let text = lines(
        "enum class Mode { plain, strided };
        template <Mode M, int B> __global__ void m(float *p) {}
        template <int H, Mode M> void dispatched(float *p) { m<M, H * 2><<<1, 32>>>(p); }
        void run(float *p, Mode mode) {
            switch (mode) {
                case Mode::plain: { constexpr Mode MODE = Mode::plain; dispatched<4, MODE>(p); break; }
                case Mode::strided: { constexpr Mode MODE = Mode::strided; dispatched<8, MODE>(p); break; }
            }
        }",
    );
    let found: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    // The text of an instance is `m<0, 8>`, which has a blank in it.
    assert_eq!(found, ["m<0,", "m<1,"], "{text}");
    assert!(
        text.contains("m<0, 8>") && text.contains("m<1, 16>"),
        "{text}"
    );
}

/// The text of both of nvcc's passes.
fn of_both_passes(source: &str) -> String {
    struct Nothing;
    impl preprocess::Includes for Nothing {
        fn read(&self, _: &std::path::Path) -> Option<Arc<crate::source::SourceFile>> {
            None
        }
    }
    let mut sources = crate::source::SourceMap::default();
    let main = sources.add("main.cu", source);
    let options = preprocess::Options::default();
    preprocess::preprocess(main, &mut sources, &options, &Nothing).text
}

#[test]
fn host_code_does_not_see_the_macros_of_the_device() {
    let macros = r#"#ifdef __CUDA_ARCH__
#define TILES 8
constexpr int width = 16;
__host__ __device__ inline int height() { return 2; }
#else
#define TILES 4
constexpr int width = 32;
__host__ __device__ inline int height() { return 3; }
#endif
const int area = width * 2;
__global__ void macro_of_the_device(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
static int rows() {
#ifdef __CUDA_ARCH__
  return 5;
#else
  return 6;
#endif
}
#ifndef __CUDA_ARCH__
static void of_the_host(float *p) {
  macro_of_the_device<<<TILES, area>>>(p, rows(), 1);
}
#endif
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  macro_of_the_device<<<TILES, dim3(width, height())>>>(p, 1, 2);
#ifndef __CUDA_ARCH__
  of_the_host(p);
#endif
}
"#;
    assert_eq!(
        lines(&of_both_passes(macros)),
        "macro_of_the_device 4,1,1 x 64,1,1 *0 6 1\n\
         macro_of_the_device 4,1,1 x 32,3,1 *0 1 2\n"
    );
    // What differs in a class is not known.
    let class = r#"struct Shape {
  int tiles;
#ifdef __CUDA_ARCH__
  static const int threads = 32;
  __host__ __device__ Shape() : tiles(8) {}
  __host__ __device__ int rows() const { return 1; }
#else
  static const int threads = 64;
  __host__ __device__ Shape() : tiles(4) {}
  __host__ __device__ int rows() const { return 2; }
#endif
  int blocks() const {
#ifdef __CUDA_ARCH__
    return 3;
#else
    return 5;
#endif
  }
};
__global__ void class_of_the_device(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  Shape shape;
  class_of_the_device<<<shape.tiles, Shape::threads>>>(p, shape.rows(), shape.blocks());
}
"#;
    assert_eq!(
        lines(&of_both_passes(class)),
        "class_of_the_device `shape.tiles.x`,`shape.tiles.y`,`shape.tiles.z` x \
         `Shape::threads.x`,`Shape::threads.y`,`Shape::threads.z` *0 ? ?\n"
    );
}

#[test]
fn configurations_and_lists_say_what_they_held() {
    let check = |body: &str, expected: &str| {
        let text = lines(&format!(
            "{KERNELS} cudaLaunchConfig_t made(int b); int main() {{ float* d; {body} }}"
        ));
        assert_eq!(text, expected, "{body}");
    };
    for (init, expected) in [
        ("", "1,1,1 x 1,1,1"),
        (" = {}", "1,1,1 x 1,1,1"),
        (" = {0}", "0,1,1 x 1,1,1"),
        (" = {dim3(4), dim3(128), 16}", "4,1,1 x 128,1,1 +16"),
        (" = {.blockDim = 64}", "1,1,1 x 64,1,1"),
        (
            " = made(64)",
            "`c.gridDim.x`,`c.gridDim.y`,`c.gridDim.z` x \
             `c.blockDim.x`,`c.blockDim.y`,`c.blockDim.z` +?",
        ),
    ] {
        check(
            &format!("cudaLaunchConfig_t c{init}; cudaLaunchKernelEx(&c, k, d, 1);"),
            &format!("k {expected} *0 1\n"),
        );
    }
    // Names in a list mean what they meant where the list was made.
    check(
        "int n = 3; void* a[] = {&d, &n}; cudaLaunchKernel(k, 1, 32, a); \
         { int n = 7; cudaLaunchKernel(k, 1, n, a); }",
        "k 1,1,1 x 32,1,1 *0 3\nk 1,1,1 x 7,1,1 *? ?\n",
    );
}

#[test]
fn kernels_of_one_name_are_told_apart() {
    let source = "\
        static void run(void (*f)(float*), float* p) { f<<<1, 32>>>(p); } \
        namespace a { __global__ void k(float* p) {} void go(float* p) { run(k, p); } } \
        namespace b { __global__ void k(float* p) {} void go(float* p) { run(k, p); } } \
        int main() { float* p; a::go(p); b::go(p); }";
    assert_eq!(
        lines(source),
        "a::k 1,1,1 x 32,1,1 *0\nb::k 1,1,1 x 32,1,1 *0\n"
    );
}

#[test]
fn launches_in_text_that_is_not_read_are_listed() {
    let unknown = "`what was not read`,`what was not read`,`what was not read`";
    let open = format!("k {unknown} x {unknown} +? ? ?\n");
    for body in [
        "class EXPORT Foo { void go(float* p) { k<<<1, 32>>>(p, 1); } };",
        "static auto go = [](float* p) { k<<<1, 32>>>(p, 1); };",
        "void f(float* p) { SWITCH(1, T, { k<<<1, 32>>>(p, 1); }); }",
        "void f() { struct L { void go(float* p) { k<<<1, 32>>>(p, 1); } }; }",
    ] {
        assert_eq!(lines(&format!("{KERNELS} {body}")), open, "{body}");
    }
    let friend = "void f() { g(1 <<< 2, \"k<<<\"); } struct S { friend void h(float* p) { k<<<1, 2>>>(p, 1); } };";
    let read = "k 1,1,1 x 2,1,1 *0 1\n";
    assert_eq!(lines(&format!("{KERNELS} {friend}")), read);
    // Pointers that were perhaps computed.
    let open = open.replace("+? ? ?", "+? *? ?");
    for body in [
        "void f(cudaKernelNodeParams& node) { node.func = (void*)k; }",
        "static auto go = [](float* p) { k<<<1, 32>>>(p + 1, 1); };",
    ] {
        assert_eq!(lines(&format!("{KERNELS} {body}")), open, "{body}");
    }
}
