//! Launches of kernels: shapes and arguments that host code fixes.
//!
//! Given names and a unit; reads every host function that reaches a launch, folding
//! constants along its control flow, and gives one [`HostLaunch`] per kernel instance,
//! shape and set of arguments. A value is given only where every run of the program
//! that gets there has it; the rest is unknown, with the expression. Does not read
//! kernels, and does not know whether a launch ever happens.

mod bounded_counters;
mod calls;
mod compared_constants;
mod config;
mod decided;
mod declare;
mod device_types;
mod dispatch;
mod displaced;
mod entering;
mod expressions;
mod free_names;
mod instantiated;
mod kernel_flow;
mod kernel_selection;
mod kernels_given_away;
mod lambda_arguments;
mod lambdas;
mod loops;
mod mentions;
mod named_kernels;
mod offsets;
mod open_classes;
mod operands;
mod packs;
mod reaching;
mod read_arrays;
mod record;
mod scan;
mod statements;
mod summary;
#[cfg(test)]
mod tests;
mod type_names;
mod unit_facts;
mod unparsed_text;
mod unread_mentions;
mod unseen_launches;
mod walk;
mod worlds;

use crate::ir::residue::Residue;
use crate::ir::{Argument, Dimension, Launch, Written};
use crate::sema::scope::{Binding, Env, Identity, Names};
use crate::sema::types::Type;
use crate::syntax::ast;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Launches of one place that differ in anything but the block; beyond these what differs is unknown.
const MAX_VARIANTS: usize = 4;
/// Block shapes of one place.
const MAX_SHAPES: usize = 12;

/// A launch of a kernel whose body is in this unit.
#[derive(Clone, Debug)]
pub struct HostLaunch {
    pub kernel: Arc<ast::Function>,
    /// With namespaces.
    pub name: String,
    /// Template bindings of the instance; without them where `problem` is set.
    pub env: Env,
    /// `<float, 16>`; empty for a kernel that is no template.
    pub instance: String,
    /// [`Launch::span`] is left open; `range` has the place.
    pub launch: Launch,
    /// The launch expression.
    pub range: ast::Range,
    /// Other places that launch the same.
    pub also: Vec<ast::Range>,
    pub written: Written,
    /// Why the template arguments are not known, as a clause.
    pub problem: Option<Arc<str>>,
    /// They are not known as nothing names the template that the launch stands in.
    pub is_of_unnamed: bool,
}

/// A kernel as a unit declares it that does not define it.
#[derive(Clone, Debug)]
pub struct DeclaredKernel {
    pub namespace: String,
    pub is_template: bool,
    /// Of its parameters; nothing is known of those of templates.
    pub parameters: Vec<Type>,
}

/// A launch of a kernel that is only declared in this unit, or not at all.
#[derive(Clone, Debug)]
pub struct ForeignLaunch {
    /// As the launch names it, without template arguments.
    pub name: String,
    /// The declarations that it may mean.
    pub declared: Vec<DeclaredKernel>,
    /// The namespaces whose names are seen where it stands.
    pub sees: Vec<String>,
    /// Explicit template arguments.
    pub arguments: Vec<Binding>,
    pub argument_types: Vec<Type>,
    pub launch: Launch,
    pub range: ast::Range,
    /// Other places that launch the same.
    pub also: Vec<ast::Range>,
    pub written: Written,
}

impl ForeignLaunch {
    /// What tells apart the kernels and the instances that launches of one name may mean.
    fn means(&self) -> String {
        use std::fmt::Write;
        let mut out = self.name.clone();
        for one in &self.arguments {
            _ = write!(out, "<{one}");
        }
        for ty in &self.argument_types {
            _ = write!(out, "({ty}");
        }
        for declared in &self.declared {
            _ = write!(out, ";{}", declared.namespace);
            for ty in &declared.parameters {
                _ = write!(out, ",{ty}");
            }
        }
        if self.declared.is_empty() {
            self.sees.iter().for_each(|seen| _ = write!(out, ";{seen}"));
        }
        out
    }
}

/// A launch of which no kernel is known.
#[derive(Clone, Debug)]
pub struct LostLaunch {
    /// What stands in the kernel's place.
    pub callee: String,
    pub launch: Launch,
    pub range: ast::Range,
    pub written: Written,
    /// As a clause.
    pub reason: Arc<str>,
}

/// All launches of a unit.
#[derive(Debug, Default)]
pub struct Launches {
    pub host: Vec<HostLaunch>,
    pub foreign: Vec<ForeignLaunch>,
    pub lost: Vec<LostLaunch>,
    /// Launches in functions that no run gets to.
    pub unreached: Vec<ast::Range>,
    /// Lambdas that kernels are handed: each with what names mean where it stands.
    lambdas: Vec<(usize, Identity)>,
}

/// Finds the launches of a unit, in order of appearance; `text` is what its tree was made of. Whoever includes a
/// header may call what it defines, and write its variables.
#[must_use]
pub fn launches(names: &Names<'_>, unit: &ast::Unit, text: &str, is_header: bool) -> Launches {
    let mut survey = reaching::Survey::new(unit, text);
    if is_header {
        survey.open_all();
    }
    let read = unseen_launches::read(&survey);
    let given = kernels_given_away::launches(names, &survey);
    let mut found = if survey.bodies.is_empty() {
        Launches::default()
    } else {
        walk::Walk::new(names, survey, text).run()
    };
    unseen_launches::add(names, text, &read, &mut found);
    for launch in given {
        let is_it =
            |l: &&mut HostLaunch| Arc::ptr_eq(&l.kernel, &launch.kernel) && l.range == launch.range;
        match found.host.iter_mut().find(is_it) {
            Some(known) if known.problem.is_some() => *known = launch,
            Some(_) => {}
            None => found.host.push(launch),
        }
    }
    let unreached = unseen_launches::unreached(read, &found);
    // Of what several functions lead to, those tell that may be called.
    found
        .host
        .sort_by_key(|l| (l.range.start, l.range.end, l.is_of_unnamed));
    found.foreign.sort_by_key(|l| (l.range.start, l.range.end));
    Launches {
        host: thin(
            found.host,
            |l| {
                let arguments = names.instance_of(&l.kernel, &l.env);
                (Arc::as_ptr(&l.kernel), l.instance.clone(), arguments)
            },
            |l| (&mut l.launch, l.range, &mut l.also),
        ),
        foreign: thin(found.foreign, ForeignLaunch::means, |l| {
            (&mut l.launch, l.range, &mut l.also)
        }),
        lost: {
            found.lost.sort_by_key(|l| (l.range.start, l.range.end));
            found.lost.dedup_by_key(|l| l.range);
            found.lost
        },
        unreached,
        lambdas: Vec::new(),
    }
}

