//! Types of expressions, as far as `decltype`, `sizeof` and deduction need them.
//!
//! Given an environment in which local variables are bound with their types; does
//! not evaluate anything and does not check that an expression is valid.

use super::{Binding, Callee, Env, Guard, Names, Prefix, field, resolve_type, select};
use crate::ir::Scalar;
use crate::sema::consteval;
use crate::sema::types::{self, Qualifiers, Target, Twin, Type};
use crate::syntax::ast::{self, BinaryOp, Expr, ExprKind, Path, TypeExpr, TypeKind, UnaryOp};
use std::sync::Arc;

/// The type of `e` (references stripped).
#[must_use]
pub fn type_of(names: &Names<'_>, env: &Env, e: &Expr) -> Type {
    type_with(names, env, e, &|_| None)
}

/// As [`type_of`]; `local` gives the types of variables that `env` does not know.
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
                && let Some(result) = operator_type(names, env, symbol, &[&t])
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
                        t => t,
                    }
                }
                _ => t,
            }
        }
        ExprKind::Binary(op, a, b) => {
            let [a, b] = [a, b].map(|e| promoted_bits(names, env, e, recur(e), local));
            let of: Vec<&Type> = [&a, &b]
                .into_iter()
                .filter(|ty| ty.is_enumeration())
                .collect();
            let is_own = !of.is_empty() && names.has_operator_of_enumerations(op.symbol(), &of);
            if is_own {
                return open();
            }
            match operator_type(names, env, op.symbol(), &[&a, &b]) {
                Some(result) if *op != BinaryOp::Comma => result.unwrap_or_else(open),
                _ => binary_type(*op, a, || b).unwrap_or_else(open),
            }
        }
        ExprKind::Assign(_, place, _) => recur(place),
        ExprKind::Conditional(_, a, b) => match (recur(a), recur(b)) {
            (Type::Array(a, n), Type::Array(b, m)) if n != m && !a.is_class && !b.is_class => {
                Type::Pointer(a)
            }
            (Type::Scalar(a, x), Type::Scalar(b, y)) if a == b && x == y => Type::Scalar(a, x),
            (Type::Scalar(a, x), Type::Scalar(b, y)) => types::common((a, x), (b, y)),
            (Type::Unknown(_), b) => b,
            (a, _) => a.decay(),
        },
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
        ExprKind::Fold { pack, .. } => recur(pack),
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
            static_member_type(names, &inside, name)
        }
        Type::Vector { scalar, .. } if matches!(name, "x" | "y" | "z" | "w") => {
            Some(Type::number(*scalar))
        }
        _ => None,
    }
}

fn static_member_type(names: &Names<'_>, inside: &Env, name: &str) -> Option<Type> {
    let r = inside.record.as_ref()?;
    r.record.members.iter().find_map(|m| match m {
        crate::syntax::ast::Member::Variables(vs) => vs
            .iter()
            .find(|v| &*v.name == name)
            .map(|v| variable_type(names, inside, v)),
        _ => None,
    })
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
                    ExprKind::List(items) => consteval::list_length(env, items),
                    ExprKind::Str(s) => Some(s.chars().count() as u64 + 1),
                    _ => None,
                },
                _ => None,
            };
            Type::Array(Target::new(element), list)
        }
        _ => resolve_type(names, env, &v.ty),
    }
}

