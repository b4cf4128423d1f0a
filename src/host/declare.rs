//! Declarations of local variables in host code.
//!
//! Given a declaration and a world; pushes the variable with its type and with what is known of its value.
//! What may change behind its back (a reference, a kept static, an escaped array) has no value.

use super::operands;
use super::packs::written_name;
use super::walk::{Closure, Listed, Walk, World};
use super::worlds::{
    escape, join, matters_to_type, names_template, start_of_allocation, undefined,
};
use crate::sema::consteval::{self, Locals, Value, initial_value};
use crate::sema::scope::{self, Env};
use crate::sema::types::Type;
use crate::syntax::ast::{self, Expr, ExprKind, Name, TypeKind};
use std::collections::hash_map::Entry;
use std::sync::Arc;

impl<'n, 'a> Walk<'n, 'a> {
    /// Whether a variable of this function may be written by somebody who is not followed.
    fn is_lost(&self, name: &str, ty: &Type) -> bool {
        let Some(b) = self.function.as_ref().and_then(|f| self.survey.of(f)) else {
            return false;
        };
        let summary = &b.summary;
        // What is no object stays what it is when it is called.
        let is_object = !matches!(
            ty.strip_reference(),
            Type::Scalar(..) | Type::Vector { .. } | Type::Pointer(_) | Type::Function
        );
        summary.escaped.contains(name)
            || (is_object && summary.called.contains(name))
            || summary.writes.everything
            || (summary.has_goto && summary.writes.names.contains(name))
    }

    /// Marks the variable that was declared last.
    pub fn mark(&self, world: &mut World) {
        if let Some(slot) = world.slots.last_mut() {
            let name = written_name(&slot.name);
            slot.is_moving = self.is_moving(name);
            // A member that is `mutable` is written through whatever is const.
            let is_restless =
                self.survey.facts.is_restless(&slot.ty) || has_mutable(slot.ty.strip_reference());
            if self.is_lost(name, &slot.ty) || is_restless {
                escape(slot);
            }
        }
    }

