//! Padding: rows that lie further apart, so that they begin in different banks.
//!
//! Given a shared array with conflicts, gives the smallest padding under which every access of
//! the array is proved ideal, or the best one with the access that stands in the way. Where
//! the declaration has a dimension for the columns, that dimension grows. Where rows are laid
//! out by hand (`As[row * BK + column]`), the stride grows at every use; where no stride is
//! written, the subscript itself is moved on (`i + i / 32`).

mod search;

use super::block_memory::Memory;
use super::layout::Mapping;
use super::subscripts::{self, Use};
use super::text::{
    array_declarator, code, is_used_conditionally, is_word, measured, occurrences, reach,
    subscripts as brackets_from,
};
use super::{Array, Proposed, Reprove, Sampled, elsewhere, excess, launch_bytes, unreached};
use crate::finding::{Edit, Fix, Safety};
use crate::ir::SharedObject;
use crate::prove::implication::Claims;
use crate::source::Span;
use search::{Candidate, Search};
use std::ops::Range;

/// Paddings put to the solver.
const MOST_PROVED: usize = 2;
/// Bytes of the widest access.
const WIDEST: u64 = 16;
/// Strides tried for one array.
const MOST_STRIDES: usize = 4;
/// Bytes of shared memory of a block without `cudaFuncSetAttribute` (CUDA C++ Programming Guide,
/// "Shared Memory", compute capability 7.x and later).
const WITHOUT_ASKING: u64 = 48 << 10;
/// Bytes after which banks repeat (CUDA C++ Programming Guide, compute capability 5.x).
const BANKS_BYTES: u64 = 128;

/// The rows that are moved apart.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Rows {
    /// The last dimension of the declaration.
    Declared,
    /// What this factor counts, in the declaration and in subscripts.
    Stride(String),
    /// Pieces that span all banks once, whatever the array holds.
    Banks,
}

/// The declaration in the user's text.
struct Declaration<'a> {
    text: &'a str,
    name: &'a str,
    dimensions: usize,
    /// Inside the last bracket.
    last: Range<usize>,
    /// Where the size stands: in the last bracket, or in each launch.
    sizes: Vec<Size<'a>>,
    /// Bytes of one element in the first instance.
    element: u64,
    /// Whether all instances have elements of that size.
    has_one_element: bool,
    /// Least padding, in elements, that keeps every access aligned.
    step: u64,
    /// The same of accesses as the compiler merges them.
    wide_step: u64,
}

/// A place that gives the array its size, in elements or in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Size<'a> {
    pub span: Span,
    pub text: &'a str,
    /// In a comment that describes a launch, which is elsewhere.
    pub is_told: bool,
}

/// The proved padding of an array, if there is one.
pub(super) fn propose(
    array: Array,
    samples: &[Sampled],
    reprove: &dyn Reprove,
    claims: &mut Claims,
) -> Option<Proposed> {
    let mut declaration = Declaration::of(array)?;
    // Once for all arrays of a file, of which there may be thousands.
    let file = array.sources.get(array.declaration.file).code(code);
    if file.measured.contains(declaration.name) {
        let reach = reach(&file.text, array.declaration.start as usize);
        if measured(&reach).contains(declaration.name) {
            return None;
        }
    }
    let uses = subscripts::uses(array);
    // Paddings that keep what the compiler merged come first.
    let steps = [declaration.wide_step, declaration.step];
    let mut best: Option<Proposed> = None;
    for (at, step) in steps.into_iter().enumerate() {
        if at > 0 && step == steps[0] || best.as_ref().is_some_and(|one| one.left == 0) {
            break;
        }
        declaration.step = step;
        let found = with_step(array, samples, &declaration, &uses, reprove, claims);
        best = match (best, found) {
            (Some(one), Some(other)) if other.left < one.left => Some(other),
            (one, other) => one.or(other),
        };
    }
    best
}

/// The same, where paddings are multiples of the declaration's step.
fn with_step(
    array: Array,
    samples: &[Sampled],
    declaration: &Declaration,
    uses: &[Use],
    reprove: &dyn Reprove,
    claims: &mut Claims,
) -> Option<Proposed> {
    let before = excess(array.accesses.iter().copied());
    let mut search = Search::new(array, samples, declaration, uses, reprove, claims);
    let found = search.candidates(ways(declaration, uses, array), before);
    found.into_iter().take(MOST_PROVED).find_map(|mut one| {
        reprove.judge(&mut one.reproof, true);
        one.left = excess(array.accesses_after(&one.reproof));
        if one.left < before && array.keeps_each(&one.reproof) {
            one.propose(array, declaration)
        } else {
            None
        }
    })
}

