//! What declarations bring with them: types of packs' values, operators of enumerations, names that using-declarations
//! give, members that are defined outside of their class, and what assignments leave.

use super::kernel::Kernel;

/// `template <size_t... I>`: the elements have the type that the pack has.
pub fn typed_packs(k: &mut Kernel) {
    let (f, s) = (k.global_name("Each"), k.global_name("List"));
    let ty = k.pick(&[
        "size_t",
        "unsigned",
        "unsigned char",
        "short",
        "bool",
        "int",
    ]);
    let (a, b, c) = (k.small(), k.small(), k.small() + 1);
    let each = match k.random.below(5) {
        0 => format!("(I < n ? {c} : {a})"),
        1 => "(I - 1 > 5 ? 2 : 3)".to_owned(),
        2 => "int(sizeof(I))".to_owned(),
        3 => format!("int((I << {}) >> 1)", k.random.number(&[1, 7, 9])),
        _ => "(-I < 0 ? 4 : 1)".to_owned(),
    };
    let takes = k.pick(&["int n", "long n", "short n"]);
    k.head += &format!(
        "template <{ty}... I> struct {s} {{}};\n\
         template <{ty}... I> __device__ int {f}({s}<I...>, {takes}) {{ return ({each} + ... + 0); }}\n\
         template <class T, T... I> __device__ int {f}Of(int n) {{ return ({each} + ... + 0); }}\n"
    );
    k.touch(&format!(
        "t * ({f}({s}<{}, {}>{{}}, -1) & 31)",
        a & 1,
        b & 1
    ));
    k.touch(&format!("t * ({f}Of<{ty}, {}, {}>(-1) & 31)", a & 1, b & 1));
}

/// An enumeration with operators of its own, in constants and in bodies.
pub fn operated_enumerations(k: &mut Kernel) {
    let (s, v) = (k.global_name("Flags"), k.global_name("Step"));
    let bytes = k.global_name("bytes");
    let kind = k.pick(&[
        "enum class E : unsigned",
        "enum class E",
        "enum E",
        "enum E : short",
    ]);
    let (a, b, c) = (k.small(), k.small(), k.small());
    let inside = k.random.below(3) == 0;
    let (open, close, space) = if inside {
        (
            format!("struct {s} {{\n{kind} {{ A = {a}, B = {b} }};\n"),
            "};\n",
            "friend ",
        )
    } else {
        (
            format!("namespace {s} {{\n{kind} {{ A = {a}, B = {b} }};\n"),
            "}\n",
            "",
        )
    };
    let is_whole = !inside;
    k.head += &format!(
        "{open}\
         {space}__host__ __device__ constexpr E operator|(E x, E y) {{ return E(int(x) | int(y)); }}\n\
         {space}__host__ __device__ constexpr int operator+(E x) {{ return int(x) + {c}; }}\n\
         {space}__host__ __device__ constexpr int operator*(E x, int y) {{ return (int(x) + 1) * y; }}\n\
         {space}__host__ __device__ constexpr bool operator!(E x) {{ return x != E::A; }}\n\
         {space}__host__ __device__ constexpr int {bytes}(E x) {{ return int(x) + 2; }}\n\
         {close}\
         __host__ __device__ constexpr int {bytes}(...) {{ return 7; }}\n\
         template <int N> struct {v} {{ static constexpr int v = N; }};\n"
    );
    let e = format!("{s}::E");
    let operand = match k.random.below(3) {
        0 => format!("{e}::A"),
        1 => format!("({e}::A | {e}::B)"),
        _ => format!("{e}({a})"),
    };
    let value = match k.random.below(4) {
        0 => format!("+{operand}"),
        1 => format!("({operand} * 2)"),
        2 => format!("(!{operand} ? 2 : 5)"),
        _ => format!("{bytes}({operand})"),
    };
    if is_whole && k.random.below(2) == 0 {
        k.touch(&format!("t * {v}<({value}) & 15>::v"));
    } else {
        k.touch(&format!("t * (({value}) & 15)"));
    }
}

