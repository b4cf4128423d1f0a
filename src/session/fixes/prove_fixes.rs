//! Fixes for the findings of a run, each proved by a run over the edited text.
//!
//! Given findings, attaches the fixes that hold. Each array with conflicts costs
//! one or a few runs over the units that declare or launch it, and nothing else.

use super::trimmed_source::{Definitions, Rest};
use crate::access::Walks;
use crate::finding::{Edit, Finding, Fix, Level, Safety};
use crate::fix::thread_index::{self, Definition};
use crate::fix::{self, Array, Moves, Reproof, Reprove, Sites, read_only, record_align, vector};
use crate::gpu::{Op, Space};
use crate::ir::{Kernel, Program};
use crate::prove::Prover;
use crate::prove::verdict::Access;
use crate::session::Unit;
use crate::session::build_program::{Reading, front};
use crate::session::expand::Expander;
use crate::session::order::in_order;
use crate::source::{Canonical, FileId, SourceFile, SourceMap, Span};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Units run again for one array: a header that many files include is proved on the first of them.
const MOST_UNITS: usize = 4;

/// Steps of lowering that the kernels of one fix may take: they are read again for each of some candidates.
const MOST_STEPS: u64 = 2_000_000;

/// Whether kernels are few and small enough to be read again some times.
fn may_be_read_again(kernels: &[&Kernel]) -> bool {
    let steps = kernels.iter().map(|kernel| kernel.steps).sum::<u64>();
    steps <= MOST_STEPS
}

/// The results of a run, as far as fixes need them.
#[derive(Clone, Copy)]
pub(in crate::session) struct RunResults<'a> {
    pub files: &'a [Arc<SourceFile>],
    /// Headers in place of those on disk.
    pub overlay: &'a [Arc<SourceFile>],
    pub accesses: &'a [Access],
    pub program: &'a Program,
    /// Of its kernels.
    pub walks: &'a Walks,
    pub sources: &'a SourceMap,
    pub canonical: &'a Canonical<'a>,
    pub units: &'a [Unit],
    /// The expander that read them.
    pub expander: &'a Expander<'a>,
    /// The prover that judged them, or another with the same options.
    pub prover: &'a Prover,
}

/// A file, by its first number, and a byte of it.
type SourcePlace = (FileId, u32);

impl RunResults<'_> {
    fn place(&self, span: Span) -> SourcePlace {
        (self.canonical.id(span.file), span.start)
    }
}

/// Caches that the fixes of one run share.
struct FixCaches<'a> {
    /// Looked for when the first text is read again.
    definitions: OnceLock<Definitions>,
    /// Provers of edited programs: for shared memory only or for all, without the solver or with it.
    provers: [OnceLock<Prover>; 4],
    /// By the place of the name in a definition.
    kernels: FxHashMap<SourcePlace, Vec<&'a Kernel>>,
    /// The kernels that hold a shared array, by the place of its declarator.
    holders: FxHashMap<SourcePlace, Vec<&'a Kernel>>,
}

impl<'a> FixCaches<'a> {
    fn new(found: RunResults<'a>) -> Self {
        let mut kernels: FxHashMap<SourcePlace, Vec<&Kernel>> = FxHashMap::default();
        let mut holders: FxHashMap<SourcePlace, Vec<&Kernel>> = FxHashMap::default();
        for kernel in &found.program.kernels {
            let place = found.place(kernel.span);
            kernels.entry(place).or_default().push(kernel);
            let objects = kernel.shared.iter();
            let mut places: Vec<SourcePlace> =
                objects.map(|object| found.place(object.span)).collect();
            places.sort_unstable();
            places.dedup();
            for place in places {
                holders.entry(place).or_default().push(kernel);
            }
        }
        Self {
            definitions: OnceLock::new(),
            provers: Default::default(),
            kernels,
            holders,
        }
    }

    fn kernels(&self, place: SourcePlace) -> &[&'a Kernel] {
        self.kernels.get(&place).map_or(&[], Vec::as_slice)
    }

    fn holders(&self, place: SourcePlace) -> &[&'a Kernel] {
        self.holders.get(&place).map_or(&[], Vec::as_slice)
    }
}

