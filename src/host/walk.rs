//! Host functions run over what is known of their variables.
//!
//! A *world* is one assignment of known values to variables. A branch on something
//! unknown splits a world; worlds that agree in every variable a launch depends on
//! are joined again. Loops with few iterations are run, others forget what they
//! assign. Functions that reach a launch are entered with the arguments of each call.

use super::Launches;
use super::calls::CALL;
use super::declare::has_mutable;
use super::displaced::OUTSIDE;
use super::packs::written_name;
use super::reaching::{Copied, Survey, Writes};
use super::worlds::{join, names_template, start_of_allocation};
use crate::sema::consteval::{self, Locals, Value, eval_in, initial_value};
use crate::sema::scope::{self, Binding, Env, Names};
use crate::sema::types::Type;
use crate::syntax::ast::{self, Expr, Name};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

pub(super) type World = Locals;

/// Worlds at one place.
const MAX_WORLDS: usize = 14;
/// Statements of a unit, after which loops and calls are no longer followed in detail.
pub(super) const MAX_STEPS: u32 = 60_000;
pub(super) const MAX_INLINING: usize = 24;
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
    /// Whether its function does more with it than call it.
    pub is_open: bool,
}

pub(super) struct Walk<'n, 'a> {
    pub names: &'n Names<'a>,
    pub survey: Survey<'a>,
    /// The text of the unit.
    pub text: &'n str,
    pub out: Launches,
    /// Variables of namespaces that launches depend on; every world starts with them.
    pub base: World,
    pub globals: usize,
    pub function: Option<Arc<ast::Function>>,
    /// Where the text stands that is run: [`Displaced`](super::displaced::Displaced) knows its names.
    pub place: usize,
    /// Functions and lambdas that are run, by address, and their instances.
    pub stack: Vec<(usize, u64)>,
    pub entered: FxHashSet<usize>,
    /// The same for instances of templates, with their arguments.
    pub entered_instances: FxHashSet<(usize, String)>,
    /// Templates that name kernels: what each call of one bound, by the function and the instance's name.
    pub picker_instances: FxHashMap<usize, Vec<(String, Env)>>,
    /// Calls that were followed, with the variables of namespaces that each left.
    pub memo: FxHashMap<(usize, String), Option<World>>,
    /// How often functions were entered with the same functions among the arguments, and in all.
    pub calls: FxHashMap<(usize, u64), u32>,
    /// The template that is read with open arguments, and those that nothing in the text names.
    pub open_template: Option<Arc<ast::Function>>,
    pub unnamed: FxHashMap<usize, bool>,
    /// Templates whose instances are named as values, each of which was read with unknown arguments.
    pub pointed_templates: FxHashSet<usize>,
    /// Functions that were read with unknown arguments.
    pub opened: FxHashSet<usize>,
    /// Functions and lambdas of which a call was not followed.
    pub recursive: FxHashSet<usize>,
    /// Lambdas that call themselves and were read with unknown arguments.
    pub opened_lambdas: FxHashSet<usize>,
    /// Lambdas that were read when their function was left.
    pub reopened: FxHashSet<usize>,
    /// What the bodies of lambdas write, by address.
    lambda_writes: FxHashMap<usize, Rc<Writes>>,
    pub steps: u32,
    pub depth: u32,
    /// Operands are being run in one order after the other.
    pub is_in_each_order: bool,
    /// What loops write, by the address of their bodies.
    pub loops: FxHashMap<(usize, Copied), Rc<Writes>>,
    /// Named lambdas that launch, by address.
    pub closures: FxHashMap<usize, Closure>,
    pub called_lambdas: FxHashSet<usize>,
    /// The functions that lambdas stand in which are arguments.
    pub lambda_homes: FxHashMap<usize, Option<Arc<ast::Function>>>,
    /// Variables of the functions that led here, outermost first.
    pub frames: Vec<World>,
    /// Of the variables of namespaces, those that other files can see.
    pub visible: Vec<bool>,
    /// `void* arguments[] = {&a, &b}`: what is listed, by function and the array's name; `None` where
    /// it has several of that name.
    pub lists: FxHashMap<(usize, Name), Option<Listed>>,
    /// Kernels that the text names elsewhere than in a launch, once somebody asks.
    pub named_kernels: Option<Rc<[ast::Path]>>,
}

/// What an array of addresses holds.
pub(super) struct Listed {
    pub items: Vec<Expr>,
    /// The variables that its names meant.
    pub named: Vec<(Name, Option<usize>)>,
}

