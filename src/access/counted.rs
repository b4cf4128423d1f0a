//! Loops that count: which values a variable has in the body, told before the body is studied.
//!
//! Given the text of the loop and the values at its start, gives bounds. Used for the bytes of a local that a
//! study sees written through a pointer: where the subscript stays below the array's end, what stands behind
//! the array stays.

use super::loops::{Carried, Written};
use super::value::Value;
use super::walker::Walker;
use crate::ir::visit::mentions;
use crate::ir::{Binary, Block, Expr, ExprId, Kernel, Loop, Scalar, Stmt, VarId};
use crate::term::{Domain, Op, SymbolId, Term, TermId, binary_interval};

/// How deep an offset is looked into for the variables of loops.
pub(super) const DEPTH: u32 = 12;

/// What a loop's variable becomes from one iteration to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Plus(i64),
    /// By a number of at least 2.
    Times(i64),
    /// By a number of at least 2; towards zero.
    Over(i64),
}

/// A variable that only the loop's step writes, once in each iteration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    pub variable: VarId,
    pub ty: Scalar,
    pub step: Step,
}

/// The counters of a loop; `writes` names each variable as often as statements write it.
pub(super) fn counters(kernel: &Kernel, step: &Block, writes: &[VarId]) -> Vec<Counter> {
    let written_once = |variable: VarId| writes.iter().filter(|one| **one == variable).count() == 1;
    let counter = |stmt: &Stmt| match stmt {
        Stmt::Assign { variable, value } if written_once(*variable) => {
            let (step, ty) = step_of(kernel, *variable, *value)?;
            let variable = *variable;
            Some(Counter { variable, ty, step })
        }
        _ => None,
    };
    step.iter().filter_map(counter).collect()
}

fn step_of(kernel: &Kernel, variable: VarId, value: ExprId) -> Option<(Step, Scalar)> {
    let Expr::Binary {
        op,
        left,
        right,
        ty,
    } = *kernel.expr(value)
    else {
        return None;
    };
    let is_variable = |id: ExprId| matches!(kernel.expr(id), Expr::Var(own) if *own == variable);
    let number = |id: ExprId| match kernel.expr(id) {
        Expr::Int { value, .. } => Some(*value),
        _ => None,
    };
    let (by, is_turned) = match (is_variable(left), is_variable(right)) {
        (true, _) => (number(right)?, false),
        (_, true) => (number(left)?, true),
        _ => return None,
    };
    let power = |by: i64| (1..=30).contains(&by).then(|| 1_i64 << by);
    let step = match (op, is_turned) {
        (Binary::Add, _) if by != 0 => Step::Plus(by),
        (Binary::Sub, false) if by != 0 => Step::Plus(by.checked_neg()?),
        (Binary::Mul, _) if by >= 2 => Step::Times(by),
        (Binary::Shl, false) => Step::Times(power(by)?),
        (Binary::Div, false) if by >= 2 => Step::Over(by),
        (Binary::Shr, false) => Step::Over(power(by)?),
        _ => return None,
    };
    Some((step, ty))
}

