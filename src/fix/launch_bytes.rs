//! The places where launches say how much dynamic shared memory they ask for.
//!
//! Given an `extern __shared__` array, gives the text of the bytes in every launch of the kernels
//! that hold it: the third part of `<<<…>>>`, or `shared=` in a comment that describes a launch.
//! `None` where one of them is written in another way. Knows nothing of values.

use super::Array;
use super::padding::Size;
use super::text::blank;
use crate::ir::{Launch, LaunchSource};
use crate::source::{SourceMap, Span};
use std::ops::Range;

pub(super) fn sizes<'a>(array: Array<'a>) -> Option<Vec<Size<'a>>> {
    let mut found: Vec<Size> = Vec::new();
    for (kernel, ..) in array.holders() {
        for launch in &kernel.launches {
            let size = size(launch, array.sources)?;
            if !found.contains(&size) {
                found.push(size);
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

fn size<'a>(launch: &Launch, sources: &'a SourceMap) -> Option<Size<'a>> {
    let whole = launch.span?;
    let text = sources.text(whole);
    let is_told = launch.source == LaunchSource::Directive;
    let range = if is_told { told(text) } else { third(text) }?;
    let span = Span::new(
        whole.file,
        whole.start + range.start as u32,
        whole.start + range.end as u32,
    );
    Some(Size {
        span,
        text: sources.text(span),
        is_told,
    })
}

/// The number after `shared=`.
fn told(text: &str) -> Option<Range<usize>> {
    let start = text.find(" shared=")? + " shared=".len();
    let digits = text[start..].bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0).then_some(start..start + digits)
}

/// The third part of `<<<grid, block, bytes>>>`.
fn third(text: &str) -> Option<Range<usize>> {
    let blanked = blank(text);
    let open = blanked.find("<<<")? + 3;
    let mut depth = 0i32;
    let mut start = open;
    let mut part = 0;
    for (at, c) in blanked[open..].char_indices() {
        let at = open + at;
        let ends = depth == 0 && (c == ',' || blanked[at..].starts_with(">>>"));
        if ends && part == 2 {
            let inner = &text[start..at];
            let head = inner.len() - inner.trim_start().len();
            let range = start + head..start + inner.trim_end().len();
            return (!range.is_empty()).then_some(range);
        }
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                part += 1;
                start = at + 1;
            }
            _ => {}
        }
        if ends && c != ',' {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_a_launch_are_found() {
        let bytes = |text: &'static str| third(text).map(|range| &text[range]);
        assert_eq!(
            bytes("k<<<grid, dim3(32, 8), 32 * 32 * sizeof(float), 0>>>(a)"),
            Some("32 * 32 * sizeof(float)")
        );
        assert_eq!(bytes("k<float><<<1, n, bytes >>>(a)"), Some("bytes"));
        for text in ["k<<<1, 32>>>(a, b, c)", "launch(k, 1, 2, 3)", "k<<<1, 2,"] {
            assert_eq!(bytes(text), None, "{text}");
        }
        let text = "//@ launch k grid=(1) shared=4096 template=<float>";
        assert_eq!(told(text).map(|range| &text[range]), Some("4096"));
    }
}
