//! Constants that are no numbers: constexpr objects and arrays, and the functions that constants hold.
//!
//! Given declarations and expressions of a kernel, lets its constant expressions see what they stand for.

use super::has_auto;
use crate::lower::context::{Binding, Lower};
use crate::lower::groups::SpecialValue;
use crate::lower::values::{LValue, Val};
use crate::sema::consteval::{self, FunctionValue, Value};
use crate::sema::scope::{self, Callee};
use crate::sema::types::Type;
use crate::syntax::ast::{self, ExprKind};
use std::sync::Arc;

impl Lower<'_> {
    /// A scalar that is a constant has no place: its name is the value.
    pub(super) fn declare_constant(
        &mut self,
        variable: &ast::Variable,
        ty: &Type,
        e: &ast::Expr,
        constant: Val,
    ) {
        let constant = if has_auto(&variable.ty) {
            self.of_enumeration(constant, e)
        } else {
            self.convert(constant, ty, variable.range)
        };
        let kept = consteval::eval(&self.unit.names, &self.frame.env, e)
            .map(|value| self.converted(value, ty, &constant));
        if let Some(kept) = kept {
            let of = Some(constant.ty()).filter(Type::is_enumeration);
            self.frame
                .env
                .set(variable.name.clone(), scope::Binding::Value(kept, of));
        }
        self.bind(&variable.name, Binding::LValue(LValue::Val(constant)));
    }

    /// Lets constant expressions see a constexpr object or array: `constexpr Config c = …; T s[c.rows()]`.
    pub(super) fn keep_constant(&mut self, variable: &ast::Variable) {
        let (names, env) = (&self.unit.names, &self.frame.env);
        let Some(scope::Binding::Variable(ty)) = env.get(&variable.name) else {
            return;
        };
        if !variable.storage.is_constexpr
            || !matches!(ty, Type::Record(_) | Type::Vector { .. } | Type::Array(..))
        {
            return;
        }
        let (ty, locals) = (ty.clone(), &mut consteval::Locals::default());
        let value = consteval::initial_value(names, env, locals, variable);
        if let Some(value @ (Value::Fields(_) | Value::List(_))) = value {
            let kept = scope::Binding::Value(value, Some(ty));
            self.frame.env.set(variable.name.clone(), kept);
        }
    }

    /// The function that a constexpr pointer holds.
    pub(super) fn constant_function(&self, e: &ast::Expr) -> Option<LValue> {
        if matches!(e.kind, ExprKind::Path(_) | ExprKind::Lambda(_)) {
            return None;
        }
        match consteval::eval(&self.unit.names, &self.frame.env, e)? {
            Value::Function(function) => self.function_constant(&function),
            _ => None,
        }
    }

    /// The function that a member of a constant object holds: `traits.dot(a, b)`.
    pub(in crate::lower) fn function_in_a_constant(
        &mut self,
        object: &ast::Expr,
        arrow: bool,
        member: &ast::Path,
    ) -> Option<LValue> {
        let names = &self.unit.names;
        let ty = scope::type_of(names, &self.frame.env, object);
        let name = &member.segments.last()?.name;
        let Type::Record(record) = ty.strip_reference() else {
            return None;
        };
        let field = scope::field(names, record, name).filter(|_| !arrow)?;
        if !matches!(&field.ty, Type::Pointer(of) if **of == Type::Function) {
            return None;
        }
        let held = consteval::eval(names, &self.frame.env, object)?;
        match held.field(name)? {
            Value::Function(function) => self.function_constant(function),
            _ => None,
        }
    }

    /// A function that a constant is, under the name that it has where it was named.
    pub(in crate::lower) fn function_constant(&self, function: &FunctionValue) -> Option<LValue> {
        let name = function.candidates.first()?.function.name.clone();
        let path = ast::Path {
            is_global: false,
            segments: vec![ast::Segment {
                name,
                arguments: function.explicit.clone(),
            }],
            range: ast::Range::default(),
        };
        // A qualifier is no part of the constant: the name alone may mean others.
        let found = self.unit.names.functions(&function.env, &path);
        let is_same =
            |(one, other): (&Callee, &Callee)| Arc::ptr_eq(&one.function, &other.function);
        let is_found = found.len() == function.candidates.len()
            && found.iter().zip(&function.candidates).all(is_same);
        let special = SpecialValue::Function(path, function.env.clone());
        is_found.then_some(LValue::Val(Val::SpecialValue(special)))
    }
}
