//! A `switch` with labels inside of its blocks, branches and loops.
//!
//! Which label a lane enters by follows from the value alone. So each stretch of statements runs in the
//! lanes that entered by a label in front of it. A loop that has labels inside gets its first turn apart:
//! later turns have all of the body.

use super::context::Lower;
use super::jumps::has_inner_case;
use super::stmt::Test;
use crate::ir::{Binary, Block, ExprId, Scalar, Stmt, Unary};
use crate::syntax::ast::{self, Condition, StmtKind};
use std::ops::Range;

/// The labels of a `switch` in the order of the text.
struct Entries {
    /// Whether the value is that of the label; `None` is `default`.
    hits: Vec<Option<ExprId>>,
    /// How many of them stand in front of the present place.
    passed: usize,
}

impl Lower<'_> {
    /// `value` is an integer that stays as it is.
    pub(super) fn switch_with_inner_cases(
        &mut self,
        value: ExprId,
        body: &[ast::Stmt],
        range: ast::Range,
    ) {
        let entries = if body.iter().all(is_followed) {
            self.entries(value, body)
        } else {
            None
        };
        let Some(mut entries) = entries else {
            let reason = "a `case` inside of a loop or block of the `switch`";
            return self.forget_locals(reason, range);
        };
        let end = self.label();
        self.frame.breaks.push(self.aim(end));
        self.push_block();
        self.scoped(|this| {
            let all = entries.hits.len();
            let is_hit = this.enters_by(&entries, 0..all);
            let misses = this.arena.unary(Unary::LogicalNot, is_hit, Scalar::Bool);
            match this.arena.as_bool(misses) {
                Some(false) => {}
                Some(true) => return,
                None => this.emit_if(misses, vec![Stmt::Exit(end)], Block::new(), range),
            }
            this.entered(body, &mut entries);
        });
        self.frame.breaks.pop();
        self.labelled(end);
    }

    /// The labels among statements; none where the value of one is not known.
    fn entries(&mut self, value: ExprId, body: &[ast::Stmt]) -> Option<Entries> {
        let mut labels = Vec::new();
        body.iter().for_each(|stmt| labels_of(stmt, &mut labels));
        let ty = self.arena.ty(value);
        let mut hits = Vec::new();
        for label in labels {
            let Some(e) = label else {
                hits.push(None);
                continue;
            };
            let case = self.value(e);
            let case = self.scalar_of(case, ty, e.range);
            self.arena.as_int(case)?;
            hits.push(Some(self.arena.binary(Binary::Eq, value, case, ty)));
        }
        Some(Entries { hits, passed: 0 })
    }

    /// Whether a lane that enters at all enters by one of these labels.
    fn enters_by(&mut self, entries: &Entries, labels: Range<usize>) -> ExprId {
        let (own, others): (Vec<_>, Vec<_>) =
            (0..entries.hits.len()).partition(|at| labels.contains(at));
        let is_default = own.iter().any(|at| entries.hits[*at].is_none());
        // By `default` goes whoever goes by no other label.
        let asked = if is_default { others } else { own };
        let mut any = self.arena.int(0, Scalar::Bool);
        for hit in asked.into_iter().filter_map(|at| entries.hits[at]) {
            any = self.arena.binary(Binary::LogicalOr, any, hit, Scalar::Bool);
        }
        if is_default {
            any = self.arena.unary(Unary::LogicalNot, any, Scalar::Bool);
        }
        any
    }

    /// Statements where some lanes enter between them.
    fn entered(&mut self, stmts: &[ast::Stmt], entries: &mut Entries) {
        let mut at = 0;
        while let Some(stmt) = stmts.get(at) {
            let is_plain = |stmt: &&ast::Stmt| !is_label(stmt) && !has_inner_case(stmt);
            let plain = stmts[at..].iter().take_while(is_plain).count();
            if plain > 0 {
                let stretch = &stmts[at..at + plain];
                let runs = self.runs_with(entries, 0);
                self.under(runs, stmt.range, |this, runs| {
                    if runs {
                        this.statements(stretch, false);
                    } else {
                        // Names hold for those who jump over their declarations, too.
                        this.statements(&names_of(stretch), false);
                    }
                });
                at += plain;
                continue;
            }
            if is_label(stmt) {
                entries.passed += 1;
            } else {
                let inside = count_labels(stmt);
                let runs = self.runs_with(entries, inside);
                let past = entries.passed + inside;
                self.under(runs, stmt.range, |this, runs| {
                    if runs {
                        this.entered_statement(stmt, entries);
                    }
                });
                entries.passed = past;
            }
            at += 1;
        }
    }

    /// Whether a lane is here, or comes in by one of the next `inside` labels.
    fn runs_with(&mut self, entries: &Entries, inside: usize) -> ExprId {
        let labels = 0..entries.passed + inside;
        if labels.len() == entries.hits.len() {
            return self.arena.int(1, Scalar::Bool);
        }
        self.enters_by(entries, labels)
    }

    /// Lowers under a condition; `body` is told whether any lane runs it.
    fn under(&mut self, condition: ExprId, range: ast::Range, body: impl FnOnce(&mut Self, bool)) {
        if let Some(runs) = self.arena.as_bool(condition) {
            return body(self, runs);
        }
        self.push_block();
        body(self, true);
        let lowered = self.pop_block();
        self.emit_if(condition, lowered, Block::new(), range);
    }

    /// A statement with labels inside.
    fn entered_statement(&mut self, stmt: &ast::Stmt, entries: &mut Entries) {
        if !self.enter() {
            return self.forget_locals("statements are nested too deeply", stmt.range);
        }
        self.entered_parts(stmt, entries);
        self.leave();
    }

    fn entered_parts(&mut self, stmt: &ast::Stmt, entries: &mut Entries) {
        match &stmt.kind {
            StmtKind::Block(body) => self.scoped(|this| this.entered(body, entries)),
            StmtKind::If {
                condition: Condition::Expr(condition),
                then,
                otherwise,
                ..
            } => {
                let inside = count_labels(then);
                let takes = self.tested_or_entered(Some(condition), entries, inside);
                self.push_block();
                self.entered_part(then, entries);
                let then = self.pop_block();
                self.push_block();
                if let Some(otherwise) = otherwise {
                    self.entered_part(otherwise, entries);
                }
                let otherwise = self.pop_block();
                self.emit_if(takes, then, otherwise, stmt.range);
            }
            StmtKind::DoWhile { body, condition } => {
                let rest = (Some(condition), None);
                self.first_turn(body, rest, entries, stmt.range);
            }
            StmtKind::While {
                condition: Condition::Expr(condition),
                body,
            } => {
                let runs = self.tested_or_entered(Some(condition), entries, count_labels(body));
                let rest = (Some(condition), None);
                self.under(runs, stmt.range, |this, runs| {
                    if runs {
                        this.first_turn(body, rest, entries, stmt.range);
                    }
                });
            }
            StmtKind::For {
                init,
                condition,
                step,
                body,
            } => {
                if let Some(init) = init {
                    let starts = self.runs_with(entries, 0);
                    self.under(starts, init.range, |this, starts| {
                        if starts {
                            this.statement(init, false);
                        }
                    });
                }
                let condition = condition.as_ref();
                let runs = self.tested_or_entered(condition, entries, count_labels(body));
                let rest = (condition, step.as_ref());
                self.under(runs, stmt.range, |this, runs| {
                    if runs {
                        this.first_turn(body, rest, entries, stmt.range);
                    }
                });
            }
            _ => self.forget_locals("a `case` in a statement that is not followed", stmt.range),
        }
    }

    /// A branch or body, which may have labels inside.
    fn entered_part(&mut self, stmt: &ast::Stmt, entries: &mut Entries) {
        self.scoped(|this| {
            if has_inner_case(stmt) {
                this.entered_statement(stmt, entries);
            } else {
                this.statement(stmt, false);
            }
        });
    }

    /// Whether a lane comes in by one of the next `inside` labels, or is here and the condition holds, which
    /// only lanes that are here compute.
    fn tested_or_entered(
        &mut self,
        condition: Option<&ast::Expr>,
        entries: &Entries,
        inside: usize,
    ) -> ExprId {
        let next = entries.passed..entries.passed + inside;
        let enters = self.enters_by(entries, next);
        let is_here = self.runs_with(entries, 0);
        let Some(condition) = condition else {
            return self.arena.int(1, Scalar::Bool);
        };
        let takes = self.scalar_variable("", Scalar::Bool, None);
        self.emit(Stmt::Assign {
            variable: takes,
            value: enters,
        });
        self.under(is_here, condition.range, |this, is_here| {
            if is_here {
                let value = this.condition(condition);
                this.emit(Stmt::Assign {
                    variable: takes,
                    value,
                });
            }
        });
        self.arena.var(takes, Scalar::Bool)
    }

    /// The first turn of a loop with labels inside, and the loop of the turns behind it: their condition and
    /// step.
    fn first_turn(
        &mut self,
        body: &ast::Stmt,
        (condition, step): (Option<&ast::Expr>, Option<&ast::Expr>),
        entries: &mut Entries,
        range: ast::Range,
    ) {
        let (end, next) = (self.label(), self.label());
        self.frame.breaks.push(self.aim(end));
        self.frame.continues.push(self.aim(next));
        self.push_block();
        self.push_block();
        self.entered_part(body, entries);
        self.frame.breaks.pop();
        self.frame.continues.pop();
        self.labelled(next);
        if let Some(step) = step {
            self.effect(step);
        }
        self.emit_loop(true, condition.map(Test::Expr), step, body, range);
        self.labelled(end);
    }
}

