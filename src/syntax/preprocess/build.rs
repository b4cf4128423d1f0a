//! Names that a build defines, and no file: which are taken as defined where they hide all kernels, and which never are.
//!
//! Code for the GPU may stand as a whole under `#ifdef USE_CUDA`, which the project's build defines. Where a file has
//! kernels or launches, and compiles none, the names that hide them are taken as defined, and that is said.

use super::expanded::{Expanded, Note, NoteKind};
use super::{Files, Includes, Options, Pass, Preprocessor, normalise};
use crate::source::{FileId, SourceMap, Span};
use std::borrow::Cow;

/// Names that one file may need.
const MOST_NAMES: usize = 3;

/// A file as its device code is compiled.
pub(super) struct Device<'o> {
    pub device: Expanded,
    /// The options, with the names that are taken as defined.
    pub options: Cow<'o, Options>,
    pub has_asked: bool,
    pub files: Files,
}

/// Preprocesses `main` for the device, with the names defined without which it compiles no kernel.
pub(super) fn with_kernels<'o>(
    main: FileId,
    sources: &mut SourceMap,
    options: &'o Options,
    includes: &dyn Includes,
) -> Device<'o> {
    let itself = (normalise(&sources.get(main).path), Some(main));
    let files = Files::from_iter([itself.clone()]);
    let first = Preprocessor::new(main, sources, options, includes, files).run(Pass::Device);
    let mut hiding = first.hiding.filter(|_| !has_device_code(&first.expanded));
    let mut assumed: Vec<Note> = Vec::new();
    let mut with = Cow::Borrowed(options);
    while let Some(hidden) = hiding.take() {
        let is_free = !is_of_another_compiler(&hidden.name)
            && !options.undefines.iter().any(|name| **name == *hidden.name);
        if !is_free || assumed.len() == MOST_NAMES {
            break;
        }
        let name = hidden.name.to_string();
        let message = format!(
            "assumes that `{name}` is defined: the file compiles no kernel without it; use -U {name} if a build leaves it out"
        );
        assumed.push(Note {
            span: Span::new(main, hidden.place.start, hidden.place.end),
            kind: NoteKind::OpenCondition,
            message,
        });
        with.to_mut().defines.push((name, None));
        let files = Files::from_iter([itself.clone()]);
        let again = Preprocessor::new(main, sources, &with, includes, files).run(Pass::Device);
        if has_device_code(&again.expanded) {
            let mut device = again.expanded;
            device.notes.extend(assumed);
            return Device {
                device,
                options: with,
                has_asked: again.has_asked,
                files: again.files,
            };
        }
        hiding = again.hiding;
    }
    Device {
        device: first.expanded,
        options: Cow::Borrowed(options),
        has_asked: first.has_asked,
        files: first.files,
    }
}

/// Whether kernels or launches are left.
fn has_device_code(expanded: &Expanded) -> bool {
    expanded.text.contains("__global__") || expanded.text.contains("<<<")
}

/// Names under which projects keep code that is none of CUDA's.
fn is_of_another_compiler(name: &str) -> bool {
    ["HIP", "ROCM", "AMD", "MUSA", "SYCL"]
        .iter()
        .any(|other| name.contains(other))
}
