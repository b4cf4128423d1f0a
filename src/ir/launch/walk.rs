//! Host functions run over what is known of their variables.
//!
//! A *world* is one assignment of known values to variables. A branch on something
//! unknown splits a world; worlds that agree in every variable a launch depends on
//! are joined again. Loops with few iterations are run, others forget what they
//! assign. Functions that reach a launch are entered with the arguments of each call.

use super::Launches;
use super::survey::{self, Body, Survey, Writes};
use crate::ir::consteval::{self, Locals, Value, eval_in, initial_value};
use crate::ir::scope::{self, Binding, Callee, Env, Names, resolve_type};
use crate::ir::types::Type;
use crate::syntax::ast::{self, Condition, Expr, ExprKind, Name, Stmt, StmtKind, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

pub(super) type World = Locals;

/// Worlds at one place.
const MAX_WORLDS: usize = 14;
/// Iterations of a loop around launches, and of one that only computes.
const MAX_LAUNCH_ITERATIONS: usize = 9;
const MAX_ITERATIONS: usize = 48;
/// Statements of a unit, after which loops and calls are no longer followed in detail.
const MAX_STEPS: u32 = 40_000;
const MAX_INLINING: usize = 10;
/// Sets of arguments that one function is entered with.
const MAX_CALLS: u32 = 8;
const MAX_DEPTH: u32 = 150;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Break,
    Continue,
    Exit,
}

pub(super) type Outcome = Vec<(World, Flow)>;

/// A named lambda with what it sees.
#[derive(Clone)]
pub(super) struct Closure {
    pub lambda: Arc<ast::Lambda>,
    pub env: Env,
    pub world: World,
    pub function: Option<Arc<ast::Function>>,
    /// How many functions were entered around it.
    pub level: usize,
    pub is_entered: bool,
}

pub(super) struct Walk<'n, 'a> {
    pub names: &'n Names<'a>,
    pub survey: Survey<'a>,
    pub out: Launches,
    /// Variables of namespaces that launches depend on; every world starts with them.
    base: World,
    pub globals: usize,
    pub function: Option<Arc<ast::Function>>,
    stack: Vec<usize>,
    entered: FxHashSet<usize>,
    memo: FxHashSet<(usize, String)>,
    calls: FxHashMap<usize, u32>,
    steps: u32,
    pub depth: u32,
    /// Named lambdas that launch, by address.
    pub closures: FxHashMap<usize, Closure>,
    /// `void* arguments[] = {&a, &b}`: what is listed, by the array's name.
    pub lists: FxHashMap<Name, Vec<Expr>>,
}

impl<'n, 'a> Walk<'n, 'a> {
    pub fn new(names: &'n Names<'a>, survey: Survey<'a>) -> Self {
        let mut base = World::default();
        let mut relevant: Vec<Name> = survey.relevant_anywhere().into_iter().collect();
        relevant.sort_unstable();
        for name in relevant {
            for (v, env) in names.mutable_variables(&name) {
                let ty = scope::variable_type(names, &env, v);
                let value = match &v.init {
                    Some(_) => initial_value(names, &env, &mut Locals::default(), v),
                    // Static storage starts as zero.
                    None if v.storage.is_extern => None,
                    None => consteval::construct(names, &ty, Vec::new()).filter(|_| !matches!(ty, Type::Pointer(_))),
                };
                let value = value.or_else(|| start_of_allocation(&ty));
                base.push(name.clone(), ty, value);
            }
        }
        let globals = base.slots.len();
        Self {
            names,
            survey,
            out: Launches::default(),
            base,
            globals,
            function: None,
            stack: Vec::new(),
            entered: FxHashSet::default(),
            memo: FxHashSet::default(),
            calls: FxHashMap::default(),
            steps: 0,
            depth: 0,
            closures: FxHashMap::default(),
            lists: FxHashMap::default(),
        }
    }

    pub fn run(mut self) -> Launches {
        let reaching: Vec<usize> = (0..self.survey.bodies.len()).filter(|&i| self.survey.reaching.contains(&self.survey.bodies[i].function.name)).collect();
        let called: FxHashSet<Name> = reaching.iter().flat_map(|&i| {
            let b = &self.survey.bodies[i];
            b.summary.writes.calls.iter().filter(|c| **c != b.function.name).cloned().collect::<Vec<_>>()
        }).collect();
        let rank = |i: usize| {
            let name = &self.survey.bodies[i].function.name;
            if &**name == "main" { 0 } else { 1 + u32::from(called.contains(name)) }
        };
        let mut order = reaching;
        order.sort_by_key(|&i| (rank(i), i));
        for i in order {
            self.root(i);
        }
        self.out
    }

