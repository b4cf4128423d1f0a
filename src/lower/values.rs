//! Values and places while a function is lowered, with their types.

use super::groups::{SpecialValue, class_name};
use crate::ir::{ExprId, Path, Scalar, VarId};
use crate::sema::types::{Qualifiers, Target, Type};
use std::rc::Rc;

/// What an expression gives when its value is asked for.
#[derive(Clone)]
pub(super) enum Val {
    Void,
    /// A number or a pointer. `volatile`: it points to volatile memory.
    Scalar {
        id: ExprId,
        ty: Type,
        volatile: bool,
    },
    /// An aggregate that stands in a local object.
    Object(Mem),
    SpecialValue(SpecialValue),
}

/// Memory that an expression names.
#[derive(Clone)]
pub(super) struct Mem {
    pub pointer: ExprId,
    pub ty: Type,
    /// What the user calls the array.
    pub array: Rc<str>,
    pub volatile: bool,
    /// Whether it may not be written by this name; `None` where that is not known.
    pub is_const: Option<bool>,
    /// First bit and width of a bit-field within the unit at `pointer`.
    pub bits: Option<(u32, u32)>,
    /// Bytes that the classes around it leave it aligned to; `None` where it stands as its type wants it.
    pub packed: Option<u32>,
    /// Whether it expires where the expression ends, as what `std::move` gives; `None` where that is not
    /// known.
    pub is_temporary: Option<bool>,
}

/// What an expression names.
#[derive(Clone)]
pub(super) enum LValue {
    /// A scalar variable; `key` is the declaration's start, by which it can be made an object.
    Var {
        variable: VarId,
        ty: Type,
        volatile: bool,
        /// Whether it may not be written by this name; `None` where that is not known.
        is_const: Option<bool>,
        key: Option<u32>,
    },
    Mem(Mem),
    Val(Val),
}

impl Mem {
    pub fn path(&self) -> Path {
        if self.volatile {
            Path::Volatile
        } else {
            Path::Plain
        }
    }

    /// Its type, with `const` as far as that is known.
    pub fn whole_type(&self) -> Type {
        self.ty.clone().with(qualifiers(self.is_const))
    }

    /// What lies at `pointer`, of the type that something else points to.
    pub fn at_target(&self, pointer: ExprId, to: &Target) -> Mem {
        Mem {
            is_const: const_of(to),
            is_temporary: Some(false),
            packed: None,
            ..self.part(pointer, (**to).clone())
        }
    }

    /// The part at `pointer`, of another type.
    pub fn part(&self, pointer: ExprId, ty: Type) -> Mem {
        Mem {
            pointer,
            ty,
            array: self.array.clone(),
            volatile: self.volatile,
            is_const: self.is_const,
            bits: None,
            packed: self.packed,
            is_temporary: self.is_temporary,
        }
    }
}

impl LValue {
    /// Its type, with `const` as far as that is known. A number may stand for a constant.
    pub fn whole_type(&self) -> Type {
        match self {
            LValue::Mem(mem) => mem.whole_type(),
            LValue::Var { ty, is_const, .. } => ty.clone().with(qualifiers(*is_const)),
            LValue::Val(Val::Object(mem)) => mem.ty.clone(),
            LValue::Val(value) => value.ty().with(Qualifiers::OPEN),
        }
    }

    /// Its type as an argument: a reference where it is an object of its own, `&&` where that expires, a
    /// plain one where it is a temporary.
    pub fn argument_type(&self) -> Type {
        let ty = self.whole_type();
        let is_temporary = match self {
            _ if ty.is_unknown() => return ty,
            LValue::Val(_) => return ty,
            LValue::Var { .. } => Some(false),
            LValue::Mem(mem) => mem.is_temporary,
        };
        match (self.ty(), is_temporary) {
            (_, None) => ty.with(Qualifiers::OPEN),
            (Type::Reference(to), Some(_)) => Type::Reference(to),
            (_, Some(is_temporary)) => Type::Reference(Target::new(ty).referred(is_temporary)),
        }
    }

    /// An object that has a name, or none, or of which that is not known.
    pub fn operand(value: Val, is_temporary: Option<bool>) -> Self {
        match value {
            Val::Object(mem) if is_temporary != Some(true) => LValue::Mem(Mem {
                is_temporary,
                ..mem
            }),
            value => LValue::Val(value),
        }
    }

    pub fn is_const(&self) -> Option<bool> {
        match self {
            LValue::Mem(mem) | LValue::Val(Val::Object(mem)) => mem.is_const,
            LValue::Var { is_const, .. } => *is_const,
            LValue::Val(_) => None,
        }
    }

    /// The same by a name that may, or may not, be written.
    pub fn named(mut self, constness: Option<bool>) -> Self {
        match &mut self {
            LValue::Mem(Mem { is_const, .. }) | LValue::Var { is_const, .. } => {
                *is_const = constness;
            }
            LValue::Val(Val::Object(mem)) => mem.is_const = constness,
            LValue::Val(_) => {}
        }
        self
    }

    /// The same by a name that may not be written, where `is_const`.
    pub fn const_if(self, is_const: bool) -> Self {
        if is_const {
            self.named(Some(true))
        } else {
            self
        }
    }

    pub fn ty(&self) -> Type {
        match self {
            LValue::Var { ty, .. } => ty.clone(),
            LValue::Mem(mem) => mem.ty.clone(),
            LValue::Val(val) => val.ty(),
        }
    }
}

impl Val {
    /// Whether it is a lambda or a function.
    pub fn is_callable(&self) -> bool {
        matches!(
            self,
            Val::SpecialValue(SpecialValue::Closure(_) | SpecialValue::Function(..))
        )
    }

    /// Whether it is a lambda with a default or a list in its brackets.
    pub fn captures(&self) -> bool {
        matches!(self, Val::SpecialValue(SpecialValue::Closure(closure)) if {
            let captures = &closure.lambda.captures;
            captures.default.is_some() || !captures.listed.is_empty()
        })
    }

    /// Whether it is a lambda or a function, and an object of `to` is not: a class that is made of one does
    /// with it what it likes, and of one that is not known nobody knows.
    pub fn is_taken_by(&self, to: &Type) -> bool {
        self.is_callable()
            && match to.strip_reference() {
                Type::Record(_) | Type::Vector { .. } | Type::Unknown(_) => true,
                ty if ty.is_lambda() => false,
                Type::Opaque(name) => class_name(name) != "function",
                _ => false,
            }
    }

    pub fn ty(&self) -> Type {
        match self {
            Val::Void => Type::Void,
            Val::Scalar { ty, .. } => ty.clone(),
            Val::Object(mem) => mem.ty.clone(),
            Val::SpecialValue(special) => special.ty(),
        }
    }
}

pub(super) fn qualifiers(is_const: Option<bool>) -> Qualifiers {
    match is_const {
        Some(true) => Qualifiers::CONST,
        Some(false) => Qualifiers::NONE,
        None => Qualifiers::OPEN,
    }
}

/// Whether what a type points or refers to is `const`.
pub(super) fn const_of(to: &Target) -> Option<bool> {
    let Qualifiers {
        is_const, is_open, ..
    } = to.qualifiers;
    (is_const || !is_open).then_some(is_const)
}

pub(super) fn int_type() -> Type {
    Type::number(Scalar::I32)
}

pub(super) fn scalar_val(id: ExprId, ty: Scalar) -> Val {
    Val::Scalar {
        id,
        ty: Type::number(ty),
        volatile: false,
    }
}
