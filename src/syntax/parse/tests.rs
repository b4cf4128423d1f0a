//! Tests of the parser: a line of CUDA, and the rendering of its tree.

use super::{Pieces, parse, parse_sharing, render};
use std::sync::Arc;

use crate::syntax::ast::{Item, Unit};

/// Checks each source against the lines that its tree renders to.
fn check(cases: &[(&str, &[&str])]) {
    for (source, expected) in cases {
        let rendered = render::unit(&parse(source));
        let lines: Vec<&str> = rendered.lines().collect();
        assert_eq!(&lines, expected, "{source}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one list of cases")]
fn attributes_in_any_position() {
    check(&[
        (
            "__global__ void k(float* __restrict__ a, const float *__restrict b, float * const __restrict__ c, int n) {}",
            &[
                "global fn k(ptr!(float) a, ptr!(const float) b, const ptr!(float) c, int n) -> void {  }",
            ],
        ),
        (
            "__global__ void __launch_bounds__(256, 2) k() {}",
            &["global bounds(256, 2) fn k() -> void {  }"],
        ),
        (
            "template <int N> __launch_bounds__(N * 32) __global__ void k() {}",
            &["<int N> global bounds((N * 32)) fn k() -> void {  }"],
        ),
        (
            "C10_LAUNCH_BOUNDS_1(256) __global__ void k() {}",
            &["global bounds(256) fn k() -> void {  }"],
        ),
        (
            "__global__ __cluster_dims__(2, 1, 1) __maxnreg__(64) void k(const __grid_constant__ int p) {}",
            &["global fn k(const int p) -> void {  }"],
        ),
        (
            "static __device__ __forceinline__ float __attribute__((always_inline)) f(int) { return 1; }",
            &["device static fn f(int) -> float { return 1 }"],
        ),
        (
            "HOST_DEVICE inline float f() { return 1; }",
            &["fn f() -> float { return 1 }"],
        ),
        ("API_EXPORT void f(int x);", &["fn f(int x) -> void"]),
        ("API T *f(int x);", &["fn f(int x) -> ptr(T)"]),
        (
            r#"extern "C" __global__ void k();"#,
            &["global fn k() -> void"],
        ),
        (
            r#"extern "C" { void a(); int b; }"#,
            &["fn a() -> void", "var b: int"],
        ),
        (
            "[[nodiscard]] __device__ int f() { return 0; }",
            &["device fn f() -> int { return 0 }"],
        ),
        (
            "__shared__ float s[32][33]; extern __shared__ __align__(16) unsigned char d[]; __device__ __constant__ int t[4] = {1, 2};",
            &[
                "shared var s: float[33][32]",
                "shared extern align(16) var d: unsignedchar[]",
                "constant device var t: int[4] = {1, 2}",
            ],
        ),
        (
            "__global__ void k() { __shared__ alignas(8) volatile T s[N + 1]; extern __shared__ float e[]; static __shared__ int a, b[2]; }",
            &[
                "global fn k() -> void { shared align(8) var s: volatile T[(N + 1)]; shared extern var e: float[]; shared static var a: int, shared static var b: int[2] }",
            ],
        ),
        (
            "struct __align__(16) V { float x, y; }; struct alignas(8) W { int a : 3; unsigned : 5; }; typedef struct __align__(8) { int q; } U;",
            &[
                "struct align(16) V { var x: float, var y: float }",
                "struct align(8) W { var a: int bits 3; var : unsignedint bits 5 }",
                "alias U = struct align(8) - { var q: int }",
            ],
        ),
        (
            "struct { int q; } typedef U, *P; enum E { A } typedef F; int typedef I; struct S { float typedef V; V v; }; void f() { short typedef N; auto g = [] { struct { int a; } typedef L; }; }",
            &[
                "alias U = struct - { var q: int }",
                "alias P = ptr(struct - { var q: int })",
                "enum E { A }",
                "alias F = E",
                "alias I = int",
                "struct S { alias V = float; var v: V }",
                "fn f() -> void { alias N = short; var g: auto = [=]() { alias L = struct - { var a: int } } }",
            ],
        ),
        (
            "void f() { auto l = [=] __device__ (int i) { return i; }; auto m = [&] __host__ __device__ (auto x) mutable -> int { x(); }; }",
            &[
                "fn f() -> void { var l: auto = [=](int i) { return i }; var m: auto = [&](auto x) -> int { x() } }",
            ],
        ),
    ]);
}

#[test]
fn readings_the_grammar_gets_wrong() {
    check(&[
        (
            "void f() { int x = b + (i) + ni*(j); }",
            &["fn f() -> void { var x: int = ((b + i) + (ni * j)) }"],
        ),
        (
            "typedef int T; void f(int i) { int x = a - (T) * i; y = (T)(i) * 2; z = (T)(p)[i]; }",
            &[
                "alias T = int",
                "fn f(int i) -> void { var x: int = (a - cast<T>(*i)); (y = (cast<T>(i) * 2)); (z = cast<T>(p[i])) }",
            ],
        ),
        (
            "void f(int a, int n, int c, int m) { bool x = a < (n) && c > (m); y = a < b > (c); }",
            &[
                "fn f(int a, int n, int c, int m) -> void { var x: bool = ((a < n) && (c > m)); (y = ((a < b) > c)) }",
            ],
        ),
        (
            "template <int N> __device__ int g(int); void f() { x = g<4>(y) + h<float>(z); k<A<B<int>>>(q); }",
            &[
                "<int N> device fn g(int) -> int",
                "fn f() -> void { (x = (g<#4>(y) + h<float>(z))); k<A<B<int>>>(q) }",
            ],
        ),
        (
            "void f() { a * b; dim3 grid(n, m), block(16, 16); dim3 g2(f(x)); T x(y); T *p(q); int x(5); float h(float); }",
            &[
                "fn f() -> void { var b: ptr(a); var grid: dim3 (n, m), var block: dim3 (16, 16); var g2: dim3 (f(x)); var x: T (y); var p: ptr(T) (q); var x: int (5); var h: fn(float) -> float }",
            ],
        ),
        (
            "void f(void (*g)(int, float), float (*p)[32], float (&a)[4], int (*const h[3])(int)) { float (&r)[4] = q; float (*w)[8] = v; int *(*m)(int) = 0; }",
            &[
                "fn f(ptr(fn(int, float) -> void) g, ptr(float[32]) p, ref(float[4]) a, const ptr(fn(int) -> int)[3] h) -> void { var r: ref(float[4]) = q; var w: ptr(float[8]) = v; var m: ptr(fn(int) -> ptr(int)) = 0 }",
            ],
        ),
        (
            "void f() { std::vector<int> v(n), w(3); std::max<int>(a, b); if (i < n && j > (m)) g(); for (int i = a; i < n; i += b) h(i << 1 >> 2); return a < b; }",
            &[
                "fn f() -> void { var v: std::vector<int> (n), var w: std::vector<int> (3); std::max<int>(a, b); if (((i < n) && (j > m))) g(); for (var i: int = a; (i < n); (i += b)) h(((i << 1) >> 2)); return (a < b) }",
            ],
        ),
        (
            "typedef float T; void f() { x = -(T) - y * z; z = (std::size_t) & q; w = (float) * p; a = (size_t) - 1 - b; v = (T) -1; x = a -1; }",
            &[
                "alias T = float",
                "fn f() -> void { (x = (-cast<T>(-y) * z)); (z = cast<std::size_t>(&q)); (w = cast<float>(*p)); (a = (cast<size_t>(-1) - b)); (v = cast<T>(-1)); (x = (a - 1)) }",
            ],
        ),
        (
            "void f() { int n; x = (n) && y; z = (a[i]) * b; w = (f(x)) & c; u = (n)-1; t = (p->q.r) - 1; s = !(n) & 1; }",
            &[
                "fn f() -> void { var n: int; (x = (n && y)); (z = (a[i] * b)); (w = (f(x) & c)); (u = (n - 1)); (t = (p->q.r - 1)); (s = (!n & 1)) }",
            ],
        ),
        (
            "__global__ void k(int n) { for (int i = threadIdx.x; i < n && j > (m); i += 4) s[i] = -1; if (n < 3) return; else if (n > -2) { } }",
            &[
                "global fn k(int n) -> void { for (var i: int = threadIdx.x; ((i < n) && (j > m)); (i += 4)) (s[i] = -1); if ((n < 3)) return else if ((n > -2)) {  } }",
            ],
        ),
    ]);
}

/// Shapes that the grammar could take for casts, each in every position, against the same without
/// the parentheses that make it so.
#[test]
fn values_in_parentheses_are_no_types() {
    const SHAPES: [(&str, &str); 9] = [
        ("(x * (y)) + 1", "x * y + 1"),
        ("((x) * (y)) + 1", "x * y + 1"),
        ("(x * (y)) - 1", "x * y - 1"),
        ("(x * (y)) * 2", "x * y * 2"),
        ("(x * (y)) & 7", "x * y & 7"),
        ("(x) + 1", "x + 1"),
        ("(x) - y", "x - y"),
        ("(x) * y", "x * y"),
        ("(x) & y", "x & y"),
    ];
    const POSITIONS: [&str; 7] = [
        "a = @;",
        "if ((@) > 9) g();",
        "s[@] = 1;",
        "g(1, @, 2);",
        "int z = @;",
        "return @;",
        "while (s[(@)] < b) { c += @; }",
    ];
    // Elsewhere the names are types.
    const HEAD: &str = "template <typename x> struct P { x y; }; void h() { typedef int y; y q; }";
    for (shape, plain) in SHAPES {
        for position in POSITIONS {
            let text = |value: &str| {
                let body = position.replace('@', value);
                format!("{HEAD} int f(int x, int y) {{ {body} }}")
            };
            let read = |value: &str| render::unit(&parse(&text(value)));
            assert_eq!(read(shape), read(plain), "{}", text(shape));
        }
    }
}

#[test]
fn launches() {
    check(&[
        (
            "void f() { k<<<g, b, s, st>>>(a); k<T, 4><<<1, 2>>>(); ns::k<<<1, 2>>>(); (*p)<<<1, 2>>>(x); k << <1, 2 >> > (x); }",
            &[
                "fn f() -> void { launch k<<<g, b, s, st>>>(a); launch k<T, #4><<<1, 2>>>(); launch ns::k<<<1, 2>>>(); launch *p<<<1, 2>>>(x); launch k<<<1, 2>>>(x) }",
            ],
        ),
        (
            "void f() { k<A<B<int>>><<<dim3(1, 2), (n + 255) / 256>>>(p, q); }",
            &["fn f() -> void { launch k<A<B<int>>><<<dim3(1, 2), ((n + 255) / 256)>>>(p, q) }"],
        ),
        (
            "void f() { k<<<1, 2>>>(p, n = m = 4, n += 1); k << <g = 3, 2 >> > (n <<= 1, m); }",
            &[
                "fn f() -> void { launch k<<<1, 2>>>(p, (n = (m = 4)), (n += 1)); launch k<<<(g = 3), 2>>>((n <<= 1), m) }",
            ],
        ),
        (
            "void f() { int a[2] = {-1, +2}; cudaLaunchKernel((void *)k<T>, grid, block, args, 0, nullptr); auto g = k<int, 3>; g<<<n / 2, {1, 2}>>>(a); }",
            &[
                "fn f() -> void { var a: int[2] = {-1, +2}; cudaLaunchKernel(cast<ptr(void)>(k<T>), grid, block, args, 0, nullptr); var g: auto = k<int, #3>; launch g<<<(n / 2), {1, 2}>>>(a) }",
            ],
        ),
    ]);
}

#[test]
fn inline_assembly() {
    check(&[(
        r#"void f() { asm volatile("mov %0, %1;" "nop;" : "=r"(x), [y] "+f"(y[i + 1]) : "r"((int)z), "l"(p) : "memory"); asm("bar.sync 0;"); asm volatile("x" ::: "memory"); __asm__ __volatile__ ("y" :: "r"(a)); asm("z" : "=l"(b) :); }"#,
        &[
            r#"fn f() -> void { asm "mov %0, %1;nop;" out(=r x, +f y[(i + 1)]) in(r cast<int>(z), l p); asm "bar.sync 0;" out() in(); asm "x" out() in(); asm "y" out() in(r a); asm "z" out(=l b) in() }"#,
        ],
    )]);
}

#[test]
fn what_lambdas_give_by_a_list() {
    check(&[
        (
            "template <class T, int R> struct A2 {}; void f() { auto g = [&]() -> A2<A2<int, 2>, 3> { return h(); }; auto i = [=](int x) mutable -> A2<int, 2> { return h(); }(1); }",
            &[
                "<type T, int R> struct A2 {  }",
                "fn f() -> void { var g: auto = [&]() -> A2<A2<int, #2>, #3> { return h() }; var i: auto = [=](int x) -> A2<int, #2> { return h() }(1) }",
            ],
        ),
        (
            "void f() { auto g = [&]() -> In<a, b> { return h(); }; auto x = p->n < q && m > 2; }",
            &[
                "fn f() -> void { var g: auto = [&]() -> In<a, b> { return h() }; var x: auto = ((p->n < q) && (m > 2)) }",
            ],
        ),
    ]);
}

#[test]
fn enumerators_that_are_named_in_full() {
    check(&[(
        "enum class E { Int, Half }; void f() { g(Int<3>{}, Half<int>{}); x = E::Int < n; }",
        &[
            "enum class E { Int, Half }",
            "fn f() -> void { g(new Int<#3>(), new Half<int>()); (x = (E::Int < n)) }",
        ],
    )]);
}

#[test]
fn errors_stay_in_their_function() {
    check(&[
        (
            "__global__ void k() { int tid = 1; if (tid<offset>) { x = 1; } }",
            &[
                "global fn k() -> void { var tid: int = 1; if (((tid < offset) > <error>)) { (x = 1) } } !! something is missing here (expected identifier)",
            ],
        ),
        (
            "void f() { int y = ; g<<<1, 2>>>(p); } __global__ void ok() { x = 1; }",
            &[
                "fn f() -> void { var y: int = launch g<<<1, 2>>>(p) } !! cannot be read from `;` on",
                "global fn ok() -> void { (x = 1) }",
            ],
        ),
        (
            "__global__ void bad( { } __global__ void ok() { x = 1; }",
            &[
                "global fn bad() {  } !! cannot be read from `void bad( { }` on",
                "global fn ok() -> void { (x = 1) }",
            ],
        ),
        (
            "int f() { return (x) + 1; } } void g() {}",
            &["fn f() -> int { return (x + 1) }", "fn g() -> void {  }"],
        ),
        (
            "namespace n { void broken() { int = 3 } __global__ void ok() {} }",
            &[
                "namespace n { fn broken() {  } !! cannot be read from `int =` on; global fn ok() -> void {  } }",
            ],
        ),
        (
            "void f() { CHECK(a) CHECK(b) UNROLL for (;;) {} }",
            &["fn f() -> void { while (CHECK(a)) { while (CHECK(b)) { for (; ; ) {  } } } }"],
        ),
    ]);
}

#[test]
fn literals() {
    check(&[
        (
            "int a = 0x7fffffff, b = 0xffffffff, c = 4294967296, d = 10u, e = 1ull, f = 0b101, g = 017, h = 1'000'000, i = 2147483648;",
            &[
                "var a: int = 2147483647, var b: int = 4294967295u, var c: int = 4294967296l, var d: int = 10u, var e: int = 1ul, var f: int = 5, var g: int = 15, var h: int = 1000000, var i: int = 2147483648l",
            ],
        ),
        (
            r#"float a = 1.5f, b = 1e-3, c = .5, d = 0x1p4, e = 1.f; char f = 'a', g = '\n', h = '\xff', i = '\0'; const char *j = "a" "b\n" R"(c\d)";"#,
            &[
                "var a: float = 1.5f, var b: float = 0.001, var c: float = 0.5, var d: float = 16.0, var e: float = 1.0f",
                "var f: char = '97', var g: char = '10', var h: char = '-1', var i: char = '0'",
                r#"var j: ptr(const char) = "ab\nc\\d""#,
            ],
        ),
        (
            "auto x = 1_km; auto y = 3.0h; bool t = true; void *p = nullptr;",
            &[
                "var x: auto = \"\"_km(1ul)",
                "var y: auto = <user-defined literal>",
                "var t: bool = true",
                "var p: ptr(void) = nullptr",
            ],
        ),
    ]);
}

#[test]
fn statements() {
    check(&[
        (
            "void f() { if constexpr (N > 1) a(); else b(); if (int i = g(); i > 0) c(); if (auto p = h()) d(); for (auto &v : vs) e(); do { i++; } while (i < 3); while (n--) ; }",
            &[
                "fn f() -> void { if constexpr ((N > 1)) a() else b(); if (var i: int = g(); (i > 0)) c(); if (var p: auto = h()) d(); for (var v: ref(auto) in vs) e(); do { i++ } while ((i < 3)); while (n--) empty }",
            ],
        ),
        (
            "void f() { switch (x) { case 1: case A::B: a(); break; default: { b(); } } l: goto l; for (int i = 0, j = 1; i < n; i++, j--) { continue; } for (;;) break; return; }",
            &[
                "fn f() -> void { switch (x) { case 1; case A::B; a(); break; default; { b() } }; label l; goto l; for (var i: int = 0, var j: int = 1; (i < n); (i++ , j--)) { continue }; for (; ; ) break; return }",
            ],
        ),
        (
            "void f() { struct L { int a; __device__ int g() { return a; } } l; typedef int I; using J = I; union { int i; float f; } u; enum { P, Q }; extern void g(int); }",
            &[
                "fn f() -> void { struct L { var a: int; device fn g() -> int { return a } }; var l: L; alias I = int; alias J = I; var u: union - { var i: int; var f: float }; enum - { P, Q }; extern var g: fn(int) -> void }",
            ],
        ),
    ]);
}

#[test]
fn what_using_brings_in() {
    check(&[(
        "using a::f, typename B<int, 2>::g, h; enum class W { P, Q }; using enum n::W; struct S : decltype(f(x)), B {};",
        &[
            "using a::f",
            "using B<int, #2>::g",
            "using h",
            "enum class W { P, Q }",
            "using n::W::P",
            "using n::W::Q",
            "struct S : decltype<decltype(f(x))>, B {  }",
        ],
    )]);
}

#[test]
fn declarations() {
    check(&[
        (
            r#"decltype(a + b) f(); auto g() -> int; static_assert(sizeof(int) == 4, "x"); using A = int; template <class T> using B = C<T>; template <int N> constexpr int v = N;"#,
            &[
                "fn f() -> decltype((a + b))",
                "fn g() -> int",
                "alias A = int",
                "<type T> alias B = C<T>",
                "<int N> constexpr var v: int = N",
            ],
        ),
        (
            "enum class E : unsigned char { X, Y = 2 }; enum { Z }; namespace a::b { int x; } namespace { int y; } using namespace std; using a::b::x; namespace c = a::b;",
            &[
                "enum class E : unsignedchar { X, Y = 2 }",
                "enum - { Z }",
                "namespace a { namespace b { var x: int } }",
                "namespace - { var y: int }",
                "using namespace std",
                "using a::b::x",
                "namespace c = a::b",
            ],
        ),
        (
            "struct S : A<int>, public B { S(int x) : a(x), b{2} {} ~S(); explicit operator bool() const { return a; } T operator()(int i) const; S& operator+=(const S& o); friend void g(); static const int k = 4; int f() = delete; S() = default; union { int u; float v; }; struct { int w; } z; private: using X = int; };",
            &[
                "struct S : A<int>, B { ctor S(int x) : a(x) : b(2) {  }; dtor S(); conv () const -> bool { return a }; op ()(int i) const -> T; op +=(ref(const S) o) -> ref(S); static var k: const int = 4; fn f() -> int; ctor S() {  }; var : union - { var u: int; var v: float }; var z: struct - { var w: int }; alias X = int }",
            ],
        ),
        (
            "void S::f(int x) const {} template <> void S<int>::g<3>() {} int S::x = 1; S::operator int() { return 1; } template <class T> template <int N> void S<T>::h() {}",
            &[
                "fn S::f(int x) const -> void {  }",
                "<> fn S<int>::g<#3>() -> void {  }",
                "var S::x: int = 1",
                "conv S::() -> int { return 1 }",
                "<type T> <int N> fn S<T>::h() -> void {  }",
            ],
        ),
        (
            "template <> __global__ void k<float, 3>(float *p); template __global__ void k<int>(int *); template class C<float>; template <> struct S<float> { int x; }; template <class T, int N = 3, template <class> class U, class... V> struct Q;",
            &[
                "<> global fn k<float, #3>(ptr(float) p) -> void",
                "instantiate global fn k<int>(ptr(int)) -> void",
                "instantiate class C<float>",
                "<> struct S<float> { var x: int }",
                "<type T, int N = 3, template U, type... V> struct Q",
            ],
        ),
        (
            "void f(float &&a, int b = 3, const T... c, unsigned long long int d, long double e, unsigned f, signed char g, char *const *h);",
            &[
                "fn f(refref(float) a, int b = 3, const T... c, unsignedlonglong d, longdouble e, unsignedint f, signedchar g, ptr(const ptr(char)) h) -> void",
            ],
        ),
        (
            "template <typename T, typename std::enable_if<A<T>::value && B, int>::type* = nullptr> void f(std::function<void()> g = {}) { typename T::type x; y = typename T::z(1); return is_same<T, float>::value && v; }",
            &[
                "<type T, std::enable_if<#(A<T>::value && B), int>::type  = nullptr> fn f(std::function<fn() -> void> g = {}) -> void { var x: T::type; (y = T::z(1)); return (is_same<T, float>::value && v) }",
            ],
        ),
        (
            "bool operator<(const S &a, const S &b); template <class T> T operator*(T a, T b) { return a; } void operator delete(void *p);",
            &[
                "op <(ref(const S) a, ref(const S) b) -> bool",
                "<type T> op *(T a, T b) -> T { return a }",
                "op delete(ptr(void) p) -> void",
            ],
        ),
        (
            "__global__ void k() { float (*p)[4], x; *p = 1; } struct S { int a; } s, *t; enum E { A } e;",
            &[
                "global fn k() -> void { var p: ptr(float[4]), var x: float; (*p = 1) }",
                "struct S { var a: int }",
                "var s: S, var t: ptr(S)",
                "enum E { A }",
                "var e: E",
            ],
        ),
    ]);
}

#[test]
fn expressions() {
    check(&[
        (
            "void f() { x.template g<3>(); this->y = p->template h<T>(z); o.operator()(1); (*this)(2); o.operator()<2>(3); a->b.c[1][2]++; }",
            &[
                "fn f() -> void { x.g<#3>(); (this->y = p->h<T>(z)); o.()(1); *this(2); o.()<#2>(3); a->b.c[1][2]++ }",
            ],
        ),
        (
            "void f() { S s = {.a = 1, .b = {2, 3}}; auto [p, q] = g(); int v[] = {1, 2}; S t{1}; x = S{2}; y = T(1, 2); z = int(3.5f); w = unsigned(4); v = float4{1, 2}; }",
            &[
                "fn f() -> void { var s: S = {.a = 1, .b = {2, 3}}; var [p, q]: auto = g(); var v: int[] = {1, 2}; var t: S {1}; (x = new S(2)); (y = T(1, 2)); (z = cast<int>(3.5f)); (w = cast<unsignedint>(4)); (v = new float4(1, 2)) }",
            ],
        ),
        (
            "template <typename... Ts> auto f(Ts... xs) { g(xs...); return (xs + ...) + sizeof...(Ts) + (0 + ... + xs) + alignof(int) + sizeof(float) + sizeof x; }",
            &[
                "<type... Ts> fn f(Ts... xs) -> auto { g(xs...); return (((((foldr(+ xs) + sizeof...(Ts)) + foldl(+ xs, 0)) + alignof(int)) + sizeof(float)) + sizeof x) }",
            ],
        ),
        (
            "void f() { y = static_cast<int>(x) + reinterpret_cast<float4 *>(p)[0].x - *(const float *)&z; a = (int)b * (float)c; q = (unsigned long)p; w = ({ int t = 3; t + 1; }); }",
            &[
                "fn f() -> void { (y = ((cast<int>(x) + reinterpret<ptr(float4)>(p)[0].x) - *cast<ptr(const float)>(&z))); (a = (cast<int>(b) * cast<float>(c))); (q = cast<unsignedlong>(p)); (w = [&]() { var t: int = 3; return (t + 1) }()) }",
            ],
        ),
        (
            "void f() { x = a ? b : c, d; x <<= 2; y |= !z & ~w; *p++ = &q[1] - -3; delete p; throw 1; new float*[3]; std::cout << a << b; }",
            &[
                "fn f() -> void { ((x = (a ? b : c)) , d); (x <<= 2); (y |= (!z & ~w)); (*p++ = (&q[1] - -3)); <delete>; <throw>; <new>; ((std::cout << a) << b) }",
            ],
        ),
    ]);
}

fn first_function(unit: &Unit) -> Option<&crate::syntax::ast::Function> {
    unit.items.iter().find_map(|item| match item {
        Item::Function(function) => Some(function.as_ref()),
        _ => None,
    })
}

#[test]
fn ranges_point_into_the_given_text() {
    let source = "int a;\n__global__ void kernel(float *p) { *p = 1; }";
    let unit = parse(source);
    let function = first_function(&unit).map(|function| function.name_range);
    let text = function.and_then(|range| source.get(range.start as usize..range.end as usize));
    assert_eq!(text, Some("kernel"));
}

#[test]
fn ranges_of_definitions_parsed_alone_point_there_too() {
    let source = "int = 3;\nvoid broken() { int = ; }\n__global__ void kernel() { x = (a) + 1; }";
    let unit = parse(source);
    let kernel = unit.items.iter().find_map(|item| match item {
        Item::Function(function) if function.attributes.global => Some(function),
        _ => None,
    });
    let range = kernel.map(|kernel| kernel.name_range);
    assert_eq!(
        range.and_then(|range| source.get(range.start as usize..range.end as usize)),
        Some("kernel")
    );
    assert!(kernel.is_some_and(|kernel| kernel.problem.is_none()));
}

#[test]
fn no_text_is_too_deep() {
    let nest = |open: &str, middle: &str, close: &str| {
        format!(
            "void f() {{ x = {}{middle}{}; }}",
            open.repeat(20_000),
            close.repeat(20_000)
        )
    };
    for text in [
        nest("(", "1", ")"),
        nest("a[", "1", "]"),
        nest("- ", "1", ""),
        nest("1 + ", "1", ""),
        nest("a, ", "1", ""),
        nest("a ? b : ", "1", ""),
        nest("a<", "b", ">"),
        nest("a.", "b", ""),
        nest("[](){ return ", "1", "; }()"),
        format!("void f() {}", "{".repeat(20_000)),
        format!("void f() {{ {} ; }}", "if (a) b; else ".repeat(5_000)),
        format!("int {}p{};", "*".repeat(20_000), "[2]".repeat(20_000)),
        format!("{}{}", "namespace a {".repeat(5_000), "}".repeat(5_000)),
        format!("{}{}", "struct a {".repeat(5_000), "};".repeat(5_000)),
    ] {
        let unit = parse(&text);
        let is_said = !unit.problems.is_empty()
            || unit
                .items
                .iter()
                .any(|item| !matches!(item, Item::Function(f) if f.problem.is_none()));
        assert!(is_said, "{}", &text[..40]);
    }
}

#[test]
fn no_text_is_refused() {
    for text in [
        "",
        "\"",
        "'",
        "R\"x(",
        "asm(",
        "template",
        "operator",
        "typedef",
        "#",
        "\\",
        "é ü",
        "void f(){asm(",
        "struct",
        "a<",
        "__align__(",
    ] {
        let _ = parse(text);
        let _ = parse(&format!("void f() {{ {text} }}"));
    }
}

/// Ranges are part of the tree, so the whole tree is compared.
#[test]
fn a_text_that_is_edited_is_read_as_a_new_one() {
    let text = "#define N 4\nstruct S { float x, y; };\nnamespace a {\ntemplate <int K> __device__ float f(float *p) { return p[K] < (K) ? p[0] : 1; }\n}\n__global__ void k(float *p, int n) {\n    __shared__ float s[N][N];\n    for (int i = 0; i < n; ++i) s[i % N][0] = p[i] * (n) + a::f<2>(p);\n}\nvoid run(float *p) { k<<<1, 32>>>(p, 4); }\n";
    let pieces = [
        "{",
        "}",
        " + 1",
        "(",
        ";",
        "template <",
        "/* ",
        "\n",
        "\"",
        "void g() {}\n",
    ];
    let known = Arc::new(Pieces::new(1 << 20));
    let mut at = 7;
    for round in 0..120 {
        // Somewhere else each time, on and off again.
        at = (at * 31 + 17) % text.len();
        let piece = pieces[round % pieces.len()];
        let edited = format!("{}{piece}{}", &text[..at], &text[at..]);
        for source in [edited.as_str(), &edited[..edited.len() - round / 4], text] {
            let again = parse_sharing(source, &known);
            assert_eq!(
                format!("{again:?}"),
                format!("{:?}", parse(source)),
                "{source}"
            );
        }
    }
}

#[test]
fn a_large_text_is_read_by_several_threads_as_by_one() {
    let mut text = String::from("namespace a { extern \"C\" {\n");
    for number in 0.. {
        let shape = [
            "__device__ int f(int n) { return n * 0x; }",
            "template <class T> struct S { T a[4]; int f() const { return a[1] < (2); } };",
            "void g( { }",
        ][number % 3];
        text += &format!("{shape} // {number}\nint v{number} = {number};\n");
        if text.len() > super::split::LARGE {
            break;
        }
    }
    text += "} }\nint last;";
    let alone = parse(&text);
    assert!(render::unit(&alone).len() > super::split::LARGE / 4);
    let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build();
    let again = threads
        .expect("threads")
        .install(|| parse_sharing(&text, &Arc::new(Pieces::new(1 << 24))));
    assert_eq!(render::unit(&again), render::unit(&alone));
    let (again, alone) = (
        format!("{:?}", again.problems),
        format!("{:?}", alone.problems),
    );
    assert_eq!(again, alone);
}
