//! What expressions of host code do to variables, and the calls that lead to launches.

use super::operands;
use super::reaching::{self, LAUNCH_CALLS};
use super::walk::{Walk, World};
use super::worlds::{escape, forget, forget_all, forget_slot, join, start_of_allocation};
use crate::ir::Scalar;
use crate::ir::residue::Residue;
use crate::sema::consteval::{self, LambdaValue, Slot, Value};
use crate::sema::scope::{self, Callee, Env, resolve_type, select};
use crate::sema::types::Type;
use crate::syntax::ast::{self, BinaryOp, Expr, ExprKind, TypeKind, UnaryOp};
use std::sync::Arc;

impl Walk<'_, '_> {
    /// Applies the side effects of an expression, launches included.
    pub fn effects(&mut self, env: &Env, world: &mut World, e: &Expr) {
        self.evaluate(env, world, e);
    }

    /// Applies the side effects of an expression and gives its value.
    pub fn evaluate(&mut self, env: &Env, world: &mut World, e: &Expr) -> Option<Value> {
        if !operands::has_effects(e) {
            return self.value(env, world, e);
        }
        if self.depth >= 180 {
            forget(world, &reaching::writes(&[], &[e]));
            return None;
        }
        self.depth += 1;
        let value = self.evaluate_deep(env, world, e);
        self.depth -= 1;
        value
    }

