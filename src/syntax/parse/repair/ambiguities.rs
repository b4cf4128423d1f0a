//! Text that the grammar reads in two ways, decided by what the unit's names are:
//! cast or operand, variable or function.

use super::{MarkKind, Repairer, Scope};
use crate::syntax::parse::lex::{
    AND_AND, ARROW, ELLIPSIS, IDENT, LAUNCH, NONE, NUMBER, OPERATOR, OR_OR, SCOPE, SHIFT_LEFT, STEP,
};
use crate::syntax::parse::names::{is_builtin_type, is_keyword};

/// `T (*const p)[8]`
fn is_qualifier_of_pointer(word: &str) -> bool {
    matches!(
        word,
        "const" | "volatile" | "__restrict__" | "__restrict" | "restrict"
    )
}

impl Repairer<'_> {
    /// Whether `T name(…)` at `name` declares a variable with arguments.
    pub(super) fn declares_with_parens(&self, name: usize) -> bool {
        let is_type = match self.previous_kind() {
            IDENT => {
                let word = self.previous_word();
                let after_member = self
                    .previous
                    .checked_sub(1)
                    .is_some_and(|at| matches!(self.kind(at), b'.' | ARROW));
                // `T const x(…)`
                let is_qualified = matches!(word, "const" | "volatile") && !self.is_type(name);
                (is_builtin_type(word) || !is_keyword(word) || is_qualified) && !after_member
            }
            b'>' => self.is_angle.get(self.previous).copied().unwrap_or(false),
            b'*' | b'&' => self.pointer_type_before(name),
            _ => false,
        };
        // `T a, b(x);`
        let follows = matches!(self.previous_kind(), b',' | b'*' | b'&')
            && self.names.is_declarator(self.tokens[name].start);
        if !is_type && !follows {
            return false;
        }
        let Some(close) = self.pair(name + 1) else {
            return false;
        };
        matches!(self.kind(close + 1), b';' | b',') && !self.looks_like_parameters(name + 2, close)
    }

    /// Whether `T *` before `name` begins a statement and can only be a type.
    pub(super) fn pointer_type_before(&self, name: usize) -> bool {
        let mut at = name;
        let mut is_type = false;
        for _ in 0..12 {
            let Some(before) = at.checked_sub(1) else {
                return is_type;
            };
            match self.kind(before) {
                b'*' | b'&' | SCOPE => {}
                IDENT => {
                    let word = self.word(before);
                    if matches!(word, "return" | "else" | "case" | "delete" | "throw") {
                        return false;
                    }
                    is_type = word == "const" || self.is_type(before);
                }
                b';' | b'{' | b'}' => return is_type,
                _ => return false,
            }
            at = before;
        }
        false
    }

    /// Whether the text between two parentheses declares parameters.
    pub(super) fn looks_like_parameters(&self, from: usize, past: usize) -> bool {
        if from == past {
            return true;
        }
        let first = self.word(from);
        if matches!(first, "const" | "struct" | "volatile") || self.kind(from) == ELLIPSIS {
            return true;
        }
        if is_builtin_type(first) {
            return !matches!(self.kind(from + 1), b'(' | b'{');
        }
        // `T x` and `T *x` with a type that the unit knows.
        self.is_name(from)
            && (self.is_name(from + 1)
                || self.is_type(from)
                    && (from + 1 == past || matches!(self.kind(from + 1), b'*' | b'&' | b',')))
    }

    pub(super) fn braces_for_parens(&mut self, mut open: usize) {
        while let Some(close) = self.pair(open) {
            self.put(self.tokens[open].start, b'{');
            self.put(self.tokens[close].start, b'}');
            // `dim3 a(1), b(2);`
            if self.kind(close + 1) == b','
                && self.is_name(close + 2)
                && self.kind(close + 3) == b'('
            {
                open = close + 3;
            } else {
                return;
            }
        }
    }

    pub(super) fn paren_at(&mut self, at: usize) -> usize {
        self.pending = None;
        self.parens += 1;
        let Some(close) = self.pair(at) else {
            return at + 1;
        };
        if self.scope() == Scope::Body && self.declarator_in_parens(at, close) {
            return at + 1;
        }
        if self.scope() == Scope::Body && self.is_operand_place() {
            self.assignments_before_commas(at, close);
        }
        let next = self.kind(close + 1);
        if !matches!(next, b'+' | b'-' | b'*' | b'&' | AND_AND | STEP | b'(')
            || !self.is_operand_place()
        {
            return at + 1;
        }
        if next == b'(' {
            self.operator_in_parens(at + 1, close);
        } else if self.is_plain_operand(at + 1, close) {
            self.blank(at, at + 1);
            self.blank(close, close + 1);
        } else if !matches!(next, AND_AND | STEP) && self.names_type(at + 1, close) {
            // `(T) * p`: no operator of two operands is spelled `~`.
            self.put(self.tokens[close + 1].start, b'~');
        } else {
            self.operator_in_parens(at + 1, close);
        }
        at + 1
    }

    /// `sizeof(int)-1`: the grammar would take the size of a cast of a number with a sign. As the name of a template it is a
    /// whole, with the type as its argument.
    /// Gives the token behind it where it is one.
    pub(super) fn size_before_sign(&mut self, at: usize) -> Option<usize> {
        let open = at + 1;
        let close = self.pair(open)?;
        let sign = close + 1;
        let number = sign + 1;
        let is_signed = matches!(self.kind(sign), b'+' | b'-')
            && matches!(self.kind(number), NUMBER | b'.')
            && self.tokens[sign].end == self.tokens[number].start;
        let first = self.word(open + 1);
        let is_type = is_builtin_type(first)
            || matches!(
                first,
                "struct" | "class" | "enum" | "union" | "const" | "volatile" | "typename"
            )
            || self.kind(close - 1) == b'*'
            || self.names_type(open + 1, close);
        if !is_signed || !is_type || close == open + 1 {
            return None;
        }
        self.put(self.tokens[at].start, b'z');
        self.put(self.tokens[open].start, b'<');
        self.put(self.tokens[close].start, b'>');
        Some(close + 1)
    }

    /// `T (*p)[8] = s, x = 2;` at the beginning of a statement declares: the grammar would take it for a conversion to `T`. The
    /// parentheses go, with a mark that they were there where they matter.
    fn declarator_in_parens(&mut self, open: usize, close: usize) -> bool {
        let is_pointer = |kind| matches!(kind, b'*' | b'&' | AND_AND);
        let mut name = open + 1;
        while is_pointer(self.kind(name))
            || name > open + 1 && is_qualifier_of_pointer(self.word(name))
        {
            name += 1;
        }
        let is_name = self.is_name(name) && name + 1 == close;
        let is_pointer = name > open + 1;
        let next = self.kind(close + 1);
        let goes_on = matches!(next, b'[' | b'(' | b'=' | b',' | b';' | b'{');
        let is_nested = is_pointer || matches!(self.kind(name), b'(');
        if !goes_on || !(is_name || is_nested) || !self.begins_with_type(open) {
            return false;
        }
        // The grammar knows functions of built-in types.
        let before = open.checked_sub(1).map_or("", |before| self.word(before));
        if next == b'(' && is_pointer && is_builtin_type(before) {
            return false;
        }
        if !is_name || next == b'(' && !is_pointer {
            // `T (*f[2])(T)`, `T (*(*p))[3]`, `T (x)(5)`
            self.mark(MarkKind::Unread, open + 1, (0, 0));
            return false;
        }
        if is_pointer && matches!(next, b'[' | b'(') {
            self.mark(MarkKind::BoundToName, open + 1, (0, 0));
        }
        self.blank(open, open + 1);
        self.blank(close, close + 1);
        true
    }

    /// Whether a statement, or a declaration in the head of one, begins with a type that ends before `past`.
    fn begins_with_type(&self, past: usize) -> bool {
        let mut from = past;
        let mut angles = 0_u32;
        while let Some(before) = from.checked_sub(1) {
            let is_angle = self.is_angle.get(before).copied().unwrap_or(false);
            match self.kind(before) {
                // An attribute that was taken out.
                _ if self.is_blank[before] => {}
                b'>' if is_angle => angles += 1,
                b'<' if is_angle && angles > 0 => angles -= 1,
                b';' | b'{' | b'}' => break,
                _ if angles > 0 => {}
                IDENT | SCOPE => {}
                _ => break,
            }
            from = before;
        }
        while from < past && self.is_blank[from] {
            from += 1;
        }
        let before = (0..from).rev().find(|at| !self.is_blank[*at]);
        let is_head = |at: usize| {
            let word = at.checked_sub(1).map_or("", |word| self.word(word));
            matches!(word, "for" | "if" | "while" | "switch" | "constexpr")
        };
        let starts = before.is_none_or(|before| match self.kind(before) {
            b';' | b'{' | b'}' | b':' => true,
            b'(' => is_head(before),
            _ => false,
        });
        let is_builtin = || (from..past).all(|at| is_builtin_type(self.word(at)));
        starts && angles == 0 && from < past && (is_builtin() || self.names_type(from, past))
    }

    /// `(i = x, j)`: the grammar would take it for a parameter list with defaults, and `(i += x, j)` for a
    /// fold. Commas stand for the assignments; which is which is read where the user wrote them.
    fn assignments_before_commas(&mut self, open: usize, close: usize) {
        let mut assignments = Vec::new();
        let mut has_comma = false;
        let mut at = open + 1;
        while at < close {
            match self.kind(at) {
                b'(' | b'[' | b'{' => at = self.pair(at).unwrap_or(at),
                LAUNCH => at = self.end_of_configuration(at, close),
                b'=' => assignments.push(at),
                OPERATOR if !matches!(self.word(at), "==" | "!=" | "<=" | ">=" | "<=>") => {
                    assignments.push(at);
                }
                b',' => has_comma = true,
                _ => {}
            }
            at += 1;
        }
        if has_comma {
            for at in assignments {
                let token = self.tokens[at];
                self.blank_text((token.start, token.end));
                self.put(token.start, b',');
            }
        }
    }

    /// `(x * (y)) + z` with a value `x`: the grammar would take `x * (y)` for the type of a cast.
    /// No type has a `/` or `|` in it, and operators are read where the user wrote them.
    fn operator_in_parens(&mut self, from: usize, past: usize) {
        let (is_value, mut at) = if self.kind(from) == b'(' {
            // Parentheses around a plain operand go.
            match self.pair(from) {
                Some(close) if close < past => (self.is_plain_operand(from + 1, close), close + 1),
                _ => return,
            }
        } else {
            let Some((last, at)) = self.path_end(from, past) else {
                return;
            };
            let is_qualified = last > from && self.kind(last - 1) == SCOPE;
            (!self.is_type_name(last, is_qualified), at)
        };
        if !is_value || matches!(self.kind(past - 1), b'*' | b'&' | AND_AND) {
            return;
        }
        let operator = at;
        // All that can stand behind the name of a type.
        while at < past {
            match self.kind(at) {
                b'*' | b'&' | AND_AND => {}
                b'(' | b'[' => match self.pair(at) {
                    Some(close) => at = close,
                    None => return,
                },
                IDENT if matches!(self.word(at), "const" | "volatile") => {}
                _ => return,
            }
            at += 1;
        }
        let start = self.tokens[operator].start;
        match self.kind(operator) {
            b'*' => self.put(start, b'/'),
            b'&' => self.put(start, b'|'),
            AND_AND => {
                self.put(start, b'|');
                self.put(start + 1, b'|');
            }
            _ => {}
        }
    }

    /// The last name of the path that begins at `from`, and what follows the path.
    fn path_end(&self, from: usize, past: usize) -> Option<(usize, usize)> {
        let mut at = if self.kind(from) == SCOPE {
            from + 1
        } else {
            from
        };
        loop {
            if at >= past || !self.is_name(at) {
                return None;
            }
            let last = at;
            at += 1;
            if let Some(close) = self.angles_of(last).filter(|close| *close < past) {
                at = close + 1;
            }
            if at >= past || self.kind(at) != SCOPE {
                return Some((last, at));
            }
            at += 1;
        }
    }

    /// The `>` of the template list behind the name at `name`, where it can be nothing else.
    fn angles_of(&self, name: usize) -> Option<usize> {
        if self.kind(name + 1) != b'<' {
            return None;
        }
        let (close, _) = self.scan_angles(name + 1, false)?;
        let is_template = self
            .names
            .is_template(self.word(name), self.tokens[name].start);
        (is_template || self.kind(close + 1) == SCOPE).then_some(close)
    }

    /// Whether the name at `at` is a type; one behind `::` is looked for in no local scope.
    fn is_type_name(&self, at: usize, is_qualified: bool) -> bool {
        if is_qualified {
            self.word(at) == "type" || self.names.is_member_type(self.word(at))
        } else {
            self.is_type(at)
        }
    }

    /// Whether an operand, not an operator, is due after the previous token.
    pub(super) fn is_operand_place(&self) -> bool {
        /// Casts of casts.
        const MOST: u32 = 8;
        self.is_operand_behind(self.previous, MOST)
    }

    /// Whether an operand follows the token at `before`.
    fn is_operand_behind(&self, before: usize, depth: u32) -> bool {
        match self.kind(before) {
            b'=' | b'(' | b',' | b'[' | b'{' | b';' | b'?' | b':' | b'+' | b'-' | b'*' | b'/'
            | b'%' | b'&' | b'|' | b'^' | b'!' | b'~' | SHIFT_LEFT | AND_AND | OR_OR | OPERATOR
            | LAUNCH | STEP => true,
            b'<' => true,
            b'>' => !self.is_angle.get(before).copied().unwrap_or(false),
            IDENT => matches!(
                self.word(before),
                "return"
                    | "case"
                    | "and"
                    | "or"
                    | "not"
                    | "bitand"
                    | "bitor"
                    | "xor"
                    | "compl"
                    | "else"
                    | "do"
                    | "throw"
            ),
            b')' => self
                .pair(before)
                .is_some_and(|open| self.is_cast(open, before, depth)),
            _ => false,
        }
    }

    /// Whether the parentheses hold what can only be a type.
    fn is_cast(&self, open: usize, close: usize, depth: u32) -> bool {
        let before = open.wrapping_sub(1);
        if matches!(self.kind(before), IDENT | b'>' | b')' | b']')
            && !(depth > 0 && self.is_operand_behind(before, depth - 1))
        {
            return false;
        }
        let first = self.word(open + 1);
        (open + 1..close).all(|at| {
            matches!(self.kind(at), b'*' | b'&')
                || (self.kind(at) == IDENT && (self.is_type(at) || self.word(at) == "const"))
        }) && !first.is_empty()
    }

    /// Whether the tokens are the name of a type.
    fn names_type(&self, from: usize, past: usize) -> bool {
        let Some((last, end)) = self.path_end(from, past) else {
            return false;
        };
        let is_qualified = last > from && self.kind(last - 1) == SCOPE;
        end == past && self.is_type_name(last, is_qualified)
    }

    /// Whether the tokens are a name with calls, subscripts and members behind it, and no type.
    pub(super) fn is_plain_operand(&self, from: usize, past: usize) -> bool {
        let first = if self.kind(from) == SCOPE {
            from + 1
        } else {
            from
        };
        if !self.is_name(first) {
            return false;
        }
        let mut at = first;
        let mut last = Some(first);
        while at < past {
            match self.kind(at) {
                IDENT => last = Some(at),
                b'.' | ARROW => last = None,
                SCOPE => {}
                b'<' if last == Some(at - 1) => match self.angles_of(at - 1) {
                    Some(close) if close < past => at = close,
                    _ => return false,
                },
                b'(' | b'[' => match self.pair(at) {
                    Some(close) => {
                        last = None;
                        at = close;
                    }
                    None => return false,
                },
                _ => return false,
            }
            at += 1;
            if at < past
                && self.kind(at) == IDENT
                && !matches!(self.kind(at - 1), b'.' | ARROW | SCOPE)
            {
                return false;
            }
        }
        let is_qualified = |at: usize| at > from && self.kind(at - 1) == SCOPE;
        !last.is_some_and(|last| self.is_type_name(last, is_qualified(last)))
    }

    /// `=` in the head of a template.
    pub(super) fn default_at(&mut self, at: usize) -> usize {
        self.pending = None;
        let Some(end) = self.default_type_end(at) else {
            return at + 1;
        };
        let inside = (self.tokens[at].end, self.tokens[end].start);
        self.mark(MarkKind::DefaultType, at, inside);
        self.blank(at, end);
        end
    }

    /// Where the default of a type parameter ends whose `=` stands at `at`, if it is a type that is built of another:
    /// `class P = int *`, `class F = int (*)(int)`.
    fn default_type_end(&self, at: usize) -> Option<usize> {
        let is_of_type = |at: usize| matches!(self.word(at), "typename" | "class");
        let before = at.checked_sub(1)?;
        if !is_of_type(before) && !before.checked_sub(1).is_some_and(is_of_type) {
            return None;
        }
        let (mut depth, mut end) = (0_usize, at + 1);
        while end < self.head_until {
            match self.kind(end) {
                b'<' => depth += 1,
                b'>' | b',' if depth == 0 => break,
                b'>' => depth -= 1,
                b'(' | b'[' => end = self.pair(end)?,
                _ => {}
            }
            end += 1;
        }
        let last = end.checked_sub(1).filter(|last| *last > at)?;
        let is_built = match self.kind(last) {
            b')' => self.word(at + 1) != "decltype",
            b']' => true,
            _ => matches!(self.word(last), "*" | "&" | "&&" | "const" | "volatile"),
        };
        (is_built && end < self.tokens.len()).then_some(end)
    }

    /// The last of the `>>>` that end the configuration of a launch.
    fn end_of_configuration(&self, from: usize, past: usize) -> usize {
        let mut at = from + 1;
        while at < past {
            match self.kind(at) {
                b'(' | b'[' | b'{' => at = self.pair(at).unwrap_or(at),
                b'>' if self.kind(at + 1) == b'>' && self.kind(at + 2) == b'>' => return at + 2,
                _ => {}
            }
            at += 1;
        }
        from
    }

    /// `<<<{1, 2}, …>>>`: the grammar knows no braces here.
    pub(super) fn launch_at(&mut self, at: usize) {
        let mut inside = at + 1;
        while inside < at + 200 {
            match self.kind(inside) {
                b'{' | b'(' | b'[' => {
                    let Some(close) = self.pair(inside) else {
                        return;
                    };
                    let is_part = matches!(self.kind(inside - 1), LAUNCH | b',');
                    if self.kind(inside) == b'{' && is_part {
                        self.put(self.tokens[inside].start, b'(');
                        self.put(self.tokens[close].start, b')');
                    }
                    inside = close;
                }
                b';' | NONE => return,
                b'>' if self.kind(inside + 1) == b'>' && self.kind(inside + 2) == b'>' => {
                    // What follows are arguments, no operand of a comparison.
                    self.is_angle[inside..inside + 3].fill(true);
                    return;
                }
                _ => {}
            }
            inside += 1;
        }
    }
}
