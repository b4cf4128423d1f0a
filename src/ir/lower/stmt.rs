//! Statements: declarations, branches, loops, jumps.
//!
//! Given statements, emits IR with structured control flow only. What an
//! expression means is other parts' business.

use super::context::{Binding, Lower, Mem, Place, Val, scalar_val};
use super::expr::is_volatile;
use super::groups::Special;
use crate::ir::scope;
use crate::ir::types::Type;
use crate::ir::{Binary, Block, ExprId, Loop, Object, Scalar, SharedId, SharedObject, Stmt};
use crate::syntax::ast::{self, Condition, ExprKind, StmtKind};
use std::rc::Rc;

/// Whether a type as written leaves something to deduce.
pub(super) fn has_auto(ty: &ast::TypeExpr) -> bool {
    match &ty.kind {
        ast::TypeKind::Auto => true,
        ast::TypeKind::Pointer { to, .. } | ast::TypeKind::Reference { to, .. } | ast::TypeKind::Array(to, _) => {
            has_auto(to)
        }
        _ => false,
    }
}

impl Lower<'_> {
    /// A list of statements in a scope of its own. `is_tail`: nothing of the function follows.
    pub fn block(&mut self, stmts: &[ast::Stmt], is_tail: bool) {
        self.scoped(|this| this.statements(stmts, is_tail));
    }

    /// Statements in the present scope; labels among them become blocks that `goto` leaves.
    pub fn statements(&mut self, stmts: &[ast::Stmt], is_tail: bool) {
        let labels: Vec<(usize, ast::Name)> = stmts
            .iter()
            .enumerate()
            .filter_map(|(at, stmt)| match &stmt.kind {
                StmtKind::Label(name) => Some((at, name.clone())),
                _ => None,
            })
            .collect();
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
        for (at, _) in &labels {
            self.run(stmts.get(start..*at).unwrap_or(&[]), false);
            start = at + 1;
            let body = self.pop_block();
            match self.frame.targets.pop() {
                Some((_, label, true)) => self.emit(Stmt::Labelled { label, body }),
                _ => self.append(body),
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
            self.gap(stmt.range, "statements are nested too deeply", Vec::new(), Vec::new());
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
                let ty = self.resolve(&alias.ty);
                self.frame.env.set(alias.name.clone(), scope::Binding::Type(ty));
            }
            StmtKind::Record(record) => self.local_record(record),
            StmtKind::Enum(list) => self.local_enum(list),
            StmtKind::Using(_) => {}
            StmtKind::UsingNamespace(path) => {
                let names = &self.unit.names;
                self.frame.env.use_namespace(names, path);
            }
            StmtKind::Expr(e) => self.effect(e),
            StmtKind::If { init, condition, then, otherwise, .. } => self.scoped(|this| {
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
            StmtKind::For { init, condition, step, body } => self.scoped(|this| {
                if let Some(init) = init {
                    this.statement(init, false);
                }
                let test = condition.as_ref().map(|e| Test::Expr(e));
                this.emit_loop(true, test, step.as_ref(), body, stmt.range);
            }),
            StmtKind::While { condition, body } => {
                self.emit_loop(true, Some(Test::Condition(condition)), None, body, stmt.range);
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
            StmtKind::RangeFor { variable, range, body } => self.range_for(variable, range, body, stmt.range),
            StmtKind::Switch { value, body } => self.switch(value, body, stmt.range),
            StmtKind::Break => match self.frame.breaks.last() {
                Some(label) => self.emit(Stmt::Exit(*label)),
                None => self.gap(stmt.range, "`break` outside of a loop", Vec::new(), Vec::new()),
            },
            StmtKind::Continue => match self.frame.continues.last() {
                Some(label) => self.emit(Stmt::Exit(*label)),
                None => self.gap(stmt.range, "`continue` outside of a loop", Vec::new(), Vec::new()),
            },
            StmtKind::Return(value) => self.return_statement(value.as_ref(), is_tail, stmt.range),
            StmtKind::Goto(name) => {
                match self.frame.targets.iter_mut().rev().find(|target| target.0 == *name) {
                    Some(target) => {
                        target.2 = true;
                        let label = target.1;
                        self.emit(Stmt::Exit(label));
                    }
                    None => {
                        let reason = format!("`goto {name}` jumps backwards or into a block");
                        self.gap(stmt.range, &reason, Vec::new(), Vec::new());
                    }
                }
            }
            StmtKind::Asm(asm) => self.asm(asm, stmt.range),
            StmtKind::Error => self.gap(stmt.range, "a statement that could not be read", Vec::new(), Vec::new()),
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
                    Some(Binding::Place(place)) => {
                        let value = self.read(place, variable.range);
                        self.to_scalar(value, Scalar::Bool, variable.range)
                    }
                    _ => self.arena.unknown("a condition", Vec::new(), true, Scalar::Bool),
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
        // A test after the body must not see the body's declarations.
        let mut prelude = Block::new();
        let mut condition = self.arena.int(1, Scalar::Bool);
        if pretest {
            self.push_block();
            condition = self.test(test.as_ref());
            prelude = self.pop_block();
            if self.arena.as_bool(condition) == Some(false) {
                self.append(prelude);
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

    fn range_for(&mut self, variable: &ast::Variable, over: &ast::Expr, body: &ast::Stmt, range: ast::Range) {
        let place = match &over.kind {
            ExprKind::List(_) => Place::Val(Val::Void),
            _ => self.place(over),
        };
        let (mem, count) = match place {
            Place::Mem(mem) | Place::Val(Val::Object(mem)) => match mem.ty {
                Type::Array(_, Some(count)) => (mem, count),
                ref ty => {
                    let reason = format!("a loop over `{ty}` is not modelled");
                    return self.gap(range, &reason, Vec::new(), Vec::new());
                }
            },
            _ => return self.gap(range, "a loop over a range that is not an array", Vec::new(), Vec::new()),
        };
        let Type::Array(element, _) = &mem.ty else { return };
        let element = (**element).clone();
        let counter = self.scalar_variable("", Scalar::I64, None);
        let zero = self.arena.int(0, Scalar::I64);
        self.emit(Stmt::Assign { variable: counter, value: zero });
        let at = self.arena.var(counter, Scalar::I64);
        let end = self.arena.int(count as i64, Scalar::I64);
        let condition = self.arena.binary(Binary::Lt, at, end, Scalar::I64);
        let id = self.loop_id();
        let (continue_label, break_label) = (self.label(), self.label());
        self.frame.breaks.push(break_label);
        self.frame.continues.push(continue_label);
        self.push_block();
        self.scoped(|this| {
            let pointer = this.arena.element(mem.pointer, at, element.size().unwrap_or(0), false);
            let part = Place::Mem(mem.part(pointer, element.clone()));
            if matches!(variable.ty.kind, ast::TypeKind::Reference { .. }) {
                this.bind(&variable.name, Binding::Place(part));
            } else {
                let value = this.read(part, variable.range);
                let ty = if has_auto(&variable.ty) { element.clone() } else { this.resolve(&variable.ty) };
                this.declare_value(variable, &ty, value);
            }
            this.statement(body, false);
        });
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
            step: vec![Stmt::Assign { variable: counter, value: next }],
            continue_label,
            break_label,
            span,
        })));
    }

    fn switch(&mut self, value: &ast::Expr, body: &[ast::Stmt], range: ast::Range) {
        let value = self.value(value);
        let value = self.integer(value, range);
        let value = if self.arena.is_stable(value) { value } else { self.keep(value, "") };
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
                        let case = self.to_scalar(case, ty, e.range);
                        labels.push(Some(case));
                    }
                    StmtKind::Default => labels.push(None),
                    _ => break,
                }
                at += 1;
            }
            let start = at;
            while body.get(at).is_some_and(|stmt| !matches!(stmt.kind, StmtKind::Case(_) | StmtKind::Default)) {
                at += 1;
            }
            groups.push((labels, body.get(start..at).unwrap_or(&[])));
        }
        let break_label = self.label();
        self.frame.breaks.push(break_label);
        self.push_block();
        self.scoped(|this| {
            let known = this.arena.as_int(value).and_then(|value| {
                let hit = |label: &Option<ExprId>| label.and_then(|label| this.arena.as_int(label)) == Some(value);
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
            self.emit(Stmt::Labelled { label: break_label, body });
        } else {
            self.append(body);
        }
    }

    fn case_test(&mut self, labels: &[Option<ExprId>], value: ExprId, ty: Scalar) -> Option<ExprId> {
        let mut test = None;
        for label in labels.iter().flatten() {
            let hit = self.arena.binary(Binary::Eq, value, *label, ty);
            test = Some(match test {
                Some(before) => self.arena.binary(Binary::LogicalOr, before, hit, Scalar::Bool),
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
            let Some(test) = self.case_test(labels, value, ty) else { continue };
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
        let default = groups.iter().position(|(labels, _)| labels.contains(&None)).and_then(|at| entries.get(at));
        self.emit(Stmt::Exit(*default.unwrap_or(&break_label)));
        for ((_, stmts), entry) in groups.iter().zip(&entries) {
            let body = self.pop_block();
            self.emit(Stmt::Labelled { label: *entry, body });
            self.statements(stmts, false);
        }
    }

    fn return_statement(&mut self, value: Option<&ast::Expr>, is_tail: bool, range: ast::Range) {
        if self.frame.returns.is_kernel {
            if let Some(e) = value {
                self.effect(e);
            }
            self.emit(Stmt::Return);
            return;
        }
        if let Some(e) = value {
            let declared = self.frame.returns.ty.clone();
            let is_reference = matches!(declared, Some(Type::Reference(_)));
            let result = match (&declared, &e.kind) {
                (Some(Type::Reference(_)), _) => self.place(e),
                (Some(ty), ExprKind::List(_)) => Place::Val(self.initialised(ty, e)),
                (Some(Type::Void), _) => {
                    self.effect(e);
                    Place::Val(Val::Void)
                }
                (Some(ty), _) => {
                    let value = self.value(e);
                    Place::Val(self.convert(value, ty, e.range))
                }
                (None, _) => Place::Val(self.value(e)),
            };
            let is_direct = is_tail && self.frame.returns.label.is_none() && self.frame.returns.slot.is_none();
            if is_direct && self.is_outermost() {
                self.frame.returns.direct = Some(result);
                return;
            }
            self.return_through_slot(result, is_reference, range);
        }
        if !is_tail {
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

    fn return_through_slot(&mut self, result: Place, is_reference: bool, range: ast::Range) {
        if is_reference {
            let Some(mem) = self.memory_of(result, range) else { return };
            let slot = match &self.frame.returns.slot {
                Some(Place::Mem(slot)) => slot.pointer,
                _ => {
                    let variable = self.scalar_variable("return", Scalar::Pointer, None);
                    let pointer = self.arena.var(variable, Scalar::Pointer);
                    self.frame.returns.slot = Some(Place::Mem(Mem { pointer, ..mem.clone() }));
                    pointer
                }
            };
            if let crate::ir::Expr::Var(variable) = *self.arena.get(slot) {
                self.emit(Stmt::Assign { variable, value: mem.pointer });
            }
            return;
        }
        let value = self.read(result, range);
        let slot = match self.frame.returns.slot.clone() {
            Some(slot) => slot,
            None => {
                let ty = self.frame.returns.ty.clone().unwrap_or_else(|| value.ty());
                let slot = match &value {
                    Val::Special(_) | Val::Void => Place::Val(value.clone()),
                    Val::Object(_) => Place::Mem(self.local("return", &ty, None)),
                    Val::Scalar { id, volatile, .. } => {
                        let scalar = ty.scalar().unwrap_or_else(|| self.arena.ty(*id));
                        let variable = self.scalar_variable("return", scalar, None);
                        Place::Var { variable, ty, volatile: *volatile, key: None }
                    }
                };
                self.frame.returns.slot = Some(slot.clone());
                slot
            }
        };
        self.write(&slot, value, range);
    }

    // Declarations.

    pub fn declare(&mut self, variable: &ast::Variable) {
        if variable.storage.is_shared {
            self.declare_shared(variable);
            return;
        }
        if !variable.bindings.is_empty() {
            self.declare_bindings(variable);
            return;
        }
        if let ast::TypeKind::Record(record) = &variable.ty.kind {
            self.local_record(record);
        }
        let mut ty = if has_auto(&variable.ty) { Type::Void } else { self.resolve(&variable.ty) };
        if variable.storage.is_extern {
            return;
        }
        let init = variable.init.as_ref();
        if let ast::TypeKind::Reference { .. } = &variable.ty.kind {
            let e = match init {
                Some(ast::Initialiser::Equals(e)) => Some(e),
                Some(ast::Initialiser::Paren(list)) => list.first(),
                Some(ast::Initialiser::Brace(e)) => match &e.kind {
                    ExprKind::List(items) => items.first().map(|(_, e)| e),
                    _ => Some(e),
                },
                None => None,
            };
            let Some(e) = e else { return };
            let place = self.place(e);
            let place = match (place, ty.strip_reference()) {
                (Place::Val(value), to) if !has_auto(&variable.ty) => {
                    let to = to.clone();
                    let value = self.convert(value, &to, e.range);
                    self.settle(value, variable)
                }
                (Place::Val(value), _) => self.settle(value, variable),
                (place, _) => self.pin(place),
            };
            let place_ty = place.ty();
            self.frame.env.set(variable.name.clone(), scope::Binding::Variable(place_ty));
            self.bind(&variable.name, Binding::Place(place));
            return;
        }
        let is_constant = variable.ty.is_const || variable.storage.is_constexpr;
        if is_constant
            && !matches!(ty, Type::Record(_) | Type::Vector { .. } | Type::Array(..))
            && let Some(e) = single(init)
            && let Some(value) = crate::ir::consteval::eval(&self.unit.names, &self.frame.env, e)
            && let Some(constant) = self.constant_value(&value)
            && let Val::Scalar { id, .. } = &constant
            && self.arena.as_int(*id).is_some()
        {
            let constant = if has_auto(&variable.ty) { constant } else { self.convert(constant, &ty, variable.range) };
            let kept = crate::ir::consteval::eval(&self.unit.names, &self.frame.env, e)
                .map(|value| self.converted(value, &ty, &constant));
            if let Some(kept) = kept {
                self.frame.env.set(variable.name.clone(), scope::Binding::Value(kept, None));
            }
            self.bind(&variable.name, Binding::Place(Place::Val(constant)));
            return;
        }
        if has_auto(&variable.ty) {
            let Some(e) = single(init) else { return };
            let value = self.value(e);
            let value = self.copied(value);
            ty = value.ty();
            if is_volatile(&variable.ty) {
                if let Val::Scalar { id, .. } = value {
                    self.declare_value(variable, &ty.clone(), Val::Scalar { id, ty, volatile: true });
                    return;
                }
            }
            self.declare_value(variable, &ty, value);
            return;
        }
        if let Type::Array(element, None) = &ty
            && let Some(ast::Initialiser::Equals(e) | ast::Initialiser::Brace(e)) = init
            && let ExprKind::List(items) = &e.kind
        {
            ty = Type::Array(element.clone(), Some(items.len() as u64));
        }
        self.declare_typed(variable, ty, init);
    }

    fn declare_typed(&mut self, variable: &ast::Variable, ty: Type, init: Option<&ast::Initialiser>) {
        let volatile = is_volatile(&variable.ty) && matches!(ty, Type::Pointer(_));
        self.frame.env.set(variable.name.clone(), scope::Binding::Variable(ty.clone()));
        match &ty {
            Type::Scalar(_) | Type::Pointer(_) | Type::Unknown(_) => {
                let scalar = ty.scalar().unwrap_or(Scalar::I64);
                let key = variable.name_range.start;
                if self.spilled.borrow().contains(&key) {
                    let mut mem = self.local(&variable.name, &ty, Some(variable.name_range));
                    mem.array = Rc::from(&*variable.name);
                    if let Some(e) = single(init) {
                        let value = self.value(e);
                        let value = self.convert(value, &ty, e.range);
                        self.write(&Place::Mem(mem.clone()), value, variable.range);
                    } else if init.is_some() {
                        self.zero_fill(&mem, variable.range);
                    }
                    self.bind(&variable.name, Binding::Place(Place::Mem(mem)));
                    return;
                }
                let mut is_volatile_pointer = volatile;
                let mut value = None;
                if let Some(e) = single(init) {
                    let given = match &e.kind {
                        ExprKind::List(_) => self.initialised(&ty, e),
                        _ => self.value(e),
                    };
                    if let (Val::Scalar { volatile: true, .. }, Type::Pointer(_)) = (&given, &ty) {
                        is_volatile_pointer = true;
                    }
                    if matches!(given, Val::Special(_)) {
                        self.bind(&variable.name, Binding::Place(Place::Val(given)));
                        return;
                    }
                    let given = self.convert(given, &ty, e.range);
                    value = Some(given);
                } else if init.is_some() {
                    let zero = self.arena.int(0, Scalar::I32);
                    let id = self.arena.cast(zero, scalar);
                    value = Some(Val::Scalar { id, ty: ty.clone(), volatile: false });
                }
                let id = self.scalar_variable(&variable.name, scalar, Some(variable.name_range));
                let place = Place::Var { variable: id, ty, volatile: is_volatile_pointer, key: Some(key) };
                if let Some(value) = value {
                    self.write(&place, value, variable.range);
                }
                self.bind(&variable.name, Binding::Place(place));
            }
            Type::Opaque(name) => {
                let name = name.clone();
                let value = match init {
                    Some(ast::Initialiser::Paren(arguments)) => {
                        let places = self.arguments(arguments);
                        self.construct_opaque(&name, &places, variable.range)
                    }
                    Some(ast::Initialiser::Equals(e)) => match self.value(e) {
                        special @ Val::Special(_) => special,
                        _ => Val::Special(Special::Opaque(ty.clone())),
                    },
                    Some(ast::Initialiser::Brace(e)) => {
                        let places = match &e.kind {
                            ExprKind::List(items) => items.iter().map(|(_, item)| self.argument(item)).collect(),
                            _ => vec![self.argument(e)],
                        };
                        self.construct_opaque(&name, &places, variable.range)
                    }
                    None => Val::Special(Special::Opaque(ty.clone())),
                };
                self.bind(&variable.name, Binding::Place(Place::Val(value)));
            }
            Type::Void | Type::Function | Type::Reference(_) => {}
            Type::Vector { .. } | Type::Record(_) | Type::Array(..) => {
                let mut mem = self.local(&variable.name, &ty, Some(variable.name_range));
                mem.volatile = is_volatile(&variable.ty) && matches!(ty, Type::Array(..));
                self.bind(&variable.name, Binding::Place(Place::Mem(mem.clone())));
                match init {
                    Some(init) => self.initialise_from(&mem, init, variable.range),
                    None => {
                        if let Type::Record(record) = &ty
                            && self.needs_construction(record, 0)
                        {
                            self.construct_into(&mem, &[], variable.range);
                        } else if let Type::Array(..) = &ty {
                            self.construct_into(&mem, &[], variable.range);
                        }
                    }
                }
            }
        }
    }

    /// Binds a declared name to a value that is already there.
    pub fn declare_value(&mut self, variable: &ast::Variable, ty: &Type, value: Val) {
        self.declare_named(&variable.name, Some(variable.name_range), ty, value);
    }

    /// A variable of type `ty` that holds `value`.
    pub fn declare_named(&mut self, name: &ast::Name, range: Option<ast::Range>, ty: &Type, value: Val) {
        self.frame.env.set(name.clone(), scope::Binding::Variable(ty.clone()));
        let at = range.unwrap_or_default();
        let place = match (&value, ty) {
            (Val::Special(_) | Val::Void, _) => Place::Val(value),
            (_, Type::Vector { .. } | Type::Record(_) | Type::Array(..)) => {
                let mem = self.local(name, ty, range);
                self.write(&Place::Mem(mem.clone()), value, at);
                Place::Mem(mem)
            }
            (Val::Scalar { id, volatile, .. }, _) => {
                let volatile = *volatile;
                let scalar = ty.scalar().unwrap_or_else(|| self.arena.ty(*id));
                let key = range.map(|range| range.start);
                if key.is_some_and(|key| self.spilled.borrow().contains(&key)) {
                    let mem = self.local(name, ty, range);
                    self.write(&Place::Mem(mem.clone()), value, at);
                    Place::Mem(mem)
                } else {
                    let value = self.to_scalar(value, scalar, at);
                    let variable = self.scalar_variable(name, scalar, range);
                    self.emit(Stmt::Assign { variable, value });
                    Place::Var { variable, ty: ty.clone(), volatile, key }
                }
            }
            (Val::Object(mem), _) => {
                if let Some(scalar) = ty.scalar() {
                    let value = self.to_scalar(value, scalar, at);
                    let variable = self.scalar_variable(name, scalar, range);
                    self.emit(Stmt::Assign { variable, value });
                    Place::Var { variable, ty: ty.clone(), volatile: false, key: range.map(|range| range.start) }
                } else {
                    Place::Mem(mem.clone())
                }
            }
        };
        self.bind(name, Binding::Place(place));
    }

    /// A value bound to a reference: it lives on under the name.
    fn settle(&mut self, value: Val, variable: &ast::Variable) -> Place {
        match value {
            Val::Scalar { id, ty, volatile } if !self.arena.is_stable(id) => {
                let id = self.keep(id, &variable.name);
                Place::Val(Val::Scalar { id, ty, volatile })
            }
            value => Place::Val(value),
        }
    }

    /// An object that is another variable's own is copied before it gets a new name.
    fn copied(&mut self, value: Val) -> Val {
        match value {
            Val::Object(from) if from.ty.size().is_some() => {
                let object = self.local("", &from.ty, None);
                self.copy(&object, &from, ast::Range::default());
                Val::Object(object)
            }
            other => other,
        }
    }

    fn declare_bindings(&mut self, variable: &ast::Variable) {
        let Some(e) = single(variable.init.as_ref()) else { return };
        let place = self.place(e);
        let is_reference = matches!(variable.ty.kind, ast::TypeKind::Reference { .. });
        let place = match place {
            Place::Mem(mem) if is_reference => self.pin(Place::Mem(mem)),
            place => {
                let value = self.read(place, e.range);
                Place::Val(self.copied(value))
            }
        };
        let ty = place.ty();
        for (at, name) in variable.bindings.iter().enumerate() {
            let member = match &ty {
                Type::Record(record) => record.fields.get(at).map(|field| field.name.clone()),
                Type::Vector { .. } => ["x", "y", "z", "w"].get(at).map(|lane| (*lane).to_owned()),
                _ => None,
            };
            let part = match (member, &place) {
                (Some(member), _) => self.member_of(place.clone(), &member, e, name),
                (None, Place::Mem(mem) | Place::Val(Val::Object(mem))) if matches!(ty, Type::Array(..)) => {
                    let element = ty.element().cloned().unwrap_or(Type::Void);
                    let offset = at as u64 * element.size().unwrap_or(0);
                    let pointer = self.arena.offset_const(mem.pointer, offset);
                    Place::Mem(mem.part(pointer, element))
                }
                _ => {
                    let reason = "a structured binding of an unknown type";
                    Place::Val(self.unknown_val(reason, Type::unknown(reason)))
                }
            };
            self.bind(name, Binding::Place(part));
        }
    }

    fn declare_shared(&mut self, variable: &ast::Variable) {
        let ty = self.resolve(&variable.ty);
        let key = (variable.name_range.start, ty.to_string());
        self.frame.env.set(variable.name.clone(), scope::Binding::Variable(ty.clone()));
        let id = match self.statics.get(&key) {
            Some((id, _)) => *id,
            None => {
                let id = self.shared_object(variable, &ty);
                self.statics.insert(key, (id, ty.clone()));
                id
            }
        };
        let pointer = self.arena.address(Object::Shared(id));
        let mem = Mem {
            pointer,
            ty,
            array: Rc::from(&*variable.name),
            volatile: is_volatile(&variable.ty),
            bits: None,
        };
        self.bind(&variable.name, Binding::Place(Place::Mem(mem)));
    }

    fn shared_object(&mut self, variable: &ast::Variable, ty: &Type) -> SharedId {
        let mut dimensions = Vec::new();
        let mut element = ty;
        while let Type::Array(inner, count) = element {
            dimensions.push(count.unwrap_or(0));
            element = inner;
        }
        let is_open = variable.storage.is_extern || matches!(ty, Type::Array(_, None));
        let explicit = variable.storage.align.clone().and_then(|e| self.constant_int(&e));
        let align = ty.align().unwrap_or(1).max(explicit.and_then(|n| u64::try_from(n).ok()).unwrap_or(1));
        let range = ast::Range { start: variable.name_range.start, end: variable.range.end.max(variable.name_range.end) };
        let span = self.span(range);
        self.shared.push(SharedObject {
            name: variable.name.to_string(),
            size: if is_open { None } else { ty.size() },
            align: u32::try_from(align).unwrap_or(1),
            element: element.size().and_then(|size| u32::try_from(size).ok()).unwrap_or(0),
            dimensions,
            span,
        });
        SharedId(self.shared.len() as u32 - 1)
    }

    fn local_record(&mut self, record: &std::sync::Arc<ast::Record>) {
        let Some(name) = &record.name else { return };
        let ty = scope::instantiate(&self.unit.names, record, &self.frame.env, Vec::new(), name);
        self.frame.env.set(name.clone(), scope::Binding::Type(ty));
    }

    fn local_enum(&mut self, list: &ast::Enum) {
        let underlying = match &list.underlying {
            Some(ty) => self.resolve(ty),
            None => Type::Scalar(Scalar::I32),
        };
        if let Some(name) = &list.name {
            self.frame.env.set(name.clone(), scope::Binding::Type(underlying.clone()));
        }
        let scalar = underlying.scalar().unwrap_or(Scalar::I32);
        let mut next = 0i64;
        for (name, value) in &list.values {
            if let Some(value) = value.as_ref().and_then(|e| self.constant_int(e)) {
                next = value;
            }
            let id = self.arena.int(next, scalar);
            self.bind(name, Binding::Place(Place::Val(scalar_val(id, scalar))));
            let value = crate::ir::consteval::Value::int(next, scalar);
            self.frame.env.set(name.clone(), scope::Binding::Value(value, None));
            next = next.wrapping_add(1);
        }
    }
}

enum Test<'a> {
    Expr(&'a ast::Expr),
    Condition(&'a Condition),
}

/// The one expression that an initialiser consists of.
pub(super) fn single(init: Option<&ast::Initialiser>) -> Option<&ast::Expr> {
    match init? {
        ast::Initialiser::Equals(e) => Some(e),
        ast::Initialiser::Paren(list) => match list.as_slice() {
            [one] => Some(one),
            _ => None,
        },
        ast::Initialiser::Brace(e) => match &e.kind {
            ExprKind::List(items) => match items.as_slice() {
                [(None, one)] => Some(one),
                _ => None,
            },
            _ => Some(e),
        },
    }
}

/// Whether control never runs past the end of these statements.
fn ends(stmts: &[ast::Stmt]) -> bool {
    match stmts.iter().rev().find(|stmt| !matches!(stmt.kind, StmtKind::Empty)).map(|stmt| &stmt.kind) {
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
        StmtKind::If { then, otherwise, .. } => jumps(then) || otherwise.as_deref().is_some_and(jumps),
        StmtKind::Switch { body, .. } => body.iter().any(jumps),
        _ => false,
    }
}

fn trim_exit(block: &mut Block, label: crate::ir::LabelId) {
    match block.last_mut() {
        Some(Stmt::Exit(to)) if *to == label => {
            block.pop();
        }
        Some(Stmt::If { then, otherwise, .. }) => {
            trim_exit(then, label);
            trim_exit(otherwise, label);
        }
        _ => {}
    }
}

fn exits_to(block: &Block, label: crate::ir::LabelId) -> bool {
    block.iter().any(|stmt| match stmt {
        Stmt::Exit(to) => *to == label,
        Stmt::If { then, otherwise, .. } => exits_to(then, label) || exits_to(otherwise, label),
        Stmt::Labelled { body, .. } => exits_to(body, label),
        Stmt::Loop(body) => {
            exits_to(&body.prelude, label) || exits_to(&body.body, label) || exits_to(&body.step, label)
        }
        _ => false,
    })
}
