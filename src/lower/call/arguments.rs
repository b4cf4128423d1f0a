//! Arguments of calls: what each names, or its value.
//!
//! Given the functions that a call may mean, gives for each argument the place that a parameter may be bound to, or
//! the value that is copied. C++ leaves the order of arguments open: what one reads and another one writes is unknown.

use super::ArgumentLValue;
use crate::ir::VarId;
use crate::lower::context::Lower;
use crate::lower::order::Span;
use crate::lower::values::{LValue, Val};
use crate::sema::scope::{self, Callee};
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast::{self, BinaryOp, ExprKind};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// `c ? a : b`, also behind commas.
fn ends_in_choice(e: &ast::Expr) -> bool {
    match &e.kind {
        ExprKind::Conditional(..) => true,
        ExprKind::Binary(BinaryOp::Comma, _, right) => ends_in_choice(right),
        _ => false,
    }
}

fn is_expansion(e: &ast::Expr) -> bool {
    matches!(e.kind, ExprKind::Expand(_))
}

impl Lower<'_> {
    pub fn argument(&mut self, e: &ast::Expr) -> ArgumentLValue {
        (self.place(e), e.range)
    }

    /// Arguments of a function that takes values, and keeps no reference to what it is given.
    pub(in crate::lower) fn arguments_by_value(
        &mut self,
        list: &[ast::Expr],
    ) -> Vec<ArgumentLValue> {
        self.given_in_any_order(list, &|_| true)
    }

    /// Arguments, of which some are read and bound to nothing: what another one writes of those is not known,
    /// for C++ leaves their order open.
    pub(in crate::lower) fn given_in_any_order(
        &mut self,
        list: &[ast::Expr],
        is_value: &dyn Fn(usize) -> bool,
    ) -> Vec<ArgumentLValue> {
        if list.iter().any(is_expansion) {
            return self.arguments(list);
        }
        let mut places = self.each_argument(list, |this, _, e| this.given(e));
        for (at, (place, range)) in places.iter_mut().enumerate() {
            if is_value(at) && self.written_by_another.remove(range) {
                *place = LValue::Val(self.argument_in_any_order(place.ty()));
            }
        }
        places
    }

    /// What a parameter gets of a number that another argument writes.
    pub(in crate::lower) fn argument_in_any_order(&mut self, ty: Type) -> Val {
        self.unknown_val("an argument that another one writes, in either order", ty)
    }

    /// Notes which arguments are numbers that another one writes. Each of `parts` is one of them, with what
    /// was emitted while it was found.
    pub(in crate::lower) fn note_written_by_another(
        &mut self,
        places: &mut [ArgumentLValue],
        parts: &[(usize, Span)],
    ) {
        let written: Vec<FxHashSet<VarId>> = parts
            .iter()
            .map(|(_, span)| self.written_in(*span))
            .collect();
        let has_writes = written.iter().any(|locals| !locals.is_empty());
        // Statements that are put into a later part leave the earlier ones where they are.
        for (part, (at, span)) in parts.iter().enumerate().rev() {
            let Some((place, range)) = places.get_mut(*at) else {
                continue;
            };
            self.written_by_another.remove(range);
            if !has_writes {
                continue;
            }
            let others = written.iter().enumerate().filter(|(at, _)| *at != part);
            let written: FxHashSet<VarId> =
                others.flat_map(|(_, locals)| locals).copied().collect();
            let is_open = !written.is_disjoint(&self.read_for(place, *span));
            // A place that is read later stands where nobody knows; any other number is unknown itself.
            if !self.open_place(place, &written) && is_open {
                self.written_by_another.insert(*range);
            }
            self.leave_open(*span, &written);
        }
    }

    /// Locals that the number at a place is read from, if it is one, where finding it emitted `span`.
    pub(in crate::lower) fn read_for(&mut self, place: &LValue, span: Span) -> FxHashSet<VarId> {
        let (value, object) = match place {
            LValue::Var { variable, .. } => {
                let scalar = self.variable_scalar(*variable);
                (self.arena.var(*variable, scalar), None)
            }
            LValue::Mem(mem) if mem.ty.scalar().is_some() => {
                (mem.pointer, self.arena.local_object(mem.pointer))
            }
            LValue::Val(Val::Scalar { id, .. }) => (*id, None),
            _ => return FxHashSet::default(),
        };
        let mut read = self.read_in(value, span);
        read.extend(object);
        read
    }

    /// What `e` names, but the value of a choice: where nothing is bound to it, no place is needed.
    pub fn given(&mut self, e: &ast::Expr) -> LValue {
        match &e.kind {
            // What reads the object may change it: a copy is another one.
            ExprKind::Conditional(..) if self.is_changed_when_read(e) => self.place(e),
            ExprKind::Conditional(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise, e)
            }
            ExprKind::Binary(op @ BinaryOp::Comma, left, right) if ends_in_choice(right) => {
                match self.operator_in_order(*op, left, right, e) {
                    Some(result) => result,
                    None => {
                        self.effect(left);
                        self.given(right)
                    }
                }
            }
            _ => self.place(e),
        }
    }

    /// Arguments in order. Where a function may write through a reference to one, a choice between two
    /// places is one of them, and a constant is an object with a name.
    pub(in crate::lower) fn arguments_for(
        &mut self,
        list: &[ast::Expr],
        candidates: &[Callee],
    ) -> Vec<ArgumentLValue> {
        if candidates.is_empty() {
            return self.arguments(list);
        }
        let names = &self.unit.names;
        let is_reference = |callee: &Callee, parameter: &ast::Parameter, is_written: bool| {
            match &parameter.ty.kind {
                ast::TypeKind::Reference { to, .. } => !is_written || !to.is_const,
                // By an alias.
                ast::TypeKind::Named(_) => {
                    match scope::resolve_type(names, &callee.env, &parameter.ty) {
                        Type::Reference(to) => !is_written || !to.qualifiers.is_const,
                        _ => false,
                    }
                }
                _ => false,
            }
        };
        let is_bound = |at: usize, is_written: bool| {
            candidates.iter().any(|callee| {
                let parameters = &callee.function.parameters;
                let last = parameters.last().filter(|parameter| parameter.is_pack);
                let parameter = parameters.get(at).or(last);
                parameter.is_some_and(|parameter| is_reference(callee, parameter, is_written))
            })
        };
        let is_object = |at: usize, e: &ast::Expr| match e.kind {
            _ if ends_in_choice(e) => {
                is_bound(at, true) || self.is_made_into_another(at, e, candidates)
            }
            ExprKind::Path(_) => is_bound(at, true),
            ExprKind::Str(_) => is_bound(at, false),
            _ => false,
        };
        // Behind a pack nothing tells here which parameter takes an argument.
        let pack = list.iter().position(is_expansion).unwrap_or(list.len());
        let counts = candidates.iter().map(|c| c.function.parameters.len());
        let most = counts.max().unwrap_or(0);
        let bound: Vec<bool> = list
            .iter()
            .enumerate()
            .map(|(at, e)| {
                let mut may_be = if at > pack { 0..most } else { at..at + 1 };
                may_be.any(|at| is_object(at, e))
            })
            .collect();
        if !bound.contains(&true) {
            let is_value: Vec<bool> = (0..list.len()).map(|at| !is_bound(at, false)).collect();
            return self.given_in_any_order(list, &|at| is_value.get(at) == Some(&true));
        }
        self.each_argument(list, |this, at, e| match bound[at] {
            true => this.object_named(e),
            false => this.given(e),
        })
    }

    /// Arguments of an object that is called, or of a lambda.
    pub(in crate::lower) fn arguments_of_value(
        &mut self,
        function: &LValue,
        list: &[ast::Expr],
    ) -> Vec<ArgumentLValue> {
        if let Type::Record(record) = function.ty().strip_reference() {
            let candidates = self.unit.names.methods(record, "()");
            return self.arguments_for(list, &candidates);
        }
        self.arguments(list)
    }

    /// Arguments of a constructor of `ty`.
    pub(in crate::lower) fn arguments_of_class(
        &mut self,
        ty: &Type,
        list: &[ast::Expr],
    ) -> Vec<ArgumentLValue> {
        if matches!(
            ty,
            Type::Scalar(..) | Type::Pointer(_) | Type::Vector { .. }
        ) {
            return self.arguments_by_value(list);
        }
        let candidates = self.constructors_for(ty, list);
        self.arguments_for(list, &candidates)
    }

    /// The constructors of `ty`, where they have a say in what these arguments name.
    pub(in crate::lower) fn constructors_for(&self, ty: &Type, list: &[ast::Expr]) -> Vec<Callee> {
        let may_be_object = |e: &ast::Expr| {
            ends_in_choice(e) || matches!(e.kind, ExprKind::Path(_) | ExprKind::Str(_))
        };
        let of = match ty.strip_reference() {
            Type::Array(element, _) => element,
            of => of,
        };
        match of {
            Type::Record(record) if list.iter().any(may_be_object) => self.constructors(record),
            _ => Vec::new(),
        }
    }

    /// Whether functions of its class run where an object is converted or copied, or may run: its class is not
    /// known.
    pub(in crate::lower) fn is_changed_when_read(&self, e: &ast::Expr) -> bool {
        let ty = scope::type_of(&self.unit.names, &self.frame.env, e);
        match ty.strip_reference() {
            Type::Record(class) => class.has_conversions() || self.has_copy_constructor(class),
            ty => ty.is_unknown(),
        }
    }

    /// Whether one of the candidates takes an object that is made of the argument by a constructor which may
    /// change it.
    pub(in crate::lower) fn is_made_into_another(
        &self,
        at: usize,
        e: &ast::Expr,
        candidates: &[Callee],
    ) -> bool {
        let own = scope::type_of(&self.unit.names, &self.frame.env, e);
        let own = own.strip_reference();
        candidates.iter().any(|callee| {
            let parameters = &callee.function.parameters;
            let last = parameters.last().filter(|parameter| parameter.is_pack);
            let Some(parameter) = parameters.get(at).or(last) else {
                return false;
            };
            let ty = scope::resolve_type(&self.unit.names, &callee.env, &parameter.ty);
            match ty.strip_reference() {
                Type::Record(_) if ty.strip_reference() == own => false,
                // Functions of the argument's own class run, too.
                Type::Record(class) => {
                    matches!(own, Type::Record(_)) || self.may_change_what_it_takes(class)
                }
                _ => false,
            }
        })
    }

    /// Whether a constructor of the class takes a reference by which it may write.
    pub(in crate::lower) fn may_change_what_it_takes(&self, class: &Arc<RecordType>) -> bool {
        self.constructors(class).iter().any(|constructor| {
            let first = constructor.function.parameters.first();
            first.is_some_and(|first| match &first.ty.kind {
                ast::TypeKind::Reference { to, .. } => !to.is_const,
                ast::TypeKind::Named(_) => matches!(
                    scope::resolve_type(&self.unit.names, &constructor.env, &first.ty),
                    Type::Reference(to) if !to.qualifiers.is_const
                ),
                _ => false,
            })
        })
    }

    /// What an argument names, with the object that a constant is.
    pub(in crate::lower) fn object_named(&mut self, e: &ast::Expr) -> LValue {
        if let ExprKind::Str(_) = &e.kind {
            return LValue::Mem(self.string(e));
        }
        let place = self.place(e);
        let is_constant = matches!(place, LValue::Val(Val::Scalar { .. }))
            && matches!(&e.kind, ExprKind::Path(path) if self.names_variable(path));
        if !is_constant {
            return place;
        }
        match self.memory_of(place.clone(), e.range) {
            Some(mem) => LValue::Mem(mem).named(Some(true)),
            None => place,
        }
    }

    /// Arguments in order, packs expanded.
    pub fn arguments(&mut self, list: &[ast::Expr]) -> Vec<ArgumentLValue> {
        self.each_argument(list, |this, _, e| this.place(e))
    }

    /// What `named` finds for each argument, given its number, with what another one writes left open; packs expanded.
    fn each_argument(
        &mut self,
        list: &[ast::Expr],
        named: impl Fn(&mut Self, usize, &ast::Expr) -> LValue,
    ) -> Vec<ArgumentLValue> {
        let mut out = Vec::with_capacity(list.len());
        let mut parts = Vec::with_capacity(list.len());
        for (at, e) in list.iter().enumerate() {
            if let ExprKind::Expand(pattern) = &e.kind
                && let Some(items) = self.expand_unordered(pattern)
            {
                out.extend(items.into_iter().map(|place| (place, e.range)));
                continue;
            }
            let before = self.mark();
            out.push((named(self, at, e), e.range));
            parts.push((out.len() - 1, (before, self.mark())));
        }
        self.note_written_by_another(&mut out, &parts);
        out
    }
}
