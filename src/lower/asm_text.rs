//! PTX in `asm`: instructions taken apart into words, operands and destinations.
//!
//! Reads text only; what an instruction means is in `asm`.

use crate::ir::Scalar;

/// `ld.global.nc.v4.f32` cut at its dots, and its operands.
pub(super) struct Instruction<'t> {
    pub parts: Vec<&'t str>,
    pub operands: Vec<&'t str>,
    pub guard: Option<(&'t str, bool)>,
}

pub(super) fn element(part: &str) -> Option<Scalar> {
    Some(match part {
        "b8" | "u8" => Scalar::U8,
        "s8" => Scalar::I8,
        "b16" | "u16" => Scalar::U16,
        "s16" => Scalar::I16,
        "f16" => Scalar::F16,
        "bf16" => Scalar::BF16,
        "b32" | "u32" | "f16x2" | "bf16x2" => Scalar::U32,
        "s32" => Scalar::I32,
        "f32" => Scalar::F32,
        "b64" | "u64" => Scalar::U64,
        "s64" => Scalar::I64,
        "f64" => Scalar::F64,
        "b128" => Scalar::Bytes(16),
        _ => return None,
    })
}

/// Operands are split at commas outside of braces and brackets.
fn split_operands(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut depth, mut start) = (0i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                out.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        out.push(last);
    }
    out
}

pub(super) fn instruction(text: &str) -> Option<Instruction<'_>> {
    let mut text = text.trim();
    // A block's braces stand in front of or behind an instruction.
    while let Some(rest) = text.strip_prefix('{').or_else(|| text.strip_prefix('}')) {
        text = rest.trim_start();
    }
    let mut guard = None;
    if let Some(rest) = text.strip_prefix('@') {
        let (name, rest) = rest.split_once(char::is_whitespace)?;
        guard = Some(match name.strip_prefix('!') {
            Some(name) => (name, false),
            None => (name, true),
        });
        text = rest.trim_start();
    }
    if text.is_empty() || text.starts_with(".reg") {
        return None;
    }
    let end = text
        .find(|c: char| c.is_whitespace() || c == '{' || c == '[')
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.ends_with(':') && name.len() > 1 {
        return instruction(rest);
    }
    Some(Instruction {
        parts: name.split('.').collect(),
        operands: split_operands(rest),
        guard,
    })
}

/// Instructions with an address that ask no shared or global memory for data.
pub(super) const ASKS_NOTHING: [&str; 8] = [
    "prefetch",
    "prefetchu",
    "discard",
    "applypriority",
    "createpolicy",
    "isspacep",
    "mapa",
    "tensormap",
];

/// Whether it may ask for shared or global memory.
pub(super) fn touches_memory(i: &Instruction<'_>) -> bool {
    const NAMES: [&str; 9] = [
        "ld", "ldu", "st", "atom", "red", "cp", "ldmatrix", "stmatrix", "mbarrier",
    ];
    i.parts.first().is_some_and(|name| NAMES.contains(name))
}

/// Whether it works on a barrier in shared memory.
pub(super) fn is_of_barrier(i: &Instruction<'_>) -> bool {
    i.parts.first() == Some(&"mbarrier")
}

pub(super) fn items(list: &str) -> Vec<&str> {
    split_operands(list.trim().trim_start_matches('{').trim_end_matches('}'))
}

/// The text without comments, in one line.
pub(super) fn in_one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("/*") {
        out.push_str(&rest[..at]);
        rest = rest[at + 2..].split_once("*/").map_or("", |(_, rest)| rest);
    }
    out.push_str(rest);
    let lines = out
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""));
    lines.collect::<Vec<_>>().join(" ")
}

/// What an instruction writes: its first operand, one of several, or a value and a predicate.
pub(super) fn destinations<'t>(i: &Instruction<'t>) -> Vec<&'t str> {
    const WITHOUT: [&str; 16] = [
        "st",
        "red",
        "bar",
        "barrier",
        "membar",
        "fence",
        "cp",
        "prefetch",
        "prefetchu",
        "stmatrix",
        "bra",
        "ret",
        "exit",
        "trap",
        "nanosleep",
        "griddepcontrol",
    ];
    let Some(first) = i.operands.first() else {
        return Vec::new();
    };
    if i.parts.first().is_none_or(|name| WITHOUT.contains(name)) || first.starts_with('[') {
        return Vec::new();
    }
    let parts = items(first);
    parts
        .into_iter()
        .flat_map(|one| one.split('|'))
        .map(str::trim)
        .collect()
}

