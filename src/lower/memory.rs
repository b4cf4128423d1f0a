//! Loads, stores and copies of objects in memory, piece by piece.
//!
//! Given a place and a value; emits the accesses that the machine makes. What cannot be told apart into scalars is
//! an opaque access with its reason.

use super::context::Lower;
use super::conversions::{OTHER_LENGTH, is_another_array};
use super::values::{LValue, Mem, Val};
use crate::ir::Binary;
use crate::ir::{
    Expr, ExprId, Holds, Object, OpaqueOp, Scalar, Stmt, Value, VarId, Variable, VariableKind,
};
use crate::sema::types::Type;
use crate::syntax::ast::{self};
use std::sync::Arc;

impl Lower<'_> {
    /// The value of a place.
    pub fn read(&mut self, place: LValue, range: ast::Range) -> Val {
        match place {
            LValue::Val(value) => value,
            LValue::Var {
                variable,
                ty,
                volatile,
                ..
            } => {
                let scalar = self.variable_scalar(variable);
                let id = self.arena.var(variable, scalar);
                if let Type::Unknown(reason) = &ty
                    && scalar != Scalar::Pointer
                {
                    let id = self.arena.unknown(reason, vec![id], false, scalar);
                    return Val::Scalar { id, ty, volatile };
                }
                Val::Scalar { id, ty, volatile }
            }
            LValue::Mem(mem) => self.load(mem, range),
        }
    }

    pub fn variable_scalar(&self, variable: VarId) -> Scalar {
        match self
            .variables
            .get(variable.index())
            .map(|variable| variable.kind)
        {
            Some(VariableKind::Scalar(ty)) => ty,
            _ => Scalar::U64,
        }
    }

    fn load(&mut self, mem: Mem, range: ast::Range) -> Val {
        match mem.ty.clone() {
            Type::Void | Type::Function => Val::Void,
            Type::Array(element, _) if element.is_class => {
                if self.is_local(&mem) {
                    return Val::Object(mem);
                }
                let object = self.local("", &mem.ty, None);
                self.copy(&object, &mem, range);
                Val::Object(object)
            }
            Type::Array(..) => self.first_of(&mem),
            Type::Qualified(of) => self.load(mem.at_target(mem.pointer, &of), range),
            Type::Reference(to) => {
                let pointer = self.emit_load(&mem, mem.pointer, Scalar::Pointer, mem.path(), range);
                let pointer = self.arena.var(pointer, Scalar::Pointer);
                self.load(mem.at_target(pointer, &to), range)
            }
            Type::Scalar(scalar, _) => {
                let unit = unit_of_bits(&mem, scalar);
                let target = self.load_pieces(&mem, mem.pointer, unit, range);
                let mut id = self.arena.var(target, unit);
                if let Some((first, width)) = mem.bits {
                    id = self.extract_bits(id, unit, first, width);
                }
                id = self.arena.cast(id, scalar);
                Val::Scalar {
                    id,
                    ty: mem.ty,
                    volatile: false,
                }
            }
            Type::Pointer(_) => {
                let target = self.load_pieces(&mem, mem.pointer, Scalar::Pointer, range);
                let id = self.arena.var(target, Scalar::Pointer);
                Val::Scalar {
                    id,
                    ty: mem.ty,
                    volatile: false,
                }
            }
            Type::Vector { .. } | Type::Record(_) => {
                if self.is_local(&mem) {
                    return Val::Object(mem);
                }
                let object = self.local("", &mem.ty, None);
                self.copy(&object, &mem, range);
                Val::Object(Mem {
                    is_const: mem.is_const,
                    ..object
                })
            }
            Type::Opaque(name) => {
                if self.is_local(&mem) {
                    return Val::Object(mem);
                }
                if super::groups::is_undeclared(&name) {
                    let reason = super::aggregate::undeclared(&name);
                    self.opaque_access(&mem, OpaqueOp::Load, &reason, range);
                    return self.unknown_val(&reason, Type::Unknown(reason.clone()));
                }
                let reason = format!("the layout of `{name}` is not known");
                self.opaque_access(&mem, OpaqueOp::Load, &reason, range);
                self.unknown_val(&reason, mem.ty)
            }
            Type::Unknown(reason) => {
                if !self.is_local(&mem) {
                    self.opaque_access(&mem, OpaqueOp::Load, &reason, range);
                }
                let id = self
                    .arena
                    .unknown(&reason, vec![mem.pointer], true, Scalar::I64);
                Val::Scalar {
                    id,
                    ty: mem.ty,
                    volatile: false,
                }
            }
        }
    }

    fn extract_bits(&mut self, id: ExprId, scalar: Scalar, first: u32, width: u32) -> ExprId {
        let bits = scalar.bits();
        let up = self
            .arena
            .int(i64::from(bits.saturating_sub(first + width)), Scalar::I32);
        let down = self
            .arena
            .int(i64::from(bits.saturating_sub(width)), Scalar::I32);
        // Bits of other fields leave at the top: no overflow where the number has no sign.
        let unsigned = scalar.to_unsigned();
        let id = self.arena.cast(id, unsigned);
        let high = self.arena.binary(Binary::Shl, id, up, unsigned);
        let high = self.arena.cast(high, scalar);
        self.arena.binary(Binary::Shr, high, down, scalar)
    }

    pub fn opaque_access(&mut self, mem: &Mem, op: OpaqueOp, reason: &str, range: ast::Range) {
        let site = self.site(range, &mem.array);
        let reason = Arc::from(reason);
        self.emit(Stmt::OpaqueAccess {
            pointer: mem.pointer,
            ty: Scalar::U8,
            op,
            site,
            reason,
        });
    }

    /// Copies a whole object as the machine does; what a copy constructor makes of it is not known here.
    pub fn copy(&mut self, to: &Mem, from: &Mem, range: ast::Range) {
        self.copy_pieces(to, from, range);
        if self.changes_by_copy(&to.ty) && self.is_named(from) {
            let reason = format!("a copy of a `{}` by its own constructor", to.ty);
            let both = [to, from].into_iter().filter(|mem| self.is_local(mem));
            let pointers = both.map(|mem| mem.pointer).collect();
            self.make_unknown(Vec::new(), pointers, &reason, range);
        }
    }

    fn copy_pieces(&mut self, to: &Mem, from: &Mem, range: ast::Range) {
        let ty = if to.ty.size().is_some() {
            &to.ty
        } else {
            &from.ty
        };
        let mut pieces = ty.machine_leaves();
        if pieces.is_empty() && from.ty == to.ty && self.is_local(from) && self.is_local(to) {
            let known = ty.known_leaves().into_iter();
            pieces = known.map(|(at, scalar, _)| (at, scalar)).collect();
        }
        for object in [to, from] {
            self.note_object(object.pointer, &object.ty);
        }
        if pieces.is_empty() || pieces.len() > MAX_PIECES {
            if ty.size() == Some(0) || matches!(ty, Type::Record(of) if of.is_empty()) {
                return;
            }
            let reason = match ty {
                Type::Unknown(reason) => reason.to_string(),
                ty => format!("a copy of a whole `{ty}` is not taken apart"),
            };
            if !self.is_local(from) {
                self.opaque_access(from, OpaqueOp::Load, &reason, range);
            }
            if self.is_local(to) {
                self.make_unknown(Vec::new(), vec![to.pointer], &reason, range);
            } else {
                self.opaque_access(to, OpaqueOp::Store, &reason, range);
            }
            return;
        }
        // The object as a whole is aligned as its type says, each part of it only so far.
        let (from, to) = (&from.packed_whole(ty), &to.packed_whole(ty));
        let (from_path, to_path) = (from.path(), to.path());
        let whole = self
            .whole_object(to)
            .filter(|(_, size)| pieces.len() == 1 && u64::from(pieces[0].1.size()) == *size);
        if let (Some((variable, _)), Scalar::Bytes(_)) = (whole, pieces[0].1) {
            self.emit_load_into(variable, from, from.pointer, pieces[0].1, from_path, range);
            return;
        }
        let source = self
            .whole_object(from)
            .filter(|(_, size)| pieces.len() == 1 && u64::from(pieces[0].1.size()) == *size);
        if let (Some((variable, _)), Scalar::Bytes(_)) = (source, pieces[0].1) {
            self.emit_store(
                to,
                to.pointer,
                Value::Object(variable),
                pieces[0].1,
                to_path,
                range,
            );
            return;
        }
        for (offset, scalar) in pieces {
            let at = self.arena.offset_const(from.pointer, offset);
            let target = self.load_pieces(from, at, scalar, range);
            let value = match scalar {
                Scalar::Bytes(_) => Value::Object(target),
                _ => Value::Scalar(self.arena.var(target, scalar)),
            };
            let at = self.arena.offset_const(to.pointer, offset);
            self.store_pieces(to, at, value, scalar, range);
        }
    }

    /// The local object that `mem` is the start of, with its size.
    fn whole_object(&self, mem: &Mem) -> Option<(VarId, u64)> {
        match self.arena.get(mem.pointer) {
            Expr::Address(Object::Local(variable)) => {
                match self.variables.get(variable.index())?.kind {
                    VariableKind::Object { size, .. } => Some((*variable, u64::from(size))),
                    VariableKind::Scalar(_) => None,
                }
            }
            _ => None,
        }
    }

    /// Writes `value`, converted to the type of the place.
    pub fn write(&mut self, place: &LValue, value: Val, range: ast::Range) {
        let value = match place.ty() {
            to @ Type::Pointer(_) if is_another_array(&value.ty(), &to) => {
                self.unknown_val(OTHER_LENGTH, to)
            }
            _ => value,
        };
        match place {
            LValue::Var { variable, .. } => {
                let scalar = self.variable_scalar(*variable);
                let value = self.scalar_of(value, scalar, range);
                self.emit(Stmt::Assign {
                    variable: *variable,
                    value,
                });
            }
            LValue::Mem(mem) | LValue::Val(Val::Object(mem)) => self.store(mem, value, range),
            // What a name of no known type stands for is not known before or after.
            LValue::Val(Val::SpecialValue(_) | Val::Void) => {}
            LValue::Val(Val::Scalar { ty, .. }) if ty.is_unknown() => {}
            LValue::Val(_) => {
                self.forget_locals("an assignment to something that is not understood", range);
            }
        }
    }

    /// A write that may go to any local variable.
    pub fn forget_locals(&mut self, reason: &str, range: ast::Range) {
        let variables = self.all_variables();
        self.gap(range, reason, variables, Vec::new());
    }

    /// As [`Lower::forget_locals`], at a place that is told as a gap for another reason.
    pub(super) fn forget_locals_as_well(&mut self, reason: &str, range: ast::Range) {
        let variables = self.all_variables();
        self.make_unknown(variables, Vec::new(), reason, range);
    }

    /// All but constants, which nobody may write.
    fn all_variables(&self) -> Vec<VarId> {
        let is_constant = |at: usize, variable: &Variable| match variable.kind {
            VariableKind::Object { holds, .. } => holds == Holds::Argument,
            VariableKind::Scalar(_) => self.constants.contains(&VarId(at as u32)),
        };
        let all = self.variables.iter().enumerate();
        all.filter(|(at, variable)| !is_constant(*at, variable))
            .map(|(at, _)| VarId(at as u32))
            .collect()
    }

    pub(super) fn store(&mut self, mem: &Mem, value: Val, range: ast::Range) {
        match &mem.ty {
            Type::Scalar(_, _) | Type::Pointer(_) => {
                let scalar = mem.ty.scalar().unwrap_or(Scalar::U64);
                let mut value = self.scalar_of(value, scalar, range);
                let unit = unit_of_bits(mem, scalar);
                if let Some((first, width)) = mem.bits {
                    let bits = self.arena.cast(value, unit);
                    value = self.insert_bits(mem, bits, unit, first, width, range);
                }
                self.store_pieces(mem, mem.pointer, Value::Scalar(value), unit, range);
            }
            Type::Qualified(of) => self.store(&mem.part(mem.pointer, (**of).clone()), value, range),
            Type::Reference(_) => {
                let Val::Scalar { id, .. } = value else {
                    return;
                };
                self.emit_store(
                    mem,
                    mem.pointer,
                    Value::Scalar(id),
                    Scalar::Pointer,
                    mem.path(),
                    range,
                );
            }
            Type::Vector { .. } | Type::Record(_) | Type::Opaque(_) | Type::Array(..) => {
                match self.convert(value, &mem.ty, range) {
                    Val::Object(from) => self.copy(mem, &from, range),
                    other => {
                        self.note_stored_lambda(&mem.ty, &other);
                        self.forget(mem, &other, range);
                    }
                }
            }
            Type::Unknown(reason) => {
                if self.is_local(mem) {
                    self.make_unknown(Vec::new(), vec![mem.pointer], reason, range);
                } else {
                    self.opaque_access(mem, OpaqueOp::Store, reason, range);
                }
            }
            Type::Void | Type::Function => {}
        }
    }

    /// A store of a value that is not known as an object.
    fn forget(&mut self, mem: &Mem, value: &Val, range: ast::Range) {
        let reason = match value {
            Val::Scalar {
                ty: Type::Unknown(reason),
                ..
            } => reason.to_string(),
            _ => format!("a value of `{}` is not known", mem.ty),
        };
        if self.is_local(mem) {
            self.make_unknown(Vec::new(), vec![mem.pointer], &reason, range);
            return;
        }
        // The store is there all the same: its addresses are known, its value is not.
        let pieces = mem.ty.machine_leaves();
        if pieces.is_empty() {
            self.opaque_access(mem, OpaqueOp::Store, &reason, range);
            return;
        }
        let object = self.local("", &mem.ty, None);
        self.make_unknown(Vec::new(), vec![object.pointer], &reason, range);
        self.copy(mem, &object, range);
    }

    fn insert_bits(
        &mut self,
        mem: &Mem,
        value: ExprId,
        scalar: Scalar,
        first: u32,
        width: u32,
        range: ast::Range,
    ) -> ExprId {
        let old = self.emit_load(mem, mem.pointer, scalar, mem.path(), range);
        let old = self.arena.var(old, scalar);
        let ones = if width >= 64 {
            -1
        } else {
            ((1i64 << width) - 1).wrapping_shl(first)
        };
        let mask = self.arena.int(ones, scalar);
        let rest = self.arena.int(!ones, scalar);
        let by = self.arena.int(i64::from(first), Scalar::I32);
        let moved = self.arena.binary(Binary::Shl, value, by, scalar);
        let new = self.arena.binary(Binary::And, moved, mask, scalar);
        let kept = self.arena.binary(Binary::And, old, rest, scalar);
        self.arena.binary(Binary::Or, kept, new, scalar)
    }
}

/// Most pieces in which one object is copied; larger copies are not modelled.
const MAX_PIECES: usize = 1024;

/// The type in which a bit-field's bits are read and written: those of `bool` are no truth values.
fn unit_of_bits(mem: &Mem, scalar: Scalar) -> Scalar {
    if mem.bits.is_some() && scalar == Scalar::Bool {
        Scalar::U8
    } else {
        scalar
    }
}
