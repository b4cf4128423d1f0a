//! Fixes for the findings of a run, each proved by a run over the edited text.
//!
//! Given findings, attaches the fixes that hold. Each array with conflicts costs
//! one or a few runs over the units that declare or launch it, and nothing else.

use super::front::{Reading, front};
use super::order::{Canonical, in_order};
use super::others::Bodies;
use super::trees::KnownTrees;
use super::{Options, Unit, prove_options};
use crate::finding::{Edit, Finding, Fix};
use crate::fix::thread_index::{self, Definition};
use crate::fix::{self, Array, Reproof, Reprove, Walks, read_only, vector};
use crate::gpu::{Op, Space};
use crate::ir::{Kernel, Program};
use crate::prove::{self, verdict::Access};
use crate::source::{SourceFile, SourceMap, Span};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Units run again for one array: a header that many files include is proved on the first of them.
const MOST_UNITS: usize = 4;

/// What a run found, as far as fixes need it.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    pub files: &'a [Arc<SourceFile>],
    /// Headers in place of those on disk.
    pub overlay: &'a [Arc<SourceFile>],
    pub accesses: &'a [Access],
    pub program: &'a Program,
    pub sources: &'a SourceMap,
    pub units: &'a [Unit],
    pub options: &'a Options,
}

/// What the fixes of one run share.
#[derive(Default)]
struct Shared {
    trees: KnownTrees,
    /// Looked for when the first text is read again.
    bodies: OnceLock<Bodies>,
}

/// Adds proved fixes to findings.
pub(super) fn propose(found: Found, findings: &mut [Finding]) {
    let shared = Shared::default();
    cure_conflicts(found, findings, &shared);
    change_kernels(found, findings, &shared);
}

/// Adds fixes that change kernels to uncoalesced accesses.
fn change_kernels(found: Found, findings: &mut [Finding], shared: &Shared) {
    let is_meant =
        |finding: &&Finding| matches!(finding.rule, "uncoalesced-access" | "narrow-access");
    // The names in the definitions of kernels, which may have namesakes.
    let definitions: FxHashMap<(Span, &str, &str), Span> = found
        .accesses
        .iter()
        .map(|access| {
            let key = (access.site.span, &*access.kernel, &*access.instance);
            (key, access.kernel_span)
        })
        .collect();
    let definition_of = |finding: &Finding| {
        let key = (
            finding.primary.span,
            finding.kernel.as_str(),
            finding.instance.as_str(),
        );
        definitions.get(&key).copied()
    };
    let mut wanted: Vec<Span> = findings
        .iter()
        .filter(is_meant)
        .filter_map(definition_of)
        .collect();
    wanted.sort_unstable();
    wanted.dedup();
    let fixes: FxHashMap<Span, KernelFixes> = wanted
        .into_par_iter()
        .map(|span| (span, KernelFixes::of(found, span, shared)))
        .collect();
    for finding in findings.iter_mut().filter(|one| is_meant(&&**one)) {
        let Some(fixes) = definition_of(finding).and_then(|span| fixes.get(&span)) else {
            continue;
        };
        if let Some(exchange) = &fixes.exchange {
            finding.fixes.insert(0, exchange.clone());
        }
        let declared = found
            .accesses
            .iter()
            .find(|access| access.site.span == finding.primary.span && access.op == Op::Load);
        let declared = declared.and_then(|access| access.declaration);
        if let Some(declared) = declared {
            let vector = fixes.vectors.get(&declared);
            let read_only = fixes.read_only.get(&declared);
            finding.fixes.extend(vector.or(read_only).cloned());
        }
    }
}

/// What can be done about one kernel.
struct KernelFixes {
    exchange: Option<Fix>,
    /// By parameter.
    vectors: FxHashMap<Span, Fix>,
    read_only: FxHashMap<Span, Fix>,
}

