//! Fixtures: CUDA files that carry the answers in comments.
//!
//! Given the text of one file, gives its directives (`//@ …`) and caret lines as
//! plain data with spans. Knows nothing of kernels: whether a name or an access
//! exists is for the judge to say.
//!
//! ```text
//! //@ launch NAME grid=(32,32) block=(32,8) args(out=f32[1024], in=f32[64]{iota}+4, n=7) shared=4096 template=<float, 16>
//! //@ fixme REASON                  the carets state today's answer, not the right one
//! //@ unfixable REASON              bank conflicts that no fix cures
//! //@ not-analysed NAME: TEXT       the report must say TEXT of the function NAME
//! //@ option KEY VALUE              `define X=3`, `arch sm_86`, `simulate no`, `measure no`
//! ```
//!
//! A caret line is a comment of nothing but carets and an expectation; it speaks of the
//! nearest line above that is no caret line, and its carets cover the access:
//!
//! ```text
//!     float v = tile[threadIdx.x][j];
//!     //        ^^^^^^^^^^^^^^^^^^^^ shared load wavefronts=32/1 [bank-conflict] for block=(32,8)
//! ```
//!
//! `?` before a shape or a number (`grid=?(4)`, `n=?7`) keeps it from the analysis: only the
//! simulator and the GPU use it. Several launches that differ in such values alone are one
//! launch to the analysis.
//!
//! Costs are `n/ideal` (exact), `lo..hi/ideal` (bounded), either followed by
//! `data-dependent`, or one of the words `data-dependent` and `unknown` alone; text in
//! double quotes after it is a part of the reason that the verdict must give.

mod cursor;

use crate::gpu::cost::{Op, Space};
use crate::source::{FileId, Span};
use cursor::Cursor;
use serde::{Deserialize, Serialize};

/// One fixture file, read.
#[derive(Clone, Debug, Default)]
pub struct Fixture {
    pub launches: Vec<FixtureLaunch>,
    pub carets: Vec<Caret>,
    /// Why today's answer, which the carets state, is not the right one.
    pub fixme: Option<String>,
    /// Why some bank conflict has no cure.
    pub unfixable: Option<String>,
    pub not_analysed: Vec<ExpectedGap>,
    pub options: Vec<FixtureOption>,
}

/// A directive or caret line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub span: Span,
    /// One sentence: what is wrong and what to write instead.
    pub message: String,
}

/// `//@ launch`: one launch of one kernel, with arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct FixtureLaunch {
    pub kernel: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared: u64,
    /// `<float,16>` without blanks, or empty.
    pub template: String,
    /// Parameter names and values, in the parameters' order.
    pub arguments: Vec<(String, FixtureArgument)>,
    /// What the analysis is not told: `grid`, `block`, `shared` or names of arguments.
    pub hidden: Vec<String>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FixtureArgument {
    Int(i64),
    Float(f64),
    /// A global allocation; the kernel gets its start moved by `offset` bytes.
    Buffer {
        element: Element,
        count: u64,
        fill: Fill,
        offset: i64,
    },
    /// Leaves of a struct passed by value, in order.
    Struct(Vec<FixtureArgument>),
}

/// Contents of a buffer when the kernel starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fill {
    Zero,
    /// 0, 1, 2, …
    Iota,
    /// Integers in `lo..hi`, or floats in that range; the seed is fixed by the reader of the data.
    Random {
        lo: i64,
        hi: i64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    BF16,
    F32,
    F64,
}

impl Element {
    const ALL: [(&'static str, Element); 12] = [
        ("i8", Element::I8),
        ("u8", Element::U8),
        ("i16", Element::I16),
        ("u16", Element::U16),
        ("i32", Element::I32),
        ("u32", Element::U32),
        ("i64", Element::I64),
        ("u64", Element::U64),
        ("f16", Element::F16),
        ("bf16", Element::BF16),
        ("f32", Element::F32),
        ("f64", Element::F64),
    ];

    /// Bytes.
    #[must_use]
    pub fn size(self) -> u64 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 | Self::BF16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::BF16 | Self::F32 | Self::F64)
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, element)| *element)
    }
}

