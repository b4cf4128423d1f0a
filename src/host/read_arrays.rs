//! Arrays that host functions only read: their numbers stay known where a pointer to them is handed over.

use super::unseen_launches::each_expr;
use super::walk::Walk;
use crate::sema::consteval::Value;
use crate::sema::scope::{Callee, Env};
use crate::syntax::ast::{self, Expr, ExprKind};
use std::sync::Arc;

/// Functions that hand an array on, one to another.
const MAX_READERS: u32 = 8;

impl Walk<'_, '_> {
    /// Whether a parameter is a pointer through which the function only reads the numbers of an array that it is given.
    pub(super) fn is_read_as_array(
        &self,
        function: &Arc<ast::Function>,
        env: &Env,
        parameter: &ast::Parameter,
        value: &Value,
    ) -> bool {
        let Value::List(items) = value else {
            return false;
        };
        let is_number = |item: &Option<Value>| matches!(item, None | Some(Value::Int { .. }));
        let reads = |name: &ast::Name| self.reads_only(function, env, name, MAX_READERS);
        only_reads_array(parameter)
            && items.iter().all(is_number)
            && parameter.name.as_ref().is_none_or(reads)
    }

    /// Whether the function that runs uses an array of its own by its elements only, and else hands it to functions that
    /// read them.
    pub(super) fn reads_array_only(&self, env: &Env, array: &str) -> bool {
        let function = self.function.as_ref();
        function.is_some_and(|function| self.reads_only(function, env, array, MAX_READERS))
    }

    /// Whether a function has no other use for an array, or a pointer to one, than to name its elements, and to hand it to
    /// functions that read them: nobody keeps a way to it.
    fn reads_only(&self, function: &ast::Function, env: &Env, array: &str, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let is_array = |e: &Expr| {
            let name = match &e.kind {
                ExprKind::Path(path) => path.as_name(),
                _ => None,
            };
            name.is_some_and(|name| **name == *array)
        };
        let is_element = |e: &Expr| matches!(&e.kind, ExprKind::Index(base, _) if is_array(base));
        let mut given = Vec::new();
        let (mut all, mut settled) = (0_usize, 0_usize);
        each_expr(function.body.iter().flatten(), &mut |e| {
            all += usize::from(is_array(e));
            match &e.kind {
                ExprKind::Index(base, _) => settled += usize::from(is_array(base)),
                // The address of an element is a way to all of them, and so is a reference.
                ExprKind::Unary(ast::UnaryOp::AddressOf, place) => {
                    all += usize::from(is_element(place));
                }
                ExprKind::Cast { ty, value, .. } => {
                    let is_reference = matches!(ty.kind, ast::TypeKind::Reference { .. });
                    all += usize::from(is_reference && is_element(value));
                }
                ExprKind::Call { callee, arguments } => {
                    let at = arguments.iter().enumerate().filter(|(_, a)| is_array(a));
                    given.extend(at.map(|(at, _)| (callee, at)));
                }
                _ => {}
            }
        });
        settled += given.len();
        all == settled
            && given.into_iter().all(|(callee, at)| {
                let ExprKind::Path(path) = &callee.kind else {
                    return false;
                };
                let candidates = self.names.functions(env, path);
                let reads = |c: &Callee| {
                    let parameter = c.function.parameters.get(at);
                    let reads =
                        |name: &ast::Name| self.reads_only(&c.function, &c.env, name, depth);
                    // What a type says of a function that is elsewhere, is taken to hold.
                    parameter.is_some_and(|parameter| {
                        only_reads_array(parameter)
                            && (c.function.body.is_none()
                                || parameter.name.as_ref().is_none_or(reads))
                    })
                };
                !candidates.is_empty() && candidates.iter().all(reads)
            })
    }
}

/// Whether a parameter points to what its type says is only read, or is an array of it.
fn only_reads_array(parameter: &ast::Parameter) -> bool {
    let is_const_array =
        |ty: &ast::TypeExpr| matches!(&ty.kind, ast::TypeKind::Array(of, _) if of.is_const);
    match &parameter.ty.kind {
        ast::TypeKind::Pointer { to, .. } => to.is_const,
        ast::TypeKind::Reference { to, .. } => is_const_array(to),
        _ => is_const_array(&parameter.ty),
    }
}
