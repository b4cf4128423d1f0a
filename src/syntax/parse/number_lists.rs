//! Long lists of numbers, read without the grammar.
//!
//! Given tokens, finds lists that hold nothing but numbers, and makes of such a list what its tree would
//! become. A tree takes a hundred times the bytes of its text, and tables of constants are most of
//! some files.

use super::context::Context;
use super::lex::{CHAR, NUMBER, Token, UNPAIRED};
use super::literals;
use crate::syntax::ast::{Expr, ExprKind, Name, Range, UnaryOp};

/// Shorter lists are left to the grammar, in tokens.
const LEAST: usize = 256;
/// Lists in lists.
const MOST_DEPTH: usize = 8;

type Entries = Vec<(Option<Name>, Expr)>;

/// The `}` of the list that begins at `open`, if that is a long one and holds numbers alone.
pub fn end(tokens: &[Token], pairs: &[u32], open: usize) -> Option<usize> {
    let close = *pairs.get(open).filter(|close| **close != UNPAIRED)? as usize;
    let inside = tokens.get(open + 1..close)?;
    if inside.len() < LEAST {
        return None;
    }
    let (mut depth, mut may_begin) = (1, true);
    let mut at = 0;
    while let Some(token) = inside.get(at) {
        match token.kind {
            b',' if !may_begin => may_begin = true,
            b'}' => {
                depth -= 1;
                may_begin = false;
            }
            b'{' if may_begin && depth < MOST_DEPTH => depth += 1,
            b'-' if may_begin && inside.get(at + 1)?.kind == NUMBER => {
                at += 1;
                may_begin = false;
            }
            NUMBER | CHAR if may_begin => may_begin = false,
            _ => return None,
        }
        at += 1;
    }
    Some(close)
}

impl Context<'_> {
    /// The list at `range`, of which the grammar saw the braces only; `None` where that is all of it.
    pub fn table(&self, range: Range) -> Option<ExprKind> {
        let first = self
            .tokens
            .partition_point(|token| token.start <= range.start);
        let past = self.tokens.partition_point(|token| token.end < range.end);
        let inside = self.tokens.get(first..past).filter(|all| !all.is_empty())?;
        let mut open: Vec<(u32, Entries)> = vec![(range.start, Vec::new())];
        let mut tokens = inside.iter();
        while let Some(token) = tokens.next() {
            let expr = match token.kind {
                b'{' => {
                    open.push((token.start, Vec::new()));
                    continue;
                }
                b'}' => {
                    let (start, entries) = open.pop()?;
                    Expr {
                        kind: ExprKind::List(Self::tight(entries)),
                        range: Range {
                            start,
                            end: token.end,
                        },
                    }
                }
                b'-' => {
                    let number = self.number_at(tokens.next()?);
                    let end = number.range.end;
                    Expr {
                        kind: ExprKind::Unary(UnaryOp::Neg, Box::new(number)),
                        range: Range {
                            start: token.start,
                            end,
                        },
                    }
                }
                NUMBER | CHAR => self.number_at(token),
                _ => continue,
            };
            open.last_mut()?.1.push((None, expr));
        }
        let (_, entries) = open.pop()?;
        Some(ExprKind::List(Self::tight(entries)))
    }

    fn number_at(&self, token: &Token) -> Expr {
        let range = Range {
            start: token.start,
            end: token.end,
        };
        let text = self.slice(range);
        let kind = if token.kind == CHAR {
            literals::character(text)
        } else {
            literals::number(text)
        };
        Expr { kind, range }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{parse, render};
    use super::*;
    use crate::syntax::parse::lex::{lex, pair_brackets};

    fn list(entry: &str, count: usize) -> String {
        format!("{{ {} }}", vec![entry; count].join(", "))
    }

    #[test]
    fn tables_read_as_their_trees() {
        for entry in ["1", "-2.5f", "{ 3, {0x4u, 5ull}, 'x' }", "{}", "{1, }"] {
            let render = |count: usize| {
                let text = format!("__constant__ float t[3][4] = {};", list(entry, count));
                let (tokens, _) = lex(&text);
                let pairs = pair_brackets(&tokens);
                let open = tokens.iter().position(|token| token.kind == b'{');
                let is_table = end(&tokens, &pairs, open.expect("a list")).is_some();
                (is_table, render::unit(&parse(&text)))
            };
            let (short, long) = (render(3), render(300));
            assert_eq!((short.0, long.0), (false, true), "{entry}");
            let one = short.1.split_once('{').and_then(|(_, rest)| {
                let whole = rest.rsplit_once('}')?.0.trim();
                Some(whole[..(whole.len() - 4) / 3].to_owned())
            });
            let one = one.expect("three entries");
            assert_eq!(long.1.matches(&one).count(), 300, "{}", long.1);
        }
    }

    #[test]
    fn other_lists_are_left_to_the_grammar() {
        for entry in [
            "f(1)", "a", "1 2", "1 + 2", ", 1", "{1}{2}", "- -1", "\"s\"",
        ] {
            let text = list(entry, 300);
            let (tokens, _) = lex(&text);
            let pairs = pair_brackets(&tokens);
            assert_eq!(end(&tokens, &pairs, 0), None, "{entry}");
        }
    }
}
