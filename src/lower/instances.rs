//! Instances of kernels: every `__global__` function, once per set of template arguments.
//!
//! Given the units of a run, finds instances and launches and has each kernel
//! lowered once. Launches of a kernel are looked for in its own unit, then in the
//! others.

mod arguments;
mod counts;

use super::directives::{self, Head};
use super::kernel::{lower_kernel, span_of};
use super::launched_kernels::{Launches, qualified};
use super::place::last_name;
use super::{Options, Unit, UnitInput};
use crate::ir::{Kernel, Launch, LaunchSite, NotAnalysed, Omission, Program};
use crate::sema::consteval::{LambdaValue, Value};
use crate::sema::scope::{self, Env, Names};
use crate::sema::types::{Twin, Type};
use crate::source::{SourceMap, Span};
use crate::syntax::ast;
use crate::syntax::parse::UNREAD_KERNEL;
use arguments::{open_binding, without_arguments, written, written_out};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

pub(super) use arguments::instance_text;
pub(super) use counts::Counts;

/// Steps that a kernel has, however many there are in its file.
const LEAST_STEPS: u64 = 20_000;

/// A kernel's function with the arguments of one instance.
struct Instance {
    env: Env,
    /// `<float, 16>`
    text: String,
    launches: Vec<Launch>,
}

/// Which definition a kernel has. One place may hold several: those that one call of a macro makes, and those of a
/// header that is included again with other macros.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Defined {
    span: Span,
    name: String,
    /// Of its text as it is compiled.
    text: u64,
}

impl Defined {
    fn new(unit: &Unit<'_>, function: &ast::Function, span: Span, name: &str) -> Self {
        let range = function.range.start as usize..function.range.end as usize;
        let mut hasher = FxHasher::default();
        unit.expanded
            .text
            .get(range)
            .unwrap_or("")
            .hash(&mut hasher);
        Self {
            span,
            name: name.to_owned(),
            text: hasher.finish(),
        }
    }
}

/// A kernel that is to be lowered.
struct Work<'a> {
    unit: &'a Unit<'a>,
    function: &'a Arc<ast::Function>,
    name: String,
    instance: Instance,
    is_open: bool,
}

