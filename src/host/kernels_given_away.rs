//! Kernels that are passed to a function which is not followed, and may be launched there in any way.
//!
//! Given the functions of a unit; finds the calls that hand a kernel to a macro, a function or an object
//! of a header that was not found, or of another file: whoever has it may launch it in any shape.

use super::kernel_flow::Flow;
use super::operands;
use super::reaching::{LAUNCH_CALLS, Survey};
use super::unseen_launches::{each_expr, open};
use super::{HostLaunch, record};
use crate::sema::scope::{self, Callee, Env, Names};
use crate::sema::types::Type;
use crate::syntax::ast::{self, Expr, ExprKind, UnaryOp};
use rustc_hash::FxHashSet;

const REASON: &str = "the function that gets the kernel is not followed";
const RETURNED: &str = "whoever gets the kernel from a function is not followed";
/// Nesting of lists and casts around a kernel's name.
const MAX_DEPTH: u32 = 8;

/// Who is called by what names.
pub(super) struct Known<'s> {
    /// Functions and methods with a body.
    functions: FxHashSet<&'s str>,
    methods: FxHashSet<&'s str>,
    /// Parameters and lambdas: what these may hold is followed.
    variables: FxHashSet<&'s str>,
}

impl<'s> Known<'s> {
    fn of(survey: &'s Survey<'_>) -> Self {
        let mut out = Self {
            functions: FxHashSet::default(),
            methods: FxHashSet::default(),
            variables: FxHashSet::default(),
        };
        for body in survey.all_bodies() {
            let f = body.function;
            out.functions.insert(&f.name);
            if body.record.is_some() || f.qualifier.is_some() {
                out.methods.insert(&f.name);
            }
            out.add_parameters(&f.parameters);
            let lambdas = body.summary.lambdas.iter();
            out.variables.extend(lambdas.map(|(name, ..)| &**name));
            each_expr(f.body.iter().flatten(), &mut |e| {
                if let ExprKind::Lambda(l) = &e.kind {
                    out.add_parameters(&l.parameters);
                }
            });
        }
        out
    }

    fn add_parameters(&mut self, all: &'s [ast::Parameter]) {
        let names = all.iter().filter_map(|p| p.name.as_deref());
        self.variables.extend(names);
    }

    /// Whether what a call does with its arguments is seen elsewhere, or is known to launch nothing.
    pub fn follows(&self, names: &Names<'_>, env: &Env, callee: &Expr) -> bool {
        match &callee.kind {
            ExprKind::Path(p) => {
                let Some(last) = p.segments.last() else {
                    return true;
                };
                let name = &*last.name;
                let is_variable = p.segments.len() == 1 && self.variables.contains(name);
                // `std::invoke`, `std::make_unique` and their like do with a kernel whatever it was given for.
                let is_of_std = p
                    .segments
                    .first()
                    .is_some_and(|first| &*first.name == "std");
                let is_of_library =
                    p.segments.len() > 1 && operands::may_be_of_library(p) && !is_of_std;
                let is_class = || {
                    let ty = ast::TypeExpr::named(p.clone());
                    matches!(scope::resolve_type(names, env, &ty), Type::Record(_))
                };
                LAUNCH_CALLS.contains(&name)
                    || self.functions.contains(name)
                    || is_variable
                    || is_of_library
                    || operands::takes_values(name) && !name.contains("Launch")
                    || is_class()
            }
            ExprKind::Member { member, .. } => {
                let last = member.segments.last();
                last.is_none_or(|s| self.methods.contains(&*s.name))
            }
            ExprKind::Construct { ty, .. } => {
                matches!(scope::resolve_type(names, env, ty), Type::Record(_))
            }
            ExprKind::Other(name) => *name != "new",
            ExprKind::Lambda(_) => true,
            _ => false,
        }
    }
}

