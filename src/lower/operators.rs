//! Operators on values: what `a + b`, `-a`, `&a` and `p + i` are in the IR.
//!
//! Given operands as they are written or lowered; gives their value at the type that C's conversions say. Operators
//! of classes are calls, which `call` lowers.

use super::call::ArgumentLValue;
use super::context::{EVERY_FUNCTION, Lower};
use super::expr::{has_effects, is_class, is_temporary, names_place, typed};
use super::groups::SpecialValue;
use super::order::Span;
use super::values::{LValue, Mem, Val, int_type, scalar_val};
use crate::ir::{Binary, ExprId, Scalar, Unary};
use crate::sema::scope;
use crate::sema::types::{self, Qualifiers, Target, Twin, Type, promote, usual_arithmetic};
use crate::syntax::ast::{self, BinaryOp, ExprKind, UnaryOp};

const WRITTEN_BY_OTHER: &str = "an operand that the other one writes, in either order";

impl Lower<'_> {
    /// What was read at `place`, promoted where that is a bit-field.
    pub fn promoted_bits(&mut self, place: &LValue, value: Val) -> Val {
        let (
            LValue::Mem(Mem {
                bits: Some((_, width)),
                ..
            }),
            Val::Scalar {
                id,
                ty: Type::Scalar(scalar, _),
                ..
            },
        ) = (place, &value)
        else {
            return value;
        };
        let to = match (scalar.is_signed(), width) {
            _ if !scalar.is_integer() || scalar.size() < 4 => return value,
            (true, ..=32) | (false, ..=31) => Scalar::I32,
            (false, 32) => Scalar::U32,
            _ => return value,
        };
        scalar_val(self.arena.cast(*id, to), to)
    }

    /// `op inner`: what it names, where an operator of a class gives a reference.
    pub(super) fn unary(&mut self, op: UnaryOp, inner: &ast::Expr, e: &ast::Expr) -> LValue {
        match op {
            UnaryOp::AddressOf => return LValue::Val(self.address_of(inner, e)),
            UnaryOp::PostIncrement | UnaryOp::PostDecrement => {
                return self.increment(op, inner, e, true);
            }
            UnaryOp::Not => {
                let place = self.operand_place(inner, false);
                if names_class(&place) {
                    let operand = [(place.clone(), inner.range)];
                    if let Some(result) = self.operator_call("!", &operand, e.range) {
                        return result;
                    }
                } else {
                    let operand = [(place.clone(), inner)];
                    if let Some(result) = self.of_enumerations("!", &operand, e) {
                        return result;
                    }
                }
                let value = self.in_place(place, inner.range);
                let value = self.scalar_of(value, Scalar::Bool, inner.range);
                let id = self.arena.unary(Unary::LogicalNot, value, Scalar::Bool);
                return LValue::Val(scalar_val(id, Scalar::Bool));
            }
            _ => {}
        }
        let text = match op {
            UnaryOp::Plus => "+",
            UnaryOp::Neg => "-",
            _ => "~",
        };
        let place = self.operand_place(inner, false);
        if names_class(&place) {
            let operand = [(place.clone(), inner.range)];
            if let Some(result) = self.operator_call(text, &operand, e.range) {
                return result;
            }
        } else if let Some(result) = self.of_enumerations(text, &[(place.clone(), inner)], e) {
            return result;
        }
        let value = match self.in_place(place.clone(), inner.range) {
            value @ Val::Object(_) => self.class_operand(value, inner.range),
            value => self.promoted_bits(&place, value),
        };
        LValue::Val(match value {
            Val::Scalar {
                id,
                ty: ty @ (Type::Unknown(_) | Type::Opaque(_)),
                ..
            } => self.unknown_from(&[id], ty),
            Val::Scalar {
                id,
                ty: Type::Scalar(s, twin),
                ..
            } => {
                let promoted = types::promoted(s, twin);
                let to = promote(self.arena.ty(id));
                let id = self.arena.cast(id, to);
                let id = match op {
                    UnaryOp::Plus => id,
                    UnaryOp::Neg => self.arena.unary(Unary::Neg, id, to),
                    _ => self.arena.unary(Unary::Not, id, to),
                };
                self.number_as(id, promoted)
            }
            Val::SpecialValue(SpecialValue::Closure(_)) => value,
            value @ Val::Scalar { .. } => value,
            value => self.vector_arithmetic(&value, &value, text, e.range),
        })
    }

    /// A variable that holds a function may be assigned through a pointer to it: nothing is known of it.
    fn note_pointed_to(&self, value: &Val, e: &ast::Expr) {
        if let ExprKind::Path(path) = &e.kind
            && let [name] = &path.segments[..]
            && value.is_callable()
            && self.lookup(&name.name).is_some()
        {
            let key = self.frame.scope.key_of(&name.name);
            let key = key.unwrap_or(EVERY_FUNCTION);
            self.spilled.borrow_mut().insert(key);
        }
    }

    fn address_of(&mut self, inner: &ast::Expr, e: &ast::Expr) -> Val {
        // `&C::n` is no address, `&(C::n)` is one.
        if let ast::ExprKind::Path(path) = &inner.kind
            && inner.range == path.range
            && self.is_field_by_class(path)
        {
            let reason = "a pointer to a member is not modelled";
            return self.unknown_val(reason, Type::unknown(reason));
        }
        let place = self.place(inner);
        let volatile = matches!(&place, LValue::Mem(mem) if mem.volatile)
            || matches!(&place, LValue::Var { volatile: true, .. });
        if let LValue::Val(value @ Val::SpecialValue(_)) = &place {
            self.note_pointed_to(value, inner);
            return self.read(place, e.range);
        }
        // A number that has an address is a constant.
        let is_constant = matches!(&place, LValue::Val(Val::Scalar { .. }));
        match self.memory_of(place, e.range) {
            Some(mem) if is_constant => Val::Scalar {
                id: mem.pointer,
                ty: Type::Pointer(Target::new(mem.ty.with(Qualifiers::CONST))),
                volatile,
            },
            Some(mem) => Val::Scalar {
                id: mem.pointer,
                ty: Type::Pointer(Target::new(mem.whole_type())),
                volatile,
            },
            None => {
                let reason = "the address of something that has none";
                self.unknown_val(reason, Type::unknown(reason))
            }
        }
    }

    /// `left op right`: what it names, where an operator of a class gives a reference.
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        e: &ast::Expr,
    ) -> LValue {
        if matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr) {
            return match self.operator_in_order(op, left, right, e) {
                Some(result) => result,
                None => LValue::Val(self.logical(op, left, right, e)),
            };
        }
        let before = self.mark();
        // An operator of the user's takes what is here by reference, and reads what it needs of it: a number
        // in memory is read only where that can't be.
        let is_choice = matches!(left.kind, ExprKind::Conditional(..));
        let a = self.operand_place(left, is_choice && self.may_be_of_user(right));
        let a = if has_effects(right) { self.pin(a) } else { a };
        let is_open = matches!(a, LValue::Mem(_)) && !has_effects(right);
        let is_user = is_open && (a.ty().is_enumeration() || self.may_be_of_user(right));
        let read = (!names_class(&a) && !is_user).then(|| self.promoted(&a, left.range));
        // A later side effect must not change what was read.
        let read = match read {
            Some(Val::Scalar { id, ty, volatile })
                if has_effects(right) && !self.arena.is_stable(id) =>
            {
                Some(Val::Scalar {
                    id: self.keep(id, ""),
                    ty,
                    volatile,
                })
            }
            other => other,
        };
        let between = self.mark();
        let mut b = self.operand_place(right, names_class(&a) || a.ty().is_enumeration());
        if names_class(&a) || names_class(&b) {
            let mut a = a;
            let parts = ((before, between), (between, self.mark()));
            self.operands_in_any_order((&mut a, parts.0), (&mut b, parts.1));
            return self.operate(op, (a, left.range), (b, right.range), e.range);
        }
        let operands = [(a.clone(), left), (b.clone(), right)];
        if let Some(result) = self.of_enumerations(op.symbol(), &operands, e) {
            return result;
        }
        // Beside what has no effects it is read as late as this: nothing of that writes it.
        let is_late = read.is_none();
        let a = read.unwrap_or_else(|| self.promoted(&a, left.range));
        let b = self.promoted(&b, right.range);
        let (mut a, mut b) = (a, b);
        // The operands of a shift stand in order since C++17, but GCC steps what `i++ << i` steps last.
        let (left, right) = ((before, between), (between, self.mark()));
        let written = [self.written_in(left), self.written_in(right)];
        let is_open = [
            !is_late && self.is_read_from(&a, left, &written[1]),
            self.is_read_from(&b, right, &written[0]),
        ];
        for (operand, is_open) in [&mut a, &mut b].into_iter().zip(is_open) {
            if is_open {
                *operand = self.unknown_val(WRITTEN_BY_OTHER, operand.ty());
            }
        }
        self.leave_open(right, &written[0]);
        self.leave_open(left, &written[1]);
        LValue::Val(self.arithmetic(op, a, b, e.range))
    }

    /// Operands of an operator of a class: a number that the other one writes is not known.
    pub(super) fn operands_in_any_order(
        &mut self,
        (a, left): (&mut LValue, Span),
        (b, right): (&mut LValue, Span),
    ) {
        let written = [self.written_in(left), self.written_in(right)];
        for (operand, own, written) in [(b, right, &written[0]), (a, left, &written[1])] {
            if written.is_empty() {
                continue;
            }
            let is_open = !written.is_disjoint(&self.read_for(operand, own));
            if !self.open_place(operand, written) && is_open {
                *operand = LValue::Val(self.unknown_val(WRITTEN_BY_OTHER, operand.ty()));
            }
            self.leave_open(own, written);
        }
    }

    /// Whether an operand may make an operator one of the user's: it is of a class or an enumeration, or its
    /// type is not known.
    pub(super) fn may_be_of_user(&self, e: &ast::Expr) -> bool {
        let ty = scope::type_of(&self.unit.names, &self.frame.env, e);
        let ty = ty.strip_reference();
        ty.is_unknown()
            || ty.is_enumeration()
            || matches!(ty, Type::Record(_) | Type::Vector { .. })
    }

    /// An operand of an operator: where it stands, if it has a place, else its value. Of a choice that is one
    /// of two places where the operator is one of the user's for sure, or may be.
    pub(super) fn operand_place(&mut self, e: &ast::Expr, is_of_user: bool) -> LValue {
        match &e.kind {
            ExprKind::Conditional(..) if is_of_user || self.may_be_class(e) => self.place(e),
            ExprKind::Assign(..)
            | ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PreDecrement, _)
                if is_of_user =>
            {
                self.place(e)
            }
            _ if names_place(e) => self.place(e),
            ExprKind::Assign(..)
            | ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PreDecrement, _) => {
                self.assignment(e, true)
            }
            _ => {
                let value = self.value(e);
                LValue::operand(value, is_temporary(e))
            }
        }
    }

    /// Whether an expression is, or may be, an object of a class.
    pub(super) fn may_be_class(&self, e: &ast::Expr) -> bool {
        let ty = scope::type_of(&self.unit.names, &self.frame.env, e);
        let ty = ty.strip_reference();
        ty.is_unknown() || matches!(ty, Type::Record(_))
    }

    /// The value of an operand of arithmetic: a bit-field is an `int` where that holds all it can be.
    pub(super) fn promoted(&mut self, place: &LValue, range: ast::Range) -> Val {
        let value = self.read(place.clone(), range);
        self.promoted_bits(place, value)
    }

    /// What an operator on numbers gives that may be one of the user's: it is declared for an enumeration,
    /// and an operand is of one.
    pub fn of_enumerations(
        &mut self,
        symbol: &str,
        operands: &[(LValue, &ast::Expr)],
        e: &ast::Expr,
    ) -> Option<LValue> {
        let written: Vec<&ast::Expr> = operands.iter().map(|(_, e)| *e).collect();
        let of: Vec<Type> = operands.iter().map(|(place, _)| place.ty()).collect();
        let of: Vec<&Type> = of.iter().filter(|ty| ty.is_enumeration()).collect();
        let is_one = !of.is_empty();
        let has_class = operands.iter().any(|(place, _)| names_class(place));
        if has_class || !is_one && self.overloaded(symbol, &written).is_none() {
            return None;
        }
        let names = &self.unit.names;
        if !names.has_operator_of_enumerations(&self.frame.env, symbol, &of) {
            return None;
        }
        let places: Vec<ArgumentLValue> = operands
            .iter()
            .map(|(place, e)| (place.clone(), e.range))
            .collect();
        let types: Vec<Type> = places
            .iter()
            .map(|(place, _)| place.argument_type())
            .collect();
        let meant = names.operators_of_enumerations(&self.frame.env, symbol, &types, e.range);
        // Types that are not known may be of an enumeration.
        let are_known = types.iter().all(|ty| !ty.strip_reference().is_unknown());
        if meant.is_none() && are_known {
            return None;
        }
        let all = meant.unwrap_or_default();
        if let Some((callee, env)) =
            scope::overload_for_arguments(names, &self.frame.env, &all, &[], &types)
            && callee.function.body.is_some()
        {
            let takes = |(p, given): (&ast::Parameter, &Type)| {
                let wanted = scope::resolve_type(names, &env, &p.ty);
                wanted.strip_reference() == given.strip_reference()
            };
            // What arguments alone bring in may be meant as well, but not rather than what fits as it is.
            let parameters = callee.function.parameters.iter();
            if parameters.zip(&types).all(takes) {
                let name = format!("operator{symbol}");
                return Some(self.inline(&callee, env, None, &places, &name, e.range));
            }
        }
        let reason = format!("`operator{symbol}` is overloaded for an enumeration");
        Some(self.not_followed(&[], None, &places, None, &reason, e.range))
    }

    /// Why an operator on numbers may be one of the user's: it is declared for an enumeration, and an
    /// operand names one.
    pub fn overloaded(&self, symbol: &str, operands: &[&ast::Expr]) -> Option<String> {
        let (names, env) = (&self.unit.names, &self.frame.env);
        let is_enum = |e: &&ast::Expr| match &e.kind {
            ExprKind::Path(path) => {
                let is_local = path.segments.len() == 1
                    && path.segments.last().is_some_and(|last| {
                        self.lookup(&last.name).is_some() && env.get(&last.name).is_some()
                    });
                !is_local && names.is_enumerator(env, path)
            }
            ExprKind::Cast { ty, .. } | ExprKind::Construct { ty, .. } => match &ty.kind {
                ast::TypeKind::Named(path) => names.is_enumeration(env, path),
                _ => false,
            },
            _ => false,
        };
        let is_one =
            operands.iter().any(is_enum) && names.has_operator_of_enumerations(env, symbol, &[]);
        is_one.then(|| format!("`operator{symbol}` is overloaded for an enumeration"))
    }

    /// `left op right`, by an overloaded operator where there is one: what it names, or its value.
    pub fn operate(
        &mut self,
        op: BinaryOp,
        left: ArgumentLValue,
        right: ArgumentLValue,
        range: ast::Range,
    ) -> LValue {
        let (at, bt) = (left.1, right.1);
        if !names_class(&left.0) && !names_class(&right.0) {
            let a = self.read(left.0, at);
            let b = self.read(right.0, bt);
            return LValue::Val(self.arithmetic(op, a, b, range));
        }
        let operands = [left, right];
        if let Some(result) = self.operator_call(op.symbol(), &operands, range) {
            return result;
        }
        let [left, right] = operands;
        let a = self.in_place(left.0, at);
        let b = self.in_place(right.0, bt);
        let a = self.class_operand(a, at);
        let b = self.class_operand(b, bt);
        // An operator that is not known may read and change an object of a class: `stream << x`.
        let objects: Vec<ExprId> = [&a, &b]
            .into_iter()
            .filter_map(|operand| match operand {
                Val::Object(mem) if matches!(mem.ty, Type::Record(_)) => Some(mem.pointer),
                _ => None,
            })
            .collect();
        if !objects.is_empty() {
            let reason = format!("`operator{}` is not known", op.symbol());
            self.gap(range, &reason, Vec::new(), objects);
        }
        if !is_class(&a) && !is_class(&b) {
            return LValue::Val(self.arithmetic(op, a, b, range));
        }
        if !is_comparison(op) {
            return LValue::Val(self.vector_arithmetic(&a, &b, op.symbol(), range));
        }
        if self.unit.names.declares_operator(op.symbol()) {
            // What a user's comparison gives may be anything, an object too.
            let reason = format!("which `operator{}` is meant is not known", op.symbol());
            let ty = Type::Unknown(reason.as_str().into());
            return LValue::Val(self.unknown_val(&reason, ty));
        }
        let reason = "a comparison of objects";
        let id = self.arena.unknown(reason, Vec::new(), true, Scalar::Bool);
        LValue::Val(scalar_val(id, Scalar::Bool))
    }

    /// A class that converts to a scalar takes part as that scalar.
    fn class_operand(&mut self, value: Val, range: ast::Range) -> Val {
        match &value {
            Val::Object(mem) if matches!(mem.ty, Type::Record(_)) => {
                let mem = mem.clone();
                self.class_to_any_scalar(&mem, range).unwrap_or(value)
            }
            _ => value,
        }
    }

    /// Operators on built-in vectors without an overload in sight (`half2`, headers not given).
    fn vector_arithmetic(&mut self, a: &Val, b: &Val, text: &str, _range: ast::Range) -> Val {
        let ty = if is_class(a) { a.ty() } else { b.ty() };
        self.stops.asm += 1;
        self.stops.half += 1;
        let reason = format!("`operator{text}` of `{ty}` has no definition in the files given");
        self.unknown_val(&reason, ty)
    }

    /// `left op right` of scalars and pointers.
    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    pub fn arithmetic(&mut self, op: BinaryOp, left: Val, right: Val, range: ast::Range) -> Val {
        let (
            Val::Scalar {
                id: a,
                ty: at,
                volatile: av,
            },
            Val::Scalar {
                id: b,
                ty: bt,
                volatile: bv,
            },
        ) = (left, right)
        else {
            let reason = "an operand that is no number";
            let ty = if is_comparison(op) {
                Type::number(Scalar::Bool)
            } else {
                Type::unknown(reason)
            };
            return self.unknown_val(reason, ty);
        };
        let Some((machine, swap)) = machine_op(op) else {
            return scalar_val(b, self.arena.ty(b));
        };
        for ty in [&at, &bt] {
            if matches!(
                ty,
                Type::Unknown(_) | Type::Opaque(_) | Type::Void | Type::Function
            ) {
                if is_comparison(op) {
                    let reason = match ty {
                        Type::Unknown(reason) => reason.to_string(),
                        ty => format!("`{ty}` is not modelled"),
                    };
                    let id = self.arena.unknown(&reason, vec![a, b], false, Scalar::Bool);
                    return scalar_val(id, Scalar::Bool);
                }
                return self.unknown_from(&[a, b], ty.clone());
            }
        }
        match (&at, &bt, op) {
            (Type::Pointer(to), Type::Scalar(_, _), BinaryOp::Add | BinaryOp::Sub) => {
                return self.move_pointer(a, &at, to.size(), b, op == BinaryOp::Sub, av, range);
            }
            (Type::Scalar(_, _), Type::Pointer(to), BinaryOp::Add) => {
                return self.move_pointer(b, &bt, to.size(), a, false, bv, range);
            }
            (Type::Pointer(to), Type::Pointer(_), BinaryOp::Sub) => {
                let bytes = self.arena.distance(a, b);
                let Some(size) = to.size().filter(|size| *size > 0) else {
                    return self.unknown_from(&[bytes], Type::Scalar(Scalar::I64, Twin::First));
                };
                let size = self.arena.int(size as i64, Scalar::I64);
                let id = self.arena.binary(Binary::Div, bytes, size, Scalar::I64);
                return typed(id, Type::Scalar(Scalar::I64, Twin::First));
            }
            _ => {}
        }
        let result = match (&at, &bt) {
            (Type::Scalar(x, twin), _) if matches!(machine, Binary::Shl | Binary::Shr) => {
                types::promoted(*x, *twin)
            }
            (Type::Scalar(a, x), Type::Scalar(b, y)) => types::common((*a, *x), (*b, *y)),
            _ => Type::Void,
        };
        let (a, b) = if swap { (b, a) } else { (a, b) };
        let (at, bt) = (self.arena.ty(a), self.arena.ty(b));
        if at == Scalar::Pointer || bt == Scalar::Pointer {
            let a = self.arena.cast(a, Scalar::Pointer);
            let b = self.arena.cast(b, Scalar::Pointer);
            let id = self.arena.binary(machine, a, b, Scalar::Pointer);
            return scalar_val(id, self.arena.ty(id));
        }
        let ty = if matches!(machine, Binary::Shl | Binary::Shr) {
            promote(at)
        } else {
            usual_arithmetic(at, bt)
        };
        let a = self.arena.cast(a, ty);
        let b = if matches!(machine, Binary::Shl | Binary::Shr) {
            let to = promote(bt);
            self.arena.cast(b, to)
        } else {
            self.arena.cast(b, ty)
        };
        let id = self.arena.binary(machine, a, b, ty);
        self.number_as(id, result)
    }

    /// A number of type `ty`, if that is what the machine computes with.
    fn number_as(&mut self, id: ExprId, ty: Type) -> Val {
        if ty.is_unknown() {
            return self.unknown_from(&[id], ty);
        }
        let scalar = self.arena.ty(id);
        if ty.scalar() == Some(scalar) {
            typed(id, ty)
        } else {
            scalar_val(id, scalar)
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "a pointer with its type, an index with its sign"
    )]
    fn move_pointer(
        &mut self,
        pointer: ExprId,
        ty: &Type,
        size: Option<u64>,
        index: ExprId,
        is_negative: bool,
        volatile: bool,
        range: ast::Range,
    ) -> Val {
        let index = self.integer(
            Val::Scalar {
                id: index,
                ty: int_type(),
                volatile: false,
            },
            range,
        );
        let size = match (size, ty.element()) {
            (Some(size), _) => size,
            // GNU arithmetic on void pointers.
            (None, Some(Type::Void)) => 1,
            _ => {
                let reason = match ty.element() {
                    Some(Type::Unknown(reason)) => reason.to_string(),
                    _ => format!("the size of what `{ty}` points to is not known"),
                };
                let id = self.somewhere_in(pointer, vec![index], &reason);
                return Val::Scalar {
                    id,
                    ty: ty.clone(),
                    volatile,
                };
            }
        };
        let id = self.arena.element(pointer, index, size, is_negative);
        Val::Scalar {
            id,
            ty: ty.clone(),
            volatile,
        }
    }
}

