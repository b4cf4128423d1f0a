//! `alignas` for a structure whose objects fall apart into narrow accesses.
//!
//! Given a parameter that points to a structure of 8 or more bytes, all of whose members are narrower, gives the
//! edit that aligns the structure to as many bytes as one access moves. The compiler then takes neighbouring
//! members at once. The edited kernels are read again and have to be the old ones but for alignments, so that
//! every address stays; and each access that was not ideal has to be part of one that is. That no object lies at
//! another address is for the user to know, so the fix is never a safe one.

use super::text::{code, is_word, occurrences};
use super::thread_index::Definition;
use super::{Reproof, Reprove};
use crate::finding::{Edit, Fix, Safety};
use crate::gpu::Op;
use crate::ir::content::content;
use crate::ir::residue::Residue;
use crate::ir::{Argument, Kernel, Parameter, ParameterKind, VariableKind};
use crate::prove::verdict::Access;
use crate::source::{SourceMap, Span};

/// Bytes of a machine access, the widest first.
const WIDTHS: [u32; 3] = [16, 8, 4];
/// Words in front of a type's name that say nothing of which it is.
const QUALIFIERS: [&str; 3] = ["const", "volatile", "struct"];

/// The proved alignment of what the parameter that is declared at `parameter` points to.
#[must_use]
pub fn propose(
    definition: Definition,
    parameter: Span,
    op: Op,
    reprove: &dyn Reprove,
) -> Option<Fix> {
    let sources = definition.sources;
    let is_meant = |access: &&&Access| access.declaration == Some(parameter) && access.op == op;
    let narrow = definition.accesses.iter().filter(is_meant);
    let narrow: Vec<&Access> = narrow.copied().filter(|one| !one.is_ideal()).collect();
    let most = narrow.iter().map(|one| one.width).max()?;
    let size = definition.instances().find_map(|kernel| {
        match definition.parameter(kernel, parameter)?.kind {
            ParameterKind::Pointer { element, .. } => Some(element),
            _ => None,
        }
    })?;
    let mut widths = WIDTHS.iter().copied();
    let align = widths.find(|width| *width > most && size.is_multiple_of(*width))?;
    let name = pointee(sources.text(parameter))?;
    if is_elsewhere(&definition, name, align) {
        return None;
    }
    let (at, head) = head_of(sources, parameter, name)?;
    let edit = Edit {
        span: Span::new(parameter.file, at, at),
        replacement: format!("alignas({align}) "),
    };
    let mut reproof = reprove.read(std::slice::from_ref(&edit))?;
    if !definition
        .instances()
        .all(|before| keeps_all(before, &definition, &reproof))
    {
        return None;
    }
    reprove.judge(&mut reproof, true);
    let cured = narrow.iter().all(|before| {
        let after = reproof.counterpart(before, sources);
        after.is_some_and(Access::is_ideal)
    });
    cured.then(|| Fix {
        title: format!(
            "declare `{head} alignas({align}) {name}`: the compiler then takes {align} bytes of it at once, which costs \
             the ideal; each `{name}` has to lie at a multiple of {align} bytes, as in memory of cudaMalloc"
        ),
        safety: Safety::Unsafe,
        is_whole: false,
        edits: vec![edit],
    })
}

/// The name of the type that a declarator such as `const ns::Quat *q` points to.
fn pointee(declarator: &str) -> Option<&str> {
    let (ty, _) = declarator.split_once('*')?;
    let words = ty.split(|c: char| !is_word(c) && c != ':');
    let mut words = words.filter(|word| !word.is_empty() && !QUALIFIERS.contains(word));
    let name = words.next()?;
    // Of a template each instance has a size of its own.
    if words.next().is_some() || ty.contains('<') {
        return None;
    }
    name.rsplit("::").next()
}

/// Whether a launch gives any kernel an object of this class that lies at no multiple of `align`.
fn is_elsewhere(definition: &Definition, name: &str, align: u32) -> bool {
    let aligned = Residue::ANY.times(Residue::exactly(i64::from(align)));
    let misplaces = |kernel: &Kernel| {
        let is_of_class = |p: &Parameter| pointee(definition.sources.text(p.span)) == Some(name);
        let mut at = (0..kernel.parameters.len()).filter(|i| is_of_class(&kernel.parameters[*i]));
        at.any(|i| {
            let mut given = kernel.launches.iter().filter_map(|l| l.arguments.get(i));
            given.any(|argument| match argument {
                Argument::Pointer {
                    offset,
                    is_assumed: false,
                } => !aligned.covers(*offset),
                _ => false,
            })
        })
    };
    definition.program.kernels.iter().any(misplaces)
}

/// Where the only definition of the class begins its name, in the file of `place`, with the word in front of it.
fn head_of(sources: &SourceMap, place: Span, name: &str) -> Option<(u32, &'static str)> {
    let text = &sources.get(place.file).code(code).text;
    let mut found = None;
    for word in ["struct", "class"] {
        for at in occurrences(text, word) {
            let behind = at + word.len();
            let start = behind + text[behind..].len() - text[behind..].trim_start().len();
            let Some(rest) = text[start..].strip_prefix(name) else {
                continue;
            };
            let is_defined = rest.trim_start().starts_with('{');
            let is_template = text[..at].trim_end().ends_with('>');
            if is_defined && (is_template || found.is_some()) {
                return None;
            }
            if is_defined {
                found = Some((start as u32, word));
            }
        }
    }
    found
}

/// Whether the edited kernel is the old one but for how objects are aligned.
fn keeps_all(before: &Kernel, definition: &Definition, reproof: &Reproof) -> bool {
    let mut kernels = reproof.program.kernels.iter();
    let after =
        kernels.find(|after| (&after.name, &after.instance) == (&before.name, &before.instance));
    after.is_some_and(|after| {
        let (before, after) = (without_alignment(before), without_alignment(after));
        content(&before, &definition.program.globals).0
            == content(&after, &reproof.program.globals).0
    })
}

fn without_alignment(kernel: &Kernel) -> Kernel {
    let mut kernel = (*kernel.unfolded()).clone();
    for site in &mut kernel.sites {
        site.whole_align = 0;
    }
    for variable in &mut kernel.variables {
        if let VariableKind::Object { align, .. } = &mut variable.kind {
            *align = 0;
        }
    }
    for object in &mut kernel.shared {
        object.align = 0;
    }
    kernel
}

#[cfg(test)]
mod tests {
    use super::pointee;

    #[test]
    fn declarators_name_what_they_point_to() {
        assert_eq!(pointee("const Quat *q"), Some("Quat"));
        assert_eq!(pointee("struct geo::Quat* __restrict__ q"), Some("Quat"));
        assert_eq!(pointee("const Vec<float> *q"), None);
        assert_eq!(pointee("unsigned int *q"), None);
        assert_eq!(pointee("float q"), None);
    }
}