/// Drops launches that say nothing new and joins those that differ too often. They come in order of
/// their ranges; `of` tells what is launched.
fn thin<L, K: Hash + Eq>(
    all: Vec<L>,
    of: impl Fn(&L) -> K,
    part: impl Fn(&mut L) -> (&mut Launch, ast::Range, &mut Vec<ast::Range>),
) -> Vec<L> {
    let mut kept: Vec<L> = Vec::new();
    // Written programs launch a kernel a few times, generated ones thousands of times.
    let mut known: FxHashMap<(K, u64), Vec<usize>> = FxHashMap::default();
    let mut here: Vec<(K, L)> = Vec::new();
    let mut place = None;
    for mut l in all {
        let what = of(&l);
        let (launch, range, _) = part(&mut l);
        if place.replace(range) != Some(range) {
            for (what, mut l) in here.drain(..) {
                let key = (what, fingerprint(part(&mut l).0));
                known.entry(key).or_default().push(kept.len());
                kept.push(l);
            }
        }
        let launch = launch.clone();
        let key = (what, fingerprint(&launch));
        let mut alike = known.get(&key).into_iter().flatten();
        if let Some(at) = alike.find(|at| *part(&mut kept[**at]).0 == launch) {
            let also = part(&mut kept[*at]).2;
            if also.last() != Some(&range) {
                also.push(range);
            }
            continue;
        }
        add((key.0, l), &mut here, |l| part(l).0);
    }
    kept.extend(here.into_iter().map(|(_, l)| l));
    kept
}

/// Adds a launch to those of the same place.
fn add<L, K: Eq>(
    (what, mut l): (K, L),
    here: &mut Vec<(K, L)>,
    part: impl Fn(&mut L) -> &mut Launch,
) {
    let launch = part(&mut l).clone();
    let mut variants = Vec::new();
    let mut shapes: Vec<[Dimension; 3]> = Vec::new();
    for (i, (_, k)) in here.iter_mut().enumerate().filter(|(_, (k, _))| *k == what) {
        let other = part(k);
        if *other == launch || covers(other, &launch) {
            return;
        }
        if covers(&launch, other) {
            *other = launch;
            return;
        }
        if !shapes.contains(&other.block) {
            shapes.push(other.block.clone());
        }
        if other.block == launch.block {
            variants.push(i);
        }
    }
    if let Some((first, rest)) = variants
        .split_first()
        .filter(|_| variants.len() >= MAX_VARIANTS)
    {
        // One launch stands for all of this block from here on.
        let mut joined = launch;
        for i in &variants {
            joined = part(&mut here[*i].1).join(&joined);
        }
        *part(&mut here[*first].1) = joined;
        for i in rest.iter().rev() {
            here.remove(*i);
        }
    } else if shapes.len() < MAX_SHAPES {
        here.push((what, l));
    } else if let Some((_, last)) = here.iter_mut().rev().find(|(k, _)| *k == what) {
        let last = part(last);
        *last = last.join(&launch);
    }
}

/// The same for equal launches.
fn fingerprint(launch: &Launch) -> u64 {
    let mut hasher = FxHasher::default();
    (&launch.grid, &launch.block, launch.dynamic_shared).hash(&mut hasher);
    for argument in &launch.arguments {
        if let Argument::Int(value) = argument {
            value.hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Whether every launch that `b` describes is also one that `a` describes.
fn covers(a: &Launch, b: &Launch) -> bool {
    let dimensions = |a: &[Dimension; 3], b: &[Dimension; 3]| {
        a.iter().zip(b).all(|(a, b)| a == b || a.known().is_none())
    };
    // A row of unknown length is taken for whole warps.
    let is_row = a.block[0] == b.block[0] || a.block[0].is_uneven() || !b.block[0].is_uneven();
    let arguments = a.arguments.len() == b.arguments.len()
        && a.arguments
            .iter()
            .zip(&b.arguments)
            .all(|(a, b)| match (a, b) {
                // What is not known of a pointer is taken for the start of an allocation.
                (Argument::Unknown, Argument::Pointer { offset, .. }) => *offset == Residue::ZERO,
                (Argument::Unknown, _) => true,
                (
                    Argument::Pointer {
                        offset: x,
                        is_assumed: a,
                    },
                    Argument::Pointer {
                        offset: y,
                        is_assumed: b,
                    },
                ) => x.covers(*y) && (*a || !*b),
                (Argument::Pointer { offset, .. }, _) => *offset == Residue::ANY,
                _ => a == b,
            });
    dimensions(&a.grid, &b.grid)
        && is_row
        && dimensions(&a.block, &b.block)
        && (a.dynamic_shared.is_none() || a.dynamic_shared == b.dynamic_shared)
        && b.moved.iter().all(|m| a.moved.contains(m))
        && arguments
}
