//! Function signatures as they are written: which of two templates is the more special, whether two
//! declarations declare one function, and what `enable_if` says of a candidate.

use super::arguments::resolve_arguments;
use super::formed::{is_formed, names_nothing};
use super::resolve::is_ill_formed;
use super::type_of::with_parameters;
use super::{Binding, Env, Names};
use crate::sema::text;
use crate::syntax::ast::{
    Expr, ExprKind, Function, Name, TemplateArgument, TemplateParameter, TemplateParameterKind,
    TypeExpr, TypeKind,
};

/// How much of a type is fixed, and the type with `#` for what a template's parameter stands for.
pub(super) type Shape = (usize, String);

/// The shape of a parameter's type; `head` names the template's parameters.
pub(super) fn shape(ty: &TypeExpr, head: &[Name]) -> Shape {
    let below = |to: &TypeExpr, mark: &str| {
        let (fixed, text) = shape(to, head);
        let is_const = usize::from(to.is_const);
        let text = format!("{mark}{}{text}", if to.is_const { "const " } else { "" });
        (fixed + is_const, text)
    };
    match &ty.kind {
        TypeKind::Builtin(builtin) => (1, format!("{builtin:?}")),
        TypeKind::Named(path) => {
            if let [segment] = &path.segments[..]
                && let Some(at) = head.iter().position(|name| *name == segment.name)
                && segment.arguments.is_none()
            {
                return (0, format!("#{at}"));
            }
            let (mut fixed, mut out) = (1, String::new());
            for segment in &path.segments {
                out.push_str("::");
                out.push_str(&segment.name);
                for argument in segment.arguments.iter().flat_map(|list| list.iter()) {
                    let (inner, text) = match argument {
                        TemplateArgument::Type(ty) => match &ty.kind {
                            TypeKind::Decltype(e) => (0, text(e)),
                            _ if ty.is_const => {
                                let (fixed, text) = shape(ty, head);
                                (fixed + 1, format!("const {text}"))
                            }
                            _ => shape(ty, head),
                        },
                        TemplateArgument::Expr(e) => value_shape(e, head),
                    };
                    fixed += inner;
                    out.push(',');
                    out.push_str(&text);
                }
            }
            (fixed, out)
        }
        TypeKind::Pointer { to, .. } => {
            let (fixed, text) = below(to, "*");
            (fixed + 1, text)
        }
        TypeKind::Reference { to, is_rvalue } => below(to, if *is_rvalue { "&&" } else { "&" }),
        TypeKind::Array(of, size) => {
            let size = size.as_ref().map_or_else(String::new, |size| text(size));
            let (fixed, text) = below(of, "[]");
            (fixed + 1, format!("{text}[{size}]"))
        }
        TypeKind::Function { result, parameters } => {
            let (mut fixed, mut out) = below(result, "()");
            for parameter in parameters.iter() {
                let (inner, text) = below(parameter, ",");
                fixed += inner;
                out += &text;
            }
            (fixed + 1, out)
        }
        TypeKind::Decltype(e) => (1, format!("decltype {}", text(e))),
        other => (1, format!("{:?}", std::mem::discriminant(other))),
    }
}

/// The shape of a value among template arguments: one that is written out fixes it.
fn value_shape(e: &Expr, head: &[Name]) -> Shape {
    if let ExprKind::Path(path) = &e.kind
        && let Some(name) = path.as_name()
        && let Some(at) = head.iter().position(|one| one == name)
    {
        return (0, format!("#{at}"));
    }
    let is_literal = matches!(e.kind, ExprKind::Int { .. } | ExprKind::Bool(_));
    (usize::from(is_literal), text(e))
}

/// Whether a type names one of these template parameters.
pub(super) fn mentions(ty: &TypeExpr, parameters: &[Name]) -> bool {
    let text = shape(ty, parameters).1;
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    text.contains('#') || words.any(|word| parameters.iter().any(|name| &**name == word))
}

