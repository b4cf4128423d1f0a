//! Tokens of expanded text, as repairs need them.
//!
//! Given text, gives its tokens and the partner of every bracket. Knows
//! nothing of grammar; never fails: a byte it does not know is a token.

/// What a token is: `b'a'` an identifier or keyword, `b'0'` a number, `b'"'` a
/// string, `b'\''` a character, one of the constants below, or a punctuator's own byte.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: u8,
    pub start: u32,
    pub end: u32,
}

/// The text of the token at a place; empty beyond the end.
#[must_use]
pub fn word_at<'t>(text: &'t str, tokens: &[Token], at: usize) -> &'t str {
    let token = tokens.get(at);
    token.map_or("", |token| &text[token.start as usize..token.end as usize])
}

/// The kind of the token at a place; [`NONE`] beyond the end.
#[must_use]
pub fn kind_at(tokens: &[Token], at: usize) -> u8 {
    tokens.get(at).map_or(NONE, |token| token.kind)
}

pub const IDENT: u8 = b'a';
pub const NUMBER: u8 = b'0';
pub const STRING: u8 = b'"';
pub const CHAR: u8 = b'\'';
/// `::`
pub const SCOPE: u8 = 128;
/// `->`
pub const ARROW: u8 = 129;
/// `&&`
pub const AND_AND: u8 = 130;
/// `||`
pub const OR_OR: u8 = 131;
/// `<<`
pub const SHIFT_LEFT: u8 = 132;
/// `<<<` where a launch can begin
pub const LAUNCH: u8 = 133;
/// `...`
pub const ELLIPSIS: u8 = 134;
/// `++`, `--`
pub const STEP: u8 = 135;
/// Comparison and assignment operators of several characters.
pub const OPERATOR: u8 = 136;
/// No token: before the first and after the last.
pub const NONE: u8 = 0;

/// No partner.
pub const UNPAIRED: u32 = u32::MAX;

/// Text that the parser must not see, beside the tokens: comments and leftover directives.
pub type Blank = (u32, u32);

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Tokens of `text`, and the ranges of comments and directives.
#[must_use]
pub fn lex(text: &str) -> (Vec<Token>, Vec<Blank>) {
    let bytes = text.as_bytes();
    let mut tokens: Vec<Token> = Vec::with_capacity(bytes.len() / 4);
    let mut blanks = Vec::new();
    let mut at = 0;
    let mut line_start = true;
    while at < bytes.len() {
        let start = at;
        let byte = bytes[at];
        if byte == b'\n' {
            line_start = true;
            at += 1;
            continue;
        }
        if byte.is_ascii_whitespace() || byte == 0 {
            at += 1;
            continue;
        }
        // A vertical tab is a blank in C, and not one of the grammar's.
        if byte == b'\\' || byte == 0x0b {
            blanks.push((at as u32, at as u32 + 1));
            at += 1;
            continue;
        }
        if byte == b'#' && line_start {
            at = directive_end(bytes, at);
            blanks.push((start as u32, at as u32));
            continue;
        }
        line_start = false;
        let rest = &bytes[at..];
        if rest.starts_with(b"//") {
            at = directive_end(bytes, at);
            blanks.push((start as u32, at as u32));
            continue;
        }
        if rest.starts_with(b"/*") {
            at = text[at + 2..]
                .find("*/")
                .map_or(bytes.len(), |end| at + 2 + end + 2);
            blanks.push((start as u32, at as u32));
            continue;
        }
        let kind = if byte.is_ascii_digit()
            || (byte == b'.' && rest.get(1).is_some_and(u8::is_ascii_digit))
        {
            at = number_end(bytes, at);
            NUMBER
        } else if is_word(byte) {
            let (kind, end) = word_or_prefixed(text, at);
            at = end;
            kind
        } else if byte == b'"' || byte == b'\'' {
            at = quoted_end(bytes, at);
            byte
        } else {
            let before = tokens.last().map_or(NONE, |token| token.kind);
            let (kind, len) = punctuator(rest, before);
            at += len;
            kind
        };
        tokens.push(Token {
            kind,
            start: start as u32,
            end: at as u32,
        });
    }
    (tokens, blanks)
}

/// A word, or a string or character with a prefix: its kind and where it ends.
fn word_or_prefixed(text: &str, start: usize) -> (u8, usize) {
    let bytes = text.as_bytes();
    let mut at = start;
    while at < bytes.len() && is_word(bytes[at]) {
        at += 1;
    }
    match bytes.get(at) {
        Some(b'"') if is_string_prefix(&bytes[start..at]) => {
            let end = if bytes[at - 1] == b'R' {
                raw_end(text, at)
            } else {
                quoted_end(bytes, at)
            };
            (STRING, end)
        }
        Some(b'\'') if is_string_prefix(&bytes[start..at]) => (CHAR, quoted_end(bytes, at)),
        _ => (IDENT, at),
    }
}

