//! Functions that pick a kernel, and in which environment a kernel's template arguments are read.
//!
//! Given an expression that stands for a kernel; says which kernels it may give, each with the environment
//! in which it was named, by reading every `return` of the functions that are called. A path that only
//! names tell to belong to a launch is read where it stands, without what is local there.

use super::operands::mentioned;
use super::reaching::Body;
use super::unseen_launches::each_expr;
use super::walk::{Walk, World};
use super::worlds::start_of_allocation;
use crate::sema::consteval::{self, FunctionValue, LambdaValue, Locals, Value, initial_value};
use crate::sema::scope::{self, Binding, Callee, Env, resolve_type};
use crate::sema::types::Type;
use crate::syntax::ast::{
    self, Condition, Expr, ExprKind, Member, Name, Path, Stmt, StmtKind, TemplateArgument, UnaryOp,
};
use std::sync::Arc;

/// Calls in calls, and nesting of statements and choices.
const MAX_DEPTH: u32 = 24;
/// Kernels that one expression may give.
const MAX_PICKED: usize = 256;

type Picked = Vec<Arc<FunctionValue>>;

impl Walk<'_, '_> {
    /// The kernels that an expression may give; `None` where it may give one that is not known.
    pub fn picked(&self, env: &Env, world: &World, e: &Expr) -> Option<Picked> {
        let mut out = Vec::new();
        self.gather(env, world, e, &mut out, MAX_DEPTH)?;
        let is_kernel = |f: &Arc<FunctionValue>| {
            let mut all = f.candidates.iter();
            all.any(|c| c.function.attributes.global)
        };
        (!out.is_empty() && out.iter().all(is_kernel)).then_some(out)
    }

    /// The kernels that a variable may hold.
    pub fn held_by(world: &World, e: &Expr) -> Option<Picked> {
        let path = match &e.kind {
            ExprKind::Path(path) => path,
            ExprKind::Cast { value, .. } => return Self::held_by(world, value),
            _ => return None,
        };
        let ([only], false) = (&path.segments[..], path.is_global) else {
            return None;
        };
        let slot = world.get(&only.name).filter(|slot| !slot.is_escaped)?;
        slot.may_hold.as_ref().map(|all| all.to_vec())
    }

    /// Whether a variable of this type may hold a kernel, where this is known of its value: a `void *` that may be
    /// a kernel is taken for a pointer into an allocation.
    pub fn may_hold_kernel(ty: &Type, value: Option<&Value>) -> bool {
        let is_open = matches!(
            value,
            None | Some(Value::Pointer {
                is_assumed: true,
                ..
            })
        );
        is_open
            && match ty.strip_reference() {
                // `cudaLaunchKernel` takes a kernel as a pointer to anything.
                Type::Pointer(to) => matches!(**to, Type::Function | Type::Void),
                ty => matches!(ty, Type::Function | Type::Unknown(_) | Type::Opaque(_)),
            }
    }

