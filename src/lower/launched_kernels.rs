//! Launches of every unit, and which kernels they are of.
//!
//! Given the units of a run, finds their launches, those of kernels that another unit defines among them. Knows
//! nothing of bodies.

use super::foreign_launches::{self, ByKernel, is_header};
use super::instances::instance_text;
use super::kernel::span_of;
use super::{Unit, UnitInput};
use crate::host::{self, ForeignLaunch, HostLaunch};
use crate::ir::{DefinedKernel, Launch, LaunchSite};
use crate::sema::consteval::{LambdaValue, Value};
use crate::sema::scope::{self, Env};
use crate::source::{SourceMap, Span};
use crate::syntax::ast;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::sync::Arc;

pub(super) struct Launches<'a> {
    units: &'a [Unit<'a>],
    /// Per unit.
    found: Vec<host::Launches>,
    /// Launches of kernels that other units define.
    foreign: ByKernel,
}

/// With namespaces.
pub(super) fn qualified(function: &ast::Function, namespace: &str) -> String {
    if namespace.is_empty() {
        function.name.to_string()
    } else {
        format!("{namespace}::{}", function.name)
    }
}

fn parameters(function: &ast::Function) -> Vec<String> {
    let name = |p: &ast::Parameter| p.name.as_deref().unwrap_or_default().to_owned();
    function.parameters.iter().map(name).collect()
}

/// Names of a kernel's parameters, and behind them of what it is handed with lambdas.
fn all_parameters(function: &ast::Function, env: &Env) -> Vec<String> {
    let mut names = parameters(function);
    for name in function.parameters.iter().filter_map(|p| p.name.as_deref()) {
        if let Some(scope::Binding::Value(Value::Lambda(one), _)) = env.get(&LambdaValue::key(name))
        {
            let handed = one.handed_one_by_one().into_iter();
            names.extend(handed.map(|(_, slot)| slot.name.to_string()));
        }
    }
    names
}

impl<'a> Launches<'a> {
    pub fn collect(units: &'a [Unit<'a>], inputs: &[UnitInput<'_>], sources: &SourceMap) -> Self {
        let found: Vec<host::Launches> = units
            .par_iter()
            .zip(inputs.par_iter())
            .map(|(unit, input)| {
                let text = &input.expanded.text;
                host::launches(&unit.names, input.unit, text, is_header(input.path))
            })
            .collect();
        let sets: Vec<usize> = inputs.iter().map(|input| input.set).collect();
        Self {
            foreign: foreign_launches::join(units, &found, &sets, sources),
            units,
            found,
        }
    }

    fn own(&self, at: usize, function: &Arc<ast::Function>) -> impl Iterator<Item = &HostLaunch> {
        self.found
            .get(at)
            .into_iter()
            .flat_map(|found| &found.host)
            .filter(|launch| Arc::ptr_eq(&launch.kernel, function))
    }

    /// Launches of a kernel by units that don't define it, each with its unit.
    fn others(
        &self,
        function: &Arc<ast::Function>,
    ) -> impl Iterator<Item = (usize, &ForeignLaunch)> {
        let of_kernel = self.foreign.get(&foreign_launches::key(function));
        of_kernel.into_iter().flatten().filter_map(|(unit, index)| {
            let launch = self.found.get(*unit)?.foreign.get(*index)?;
            Some((*unit, launch))
        })
    }

    fn placed(&self, at: usize, launch: &Launch, range: ast::Range) -> Launch {
        let span = self.units.get(at).map(|unit| span_of(unit, range));
        Launch {
            span,
            ..launch.clone()
        }
    }

    /// Every kernel that the units define, in order of place.
    pub fn defined(&self) -> Vec<DefinedKernel> {
        let mut out: Vec<DefinedKernel> = Vec::new();
        for unit in self.units {
            out.extend(unit.names.kernels().map(|(function, namespace)| {
                DefinedKernel {
                    name: qualified(function, namespace),
                    span: span_of(unit, function.name_range),
                    is_template: unit
                        .names
                        .own_head(function, &Env::new(unit.names.home(function)))
                        .is_some_and(|head| !head.parameters.is_empty()),
                }
            }));
        }
        out.sort_by(|a, b| (a.span, &a.name).cmp(&(b.span, &b.name)));
        out.dedup_by(|a, b| (a.span, &a.name) == (b.span, &b.name));
        out
    }

