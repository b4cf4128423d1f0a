//! Types of expressions, as far as `decltype`, `sizeof` and deduction need them.
//!
//! Given an environment in which local variables are bound with their types; does
//! not evaluate anything and does not check that an expression is valid.

mod calls;

pub use calls::{result_type, with_parameters};

use super::outside::declares;
use super::resolve::resolve_qualified;
use super::{Binding, Env, Guard, Names, Prefix, field, resolve_type};
use crate::ir::Scalar;
use crate::sema::braces::{self, Given};
use crate::sema::consteval;
use crate::sema::types::{self, Qualifiers, Target, Twin, Type};
use crate::syntax::ast::{self, BinaryOp, Expr, ExprKind, Path, TypeKind, UnaryOp};

use calls::{
    call_type, element_of_container, enumeration_operator, method_result, operator_type,
    returns_reference,
};

/// Nesting of base classes in which static members are looked for.
const MAX_BASES: u32 = 16;

/// The type of `e` (references stripped).
#[must_use]
pub fn type_of(names: &Names<'_>, env: &Env, e: &Expr) -> Type {
    type_with(names, env, e, &|_| None)
}

/// As [`type_of`]; `local` gives the types of variables that `env` does not know.
#[expect(clippy::too_many_lines, reason = "a match over the language")]
pub(crate) fn type_with(
    names: &Names<'_>,
    env: &Env,
    e: &Expr,
    local: &dyn Fn(&str) -> Option<Type>,
) -> Type {
    let Some(_guard) = Guard::enter() else {
        return Type::unknown("the expression is nested too deeply");
    };
    let recur = |e: &Expr| type_with(names, env, e, local);
    let open = || {
        Type::unknown(format!(
            "the type of `{}` is not known",
            crate::sema::text(e)
        ))
    };
    let scalar = Type::number;
    match &e.kind {
        ExprKind::Int {
            value,
            is_unsigned,
            is_long,
            is_long_long,
        } => {
            let twin = if *is_long_long {
                Twin::Second
            } else {
                Twin::First
            };
            let scalar = consteval::literal_type(*value, *is_unsigned, *is_long);
            Type::Scalar(scalar, twin)
        }
        ExprKind::Float { is_single, .. } => {
            scalar(if *is_single { Scalar::F32 } else { Scalar::F64 })
        }
        ExprKind::Bool(_) => scalar(Scalar::Bool),
        ExprKind::Char(_, ty) => types::builtin(*ty),
        ExprKind::Str(text) => {
            let of = types::builtin(ast::Builtin::Char).with(Qualifiers::CONST);
            Type::Array(Target::new(of), Some(text.chars().count() as u64 + 1))
        }
        ExprKind::Null => Type::Void.pointer_to(),
        ExprKind::This => match &env.record {
            Some(r) => Type::Record(r.clone()).pointer_to(),
            None => open(),
        },
        ExprKind::Path(path) => {
            if let [s] = &path.segments[..]
                && let Some(t) = local(&s.name)
            {
                return t.strip_reference().clone();
            }
            path_type(names, env, path).unwrap_or_else(open)
        }
        ExprKind::Unary(op, inner) => {
            let t = recur(inner);
            let own = match op {
                UnaryOp::Not => Some("!"),
                UnaryOp::Plus => Some("+"),
                UnaryOp::Neg => Some("-"),
                UnaryOp::BitNot => Some("~"),
                UnaryOp::Deref => Some("*"),
                UnaryOp::PreIncrement | UnaryOp::PostIncrement => Some("++"),
                UnaryOp::PreDecrement | UnaryOp::PostDecrement => Some("--"),
                UnaryOp::AddressOf => None,
            };
            if let Some(symbol) = own
                && let Some(result) = enumeration_operator(names, env, symbol, &[&t], e.range)
                    .or_else(|| operator_type(names, env, symbol, &[&t], e.range))
            {
                return result.unwrap_or_else(open);
            }
            match op {
                UnaryOp::Not => scalar(Scalar::Bool),
                UnaryOp::AddressOf => match t {
                    Type::Function => Type::Function,
                    t => t.pointer_to(),
                },
                UnaryOp::Deref => match t {
                    Type::Pointer(t) | Type::Array(t, _) => (*t).clone(),
                    _ => open(),
                },
                UnaryOp::Plus | UnaryOp::Neg | UnaryOp::BitNot => {
                    match promoted_bits(names, env, inner, t, local) {
                        t if t.is_enumeration()
                            && names.has_operator_of_enumerations(
                                env,
                                match op {
                                    UnaryOp::Plus => "+",
                                    UnaryOp::Neg => "-",
                                    _ => "~",
                                },
                                &[&t],
                            ) =>
                        {
                            open()
                        }
                        Type::Scalar(s, twin) => types::promoted(s, twin),
                        t => t.decay(),
                    }
                }
                _ => t,
            }
        }
        ExprKind::Binary(op, a, b) => {
            let [a, b] = [a, b].map(|e| promoted_bits(names, env, e, recur(e), local));
            if let Some(result) = enumeration_operator(names, env, op.symbol(), &[&a, &b], e.range)
            {
                return result.unwrap_or_else(open);
            }
            match operator_type(names, env, op.symbol(), &[&a, &b], e.range) {
                // Hardly anyone writes an operator for a comma: of what is not known it means the built-in one.
                Some(result) if *op != BinaryOp::Comma || names.declares_operator(",") => {
                    result.unwrap_or_else(open)
                }
                _ => binary_type(*op, a, || b).unwrap_or_else(open),
            }
        }
        ExprKind::Assign(_, place, _) => recur(place),
        ExprKind::Conditional(_, a, b) => {
            type_of_choice((a, recur(a)), (b, recur(b))).unwrap_or_else(open)
        }
        ExprKind::Index(base, _) => match recur(base) {
            Type::Pointer(t) | Type::Array(t, _) => t.strip_reference().clone(),
            Type::Record(r) => method_result(names, &r, "[]").unwrap_or_else(open),
            Type::Opaque(name) => element_of_container(&name).unwrap_or_else(open),
            _ => open(),
        },
        ExprKind::Member { object, member, .. } => {
            let Some(last) = member.segments.last() else {
                return open();
            };
            let of = recur(object);
            let of = match &of {
                Type::Pointer(t) => t.strip_reference(),
                t => t,
            };
            member_type(names, of, &last.name).unwrap_or_else(open)
        }
        ExprKind::Cast { ty, .. } | ExprKind::Construct { ty, .. } => {
            resolve_type(names, env, ty).strip_reference().clone()
        }
        ExprKind::SizeofType(_)
        | ExprKind::Sizeof(_)
        | ExprKind::AlignofType(_)
        | ExprKind::SizeofPack(_) => Type::Scalar(Scalar::U64, Twin::First),
        ExprKind::Expand(inner) => recur(inner),
        ExprKind::Call { callee, arguments } => {
            let result = call_type(names, env, callee, arguments, local);
            result.map_or_else(open, |ty| ty.strip_reference().clone())
        }
        // Of one element it is what that is; of several what the operator gives.
        ExprKind::Fold { op, pack, init, .. } => {
            use crate::syntax::ast::BinaryOp::{Add, And, Div, Mul, Or, Sub, Xor};
            let ty = recur(pack);
            let is_kept = matches!(op, Add | Sub | Mul | Div | And | Or | Xor)
                && init.as_ref().is_none_or(|init| recur(init) == ty);
            match ty {
                Type::Scalar(scalar, _) if !is_kept || scalar.size() < 4 => open(),
                ty => ty,
            }
        }
        _ => open(),
    }
}

