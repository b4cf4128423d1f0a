//! Text that the tree does not hold, or holds as something else.
//!
//! Macros of headers that were not found stand in the text as they were written. Given the text, finds
//! two kinds: a call without a semicolon, which may decide whether and how often the next statement runs,
//! and a word too many in the head of a class, whose body is then not read.

use crate::syntax::ast::{Expr, ExprKind, Stmt, StmtKind};
use rustc_hash::FxHashSet;

#[derive(Debug, Default)]
pub(super) struct PassedOver {
    /// Where calls begin that no semicolon ends.
    calls: FxHashSet<u32>,
    /// Where statements begin that stand behind such a call, on a line of their own.
    behind: FxHashSet<u32>,
    /// Whether a class was not read, or a function runs before `main`.
    pub class: bool,
    /// Whether references are kept in objects that look like numbers where they are assigned.
    pub wrappers: bool,
}

impl PassedOver {
    pub fn of(text: &str) -> Self {
        let mut out = Self {
            class: runs_before_main(text),
            wrappers: text.contains("reference_wrapper"),
            ..Self::default()
        };
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let indent = line.len() - line.trim_start().len();
            let end = start + line.len();
            if is_parallel(line)
                && let Some(next) = text[end..].find(|c: char| !c.is_whitespace())
            {
                out.behind.insert((end + next) as u32);
            }
            // Statements of the line; `for (;;)` and strings give some that are none.
            let breaks = line.match_indices([';', '{', '}']).map(|(at, _)| at + 1);
            for from in std::iter::once(0).chain(breaks) {
                let code = line[from..].trim_start();
                let at = end - code.len();
                out.class |= is_class_with_a_word(code);
                let name = word(code);
                if name.is_empty() || is_keyword(name) {
                    continue;
                }
                let behind = code[name.len()..].trim_start_matches([' ', '\t']);
                if behind.starts_with('(')
                    && let Some((length, has_block)) = bracketed(&text[end - behind.len()..])
                {
                    let ended = end - behind.len() + length;
                    if has_block || decides(&text[ended..], indent) {
                        out.calls.insert(at as u32);
                    } else if let Some(next) = next_line(&text[ended..]) {
                        out.behind.insert((ended + next) as u32);
                    }
                }
            }
            start = end;
        }
        out
    }

    /// Whether a call without a semicolon stands before a statement: it may run any number of times.
    pub fn governs(&self, s: &Stmt) -> bool {
        !matches!(s.kind, StmtKind::Variables(_)) && self.behind.contains(&s.range.start)
    }

    /// Whether a call may decide about the statement behind it.
    pub fn holds(&self, e: &Expr) -> bool {
        matches!(&e.kind, ExprKind::Call { callee, .. } if matches!(callee.kind, ExprKind::Path(_)))
            && self.calls.contains(&e.range.start)
    }
}

/// `#pragma omp parallel`: each thread of a team runs the statement behind it, and some of its variables are copies.
fn is_parallel(line: &str) -> bool {
    // The preprocessor takes the `#` away.
    let Some(rest) = line.trim_start().strip_prefix("pragma") else {
        return false;
    };
    let Some(rest) = rest.trim_start().strip_prefix("omp") else {
        return false;
    };
    let several = [
        "parallel", "task", "taskloop", "teams", "target", "sections",
    ];
    rest.split(|c: char| !c.is_alphanumeric())
        .any(|word| several.contains(&word))
}

fn word(text: &str) -> &str {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
    let word = &text[..end];
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        ""
    } else {
        word
    }
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "if" | "for" | "while" | "switch" | "return" | "sizeof" | "catch" | "else" | "do" | "case"
    )
}

