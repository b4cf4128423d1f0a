//! What is known of one access: formula, launch, proof, dependence, and a picture of a request.

use super::super::Report;
use super::super::xml::escape;
use super::{Class, maps};
use crate::prove::verdict::{Access, LaunchShape, Status};
use std::fmt::Write as _;

pub(super) fn render(report: &Report, number: usize, access: &Access, out: &mut String) {
    let verdict = &access.verdict;
    let class = Class::of(verdict);
    let place = report.place(access.site.span);
    let _ = write!(
        out,
        "<article class=\"card {}\" id=\"a{number}\">\n<h3><code>{}</code> <small>{} {} of {} bytes, {}:{}</small></h3>\n<dl>",
        class.name(),
        escape(report.sources.text(access.site.span).trim()),
        access.space.name(),
        access.op.name(),
        access.width,
        escape(&place.file()),
        place.start.line,
    );
    let mut row = |name: &str, text: &str| {
        if !text.is_empty() {
            let _ = write!(out, "<dt>{name}</dt><dd>{text}</dd>");
        }
    };
    row("cost", &cost(access));
    row(
        "formula",
        &format!("<code>{}</code>", escape(&access.formula)),
    );
    row("guards", &escape(&access.guards.join(", and ")));
    row("launch", &escape(&launch(access)));
    row("reason", &escape(&verdict.reason));
    for one in &verdict.depends_on {
        let cases: Vec<String> = one
            .cases
            .iter()
            .map(|case| {
                let cost = if case.min == case.max {
                    case.max.to_string()
                } else {
                    format!("{} to {}", case.min, case.max)
                };
                format!("{cost} (ideal {}) if {}", case.ideal, escape(&case.when))
            })
            .collect();
        row(
            "depends on",
            &format!("<code>{}</code>: {}", escape(&one.symbol), cases.join("; ")),
        );
    }
    let claims: Vec<String> = verdict
        .certificate
        .iter()
        .map(|claim| format!("{}: {}", claim.kind, escape(claim.statement)))
        .collect();
    row("proof", &claims.join("<br>"));
    row("assumes", &escape(&verdict.assumptions.join("; ")));
    out.push_str("</dl>\n");
    if let Some(witness) = &verdict.witness {
        let mut values = witness.values();
        if values.is_empty() {
            "any request".clone_into(&mut values);
        }
        let _ = writeln!(
            out,
            "<figure>{}<figcaption>{} {} with {}</figcaption></figure>",
            maps::render(access, witness, &report.arch),
            witness.cost,
            access.space.unit(),
            escape(&values)
        );
    }
    out.push_str("</article>\n");
}

fn cost(access: &Access) -> String {
    let verdict = &access.verdict;
    let unit = access.space.unit();
    if matches!(verdict.status, Status::Unknown | Status::DataDependent) {
        let bounds = if verdict.max > 0 {
            format!(", between {} and {} {unit}", verdict.min, verdict.max)
        } else {
            String::new()
        };
        return format!("{}{bounds}", verdict.status.name());
    }
    let range = if verdict.min == verdict.max {
        verdict.max.to_string()
    } else {
        format!("{} to {}", verdict.min, verdict.max)
    };
    format!(
        "<b>{range}</b> {unit} per request, ideal {}, {} excessive",
        verdict.ideal,
        verdict.max.saturating_sub(verdict.ideal)
    )
}

fn launch(access: &Access) -> String {
    let LaunchShape {
        block,
        grid,
        source,
        ..
    } = &access.launch;
    let shape = |shape: &[Option<u64>; 3]| {
        let axes = shape.map(|axis| axis.map_or_else(|| "?".to_owned(), |n| n.to_string()));
        axes.join(" × ")
    };
    let instance = if access.instance.is_empty() {
        String::new()
    } else {
        format!(", instance {}", access.instance)
    };
    format!(
        "block {}, grid {} (from {}){instance}",
        shape(block),
        shape(grid),
        source.name()
    )
}
