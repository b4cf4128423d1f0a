//! Function bodies in place of calls: parameters, frames, constructors.
//!
//! Given a chosen function and its arguments, emits the body and gives what it
//! returns. A parameter by reference is what its argument names.

mod parameters;

use super::call::ArgumentLValue;
use super::context::{Binding, Frame, Lower, Returns, new_scope};
use super::declare::has_auto;
use super::groups::Closure;
use super::limits::Signature;
use super::order::Mark;
use super::returned_places;
use super::values::{LValue, Mem, Val, const_of};
use crate::ir::{OpaqueOp, Scalar, Stmt};
use crate::sema::scope::{self, Callee, Env};
use crate::sema::types::{RecordType, Target, Type};
use crate::syntax::ast::{self, FunctionKind};
use std::rc::Rc;
use std::sync::Arc;

pub(super) use parameters::One;

pub(super) fn empty_returns() -> Returns {
    Returns {
        is_kernel: false,
        label: None,
        ty: None,
        slot: None,
        direct: None,
        owned: Vec::new(),
        first: 0,
    }
}

impl Lower<'_> {
    /// The body of `callee` in place of a call, or of what overrides it. `env` holds its template bindings.
    pub fn inline(
        &mut self,
        callee: &Callee,
        env: Env,
        this: Option<Mem>,
        places: &[ArgumentLValue],
        name: &str,
        range: ast::Range,
    ) -> LValue {
        if let Some(this) = &this
            && let Some(result) = self.virtual_operator(callee, this, places, name, range)
        {
            return result;
        }
        self.inline_chosen(callee, env, this, places, name, range)
    }

    /// The body of `callee` itself.
    pub(super) fn inline_chosen(
        &mut self,
        callee: &Callee,
        env: Env,
        this: Option<Mem>,
        places: &[ArgumentLValue],
        name: &str,
        range: ast::Range,
    ) -> LValue {
        // What a constructor makes may still be made where a result is wanted, whatever it does with `*this`.
        let made = this
            .as_ref()
            .filter(|_| callee.function.kind == FunctionKind::Constructor);
        let unnamed = made.and_then(|made| self.unnamed(made));
        let result = self.inline_body(callee, env, this, places, name, range);
        if let Some((variable, name)) = unnamed {
            self.variables[variable.index()].name = name;
        }
        result
    }

    #[expect(clippy::too_many_lines, reason = "still to be split")]
    fn inline_body(
        &mut self,
        callee: &Callee,
        env: Env,
        this: Option<Mem>,
        places: &[ArgumentLValue],
        name: &str,
        range: ast::Range,
    ) -> LValue {
        let function = callee.function.clone();
        let result_type = match &function.result.kind {
            ast::TypeKind::None => None,
            _ if has_auto(&function.result) => {
                let body = function.body.as_deref().unwrap_or_default();
                let inner = scope::with_parameters(&self.unit.names, &env, &function.parameters);
                self.deduced_result(&function.result, body, &inner)
            }
            _ => Some(scope::result_type(&self.unit.names, &env, &function)),
        };
        let Some(body) = &function.body else {
            return self.undefined(name, (callee, &env), this.as_ref(), places, range);
        };
        if let Some(place) = self.evaluated(callee, &env, places) {
            return place;
        }
        if let Some(place) = self.undecided(&function, places, result_type.as_ref(), name) {
            return place;
        }
        let instance = self.instance_key(&function, &callee.env, &env);
        let is_recursive = self.stack.contains(&instance);
        let is_method = callee.env.record.is_some() && !function.attributes.is_static;
        let mut this = if is_method { this } else { None };
        if let Some(this) = &mut this {
            this.is_const = Some(function.attributes.is_const);
            this.is_temporary = Some(false);
            self.name_temporary(&LValue::Mem(this.clone()));
        }
        let reason = if let Some(problem) = &function.problem {
            Some(format!("`{name}` could not be read: {}", problem.message))
        } else if let Some(label) = super::jumps::wild_jump(body) {
            Some(format!("`goto {label}` of `{name}` jumps into a block"))
        } else if is_recursive {
            Some(format!("`{name}` calls itself"))
        } else if self.stack.len() as u32 >= self.limits.inline_depth {
            Some(format!("the call of `{name}` is nested too deeply"))
        } else {
            self.over_limit(instance.0, name)
        };
        if is_recursive {
            self.recursive.insert(instance.clone());
        }
        if let Some(reason) = reason {
            return self.not_followed(
                &[Signature::new(&function.parameters, &env)],
                this.as_ref(),
                places,
                result_type,
                &reason,
                range,
            );
        }
        let (body_of, before) = (instance.0, self.steps);
        let bound = self.bind_arguments(&function.parameters, &env, places);
        let mut inlined = self.frame.inlined.to_vec();
        inlined.push((self.words.of(name), self.span(range)));
        let scope = new_scope(None);
        let frame = Frame {
            body: scope.clone(),
            scope,
            env,
            this: this.clone(),
            returns: Returns {
                ty: result_type.clone(),
                first: self.variables.len(),
                ..empty_returns()
            },
            breaks: Vec::new(),
            continues: Vec::new(),
            targets: Vec::new(),
            inlined: inlined.into(),
            base: 0,
        };
        let before_body = self.mark();
        self.stack.push(instance);
        // While it is made, an object is one of the class whose constructor runs.
        let made = match (&this, function.kind) {
            (Some(this), ast::FunctionKind::Constructor | ast::FunctionKind::Destructor) => {
                self.made_as(this)
            }
            _ => None,
        };
        let result = self.run_body(frame, |lower| {
            let env = lower.frame.env.clone();
            let names = &lower.unit.names;
            lower.open_template_arguments(&function, &env);
            let default = |at| names.default_argument(&function, &env, at);
            lower.declare_parameters(&function.parameters, bound, default);
            if function.kind == ast::FunctionKind::Constructor
                && let Some(this) = &this
            {
                lower.member_initialisers(&function, this, range);
            }
            lower.statements(body, true);
        });
        self.polymorphic.extend(made);
        if let Some(instance) = self.stack.pop() {
            self.accesses_of_recursion(&instance, name, before_body);
        }
        self.charge(body_of, before);
        let result = self.as_result(result, result_type.as_ref(), range);
        match result {
            LValue::Val(Val::Void) => match result_type {
                None | Some(Type::Void) => result,
                Some(ty) => {
                    let reason = format!("`{name}` returns no value");
                    LValue::Val(self.unknown_val(&reason, ty.strip_reference().clone()))
                }
            },
            other => other,
        }
    }

    /// What a function that calls itself asks memory for in the calls that are not followed: the same
    /// accesses once more, of which nothing is known.
    fn accesses_of_recursion(&mut self, instance: &(usize, String), name: &str, from: Mark) {
        if !self.recursive.remove(instance) {
            return;
        }
        let mut found = Vec::new();
        crate::ir::visit::statements(self.since(from), &mut |stmt| match stmt {
            Stmt::Load {
                pointer, site, ty, ..
            } => found.push((*pointer, *site, *ty, OpaqueOp::Load)),
            Stmt::Store {
                pointer, site, ty, ..
            }
            | Stmt::Atomic {
                pointer, site, ty, ..
            } => found.push((*pointer, *site, *ty, OpaqueOp::Store)),
            _ => {}
        });
        found.retain(|(pointer, ..)| self.arena.local_object(*pointer).is_none());
        let reason: Arc<str> = Arc::from(format!("`{name}` calls itself"));
        for (_, site, ty, op) in found {
            let pointer = self
                .arena
                .unknown(&reason, Vec::new(), true, Scalar::Pointer);
            self.emit(Stmt::OpaqueAccess {
                pointer,
                ty,
                op,
                site,
                reason: reason.clone(),
            });
        }
    }

    /// Tells one instance of a function from another.
    fn instance_key(
        &self,
        function: &Arc<ast::Function>,
        definition: &Env,
        env: &Env,
    ) -> (usize, String) {
        let mut text = env
            .record
            .as_ref()
            .map_or(String::new(), |record| record.name.clone());
        if let Some(head) = self.unit.names.own_head(function, definition) {
            text.push_str(&super::instances::instance_text(head, env));
        }
        (Arc::as_ptr(function) as usize, text)
    }

    /// The environment of a lambda's body: template arguments that a call gives, those that its arguments tell, and
    /// what stays open.
    fn env_of_closure(
        &self,
        closure: &Closure,
        explicit: &[ast::TemplateArgument],
        places: &[ArgumentLValue],
    ) -> Env {
        let Some(head) = closure.lambda.templates.first() else {
            return closure.env.clone();
        };
        let types: Vec<Type> = places
            .iter()
            .map(|(place, _)| place.argument_type())
            .collect();
        let (names, here) = (&self.unit.names, &self.frame.env);
        let called = (head, &closure.lambda.parameters[..]);
        scope::deduce_for_lambda(names, here, &closure.env, called, (explicit, &types))
            .unwrap_or_else(|| scope::bind_open(names, &closure.env, head, Vec::new()))
    }

    /// The numbers among a lambda's template arguments hide variables around it.
    fn bind_template_values(&mut self, lambda: &ast::Lambda) {
        let parameters = lambda.templates.iter().flat_map(|head| &head.parameters);
        for name in parameters.filter_map(|p| p.name.as_ref()) {
            let value = match self.frame.env.get(name).cloned() {
                Some(scope::Binding::Value(value, _)) => self.constant_value(&value),
                Some(scope::Binding::Variable(_)) => None,
                _ => continue,
            };
            let reason = format!("the template argument `{name}` is not known");
            let value = match value {
                Some(value) => value,
                None => self.unknown_val(&reason, Type::unknown(reason.clone())),
            };
            self.bind(name, Binding::LValue(LValue::Val(value)));
        }
    }

    /// The body of a lambda in place of a call; `explicit` stands in `f.template operator()<N>(…)`.
    pub fn inline_closure(
        &mut self,
        closure: &Rc<Closure>,
        explicit: &[ast::TemplateArgument],
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> LValue {
        let env = self.env_of_closure(closure, explicit, places);
        let arguments = closure.lambda.templates.first();
        let arguments = arguments.map(|head| super::instances::instance_text(head, &env));
        let instance = (
            Arc::as_ptr(&closure.lambda) as usize,
            arguments.unwrap_or_default(),
        );
        let reason = if self.stack.contains(&instance) {
            Some("a lambda calls itself".to_owned())
        } else if let Some(label) = super::jumps::wild_jump(&closure.lambda.body) {
            Some(format!("`goto {label}` of a lambda jumps into a block"))
        } else if self.stack.len() as u32 >= self.limits.inline_depth {
            Some("the call of a lambda is nested too deeply".to_owned())
        } else {
            self.over_limit(instance.0, "lambda")
        };
        if self.stack.contains(&instance) {
            self.recursive.insert(instance.clone());
        }
        if let Some(reason) = reason {
            self.forget_captured(closure, &reason, range);
            let signature = Signature::new(&closure.lambda.parameters, &env);
            let this = closure.this.as_ref();
            return self.not_followed(&[signature], this, places, None, &reason, range);
        }
        let (body_of, before) = (instance.0, self.steps);
        let bound = self.bind_arguments(&closure.lambda.parameters, &env, places);
        let result_type = match &closure.lambda.result {
            Some(ty) if has_auto(ty) => {
                let parameters = &closure.lambda.parameters;
                let inner = scope::with_parameters(&self.unit.names, &env, parameters);
                self.deduced_result(ty, &closure.lambda.body, &inner)
            }
            Some(ty) => Some(scope::resolve_type(&self.unit.names, &env, ty)),
            None => None,
        };
        let mut inlined = self.frame.inlined.to_vec();
        inlined.push((self.words.of("lambda"), self.span(range)));
        let scope = new_scope(Some(closure.scope.clone()));
        let frame = Frame {
            body: scope.clone(),
            scope,
            env,
            this: closure.this.clone(),
            returns: Returns {
                ty: result_type,
                first: self.variables.len(),
                ..empty_returns()
            },
            breaks: Vec::new(),
            continues: Vec::new(),
            targets: Vec::new(),
            inlined: inlined.into(),
            base: 0,
        };
        let before_body = self.mark();
        self.stack.push(instance);
        let ty = frame.returns.ty.clone();
        let result = self.run_body(frame, |lower| {
            lower.bind_template_values(&closure.lambda);
            let parameters = &closure.lambda.parameters;
            lower.declare_parameters(parameters, bound, |at| parameters[at].default.as_ref());
            lower.statements(&closure.lambda.body, true);
        });
        if let Some(instance) = self.stack.pop() {
            self.accesses_of_recursion(&instance, "lambda", before_body);
        }
        self.charge(body_of, before);
        self.as_result(result, ty.as_ref(), range)
    }

    /// What a call gives: by its type a place, one that expires, or a value.
    fn as_result(&mut self, result: LValue, ty: Option<&Type>, range: ast::Range) -> LValue {
        match ty {
            // Of `auto &&` and `decltype(auto)` the place that is returned tells.
            Some(Type::Reference(to)) if to.is_unknown() => result,
            Some(Type::Reference(to)) if to.is_rvalue => self.expiring(result, range),
            Some(Type::Reference(to)) => {
                let place = match result {
                    LValue::Mem(mem) => LValue::Mem(Mem {
                        is_temporary: Some(false),
                        ..mem
                    }),
                    place => place,
                };
                place.const_if(const_of(to) == Some(true))
            }
            _ => match result {
                LValue::Mem(mem) => LValue::Val(Val::Object(mem)),
                place => LValue::Val(self.read(place, range)),
            },
        }
    }

    /// Runs `body` in `frame`; gives what it returned.
    fn run_body(&mut self, frame: Frame, body: impl FnOnce(&mut Self)) -> LValue {
        let outer = std::mem::replace(&mut self.frame, frame);
        self.push_block();
        self.frame.base = self.block_depth();
        if self.enter() {
            body(self);
            self.end_scope(ast::Range::default());
            self.leave();
        } else {
            self.forget_locals("calls are nested too deeply", ast::Range::default());
        }
        let block = self.pop_block();
        let frame = std::mem::replace(&mut self.frame, outer);
        match frame.returns.label {
            Some(label) => self.emit(Stmt::Labelled { label, body: block }),
            None => self.append(block),
        }
        frame
            .returns
            .slot
            .or(frame.returns.direct)
            .unwrap_or(LValue::Val(Val::Void))
    }

    /// What is known of a result whose type the `return` statements tell: whether it is a reference.
    fn deduced_result(&self, ty: &ast::TypeExpr, body: &[ast::Stmt], env: &Env) -> Option<Type> {
        let is_reference = match &ty.kind {
            ast::TypeKind::Reference { .. } => true,
            ast::TypeKind::DecltypeAuto => {
                returned_places::gives_place(&self.unit.names, env, body)
            }
            _ => false,
        };
        let reason = "a type that a `return` tells";
        is_reference.then(|| Type::Reference(Target::open(Type::unknown(reason))))
    }

    /// Runs `body` as inside of a member function of `record`.
    pub fn in_record(
        &mut self,
        object: &Mem,
        record: &Arc<RecordType>,
        body: impl FnOnce(&mut Self),
    ) {
        let scope = new_scope(None);
        let frame = Frame {
            body: scope.clone(),
            scope,
            env: Env::inside(record),
            this: Some(object.clone()),
            returns: empty_returns(),
            breaks: Vec::new(),
            continues: Vec::new(),
            targets: Vec::new(),
            inlined: self.frame.inlined.clone(),
            base: 0,
        };
        let outer = std::mem::replace(&mut self.frame, frame);
        body(self);
        self.frame = outer;
    }
}
