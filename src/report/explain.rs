//! One access explained: address, symbols, proof, and which lane wants which bank.
//!
//! Given an access, its kernel and what a fix makes of it, gives text for people. Knows nothing
//! of terminals but whether to write colours.

use crate::access::sample::{self, from_domain};
use crate::access::term::{Domain, LIMIT, Sharing, SymbolId};
use crate::access::{self, Walk, render};
use crate::gpu::cost::{self, BankUse, Request, Space};
use crate::gpu::{Arch, WARP};
use crate::ir::{Kernel, Program};
use crate::prove;
use crate::prove::verdict::{Access, Status, Witness};
use crate::source::SourceMap;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Bytes of a sector, the unit of global traffic.
const SECTOR: i64 = 32;
/// Longest address told.
const ADDRESS: usize = 400;
/// Choices of values tried for a request to show.
const SEEDS: i64 = 16;

/// What the explanation of one access rests on.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub access: &'a Access,
    pub sources: &'a SourceMap,
    pub program: &'a Program,
    pub arch: &'a Arch,
}

/// A fix of the access and the same access after it.
#[derive(Clone, Copy)]
pub struct After<'a> {
    pub title: &'a str,
    pub access: &'a Access,
}

/// The whole explanation, its last line ended.
#[must_use]
pub fn render(subject: Subject, after: Option<After>, color: bool) -> String {
    let Subject {
        access,
        sources,
        arch,
        ..
    } = subject;
    let mut out = String::new();
    let place = super::place(sources, access.site.span);
    let _ = writeln!(
        out,
        "{}:{}:{}: {} {} of `{}`, {} bytes per lane",
        place.file(),
        place.start.line,
        place.start.column,
        access.space.name(),
        access.op.name(),
        access.site.array,
        access.width
    );
    let text = sources.text(access.site.span);
    for line in text.lines() {
        let _ = writeln!(out, "    {}", line.trim());
    }
    let row = |out: &mut String, name: &str, text: &str| {
        let _ = writeln!(out, "{name:10}{text}");
    };
    let shape: Vec<String> = access
        .launch
        .block
        .iter()
        .map(|axis| axis.map_or_else(|| "?".to_owned(), |n| n.to_string()))
        .collect();
    let from = access.launch.span.map_or_else(String::new, |span| {
        let file = sources.get(span.file);
        format!(" from {}:{}", file.path.display(), file.line(span.start))
    });
    row(
        &mut out,
        "kernel",
        &format!(
            "{}{}, block ({}){from}",
            access.kernel,
            access.instance,
            shape.join(", ")
        ),
    );
    address(subject, &mut out);
    for guard in &access.guards {
        row(&mut out, "guard", guard);
    }
    proof(access, &mut out);
    map(access, arch, color, &mut out);
    if let Some(after) = after {
        let _ = writeln!(out, "\nafter the fix: {}", after.title);
        let verdict = &after.access.verdict;
        if verdict.is_known() {
            let told = tell_cost(after.access);
            row(&mut out, "cost", &told);
        } else {
            row(&mut out, "cost", verdict.status.name());
        }
        map(after.access, arch, color, &mut out);
    }
    out
}

/// Whether an access is one of this kernel, not of one with the same name elsewhere.
fn is_of(access: &Access, kernel: &Kernel) -> bool {
    *kernel.name == *access.kernel
        && *kernel.instance == *access.instance
        && kernel.span.start == access.kernel_span.start
}

/// The address as a formula, and where each of its symbols comes from.
fn address(subject: Subject, out: &mut String) {
    let Subject {
        access, program, ..
    } = subject;
    let kernel = program.kernels.iter().find(|kernel| is_of(access, kernel));
    let found = kernel.and_then(|kernel| walked(kernel, access, program));
    let Some((kernel, walk, at)) = kernel
        .zip(found)
        .map(|(kernel, (walk, at))| (kernel, walk, at))
    else {
        let _ = writeln!(out, "{:10}{}", "address", access.formula);
        return;
    };
    let visit = &walk.visits[at];
    let Some(offset) = visit.offset else {
        let reason = visit.reason.as_deref().unwrap_or("it is not modelled");
        let _ = writeln!(out, "{:10}unknown: {reason}", "address");
        return;
    };
    let _ = writeln!(
        out,
        "{:10}start of `{}` + {} bytes",
        "address",
        access.site.array,
        render::render(&walk.terms, offset, ADDRESS)
    );
    let mut symbols = Vec::new();
    walk.terms.symbols_of(offset, &mut symbols);
    for guard in &visit.guards {
        walk.terms.symbols_of(*guard, &mut symbols);
    }
    let mut seen: Vec<SymbolId> = Vec::new();
    for symbol in symbols {
        if seen.contains(&symbol) {
            continue;
        }
        seen.push(symbol);
        let name = &walk.terms.symbol(symbol).name;
        let _ = writeln!(
            out,
            "  {name:24} {}",
            origin(&walk, symbol, kernel, subject)
        );
    }
}

