//! Template arguments as they are written: types, values, templates and packs, read in an environment.
//!
//! Binds nothing to parameters (`bind` does).

use super::{
    Binding, Entry, Env, Names, Prefix, ScopeId, constant_of, resolve_qualified, resolve_type,
};
use crate::sema::consteval::{self, Value};
use crate::sema::types::{Qualifiers, Type};
use crate::syntax::ast::{
    self, ExprKind, Path, TemplateArgument, TemplateHead, TemplateParameter, TemplateParameterKind,
    TypeExpr, TypeKind,
};

/// Template arguments read in `env`. `head` tells types from values where it is known. What cannot
/// be read is a [`Binding::Type`] of an unknown type; `xs...` is spliced in.
#[must_use]
pub fn resolve_arguments(
    names: &Names<'_>,
    env: &Env,
    written: &[TemplateArgument],
    head: Option<&TemplateHead>,
) -> Vec<Binding> {
    let mut out = Vec::with_capacity(written.len());
    for argument in written {
        let parameter = head.and_then(|h| {
            h.parameters
                .get(out.len())
                .or_else(|| h.parameters.last().filter(|p| p.is_pack))
        });
        match argument {
            TemplateArgument::Type(ty) => out.push(type_argument(names, env, ty, parameter)),
            TemplateArgument::Expr(e) => match &e.kind {
                ExprKind::Expand(inner) => expand(names, env, inner, parameter, &mut out),
                ExprKind::Path(path) => out.push(path_argument(names, env, path, parameter)),
                _ => out.push(value_argument(names, env, e)),
            },
        }
    }
    out
}

fn expand(
    names: &Names<'_>,
    env: &Env,
    inner: &ast::Expr,
    parameter: Option<&TemplateParameter>,
    out: &mut Vec<Binding>,
) {
    if let ExprKind::Path(p) = &inner.kind
        && let [segment] = &p.segments[..]
        && let Some(Binding::Pack(items)) = env.get(&segment.name)
    {
        out.extend(items.iter().cloned());
        return;
    }
    // `typename A<T>::type...` names types.
    let one = |env: &Env| match &inner.kind {
        ExprKind::Path(path) => path_argument(names, env, path, parameter),
        ExprKind::Construct { ty, arguments } if arguments.is_empty() && is_no_name(ty) => {
            Binding::Type(resolve_qualified(names, env, ty))
        }
        _ => value_argument(names, env, inner),
    };
    match consteval::each_of_pack(env, inner) {
        Some(envs) => out.extend(envs.iter().map(one)),
        None => out.push(unknown(inner)),
    }
}

/// Whether a type is more than a name: `T{}` is a value, but nothing makes a `T &`.
fn is_no_name(ty: &TypeExpr) -> bool {
    ty.is_const || ty.is_volatile || !matches!(ty.kind, TypeKind::Named(_) | TypeKind::Builtin(_))
}

fn unknown(e: &ast::Expr) -> Binding {
    Binding::Type(Type::unknown(format!(
        "the template argument `{}` is not known",
        crate::sema::text(e)
    )))
}

pub(super) fn value_argument(names: &Names<'_>, env: &Env, e: &ast::Expr) -> Binding {
    // The type of what calls and names give is not known here.
    let is_number = matches!(
        e.kind,
        ExprKind::Int { .. } | ExprKind::Bool(_) | ExprKind::Char(..) | ExprKind::SizeofType(_)
    );
    match consteval::eval(names, env, e) {
        Some(v) => {
            let ty = v.ty().filter(|_| is_number);
            Binding::Value(v, ty)
        }
        None => unknown(e),
    }
}

