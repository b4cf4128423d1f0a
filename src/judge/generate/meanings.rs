//! Names with more than one meaning: enumerations of functions, what using-declarations and -directives bring in, members
//! of bases, and virtual functions.

use super::kernel::Kernel;

pub fn local_enumerations(k: &mut Kernel) {
    let [e, one, two] = ["Local", "one", "two"].map(|stem| k.name(stem));
    let (c, d) = (k.small(), k.constant());
    match k.random.below(6) {
        0 => {
            // A scoped one leaves a variable of the name alone.
            let ty = k.pick(&["", " : short", " : unsigned char"]);
            k.line(&format!("int {one} = t * {c};"));
            k.line(&format!("enum class {e}{ty} {{ {two}, {one} = {d} }};"));
            k.touch(&one);
        }
        1 => {
            let value = k.pick(&["0x80000000", "1ull << 33", "-1", "0xffffffff", "1 << 20"]);
            let by = k.random.number(&[16, 28, 29, 30]);
            k.line(&format!("enum {{ {one} = {value} }};"));
            k.touch(&format!("t * (int)({one} >> {by}) & 1023"));
            k.touch(&format!("t * (int)sizeof({one})"));
            k.touch(&format!("(t - 40 < {one} ? t : t * 2)"));
        }
        2 => {
            let s = k.global_name("Width");
            k.head += &format!(
                "struct {s} {{\n  int v;\n  __host__ __device__ constexpr operator int() const {{ return v; }}\n}};\n"
            );
            k.line(&format!("constexpr {s} {e}{{{d}}};"));
            k.line(&format!("enum {{ {one} = {c}, {two} = {e} }};"));
            k.touch(&format!("t * {two} + {one}"));
        }
        3 => {
            let f = k.global_name("kind");
            k.head += &format!(
                "template <class T> struct T{f} {{ static constexpr int v = {c}; }};\ntemplate <> struct T{f}<int> {{ static constexpr int v = {d}; }};\ntemplate <class T> __device__ int {f}(T) {{ return {c}; }}\n__device__ inline int {f}(int) {{ return {d}; }}\n"
            );
            let ty = k.pick(&["", " : int", " : unsigned", " : long"]);
            k.line(&format!("enum {e}{ty} {{ {one} = {c} }};"));
            k.touch(&format!("t * T{f}<{e}>::v"));
            k.touch(&format!("t * {f}({one})"));
            k.touch(&format!("t * {f}(+{one})"));
        }
        4 => {
            k.line(&format!("enum {e} {{ {one} = {c}, {two} }};"));
            k.line(&format!("{e} {e}_v = n > {d} ? {one} : {two};"));
            k.touch(&format!("t * {e}_v"));
        }
        _ => {
            k.line(&format!(
                "enum {{ {one} = \"abc\"[{}] - 'a' + {c}, {two} }};",
                d % 3
            ));
            k.touch(&format!("t * {two}"));
        }
    }
}

pub fn brought_in(k: &mut Kernel) {
    let [a, b, o, f] = ["In", "On", "Un", "fn"].map(|stem| k.global_name(stem));
    let [c, d, e] = [k.small(), k.small() + 1, k.small() + 2];
    let at_file = k.random.one_in(3);
    k.head += &format!(
        "namespace {a} {{\nstruct W{f} {{ int x; }};\nconstexpr int w{f} = {c};\n__device__ inline int {f}(int) {{ return {c}; }}\n__device__ inline int {f}(W{f}) {{ return {e}; }}\n}}\nnamespace {b} {{\nconstexpr int w{f} = {d};\n__device__ inline int {f}(long) {{ return {d}; }}\n__device__ inline int own{f}(int i) {{ using namespace {a}; return i * (int)sizeof(W{f}); }}\nstruct W{f} {{ int x[2]; }};\n__device__ inline int all{f}(int i) {{ using namespace {a}; return i * w{f} + (int)sizeof(W{f}); }}\n}}\nnamespace {o} {{ __device__ inline int {f}(float) {{ return {e}; }} }}\n"
    );
    if at_file {
        k.head +=
            &format!("using namespace {b};\n__device__ inline int {f}(int) {{ return {e}; }}\n");
        let given = k.pick(&["1", "1l", "(short)1"]);
        k.touch(&format!("t * {f}({given})"));
    }
    k.touch(&format!("{b}::all{f}(t)"));
    k.touch(&format!("{b}::own{f}(t)"));
    k.open("");
    match k.random.below(4) {
        0 => {
            k.line(&format!("using {a}::{f};"));
            k.line(&format!("using {b}::{f};"));
            let given = k.pick(&["1", "1l"]);
            k.touch(&format!("t * {f}({given})"));
        }
        1 => {
            k.line(&format!("using {b}::{f};"));
            k.line(&format!("using {o}::{f};"));
            let given = k.pick(&["1l", "1.f"]);
            k.touch(&format!("t * {f}({given})"));
        }
        2 if !at_file => {
            k.line(&format!("using namespace {a};"));
            k.line(&format!("using namespace {b};"));
            k.line(&format!("using namespace {o};"));
            let given = k.pick(&["1", "1l", "1.f", "(short)1"]);
            k.touch(&format!("t * {f}({given})"));
        }
        _ => {
            k.line(&format!("using {o}::{f};"));
            k.touch(&format!("t * {f}({a}::W{f}())"));
            k.touch(&format!("t * {f}(2.f)"));
        }
    }
    k.close();
}

