//! Statements: branches, loops, jumps.
//!
//! Given statements, emits IR with structured control flow only. What an
//! expression means is other parts' business.

use super::context::{Binding, LValue, Lower, Mem, Val};
use super::declare::has_auto;
use crate::ir::{Binary, Block, ExprId, Loop, Scalar, Stmt};
use crate::sema::scope;
use crate::sema::types::Type;
use crate::syntax::ast::{self, Condition, ExprKind, StmtKind};

impl Lower<'_> {
    /// A list of statements in a scope of its own. `is_tail`: nothing of the function follows.
    pub fn block(&mut self, stmts: &[ast::Stmt], is_tail: bool) {
        self.scoped(|this| this.statements(stmts, is_tail));
    }

    /// What stands between a label and the last statement that jumps back to it: a loop that each jump
    /// goes on with, and that the end leaves.
    fn loop_of_jumps(&mut self, name: &ast::Name, body: &[ast::Stmt], range: ast::Range) {
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

    /// Statements in the present scope; labels among them become blocks that `goto` leaves, or loops where
    /// it jumps back.
    pub fn statements(&mut self, stmts: &[ast::Stmt], is_tail: bool) {
        let mut labels: Vec<(usize, ast::Name)> = Vec::new();
        let mut next = 0;
        while let Some(stmt) = stmts.get(next) {
            if let StmtKind::Label(name) = &stmt.kind {
                labels.push((next, name.clone()));
            }
            next = loop_at(stmts, next).unwrap_or(next) + 1;
        }
        if labels.is_empty() {
            self.run(stmts, is_tail);
            return;
        }
        let base = self.frame.targets.len();
        // The last label is the outermost block.
        for (_, name) in labels.iter().rev() {
            let label = self.label();
            self.frame.targets.push((name.clone(), label, false));
        }
        for _ in &labels {
            self.push_block();
        }
        let mut start = 0;
        for (at, name) in &labels {
            self.run(stmts.get(start..*at).unwrap_or(&[]), false);
            start = at + 1;
            let body = self.pop_block();
            match self.frame.targets.pop() {
                Some((_, label, true)) => self.emit(Stmt::Labelled { label, body }),
                _ => self.append(body),
            }
            if let Some(last) = loop_at(stmts, *at) {
                let range = stmts.get(*at).map(|stmt| stmt.range);
                let body = stmts.get(start..=last).unwrap_or(&[]);
                self.loop_of_jumps(name, body, range.unwrap_or_default());
                start = last + 1;
            }
        }
        self.frame.targets.truncate(base);
        self.run(stmts.get(start..).unwrap_or(&[]), is_tail);
    }

    fn run(&mut self, stmts: &[ast::Stmt], is_tail: bool) {
        for (at, stmt) in stmts.iter().enumerate() {
            if self.is_full() {
                return;
            }
            self.statement(stmt, is_tail && at + 1 == stmts.len());
            if matches!(
                stmt.kind,
                StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_)
            ) {
                return;
            }
        }
    }

    pub fn statement(&mut self, stmt: &ast::Stmt, is_tail: bool) {
        if !self.enter() {
            self.forget_locals("statements are nested too deeply", stmt.range);
            return;
        }
        self.statement_inner(stmt, is_tail);
        self.leave();
    }

    fn statement_inner(&mut self, stmt: &ast::Stmt, is_tail: bool) {
        self.assumptions_before(stmt.range);
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Case(_) | StmtKind::Default | StmtKind::Label(_) => {}
            StmtKind::Block(stmts) => self.block(stmts, is_tail),
            StmtKind::Variables(variables) => {
                for variable in variables.iter() {
                    self.declare(variable);
                }
            }
            StmtKind::Alias(alias) => {
                let names = &self.unit.names;
                let ty = scope::resolve_qualified(names, &self.frame.env, &alias.ty);
                self.frame
                    .env
                    .set(alias.name.clone(), scope::Binding::Type(ty));
            }
            StmtKind::Record(record) => self.local_record(record),
            StmtKind::Enum(list) => self.local_enum(list),
            StmtKind::Using(path) => self.using(path),
            StmtKind::UsingNamespace(path) => {
                let names = &self.unit.names;
                self.frame.env.use_namespace(names, path);
            }
            StmtKind::Expr(e) => self.effect(e),
            StmtKind::If {
                init,
                condition,
                then,
                otherwise,
                ..
            } => self.scoped(|this| {
                if let Some(init) = init {
                    this.statement(init, false);
                }
                let condition = this.truth(condition);
                match this.arena.as_bool(condition) {
                    Some(true) => this.nested(then, is_tail),
                    Some(false) => {
                        if let Some(otherwise) = otherwise {
                            this.nested(otherwise, is_tail);
                        }
                    }
                    None => {
                        this.push_block();
                        this.nested(then, is_tail);
                        let then = this.pop_block();
                        this.push_block();
                        if let Some(otherwise) = otherwise {
                            this.nested(otherwise, is_tail);
                        }
                        let otherwise = this.pop_block();
                        this.emit_if(condition, then, otherwise, stmt.range);
                    }
                }
            }),
            StmtKind::For {
                init,
                condition,
                step,
                body,
            } => self.scoped(|this| {
                if let Some(init) = init {
                    this.statement(init, false);
                }
                let test = condition.as_ref().map(Test::Expr);
                this.emit_loop(true, test, step.as_ref(), body, stmt.range);
            }),
            StmtKind::While { condition, body } => {
                self.emit_loop(
                    true,
                    Some(Test::Condition(condition)),
                    None,
                    body,
                    stmt.range,
                );
            }
            StmtKind::DoWhile { body, condition } => {
                if let ExprKind::Int { value: 0, .. } | ExprKind::Bool(false) = &condition.kind
                    && !jumps(body)
                {
                    self.nested(body, is_tail);
                    return;
                }
                self.emit_loop(false, Some(Test::Expr(condition)), None, body, stmt.range);
            }
            StmtKind::RangeFor {
                variable,
                range,
                body,
            } => self.range_for(variable, range, body, stmt.range),
            StmtKind::Switch { value, body } => self.switch(value, body, stmt.range),
            StmtKind::Break => match self.frame.breaks.last().copied() {
                Some(label) => {
                    self.leave_scopes(stmt.range);
                    self.emit(Stmt::Exit(label));
                }
                None => self.gap(
                    stmt.range,
                    "`break` outside of a loop",
                    Vec::new(),
                    Vec::new(),
                ),
            },
            StmtKind::Continue => match self.frame.continues.last().copied() {
                Some(label) => {
                    self.leave_scopes(stmt.range);
                    self.emit(Stmt::Exit(label));
                }
                None => self.gap(
                    stmt.range,
                    "`continue` outside of a loop",
                    Vec::new(),
                    Vec::new(),
                ),
            },
            StmtKind::Return(value) => self.return_statement(value.as_ref(), is_tail, stmt.range),
            StmtKind::Goto(name) => {
                self.leave_scopes(stmt.range);
                match self
                    .frame
                    .targets
                    .iter_mut()
                    .rev()
                    .find(|target| target.0 == *name)
                {
                    Some(target) => {
                        target.2 = true;
                        let label = target.1;
                        self.emit(Stmt::Exit(label));
                    }
                    None => {
                        // Whole functions with such jumps are left out.
                        let reason = format!("`goto {name}` jumps into a block");
                        self.forget_locals(&reason, stmt.range);
                    }
                }
            }
            StmtKind::Asm(asm) => self.asm(asm, stmt.range),
            StmtKind::Error => {
                self.forget_locals("a statement that could not be read", stmt.range);
            }
        }
    }

    /// The body of a branch or loop.
    fn nested(&mut self, stmt: &ast::Stmt, is_tail: bool) {
        self.scoped(|this| this.statement(stmt, is_tail));
    }

    fn truth(&mut self, condition: &Condition) -> ExprId {
        match condition {
            Condition::Expr(e) => self.condition(e),
            Condition::Variable(variable) => {
                self.declare(variable);
                match self.lookup(&variable.name) {
                    Some(Binding::LValue(place)) => {
                        let value = self.read(place, variable.range);
                        self.scalar_of(value, Scalar::Bool, variable.range)
                    }
                    _ => self
                        .arena
                        .unknown("a condition", Vec::new(), true, Scalar::Bool),
                }
            }
        }
    }

    fn emit_loop(
        &mut self,
        pretest: bool,
        test: Option<Test<'_>>,
        step: Option<&ast::Expr>,
        body: &ast::Stmt,
        range: ast::Range,
    ) {
        let id = self.loop_id();
        let (continue_label, break_label) = (self.label(), self.label());
        let outer = self.frame.scope.clone();
        let outer_env = self.frame.env.clone();
        self.frame.scope = super::context::new_scope(Some(outer.clone()));
        self.loop_depth += 1;
        // A test after the body must not see the body's declarations.
        let mut prelude = Block::new();
        let mut condition = self.arena.int(1, Scalar::Bool);
        if pretest {
            self.push_block();
            condition = self.test(test.as_ref());
            prelude = self.pop_block();
            if self.arena.as_bool(condition) == Some(false) {
                self.append(prelude);
                self.loop_depth -= 1;
                self.frame.scope = outer;
                self.frame.env = outer_env;
                return;
            }
        }
        self.frame.breaks.push(break_label);
        self.frame.continues.push(continue_label);
        self.push_block();
        self.nested(body, false);
        let lowered = self.pop_block();
        self.frame.breaks.pop();
        self.frame.continues.pop();
        if !pretest {
            self.push_block();
            condition = self.test(test.as_ref());
            prelude = self.pop_block();
        }
        self.push_block();
        if let Some(step) = step {
            self.effect(step);
        }
        let step = self.pop_block();
        self.loop_depth -= 1;
        self.frame.scope = outer;
        self.frame.env = outer_env;
        let span = self.span(range);
        self.emit(Stmt::Loop(Box::new(Loop {
            id,
            pretest,
            prelude,
            condition,
            body: lowered,
            step,
            continue_label,
            break_label,
            span,
        })));
    }

    fn test(&mut self, test: Option<&Test<'_>>) -> ExprId {
        match test {
            Some(Test::Expr(e)) => self.condition(e),
            Some(Test::Condition(condition)) => self.truth(condition),
            None => self.arena.int(1, Scalar::Bool),
        }
    }

    fn range_for(
        &mut self,
        variable: &ast::Variable,
        over: &ast::Expr,
        body: &ast::Stmt,
        range: ast::Range,
    ) {
        let place = match &over.kind {
            ExprKind::List(_) => LValue::Val(Val::Void),
            _ => self.place(over),
        };
        let (mem, count) = match place {
            LValue::Mem(mem) | LValue::Val(Val::Object(mem)) => match mem.ty {
                Type::Array(_, Some(count)) => (mem, count),
                ref ty => {
                    let reason = format!("a loop over `{ty}` is not modelled");
                    return self.forget_locals(&reason, range);
                }
            },
            _ => {
                return self.forget_locals("a loop over a range that is not an array", range);
            }
        };
        let Type::Array(element, _) = &mem.ty else {
            return;
        };
        let element = (**element).clone();
        self.counted_loop(count, range, &mut |this, at| {
            let pointer = this
                .arena
                .element(mem.pointer, at, element.size().unwrap_or(0), false);
            let part = LValue::Mem(mem.part(pointer, element.clone()));
            let is_reference = matches!(variable.ty.kind, ast::TypeKind::Reference { .. });
            if !variable.bindings.is_empty() {
                let place = if is_reference {
                    part
                } else {
                    let value = this.read(part, variable.range);
                    LValue::Val(this.copied(value))
                };
                this.bind_parts(&variable.bindings, &place, over);
            } else if is_reference {
                this.bind(&variable.name, Binding::LValue(part));
            } else {
                let value = this.read(part, variable.range);
                let ty = if has_auto(&variable.ty) {
                    element.clone()
                } else {
                    this.resolve(&variable.ty)
                };
                this.declare_value(variable, &ty, value);
            }
            this.statement(body, false);
        });
    }

    /// Runs `body` with a counter that goes from 0 up to `count`.
    pub fn counted_loop(
        &mut self,
        count: u64,
        range: ast::Range,
        body: &mut dyn FnMut(&mut Self, ExprId),
    ) {
        let counter = self.scalar_variable("", Scalar::I64, None);
        let zero = self.arena.int(0, Scalar::I64);
        self.emit(Stmt::Assign {
            variable: counter,
            value: zero,
        });
        let at = self.arena.var(counter, Scalar::I64);
        let end = self.arena.int(count as i64, Scalar::I64);
        let condition = self.arena.binary(Binary::Lt, at, end, Scalar::I64);
        let id = self.loop_id();
        let (continue_label, break_label) = (self.label(), self.label());
        self.frame.breaks.push(break_label);
        self.frame.continues.push(continue_label);
        self.push_block();
        self.loop_depth += 1;
        self.scoped(|this| body(this, at));
        self.loop_depth -= 1;
        let lowered = self.pop_block();
        self.frame.breaks.pop();
        self.frame.continues.pop();
        let one = self.arena.int(1, Scalar::I64);
        let next = self.arena.binary(Binary::Add, at, one, Scalar::I64);
        let span = self.span(range);
        self.emit(Stmt::Loop(Box::new(Loop {
            id,
            pretest: true,
            prelude: Block::new(),
            condition,
            body: lowered,
            step: vec![Stmt::Assign {
                variable: counter,
                value: next,
            }],
            continue_label,
            break_label,
            span,
        })));
    }

    fn switch(&mut self, value: &ast::Expr, body: &[ast::Stmt], range: ast::Range) {
        if body.iter().any(has_inner_case) {
            let reason = "a `case` inside of a loop or block of the `switch`";
            self.value(value);
            self.forget_locals(reason, range);
            return;
        }
        let value = self.value(value);
        let value = self.integer(value, range);
        let value = if self.arena.is_stable(value) {
            value
        } else {
            self.keep(value, "")
        };
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
        self.frame.breaks.push(break_label);
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

    fn return_statement(&mut self, value: Option<&ast::Expr>, is_tail: bool, range: ast::Range) {
        if self.frame.returns.is_kernel {
            if let Some(e) = value {
                self.effect(e);
            }
            self.leave_scopes(range);
            self.emit(Stmt::Return);
            return;
        }
        if let Some(e) = value {
            let declared = self.frame.returns.ty.clone();
            let is_reference = matches!(declared, Some(Type::Reference(_)));
            let result = match (&declared, &e.kind) {
                (Some(Type::Reference(_)), _) => self.lvalue(e),
                (Some(ty), ExprKind::List(_)) => LValue::Val(self.initialised(ty, e)),
                (Some(Type::Void), _) => {
                    self.effect(e);
                    LValue::Val(Val::Void)
                }
                (Some(ty), _) => {
                    let value = self.value(e);
                    LValue::Val(self.convert(value, ty, e.range))
                }
                (None, _) => LValue::Val(self.value(e)),
            };
            let is_direct = !self.holds_objects()
                && is_tail
                && self.frame.returns.label.is_none()
                && self.frame.returns.slot.is_none();
            if is_direct && self.is_outermost() {
                self.frame.returns.direct = Some(result);
                return;
            }
            self.return_through_slot(result, is_reference, range);
        }
        if !is_tail {
            self.leave_scopes(range);
            let label = match self.frame.returns.label {
                Some(label) => label,
                None => {
                    let label = self.label();
                    self.frame.returns.label = Some(label);
                    label
                }
            };
            self.emit(Stmt::Exit(label));
        }
    }

    fn return_through_slot(&mut self, result: LValue, is_reference: bool, range: ast::Range) {
        if is_reference {
            let Some(mem) = self.memory_of(result, range) else {
                return;
            };
            let slot = match &self.frame.returns.slot {
                Some(LValue::Mem(slot)) => slot.pointer,
                _ => {
                    let variable = self.scalar_variable("return", Scalar::Pointer, None);
                    let pointer = self.arena.var(variable, Scalar::Pointer);
                    self.frame.returns.slot = Some(LValue::Mem(Mem {
                        pointer,
                        ..mem.clone()
                    }));
                    pointer
                }
            };
            if let crate::ir::Expr::Var(variable) = *self.arena.get(slot) {
                self.emit(Stmt::Assign {
                    variable,
                    value: mem.pointer,
                });
            }
            return;
        }
        let value = self.read(result, range);
        if let (Some(LValue::Val(Val::SpecialValue(known))), Val::SpecialValue(other)) =
            (&self.frame.returns.slot, &value)
        {
            if !known.is_same(other) {
                self.frame.returns.slot = Some(LValue::Val(self.one_of_several()));
            }
            return;
        }
        let slot = match self.frame.returns.slot.clone() {
            Some(slot) => slot,
            None => {
                let ty = self.frame.returns.ty.clone().unwrap_or_else(|| value.ty());
                let slot = match &value {
                    Val::SpecialValue(_) | Val::Void => LValue::Val(value.clone()),
                    Val::Object(_) => LValue::Mem(self.local("return", &ty, None)),
                    Val::Scalar { id, volatile, .. } => {
                        let scalar = ty.scalar().unwrap_or_else(|| self.arena.ty(*id));
                        let variable = self.scalar_variable("return", scalar, None);
                        LValue::Var {
                            variable,
                            ty,
                            volatile: *volatile,
                            is_const: Some(false),
                            key: None,
                        }
                    }
                };
                self.frame.returns.slot = Some(slot.clone());
                slot
            }
        };
        self.write(&slot, value, range);
    }
}

