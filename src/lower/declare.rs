//! Declarations: variables, references, shared objects, local classes and enumerations.
//!
//! Given declarations, binds names to places and emits their initialisers. A scalar
//! whose address is taken is an object, any other is a scalar variable.

pub(super) mod bindings;
mod constant;
mod opaque;
mod reference;

use super::call::ArgumentLValue;
use super::context::{Binding, EVERY_FUNCTION, Lower};
use super::expr::is_volatile;
use super::groups::SpecialValue;
use super::values::{LValue, Mem, Val};
use crate::ir::{Object, Scalar, Stmt};
use crate::sema::consteval;
use crate::sema::scope;
use crate::sema::types::{Qualifiers, Target, Type};
use crate::syntax::ast::{self, ExprKind};
use std::rc::Rc;

/// Whether a type as written leaves something to deduce.
pub(super) fn has_auto(ty: &ast::TypeExpr) -> bool {
    match &ty.kind {
        ast::TypeKind::Auto | ast::TypeKind::DecltypeAuto => true,
        ast::TypeKind::Pointer { to, .. }
        | ast::TypeKind::Reference { to, .. }
        | ast::TypeKind::Array(to, _) => has_auto(to),
        _ => false,
    }
}

/// A deduced type with the `const` of `const auto *`.
fn as_written(ty: Type, written: &ast::TypeExpr) -> Type {
    match (ty, &written.kind) {
        (Type::Pointer(of), ast::TypeKind::Pointer { to, .. }) => {
            let inner = as_written(of.whole(), to).with(Qualifiers::of(to));
            Type::Pointer(Target::new(inner))
        }
        (ty, _) => ty,
    }
}