fn is_string_prefix(word: &[u8]) -> bool {
    matches!(
        word,
        b"R" | b"L" | b"u" | b"U" | b"u8" | b"LR" | b"uR" | b"UR" | b"u8R"
    )
}

fn directive_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at] != b'\n' {
        if bytes[at] == b'\\' && bytes.get(at + 1) == Some(&b'\n') {
            at += 1;
        }
        at += 1;
    }
    at
}

fn number_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        let byte = bytes[at];
        let is_exponent = (byte == b'+' || byte == b'-')
            && matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P')
            && !(bytes[at - 1] | 0x20 == b'e' && is_hex(bytes, at));
        let is_separator =
            byte == b'\'' && bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !(is_word(byte) || byte == b'.' || is_exponent || is_separator) {
            break;
        }
        at += 1;
    }
    at
}

/// Whether the digits before `at` belong to a hexadecimal literal, where `e` is a digit.
fn is_hex(bytes: &[u8], at: usize) -> bool {
    let mut start = at;
    while start > 0 && (bytes[start - 1].is_ascii_alphanumeric() || bytes[start - 1] == b'.') {
        start -= 1;
    }
    bytes[start..].starts_with(b"0x") || bytes[start..].starts_with(b"0X")
}

fn quoted_end(bytes: &[u8], mut at: usize) -> usize {
    let quote = bytes[at];
    at += 1;
    while at < bytes.len() && bytes[at] != quote {
        if bytes[at] == b'\n' {
            return at;
        }
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

fn raw_end(text: &str, at: usize) -> usize {
    let Some(open) = text[at..].find('(') else {
        return text.len();
    };
    let close = format!("){}\"", &text[at + 1..at + open]);
    text[at + open..]
        .find(&close)
        .map_or(text.len(), |end| at + open + end + close.len())
}

fn punctuator(rest: &[u8], before: u8) -> (u8, usize) {
    let next = rest.get(1).copied().unwrap_or(0);
    let third = rest.get(2).copied().unwrap_or(0);
    match (rest[0], next) {
        (b':', b':') => (SCOPE, 2),
        (b'-', b'>') => (ARROW, 2),
        (b'&', b'&') => (AND_AND, 2),
        (b'|', b'|') => (OR_OR, 2),
        (b'<', _)
            if matches!(before, IDENT | b'>' | b')' | b']') && launch_length(rest).is_some() =>
        {
            (LAUNCH, launch_length(rest).unwrap_or(3))
        }
        (b'<', b'<') if third == b'=' => (OPERATOR, 3),
        (b'<', b'<') => (SHIFT_LEFT, 2),
        (b'.', b'.') if third == b'.' => (ELLIPSIS, 3),
        (b'+', b'+') | (b'-', b'-') => (STEP, 2),
        (
            b'=' | b'!' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^',
            b'=',
        ) => (OPERATOR, 2),
        (byte, _) => (byte, 1),
    }
}

/// The length of `<<<`, which may be written `<< <`.
fn launch_length(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    for count in 0..3 {
        while count > 0 && rest.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        if rest.get(at) != Some(&b'<') {
            return None;
        }
        at += 1;
    }
    Some(at)
}

/// For each token the index of its partner bracket (`()`, `[]`, `{}`), or [`UNPAIRED`].
/// A closing brace closes whatever was left open inside its block.
#[must_use]
pub fn pair_brackets(tokens: &[Token]) -> Vec<u32> {
    let mut pairs = vec![UNPAIRED; tokens.len()];
    let mut open: Vec<u32> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let wanted = match token.kind {
            b'(' | b'[' | b'{' => {
                open.push(at as u32);
                continue;
            }
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            _ => continue,
        };
        let top = open.last().map(|top| tokens[*top as usize].kind);
        if top != Some(wanted) && wanted == b'{' {
            while open
                .last()
                .is_some_and(|top| tokens[*top as usize].kind != b'{')
            {
                open.pop();
            }
        }
        if open
            .last()
            .is_some_and(|top| tokens[*top as usize].kind == wanted)
            && let Some(top) = open.pop()
        {
            pairs[top as usize] = at as u32;
            pairs[at] = top;
        }
    }
    pairs
}