pub fn of_bases(k: &mut Kernel) {
    let [s, f] = ["Base", "mem"].map(|stem| k.global_name(stem));
    let [c, d, e] = [k.small(), k.small() + 1, k.small() + 2];
    let member = match k.random.below(3) {
        0 => format!("static constexpr int {f} = {d};"),
        1 => format!("enum {{ {f} = {d} }};"),
        _ => format!("static constexpr int {f}[2] = {{{d}, {e}}};"),
    };
    let element = if member.contains('[') { "[n & 1]" } else { "" };
    k.head += &format!(
        "constexpr int {f}{} = {c};\nstruct {s} {{ {member} }};\ntemplate <class B> struct {s}_of : B {{\n  __device__ int by(int i) {{ return i * this->{f}{}; }}\n}};\n",
        if element.is_empty() { "" } else { "_" },
        element.replace("n & 1", "i & 1")
    );
    let x = k.name("o");
    if k.random.one_in(2) {
        // A base of arguments, named behind the object.
        k.head += &format!(
            "template <class X, int N> struct {s}_p {{\n  static constexpr int z = N;\n  int m = N + 1;\n  __device__ int f() const {{ return N + 2; }}\n}};\nstruct {s}_q : {s}_p<int, {c}>, {s}_p<{s}, {d}> {{\n  static constexpr int z = {e};\n  int m = {e};\n  __device__ int f() const {{ return {e}; }}\n}};\ntemplate <int N> struct {s}_n {{\n  static constexpr int z = N;\n  __device__ int f() const {{ return N + 1; }}\n}};\nstruct {s}_m : {s}_n<{d}> {{\n  static constexpr int z = {c};\n  __device__ int f() const {{ return {c}; }}\n}};\n"
        );
        let (q, p) = (k.name("q"), k.name("p"));
        k.line(&format!("{s}_q {q};"));
        k.line(&format!("{s}_m {q}_m;"));
        k.line(&format!("const {s}_m *{p} = &{q}_m;"));
        let member = k.pick(&["z", "m", "f()"]);
        let of = k.pick(&["z", "f()"]);
        k.touch(&format!("t * {q}.{s}_p<int, {c}>::{member}"));
        k.touch(&format!("t * {q}.{s}_p<{s}, {d}>::{member}"));
        k.touch(&format!("t * {q}.{member}"));
        k.touch(&format!("t * {p}->{s}_n<{d}>::{of}"));
        k.touch(&format!("t * ({q}_m.{s}_n<{d}>::{of} + 1)"));
    }
    k.line(&format!("{s}_of<{s}> {x};"));
    k.touch(&format!("{x}.by(t)"));
    k.touch(&format!("t * {x}.{f}{element}"));
}

pub fn virtual_functions(k: &mut Kernel) {
    let (s, x) = (k.global_name("Virt"), k.name("o"));
    let [c, d, e] = [k.small(), k.small() + 1, k.small() + 2];
    let hidden = k.pick(&[
        "int w(int i) { return i; }",
        "int w(long) override { return 7; }",
    ]);
    k.head += &format!(
        "struct {s} {{\n  __device__ virtual int v(int i = {c}) {{ return i; }}\n  __device__ virtual int w(long) {{ return {c}; }}\n  __device__ int nv() {{ return v(); }}\n  __device__ virtual int operator()(int i) {{ return i * {c}; }}\n  __device__ virtual int operator[](int i) {{ return i + {c}; }}\n  __device__ virtual operator int() {{ return {c}; }}\n}};\nstruct {s}_d : {s} {{\n  __device__ int v(int i = {d}) override {{ return i * 2; }}\n  __device__ {hidden}\n  __device__ int operator()(int i) override {{ return i * {d}; }}\n  __device__ int operator[](int i) override {{ return i + {e}; }}\n  __device__ operator int() override {{ return {d}; }}\n}};\n"
    );
    k.line(&format!("{s}_d {x};"));
    let r = k.name("r");
    k.line(&format!("{s} &{r} = {x};"));
    let count = 2 + k.random.below(3);
    for _ in 0..count {
        let o = if k.random.one_in(3) { &x } else { &r };
        let text = match k.random.below(8) {
            0 => format!("t * {o}.v()"),
            1 => format!("{o}.v(t)"),
            2 => format!("t * {o}.w(3)"),
            3 => format!("t * {o}.nv()"),
            4 => format!("{o}(t)"),
            5 => format!("{o}[t]"),
            6 => format!("t * (int){o}"),
            _ => format!("t * {o}.{s}::v()"),
        };
        k.touch(&text);
    }
}