    /// Reads a function that no call led to, with unknown arguments.
    fn root(&mut self, index: usize) {
        let Body { function, record, .. } = &self.survey.bodies[index];
        let (function, record) = (Arc::clone(function), record.cloned());
        let key = Arc::as_ptr(&function) as usize;
        if self.entered.contains(&key) {
            return;
        }
        let mut env = Env::new(self.names.home(&function));
        if let Some(r) = &record {
            for head in &r.templates {
                self.open_parameters(&mut env, head);
            }
            let label = r.name.clone().unwrap_or_else(|| Arc::from("<unnamed>"));
            if let Type::Record(r) = scope::instantiate(self.names, r, &env, Vec::new(), &label) {
                env = Env::inside(&r);
            }
        } else if let Some(q) = &function.qualifier {
            let template = q.segments.last().and_then(|s| self.names.class_template(&env, &s.name));
            if let Some((r, scope)) = template {
                let mut at = Env::new(scope);
                for head in &r.templates {
                    self.open_parameters(&mut at, head);
                }
                let label = r.name.clone().unwrap_or_else(|| Arc::from("<unnamed>"));
                if let Type::Record(r) = scope::instantiate(self.names, r, &at, Vec::new(), &label) {
                    env = Env::inside(&r);
                }
            }
            let written = ast::TypeExpr { kind: TypeKind::Named(q.clone()), is_const: false, is_volatile: false, range: q.range };
            if let Type::Record(r) = resolve_type(self.names, &env, &written) {
                env = Env::inside(&r);
            }
        }
        for head in &function.templates {
            self.open_parameters(&mut env, head);
        }
        let is_main = &*function.name == "main";
        let mut world = self.base.clone();
        if !is_main {
            for slot in world.slots.iter_mut().filter(|s| self.survey.written.contains(&s.name)) {
                slot.value = start_of_allocation(&slot.ty);
            }
        }
        self.enter(&function, &env, world, &[]);
    }

    fn open_parameters(&self, env: &mut Env, head: &ast::TemplateHead) {
        for p in &head.parameters {
            let Some(name) = &p.name else { continue };
            let reason = format!("the template argument `{name}` is not known");
            match &p.kind {
                ast::TemplateParameterKind::Value { ty, .. } => {
                    let ty = resolve_type(self.names, env, ty);
                    env.set(name.clone(), Binding::Variable(ty));
                }
                _ => env.set(name.clone(), Binding::Type(Type::unknown(reason))),
            }
        }
    }

    /// Runs a function's body; gives the variables of namespaces as it leaves them.
    fn enter(&mut self, function: &Arc<ast::Function>, env: &Env, mut world: World, values: &[Option<Value>]) -> Option<World> {
        let body = function.body.as_ref()?;
        let key = Arc::as_ptr(function) as usize;
        self.entered.insert(key);
        for (i, p) in function.parameters.iter().enumerate() {
            let Some(name) = &p.name else { continue };
            let ty = resolve_type(self.names, env, &p.ty);
            let value = match values.get(i) {
                Some(v) => v.clone(),
                None if values.is_empty() => None,
                None => self.names.default_argument(function, i).and_then(|e| consteval::eval(self.names, env, e)),
            };
            let value = value.and_then(|v| if ty.is_unknown() { Some(v) } else { consteval::cast(self.names, &ty, v) });
            let value = value.or_else(|| start_of_allocation(&ty));
            world.push(name.clone(), ty, value);
        }
        self.stack.push(key);
        let outer = self.function.replace(function.clone());
        let mut worlds = vec![world];
        for p in function.parameters.iter().filter_map(|p| p.name.as_ref()) {
            worlds = worlds.into_iter().flat_map(|w| self.split(w, p)).collect();
        }
        let outcome = self.statements(&mut env.clone(), worlds, body);
        self.forgotten_lambdas();
        self.function = outer;
        self.stack.pop();
        let mut ends: Vec<World> = outcome
            .into_iter()
            .map(|(mut w, _)| {
                w.slots.truncate(self.globals);
                w
            })
            .collect();
        let mut end = ends.pop()?;
        for w in ends {
            end = join(&end, &w);
        }
        Some(end)
    }

    /// One world for each constant that the function compares a variable with, and one for the rest.
    fn split(&self, world: World, name: &Name) -> Vec<World> {
        let labels = self.function.as_ref().and_then(|f| self.survey.labels(f, name));
        let (Some(labels), false) = (labels, self.is_coarse()) else { return vec![world] };
        let Some(slot) = world.get(name) else { return vec![world] };
        let Type::Scalar(ty) = *slot.ty.strip_reference() else { return vec![world] };
        if slot.value.is_some() || slot.is_other || !ty.is_integer() {
            return vec![world];
        }
        let mut out: Vec<World> = Vec::with_capacity(labels.len() + 1);
        for label in labels {
            let mut w = world.clone();
            if let Some(slot) = w.get_mut(name) {
                slot.value = Some(Value::int(*label, ty));
            }
            out.push(w);
        }
        let mut rest = world;
        if let Some(slot) = rest.get_mut(name) {
            slot.is_other = true;
        }
        out.push(rest);
        out
    }

