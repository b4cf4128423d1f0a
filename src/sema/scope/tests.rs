//! Layouts, resolution and deduction, each as a table.

use super::*;
use crate::sema::types::Type;
use crate::syntax::parse::parse;
use std::fmt::Write;

/// The type of the last global variable of `source`: its name, size, alignment and machine leaves.
fn shape(source: &str) -> String {
    let unit = parse(source);
    let names = Names::new(&unit);
    let variable = unit.items.iter().rev().find_map(|i| match i {
        ast::Item::Variables(vs) => vs.last(),
        _ => None,
    });
    let Some(variable) = variable else {
        return "no variable".to_string();
    };
    let ty = variable_type(&names, &Env::new(0), variable);
    let mut out = match (ty.size(), ty.align()) {
        (Some(size), Some(align)) => format!("{ty} {size}/{align}"),
        _ => match &ty {
            Type::Unknown(reason) => format!("unknown: {reason}"),
            Type::Record(r) => format!("{ty}: {}", r.problem.as_deref().unwrap_or_default()),
            _ => format!("{ty}"),
        },
    };
    if let Type::Record(r) = &ty {
        for f in &r.fields {
            let _ = write!(out, " {}@{}", f.name, f.offset);
            if let Some((first, width)) = f.bits {
                let _ = write!(out, ":{first}+{width}");
            }
        }
    }
    out
}

#[test]
#[expect(clippy::too_many_lines, reason = "one list of cases")]
fn types_have_the_layout_of_nvcc() {
    let check = |source: &str, expected: &str| assert_eq!(shape(source), expected, "{source}");
    check("unsigned long x;", "unsigned long 8/8");
    check("float3 x;", "float3 12/4");
    check("float4 x;", "float4 16/16");
    check("double3 x;", "double3 24/8");
    check("double4 x;", "double4 32/16");
    check("uchar4 x;", "uchar4 4/4");
    check("half2 x;", "__half2 4/4");
    check("longlong2 x[3];", "longlong2[3] 48/16");
    check("const int N = 4; float x[N][N + 1];", "float[4][5] 80/4");
    check(
        "struct S { char a; double b; char c; }; S x;",
        "S 24/8 a@0 b@8 c@16",
    );
    check(
        "struct __align__(16) S { float a, b, c; }; S x;",
        "S 16/16 a@0 b@4 c@8",
    );
    check("struct S { float3 p; float w; }; S x;", "S 16/4 p@0 w@12");
    check("union U { float4 v; float f[5]; }; U x;", "U 32/16 v@0 f@0");
    check(
        "struct S { int a; struct { char b; short c; } d; int e; }; S x;",
        "S 12/4 a@0 d@4 e@8",
    );
    check(
        "struct S { int a; union { char b; int c; }; static const int n = 3; float v[n]; }; S x;",
        "S 20/4 a@0 @4 v@8",
    );
    check(
        "struct E {}; struct A : E { short a; }; struct B : A { int b; }; B x;",
        "B 8/4 b@4",
    );
    check(
        "struct S { unsigned a : 3; unsigned b : 30; char c; }; S x;",
        "S 12/4 a@0:0+3 b@4:0+30 c@8",
    );
    check(
        "enum class K : unsigned char { A }; struct S { K k; bool b; }; S x;",
        "S 2/1 k@0 b@1",
    );
    check(
        "template <typename T, int N> struct A { T v[N]; }; A<double, 3> x;",
        "A<double, 3> 24/8 v@0",
    );
    check(
        "template <typename T, int N = 2> using P = T[N]; P<short> x;",
        "short[2] 4/2",
    );
    check(
        "template <typename T> struct V { using t = float; }; template <> struct V<double> { using t = double2; }; V<double>::t x;",
        "double2 16/16",
    );
    check(
        "template <typename T, int N> struct V { T a; }; template <typename T> struct V<T*, 2> { char a[7]; }; V<int*, 2> x;",
        "V<int*, 2> 7/1 a@0",
    );
    check(
        "typedef struct { float x, y; } P; typedef P Q; Q x[2];",
        "P[2] 16/4",
    );
    check(
        "std::conditional<(sizeof(int) > 2), float, double>::type x;",
        "float 4/4",
    );
    check("std::array<float4, 2> x;", "float4[2] 32/16");
    check("cuFloatComplex x;", "float2 8/8");
    check("thrust::complex<float> x;", "thrust::complex<float> 8/8");
    check("std::complex<double> x;", "std::complex<double> 16/8");
    check("struct N { N* next; int v; }; N x;", "N 16/8 next@0 v@8");
    check(
        "struct N { N inner; }; N x;",
        "N: the size of its member `inner` is not known: it contains itself",
    );
    check(
        "struct S { thing t; }; S x;",
        "S: the size of its member `t` is not known: `thing` comes from a header that was not found",
    );
    check("decltype(1 + 2.f) x;", "float 4/4");
    check(
        "namespace a { namespace b { struct S { short s; }; } using namespace b; } a::S x;",
        "S 2/2 s@0",
    );
}

