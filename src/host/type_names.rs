//! Declarations of types in a unit, wherever they stand.

use crate::syntax::ast::{Alias, Enum, Item, Member, Record, TemplateHead};

/// What declares names of types.
pub(super) enum TypeDeclaration<'t> {
    Class(&'t Record),
    Enum(&'t Enum),
    Alias(&'t Alias),
    /// Of a function: its parameters are names in it.
    Heads(&'t [TemplateHead]),
}

/// Calls `f` on each declaration, those in namespaces and classes too.
pub(super) fn each_type<'t>(items: &'t [Item], f: &mut dyn FnMut(TypeDeclaration<'t>), depth: u32) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    for item in items {
        match item {
            Item::Record(r) => in_record(r, f, depth),
            Item::Enum(e) => f(TypeDeclaration::Enum(e)),
            Item::Alias(a) => f(TypeDeclaration::Alias(a)),
            Item::Function(function) => f(TypeDeclaration::Heads(&function.templates)),
            Item::Namespace(_, inner) => each_type(inner, f, depth),
            _ => {}
        }
    }
}

fn in_record<'t>(r: &'t Record, f: &mut dyn FnMut(TypeDeclaration<'t>), depth: u32) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    f(TypeDeclaration::Class(r));
    for member in &r.members {
        match member {
            Member::Record(inner) => in_record(inner, f, depth),
            Member::Enum(e) => f(TypeDeclaration::Enum(e)),
            Member::Alias(a) => f(TypeDeclaration::Alias(a)),
            Member::Function(function) | Member::Friend(function) => {
                f(TypeDeclaration::Heads(&function.templates));
            }
            _ => {}
        }
    }
}