    /// Runs lambdas of the function just left that no visible call entered.
    fn forgotten_lambdas(&mut self) {
        let level = self.stack.len();
        let mut left: Vec<usize> = self.closures.iter().filter(|(_, c)| c.level == level && !c.is_entered).map(|(k, _)| *k).collect();
        left.sort_unstable_by_key(|k| self.closures[k].lambda.range.start);
        for key in left {
            let Some(closure) = self.closures.get_mut(&key) else { continue };
            closure.is_entered = true;
            let Closure { lambda, env, mut world, .. } = closure.clone();
            let writes = survey::writes(&lambda.body.iter().collect::<Vec<_>>(), &[]);
            forget(&mut world, &writes);
            for p in &lambda.parameters {
                if let Some(name) = &p.name {
                    let ty = resolve_type(self.names, &env, &p.ty);
                    let value = start_of_allocation(&ty);
                    world.push(name.clone(), ty, value);
                }
            }
            if self.enter_lambda(key) {
                self.statements(&mut env.clone(), vec![world], &lambda.body);
                self.leave_lambda();
            }
        }
    }

    /// Enters a called function unless that was done with the same arguments.
    pub fn inline(&mut self, callee: &Callee, env: &Env, world: &mut World, values: Vec<Option<Value>>) {
        let key = Arc::as_ptr(&callee.function) as usize;
        if self.stack.contains(&key) || self.stack.len() >= MAX_INLINING || callee.function.body.is_none() {
            return;
        }
        let mut values = values;
        let count = self.calls.entry(key).or_default();
        if *count >= MAX_CALLS || self.steps > MAX_STEPS {
            values.iter_mut().for_each(|v| *v = None);
        }
        let bindings: Vec<String> = callee
            .function
            .templates
            .iter()
            .flat_map(|h| &h.parameters)
            .filter_map(|p| env.get(p.name.as_ref()?).map(ToString::to_string))
            .collect();
        let globals = &world.slots[..self.globals.min(world.slots.len())];
        let mut text = format!("{bindings:?} {:?}", env.record.as_ref().map(|r| &r.name));
        values.iter().chain(globals.iter().map(|s| &s.value)).for_each(|v| value_key(v.as_ref(), &mut text));
        if !self.memo.insert((key, text)) {
            return;
        }
        *count += 1;
        let mut inner = World::default();
        inner.slots.extend(globals.iter().cloned());
        if let Some(end) = self.enter(&callee.function, env, inner, &values) {
            for (slot, after) in world.slots.iter_mut().zip(end.slots) {
                *slot = after;
            }
        }
    }

    /// The environment with the known variables of a world as constants, for template arguments.
    pub fn env_of(&self, env: &Env, world: &World) -> Env {
        let mut env = env.clone();
        for slot in &world.slots {
            let binding = match &slot.value {
                Some(v @ (Value::Int { .. } | Value::Function(_))) => Binding::Value(v.clone(), Some(slot.ty.clone())),
                _ => Binding::Variable(slot.ty.clone()),
            };
            env.set(slot.name.clone(), binding);
        }
        env
    }

    /// Whether a lambda may be entered: not within itself, not too deep.
    pub fn enter_lambda(&mut self, key: usize) -> bool {
        if self.stack.contains(&key) || self.stack.len() >= MAX_INLINING {
            return false;
        }
        self.stack.push(key);
        true
    }

    /// How many functions and lambdas are entered.
    pub fn level(&self) -> usize {
        self.stack.len()
    }

    pub fn leave_lambda(&mut self) {
        self.stack.pop();
    }

    fn is_coarse(&self) -> bool {
        self.steps > MAX_STEPS
    }

    /// Joins worlds that differ in nothing of interest.
    fn merge(&self, worlds: Vec<World>) -> Vec<World> {
        let mut out: Vec<World> = Vec::with_capacity(worlds.len());
        for w in worlds {
            match out.iter_mut().find(|o| self.is_alike(o, &w)) {
                Some(o) => *o = join(o, &w),
                None => out.push(w),
            }
        }
        if out.len() > MAX_WORLDS || (self.is_coarse() && out.len() > 1) {
            let all = out.split_off(1);
            for w in all {
                out[0] = join(&out[0], &w);
            }
        }
        out
    }

    fn is_alike(&self, a: &World, b: &World) -> bool {
        let mut more = [true, true];
        for (x, y) in a.slots.iter().zip(&b.slots) {
            if (x.is_other && y.value.is_some()) || (y.is_other && x.value.is_some()) {
                return false;
            }
            if x.value == y.value || !self.function.as_ref().is_none_or(|f| self.survey.is_relevant(f, &x.name)) {
                continue;
            }
            // A world that knows less covers one that knows more.
            match (&x.value, &y.value) {
                (None, Some(_)) => more[0] = false,
                (Some(_), None) => more[1] = false,
                _ => return false,
            }
        }
        more[0] || more[1]
    }

