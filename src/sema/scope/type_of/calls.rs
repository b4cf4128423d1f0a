//! Types of calls: of the program's functions, of operators of classes, of the library.

use super::{is_lvalue, type_of, type_with};
use crate::ir::Scalar;
use crate::sema::library::functions;
use crate::sema::scope::formed::declared_value;
use crate::sema::scope::{
    Binding, Callee, Env, Guard, Names, overload_for_types, resolve_arguments, resolve_type,
};
use crate::sema::types::{self, Qualifiers, RecordType, Target, Type};
use crate::syntax::ast::{
    self, BinaryOp, Expr, ExprKind, Range, TemplateArgument, TypeExpr, TypeKind, UnaryOp,
};
use std::sync::Arc;

/// What an operator of the user's gives that has an operand of an enumeration: nothing if there is none; no type where it
/// is not known which is meant.
pub(super) fn enumeration_operator(
    names: &Names<'_>,
    env: &Env,
    symbol: &str,
    operands: &[&Type],
    at: Range,
) -> Option<Option<Type>> {
    let of = operands.iter().copied();
    let of: Vec<&Type> = of.filter(|ty| ty.is_enumeration()).collect();
    if of.is_empty() || !names.has_operator_of_enumerations(env, symbol, &of) {
        return None;
    }
    let types: Vec<Type> = operands.iter().map(|ty| (*ty).clone()).collect();
    let all = names.operators_of_enumerations(env, symbol, &types, at)?;
    let chosen = overload_for_types(names, env, &all, &[], &types);
    Some(chosen.map(|(callee, env)| result_type(names, &env, &callee.function)))
}

/// What an operator gives that has an operand of a class or a vector: nothing if none has one; no type where
/// those that are declared disagree, or are templates, or where conversions of the class decide.
pub(super) fn operator_type(
    names: &Names<'_>,
    env: &Env,
    symbol: &str,
    operands: &[&Type],
    at: Range,
) -> Option<Option<Type>> {
    let records: Vec<Arc<RecordType>> = operands
        .iter()
        .filter_map(|ty| match ty.strip_reference() {
            Type::Record(record) => Some(record.clone()),
            _ => None,
        })
        .collect();
    let record = records.first();
    let is_vector = |ty: &&Type| matches!(ty.strip_reference(), Type::Vector { .. });
    if record.is_none() && !operands.iter().any(is_vector) {
        return None;
    }
    let mut all = names.operators(env, &records, symbol, at);
    if let Some(record) = record {
        names.add_friends(record, symbol, &mut all);
    }
    all.retain(|c| {
        let parameters = c.function.parameters.len();
        parameters == operands.len() || c.env.record.is_some() && parameters + 1 == operands.len()
    });
    let is_test = matches!(
        symbol,
        "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" | "!"
    );
    if all.is_empty() {
        return match record {
            _ if is_test => Some(Some(Type::number(Scalar::Bool))),
            Some(_) => Some(None),
            None => None,
        };
    }
    let is_template = |c: &Callee| names.own_head(&c.function, &c.env).is_some();
    // What takes the operands as they are is meant.
    let is_exact = |c: &&Callee| {
        let rest = operands.len() - c.function.parameters.len();
        let given = operands.iter().skip(rest);
        let mut pairs = c.function.parameters.iter().zip(given);
        !is_template(c)
            && pairs.all(|(parameter, given)| {
                let wanted = resolve_type(names, &c.env, &parameter.ty);
                wanted.strip_reference() == given.strip_reference()
            })
    };
    let exact: Vec<Callee> = all.iter().filter(is_exact).cloned().collect();
    let converts = |ty: &&Type| match ty.strip_reference() {
        Type::Record(class) => class.has_conversions(),
        _ => true,
    };
    // Of what all operands convert to the built-in operator may be meant.
    if exact.is_empty() && operands.iter().all(converts) {
        return Some(None);
    }
    let all = if exact.is_empty() { all } else { exact };
    let mut results = all.iter().map(|c| {
        (!is_template(c)).then(|| {
            let result = result_type(names, &c.env, &c.function);
            result.strip_reference().clone()
        })
    });
    let Some(Some(first)) = results.next() else {
        return Some(None);
    };
    let agree = !first.is_unknown() && results.all(|ty| ty.as_ref() == Some(&first));
    Some(agree.then_some(first))
}

