//! Patterns of parameters of which not everything is deduced here that C++ deduces: packs of patterns, types of
//! functions.
//!
//! Given a template and the types of arguments; says whether the template may be meant all the same.

use super::bind::unify_parameter;
use super::shape::mentions;
use super::{Callee, Names};
use crate::sema::types::Type;
use crate::syntax::ast::{ExprKind, Name, TemplateArgument, TypeExpr, TypeKind};

/// Whether the arguments suit what is read of a template's parameters, and more is written there than is read: packs
/// of patterns, types of functions.
pub(super) fn may_be_deduced(names: &Names<'_>, callee: &Callee, types: &[Type]) -> bool {
    let function = &callee.function;
    let head = names.own_head(function, &callee.env);
    let Some(head) = head.filter(|head| !head.parameters.is_empty()) else {
        return false;
    };
    let own: Vec<Name> = head
        .parameters
        .iter()
        .filter_map(|p| p.name.clone())
        .collect();
    let pairs = || function.parameters.iter().zip(types);
    pairs().any(|(p, _)| is_read_in_part(&p.ty, &own))
        && pairs().all(|(p, ty)| {
            p.is_pack
                || is_read_in_part(&p.ty, &own)
                || !mentions(&p.ty, &own)
                || unify_parameter(names, &callee.env, &head.parameters, p, ty).is_some()
        })
}

/// Whether template parameters stand in a type where nothing is deduced of them that C++ deduces.
fn is_read_in_part(ty: &TypeExpr, own: &[Name]) -> bool {
    match &ty.kind {
        TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } => is_read_in_part(to, own),
        TypeKind::Array(of, _) => is_read_in_part(of, own),
        TypeKind::Function { .. } => mentions(ty, own),
        TypeKind::Named(path) => path.template_arguments().any(|argument| match argument {
            TemplateArgument::Type(ty) => is_read_in_part(ty, own),
            TemplateArgument::Expr(e) => {
                matches!(&e.kind, ExprKind::Expand(inner) if !matches!(inner.kind, ExprKind::Path(_)))
                    || matches!(&e.kind, ExprKind::Expand(inner)
                        if matches!(&inner.kind, ExprKind::Path(p) if p.template_arguments().next().is_some()))
            }
        }),
        _ => false,
    }
}