    /// Launches of the units that no run gets to.
    pub fn unreached(&self) -> impl Iterator<Item = Span> + '_ {
        let units = self.units.iter().zip(&self.found);
        units.flat_map(|(unit, found)| found.unreached.iter().map(|range| span_of(unit, *range)))
    }

    /// Every launch of the units, with the kernel that it is of.
    pub fn sites(&self) -> Vec<LaunchSite> {
        let mut out = Vec::new();
        for (at, found) in self.found.iter().enumerate() {
            let Some(unit) = self.units.get(at) else {
                continue;
            };
            for l in &found.host {
                out.push(LaunchSite {
                    kernel: l.name.clone(),
                    instance: l.instance.clone(),
                    defined: Some(span_of(unit, l.kernel.name_range)),
                    launch: self.placed(at, &l.launch, l.range),
                    also: l.also.iter().map(|r| span_of(unit, *r)).collect(),
                    written: l.written.clone(),
                    parameters: all_parameters(&l.kernel, &l.env),
                    problem: l.problem.clone(),
                });
            }
            for l in &found.lost {
                out.push(LaunchSite {
                    kernel: l.callee.clone(),
                    instance: String::new(),
                    defined: None,
                    launch: self.placed(at, &l.launch, l.range),
                    also: Vec::new(),
                    written: l.written.clone(),
                    parameters: Vec::new(),
                    problem: Some(l.reason.clone()),
                });
            }
        }
        let mut met: FxHashSet<*const ForeignLaunch> = FxHashSet::default();
        for unit in self.units {
            for (function, namespace) in unit.names.kernels() {
                let home = Env::new(unit.names.home(function));
                let head = unit.names.own_head(function, &home);
                let head = head.filter(|head| !head.parameters.is_empty());
                for (other, l) in self.others(function) {
                    met.insert(std::ptr::from_ref(l));
                    let bound = head.map(|head| self.bound(unit, function, &home, head, l));
                    let Some(from) = self.units.get(other) else {
                        continue;
                    };
                    out.push(LaunchSite {
                        kernel: qualified(function, namespace),
                        instance: match (&bound, head) {
                            (Some(Some(env)), Some(head)) => instance_text(head, env),
                            _ => String::new(),
                        },
                        defined: Some(span_of(unit, function.name_range)),
                        launch: self.placed(other, &l.launch, l.range),
                        also: l.also.iter().map(|r| span_of(from, *r)).collect(),
                        written: l.written.clone(),
                        parameters: parameters(function),
                        problem: matches!(bound, Some(None))
                            .then(|| Arc::from("its template arguments are not known")),
                    });
                }
            }
        }
        for (at, found) in self.found.iter().enumerate() {
            for l in &found.foreign {
                let Some(unit) = self.units.get(at) else {
                    continue;
                };
                if met.contains(&std::ptr::from_ref(l)) {
                    continue;
                }
                out.push(LaunchSite {
                    kernel: l.name.clone(),
                    instance: String::new(),
                    defined: None,
                    launch: self.placed(at, &l.launch, l.range),
                    also: l.also.iter().map(|r| span_of(unit, *r)).collect(),
                    written: l.written.clone(),
                    parameters: Vec::new(),
                    problem: None,
                });
            }
        }
        out
    }

    /// The template arguments that a launch elsewhere gives a kernel.
    fn bound(
        &self,
        unit: &Unit<'_>,
        function: &Arc<ast::Function>,
        home: &Env,
        head: &ast::TemplateHead,
        launch: &ForeignLaunch,
    ) -> Option<Env> {
        scope::bind_values(&unit.names, home, head, launch.arguments.clone(), &[])
            .ok()
            .or_else(|| {
                if !launch.arguments.is_empty() {
                    return None;
                }
                let types = &launch.argument_types;
                scope::deduce(&unit.names, home, home, function, &[], types)
            })
    }

    /// Launches of a kernel that is no template.
    pub fn of(&self, at: usize, function: &Arc<ast::Function>) -> Vec<Launch> {
        let own = self
            .own(at, function)
            .map(|found| self.placed(at, &found.launch, found.range));
        let others = self
            .others(function)
            .map(|(other, found)| self.placed(other, &found.launch, found.range));
        own.chain(others).collect()
    }

    /// Launches of a kernel template some of whose arguments are not known: what is, and the launch.
    pub fn open_instances(&self, at: usize, function: &Arc<ast::Function>) -> Vec<(Env, Launch)> {
        self.own(at, function)
            .filter(|found| found.problem.is_some())
            .map(|found| {
                let launch = self.placed(at, &found.launch, found.range);
                (found.env.clone(), launch)
            })
            .collect()
    }

    /// Instances of a kernel template with the launches that use them.
    pub fn instances(
        &self,
        at: usize,
        function: &Arc<ast::Function>,
        home: &Env,
        head: &ast::TemplateHead,
    ) -> Vec<(Env, String, Launch)> {
        let Some(unit) = self.units.get(at) else {
            return Vec::new();
        };
        let mut out: Vec<(Env, String, Launch)> = self
            .own(at, function)
            .filter(|found| found.problem.is_none())
            .map(|found| {
                (
                    found.env.clone(),
                    found.instance.clone(),
                    self.placed(at, &found.launch, found.range),
                )
            })
            .collect();
        for (other, found) in self.others(function) {
            let bound = self.bound(unit, function, home, head, found);
            if let Some(env) = bound {
                let text = instance_text(head, &env);
                out.push((env, text, self.placed(other, &found.launch, found.range)));
            }
        }
        out
    }
}