#[test]
fn whole_copies_move_vectors_whole() {
    let check = |source: &str, expected: &str| {
        let unit = parse(source);
        let names = Names::new(&unit);
        let Some(ast::Item::Variables(vs)) = unit.items.last() else {
            panic!("no variable in {source}")
        };
        let leaves = variable_type(&names, &Env::new(0), &vs[0]).machine_leaves();
        let text: Vec<String> = leaves.iter().map(|(o, s)| format!("{o}:{s:?}")).collect();
        assert_eq!(text.join(" "), expected, "{source}");
    };
    check("float4 x;", "0:Bytes(16)");
    check("double4 x;", "0:Bytes(16) 16:Bytes(16)");
    check("float3 x;", "0:F32 4:F32 8:F32");
    check("int1 x;", "0:I32");
    check(
        "struct S { float2 a; int b; double* p; }; S x;",
        "0:Bytes(8) 8:I32 16:Pointer",
    );
    check(
        "struct S { union { int i; float f; }; char c[2]; }; S x;",
        "0:I32 4:I8 5:I8",
    );
    check("struct S { int a : 4, b : 4; }; S x;", "0:I32");
}

#[test]
fn deduction_binds_template_parameters() {
    let check = |source: &str, call: &[&str], expected: &str| {
        let unit = parse(source);
        let names = Names::new(&unit);
        let types: Vec<Type> = call
            .iter()
            .map(|t| {
                let unit = parse(&if t.contains('[') {
                    format!("{t};")
                } else {
                    format!("{t} x;")
                });
                let Some(ast::Item::Variables(vs)) = unit.items.last() else {
                    panic!("no type in {t}")
                };
                resolve_type(&names, &Env::new(0), &vs[0].ty)
            })
            .collect();
        let f = names
            .functions_in_order()
            .next()
            .expect("every table row declares f")
            .1;
        let head = f.templates.last().expect("every table row is a template");
        let text =
            match deduce_with_reason(&names, &Env::new(0), &Env::new(0), f, &f.arguments, &types) {
                Ok(env) => display_list(&bindings_of(&names, head, &env, &[])),
                Err(reason) => reason,
            };
        assert_eq!(text, expected, "{source}");
    };
    check(
        "template <typename T> void f(const T* p, int n) {}",
        &["float*", "int"],
        "float",
    );
    check(
        "template <typename T, int N> void f(T (&a)[N]) {}",
        &["double x[5]"],
        "double, 5",
    );
    check(
        "template <typename T, typename U = T> void f(T a) {}",
        &["short"],
        "short, short",
    );
    check(
        "template <int N, typename T> void f(T a) {}",
        &["int"],
        "the template argument `N` is not known",
    );
    check(
        "template <typename T> void f(T a, T b) {}",
        &["int", "float"],
        "the template argument `T` is deduced as `int` and as `float`",
    );
    check(
        "template <typename T> struct S { T t; }; template <typename T> void f(S<T> s) {}",
        &["S<half>"],
        "__half",
    );
    check(
        "template <typename... Ts> void f(Ts... ts) {}",
        &["int", "float*"],
        "int, float*",
    );
    check(
        "template <int N> void f(cg::thread_block_tile<N> g) {}",
        &["cg::thread_block_tile<16>"],
        "16",
    );
}

#[test]
fn classes_of_one_name_are_two() {
    let check = |last: &str, expected: &str| {
        let source = format!(
            "namespace p {{ struct X {{ int v; }}; }} namespace q {{ struct X {{ int v[8]; }}; }}
             template <typename T> struct S {{ T x; }};
             template <typename A, typename B> struct Is {{ static constexpr int v = 2; }};
             template <typename A> struct Is<A, A> {{ static constexpr int v = 1; }};
             {last}"
        );
        assert_eq!(shape(&source), expected, "{last}");
    };
    check("S<p::X> a; S<q::X> b;", "S<X> 32/4 x@0");
    check("S<q::X> a; S<p::X> b;", "S<X> 4/4 x@0");
    check("char c[Is<S<p::X>, S<q::X>>::v];", "char[2] 2/1");
    check("char c[Is<S<p::X>, S<p::X>>::v];", "char[1] 1/1");
}

#[test]
fn answers_are_kept() {
    // Each level asks for the one below it twice: all in all a million questions.
    let mut source =
        String::from("template <typename T> struct S0 { static constexpr int v = 6; };\n");
    for level in 1..=20 {
        let below = level - 1;
        source += &format!(
            "template <typename T> struct S{level} {{
               static constexpr int v = (S{below}<T>::v + S{below}<T>::v) / 2; }};\n"
        );
    }
    source += "char c[S20<int>::v];";
    assert_eq!(shape(&source), "char[6] 6/1");
}

#[test]
fn hostile_templates_end() {
    for source in [
        "template <int N> struct S { S<N + 1> s; }; S<0> x;",
        "template <int N> struct S { S<N - 1> a; S<N - 2> b; char c[sizeof(a)]; }; S<60> x;",
        "using A = B; using B = A; A x;",
        "struct A : B {}; struct B : A {}; A x;",
        "const int a = b; const int b = a; int x[a];",
        "template <typename T> struct S : S<T*> {}; S<int> x;",
        "namespace a = b; namespace b = a; a::T x;",
        "namespace n { using namespace n; using n::T; } n::T x;",
        "template <typename T> using A = typename A<T>::type; A<int> x;",
    ] {
        assert!(!shape(source).is_empty(), "{source}");
    }
}
