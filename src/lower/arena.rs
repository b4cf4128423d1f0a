//! The expressions of one kernel: shared, typed, folded as they are made.
//!
//! Given operators and operands, gives an [`ExprId`]; equal expressions get the
//! same id, integer constants fold at their own width, and pointers that travel
//! through integers come back. Knows nothing of statements or syntax.

use crate::ir::{self, Binary, BuiltinValue, Expr, ExprId, Object, Scalar, Unary, VarId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Arena {
    /// Conversions and operations of numbers of 16 bits that were made so far.
    pub half_operations: u32,
    pub exprs: Vec<Expr>,
    types: Vec<Scalar>,
    index: FxHashMap<Expr, ExprId>,
}

/// `value` as the 64 bits that [`Expr::Int`] keeps for `ty`.
pub(super) fn wrap(value: i128, ty: Scalar) -> i64 {
    if ty == Scalar::Bool {
        return i64::from(value != 0);
    }
    ty.wrap(value as i64)
}

/// The mathematical value of the bits kept for `ty`.
pub(super) fn widen(value: i64, ty: Scalar) -> i128 {
    if matches!(ty, Scalar::U64 | Scalar::Pointer) {
        i128::from(value as u64)
    } else {
        i128::from(value)
    }
}

fn fold(op: Binary, left: i128, right: i128, ty: Scalar) -> Option<i128> {
    let bits = ty.bits();
    let shift = u32::try_from(right).ok().filter(|n| *n < bits);
    Some(match op {
        Binary::Add => left + right,
        Binary::Sub => left - right,
        Binary::Mul => left.checked_mul(right)?,
        Binary::Div => left.checked_div(right)?,
        Binary::Rem => left.checked_rem(right)?,
        Binary::Shl => left << shift?,
        Binary::Shr => left >> shift?,
        Binary::And => left & right,
        Binary::Or => left | right,
        Binary::Xor => left ^ right,
        Binary::Min => left.min(right),
        Binary::Max => left.max(right),
        Binary::Eq => i128::from(left == right),
        Binary::Ne => i128::from(left != right),
        Binary::Lt => i128::from(left < right),
        Binary::Le => i128::from(left <= right),
        Binary::LogicalAnd => i128::from(left != 0 && right != 0),
        Binary::LogicalOr => i128::from(left != 0 || right != 0),
    })
}

fn is_predicate(op: Binary) -> bool {
    matches!(
        op,
        Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::LogicalAnd | Binary::LogicalOr
    )
}

impl Arena {
    fn add(&mut self, expr: Expr, ty: Scalar) -> ExprId {
        if let Some(id) = self.index.get(&expr) {
            return *id;
        }
        let id = self.push(expr.clone(), ty);
        self.index.insert(expr, id);
        id
    }

    /// An expression that is equal to no other one.
    fn push(&mut self, expr: Expr, ty: Scalar) -> ExprId {
        let id = ExprId(self.exprs.len() as u32);
        self.exprs.push(expr);
        self.types.push(ty);
        id
    }

    pub fn get(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    pub fn ty(&self, id: ExprId) -> Scalar {
        self.types[id.index()]
    }

    /// The bits of an integer constant.
    pub fn as_int(&self, id: ExprId) -> Option<i64> {
        match self.get(id) {
            Expr::Int { value, .. } => Some(*value),
            _ => None,
        }
    }

    /// What a constant condition decides.
    pub fn as_bool(&self, id: ExprId) -> Option<bool> {
        match self.get(id) {
            Expr::Int { value, .. } => Some(*value != 0),
            Expr::Float { bits, .. } => Some(f64::from_bits(*bits) != 0.0),
            Expr::Address(_) => Some(true),
            _ => None,
        }
    }

    pub fn int(&mut self, value: i64, ty: Scalar) -> ExprId {
        let value = wrap(widen(value, ty), ty);
        self.add(Expr::Int { value, ty }, ty)
    }

    pub fn float(&mut self, value: f64, ty: Scalar) -> ExprId {
        let value = if ty == Scalar::F32 {
            f64::from(value as f32)
        } else {
            value
        };
        self.add(
            Expr::Float {
                bits: value.to_bits(),
                ty,
            },
            ty,
        )
    }

    pub fn var(&mut self, variable: VarId, ty: Scalar) -> ExprId {
        self.add(Expr::Var(variable), ty)
    }

    pub fn builtin(&mut self, value: BuiltinValue) -> ExprId {
        self.add(Expr::Builtin(value), Scalar::U32)
    }

    pub fn address(&mut self, object: Object) -> ExprId {
        self.add(Expr::Address(object), Scalar::Pointer)
    }

    /// A value that is not known. Two of them may differ, whatever they have in common.
    pub fn unknown(
        &mut self,
        reason: &str,
        inputs: Vec<ExprId>,
        is_varying: bool,
        ty: Scalar,
    ) -> ExprId {
        let reason = Arc::from(reason);
        self.push(
            Expr::Unknown {
                reason,
                inputs,
                is_varying,
                ty,
            },
            ty,
        )
    }

    /// A value that is not known, and the same in all lanes wherever `reason` and `inputs` are the same.
    pub fn unknown_by_name(&mut self, reason: &str, inputs: Vec<ExprId>, ty: Scalar) -> ExprId {
        let reason = Arc::from(reason);
        self.add(
            Expr::Unknown {
                reason,
                inputs,
                is_varying: false,
                ty,
            },
            ty,
        )
    }

    pub fn intrinsic(&mut self, name: &'static str, arguments: Vec<ExprId>, ty: Scalar) -> ExprId {
        self.add(
            Expr::Intrinsic {
                name,
                arguments,
                ty,
            },
            ty,
        )
    }

    pub fn unary(&mut self, op: Unary, value: ExprId, ty: Scalar) -> ExprId {
        match (op, self.get(value).clone()) {
            (Unary::Neg, Expr::Int { value, ty: from }) => {
                return self.int(wrap(-widen(value, from), ty), ty);
            }
            (Unary::Neg, Expr::Float { bits, ty }) => return self.float(-f64::from_bits(bits), ty),
            (Unary::Not, Expr::Int { value, ty: from }) => {
                return self.int(wrap(!widen(value, from), ty), ty);
            }
            (Unary::LogicalNot, Expr::Int { value, .. }) => {
                return self.int(i64::from(value == 0), Scalar::Bool);
            }
            (
                Unary::LogicalNot,
                Expr::Unary {
                    op: Unary::LogicalNot,
                    value,
                    ..
                },
            ) if self.ty(value) == Scalar::Bool => {
                return value;
            }
            _ => {}
        }
        let ty = if op == Unary::LogicalNot {
            Scalar::Bool
        } else {
            ty
        };
        self.add(Expr::Unary { op, value, ty }, ty)
    }

    /// `left op right` with operands of `ty`.
    pub fn binary(&mut self, op: Binary, left: ExprId, right: ExprId, ty: Scalar) -> ExprId {
        let result = if is_predicate(op) { Scalar::Bool } else { ty };
        self.count_half(ty);
        let (a, b) = (self.as_int(left), self.as_int(right));
        if let (Some(a), Some(b)) = (a, b) {
            let (a, b) = (widen(a, self.ty(left)), widen(b, self.ty(right)));
            if let Some(value) = fold(op, a, b, ty) {
                return self.int(wrap(value, result), result);
            }
        }
        if let Some(id) = self.simplify(op, left, right, a, b) {
            return id;
        }
        self.add(
            Expr::Binary {
                op,
                left,
                right,
                ty,
            },
            result,
        )
    }

    /// Identities that hold for integers of any width.
    fn simplify(
        &mut self,
        op: Binary,
        left: ExprId,
        right: ExprId,
        a: Option<i64>,
        b: Option<i64>,
    ) -> Option<ExprId> {
        match (op, a, b) {
            (Binary::Add | Binary::Or | Binary::Xor, Some(0), None) => Some(right),
            (Binary::Mul, Some(1), None) => Some(right),
            (
                Binary::Add | Binary::Sub | Binary::Or | Binary::Xor | Binary::Shl | Binary::Shr,
                None,
                Some(0),
            )
            | (Binary::Mul | Binary::Div, None, Some(1)) => Some(left),
            (Binary::Mul | Binary::And, Some(0), None) => Some(left),
            (Binary::Mul | Binary::And, None, Some(0)) => Some(right),
            (Binary::Rem, None, Some(1)) => {
                let ty = self.ty(left);
                Some(self.int(0, ty))
            }
            (Binary::LogicalAnd, Some(n), None) if n != 0 => Some(right),
            (Binary::LogicalAnd, None, Some(n)) if n != 0 => Some(left),
            (Binary::LogicalOr, Some(0), None) => Some(right),
            (Binary::LogicalOr, None, Some(0)) => Some(left),
            (Binary::LogicalAnd, Some(_), None) | (Binary::LogicalAnd, None, Some(_)) => {
                Some(self.int(0, Scalar::Bool))
            }
            (Binary::LogicalOr, Some(_), None) | (Binary::LogicalOr, None, Some(_)) => {
                Some(self.int(1, Scalar::Bool))
            }
            _ => None,
        }
    }

    pub fn select(
        &mut self,
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
        ty: Scalar,
    ) -> ExprId {
        match self.as_bool(condition) {
            Some(true) => then,
            Some(false) => otherwise,
            None if then == otherwise => then,
            None => self.add(
                Expr::Select {
                    condition,
                    then,
                    otherwise,
                    ty,
                },
                ty,
            ),
        }
    }

    /// The headers of CUDA do what there is to do with numbers of 16 bits by `asm`.
    fn count_half(&mut self, ty: Scalar) {
        self.half_operations += u32::from(matches!(ty, Scalar::F16 | Scalar::BF16));
    }

    /// Conversion to `to`; the type of `value` is known.
    pub fn cast(&mut self, value: ExprId, to: Scalar) -> ExprId {
        let from = self.ty(value);
        if from == to {
            return value;
        }
        self.count_half(from);
        self.count_half(to);
        match *self.get(value) {
            Expr::Int { value, .. } if to.is_integer() => {
                return self.int(wrap(widen(value, from), to), to);
            }
            Expr::Int { value, .. } if to.is_float() => {
                return self.float(widen(value, from) as f64, to);
            }
            Expr::Float { bits, .. } if to.is_float() => {
                return self.float(f64::from_bits(bits), to);
            }
            Expr::Float { bits, .. } if to == Scalar::Bool => {
                return self.int(i64::from(f64::from_bits(bits) != 0.0), to);
            }
            Expr::Float { bits, .. } if to.is_integer() => {
                return self.int(wrap(f64::from_bits(bits) as i128, to), to);
            }
            _ => {}
        }
        if to == Scalar::Pointer
            && let Some(pointer) = self.pointer_behind(value, 0)
        {
            return pointer;
        }
        if to == Scalar::Bool && from.is_integer() {
            let zero = self.int(0, from);
            return self.binary(Binary::Ne, value, zero, from);
        }
        self.add(Expr::Cast { value, from, to }, to)
    }

    /// The pointer that an integer was made from, moved as the integer was.
    fn pointer_behind(&mut self, value: ExprId, depth: u32) -> Option<ExprId> {
        if depth > 16 {
            return None;
        }
        match *self.get(value) {
            Expr::Cast {
                value,
                from: Scalar::Pointer,
                ..
            } => Some(value),
            Expr::Cast {
                value,
                from: Scalar::U64 | Scalar::I64 | Scalar::U32,
                to,
            } if to.is_integer() => self.pointer_behind(value, depth + 1),
            Expr::Binary {
                op: Binary::Add,
                left,
                right,
                ..
            } => {
                if let Some(pointer) = self.pointer_behind(left, depth + 1) {
                    let bytes = self.byte_count(right);
                    return Some(self.offset(pointer, bytes));
                }
                let pointer = self.pointer_behind(right, depth + 1)?;
                let bytes = self.byte_count(left);
                Some(self.offset(pointer, bytes))
            }
            Expr::Binary {
                op: Binary::Sub,
                left,
                right,
                ..
            } => {
                let pointer = self.pointer_behind(left, depth + 1)?;
                let bytes = self.byte_count(right);
                let bytes = self.unary(Unary::Neg, bytes, Scalar::I64);
                Some(self.offset(pointer, bytes))
            }
            _ => None,
        }
    }

    /// The address that a value is: a pointer, or an integer made of one.
    pub fn address_in(&mut self, value: ExprId) -> Option<ExprId> {
        if self.ty(value) == Scalar::Pointer {
            return Some(value);
        }
        self.pointer_behind(value, 0)
    }

    /// An integer as a distance in bytes: `I64`, or `U64` where it was that.
    fn byte_count(&mut self, value: ExprId) -> ExprId {
        if self.ty(value) == Scalar::U64 {
            value
        } else {
            self.cast(value, Scalar::I64)
        }
    }

    /// `pointer` moved by `bytes` (`I64` or `U64`).
    pub fn offset(&mut self, pointer: ExprId, bytes: ExprId) -> ExprId {
        if self.as_int(bytes) == Some(0) {
            return pointer;
        }
        if let (
            Expr::Offset {
                pointer: inner,
                bytes: first,
                ..
            },
            Some(second),
        ) = (self.get(pointer).clone(), self.as_int(bytes))
            && let Some(first) = self.as_int(first)
        {
            let sum = self.int(first.wrapping_add(second), Scalar::I64);
            return self.offset(inner, sum);
        }
        let offset = Expr::Offset {
            pointer,
            bytes,
            within: None,
        };
        self.add(offset, Scalar::Pointer)
    }

    /// The same place, an element of the array of so many bytes that begins at `array`.
    pub fn within(&mut self, element: ExprId, array: ExprId, size: u64) -> ExprId {
        match (self.get(element).clone(), u32::try_from(size)) {
            (Expr::Offset { pointer, bytes, .. }, Ok(size))
                if pointer == array && self.as_int(bytes).is_none() =>
            {
                let offset = Expr::Offset {
                    pointer,
                    bytes,
                    within: Some(size),
                };
                self.add(offset, Scalar::Pointer)
            }
            _ => element,
        }
    }

    /// As [`offset`](Self::offset), of the array that `within` tells.
    pub fn offset_within(&mut self, pointer: ExprId, bytes: ExprId, within: Option<u32>) -> ExprId {
        if within.is_none() {
            return self.offset(pointer, bytes);
        }
        let offset = Expr::Offset {
            pointer,
            bytes,
            within,
        };
        self.add(offset, Scalar::Pointer)
    }

    pub fn offset_const(&mut self, pointer: ExprId, bytes: u64) -> ExprId {
        let bytes = self.int(bytes as i64, Scalar::I64);
        self.offset(pointer, bytes)
    }

    /// `pointer` moved by `index` elements of `size` bytes, backwards if `is_negative`.
    pub fn element(
        &mut self,
        pointer: ExprId,
        index: ExprId,
        size: u64,
        is_negative: bool,
    ) -> ExprId {
        let index = self.byte_count(index);
        let ty = self.ty(index);
        let size = self.int(size as i64, ty);
        let mut bytes = self.binary(Binary::Mul, index, size, ty);
        if is_negative {
            bytes = self.unary(Unary::Neg, bytes, ty);
        }
        self.offset(pointer, bytes)
    }

    pub fn distance(&mut self, left: ExprId, right: ExprId) -> ExprId {
        if left == right {
            return self.int(0, Scalar::I64);
        }
        self.add(Expr::Distance { left, right }, Scalar::I64)
    }

    /// A pointer, what it is offset from, what that is offset from, and so on.
    pub fn bases(&self, pointer: ExprId) -> impl Iterator<Item = ExprId> {
        std::iter::successors(Some(pointer), |at| match self.get(*at) {
            Expr::Offset { pointer, .. } => Some(*pointer),
            _ => None,
        })
    }

    /// A pointer, and what it and each before are offset from by a number of bytes that the text tells.
    pub fn bases_by_number(&self, pointer: ExprId) -> impl Iterator<Item = ExprId> {
        std::iter::successors(Some(pointer), |at| match self.get(*at) {
            Expr::Offset { pointer, bytes, .. } => {
                matches!(self.get(*bytes), Expr::Int { .. }).then_some(*pointer)
            }
            _ => None,
        })
    }

    /// The local object that a pointer certainly points into.
    pub fn local_object(&self, pointer: ExprId) -> Option<VarId> {
        ir::local_object(&self.exprs, pointer)
    }

    /// Whether a pointer certainly points into a variable of shared or device memory.
    pub fn is_in_variable(&self, pointer: ExprId) -> bool {
        self.bases(pointer).any(|base| {
            matches!(
                self.get(base),
                Expr::Address(Object::Shared(_) | Object::Global(_))
            )
        })
    }

    /// Whether an expression is one and the same value for the whole kernel.
    pub fn is_fixed(&self, id: ExprId) -> bool {
        match self.get(id) {
            Expr::Int { .. } | Expr::Float { .. } | Expr::Address(_) => true,
            Expr::Unknown { inputs, .. } => inputs.iter().all(|id| self.is_fixed(*id)),
            Expr::Cast { value, .. } => self.is_fixed(*value),
            _ => false,
        }
    }

    /// Whether the value cannot change while variables are assigned.
    pub fn is_stable(&self, id: ExprId) -> bool {
        match self.get(id) {
            Expr::Int { .. } | Expr::Float { .. } | Expr::Builtin(_) | Expr::Address(_) => true,
            Expr::Offset { pointer, bytes, .. } => {
                self.is_stable(*pointer) && self.is_stable(*bytes)
            }
            Expr::Cast { value, .. } => self.is_stable(*value),
            Expr::Binary { left, right, .. } => self.is_stable(*left) && self.is_stable(*right),
            _ => false,
        }
    }
}
