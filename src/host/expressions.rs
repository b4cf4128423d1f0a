//! What expressions of host code do to variables, and the calls that lead to launches.

use super::operands;
use super::reaching::{self, LAUNCH_CALLS};
use super::walk::{Walk, World};
use super::worlds::{forget, forget_slot, start_of_allocation};
use crate::ir::residue::Residue;
use crate::sema::consteval::{self, Value};
use crate::sema::scope::{self, Callee, Env, resolve_type, select};
use crate::sema::types::Type;
use crate::syntax::ast::{self, BinaryOp, Expr, ExprKind, TypeKind, UnaryOp};
use std::sync::Arc;

impl Walk<'_, '_> {
    /// Applies the side effects of an expression, launches included.
    pub fn effects(&mut self, env: &Env, world: &mut World, e: &Expr) {
        if self.depth >= 180 {
            return;
        }
        self.depth += 1;
        match &e.kind {
            ExprKind::Assign(_, place, value) => {
                self.effects(env, world, value);
                operands::each_child(place, &mut |c| self.effects(env, world, c));
                self.assign(env, world, e, place, value);
            }
            ExprKind::Unary(
                op @ (UnaryOp::PreIncrement
                | UnaryOp::PreDecrement
                | UnaryOp::PostIncrement
                | UnaryOp::PostDecrement),
                inner,
            ) => {
                let up = matches!(op, UnaryOp::PreIncrement | UnaryOp::PostIncrement);
                let new = self
                    .value(env, world, inner)
                    .and_then(|v| consteval::step(&v, up));
                consteval::assign(self.names, env, world, inner, new);
            }
            ExprKind::Launch {
                callee,
                config,
                arguments,
            } => {
                for e in config.iter().chain(arguments) {
                    self.effects(env, world, e);
                }
                self.record(env, world, callee, config, arguments, e.range);
                // A kernel may write through managed memory.
                for inner in arguments.iter().filter_map(operands::address_of) {
                    self.forget_place(world, inner);
                }
            }
            ExprKind::Call { callee, arguments } => self.call(env, world, e, callee, arguments),
            ExprKind::Conditional(c, a, b) => {
                self.effects(env, world, c);
                let known = self.value(env, world, c).and_then(|v| v.as_bool());
                if known != Some(false) {
                    self.effects(env, world, a);
                }
                if known != Some(true) {
                    self.effects(env, world, b);
                }
            }
            ExprKind::Binary(BinaryOp::Shr, a, b) if operands::root_of(b).is_some() => {
                self.effects(env, world, a);
                let stream =
                    scope::type_with(self.names, env, a, &|n| world.get(n).map(|s| s.ty.clone()));
                if !stream.is_integer() {
                    self.forget_place(world, b);
                }
            }
            // A lambda handed to somebody: it may run any number of times.
            ExprKind::Lambda(l) => self.run_lambda(env, world, l),
            ExprKind::Sizeof(_) => {}
            _ => operands::each_child(e, &mut |c| self.effects(env, world, c)),
        }
        self.depth -= 1;
    }