/// The type of an operand of arithmetic: a bit-field is an `int` where that holds all it can be.
fn promoted_bits(
    names: &Names<'_>,
    env: &Env,
    e: &Expr,
    ty: Type,
    local: &dyn Fn(&str) -> Option<Type>,
) -> Type {
    let ExprKind::Member { object, member, .. } = &e.kind else {
        return ty;
    };
    let of = type_with(names, env, object, local);
    let of = match &of {
        Type::Pointer(to) => to.strip_reference(),
        ty => ty.strip_reference(),
    };
    let (Type::Record(record), Some(last)) = (of, member.segments.last()) else {
        return ty;
    };
    let width = field(names, record, &last.name).and_then(|field| field.bits);
    match (&ty, width) {
        (Type::Scalar(scalar, _), Some((_, width)))
            if scalar.is_integer() && scalar.size() >= 4 =>
        {
            match (scalar.is_signed(), width) {
                (true, ..=32) | (false, ..=31) => Type::number(Scalar::I32),
                (false, 32) => Type::number(Scalar::U32),
                _ => ty,
            }
        }
        _ => ty,
    }
}

fn member_type(names: &Names<'_>, of: &Type, name: &str) -> Option<Type> {
    match of {
        Type::Record(r) => {
            if let Some(f) = field(names, r, name) {
                return Some(f.ty.strip_reference().clone());
            }
            let inside = Env::inside(r);
            static_member_type(names, &inside, name, 0)
        }
        Type::Vector { scalar, .. } if matches!(name, "x" | "y" | "z" | "w") => {
            Some(Type::number(*scalar))
        }
        _ => None,
    }
}

