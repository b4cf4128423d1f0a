//! Which kernel a launch is of that finds none with a body in its own unit.
//!
//! Given the units of a run with their launches, gives to each definition the launches of other units that are of it.
//! A launch goes to the nearest kernels that its declaration may mean; one whose kernel no file declares, to those
//! whose name it can see. Of two programs of one run neither launches the kernels of the other.

use super::Unit;
use super::kernel::span_of;
use crate::host::{self, DeclaredKernel, ForeignLaunch};
use crate::sema::scope::{self, Env};
use crate::sema::types::Type;
use crate::source::{HEADER_EXTENSIONS, SourceMap, Span};
use crate::syntax::ast;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use std::sync::Arc;

/// Unit and index of each launch, by the kernel that it is of.
pub(super) type ByKernel = FxHashMap<usize, Vec<(usize, usize)>>;

/// A kernel with a body.
struct Definition<'a> {
    unit: usize,
    function: &'a Arc<ast::Function>,
    namespace: String,
    span: Span,
    /// It stands in a header.
    is_included: bool,
    /// It stands in a file with a `main` of its own: no other program has it.
    is_of_program: bool,
    /// A launch of its own unit is of it.
    is_launched: bool,
}

/// What a kernel is known by in [`ByKernel`].
pub(super) fn key(function: &Arc<ast::Function>) -> usize {
    Arc::as_ptr(function) as usize
}

/// Whether a file is there to be included.
pub(super) fn is_header(path: &Path) -> bool {
    let extension = path.extension().and_then(|end| end.to_str());
    extension.is_some_and(|end| HEADER_EXTENSIONS.contains(&end))
}

fn folder<'a>(unit: &Unit<'a>) -> &'a Path {
    unit.path.parent().unwrap_or(unit.path)
}

fn shared_components(a: &Path, b: &Path) -> usize {
    a.components()
        .zip(b.components())
        .take_while(|(a, b)| a == b)
        .count()
}

/// Joins launches to kernels. `sets` says which set each unit belongs to: launches stay in it.
pub(super) fn join(
    units: &[Unit<'_>],
    found: &[host::Launches],
    sets: &[usize],
    sources: &SourceMap,
) -> ByKernel {
    let mut joined = ByKernel::default();
    if found.iter().all(|found| found.foreign.is_empty()) {
        return joined;
    }
    let has_main: Vec<bool> = units.iter().map(has_main).collect();
    let definitions = definitions(units, found, &has_main, sources);
    let mains: FxHashSet<(usize, &Path)> = (units.iter().zip(sets).zip(&has_main))
        .filter(|(_, has_main)| **has_main)
        .map(|((unit, set), _)| (*set, folder(unit)))
        .collect();
    for (at, launches) in found.iter().enumerate() {
        for (index, launch) in launches.foreign.iter().enumerate() {
            let plain = launch.name.rsplit("::").next().unwrap_or(&launch.name);
            let of_name = definitions.get(plain).into_iter().flatten();
            let of_name: Vec<&Definition> = of_name.collect();
            // An alias of a namespace is another name of it.
            let by_alias = are_one(&of_name) && launch.name.trim_start_matches("::").contains("::");
            let candidates: Vec<&Definition> = of_name
                .into_iter()
                .filter(|one| sets[one.unit] == sets[at])
                .filter(|one| may_be(units, one, launch, by_alias))
                .filter(|one| !(one.is_of_program && has_main[at]))
                .collect();
            for one in nearest(units, &mains, (at, sets[at]), launch, candidates) {
                let of_kernel = joined.entry(key(one.function)).or_default();
                of_kernel.push((at, index));
            }
        }
    }
    joined
}

fn definitions<'a>(
    units: &'a [Unit<'a>],
    found: &[host::Launches],
    has_main: &[bool],
    sources: &SourceMap,
) -> FxHashMap<String, Vec<Definition<'a>>> {
    let mut definitions: FxHashMap<String, Vec<Definition>> = FxHashMap::default();
    for (at, unit) in units.iter().enumerate() {
        let own = found.get(at).into_iter().flat_map(|found| &found.host);
        let launched: FxHashSet<usize> = own.map(|launch| key(&launch.kernel)).collect();
        for (function, namespace) in unit.names.kernels() {
            let span = span_of(unit, function.name_range);
            let is_included = is_header(&sources.get(span.file).path);
            let one = Definition {
                is_included,
                is_of_program: has_main[at] && !is_included,
                unit: at,
                function,
                namespace: namespace.to_owned(),
                span,
                is_launched: launched.contains(&key(function)),
            };
            let of_name = definitions.entry(function.name.to_string());
            of_name.or_default().push(one);
        }
    }
    definitions
}

fn has_main(unit: &Unit<'_>) -> bool {
    let mut all = unit.names.functions_in_order();
    all.any(|(home, function)| {
        let is_named = &*function.name == "main" && unit.names.scope_name(home).is_empty();
        is_named && function.body.is_some()
    })
}

/// Whether all stand at one place: units that include a header have its kernels each.
fn are_one(all: &[&Definition]) -> bool {
    all.iter().all(|one| one.span == all[0].span)
}

