//! Accesses in Markdown, for hovers and lists in editors.
//!
//! Given accesses, gives what is known of them and how: cost beside ideal, address,
//! launch, proof, assumptions, and the map of a witness.

use super::{bank_map, brief, count, prose};
use crate::gpu::{Arch, Space};
use crate::ir::LaunchSource;
use crate::prove::verdict::{Access, Dependence, LaunchShape, Status, Witness};
use crate::rules::waste::told_as_written;
use crate::source::{SourceMap, Span};
use std::fmt::Write as _;

/// Accesses of one place that are told in full.
const MOST: usize = 3;
/// Cases of one dependence that are told.
const MOST_CASES: usize = 8;

/// Everything about the accesses of one place, the worst first.
#[must_use]
pub fn place(accesses: &[&Access], sources: &SourceMap, arch: &Arch) -> String {
    let mut sorted: Vec<&Access> = accesses.to_vec();
    sorted.sort_by_key(|access| std::cmp::Reverse(brief::badness(access)));
    let mut parts: Vec<String> = sorted
        .iter()
        .take(MOST)
        .enumerate()
        .map(|(at, access)| one(access, sources, arch, at == 0))
        .collect();
    if sorted.len() > MOST {
        parts.push(format!(
            "and {} here",
            count(sorted.len() - MOST, "more access", "more accesses")
        ));
    }
    parts.join("\n\n---\n\n")
}

fn one(access: &Access, sources: &SourceMap, arch: &Arch, with_map: bool) -> String {
    let verdict = &access.verdict;
    let mut text = headline(access);
    if with_map
        && verdict.is_bad()
        && let Some(map) = bank_map::brief(access, arch)
    {
        let values = verdict.witness.as_deref().map(Witness::values);
        let of = match values.as_deref() {
            None | Some("") => String::new(),
            Some(values) => format!(" with {values}"),
        };
        let what = match access.space {
            Space::Shared => "banks",
            Space::Global => "sectors",
        };
        let _ = write!(
            text,
            "Lanes and {what} of a request{of}:\n\n```text\n{map}\n```\n\n"
        );
    }
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "- {name}: {value}");
    };
    if !access.formula.is_empty() {
        line("address", prose::code(&access.formula));
    }
    if let Some(sum) = told_as_written(access) {
        line("per block", sum);
    }
    line("launch", launch(&access.launch, sources));
    if !access.instance.is_empty() {
        line(
            "instance",
            prose::code(&format!("{}{}", access.kernel, access.instance)),
        );
    }
    for guard in &access.guards {
        line("under", prose::code(guard));
    }
    line("proof", proof(access));
    for dependence in &verdict.depends_on {
        line(
            &format!("depends on {}", prose::code(&dependence.symbol)),
            cases(dependence),
        );
    }
    for assumption in &verdict.assumptions {
        line("assumes", prose::inline(&assumption.to_string()));
    }
    text.truncate(text.trim_end().len());
    text
}

/// What is accessed, and the verdict.
fn headline(access: &Access) -> String {
    let verdict = &access.verdict;
    let unit = access.space.unit();
    let mut text = format!(
        "**{} {}** of {} ({} bytes per lane): ",
        access.memory(),
        access.op.name(),
        prose::code(&access.site.array),
        access.width
    );
    match verdict.status {
        Status::Unknown => {
            let _ = write!(
                text,
                "**unknown**, because {}",
                prose::inline(&verdict.reason)
            );
        }
        Status::DataDependent => {
            let _ = write!(
                text,
                "**data-dependent**: {}",
                prose::inline(&verdict.reason)
            );
        }
        Status::Exact | Status::Bounded => {
            let cost = if verdict.min == verdict.max {
                verdict.max.to_string()
            } else {
                format!("{} to {}", verdict.min, verdict.max)
            };
            let _ = write!(
                text,
                "**{cost} {unit}** per request, ideal {}",
                verdict.ideal
            );
            if verdict.max > verdict.ideal {
                let _ = write!(text, ", {} excessive", verdict.max - verdict.ideal);
            }
            if verdict.is_ideal() {
                text.push_str(", proved ideal");
            }
        }
    }
    text.push_str("\n\n");
    text
}

/// What costs how much if the symbol has which values.
fn cases(dependence: &Dependence) -> String {
    let mut cases: Vec<String> = dependence
        .cases
        .iter()
        .take(MOST_CASES)
        .map(|case| {
            let cost = if case.min == case.max {
                case.max.to_string()
            } else {
                format!("{}..{}", case.min, case.max)
            };
            format!("{cost} if {}", prose::code(&dependence.when(case)))
        })
        .collect();
    if dependence.cases.len() > MOST_CASES {
        cases.push(format!("{} more", dependence.cases.len() - MOST_CASES));
    }
    cases.join("; ")
}

fn proof(access: &Access) -> String {
    let verdict = &access.verdict;
    let mut text = verdict.status.name().to_owned();
    if verdict.status == Status::Bounded && !verdict.reason.is_empty() {
        let _ = write!(text, " ({})", verdict.reason);
    }
    if !verdict.certificate.is_empty() {
        text.push_str(" (checked with Z3)");
    }
    text
}

/// `block (32, 8, 1) from line 40`
#[must_use]
pub fn launch(launch: &LaunchShape, sources: &SourceMap) -> String {
    let axis = |axis: Option<u64>| axis.map_or_else(|| "?".to_owned(), |n| n.to_string());
    let shape = |axes: [Option<u64>; 3]| axes.map(axis).join(", ");
    let mut text = if launch.block.iter().all(Option::is_none) {
        "block unknown".to_owned()
    } else {
        format!("block ({})", shape(launch.block))
    };
    if launch.grid.iter().any(Option::is_some) {
        let _ = write!(text, ", grid ({})", shape(launch.grid));
    }
    let origin = match launch.source {
        LaunchSource::Launch => "from a launch",
        LaunchSource::Directive => "from a directive",
        LaunchSource::Config => "as configured",
        LaunchSource::Bounds => "bounded by `__launch_bounds__`",
        LaunchSource::Assumed => "no launch of known shape was found",
    };
    let _ = write!(text, ", {origin}");
    if let Some(span) = launch.span {
        let _ = write!(text, " ({})", place_of(span, sources));
    }
    text
}

/// Every access of one kernel as a table, in order.
#[must_use]
pub fn table(kernel: &str, accesses: &[&Access], sources: &SourceMap) -> String {
    let mut text = format!(
        "# Accesses of {}\n\n| place | access | array | verdict | ideal | status | launch |\n\
         |---|---|---|---|---|---|---|\n",
        prose::code(kernel)
    );
    for access in accesses {
        let _ = writeln!(
            text,
            "| {} | {} {} | {} | {} | {} | {} | {} |",
            prose::inline(&place_of(access.site.span, sources)),
            access.memory(),
            access.op.name(),
            prose::code(&access.site.array),
            prose::inline(&brief::one(access)),
            access.verdict.ideal,
            access.verdict.status.name(),
            prose::inline(&launch(&access.launch, sources)),
        );
    }
    text
}

/// `kernels.cu:12`
fn place_of(span: Span, sources: &SourceMap) -> String {
    let file = sources.get(span.file);
    let name = file
        .path
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    format!("{name}:{}", file.line(span.start))
}
