//! Expressions: from the IR's typed operations to terms and pointers.

use super::memory::never_written;
use super::value::{Base, Pointer, Value, Variation};
use super::walker::Walker;
use crate::gpu::WARP;
use crate::ir::builtin::{self, Builtin};
use crate::ir::{
    Binary, Expr, ExprId, Kernel, MAP_SHARED_RANK, Object, Scalar, Unary, VariableKind,
};
use crate::term::compiled::Lanes;
use crate::term::{Domain, LIMIT, LaneDifference, Op, Sharing, SymbolName, TermId};
use std::sync::Arc;

/// Most values of an argument that a built-in function is tabled for.
const MAX_TABLE: i64 = 1024;

/// Values of a kernel's expressions. It is emptied at every assignment, so what is in it bears a
/// number, and emptying it counts on.
pub struct Memo {
    values: Vec<Option<(u64, Value)>>,
    now: u64,
}

impl Memo {
    pub fn of(kernel: &Kernel) -> Self {
        Self {
            values: vec![None; kernel.exprs.len()],
            now: 0,
        }
    }

    fn get(&self, id: ExprId) -> Option<&Value> {
        let (then, value) = self.values[id.index()].as_ref()?;
        (*then == self.now).then_some(value)
    }

    fn note(&mut self, id: ExprId, value: Value) {
        self.values[id.index()] = Some((self.now, value));
    }

    pub fn clear(&mut self) {
        self.now += 1;
    }
}

const CONVERTED: &str = "a number that is converted to a pointer";

