//! Comments that code actions put in: what to accept, to expect, to assume, to launch with.
//!
//! Given an answer and a place of its document, gives comments that `contract` and the
//! analysis read, each with the line that it goes above. Bounds are those that were proved;
//! an assumption is the user's to make, and each one offered was proved to be enough.

use super::answer::{AccessesAt, Answer};
use crate::contract;
use crate::finding::Finding;
use crate::gpu::Space;
use crate::ir::{Axis, BuiltinValue, Expr, Kernel, LaunchSource};
use crate::prove::verdict::{Access, Condition, Test};
use crate::source::{SourceFile, Span};
use gen_lsp_types::{Position, Range, TextEdit};

/// Assumptions that are offered for one access.
const MOST_ASSUMPTIONS: usize = 2;
/// Threads of a block where nothing says how many.
const USUAL_THREADS: u64 = 256;
/// Bytes before a kernel's name in which its definition begins.
const HEAD: usize = 2048;

/// A comment to be put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    pub title: String,
    /// What follows `// cudalint: `.
    text: String,
    /// From 1; it goes above.
    line: u32,
}

impl Comment {
    /// The edit, at the depth of its line; `None` where a comment would end a macro that goes on
    /// over lines.
    #[must_use]
    pub fn edit(&self, file: &SourceFile) -> Option<TextEdit> {
        let above = self.line.checked_sub(1)?;
        if above > 0 && file.line_text(above).trim_end().ends_with('\\') {
            return None;
        }
        let text = file.line_text(self.line);
        let blanks = &text[..text.len() - text.trim_start().len()];
        let end = if file.text.contains("\r\n") {
            "\r\n"
        } else {
            "\n"
        };
        let start = Position {
            line: above,
            character: 0,
        };
        Some(TextEdit {
            range: Range { start, end: start },
            new_text: format!("{blanks}// cudalint: {}{end}", self.text),
        })
    }
}

/// Accepts a finding.
#[must_use]
pub fn allow(answer: &Answer, finding: &Finding) -> Comment {
    Comment {
        title: format!("Allow {} here with a comment", finding.rule),
        text: format!("allow({})", finding.rule),
        line: answer.source().line(finding.primary.span.start),
    }
}

/// Expects what is proved today of the statement that the place is in; `None` where some of it is
/// not known.
#[must_use]
pub fn expect(answer: &Answer, place: &AccessesAt) -> Option<Comment> {
    let file = answer.source();
    let space = place.accesses.first()?.space;
    let line = file.line(place.span.start);
    let reach = contract::reach(&file.text, file.line_start(line)?);
    let is_reached =
        |span: Span| answer.is_here(span) && span.start < reach.end && reach.start <= span.start;
    let mut most = 0;
    for access in &answer.analysis.accesses {
        let mut calls = access.site.inlined.iter();
        let is_covered = is_reached(access.site.span)
            || is_reached(access.kernel_span)
            || calls.any(|(_, call)| is_reached(*call));
        if access.space != space || !is_covered {
            continue;
        }
        let verdict = &access.verdict;
        if !verdict.is_known() {
            return None;
        }
        most = most.max(match space {
            Space::Shared => verdict.max.div_ceil(verdict.ideal.max(1)),
            Space::Global => verdict.max,
        });
    }
    let metric = match space {
        Space::Shared => "ways",
        Space::Global => "sectors",
    };
    (most > 0).then(|| Comment {
        title: format!("Expect {metric} <= {most} here with a comment"),
        text: format!("expect({metric} <= {most})"),
        line,
    })
}

/// Assumes of a parameter what makes the accesses of the place ideal.
#[must_use]
pub fn assume(answer: &Answer, place: &AccessesAt) -> Vec<Comment> {
    let mut found: Vec<Comment> = Vec::new();
    for access in &place.accesses {
        let Some(kernel) = kernel_of(answer, access) else {
            continue;
        };
        for dependence in &access.verdict.depends_on {
            let symbol = &dependence.symbol;
            let mut parameters = kernel.parameters.iter();
            if !parameters.any(|parameter| parameter.name == *symbol) {
                continue;
            }
            let mut good: Vec<(u8, String)> = dependence
                .cases
                .iter()
                .filter(|case| case.max <= case.ideal)
                .filter_map(|case| condition(&case.when, symbol))
                .collect();
            // What holds for many values is likelier to be meant than one value.
            good.sort_by_key(|(rank, _)| *rank);
            for (_, condition) in good {
                let comment = Comment {
                    title: format!("Assume {condition} with a comment, which makes this ideal"),
                    text: format!("assume({condition})"),
                    line: head_line(answer.source(), access.kernel_span),
                };
                if answer.is_here(access.kernel_span) && !found.contains(&comment) {
                    found.push(comment);
                }
            }
        }
    }
    found.truncate(MOST_ASSUMPTIONS);
    found
}

