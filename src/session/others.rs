//! Texts without what a fix is not about.
//!
//! Given the kernels of a run, gives the text of a file in which the bodies of other kernels are blanks,
//! byte for byte, so that it is read again in less time. A body with a directive or a launch stays, as
//! it may change what follows.

use crate::finding::Edit;
use crate::fix;
use crate::ir::Program;
use crate::source::{SourceFile, SourceMap};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The bodies of kernels, by file.
#[derive(Debug, Default)]
pub(super) struct Bodies(FxHashMap<PathBuf, Vec<Body>>);

#[derive(Debug)]
struct Body {
    /// Where the name of its kernel begins.
    name: u32,
    /// Between the braces.
    inside: Range<usize>,
}

impl Bodies {
    /// The bodies that may be left out.
    pub fn of(program: &Program, sources: &SourceMap) -> Self {
        let mut names: FxHashMap<&Path, Vec<(u32, usize)>> = FxHashMap::default();
        for kernel in &program.kernels {
            let path = &sources.get(kernel.span.file).path;
            let place = (kernel.span.start, kernel.span.end as usize);
            names.entry(path).or_default().push(place);
        }
        let mut bodies = FxHashMap::default();
        for (path, mut names) in names {
            let Some(file) = sources.find(path).map(|id| sources.get(id)) else {
                continue;
            };
            names.sort_unstable();
            names.dedup();
            let text = fix::blank(&file.text);
            let body = |(name, end): (u32, usize)| {
                let inside = inside(&text, end)?;
                let stays =
                    text[inside.clone()].contains('#') || text[inside.clone()].contains("<<<");
                (!stays).then_some(Body { name, inside })
            };
            bodies.insert(
                path.to_path_buf(),
                names.into_iter().filter_map(body).collect(),
            );
        }
        Self(bodies)
    }

    /// The text of `file`, after `edits` of it in order, without the bodies of kernels whose names
    /// begin at none of `kept`.
    pub fn without_others(&self, file: &SourceFile, kept: &[u32], edits: &[Edit]) -> String {
        let mut text = file.text.to_string();
        let bodies = self.0.get(&file.path).filter(|_| !file.is_partial());
        for body in bodies.into_iter().flatten() {
            let is_edited = |edit: &Edit| {
                (edit.span.start as usize) < body.inside.end
                    && body.inside.start < edit.span.end as usize
            };
            if kept.contains(&body.name) || edits.iter().any(is_edited) {
                continue;
            }
            let Some(inside) = text.get(body.inside.clone()) else {
                continue;
            };
            let blanks: String = inside
                .bytes()
                .map(|byte| if byte == b'\n' { '\n' } else { ' ' })
                .collect();
            text.replace_range(body.inside.clone(), &blanks);
        }
        fix::apply::replaced(&text, edits)
    }
}

/// What stands between the braces of a function whose name ends at `end`, in a text without comments
/// and literals; `None` where something else follows than parameters and a body.
fn inside(text: &str, end: usize) -> Option<Range<usize>> {
    let body = fix::body(text, end)?;
    let head = text[end..body.start].trim();
    (head.starts_with('(') && head.ends_with(')')).then_some(body.start + 1..body.end - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_follow_the_parameters_of_a_name() {
        let text = "__global__ void k(int (*f)(int)) { if (a) { b; } } int x;";
        let found = inside(text, text.find("(int (").expect("a place"));
        assert_eq!(found.map(|range| &text[range]), Some(" if (a) { b; } "));
        for text in ["k;", "k(int);", "k(int) : x {}", "k(int", "k(int) {"] {
            assert_eq!(inside(text, 1), None, "{text}");
        }
    }
}
