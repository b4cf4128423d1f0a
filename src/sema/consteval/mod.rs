//! Values that are known before anything runs.
//!
//! Given expressions and environments; gives values with C semantics at their own
//! width. What is undefined (division by zero, signed overflow, shifts past the
//! width), not constant, or takes too long is `None`. Does not know control flow of
//! host code beyond the bodies of functions that it calls.

mod arithmetic;
mod body;
mod braced_lists;
mod enumerations;
mod eval;
mod library;
mod members;
mod methods;
mod named;
mod objects;
mod offsetof;
mod operations;
mod pointee;
#[cfg(test)]
mod tests;

pub use arithmetic::{binary, unary};
pub(crate) use body::call;
pub use eval::{each_of_pack, eval, eval_in};
use eval::{has_designators, list_values};
pub use named::class_of_static;
pub(crate) use named::{initial_value, is_const_object};
pub(crate) use objects::{assign, cast, construct, copied, step};
pub use pointee::Pointee;

use super::scope::{Callee, Env};
use super::types::Type;
use crate::ir::Scalar;
use crate::ir::residue::Residue;
use crate::syntax::ast::{Lambda, Name, TemplateArgument};
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

/// A constant.
#[derive(Clone, Debug)]
pub enum Value {
    /// Sign- or zero-extended from the width of `ty`.
    Int {
        value: i64,
        ty: Scalar,
    },
    Float(f64, Scalar),
    /// A `dim3`, a built-in vector or a struct, field by field.
    Fields(Arc<Fields>),
    /// An array or a braced list.
    List(Arc<Vec<Option<Value>>>),
    /// A function or an overload set.
    Function(Arc<FunctionValue>),
    Lambda(Arc<LambdaValue>),
    Str(Arc<str>),
    /// A pointer into an allocation: bytes from its start, and what it points to.
    Pointer {
        offset: Residue,
        pointee: Pointee,
        /// Whether the text does not show the allocation: somebody else made the pointer, and it is
        /// taken to have been the start of one.
        is_assumed: bool,
    },
}

/// A lambda with what it saw where it was made.
#[derive(Clone, Debug)]
pub struct LambdaValue {
    pub lambda: Arc<Lambda>,
    pub env: Env,
    /// The variables around it, innermost last.
    pub slots: Vec<Slot>,
    /// The activation of the function that it stands in.
    pub frame: Frame,
}

impl LambdaValue {
    /// Whether the lambda has a copy of its own of this variable.
    #[must_use]
    pub fn has_copy_of(&self, slot: &Slot) -> bool {
        !slot.is_static && self.lambda.captures.is_reference(&slot.name) == Some(false)
    }

    /// Its own copies. Those of a mutable lambda are what earlier calls left in them: not known.
    pub fn own_copies(&self) -> impl Iterator<Item = Slot> {
        let own = self.slots.iter();
        own.filter(|s| !s.is_const && self.has_copy_of(s)).map(|s| {
            let mut copy = s.clone();
            if self.lambda.is_mutable {
                copy.value = None;
            }
            copy
        })
    }

    /// The name that a kernel's environment has for the lambda that its parameter is handed: no name of the text.
    #[must_use]
    pub fn key(parameter: &str) -> Name {
        Name::from(format!("the lambda {parameter}"))
    }

    /// The variables that a kernel is handed with the lambda, in order: its copies that its body names. `None`
    /// where it holds one by reference, or something that is not followed.
    #[must_use]
    pub fn handed(&self) -> Option<Vec<&Slot>> {
        let captures = &self.lambda.captures;
        let mut found: Vec<&Slot> = Vec::new();
        let mut listed = captures.listed.iter();
        if captures.default == Some(true) || listed.any(|c| c.is_new || &*c.name == "this") {
            return None;
        }
        let listed = captures.listed.iter().map(|c| &c.name);
        for name in listed.chain(&self.lambda.mentioned) {
            let slot = self.slots.iter().rev().find(|slot| slot.name == *name);
            let Some(slot) = slot.filter(|slot| !slot.is_constant()) else {
                // Of the body itself, or of a namespace.
                continue;
            };
            if found.iter().any(|known| known.name == slot.name) {
                continue;
            }
            let is_followed = match (slot.ty.strip_reference(), &slot.value) {
                (_, Some(Value::Lambda(inner))) => inner.handed().is_some(),
                (Type::Scalar(..) | Type::Pointer(_) | Type::Vector { .. }, _) => true,
                (Type::Record(_), _) => slot.ty.size().is_some(),
                _ => false,
            };
            if !is_followed || !self.has_copy_of(slot) {
                return None;
            }
            found.push(slot);
        }
        Some(found)
    }