/// A case's condition as C has it, those that hold for many values first; `None` where it is no
/// comparison.
fn condition(when: &Condition, symbol: &str) -> Option<(u8, String)> {
    let Condition::All(tests) = when else {
        return None;
    };
    let has_list = |test: &Test| match test {
        Test::OneOf(values) => values.len() > 1,
        Test::Remainder { residues, .. } => residues.len() > 1,
        Test::Between(..) | Test::Above(_) | Test::Not(_) => false,
    };
    match tests.as_slice() {
        [Test::Between(low, high)] => Some((1, format!("{symbol} >= {low} && {symbol} <= {high}"))),
        tests if tests.iter().any(has_list) => None,
        [Test::Remainder { .. }, ..] => Some((0, when.text(symbol))),
        // Nobody launches for a pitch of nothing.
        [Test::OneOf(values)] if values != &[0] => Some((2, when.text(symbol))),
        _ => None,
    }
}

/// A launch for a kernel of which none is known, in shapes that its indices suggest.
#[must_use]
pub fn launch(answer: &Answer, kernel_span: Span) -> Vec<Comment> {
    let accesses = answer.analysis.accesses.iter();
    let of_kernel: Vec<&Access> = accesses
        .filter(|access| access.kernel_span == kernel_span)
        .collect();
    let is_unknown = |access: &&Access| {
        matches!(
            access.launch.source,
            LaunchSource::Assumed | LaunchSource::Bounds
        )
    };
    if !answer.is_here(kernel_span) || !of_kernel.iter().all(is_unknown) {
        return Vec::new();
    }
    let Some(kernel) = of_kernel
        .first()
        .and_then(|access| kernel_of(answer, access))
    else {
        return Vec::new();
    };
    likely_blocks(kernel)
        .into_iter()
        .map(|block| Comment {
            title: format!(
                "Analyse `{}` for block {} with a comment",
                kernel.name,
                shape(&block)
            ),
            text: format!("launch(block = {})", shape(&block)),
            line: head_line(answer.source(), kernel_span),
        })
        .collect()
}

/// Blocks that a kernel is likely launched with, by the axes of `threadIdx` that it reads and the
/// threads that it allows.
#[must_use]
pub fn likely_blocks(kernel: &Kernel) -> Vec<Vec<u64>> {
    let reads = |axis: Axis| {
        kernel.exprs.iter().any(
            |expr| matches!(expr, Expr::Builtin(BuiltinValue::ThreadIdx(read)) if *read == axis),
        )
    };
    let threads = kernel
        .max_threads
        .map_or(USUAL_THREADS, u64::from)
        .clamp(32, 1024);
    if reads(Axis::Z) {
        return vec![vec![8, 8, (threads / 64).clamp(1, 16)]];
    }
    if !reads(Axis::Y) {
        return vec![vec![threads]];
    }
    let rows = vec![32, threads / 32];
    let square = vec![16, (threads / 16).min(16)];
    vec![rows, square]
}

/// `256` or `(32, 8)`.
#[must_use]
pub fn shape(block: &[u64]) -> String {
    match block {
        [one] => one.to_string(),
        many => {
            let axes: Vec<String> = many.iter().map(u64::to_string).collect();
            format!("({})", axes.join(", "))
        }
    }
}

#[must_use]
pub fn kernel_of<'a>(answer: &'a Answer, access: &Access) -> Option<&'a Kernel> {
    let mut kernels = answer.analysis.program.kernels.iter();
    kernels.find(|kernel| *kernel.name == *access.kernel && *kernel.instance == *access.instance)
}

/// The line of a kernel's `__global__`, or of its name where that stands elsewhere.
fn head_line(file: &SourceFile, name: Span) -> u32 {
    let end = (name.start as usize).min(file.text.len());
    let mut start = end.saturating_sub(HEAD);
    while !file.text.is_char_boundary(start) {
        start += 1;
    }
    let before = file.text.get(start..end).unwrap_or("");
    // A definition begins behind the one before it.
    let own = before.rfind([';', '}']).map_or(0, |at| at + 1);
    let mark = before[own..].rfind("__global__");
    file.line(mark.map_or(end, |at| start + own + at) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;
    use std::path::PathBuf;

    #[test]
    fn conditions_are_written_as_c_has_them() {
        let read = |when: Condition| condition(&when, "n").map(|(_, text)| text);
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(read(Condition::remainder(32, vec![0])), some("n % 32 == 0"));
        let range = Condition::one_of((1..=7).collect());
        assert_eq!(read(range), some("n >= 1 && n <= 7"));
        assert_eq!(read(Condition::one_of(vec![-1])), some("n == -1"));
        for when in [
            Condition::one_of(vec![0]),
            Condition::remainder(4, vec![1, 3]),
            Condition::Otherwise,
            Condition::Always,
        ] {
            assert_eq!(read(when.clone()), None, "{when:?}");
        }
    }

    #[test]
    fn comments_go_above_the_head_and_never_into_a_macro() {
        let text = "int x;\n  __global__ void\n  k() {}\n#define A \\\n  b\n";
        let file = SourceFile::new(PathBuf::from("a.cu"), text.into());
        let at = text.find("k()").expect("a kernel") as u32;
        let line = head_line(&file, Span::new(FileId(0), at, at + 1));
        assert_eq!(line, 2);
        let edit = |line| {
            let comment = Comment {
                title: String::new(),
                text: "launch(block = 32)".to_owned(),
                line,
            };
            comment.edit(&file).map(|edit| edit.new_text)
        };
        assert_eq!(
            edit(2).as_deref(),
            Some("  // cudalint: launch(block = 32)\n")
        );
        assert_eq!(edit(5), None);
    }
}
