//! The scope of a directive: how far it reaches.
//!
//! Given a comment's place in its file's text, gives the bytes it speaks of. Reads
//! brackets, strings and comments only; knows no grammar.

/// First byte, and one past the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    pub start: u32,
    pub end: u32,
}

/// The form in which a directive was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The line of a comment behind code; else the statement or definition below.
    Here,
    NextLine,
    File,
}

/// Text below the last comment of a file: comments stand in blocks, of which each covers the same.
#[derive(Clone, Copy, Debug, Default)]
pub struct Below {
    /// Nothing but blanks and comments stands here.
    gap: Option<(usize, usize)>,
    /// Where what begins at the gap's end ends.
    end: usize,
}

impl Below {
    /// The statement or definition below `from`.
    fn find(&mut self, text: &str, from: usize) -> (usize, usize) {
        if let Some((start, next)) = self.gap
            && (start..=next).contains(&from)
        {
            return (next, self.end);
        }
        let next = code_after(text, from);
        self.gap = Some((from, next));
        self.end = statement_end(text, next);
        (next, self.end)
    }
}

/// What the comment at `start..end` covers; `below` is of this text.
#[must_use]
pub fn of(text: &str, start: usize, end: usize, reach: Reach, below: &mut Below) -> Scope {
    let scope = |start: usize, end: usize| Scope {
        start: start as u32,
        end: end as u32,
    };
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |n| at + n);
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    match reach {
        Reach::File => scope(0, text.len()),
        Reach::NextLine => {
            let next = (line_end(end) + 1).min(text.len());
            scope(next, line_end(next))
        }
        Reach::Here if !text[line_start..start].trim().is_empty() => {
            scope(line_start, line_end(start))
        }
        Reach::Here => {
            let (next, past) = below.find(text, end);
            scope(next, past)
        }
    }
}

/// The next byte that is neither blank, comment nor directive line.
fn code_after(text: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = &text[at..];
        let blank = rest.len() - rest.trim_start().len();
        at += blank;
        let rest = &text[at..];
        let skipped = if rest.starts_with("//") || rest.starts_with('#') {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |n| n + 2)
        } else {
            return at;
        };
        at += skipped;
    }
}

/// Where the statement or definition that begins at `start` ends: behind its `;`, behind its
/// body, or before the bracket that closes what it stands in.
fn statement_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0u32;
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        match byte {
            b'/' if rest.starts_with(b"//") || rest.starts_with(b"/*") => {
                at = code_after(text, at);
                continue;
            }
            b'"' | b'\'' => at = literal_end(bytes, at),
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return at,
            b')' | b']' => depth -= 1,
            b'}' => {
                depth -= 1;
                if depth == 0 && !goes_on(text, at + 1) {
                    return at + 1;
                }
            }
            b';' if depth == 0 && !goes_on(text, at + 1) => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// Whether an `else`, or the rest of a declaration, follows.
fn goes_on(text: &str, from: usize) -> bool {
    let rest = &text[code_after(text, from)..];
    let is_else = rest
        .strip_prefix("else")
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
    let is_brace = text[..from].ends_with('}');
    is_else || is_brace && rest.starts_with([';', ','])
}

/// The last byte of the string or character that begins at `start`.
fn literal_end(bytes: &[u8], start: usize) -> usize {
    // A prime between digits is no character.
    let quote = bytes[start];
    if quote == b'\'' && start > 0 && bytes[start - 1].is_ascii_alphanumeric() {
        return start;
    }
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if *byte == quote => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the comment `/*!*/` covers.
    fn covered(text: &str, reach: Reach) -> &str {
        let start = text.find("/*!*/").expect("a comment");
        let scope = of(text, start, start + 5, reach, &mut Below::default());
        &text[scope.start as usize..scope.end as usize]
    }

    #[test]
    fn a_comment_covers_its_line_or_what_stands_below() {
        for (text, expected) in [
            ("a();\nb(); /*!*/\nc();\n", "b(); /*!*/"),
            ("/*!*/\n// more\na(\n  1);\nb();\n", "a(\n  1);"),
            (
                "/*!*/\n#pragma unroll\nfor (i = 0; i < 4; i++) { a; b; }\nc;",
                "for (i = 0; i < 4; i++) { a; b; }",
            ),
            (
                "/*!*/\nif (x) { a; } else { b; }\nc;",
                "if (x) { a; } else { b; }",
            ),
            (
                "/*!*/ template <int N>\n__global__ void k(int *a) { a[0] = '}'; }\nint x;",
                "template <int N>\n__global__ void k(int *a) { a[0] = '}'; }",
            ),
            ("f(a,\n/*!*/\nb[1], c);\nd;", "b[1], c"),
            (
                "/*!*/\nint a[2] = {1, 2}, b = 3;\nc;",
                "int a[2] = {1, 2}, b = 3;",
            ),
            ("/*!*/", ""),
        ] {
            assert_eq!(covered(text, Reach::Here), expected);
        }
        assert_eq!(covered("/*!*/\na;\nb;", Reach::NextLine), "a;");
        assert_eq!(covered("a /*!*/ b", Reach::File), "a /*!*/ b");
    }
}
