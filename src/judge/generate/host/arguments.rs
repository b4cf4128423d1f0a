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
