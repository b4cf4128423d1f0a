//! Lambdas of host code: they see the variables around their own place, by reference or as copies.

use super::operands;
use super::reaching::Receiver;
use super::walk::{Walk, World};
use super::worlds::{forget, join, start_of_allocation};
use crate::sema::consteval::{self, LambdaValue, Value};
use crate::sema::scope::{self, Binding, Env, resolve_type};
use crate::sema::types::Type;
use crate::syntax::ast::{self, Expr, ExprKind, TypeKind};
use std::sync::Arc;

/// Calls of one lambda that are followed, and of a function that is given one: a dispatcher of five `bool`s calls 32.
pub(super) const MAX_LAMBDA_CALLS: u32 = 256;

impl Walk<'_, '_> {
    /// A lambda that nobody in sight calls by its name.
    pub fn run_lambda(&mut self, env: &Env, world: &mut World, l: &Arc<ast::Lambda>) {
        let writes = self.writes_of_lambda(l);
        forget(world, &writes);
        self.forget_called(world, &writes);
        if self.may_launch(world, &writes) && self.enter_lambda(Arc::as_ptr(l) as usize) {
            let place = self.survey.displaced.place_of_lambda(l);
            let outer = std::mem::replace(&mut self.place, place);
            let mut inner = world.clone();
            let env = &self.headed(env, l);
            self.open_lambda(&mut inner, env, l);
            self.statements(&mut env.clone(), vec![inner], &l.body);
            self.place = outer;
            self.leave_lambda();
        }
    }

    /// What the initialisers in a lambda's brackets do, where it is made.
    pub fn run_captures(&mut self, env: &Env, world: &mut World, l: &ast::Lambda) {
        for e in l.captures.listed.iter().filter_map(|c| c.init.as_ref()) {
            self.effects(env, world, e);
        }
    }

    /// The world in which a lambda's body runs that anybody may call, at any time.
    pub fn open_lambda(&mut self, inner: &mut World, env: &Env, l: &Arc<ast::Lambda>) {
        let writes = self.writes_of_lambda(l);
        forget(inner, &writes);
        self.forget_called(inner, &writes);
        // When it runs, what the function writes may have been written.
        if let Some(all) = self.function.as_ref().and_then(|f| self.survey.of(f)) {
            forget(inner, &all.summary.writes);
        }
        for c in l.captures.listed.iter().filter(|c| c.is_new) {
            inner.push(
                c.name.clone(),
                Type::unknown("a lambda's own variable"),
                None,
            );
        }
        self.hide(inner, env, l);
        for p in &l.parameters {
            if let Some(name) = &p.name {
                let ty = resolve_type(self.names, env, &p.ty);
                let value = start_of_allocation(&ty, self.is_moving(name));
                inner.push(name.clone(), ty, value);
                self.mark(inner);
            }
        }
    }

    /// The environment of a lambda's body: what stands for types and numbers in its own head is open.
    pub fn headed(&self, env: &Env, l: &ast::Lambda) -> Env {
        let mut env = env.clone();
        for head in &l.templates {
            self.open_parameters(&mut env, head);
        }
        env
    }

    /// The same for `f.operator()<…>()`.
    fn headed_by(
        &self,
        v: &LambdaValue,
        (env, world): (&Env, &World),
        explicit: &[ast::TemplateArgument],
    ) -> Env {
        let open = self.headed(&v.env, &v.lambda);
        let ([head], false) = (&v.lambda.templates[..], explicit.is_empty()) else {
            return open;
        };
        let at = self.env_of(env, world);
        let given = scope::resolve_arguments(self.names, &at, explicit, Some(head));
        scope::bind_values(self.names, &v.env, head, given, &[]).unwrap_or(open)
    }

    /// The names in a lambda's own head hide variables.
    fn hide(&self, inner: &mut World, env: &Env, l: &ast::Lambda) {
        let parameters = l.templates.iter().flat_map(|head| &head.parameters);
        for name in parameters.filter_map(|p| p.name.as_ref()) {
            let (ty, value) = match env.get(name) {
                Some(Binding::Value(v, ty)) => (ty.clone().or_else(|| v.ty()), Some(v.clone())),
                _ if inner.get(name).is_some() => (None, None),
                _ => continue,
            };
            let ty = ty.unwrap_or_else(|| Type::unknown("a template parameter"));
            inner.push(name.clone(), ty, value);
            if let Some(slot) = inner.slots.last_mut() {
                slot.is_const = slot.value.is_some();
                slot.is_escaped = !slot.is_const;
            }
        }
    }