    fn gather(
        &self,
        env: &Env,
        world: &World,
        e: &Expr,
        out: &mut Picked,
        depth: u32,
    ) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        if out.len() > MAX_PICKED {
            return None;
        }
        match &e.kind {
            ExprKind::Null | ExprKind::Int { value: 0, .. } => Some(()),
            ExprKind::Unary(UnaryOp::AddressOf | UnaryOp::Deref, inner)
            | ExprKind::Cast { value: inner, .. } => self.gather(env, world, inner, out, depth),
            ExprKind::Conditional(c, a, b) => {
                let known = self.value(env, &mut world.clone(), c);
                let known = known.and_then(|v| v.as_bool());
                if known != Some(false) {
                    self.gather(env, world, a, out, depth)?;
                }
                if known != Some(true) {
                    self.gather(env, world, b, out, depth)?;
                }
                Some(())
            }
            ExprKind::Path(path) => {
                let value = self.value(env, &mut world.clone(), e).or_else(|| {
                    let last = path.segments.last()?;
                    let is_variable = path.segments.len() == 1 && world.get(&last.name).is_some();
                    let at = self.env_of(env, world);
                    let found = scope::function_value(self.names, &at, path);
                    found.filter(|_| !is_variable)
                });
                match value {
                    Some(Value::Function(f)) => out.push(f),
                    _ => {
                        // `NULL`, of a header that is not there.
                        let is_null = path.segments.len() == 1 && &*path.segments[0].name == "NULL";
                        return is_null.then_some(());
                    }
                }
                Some(())
            }
            ExprKind::Call { callee, arguments } => {
                self.gather_call(env, world, (callee, arguments), out, depth)
            }
            _ => None,
        }
    }

    fn gather_call(
        &self,
        env: &Env,
        world: &World,
        (callee, arguments): (&Expr, &[Expr]),
        out: &mut Picked,
        depth: u32,
    ) -> Option<()> {
        let at = self.env_of(env, world);
        let (candidates, last) = match &callee.kind {
            // `[&] { … return k<N>; }()`
            ExprKind::Lambda(_) => {
                let Some(Value::Lambda(v)) = self.value(env, &mut world.clone(), callee) else {
                    return None;
                };
                return self.gather_lambda((env, world), &v, arguments, out, depth);
            }
            ExprKind::Path(path) => {
                let last = path.segments.last()?;
                if path.segments.len() == 1
                    && let Some(slot) = world.get(&last.name)
                {
                    let Some(Value::Lambda(v)) = &slot.value else {
                        return None;
                    };
                    return self.gather_lambda((env, world), v, arguments, out, depth);
                }
                (self.names.functions(&at, path), last)
            }
            ExprKind::Member { object, member, .. } => {
                let last = member.segments.last()?;
                let of = self.argument_type(&at, world, object);
                let of = match of.strip_reference() {
                    Type::Pointer(to) => to.strip_reference().clone(),
                    of => of.clone(),
                };
                let Type::Record(r) = of else { return None };
                if self.survey.is_virtual(&last.name) {
                    return None;
                }
                (self.names.methods(&r, &last.name), last)
            }
            _ => return None,
        };
        let types: Vec<Type> = arguments
            .iter()
            .map(|a| self.argument_type(&at, world, a))
            .collect();
        let explicit = last.arguments.as_deref().unwrap_or_default();
        let (chosen, inner) =
            scope::overload_for_types(self.names, &at, &candidates, explicit, &types)?;
        let callee = self.definition_of(&candidates, chosen);
        let function = &callee.function;
        let body = function.body.as_ref()?;
        if function.attributes.global || function.problem.is_some() {
            return None;
        }
        // What parameters hold may change on the way to a `return`.
        let mut locals: World = Locals::default();
        for p in &function.parameters {
            let name = p.name.clone();
            let ty = resolve_type(self.names, &inner, &p.ty);
            name.into_iter()
                .for_each(|name| locals.push(name, ty.clone(), None));
        }
        self.returned(inner, locals, body, out, depth)
    }

    /// What a lambda may give that is called now.
    fn gather_lambda(
        &self,
        (env, world): (&Env, &World),
        v: &LambdaValue,
        arguments: &[Expr],
        out: &mut Picked,
        depth: u32,
    ) -> Option<()> {
        let l = &v.lambda;
        if !l.templates.is_empty() {
            return None;
        }
        let mut inside = self.around(world, v);
        // What it writes itself, and what it calls, may come before a `return`.
        for slot in inside.slots.iter_mut().filter(|slot| !slot.is_const) {
            slot.value = start_of_allocation(&slot.ty, true);
            slot.may_hold = None;
        }
        for (i, p) in l.parameters.iter().enumerate() {
            let Some(name) = &p.name else { continue };
            let mut ty = resolve_type(self.names, &v.env, &p.ty);
            if ty.strip_reference().is_unknown()
                && let Some(given) = arguments.get(i)
            {
                ty = self.argument_type(env, world, given);
            }
            inside.push(name.clone(), ty, None);
        }
        self.returned(v.env.clone(), inside, &l.body, out, depth)
    }

    /// What the `return`s of statements may give; variables that are no constants are not known.
    fn returned(
        &self,
        mut env: Env,
        mut world: World,
        body: &[Stmt],
        out: &mut Picked,
        depth: u32,
    ) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        for s in body {
            let one = |s: &Stmt, out: &mut Picked| {
                let body = std::slice::from_ref(s);
                self.returned(env.clone(), world.clone(), body, out, depth)
            };
            match &s.kind {
                StmtKind::Return(Some(e)) => self.gather(&env, &world, e, out, depth)?,
                StmtKind::Block(body) | StmtKind::Switch { body, .. } => {
                    self.returned(env.clone(), world.clone(), body, out, depth)?;
                }
                StmtKind::If {
                    init: None,
                    condition: Condition::Expr(c),
                    then,
                    otherwise,
                    ..
                } => {
                    let known = self.value(&env, &mut world.clone(), c);
                    let known = known.and_then(|v| v.as_bool());
                    if known != Some(false) {
                        one(then, out)?;
                    }
                    if let Some(otherwise) = otherwise.as_deref().filter(|_| known != Some(true)) {
                        one(otherwise, out)?;
                    }
                }
                StmtKind::For { body, .. }
                | StmtKind::While { body, .. }
                | StmtKind::DoWhile { body, .. } => one(body, out)?,
                StmtKind::Variables(vs) => {
                    for v in vs.iter() {
                        let is_constant =
                            v.storage.is_constexpr || consteval::is_const_object(&v.ty);
                        let at = self.env_of(&env, &world);
                        let ty = scope::variable_type(self.names, &at, v);
                        let value = initial_value(self.names, &at, &mut world.clone(), v);
                        world.push(v.name.clone(), ty, value.filter(|_| is_constant));
                    }
                }
                StmtKind::Alias(a) if a.template.is_none() => {
                    let at = self.env_of(&env, &world);
                    let ty = scope::resolve_qualified(self.names, &at, &a.ty);
                    env.set(a.name.clone(), Binding::Type(ty));
                }
                StmtKind::Expr(_)
                | StmtKind::Case(_)
                | StmtKind::Default
                | StmtKind::Break
                | StmtKind::Continue
                | StmtKind::Empty => {}
                _ => return None,
            }
        }
        Some(())
    }

    /// Where the template arguments of a kernel are read that stand somewhere in the text: nothing is
    /// known there of what is local. In a template it is read once for each instance that the text calls.
    pub fn homes_of_path(&self, path: &Path) -> Vec<Env> {
        let mut names = Vec::new();
        for argument in path.template_arguments() {
            mentioned_in(argument, &mut names);
        }
        let around = self.survey.all_bodies().find(|b| {
            let range = b.function.range;
            range.start <= path.range.start && path.range.end <= range.end
        });
        let Some(body) = around else {
            // In an initialiser of a namespace, or of a class.
            let mut env = Env::default();
            for name in names {
                if !self.names.mutable_variables(&name).is_empty() || !self.survey.is_unique(&name)
                {
                    hide(&mut env, name);
                }
            }
            return vec![env];
        };
        let key = Arc::as_ptr(body.function) as usize;
        let instances = self.picker_instances.get(&key);
        let mut homes: Vec<Env> = instances
            .into_iter()
            .flatten()
            .map(|(_, env)| self.hidden_in(body, env.clone(), &names, false))
            .collect();
        if homes.is_empty() || !self.is_called_here_only(body) {
            let env = Env::new(self.names.home(body.function));
            homes.push(self.hidden_in(body, env, &names, true));
        }
        homes
    }

    /// Whether nobody but the function that is read names this one.
    fn is_called_here_only(&self, body: &Body<'_>) -> bool {
        let name = &body.function.name;
        let is_it = |f: &Arc<ast::Function>| {
            let running = self.function.as_ref();
            running.is_some_and(|running| Arc::ptr_eq(running, f))
        };
        !self.survey.values.contains(name)
            && self.survey.all_bodies().all(|b| {
                let summary = &b.summary;
                let calls = [&summary.writes.calls, &summary.lambda_calls];
                is_it(b.function) || !calls.iter().any(|calls| calls.contains(name))
            })
    }

    /// The environment without what is local in a function; its template's parameters are kept where they are
    /// bound.
    fn hidden_in(&self, body: &Body<'_>, mut env: Env, names: &[Name], is_open: bool) -> Env {
        let function = body.function;
        let mut local: Vec<Name> = Vec::new();
        declared_by(function, is_open, &mut local);
        let is_method = body.record.is_some() || function.qualifier.is_some();
        if let Some(r) = body.record {
            members_of(r, &mut local);
        }
        for name in names {
            // Which names a class around it has is not told by a definition outside.
            if local.contains(name) || is_method && function.qualifier.is_some() {
                hide(&mut env, name.clone());
            }
        }
        env
    }

    /// Notes the instance of a template that names kernels, where one is called.
    pub(super) fn note_picker(&mut self, callee: &Callee, env: &Env) {
        let key = Arc::as_ptr(&callee.function) as usize;
        let instance = format!("{:?}", self.names.instance_of(&callee.function, env));
        let known = self.picker_instances.entry(key).or_default();
        if known.len() < MAX_PICKED && known.iter().all(|(other, _)| *other != instance) {
            known.push((instance, env.clone()));
        }
    }
}

