//! Hovers: everything about the access, kernel or array under the cursor. `report::markdown` puts its launches and
//! instances in order.

use super::answer::{AccessesAt, Answer};
use super::lens;
use crate::prove::verdict::Access;
use crate::report::explain::{self, Subject};
use crate::report::markdown;
use crate::report::{prose, visible};
use crate::source::Span;
use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind, Position};

/// Launches and instances of one place that are explained.
const MOST_EXPLAINED: usize = 4;

/// What is known at `position`; `None` where nothing is.
#[must_use]
pub fn hover(answer: &Answer, position: Position) -> Option<Hover> {
    let encoding = answer.client.encoding;
    let offset = encoding.offset(answer.source(), position);
    let (span, text) = text(answer, offset)?;
    let kind = if answer.client.markdown {
        MarkupKind::Markdown
    } else {
        MarkupKind::PlainText
    };
    Some(Hover {
        contents: Contents::MarkupContent(MarkupContent { kind, value: text }),
        range: Some(encoding.range(answer.source(), span)),
    })
}

fn text(answer: &Answer, offset: u32) -> Option<(Span, String)> {
    let sources = &answer.analysis.sources;
    let arch = &answer.options().arch;
    let holds = |span: Span| holds(answer, span, offset);
    let places = answer.places();
    if let Some(place) = place_at(&places, answer, offset) {
        return Some((place.span, markdown::place(&place.accesses, sources, arch)));
    }
    let accesses = &answer.analysis.accesses;
    if let Some(span) = kernel_at(answer, offset) {
        let of_kernel = lens::of_kernel(answer, span);
        let title = lens::title(&of_kernel, lens::not_followed(answer, span));
        let name = of_kernel.first().map_or("", |access| &*access.kernel);
        let table = markdown::table(name, &of_kernel, sources);
        return Some((span, format!("{title}\n\n{table}")));
    }
    let declaration = accesses
        .iter()
        .filter_map(|access| access.declaration)
        .find(|span| holds(*span))?;
    let of_array: Vec<&Access> = accesses
        .iter()
        .filter(|access| access.declaration == Some(declaration))
        .collect();
    let name = sources.text(declaration);
    Some((declaration, markdown::table(name, &of_array, sources)))
}

fn holds(answer: &Answer, span: Span, offset: u32) -> bool {
    answer.is_here(span) && span.start <= offset && offset <= span.end
}

/// The place at byte `offset`: of nested accesses, such as `a[b[i]]`, the inner one is meant.
#[must_use]
pub fn place_at<'p, 'a>(
    places: &'p [AccessesAt<'a>],
    answer: &Answer,
    offset: u32,
) -> Option<&'p AccessesAt<'a>> {
    places
        .iter()
        .filter(|place| holds(answer, place.span, offset))
        .min_by_key(|place| place.span.end - place.span.start)
}

/// The kernel whose name stands at byte `offset`.
#[must_use]
pub fn kernel_at(answer: &Answer, offset: u32) -> Option<Span> {
    let mut accesses = answer.analysis.accesses.iter();
    let one = accesses.find(|access| holds(answer, access.kernel_span, offset))?;
    Some(one.kernel_span)
}

/// The accesses at `position` explained in full, as a block of plain text; takes a walk of the kernel.
#[must_use]
pub fn explain(answer: &Answer, position: Position) -> String {
    let offset = answer.client.encoding.offset(answer.source(), position);
    let places = answer.places();
    let Some(place) = place_at(&places, answer, offset) else {
        return "No access of shared or global memory is here.\n".to_owned();
    };
    let (program, arch) = (&answer.analysis.program, &answer.options().arch);
    let explained: Vec<String> = place
        .accesses
        .iter()
        .take(MOST_EXPLAINED)
        .map(|access| {
            let shown = explain::with_request(access, program, arch);
            let subject = Subject {
                access: &shown,
                sources: &answer.analysis.sources,
                program,
                arch,
            };
            explain::render(subject, None, false)
        })
        .collect();
    let name = prose::code(answer.analysis.sources.text(place.span));
    // Three backquotes would end the block.
    let text = visible::text(&explained.join("\n")).replace("```", "`\u{2032}`");
    format!("# Access {name}\n\n```text\n{text}```\n")
}
