//! Preprocessing tokens.
//!
//! Given the bytes of a text, gives its preprocessing tokens one by one: kinds
//! and ranges, no copies. Line continuations and comments are tokens of their
//! own, so that the caller decides what becomes of them. Knows nothing of
//! macros, directives, keywords or files; any bytes lex, nothing is an error.

/// Which text a token's range points into: a file of the source map, or one of the texts below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextId(pub u32);

impl TextId {
    /// Spellings made by `#`, `##` and built-in macros.
    pub const MADE: Self = Self(u32::MAX);
    /// The predefined macros.
    pub const BUILT_IN: Self = Self(u32::MAX - 1);
    /// Macros of the command line.
    pub const COMMAND_LINE: Self = Self(u32::MAX - 2);

    /// Whether a user can be shown this text.
    #[must_use]
    pub fn is_file(self) -> bool {
        self < Self::COMMAND_LINE
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Identifier,
    Number,
    String,
    Char,
    Open,
    Close,
    Comma,
    Hash,
    HashHash,
    Ellipsis,
    Punctuator,
    /// A byte that starts no token, such as a stray backslash.
    Other,
    Newline,
    Comment,
    /// Backslash and newline between tokens.
    Splice,
    End,
    /// An empty operand of `##`.
    Placemarker,
    /// A parameter in a macro's body.
    Parameter,
    /// `#parameter` in a macro's body.
    Stringify,
    /// `__VA_OPT__(`; the token's `place` is the index of its `VaOptClose`.
    VaOptOpen,
    VaOptClose,
}

/// Whitespace or a comment stands before the token.
pub const SPACE: u8 = 1;
/// A line continuation stands inside the token.
pub const SPLICED: u8 = 2;
/// The token named a macro while that macro was being expanded: never expand it.
pub const PAINTED: u8 = 4;

/// No place in a macro's body.
pub const NO_PLACE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: Kind,
    pub flags: u8,
    /// Index of the parameter, for the kinds that have one.
    pub parameter: u16,
    pub text: TextId,
    pub start: u32,
    pub end: u32,
    /// Index of the place in a macro's body where the token was substituted for a parameter.
    pub place: u32,
}

impl Token {
    #[must_use]
    pub fn new(kind: Kind, text: TextId, start: u32, end: u32) -> Self {
        Self {
            kind,
            flags: 0,
            parameter: 0,
            text,
            start,
            end,
            place: NO_PLACE,
        }
    }

    #[must_use]
    pub fn spaced(self) -> bool {
        self.flags & SPACE != 0
    }

    #[must_use]
    pub fn with_space(mut self, space: bool) -> Self {
        self.flags = (self.flags & !SPACE) | if space { SPACE } else { 0 };
        self
    }
}

const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80;
        byte += 1;
    }
    table
};

/// Whether `byte` can stand in an identifier.
#[must_use]
pub fn is_word(byte: u8) -> bool {
    WORD[byte as usize]
}

/// Length of the line continuation at `at`; blanks between backslash and newline are forgiven.
#[must_use]
pub fn splice_length(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'\\') {
        return None;
    }
    let mut end = at + 1;
    while let Some(byte) = bytes.get(end) {
        match byte {
            b'\n' => return Some(end + 1 - at),
            b' ' | b'\t' | b'\r' => end += 1,
            _ => return None,
        }
    }
    None
}

/// The parts of a token around the line continuations inside it, each with its offset.
pub fn unspliced(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let bytes = text.as_bytes();
        while let Some(length) = splice_length(bytes, at) {
            at += length;
        }
        let start = at;
        while at < bytes.len() && splice_length(bytes, at).is_none() {
            at += 1;
        }
        (start < at).then(|| (start, &text[start..at]))
    })
}

/// Reads tokens; copying it looks ahead.
#[derive(Clone, Copy)]
pub struct Lexer<'a> {
    bytes: &'a [u8],
    text: TextId,
    /// Next byte to read.
    pub at: usize,
}

impl<'a> Lexer<'a> {
    #[must_use]
    pub fn new(text: &'a str, id: TextId, at: usize) -> Self {
        Self {
            bytes: text.as_bytes(),
            text: id,
            at,
        }
    }

    /// A lexer that stops at byte `end`.
    #[must_use]
    pub fn until(text: &'a str, id: TextId, at: usize, end: usize) -> Self {
        let bytes = text.as_bytes();
        Self {
            bytes: &bytes[..end.min(bytes.len())],
            text: id,
            at,
        }
    }

