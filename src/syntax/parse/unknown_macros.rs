//! Macros in classes that nobody defines: they may be members, or change where members lie.
//!
//! Given the tokens of a class, says whether one of them stands where data would. In front of functions they are
//! attributes, which matter to nobody here.

use super::context::Context;
use super::cst::Node;
use super::lex::{IDENT, NUMBER};
use super::names::{is_builtin_type, is_keyword, is_macro_like};
use std::ops::Range;

impl Context<'_> {
    /// Whether a class with this body holds such a macro, or one stands right in front of it or behind it.
    pub(super) fn has_unknown_macro(&self, node: Node<'_>, body: Node<'_>, name: &str) -> bool {
        let mut inside = self.tokens_in(body.start() + 1, body.end().saturating_sub(1));
        let mut start = inside.start;
        while let Some(at) = inside.next() {
            match self.tokens[at].kind {
                b'{' => {
                    if self.is_member_macro(start..at, name) {
                        return true;
                    }
                    let close = self.closing(at).unwrap_or(at);
                    inside.start = close + 1;
                    start = inside.start;
                }
                b'(' | b'[' => inside.start = self.closing(at).unwrap_or(at) + 1,
                b';' => {
                    if self.is_member_macro(start..at, name) {
                        return true;
                    }
                    start = at + 1;
                }
                b':' if at == start + 1 && self.is_access(start) => start = at + 1,
                _ => {}
            }
        }
        let end = self.tokens_in(body.end().saturating_sub(1), u32::MAX).start;
        start < end && self.is_member_macro(start..end, name) || self.is_beside(node, body)
    }

    fn closing(&self, open: usize) -> Option<usize> {
        let close = self.pairs.get(open).map(|close| *close as usize);
        close.filter(|close| *close > open)
    }

    fn is_access(&self, at: usize) -> bool {
        matches!(self.token_text(at), "public" | "private" | "protected")
    }

    fn is_unknown(&self, at: usize, name: &str) -> bool {
        let word = self.token_text(at);
        self.tokens[at].kind == IDENT && is_macro_like(word) && word != name
    }

    /// Whether a member is a macro, or data with one in front of it or behind it.
    fn is_member_macro(&self, mut member: Range<usize>, name: &str) -> bool {
        if member.is_empty() {
            return false;
        }
        let first = member.start;
        if self.is_unknown(first, name) {
            let behind = match self.tokens.get(first + 1).map(|next| next.kind) {
                Some(b'(') => self.closing(first + 1).unwrap_or(first) + 1,
                _ => first + 1,
            };
            let is_called = behind > first + 1;
            let rest = behind..member.end;
            if rest.is_empty() {
                return true;
            }
            // `REAL x, y;` has a type, `MACRO float x;` another word in front of it.
            let is_word = |at: usize| at < member.end && self.tokens[at].kind == IDENT;
            let is_second = is_word(behind)
                && !matches!(self.token_text(behind), "const" | "volatile")
                && (is_word(behind + 1)
                    || is_word(behind + 2) && matches!(self.tokens[behind + 1].kind, b'*' | b'&'));
            return self.is_data(rest) && (is_called || is_second);
        }
        if self.is_call_alone(member.clone(), name) {
            return true;
        }
        // `float w ARRAY_OF(4);`
        let is_call = |at: usize| {
            self.is_unknown(at, name)
                && self
                    .tokens
                    .get(at + 1)
                    .is_some_and(|next| next.kind == b'(')
        };
        let is_declarator = |at: usize| {
            let word = self.token_text(at);
            self.tokens[at].kind == IDENT && !is_keyword(word) && !is_builtin_type(word)
        };
        let is_type = |at: usize| {
            let word = self.token_text(at);
            match self.tokens[at].kind {
                IDENT => is_builtin_type(word) || !is_keyword(word),
                kind => matches!(kind, b'*' | b'&' | b'>'),
            }
        };
        // `float ALIGN16 x;`
        let is_between = |at: usize| {
            self.is_unknown(at, name)
                && is_builtin_type(self.token_text(at - 1))
                && self
                    .tokens
                    .get(at + 1)
                    .is_some_and(|next| next.kind == IDENT)
        };
        if (first + 1..member.end).any(|at| is_between(at) && self.is_data(first..at)) {
            return true;
        }
        // `float x ALIGN16;`, `float x[3] ALIGN16 = {};`
        let is_behind = |at: usize| {
            let next = self.tokens.get(at + 1).map(|next| next.kind);
            let is_last = at + 1 == member.end || matches!(next, Some(b'=' | b',' | b'[' | b'{'));
            let is_bound = self.tokens[at - 1].kind == b']';
            is_last
                && self.is_unknown(at, name)
                && (is_bound || is_declarator(at - 1) && is_type(at - 2))
        };
        if (first + 2..member.end).any(|at| is_behind(at) && self.is_data(first..at)) {
            return true;
        }
        member.start += 2;
        member.clone().any(|at| {
            is_call(at) && is_declarator(at - 1) && is_type(at - 2) && self.is_data(first..at)
        })
    }

    /// Whether a member is `name(…)` and no constructor, or has a number where a function has parameters.
    fn is_call_alone(&self, member: Range<usize>, name: &str) -> bool {
        let is_name = |at: usize| {
            let word = self.token_text(at);
            let is_reserved = is_keyword(word) || is_builtin_type(word) || word.starts_with('_');
            self.tokens[at].kind == IDENT && !is_reserved && word != "static_assert"
        };
        let ends_at = |open: usize| {
            self.tokens[open].kind == b'('
                && self.closing(open).map(|close| close + 1) == Some(member.end)
        };
        let first = member.start;
        let is_member = first + 1 < member.end && self.token_text(first) != name;
        if is_member && is_name(first) && ends_at(first + 1) {
            return true;
        }
        let mut calls = (first + 1..member.end.saturating_sub(2)).filter(|at| ends_at(at + 1));
        calls.any(|at| is_name(at) && self.tokens[at + 2].kind == NUMBER && self.is_data(first..at))
    }

    /// Whether a declaration is of a data member: it has no parentheses of a function, and needs an object.
    fn is_data(&self, mut of: Range<usize>) -> bool {
        of.all(|at| {
            let has_no_room = matches!(
                self.token_text(at),
                "static"
                    | "constexpr"
                    | "using"
                    | "typedef"
                    | "friend"
                    | "operator"
                    | "template"
                    | "class"
                    | "struct"
                    | "union"
                    | "enum"
            );
            self.tokens[at].kind != b'(' && !has_no_room
        })
    }

    /// `typedef MACRO(16) struct { … } T;`, `struct S { … } MACRO(16);`
    fn is_beside(&self, node: Node<'_>, body: Node<'_>) -> bool {
        let calls = |at: usize| {
            self.tokens
                .get(at + 1)
                .is_some_and(|next| next.kind == b'(')
                && self.is_unknown(at, "")
        };
        let behind = self.tokens_in(body.end(), u32::MAX).start;
        if behind < self.tokens.len() && calls(behind) {
            return true;
        }
        let head = self.tokens_in(node.start(), u32::MAX).start;
        let Some(before) = head.checked_sub(1) else {
            return false;
        };
        if self.tokens[before].kind != b')' {
            return false;
        }
        let open = (0..before)
            .rev()
            .take(64)
            .find(|at| self.closing(*at) == Some(before));
        let word = open.and_then(|open| open.checked_sub(1));
        word.is_some_and(|word| {
            let is_behind_typedef = word
                .checked_sub(1)
                .is_some_and(|at| self.token_text(at) == "typedef");
            is_behind_typedef && self.is_unknown(word, "")
        })
    }
}
