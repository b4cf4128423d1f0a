//! Statements: branches, loops, jumps.
//!
//! Given statements, emits IR with structured control flow only. What an
//! expression means is other parts' business.

use super::context::{Aim, Binding, GotoTarget, Lower};
use super::declare::bindings::is_const;
use super::declare::has_auto;
use super::jumps::{Jumps, jumps};
use super::small_loops::For;
use super::values::{LValue, Mem, Val, const_of};
use crate::ir::{Binary, Block, ExprId, Loop, Scalar, Stmt};
use crate::sema::scope;
use crate::sema::types::Type;
use crate::syntax::ast::{self, Condition, ExprKind, StmtKind};

impl Lower<'_> {
    /// A list of statements in a scope of its own. `is_tail`: nothing of the function follows.
    pub fn block(&mut self, stmts: &[ast::Stmt], is_tail: bool) {
        self.scoped(|this| this.statements(stmts, is_tail));
    }

    /// Statements in the present scope; labels among them become blocks that `goto` leaves, or loops where
    /// it jumps back.
    pub fn statements(&mut self, stmts: &[ast::Stmt], is_tail: bool) {
        let mut labels: Vec<(usize, ast::Name)> = Vec::new();
        let jumps = Jumps::of(stmts);
        let mut next = 0;
        while let Some(stmt) = stmts.get(next) {
            if let StmtKind::Label(name) = &stmt.kind {
                labels.push((next, name.clone()));
            }
            next = jumps.loop_at(next, stmts.len()).unwrap_or(next) + 1;
        }
        if labels.is_empty() {
            self.run(stmts, is_tail);
            return;
        }
        let base = self.frame.targets.len();
        // The last label is the outermost block.
        for (_, name) in labels.iter().rev() {
            let label = self.label();
            self.frame.targets.push(GotoTarget {
                name: name.clone(),
                aim: self.aim_ahead(label),
                is_used: false,
            });
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
                Some(target) if target.is_used => {
                    let label = target.aim.label;
                    self.emit(Stmt::Labelled { label, body });
                }
                _ => self.append(body),
            }
            if let Some(last) = jumps.loop_at(*at, stmts.len()) {
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

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
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
            StmtKind::Using(path) => {
                self.brings_std_in |= scope::is_std(path);
                self.using(path);
            }
            StmtKind::UsingNamespace(path) => {
                self.brings_std_in |= scope::is_std(path);
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
                this.if_statement(condition, then, otherwise.as_deref(), is_tail, stmt.range);
            }),
            StmtKind::For {
                init,
                condition,
                step,
                body,
            } => self.scoped(|this| {
                let of = For {
                    init: init.as_deref(),
                    condition: condition.as_ref(),
                    step: step.as_ref(),
                    body,
                };
                if this.unrolled(of) {
                    return;
                }
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
            StmtKind::Break => {
                let aim = self.frame.breaks.last().cloned();
                self.leave_to(aim, "`break` outside of a loop", stmt.range);
            }
            StmtKind::Continue => {
                let aim = self.frame.continues.last().cloned();
                self.leave_to(aim, "`continue` outside of a loop", stmt.range);
            }
            StmtKind::Return(value) => self.return_statement(value.as_ref(), is_tail, stmt.range),
            StmtKind::Goto(name) => self.goto(name, stmt.range),
            StmtKind::Asm(asm) => self.asm(asm, stmt.range),
            StmtKind::Error => {
                self.forget_locals("a statement that could not be read", stmt.range);
            }
        }
    }

    /// A branch whose condition is a constant is the only one.
    fn if_statement(
        &mut self,
        condition: &ast::Condition,
        then: &ast::Stmt,
        otherwise: Option<&ast::Stmt>,
        is_tail: bool,
        range: ast::Range,
    ) {
        let condition = self.truth(condition);
        match self.arena.as_bool(condition) {
            Some(true) => self.nested(then, is_tail),
            Some(false) => {
                if let Some(otherwise) = otherwise {
                    self.nested(otherwise, is_tail);
                }
            }
            None => {
                self.push_block();
                self.nested(then, is_tail);
                let then = self.pop_block();
                self.push_block();
                if let Some(otherwise) = otherwise {
                    self.nested(otherwise, is_tail);
                }
                let otherwise = self.pop_block();
                self.emit_if(condition, then, otherwise, range);
            }
        }
    }

    /// `break` or `continue`: ends the scopes on the way.
    fn leave_to(&mut self, aim: Option<Aim>, reason_for_none: &str, range: ast::Range) {
        match aim {
            Some(aim) => {
                self.leave_scopes(Some(&aim), range);
                self.emit(Stmt::Exit(aim.label));
            }
            None => self.gap(range, reason_for_none, Vec::new(), Vec::new()),
        }
    }

    fn goto(&mut self, name: &ast::Name, range: ast::Range) {
        let mut targets = self.frame.targets.iter_mut().rev();
        match targets.find(|target| target.name == *name) {
            Some(target) => {
                target.is_used = true;
                let aim = target.aim.clone();
                self.leave_scopes(Some(&aim), range);
                self.emit(Stmt::Exit(aim.label));
            }
            None => {
                // Whole functions with such jumps are left out.
                let reason = format!("`goto {name}` jumps into a block");
                self.forget_locals(&reason, range);
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

    pub(super) fn emit_loop(
        &mut self,
        pretest: bool,
        test: Option<Test<'_>>,
        step: Option<&ast::Expr>,
        body: &ast::Stmt,
        range: ast::Range,
    ) {
        let id = self.loop_id();
        let (continue_label, break_label) = (self.label(), self.label());
        let stops = self.stops_so_far();
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
        self.frame.breaks.push(self.aim(break_label));
        self.frame.continues.push(self.aim(continue_label));
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
        self.emit_in_turns(Loop {
            id,
            pretest,
            prelude,
            condition,
            body: lowered,
            step,
            continue_label,
            break_label,
            stops: self.stops_so_far() - stops,
            span,
        });
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
        if let ExprKind::List(items) = &over.kind {
            return self.range_of_list(variable, items, body, range);
        }
        let (mem, count) = match self.place(over) {
            LValue::Mem(mem) | LValue::Val(Val::Object(mem)) => match mem.ty {
                Type::Array(_, Some(count)) => (mem, count),
                Type::Record(ref record) if self.has_iterators(record) => {
                    return self.range_of_class(variable, &mem, body, range);
                }
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
        let is_const_element = const_of(element) == Some(true) || mem.is_const == Some(true);
        let element = (**element).clone();
        self.counted_loop(count, range, &mut |this, at| {
            let pointer = this
                .arena
                .element(mem.pointer, at, element.size().unwrap_or(0), false);
            let part = LValue::Mem(mem.part(pointer, element.clone()));
            let part = part.const_if(is_const_element);
            let is_reference = matches!(variable.ty.kind, ast::TypeKind::Reference { .. });
            if !variable.bindings.is_empty() {
                let place = if is_reference {
                    part
                } else {
                    let value = this.read(part, variable.range);
                    LValue::Val(this.copied(value))
                };
                let place = place.const_if(is_const(&variable.ty));
                this.bind_parts(&variable.bindings, &place, over);
            } else if is_reference {
                let ty = this.resolve(&variable.ty);
                this.declare_reference_to(variable, &ty, part, false, over.range);
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
        let stops = self.stops_so_far();
        self.frame.breaks.push(self.aim(break_label));
        self.frame.continues.push(self.aim(continue_label));
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
            stops: self.stops_so_far() - stops,
            span,
        })));
    }

    fn return_statement(&mut self, value: Option<&ast::Expr>, is_tail: bool, range: ast::Range) {
        if self.frame.returns.is_kernel {
            if let Some(e) = value {
                self.effect(e);
            }
            self.leave_scopes(None, range);
            self.emit(Stmt::Return);
            return;
        }
        if let Some(e) = value {
            let declared = self.frame.returns.ty.clone();
            let is_reference = matches!(declared, Some(Type::Reference(_)));
            let result = match (&declared, &e.kind) {
                (Some(Type::Reference(_)), _) => self.place(e),
                (Some(ty), ExprKind::List(_)) => LValue::Val(self.initialised(ty, e)),
                (Some(Type::Void), _) => {
                    self.effect(e);
                    LValue::Val(Val::Void)
                }
                (Some(ty), _) => {
                    let place = self.given_place(e, ty);
                    LValue::Val(self.convert_place(place, ty, e.range))
                }
                (None, _) => LValue::Val(self.value(e)),
            };
            let result = if is_reference {
                result
            } else {
                self.copied_result(result, e)
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
            self.leave_scopes(None, range);
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

pub(super) enum Test<'a> {
    Expr(&'a ast::Expr),
    Condition(&'a Condition),
}
