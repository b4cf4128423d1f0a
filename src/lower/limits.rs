//! Calls that are not followed: what one kernel may cost, and what a call that is given up may change.
//!
//! Given a chosen function, says why its body should not go in place of the call:
//! its statements or those of the kernel came to their limit, or it decides by values that nobody
//! gave. Limits are counted in steps, so that they do not depend on the machine.

use super::call::ArgumentLValue;
use super::context::{Binding, Lower};
use super::groups::{Closure, SpecialValue};
use super::values::{LValue, Mem, Val, scalar_val};
use crate::ir::stop::STOPPED;
use crate::ir::{Expr, ExprId, Scalar, VarId};
use crate::sema::consteval::{self, Value};
use crate::sema::scope::{self, Callee, Env};
use crate::sema::types::Type;
use crate::syntax::ast::{self, TypeKind};
use rustc_hash::FxHashSet;

/// A kernel over this part of its steps follows no more calls; the rest is for its own statements.
const KEPT_FOR_STATEMENTS: u64 = 4;

/// Statements of a constexpr function that is worth its place where its arguments are not known.
const SMALL_BODY: usize = 32;

/// What a function takes that is not followed.
pub(super) struct Signature<'s> {
    pub parameters: &'s [ast::Parameter],
    pub env: &'s Env,
    /// Arguments that stand before those of the parameters: the object of a method. It may be written.
    pub objects: usize,
    /// Template parameters that arguments alone decide: none of them is a reference.
    pub deduced: Option<&'s ast::TemplateHead>,
}

impl<'s> Signature<'s> {
    pub fn new(parameters: &'s [ast::Parameter], env: &'s Env) -> Self {
        Self {
            parameters,
            env,
            objects: 0,
            deduced: None,
        }
    }

    fn parameter(&self, at: usize) -> Option<&'s ast::Parameter> {
        let at = at.checked_sub(self.objects)?;
        let rest = || self.parameters.last().filter(|parameter| parameter.is_pack);
        self.parameters.get(at).or_else(rest)
    }

    fn is_reference(&self, at: usize) -> bool {
        self.parameter(at)
            .is_some_and(|parameter| matches!(parameter.ty.kind, TypeKind::Reference { .. }))
    }

    /// Whether a type is a template parameter alone, which an argument decides.
    fn deduces(&self, path: &ast::Path) -> bool {
        let [only] = &path.segments[..] else {
            return false;
        };
        let own = self.deduced.into_iter().flat_map(|head| &head.parameters);
        own.filter_map(|parameter| parameter.name.as_ref())
            .any(|name| *name == only.name)
    }
}

