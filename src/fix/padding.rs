//! Padding: one more element per row, so that rows begin in different banks.
//!
//! Given a shared array with conflicts, gives the smallest padding of its last
//! dimension under which every access of the array is proved ideal, or the best
//! one with the access that stands in the way. Only for arrays that every use
//! subscripts in full: a pointer into the array would see the padding.

use super::text::{array_declarator, blank, is_word, occurrences, subscripts};
use super::{Reproof, Reprove, same_start};
use crate::finding::{Edit, Fix, Safety};
use crate::gpu::Arch;
use crate::ir::{Kernel, Program, SharedObject};
use crate::prove::verdict::Access;
use crate::source::{SourceMap, Span};

/// Paddings tried, in units of the widest access.
const PADDINGS: [u64; 7] = [1, 2, 3, 4, 8, 16, 32];
/// Most elements of padding.
const MOST: u64 = 32;
/// Bytes that the system takes of each block's shared memory from compute capability 8.0 on
/// (CUDA C++ Programming Guide, compute capabilities 8.x and later).
const RESERVED: u64 = 1024;

/// The array to pad and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a> {
    /// Its declarator.
    pub declaration: Span,
    pub sources: &'a SourceMap,
    pub program: &'a Program,
    /// Every access to it.
    pub accesses: &'a [&'a Access],
    pub arch: &'a Arch,
}

/// The proved padding of an array, if there is one.
#[must_use]
pub fn propose(array: Array, reprove: &dyn Reprove) -> Option<Fix> {
    let text = array.sources.text(array.declaration);
    let (name, brackets) = array_declarator(text)?;
    let object = object(
        array.program,
        array.sources,
        array.declaration,
        array.sources,
    )?;
    let (columns, element) = (*object.dimensions.last()?, u64::from(object.element.max(1)));
    if brackets.len() < 2 || object.dimensions.len() != brackets.len() || columns == 0 {
        return None;
    }
    let file = &array.sources.get(array.declaration.file).text;
    if !is_always_subscripted(file, name, brackets.len()) {
        return None;
    }
    let last = brackets.last()?.clone();
    let widest = array
        .accesses
        .iter()
        .map(|access| u64::from(access.width))
        .max()?
        .max(1);
    let step = widest.div_ceil(element).max(1);
    let before = excess(array.accesses.iter().copied());
    let mut best: Option<Candidate> = None;
    for padding in PADDINGS
        .iter()
        .map(|n| n * step)
        .filter(|n| *n <= MOST.max(step))
    {
        if !((columns + padding) * element).is_multiple_of(widest) {
            continue;
        }
        let start = array.declaration.start;
        let edit = Edit {
            span: Span::new(
                array.declaration.file,
                start + last.start as u32,
                start + last.end as u32,
            ),
            replacement: widened(&text[last.clone()], padding),
        };
        let reproof = reprove.with(std::slice::from_ref(&edit))?;
        let after = object_accesses(&reproof, array);
        if after.is_empty() {
            return None;
        }
        let left = excess(after.iter().copied());
        let is_whole = after.iter().all(|access| access.verdict.is_ideal());
        if left < before && best.as_ref().is_none_or(|best| left < best.left) {
            best = Some(Candidate {
                edit,
                reproof,
                left,
            });
        }
        if is_whole {
            break;
        }
    }
    best.and_then(|best| best.fix(array, text, &last))
}

struct Candidate {
    edit: Edit,
    reproof: Reproof,
    left: u64,
}

impl Candidate {
    fn fix(self, array: Array, text: &str, last: &std::ops::Range<usize>) -> Option<Fix> {
        let shape = text.find('[').map(|at| {
            let (head, tail) = (&text[at..last.start], &text[last.end..]);
            format!("{head}{}{}", self.edit.replacement, tail.trim_end())
        })?;
        let after = object_accesses(&self.reproof, array);
        let blocker = after
            .iter()
            .filter(|access| !access.verdict.is_ideal())
            .max_by_key(|access| {
                let verdict = &access.verdict;
                (
                    !verdict.is_known(),
                    verdict.max.saturating_sub(verdict.ideal),
                )
            });
        let proof = match blocker {
            None => "proved conflict-free".to_owned(),
            Some(access) => {
                let file = self.reproof.sources.get(access.site.span.file);
                let line = file.line(access.site.span.start);
                let verdict = &access.verdict;
                let stays = if verdict.is_known() {
                    format!(
                        "stays at {} wavefronts (ideal {})",
                        verdict.max, verdict.ideal
                    )
                } else {
                    format!("stays {}", verdict.status.name())
                };
                format!(
                    "the best padding found; the {} on line {line} {stays}",
                    access.op.name()
                )
            }
        };
        let old = memory(array.program, array.sources, array)?;
        let new = memory(&self.reproof.program, &self.reproof.sources, array)?;
        if new.fixed > u64::from(array.arch.shared_per_block) {
            return None;
        }
        let (blocks_before, blocks_after) = (resident(&old, array), resident(&new, array));
        let fits = new
            .dynamic
            .is_some_and(|dynamic| new.fixed + dynamic <= u64::from(array.arch.shared_per_block))
            && blocks_after >= blocks_before;
        let residency = if blocks_after < blocks_before {
            format!(", at most {blocks_before} → {blocks_after} resident blocks")
        } else {
            String::new()
        };
        Some(Fix {
            title: format!(
                "pad to `{shape}`: {proof}, shared memory per block {} → {} bytes{residency}",
                old.fixed, new.fixed
            ),
            safety: if fits { Safety::Safe } else { Safety::Unsafe },
            edits: vec![self.edit],
        })
    }
}

