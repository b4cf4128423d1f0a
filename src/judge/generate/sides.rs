//! Assignments whose sides have effects on each other: the right side comes first, but GCC takes the left one of
//! `a op= b` first. Initialisers that assign to the variable they make.

use super::kernel::Kernel;

/// A step of `i`, and what a place makes of it.
fn stepped(k: &mut Kernel, i: &str) -> String {
    let c = k.small();
    match k.random.below(5) {
        0 => format!("{i}++"),
        1 => format!("--{i}"),
        2 => format!("{i} += {c}"),
        3 => format!("{i} ^= {c}"),
        _ => format!("{i} = t + {c}"),
    }
}

pub fn assigned(k: &mut Kernel) {
    match k.random.below(5) {
        4 => own_name(k),
        0 => in_memory(k),
        1 => by_pointer(k),
        2 => by_functions(k),
        _ => in_locals(k),
    }
}

/// `int x = (x = 3) + 1`, where a variable around it has that name, too.
fn own_name(k: &mut Kernel) {
    let (x, c, e) = (k.name("x"), k.small(), k.small());
    k.line(&format!("int {x} = {c};"));
    k.line("{");
    k.line(&format!("int {x} = ({x} = {e}) + {c};"));
    k.touch_by(&x);
    k.line("}");
    k.touch_by(&x);
}

/// `a[i++] = b[i * 2]`
fn in_memory(k: &mut Kernel) {
    let (i, c) = (k.name("i"), k.small());
    k.line(&format!("int {i} = t * {c} + 64;"));
    for _ in 0..3 {
        let step = stepped(k, &i);
        let from = k.pick(&["a", "b", "d"]);
        let far = k.small();
        match k.random.below(3) {
            0 => {
                let op = k.pick(&["=", "=", "+="]);
                k.line(&format!("a[{step}] {op} {from}[{i} * {far}];"));
            }
            1 => k.line(&format!("*(a + ({step})) = {from}[{i} + {far}];")),
            _ => k.line(&format!("s[({step}) & 1023] = s[{i} * {far} & 1023];")),
        }
    }
    k.touch_by(&i);
}

/// `*p++ = *p`
fn by_pointer(k: &mut Kernel) {
    let (p, r) = (k.name("p"), k.name("r"));
    let (c, e) = (k.small(), k.small());
    k.line(&format!("int {r}[8] = {{{c}, {e}, 1, 2, 3, 4, 5, 6}};"));
    k.line(&format!("int *{p} = {r} + 1;"));
    for _ in 0..2 {
        let (left, right) = (
            k.pick(&["*P++", "*++P", "*(P += 2)", "P++[1]", "*P--"]),
            k.pick(&["*P", "P[1]", "*P * 2", "*(P + 1)"]),
        );
        let op = k.pick(&["=", "=", "+="]);
        let text = format!("{left} {op} {right};").replace('P', &p);
        k.line(&text);
    }
    let at = k.random.below(8);
    k.touch_by(&format!("({r}[{at}] & 31)"));
    k.touch(&format!("t + ({p} - {r}) * 32"));
}

/// `place() = r[1]`
fn by_functions(k: &mut Kernel) {
    let (r, f) = (k.name("r"), k.name("f"));
    let (c, e) = (k.small(), k.small());
    k.line(&format!("int {r}[4] = {{{c}, {e}, 2, 7}};"));
    k.line(&format!(
        "auto {f} = [&](int q) -> int & {{ {r}[1] += {c}; return {r}[q & 3]; }};"
    ));
    for _ in 0..2 {
        let to = k.random.below(4);
        match k.random.below(3) {
            0 => k.line(&format!("{f}({to}) = {r}[1];")),
            1 => k.line(&format!("{r}[{f}({to}) & 3] = {r}[1];")),
            _ => k.line(&format!("{r}[{to}] = {f}(1);")),
        }
    }
    let at = k.random.below(4);
    k.touch_by(&format!("({r}[{at}] & 63)"));
}

/// `r[s.x++ & 3] = s.x`
fn in_locals(k: &mut Kernel) {
    let (ty, s, r) = (k.global_name("Sides"), k.name("s"), k.name("r"));
    let (c, e) = (k.small(), k.small());
    k.head += &format!("struct {ty} {{\n  int x;\n  short y[4];\n}};\n");
    k.line(&format!("{ty} {s}{{{c}, {{1, 2, {e}, 4}}}};"));
    k.line(&format!("int {r}[4] = {{1, {c}, 5, {e}}};"));
    for _ in 0..2 {
        let part = ["x", "y[1]", "y[2]"][k.random.below(3)];
        let step = stepped(k, &format!("{s}.{part}"));
        let right = k.pick(&["S.x", "S.y[1]", "S.y[S.x & 3]", "R[1]", "R[S.x & 3]"]);
        let right = right.replace('S', &s).replace('R', &r);
        match k.random.below(2) {
            0 => k.line(&format!("{r}[({step}) & 3] = {right};")),
            _ => k.line(&format!("{s}.y[({step}) & 3] = {right};")),
        }
    }
    let at = k.random.below(4);
    k.touch_by(&format!("({r}[{at}] & 31)"));
    k.touch_by(&format!("({s}.y[{at}] & 31)"));
}