impl Lower<'_> {
    /// One more expression or statement is lowered.
    pub fn step(&mut self) {
        self.steps += 1;
    }

    /// Whether the kernel is given up: more than its own statements may cost was lowered.
    pub fn is_full(&self) -> bool {
        self.limits.stop.is_raised()
            || self.steps > self.limits.max_steps
            || self.statements > self.limits.max_statements
    }

    /// Why a body with this key is not followed here.
    pub fn over_limit(&self, function: usize, name: &str) -> Option<String> {
        if self.limits.stop.is_raised() {
            return Some(STOPPED.to_owned());
        }
        let spent = self.spent.get(&function).copied().unwrap_or(0);
        let for_calls = |most: u64| most - most / KEPT_FOR_STATEMENTS;
        let (limit, what) = if spent > self.limits.max_function_steps {
            (
                self.limits.max_function_steps,
                "steps of one function".to_owned(),
            )
        } else if self.steps > for_calls(self.limits.max_steps) {
            (self.limits.max_steps, "steps of one kernel".to_owned())
        } else if u64::from(self.statements) > for_calls(u64::from(self.limits.max_statements)) {
            let most = u64::from(self.limits.max_statements);
            (most, "statements of one kernel".to_owned())
        } else {
            return None;
        };
        Some(format!(
            "not analysed: over the limit of {limit} {what} (`{name}`)"
        ))
    }

    /// Adds what a body has cost since `before` to its function.
    pub fn charge(&mut self, function: usize, before: u64) {
        *self.spent.entry(function).or_default() += self.steps - before;
    }

    /// The value of a constexpr function whose arguments are numbers.
    pub fn evaluated(
        &mut self,
        callee: &Callee,
        env: &Env,
        places: &[ArgumentLValue],
    ) -> Option<LValue> {
        let function = &callee.function;
        if !function.attributes.is_constexpr || !takes_values(function, places.len()) {
            return None;
        }
        if callee.env.record.is_some() && !function.attributes.is_static {
            return None;
        }
        let values: Vec<Option<Value>> = places
            .iter()
            .map(|(place, _)| self.number(place).map(Some))
            .collect::<Option<_>>()?;
        let value = consteval::call(&self.unit.names, callee, env, &values)?;
        let place = self.constant_place(&value)?;
        // A value does not say of which enumeration it is; the function does.
        let result = scope::result_type(&self.unit.names, env, function);
        Some(match place {
            LValue::Val(Val::Scalar { id, volatile, .. })
                if result.scalar() == Some(self.arena.ty(id)) =>
            {
                LValue::Val(Val::Scalar {
                    id,
                    ty: result.strip_reference().clone(),
                    volatile,
                })
            }
            place => place,
        })
    }

    /// The number that an argument is.
    fn number(&self, place: &LValue) -> Option<Value> {
        match *self.arena.get(self.fixed_scalar(place)?) {
            Expr::Int { value, ty } => Some(Value::Int { value, ty }),
            Expr::Float { bits, ty } => Some(Value::Float(f64::from_bits(bits), ty)),
            _ => None,
        }
    }

    /// What an argument by value is, as far as it is fixed.
    fn fixed_scalar(&self, place: &LValue) -> Option<ExprId> {
        match place {
            LValue::Val(Val::Scalar {
                id,
                ty: Type::Scalar(_, _),
                ..
            }) => Some(self.fixed_value(*id)),
            LValue::Var {
                variable,
                ty: Type::Scalar(_, _),
                volatile: false,
                ..
            } => match self.fixed.get(variable) {
                Some((value, depth)) if *depth == self.loop_depth => Some(*value),
                _ => None,
            },
            _ => None,
        }
    }

    /// A number, a function, or an object of numbers.
    fn constant_place(&mut self, value: &Value) -> Option<LValue> {
        if let Value::Function(function) = value {
            return self.function_constant(function);
        }
        let Value::Fields(fields) = value else {
            return self.constant_value(value).map(LValue::Val);
        };
        let leaves = fields.ty.leaves();
        let is_arithmetic = |leaf: &(u64, Scalar, String)| leaf.1 != Scalar::Pointer;
        if fields.ty.size().is_none()
            || leaves.len() != fields.values.len()
            || !leaves.iter().all(is_arithmetic)
        {
            return None;
        }
        let values: Vec<Val> = fields
            .values
            .iter()
            .map(|(_, value)| self.constant_value(value.as_ref()?))
            .collect::<Option<_>>()?;
        let object = self.local("", &fields.ty, None);
        for ((offset, scalar, _), value) in leaves.into_iter().zip(values) {
            let pointer = self.arena.offset_const(object.pointer, offset);
            let part = object.part(pointer, Type::number(scalar));
            self.write(&LValue::Mem(part), value, ast::Range::default());
        }
        Some(LValue::Mem(object))
    }

    /// What a large constexpr function gives where an argument is not known: the compiler knows, and
    /// takes one way through it; all ways at once would say no more than this. A function of its
    /// arguments, and another one in each field.
    pub fn undecided(
        &mut self,
        function: &ast::Function,
        places: &[ArgumentLValue],
        result: Option<&Type>,
        name: &str,
    ) -> Option<LValue> {
        let body = function.body.as_deref()?;
        if !function.attributes.is_constexpr
            || !takes_values(function, places.len())
            || !is_longer(body, &mut SMALL_BODY.clone())
        {
            return None;
        }
        let mut inputs = Vec::new();
        for (place, _) in places {
            inputs.push(self.fixed_scalar(place)?);
        }
        if !inputs.iter().any(|id| self.is_unknown(*id)) {
            return None;
        }
        let reason = format!("the value of `{name}` for arguments that are not known");
        // Two functions of the same name give different values.
        let place = i64::from(function.range.start);
        inputs.push(self.arena.int(place, Scalar::I64));
        let result = result?.strip_reference().clone();
        match &result {
            Type::Scalar(scalar, _) => {
                let id = self.arena.unknown_by_name(&reason, inputs, *scalar);
                Some(LValue::Val(scalar_val(id, *scalar)))
            }
            Type::Record(_) if result.size().is_some() && result.leaves().len() <= 64 => {
                let object = self.local("", &result, None);
                for (offset, scalar, field) in result.leaves() {
                    let mut inputs = inputs.clone();
                    inputs.push(self.arena.int(offset as i64, Scalar::I64));
                    let reason = format!("{reason}, {field}");
                    let id = self.arena.unknown_by_name(&reason, inputs, scalar);
                    let pointer = self.arena.offset_const(object.pointer, offset);
                    let part = object.part(pointer, Type::number(scalar));
                    let value = scalar_val(id, scalar);
                    self.write(&LValue::Mem(part), value, ast::Range::default());
                }
                Some(LValue::Mem(object))
            }
            _ => None,
        }
    }

    /// Whether nobody knows the value: an argument that no instance gives, say.
    fn is_unknown(&self, id: ExprId) -> bool {
        match self.arena.get(id) {
            Expr::Unknown { .. } => true,
            Expr::Unary { value, .. } | Expr::Cast { value, .. } => self.is_unknown(*value),
            Expr::Binary { left, right, .. } => self.is_unknown(*left) || self.is_unknown(*right),
            _ => false,
        }
    }

    /// A call whose body is not followed. What it may write is forgotten: its object, arguments that one of
    /// the functions that may be meant takes by reference, and whatever a lambda among them can reach.
    /// Without a signature any argument may be one by reference.
    pub fn not_followed(
        &mut self,
        signatures: &[Signature<'_>],
        this: Option<&Mem>,
        places: &[ArgumentLValue],
        result: Option<Type>,
        reason: &str,
        range: ast::Range,
    ) -> LValue {
        let (mut variables, mut pointers) = (Vec::new(), Vec::new());
        pointers.extend(this.map(|this| this.pointer));
        let mut given = Vec::with_capacity(places.len());
        for (at, (place, at_range)) in places.iter().enumerate() {
            if let LValue::Val(Val::SpecialValue(SpecialValue::Closure(closure))) = place {
                self.reach_captured(closure, &mut variables, &mut pointers);
                pointers.extend(closure.this.as_ref().map(|this| this.pointer));
            }
            let can_write = signatures.is_empty()
                || signatures.iter().any(|one| self.can_write(one, at, place));
            // Constants stay; of a member that is passed, `opaque_with` forgets that alone.
            let is_kept = match place {
                LValue::Var { variable, .. } => self.constants.contains(variable),
                LValue::Mem(mem) => self.is_part(mem),
                LValue::Val(_) => false,
            };
            if can_write && !is_kept {
                reach(place, &mut variables, &mut pointers);
            }
            let is_reference = signatures.iter().any(|one| one.is_reference(at));
            given.push((passed(place, is_reference), *at_range));
        }
        for (place, _) in places {
            if let LValue::Var { variable, .. } = place
                && let Some(made_of) = self.made_of.get(variable).cloned()
            {
                let reason = "a class that is not declared may hold a reference to it";
                self.keep_places(&made_of, reason, range);
            }
        }
        variables.extend(&self.kept);
        pointers.extend(&self.kept_objects);
        let result = self.opaque_with(&given, result, reason, false, range);
        if !variables.is_empty() || !pointers.is_empty() {
            self.make_unknown(variables, pointers, reason, range);
        }
        result
    }

    /// Whether a function of this signature may write what it is given in one place.
    fn can_write(&self, signature: &Signature<'_>, at: usize, place: &LValue) -> bool {
        signature
            .parameter(at)
            .is_none_or(|parameter| match &parameter.ty.kind {
                TypeKind::Reference { to, .. } => !to.is_const,
                TypeKind::Named(path) if signature.deduces(path) => false,
                // `T` may be given as a reference.
                TypeKind::Named(_) | TypeKind::Decltype(_) => {
                    let ty = scope::resolve_type(&self.unit.names, signature.env, &parameter.ty);
                    // A constructor of another class may take it by reference.
                    let is_made = matches!(&ty, Type::Record(_)) && place.ty() != ty;
                    is_made || matches!(ty, Type::Reference(_) | Type::Unknown(_) | Type::Opaque(_))
                }
                _ => false,
            })
    }

    /// Forgets what a lambda can reach.
    pub fn forget_captured(&mut self, closure: &Closure, reason: &str, range: ast::Range) {
        let (mut variables, mut pointers) = (Vec::new(), Vec::new());
        self.reach_captured(closure, &mut variables, &mut pointers);
        self.make_unknown(variables, pointers, reason, range);
    }

    /// What the body of a lambda can write: its own copies, what it captures by reference, and what needs
    /// no capture.
    pub(super) fn reach_captured(
        &self,
        closure: &Closure,
        variables: &mut Vec<VarId>,
        pointers: &mut Vec<ExprId>,
    ) {
        let mut add = |binding: &Binding| match binding {
            Binding::LValue(place) => reach(place, variables, pointers),
            Binding::Pack(items) => {
                for item in items {
                    if let Binding::LValue(place) = item {
                        reach(place, variables, pointers);
                    }
                }
            }
        };
        let own = closure.scope.own_bindings();
        own.iter().for_each(|(_, one)| add(one));
        // A copied pointer may lead to any local.
        let is_number = |binding: &Binding| match binding {
            Binding::LValue(place) => {
                matches!(place.ty(), Type::Scalar(_, _) | Type::Vector { .. })
            }
            Binding::Pack(_) => false,
        };
        let copies_pointer = !own.iter().all(|(_, one)| is_number(one));
        let captures = &closure.lambda.captures;
        if let Some(outer) = closure.scope.outer() {
            outer.each_binding(&mut |name, binding| {
                let needs_none =
                    matches!(binding, Binding::LValue(LValue::Mem(mem)) if self.is_static(mem));
                if needs_none || copies_pointer || captures.is_reference(name) == Some(true) {
                    add(binding);
                }
            });
        }
        let mut seen = FxHashSet::default();
        variables.retain(|variable| seen.insert(*variable));
        let mut seen = FxHashSet::default();
        pointers.retain(|pointer| seen.insert(*pointer));
    }
}