/// A caret line.
#[derive(Clone, Debug, PartialEq)]
pub struct Caret {
    /// The text above the carets, on the code line.
    pub target: Span,
    /// `None` for a finding that is about no access (`[divergent-barrier]`).
    pub access: Option<ExpectedAccess>,
    /// Findings expected there, in the order written.
    pub rules: Vec<String>,
    /// Launches spoken of; empty for all. Each key and value must match
    /// ([`FixtureLaunch::matches`]).
    pub only_for: Vec<(String, String)>,
    /// The caret line itself.
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedAccess {
    pub space: Space,
    pub op: Op,
    pub status: ExpectedStatus,
    pub cost: Option<ExpectedCost>,
    /// A part of the verdict's reason; may be empty.
    pub reason: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedStatus {
    Exact,
    Bounded,
    DataDependent,
    Unknown,
}

impl ExpectedStatus {
    /// As the accesses interface spells it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Bounded => "bounded",
            Self::DataDependent => "data-dependent",
            Self::Unknown => "unknown",
        }
    }
}

/// Wavefronts (shared) or sectors (global) of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectedCost {
    pub min: u32,
    pub max: u32,
    pub ideal: u32,
}

/// `//@ not-analysed NAME: TEXT`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedGap {
    pub function: String,
    /// A part of the reason that the report must give.
    pub text: String,
    pub span: Span,
}

/// `//@ option KEY VALUE`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixtureOption {
    pub key: String,
    pub value: String,
    pub span: Span,
}

impl FixtureLaunch {
    /// Whether a caret's `for …` speaks of this launch. Keys are `grid`, `block`, `shared`,
    /// `template` and argument names; blanks do not count.
    #[must_use]
    pub fn matches(&self, only_for: &[(String, String)]) -> bool {
        only_for.iter().all(|(key, value)| match key.as_str() {
            "grid" => *value == shape(self.grid) || *value == shape3(self.grid),
            "block" => *value == shape(self.block) || *value == shape3(self.block),
            "shared" => *value == self.shared.to_string(),
            "template" => *value == self.template,
            name => self.arguments.iter().any(|(known, argument)| {
                known == name
                    && match argument {
                        FixtureArgument::Int(n) => *value == n.to_string(),
                        FixtureArgument::Float(x) => *value == x.to_string(),
                        FixtureArgument::Buffer { .. } | FixtureArgument::Struct(_) => false,
                    }
            }),
        })
    }
}

/// `(32,8)`, trailing ones left out.
fn shape(dimensions: [u32; 3]) -> String {
    let last = dimensions.iter().rposition(|n| *n != 1).unwrap_or(0);
    let parts: Vec<String> = dimensions
        .iter()
        .take(last + 1)
        .map(u32::to_string)
        .collect();
    format!("({})", parts.join(","))
}

fn shape3(dimensions: [u32; 3]) -> String {
    let [x, y, z] = dimensions;
    format!("({x},{y},{z})")
}

/// Reads the directives and caret lines of one file.
///
/// # Errors
/// Every line that could not be read, in order.
pub fn read(text: &str, file: FileId) -> Result<Fixture, Vec<Problem>> {
    let mut fixture = Fixture::default();
    let mut problems = Vec::new();
    // Start and text of the last line that is no caret line.
    let mut code: Option<(usize, &str)> = None;
    let mut at = 0;
    for raw in text.split_inclusive('\n') {
        let line = raw.trim_end_matches(['\n', '\r']);
        let comment = line.trim_start().strip_prefix("//");
        let directive = comment.and_then(|rest| rest.strip_prefix('@'));
        let is_caret = comment.is_some_and(|rest| rest.trim_start().starts_with('^'));
        let outcome = if let Some(rest) = directive {
            let cursor = Cursor::new(file, at + (line.len() - rest.len()), rest);
            read_directive(cursor, &mut fixture)
        } else if is_caret {
            read_caret(line, at, code, file).map(|caret| fixture.carets.push(caret))
        } else {
            code = Some((at, line));
            Ok(())
        };
        problems.extend(outcome.err());
        at += raw.len();
    }
    if problems.is_empty() {
        Ok(fixture)
    } else {
        Err(problems)
    }
}

