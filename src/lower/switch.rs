//! `switch`: a chain of tests where no case falls through, labelled blocks where one does.

use super::context::Lower;
use super::jumps::{ends, exits_to, has_inner_case, trim_exit};
use crate::ir::{Binary, Block, ExprId, Scalar, Stmt};
use crate::syntax::ast::{self, StmtKind};

impl Lower<'_> {
    #[expect(clippy::too_many_lines, reason = "still to be split")]
    pub(super) fn switch(&mut self, value: &ast::Expr, body: &[ast::Stmt], range: ast::Range) {
        let value = self.value(value);
        let value = self.integer(value, range);
        let value = if self.arena.is_stable(value) {
            value
        } else {
            self.keep(value, "")
        };
        if body.iter().any(has_inner_case) {
            return self.switch_with_inner_cases(value, body, range);
        }
        let ty = self.arena.ty(value);
        // Groups of statements, each with the labels in front of it; `None` is `default`.
        let mut groups: Vec<(Vec<Option<ExprId>>, &[ast::Stmt])> = Vec::new();
        let mut at = 0;
        while at < body.len() {
            let mut labels = Vec::new();
            while let Some(stmt) = body.get(at) {
                match &stmt.kind {
                    StmtKind::Case(e) => {
                        let case = self.value(e);
                        let case = self.scalar_of(case, ty, e.range);
                        labels.push(Some(case));
                    }
                    StmtKind::Default => labels.push(None),
                    _ => break,
                }
                at += 1;
            }
            let start = at;
            while body
                .get(at)
                .is_some_and(|stmt| !matches!(stmt.kind, StmtKind::Case(_) | StmtKind::Default))
            {
                at += 1;
            }
            groups.push((labels, body.get(start..at).unwrap_or(&[])));
        }
        let break_label = self.label();
        self.frame.breaks.push(self.aim(break_label));
        self.push_block();
        self.scoped(|this| {
            let known = this.arena.as_int(value).and_then(|value| {
                let hit = |label: &Option<ExprId>| {
                    label.and_then(|label| this.arena.as_int(label)) == Some(value)
                };
                let first = groups.iter().position(|(labels, _)| labels.iter().any(hit));
                let all_known = groups
                    .iter()
                    .flat_map(|(labels, _)| labels)
                    .all(|label| label.is_none_or(|label| this.arena.as_int(label).is_some()));
                let default = groups.iter().position(|(labels, _)| labels.contains(&None));
                all_known.then_some(first.or(default))
            });
            match known {
                Some(Some(first)) => {
                    for (_, stmts) in groups.get(first..).unwrap_or(&[]) {
                        this.statements(stmts, false);
                        if ends(stmts) {
                            break;
                        }
                    }
                }
                Some(None) => {}
                None => {
                    let last = groups.len().saturating_sub(1);
                    if groups.iter().take(last).all(|(_, stmts)| ends(stmts)) {
                        this.switch_chain(&groups, value, ty, range);
                    } else {
                        this.switch_blocks(&groups, value, ty, break_label, range);
                    }
                }
            }
        });
        let mut body = self.pop_block();
        self.frame.breaks.pop();
        // A `break` at the very end needs no block to leave.
        trim_exit(&mut body, break_label);
        if exits_to(&body, break_label) {
            self.emit(Stmt::Labelled {
                label: break_label,
                body,
            });
        } else {
            self.append(body);
        }
    }

    fn case_test(
        &mut self,
        labels: &[Option<ExprId>],
        value: ExprId,
        ty: Scalar,
    ) -> Option<ExprId> {
        let mut test = None;
        for label in labels.iter().flatten() {
            let hit = self.arena.binary(Binary::Eq, value, *label, ty);
            test = Some(match test {
                Some(before) => self
                    .arena
                    .binary(Binary::LogicalOr, before, hit, Scalar::Bool),
                None => hit,
            });
        }
        test
    }

    /// No case falls through: a chain of `if`.
    fn switch_chain(
        &mut self,
        groups: &[(Vec<Option<ExprId>>, &[ast::Stmt])],
        value: ExprId,
        ty: Scalar,
        range: ast::Range,
    ) {
        let mut open = 0;
        let mut conditions = Vec::new();
        let mut default = None;
        for (labels, stmts) in groups {
            if labels.contains(&None) {
                default = Some(*stmts);
                continue;
            }
            let Some(test) = self.case_test(labels, value, ty) else {
                continue;
            };
            self.push_block();
            self.block(stmts, false);
            let then = self.pop_block();
            conditions.push((test, then));
            self.push_block();
            open += 1;
        }
        if let Some(stmts) = default {
            self.block(stmts, false);
        }
        for _ in 0..open {
            let otherwise = self.pop_block();
            if let Some((test, then)) = conditions.pop() {
                self.emit_if(test, then, otherwise, range);
            }
        }
    }

    /// Cases that fall through: one block to leave per case, innermost first.
    fn switch_blocks(
        &mut self,
        groups: &[(Vec<Option<ExprId>>, &[ast::Stmt])],
        value: ExprId,
        ty: Scalar,
        break_label: crate::ir::LabelId,
        range: ast::Range,
    ) {
        let entries: Vec<_> = groups.iter().map(|_| self.label()).collect();
        for _ in groups {
            self.push_block();
        }
        for ((labels, _), entry) in groups.iter().zip(&entries) {
            if let Some(test) = self.case_test(labels, value, ty) {
                self.emit_if(test, vec![Stmt::Exit(*entry)], Block::new(), range);
            }
        }
        let default = groups
            .iter()
            .position(|(labels, _)| labels.contains(&None))
            .and_then(|at| entries.get(at));
        self.emit(Stmt::Exit(*default.unwrap_or(&break_label)));
        for ((_, stmts), entry) in groups.iter().zip(&entries) {
            let body = self.pop_block();
            self.emit(Stmt::Labelled {
                label: *entry,
                body,
            });
            self.statements(stmts, false);
        }
    }
}
