//! Reads the text once for what it declares and once for what it does.

use super::flow::writes_through;
use super::{Displaced, Key, MAX_DEPTH, OUTSIDE, Shape};
use crate::host::operands::address_of;
use crate::sema::types;
use crate::syntax::ast::{
    self, BinaryOp, Builtin, Condition, Expr, ExprKind, Function, Initialiser, Item, Member, Name,
    Record, Stmt, StmtKind, TypeExpr, TypeKind, UnaryOp, Variable,
};
use crate::syntax::visit::Part;
use std::sync::Arc;

/// Where the results of a body go.
#[derive(Clone, Copy)]
struct Results<'r> {
    to: &'r Key,
    ty: Option<&'r TypeExpr>,
}

impl<'a> Displaced<'a> {
    fn own(&mut self, at: usize, name: &Name, shape: Shape) {
        match self.locals.get_mut(at) {
            Some(own) => {
                own.insert(name.clone());
                self.declare(Key::Local(at, name.clone()), shape);
            }
            None => self.declare(Key::Global(name.clone()), shape),
        }
    }

    fn own_parameters(&mut self, at: usize, all: &'a [ast::Parameter]) {
        for p in all {
            if let Some(name) = &p.name {
                let shape = match self.types.shape(&p.ty) {
                    Shape::Array(of) if matches!(p.ty.kind, TypeKind::Array(..)) => {
                        Shape::Pointer(of)
                    }
                    shape => shape,
                };
                self.note_reference(at, name, &p.ty, &shape);
                self.own(at, name, shape);
            }
        }
    }

    /// Notes what a function declares.
    pub(super) fn note_function(&mut self, at: usize, f: &'a Function) {
        let all = self.functions.entry(f.name.clone()).or_default();
        all.push((at, f));
        self.types.note_templates(&f.templates);
        self.own_parameters(at, &f.parameters);
        for s in f.body.iter().flatten() {
            self.note_statement(at, s, MAX_DEPTH);
        }
        for e in f.initialisers.iter().flat_map(|(_, list)| list) {
            self.note_expr(at, e, MAX_DEPTH);
        }
    }

    fn note_variable(&mut self, at: usize, v: &'a Variable, depth: u32) {
        let inits = initial(v);
        inits.iter().for_each(|e| self.note_expr(at, e, depth));
        let is_auto = |ty: &TypeExpr| match &ty.kind {
            TypeKind::Auto => true,
            TypeKind::Reference { to, .. } => matches!(to.kind, TypeKind::Auto),
            _ => false,
        };
        let shape = match &inits[..] {
            [e] if is_auto(&v.ty) && v.bindings.is_empty() => self.shape_of(at, e),
            _ => self.types.shape(&v.ty),
        };
        for b in &v.bindings {
            self.own(at, b, Shape::Other);
        }
        self.note_reference(at, &v.name, &v.ty, &shape);
        self.own(at, &v.name, shape);
        if let Some(r) = unnamed_class(&v.ty) {
            self.note_local(at, r);
        }
    }

    /// Notes what the type of a local variable says of where it may lie, or point.
    fn note_reference(&mut self, at: usize, name: &Name, ty: &TypeExpr, shape: &Shape) {
        let key = Key::Local(at, name.clone());
        if self.leads_to_later_base(ty) {
            self.displaced.insert(key.clone());
        }
        if *shape == Shape::Number && matches!(ty.kind, TypeKind::Reference { .. }) {
            self.references.insert(key);
        }
    }

