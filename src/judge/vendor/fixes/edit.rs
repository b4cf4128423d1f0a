//! Edits as reports have them, put into a text.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Lines and columns from 1, columns in characters, the end one past the last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Edit {
    pub file: PathBuf,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    replacement: String,
}

/// The text with edits of its file; `None` where a place is not in it.
pub(super) fn applied(text: &str, edits: &[&Edit]) -> Option<String> {
    let mut places = Vec::new();
    for edit in edits {
        let from = offset(text, edit.line, edit.column)?;
        let to = offset(text, edit.end_line, edit.end_column)?;
        places.push((from, to, edit.replacement.as_str()));
    }
    // Stable: of two insertions in one place the first stays first.
    places.sort_by_key(|(from, to, _)| (*from, *to));
    let (mut out, mut last) = (String::with_capacity(text.len()), 0);
    for (from, to, replacement) in places {
        out.push_str(text.get(last..from)?);
        out.push_str(replacement);
        last = to;
    }
    out.push_str(text.get(last..)?);
    Some(out)
}

fn offset(text: &str, line: usize, column: usize) -> Option<usize> {
    let before = line.checked_sub(1)?;
    let lines = text.split_inclusive('\n');
    if before > lines.clone().count() {
        return None;
    }
    let start: usize = lines.take(before).map(str::len).sum();
    let rest = text.get(start..)?;
    let mut places = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    Some(start + places.nth(column.checked_sub(1)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_put_in_their_places() {
        let edit = |line, column, end_column, text: &str| Edit {
            file: PathBuf::from("a.cu"),
            line,
            column,
            end_line: line,
            end_column,
            replacement: text.to_owned(),
        };
        let (late, early, past) = (edit(2, 3, 5, "33"), edit(1, 2, 2, "é"), edit(9, 1, 1, ""));
        let text = "ä;\na[32];\n";
        assert_eq!(
            applied(text, &[&late, &early]).as_deref(),
            Some("äé;\na[33];\n")
        );
        assert_eq!(applied(text, &[&edit(2, 99, 99, "")]), None);
        assert_eq!(applied("", &[&past]), None);
    }
}
