//! Programs whose host code decides how kernels are launched.

use super::super::case::{Case, Launch, Run};
use super::super::driver::Options;
use super::super::random::Random;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Numbers that a program keeps and launches with.
const NUMBERS: [&str; 4] = ["n", "m", "b", "g"];

struct Program {
    random: Random,
    number: usize,
    head: String,
    body: String,
    depth: usize,
    names: usize,
    constructs: Vec<&'static str>,
}

type Step = fn(&mut Program);

const STEPS: &[(&str, Step)] = &[
    ("host assignments", assignments),
    ("host branches", branches),
    ("host side effects in conditions", conditional_effects),
    ("host loops", loops),
    ("host pointers", pointers),
    ("host references", references),
    ("host functions", functions),
    ("host arrays", arrays),
    ("host containers", containers),
    ("host tuples and swaps", tuples),
    ("host structs", structs),
    ("host lambdas", lambdas),
    ("host goto and switch", jumps),
    ("host globals", globals),
    ("host templates", templates),
    ("host dim3", shapes),
    ("host pointer arguments", pointer_arguments),
    ("host wrappers", wrappers),
    ("host launches in loops", launches_in_loops),
    ("host macros", macros),
];

pub fn case(random: &mut Random, number: usize, options: &Options) -> Case {
    let mut program = Program {
        random: Random::new(random.next()),
        number,
        head: String::new(),
        body: String::new(),
        depth: 1,
        names: 0,
        constructs: Vec::new(),
    };
    let list = super::chosen(STEPS, options);
    let count = 1 + program.random.below(4);
    for _ in 0..count {
        let (name, step) = list[program.random.below(list.len())];
        program.constructs.push(name);
        step(&mut program);
        if program.random.one_in(4) {
            program.launch("p");
        }
    }
    program.launch("p");
    program.finish()
}

/// Runs of a program from its `main`.
pub fn runs_of_main(random: &mut Random) -> Vec<Run> {
    let launch = Launch {
        grid: [1; 3],
        block: [1; 3],
        shared: 0,
        template: String::new(),
        known: BTreeMap::new(),
        hinted: BTreeMap::new(),
        is_possible: true,
    };
    (0..6)
        .map(|turn| Run {
            kernel: 0,
            entry: usize::MAX,
            launch: launch.clone(),
            values: (0..turn.min(4)).map(|_| random.below(40) as i64).collect(),
            data_mode: turn,
            seed: random.next() >> 2,
        })
        .collect()
}

impl Program {
    fn finish(self) -> Case {
        let number = self.number;
        let mut text = String::from(
            "#include <cuda_runtime.h>\n#include <cstdlib>\n#include <algorithm>\n#include <array>\n#include <tuple>\n#include <utility>\n#include <vector>\n",
        );
        let _ = writeln!(
            text,
            "__global__ void k{number}(float *a, int n, int m) {{\n  extern __shared__ float s[];\n  int t = threadIdx.x + blockDim.x * threadIdx.y;\n  a[t * n] = 1;\n  s[(t * m) & 31] = 2;\n  a[t + m] = n;\n  if (t < n)\n    a[blockIdx.x * blockDim.x + t] = 3;\n}}"
        );
        text += &self.head;
        let _ = writeln!(
            text,
            "int main(int argc, char **argv) {{\n  float *p;\n  cudaMalloc(&p, 1 << 20);\n  int n = 3, m = 2, b = 32, g = 2;\n  size_t bytes = 256;\n{}  cudaFree(p);\n  return 0;\n}}",
            self.body
        );
        let mut case = Case::new(&format!("host {number}"), &text);
        case.constructs = self.constructs;
        case
    }

    fn line(&mut self, text: &str) {
        let indent = "  ".repeat(self.depth);
        let _ = writeln!(self.body, "{indent}{text}");
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn global(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}_{}", self.number, self.names)
    }

