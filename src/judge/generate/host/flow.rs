//! Control flow of host code: branches, loops, jumps, side effects in conditions.

use super::Program;

pub(super) fn assignments(p: &mut Program) {
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

pub(super) fn branches(p: &mut Program) {
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

pub(super) fn conditional_effects(p: &mut Program) {
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

pub(super) fn loops(p: &mut Program) {
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

pub(super) fn jumps(p: &mut Program) {
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

pub(super) fn launches_in_loops(p: &mut Program) {
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