impl<'a> Declaration<'a> {
    fn of(array: Array<'a>) -> Option<Self> {
        let text = array.sources.text(array.declaration);
        let (name, brackets) = array_declarator(text)?;
        let (_, _, object) = array.holders().next()?;
        let is_dynamic = object.size.is_none();
        if object.dimensions.len() != brackets.len()
            || (object.dimensions.last() == Some(&0)) != is_dynamic
            || is_dynamic && brackets.len() != 1
        {
            return None;
        }
        let last = brackets.last()?.clone();
        let sizes = if is_dynamic {
            launch_bytes::sizes(array)?
        } else {
            let start = array.declaration.start;
            vec![Size {
                span: Span::new(
                    array.declaration.file,
                    start + last.start as u32,
                    start + last.end as u32,
                ),
                text: &text[last.clone()],
                is_told: false,
            }]
        };
        let (mut widths, mut wide) = (Vec::new(), Vec::new());
        for access in array.accesses {
            let (.., object) = array.holders().find(|(kernel, ..)| {
                *kernel.name == *access.kernel && *kernel.instance == *access.instance
            })?;
            let element = u64::from(object.element.max(1));
            let of = |width: u32| (element, u64::from(width.max(1)));
            for (list, one) in [
                (&mut widths, of(access.width)),
                (&mut wide, of(access.machine_width())),
            ] {
                if !list.contains(&one) {
                    list.push(one);
                }
            }
        }
        let step = |widths: &[(u64, u64)]| {
            let keeps = |n: &u64| {
                let mut all = widths.iter();
                all.all(|(element, width)| (n * element).is_multiple_of(*width))
            };
            (1..=WIDEST).find(keeps)
        };
        let elements = array.holders().map(|(_, _, object)| object.element);
        let first = object.element.max(1);
        Some(Self {
            text,
            name,
            dimensions: brackets.len(),
            last,
            sizes,
            element: u64::from(first),
            has_one_element: elements.into_iter().all(|one| one.max(1) == first),
            step: step(&widths)?,
            wide_step: step(&wide)?,
        })
    }

    /// The columns of the declaration, or the bytes of the first launch.
    fn columns(&self) -> &'a str {
        self.sizes.first().map_or("", |size| size.text)
    }

    fn is_dynamic(&self) -> bool {
        self.text[self.last.clone()].trim().is_empty()
    }

    /// A size with rows `padding` elements longer: as many times more in bytes as in elements.
    fn padded(&self, text: &str, rows: &Rows, padding: u64) -> Option<String> {
        let text = text.trim();
        match rows {
            Rows::Declared => Some(widened(text, padding)),
            Rows::Stride(stride) => {
                let factors = subscripts::factors(text);
                if let Some(at) = factors.iter().rposition(|factor| factor == stride) {
                    let parts: Vec<String> = factors
                        .iter()
                        .enumerate()
                        .map(|(place, factor)| {
                            if place == at {
                                subscripts::enlarged(factor, padding)
                            } else {
                                (*factor).to_owned()
                            }
                        })
                        .collect();
                    return Some(parts.join(" * "));
                }
                let enlarged = subscripts::enlarged(stride, padding);
                match (text.parse::<u64>(), stride.parse::<u64>()) {
                    (Ok(all), Ok(row)) if row > 0 && all % row == 0 => {
                        Some((all / row * (row + padding)).to_string())
                    }
                    (Ok(_), Ok(_)) => None,
                    _ => Some(format!(
                        "{} / {stride} * {enlarged}",
                        subscripts::operand(text)?
                    )),
                }
            }
            Rows::Banks => {
                let row = self.bank_row();
                if let Ok(all) = text.parse::<u64>() {
                    return Some((all + all / row * padding).to_string());
                }
                let text = subscripts::operand(text)?;
                Some(format!("{text} + {text} / {row} * {padding}"))
            }
        }
    }

    /// Elements that span all banks once.
    fn bank_row(&self) -> u64 {
        (BANKS_BYTES / self.element).max(1)
    }

    /// Elements of a row, as far as the text tells.
    fn row(&self, rows: &Rows, before: &SharedObject) -> Option<u64> {
        let all = *before.dimensions.last()?;
        match rows {
            Rows::Declared => Some(all),
            Rows::Banks => Some(self.bank_row()),
            Rows::Stride(stride) => {
                let row = stride.parse::<u64>().ok()?;
                (row > 0 && all % row == 0).then_some(row)
            }
        }
    }

    /// Elements of a row when `before` became `after` by this padding.
    fn row_after(
        &self,
        rows: &Rows,
        padding: u64,
        before: &SharedObject,
        after: &SharedObject,
    ) -> Option<u64> {
        if !matches!(rows, Rows::Stride(_)) {
            return self.row(rows, before);
        }
        let (old, new) = (*before.dimensions.last()?, *after.dimensions.last()?);
        let gained = new.checked_sub(old)?;
        let count = gained / padding;
        let is_whole = count > 0 && gained % padding == 0 && old % count == 0;
        is_whole.then(|| old / count)
    }

    /// How bytes move when `before` became `after`.
    fn mapping(
        &self,
        rows: &Rows,
        padding: u64,
        before: &SharedObject,
        after: &SharedObject,
    ) -> Option<Mapping> {
        let row = self.row_after(rows, padding, before, after)?;
        Some(padded(row, padding, before))
    }
}