/// The access with a request to show: one that costs its ideal everywhere needs no witness, so
/// any of its requests will do.
#[must_use]
pub fn with_request(access: &Access, program: &Program, arch: &Arch) -> Access {
    let mut shown = access.clone();
    if shown.verdict.witness.is_none() && shown.verdict.is_known() {
        shown.verdict.witness = some_request(access, program, arch);
    }
    shown
}

fn some_request(access: &Access, program: &Program, arch: &Arch) -> Option<Witness> {
    let kernel = program
        .kernels
        .iter()
        .find(|kernel| is_of(access, kernel))?;
    let (walk, at) = walked(kernel, access, program)?;
    let visit = &walk.visits[at];
    let offset = visit.offset?;
    let mut symbols = Vec::new();
    walk.terms.symbols_of(offset, &mut symbols);
    (0..SEEDS).find_map(|seed| {
        let pick = |symbol: SymbolId, _: i64| {
            from_domain(
                &walk.terms.symbol(symbol).domain,
                seed * i64::from(symbol.0),
                64,
            )
        };
        let lanes = sample::lanes(&walk, &visit.guards, offset, &pick)?;
        let addresses = lanes.map(|lane| lane.map(|byte| byte as u64));
        let request = Request {
            addresses,
            width: access.width,
            space: access.space,
            op: access.op,
        };
        let found = cost::cost(&request, arch);
        (found.actual == access.verdict.max).then(|| Witness {
            symbols: symbols
                .iter()
                .filter(|symbol| **symbol != walk.lane)
                .map(|symbol| {
                    (
                        walk.terms.symbol(*symbol).name.to_string(),
                        pick(*symbol, 0),
                    )
                })
                .collect(),
            addresses,
            cost: found.actual,
            ideal: found.ideal,
        })
    })
}

/// The walk that the access is from, and its visit there.
fn walked(kernel: &Kernel, access: &Access, program: &Program) -> Option<(Walk, usize)> {
    prove::launches(kernel).iter().find_map(|launch| {
        let block = [0, 1, 2].map(|axis: usize| launch.block[axis].known());
        if block != access.launch.block {
            return None;
        }
        let walk = access::walk(program, kernel, launch);
        let at = walk.visits.iter().position(|visit| {
            let site = &kernel.sites[visit.site.index()];
            (site.span.start, site.span.end) == (access.site.span.start, access.site.span.end)
                && (visit.op, visit.space, visit.width) == (access.op, access.space, access.width)
        })?;
        Some((walk, at))
    })
}

