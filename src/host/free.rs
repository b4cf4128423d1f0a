//! Bound and free names of a lambda.
//!
//! Given a lambda's body, follows the scopes of declarations; a name is the lambda's own where no
//! mention of it lies outside of the scope of one of its own declarations. Text that is not read
//! mentions everything.

use crate::syntax::ast::{self, Condition, Expr, ExprKind, Initialiser, Stmt, StmtKind, Variable};

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

/// What an initial statement or a condition does: declares the name, mentions it, or neither.
fn head(s: Option<&Stmt>, name: &str, depth: u32) -> Option<bool> {
    let s = s?;
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

fn condition(c: &Condition, name: &str, depth: u32) -> Option<bool> {
    match c {
        Condition::Expr(e) => in_expr(e, name, depth).then_some(true),
        Condition::Variable(v) if declares(v, name) => Some(false),
        Condition::Variable(v) => in_initialiser(v, name, depth).then_some(true),
    }
}

fn in_statement(s: &Stmt, name: &str, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return true;
    };
    let one = |s: &Stmt| in_block(std::slice::from_ref(s), name, depth);
    match &s.kind {
        StmtKind::Block(body) => in_block(body, name, depth),
        StmtKind::Switch { value, body } => {
            in_expr(value, name, depth) || in_block(body, name, depth)
        }
        StmtKind::Expr(e) | StmtKind::Return(Some(e)) | StmtKind::Case(e) => {
            in_expr(e, name, depth)
        }
        StmtKind::If {
            init,
            condition: c,
            then,
            otherwise,
            ..
        } => head(init.as_deref(), name, depth)
            .or_else(|| condition(c, name, depth))
            .unwrap_or_else(|| one(then) || otherwise.as_deref().is_some_and(one)),
        StmtKind::For {
            init,
            condition,
            step,
            body,
        } => head(init.as_deref(), name, depth).unwrap_or_else(|| {
            let mut besides = condition.iter().chain(step);
            besides.any(|e| in_expr(e, name, depth)) || one(body)
        }),
        StmtKind::RangeFor {
            variable,
            range,
            body,
        } => in_expr(range, name, depth) || (!declares(variable, name) && one(body)),
        StmtKind::While { condition: c, body } => {
            condition(c, name, depth).unwrap_or_else(|| one(body))
        }
        StmtKind::DoWhile { body, condition } => one(body) || in_expr(condition, name, depth),
        StmtKind::Variables(_) => one(s),
        StmtKind::Asm(_) | StmtKind::Error => true,
        StmtKind::Empty
        | StmtKind::Alias(_)
        | StmtKind::Record(_)
        | StmtKind::Enum(_)
        | StmtKind::Using(_)
        | StmtKind::UsingNamespace(_)
        | StmtKind::Default
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(None)
        | StmtKind::Goto(_)
        | StmtKind::Label(_) => false,
    }
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