/// The operand that `%3` names.
pub(super) fn operand_number(text: &str) -> Option<usize> {
    text.trim().strip_prefix('%')?.parse().ok()
}

/// Instructions whose result the operands alone decide (PTX ISA 9.0, section 9.7). Those that take the carry of an
/// earlier instruction are none.
const OF_OPERANDS: &[&str] = &[
    "abs",
    "add",
    "and",
    "bfe",
    "bfi",
    "bfind",
    "bmsk",
    "brev",
    "clz",
    "cnot",
    "copysign",
    "cos",
    "cvt",
    "cvta",
    "div",
    "dp2a",
    "dp4a",
    "ex2",
    "fma",
    "fns",
    "isspacep",
    "lg2",
    "lop3",
    "mad",
    "mad24",
    "max",
    "min",
    "mov",
    "mul",
    "mul24",
    "neg",
    "not",
    "or",
    "popc",
    "prmt",
    "rcp",
    "rem",
    "rsqrt",
    "sad",
    "selp",
    "set",
    "setp",
    "shf",
    "shl",
    "shr",
    "sin",
    "slct",
    "sqrt",
    "sub",
    "szext",
    "tanh",
    "testp",
    "vabsdiff",
    "vabsdiff2",
    "vabsdiff4",
    "vadd",
    "vadd2",
    "vadd4",
    "vavrg2",
    "vavrg4",
    "vmad",
    "vmax",
    "vmax2",
    "vmax4",
    "vmin",
    "vmin2",
    "vmin4",
    "vset",
    "vset2",
    "vset4",
    "vshl",
    "vshr",
    "vsub",
    "vsub2",
    "vsub4",
    "xor",
];

/// Whether it is known to compute with registers alone.
pub(super) fn is_of_registers(i: &Instruction<'_>) -> bool {
    let name = i.parts.first().copied().unwrap_or_default();
    OF_OPERANDS.contains(&name)
}

/// Whether what the text computes is the same in lanes whose operands are the same. Nobody can say so of an instruction
/// that is not known, nor of a register that the text does not declare: a special one, or one of other text.
pub(super) fn is_function_of_operands(text: &str) -> bool {
    let text = text.replace("%%", "%");
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '%');
    let declared: Vec<&str> = text
        .split(';')
        .filter_map(|part| part.split_once(".reg"))
        .flat_map(|(_, rest)| rest.split([',', ' ', '\t']))
        .filter(|name| !name.starts_with('.'))
        .map(|name| name.split('<').next().unwrap_or(name))
        .filter(|name| !name.is_empty())
        .collect();
    // `%x<4>` declares `%x0` to `%x3`.
    let is_register = |name: &str, word: &str| {
        word.strip_prefix(name)
            .is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
    };
    let is_own = |word: &str| {
        let number = word.strip_prefix('%').unwrap_or(word);
        word.is_empty()
            || number.starts_with(|c: char| c.is_ascii_digit())
            || declared.iter().any(|name| is_register(name, word))
    };
    text.split(';').filter_map(instruction).all(|i| {
        let name = i.parts.first().copied().unwrap_or_default();
        let mut sources = i.operands.iter().skip(1);
        let has_own = |source: &str| source.split(|c| !is_word(c)).all(is_own);
        i.guard.is_none() && OF_OPERANDS.contains(&name) && sources.all(|source| has_own(source))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_share_what_operands_decide() {
        assert!(is_function_of_operands("bfi.b32 %0, %1, %2, 3, 4;"));
        assert!(is_function_of_operands(
            "{ .reg .u32 %%x<2>; .reg .u32 y; mov.u32 y, 0x3; add.u32 %%x0, %1, y; mul.lo.u32 %0, %%x0, %%x0; }"
        ));
        for other in [
            "foo %0;",
            "mov.u32 %0, %%anything;",
            "mov.u32 %0, of_other_text;",
            "{ .reg .u32 y; mov.u32 y, 1; add.u32 %0, y, yet_another; }",
            "addc.u32 %0, %1, %2;",
            "activemask.b32 %0;",
            "@p add.u32 %0, %1, %2;",
            "{ add.u32 %0, %1, %2; bra L; }",
        ] {
            assert!(!is_function_of_operands(other), "{other}");
        }
    }
}
