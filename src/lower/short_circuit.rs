//! `&&`, `||`, `?:` and the folds of packs: expressions of which a part may not be evaluated.

use super::call::ArgumentLValue;
use super::conditional_places::either_const;
use super::context::Lower;
use super::conversions::is_another_array;
use super::expr::{is_class, names_place};
use super::operators::names_class;
use super::user_logical::Meant;
use super::values::{LValue, Val, scalar_val};
use crate::ir::{Binary, Block, ExprId, Scalar, Stmt, Unary};
use crate::sema::scope;
use crate::sema::types::{self, Type, usual_arithmetic};
use crate::syntax::ast::{self, BinaryOp, ExprKind};

/// A value, and the statements that it needs.
pub(super) struct Halves {
    pub block: Block,
    pub value: ExprId,
}

impl Lower<'_> {
    pub(super) fn logical(
        &mut self,
        op: BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        e: &ast::Expr,
    ) -> Val {
        let is_and = op == BinaryOp::LogicalAnd;
        let a = self.condition(left);
        if let Some(known) = self.arena.as_bool(a) {
            if known != is_and {
                return scalar_val(self.arena.int(i64::from(known), Scalar::Bool), Scalar::Bool);
            }
            return scalar_val(self.condition(right), Scalar::Bool);
        }
        self.push_block();
        let value = self.condition(right);
        let block = self.pop_block();
        self.logical_of(op, a, Halves { block, value }, e)
    }

    /// `a && b`, where `b` is a value and the statements that give it.
    pub(super) fn logical_of(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        right: Halves,
        e: &ast::Expr,
    ) -> Val {
        let is_and = op == BinaryOp::LogicalAnd;
        let Halves {
            mut block,
            value: b,
        } = right;
        if block.is_empty() {
            let op = if is_and {
                Binary::LogicalAnd
            } else {
                Binary::LogicalOr
            };
            return scalar_val(self.arena.binary(op, a, b, Scalar::Bool), Scalar::Bool);
        }
        let variable = self.scalar_variable("", Scalar::Bool, None);
        self.emit(Stmt::Assign { variable, value: a });
        block.push(Stmt::Assign { variable, value: b });
        let kept = self.arena.var(variable, Scalar::Bool);
        let condition = if is_and {
            kept
        } else {
            self.arena.unary(Unary::LogicalNot, kept, Scalar::Bool)
        };
        self.emit_if(condition, block, Block::new(), e.range);
        scalar_val(kept, Scalar::Bool)
    }

    /// The side of a choice that is taken in every run.
    pub fn taken_side(&mut self, taken: &ast::Expr, other: &ast::Expr, e: &ast::Expr) -> LValue {
        // Of two arithmetic types the result has the common one, whichever is taken; beside a number an object
        // is what it converts to.
        let place = self.place(taken);
        let place = self.unless_made(place, taken, other);
        let own = place.ty();
        let is_class = matches!(own.strip_reference(), Type::Record(_));
        if own.scalar().is_none() && !is_class {
            return place;
        }
        let beside = other;
        let other = self.type_if_evaluated(other);
        if other.scalar().is_none() {
            return place;
        }
        let value = match self.in_place(place.clone(), taken.range) {
            Val::Object(mem) => match self.class_to_any_scalar(&mem, taken.range) {
                Some(value) => value,
                None => return place,
            },
            _ if own == other => return self.const_beside(place, beside),
            value => value,
        };
        let common = common_type(&value.ty(), &other);
        LValue::Val(self.convert(value, &common, e.range))
    }

    /// The side that is taken is `const` where the other one is.
    fn const_beside(&self, place: LValue, other: &ast::Expr) -> LValue {
        let is_const = match &other.kind {
            ast::ExprKind::Path(path) => match path.as_name().and_then(|name| self.lookup(name)) {
                Some(super::context::Binding::LValue(other)) => other.is_const(),
                _ => None,
            },
            _ => None,
        };
        let both = either_const(place.is_const(), is_const);
        place.named(both)
    }

    /// The place that the side taken names. Where the other side makes a value, the result is an object of its own.
    fn unless_made(&mut self, place: LValue, taken: &ast::Expr, other: &ast::Expr) -> LValue {
        let ty = place.ty();
        let is_object = matches!(ty, Type::Record(_) | Type::Vector { .. });
        if matches!(place, LValue::Val(_)) || !(is_object || ty.scalar().is_some()) {
            return place;
        }
        if !is_object {
            return match names_place(other) {
                true => place,
                false => LValue::Val(self.in_place(place, taken.range)),
            };
        }
        self.push_block();
        let beside = self.place(other);
        self.pop_block();
        let (LValue::Val(beside), Some(mem)) = (beside, self.memory_of(place.clone(), taken.range))
        else {
            return place;
        };
        if beside.ty().is_unknown() {
            let reason = "a choice between an object and what is not known";
            self.gap(taken.range, reason, Vec::new(), vec![mem.pointer]);
            return LValue::Val(self.unknown_val(reason, ty));
        }
        let object = self.local("", &ty, None);
        self.construct_into(&object, &[(place, taken.range)], taken.range);
        LValue::Val(Val::Object(object))
    }

    /// The type of an expression that is not evaluated: as lowering finds it, where the text alone does not tell.
    fn type_if_evaluated(&mut self, e: &ast::Expr) -> Type {
        let ty = scope::type_of(&self.unit.names, &self.frame.env, e);
        if !ty.is_unknown() {
            return ty;
        }
        self.push_block();
        let ty = self.operand_place(e, true).ty();
        self.pop_block();
        ty.strip_reference().clone()
    }

    /// The value of one of two expressions, by a condition that is not known.
    pub fn choice(
        &mut self,
        condition: ExprId,
        then: &ast::Expr,
        otherwise: &ast::Expr,
        e: &ast::Expr,
    ) -> LValue {
        self.push_block();
        let a = self.side(then, otherwise);
        let mut first = self.pop_block();
        self.push_block();
        let b = self.side(otherwise, then);
        let mut second = self.pop_block();
        let a = self.number_beside(a, &b, then, &mut first);
        let b = self.number_beside(b, &a, otherwise, &mut second);
        if let (
            Val::Scalar {
                id: x,
                ty: xt,
                volatile: xv,
            },
            Val::Scalar {
                id: y,
                ty: yt,
                volatile: yv,
            },
        ) = (&a, &b)
        {
            if is_another_array(xt, yt) {
                self.emit_if(condition, first, second, e.range);
                return LValue::Val(self.one_of_several());
            }
            let ty = common_type(xt, yt);
            let scalar = ty
                .scalar()
                .unwrap_or_else(|| usual_arithmetic(self.arena.ty(*x), self.arena.ty(*y)));
            let (x, y, volatile) = (
                self.arena.cast(*x, scalar),
                self.arena.cast(*y, scalar),
                *xv || *yv,
            );
            if first.is_empty() && second.is_empty() {
                let id = self.arena.select(condition, x, y, scalar);
                return LValue::Val(Val::Scalar { id, ty, volatile });
            }
            let variable = self.scalar_variable("", scalar, None);
            first.push(Stmt::Assign { variable, value: x });
            second.push(Stmt::Assign { variable, value: y });
            self.emit_if(condition, first, second, e.range);
            let id = self.arena.var(variable, scalar);
            return LValue::Val(Val::Scalar { id, ty, volatile });
        }
        let ty = if is_class(&a) { a.ty() } else { b.ty() };
        if matches!(a, Val::Void) && matches!(b, Val::Void) {
            self.emit_if(condition, first, second, e.range);
            return LValue::Val(Val::Void);
        }
        if !is_class(&a) && !is_class(&b) {
            self.emit_if(condition, first, second, e.range);
            return match (a, b) {
                (Val::SpecialValue(a), Val::SpecialValue(b)) if a.is_same(&b) => {
                    LValue::Val(Val::SpecialValue(a))
                }
                _ => LValue::Val(self.one_of_several()),
            };
        }
        let object = self.local("", &ty, None);
        self.push_block();
        self.write(&LValue::Mem(object.clone()), a, then.range);
        first.extend(self.pop_block());
        self.push_block();
        self.write(&LValue::Mem(object.clone()), b, otherwise.range);
        second.extend(self.pop_block());
        self.emit_if(condition, first, second, e.range);
        LValue::Val(Val::Object(object))
    }

    /// One side of a choice: where the other one is a number, and this an object, what the object converts
    /// to.
    fn side(&mut self, e: &ast::Expr, other: &ast::Expr) -> Val {
        let names = &self.unit.names;
        let of = |e: &ast::Expr| scope::type_of(names, &self.frame.env, e);
        let own = of(e);
        if own.is_unknown() {
            return self.object_or_value(e);
        }
        let is_converted = matches!(own.strip_reference(), Type::Record(_))
            && matches!(of(other).strip_reference(), Type::Scalar(..));
        if !is_converted {
            return self.value(e);
        }
        match self.object_or_value(e) {
            Val::Object(mem) => match self.class_to_any_scalar(&mem, e.range) {
                Some(value) => value,
                None => self.read(LValue::Mem(mem), e.range),
            },
            value => value,
        }
    }

    /// One side of a choice beside the other, which turned out to be a number: what an object converts to.
    fn number_beside(&mut self, own: Val, other: &Val, e: &ast::Expr, block: &mut Block) -> Val {
        match (&own, other) {
            (Val::Object(mem), Val::Scalar { .. }) if matches!(mem.ty, Type::Record(_)) => {
                self.push_block();
                let number = self.class_to_any_scalar(&mem.clone(), e.range);
                block.extend(self.pop_block());
                number.unwrap_or(own)
            }
            _ => own,
        }
    }

    /// A function, group or object of a library that is one of several.
    pub fn one_of_several(&mut self) -> Val {
        let reason = "one of several functions or objects of a library";
        self.unknown_val(reason, Type::unknown(reason))
    }

    /// A fold whose operands are not known may do anything; the reason.
    fn unknown_fold(&mut self, range: ast::Range) -> &'static str {
        let reason = "a fold over a pack that is not known";
        self.gap(range, reason, Vec::new(), Vec::new());
        self.forget_locals(reason, range);
        reason
    }

    /// Which side of a fold has the pack: in `(a + ... + b)` only names tell.
    fn sides_of_fold<'e>(
        &self,
        pack: &'e ast::Expr,
        init: Option<&'e ast::Expr>,
        is_left: bool,
    ) -> (&'e ast::Expr, Option<&'e ast::Expr>, bool) {
        match init {
            Some(other) if self.packs_in(other).is_some() => (other, Some(pack), !is_left),
            _ => (pack, init, is_left),
        }
    }

    /// `(pack, ...)`: the operands one after the other; it is what the last one is.
    pub fn comma_fold(
        &mut self,
        pack: &ast::Expr,
        init: Option<&ast::Expr>,
        is_left: bool,
        e: &ast::Expr,
    ) -> LValue {
        let (pack, init, is_left) = self.sides_of_fold(pack, init, is_left);
        if self.meant_by_fold(BinaryOp::Comma, pack, init, is_left) != Meant::BuiltIn {
            let reason = self.unknown_fold(e.range);
            return LValue::Val(self.unknown_val(reason, Type::unknown(reason)));
        }
        let mut last = LValue::Val(Val::Void);
        if is_left && let Some(init) = init {
            self.effect(init);
        }
        match self.expand(pack) {
            Some(items) => last = items.into_iter().next_back().unwrap_or(last),
            None => {
                self.unknown_fold(e.range);
            }
        }
        match init.filter(|_| !is_left) {
            Some(init) => self.place(init),
            None => last,
        }
    }

    pub(super) fn fold(
        &mut self,
        op: BinaryOp,
        pack: &ast::Expr,
        init: Option<&ast::Expr>,
        is_left: bool,
        e: &ast::Expr,
    ) -> LValue {
        let (pack, init, is_left) = self.sides_of_fold(pack, init, is_left);
        let may_stop = matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr);
        let meant = may_stop.then(|| self.meant_by_fold(op, pack, init, is_left));
        if meant == Some(Meant::BuiltIn)
            && let Some(value) = self.logical_fold(op, pack, init, is_left, e)
        {
            return LValue::Val(value);
        }
        if meant == Some(Meant::Open) {
            let reason = self.unknown_fold(e.range);
            return LValue::Val(self.unknown_val(reason, Type::unknown(reason)));
        }
        let Some(mut places) = self.expand_unordered(pack) else {
            let reason = self.unknown_fold(e.range);
            return LValue::Val(self.unknown_val(reason, Type::unknown(reason)));
        };
        if let Some(init) = init {
            let place = self.operand_place(init, true);
            places.insert(if is_left { 0 } else { places.len() }, place);
        }
        // An operator of a class reads what it needs.
        if !places.iter().any(names_class) {
            for place in &mut places {
                *place = LValue::Val(self.read(place.clone(), pack.range));
            }
        }
        if !is_left {
            places.reverse();
        }
        let mut places = places.into_iter();
        let Some(mut result) = places.next() else {
            let id = self
                .arena
                .int(i64::from(op == BinaryOp::LogicalAnd), Scalar::Bool);
            return LValue::Val(scalar_val(id, Scalar::Bool));
        };
        for place in places {
            let (a, b) = if is_left {
                (result, place)
            } else {
                (place, result)
            };
            let operands = [(a, e.range), (b, e.range)];
            result = if may_stop {
                self.fold_step(op, operands, e.range)
            } else {
                let [a, b] = operands;
                self.operate(op, a, b, e.range)
            };
        }
        result
    }

    /// One step of a fold by `&&` or `||`, some steps of which are a user's operator; both sides are evaluated.
    fn fold_step(
        &mut self,
        op: BinaryOp,
        operands: [ArgumentLValue; 2],
        range: ast::Range,
    ) -> LValue {
        let is_built_in = |place: &LValue| {
            !names_class(place) && self.meant(op, &place.ty(), range) == Meant::BuiltIn
        };
        if operands.iter().all(|(place, _)| is_built_in(place)) {
            let [a, b] = operands.map(|(place, at)| {
                let value = self.read(place, at);
                self.scalar_of(value, Scalar::Bool, at)
            });
            let op = match op {
                BinaryOp::LogicalAnd => Binary::LogicalAnd,
                _ => Binary::LogicalOr,
            };
            let both = self.arena.binary(op, a, b, Scalar::Bool);
            return LValue::Val(scalar_val(both, Scalar::Bool));
        }
        if let Some(result) = self.operator_call(op.symbol(), &operands, range) {
            return result;
        }
        let reason = format!("which `operator{}` is meant is not known", op.symbol());
        self.not_followed(&[], None, &operands, None, &reason, range)
    }

    /// Who is meant by `&&`, `||` or `,` in a fold: a class that has such an operator, if all elements are of one.
    fn meant_by_fold(
        &mut self,
        op: BinaryOp,
        pack: &ast::Expr,
        init: Option<&ast::Expr>,
        is_left: bool,
    ) -> Meant {
        if !self.unit.names.declares_operator(op.symbol()) {
            return Meant::BuiltIn;
        }
        let Some(packs) = self.packs_in(pack) else {
            return Meant::Open;
        };
        let mut types = self.each_element(&packs, |this| this.type_here(pack));
        types.extend(init.map(|init| self.type_here(init)));
        let all: Vec<Meant> = types
            .iter()
            .map(|ty| self.meant(op, ty, pack.range))
            .collect();
        let is_class = |ty: &Type| matches!(ty.strip_reference(), Type::Record(_));
        let is_name = |e: &ast::Expr| matches!(e.kind, ExprKind::Path(_));
        let is_number = |ty: &Type| matches!(ty.strip_reference(), Type::Scalar(..));
        let mut elements = types.iter().zip(&all).take(packs.count);
        let names_numbers = is_name(pack)
            && init.is_some_and(is_name)
            && elements.all(|(ty, meant)| is_number(ty) && *meant == Meant::BuiltIn);
        match all.first() {
            _ if all.iter().all(|one| *one == Meant::BuiltIn) => Meant::BuiltIn,
            Some(Meant::User) if types.iter().all(is_class) => Meant::User,
            _ if all.contains(&Meant::Open) => Meant::Open,
            // `(object || ... || xs)`, where each operand is there anyway: a name, of a number but for the first.
            _ if is_left && names_numbers && all.last() == Some(&Meant::User) => Meant::User,
            _ => Meant::Open,
        }
    }

    /// `(pack && ...)`: an element is evaluated where none before it has decided.
    fn logical_fold(
        &mut self,
        op: BinaryOp,
        pack: &ast::Expr,
        init: Option<&ast::Expr>,
        is_left: bool,
        e: &ast::Expr,
    ) -> Option<Val> {
        let packs = self.packs_in(pack)?;
        let is_and = op == BinaryOp::LogicalAnd;
        let mut parts: Vec<(Option<usize>, &ast::Expr)> =
            (0..packs.count).map(|at| (Some(at), pack)).collect();
        if let Some(init) = init {
            parts.insert(if is_left { 0 } else { parts.len() }, (None, init));
        }
        // One alone is what it is, and no truth value.
        if parts.len() == 1 {
            return None;
        }
        // What the elements so far come to.
        let mut so_far = self.arena.int(i64::from(is_and), Scalar::Bool);
        for (element, part) in parts {
            match self.arena.as_bool(so_far) {
                Some(known) if known != is_and => break,
                _ => {}
            }
            self.push_block();
            let next = match element {
                Some(at) => self.with_element(&packs, at, |this| this.condition(part)),
                None => self.scoped(|this| this.condition(part)),
            };
            let mut block = self.pop_block();
            if self.arena.as_bool(so_far).is_some() {
                self.append(block);
                so_far = next;
                continue;
            }
            if block.is_empty() {
                let op = if is_and {
                    Binary::LogicalAnd
                } else {
                    Binary::LogicalOr
                };
                so_far = self.arena.binary(op, so_far, next, Scalar::Bool);
                continue;
            }
            let variable = self.scalar_variable("", Scalar::Bool, None);
            self.emit(Stmt::Assign {
                variable,
                value: so_far,
            });
            block.push(Stmt::Assign {
                variable,
                value: next,
            });
            so_far = self.arena.var(variable, Scalar::Bool);
            let goes_on = if is_and {
                so_far
            } else {
                self.arena.unary(Unary::LogicalNot, so_far, Scalar::Bool)
            };
            self.emit_if(goes_on, block, Block::new(), e.range);
        }
        Some(scalar_val(so_far, Scalar::Bool))
    }
}

fn common_type(a: &Type, b: &Type) -> Type {
    match (a, b) {
        (Type::Unknown(_), _) => a.clone(),
        (_, Type::Unknown(_)) => b.clone(),
        (Type::Pointer(to), Type::Pointer(_)) if matches!(**to, Type::Void) => b.clone(),
        (Type::Pointer(_), _) => a.clone(),
        (_, Type::Pointer(_)) => b.clone(),
        (Type::Scalar(a, x), Type::Scalar(b, y)) if a == b && x == y => Type::Scalar(*a, *x),
        (Type::Scalar(a, x), Type::Scalar(b, y)) => types::common((*a, *x), (*b, *y)),
        _ => a.clone(),
    }
}