/// `using Base::T;` in a class, `using ns::f;` in a function that is worked out.
pub fn used_declarations(k: &mut Kernel) {
    let (s, f, v) = (
        k.global_name("Parts"),
        k.global_name("worked"),
        k.global_name("Step"),
    );
    let rate = k.global_name("rate");
    let (a, b, c) = (k.small(), k.small(), k.small());
    let (t0, t1) = (k.integer_type(), k.pick(&["char", "double", "short"]));
    let what = k.pick(&["using P0::T;", "using typename P0::T;"]);
    let template = k.random.below(2) == 0;
    let class = if template {
        "template <class A, class B> struct P2 : A, B { using typename B::T; using B::n; };\ntypedef P2<P1, P0> Q;\n".to_owned()
    } else {
        format!("struct P2 : P1 {{ {what} using P0::n; }};\ntypedef P2 Q;\n")
    };
    let base = if template { "" } else { " : P0" };
    k.head += &format!(
        "namespace {s} {{\n\
         struct P0 {{ using T = {t1}; static constexpr int n = {a}; }};\n\
         struct P1{base} {{ using T = {t0}; static constexpr int n = {b}; }};\n\
         {class}\
         __host__ __device__ constexpr int {rate}(int x) {{ return x + {c}; }}\n}}\n\
         __host__ __device__ constexpr int {rate}(long x) {{ return 7; }}\n\
         template <int N> struct {v} {{ static constexpr int v = N; }};\n\
         __host__ __device__ constexpr int {f}(int x) {{ using {s}::{rate}; {{ int y = {rate}(x); return y & 15; }} }}\n"
    );
    k.touch(&format!("t * sizeof({s}::Q::T) + {s}::Q::n"));
    k.touch(&format!("t * {v}<{f}({b})>::v"));
    k.touch(&format!("t * {f}({c})"));
}

/// Members of partial specialisations, defined outside of them with names of their own for the parameters.
pub fn specialised_outside(k: &mut Kernel) {
    let s = k.global_name("Tile");
    let (a, b, c) = (k.small(), k.small(), k.constant());
    let (pattern, head, outside_head, outside, given, uses) = match k.random.below(4) {
        0 => (
            "T *, N",
            "class T, int N",
            "class U, int M",
            "U *, M",
            format!("short *, {a}"),
            "M + sizeof(U)",
        ),
        1 => (
            "float, N",
            "int N",
            "int R",
            "float, R",
            format!("float, {a}"),
            "R * 2",
        ),
        2 => (
            "const T, N",
            "class T, int N",
            "class Q, int W",
            "const Q, W",
            format!("const char, {a}"),
            "W + sizeof(Q)",
        ),
        _ => (
            "T, 2",
            "class T",
            "class X",
            "X, 2",
            "double, 2".to_owned(),
            "sizeof(X) + 1",
        ),
    };
    k.head += &format!(
        "template <class T, int N> struct {s} {{ __device__ int f(int x) const; static __device__ int g(); }};\n\
         template <class A, int B> __device__ int {s}<A, B>::f(int x) const {{ return x * B + {b}; }}\n\
         template <class A, int B> __device__ int {s}<A, B>::g() {{ return B; }}\n\
         template <{head}> struct {s}<{pattern}> {{ __device__ int f(int x) const; static __device__ int g(); }};\n\
         template <{outside_head}> __device__ int {s}<{outside}>::f(int x) const {{ return x * int({uses}) + {c}; }}\n\
         template <{outside_head}> __device__ int {s}<{outside}>::g() {{ return int({uses}) & 7; }}\n"
    );
    k.touch(&format!("{s}<{given}>().f(t & 63)"));
    k.touch(&format!("t * {s}<{given}>::g()"));
    k.touch(&format!("{s}<int, {b}>().f(t & 63)"));
}