/// The type of a static member of a class or, where the class itself has nothing of the name, of its bases.
fn static_member_type(names: &Names<'_>, inside: &Env, name: &str, depth: u32) -> Option<Type> {
    let r = inside.record.as_ref()?;
    let own = r.record.members.iter().find_map(|m| match m {
        crate::syntax::ast::Member::Variables(vs) => vs
            .iter()
            .find(|v| &*v.name == name)
            .map(|v| variable_type(names, inside, v)),
        _ => None,
    });
    if own.is_some() || depth == MAX_BASES || declares(&r.record, name) {
        return own;
    }
    let mut bases = r.bases.iter();
    bases.find_map(|(_, base)| static_member_type(names, &Env::inside(base), name, depth + 1))
}

/// The type of what is declared `auto*` and given a pointer of this type.
#[must_use]
pub(crate) fn of_auto_pointer(written: &ast::TypeExpr, given: Type) -> Option<Type> {
    fn fits(written: &ast::TypeExpr, given: &Type) -> bool {
        match (&written.kind, given) {
            (TypeKind::Auto, _) => true,
            (TypeKind::Pointer { to, .. }, Type::Pointer(given)) => fits(to, given),
            _ => false,
        }
    }
    let given = given.decay();
    let is_pointer = matches!(written.kind, TypeKind::Pointer { .. });
    (is_pointer && fits(written, &given)).then_some(given)
}

/// The declared type of a variable; `auto` and `[]` take it from the initialiser.
#[must_use]
pub(crate) fn variable_type(
    names: &Names<'_>,
    env: &Env,
    v: &crate::syntax::ast::Variable,
) -> Type {
    use crate::syntax::ast::Initialiser;
    match &v.ty.kind {
        TypeKind::Auto | TypeKind::DecltypeAuto => match &v.init {
            Some(Initialiser::Equals(e)) => type_of(names, env, e).decay(),
            Some(Initialiser::Paren(es)) if es.len() == 1 => type_of(names, env, &es[0]).decay(),
            _ => Type::unknown("its type is deduced from a value that is not known"),
        },
        TypeKind::Array(of, None) => {
            let element = resolve_type(names, env, of);
            let list = match &v.init {
                Some(Initialiser::Equals(e) | Initialiser::Brace(e)) => match &e.kind {
                    ExprKind::List(items) => elements_of_list(names, env, &element, items),
                    ExprKind::Str(s) => Some(s.chars().count() as u64 + 1),
                    _ => None,
                },
                _ => None,
            };
            Type::Array(Target::new(element), list)
        }
        TypeKind::Pointer { .. } => {
            let given = match &v.init {
                Some(Initialiser::Equals(e)) => {
                    of_auto_pointer(&v.ty, type_of(names, env, e).strip_reference().clone())
                }
                _ => None,
            };
            given.unwrap_or_else(|| resolve_type(names, env, &v.ty))
        }
        _ => resolve_type(names, env, &v.ty),
    }
}

/// How many elements an array without a bound has; `None` where an item may be one or a part of one, or where a
/// pack is not known.
#[must_use]
pub fn elements_of_list(
    names: &Names<'_>,
    env: &Env,
    element: &Type,
    items: &[(Option<ast::Name>, Expr)],
) -> Option<u64> {
    if let Some(length) = braces::text_length(element, items) {
        return Some(length);
    }
    let mut given = Vec::new();
    for (_, item) in items {
        match &item.kind {
            ExprKind::Expand(pattern) => {
                let each = consteval::each_of_pack(env, pattern)?;
                given.extend(
                    each.iter()
                        .map(|env| Given::of(type_of(names, env, pattern))),
                );
            }
            _ => given.push(Given::written(item, || type_of(names, env, item))),
        }
    }
    braces::count(names, element, &given)
}

