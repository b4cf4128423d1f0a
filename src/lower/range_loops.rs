//! `for (int i : range(0, n))`: a loop over an object of a class with `begin` and `end`.
//!
//! Such a loop stands for one over an iterator, which the class's own functions make, compare, step and
//! read. It is written as that loop and lowered so.

use super::context::{Binding, Lower};
use super::stmt::Test;
use super::values::{LValue, Mem};
use crate::sema::scope;
use crate::sema::types::RecordType;
use crate::syntax::ast::{self, BinaryOp, ExprKind, StmtKind, TypeExpr, TypeKind, UnaryOp};
use std::sync::Arc;

impl Lower<'_> {
    /// Whether a class says where to begin and to end.
    pub(super) fn has_iterators(&self, record: &Arc<RecordType>) -> bool {
        let has = |name: &str| !self.unit.names.methods(record, name).is_empty();
        has("begin") && has("end")
    }

    pub(super) fn range_of_class(
        &mut self,
        variable: &ast::Variable,
        over: &Mem,
        body: &ast::Stmt,
        range: ast::Range,
    ) {
        // No name of the text has a space; a loop inside hides those of the one around it.
        let [all, begin, end] = ["the range", "the iterator", "the end"].map(ast::Name::from);
        let of = |kind: ExprKind| ast::Expr { kind, range };
        let path = |name: &ast::Name| ast::Path {
            is_global: false,
            segments: vec![ast::Segment {
                name: name.clone(),
                arguments: None,
            }],
            range,
        };
        let named = |name: &ast::Name| Box::new(of(ExprKind::Path(path(name))));
        let member = |name: &str| {
            let callee = of(ExprKind::Member {
                object: named(&all),
                arrow: false,
                member: path(&ast::Name::from(name)),
            });
            of(ExprKind::Call {
                callee: Box::new(callee),
                arguments: Vec::new(),
            })
        };
        let auto = TypeExpr {
            kind: TypeKind::Auto,
            range,
            is_const: false,
            is_volatile: false,
        };
        let declared = |name: &ast::Name, init: ast::Expr| local(name, &auto, init, range);
        let first = declared(&begin, member("begin"));
        let last = declared(&end, member("end"));
        let goes_on = of(ExprKind::Binary(BinaryOp::Ne, named(&begin), named(&end)));
        let step = of(ExprKind::Unary(UnaryOp::PreIncrement, named(&begin)));
        let value = of(ExprKind::Unary(UnaryOp::Deref, named(&begin)));
        let element = ast::Variable {
            bindings: variable.bindings.clone(),
            storage: variable.storage.clone(),
            name_range: variable.name_range,
            ..local(&variable.name, &variable.ty, value, variable.range)
        };
        let stmt = |kind: StmtKind| ast::Stmt { kind, range };
        let block = stmt(StmtKind::Block(vec![
            stmt(StmtKind::Variables(Arc::new(vec![element]))),
            body.clone(),
        ]));
        self.scoped(|this| {
            let place = LValue::Mem(over.clone());
            let binding = scope::Binding::Variable(place.ty());
            this.frame.env.set(all.clone(), binding);
            this.bind(&all, Binding::LValue(place));
            this.declare(&first);
            this.declare(&last);
            this.emit_loop(true, Some(Test::Expr(&goes_on)), Some(&step), &block, range);
        });
    }
}

fn local(name: &ast::Name, ty: &TypeExpr, value: ast::Expr, range: ast::Range) -> ast::Variable {
    ast::Variable {
        name: name.clone(),
        bindings: Vec::new(),
        qualifier: None,
        template: None,
        arguments: Vec::new(),
        ty: ty.clone(),
        storage: ast::Storage::default(),
        init: Some(ast::Initialiser::Equals(value)),
        bits: None,
        range,
        name_range: range,
    }
}
