//! What is known of one access: formula, launch, proof, dependence, and a picture of a request.

use super::{Class, maps};
use crate::prove::verdict::{Access, Claim, LaunchShape, Status};
use crate::report::Report;
use crate::report::xml::escape;
use crate::rules::waste::told;
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
    row(out, "cost", &cost(access));
    let per_block = access.per_block.map(|sum| told(sum, access.space));
    row(out, "per block", &per_block.unwrap_or_default());
    row(
        out,
        "formula",
        &format!("<code>{}</code>", escape(&access.formula)),
    );
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
    out.push_str("<dl>");
    row(out, "guards", &escape(&access.guards.join(", and ")));
    row(out, "launch", &escape(&launch(access)));
    row(out, "reason", &escape(&verdict.reason));
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
            out,
            "depends on",
            &format!("<code>{}</code>: {}", escape(&one.symbol), cases.join("; ")),
        );
    }
    row(out, "proof", &claims(&verdict.certificate));
    row(out, "assumes", &escape(&verdict.assumptions.join("; ")));
    out.push_str("</dl>\n</article>\n");
}

/// A line of a card, if there is anything to say.
fn row(out: &mut String, name: &str, text: &str) {
    if !text.is_empty() {
        let _ = write!(out, "<dt>{name}</dt><dd>{text}</dd>");
    }
}

/// Each kind of claim once, with the number of them; in the order in which they come.
fn claims(certificate: &[Claim]) -> String {
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for claim in certificate {
        let text = format!("{}: {}", claim.kind, escape(claim.statement));
        match kinds.iter_mut().find(|(known, _)| *known == text) {
            Some((_, n)) => *n += 1,
            None => kinds.push((text, 1)),
        }
    }
    let line = |(text, n): (String, usize)| match n {
        1 => text,
        _ => format!("{text} ({n} claims)"),
    };
    kinds.into_iter().map(line).collect::<Vec<_>>().join("<br>")
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