fn path_type(names: &Names<'_>, env: &Env, path: &Path) -> Option<Type> {
    let last = path.segments.last()?;
    if path.segments.len() == 1 {
        match env.named(path) {
            Some(Binding::Value(v, None)) => return v.ty(),
            Some(Binding::Variable(t) | Binding::Value(_, Some(t))) => {
                return Some(t.strip_reference().clone());
            }
            Some(_) => return None,
            None => {}
        }
        let mut record = env.record.clone();
        while let Some(r) = record {
            if !names.hides_base(&r, &last.name)
                && let Some(t) = member_type(names, &Type::Record(r.clone()), &last.name)
            {
                return Some(t);
            }
            record = r.env.record.clone();
        }
        match &*last.name {
            "threadIdx" | "blockIdx" => return types::known("uint3"),
            "blockDim" | "gridDim" => return types::known("dim3"),
            "warpSize" => return Some(Type::number(Scalar::I32)),
            _ => {}
        }
    } else if let Some(Prefix::Record(r)) = names.prefix(env, path)
        && let Some(t) = static_member_type(names, &Env::inside(&r), &last.name, 0)
    {
        return Some(t);
    }
    if let Some((v, at)) = names.variable(env, path) {
        return Some(variable_type(names, &at, v).strip_reference().clone());
    }
    if !names.functions(env, path).is_empty() {
        return Some(Type::Function);
    }
    if let Some(ty) = names.enumerator_type(env, path) {
        return Some(ty);
    }
    let value = consteval::eval(
        names,
        env,
        &Expr {
            kind: ExprKind::Path(path.clone()),
            range: path.range,
        },
    )?;
    value.ty()
}

/// The type of `c ? a : b`; `None` where a conversion of a class may decide it.
fn type_of_choice((of_a, a): (&Expr, Type), (of_b, b): (&Expr, Type)) -> Option<Type> {
    let is_null = |e: &Expr| matches!(e.kind, ExprKind::Null | ExprKind::Int { value: 0, .. });
    match (a, b) {
        (Type::Unknown(_), _) | (_, Type::Unknown(_)) => None,
        (Type::Array(a, n), Type::Array(b, m)) if n != m && !a.is_class && !b.is_class => {
            Some(Type::Pointer(a))
        }
        (Type::Scalar(a, x), Type::Scalar(b, y)) if a == b && x == y => Some(Type::Scalar(a, x)),
        (Type::Scalar(a, x), Type::Scalar(b, y)) => Some(types::common((a, x), (b, y))),
        // `throw` has none.
        (Type::Void, ty) | (ty, Type::Void) => Some(ty),
        (a, b) if a.is_identical(&b) == Some(true) => Some(a),
        (a, b) => match (a.decay(), b.decay()) {
            (Type::Pointer(_), b @ Type::Pointer(_)) if is_null(of_a) => Some(b),
            (Type::Scalar(..), b @ Type::Pointer(_)) if is_null(of_a) => Some(b),
            (a @ Type::Pointer(_), Type::Scalar(..)) if is_null(of_b) => Some(a),
            (a @ Type::Pointer(_), Type::Pointer(_)) => Some(a),
            (a, b) => (a == b).then_some(a),
        },
    }
}

fn binary_type(op: BinaryOp, a: Type, b: impl FnOnce() -> Type) -> Option<Type> {
    use BinaryOp as B;
    match op {
        B::Eq | B::Ne | B::Lt | B::Le | B::Gt | B::Ge | B::LogicalAnd | B::LogicalOr => {
            Some(Type::number(Scalar::Bool))
        }
        B::Comma => Some(b()),
        B::Shl | B::Shr => match a {
            Type::Scalar(s, twin) => Some(types::promoted(s, twin)),
            t => Some(t),
        },
        _ => match (a.decay(), b().decay()) {
            (Type::Scalar(a, x), Type::Scalar(b, y)) => Some(types::common((a, x), (b, y))),
            (Type::Pointer(_), Type::Pointer(_)) => Some(Type::Scalar(Scalar::I64, Twin::First)),
            (t @ Type::Pointer(_), _) | (_, t @ Type::Pointer(_)) => Some(t),
            (t @ Type::Vector { .. }, _) | (_, t @ Type::Vector { .. }) => Some(t),
            _ => None,
        },
    }
}

fn only_name(path: &Path) -> Option<&str> {
    match &path.segments[..] {
        [only] => Some(&only.name),
        _ => None,
    }
}

