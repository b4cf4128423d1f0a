//! Branches, loops, exits, switches, and what warps do together.

use super::kernel::Kernel;

pub fn branches(k: &mut Kernel) {
    let cond = k.condition();
    let q = k.name("q");
    let (c, e) = (k.constant(), k.constant());
    match k.random.below(4) {
        0 => {
            k.open(&format!("if ({cond})"));
            let at = k.expression(2);
            k.touch(&at);
            k.depth -= 1;
            k.line("} else {");
            k.depth += 1;
            let at = k.expression(2);
            k.touch(&at);
            k.close();
        }
        1 => {
            k.line(&format!("int {q} = {c};"));
            k.line(&format!("if ({cond}) {q} = {e};"));
            k.touch_by(&q);
        }
        2 => {
            let other = k.condition();
            k.line(&format!("int {q};"));
            k.line(&format!("if ({cond}) {q} = {c};"));
            k.line(&format!("else if ({other}) {q} = t;"));
            k.line(&format!("else {q} = {e};"));
            k.touch(&format!("t + {q} * 2"));
        }
        _ => {
            let other = k.condition();
            k.open(&format!("if (({cond}) && !({other}))"));
            let at = k.expression(2);
            k.touch(&at);
            k.close();
        }
    }
}

pub fn early_return(k: &mut Kernel) {
    // Inside of a lambda, so that what follows still runs.
    let cond = k.condition();
    let g = k.name("g");
    let at = k.expression(2);
    if k.random.one_in(3) {
        k.line(&format!("if ({cond}) return;"));
        k.touch(&at);
    } else {
        k.open(&format!("auto {g} = [&]()"));
        k.line(&format!("if ({cond}) return;"));
        k.touch(&at);
        k.depth -= 1;
        k.line("};");
        k.line(&format!("{g}();"));
    }
}

fn bound(k: &mut Kernel) -> String {
    let shared = k.shared();
    match k.random.below(8) {
        0 => format!("{}", 1 + k.random.below(12)),
        1 => "n".to_owned(),
        2 => "min(n, 8)".to_owned(),
        3 => "n % 4".to_owned(),
        4 => "t".to_owned(),
        5 => "(t & 7)".to_owned(),
        6 => "d[0]".to_owned(),
        _ => shared,
    }
}

pub fn for_loops(k: &mut Kernel) {
    let (i, end) = (k.name("i"), bound(k));
    let c = k.constant();
    match k.random.below(9) {
        0 => {
            k.line(&format!("int {i};"));
            k.line(&format!("for ({i} = 0; {i} < {end} && {i} < 8; {i}++)"));
            k.line("  ;");
            k.touch_by(&i);
        }
        1 => {
            k.open(&format!("for (int {i} = 0; {i} < {end}; {i} += {c})"));
            k.touch(&format!("t + {i} * 8"));
            k.close();
        }
        2 => {
            k.open(&format!(
                "for (int {i} = t; {i} < {c} * 8; {i} += blockDim.x)"
            ));
            k.touch(&i);
            k.close();
        }
        3 => {
            k.open(&format!("for (int {i} = {c}; {i} > 0; --{i})"));
            k.touch(&format!("t * {i}"));
            k.close();
        }
        4 => {
            let j = k.name("j");
            k.open(&format!(
                "for (int {i} = 0, {j} = {c}; {i} < {end} && {i} < 20; {i}++, {j} -= 2)"
            ));
            k.touch(&format!("t * 2 + {j} + 100"));
            k.close();
        }
        5 => {
            let q = k.name("q");
            k.line(&format!("int {q} = 0;"));
            k.line(&format!(
                "for (int {i} = 0; {i} < {end} && {i} < 30; ++{i}) {q} += {c};"
            ));
            k.touch(&format!("t + {q}"));
            k.touch_by(&format!("({q} & 15)"));
        }
        6 => {
            let (p, q) = (k.name("p"), k.name("q"));
            k.line(&format!("int {p} = 1, {q} = {c};"));
            k.open(&format!("for (int {i} = 0; {i} < {end} && {i} < 9; ++{i})"));
            let r = k.name("r");
            k.line(&format!("int {r} = {p};"));
            k.line(&format!("{p} = {q};"));
            k.line(&format!("{q} = {r};"));
            if k.random.one_in(2) {
                k.touch(&format!("t * {p}"));
            }
            k.close();
            k.touch(&format!("t * {q}"));
        }
        7 => {
            let stop = k.pick(&["continue", "break"]);
            let cond = k.condition();
            let item = k.pick(&["int", "auto", "const int &"]);
            k.open(&format!("for ({item} {i} : {{{c}, {c} / 2, 3}})"));
            k.line(&format!("if ({cond}) {stop};"));
            k.touch(&format!("t * {i}"));
            k.close();
        }
        _ => {
            let j = k.name("j");
            k.open(&format!("for (int {i} = 0; {i} < {end} && {i} < 6; ++{i})"));
            k.open(&format!("for (int {j} = {i}; {j} < 6; ++{j})"));
            k.touch(&format!("t * {j} + {i}"));
            k.close();
            k.close();
        }
    }
}

