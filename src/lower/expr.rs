//! Rvalues: arithmetic with C's promotions and conversions, flattened side effects.
//!
//! Given expressions, gives pure values and emits what must happen before them.
//! Lvalues, calls and aggregates are other parts' business.

use super::context::Lower;
use super::groups::SpecialValue;
use super::place::base_name;
use super::values::{LValue, Val, scalar_val};
use crate::ir::{Block, ExprId, Scalar, Stmt};
use crate::sema::scope;
use crate::sema::types::{self, Twin, Type, promote};
use crate::syntax::ast::{self, BinaryOp, ExprKind, UnaryOp};

pub(super) fn is_class(val: &Val) -> bool {
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
            | ExprKind::Fold {
                op: BinaryOp::Comma,
                ..
            } => {
                let place = self.place(e);
                self.read(place, e.range)
            }
            // Each side is read by itself.
            ExprKind::Conditional(condition, then, otherwise) => {
                let place = self.conditional(condition, then, otherwise, e);
                self.read(place, e.range)
            }
            ExprKind::Binary(op @ BinaryOp::Comma, left, right) => {
                match self.operator_in_order(*op, left, right, e) {
                    Some(result) => self.read(result, e.range),
                    None => {
                        self.effect(left);
                        self.value(right)
                    }
                }
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

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
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
            ExprKind::Unary(op, inner) => {
                let place = self.unary(*op, inner, e);
                self.in_place(place, e.range)
            }
            ExprKind::Binary(op, left, right) => {
                let place = self.binary(*op, left, right, e);
                self.read(place, e.range)
            }
            // `offsetof`, as a compiler or a macro writes it.
            ExprKind::Cast { value, .. }
                if matches!(&value.kind, ExprKind::Unary(ast::UnaryOp::AddressOf, place)
                    if matches!(place.kind, ExprKind::Member { .. } | ExprKind::Index(..)))
                    && let Some(offset) = self.constant(e) =>
            {
                offset
            }
            ExprKind::Cast { ty, value, .. } => {
                let target = self.resolve(ty);
                let volatile = is_volatile(ty);
                let place = match target {
                    Type::Scalar(..) | Type::Record(_) => self.given_place(value, &target),
                    _ => LValue::Val(self.value(value)),
                };
                match self.cast_place_to(place, &target, e.range) {
                    Val::Scalar {
                        id,
                        ty,
                        volatile: was,
                    } => {
                        // A cast may take `volatile` away: what it points to then is as its type says.
                        let keeps =
                            |of: &types::Target| of.qualifiers.is_volatile || of.qualifiers.is_open;
                        let volatile =
                            volatile || (was && matches!(&ty, Type::Pointer(of) if keeps(of)));
                        Val::Scalar { id, ty, volatile }
                    }
                    other => self.cast_object(other),
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
            } => {
                let place = self.fold(*op, pack, init.as_deref(), *is_left, e);
                self.read(place, e.range)
            }
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
                let size = text.chars().count() as i64 + 1;
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
                self.increment(*op, inner, e, false);
            }
            // What is chosen to be assigned to is a place only where that is asked for.
            ExprKind::Assign(_, left, _) => {
                let is_choice = matches!(left.kind, ExprKind::Conditional(..));
                self.assignment(e, is_choice);
            }
            ExprKind::Call { .. } => {
                self.place(e);
            }
            ExprKind::Binary(op @ BinaryOp::Comma, left, right) => {
                if self.operator_in_order(*op, left, right, e).is_none() {
                    self.effect(left);
                    self.effect(right);
                }
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
            // An object beside one that is made is copied, whoever looks at it.
            ExprKind::Conditional(..) if self.may_be_class(e) => {
                self.place(e);
            }
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
            // What nobody looks at is not read, but where it is volatile.
            _ if names_place(e) => {
                let place = self.place(e);
                if matches!(&place, LValue::Mem(mem) if mem.volatile) {
                    self.in_place(place, e.range);
                }
            }
            _ => {
                self.object_or_value(e);
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
        let value = self.object_or_value(e);
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
            // What is kept are its bits, as those of an integer.
            Val::Scalar {
                id,
                ty: Type::Scalar(bits, Twin::Class(name)),
                ..
            } if bits.is_integer() && bits != to => {
                let reason = format!("a conversion from `{name}`");
                self.arena.unknown(&reason, vec![id], false, to)
            }
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
            Val::SpecialValue(SpecialValue::AtomicRef(mem)) => {
                let value = self.read(LValue::Mem(mem), range);
                self.scalar_of(value, to, range)
            }
            Val::SpecialValue(special) => {
                let reason = format!("a value of `{}`", special.ty());
                self.arena.unknown(&reason, Vec::new(), true, to)
            }
        }
    }

    /// An object of a class where it stands, else the value: operators and conversions of the class read
    /// what they need of it.
    pub fn object_or_value(&mut self, e: &ast::Expr) -> Val {
        let place = match &e.kind {
            _ if names_place(e) => self.place(e),
            ExprKind::Assign(..)
            | ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PreDecrement, _) => {
                self.assignment(e, true)
            }
            ExprKind::Conditional(..) if self.may_be_class(e) => self.place(e),
            _ => return self.value(e),
        };
        self.in_place(place, e.range)
    }

    /// What is given for a value of type `to`: where it stands, if that is of a class, or a class is made of
    /// it, else its value.
    pub fn given_place(&mut self, e: &ast::Expr, to: &Type) -> LValue {
        let Type::Record(class) = to.strip_reference() else {
            return LValue::Val(self.object_or_value(e));
        };
        match &e.kind {
            // A copy that is plain is made of each side where that is taken.
            ExprKind::Conditional(..) if self.is_of(e, to) && !self.has_copy_constructor(class) => {
                LValue::Val(self.value(e))
            }
            ExprKind::Conditional(..)
            | ExprKind::Assign(..)
            | ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PreDecrement, _) => self.place(e),
            _ if names_place(e) => self.place(e),
            _ => LValue::Val(self.object_or_value(e)),
        }
    }

    /// Whether the text tells that `e` is of this type.
    fn is_of(&self, e: &ast::Expr, ty: &Type) -> bool {
        let own = scope::type_of(&self.unit.names, &self.frame.env, e);
        own.strip_reference() == ty.strip_reference()
    }

    /// What stands at `place`: an object of a class is not read.
    pub fn in_place(&mut self, place: LValue, range: ast::Range) -> Val {
        match place {
            LValue::Mem(mem) if matches!(mem.ty, Type::Record(_)) => Val::Object(mem),
            place => self.read(place, range),
        }
    }
}