impl Lower<'_> {
    pub fn declare(&mut self, variable: &ast::Variable) {
        self.declare_place(variable);
        if variable.bindings.is_empty() && !variable.storage.is_extern {
            self.note_const(&variable.name, &variable.ty);
        }
        self.keep_constant(variable);
    }

    /// Lets `decltype` know whether the variable or parameter that was just declared is `const`.
    pub fn note_const(&mut self, name: &ast::Name, written: &ast::TypeExpr) {
        if let Some(Binding::LValue(place)) = self.lookup(name)
            && let Some(is_const) = place.is_const()
            && !matches!(place.ty(), Type::Array(..))
            && !is_volatile(written)
            && !scope::resolve_qualified(&self.unit.names, &self.frame.env, written)
                .qualifiers()
                .is_volatile
        {
            self.frame.env.note_const(name, is_const);
        }
    }

    fn declare_place(&mut self, variable: &ast::Variable) {
        if variable.storage.is_shared {
            self.declare_shared(variable);
            return;
        }
        if !variable.bindings.is_empty() {
            self.declare_bindings(variable);
            return;
        }
        if let ast::TypeKind::Record(record) = &variable.ty.kind
            && record.name.is_some()
        {
            self.local_record(record);
        }
        if variable.storage.is_static && !variable.ty.is_const && !variable.storage.is_constexpr {
            return self.declare_static(variable);
        }
        let ty = if has_auto(&variable.ty) {
            Type::Void
        } else {
            self.resolve(&variable.ty)
        };
        if variable.storage.is_extern {
            return self.declare_elsewhere(variable, &ty);
        }
        if is_prefixed(variable, &ty) {
            self.forget_locals("a statement that could not be read", variable.range);
            return;
        }
        let init = variable.init.as_ref();
        if matches!(variable.ty.kind, ast::TypeKind::DecltypeAuto)
            && let Some(e) = single(init)
            && matches!(e.kind, ExprKind::Call { .. })
        {
            self.declare_result(variable, e);
            return;
        }
        // `decltype(auto) r = c;`: what may not be changed by the one name may not be by the other.
        let of_name = single(init)
            .filter(|_| matches!(variable.ty.kind, ast::TypeKind::DecltypeAuto))
            .and_then(|e| self.constness_of_name(e));
        if self.declares_reference(variable, &ty) {
            self.declare_reference(variable, &ty);
            if let Some(constness) = of_name {
                self.bind_named(&variable.name, constness);
            }
            return;
        }
        if variable.storage.is_constexpr
            && matches!(ty, Type::Pointer(_) | Type::Void)
            && let Some(function) = single(init).and_then(|e| self.constant_function(e))
        {
            let ty = function.ty();
            self.frame
                .env
                .set(variable.name.clone(), scope::Binding::Variable(ty));
            self.bind(&variable.name, Binding::LValue(function));
            return;
        }
        let is_constant = variable.ty.is_const || variable.storage.is_constexpr;
        if is_constant
            && !matches!(ty, Type::Record(_) | Type::Vector { .. } | Type::Array(..))
            && let Some(e) = single(init)
            && !may_name(e, &variable.name)
            && let Some(value) = consteval::eval(&self.unit.names, &self.frame.env, e)
            && let Some(constant) = self.constant_value(&value)
            && let Val::Scalar { id, .. } = &constant
            && self.arena.as_int(*id).is_some()
        {
            self.declare_constant(variable, &ty, e, constant);
            return;
        }
        if has_auto(&variable.ty) {
            let Some(e) = single(init) else { return };
            self.declare_auto(variable, e, is_constant);
            if let Some(constness) = of_name {
                self.bind_named(&variable.name, constness);
            }
            return;
        }
        let ty = self.with_bound(ty, init);
        self.declare_typed(variable, ty, init);
    }

    /// The type of an array whose initialiser tells how many elements it has.
    fn with_bound(&mut self, ty: Type, init: Option<&ast::Initialiser>) -> Type {
        let (
            Type::Array(element, None),
            Some(ast::Initialiser::Equals(e) | ast::Initialiser::Brace(e)),
        ) = (&ty, init)
        else {
            return ty;
        };
        // `std::array<T, N>` has its length from elsewhere.
        if element.is_class {
            return ty;
        }
        match &e.kind {
            ExprKind::List(items) => Type::Array(element.clone(), self.elements(element, items)),
            ExprKind::Str(text) => {
                Type::Array(element.clone(), Some(text.chars().count() as u64 + 1))
            }
            _ => ty,
        }
    }

    /// `auto x = e;`: the type is that of the value.
    fn declare_auto(&mut self, variable: &ast::Variable, e: &ast::Expr, is_constant: bool) {
        let value = self.value(e);
        let value = match value {
            Val::SpecialValue(SpecialValue::Closure(closure))
                if !matches!(e.kind, ExprKind::Lambda(_)) =>
            {
                self.copied_closure(&closure, e.range)
            }
            value => self.copied(value),
        };
        let ty = as_written(value.ty(), &variable.ty);
        if is_constant
            && let Val::Scalar { id, .. } = &value
            && self.arena.as_int(*id).is_some()
        {
            self.frame
                .env
                .set(variable.name.clone(), scope::Binding::Variable(ty));
            self.bind(&variable.name, Binding::LValue(LValue::Val(value)));
            return;
        }
        if is_volatile(&variable.ty)
            && let Val::Scalar { id, .. } = value
        {
            self.declare_value(
                variable,
                &ty.clone(),
                Val::Scalar {
                    id,
                    ty,
                    volatile: true,
                },
            );
            return;
        }
        self.declare_value(variable, &ty, value);
    }

    fn declare_typed(
        &mut self,
        variable: &ast::Variable,
        ty: Type,
        init: Option<&ast::Initialiser>,
    ) {
        self.frame
            .env
            .set(variable.name.clone(), scope::Binding::Variable(ty.clone()));
        if ty.is_unknown()
            && let Some(array) = self.unbounded(&variable.ty)
        {
            return self.declare_unbounded(variable, array, init);
        }
        match &ty {
            Type::Unknown(reason) if init.is_some() => {
                let reason = reason.clone();
                self.declare_unknown(variable, ty, init, &reason);
            }
            Type::Scalar(_, _) | Type::Pointer(_) | Type::Unknown(_) => {
                self.declare_scalar(variable, &ty, init);
            }
            Type::Opaque(name) => {
                let name = name.clone();
                let value = self.opaque_object(&name, &ty, init, variable.range);
                self.bind(&variable.name, Binding::LValue(LValue::Val(value)));
            }
            Type::Reference(_) => {
                // By an alias: `using R = int &;`.
                let place = match single(init) {
                    Some(e) => {
                        let place = self.place(e);
                        self.bound_to(Some(&ty), place, variable, e.range)
                    }
                    None => LValue::Val(self.unknown_val("a reference to nothing", ty)),
                };
                self.bind(&variable.name, Binding::LValue(place));
            }
            Type::Qualified(of) => self.declare_typed(variable, (**of).clone(), init),
            Type::Void | Type::Function => {
                let reason = format!("`{}` has a type that no variable has", variable.name);
                let value = self.unknown_val(&reason, Type::unknown(reason.clone()));
                self.bind(&variable.name, Binding::LValue(LValue::Val(value)));
            }
            Type::Vector { .. } | Type::Record(_) | Type::Array(..) => {
                let mut mem = self.local(&variable.name, &ty, Some(variable.name_range));
                mem.volatile = is_volatile(&variable.ty) && matches!(ty, Type::Array(..));
                let place = LValue::Mem(mem.clone()).named(self.is_const(variable));
                self.bind(&variable.name, Binding::LValue(place));
                match init {
                    Some(init) => self.initialise_from(&mem, init, variable.range),
                    None => {
                        if let Type::Record(record) = &ty
                            && self.needs_construction(record, 0)
                        {
                            self.construct_into(&mem, &[], variable.range);
                        } else if let Type::Array(..) = &ty {
                            self.construct_into(&mem, &[], variable.range);
                        }
                    }
                }
                self.ends_with_scope(&mem);
            }
        }
    }

    /// A number or a pointer: a variable, or memory where its address is taken.
    fn declare_scalar(
        &mut self,
        variable: &ast::Variable,
        ty: &Type,
        init: Option<&ast::Initialiser>,
    ) {
        let scalar = ty.scalar().unwrap_or(Scalar::I64);
        let key = variable.name_range.start;
        if self.spilled.borrow().contains(&key) {
            let mut mem = self.local(&variable.name, ty, Some(variable.name_range));
            mem.array = Rc::from(&*variable.name);
            self.bind(&variable.name, Binding::LValue(LValue::Mem(mem.clone())));
            if let Some(e) = single(init) {
                let value = self.value(e);
                let value = self.convert(value, ty, e.range);
                self.write(&LValue::Mem(mem.clone()), value, variable.range);
            } else if init.is_some() {
                self.zero_fill(&mem, variable.range);
            }
            return;
        }
        let mut is_volatile_pointer = is_volatile(&variable.ty) && matches!(ty, Type::Pointer(_));
        let place = |this: &Self, id, volatile| LValue::Var {
            variable: id,
            ty: ty.clone(),
            volatile,
            is_const: this.is_const(variable),
            key: Some(key),
        };
        let mut own = None;
        if single(init).is_some_and(|e| may_name(e, &variable.name)) {
            let id = self.scalar_variable(&variable.name, scalar, Some(variable.name_range));
            let place = place(self, id, is_volatile_pointer);
            self.bind(&variable.name, Binding::LValue(place));
            own = Some(id);
        }
        let mut value = None;
        if let Some(e) = single(init) {
            let given = match &e.kind {
                ExprKind::List(_) => self.initialised(ty, e),
                _ => self.object_or_value(e),
            };
            if let (Val::Scalar { volatile: true, .. }, Type::Pointer(_)) = (&given, ty) {
                is_volatile_pointer = true;
            }
            if matches!(given, Val::SpecialValue(_)) {
                let given = self.unless_assigned(&variable.name, key, given);
                self.bind(&variable.name, Binding::LValue(LValue::Val(given)));
                return;
            }
            let given = self.convert(given, ty, e.range);
            value = Some(given);
        } else if init.is_some() {
            let zero = self.arena.int(0, Scalar::I32);
            let id = self.arena.cast(zero, scalar);
            value = Some(Val::Scalar {
                id,
                ty: ty.clone(),
                volatile: false,
            });
        }
        let id = own.unwrap_or_else(|| {
            self.scalar_variable(&variable.name, scalar, Some(variable.name_range))
        });
        let place = place(self, id, is_volatile_pointer);
        if let Some(value) = value {
            self.write(&place, value, variable.range);
        }
        self.bind(&variable.name, Binding::LValue(place));
        if self.is_const(variable) == Some(true) && !is_volatile(&variable.ty) {
            self.constants.insert(id);
        }
    }

    /// A variable of a type that is not known: what it is made of may be kept by it or written, and it may be
    /// anything in each lane.
    fn declare_unknown(
        &mut self,
        variable: &ast::Variable,
        ty: Type,
        init: Option<&ast::Initialiser>,
        reason: &str,
    ) {
        let given: Vec<&ast::Expr> = match init {
            Some(ast::Initialiser::Paren(list)) => list.iter().collect(),
            Some(ast::Initialiser::Equals(e) | ast::Initialiser::Brace(e)) => match &e.kind {
                ExprKind::List(items) => items.iter().map(|(_, item)| item).collect(),
                _ => vec![e],
            },
            None => Vec::new(),
        };
        let places: Vec<_> = given.iter().map(|e| self.argument(e)).collect();
        // A number that is copied stays what it is.
        let is_copied = matches!(init, Some(ast::Initialiser::Equals(_)))
            && places
                .iter()
                .all(|(place, _)| place.ty().scalar().is_some());
        // But an object of a class may hold on to it.
        let made_of = if is_copied {
            self.kept_by(&given)
        } else {
            self.not_followed(&[], None, &places, None, reason, variable.range);
            Vec::new()
        };
        if let ([(LValue::Val(special @ Val::SpecialValue(_)), _)], true) =
            (places.as_slice(), single(init).is_some())
        {
            if special.is_taken_by(&ty) {
                self.keep_places(&places, reason, variable.range);
                return self.bind_unknown(variable, ty, reason, Vec::new());
            }
            let special = special.clone();
            let special = self.unless_assigned(&variable.name, variable.name_range.start, special);
            self.bind(&variable.name, Binding::LValue(LValue::Val(special)));
            return;
        }
        self.bind_unknown(variable, ty, reason, made_of);
    }

    fn bind_unknown(
        &mut self,
        variable: &ast::Variable,
        ty: Type,
        reason: &str,
        made_of: Vec<ArgumentLValue>,
    ) {
        if self.spilled.borrow().contains(&variable.name_range.start) {
            let mem = self.local(&variable.name, &ty, Some(variable.name_range));
            self.make_unknown(Vec::new(), vec![mem.pointer], reason, variable.range);
            self.bind(&variable.name, Binding::LValue(LValue::Mem(mem)));
            return;
        }
        let id = self.scalar_variable(&variable.name, Scalar::I64, Some(variable.name_range));
        if !made_of.is_empty() {
            self.made_of.insert(id, made_of);
        }
        let value = self.arena.unknown(reason, Vec::new(), true, Scalar::I64);
        self.emit(crate::ir::Stmt::Assign {
            variable: id,
            value,
        });
        let place = LValue::Var {
            variable: id,
            ty,
            volatile: false,
            is_const: self.is_const(variable),
            key: Some(variable.name_range.start),
        };
        self.bind(&variable.name, Binding::LValue(place));
    }

    /// Whether a variable is `const`, by its own type or by that of an alias.
    pub(super) fn is_const(&self, variable: &ast::Variable) -> Option<bool> {
        if variable.storage.is_constexpr {
            return Some(true);
        }
        self.is_const_type(&variable.ty)
    }

    pub fn is_const_type(&self, ty: &ast::TypeExpr) -> Option<bool> {
        if ty.is_const {
            return Some(true);
        }
        let resolved = scope::resolve_qualified(&self.unit.names, &self.frame.env, ty);
        let qualifiers = resolved.qualifiers();
        (qualifiers.is_const || !qualifiers.is_open).then_some(qualifiers.is_const)
    }

    /// An array whose bound is not known, or what its elements are.
    pub(super) fn unbounded(&mut self, written: &ast::TypeExpr) -> Option<Type> {
        let ast::TypeKind::Array(of, _) = &written.kind else {
            return None;
        };
        let element = self.resolve(of);
        let element = match &element {
            _ if element.size().is_some() => element,
            Type::Record(_) => element,
            Type::Unknown(_) if !matches!(of.kind, ast::TypeKind::Array(..)) => element,
            _ => self.unbounded(of)?,
        };
        Some(Type::Array(Target::new(element), None))
    }

    /// Such an array is a local object like others: no access of it is one of global memory.
    fn declare_unbounded(
        &mut self,
        variable: &ast::Variable,
        array: Type,
        init: Option<&ast::Initialiser>,
    ) {
        let align = array.align().unwrap_or(1);
        let range = Some(variable.name_range);
        let size = u64::from(crate::ir::UNKNOWN_SIZE);
        let object = self.object_variable(&variable.name, size, align, range);
        let pointer = self.arena.address(Object::Local(object));
        let is_plain = matches!(&array, Type::Array(element, _) if element.scalar().is_some());
        let mem = Mem {
            pointer,
            ty: array,
            array: Rc::from(&*variable.name),
            volatile: is_volatile(&variable.ty),
            is_const: self.is_const(variable),
            bits: None,
            packed: None,
            is_temporary: Some(false),
        };
        self.bind(&variable.name, Binding::LValue(LValue::Mem(mem)));
        if init.is_some() || !is_plain {
            let reason = "what an array of unknown bound begins with";
            self.make_unknown(Vec::new(), vec![pointer], reason, variable.range);
        }
    }

    /// Binds a declared name to a value that is already there.
    pub fn declare_value(&mut self, variable: &ast::Variable, ty: &Type, value: Val) {
        self.declare_named(&variable.name, Some(variable.name_range), ty, value);
        if let Some(Binding::LValue(place)) = self.lookup(&variable.name) {
            let is_const = variable.ty.is_const || variable.storage.is_constexpr;
            let place = place.named(Some(is_const));
            self.bind(&variable.name, Binding::LValue(place));
        }
        if variable.ty.is_const
            && let Some(Binding::LValue(LValue::Var { variable, .. })) = self.lookup(&variable.name)
        {
            self.constants.insert(variable);
        }
    }

    /// A variable of type `ty` that holds `value`.
    pub fn declare_named(
        &mut self,
        name: &ast::Name,
        range: Option<ast::Range>,
        ty: &Type,
        value: Val,
    ) {
        self.frame
            .env
            .set(name.clone(), scope::Binding::Variable(ty.clone()));
        let at = range.unwrap_or_default();
        let place = match (&value, ty) {
            (Val::SpecialValue(_), _) => LValue::Val(match range {
                Some(range) => self.unless_assigned(name, range.start, value),
                None => value,
            }),
            (Val::Void, _) => LValue::Val(value),
            (_, Type::Vector { .. } | Type::Record(_) | Type::Array(..)) => {
                let mem = self.local(name, ty, range);
                self.write(&LValue::Mem(mem.clone()), value, at);
                self.ends_with_scope(&mem);
                LValue::Mem(mem)
            }
            (Val::Scalar { id, volatile, .. }, _) => {
                let volatile = *volatile;
                let scalar = ty.scalar().unwrap_or_else(|| self.arena.ty(*id));
                let key = range.map(|range| range.start);
                if key.is_some_and(|key| self.spilled.borrow().contains(&key)) {
                    let mem = self.local(name, ty, range);
                    self.write(&LValue::Mem(mem.clone()), value, at);
                    LValue::Mem(mem)
                } else {
                    let value = self.scalar_of(value, scalar, at);
                    let variable = self.scalar_variable(name, scalar, range);
                    self.emit(Stmt::Assign { variable, value });
                    self.fix(variable, value);
                    LValue::Var {
                        variable,
                        ty: ty.clone(),
                        volatile,
                        is_const: Some(false),
                        key,
                    }
                }
            }
            (Val::Object(mem), _) => {
                if let Some(scalar) = ty.scalar() {
                    let value = self.scalar_of(value, scalar, at);
                    let variable = self.scalar_variable(name, scalar, range);
                    self.emit(Stmt::Assign { variable, value });
                    LValue::Var {
                        variable,
                        ty: ty.clone(),
                        volatile: false,
                        is_const: Some(false),
                        key: range.map(|range| range.start),
                    }
                } else {
                    LValue::Mem(mem.clone())
                }
            }
        };
        self.bind(name, Binding::LValue(place));
    }

    /// A function or group as the value of a variable; nothing is known of one that is assigned later.
    fn unless_assigned(&mut self, name: &ast::Name, key: u32, value: Val) -> Val {
        if self.spilled.borrow().contains(&key) {
            return self.one_function(&value);
        }
        self.frame.scope.note_key(name, key);
        self.unless_any_is_assigned(value)
    }

    /// The same of what has no place of its own, such as a parameter. A lambda that captures cannot be assigned
    /// ([expr.prim.lambda.closure]).
    pub(super) fn unless_any_is_assigned(&mut self, value: Val) -> Val {
        let is_assigned = self.spilled.borrow().contains(&EVERY_FUNCTION);
        match is_assigned && value.is_callable() && !value.captures() {
            true => self.one_function(&value),
            false => value,
        }
    }

    /// What may be another function than `value` is.
    fn one_function(&mut self, value: &Val) -> Val {
        let one = self.one_of_several();
        if let Val::Scalar { id, .. } = &one
            && value.is_callable()
            && !value.captures()
        {
            self.plain_functions.insert(*id);
        }
        one
    }

    /// A value bound to a reference: it lives on under the name.
    fn settle(&mut self, value: Val, variable: &ast::Variable) -> LValue {
        match value {
            Val::Scalar { id, ty, volatile } if !self.arena.is_stable(id) => {
                let id = self.keep(id, &variable.name);
                LValue::Val(Val::Scalar { id, ty, volatile })
            }
            value => LValue::Val(value),
        }
    }

    /// An object that is another variable's own is copied before it gets a new name.
    pub fn copied(&mut self, value: Val) -> Val {
        match value {
            Val::Object(from) if from.ty.size().is_some() => {
                let object = self.local("", &from.ty, None);
                self.copy(&object, &from, ast::Range::default());
                Val::Object(object)
            }
            other => other,
        }
    }
}