    #[inline]
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    #[inline]
    pub fn token(&mut self) -> Token {
        let mut flags = 0;
        loop {
            let start = self.at;
            let Some(&byte) = self.bytes.get(start) else {
                return self.finish(Kind::End, flags, start);
            };
            let kind = match byte {
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0 => {
                    self.at += 1;
                    flags |= SPACE;
                    continue;
                }
                b'\n' => {
                    self.at += 1;
                    Kind::Newline
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80.. => self.word(start, &mut flags),
                b'0'..=b'9' => self.number(&mut flags),
                b'.' if self.byte(start + 1).is_ascii_digit() => self.number(&mut flags),
                b'"' | b'\'' => self.quoted(&mut flags),
                b'/' if self.byte(start + 1) == b'/' => {
                    self.line_comment();
                    Kind::Comment
                }
                b'/' if self.byte(start + 1) == b'*' => {
                    self.block_comment();
                    Kind::Comment
                }
                b'\\' => {
                    if let Some(length) = splice_length(self.bytes, start) {
                        self.at += length;
                        Kind::Splice
                    } else {
                        self.at += 1;
                        Kind::Other
                    }
                }
                _ => self.punctuator(byte),
            };
            return self.finish(kind, flags, start);
        }
    }

    #[inline]
    fn finish(&self, kind: Kind, flags: u8, start: usize) -> Token {
        Token {
            kind,
            flags,
            parameter: 0,
            text: self.text,
            start: start as u32,
            end: self.at as u32,
            place: NO_PLACE,
        }
    }

    #[inline]
    fn word(&mut self, start: usize, flags: &mut u8) -> Kind {
        let mut at = start + 1;
        while at < self.bytes.len() && WORD[self.bytes[at] as usize] {
            at += 1;
        }
        self.at = at;
        match self.byte(at) {
            quote @ (b'"' | b'\'') if at - start <= 3 => match &self.bytes[start..at] {
                b"L" | b"u" | b"U" | b"u8" => return self.quoted(flags),
                b"R" | b"LR" | b"uR" | b"UR" | b"u8R" if quote == b'"' => {
                    return self.raw_string(flags);
                }
                _ => {}
            },
            b'\\' => self.continue_word(flags),
            _ => {}
        }
        Kind::Identifier
    }

    /// Joins what follows a line continuation in the middle of a word.
    #[cold]
    fn continue_word(&mut self, flags: &mut u8) {
        loop {
            let mut at = self.at;
            while let Some(length) = splice_length(self.bytes, at) {
                at += length;
            }
            if at == self.at || !is_word(self.byte(at)) {
                return;
            }
            *flags |= SPLICED;
            while is_word(self.byte(at)) {
                at += 1;
            }
            self.at = at;
        }
    }

    fn number(&mut self, flags: &mut u8) -> Kind {
        let mut at = self.at + 1;
        loop {
            let byte = self.byte(at);
            let signed = matches!(byte, b'+' | b'-')
                && matches!(self.bytes[at - 1], b'e' | b'E' | b'p' | b'P');
            let separated = byte == b'\'' && is_word(self.byte(at + 1));
            if is_word(byte) || byte == b'.' || signed || separated {
                at += 1;
            } else if let Some(length) = splice_length(self.bytes, at)
                && is_word(self.byte(at + length))
            {
                at += length;
                *flags |= SPLICED;
            } else {
                self.at = at;
                return Kind::Number;
            }
        }
    }

    /// A string or character literal; an unterminated one ends with its line.
    fn quoted(&mut self, flags: &mut u8) -> Kind {
        let quote = self.bytes[self.at];
        let mut at = self.at + 1;
        while let Some(&byte) = self.bytes.get(at) {
            if byte == quote {
                at += 1;
                break;
            }
            match byte {
                b'\\' => {
                    if let Some(length) = splice_length(self.bytes, at) {
                        at += length;
                        *flags |= SPLICED;
                    } else {
                        at += 2;
                    }
                }
                b'\n' => break,
                _ => at += 1,
            }
        }
        self.at = at.min(self.bytes.len());
        if quote == b'"' {
            Kind::String
        } else {
            Kind::Char
        }
    }

    /// `R"delimiter(...)delimiter"`; with a malformed delimiter it is read as a plain string,
    /// and without an end to the end of the text.
    fn raw_string(&mut self, flags: &mut u8) -> Kind {
        let open = self.at + 1;
        let delimiter = self.bytes[open..]
            .iter()
            .take(17)
            .position(|b| matches!(b, b'(' | b')' | b'\\' | b'"' | b'\n' | b' '));
        let Some(length) = delimiter.filter(|length| self.byte(open + length) == b'(') else {
            return self.quoted(flags);
        };
        let delimiter = &self.bytes[open..open + length];
        let mut at = open + length + 1;
        while at < self.bytes.len() {
            if self.bytes[at] == b')'
                && self.bytes[at + 1..].starts_with(delimiter)
                && self.byte(at + 1 + length) == b'"'
            {
                self.at = at + length + 2;
                return Kind::String;
            }
            at += 1;
        }
        self.at = self.bytes.len();
        Kind::String
    }

    fn line_comment(&mut self) {
        let mut at = self.at + 2;
        loop {
            match self.bytes[at..].iter().position(|b| *b == b'\n') {
                None => {
                    self.at = self.bytes.len();
                    return;
                }
                Some(offset) => {
                    let newline = at + offset;
                    let before = self.bytes[at..newline].trim_ascii_end();
                    if before.last() != Some(&b'\\') {
                        self.at = newline;
                        return;
                    }
                    at = newline + 1;
                }
            }
        }
    }

    fn block_comment(&mut self) {
        let mut at = self.at + 2;
        while let Some(offset) = self.bytes[at..].iter().position(|b| *b == b'*') {
            at += offset + 1;
            if self.byte(at) == b'/' {
                self.at = at + 1;
                return;
            }
        }
        self.at = self.bytes.len();
    }

    fn punctuator(&mut self, byte: u8) -> Kind {
        let (next, third) = (self.byte(self.at + 1), self.byte(self.at + 2));
        let (kind, length) = match (byte, next, third) {
            (b'(', ..) => (Kind::Open, 1),
            (b')', ..) => (Kind::Close, 1),
            (b',', ..) => (Kind::Comma, 1),
            (b'#', b'#', _) => (Kind::HashHash, 2),
            (b'#', ..) => (Kind::Hash, 1),
            (b'.', b'.', b'.') => (Kind::Ellipsis, 3),
            (b'<', b'<', b'<' | b'=')
            | (b'>', b'>', b'>' | b'=')
            | (b'<', b'=', b'>')
            | (b'-', b'>', b'*') => (Kind::Punctuator, 3),
            (b'<', b'<' | b'=', _)
            | (b'>', b'>' | b'=', _)
            | (b'-', b'>' | b'-' | b'=', _)
            | (b'+', b'+' | b'=', _)
            | (b'&', b'&' | b'=', _)
            | (b'|', b'|' | b'=', _)
            | (b'=' | b'!' | b'*' | b'/' | b'%' | b'^', b'=', _)
            | (b':', b':', _)
            | (b'.', b'*', _) => (Kind::Punctuator, 2),
            (b'!'..=b'~', ..) => (Kind::Punctuator, 1),
            _ => (Kind::Other, 1),
        };
        self.at += length;
        kind
    }
}

/// Whether text that ends with `last` and text that starts with `first` would read as one token.
#[must_use]
pub fn would_join(last: u8, last_is_number: bool, first: u8) -> bool {
    if is_word(last) {
        return is_word(first)
            || matches!(first, b'"' | b'\'')
            || (first == b'.' && (last_is_number || last.is_ascii_digit()))
            || (last_is_number && matches!(first, b'+' | b'-'));
    }
    match last {
        b'+' | b'&' | b'|' | b'=' | b':' | b'#' if first == last => true,
        b'-' => matches!(first, b'-' | b'>' | b'='),
        b'<' => matches!(first, b'<' | b'=' | b':' | b'%'),
        b'>' => matches!(first, b'>' | b'=' | b'*'),
        b'/' => matches!(first, b'/' | b'*' | b'='),
        b'%' => matches!(first, b'=' | b':' | b'>'),
        b'.' => first == b'.' || first == b'*' || first.is_ascii_digit(),
        b'"' | b'\'' => is_word(first),
        b'\\' => first == b'\n',
        b'+' | b'&' | b'|' | b'*' | b'^' | b'=' | b'!' => first == b'=',
        _ => false,
    }
}
