//! Variables of host code: pointers, references, containers, structs, globals.

use super::Program;

pub(super) fn pointers(p: &mut Program) {
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

pub(super) fn references(p: &mut Program) {
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

pub(super) fn arrays(p: &mut Program) {
    let w = p.name("w");
    let x = p.value_of("n");
    p.line(&format!("int {w}[4] = {{1, 2, {x}, 4}};"));
    match p.random.below(8) {
        0 => p.line(&format!("for (auto &e : {w}) e *= 2;")),
        5..=7 => read_arrays(p, &w),
        1 => p.line(&format!("{w}[argc & 3] = 9;")),
        2 => p.line(&format!("std::swap({w}[0], {w}[2]);")),
        3 => p.line(&format!("for (int i = 0; i < 4; ++i) {w}[i] += i;")),
        _ => p.line(&format!("std::reverse({w}, {w} + 4);")),
    }
    p.line(&format!("n = {w}[2];"));
    p.line(&format!("m = {w}[0];"));
}

/// Functions that read an array, or write it.
fn read_arrays(p: &mut Program, w: &str) {
    let f = p.global("read");
    let x = p.value_of("m");
    let takes = match p.random.below(4) {
        0 => "const int *w",
        1 => "const int w[4]",
        2 => "const int (&w)[4]",
        _ => "int *w",
    };
    let body = match p.random.below(5) {
        0 => "return w[2] + w[0];".to_owned(),
        1 => format!("((int *)w)[1] = {x};\n  return w[1];"),
        2 => "int s = 0;\n  for (int i = 0; i < 4; ++i) s += w[i];\n  return s;".to_owned(),
        3 => format!("return *(w + 1) + {x};"),
        _ => "const int *v = w;\n  return v[3];".to_owned(),
    };
    p.head += &format!("static int {f}({takes}) {{\n  {body}\n}}\n");
    p.line(&format!("n = {f}({w});"));
    p.line(&format!("{w}[0] += 1;"));
    p.line(&format!("m = {f}({w});"));
}

pub(super) fn containers(p: &mut Program) {
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

pub(super) fn tuples(p: &mut Program) {
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

pub(super) fn structs(p: &mut Program) {
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

pub(super) fn globals(p: &mut Program) {
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