    pub fn statements(&mut self, env: &mut Env, worlds: Vec<World>, body: &[Stmt]) -> Outcome {
        let mut current = worlds;
        let mut done: Outcome = Vec::new();
        for s in body {
            let mut next = Vec::with_capacity(current.len());
            for w in current {
                for (w, flow) in self.statement(env, w, s) {
                    match flow {
                        Flow::Next => next.push(w),
                        flow => done.push((w, flow)),
                    }
                }
            }
            current = if next.len() > 1 { self.merge(next) } else { next };
            if current.is_empty() {
                break;
            }
        }
        done.extend(current.into_iter().map(|w| (w, Flow::Next)));
        done
    }

    fn scoped(&mut self, env: &Env, worlds: Vec<World>, body: &[Stmt]) -> Outcome {
        let mark = worlds.first().map_or(0, |w| w.slots.len());
        let mut outcome = self.statements(&mut env.clone(), worlds, body);
        outcome.iter_mut().for_each(|(w, _)| w.slots.truncate(mark));
        outcome
    }

    fn statement(&mut self, env: &mut Env, mut world: World, s: &Stmt) -> Outcome {
        self.steps += 1;
        if self.depth >= MAX_DEPTH {
            return vec![(world, Flow::Next)];
        }
        self.depth += 1;
        let outcome = match &s.kind {
            StmtKind::Block(body) => self.scoped(env, vec![world], body),
            StmtKind::Variables(vs) => {
                for v in vs.iter() {
                    self.declare(env, &mut world, v);
                }
                let mut worlds = vec![world];
                for v in vs.iter() {
                    worlds = worlds.into_iter().flat_map(|w| self.split(w, &v.name)).collect();
                }
                worlds.into_iter().map(|w| (w, Flow::Next)).collect()
            }
            StmtKind::Alias(a) => {
                if a.template.is_none() {
                    let at = self.env_of(env, &world);
                    let ty = resolve_type(self.names, &at, &a.ty);
                    env.set(a.name.clone(), Binding::Type(ty));
                }
                vec![(world, Flow::Next)]
            }
            StmtKind::Record(r) => {
                if let Some(name) = &r.name {
                    let ty = scope::instantiate(self.names, r, env, Vec::new(), name);
                    env.set(name.clone(), Binding::Type(ty));
                }
                vec![(world, Flow::Next)]
            }
            StmtKind::Enum(e) => {
                let mut next = 0;
                for (name, value) in &e.values {
                    let value = value.as_ref().map_or(Some(next), |e| consteval::eval(self.names, env, e)?.as_int());
                    if let Some(v) = value {
                        next = v.wrapping_add(1);
                        env.set(name.clone(), Binding::Value(Value::int(v, crate::ir::Scalar::I32), None));
                    }
                }
                vec![(world, Flow::Next)]
            }
            StmtKind::UsingNamespace(p) => {
                env.use_namespace(self.names, p);
                vec![(world, Flow::Next)]
            }
            StmtKind::Expr(e) => {
                let flow = if is_exit(e) { Flow::Exit } else { Flow::Next };
                self.effects(env, &mut world, e);
                vec![(world, flow)]
            }
            StmtKind::Return(e) => {
                if let Some(e) = e {
                    self.effects(env, &mut world, e);
                }
                vec![(world, Flow::Exit)]
            }
            StmtKind::If { init, condition, then, otherwise, .. } => self.branch(env, world, init.as_deref(), condition, then, otherwise.as_deref()),
            StmtKind::For { init, condition, step, body } => {
                let mark = world.slots.len();
                let mut inner = env.clone();
                let starts = match init {
                    Some(s) => self.statement(&mut inner, world, s),
                    None => vec![(world, Flow::Next)],
                };
                let mut out = Vec::new();
                for (w, _) in starts {
                    out.extend(self.repeat(&mut inner, w, condition.as_ref(), step.as_ref(), body, true));
                }
                out.iter_mut().for_each(|(w, _)| w.slots.truncate(mark));
                out
            }
            StmtKind::RangeFor { variable, range, body } => self.range_for(env, world, variable, range, body),
            StmtKind::While { condition: Condition::Expr(c), body } => self.repeat(env, world, Some(c), None, body, true),
            StmtKind::While { condition: Condition::Variable(v), body } => {
                let mark = world.slots.len();
                self.declare(env, &mut world, v);
                if let Some(slot) = world.slots.last_mut() {
                    slot.value = None;
                }
                let mut out = self.forget_and_run(env, world, &survey::writes(&[body], &[]), None, None, body);
                out.iter_mut().for_each(|(w, _)| w.slots.truncate(mark));
                out
            }
            StmtKind::DoWhile { body, condition } => self.repeat(env, world, Some(condition), None, body, false),
            StmtKind::Switch { value, body } => self.switch(env, world, value, body),
            StmtKind::Break => vec![(world, Flow::Break)],
            StmtKind::Continue => vec![(world, Flow::Continue)],
            _ => vec![(world, Flow::Next)],
        };
        self.depth -= 1;
        outcome
    }

