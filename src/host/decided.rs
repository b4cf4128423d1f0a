//! Conditions that a world has been chosen by: `int a = r ? 0 : 1; int b = r ? 1 : 0;` gives two worlds, not four.
//!
//! A world remembers them as variables that no program can name. Only conditions over variables that nobody writes again
//! are kept.

use super::walk::{Walk, World};
use crate::ir::Scalar;
use crate::sema::consteval::Value;
use crate::sema::types::Type;
use crate::syntax::ast::{Expr, ExprKind, Name, UnaryOp};

const MAX_DEPTH: u32 = 16;
/// What names of conditions begin with.
const KEPT: char = '?';

impl Walk<'_, '_> {
    /// The name under which a world keeps a condition, if its value can't change.
    pub(super) fn kept_as(&self, condition: &Expr) -> Option<Name> {
        let mut names = Vec::new();
        let is_plain = plain_names(condition, &mut names, MAX_DEPTH) && !names.is_empty();
        let is_fixed = |name: &&Name| !self.survey.written.contains(*name);
        (is_plain && names.iter().all(is_fixed))
            .then(|| Name::from(format!("{KEPT}{}", crate::sema::text(condition))))
    }

    /// What a world was chosen by, if it was by this condition.
    pub(super) fn decided(&self, world: &World, condition: &Expr) -> Option<bool> {
        if !world.slots.iter().any(|slot| slot.name.starts_with(KEPT)) {
            return None;
        }
        let key = self.kept_as(condition)?;
        let at = world.place(&key)?;
        let mut names = Vec::new();
        plain_names(condition, &mut names, MAX_DEPTH);
        // A variable that was declared since is another one; somebody may write one whose address is known.
        let is_older = |name: &&Name| {
            let own = world.place(name);
            own.is_none_or(|own| own < at && !world.slots[own].is_escaped)
        };
        names
            .iter()
            .all(is_older)
            .then(|| world.slots[at].value.as_ref()?.as_bool())
            .flatten()
    }
}

/// Keeps a condition, whether it is known or not: worlds of one place have the same variables.
pub(super) fn keep(world: &mut World, key: &Name, holds: Option<bool>) {
    let value = holds.map(|holds| Value::int(i64::from(holds), Scalar::Bool));
    world.push(key.clone(), Type::number(Scalar::Bool), value);
}

/// Whether an expression is made of names, numbers and operators without effects.
fn plain_names<'e>(e: &'e Expr, names: &mut Vec<&'e Name>, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    match &e.kind {
        ExprKind::Int { .. } | ExprKind::Bool(_) => true,
        ExprKind::Path(path) => {
            let name = path.as_name();
            names.extend(name);
            name.is_some()
        }
        ExprKind::Unary(UnaryOp::Not | UnaryOp::Neg, a) => plain_names(a, names, depth),
        ExprKind::Binary(_, a, b) => plain_names(a, names, depth) && plain_names(b, names, depth),
        _ => false,
    }
}
