//! Classes, unnamed unions and enumerations that a function declares.

use super::context::{Binding, Lower};
use super::values::{LValue, scalar_val};
use crate::ir::Scalar;
use crate::sema::scope;
use crate::sema::types::Type;
use crate::syntax::ast::{self};

impl Lower<'_> {
    pub fn local_record(&mut self, record: &std::sync::Arc<ast::Record>) {
        let name = record.name.as_deref().unwrap_or("union");
        let ty = scope::instantiate(&self.unit.names, record, &self.frame.env, Vec::new(), name);
        match &record.name {
            Some(name) => self.frame.env.set(name.clone(), scope::Binding::Type(ty)),
            None => self.unnamed_union(record, &ty),
        }
    }

    /// `union { int i; float f; };`: one object, whose members are names of the scope.
    fn unnamed_union(&mut self, record: &ast::Record, ty: &Type) {
        let object = self.local("union", ty, Some(record.range));
        for name in record.names_given_outward() {
            let field = match ty {
                Type::Record(record) => scope::field(&self.unit.names, record, name),
                _ => None,
            };
            let place = match field {
                Some(field) => self.field_place(object.clone(), &field, name),
                None => {
                    let reason = format!("member `{name}` of a union whose layout is not known");
                    let ty = Type::unknown(reason.clone());
                    LValue::Val(self.unknown_val(&reason, ty))
                }
            };
            self.frame
                .env
                .set(name.clone(), scope::Binding::Variable(place.ty()));
            self.bind(name, Binding::LValue(place));
        }
    }

    pub fn local_enum(&mut self, list: &ast::Enum) {
        let underlying = match &list.underlying {
            Some(ty) => self.resolve(ty),
            None => Type::number(Scalar::I32),
        };
        if let Some(name) = &list.name {
            self.frame
                .env
                .set(name.clone(), scope::Binding::Type(underlying.clone()));
        }
        let scalar = underlying.scalar().unwrap_or(Scalar::I32);
        let mut next = 0i64;
        for (name, value) in &list.values {
            if let Some(value) = value.as_ref().and_then(|e| self.constant_int(e)) {
                next = value;
            }
            let id = self.arena.int(next, scalar);
            self.bind(name, Binding::LValue(LValue::Val(scalar_val(id, scalar))));
            let value = crate::sema::consteval::Value::int(next, scalar);
            self.frame
                .env
                .set(name.clone(), scope::Binding::Value(value, None));
            next = next.wrapping_add(1);
        }
    }
}