    /// Runs the lambdas among arguments that the callee did not call in sight, or that it may keep.
    pub fn run_lambdas(
        &mut self,
        env: &Env,
        world: &mut World,
        arguments: &[Expr],
        callee: &Receiver<'_>,
    ) {
        for (i, a) in arguments.iter().enumerate() {
            if let ExprKind::Lambda(l) = &a.kind {
                let key = Arc::as_ptr(l) as usize;
                let is_followed = self.called_lambdas.contains(&key)
                    && !self.recursive.contains(&key)
                    && self.survey.only_calls_argument(callee, i);
                if !is_followed {
                    self.run_lambda(env, world, l);
                }
            }
        }
    }

    /// Lambdas among arguments stand in the function that is run now, and are to be called by this call.
    pub fn note_lambdas(&mut self, arguments: &[Expr]) {
        for a in arguments {
            if let ExprKind::Lambda(l) = &a.kind {
                let key = Arc::as_ptr(l) as usize;
                self.called_lambdas.remove(&key);
                self.lambda_homes.insert(key, self.function.clone());
            }
        }
    }

    /// Somebody who is not followed has these, and may call them at any time.
    pub fn lose_lambdas(&mut self, values: &[Option<Value>]) {
        for value in values {
            if let Some(Value::Lambda(l)) = value {
                self.recursive.insert(Arc::as_ptr(&l.lambda) as usize);
            }
        }
    }

    /// The function that a lambda stands in, where that is known.
    fn home_of_lambda(&self, key: usize) -> Option<Option<Arc<ast::Function>>> {
        let closure = self.closures.get(&key).map(|c| c.function.clone());
        closure.or_else(|| self.lambda_homes.get(&key).cloned())
    }

    /// A lambda sees the variables around its own place.
    #[expect(clippy::too_many_lines, reason = "still to be split")]
    pub fn call_lambda(
        &mut self,
        env: &Env,
        world: &mut World,
        v: &Arc<LambdaValue>,
        (explicit, arguments): (&[ast::TemplateArgument], &[Expr]),
    ) {
        let l = &v.lambda;
        let key = Arc::as_ptr(l) as usize;
        let writes = self.writes_of_lambda(l);
        let around = self.around(world, v);
        let may_launch = self.may_launch(&around, &writes);
        let calls = self.calls.entry((key, 0)).or_default();
        *calls += u32::from(may_launch);
        // Lambdas that call lambdas multiply.
        let is_worn = *calls > MAX_LAMBDA_CALLS;
        if is_worn {
            self.recursive.insert(key);
            if !self.opened_lambdas.contains(&key) && self.enter_lambda(key) {
                self.open_again(world, v);
                self.leave_lambda();
            }
        } else if may_launch && self.enter_lambda(key) {
            self.called_lambdas.insert(key);
            if let Some(closure) = self.closures.get_mut(&key) {
                closure.is_entered = true;
            }
            let place = self.survey.displaced.place_of_lambda(l);
            let mut inner = around;
            let mut env_inside = self.headed_by(v, (env, world), explicit);
            self.hide(&mut inner, &env_inside, l);
            for c in l.captures.listed.iter().filter(|c| c.is_new) {
                inner.push(
                    c.name.clone(),
                    Type::unknown("a lambda's own variable"),
                    None,
                );
            }
            for (i, p) in l.parameters.iter().enumerate() {
                if p.is_pack {
                    let rest = arguments.get(i..).unwrap_or_default().iter();
                    let values: Vec<Option<Value>> =
                        rest.map(|a| self.argument_value(env, world, a)).collect();
                    self.bind_pack(&mut env_inside, &mut inner, p, &values);
                    continue;
                }
                let given = arguments.get(i);
                let value = given.and_then(|a| self.argument_value(env, world, a));
                let Some(name) = &p.name else { continue };
                let mut ty = resolve_type(self.names, &env_inside, &p.ty);
                if let Some(a) = given {
                    let of = || self.argument_type(env, world, a);
                    if ty.strip_reference().is_unknown() {
                        ty = of();
                    } else if matches!(p.ty.kind, TypeKind::Pointer { .. }) {
                        ty = scope::of_auto_pointer(&p.ty, of().strip_reference().clone())
                            .unwrap_or(ty);
                    }
                }
                let outer = std::mem::replace(&mut self.place, place);
                let is_moving = self.is_moving(name);
                let value = self.bound_value(&p.ty, &ty, value, given, is_moving);
                inner.push(name.clone(), ty, value);
                self.mark(&mut inner);
                self.place = outer;
            }
            let outer_place = std::mem::replace(&mut self.place, place);
            let outer = self
                .home_of_lambda(key)
                .map(|home| std::mem::replace(&mut self.function, home));
            let outcome = self.statements(&mut env_inside.clone(), vec![inner], &l.body);
            if let Some(outer) = outer {
                self.function = outer;
            }
            self.place = outer_place;
            // It calls itself: with what is not followed.
            if self.recursive.contains(&key) && !self.opened_lambdas.contains(&key) {
                self.open_again(world, v);
            }
            self.leave_lambda();
            // What it leaves in variables of namespaces.
            let mut ends = outcome.into_iter().map(|(w, _)| w);
            if let Some(first) = ends.next() {
                let end = ends.fold(first, |a, b| join(&a, &b));
                let globals = self.globals.min(world.slots.len());
                for (slot, after) in world.slots[..globals].iter_mut().zip(end.slots) {
                    *slot = after;
                }
            }
        }
        forget(world, &writes);
        self.forget_called(world, &writes);
        for p in l.parameters.get(arguments.len()..).unwrap_or_default() {
            if let Some(e) = &p.default {
                forget(world, &self.survey.writes(&[], &[e]));
            }
        }
        for (i, a) in arguments.iter().enumerate() {
            let last = l.parameters.last().filter(|p| p.is_pack);
            let by = l.parameters.get(i).or(last).map(|p| &p.ty.kind);
            match operands::address_of(a) {
                Some(inner) => self.hand_over(world, inner),
                None if is_written_through(by) => self.hand_over(world, a),
                None => {}
            }
        }
    }