/// Whether an expression may name a variable, which its own initialiser can: in a body of a lambda all do.
fn may_name(e: &ast::Expr, name: &ast::Name) -> bool {
    let mut found = match &e.kind {
        ExprKind::Lambda(_) => true,
        ExprKind::Path(path) => matches!(&path.segments[..], [only] if only.name == *name),
        _ => false,
    };
    e.each_operand(&mut |operand| found = found || may_name(operand, name));
    found
}

/// The one expression that an initialiser consists of.
pub(super) fn single(init: Option<&ast::Initialiser>) -> Option<&ast::Expr> {
    match init? {
        ast::Initialiser::Equals(e) => Some(e),
        ast::Initialiser::Paren(list) => match list.as_slice() {
            [one] => Some(one),
            _ => None,
        },
        ast::Initialiser::Brace(e) => match &e.kind {
            ExprKind::List(items) => match items.as_slice() {
                [(None, one)] => Some(one),
                _ => None,
            },
            _ => Some(e),
        },
    }
}

/// `WORD a[i] = x;`, where the word is no type: no array begins with a number, so the word is a macro that nobody
/// expanded.
fn is_prefixed(variable: &ast::Variable, ty: &Type) -> bool {
    let mut element = ty;
    while let Type::Array(of, _) = element {
        element = of;
    }
    let is_array = matches!(variable.ty.kind, ast::TypeKind::Array(..));
    let is_list = |e: &ast::Expr| matches!(e.kind, ExprKind::List(_) | ExprKind::Str(_));
    is_array
        && matches!(element, Type::Unknown(_) | Type::Opaque(_))
        && matches!(&variable.init, Some(ast::Initialiser::Equals(e)) if !is_list(e))
}