pub(super) fn method_result(
    names: &Names<'_>,
    r: &Arc<types::RecordType>,
    name: &str,
) -> Option<Type> {
    let callee = names.methods(r, name).into_iter().next()?;
    Some(
        result_type(names, &callee.env, &callee.function)
            .strip_reference()
            .clone(),
    )
}

/// `std::vector<float>` → `float`, as far as the name shows it.
pub(super) fn element_of_container(name: &str) -> Option<Type> {
    let (base, rest) = name.split_once('<')?;
    let base = base.rsplit("::").next()?;
    if !matches!(
        base,
        "vector"
            | "device_vector"
            | "host_vector"
            | "unique_ptr"
            | "span"
            | "shared_ptr"
            | "device_ptr"
            | "valarray"
    ) {
        return None;
    }
    let inner = rest.strip_suffix('>')?;
    let first = inner.split(", ").next()?;
    types::by_display(first).or_else(|| first.contains('<').then(|| Type::Opaque(Arc::from(inner))))
}

/// The type of an argument, a reference where it has a name.
pub(super) fn argument_type(
    names: &Names<'_>,
    env: &Env,
    e: &Expr,
    local: &dyn Fn(&str) -> Option<Type>,
) -> Type {
    let ty = type_with(names, env, e, local);
    let named = |ty: Type| Type::Reference(Target::open(ty));
    match &e.kind {
        _ if ty.is_unknown() => ty,
        ExprKind::Int { .. }
        | ExprKind::Float { .. }
        | ExprKind::Bool(_)
        | ExprKind::Char(..)
        | ExprKind::Construct { .. } => ty,
        ExprKind::Binary(op, ..) if *op != BinaryOp::Comma => ty,
        ExprKind::Str(_) => named(ty),
        ExprKind::Path(path) => {
            let is_local = matches!((&path.segments[..], path.is_global), ([only], false)
                if local(&only.name).is_some()
                    || matches!(env.get(&only.name), Some(Binding::Variable(_))));
            if is_local {
                named(ty)
            } else {
                ty.with(Qualifiers::OPEN)
            }
        }
        ExprKind::Index(..) | ExprKind::Unary(UnaryOp::Deref, _) if is_lvalue(names, env, e) => {
            named(ty)
        }
        ExprKind::Call { callee, arguments } => {
            match call_type(names, env, callee, arguments, local) {
                Some(Type::Reference(to)) => Type::Reference(to),
                _ => ty.with(Qualifiers::OPEN),
            }
        }
        // Whether what has a name is `const` is not known here.
        _ => ty.with(Qualifiers::OPEN),
    }
}

