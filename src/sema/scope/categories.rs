//! Categories of types, as the standard's traits tell them apart: `std::is_class`, `std::is_scalar` and kin.
//!
//! Given types; gives what is certain of them, and nothing where a type is known by name only.

use super::overloads::derives;
use crate::ir::Scalar;
use crate::sema::types::{Twin, Type, null_type};

/// What a type is (C++ standard, [meta.unary.cat]).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Category {
    Number,
    Enumeration,
    Pointer,
    NullPointer,
    Class,
    Union,
    Array,
    Reference,
    Function,
    Void,
}

fn category(ty: &Type) -> Option<Category> {
    Some(match ty {
        Type::Qualified(of) => category(of)?,
        Type::Void => Category::Void,
        // A built-in number of 16 bits is a class for the language.
        Type::Scalar(_, Twin::Class(_)) | Type::Vector { .. } => Category::Class,
        Type::Scalar(_, twin) if twin.is_number() => Category::Number,
        Type::Scalar(_, twin) if twin.is_enumeration() => Category::Enumeration,
        Type::Scalar(..) => return None,
        Type::Pointer(_) => Category::Pointer,
        Type::Reference(_) => Category::Reference,
        Type::Array(of, _) if of.is_class => return None,
        Type::Array(..) => Category::Array,
        Type::Record(record) if record.record.is_union => Category::Union,
        Type::Record(_) => Category::Class,
        Type::Function => Category::Function,
        Type::Opaque(_) if *ty == null_type() => Category::NullPointer,
        Type::Opaque(_) if ty.is_lambda() => Category::Class,
        Type::Opaque(_) | Type::Unknown(_) => return None,
    })
}

/// `std::NAME<T>::value` for a trait that asks what `T` is.
pub(super) fn of_type(name: &str, ty: &Type) -> Option<bool> {
    use Category as C;
    let of = category(ty)?;
    let is_scalar = matches!(of, C::Number | C::Enumeration | C::Pointer | C::NullPointer);
    let is_fundamental = matches!(of, C::Number | C::Void | C::NullPointer);
    Some(match name {
        "is_class" => of == C::Class,
        "is_union" => of == C::Union,
        "is_scalar" => is_scalar,
        "is_object" => !matches!(of, C::Reference | C::Void | C::Function),
        "is_fundamental" => is_fundamental,
        "is_compound" => !is_fundamental,
        "is_function" => of == C::Function,
        "is_null_pointer" => of == C::NullPointer,
        "is_lvalue_reference" => matches!(ty, Type::Reference(to) if !to.is_rvalue),
        "is_rvalue_reference" => matches!(ty, Type::Reference(to) if to.is_rvalue),
        "is_bounded_array" => matches!(ty, Type::Array(_, Some(_))),
        "is_unbounded_array" => matches!(ty, Type::Array(_, None)),
        "is_polymorphic" => match ty {
            Type::Record(record) if record.problem.is_none() => record.is_polymorphic,
            Type::Record(_) => return None,
            _ => false,
        },
        "is_empty" => match ty {
            Type::Record(record) if record.problem.is_none() && of == C::Class => record.is_empty(),
            _ if of == C::Class => return None,
            _ => false,
        },
        // Of classes their text would have to be read.
        "is_final" | "is_aggregate" | "is_abstract" | "is_member_pointer"
            if is_scalar && of != C::Pointer =>
        {
            false
        }
        _ => return None,
    })
}

/// Whether a type is a number, an enumeration or a pointer: such a one is made, copied and forgotten as bytes.
pub(super) fn is_scalar(ty: &Type) -> Option<bool> {
    of_type("is_scalar", ty)
}

/// `std::is_convertible<From, To>::value`, of numbers, pointers and what is alike.
pub(super) fn converts(from: &Type, to: &Type) -> Option<bool> {
    use Category as C;
    let is_bool = matches!(to, Type::Scalar(Scalar::Bool, _));
    match (category(from)?, category(to)?) {
        (C::Number, C::Number) => Some(true),
        (C::Number, C::Pointer) => Some(false),
        (C::Pointer, C::Number) => Some(is_bool),
        (C::Number, C::Enumeration) | (C::Pointer, C::Enumeration) => Some(false),
        _ => None,
    }
}

/// `std::is_base_of<Base, Derived>::value`
pub(super) fn is_base_of(base: &Type, derived: &Type) -> Option<bool> {
    let is_class = |ty: &Type| category(ty).map(|of| of == Category::Class);
    match (base, derived) {
        (Type::Record(base), Type::Record(derived)) => {
            let is_base = derives(derived, base, 0);
            (is_base || derived.problem.is_none()).then_some(is_base)
        }
        _ if is_class(base)? && is_class(derived)? => None,
        _ => Some(false),
    }
}
