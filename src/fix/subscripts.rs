//! Subscripts in the user's text, and the two ways of moving rows further apart in them.
//!
//! Given accesses to one array, gives the text inside the last bracket of each; edits that
//! text. What is not plainly a subscript is left out: whether an edit means what it should is
//! for the proof to say.

use super::Array;
use super::text::{array_declarator, blank, is_word, subscripts};
use crate::finding::Edit;
use crate::source::{SourceMap, Span};
use std::ops::Range;

/// The last subscript of one access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// Of the whole access, as its site has it.
    pub site: Span,
    /// Inside the last bracket.
    pub inner: Span,
    /// Inside the bracket before it, for arrays of rows.
    pub outer: Option<Span>,
}

/// Where the accesses write their last subscript, each place once.
#[must_use]
pub fn uses(array: Array) -> Vec<Use> {
    let sources = array.sources;
    let declared = array_declarator(sources.text(array.declaration)).map(|(name, _)| name);
    let mut found: Vec<Use> = Vec::new();
    for access in array.accesses {
        let site = &access.site;
        // A macro's body holds the subscript of all its uses.
        let place = site
            .definition
            .and_then(|span| subscript(span, &site.array, sources).next())
            .or_else(|| subscript(site.span, &site.array, sources).next());
        // A function that gets an element by reference: the call has the subscript.
        let by_call = || {
            let name = declared?;
            let calls = site.inlined.iter().rev();
            calls
                .map(|(_, call)| subscript(*call, name, sources).collect::<Vec<_>>())
                .find(|found| !found.is_empty())
        };
        let places = match place {
            Some(one) => vec![one],
            None => by_call().unwrap_or_default(),
        };
        for (inner, outer) in places {
            let one = Use {
                site: site.span,
                inner,
                outer,
            };
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    found
}

/// The last two brackets of each `array[…]` in `span`.
fn subscript<'a>(
    span: Span,
    array: &'a str,
    sources: &SourceMap,
) -> impl Iterator<Item = (Span, Option<Span>)> + use<'a> {
    let text = blank(sources.text(span));
    let starts: Vec<usize> = super::text::occurrences(&text, array)
        .filter(|at| text[at + array.len()..].trim_start().starts_with('['))
        .collect();
    starts.into_iter().filter_map(move |at| {
        let (brackets, _) = subscripts(&text, at + array.len());
        let absolute = |range: &Range<usize>| {
            Span::new(
                span.file,
                span.start + range.start as u32,
                span.start + range.end as u32,
            )
        };
        let inner = absolute(brackets.last()?);
        let outer = brackets
            .len()
            .checked_sub(2)
            .map(|at| absolute(&brackets[at]));
        Some((inner, outer))
    })
}