    /// One of the program's numbers.
    fn target(&mut self) -> &'static str {
        NUMBERS[self.random.below(3)]
    }

    fn value_of(&mut self, target: &str) -> i64 {
        match target {
            "b" => self.random.number(&[16, 32, 48, 64, 96, 128]),
            "g" => self.random.number(&[1, 2, 3, 5]),
            _ => self.random.number(&[0, 1, 2, 3, 4, 5, 7, 8, 16, 33]),
        }
    }

    fn condition(&mut self) -> String {
        match self.random.below(6) {
            0 => "argc > 1".to_owned(),
            1 => "argc > 2".to_owned(),
            2 => "argc & 1".to_owned(),
            3 => "argc > 1 && atoi(argv[1]) > 10".to_owned(),
            4 => format!("n > {}", self.random.below(8)),
            _ => format!("m < {}", self.random.below(5)),
        }
    }

    fn launch(&mut self, pointer: &str) {
        let number = self.number;
        let shape = match self.random.below(7) {
            0 => "g, b".to_owned(),
            1 => "dim3(g, 2), dim3(b, 2), 128".to_owned(),
            2 => "2, b, bytes".to_owned(),
            3 => "(n + 31) / 32, 32, 128".to_owned(),
            4 => "dim3(2), dim3(12, m + 1), 128".to_owned(),
            5 => "g, b, b * sizeof(float) + 128".to_owned(),
            _ => "g, b, 256".to_owned(),
        };
        let arguments = match self.random.below(5) {
            0 => "n, m".to_owned(),
            1 => "n * 2, 1".to_owned(),
            2 => "4, m + n".to_owned(),
            3 => "n, b / 8".to_owned(),
            _ => "n, m".to_owned(),
        };
        self.line(&format!("k{number}<<<{shape}>>>({pointer}, {arguments});"));
    }
}

fn assignments(p: &mut Program) {
    let to = p.target();
    let value = p.value_of(to);
    let c = p.random.below(5);
    match p.random.below(6) {
        0 => p.line(&format!("{to} = {value};")),
        1 => p.line(&format!("n += {c};")),
        2 => p.line("b = b * 2 > 256 ? 64 : b * 2;"),
        3 => p.line(&format!("m = n = {c};")),
        4 => p.line(&format!("m = n++ + {c};")),
        _ => p.line(&format!("bytes = sizeof(float) * {};", 64 + 16 * c)),
    }
}

fn branches(p: &mut Program) {
    let (cond, to) = (p.condition(), p.target());
    let (x, y) = (p.value_of(to), p.value_of(to));
    match p.random.below(4) {
        0 => p.line(&format!("if ({cond}) {to} = {x};")),
        1 => p.line(&format!("if ({cond}) {to} = {x}; else {to} = {y};")),
        2 => p.line(&format!("{to} = ({cond}) ? {x} : {y};")),
        _ => {
            p.line(&format!("if ({cond}) {{"));
            p.line(&format!("  {to} = {x};"));
            p.depth += 1;
            p.launch("p");
            p.depth -= 1;
            p.line("}");
        }
    }
}

fn conditional_effects(p: &mut Program) {
    let cond = p.condition();
    let (x, y) = (p.value_of("n"), p.value_of("m"));
    match p.random.below(5) {
        0 => p.line(&format!("({cond}) && (n = {x});")),
        1 => p.line(&format!("({cond}) ? (n = {x}) : (m = {y});")),
        2 => p.line(&format!("({cond}) || (n = {x}, m = {y});")),
        3 => p.line(&format!("if (({cond}) && (n = {x}) > 2) m = {y};")),
        _ => p.line(&format!("(({cond}) ? n : m) = {x};")),
    }
}

fn loops(p: &mut Program) {
    let i = p.name("i");
    let c = 1 + p.random.below(5);
    match p.random.below(6) {
        0 => p.line(&format!("for (int {i} = 0; {i} < {c}; ++{i}) n += {i};")),
        1 => p.line(&format!("for (int {i} = 0; {i} < argc; ++{i}) m += 2;")),
        2 => p.line(&format!("while (n < {c}) n += 2;")),
        3 => p.line(&format!("do {{ m++; }} while (m < {c});")),
        4 => p.line(&format!(
            "for (int {i} = 1; {i} < 64; {i} *= 2) if ({i} > n) {{ n = {i}; break; }}"
        )),
        _ => p.line(&format!("for (int {i} = {c}; {i}--;) m += {i};")),
    }
}