    fn branch(&mut self, env: &mut Env, mut world: World, init: Option<&Stmt>, condition: &Condition, then: &Stmt, otherwise: Option<&Stmt>) -> Outcome {
        let mark = world.slots.len();
        let mut inner = env.clone();
        if let Some(init) = init {
            match self.statement(&mut inner, world, init).pop() {
                Some((w, _)) => world = w,
                None => return Vec::new(),
            }
        }
        let known = match condition {
            Condition::Expr(e) => {
                self.effects(&inner, &mut world, e);
                self.truth(&inner, &mut world, e)
            }
            Condition::Variable(v) => {
                self.declare(&inner, &mut world, v);
                None
            }
        };
        let mut out = Vec::new();
        if known != Some(false) {
            out.extend(self.scoped(&inner, vec![world.clone()], std::slice::from_ref(then)));
        }
        if known != Some(true) {
            match otherwise {
                Some(s) => out.extend(self.scoped(&inner, vec![world], std::slice::from_ref(s))),
                None => out.push((world, Flow::Next)),
            }
        }
        out.iter_mut().for_each(|(w, _)| w.slots.truncate(mark));
        out
    }

    /// A condition, as far as it is known.
    fn truth(&self, env: &Env, world: &mut World, e: &Expr) -> Option<bool> {
        use ast::BinaryOp as B;
        if let Some(known) = self.value(env, world, e).and_then(|v| v.as_bool()) {
            return Some(known);
        }
        match &e.kind {
            ExprKind::Unary(ast::UnaryOp::Not, a) => Some(!self.truth(env, world, a)?),
            ExprKind::Binary(op @ (B::LogicalAnd | B::LogicalOr), a, b) => {
                let decisive = *op == B::LogicalOr;
                let both = [self.truth(env, world, a), self.truth(env, world, b)];
                if both.contains(&Some(decisive)) { Some(decisive) } else { None }
            }
            // A variable told apart by the constants it is compared with is none of them here.
            ExprKind::Binary(op @ (B::Eq | B::Ne), a, b) => match (&a.kind, &b.kind) {
                (ExprKind::Path(_), ExprKind::Int { .. }) if is_other(world, a) => Some(*op == B::Ne),
                (ExprKind::Int { .. }, ExprKind::Path(_)) if is_other(world, b) => Some(*op == B::Ne),
                _ => None,
            },
            _ => None,
        }
    }

    fn switch(&mut self, env: &mut Env, mut world: World, value: &Expr, body: &[Stmt]) -> Outcome {
        self.effects(env, &mut world, value);
        let other = is_other(&world, value);
        let value = self.value(env, &mut world, value).and_then(|v| v.as_int());
        let mut entries = Vec::new();
        let mut default = None;
        let mut taken = None;
        for (i, s) in body.iter().enumerate() {
            match &s.kind {
                StmtKind::Case(e) => {
                    entries.push(i);
                    if let (Some(v), Some(c)) = (value, self.value(env, &mut world, e).and_then(|v| v.as_int()))
                        && v == c
                    {
                        taken = Some(i);
                    }
                }
                StmtKind::Default => {
                    entries.push(i);
                    default = Some(i);
                }
                _ => {}
            }
        }
        let mut out = Vec::new();
        if value.is_some() || other {
            match taken.or(default) {
                Some(i) => entries = vec![i],
                None => return vec![(world, Flow::Next)],
            }
        } else if default.is_none() {
            out.push((world.clone(), Flow::Next));
        }
        for i in entries {
            // A label that leads straight to the next one is that one.
            if matches!(body.get(i + 1).map(|s| &s.kind), Some(StmtKind::Case(_) | StmtKind::Default)) && value.is_none() {
                continue;
            }
            for (w, flow) in self.scoped(env, vec![world.clone()], &body[i..]) {
                out.push((w, if flow == Flow::Break { Flow::Next } else { flow }));
            }
        }
        out
    }

