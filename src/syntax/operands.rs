//! The operands of an expression.

use super::ast::{Expr, ExprKind};

impl Expr {
    /// Calls `f` on the direct operands of an expression (not into lambdas).
    pub fn each_operand<'e>(&'e self, f: &mut dyn FnMut(&'e Self)) {
        match &self.kind {
            ExprKind::Unary(_, a)
            | ExprKind::Sizeof(a)
            | ExprKind::Expand(a)
            | ExprKind::Cast { value: a, .. }
            | ExprKind::Member { object: a, .. } => f(a),
            ExprKind::Binary(_, a, b) | ExprKind::Assign(_, a, b) => {
                f(a);
                f(b);
            }
            ExprKind::Conditional(a, b, c) => {
                f(a);
                f(b);
                f(c);
            }
            ExprKind::Call { callee, arguments } => {
                f(callee);
                arguments.iter().for_each(f);
            }
            ExprKind::Launch {
                callee,
                config,
                arguments,
            } => {
                f(callee);
                config.iter().chain(arguments).for_each(f);
            }
            ExprKind::Index(base, at) => {
                f(base);
                at.iter().for_each(f);
            }
            ExprKind::Construct { arguments, .. } => arguments.iter().for_each(f),
            ExprKind::List(items) => items.iter().for_each(|(_, e)| f(e)),
            ExprKind::Fold { pack, init, .. } => {
                f(pack);
                if let Some(init) = init {
                    f(init);
                }
            }
            _ => {}
        }
    }
}