    fn note_statement(&mut self, at: usize, s: &'a Stmt, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match &s.kind {
            StmtKind::Variables(vs) => {
                for v in vs.iter() {
                    self.note_variable(at, v, depth);
                }
            }
            StmtKind::RangeFor { variable, .. } => self.note_variable(at, variable, depth),
            StmtKind::Alias(a) => self.note_alias(a),
            StmtKind::Enum(e) => self.note_enum(e),
            StmtKind::Record(r) => self.note_local(at, r),
            StmtKind::If {
                condition: Condition::Variable(v),
                ..
            }
            | StmtKind::While {
                condition: Condition::Variable(v),
                ..
            } => self.note_variable(at, v, depth),
            _ => {}
        }
        let (statements, expressions) = parts(s);
        expressions
            .iter()
            .for_each(|e| self.note_expr(at, e, depth));
        statements
            .iter()
            .for_each(|s| self.note_statement(at, s, depth));
    }

    /// A class in a function: its methods see the function's names.
    fn note_local(&mut self, at: usize, r: &'a Arc<Record>) {
        self.note_record(r, 0);
        if r.name.is_some() {
            self.note_members(r, 0);
        } else {
            self.note_unnamed(r, 0);
        }
        self.note_methods(at, r);
    }

    fn note_methods(&mut self, at: usize, r: &'a Record) {
        for m in &r.members {
            if let Member::Function(f) = m {
                self.note_function(at, f);
            }
        }
    }

    fn note_expr(&mut self, at: usize, e: &'a Expr, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        if let ExprKind::Lambda(l) = &e.kind {
            self.lambdas.insert(Arc::as_ptr(l) as usize, at);
            self.own_parameters(at, &l.parameters);
            for c in l.captures.listed.iter().filter(|c| c.is_new) {
                let shape = c.init.as_ref().map(|e| self.shape_of(at, e));
                self.own(at, &c.name, shape.unwrap_or(Shape::Other));
            }
            l.body
                .iter()
                .for_each(|s| self.note_statement(at, s, depth));
        }
        e.each_operand(&mut |c| self.note_expr(at, c, depth));
    }

    /// Reads what stands outside of functions.
    pub(super) fn read_items(&mut self, items: &'a [Item], depth: u32) {
        for item in items.iter().filter(|_| depth < 64) {
            match item {
                Item::Variables(vs) => vs.iter().for_each(|v| self.variable(OUTSIDE, v, MAX_DEPTH)),
                Item::Record(r) => self.read_members(OUTSIDE, r, depth),
                Item::Namespace(_, inner) => self.read_items(inner, depth + 1),
                _ => {}
            }
        }
    }

    /// The initial values of members.
    fn read_members(&mut self, at: usize, r: &'a Record, depth: u32) {
        for m in r.members.iter().filter(|_| depth < 64) {
            match m {
                Member::Variables(vs) => {
                    for v in vs {
                        self.initialise(at, v, &Key::Global(v.name.clone()), MAX_DEPTH);
                    }
                }
                Member::Record(inner) => self.read_members(at, inner, depth + 1),
                _ => {}
            }
        }
    }

    /// What a class in a function does.
    fn read_class(&mut self, at: usize, r: &'a Record) {
        self.read_members(at, r, 0);
        for m in &r.members {
            if let Member::Function(f) = m {
                self.read_function(at, f);
            }
        }
    }

    /// Reads what a function does.
    pub(super) fn read_function(&mut self, at: usize, f: &'a Function) {
        let result = Key::Result(f.name.clone());
        for (i, p) in f.parameters.iter().enumerate() {
            let entry = Key::Entry(f.name.clone(), i);
            if let Some(name) = &p.name {
                self.edge(&entry, &Key::Local(at, name.clone()));
            }
            if let Some(e) = &p.default {
                self.flow(at, e, &entry, Some(&p.ty));
                self.expr(at, e, MAX_DEPTH);
            }
        }
        for (path, list) in &f.initialisers {
            let Some(name) = path.segments.last().map(|last| &last.name) else {
                continue;
            };
            let member = Key::Global(name.clone());
            for e in list {
                self.flow(at, e, &member, None);
                self.expr(at, e, MAX_DEPTH);
            }
            if self.functions.contains_key(name) {
                let list: Vec<&Expr> = list.iter().collect();
                self.pass_to_named(at, name, &list);
            }
        }
        let results = Results {
            to: &result,
            ty: Some(&f.result),
        };
        for s in f.body.iter().flatten() {
            self.statement(at, s, results, MAX_DEPTH);
        }
        if f.problem.is_some() {
            self.give_up(at);
        }
    }

    /// Something of a function was not read: its variables may be moved.
    fn give_up(&mut self, at: usize) {
        let own: Vec<Name> = self.locals.get(at).into_iter().flatten().cloned().collect();
        for name in own {
            self.displace(Key::Local(at, name));
        }
    }

    fn variable(&mut self, at: usize, v: &'a Variable, depth: u32) {
        if let Some(r) = unnamed_class(&v.ty).filter(|_| at != OUTSIDE) {
            self.read_class(at, r);
        }
        let key = self.key(at, &v.name);
        // What callers give after the last parameter is not followed.
        if matches!(&v.ty.kind, TypeKind::Named(p) if p.segments.last().is_some_and(|s| s.name.ends_with("va_list")))
        {
            self.displace(key.clone());
        }
        self.initialise(at, v, &key, depth);
        let is_reference = matches!(v.ty.kind, TypeKind::Reference { .. });
        let leads_in = |e: &&Expr| {
            matches!(
                e.kind,
                ExprKind::Unary(UnaryOp::Deref, _) | ExprKind::Index(..)
            )
        };
        let names_parts = is_reference && initial(v).iter().any(leads_in);
        for b in &v.bindings {
            let key = self.key(at, b);
            // A part of what somebody points to may be anywhere in it.
            if names_parts {
                self.displace(key.clone());
            }
            self.link_members(&key, &v.ty);
            for e in initial(v) {
                self.flow(at, e, &key, Some(&v.ty));
            }
        }
    }

    fn initialise(&mut self, at: usize, v: &'a Variable, key: &Key, depth: u32) {
        for e in initial(v) {
            self.flow(at, e, key, Some(&v.ty));
            self.expr(at, e, depth);
            // `size_t &u = (size_t &)p`: whatever is written to it moves the pointer.
            if writes_through(&v.ty) && self.is_punned(at, e) {
                let cells = self.led_to(at, e);
                cells.into_iter().for_each(|cell| self.displace(cell));
            }
        }
        let list: &[Expr] = match &v.init {
            Some(Initialiser::Paren(list)) => list,
            Some(Initialiser::Brace(e) | Initialiser::Equals(e)) => std::slice::from_ref(e),
            None => return,
        };
        let name = match &v.ty.kind {
            TypeKind::Named(p) => p.segments.last().map(|s| &s.name),
            _ => None,
        };
        let Some(name) = name.filter(|n| {
            self.types.shape(&v.ty) == Shape::Record || self.functions.contains_key(*n)
        }) else {
            // `std::thread t(f, p)`: whoever is given a function may call it with the rest.
            let may_be_called = |e: &Expr| {
                matches!(e.kind, ExprKind::Lambda(_)) || self.shape_of(at, e) == Shape::Function
            };
            if list.len() > 1 && list.iter().any(may_be_called) {
                self.pass_to_anybody(at, None, list);
            }
            return;
        };
        self.members(at, list, Some(&v.ty));
        let items: Vec<&Expr> = list.iter().flat_map(listed).collect();
        self.pass_to_named(at, name, &items);
    }

    fn statement(&mut self, at: usize, s: &'a Stmt, results: Results<'_>, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return self.give_up(at);
        };
        match &s.kind {
            StmtKind::Variables(vs) => {
                for v in vs.iter() {
                    self.variable(at, v, depth);
                }
            }
            StmtKind::RangeFor {
                variable, range, ..
            } => {
                for name in &variable.bindings {
                    let key = self.key(at, name);
                    self.link_members(&key, &variable.ty);
                }
                for name in variable.bindings.iter().chain([&variable.name]) {
                    let key = self.key(at, name);
                    self.flow(at, range, &key, Some(&variable.ty));
                    if self.has_operators {
                        self.edge(&Key::Result(Name::from("*")), &key);
                    }
                }
            }
            StmtKind::If {
                condition: Condition::Variable(v),
                ..
            }
            | StmtKind::While {
                condition: Condition::Variable(v),
                ..
            } => self.variable(at, v, depth),
            // What was thrown is not followed to its handler.
            StmtKind::If {
                condition: Condition::Expr(e),
                then,
                ..
            } if matches!(e.kind, ExprKind::Other("caught")) => {
                if let StmtKind::Block(parts) = &then.kind
                    && let Some(StmtKind::Variables(caught)) = parts.first().map(|s| &s.kind)
                {
                    let names = caught.iter().flat_map(|v| &v.bindings);
                    let names: Vec<Key> = names.map(|name| self.key(at, name)).collect();
                    names.into_iter().for_each(|key| self.displace(key));
                }
            }
            StmtKind::Return(Some(e)) => {
                self.flow(at, e, results.to, results.ty);
                if results.ty.is_some_and(writes_through) && self.may_be_part(at, e) {
                    self.displace(results.to.clone());
                }
            }
            StmtKind::Record(r) => self.read_class(at, r),
            StmtKind::Error => self.give_up(at),
            StmtKind::Asm(asm) => {
                let outputs = asm.outputs.iter();
                let cells: Vec<Key> = outputs.flat_map(|(_, e)| self.led_to(at, e)).collect();
                cells.into_iter().for_each(|cell| self.displace(cell));
            }
            _ => {}
        }
        let (statements, expressions) = parts(s);
        for e in expressions {
            self.expr(at, e, depth);
        }
        for s in statements {
            self.statement(at, s, results, depth);
        }
    }

    /// What an expression does.
    fn expr(&mut self, at: usize, e: &'a Expr, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return self.give_up(at);
        };
        match &e.kind {
            ExprKind::Assign(op, place, value) => self.assign(at, *op, place, value),
            ExprKind::Unary(op, inner) if op.is_step() => {
                let moves = self.shape_of(at, inner) != Shape::Number || self.is_punned(at, inner);
                if moves {
                    for cell in self.led_to(at, inner) {
                        self.displace(cell);
                    }
                }
            }
            ExprKind::Call { callee, arguments } => match &callee.kind {
                ExprKind::Other("new") => {
                    self.members(at, arguments, None);
                }
                _ => self.pass(at, callee, arguments),
            },
            ExprKind::Construct { ty, arguments } => {
                self.members(at, arguments, Some(ty));
                if let TypeKind::Named(p) = &ty.kind
                    && let Some(s) = p.segments.last()
                {
                    let arguments: Vec<&Expr> = arguments.iter().collect();
                    self.pass_to_named(at, &s.name, &arguments);
                }
            }
            ExprKind::Lambda(l) => {
                for c in &l.captures.listed {
                    if let Some(e) = &c.init {
                        let key = self.key(at, &c.name);
                        self.flow(at, e, &key, None);
                        self.expr(at, e, depth);
                    }
                }
                for p in &l.parameters {
                    if let Some(name) = &p.name {
                        let own = self.key(at, name);
                        self.edge(&Key::Anybody, &own);
                    }
                    self.left(at, p);
                }
                let results = Results {
                    to: &Key::ResultOfAnybody,
                    ty: l.result.as_ref(),
                };
                for s in &l.body {
                    self.statement(at, s, results, depth);
                }
            }
            ExprKind::Binary(op, a, b) if self.has_operators => {
                let is_class =
                    |e: &Expr| matches!(self.shape_of(at, e), Shape::Record | Shape::Other);
                let name = op.symbol();
                if self.functions.contains_key(name) && (is_class(a) || is_class(b)) {
                    let name = Name::from(name);
                    self.pass_to_named(at, &name, &[a, b]);
                    // As a method.
                    self.pass_to_named(at, &name, &[b]);
                }
            }
            ExprKind::Index(object, by) if self.has_operators => {
                let is_class = matches!(self.shape_of(at, object), Shape::Record | Shape::Other);
                if is_class && self.functions.contains_key("[]") {
                    let by: Vec<&Expr> = by.iter().collect();
                    self.pass_to_named(at, &Name::from("[]"), &by);
                }
            }
            ExprKind::Error | ExprKind::Other("pointer to member") => self.give_up(at),
            _ => {}
        }
        e.each_operand(&mut |c| self.expr(at, c, depth));
    }

    /// Whether the bytes of a pointer are written as something else.
    fn is_punned(&self, at: usize, place: &Expr) -> bool {
        match &place.kind {
            // `(size_t &)p`
            ExprKind::Cast { value, .. } => self.shape_of(at, value) != Shape::Number,
            // `*(size_t *)&p`
            ExprKind::Unary(UnaryOp::Deref, base) | ExprKind::Index(base, _) => match &base.kind {
                ExprKind::Cast { ty, value, .. } => {
                    let held = self.shape_of(at, value).element();
                    matches!(held, Shape::Pointer(_))
                        || held == Shape::Other && holds_an_address(ty)
                        || address_of(value).is_some_and(|e| self.shape_of(at, e) != Shape::Number)
                }
                _ => false,
            },
            ExprKind::Member { object, .. } => self.is_punned(at, object),
            _ => false,
        }
    }

    fn assign(&mut self, at: usize, op: Option<BinaryOp>, place: &'a Expr, value: &'a Expr) {
        if self.is_punned(at, place) {
            let cells = self.led_to(at, place);
            cells.into_iter().for_each(|cell| self.displace(cell));
        }
        let shape = self.shape_of(at, place);
        if shape == Shape::Number {
            return;
        }
        for cell in self.led_to(at, place) {
            match op {
                Some(_) => self.displace(cell),
                None => self.flow_to_place(at, value, &cell, None, &shape),
            }
        }
    }
}

