//! Classes, unnamed unions and enumerations that a function declares.

use super::context::{Binding, Lower};
use super::values::{LValue, Val};
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
        let ty = scope::local_enumeration(&self.unit.names, &self.frame.env, list);
        if let Some(name) = &list.name {
            self.frame
                .env
                .set(name.clone(), scope::Binding::Type(ty.clone()));
        }
        // Those of an `enum class` go by its name only.
        if list.is_class {
            return;
        }
        let mut next = Some(0i64);
        for (name, written) in &list.values {
            let value = match written {
                Some(e) => self.constant_int(e),
                None => next,
            };
            next = value.and_then(|value| value.checked_add(1));
            match (value, ty.scalar()) {
                (Some(value), Some(scalar)) => {
                    let enumerator = Val::Scalar {
                        id: self.arena.int(value, scalar),
                        ty: ty.clone(),
                        volatile: false,
                    };
                    self.bind(name, Binding::LValue(LValue::Val(enumerator)));
                    let value = crate::sema::consteval::Value::int(value, scalar);
                    let known = scope::Binding::Value(value, Some(ty.clone()));
                    self.frame.env.set(name.clone(), known);
                }
                _ => {
                    let reason = format!("the value of the enumerator `{name}` is not worked out");
                    let open = self.unknown_val(&reason, ty.clone());
                    self.bind(name, Binding::LValue(LValue::Val(open)));
                    let open = scope::Binding::Variable(ty.clone());
                    self.frame.env.set(name.clone(), open);
                }
            }
        }
    }
}
