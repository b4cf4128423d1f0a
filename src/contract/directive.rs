//! Reads the comments that are meant for cudalint.
//!
//! ```text
//! // cudalint: allow(bank-conflict, CL2): reason     this line, or the statement or kernel below
//! // cudalint: allow-next-line(bank-conflict)        the next line
//! // cudalint: allow-file(uncoalesced-access)        the whole file
//! // cudalint: expect(ways <= 2, sectors <= 4)       the same places as `allow`
//! // cudalint: expect-file(ways <= 1)
//! ```

use super::addressed;
use super::scope::{self, Below, Reach, Scope};
use crate::config::nearest;
use crate::lower::directives;
use crate::rules::select;
use crate::source::{SourceMap, Span};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Every first word that a comment may have.
const WORDS: [&str; 7] = [
    "allow",
    "allow-next-line",
    "allow-file",
    "expect",
    "expect-file",
    "assume",
    "launch",
];

/// One comment.
#[derive(Clone, Debug)]
pub struct Directive {
    /// The whole comment.
    pub span: Span,
    pub scope: Scope,
    /// One sentence where it cannot be read.
    pub content: Result<Content, String>,
}

#[derive(Clone, Debug)]
pub enum Content {
    Allow {
        rules: Vec<Named>,
        reason: String,
    },
    Expect(Vec<Bound>),
    /// `assume` and `launch`.
    Program,
}

/// A word of an `allow` and the rules that it names.
#[derive(Clone, Debug)]
pub struct Named {
    pub word: String,
    pub codes: Vec<&'static str>,
}

/// `ways <= 2`.
#[derive(Clone, Debug)]
pub struct Bound {
    pub metric: Metric,
    /// The most that holds; of `==`, the least as well.
    pub most: u32,
    pub is_equality: bool,
    /// As written.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Wavefronts over their ideal, rounded up.
    Ways,
    Wavefronts,
    Sectors,
    /// Wavefronts or sectors above the ideal.
    Excessive,
}