pub fn found_by_arguments(k: &mut Kernel) {
    let [a, h, f, w] = ["Own", "Far", "found", "Wide"].map(|stem| k.global_name(stem));
    let [c, d, e] = [k.small(), k.small() + 1, k.small() + 2];
    let word = k.pick(&["enum", "enum class"]);
    k.head += &format!(
        "namespace {h} {{ template <class T> __device__ int {f}(T) {{ return {e}; }} }}\nnamespace {a} {{\nusing namespace {h};\n{word} E{f} {{ one{f} = {d} }};\nstruct {w} {{ int x; }};\n__device__ inline int of{f}(E{f}) {{ return {d}; }}\n__device__ inline int of{f}({w}) {{ return {e}; }}\n__device__ inline int at{f}({w}) {{ return {d}; }}\n__device__ inline int in{f}({w}) {{ return {d}; }}\n}}\nstruct From{f} {{ __device__ From{f}({a}::{w}) {{}} }};\n__device__ inline int {f}(From{f}) {{ return {c}; }}\n__device__ inline int of{f}(int) {{ return {c}; }}\n__device__ inline int operator*({a}::{w}, int) {{ return {c}; }}\nnamespace in{f} {{\n__device__ inline int operator*({a}::{w}, long) {{ return {e}; }}\n__device__ inline int go({a}::{w} o) {{ return o * 1; }}\n}}\ntemplate <class T> struct Hold{f} {{\n  __device__ int at{f}(T) {{ return {c}; }}\n  __device__ int in{f}(T) {{ return {c}; }}\n}};\ntemplate <class T> struct User{f} : Hold{f}<T> {{\n  __device__ int go(T o) {{ return at{f}(o); }}\n  __device__ int by(T o) {{ return this->in{f}(o); }}\n}};\n"
    );
    let o = k.name("o");
    k.line(&format!("{a}::{w} {o}{{{c}}};"));
    let indices = [
        format!("t * of{f}({a}::E{f}::one{f})"),
        format!("t * of{f}({o})"),
        format!("t * {f}({o})"),
        format!("t * ({o} * 1)"),
        format!("t * in{f}::go({o})"),
        format!("t * User{f}<{a}::{w}>().go({o})"),
        format!("t * User{f}<{a}::{w}>().by({o})"),
    ];
    k.touch_some(2, 2, &indices);
}

pub fn own_class(k: &mut Kernel) {
    let [s, f] = ["Slice", "cut"].map(|stem| k.global_name(stem));
    let [c, d, e] = [k.small(), k.small() + 1, k.small() + 2];
    k.head += &format!(
        "struct {s} {{\n  __device__ virtual int f(int i = 1) {{ return i * {c}; }}\n  __device__ virtual int operator()(int i) {{ return i + {c}; }}\n}};\nstruct {s}_m : {s} {{\n  __device__ int f(long) {{ return {e}; }}\n  __device__ int operator()(int i) override {{ return {s}::operator()(i) + {d}; }}\n}};\nstruct {s}_d : {s}_m {{\n  __device__ int f(long) {{ return {d}; }}\n  __device__ int f(int i) override {{ return i * {e}; }}\n}};\n__device__ inline {s} {f}({s} &x) {{ return x; }}\n"
    );
    let (o, r) = (k.name("o"), k.name("r"));
    k.line(&format!("{s}_d {o};"));
    k.line(&format!("{s}_m &{r} = {o};"));
    let indices = [
        format!("{f}({o}).f(t)"),
        format!("t * {r}.f(1l)"),
        format!("{r}(t)"),
        format!("{r}.{s}::f(t)"),
        format!("(({s} &){r}).f(t)"),
        format!("static_cast<{s}>({r}).f(t)"),
        format!("(({s}){o}).f(t)"),
    ];
    k.touch_some(2, 2, &indices);
}
