//! What `decltype(auto)` stands for, by the `return` statements of a body: a place or a value.

use crate::sema::consteval;
use crate::sema::scope::{self, Env, Names};
use crate::syntax::ast::{Condition, Stmt, StmtKind};
use crate::syntax::visit::Part;

/// Statements in one another, below which nothing is looked for.
const DEEPEST: u32 = 64;

/// Whether a `return` of `body` gives a place. What `if constexpr` leaves out does not count.
pub(super) fn gives_place(names: &Names<'_>, env: &Env, body: &[Stmt]) -> bool {
    body.iter()
        .any(|stmt| in_statement(names, env, stmt, DEEPEST))
}

fn in_statement(names: &Names<'_>, env: &Env, stmt: &Stmt, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    match &stmt.kind {
        StmtKind::Return(Some(e)) => scope::is_lvalue(names, env, e),
        StmtKind::If {
            is_constexpr: true,
            condition: Condition::Expr(condition),
            then,
            otherwise,
            ..
        } => {
            let holds = consteval::eval(names, env, condition).and_then(|value| value.as_int());
            let is_meant = |arm: bool| holds.is_none_or(|value| (value != 0) == arm);
            let in_arm = |arm: &Stmt| in_statement(names, env, arm, depth);
            is_meant(true) && in_arm(then)
                || is_meant(false) && otherwise.as_deref().is_some_and(in_arm)
        }
        _ => {
            let mut found = false;
            stmt.each_part(&mut |part| {
                if let Part::Stmt(inner) = part {
                    found |= in_statement(names, env, inner, depth);
                }
            });
            found
        }
    }
}