fn pointers(p: &mut Program) {
    let (q, cond) = (p.name("q"), p.condition());
    let x = p.value_of("n");
    match p.random.below(6) {
        0 => {
            p.line(&format!("int *{q} = &n;"));
            p.line(&format!("*{q} = {x};"));
        }
        1 => {
            p.line(&format!("int *{q} = ({cond}) ? &n : &m;"));
            p.line(&format!("*{q} = {x};"));
        }
        2 => {
            p.line(&format!("int *{q}[2] = {{&n, &m}};"));
            p.line(&format!("*{q}[argc & 1] += {x};"));
        }
        3 => {
            p.line(&format!("int *{q} = &m;"));
            p.line(&format!("int **{q}q = &{q};"));
            p.line(&format!("if ({cond}) *{q}q = &n;"));
            p.line(&format!("**{q}q = {x};"));
        }
        4 => {
            let f = p.global("set");
            p.head += &format!("static void {f}(int *x, int y) {{ *x = y; }}\n");
            p.line(&format!("{f}(&n, {x});"));
        }
        _ => {
            p.line(&format!("int {q}[3] = {{1, 2, 3}};"));
            p.line(&format!("*({q} + (argc & 1)) = {x};"));
            p.line(&format!("n = {q}[1] + {q}[0];"));
        }
    }
}

fn references(p: &mut Program) {
    let (r, cond) = (p.name("r"), p.condition());
    let x = p.value_of("m");
    match p.random.below(4) {
        0 => {
            p.line(&format!("int &{r} = m;"));
            p.line(&format!("{r} = {x};"));
        }
        1 => {
            p.line(&format!("auto &{r} = ({cond}) ? n : m;"));
            p.line(&format!("{r} += {x};"));
        }
        2 => {
            let f = p.global("change");
            p.head +=
                &format!("static void {f}(int &x, int by) {{\n  if (by > 3)\n    x = by;\n}}\n");
            p.line(&format!("{f}(n, {x});"));
        }
        _ => {
            let f = p.global("which");
            p.head += &format!(
                "static int &{f}(int &x, int &y, bool first) {{ return first ? x : y; }}\n"
            );
            p.line(&format!("{f}(n, m, {cond}) = {x};"));
        }
    }
}