/// The factors of a product, `BM * (BN + 1)`; empty for anything that is no product or name.
#[must_use]
pub fn factors(text: &str) -> Vec<&str> {
    let mut depth = 0i32;
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '*' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            '+' | '-' | '/' | '%' | '<' | '>' | '?' | '&' | '|' | '^' if depth == 0 => {
                return Vec::new();
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    if parts.iter().any(|part| part.is_empty()) {
        parts.clear();
    }
    parts
}

/// Names and numbers that something is multiplied with, in order of appearance.
#[must_use]
pub fn multipliers(text: &str) -> Vec<String> {
    let text = blank(text);
    let mut found: Vec<String> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let word: String = rest.chars().take_while(|c| is_word(*c)).collect();
        if word.is_empty() {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        if is_factor(&text, &(at..at + word.len())) && word != "1" && !found.contains(&word) {
            found.push(word.clone());
        }
        at += word.len();
    }
    found
}

/// Whether what stands at `range` is multiplied, or is an argument or parenthesis of its own.
fn is_factor(text: &str, range: &Range<usize>) -> bool {
    let before = text[..range.start].trim_end();
    let after = text[range.end..].trim_start();
    if before.ends_with(['/', '%', '.']) || after.starts_with(['/', '%', '.', '[']) {
        return false;
    }
    let is_argument = before.ends_with(['(', ',']) && after.starts_with([')', ',']);
    before.ends_with('*') || after.starts_with('*') || is_argument
}

/// Every place in `text` where `factor` is one.
#[must_use]
pub fn places(text: &str, factor: &str) -> Vec<Range<usize>> {
    let blanked = blank(text);
    let is_name = factor.chars().all(is_word);
    blanked
        .match_indices(factor)
        .map(|(at, _)| at..at + factor.len())
        .filter(|range| {
            let touches = |c: Option<char>| is_name && c.is_some_and(is_word);
            !touches(blanked[..range.start].chars().next_back())
                && !touches(blanked[range.end..].chars().next())
                && is_factor(&blanked, range)
        })
        .collect()
}

/// `BM` and 4 give `(BM + 4)`, `32` and 1 give `33`, `(BN + 1)` and 4 give `(BN + 5)`.
#[must_use]
pub fn enlarged(factor: &str, padding: u64) -> String {
    if let Ok(number) = factor.parse::<u64>() {
        return (number + padding).to_string();
    }
    match factor
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
    {
        Some(inside) if is_sum(inside) => match last_number(inside) {
            Some((head, number)) => format!("({head} + {})", number + padding),
            None => format!("({} + {padding})", inside.trim()),
        },
        _ => format!("({factor} + {padding})"),
    }
}

fn is_sum(text: &str) -> bool {
    text.chars().all(|c| is_word(c) || " +*".contains(c))
}

/// `TILE + 1` as `TILE` and 1: where nothing before binds less than the sum.
#[must_use]
pub fn last_number(text: &str) -> Option<(&str, u64)> {
    let (head, number) = text.rsplit_once('+')?;
    // The last `+`, with a number alone behind it: brackets before it are closed.
    let is_sum = head.chars().all(|c| is_word(c) || " +-*/%()".contains(c));
    let number = number.trim().parse().ok()?;
    (is_sum && !head.trim().is_empty()).then(|| (head.trim(), number))
}

/// Edits that enlarge `factor` at every place in the subscript.
#[must_use]
pub fn by_factor(one: &Use, factor: &str, padding: u64, sources: &SourceMap) -> Vec<Edit> {
    let text = sources.text(one.inner);
    places(text, factor)
        .into_iter()
        .map(|range| Edit {
            span: Span::new(
                one.inner.file,
                one.inner.start + range.start as u32,
                one.inner.start + range.end as u32,
            ),
            replacement: enlarged(factor, padding),
        })
        .collect()
}

/// The subscript as an operand that may stand twice; `None` where evaluating it twice would
/// not be evaluating it once.
#[must_use]
pub fn operand(text: &str) -> Option<String> {
    let blanked = blank(text);
    let has_effect = blanked.contains("++")
        || blanked.contains("--")
        || blanked.contains(['{', '"', '\n'])
        || blanked.match_indices('=').any(|(at, _)| {
            let (before, after) = (&blanked[..at], &blanked[at + 1..]);
            !before.ends_with(['=', '<', '>', '!']) && !after.starts_with('=')
        });
    if has_effect {
        return None;
    }
    let text = text.trim();
    Some(if text.chars().all(|c| is_word(c) || c == '.') {
        text.to_owned()
    } else {
        format!("({text})")
    })
}

/// `e` becomes `e + e / row * padding`; lengths are in elements.
#[must_use]
pub fn in_general(one: &Use, row: &str, padding: u64, sources: &SourceMap) -> Option<Edit> {
    let text = operand(sources.text(one.inner))?;
    let by = if padding == 1 {
        String::new()
    } else {
        format!(" * {padding}")
    };
    Some(Edit {
        span: one.inner,
        replacement: format!("{text} + {text} / {row}{by}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_split() {
        assert_eq!(factors("BM * (BN + 1)"), ["BM", "(BN + 1)"]);
        assert_eq!(factors("1024"), ["1024"]);
        assert!(factors("BM + 1").is_empty());
    }

    #[test]
    fn strides_are_found_where_they_multiply() {
        assert_eq!(multipliers("(a * 4 + 0) * BM + b / 8"), ["a", "4", "BM"]);
        assert_eq!(multipliers("OFFSET(k, m, BM)"), ["k", "m", "BM"]);
        let first = |text: &str, factor: &str| places(text, factor).into_iter().next();
        assert_eq!(first("row * BM + BM", "BM"), Some(6..8));
        assert_eq!(places("row * BM + BM", "BM").len(), 1);
        assert_eq!(first("x / BM * 2", "BM"), None);
        assert_eq!(first("r * (BN + 1) + c", "(BN + 1)"), Some(4..12));
    }

    #[test]
    fn factors_grow_as_people_write_them() {
        assert_eq!(enlarged("32", 1), "33");
        assert_eq!(enlarged("BK", 4), "(BK + 4)");
        assert_eq!(enlarged("(BN + 1)", 1), "(BN + 2)");
        assert_eq!(enlarged("(BN + extra)", 4), "(BN + extra + 4)");
        assert_eq!(enlarged("(A ? B : C)", 1), "((A ? B : C) + 1)");
    }

    #[test]
    fn effects_are_not_repeated() {
        assert_eq!(operand("tid"), Some("tid".to_owned()));
        assert_eq!(operand("a == b"), Some("(a == b)".to_owned()));
        for text in ["i++", "i = 2", "i += 2", "--i"] {
            assert_eq!(operand(text), None, "{text}");
        }
    }
}