/// `row` and `padding` in elements.
fn padded(row: u64, padding: u64, object: &SharedObject) -> Mapping {
    let element = u64::from(object.element.max(1));
    Mapping::Pad {
        row: row * element,
        padding: padding * element,
    }
}

/// Ways of padding, the plainest first.
fn ways(declaration: &Declaration, uses: &[Use], array: Array) -> Vec<Rows> {
    let mut ways = Vec::new();
    if declaration.dimensions >= 2 {
        ways.push(Rows::Declared);
    }
    let texts: Vec<&str> = uses
        .iter()
        .map(|one| array.sources.text(one.inner))
        .collect();
    let factors = subscripts::factors(declaration.columns());
    let is_product = factors.len() > 1;
    let mut strides: Vec<String> = factors
        .iter()
        .rev()
        .map(|part| (*part).to_owned())
        .collect();
    let is_written = |stride: &String| {
        let mut all = texts.iter();
        all.any(|text| !subscripts::places(text, stride).is_empty())
    };
    if !is_product || !strides.iter().any(is_written) {
        strides.clear();
        for text in &texts {
            for one in subscripts::multipliers(text) {
                if !strides.contains(&one) {
                    strides.push(one);
                }
            }
        }
    }
    let written = |stride: &String| {
        texts
            .iter()
            .filter(|text| !subscripts::places(text, stride).is_empty())
            .count()
    };
    strides.retain(|stride| written(stride) > 0 && stride.parse::<u64>() != Ok(1));
    strides.sort_by_cached_key(|stride| std::cmp::Reverse(written(stride)));
    strides.truncate(MOST_STRIDES);
    ways.extend(strides.into_iter().map(Rows::Stride));
    if declaration.dimensions == 1 && declaration.has_one_element {
        ways.push(Rows::Banks);
    }
    ways
}

/// All edits of one padding; `whole` are the accesses whose subscript is moved on as a whole.
fn edits(
    array: Array,
    declaration: &Declaration,
    uses: &[Use],
    rows: &Rows,
    padding: u64,
    whole: &[Span],
) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    for size in &declaration.sizes {
        edits.push(Edit {
            span: size.span,
            replacement: declaration.padded(size.text, rows, padding)?,
        });
    }
    let row = match rows {
        Rows::Declared => return Some(edits),
        Rows::Stride(stride) => stride.clone(),
        Rows::Banks => declaration.bank_row().to_string(),
    };
    for one in uses {
        let more = if whole.contains(&one.site) {
            vec![subscripts::in_general(one, &row, padding, array.sources)?]
        } else {
            subscripts::by_factor(one, &row, padding, array.sources)
        };
        for edit in more {
            if !edits.contains(&edit) {
                edits.push(edit);
            }
        }
    }
    edits.sort_by_key(|edit| edit.span);
    let overlaps = edits.windows(2).any(|pair| {
        pair[0].span.file == pair[1].span.file && pair[1].span.start < pair[0].span.end
    });
    (!overlaps && array.is_edited_alone(&edits)).then_some(edits)
}

