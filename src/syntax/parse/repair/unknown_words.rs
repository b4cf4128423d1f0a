//! Words that the grammar does not know: CUDA's and compilers' attributes, `asm`,
//! macros that nobody expanded, and spellings it has no rule for.

use super::{AsmMark, MarkKind, Repairer, Scope, is_macro_like};
use crate::syntax::parse::lex::{
    AND_AND, ARROW, ELLIPSIS, IDENT, NUMBER, OPERATOR, OR_OR, SCOPE, STRING,
};
use crate::syntax::parse::names::{is_attribute_word, is_builtin_type};

/// The parentheses of a `decltype`, and how far its commas were looked for.
#[derive(Clone, Copy, Default)]
pub(super) struct Decltype {
    open: usize,
    close: usize,
    /// An operator stands in it that a comma written as another one would not bind closer than.
    has_looser: bool,
    seen: usize,
    /// Lists of template arguments that are open there.
    depth: i32,
}

impl Decltype {
    /// Whether what stands at `at`, behind the token `previous`, begins what it asks for.
    pub(super) fn begins_behind(&self, previous: usize, at: usize) -> bool {
        previous == self.open && at < self.close
    }
}

impl Repairer<'_> {
    /// Whether `typename` stands before a type of which an object is made, where the grammar reads none.
    pub(super) fn makes_object(&self, at: usize) -> bool {
        let follows_operator = self.follows_operator();
        if self.scope() == Scope::Body {
            return follows_operator
                || self.previous_word() == "return"
                || self.is_object_made(at + 1);
        }
        if !follows_operator {
            return false;
        }
        let past = (at + 1..).find(|at| !matches!(self.kind(*at), IDENT | SCOPE));
        past.is_some_and(|past| match self.kind(past) {
            b'{' => true,
            b'(' => self.decltype.begins_behind(self.previous, at),
            _ => false,
        })
    }

    /// Whether a member of an object is used that is made here: `T::Scan(storage).sum(x)`.
    fn is_object_made(&self, from: usize) -> bool {
        let mut at = from;
        while self.kind(at) == IDENT || self.kind(at) == SCOPE {
            at += 1;
        }
        let close = (self.kind(at) == b'(').then(|| self.pair(at)).flatten();
        close.is_some_and(|close| matches!(self.kind(close + 1), b'.' | ARROW))
    }

    /// `using enum E;`, `using a::f, a::g;`: the grammar knows neither.
    pub(super) fn using_at(&mut self, at: usize) -> usize {
        if self.word(at + 1) == "enum" {
            self.blank(at + 1, at + 2);
            return at + 2;
        }
        let mut commas = Vec::new();
        let (mut depth, mut end) = (0_usize, at + 1);
        loop {
            match self.kind(end) {
                b'<' => depth += 1,
                b'>' => depth = depth.saturating_sub(1),
                b',' if depth == 0 => commas.push(end),
                b';' => break,
                IDENT if !matches!(self.word(end), "operator" | "using") => {}
                SCOPE | b',' | NUMBER => {}
                _ => return at + 1,
            }
            end += 1;
        }
        if commas.is_empty() {
            return at + 1;
        }
        let ends = commas.iter().skip(1).copied().chain([end]);
        let parts: Vec<_> = commas.iter().copied().zip(ends).collect();
        for (comma, past) in parts {
            let is_typename = self.word(comma + 1) == "typename";
            let from = self.tokens[comma + usize::from(is_typename)].end;
            let names = (from, self.tokens[past].start);
            self.mark(MarkKind::UsedToo, comma, names);
            self.blank(comma, past);
        }
        at + 1
    }

    /// `new const float *[n]`: the grammar knows no pointers here, and no type matters.
    pub(super) fn new_at(&mut self, at: usize) {
        let mut next = at + 1;
        // A type holds no `new`, so no word is looked at for two of them.
        while matches!(self.kind(next), IDENT | SCOPE) && self.word(next) != "new" {
            if matches!(self.word(next), "const" | "volatile") {
                self.blank(next, next + 1);
            }
            next += 1;
        }
        let stars = next;
        while self.kind(next) == b'*' {
            next += 1;
        }
        if next > stars && matches!(self.kind(next), b'[' | b'(' | b';' | b',' | b')') {
            self.blank(stars, next);
        }
    }

    /// Whether the parentheses at `open` hold an operand, not the rest of a type.
    pub(super) fn is_functional_cast(&self, open: usize) -> bool {
        let Some(close) = self.pair(open) else {
            return false;
        };
        // `unsigned (*)(int)`, `unsigned (&r)[4]`
        let is_declarator = matches!(self.kind(open + 1), b'*' | b'&')
            && matches!(self.kind(close + 1), b'(' | b'[');
        close > open + 1 && !is_declarator
    }

    /// `f(decltype(x){})`, `struct S : decltype(x)`: a name to the grammar, as it makes no objects of such types,
    /// and knows no such bases.
    pub(super) fn decltype_at(&mut self, at: usize) -> Option<usize> {
        let open = at + 1;
        let close = (self.kind(open) == b'(').then(|| self.pair(open))??;
        self.decltype = self.decltype_between(open, close);
        if self.pending == Some(Scope::Record) && self.is_base_place() {
            self.decltype_as_name(at, close);
            return Some(close + 1);
        }
        if self.scope() != Scope::Body {
            return None;
        }
        let makes = match self.kind(close + 1) {
            b'{' => true,
            b'(' => self.is_functional_cast(close + 1),
            _ => false,
        };
        let is_operand = self.follows_operator() || self.previous_word() == "return";
        if !makes || !is_operand || close == open + 1 {
            return None;
        }
        self.decltype_as_name(at, close);
        Some(close + 1)
    }

    fn decltype_as_name(&mut self, at: usize, close: usize) {
        let open = at + 1;
        let inside = (self.tokens[open].end, self.tokens[close].start);
        self.put(self.tokens[at].start, b'z');
        self.mark(MarkKind::Arguments, open, inside);
        self.blank(open, close + 1);
    }

    /// Whether a base of a class may stand here, behind the class's name.
    fn is_base_place(&self) -> bool {
        match self.previous_kind() {
            b':' => true,
            b',' => self.parens == 0,
            _ => matches!(self.previous_word(), "public" | "private" | "protected"),
        }
    }

    /// A comma that is an operator where the grammar wants one operand.
    pub(super) fn comma_at(&mut self, at: usize) -> usize {
        if self.is_comma_of_decltype(at) {
            self.put(self.tokens[at].start, b'|');
        }
        at + 1
    }

    /// What stands between the parentheses of a `decltype`, and whether a comma there may be written as another operator:
    /// not where one stands beside it that the other does not bind closer than.
    fn decltype_between(&self, open: usize, close: usize) -> Decltype {
        let mut inside = open + 1;
        let mut has_looser = false;
        while inside < close && !has_looser {
            match self.kind(inside) {
                b'(' | b'[' | b'{' => match self.pair(inside) {
                    Some(past) => inside = past,
                    None => has_looser = true,
                },
                b'|' | b'?' | b'=' | AND_AND | OR_OR => has_looser = true,
                OPERATOR => has_looser = is_assignment(self.word(inside)),
                _ => {}
            }
            inside += 1;
        }
        Decltype {
            open,
            close,
            has_looser,
            seen: open + 1,
            depth: 0,
        }
    }

    /// Whether the comma at `at` is the operator, in `decltype(a, b)`: the grammar wants one operand there. Commas come in
    /// order, so each token is looked at once.
    fn is_comma_of_decltype(&mut self, at: usize) -> bool {
        let Decltype {
            open,
            close,
            has_looser,
            mut seen,
            mut depth,
        } = self.decltype;
        if at <= open || at >= close || has_looser {
            return false;
        }
        while seen < at {
            match self.kind(seen) {
                b'(' | b'[' | b'{' => match self.pair(seen) {
                    Some(past) if past < at => seen = past,
                    _ => break,
                },
                b'<' if self.is_angle[seen] => depth += 1,
                b'>' if self.is_angle[seen] => depth -= 1,
                _ => {}
            }
            seen += 1;
        }
        self.decltype.seen = seen;
        self.decltype.depth = depth;
        seen == at && depth == 0
    }

    /// `case 1 ... 4:`: to the grammar an operator, which is read where the user wrote it.
    pub(super) fn case_range(&mut self, at: usize) {
        for inside in at + 1..at + 40 {
            match self.kind(inside) {
                ELLIPSIS => {
                    let start = self.tokens[inside].start;
                    for (offset, byte) in b"|| ".iter().enumerate() {
                        self.put(start + offset as u32, *byte);
                    }
                    return;
                }
                b':' | b';' | b'{' | b'}' => return,
                _ => {}
            }
        }
    }

    /// What stands between the parentheses of `#pragma pack`.
    pub(super) fn pack_at(&mut self, from: usize, past: usize) {
        let mut now = self.packs.last().and_then(|(_, pack)| *pack);
        if from == past {
            now = None;
        }
        for at in from..past {
            match (self.kind(at), self.word(at)) {
                (NUMBER, number) => now = Some(number.parse().unwrap_or(0)),
                (IDENT, "push") => self.pushed_packs.push(now),
                (IDENT, "pop") => now = self.pushed_packs.pop().unwrap_or(None),
                (IDENT, _) => now = Some(0),
                _ => {}
            }
        }
        self.packs.push((self.tokens[past].start, now));
    }

    pub(super) fn attribute_word(&mut self, at: usize, word: &str) -> usize {
        let kind = match word {
            "__global__" | "__tile_global__" => Some(MarkKind::Global),
            "__device__" | "__tile__" | "C10_DEVICE" => Some(MarkKind::Device),
            "__host__" | "C10_HOST" => Some(MarkKind::Host),
            "C10_HOST_DEVICE" => {
                self.mark(MarkKind::Host, at, (0, 0));
                Some(MarkKind::Device)
            }
            "__shared__" => Some(MarkKind::Shared),
            "__constant__" => Some(MarkKind::Constant),
            "__managed__" => Some(MarkKind::Managed),
            "__restrict__" | "__restrict" | "restrict" => Some(MarkKind::Restrict),
            _ => None,
        };
        if let Some(kind) = kind {
            self.mark(kind, at, (0, 0));
        }
        self.blank(at, at + 1);
        at + 1
    }

    /// Attributes with arguments; gives where they end.
    pub(super) fn attribute_call(&mut self, at: usize, word: &str) -> Option<usize> {
        let kind = match word {
            "__align__" | "alignas" | "_Alignas" => Some(MarkKind::Align),
            "__launch_bounds__" => Some(MarkKind::LaunchBounds),
            "__cluster_dims__" | "__maxnreg__" | "__block_size__" | "__attribute__"
            | "__attribute" | "__declspec" => None,
            _ if word.starts_with("C10_LAUNCH_BOUNDS") => Some(MarkKind::LaunchBounds),
            _ => return None,
        };
        if self.kind(at + 1) != b'(' {
            return None;
        }
        let close = self.pair(at + 1)?;
        let inside = (self.tokens[at + 1].end, self.tokens[close].start);
        match kind {
            Some(kind) => self.mark(kind, at, inside),
            None => self.aligned_attribute(at, close),
        }
        self.blank(at, close + 1);
        Some(close + 1)
    }

    /// `__attribute__((aligned(16)))`, `__declspec(align(16))`, and others that change a layout.
    pub(super) fn aligned_attribute(&mut self, from: usize, past: usize) {
        for at in from..past {
            if self.kind(at) != IDENT {
                continue;
            }
            match self.word(at) {
                "aligned" | "align" | "__aligned__" => {
                    let open = at + 1;
                    match self.pair(open).filter(|_| self.kind(open) == b'(') {
                        Some(close) => {
                            let inside = (self.tokens[open].end, self.tokens[close].start);
                            self.mark(MarkKind::Align, from, inside);
                        }
                        // The largest alignment that the machine has.
                        None => self.mark(MarkKind::Layout, from, (0, 0)),
                    }
                }
                "packed" | "__packed__" | "mode" | "__mode__" | "vector_size"
                | "__vector_size__" | "ext_vector_type" => {
                    self.mark(MarkKind::Layout, from, (0, 0));
                }
                word => {
                    let is_whole = |next: u8| matches!(next, b'(' | b',' | b')');
                    if let Some(kind) = spelled_out(word)
                        && is_whole(self.kind(at - 1))
                        && is_whole(self.kind(at + 1))
                        && self.kind(at + 1) != b'('
                    {
                        self.mark(kind, from, (0, 0));
                    }
                }
            }
        }
    }

    pub(super) fn asm_at(&mut self, at: usize) -> usize {
        let mut open = at + 1;
        while self.kind(open) == IDENT && open < at + 4 {
            open += 1;
        }
        let (Some(close), b'(') = (self.pair(open), self.kind(open)) else {
            return at + 1;
        };
        self.blank(at + 1, open);
        // A name instead of the keyword: the statement becomes a call.
        self.put(self.tokens[at].start, b'z');
        let mut colons = Vec::new();
        let mut empty = false;
        let mut inside = open + 1;
        while inside < close {
            let token = self.tokens[inside];
            match token.kind {
                b':' | SCOPE => {
                    for place in token.start..token.end {
                        colons.push(place);
                        self.put(place, b' ');
                    }
                    // One comma, and only before something.
                    if !empty {
                        self.put(token.start, b',');
                    }
                    empty = true;
                    let ends = inside + 1 == close;
                    if ends {
                        self.blank_comma(open, inside);
                    }
                }
                b'[' => {
                    let past = self.pair(inside).unwrap_or(inside) + 1;
                    self.blank(inside, past.min(close));
                    inside = past;
                    continue;
                }
                b'(' => {
                    empty = false;
                    let past = self.pair(inside).unwrap_or(inside) + 1;
                    self.operand(inside + 1, past.min(close));
                    inside = past;
                    continue;
                }
                // A comma forgotten between operands, which compilers accept.
                STRING if !colons.is_empty() && self.kind(inside - 1) == b')' => {
                    let end = self.tokens[inside - 1].end;
                    if end < token.start {
                        self.put(end, b',');
                    }
                }
                _ => empty = false,
            }
            inside += 1;
        }
        self.asms.push(AsmMark {
            start: self.tokens[at].start,
            colons,
        });
        close
    }

    /// Takes back the comma that the run of colons ending at `last` began with.
    pub(super) fn blank_comma(&mut self, open: usize, last: usize) {
        let mut at = last;
        while at > open && matches!(self.kind(at), b':' | SCOPE) {
            let start = self.tokens[at].start;
            self.put(start, b' ');
            at -= 1;
        }
    }

    /// The repairs inside an operand of `asm`.
    pub(super) fn operand(&mut self, from: usize, past: usize) {
        let mut at = from;
        while at < past {
            let next = self.step(at).max(at + 1);
            self.previous = next - 1;
            at = next;
        }
    }

    /// Whether the capitals at `at` are an unexpanded macro in front of a declaration; its end.
    pub(super) fn declaration_macro(&self, at: usize) -> Option<usize> {
        let starts = self.at_start()
            || matches!(
                self.previous_word(),
                "inline" | "static" | "extern" | "virtual" | "explicit"
            )
            || self.previous + 1 == self.head_until;
        let ends_type = matches!(self.previous_kind(), b'*' | b'&')
            || (self.previous_kind() == IDENT
                && (is_builtin_type(self.previous_word()) || self.is_name(self.previous)));
        let mut next = at + 1;
        if self.kind(next) == b'(' {
            next = self.pair(next)? + 1;
            // `MACRO(x)` in front of a declaration, never `MACRO(x);` or a constructor.
            let opens = self.kind(next) == IDENT
                && !matches!(self.word(next), "const" | "noexcept" | "override" | "final");
            return (starts && opens).then_some(next);
        }
        if self.kind(next) != IDENT {
            return None;
        }
        let word = self.word(next);
        if starts
            && (is_builtin_type(word)
                || is_attribute_word(word)
                || matches!(
                    word,
                    "inline"
                        | "static"
                        | "template"
                        | "constexpr"
                        | "extern"
                        | "struct"
                        | "class"
                        | "typedef"
                        | "explicit"
                        | "virtual"
                        | "typename"
                        | "friend"
                        | "operator"
                ))
        {
            return Some(next);
        }
        // `API T f(`, `float API f(`
        let named = self.is_name(next);
        let then = self.kind(next + 1);
        let is_second = is_macro_like(word) && then == IDENT;
        if named && starts && (is_second || self.is_name(next + 1) || matches!(then, b'*' | b'&')) {
            return Some(next);
        }
        (named && ends_type && !starts && then == b'(').then_some(next)
    }

    /// Whether a word stands behind the parameters of a function, as `NOEXCEPT` in `int f() const NOEXCEPT;`.
    pub(super) fn follows_parameters(&self, at: usize) -> bool {
        let mut before = self.previous;
        let mut is_function = false;
        while matches!(
            self.word(before),
            "const" | "noexcept" | "override" | "final"
        ) {
            is_function = true;
            let Some(earlier) = before.checked_sub(1) else {
                return false;
            };
            before = earlier;
        }
        let open = self.pair(before).filter(|_| self.kind(before) == b')');
        let name = open.and_then(|open| open.checked_sub(1));
        // `FIELD(float) x;` has no type in front of the name.
        let is_typed = name.and_then(|name| name.checked_sub(1)).is_some_and(|ty| {
            self.kind(ty) == IDENT && !is_macro_like(self.word(ty))
                || matches!(self.kind(ty), b'*' | b'&' | b'>')
        });
        name.is_some_and(|name| self.kind(name) == IDENT)
            && (is_function || is_typed)
            && matches!(self.kind(at + 1), b';' | b'{')
    }

    /// `CHECK(x)` with no `;` from a macro nobody expanded.
    pub(super) fn finish_statement(&mut self, open: usize) {
        let Some(close) = self.pair(open) else { return };
        let next = close + 1;
        let goes_on =
            matches!(self.kind(next), IDENT | b'}') && !matches!(self.word(next), "and" | "or");
        let end = self.tokens[close].end;
        if goes_on && self.tokens.get(next).is_some_and(|token| token.start > end) {
            self.put(end, b';');
            self.finished = close;
        }
    }

    pub(super) fn bracket_at(&mut self, at: usize) -> usize {
        // Two brackets begin an attribute wherever they stand (C++ standard, [dcl.attr.grammar]).
        if self.kind(at + 1) == b'['
            && self.tokens[at].end == self.tokens[at + 1].start
            && let Some(close) = self.pair(at)
            && self.pair(at + 1) == Some(close - 1)
        {
            // `[[gnu::aligned(16)]]`: not all compilers know it.
            let is_layout =
                |at: &usize| matches!(self.word(*at), "aligned" | "packed" | "vector_size");
            if (at..close).any(|at| is_layout(&at)) {
                self.mark(MarkKind::Layout, at, (0, 0));
            }
            self.blank(at, close + 1);
            return close + 1;
        }
        // `[:` begins something else in the grammar; the path's reader looks at the text.
        if self.kind(at + 1) == SCOPE && self.tokens[at].end == self.tokens[at + 1].start {
            self.blank(at + 1, at + 2);
            return at + 2;
        }
        at + 1
    }
}

/// What the toolkit's words are macros for: `__attribute__((shared))`.
fn spelled_out(word: &str) -> Option<MarkKind> {
    Some(match word {
        "shared" => MarkKind::Shared,
        "constant" => MarkKind::Constant,
        "managed" => MarkKind::Managed,
        "device" => MarkKind::Device,
        "host" => MarkKind::Host,
        "global" => MarkKind::Global,
        _ => return None,
    })
}

/// Whether an operator of several characters assigns: `+=`, `<<=`.
fn is_assignment(word: &str) -> bool {
    word.ends_with('=') && !matches!(word, "==" | "!=" | "<=" | ">=")
}