impl KernelFixes {
    fn of(found: Found, span: Span, shared: &Shared) -> Self {
        let path = &found.sources.get(span.file).path;
        let is_of = |access: &&Access| {
            let of = access.kernel_span;
            of.start == span.start && found.sources.get(of.file).path == *path
        };
        let accesses: Vec<&Access> = found.accesses.iter().filter(is_of).collect();
        let definition = Definition {
            span,
            sources: found.sources,
            program: found.program,
            accesses: &accesses,
        };
        let rerun = Rerun {
            held: Held::Kernel(span),
            ..Rerun::new(found, span, &accesses, shared)
        };
        let mut parameters: Vec<Span> = accesses
            .iter()
            .filter(|access| access.op == Op::Load && access.space == Space::Global)
            .filter_map(|access| access.declaration)
            .filter(|declared| found.sources.get(declared.file).path == *path)
            .collect();
        parameters.sort_unstable();
        parameters.dedup();
        Self {
            exchange: thread_index::propose(definition, &rerun),
            vectors: parameters
                .iter()
                .filter_map(|one| Some((*one, vector::propose(definition, *one, &rerun)?)))
                .collect(),
            read_only: parameters
                .iter()
                .filter_map(|one| Some((*one, read_only::propose(definition, *one, &rerun)?)))
                .collect(),
        }
    }
}

/// Adds proved fixes to bank conflicts.
fn cure_conflicts(found: Found, findings: &mut [Finding], shared: &Shared) {
    let mut arrays: FxHashMap<Span, Vec<&Access>> = FxHashMap::default();
    let mut declared: FxHashMap<Span, Span> = FxHashMap::default();
    for access in found
        .accesses
        .iter()
        .filter(|access| access.space == Space::Shared)
    {
        if let Some(declaration) = access.declaration {
            arrays.entry(declaration).or_default().push(access);
            declared.insert(access.site.span, declaration);
        }
    }
    let of = |finding: &Finding| {
        (finding.rule == "bank-conflict")
            .then(|| declared.get(&finding.primary.span))?
            .copied()
    };
    let mut wanted: Vec<Span> = findings.iter().filter_map(of).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let fixes: FxHashMap<Span, Fix> = wanted
        .into_par_iter()
        .filter_map(|declaration| {
            let accesses = arrays.get(&declaration)?;
            let rerun = Rerun::new(found, declaration, accesses, shared);
            let array = Array {
                declaration,
                sources: found.sources,
                program: found.program,
                accesses,
                arch: &found.options.arch,
                walks: &Walks::new(found.program),
            };
            Some((declaration, fix::propose(array, &rerun)?))
        })
        .collect();
    for finding in findings {
        if let Some(fix) = of(finding).and_then(|declaration| fixes.get(&declaration)) {
            finding.fixes.insert(0, fix.clone());
        }
    }
}

/// The accesses to the array of `access` after a fix.
pub(super) fn after(found: Found, access: &Access, edits: &[Edit]) -> Option<Reproof> {
    let declaration = access.declaration?;
    let accesses: Vec<&Access> = found
        .accesses
        .iter()
        .filter(|other| other.declaration == Some(declaration))
        .collect();
    let shared = Shared::default();
    let rerun = Rerun::new(found, declaration, &accesses, &shared);
    let mut reproof = rerun.read(edits)?;
    rerun.judge(&mut reproof, true);
    Some(reproof)
}

/// What a fix is about.
#[derive(Clone, Copy)]
enum Held {
    /// The declarator of a shared array.
    Array(Span),
    /// The name in the definition of a kernel.
    Kernel(Span),
}

/// The units that matter to one fix.
struct Rerun<'a> {
    found: Found<'a>,
    held: Held,
    mains: Vec<Arc<SourceFile>>,
    /// Fixes of one run read the same files.
    shared: &'a Shared,
}

impl<'a> Rerun<'a> {
    fn new(found: Found<'a>, declaration: Span, accesses: &[&Access], shared: &'a Shared) -> Self {
        let path = |span: Span| found.sources.get(span.file).path.as_path();
        let launches: FxHashSet<&Path> = accesses
            .iter()
            .filter_map(|access| access.launch.span)
            .map(path)
            .collect();
        let home = path(declaration);
        let main = |unit: &Unit| found.sources.get(unit.file).path.as_path();
        let holders = found.units.iter().filter(|unit| unit.files.contains(home));
        let mut mains: Vec<&Path> = holders.take(MOST_UNITS).map(main).collect();
        mains.extend(
            found
                .units
                .iter()
                .map(main)
                .filter(|main| launches.contains(main)),
        );
        let wanted: FxHashSet<&Path> = mains.into_iter().collect();
        Self {
            found,
            held: Held::Array(declaration),
            mains: found
                .files
                .iter()
                .filter(|file| wanted.contains(file.path.as_path()))
                .cloned()
                .collect(),
            shared,
        }
    }
}

