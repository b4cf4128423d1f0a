//! Integers: their widths, conversions, operators and functions.

use super::kernel::Kernel;

pub fn types(k: &mut Kernel) {
    let (ty, from) = (k.integer_type(), k.expression(2));
    let v = k.name("v");
    k.line(&format!("{ty} {v} = {from};"));
    if k.random.one_in(2) && ty != "bool" {
        let (op, by) = (k.pick(&["+=", "-=", "*=", "^=", "|="]), k.constant());
        k.line(&format!("{v} {op} {by};"));
    }
    match k.random.below(4) {
        0 => k.touch_by(&format!("({v} & 31)")),
        1 => k.touch(&v),
        2 => {
            let c = k.constant();
            k.touch(&format!("({v} > {c} ? t * 2 : t)"));
        }
        _ => {
            let c = k.small();
            k.touch(&format!("t + {v} * {c}"));
        }
    }
}

pub fn casts(k: &mut Kernel) {
    let (ty, from) = (k.integer_type(), k.expression(1));
    let words = ty.contains(' ');
    let cast = match k.random.below(5) {
        0 => format!("({ty})({from})"),
        1 => format!("static_cast<{ty}>({from})"),
        2 if !words => format!("{ty}({from})"),
        3 if !words => format!("({ty}({from}) + 1)"),
        _ => format!("(({ty})({from}) * {})", k.small()),
    };
    match k.random.below(6) {
        0 => k.touch(&cast),
        1 => k.touch(&format!("({cast} % 32)")),
        2 => k.touch(&format!("(int)({cast} / 3) + t")),
        3 => k.touch(&format!("({cast} >> 1) * 8")),
        4 => k.touch(&format!("sizeof({ty}) * t + {cast} % 4")),
        _ => k.touch(&format!("{cast} < 9 ? t : t * 3")),
    }
}

/// Parameters that do not hold the number that a launch gives.
pub fn parameters(k: &mut Kernel) {
    let ty = k.pick(&[
        "unsigned char",
        "signed char",
        "short",
        "unsigned short",
        "unsigned",
        "bool",
        "long long",
    ]);
    let q = k.name("q");
    let given = k
        .random
        .number(&[3, 200, 255, 300, 32770, 65537, 70000, -1, -7]);
    k.parameters += &format!(", {ty} {q}");
    k.arguments += &format!(", {q}={given}");
    match k.random.below(4) {
        0 => k.touch(&format!("t * (int)({q} & 31)")),
        1 => k.touch(&format!("({q} > 100 ? t * 3 : t)")),
        2 => k.touch(&format!("(int)({q} & 63) + t")),
        _ => k.touch(&format!("(int){q} / 32 % 64 + t + 64")),
    }
}

/// Types by names of the user's: casts and conversions to them read like calls.
pub fn named_types(k: &mut Kernel) {
    let (ty, from) = (k.integer_type(), k.expression(1));
    let name = k.global_name("word");
    let mut used = name.clone();
    match k.random.below(5) {
        0 => k.head += &format!("typedef {ty} {name};\n"),
        1 => k.head += &format!("using {name} = {ty};\n"),
        2 => k.line(&format!("typedef {ty} {name};")),
        3 => k.line(&format!("using {name} = {ty};")),
        _ => {
            k.head += &format!("struct {name} {{ typedef {ty} type; }};\n");
            used += "::type";
        }
    }
    let v = k.variable();
    let cast = match k.random.below(7) {
        0 | 1 => format!("({used})({from})"),
        2 => format!("({used}){v}"),
        3 => format!("{used}({from})"),
        4 => format!("({used})(-{v})"),
        5 => format!("({used})~{v}"),
        _ => format!("({used})(({v}) * {}) + ({used})(1)", k.constant()),
    };
    match k.random.below(4) {
        0 => k.touch(&format!("({cast} & 63)")),
        1 => k.touch(&format!("({cast}) / 3 % 64 + t")),
        2 => k.touch(&format!("(({cast}) > 99 ? t * 4 : t)")),
        _ => {
            let x = k.name("x");
            k.line(&format!("{used} {x} = {cast};"));
            k.touch(&format!("({x} & 63) * 2"));
        }
    }
}

