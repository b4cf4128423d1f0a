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
use crate::ir::{Kernel, Parameter, ParameterKind, Program};
use crate::source::Span;
use rustc_hash::FxHashMap;

const WORD: &str = "__restrict__ ";

/// The proved edits for those parameters of kernels that take one, by where they are declared.
/// `reprove` gives what reads the kernels of some definitions again.
#[must_use]
pub fn propose<R: Reprove>(
    wanted: &[(Definition, &[Span])],
    reprove: &dyn Fn(&[Definition]) -> R,
) -> FxHashMap<Span, Fix> {
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
            fixes.extend(some.iter().map(|one| (one.declared, one.fix())));
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
        let of = |kernel: &Kernel| -> Option<Parameter> {
            let mut all = kernel.parameters.iter();
            all.find(|one| one.span == declared).cloned()
        };
        let one = definition.instances().find_map(of)?;
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
        let at = declared.start + head.len() as u32;
        Some(Self {
            definition,
            declared,
            name: one.name,
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
    let edits: Vec<Edit> = candidates.iter().map(|one| one.edit.clone()).collect();
    if edits.is_empty() {
        return false;
    }
    let of_kernel = |a: &Candidate, b: &Candidate| a.definition.span == b.definition.span;
    let kernels: Vec<&[Candidate]> = candidates.chunk_by(of_kernel).collect();
    let definitions: Vec<Definition> = kernels.iter().map(|some| some[0].definition).collect();
    let Some(mut reproof) = reprove(&definitions).read(&edits) else {
        return false;
    };
    let Program {
        kernels: after,
        globals,
        ..
    } = &mut reproof.program;
    let mut places: FxHashMap<(String, String), usize> = FxHashMap::default();
    for (at, kernel) in after.iter().enumerate() {
        let name = (kernel.name.clone(), kernel.instance.clone());
        places.entry(name).or_insert(at);
    }
    kernels
        .into_iter()
        .zip(definitions)
        .all(|(some, definition)| {
            definition.instances().all(|before| {
                let name = (before.name.clone(), before.instance.clone());
                let Some(after) = places.get(&name).and_then(|at| after.get_mut(*at)) else {
                    return false;
                };
                let is_restricted = some.iter().all(|one| {
                    let mut all = after.parameters.iter_mut();
                    let declared = all.find(|parameter| parameter.name == one.name);
                    match declared.map(|declared| &mut declared.kind) {
                        Some(ParameterKind::Pointer { is_restrict, .. }) => {
                            std::mem::replace(is_restrict, false)
                        }
                        _ => false,
                    }
                });
                is_restricted
                    && content(before, &definition.program.globals).0 == content(after, globals).0
            })
        })
}