pub(super) fn call_type(
    names: &Names<'_>,
    env: &Env,
    callee: &Expr,
    arguments: &[Expr],
    local: &dyn Fn(&str) -> Option<Type>,
) -> Option<Type> {
    let argument_types = || {
        let one = |a: &Expr| argument_type(names, env, a, local);
        arguments.iter().map(one).collect::<Vec<_>>()
    };
    match &callee.kind {
        ExprKind::Path(path) => {
            let last = path.segments.last()?;
            let candidates = names.functions(env, path);
            if !candidates.is_empty() {
                let explicit = last.arguments.as_deref().unwrap_or_default();
                let (callee, inner) =
                    overload_for_types(names, env, &candidates, explicit, &argument_types())?;
                if matches!(
                    callee.function.result.kind,
                    TypeKind::Auto | TypeKind::DecltypeAuto | TypeKind::None
                ) {
                    return None;
                }
                return Some(result_type(names, &inner, &callee.function));
            }
            if let Some(of) = limit_type(names, env, path) {
                return Some(of);
            }
            if let Some(of) = declared_value(names, env, path).filter(|ty| !ty.is_unknown()) {
                return Some(match of {
                    Type::Void => Type::Void,
                    Type::Reference(to) => Type::Reference(to),
                    of => Type::Reference(Target::new(of).referred(true)),
                });
            }
            if is_made_by_torch(path) {
                return Some(Type::Opaque("at::Tensor".into()));
            }
            functions::result(&last.name, &argument_types).or_else(|| {
                if let Some(Type::Record(r)) = (path.segments.len() == 1)
                    .then(|| local(&last.name))
                    .flatten()
                {
                    return method_result(names, &r, "()");
                }
                let written = TypeExpr::named(path.clone());
                match resolve_type(names, env, &written) {
                    Type::Unknown(_) | Type::Opaque(_) => None,
                    t => Some(t),
                }
            })
        }
        ExprKind::Member { object, member, .. } => {
            let last = member.segments.last()?;
            let of = type_with(names, env, object, local);
            let of = match &of {
                Type::Pointer(t) => (**t).clone(),
                t => t.clone(),
            };
            match of {
                Type::Record(r) => {
                    let candidates = methods_of(names, env, (&r, &last.name), object, local);
                    let explicit = last.arguments.as_deref().unwrap_or_default();
                    let (callee, inner) =
                        overload_for_types(names, env, &candidates, explicit, &argument_types())?;
                    Some(result_type(names, &inner, &callee.function))
                }
                Type::Opaque(name) => match &*last.name {
                    "size" | "count" | "length" => Some(Type::number(Scalar::U64)),
                    "data" | "get" | "begin" => element_of_container(&name).map(Type::pointer_to),
                    "back" | "front" | "at" => element_of_container(&name),
                    // ATen's tensors hold elements of any type; whoever asks says which.
                    "packed_accessor32" | "packed_accessor64" if is_tensor(&name) => {
                        accessor_of_tensor(names, env, last)
                    }
                    "data_ptr" | "mutable_data_ptr" | "const_data_ptr" if is_tensor(&name) => {
                        data_of_tensor(names, env, last)
                    }
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether a function of ATen is called that makes a tensor (PyTorch C++ API, "Tensor Creation API").
fn is_made_by_torch(path: &ast::Path) -> bool {
    let [space, function] = &path.segments[..] else {
        return false;
    };
    matches!(&*space.name, "at" | "torch")
        && matches!(
            &*function.name,
            "arange"
                | "empty"
                | "empty_like"
                | "empty_strided"
                | "eye"
                | "from_blob"
                | "full"
                | "full_like"
                | "linspace"
                | "ones"
                | "ones_like"
                | "rand"
                | "rand_like"
                | "randn"
                | "randn_like"
                | "zeros"
                | "zeros_like"
        )
}

/// The type that `tensor.data_ptr<float>()` of ATen gives.
fn data_of_tensor(names: &Names<'_>, env: &Env, method: &ast::Segment) -> Option<Type> {
    let [TemplateArgument::Type(of)] = method.arguments.as_deref()? else {
        return None;
    };
    let of = match (resolve_type(names, env, of), &*method.name) {
        (of, "const_data_ptr") => of.with(Qualifiers::CONST),
        (of, _) => of,
    };
    Some(Type::Pointer(Target::new(of)))
}

/// The class that `tensor.packed_accessor64<float, 2>()` of ATen gives.
fn accessor_of_tensor(names: &Names<'_>, env: &Env, method: &ast::Segment) -> Option<Type> {
    let bits = method.name.strip_prefix("packed_accessor")?;
    let segment = |name: String, arguments| ast::Segment {
        name: ast::Name::from(name),
        arguments,
    };
    let class = format!("PackedTensorAccessor{bits}");
    let path = ast::Path {
        is_global: true,
        segments: vec![
            segment("at".to_owned(), None),
            segment(class, method.arguments.clone()),
        ],
        range: Range::default(),
    };
    let ty = resolve_type(names, env, &TypeExpr::named(path));
    matches!(ty, Type::Record(_)).then_some(ty)
}

/// The methods of a name that an object may call: of one that is `const` those that leave it as it is.
fn methods_of(
    names: &Names<'_>,
    env: &Env,
    (class, name): (&Arc<RecordType>, &str),
    object: &Expr,
    local: &dyn Fn(&str) -> Option<Type>,
) -> Vec<Callee> {
    let mut candidates = names.methods(class, name);
    if is_const_object(env, object, local) == Some(true) {
        candidates.retain(|c| c.function.attributes.is_const || c.function.attributes.is_static);
    }
    candidates
}

/// Whether an object that is named may not be written.
fn is_const_object(env: &Env, object: &Expr, local: &dyn Fn(&str) -> Option<Type>) -> Option<bool> {
    let ExprKind::Path(path) = &object.kind else {
        return None;
    };
    let name = path.as_name().filter(|name| local(name).is_none())?;
    match env.get(name) {
        Some(Binding::Variable(Type::Pointer(to) | Type::Reference(to))) => {
            (!to.qualifiers.is_open).then_some(to.qualifiers.is_const)
        }
        _ => env.is_const(name),
    }
}

/// The type that `std::numeric_limits<T>::max()` gives, and others of its functions.
fn limit_type(names: &Names<'_>, env: &Env, path: &ast::Path) -> Option<Type> {
    const GIVE_T: [&str; 9] = [
        "min",
        "max",
        "lowest",
        "epsilon",
        "round_error",
        "infinity",
        "quiet_NaN",
        "signaling_NaN",
        "denorm_min",
    ];
    let [.., space, class, last] = &path.segments[..] else {
        return None;
    };
    if &*space.name != "std" || &*class.name != "numeric_limits" || !GIVE_T.contains(&&*last.name) {
        return None;
    }
    match &resolve_arguments(names, env, class.arguments.as_deref()?, None)[..] {
        [Binding::Type(ty)] if !ty.is_unknown() => Some(ty.strip_reference().clone().unqualified()),
        _ => None,
    }
}

/// Whether an opaque class is a tensor of ATen, by its name.
fn is_tensor(class: &str) -> bool {
    let (space, name) = class.rsplit_once("::").unwrap_or(("", class));
    matches!(name, "Tensor" | "TensorBase")
        && matches!(space.trim_start_matches("::"), "" | "at" | "torch" | "c10")
}

/// The type that a function gives in `env`, its body's environment: `decltype` in it may name parameters.
#[must_use]
pub fn result_type(names: &Names<'_>, env: &Env, function: &ast::Function) -> Type {
    if !has_decltype(&function.result) {
        return resolve_type(names, env, &function.result);
    }
    let inner = with_parameters(names, env, &function.parameters);
    resolve_type(names, &inner, &function.result)
}

/// An environment in which parameters are variables of their types.
#[must_use]
pub fn with_parameters(names: &Names<'_>, env: &Env, parameters: &[ast::Parameter]) -> Env {
    let mut inner = env.clone();
    for parameter in parameters.iter().filter(|p| !p.is_pack) {
        if let Some(name) = &parameter.name {
            let ty = resolve_type(names, env, &parameter.ty);
            inner.set(name.clone(), Binding::Variable(ty));
        }
    }
    inner
}

pub(super) fn has_decltype(ty: &TypeExpr) -> bool {
    match &ty.kind {
        TypeKind::Decltype(_) => true,
        TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } => has_decltype(to),
        TypeKind::Named(path) => {
            let lists = path.segments.iter().filter_map(|s| s.arguments.as_ref());
            lists
                .flat_map(|list| list.iter())
                .any(|argument| match argument {
                    ast::TemplateArgument::Type(ty) => has_decltype(ty),
                    ast::TemplateArgument::Expr(_) => false,
                })
        }
        _ => false,
    }
}

/// Whether a call gives a reference; `None` where the function is not known.
pub(super) fn returns_reference(
    names: &Names<'_>,
    env: &Env,
    callee: &Expr,
    arguments: &[Expr],
) -> Option<bool> {
    let _guard = Guard::enter()?;
    // Of `decltype(auto)` the place that the call gives tells.
    if let ExprKind::Path(path) = &callee.kind {
        let last = path.segments.last()?;
        let explicit = last.arguments.as_deref().unwrap_or_default();
        let types: Vec<Type> = arguments.iter().map(|a| type_of(names, env, a)).collect();
        let candidates = names.functions(env, path);
        let (callee, _) = overload_for_types(names, env, &candidates, explicit, &types)?;
        if matches!(callee.function.result.kind, TypeKind::DecltypeAuto) {
            return Some(true);
        }
    }
    let result = call_type(names, env, callee, arguments, &|_| None)?;
    Some(matches!(result, Type::Reference(_)))
}
