//! Copies of objects whose class has a copy constructor of its own.
//!
//! Given a class, tells whether a copy holds what the object held: its constructors copy member by member.
//! Where one does anything else, a copy of a variable is not known unless that constructor is followed.

use super::context::{Lower, Mem};
use crate::ir::VariableKind;
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast::{self, ExprKind, Function, StmtKind};
use std::sync::Arc;

/// Nesting of members that is looked through.
const DEEPEST: u32 = 6;

/// `S(const S &)`, `S(S &&)`
pub(super) fn is_copy_constructor(function: &Function) -> bool {
    let Some(name) = function
        .parameters
        .first()
        .and_then(|parameter| match &parameter.ty.kind {
            ast::TypeKind::Reference { to, .. } => match &to.kind {
                ast::TypeKind::Named(path) => {
                    path.segments.last().map(|segment| segment.name.clone())
                }
                _ => None,
            },
            _ => None,
        })
    else {
        return false;
    };
    function.parameters.len() == 1 && name == function.name
}

fn name_of(e: &ast::Expr) -> Option<&str> {
    match &e.kind {
        ExprKind::Path(path) => path.segments.last().map(|last| &*last.name),
        ExprKind::Member { object, member, .. } if matches!(object.kind, ExprKind::This) => {
            member.segments.last().map(|last| &*last.name)
        }
        _ => None,
    }
}

/// Whether it gives every member what that member of its argument is, and does nothing else.
fn goes_by_members(function: &Function, record: &RecordType) -> bool {
    let Some(from) = function.parameters.first().and_then(|p| p.name.as_ref()) else {
        return false;
    };
    let is_member = |e: &ast::Expr, name: &str| match &e.kind {
        ExprKind::Member {
            object,
            arrow: false,
            member,
        } => {
            name_of(object) == Some(&**from)
                && member
                    .segments
                    .last()
                    .is_some_and(|last| &*last.name == name)
        }
        _ => false,
    };
    let mut copied: Vec<&str> = Vec::new();
    for (name, list) in &function.initialisers {
        match list.as_slice() {
            [one] if is_member(one, name) => copied.push(name),
            _ => return false,
        }
    }
    for stmt in function.body.iter().flatten() {
        match &stmt.kind {
            StmtKind::Empty => {}
            StmtKind::Expr(e) => match &e.kind {
                ExprKind::Assign(None, left, right)
                    if name_of(left).is_some_and(|name| is_member(right, name)) =>
                {
                    copied.extend(name_of(left));
                }
                _ => return false,
            },
            _ => return false,
        }
    }
    record.bases.is_empty()
        && record
            .fields
            .iter()
            .all(|field| copied.contains(&field.name.as_str()))
}

impl Lower<'_> {
    /// Whether a copy of a variable of this type may hold something else than the variable.
    pub fn changes_by_copy(&self, ty: &Type) -> bool {
        self.changes_below(ty, 0)
    }

    fn changes_below(&self, ty: &Type, depth: u32) -> bool {
        let record = match ty {
            Type::Array(element, _) => return self.changes_below(element, depth),
            Type::Record(record) if depth < DEEPEST => record,
            _ => return false,
        };
        let own = self.constructors(record);
        own.iter().any(|c| {
            let f = &*c.function;
            f.body.is_some() && is_copy_constructor(f) && !goes_by_members(f, record)
        }) || self.parts_change(record, depth + 1)
    }

    fn parts_change(&self, record: &Arc<RecordType>, depth: u32) -> bool {
        let bases = record.bases.iter();
        bases
            .map(|(_, base)| Type::Record(base.clone()))
            .chain(record.fields.iter().map(|field| field.ty.clone()))
            .any(|ty| self.changes_below(&ty, depth))
    }

    /// Whether it is a variable of the user's or lies in memory that lanes share: a temporary is no
    /// copy of anything.
    pub fn is_named(&self, mem: &Mem) -> bool {
        let Some(variable) = self.arena.local_object(mem.pointer) else {
            return true;
        };
        self.variables.get(variable.index()).is_none_or(|one| {
            matches!(one.kind, VariableKind::Scalar(_))
                || !(one.name.is_empty() || &*one.name == "return")
        })
    }
}
