//! Opinions: what rules say of one kernel, before it becomes findings.
//!
//! Given the instances of one kernel and all their accesses, asks every rule; nothing else of a
//! program goes into the answer but its globals, so that a session may keep it. Knows nothing
//! of who keeps what, or of findings.

use super::kernel_facts::KernelFacts;
use super::kernels::KernelFinding;
use super::share::Shares;
use super::vector::Neighbours;
use super::{Context, Judge, Judged, Scope, all};
use crate::ir::Kernel;
use crate::prove::verdict::Access;
use crate::source::{SourceMap, Span};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;

/// The instances of one kernel with their accesses, both in the program's order.
#[derive(Debug, Default)]
pub struct Namesakes<'a> {
    pub kernels: Vec<&'a Kernel>,
    pub accesses: Vec<&'a Access>,
}

/// Findings about some namesakes, by their places in the lists.
#[derive(Clone, Debug, Default)]
pub struct Opinion {
    /// Rule, kernel, words.
    pub(super) kernels: Vec<(usize, usize, KernelFinding)>,
    /// Rule, access, words.
    pub(super) accesses: Vec<(usize, usize, Judged)>,
}

/// Keeps opinions from run to run.
pub trait Keeper: Sync {
    /// Recalls the findings about these namesakes, moved to their present places.
    fn recall(&self, namesakes: &Namesakes) -> Option<Opinion>;
    fn keep(&self, namesakes: &Namesakes, opinion: &Opinion);
}

impl Opinion {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kernels.is_empty() && self.accesses.is_empty()
    }

    /// Moves the findings to other places; `None` if one has no counterpart.
    #[must_use]
    pub fn moved(mut self, counterpart: &dyn Fn(Span) -> Option<Span>) -> Option<Self> {
        for (_, _, told) in &mut self.kernels {
            told.span = counterpart(told.span)?;
            for label in &mut told.secondary {
                label.span = counterpart(label.span)?;
            }
        }
        Some(self)
    }
}

/// Puts the instances of one kernel and all their accesses together, in order of appearance.
///
/// Programs side by side have kernels of one name, so the place of the definition counts. A file
/// may have several numbers, its path is one.
pub(super) fn by_kernel<'a>(
    accesses: &'a [Access],
    kernels: &'a [Kernel],
    sources: &'a SourceMap,
) -> Vec<Group<'a>> {
    let mut groups: Vec<Group> = Vec::new();
    let mut of_kernel: FxHashMap<(&str, &Path, u32), usize> = FxHashMap::default();
    let place = |span: Span| (sources.get(span.file).path.as_path(), span.start);
    for (at, kernel) in kernels.iter().enumerate() {
        let (path, start) = place(kernel.span);
        let key = (kernel.name.as_str(), path, start);
        let group = *of_kernel.entry(key).or_insert_with(|| {
            groups.push(Group::default());
            groups.len() - 1
        });
        groups[group].kernels.push(at);
        groups[group].namesakes.kernels.push(kernel);
    }
    for (at, access) in accesses.iter().enumerate() {
        // Every access is of some kernel of the program.
        let (path, start) = place(access.kernel_span);
        if let Some(group) = of_kernel.get(&(&*access.kernel, path, start)) {
            groups[*group].accesses.push(at);
            groups[*group].namesakes.accesses.push(access);
        }
    }
    groups
}

/// Namesakes, and where each of them stands in the lists of the run.
#[derive(Debug, Default)]
pub(super) struct Group<'a> {
    pub namesakes: Namesakes<'a>,
    pub kernels: Vec<usize>,
    pub accesses: Vec<usize>,
}

/// Asks every rule, or the keeper.
pub(super) fn of(namesakes: &Namesakes, context: &Context, keeper: Option<&dyn Keeper>) -> Opinion {
    if let Some(known) = keeper.and_then(|keeper| keeper.recall(namesakes)) {
        return known;
    }
    let opinion = ask(namesakes, context);
    if let Some(keeper) = keeper {
        keeper.keep(namesakes, &opinion);
    }
    opinion
}

fn ask(namesakes: &Namesakes, context: &Context) -> Opinion {
    let Namesakes { kernels, accesses } = namesakes;
    let owners = owners(namesakes, context);
    let of_kernel = |(at, kernel): (usize, &&Kernel)| -> Opinion {
        let kernel = &*kernel.unfolded();
        let view = KernelFacts::new(kernel, context);
        let neighbours = Neighbours::default();
        let shares = Shares::default();
        let scope = Scope {
            context,
            accesses,
            view: &view,
            neighbours: &neighbours,
            shares: &shares,
        };
        let mut opinion = Opinion::default();
        for (number, rule) in all().iter().enumerate() {
            context.stopwatch.time(number, || match rule.judge {
                // A walk that was stopped is no kernel to judge.
                Judge::Kernel(_) if context.program.stop.is_raised() => {}
                Judge::Kernel(judge) => opinion.kernels.extend(
                    judge(&view, context)
                        .into_iter()
                        .map(|told| (number, at, told)),
                ),
                Judge::Access(judge) => {
                    let own = accesses.iter().enumerate();
                    let own = own.filter(|(which, _)| owners[*which] == Some(at));
                    opinion.accesses.extend(own.filter_map(|(which, access)| {
                        Some((number, which, judge(access, &scope)?))
                    }));
                }
                Judge::Contract => {}
            });
        }
        opinion
    };
    let parts: Vec<Opinion> = kernels.par_iter().enumerate().map(of_kernel).collect();
    let mut opinion = Opinion::default();
    for part in parts {
        opinion.kernels.extend(part.kernels);
        opinion.accesses.extend(part.accesses);
    }
    opinion
}

/// The kernel that each access is judged with: of those that differ in nothing but their file, the first one that
/// has its launch.
fn owners(namesakes: &Namesakes, context: &Context) -> Vec<Option<usize>> {
    let mut by_instance: FxHashMap<&str, Vec<(usize, FxHashSet<Span>)>> = FxHashMap::default();
    for (at, kernel) in namesakes.kernels.iter().enumerate() {
        let spans = kernel.launches.iter().filter_map(|launch| launch.span);
        let launches = spans.map(|span| context.canonical.span(span)).collect();
        let copies = by_instance.entry(&kernel.instance).or_default();
        copies.push((at, launches));
    }
    let owner = |access: &&Access| {
        let copies = by_instance.get(&*access.instance)?;
        let is_launched = |(_, launches): &&(usize, FxHashSet<Span>)| match access.launch.span {
            Some(span) => launches.contains(&span),
            None => launches.is_empty(),
        };
        let owner = copies.iter().find(is_launched).or(copies.first());
        owner.map(|(at, _)| *at)
    };
    namesakes.accesses.iter().map(owner).collect()
}
