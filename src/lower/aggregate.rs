//! Objects: braced lists and zero fills of arrays, classes and vectors; constructors are the business of `construct`.
//!
//! Given types and initialisers, gives values in local objects. Moving bytes is `place`'s business.

use super::call::ArgumentLValue;
use super::context::Lower;
use super::groups::SpecialValue;
use super::packs::has_packs;
use super::values::{LValue, Mem, Val, scalar_val};
use crate::ir::{ExprId, OpaqueOp, Scalar, Value};
use crate::sema::scope;
use crate::sema::types::Type;
use crate::syntax::ast::{self, ExprKind};
use std::sync::Arc;

/// Elements of an array that are set to zero one by one; more are set in a loop.
const MOST_SEPARATE: u64 = 256;
/// Most scalars that one initialiser writes; larger objects hold unknown values.
pub(super) const MAX_ELEMENTS: usize = 4096;

impl Lower<'_> {
    pub fn resolve(&mut self, ty: &ast::TypeExpr) -> Type {
        if let ast::TypeKind::Builtin(builtin) = &ty.kind {
            return crate::sema::types::builtin(*builtin);
        }
        match scope::resolve_type(&self.unit.names, &self.frame.env, ty) {
            Type::Record(record) => Type::Record(scope::complete(&self.unit.names, &record)),
            Type::Opaque(name) if super::groups::is_undeclared(&name) => {
                Type::Unknown(undeclared(&name))
            }
            other => other,
        }
    }

    /// An object of a vector type with these lanes.
    pub fn vector_of(&mut self, ty: &Type, lanes: &[ExprId]) -> Val {
        let object = self.local("", ty, None);
        self.set_lanes(&object, lanes, ast::Range::default());
        Val::Object(object)
    }

    pub fn set_lanes(&mut self, object: &Mem, lanes: &[ExprId], range: ast::Range) {
        let Type::Vector {
            scalar,
            lanes: count,
            ..
        } = object.ty
        else {
            return;
        };
        for (at, value) in lanes.iter().enumerate().take(usize::from(count)) {
            let value = self.arena.cast(*value, scalar);
            let pointer = self
                .arena
                .offset_const(object.pointer, at as u64 * u64::from(scalar.size()));
            let path = object.path();
            self.emit_store(object, pointer, Value::Scalar(value), scalar, path, range);
        }
    }

    /// The value of an initialiser for something of type `ty`.
    pub fn initialised(&mut self, ty: &Type, e: &ast::Expr) -> Val {
        let ExprKind::List(items) = &e.kind else {
            let place = self.given_place(e, ty);
            return self.convert_place(place, ty, e.range);
        };
        match ty.strip_reference() {
            Type::Scalar(..) | Type::Pointer(_) if has_packs(items) => {
                let places = self.expanded_items(items).unwrap_or_default();
                match <[_; 1]>::try_from(places) {
                    Ok([(place, at)]) => {
                        let value = self.read(place, at);
                        self.convert(value, ty, e.range)
                    }
                    Err(_) => self.unknown_val("a list with a pack for a number", ty.clone()),
                }
            }
            Type::Scalar(..) | Type::Pointer(_) => match items.first() {
                Some((_, first)) => {
                    let value = self.value(first);
                    self.convert(value, ty, e.range)
                }
                None => self.zero(ty),
            },
            Type::Vector { .. } | Type::Record(_) | Type::Array(..) => {
                let object = self.local("", ty.strip_reference(), None);
                self.initialise(&object, e);
                Val::Object(object)
            }
            Type::Opaque(_) => Val::SpecialValue(SpecialValue::Opaque(ty.clone())),
            ty => {
                for (_, item) in items {
                    self.value(item);
                }
                self.unknown_val("a value of an unknown type", ty.clone())
            }
        }
    }

    /// A list that waits for its type: elements are evaluated where it stands.
    pub fn braced(&mut self, items: &[(Option<ast::Name>, ast::Expr)], range: ast::Range) -> Val {
        let is_named = items.iter().any(|(name, _)| name.is_some());
        let mut out: Vec<ArgumentLValue> = Vec::with_capacity(items.len());
        if has_packs(items) {
            return match self.expanded_items(items).filter(|_| !is_named) {
                Some(places) => Val::SpecialValue(SpecialValue::List(places.into())),
                None => {
                    let reason = "a braced list with a pack that is not known";
                    self.unknown_val(reason, Type::unknown(reason))
                }
            };
        }
        for (_, item) in items {
            let place = self.given(item);
            let place = match place.ty().strip_reference() {
                Type::Scalar(_, _) | Type::Pointer(_) => LValue::Val(self.read(place, item.range)),
                _ => place,
            };
            out.push((place, item.range));
        }
        if is_named {
            let reason = "a braced list with names where no type is known";
            self.gap(range, reason, Vec::new(), Vec::new());
            return self.unknown_val(reason, Type::unknown(reason));
        }
        Val::SpecialValue(SpecialValue::List(out.into()))
    }

    /// A list whose type is known by now.
    pub(super) fn list_as(
        &mut self,
        items: &[ArgumentLValue],
        to: &Type,
        range: ast::Range,
    ) -> Val {
        match (to, items) {
            (
                Type::Vector {
                    scalar,
                    lanes,
                    name,
                },
                [(place, at)],
            ) if *name != "dim3"
                && !matches!(place.ty().strip_reference(), Type::Vector { .. }) =>
            {
                let object = self.local("", to, None);
                let value = self.read(place.clone(), *at);
                let zero = self.arena.int(0, Scalar::I32);
                let mut values = vec![self.arena.cast(zero, *scalar); usize::from(*lanes)];
                if let Some(first) = values.first_mut() {
                    *first = self.scalar_of(value, *scalar, *at);
                }
                self.set_lanes(&object, &values, range);
                Val::Object(object)
            }
            (Type::Array(_, Some(_)), _) => {
                let object = self.local("", to, None);
                self.zero_fill(&object, range);
                self.fill_evaluated(&object, items, range);
                Val::Object(object)
            }
            _ => self.construct_listed(to, items, range),
        }
    }

    pub(super) fn zero(&mut self, ty: &Type) -> Val {
        let scalar = ty.scalar().unwrap_or(Scalar::I32);
        let zero = self.arena.int(0, Scalar::I32);
        let id = self.arena.cast(zero, scalar);
        Val::Scalar {
            id,
            ty: ty.clone(),
            volatile: false,
        }
    }

    /// Initialises `object` from one initialiser.
    pub fn initialise(&mut self, object: &Mem, e: &ast::Expr) {
        if !self.enter() {
            return;
        }
        match &e.kind {
            ExprKind::List(items) => self.initialise_list(object, items, e),
            ExprKind::Str(_) if matches!(object.ty, Type::Array(..)) => {
                self.lose_object(object, "a string", e.range);
            }
            ExprKind::Construct { ty, arguments } if self.resolve(ty) == object.ty => {
                let arguments = self.arguments_of_class(&object.ty, arguments);
                self.construct_into(object, &arguments, e.range);
            }
            _ => {
                let ty = object.ty.clone();
                let is_element = matches!(
                    e.kind,
                    ExprKind::Index(..)
                        | ExprKind::Member { .. }
                        | ExprKind::Unary(ast::UnaryOp::Deref, _)
                );
                let place = if is_element {
                    self.place(e)
                } else {
                    self.given_place(e, &ty)
                };
                self.initialise_by(object, place, is_element, e);
            }
        }
        self.leave();
    }

    /// Initialises `object` from what stands at `place`; `is_element`: a part of something larger, which is
    /// copied where it stands.
    fn initialise_by(&mut self, object: &Mem, place: LValue, is_element: bool, e: &ast::Expr) {
        if let LValue::Mem(from) = &place
            && from.ty == object.ty
        {
            let is_own = matches!(&from.ty, Type::Record(class)
                if self.has_copy_constructor(class));
            if is_own {
                self.construct_into(object, &[(place.clone(), e.range)], e.range);
                return;
            }
            if is_element && matches!(from.ty, Type::Record(_) | Type::Vector { .. }) {
                self.copy(object, &from.clone(), e.range);
                return;
            }
        }
        let value = self.convert_place(place, &object.ty.clone(), e.range);
        self.write(&LValue::Mem(object.clone()), value, e.range);
    }

    pub fn initialise_field(&mut self, part: &Mem, item: &ast::Expr) {
        if matches!(part.ty, Type::Reference(_)) {
            let place = self.place(item);
            if let Some(mem) = self.memory_of(place, item.range) {
                let value = Val::Scalar {
                    id: mem.pointer,
                    ty: mem.ty.pointer_to(),
                    volatile: false,
                };
                self.write(&LValue::Mem(part.clone()), value, item.range);
            }
        } else {
            self.initialise(part, item);
        }
    }

    /// Nothing is known of what an object is set to; where that is memory, it is stored to.
    pub(super) fn lose_object(&mut self, object: &Mem, reason: &str, range: ast::Range) {
        self.make_unknown(Vec::new(), vec![object.pointer], reason, range);
        if !self.is_local(object) {
            self.opaque_access(object, OpaqueOp::Store, reason, range);
        }
    }

    pub fn zero_fill(&mut self, object: &Mem, range: ast::Range) {
        if matches!(object.ty, Type::Vector { name: "dim3", .. }) {
            // It has a constructor.
            self.construct_into(object, &[], range);
            return;
        }
        if object.bits.is_some() {
            // Its neighbours in the same bytes stay what they are.
            let zero = scalar_val(self.arena.int(0, Scalar::I32), Scalar::I32);
            self.write(&LValue::Mem(object.clone()), zero, range);
            return;
        }
        if let Some((scalar, count)) = scalars(&object.ty)
            && count > MOST_SEPARATE
        {
            let zero = self.arena.int(0, Scalar::I32);
            let value = self.arena.cast(zero, scalar);
            let (size, path) = (u64::from(scalar.size()), object.path());
            self.counted_loop(count, range, &mut |this, at| {
                let pointer = this.arena.element(object.pointer, at, size, false);
                this.emit_store(object, pointer, Value::Scalar(value), scalar, path, range);
            });
            return;
        }
        let leaves = object.ty.leaves();
        if leaves.is_empty() || leaves.len() > MAX_ELEMENTS {
            let reason = "a large object set to zero";
            self.lose_object(object, reason, range);
            return;
        }
        let zero = self.arena.int(0, Scalar::I32);
        for (offset, scalar, _) in leaves {
            let value = self.arena.cast(zero, scalar);
            let pointer = self.arena.offset_const(object.pointer, offset);
            self.emit_store(
                object,
                pointer,
                Value::Scalar(value),
                scalar,
                object.path(),
                range,
            );
        }
    }

    pub fn initialise_from(&mut self, part: &Mem, init: &ast::Initialiser, range: ast::Range) {
        match init {
            ast::Initialiser::Equals(e) | ast::Initialiser::Brace(e) => {
                self.initialise_field(part, e)
            }
            ast::Initialiser::Paren(arguments) => {
                if let (Type::Reference(_), [one]) = (&part.ty, arguments.as_slice()) {
                    self.initialise_field(part, one);
                    return;
                }
                let places = self.arguments_of_class(&part.ty, arguments);
                self.construct_into(part, &places, range);
            }
        }
    }
}

/// Why nothing is known of a type that no file declares.
pub(super) fn undeclared(name: &str) -> Arc<str> {
    Arc::from(format!(
        "the type `{name}` is not declared in the files given"
    ))
}

/// Type and number of the scalars of an array, of any number of dimensions.
fn scalars(ty: &Type) -> Option<(Scalar, u64)> {
    match ty {
        Type::Array(element, count) => {
            let (scalar, inner) = scalars(element)?;
            Some((scalar, inner.checked_mul((*count)?)?))
        }
        Type::Scalar(scalar, _) => Some((*scalar, 1)),
        _ => None,
    }
}
