//! Alias templates in the types of parameters: `template <int N> f(Int<N>)` with `template <int N> using Int = C<int, N>;`.
//!
//! Given a path and where it is written, gives the type that it stands for with its arguments put in, as text: template
//! arguments are deduced from that.

use super::{Entry, Env, Names, Prefix};
use crate::syntax::ast::{
    self, ExprKind, Name, Path, TemplateArgument, TemplateParameterKind, TypeExpr, TypeKind,
};
use crate::syntax::visit::pattern_names;
use std::sync::Arc;

/// What a path with template arguments says.
pub(super) enum Alias {
    /// No alias template.
    No,
    Of(TypeExpr),
    /// One whose type is not worked out here.
    Open,
}

/// Whether the type of a parameter names an alias template whose type is not worked out here.
pub(super) fn names_open_alias(names: &Names<'_>, at: &Env, ty: &TypeExpr) -> bool {
    match &ty.kind {
        TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } | TypeKind::Array(to, _) => {
            names_open_alias(names, at, to)
        }
        TypeKind::Named(path) => {
            let mut arguments = path.template_arguments();
            matches!(expanded(names, at, path), Alias::Open)
                || arguments.any(|argument| match argument {
                    TemplateArgument::Type(ty) => names_open_alias(names, at, ty),
                    TemplateArgument::Expr(_) => false,
                })
        }
        _ => false,
    }
}

/// The type that a path stands for where it names an alias template.
pub(super) fn expanded(names: &Names<'_>, at: &Env, path: &Path) -> Alias {
    let Some(last) = path.segments.last() else {
        return Alias::No;
    };
    let Some(given) = last.arguments.as_deref() else {
        return Alias::No;
    };
    let entries = match names.prefix(at, path) {
        None if path.segments.len() == 1 && at.named(path).is_none() => {
            names.unqualified(at, &last.name, path.is_global, path.range)
        }
        Some(Prefix::Scope(scope)) => names.in_scope(scope, &last.name, 0),
        _ => return Alias::No,
    };
    let alias = entries.iter().find_map(|(entry, _)| match entry {
        Entry::Alias(alias) => Some(alias),
        _ => None,
    });
    let Some((alias, head)) = alias.and_then(|alias| Some((alias, alias.template.as_ref()?)))
    else {
        return Alias::No;
    };
    let mut put: Vec<(Name, TemplateArgument)> = Vec::new();
    let is_expansion = |argument: &TemplateArgument| matches!(argument, TemplateArgument::Expr(e) if matches!(e.kind, ExprKind::Expand(_)));
    for (at, parameter) in head.parameters.iter().enumerate() {
        let Some(name) = &parameter.name else {
            continue;
        };
        let argument = match (given.get(at), &parameter.kind) {
            _ if parameter.is_pack => None,
            (Some(argument), _) if is_expansion(argument) => None,
            (Some(argument), _) => Some(argument.clone()),
            (None, TemplateParameterKind::Type { default }) => default
                .as_ref()
                .and_then(|ty| put_into_type(ty, &put))
                .map(TemplateArgument::Type),
            (None, TemplateParameterKind::Value { default, .. }) => default
                .clone()
                .and_then(|e| put_into_argument(&TemplateArgument::Expr(e), &put)),
            _ => None,
        };
        match argument {
            Some(argument) => put.push((name.clone(), argument)),
            None => return Alias::Open,
        }
    }
    put_into_type(&alias.ty, &put).map_or(Alias::Open, Alias::Of)
}

fn named<'p>(path: &Path, put: &'p [(Name, TemplateArgument)]) -> Option<&'p TemplateArgument> {
    let [only] = &path.segments[..] else {
        return None;
    };
    let mut put = put.iter().filter(|_| only.arguments.is_none());
    put.find(|(name, _)| *name == only.name)
        .map(|(_, argument)| argument)
}

/// A type with arguments in the place of parameters; `None` where they stand in something else than names.
fn put_into_type(ty: &TypeExpr, put: &[(Name, TemplateArgument)]) -> Option<TypeExpr> {
    let kind = match &ty.kind {
        TypeKind::Named(path) => match named(path, put) {
            Some(TemplateArgument::Type(given)) => {
                let mut given = given.clone();
                given.is_const |= ty.is_const;
                given.is_volatile |= ty.is_volatile;
                return Some(given);
            }
            Some(TemplateArgument::Expr(_)) => return None,
            None => TypeKind::Named(put_into_path(path, put)?),
        },
        TypeKind::Pointer { to, is_restrict } => TypeKind::Pointer {
            to: Arc::new(put_into_type(to, put)?),
            is_restrict: *is_restrict,
        },
        TypeKind::Reference { to, is_rvalue } => TypeKind::Reference {
            to: Arc::new(put_into_type(to, put)?),
            is_rvalue: *is_rvalue,
        },
        TypeKind::Builtin(_) => ty.kind.clone(),
        // `T[N]` keeps its bound where no parameter is in it.
        TypeKind::Array(of, bound) => {
            let names = bound.as_deref().map(pattern_names).unwrap_or_default();
            if put.iter().any(|(name, _)| names.contains(name)) {
                return None;
            }
            TypeKind::Array(Arc::new(put_into_type(of, put)?), bound.clone())
        }
        _ => return None,
    };
    Some(TypeExpr {
        kind,
        is_const: ty.is_const,
        is_volatile: ty.is_volatile,
        range: ty.range,
    })
}

fn put_into_path(path: &Path, put: &[(Name, TemplateArgument)]) -> Option<Path> {
    let mut segments = Vec::with_capacity(path.segments.len());
    for segment in &path.segments {
        // A parameter in front of `::`, or one that is a template.
        if put.iter().any(|(name, _)| *name == segment.name) {
            return None;
        }
        let arguments = match &segment.arguments {
            None => None,
            Some(list) => {
                let list: Option<Vec<_>> =
                    list.iter().map(|one| put_into_argument(one, put)).collect();
                Some(Arc::from(list?))
            }
        };
        segments.push(ast::Segment {
            name: segment.name.clone(),
            arguments,
        });
    }
    Some(Path {
        is_global: path.is_global,
        segments,
        range: path.range,
    })
}

fn put_into_argument(
    argument: &TemplateArgument,
    put: &[(Name, TemplateArgument)],
) -> Option<TemplateArgument> {
    match argument {
        TemplateArgument::Type(ty) => {
            if let TypeKind::Named(path) = &ty.kind
                && let Some(given @ TemplateArgument::Expr(_)) = named(path, put)
            {
                return Some(given.clone());
            }
            put_into_type(ty, put).map(TemplateArgument::Type)
        }
        TemplateArgument::Expr(e) => {
            if let ExprKind::Path(path) = &e.kind
                && let Some(given) = named(path, put)
            {
                return Some(given.clone());
            }
            let names = pattern_names(e);
            let is_free = !put.iter().any(|(name, _)| names.contains(name))
                && !matches!(e.kind, ExprKind::Expand(_) | ExprKind::Fold { .. });
            is_free.then(|| argument.clone())
        }
    }
}
