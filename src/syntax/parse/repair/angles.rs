//! What a `<` is: the start of a list of template arguments, or a comparison, in lists, too.

use super::{MarkKind, Repairer, Scope};
use crate::syntax::parse::lex::{
    AND_AND, ARROW, ELLIPSIS, IDENT, LAUNCH, NONE, NUMBER, OPERATOR, OR_OR, SCOPE,
};
use crate::syntax::parse::names::is_builtin_type;

impl Repairer<'_> {
    pub(super) fn less_at(&mut self, at: usize) -> usize {
        if let Some(close) = self.template_close(at) {
            self.is_angle[at] = true;
            self.is_angle[close] = true;
            self.lists_until = self.lists_until.max(close);
            if self.is_middle_of_path(at, close) || self.compares_values(at, close) {
                let (from, to) = (self.tokens[at].end, self.tokens[close].start);
                self.mark(MarkKind::Arguments, at, (from, to));
                self.blank(at, close + 1);
                return close + 1;
            }
        } else if at < self.lists_until || at < self.head_until {
            self.compare_in_list(at);
        } else {
            self.put(self.tokens[at].start, b'>');
        }
        at + 1
    }

    /// `f<N < 4, 2>`: a `>` would end the list, so that an operator stands in for `<` that groups as it does.
    fn compare_in_list(&mut self, at: usize) {
        let start = self.tokens[at].start;
        let is_blank = |at: Option<u32>| {
            at.is_some_and(|at| self.out.get(at as usize).is_some_and(|byte| *byte == b' '))
        };
        if is_blank(Some(start + 1)) {
            self.put(start + 1, b'=');
        } else if is_blank(start.checked_sub(1)) {
            self.put(start - 1, b'<');
            self.put(start, b'=');
        } else if self.has_looser_neighbour(at) {
            // Nothing of this length groups rightly: what cannot be read is left out.
            self.put(start, b'@');
        } else {
            self.put(start, b'|');
        }
    }

    /// Whether an operator between `|` and `<` in precedence may stand in the same argument.
    fn has_looser_neighbour(&self, at: usize) -> bool {
        /// More tokens than an argument has.
        const MOST: usize = 64;
        let is_end = |at: usize| {
            matches!(
                self.kind(at),
                NONE | b',' | b';' | b'{' | b'}' | b'(' | b')' | AND_AND | OR_OR | b'?' | b':'
            )
        };
        let is_looser = |at: usize| match self.kind(at) {
            b'&' | b'^' => true,
            OPERATOR => matches!(self.word(at), "==" | "!=" | "<=" | ">=" | "<=>"),
            _ => false,
        };
        let before = (at.saturating_sub(MOST)..at).rev();
        let mut before = before.take_while(|at| !is_end(*at));
        let mut after = (at + 1..at + MOST).take_while(|at| !is_end(*at));
        before.any(is_looser) || after.any(is_looser)
    }

    /// Whether the `<` at `at` compares, as what stands before it is no template.
    fn follows_value(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else {
            return false;
        };
        match self.kind(before) {
            NUMBER | b')' | b'>' => true,
            b']' => self.pair(before).is_some_and(|open| {
                open.checked_sub(1)
                    .is_some_and(|at| self.is_name(at) || matches!(self.kind(at), b')' | b']'))
            }),
            IDENT => {
                let place = self.tokens[before].start;
                let word = self.word(before);
                let qualifier = before.checked_sub(1).map_or(NONE, |at| self.kind(at));
                let is_reached = match qualifier {
                    b'.' | ARROW => false,
                    // `X<3>::v < 4`, `T::n < 4`: of a class, where a template would need its word.
                    SCOPE => before.checked_sub(2).is_some_and(|at| {
                        self.kind(at) == b'>' || self.kind(at) == IDENT && self.is_type(at)
                    }),
                    _ => true,
                };
                is_reached
                    && !self.is_type(before)
                    && !self.names.is_template(word, place)
                    && (self.names.is_value(word, place)
                        || qualifier == SCOPE && !self.names.is_member_type(word))
            }
            _ => false,
        }
    }

    /// Whether the list belongs to a name in the middle of a path, as in `X<int>::In<3>::v` and `x.Base<3>::v`, and has
    /// no type in it: the grammar would compare `X<int>::In`, `3` and `::v`.
    fn is_middle_of_path(&self, open: usize, close: usize) -> bool {
        let before = self.previous.checked_sub(1);
        let is_member = before.is_some_and(|at| matches!(self.kind(at), b'.' | ARROW));
        let is_behind_path = before.is_some_and(|at| {
            is_member
                || self.kind(at) == SCOPE
                || self.word(at) == "template"
                    && at.checked_sub(1).is_some_and(|at| self.kind(at) == SCOPE)
        });
        let is_operand = |at: usize| {
            matches!(
                self.kind(at),
                IDENT | NUMBER | b'+' | b'-' | b'*' | b'/' | b'%' | b',' | SCOPE
            ) && (!self.is_type(at) || is_member && !is_builtin_type(self.word(at)))
        };
        (self.scope() == Scope::Body || open >= self.head_until && self.is_first_value(open))
            && self.is_name(self.previous)
            && self.kind(close + 1) == SCOPE
            && is_behind_path
            && close > open + 1
            && (open + 1..close).all(is_operand)
    }

    /// Whether a list of a template holds a comparison by `<` and nothing but values: it is read by itself.
    fn compares_values(&self, open: usize, close: usize) -> bool {
        let mut inside = open + 1..close;
        let compares = inside
            .clone()
            .any(|at| self.kind(at) == b'<' && self.follows_value(at));
        let is_operand = |at: usize| match self.kind(at) {
            IDENT => {
                !is_builtin_type(self.word(at))
                    && (!self.is_type(at) || matches!(self.kind(at + 1), SCOPE | b'<'))
            }
            NUMBER | OPERATOR | AND_AND | OR_OR | SCOPE => true,
            kind => b"<>+-*/%,()?:!&|^~".contains(&kind),
        };
        self.scope() == Scope::Body
            && self.is_name(self.previous)
            && self.word(self.previous) != "template"
            && compares
            && inside.all(is_operand)
    }

    /// Whether a token outside of functions stands in what a variable or an enumerator is given first.
    fn is_first_value(&self, at: usize) -> bool {
        /// More tokens than a declaration has in front of its value.
        const MOST: usize = 64;
        let mut has_equals = false;
        for before in (at.saturating_sub(MOST)..at).rev() {
            match self.kind(before) {
                b';' | b'{' | b'}' => break,
                b'=' => has_equals = true,
                IDENT if matches!(self.word(before), "using" | "typedef") => return false,
                _ => {}
            }
        }
        has_equals
    }

    /// Whether a type stands behind the arrow at `arrow`: `[&](int i) mutable -> Row<4> {`.
    fn is_result_of_lambda(&self, arrow: usize) -> Option<bool> {
        let mut at = arrow.checked_sub(1)?;
        while matches!(
            self.word(at),
            "mutable" | "noexcept" | "constexpr" | "const" | "__device__" | "__host__"
        ) {
            at = at.checked_sub(1)?;
        }
        if self.kind(at) != b')' {
            return None;
        }
        at = self.pair(at)?.checked_sub(1)?;
        // `[]<class T>(T x)`
        let mut depth = 0_usize;
        loop {
            match self.kind(at) {
                b'>' => depth += 1,
                b'<' if depth > 0 => depth -= 1,
                _ if depth == 0 => break,
                b';' | b'{' | b'}' => return None,
                _ => {}
            }
            at = at.checked_sub(1)?;
        }
        if self.kind(at) != b']' {
            return None;
        }
        // A subscript stands behind what is subscripted.
        let introducer = self.pair(at)?;
        Some(introducer.checked_sub(1).is_none_or(|before| {
            !matches!(self.kind(before), b')' | b']') && !self.is_name(before)
        }))
    }

    /// The `>` that closes the `<` at `open`, where it opens a template list.
    pub(super) fn template_close(&self, open: usize) -> Option<usize> {
        let forced = self.forced_angle == open;
        let before = self.previous;
        let word = self.previous_word();
        let is_cast = matches!(
            word,
            "static_cast" | "reinterpret_cast" | "const_cast" | "dynamic_cast"
        );
        let is_lambda = self.previous_kind() == b']';
        if !(forced || is_cast || is_lambda || self.is_name(before) || word == "typename") {
            return None;
        }
        let (close, features) = self.scan_angles(open, forced)?;
        let arrow = before.checked_sub(1).filter(|at| self.kind(*at) == ARROW);
        let is_result = arrow.is_some_and(|arrow| self.is_result_of_lambda(arrow) == Some(true));
        if forced || is_cast || is_lambda || is_result {
            return Some(close);
        }
        let place = self.tokens.get(before).map_or(0, |token| token.start);
        let is_variable = self.names.is_value(word, place);
        let is_member = before
            .checked_sub(1)
            .is_some_and(|at| matches!(self.kind(at), b'.' | ARROW));
        if self.names.is_template(word, place) && !is_variable && !is_member {
            return Some(close);
        }
        let is_outside = open < self.head_until || self.scope() != Scope::Body;
        if is_outside && !self.follows_value(open) {
            return Some(close);
        }
        let qualified = before
            .checked_sub(1)
            .is_some_and(|at| self.kind(at) == SCOPE);
        let compares = if is_variable && !qualified && !self.is_type(before) {
            features.has_logic || !features.has_type
        } else {
            features.has_logic && !features.has_type
        };
        let next = self.kind(close + 1);
        if next == LAUNCH {
            return Some(close);
        }
        // `g.Base<2>::z`
        if is_member && next == SCOPE && self.is_name(close + 2) {
            return Some(close);
        }
        if compares && (is_variable || next != SCOPE) {
            return None;
        }
        if is_member {
            let is_template = features.has_type || self.names.is_template(word, place);
            return (next == b'(' && is_template).then_some(close);
        }
        let continues = matches!(
            next,
            b'(' | SCOPE
                | b'{'
                | b'}'
                | IDENT
                | b'&'
                | b'*'
                | b'>'
                | b','
                | b')'
                | b';'
                | LAUNCH
                | ELLIPSIS
                | AND_AND
                | b'='
                | b'['
                | b':'
        );
        (continues || (features.has_type && !is_variable)).then_some(close)
    }

    /// The `>` that closes the `<` at `open`, and what stands between. The end is looked for first, by kinds of
    /// tokens alone: most `<` of a hostile text have none, and asking for names costs much more.
    pub(super) fn scan_angles(&self, open: usize, is_head: bool) -> Option<(usize, Angles)> {
        let close = self.angles_end(open, is_head)?;
        let mut depth = 1usize;
        let mut at = open + 1;
        let mut features = Angles::default();
        while at < close {
            match self.kind(at) {
                b'<' if self.follows_value(at) => {}
                b'<' => depth += 1,
                b'>' => depth -= 1,
                b'(' | b'[' | b'{' => at = self.pair(at)?,
                AND_AND | OR_OR if depth == 1 => {
                    // `F<T&&>` refers, `a < b && c > d` compares.
                    let ends = matches!(self.kind(at + 1), b'>' | b',' | ELLIPSIS | b')');
                    features.has_logic |= !ends;
                }
                IDENT if !features.has_type => {
                    let word = self.word(at);
                    features.has_type =
                        matches!(word, "const" | "typename" | "struct" | "decltype")
                            || self.is_type(at);
                }
                _ => {}
            }
            at += 1;
        }
        Some((close, features))
    }

    fn angles_end(&self, open: usize, is_head: bool) -> Option<usize> {
        /// More tokens than any list has.
        const MOST: usize = 600;
        let limit = self.tokens.len().min(open + MOST);
        let mut depth = 1usize;
        let mut at = open + 1;
        // Each of the tokens that are left closes one at most.
        while at + depth <= limit {
            match self.tokens[at].kind {
                b'<' if self.follows_value(at) => {}
                b'<' => depth += 1,
                b'>' => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                b'(' | b'[' => at = self.pair(at)?,
                b'{' if is_head || self.kind(at.wrapping_sub(1)) == IDENT => at = self.pair(at)?,
                b';' | b'{' | b'}' | b')' | b']' => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }
}

/// What stands between a pair of angles.
#[derive(Default)]
pub(super) struct Angles {
    has_logic: bool,
    has_type: bool,
}
