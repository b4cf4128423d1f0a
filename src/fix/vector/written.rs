//! How an access of one element stands in the text.
//!
//! Given the text of an access, gives the text of its address: `&p[i]` of `p[i]`, `p + i` of `__ldg(p + i)` and of
//! `*(p + i)`. What is not plainly one of these is none.

use crate::fix::subscripts::operand;
use crate::fix::text::{blank, is_word, subscripts};
use crate::ir::Site;
use crate::source::{SourceMap, Span};

/// Loads with a hint for the cache, which take an address.
const HINTED: [&str; 6] = ["__ldg", "__ldcg", "__ldca", "__ldcs", "__ldlu", "__ldcv"];

/// One access as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub span: Span,
    /// Of its first byte; evaluating it has no effect.
    pub address: String,
    /// The name that the address begins with.
    pub base: String,
    /// The function that loads it.
    pub hint: Option<&'static str>,
}

impl Written {
    /// `None` for what a macro or an inlined function wrote, or stands in another file.
    pub fn of(sources: &SourceMap, site: &Site, home: Span) -> Option<Self> {
        if !site.inlined.is_empty() || site.definition.is_some() || site.span.file != home.file {
            return None;
        }
        let text = sources.text(site.span);
        let (address, hint) = address(text)?;
        operand(&address)?;
        let base = address.trim_start_matches(['&', '(', ' ', '*']);
        let end = base.find(|c: char| !is_word(c)).unwrap_or(base.len());
        let base = base[..end].to_owned();
        (end > 0).then_some(Self {
            span: site.span,
            address,
            base,
            hint,
        })
    }
}

fn address(text: &str) -> Option<(String, Option<&'static str>)> {
    let blanked = blank(text);
    if blanked != text {
        return None;
    }
    for hint in HINTED {
        let Some(rest) = text.strip_prefix(hint) else {
            continue;
        };
        let inside = rest.trim().strip_prefix('(')?.strip_suffix(')')?.trim();
        return is_whole(inside).then(|| (inside.to_owned(), Some(hint)));
    }
    if let Some(pointer) = text.strip_prefix('*') {
        let pointer = pointer.trim();
        let inside = pointer
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'));
        let address = inside.filter(|text| is_whole(text)).unwrap_or(pointer);
        return Some((address.to_owned(), None));
    }
    let name = text.find('[')?;
    let is_path = |text: &str| {
        let parts = text
            .split(['.', '>'])
            .map(|part| part.trim_end_matches('-'));
        parts
            .into_iter()
            .all(|part| !part.is_empty() && part.chars().all(is_word))
    };
    let (brackets, end) = subscripts(text, name);
    let is_element = brackets.len() == 1 && end == text.len() && is_path(&text[..name]);
    is_element.then(|| (format!("&{text}"), None))
}

/// Whether the text holds whole pairs of brackets and no comma outside of them.
fn is_whole(text: &str) -> bool {
    let mut depth = 0i32;
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => return false,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// Where the statement begins that holds what stands at `at`; `None` inside of the brackets of a loop or a call.
pub(super) fn statement(text: &str, at: usize) -> Option<usize> {
    let head = text.get(..at)?;
    let before = head.rfind([';', '{', '}'])? + 1;
    let inside = &text[before..at];
    let mut depth = 0i32;
    for c in inside.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    let start = before + inside.len() - inside.trim_start().len();
    let word = &text[start..];
    let end = word.find(|c: char| !is_word(c)).unwrap_or(word.len());
    let is_part = ["else", "case", "default"].contains(&&word[..end]) || word.starts_with('#');
    (!is_part).then_some(start)
}

/// The end of the statement that begins at `at`, its `;` included.
pub(super) fn end_of_statement(text: &str, at: usize) -> Option<usize> {
    let mut depth = 0i32;
    for (offset, c) in text.get(at..)?.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ';' if depth == 0 => return Some(at + offset + 1),
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    None
}

/// Whether what stands at `span` is all of the left side of a plain assignment that is a statement.
pub(super) fn is_assigned(text: &str, span: Span) -> bool {
    let rest = text
        .get(span.end as usize..)
        .unwrap_or_default()
        .trim_start();
    statement(text, span.start as usize) == Some(span.start as usize)
        && rest.starts_with('=')
        && !rest.starts_with("==")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_of_plain_elements() {
        let of = |text: &str| address(text).map(|(address, _)| address);
        assert_eq!(of("p[i + 1]").as_deref(), Some("&p[i + 1]"));
        assert_eq!(of("s.data[i]").as_deref(), Some("&s.data[i]"));
        assert_eq!(of("__ldg(p + i)").as_deref(), Some("p + i"));
        assert_eq!(of("__ldg(&p[i])").as_deref(), Some("&p[i]"));
        assert_eq!(of("*(p + i)").as_deref(), Some("p + i"));
        for other in ["p[i].x", "f(p)[i]", "p[i][j]", "__ldg(p, i)", "p[i]; q[i]"] {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn a_statement_begins_after_the_one_before() {
        let text = "{ a = 1;\n  b = f(x[0], x[1]); }";
        let at = text.find("x[0]").expect("a load");
        assert_eq!(statement(text, at), text.find("b = "));
        assert_eq!(statement("b = x[0]", 4), None);
        let header = "{ for (int i = 0; i < n; i++) s += x[i]; }";
        assert_eq!(
            statement(header, header.find("x[i]").expect("a load")),
            None
        );
        let branch = "{ if (a) { b = 1; } else c = x[0]; }";
        assert_eq!(
            statement(branch, branch.find("x[0]").expect("a load")),
            None
        );
    }

    #[test]
    fn statements_end_at_their_own_semicolon() {
        let text = "a = f([] { return 1; }); b = 2;";
        assert_eq!(end_of_statement(text, 0), Some(text.find(" b").expect("b")));
    }
}
