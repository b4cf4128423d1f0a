//! Assignments.
//!
//! Given `a = b` or `a op= b`, emits reads and writes in C++17's order:
//! the right side first. Values are `expr`'s business, places `place`'s.

use super::call::ArgumentLValue;
use super::conditional_places::is_choice_of_places;
use super::context::{Binding, EVERY_FUNCTION, Lower};
use super::copy_constructors::Assignment;
use super::expr::has_effects;
use super::operators::names_class;
use super::order::{Mark, changes_copied_object, is_number};
use super::values::{LValue, Mem, Val};
use crate::sema::scope::{self, Callee};
use crate::sema::types::{Qualifiers, Target, Type};
use crate::syntax::ast::{self, BinaryOp, ExprKind, UnaryOp};

fn compound_symbol(op: Option<BinaryOp>) -> String {
    op.map_or("=".to_owned(), |op| format!("{}=", op.symbol()))
}

/// `operator=(S &&)`
fn takes_temporaries(function: &ast::Function) -> bool {
    matches!(
        function.parameters.first().map(|p| &p.ty.kind),
        Some(ast::TypeKind::Reference {
            is_rvalue: true,
            ..
        })
    )
}

/// What an expression names, if it is a name alone.
fn named(e: &ast::Expr) -> Option<&ast::Segment> {
    match &e.kind {
        ExprKind::Path(path) => path.segments.last(),
        _ => None,
    }
}

