//! Small arrays of numbers and pointers that unrolled loops fill and read, and numbers that loops of few
//! iterations make bit by bit.

use super::kernel::Kernel;

/// Offsets that one loop computes and another one uses.
pub fn offsets(k: &mut Kernel) {
    let (o, i) = (k.name("off"), k.name("i"));
    let count = [2, 3, 4, 8][k.random.below(4)];
    let (c, d) = (k.constant(), k.small());
    let e = k.expression(1);
    let ty = k.pick(&["int", "unsigned", "short", "long long", "unsigned char"]);
    k.line(&format!("{ty} {o}[{count}];"));
    let value = match k.random.below(6) {
        0 => format!("t * {d} + {i} * {c}"),
        1 => format!("({e}) + {i}"),
        2 => format!("{i} & 1 ? t : {i} * {c}"),
        3 => format!("{i} ? {o}[{i} - 1] + {d} : t"),
        4 => format!("(t >> {i} & 1) * {c}"),
        _ => format!("{i} * {i} * {d}"),
    };
    let unroll = k.pick(&["", "#pragma unroll\n"]);
    k.body += unroll;
    k.line(&format!(
        "for (int {i} = 0; {i} < {count}; {i}++) {o}[{i}] = {value};"
    ));
    if k.random.one_in(3) {
        let at = k.pick(&["t & 1", "n & 1", "1", "t % 2"]);
        let condition = k.condition();
        k.line(&format!("if ({condition}) {o}[{at}] = {c};"));
    }
    match k.random.below(4) {
        0 => k.touch(&format!("(int){o}[{}]", count - 1)),
        1 => k.touch(&format!("(int){o}[t % {count}] & 255")),
        2 => k.touch(&format!("(int){o}[(n & 1023) % {count}] + t")),
        _ => {
            k.open(&format!("for (int {i} = 0; {i} < {count}; {i}++)"));
            k.touch(&format!("((int){o}[{i}] & 255) + t * {d}"));
            k.close();
        }
    }
}

/// Tables of constants that lanes, loops and parameters index.
pub fn tables(k: &mut Kernel) {
    let (o, i) = (k.name("tab"), k.name("i"));
    let numbers: Vec<String> = (0..4).map(|_| k.constant().to_string()).collect();
    let ty = k.pick(&["const int", "constexpr int", "int", "static const short"]);
    k.line(&format!("{ty} {o}[4] = {{{}}};", numbers.join(", ")));
    let c = k.small();
    match k.random.below(5) {
        0 => k.touch(&format!("{o}[t & 3] * {c}")),
        1 => k.touch_by(&format!("{o}[n & 3]")),
        2 => k.touch(&format!("t + {o}[{o}[t & 1] & 3]")),
        3 => {
            k.open(&format!("for (int {i} = 0; {i} < 4; {i}++)"));
            k.touch_by(&format!("{o}[{i}]"));
            k.close();
        }
        _ => {
            k.open(&format!("for (auto {i} : {o})"));
            k.touch_by(&i);
            k.close();
        }
    }
}

/// Constant arrays of classes and of functions, which lanes, loops and other tables index.
pub fn class_tables(k: &mut Kernel) {
    let (c, i) = (k.global_name("Table"), k.name("i"));
    let [p, q] = [k.constant(), k.constant()];
    let [d, e] = [k.small(), k.small()];
    let ty = k.pick(&["int", "short", "unsigned char", "long long", "unsigned"]);
    k.head += &format!(
        "struct {c}Base {{ static constexpr {ty} own[4] = {{{p}, {q}, {d}, {e}}}; }};\ntemplate <int N, int... D>\nstruct {c} : {c}Base {{\n  static constexpr {ty} list[] = {{D..., N}};\n  static constexpr {ty} rows[2][3] = {{{{N, {p}}}, {{D...}}}};\n  static const int out[3];\n  __device__ static int at(int i) {{ return list[i] + own[i & 3]; }}\n  __device__ int of(int i, int j) const {{ return rows[i][j]; }}\n}};\ntemplate <int N, int... D>\nconst int {c}<N, D...>::out[3] = {{N * 2, {q}, D...}};\n__device__ int {c}at(int i) {{\n  static const {ty} kept[4] = {{{q}, {p}, {e}}};\n  return kept[i & 3];\n}}\n"
    );
    let instance = format!("{c}<{e}, {d}>");
    match k.random.below(7) {
        0 => k.touch(&format!("{instance}::list[t & 1] * {e}")),
        1 => k.touch(&format!("{instance}::rows[t & 1][t % 3] + t")),
        2 => k.touch_by(&format!("{instance}::own[n & 3]")),
        3 => k.touch(&format!("{instance}::at(t & 1) * {d}")),
        4 => k.touch(&format!("{instance}().of(t >> 1 & 1, t & 1) * {d}")),
        5 => k.touch(&format!("{c}at(t) * {e} + t")),
        _ => {
            k.open(&format!("for (int {i} = 0; {i} < 2; {i}++)"));
            k.touch_by(&format!("{instance}::list[{i}]"));
            k.touch(&format!("{c}at({i} + t) & 255"));
            k.close();
        }
    }
}