fn is_label(stmt: &ast::Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Case(_) | StmtKind::Default)
}

/// The labels of the `switch` around a statement that are the statement or stand in it.
fn labels_of<'s>(stmt: &'s ast::Stmt, into: &mut Vec<Option<&'s ast::Expr>>) {
    match &stmt.kind {
        StmtKind::Case(e) => into.push(Some(e)),
        StmtKind::Default => into.push(None),
        StmtKind::Switch { .. } => {}
        _ => {
            stmt.any_inside(&mut |inner| {
                labels_of(inner, into);
                false
            });
        }
    }
}

fn count_labels(stmt: &ast::Stmt) -> usize {
    let mut labels = Vec::new();
    labels_of(stmt, &mut labels);
    labels.len()
}

/// Whether the labels inside of a statement stand where they are followed, and no `goto` is there.
fn is_followed(stmt: &ast::Stmt) -> bool {
    if matches!(stmt.kind, StmtKind::Goto(_) | StmtKind::Label(_)) {
        return false;
    }
    let is_known = !has_inner_case(stmt)
        || match &stmt.kind {
            // Without braces, the parser takes more to belong to a label than one statement.
            StmtKind::Block(body) => body
                .first()
                .is_some_and(|first| !is_label(first) || stmt.range.start < first.range.start),
            StmtKind::If {
                is_constexpr,
                init,
                condition,
                ..
            } => !is_constexpr && init.is_none() && matches!(condition, Condition::Expr(_)),
            StmtKind::While { condition, .. } => matches!(condition, Condition::Expr(_)),
            StmtKind::DoWhile { .. } => true,
            StmtKind::For { init, .. } => init
                .as_deref()
                .is_none_or(|init| matches!(init.kind, StmtKind::Expr(_) | StmtKind::Empty)),
            _ => false,
        };
    let is_bare = |inner: &ast::Stmt| is_label(inner) && !matches!(stmt.kind, StmtKind::Block(_));
    let is_switch = matches!(stmt.kind, StmtKind::Switch { .. });
    is_known && !stmt.any_inside(&mut |inner| !is_switch && is_bare(inner) || !is_followed(inner))
}

/// Of statements those that only name something.
fn names_of(stmts: &[ast::Stmt]) -> Vec<ast::Stmt> {
    let only_names = |stmt: &&ast::Stmt| match &stmt.kind {
        StmtKind::Variables(all) => all.iter().all(|one| one.init.is_none()),
        StmtKind::Alias(_)
        | StmtKind::Record(_)
        | StmtKind::Enum(_)
        | StmtKind::Using(_)
        | StmtKind::UsingNamespace(_) => true,
        _ => false,
    };
    stmts.iter().filter(only_names).cloned().collect()
}
