//! Every statement of a block and every part of an expression, nested ones included.
//!
//! Given a block, hands each statement to a function in the order of the text; given an expression, each
//! of its parts. Knows nothing of what they mean.

use super::{Block, Expr, ExprId, Kernel, LabelId, Stmt, Value, VarId};
use rustc_hash::FxHashSet;

/// Calls `visit` for each statement, outer ones first.
pub fn statements<'k>(block: &'k [Stmt], visit: &mut dyn FnMut(&'k Stmt)) {
    for stmt in block {
        visit(stmt);
        match stmt {
            Stmt::If {
                then, otherwise, ..
            } => {
                statements(then, visit);
                statements(otherwise, visit);
            }
            Stmt::Loop(inner) => {
                statements(&inner.prelude, visit);
                statements(&inner.body, visit);
                statements(&inner.step, visit);
            }
            Stmt::Labelled { body, .. } => statements(body, visit),
            _ => {}
        }
    }
}

/// Calls `visit` for each statement, outer ones first; it may change them.
pub fn statements_mut(block: &mut Block, visit: &mut dyn FnMut(&mut Stmt)) {
    for stmt in block {
        visit(stmt);
        match stmt {
            Stmt::If {
                then, otherwise, ..
            } => {
                statements_mut(then, visit);
                statements_mut(otherwise, visit);
            }
            Stmt::Loop(inner) => {
                statements_mut(&mut inner.prelude, visit);
                statements_mut(&mut inner.body, visit);
                statements_mut(&mut inner.step, visit);
            }
            Stmt::Labelled { body, .. } => statements_mut(body, visit),
            _ => {}
        }
    }
}

/// Adds the labels that the statements have themselves: jumps to those stay inside.
pub fn add_labels(block: &[Stmt], labels: &mut FxHashSet<LabelId>) {
    statements(block, &mut |stmt| match stmt {
        Stmt::Labelled { label, .. } => {
            labels.insert(*label);
        }
        Stmt::Loop(inner) => labels.extend([inner.break_label, inner.continue_label]),
        _ => {}
    });
}

/// Whether a statement itself jumps to another place than the labels `inside`.
#[must_use]
pub fn leaves(stmt: &Stmt, inside: &FxHashSet<LabelId>) -> bool {
    match stmt {
        Stmt::Exit(to) => !inside.contains(to),
        Stmt::Return => true,
        _ => false,
    }
}

/// Calls `visit` for each variable that a statement itself writes by name.
pub fn each_written(stmt: &Stmt, visit: &mut dyn FnMut(VarId)) {
    match stmt {
        Stmt::Assign { variable, .. } => visit(*variable),
        Stmt::Load { target, .. } => visit(*target),
        Stmt::Atomic { target, .. } | Stmt::Collective { target, .. } => {
            target.iter().copied().for_each(visit);
        }
        Stmt::Matrix { targets, .. } => targets.iter().copied().for_each(visit),
        Stmt::Opaque { variables, .. } => variables.iter().copied().for_each(visit),
        _ => {}
    }
}

/// Calls `visit` for each expression that a statement itself evaluates.
pub fn each_evaluated(stmt: &Stmt, visit: &mut dyn FnMut(ExprId)) {
    match stmt {
        Stmt::Assign { value, .. } => visit(*value),
        Stmt::Load { pointer, .. }
        | Stmt::Matrix { pointer, .. }
        | Stmt::OpaqueAccess { pointer, .. } => visit(*pointer),
        Stmt::Store { pointer, value, .. } => {
            visit(*pointer);
            if let Value::Scalar(value) = value {
                visit(*value);
            }
        }
        Stmt::Atomic {
            pointer, operands, ..
        } => {
            visit(*pointer);
            operands.iter().copied().for_each(visit);
        }
        Stmt::If { condition, .. } | Stmt::Assume { condition, .. } => visit(*condition),
        Stmt::Loop(inner) => visit(inner.condition),
        Stmt::Collective { arguments, .. } => arguments.iter().copied().for_each(visit),
        Stmt::Opaque { pointers, .. } => pointers.iter().copied().for_each(visit),
        Stmt::Labelled { .. } | Stmt::Exit(_) | Stmt::Return | Stmt::Barrier { .. } => {}
    }
}

/// Whether a block reaches an access of memory before it ends the kernel for all that are there.
#[must_use]
pub fn reaches_memory(block: &[Stmt]) -> bool {
    let is_access = |stmt: &Stmt| {
        matches!(
            stmt,
            Stmt::Load { .. }
                | Stmt::Store { .. }
                | Stmt::Atomic { .. }
                | Stmt::Matrix { .. }
                | Stmt::OpaqueAccess { .. }
        )
    };
    let end = block.iter().position(|stmt| matches!(stmt, Stmt::Return));
    let mut found = false;
    statements(&block[..end.unwrap_or(block.len())], &mut |stmt| {
        found |= is_access(stmt);
    });
    found
}

/// An expression and all its parts, each once.
pub fn each_part(kernel: &Kernel, id: ExprId, visit: &mut impl FnMut(&Expr)) {
    each_part_of(&kernel.exprs, id, visit);
}

/// Whether an expression reads a variable that is meant.
pub fn mentions(kernel: &Kernel, id: ExprId, is_meant: &dyn Fn(VarId) -> bool) -> bool {
    let mut found = false;
    each_part(kernel, id, &mut |part| {
        found |= matches!(part, Expr::Var(variable) if is_meant(*variable));
    });
    found
}

/// As [`each_part`], of an expression among these.
pub fn each_part_of(exprs: &[Expr], id: ExprId, visit: &mut impl FnMut(&Expr)) {
    each_unseen_part_of(exprs, id, &mut FxHashSet::default(), visit);
}

/// As [`each_part_of`], but for parts that were seen before.
pub fn each_unseen_part_of(
    exprs: &[Expr],
    id: ExprId,
    seen: &mut FxHashSet<ExprId>,
    visit: &mut impl FnMut(&Expr),
) {
    let mut waiting = vec![id];
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        let expr = &exprs[id.index()];
        visit(expr);
        match expr {
            Expr::Int { .. }
            | Expr::Float { .. }
            | Expr::Var(_)
            | Expr::Builtin(_)
            | Expr::Address(_) => {}
            Expr::Unary { value, .. } | Expr::Cast { value, .. } => waiting.push(*value),
            Expr::Binary { left, right, .. } | Expr::Distance { left, right } => {
                waiting.extend([*left, *right]);
            }
            Expr::Select {
                condition,
                then,
                otherwise,
                ..
            } => waiting.extend([*condition, *then, *otherwise]),
            Expr::Offset { pointer, bytes, .. } => waiting.extend([*pointer, *bytes]),
            Expr::Intrinsic { arguments, .. } => waiting.extend(arguments),
            Expr::Unknown { inputs, .. } => waiting.extend(inputs),
        }
    }
}
