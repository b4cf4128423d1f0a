//! Whether what a template names is there once its arguments are put in: where it certainly is not, the template
//! takes no part (the standard's substitution failure).
//!
//! Given an expression or a path; answers yes, no, or that it is not known. It never guesses.

use super::arguments::resolve_arguments;
use super::type_of::type_of;
use super::{Binding, Env, Guard, Names, Prefix, complete, resolve_type};
use crate::ir::Scalar;
use crate::sema::types::{RecordType, Twin, Type};
use crate::syntax::ast::{self, BinaryOp, Expr, ExprKind, Path, TypeExpr, TypeKind};
use std::sync::Arc;

/// Bases that lie deeper are taken to be unknown.
const DEEPEST: u32 = 16;

/// Whether an expression has a meaning in `env`; `None` where that is not known.
pub(super) fn is_formed(names: &Names<'_>, env: &Env, e: &Expr) -> Option<bool> {
    let _guard = Guard::enter()?;
    let of = |e: &Expr| is_formed(names, env, e);
    match &e.kind {
        ExprKind::Int { .. }
        | ExprKind::Float { .. }
        | ExprKind::Bool(_)
        | ExprKind::Char(..)
        | ExprKind::Null => Some(true),
        ExprKind::Path(path) => value_is_there(names, env, path),
        ExprKind::Cast {
            ty,
            value,
            is_reinterpret,
        } => both(of(value), || {
            let to = resolve_type(names, env, ty);
            let is_told = !is_reinterpret && is_converted(&to, &type_of(names, env, value));
            is_told.then_some(true)
        }),
        // `void()`, `typename T::Arguments()`
        ExprKind::Construct { ty, .. } if names_nothing(names, env, ty) => Some(false),
        ExprKind::Construct { ty, arguments } if arguments.is_empty() => {
            let made = resolve_type(names, env, ty);
            matches!(made, Type::Void | Type::Scalar(..)).then_some(true)
        }
        ExprKind::Binary(BinaryOp::Comma, a, b) => both(of(a), || of(b)),
        ExprKind::Binary(_, a, b) => both(both(of(a), || of(b)), || {
            let is_integer = |e: &Expr| {
                let ty = type_of(names, env, e);
                is_number(&ty)
                    && !ty.is_enumeration()
                    && ty.scalar().is_some_and(Scalar::is_integer)
            };
            (is_integer(a) && is_integer(b)).then_some(true)
        }),
        ExprKind::Member { object, member, .. } => both(of(object), || {
            let [only] = &member.segments[..] else {
                return None;
            };
            match type_of(names, env, object) {
                Type::Record(class) => has_value(names, &class, &only.name, 0),
                Type::Pointer(to) => match &*to {
                    Type::Record(class) => has_value(names, class, &only.name, 0),
                    _ => None,
                },
                ty => (is_number(&ty) && !ty.is_enumeration()).then_some(false),
            }
        }),
        ExprKind::Call { callee, arguments } => {
            if is_declval(names, env, callee) {
                return Some(true);
            }
            let is_bad =
                of(callee) == Some(false) || arguments.iter().any(|a| of(a) == Some(false));
            // Whether the arguments fit is overload resolution's business.
            is_bad.then_some(false)
        }
        _ => None,
    }
}

/// Whether a path names a value: a variable, a function or a value of an enumeration.
pub(super) fn value_is_there(names: &Names<'_>, env: &Env, path: &Path) -> Option<bool> {
    let (last, rest) = path.segments.split_last()?;
    let Some(first) = rest.first() else {
        let bound = env.named(path);
        let is_value = matches!(bound, Some(Binding::Value(..) | Binding::Variable(_)));
        return is_value.then_some(true);
    };
    if let (Some(Binding::Type(ty)), [_]) = (env.get(&first.name), rest)
        && has_no_members(ty)
    {
        return Some(false);
    }
    match names.prefix(env, path) {
        Some(Prefix::Record(class)) => has_value(names, &class, &last.name, 0),
        _ => is_class_there(names, env, path),
    }
}

