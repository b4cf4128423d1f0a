//! `__restrict__` for a pointer to constants that a kernel only reads.
//!
//! Given such a parameter, gives the edit that declares it so, upon which the compiler may send
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

const WORD: &str = "__restrict__ ";

/// The proved edit for the parameter that is declared at `parameter`.
#[must_use]
pub fn propose(definition: Definition, parameter: Span, reprove: &dyn Reprove) -> Option<Fix> {
    let of = |kernel: &Kernel| -> Option<Parameter> {
        let mut all = kernel.parameters.iter();
        all.find(|one| one.span == parameter).cloned()
    };
    let one = definition.instances().find_map(of)?;
    let is_read_only = definition.accesses.iter().all(|access| {
        access.op == Op::Load
            || access
                .declaration
                .is_some_and(|declaration| declaration != parameter)
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
    let declared = definition.sources.text(parameter);
    let head = declared.strip_suffix(one.name.as_str())?;
    if !is_read_only || !is_open || !head.trim_end().ends_with('*') {
        return None;
    }
    let at = parameter.start + head.len() as u32;
    let edits = vec![Edit {
        span: Span::new(parameter.file, at, at),
        replacement: WORD.to_owned(),
    }];
    let mut reproof = reprove.read(&edits)?;
    let globals = &reproof.program.globals;
    for before in definition.instances() {
        let mut all = reproof.program.kernels.iter_mut();
        let after =
            all.find(|after| (&after.name, &after.instance) == (&before.name, &before.instance))?;
        let mut all = after.parameters.iter_mut();
        let declared = all.find(|parameter| parameter.name == one.name)?;
        match &mut declared.kind {
            ParameterKind::Pointer { is_restrict, .. } if *is_restrict => *is_restrict = false,
            _ => return None,
        }
        if content(before, &definition.program.globals).0 != content(after, globals).0 {
            return None;
        }
    }
    Some(Fix {
        title: format!(
            "declare `{}` as `{}{}`, so that its loads can use the read-only cache; only if nothing else writes what it points to",
            one.name, WORD, one.name
        ),
        safety: Safety::Unsafe,
        is_whole: false,
        edits,
    })
}