pub fn narrow_loops(k: &mut Kernel) {
    let ty = k.pick(&[
        "unsigned",
        "unsigned char",
        "signed char",
        "short",
        "unsigned short",
        "int",
        "uint8_t",
    ]);
    let (v, i) = (k.name("q"), k.name("i"));
    let (start, end) = (k.expression(1), k.shared());
    k.line(&format!("{ty} {v} = {start};"));
    let (op, by) = (
        k.pick(&["+=", "-=", "+=", "*=", "^="]),
        k.random.number(&[1, 2, 3, 5, 20, 33]),
    );
    let is_inside = k.random.one_in(2);
    k.open(&format!(
        "for (int {i} = 0; {i} < {end} && {i} < 40; {i}++)"
    ));
    k.line(&format!("{v} {op} {by};"));
    if is_inside {
        k.touch(&format!("{v} > 100 ? t * 8 : t"));
    }
    k.close();
    match k.random.below(3) {
        0 => k.touch(&format!("{v} > 100 ? t * 8 : t")),
        1 => k.touch(&format!("t + {v}")),
        _ => k.touch(&format!("t * ({v} & 7)")),
    }
}

pub fn wraps(k: &mut Kernel) {
    let c = k.constant();
    let d = k.random.number(&[3, 5, 6, 7, 20, 100]);
    let by = k.random.number(&[17, 20, 27, 29, 30, 31]);
    let text = match k.random.below(13) {
        10 => format!("((n << {by}) >> {by}) + t"),
        11 => format!("t * (((n - t) << {by}) >> {by})"),
        12 => format!("(((t | n) << {by}) >> 20)"),
        0 => format!("((t << 28) >> 28) * {c}"),
        1 => format!(
            "((t * 2654435769u) >> {})",
            k.random.number(&[24, 26, 27, 28])
        ),
        2 => format!("((t + {c} + m) / {d}u)"),
        3 => format!("((unsigned)t - {c}) % {d}u"),
        4 => format!("((unsigned)(t - {c}) >> 29) * 8 + t"),
        5 => format!("t - {c} < sizeof(int) * 2 ? t * 4 : t"),
        6 => format!("({c}u - t >= -t ? t * 8 : t * 4)"),
        7 => format!("(t - {c}u) / {d} % 64"),
        8 => format!("(unsigned char)(t * {c}) * 2"),
        _ => format!("(unsigned short)(t - {c}) / {d}"),
    };
    if k.random.one_in(4) {
        let ix = k.name("ix");
        k.line(&format!("size_t {ix} = (size_t)t - {c};"));
        k.open(&format!("if ({ix} < 1000)"));
        k.touch(&ix);
        k.close();
    } else {
        k.touch(&text);
    }
}

pub fn shifts(k: &mut Kernel) {
    let (e, by) = (k.expression(1), k.random.below(6));
    let c = k.random.number(&[1, 3, 5, 6, 7, 12, 31]);
    let text = match k.random.below(6) {
        0 => format!("(({e}) >> {by} & {c}) * 8 + t"),
        1 => format!("(t ^ (t >> {by})) * {c}"),
        2 => format!("(t << {by}) | (n & {c})"),
        3 => format!("~t & {c}"),
        4 => format!("((t & {c}) << {by}) + (t >> {by})"),
        _ => format!("t ^ ((t & {c}) << {by})"),
    };
    k.touch(&text);
}

pub fn divisions(k: &mut Kernel) {
    match k.random.below(4) {
        0 => return taken_apart(k),
        1 => return parts_of_sums(k),
        _ => {}
    }
    let e = k.expression(1);
    let c = k.constant();
    let text = match k.random.below(9) {
        0 => "t / ((n & 3) + 1) * 8".to_owned(),
        1 => format!("t % ((n & 7) + 1) * {c}"),
        2 => format!("({e}) / {c} * {c} + ({e}) % {c}"),
        3 => format!("(t - {c}) / 4 * 8"),
        4 => format!("(t - {c}) % 5 + t * 2"),
        5 => format!("(t * {c} + n) / 8"),
        6 => "t / (m | 1) + t".to_owned(),
        7 => "t % max(n, 1) * 2".to_owned(),
        _ => format!("(int)((unsigned)({e}) / {c}u % 16)"),
    };
    k.touch(&text);
}