    #[expect(clippy::too_many_lines, reason = "still to be split")]
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
        let has_effects = parts.iter().any(|e| self.acts(env, world, e));
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
        if let [e] = &inits[..]
            && let ExprKind::List(items) = &e.kind
            && matches!(v.ty.kind, TypeKind::Array(..))
            && items.iter().any(|(_, e)| operands::address_of(e).is_some())
        {
            self.note_list(world, v, items);
        }
        for e in &inits {
            if let ExprKind::Lambda(l) = &e.kind {
                self.run_captures(env, world, l);
                // Whoever makes an object of several things has the lambda among them, and may call it.
                if inits.len() > 1 {
                    self.run_lambda(env, world, l);
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
        if matches!(v.ty.kind, TypeKind::Reference { .. })
            && !matches!(value, Some(Value::Lambda(_) | Value::Function(_)))
            && self.may_see_a_change(world, &inits)
        {
            value = None;
        }
        // A lambda that calls itself by the variable's name: what the variable then holds is not looked at.
        let calls_itself = |e: &&Expr| matches!(&e.kind, ExprKind::Lambda(l) if !super::free_names::is_own(l, &v.name));
        if inits.iter().any(calls_itself) {
            value = None;
        }
        if matches!(ty, Type::Opaque(_) | Type::Unknown(_)) {
            self.lose_functors(env, world, inits.iter().copied());
        }
        // It keeps what its first call gave it; a `constexpr` one had its value before.
        let is_static = v.storage.is_static && !v.storage.is_constexpr;
        let is_kept = is_static && self.survey.written.contains(&v.name);
        let is_first = || initial_value(self.names, env, &mut fixed(world), v).is_some();
        if is_kept || v.storage.is_extern || is_static && !is_first() {
            value = None;
        }
        if value.is_none() && inits.is_empty() {
            value = self.without_initialiser(&ty);
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
            ty = Type::lambda();
        }
        if let [e] = &inits[..]
            && let ExprKind::Lambda(l) = &e.kind
            && self.survey.reaching.contains(&v.name)
        {
            if inits.iter().any(calls_itself) {
                self.run_lambda(env, world, l);
            } else {
                self.note_closure(env, world, v, l);
            }
        }
        let is_const =
            (v.storage.is_constexpr || consteval::is_const_object(&v.ty)) && !has_mutable(&ty);
        let picked = match &inits[..] {
            [e] if Self::may_hold_kernel(&ty, value.as_ref()) => self.picked(env, world, e),
            _ => None,
        };
        world.push(v.name.clone(), ty, value);
        let decays = matches!(world.slots.last().map(|s| &s.ty), Some(Type::Array(..)))
            && self
                .function
                .as_ref()
                .and_then(|f| self.survey.of(f))
                .is_some_and(|b| b.summary.bare.contains(&v.name))
            && !self.reads_array_only(env, &v.name);
        if let Some(slot) = world.slots.last_mut() {
            slot.is_const = is_const;
            slot.is_fixed =
                is_const && slot.value.is_some() && (is_static || v.storage.is_constexpr);
            slot.may_hold = picked.map(Into::into);
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

    /// Keeps a list of addresses that an array begins with: what the array holds is looked up in it. Of two lists
    /// that one name has had, none is kept.
    fn note_list(&mut self, world: &World, v: &ast::Variable, items: &[(Option<Name>, Expr)]) {
        let function = self
            .function
            .as_ref()
            .map_or(0, |f| Arc::as_ptr(f) as usize);
        let listed: Vec<Expr> = items.iter().map(|(_, e)| e.clone()).collect();
        let mut named = Vec::new();
        let all = listed.iter();
        all.for_each(|e| operands::mentioned(e, &mut named, 64));
        let named = named.into_iter().map(|name| {
            let at = world.place(&name);
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

    /// Whether a reference to one of these sees its variable change.
    fn may_see_a_change(&self, world: &World, inits: &[&Expr]) -> bool {
        let mut exposed = Vec::new();
        let all = inits.iter();
        all.for_each(|e| self.survey.facts.seen(e, &mut exposed));
        let is_const = |n: &Name| world.get(n).is_some_and(|s| s.is_const);
        let mut roots = exposed.into_iter().flat_map(operands::roots_of);
        !roots.all(|n| is_const(&n))
    }

    /// The value of an object that nothing initialises: its members, none of them known unless a constructor sets it.
    fn without_initialiser(&self, ty: &Type) -> Option<Value> {
        let mut value = match ty {
            Type::Record(_) | Type::Vector { .. } => {
                consteval::construct(self.names, ty, Vec::new())
            }
            Type::Array(..) => {
                consteval::cast(self.names, ty, Value::List(Arc::default())).map(undefined)
            }
            _ => None,
        };
        if let (Some(Value::Fields(f)), false) = (
            &mut value,
            matches!(ty, Type::Vector { name: "dim3", .. } | Type::Record(_)),
        ) {
            Arc::make_mut(f)
                .values
                .iter_mut()
                .for_each(|(_, v)| *v = None);
        }
        value
    }

    /// Keeps the world around a named lambda whose body may launch: it runs where the name is called.
    fn note_closure(&mut self, env: &Env, world: &World, v: &ast::Variable, l: &Arc<ast::Lambda>) {
        let key = Arc::as_ptr(l) as usize;
        // Another activation of its function makes another lambda.
        let before = self.closures.get(&key);
        let is_same = before.is_some_and(|c| c.world.frame == world.frame);
        let is_entered = is_same && before.is_some_and(|c| c.is_entered);
        if !is_same {
            self.reopened.remove(&key);
        }
        let function = self.function.clone();
        let is_closed = |f: &Arc<ast::Function>| self.survey.is_lambda_closed(f, &v.name);
        let is_open = !function.as_ref().is_some_and(is_closed);
        self.closures.insert(
            key,
            Closure {
                lambda: l.clone(),
                env: env.clone(),
                world: match self.closures.get(&key) {
                    Some(known) if known.world.frame == world.frame => join(&known.world, world),
                    _ => world.clone(),
                },
                function,
                level: self.stack.len(),
                is_entered,
                is_open,
            },
        );
    }
}

/// Variables of which only those have values that are the same in every call.
fn fixed(world: &World) -> Locals {
    let mut all = world.clone();
    for slot in all.slots.iter_mut().filter(|slot| !slot.is_fixed) {
        slot.value = None;
        slot.may_hold = None;
    }
    all
}

/// Whether a constant object has members that may be written all the same.
pub(super) fn has_mutable(ty: &Type) -> bool {
    match ty {
        Type::Array(of, _) => has_mutable(of),
        Type::Record(r) => {
            let mut fields = r.fields.iter();
            fields.any(|f| f.is_const == Some(false) || has_mutable(&f.ty))
                || (r.bases.iter()).any(|(_, base)| has_mutable(&Type::Record(base.clone())))
        }
        _ => false,
    }
}
