//! Lambdas as values: what their brackets capture.
//!
//! A capture by copy is a variable of its own that keeps the value from where the lambda
//! stands; a capture by reference is what the name means there. Running the body is
//! `inline`'s business.

use super::context::{Binding, Lower, Scope, new_scope};
use super::groups::{Closure, SpecialValue};
use super::values::{LValue, Mem, Val};
use crate::ir::{Expr, Object};
use crate::sema::scope::Env;
use crate::sema::types::Type;
use crate::syntax::ast::{self, Lambda};
use std::rc::Rc;
use std::sync::Arc;

impl Lower<'_> {
    /// The value of a lambda expression.
    pub fn closure(&mut self, lambda: &Arc<Lambda>, range: ast::Range) -> Val {
        let outer = self.frame.scope.clone();
        let outer_env = self.frame.env.clone();
        let own = new_scope(Some(outer.clone()));
        let mut copied: Vec<ast::Name> = Vec::new();
        let listed = &lambda.captures.listed;
        for capture in listed {
            if !capture.is_new && !capture.is_reference {
                copied.push(capture.name.clone());
            }
        }
        let is_named = |name: &ast::Name| listed.iter().any(|capture| capture.name == *name);
        copied.extend(
            lambda
                .mentioned
                .iter()
                .filter(|name| !is_named(name))
                .cloned(),
        );
        for name in copied {
            if let Some(Binding::LValue(place)) = self.lookup(&name) {
                self.capture_copy(&name, place, &own, range);
            }
        }
        for capture in listed.iter().filter(|capture| capture.is_new) {
            let Some(init) = &capture.init else {
                let reason = "a capture that could not be read";
                let value = self.unknown_val(reason, Type::unknown(reason));
                self.frame.scope = own.clone();
                self.bind(&capture.name, Binding::LValue(LValue::Val(value)));
                self.frame.scope = outer.clone();
                continue;
            };
            if capture.is_reference {
                let place = self.place(init);
                let place = self.pin(place);
                self.frame.scope = own.clone();
                self.bind(&capture.name, Binding::LValue(place));
            } else {
                let value = self.value(init);
                let ty = value.ty().decay();
                self.frame.scope = own.clone();
                self.declare_named(&capture.name, None, &ty, value);
            }
            self.frame.scope = outer.clone();
        }
        let mut this = self.frame.this.clone();
        let copies_this = listed
            .iter()
            .any(|capture| &*capture.name == "this" && !capture.is_reference);
        if copies_this && let Some(object) = &this {
            let copy = self.local("this", &object.ty.clone(), None);
            self.copy(&copy, &object.clone(), range);
            this = Some(copy);
        }
        if !lambda.is_mutable {
            // What is copied may not be written.
            let is_reference = |name: &ast::Name| {
                let mut all = listed.iter();
                all.any(|capture| capture.name == *name && capture.is_reference)
            };
            for (name, binding) in own.own_bindings() {
                if let Binding::LValue(place) = binding
                    && !is_reference(&name)
                {
                    own.rebind(&name, Binding::LValue(place.named(Some(true))));
                }
            }
        }
        let env = std::mem::replace(&mut self.frame.env, outer_env);
        self.closure_in(lambda, &own, env, this)
    }

    /// A lambda that sees `own`, which holds its copies.
    pub(super) fn closure_in(
        &mut self,
        lambda: &Arc<Lambda>,
        own: &Scope,
        env: Env,
        this: Option<Mem>,
    ) -> Val {
        self.has_lambdas = true;
        let ty = match lambda.is_mutable {
            true => Type::lambda(),
            false => Type::lambda_made(lambda.range.start, self.closures.len() as u32),
        };
        let closure = Rc::new(Closure {
            lambda: lambda.clone(),
            scope: self.captured.hold(own),
            env,
            this,
            ty,
        });
        if !lambda.is_mutable {
            self.closures.push(Some(closure.clone()));
        }
        Val::SpecialValue(SpecialValue::Closure(closure))
    }

    /// The lambda that every object of this type is a copy of.
    pub fn closure_of_type(&self, ty: &Type) -> Option<Rc<Closure>> {
        let made = ty.strip_reference().lambda_number()?;
        self.closures.get(made as usize)?.clone()
    }

    /// An object of a lambda's type is set: where this may be to another lambda of the same text, its type tells
    /// no longer what it captured.
    pub fn note_stored_lambda(&mut self, to: &Type, value: &Val) {
        if let Some(made) = to.lambda_number()
            && to.is_identical(&value.ty()) != Some(true)
            && let Some(known) = self.closures.get_mut(made as usize)
        {
            *known = None;
        }
    }

    /// A lambda by value: of one that changes its copies, the new one has copies of its own.
    pub fn copied_closure(&mut self, closure: &Rc<Closure>, range: ast::Range) -> Val {
        if !closure.lambda.is_mutable {
            return Val::SpecialValue(SpecialValue::Closure(closure.clone()));
        }
        let own = new_scope(closure.scope.outer());
        let is_reference = |name: &ast::Name| {
            let mut listed = closure.lambda.captures.listed.iter();
            listed.any(|capture| capture.name == *name && capture.is_reference)
        };
        for (name, binding) in closure.scope.own_bindings() {
            match binding {
                Binding::LValue(place) if !is_reference(&name) => {
                    self.capture_copy(&name, place, &own, range);
                }
                binding => {
                    let outer = std::mem::replace(&mut self.frame.scope, own.clone());
                    self.bind(&name, binding);
                    self.frame.scope = outer;
                }
            }
        }
        let (env, this) = (closure.env.clone(), closure.this.clone());
        self.closure_in(&closure.lambda, &own, env, this)
    }

    /// Binds `name` in the lambda's own scope to a copy of what it means outside.
    fn capture_copy(
        &mut self,
        name: &ast::Name,
        place: LValue,
        own: &super::context::Scope,
        range: ast::Range,
    ) {
        let place = match place {
            LValue::Mem(mem) if self.is_static(&mem) => return,
            LValue::Mem(mem) if matches!(mem.ty, Type::Array(..)) && !self.is_local(&mem) => return,
            LValue::Mem(mem) if matches!(mem.ty, Type::Array(..)) => {
                let copy = self.local(name, &mem.ty, None);
                self.copy(&copy, &mem, range);
                LValue::Mem(copy)
            }
            place @ (LValue::Mem(_) | LValue::Var { .. }) => {
                let ty = place.ty();
                let value = match self.read(place, range) {
                    Val::Object(mem) => {
                        let copy = self.local(name, &mem.ty, None);
                        self.copy(&copy, &mem, range);
                        Val::Object(copy)
                    }
                    other => other,
                };
                let outer = std::mem::replace(&mut self.frame.scope, own.clone());
                self.declare_named(name, None, &ty, value);
                self.frame.scope = outer;
                return;
            }
            LValue::Val(Val::SpecialValue(SpecialValue::Closure(closure))) => {
                LValue::Val(self.copied_closure(&closure, range))
            }
            // Constants, groups and functions do not change.
            LValue::Val(_) => return,
        };
        let outer = std::mem::replace(&mut self.frame.scope, own.clone());
        self.bind(name, Binding::LValue(place));
        self.frame.scope = outer;
    }

    /// Whether this is a whole shared or global variable, which no lambda captures.
    pub fn is_static(&self, mem: &Mem) -> bool {
        matches!(
            self.arena.get(mem.pointer),
            Expr::Address(Object::Shared(_) | Object::Global(_))
        )
    }
}
