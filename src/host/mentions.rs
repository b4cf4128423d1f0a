//! What functions name: which others they call where no statement does, and which they name without a call.

use super::unseen_launches::{each_expr, each_inside};
use crate::syntax::ast::{Expr, ExprKind, Function, Name};
use rustc_hash::{FxHashMap, FxHashSet};

/// The expressions of a function that stand beside its body: initialisers of members, default arguments.
pub(super) fn beside_body(function: &Function) -> impl Iterator<Item = &Expr> {
    let given = function.initialisers.iter().flat_map(|(_, given)| given);
    let parameters = function.parameters.iter();
    given.chain(parameters.filter_map(|p| p.default.as_ref()))
}

/// The function that an expression calls by its name.
fn called(e: &Expr) -> Option<&Name> {
    match &e.kind {
        ExprKind::Call { callee, .. } => named(callee),
        _ => None,
    }
}

fn named(e: &Expr) -> Option<&Name> {
    match &e.kind {
        ExprKind::Path(path) => path.segments.last().map(|last| &last.name),
        _ => None,
    }
}

/// Adds the functions that an expression calls, lambdas included.
pub(super) fn calls_in(e: &Expr, out: &mut FxHashSet<Name>) {
    each_inside(e, &mut |inner| out.extend(called(inner).cloned()));
}

/// Adds the functions that default arguments of lambdas call.
pub(super) fn calls_in_defaults_of_lambdas(function: &Function, out: &mut FxHashSet<Name>) {
    each_expr(function.body.iter().flatten(), &mut |e| {
        if let ExprKind::Lambda(l) = &e.kind {
            let defaults = l.parameters.iter().filter_map(|p| p.default.as_ref());
            defaults.for_each(|given| calls_in(given, out));
        }
    });
}

/// Adds how often a function names each of some functions, other than to call it.
pub(super) fn count_values(
    function: &Function,
    is_meant: impl Fn(&Name) -> bool,
    out: &mut FxHashMap<Name, i64>,
) {
    let count = &mut |e: &Expr| {
        // Whoever is called is named as well.
        for (name, by) in [(named(e), 1), (called(e), -1)] {
            if let Some(name) = name.filter(|name| is_meant(name)) {
                *out.entry(name.clone()).or_default() += by;
            }
        }
    };
    beside_body(function).for_each(|e| each_inside(e, count));
    each_expr(function.body.iter().flatten(), count);
}