/// Whether an expression may name an object in memory.
pub(super) fn names_place(e: &ast::Expr) -> bool {
    matches!(
        e.kind,
        ExprKind::Path(_)
            | ExprKind::Member { .. }
            | ExprKind::Index(..)
            | ExprKind::Call { .. }
            | ExprKind::Binary(..)
            | ExprKind::Fold { .. }
            | ExprKind::Unary(
                UnaryOp::Deref | UnaryOp::Not | UnaryOp::Plus | UnaryOp::Neg | UnaryOp::BitNot,
                _,
            )
    )
}

/// Whether an operand that is an object of a class is a temporary one, where the text alone tells.
pub(super) fn is_temporary(e: &ast::Expr) -> Option<bool> {
    match &e.kind {
        ExprKind::Path(_) | ExprKind::Member { arrow: true, .. } => Some(false),
        ExprKind::Member { object, .. } => is_temporary(object),
        ExprKind::Construct { .. } | ExprKind::List(_) => Some(true),
        _ => None,
    }
}

pub(super) fn typed(id: ExprId, ty: Type) -> Val {
    Val::Scalar {
        id,
        ty,
        volatile: false,
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
    assigned_places(e, &mut assigned);
    match &read.kind {
        ExprKind::Path(path) => path.segments.last().is_some_and(|last| {
            let mut names = assigned.iter().map(|place| base_name(place));
            names.any(|name| name == &*last.name)
        }),
        _ => !assigned.is_empty(),
    }
}

/// Whether evaluating `e` assigns to a part of the variable that `object` is a part of.
pub(super) fn may_change_part(e: &ast::Expr, object: &ast::Expr) -> bool {
    let mut assigned = Vec::new();
    assigned_places(e, &mut assigned);
    let variable = variable_of(object);
    variable.is_some() && assigned.iter().any(|place| variable_of(place) == variable)
}

/// The variable that a place is a part of.
fn variable_of(place: &ast::Expr) -> Option<&str> {
    match &place.kind {
        ExprKind::Path(path) => path.segments.last().map(|last| &*last.name),
        ExprKind::Member { object: inner, .. }
        | ExprKind::Index(inner, _)
        | ExprKind::Unary(_, inner)
        | ExprKind::Cast { value: inner, .. } => variable_of(inner),
        _ => None,
    }
}

fn assigned_places<'e>(e: &'e ast::Expr, into: &mut Vec<&'e ast::Expr>) {
    match &e.kind {
        ExprKind::Assign(_, left, right) => {
            into.push(left);
            assigned_places(left, into);
            assigned_places(right, into);
        }
        ExprKind::Unary(op, inner) if op.is_step() => {
            into.push(inner);
            assigned_places(inner, into);
        }
        ExprKind::Unary(_, inner) | ExprKind::Cast { value: inner, .. } => {
            assigned_places(inner, into);
        }
        ExprKind::Member { object, .. } => assigned_places(object, into),
        ExprKind::Binary(_, left, right) => {
            assigned_places(left, into);
            assigned_places(right, into);
        }
        ExprKind::Index(base, list) => {
            assigned_places(base, into);
            list.iter().for_each(|e| assigned_places(e, into));
        }
        ExprKind::Call { arguments, .. } => {
            arguments.iter().for_each(|e| assigned_places(e, into));
        }
        ExprKind::Conditional(a, b, c) => {
            [a, b, c].into_iter().for_each(|e| assigned_places(e, into));
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
