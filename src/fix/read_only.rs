//! `__restrict__` for a pointer to constants that a kernel only reads.
//!
//! Given such parameters, gives the edits that declare them so, upon which the compiler may send
//! its loads through the read-only cache. That the kernel itself does not write through it is seen
//! from its accesses; whether something else writes what it points to while the kernel runs is for
//! the user to know, so the fix is never a safe one. The edited kernels are read again and have to be
//! the old ones but for this word, so that every verdict stays.

use super::Reprove;
use super::thread_index::Definition;
use crate::finding::{Edit, Fix, Safety};
use crate::gpu::Op;
use crate::ir::content::content;
use crate::ir::{Kernel, ParameterKind, Program};
use crate::source::Span;
use rustc_hash::FxHashMap;

const WORD: &str = "__restrict__ ";

/// The proved edits for those parameters of kernels that take one, by the kernel's name and where they
/// are declared. `reprove` gives what reads the kernels of some definitions again.
#[must_use]
pub fn propose<R: Reprove>(
    wanted: &[(Definition, Vec<Span>)],
    reprove: &dyn Fn(&[Definition]) -> R,
) -> FxHashMap<(Span, Span), Fix> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for (definition, parameters) in wanted {
        let of = |declared: &Span| Candidate::of(*definition, *declared);
        candidates.extend(parameters.iter().filter_map(of));
    }
    let mut fixes = FxHashMap::default();
    // All at once: what changes nothing else together does not alone. Else each half by itself.
    let mut left: Vec<&[Candidate]> = vec![&candidates];
    while let Some(some) = left.pop() {
        if is_proved(some, reprove) {
            let place = |one: &Candidate| (one.definition.span, one.declared);
            fixes.extend(some.iter().map(|one| (place(one), one.fix())));
        } else if some.len() > 1 {
            left.extend(<[_; 2]>::from(some.split_at(some.len() / 2)));
        }
    }
    fixes
}

/// A parameter that may become a restricted pointer.
struct Candidate<'a> {
    definition: Definition<'a>,
    declared: Span,
    name: String,
    edit: Edit,
}

impl<'a> Candidate<'a> {
    fn of(definition: Definition<'a>, declared: Span) -> Option<Self> {
        let mut instances = definition.instances();
        let one = instances.find_map(|kernel| definition.parameter(kernel, declared))?;
        let is_read_only = definition.accesses.iter().all(|access| {
            access.op == Op::Load
                || access
                    .declaration
                    .is_some_and(|declaration| declaration != declared)
        });
        let is_open = matches!(
            one.kind,
            ParameterKind::Pointer {
                is_const: true,
                is_restrict: false,
                ..
            }
        );
        // `const float *in`
        let text = definition.sources.text(declared);
        let head = text.strip_suffix(one.name.as_str())?;
        if !is_read_only || !is_open || !head.trim_end().ends_with('*') {
            return None;
        }
        let file = definition.span.file;
        let code = definition.sources.get(file).code(super::text::code);
        let inside = super::text::body(&code.text, definition.span.end as usize)?;
        if !is_used_by_value(&code.text[inside], &one.name) {
            return None;
        }
        let at = declared.start + head.len() as u32;
        Some(Self {
            definition,
            declared,
            name: one.name.clone(),
            edit: Edit {
                span: Span::new(declared.file, at, at),
                replacement: WORD.to_owned(),
            },
        })
    }

    fn fix(&self) -> Fix {
        let name = &self.name;
        Fix {
            title: format!(
                "declare `{name}` as `{WORD}{name}`, so that its loads can use the read-only cache; only if nothing else writes what it points to",
            ),
            safety: Safety::Unsafe,
            is_whole: false,
            edits: vec![self.edit.clone()],
        }
    }
}

/// Whether the kernels with these edits are the old ones but for the word. Candidates of one kernel
/// stand together.
fn is_proved<R: Reprove>(candidates: &[Candidate], reprove: &dyn Fn(&[Definition]) -> R) -> bool {
    let mut edits: Vec<Edit> = candidates.iter().map(|one| one.edit.clone()).collect();
    // Kernels whose parameters one macro declares share an edit.
    edits.sort_by_key(|edit| edit.span);
    edits.dedup();
    if edits.is_empty() {
        return false;
    }
    let of_kernel = |a: &Candidate, b: &Candidate| a.definition.span == b.definition.span;
    let kernels: Vec<&[Candidate]> = candidates.chunk_by(of_kernel).collect();
    let definitions: Vec<Definition> = kernels.iter().map(|some| some[0].definition).collect();
    let Some(reproof) = reprove(&definitions).read(&edits) else {
        return false;
    };
    let Program {
        kernels: all,
        globals,
        ..
    } = &reproof.program;
    // Each unit that reads a header has a copy of its kernels.
    let mut copies: FxHashMap<(&str, &str), Vec<&Kernel>> = FxHashMap::default();
    for kernel in all {
        let name = (kernel.name.as_str(), kernel.instance.as_str());
        copies.entry(name).or_default().push(kernel);
    }
    kernels
        .into_iter()
        .zip(definitions)
        .all(|(some, definition)| {
            definition.instances().all(|before| {
                let name = (before.name.as_str(), before.instance.as_str());
                let before = content(before, &definition.program.globals).0;
                let is_same = |after: &&Kernel| {
                    let plain = without_the_word(after, some);
                    plain.is_some_and(|after| content(&after, globals).0 == before)
                };
                copies
                    .get(&name)
                    .is_some_and(|after| after.iter().all(is_same))
            })
        })
}