#[expect(clippy::too_many_lines, reason = "still to be split")]
pub(super) fn lower_all(
    units: &[Unit<'_>],
    inputs: &[UnitInput<'_>],
    sources: &SourceMap,
    options: &Options,
    counts: &mut Counts,
    program: &mut Program,
) {
    let launches = Launches::collect(units, inputs, sources);
    program.launch_sites.extend(launches.sites());
    program.defined.extend(launches.defined());
    program.unreached.extend(launches.unreached());
    for (unit, input) in units.iter().zip(inputs) {
        let unread = input.unit.problems.iter();
        for problem in unread.filter(|problem| problem.message == UNREAD_KERNEL) {
            program.not_analysed.push(NotAnalysed {
                function: "__global__".to_owned(),
                span: span_of(unit, problem.range),
                reason: problem.message.clone(),
                omission: Omission::Text,
            });
        }
    }
    let mut seen: FxHashMap<(Defined, String, String), usize> = FxHashMap::default();
    let mut defined: FxHashSet<Defined> = FxHashSet::default();
    let mut problems: FxHashSet<Defined> = FxHashSet::default();
    let mut work: Vec<Work<'_>> = Vec::new();
    // Templates that nothing instantiates come last: another unit may know the arguments.
    for is_open in [false, true] {
        if is_open {
            program
                .not_analysed
                .extend(unknown_beside_known(&program.launch_sites, &defined));
        }
        for (at, unit) in units.iter().enumerate() {
            for (function, namespace) in unit.names.kernels() {
                let span = span_of(unit, function.name_range);
                let name = qualified(function, namespace);
                let place = Defined::new(unit, function, span, &name);
                let is_wanted = |only: &FxHashSet<String>| only.contains(&name);
                if !options.only.as_ref().is_none_or(is_wanted) {
                    continue;
                }
                if let Some(problem) = &function.problem {
                    if problems.insert(place) {
                        program.not_analysed.push(NotAnalysed {
                            function: name,
                            span,
                            reason: problem.message.clone(),
                            omission: Omission::Text,
                        });
                    }
                    continue;
                }
                let found = if is_open {
                    if defined.contains(&place) {
                        continue;
                    }
                    open_instances(at, unit, function, &launches, options)
                } else {
                    instances(at, unit, function, &launches, options)
                };
                if !found.beyond.is_empty() {
                    counts.of(span, &name, sources).left_out += found.beyond.len();
                }
                for instance in found.instances {
                    defined.insert(place.clone());
                    let places = defined_at(unit, function, &instance.env);
                    match seen.entry((place.clone(), instance.text.clone(), places)) {
                        Entry::Occupied(known) => {
                            if let Some(known) = work.get_mut(*known.get()) {
                                join(known, unit, function, instance, span, sources);
                            }
                        }
                        Entry::Vacant(slot) => {
                            if !counts.of(span, &name, sources).take_room(options) {
                                continue;
                            }
                            slot.insert(work.len());
                            work.push(Work {
                                unit,
                                function,
                                name: name.clone(),
                                is_open: is_open && is_template(unit, function),
                                instance,
                            });
                        }
                    }
                }
            }
        }
    }
    let mut shares: FxHashMap<usize, u64> = FxHashMap::default();
    for one in &work {
        *shares
            .entry(std::ptr::from_ref(one.unit) as usize)
            .or_default() += 1;
    }
    let options_of = |unit: &Unit<'_>| {
        let kernels = shares.get(&(std::ptr::from_ref(unit) as usize));
        let share = options.max_file_steps / kernels.copied().unwrap_or(1);
        Options {
            max_steps: options.max_steps.min(share.max(LEAST_STEPS)),
            ..options.clone()
        }
    };
    let kernels: Vec<Kernel> = work
        .into_par_iter()
        .map(
            |Work {
                 unit,
                 function,
                 name,
                 instance,
                 is_open,
             }| {
                let mut kernel = lower_kernel(
                    unit,
                    sources,
                    &options_of(unit),
                    function,
                    &instance.env,
                    &name,
                    &instance.text,
                );
                merge(&mut kernel.launches, instance.launches);
                let is_directed = direct(&mut kernel, unit, function, sources);
                kernel.is_open = is_open && (kernel.launches.is_empty() || !is_directed);
                if options.folds {
                    kernel.folded()
                } else {
                    kernel
                }
            },
        )
        .collect();
    program.kernels.extend(kernels);
}

/// Launches of kernels whose instance is not known, where others are: what these do is not told.
fn unknown_beside_known(sites: &[LaunchSite], known: &FxHashSet<Defined>) -> Vec<NotAnalysed> {
    let known: FxHashSet<(Span, &str)> = known.iter().map(|one| (one.span, &*one.name)).collect();
    let mut out: Vec<NotAnalysed> = Vec::new();
    for site in sites {
        let (Some(problem), Some(kernel), Some(span)) =
            (&site.problem, site.defined, site.launch.span)
        else {
            continue;
        };
        let reason = format!("the instance that is launched here is not known: {problem}");
        let is_said = |one: &NotAnalysed| {
            one.span == span && one.function == site.kernel && one.reason == reason
        };
        if known.contains(&(kernel, &*site.kernel)) && !out.iter().any(is_said) {
            out.push(NotAnalysed {
                function: site.kernel.clone(),
                span,
                reason,
                omission: Omission::Launches,
            });
        }
    }
    out
}

/// Whether the function, not a specialisation of it, has template parameters of its own.
fn is_template(unit: &Unit<'_>, function: &Arc<ast::Function>) -> bool {
    let home = Env::new(unit.names.home(function));
    let head = unit.names.own_head(function, &home);
    head.is_some_and(|head| !head.parameters.is_empty())
}

/// The same instance seen in another unit. A file that others include is read in the unit that
/// includes it, which knows more of what it uses.
fn join<'a>(
    known: &mut Work<'a>,
    unit: &'a Unit<'a>,
    function: &'a Arc<ast::Function>,
    instance: Instance,
    span: Span,
    sources: &SourceMap,
) {
    let own = &sources.get(span.file).path;
    if known.unit.path == own && unit.path != own {
        let launches = std::mem::take(&mut known.instance.launches);
        known.unit = unit;
        known.function = function;
        known.instance = instance;
        merge(&mut known.instance.launches, launches);
    } else {
        merge(&mut known.instance.launches, instance.launches);
    }
}