fn read_directive(mut cursor: Cursor<'_>, fixture: &mut Fixture) -> Result<(), Problem> {
    let span = cursor.rest_span();
    match cursor.name()? {
        "launch" => fixture.launches.push(read_launch(cursor, span)?),
        "fixme" => fixture.fixme = Some(cursor.text()?.to_owned()),
        "unfixable" => fixture.unfixable = Some(cursor.text()?.to_owned()),
        "not-analysed" => {
            let rest = cursor.text()?;
            let (function, text) = rest
                .split_once(": ")
                .ok_or_else(|| cursor.problem("expected `NAME: TEXT`"))?;
            fixture.not_analysed.push(ExpectedGap {
                function: function.trim().to_owned(),
                text: text.trim().to_owned(),
                span,
            });
        }
        "option" => {
            let key = cursor.name()?.to_owned();
            let value = cursor.text()?.to_owned();
            fixture.options.push(FixtureOption { key, value, span });
        }
        other => {
            return Err(Problem {
                span,
                message: format!(
                    "`{other}` is no directive; write `launch`, `fixme`, `unfixable`, `not-analysed` or `option`"
                ),
            });
        }
    }
    Ok(())
}

fn read_launch(mut cursor: Cursor<'_>, span: Span) -> Result<FixtureLaunch, Problem> {
    let mut launch = FixtureLaunch {
        kernel: cursor.path()?.to_owned(),
        grid: [1; 3],
        block: [1; 3],
        shared: 0,
        template: String::new(),
        arguments: Vec::new(),
        hidden: Vec::new(),
        span,
    };
    let mut hidden = Vec::new();
    let mut has_block = false;
    while !cursor.is_at_end() {
        match cursor.name()? {
            "grid" => {
                cursor.expect('=')?;
                hide(&mut cursor, "grid", &mut hidden);
                launch.grid = read_shape(&mut cursor)?;
            }
            "block" => {
                cursor.expect('=')?;
                hide(&mut cursor, "block", &mut hidden);
                launch.block = read_shape(&mut cursor)?;
                has_block = true;
            }
            "shared" => {
                cursor.expect('=')?;
                hide(&mut cursor, "shared", &mut hidden);
                let bytes = cursor.integer()?;
                launch.shared = u64::try_from(bytes)
                    .map_err(|_| cursor.problem("shared memory is counted in bytes from 0"))?;
            }
            "template" => {
                cursor.expect('=')?;
                launch.template = without_blanks(cursor.bracketed('<', '>')?);
            }
            "args" => {
                cursor.expect('(')?;
                launch.arguments = read_list(&mut cursor, ')', |cursor| {
                    let name = cursor.path()?.to_owned();
                    cursor.expect('=')?;
                    hide(cursor, &name, &mut hidden);
                    Ok((name, read_argument(cursor)?))
                })?;
            }
            other => {
                return Err(cursor.problem(&format!(
                    "`{other}` is no part of a launch; write `grid`, `block`, `args`, `shared` or `template`"
                )));
            }
        }
    }
    if !has_block {
        return Err(cursor.problem("a launch needs `block=(x,y,z)`"));
    }
    launch.hidden = hidden;
    Ok(launch)
}

/// Reads the `?` before a value that the analysis is not told.
fn hide(cursor: &mut Cursor<'_>, name: &str, hidden: &mut Vec<String>) {
    if cursor.eat('?') {
        hidden.push(name.to_owned());
    }
}

/// `(32,8)`; missing dimensions are 1.
fn read_shape(cursor: &mut Cursor<'_>) -> Result<[u32; 3], Problem> {
    cursor.expect('(')?;
    let list = read_list(cursor, ')', |cursor| {
        let value = cursor.integer()?;
        u32::try_from(value)
            .ok()
            .filter(|n| *n > 0)
            .ok_or_else(|| cursor.problem("a dimension is a positive number"))
    })?;
    let mut shape = [1; 3];
    if list.is_empty() || list.len() > shape.len() {
        return Err(cursor.problem("a shape has one, two or three dimensions"));
    }
    for (slot, value) in shape.iter_mut().zip(list) {
        *slot = value;
    }
    Ok(shape)
}

