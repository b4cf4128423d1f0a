//! Host functions run over what is known of their variables.
//!
//! A *world* is one assignment of known values to variables. A branch on something
//! unknown splits a world; worlds that agree in every variable a launch depends on
//! are joined again. Loops with few iterations are run, others forget what they
//! assign. Functions that reach a launch are entered with the arguments of each call.

use super::Launches;
use super::displaced::OUTSIDE;
use super::operands;
use super::packs::written_name;
use super::reaching::{Body, Copied, Survey, Writes};
use super::worlds::{
    escape, join, matters_to_type, names_template, start_of_allocation, undefined, value_key,
};
use crate::sema::consteval::{self, Locals, Value, eval_in, initial_value};
use crate::sema::scope::{self, Binding, Callee, Env, Names, resolve_type};
use crate::sema::types::{self, Type};
use crate::syntax::ast::{self, Expr, ExprKind, Name, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use std::rc::Rc;
use std::sync::Arc;

pub(super) type World = Locals;

/// Worlds at one place.
const MAX_WORLDS: usize = 14;
/// Iterations of a loop around launches, and of one that only computes.
pub(super) const MAX_LAUNCH_ITERATIONS: usize = 9;
pub(super) const MAX_ITERATIONS: usize = 48;
/// Statements of a unit, after which loops and calls are no longer followed in detail.
const MAX_STEPS: u32 = 40_000;
const MAX_INLINING: usize = 24;
/// Sets of arguments that one function is entered with.
const MAX_CALLS: u32 = 8;

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
    /// Where the text stands that is run: [`Displaced`](super::displaced::Displaced) knows its names.
    pub place: usize,
    stack: Vec<usize>,
    entered: FxHashSet<usize>,
    /// Calls that were followed, with the variables of namespaces that each left.
    memo: FxHashMap<(usize, String), Option<World>>,
    pub calls: FxHashMap<usize, u32>,
    /// Functions that were read with unknown arguments.
    opened: FxHashSet<usize>,
    /// Functions and lambdas of which a call was not followed.
    pub recursive: FxHashSet<usize>,
    /// Lambdas that call themselves and were read with unknown arguments.
    pub opened_lambdas: FxHashSet<usize>,
    /// Lambdas that were read when their function was left.
    reopened: FxHashSet<usize>,
    /// What the bodies of lambdas write, by address.
    lambda_writes: FxHashMap<usize, Rc<Writes>>,
    pub steps: u32,
    pub depth: u32,
    /// What loops write, by the address of their bodies.
    pub loops: FxHashMap<(usize, Copied), Rc<Writes>>,
    /// Named lambdas that launch, by address.
    pub closures: FxHashMap<usize, Closure>,
    pub called_lambdas: FxHashSet<usize>,
    /// Variables of the functions that led here, outermost first.
    pub frames: Vec<World>,
    /// Of the variables of namespaces, those that other files can see.
    pub visible: Vec<bool>,
    /// `void* arguments[] = {&a, &b}`: what is listed, by function and the array's name; `None` where
    /// it has several of that name.
    pub lists: FxHashMap<(usize, Name), Option<Listed>>,
}

/// What an array of addresses holds.
pub(super) struct Listed {
    pub items: Vec<Expr>,
    /// The variables that its names meant.
    pub named: Vec<(Name, Option<usize>)>,
}

