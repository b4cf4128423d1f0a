//! Lvalues: what an expression names, how it is read, written and pointed to.
//!
//! Given expressions, gives [`LValue`]s; emits the loads and stores that reading
//! and writing them takes. Calls and operators are other parts' business.

use super::context::{Binding, LValue, Lower, Mem, Val, const_of, qualifiers, scalar_val};
use super::expr::may_change;
use super::groups::class_name;
use crate::ir::Binary;
use crate::ir::{
    Axis, Block, BuiltinValue, Expr, ExprId, Object, OpaqueOp, Path, Scalar, Stmt, Value, VarId,
    VariableKind,
};
use crate::sema::scope;
use crate::sema::types::{Target, Type};
use crate::syntax::ast::{self, ExprKind, UnaryOp};
use std::rc::Rc;
use std::sync::Arc;

/// Most pieces in which one object is copied; larger copies are not modelled.
const MAX_PIECES: usize = 1024;

/// What the user calls the array that an access expression goes to.
pub(super) fn place_name(e: &ast::Expr) -> &str {
    match &e.kind {
        ExprKind::Index(base, _) | ExprKind::Unary(UnaryOp::Deref, base) => base_name(base),
        ExprKind::Member {
            object,
            arrow: true,
            ..
        } => base_name(object),
        ExprKind::Member { object, member, .. } => match &object.kind {
            ExprKind::Path(_) | ExprKind::This => last_name(member),
            _ => place_name(object),
        },
        _ => base_name(e),
    }
}

fn last_name(path: &ast::Path) -> &str {
    path.segments.last().map_or("", |segment| &segment.name)
}

pub(super) fn base_name(e: &ast::Expr) -> &str {
    match &e.kind {
        ExprKind::Path(path) => last_name(path),
        ExprKind::Member { member, .. } => last_name(member),
        ExprKind::Index(base, _) => base_name(base),
        ExprKind::Unary(UnaryOp::AddressOf, inner) => place_name(inner),
        ExprKind::Unary(_, inner) => base_name(inner),
        ExprKind::Cast { value, .. } => base_name(value),
        ExprKind::Binary(_, left, right) => {
            let name = base_name(left);
            if name.is_empty() {
                base_name(right)
            } else {
                name
            }
        }
        ExprKind::Assign(_, left, _) => base_name(left),
        ExprKind::Conditional(_, then, _) => base_name(then),
        ExprKind::Call { callee, arguments } => match (&callee.kind, arguments.first()) {
            (ExprKind::Member { object, .. }, _) => base_name(object),
            (ExprKind::Path(path), Some(first)) if last_name(path).starts_with("__") => {
                base_name(first)
            }
            _ => base_name(callee),
        },
        ExprKind::This => "this",
        _ => "",
    }
}

pub(super) fn axis(name: &str) -> Option<Axis> {
    match name {
        "x" => Some(Axis::X),
        "y" => Some(Axis::Y),
        "z" => Some(Axis::Z),
        _ => None,
    }
}