/// Adds launches that are not there yet.
fn merge(to: &mut Vec<Launch>, from: Vec<Launch>) {
    for launch in from {
        let is_known = to.iter().any(|known| {
            known.grid == launch.grid
                && known.block == launch.block
                && known.dynamic_shared == launch.dynamic_shared
                && known.arguments == launch.arguments
        });
        if !is_known {
            to.push(launch);
        }
    }
}

/// Directives go before launches in the code; those of the whole file after them. Whether there are any.
fn direct(
    kernel: &mut Kernel,
    unit: &Unit<'_>,
    function: &ast::Function,
    sources: &SourceMap,
) -> bool {
    let span = span_of(unit, function.range);
    let mut own: Vec<Launch> = Vec::new();
    for fixture in &unit.directives.fixtures {
        if fixture.kernel != kernel.name
            && Some(&*fixture.kernel) != kernel.name.rsplit("::").next()
        {
            continue;
        }
        let instance: String = kernel
            .instance
            .chars()
            .filter(|c| !c.is_whitespace())
            .collect();
        if !fixture.template.is_empty() && !same_arguments(&fixture.template, &instance) {
            continue;
        }
        own.push(directives::fixture_launch(fixture, &kernel.parameters));
    }
    let head = Head::of(span, sources);
    for launch in &unit.directives.launches {
        let Some(at) = launch.span else { continue };
        let is_inside = at.file == span.file && span.start < at.start && at.end <= span.end;
        if is_inside || head.holds(at) {
            own.push(launch.clone());
        }
    }
    if !own.is_empty() {
        kernel.launches.clear();
        merge(&mut kernel.launches, own);
        return true;
    }
    let is_unlaunched = kernel.launches.is_empty();
    if is_unlaunched {
        let of_file = unit
            .directives
            .files
            .iter()
            .filter(|(file, _)| *file == span.file);
        merge(
            &mut kernel.launches,
            of_file.map(|(_, launch)| launch.clone()).collect(),
        );
    }
    is_unlaunched && !kernel.launches.is_empty()
}

/// Whether a fixture's template arguments name this instance, up to how types are spelled.
fn same_arguments(wanted: &str, instance: &str) -> bool {
    let plain = |text: &str| {
        text.replace("unsignedint", "unsigned")
            .replace("longlong", "long")
            .replace("__half", "half")
            .to_lowercase()
    };
    plain(wanted) == plain(instance)
}