impl<'n, 'a> Walk<'n, 'a> {
    pub fn new(names: &'n Names<'a>, survey: Survey<'a>) -> Self {
        let mut base = World::default();
        let mut relevant: Vec<Name> = survey.relevant_anywhere().into_iter().collect();
        relevant.sort_unstable();
        let mut visible = Vec::new();
        for name in relevant {
            if survey.unfollowed.contains(&name) || !survey.is_unique(&name) {
                continue;
            }
            for (v, env) in names.mutable_variables(&name) {
                let ty = scope::variable_type(names, &env, v);
                // An array that is used as a pointer may be written through it.
                if matches!(ty, Type::Array(..)) && survey.values.contains(&name) {
                    continue;
                }
                let value = match &v.init {
                    _ if v.ty.is_volatile => None,
                    Some(_) => initial_value(names, &env, &mut Locals::default(), v),
                    // Static storage starts as zero.
                    None if v.storage.is_extern => None,
                    None => consteval::construct(names, &ty, Vec::new())
                        .filter(|_| !matches!(ty, Type::Pointer(_))),
                };
                let is_moving = survey.displaced.moves(OUTSIDE, &name);
                let value = value.or_else(|| start_of_allocation(&ty, is_moving));
                base.push(name.clone(), ty, value);
                if let Some(slot) = base.slots.last_mut() {
                    slot.is_static = true;
                    slot.is_moving = is_moving;
                    slot.is_escaped = v.ty.is_volatile;
                }
                visible.push(!v.storage.is_static);
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
            place: OUTSIDE,
            stack: Vec::new(),
            entered: FxHashSet::default(),
            memo: FxHashMap::default(),
            calls: FxHashMap::default(),
            opened: FxHashSet::default(),
            recursive: FxHashSet::default(),
            opened_lambdas: FxHashSet::default(),
            reopened: FxHashSet::default(),
            lambda_writes: FxHashMap::default(),
            steps: 0,
            depth: 0,
            loops: FxHashMap::default(),
            closures: FxHashMap::default(),
            called_lambdas: FxHashSet::default(),
            frames: Vec::new(),
            visible,
            lists: FxHashMap::default(),
        }
    }

    pub fn run(mut self) -> Launches {
        let reaching: Vec<usize> = (0..self.survey.bodies.len())
            .filter(|&i| {
                self.survey
                    .reaching
                    .contains(&self.survey.bodies[i].function.name)
            })
            .collect();
        let called: FxHashSet<Name> = reaching
            .iter()
            .flat_map(|&i| {
                let b = &self.survey.bodies[i];
                b.summary
                    .writes
                    .calls
                    .iter()
                    .filter(|c| **c != b.function.name)
                    .cloned()
                    .collect::<Vec<_>>()
            })
            .collect();
        let rank = |i: usize| {
            let name = &self.survey.bodies[i].function.name;
            if &**name == "main" {
                0
            } else {
                1 + u32::from(called.contains(name))
            }
        };
        let mut order = reaching;
        order.sort_by_key(|&i| (rank(i), i));
        self.instantiated();
        for &i in &order {
            self.root(i);
        }
        // What is called in sight may be called from elsewhere too.
        for i in order {
            let f = self.survey.bodies[i].function;
            let is_entered = self.entered.contains(&(Arc::as_ptr(f) as usize));
            if is_entered && self.is_open(i) && self.opened.insert(i) {
                self.entered.remove(&(Arc::as_ptr(f) as usize));
                self.root(i);
            }
        }
        self.out
    }

    /// Whether a function may be called with arguments that no call in sight has.
    fn is_open(&self, index: usize) -> bool {
        let Body {
            function, record, ..
        } = &self.survey.bodies[index];
        let is_value = self.survey.called_by_anybody.contains(&function.name)
            || self.recursive.contains(&(Arc::as_ptr(function) as usize));
        // A call through a base class may mean it.
        let is_virtual = record.is_some() && self.survey.is_virtual(&function.name);
        let is_local = function.attributes.is_static
            || function.attributes.is_constexpr
            || record.is_some() && !is_virtual
            || !function.templates.is_empty()
            || self.survey.has_main && !is_virtual && !self.survey.calls_elsewhere;
        &*function.name != "main" && (is_value || !is_local)
    }

    /// `template void run<float>(float*);`: enters host templates that are instantiated in so many words.
    fn instantiated(&mut self) {
        let listed: Vec<_> = self
            .names
            .instantiations()
            .filter(|(_, f)| !f.attributes.global && self.survey.reaching.contains(&f.name))
            .collect();
        for (scope, f) in listed {
            let env = Env::new(scope);
            let segment = ast::Segment {
                name: f.name.clone(),
                arguments: None,
            };
            let path = ast::Path {
                is_global: false,
                segments: vec![segment],
                range: f.name_range,
            };
            let types: Vec<Type> = f
                .parameters
                .iter()
                .map(|p| resolve_type(self.names, &env, &p.ty))
                .collect();
            let candidates = self.names.functions(&env, &path);
            if let Some((callee, inner)) =
                scope::select(self.names, &env, &candidates, &f.arguments, &types)
            {
                let mut world = self.base.clone();
                world.frame = consteval::Frame::default();
                for slot in &mut world.slots {
                    slot.value = start_of_allocation(&slot.ty, slot.is_moving);
                }
                let values = vec![None; types.len()];
                self.inline(&callee, &inner, &mut world, values, &[]);
            }
        }
    }

    /// Reads a function that no call led to, with unknown arguments.
    fn root(&mut self, index: usize) {
        let Body {
            function, record, ..
        } = &self.survey.bodies[index];
        let (function, record) = (Arc::clone(function), record.cloned());
        let key = Arc::as_ptr(&function) as usize;
        if self.entered.contains(&key) {
            return;
        }
        self.opened.insert(index);
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
            let template = q
                .segments
                .last()
                .and_then(|s| self.names.class_template(&env, &s.name));
            if let Some((r, scope)) = template {
                let mut at = Env::new(scope);
                for head in &r.templates {
                    self.open_parameters(&mut at, head);
                }
                let label = r.name.clone().unwrap_or_else(|| Arc::from("<unnamed>"));
                if let Type::Record(r) = scope::instantiate(self.names, r, &at, Vec::new(), &label)
                {
                    env = Env::inside(&r);
                }
            }
            let written = ast::TypeExpr::named(q.clone());
            if let Type::Record(r) = resolve_type(self.names, &env, &written) {
                env = Env::inside(&r);
            }
        }
        for head in &function.templates {
            self.open_parameters(&mut env, head);
        }
        let is_main = &*function.name == "main";
        let mut world = self.base.clone();
        world.frame = consteval::Frame::default();
        if !is_main {
            for (slot, is_visible) in world.slots.iter_mut().zip(&self.visible) {
                if *is_visible || self.survey.written.contains(&slot.name) {
                    slot.value = start_of_allocation(&slot.ty, slot.is_moving);
                }
            }
        }
        self.enter(&function, &env, world, &[], &[]);
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
    fn enter(
        &mut self,
        function: &Arc<ast::Function>,
        env: &Env,
        mut world: World,
        values: &[Option<Value>],
        aliased: &[usize],
    ) -> Option<World> {
        let body = function.body.as_ref()?;
        let key = Arc::as_ptr(function) as usize;
        self.entered.insert(key);
        let outer = self.function.replace(function.clone());
        let place = self.survey.displaced.place_of(function);
        let outer_place = std::mem::replace(&mut self.place, place);
        // Members and template parameters hide variables of namespaces.
        for at in 0..self.globals.min(world.slots.len()) {
            let name = world.slots[at].name.clone();
            let record = env.record.as_ref();
            if let Some(f) = record.and_then(|r| scope::field(self.names, r, &name)) {
                world.push(name, f.ty, None);
            } else if env.get(&name).is_some() || record.is_some_and(|r| has_member(r, &name)) {
                let path = ast::Path {
                    is_global: false,
                    segments: vec![ast::Segment {
                        name: name.clone(),
                        arguments: None,
                    }],
                    range: function.name_range,
                };
                let named = Expr {
                    kind: ExprKind::Path(path),
                    range: function.name_range,
                };
                let value = consteval::eval(self.names, env, &named);
                let ty = value.as_ref().and_then(Value::ty);
                let ty = ty.unwrap_or_else(|| Type::unknown("a member or a template parameter"));
                world.push(name, ty, value);
            }
        }
        let env = &mut env.clone();
        self.bind_type_packs(env, function);
        for (i, p) in function.parameters.iter().enumerate() {
            let Some(name) = &p.name else { continue };
            if p.is_pack && !values.is_empty() {
                let from = world.slots.len();
                self.bind_pack(env, &mut world, p, values.get(i..).unwrap_or_default());
                for (at, slot) in world.slots[from..].iter_mut().enumerate() {
                    if aliased.contains(&(i + at)) {
                        escape(slot);
                    }
                }
                continue;
            }
            let ty = resolve_type(self.names, env, &p.ty);
            let value = match values.get(i) {
                Some(v) => v.clone(),
                None if values.is_empty() => None,
                None => self
                    .names
                    .default_argument(function, env, i)
                    .and_then(|e| consteval::eval(self.names, env, e)),
            };
            let value = value.and_then(|v| {
                if ty.is_unknown() {
                    Some(v)
                } else {
                    consteval::cast(self.names, &ty, v)
                }
            });
            let value = value.or_else(|| {
                let is_moving = self.survey.displaced.moves_argument(function, i);
                start_of_allocation(&ty, is_moving)
            });
            world.push(name.clone(), ty, value);
            self.mark(&mut world);
            if aliased.contains(&i)
                && let Some(slot) = world.slots.last_mut()
            {
                escape(slot);
            }
        }
        self.stack.push(key);
        let mut worlds = vec![world];
        for p in function.parameters.iter().filter_map(|p| p.name.as_ref()) {
            worlds = worlds.into_iter().flat_map(|w| self.split(w, p)).collect();
        }
        let outcome = self.statements(&mut env.clone(), worlds, body);
        self.forgotten_lambdas();
        self.function = outer;
        self.place = outer_place;
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
    pub fn split(&self, world: World, name: &Name) -> Vec<World> {
        let labels = self
            .function
            .as_ref()
            .and_then(|f| self.survey.labels(f, name));
        let (Some(labels), false) = (labels, self.is_coarse()) else {
            return vec![world];
        };
        let Some(slot) = world.get(name) else {
            return vec![world];
        };
        let Type::Scalar(ty, _) = *slot.ty.strip_reference() else {
            return vec![world];
        };
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

    /// The first lambda of the function just left, and of its lambdas, that nothing entered.
    fn forgotten_lambda(&self) -> Option<usize> {
        let level = self.stack.len();
        let is_left = |key: &usize, c: &Closure| {
            c.level >= level
                && !self.reopened.contains(key)
                && (!c.is_entered || self.recursive.contains(key))
        };
        let left = self.closures.iter().filter(|(key, c)| is_left(key, c));
        left.min_by_key(|(key, c)| (c.lambda.range.start, **key))
            .map(|(key, _)| *key)
    }

    /// Runs lambdas of the function just left that no visible call entered.
    fn forgotten_lambdas(&mut self) {
        // A lambda may make further ones.
        while let Some(key) = self.forgotten_lambda() {
            let Some(closure) = self.closures.get_mut(&key) else {
                continue;
            };
            closure.is_entered = true;
            let Closure {
                lambda,
                env,
                mut world,
                ..
            } = closure.clone();
            self.reopened.insert(key);
            let place = self.survey.displaced.place_of_lambda(&lambda);
            let outer = std::mem::replace(&mut self.place, place);
            self.open_lambda(&mut world, &env, &lambda);
            if self.enter_lambda(key) {
                self.statements(&mut env.clone(), vec![world], &lambda.body);
                self.leave_lambda();
            }
            self.place = outer;
        }
    }

    /// Enters a called function unless that was done with the same arguments; false where it was not
    /// followed.
    pub fn inline(
        &mut self,
        callee: &Callee,
        env: &Env,
        world: &mut World,
        values: Vec<Option<Value>>,
        aliased: &[usize],
    ) -> bool {
        let key = Arc::as_ptr(&callee.function) as usize;
        if callee.function.body.is_none() {
            return false;
        }
        if self.stack.contains(&key) || self.stack.len() >= MAX_INLINING {
            self.recursive.insert(key);
            return false;
        }
        let mut values = values;
        let count = self.calls.entry(key).or_default();
        if *count >= MAX_CALLS || self.steps > MAX_STEPS {
            values
                .iter_mut()
                .filter(|v| !matches!(v, Some(Value::Function(_))))
                .for_each(|v| *v = None);
        }
        let bindings: Vec<String> = callee
            .function
            .templates
            .iter()
            .flat_map(|h| &h.parameters)
            .filter_map(|p| env.get(p.name.as_ref()?).map(ToString::to_string))
            .collect();
        let globals = &world.slots[..self.globals.min(world.slots.len())];
        let mut text = format!(
            "{aliased:?} {bindings:?} {:?}",
            env.record.as_ref().map(|r| &r.name)
        );
        values
            .iter()
            .chain(globals.iter().map(|s| &s.value))
            .for_each(|v| value_key(v.as_ref(), &mut text));
        let leave = |world: &mut World, end: &World| {
            for (slot, after) in world.slots.iter_mut().zip(&end.slots) {
                *slot = after.clone();
            }
        };
        // What a lambda sees is no argument.
        let has_lambda = values.iter().any(|v| matches!(v, Some(Value::Lambda(_))));
        if let Some(end) = self.memo.get(&(key, text.clone())).filter(|_| !has_lambda) {
            if let Some(end) = end {
                leave(world, end);
            }
            return true;
        }
        *count += 1;
        let mut inner = World::default();
        inner.slots.extend(globals.iter().cloned());
        self.frames.push(world.clone());
        let end = self.enter(&callee.function, env, inner, &values, aliased);
        self.frames.pop();
        if let Some(end) = &end {
            leave(world, end);
        }
        self.memo.insert((key, text), end);
        true
    }

    /// Whether a variable of this function may be written by somebody who is not followed.
    fn is_lost(&self, name: &str) -> bool {
        let Some(b) = self.function.as_ref().and_then(|f| self.survey.of(f)) else {
            return false;
        };
        let summary = &b.summary;
        summary.escaped.contains(name)
            || summary.writes.everything
            || (summary.has_goto && summary.writes.names.contains(name))
    }

    /// Marks the variable that was declared last.
    pub fn mark(&self, world: &mut World) {
        if let Some(slot) = world.slots.last_mut() {
            let name = written_name(&slot.name);
            slot.is_moving = self.is_moving(name);
            if self.is_lost(name) {
                escape(slot);
            }
        }
    }

    /// Whether something in the text may move a pointer variable of the place that is run.
    pub fn is_moving(&self, name: &str) -> bool {
        self.survey.displaced.moves(self.place, name)
    }

    /// The environment with the known variables of a world as constants, for template arguments.
    pub fn env_of(&self, env: &Env, world: &World) -> Env {
        let mut env = env.clone();
        for slot in &world.slots {
            let binding = match &slot.value {
                // A variable of an enumeration has a number's type here, and would not fit its parameter.
                Some(v @ Value::Int { .. }) => Binding::Value(v.clone(), None),
                Some(v @ Value::Function(_)) => Binding::Value(v.clone(), Some(slot.ty.clone())),
                _ => Binding::Variable(slot.ty.clone()),
            };
            env.set(slot.name.clone(), binding);
        }
        env
    }

    /// Whether code that does this launches a kernel, itself or through a variable that it calls.
    pub fn may_launch(&self, world: &World, writes: &Writes) -> bool {
        let is_callable = |name: &Name| {
            let slot = world.get(name);
            let value = slot.and_then(|s| s.value.as_ref());
            matches!(value, Some(Value::Lambda(_) | Value::Function(_)))
        };
        self.survey.launches(writes) || writes.calls.iter().any(is_callable)
    }

    /// Whether a lambda may be entered: not within itself, not too deep.
    pub fn enter_lambda(&mut self, key: usize) -> bool {
        if self.stack.contains(&key) || self.stack.len() >= MAX_INLINING {
            self.recursive.insert(key);
            return false;
        }
        self.stack.push(key);
        true
    }

    /// What a lambda's body writes.
    pub fn writes_of_lambda(&mut self, l: &Arc<ast::Lambda>) -> Rc<Writes> {
        let key = Arc::as_ptr(l) as usize;
        let survey = &self.survey;
        let read = || {
            let body: Vec<&ast::Stmt> = l.body.iter().collect();
            Rc::new(survey.writes(&body, &[]))
        };
        self.lambda_writes.entry(key).or_insert_with(read).clone()
    }

    pub fn leave_lambda(&mut self) {
        self.stack.pop();
    }

    pub fn is_coarse(&self) -> bool {
        self.steps > MAX_STEPS
    }

    /// Joins worlds that differ in nothing of interest.
    pub fn merge(&self, worlds: Vec<World>) -> Vec<World> {
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
            if x.value == y.value
                || !self
                    .function
                    .as_ref()
                    .is_none_or(|f| self.survey.is_relevant(f, written_name(&x.name)))
            {
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

    pub fn declare(&mut self, env: &Env, world: &mut World, v: &ast::Variable) {
        use ast::Initialiser as I;
        let inits: Vec<&Expr> = match &v.init {
            Some(I::Equals(e) | I::Brace(e)) => vec![e],
            Some(I::Paren(es)) => es.iter().collect(),
            None => Vec::new(),
        };
        // The body of a named lambda runs where it is called.
        let parts: Vec<&Expr> = inits
            .iter()
            .copied()
            .filter(|e| !matches!(e.kind, ExprKind::Lambda(_)))
            .collect();
        let has_effects = parts.iter().any(|e| operands::has_effects(e));
        let before = has_effects.then(|| world.clone());
        let evaluated = match parts[..] {
            [e] if has_effects
                && !matches!(e.kind, ExprKind::List(_) | ExprKind::Construct { .. }) =>
            {
                Some(self.evaluate(env, world, e))
            }
            _ => {
                parts.iter().for_each(|e| self.effects(env, world, e));
                None
            }
        };
        if let [
            Expr {
                kind: ExprKind::List(items),
                ..
            },
        ] = &inits[..]
            && matches!(v.ty.kind, TypeKind::Array(..))
            && items.iter().any(|(_, e)| operands::address_of(e).is_some())
        {
            let function = self
                .function
                .as_ref()
                .map_or(0, |f| Arc::as_ptr(f) as usize);
            let listed: Vec<Expr> = items.iter().map(|(_, e)| e.clone()).collect();
            let mut named = Vec::new();
            let all = listed.iter();
            all.for_each(|e| operands::mentioned(e, &mut named, 64));
            let named = named.into_iter().map(|name| {
                let at = world.slots.iter().rposition(|s| s.name == name);
                (name, at)
            });
            let listed = Listed {
                named: named.collect(),
                items: listed,
            };
            let is_same = |known: &Option<Listed>| {
                let first = |list: &Listed| list.items.first().map(|e| e.range);
                known.as_ref().is_some_and(|k| first(k) == first(&listed))
            };
            match self.lists.entry((function, v.name.clone())) {
                Entry::Occupied(mut known) => {
                    if !is_same(known.get()) {
                        known.insert(None);
                    }
                }
                Entry::Vacant(slot) => {
                    slot.insert(Some(listed));
                }
            }
        }
        let depends = matters_to_type(&v.ty) || inits.iter().any(|e| names_template(e));
        let at = if depends {
            self.env_of(env, world)
        } else {
            env.clone()
        };
        let local_type = |n: &str| world.get(n).map(|s| s.ty.clone());
        let mut ty = match (&v.ty.kind, &inits[..]) {
            (TypeKind::Auto, [e]) => scope::type_with(self.names, &at, e, &local_type).decay(),
            _ => scope::variable_type(self.names, &at, v),
        };
        // What the effects change has no certain value here.
        let mut value = match (evaluated, &before) {
            (Some(value), _) => value.and_then(|value| {
                if matches!(v.ty.kind, TypeKind::Auto) {
                    consteval::copied(self.names, value)
                } else {
                    consteval::cast(self.names, &ty, value)
                }
            }),
            (None, Some(before)) => initial_value(self.names, &at, &mut join(before, world), v),
            (None, None) => initial_value(self.names, &at, world, v),
        };
        if matches!(v.ty.kind, TypeKind::Auto)
            && let Some(t) = value.as_ref().and_then(Value::ty)
        {
            ty = t;
        }
        // A reference sees its variable change.
        if matches!(v.ty.kind, TypeKind::Reference { .. })
            && !matches!(value, Some(Value::Lambda(_) | Value::Function(_)))
        {
            let mut exposed = Vec::new();
            let all = inits.iter();
            all.for_each(|e| self.survey.facts.seen(e, &mut exposed));
            let is_const = |n: &Name| world.get(n).is_some_and(|s| s.is_const);
            let mut roots = exposed.into_iter().flat_map(operands::roots_of);
            if !roots.all(|n| is_const(&n)) {
                value = None;
            }
        }
        let is_kept =
            v.storage.is_static && !v.storage.is_constexpr && self.survey.written.contains(&v.name);
        // It keeps what its first call gave it.
        let is_first = || initial_value(self.names, env, &mut Locals::default(), v).is_some();
        if is_kept || v.storage.is_extern || v.storage.is_static && !is_first() {
            value = None;
        }
        if value.is_none() && inits.is_empty() {
            value = match &ty {
                Type::Record(_) | Type::Vector { .. } => {
                    consteval::construct(self.names, &ty, Vec::new())
                }
                Type::Array(..) => {
                    consteval::cast(self.names, &ty, Value::List(Arc::default())).map(undefined)
                }
                _ => None,
            };
            if let (Some(Value::Fields(f)), false) = (
                &mut value,
                matches!(&ty, Type::Vector { name: "dim3", .. } | Type::Record(_)),
            ) {
                Arc::make_mut(f)
                    .values
                    .iter_mut()
                    .for_each(|(_, v)| *v = None);
            }
        }
        if matches!(&ty, Type::Opaque(n) if n.starts_with("cudaLaunchConfig_t")) {
            value = Some(match &inits[..] {
                [] => super::config::empty_config(self.names, &ty),
                [e] if let ExprKind::List(items) = &e.kind => {
                    self.listed_config(env, world, &ty, items)
                }
                _ => value
                    .filter(|v| matches!(v, Value::Fields(_)))
                    .unwrap_or_else(|| super::config::unknown_config(self.names, &ty)),
            });
        }
        if value.is_none() {
            value = match &inits[..] {
                [] => start_of_allocation(&ty, self.is_moving(&v.name)),
                [_] if has_effects && is_kept => None,
                [e] => self.pointer_value(env, world, &ty, e),
                _ => None,
            };
        }
        if matches!(value, Some(Value::Lambda(_))) && ty.is_unknown() {
            // Enough of a type to be deduced as a template argument.
            ty = Type::Opaque(Arc::from("lambda"));
        }
        if let [
            Expr {
                kind: ExprKind::Lambda(l),
                ..
            },
        ] = &inits[..]
            && self.survey.reaching.contains(&v.name)
        {
            let key = Arc::as_ptr(l) as usize;
            // Another activation of its function makes another lambda.
            let before = self.closures.get(&key);
            let is_same = before.is_some_and(|c| c.world.frame == world.frame);
            let is_entered = is_same && before.is_some_and(|c| c.is_entered);
            if !is_same {
                self.reopened.remove(&key);
            }
            let function = self.function.clone();
            self.closures.insert(
                key,
                Closure {
                    lambda: l.clone(),
                    env: env.clone(),
                    world: match self.closures.get(&key) {
                        Some(known) if known.world.frame == world.frame => {
                            join(&known.world, world)
                        }
                        _ => world.clone(),
                    },
                    function,
                    level: self.stack.len(),
                    is_entered,
                },
            );
        }
        let is_const =
            (v.storage.is_constexpr || consteval::is_const_object(&v.ty)) && !has_mutable(&ty);
        world.push(v.name.clone(), ty, value);
        let decays = matches!(world.slots.last().map(|s| &s.ty), Some(Type::Array(..)))
            && self
                .function
                .as_ref()
                .and_then(|f| self.survey.of(f))
                .is_some_and(|b| b.summary.bare.contains(&v.name));
        if let Some(slot) = world.slots.last_mut() {
            slot.is_const = is_const;
            if is_kept || decays || v.ty.is_volatile || v.storage.is_extern {
                escape(slot);
            }
        }
        self.mark(world);
        for b in &v.bindings {
            world.push(
                b.clone(),
                Type::unknown("it is one of several results"),
                None,
            );
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

/// Whether a constant object has members that may be written all the same.
fn has_mutable(ty: &Type) -> bool {
    match ty {
        Type::Array(of, _) => has_mutable(of),
        Type::Record(r) => {
            let mut fields = r.fields.iter();
            fields.any(|f| f.is_const == Some(false) || has_mutable(&f.ty))
        }
        _ => false,
    }
}

/// Whether a class, a base of it or a class around it has a member of this name, whatever that is.
fn has_member(r: &types::RecordType, name: &str) -> bool {
    let is_it = |m: &ast::Member| match m {
        ast::Member::Variables(vs) => vs.iter().any(|v| &*v.name == name),
        ast::Member::Enum(e) => e.values.iter().any(|(n, _)| &**n == name),
        ast::Member::Function(f) => &*f.name == name,
        ast::Member::Alias(a) => &*a.name == name,
        ast::Member::Record(_) | ast::Member::Using(_) | ast::Member::Friend(_) => false,
    };
    r.record.members.iter().any(is_it)
        || r.bases.iter().any(|(_, base)| has_member(base, name))
        || r.env
            .record
            .as_ref()
            .is_some_and(|outer| has_member(outer, name))
}
