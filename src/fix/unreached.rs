//! Accesses that no launch in sight reaches.
//!
//! Given a shared array, tells whether one of them may be to it: nothing is known of its offset, so an edit that
//! moves the elements may leave it where they were.

use super::Array;
use crate::ir::{Expr, ExprId, Kernel, Object, SharedId, SiteId, Stmt, Value, VarId, visit};
use crate::prove;
use rustc_hash::FxHashSet;

/// Whether an access to the array may be one that no launch reaches, leaving out those whose text `follows` the edit.
pub fn may_use(array: &Array, follows: impl Fn(&str) -> bool) -> bool {
    array.holders().any(|(kernel, id, _)| {
        let kernel = &*kernel.unfolded();
        let mut reached: FxHashSet<SiteId> = FxHashSet::default();
        for launch in prove::launches(kernel).iter() {
            let walk = array.walks.get(array.program, kernel, launch);
            reached.extend(walk.visits.iter().map(|visit| visit.site));
        }
        let mut open: FxHashSet<SiteId> = FxHashSet::default();
        for (id, site) in (0..).map(SiteId).zip(&kernel.sites) {
            if !reached.contains(&id) && !follows(array.sources.text(site.span)) {
                open.insert(id);
            }
        }
        !open.is_empty() && Pointers::to(kernel, id).reach(&open)
    })
}

/// What may point into one shared array.
struct Pointers<'k> {
    kernel: &'k Kernel,
    array: SharedId,
    variables: FxHashSet<VarId>,
    /// Whether memory holds such a pointer, or what is not followed does.
    is_lost: bool,
}

impl<'k> Pointers<'k> {
    fn to(kernel: &'k Kernel, array: SharedId) -> Self {
        let mut found = Self {
            kernel,
            array,
            variables: FxHashSet::default(),
            is_lost: !kernel.gaps.is_empty(),
        };
        loop {
            let known = found.variables.len();
            visit::statements(&kernel.body, &mut |stmt| found.note(stmt));
            if found.variables.len() == known {
                return found;
            }
        }
    }

    fn note(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Assign { variable, value } if self.may_be(*value) => {
                self.variables.insert(*variable);
            }
            Stmt::Store {
                value: Value::Scalar(value),
                ..
            } => self.is_lost |= self.may_be(*value),
            Stmt::Atomic { operands: all, .. }
            | Stmt::Collective { arguments: all, .. }
            | Stmt::Opaque { pointers: all, .. } => {
                self.is_lost |= all.iter().any(|one| self.may_be(*one));
            }
            _ => {}
        }
    }

    /// Whether the value is made of such a pointer.
    fn may_be(&self, value: ExprId) -> bool {
        let mut found = false;
        visit::each_part(self.kernel, value, &mut |part| {
            found |= match part {
                Expr::Address(Object::Shared(id)) => *id == self.array,
                Expr::Var(variable) => self.variables.contains(variable),
                _ => false,
            };
        });
        found
    }

    /// Whether one of the accesses may go through such a pointer.
    fn reach(&self, sites: &FxHashSet<SiteId>) -> bool {
        let mut found = false;
        visit::statements(&self.kernel.body, &mut |stmt| {
            let (Stmt::Load { pointer, site, .. }
            | Stmt::Store { pointer, site, .. }
            | Stmt::Atomic { pointer, site, .. }
            | Stmt::Matrix { pointer, site, .. }
            | Stmt::OpaqueAccess { pointer, site, .. }) = stmt
            else {
                return;
            };
            found |= sites.contains(site)
                && (self.may_be(*pointer) || self.is_lost && !self.is_of_another(*pointer));
        });
        found
    }

    /// Whether the pointer is made of an object's address.
    fn is_of_another(&self, pointer: ExprId) -> bool {
        match self.kernel.expr(pointer) {
            Expr::Address(_) => true,
            Expr::Offset { pointer, .. } => self.is_of_another(*pointer),
            _ => false,
        }
    }
}