/// The length of `(…)`, and whether statements stand among the arguments: `SWITCH(type, { n = 1; })`.
fn bracketed(text: &str) -> Option<(usize, bool)> {
    const LONGEST: usize = 4096;
    let mut depth = 0usize;
    let (mut braces, mut block) = (0usize, None);
    let mut has_block = false;
    let mut last = ' ';
    // The quote that a literal ends with.
    let mut quote: Option<char> = None;
    for (at, c) in text.char_indices().take(LONGEST) {
        if let Some(end) = quote {
            if c == end && last != '\\' {
                quote = None;
            }
            last = if c == '\\' && last == '\\' { ' ' } else { c };
            continue;
        }
        match c {
            '"' | '\'' => quote = Some(c),
            '(' => depth += 1,
            ')' if depth == 1 => return (braces == 0).then_some((at + 1, has_block)),
            ')' => depth -= 1,
            '{' => {
                braces += 1;
                if matches!(last, ',' | '(') {
                    block.get_or_insert(braces);
                }
            }
            '}' => {
                braces = braces.checked_sub(1)?;
                block = block.filter(|depth| *depth <= braces);
            }
            ';' if braces == 0 => return None,
            ';' => has_block |= block.is_some(),
            _ => {}
        }
        if !c.is_whitespace() {
            last = c;
        }
    }
    None
}

/// Where a statement begins on the lines behind a call that nothing ends.
fn next_line(behind: &str) -> Option<usize> {
    let code = behind.trim_start();
    let at = behind.len() - code.len();
    let begins = code.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '*'));
    (begins && behind[..at].contains('\n')).then_some(at)
}

/// Whether what follows a call is a statement of its own, on the same line or farther in.
fn decides(behind: &str, indent: usize) -> bool {
    let next = behind.trim_start_matches([' ', '\t', '\r']);
    let begins =
        |text: &str| text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '*'));
    match next.strip_prefix('\n') {
        None => begins(next) && !next.starts_with('*'),
        Some(line) => {
            let code = line.trim_start_matches([' ', '\t']);
            line.len() - code.len() > indent && begins(code)
        }
    }
}

/// `class EXPORT Name {`
fn is_class_with_a_word(code: &str) -> bool {
    let Some(rest) = code
        .strip_prefix("class ")
        .or_else(|| code.strip_prefix("struct "))
    else {
        return false;
    };
    let rest = rest.trim_start();
    let first = word(rest);
    let behind = rest[first.len()..].trim_start();
    let second = word(behind);
    let after = behind[second.len()..].trim_start();
    !first.is_empty()
        && !second.is_empty()
        && second != "final"
        && !first.starts_with("__")
        && first != "alignas"
        && (after.starts_with('{') || after.starts_with(':') && !after.starts_with("::"))
}

fn runs_before_main(code: &str) -> bool {
    code.contains("__attribute__((constructor") || code.contains("gnu::constructor")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_classes_are_told_by_their_text() {
        for (text, calls, class) in [
            ("UNLESS(n > 0) n = 64;\n", 1, false),
            ("int n; { UNLESS(n > 0) n = 64; }\n", 1, false),
            ("FOR3(i)\n  n += 32;\n", 1, false),
            ("START(n)\nn += 32;\n", 0, false),
            ("f(n);\n  g();\n", 0, false),
            ("SWITCH(1, T, { n = 64; });\n", 1, false),
            ("f([&] { n = 64; }, {1, 2});\n", 0, false),
            ("f(\"%d) is \\\"so; {\\\\\", n);\n", 0, false),
            ("if (n) n = 64;\n", 0, false),
            ("f(n) + g;\nf(a,\n  b);\n", 0, false),
            ("class EXPORT Name {\n", 0, true),
            ("struct EXPORT Name : Base {\n", 0, true),
            (
                "class Name final : Base {\nstruct Name f() {\nclass Name;\n",
                0,
                false,
            ),
        ] {
            let found = PassedOver::of(text);
            assert_eq!((found.calls.len(), found.class), (calls, class), "{text}");
        }
    }

    #[test]
    fn what_threads_of_a_team_run_is_told_by_its_pragma() {
        for (text, behind) in [
            ("pragma omp parallel num_threads(4)\n{ n++; }\n", Some(35)),
            ("pragma omp parallel for\n\n  for (;;) n += 32;\n", Some(27)),
            ("pragma omp simd\nfor (;;) n += 32;\n", None),
            ("pragma omp atomic\nn++;\n", None),
        ] {
            let found = PassedOver::of(text);
            let found: Vec<u32> = found.behind.into_iter().collect();
            assert_eq!(found, behind.into_iter().collect::<Vec<u32>>(), "{text}");
        }
    }
}
