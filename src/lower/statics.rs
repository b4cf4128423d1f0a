//! Variables of a function that are not its own: static and shared ones.

use super::context::{Binding, Lower};
use super::expr::is_volatile;
use super::values::{LValue, Mem};
use crate::ir::{Object, Scalar, SharedId, SharedObject};
use crate::sema::scope;
use crate::sema::types::Type;
use crate::syntax::ast::{self};
use std::rc::Rc;

impl Lower<'_> {
    /// `extern` in a block: what stands elsewhere, though a parameter or another local variable has the name outside.
    pub(super) fn declare_elsewhere(&mut self, variable: &ast::Variable, ty: &Type) {
        let name = &variable.name;
        if self.lookup(name).is_none() && self.frame.env.get(name).is_none() {
            return;
        }
        let reason = "a variable that a block declares `extern`";
        let value = self.unknown_val(reason, Type::unknown(reason));
        let binding = scope::Binding::Variable(ty.clone());
        self.frame.env.set(name.clone(), binding);
        self.bind(name, Binding::LValue(LValue::Val(value)));
    }

    /// A static variable lives on from block to block, in global memory.
    pub(super) fn declare_static(&mut self, variable: &ast::Variable) {
        let ty = self.resolve(&variable.ty);
        self.frame
            .env
            .set(variable.name.clone(), scope::Binding::Variable(ty.clone()));
        let reason = format!("`{}` is a static variable of a function", variable.name);
        let pointer = self
            .arena
            .unknown(&reason, Vec::new(), false, Scalar::Pointer);
        // Where it lies is not known, but that all its elements lie there.
        let pointer = self.keep(pointer, &variable.name);
        let env = self.frame.env.clone();
        let full = scope::variable_type(&self.unit.names, &env, variable);
        self.note_table(pointer, variable, &full, &env);
        let mem = Mem {
            pointer,
            ty,
            array: Rc::from(&*variable.name),
            volatile: is_volatile(&variable.ty),
            is_const: self.is_const(variable),
            bits: None,
            packed: None,
            is_temporary: Some(false),
        };
        self.bind(&variable.name, Binding::LValue(LValue::Mem(mem)));
    }

    pub(super) fn declare_shared(&mut self, variable: &ast::Variable) {
        let mut ty = self.resolve(&variable.ty);
        if ty.size().is_none()
            && let Some(open) = self.unbounded(&variable.ty)
        {
            ty = open;
        }
        // Each instance of a function has variables of its own; what is declared elsewhere is one.
        let instance = self
            .stack
            .last()
            .filter(|_| !variable.storage.is_extern)
            .map_or("", |(_, arguments)| arguments);
        let key = (variable.name_range.start, format!("{ty} of {instance}"));
        self.frame
            .env
            .set(variable.name.clone(), scope::Binding::Variable(ty.clone()));
        let id = match self.statics.get(&key) {
            Some((id, _)) => *id,
            None => {
                let id = self.shared_object(variable, &ty);
                self.statics.insert(key, (id, ty.clone()));
                id
            }
        };
        let pointer = self.arena.address(Object::Shared(id));
        let mem = Mem {
            pointer,
            ty,
            array: Rc::from(&*variable.name),
            volatile: is_volatile(&variable.ty),
            is_const: self.is_const(variable),
            bits: None,
            packed: None,
            is_temporary: Some(false),
        };
        self.bind(&variable.name, Binding::LValue(LValue::Mem(mem)));
    }

    fn shared_object(&mut self, variable: &ast::Variable, ty: &Type) -> SharedId {
        let mut dimensions = Vec::new();
        let mut element = ty;
        while let Type::Array(inner, count) = element {
            dimensions.push(count.unwrap_or(0));
            element = inner;
        }
        let is_open = variable.storage.is_extern || matches!(ty, Type::Array(_, None));
        let explicit = variable
            .storage
            .align
            .clone()
            .and_then(|e| self.constant_int(&e));
        let align = ty
            .align()
            .unwrap_or(1)
            .max(explicit.and_then(|n| u64::try_from(n).ok()).unwrap_or(1));
        let range = ast::Range {
            start: variable.name_range.start,
            end: variable.range.end.max(variable.name_range.end),
        };
        let span = self.span(range);
        self.shared.push(SharedObject {
            name: variable.name.to_string(),
            size: if is_open { None } else { ty.size() },
            align: u32::try_from(align).unwrap_or(1),
            element: element
                .size()
                .and_then(|size| u32::try_from(size).ok())
                .unwrap_or(0),
            dimensions,
            span,
        });
        SharedId(self.shared.len() as u32 - 1)
    }
}
