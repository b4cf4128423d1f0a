//! Counters of loops that are not run turn by turn: what a loop's condition says they are not above in its body.
//!
//! A world remembers that as a variable that no program can name, behind the counter that it speaks of.

use super::walk::{Walk, World};
use crate::ir::Scalar;
use crate::sema::consteval::Value;
use crate::sema::scope::Env;
use crate::sema::types::Type;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Name, Stmt};

/// What names of bounds begin with.
const KEPT: char = '<';

impl Walk<'_, '_> {
    /// Notes in the world of a loop's body what its counter is not above, where nothing in the body writes it.
    pub(super) fn note_most(
        &self,
        env: &Env,
        world: &mut World,
        condition: Option<&Expr>,
        body: &Stmt,
    ) {
        let Some(ExprKind::Binary(op, counter, end)) = condition.map(|condition| &condition.kind)
        else {
            return;
        };
        let ExprKind::Path(path) = &counter.kind else {
            return;
        };
        let less = match op {
            BinaryOp::Lt => 1,
            BinaryOp::Le => 0,
            _ => return,
        };
        let end = self.integer(env, world, end);
        let (Some(name), Some(end)) = (path.as_name(), end) else {
            return;
        };
        let writes = self.survey.writes(&[body], &[]);
        let is_written = writes.everything || writes.names.contains(name);
        if !is_written && world.get(name).is_some_and(|own| !own.is_escaped) {
            let most = Value::int(end.saturating_sub(less), Scalar::I64);
            let kept = Name::from(format!("{KEPT}{name}"));
            world.push(kept, Type::number(Scalar::I64), Some(most));
        }
    }
}

/// What a variable is not above, if a loop's condition says so.
pub(super) fn most_of(world: &World, name: &Name) -> Option<i64> {
    let (own, kept) = (world.place(name)?, world.place(&format!("{KEPT}{name}"))?);
    // A variable that was declared since is another one.
    (own < kept).then(|| world.slots[kept].value.as_ref()?.as_int())?
}
