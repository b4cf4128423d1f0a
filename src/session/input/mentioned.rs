//! Names that a CUDA text mentions, read off without parsing.
//!
//! Given a text, gives the kernels it may define, those it may launch, and the
//! headers it may include. Says rather too much than too little: the names only
//! decide which files are read together.

use std::collections::BTreeSet;

/// Characters of a kernel's head that are looked at.
const HEAD: usize = 4096;

/// Names of one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    pub defined: BTreeSet<String>,
    pub launched: BTreeSet<String>,
    /// Last components of included paths.
    pub included: BTreeSet<String>,
}

impl Names {
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut names = Self::default();
        for (at, mark) in text.match_indices("__global__") {
            let head = &text[at + mark.len()..];
            let end = head
                .char_indices()
                .take(HEAD)
                .find(|(_, c)| matches!(c, '{' | ';'))
                .map_or(head.len().min(HEAD), |(at, _)| at);
            names.defined.extend(called(head.get(..end).unwrap_or("")));
        }
        for (at, _) in text.match_indices("<<<") {
            names.launched.extend(launched(&text[..at]));
        }
        for line in text.lines() {
            let Some(rest) = line.trim_start().strip_prefix('#') else {
                continue;
            };
            let Some(rest) = rest.trim_start().strip_prefix("include") else {
                continue;
            };
            let mut parts = rest.split(['<', '>', '"']);
            let path = parts.nth(1).unwrap_or_default().trim();
            let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
            if !name.is_empty() {
                names.included.insert(name.to_owned());
            }
        }
        names
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Words that stand before a parenthesis.
fn called(text: &str) -> impl Iterator<Item = String> {
    text.match_indices('(').filter_map(|(at, _)| {
        let before = text[..at].trim_end();
        let word = last_word(before);
        (!word.is_empty()).then(|| word.to_owned())
    })
}

/// The kernel's name before `<<<`, its template arguments skipped.
fn launched(before: &str) -> Option<String> {
    let mut before = before.trim_end();
    if before.ends_with('>') {
        let mut depth = 0usize;
        let open = before.char_indices().rev().take(HEAD).find_map(|(at, c)| {
            match c {
                '>' => depth += 1,
                '<' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(at)
        })?;
        before = before[..open].trim_end();
    }
    let word = last_word(before);
    (!word.is_empty()).then(|| word.to_owned())
}

fn last_word(text: &str) -> &str {
    let start = text
        .char_indices()
        .rev()
        .take_while(|(_, c)| is_word(*c))
        .last()
        .map_or(text.len(), |(at, _)| at);
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(set: &BTreeSet<String>) -> Vec<&str> {
        set.iter().map(String::as_str).collect()
    }

    #[test]
    fn names_are_read_off() {
        let names = Names::of(
            "#include <cuda.h>\n # include \"a/b.cuh\"  // by a/c.cuh\n\
             template <int N> __global__ void __launch_bounds__(256) scale(float *x) { f(x); }\n\
             void run() { ns::scale<(N > 2), 4><<<1, 32>>>(x); other <<<1, 1>>>(); }",
        );
        assert_eq!(sorted(&names.defined), ["__launch_bounds__", "scale"]);
        assert_eq!(sorted(&names.included), ["b.cuh", "cuda.h"]);
        assert!(names.launched.contains("other"));
    }

    #[test]
    fn odd_texts_do_no_harm() {
        for text in [
            "<<<",
            "><<<",
            "__global__",
            "__global__ ä(",
            "#include",
            ">>><<<(",
            "ä<<<",
        ] {
            let _ = Names::of(text);
        }
    }
}