fn path_type(names: &Names<'_>, env: &Env, path: &Path) -> Option<Type> {
    let last = path.segments.last()?;
    if path.segments.len() == 1 {
        match env.get(&last.name) {
            Some(Binding::Value(v, None)) => return v.ty(),
            Some(Binding::Variable(t) | Binding::Value(_, Some(t))) => {
                return Some(t.strip_reference().clone());
            }
            Some(_) => return None,
            None => {}
        }
        let mut record = env.record.clone();
        while let Some(r) = record {
            if let Some(t) = member_type(names, &Type::Record(r.clone()), &last.name) {
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
        && let Some(t) = static_member_type(names, &Env::inside(&r), &last.name)
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

/// What an operator gives that has an operand of a class or a vector: nothing if none has one; no type where
/// those that are declared disagree, or are templates, or where conversions of the class decide.
fn operator_type(
    names: &Names<'_>,
    env: &Env,
    symbol: &str,
    operands: &[&Type],
) -> Option<Option<Type>> {
    let record = operands.iter().find_map(|ty| match ty.strip_reference() {
        Type::Record(record) => Some(record),
        _ => None,
    });
    let is_vector = |ty: &&Type| matches!(ty.strip_reference(), Type::Vector { .. });
    if record.is_none() && !operands.iter().any(is_vector) {
        return None;
    }
    let mut all = names.operators(env, record, symbol);
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

fn method_result(names: &Names<'_>, r: &Arc<types::RecordType>, name: &str) -> Option<Type> {
    let callee = names.methods(r, name).into_iter().next()?;
    Some(
        result_type(names, &callee.env, &callee.function)
            .strip_reference()
            .clone(),
    )
}

/// `std::vector<float>` → `float`, as far as the name shows it.
fn element_of_container(name: &str) -> Option<Type> {
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
fn argument_type(
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
            let is_local = matches!(&path.segments[..], [only]
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

fn call_type(
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
                let (callee, inner) = select(names, env, &candidates, explicit, &argument_types())?;
                if matches!(
                    callee.function.result.kind,
                    TypeKind::Auto | TypeKind::DecltypeAuto | TypeKind::None
                ) {
                    return None;
                }
                return Some(result_type(names, &inner, &callee.function));
            }
            library_result(&last.name, &argument_types).or_else(|| {
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
                    let candidates = names.methods(&r, &last.name);
                    let explicit = last.arguments.as_deref().unwrap_or_default();
                    let (callee, inner) =
                        select(names, env, &candidates, explicit, &argument_types())?;
                    Some(result_type(names, &inner, &callee.function))
                }
                Type::Opaque(name) => match &*last.name {
                    "size" | "count" | "length" => Some(Type::number(Scalar::U64)),
                    "data" | "get" | "begin" => element_of_container(&name).map(Type::pointer_to),
                    "back" | "front" | "at" => element_of_container(&name),
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

/// Results of the functions whose headers nobody has at hand.
fn library_result(name: &str, arguments: &dyn Fn() -> Vec<Type>) -> Option<Type> {
    let first = || arguments().into_iter().next();
    if let Some(row) = crate::ir::builtin::find(name) {
        return Some(Type::number(row.result));
    }
    if let Some(vector) = name.strip_prefix("make_") {
        return types::known(vector);
    }
    match name {
        "min" | "max" | "abs" | "fma" | "pow" | "fmin" | "fmax" | "sqrt" | "exp" | "log"
        | "sin" | "cos" | "floor" | "ceil" | "fabs" | "__ldg" | "__ldcs" | "__ldcg" | "tanh"
        | "__shfl_sync" | "__shfl_down_sync" | "__shfl_xor_sync" | "__shfl_up_sync" | "move"
        | "forward" | "ref" => {
            let mut all = arguments().into_iter().map(|t| t.decay());
            let t = match (all.next()?, all.next()) {
                (Type::Scalar(a, x), Some(Type::Scalar(b, y)))
                    if matches!(name, "min" | "max" | "fmin" | "fmax" | "pow") =>
                {
                    types::common((a, x), (b, y))
                }
                (t, _) => t,
            };
            match t {
                Type::Pointer(t) if name.starts_with("__ld") => Some((*t).clone()),
                t => Some(t),
            }
        }
        "thrust_raw_pointer_cast" | "raw_pointer_cast" => first(),
        "malloc" | "calloc" => Some(Type::Void.pointer_to()),
        "atoi" | "rand" | "strcmp" | "printf" => Some(Type::number(Scalar::I32)),
        "strtoul" | "strlen" | "__cvta_generic_to_shared" => Some(Type::number(Scalar::U64)),
        "atof" => Some(Type::number(Scalar::F64)),
        "sqrtf" | "expf" | "logf" | "sinf" | "cosf" | "powf" | "fabsf" | "fminf" | "fmaxf"
        | "__expf" | "rsqrtf" | "__half2float" | "__int2float_rn" | "floorf" | "ceilf" | "fmaf"
        | "tanhf" | "__fdividef" => Some(Type::number(Scalar::F32)),
        "__float2half" | "__float2half_rn" | "__hadd" | "__hmul" | "__hfma" => {
            Some(Type::number(Scalar::F16))
        }
        "__float2bfloat16" => Some(Type::number(Scalar::BF16)),
        "__float2int_rn" | "__float2int_rd" | "__syncthreads_count" => {
            Some(Type::number(Scalar::I32))
        }
        "__ballot_sync" | "__activemask" | "__float_as_uint" => Some(Type::number(Scalar::U32)),
        _ => None,
    }
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

fn has_decltype(ty: &TypeExpr) -> bool {
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
        ExprKind::Path(path) if !e.is_name_in_parentheses() => {
            let local = match &path.segments[..] {
                [only] => env.get(&only.name),
                _ => None,
            };
            match local {
                Some(Binding::Variable(ty @ Type::Reference(_))) => ty.clone(),
                // Whether a variable is `const` is not known here.
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

/// Whether a call gives a reference; `None` where the function is not known.
fn returns_reference(
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
        let (callee, _) = select(names, env, &candidates, explicit, &types)?;
        if matches!(callee.function.result.kind, TypeKind::DecltypeAuto) {
            return Some(true);
        }
    }
    let result = call_type(names, env, callee, arguments, &|_| None)?;
    Some(matches!(result, Type::Reference(_)))
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
        ExprKind::Path(path) => {
            let local = match &path.segments[..] {
                [only] => env.get(&only.name),
                _ => None,
            };
            match local {
                Some(Binding::Variable(Type::Reference(_))) => true,
                Some(Binding::Variable(_)) => e.is_name_in_parentheses(),
                Some(_) => false,
                None => {
                    e.is_name_in_parentheses()
                        && !names.is_enumerator(env, path)
                        && names.functions(env, path).is_empty()
                }
            }
        }
        ExprKind::Member { .. } => e.is_name_in_parentheses(),
        ExprKind::Call { callee, arguments } => {
            returns_reference(names, env, callee, arguments).unwrap_or(false)
        }
        _ => false,
    }
}
