//! Calls in host code: functions of the unit are followed where they lead to launches, all others may
//! write what they are given.

mod outside;

use outside::{forget_moved, points_to_const};

use super::dispatch;
use super::operands;
use super::reaching::{self, LAUNCH_CALLS, Receiver};
use super::walk::{Walk, World};
use super::worlds::{forget, forget_slot, join};
use crate::sema::consteval::{FunctionValue, Value};
use crate::sema::scope::{self, Binding, Callee, Env, overload_for_types};
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast::{self, Expr, ExprKind, TypeKind};
use std::sync::Arc;

/// Functions of one array that a call by an unknown index is followed into.
const MOST_FUNCTIONS: usize = 32;

/// The operator that calls an object.
pub(super) const CALL: &str = "()";

/// Who is given arguments that nobody follows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GivenTo {
    Function,
    Object,
    /// An object of a standard container.
    Container,
}

/// The functions that a call may mean.
struct Called<'c> {
    candidates: &'c [Callee],
    explicit: &'c [ast::TemplateArgument],
    /// Where `explicit` is read; the call's own environment otherwise.
    env: Option<&'c Env>,
    name: ast::Name,
    range: ast::Range,
}

impl<'c> Called<'c> {
    /// What a call names by `segment`.
    fn named(candidates: &'c [Callee], segment: &'c ast::Segment, range: ast::Range) -> Self {
        Self {
            candidates,
            explicit: segment.arguments.as_deref().unwrap_or_default(),
            env: None,
            name: segment.name.clone(),
            range,
        }
    }
}

