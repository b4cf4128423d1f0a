//! The reading of declarations off tokens: heads, parameters, bodies, and the stretch each name holds for.

mod parameters;

use super::super::lex::{AND_AND, ARROW, IDENT, SCOPE, STRING, Token, kind_at, word_at};
use super::super::names::{is_attribute_word, is_builtin_type, is_keyword};
use super::{Declarations, MAX_ANGLES, MAX_NESTING, Meaning, Named};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Space,
    Record,
    Enum,
    /// `enum class`
    ScopedEnum,
    Body,
}

impl Kind {
    fn is_enum(self) -> bool {
        matches!(self, Self::Enum | Self::ScopedEnum)
    }
}

/// An open brace.
#[derive(Clone, Copy)]
struct Block {
    kind: Kind,
    open: usize,
    close: usize,
}

/// Reads the declarations of `tokens`.
#[must_use]
pub fn collect<'t>(text: &'t str, tokens: &[Token], pairs: &[u32]) -> Declarations<'t> {
    let mut reader = Reader {
        text,
        tokens,
        pairs,
        found: Declarations::default(),
        blocks: Vec::new(),
        pending: None,
        enumeration: "",
        head_until: 0,
        attributes_until: 0,
        open_until: (0..0, 0),
        clause_ends: FxHashMap::default(),
    };
    for at in 0..tokens.len() {
        reader.token(at);
    }
    reader.found.by_name.values_mut().for_each(Named::link);
    reader.found
}

struct Reader<'t, 'k> {
    text: &'t str,
    tokens: &'k [Token],
    pairs: &'k [u32],
    found: Declarations<'t>,
    blocks: Vec<Block>,
    pending: Option<Kind>,
    /// The name of the last enumeration; no other begins within its braces.
    enumeration: &'t str,
    /// The end of the template head that is being read.
    head_until: usize,
    /// The end of the attributes of the class whose head is being read.
    attributes_until: usize,
    /// Tokens without brackets or ends of declarations, and where what begins at any of them ends.
    open_until: (std::ops::Range<usize>, usize),
    /// Where statements end that have parentheses, by those.
    clause_ends: FxHashMap<usize, Option<u32>>,
}

