//! The text of a short loop that moves one element of a piece in each turn.

use crate::fix::text::{blank, body, is_word, occurrences};
use crate::ir::{Kernel, Parameter};
use crate::source::{SourceMap, Span};
use std::ops::Range;

/// A loop that counts from 0 in steps of 1 and does nothing else with its counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    /// Its first byte, that of the directives in front of it included.
    pub start: usize,
    /// Where its `for` stands.
    head: usize,
    /// Without braces.
    pub body: Range<usize>,
    /// Behind its last byte.
    pub end: usize,
    pub counter: String,
    bound: String,
    is_unrolled: bool,
}

impl Loop {
    /// The innermost loop around `at` in the function whose name ends at `function`.
    pub fn around(text: &str, function: usize, at: Span) -> Option<Self> {
        let whole = body(text, function)?;
        let inside = &text[whole.clone()];
        let all = occurrences(inside, "for")
            .map(|start| start + whole.start)
            .take_while(|start| *start < at.start as usize);
        all.filter_map(|start| Self::at(text, start))
            .filter(|one| one.body.start <= at.start as usize && at.end as usize <= one.body.end)
            .last()
    }

    fn at(text: &str, start: usize) -> Option<Self> {
        let open = start + "for".len() + text[start + 3..].find('(')?;
        if !text[start + 3..open].trim().is_empty() {
            return None;
        }
        let close = matching(text, open)?;
        let header: Vec<&str> = text[open + 1..close].split(';').map(str::trim).collect();
        let [first, condition, step] = header.as_slice() else {
            return None;
        };
        let (declared, from) = first.split_once('=')?;
        let counter = declared.split_whitespace().last()?.to_owned();
        let (before, bound) = condition.split_once('<')?;
        let is_counted = from.trim() == "0"
            && declared.split_whitespace().count() > 1
            && counter.chars().all(is_word)
            && before.trim() == counter
            && !bound.starts_with('=')
            && [
                format!("++{counter}"),
                format!("{counter}++"),
                format!("{counter} += 1"),
            ]
            .contains(&(*step).to_owned());
        if !is_counted {
            return None;
        }
        let rest = &text[close + 1..];
        let first = close + 1 + rest.len() - rest.trim_start().len();
        let (inside, end) = if text[first..].starts_with('{') {
            let last = matching(text, first)?;
            (first + 1..last, last + 1)
        } else {
            let end = super::written::end_of_statement(text, first)?;
            (first..end, end)
        };
        let (first, is_unrolled) = with_directives(text, start);
        let this = Self {
            start: first,
            head: start,
            body: inside,
            end,
            counter,
            bound: bound.trim().to_owned(),
            is_unrolled,
        };
        this.is_plain(text).then_some(this)
    }

    /// Whether its body only reads the counter, and every turn runs to its end.
    fn is_plain(&self, text: &str) -> bool {
        let inside = &text[self.body.clone()];
        let leaves = ["break", "continue", "return", "goto", "asm", "while", "do"];
        let is_changed = occurrences(inside, &self.counter).any(|at| {
            let before = inside[..at].trim_end();
            let after = inside[at + self.counter.len()..].trim_start();
            let is_address = before.ends_with('&') && !before.ends_with("&&");
            let is_assigned = after.starts_with('=') && !after.starts_with("==");
            let is_updated = after.len() > 1
                && after[1..].starts_with('=')
                && !after.starts_with(['=', '<', '>', '!']);
            is_address
                || is_assigned
                || is_updated
                || before.ends_with("++")
                || before.ends_with("--")
                || after.starts_with("++")
                || after.starts_with("--")
                || after.starts_with("<<=")
                || after.starts_with(">>=")
        });
        !is_changed
            && !inside.contains("sync")
            && leaves
                .iter()
                .all(|word| occurrences(inside, word).next().is_none())
    }