/// Where a symbol's value comes from, and its range.
fn origin(walk: &Walk, symbol: SymbolId, kernel: &Kernel, subject: Subject) -> String {
    let known = walk.terms.symbol(symbol);
    let name: &str = &known.name;
    let parameter = kernel.parameters.iter().find(|parameter| {
        name.strip_prefix(parameter.name.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    });
    let is_builtin = ["threadIdx", "blockIdx", "blockDim", "gridDim"]
        .iter()
        .any(|builtin| name.starts_with(builtin));
    let what = if symbol == walk.lane {
        "the lane of the warp".to_owned()
    } else if let Sharing::Varying(reason) = &known.sharing {
        format!("differs from lane to lane: {reason}")
    } else if let Some(parameter) = parameter {
        let file = subject.sources.get(parameter.span.file);
        format!("parameter, line {}", file.line(parameter.span.start))
    } else if let Some(counter) = name.strip_prefix("iteration of ") {
        format!("counts the iterations of the loop over `{counter}`")
    } else if name == "iteration" {
        "counts the iterations of a loop".to_owned()
    } else if is_builtin {
        "built in, the same for all lanes".to_owned()
    } else if name == "warp" {
        "which warp of the block".to_owned()
    } else if let Some(pointer) = name.strip_prefix("offset of ") {
        format!("where the launch lets `{pointer}` point, in elements")
    } else {
        "read at run time, the same for all lanes".to_owned()
    };
    format!("{what}{}", range(&known.domain))
}

fn range(domain: &Domain) -> String {
    if let Some(values) = &domain.values {
        let mut told: Vec<String> = values.iter().take(6).map(i64::to_string).collect();
        if values.len() > told.len() {
            told.push("…".to_owned());
        }
        return format!(", one of {}", told.join(", "));
    }
    if domain.low <= i64::from(i32::MIN) && domain.high >= i64::from(i32::MAX)
        || domain.high >= LIMIT
    {
        return String::new();
    }
    format!(", {} to {}", domain.low, domain.high)
}

fn tell_cost(access: &Access) -> String {
    let verdict = &access.verdict;
    let unit = access.space.unit();
    let range = if verdict.status == Status::Exact {
        format!("{} {unit}", verdict.max)
    } else {
        format!("{} to {} {unit}", verdict.min, verdict.max)
    };
    format!(
        "{range} per request, ideal {}, {} excessive",
        verdict.ideal,
        verdict.max.saturating_sub(verdict.ideal)
    )
}

fn proof(access: &Access, out: &mut String) {
    let verdict = &access.verdict;
    if !verdict.is_known() {
        let _ = writeln!(
            out,
            "{:10}{}: {}",
            "cost",
            verdict.status.name(),
            verdict.reason
        );
    } else {
        let _ = writeln!(out, "{:10}{}", "cost", tell_cost(access));
        let what = if verdict.status == Status::Exact {
            "exact, for every warp, block and iteration".to_owned()
        } else {
            format!("bounds: {}", verdict.reason)
        };
        let _ = writeln!(out, "{:10}{what}", "proof");
        let mut told = Vec::new();
        for claim in &verdict.certificate {
            if !told.contains(&claim.kind) {
                told.push(claim.kind);
                let _ = writeln!(
                    out,
                    "  {:24} {} (Z3, obligation {})",
                    claim.kind, claim.statement, claim.obligation
                );
            }
        }
    }
    for dependence in &verdict.depends_on {
        for case in &dependence.cases {
            let range = if case.min == case.max {
                case.max.to_string()
            } else {
                format!("{} to {}", case.min, case.max)
            };
            let _ = writeln!(
                out,
                "{:10}{range} {} (ideal {}), {}",
                "depends",
                access.space.unit(),
                case.ideal,
                if case.when == "otherwise" {
                    format!("otherwise, by `{}`", dependence.symbol)
                } else {
                    format!("if {}", case.when)
                }
            );
        }
    }
    for assumption in &verdict.assumptions {
        let _ = writeln!(out, "{:10}{assumption}", "assumes");
    }
    if let Some(witness) = &verdict.witness {
        let mut values = witness.values();
        if values.is_empty() {
            "the only request there is".clone_into(&mut values);
        }
        let _ = writeln!(out, "{:10}{values}", "witness");
    }
}

/// What the lanes of the witness want.
fn map(access: &Access, arch: &Arch, color: bool, out: &mut String) {
    let Some(witness) = &access.verdict.witness else {
        return;
    };
    match access.space {
        Space::Shared => {
            let request = Request {
                addresses: witness.addresses,
                width: access.width,
                space: access.space,
                op: access.op,
            };
            bank_map(&request, arch, color, out);
        }
        Space::Global => sector_map(&witness.addresses, access.width, out),
    }
}

/// How a word stands to the others of its bank.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    None,
    /// Alone in its bank.
    Free,
    /// Wanted by another lane too, which costs nothing.
    Common,
    /// Other words of the bank are wanted at the same time.
    Conflict,
}

/// Lanes down, banks across. `#` is a word in conflict, `o` one without, `=` one that lanes share.
#[must_use]
pub fn bank_map_text(request: &Request, arch: &Arch, color: bool) -> String {
    let mut out = String::new();
    bank_map(request, arch, color, &mut out);
    out
}

fn bank_map(request: &Request, arch: &Arch, color: bool, out: &mut String) {
    let uses = cost::bank_map(request, arch);
    let banks = usize::from(arch.banks);
    // Each word of a wide access is a use of its own.
    let mut words: Vec<(usize, u32, u64, usize)> = Vec::new();
    for BankUse {
        lane,
        word,
        words: count,
        group,
        ..
    } in &uses
    {
        for word in *word..word + u64::from(*count) {
            let bank = (word % banks as u64) as usize;
            words.push((usize::from(lane.0), *group, word, bank));
        }
    }
    let mark = |lane: usize, group: u32, word: u64, bank: usize| {
        let others = words
            .iter()
            .filter(|one| (one.1, one.3) == (group, bank) && one.0 != lane);
        let (mut is_common, mut is_conflict) = (false, false);
        for other in others {
            is_common |= other.2 == word;
            is_conflict |= other.2 != word;
        }
        match (is_conflict, is_common) {
            (true, _) => Mark::Conflict,
            (_, true) => Mark::Common,
            _ => Mark::Free,
        }
    };
    let tens: String = (0..banks)
        .map(|bank| {
            if bank % 10 == 0 {
                (b'0' + (bank / 10) as u8) as char
            } else {
                ' '
            }
        })
        .collect();
    let ones: String = (0..banks)
        .map(|bank| (b'0' + (bank % 10) as u8) as char)
        .collect();
    let _ = writeln!(out, "\nlane      bank {}", tens.trim_end());
    let _ = writeln!(out, "               {ones}");
    let lanes_together = cost::group_lanes(request, arch);
    for lane in 0..WARP {
        if lane > 0 && lane % lanes_together == 0 {
            let _ = writeln!(out, "               {}", "-".repeat(banks));
        }
        let mut marks = vec![Mark::None; banks];
        for (_, group, word, bank) in words.iter().filter(|one| one.0 == lane) {
            marks[*bank] = mark(lane, *group, *word, *bank);
        }
        let cells: String = marks.iter().map(|one| cell(*one, color)).collect();
        let word = uses.iter().find(|one| usize::from(one.lane.0) == lane);
        let word = word.map_or_else(|| "inactive".to_owned(), |one| format!("word {}", one.word));
        let _ = writeln!(out, "{lane:4}           {cells}  {word}");
    }
    let _ = writeln!(
        out,
        "               # word in conflict, o word of its own, = word that lanes share"
    );
}

