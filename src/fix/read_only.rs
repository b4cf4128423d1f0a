//! `__restrict__` for a pointer to constants that a kernel only reads.
//!
//! Given such parameters, gives the edits that declare them so, upon which the compiler may send
//! its loads through the read-only cache. That the kernel itself does not write through it is seen
//! from its accesses; whether something else writes what it points to while the kernel runs is for
//! the user to know, so the fix is never a safe one. The edited kernel is read again and has to be
//! the old one but for this word, so that every verdict stays.

use super::Reprove;
use super::thread_index::Definition;
use crate::finding::{Edit, Fix, Safety};
use crate::gpu::Op;
use crate::ir::content::content;
use crate::ir::{Kernel, Parameter, ParameterKind};
use crate::source::Span;
use rustc_hash::FxHashMap;

const WORD: &str = "__restrict__ ";

/// The proved edits for those parameters that take one, by where they are declared.
#[must_use]
pub fn propose(
    definition: Definition,
    parameters: &[Span],
    reprove: &dyn Reprove,
) -> FxHashMap<Span, Fix> {
    let candidate = |declared: &Span| Candidate::of(definition, *declared);
    let mut candidates: Vec<Candidate> = parameters.iter().filter_map(candidate).collect();
    // All at once: what changes nothing else together does not alone. Else one by one.
    if !is_proved(definition, &candidates, reprove) {
        let is_alone = candidates.len() == 1;
        candidates
            .retain(|one| !is_alone && is_proved(definition, std::slice::from_ref(one), reprove));
    }
    let fix = |one: Candidate| (one.declared, one.fix());
    candidates.into_iter().map(fix).collect()
}

/// A parameter that may become a restricted pointer.
struct Candidate {
    declared: Span,
    name: String,
    edit: Edit,
}

impl Candidate {
    fn of(definition: Definition, declared: Span) -> Option<Self> {
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
            declared,
            name: one.name,
            edit: Edit {
                span: Span::new(declared.file, at, at),
                replacement: WORD.to_owned(),
            },
        })
    }

    fn fix(self) -> Fix {
        let name = &self.name;
        Fix {
            title: format!(
                "declare `{name}` as `{WORD}{name}`, so that its loads can use the read-only cache; only if nothing else writes what it points to",
            ),
            safety: Safety::Unsafe,
            is_whole: false,
            edits: vec![self.edit],
        }
    }
}

/// Whether the kernel with these edits is the old one but for the word.
fn is_proved(definition: Definition, candidates: &[Candidate], reprove: &dyn Reprove) -> bool {
    let edits: Vec<Edit> = candidates.iter().map(|one| one.edit.clone()).collect();
    if edits.is_empty() {
        return false;
    }
    let Some(mut reproof) = reprove.read(&edits) else {
        return false;
    };
    let globals = &reproof.program.globals;
    definition.instances().all(|before| {
        let mut all = reproof.program.kernels.iter_mut();
        let is_same = |after: &&mut Kernel| {
            (&after.name, &after.instance) == (&before.name, &before.instance)
        };
        let Some(after) = all.find(is_same) else {
            return false;
        };
        let is_restricted = candidates.iter().all(|one| {
            let mut all = after.parameters.iter_mut();
            let declared = all.find(|parameter| parameter.name == one.name);
            match declared.map(|declared| &mut declared.kind) {
                Some(ParameterKind::Pointer { is_restrict, .. }) => {
                    std::mem::replace(is_restrict, false)
                }
                _ => false,
            }
        });
        is_restricted && content(before, &definition.program.globals).0 == content(after, globals).0
    })
}
