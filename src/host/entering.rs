//! How host functions are entered: by a call whose arguments are known, or by nobody in sight, with open ones.
//!
//! Given a function of the unit; binds its parameters, runs its body over the worlds of the call and keeps what
//! variables of namespaces hold afterwards. Does not choose among overloads.

use super::declare::has_mutable;
use super::lambdas::MAX_LAMBDA_CALLS;
use super::reaching::Body;
use super::walk::{Closure, MAX_INLINING, MAX_STEPS, Walk, World};
use super::worlds::{escape, forget, join, start_of_allocation, value_key};
use crate::sema::consteval::{self, Value};
use crate::sema::scope::{self, Callee, Env, resolve_type};
use crate::sema::types::{self, Type};
use crate::syntax::ast::{self, Expr, ExprKind};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

impl<'n, 'a> Walk<'n, 'a> {
    /// Whether a function may be called with arguments that no call in sight has.
    pub(super) fn is_open(&self, index: usize) -> bool {
        let body = &self.survey.bodies[index];
        let Body {
            function, record, ..
        } = body;
        let is_value = self.survey.called_by_anybody.contains(&function.name)
            || self.survey.is_of_open_class(body)
            || self.recursive.contains(&(Arc::as_ptr(function) as usize));
        // A call through a base class may mean it.
        let is_virtual = record.is_some() && self.survey.is_virtual(&function.name);
        let is_local = function.attributes.is_static
            || function.attributes.is_constexpr
            || record.is_some() && !is_virtual
            || (function.templates.iter()).any(|head| !head.parameters.is_empty())
            || self.survey.has_main && !is_virtual && !self.survey.calls_elsewhere;
        &*function.name != "main" && (is_value || !is_local)
    }

    /// Reads a function that no call led to, with unknown arguments.
    pub(super) fn root(&mut self, index: usize) {
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
                .and_then(|s| self.names.class_template(&env, &s.name, q.range));
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
        let is_template =
            !function.templates.is_empty() || record.is_some_and(|r| !r.templates.is_empty());
        self.open_template = is_template.then(|| function.clone());
        self.enter(&function, &env, world, &[], &[]);
        self.open_template = None;
    }

    /// Says of the template that is entered with open arguments that nothing names it, where that is so.
    pub(super) fn unnamed_template(&mut self) -> Option<String> {
        let function = self.open_template.clone()?;
        let key = Arc::as_ptr(&function) as usize;
        let text = self.text;
        let is_unnamed = *self.unnamed.entry(key).or_insert_with(|| {
            let own = function.name_range.start as usize;
            stands_only_at(text, &function.name, own)
        });
        let name = &function.name;
        is_unnamed.then(|| format!("nothing in the text names `{name}`, the template around it"))
    }

    pub(super) fn open_parameters(&self, env: &mut Env, head: &ast::TemplateHead) {
        for p in &head.parameters {
            let Some(name) = &p.name else { continue };
            let open = scope::open_argument(self.names, env, p, name);
            env.set(name.clone(), open);
        }
    }

