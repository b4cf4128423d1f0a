//! Statements in expressions, `({ int x = f(); x + 1; })`, which are read as lambdas that are called.

use std::sync::Arc;

use crate::syntax::ast::{Captures, Expr, ExprKind, Lambda, Stmt, StmtKind, UnaryOp};
use crate::syntax::parse::context::Context;
use crate::syntax::parse::cst::Node;
use crate::syntax::visit::Part;

impl Context<'_> {
    /// `({ a; b; })`: a lambda called at once, its last expression returned.
    pub(super) fn statement_expression(&self, body: Node<'_>) -> ExprKind {
        let range = body.range();
        let mut body = self.block(body);
        if leaves(&body, Inside::default()) {
            self.problem(range, "a jump out of a statement in an expression");
            return ExprKind::Error;
        }
        if let Some(last) = body.last_mut()
            && let StmtKind::Expr(value) = &last.kind
        {
            last.kind = StmtKind::Return(Some(value.clone()));
        }
        let lambda = Lambda {
            templates: Vec::new(),
            parameters: Vec::new(),
            body,
            captures_by_reference: true,
            is_mutable: false,
            captures: Captures {
                default: Some(true),
                listed: Vec::new(),
            },
            mentioned: Vec::new(),
            result: None,
            range,
        };
        let callee = Box::new(Expr {
            kind: ExprKind::Lambda(Arc::new(lambda)),
            range,
        });
        ExprKind::Call {
            callee,
            arguments: Vec::new(),
        }
    }
}

/// What a statement may jump to without leaving what is looked at.
#[derive(Clone, Copy, Default)]
struct Inside {
    is_loop: bool,
    is_switch: bool,
}

/// Whether a statement may jump out of those around it.
fn leaves(body: &[Stmt], inside: Inside) -> bool {
    body.iter().any(|one| leaves_one(one, inside))
}

fn leaves_one(one: &Stmt, mut inside: Inside) -> bool {
    match &one.kind {
        StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::Label(_) => return true,
        StmtKind::Break => return !(inside.is_loop || inside.is_switch),
        StmtKind::Continue => return !inside.is_loop,
        StmtKind::For { .. }
        | StmtKind::RangeFor { .. }
        | StmtKind::While { .. }
        | StmtKind::DoWhile { .. } => inside.is_loop = true,
        StmtKind::Switch { .. } => inside.is_switch = true,
        _ => {}
    }
    let mut found = false;
    one.each_part(&mut |part| {
        if let Part::Stmt(inner) = part {
            found |= leaves_one(inner, inside);
        }
    });
    found
}

/// Whether it makes no difference how often an expression is evaluated.
pub(super) fn is_pure(e: &Expr) -> bool {
    use UnaryOp::{PostDecrement, PostIncrement, PreDecrement, PreIncrement};
    let is_plain = match &e.kind {
        ExprKind::Path(_)
        | ExprKind::This
        | ExprKind::Int { .. }
        | ExprKind::Bool(_)
        | ExprKind::Null
        | ExprKind::Binary(..)
        | ExprKind::Member { .. }
        | ExprKind::Index(..)
        | ExprKind::Cast { .. } => true,
        ExprKind::Unary(op, _) => !matches!(
            op,
            PreIncrement | PreDecrement | PostIncrement | PostDecrement
        ),
        _ => false,
    };
    let mut is_pure_within = is_plain;
    e.each_operand(&mut |inner| is_pure_within &= is_pure(inner));
    is_pure_within
}