impl Metric {
    pub const ALL: [(&'static str, Metric); 4] = [
        ("ways", Metric::Ways),
        ("wavefronts", Metric::Wavefronts),
        ("sectors", Metric::Sectors),
        ("excessive", Metric::Excessive),
    ];
}

/// The directives among `comments`, each place once, by file and place.
pub fn read(comments: impl Iterator<Item = Span>, sources: &SourceMap) -> Vec<Directive> {
    let mut seen = BTreeSet::new();
    let mut of_files: FxHashMap<PathBuf, (usize, Below)> = FxHashMap::default();
    let mut found = Vec::new();
    for span in comments {
        let Some(text) = addressed(sources.text(span)) else {
            continue;
        };
        let path = &sources.get(span.file).path;
        if seen.insert((path.clone(), span.start)) {
            let (count, below) = of_files.entry(path.clone()).or_default();
            *count += 1;
            let (reach, content) = match (*count).cmp(&directives::MOST_A_FILE) {
                Ordering::Less => parse(text, sources.text(span)),
                Ordering::Equal => (Reach::NextLine, Err(too_many())),
                Ordering::Greater => continue,
            };
            let whole = &sources.get(span.file).text;
            let (start, end) = (span.start as usize, span.end as usize);
            let scope = scope::of(whole, start, end, reach, below);
            // Places of findings name the first reading of a file.
            let file = sources.find(path).unwrap_or(span.file);
            let span = Span::new(file, span.start, span.end);
            found.push((
                (path.clone(), span.start),
                Directive {
                    span,
                    scope,
                    content,
                },
            ));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.into_iter().map(|(_, directive)| directive).collect()
}

fn too_many() -> String {
    let most = directives::MOST_A_FILE;
    format!("a file may have fewer than {most} of them; this one and all behind it are not read")
}

/// `text` follows `cudalint:`; `comment` is all of it.
fn parse(text: &str, comment: &str) -> (Reach, Result<Content, String>) {
    let text = text.trim();
    let length = text
        .find(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'))
        .unwrap_or(text.len());
    let (word, rest) = text.split_at(length);
    let reach = match word {
        "allow-file" | "expect-file" => Reach::File,
        "allow-next-line" => Reach::NextLine,
        _ => Reach::Here,
    };
    (reach, content(word, rest.trim_start(), comment))
}

fn content(word: &str, rest: &str, comment: &str) -> Result<Content, String> {
    if !WORDS.contains(&word) {
        return Err(match nearest(word, &WORDS) {
            Some(near) => format!("`{word}` is not known; did you mean `{near}`?"),
            None => format!("`{word}` is not known; there are {}", WORDS.join(", ")),
        });
    }
    let list = rest
        .strip_prefix('(')
        .and_then(|rest| closing(rest).map(|at| (&rest[..at], &rest[at + 1..])));
    let Some((list, after)) = list else {
        return Err(format!(
            "`{word}` needs parentheses, as in `{}`",
            example(word)
        ));
    };
    match word {
        "assume" | "launch" => match directives::problem(comment) {
            Some(problem) => Err(problem),
            None => Ok(Content::Program),
        },
        "expect" | "expect-file" => {
            let bounds: Result<Vec<Bound>, String> = list.split(',').map(bound).collect();
            Ok(Content::Expect(bounds?))
        }
        _ => {
            let reason = after.trim_start().trim_start_matches([':', '-']).trim();
            let named: Result<Vec<Named>, String> = list
                .split(',')
                .map(|word| {
                    let word = word.trim();
                    let codes = select::resolve(&[word.to_owned()])?;
                    Ok(Named {
                        word: word.to_owned(),
                        codes,
                    })
                })
                .collect();
            Ok(Content::Allow {
                rules: named?,
                reason: reason.to_owned(),
            })
        }
    }
}

fn example(word: &str) -> &'static str {
    match word {
        "expect" => "expect(ways <= 2)",
        "expect-file" => "expect-file(ways <= 2)",
        "assume" => "assume(pitch % 32 == 0)",
        "launch" => "launch(block = (32, 8))",
        "allow-file" => "allow-file(bank-conflict): reason",
        "allow-next-line" => "allow-next-line(bank-conflict): reason",
        _ => "allow(bank-conflict): reason",
    }
}

/// The parenthesis that closes what `text` begins in.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0u32;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn bound(text: &str) -> Result<Bound, String> {
    let text = text.trim();
    let wrong = || {
        format!(
            "`{text}` cannot be read; write `ways`, `wavefronts`, `sectors` or `excessive`, then `<=`, `<` or `==`, \
             then a number, as in `expect(ways <= 2)`"
        )
    };
    let length = text
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(length);
    let metric = Metric::ALL.iter().find(|(known, _)| *known == name);
    let (_, metric) = metric.ok_or_else(wrong)?;
    let rest = rest.trim_start();
    let (is_equality, is_strict, number) = if let Some(number) = rest.strip_prefix("<=") {
        (false, false, number)
    } else if let Some(number) = rest.strip_prefix("==") {
        (true, false, number)
    } else if let Some(number) = rest.strip_prefix('<') {
        (false, true, number)
    } else {
        return Err(wrong());
    };
    let number: u32 = number.trim().parse().map_err(|_| wrong())?;
    Ok(Bound {
        metric: *metric,
        most: number.checked_sub(u32::from(is_strict)).ok_or_else(wrong)?,
        is_equality,
        text: text.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(comment: &str) -> String {
        let text = addressed(comment).unwrap_or_else(|| panic!("{comment} is addressed"));
        parse(text, comment).1.err().unwrap_or_default()
    }

    #[test]
    fn prose_is_not_addressed() {
        for comment in ["// uses cudalint: allow(x)", "// cudalint", "/* nothing */"] {
            assert_eq!(addressed(comment), None, "{comment}");
        }
    }

    #[test]
    fn every_form_is_read() {
        for comment in [
            "// cudalint: allow(bank-conflict, CL2): why not",
            "/* cudalint: allow-next-line(ALL) */",
            "//cudalint:allow-file( uncoalesced-access )",
            "// cudalint: expect(ways <= 2, sectors==4, excessive < 1)",
            "// cudalint: assume(blockDim = (32, 8), pitch % 32 == 0)",
            "// cudalint: launch(block = (32, 8), grid = 4)",
        ] {
            assert_eq!(problem(comment), "", "{comment}");
        }
    }

    #[test]
    fn what_cannot_be_read_says_what_to_write() {
        for (comment, part) in [
            ("// cudalint: alow(bank-conflict)", "did you mean `allow`?"),
            ("// cudalint: allow bank-conflict", "needs parentheses"),
            (
                "// cudalint: allow(bank-conflit)",
                "did you mean `bank-conflict`?",
            ),
            ("// cudalint: expect(way <= 2)", "`way <= 2` cannot be read"),
            ("// cudalint: expect(ways < 0)", "cannot be read"),
            ("// cudalint: launch(32, 8)", "needs `block` or `grid`"),
            ("// cudalint: assume(n +)", "`n +`"),
        ] {
            let said = problem(comment);
            assert!(said.contains(part), "{comment}: {said}");
        }
    }
}
