//! Parameters that choose between few cases, such as a number of buffers that is 1 or 2.
//!
//! Given a kernel, gives its integer parameters that the text compares with several constants: a size made up for
//! such a one is a case that no launch asks for.

use crate::ir::{Binary, Expr, ExprId, Kernel, ParameterKind, Stmt, VarId, visit};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Copies and conversions between a comparison and the parameter.
const MOST_COPIES: usize = 16;

/// By the parameter's place: the constants that it is compared with for equality, two or more of them above 0.
pub(super) fn choices(kernel: &Kernel) -> FxHashMap<usize, BTreeSet<i64>> {
    let copies = copies(kernel);
    let mut out: FxHashMap<usize, BTreeSet<i64>> = FxHashMap::default();
    for expr in &kernel.exprs {
        let Expr::Binary {
            op: Binary::Eq | Binary::Ne,
            left,
            right,
            ..
        } = expr
        else {
            continue;
        };
        for (one, other) in [(*left, *right), (*right, *left)] {
            if let Expr::Int { value, .. } = kernel.exprs[other.index()]
                && value > 0
                && let Some(parameter) = parameter(kernel, &copies, one)
            {
                out.entry(parameter).or_default().insert(value);
            }
        }
    }
    out.retain(|_, values| values.len() > 1);
    out
}

/// Variables that are assigned to, with their value where it is the only one.
fn copies(kernel: &Kernel) -> FxHashMap<VarId, Option<ExprId>> {
    let mut out: FxHashMap<VarId, Option<ExprId>> = FxHashMap::default();
    visit::statements(&kernel.body, &mut |stmt| {
        if let Stmt::Assign { variable, value } = stmt {
            let known = out.entry(*variable);
            known
                .and_modify(|known| *known = None)
                .or_insert(Some(*value));
        }
    });
    out
}

/// The integer parameter whose value an expression has.
fn parameter(
    kernel: &Kernel,
    copies: &FxHashMap<VarId, Option<ExprId>>,
    expr: ExprId,
) -> Option<usize> {
    let mut at = expr;
    for _ in 0..MOST_COPIES {
        match kernel.exprs[at.index()] {
            Expr::Cast { value, from, to } if from.is_integer() && to.is_integer() => at = value,
            Expr::Var(variable) => {
                let mut parameters = kernel.parameters.iter();
                let place = parameters.position(|one| {
                    let is_integer =
                        matches!(one.kind, ParameterKind::Scalar(ty) if ty.is_integer());
                    one.variable == variable && is_integer
                });
                match place {
                    // One that is assigned to is no choice of the launch alone.
                    Some(place) => return (!copies.contains_key(&variable)).then_some(place),
                    None => at = (*copies.get(&variable)?)?,
                }
            }
            _ => return None,
        }
    }
    None
}
