//! Comments that tell the analysis something: launches and assumptions.
//!
//! Given the comments of a unit, gives launches and expressions with their places.
//! A comment that cannot be read is no directive. Fixture directives are read by
//! `fixture`; here they become launches.

use crate::fixture::{self, FixtureArgument, FixtureLaunch};
use crate::ir::residue::Residue;
use crate::ir::{Argument, Dimension, Launch, LaunchSource, Parameter, ParameterKind};
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::ast;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Comments for the analysis that one file may have; those behind them are not read.
pub const MOST_A_FILE: usize = 1000;
/// What such a comment holds.
const SIGNS: [&str; 4] = ["cudalint:", "//@", "--blockDim", "--gridDim"];

/// What the comments of a unit say.
#[derive(Default)]
pub(super) struct Directives {
    /// `--blockDim=… --gridDim=…`: for kernels of the file that nothing launches.
    pub files: Vec<(FileId, Launch)>,
    /// `cudalint: launch(…)`: for the kernel below.
    pub launches: Vec<Launch>,
    pub assumptions: Vec<Assumption>,
    pub fixtures: Vec<FixtureLaunch>,
}

/// `cudalint: assume(…)`.
pub(super) struct Assumption {
    pub conditions: Vec<ast::Expr>,
    pub span: Span,
}

/// A launch of which nothing but its shape is known.
fn shaped(grid: [Dimension; 3], block: [Dimension; 3], span: Span) -> Launch {
    Launch {
        grid,
        block,
        dynamic_shared: None,
        arguments: Vec::new(),
        moved: Vec::new(),
        source: LaunchSource::Directive,
        span: Some(span),
    }
}

fn unknown_shape() -> [Dimension; 3] {
    [0; 3].map(|_| Dimension::Unknown(Arc::from("?")))
}

/// `(32, 8)`, `[32,8,1]`, `64` as three dimensions.
fn dimensions(text: &str) -> Option<[Dimension; 3]> {
    let text = text.trim();
    let inner = text
        .trim_start_matches(['(', '[', '{'])
        .trim_end_matches([')', ']', '}']);
    let mut out = [
        Dimension::Const(1),
        Dimension::Const(1),
        Dimension::Const(1),
    ];
    let mut parts = inner.split(',');
    for (at, slot) in out.iter_mut().enumerate() {
        let Some(part) = parts.next() else {
            if at == 0 {
                return None;
            }
            break;
        };
        let part = part.trim();
        *slot = match part.parse::<u64>() {
            Ok(n) if n > 0 => Dimension::Const(n),
            Ok(_) => return None,
            Err(_) if part.is_empty() => return None,
            Err(_) => Dimension::Unknown(Arc::from(part)),
        };
    }
    parts.next().is_none().then_some(out)
}

/// The text of a value that begins `text`: a bracketed list, or up to a blank or comma.
fn value(text: &str) -> &str {
    let text = text.trim_start();
    let mut depth = 0i32;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth -= 1;
                if depth < 0 {
                    return &text[..at];
                }
                if depth == 0 {
                    return &text[..at + c.len_utf8()];
                }
            }
            ' ' | '\t' | ',' | '\n' | '\r' if depth == 0 => return &text[..at],
            _ => {}
        }
    }
    text
}

/// What stands after `key` and an equals sign.
fn after<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let mut rest = text;
    loop {
        let at = rest.find(key)?;
        let is_word = rest[..at]
            .chars()
            .next_back()
            .is_none_or(|c| !c.is_alphanumeric() && c != '_');
        let tail = rest[at + key.len()..].trim_start();
        if is_word && let Some(found) = tail.strip_prefix('=') {
            return (!found.starts_with('=')).then_some(found);
        }
        rest = &rest[at + key.len()..];
    }
}

/// `launch(…)` or `assume(…)` after `cudalint:`, without its parentheses.
fn inside<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text
        .split_once("cudalint:")?
        .1
        .trim_start()
        .strip_prefix(word)?
        .trim_start();
    let list = value(rest);
    list.strip_prefix('(')?.strip_suffix(')')
}

fn shape_of(text: &str, span: Span, block: &str, grid: &str) -> Option<Launch> {
    let block = after(text, block).and_then(|rest| dimensions(value(rest)));
    let grid = after(text, grid).and_then(|rest| dimensions(value(rest)));
    if block.is_none() && grid.is_none() {
        return None;
    }
    Some(shaped(
        grid.unwrap_or_else(unknown_shape),
        block.unwrap_or_else(unknown_shape),
        span,
    ))
}

