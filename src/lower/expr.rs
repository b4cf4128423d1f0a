//! Rvalues: arithmetic with C's promotions and conversions, flattened side effects.
//!
//! Given expressions, gives pure values and emits what must happen before them.
//! Lvalues, calls and aggregates are other parts' business.

use super::call::ArgumentLValue;
use super::context::{LValue, Lower, Mem, Val, int_type, scalar_val};
use super::groups::SpecialValue;
use super::place::base_name;
use crate::ir::{Binary, Block, ExprId, Scalar, Stmt, Unary};
use crate::sema::scope;
use crate::sema::types::{self, Qualifiers, Target, Twin, Type, promote, usual_arithmetic};
use crate::syntax::ast::{self, BinaryOp, ExprKind, UnaryOp};

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

fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
    )
}

fn is_class(val: &Val) -> bool {
    matches!(val, Val::Object(_))
}

impl Lower<'_> {
    pub fn enter(&mut self) -> bool {
        self.step();
        self.depth += 1;
        if self.depth > self.limits.max_depth {
            self.depth -= 1;
            return false;
        }
        true
    }

    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    pub fn too_deep(&mut self) -> Val {
        let reason = "the expression is nested too deeply";
        self.unknown_val(reason, Type::unknown(reason))
    }

    /// A value of `ty` that nothing is known of.
    pub fn unknown_val(&mut self, reason: &str, ty: Type) -> Val {
        let scalar = match &ty {
            Type::Vector { .. } | Type::Record(_) if ty.size().is_some() => {
                let object = self.local("", &ty, None);
                self.make_unknown(
                    Vec::new(),
                    vec![object.pointer],
                    reason,
                    ast::Range::default(),
                );
                return Val::Object(object);
            }
            Type::Void => return Val::Void,
            ty => ty.scalar().unwrap_or(Scalar::I64),
        };
        let id = self.arena.unknown(reason, Vec::new(), true, scalar);
        Val::Scalar {
            id,
            ty,
            volatile: false,
        }
    }

    /// A value of an unknown type that depends on `inputs` alone.
    pub fn unknown_from(&mut self, inputs: &[ExprId], ty: Type) -> Val {
        let reason = match &ty {
            Type::Unknown(reason) => reason.to_string(),
            ty => format!("`{ty}` is not modelled"),
        };
        let scalar = ty.scalar().unwrap_or(Scalar::I64);
        let id = self.arena.unknown(&reason, inputs.to_vec(), false, scalar);
        Val::Scalar {
            id,
            ty,
            volatile: false,
        }
    }

    /// The value of `e`.
    pub fn value(&mut self, e: &ast::Expr) -> Val {
        if !self.enter() {
            return self.too_deep();
        }
        let value = match &e.kind {
            ExprKind::Path(_)
            | ExprKind::This
            | ExprKind::Index(..)
            | ExprKind::Member { .. }
            | ExprKind::Call { .. }
            | ExprKind::Unary(UnaryOp::Deref, _)
            | ExprKind::Conditional(..)
            | ExprKind::Fold {
                op: BinaryOp::Comma,
                ..
            }
            | ExprKind::Binary(BinaryOp::Comma, ..) => {
                let place = self.place(e);
                self.read(place, e.range)
            }
            ExprKind::Cast { ty, .. } if self.reference_in(ty).is_some() => {
                let place = self.place(e);
                self.read(place, e.range)
            }
            ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PreDecrement, _)
            | ExprKind::Assign(..) => match self.assignment(e, true) {
                LValue::Mem(mem) => self.read(LValue::Mem(mem), e.range),
                place => self.read(place, e.range),
            },
            _ => self.value_inner(e),
        };
        self.leave();
        value
    }

    pub fn value_inner(&mut self, e: &ast::Expr) -> Val {
        match &e.kind {
            ExprKind::Int {
                value,
                is_unsigned,
                is_long,
                is_long_long,
            } => {
                let twin = if *is_long_long {
                    Twin::Second
                } else {
                    Twin::First
                };
                let ty = match (is_unsigned, *is_long || *value > u64::from(u32::MAX)) {
                    (false, false) if *value <= i32::MAX as u64 => Scalar::I32,
                    (false, false) => Scalar::I64,
                    (false, true) => Scalar::I64,
                    (true, false) => Scalar::U32,
                    (true, true) => Scalar::U64,
                };
                let id = self.arena.int(*value as i64, ty);
                typed(id, Type::Scalar(ty, twin))
            }
            ExprKind::Float { value, is_single } => {
                let ty = if *is_single { Scalar::F32 } else { Scalar::F64 };
                scalar_val(self.arena.float(*value, ty), ty)
            }
            ExprKind::Bool(value) => scalar_val(
                self.arena.int(i64::from(*value), Scalar::Bool),
                Scalar::Bool,
            ),
            ExprKind::Char(value, ty) => {
                let ty = types::builtin(*ty);
                let scalar = ty.scalar().unwrap_or(Scalar::I8);
                typed(self.arena.int(*value, scalar), ty)
            }
            ExprKind::Null => {
                let zero = self.arena.int(0, Scalar::U64);
                let id = self.arena.cast(zero, Scalar::Pointer);
                Val::Scalar {
                    id,
                    ty: Type::Void.pointer_to(),
                    volatile: false,
                }
            }
            ExprKind::Str(_) => {
                let id = self
                    .arena
                    .unknown("a string", Vec::new(), false, Scalar::Pointer);
                let ty = scope::type_of(&self.unit.names, &self.frame.env, e).decay();
                typed(id, ty)
            }
            ExprKind::Unary(op, inner) => self.unary(*op, inner, e),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, e),
            ExprKind::Cast { ty, value, .. } => {
                let target = self.resolve(ty);
                let volatile = is_volatile(ty);
                let value = self.value(value);
                match self.cast_to(value, &target, e.range) {
                    Val::Scalar {
                        id,
                        ty,
                        volatile: was,
                    } => {
                        let volatile = volatile || (was && matches!(ty, Type::Pointer(_)));
                        Val::Scalar { id, ty, volatile }
                    }
                    other => other,
                }
            }
            ExprKind::Construct { ty, arguments } => {
                let target = self.resolve(ty);
                self.construct(&target, arguments, e.range)
            }
            ExprKind::List(items) => self.braced(items, e.range),
            ExprKind::Lambda(lambda) => self.closure(lambda, e.range),
            ExprKind::Fold {
                op,
                pack,
                init,
                is_left,
            } => self.fold(*op, pack, init.as_deref(), *is_left, e),
            ExprKind::SizeofType(_)
            | ExprKind::Sizeof(_)
            | ExprKind::AlignofType(_)
            | ExprKind::SizeofPack(_) => self.size_of(e),
            ExprKind::Expand(inner) => {
                let reason = "a pack that is not known is expanded";
                self.effect(inner);
                self.unknown_val(reason, Type::unknown(reason))
            }
            ExprKind::Launch { arguments, .. } => {
                for argument in arguments {
                    self.value(argument);
                }
                self.gap(
                    e.range,
                    "a launch from the device is not modelled",
                    Vec::new(),
                    Vec::new(),
                );
                Val::Void
            }
            ExprKind::Other(what) => {
                let reason = format!("`{what}` in device code is not modelled");
                self.forget_locals(&reason, e.range);
                self.unknown_val(&reason, Type::unknown(reason.clone()))
            }
            ExprKind::Error => {
                let reason = "an expression that could not be read";
                self.forget_locals(reason, e.range);
                self.unknown_val(reason, Type::unknown(reason))
            }
            _ => {
                let place = self.place(e);
                self.read(place, e.range)
            }
        }
    }

    fn size_of(&mut self, e: &ast::Expr) -> Val {
        let size_type = Type::Scalar(Scalar::U64, Twin::First);
        match self.constant(e).unwrap_or_else(|| self.size_in_bytes(e)) {
            Val::Scalar { id, .. } => typed(id, size_type),
            other => other,
        }
    }

    fn size_in_bytes(&mut self, e: &ast::Expr) -> Val {
        let reason = match &e.kind {
            ExprKind::SizeofPack(name) => {
                if let Some(super::context::Binding::Pack(items)) = self.lookup(name) {
                    return scalar_val(
                        self.arena.int(items.len() as i64, Scalar::U64),
                        Scalar::U64,
                    );
                }
                "the size of a pack is not known".to_owned()
            }
            ExprKind::Sizeof(inner) if let ExprKind::Str(text) = &inner.kind => {
                let size = text.len() as i64 + 1;
                return scalar_val(self.arena.int(size, Scalar::U64), Scalar::U64);
            }
            ExprKind::Sizeof(inner) => {
                // Not evaluated: what it would emit is dropped.
                self.push_block();
                let ty = self.place(inner).ty();
                self.pop_block();
                if let Some(size) = ty.size() {
                    return scalar_val(self.arena.int(size as i64, Scalar::U64), Scalar::U64);
                }
                format!("the size of `{ty}` is not known")
            }
            ExprKind::SizeofType(ty) | ExprKind::AlignofType(ty) => match self.resolve(ty) {
                Type::Unknown(reason) => reason.to_string(),
                ty => match if matches!(e.kind, ExprKind::SizeofType(_)) {
                    ty.size()
                } else {
                    ty.align()
                } {
                    Some(size) => {
                        return scalar_val(self.arena.int(size as i64, Scalar::U64), Scalar::U64);
                    }
                    None => format!("the size of `{ty}` is not known"),
                },
            },
            _ => "a size is not known".to_owned(),
        };
        let id = self.arena.unknown(&reason, Vec::new(), false, Scalar::U64);
        scalar_val(id, Scalar::U64)
    }

    /// Runs `e` for its effects.
    pub fn effect(&mut self, e: &ast::Expr) {
        match &e.kind {
            ExprKind::Unary(op, inner) if op.is_step() => {
                self.increment(*op, inner, e);
            }
            ExprKind::Assign(..) => {
                self.assignment(e, false);
            }
            ExprKind::Call { .. } => {
                self.place(e);
            }
            ExprKind::Binary(BinaryOp::Comma, left, right) => {
                self.effect(left);
                self.effect(right);
            }
            ExprKind::Fold {
                op: BinaryOp::Comma,
                ..
            } => {
                self.place(e);
            }
            ExprKind::Cast { ty, value, .. }
                if matches!(ty.kind, ast::TypeKind::Builtin(ast::Builtin::Void)) =>
            {
                self.effect(value);
            }
            ExprKind::Path(_) | ExprKind::Str(_) => {}
            ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.condition(condition);
                match self.arena.as_bool(condition) {
                    Some(true) => self.effect(then),
                    Some(false) => self.effect(otherwise),
                    None => {
                        self.push_block();
                        self.effect(then);
                        let then = self.pop_block();
                        self.push_block();
                        self.effect(otherwise);
                        let otherwise = self.pop_block();
                        self.emit_if(condition, then, otherwise, e.range);
                    }
                }
            }
            _ => {
                self.value(e);
            }
        }
    }

    pub fn emit_if(&mut self, condition: ExprId, then: Block, otherwise: Block, range: ast::Range) {
        if then.is_empty() && otherwise.is_empty() {
            return;
        }
        let span = self.span(range);
        self.emit(Stmt::If {
            condition,
            then,
            otherwise,
            span,
        });
    }

    /// `e` as a truth value.
    pub fn condition(&mut self, e: &ast::Expr) -> ExprId {
        let value = self.value(e);
        self.scalar_of(value, Scalar::Bool, e.range)
    }

    /// A value as an integer, promoted; unknown where it is none.
    pub fn integer(&mut self, value: Val, range: ast::Range) -> ExprId {
        let id = match value {
            Val::Scalar { id, .. } => id,
            other => return self.scalar_of(other, Scalar::I64, range),
        };
        let ty = self.arena.ty(id);
        if ty.is_integer() {
            let to = promote(ty);
            self.arena.cast(id, to)
        } else {
            self.arena.cast(id, Scalar::I64)
        }
    }

    /// A value converted to a scalar type.
    pub fn scalar_of(&mut self, value: Val, to: Scalar, range: ast::Range) -> ExprId {
        match value {
            Val::Scalar { id, .. } => self.arena.cast(id, to),
            Val::Object(mem) => {
                if let Some(id) = self.class_to_scalar(&mem, to, range) {
                    return id;
                }
                let reason = format!("a conversion from `{}`", mem.ty);
                self.arena.unknown(&reason, Vec::new(), true, to)
            }
            Val::Void => self
                .arena
                .unknown("a value that is not known", Vec::new(), true, to),
            Val::SpecialValue(special) => {
                let reason = format!("a value of `{}`", special.ty());
                self.arena.unknown(&reason, Vec::new(), true, to)
            }
        }
    }

    /// The value of an operand of arithmetic: a bit-field is an `int` where that holds all it can be.
    pub fn operand(&mut self, e: &ast::Expr) -> Val {
        if !matches!(e.kind, ExprKind::Member { .. } | ExprKind::Path(_)) {
            return self.value(e);
        }
        let place = self.place(e);
        let value = self.read(place.clone(), e.range);
        self.promoted_bits(&place, value)
    }

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

    fn unary(&mut self, op: UnaryOp, inner: &ast::Expr, e: &ast::Expr) -> Val {
        match op {
            UnaryOp::AddressOf => return self.address_of(inner, e),
            UnaryOp::PostIncrement | UnaryOp::PostDecrement => return self.increment(op, inner, e),
            UnaryOp::Not => {
                let value = self.value(inner);
                if is_class(&value)
                    && let Some(result) = self.operator_call(
                        "!",
                        &[(
                            LValue::operand(value.clone(), is_temporary(inner)),
                            inner.range,
                        )],
                        e.range,
                    )
                {
                    return self.read(result, e.range);
                }
                if let Some(result) = self.of_enumerations("!", &[(value.clone(), inner)], e) {
                    return result;
                }
                let value = self.scalar_of(value, Scalar::Bool, inner.range);
                let id = self.arena.unary(Unary::LogicalNot, value, Scalar::Bool);
                return scalar_val(id, Scalar::Bool);
            }
            _ => {}
        }
        let value = self.operand(inner);
        let text = match op {
            UnaryOp::Plus => "+",
            UnaryOp::Neg => "-",
            _ => "~",
        };
        if let Some(result) = self.of_enumerations(text, &[(value.clone(), inner)], e) {
            return result;
        }
        match value {
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
            value => {
                let operand = LValue::operand(value.clone(), is_temporary(inner));
                if let Some(result) = self.operator_call(text, &[(operand, inner.range)], e.range) {
                    return self.read(result, e.range);
                }
                self.vector_arithmetic(&value, &value, text, e.range)
            }
        }
    }

    fn address_of(&mut self, inner: &ast::Expr, e: &ast::Expr) -> Val {
        let place = self.lvalue(inner);
        let volatile = matches!(&place, LValue::Mem(mem) if mem.volatile)
            || matches!(&place, LValue::Var { volatile: true, .. });
        if let LValue::Val(Val::SpecialValue(_)) = &place {
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

    fn binary(&mut self, op: BinaryOp, left: &ast::Expr, right: &ast::Expr, e: &ast::Expr) -> Val {
        if matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr) {
            return self.logical(op, left, right, e);
        }
        let before = self.mark();
        let a = self.operand(left);
        // A later side effect must not change what was read.
        let a = match a {
            Val::Scalar { id, ty, volatile } if has_effects(right) && !self.arena.is_stable(id) => {
                Val::Scalar {
                    id: self.keep(id, ""),
                    ty,
                    volatile,
                }
            }
            other => other,
        };
        let between = self.mark();
        let b = self.operand(right);
        let a = match a {
            // The operands of a shift stand in order.
            Val::Scalar { id, ty, .. }
                if !matches!(op, BinaryOp::Shl | BinaryOp::Shr)
                    && self.is_unsequenced(id, before, between) =>
            {
                self.unknown_val("an operand that the other one writes, in either order", ty)
            }
            other => other,
        };
        let operands = [(a.clone(), left), (b.clone(), right)];
        if let Some(result) = self.of_enumerations(op.symbol(), &operands, e) {
            return result;
        }
        let a = LValue::operand(a, is_temporary(left));
        let b = LValue::operand(b, is_temporary(right));
        self.operate(op, (a, left.range), (b, right.range), e.range)
    }

    /// What an operator on numbers gives that may be one of the user's: it is declared for an enumeration,
    /// and an operand is of one.
    pub fn of_enumerations(
        &mut self,
        symbol: &str,
        operands: &[(Val, &ast::Expr)],
        e: &ast::Expr,
    ) -> Option<Val> {
        let written: Vec<&ast::Expr> = operands.iter().map(|(_, e)| *e).collect();
        let of: Vec<Type> = operands.iter().map(|(value, _)| value.ty()).collect();
        let of: Vec<&Type> = of.iter().filter(|ty| ty.is_enumeration()).collect();
        let is_one = !of.is_empty();
        let has_class = operands.iter().any(|(value, _)| is_class(value));
        if has_class || !is_one && self.overloaded(symbol, &written).is_none() {
            return None;
        }
        let names = &self.unit.names;
        if !names.has_operator_of_enumerations(symbol, &of) {
            return None;
        }
        let places: Vec<ArgumentLValue> = operands
            .iter()
            .map(|(value, e)| (LValue::Val(value.clone()), e.range))
            .collect();
        let types: Vec<Type> = places
            .iter()
            .map(|(place, _)| place.argument_type())
            .collect();
        let mut all = names.operators(&self.frame.env, None, symbol);
        all.retain(|c| c.env.record.is_none() && c.function.parameters.len() == types.len());
        if let Some((callee, env)) = scope::select_call(names, &self.frame.env, &all, &[], &types)
            && callee.function.body.is_some()
        {
            let takes = |(p, given): (&ast::Parameter, &Type)| {
                let wanted = scope::resolve_type(names, &env, &p.ty);
                given.is_enumeration() && wanted.strip_reference() == given
            };
            // What arguments alone bring in may be meant as well, but not rather than what fits as it is.
            let parameters = callee.function.parameters.iter();
            if parameters.zip(&types).all(takes) {
                let name = format!("operator{symbol}");
                let result = self.inline(&callee, env, None, &places, &name, e.range);
                return Some(self.read(result, e.range));
            }
        }
        let reason = format!("`operator{symbol}` is overloaded for an enumeration");
        Some(self.unknown_val(&reason, Type::unknown(reason.clone())))
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
            operands.iter().any(is_enum) && names.has_operator_of_enumerations(symbol, &[]);
        is_one.then(|| format!("`operator{symbol}` is overloaded for an enumeration"))
    }

    /// `left op right`, by an overloaded operator where there is one.
    pub fn operate(
        &mut self,
        op: BinaryOp,
        left: ArgumentLValue,
        right: ArgumentLValue,
        range: ast::Range,
    ) -> Val {
        let a = self.read(left.0.clone(), left.1);
        let b = self.read(right.0.clone(), right.1);
        if is_class(&a) || is_class(&b) {
            let (at, bt) = (left.1, right.1);
            if let Some(result) = self.operator_call(op.symbol(), &[left, right], range) {
                return self.read(result, range);
            }
            let a = self.class_operand(a, at);
            let b = self.class_operand(b, bt);
            // An operator that is not known may change an object of a class: `stream << x`.
            for operand in [&a, &b] {
                if let Val::Object(mem) = operand
                    && matches!(mem.ty, Type::Record(_))
                {
                    let reason = format!("`operator{}` is not known", op.symbol());
                    self.make_unknown(Vec::new(), vec![mem.pointer], &reason, range);
                }
            }
            if is_class(&a) || is_class(&b) {
                if is_comparison(op) {
                    let id = self.arena.unknown(
                        "a comparison of objects",
                        Vec::new(),
                        true,
                        Scalar::Bool,
                    );
                    return scalar_val(id, Scalar::Bool);
                }
                return self.vector_arithmetic(&a, &b, op.symbol(), range);
            }
            return self.arithmetic(op, a, b, range);
        }
        self.arithmetic(op, a, b, range)
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
        let reason = format!("`operator{text}` of `{ty}` has no definition in the files given");
        self.unknown_val(&reason, ty)
    }

    /// `left op right` of scalars and pointers.
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
    fn number_as(&self, id: ExprId, ty: Type) -> Val {
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

    fn logical(&mut self, op: BinaryOp, left: &ast::Expr, right: &ast::Expr, e: &ast::Expr) -> Val {
        let is_and = op == BinaryOp::LogicalAnd;
        let a = self.condition(left);
        if let Some(known) = self.arena.as_bool(a) {
            if known != is_and {
                return scalar_val(self.arena.int(i64::from(known), Scalar::Bool), Scalar::Bool);
            }
            return scalar_val(self.condition(right), Scalar::Bool);
        }
        self.push_block();
        let b = self.condition(right);
        let mut block = self.pop_block();
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

    pub fn conditional(
        &mut self,
        condition: &ast::Expr,
        then: &ast::Expr,
        otherwise: &ast::Expr,
        e: &ast::Expr,
    ) -> LValue {
        let condition = self.condition(condition);
        let taken = match self.arena.as_bool(condition) {
            Some(true) => then,
            Some(false) => otherwise,
            None => return self.choice(condition, then, otherwise, e),
        };
        // Of two arithmetic types the result has the common one, whichever is taken.
        let type_of = |e: &ast::Expr| scope::type_of(&self.unit.names, &self.frame.env, e);
        let common = match (type_of(then), type_of(otherwise)) {
            (a @ Type::Scalar(..), b @ Type::Scalar(..)) if a != b => Some(common_type(&a, &b)),
            _ => None,
        };
        let place = self.place(taken);
        match (common, place.ty()) {
            (Some(common), own) if own.scalar().is_some() && common != own => {
                let value = self.read(place, e.range);
                LValue::Val(self.convert(value, &common, e.range))
            }
            _ => place,
        }
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
        let a = self.value(then);
        let mut first = self.pop_block();
        self.push_block();
        let b = self.value(otherwise);
        let mut second = self.pop_block();
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

    /// `(pack, ...)`: the operands one after the other; it is what the last one is.
    pub fn comma_fold(
        &mut self,
        pack: &ast::Expr,
        init: Option<&ast::Expr>,
        is_left: bool,
        e: &ast::Expr,
    ) -> LValue {
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

    fn fold(
        &mut self,
        op: BinaryOp,
        pack: &ast::Expr,
        init: Option<&ast::Expr>,
        is_left: bool,
        e: &ast::Expr,
    ) -> Val {
        if matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr)
            && let Some(value) = self.logical_fold(op, pack, init, is_left, e)
        {
            return value;
        }
        let Some(items) = self.expand(pack) else {
            let reason = self.unknown_fold(e.range);
            return self.unknown_val(reason, Type::unknown(reason));
        };
        let mut values: Vec<Val> = Vec::new();
        for place in items {
            values.push(self.read(place, pack.range));
        }
        if let Some(init) = init {
            let value = self.value(init);
            if is_left {
                values.insert(0, value);
            } else {
                values.push(value);
            }
        }
        if !is_left {
            values.reverse();
        }
        let mut values = values.into_iter();
        let Some(mut result) = values.next() else {
            let id = self
                .arena
                .int(i64::from(op == BinaryOp::LogicalAnd), Scalar::Bool);
            return scalar_val(id, Scalar::Bool);
        };
        let mut is_computed = false;
        for value in values {
            let so_far = LValue::operand(result, is_computed.then_some(true));
            let value = LValue::operand(value, None);
            let (a, b) = if is_left {
                (so_far, value)
            } else {
                (value, so_far)
            };
            result = self.operate(op, (a, e.range), (b, e.range), e.range);
            is_computed = true;
        }
        result
    }
}

impl Lower<'_> {
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

/// Whether an operand that is an object of a class is a temporary one, where the text alone tells.
fn is_temporary(e: &ast::Expr) -> Option<bool> {
    match &e.kind {
        ExprKind::Path(_) | ExprKind::Member { arrow: true, .. } => Some(false),
        ExprKind::Member { object, .. } => is_temporary(object),
        ExprKind::Construct { .. } | ExprKind::List(_) => Some(true),
        _ => None,
    }
}

fn typed(id: ExprId, ty: Type) -> Val {
    Val::Scalar {
        id,
        ty,
        volatile: false,
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

/// Whether evaluating `e` may assign to a variable.
pub(super) fn has_effects(e: &ast::Expr) -> bool {
    match &e.kind {
        ExprKind::Assign(..) => true,
        // A function may write what it captured, or was given by reference.
        ExprKind::Call { callee, arguments } => {
            !is_builtin(callee) || arguments.iter().any(has_effects)
        }
        ExprKind::Unary(op, _) if op.is_step() => true,
        ExprKind::Unary(_, inner) | ExprKind::Cast { value: inner, .. } => has_effects(inner),
        ExprKind::Construct { arguments, .. } => arguments.iter().any(has_effects),
        ExprKind::List(items) => items.iter().any(|(_, item)| has_effects(item)),
        ExprKind::Fold { .. } => true,
        ExprKind::Member { object, .. } => has_effects(object),
        ExprKind::Binary(_, left, right) => has_effects(left) || has_effects(right),
        ExprKind::Index(base, indices) => has_effects(base) || indices.iter().any(has_effects),
        ExprKind::Conditional(a, b, c) => has_effects(a) || has_effects(b) || has_effects(c),
        _ => false,
    }
}

/// Whether evaluating `e` assigns to what `read` names.
pub(super) fn may_change(e: &ast::Expr, read: &ast::Expr) -> bool {
    let mut assigned = Vec::new();
    assigned_names(e, &mut assigned);
    match &read.kind {
        ExprKind::Path(path) => {
            let last = path.segments.last();
            last.is_some_and(|last| assigned.contains(&&*last.name))
        }
        _ => !assigned.is_empty(),
    }
}

fn assigned_names<'e>(e: &'e ast::Expr, into: &mut Vec<&'e str>) {
    match &e.kind {
        ExprKind::Assign(_, left, right) => {
            into.push(base_name(left));
            assigned_names(left, into);
            assigned_names(right, into);
        }
        ExprKind::Unary(op, inner) if op.is_step() => {
            into.push(base_name(inner));
            assigned_names(inner, into);
        }
        ExprKind::Unary(_, inner) | ExprKind::Cast { value: inner, .. } => {
            assigned_names(inner, into);
        }
        ExprKind::Member { object, .. } => assigned_names(object, into),
        ExprKind::Binary(_, left, right) => {
            assigned_names(left, into);
            assigned_names(right, into);
        }
        ExprKind::Index(base, list) => {
            assigned_names(base, into);
            list.iter().for_each(|e| assigned_names(e, into));
        }
        ExprKind::Call { arguments, .. } => {
            arguments.iter().for_each(|e| assigned_names(e, into));
        }
        ExprKind::Conditional(a, b, c) => {
            [a, b, c].into_iter().for_each(|e| assigned_names(e, into));
        }
        _ => {}
    }
}

/// Whether a callee bears a name of the compiler's own.
fn is_builtin(callee: &ast::Expr) -> bool {
    matches!(&callee.kind, ExprKind::Path(path)
    if path.segments.last().is_some_and(|last| {
        let name = &*last.name;
        super::intrinsics::is_of_the_toolkit(name) || matches!(name, "min" | "max")
    }))
}

/// Whether a type as written points to, or is, something volatile.
pub(super) fn is_volatile(ty: &ast::TypeExpr) -> bool {
    ty.is_volatile
        || match &ty.kind {
            ast::TypeKind::Pointer { to, .. }
            | ast::TypeKind::Reference { to, .. }
            | ast::TypeKind::Array(to, _) => is_volatile(to),
            _ => false,
        }
}
