//! Words of 64 bits as hash tables, bit sets and generators of random numbers use them: marks for what is
//! empty, signs, and what stands at their ends.

use super::kernel::Kernel;

/// Keys and marks, from memory and as a parameter.
pub fn marks(k: &mut Kernel) {
    let unsigned = k.pick(&["unsigned long long", "unsigned long", "size_t", "uint64_t"]);
    let ty = if k.random.one_in(4) {
        "long long"
    } else {
        unsigned
    };
    let w = k.name("w");
    let x = k.name("key");
    match k.random.below(3) {
        0 => {
            k.parameters += &format!(", {ty} {w}");
            k.arguments += &format!(", {w}=?9");
            k.line(&format!("{ty} {x} = {w};"));
        }
        1 => {
            k.parameters += &format!(", const {ty} *{w}");
            k.arguments += &format!(", {w}=i64[65536]");
            let at = k.pick(&["t & 255", "0", "n & 7"]);
            k.line(&format!("{ty} {x} = {w}[{at}];"));
        }
        _ => {
            k.parameters += &format!(", {ty} *{w}");
            k.arguments += &format!(", {w}=i64[65536]");
            k.line(&format!("{ty} {x} = {w}[t & 63];"));
            let by = k.random.below(3);
            k.line(&format!("{x} += {by};"));
        }
    }
    let by = k.random.number(&[32, 48, 56, 60, 62, 63]);
    let condition = match k.random.below(14) {
        0 => format!("{x} == ~0ull"),
        1 => format!("{x} != 0xffffffffffffffffull"),
        2 => format!("(long long){x} < 0"),
        3 => format!("{x} > (1ull << 62)"),
        4 => format!("{x} >> {by} != 0"),
        5 => format!("{x} & 1ull << 63"),
        6 => format!("{x} + 1 == 0"),
        7 => format!("~{x} == 0"),
        8 => format!("({ty})-1 == {x}"),
        9 => format!("(int64_t){x} >= 0 && {x} != 5"),
        10 => format!("{x} < 0xfffffffffffffff0ull"),
        11 => format!("({x} >> 32) == 0xffffffffu"),
        12 => format!("({x} & 0xff00000000000000ull) == 0"),
        _ => format!("{x} == 0x8000000000000000ull || {x} > 1ull << 61"),
    };
    let (one, two) = (k.small(), k.small());
    match k.random.below(4) {
        0 => k.touch(&format!("({condition}) ? t * {one} : t * {two} + 1")),
        1 => {
            k.open(&format!("if ({condition})"));
            k.touch_by(&one.to_string());
            k.close();
            k.line("else");
            k.open("");
            k.touch_by(&two.to_string());
            k.close();
        }
        2 => k.touch_by(&format!("(int)({x} >> {by} & 15)")),
        _ => {
            k.open(&format!("if (!({condition}))"));
            k.touch_by(&one.to_string());
            k.close();
            k.touch_by(&two.to_string());
        }
    }
}

/// Products with the constants of hashes, and shifts to the end of a word: they wrap.
pub fn products(k: &mut Kernel) {
    let ty = k.pick(&["unsigned long long", "unsigned long", "size_t", "uint64_t"]);
    let of = match k.random.below(6) {
        0 => format!("({ty})t"),
        1 => format!("({ty})(t % {} + 1)", k.small()),
        2 => format!("({ty})blockIdx.x"),
        3 => format!("(blockIdx.x + ({ty})1)"),
        4 => format!("({ty})(unsigned)(t * 2654435761u)"),
        _ => {
            let w = k.name("w");
            let narrow = k.pick(&["int", "unsigned", "unsigned long long"]);
            k.parameters += &format!(", {narrow} {w}");
            k.arguments += &format!(", {w}=?9");
            format!("({ty}){w}")
        }
    };
    let constant = k.pick(&[
        "0xff51afd7ed558ccdull",
        "11400714819323198485ull",
        "6364136223846793005ull",
        "0x100000001b3ull",
        "4611686018427387904ull",
        "(1ull << 62)",
        "0x8000000000000000ull",
        "3037000500ull",
    ]);
    let shift = k.random.number(&[31, 40, 48, 57, 60, 62, 63]);
    let x = k.name("hash");
    let value = match k.random.below(5) {
        0 => format!("{of} << {shift}"),
        1 => format!("{of} * {constant} + {constant}"),
        2 => format!("{constant} - {of} * {constant}"),
        _ => format!("{of} * {constant}"),
    };
    k.line(&format!("{ty} {x} = {value};"));
    if k.random.one_in(3) {
        k.line(&format!("{x} ^= {x} >> 33;"));
    }
    let (one, two) = (k.small(), k.small());
    let condition = match k.random.below(8) {
        0 => format!("(long long){x} < 0"),
        1 => format!("{x} > 1ull << 63"),
        2 => format!("{x} == 1ull << 63"),
        3 => format!("{x} > 5"),
        4 => format!("{x} < ({ty})t"),
        5 => format!("{x} * 2 > {x}"),
        6 => format!("{x} + 3 > 2"),
        _ => format!("({x} >> 63) == 0"),
    };
    match k.random.below(8) {
        0 => k.touch(&format!("({condition}) ? t * {one} : t * {two} + 1")),
        1 => {
            k.open(&format!("if ({condition})"));
            k.touch_by(&one.to_string());
            k.close();
            k.touch_by(&two.to_string());
        }
        2 => {
            let built_in = k.pick(&["__popcll", "__clzll", "__ffsll"]);
            k.touch_by(&format!("{built_in}({x})"));
        }
        3 => k.touch_by(&format!("(int)({x} >> {shift} & 15)")),
        4 => k.touch_by(&format!("(int)({x} % {one})")),
        5 => k.touch_by(&format!("(int)min({x}, ({ty}){two})")),
        6 => k.touch(&format!("(int)({x} / {one} % 8) + t")),
        _ => k.touch(&format!("((unsigned){x} & 63) * {one}")),
    }
}

/// Masks that lanes make of words with their highest bits set.
pub fn masks(k: &mut Kernel) {
    let ty = k.pick(&["unsigned long long", "unsigned long", "size_t", "uint64_t"]);
    let of = k.pick(&[
        "~0ull",
        "0xffffffff00000000ull",
        "0x8000000000000001ull",
        "~(unsigned long long)n",
        "~(unsigned long long)t",
        "((unsigned long long)n << 61)",
    ]);
    let by = k.pick(&["t", "(t & 7)", "(n & 7)", "(t / 4)", "(blockIdx.x & 3)"]);
    let x = k.name("mask");
    k.line(&format!("{ty} {x} = {of};"));
    let (one, two) = (k.small(), k.small());
    let value = match k.random.below(8) {
        0 => format!("{x} >> (63 - ({by} & 15))"),
        1 => format!("{x} >> ({by} & 63)"),
        2 => format!("{x} / ({by} + {one}ull)"),
        3 => format!("{x} % ({by} + {two}ull)"),
        4 => format!("min({x}, ({ty}){by})"),
        5 => format!("max({x}, ({ty}){by})"),
        6 => format!("{x} >> {by} % 60 >> {one}"),
        _ => format!("({x} & ~({ty}){by}) >> (62 - ({by} & 3))"),
    };
    k.line(&format!("{x} = {value};"));
    match k.random.below(4) {
        0 => k.touch(&format!("(int)({x} & 255) * {one}")),
        1 => k.touch(&format!("__popcll({x}) * {two}")),
        2 => k.touch(&format!("(int)({x} & 63) + t")),
        _ => k.touch_by(&format!("(int)({x} % 9)")),
    }
}
