//! Everything that is known of the accesses on one line: `cudalint explain FILE:LINE`.

use super::{Report, bank_map};
use crate::prove::verdict::{Access, Status};
use std::fmt::Write as _;
use std::path::Path;

/// The accesses that touch `line` of `file`; empty where there is none.
#[must_use]
pub fn render(report: &Report, file: &Path, line: u32) -> String {
    let is_here = |access: &&Access| {
        let place = report.place(access.site.span);
        place.path == file && (place.start.line..=place.end.line).contains(&line)
    };
    let mut out = String::new();
    for access in report.accesses.iter().filter(is_here) {
        if !out.is_empty() {
            out.push('\n');
        }
        one(report, access, &mut out);
    }
    out
}

fn one(report: &Report, access: &Access, out: &mut String) {
    let verdict = &access.verdict;
    let place = report.place(access.site.span);
    let _ = writeln!(
        out,
        "{}:{}:{}: {} {} of {} bytes: {}",
        place.path.display(),
        place.start.line,
        place.start.column,
        access.space.name(),
        access.op.name(),
        access.width,
        report.sources.text(access.site.span)
    );
    let mut row = |name: &str, text: &str| {
        if !text.is_empty() {
            let _ = writeln!(out, "  {name:<11} {text}");
        }
    };
    row("kernel", &format!("{}{}", access.kernel, access.instance));
    let shape = access
        .launch
        .block
        .map(|axis| axis.map_or_else(|| "?".to_owned(), |n| n.to_string()));
    row(
        "launch",
        &format!(
            "block ({}) from {}",
            shape.join(", "),
            access.launch.source.name()
        ),
    );
    row("cost", &cost(access));
    row("reason", &verdict.reason);
    row("formula", &access.formula);
    for guard in &access.guards {
        row("guard", guard);
    }
    for one in &verdict.depends_on {
        for case in &one.cases {
            let cost = if case.min == case.max {
                case.max.to_string()
            } else {
                format!("{} to {}", case.min, case.max)
            };
            row(
                "depends on",
                &format!("{}: {cost} (ideal {})", case.when, case.ideal),
            );
        }
    }
    for claim in &verdict.certificate {
        row(
            "proved",
            &format!("{} ({}, {})", claim.statement, claim.kind, claim.obligation),
        );
    }
    for assumption in &verdict.assumptions {
        row("assumes", assumption);
    }
    if let Some(witness) = &verdict.witness {
        let values = witness.symbols.iter();
        let values: Vec<String> = values.map(|(name, n)| format!("{name} = {n}")).collect();
        row(
            "witness",
            &format!(
                "{} {} {}",
                witness.cost,
                access.space.unit(),
                values.join(", ")
            ),
        );
    }
    if let Some(map) = bank_map::render(access, &report.arch) {
        for line in map.lines() {
            let _ = writeln!(out, "    {line}");
        }
    }
}

fn cost(access: &Access) -> String {
    let verdict = &access.verdict;
    let range = if verdict.min == verdict.max {
        verdict.max.to_string()
    } else {
        format!("{} to {}", verdict.min, verdict.max)
    };
    match verdict.status {
        Status::Unknown => "unknown".to_owned(),
        status => format!(
            "{range} {} per request, ideal {}, {} excessive ({})",
            access.space.unit(),
            verdict.ideal,
            verdict.max.saturating_sub(verdict.ideal),
            status.name()
        ),
    }
}
