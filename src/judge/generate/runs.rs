//! Neighbouring elements that a thread moves one by one, as a fix may move them at once: in a row of statements, in
//! short loops, through local pointers; and the same with something between them that has to keep its place.

use super::kernel::Kernel;

/// Elements side by side.
const COUNTS: [i64; 4] = [2, 4, 8, 3];

/// Where a thread's own elements begin.
fn start(k: &mut Kernel, count: i64) -> String {
    match k.random.below(4) {
        0 => format!("t * {count} + {}", k.constant()),
        1 => format!("t * {}", 2 * count),
        _ => format!("t * {count}"),
    }
}

pub fn stores(k: &mut Kernel) {
    let count = k.random.number(&COUNTS);
    let from = start(k, count);
    let (e, i, p) = (k.element(), k.name("i"), k.name("p"));
    match k.random.below(5) {
        0 => {
            k.line(&format!("{e} *{p} = a + {from};"));
            for place in 0..count {
                k.line(&format!("{p}[{place}] = v + {place};"));
            }
        }
        1 => {
            k.line(&format!("int {i} = {from};"));
            for place in 0..count {
                k.line(&format!("a[{i}] = v * {place};"));
                k.line(&format!("{i} = {i} + 1;"));
            }
        }
        2 => {
            k.line(&format!("int {i} = {from};"));
            let between = [
                "v += a[X];",
                "a[X + 1] = 7;",
                "v += b[X];",
                "s[t & 31] = v;",
            ];
            let between = k.pick(&between).replace('X', &i);
            k.line(&format!("a[{i}] = v;"));
            k.line(&between);
            for place in 1..count {
                k.line(&format!("a[{i} + {place}] = v + {place};"));
            }
        }
        3 => {
            let read = [
                "v + J",
                "v * b[FROM + J]",
                "v + a[FROM + J]",
                "v + a[FROM + J + 1]",
            ];
            let read = k.pick(&read).replace('J', &i).replace("FROM", &from);
            k.line(&format!(
                "for (int {i} = 0; {i} < {count}; ++{i}) a[{from} + {i}] = {read};"
            ));
        }
        _ => {
            let condition = k.condition();
            k.line(&format!("a[{from}] = v;"));
            k.line(&format!("if ({condition}) a[{from} + 1] = v + 1;"));
            k.line(&format!("a[{from} + 1] = v + 2;"));
        }
    }
}

pub fn loads(k: &mut Kernel) {
    let count = k.random.number(&COUNTS);
    let from = start(k, count);
    let (e, i, p) = (k.element(), k.name("i"), k.name("p"));
    match k.random.below(4) {
        0 => {
            k.line(&format!("const {e} *{p} = b + {from};"));
            for place in 0..count {
                k.line(&format!("v += {p}[{place}] * {};", place + 1));
            }
        }
        1 => {
            k.line(&format!("int {i} = {from};"));
            for place in 0..count {
                k.line(&format!("v += __ldg(b + {i}) * {};", place + 1));
                k.line(&format!("{i} = {i} + 1;"));
            }
        }
        2 => {
            let array = k.pick(&["a", "b"]);
            let between = ["a[FROM + 1] = v;", "a[t] = 3;", "s[t & 31] = v;", "v *= 2;"];
            let between = k.pick(&between).replace("FROM", &from);
            k.line(&format!("v += {array}[{from}];"));
            k.line(&between);
            for place in 1..count {
                k.line(&format!("v += {array}[{from} + {place}] * {place};"));
            }
        }
        _ => {
            let array = k.pick(&["a", "b"]);
            let rest = ["", "a[FROM] = v;", "a[t] = v;"];
            let rest = k.pick(&rest).replace("FROM", &from);
            k.open(&format!("for (int {i} = 0; {i} < {count}; ++{i})"));
            k.line(&format!("v += {array}[{from} + {i}] * ({i} + 1);"));
            k.line(&rest);
            k.close();
        }
    }
}

/// Lanes that are compared with a partner: how many take part depends on how far apart the two are.
pub fn partners(k: &mut Kernel) {
    let (j, x) = (k.name("j"), k.name("x"));
    let most = k.random.number(&[2, 8, 16, 32, 64]);
    k.open(&format!("for (int {j} = {most}; {j} > 0; {j} >>= 1)"));
    let partner = k.pick(&[
        "t ^ @",
        "t + @",
        "t - @",
        "(t + @) & 31",
        "31 - (t & 31) + @",
    ]);
    k.line(&format!("int {x} = {};", partner.replace('@', &j)));
    let guard = match k.random.below(4) {
        0 => format!("{x} > t"),
        1 => format!("(t & {j}) < {x}"),
        2 => format!("{x} <= t && t < n"),
        _ => format!("{x} >= 0 && {x} < t"),
    };
    k.open(&format!("if ({guard})"));
    k.touch(&format!("({x} & 63) * 2"));
    k.touch("t");
    k.close();
    k.close();
}