/// Items separated by commas up to `end`; the opening bracket is already read.
fn read_list<'a, T>(
    cursor: &mut Cursor<'a>,
    end: char,
    mut item: impl FnMut(&mut Cursor<'a>) -> Result<T, Problem>,
) -> Result<Vec<T>, Problem> {
    let mut list = Vec::new();
    if cursor.eat(end) {
        return Ok(list);
    }
    loop {
        list.push(item(cursor)?);
        if cursor.eat(end) {
            return Ok(list);
        }
        cursor.expect(',')?;
    }
}

fn read_argument(cursor: &mut Cursor<'_>) -> Result<FixtureArgument, Problem> {
    if cursor.eat('{') {
        // A struct in a struct is written flat, so this does not recurse further.
        let leaves = read_list(cursor, '}', |cursor| {
            if cursor.peek() == Some('{') {
                return Err(cursor.problem("write the leaves of a struct in one flat list"));
            }
            read_argument(cursor)
        })?;
        return Ok(FixtureArgument::Struct(leaves));
    }
    if cursor.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
        let name = cursor.name()?;
        let element = Element::named(name).ok_or_else(|| {
            cursor.problem(&format!(
                "`{name}` is no element type; write one such as `f32` or `i32`"
            ))
        })?;
        return read_buffer(cursor, element);
    }
    let (text, is_integer) = cursor.number()?;
    if is_integer {
        let value = text
            .parse()
            .map_err(|_| cursor.problem("this number does not fit 64 bits"))?;
        Ok(FixtureArgument::Int(value))
    } else {
        let value = text
            .parse()
            .map_err(|_| cursor.problem("this is no number"))?;
        Ok(FixtureArgument::Float(value))
    }
}

/// `[count]{fill}+offset`; the element type is already read.
fn read_buffer(cursor: &mut Cursor<'_>, element: Element) -> Result<FixtureArgument, Problem> {
    /// Larger buffers are a typing error, not a test.
    const MAX_BYTES: u64 = 1 << 30;
    cursor.expect('[')?;
    let count = cursor.integer()?;
    cursor.expect(']')?;
    let count = u64::try_from(count)
        .ok()
        .filter(|n| {
            n.checked_mul(element.size())
                .is_some_and(|bytes| bytes <= MAX_BYTES)
        })
        .ok_or_else(|| cursor.problem("a buffer holds between 0 elements and 1 GiB"))?;
    let mut fill = if element.is_float() {
        Fill::Random { lo: -1, hi: 1 }
    } else {
        Fill::Random { lo: 0, hi: 100 }
    };
    if cursor.eat('{') {
        fill = match cursor.name()? {
            "zero" => Fill::Zero,
            "iota" => Fill::Iota,
            "random" => {
                let lo = cursor.integer()?;
                cursor.expect('.')?;
                cursor.expect('.')?;
                let hi = cursor.integer()?;
                if lo >= hi {
                    return Err(cursor.problem("a random range `lo..hi` needs lo < hi"));
                }
                Fill::Random { lo, hi }
            }
            other => {
                return Err(cursor.problem(&format!(
                    "`{other}` is no filling; write `zero`, `iota` or `random lo..hi`"
                )));
            }
        };
        cursor.expect('}')?;
    }
    let mut offset = 0;
    if cursor.eat('+') {
        offset = cursor.integer()?;
    }
    Ok(FixtureArgument::Buffer {
        element,
        count,
        fill,
        offset,
    })
}