/// Conditions separated by commas outside of brackets, parsed.
fn conditions(text: &str) -> Vec<ast::Expr> {
    let unit = crate::syntax::parse::parse(&format!("void assumption() {{ assume({text}); }}"));
    let mut out = Vec::new();
    for item in unit.items {
        let ast::Item::Function(function) = item else {
            continue;
        };
        if function.problem.is_some() {
            return Vec::new();
        }
        for stmt in function.body.iter().flatten() {
            if let ast::StmtKind::Expr(e) = &stmt.kind
                && let ast::ExprKind::Call { arguments, .. } = &e.kind
            {
                out.extend(arguments.iter().cloned());
            }
        }
    }
    out
}

/// The shapes of an assumption, and its conditions; both are lists of their own.
fn parts(text: &str) -> (String, String) {
    let (mut shapes, mut rest) = (Vec::new(), Vec::new());
    let (mut depth, mut start) = (0i32, 0);
    let ends = text.char_indices().filter(|(_, c)| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        *c == ',' && depth == 0
    });
    let ends: Vec<usize> = ends.map(|(at, _)| at).chain([text.len()]).collect();
    for end in ends {
        let part = text[start..end].trim();
        start = (end + 1).min(text.len());
        let is_shape = ["blockDim", "gridDim"].iter().any(|name| {
            part.strip_prefix(name)
                .is_some_and(|tail| after(part, name).is_some() && !tail.starts_with('.'))
        });
        if is_shape {
            shapes.push(part);
        } else if !part.is_empty() {
            rest.push(part);
        }
    }
    (shapes.join(", "), rest.join(", "))
}

/// What is wrong with a `launch(…)` or `assume(…)` comment; `None` for one that is understood.
pub(crate) fn problem(comment: &str) -> Option<String> {
    let nowhere = Span::new(FileId(0), 0, 0);
    if let Some(inner) = inside(comment, "launch") {
        return shape_of(inner, nowhere, "block", "grid")
            .is_none()
            .then(|| {
                "`launch` needs `block` or `grid`, as in `launch(block = (32, 8), grid = 64)`"
                    .to_owned()
            });
    }
    let inner = inside(comment, "assume")?;
    let (shapes, rest) = parts(inner);
    let wrong = if !shapes.is_empty() && assumed_shape(&shapes, nowhere).is_none() {
        shapes
    } else if rest.is_empty() && shapes.is_empty()
        || !rest.is_empty() && conditions(&rest).is_empty()
    {
        rest
    } else {
        return None;
    };
    Some(format!(
        "`{wrong}` cannot be read as a condition; write it as in `assume(pitch % 32 == 0, blockDim = (32, 8))`"
    ))
}

/// `blockDim = (32, 8)` inside of an assumption.
fn assumed_shape(text: &str, span: Span) -> Option<Launch> {
    shape_of(text, span, "blockDim", "gridDim")
}

pub(super) fn read(comments: &[Span], sources: &SourceMap) -> Directives {
    let mut out = Directives::default();
    let mut files: Vec<FileId> = Vec::new();
    let mut counts: FxHashMap<FileId, usize> = FxHashMap::default();
    for span in comments {
        let text = sources.text(*span);
        if !SIGNS.iter().any(|sign| text.contains(sign)) {
            continue;
        }
        let count = counts.entry(span.file).or_default();
        *count += 1;
        if *count > MOST_A_FILE {
            continue;
        }
        if text.starts_with("//@") && !files.contains(&span.file) {
            files.push(span.file);
        }
        if text.contains("--blockDim") || text.contains("--gridDim") {
            if let Some(launch) = shape_of(text, *span, "--blockDim", "--gridDim") {
                out.files.push((span.file, launch));
            }
        } else if let Some(inner) = inside(text, "launch") {
            if let Some(mut launch) = shape_of(inner, *span, "block", "grid") {
                launch.dynamic_shared =
                    after(inner, "shared").and_then(|rest| value(rest).parse().ok());
                out.launches.push(launch);
            }
        } else if let Some(inner) = inside(text, "assume") {
            let (shapes, rest) = parts(inner);
            out.launches.extend(assumed_shape(&shapes, *span));
            if !rest.is_empty() {
                out.assumptions.push(Assumption {
                    conditions: conditions(&rest),
                    span: *span,
                });
            }
        }
    }
    for file in files {
        if let Ok(fixture) = fixture::read(&sources.get(file).text, file) {
            out.fixtures
                .extend(fixture.launches.into_iter().take(MOST_A_FILE));
        }
    }
    out
}

/// A kernel, and where what stands right above it begins: nothing but comments and its own head.
#[derive(Clone, Copy)]
pub(super) struct Head {
    kernel: Span,
    begin: u32,
}