/// What a remainder or a mask leaves of a sum of what lanes share and what parts them, divided.
fn parts_of_sums(k: &mut Kernel) {
    let own = k.pick(&[
        "t * 2",
        "(t | 5)",
        "t / 2 * 2",
        "t * 4",
        "(t ^ 3)",
        "t * 6",
        "t",
    ]);
    let shared = k.pick(&["(n & 1)", "blockIdx.x", "(n & 3)", "n", "(m & 12)", "n * 2"]);
    let sign = k.pick(&["+", "+", "-", "^"]);
    let left = k.pick(&["& 7", "% 8", "% 16", "& 30", "% 12", "& 28", "% 64"]);
    let by = k.pick(&["/ 2", ">> 1", "/ 4", "/ 3", "% 3", "& n", "/ 2 % 3"]);
    let c = k.small();
    let value = format!("((({own} {sign} {shared}) {left}) {by})");
    if k.random.one_in(3) {
        let compared = k.pick(&["<", "==", "!="]);
        k.open(&format!("if ((int){value} {compared} {c})"));
        k.touch_by(&c.to_string());
        k.close();
    } else {
        k.touch(&format!("(int){value} * {c}"));
    }
}

/// An index that quotients take apart: what each leaves is divided again.
fn taken_apart(k: &mut Kernel) {
    let ty = k.pick(&["int", "unsigned", "long long", "size_t", "short"]);
    let [i, h, w] = [k.name("i"), k.name("h"), k.name("w")];
    let c = k.constant();
    let start = k.pick(&["t", "t + n", "t * 3"]);
    let start = if k.random.one_in(3) {
        format!("t - {c}")
    } else {
        start.to_owned()
    };
    k.line(&format!(
        "{ty} {i} = {start}, {h} = (n & 7) + 1, {w} = (m & 3) + 1;"
    ));
    let taken = k.pick_pair(&[
        ("h * w", "h * w"),
        ("h * w", "w * h"),
        ("(h * w)", "(h * w)"),
        ("h * w", "h"),
    ]);
    let of = |text: &str| text.replace('h', &h).replace('w', &w);
    let (divisor, factors) = (of(taken.0), of(taken.1));
    k.line(&format!("{ty} {i}a = {i} / ({divisor});"));
    k.line(&format!("{ty} {i}b = ({i} - {i}a * {factors}) / {w};"));
    k.line(&format!("{ty} {i}c = {i} - {i}a * {factors} - {i}b * {w};"));
    match k.random.below(4) {
        0 => k.touch(&format!("(int){i}b & 1023")),
        1 => k.touch(&format!("(int){i}c * 4 & 1023")),
        2 => k.touch(&format!("(int)({i}a + {i}b) & 1023")),
        _ => k.touch(&format!("(int)({i}c + {w} * ({i}b + {h} * {i}a)) & 1023")),
    }
}

pub fn builtins(k: &mut Kernel) {
    let e = k.expression(1);
    let c = k.constant();
    let text = match k.random.below(20) {
        0 => "t * (__popc(~0) / 2)".to_owned(),
        1 => format!("t * __popc({e})"),
        2 => format!("t * __popc({c})"),
        3 => "__mul24(t, 1 << 24) + t".to_owned(),
        4 => format!("__mul24(t, {c})"),
        5 => format!("__umul24(t - {c}, 3)"),
        6 => format!("t * (__clz({c}) / 4)"),
        7 => "__clz(t) * 8 + t".to_owned(),
        8 => "__ffs(t) * 4".to_owned(),
        9 => format!("(__brev(t) >> 27) * {c}"),
        10 => format!("abs(t - {c})"),
        11 => format!("__mulhi(t << 20, {c} << 12)"),
        12 => "__umulhi(t * 2654435769u, 64)".to_owned(),
        13 => "min((unsigned)t - 4, 20u)".to_owned(),
        14 => "max(t - 7, -3) + 3".to_owned(),
        15 => "__popcll(~0ull) / 8 * t".to_owned(),
        16 => format!("__sad(t, {c}, 1u)"),
        17 => format!("__byte_perm(t, {c}, 0x3210) * 2"),
        18 => format!("__hadd(t, {c})"),
        _ => format!("__funnelshift_l(t, t, {})", k.random.below(8)),
    };
    k.touch(&text);
}

pub fn ternaries(k: &mut Kernel) {
    let (cond, other) = (k.condition(), k.condition());
    let (a, b) = (k.expression(1), k.expression(1));
    match k.random.below(4) {
        0 => k.touch(&format!("({cond}) ? {a} : {b}")),
        1 => {
            let q = k.name("q");
            // Of two equal numbers no compiler asks which it is.
            let (one, two) = (k.random.below(9), 4 + k.random.below(33));
            k.line(&format!(
                "int {q} = ({cond}) ? {one} : ({other}) ? {two} : 3;"
            ));
            k.touch_by(&q);
        }
        2 => {
            let (p, q) = (k.name("p"), k.name("q"));
            k.line(&format!("int {p} = 1, {q} = 2;"));
            k.line(&format!("(({cond}) ? {p} : {q}) = t * 4;"));
            k.touch(&q);
        }
        _ => {
            let q = k.name("q");
            k.line(&format!("int {q} = 1;"));
            k.line(&format!("({cond}) ? ({q} = 4) : ({q} = 8);"));
            k.touch_by(&q);
        }
    }
}