/// Template arguments that look like the types of functions and arrays.
pub fn argument_expressions(k: &mut Kernel) {
    let (f, s) = (k.global_name("step"), k.global_name("Sizes"));
    let (a, b, c) = (k.small(), k.small(), k.small());
    k.head += &format!(
        "namespace {s} {{\nconstexpr int F = {a};\nconstexpr int arr[3] = {{{b}, {c}, {a}}};\nenum class G {{ One = {c} }};\n\
         __host__ __device__ constexpr int fn(int x) {{ return x + {b}; }}\n}}\n\
         template <int N> __device__ int {f}() {{ return N; }}\n\
         template <class T> __device__ int {f}() {{ return 13; }}\n"
    );
    let argument = match k.random.below(7) {
        0 => format!("static_cast<int>({s}::F)"),
        1 => format!("int({s}::F)"),
        2 => format!("{s}::arr[1]"),
        3 => format!("{s}::fn({s}::F)"),
        4 => format!("static_cast<int>({s}::G::One)"),
        5 => format!("(int){s}::F"),
        _ => format!("unsigned({s}::F)"),
    };
    k.touch(&format!("t * {f}<{argument}>()"));
    k.touch(&format!("t * {f}<int[{b}]>()"));
}

/// An assignment's value is what its place then holds.
pub fn assigned_values(k: &mut Kernel) {
    let f = k.global_name("left");
    let ty = k.pick(&["unsigned char", "bool", "short", "char", "unsigned", "int"]);
    let value = k.random.number(&[257, 5, 65538, 300, -1, 2]);
    let (c, op) = (k.small(), k.pick(&["=", "+=", "-=", "|="]));
    k.head += &format!(
        "__host__ __device__ constexpr int {f}(int n) {{ {ty} c = {c}; int x = (c {op} {value}) + 0; int y = (c = n); return (x & 7) + (y & 7) * 8; }}\n"
    );
    k.touch(&format!("t * {f}({value})"));
    let x = k.name("kept");
    k.line(&format!("{ty} {x} = {c};"));
    k.touch(&format!("t + (({x} {op} {value}) & 31)"));
}

/// `for (…) if (i < n) { …; i += step; }`: where the condition fails, it fails for good.
pub fn stopped_for_good(k: &mut Kernel) {
    let (x, i) = (k.name("at"), k.name("turn"));
    let (c, turns) = (k.small() + 1, k.random.number(&[2, 3, 4, 6]));
    let by = k.pick(&["32", "blockDim.x", "7", "1", "n & 15"]);
    k.line(&format!("int {x} = t;"));
    k.open(&format!("for (int {i} = 0; {i} < {turns}; {i}++)"));
    let condition = match k.random.below(4) {
        0 => format!("{x} < n"),
        1 => format!("{x} < {}", 40 + c * 8),
        2 => format!("{x} != {c} && {x} < n"),
        _ => format!("({x} & {c}) < 3"),
    };
    k.open(&format!("if ({condition})"));
    k.touch(&format!("{x} * {c}"));
    if k.random.below(3) == 0 {
        k.touch(&format!("{x} + {i}"));
    }
    k.line(&format!("{x} += {by};"));
    k.close();
    k.close();
    if k.random.below(2) == 0 {
        k.touch(&format!("{x} + {c}"));
    }
}

/// Classes with a class template as an argument are one type by whatever name.
pub fn template_arguments(k: &mut Kernel) {
    let s = k.global_name("Views");
    let f = k.global_name("taken");
    let c = k.small();
    k.head += &format!(
        "namespace {s} {{\ntemplate <class T> struct Near {{}};\ntemplate <class T> struct Far {{}};\n\
         template <class T, template <class> class P> struct View {{ T *p; }};\n\
         template <class T> using Close = View<T, Near>;\ntypedef View<int, Near> Plain;\n\
         template <class A, class B> struct Same {{ static constexpr int v = 3; }};\n\
         template <class A> struct Same<A, A> {{ static constexpr int v = {c}; }};\n}}\n\
         template <class T> __device__ int {f}({s}::View<T, {s}::Near>) {{ return {c}; }}\n\
         __device__ int {f}(...) {{ return 11; }}\n"
    );
    let one = k.pick(&["Plain", "Close<int>", "View<int, Near>", "View<int, Far>"]);
    let one = one
        .replace("Near", &format!("{s}::Near"))
        .replace("Far", &format!("{s}::Far"));
    let v = k.name("view");
    k.line(&format!("{s}::{one} {v}{{}};"));
    k.touch(&format!("t * {f}({v})"));
    k.touch(&format!("t * {s}::Same<{s}::{one}, {s}::Plain>::v"));
}