/// The sets of template arguments that a kernel is known to be used with.
fn instances(
    at: usize,
    unit: &Unit<'_>,
    function: &Arc<ast::Function>,
    launches: &Launches<'_>,
    options: &Options,
) -> Found {
    let names = &unit.names;
    let home = Env::new(names.home(function));
    let mut out = Found::default();
    let head = names
        .own_head(function, &home)
        .filter(|head| !head.parameters.is_empty());
    let Some(head) = head else {
        let text = if function.arguments.is_empty() {
            String::new()
        } else {
            let arguments = scope::resolve_arguments(names, &home, &function.arguments, None);
            format!("<{}>", scope::display_list(&arguments))
        };
        return Found::one(Instance {
            env: home,
            text,
            launches: launches.of(at, function),
        });
    };
    for (env, text, launch) in launches.instances(at, function, &home, head) {
        out.add(
            names,
            function,
            options.max_instances,
            (env, text),
            Some(launch),
        );
    }
    for (env, text) in written_out(unit, function, &home, head) {
        out.add(names, function, options.max_instances, (env, text), None);
    }
    for fixture in unit
        .directives
        .fixtures
        .iter()
        .filter(|f| f.kernel == *function.name && !f.template.is_empty())
    {
        if let Some(one) = written(unit, &home, head, &fixture.template) {
            out.add(names, function, usize::MAX, one, None);
        }
    }
    out
}

/// The instances of one kernel that a file launches.
#[derive(Default)]
struct Found {
    instances: Vec<Instance>,
    /// Those over the limit.
    beyond: FxHashSet<String>,
}

impl Found {
    fn one(instance: Instance) -> Self {
        Self {
            instances: vec![instance],
            beyond: FxHashSet::default(),
        }
    }

    /// Adds a launch to the instance of these arguments, or the instance, where there are less than `most`.
    fn add(
        &mut self,
        names: &Names<'_>,
        function: &ast::Function,
        most: usize,
        (env, text): (Env, String),
        launch: Option<Launch>,
    ) {
        let is_known = |known: &&mut Instance| is_same(names, function, known, &env, &text);
        if let Some(known) = self.instances.iter_mut().find(is_known) {
            known.launches.extend(launch);
        } else if self.instances.len() < most {
            self.instances.push(Instance {
                env,
                text,
                launches: launch.into_iter().collect(),
            });
        } else {
            self.beyond.insert(text);
        }
    }
}

/// Whether an instance has these arguments, and not others that are displayed alike.
fn is_same(
    names: &Names<'_>,
    function: &ast::Function,
    known: &Instance,
    env: &Env,
    text: &str,
) -> bool {
    let arguments = |env| names.instance_of(function, env);
    known.text == text && arguments(&known.env) == arguments(env)
}

/// Where the classes, functions and templates among an instance's arguments are defined, which tells `a::X` from `b::X` in
/// whatever unit they are seen.
fn defined_at(unit: &Unit<'_>, function: &ast::Function, env: &Env) -> String {
    fn class(unit: &Unit<'_>, ty: &Type, out: &mut String) {
        match ty {
            Type::Pointer(to) | Type::Reference(to) | Type::Array(to, _) => class(unit, to, out),
            // It is displayed as the type of its values.
            Type::Scalar(_, Twin::Enumeration(one)) => {
                out.push_str(&format!("{:?} ", one.identity));
            }
            Type::Record(r) => {
                let span = span_of(unit, r.record.range);
                // A local class of a template has one place and many layouts.
                out.push_str(&format!("{span:?} {} {} ", r.size, r.align));
                r.arguments.iter().for_each(|one| binding(unit, one, out));
            }
            _ => {}
        }
    }
    fn binding(unit: &Unit<'_>, one: &scope::Binding, out: &mut String) {
        match one {
            // `f` of one namespace and `f` of another are written alike.
            scope::Binding::Value(Value::Function(f), _) => {
                for candidate in &f.candidates {
                    let span = span_of(unit, candidate.function.range);
                    out.push_str(&format!("{span:?} "));
                }
            }
            scope::Binding::Template(path, at) => {
                let class = unit.names.class_template(at, last_name(path), path.range);
                let span = class.map(|(class, _)| span_of(unit, class.range));
                out.push_str(&format!("{span:?} "));
            }
            scope::Binding::Value(value, of) => {
                out.push_str(&format!("{:?} ", value.ty()));
                of.iter().for_each(|of| class(unit, of, out));
            }
            scope::Binding::Type(t) => class(unit, t, out),
            scope::Binding::Pack(items) => items.iter().for_each(|one| binding(unit, one, out)),
            _ => {}
        }
    }
    let head = unit.names.own_head(function, env);
    let parameters = head.into_iter().flat_map(|head| &head.parameters);
    let mut out = String::new();
    let names = function.parameters.iter().filter_map(|p| p.name.as_deref());
    if names
        .map(LambdaValue::key)
        .any(|key| env.get(&key).is_some())
    {
        // A lambda is one of its unit, whatever text it has in another one.
        out.push_str(&unit.path.display().to_string());
    }
    for parameter in parameters {
        if let Some(one) = parameter.name.as_deref().and_then(|name| env.get(name)) {
            binding(unit, one, &mut out);
        }
    }
    out
}