impl Candidate {
    fn propose(self, array: Array, declaration: &Declaration) -> Option<Proposed> {
        let proof = array.proof(&self.reproof);
        let mut after = array.accesses_after(&self.reproof);
        let is_whole = after.all(|access| access.is_ideal());
        let (old, new) = (array.memory()?, array.memory_after(&self.reproof)?);
        let limit = u64::from(array.arch.shared_per_block);
        if new.fixed > limit {
            return None;
        }
        let is_dynamic = declaration.is_dynamic();
        // More than that a kernel gets only after its host code asked for it.
        if is_dynamic
            && new
                .dynamic
                .is_none_or(|bytes| new.fixed + bytes > WITHOUT_ASKING)
        {
            return None;
        }
        let is_told = declaration.sizes.iter().any(|size| size.is_told);
        let (before, after) = (old.resident(array.arch), new.resident(array.arch));
        let fits = new
            .dynamic
            .is_some_and(|dynamic| new.fixed + dynamic <= limit)
            && after >= before;
        let residency = if after < before {
            format!(", at most {before} → {after} resident blocks")
        } else {
            String::new()
        };
        let what = self.what(declaration)?;
        let granted = if self.is_proved {
            ""
        } else {
            ", subscripts taken to stay inside of their dimension"
        };
        let bytes = |memory: &Memory| memory.fixed + memory.dynamic.unwrap_or(0);
        let to_change = if is_told {
            ", the host code has to ask for as much"
        } else {
            ""
        };
        let unseen = self.unseen(array, declaration, is_told);
        let unread = unseen.map_or_else(String::new, |what| format!(", {what}"));
        let is_sure = self.is_proved && unseen.is_none();
        let safety = if fits && is_sure && !self.has_arithmetic && !is_told {
            Safety::Safe
        } else {
            Safety::Unsafe
        };
        Some(Proposed {
            left: self.left,
            fits,
            fix: Fix {
                title: format!(
                    "{what}: {proof}, shared memory per block {} → {} bytes{residency}{granted}{to_change}{unread}",
                    bytes(&old),
                    bytes(&new)
                ),
                safety,
                is_whole,
                edits: self.edits,
            },
        })
    }

    /// What was not looked at that the edits may not suit.
    fn unseen(
        &self,
        array: Array,
        declaration: &Declaration,
        is_told: bool,
    ) -> Option<&'static str> {
        let file = array.sources.get(array.declaration.file).code(code);
        let at = array.declaration.start as usize;
        if is_used_conditionally(&file.text, at, declaration.name) {
            return Some("uses under `#if` not read for other settings");
        }
        // Where the dimension of the declaration grows, a use with all subscripts goes along.
        let follows = |text: &str| {
            self.rows == Rows::Declared
                && text.starts_with(declaration.name)
                && brackets_from(text, declaration.name.len()).0.len() >= declaration.dimensions
        };
        if unreached::may_use(&array, follows) {
            return Some("uses that no launch here reaches not looked at");
        }
        let holders = array.holders().map(|(kernel, ..)| kernel);
        let launches = (declaration.is_dynamic() && !is_told)
            .then(|| elsewhere::other_launches(array.sources, array.program, holders));
        launches
            .flatten()
            .or_else(|| elsewhere::other_includers(array.sources, &self.edits))
    }

    /// ``pad to `[32][33]` ``, ``pad rows of `BK` to `BK + 4` in 7 places``.
    fn what(&self, declaration: &Declaration) -> Option<String> {
        let places = self.edits.len() - declaration.sizes.len();
        let home = if declaration.is_dynamic() {
            "launch"
        } else {
            "declaration"
        };
        Some(match &self.rows {
            Rows::Declared => {
                let at = declaration.text.find('[')?;
                let head = &declaration.text[at..declaration.last.start];
                let tail = declaration.text[declaration.last.end..].trim_end();
                let columns =
                    declaration.padded(declaration.columns(), &self.rows, self.padding)?;
                let shape = format!("{head}{columns}{tail}");
                let words: Vec<&str> = shape.split_whitespace().collect();
                format!("pad to `{}`", words.join(" "))
            }
            Rows::Stride(stride) => format!(
                "pad rows of `{stride}` to `{}`, in the {home} and {places} {}",
                subscripts::enlarged(stride, self.padding)
                    .trim_start_matches('(')
                    .trim_end_matches(')'),
                if places == 1 { "place" } else { "places" }
            ),
            Rows::Banks => format!(
                "put {} unused {} after every {} of `{}`, in {places} {}",
                self.padding,
                if self.padding == 1 {
                    "element"
                } else {
                    "elements"
                },
                declaration.bank_row(),
                declaration.name,
                if places == 1 {
                    "subscript"
                } else {
                    "subscripts"
                }
            ),
        })
    }
}