pub fn while_loops(k: &mut Kernel) {
    let (i, c) = (k.name("i"), k.constant());
    k.line(&format!("int {i} = {};", k.random.clone().below(3)));
    match k.random.below(6) {
        0 => {
            k.line(&format!("while ({i} < t) {i}++;"));
            k.touch(&format!("{i} * {c}"));
        }
        1 => {
            k.line(&format!("while ({i} % 100 < 90) {i}++;"));
            k.touch(&format!("t * ({i} & 31)"));
        }
        2 => {
            k.open(&format!("while ({i} < n)"));
            k.touch(&format!("t + {i}"));
            k.line(&format!("{i} += {c};"));
            k.close();
        }
        3 => {
            k.open(&format!("while (d[{i}] < 20 && {i} < 9)"));
            k.line(&format!("{i}++;"));
            k.close();
            k.touch(&format!("t * {i}"));
        }
        4 => {
            k.open(&format!("while ({i} * {i} < n)"));
            k.line(&format!("{i}++;"));
            k.close();
            k.touch(&format!("t * ({i} & 63)"));
        }
        _ => {
            k.open("while (true)");
            k.line(&format!("if ({i} >= {c}) break;"));
            k.touch(&format!("t * 2 + {i}"));
            k.line(&format!("{i} += 3;"));
            k.close();
        }
    }
}

pub fn do_loops(k: &mut Kernel) {
    let (i, c) = (k.name("i"), k.constant());
    k.line(&format!("int {i} = 0;"));
    match k.random.below(4) {
        0 => {
            k.open("do");
            k.touch(&format!("t * ({i} + 1)"));
            k.depth -= 1;
            k.line(&format!("}} while ({i}++ <= (n & 7));"));
        }
        1 => {
            k.open("do");
            k.line(&format!("{i} += {c};"));
            k.depth -= 1;
            k.line(&format!("}} while ({i} < n);"));
            k.touch(&format!("t * ({i} & 31)"));
        }
        2 => {
            k.open("do");
            k.touch(&format!("t + {i} * 32"));
            k.depth -= 1;
            k.line(&format!("}} while (++{i} < 3);"));
        }
        _ => {
            k.open("do");
            k.line(&format!("if (d[{i}] == 3) break;"));
            k.line(&format!("{i}++;"));
            k.depth -= 1;
            k.line(&format!("}} while ({i} < {});", c.min(16)));
            k.touch_by(&i);
        }
    }
}

pub fn doubling(k: &mut Kernel) {
    let (s, lg) = (k.name("w"), k.name("lg"));
    let c = k.constant();
    match k.random.below(7) {
        0 => {
            k.line(&format!("int {lg} = 0;"));
            k.line(&format!(
                "for (int {s} = 1; {s} < (n & 1023); {s} <<= 1) {lg}++;"
            ));
            k.touch_by(&lg);
        }
        1 => {
            k.open(&format!(
                "for (int {s} = (n & 1) + 1; {s} < 1000; {s} *= 2)"
            ));
            k.line(&format!("if ({s} == 16) a[t * 2] = v;"));
            k.close();
        }
        2 => {
            k.open(&format!(
                "for (int {s} = blockDim.x / 2; {s} > 0; {s} >>= 1)"
            ));
            k.line(&format!("if (t < {s}) s[t & 1023] += s[(t + {s}) & 1023];"));
            k.close();
        }
        3 => {
            k.open(&format!("for (int {s} = 1; {s} < 64; {s} *= 2)"));
            k.touch(&format!("t * {s}"));
            k.close();
        }
        4 => {
            k.open(&format!("for (int {s} = 1; {s} < 200; {s} = {s} * 3 + 1)"));
            k.touch(&format!("t * ({s} & 31)"));
            k.close();
        }
        5 => {
            k.open(&format!(
                "for (long long {s} = 1; {s} < (1ll << 36); {s} *= 4)"
            ));
            k.line(&format!("if ({s} == (1ll << 34)) a[t * {c}] = v;"));
            k.close();
        }
        _ => {
            k.open(&format!("for (unsigned {s} = n & 255; {s} != 0; {s} /= 2)"));
            k.touch(&format!("t + ({s} & 1)"));
            k.close();
        }
    }
}

