//! Destructors: what objects do where their scope ends.
//!
//! Given objects as they are declared, runs their destructors at the end of the scope, and where a jump
//! leaves the scope early.

use super::context::{Aim, Lower, Scope};
use super::values::Mem;
use crate::ir::LabelId;
use crate::sema::scope::Callee;
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast;
use std::rc::Rc;
use std::sync::Arc;

/// Nesting of members in which destructors are looked for.
const MAX_DEPTH: u32 = 8;

impl Lower<'_> {
    /// Notes an object that ends with the present scope.
    pub fn ends_with_scope(&mut self, mem: &Mem) {
        if self.needs_destruction(&mem.ty, 0) {
            self.frame.scope.note_object(mem);
        }
    }

    /// Whether an object does something where it ends.
    pub fn needs_destruction(&self, ty: &Type, depth: u32) -> bool {
        match ty {
            Type::Array(element, _) => self.needs_destruction(element, depth),
            Type::Record(record) if depth < MAX_DEPTH => {
                self.destructor(record).is_some()
                    || record.bases.iter().any(|(_, base)| {
                        self.needs_destruction(&Type::Record(base.clone()), depth + 1)
                    })
                    || record
                        .fields
                        .iter()
                        .any(|field| self.needs_destruction(&field.ty, depth + 1))
            }
            _ => false,
        }
    }

    /// The destructor that a class has, if that does anything.
    fn destructor(&self, record: &Arc<RecordType>) -> Option<Callee> {
        let name = record
            .record
            .members
            .iter()
            .find_map(|member| match member {
                ast::Member::Function(function)
                    if function.kind == ast::FunctionKind::Destructor =>
                {
                    Some(function.name.clone())
                }
                _ => None,
            })?;
        let all = self.unit.names.methods(record, &name);
        let mut all = all.into_iter().filter(|callee| {
            let is_own =
                callee.function.kind == ast::FunctionKind::Destructor
                    && callee.env.record.as_ref().is_some_and(|own| {
                        Type::Record(own.clone()) == Type::Record(record.clone())
                    });
            let does_nothing = callee.function.body.as_ref().is_some_and(Vec::is_empty);
            is_own && !does_nothing
        });
        all.next()
    }

    /// Runs the destructors of the objects of the present scope, the youngest first.
    pub fn end_scope(&mut self, range: ast::Range) {
        for mem in self.frame.scope.take_objects().into_iter().rev() {
            self.destroy(&mem, range, 0);
        }
    }

    fn destroy(&mut self, mem: &Mem, range: ast::Range, depth: u32) {
        let record = match &mem.ty {
            Type::Record(record) if depth < MAX_DEPTH => record.clone(),
            ty if self.needs_destruction(ty, 0) => {
                let reason = format!("the destructors of `{ty}` are not followed");
                self.forget_locals(&reason, range);
                return;
            }
            _ => return,
        };
        if let Some(callee) = self.destructor(&record) {
            let name = callee.function.name.clone();
            let env = callee.env.clone();
            if callee.function.body.is_some() {
                self.inline(&callee, env, Some(mem.clone()), &[], &name, range);
            } else {
                let reason = format!("`{name}` has no definition in the files given");
                self.forget_locals(&reason, range);
            }
        }
        for field in record.fields.clone().iter().rev() {
            if self.needs_destruction(&field.ty, 0) {
                let pointer = self.field_pointer(mem.pointer, field);
                self.destroy(&mem.part(pointer, field.ty.clone()), range, depth + 1);
            }
        }
        for (offset, base) in record.bases.clone().iter().rev() {
            let pointer = self.arena.offset_const(mem.pointer, *offset);
            let part = mem.part(pointer, Type::Record(base.clone()));
            self.destroy(&part, range, depth + 1);
        }
    }

    /// Runs the destructors of what a jump leaves: of all that the function holds if it goes nowhere in it.
    /// The objects stay noted, for whoever does not jump.
    pub fn leave_scopes(&mut self, to: Option<&Aim>, range: ast::Range) {
        let mut next: Option<Scope> = Some(self.frame.scope.clone());
        while let Some(scope) = next {
            let aim = to.filter(|aim| Rc::ptr_eq(&aim.scope, &scope));
            let kept = aim.map_or(0, |aim| aim.kept);
            for mem in scope.objects_after(kept).into_iter().rev() {
                self.destroy(&mem, range, 0);
            }
            // What a lambda captures stays.
            if aim.is_some() || Rc::ptr_eq(&scope, &self.frame.body) {
                return;
            }
            next = scope.outer();
        }
    }

    /// A label of the present scope, for jumps that keep the objects which it has now.
    pub fn aim(&self, label: LabelId) -> Aim {
        Aim {
            label,
            scope: self.frame.scope.clone(),
            kept: self.frame.scope.count_objects(),
        }
    }

    /// The same for jumps ahead: whatever of the scope is there at the jump is there at the label.
    pub fn aim_ahead(&self, label: LabelId) -> Aim {
        Aim {
            kept: usize::MAX,
            ..self.aim(label)
        }
    }

    /// Whether the present function has objects that do something where they end.
    pub fn holds_objects(&self) -> bool {
        let mut next: Option<Scope> = Some(self.frame.scope.clone());
        while let Some(scope) = next {
            if scope.has_objects() {
                return true;
            }
            // What a lambda captures stays.
            if Rc::ptr_eq(&scope, &self.frame.body) {
                return false;
            }
            next = scope.outer();
        }
        false
    }
}