/// `32` and 1 give `33`; `TILE` and 1 give `TILE + 1`.
fn widened(columns: &str, padding: u64) -> String {
    let text = columns.trim();
    if let Ok(number) = text.parse::<u64>() {
        return (number + padding).to_string();
    }
    // Nothing in it binds less than the sum.
    let is_plain = text.chars().all(|c| is_word(c) || " :+-*/%()".contains(c));
    if let Some((head, number)) = is_plain.then(|| subscripts::last_number(text)).flatten() {
        return format!("{head} + {}", number + padding);
    }
    if is_plain {
        format!("{text} + {padding}")
    } else {
        format!("({text}) + {padding}")
    }
}

/// Whether every use of `name` in a text that was blanked has a subscript for each of its dimensions, so that no
/// use depends on how rows lie in memory. Other things of that name count as uses too.
fn is_always_subscripted(text: &str, name: &str, dimensions: usize) -> bool {
    occurrences(text, name).all(|at| {
        let (brackets, end) = brackets_from(text, at + name.len());
        let before = text[..at].trim_end();
        // `&a[i][j]` is a pointer into the array, unless it is cast and read on the spot.
        let takes_address = before.ends_with('&') && !before.ends_with("&&");
        brackets.len() == dimensions
            && (!takes_address || is_read_on_the_spot(before, &text[end..]))
    })
}
/// `*reinterpret_cast<float4 *>(&a[i][j])`, `*(float4 *)&a[i][j]`, `reinterpret_cast<float4 *>(&a[i][j])[0]`.
fn is_read_on_the_spot(before: &str, after: &str) -> bool {
    let before = before.trim_end_matches('&').trim_end();
    let after = after.trim_start();
    if let Some(head) = before.strip_suffix('(') {
        // A cast in the form of a call.
        let Some(cast) = head.rfind("reinterpret_cast") else {
            return false;
        };
        let Some(after) = after.strip_prefix(')') else {
            return false;
        };
        let argument = head[cast + "reinterpret_cast".len()..].trim();
        let is_cast = argument.starts_with('<')
            && argument.ends_with('>')
            && !argument.contains([';', '(', '{']);
        let is_first = after.trim_start().starts_with("[0]");
        return is_cast && (is_first || head[..cast].trim_end().ends_with('*'));
    }
    // `*(float4 *)&`: the parenthesis holds a type that ends in a star.
    let Some(open) = before.strip_suffix(')').and_then(|head| head.rfind('(')) else {
        return false;
    };
    let inside = &before[open + 1..before.len() - 1];
    let head = before[..open].trim_end().trim_end_matches('(').trim_end();
    inside.trim_end().ends_with('*') && head.ends_with('*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix::text::blank;

    #[test]
    fn columns_grow_as_people_write_them() {
        assert_eq!(widened("32", 1), "33");
        assert_eq!(widened("TILE", 1), "TILE + 1");
        assert_eq!(widened("TILE + 1", 1), "TILE + 2");
        assert_eq!(widened("(A + 2 * B) * C + 1", 1), "(A + 2 * B) * C + 2");
        assert_eq!(widened("A ? B : C", 2), "(A ? B : C) + 2");
        assert_eq!(widened("1 << 5", 2), "(1 << 5) + 2");
    }

    #[test]
    fn pointers_into_the_array_are_seen() {
        let safe = [
            "t[i][j] = 1;",
            "a && t[1][2]",
            "*(float4 *)&t[i][0] = v;",
            "x = *reinterpret_cast<float4 *>(&t[i][0]);",
            "// &t[0]",
        ];
        for text in safe {
            assert!(is_always_subscripted(&blank(text), "t", 2), "{text}");
        }
        let unsafe_ = [
            "f(t);",
            "p = &t[0][0];",
            "p = t[1];",
            "sizeof(t)",
            "p = (float *)&t[0][0];",
            "reinterpret_cast<float *>(&t[0][0])[i]",
        ];
        for text in unsafe_ {
            assert!(!is_always_subscripted(text, "t", 2), "{text}");
        }
    }
}