    fn range_for(&mut self, env: &mut Env, mut world: World, variable: &ast::Variable, range: &Expr, body: &Stmt) -> Outcome {
        self.effects(env, &mut world, range);
        let mark = world.slots.len();
        let items = match self.value(env, &mut world, range) {
            Some(Value::List(items)) if items.len() <= MAX_LAUNCH_ITERATIONS && !self.is_coarse() => Some(items),
            _ => None,
        };
        let declared = resolve_type(self.names, env, &variable.ty);
        let Some(items) = items else {
            let mut writes = survey::writes(&[body], &[]);
            writes.names.extend(variable.bindings.iter().cloned());
            world.push(variable.name.clone(), declared.strip_reference().clone(), None);
            for b in &variable.bindings {
                world.push(b.clone(), Type::unknown("it is one of several elements"), None);
            }
            let mut out = self.forget_and_run(env, world, &writes, None, None, body);
            out.iter_mut().for_each(|(w, _)| w.slots.truncate(mark));
            return out;
        };
        let mut current = vec![world];
        let mut out = Vec::new();
        for item in items.iter() {
            for w in &mut current {
                let ty = item.as_ref().and_then(Value::ty).filter(|_| declared.strip_reference().is_unknown());
                let ty = ty.unwrap_or_else(|| declared.strip_reference().clone());
                let value = item.clone().and_then(|v| if ty.is_unknown() { Some(v) } else { consteval::cast(self.names, &ty, v) });
                if variable.bindings.is_empty() {
                    w.push(variable.name.clone(), ty, value);
                } else {
                    for (i, b) in variable.bindings.iter().enumerate() {
                        let part = match &value {
                            Some(Value::List(parts)) => parts.get(i).cloned().flatten(),
                            Some(Value::Fields(f)) => f.values.get(i).and_then(|(_, v)| v.clone()),
                            _ => None,
                        };
                        let ty = part.as_ref().and_then(Value::ty).unwrap_or_else(|| Type::unknown("it is one of several elements"));
                        w.push(b.clone(), ty, part);
                    }
                }
            }
            let mut next = Vec::new();
            for (mut w, flow) in self.scoped(env, current, std::slice::from_ref(body)) {
                w.slots.truncate(mark);
                match flow {
                    Flow::Next | Flow::Continue => next.push(w),
                    Flow::Break => out.push((w, Flow::Next)),
                    Flow::Exit => out.push((w, Flow::Exit)),
                }
            }
            current = self.merge(next);
        }
        out.extend(current.into_iter().map(|w| (w, Flow::Next)));
        out
    }

    /// A loop: run where its condition stays known for few iterations.
    fn repeat(&mut self, env: &mut Env, world: World, condition: Option<&Expr>, step: Option<&Expr>, body: &Stmt, pretest: bool) -> Outcome {
        let besides: Vec<&Expr> = condition.into_iter().chain(step).collect();
        let writes = survey::writes(&[body], &besides);
        let launches = writes.has_launch || writes.calls.iter().any(|c| self.survey.reaching.contains(c));
        let matters = launches || writes.names.iter().any(|n| self.function.as_ref().is_none_or(|f| self.survey.is_relevant(f, n)) && world.get(n).is_some());
        if !matters {
            let mut world = world;
            forget(&mut world, &writes);
            return vec![(world, Flow::Next)];
        }
        let limit = if launches { MAX_LAUNCH_ITERATIONS } else { MAX_ITERATIONS };
        if self.is_coarse() || !self.is_short(env, &world, condition, step, &writes, limit, pretest) {
            return self.forget_and_run(env, world, &writes, condition, step, body);
        }
        let mut out = Vec::new();
        let mut current = vec![world];
        let mut test = pretest;
        for _ in 0..=limit {
            let mut going = Vec::new();
            for mut w in current {
                if !test {
                    going.push(w);
                    continue;
                }
                let known = condition.map_or(Some(true), |c| {
                    self.effects(env, &mut w, c);
                    self.value(env, &mut w, c)?.as_bool()
                });
                match known {
                    Some(true) => going.push(w),
                    Some(false) => out.push((w, Flow::Next)),
                    // The condition got lost on the way.
                    None => out.extend(self.forget_and_run(env, w, &writes, condition, step, body)),
                }
            }
            test = true;
            if going.is_empty() {
                return out;
            }
            let mut next = Vec::new();
            for (mut w, flow) in self.scoped(env, going, std::slice::from_ref(body)) {
                match flow {
                    Flow::Next | Flow::Continue => {
                        if let Some(step) = step {
                            self.effects(env, &mut w, step);
                        }
                        next.push(w);
                    }
                    Flow::Break => out.push((w, Flow::Next)),
                    Flow::Exit => out.push((w, Flow::Exit)),
                }
            }
            current = self.merge(next);
        }
        for w in current {
            out.extend(self.forget_and_run(env, w, &writes, condition, step, body));
        }
        out
    }

    /// Whether the loop's head alone ends within `limit` iterations. A body that changes what the
    /// condition reads is given the benefit of the doubt: it is run and may be given up later.
    fn is_short(&mut self, env: &Env, world: &World, condition: Option<&Expr>, step: Option<&Expr>, writes: &Writes, limit: usize, pretest: bool) -> bool {
        let Some(condition) = condition else { return false };
        let mut w = world.clone();
        w.is_mutable = true;
        if !pretest {
            return true;
        }
        let Some(step) = step else {
            return eval_in(self.names, env, &mut w, condition).is_some();
        };
        for _ in 0..=limit {
            match eval_in(self.names, env, &mut w, condition).and_then(|v| v.as_bool()) {
                Some(false) => return true,
                Some(true) => {}
                None => return false,
            }
            // `for (…; …; i++, j--)`: what cannot be stepped here is seen in the run.
            if eval_in(self.names, env, &mut w, step).is_none() && writes.names.is_empty() {
                return false;
            }
        }
        false
    }