/// What `decltype` says of an expression.
#[must_use]
pub(super) fn decltype(names: &Names<'_>, env: &Env, e: &Expr) -> Type {
    let ty = type_of(names, env, e);
    match &e.kind {
        _ if ty.is_unknown() => ty,
        ExprKind::Call { callee, arguments } => {
            match call_type(names, env, callee, arguments, &|_| None) {
                Some(Type::Reference(to)) => Type::Reference(to),
                _ => ty,
            }
        }
        // `(T &)x`
        ExprKind::Cast { ty: written, .. } => match resolve_qualified(names, env, written) {
            reference @ Type::Reference(_) => reference,
            _ => ty,
        },
        ExprKind::Path(path) if !e.is_name_in_parentheses() => {
            let local = only_name(path).and_then(|name| env.get(name));
            match local {
                Some(Binding::Variable(ty @ Type::Reference(_))) => ty.clone(),
                Some(Binding::Variable(_)) => match only_name(path).and_then(|n| env.is_const(n)) {
                    Some(true) => ty.with(Qualifiers::CONST),
                    Some(false) => ty,
                    None => ty.with(Qualifiers::OPEN),
                },
                // Whether it is `const` is not known here.
                _ => ty.with(Qualifiers::OPEN),
            }
        }
        ExprKind::Str(_) => Type::Reference(Target::new(ty)),
        ExprKind::Null => types::null_type(),
        _ if is_lvalue(names, env, e) => {
            Type::Reference(Target::open(ty.strip_reference().clone()))
        }
        ExprKind::Member { .. } => ty.with(Qualifiers::OPEN),
        _ => ty,
    }
}

/// Whether `decltype` of an expression is a reference. Where a class decides by its operators, or a
/// function that is not known, this says no.
#[must_use]
pub fn is_lvalue(names: &Names<'_>, env: &Env, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Index(base, _) | ExprKind::Unary(UnaryOp::Deref, base) => match &base.kind {
            ExprKind::Unary(UnaryOp::AddressOf, _) => true,
            _ => matches!(type_of(names, env, base).decay(), Type::Pointer(_)),
        },
        ExprKind::Assign(_, target, _)
        | ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PreDecrement, target) => {
            matches!(
                type_of(names, env, target).strip_reference(),
                Type::Scalar(_, _) | Type::Pointer(_)
            )
        }
        // `(x)` names a place; `x` has the type that it was declared with.
        ExprKind::Path(path) => match env.named(path) {
            Some(Binding::Variable(Type::Reference(_))) => true,
            Some(Binding::Variable(_)) => e.is_name_in_parentheses(),
            Some(_) => false,
            None => {
                e.is_name_in_parentheses()
                    && !names.is_enumerator(env, path)
                    && names.functions(env, path).is_empty()
            }
        },
        ExprKind::Member { object, member, .. } => {
            e.is_name_in_parentheses() || is_reference_member(names, env, object, member)
        }
        ExprKind::Cast { ty, .. } => {
            matches!(resolve_qualified(names, env, ty), Type::Reference(to) if !to.is_rvalue)
        }
        ExprKind::Binary(ast::BinaryOp::Comma, _, last) => {
            !names.declares_operator(",") && names_place(names, env, last)
        }
        ExprKind::Conditional(_, a, b) => {
            names_place(names, env, a)
                && names_place(names, env, b)
                && type_of(names, env, a).is_identical(&type_of(names, env, b)) == Some(true)
        }
        ExprKind::Call { callee, arguments } => {
            returns_reference(names, env, callee, arguments).unwrap_or(false)
        }
        _ => false,
    }
}

/// Whether an expression is an lvalue, in parentheses or not.
fn names_place(names: &Names<'_>, env: &Env, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Path(path) => {
            let local = only_name(path).and_then(|name| env.get(name));
            match local {
                Some(Binding::Variable(_)) => true,
                Some(_) => false,
                None => !names.is_enumerator(env, path) && names.functions(env, path).is_empty(),
            }
        }
        ExprKind::Member { object, arrow, .. } => *arrow || names_place(names, env, object),
        _ => is_lvalue(names, env, e),
    }
}

/// Whether a member of an object is a reference.
fn is_reference_member(names: &Names<'_>, env: &Env, object: &Expr, member: &ast::Path) -> bool {
    let Some(name) = only_name(member) else {
        return false;
    };
    let class = type_of(names, env, object);
    let class = match class.strip_reference() {
        Type::Pointer(to) => (**to).clone(),
        class => class.clone(),
    };
    match &class {
        Type::Record(record) => {
            let field = field(names, record, name);
            field.is_some_and(|field| matches!(field.ty, Type::Reference(_)))
        }
        _ => false,
    }
}