impl Rerun<'_> {
    /// The kernels that the fix is about.
    fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        let path = |span: Span| &self.found.sources.get(span.file).path;
        let is_at =
            move |one: Span, other: Span| one.start == other.start && path(one) == path(other);
        let kernels = self.found.program.kernels.iter();
        kernels.filter(move |kernel| match self.held {
            Held::Array(declaration) => {
                let mut objects = kernel.shared.iter();
                objects.any(|object| is_at(object.span, declaration))
            }
            Held::Kernel(span) => is_at(kernel.span, span),
        })
    }
}

impl Reprove for Rerun<'_> {
    fn read(&self, edits: &[Edit]) -> Option<Reproof> {
        let sources = self.found.sources;
        let (kept, names): (Vec<u32>, FxHashSet<String>) = self
            .kernels()
            .map(|kernel| (kernel.span.start, kernel.name.clone()))
            .unzip();
        let bodies = &self.shared.bodies;
        let bodies = bodies.get_or_init(|| Bodies::of(self.found.program, sources));
        let without_others =
            |file: &SourceFile, edits: &[Edit]| bodies.without_others(file, &kept, edits);
        let mut edited: FxHashMap<PathBuf, Vec<Arc<SourceFile>>> = FxHashMap::default();
        for edit in edits {
            let file = sources.get(edit.span.file);
            let path = &file.path;
            if edited.contains_key(path) {
                continue;
            }
            let mut all: Vec<Edit> = edits
                .iter()
                .filter(|edit| sources.get(edit.span.file).path == *path)
                .cloned()
                .collect();
            all.sort_by_key(|edit| edit.span.start);
            let text = without_others(file, &all);
            let pieces = super::load::pieces(path, &text.into(), self.found.options.in_strings);
            edited.insert(path.clone(), pieces);
        }
        let mut seen: FxHashSet<&Path> = FxHashSet::default();
        let mut mains: Vec<Arc<SourceFile>> = Vec::new();
        for file in &self.mains {
            match edited.get(&file.path) {
                // The pieces of a file come together.
                Some(pieces) if seen.insert(&file.path) => mains.extend(pieces.iter().cloned()),
                Some(_) => {}
                None if file.is_partial() => mains.push(file.clone()),
                None => {
                    let text = without_others(file, &[]);
                    mains.push(Arc::new(SourceFile::new(file.path.clone(), text.into())));
                }
            }
        }
        let overlay: Vec<Arc<SourceFile>> = self
            .found
            .overlay
            .iter()
            .cloned()
            .chain(edited.into_values().flatten())
            .collect();
        let reading = Reading {
            trees: Some(&self.shared.trees),
            only: Some(names),
        };
        let analysis = front(&mains, &overlay, self.found.options, reading);
        let mut reproof = Reproof {
            sources: analysis.sources,
            program: analysis.program,
            accesses: Vec::new(),
            edits: edits.to_vec(),
        };
        let mut kernels = std::mem::take(&mut reproof.program.kernels);
        kernels.retain(|kernel| match self.held {
            Held::Array(declaration) => kernel
                .shared
                .iter()
                .any(|object| reproof.is_at(object.span, declaration, sources)),
            Held::Kernel(span) => reproof.is_at(kernel.span, span, sources),
        });
        reproof.program.kernels = kernels;
        Some(reproof)
    }

    fn judge(&self, reproof: &mut Reproof, by_solver: bool) {
        let options = prove::Options {
            only: matches!(self.held, Held::Array(_)).then_some(Space::Shared),
            prove: by_solver,
            ..prove_options(self.found.options)
        };
        let (accesses, _) = prove::analyse(&reproof.program, &options);
        reproof.accesses = in_order(accesses, &reproof.sources, &Canonical::of(&reproof.sources));
    }
}