pub fn side_effects(k: &mut Kernel) {
    let i = k.name("i");
    let e = k.expression(1);
    k.line(&format!("int {i} = {e};"));
    let c = k.constant();
    match k.random.below(8) {
        0 => k.touch(&format!("{i}++")),
        1 => k.touch(&format!("++{i}")),
        2 => k.line(&format!("v += b[{i} += {c}];")),
        3 => k.line(&format!("a[({i} = t, {i} + {c})] = v;")),
        4 => k.line(&format!("a[{i} -= {c}] = v;")),
        5 => k.line(&format!("v += b[({i} *= 2) + t];")),
        6 => {
            let j = k.name("j");
            k.line(&format!("int {j} = ({i} += 2, {i} * {c});"));
            k.touch(&j);
        }
        _ => {
            let cond = k.condition();
            k.line(&format!("if (({cond}) && ({i} = t * {c}) > 5) v += 1;"));
        }
    }
    k.touch_by(&i);
}

pub fn comparisons(k: &mut Kernel) {
    let (cond, c) = (k.condition(), k.constant());
    let b = k.name("flag");
    let ty = k.pick(&["bool", "int", "const bool", "unsigned"]);
    k.line(&format!("{ty} {b} = {cond};"));
    match k.random.below(4) {
        0 => k.touch(&format!("t * ({b} + 1)")),
        1 => k.touch(&format!("t + {b} * {c}")),
        2 => k.touch(&format!("!{b} * {c} + t * 2")),
        _ => k.touch(&format!("({b} ? t : t * {c})")),
    }
}

pub fn constants(k: &mut Kernel) {
    let (c, e) = (k.constant(), k.small());
    let name = k.global_name("K");
    match k.random.below(5) {
        0 => k.head += &format!("enum {{ {name} = {c} }};\n"),
        1 => k.head += &format!("constexpr int {name} = {c} * 2 - {e};\n"),
        2 => k.head += &format!("static const unsigned {name} = {c};\n"),
        3 => k.head += &format!("#define {name} {c}\n"),
        _ => {
            k.head += &format!(
                "enum class E{name} : short {{ x = {c}, y }};\nconstexpr int {name} = (int)E{name}::y;\n"
            )
        }
    }
    match k.random.below(4) {
        0 => k.touch(&format!("t * {name}")),
        1 => k.touch(&format!("(t * ({name}) - 1) & 1023")),
        2 => k.touch(&format!("({name}) - 1 + t * 2")),
        _ => k.touch(&format!("t * sizeof(\"abc\") + {name}")),
    }
}

/// Functions of the standard library: their types follow those of their arguments.
pub fn library_types(k: &mut Kernel) {
    let ty = k.pick(&[
        "int",
        "short",
        "unsigned",
        "float",
        "double",
        "unsigned char",
        "long long",
    ]);
    let (x, name) = (k.name("x"), k.global_name("size"));
    k.head += "#include <algorithm>\n#include <cmath>\n";
    k.line(&format!("{ty} {x} = ({ty})t;"));
    let one = k.pick(&["sqrt", "floor", "exp", "cbrt", "trunc", "log2"]);
    let two = k.pick(&["pow", "fmax", "fmin", "hypot", "min", "max"]);
    let call = match k.random.below(5) {
        0 | 1 => format!("std::{one}({x})"),
        2 => format!("std::ldexp({x}, 2)"),
        _ => format!("std::{two}({x}, {x})"),
    };
    match k.random.below(3) {
        0 => k.touch(&format!("t * sizeof({call})")),
        1 => {
            k.line(&format!("typedef decltype({call}) {name};"));
            k.touch(&format!("t * sizeof({name}) + 1"));
        }
        _ => {
            k.head += &format!(
                "template <class T> __device__ int {name}(T) {{ return (int)sizeof(T); }}\n"
            );
            k.touch(&format!("t * {name}({call})"));
        }
    }
}