enum Test<'a> {
    Expr(&'a ast::Expr),
    Condition(&'a Condition),
}

/// Whether control never runs past the end of these statements.
fn ends(stmts: &[ast::Stmt]) -> bool {
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
fn jumps(stmt: &ast::Stmt) -> bool {
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

fn trim_exit(block: &mut Block, label: crate::ir::LabelId) {
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

fn exits_to(block: &Block, label: crate::ir::LabelId) -> bool {
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
fn has_inner_case(stmt: &ast::Stmt) -> bool {
    let is_case = |stmt: &ast::Stmt| {
        matches!(stmt.kind, StmtKind::Case(_) | StmtKind::Default) || has_inner_case(stmt)
    };
    match &stmt.kind {
        StmtKind::Block(body) => body.iter().any(is_case),
        StmtKind::If {
            then, otherwise, ..
        } => is_case(then) || otherwise.as_deref().is_some_and(is_case),
        StmtKind::For { body, .. }
        | StmtKind::RangeFor { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. } => is_case(body),
        _ => false,
    }
}

/// Where the loop ends that jumps back to the label at `at` make: at the last of them.
fn loop_at(stmts: &[ast::Stmt], at: usize) -> Option<usize> {
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
    let inside = |stmt: &ast::Stmt| jumps_to(stmt, label);
    match &stmt.kind {
        StmtKind::Goto(name) => **name == *label,
        StmtKind::Block(body) | StmtKind::Switch { body, .. } => body.iter().any(inside),
        StmtKind::If {
            then, otherwise, ..
        } => inside(then) || otherwise.as_deref().is_some_and(inside),
        StmtKind::For { body, .. }
        | StmtKind::RangeFor { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. } => inside(body),
        _ => false,
    }
}
