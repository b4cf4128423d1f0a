//! Which members of an object the code may write that makes it, beside those that it names as targets.
//!
//! Initialisers and bodies of constructors are values to the evaluator; what they do to other members on the
//! way, through `this`, a method, a lambda, an address or a reference, it does not follow. Here is said which
//! members that may be.

use crate::sema::scope::Names;
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast::{
    Expr, ExprKind, Function, Parameter, Path, Stmt, StmtKind, TypeKind, UnaryOp,
};
use crate::syntax::visit::Part;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Functions that take references and write nothing.
const READERS: [&str; 2] = ["min", "max"];

/// The members that some code may write.
pub(super) struct Written<'a> {
    names: &'a Names<'a>,
    record: &'a Arc<RecordType>,
    /// Parameters of the constructor: where a member has the same name, they are meant.
    parameters: &'a [Parameter],
    members: BTreeSet<&'a str>,
    /// Any member may be written.
    all: bool,
}

impl<'a> Written<'a> {
    pub fn new(
        names: &'a Names<'a>,
        record: &'a Arc<RecordType>,
        of: Option<&'a Function>,
    ) -> Self {
        Self {
            names,
            record,
            parameters: of.map_or(&[], |f| &f.parameters),
            members: BTreeSet::new(),
            all: false,
        }
    }

    /// Whether anything may be written.
    pub fn is_any(&self) -> bool {
        self.all || !self.members.is_empty()
    }

    pub fn has(&self, member: &str) -> bool {
        self.all || self.members.contains(member)
    }

    pub fn statement(&mut self, s: &'a Stmt) {
        self.all |= matches!(
            s.kind,
            StmtKind::Asm(_) | StmtKind::RangeFor { .. } | StmtKind::Error
        );
        s.each_part(&mut |part| match part {
            Part::Stmt(s) => self.statement(s),
            Part::Expr(e) => self.expression(e),
            Part::Variable(v) => {
                let is_reference = matches!(v.ty.kind, TypeKind::Reference { .. });
                v.each_initial(&mut |e| {
                    self.expression(e);
                    if is_reference {
                        self.bound(e, true);
                    }
                });
            }
        });
    }

    /// An expression that is evaluated.
    pub fn expression(&mut self, e: &'a Expr) {
        match &e.kind {
            ExprKind::This | ExprKind::Lambda(_) | ExprKind::Launch { .. } => self.all = true,
            ExprKind::Assign(_, place, _)
            | ExprKind::Unary(
                UnaryOp::PreIncrement
                | UnaryOp::PreDecrement
                | UnaryOp::PostIncrement
                | UnaryOp::PostDecrement
                | UnaryOp::AddressOf,
                place,
            ) => self.bound(place, true),
            ExprKind::Call { callee, arguments } => {
                match &callee.kind {
                    ExprKind::Path(path) if is_reader(path) => {}
                    ExprKind::Path(path) if self.is_method(path) => self.all = true,
                    ExprKind::Path(_) => arguments.iter().for_each(|e| self.bound(e, true)),
                    // A method of a member, or a function object: it may hold the rest.
                    _ => self.all = true,
                }
            }
            ExprKind::Construct { arguments, .. } => {
                arguments.iter().for_each(|e| self.bound(e, true))
            }
            ExprKind::List(items) => items.iter().for_each(|(_, e)| self.bound(e, true)),
            _ => {}
        }
        e.each_operand(&mut |e| self.expression(e));
    }

    /// An expression to which a reference may be bound, or whose address is kept; where it is no `place`, only
    /// arrays in it are, which give their address.
    pub fn bound(&mut self, e: &'a Expr, place: bool) {
        match &e.kind {
            ExprKind::Path(path) => {
                let Some(name) = path.as_name() else {
                    self.all |= self.is_member(path);
                    return;
                };
                let is_parameter = |p: &Parameter| p.name.as_ref() == Some(name);
                if !self.parameters.iter().any(is_parameter)
                    && let Some(f) = self.record.fields.iter().find(|f| *f.name == **name)
                    && (place || matches!(f.ty, Type::Array(..)))
                {
                    self.members.insert(&f.name);
                }
            }
            ExprKind::Binary(_, a, b) => {
                self.bound(a, false);
                self.bound(b, false);
            }
            ExprKind::Member { object: a, .. }
            | ExprKind::Index(a, _)
            | ExprKind::Cast { value: a, .. }
            | ExprKind::Expand(a)
            | ExprKind::Unary(_, a)
            | ExprKind::Assign(_, a, _) => self.bound(a, place),
            ExprKind::Conditional(_, a, b) => {
                self.bound(a, place);
                self.bound(b, place);
            }
            _ => {}
        }
    }

    fn is_method(&self, path: &Path) -> bool {
        let last = path.segments.last();
        last.is_none_or(|last| !self.names.methods(self.record, &last.name).is_empty())
    }

    /// Whether a name with a qualifier may be one of a member: `Base::size`.
    fn is_member(&self, path: &Path) -> bool {
        let last = path.segments.last();
        last.is_none_or(|last| self.record.fields.iter().any(|f| *f.name == *last.name))
    }
}

/// Whether it is `std::min`, `::max` and the like.
fn is_reader(path: &Path) -> bool {
    let last = path.segments.last();
    last.is_some_and(|last| READERS.contains(&&*last.name))
}
