//! Values of expressions, for all threads of a mask at once.
//!
//! Given an expression and a mask, gives a column. An expression is pure, so within one
//! statement each is computed once. Knows nothing of memory but objects' addresses.

use super::{MAX_EXPRESSION_DEPTH, SimResult, Simulation, unsupported};
use crate::ir::{Axis, Binary, BuiltinValue, Expr, ExprId, Object, Scalar, Unary, VariableKind};
use crate::sim::intrinsics;
use crate::sim::memory::{LOCAL, SHARED};
use crate::sim::value::{Column, Mask, Values, Why, binary, cast, truth, unary};

impl Simulation<'_> {
    /// The value of `id` for the threads of `mask`.
    pub(super) fn value(&mut self, id: ExprId, mask: &Mask) -> SimResult<Column> {
        self.generation += 1;
        self.eval(id, mask, 0)
    }

    fn eval(&mut self, id: ExprId, mask: &Mask, depth: u32) -> SimResult<Column> {
        if depth > MAX_EXPRESSION_DEPTH {
            return unsupported("an expression is nested too deeply to simulate");
        }
        if let Some(Some((generation, column))) = self.memo.get(id.index())
            && *generation == self.generation
        {
            return Ok(column.clone());
        }
        let column = self.compute(id, mask, depth + 1)?;
        if let Some(slot) = self.memo.get_mut(id.index()) {
            *slot = Some((self.generation, column.clone()));
        }
        Ok(column)
    }

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    fn compute(&mut self, id: ExprId, mask: &Mask, depth: u32) -> SimResult<Column> {
        let kernel = self.kernel;
        match kernel.expr(id) {
            Expr::Int { value, .. } => Ok(Column::uniform(*value as u64)),
            Expr::Float { bits, ty } => Ok(Column::uniform(cast(*bits, Scalar::F64, *ty))),
            Expr::Var(variable) => match self.variables.get(variable.index()) {
                Some(column) if self.local_offset(*variable).is_none() => Ok(column.clone()),
                _ => unsupported("an object is read as a scalar"),
            },
            Expr::Builtin(builtin) => Ok(self.builtin(*builtin)),
            Expr::Unary { op, value, ty } => {
                let operand = if *op == Unary::LogicalNot {
                    self.type_of(*value)
                } else {
                    *ty
                };
                let value = self.eval(*value, mask, depth)?;
                Ok(self.zip([&value; 2], mask, |bits, _| Some(unary(*op, bits, operand))))
            }
            Expr::Binary {
                op: op @ (Binary::LogicalAnd | Binary::LogicalOr),
                left,
                right,
                ..
            } => {
                let types = [self.type_of(*left), self.type_of(*right)];
                let left = self.eval(*left, mask, depth)?;
                let right = self.eval(*right, mask, depth)?;
                Ok(self.logical(*op == Binary::LogicalAnd, [&left, &right], types, mask))
            }
            Expr::Binary {
                op,
                left,
                right,
                ty,
            } => {
                let left = self.eval(*left, mask, depth)?;
                let right = self.eval(*right, mask, depth)?;
                let (op, ty) = (*op, *ty);
                Ok(self.zip([&left, &right], mask, |a, b| binary(op, a, b, ty)))
            }
            Expr::Select {
                condition,
                then,
                otherwise,
                ..
            } => {
                let ty = self.type_of(*condition);
                let condition = self.eval(*condition, mask, depth)?;
                let then = self.eval(*then, mask, depth)?;
                let otherwise = self.eval(*otherwise, mask, depth)?;
                Ok(self.select(&condition, ty, &then, &otherwise, mask))
            }
            Expr::Cast { value, from, to } => {
                if matches!((from, to), (Scalar::Bytes(_), _) | (_, Scalar::Bytes(_))) {
                    return unsupported("a vector is converted to a scalar");
                }
                let value = self.eval(*value, mask, depth)?;
                Ok(self.zip([&value; 2], mask, |bits, _| Some(cast(bits, *from, *to))))
            }
            Expr::Address(object) => {
                let address = match object {
                    Object::Local(variable) => self.local_offset(*variable).map(|at| LOCAL + at),
                    Object::Shared(id) => self.shared_offsets.get(id.index()).map(|at| SHARED + at),
                    Object::Global(id) => self.globals.get(id.index()).copied().flatten(),
                };
                match address {
                    Some(address) => Ok(Column::uniform(address)),
                    None => unsupported("it uses an object whose size is unknown"),
                }
            }
            Expr::Offset { pointer, bytes, .. } => {
                let pointer = self.eval(*pointer, mask, depth)?;
                let bytes = self.eval(*bytes, mask, depth)?;
                let moved = |at: u64, by| Some(at.wrapping_add(by));
                Ok(self.zip([&pointer, &bytes], mask, moved))
            }
            Expr::Distance { left, right } => {
                let left = self.eval(*left, mask, depth)?;
                let right = self.eval(*right, mask, depth)?;
                let apart = |left: u64, right| Some(left.wrapping_sub(right));
                Ok(self.zip([&left, &right], mask, apart))
            }
            Expr::Intrinsic {
                name,
                arguments,
                ty,
            } => {
                let mut columns = Vec::new();
                let mut types = Vec::new();
                for argument in arguments {
                    types.push(self.type_of(*argument));
                    columns.push(self.eval(*argument, mask, depth)?);
                }
                let columns: Vec<&Column> = columns.iter().collect();
                let result = self.map(&columns, mask, |bits| {
                    let typed: Vec<_> = bits.iter().copied().zip(types.iter().copied()).collect();
                    intrinsics::call(name, &typed, *ty)
                });
                if result.why == 0 || columns.iter().any(|column| column.why != 0) {
                    return Ok(result);
                }
                let why = self.why(&format!("`{name}` is not simulated").into());
                Ok(Column { why, ..result })
            }
            Expr::Unknown { reason, .. } => {
                let why = self.why(reason);
                Ok(Column::poison(*mask, why))
            }
        }
    }

    fn builtin(&self, builtin: BuiltinValue) -> Column {
        let pick = |values: [u32; 3], axis: Axis| {
            let [x, y, z] = values;
            u64::from(match axis {
                Axis::X => x,
                Axis::Y => y,
                Axis::Z => z,
            })
        };
        match builtin {
            BuiltinValue::BlockIdx(axis) => Column::uniform(pick(self.block, axis)),
            BuiltinValue::BlockDim(axis) => Column::uniform(pick(self.dimensions, axis)),
            BuiltinValue::GridDim(axis) => Column::uniform(pick(self.grid, axis)),
            BuiltinValue::ThreadIdx(axis) => {
                let [x, y, _] = self.dimensions;
                let index = |thread: usize| {
                    let thread = thread as u32;
                    pick([thread % x, thread / x % y, thread / (x * y)], axis)
                };
                Column::each((0..self.threads).map(index).collect())
            }
        }
    }

    /// The static type of an expression.
    pub(super) fn type_of(&self, id: ExprId) -> Scalar {
        match self.kernel.expr(id) {
            Expr::Int { ty, .. }
            | Expr::Float { ty, .. }
            | Expr::Select { ty, .. }
            | Expr::Intrinsic { ty, .. }
            | Expr::Unknown { ty, .. } => *ty,
            Expr::Var(variable) => {
                match self.kernel.variables.get(variable.index()).map(|v| v.kind) {
                    Some(VariableKind::Scalar(ty)) => ty,
                    _ => Scalar::Bytes(0),
                }
            }
            Expr::Builtin(_) => Scalar::U32,
            Expr::Unary {
                op: Unary::LogicalNot,
                ..
            } => Scalar::Bool,
            Expr::Unary { ty, .. } => *ty,
            Expr::Binary { op, ty, .. } => match op {
                Binary::Eq
                | Binary::Ne
                | Binary::Lt
                | Binary::Le
                | Binary::LogicalAnd
                | Binary::LogicalOr => Scalar::Bool,
                _ => *ty,
            },
            Expr::Cast { to, .. } => *to,
            Expr::Address(_) | Expr::Offset { .. } => Scalar::Pointer,
            Expr::Distance { .. } => Scalar::I64,
        }
    }

    /// Applies `f` thread by thread; a poisoned operand or an undefined result is poison.
    fn zip(
        &mut self,
        operands: [&Column; 2],
        mask: &Mask,
        f: impl Fn(u64, u64) -> Option<u64>,
    ) -> Column {
        let poisoned = Poisoned::of(&operands, mask);
        let [left, right] = operands;
        if let (Values::Uniform(a), Values::Uniform(b), true) =
            (&left.values, &right.values, poisoned.threads.is_empty())
        {
            return self.uniform(f(*a, *b), poisoned, mask);
        }
        let mut values = vec![0; self.threads];
        let mut undefined = Mask::EMPTY;
        let put = |thread: usize, result| match result {
            Some(value) => values[thread] = value,
            None => undefined.set(thread),
        };
        let active = mask.without(poisoned.threads);
        // Once for each kind, so that the loops look at nothing but numbers.
        match (&left.values, &right.values) {
            (Values::Uniform(a), Values::Uniform(b)) => active.each(put, |_| f(*a, *b)),
            (Values::Uniform(a), Values::Each(b)) => active.each(put, |at| f(*a, b[at])),
            (Values::Each(a), Values::Uniform(b)) => active.each(put, |at| f(a[at], *b)),
            (Values::Each(a), Values::Each(b)) => active.each(put, |at| f(a[at], b[at])),
        }
        self.column(Values::Each(values.into()), poisoned, undefined)
    }

    /// As above, for any number of operands.
    fn map(
        &mut self,
        columns: &[&Column],
        mask: &Mask,
        f: impl Fn(&[u64]) -> Option<u64>,
    ) -> Column {
        let poisoned = Poisoned::of(columns, mask);
        let mut operands = vec![0; columns.len()];
        let mut at = |thread: usize| {
            for (operand, column) in operands.iter_mut().zip(columns) {
                *operand = column.get(thread);
            }
            f(&operands)
        };
        let is_uniform = columns
            .iter()
            .all(|column| matches!(column.values, Values::Uniform(_)));
        if is_uniform && poisoned.threads.is_empty() {
            return self.uniform(at(0), poisoned, mask);
        }
        let mut values = vec![0; self.threads];
        let mut undefined = Mask::EMPTY;
        let put = |thread: usize, result| match result {
            Some(value) => values[thread] = value,
            None => undefined.set(thread),
        };
        mask.without(poisoned.threads).each(put, at);
        self.column(Values::Each(values.into()), poisoned, undefined)
    }

    /// One result for all threads.
    fn uniform(&mut self, result: Option<u64>, poisoned: Poisoned, mask: &Mask) -> Column {
        let undefined = if result.is_none() { *mask } else { Mask::EMPTY };
        self.column(Values::Uniform(result.unwrap_or(0)), poisoned, undefined)
    }

    fn column(&mut self, values: Values, poisoned: Poisoned, undefined: Mask) -> Column {
        let Poisoned { threads, mut why } = poisoned;
        if !undefined.is_empty() {
            why = self.why(&"it divides by zero, or C leaves it undefined".into());
        }
        Column {
            values,
            poison: threads.or(undefined),
            why,
        }
    }

    /// `&&` and `||`: an operand that decides makes the other's value irrelevant.
    fn logical(
        &self,
        is_and: bool,
        operands: [&Column; 2],
        types: [Scalar; 2],
        mask: &Mask,
    ) -> Column {
        let mut values = vec![u64::from(is_and); self.threads];
        let mut poison = Mask::EMPTY;
        for thread in mask.iter() {
            let mut decided = false;
            let mut unknown = false;
            for (column, ty) in operands.iter().zip(types) {
                if column.is_poison(thread) {
                    unknown = true;
                } else if truth(column.get(thread), ty) != is_and {
                    decided = true;
                }
            }
            if decided {
                values[thread] = u64::from(!is_and);
            } else if unknown {
                poison.set(thread);
            }
        }
        let [left, right] = operands;
        let why = if left.why != 0 { left.why } else { right.why };
        Column {
            values: Values::Each(values.into()),
            poison,
            why,
        }
    }

    fn select(
        &self,
        condition: &Column,
        ty: Scalar,
        then: &Column,
        otherwise: &Column,
        mask: &Mask,
    ) -> Column {
        let mut values = vec![0; self.threads];
        let mut poison = Mask::EMPTY;
        let mut why = 0;
        for thread in mask.iter() {
            let chosen = if truth(condition.get(thread), ty) {
                then
            } else {
                otherwise
            };
            values[thread] = chosen.get(thread);
            for column in [condition, chosen] {
                if column.is_poison(thread) {
                    poison.set(thread);
                    why = column.why;
                }
            }
        }
        Column {
            values: Values::Each(values.into()),
            poison,
            why,
        }
    }

    /// The value of an address or condition, which has to be known.
    pub(super) fn known(
        &mut self,
        id: ExprId,
        mask: &Mask,
        what: impl Fn(&Self) -> String,
    ) -> SimResult<Column> {
        let column = self.value(id, mask)?;
        if column.poison.and(*mask).is_empty() {
            return Ok(column);
        }
        let (what, reason) = (what(self), self.reason(column.why));
        unsupported(format!(
            "{what} depends on a value that is not modelled: {reason}"
        ))
    }

    /// Threads of `mask` for which the condition holds.
    pub(super) fn holds(&mut self, condition: ExprId, mask: &Mask) -> SimResult<Mask> {
        let ty = self.type_of(condition);
        let column = self.known(condition, mask, |_| "a condition".to_owned())?;
        let mut result = Mask::EMPTY;
        for thread in mask.iter().filter(|thread| truth(column.get(*thread), ty)) {
            result.set(thread);
        }
        Ok(result)
    }
}

/// The threads of a mask for which an operand is not modelled, and why.
struct Poisoned {
    threads: Mask,
    why: Why,
}

impl Poisoned {
    fn of(columns: &[&Column], mask: &Mask) -> Self {
        let all = |all: Mask, column: &&Column| all.or(column.poison);
        let threads = columns.iter().fold(Mask::EMPTY, all).and(*mask);
        let mut reasons = columns.iter().map(|column| column.why);
        let first = reasons.find(|why| *why != 0).unwrap_or(0);
        Self {
            why: if threads.is_empty() { 0 } else { first },
            threads,
        }
    }
}