fn hide(env: &mut Env, name: Name) {
    let ty = Type::unknown(format!("`{name}` is local where the kernel is named"));
    env.set(name, Binding::Variable(ty));
}

fn mentioned_in(argument: &TemplateArgument, out: &mut Vec<Name>) {
    match argument {
        TemplateArgument::Expr(e) => mentioned(e, out, MAX_DEPTH),
        TemplateArgument::Type(ty) => names_of(ty, out, MAX_DEPTH),
    }
}

/// Names without `::` in a type.
fn names_of(ty: &ast::TypeExpr, out: &mut Vec<Name>, depth: u32) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    match &ty.kind {
        ast::TypeKind::Named(path) => {
            out.extend(path.segments.first().map(|s| s.name.clone()));
            for argument in path.template_arguments() {
                match argument {
                    TemplateArgument::Expr(e) => mentioned(e, out, depth),
                    TemplateArgument::Type(ty) => names_of(ty, out, depth),
                }
            }
        }
        ast::TypeKind::Pointer { to, .. }
        | ast::TypeKind::Reference { to, .. }
        | ast::TypeKind::Array(to, _) => names_of(to, out, depth),
        _ => {}
    }
}

/// Every name that a function declares anywhere in it, and those of its template's parameters where they are open.
fn declared_by(function: &ast::Function, is_open: bool, out: &mut Vec<Name>) {
    let heads = function.templates.iter().filter(|_| is_open);
    let heads = heads.flat_map(|head| &head.parameters);
    out.extend(heads.filter_map(|p| p.name.clone()));
    out.extend(function.parameters.iter().filter_map(|p| p.name.clone()));
    let body = function.body.iter().flatten();
    body.clone().for_each(|s| declared_in(s, out, 64));
    each_expr(body, &mut |e| {
        if let ExprKind::Lambda(l) = &e.kind {
            let heads = l.templates.iter().flat_map(|head| &head.parameters);
            out.extend(heads.filter_map(|p| p.name.clone()));
            out.extend(l.parameters.iter().filter_map(|p| p.name.clone()));
            out.extend(l.captures.listed.iter().map(|c| c.name.clone()));
            l.body.iter().for_each(|s| declared_in(s, out, 64));
        }
    });
}

