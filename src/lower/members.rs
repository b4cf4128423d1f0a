//! Members of objects: `object.member` and `pointer->member`, with the offsets that their class gives them.

use super::context::Lower;
use super::groups::class_name;
use super::place::{axis, base_name, builtin_value, last_name, place_name};
use super::values::{LValue, Mem, Val, scalar_val};
use crate::ir::{ExprId, Path, Scalar};
use crate::sema::scope;
use crate::sema::types::{Field, RecordType, Target, Twin, Type};
use crate::syntax::ast::{self, ExprKind};
use std::rc::Rc;
use std::sync::Arc;

impl Lower<'_> {
    pub(super) fn member(
        &mut self,
        object: &ast::Expr,
        arrow: bool,
        member: &ast::Path,
        e: &ast::Expr,
    ) -> LValue {
        let name = last_name(member).to_owned();
        if let ExprKind::Path(path) = &object.kind
            && path.segments.len() == 1
            && let Some(axis) = axis(&name)
            && let Some(value) = builtin_value(last_name(path), axis)
            && self.lookup(last_name(path)).is_none()
            && !self.is_hidden(last_name(path))
        {
            return LValue::Val(scalar_val(self.arena.builtin(value), Scalar::U32));
        }
        let base = if arrow {
            let base = self.operand_place(object, false);
            self.arrow(base, object)
        } else {
            self.place(object)
        };
        match self.as_named(base, member) {
            Ok(base) => self.member_of(base, &name, e, place_name(e)),
            Err(reason) => self.unreached(&reason, e),
        }
    }

    /// What `->` on `base` leads to.
    pub fn arrow(&mut self, base: LValue, object: &ast::Expr) -> LValue {
        if matches!(base.ty().strip_reference(), Type::Record(_))
            && let Some(result) =
                self.operator_call("->", &[(base.clone(), object.range)], object.range)
        {
            // `a->b` goes on until something gives a pointer.
            if matches!(result.ty().strip_reference(), Type::Record(_)) {
                if !self.enter() {
                    return LValue::Val(self.too_deep());
                }
                let end = self.arrow(result, object);
                self.leave();
                return end;
            }
            let pointer = self.read(result, object.range);
            return self.deref_named(pointer, place_name(object));
        }
        let pointer = self.read(base, object.range);
        self.deref_named(pointer, base_name(object))
    }

    /// Member `name` of what `base` names.
    pub fn member_of(&mut self, base: LValue, name: &str, e: &ast::Expr, array: &str) -> LValue {
        match base {
            LValue::Mem(mem) => self.member_of_memory(mem, name, e, array),
            LValue::Val(Val::Object(mem)) => {
                let mem = Mem {
                    is_temporary: Some(true),
                    ..mem
                };
                self.member_of_memory(mem, name, e, array)
            }
            LValue::Val(Val::Scalar {
                id,
                ty: ty @ (Type::Unknown(_) | Type::Opaque(_)),
                ..
            }) => LValue::Val(self.unknown_from(&[id], ty)),
            LValue::Var {
                variable,
                ty: ty @ (Type::Unknown(_) | Type::Opaque(_)),
                ..
            } => {
                let scalar = self.variable_scalar(variable);
                let id = self.arena.var(variable, scalar);
                LValue::Val(self.unknown_from(&[id], ty))
            }
            // The bits of an 8-bit float: the number that stands for it here.
            LValue::Var {
                variable,
                ty: Type::Scalar(bits, _),
                volatile,
                is_const,
                key,
            } if name == "__x" && bits.is_integer() => LValue::Var {
                variable,
                ty: Type::number(bits),
                volatile,
                is_const,
                key,
            },
            place => {
                // `h.x` of a one-lane type, or a value that is no class.
                let value = self.read(place, e.range);
                match value {
                    // The bits of a `half` are not its value.
                    Val::Scalar {
                        id,
                        ty: Type::Scalar(Scalar::F16 | Scalar::BF16, twin),
                        ..
                    } if name == "__x" || name == "x" && matches!(twin, Twin::Class(_)) => {
                        LValue::Val(self.unknown_from(&[id], Type::number(Scalar::U16)))
                    }
                    Val::Scalar {
                        id,
                        ty: Type::Scalar(bits, Twin::Class(_)),
                        ..
                    } if name == "__x" => LValue::Val(scalar_val(id, bits)),
                    Val::Scalar { .. } if name == "x" || name == "__x" => LValue::Val(value),
                    // No C++: the value is another one, whatever it was read from.
                    Val::Scalar { .. } => {
                        let reason = format!("member `{name}` of a value that is no class");
                        LValue::Val(self.unknown_val(&reason, Type::unknown(reason.clone())))
                    }
                    Val::SpecialValue(special) => self.special_member(&special, name, e),
                    _ => {
                        let reason = format!("member `{name}` of a value that is not known");
                        LValue::Val(self.unknown_val(&reason, Type::unknown(reason.clone())))
                    }
                }
            }
        }
    }

    /// A data member of the object at `mem`, whose class is known.
    pub(super) fn member_at(
        &mut self,
        mem: Mem,
        record: &RecordType,
        field: &Field,
        array: &str,
    ) -> LValue {
        self.note_object(mem.pointer, &mem.ty);
        let place = self.field_place(mem, field, array);
        if let LValue::Mem(part) = &place
            && !record.record.is_union
            && field.is_placed
            && field.bits.is_none()
        {
            let class = format!("{} {}", record.name, record.size);
            let class = (&*class, record.size);
            self.note_member(part.pointer, class, field.offset, &field.ty);
        }
        place
    }

    fn member_of_memory(&mut self, mem: Mem, name: &str, e: &ast::Expr, array: &str) -> LValue {
        self.note_object(mem.pointer, &mem.ty);
        match mem.ty.clone() {
            Type::Vector { .. } => match lane(&mem.ty, name) {
                Some((offset, scalar)) => {
                    let pointer = self.arena.offset_const(mem.pointer, offset);
                    let class = mem.ty.to_string();
                    let class = (&*class, mem.ty.size().unwrap_or(0));
                    self.note_member(pointer, class, offset, &Type::number(scalar));
                    let mut part = mem.part(pointer, Type::number(scalar));
                    part.array = Rc::from(array);
                    LValue::Mem(part)
                }
                None => {
                    let reason = format!("`{}` has no member `{name}`", mem.ty);
                    let pointer = self.somewhere_in(mem.pointer, Vec::new(), &reason);
                    LValue::Mem(mem.part(pointer, Type::unknown(reason)))
                }
            },
            Type::Record(record) => {
                if let Some(field) = scope::field(&self.unit.names, &record, name) {
                    let mut mem = mem;
                    mem.array = Rc::from(array);
                    return self.member_at(mem, &record, &field, array);
                }
                if let Some(value) = self.static_member(&record, name, e) {
                    return value;
                }
                let reason: Arc<str> = match &record.problem {
                    Some(problem) => problem.clone(),
                    None => Arc::from(format!("`{}` has no member `{name}`", record.name)),
                };
                let pointer = self.somewhere_in(mem.pointer, Vec::new(), &reason);
                let ty = unlaid_member(&record.record, name, reason);
                LValue::Mem(mem.part(pointer, ty))
            }
            Type::Reference(to) => {
                let pointer =
                    self.emit_load(&mem, mem.pointer, Scalar::Pointer, mem.path(), e.range);
                let pointer = self.arena.var(pointer, Scalar::Pointer);
                let mem = mem.part(pointer, (*to).clone());
                self.member_of_memory(mem, name, e, array)
            }
            Type::Unknown(reason) => {
                let pointer = self.somewhere_in(mem.pointer, Vec::new(), &reason);
                LValue::Mem(mem.part(pointer, Type::Unknown(reason)))
            }
            Type::Opaque(class) if class_name(&class) == "fragment" => self
                .fragment_member(&class, name, e.range)
                .unwrap_or_else(|| {
                    let reason = format!("member `{name}` of `{class}` is not known");
                    LValue::Val(self.unknown_val(&reason, Type::unknown(reason.clone())))
                }),
            Type::Scalar(scalar, twin)
                if scalar.size() <= 4
                    && (name == "__x"
                        || name == "x" && scalar.is_float() && matches!(twin, Twin::Class(_))) =>
            {
                let bits = match scalar.size() {
                    1 => Scalar::U8,
                    2 => Scalar::U16,
                    _ => Scalar::U32,
                };
                let mut part = mem.part(mem.pointer, Type::number(bits));
                part.array = Rc::from(array);
                LValue::Mem(part)
            }
            other => {
                let reason = format!("member `{name}` of `{other}` is not known");
                let pointer = self.somewhere_in(mem.pointer, Vec::new(), &reason);
                LValue::Mem(mem.part(pointer, Type::unknown(reason)))
            }
        }
    }

    /// Where a field of an object lies.
    pub fn field_pointer(&mut self, object: ExprId, field: &crate::sema::types::Field) -> ExprId {
        if field.is_placed {
            return self.arena.offset_const(object, field.offset);
        }
        let reason = format!("the place of `{}` in its class", field.name);
        self.somewhere_in(object, Vec::new(), &reason)
    }

    pub fn field_place(
        &mut self,
        mem: Mem,
        field: &crate::sema::types::Field,
        array: &str,
    ) -> LValue {
        let pointer = self.field_pointer(mem.pointer, field);
        let mut part = mem.part(pointer, field.ty.clone());
        part.packed = mem.packed_at(field.offset);
        part.bits = field.bits;
        part.is_const = field.is_const.or(part.is_const);
        part.array = Rc::from(array);
        if let Type::Reference(to) = &field.ty {
            let range = ast::Range::default();
            let loaded = self.emit_load(&part, pointer, Scalar::Pointer, Path::Plain, range);
            let pointer = self.arena.var(loaded, Scalar::Pointer);
            return LValue::Mem(part.at_target(pointer, to));
        }
        LValue::Mem(part)
    }
}

/// Offset and type of a lane of a vector type.
fn lane(ty: &Type, name: &str) -> Option<(u64, Scalar)> {
    let Type::Vector { scalar, lanes, .. } = ty else {
        return None;
    };
    let at = match name {
        "x" | "r" => 0,
        "y" | "g" | "i" => 1,
        "z" | "b" => 2,
        "w" | "a" => 3,
        _ => return None,
    };
    (at < u64::from(*lanes)).then(|| (at * u64::from(scalar.size()), *scalar))
}

/// The type of a member of a class without layout: the elements of an array lie in the object, whatever they are.
fn unlaid_member(record: &ast::Record, name: &str, reason: Arc<str>) -> Type {
    let declared = record.members.iter().find_map(|member| match member {
        ast::Member::Variables(variables) => variables.iter().find(|v| &*v.name == name),
        _ => None,
    });
    let mut written = declared.map(|variable| &variable.ty);
    let mut ty = Type::Unknown(reason);
    while let Some(ast::TypeKind::Array(of, _)) = written.map(|ty| &ty.kind) {
        ty = Type::Array(Target::new(ty), None);
        written = Some(of);
    }
    ty
}
