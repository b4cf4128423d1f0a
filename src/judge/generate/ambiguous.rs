//! Texts that the grammar reads in two ways: casts and products, lists of templates and comparisons.

use super::kernel::Kernel;

/// `n > (int)(x) && t > 3`: what stands in the parentheses is a variable.
pub fn casts_compared(k: &mut Kernel) {
    let x = k.name("lane");
    let (c, d) = (k.small(), k.constant());
    k.line(&format!("int {x} = t & {};", mask(c)));
    let ty = k.pick(&[
        "int",
        "unsigned",
        "float",
        "short",
        "unsigned char",
        "size_t",
    ]);
    let left = match k.random.below(6) {
        0 => format!("{d}"),
        1 => format!("t - {c}"),
        2 => "(t)".to_owned(),
        3 => "sizeof(double)".to_owned(),
        4 => format!("(n & 15) * {c}"),
        _ => "blockDim.x".to_owned(),
    };
    let cast = match k.random.below(4) {
        0 => format!("({ty})({x})"),
        1 => format!("(int)({ty})({x})"),
        2 => format!("({ty}){x}"),
        _ => format!("(const {ty})({x})"),
    };
    let joined = k.pick(&["&&", "&", "||", "and", "or"]);
    let compared = k.pick(&[">", ">", "<", ">="]);
    let rest = format!("t {} {c}", k.pick(&[">", "!=", "<"]));
    match k.random.below(4) {
        0 => {
            let f = k.global_name("Compared");
            k.head += &format!(
                "__device__ bool {f}(int t, int n, int {x}) {{ return {cast} {} t > {c}; }}\n",
                joining(joined, &cast)
            );
            k.open(&format!("if ({f}(t, n, {x}))"));
        }
        1 => {
            let i = k.name("turn");
            k.open(&format!(
                "for (int {i} = {x}; 6 > (int)({i}) && {i} != 3; {i}++)"
            ));
        }
        _ => k.open(&format!("if ({left} {compared} {cast} {joined} {rest})")),
    }
    k.touch(&format!("t * {c}"));
    k.close();
    k.touch(&format!("({left} {compared} {cast} ? t : t * 2)"));
}

/// A mask of a few bits.
fn mask(bits: i64) -> i64 {
    (1 << (bits & 3).max(1)) * 2 - 1
}

/// An operator between a cast and a comparison: bits are of whole numbers.
fn joining(joined: &str, cast: &str) -> &'static str {
    let is_whole = !cast.starts_with("(float)") && !cast.starts_with("(const float)");
    if joined == "&" && is_whole { "&" } else { "&&" }
}

/// `t < int(n) >> 1`: the `>` of a shift closes nothing.
pub fn shifts_compared(k: &mut Kernel) {
    let x = k.name("lane");
    let space = k.global_name("Limits");
    let (c, d) = (k.small(), k.constant());
    k.head += &format!(
        "namespace {space} {{\nconstexpr int z = {c};\nstruct K {{\n  static constexpr int k = {d};\n}};\ntypedef int J;\n}}\n"
    );
    k.line(&format!("int {x} = t & 31;"));
    let left = match k.random.below(5) {
        0 => "t".to_owned(),
        1 => format!("{space}::z"),
        2 => format!("{space}::K::k"),
        _ => x.clone(),
    };
    let value = match k.random.below(6) {
        0 => format!("int({x})"),
        1 => "int(blockDim.x)".to_owned(),
        2 => format!("static_cast<int>({x})"),
        3 => format!("{space}::J({x})"),
        4 => "unsigned(t)".to_owned(),
        _ => x.clone(),
    };
    let by = k.random.number(&[1, 1, 2, 3]);
    match k.random.below(3) {
        0 => {
            k.open(&format!("if ({left} < {value} >> {by})"));
            k.touch(&format!("t * {c}"));
            k.close();
        }
        1 => {
            let i = k.name("turn");
            k.open(&format!(
                "for (int {i} = 0; {i} < int({x}) >> {by}; {i} += 2)"
            ));
            k.touch(&format!("t + {i}"));
            k.close();
        }
        _ => k.touch(&format!("({left} < {value} >> {by} ? t : t * {c})")),
    }
}

/// Templates whose lists hold values only, where a comparison could stand.
pub fn lists_of_values(k: &mut Kernel) {
    let s = k.global_name("Space");
    let o = k.name("object");
    let (c, d) = (k.small(), k.small());
    let result = k.pick(&[
        "int",
        "decltype(auto)",
        "typename If<(I > 0)>::type",
        "typename If<(sizeof(int) > 2)>::type",
        "decltype(I + 1)",
    ]);
    k.head += &format!(
        "namespace {s} {{\nstruct Tr {{\n  static constexpr int n = {c};\n  static constexpr bool b = true;\n}};\ntemplate <int N> struct V {{\n  static constexpr int v = N;\n  static __host__ __device__ int f(int x) {{ return x + N; }}\n}};\ntemplate <int N> constexpr int vt = N;\ntemplate <bool B> struct If;\ntemplate <> struct If<true> {{\n  using type = int;\n}};\ntemplate <int I> __device__ {result} h(int x) {{ return x + I; }}\nstruct O {{\n  int v;\n  template <bool B> __device__ int get(int x) {{ return B ? x * {c} : x + v; }}\n  template <int N> __device__ int step(int x) {{ return x * N; }}\n}};\n}}\n"
    );
    k.line(&format!("{s}::O {o}{{{d}}};"));
    let list = match k.random.below(8) {
        0 => format!("{s}::Tr::n + {c}"),
        1 => "sizeof(int)".to_owned(),
        2 => format!("({c})"),
        3 => format!("true ? {c} : 2"),
        4 => format!("{c} << 1"),
        5 => format!("int({c})"),
        6 => format!("{s}::V<{c}>::v"),
        _ => format!("{c} * 2 - 1"),
    };
    let flag = match k.random.below(4) {
        0 => format!("{s}::Tr::b && ({c} > 2)"),
        1 => format!("{s}::Tr::b && !{s}::Tr::b"),
        2 => format!("{s}::Tr::b || false"),
        _ => "!true".to_owned(),
    };
    let value = match k.random.below(9) {
        0 => format!("t * {s}::V<{list}>::v"),
        1 => format!("{s}::vt<{list}> * t"),
        2 => format!("t * ({s}::vt<{c}> - 3 & 7)"),
        3 => format!("{s}::vt<{list}> + (t)"),
        4 => format!("{s}::h<{c}>(t)"),
        5 => format!("{o}.get<{flag}>(t)"),
        6 => format!("{o}.step<{list}>(t)"),
        7 => format!("{s}::V<{list}>::f(t)"),
        _ => format!("({s}::vt<({c})>) * t"),
    };
    match k.random.below(3) {
        0 => {
            k.open(&format!("if (t < {s}::V<{list}>::v)"));
            k.touch(&value);
            k.close();
        }
        1 => {
            k.open(&format!("if ({s}::h<{c}>(static_cast<int>(t)) > {d})"));
            k.touch(&value);
            k.close();
        }
        _ => k.touch(&value),
    }
}