fn cell(mark: Mark, color: bool) -> String {
    let (text, code) = match mark {
        Mark::None => (".", "2"),
        Mark::Free => ("o", "32"),
        Mark::Common => ("=", "36"),
        Mark::Conflict => ("#", "31;1"),
    };
    if color {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}

/// Each sector with the lanes that want some of it.
fn sector_map(addresses: &[Option<u64>; WARP], width: u32, out: &mut String) {
    let mut sectors: BTreeMap<i64, (Vec<usize>, u32)> = BTreeMap::new();
    for (lane, address) in addresses.iter().enumerate() {
        let Some(address) = address.map(|address| address as i64) else {
            continue;
        };
        let end = address.saturating_add(i64::from(width.max(1)));
        for sector in address.div_euclid(SECTOR)..=(end - 1).div_euclid(SECTOR) {
            let entry = sectors.entry(sector).or_default();
            entry.0.push(lane);
            for byte in address.max(sector * SECTOR)..end.min((sector + 1) * SECTOR) {
                entry.1 |= 1 << (byte - sector * SECTOR);
            }
        }
    }
    let _ = writeln!(out, "\nsector     bytes used of 32                  lanes");
    for (sector, (lanes, used)) in &sectors {
        let cells: String = (0..32)
            .map(|byte| if used >> byte & 1 == 1 { '#' } else { '.' })
            .collect();
        let _ = writeln!(out, "{:6}     {cells}  {}", sector, ranges(lanes));
    }
}

/// `0-7, 16`.
fn ranges(lanes: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for lane in lanes {
        match parts.last_mut() {
            Some((_, end)) if *end + 1 == *lane => *end = *lane,
            _ => parts.push((*lane, *lane)),
        }
    }
    let told: Vec<String> = parts
        .iter()
        .map(|(start, end)| {
            if start == end {
                start.to_string()
            } else {
                format!("{start}-{end}")
            }
        })
        .collect();
    told.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::cost::Op;

    fn map_of(address: impl Fn(u64) -> u64, width: u32) -> String {
        let mut addresses = [None; WARP];
        for (lane, slot) in addresses.iter_mut().enumerate() {
            *slot = Some(address(lane as u64));
        }
        let request = Request {
            addresses,
            width,
            space: Space::Shared,
            op: Op::Load,
        };
        bank_map_text(&request, &Arch::DEFAULT, false)
    }

    #[test]
    fn a_column_is_one_bank_in_conflict() {
        let text = map_of(|lane| 128 * lane, 4);
        assert_eq!(text.matches('#').count(), 32 + 1);
        assert!(
            text.lines()
                .nth(3)
                .is_some_and(|line| line.contains("#......"))
        );
    }

    #[test]
    fn a_row_is_a_diagonal_and_a_broadcast_is_shared() {
        let row = map_of(|lane| 4 * lane, 4);
        for (lane, line) in row.lines().skip(3).take(32).enumerate() {
            let cells = format!("{}o{}", ".".repeat(lane), ".".repeat(31 - lane));
            assert!(line.contains(&cells), "{line}");
        }
        assert_eq!(map_of(|_| 0, 4).matches('=').count(), 32 + 1);
    }

    #[test]
    fn wide_lanes_take_several_banks_by_quarter_warps() {
        let text = map_of(|lane| 16 * lane, 16);
        assert!(
            text.lines()
                .nth(3)
                .is_some_and(|line| line.contains("oooo...."))
        );
        assert_eq!(text.matches("-----").count() / 6, 3);
    }
}