/// Declarators in parentheses: pointers and references to rows, more variables behind them, in blocks and in heads.
pub fn declarators_in_parentheses(k: &mut Kernel) {
    let s = k.global_name("Types");
    let (rows, row, x) = (k.name("rows"), k.name("row"), k.name("x"));
    let (a, b) = (k.small() + 1, k.small() + 2);
    k.head += &format!(
        "namespace {s} {{ typedef int I; template <class T> struct W {{ using Y = T; }}; }}\n"
    );
    let ty = k.pick(&["int", "unsigned", "@::I", "@::W<int>::Y", "const int"]);
    let ty = ty.replace('@', &s);
    let of = if ty == "unsigned" { "unsigned" } else { "int" };
    k.line(&format!(
        "{of} {rows}[3][4] = {{{{{a}, 2, 3, 1}}, {{1, {b}, 2, 3}}, {{2, 1, {a}, {b}}}}}; int {x} = {b};"
    ));
    let at = k.random.below(4);
    match k.random.below(5) {
        0 => {
            k.open("");
            k.line(&format!("{ty} (*{row})[4] = {rows}, {x} = {a};"));
        }
        1 => k.open(&format!(
            "for ({ty} (*{row})[4] = {rows}, {x} = {a}; {row} < {rows} + 2; {row}++)"
        )),
        2 => {
            k.open("");
            k.line(&format!(
                "{ty} (&{row}0)[3][4] = {rows}, (&{row})[4] = {rows}[1];"
            ));
            k.touch(&format!("t * {row}[{at}]"));
            k.line(&format!("{ty} (*const {x}) = {row};"));
            k.touch(&format!("t * *{x}"));
            k.close();
            k.open("");
            k.line(&format!(
                "{ty} (*{row})[4] = {rows} + 1, (*{row}1)[4] = {rows};"
            ));
            k.touch(&format!("t * {row}1[2][{at}]"));
        }
        3 => {
            k.open("");
            k.line(&format!(
                "{of} ({x}) = {a}; {ty} (*{row})[4] = &{rows}[{x} & 1];"
            ));
        }
        _ => {
            k.open(&format!(
                "if ({ty} (*{row})[4] = {rows}, {x} = {a}; {x} > 0)"
            ));
        }
    }
    k.touch(&format!("t * {row}[0][{at}]"));
    k.close();
    k.touch(&format!("t * {x}"));
}

/// Sizes of types with a number and its sign behind them, and pointers to functions of named types.
pub fn sizes_with_signs(k: &mut Kernel) {
    let (f, g, t, e) = (
        k.global_name("more"),
        k.global_name("apply"),
        k.global_name("Number"),
        k.global_name("MASK"),
    );
    let (a, b) = (k.small() + 1, k.small() + 2);
    let ty = k.pick(&["int", "float", "unsigned char", "short", "int *", "double"]);
    let sign = k.pick(&["-1", "+2", " -1", "*2-3", "*3+1", "/2-1", "-1+1"]);
    let op = k.name("op");
    k.head += &format!(
        "typedef int {t};\nenum {{ {e} = sizeof({ty}){sign} }};\n\
         __device__ int {f}(int x) {{ return x + {a}; }}\n\
         template <class T> __device__ T {g}(T x) {{ T (*op)(T) = {f}, n = {b}; return op(x) + n; }}\n"
    );
    k.touch(&format!("t * (sizeof({ty}){sign})"));
    k.touch(&format!("t * {e}"));
    k.touch(&format!("t * {g}({a})"));
    k.open("");
    let more = k.pick(&["", ", n = 7"]);
    k.line(&format!("{t} (*{op})({t}) = {f}{more};"));
    k.touch(&format!("t * {op}({b})"));
    k.close();
    k.touch(&format!("t * ((7 + sizeof({ty})-1) / sizeof({ty}))"));
}
