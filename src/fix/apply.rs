//! Edits applied to text, and shown as a unified diff.
//!
//! Given fixes, gives the changed text of each file they touch. Of fixes that
//! overlap the first one wins; everything outside of an edit stays as it is,
//! line ends included.

use crate::finding::{Edit, Fix};
use crate::source::{FileId, SourceFile, SourceMap};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Unchanged lines shown around a change.
const CONTEXT: u32 = 3;

/// The changes of one file, in order, without overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub file: FileId,
    pub edits: Vec<Edit>,
}

/// Changes that `fixes` make, by file, and how many of them could be applied.
#[must_use]
pub fn plan<'a>(fixes: impl Iterator<Item = &'a Fix>) -> (Vec<Change>, usize) {
    let mut files: BTreeMap<FileId, Vec<Edit>> = BTreeMap::new();
    let mut applied = 0;
    for fix in fixes.filter(|fix| !fix.edits.is_empty()) {
        let is_known = |edit: &Edit| {
            files
                .get(&edit.span.file)
                .is_some_and(|known| known.contains(edit))
        };
        if fix.edits.iter().all(is_known) {
            continue;
        }
        let overlaps = |edit: &Edit| {
            files.get(&edit.span.file).is_some_and(|known| {
                known.iter().any(|other| {
                    other.span.start < edit.span.end.max(edit.span.start + 1)
                        && edit.span.start < other.span.end.max(other.span.start + 1)
                })
            })
        };
        if fix.edits.iter().any(overlaps) {
            continue;
        }
        applied += 1;
        for edit in &fix.edits {
            files.entry(edit.span.file).or_default().push(edit.clone());
        }
    }
    let changes = files
        .into_iter()
        .map(|(file, mut edits)| {
            edits.sort_by_key(|edit| edit.span);
            Change { file, edits }
        })
        .collect();
    (changes, applied)
}

impl Change {
    /// The text with the edits in place.
    #[must_use]
    pub fn text(&self, sources: &SourceMap) -> String {
        replaced(&sources.get(self.file).text, &self.edits)
    }

    /// The change in unified form.
    #[must_use]
    pub fn diff(&self, sources: &SourceMap) -> String {
        let file = sources.get(self.file);
        // A line end in a path would end the line that names it.
        let path = file.path.display().to_string().replace(['\n', '\r'], "?");
        let mut out = format!("--- {path}\n+++ {path}\n");
        let mut moved: i64 = 0;
        let mut rest = self.edits.as_slice();
        while let Some(first) = rest.first() {
            let first_line = file.line(first.span.start);
            let mut last_line = file.line(first.span.end);
            let mut n = 1;
            while let Some(next) = rest
                .get(n)
                .filter(|next| file.line(next.span.start) <= last_line + 2 * CONTEXT)
            {
                last_line = file.line(next.span.end);
                n += 1;
            }
            moved += hunk(file, first_line, last_line, &rest[..n], moved, &mut out);
            rest = &rest[n..];
        }
        out
    }
}