/// Whether a call with so many arguments gives its function values alone, which it cannot write back.
fn takes_values(function: &ast::Function, arguments: usize) -> bool {
    let is_value = |parameter: &ast::Parameter| match &parameter.ty.kind {
        TypeKind::Builtin(_) | TypeKind::Named(_) => !parameter.is_pack,
        TypeKind::Reference { to, .. } => to.is_const && !parameter.is_pack,
        _ => false,
    };
    arguments <= function.parameters.len() && function.parameters.iter().all(is_value)
}

/// What a call hands over: of an argument by reference its address.
fn passed(place: &LValue, is_reference: bool) -> LValue {
    match place {
        LValue::Mem(mem) if is_reference => LValue::Val(Val::Scalar {
            id: mem.pointer,
            ty: mem.ty.clone().pointer_to(),
            volatile: mem.volatile,
        }),
        other => other.clone(),
    }
}

/// Adds what can be written through a place.
fn reach(place: &LValue, variables: &mut Vec<VarId>, pointers: &mut Vec<ExprId>) {
    match place {
        LValue::Var { variable, .. } => variables.push(*variable),
        LValue::Mem(mem) | LValue::Val(Val::Object(mem)) => pointers.push(mem.pointer),
        LValue::Val(_) => {}
    }
}

/// Whether statements, those inside of each other counted, are more than `left`.
fn is_longer(stmts: &[ast::Stmt], left: &mut usize) -> bool {
    stmts.iter().any(|stmt| is_larger(stmt, left))
}

fn is_larger(stmt: &ast::Stmt, left: &mut usize) -> bool {
    if *left == 0 {
        return true;
    }
    *left -= 1;
    stmt.any_inside(&mut |inner| is_larger(inner, left))
}