/// Adds proved fixes to findings.
pub(in crate::session) fn propose(found: RunResults, findings: &mut [Finding]) {
    if !findings.iter().any(|finding| is_curable(finding.rule)) {
        return;
    }
    let shared = FixCaches::new(found);
    cure_conflicts(found, findings, &shared);
    change_kernels(found, findings, &shared);
    for finding in findings.iter_mut().filter(|finding| finding.is_slight) {
        let mut fixes = finding.fixes.iter();
        if fixes.all(|fix| fix.safety == Safety::Advice) {
            finding.level = finding.level.min(Level::Info);
        }
    }
}

/// Whether fixes are known for what a rule finds.
fn is_curable(rule: &str) -> bool {
    rule == "bank-conflict" || is_of_kernel(rule)
}

/// Whether what a rule finds may take a change of the kernel.
fn is_of_kernel(rule: &str) -> bool {
    matches!(rule, "uncoalesced-access" | "narrow-access")
}

/// Adds fixes that change kernels to uncoalesced accesses.
fn change_kernels(found: RunResults, findings: &mut [Finding], shared: &FixCaches) {
    // The names in the definitions of kernels, which may have namesakes; and what is loaded or stored where.
    let mut definitions: FxHashMap<(Span, &str, &str), Span> = FxHashMap::default();
    let mut moved: FxHashMap<Span, Vec<Moved>> = FxHashMap::default();
    let mut of_kernel: FxHashMap<SourcePlace, Vec<&Access>> = FxHashMap::default();
    for access in found.accesses {
        let site = access.site.span;
        let key = (site, &*access.kernel, &*access.instance);
        definitions.insert(key, access.kernel_span);
        if let Some(declared) = access.declaration.filter(|_| access.op != Op::Atomic) {
            let of_site = moved.entry(site).or_default();
            let one = Moved(declared, access.op);
            if !of_site.contains(&one) {
                of_site.push(one);
            }
        }
        let place = found.place(access.kernel_span);
        of_kernel.entry(place).or_default().push(access);
    }
    // What a finding is about: a kernel, and what it moves.
    let subject = |finding: &Finding| {
        let site = finding.primary.span;
        let key = (site, finding.kernel.as_str(), finding.instance.as_str());
        let definition = definitions
            .get(&key)
            .filter(|_| is_of_kernel(finding.rule))?;
        Some((*definition, moved.get(&site).map_or(&[][..], Vec::as_slice)))
    };
    let mut wanted: FxHashMap<Span, Vec<Moved>> = FxHashMap::default();
    for (definition, moved) in findings.iter().filter_map(subject) {
        wanted.entry(definition).or_default().extend(moved);
    }
    wanted.retain(|definition, _| may_be_read_again(shared.kernels(found.place(*definition))));
    let mut wanted: Vec<(Span, Vec<Moved>)> = wanted.into_iter().collect();
    wanted.sort_unstable_by_key(|(span, _)| (found.place(*span), *span));
    let mut fixes: Vec<KernelFixes> = wanted
        .into_par_iter()
        .map(|(span, parameters)| {
            let accesses = of_kernel.get(&found.place(span));
            let accesses = accesses.map_or(&[][..], Vec::as_slice);
            KernelFixes::of(found, span, accesses, parameters, shared)
        })
        .collect();
    // Kernels of one file are read again together.
    let of_file = |a: &KernelFixes, b: &KernelFixes| a.home(found) == b.home(found);
    fixes
        .chunk_by_mut(of_file)
        .collect::<Vec<_>>()
        .into_par_iter()
        .for_each(|some| restrict(found, some, shared));
    let fixes: FxHashMap<Span, KernelFixes> = fixes
        .into_iter()
        .map(|fix| (fix.definition.span, fix))
        .collect();
    for finding in findings.iter_mut() {
        let Some((definition, moved)) = subject(finding) else {
            continue;
        };
        let Some(fixes) = fixes.get(&definition) else {
            continue;
        };
        // What mends the access stands first; what only helps it, behind advice.
        let mends = moved.iter().filter_map(|one| fixes.parameters.get(one));
        let mends: Vec<Fix> = fixes.exchange.iter().chain(mends).cloned().collect();
        finding.fixes.splice(0..0, mends);
        let helps = moved.iter().filter_map(|one| fixes.restricted.get(one));
        finding.fixes.extend(helps.cloned());
    }
}