impl<'n, 'a> Walk<'n, 'a> {
    pub fn new(names: &'n Names<'a>, survey: Survey<'a>, text: &'n str) -> Self {
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
                // An object that is called may change itself, whoever calls it.
                if let Type::Record(r) = &ty
                    && !names.methods(r, CALL).is_empty()
                {
                    continue;
                }
                // An array that is used as a pointer may be written through it.
                if matches!(ty, Type::Array(..)) && survey.values.contains(&name)
                    || survey.facts.is_restless(&ty)
                {
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
                let value = value.filter(|_| !has_mutable(&ty));
                let value = value.or_else(|| start_of_allocation(&ty, is_moving));
                base.push(name.clone(), ty, value);
                if let Some(slot) = base.slots.last_mut() {
                    slot.is_static = true;
                    slot.is_moving = is_moving;
                    slot.is_escaped = v.ty.is_volatile || has_mutable(&slot.ty);
                }
                visible.push(!v.storage.is_static);
            }
        }
        let globals = base.slots.len();
        Self {
            names,
            survey,
            text,
            out: Launches::default(),
            base,
            globals,
            function: None,
            place: OUTSIDE,
            stack: Vec::new(),
            entered: FxHashSet::default(),
            entered_instances: FxHashSet::default(),
            picker_instances: FxHashMap::default(),
            memo: FxHashMap::default(),
            calls: FxHashMap::default(),
            open_template: None,
            unnamed: FxHashMap::default(),
            pointed_templates: FxHashSet::default(),
            opened: FxHashSet::default(),
            recursive: FxHashSet::default(),
            opened_lambdas: FxHashSet::default(),
            reopened: FxHashSet::default(),
            lambda_writes: FxHashMap::default(),
            steps: 0,
            is_in_each_order: false,
            depth: 0,
            loops: FxHashMap::default(),
            closures: FxHashMap::default(),
            called_lambdas: FxHashSet::default(),
            lambda_homes: FxHashMap::default(),
            frames: Vec::new(),
            visible,
            lists: FxHashMap::default(),
            named_kernels: None,
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
        let mut is_pointed = false;
        for &i in &order {
            let f = self.survey.bodies[i].function;
            let is_entered = self.entered.contains(&(Arc::as_ptr(f) as usize));
            if !is_entered && !is_pointed && !f.templates.is_empty() {
                is_pointed = true;
                self.pointed();
            }
            self.root(i);
        }
        // What is called in sight may be called from elsewhere too.
        for i in order {
            let f = self.survey.bodies[i].function;
            let key = Arc::as_ptr(f) as usize;
            // Nobody but those who have its instances calls it.
            let is_entered = self.entered.contains(&key) && !self.pointed_templates.contains(&key);
            if is_entered && self.is_open(i) && self.opened.insert(i) {
                self.entered.remove(&(Arc::as_ptr(f) as usize));
                self.root(i);
            }
        }
        self.out
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

    /// Whether something in the text may move a pointer variable of the place that is run.
    pub fn is_moving(&self, name: &str) -> bool {
        self.survey.displaced.moves(self.place, name)
    }

    /// The environment with the known variables of a world as constants, for template arguments.
    pub fn env_of(&self, env: &Env, world: &World) -> Env {
        let mut env = env.clone();
        for slot in &world.slots {
            let binding = match &slot.value {
                // A null pointer is kept as a number.
                Some(v @ Value::Int { .. })
                    if !matches!(slot.ty.strip_reference(), Type::Pointer(_)) =>
                {
                    let of = slot.ty.strip_reference();
                    Binding::Value(v.clone(), of.is_enumeration().then(|| of.clone()))
                }
                Some(v @ Value::Function(_)) => Binding::Value(v.clone(), Some(slot.ty.clone())),
                Some(v @ (Value::Fields(_) | Value::List(_))) if slot.is_const => {
                    Binding::Value(v.clone(), Some(slot.ty.clone()))
                }
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
        let lambda = (key, 0);
        if self.stack.contains(&lambda) || self.stack.len() >= MAX_INLINING {
            self.recursive.insert(key);
            return false;
        }
        self.stack.push(lambda);
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
            let mut values = [&x.value, &y.value].into_iter();
            if values.any(calls_host_code) && x.value != y.value {
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

    /// The value of an expression without its side effects.
    pub fn value(&self, env: &Env, world: &mut World, e: &Expr) -> Option<Value> {
        if names_template(e) {
            return eval_in(self.names, &self.env_of(env, world), world, e);
        }
        eval_in(self.names, env, world, e)
    }
}

/// Whether a value is a function that is no kernel: which one is called matters to every launch in it.
fn calls_host_code(value: &Option<Value>) -> bool {
    match value {
        Some(Value::Function(f)) => f.candidates.iter().any(|c| !c.function.attributes.global),
        _ => false,
    }
}