/// Constexpr objects that constant expressions ask, and the functions that they hold.
pub fn constant_objects(k: &mut Kernel) {
    let c = k.global_name("Config");
    let [p, q, r] = [k.small(), k.small(), k.small()];
    let e = k.constant();
    k.head += &format!(
        "typedef int (*{c}F)(int, int);\ntemplate <int N> __device__ int {c}near(int t, int k) {{ return t * N + k; }}\ntemplate <int N> __device__ int {c}far(int t, int k) {{ return t + N * k; }}\nstruct {c} {{\n  int x, y;\n  {c}F f;\n  constexpr __device__ {c}(int x, int y, {c}F f) : x(x), y(y + {p}), f(f) {{}}\n  constexpr __device__ int rows(int y = {q}) const {{ int s = 0; for (int i = 0; i < y; i++) s += x; return s + this->y; }}\n  constexpr __device__ bool wide() const {{ return x > {q}; }}\n}};\ntemplate <int N> constexpr __device__ {c} {c}of() {{\n  switch (N % 3) {{\n    case 0: return {c}(N, {r}, {c}near<N>);\n    case 1: return {c}({p}, N, {c}far<{r}>);\n    default: return {c}(N + {r}, 1, {c}near<{q}>);\n  }}\n}}\ntemplate <int N> struct {c}V {{ static constexpr int v = N; }};\n"
    );
    let n = k.random.number(&[1, 2, 3, 5, 7]);
    let o = k.name("cfg");
    let held = k.pick(&["const", "constexpr"]);
    if k.random.one_in(3) {
        k.line(&format!("constexpr {c}F {o} = {c}of<{n}>().f;"));
        return k.touch(&format!("{o}(t, {e})"));
    }
    k.line(&format!("constexpr auto {o} = {c}of<{n}>();"));
    match k.random.below(5) {
        0 => k.touch_by(&format!("{c}V<{o}.rows()>::v")),
        1 => k.touch(&format!("{o}.f(t, {e}) + {o}.x")),
        2 => {
            k.open(&format!("if constexpr ({o}.wide())"));
            k.touch_by(&p.to_string());
            k.close();
            k.open("else");
            k.touch(&format!("t + {c}V<{o}.y>::v"));
            k.close();
        }
        3 => {
            k.line(&format!("{held} int {o}r = {o}.rows({r});"));
            k.touch_by(&format!("{o}r"));
        }
        _ => {
            k.open("");
            k.line(&format!("{c} {o}(t, n, {c}near<{r}>);"));
            k.line(&format!("{o}.x += 1;"));
            k.touch(&format!("{o}.x * {p}"));
            k.close();
            k.touch(&format!("t * {o}.rows(1)"));
        }
    }
}

/// Numbers that a loop gathers.
pub fn gathered(k: &mut Kernel) {
    let (r, i) = (k.name("r"), k.name("i"));
    let count = k.random.number(&[3, 4, 5, 6]);
    let c = k.constant();
    let start = k.pick(&["0", "t", "1", "n & 3"]);
    k.line(&format!("int {r} = {start};"));
    let body = match k.random.below(8) {
        0 => format!("{r} = {r} << 1 | (t >> {i} & 1);"),
        1 => format!("if (t & 1 << {i}) {r} += {c};"),
        2 => format!("{r} = ({r} * 5 + 1) & 63;"),
        3 => format!("{r} ^= {r} << {i};"),
        4 => format!("{r} = {r} & 1 ? {r} * 3 + 1 : {r} / 2;"),
        5 => format!("{r} += __shfl_xor_sync(~0u, {r}, 1 << {i});"),
        6 => format!("if (t % ({i} + 2) == 0) continue; {r} += {i};"),
        _ => format!("for (int j = 0; j < {i}; j++) {r} += t & j;"),
    };
    // All lanes take part in an exchange.
    let is_exchange = body.contains("__shfl");
    let depth = k.depth;
    if is_exchange && depth > 1 {
        k.line(&format!("{r} = 2;"));
    }
    let body = match is_exchange && depth > 1 {
        true => format!("{r} += t & {i};"),
        false => body,
    };
    let count = if is_exchange { 5 } else { count };
    k.open(&format!("for (int {i} = 0; {i} < {count}; {i}++)"));
    k.line(&body);
    k.close();
    match k.random.below(3) {
        0 => k.touch(&format!("{r} & 1023")),
        1 => k.touch(&format!("({r} & 63) * 4 + (t & 3)")),
        _ => k.touch_by(&format!("({r} & 7)")),
    }
}