impl<'t> Reader<'t, '_> {
    fn word(&self, at: usize) -> &'t str {
        word_at(self.text, self.tokens, at)
    }

    fn kind(&self, at: usize) -> u8 {
        kind_at(self.tokens, at)
    }

    fn start(&self, at: usize) -> u32 {
        self.tokens.get(at).map_or(u32::MAX, |token| token.start)
    }

    fn pair(&self, at: usize) -> Option<usize> {
        let pair = *self.pairs.get(at)? as usize;
        (pair < self.tokens.len()).then_some(pair)
    }

    fn is_name(&self, at: usize) -> bool {
        self.kind(at) == IDENT && !is_keyword(self.word(at))
    }

    fn scope(&self) -> Kind {
        self.blocks.last().map_or(Kind::Space, |block| block.kind)
    }

    /// Where a declaration at `at` begins and ends to hold in the present scope.
    fn extent(&self, at: usize) -> (u32, u32) {
        match self.blocks.last() {
            Some(block) if block.kind == Kind::Body => (self.start(at), self.start(block.close)),
            // A member holds in the whole class, and beyond it for whoever derives from it.
            Some(block) if block.kind == Kind::Record => (self.start(block.open), u32::MAX),
            _ => (self.start(at), u32::MAX),
        }
    }

    fn add(&mut self, at: usize, meaning: Meaning) {
        let (from, until) = self.extent(at);
        self.found.add(self.word(at), from, until, meaning);
    }

    fn token(&mut self, at: usize) {
        while self.blocks.last().is_some_and(|block| at >= block.close) {
            self.blocks.pop();
        }
        match self.kind(at) {
            b'{' => {
                let kind = self.pending.take().unwrap_or(Kind::Body);
                let close = self.pair(at).unwrap_or(self.tokens.len());
                self.blocks.push(Block {
                    kind,
                    open: at,
                    close,
                });
            }
            // `struct alignas(16) S {`
            b'(' | b')' if at < self.attributes_until => {}
            b';' | b'=' | b')' => self.pending = None,
            b'(' => {
                self.pending = None;
                self.parameters(at);
            }
            IDENT => self.word_at(at),
            SCOPE if self.at_start(at) => self.declaration(at, None),
            _ => {}
        }
    }

    fn word_at(&mut self, at: usize) {
        match self.word(at) {
            "template" if self.kind(at + 1) == b'<' => self.head(at),
            "namespace" => self.pending = Some(Kind::Space),
            "extern" if self.kind(at + 1) == STRING => self.pending = Some(Kind::Space),
            "enum" if at >= self.head_until => {
                let is_scoped = matches!(self.word(at + 1), "class" | "struct");
                let (kind, name) = if is_scoped {
                    (Kind::ScopedEnum, at + 2)
                } else {
                    (Kind::Enum, at + 1)
                };
                self.pending = Some(kind);
                self.enumeration = self.word(name);
                if self.is_name(name) && matches!(self.kind(name + 1), b'{' | b':' | b';') {
                    self.add(name, Meaning::Type);
                }
            }
            "struct" | "class" | "union" if at >= self.head_until => {
                if !self.pending.is_some_and(Kind::is_enum) {
                    self.pending = Some(Kind::Record);
                }
                let mut name = at + 1;
                // Attributes and macros before the name.
                loop {
                    if self.kind(name + 1) == b'(' && self.kind(name) == IDENT {
                        let is_attribute = is_attribute(self.word(name));
                        name = self.pair(name + 1).map_or(name, |close| close) + 1;
                        if is_attribute {
                            self.attributes_until = name;
                        }
                    } else if self.kind(name) == IDENT && self.kind(name + 1) == IDENT {
                        if self.word(name + 1) == "final" {
                            break;
                        }
                        name += 1;
                    } else {
                        break;
                    }
                }
                if self.is_name(name)
                    && matches!(self.kind(name + 1), b'{' | b':' | b';' | b'<' | IDENT)
                {
                    self.add(name, Meaning::Type);
                }
            }
            "using" if self.is_name(at + 1) && self.kind(at + 2) == b'=' => {
                self.add(at + 1, Meaning::Type);
            }
            "typedef" => self.typedef(at),
            _ if self.scope().is_enum() => {
                if matches!(self.kind(at.wrapping_sub(1)), b'{' | b',') {
                    // Enumerators hold outside of the braces too, but for those of `enum class`.
                    let is_scoped = self.scope() == Kind::ScopedEnum;
                    let until = match self.blocks.iter().rev().nth(usize::from(!is_scoped)) {
                        Some(block) if is_scoped || block.kind == Kind::Body => {
                            self.start(block.close)
                        }
                        _ => u32::MAX,
                    };
                    let word = self.word(at);
                    self.found.add(word, self.start(at), until, Meaning::Value);
                    self.found
                        .enumerators
                        .entry(word)
                        .or_default()
                        .push(self.enumeration);
                }
            }
            _ if at >= self.head_until && self.at_start(at) => {
                let until = self.clause_end(at);
                self.declaration(at, until);
            }
            _ if self.kind(at + 1) == b'='
                && matches!(self.kind(at.wrapping_sub(1)), b'[' | b'&')
                && !is_keyword(self.word(at)) =>
            {
                // `[k = …]`
                self.add(at, Meaning::Value);
            }
            _ => {}
        }
    }

    /// Whether a statement, declaration or clause of a statement may begin at `at`.
    fn at_start(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else {
            return true;
        };
        match self.kind(before) {
            b';' | b'{' | b'}' => true,
            // Behind an attribute the declaration has begun.
            b')' => !self.word(at).starts_with("__attribute"),
            b':' => !self.scope().is_enum(),
            b'(' => before.checked_sub(1).is_some_and(|at| {
                matches!(
                    self.word(at),
                    "for" | "if" | "while" | "switch" | "catch" | "constexpr"
                )
            }),
            b'>' => before + 1 == self.head_until,
            IDENT => {
                matches!(self.word(before), "else" | "do") || is_attribute_word(self.word(before))
            }
            _ => false,
        }
    }

    /// Where the statement ends in whose parentheses a declaration at `at` stands.
    ///
    /// What is found holds for all parentheses on the way: of statements in statements each is looked at once.
    fn clause_end(&mut self, at: usize) -> Option<u32> {
        let open = at
            .checked_sub(1)
            .filter(|before| self.kind(*before) == b'(')?;
        let mut passed = Vec::new();
        let end = self.statement_end(open, &mut passed);
        self.clause_ends
            .extend(passed.into_iter().map(|open| (open, end)));
        end
    }

    /// Where the statement ends that has parentheses at `open`; notes those that are passed on the way.
    fn statement_end(&self, open: usize, passed: &mut Vec<usize>) -> Option<u32> {
        let mut next = open;
        while next < self.tokens.len() {
            match self.kind(next) {
                b';' => return Some(self.start(next)),
                b'(' => {
                    if let Some(end) = self.clause_ends.get(&next) {
                        return *end;
                    }
                    passed.push(next);
                    next = self.pair(next)?;
                }
                b'[' => next = self.pair(next)?,
                b'{' => {
                    let close = self.pair(next)?;
                    if self.word(close + 1) != "else" {
                        return Some(self.start(close));
                    }
                    next = close;
                }
                _ => {}
            }
            next += 1;
        }
        None
    }

    /// Past `<…>` at `at`.
    fn angles(&self, at: usize) -> Option<usize> {
        let mut depth = 0_usize;
        let mut next = at;
        while next < at + MAX_ANGLES && depth <= MAX_NESTING {
            match self.kind(next) {
                b'<' => depth += 1,
                b'>' => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(next + 1);
                    }
                }
                b'(' | b'[' | b'{' => next = self.pair(next)?,
                b';' | b'}' | b')' | b']' | 0 => return None,
                _ => {}
            }
            next += 1;
        }
        None
    }

    /// Past the specifiers and the type at `at`; `None` where there is no type.
    fn type_at(&self, mut at: usize) -> Option<usize> {
        let mut has_type = false;
        loop {
            let word = self.word(at);
            if self.kind(at) != IDENT {
                break;
            }
            if is_builtin_type(word) {
                has_type = true;
                at += 1;
            } else if matches!(
                word,
                "decltype" | "typeof" | "__typeof__" | "alignas" | "__align__"
            ) || word.starts_with("__attribute")
                || word == "__launch_bounds__"
            {
                has_type |= word == "decltype" || word.contains("typeof");
                at = self.pair(at + 1)? + 1;
            } else if matches!(
                word,
                "const"
                    | "static"
                    | "constexpr"
                    | "volatile"
                    | "register"
                    | "extern"
                    | "mutable"
                    | "inline"
                    | "thread_local"
                    | "typename"
                    | "virtual"
                    | "explicit"
                    | "friend"
                    | "struct"
                    | "class"
                    | "union"
                    | "enum"
            ) || is_attribute_word(word)
            {
                at += 1;
            } else {
                break;
            }
        }
        if has_type {
            return Some(at);
        }
        if self.kind(at) == SCOPE {
            at += 1;
        }
        loop {
            if !self.is_name(at) {
                return None;
            }
            at += 1;
            if self.kind(at) == b'<' {
                at = self.angles(at)?;
            }
            if self.kind(at) != SCOPE {
                return Some(at);
            }
            at += 1;
            if self.word(at) == "template" {
                at += 1;
            }
        }
    }

    /// The names that a declaration at `at` declares, if it is one.
    fn declaration(&mut self, at: usize, until: Option<u32>) {
        let Some(mut next) = self.type_at(at) else {
            return;
        };
        loop {
            while matches!(self.kind(next), b'*' | b'&' | AND_AND)
                || (self.kind(next) == IDENT
                    && (matches!(self.word(next), "const" | "volatile" | "restrict")
                        || is_attribute_word(self.word(next))))
            {
                next += 1;
            }
            let mut declared = Vec::new();
            let past = match self.kind(next) {
                b'(' if matches!(self.kind(next + 1), b'*' | b'&') => {
                    let Some(close) = self.pair(next) else { return };
                    if !matches!(self.kind(close + 1), b'(' | b'[') {
                        return;
                    }
                    declared.extend((next..close).find(|at| self.is_name(*at)));
                    close + 1
                }
                b'[' if matches!(self.kind(next.wrapping_sub(1)), IDENT | b'&' | AND_AND) => {
                    // `auto [a, b] = …`
                    let Some(close) = self.pair(next) else { return };
                    if !(at..next).any(|at| self.word(at) == "auto") {
                        return;
                    }
                    declared.extend((next..close).filter(|at| self.is_name(*at)));
                    close + 1
                }
                _ if self.is_name(next) => {
                    if !matches!(
                        self.kind(next + 1),
                        b'=' | b';' | b',' | b'[' | b'(' | b'{' | b':' | b')'
                    ) {
                        return;
                    }
                    declared.push(next);
                    next + 1
                }
                _ => return,
            };
            for name in declared {
                if self.scope() == Kind::Body {
                    self.found.declarators.insert(self.start(name));
                }
                let (from, end) = self.extent(name);
                let until = until.unwrap_or(end);
                self.found.add(self.word(name), from, until, Meaning::Value);
            }
            next = past;
            loop {
                match self.kind(next) {
                    open @ (b'(' | b'[' | b'{') => match self.pair(next) {
                        // A name behind braces begins another declaration: they were a body.
                        Some(close) if open == b'{' && self.kind(close + 1) == IDENT => return,
                        Some(close) => next = close,
                        None => return,
                    },
                    b',' => break,
                    b';' | b')' | b']' | b'}' | 0 => return,
                    _ => {}
                }
                next += 1;
            }
            next += 1;
        }
    }

    /// The brace of the body that follows a parameter list.
    fn body_after(&self, close: usize) -> Option<usize> {
        let mut at = close + 1;
        for _ in 0..200 {
            match self.kind(at) {
                b'{' => return Some(at),
                IDENT => {
                    let word = self.word(at);
                    let goes_on = matches!(
                        word,
                        "const"
                            | "volatile"
                            | "noexcept"
                            | "override"
                            | "final"
                            | "mutable"
                            | "constexpr"
                            | "try"
                    ) || is_attribute_word(word)
                        || word.starts_with("__");
                    if !goes_on {
                        return None;
                    }
                    if self.kind(at + 1) == b'(' {
                        at = self.pair(at + 1)?;
                    }
                }
                b'&' | AND_AND => {}
                ARROW => {
                    // `-> T {`
                    let mut next = at + 1;
                    while !matches!(self.kind(next), b'{' | b';' | 0) {
                        next = match self.kind(next) {
                            b'(' | b'[' => self.pair(next)?,
                            _ => next,
                        } + 1;
                        if next > at + MAX_ANGLES {
                            return None;
                        }
                    }
                    return (self.kind(next) == b'{').then_some(next);
                }
                b':' if self.scope() != Kind::Body => {
                    // Member initialisers: the body follows a `)` or `}`.
                    let mut next = at + 1;
                    loop {
                        match self.kind(next) {
                            b'{' if matches!(self.kind(next - 1), b')' | b'}') => {
                                return Some(next);
                            }
                            b'(' | b'[' | b'{' => next = self.pair(next)?,
                            b';' | b'}' | 0 => return None,
                            _ => {}
                        }
                        next += 1;
                    }
                }
                _ => return None,
            }
            at += 1;
        }
        None
    }

    /// Where the declaration at `at` ends, a body included.
    fn declaration_end(&mut self, mut at: usize) -> u32 {
        if self.open_until.0.contains(&at) {
            return self.start(self.open_until.1);
        }
        let from = at;
        let mut bracket = None;
        let mut has_parameters = false;
        while at < self.tokens.len() {
            match self.kind(at) {
                b';' => break,
                b'(' | b'[' => {
                    has_parameters |= self.kind(at) == b'(';
                    bracket = bracket.or(Some(at));
                    match self.pair(at) {
                        Some(close) => at = close,
                        None => break,
                    }
                }
                b'{' => {
                    bracket = bracket.or(Some(at));
                    let Some(close) = self.pair(at) else { break };
                    // `: a{1}, b{2} { … }`
                    let goes_on = has_parameters && matches!(self.kind(close + 1), b',' | b'{');
                    at = close;
                    if !goes_on {
                        break;
                    }
                }
                b'}' => break,
                _ => {}
            }
            at += 1;
        }
        self.open_until = (from..bracket.unwrap_or(at), at);
        self.start(at)
    }

    /// The names that a `typedef` gives.
    fn typedef(&mut self, from: usize) {
        let mut at = from + 1;
        let mut last = None;
        let mut names = Vec::new();
        while at < self.tokens.len() {
            match self.kind(at) {
                IDENT if !is_keyword(self.word(at)) => last = Some(at),
                // `typedef void (*name)(int);`
                b'(' if self.kind(at + 1) == b'*' => {
                    names.extend((at..at + 4).find(|at| self.is_name(*at)));
                    last = None;
                    match self.pair(at) {
                        Some(close) => at = close,
                        None => break,
                    }
                }
                b'(' | b'[' | b'{' => match self.pair(at) {
                    Some(close) => at = close,
                    None => break,
                },
                b'<' => match self.angles(at) {
                    Some(past) => at = past - 1,
                    None => break,
                },
                b',' => names.extend(last.take()),
                b';' | b'}' => {
                    names.extend(last.take());
                    break;
                }
                _ => {}
            }
            at += 1;
        }
        for name in names {
            self.add(name, Meaning::Type);
        }
    }
}

/// Attributes with arguments that may stand in front of a class's name.
fn is_attribute(word: &str) -> bool {
    matches!(
        word,
        "alignas"
            | "_Alignas"
            | "__align__"
            | "__builtin_align__"
            | "__attribute__"
            | "__attribute"
            | "__declspec"
    )
}
