//! Shapes and arguments of launches.

use super::Program;

pub(super) fn shapes(p: &mut Program) {
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

pub(super) fn pointer_arguments(p: &mut Program) {
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

/// Parameters that do not hold what the launch gives.
pub(super) fn parameters_of_other_types(p: &mut Program) {
    const TYPES: [&str; 10] = [
        "unsigned char",
        "signed char",
        "char",
        "short",
        "unsigned short",
        "unsigned",
        "long long",
        "unsigned long",
        "bool",
        "int",
    ];
    let kernel = p.global("narrow");
    let types = [0; 2].map(|_| TYPES[p.random.below(TYPES.len())]);
    let [first, second] = types;
    p.head += &format!(
        "__global__ void {kernel}(float *a, {first} n, {second} m) {{\n  int t = threadIdx.x;\n  a[n > 100 ? t * 3 : t] = 1;\n  a[(t * m) & 1023] = 2;\n  if (t < n)\n    a[t + 32] = 3;\n}}\n"
    );
    let values = [0; 2].map(|_| {
        let c = p.random.number(&[3, 250, 255, 300, 32770, 65537, 70000]);
        match p.random.below(8) {
            0 => format!("n + {c}"),
            1 => "-n".to_owned(),
            2 => c.to_string(),
            3 => "b * 9".to_owned(),
            4 => format!("m - {c}"),
            5 => format!("1u - {c}"),
            6 => "3.9".to_owned(),
            _ => format!("{c}LL << 30"),
        }
    });
    let [first, second] = values;
    let shape = ["2, 64", "g, b", "1, 32"][p.random.below(3)];
    p.line(&format!("{kernel}<<<{shape}>>>(p, {first}, {second});"));
}
