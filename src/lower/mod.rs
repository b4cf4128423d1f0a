//! From syntax trees to kernels.
//!
//! Given the units of one run, gives a [`Program`]: one kernel per set of template
//! arguments, device functions inlined, every access of memory a statement with its
//! site. What cannot be lowered stays in place as an opaque statement with a reason.
//! Knows nothing of warps, costs or proofs.

mod access_sites;
mod aggregate;
mod arena;
mod asm;
mod asm_memory;
mod asm_text;
mod assign;
mod async_copy;
mod base_classes;
mod bit_units;
mod braces;
mod builtin_table;
mod call;
mod closures;
mod collectives;
mod conditional_places;
mod constant_arrays;
mod construct;
mod context;
mod conversions;
mod copy_constructors;
mod declare;
mod destroy;
pub(crate) mod directives;
mod expr;
mod foreign_launches;
mod fragment;
mod groups;
mod increments;
mod initialisers;
mod inline;
mod inner_cases;
mod instances;
mod intrinsics;
mod jumps;
mod kept_references;
mod kernel;
mod lambda_parameters;
mod launched_kernels;
mod limits;
mod list_loops;
mod local_types;
mod members;
mod memory;
mod memory_functions;
mod methods;
mod names;
mod operators;
mod order;
mod packed;
mod packs;
mod place;
mod placement_new;
mod range_loops;
mod returned_places;
mod short_circuit;
mod small_loops;
mod statics;
mod stmt;
mod user_logical;

use crate::ir::stop::Stop;
use crate::ir::{Global, GlobalId, Program};
use crate::sema::scope::Names;
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::preprocess::Expanded;
use crate::syntax::{ast, library};
use directives::Directives;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use std::sync::Arc;

/// One translation unit.
pub struct UnitInput<'a> {
    pub unit: &'a ast::Unit,
    pub expanded: &'a Expanded,
    pub path: &'a Path,
    /// The set of units that it belongs to: launches reach kernels of the same set only.
    pub set: usize,
}

/// Bounds of the work on one kernel.
#[derive(Clone, Debug)]
pub struct Options {
    /// Calls inlined into each other.
    pub inline_depth: u32,
    /// Statements of one kernel after inlining.
    pub max_statements: u32,
    /// Expressions and statements lowered for one kernel.
    pub max_steps: u64,
    /// Those of one function, its calls in one kernel together.
    pub max_function_steps: u64,
    /// Those of all kernels of one file, which share them evenly.
    pub max_file_steps: u64,
    /// Nesting of expressions and statements, inlined ones included.
    pub max_depth: u32,
    /// Instances of one kernel template that one file launches.
    pub max_instances: usize,
    /// Those that all files launch which are lowered together: a group, not the run.
    pub max_instances_in_all: usize,
    /// The kernels to lower, by qualified name; all if there is none.
    pub only: Option<FxHashSet<String>>,
    /// Whether kernels come folded: there may be thousands of them.
    pub folds: bool,
    /// Raised to end the work: what was lowered then is no answer.
    pub stop: Stop,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            inline_depth: 32,
            max_statements: 200_000,
            max_steps: 2_000_000,
            max_function_steps: 1_000_000,
            max_file_steps: 20_000_000,
            max_depth: 1500,
            max_instances: 64,
            max_instances_in_all: 256,
            only: None,
            folds: false,
            stop: Stop::default(),
        }
    }
}

/// A unit while it is lowered.
pub(crate) struct Unit<'a> {
    names: Names<'a>,
    expanded: &'a Expanded,
    path: &'a Path,
    directives: Directives,
    /// `__device__` and `__constant__` variables by the address of their declaration.
    globals: FxHashMap<usize, GlobalId>,
    /// The texts that stand for headers of libraries.
    library: Arc<[FileId]>,
}

/// A program that is lowered part by part, so that trees need not all be there at once. The units of
/// one set must be added together.
pub struct Lowering {
    options: Options,
    program: Program,
    globals: FxHashMap<Span, GlobalId>,
    counts: instances::Counts,
}

