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