fn builtin_value(name: &str, axis: Axis) -> Option<BuiltinValue> {
    match name {
        "threadIdx" => Some(BuiltinValue::ThreadIdx(axis)),
        "blockIdx" => Some(BuiltinValue::BlockIdx(axis)),
        "blockDim" => Some(BuiltinValue::BlockDim(axis)),
        "gridDim" => Some(BuiltinValue::GridDim(axis)),
        _ => None,
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

impl Lower<'_> {
    /// What `e` names; a value where it names nothing.
    pub fn place(&mut self, e: &ast::Expr) -> LValue {
        if !self.enter() {
            return LValue::Val(self.too_deep());
        }
        let place = self.place_inner(e);
        self.leave();
        place
    }

    fn place_inner(&mut self, e: &ast::Expr) -> LValue {
        match &e.kind {
            ExprKind::Path(path) => self.path_place(path, e),
            ExprKind::This => match self.frame.this.clone() {
                Some(this) => {
                    let ty = Type::Pointer(Target::new(this.whole_type()));
                    LValue::Val(Val::Scalar {
                        id: this.pointer,
                        ty,
                        volatile: this.volatile,
                    })
                }
                None => LValue::Val(self.unknown_val(
                    "`this` outside of a class",
                    Type::unknown("`this` outside of a class"),
                )),
            },
            ExprKind::Unary(UnaryOp::Deref, inner) => {
                let base = self.value(inner);
                self.deref(base, e)
            }
            ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PreDecrement, _)
            | ExprKind::Assign(..) => self.assignment(e, false),
            ExprKind::Index(base, indices) => self.index(base, indices, e),
            ExprKind::Member {
                object,
                arrow,
                member,
            } => self.member(object, *arrow, member, e),
            ExprKind::Call { callee, arguments } => self.call(callee, arguments, e),
            ExprKind::Binary(ast::BinaryOp::Comma, left, right) => {
                self.effect(left);
                self.place(right)
            }
            ExprKind::Fold {
                op: ast::BinaryOp::Comma,
                pack,
                init,
                is_left,
            } => self.comma_fold(pack, init.as_deref(), *is_left, e),
            ExprKind::Cast {
                ty,
                value,
                is_reinterpret,
            } if let Some(target) = self.reference_in(ty) => {
                let place = self.cast_place(&target, value, *is_reinterpret, e);
                let place = place.named(const_of(&target));
                if target.is_rvalue {
                    self.expiring(place, e.range)
                } else {
                    place
                }
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise, e)
            }
            _ => LValue::Val(self.value_inner(e)),
        }
    }

    /// What a type as written refers to, where it is a reference: `T` may be one.
    pub fn reference_in(&self, ty: &ast::TypeExpr) -> Option<Target> {
        match &ty.kind {
            ast::TypeKind::Reference { .. } | ast::TypeKind::Named(_) => {
                match scope::resolve_type(&self.unit.names, &self.frame.env, ty) {
                    Type::Reference(to) => Some(to),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The same object, which expires where the expression ends.
    pub fn expiring(&mut self, place: LValue, range: ast::Range) -> LValue {
        let mem = match place {
            LValue::Val(_) => return place,
            LValue::Mem(mem) => Some(mem),
            place @ LValue::Var { .. } => self.memory_of(place, range),
        };
        match mem {
            Some(mem) => LValue::Mem(Mem {
                is_temporary: Some(true),
                ..mem
            }),
            None => LValue::Val(Val::Void),
        }
    }

    /// `static_cast<T &>(value)`
    fn cast_place(
        &mut self,
        target: &Target,
        value: &ast::Expr,
        is_reinterpret: bool,
        e: &ast::Expr,
    ) -> LValue {
        let target = (**target).clone();
        let place = self.place(value);
        if !is_reinterpret
            && let LValue::Mem(mem) | LValue::Val(Val::Object(mem)) = &place
            && let Some(part) = self.as_relative(&mem.clone(), &target)
        {
            return LValue::Mem(part);
        }
        if !is_reinterpret && let Some(place) = self.as_reference(&place, &target, e.range) {
            return place;
        }
        match place {
            LValue::Mem(mem) => {
                let pointer = mem.pointer;
                LValue::Mem(mem.part(pointer, target))
            }
            LValue::Var { ref ty, .. } if *ty == target => place,
            LValue::Val(Val::Scalar { .. } | Val::SpecialValue(_)) => place,
            other => {
                let Some(mem) = self.memory_of(other, e.range) else {
                    return LValue::Val(self.unknown_val("a cast to a reference", target));
                };
                let pointer = mem.pointer;
                LValue::Mem(mem.part(pointer, target))
            }
        }
    }

    /// What `e` names where it is bound to a reference: of a choice, one of two places in memory.
    pub fn lvalue(&mut self, e: &ast::Expr) -> LValue {
        let ExprKind::Conditional(condition, then, otherwise) = &e.kind else {
            return self.place(e);
        };
        let condition = self.condition(condition);
        match self.arena.as_bool(condition) {
            Some(true) => return self.lvalue(then),
            Some(false) => return self.lvalue(otherwise),
            None => {}
        }
        let (a, mut first) = self.memory_of_side(then);
        let (b, mut second) = self.memory_of_side(otherwise);
        let (Some(a), Some(b)) = (a, b) else {
            return self.choice(condition, then, otherwise, e);
        };
        // Of two types the result is a value, converted.
        if a.ty != b.ty || a.bits.is_some() || b.bits.is_some() {
            return self.choice(condition, then, otherwise, e);
        }
        let pointer = if first.is_empty() && second.is_empty() {
            self.arena
                .select(condition, a.pointer, b.pointer, Scalar::Pointer)
        } else {
            let variable = self.scalar_variable("", Scalar::Pointer, None);
            for (block, side) in [(&mut first, &a), (&mut second, &b)] {
                block.push(Stmt::Assign {
                    variable,
                    value: side.pointer,
                });
            }
            self.emit_if(condition, first, second, e.range);
            self.arena.var(variable, Scalar::Pointer)
        };
        LValue::Mem(Mem {
            pointer,
            volatile: a.volatile || b.volatile,
            ..a
        })
    }

    /// The memory that one side of a choice names, and what is done to get there.
    fn memory_of_side(&mut self, side: &ast::Expr) -> (Option<Mem>, Block) {
        self.push_block();
        let place = self.lvalue(side);
        let mem = self.memory_of(place, side.range);
        (mem, self.pop_block())
    }

    fn path_place(&mut self, path: &ast::Path, e: &ast::Expr) -> LValue {
        let name = last_name(path).to_owned();
        if path.segments.len() == 1 && !path.is_global {
            match self.lookup(&name) {
                Some(Binding::LValue(place)) => return place,
                Some(Binding::Pack(_)) => return LValue::Val(self.unexpanded(&name)),
                None => {}
            }
            if !self.is_hidden(&name) {
                if name == "warpSize" {
                    return LValue::Val(scalar_val(self.arena.int(32, Scalar::I32), Scalar::I32));
                }
                if builtin_value(&name, Axis::X).is_some() {
                    return LValue::Val(self.builtin_object(&name));
                }
            }
            if let Some(this) = self.frame.this.clone()
                && let Type::Record(record) = &this.ty
                && let Some(field) = scope::field(&self.unit.names, record, &name)
            {
                return self.field_place(this, &field, &name);
            }
        }
        if let Some(constant) = self.constant(e) {
            return LValue::Val(self.of_enumeration(constant, e));
        }
        self.global_place(path, &name)
    }

    /// Whether a template parameter or a member has the name that is a built-in variable elsewhere.
    fn is_hidden(&self, name: &str) -> bool {
        let is_field = || {
            let this = self.frame.this.as_ref();
            this.is_some_and(|this| match &this.ty {
                Type::Record(record) => scope::field(&self.unit.names, record, name).is_some(),
                _ => false,
            })
        };
        self.frame.env.get(name).is_some() || is_field()
    }

    /// The components of `threadIdx` and kin as an object.
    fn builtin_object(&mut self, name: &str) -> Val {
        let ty = crate::sema::types::known(if name.ends_with("Idx") {
            "uint3"
        } else {
            "dim3"
        })
        .unwrap_or(Type::Void);
        let values: Vec<ExprId> = [Axis::X, Axis::Y, Axis::Z]
            .into_iter()
            .filter_map(|axis| builtin_value(name, axis))
            .map(|value| self.arena.builtin(value))
            .collect();
        self.vector_of(&ty, &values)
    }

    fn member(
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
            let base = self.value(object);
            self.arrow(base, object)
        } else {
            self.lvalue(object)
        };
        match self.as_named(base, member) {
            Ok(base) => self.member_of(base, &name, e, place_name(e)),
            Err(reason) => self.unreached(&reason, e),
        }
    }

    /// What `->` on `base` leads to.
    pub fn arrow(&mut self, base: Val, object: &ast::Expr) -> LValue {
        if let Val::Object(mem) = &base
            && matches!(mem.ty, Type::Record(_))
            && let Some(result) = self.operator_call(
                "->",
                &[(LValue::operand(base.clone(), None), object.range)],
                object.range,
            )
        {
            let pointer = self.read(result, object.range);
            return self.deref_named(pointer, place_name(object));
        }
        self.deref_named(base, base_name(object))
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
            place @ LValue::Var { .. }
                if name == "__x" && place.ty().scalar().is_some_and(Scalar::is_integer) =>
            {
                place
            }
            place => {
                // `h.x` of a one-lane type, or a value that is no class.
                let value = self.read(place, e.range);
                match value {
                    Val::Scalar { .. } if name == "x" => LValue::Val(value),
                    // The bits of a `half` are not its value.
                    Val::Scalar {
                        id,
                        ty: Type::Scalar(Scalar::F16 | Scalar::BF16, _),
                        ..
                    } if name == "__x" => {
                        LValue::Val(self.unknown_from(&[id], Type::number(Scalar::U16)))
                    }
                    Val::Scalar { .. } if name == "__x" => LValue::Val(value),
                    Val::Scalar { id, .. } => {
                        let ty =
                            Type::unknown(format!("member `{name}` of a value that is no class"));
                        LValue::Val(self.unknown_from(&[id], ty))
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

    fn member_of_memory(&mut self, mem: Mem, name: &str, e: &ast::Expr, array: &str) -> LValue {
        self.note_object(mem.pointer, &mem.ty);
        match mem.ty.clone() {
            Type::Vector { .. } => match lane(&mem.ty, name) {
                Some((offset, scalar)) => {
                    let pointer = self.arena.offset_const(mem.pointer, offset);
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
                    return self.field_place(mem, &field, array);
                }
                if let Some(value) = self.static_member(&record, name, e) {
                    return value;
                }
                let reason: Arc<str> = match &record.problem {
                    Some(problem) => problem.clone(),
                    None => Arc::from(format!("`{}` has no member `{name}`", record.name)),
                };
                let pointer = self.somewhere_in(mem.pointer, Vec::new(), &reason);
                LValue::Mem(mem.part(pointer, Type::Unknown(reason)))
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
            Type::Scalar(scalar, _) if name == "__x" && scalar.size() <= 4 => {
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

    pub fn field_place(
        &mut self,
        mem: Mem,
        field: &crate::sema::types::Field,
        array: &str,
    ) -> LValue {
        let pointer = self.arena.offset_const(mem.pointer, field.offset);
        let mut part = mem.part(pointer, field.ty.clone());
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

    fn index(&mut self, base: &ast::Expr, indices: &[ast::Expr], e: &ast::Expr) -> LValue {
        let place = self.place(base);
        let Some(first) = indices.first() else {
            return place;
        };
        let ty = place.ty();
        if matches!(ty.strip_reference(), Type::Record(_)) {
            let index = self.place(first);
            let arguments = [(place.clone(), base.range), (index.clone(), first.range)];
            if let Some(result) = self.operator_call("[]", &arguments, e.range) {
                return result;
            }
            // A class that converts to a pointer.
            if let Some(pointer) = self.convert_to_pointer(place, base.range) {
                let index = self.read(index, first.range);
                return self.element(pointer, index, e);
            }
            // What it gives may be a part of the object, and be written.
            self.opaque_call(&format!("{ty}::operator[]"), &arguments, None, e.range);
            let reason = format!("`{ty}` has no `operator[]` in the files given");
            return self.unreached(&reason, e);
        }
        if let LValue::Mem(mem) | LValue::Val(Val::Object(mem)) = &place
            && let Type::Vector { scalar, .. } = mem.ty
        {
            let mem = mem.clone();
            let pointer = Val::Scalar {
                id: mem.pointer,
                ty: Type::number(scalar).pointer_to(),
                volatile: mem.volatile,
            };
            let index = self.value(first);
            return self.element(pointer, index, e);
        }
        // The whole of a named array: rows of one are mostly gone through as if they were one.
        let size = match (&base.kind, ty.strip_reference()) {
            (ExprKind::Path(_) | ExprKind::Member { .. }, array @ Type::Array(..)) => array.size(),
            _ => None,
        };
        // What the index changes was read before.
        let changes = may_change(first, base);
        let place = if changes { self.pin(place) } else { place };
        let pointer = match place {
            // `std::array`
            LValue::Mem(mem) | LValue::Val(Val::Object(mem))
                if matches!(mem.ty, Type::Array(..)) =>
            {
                self.first_of(&mem)
            }
            place => self.read(place, base.range),
        };
        let pointer = match pointer {
            Val::Scalar { id, ty, volatile } if changes && !self.arena.is_stable(id) => {
                Val::Scalar {
                    id: self.keep(id, ""),
                    ty,
                    volatile,
                }
            }
            other => other,
        };
        let index = self.value(first);
        // `2[a]`
        if let (
            Val::Scalar {
                ty: Type::Scalar(_, _),
                ..
            },
            Val::Scalar {
                ty: Type::Pointer(_),
                ..
            },
        ) = (&pointer, &index)
        {
            return self.element(index, pointer, e);
        }
        let array = match &pointer {
            Val::Scalar { id, .. } => Some(*id),
            _ => None,
        };
        let mut place = self.element(pointer, index, e);
        if let (LValue::Mem(mem), Some(array), Some(size)) = (&mut place, array, size) {
            mem.pointer = self.arena.within(mem.pointer, array, size);
        }
        place
    }

    /// A pointer to an array's first element.
    fn first_of(&self, mem: &Mem) -> Val {
        let element = match &mem.ty {
            Type::Array(element, _) => element.whole().with(qualifiers(mem.is_const)),
            other => other.clone(),
        };
        Val::Scalar {
            id: mem.pointer,
            ty: Type::Pointer(Target::new(element)),
            volatile: mem.volatile,
        }
    }

    fn element(&mut self, pointer: Val, index: Val, e: &ast::Expr) -> LValue {
        let Val::Scalar { id, ty, volatile } = pointer else {
            let reason = match &pointer {
                Val::Object(mem) => format!("`{}` cannot be indexed", mem.ty),
                _ => "an index into something that is not known".to_owned(),
            };
            return self.unreached(&reason, e);
        };
        let index = self.integer(index, e.range);
        let array: Rc<str> = Rc::from(place_name(e));
        match ty {
            Type::Pointer(to) => {
                let is_const = const_of(&to);
                let ty = (*to).clone();
                let (pointer, ty) = match ty.size() {
                    Some(size) => (self.arena.element(id, index, size, false), ty),
                    None => {
                        let reason = unknown_size(&ty);
                        let at = self.somewhere_in(id, vec![index], &reason);
                        let is_row = matches!(ty, Type::Array(..));
                        let ty = if ty.is_unknown() || is_opaque(&ty) || is_row {
                            ty
                        } else {
                            unsized_element(&ty, &reason)
                        };
                        (at, ty)
                    }
                };
                LValue::Mem(Mem {
                    pointer,
                    ty,
                    array,
                    volatile,
                    is_const,
                    bits: None,
                    is_temporary: Some(false),
                })
            }
            Type::Unknown(reason) => {
                let pointer = if self.arena.ty(id) == Scalar::Pointer {
                    self.somewhere_in(id, vec![index], &reason)
                } else {
                    self.arena
                        .unknown(&reason, vec![id, index], false, Scalar::Pointer)
                };
                LValue::Mem(Mem {
                    pointer,
                    ty: Type::Unknown(reason),
                    array,
                    volatile,
                    is_const: None,
                    bits: None,
                    is_temporary: Some(false),
                })
            }
            other => self.unreached(&format!("`{other}` cannot be indexed"), e),
        }
    }

    /// A pointer into the same object: how far on, `inputs` decide in a way that is not known.
    pub fn somewhere_in(&mut self, pointer: ExprId, inputs: Vec<ExprId>, reason: &str) -> ExprId {
        let bytes = self.arena.unknown(reason, inputs, false, Scalar::I64);
        self.arena.offset(pointer, bytes)
    }

    /// Memory at an address that nothing is known of.
    pub fn unreached(&mut self, reason: &str, e: &ast::Expr) -> LValue {
        let pointer = self
            .arena
            .unknown(reason, Vec::new(), true, Scalar::Pointer);
        LValue::Mem(Mem {
            pointer,
            ty: Type::unknown(reason),
            array: Rc::from(place_name(e)),
            volatile: false,
            is_const: None,
            bits: None,
            is_temporary: Some(false),
        })
    }

    fn deref(&mut self, base: Val, e: &ast::Expr) -> LValue {
        if let Val::Object(mem) = &base
            && matches!(mem.ty, Type::Record(_))
        {
            let object = LValue::operand(base.clone(), None);
            if let Some(result) = self.operator_call("*", &[(object, e.range)], e.range) {
                return result;
            }
            if let Some(pointer) = self.convert_to_pointer(LValue::Val(base.clone()), e.range) {
                return self.deref_named(pointer, place_name(e));
            }
        }
        self.deref_named(base, place_name(e))
    }

    /// The memory that a pointer value points to.
    pub fn deref_named(&mut self, base: Val, array: &str) -> LValue {
        let array: Rc<str> = Rc::from(array);
        match base {
            Val::Scalar {
                id,
                ty: Type::Pointer(to),
                volatile,
            } => LValue::Mem(Mem {
                pointer: id,
                is_const: const_of(&to),
                ty: (*to).clone(),
                array,
                volatile,
                bits: None,
                is_temporary: Some(false),
            }),
            Val::Scalar {
                id,
                ty: Type::Unknown(reason),
                volatile,
            } => {
                let pointer = if self.arena.ty(id) == Scalar::Pointer {
                    id
                } else {
                    self.arena
                        .unknown(&reason, vec![id], false, Scalar::Pointer)
                };
                LValue::Mem(Mem {
                    pointer,
                    ty: Type::Unknown(reason),
                    array,
                    volatile,
                    is_const: None,
                    bits: None,
                    is_temporary: Some(false),
                })
            }
            Val::SpecialValue(special) => LValue::Val(Val::SpecialValue(special)),
            other => {
                let reason = format!("`{}` is no pointer", other.ty());
                let pointer = self
                    .arena
                    .unknown(&reason, Vec::new(), true, Scalar::Pointer);
                LValue::Mem(Mem {
                    pointer,
                    ty: Type::unknown(reason),
                    array,
                    volatile: false,
                    is_const: None,
                    bits: None,
                    is_temporary: Some(false),
                })
            }
        }
    }

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
                let target = self.emit_load(&mem, mem.pointer, unit, mem.path(), range);
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
                let target = self.emit_load(&mem, mem.pointer, Scalar::Pointer, mem.path(), range);
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
        let high = self.arena.binary(Binary::Shl, id, up, scalar);
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
            if ty.size() == Some(0) {
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
            let target = self.emit_load(from, at, scalar, from_path, range);
            let value = match scalar {
                Scalar::Bytes(_) => Value::Object(target),
                _ => Value::Scalar(self.arena.var(target, scalar)),
            };
            let at = self.arena.offset_const(to.pointer, offset);
            self.emit_store(to, at, value, scalar, to_path, range);
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
        let variables = (0..self.variables.len() as u32).map(VarId).collect();
        self.gap(range, reason, variables, Vec::new());
    }

    fn store(&mut self, mem: &Mem, value: Val, range: ast::Range) {
        match &mem.ty {
            Type::Scalar(_, _) | Type::Pointer(_) => {
                let scalar = mem.ty.scalar().unwrap_or(Scalar::U64);
                let mut value = self.scalar_of(value, scalar, range);
                let unit = unit_of_bits(mem, scalar);
                if let Some((first, width)) = mem.bits {
                    let bits = self.arena.cast(value, unit);
                    value = self.insert_bits(mem, bits, unit, first, width, range);
                }
                self.emit_store(
                    mem,
                    mem.pointer,
                    Value::Scalar(value),
                    unit,
                    mem.path(),
                    range,
                );
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
                    other => self.forget(mem, &other, range),
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

    /// `&place`: the memory behind it. A scalar variable becomes an object in the next attempt.
    pub fn memory_of(&mut self, place: LValue, range: ast::Range) -> Option<Mem> {
        match place {
            LValue::Mem(mem) | LValue::Val(Val::Object(mem)) => Some(mem),
            LValue::Var {
                variable,
                ref ty,
                key,
                is_const,
                ..
            } => {
                if let Some(key) = key {
                    self.spilled.borrow_mut().insert(key);
                }
                let ty = ty.clone();
                let name = self
                    .variables
                    .get(variable.index())
                    .map_or(String::new(), |v| v.name.to_string());
                let value = self.read(place, range);
                let mem = self.local(&name, &ty, None);
                self.store(&mem, value, range);
                Some(Mem { is_const, ..mem })
            }
            LValue::Val(value @ Val::Scalar { .. }) => {
                let ty = value.ty();
                let mem = self.local("", &ty, None);
                self.store(&mem, value, range);
                Some(mem)
            }
            LValue::Val(Val::SpecialValue(_) | Val::Void) => None,
        }
    }

    /// The same place, its pointer evaluated now.
    pub fn pin(&mut self, place: LValue) -> LValue {
        match place {
            LValue::Mem(mut mem) if !self.arena.is_stable(mem.pointer) => {
                mem.pointer = self.keep(mem.pointer, &mem.array);
                LValue::Mem(mem)
            }
            other => other,
        }
    }
}

/// Whether something consists of objects of a class that is known by name only.
fn is_opaque(ty: &Type) -> bool {
    match ty {
        Type::Opaque(_) => true,
        Type::Array(element, _) => is_opaque(element),
        _ => false,
    }
}

/// Why the size of a type is not known.
pub(super) fn unknown_size(ty: &Type) -> String {
    match ty {
        Type::Unknown(reason) => reason.to_string(),
        ty => format!("the size of `{ty}` is not known"),
    }
}

/// The element type of a pointer whose pointee has no size.
fn unsized_element(ty: &Type, reason: &str) -> Type {
    match ty {
        Type::Record(record) => match &record.problem {
            Some(problem) => Type::Unknown(problem.clone()),
            None => Type::unknown(reason),
        },
        Type::Array(element, _) => unsized_element(element, reason),
        Type::Unknown(reason) => Type::Unknown(reason.clone()),
        _ => Type::unknown(reason),
    }
}

/// The type in which a bit-field's bits are read and written: those of `bool` are no truth values.
fn unit_of_bits(mem: &Mem, scalar: Scalar) -> Scalar {
    if mem.bits.is_some() && scalar == Scalar::Bool {
        Scalar::U8
    } else {
        scalar
    }
}