/// The kernel without the word in front of these parameters; `None` where one lacks it.
fn without_the_word(kernel: &Kernel, of: &[Candidate]) -> Option<Kernel> {
    let mut kernel = kernel.clone();
    for one in of {
        let mut all = kernel.parameters.iter_mut();
        let declared = all.find(|parameter| parameter.name == one.name)?;
        match &mut declared.kind {
            ParameterKind::Pointer { is_restrict, .. } if *is_restrict => *is_restrict = false,
            _ => return None,
        }
    }
    Some(kernel)
}

/// Whether a body uses a pointer in ways alone that take its value: to a reference that is bound to it, or a pointer to
/// it, the word would matter. Of what a function takes nothing is known here.
fn is_used_by_value(body: &str, name: &str) -> bool {
    super::text::occurrences(body, name).all(|at| {
        let before = body[..at].trim_end();
        let after = body[at + name.len()..].trim_start();
        let is_moved = after.starts_with(['[', '+', '-'])
            && !after.starts_with("++")
            && !after.starts_with("--");
        let is_tested = ["==", "!=", "?", "&&", "||"]
            .iter()
            .any(|by| after.starts_with(by));
        let is_read = before.ends_with('*') || before.ends_with('!');
        // `(const float4 *)in`, `reinterpret_cast<const float4 *>(in)`
        let is_cast = before.ends_with("*)") || before.ends_with("*>(");
        let is_copied = before
            .strip_suffix('=')
            .is_some_and(is_pointer_or_no_reference);
        is_moved || is_tested || is_read || is_cast || is_copied
    })
}

/// Whether what stands in front of `=` declares or names no reference.
fn is_pointer_or_no_reference(target: &str) -> bool {
    let name = target.trim_end();
    if name.ends_with(['=', '!', '<', '>']) {
        return true;
    }
    let head = name.trim_end_matches(super::text::is_word).trim_end();
    head.len() < name.len() && !head.ends_with('&') && !head.ends_with('[')
}

#[cfg(test)]
mod tests {
    use super::super::{Moves, Reproof, apply};
    use super::*;
    use crate::access::Walks;
    use crate::session::{self, Options};
    use crate::source::{SourceFile, SourceMap};
    use std::cell::Cell;
    use std::sync::Arc;

    fn read(text: String) -> (SourceMap, Program) {
        let file = SourceFile::new("a.cu".into(), text.into());
        let analysis = session::read(&[Arc::new(file)], &Options::default());
        (analysis.sources, analysis.program)
    }

    /// Reads edited text; counts how often, and gives up where a kernel is edited that resists.
    struct Again<'a> {
        sources: &'a SourceMap,
        /// The names of all kernels.
        names: &'a [Span],
        resists: Option<Span>,
        readings: &'a Cell<usize>,
    }

    impl Reprove for Again<'_> {
        fn read(&self, edits: &[Edit]) -> Option<Reproof> {
            self.readings.set(self.readings.get() + 1);
            if edits.iter().any(|edit| Some(edit.span) == self.resists) {
                return None;
            }
            let before = &self.sources.get(edits.first()?.span.file).text;
            let (sources, program) = read(apply::replaced(before, edits));
            let reproof = Reproof {
                moves: Moves::of(edits, &sources),
                sources,
                program,
                accesses: Vec::new(),
                walks: Walks::default(),
            };
            let is_known = reproof.are_at(self.names, self.sources);
            let mut kernels = reproof.program.kernels.iter();
            assert!(kernels.all(|kernel| is_known(kernel.span)), "{edits:?}");
            drop(is_known);
            Some(reproof)
        }

        fn judge(&self, _: &mut Reproof, _: bool) {}
    }

    /// Of eight kernels, those with a fix, and how often the file was read again, where the n-th resists.
    fn check(resists: Option<usize>) -> (Vec<usize>, usize) {
        let kernel = |n: usize| {
            format!("__global__ void k{n}(float *o, const float *i) {{ o[{n}] = *i; }}\n")
        };
        let (sources, program) = read((0..8).map(kernel).collect());
        let walks = Walks::default();
        let kernels: Vec<&Kernel> = program.kernels.iter().collect();
        let definition = |at: usize| Definition {
            span: kernels[at].span,
            sources: &sources,
            program: &program,
            kernels: &kernels[at..=at],
            accesses: &[],
            walks: &walks,
        };
        let names: Vec<Span> = kernels.iter().map(|one| one.span).collect();
        let parameters: Vec<[Span; 1]> =
            kernels.iter().map(|one| [one.parameters[1].span]).collect();
        let wanted: Vec<(Definition, Vec<Span>)> = parameters
            .iter()
            .enumerate()
            .map(|(at, parameters)| (definition(at), parameters.to_vec()))
            .collect();
        let edited = |at: usize| {
            let candidate = Candidate::of(definition(at), parameters[at][0]);
            candidate.map(|one| one.edit.span)
        };
        let readings = Cell::new(0);
        let fixes = propose(&wanted, &|_| Again {
            sources: &sources,
            names: &names,
            resists: resists.and_then(edited),
            readings: &readings,
        });
        let has_fix = |at: &usize| fixes.contains_key(&(names[*at], parameters[*at][0]));
        ((0..8).filter(has_fix).collect(), readings.get())
    }

    #[test]
    fn one_reading_serves_all_kernels_and_few_find_the_one_that_resists() {
        assert_eq!(check(None), ((0..8).collect(), 1));
        assert_eq!(check(Some(5)), (vec![0, 1, 2, 3, 4, 6, 7], 7));
    }
}
