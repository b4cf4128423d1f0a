//! Jumps: `goto`, early exits, and which statements may be left by them.
//!
//! Given statements as they are written or lowered; says where they end, jump to, or can be jumped into.

use super::context::Lower;
use crate::ir::{Block, Loop, Scalar, Stmt};
use crate::syntax::ast::{self, StmtKind};

impl Lower<'_> {
    /// What stands between a label and the last statement that jumps back to it: a loop that each jump
    /// goes on with, and that the end leaves.
    pub(super) fn loop_of_jumps(
        &mut self,
        name: &ast::Name,
        body: &[ast::Stmt],
        range: ast::Range,
    ) {
        let id = self.loop_id();
        let (continue_label, break_label) = (self.label(), self.label());
        let depth = self.frame.targets.len();
        self.frame
            .targets
            .push((name.clone(), continue_label, true));
        self.push_block();
        self.loop_depth += 1;
        self.statements(body, false);
        self.emit(Stmt::Exit(break_label));
        self.loop_depth -= 1;
        let body = self.pop_block();
        self.frame.targets.truncate(depth);
        let span = self.span(range);
        let condition = self.arena.int(1, Scalar::Bool);
        self.emit(Stmt::Loop(Box::new(Loop {
            id,
            pretest: true,
            prelude: Block::new(),
            condition,
            body,
            step: Block::new(),
            continue_label,
            break_label,
            span,
        })));
    }
}

/// Whether control never runs past the end of these statements.
pub(super) fn ends(stmts: &[ast::Stmt]) -> bool {
    match stmts
        .iter()
        .rev()
        .find(|stmt| !matches!(stmt.kind, StmtKind::Empty))
        .map(|stmt| &stmt.kind)
    {
        Some(StmtKind::Break | StmtKind::Continue | StmtKind::Return(_)) => true,
        Some(StmtKind::Block(inner)) => ends(inner),
        _ => false,
    }
}

/// Whether a `break` or `continue` in `stmt` belongs to the loop around it.
pub(super) fn jumps(stmt: &ast::Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Break | StmtKind::Continue => true,
        StmtKind::Block(stmts) => stmts.iter().any(jumps),
        StmtKind::If {
            then, otherwise, ..
        } => jumps(then) || otherwise.as_deref().is_some_and(jumps),
        StmtKind::Switch { body, .. } => body.iter().any(jumps),
        _ => false,
    }
}

pub(super) fn trim_exit(block: &mut Block, label: crate::ir::LabelId) {
    match block.last_mut() {
        Some(Stmt::Exit(to)) if *to == label => {
            block.pop();
        }
        Some(Stmt::If {
            then, otherwise, ..
        }) => {
            trim_exit(then, label);
            trim_exit(otherwise, label);
        }
        _ => {}
    }
}

pub(super) fn exits_to(block: &Block, label: crate::ir::LabelId) -> bool {
    block.iter().any(|stmt| match stmt {
        Stmt::Exit(to) => *to == label,
        Stmt::If {
            then, otherwise, ..
        } => exits_to(then, label) || exits_to(otherwise, label),
        Stmt::Labelled { body, .. } => exits_to(body, label),
        Stmt::Loop(body) => {
            exits_to(&body.prelude, label)
                || exits_to(&body.body, label)
                || exits_to(&body.step, label)
        }
        _ => false,
    })
}

/// Whether a label of the `switch` around the statement stands inside of it.
pub(super) fn has_inner_case(stmt: &ast::Stmt) -> bool {
    let is_case = |stmt: &ast::Stmt| {
        matches!(stmt.kind, StmtKind::Case(_) | StmtKind::Default) || has_inner_case(stmt)
    };
    !matches!(stmt.kind, StmtKind::Switch { .. }) && stmt.any_inside(&mut |inner| is_case(inner))
}

/// Where the loop ends that jumps back to the label at `at` make: at the last of them.
pub(super) fn loop_at(stmts: &[ast::Stmt], at: usize) -> Option<usize> {
    let StmtKind::Label(name) = &stmts.get(at)?.kind else {
        return None;
    };
    let after = stmts.get(at + 1..)?;
    let last = after.iter().rposition(|stmt| jumps_to(stmt, name))?;
    Some(at + 1 + last)
}

/// The loops that jumps back make among statements, inner ones included: label and end.
fn loops_of(stmts: &[ast::Stmt], before: usize, found: &mut Vec<(usize, usize)>) {
    let mut at = 0;
    while at < stmts.len() {
        if let Some(last) = loop_at(stmts, at) {
            found.push((before + at, before + last));
            let body = stmts.get(at + 1..=last).unwrap_or(&[]);
            loops_of(body, before + at + 1, found);
            at = last;
        }
        at += 1;
    }
}

/// A `goto` that jumps into a block or loop, which nothing here follows.
pub(super) fn wild_jump(body: &[ast::Stmt]) -> Option<&ast::Name> {
    let mut found = None;
    find_wild(body, &mut Vec::new(), &mut found);
    found
}

/// A list of statements around the present place, and which of them that is in.
type Around<'s> = (&'s [ast::Stmt], usize);

fn find_wild<'s>(
    stmts: &'s [ast::Stmt],
    around: &mut Vec<Around<'s>>,
    found: &mut Option<&'s ast::Name>,
) {
    for (at, stmt) in stmts.iter().enumerate() {
        around.push((stmts, at));
        match &stmt.kind {
            StmtKind::Goto(name) => {
                let list = around.iter().rev().find_map(|(list, at)| {
                    let is_label = |stmt: &ast::Stmt| matches!(&stmt.kind, StmtKind::Label(label) if label == name);
                    list.iter().position(is_label).map(|to| (*list, *at, to))
                });
                // No jump goes into a loop that jumps back make.
                let is_tame = list.is_some_and(|(list, from, to)| {
                    let mut loops = Vec::new();
                    loops_of(list, 0, &mut loops);
                    let is_in = |at: usize, head: usize, end: usize| head < at && at <= end;
                    loops
                        .iter()
                        .all(|(head, end)| !is_in(to, *head, *end) || is_in(from, *head, *end))
                });
                if !is_tame {
                    *found = Some(name);
                }
            }
            StmtKind::Block(body) => find_wild(body, around, found),
            // Each group of a switch is a list of its own.
            StmtKind::Switch { body, .. } => {
                let is_case =
                    |stmt: &ast::Stmt| matches!(stmt.kind, StmtKind::Case(_) | StmtKind::Default);
                for group in body.split(is_case) {
                    find_wild(group, around, found);
                }
            }
            StmtKind::If {
                then, otherwise, ..
            } => {
                find_wild(std::slice::from_ref(&**then), around, found);
                if let Some(otherwise) = otherwise {
                    find_wild(std::slice::from_ref(&**otherwise), around, found);
                }
            }
            StmtKind::For { body, .. }
            | StmtKind::RangeFor { body, .. }
            | StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. } => {
                find_wild(std::slice::from_ref(&**body), around, found);
            }
            _ => {}
        }
        around.pop();
    }
}

/// Whether a `goto` in the statement names the label.
fn jumps_to(stmt: &ast::Stmt, label: &str) -> bool {
    match &stmt.kind {
        StmtKind::Goto(name) => **name == *label,
        _ => stmt.any_inside(&mut |inner| jumps_to(inner, label)),
    }
}