/// Of the kernels that a launch may be of, those that lie nearest to it.
fn nearest<'d, 'a>(
    units: &[Unit<'_>],
    mains: &FxHashSet<(usize, &Path)>,
    (at, set): (usize, usize),
    launch: &ForeignLaunch,
    mut candidates: Vec<&'d Definition<'a>>,
) -> Vec<&'d Definition<'a>> {
    let from = folder(&units[at]);
    // Nobody else can be meant.
    if !launch.declared.is_empty() && are_one(&candidates) {
        return candidates;
    }
    let shared = |one: &&Definition| shared_components(folder(&units[one.unit]), from);
    let Some(best) = candidates.iter().map(shared).max() else {
        return Vec::new();
    };
    candidates.retain(|one| shared(one) == best);
    let is_here = |one: &&Definition| folder(&units[one.unit]) == from;
    if candidates.iter().any(is_here) {
        candidates.retain(is_here);
        return candidates;
    }
    let is_one = are_one(&candidates);
    let has_main = |folder: &Path| mains.contains(&(set, folder));
    candidates.retain(|one| {
        let is_of_other_program = has_main(from) && has_main(folder(&units[one.unit]));
        let is_declared = !launch.declared.is_empty();
        // A kernel that no file declares may stand in a header that is not there.
        !is_of_other_program && (is_declared || is_one && (one.is_included || !one.is_launched))
    });
    candidates
}

/// Whether a launch may be of a kernel: as the launch's unit declares it, or else by its name and arguments.
fn may_be(units: &[Unit<'_>], one: &Definition, launch: &ForeignLaunch, by_alias: bool) -> bool {
    let unit = &units[one.unit];
    let is_local = unit.names.has_internal_linkage(one.function);
    if !launch.declared.is_empty() {
        let mut all = launch.declared.iter();
        return !is_local && all.any(|declared| declares(unit, one, declared));
    }
    (!is_local || one.is_included)
        && (by_alias || is_visible(one, launch))
        && may_take(unit, one.function, launch)
}

/// Whether a declaration is of a kernel: namespace and types of parameters, as far as they are known.
fn declares(unit: &Unit<'_>, one: &Definition, declared: &DeclaredKernel) -> bool {
    let function = one.function;
    let is_template = !function.templates.is_empty();
    let is_alike = declared.namespace == one.namespace
        && declared.is_template == is_template
        && declared.parameters.len() == function.parameters.len();
    let env = Env::new(unit.names.home(function));
    is_alike
        && (is_template
            || (declared.parameters.iter().zip(&function.parameters)).all(
                |(declared, parameter)| {
                    let defined = scope::resolve_type(&unit.names, &env, &parameter.ty);
                    let is_open = [declared, &defined].iter().any(|ty| scope::has_unknown(ty));
                    is_open || alike(declared, &defined)
                },
            ))
}

/// Whether two types of parameters may be one: of two units, whose classes are told apart by place, classes are.
fn alike(one: &Type, other: &Type) -> bool {
    let (one, other) = (one.clone().unqualified(), other.clone().unqualified());
    match (&one, &other) {
        (Type::Pointer(a) | Type::Array(a, _), Type::Pointer(b) | Type::Array(b, _)) => alike(a, b),
        (Type::Scalar(a, of_a), Type::Scalar(b, of_b)) => {
            let are_numbers = of_a.is_number() && of_b.is_number();
            a == b && (!are_numbers || one.is_identical(&other) != Some(false))
        }
        (Type::Scalar(..), Type::Pointer(_)) | (Type::Pointer(_), Type::Scalar(..)) => false,
        _ => true,
    }
}

/// Whether the name as the launch writes it may be the kernel's, seen from where the launch stands.
fn is_visible(one: &Definition, launch: &ForeignLaunch) -> bool {
    let full = match &*one.namespace {
        "" => one.function.name.to_string(),
        namespace => format!("{namespace}::{}", one.function.name),
    };
    let written = launch.name.trim_start_matches("::");
    let mut seen = launch.sees.iter();
    full == written
        || seen.any(|namespace| {
            let rest = full.strip_prefix(&**namespace);
            rest.and_then(|rest| rest.strip_prefix("::")) == Some(written)
        })
}

/// Whether a kernel's parameters can take a launch's arguments: pointers to other numbers are meant for
/// another kernel of its name.
fn may_take(unit: &Unit<'_>, function: &Arc<ast::Function>, launch: &ForeignLaunch) -> bool {
    let given = &launch.argument_types;
    let is_template = !function.templates.is_empty();
    if given.len() > function.parameters.len() || (!is_template && !launch.arguments.is_empty()) {
        return false;
    }
    let env = Env::new(unit.names.home(function));
    let mut left = (given.len()..function.parameters.len()).filter(|_| !given.is_empty());
    if left.any(|nth| {
        let default = unit.names.default_argument(function, &env, nth);
        !function.parameters[nth].is_pack && default.is_none()
    }) {
        return false;
    }
    if is_template {
        return true;
    }
    let number = |ty: &Type| match ty.strip_reference() {
        Type::Pointer(to) => match (**to).clone().unqualified() {
            Type::Scalar(s, _) => Some(s),
            _ => None,
        },
        _ => None,
    };
    let mut pairs = function.parameters.iter().zip(given);
    pairs.all(|(parameter, given)| {
        let taken = scope::resolve_type(&unit.names, &env, &parameter.ty);
        match (number(&taken), number(given)) {
            (Some(a), Some(b)) => a == b,
            (None, Some(_)) => !matches!(taken.strip_reference(), Type::Scalar(..)),
            _ => true,
        }
    })
}