impl Walk<'_, '_> {
    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    pub fn call(
        &mut self,
        env: &Env,
        world: &mut World,
        whole: &Expr,
        callee: &Expr,
        arguments: &[Expr],
    ) -> Option<Value> {
        self.note_lambdas(arguments);
        let parts: Vec<&Expr> = arguments.iter().filter(|a| !self.is_lambda(a)).collect();
        let mut seen = self.in_any_order(env, world, &parts);
        let value = self.value(env, &mut seen, whole);
        let mut receiver = Receiver::Anybody;
        match &callee.kind {
            ExprKind::Path(path) => {
                let last = path.segments.last()?;
                if path.segments.len() == 1
                    && !path.is_global
                    && let Some(slot) = world.get(&last.name)
                {
                    let held = slot.value.clone();
                    if !self.call_held(env, world, held.as_ref(), (whole, arguments)) {
                        self.call_object(env, world, callee, arguments, whole.range);
                    }
                    let callee = match &held {
                        Some(Value::Lambda(l)) => Receiver::Lambda(&l.lambda),
                        _ => Receiver::Anybody,
                    };
                    self.run_lambdas(env, world, arguments, &callee);
                    return value;
                }
                // A function that is a template's argument.
                if let Some(Binding::Value(held @ Value::Function(_), _)) = env.named(path).cloned()
                {
                    self.call_held(env, world, Some(&held), (whole, arguments));
                    self.run_lambdas(env, world, arguments, &Receiver::Anybody);
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
                let mut candidates = self.names.functions(env, path);
                let is_plain = path.segments.len() == 1 && !path.is_global;
                if is_plain
                    && !callee.is_name_in_parentheses()
                    && !operands::is_of_toolkit(&last.name)
                {
                    let types: Vec<Type> = arguments
                        .iter()
                        .map(|a| self.argument_type(env, world, a))
                        .collect();
                    let name = &last.name;
                    self.names
                        .add_associated(env, &mut candidates, name, &types);
                }
                if candidates.is_empty()
                    && let Some((alias, types)) = dispatch::types_of(&last.name, arguments)
                {
                    let envs = types.into_iter().map(|ty| {
                        let mut env = env.clone();
                        env.set(alias.clone(), Binding::Type(ty));
                        env
                    });
                    self.run_dispatched(&envs.collect::<Vec<_>>(), world, arguments);
                    return None;
                }
                // An argument of unknown type may lead to functions that nothing else does.
                if candidates.is_empty() && is_plain {
                    self.lose_named(&last.name);
                }
                if candidates.is_empty() && !operands::may_be_of_library(path) {
                    self.call_unknown(env, world, arguments, whole.range);
                    self.run_lambdas(env, world, arguments, &Receiver::Anybody);
                    return None;
                }
                if candidates.is_empty() {
                    if !operands::takes_values(&last.name) && path.segments.len() == 1 {
                        self.give_away(env, world, arguments, whole.range);
                    }
                    self.library_call(env, world, &last.name, arguments);
                    self.run_lambdas(env, world, arguments, &Receiver::Anybody);
                    return value;
                }
                let called = Called::named(&candidates, last, whole.range);
                self.call_function(env, world, &called, arguments);
                receiver = Receiver::Function(&last.name);
            }
            ExprKind::Member {
                object,
                arrow,
                member,
            } => {
                let last = member.segments.last()?;
                // `f.template operator()<32>()`
                if &*last.name == CALL
                    && let Some(Value::Lambda(l)) = self.value(env, world, object)
                {
                    let explicit = last.arguments.as_deref().unwrap_or_default();
                    self.call_lambda(env, world, &l, (explicit, arguments));
                    self.run_lambdas(env, world, arguments, &Receiver::Lambda(&l.lambda));
                    return None;
                }
                self.effects(env, world, object);
                let of = scope::type_with(self.names, env, object, &|n| {
                    world.get(n).map(|s| s.ty.clone())
                });
                let of = if *arrow {
                    of.element().cloned().unwrap_or(of)
                } else {
                    of
                };
                if let Type::Record(r) = of.strip_reference() {
                    self.call_method(env, world, (object, r, last), arguments, whole.range);
                    receiver = Receiver::Function(&last.name);
                } else {
                    let is_container = matches!(of.strip_reference(), Type::Opaque(n) if operands::is_container(n));
                    let to = if is_container {
                        GivenTo::Container
                    } else {
                        GivenTo::Object
                    };
                    self.lose_named(&last.name);
                    self.forget_arguments(env, world, arguments, &last.name, to);
                    if !self.survey.facts.only_reads(&last.name) {
                        self.forget_place(world, object);
                    }
                }
            }
            ExprKind::Lambda(_) => {
                if let Some(Value::Lambda(l)) = self.value(env, world, callee) {
                    self.call_lambda(env, world, &l, (&[], arguments));
                }
            }
            ExprKind::Other("new") => {
                arguments
                    .iter()
                    .filter(|a| operands::is_lvalue(a))
                    .for_each(|a| self.hand_over(world, a));
            }
            _ => self.call_computed(env, world, &mut seen, whole, (callee, arguments)),
        }
        self.run_lambdas(env, world, arguments, &receiver);
        value
    }

    /// `(*f)(…)`, `table[2](…)`
    fn call_computed(
        &mut self,
        env: &Env,
        world: &mut World,
        seen: &mut World,
        whole: &Expr,
        (callee, arguments): (&Expr, &[Expr]),
    ) {
        let mut named = callee;
        while let ExprKind::Unary(ast::UnaryOp::Deref, pointer) = &named.kind {
            named = pointer;
        }
        let functions = self.functions_of(env, seen, named);
        self.effects(env, world, callee);
        let mut ends: Vec<World> = Vec::new();
        for function in &functions {
            let mut end = world.clone();
            self.call_held(env, &mut end, Some(function), (whole, arguments));
            ends.push(end);
        }
        match ends.into_iter().reduce(|a, b| join(&a, &b)) {
            Some(end) => *world = end,
            None => self.call_object(env, world, callee, arguments, whole.range),
        }
    }

    /// The functions that a variable or an element of an array may be; none where it may be another one.
    fn functions_of(&self, env: &Env, world: &mut World, e: &Expr) -> Vec<Value> {
        let is_function = |v: &Value| matches!(v, Value::Function(_));
        if !matches!(e.kind, ExprKind::Path(_) | ExprKind::Index(..)) {
            return Vec::new();
        }
        if let Some(v) = self.value(env, world, e) {
            return Some(v).into_iter().filter(is_function).collect();
        }
        let ExprKind::Index(array, _) = &e.kind else {
            return Vec::new();
        };
        let Some(Value::List(items)) = self.value(env, world, array) else {
            return Vec::new();
        };
        let all: Option<Vec<Value>> = items
            .iter()
            .map(|item| item.clone().filter(is_function))
            .collect();
        all.filter(|all| all.len() <= MOST_FUNCTIONS)
            .unwrap_or_default()
    }

    /// Calls what a variable or an element holds; false where that is not known.
    fn call_held(
        &mut self,
        env: &Env,
        world: &mut World,
        held: Option<&Value>,
        (whole, arguments): (&Expr, &[Expr]),
    ) -> bool {
        match held {
            Some(Value::Lambda(l)) => self.call_lambda(env, world, l, (&[], arguments)),
            Some(Value::Function(f)) => {
                let name = f.text.split('<').next().unwrap_or_default();
                let called = Called {
                    candidates: &f.candidates,
                    explicit: f.explicit.as_deref().unwrap_or_default(),
                    env: Some(&f.env),
                    name: function_name(&f.candidates, &ast::Name::from(name)),
                    range: whole.range,
                };
                self.call_function(env, world, &called, arguments);
            }
            _ => return false,
        }
        true
    }

    /// A method of an object of the unit's class: it may change the object.
    fn call_method(
        &mut self,
        env: &Env,
        world: &mut World,
        (object, r, method): (&Expr, &Arc<RecordType>, &ast::Segment),
        arguments: &[Expr],
        range: ast::Range,
    ) {
        let candidates = self.names.methods(r, &method.name);
        let is_const =
            !candidates.is_empty() && candidates.iter().all(|c| c.function.attributes.is_const);
        let called = Called::named(&candidates, method, range);
        self.call_function(env, world, &called, arguments);
        if candidates.is_empty() {
            // A method in text that was not read.
            let globals = self.globals.min(world.slots.len());
            let all = world.slots[..globals].iter_mut();
            all.for_each(|slot| forget_slot(slot, true));
        }
        let fields: Vec<&str> = r.fields.iter().map(|f| f.name.as_str()).collect();
        let written = self.survey.writes_of(&method.name);
        if !is_const || fields.iter().any(|f| written.contains(*f)) {
            self.forget_place(world, object);
        }
    }

    /// `object(…)`: whoever that is, it may change itself.
    fn call_object(
        &mut self,
        env: &Env,
        world: &mut World,
        object: &Expr,
        arguments: &[Expr],
        range: ast::Range,
    ) {
        if let Type::Record(r) = self.argument_type(env, world, object).strip_reference() {
            let method = ast::Segment {
                name: ast::Name::from(CALL),
                arguments: None,
            };
            self.call_method(env, world, (object, r, &method), arguments, range);
        } else {
            self.lose_named(CALL);
            self.call_unknown(env, world, arguments, range);
        }
        self.forget_place(world, object);
    }

    pub fn is_lambda(&self, e: &Expr) -> bool {
        matches!(e.kind, ExprKind::Lambda(_))
    }

    pub fn is_config(&self, world: &World, p: &ast::Path) -> bool {
        p.segments
            .last()
            .and_then(|s| world.get(&s.name))
            .is_some_and(
                |s| matches!(&s.ty, Type::Opaque(n) if n.starts_with("cudaLaunchConfig_t")),
            )
    }

    fn call_function(
        &mut self,
        env: &Env,
        world: &mut World,
        called: &Called<'_>,
        arguments: &[Expr],
    ) {
        let Called {
            candidates, name, ..
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
        let callables: Vec<Option<Value>> =
            values.iter().filter(|v| callable(v)).cloned().collect();
        let given_functions: Vec<Arc<FunctionValue>> = values
            .iter()
            .filter_map(|v| match v {
                Some(Value::Function(f)) => Some(f.clone()),
                _ => None,
            })
            .collect();
        let mut chosen = None;
        let picks = self.survey.pickers.contains(name);
        if reaches || picks {
            chosen = self.callee_for(&at, world, called, arguments, &values);
        }
        if picks && let Some((callee, inner)) = &chosen {
            let callee = self.definition_of(candidates, callee.clone());
            self.note_picker(&callee, inner);
        }
        let chosen = chosen.filter(|_| reaches);
        let mut is_followed = false;
        if reaches && chosen.is_none() {
            for c in candidates.iter() {
                self.lose(&c.function);
            }
        }
        if let Some((callee, inner)) = chosen {
            let callee = self.definition_of(candidates, callee);
            let values = self.as_shapes(&at, world, (&callee, &inner), arguments, values);
            let (values, aliased) = self.passed(world, &callee, arguments, values, takes_callable);
            is_followed = self.inline(&callee, &inner, world, values, &aliased);
        }
        // What the callee writes: variables of namespaces, and arguments it takes by reference.
        if !is_followed {
            self.lose_lambdas(&callables);
            self.lose_functors(env, world, arguments);
            for f in given_functions {
                f.candidates.iter().for_each(|c| self.lose(&c.function));
            }
            let mut writes = reaching::Writes::default();
            writes.calls.insert(name.clone());
            for v in arguments.iter().filter_map(operands::root_of) {
                writes.calls.insert(v.clone());
            }
            self.forget_called(world, &writes);
            if candidates.iter().all(|c| c.function.body.is_none()) {
                self.give_away(env, world, arguments, called.range);
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
        self.hand_over_arguments(&at, world, called, arguments);
    }

    /// Values of arguments, with the shapes that numbers make which are not known.
    fn as_shapes(
        &self,
        at: &Env,
        world: &World,
        (callee, inner): (&Callee, &Env),
        arguments: &[Expr],
        mut values: Vec<Option<Value>>,
    ) -> Vec<Option<Value>> {
        let given = callee.function.parameters.iter().zip(arguments);
        for ((p, a), value) in given.zip(&mut values) {
            // What stands behind a pack has another place.
            if p.is_pack || matches!(a.kind, ExprKind::Expand(_)) {
                break;
            }
            if value.is_none() {
                let ty = scope::resolve_type(self.names, inner, &p.ty);
                *value = self.shape_of_number(at, world, &ty, a);
            }
        }
        values
    }

    /// The function that a call of these arguments means, with the bindings of its template.
    fn callee_for(
        &mut self,
        at: &Env,
        world: &mut World,
        called: &Called<'_>,
        arguments: &[Expr],
        values: &[Option<Value>],
    ) -> Option<(Callee, Env)> {
        let Called {
            candidates,
            explicit,
            ..
        } = called;
        let types: Vec<Type> = arguments
            .iter()
            .zip(values)
            .map(|(a, v)| match v {
                Some(Value::Function(_)) => Type::Function,
                Some(Value::Lambda(_)) => Type::lambda(),
                _ => self.argument_type(at, world, a),
            })
            .collect();
        let reads = called.env.unwrap_or(at);
        let names = self.names;
        overload_for_types(names, reads, candidates, explicit, &types).or_else(|| {
            let [only] = candidates else { return None };
            // An argument's type may be misjudged; a plain function needs none.
            if names.own_head(&only.function, &only.env).is_none() {
                return Some((only.clone(), only.env.clone()));
            }
            let signatures: Vec<_> = values.iter().map(|v| self.signature(v.as_ref())).collect();
            let given = (&types[..], &signatures[..]);
            let inner = scope::deduce_from_signatures(names, reads, only, explicit, given)?;
            Some((only.clone(), inner))
        })
    }

    /// What a function takes that is the value of an argument; nothing where it may be one of several.
    fn signature(&self, value: Option<&Value>) -> Option<Vec<Type>> {
        let Some(Value::Function(f)) = value else {
            return None;
        };
        let [only] = &f.candidates[..] else {
            return None;
        };
        let explicit = f.explicit.as_deref().unwrap_or_default();
        let bound = scope::deduce(self.names, &f.env, &only.env, &only.function, explicit, &[])?;
        let parameters = only.function.parameters.iter();
        Some(
            parameters
                .map(|p| scope::resolve_type(self.names, &bound, &p.ty))
                .collect(),
        )
    }

    /// Takes what the callee may write through its parameters for written.
    fn hand_over_arguments(
        &mut self,
        at: &Env,
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
        let casts_away = self.survey.casts_away(name);
        for (i, a) in arguments.iter().enumerate() {
            let moves = candidates.iter().any(|c| {
                let parameter = c.function.parameters.get(i);
                let name = parameter.and_then(|p| p.name.as_ref());
                name.is_some_and(|name| self.survey.moves(&c.function, name))
            });
            if let Some(inner) = operands::address_of(a) {
                if !points_to_const(candidates, i) || casts_away.pointers {
                    self.hand_over(world, inner);
                    if moves {
                        forget_moved(world, inner);
                    }
                }
                continue;
            }
            let is_array = self.holds_array(at, world, a);
            let writes = |c: &Callee| {
                let parameters = &c.function.parameters;
                let p = parameters
                    .get(i)
                    .or_else(|| parameters.last().filter(|p| p.is_pack));
                match p.map(|p| (&p.ty.kind, p)) {
                    Some((TypeKind::Reference { to, is_rvalue }, p))
                        if to.is_const && !is_rvalue =>
                    {
                        let is_cast = |name: &ast::Name| {
                            casts_away.references
                                || casts_away.pointers
                                    && self.survey.takes_address(&c.function, name)
                        };
                        p.name.as_ref().is_some_and(is_cast)
                    }
                    Some((TypeKind::Reference { .. }, p)) => !self.survey.only_reads(c, p),
                    Some((TypeKind::Pointer { to, .. }, _)) => {
                        is_array && (!to.is_const || casts_away.pointers)
                    }
                    Some((TypeKind::Array(of, _), _)) => {
                        is_array && (!of.is_const || casts_away.pointers)
                    }
                    Some((_, p)) => is_array || self.keeps_reference(c, p, explicit),
                    None => is_array,
                }
            };
            if candidates.iter().any(writes) {
                self.hand_over_exposed(world, a);
                if moves {
                    forget_moved(world, a);
                }
            }
        }
    }

    /// Whether a parameter without `&` may refer to its argument all the same: a reference by another
    /// name, or an object that holds one.
    fn keeps_reference(
        &self,
        c: &Callee,
        p: &ast::Parameter,
        explicit: &[ast::TemplateArgument],
    ) -> bool {
        let is_reference = |a: &ast::TemplateArgument| match a {
            ast::TemplateArgument::Type(ty) => self.survey.facts.refers(ty),
            ast::TemplateArgument::Expr(_) => false,
        };
        match scope::resolve_type(self.names, &c.env, &p.ty) {
            Type::Reference(_) => true,
            Type::Scalar(..) | Type::Pointer(_) | Type::Vector { .. } => false,
            _ => self.survey.facts.refers(&p.ty) || explicit.iter().any(is_reference),
        }
    }

    /// Whether an argument is an array, or something in one, that a pointer would lead to.
    pub fn holds_array(&self, env: &Env, world: &World, a: &Expr) -> bool {
        let is_array = |ty: &Type| matches!(ty.strip_reference(), Type::Array(..));
        let root = operands::root_of(a).and_then(|n| world.get(n));
        root.is_some_and(|s| is_array(&s.ty) || matches!(s.value, Some(Value::List(_))))
            || operands::is_lvalue(a) && is_array(&self.argument_type(env, world, a))
    }

    /// The values of parameters, and those that something else in sight may change meanwhile.
    pub fn passed(
        &mut self,
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
            self.lose_lambdas(&values[from.min(values.len())..]);
            values.truncate(from);
            values.resize(parameters.len().max(from), None);
            return (values, aliased);
        }
        let is_reference = |i: usize| {
            parameters
                .get(i)
                .or_else(|| parameters.last().filter(|p| p.is_pack))
                .is_some_and(|p| matches!(p.ty.kind, TypeKind::Reference { .. }))
        };
        let root = |i: usize| {
            arguments
                .get(i)
                .filter(|a| operands::is_lvalue(a))
                .map(operands::roots_of)
                .unwrap_or_default()
        };
        for i in 0..values.len() {
            let kind = parameters.get(i).map(|p| &p.ty.kind);
            let is_array = matches!(values[i], Some(Value::List(_)))
                && matches!(kind, Some(TypeKind::Pointer { .. }));
            if !is_reference(i) && !is_array {
                continue;
            }
            let roots = root(i);
            if roots.is_empty() || matches!(values[i], Some(Value::Lambda(_) | Value::Function(_)))
            {
                continue;
            }
            let is_global = |n: &ast::Name| {
                let at = world.place(n);
                at.is_none_or(|at| at < self.globals)
            };
            let is_const = roots
                .iter()
                .all(|n| world.get(n).is_some_and(|s| s.is_const));
            // A function cannot reach variables of its caller that nobody handed out.
            let takes_lambda =
                takes_callable && values.iter().any(|v| matches!(v, Some(Value::Lambda(_))));
            let is_shared = (0..arguments.len())
                .filter(|j| *j != i)
                .filter(|j| is_reference(*j) || is_array)
                .any(|j| root(j).iter().any(|n| roots.contains(n)));
            if !is_const && (takes_lambda || is_shared || roots.iter().any(is_global)) {
                values[i] = None;
                aliased.push(i);
            }
        }
        (values, aliased)
    }

    /// Whether a value is a copy that nobody can empty: a number or a pointer.
    pub fn is_number(&self, env: &Env, world: &World, e: &Expr) -> bool {
        matches!(
            self.argument_type(env, world, e).strip_reference(),
            Type::Scalar(_, _) | Type::Pointer(_) | Type::Function
        )
    }

    /// A function may be called with arguments that are not in sight.
    pub fn lose(&mut self, function: &Arc<ast::Function>) {
        self.recursive.insert(Arc::as_ptr(function) as usize);
    }

    /// Whatever function of a name may be called that leads to a launch.
    pub fn lose_named(&mut self, name: &str) {
        let all = self.survey.named(name);
        self.recursive.extend(all.map(|f| Arc::as_ptr(f) as usize));
    }

    /// Objects that somebody gets who is not followed: he may call them.
    pub fn lose_functors<'e>(
        &mut self,
        env: &Env,
        world: &mut World,
        given: impl IntoIterator<Item = &'e Expr>,
    ) {
        if self.survey.named(CALL).next().is_none() {
            return;
        }
        for e in given {
            if let Type::Record(class) = self.argument_type(env, world, e).strip_reference() {
                for method in self.names.methods(class, CALL) {
                    self.lose(&method.function);
                }
            }
        }
    }

    /// Of equal candidates the one with a body.
    pub fn definition_of(&self, candidates: &[Callee], chosen: Callee) -> Callee {
        if chosen.function.body.is_some() {
            return chosen;
        }
        let other = candidates.iter().find(|c| {
            c.function.body.is_some() && self.names.has_same_parameters(c, &chosen) == Some(true)
        });
        other.cloned().unwrap_or(chosen)
    }
}

/// The name under which functions of an overload set are known.
fn function_name(candidates: &[Callee], otherwise: &ast::Name) -> ast::Name {
    candidates
        .first()
        .map_or_else(|| otherwise.clone(), |c| c.function.name.clone())
}