    fn evaluate_deep(&mut self, env: &Env, world: &mut World, e: &Expr) -> Option<Value> {
        match &e.kind {
            ExprKind::Assign(op, place, value) => self.assign(env, world, *op, place, value),
            ExprKind::Unary(
                op @ (UnaryOp::PreIncrement
                | UnaryOp::PreDecrement
                | UnaryOp::PostIncrement
                | UnaryOp::PostDecrement),
                inner,
            ) => {
                let up = matches!(op, UnaryOp::PreIncrement | UnaryOp::PostIncrement);
                if operands::has_effects(inner) {
                    self.effects(env, world, inner);
                    self.forget_place(world, inner);
                    return None;
                }
                let old = self.value(env, world, inner);
                let new = old.as_ref().and_then(|v| consteval::step(v, up));
                self.write(env, world, inner, new.clone());
                let is_before = matches!(op, UnaryOp::PostIncrement | UnaryOp::PostDecrement);
                if is_before { old } else { new }
            }
            ExprKind::Launch {
                callee,
                config,
                arguments,
            } => {
                let all: Vec<&Expr> = config.iter().chain(arguments).collect();
                let mut seen = self.in_any_order(env, world, &all);
                self.record(env, &mut seen, callee, config, arguments, e.range);
                // A kernel may write through managed memory.
                for inner in arguments.iter().filter_map(operands::address_of) {
                    self.forget_place(world, inner);
                }
                None
            }
            ExprKind::Call { callee, arguments } => self.call(env, world, e, callee, arguments),
            ExprKind::Binary(BinaryOp::Comma, a, b) => {
                self.effects(env, world, a);
                self.evaluate(env, world, b)
            }
            ExprKind::Binary(op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr), a, b) => {
                let decisive = *op == BinaryOp::LogicalOr;
                let truth = |known: bool| Some(Value::int(i64::from(known), Scalar::Bool));
                let left = self.evaluate(env, world, a).and_then(|v| v.as_bool());
                match left {
                    Some(left) if left == decisive => truth(left),
                    Some(_) => truth(self.evaluate(env, world, b)?.as_bool()?),
                    None => {
                        let mut taken = world.clone();
                        let right = self.evaluate(env, &mut taken, b).and_then(|v| v.as_bool());
                        *world = join(world, &taken);
                        right.filter(|r| *r == decisive).and_then(truth)
                    }
                }
            }
            ExprKind::Conditional(c, a, b) => {
                let known = self.evaluate(env, world, c).and_then(|v| v.as_bool());
                match known {
                    Some(true) => self.evaluate(env, world, a),
                    Some(false) => self.evaluate(env, world, b),
                    None => {
                        let mut other = world.clone();
                        let x = self.evaluate(env, world, a);
                        let y = self.evaluate(env, &mut other, b);
                        *world = join(world, &other);
                        x.filter(|x| y.as_ref() == Some(x))
                    }
                }
            }
            ExprKind::Binary(BinaryOp::Shr, a, b) if operands::is_lvalue(b) => {
                let stream =
                    scope::type_with(self.names, env, a, &|n| world.get(n).map(|s| s.ty.clone()));
                if stream.is_integer() {
                    let mut seen = self.in_any_order(env, world, &[a, b]);
                    return self.value(env, &mut seen, e);
                }
                self.effects(env, world, a);
                self.effects(env, world, b);
                self.forget_place(world, b);
                None
            }
            // It may run any number of times, whoever has it.
            ExprKind::Lambda(l) => {
                self.run_lambda(env, world, l);
                self.value(env, world, e)
            }
            ExprKind::Error => {
                forget_all(world);
                None
            }
            _ => {
                let mut parts = Vec::new();
                operands::each_child(e, &mut |c| parts.push(c));
                let mut seen = self.in_any_order(env, world, &parts);
                self.value(env, &mut seen, e)
            }
        }
    }

    /// Applies the side effects of operands whose order is open. Gives what is known while any of them
    /// is read: what no effect changes.
    fn in_any_order(&mut self, env: &Env, world: &mut World, parts: &[&Expr]) -> World {
        if !parts.iter().any(|e| operands::has_effects(e)) {
            return world.clone();
        }
        let before = world.clone();
        for e in parts {
            self.effects(env, world, e);
        }
        join(&before, world)
    }

    fn assign(
        &mut self,
        env: &Env,
        world: &mut World,
        op: Option<BinaryOp>,
        place: &Expr,
        value: &Expr,
    ) -> Option<Value> {
        // The value comes first, then the place.
        let is_plain = !operands::has_effects(place);
        let is_whole = matches!(&place.kind, ExprKind::Path(p) if p.segments.len() == 1);
        let ty = operands::root_of(place)
            .and_then(|n| world.get(n))
            .map_or_else(|| Type::unknown("no variable"), |s| s.ty.clone());
        let mut new = self.evaluate(env, world, value);
        if let Some(op) = op {
            let old = self.value(env, world, place);
            new = old.as_ref().zip(new.as_ref()).and_then(|(old, by)| {
                let sum = consteval::binary(op, old, by)?;
                match old.ty() {
                    Some(Type::Scalar(s)) => sum.convert(s),
                    _ => Some(sum),
                }
            });
        }
        if new.is_none() && is_whole && matches!(ty, Type::Pointer(_)) {
            new = match op {
                Some(op) => Some(Value::Pointer {
                    offset: self.moved_by(env, world, place, op, value),
                    element: ty.element().and_then(Type::size).unwrap_or(0),
                    is_assumed: true,
                }),
                None => self.pointer_value(env, world, &ty, value),
            };
        }
        if !is_plain {
            self.effects(env, world, place);
            self.forget_place(world, place);
            return None;
        }
        if is_whole && matches!((&ty, &new), (Type::Unknown(_), Some(Value::List(_)))) {
            new = None;
        }
        // A class may assign as it likes.
        if let Type::Record(r) = &ty
            && !self.names.methods(r, "=").is_empty()
        {
            new = None;
        }
        self.write(env, world, place, new);
        // What the place then holds, in its own type.
        if is_whole {
            self.value(env, world, place)
        } else {
            None
        }
    }

    /// Gives a place a value.
    fn write(&mut self, env: &Env, world: &mut World, place: &Expr, value: Option<Value>) {
        let is_qualified =
            matches!(&place.kind, ExprKind::Path(p) if p.is_global || p.segments.len() > 1);
        let is_known = !is_qualified
            && matches!(
                place.kind,
                ExprKind::Path(_) | ExprKind::Member { .. } | ExprKind::Index(..)
            );
        if is_known && consteval::assign(self.names, env, world, place, value) {
            return;
        }
        for root in operands::roots_of(place) {
            for slot in world.slots.iter_mut().filter(|s| s.name == root) {
                forget_slot(slot, true);
                if !matches!(slot.value, Some(Value::Pointer { .. })) {
                    slot.value = None;
                }
            }
        }
    }

    /// Where a pointer points whose value does not fold: what memory functions and plain names give
    /// is the start of an allocation, anything computed is somewhere in one.
    pub fn pointer_value(&self, env: &Env, world: &World, ty: &Type, e: &Expr) -> Option<Value> {
        let Type::Pointer(to) = ty.strip_reference() else {
            return None;
        };
        if matches!(**to, Type::Function) {
            return None;
        }
        let (offset, is_assumed) = self.offset(env, world, e);
        Some(Value::Pointer {
            offset,
            element: to.size().unwrap_or(0),
            is_assumed,
        })
    }

    /// Whether an expression is taken for the start of an allocation, though the text does not show
    /// the allocation.
    pub fn is_start(&self, world: &World, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Path(p) => match p.segments.last().and_then(|s| world.get(&s.name)) {
                Some(slot) => {
                    !matches!(slot.value, Some(Value::Pointer { offset, .. }) if offset != Residue::ZERO)
                }
                None => true,
            },
            ExprKind::Null | ExprKind::Member { .. } | ExprKind::Other("new") => true,
            // One of several pointers is a start where all are.
            ExprKind::Index(base, _) => {
                let list = operands::root_of(base).and_then(|n| world.get(n));
                match list.and_then(|s| s.value.as_ref()) {
                    Some(Value::List(items)) => items.iter().all(|item| {
                        matches!(item, Some(Value::Pointer { offset, .. }) if *offset == Residue::ZERO)
                    }),
                    _ => true,
                }
            }
            ExprKind::Cast { value, .. } => self.is_start(world, value),
            ExprKind::Conditional(_, a, b) => self.is_start(world, a) && self.is_start(world, b),
            ExprKind::Unary(UnaryOp::AddressOf, inner) => matches!(&inner.kind, ExprKind::Path(_)),
            ExprKind::Unary(UnaryOp::Deref, inner) => self.is_start(world, inner),
            ExprKind::Call { callee, arguments } => match &callee.kind {
                ExprKind::Other("new") => true,
                ExprKind::Path(p) => p.segments.last().is_some_and(|s| {
                    let lower = s.name.to_ascii_lowercase();
                    lower.contains("alloc")
                        || (&*s.name == "raw_pointer_cast"
                            && arguments
                                .first()
                                .is_some_and(|a| self.is_start(world, address_or_self(a))))
                        || lower == "data"
                }),
                ExprKind::Member { member, .. } => member.segments.last().is_some_and(|s| {
                    let lower = s.name.to_ascii_lowercase();
                    matches!(
                        &*lower,
                        "data" | "get" | "begin" | "ptr" | "c_str" | "front"
                    ) || lower.contains("ptr")
                        || lower.contains("pointer")
                        || lower.contains("data")
                }),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether an expression makes an allocation and gives its start.
    pub fn is_fresh(&self, env: &Env, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Other("new") => true,
            ExprKind::Cast { value, .. } => self.is_fresh(env, value),
            ExprKind::Call { callee, .. } => match &callee.kind {
                ExprKind::Other("new") => true,
                ExprKind::Path(p) => {
                    p.segments
                        .last()
                        .is_some_and(|s| matches!(&*s.name, "malloc" | "calloc"))
                        && self.names.functions(env, p).is_empty()
                }
                _ => false,
            },
            _ => false,
        }
    }

    pub fn forget_place(&self, world: &mut World, place: &Expr) {
        for root in operands::roots_of(place) {
            if let Some(slot) = world.get_mut(&root)
                && !slot.is_const
            {
                forget_slot(slot, false);
            }
        }
    }

    /// Somebody may write a place from here on.
    fn hand_over(&self, world: &mut World, place: &Expr) {
        for root in operands::roots_of(place) {
            if let Some(slot) = world.get_mut(&root) {
                escape(slot);
            }
        }
    }

    /// A lambda that nobody in sight calls by its name.
    fn run_lambda(&mut self, env: &Env, world: &mut World, l: &Arc<ast::Lambda>) {
        let writes = self.writes_of_lambda(l);
        forget(world, &writes);
        self.forget_called(world, &writes);
        if self.survey.launches(&writes) && self.enter_lambda(Arc::as_ptr(l) as usize) {
            let mut inner = world.clone();
            // When it runs, what the function writes may have been written.
            if let Some(all) = self.function.as_ref().and_then(|f| self.survey.of(f)) {
                forget(&mut inner, &all.summary.writes);
            }
            for c in l.captures.listed.iter().filter(|c| c.is_new) {
                inner.push(
                    c.name.clone(),
                    Type::unknown("a lambda's own variable"),
                    None,
                );
            }
            for p in &l.parameters {
                if let Some(name) = &p.name {
                    let ty = resolve_type(self.names, env, &p.ty);
                    let value = start_of_allocation(&ty);
                    inner.push(name.clone(), ty, value);
                }
            }
            self.statements(&mut env.clone(), vec![inner], &l.body);
            self.leave_lambda();
        }
    }

    /// Forgets the variables of namespaces that called functions may write.
    pub fn forget_called(&mut self, world: &mut World, writes: &reaching::Writes) {
        let globals = self.globals.min(world.slots.len());
        if globals == 0 {
            return;
        }
        for name in &writes.calls {
            let written = self.survey.writes_of(name).clone();
            for slot in &mut world.slots[..globals] {
                if written.contains(&slot.name) {
                    forget_slot(slot, true);
                }
            }
            if self.survey.is_elsewhere(name) {
                self.forget_visible(world);
            }
        }
    }

    /// Forgets the variables of namespaces that other files can see.
    fn forget_visible(&self, world: &mut World) {
        for (slot, is_visible) in world.slots.iter_mut().zip(&self.visible) {
            if *is_visible {
                forget_slot(slot, true);
            }
        }
    }

    fn call(
        &mut self,
        env: &Env,
        world: &mut World,
        whole: &Expr,
        callee: &Expr,
        arguments: &[Expr],
    ) -> Option<Value> {
        let parts: Vec<&Expr> = arguments.iter().filter(|a| !self.is_lambda(a)).collect();
        let mut seen = self.in_any_order(env, world, &parts);
        let value = self.value(env, &mut seen, whole);
        match &callee.kind {
            ExprKind::Path(path) => {
                let last = path.segments.last()?;
                if path.segments.len() == 1
                    && !path.is_global
                    && let Some(slot) = world.get(&last.name)
                {
                    match slot.value.clone() {
                        Some(Value::Lambda(l)) => self.call_lambda(env, world, &l, arguments),
                        Some(Value::Function(f)) => {
                            let explicit = f.explicit.as_deref().unwrap_or_default();
                            let called = Called {
                                candidates: &f.candidates,
                                explicit,
                                env: Some(&f.env),
                                name: function_name(&f.candidates, &last.name),
                            };
                            self.call_function(env, world, &called, arguments);
                        }
                        _ => self.call_unknown(env, world, arguments),
                    }
                    self.run_lambdas(env, world, arguments);
                    return value;
                }
                if LAUNCH_CALLS.contains(&&*last.name) {
                    self.record_call(env, &mut seen, &last.name, arguments, whole.range);
                    for inner in arguments.iter().filter_map(operands::address_of) {
                        if !matches!(&inner.kind, ExprKind::Path(p) if self.is_config(world, p)) {
                            self.forget_place(world, inner);
                        }
                    }
                    return None;
                }
                let candidates = self.names.functions(env, path);
                if candidates.is_empty() {
                    self.library_call(env, world, &last.name, arguments);
                    self.run_lambdas(env, world, arguments);
                    return value;
                }
                let called = Called {
                    candidates: &candidates,
                    explicit: last.arguments.as_deref().unwrap_or_default(),
                    env: None,
                    name: last.name.clone(),
                };
                self.call_function(env, world, &called, arguments);
            }
            ExprKind::Member {
                object,
                arrow,
                member,
            } => {
                self.effects(env, world, object);
                let last = member.segments.last()?;
                let of = scope::type_with(self.names, env, object, &|n| {
                    world.get(n).map(|s| s.ty.clone())
                });
                let of = if *arrow {
                    of.element().cloned().unwrap_or(of)
                } else {
                    of
                };
                if let Type::Record(r) = of.strip_reference() {
                    let candidates = self.names.methods(r, &last.name);
                    let is_const = !candidates.is_empty()
                        && candidates.iter().all(|c| c.function.attributes.is_const);
                    let called = Called {
                        candidates: &candidates,
                        explicit: last.arguments.as_deref().unwrap_or_default(),
                        env: None,
                        name: last.name.clone(),
                    };
                    self.call_function(env, world, &called, arguments);
                    let fields: Vec<&str> = r.fields.iter().map(|f| f.name.as_str()).collect();
                    let written = self.survey.writes_of(&last.name);
                    if !is_const || fields.iter().any(|f| written.contains(*f)) {
                        self.forget_place(world, object);
                    }
                } else {
                    self.forget_arguments(env, world, arguments, &last.name, true);
                    if !reaching::only_reads(&last.name) {
                        self.forget_place(world, object);
                    }
                }
            }
            ExprKind::Lambda(_) => {
                if let Some(Value::Lambda(l)) = self.value(env, world, callee) {
                    self.call_lambda(env, world, &l, arguments);
                }
            }
            ExprKind::Other("new") => {
                arguments
                    .iter()
                    .filter(|a| operands::is_lvalue(a))
                    .for_each(|a| self.hand_over(world, a));
            }
            _ => {
                self.effects(env, world, callee);
                self.call_unknown(env, world, arguments);
            }
        }
        self.run_lambdas(env, world, arguments);
        value
    }

    /// Runs the lambdas among arguments that the callee did not call in sight.
    fn run_lambdas(&mut self, env: &Env, world: &mut World, arguments: &[Expr]) {
        for a in arguments {
            if let ExprKind::Lambda(l) = &a.kind
                && !self.called_lambdas.contains(&(Arc::as_ptr(l) as usize))
            {
                self.run_lambda(env, world, l);
            }
        }
    }

    fn is_lambda(&self, e: &Expr) -> bool {
        matches!(e.kind, ExprKind::Lambda(_))
    }

    fn is_config(&self, world: &World, p: &ast::Path) -> bool {
        p.segments
            .last()
            .and_then(|s| world.get(&s.name))
            .is_some_and(
                |s| matches!(&s.ty, Type::Opaque(n) if n.starts_with("cudaLaunchConfig_t")),
            )
    }

    /// A call of nobody knows what.
    fn call_unknown(&mut self, env: &Env, world: &mut World, arguments: &[Expr]) {
        self.forget_visible(world);
        self.forget_arguments(env, world, arguments, "", true);
    }

    /// A lambda sees the variables around its own place.
    fn call_lambda(
        &mut self,
        env: &Env,
        world: &mut World,
        v: &Arc<LambdaValue>,
        arguments: &[Expr],
    ) {
        let l = &v.lambda;
        let key = Arc::as_ptr(l) as usize;
        let writes = self.writes_of_lambda(l);
        if self.survey.launches(&writes) && self.enter_lambda(key) {
            self.called_lambdas.insert(key);
            if let Some(closure) = self.closures.get_mut(&key) {
                closure.is_entered = true;
            }
            let mut inner = self.around(world, v);
            for c in l.captures.listed.iter().filter(|c| c.is_new) {
                inner.push(
                    c.name.clone(),
                    Type::unknown("a lambda's own variable"),
                    None,
                );
            }
            for (i, p) in l.parameters.iter().enumerate() {
                let given = arguments.get(i);
                let value = given.and_then(|a| self.argument_value(env, world, a));
                let Some(name) = &p.name else { continue };
                let mut ty = resolve_type(self.names, &v.env, &p.ty);
                if ty.strip_reference().is_unknown()
                    && let Some(a) = given
                {
                    ty = self.argument_type(env, world, a);
                }
                let value = self.bound_value(&p.ty, &ty, value, given);
                inner.push(name.clone(), ty, value);
                self.mark(&mut inner);
            }
            let outer = self
                .closures
                .get(&key)
                .map(|c| std::mem::replace(&mut self.function, c.function.clone()));
            let outcome = self.statements(&mut v.env.clone(), vec![inner], &l.body);
            if let Some(outer) = outer {
                self.function = outer;
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
        for (i, a) in arguments.iter().enumerate() {
            let by = l.parameters.get(i).map(|p| &p.ty.kind);
            match operands::address_of(a) {
                Some(inner) => self.hand_over(world, inner),
                None if is_written_through(by) => self.hand_over(world, a),
                None => {}
            }
        }
    }

    /// The variables that a lambda sees when it is called now.
    fn around(&self, world: &World, v: &LambdaValue) -> World {
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
        let copied = |s: &&Slot| !s.is_const && v.has_copy_of(s);
        inner.slots.extend(v.slots.iter().filter(copied).cloned());
        inner
    }

    /// What a parameter holds that is given `value`, an argument's.
    fn bound_value(
        &self,
        written: &ast::TypeExpr,
        ty: &Type,
        value: Option<Value>,
        given: Option<&Expr>,
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
            .or_else(|| start_of_allocation(ty))
    }

    fn call_function(
        &mut self,
        env: &Env,
        world: &mut World,
        called: &Called<'_>,
        arguments: &[Expr],
    ) {
        let Called {
            candidates,
            explicit,
            name,
            ..
        } = called;
        let at = self.env_of(env, world);
        let values: Vec<Option<Value>> = arguments
            .iter()
            .map(|a| self.argument_value(env, world, a))
            .collect();
        let callable = |v: &Option<Value>| match v {
            Some(Value::Lambda(_)) => true,
            Some(Value::Function(f)) => f.candidates.iter().any(|c| {
                c.function.attributes.global || self.survey.reaching.contains(&c.function.name)
            }),
            _ => false,
        };
        let takes_callable = values.iter().any(callable);
        let reaches = self.survey.reaching.contains(name) || takes_callable;
        let mut chosen = None;
        if reaches {
            let types: Vec<Type> = arguments
                .iter()
                .zip(&values)
                .map(|(a, v)| match v {
                    Some(Value::Function(_)) => Type::Function,
                    _ => self.argument_type(&at, world, a),
                })
                .collect();
            let reads = called.env.unwrap_or(&at);
            chosen =
                select(self.names, reads, candidates, explicit, &types).or_else(
                    || match candidates {
                        // An argument's type may be misjudged; a plain function needs none.
                        [only] if self.names.own_head(&only.function, &only.env).is_none() => {
                            Some((only.clone(), only.env.clone()))
                        }
                        _ => None,
                    },
                );
        }
        let mut is_followed = false;
        if let Some((callee, inner)) = chosen {
            let callee = self.definition_of(candidates, callee);
            let (values, aliased) = self.passed(world, &callee, arguments, values, takes_callable);
            is_followed = self.inline(&callee, &inner, world, values, &aliased);
        }
        // What the callee writes: variables of namespaces, and arguments it takes by reference.
        if !is_followed {
            let mut writes = reaching::Writes::default();
            writes.calls.insert(name.clone());
            for v in arguments.iter().filter_map(operands::root_of) {
                writes.calls.insert(v.clone());
            }
            self.forget_called(world, &writes);
            if candidates.iter().all(|c| c.function.body.is_none()) {
                self.forget_visible(world);
            }
        }
        for a in arguments {
            if let Some(Value::Lambda(l)) = self.value(env, world, a) {
                let writes = self.writes_of_lambda(&l.lambda);
                forget(world, &writes);
                self.forget_called(world, &writes);
            }
        }
        for (i, a) in arguments.iter().enumerate() {
            if let Some(inner) = operands::address_of(a) {
                if !points_to_const(candidates, i) {
                    self.hand_over(world, inner);
                }
                continue;
            }
            let is_array = operands::root_of(a)
                .and_then(|n| world.get(n))
                .is_some_and(|s| matches!(s.ty, Type::Array(..)));
            let writes = |c: &Callee| {
                let parameters = &c.function.parameters;
                let p = parameters
                    .get(i)
                    .or_else(|| parameters.last().filter(|p| p.is_pack));
                match p.map(|p| (&p.ty.kind, p)) {
                    Some((TypeKind::Reference { .. }, p)) => {
                        is_written_through(Some(&p.ty.kind)) && !self.survey.only_reads(c, p)
                    }
                    Some((TypeKind::Pointer { to, .. }, _)) => !to.is_const && is_array,
                    Some((TypeKind::Array(..), _)) => true,
                    Some((TypeKind::Auto, _)) | None => is_array,
                    _ => is_array,
                }
            };
            if operands::is_lvalue(a) && candidates.iter().any(writes) {
                self.hand_over(world, a);
            }
        }
    }

    /// The values of parameters, and those that something else in sight may change meanwhile.
    fn passed(
        &self,
        world: &World,
        callee: &Callee,
        arguments: &[Expr],
        values: Vec<Option<Value>>,
        takes_callable: bool,
    ) -> (Vec<Option<Value>>, Vec<usize>) {
        let mut values = values;
        let mut aliased = Vec::new();
        let parameters = &callee.function.parameters;
        let expands = arguments
            .iter()
            .position(|a| matches!(a.kind, ExprKind::Expand(_)));
        if let Some(from) = expands {
            values.truncate(from);
            values.resize(parameters.len().max(from), None);
            return (values, aliased);
        }
        let is_reference = |i: usize| {
            parameters
                .get(i)
                .is_some_and(|p| matches!(p.ty.kind, TypeKind::Reference { .. }))
        };
        let root = |i: usize| {
            arguments
                .get(i)
                .filter(|a| operands::is_lvalue(a))
                .map(operands::roots_of)
                .unwrap_or_default()
        };
        for i in (0..values.len()).filter(|i| is_reference(*i)) {
            let roots = root(i);
            if roots.is_empty() || matches!(values[i], Some(Value::Lambda(_) | Value::Function(_)))
            {
                continue;
            }
            let is_global = |n: &ast::Name| {
                let at = world.slots.iter().rposition(|s| s.name == *n);
                at.is_none_or(|at| at < self.globals)
            };
            let is_const = roots
                .iter()
                .all(|n| world.get(n).is_some_and(|s| s.is_const));
            let is_shared = (0..arguments.len())
                .filter(|j| *j != i)
                .any(|j| root(j).iter().any(|n| roots.contains(n)) && is_reference(j));
            if !is_const && (takes_callable || is_shared || roots.iter().any(is_global)) {
                values[i] = None;
                aliased.push(i);
            }
        }
        (values, aliased)
    }

    /// Of equal candidates the one with a body.
    fn definition_of(&self, candidates: &[Callee], chosen: Callee) -> Callee {
        if chosen.function.body.is_some() {
            return chosen;
        }
        let other = candidates.iter().find(|c| {
            c.function.body.is_some()
                && c.function.parameters.len() == chosen.function.parameters.len()
        });
        other.cloned().unwrap_or(chosen)
    }

    pub fn argument_type(&self, at: &Env, world: &World, a: &Expr) -> Type {
        scope::type_with(self.names, at, a, &|n| world.get(n).map(|s| s.ty.clone()))
    }

    pub fn argument_value(&self, env: &Env, world: &mut World, a: &Expr) -> Option<Value> {
        if let Some(v) = self.value(env, world, a) {
            return Some(v);
        }
        let ty = self.argument_type(env, world, a);
        self.pointer_value(env, world, &ty.decay(), a)
    }

    fn library_call(&mut self, env: &Env, world: &mut World, name: &ast::Name, arguments: &[Expr]) {
        match &**name {
            // `cuModuleGetFunction(&function, module, "name")`
            "cuModuleGetFunction" | "hipModuleGetFunction" => {
                if let [target, _, text] = arguments
                    && let Some(inner) = operands::address_of(target)
                    && let Some(slot) = operands::root_of(inner)
                        .cloned()
                        .and_then(|n| world.get_mut(&n))
                    && !slot.is_escaped
                {
                    slot.value = match &text.kind {
                        ExprKind::Str(s) => Some(Value::Str(s.clone())),
                        _ => None,
                    };
                }
            }
            "swap" => {
                if let [a, b] = arguments {
                    let values = [
                        self.argument_value(env, world, b),
                        self.argument_value(env, world, a),
                    ];
                    for (place, value) in [a, b].into_iter().zip(values) {
                        self.write(env, world, place, value);
                    }
                }
            }
            name if operands::allocates(name) => {
                let target = arguments.first().and_then(operands::address_of);
                if let Some(place) = target {
                    let ty = self.argument_type(env, world, place);
                    let fresh = match ty.strip_reference() {
                        Type::Pointer(to) => Some(Value::Pointer {
                            offset: Residue::ZERO,
                            element: to.size().unwrap_or(0),
                            is_assumed: false,
                        }),
                        _ => None,
                    };
                    self.write(env, world, place, fresh);
                }
            }
            _ => {
                self.forget_arguments(env, world, arguments, name, false);
                if !operands::takes_values(name) {
                    self.forget_visible(world);
                }
            }
        }
    }

    /// Forgets what a function that is not visible may write through its arguments.
    fn forget_arguments(
        &mut self,
        env: &Env,
        world: &mut World,
        arguments: &[Expr],
        name: &str,
        is_method: bool,
    ) {
        let only_reads = name.starts_with("cudaMemcpyToSymbol")
            || name.starts_with("hipMemcpyToSymbol")
            || matches!(name, "fwrite" | "printf" | "fprintf" | "puts");
        if only_reads && !is_method {
            return;
        }
        let is_known = operands::takes_values(name) && !is_method;
        let keeps = is_method || operands::keeps_addresses(name);
        let writes_first =
            name.contains("emcpy") || matches!(name, "memset" | "memmove" | "cudaMemset");
        for (i, a) in arguments.iter().enumerate() {
            if let Some(inner) = operands::address_of(a) {
                if !writes_first || i == 0 || keeps {
                    if keeps {
                        self.hand_over(world, inner);
                    } else {
                        self.forget_place(world, inner);
                    }
                }
                continue;
            }
            if let Some(Value::Lambda(l)) = self.value(env, world, a) {
                let writes = self.writes_of_lambda(&l.lambda);
                forget(world, &writes);
                self.forget_called(world, &writes);
            }
            if !operands::is_lvalue(a) {
                continue;
            }
            let is_list = operands::roots_of(a)
                .iter()
                .filter_map(|n| world.get(n))
                .any(|s| {
                    matches!(s.value, Some(Value::List(_))) || matches!(s.ty, Type::Array(..))
                });
            if !is_known {
                // A container takes copies of what it is given.
                let takes_copies = is_method
                    && !is_list
                    && matches!(
                        name,
                        "push_back" | "insert" | "resize" | "assign" | "push" | "reserve"
                    );
                if !takes_copies {
                    self.hand_over(world, a);
                }
            } else if is_list
                && matches!(a.kind, ExprKind::Path(_) | ExprKind::Member { .. })
                && (!writes_first || i == 0)
                && !name.starts_with("make_")
            {
                self.forget_place(world, a);
            }
        }
    }
}

/// The functions that a call may mean.
struct Called<'c> {
    candidates: &'c [Callee],
    explicit: &'c [ast::TemplateArgument],
    /// Where `explicit` is read; the call's own environment otherwise.
    env: Option<&'c Env>,
    name: ast::Name,
}

/// The name under which functions of an overload set are known.
fn function_name(candidates: &[Callee], otherwise: &ast::Name) -> ast::Name {
    candidates
        .first()
        .map_or_else(|| otherwise.clone(), |c| c.function.name.clone())
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

fn address_or_self(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Unary(UnaryOp::AddressOf, inner) => match &inner.kind {
            ExprKind::Index(base, at)
                if matches!(
                    at.first().map(|e| &e.kind),
                    Some(ExprKind::Int { value: 0, .. })
                ) =>
            {
                base
            }
            _ => e,
        },
        _ => e,
    }
}

fn points_to_const(candidates: &[Callee], i: usize) -> bool {
    !candidates.is_empty()
        && candidates
            .iter()
            .all(|c| match c.function.parameters.get(i).map(|p| &p.ty.kind) {
                Some(TypeKind::Pointer { to, .. }) => to.is_const,
                _ => false,
            })
}