    /// Runs a function's body; gives the variables of namespaces as it leaves them.
    #[expect(clippy::too_many_lines, reason = "still to be split")]
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
                let path = ast::Path::of_name(name.clone(), false, function.name_range);
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
                None => self.names.default_argument(function, env, i).and_then(|e| {
                    forget(&mut world, &self.survey.writes(&[], &[e]));
                    consteval::eval(self.names, env, e)
                }),
            };
            // As a pointer to a class that others do not begin with it is another address.
            let moves_to_base = self.survey.displaced.leads_to_later_base(&p.ty);
            let value = value.filter(|_| !moves_to_base);
            let value = value.and_then(|v| {
                if ty.is_unknown() || self.is_read_as_array(function, env, p, &v) {
                    Some(v)
                } else {
                    consteval::cast(self.names, &ty, v)
                }
            });
            let value = value.or_else(|| {
                let is_moving = self.survey.displaced.moves_argument(function, i);
                start_of_allocation(&ty, is_moving)
            });
            // A check that nobody reads can't change it. An array is somebody else's.
            let is_const = p.ty.is_const
                && !matches!(ty, Type::Reference(_) | Type::Array(..) | Type::Unknown(_))
                && !has_mutable(&ty);
            world.push(name.clone(), ty, value);
            world
                .slots
                .last_mut()
                .into_iter()
                .for_each(|slot| slot.is_const = is_const);
            self.mark(&mut world);
            if aliased.contains(&i)
                && let Some(slot) = world.slots.last_mut()
            {
                escape(slot);
            }
        }
        self.stack.push(self.on_stack(function, env, values));
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

    /// The first lambda of the function just left, and of its lambdas, that nothing entered.
    fn forgotten_lambda(&self) -> Option<usize> {
        let level = self.stack.len();
        let is_left = |key: &usize, c: &Closure| {
            c.level >= level
                && !self.reopened.contains(key)
                && (!c.is_entered || c.is_open || self.recursive.contains(key))
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
            let env = self.headed(&env, &lambda);
            self.open_lambda(&mut world, &env, &lambda);
            if self.enter_lambda(key) {
                self.statements(&mut env.clone(), vec![world], &lambda.body);
                self.leave_lambda();
            }
            self.place = outer;
        }
    }

    /// What stands for a function that is run: two instances of a template are two functions, each lambda has a
    /// type of its own, and a launcher does another thing with another kernel.
    fn on_stack(
        &self,
        function: &Arc<ast::Function>,
        env: &Env,
        values: &[Option<Value>],
    ) -> (usize, u64) {
        let instance = self.names.instance_of(function, env);
        let class = env.record.as_ref().map(|r| r.identity);
        let mut hasher = FxHasher::default();
        let text = format!("{instance:?} {class:?} {}", given(values));
        text.hash(&mut hasher);
        (Arc::as_ptr(function) as usize, hasher.finish())
    }

    /// The lambdas that a function has made which calls another instance of itself: that one makes its own of
    /// the same text.
    fn own_closures(&self, function: &Arc<ast::Function>) -> Vec<(usize, Closure, bool)> {
        let key = Arc::as_ptr(function) as usize;
        if self.stack.iter().all(|(running, _)| *running != key) {
            return Vec::new();
        }
        let is_own = |c: &Closure| {
            let home = c.function.as_ref();
            home.is_some_and(|home| Arc::ptr_eq(home, function))
        };
        let own = self.closures.iter().filter(|(_, c)| is_own(c));
        own.map(|(key, c)| (*key, c.clone(), self.reopened.contains(key)))
            .collect()
    }

    fn restore_closures(&mut self, own: Vec<(usize, Closure, bool)>) {
        for (key, closure, is_reopened) in own {
            self.closures.insert(key, closure);
            if is_reopened {
                self.reopened.insert(key);
            } else {
                self.reopened.remove(&key);
            }
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
        let mut values = values;
        let is_lambda = |v: &Option<Value>| matches!(v, Some(Value::Lambda(_)));
        let (most, most_in_all) = if values.iter().any(is_lambda) {
            (MAX_LAMBDA_CALLS, 4 * MAX_LAMBDA_CALLS)
        } else {
            (MAX_CALLS, MAX_CALLS_IN_ALL)
        };
        let given = (key, given(&values));
        let count = |key| self.calls.get(&key).copied().unwrap_or_default();
        let (with_these, in_all) = (count(given), count((key, 0)));
        if with_these >= most || in_all >= most_in_all || self.steps > MAX_STEPS {
            self.lose_lambdas(&values);
            values
                .iter_mut()
                .filter(|v| !matches!(v, Some(Value::Function(_))))
                .for_each(|v| *v = None);
        }
        if self
            .stack
            .contains(&self.on_stack(&callee.function, env, &values))
            || self.stack.len() >= MAX_INLINING
        {
            self.recursive.insert(key);
            return false;
        }
        let instance = self.names.instance_of(&callee.function, env);
        self.entered_instances
            .insert((key, format!("{instance:?}")));
        let globals = &world.slots[..self.globals.min(world.slots.len())];
        let mut text = format!(
            "{aliased:?} {instance:?} {:?}",
            env.record.as_ref().map(|r| r.identity)
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
        let has_lambda = values.iter().any(is_lambda);
        if let Some(end) = self.memo.get(&(key, text.clone())).filter(|_| !has_lambda) {
            if let Some(end) = end {
                leave(world, end);
            }
            return true;
        }
        self.calls.insert(given, with_these + 1);
        self.calls.insert((key, 0), in_all + 1);
        let mut inner = World::default();
        inner.slots.extend(globals.iter().cloned());
        self.frames.push(world.clone());
        let own = self.own_closures(&callee.function);
        let end = self.enter(&callee.function, env, inner, &values, aliased);
        self.restore_closures(own);
        self.frames.pop();
        if let Some(end) = &end {
            leave(world, end);
        }
        self.memo.insert((key, text), end);
        true
    }
}

/// Sets of arguments that a function is entered with, for each kernel that it is given.
const MAX_CALLS: u32 = 8;
/// The same for all kernels together.
const MAX_CALLS_IN_ALL: u32 = 64;

/// What stands for the lambdas and functions among arguments.
fn given(values: &[Option<Value>]) -> u64 {
    let mut hasher = FxHasher::default();
    for value in values {
        match value {
            Some(Value::Lambda(l)) => (Arc::as_ptr(&l.lambda) as usize).hash(&mut hasher),
            Some(Value::Function(_)) => {
                let mut text = String::new();
                value_key(value.as_ref(), &mut text);
                text.hash(&mut hasher);
            }
            _ => {}
        }
    }
    // Zero stands for all of them.
    hasher.finish() | 1
}

/// Whether a name is a word of its own nowhere else; what has no word for a name is called without it.
fn stands_only_at(text: &str, name: &str, own: usize) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_word = |at: usize| {
        let before = text[..at].chars().next_back();
        let behind = text[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !behind.is_some_and(is_part)
    };
    let mut places = text.match_indices(name);
    name.chars().all(is_part) && places.all(|(at, _)| at == own || !is_word(at))
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