fn parameters_text(parameters: &[TemplateParameter], head: &[Name]) -> Vec<String> {
    let one = |p: &TemplateParameter| match &p.kind {
        TemplateParameterKind::Type { default } => {
            let default = default.as_ref().map(|ty| shape(ty, head).1);
            // A default may stand in one declaration only.
            default
                .filter(|text| text.contains("enable_if"))
                .unwrap_or_default()
        }
        TemplateParameterKind::Value { ty, .. } => shape(ty, head).1,
        TemplateParameterKind::Template { .. } => "template".to_owned(),
    };
    parameters.iter().map(one).collect()
}

/// Whether two functions with parameters of the same shapes are one.
pub(super) fn is_same(
    (f, f_head): (&Function, &[TemplateParameter]),
    (g, g_head): (&Function, &[TemplateParameter]),
) -> bool {
    let names = |head: &[TemplateParameter]| -> Vec<Name> {
        head.iter().filter_map(|p| p.name.clone()).collect()
    };
    let (a, b) = (names(f_head), names(g_head));
    let packs = |f: &Function| f.parameters.iter().position(|p| p.is_pack);
    f.parameters.len() == g.parameters.len()
        && packs(f) == packs(g)
        && shape(&f.result, &a).1 == shape(&g.result, &b).1
        && parameters_text(f_head, &a) == parameters_text(g_head, &b)
}

/// What an argument of a template asks for by `decltype`: `void_t<decltype(T::SIZE)>`.
fn asked_type(argument: &TemplateArgument) -> Option<&TypeExpr> {
    match argument {
        TemplateArgument::Type(ty) if matches!(ty.kind, TypeKind::Decltype(_)) => Some(ty),
        _ => None,
    }
}

/// Whether `enable_if`, and what `decltype` asks for, let a candidate take part; `None` where that is not known.
pub(super) fn takes_part(
    names: &Names<'_>,
    env: &Env,
    function: &Function,
    head: &[TemplateParameter],
) -> Option<bool> {
    let mut types: Vec<&TypeExpr> = vec![&function.result];
    types.extend(function.parameters.iter().map(|p| &p.ty));
    for parameter in head {
        match &parameter.kind {
            TemplateParameterKind::Type { default } => types.extend(default.as_ref()),
            TemplateParameterKind::Value { ty, .. } => types.push(ty),
            TemplateParameterKind::Template { .. } => {}
        }
    }
    // What a default gives may be that nothing is there.
    let is_open = |p: &TemplateParameter| match p.name.as_ref().and_then(|name| env.get(name)) {
        Some(Binding::Type(ty)) => ty.is_unknown(),
        Some(Binding::Variable(_)) => true,
        _ => false,
    };
    let mut answer = (!head.iter().any(is_open)).then_some(true);
    while let Some(ty) = types.pop() {
        match &ty.kind {
            TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } => types.push(to),
            // What does not depend on the template's parameters has a meaning.
            TypeKind::Decltype(e) if !head.is_empty() => {
                let inner = with_parameters(names, env, &function.parameters);
                match is_formed(names, &inner, e) {
                    Some(true) => {}
                    Some(false) => return Some(false),
                    None => answer = None,
                }
            }
            TypeKind::Named(path) => {
                if is_ill_formed(names, env, ty) {
                    return Some(false);
                }
                types.extend(path.template_arguments().filter_map(asked_type));
                if names_nothing(names, env, ty) {
                    return Some(false);
                }
                for segment in &path.segments {
                    if !matches!(&*segment.name, "enable_if" | "enable_if_t") {
                        continue;
                    }
                    let first = segment.arguments.as_ref().and_then(|list| list.first());
                    let condition = first.map(std::slice::from_ref).unwrap_or_default();
                    match resolve_arguments(names, env, condition, None).first() {
                        Some(Binding::Value(value, _)) => match value.as_bool() {
                            Some(true) => {}
                            Some(false) => return Some(false),
                            None => answer = None,
                        },
                        _ => answer = None,
                    }
                }
            }
            _ => {}
        }
    }
    answer
}