pub fn exits(k: &mut Kernel) {
    let (i, cond) = (k.name("i"), k.condition());
    let c = k.constant();
    let end = 2 + k.random.below(9);
    match k.random.below(9) {
        0 => {
            k.open(&format!("for (int {i} = 0; {i} < {end}; ++{i})"));
            k.touch(&format!("t * 8 + {i}"));
            k.line(&format!("if (t == {i}) break;"));
            k.close();
        }
        1 => {
            k.open(&format!("for (int {i} = 0; {i} < {end}; ++{i})"));
            k.line(&format!("if ({cond}) continue;"));
            k.touch(&format!("t * {c} + {i}"));
            k.close();
        }
        2 => {
            k.line(&format!(
                "for (int {i} = 0; {i} < n && {i} < 20; ++{i}) if (t < {i}) break;"
            ));
            k.touch(&format!("t * {c}"));
        }
        3 => {
            let g = k.name("g");
            k.open(&format!("auto {g} = [&]()"));
            k.line(&format!(
                "for (int {i} = 0; {i} < n; ++{i}) if (t < {i}) return;"
            ));
            k.touch(&format!("t * {c}"));
            k.depth -= 1;
            k.line("};");
            k.line(&format!("{g}();"));
        }
        4 => {
            k.open(&format!("for (int {i} = 0; {i} < {end}; ++{i})"));
            k.line(&format!("if ({i} == (n & 7)) break;"));
            k.touch(&format!("t * {c} + {i}"));
            k.close();
        }
        5 => {
            k.open(&format!("for (int {i} = 0; {i} < {end}; ++{i})"));
            k.line(&format!("if (d[t + {i}] > 9) break;"));
            k.touch(&format!("t * {c} + {i}"));
            k.close();
        }
        6 => {
            k.line(&format!("int {i} = 0;"));
            k.open("for (;;)");
            k.line(&format!("if ({i} >= {end}) break;"));
            k.touch(&format!("t * ++{i}"));
            k.line(&format!("if ({cond}) continue;"));
            k.touch(&format!("t * 2 + {i}"));
            k.close();
        }
        7 => {
            k.open(&format!("for (int {i} = 0; {i} < {end}; ++{i})"));
            k.open(&format!("if ({cond} || t < {i})"));
            k.touch(&format!("t * {c} + {i}"));
            k.line("break;");
            k.close();
            k.close();
        }
        _ => {
            k.open(&format!("for (int {i} = 0; {i} < {end}; ++{i})"));
            k.open(&format!("if ({i} == t)"));
            k.touch(&format!("{i} * {c}"));
            k.line("break;");
            k.close();
            k.close();
        }
    }
}

pub fn found(k: &mut Kernel) {
    let (p, i) = (k.name("p"), k.name("i"));
    let c = k.constant();
    let test = k.pick(&[
        "d[@] > m",
        "@ == (n & 7)",
        "@ * 3 > n",
        "d[@ + t] > 20",
        "@ > (t & 7)",
        "@ >= t",
    ]);
    let test = test.replace('@', &i);
    match k.random.below(5) {
        0 => {
            k.line(&format!("int {p} = 0;"));
            k.open(&format!("for (int {i} = 0; {i} < 9; ++{i})"));
            k.open(&format!("if ({test})"));
            k.line(&format!("{p} = {i};"));
            k.line("break;");
            k.close();
            k.close();
            k.touch_by(&p);
        }
        1 => {
            let hit = k.name("hit");
            k.line(&format!("bool {hit} = false;"));
            k.open(&format!("for (int {i} = 0; {i} < 9; ++{i})"));
            k.open(&format!("if ({test})"));
            k.line(&format!("{hit} = true;"));
            k.line("break;");
            k.close();
            k.close();
            k.line(&format!("if ({hit}) a[t * {c}] = v;"));
        }
        2 => {
            k.line(&format!("int {p} = 1;"));
            k.open(&format!("for (int {i} = 0; {i} < 9; ++{i})"));
            k.open(&format!("if ({test})"));
            k.line(&format!("{p} = {c};"));
            k.line("continue;");
            k.close();
            k.line(&format!("{p} += 1;"));
            k.close();
            k.touch_by(&p);
        }
        3 => {
            k.line(&format!("int {p} = 0, {i};"));
            k.open(&format!("for ({i} = 0; {i} < 9; ++{i})"));
            k.line(&format!("if ({test}) break;"));
            k.line(&format!("{p} += {c};"));
            k.close();
            k.touch(&format!("t + {p}"));
            k.touch_by(&i);
        }
        _ => {
            k.line(&format!("int {p} = 2;"));
            k.open(&format!("for (int {i} = 0; {i} < 9; ++{i})"));
            k.line(&format!("if ({test}) {p} = {i};"));
            k.close();
            k.touch_by(&p);
        }
    }
}