    /// The same with those of the lambdas among them in their place: each with the lambda that holds it.
    #[must_use]
    pub fn handed_one_by_one(&self) -> Vec<(&Self, &Slot)> {
        let handed = self.handed().unwrap_or_default();
        let each = handed.into_iter().map(|slot| match &slot.value {
            Some(Value::Lambda(inner)) => inner.handed_one_by_one(),
            _ => vec![(self, slot)],
        });
        each.flatten().collect()
    }

    /// What the lambda knows of the variables around it wherever it is called: its copies.
    #[must_use]
    pub fn copies(&self) -> Vec<Slot> {
        let mut slots = self.slots.clone();
        for slot in slots.iter_mut().filter(|s| !s.is_const) {
            let is_reference = self.lambda.captures.is_reference(&slot.name) != Some(false);
            if slot.is_static || is_reference || self.lambda.is_mutable {
                slot.value = None;
            }
        }
        slots
    }
}

impl PartialEq for LambdaValue {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.lambda, &other.lambda)
            && self.frame == other.frame
            && self.slots.len() == other.slots.len()
            && self
                .slots
                .iter()
                .zip(&other.slots)
                .all(|(a, b)| a.value == b.value)
    }
}

/// One activation of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame(u64);

impl Default for Frame {
    /// Another one at each call.
    fn default() -> Self {
        thread_local!(static NEXT: Cell<u64> = const { Cell::new(0) });
        Self(NEXT.with(|next| next.replace(next.get() + 1)))
    }
}

#[derive(Clone, Debug)]
pub struct Fields {
    pub ty: Type,
    pub values: Vec<(Name, Option<Value>)>,
}

impl Fields {
    fn has_mutable(&self, name: &str) -> bool {
        let Type::Record(record) = &self.ty else {
            return false;
        };
        let mut fields = record.fields.iter();
        fields.any(|field| field.is_const == Some(false) && &*field.name == name)
    }
}

/// A function named as a value: `&f<float, 16>`.
#[derive(Clone, Debug)]
pub struct FunctionValue {
    /// As it was named.
    pub text: String,
    pub candidates: Vec<Callee>,
    /// Template arguments and the environment they are read in.
    pub explicit: Option<Arc<[TemplateArgument]>>,
    pub env: Env,
    /// Whether a using-declaration of a block gives it: functions of the arguments' namespaces take part in calls.
    pub is_declared: bool,
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int { value: a, ty: s }, Self::Int { value: b, ty: t }) => a == b && s == t,
            (Self::Float(a, s), Self::Float(b, t)) => a.to_bits() == b.to_bits() && s == t,
            (Self::Fields(a), Self::Fields(b)) => Arc::ptr_eq(a, b) || a.values == b.values,
            (Self::List(a), Self::List(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::Function(a), Self::Function(b)) => {
                Arc::ptr_eq(a, b) || (a.text == b.text && a.env.namespace == b.env.namespace)
            }
            (Self::Lambda(a), Self::Lambda(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::Str(a), Self::Str(b)) => a == b,
            (
                Self::Pointer {
                    offset: a,
                    pointee: s,
                    is_assumed: x,
                },
                Self::Pointer {
                    offset: b,
                    pointee: t,
                    is_assumed: y,
                },
            ) => a == b && s == t && x == y,
            _ => false,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int {
                value,
                ty: Scalar::Bool,
            } => write!(f, "{}", *value != 0),
            Self::Int {
                value,
                ty: Scalar::U64,
            } => write!(f, "{}", *value as u64),
            Self::Int { value, .. } => write!(f, "{value}"),
            Self::Float(v, _) => write!(f, "{v}"),
            Self::Fields(v) => write!(f, "{}", v.ty),
            Self::List(items) => write!(f, "{{{}}}", items.len()),
            Self::Function(v) => f.write_str(&v.text),
            Self::Lambda(_) => f.write_str("lambda"),
            Self::Str(s) => write!(f, "{s:?}"),
            Self::Pointer { .. } => f.write_str("pointer"),
        }
    }
}