fn read_caret(
    line: &str,
    at: usize,
    code: Option<(usize, &str)>,
    file: FileId,
) -> Result<Caret, Problem> {
    let span = Span::new(file, at as u32, (at + line.len()) as u32);
    let problem = |message: &str| Problem {
        span,
        message: message.to_owned(),
    };
    let (code_at, code_line) = code.ok_or_else(|| problem("no line above to point at"))?;
    let first = line.find('^').unwrap_or(line.len());
    let carets = line[first..].chars().take_while(|c| *c == '^').count();
    let last = first + carets;

    // Columns count characters; fixtures indent with spaces, tabs would not line up.
    let skipped = line[..first].chars().count();
    let byte = |column: usize| code_line.char_indices().nth(column).map(|(byte, _)| byte);
    let start = byte(skipped).ok_or_else(|| problem("the carets stand right of the code"))?;
    let end = match byte(skipped + carets) {
        Some(byte) => byte,
        None if skipped + carets == code_line.chars().count() => code_line.len(),
        None => return Err(problem("the carets reach past the end of the code")),
    };
    if code_line[..start].contains('\t') {
        return Err(problem(
            "indent the code line with spaces, so that carets line up",
        ));
    }
    let target = Span::new(file, (code_at + start) as u32, (code_at + end) as u32);

    let mut cursor = Cursor::new(file, at + last, &line[last..]);
    let mut caret = Caret {
        target,
        access: None,
        rules: Vec::new(),
        only_for: Vec::new(),
        span,
    };
    if cursor.peek().is_some_and(|c| c != '[') {
        caret.access = Some(read_access(&mut cursor)?);
    }
    if cursor.eat('[') {
        caret.rules = read_list(&mut cursor, ']', |cursor| Ok(cursor.name()?.to_owned()))?;
    }
    if caret.access.is_none() && caret.rules.is_empty() {
        return Err(problem(
            "say what is expected, such as `shared load wavefronts=1/1`",
        ));
    }
    if !cursor.is_at_end() {
        if cursor.name()? != "for" {
            return Err(cursor.problem("expected `for KEY=VALUE` or the end of the line"));
        }
        while !cursor.is_at_end() {
            let key = cursor.path()?.to_owned();
            cursor.expect('=')?;
            let value = without_blanks(cursor.value());
            caret.only_for.push((key, value));
        }
    }
    Ok(caret)
}

fn read_access(cursor: &mut Cursor<'_>) -> Result<ExpectedAccess, Problem> {
    let space = match cursor.name()? {
        "shared" => Space::Shared,
        "global" => Space::Global,
        _ => return Err(cursor.problem("expected `shared` or `global`")),
    };
    let op = match cursor.name()? {
        "load" => Op::Load,
        "store" => Op::Store,
        "atomic" => Op::Atomic,
        _ => return Err(cursor.problem("expected `load`, `store` or `atomic`")),
    };
    let unit = space.unit();
    let mut cost = None;
    let mut status = None;
    while let Some(word) = cursor.peek_name().filter(|word| *word != "for") {
        cursor.name()?;
        match word {
            "data-dependent" => status = Some(ExpectedStatus::DataDependent),
            "unknown" => status = Some(ExpectedStatus::Unknown),
            _ if word == unit => {
                cursor.expect('=')?;
                cost = Some(read_cost(cursor)?);
            }
            _ => {
                return Err(cursor.problem(&format!(
                    "expected `{unit}=n/ideal`, `data-dependent` or `unknown`, found `{word}`"
                )));
            }
        }
    }
    let status = match (status, cost) {
        (Some(status), _) => status,
        (None, Some(ExpectedCost { min, max, .. })) if min == max => ExpectedStatus::Exact,
        (None, Some(_)) => ExpectedStatus::Bounded,
        (None, None) => {
            return Err(cursor.problem(&format!(
                "expected `{unit}=n/ideal`, `data-dependent` or `unknown`"
            )));
        }
    };
    let mut reason = String::new();
    if cursor.peek() == Some('"') {
        reason = cursor.quoted()?.to_owned();
    }
    Ok(ExpectedAccess {
        space,
        op,
        status,
        cost,
        reason,
    })
}

/// `n/ideal` or `lo..hi/ideal`.
fn read_cost(cursor: &mut Cursor<'_>) -> Result<ExpectedCost, Problem> {
    let count = |cursor: &mut Cursor<'_>| {
        let value = cursor.integer()?;
        u32::try_from(value).map_err(|_| cursor.problem("a cost is a small positive number"))
    };
    let min = count(cursor)?;
    let mut max = min;
    if cursor.eat('.') {
        cursor.expect('.')?;
        max = count(cursor)?;
    }
    cursor.expect('/')?;
    let ideal = count(cursor)?;
    if min > max {
        return Err(cursor.problem("a range `lo..hi` needs lo <= hi"));
    }
    Ok(ExpectedCost { min, max, ideal })
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
mod tests;
