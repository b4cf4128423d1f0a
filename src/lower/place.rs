//! Lvalues: what an expression names, how it is read, written and pointed to.
//!
//! Given expressions, gives [`LValue`]s; emits the loads and stores that reading
//! and writing them takes. Calls and operators are other parts' business.

use super::context::{Binding, Lower};
use super::expr::may_change;
use super::groups::SpecialValue;
use super::values::{LValue, Mem, Val, const_of, qualifiers, scalar_val};
use crate::ir::{Axis, BuiltinValue, ExprId, Scalar};
use crate::sema::scope;
use crate::sema::types::{Target, Type};
use crate::syntax::ast::{self, ExprKind, UnaryOp};
use std::rc::Rc;

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

pub(super) fn last_name(path: &ast::Path) -> &str {
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

pub(super) fn builtin_value(name: &str, axis: Axis) -> Option<BuiltinValue> {
    match name {
        "threadIdx" => Some(BuiltinValue::ThreadIdx(axis)),
        "blockIdx" => Some(BuiltinValue::BlockIdx(axis)),
        "blockDim" => Some(BuiltinValue::BlockDim(axis)),
        "gridDim" => Some(BuiltinValue::GridDim(axis)),
        _ => None,
    }
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
                let base = self.operand_place(inner, false);
                self.deref(base, e)
            }
            ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PreDecrement, _)
            | ExprKind::Assign(..) => self.assignment(e, false),
            ExprKind::Unary(op @ (UnaryOp::PostIncrement | UnaryOp::PostDecrement), inner) => {
                self.increment(*op, inner, e, true)
            }
            ExprKind::Unary(
                op @ (UnaryOp::Not | UnaryOp::Plus | UnaryOp::Neg | UnaryOp::BitNot),
                inner,
            ) => self.unary(*op, inner, e),
            ExprKind::Index(base, indices) => self.index(base, indices, e),
            ExprKind::Member {
                object,
                arrow,
                member,
            } => self.member(object, *arrow, member, e),
            ExprKind::Call { callee, arguments } => self.call(callee, arguments, e),
            ExprKind::Binary(op @ ast::BinaryOp::Comma, left, right) => {
                if let Some(result) = self.operator_in_order(*op, left, right, e) {
                    return result;
                }
                self.effect(left);
                self.place(right)
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, e),
            ExprKind::Fold {
                op: ast::BinaryOp::Comma,
                pack,
                init,
                is_left,
            } => self.comma_fold(pack, init.as_deref(), *is_left, e),
            ExprKind::Fold {
                op,
                pack,
                init,
                is_left,
            } => self.fold(*op, pack, init.as_deref(), *is_left, e),
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
                self.chosen_place(condition, then, otherwise, e)
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
            LValue::Val(value @ Val::Scalar { .. }) if !is_reinterpret => {
                LValue::Val(self.convert(value, &target, e.range))
            }
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
                && let Some(field) = self.unit.names.own_field(record, &name)
            {
                let record = record.clone();
                return self.member_at(this, &record, &field, &name);
            }
        }
        if let Some(constant) = self.constant(e) {
            return LValue::Val(self.of_enumeration(constant, e));
        }
        if let Some(place) = self.member_by_class(path, e) {
            return place;
        }
        self.global_place(path, &name)
    }

    /// `C::n` in a method of `C`, or of a class derived from it: a member of `*this`.
    fn member_by_class(&mut self, path: &ast::Path, e: &ast::Expr) -> Option<LValue> {
        let names = &self.unit.names;
        let this = self.frame.this.as_ref()?;
        let (Type::Record(own), [_, _, ..]) = (&this.ty, &path.segments[..]) else {
            return None;
        };
        let class = names.class_in_front(&self.frame.env, path)?;
        if !scope::derives(own, &class, 0) || !self.is_field_by_class(path) {
            return None;
        }
        let member = ast::Expr {
            kind: ExprKind::Member {
                object: Box::new(ast::Expr {
                    kind: ExprKind::This,
                    range: e.range,
                }),
                arrow: true,
                member: path.clone(),
            },
            range: e.range,
        };
        Some(self.place(&member))
    }

    /// Whether a path leads to a field by the name of its class.
    pub(super) fn is_field_by_class(&self, path: &ast::Path) -> bool {
        let names = &self.unit.names;
        let class = match &path.segments[..] {
            [_, _, ..] => names.class_in_front(&self.frame.env, path),
            _ => None,
        };
        class.is_some_and(|class| scope::field(names, &class, last_name(path)).is_some())
    }

    /// Whether a template parameter or a member has the name that is a built-in variable elsewhere.
    pub(super) fn is_hidden(&self, name: &str) -> bool {
        let is_field = || {
            let this = self.frame.this.as_ref();
            this.is_some_and(|this| match &this.ty {
                Type::Record(record) => self.unit.names.own_field(record, name).is_some(),
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

    fn index(&mut self, base: &ast::Expr, indices: &[ast::Expr], e: &ast::Expr) -> LValue {
        let place = self.place(base);
        let Some(first) = indices.first() else {
            return place;
        };
        let ty = place.ty();
        if matches!(ty.strip_reference(), Type::Record(_)) {
            let index = self.operand_place(first, true);
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
        let packed = place.packed_elements();
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
        let index = self.object_or_value(first);
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
        place.set_packed(packed);
        place
    }

    /// A pointer to an array's first element.
    pub(super) fn first_of(&self, mem: &Mem) -> Val {
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
                        let is_kept = matches!(ty, Type::Array(..) | Type::Record(_));
                        let ty = if ty.is_unknown() || is_opaque(&ty) || is_kept {
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
                    packed: None,
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
                    packed: None,
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
            packed: None,
            is_temporary: Some(false),
        })
    }

    fn deref(&mut self, base: LValue, e: &ast::Expr) -> LValue {
        if matches!(base.ty().strip_reference(), Type::Record(_)) {
            if let Some(result) = self.operator_call("*", &[(base.clone(), e.range)], e.range) {
                return result;
            }
            if let Some(pointer) = self.convert_to_pointer(base.clone(), e.range) {
                return self.deref_named(pointer, place_name(e));
            }
        }
        let pointer = self.read(base, e.range);
        self.deref_named(pointer, place_name(e))
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
                packed: None,
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
                    packed: None,
                    is_temporary: Some(false),
                })
            }
            Val::SpecialValue(special) if !matches!(special, SpecialValue::Opaque(_)) => {
                LValue::Val(Val::SpecialValue(special))
            }
            other => {
                let reason = match &other {
                    Val::SpecialValue(_) => {
                        format!("what an object of `{}` leads to is not known", other.ty())
                    }
                    _ => format!("`{}` is no pointer", other.ty()),
                };
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
                    packed: None,
                    is_temporary: Some(false),
                })
            }
        }
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
                let fixed = self.fixed_value(mem.pointer);
                if self.arena.is_fixed(fixed) {
                    mem.pointer = fixed;
                    return LValue::Mem(mem);
                }
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