/// The instances of a template of which none is known in full: what launches tell of their arguments, else
/// its defaults, else open types.
fn open_instances(
    at: usize,
    unit: &Unit<'_>,
    function: &Arc<ast::Function>,
    launches: &Launches<'_>,
    options: &Options,
) -> Found {
    let names = &unit.names;
    let home = Env::new(names.home(function));
    let Some(head) = names.own_head(function, &home) else {
        return Found::one(Instance {
            env: home,
            text: String::new(),
            launches: Vec::new(),
        });
    };
    let mut out = Found::default();
    for (env, launch) in launches.open_instances(at, function) {
        let text = instance_text(head, &env);
        out.add(
            names,
            function,
            options.max_instances,
            (env, text),
            Some(launch),
        );
    }
    if out.instances.is_empty() {
        return Found::one(unlaunched_instance(unit, &home, head));
    }
    if out.instances.len() > MOST_OPEN
        && let Some(one) = what_all_tell(unit, function, head, &out.instances)
    {
        return Found::one(one);
    }
    out
}

/// Instances of a template of which none is known in full. What depends on the rest stays unknown in each of
/// them, and takes time: where there are more, one stands for all.
const MOST_OPEN: usize = 4;

/// One instance for all of these: arguments in which they differ are open.
fn what_all_tell(
    unit: &Unit<'_>,
    function: &ast::Function,
    head: &ast::TemplateHead,
    all: &[Instance],
) -> Option<Instance> {
    let names = function.parameters.iter().filter_map(|p| p.name.as_deref());
    let mut keys = names.map(LambdaValue::key);
    let hands_lambdas = keys.any(|key| all.iter().any(|one| one.env.get(&key).is_some()));
    // An open pack has no length, and a lambda no common text.
    if hands_lambdas || head.parameters.iter().any(|p| p.is_pack) {
        return None;
    }
    let first = all.first()?;
    let mut env = first.env.clone();
    // Classes of one name may be several.
    let places = |one: &Instance| defined_at(unit, function, &one.env);
    let are_unlike = all.iter().any(|one| places(one) != places(first));
    for parameter in &head.parameters {
        let Some(name) = &parameter.name else {
            continue;
        };
        let text = |one: &Instance| one.env.get(name).map(ToString::to_string);
        if are_unlike || all.iter().any(|one| text(one) != text(first)) {
            let reason =
                format!("launches give `{name}` different values, of which not all are known");
            env.set(name.clone(), open_binding(parameter, reason));
        }
    }
    let mut launches = Vec::new();
    for one in all {
        merge(&mut launches, one.launches.clone());
    }
    Some(Instance {
        text: instance_text(head, &env),
        env,
        launches,
    })
}

/// The instance of a template that nothing is known to instantiate: its defaults, or open types.
fn unlaunched_instance(unit: &Unit<'_>, home: &Env, head: &ast::TemplateHead) -> Instance {
    match scope::bind_values(&unit.names, home, head, Vec::new(), &[]) {
        Ok(env) => Instance {
            text: instance_text(head, &env),
            env,
            launches: Vec::new(),
        },
        Err(_) => Instance {
            env: without_arguments(home, head),
            text: String::new(),
            launches: Vec::new(),
        },
    }
}