/// No where what stands in front of the last `::` of a path is certainly no class: `D::Config::DEPTH` of a class
/// without a `Config`.
fn is_class_there(names: &Names<'_>, env: &Env, path: &Path) -> Option<bool> {
    let (_, rest) = path.segments.split_last()?;
    if rest.len() < 2 {
        return None;
    }
    let class = Path {
        segments: rest.to_vec(),
        ..path.clone()
    };
    let is_member = matches!(names.prefix(env, &class), Some(Prefix::Record(_)));
    let is_none = type_is_there(names, env, &class) == Some(false)
        || is_member && has_no_members(&resolve_type(names, env, &TypeExpr::named(class)));
    is_none.then_some(false)
}

/// No where a path of several names certainly leads to no type, nor to anything else.
pub(super) fn type_is_there(names: &Names<'_>, env: &Env, path: &Path) -> Option<bool> {
    let _guard = Guard::enter()?;
    let (last, rest) = path.segments.split_last()?;
    let first = rest.first()?;
    if let (Some(Binding::Type(ty)), [_]) = (env.get(&first.name), rest)
        && has_no_members(ty)
    {
        return Some(false);
    }
    match names.prefix(env, path) {
        Some(Prefix::Record(class)) => lacks(names, &class, &last.name, 0).then_some(false),
        _ => is_class_there(names, env, path),
    }
}

/// Whether a type, or one among its template arguments, is the path of something that is certainly not there:
/// `void_t<typename T::Kind>`.
pub(super) fn names_nothing(names: &Names<'_>, env: &Env, ty: &TypeExpr) -> bool {
    match &ty.kind {
        TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } | TypeKind::Array(to, _) => {
            names_nothing(names, env, to)
        }
        TypeKind::Named(path) => {
            let mut arguments = path.template_arguments();
            type_is_there(names, env, path) == Some(false)
                || arguments.any(|argument| match argument {
                    ast::TemplateArgument::Type(ty) => names_nothing(names, env, ty),
                    ast::TemplateArgument::Expr(e) => is_formed(names, env, e) == Some(false),
                })
        }
        _ => false,
    }
}

/// Whether `std::enable_if` among the names of a path says no: its condition is known, and does not hold.
pub(super) fn is_switched_off(names: &Names<'_>, env: &Env, path: &Path) -> bool {
    let is_standard = path.segments.first().is_some_and(|s| &*s.name == "std");
    let mut all = path.segments.iter().filter(|_| is_standard);
    all.any(|segment| {
        let Some([condition, ..]) = segment.arguments.as_deref() else {
            return false;
        };
        let condition = std::slice::from_ref(condition);
        matches!(&*segment.name, "enable_if" | "enable_if_t")
            && match resolve_arguments(names, env, condition, None).first() {
                Some(Binding::Value(value, _)) => value.as_bool() == Some(false),
                _ => false,
            }
    })
}

/// Whether what stands behind `::` cannot be there.
pub(super) fn has_no_members(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Scalar(..) | Type::Pointer(_) | Type::Vector { .. } | Type::Void
    ) && !ty.is_enumeration()
}

/// Whether a class certainly has no member of that name, of whatever kind.
fn lacks(names: &Names<'_>, class: &Arc<RecordType>, name: &str, depth: u32) -> bool {
    let class = complete(names, class);
    depth <= DEEPEST
        && class.problem.is_none()
        && class.record.name.as_deref() != Some(name)
        && !class.record.members.iter().any(|m| declares(m, name))
        && (class.bases.iter()).all(|(_, base)| lacks(names, base, name, depth + 1))
}