impl Known<'_> {
    /// Whether somebody in sight takes what a name gives as template arguments: a function, a class or a variable.
    pub fn is_in_sight(&self, names: &Names<'_>, env: &Env, path: &ast::Path) -> bool {
        let is_function = |last: &ast::Segment| self.functions.contains(&*last.name);
        let ty = ast::TypeExpr::named(path.clone());
        path.segments.last().is_some_and(is_function)
            || matches!(scope::resolve_type(names, env, &ty), Type::Record(_))
    }
}

/// Launches of kernels that nobody in sight does; nothing is known of their shape.
pub(super) fn launches(names: &Names<'_>, survey: &Survey<'_>) -> Vec<HostLaunch> {
    let mut out = Vec::new();
    let kernels: FxHashSet<&str> = names.kernels().map(|(f, _)| &*f.name).collect();
    if kernels.is_empty() {
        return out;
    }
    let known = Known::of(survey);
    let is_whole = survey.has_main && !survey.calls_elsewhere;
    for body in survey.all_bodies() {
        let function = body.function;
        let env = Env::new(names.home(function));
        let is_called_elsewhere =
            !is_whole && function.templates.is_empty() && !names.has_internal_linkage(function);
        if is_called_elsewhere {
            for e in returned(function) {
                let mut kernels = Vec::new();
                named(names, &env, e, &mut kernels, MAX_DEPTH);
                for (kernel, path) in kernels {
                    let mut launch = open(names, &kernel.function, e.range, true, RETURNED);
                    instantiate(names, &env, &kernel, path, &mut launch);
                    out.push(launch);
                }
            }
        }
        // What stands for types and numbers here is another thing in each instance.
        let is_template = !function.templates.is_empty() || body.record.is_some();
        let flow = Flow::new(names, &env, &known, &kernels);
        for lost in flow.lost(function, body.record.map(|class| &**class)) {
            let mut launch = open(names, &lost.kernel.function, lost.range, true, REASON);
            if !is_template {
                instantiate(names, &env, &lost.kernel, lost.path, &mut launch);
            }
            out.push(launch);
        }
    }
    out
}

/// What a function gives back.
fn returned(function: &ast::Function) -> Vec<&Expr> {
    let mut found = Vec::new();
    for statement in function.body.iter().flatten() {
        statement.any_inside(&mut |inner| {
            if let ast::StmtKind::Return(Some(e)) = &inner.kind {
                found.push(e);
            }
            false
        });
    }
    found
}

/// The kernels that an argument names.
fn named<'e>(
    names: &Names<'_>,
    env: &Env,
    e: &'e Expr,
    out: &mut Vec<(Callee, &'e ast::Path)>,
    depth: u32,
) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    match &e.kind {
        ExprKind::Path(p) => {
            let all = names.functions(env, p).into_iter();
            let kernels = all.filter(|c| c.function.attributes.global && c.function.body.is_some());
            out.extend(kernels.map(|c| (c, p)));
        }
        ExprKind::Unary(UnaryOp::AddressOf | UnaryOp::Deref, inner)
        | ExprKind::Cast { value: inner, .. } => named(names, env, inner, out, depth),
        ExprKind::Conditional(_, a, b) => {
            named(names, env, a, out, depth);
            named(names, env, b, out, depth);
        }
        ExprKind::List(items) => {
            for (_, item) in items {
                named(names, env, item, out, depth);
            }
        }
        _ => {}
    }
}

/// Says which instance of a kernel is given away, where its name tells.
fn instantiate(
    names: &Names<'_>,
    env: &Env,
    kernel: &Callee,
    path: &ast::Path,
    launch: &mut HostLaunch,
) {
    let Some(explicit) = path.segments.last().and_then(|s| s.arguments.as_deref()) else {
        return;
    };
    let of = &kernel.function;
    let Ok(bound) = scope::deduce_with_reason(names, env, &kernel.env, of, explicit, &[]) else {
        return;
    };
    let instance = record::instance(names, kernel, &bound);
    if !instance.is_empty() && !instance.contains('?') {
        launch.instance = instance;
        launch.env = bound;
        launch.problem = None;
    }
}
