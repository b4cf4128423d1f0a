//! Launches of every unit, and which kernels they are of.
//!
//! Given the units of a run, finds their launches and joins those of kernels that
//! another unit defines to the definition that lies nearest. Knows nothing of bodies.

use super::instances::instance_text;
use super::kernel::span_of;
use super::{Unit, UnitInput};
use crate::host::{self, ForeignLaunch, HostLaunch};
use crate::ir::{DefinedKernel, Launch, LaunchSite};
use crate::sema::consteval::{LambdaValue, Value};
use crate::sema::scope::{self, Env};
use crate::sema::types::Type;
use crate::source::{HEADER_EXTENSIONS, Span};
use crate::syntax::ast;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use std::sync::Arc;

pub(super) struct Launches<'a> {
    units: &'a [Unit<'a>],
    /// Per unit.
    found: Vec<host::Launches>,
    /// Unit and index of every launch of a kernel without a body in its unit, by plain name.
    foreign: FxHashMap<String, Vec<(usize, usize)>>,
    /// Per unit: its set, and path components that all units of the set share.
    sets: Vec<(usize, usize)>,
}

fn shared_components(a: &Path, b: &Path) -> usize {
    a.components()
        .zip(b.components())
        .take_while(|(a, b)| a == b)
        .count()
}

fn folder<'a>(unit: &Unit<'a>) -> &'a Path {
    parent(unit.path)
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
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

/// The set of each unit, and the components that the folders of all units of the set share.
fn sets(inputs: &[UnitInput<'_>]) -> Vec<(usize, usize)> {
    let mut roots: FxHashMap<usize, (&Path, usize)> = FxHashMap::default();
    for input in inputs {
        let folder = parent(input.path);
        let all = (folder, folder.components().count());
        let (first, root) = roots.entry(input.set).or_insert(all);
        *root = shared_components(first, folder).min(*root);
    }
    let of = |input: &UnitInput<'_>| roots.get(&input.set).map_or(0, |(_, root)| *root);
    inputs.iter().map(|input| (input.set, of(input))).collect()
}

/// Whether a kernel's parameters can take a launch's arguments: pointers to other numbers are meant for
/// another kernel of its name.
fn may_take(unit: &Unit<'_>, function: &ast::Function, launch: &ForeignLaunch) -> bool {
    if !function.templates.is_empty() {
        return true;
    }
    let env = Env::default();
    let number = |ty: &Type| match ty.strip_reference() {
        Type::Pointer(to) => match (**to).clone().unqualified() {
            Type::Scalar(s, _) => Some(s),
            _ => None,
        },
        _ => None,
    };
    let mut pairs = function.parameters.iter().zip(&launch.argument_types);
    pairs.all(|(parameter, given)| {
        let taken = scope::resolve_type(&unit.names, &env, &parameter.ty);
        match (number(&taken), number(given)) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        }
    })
}

/// Whether a file is there to be included.
fn is_header(path: &Path) -> bool {
    let extension = path.extension().and_then(|end| end.to_str());
    extension.is_some_and(|end| HEADER_EXTENSIONS.contains(&end))
}

impl<'a> Launches<'a> {
    pub fn collect(units: &'a [Unit<'a>], inputs: &[UnitInput<'_>]) -> Self {
        let found: Vec<host::Launches> = units
            .par_iter()
            .zip(inputs.par_iter())
            .map(|(unit, input)| {
                let text = &input.expanded.text;
                host::launches(&unit.names, input.unit, text, is_header(input.path))
            })
            .collect();
        let mut foreign: FxHashMap<String, Vec<(usize, usize)>> = FxHashMap::default();
        for (at, launches) in found.iter().enumerate() {
            for (index, launch) in launches.foreign.iter().enumerate() {
                let plain = launch.name.rsplit("::").next().unwrap_or(&launch.name);
                foreign
                    .entry(plain.to_owned())
                    .or_default()
                    .push((at, index));
            }
        }
        Self {
            units,
            found,
            foreign,
            sets: sets(inputs),
        }
    }

    fn own(&self, at: usize, function: &Arc<ast::Function>) -> impl Iterator<Item = &HostLaunch> {
        self.found
            .get(at)
            .into_iter()
            .flat_map(|found| &found.host)
            .filter(|launch| Arc::ptr_eq(&launch.kernel, function))
    }

    /// Launches by units in which the kernel has no body, of the units that lie nearest.
    fn others(&self, at: usize, function: &ast::Function) -> Vec<(usize, &ForeignLaunch)> {
        let Some(all) = self.foreign.get(&*function.name) else {
            return Vec::new();
        };
        let (Some(unit), Some((set, root))) = (self.units.get(at), self.sets.get(at)) else {
            return Vec::new();
        };
        let is_of_set = |other: usize| self.sets.get(other).is_some_and(|(of, _)| of == set);
        let mut candidates = Vec::new();
        for (other, index) in all.iter().filter(|(other, _)| is_of_set(*other)) {
            let Some(launch) = self
                .found
                .get(*other)
                .and_then(|found| found.foreign.get(*index))
            else {
                continue;
            };
            let is_template = !function.templates.is_empty();
            if launch.argument_types.len() > function.parameters.len()
                || (!is_template && !launch.arguments.is_empty())
            {
                continue;
            }
            let Some(from) = self.units.get(*other) else {
                continue;
            };
            if !may_take(unit, function, launch) {
                continue;
            }
            candidates.push((
                shared_components(folder(unit), folder(from)),
                folder(unit) == folder(from),
                *other,
                launch,
            ));
        }
        let Some(best) = candidates.iter().map(|(shared, ..)| *shared).max() else {
            return Vec::new();
        };
        let is_ambiguous = candidates
            .iter()
            .any(|(.., other, _)| Some(*other) != candidates.first().map(|c| c.2));
        candidates
            .into_iter()
            .filter(|(shared, is_same, ..)| {
                *shared == best && (*is_same || !is_ambiguous || best > *root)
            })
            .map(|(_, _, other, launch)| (other, launch))
            .collect()
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
        for (at, unit) in self.units.iter().enumerate() {
            for (function, namespace) in unit.names.kernels() {
                let home = Env::new(unit.names.home(function));
                let head = unit.names.own_head(function, &home);
                let head = head.filter(|head| !head.parameters.is_empty());
                for (other, l) in self.others(at, function) {
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
        let own: Vec<Launch> = self
            .own(at, function)
            .map(|found| self.placed(at, &found.launch, found.range))
            .collect();
        if !own.is_empty() {
            return own;
        }
        self.others(at, function)
            .into_iter()
            .map(|(other, found)| self.placed(other, &found.launch, found.range))
            .collect()
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
        if !out.is_empty() || self.own(at, function).next().is_some() {
            return out;
        }
        for (other, found) in self.others(at, function) {
            let bound = self.bound(unit, function, home, head, found);
            if let Some(env) = bound {
                let text = instance_text(head, &env);
                out.push((env, text, self.placed(other, &found.launch, found.range)));
            }
        }
        out
    }
}
