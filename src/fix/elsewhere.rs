//! What a fix rests on that other text may contradict: launches that are not in sight, files that share a header.
//!
//! Given the kernels whose launches a fix takes for all that there are, or its edits, gives the clause that tells whoever
//! applies it what was not looked at. Knows nothing of what fixes change.

use super::text::{code, occurrences};
use crate::finding::Edit;
use crate::ir::{Kernel, Program};
use crate::source::{SourceMap, Span};
use std::path::Path;

/// Extensions of files that are compiled on their own; others are included.
const UNITS: [&str; 5] = ["cu", "cpp", "cc", "cxx", "c"];

/// Why the kernels may be launched in other ways than those that are seen.
pub(super) fn other_launches<'k>(
    sources: &SourceMap,
    program: &Program,
    kernels: impl Iterator<Item = &'k Kernel>,
) -> Option<&'static str> {
    for kernel in kernels {
        let home = &sources.get(kernel.span.file).path;
        let is_here = |span: Span| sources.get(span.file).path == *home;
        let mut lost = program
            .launch_sites
            .iter()
            .filter(|one| one.problem.is_some());
        if lost.any(|one| one.launch.span.is_some_and(is_here)) {
            return Some("launches whose kernel is not known not looked at");
        }
        if is_included(home) {
            return Some("launches in other files that include it not looked at");
        }
        if is_named_elsewhere(sources, program, kernel) {
            return Some("other uses of the kernel's name not looked at");
        }
    }
    None
}

/// Why edits of several files may not suit all who include one of them.
pub(super) fn other_includers(sources: &SourceMap, edits: &[Edit]) -> Option<&'static str> {
    let paths = || edits.iter().map(|edit| &sources.get(edit.span.file).path);
    let first = paths().next()?;
    let are_several = paths().any(|path| path != first);
    (are_several && paths().any(|path| is_included(path)))
        .then_some("other files that include the same header not looked at")
}

fn is_included(path: &Path) -> bool {
    let extension = path.extension().and_then(|one| one.to_str());
    extension.is_some_and(|one| !UNITS.contains(&one))
}

/// Whether the file of the kernel, or one that launches it, names it beside its declarations and the launches that are
/// known: one that is not compiled, an attribute that is set, a table that holds it.
fn is_named_elsewhere(sources: &SourceMap, program: &Program, kernel: &Kernel) -> bool {
    let name = kernel.name.rsplit("::").next().unwrap_or(&kernel.name);
    let path = |span: Span| &sources.get(span.file).path;
    let is_own =
        |defined: Span| defined.start == kernel.span.start && path(defined) == path(kernel.span);
    let sites = program.launch_sites.iter();
    let known: Vec<Span> = sites
        .filter(|one| one.defined.is_some_and(is_own))
        .flat_map(|one| one.launch.span.into_iter().chain(one.also.iter().copied()))
        .chain(kernel.launches.iter().filter_map(|one| one.span))
        .chain([kernel.span])
        .collect();
    let mut seen: Vec<&Path> = Vec::new();
    known.iter().any(|span| {
        let file = sources.get(span.file);
        if seen.contains(&file.path.as_path()) {
            return false;
        }
        seen.push(&file.path);
        let of_file = |span: &&Span| sources.get(span.file).path == file.path;
        let known: Vec<&Span> = known.iter().filter(of_file).collect();
        let text = &file.code(code).text;
        occurrences(text, name).any(|at| {
            let is_known = |span: &&Span| (span.start..span.end).contains(&(at as u32));
            !known.iter().any(is_known) && !is_declared(text, at)
        })
    })
}

/// Whether the statement that leads to this place declares a kernel.
fn is_declared(text: &str, at: usize) -> bool {
    let start = text[..at].rfind([';', '{', '}']).map_or(0, |at| at + 1);
    text[start..at].contains("__global__")
}
