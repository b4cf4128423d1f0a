//! Source texts and the IR they become.

use super::*;
use crate::ir::dump::dump;
use crate::source::SourceFile;
use crate::syntax::parse::parse;
use crate::syntax::preprocess::{self, Includes, preprocess};
use std::sync::Arc;

struct Nothing;

impl Includes for Nothing {
    fn read(&self, _: &Path) -> Option<Arc<SourceFile>> {
        None
    }
}

/// Lowers units all at once.
fn lower(units: &[UnitInput<'_>], sources: &SourceMap, options: &Options) -> Program {
    let mut lowering = Lowering::new(options.clone());
    lowering.add(units, sources);
    lowering.finish()
}

fn lowered(text: &str) -> Program {
    let mut sources = SourceMap::default();
    let path = Path::new("a.cu");
    let main = sources.add(path, text);
    let expanded = preprocess(
        main,
        &mut sources,
        &preprocess::Options::default(),
        &Nothing,
    );
    let unit = parse(&expanded.text);
    lower(
        &[UnitInput {
            unit: &unit,
            expanded: &expanded,
            path,
            set: 0,
        }],
        &sources,
        &Options::default(),
    )
}

/// The dump of the first kernel of `text`, its head left out, holds these lines in this order.
#[track_caller]
fn check(text: &str, lines: &[&str]) {
    let program = lowered(text);
    let kernel = program
        .kernels
        .first()
        .unwrap_or_else(|| panic!("no kernel in {text}"));
    let dump = dump(kernel);
    let mut have = dump.lines().map(str::trim);
    for line in lines {
        assert!(
            have.any(|have| have == *line),
            "no `{line}` in its place in\n{dump}"
        );
    }
}

/// As [`check`] for the body of `__global__ void k(float* a, float4* v, int n)`.
#[track_caller]
fn check_body(body: &str, lines: &[&str]) {
    check(
        &format!("__global__ void k(float* a, float4* v, int n) {{ {body} }}"),
        lines,
    );
}

#[test]
fn accesses() {
    for (body, lines) in [
        (
            "a[n] = 1;",
            &["store f32 [a.0 +> (i64(n.2) *:i64 4)] 1.0 #0 a"][..],
        ),
        (
            "*(a + 3) += 2;",
            &[
                ".3 = load f32 [a.0 +> 12] #0 a",
                "store f32 [a.0 +> 12] (.3 +:f32 2.0) #1 a",
            ],
        ),
        (
            "float x = *a++;",
            &[".3 = a.0", "a.0 = .3 +> 4", ".4 = load f32 [.3] #0 a"],
        ),
        (
            "a[0] = ++a[n--];",
            &[
                ".3 = n.2",
                "n.2 = (.3 -:i32 1)",
                ".4 = load f32 [a.0 +> (i64(.3) *:i64 4)] #0 a",
                ".5 = (.4 +:f32 1.0)",
                "store f32 [a.0 +> (i64(.3) *:i64 4)] .5 #1 a",
                "store f32 [a.0] .5 #2 a",
            ],
        ),
        (
            "volatile float* p = a; a[1] = (p[0] = 1);",
            &[
                "store volatile f32 [p.3] 1.0 #0 p",
                ".4 = load volatile f32 [p.3] #1 p",
                "store f32 [a.0 +> 4] .4 #2 a",
            ],
        ),
        (
            "float4 x = v[n];",
            &["x.3 = load b128 [v.1 +> (i64(n.2) *:i64 16)] #0 v"],
        ),
        (
            "a[0] = v[n].z;",
            &[".3 = load f32 [v.1 +> (i64(n.2) *:i64 16) +> 8] #0 v"],
        ),
        (
            "a[0] = reinterpret_cast<float4*>(&a[n])[1].y;",
            &[".3 = load f32 [a.0 +> (i64(n.2) *:i64 4) +> 20] #0 a"],
        ),
        (
            "float x = __ldg(&a[n]);",
            &[".3 = load readonly f32 [a.0 +> (i64(n.2) *:i64 4)] #0 a"],
        ),
        (
            "atomicAdd_block(a + n, 1);",
            &["atomic atomicAdd f32 [a.0 +> (i64(n.2) *:i64 4)] (1.0) #0 a"],
        ),
        (
            "volatile float* p = a; p[1] = 0;",
            &["store volatile f32 [p.3 +> 4] 0.0 #0 p"],
        ),
        (
            "a[threadIdx.x - 1u] = 0;",
            &["store f32 [a.0 +> (i64((threadIdx.x -:u32 1)) *:i64 4)] 0.0 #0 a"],
        ),
    ] {
        check_body(body, lines);
    }
}

#[test]
fn shared_memory() {
    check_body(
        "__shared__ float t[4][33]; t[threadIdx.y][threadIdx.x] = 0;",
        &[
            "shared t: 528 bytes, align 4, element 4, dimensions [4, 33]",
            "store f32 [&shared t.0 +> (i64(threadIdx.y) *:i64 132) +> (i64(threadIdx.x) *:i64 4)] 0.0 #0 t",
        ],
    );
    check(
        "__device__ float* get() { __shared__ float s[8]; return s; }
         __global__ void k(float* a) { get()[1] = a[0]; get()[2] = a[1]; }",
        &[
            "shared s: 32 bytes, align 4, element 4, dimensions [8]",
            "store f32 [&shared s.0 +> 4] .2 #1 get",
            "store f32 [&shared s.0 +> 8] .4 #3 get",
        ],
    );
    check_body(
        "extern __shared__ double s[]; s[n] = 1;",
        &["shared s: dynamic bytes, align 8, element 8, dimensions [0]"],
    );
}

#[test]
fn effects_in_conditions() {
    check_body(
        "if (n > 0 && a[n] > 1) a[0] = 1;",
        &[
            "if .4",
            ".3 = load f32 [a.0 +> (i64(n.2) *:i64 4)] #0 a",
            ".4 = (1.0 <:f32 .3)",
            "if .4",
        ],
    );
    check_body(
        "int x = n > 0 && n < 4;",
        &["x.3 = i32(((0 <:i32 n.2) &&:bool (n.2 <:i32 4)))"],
    );
    check_body(
        "a[0] = n ? a[1] : 0;",
        &[
            "if (n.2 !=:i32 0)",
            ".3 = load f32 [a.0 +> 4] #0 a",
            "else",
            ".4 = 0.0",
        ],
    );
}

#[test]
fn functions_are_inlined() {
    check(
        "__device__ void swap2(float& x, float& y) { float t = x; x = y; y = t; }
         __global__ void k(float* a) { float p = 1, q = 2; swap2(p, q); a[0] = p; }",
        &[
            "p.1 = 1.0",
            "q.2 = 2.0",
            "t.3 = p.1",
            "p.1 = q.2",
            "q.2 = t.3",
            "store f32 [a.0] p.1 #0 a",
        ],
    );
    check(
        "template <class T> __device__ T least(T x, T y) { if (x < y) return x; return y; }
         __global__ void k(int* a) { a[0] = least(a[1], a[2]); }",
        &[
            "L0:",
            "if (x.3 <:i32 y.4)",
            "return.5 = x.3",
            "exit L0",
            "return.5 = y.4",
            "store i32 [a.0] return.5 #2 a",
        ],
    );
    check(
        "struct M { float* p; int n; __device__ float& operator()(int r, int c) { return p[r * n + c]; } };
         __global__ void k(M m) { m(1, 2) = 0; }",
        &["store f32 [.3 +> (i64(((r.1 *:i32 .4) +:i32 c.2)) *:i64 4)] 0.0 #2 p"],
    );
    check(
        "__device__ int f(int n) { return n ? n * f(n - 1) : 1; } __global__ void k(int* a, int n) { a[f(n)] = 0; }",
        &["gap: `f` calls itself"],
    );
    check(
        "__global__ void k(int* a) { mystery(a); }",
        &["opaque (.1) [a.0] `mystery` has no definition in the files given"],
    );
}

#[test]
fn control_flow() {
    check_body(
        "for (int i = 0; i < n; i += 2) { if (i == 4) continue; if (i == 5) break; a[i] = 0; }",
        &[
            "loop 0 while (i.3 <:i32 n.2) (continue L0, break L1)",
            "exit L0",
            "exit L1",
            "step",
            "i.3 = (i.3 +:i32 2)",
        ],
    );
    check_body(
        "switch (n) { case 1: a[1] = 1; break; default: a[2] = 2; }",
        &["if (.3 ==:i32 1)", "else"],
    );
    check_body(
        "switch (n) { case 1: a[1] = 1; case 2: a[2] = 2; }",
        &["L0:", "L2:", "L1:", "exit L1", "exit L2", "exit L0"],
    );
    check_body(
        "if (n) goto end; a[0] = 1; end: a[1] = 1;",
        &[
            "L0:",
            "exit L0",
            "store f32 [a.0] 1.0 #0 a",
            "store f32 [a.0 +> 4] 1.0 #1 a",
        ],
    );
    check_body(
        "if (sizeof(float) == 4) a[0] = 1; else a[1] = 1;",
        &["store f32 [a.0] 1.0 #0 a"],
    );
}

#[test]
fn addresses_make_objects() {
    check(
        "__device__ void set(int* p) { *p = 3; } __global__ void k(int* a) { int c = 0; set(&c); a[c] = 1; }",
        &[
            "local c.1: 4 bytes, align 4",
            "store i32 [&c.1] 0 #0 c",
            "store i32 [p.2] 3 #1 p",
        ],
    );
}

#[test]
fn assembly() {
    check_body(
        "__shared__ float s[64]; unsigned d = (unsigned)__cvta_generic_to_shared(&s[n]);
         asm volatile(\"cp.async.cg.shared.global [%0], [%1], %2;\" :: \"r\"(d), \"l\"(a + n), \"n\"(16));",
        &[".4 = load async.cg b128 [a.0 +> (i64(n.2) *:i64 4)] #0 a", "store async.cg b128 [ptr(d.3)] .4 #1 d"],
    );
    check_body(
        "unsigned r, q; asm(\"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\" : \"=r\"(r), \"=r\"(q) : \"r\"(n));",
        &[
            "matrix load 16 rows [ptr(n.2)] (.5, .6) #0 n",
            "r.3 = .5",
            "q.4 = .6",
        ],
    );
    check_body(
        "float x, y; asm(\"ld.global.v2.f32 {%0, %1}, [%2+8];\" : \"=f\"(x), \"=f\"(y) : \"l\"(a));",
        &[".5 = load b64 [a.0 +> 8] #0 a", "x.3 = .6", "y.4 = .7"],
    );
}

#[test]
fn groups() {
    check_body(
        "auto b = cooperative_groups::this_thread_block(); auto t = cooperative_groups::tiled_partition<8>(b); a[t.thread_rank()] = 1; b.sync();",
        &[
            "store f32 [a.0 +> (i64((((threadIdx.x +:u32 (threadIdx.y *:u32 blockDim.x)) +:u32 (threadIdx.z *:u32 (blockDim.x *:u32 blockDim.y))) %:u32 8)) *:i64 4)] 1.0 #0 a",
            "barrier block",
        ],
    );
}

#[test]
fn instances_and_launches() {
    let program = lowered(
        "template <typename T, int N> __global__ void k(T* a) { a[N] = 0; }
         void host(float* f, double* d) { k<float, 2><<<4, 64>>>(f); k<double, 3><<<dim3(2, 2), 128>>>(d); }",
    );
    let instances: Vec<&str> = program
        .kernels
        .iter()
        .map(|kernel| kernel.instance.as_str())
        .collect();
    assert_eq!(instances, ["<double, 3>", "<float, 2>"]);
    assert_eq!(program.kernels[1].launches[0].block[0].known(), Some(64));

    let program = lowered("template <typename T> __global__ void k(T* a, int n) { a[n] = a[0]; }");
    assert!(
        dump(&program.kernels[0]).contains("no instantiation of template parameter `T` is visible")
    );
}

#[test]
fn members_beside_one_of_unknown_size_are_known() {
    let program = lowered(
        "struct P { absent::Kind kind; float* a; int n; };
         __device__ void put(P p) { p.a[threadIdx.x] = p.n; }
         __global__ void k(P p) { put(p); }",
    );
    let kernel = &program.kernels[0];
    let crate::ir::ParameterKind::Object { leaves } = &kernel.parameters[0].kind else {
        panic!("no object");
    };
    let leaves: Vec<&str> = leaves.iter().map(|(.., name)| name.as_str()).collect();
    assert_eq!(leaves, ["p.a", "p.n"]);
    let dump = dump(kernel);
    assert!(!dump.contains("not taken apart"), "{dump}");
}

#[test]
fn arrays_by_value_are_objects() {
    let program = lowered(
        "__global__ void k(std::array<int, 2> a, nv_half *o, int i) { o[a[i]] = o[a[1]]; }",
    );
    let kernel = &program.kernels[0];
    let crate::ir::ParameterKind::Object { leaves } = &kernel.parameters[0].kind else {
        panic!("no object");
    };
    let places: Vec<u32> = leaves.iter().map(|(at, ..)| *at).collect();
    assert_eq!(places, [0, 4]);
    let dump = dump(kernel);
    assert!(!dump.contains("unknown"), "{dump}");
    assert_eq!(dump.matches("load f16").count(), 1, "{dump}");
}

#[test]
fn instances_of_classes_of_one_name_are_two() {
    let program = lowered(
        "namespace p { struct X { float v; }; }
         namespace q { struct X { float v[8]; }; }
         template <typename T> __global__ void k(T* a) { ((float*)(a + threadIdx.x))[0] = 0; }
         void host(p::X* f, q::X* d) { k<<<4, 64>>>(f); k<<<4, 64>>>(d); }",
    );
    let strides: Vec<&str> = program
        .kernels
        .iter()
        .map(|kernel| {
            let dump = dump(kernel);
            match (dump.contains("*:i64 4)"), dump.contains("*:i64 32)")) {
                (true, false) => "4",
                (false, true) => "32",
                _ => "?",
            }
        })
        .collect();
    assert_eq!(strides.len(), 2);
    assert!(
        strides.contains(&"4") && strides.contains(&"32"),
        "{strides:?}"
    );
}

#[test]
fn what_a_launch_tells_of_its_arguments_goes_before_defaults() {
    // Nothing calls `run`: its own argument is not known, but the padding is.
    let program = lowered(
        "template <int PAD = 0, int STAGES = 2, typename T = float> __global__ void k(T* a)
             { a[threadIdx.x * (32 + PAD)] = STAGES; }
         template <int STAGES> void run(float* f) { constexpr int PAD = 8; k<PAD, STAGES><<<4, 64>>>(f); }",
    );
    let kernel = &program.kernels[0];
    assert_eq!(kernel.instance, "<8, ?, float>");
    assert_eq!(kernel.launches[0].block[0].known(), Some(64));
    assert!(kernel.is_open);
    let dump = dump(kernel);
    assert!(
        dump.contains("the template argument `STAGES` is not known"),
        "{dump}"
    );
    // Without a launch, defaults are all there is.
    let program = lowered("template <int PAD = 0> __global__ void k(float* a) { a[PAD] = 1; }");
    assert_eq!(program.kernels[0].instance, "<0>");
}

#[test]
fn many_instances_of_which_none_is_known_are_one() {
    let text = |values: &str| {
        format!(
            "template <int TYPE, int N, bool F> __global__ void k(float* a)
                 {{ a[threadIdx.x * N] = TYPE + F; }}
             template <int TYPE, int N> void run(float* f) {{ k<TYPE, N, true><<<N, 64>>>(f); }}
             template <int TYPE> void pick(float* f, int n) {{ switch (n) {{ {values} }} }}"
        )
    };
    let case = |n: u32| format!("case {n}: run<TYPE, {n}>(f); break;");
    let few: Vec<String> = (1..=3).map(case).collect();
    let instances = |text: &str| -> Vec<(String, usize)> {
        let program = lowered(text);
        assert!(program.kernels.iter().all(|kernel| kernel.is_open));
        let kernels = program.kernels.into_iter();
        kernels
            .map(|kernel| (kernel.instance, kernel.launches.len()))
            .collect()
    };
    let one = |n: u32| (format!("<?, {n}, true>"), 1);
    assert_eq!(instances(&text(&few.concat())), [one(1), one(2), one(3)]);
    let many: Vec<String> = (1..=9).map(case).collect();
    assert_eq!(
        instances(&text(&many.concat())),
        [("<?, ?, true>".to_owned(), 9)]
    );
}

#[test]
fn overloads_that_differ_in_const_alone_are_one() {
    let program = lowered(
        "struct V { float4 data[4];
             __device__ float& operator[](int i) { return ((float*)(data))[i]; }
             __device__ const float& operator[](int i) const { return ((const float*)(data))[i]; } };
         __global__ void k(float* a) { V v; v[0] = 1; a[0] = v[0]; }",
    );
    let dump = dump(&program.kernels[0]);
    assert!(!dump.contains("has no `operator[]`"), "{dump}");
}

#[test]
fn computed_bounds_deduce_nothing() {
    check(
        "template <int N, int S, typename T> __device__ void fill(T (&s)[N * S], const T* a) { s[0] = a[N]; }
         __global__ void k(float* a) { __shared__ float s[64]; fill<4, 16>(s, a); }",
        &[".2 = load f32 [a.1 +> 16] #0 a"],
    );
}

#[test]
fn directives_reach_kernels() {
    check(
        "// cudalint: launch(block = (32, 8), grid = (4))\n__global__ void k(int* a, int n) {\n// cudalint: assume(n % 32 == 0)\na[n] = 1; }",
        &[
            "directive grid (4, 1, 1) block (32, 8, 1) shared ? arguments ()",
            "assume ((n.1 %:i32 32) ==:i32 0)",
        ],
    );
    check(
        "//--blockDim=64 --gridDim=2\n__global__ void k(int* a) { a[0] = 1; }",
        &["directive grid (2, 1, 1) block (64, 1, 1) shared ? arguments ()"],
    );
    check(
        "//@ launch k grid=(2) block=(8,4) args(a=i32[64], n=7)\n__global__ void k(int* a, int n) { a[n] = 1; }",
        &["directive grid (2, 1, 1) block (8, 4, 1) shared 0 arguments (ptr+0, 7)"],
    );
}

#[test]
fn sites_name_what_was_written() {
    let text = "#define AT(i) a[(i) + 1]\n__device__ float get(const float* p, int i) { return p[i]; }\n\
                __global__ void k(float* a, int n) { AT(n) = get(a, n); }";
    let mut sources = SourceMap::default();
    let path = Path::new("a.cu");
    let main = sources.add(path, text);
    let expanded = preprocess(
        main,
        &mut sources,
        &preprocess::Options::default(),
        &Nothing,
    );
    let unit = parse(&expanded.text);
    let program = lower(
        &[UnitInput {
            unit: &unit,
            expanded: &expanded,
            path,
            set: 0,
        }],
        &sources,
        &Options::default(),
    );
    let seen: Vec<(&str, &str, usize)> = program.kernels[0]
        .sites
        .iter()
        .map(|site| (sources.text(site.span), &*site.array, site.inlined.len()))
        .collect();
    assert_eq!(seen, [("p[i]", "p", 1), ("AT(n)", "a", 0)]);
    assert!(program.kernels[0].sites[1].definition.is_some());
}

#[test]
fn nothing_panics() {
    for text in [
        "__global__ void k() { return; }",
        "__global__ void k(int a[]) { a[a[a[0]]] = a ? : 1; }",
        "__global__ void k(undeclared<int> x) { x[3] = x(4).y->z; }",
        "struct S; __global__ void k(S* s) { s->x = *s; S t = s[1]; }",
        "template <class... T> __global__ void k(T... t) { f((t + ... + 0)); }",
        "__global__ void k(int n) { switch (n) { } for (;;) { } do { break; } while (n); }",
        "__global__ void k(int n) { int x[n]; int y[0] = {}; x[0] = y[9]; auto [p, q] = n; goto nowhere; }",
        "__global__ void k(int n) { asm(\"ld.global.f32 %9, [%7];\" : \"=f\"(n)); asm(\"\" ::); asm(\"{\"); }",
        "__global__ void k(int n) { int s = n << 99 >> -1; s = n / 0 % 0; s = sizeof(nothing); }",
    ] {
        for kernel in lowered(text).kernels {
            let _ = dump(&kernel);
        }
    }
}

/// What the atomics of `__global__ void k(float* a, float4* v, int n)` become on shared memory.
#[track_caller]
fn check_atomics(statements: &str, expected: &[&str]) {
    let text = format!(
        "__global__ void k(float* a, float4* v, int n) {{\n__shared__ int s[64]; int t = threadIdx.x; {statements}\n}}"
    );
    let program = lowered(&text);
    let kernel = program.kernels.first().expect("a kernel");
    let dump = dump(kernel);
    let found: Vec<&str> = dump
        .lines()
        .filter(|line| line.contains("atomic "))
        .map(|line| {
            let mut words = ["increment", "combined"].into_iter();
            words
                .find(|word| line.ends_with(word))
                .unwrap_or("each lane")
        })
        .collect();
    assert_eq!(found, expected, "{dump}");
}

#[test]
fn what_becomes_of_an_atomic() {
    check_atomics("atomicAdd(&s[t], 1);", &["increment"]);
    check_atomics("int one = 1; atomicAdd(&s[t], one);", &["increment"]);
    check_atomics("int old = atomicAdd(&s[t], 1);", &["increment"]);
    check_atomics("a[t] = atomicAdd(&s[t], 1);", &["each lane"]);
    check_atomics(
        "int old = atomicAdd(&s[t], 1); if (old == 3) a[0] = 1;",
        &["each lane"],
    );
    check_atomics("atomicAdd(&s[t], 2);", &["each lane"]);
    check_atomics("atomicSub(&s[t], 1);", &["each lane"]);
}

#[test]
fn atomics_on_one_address_are_combined() {
    check_atomics("atomicAdd(&s[0], t);", &["combined"]);
    check_atomics("atomicMax(&s[n], t);", &["combined"]);
    check_atomics("atomicOr(&s[blockIdx.x], t);", &["combined"]);
    check_atomics("if (t > 3) atomicAdd(&s[0], t);", &["combined"]);
    check_atomics(
        "for (int i = 0; i < n; i++) atomicAdd(&s[i], t);",
        &["combined"],
    );
    check_atomics("a[t] = atomicAdd(&s[0], n);", &["combined"]);
    // The compiler sees no more than that the block may differ in these.
    check_atomics("atomicAdd(&s[t / 32], t);", &["each lane"]);
    check_atomics("atomicAdd(&s[threadIdx.y], t);", &["each lane"]);
    check_atomics("a[t] = atomicAdd(&s[0], t);", &["each lane"]);
    check_atomics("atomicExch(&s[0], t);", &["each lane"]);
    check_atomics(
        "int i = 0; if (t > 3) i = 1; atomicAdd(&s[i], t);",
        &["each lane"],
    );
    check_atomics(
        "int i = 0; while (i < t) i++; atomicAdd(&s[i], t);",
        &["each lane"],
    );
    check_atomics(
        "int i = 0; while (i < n) { if (a[t] > i) break; i++; } atomicAdd(&s[i], t);",
        &["each lane"],
    );
    check_atomics(
        "int own[2]; own[0] = t; own[1] = n; atomicAdd(&s[own[n]], t);",
        &["each lane"],
    );
}

#[test]
fn instances_over_the_limit_are_counted() {
    let most = Options::default().max_instances;
    let launches: String = (0..most + 6)
        .map(|n| format!("k<{n}><<<1, 32>>>(a);\n"))
        .collect();
    let program = lowered(&format!(
        "template <int N> __global__ void k(float *a) {{ a[threadIdx.x * N] = 0; }}\nvoid run(float *a) {{\n{launches}}}"
    ));
    assert_eq!(program.kernels.len(), most);
    let reasons: Vec<&str> = program
        .not_analysed
        .iter()
        .map(|one| one.reason.as_str())
        .collect();
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    assert!(reasons[0].starts_with("6 more instances"), "{reasons:?}");
}
