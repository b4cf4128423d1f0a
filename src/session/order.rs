//! The order of what a run gives, which depends on no thread and on no file's number.

use crate::ir::NotAnalysed;
use crate::prove::verdict::Access;
use crate::source::{Canonical, SourceMap, Span};

/// Sorts by place; one reason for each function is enough.
pub(super) fn by_place(not_analysed: &mut Vec<NotAnalysed>, sources: &SourceMap) {
    let place = |span: Span| (sources.get(span.file).path.clone(), span.start, span.end);
    not_analysed
        .sort_by_cached_key(|one| (place(one.span), one.function.clone(), one.reason.clone()));
    not_analysed.dedup_by(|a, b| a.function == b.function && place(a.span) == place(b.span));
}

/// Sorts accesses for output and drops those that a header shared by several units gave twice.
pub(super) fn in_order(
    mut accesses: Vec<Access>,
    sources: &SourceMap,
    canonical: &Canonical,
) -> Vec<Access> {
    for access in &mut accesses {
        access.each_span(&mut |span| span.file = canonical.id(span.file));
    }
    accesses.sort_by_cached_key(|access| {
        let line = sources.get(access.site.line.file);
        let place = sources
            .get(access.site.span.file)
            .line_column(access.site.span.start);
        (
            line.path.clone(),
            line.line(access.site.line.start),
            place.column,
            access.site.span,
            access.kernel.clone(),
            (access.instance.clone(), access.kernel_span.start),
            (
                access.launch.block,
                access.launch.grid,
                access.launch.source.name(),
                access.launch.span,
            ),
            access.op.name(),
            (access.width, access.formula.clone(), access.guards.clone()),
        )
    });
    accesses.dedup_by(|a, b| {
        let key = |access: &Access| {
            (
                access.site.span,
                access.site.line,
                // Kernels may be overloaded.
                access.kernel_span,
                access.op,
                access.space,
                access.width,
            )
        };
        let verdict = |access: &Access| {
            let verdict = &access.verdict;
            (verdict.status, verdict.min, verdict.max, verdict.ideal)
        };
        key(a) == key(b)
            && verdict(a) == verdict(b)
            && (&a.kernel, &a.instance, &a.launch) == (&b.kernel, &b.instance, &b.launch)
            && (&a.formula, &a.guards, &a.site.inlined) == (&b.formula, &b.guards, &b.site.inlined)
    });
    accesses
}