/// Whether a type is a pointer to integers that an address fits in.
fn holds_an_address(ty: &TypeExpr) -> bool {
    let TypeKind::Pointer { to, .. } = &ty.kind else {
        return false;
    };
    match &to.kind {
        TypeKind::Builtin(b) => matches!(
            b,
            Builtin::Long | Builtin::UnsignedLong | Builtin::LongLong | Builtin::UnsignedLongLong
        ),
        TypeKind::Named(p) => {
            let known = p.segments.last().and_then(|s| types::known(&s.name));
            known.is_some_and(|t| t.is_integer() && t.size() == Some(8))
        }
        _ => false,
    }
}

/// The class that a declaration defines without a name: `union { float *f; size_t n; } u[2]`.
pub(super) fn unnamed_class(ty: &TypeExpr) -> Option<&Arc<Record>> {
    match &ty.kind {
        TypeKind::Record(r) => Some(r),
        TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } => unnamed_class(to),
        TypeKind::Array(of, _) => unnamed_class(of),
        _ => None,
    }
}

fn initial(v: &Variable) -> Vec<&Expr> {
    match &v.init {
        Some(Initialiser::Equals(e) | Initialiser::Brace(e)) => vec![e],
        Some(Initialiser::Paren(list)) => list.iter().collect(),
        None => Vec::new(),
    }
}

/// The items of a braced list, or the expression itself.
fn listed(e: &Expr) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::List(items) => items.iter().map(|(_, e)| e).collect(),
        _ => vec![e],
    }
}

/// The statements and expressions that a statement consists of; variables are read by themselves.
fn parts(s: &Stmt) -> (Vec<&Stmt>, Vec<&Expr>) {
    let (mut statements, mut expressions) = (Vec::new(), Vec::new());
    s.each_part(&mut |part| match part {
        Part::Stmt(inner) => statements.push(inner),
        Part::Expr(e) => expressions.push(e),
        Part::Variable(_) => {}
    });
    (statements, expressions)
}