impl Lowering {
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            options,
            program: Program::default(),
            globals: FxHashMap::default(),
            counts: instances::Counts::default(),
        }
    }

    /// Lowers the kernels of these units. Trees and calls nest deeply: threads need some 200 MiB of
    /// stack for the worst that [`Options`] allow.
    pub fn add(&mut self, inputs: &[UnitInput<'_>], sources: &SourceMap) {
        let of_library = sources
            .iter()
            .filter(|(_, file)| library::is_one(&file.path));
        let library: Arc<[FileId]> = of_library.map(|(id, _)| id).collect();
        let mut units: Vec<Unit<'_>> = inputs
            .par_iter()
            .map(|input| Unit {
                names: Names::new(input.unit),
                expanded: input.expanded,
                path: input.path,
                directives: directives::read(&input.expanded.comments, sources),
                globals: FxHashMap::default(),
                library: library.clone(),
            })
            .collect();
        for (unit, input) in units.iter_mut().zip(inputs) {
            self.declare_globals(unit, input);
        }
        let counts = &mut self.counts;
        instances::lower_all(
            &units,
            inputs,
            sources,
            &self.options,
            counts,
            &mut self.program,
        );
    }

    /// The program, kernels by place.
    #[must_use]
    pub fn finish(self) -> Program {
        let mut program = self.program;
        program
            .not_analysed
            .extend(self.counts.left_out(&self.options));
        // Units that share a header show its launches once each.
        program
            .launch_sites
            .sort_by_cached_key(|site| format!("{:?} {site:?}", site.launch.span));
        program.launch_sites.dedup_by(|a, b| {
            a.launch == b.launch
                && (&a.kernel, &a.instance, a.defined) == (&b.kernel, &b.instance, b.defined)
        });
        program
            .defined
            .sort_by(|a, b| (a.span, &a.name).cmp(&(b.span, &b.name)));
        program
            .defined
            .dedup_by(|a, b| (a.span, &a.name) == (b.span, &b.name));
        program.unreached.sort_unstable();
        program.unreached.dedup();
        program
            .kernels
            .sort_by(|a, b| (a.span, &a.name, &a.instance).cmp(&(b.span, &b.name, &b.instance)));
        program
    }

    fn declare_globals(&mut self, unit: &mut Unit<'_>, input: &UnitInput<'_>) {
        let program = &mut self.program;
        let mut found = Vec::new();
        collect_globals(&input.unit.items, 0, &mut found);
        for variable in found {
            let range = variable.name_range;
            let span = unit
                .expanded
                .origin(range.start as usize..range.end as usize)
                .span;
            let id = *self.globals.entry(span).or_insert_with(|| {
                program.globals.push(Global {
                    name: variable.name.to_string(),
                    is_constant: variable.storage.is_constant,
                    size: None,
                    align: 1,
                    span,
                });
                GlobalId(program.globals.len() as u32 - 1)
            });
            unit.globals
                .insert(std::ptr::from_ref(variable) as usize, id);
            let env = crate::sema::scope::Env::new(0);
            let ty = crate::sema::scope::variable_type(&unit.names, &env, variable);
            let explicit = variable.storage.align.as_ref().and_then(|written| {
                crate::sema::consteval::eval(&unit.names, &env, written)?.as_int()
            });
            let explicit = explicit.and_then(|bytes| u64::try_from(bytes).ok());
            let align = ty.align().unwrap_or(1).max(explicit.unwrap_or(1));
            if let Some(global) = program.globals.get_mut(id.index()) {
                global.size = global.size.or(ty.size());
                global.align = global.align.max(u32::try_from(align).unwrap_or(1));
            }
        }
    }
}

/// Variables of device memory, in order.
fn collect_globals<'a>(items: &'a [ast::Item], depth: u32, out: &mut Vec<&'a ast::Variable>) {
    if depth > 64 {
        return;
    }
    for item in items {
        match item {
            ast::Item::Variables(variables) => out.extend(variables.iter().filter(|variable| {
                let storage = &variable.storage;
                (storage.is_constant || storage.is_device || storage.is_managed)
                    && !storage.is_shared
            })),
            ast::Item::Namespace(_, items) => collect_globals(items, depth + 1, out),
            _ => {}
        }
    }
}

mod name_interner;
mod switch;
#[cfg(test)]
mod tests;
mod turns_apart;
mod values;
mod virtual_calls;
