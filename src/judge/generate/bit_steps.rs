//! Variables that loops change bit by bit: offsets that are flipped on the way through a swizzled tile, places in a
//! ring, halves of a buffer by turns.

use super::kernel::Kernel;

/// How often a loop runs: a number, or what the launch gives.
fn trips(k: &mut Kernel) -> String {
    match k.random.below(3) {
        0 => "(n & 7)".to_owned(),
        _ => (k.random.below(5) + 1).to_string(),
    }
}

fn start(k: &mut Kernel) -> &'static str {
    k.pick(&[
        "t * 8 + (t & 7)",
        "(t & 15) * 8 + ((t >> 4) ^ (t & 7))",
        "t * 2",
        "t",
        "(t ^ 5) * 4",
        "8",
        "n & 63",
    ])
}

pub fn flipped_offsets(k: &mut Kernel) {
    let (o, d, outer) = (k.name("o"), k.name("d"), k.name("r"));
    let ty = k.pick(&["unsigned", "int", "uint32_t", "size_t", "long long"]);
    let from = start(k);
    let flip = match k.random.below(4) {
        0 => format!("({d} & 1 ? 6 : 2)"),
        1 => format!("(0x2 + (0x4 * ({d} % 2 == 1)))"),
        _ => k.random.number(&[1, 2, 4, 6, 7, 8, 64, 1024]).to_string(),
    };
    let sum = match k.random.below(4) {
        0 => format!("({d} % 4 == 3) * 8"),
        1 => "0".to_owned(),
        _ => k.random.number(&[8, 16, 64, 3, 32, -8]).to_string(),
    };
    let step = match k.random.below(4) {
        0 => format!("{o} ^= {flip};"),
        1 => format!("{o} = (({o} + 256) ^ {flip}) + {sum} - 256;"),
        2 => format!("{o} = ({o} + {sum}) ^ {flip};"),
        _ => format!("{o} = ({o} ^ {flip}) + {sum};"),
    };
    let (inner_trips, is_nested) = (trips(k), k.random.one_in(2));
    k.line(&format!("{ty} {o} = {from};"));
    if is_nested {
        let often = trips(k);
        k.open(&format!(
            "for (int {outer} = 0; {outer} < {often}; {outer}++)"
        ));
    }
    k.open(&format!("for (int {d} = 0; {d} < {inner_trips}; {d}++)"));
    k.touch(&format!("({o} & 4095)"));
    k.line(&step);
    k.close();
    if is_nested {
        let back = k.random.number(&[0, 8, 32]);
        k.line(&format!("{o} -= {back};"));
        k.close();
    }
    k.touch(&format!("({o} & 4095) + 1"));
}

pub fn rings(k: &mut Kernel) {
    let (p, d) = (k.name("pos"), k.name("d"));
    let ty = k.pick(&["unsigned", "int", "unsigned char", "long long", "short"]);
    let length = k.random.number(&[4, 8, 32, 64, 48]);
    let from = start(k);
    let step = k.random.number(&[1, 2, 4, 5, 31]);
    let wrap = match k.random.below(3) {
        0 if length != 48 => format!("& {}", length - 1),
        _ => format!("% {length}"),
    };
    let often = trips(k);
    let factor = k.small();
    k.line(&format!("{ty} {p} = ({from}) {wrap};"));
    k.open(&format!("for (int {d} = 0; {d} < {often}; ++{d})"));
    k.touch(&format!("{p} * {factor} + (t & 3)"));
    k.line(&format!("{p} = ({p} + {step}) {wrap};"));
    k.close();
    k.touch(&format!("{p} * {factor}"));
}

/// Rows of shared memory that data choose, with a column by the lane, and data that one lane uses.
pub fn rows_by_data(k: &mut Kernel) {
    let (w, x) = (k.name("w"), k.name("x"));
    k.parameters += &format!(", const long long *{w}");
    k.arguments += &format!(", {w}=i64[65536]");
    k.line(&format!("int {x} = (int){w}[t & 255] & 15;"));
    let pitch = k.random.number(&[32, 64, 96, 127, 33, 16]);
    let column = k.pick(&[
        "(t & 31)",
        "(t * 3 & 31)",
        "(t * 2 & 31)",
        "(t / 2 & 31)",
        "((t ^ 7) & 31)",
        "((t + n) & 31)",
        "5",
        "(t & 15)",
    ]);
    let index = match k.random.below(3) {
        0 => format!("{column} + {x} * {pitch}"),
        1 => format!("({x} >> 1) * {pitch} + {column}"),
        _ => format!("{x} * {pitch} + {column}"),
    };
    match k.random.below(3) {
        0 => k.line(&format!("s[{index}] = v;")),
        1 => k.line(&format!("v += s[{index}];")),
        _ => {
            let least = k.random.number(&[1, 2, 16, 31]);
            k.open(&format!("if (t % 32 < {least})"));
            k.line(&format!("s[{index}] += 1;"));
            k.close();
        }
    }
    let condition = k.pick(&["t == 3", "t % 32 == 31", "t % 32 < 2", "t == (n & 31)"]);
    k.open(&format!("if ({condition})"));
    k.touch(&format!("{x} * 7 + t"));
    k.close();
}