/// Wavefronts beyond the ideal; an answer that is no bound counts as the worst one.
fn excess<'a>(accesses: impl Iterator<Item = &'a Access>) -> u64 {
    accesses
        .map(|access| {
            let verdict = &access.verdict;
            if verdict.is_known() {
                u64::from(verdict.max.saturating_sub(verdict.ideal))
            } else {
                32
            }
        })
        .sum()
}

fn object_accesses<'a>(reproof: &'a Reproof, array: Array) -> Vec<&'a Access> {
    reproof
        .accesses
        .iter()
        .filter(|access| {
            access.declaration.is_some_and(|span| {
                same_start(&reproof.sources, span, array.sources, array.declaration)
            })
        })
        .collect()
}

fn holders<'a>(
    program: &'a Program,
    sources: &'a SourceMap,
    declaration: Span,
    of: &'a SourceMap,
) -> impl Iterator<Item = (&'a Kernel, &'a SharedObject)> {
    program.kernels.iter().filter_map(move |kernel| {
        let object = kernel
            .shared
            .iter()
            .find(|object| same_start(sources, object.span, of, declaration))?;
        Some((kernel, object))
    })
}

fn object<'a>(
    program: &'a Program,
    sources: &'a SourceMap,
    declaration: Span,
    of: &'a SourceMap,
) -> Option<&'a SharedObject> {
    holders(program, sources, declaration, of)
        .next()
        .map(|(_, object)| object)
}

/// Shared memory of one block, in bytes.
struct Memory {
    fixed: u64,
    /// `None` where a launch does not tell.
    dynamic: Option<u64>,
    threads: u64,
}

/// Of the kernel that holds the array and takes the most.
fn memory(program: &Program, sources: &SourceMap, array: Array) -> Option<Memory> {
    holders(program, sources, array.declaration, array.sources)
        .map(|(kernel, _)| {
            let fixed = kernel.shared.iter().fold(0, |at: u64, object| {
                at.next_multiple_of(u64::from(object.align.max(1))) + object.size.unwrap_or(0)
            });
            let has_dynamic = kernel.shared.iter().any(|object| object.size.is_none());
            let dynamic = kernel
                .launches
                .iter()
                .map(|launch| launch.dynamic_shared)
                .try_fold(0, |most: u64, bytes| bytes.map(|bytes| most.max(bytes)));
            let threads = kernel
                .launches
                .iter()
                .filter_map(|launch| {
                    launch
                        .block
                        .iter()
                        .try_fold(1u64, |n, axis| Some(n * axis.known()?))
                })
                .min();
            Memory {
                fixed,
                dynamic: if has_dynamic {
                    dynamic
                } else {
                    Some(dynamic.unwrap_or(0))
                },
                threads: threads.unwrap_or(1),
            }
        })
        .max_by_key(|memory| memory.fixed)
}

/// Blocks that one multiprocessor holds, as far as threads and shared memory allow.
fn resident(memory: &Memory, array: Array) -> u64 {
    let arch = array.arch;
    let reserved = if arch.major >= 8 { RESERVED } else { 0 };
    let bytes = memory.fixed + memory.dynamic.unwrap_or(0) + reserved;
    let by_threads = u64::from(arch.warps_per_sm) / memory.threads.div_ceil(32).max(1);
    (u64::from(arch.shared_per_sm) / bytes.max(1))
        .min(u64::from(arch.blocks_per_sm))
        .min(by_threads)
}

/// `32` and 1 give `33`; `TILE` and 1 give `TILE + 1`.
fn widened(columns: &str, padding: u64) -> String {
    let text = columns.trim();
    if let Ok(number) = text.parse::<u64>() {
        return (number + padding).to_string();
    }
    let is_plain = text.chars().all(|c| is_word(c) || " :+*".contains(c));
    if is_plain {
        format!("{text} + {padding}")
    } else {
        format!("({text}) + {padding}")
    }
}

/// Whether every use of `name` in the file has a subscript for each of its dimensions, so that no
/// use depends on how rows lie in memory. Other things of that name count as uses too.
fn is_always_subscripted(file: &str, name: &str, dimensions: usize) -> bool {
    let text = blank(file);
    occurrences(&text, name).all(|at| {
        let (brackets, end) = subscripts(&text, at + name.len());
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

    #[test]
    fn columns_grow_as_people_write_them() {
        assert_eq!(widened("32", 1), "33");
        assert_eq!(widened("TILE", 1), "TILE + 1");
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
            assert!(is_always_subscripted(text, "t", 2), "{text}");
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