impl Walker<'_> {
    /// The symbols of variables that count, with their bounds after the loop's test.
    pub(super) fn counted(
        &mut self,
        body: &Loop,
        written: &Written,
        carried: &[Carried],
    ) -> Vec<(SymbolId, i64, i64)> {
        if !body.pretest {
            return Vec::new();
        }
        let mut found = Vec::new();
        for counter in &written.counters {
            let item = carried.iter().find(|one| one.variable == counter.variable);
            if let Some(Carried {
                symbol: Some(symbol),
                start: Some(Value::Int(start)),
                ..
            }) = item
                && let Some((low, high)) = self.bounds(body, written, *counter, *start)
            {
                found.push((*symbol, low, high));
            }
        }
        found
    }

    fn bounds(
        &mut self,
        body: &Loop,
        written: &Written,
        counter: Counter,
        start: TermId,
    ) -> Option<(i64, i64)> {
        let (first, last) = self.narrow_interval(start, DEPTH);
        let grows = match counter.step {
            Step::Plus(by) => by > 0,
            Step::Times(_) if first >= 1 => true,
            Step::Over(_) if first >= 0 => false,
            Step::Times(_) | Step::Over(_) => return None,
        };
        let limit = self.limit_of(body.condition, written, counter.variable, first, grows)?;
        let (low, high) = if grows { (first, limit) } else { (limit, last) };
        // The value that fails the test must not have come round: then the last that passes it is the last.
        let edge = if grows { high } else { low };
        let next = match counter.step {
            Step::Plus(by) => edge.checked_add(by)?,
            Step::Times(by) => edge.checked_mul(by)?,
            Step::Over(_) => edge,
        };
        let domain = Domain::of_type(counter.ty);
        let is_plain = [first, last, next]
            .into_iter()
            .all(|value| domain.contains(value));
        (low <= high && is_plain).then_some((low, high))
    }

    /// The last value that passes the test, seen from the start: the greatest if the variable grows, else
    /// the least.
    fn limit_of(
        &mut self,
        condition: ExprId,
        written: &Written,
        variable: VarId,
        first: i64,
        grows: bool,
    ) -> Option<i64> {
        let kernel = self.kernel;
        let (op, left, right) = match *kernel.expr(condition) {
            Expr::Binary {
                op: Binary::LogicalAnd,
                left,
                right,
                ..
            } => {
                let limit = self.limit_of(left, written, variable, first, grows);
                return limit.or_else(|| self.limit_of(right, written, variable, first, grows));
            }
            Expr::Cast {
                value,
                from: Scalar::Bool,
                ..
            } => return self.limit_of(value, written, variable, first, grows),
            Expr::Binary {
                op: op @ (Binary::Lt | Binary::Le),
                left,
                right,
                ..
            } => (op, left, right),
            _ => return None,
        };
        let bound = if grows { right } else { left };
        let own = if grows { left } else { right };
        if !is_value_of(kernel, own, variable, grows && first >= 0)
            || mentions(kernel, bound, &|own| written.variables.contains(&own))
        {
            return None;
        }
        let Value::Int(bound) = self.eval(bound) else {
            return None;
        };
        let (low, high) = self.narrow_interval(bound, DEPTH);
        let strict = i64::from(op == Binary::Lt);
        if grows {
            high.checked_sub(strict)
        } else {
            low.checked_add(strict)
        }
    }

    /// Bounds of a value here, with what the loops that are being studied say of their variables.
    pub(super) fn narrow_interval(&self, id: TermId, depth: u32) -> (i64, i64) {
        let plain = self.terms.interval(id);
        if self.counting.is_empty() || depth == 0 {
            return plain;
        }
        let (low, high) = match *self.terms.term(id) {
            Term::Symbol(symbol) => {
                let mut known = self.counting.iter().rev();
                match known.find(|(counted, ..)| *counted == symbol) {
                    Some((_, low, high)) => (*low, *high),
                    None => plain,
                }
            }
            Term::Binary(op @ (Op::Add | Op::Sub | Op::Mul), a, b) => {
                let a = self.narrow_interval(a, depth - 1);
                binary_interval(op, a, self.narrow_interval(b, depth - 1))
            }
            Term::Wrap(ty, inner) => {
                let inner = self.narrow_interval(inner, depth - 1);
                let domain = Domain::of_type(ty);
                if domain.contains(inner.0) && domain.contains(inner.1) {
                    inner
                } else {
                    plain
                }
            }
            _ => plain,
        };
        (low.max(plain.0), high.min(plain.1))
    }
}

/// Whether an expression is the value of the variable, converted at most to types that hold it.
fn is_value_of(kernel: &Kernel, id: ExprId, variable: VarId, is_natural: bool) -> bool {
    match *kernel.expr(id) {
        Expr::Var(own) => own == variable,
        Expr::Cast { value, from, to } => {
            let holds = from.is_integer()
                && to.is_integer()
                && match (from.is_signed(), to.is_signed()) {
                    (true, true) | (false, false) => to.size() >= from.size(),
                    (false, true) => to.size() > from.size(),
                    (true, false) => is_natural && to.size() >= from.size(),
                };
            holds && is_value_of(kernel, value, variable, is_natural)
        }
        _ => false,
    }
}
