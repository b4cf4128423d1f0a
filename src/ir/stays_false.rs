//! Conditions that stay false: `for (…) if (i < n) { …; i += step; }`.
//!
//! Where a condition is all that a loop's body asks, and only what it guards writes what it reads, a lane for which it is
//! false once does nothing more in the loop. Given a kernel, makes such lanes leave, `if (!(i < n)) break;`: what the
//! others then do to a variable has a closed form.

use super::visit::{each_evaluated, each_part, each_written, statements, statements_mut};
use super::{Expr, ExprId, Kernel, Loop, Scalar, Stmt, Unary, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// Rewrites all such loops of a kernel.
pub fn leave(kernel: &mut Kernel) {
    let mut meant: FxHashSet<u32> = FxHashSet::default();
    // Few kernels have such a loop.
    let reads = OnceCell::new();
    statements(&kernel.body, &mut |stmt| {
        if let Stmt::Loop(one) = stmt
            && let Some(counters) = counters(kernel, one)
            && is_alone_with(
                kernel,
                one,
                &counters,
                reads.get_or_init(|| Reads::of(kernel)),
            )
        {
            meant.insert(one.id.0);
        }
    });
    if meant.is_empty() {
        return;
    }
    let mut negated: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    let exprs = &mut kernel.exprs;
    statements_mut(&mut kernel.body, &mut |stmt| {
        let Stmt::Loop(one) = stmt else { return };
        if !meant.contains(&one.id.0) {
            return;
        }
        let Some(Stmt::If {
            condition,
            then,
            span,
            ..
        }) = one.body.pop()
        else {
            return;
        };
        let fails = *negated.entry(condition).or_insert_with(|| {
            exprs.push(Expr::Unary {
                op: Unary::LogicalNot,
                value: condition,
                ty: Scalar::Bool,
            });
            ExprId(exprs.len() as u32 - 1)
        });
        one.body.push(Stmt::If {
            condition: fails,
            then: vec![Stmt::Exit(one.break_label)],
            otherwise: Vec::new(),
            span,
        });
        one.body.extend(then);
    });
}

/// How often variables are read in a piece of a kernel.
struct Reads(FxHashMap<VarId, u32>);

impl Reads {
    fn of(kernel: &Kernel) -> Self {
        let mut reads = Self(FxHashMap::default());
        statements(&kernel.body, &mut |stmt| reads.add(kernel, stmt));
        reads
    }

    /// Those of one loop, with all that stands in it.
    fn of_loop(kernel: &Kernel, one: &Loop) -> Self {
        let mut reads = Self(FxHashMap::default());
        reads.add_expression(kernel, one.condition);
        for block in [&one.prelude, &one.body, &one.step] {
            statements(block, &mut |stmt| reads.add(kernel, stmt));
        }
        reads
    }

    fn add(&mut self, kernel: &Kernel, stmt: &Stmt) {
        each_evaluated(stmt, &mut |value| self.add_expression(kernel, value));
        if let Stmt::Store {
            value: super::Value::Object(object),
            ..
        } = stmt
        {
            *self.0.entry(*object).or_default() += 1;
        }
    }

    fn add_expression(&mut self, kernel: &Kernel, value: ExprId) {
        each_part(kernel, value, &mut |part| {
            if let Expr::Var(variable) | Expr::Address(super::Object::Local(variable)) = part {
                *self.0.entry(*variable).or_default() += 1;
            }
        });
    }
}

/// The variables that a loop counts with, if one condition is all that its body asks, and may stay false.
fn counters(kernel: &Kernel, one: &Loop) -> Option<FxHashSet<VarId>> {
    let [
        Stmt::If {
            condition,
            then,
            otherwise,
            ..
        },
    ] = &one.body[..]
    else {
        return None;
    };
    if !otherwise.is_empty() || !one.prelude.is_empty() {
        return None;
    }
    let mut asked: FxHashSet<VarId> = FxHashSet::default();
    let mut is_plain = true;
    each_part(kernel, *condition, &mut |part| match part {
        Expr::Var(variable) => {
            asked.insert(*variable);
        }
        // It may be another one each time.
        Expr::Unknown { .. } | Expr::Address(_) => is_plain = false,
        _ => {}
    });
    let mut stepped: FxHashSet<VarId> = FxHashSet::default();
    statements(&one.step, &mut |stmt| {
        // What else it does, lanes do that would have left.
        is_plain &= matches!(stmt, Stmt::Assign { .. });
        each_written(stmt, &mut |variable| {
            stepped.insert(variable);
        });
    });
    let mut moves = false;
    statements(then, &mut |stmt| {
        each_written(stmt, &mut |variable| moves |= asked.contains(&variable));
    });
    (is_plain && moves && asked.is_disjoint(&stepped)).then_some(stepped)
}

/// Whether nobody else asks for a loop's counters: the lanes that leave count no further.
fn is_alone_with(kernel: &Kernel, one: &Loop, counters: &FxHashSet<VarId>, reads: &Reads) -> bool {
    let inside = Reads::of_loop(kernel, one);
    counters.iter().all(|variable| {
        let count = |reads: &Reads| reads.0.get(variable).copied().unwrap_or(0);
        count(reads) == count(&inside)
    })
}