    /// What stands in front of it on its line, if that is nothing but blanks.
    pub fn indent<'a>(&self, text: &'a str) -> &'a str {
        let line = text[..self.head].rfind('\n').map_or(0, |at| at + 1);
        let before = &text[line..self.head];
        &before[..before.len() - before.trim_start().len()]
    }

    /// Whether the compiler knows how often it runs, as the elements of a vector have to be known.
    pub fn is_told(&self, kernel: &Kernel) -> bool {
        let is_given = |one: &Parameter| occurrences(&self.bound, &one.name).next().is_some();
        self.is_unrolled || !kernel.parameters.iter().any(is_given)
    }

    /// Whether what a call or an access at `span` does belongs to a turn.
    pub fn holds(&self, span: Span) -> bool {
        self.start <= span.start as usize && span.end as usize <= self.end
    }

    /// The text with a number in place of the counter: `p[i + j]` gives `p[i]` for 0 and `p[i + 4]` for 4.
    pub fn in_turn(&self, text: &str, turn: u32) -> String {
        let mut out = String::new();
        let mut from = 0;
        for at in occurrences(text, &self.counter) {
            out.push_str(&text[from..at]);
            from = at + self.counter.len();
            let is_last = text[from..].trim_start().starts_with([']', ')']) || from == text.len();
            match out.trim_end().strip_suffix('+') {
                Some(sum) if turn == 0 && is_last => out.truncate(sum.trim_end().len()),
                _ => out.push_str(&turn.to_string()),
            }
        }
        out.push_str(&text[from..]);
        out
    }
}

/// The loop around the only access of a group, in the text of its file.
pub(super) fn around(sources: &SourceMap, kernel: &Kernel, at: Span) -> Option<Loop> {
    if at.file != kernel.span.file {
        return None;
    }
    let blanked = blank(&sources.get(at.file).text);
    Loop::around(&blanked, kernel.span.end as usize, at).filter(|one| one.is_told(kernel))
}

/// Where the line of the first directive in front of `at` begins its text, and whether one asks for unrolling.
fn with_directives(text: &str, at: usize) -> (usize, bool) {
    let mut start = at;
    let mut is_unrolled = false;
    loop {
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        if !text[line..start].trim().is_empty() || line == 0 {
            return (start, is_unrolled);
        }
        let above = text[..line - 1].rfind('\n').map_or(0, |at| at + 1);
        let told = text[above..line - 1].trim_start();
        if !told.starts_with('#') || !told.contains("pragma") {
            return (start, is_unrolled);
        }
        is_unrolled |= told.contains("unroll") && !told.trim_end().ends_with(" 1");
        start = line - 1 - told.len();
    }
}

/// The bracket that closes the one at `open`.
fn matching(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0i32;
    for (offset, c) in text[open..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(open + offset);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    fn around(text: &str, what: &str) -> Option<Loop> {
        let at = text.find(what).expect("an access") as u32;
        let span = Span::new(FileId(0), at, at + what.len() as u32);
        Loop::around(text, 0, span)
    }

    #[test]
    fn loops_are_found_with_their_directives() {
        let text = "() {\n  #pragma unroll\n  for (int j = 0; j < 4; ++j)\n    sum += p[i + j];\n}";
        let one = around(text, "p[i + j]").expect("a loop");
        assert_eq!(&text[one.start..one.start + 7], "#pragma");
        assert_eq!(&text[one.body.clone()], "sum += p[i + j];");
        assert_eq!(one.in_turn("&p[i + j]", 0), "&p[i]");
        assert_eq!(one.in_turn("&p[i + j]", 4), "&p[i + 4]");
        assert_eq!(one.in_turn("&p[j + i]", 0), "&p[0 + i]");
    }

    #[test]
    fn loops_that_do_more_are_left_alone() {
        for text in [
            "() { for (int j = 1; j < 4; ++j) s += p[j]; }",
            "() { for (int j = 0; j < 4; j += 2) s += p[j]; }",
            "() { for (int j = 0; j < 4; ++j) { if (j == n) break; s += p[j]; } }",
            "() { for (int j = 0; j < 4; ++j) { s += p[j]; j += n; } }",
            "() { for (j = 0; j < 4; ++j) s += p[j]; }",
        ] {
            assert_eq!(around(text, "p[j]"), None, "{text}");
        }
    }
}
