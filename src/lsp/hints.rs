//! Inlay hints: the cost of every access, beside it.
//!
//! Given an answer and a range, gives one hint per place; tooltips come with them or
//! when the client asks.

use super::answer::{AccessesAt, Answer};
use super::settings::Hints;
use crate::report::{brief, markdown};
use gen_lsp_types::{InlayHint, Label, MarkupContent, MarkupKind, Range, Tooltip};
use serde_json::{Value, json};

/// The hints of places in `range`.
#[must_use]
pub fn hints(answer: &Answer, range: Range) -> Vec<InlayHint> {
    let which = answer.project.settings.inlay_hints;
    if which == Hints::Off {
        return Vec::new();
    }
    let encoding = answer.client.encoding;
    let file = answer.source();
    let (first, last) = (
        encoding.offset(file, range.start),
        encoding.offset(file, range.end),
    );
    answer
        .places()
        .iter()
        .filter(|place| place.span.end >= first && place.span.start <= last)
        .filter(|place| {
            which == Hints::All
                || place
                    .accesses
                    .iter()
                    .any(|access| !access.verdict.is_ideal())
        })
        .map(|place| {
            let tooltip = (!answer.client.resolves_tooltips).then(|| tooltip(answer, place));
            InlayHint {
                position: encoding.position(file, place.span.end),
                label: Label::String(brief::label(&place.accesses)),
                // Neither a type nor a parameter.
                kind: None,
                text_edits: None,
                tooltip,
                padding_left: Some(true),
                padding_right: None,
                data: Some(json!({
                    "uri": answer.uri.0,
                    "version": answer.version,
                    "start": place.span.start,
                    "end": place.span.end,
                })),
            }
        })
        .collect()
}

/// What a hint speaks of, from its `data`: document, version and place.
#[must_use]
pub fn origin(data: &Value) -> Option<(&str, Option<i64>)> {
    Some((data.get("uri")?.as_str()?, data.get("version")?.as_i64()))
}

/// Puts the tooltip in.
pub fn resolve(answer: &Answer, hint: &mut InlayHint) {
    let number = |data: &Value, name: &str| data.get(name).and_then(Value::as_u64);
    let Some((start, end)) = hint
        .data
        .as_ref()
        .and_then(|data| number(data, "start").zip(number(data, "end")))
    else {
        return;
    };
    let places = answer.places();
    let place = places
        .iter()
        .find(|place| u64::from(place.span.start) == start && u64::from(place.span.end) == end);
    if let Some(place) = place {
        hint.tooltip = Some(tooltip(answer, place));
    }
}

fn tooltip(answer: &Answer, place: &AccessesAt) -> Tooltip {
    let value = markdown::place(
        &place.accesses,
        &answer.analysis.sources,
        &answer.options().arch,
    );
    Tooltip::MarkupContent(MarkupContent {
        kind: MarkupKind::Markdown,
        value,
    })
}
