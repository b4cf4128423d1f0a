//! One access explained: address, symbols, proof, and which lane wants which bank.
//!
//! Given an access, its kernel and what a fix makes of it, gives text for people. Knows nothing
//! of terminals but whether to write colours.

use super::{bank_map, visible};
use crate::access::sample::{self, from_domain};
use crate::access::{self, Walk};
use crate::gpu::Arch;
use crate::gpu::cost::{self, Request};
use crate::ir::{Kernel, Program};
use crate::prove;
use crate::prove::claim::hexadecimal;
use crate::prove::verdict::{Access, Condition, Status, Witness};
use crate::rules::waste::told_as_written;
use crate::source::SourceMap;
use crate::term::render;
use crate::term::{Domain, LIMIT, Sharing, SymbolId, SymbolOrigin};
use std::fmt::Write as _;

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
        visible::line(&place.file()),
        place.start.line,
        place.start.column,
        access.memory(),
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
        format!(
            " from {}:{}",
            visible::path(&file.path),
            file.line(span.start)
        )
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
    out.extend(bank_map::full(access, arch, color));
    if let Some(after) = after {
        let _ = writeln!(out, "\nafter the fix: {}", after.title);
        let verdict = &after.access.verdict;
        if verdict.is_known() {
            let told = tell_cost(after.access);
            row(&mut out, "cost", &told);
        } else {
            row(&mut out, "cost", verdict.status.name());
        }
        out.extend(bank_map::full(after.access, arch, color));
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
        let why = visit.reason.as_ref();
        let reason = why.map_or("it is not modelled", |why| &*why.text);
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
        shown.verdict.witness = some_request(access, program, arch).map(Box::new);
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
    let place = known.origin.parameter();
    let parameter = place.and_then(|at| kernel.parameters.get(at as usize));
    let what = if symbol == walk.lane {
        "the lane of the warp".to_owned()
    } else if let Sharing::Varying(why) = &known.sharing {
        format!("differs from lane to lane: {}", why.text)
    } else if let Some(parameter) = parameter {
        let file = subject.sources.get(parameter.span.file);
        format!("parameter, line {}", file.line(parameter.span.start))
    } else {
        match known.origin {
            SymbolOrigin::Iteration => match &known.variable {
                Some(counter) => format!("counts the iterations of the loop over `{counter}`"),
                None => "counts the iterations of a loop".to_owned(),
            },
            SymbolOrigin::ThreadIndex(_) | SymbolOrigin::BlockIndex | SymbolOrigin::Dimension => {
                "built in, the same for all lanes".to_owned()
            }
            SymbolOrigin::Warp => "which warp of the block".to_owned(),
            SymbolOrigin::PointerOffset { piece } => {
                let pointer = known.variable.as_deref().unwrap_or(&known.name);
                let unit = match piece {
                    Some(bytes) => format!("pieces of {bytes} bytes"),
                    None => "elements".to_owned(),
                };
                format!("where the launch lets `{pointer}` point, in {unit}")
            }
            SymbolOrigin::Start { piece } => {
                let variable = known.variable.as_deref().unwrap_or(&known.name);
                format!("where the compiler puts `{variable}`, in pieces of {piece} bytes")
            }
            SymbolOrigin::Parameter(_) | SymbolOrigin::Element { .. } | SymbolOrigin::Other => {
                "read at run time, the same for all lanes".to_owned()
            }
        }
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
        if let Some(sum) = told_as_written(access) {
            let _ = writeln!(out, "{:10}{sum}", "per block");
        }
        let what = if verdict.status == Status::Exact {
            "exact, for every warp, block and iteration".to_owned()
        } else {
            format!("bounds: {}", verdict.reason)
        };
        let _ = writeln!(out, "{:10}{what}", "proof");
        let mut told = Vec::new();
        for claim in verdict.certificate.iter() {
            if !told.contains(&claim.kind) {
                told.push(claim.kind);
                let _ = writeln!(
                    out,
                    "  {:24} {} (Z3, obligation {})",
                    claim.kind.name(),
                    claim.kind.statement(),
                    hexadecimal(&claim.obligation)
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
                if case.when == Condition::Otherwise {
                    format!("otherwise, by `{}`", dependence.symbol)
                } else {
                    format!("if {}", dependence.when(case))
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