fn functions(p: &mut Program) {
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

fn arrays(p: &mut Program) {
    let w = p.name("w");
    let x = p.value_of("n");
    p.line(&format!("int {w}[4] = {{1, 2, {x}, 4}};"));
    match p.random.below(5) {
        0 => p.line(&format!("for (auto &e : {w}) e *= 2;")),
        1 => p.line(&format!("{w}[argc & 3] = 9;")),
        2 => p.line(&format!("std::swap({w}[0], {w}[2]);")),
        3 => p.line(&format!("for (int i = 0; i < 4; ++i) {w}[i] += i;")),
        _ => p.line(&format!("std::reverse({w}, {w} + 4);")),
    }
    p.line(&format!("n = {w}[2];"));
    p.line(&format!("m = {w}[0];"));
}

fn containers(p: &mut Program) {
    let w = p.name("w");
    let x = p.value_of("n");
    match p.random.below(6) {
        0 => {
            p.line(&format!("std::vector<int> {w}{{1, 2, {x}}};"));
            p.line(&format!("{w}.front() = 5;"));
            p.line(&format!("n = {w}[0] + {w}[2];"));
        }
        1 => {
            p.line(&format!("std::vector<int> {w}({x});"));
            p.line(&format!("{w}.push_back(7);"));
            p.line(&format!("n = (int){w}.size();"));
            p.line(&format!("m = {w}.back();"));
        }
        2 => {
            p.line(&format!("std::vector<int> {w}(3, {x});"));
            p.line(&format!("for (auto &e : {w}) e += 1;"));
            p.line(&format!("n = {w}[1];"));
        }
        3 => {
            p.line(&format!("std::array<int, 3> {w}{{4, 5, {x}}};"));
            p.line(&format!("{w}.back() = 1;"));
            p.line(&format!("n = {w}[2] + {w}[0];"));
        }
        4 => {
            p.line(&format!("for (int x : std::vector<int>{{1, {x}}}) {{"));
            p.line("  n = x;");
            p.depth += 1;
            p.launch("p");
            p.depth -= 1;
            p.line("}");
        }
        _ => {
            p.line(&format!("std::vector<int> {w}{{3, 1, {x}}};"));
            p.line(&format!("std::sort({w}.begin(), {w}.end());"));
            p.line(&format!("n = {w}[0];"));
        }
    }
}

fn tuples(p: &mut Program) {
    let w = p.name("w");
    let x = p.value_of("n");
    match p.random.below(7) {
        0 => p.line("std::swap(n, m);"),
        1 => p.line(&format!("std::tie(n, m) = std::make_tuple({x}, 1);")),
        2 => {
            p.line(&format!("auto [{w}x, {w}y] = std::make_pair({x}, 6);"));
            p.line(&format!("n = {w}x + {w}y;"));
        }
        3 => p.line(&format!("n = std::max(n, {x});")),
        4 => p.line(&format!("m = std::exchange(n, {x});")),
        5 => p.line(&format!("n = std::clamp(n * 3, 1, {});", x + 1)),
        _ => {
            p.line(&format!("auto {w} = std::minmax({{4, {x}, 9}});"));
            p.line(&format!("n = {w}.first;"));
        }
    }
}

fn structs(p: &mut Program) {
    let (name, c) = (p.global("Config"), p.name("c"));
    let x = p.value_of("n");
    match p.random.below(6) {
        0 => {
            p.head += &format!("struct {name} {{\n  int rows, cols = {x};\n}};\n");
            p.line(&format!("{name} {c}{{4}};"));
            p.line(&format!("n = {c}.rows + {c}.cols;"));
        }
        1 => {
            p.head +=
                &format!("struct {name} {{\n  int &x;\n  void set(int y) {{ x = y; }}\n}};\n");
            p.line(&format!("{name} {c}{{n}};"));
            p.line(&format!("{c}.set({x});"));
        }
        2 => {
            p.head += &format!(
                "struct {name} {{\n  int threads;\n  {name}(int t) : threads(t) {{}}\n  int blocks(int n) const {{ return (n + threads - 1) / threads; }}\n}};\n"
            );
            p.line(&format!("{name} {c}(b);"));
            p.line(&format!("g = {c}.blocks(200);"));
        }
        3 => {
            p.head += &format!("struct {name} {{\n  int n = 1, m = 2;\n}};\n");
            p.line(&format!("{name} {c}, {c}d = {c};"));
            p.line(&format!("{c}.n = {x};"));
            p.line(&format!("n = {c}d.n + {c}.n;"));
        }
        4 => {
            p.head += &format!("struct {name} {{\n  int *at;\n  ~{name}() {{ *at = {x}; }}\n}};\n");
            p.line(&format!("{{ {name} {c}{{&n}}; }}"));
        }
        _ => {
            p.head += &format!(
                "struct {name} {{\n  int v;\n  {name} &add(int x) {{\n    v += x;\n    return *this;\n  }}\n}};\n"
            );
            p.line(&format!("{name} {c}{{1}};"));
            p.line(&format!("{c}.add(2).add({x});"));
            p.line(&format!("n = {c}.v;"));
        }
    }
}

fn lambdas(p: &mut Program) {
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

fn jumps(p: &mut Program) {
    let (label, cond) = (p.name("out"), p.condition());
    let (x, y) = (p.value_of("n"), p.value_of("n"));
    match p.random.below(4) {
        0 => {
            p.line(&format!("n = {x};"));
            p.line(&format!("if ({cond}) goto {label};"));
            p.line(&format!("n = {y};"));
            p.line(&format!("{label}: m += 1;"));
        }
        1 => {
            p.line("switch (argc) {");
            p.line(&format!("case 1: n = {x};"));
            p.line(&format!("case 2: m = {y}; break;"));
            p.line("default: n = 6;");
            p.line("}");
        }
        2 => {
            p.line(&format!("{label}:"));
            p.line("n += 3;");
            p.line(&format!("if (n < {}) goto {label};", x + 4));
        }
        _ => {
            p.line("switch (n & 3) {");
            p.line(&format!("default: m = {x}; break;"));
            p.line("case 3: b = 64;");
            p.line("case 1: m = 5;");
            p.line("}");
        }
    }
}

fn globals(p: &mut Program) {
    let (name, f) = (p.global("width"), p.global("bump"));
    let x = p.value_of("n");
    match p.random.below(4) {
        0 => {
            p.head += &format!("static int {name} = {x};\nstatic void {f}() {{ {name} += 2; }}\n");
            p.line(&format!("{f}();"));
            p.line(&format!("n = {name};"));
        }
        1 => {
            p.head += &format!("const int {name} = {x} + 1;\n");
            p.line(&format!("n = {name};"));
        }
        2 => {
            p.head += &format!(
                "int {name}[2] = {{3, {x}}};\nstatic void {f}(int i) {{ {name}[i] = 8; }}\n"
            );
            p.line(&format!("{f}(argc & 1);"));
            p.line(&format!("n = {name}[0];"));
        }
        _ => {
            p.head += &format!("int {name};\nint *{f} = &{name};\n");
            p.line(&format!("{name} = 4;"));
            p.line(&format!("*{f} = {x};"));
            p.line(&format!("n = {name};"));
        }
    }
}

fn templates(p: &mut Program) {
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

fn shapes(p: &mut Program) {
    let (block, grid) = (p.name("block"), p.name("grid"));
    let number = p.number;
    let cond = p.condition();
    p.line(&format!("dim3 {block}(b), {grid}(g);"));
    match p.random.below(6) {
        0 => p.line(&format!("{block}.y = 2;")),
        1 => p.line(&format!("{block} = dim3(12, (n & 3) + 1);")),
        2 => p.line(&format!("if ({cond}) {block} = dim3(16, 4);")),
        3 => p.line(&format!("{grid}.x = (b + {block}.x - 1) / {block}.x + 1;")),
        4 => p.line(&format!("{block} = {{8, 8, 2}};")),
        _ => {
            p.line(&format!("dim3 &{block}r = {block};"));
            p.line(&format!("{block}r.x = 48;"));
        }
    }
    p.line(&format!("k{number}<<<{grid}, {block}, 128>>>(p, n, m);"));
}

fn pointer_arguments(p: &mut Program) {
    let q = p.name("ptr");
    let c = 1 + p.random.below(9);
    match p.random.below(6) {
        0 => {
            p.line(&format!("float *{q}[2] = {{p, p + {c}}};"));
            p.launch(&format!("{q}[argc & 1]"));
        }
        1 => {
            p.line(&format!("float *{q} = p, *{q}b = p + {c};"));
            p.line("for (int i = 0; i < 3; ++i) {");
            p.depth += 1;
            p.launch(&q);
            p.line(&format!("std::swap({q}, {q}b);"));
            p.depth -= 1;
            p.line("}");
        }
        2 => {
            p.line(&format!("float *{q} = p + n;"));
            p.launch(&q);
        }
        3 => {
            p.line(&format!("char *{q} = (char *)p + {};", 4 * c));
            p.launch(&format!("(float *){q}"));
        }
        4 => {
            p.line(&format!("float *{q} = p;"));
            p.line(&format!("{q} += {c};"));
            p.launch(&q);
        }
        _ => {
            p.line(&format!("float *{q};"));
            p.line(&format!("cudaMalloc((void **)&{q}, 1 << 20);"));
            p.launch(&format!("&{q}[{c}]"));
        }
    }
}

fn wrappers(p: &mut Program) {
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

fn launches_in_loops(p: &mut Program) {
    let i = p.name("i");
    let number = p.number;
    match p.random.below(5) {
        0 => p.line(&format!(
            "for (int {i} = 0; {i} < 3; ++{i}) k{number}<<<2, 32, 128>>>(p, {i}, 1);"
        )),
        1 => p.line(&format!(
            "for (int {i} = 32; {i} <= 128; {i} *= 2) k{number}<<<1, {i}, 128>>>(p, n, 1);"
        )),
        2 => {
            p.line(&format!("for (int {i} = 0; {i} < argc; ++{i}) {{"));
            p.line("  n += 2;");
            p.depth += 1;
            p.launch("p");
            p.depth -= 1;
            p.line("}");
        }
        3 => {
            p.line("while (n > 1) {");
            p.depth += 1;
            p.launch("p");
            p.depth -= 1;
            p.line("  n /= 2;");
            p.line("}");
        }
        _ => p.line(&format!(
            "for (int {i} : {{1, 4, 6}}) k{number}<<<{i}, b, 128>>>(p, {i} * 2, m);"
        )),
    }
}

fn macros(p: &mut Program) {
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