    fn assign(&mut self, env: &Env, world: &mut World, whole: &Expr, place: &Expr, value: &Expr) {
        let root = operands::root_of(place).cloned();
        let slot = root.as_ref().and_then(|n| world.get(n));
        let Some(slot) = slot else { return };
        let ty = slot.ty.clone();
        let is_whole = matches!(place.kind, ExprKind::Path(_));
        let new = self.value(env, world, whole);
        let new = match new {
            Some(v) => Some(v),
            None if is_whole && matches!(ty, Type::Pointer(_)) => {
                if let ExprKind::Assign(Some(op), ..) = &whole.kind {
                    Some(Value::Pointer {
                        offset: self.moved_by(env, world, place, *op, value),
                        element: ty.element().and_then(Type::size).unwrap_or(0),
                    })
                } else {
                    self.pointer_value(env, world, &ty, value)
                }
            }
            None => None,
        };
        if let Some(inner) = operands::address_of(value)
            && !self
                .names
                .functions(env, &path_of(inner))
                .iter()
                .any(|c| c.function.attributes.global)
        {
            self.forget_place(world, inner);
        }
        let is_vector_of_list = matches!((&ty, &new), (Type::Opaque(_), Some(Value::List(_))));
        if !consteval::assign(self.names, env, world, place, new.clone())
            && let Some(slot) = root.and_then(|n| world.get_mut(&n))
        {
            slot.value = None;
        } else if is_whole
            && is_vector_of_list
            && let Some(slot) = operands::root_of(place)
                .cloned()
                .and_then(|n| world.get_mut(&n))
        {
            slot.value = new;
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
        Some(Value::Pointer {
            offset: self.offset(env, world, e),
            element: to.size().unwrap_or(0),
        })
    }

    pub fn is_start(&self, world: &World, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Path(p) => match p.segments.last().and_then(|s| world.get(&s.name)) {
                Some(slot) => {
                    !matches!(slot.value, Some(Value::Pointer { offset, .. }) if offset != Residue::ZERO)
                }
                None => true,
            },
            ExprKind::Null | ExprKind::Member { .. } | ExprKind::Index(..) => true,
            ExprKind::Other("new") => true,
            ExprKind::Cast { value, .. } => self.is_start(world, value),
            ExprKind::Conditional(_, a, b) => self.is_start(world, a) && self.is_start(world, b),
            ExprKind::Unary(UnaryOp::AddressOf, inner) => matches!(&inner.kind, ExprKind::Path(_)),
            ExprKind::Unary(UnaryOp::Deref, inner) => self.is_start(world, inner),
            ExprKind::Call { callee, arguments } => match &callee.kind {
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

    pub fn forget_place(&self, world: &mut World, place: &Expr) {
        if let Some(slot) = operands::root_of(place)
            .cloned()
            .and_then(|n| world.get_mut(&n))
            && !slot.is_const
        {
            forget_slot(slot, false);
        }
    }

    fn run_lambda(&mut self, env: &Env, world: &mut World, l: &Arc<ast::Lambda>) {
        let body: Vec<&ast::Stmt> = l.body.iter().collect();
        let writes = reaching::writes(&body, &[]);
        forget(world, &writes);
        if writes.has_launch
            || writes
                .calls
                .iter()
                .any(|c| self.survey.reaching.contains(c))
        {
            let mut inner = world.clone();
            for p in &l.parameters {
                if let Some(name) = &p.name {
                    let ty = resolve_type(self.names, env, &p.ty);
                    let value = start_of_allocation(&ty);
                    inner.push(name.clone(), ty, value);
                }
            }
            self.statements(&mut env.clone(), vec![inner], &l.body);
        }
    }

    fn call(
        &mut self,
        env: &Env,
        world: &mut World,
        whole: &Expr,
        callee: &Expr,
        arguments: &[Expr],
    ) {
        for a in arguments {
            self.effects(env, world, a);
        }
        match &callee.kind {
            ExprKind::Path(path) => {
                let Some(last) = path.segments.last() else {
                    return;
                };
                if path.segments.len() == 1
                    && let Some(slot) = world.get(&last.name)
                {
                    match slot.value.clone() {
                        Some(Value::Lambda(l)) => self.call_lambda(env, world, &l, arguments),
                        Some(Value::Function(f)) => self.call_function(
                            env,
                            world,
                            &f.candidates,
                            f.explicit.as_deref().unwrap_or_default(),
                            arguments,
                            &last.name,
                        ),
                        _ => self.forget_arguments(world, arguments, &last.name),
                    }
                    return;
                }
                if LAUNCH_CALLS.contains(&&*last.name) {
                    self.record_call(env, world, &last.name, arguments, whole.range);
                    return;
                }
                let candidates = self.names.functions(env, path);
                if candidates.is_empty() {
                    self.library_call(env, world, &last.name, arguments);
                    return;
                }
                let explicit = last.arguments.as_deref().unwrap_or_default();
                self.call_function(env, world, &candidates, explicit, arguments, &last.name);
            }
            ExprKind::Member {
                object,
                arrow,
                member,
            } => {
                self.effects(env, world, object);
                let Some(last) = member.segments.last() else {
                    return;
                };
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
                    self.call_function(
                        env,
                        world,
                        &candidates,
                        last.arguments.as_deref().unwrap_or_default(),
                        arguments,
                        &last.name,
                    );
                    if !is_const {
                        self.forget_place(world, object);
                    }
                } else {
                    self.forget_arguments(world, arguments, &last.name);
                    if !matches!(
                        &*last.name,
                        "size"
                            | "data"
                            | "begin"
                            | "end"
                            | "front"
                            | "back"
                            | "empty"
                            | "at"
                            | "c_str"
                            | "length"
                            | "get"
                            | "count"
                    ) {
                        self.forget_place(world, object);
                    }
                }
            }
            ExprKind::Lambda(l) => self.call_lambda(env, world, l, arguments),
            _ => {
                self.effects(env, world, callee);
                self.forget_arguments(world, arguments, "");
            }
        }
    }

    /// A lambda sees the variables around it and runs in their midst.
    fn call_lambda(
        &mut self,
        env: &Env,
        world: &mut World,
        l: &Arc<ast::Lambda>,
        arguments: &[Expr],
    ) {
        let key = Arc::as_ptr(l) as usize;
        let body: Vec<&ast::Stmt> = l.body.iter().collect();
        let writes = reaching::writes(&body, &[]);
        let launches = writes.has_launch
            || writes
                .calls
                .iter()
                .any(|c| self.survey.reaching.contains(c));
        if launches && self.enter_lambda(key) {
            // Called from another function it still sees what stood around its definition.
            let mut around = None;
            let level = self.level();
            if let Some(closure) = self.closures.get_mut(&key) {
                closure.is_entered = true;
                if closure.level + 1 < level {
                    around = Some(closure.clone());
                }
            }
            let mut inner = around
                .as_ref()
                .map_or_else(|| world.clone(), |c| c.world.clone());
            let inner_env = around.as_ref().map_or(env, |c| &c.env);
            for (i, p) in l.parameters.iter().enumerate() {
                let value = arguments.get(i).and_then(|a| self.value(env, world, a));
                if let Some(name) = &p.name {
                    let mut ty = resolve_type(self.names, env, &p.ty);
                    if ty.strip_reference().is_unknown()
                        && let Some(a) = arguments.get(i)
                    {
                        ty = scope::type_with(self.names, env, a, &|n| {
                            world.get(n).map(|s| s.ty.clone())
                        });
                    }
                    let value = value.and_then(|v| {
                        if ty.is_unknown() {
                            Some(v)
                        } else {
                            consteval::cast(self.names, &ty, v)
                        }
                    });
                    let value = value.or_else(|| start_of_allocation(&ty));
                    inner.push(name.clone(), ty, value);
                }
            }
            let outer = around
                .as_ref()
                .map(|c| std::mem::replace(&mut self.function, c.function.clone()));
            self.statements(&mut inner_env.clone(), vec![inner], &l.body);
            if let Some(outer) = outer {
                self.function = outer;
            }
            self.leave_lambda();
        }
        forget(world, &writes);
        self.forget_arguments(world, arguments, "make_");
    }

    fn call_function(
        &mut self,
        env: &Env,
        world: &mut World,
        candidates: &[Callee],
        explicit: &[ast::TemplateArgument],
        arguments: &[Expr],
        name: &ast::Name,
    ) {
        let handed: Vec<Arc<ast::Lambda>> = arguments
            .iter()
            .filter_map(|a| {
                match (
                    &a.kind,
                    operands::root_of(a)
                        .and_then(|n| world.get(n))
                        .map(|s| &s.value),
                ) {
                    (ExprKind::Path(_), Some(Some(Value::Lambda(l)))) => Some(l.clone()),
                    _ => None,
                }
            })
            .collect();
        let reaches = self.survey.reaching.contains(name) || !handed.is_empty();
        if reaches {
            let at = self.env_of(env, world);
            let types: Vec<Type> = arguments
                .iter()
                .map(|a| self.argument_type(&at, world, a))
                .collect();
            let chosen =
                select(self.names, &at, candidates, explicit, &types).or_else(
                    || match candidates {
                        // An argument's type may be misjudged; a plain function needs none.
                        [only] if self.names.own_head(&only.function, &only.env).is_none() => {
                            Some((only.clone(), only.env.clone()))
                        }
                        _ => None,
                    },
                );
            if let Some((callee, inner)) = chosen {
                let callee = self.definition_of(candidates, callee);
                let values = arguments
                    .iter()
                    .map(|a| self.argument_value(env, world, a))
                    .collect();
                self.inline(&callee, &inner, world, values);
            }
        }
        // What the callee writes: variables of namespaces, and arguments it takes by reference.
        let globals = self.globals.min(world.slots.len());
        if globals > 0 {
            let written = self.survey.writes_of(name).clone();
            for slot in world.slots[..globals]
                .iter_mut()
                .filter(|s| written.contains(&s.name))
            {
                if !reaches {
                    forget_slot(slot, true);
                }
            }
        }
        for l in handed {
            forget(
                world,
                &reaching::writes(&l.body.iter().collect::<Vec<_>>(), &[]),
            );
        }
        for (i, a) in arguments.iter().enumerate() {
            if let Some(inner) = operands::address_of(a) {
                if !points_to_const(candidates, i) {
                    self.forget_place(world, inner);
                }
                continue;
            }
            let by_reference =
                candidates
                    .iter()
                    .any(|c| match c.function.parameters.get(i).map(|p| &p.ty.kind) {
                        Some(TypeKind::Reference { to, .. }) => !to.is_const,
                        Some(TypeKind::Pointer { to, .. }) => {
                            !to.is_const
                                && matches!(
                                    operands::root_of(a)
                                        .and_then(|n| world.get(n))
                                        .map(|s| &s.ty),
                                    Some(Type::Array(..))
                                )
                        }
                        Some(TypeKind::Array(..)) => true,
                        _ => false,
                    });
            if by_reference {
                self.forget_place(world, a);
            }
        }
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
                        consteval::assign(self.names, env, world, place, value);
                    }
                }
            }
            _ => self.forget_arguments(world, arguments, name),
        }
    }

    /// Forgets what a function that is not visible may write through its arguments.
    fn forget_arguments(&self, world: &mut World, arguments: &[Expr], name: &str) {
        let only_reads = name.starts_with("cudaMemcpyToSymbol")
            || name.starts_with("hipMemcpyToSymbol")
            || matches!(name, "fwrite" | "printf" | "fprintf" | "puts");
        if only_reads {
            return;
        }
        let writes_first =
            name.contains("emcpy") || matches!(name, "memset" | "memmove" | "cudaMemset");
        for (i, a) in arguments.iter().enumerate() {
            if let Some(inner) = operands::address_of(a) {
                if !writes_first || i == 0 {
                    self.forget_place(world, inner);
                }
                continue;
            }
            let is_list = matches!(
                operands::root_of(a)
                    .and_then(|n| world.get(n))
                    .map(|s| &s.value),
                Some(Some(Value::List(_)))
            );
            if matches!(a.kind, ExprKind::Path(_) | ExprKind::Member { .. })
                && (!operands::takes_values(name)
                    || (is_list && (!writes_first || i == 0) && !name.starts_with("make_")))
            {
                self.forget_place(world, a);
            }
        }
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

fn path_of(e: &Expr) -> ast::Path {
    match &e.kind {
        ExprKind::Path(p) => p.clone(),
        _ => ast::Path {
            is_global: false,
            segments: Vec::new(),
            range: e.range,
        },
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
