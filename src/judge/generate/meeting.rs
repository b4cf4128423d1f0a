//! Values that meet: numbers of several types behind branches, parts of numbers that some lanes write, and cases of a
//! `switch` that a loop holds.

use super::kernel::Kernel;

/// Conversions on each way to a use.
pub fn conversions(k: &mut Kernel) {
    let x = k.name("x");
    let types: [&str; 4] = std::array::from_fn(|_| k.integer_type());
    let [a, b, c, d] = types.map(|ty| if ty == "bool" { "short" } else { ty });
    let (e, f) = (k.expression(1), k.expression(1));
    let condition = k.condition();
    let by = k.constant() * k.pick(&["1", "37", "-3"]).parse::<i64>().unwrap_or(1);
    match k.random.below(8) {
        0 => {
            k.line(&format!("{a} {x};"));
            k.line(&format!("if ({condition}) {x} = ({b})({e}) * {by};"));
            k.line(&format!("else {x} = ({c})({f}) - ({d})3;"));
        }
        1 => k.line(&format!(
            "auto {x} = {condition} ? ({b})(({e}) * {by}) : ({c})({f});"
        )),
        2 => k.line(&format!(
            "{a} {x} = {condition} ? ({e}) * {by} : ({c})({f});"
        )),
        3 => {
            let h = k.global_name("cut");
            k.head += &format!(
                "__device__ {b} {h}(int x, bool b) {{\n  if (b) return x * {by};\n  return x > 3 ? ({c})x : ({d})(x - 5);\n}}\n"
            );
            k.line(&format!("auto {x} = {h}({e}, {condition});"));
        }
        4 => {
            let i = k.name("i");
            k.line(&format!("{a} {x} = {e};"));
            let end = k.shared();
            k.open(&format!("for ({b} {i} = 0; {i} < ({c})({end}); ++{i})"));
            k.line(&format!("if ({condition}) {x} += {by}; else {x} ^= {i};"));
            k.close();
        }
        5 => {
            let s = k.global_name("Both");
            k.head += &format!("struct {s} {{ {a} v; {b} w; }};\n");
            k.line(&format!("{s} {x}s{{({a})({e}), ({b})({f})}};"));
            k.line(&format!(
                "if ({condition}) {x}s.v = {x}s.w * {by}; else {x}s.w = {x}s.v - {by};"
            ));
            k.line(&format!("auto {x} = {x}s.v + {x}s.w;"));
        }
        6 => {
            k.line(&format!("{a} {x} = ({b})({e}), {x}b = {f};"));
            k.line(&format!("({condition} ? {x} : {x}b) += {by};"));
            k.line(&format!("{x} = {condition} ? {x}b : {x} * {by};"));
        }
        _ => {
            let on = k.pick(&["n & 3", "t & 3", "m & 3"]);
            k.line(&format!("{a} {x} = 1;"));
            k.open(&format!("switch (({d})({on}))"));
            k.line(&format!("case 0: {x} = ({b})({e}); break;"));
            k.line(&format!("case 1: {x} = ({c})({f});"));
            k.line(&format!("default: {x} *= {by};"));
            k.close();
        }
    }
    // Values of these types may be anything: no array is that long.
    k.touch(&format!("(int){x} & 1023"));
    k.touch(&format!("t * ((int){x} & 31)"));
    k.open(&format!("if ({x} < {by})"));
    k.touch("t * 3");
    k.close();
}

/// `switch` in a loop, of which the cases leave either.
pub fn switches(k: &mut Kernel) {
    let (i, x, y) = (k.name("i"), k.name("x"), k.name("y"));
    let (c, d) = (k.small(), k.constant());
    let end = match k.random.below(3) {
        0 => "(n & 7)".to_owned(),
        _ => (2 + c).to_string(),
    };
    let on = match k.random.below(7) {
        0 => format!("{i} & 3"),
        1 => format!("({i} + t) & 3"),
        2 => format!("(n >> {i}) & 3"),
        3 => format!("d[{i}] & 3"),
        4 => format!("{x} & 3"),
        5 => format!("({i} + n) % 4"),
        _ => "t & 3".to_owned(),
    };
    k.line(&format!("int {x} = {c}, {y} = 1;"));
    match k.random.below(3) {
        0 => k.open(&format!("for (int {i} = 0; {i} < {end}; ++{i})")),
        1 => {
            k.line(&format!("int {i} = 0;"));
            k.open(&format!("while ({i}++ < {end})"));
        }
        _ => k.open(&format!("for (int {i} = {end} - 1; {i} >= 0; --{i})")),
    }
    k.open(&format!("switch ({on})"));
    let mut labels = vec!["case 0:", "case 1:", "case 2:", "case 3:", "default:"];
    for _ in 0..3 + k.random.below(3) {
        let label = labels.remove(k.random.below(labels.len()));
        k.line(label);
        let condition = k.condition();
        match k.random.below(7) {
            0 => k.line(&format!("{x} += {c};")),
            1 => k.line(&format!("{y} = {x} * {d} & 63;")),
            2 => k.touch_by(&x),
            3 => k.line(&format!("if ({condition}) {{ {y} += 2; break; }}")),
            4 => k.line(&format!("if ({condition}) {{ {x} += 1; continue; }}")),
            5 => {
                k.open("");
                k.line(&format!("int {y} = {x} + {i};"));
                k.touch_by(&y);
                k.close();
            }
            _ => k.line(&format!("{x} ^= {i} + {d};")),
        }
        let leave = k.pick(&["break;", "break;", "continue;", ";", "return;"]);
        // Lanes that are gone are another kind's matter.
        match leave {
            "return;" => k.line(&format!("if (t == {d}) return;")),
            other => k.line(other),
        }
    }
    k.close();
    k.touch_by(&format!("({x} & 63)"));
    k.close();
    k.touch_by(&format!("({x} & 63)"));
    k.touch_by(&y);
}

/// Parts of a number, written and read by other types than it was written by.
pub fn parts(k: &mut Kernel) {
    let u = k.name("u");
    let (wide, narrow) = k.pick_pair(&[
        ("i", "h[0]"),
        ("i", "h[1]"),
        ("i", "c[0]"),
        ("i", "c[3]"),
        ("h[0]", "c[1]"),
        ("h[1]", "c[2]"),
        ("l", "i"),
        ("l", "h[2]"),
    ]);
    let (e, f) = (k.expression(0), k.expression(0));
    let condition = k.condition();
    k.line(&format!(
        "union {{ int i; short h[4]; unsigned char c[8]; long long l; }} {u};"
    ));
    k.line(&format!("{u}.l = {e};"));
    match k.random.below(4) {
        0 => k.line(&format!("if ({condition}) {u}.{narrow} = {f};")),
        1 => k.line(&format!(
            "if ({condition}) {u}.{wide} = {f}; else {u}.{narrow} = {e};"
        )),
        2 => {
            let (i, end) = (k.name("i"), k.shared());
            k.open(&format!("for (int {i} = 0; {i} < {end}; ++{i})"));
            k.line(&format!("{u}.{narrow} += {i};"));
            k.line(&format!("if ({condition}) break;"));
            k.close();
        }
        _ => k.line(&format!("{u}.c[n & 3] = {f};")),
    }
    let c = k.small();
    k.touch(&format!("((int){u}.{wide} & 1023) + t * {c}"));
    k.touch(&format!("t * ((int){u}.{narrow} & 31)"));
}