/// The operation, and whether its operands change places.
fn machine_op(op: BinaryOp) -> Option<(Binary, bool)> {
    Some(match op {
        BinaryOp::Add => (Binary::Add, false),
        BinaryOp::Sub => (Binary::Sub, false),
        BinaryOp::Mul => (Binary::Mul, false),
        BinaryOp::Div => (Binary::Div, false),
        BinaryOp::Rem => (Binary::Rem, false),
        BinaryOp::Shl => (Binary::Shl, false),
        BinaryOp::Shr => (Binary::Shr, false),
        BinaryOp::And => (Binary::And, false),
        BinaryOp::Or => (Binary::Or, false),
        BinaryOp::Xor => (Binary::Xor, false),
        BinaryOp::Eq => (Binary::Eq, false),
        BinaryOp::Ne => (Binary::Ne, false),
        BinaryOp::Lt => (Binary::Lt, false),
        BinaryOp::Le => (Binary::Le, false),
        BinaryOp::Gt => (Binary::Lt, true),
        BinaryOp::Ge => (Binary::Le, true),
        BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::Comma => return None,
    })
}

/// Whether an operand is an object of a class, or a vector, for which operators may be declared.
pub(super) fn names_class(place: &LValue) -> bool {
    match place {
        LValue::Val(Val::Object(_)) => true,
        LValue::Val(_) => false,
        place => matches!(
            place.ty().strip_reference(),
            Type::Record(_) | Type::Vector { .. }
        ),
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
    )
}
