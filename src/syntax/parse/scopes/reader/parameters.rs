//! Parameters of functions, lambdas and templates: their names, and the stretch that each holds for.

use super::super::super::lex::{ELLIPSIS, IDENT, SCOPE};
use super::super::super::names::{head_end, is_attribute_word, is_builtin_type, is_keyword};
use super::super::{MAX_UNCLOSED, Meaning};
use super::Reader;

impl Reader<'_, '_> {
    /// The parameters of a function or lambda with a body.
    pub(super) fn parameters(&mut self, open: usize) {
        let Some(before) = open.checked_sub(1) else {
            return;
        };
        let is_callee = match self.kind(before) {
            IDENT => {
                let word = self.word(before);
                !is_keyword(word) || is_attribute_word(word) || word == "mutable"
            }
            b']' | b'>' => true,
            b')' => self.word(before.wrapping_sub(2)) == "operator",
            _ => (1..4).any(|back| self.word(before.saturating_sub(back)) == "operator"),
        };
        if !is_callee {
            return;
        }
        let Some(close) = self.pair(open) else { return };
        let Some(body) = self.body_after(close) else {
            return;
        };
        let Some(end) = self.pair(body) else { return };
        let until = self.start(end);
        self.list(open + 1, close, self.start(open), until);
    }

    /// The names of a list of parameters, of functions or templates.
    fn list(&mut self, from: usize, past: usize, start: u32, until: u32) {
        let mut piece = from;
        let mut at = from;
        while at <= past {
            if at == past || self.kind(at) == b',' {
                self.parameter(piece, at, start, until);
                piece = at + 1;
                at += 1;
                continue;
            }
            match self.kind(at) {
                b'(' | b'[' | b'{' => at = self.pair(at).filter(|to| *to < past).unwrap_or(at),
                b'<' if at > piece => {
                    at = self.angles(at).filter(|to| *to <= past).unwrap_or(at + 1) - 1;
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn parameter(&mut self, from: usize, past: usize, start: u32, until: u32) {
        let mut end = past;
        let mut at = from;
        while at < past {
            match self.kind(at) {
                b'=' => {
                    end = at;
                    break;
                }
                b'(' | b'[' | b'{' => at = self.pair(at).filter(|to| *to < past).unwrap_or(at),
                _ => {}
            }
            at += 1;
        }
        while end > from && self.kind(end - 1) == b']' {
            end = self.pair(end - 1).filter(|to| *to > from).unwrap_or(from);
        }
        let Some(last) = end.checked_sub(1).filter(|last| *last >= from) else {
            return;
        };
        let name = if self.kind(last) == b')' {
            let open = (from..last)
                .find(|at| self.kind(*at) == b'(' && matches!(self.kind(*at + 1), b'*' | b'&'));
            open.and_then(|open| (open..last).find(|at| self.is_name(*at)))
        } else {
            let has_type = (from..last).any(|at| {
                self.kind(at) == IDENT
                    && (is_builtin_type(self.word(at)) || !is_keyword(self.word(at)))
            });
            (self.is_name(last) && has_type && self.kind(last.wrapping_sub(1)) != SCOPE)
                .then_some(last)
        };
        if let Some(name) = name {
            self.found
                .add(self.word(name), start, until, Meaning::Value);
        }
    }

    /// The parameters of a template, and what they hold for.
    pub(super) fn head(&mut self, at: usize) {
        let open = at + 1;
        let end = head_end(self.text, self.tokens, self.pairs, open);
        self.head_until = self.head_until.max(end);
        let until = self.declaration_end(end);
        let start = self.start(at);
        let mut piece = open + 1;
        let mut next = piece;
        let mut unclosed = 0;
        while next < end {
            let is_end = next + 1 == end;
            if is_end || self.kind(next) == b',' {
                self.template_parameter(piece, next, start, until);
                piece = next + 1;
            } else {
                match self.kind(next) {
                    b'(' | b'[' | b'{' => {
                        next = self.pair(next).filter(|to| *to < end).unwrap_or(next);
                    }
                    b'<' if unclosed < MAX_UNCLOSED => {
                        match self.angles(next).filter(|to| *to < end) {
                            Some(past) => next = past - 1,
                            None => unclosed += 1,
                        }
                    }
                    _ => {}
                }
            }
            next += 1;
        }
    }

    fn template_parameter(&mut self, from: usize, past: usize, start: u32, until: u32) {
        let mut keyword = from;
        if self.word(keyword) == "template" && self.kind(keyword + 1) == b'<' {
            keyword = self.angles(keyword + 1).unwrap_or(past);
        }
        if !matches!(self.word(keyword), "typename" | "class") {
            return self.parameter(from, past, start, until);
        }
        let mut name = keyword + 1;
        if self.kind(name) == ELLIPSIS {
            name += 1;
        }
        // `typename T::type = 0` is a value without a name.
        if name < past && self.is_name(name) && matches!(self.kind(name + 1), b',' | b'>' | b'=') {
            self.found.add(self.word(name), start, until, Meaning::Type);
        } else if self.kind(name + 1) == SCOPE {
            self.parameter(from, past, start, until);
        }
    }
}