    /// Reads a lambda once more, called by anybody with anything.
    fn open_again(&mut self, world: &World, v: &Arc<LambdaValue>) {
        let l = &v.lambda;
        let key = Arc::as_ptr(l) as usize;
        self.opened_lambdas.insert(key);
        let place = self.survey.displaced.place_of_lambda(l);
        let outer_place = std::mem::replace(&mut self.place, place);
        let outer = self
            .home_of_lambda(key)
            .map(|home| std::mem::replace(&mut self.function, home));
        let mut inner = self.around(world, v);
        let env = self.headed(&v.env, l);
        self.open_lambda(&mut inner, &env, l);
        self.statements(&mut env.clone(), vec![inner], &l.body);
        if let Some(outer) = outer {
            self.function = outer;
        }
        self.place = outer_place;
    }

    /// The variables that a lambda sees when it is called now.
    pub fn around(&self, world: &World, v: &LambdaValue) -> World {
        let depth = v.slots.len();
        let now = if v.frame == world.frame {
            Some(world)
        } else {
            self.frames.iter().rev().find(|w| w.frame == v.frame)
        };
        let mut inner = match now.filter(|w| w.slots.len() >= depth) {
            Some(w) => World {
                slots: w.slots[..depth].to_vec(),
                is_mutable: false,
                frame: v.frame,
            },
            None => World {
                slots: v.copies(),
                is_mutable: false,
                frame: v.frame,
            },
        };
        // Variables of namespaces are what they are now.
        let globals = self.globals.min(world.slots.len()).min(inner.slots.len());
        inner.slots[..globals].clone_from_slice(&world.slots[..globals]);
        inner.slots.extend(v.own_copies());
        inner
    }

    /// What a parameter holds that is given `value`, an argument's.
    pub fn bound_value(
        &self,
        written: &ast::TypeExpr,
        ty: &Type,
        value: Option<Value>,
        given: Option<&Expr>,
        is_moving: bool,
    ) -> Option<Value> {
        let value = value.and_then(|v| {
            if ty.strip_reference().is_unknown() {
                Some(v)
            } else {
                consteval::cast(self.names, ty, v)
            }
        });
        // A reference may see its variable change.
        let is_alias = matches!(written.kind, TypeKind::Reference { .. })
            && given.is_some_and(operands::is_lvalue);
        let is_callable = matches!(value, Some(Value::Lambda(_) | Value::Function(_)));
        value
            .filter(|_| !is_alias || is_callable)
            .or_else(|| start_of_allocation(ty, is_moving))
    }
}

/// Whether a parameter of this type lets its function write the argument.
fn is_written_through(ty: Option<&TypeKind>) -> bool {
    match ty {
        Some(TypeKind::Reference { to, is_rvalue }) => {
            // `T&&` takes variables where `T` is deduced.
            !to.is_const || *is_rvalue
        }
        _ => false,
    }
}