/// Whether a class has a value of that name which everybody may name.
fn has_value(names: &Names<'_>, class: &Arc<RecordType>, name: &str, depth: u32) -> Option<bool> {
    // Destructors and conversions need not be written as they are asked for.
    if name.starts_with('~') || name.starts_with("operator") {
        return None;
    }
    if lacks(names, class, name, 0) {
        return Some(false);
    }
    let class = complete(names, class);
    if depth > DEEPEST || class.problem.is_some() || class.record.has_hidden_names {
        return None;
    }
    let mut own = class.record.members.iter().filter(|m| declares(m, name));
    match own.next() {
        Some(ast::Member::Variables(all)) if all.iter().any(|v| &*v.name == name) => Some(true),
        // A type of that name is no value, and of a function a call says more.
        Some(ast::Member::Enum(e)) if e.name.as_deref() != Some(name) => Some(true),
        Some(_) => None,
        None => {
            let mut bases = class.bases.iter();
            bases
                .any(|(_, base)| has_value(names, base, name, depth + 1) == Some(true))
                .then_some(true)
        }
    }
}

fn declares(member: &ast::Member, name: &str) -> bool {
    match member {
        ast::Member::Function(f) => &*f.name == name,
        ast::Member::Variables(all) => all.iter().any(|v| match &v.ty.kind {
            TypeKind::Record(inner) if v.name.is_empty() => {
                inner.members.iter().any(|m| declares(m, name))
            }
            TypeKind::Record(inner) => &*v.name == name || inner.name.as_deref() == Some(name),
            TypeKind::Enum(inner) => &*v.name == name || enumerates(inner, name),
            _ => &*v.name == name,
        }),
        ast::Member::Record(r) => r.name.as_deref() == Some(name),
        ast::Member::Enum(e) => enumerates(e, name),
        ast::Member::Alias(a) => {
            &*a.name == name || matches!(&a.ty.kind, TypeKind::Enum(e) if enumerates(e, name))
        }
        // What a base has under that name, or any constructor.
        ast::Member::Using(path) => path.segments.last().is_some_and(|last| &*last.name == name),
        ast::Member::Friend(_) => false,
    }
}

fn enumerates(e: &ast::Enum, name: &str) -> bool {
    e.name.as_deref() == Some(name) || e.values.iter().any(|(value, _)| &**value == name)
}

/// Whether a cast between two types certainly means something.
fn is_converted(to: &Type, from: &Type) -> bool {
    *to == Type::Void || is_number(to) && is_number(from)
}

/// Whether it is a type of numbers that is no class, as those of half precision are.
fn is_number(ty: &Type) -> bool {
    match ty {
        Type::Scalar(_, Twin::Class(_)) | Type::Scalar(Scalar::F16 | Scalar::BF16, _) => false,
        Type::Scalar(..) => true,
        _ => false,
    }
}

/// Whether a call is `std::declval<T>()`.
fn is_declval(names: &Names<'_>, env: &Env, callee: &Expr) -> bool {
    let ExprKind::Path(path) = &callee.kind else {
        return false;
    };
    declared_value(names, env, path).is_some_and(|ty| !ty.is_unknown())
}

/// The type that `std::declval<T>()` makes an object of.
pub(super) fn declared_value(names: &Names<'_>, env: &Env, path: &Path) -> Option<Type> {
    let (last, rest) = path.segments.split_last()?;
    let is_of_standard = rest.last().is_some_and(|space| &*space.name == "std");
    if &*last.name != "declval" || !is_of_standard || !names.functions(env, path).is_empty() {
        return None;
    }
    match &resolve_arguments(names, env, last.arguments.as_deref()?, None)[..] {
        [Binding::Type(ty)] => Some(ty.clone()),
        _ => None,
    }
}

/// Both answers: no where one is no, and yes where both are yes.
fn both(a: Option<bool>, b: impl FnOnce() -> Option<bool>) -> Option<bool> {
    match a {
        Some(false) => Some(false),
        Some(true) => b(),
        None => (b() == Some(false)).then_some(false),
    }
}

/// Whether a template argument that is written as a type is the path of a value: `A<T::SIZE>`.
pub(super) fn value_path(ty: &TypeExpr) -> Option<&Path> {
    match &ty.kind {
        TypeKind::Named(path) if !ty.is_const && !ty.is_volatile && path.segments.len() > 1 => {
            Some(path)
        }
        _ => None,
    }
}