fn type_argument(
    names: &Names<'_>,
    env: &Env,
    ty: &TypeExpr,
    parameter: Option<&TemplateParameter>,
) -> Binding {
    let TypeKind::Named(path) = &ty.kind else {
        // `f(N)` is written as the type of a function is, `table[0]` as that of an array.
        let is_shaped = matches!(ty.kind, TypeKind::Function { .. } | TypeKind::Array(..));
        let wants_value = matches!(
            parameter.map(|p| &p.kind),
            Some(TemplateParameterKind::Value { .. })
        );
        if is_shaped && (wants_value || names_value(names, env, ty)) {
            return match as_expression(ty) {
                Some(value) => value_argument(names, env, &value),
                None => Binding::Type(Type::unknown("a template argument that is a call")),
            };
        }
        return Binding::Type(resolve_qualified(names, env, ty));
    };
    match path_argument(names, env, path, parameter) {
        Binding::Type(of) => Binding::Type(of.with(Qualifiers::of(ty))),
        other => other,
    }
}

/// Whether what is written as the type of a function or an array names values where types would stand.
fn names_value(names: &Names<'_>, env: &Env, ty: &TypeExpr) -> bool {
    let is_value = |ty: &TypeExpr| match &ty.kind {
        TypeKind::Named(path) => {
            matches!(
                env.named(path),
                Some(Binding::Variable(_) | Binding::Value(..))
            ) || names.variable(env, path).is_some()
                || names.is_enumerator(env, path)
        }
        _ => names_value(names, env, ty),
    };
    match &ty.kind {
        TypeKind::Function { result, parameters } => {
            cast_to(result).is_some()
                || !parameters.is_empty() && parameters.iter().all(is_value)
                || matches!(&result.kind, TypeKind::Named(path)
                    if !names.functions(env, path).is_empty())
        }
        TypeKind::Array(of, Some(_)) => is_value(of),
        _ => false,
    }
}

/// The type of `static_cast<T>` and its like, which the grammar takes for a name.
fn cast_to(ty: &TypeExpr) -> Option<&TypeExpr> {
    let TypeKind::Named(path) = &ty.kind else {
        return None;
    };
    match &path.segments[..] {
        [only] if CASTS.contains(&&*only.name) => match only.arguments.as_deref() {
            Some([TemplateArgument::Type(to)]) => Some(to),
            _ => None,
        },
        _ => None,
    }
}

const CASTS: [&str; 4] = [
    "static_cast",
    "const_cast",
    "reinterpret_cast",
    "dynamic_cast",
];

/// The expression that a type without declared names spells where a value is wanted.
fn as_expression(ty: &TypeExpr) -> Option<ast::Expr> {
    let kind = match &ty.kind {
        TypeKind::Named(path) => ExprKind::Path(path.clone()),
        TypeKind::Function { result, parameters } => {
            let mut arguments = parameters.iter().map(as_expression);
            let to = match &result.kind {
                TypeKind::Builtin(_) => Some(&**result),
                _ => cast_to(result),
            };
            match to {
                Some(to) if parameters.len() == 1 => ExprKind::Cast {
                    ty: to.clone(),
                    value: Box::new(arguments.next()??),
                    is_reinterpret: false,
                },
                Some(_) => return None,
                None => ExprKind::Call {
                    callee: Box::new(as_expression(result)?),
                    arguments: arguments.collect::<Option<_>>()?,
                },
            }
        }
        // The bound that is written first is the one of the whole array.
        TypeKind::Array(..) => {
            let (mut inner, mut subscripts) = (ty, Vec::new());
            while let TypeKind::Array(of, at) = &inner.kind {
                subscripts.push((**at.as_ref()?).clone());
                inner = of;
            }
            let mut element = as_expression(inner)?;
            for at in subscripts {
                element = ast::Expr {
                    range: element.range,
                    kind: ExprKind::Index(Box::new(element), vec![at]),
                };
            }
            return Some(element);
        }
        _ => return None,
    };
    let range = match &ty.kind {
        TypeKind::Named(path) => path.range,
        _ => ast::Range::default(),
    };
    Some(ast::Expr { kind, range })
}