pub fn gotos(k: &mut Kernel) {
    let (label, i) = (k.name("again"), k.name("i"));
    let (c, cond) = (k.constant(), k.condition());
    match k.random.below(4) {
        0 => {
            let q = k.name("q");
            k.line(&format!("int {q} = 1;"));
            k.line(&format!("if ({cond}) goto {label};"));
            k.line(&format!("{q} = {c};"));
            k.line(&format!("{label}:"));
            k.touch_by(&q);
        }
        1 => {
            k.line(&format!("int {i} = 0;"));
            k.line(&format!("{label}:"));
            k.touch(&format!("t * 2 + {i}"));
            k.line(&format!("if (++{i} < {}) goto {label};", 1 + c % 5));
        }
        2 => {
            let q = k.name("q");
            k.line(&format!("int {q} = 3;"));
            k.open(&format!("for (int {i} = 0; {i} < 5; ++{i})"));
            k.line(&format!("{q} = {i} * {c};"));
            k.line(&format!("if (d[{i}] > m) goto {label};"));
            k.close();
            k.line(&format!("{q} = 7;"));
            k.line(&format!("{label}:"));
            k.touch_by(&q);
        }
        _ => {
            k.open("");
            k.line(&format!("if ({cond}) goto {label};"));
            k.touch(&format!("t * {c}"));
            k.line(&format!("{label}: v += 1;"));
            k.close();
        }
    }
}

pub fn switches(k: &mut Kernel) {
    let on = k.pick(&["t & 3", "n", "n & 3", "t % 5", "d[t] & 3", "t / 8", "m"]);
    let q = k.name("q");
    let (c, e) = (k.constant(), k.constant());
    match k.random.below(6) {
        0 => {
            k.line(&format!("int {q} = 1;"));
            k.open(&format!("switch ({on})"));
            k.line(&format!("case 0: {q} = 2;"));
            k.line(&format!("case 1: {q} *= {c}; break;"));
            k.line(&format!("default: {q} = {e};"));
            k.close();
            k.touch_by(&q);
        }
        1 => {
            k.open(&format!("switch ({on})"));
            k.line("case 0: v = 1; break;");
            k.line(&format!("case 1: v += b[t * {c}]; break;"));
            k.line("default: v += 2;");
            k.close();
        }
        2 => {
            k.open(&format!("switch ({on})"));
            k.line("case 0: v = 1; break;");
            k.line(&format!("case 1: v += b[t * {c}];"));
            k.line("default: v += 2;");
            k.close();
        }
        3 => {
            k.line(&format!("int {q} = 1;"));
            k.open(&format!("switch ({on})"));
            k.line(&format!("default: {q} = {e};"));
            k.line(&format!("case 2: {q} += 4; break;"));
            k.line(&format!("case 1 ... 1: {q} = {c}; break;"));
            k.line("case 3: break;");
            k.close();
            k.touch_by(&q);
        }
        4 => {
            k.line(&format!("int {q} = {c};"));
            k.line(&format!("switch ({on}) case 3: {q} = {e};"));
            k.touch_by(&q);
        }
        _ => {
            let g = k.name("g");
            k.open(&format!("auto {g} = [&](int i)"));
            k.open("switch (i)");
            k.line(&format!("case 0: return {c};"));
            k.line(&format!("case 1: {{ int z = {e}; return z; }}"));
            k.line("case 2:");
            k.line("case 3: return t;");
            k.close();
            k.line("return 5;");
            k.depth -= 1;
            k.line("};");
            k.touch_by(&format!("{g}({on})"));
        }
    }
}

pub fn triangles(k: &mut Kernel) {
    let (i, j) = (k.name("i"), k.name("j"));
    let c = k.constant();
    match k.random.below(4) {
        0 => {
            k.open(&format!("for (int {i} = 0; {i} < 5; ++{i})"));
            k.open(&format!("for (int {j} = 0; {j} <= {i}; ++{j})"));
            k.touch(&format!("t * 2 + {i} * {c} + {j}"));
            k.close();
            k.close();
        }
        1 => {
            k.open(&format!("for (int {i} = 0; {i} < 6; ++{i})"));
            k.open(&format!("if (t > {i})"));
            k.touch(&format!("t * {c} + {i}"));
            k.close();
            k.close();
        }
        2 => {
            k.open(&format!("for (int {i} = t; {i} < (n & 63); ++{i})"));
            k.touch(&format!("{i} * {c}"));
            k.close();
        }
        _ => {
            k.open(&format!("for (int {i} = 0; {i} < (n & 7); ++{i})"));
            k.open(&format!("for (int {j} = (n & 7); {j} > {i}; {j} -= 2)"));
            k.touch(&format!("t * {j} + {i}"));
            k.close();
            k.close();
        }
    }
}