/// The declaration of a pointer, and whether it is loaded or stored through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Moved(Span, Op);

/// Possible fixes of one kernel.
struct KernelFixes<'a> {
    definition: Definition<'a>,
    exchange: Option<Fix>,
    /// By what is moved.
    parameters: FxHashMap<Moved, Fix>,
    restricted: FxHashMap<Moved, Fix>,
    /// Parameters that are loaded and have none, in order.
    others: Vec<Span>,
}

impl<'a> KernelFixes<'a> {
    /// Of the kernel whose name stands at `span`, with all its accesses; `parameters` may repeat.
    fn of(
        found: RunResults<'a>,
        span: Span,
        accesses: &'a [&'a Access],
        mut parameters: Vec<Moved>,
        shared: &'a FixCaches<'a>,
    ) -> Self {
        let definition = Definition {
            span,
            sources: found.sources,
            program: found.program,
            kernels: shared.kernels(found.place(span)),
            accesses,
            walks: found.walks,
        };
        let rerun = Rerun::of_kernels(found, &[definition], shared);
        let (home, _) = found.place(span);
        parameters.retain(|Moved(declared, _)| found.place(*declared).0 == home);
        parameters.sort_unstable_by_key(|Moved(declared, op)| (*declared, *op != Op::Load));
        parameters.dedup();
        let exchange = thread_index::propose(definition, &rerun);
        let fix = |one: &Moved| {
            let Moved(declared, op) = *one;
            let vectors = vector::propose(definition, declared, op, &rerun);
            let fix = vectors.or_else(|| record_align::propose(definition, declared, op, &rerun));
            Some((*one, fix?))
        };
        let fixes: FxHashMap<Moved, Fix> = parameters.iter().filter_map(fix).collect();
        parameters.retain(|parameter| parameter.1 == Op::Load && !fixes.contains_key(parameter));
        Self {
            definition,
            exchange,
            parameters: fixes,
            restricted: FxHashMap::default(),
            others: parameters
                .iter()
                .map(|Moved(declared, _)| *declared)
                .collect(),
        }
    }

    /// The file of the definition.
    fn home(&self, found: RunResults) -> FileId {
        found.place(self.definition.span).0
    }
}

/// Restricts pointers of kernels of one file for which there is no other fix.
fn restrict(found: RunResults, kernels: &mut [KernelFixes], shared: &FixCaches) {
    // A file that was read several times has several numbers: a definition is asked about once.
    let mut wanted: Vec<(Definition, Vec<Span>)> = Vec::new();
    let same_place = |a: &KernelFixes, b: &KernelFixes| {
        found.place(a.definition.span) == found.place(b.definition.span)
    };
    for copies in kernels.chunk_by(same_place) {
        let mut parameters: Vec<Span> = copies
            .iter()
            .flat_map(|copy| &copy.others)
            .copied()
            .collect();
        parameters.sort_unstable_by_key(|declared| found.place(*declared));
        parameters.dedup_by_key(|declared| found.place(*declared));
        wanted.push((copies[0].definition, parameters));
    }
    let rerun = |some: &[Definition]| Rerun::of_kernels(found, some, shared);
    let fixes: FxHashMap<(SourcePlace, SourcePlace), Fix> = read_only::propose(&wanted, &rerun)
        .into_iter()
        .map(|((kernel, declared), fix)| ((found.place(kernel), found.place(declared)), fix))
        .collect();
    for one in kernels {
        let kernel = found.place(one.definition.span);
        let fix = |declared: &Span| {
            let fix = fixes.get(&(kernel, found.place(*declared)))?;
            Some((Moved(*declared, Op::Load), fix.clone()))
        };
        one.restricted.extend(one.others.iter().filter_map(fix));
    }
}