/// One hunk around `edits`, which lie in these lines; gives how many lines it adds.
fn hunk(
    file: &SourceFile,
    first: u32,
    last: u32,
    edits: &[Edit],
    moved: i64,
    out: &mut String,
) -> i64 {
    let end = file.text.len() as u32;
    // A last line end leaves an empty line behind that is no line.
    let lines = if file.text.ends_with('\n') {
        file.line_count() - 1
    } else {
        file.line_count()
    };
    let from = first.saturating_sub(CONTEXT).max(1);
    let to = (last + CONTEXT).min(lines.max(1));
    let at = |line: u32| file.line_start(line).unwrap_or(end);
    let piece = |a: u32, b: u32| file.text.get(a as usize..b as usize).unwrap_or("");
    let old = piece(at(first), at(last + 1));
    let new = replace(&file.text, at(first), at(last + 1), edits);
    let mut parts = vec![(' ', piece(at(from), at(first)))];
    compared(old, &new, &mut parts);
    parts.push((' ', piece(at(last + 1), at(to + 1))));
    let size = |without: char| {
        let lines = parts.iter().filter(|(sign, _)| *sign != without);
        lines.map(|(_, text)| text.lines().count()).sum::<usize>() as i64
    };
    let (of_old, of_new) = (size('+'), size('-'));
    let _ = writeln!(
        out,
        "@@ -{from},{of_old} +{},{of_new} @@",
        i64::from(from) + moved
    );
    for (sign, text) in parts {
        for line in text.split_inclusive('\n') {
            let _ = write!(out, "{sign}{line}");
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    of_new - of_old
}

/// The lines of two texts: those that both have, and between them what goes and what comes.
fn compared<'a>(old: &'a str, new: &'a str, parts: &mut Vec<(char, &'a str)>) {
    /// Pairs of lines that are looked at, at most.
    const MOST: usize = 1 << 20;
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let width = new.len() + 1;
    // How many lines the rests have in common, from each pair on; none are sought in very long texts.
    let mut common = vec![
        0_u32;
        if old.len() * new.len() > MOST {
            0
        } else {
            (old.len() + 1) * width
        }
    ];
    if !common.is_empty() {
        for a in (0..old.len()).rev() {
            for b in (0..new.len()).rev() {
                common[a * width + b] = if old[a] == new[b] {
                    common[(a + 1) * width + b + 1] + 1
                } else {
                    common[(a + 1) * width + b].max(common[a * width + b + 1])
                };
            }
        }
    }
    let left = |a: usize, b: usize| common.get(a * width + b).copied().unwrap_or(0);
    let (mut a, mut b) = (0, 0);
    while a < old.len() || b < new.len() {
        if left(a, b) == 0 {
            parts.extend(old[a..].iter().map(|line| ('-', *line)));
            parts.extend(new[b..].iter().map(|line| ('+', *line)));
            return;
        }
        let (was, comes) = (a, b);
        while old[a] != new[b] {
            if left(a + 1, b) >= left(a, b + 1) {
                a += 1;
            } else {
                b += 1;
            }
        }
        parts.extend(old[was..a].iter().map(|line| ('-', *line)));
        parts.extend(new[comes..b].iter().map(|line| ('+', *line)));
        parts.push((' ', old[a]));
        (a, b) = (a + 1, b + 1);
    }
}

/// `text` after `edits`, which are in order.
pub(crate) fn replaced(text: &str, edits: &[Edit]) -> String {
    replace(text, 0, text.len() as u32, edits)
}

fn replace(text: &str, start: u32, end: u32, edits: &[Edit]) -> String {
    let mut out = String::new();
    let mut at = start;
    for edit in edits {
        out.push_str(
            text.get(at as usize..edit.span.start as usize)
                .unwrap_or(""),
        );
        out.push_str(&edit.replacement);
        at = edit.span.end;
    }
    out.push_str(text.get(at as usize..end as usize).unwrap_or(""));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Safety;
    use crate::source::Span;

    fn fix(file: FileId, start: u32, end: u32, replacement: &str) -> Fix {
        Fix {
            title: String::new(),
            safety: Safety::Safe,
            is_whole: false,
            edits: vec![Edit {
                span: Span::new(file, start, end),
                replacement: replacement.to_owned(),
            }],
        }
    }

    #[test]
    fn the_first_of_overlapping_fixes_wins_and_line_ends_stay() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.cu", "ab\r\ncd\r\n");
        let fixes = [
            fix(file, 4, 5, "X"),
            fix(file, 4, 6, "Y"),
            fix(file, 4, 5, "X"),
            fix(file, 0, 1, "Z"),
        ];
        let (changes, applied) = plan(fixes.iter());
        assert_eq!(applied, 2);
        assert_eq!(changes[0].text(&sources), "Zb\r\nXd\r\n");
    }

    #[test]
    fn a_diff_shows_the_lines_around() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.cu", "1\n2\n3\n4\n5\n6\n");
        let (changes, _) = plan([fix(file, 8, 9, "five")].iter());
        assert_eq!(
            changes[0].diff(&sources),
            "--- a.cu\n+++ a.cu\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+five\n 6\n"
        );
    }

    #[test]
    fn a_diff_shows_lines_that_change_as_changed_only() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.cu", "1\n2\n3\n4\n5\n6\n7\n");
        let fixes = [
            fix(file, 2, 3, "two"),
            fix(file, 8, 9, "five\nmore"),
            fix(file, 10, 13, "6\n8\n7"),
        ];
        let (changes, _) = plan(fixes.iter());
        assert_eq!(
            changes[0].diff(&sources),
            "--- a.cu\n+++ a.cu\n@@ -1,7 +1,9 @@\n 1\n-2\n+two\n 3\n 4\n-5\n+five\n+more\n 6\n+8\n 7\n"
        );
    }
}
