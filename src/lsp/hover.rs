//! Hovers: everything about the access, kernel or array under the cursor.

use super::answer::Answer;
use super::lens;
use crate::prove::verdict::Access;
use crate::report::markdown;
use crate::source::Span;
use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind, Position};

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
    let holds = |span: Span| answer.is_here(span) && span.start <= offset && offset <= span.end;
    let places = answer.places();
    // Of nested accesses, such as `a[b[i]]`, the inner one is meant.
    let inner = places
        .iter()
        .filter(|place| holds(place.span))
        .min_by_key(|place| place.span.end - place.span.start);
    if let Some(place) = inner {
        return Some((place.span, markdown::place(&place.accesses, sources, arch)));
    }
    let accesses = &answer.analysis.accesses;
    if let Some(one) = accesses.iter().find(|access| holds(access.kernel_span)) {
        let of_kernel = lens::of_kernel(answer, one.kernel_span);
        let title = lens::title(&of_kernel);
        let table = markdown::table(&one.kernel, &of_kernel, sources);
        return Some((one.kernel_span, format!("{title}\n\n{table}")));
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