/// Adds proved fixes to bank conflicts.
fn cure_conflicts(found: RunResults, findings: &mut [Finding], shared: &FixCaches) {
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
    if wanted.is_empty() {
        return;
    }
    let sites = Sites::of(found.program, found.sources);
    let fixes: FxHashMap<Span, Fix> = wanted
        .into_par_iter()
        .filter_map(|declaration| {
            let accesses = arrays.get(&declaration)?;
            if !may_be_read_again(shared.holders(found.place(declaration))) {
                return None;
            }
            let rerun = Rerun::of_array(found, declaration, accesses, shared);
            let array = Array {
                declaration,
                sources: found.sources,
                program: found.program,
                kernels: shared.holders(found.place(declaration)),
                sites: &sites,
                accesses,
                arch: &found.expander.options.arch,
                walks: found.walks,
            };
            Some((declaration, fix::propose(array, &rerun)?))
        })
        .collect();
    for finding in findings {
        if let Some(fix) = of(finding).and_then(|declaration| fixes.get(&declaration)) {
            // Longer rows that a rule advises are what an edit makes.
            if finding.code == "CL101" {
                finding.fixes.retain(|one| one.safety != Safety::Advice);
            }
            finding.fixes.insert(0, fix.clone());
        }
    }
}

/// The accesses to the array of `access` after a fix.
pub(in crate::session) fn after(
    found: RunResults,
    access: &Access,
    edits: &[Edit],
) -> Option<Reproof> {
    let declaration = access.declaration?;
    let accesses: Vec<&Access> = found
        .accesses
        .iter()
        .filter(|other| other.declaration == Some(declaration))
        .collect();
    let shared = FixCaches::new(found);
    let rerun = Rerun::of_array(found, declaration, &accesses, &shared);
    let mut reproof = rerun.read(edits)?;
    rerun.judge(&mut reproof, true);
    Some(reproof)
}

/// The target of a fix.
enum FixTarget {
    /// The declarator of a shared array.
    Array(Span),
    /// The names in the definitions of kernels of one file.
    Kernels(Vec<Span>),
}

/// The units that matter to one fix.
struct Rerun<'a> {
    found: RunResults<'a>,
    held: FixTarget,
    mains: Vec<Arc<SourceFile>>,
    /// Fixes of one run read the same files.
    shared: &'a FixCaches<'a>,
}

impl<'a> Rerun<'a> {
    /// For an array with its accesses.
    fn of_array(
        found: RunResults<'a>,
        declaration: Span,
        accesses: &[&Access],
        shared: &'a FixCaches<'a>,
    ) -> Self {
        let held = FixTarget::Array(declaration);
        Self::new(found, held, declaration, accesses.iter().copied(), shared)
    }

    /// For kernels of one file.
    fn of_kernels(found: RunResults<'a>, all: &[Definition], shared: &'a FixCaches<'a>) -> Self {
        let spans: Vec<Span> = all.iter().map(|one| one.span).collect();
        let home = spans.first().copied().unwrap_or(Span::new(FileId(0), 0, 0));
        let accesses = all.iter().flat_map(|one| one.accesses).copied();
        Self::new(found, FixTarget::Kernels(spans), home, accesses, shared)
    }

    /// For what is declared in the file of `home`.
    fn new<'b>(
        found: RunResults<'a>,
        held: FixTarget,
        home: Span,
        accesses: impl Iterator<Item = &'b Access>,
        shared: &'a FixCaches<'a>,
    ) -> Self {
        let path = |span: Span| found.sources.get(span.file).path.as_path();
        let launches: FxHashSet<&Path> = accesses
            .filter_map(|access| access.launch.span)
            .map(path)
            .collect();
        let home = path(home);
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
            held,
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
    fn kernels(&self) -> Vec<&Kernel> {
        let Self { found, shared, .. } = self;
        match &self.held {
            FixTarget::Array(declaration) => shared.holders(found.place(*declaration)).to_vec(),
            FixTarget::Kernels(spans) => {
                let all = spans.iter().map(|span| shared.kernels(found.place(*span)));
                all.flatten().copied().collect()
            }
        }
    }

    /// The pieces of a file after edits of it, in order, without what the fix is not about; and
    /// everything that was edited.
    fn pieces(&self, file: &SourceFile, edits: &[Edit]) -> (Vec<Arc<SourceFile>>, Vec<Edit>) {
        let RunResults {
            program,
            sources,
            canonical,
            expander,
            ..
        } = self.found;
        if expander.options.in_strings {
            let text = fix::apply::replaced(&file.text, edits);
            let pieces = crate::session::input::load::pieces(&file.path, &text.into(), true);
            return (pieces, edits.to_vec());
        }
        let definitions = &self.shared.definitions;
        let definitions = definitions.get_or_init(|| Definitions::of(program, sources));
        let kept: Vec<u32> = self
            .kernels()
            .iter()
            .map(|kernel| kernel.span.start)
            .collect();
        let id = canonical.by_path.get(file.path.as_path());
        let id = id.copied().unwrap_or(FileId(0));
        let Rest {
            text,
            edits,
            left_out,
        } = definitions.rest(file, id, &kept, edits);
        let short = SourceFile::shortened(file.path.clone(), text.into(), left_out);
        (vec![Arc::new(short)], edits)
    }
}

