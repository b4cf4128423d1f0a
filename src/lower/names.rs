//! Names that are no locals: constants, globals, shared objects of the file, host tables.
//!
//! Given paths and constant expressions, gives values and places. Local names are
//! in the scopes of `context`.

use super::call::path_text;
use super::context::{Binding, Lower, new_scope};
use super::groups::SpecialValue;
use super::values::{LValue, Mem, Val, scalar_val};
use crate::ir::{Object, Scalar};
use crate::sema::consteval::{self, Value};
use crate::sema::library::constants;
use crate::sema::scope::{self, Env};
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast::{self, ExprKind};
use std::rc::Rc;
use std::sync::Arc;

/// Largest constant table of the host that is copied into device code.
const MAX_TABLE: u64 = 256;

/// `std::trait<T>::value`, `std::trait_v<T>`
fn is_constant_of_library(path: &ast::Path) -> bool {
    let [space, .., last] = &path.segments[..] else {
        return false;
    };
    let has_arguments = path.segments.iter().any(|one| one.arguments.is_some());
    &*space.name == "std" && has_arguments && (&*last.name == "value" || last.name.ends_with("_v"))
}

impl Lower<'_> {
    /// The value of a constant expression.
    pub fn constant(&mut self, e: &ast::Expr) -> Option<Val> {
        let value = consteval::eval(&self.unit.names, &self.frame.env, e)?;
        self.constant_value(&value)
    }

    /// A folded value as an operand; `None` for one that is no number.
    pub fn constant_value(&mut self, value: &Value) -> Option<Val> {
        match value {
            Value::Int { value, ty } => Some(scalar_val(self.arena.int(*value, *ty), *ty)),
            Value::Float(value, ty) => Some(scalar_val(self.arena.float(*value, *ty), *ty)),
            _ => None,
        }
    }

    /// A constant as one of the enumeration that its expression belongs to.
    pub fn of_enumeration(&mut self, constant: Val, e: &ast::Expr) -> Val {
        match &constant {
            Val::Scalar { id, volatile, .. } if self.arena.ty(*id).is_integer() => {
                let ty = scope::type_of(&self.unit.names, &self.frame.env, e);
                if !ty.is_enumeration() || ty.scalar() != Some(self.arena.ty(*id)) {
                    return constant;
                }
                Val::Scalar {
                    id: *id,
                    ty,
                    volatile: *volatile,
                }
            }
            _ => constant,
        }
    }

    pub fn constant_int(&mut self, e: &ast::Expr) -> Option<i64> {
        match self.constant(e)? {
            Val::Scalar { id, .. } => self.arena.as_int(id),
            _ => None,
        }
    }

    /// A variable at namespace level, or a function's name.
    pub fn global_place(&mut self, path: &ast::Path, name: &str) -> LValue {
        if let Some((variable, env)) = self.unit.names.variable(&self.frame.env, path) {
            if variable.storage.is_shared {
                return self.file_shared(variable, env);
            }
            let ty = scope::resolve_type(&self.unit.names, &env, &variable.ty);
            if let Some(id) = self
                .unit
                .globals
                .get(&(std::ptr::from_ref(variable) as usize))
            {
                let pointer = self.arena.address(Object::Global(*id));
                let ty = match (&ty, &variable.init) {
                    (
                        Type::Array(element, None),
                        Some(ast::Initialiser::Equals(init) | ast::Initialiser::Brace(init)),
                    ) if !element.is_class => match &init.kind {
                        ExprKind::List(items) => {
                            let names = &self.unit.names;
                            let count = scope::elements_of_list(names, &env, element, items);
                            Type::Array(element.clone(), count)
                        }
                        _ => ty,
                    },
                    _ => ty,
                };
                self.note_table(pointer, variable, &ty, &env);
                let volatile = super::expr::is_volatile(&variable.ty);
                return LValue::Mem(Mem {
                    pointer,
                    ty,
                    array: Rc::from(name),
                    volatile,
                    is_const: None,
                    bits: None,
                    packed: None,
                    is_temporary: Some(false),
                });
            }
            return self.host_variable(variable, ty, name, env);
        }
        if !self.unit.names.functions(&self.frame.env, path).is_empty() {
            return LValue::Val(Val::SpecialValue(SpecialValue::Function(
                path.clone(),
                self.frame.env.clone(),
            )));
        }
        if let Some(constant) = constants::constant(name) {
            return LValue::Val(self.constant_val(constant));
        }
        if let Some(table) = self.table_of_class(path, name) {
            return table;
        }
        let reason = format!("`{}` is not declared in the files given", path_text(path));
        // A macro of a header that is not there may be `threadIdx.x`; a constant of a library's template is the same in
        // all lanes.
        let is_varying = !is_constant_of_library(path);
        let id = self
            .arena
            .unknown(&reason, Vec::new(), is_varying, Scalar::I64);
        LValue::Val(Val::Scalar {
            id,
            ty: Type::unknown(reason),
            volatile: false,
        })
    }

    /// `using a::b;` inside a function.
    pub fn using(&mut self, path: &ast::Path) {
        let Some(name) = path.segments.last().map(|last| last.name.clone()) else {
            return;
        };
        let env = self.frame.env.clone();
        let names = &self.unit.names;
        if names.variable(&env, path).is_some() {
            let e = ast::Expr {
                kind: ExprKind::Path(path.clone()),
                range: path.range,
            };
            let value = consteval::eval(names, &env, &e);
            let place = self.place(&e);
            let binding = match value {
                Some(value) => scope::Binding::Value(value, Some(place.ty())),
                None => scope::Binding::Variable(place.ty()),
            };
            self.frame.env.set(name.clone(), binding);
            self.bind(&name, Binding::LValue(place));
            return;
        }
        scope::use_name(names, &mut self.frame.env, path);
        self.hide(&name);
    }

    fn file_shared(&mut self, variable: &ast::Variable, env: Env) -> LValue {
        let outer = std::mem::replace(&mut self.frame.env, env);
        let scope = std::mem::replace(&mut self.frame.scope, new_scope(None));
        self.declare(variable);
        let place = self.lookup(&variable.name);
        self.frame.env = outer;
        self.frame.scope = scope;
        match place {
            Some(Binding::LValue(place)) => place,
            _ => LValue::Val(Val::Void),
        }
    }

    /// A host variable in device code: only a constant table has a meaning there.
    fn host_variable(
        &mut self,
        variable: &ast::Variable,
        ty: Type,
        name: &str,
        env: Env,
    ) -> LValue {
        if let Type::Opaque(_) = &ty {
            return LValue::Val(Val::SpecialValue(SpecialValue::Opaque(ty)));
        }
        let is_constant = variable.ty.is_const || variable.storage.is_constexpr;
        let count = match (&ty, &variable.init) {
            (Type::Array(_, Some(n)), _) => Some(*n),
            (
                Type::Array(element, None),
                Some(ast::Initialiser::Equals(init) | ast::Initialiser::Brace(init)),
            ) if !element.is_class => match &init.kind {
                ExprKind::List(items) => {
                    scope::elements_of_list(&self.unit.names, &env, element, items)
                }
                _ => None,
            },
            (Type::Record(_) | Type::Vector { .. }, _) => Some(1),
            _ => None,
        };
        if is_constant
            && let (Some(count), Some(init)) = (count, &variable.init)
            && count <= MAX_TABLE
        {
            let ty = match ty {
                Type::Array(element, None) => Type::Array(element, Some(count)),
                ty => ty,
            };
            if let Some(table) = self.known_table(name, variable, &ty, &env) {
                return LValue::Mem(table);
            }
            let object = self.local(name, &ty, None);
            let outer = std::mem::replace(&mut self.frame.env, env);
            let scope = std::mem::replace(&mut self.frame.scope, new_scope(None));
            self.initialise_from(&object, init, ast::Range::default());
            self.frame.env = outer;
            self.frame.scope = scope;
            return LValue::Mem(object);
        }
        let reason = format!("`{name}` is a variable of the host");
        match ty.scalar() {
            Some(scalar) => {
                let id = self.arena.unknown_by_name(&reason, Vec::new(), scalar);
                LValue::Val(Val::Scalar {
                    id,
                    ty,
                    volatile: false,
                })
            }
            None => {
                let pointer = self
                    .arena
                    .unknown_by_name(&reason, Vec::new(), Scalar::Pointer);
                LValue::Mem(Mem {
                    pointer,
                    ty,
                    array: Rc::from(name),
                    volatile: false,
                    is_const: None,
                    bits: None,
                    packed: None,
                    is_temporary: Some(false),
                })
            }
        }
    }

    /// A static member or enumerator reached through an object.
    pub fn static_member(
        &mut self,
        record: &Arc<RecordType>,
        name: &str,
        e: &ast::Expr,
    ) -> Option<LValue> {
        let segment = ast::Segment {
            name: Arc::from(name),
            arguments: None,
        };
        let path = ast::Path {
            is_global: false,
            segments: vec![segment],
            range: e.range,
        };
        let expr = ast::Expr {
            kind: ExprKind::Path(path),
            range: e.range,
        };
        // Seen from there, a name of a namespace hides that of a base that depends on a parameter.
        let inside = match consteval::class_of_static(record, name) {
            Some(class) => Env::inside(&class),
            None if record.record.bases.is_empty() || name == "value" => Env::inside(record),
            None => return None,
        };
        let value = consteval::eval(&self.unit.names, &inside, &expr)?;
        if let Value::List(_) = &value {
            return self.static_table(name, &inside, &expr);
        }
        let outer = std::mem::replace(&mut self.frame.env, inside);
        let constant = self.constant_value(&value);
        let constant = constant.map(|constant| self.of_enumeration(constant, &expr));
        self.frame.env = outer;
        constant.map(LValue::Val)
    }

    /// A folded constant kept for other constants, in the declared type.
    pub fn converted(&self, value: Value, ty: &Type, constant: &Val) -> Value {
        if let (Val::Scalar { id, .. }, Some(scalar)) = (constant, ty.scalar())
            && let Some(n) = self.arena.as_int(*id)
        {
            return Value::int(n, scalar);
        }
        // `const double x = 2;`
        match ty.scalar() {
            Some(of @ (Scalar::F32 | Scalar::F64)) => value.convert(of).unwrap_or(value),
            _ => value,
        }
    }
}