fn declared_in(s: &Stmt, out: &mut Vec<Name>, depth: u32) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    if let StmtKind::If {
        condition: Condition::Variable(v),
        ..
    }
    | StmtKind::While {
        condition: Condition::Variable(v),
        ..
    } = &s.kind
    {
        out.push(v.name.clone());
    }
    let mut inner = |s: &Stmt| declared_in(s, out, depth);
    match &s.kind {
        StmtKind::Block(body) | StmtKind::Switch { body, .. } => body.iter().for_each(inner),
        StmtKind::If {
            init,
            then,
            otherwise,
            ..
        } => init
            .iter()
            .chain([then])
            .chain(otherwise)
            .for_each(|s| inner(s)),
        StmtKind::For { init, body, .. } => init.iter().chain([body]).for_each(|s| inner(s)),
        StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } => inner(body),
        StmtKind::RangeFor { variable, body, .. } => {
            inner(body);
            out.push(variable.name.clone());
            out.extend(variable.bindings.iter().cloned());
        }
        StmtKind::Variables(vs) => {
            for v in vs.iter() {
                out.push(v.name.clone());
                out.extend(v.bindings.iter().cloned());
            }
        }
        StmtKind::Alias(a) => {
            out.push(a.name.clone());
        }
        StmtKind::Record(r) => out.extend(r.name.clone()),
        StmtKind::Enum(e) => {
            out.extend(e.name.clone());
            out.extend(e.values.iter().map(|(name, _)| name.clone()));
        }
        StmtKind::Using(path) => out.extend(path.segments.last().map(|s| s.name.clone())),
        _ => {}
    }
}

/// Every name that a class declares, its template's parameters included.
fn members_of(r: &ast::Record, out: &mut Vec<Name>) {
    let heads = r.templates.iter().flat_map(|head| &head.parameters);
    out.extend(heads.filter_map(|p| p.name.clone()));
    for member in &r.members {
        match member {
            Member::Variables(vs) => out.extend(vs.iter().map(|v| v.name.clone())),
            Member::Function(f) | Member::Friend(f) => {
                out.push(f.name.clone());
            }
            Member::Record(inner) => out.extend(inner.name.clone()),
            Member::Enum(e) => {
                out.extend(e.name.clone());
                out.extend(e.values.iter().map(|(name, _)| name.clone()));
            }
            Member::Alias(a) => {
                out.push(a.name.clone());
            }
            Member::Using(path) => out.extend(path.segments.last().map(|s| s.name.clone())),
        }
    }
}