fn path_argument(
    names: &Names<'_>,
    env: &Env,
    path: &Path,
    parameter: Option<&TemplateParameter>,
) -> Binding {
    let Some(last) = path.segments.last() else {
        return Binding::Type(Type::unknown("no template argument is written"));
    };
    if path.segments.len() == 1 && last.arguments.is_none() {
        match env.named(path) {
            Some(Binding::Variable(_) | Binding::Namespace(_)) | None => {}
            Some(b) => return b.clone(),
        }
    }
    let as_type = || resolve_qualified(names, env, &TypeExpr::named(path.clone()));
    let as_value = || {
        consteval::eval(
            names,
            env,
            &ast::Expr {
                kind: ExprKind::Path(path.clone()),
                range: path.range,
            },
        )
    };
    match parameter.map(|p| &p.kind) {
        Some(TemplateParameterKind::Type { .. }) => return Binding::Type(as_type()),
        Some(TemplateParameterKind::Template { .. }) => {
            return template_binding(names, env, path);
        }
        Some(TemplateParameterKind::Value { .. }) | None => {}
    }
    if let Some(v) = as_value().or_else(|| converted(names, env, path, parameter)) {
        let ty = match v {
            Value::Int { .. } => names.enumerator_type(env, path),
            _ => None,
        };
        return Binding::Value(v, ty);
    }
    let reason = || {
        Binding::Type(Type::unknown(format!(
            "the template argument `{}` is not known",
            super::display_path(path)
        )))
    };
    if parameter.is_some() {
        return reason();
    }
    match as_type() {
        Type::Unknown(_) if is_template(names, env, path) => template_binding(names, env, path),
        Type::Opaque(_) if path.segments.len() == 1 && names.variable(env, path).is_some() => {
            reason()
        }
        t => Binding::Type(t),
    }
}

/// The number that an object of `std::integral_constant` converts to where a number is wanted.
fn converted(
    names: &Names<'_>,
    env: &Env,
    path: &Path,
    parameter: Option<&TemplateParameter>,
) -> Option<Value> {
    let TemplateParameterKind::Value { ty: wanted, .. } = &parameter?.kind else {
        return None;
    };
    let Some(Binding::Variable(of)) = env.get(path.as_name()?) else {
        return None;
    };
    let value = constant_of(of)?;
    value.convert(resolve_type(names, env, wanted).scalar()?)
}

pub(super) fn is_template(names: &Names<'_>, env: &Env, path: &Path) -> bool {
    path.segments.last().is_some_and(|last| {
        last.arguments.is_none()
            && names
                .unqualified(env, &last.name, false, path.range)
                .iter()
                .any(|(e, _)| match e {
                    Entry::Record(r) => !r.templates.is_empty(),
                    Entry::Alias(a) => a.template.is_some(),
                    _ => false,
                })
    })
}

/// A class template or an alias template of a namespace, by where it is declared: one of them reads alike wherever it is
/// named. Others stay as they are written, with the place.
pub(super) fn template_binding(names: &Names<'_>, env: &Env, path: &Path) -> Binding {
    if let Some(bound @ Binding::Template(..)) = env.named(path) {
        return bound.clone();
    }
    let Some((home, name)) = template_home(names, env, path) else {
        return Binding::Template(path.clone(), env.clone());
    };
    let path = Path {
        is_global: false,
        segments: vec![ast::Segment {
            name,
            arguments: None,
        }],
        range: ast::Range::default(),
    };
    Binding::Template(path, Env::new(home))
}

/// The namespace that a template is declared in which a path names, with its name there.
pub(super) fn template_home(
    names: &Names<'_>,
    env: &Env,
    path: &Path,
) -> Option<(ScopeId, ast::Name)> {
    let last = path.segments.last()?;
    let is_bound = env.named(path).is_some();
    let is_member = || names.class_with(env, &last.name).is_some() && !path.is_global;
    let entries = match path.segments.len() {
        1 if is_bound || is_member() => return None,
        1 => names.unqualified(env, &last.name, path.is_global, path.range),
        _ => match names.prefix(env, path)? {
            Prefix::Scope(scope) => names.in_scope(scope, &last.name, 0),
            _ => return None,
        },
    };
    let home = entries.iter().find_map(|(entry, home)| match entry {
        Entry::Record(r) => (!r.templates.is_empty()).then_some(*home),
        Entry::Alias(a) => a.template.is_some().then_some(*home),
        _ => None,
    })?;
    Some((home, last.name.clone()))
}
