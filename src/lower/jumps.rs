//! Jumps: `goto`, early exits, and which statements may be left by them.
//!
//! Given statements as they are written or lowered; says where they end, jump to, or can be jumped into.

use super::context::{GotoTarget, Lower};
use crate::ir::{Block, Loop, Scalar, Stmt};
use crate::syntax::ast::{self, StmtKind};
use rustc_hash::FxHashMap;

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
        let stops = self.stops_so_far();
        let depth = self.frame.targets.len();
        self.frame.targets.push(GotoTarget {
            name: name.clone(),
            aim: self.aim(continue_label),
            is_used: true,
        });
        self.push_block();
        self.loop_depth += 1;
        self.statements(body, false);
        self.emit(Stmt::Exit(break_label));
        self.loop_depth -= 1;
        let body = self.pop_block();
        self.frame.targets.truncate(depth);
        let span = self.span(range);
        let condition = self.arena.int(1, Scalar::Bool);
        self.emit_in_turns(Loop {
            id,
            pretest: true,
            prelude: Block::new(),
            condition,
            body,
            step: Block::new(),
            continue_label,
            break_label,
            stops: self.stops_so_far() - stops,
            span,
        });
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

pub(super) fn exits_to(block: &[Stmt], label: crate::ir::LabelId) -> bool {
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

/// The jumps that stand in each of some statements, inner ones included, by the label that they name.
///
/// Looked at once for all labels: where each label looks for its jumps, a text of many takes the square of it.
pub(super) struct Jumps<'s> {
    stmts: &'s [ast::Stmt],
    /// Places of the statements, in order.
    from: FxHashMap<&'s str, Vec<usize>>,
}

impl<'s> Jumps<'s> {
    pub fn of(stmts: &'s [ast::Stmt]) -> Self {
        let mut from = FxHashMap::default();
        let is_label = |stmt: &ast::Stmt| matches!(stmt.kind, StmtKind::Label(_));
        if stmts.iter().any(is_label) {
            for (at, stmt) in stmts.iter().enumerate() {
                collect(stmt, at, &mut from);
            }
        }
        Self { stmts, from }
    }

    /// Where the loop ends that jumps back to the label at `at` make: at the last of them before `past`.
    pub fn loop_at(&self, at: usize, past: usize) -> Option<usize> {
        let StmtKind::Label(name) = &self.stmts.get(at)?.kind else {
            return None;
        };
        let from = self.from.get(&**name)?;
        let last = from.partition_point(|place| *place < past).checked_sub(1)?;
        Some(from[last]).filter(|last| *last > at)
    }

    /// The loops that jumps back make among the statements from `at` to `past`, inner ones included: label
    /// and end.
    fn loops(&self, mut at: usize, past: usize, found: &mut Vec<(usize, usize)>) {
        while at < past {
            if let Some(last) = self.loop_at(at, past) {
                found.push((at, last));
                self.loops(at + 1, last + 1, found);
                at = last;
            }
            at += 1;
        }
    }
}

/// Adds the labels that a statement, which stands at `at`, jumps to.
fn collect<'s>(stmt: &'s ast::Stmt, at: usize, into: &mut FxHashMap<&'s str, Vec<usize>>) {
    if let StmtKind::Goto(name) = &stmt.kind {
        let places = into.entry(&**name).or_default();
        if places.last() != Some(&at) {
            places.push(at);
        }
        return;
    }
    stmt.any_inside(&mut |inner| {
        collect(inner, at, into);
        false
    });
}

/// A `goto` that jumps into a block or loop, which nothing here follows.
pub(super) fn wild_jump(body: &[ast::Stmt]) -> Option<&ast::Name> {
    let mut found = None;
    find_wild(body, &mut Vec::new(), &mut found);
    found
}

/// A list of statements around the present place.
struct Around<'s> {
    stmts: &'s [ast::Stmt],
    /// Which of them that is in.
    at: usize,
    /// Made where a jump asks.
    targets: Option<Targets<'s>>,
}

/// Where jumps go in a list of statements.
struct Targets<'s> {
    /// The first label of each name.
    labels: FxHashMap<&'s str, usize>,
    loops: Vec<(usize, usize)>,
}

impl<'s> Targets<'s> {
    fn of(stmts: &'s [ast::Stmt]) -> Self {
        let mut labels = FxHashMap::default();
        for (at, stmt) in stmts.iter().enumerate() {
            if let StmtKind::Label(name) = &stmt.kind {
                labels.entry(&**name).or_insert(at);
            }
        }
        let mut loops = Vec::new();
        Jumps::of(stmts).loops(0, stmts.len(), &mut loops);
        Self { labels, loops }
    }

    /// Whether no jump from one place to another goes into a loop that jumps back make.
    fn is_tame(&self, from: usize, to: usize) -> bool {
        let is_in = |at: usize, head: usize, end: usize| head < at && at <= end;
        let mut loops = self.loops.iter();
        loops.all(|(head, end)| !is_in(to, *head, *end) || is_in(from, *head, *end))
    }
}

fn find_wild<'s>(
    stmts: &'s [ast::Stmt],
    around: &mut Vec<Around<'s>>,
    found: &mut Option<&'s ast::Name>,
) {
    let depth = around.len();
    around.push(Around {
        stmts,
        at: 0,
        targets: None,
    });
    for (at, stmt) in stmts.iter().enumerate() {
        around[depth].at = at;
        match &stmt.kind {
            StmtKind::Goto(name) => {
                let is_tame = around.iter_mut().rev().find_map(|list| {
                    let stmts = list.stmts;
                    let targets = list.targets.get_or_insert_with(|| Targets::of(stmts));
                    let to = *targets.labels.get(&**name)?;
                    Some(targets.is_tame(list.at, to))
                });
                if is_tame != Some(true) {
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
    }
    around.truncate(depth);
}