impl Head {
    pub fn of(kernel: Span, sources: &SourceMap) -> Self {
        let before = sources.text(Span::new(kernel.file, 0, kernel.start));
        let end = before.rfind([';', '}']).map_or(0, |at| at + 1);
        Self {
            kernel,
            begin: end as u32,
        }
    }

    /// Whether a directive ends in there. Asked of each directive, so it looks at no text.
    pub fn holds(self, directive: Span) -> bool {
        directive.file == self.kernel.file
            && (self.begin..=self.kernel.start).contains(&directive.end)
    }
}

fn argument(given: &FixtureArgument) -> Argument {
    match given {
        FixtureArgument::Int(n) => Argument::Int(*n),
        FixtureArgument::Float(x) => Argument::Float(*x),
        FixtureArgument::Buffer { offset, .. } => Argument::Pointer {
            offset: Residue::exactly(*offset),
            is_assumed: false,
        },
        FixtureArgument::Struct(_) => Argument::Unknown,
    }
}

/// A fixture's launch, as far as the analysis is told.
pub(super) fn fixture_launch(given: &FixtureLaunch, parameters: &[Parameter]) -> Launch {
    let is_hidden = |what: &str| given.hidden.iter().any(|name| name == what);
    let shape = |what: &str, values: [u32; 3]| {
        if is_hidden(what) {
            unknown_shape()
        } else {
            values.map(|n| Dimension::Const(u64::from(n)))
        }
    };
    let arguments = parameters
        .iter()
        .map(|parameter| {
            let found = given
                .arguments
                .iter()
                .find(|(name, _)| *name == parameter.name);
            match (found, &parameter.kind) {
                _ if is_hidden(&parameter.name) => Argument::Unknown,
                (Some((_, value)), _) => argument(value),
                (None, ParameterKind::Pointer { .. }) => Argument::Pointer {
                    offset: Residue::ANY,
                    is_assumed: false,
                },
                (None, _) => Argument::Unknown,
            }
        })
        .collect();
    Launch {
        grid: shape("grid", given.grid),
        block: shape("block", given.block),
        dynamic_shared: if is_hidden("shared") {
            None
        } else {
            Some(given.shared)
        },
        arguments,
        moved: Vec::new(),
        source: LaunchSource::Directive,
        span: Some(given.span),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_one(text: &str) -> Directives {
        let mut sources = SourceMap::default();
        let file = sources.add("a.cu", text);
        read(&[Span::new(file, 0, text.len() as u32)], &sources)
    }

    fn known(shape: &[Dimension; 3]) -> Vec<Option<u64>> {
        shape.iter().map(Dimension::known).collect()
    }

    #[test]
    fn shapes() {
        for (text, block, grid) in [
            (
                "//--blockDim=64 --gridDim=[4,2]",
                [Some(64), Some(1), Some(1)],
                [Some(4), Some(2), Some(1)],
            ),
            (
                "//--blockDim=[32,8,1]",
                [Some(32), Some(8), Some(1)],
                [None, None, None],
            ),
            (
                "// cudalint: launch(block = (32, 8), grid = (4))",
                [Some(32), Some(8), Some(1)],
                [Some(4), Some(1), Some(1)],
            ),
            (
                "// cudalint: assume(blockDim = (16, n))",
                [Some(16), None, Some(1)],
                [None, None, None],
            ),
        ] {
            let read = read_one(text);
            let launch = read
                .files
                .iter()
                .map(|(_, launch)| launch)
                .chain(&read.launches)
                .next();
            let launch = launch.unwrap_or_else(|| panic!("{text}"));
            assert_eq!(known(&launch.block), block, "{text}");
            assert_eq!(known(&launch.grid), grid, "{text}");
        }
    }

    #[test]
    fn assumptions() {
        let read = read_one("// cudalint: assume(width % 32 == 0, n > 4)");
        assert_eq!(read.assumptions.len(), 1);
        assert_eq!(read.assumptions[0].conditions.len(), 2);
    }

    #[test]
    fn shapes_and_conditions_stand_together() {
        let read = read_one("// cudalint: assume(blockDim = (32, 8), pitch % 32 == 0)");
        assert_eq!(known(&read.launches[0].block), [Some(32), Some(8), Some(1)]);
        assert_eq!(read.assumptions[0].conditions.len(), 1);
    }

    #[test]
    fn nonsense_is_no_directive() {
        for text in [
            "//--blockDim=",
            "// cudalint: launch(",
            "// cudalint: assume",
            "// cudalint: launch(block = ())",
            "//@ launch",
        ] {
            let read = read_one(text);
            assert!(
                read.files.is_empty() && read.launches.is_empty() && read.fixtures.is_empty(),
                "{text}"
            );
        }
    }
}