impl Walker<'_> {
    pub fn eval(&mut self, id: ExprId) -> Value {
        if let Some(value) = self.memo.get(id) {
            return value.clone();
        }
        let value = self.eval_new(id);
        self.memo.note(id, value.clone());
        value
    }

    /// A pointer that is moved. What null is moved by may be an address itself.
    fn displaced(&mut self, base: &Base, offset: TermId) -> Value {
        if *base == Base::Null && self.terms.constant(offset) != Some(0) {
            let variation = Value::Int(offset).variation(&self.terms);
            return self.unknown(Scalar::Pointer, variation, CONVERTED);
        }
        let base = base.clone();
        Value::Pointer(Pointer { base, offset })
    }

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    fn eval_new(&mut self, id: ExprId) -> Value {
        let kernel = self.kernel;
        match kernel.expr(id) {
            Expr::Int { value, .. } => Value::Int(self.terms.int(*value)),
            Expr::Float { .. } => {
                Value::Opaque(Variation::Uniform, "a floating-point value".into())
            }
            Expr::Var(var) => match &self.scalars[var.index()] {
                Some(value) => value.clone(),
                None => {
                    let variable = &kernel.variables[var.index()];
                    let ty = match variable.kind {
                        VariableKind::Scalar(ty) => ty,
                        VariableKind::Object { .. } => Scalar::I32,
                    };
                    let variation = Variation::Varying(never_written(&variable.name));
                    self.unknown(ty, variation, variable.name.clone())
                }
            },
            Expr::Builtin(builtin) => Value::Int(self.shape.builtin(*builtin)),
            Expr::Unary { op, value, ty } => {
                let inner = self.eval(*value);
                self.unary(*op, inner, *ty)
            }
            Expr::Binary {
                op,
                left,
                right,
                ty,
            } => {
                let left = self.eval(*left);
                let right = self.eval(*right);
                self.binary(*op, left, right, *ty)
            }
            Expr::Select {
                condition,
                then,
                otherwise,
                ty,
            } => {
                let condition = self.condition(*condition);
                match self.terms.constant(condition) {
                    Some(0) => return self.eval(*otherwise),
                    Some(_) => return self.eval(*then),
                    None => {}
                }
                let a = self.eval(*then);
                let b = self.eval(*otherwise);
                self.choose(condition, a, b, *ty)
            }
            Expr::Cast { value, to, .. } => {
                let value = self.eval(*value);
                self.cast(value, *to)
            }
            Expr::Address(object) => {
                let base = match object {
                    Object::Local(var) => Base::Local(*var),
                    Object::Shared(id) => Base::Shared(*id),
                    Object::Global(id) => Base::Global(*id),
                };
                let offset = self.terms.int(0);
                Value::Pointer(Pointer { base, offset })
            }
            Expr::Offset { pointer, bytes, .. } => {
                let pointer = self.eval(*pointer);
                let bytes = self.eval(*bytes);
                match pointer {
                    Value::Pointer(pointer) => {
                        let bytes = bytes.as_term(&mut self.terms, Scalar::I64);
                        let offset = self.terms.add(pointer.offset, bytes);
                        self.displaced(&pointer.base, offset)
                    }
                    other => {
                        let variation = other
                            .variation(&self.terms)
                            .join(&bytes.variation(&self.terms));
                        Value::Opaque(variation, "an address computed from integers".into())
                    }
                }
            }
            Expr::Distance { left, right } => {
                let left = self.eval(*left);
                let right = self.eval(*right);
                match (&left, &right) {
                    (Value::Pointer(p), Value::Pointer(q)) if p.base.is_same_object(&q.base) => {
                        Value::Int(self.terms.sub(p.offset, q.offset))
                    }
                    _ => {
                        let variation = left
                            .variation(&self.terms)
                            .join(&right.variation(&self.terms));
                        self.unknown(Scalar::I64, variation, "a distance between pointers")
                    }
                }
            }
            Expr::Intrinsic {
                name,
                arguments,
                ty,
            } => {
                let mut variation = Variation::Uniform;
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    let value = self.eval(*argument);
                    variation = variation.join(&value.variation(&self.terms));
                    values.push(value);
                }
                if *name == MAP_SHARED_RANK {
                    return self.of_the_cluster(&values);
                }
                if let Some(value) = self.integer_intrinsic(name, &values) {
                    return value;
                }
                let text: Arc<str> = format!("`{name}`(…)").into();
                match builtin::find(name).and_then(Builtin::range) {
                    Some((low, high)) if ty.is_integer() => {
                        let domain = Domain::range(low, high);
                        let sharing = variation.sharing();
                        Value::Int(self.terms.new_symbol(text, sharing, domain))
                    }
                    _ => self.unknown(*ty, variation, text),
                }
            }
            Expr::Unknown {
                reason,
                inputs,
                is_varying,
                ty,
            } => {
                let mut variation = Variation::Uniform;
                for input in inputs {
                    let value = self.eval(*input);
                    variation = variation.join(&value.variation(&self.terms));
                }
                // What makes it unknown says more than that its inputs differ between lanes.
                if *is_varying || variation != Variation::Uniform {
                    variation = Variation::Varying(LaneDifference::not_modelled(reason.clone()));
                }
                self.unknown(*ty, variation, reason.clone())
            }
        }
    }

    /// The same place in the shared memory of another block of the cluster, or of this one: a pointer and the
    /// block's rank.
    fn of_the_cluster(&mut self, values: &[Value]) -> Value {
        let mut rest = values
            .iter()
            .skip(1)
            .map(|value| value.variation(&self.terms));
        let of_rank = rest.next().unwrap_or(Variation::Uniform);
        let (of_base, offset) = match values.first() {
            Some(Value::Pointer(Pointer { base, offset })) => match base {
                Base::Distributed(variation) => (variation.clone(), *offset),
                Base::NoLocal(why, _) | Base::Varying(why) => {
                    (Variation::Varying(why.clone()), *offset)
                }
                _ => (Variation::Uniform, *offset),
            },
            Some(other) => (other.variation(&self.terms), self.terms.int(0)),
            None => (Variation::Uniform, self.terms.int(0)),
        };
        let base = Base::Distributed(of_base.join(&of_rank));
        Value::Pointer(Pointer { base, offset })
    }

    /// A value of type `ty` that is not modelled.
    pub fn unknown(
        &mut self,
        ty: Scalar,
        variation: Variation,
        name: impl Into<SymbolName>,
    ) -> Value {
        let name = name.into();
        if ty.is_integer() {
            let sharing = variation.sharing();
            return Value::Int(self.terms.new_symbol(name, sharing, Domain::of_type(ty)));
        }
        if ty == Scalar::Pointer {
            let base = match variation {
                Variation::Uniform => Base::Unknown(name.text),
                Variation::Varying(reason) => Base::Varying(reason),
            };
            let offset = self.terms.int(0);
            return Value::Pointer(Pointer { base, offset });
        }
        Value::Opaque(variation, name)
    }

    fn choose(&mut self, condition: TermId, a: Value, b: Value, ty: Scalar) -> Value {
        match (&a, &b) {
            (Value::Int(x), Value::Int(y)) => Value::Int(self.terms.select(condition, *x, *y)),
            (Value::Pointer(_), Value::Pointer(_)) => {
                let chosen = self.merge(condition, Some(a), Some(b));
                chosen.unwrap_or_else(|| self.unknown(ty, Variation::Uniform, "a pointer"))
            }
            _ => {
                let variation = Value::Int(condition)
                    .variation(&self.terms)
                    .join(&a.variation(&self.terms))
                    .join(&b.variation(&self.terms));
                self.unknown(ty, variation, "a value chosen by a condition")
            }
        }
    }

    fn unary(&mut self, op: Unary, value: Value, ty: Scalar) -> Value {
        if op == Unary::LogicalNot {
            let term = match value {
                Value::Int(term) => self.terms.truth(term),
                other => other.as_term(&mut self.terms, Scalar::Bool),
            };
            return Value::Int(self.terms.not(term));
        }
        let Value::Int(term) = value else {
            let variation = value.variation(&self.terms);
            return self.unknown(ty, variation, "a floating-point value");
        };
        let zero = self.terms.int(0);
        let negated = self.terms.sub(zero, term);
        Value::Int(match op {
            Unary::Neg => self.fit(ty, negated),
            // ~x = -x - 1, at the type's width.
            _ => {
                let one = self.terms.int(1);
                let inverted = self.terms.sub(negated, one);
                self.terms.wrap(ty, inverted)
            }
        })
    }

    /// The result of arithmetic of type `ty`: an unsigned one that may have passed its range wraps.
    fn fit(&mut self, ty: Scalar, term: TermId) -> TermId {
        if ty.is_integer() && !ty.is_signed() {
            return self.terms.wrap(ty, term);
        }
        term
    }

    /// A shift to the left of less than 64 bits. Bits that pass its type are lost, those of a signed one
    /// since C++20; before, it had no meaning where they are.
    fn shifted_left(&mut self, ty: Scalar, x: TermId, y: TermId) -> TermId {
        let result = self.terms.binary(Op::Shl, x, y);
        let (low, high) = self.terms.interval(result);
        if -LIMIT < low && high < LIMIT {
            return self.terms.wrap(ty, result);
        }
        // What is lost anyway is taken away first, so that the shifted number is a small one.
        let kept = match self.terms.constant(y) {
            Some(by) if (0..i64::from(ty.bits())).contains(&by) => {
                let mask = (1i64 << (i64::from(ty.bits()) - by)) - 1;
                let mask = self.terms.int(mask);
                self.terms.binary(Op::And, x, mask)
            }
            _ => x,
        };
        let result = self.terms.binary(Op::Shl, kept, y);
        self.terms.wrap(ty, result)
    }

    fn binary(&mut self, op: Binary, left: Value, right: Value, ty: Scalar) -> Value {
        use Binary as B;
        if matches!(op, B::Eq | B::Ne) && self.are_null(&left, &right) {
            return Value::Int(self.terms.int(i64::from(op == B::Eq)));
        }
        let (x, y) = match (&left, &right) {
            (Value::Int(x), Value::Int(y)) if !ty.is_float() => (*x, *y),
            (Value::Pointer(p), Value::Pointer(q)) if p.base.is_same_object(&q.base) => match op {
                B::Eq | B::Ne | B::Lt | B::Le => (p.offset, q.offset),
                B::Sub => return Value::Int(self.terms.sub(p.offset, q.offset)),
                _ => return self.opaque_binary(op, &left, &right, ty),
            },
            // An address held in an integer and moved.
            (Value::Pointer(p), Value::Int(by)) if matches!(op, B::Add | B::Sub) => {
                let offset = if op == B::Add {
                    self.terms.add(p.offset, *by)
                } else {
                    self.terms.sub(p.offset, *by)
                };
                return self.displaced(&p.base, offset);
            }
            (Value::Int(by), Value::Pointer(p)) if op == B::Add => {
                let offset = self.terms.add(p.offset, *by);
                return self.displaced(&p.base, offset);
            }
            // Bits set or flipped in an address whose base is aligned: they act on the offset.
            (Value::Pointer(p), Value::Int(bits))
                if matches!(op, B::Xor | B::Or | B::And) && self.small_mask(op, *bits) =>
            {
                let offset = self.terms.binary(op, p.offset, *bits);
                return self.displaced(&p.base, offset);
            }
            _ => return self.opaque_binary(op, &left, &right, ty),
        };
        if matches!(op, B::LogicalAnd | B::LogicalOr) {
            let (x, y) = (self.terms.truth(x), self.terms.truth(y));
            return Value::Int(self.terms.binary(op, x, y));
        }
        if let Some(value) = self.end_of_word(op, x, y, ty) {
            return value;
        }
        if ty == Scalar::U64
            && let Some(word) = self.wrapped_word(op, x, y)
        {
            return Value::Int(word);
        }
        let may_be_high = self.terms.interval(x).0 < 0 || self.terms.interval(y).0 < 0;
        if ty == Scalar::U64 && may_be_high {
            match op {
                Op::Lt | Op::Le => return Value::Int(self.unsigned_less(op, x, y)),
                Op::Div | Op::Rem | Op::Shr | Op::Min | Op::Max => {
                    return Value::Int(self.unsigned_word(op, x, y));
                }
                _ => {}
            }
        }
        if let Op::Eq | Op::Ne | Op::Lt | Op::Le = op {
            return Value::Int(self.comparison(op, x, y));
        }
        let result = self.terms.binary(op, x, y);
        Value::Int(match op {
            Op::Add | Op::Sub | Op::Mul => self.fit(ty, result),
            Op::Shl if ty.is_integer() && ty.size() < 8 => self.shifted_left(ty, x, y),
            _ => result,
        })
    }

    /// Whether bits lie under 128, or are an alignment mask such as `~15`.
    fn small_mask(&self, op: Binary, bits: TermId) -> bool {
        let (low, high) = self.terms.interval(bits);
        if op == Binary::And {
            return self.terms.constant(bits).is_some_and(|mask| {
                let inverted = !mask & 0xffff_ffff;
                inverted < 128 && (inverted & (inverted + 1)) == 0
            });
        }
        low >= 0 && high < 128
    }

    fn opaque_binary(&mut self, op: Binary, left: &Value, right: &Value, ty: Scalar) -> Value {
        let variation = left
            .variation(&self.terms)
            .join(&right.variation(&self.terms));
        let is_condition = matches!(
            op,
            Binary::Eq
                | Binary::Ne
                | Binary::Lt
                | Binary::Le
                | Binary::LogicalAnd
                | Binary::LogicalOr
        );
        if is_condition {
            if matches!(op, Binary::LogicalAnd | Binary::LogicalOr) {
                let x = self.truth_of(left);
                let y = self.truth_of(right);
                return Value::Int(self.terms.binary(op, x, y));
            }
            return self.unknown(Scalar::Bool, variation, "a comparison");
        }
        // An integer operation on unknown operands can still be bounded by the known one.
        if ty.is_integer() {
            let x = left.as_term(&mut self.terms, ty);
            let y = right.as_term(&mut self.terms, ty);
            let is_address =
                matches!(left, Value::Pointer(_)) || matches!(right, Value::Pointer(_));
            if !is_address {
                return self.binary(op, Value::Int(x), Value::Int(y), ty);
            }
        }
        self.unknown(ty, variation, "a computed value")
    }

    /// Whether a value is a parameter for which the launch gives a null pointer.
    fn is_given_null(&self, value: &Value) -> bool {
        match value {
            Value::Pointer(Pointer {
                base: Base::Allocation(id),
                offset,
            }) => self.null_parameters.contains(id) && self.terms.constant(*offset) == Some(0),
            _ => false,
        }
    }

    /// Whether one of two values is such a parameter, and the other a null pointer.
    fn are_null(&self, left: &Value, right: &Value) -> bool {
        let is_null = |value: &Value| match value {
            Value::Pointer(one) => one.base == Base::Null,
            Value::Int(term) => self.terms.constant(*term) == Some(0),
            _ => false,
        };
        self.is_given_null(left) && is_null(right) || is_null(left) && self.is_given_null(right)
    }

    fn truth_of(&mut self, value: &Value) -> TermId {
        if self.is_given_null(value) {
            return self.terms.int(0);
        }
        let term = value.as_term(&mut self.terms, Scalar::Bool);
        self.terms.truth(term)
    }

    pub(super) fn cast(&mut self, value: Value, to: Scalar) -> Value {
        if to == Scalar::Pointer
            && let Value::Int(number) = value
            && let Some(address) = self.given_address(number)
        {
            return address;
        }
        match value {
            value if to == Scalar::Bool && self.is_given_null(&value) => {
                Value::Int(self.terms.int(0))
            }
            Value::Int(term) if to == Scalar::Pointer && self.terms.constant(term) == Some(0) => {
                let (base, offset) = (Base::Null, term);
                Value::Pointer(Pointer { base, offset })
            }
            Value::Pointer(pointer) if pointer.base == Base::Null && to.is_integer() => {
                self.cast(Value::Int(pointer.offset), to)
            }
            // Addresses keep their meaning in an integer wide enough for their space.
            Value::Pointer(_) if to.size() >= 4 && (to.is_integer() || to == Scalar::Pointer) => {
                value
            }
            Value::Int(term) if to.is_integer() => {
                if to == Scalar::Bool {
                    return Value::Int(self.terms.truth(term));
                }
                Value::Int(self.terms.wrap(to, term))
            }
            Value::Int(_) if to.is_float() => {
                let variation = value.variation(&self.terms);
                Value::Opaque(variation, "an integer converted to floating point".into())
            }
            other => {
                let variation = other.variation(&self.terms);
                let name: SymbolName = match &other {
                    Value::Opaque(_, name) => name.clone(),
                    _ if to == Scalar::Pointer => CONVERTED.into(),
                    _ => "a converted value".into(),
                };
                self.unknown(to, variation, name)
            }
        }
    }

    fn integer_intrinsic(&mut self, name: &str, values: &[Value]) -> Option<Value> {
        let int = |value: Option<&Value>| match value {
            Some(Value::Int(term)) => Some(*term),
            _ => None,
        };
        let x = int(values.first())?;
        match name {
            "abs" | "llabs" | "labs" => {
                let zero = self.terms.int(0);
                let negated = self.terms.sub(zero, x);
                Some(Value::Int(self.terms.binary(Op::Max, x, negated)))
            }
            _ => {
                let row = builtin::find(name)?;
                let terms = values.iter().map(|value| int(Some(value)));
                self.exact_builtin(row, &terms.collect::<Option<Vec<_>>>()?)
            }
        }
    }

    /// A product of the low 24 bits of two numbers.
    fn product_of_24_bits(&mut self, row: &Builtin, arguments: &[TermId]) -> Option<Value> {
        const HALF: i64 = 1 << 23;
        let offset = if row.result.is_signed() { HALF } else { 0 };
        let mut factors = Vec::new();
        for id in arguments {
            let (low, high) = self.terms.interval(*id);
            if low >= -offset && high < 2 * HALF - offset {
                factors.push(Value::Int(*id));
                continue;
            }
            let varies = |id: &TermId| self.terms.is_varying(*id);
            if !varies(id) && arguments.iter().any(varies) {
                // Bits of a shared factor of lanes: a number that they share says it as well.
                let domain = Domain::range(-offset, 2 * HALF - 1 - offset);
                let bits = self
                    .terms
                    .new_symbol("the low 24 bits", Sharing::Uniform, domain);
                factors.push(Value::Int(bits));
                continue;
            }
            let (offset, mask) = (self.terms.int(offset), self.terms.int(2 * HALF - 1));
            let moved = self.terms.add(*id, offset);
            let bits = self.terms.binary(Op::And, moved, mask);
            factors.push(Value::Int(self.terms.sub(bits, offset)));
        }
        let (y, x) = (factors.pop()?, factors.pop()?);
        Some(self.binary(Binary::Mul, x, y, row.result))
    }

    /// The value of a built-in function where its arguments are numbers in every lane, or one of few
    /// numbers and the others fixed.
    fn exact_builtin(&mut self, row: &Builtin, arguments: &[TermId]) -> Option<Value> {
        let fixed: Vec<Option<i64>> = arguments
            .iter()
            .map(|id| self.terms.constant(*id))
            .collect();
        let by_lane = |lanes: &[Lanes]| {
            let mut values = [0; WARP];
            for (lane, value) in values.iter_mut().enumerate() {
                let numbers = lanes.iter().map(|lanes| lanes[lane]);
                *value = row.value(&numbers.collect::<Option<Vec<_>>>()?)?;
            }
            let is_held = row.result != Scalar::U64 || values.iter().all(|value| *value >= 0);
            is_held.then_some(values)
        };
        if let Some(value) = self.tabulated(arguments, by_lane) {
            return Some(Value::Int(value));
        }
        if let "__mul24" | "__umul24" | "mul24" | "umul24" = row.name {
            return self.product_of_24_bits(row, arguments);
        }
        let open = fixed.iter().position(Option::is_none)?;
        if fixed.iter().filter(|number| number.is_none()).count() > 1 {
            return None;
        }
        let (low, high) = self.terms.interval(arguments[open]);
        let is_bounded = -LIMIT < low && high < LIMIT;
        if !is_bounded || high.checked_sub(low)? >= MAX_TABLE {
            return None;
        }
        let values = (low..=high)
            .map(|number| {
                let numbers = fixed.iter().map(|fixed| fixed.unwrap_or(number));
                let value = row.value(&numbers.collect::<Vec<_>>())?;
                (row.result != Scalar::U64 || value >= 0).then_some(value)
            })
            .collect::<Option<Vec<_>>>()?;
        let low = self.terms.int(low);
        let index = self.terms.sub(arguments[open], low);
        Some(Value::Int(self.terms.table(index, values)))
    }
}
