//! `for (int i : range(0, n))`: a loop over an object of a class with `begin` and `end`, its own or functions
//! of its namespace.
//!
//! Such a loop stands for one over an iterator, which these functions make and its class's own ones compare,
//! step and read. It is written as that loop and lowered so.

use super::context::{Binding, Lower};
use super::stmt::Test;
use super::values::{LValue, Mem};
use crate::sema::scope;
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast::{self, BinaryOp, ExprKind, StmtKind, TypeExpr, TypeKind, UnaryOp};
use std::sync::Arc;

impl Lower<'_> {
    /// Whether a class says where to begin and to end.
    pub(super) fn has_iterators(&self, record: &Arc<RecordType>) -> bool {
        let has = |name: &str| !self.unit.names.methods(record, name).is_empty();
        has("begin") && has("end")
            || !has("begin") && !has("end") && self.is_range_of_others(record)
    }

    /// Whether functions of the namespace say where to begin and to end, and nothing nearer has their names.
    fn is_range_of_others(&self, record: &Arc<RecordType>) -> bool {
        let names = &self.unit.names;
        let own = self.frame.env.record.as_ref();
        ["begin", "end"].iter().all(|name| {
            let mut found = Vec::new();
            names.add_associated(
                &self.frame.env,
                &mut found,
                name,
                &[Type::Record(record.clone())],
            );
            let is_hidden = self.lookup(name).is_some()
                || self.frame.env.get(name).is_some()
                || own.is_some_and(|own| !names.methods(own, name).is_empty());
            !found.is_empty() && !is_hidden
        })
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
        let has_own = match &over.ty {
            Type::Record(record) => !self.unit.names.methods(record, "begin").is_empty(),
            _ => false,
        };
        let limit = |name: &str| {
            let (callee, arguments) = if has_own {
                let callee = of(ExprKind::Member {
                    object: named(&all),
                    arrow: false,
                    member: path(&ast::Name::from(name)),
                });
                (Box::new(callee), Vec::new())
            } else {
                (named(&ast::Name::from(name)), vec![*named(&all)])
            };
            of(ExprKind::Call { callee, arguments })
        };
        let auto = TypeExpr {
            kind: TypeKind::Auto,
            range,
            is_const: false,
            is_volatile: false,
        };
        let declared = |name: &ast::Name, init: ast::Expr| local(name, &auto, init, range);
        let first = declared(&begin, limit("begin"));
        let last = declared(&end, limit("end"));
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
