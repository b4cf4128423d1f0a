//! Declarators and names in C++ text, by scanning alone; whether a name is also used under an `#if`.
//!
//! Used to refuse edits: what is not plainly understood is left alone.

use crate::source::Code;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// `tile[32][33]`: the name's end and the range inside each pair of brackets. `None` for
/// anything else, such as a declarator that a macro wrote.
pub fn array_declarator(text: &str) -> Option<(&str, Vec<Range<usize>>)> {
    let name_end = text.find(|c: char| !is_word(c))?;
    let name = &text[..name_end];
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (brackets, end) = subscripts(text, name_end);
    (end == text.trim_end().len() && !brackets.is_empty()).then_some((name, brackets))
}

/// The ranges inside the pairs of brackets from `at` on, and where the last one ends.
pub fn subscripts(text: &str, mut at: usize) -> (Vec<Range<usize>>, usize) {
    let mut brackets = Vec::new();
    let mut end = at;
    loop {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start().len();
        if !text[at..].starts_with('[') {
            return (brackets, end);
        }
        let mut depth = 0usize;
        let close = text[at..].char_indices().find_map(|(offset, c)| {
            match c {
                '[' | '(' | '{' => depth += 1,
                ']' | ')' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            (depth == 0).then_some(at + offset)
        });
        let Some(close) = close else {
            return (brackets, end);
        };
        brackets.push(at + 1..close);
        at = close + 1;
        end = at;
    }
}

/// The body, braces included, of the function whose parameters stand at `start`; `None` where
/// there is none.
pub fn body(text: &str, start: usize) -> Option<Range<usize>> {
    let (mut depth, mut open) = (0i32, start);
    for (at, c) in text.get(start..)?.char_indices() {
        match c {
            '(' | '[' | '{' => {
                if depth == 0 {
                    open = start + at;
                }
                depth += 1;
            }
            ')' | ']' | '}' => depth -= 1,
            ';' if depth == 0 => return None,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
        if depth == 0 && c == '}' {
            return Some(open..start + at + 1);
        }
    }
    None
}

/// `text` with comments and literals replaced by blanks of the same length.
pub fn blank(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    let wipe = |out: &mut [u8], range: Range<usize>| {
        for byte in &mut out[range] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    };
    while at < bytes.len() {
        let rest = &bytes[at..];
        let end = if rest.starts_with(b"//") {
            rest.iter()
                .position(|byte| *byte == b'\n')
                .unwrap_or(rest.len())
        } else if rest.starts_with(b"/*") {
            rest.windows(2)
                .skip(2)
                .position(|pair| pair == b"*/")
                .map_or(rest.len(), |found| found + 4)
        } else if rest[0] == b'"'
            || rest[0] == b'\'' && !(at > 0 && bytes[at - 1].is_ascii_hexdigit())
        {
            let mut end = 1;
            while end < rest.len() && rest[end] != rest[0] && rest[end] != b'\n' {
                end += if rest[end] == b'\\' { 2 } else { 1 };
            }
            (end + 1).min(rest.len())
        } else {
            at += 1;
            continue;
        };
        wipe(&mut out, at..at + end);
        at += end;
    }
    // Only whole characters inside comments and literals were replaced.
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// Every place where `name` stands as a word of its own.
pub fn occurrences<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(name)
        .map(|(at, _)| at)
        .filter(move |at| {
            let before = text[..*at].chars().next_back();
            let after = text[*at + name.len()..].chars().next();
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
}

/// A text as fixes read it.
pub fn code(text: &str) -> Code {
    let text = blank(text);
    let measured = measured(&text);
    Code::new(text, measured)
}

/// What a name declared at byte `at` of a text that was blanked may be used in: the function around
/// it, and macros. All of the text where no function is found.
pub fn reach(text: &str, at: usize) -> String {
    let Some(function) = function_around(text, at) else {
        return text.to_owned();
    };
    let mut found = text[function].to_owned();
    let mut is_macro = false;
    for line in text.lines() {
        is_macro |= line.trim_start().starts_with('#');
        if is_macro {
            found.push('\n');
            found.push_str(line);
        }
        is_macro &= line.trim_end().ends_with('\\');
    }
    found
}

/// Whether a name declared at byte `at` of a text that was blanked is used under conditions of the preprocessor
/// that its declaration does not stand under: such text may not have been read.
pub fn is_used_conditionally(text: &str, at: usize, name: &str) -> bool {
    let within = function_around(text, at).unwrap_or(0..text.len());
    // Of each condition around a line, which it is and which of its branches.
    let mut around: Vec<(usize, usize)> = Vec::new();
    let mut of_declaration: Vec<(usize, usize)> = Vec::new();
    let mut uses: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        match directive {
            Some(rest) if rest.starts_with("if") => around.push((start, 0)),
            Some(rest) if rest.starts_with("el") => {
                around.last_mut().into_iter().for_each(|one| one.1 += 1);
            }
            Some(rest) if rest.starts_with("endif") => drop(around.pop()),
            _ => {}
        }
        if (start..end).contains(&at) {
            of_declaration.clone_from(&around);
        }
        if within.contains(&start) && occurrences(line, name).next().is_some() {
            uses.push(around.clone());
        }
        start = end;
    }
    !uses.iter().all(|one| of_declaration.starts_with(one))
}

/// The outermost braces around byte `at` that are no namespace's and no class's.
fn function_around(text: &str, at: usize) -> Option<Range<usize>> {
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut start = 0;
    let mut line = 0;
    for (here, c) in text.char_indices() {
        match c {
            ';' => start = here + 1,
            // A directive is no part of what follows it.
            '\n' => {
                if text[line..here].trim_start().starts_with('#') {
                    start = here + 1;
                }
                line = here + 1;
            }
            '{' => {
                let head = &text[start..here];
                let is_scope = ["namespace", "extern", "struct", "class", "union"]
                    .iter()
                    .any(|word| occurrences(head, word).next().is_some())
                    && !head.contains('(');
                open.push((here, is_scope));
                start = here + 1;
            }
            '}' => {
                let (from, is_scope) = open.pop()?;
                let is_outer = open.iter().all(|(_, is_scope)| *is_scope);
                if is_outer && !is_scope && from < at && at < here {
                    return Some(from..here + 1);
                }
                start = here + 1;
            }
            _ => {}
        }
    }
    None
}

/// The words whose size or type is asked for somewhere in a text that was blanked.
pub fn measured<'a>(text: &'a str) -> FxHashSet<String> {
    const WORDS: [&str; 5] = ["sizeof", "decltype", "typeof", "__typeof__", "size"];
    let words = |text: &'a str| text.split(|c| !is_word(c));
    let mut found = FxHashSet::default();
    for word in WORDS {
        for at in occurrences(text, word) {
            let operand = text[at + word.len()..].trim_start();
            match operand.strip_prefix('(') {
                Some(inner) => {
                    let mut depth = 1;
                    let end = inner.find(|c| {
                        depth += i32::from(c == '(') - i32::from(c == ')');
                        depth == 0
                    });
                    found.extend(words(&inner[..end.unwrap_or(inner.len())]).map(str::to_owned));
                }
                None => found.extend(words(operand).next().map(str::to_owned)),
            }
        }
    }
    found
}

pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_under_other_conditions_are_seen() {
        for (text, is_conditional) in [
            (
                "#ifndef H\nvoid f() { float s[2]; s[0] = 1; }\n#endif\n",
                false,
            ),
            (
                "void f() { float s[2];\n#if X\n s[0] = 1;\n#endif\n}\n",
                true,
            ),
            (
                "void f() { float s[2];\n#if X\n q = 1;\n#else\n r = s[1];\n#endif\n}\n",
                true,
            ),
            (
                "void f() {\n#if X\n float s[2]; s[0] = 1;\n#endif\n}\n",
                false,
            ),
            (
                "void f() {\n#if X\n float s[2];\n#else\n s[0] = 1;\n#endif\n}\n",
                true,
            ),
            (
                "void g() {\n#if X\n s = 1;\n#endif\n}\nvoid f() { float s[2]; s[0] = 1; }\n",
                false,
            ),
        ] {
            let at = text.find("s[2]").expect("a declaration");
            assert_eq!(
                is_used_conditionally(text, at, "s"),
                is_conditional,
                "{text}"
            );
        }
    }

    #[test]
    fn declarators_are_split() {
        let (name, brackets) = array_declarator("tile[TILE][a[0] + 1]").expect("a declarator");
        assert_eq!(name, "tile");
        assert_eq!(brackets, [5..9, 11..19]);
        for text in ["tile", "tile[2] = {}", "M(tile)", "", "tile[2"] {
            assert!(array_declarator(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_definition_ends_with_its_body() {
        let text = "void k(int a = f(1)) { if (a) { g(); } } void h() {}";
        let body = body(text, 6).expect("a body");
        assert_eq!(&text[6..body.end], "(int a = f(1)) { if (a) { g(); } }");
        assert_eq!(&text[body], "{ if (a) { g(); } }");
        for text in ["(int a);", "(int a", ") {}"] {
            assert_eq!(super::body(text, 0), None, "{text}");
        }
    }

    #[test]
    fn sizes_that_are_asked_for_are_seen() {
        for text in [
            "sizeof(s)",
            "n / sizeof (s[0])",
            "sizeof s",
            "sizeof(*(s + 1)) * 2",
            "decltype(s) t;",
            "std::size(s)",
        ] {
            assert!(measured(text).contains("s"), "{text}");
        }
        for text in [
            "sizeof(float) * s[0]",
            "i < size ? s[0] : 1",
            "sizeof(ss)",
            "size = s[1]",
        ] {
            assert!(!measured(text).contains("s"), "{text}");
        }
    }

    #[test]
    fn a_name_reaches_through_its_function_and_macros() {
        let text = "#define M sizeof(t)\nnamespace n {\nvoid f() { int t[2]; if (1) { t[0]; } }\nvoid g() { u; }\n}";
        let found = reach(text, text.find("t[2]").expect("there"));
        assert_eq!(found, "{ int t[2]; if (1) { t[0]; } }\n#define M sizeof(t)");
    }

    #[test]
    fn comments_and_literals_are_blank() {
        assert_eq!(
            blank("a // t\nb \"t\" /* t */ 't'"),
            "a     \nb                "
        );
        assert_eq!(occurrences("t ta a.t t_", "t").collect::<Vec<_>>(), [0, 7]);
    }
}