    /// A loop of unknown length: everything it assigns is unknown in and after it.
    fn forget_and_run(&mut self, env: &mut Env, mut world: World, writes: &Writes, condition: Option<&Expr>, step: Option<&Expr>, body: &Stmt) -> Outcome {
        forget(&mut world, writes);
        let after = world.clone();
        let launches = writes.has_launch || writes.calls.iter().any(|c| self.survey.reaching.contains(c));
        if launches {
            for e in condition.into_iter().chain(step) {
                self.effects(env, &mut world, e);
                forget(&mut world, writes);
            }
            self.scoped(env, vec![world], std::slice::from_ref(body));
        }
        vec![(after, Flow::Next)]
    }

    pub fn declare(&mut self, env: &Env, world: &mut World, v: &ast::Variable) {
        use ast::Initialiser as I;
        let inits: Vec<&Expr> = match &v.init {
            Some(I::Equals(e) | I::Brace(e)) => vec![e],
            Some(I::Paren(es)) => es.iter().collect(),
            None => Vec::new(),
        };
        for e in &inits {
            // The body of a named lambda runs where it is called.
            if !matches!(e.kind, ExprKind::Lambda(_)) {
                self.effects(env, world, e);
            }
        }
        if let [Expr { kind: ExprKind::List(items), .. }] = &inits[..]
            && matches!(v.ty.kind, TypeKind::Array(..))
            && items.iter().any(|(_, e)| survey::address_of(e).is_some())
        {
            self.lists.insert(v.name.clone(), items.iter().map(|(_, e)| e.clone()).collect());
        }
        let depends = matters_to_type(&v.ty) || inits.iter().any(|e| names_template(e));
        let at = if depends { self.env_of(env, world) } else { env.clone() };
        let local_type = |n: &str| world.get(n).map(|s| s.ty.clone());
        let mut ty = match (&v.ty.kind, &inits[..]) {
            (TypeKind::Auto, [e]) => scope::type_with(self.names, &at, e, &local_type).decay(),
            _ => scope::variable_type(self.names, &at, v),
        };
        let mut value = initial_value(self.names, &at, world, v);
        if matches!(v.ty.kind, TypeKind::Auto)
            && let Some(t) = value.as_ref().and_then(Value::ty)
        {
            ty = t;
        }
        if let (Type::Reference(_), [e]) = (&ty, &inits[..])
            && !matches!(&v.ty.kind, TypeKind::Reference { to, .. } if to.is_const)
        {
            // Two names for one variable: neither is followed.
            if let Some(slot) = survey::root_of(e).cloned().and_then(|n| world.get_mut(&n)) {
                forget_slot(slot, false);
            }
            value = None;
        }
        // A pointer to a variable may change it anywhere.
        if let [e] = &inits[..]
            && let Some(inner) = survey::address_of(e)
            && let Some(slot) = survey::root_of(inner).cloned().and_then(|n| world.get_mut(&n))
            && !slot.is_const
        {
            forget_slot(slot, false);
        }
        if v.storage.is_static && !v.storage.is_constexpr && self.survey.written.contains(&v.name) {
            value = None;
        }
        if value.is_none() && inits.is_empty() {
            value = match &ty {
                Type::Record(_) | Type::Vector { .. } => consteval::construct(self.names, &ty, Vec::new()),
                Type::Array(..) => consteval::cast(self.names, &ty, Value::List(Arc::default())).map(undefined),
                _ => None,
            };
            if let (Some(Value::Fields(f)), false) = (&mut value, matches!(&ty, Type::Vector { name: "dim3", .. } | Type::Record(_))) {
                Arc::make_mut(f).values.iter_mut().for_each(|(_, v)| *v = None);
            }
        }
        if matches!(&ty, Type::Opaque(n) if n.starts_with("cudaLaunchConfig_t")) {
            value = Some(super::record::empty_config(self.names, &ty));
        }
        if value.is_none() {
            value = match &inits[..] {
                [] => start_of_allocation(&ty),
                [e] => self.pointer_value(&at, world, &ty, e),
                _ => None,
            };
        }
        if let [Expr { kind: ExprKind::Lambda(l), .. }] = &inits[..]
            && self.survey.reaching.contains(&v.name)
        {
            let key = Arc::as_ptr(l) as usize;
            let is_entered = self.closures.get(&key).is_some_and(|c| c.is_entered);
            let function = self.function.clone();
            self.closures.insert(key, Closure { lambda: l.clone(), env: env.clone(), world: world.clone(), function, level: self.stack.len(), is_entered });
        }
        let is_const = v.storage.is_constexpr || consteval::is_const_object(&v.ty);
        world.push(v.name.clone(), ty, value);
        if let Some(slot) = world.slots.last_mut() {
            slot.is_const = is_const;
        }
        for b in &v.bindings {
            world.push(b.clone(), Type::unknown("it is one of several results"), None);
        }
    }