impl Lower<'_> {
    /// `a = b`, `a op= b`, `++a`, `--a`; gives `a`, or its value where memory need not be read again.
    pub fn assignment(&mut self, e: &ast::Expr, wants_value: bool) -> LValue {
        let (op, left, right) = match &e.kind {
            ExprKind::Assign(op, left, right) => (*op, left, right),
            ExprKind::Unary(op, inner) => return self.pre_increment(*op, inner, e, wants_value),
            _ => return LValue::Val(Val::Void),
        };
        let first = self.sites.len();
        let place = self.assign_sides((op, left, right), e, wants_value);
        let is_object = matches!(place.ty(), Type::Vector { .. } | Type::Record(_));
        if is_choice_of_places(left) && self.sites[first..].iter().any(|site| site.by_branch) {
            self.spread_over_branches(first);
        }
        if is_object && op.is_none() && is_named_place(right) {
            self.name_line_of_copy(first, left, right);
        }
        place
    }

    /// A copy `a = b` of a whole object is stored in the line where what it reads is named last: so `-lineinfo`
    /// has it (seen in the PTX of CUDA 13.0).
    fn name_line_of_copy(&mut self, first: usize, left: &ast::Expr, right: &ast::Expr) {
        let last = last_named(right).range;
        let expanded = &self.unit.expanded;
        let line = expanded.use_site(last.start as usize..last.end as usize);
        let stored = self.span(left.range);
        for site in &mut self.sites[first..] {
            if site.span == stored && site.line == stored && line.file == stored.file {
                site.line = line;
            }
        }
    }

    fn assign_sides(
        &mut self,
        (op, left, right): (Option<BinaryOp>, &ast::Expr, &ast::Expr),
        e: &ast::Expr,
        wants_value: bool,
    ) -> LValue {
        // The right side comes first in C++17.
        if op.is_none() && matches!(right.kind, ExprKind::List(_)) {
            let place = self.place(left);
            let ty = place.ty();
            if let Type::Record(class) = &ty
                && !matches!(self.what_assigns(class, &ty, right), Assignment::Members)
            {
                // What the list makes decides which of its assignments is meant.
                let places = [(place.clone(), left.range)];
                self.unknown_assignment(&places, "an assignment of a list in braces", e);
                return place;
            }
            let value = self.initialised(&ty, right);
            self.write(&place, value, left.range);
            return place;
        }
        if op.is_none() && self.is_whole_copy(right) {
            let from = self.place(right);
            if changes_copied_object(left, right, &from) {
                return self.assign_in_open_order(left);
            }
            let (from, to) = self.left_after_right(from, left, right);
            if let (LValue::Mem(from), LValue::Mem(to)) = (&from, &to)
                && from.ty == to.ty
                && self.copies_as_a_whole(&from.ty, right)
            {
                // Loads and stores of a copy keep their own places.
                let value = self.load_object(from, right.range);
                self.write(&LValue::Mem(to.clone()), value, left.range);
                return LValue::Mem(to.clone());
            }
            if let Some(result) = self.assign_to_class(&to, op, &from, left, right, e) {
                return result;
            }
            // A conversion reads what it needs.
            let value = self.assigned(from, &to, right);
            return self.assign_to(to, op, value, left, right, e, wants_value);
        }
        let before = self.mark();
        // What an operator of the user's may take by reference is read where that can't be.
        let from = match &right.kind {
            ExprKind::Conditional(condition, then, otherwise)
                if op.is_none() && !self.may_be_class(left) && !self.may_be_class(right) =>
            {
                self.conditional(condition, then, otherwise, right)
            }
            ExprKind::Conditional(..) => self.operand_place(right, self.may_be_of_user(left)),
            _ => self.operand_place(right, false),
        };
        if op.is_none() && changes_copied_object(left, right, &from) {
            return self.assign_in_open_order(left);
        }
        let first = self.sites.len();
        let by_branch = self.is_chosen_object(&from);
        let place = self.assign_from((op, left, right), (from, before), e, wants_value);
        if by_branch {
            self.spread_over_branches(first);
        }
        place
    }

    /// Both sides, the left one evaluated after the right one: that stays where it stood, and a number what it
    /// was, unless an operator of the user's takes it by reference.
    fn left_after_right(
        &mut self,
        from: LValue,
        left: &ast::Expr,
        right: &ast::Expr,
    ) -> (LValue, LValue) {
        if !has_effects(left) {
            return (from, self.place(left));
        }
        let from = self.pin(from);
        if !self.may_be_class(left) {
            let from = self.read_now(from, right);
            return (from, self.place(left));
        }
        self.push_block();
        let to = self.place(left);
        let block = self.pop_block();
        let from = match names_class(&to) {
            true => from,
            false => self.read_now(from, right),
        };
        self.append(block);
        (from, to)
    }

    /// A number as it is now, whatever is written later.
    fn read_now(&mut self, from: LValue, e: &ast::Expr) -> LValue {
        if !is_number(&from) {
            return from;
        }
        // What is loaded has a name of its own.
        let is_loaded = matches!(from, LValue::Mem(_));
        let value = self.read(from, e.range);
        LValue::Val(match is_loaded {
            true => value,
            false => self.kept_value(value),
        })
    }

    /// `left = right` of objects where the left side writes what is copied.
    fn assign_in_open_order(&mut self, left: &ast::Expr) -> LValue {
        let reason = "an object that the other side of its assignment writes";
        let to = self.place(left);
        let value = self.unknown_val(reason, to.ty());
        self.write(&to, value, left.range);
        to
    }

    /// The same number after variables change.
    fn kept_value(&mut self, value: Val) -> Val {
        match value {
            Val::Scalar { id, ty, volatile } if !self.arena.is_stable(id) => Val::Scalar {
                id: self.keep(id, ""),
                ty,
                volatile,
            },
            other => other,
        }
    }

    /// The number on the right side, as it is before the left side has effects.
    fn right_value(
        &mut self,
        op: Option<BinaryOp>,
        from: &LValue,
        left: &ast::Expr,
        right: &ast::Expr,
    ) -> Val {
        let value = match op {
            Some(_) => self.promoted(from, right.range),
            None => self.read(from.clone(), right.range),
        };
        match has_effects(left) {
            true => self.kept_value(value),
            false => value,
        }
    }

    fn assign_from(
        &mut self,
        (op, left, right): (Option<BinaryOp>, &ast::Expr, &ast::Expr),
        (from, before): (LValue, Mark),
        e: &ast::Expr,
        wants_value: bool,
    ) -> LValue {
        let mut from = if has_effects(left) {
            self.pin(from)
        } else {
            from
        };
        let is_taken = matches!(&from, LValue::Mem(_))
            && self.may_be_of_user(left)
            && (!has_effects(left) || self.may_be_class(left));
        let is_read = !names_class(&from) && !is_taken;
        let mut between = self.mark();
        let value = is_read.then(|| {
            let value = self.right_value(op, &from, left, right);
            between = self.mark();
            value
        });
        if let ExprKind::Conditional(condition, a, b) = &left.kind
            && !names_class(&from)
            && !self.may_be_of_user(left)
            && wants_value
        {
            let value = value.unwrap_or_else(|| self.read(from, right.range));
            return self.assign_to_either((condition, a, b), op, value, right, e, wants_value);
        }
        let (place, mut value) = if is_taken && has_effects(left) && !names_class(&from) {
            self.push_block();
            let place = self.place(left);
            let block = self.pop_block();
            let is_read = !names_class(&place);
            let value = is_read.then(|| self.right_value(op, &from, left, right));
            between = self.mark();
            self.append(block);
            (place, value)
        } else {
            (self.place(left), value)
        };
        if op.is_some() || names_class(&place) {
            let spans = ((before, between), (between, self.mark()));
            self.open_right_side(&mut from, value.as_mut(), spans);
        }
        if let Some(result) = self.assign_to_class(&place, op, &from, left, right, e) {
            return result;
        }
        let value = match value {
            Some(_) if matches!(place.ty(), Type::Record(_)) => self.assigned(from, &place, right),
            Some(value) => value,
            None if op.is_some() && !names_class(&from) => self.promoted(&from, right.range),
            None if op.is_some() => self.in_place(from, right.range),
            None => self.assigned(from, &place, right),
        };
        if let Some(object) = self.object_of_member(left, &place) {
            // Which part of it is written is not known; nothing else is.
            let reason = format!("member of `{}`", object.ty());
            let unknown = self.unknown_val(&reason, object.ty());
            self.write(&object, unknown, left.range);
            return LValue::Val(value);
        }
        self.assign_to(place, op, value, left, right, e, wants_value)
    }

    /// What an assignment to `to` takes of `from`: a constructor that makes the value reads what it needs.
    fn assigned(&mut self, from: LValue, to: &LValue, right: &ast::Expr) -> Val {
        let to = to.ty();
        match to {
            Type::Record(_) => self.convert_place(from, &to, right.range),
            _ if from.ty() == to => self.read(from, right.range),
            _ => self.in_place(from, right.range),
        }
    }

    /// The variable that `x.member` is part of, where the member is a value and no place.
    fn object_of_member(&mut self, left: &ast::Expr, place: &LValue) -> Option<LValue> {
        let (LValue::Val(Val::Scalar { .. }), ExprKind::Member { object, arrow, .. }) =
            (place, &left.kind)
        else {
            return None;
        };
        if *arrow || !matches!(object.kind, ExprKind::Path(_)) {
            return None;
        }
        match self.place(object) {
            object @ LValue::Var { .. } => Some(object),
            _ => None,
        }
    }

    /// `(c ? a : b) = v`
    fn assign_to_either(
        &mut self,
        (condition, a, b): (&ast::Expr, &ast::Expr, &ast::Expr),
        op: Option<BinaryOp>,
        value: Val,
        right: &ast::Expr,
        e: &ast::Expr,
        wants_value: bool,
    ) -> LValue {
        let value = self.kept_value(value);
        let condition = self.condition(condition);
        let condition = if self.arena.is_stable(condition) {
            condition
        } else {
            self.keep(condition, "")
        };
        let known = self.arena.as_bool(condition);
        let mut blocks = Vec::new();
        let mut result = LValue::Val(Val::Void);
        for (side, taken) in [(a, true), (b, false)] {
            self.push_block();
            if known != Some(!taken) {
                let place = self.place(side);
                result = self.assign_to(place, op, value.clone(), side, right, e, wants_value);
            }
            blocks.push(self.pop_block());
        }
        let otherwise = blocks.pop().unwrap_or_default();
        let then = blocks.pop().unwrap_or_default();
        match known {
            Some(true) => self.append(then),
            Some(false) => self.append(otherwise),
            None => {
                self.emit_if(condition, then, otherwise, e.range);
                if wants_value {
                    let reason = "the value of an assignment to one of two places";
                    result = LValue::Val(self.unknown_val(reason, result.ty()));
                }
            }
        }
        result
    }

    /// `place = from`, `place op= from` by the operator of a class, where there is one: what it takes by
    /// reference is not read here.
    fn assign_to_class(
        &mut self,
        place: &LValue,
        op: Option<BinaryOp>,
        from: &LValue,
        left: &ast::Expr,
        right: &ast::Expr,
        e: &ast::Expr,
    ) -> Option<LValue> {
        if op.is_some() && !names_class(place) && !names_class(from) {
            let is_one = place.ty().is_enumeration() || from.ty().is_enumeration();
            let operands = [(place.clone(), left), (from.clone(), right)];
            return is_one
                .then(|| self.of_enumerations(&compound_symbol(op), &operands, e))
                .flatten();
        }
        if !names_class(place) && op.is_none() {
            return None;
        }
        let arguments = [(place.clone(), left.range), (from.clone(), right.range)];
        if op.is_some() {
            return self.operator_call(&compound_symbol(op), &arguments, e.range);
        }
        let Type::Record(class) = place.ty() else {
            return None;
        };
        match self.what_assigns(&class, &from.ty(), right) {
            Assignment::Members => None,
            Assignment::Own(own) => Some(self.assign_by(&own, &arguments, right, e)),
            Assignment::Open(reason) => {
                self.unknown_assignment(&arguments, &reason, e);
                Some(place.clone())
            }
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the two sides of an assignment, as trees and as values"
    )]
    pub(super) fn assign_to(
        &mut self,
        place: LValue,
        op: Option<BinaryOp>,
        value: Val,
        left: &ast::Expr,
        right: &ast::Expr,
        e: &ast::Expr,
        wants_value: bool,
    ) -> LValue {
        let ty = place.ty();
        if let Some(value) = self.atomic_operator(&place, e) {
            return LValue::Val(value);
        }
        if let LValue::Val(held @ Val::SpecialValue(_)) = &place
            && let Some(name) = named(left)
            && op.is_none()
        {
            // Which it holds where depends on the way there: the next attempt knows of none.
            let key = self.frame.scope.key_of(&name.name);
            let key = key.or(held.is_callable().then_some(EVERY_FUNCTION));
            self.spilled.borrow_mut().extend(key);
            let value = match value {
                Val::SpecialValue(_) => value,
                _ => self.one_of_several(),
            };
            self.bind(&name.name, Binding::LValue(LValue::Val(value)));
            return place;
        }
        if matches!(&place, LValue::Val(held) if held.is_callable()) {
            // Through a pointer: to which variable is not known.
            self.spilled.borrow_mut().insert(EVERY_FUNCTION);
        }
        if names_class(&place) {
            let from = LValue::operand(value.clone(), None);
            if let Some(result) = self.assign_to_class(&place, op, &from, left, right, e) {
                return result;
            }
            // `r += 4` of what converts to an `int &`.
            if op.is_some()
                && let LValue::Mem(mem) = &place
                && let Some(found) = self.referent(&mem.clone(), None, left.range)
            {
                if matches!(found.ty(), Type::Record(_)) {
                    return found;
                }
                return self.assign_to(found, op, value, left, right, e, wants_value);
            }
        }
        let value = match op {
            None => value,
            Some(op) => {
                let symbol = compound_symbol(Some(op));
                if let Some(reason) = self.overloaded(&symbol, &[left, right]) {
                    let value = self.unknown_val(&reason, place.ty());
                    self.write(&place, value, left.range);
                    return place;
                }
                let old = self.read(place.clone(), left.range);
                let old = self.promoted_bits(&place, old);
                let old = LValue::operand(old, Some(false));
                let value = LValue::operand(value, None);
                let result = self.operate(op, (old, left.range), (value, right.range), e.range);
                self.read(result, e.range)
            }
        };
        // After an assignment a volatile place is read again, after an increment it is not: so
        // nvcc 13 compiles them.
        let is_increment = matches!(e.kind, ExprKind::Unary(..));
        if wants_value
            && let (LValue::Mem(mem), Some(scalar)) = (&place, ty.scalar())
            && mem.bits.is_none()
            && (is_increment || !mem.volatile)
        {
            let id = self.scalar_of(value, scalar, right.range);
            let id = if self.arena.is_stable(id) {
                id
            } else {
                self.keep(id, "")
            };
            let value = Val::Scalar {
                id,
                ty,
                volatile: false,
            };
            self.write(&place, value.clone(), left.range);
            return LValue::Val(value);
        }
        self.write(&place, value, left.range);
        place
    }

    /// Whether `a = b` of two objects of this type moves its bytes and does nothing else.
    pub(super) fn copies_as_a_whole(&self, ty: &Type, right: &ast::Expr) -> bool {
        match ty {
            Type::Vector { .. } => true,
            Type::Record(class) => {
                matches!(self.what_assigns(class, ty, right), Assignment::Members)
            }
            _ => false,
        }
    }

    /// `place = value` by one of the class's own assignments.
    fn assign_by(
        &mut self,
        own: &[Callee],
        arguments: &[ArgumentLValue; 2],
        right: &ast::Expr,
        e: &ast::Expr,
    ) -> LValue {
        let [(object, at), value] = arguments.clone();
        let mut own = self.of_object(own.to_vec(), object.is_const(), None);
        let given = value.0.ty();
        // Whether it has a name the text says, where its place does not.
        let types = [match &right.kind {
            ExprKind::Path(_) | ExprKind::Unary(UnaryOp::Deref, _)
                if matches!(given, Type::Record(_)) =>
            {
                own.retain(|c| self.is_template(c) || !takes_temporaries(&c.function));
                Type::Reference(Target::open(given))
            }
            ExprKind::Call { .. } | ExprKind::Cast { .. } => given.with(Qualifiers::OPEN),
            _ => value.0.argument_type(),
        }];
        let (names, env) = (&self.unit.names, &self.frame.env);
        if let Some((callee, env)) = scope::overload_for_arguments(names, env, &own, &[], &types)
            && callee.function.body.is_some()
            && let Some(mem) = self.memory_of(object, at)
        {
            let this = match &callee.env.record {
                Some(base) => self.as_base(mem, base),
                None => mem,
            };
            let this = self.pinned(this);
            return self.inline(&callee, env, Some(this), &[value], "operator=", e.range);
        }
        // None of them certainly, or one that does what there is without it.
        self.unknown_assignment(arguments, "which `operator=` is meant is not known", e);
        arguments[0].0.clone()
    }

    /// An assignment that may write anything of these objects.
    fn unknown_assignment(&mut self, places: &[ArgumentLValue], reason: &str, e: &ast::Expr) {
        let mut pointers = Vec::new();
        for (place, _) in places {
            if matches!(place.ty(), Type::Record(_)) {
                let mem = self.memory_of(place.clone(), e.range);
                pointers.extend(mem.map(|mem| mem.pointer));
            }
        }
        self.gap(e.range, reason, Vec::new(), pointers);
    }

    fn is_whole_copy(&self, e: &ast::Expr) -> bool {
        matches!(
            e.kind,
            ExprKind::Index(..) | ExprKind::Member { .. } | ExprKind::Unary(UnaryOp::Deref, _)
        )
    }

    /// The object at `mem` as a local one.
    fn load_object(&mut self, mem: &Mem, range: ast::Range) -> Val {
        self.read(LValue::Mem(mem.clone()), range)
    }
}

/// Whether an expression names an object, and makes none.
fn is_named_place(e: &ast::Expr) -> bool {
    matches!(
        e.kind,
        ExprKind::Path(_)
            | ExprKind::Index(..)
            | ExprKind::Member { .. }
            | ExprKind::Unary(UnaryOp::Deref, _)
    )
}

/// The part of a place that is read last and is no constant.
fn last_named(e: &ast::Expr) -> &ast::Expr {
    let is_constant = |e: &ast::Expr| matches!(e.kind, ExprKind::Int { .. });
    match &e.kind {
        ExprKind::Index(base, indices) => match indices.last().filter(|last| !is_constant(last)) {
            Some(last) => last_named(last),
            None => last_named(base),
        },
        ExprKind::Binary(_, a, b) => last_named(if is_constant(b) { a } else { b }),
        ExprKind::Member { object, .. } => last_named(object),
        ExprKind::Unary(_, inner) | ExprKind::Cast { value: inner, .. } => last_named(inner),
        _ => e,
    }
}
