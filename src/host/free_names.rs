//! Bound and free names of a lambda.
//!
//! Given a lambda's body, follows the scopes of declarations; a name is the lambda's own where no
//! mention of it lies outside of the scope of one of its own declarations. Text that is not read
//! mentions everything.

use crate::syntax::ast::{self, Expr, ExprKind, Initialiser, Stmt, StmtKind, Variable};
use crate::syntax::visit::Part;

/// Nesting below which everything is taken to be mentioned.
const MAX_DEPTH: u32 = 128;

/// Whether a name that a lambda mentions is a parameter or a variable of its own.
pub(super) fn is_own(l: &ast::Lambda, name: &str) -> bool {
    is_parameter(l, name) || !in_block(&l.body, name, MAX_DEPTH)
}

fn is_parameter(l: &ast::Lambda, name: &str) -> bool {
    l.parameters.iter().any(|p| p.name.as_deref() == Some(name))
}

fn declares(v: &Variable, name: &str) -> bool {
    &*v.name == name || v.bindings.iter().any(|b| &**b == name)
}

/// Whether statements in a row mention a variable from outside.
fn in_block(body: &[Stmt], name: &str, depth: u32) -> bool {
    for s in body {
        if let StmtKind::Variables(vs) = &s.kind {
            for v in vs.iter() {
                // Its own initialiser sees the new variable.
                if declares(v, name) {
                    return false;
                }
                if in_initialiser(v, name, depth) {
                    return true;
                }
            }
        } else if in_statement(s, name, depth) {
            return true;
        }
    }
    false
}

fn in_initialiser(v: &Variable, name: &str, depth: u32) -> bool {
    match &v.init {
        Some(Initialiser::Equals(e) | Initialiser::Brace(e)) => in_expr(e, name, depth),
        Some(Initialiser::Paren(es)) => es.iter().any(|e| in_expr(e, name, depth)),
        None => false,
    }
}

/// Whether an initial statement mentions the name: `Some(false)` where it declares it, for all that follows.
fn head(s: &Stmt, name: &str, depth: u32) -> Option<bool> {
    match &s.kind {
        StmtKind::Variables(vs) => {
            for v in vs.iter() {
                if declares(v, name) {
                    return Some(false);
                }
                if in_initialiser(v, name, depth) {
                    return Some(true);
                }
            }
            None
        }
        _ => in_statement(s, name, depth).then_some(true),
    }
}

fn in_statement(s: &Stmt, name: &str, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return true;
    };
    match &s.kind {
        StmtKind::Block(body) => return in_block(body, name, depth),
        StmtKind::Switch { value, body } => {
            return in_expr(value, name, depth) || in_block(body, name, depth);
        }
        // The range does not see the variable that goes through it.
        StmtKind::RangeFor { range, .. } if in_expr(range, name, depth) => return true,
        StmtKind::Asm(_) | StmtKind::Error => return true,
        _ => {}
    }
    let mut is_first = matches!(s.kind, StmtKind::If { .. } | StmtKind::For { .. });
    let mut answer = None;
    s.each_part(&mut |part| {
        let is_head = std::mem::take(&mut is_first);
        answer = answer.or_else(|| match part {
            Part::Stmt(initial) if is_head => head(initial, name, depth),
            Part::Stmt(body) => in_block(std::slice::from_ref(body), name, depth).then_some(true),
            Part::Expr(e) => in_expr(e, name, depth).then_some(true),
            Part::Variable(v) if declares(v, name) => Some(false),
            Part::Variable(v) => in_initialiser(v, name, depth).then_some(true),
        });
    });
    answer.unwrap_or(false)
}

fn in_expr(e: &Expr, name: &str, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return true;
    };
    match &e.kind {
        ExprKind::Path(p) => p.segments.last().is_some_and(|s| &*s.name == name),
        ExprKind::Lambda(l) => {
            let mut inits = l.captures.listed.iter().filter_map(|c| c.init.as_ref());
            inits.any(|e| in_expr(e, name, depth))
                || !is_parameter(l, name) && in_block(&l.body, name, depth)
        }
        ExprKind::Error => true,
        _ => {
            let mut any = false;
            e.each_operand(&mut |c| any = any || in_expr(c, name, depth));
            any
        }
    }
}