    /// The value of an expression without its side effects.
    pub fn value(&self, env: &Env, world: &mut World, e: &Expr) -> Option<Value> {
        if names_template(e) {
            return eval_in(self.names, &self.env_of(env, world), world, e);
        }
        eval_in(self.names, env, world, e)
    }
}

fn is_other(world: &World, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Path(p) => p.segments.len() == 1 && world.get(&p.segments[0].name).is_some_and(|s| s.is_other && s.value.is_none()),
        ExprKind::Cast { value, .. } => is_other(world, value),
        _ => false,
    }
}

/// Appends what tells values apart.
fn value_key(v: Option<&Value>, out: &mut String) {
    use std::fmt::Write;
    out.push(';');
    let _ = match v {
        None => Ok(()),
        Some(Value::Lambda(l)) => write!(out, "{:?}", Arc::as_ptr(l)),
        Some(Value::Pointer { offset, .. }) => write!(out, "*{offset:?}"),
        Some(Value::List(items)) => {
            items.iter().for_each(|v| value_key(v.as_ref(), out));
            Ok(())
        }
        Some(Value::Fields(f)) => {
            f.values.iter().for_each(|(_, v)| value_key(v.as_ref(), out));
            Ok(())
        }
        Some(v) => write!(out, "{v}"),
    };
}

/// Elements that hold no value yet.
fn undefined(v: Value) -> Value {
    match v {
        Value::List(items) => Value::List(Arc::new(items.iter().map(|i| match i {
            Some(v @ (Value::List(_) | Value::Fields(_))) => Some(undefined(v.clone())),
            _ => None,
        }).collect())),
        v => v,
    }
}

/// A pointer variable that nothing is known of points to the start of an allocation.
pub(super) fn start_of_allocation(ty: &Type) -> Option<Value> {
    match ty.strip_reference() {
        Type::Pointer(t) if !matches!(**t, Type::Function) => Some(Value::Pointer { offset: Some(0), element: t.size().unwrap_or(0) }),
        _ => None,
    }
}

/// Whether a declared type can depend on local constants.
fn matters_to_type(ty: &ast::TypeExpr) -> bool {
    match &ty.kind {
        TypeKind::Array(..) => true,
        TypeKind::Named(p) => p.segments.iter().any(|s| s.arguments.is_some()),
        TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } => matters_to_type(to),
        _ => false,
    }
}

/// Whether an expression names something with template arguments.
fn names_template(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Path(p) => p.segments.iter().any(|s| s.arguments.is_some()),
        ExprKind::Unary(_, a) | ExprKind::Cast { value: a, .. } => names_template(a),
        ExprKind::Call { callee, .. } => names_template(callee),
        ExprKind::Conditional(_, a, b) => names_template(a) || names_template(b),
        ExprKind::Binary(_, a, b) => names_template(a) || names_template(b),
        ExprKind::Assign(_, _, b) => names_template(b),
        _ => false,
    }
}

fn is_exit(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Call { callee, .. } => matches!(&callee.kind, ExprKind::Path(p) if p.segments.last().is_some_and(|s| matches!(&*s.name, "exit" | "abort" | "_exit" | "quick_exit"))),
        ExprKind::Other(name) => *name == "throw",
        _ => false,
    }
}

/// Forgets a slot; a pointer keeps its place unless it may have been moved.
pub(super) fn forget_slot(slot: &mut consteval::Slot, is_moved: bool) {
    slot.value = match &slot.value {
        Some(Value::Pointer { offset, element }) => Some(Value::Pointer { offset: offset.filter(|o| *o == 0 && !is_moved), element: *element }),
        _ => None,
    };
}

pub(super) fn forget(world: &mut World, writes: &Writes) {
    for slot in world.slots.iter_mut().filter(|s| !s.is_const) {
        if writes.names.contains(&slot.name) {
            forget_slot(slot, writes.moved.contains(&slot.name));
        }
    }
}

/// What both worlds agree on.
fn join(a: &World, b: &World) -> World {
    let mut out = a.clone();
    let length = a.slots.len().min(b.slots.len());
    out.slots.truncate(length);
    for (slot, other) in out.slots.iter_mut().zip(&b.slots) {
        slot.is_other &= other.is_other;
        if slot.value != other.value {
            slot.value = match (&slot.value, &other.value) {
                (Some(Value::Fields(x)), Some(Value::Fields(y))) if x.values.len() == y.values.len() => {
                    let mut both = (**x).clone();
                    for ((_, v), (_, w)) in both.values.iter_mut().zip(&y.values) {
                        if v != w {
                            *v = None;
                        }
                    }
                    Some(Value::Fields(Arc::new(both)))
                }
                (Some(Value::Pointer { element, .. }), Some(Value::Pointer { .. })) => Some(Value::Pointer { offset: None, element: *element }),
                _ => None,
            };
        }
    }
    out
}
