//! What a `<` is: the start of a list of template arguments, or a comparison, in lists, too.

use super::{MarkKind, Repairer, Scope};
use crate::syntax::parse::lex::{
    AND_AND, ARROW, CHAR, ELLIPSIS, IDENT, LAUNCH, NONE, NUMBER, OPERATOR, OR_OR, SCOPE, SHIFT_LEFT,
};
use crate::syntax::parse::names::is_builtin_type;

impl Repairer<'_> {
    pub(super) fn less_at(&mut self, at: usize) -> usize {
        if let Some(close) = self.template_close(at) {
            self.is_angle[at] = true;
            self.is_angle[close] = true;
            self.lists_until = self.lists_until.max(close);
            if self.is_middle_of_path(at, close)
                || self.compares_values(at, close)
                || self.is_read_by_itself(at, close)
            {
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
            b'&' | b'^' | b'|' => true,
            OPERATOR => matches!(self.word(at), "==" | "!=" | "<=" | ">=" | "<=>"),
            _ => false,
        };
        // What stands in parentheses groups by itself.
        let mut before = at;
        for _ in 0..MOST {
            let Some(next) = before.checked_sub(1) else {
                break;
            };
            before = match (self.kind(next), self.pair(next)) {
                (b')', Some(open)) => open,
                _ if is_end(next) => break,
                _ if is_looser(next) => return true,
                _ => next,
            };
        }
        let mut after = at + 1;
        for _ in 0..MOST {
            after = match (self.kind(after), self.pair(after)) {
                (b'(', Some(close)) => close + 1,
                _ if is_end(after) => break,
                _ if is_looser(after) => return true,
                _ => after + 1,
            };
        }
        false
    }

    /// Whether the `<` at `at` compares, as what stands before it is no template.
    fn follows_value(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else {
            return false;
        };
        match self.kind(before) {
            NUMBER | CHAR | b')' | b'>' => true,
            b']' => self.pair(before).is_some_and(|open| {
                open.checked_sub(1).is_some_and(|at| {
                    self.is_name(at) || matches!(self.kind(at), b')' | b']' | CHAR)
                })
            }),
            IDENT => {
                let place = self.tokens[before].start;
                let word = self.word(before);
                let qualifier = before.checked_sub(1).map_or(NONE, |at| self.kind(at));
                let is_reached = match qualifier {
                    // A member template is known, or stands behind its word.
                    b'.' | ARROW => !self.names.is_template(word, place),
                    // `X<3>::v < 4`, `T::n < 4`: of a class, where a template would need its word.
                    SCOPE => before.checked_sub(2).is_some_and(|at| {
                        let is_known = self.kind(at) == IDENT
                            && (self.is_type(at) || self.names.is_value(word, place));
                        self.kind(at) == b'>' || is_known
                    }),
                    _ => true,
                };
                is_reached
                    && !self.is_type(before)
                    && !self.names.is_template(word, place)
                    && (self.names.is_value(word, place)
                        || qualifier == SCOPE && !self.names.is_member_type(word)
                        || matches!(qualifier, b'.' | ARROW))
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
        (self.scope() == Scope::Body || open >= self.head_until && self.is_first_value(open))
            && self.is_name(self.previous)
            && self.kind(close + 1) == SCOPE
            && is_behind_path
            && self.has_values_only(open, close, is_member)
    }

    /// Whether a list holds expressions, and no type.
    fn has_values_only(&self, open: usize, close: usize, is_member: bool) -> bool {
        let mut from = open + 1;
        let mut at = from;
        let mut is_value = from < close;
        while is_value && at <= close {
            match self.kind(at) {
                b',' => {
                    is_value = self.is_expression(from, at, is_member);
                    from = at + 1;
                }
                _ if at == close => is_value = self.is_expression(from, at, is_member),
                b'(' | b'[' | b'{' => match self.pair(at) {
                    Some(partner) => at = partner,
                    None => is_value = false,
                },
                _ => {}
            }
            at += 1;
        }
        is_value
    }

    /// Whether the tokens from one place up to another are an expression, as an argument of a template.
    fn is_expression(&self, from: usize, past: usize, is_member: bool) -> bool {
        let is_cast = |at: usize| {
            matches!(
                self.word(at),
                "static_cast" | "reinterpret_cast" | "const_cast" | "sizeof" | "alignof"
            )
        };
        let computes = |at: usize| match self.kind(at) {
            NUMBER | CHAR | b'+' | b'-' | b'/' | b'%' | b'?' | b'!' | b'~' | b'^' | b'|'
            | SHIFT_LEFT | OPERATOR | OR_OR => true,
            // `x * y` is a product, `T *` a type.
            b'*' | b'&' | AND_AND => {
                at + 1 < past && matches!(self.kind(at + 1), IDENT | NUMBER | b'(' | b'!' | b'-')
            }
            IDENT => is_cast(at) || matches!(self.word(at), "true" | "false"),
            _ => false,
        };
        let mut all = from..past;
        if past
            .checked_sub(1)
            .is_some_and(|last| self.kind(last) == ELLIPSIS)
        {
            return false;
        }
        if all.clone().any(computes) {
            // `int(int)` and `T (&)[3]` compute nothing.
            return !all.any(|at| matches!(self.word(at), "const" | "volatile" | "typename"));
        }
        let is_name = |at: usize| {
            matches!(self.kind(at), IDENT | SCOPE)
                && (!self.is_type(at) || is_member && !is_builtin_type(self.word(at)))
        };
        // `Tr::n`, of a class.
        let is_path = |at: usize| {
            is_name(at)
                || self.kind(at) == IDENT
                    && at + 1 < past
                    && self.kind(at + 1) == SCOPE
                    && !is_builtin_type(self.word(at))
        };
        from < past && all.all(is_path)
    }

    /// Whether the grammar would compare where a list stands: behind the name of a member that is called, behind a
    /// variable that is a template, and where the list holds `&&` or `||`.
    fn is_read_by_itself(&self, open: usize, close: usize) -> bool {
        let before = self.previous.checked_sub(1);
        let qualifier = before.map_or(NONE, |at| self.kind(at));
        let is_member = matches!(qualifier, b'.' | ARROW);
        let next = self.kind(close + 1);
        let word = self.previous_word();
        let is_call = next == b'(' && (is_member || qualifier == SCOPE);
        let is_variable = matches!(next, b'*' | b'-' | b'&' | b'+' | b')')
            && qualifier == SCOPE
            && self.names.is_value_template(word);
        self.scope() == Scope::Body
            && self.is_name(self.previous)
            && (is_call || is_variable)
            && self.has_values_only(open, close, false)
    }

    /// Whether a list of a template holds a comparison by `<` and nothing but values: it is read by itself.
    fn compares_values(&self, open: usize, close: usize) -> bool {
        let mut inside = open + 1..close;
        let compares = inside
            .clone()
            .any(|at| self.kind(at) == b'<' && self.follows_value(at));
        // `Q<int>::n`
        let is_argument = |at: usize| {
            at > open + 1
                && matches!(self.kind(at - 1), b'<' | b',')
                && matches!(self.kind(at + 1), b'>' | b',')
        };
        let is_operand = |at: usize| match self.kind(at) {
            IDENT if is_argument(at) => true,
            IDENT => {
                !is_builtin_type(self.word(at))
                    && (!self.is_type(at) || matches!(self.kind(at + 1), SCOPE | b'<'))
            }
            NUMBER | CHAR | OPERATOR | AND_AND | OR_OR | SCOPE | ARROW => true,
            kind => b"<>+-*/%,()?:!&|^~.[]".contains(&kind),
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
        let next = self.kind(close + 1);
        // `t < int(n) >> 1`, `t < int(n) > 0`: what a body declares is no template, and nothing around it ends, too.
        let is_shift = next == b'>'
            && self.tokens[close].end == self.tokens[close + 1].start
            && open >= self.lists_until.max(self.head_until);
        let is_local = is_variable && !is_member && !self.names.is_global_value(word, place);
        if self.scope() == Scope::Body && (is_shift || is_local) {
            return None;
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
        if next == LAUNCH {
            return Some(close);
        }
        // `g.Base<2>::z`
        if is_member && next == SCOPE && self.is_name(close + 2) {
            return Some(close);
        }
        // A template of that name is meant where one is called: `o.run<A && !B>(x)`, `lib::run<A && B>(x)`.
        let is_called = next == b'('
            && (is_member && self.names.is_template(word, place) || qualified && !is_variable);
        if compares && !is_called && (is_variable || next != SCOPE) {
            return None;
        }
        if is_member {
            // Nobody compares what a comparison gives: `o.run<3>(x)`, whatever `o` is.
            let is_template = features.has_type
                || self.names.is_template(word, place)
                || !features.has_logic && !features.has_comma;
            return (next == b'(' && is_template).then_some(close);
        }
        let continues = follows_list(next);
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
                b',' if depth == 1 => features.has_comma = true,
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
                b'{' if is_head || matches!(self.kind(at.wrapping_sub(1)), IDENT | b'>') => {
                    at = self.pair(at)?;
                }
                b';' | b'{' | b'}' | b')' | b']' => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }
}

/// Whether a token of this kind may stand behind a list of a template where an expression does.
fn follows_list(kind: u8) -> bool {
    matches!(
        kind,
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
    )
}

/// What stands between a pair of angles.
#[derive(Default)]
pub(super) struct Angles {
    has_logic: bool,
    has_type: bool,
    has_comma: bool,
}