impl Reprove for Rerun<'_> {
    fn read(&self, edits: &[Edit]) -> Option<Reproof> {
        let sources = self.found.sources;
        let names: FxHashSet<String> = self
            .kernels()
            .iter()
            .map(|kernel| kernel.name.clone())
            .collect();
        let mut all_edits: Vec<Edit> = Vec::new();
        let mut edited: FxHashMap<&Path, Vec<Arc<SourceFile>>> = FxHashMap::default();
        for edit in edits {
            let file = sources.get(edit.span.file);
            let path = file.path.as_path();
            if edited.contains_key(path) {
                continue;
            }
            let mut of_file: Vec<Edit> = edits
                .iter()
                .filter(|edit| sources.get(edit.span.file).path == path)
                .cloned()
                .collect();
            of_file.sort_by_key(|edit| edit.span.start);
            let (pieces, of_file) = self.pieces(file, &of_file);
            all_edits.extend(of_file);
            edited.insert(path, pieces);
        }
        let mut seen: FxHashSet<&Path> = FxHashSet::default();
        let mut mains: Vec<Arc<SourceFile>> = Vec::new();
        for file in &self.mains {
            match edited.get(file.path.as_path()) {
                // The pieces of a file come together.
                Some(pieces) if seen.insert(&file.path) => mains.extend(pieces.iter().cloned()),
                Some(_) => {}
                None if file.is_partial() => mains.push(file.clone()),
                None => {
                    let (pieces, of_file) = self.pieces(file, &[]);
                    all_edits.extend(of_file);
                    mains.extend(pieces);
                }
            }
        }
        let edited = edited.into_values().flatten();
        let overlay: Vec<Arc<SourceFile>> =
            self.found.overlay.iter().cloned().chain(edited).collect();
        let reading = Reading {
            only: Some(names),
            ..Reading::default()
        };
        let expander = Expander::over(self.found.expander, &mains, &overlay);
        let analysis = front(&expander, reading);
        let mut reproof = Reproof {
            sources: analysis.sources,
            program: analysis.program,
            accesses: Vec::new(),
            moves: Moves::of(&all_edits, sources),
            walks: Walks::few(),
        };
        let mut kernels = std::mem::take(&mut reproof.program.kernels);
        match &self.held {
            FixTarget::Array(declaration) => {
                let is_held = |span| reproof.is_at(span, *declaration, sources);
                kernels.retain(|kernel| kernel.shared.iter().any(|one| is_held(one.span)));
            }
            FixTarget::Kernels(spans) => {
                let is_held = reproof.are_at(spans, sources);
                kernels.retain(|kernel| is_held(kernel.span));
            }
        }
        reproof.program.kernels = kernels;
        Some(reproof)
    }

    fn judge(&self, reproof: &mut Reproof, by_solver: bool) {
        let is_array = matches!(self.held, FixTarget::Array(_));
        let which = usize::from(is_array) * 2 + usize::from(by_solver);
        let prover = self.shared.provers[which].get_or_init(|| {
            let only = is_array.then_some(Space::Shared);
            self.found.prover.beside(only, by_solver)
        });
        let Reproof { program, walks, .. } = &*reproof;
        let (accesses, _) = prover.analyse_walked(program, &|kernel, launch| {
            walks.get(program, kernel, launch)
        });
        reproof.accesses = in_order(accesses, &reproof.sources, &Canonical::of(&reproof.sources));
    }
}