pub fn shuffles(k: &mut Kernel) {
    let r = k.name("r");
    let e = k.expression(1);
    let source = k.pick(&["d[t]", "t", "t * 3", "@"]).replace('@', &e);
    let call = match k.random.below(11) {
        7 => format!("__shfl_xor_sync(~0u, {source}, {}, 8)", k.small()),
        8 => format!("__shfl_down_sync(~0u, {source}, n & 15, 16)"),
        9 => format!("__shfl_up_sync(~0u, {source}, t & 3)"),
        10 => format!(
            "__shfl_sync(~0u, {source}, n, {})",
            k.pick(&["2", "16", "32"])
        ),
        0 => format!("__shfl_sync(~0u, {source}, 0)"),
        1 => format!("__shfl_sync(~0u, {source}, 0, 8)"),
        2 => format!("__shfl_sync(0xffffffff, {source}, t & 3, 4)"),
        3 => format!("__shfl_xor_sync(~0u, {source}, {})", 1 << k.random.below(5)),
        4 => format!("__shfl_down_sync(~0u, {source}, {})", k.small()),
        5 => format!("__shfl_up_sync(~0u, {source}, {}, 16)", k.small()),
        _ => format!("__shfl_sync(~0u, {source}, 31 - (t & 31))"),
    };
    // By itself, so that all lanes are there.
    k.line(&format!("int {r} = {call};"));
    let c = k.constant();
    match k.random.below(4) {
        0 => k.touch(&format!("{r} * 8 + (t & 7)")),
        1 => k.touch(&format!("{r} + t")),
        2 => k.touch(&format!("({r} & 7) * t")),
        _ => k.touch(&format!("({r} & 31) * {c}")),
    }
}

pub fn votes(k: &mut Kernel) {
    let r = k.name("r");
    let cond = k.condition();
    let call = match k.random.below(8) {
        4 => format!("__popc(__match_any_sync(~0u, t % {}))", k.small()),
        5 => format!("__ffs(__match_any_sync(~0u, (t & 31) / {}))", k.small()),
        6 => format!("__reduce_add_sync(~0u, (t & {}) != 0)", k.small()),
        7 => format!("__popc(__ballot_sync(~0u, {cond}) & ((1u << (t & 31)) - 1))"),
        0 => format!("__popc(__ballot_sync(~0u, {cond}))"),
        1 => format!("__any_sync(~0u, {cond})"),
        2 => format!("__all_sync(~0u, {cond})"),
        _ => format!("(int)(__ballot_sync(~0u, {cond}) & 31)"),
    };
    k.line(&format!("int {r} = {call};"));
    match k.random.below(3) {
        0 => k.touch(&format!("t * {r}")),
        1 => k.touch(&format!("t + {r}")),
        _ => {
            k.open(&format!("if ({r})"));
            k.touch("t * 2");
            k.close();
        }
    }
}

/// Loops with one way out, in front of which something is done.
pub fn only_way_out(k: &mut Kernel) {
    let i = k.name("i");
    let (c, d) = (k.constant(), k.small());
    let test = k.pick(&[
        "@ > (n & 7)",
        "@ >= t",
        "@ > (t & 7)",
        "@ * 3 > (t ^ 5)",
        "@ % 7 == (t & 3)",
        "@ > 4",
    ]);
    let test = test.replace('@', &i);
    k.line(&format!("int {i} = 0;"));
    let head = k.pick(&["for (;;)", "while (true)", "while (1)", "do"]);
    k.open(head);
    if k.random.one_in(2) {
        k.touch(&format!("{i} * {d} + t"));
    }
    let step = k.pick(&["++@;", "@ += 3;", "@ += 5;"]);
    k.line(&step.replace('@', &i));
    k.open(&format!("if ({test})"));
    match k.random.below(3) {
        0 => k.touch(&format!("{i} * {c}")),
        1 => k.touch_by(&i),
        _ => k.touch(&format!("t * {c} + {i}")),
    }
    k.line("break;");
    k.close();
    if k.random.one_in(2) {
        k.touch(&format!("{i} + t * {d}"));
    }
    k.close();
    if head == "do" {
        k.line("while (true);");
    }
    k.touch(&format!("t * {d} + {i}"));
}