impl Value {
    /// An integer of the given type, wrapped to its width.
    #[must_use]
    pub fn int(value: i64, ty: Scalar) -> Self {
        Self::Int {
            value: ty.wrap(value),
            ty,
        }
    }

    #[must_use]
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int { value, .. } => Some(*value),
            _ => None,
        }
    }

    /// The value of a number as C's `if` reads it.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Int { value, .. } => Some(*value != 0),
            Self::Float(v, _) => Some(*v != 0.0),
            _ => None,
        }
    }

    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Int {
                value,
                ty: Scalar::U64,
            } => Some(*value as u64 as f64),
            Self::Int { value, .. } => Some(*value as f64),
            Self::Float(v, _) => Some(*v),
            _ => None,
        }
    }

    /// A member that is known; one that is `mutable` is written even where the object is a constant.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Value> {
        match self {
            Self::Fields(f) if f.has_mutable(name) => None,
            Self::Fields(f) => f.values.iter().find(|(n, _)| &**n == name)?.1.as_ref(),
            _ => None,
        }
    }

    /// The type of a value, where it has a simple one.
    #[must_use]
    pub fn ty(&self) -> Option<Type> {
        match self {
            Self::Int { ty, .. } | Self::Float(_, ty) => Some(Type::number(*ty)),
            Self::Fields(f) => Some(f.ty.clone()),
            Self::Function(_) => Some(Type::Function),
            Self::Str(_) => Some(Type::number(Scalar::I8).pointer_to()),
            Self::List(_) | Self::Lambda(_) | Self::Pointer { .. } => None,
        }
    }

    /// Conversion of a number to another scalar type.
    #[must_use]
    pub fn convert(&self, to: Scalar) -> Option<Value> {
        arithmetic::convert(self, to)
    }
}

/// A local variable: its value where that is known.
#[derive(Clone, Debug)]
pub struct Slot {
    pub name: Name,
    pub value: Option<Value>,
    pub ty: Type,
    pub is_const: bool,
    /// Its value is the same in every call of its function.
    pub is_fixed: bool,
    /// Its unknown value is none of those that the function compares it with.
    pub is_other: bool,
    /// It outlives its block: a variable of a namespace. Lambdas take no copy of it.
    pub is_static: bool,
    /// Somebody else may write it at any time: its value is never known.
    pub is_escaped: bool,
    /// The text may move the pointer that it holds: once forgotten, it points anywhere.
    pub is_moving: bool,
    /// The functions among which its unknown value is.
    pub may_hold: Option<Arc<[Arc<FunctionValue>]>>,
}

impl Slot {
    /// Whether it is one number in every call of its function, and so no copy in a lambda.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        let is_number = matches!(self.value, Some(Value::Int { .. } | Value::Float(..)));
        self.is_const && self.is_fixed && is_number
    }
}

/// Local variables, innermost last.
#[derive(Clone, Debug, Default)]
pub struct Locals {
    pub slots: Vec<Slot>,
    /// Whether evaluation may assign them; otherwise an assignment only gives its value.
    pub is_mutable: bool,
    pub frame: Frame,
}

impl Locals {
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Slot> {
        self.slots.iter().rev().find(|s| &*s.name == name)
    }

    /// The number of the innermost variable of a name.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        self.slots.iter().rposition(|slot| &*slot.name == name)
    }

    pub fn get_mut(&mut self, name: &str) -> Option<&mut Slot> {
        self.slots.iter_mut().rev().find(|s| &*s.name == name)
    }

    pub fn push(&mut self, name: Name, ty: Type, value: Option<Value>) {
        self.slots.push(Slot {
            name,
            value,
            ty,
            is_const: false,
            is_fixed: false,
            is_other: false,
            is_static: false,
            is_escaped: false,
            is_moving: true,
            may_hold: None,
        });
    }
}

/// The type of an integer literal.
#[must_use]
pub fn literal_type(value: u64, is_unsigned: bool, is_long: bool) -> Scalar {
    match (
        is_unsigned,
        is_long || value > u64::from(u32::MAX) || (!is_unsigned && value > i32::MAX as u64),
    ) {
        (false, false) => Scalar::I32,
        (true, false) => Scalar::U32,
        (false, true) => Scalar::I64,
        (true, true) => Scalar::U64,
    }
}
