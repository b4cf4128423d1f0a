//! What is known of one access: formula, launch, proof, dependence, and a picture of a request.
//!
//! Thousands of accesses have much in common, so a card is a list of parts that all cards share; the page's script
//! puts one together where it is looked at.

use super::{Class, maps};
use crate::prove::verdict::sentences;
use crate::prove::verdict::{Access, Claim, LaunchShape, Status};
use crate::report::Report;
use crate::report::xml::escape;
use crate::rules::waste::told;
use rustc_hash::FxHashMap;

/// Pieces of HTML, each once, a line each.
#[derive(Default)]
pub(super) struct Parts {
    numbers: FxHashMap<String, usize>,
    lines: Vec<String>,
}

impl Parts {
    /// The number of a piece.
    fn number(&mut self, part: &str) -> usize {
        // A line of a source may end within an access.
        let part = part.replace('\n', "&#10;");
        if let Some(known) = self.numbers.get(&part) {
            return *known;
        }
        self.lines.push(part.clone());
        self.numbers.insert(part, self.lines.len() - 1);
        self.lines.len() - 1
    }

    /// All pieces in order. What stands in them is escaped, so no piece ends the script that holds them.
    pub fn text(&self) -> String {
        self.lines.join("\n")
    }
}

/// A card while it is written.
struct Card<'p> {
    parts: &'p mut Parts,
    numbers: Vec<usize>,
}

impl Card<'_> {
    fn add(&mut self, part: &str) {
        let number = self.parts.number(part);
        self.numbers.push(number);
    }

    /// A line, if there is anything to say.
    fn row(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.add(&format!("<dt>{name}</dt><dd>{text}</dd>"));
        }
    }
}

/// The class of a card and the numbers of its parts.
pub(super) fn render(report: &Report, access: &Access, parts: &mut Parts) -> String {
    let verdict = &access.verdict;
    let class = Class::of(verdict);
    let place = report.place(access.site.span);
    let mut card = Card {
        parts,
        numbers: Vec::new(),
    };
    card.add(&format!(
        "<h3><code>{}</code> <small>{} {} of {} bytes, {}:{}</small></h3><dl>",
        escape(report.sources.text(access.site.span).trim()),
        access.memory(),
        access.op.name(),
        access.width,
        escape(&place.file()),
        place.start.line,
    ));
    card.row("cost", &cost(access));
    let per_block = access.per_block.map(|sum| told(sum, access.space));
    card.row("per block", &per_block.unwrap_or_default());
    card.row(
        "formula",
        &format!("<code>{}</code>", escape(&access.formula)),
    );
    card.add("</dl>");
    if let Some(witness) = &verdict.witness {
        let mut values = witness.values();
        if values.is_empty() {
            "any request".clone_into(&mut values);
        }
        card.add("<figure>");
        card.add(&maps::render(access, witness, &report.arch));
        card.add(&format!(
            "<figcaption>{} {} with {}</figcaption></figure>",
            witness.cost,
            access.space.unit(),
            escape(&values)
        ));
    }
    card.add("<dl>");
    card.row("guards", &escape(&access.guards.join(", and ")));
    card.row("launch", &escape(&launch(access)));
    card.row("reason", &escape(&verdict.reason));
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
                format!(
                    "{cost} (ideal {}) if {}",
                    case.ideal,
                    escape(&one.when(case))
                )
            })
            .collect();
        card.row(
            "depends on",
            &format!("<code>{}</code>: {}", escape(&one.symbol), cases.join("; ")),
        );
    }
    card.row("proof", &claims(&verdict.certificate));
    card.row("assumes", &escape(&sentences(&verdict.assumptions)));
    card.add("</dl>");
    let numbers = card.numbers.iter().map(usize::to_string);
    let numbers: Vec<String> = numbers.collect();
    format!("{} {}", class.name(), numbers.join(" "))
}

/// Each kind of claim once, with the number of them; in the order in which they come.
fn claims(certificate: &[Claim]) -> String {
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for claim in certificate {
        let text = format!("{}: {}", claim.kind.name(), escape(claim.kind.statement()));
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
