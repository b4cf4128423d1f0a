//! Calls, and what reads like one: launches, casts, constructors, `new`.

use super::super::context::Context;
use super::super::cst::{Field, Kind, Node};
use super::super::types::builtin;
use super::changes;
use crate::syntax::ast::{
    BinaryOp, Expr, ExprKind, NEW_IN_PLACE, NEW_VALUE_IN_PLACE, Range, TemplateArgument, TypeExpr,
    TypeKind,
};
use std::sync::Arc;

impl Context<'_> {
    pub(super) fn made_by_new(&self, node: Node<'_>) -> Expr {
        let range = node.range();
        // What its constructor is given matters.
        let list = node.field(Field::Arguments);
        let given = list.into_iter().flat_map(Node::named);
        let mut given: Vec<Expr> = given.map(|argument| self.expr(argument)).collect();
        let mut sizes = node.field(Field::Declarator);
        while let Some(size) = sizes {
            let here = size.named().filter(|n| n.kind() != size.kind());
            given.extend(here.map(|n| self.expr(n)).filter(changes));
            sizes = size.named().find(|n| n.kind() == size.kind());
        }
        // `new (place) T`: no memory of its own.
        let place = node.field(Field::Type).and_then(|ty| {
            let before = |n: &Node<'_>| n.range().start < ty.range().start;
            node.named()
                .find(|n| n.kind() == Kind::ArgumentList && before(n))
        });
        if let Some(place) = place {
            let place = place.named().map(|argument| self.expr(argument));
            let is_value = list.is_some() && given.is_empty();
            given.splice(0..0, place);
            let name = if is_value {
                NEW_VALUE_IN_PLACE
            } else {
                NEW_IN_PLACE
            };
            let made = Expr {
                kind: ExprKind::Other(name),
                range,
            };
            // The type of one object stands as that of the pointer that it gives.
            let kind = match node.field(Field::Declarator) {
                Some(_) => made.kind,
                None => ExprKind::Cast {
                    ty: TypeExpr {
                        range,
                        kind: TypeKind::Pointer {
                            to: Arc::new(self.type_field(node)),
                            is_restrict: false,
                        },
                        is_const: false,
                        is_volatile: false,
                    },
                    value: Box::new(made),
                    is_reinterpret: false,
                },
            };
            return Expr {
                kind: ExprKind::Call {
                    callee: Box::new(Expr { kind, range }),
                    arguments: given,
                },
                range,
            };
        }
        new(given, range)
    }

    /// The arguments of a call.
    pub fn arguments(&self, list: Option<Node<'_>>) -> Vec<Expr> {
        list.map(|list| Self::tight(list.named().map(|argument| self.expr(argument))))
            .unwrap_or_default()
    }

    /// A part of a launch configuration; a repair put `{1, 2}` into parentheses.
    pub(super) fn config(&self, node: Node<'_>) -> Expr {
        if node.kind() != Kind::ParenthesizedExpression || !self.text(node).starts_with('{') {
            return self.expr(node);
        }
        let parts = node
            .named()
            .next()
            .map(|inner| self.comma_parts(inner))
            .unwrap_or_default();
        let kind = ExprKind::List(
            parts
                .into_iter()
                .map(|part| (None, self.expr(part)))
                .collect(),
        );
        Expr {
            kind,
            range: node.range(),
        }
    }

    /// The cast `(T)(x)` at the bottom of `(T)(x)[i].m(y)`, with its type: it reads as a
    /// call of `(T)`, but applies to all that stands behind `(x)`.
    pub(super) fn cast_below<'c>(&self, node: Node<'c>) -> Option<(Node<'c>, Node<'c>)> {
        let mut at = node;
        loop {
            at = match at.kind() {
                Kind::SubscriptExpression | Kind::FieldExpression => at.field(Field::Argument)?,
                Kind::CallExpression => {
                    let function = at.field(Field::Function)?;
                    if at.range() != node.range()
                        && self.hoisted.get() != Some(at.range())
                        && let Some(ty) = self.parenthesized_type(function)
                    {
                        return Some((at, ty));
                    }
                    function
                }
                _ => return None,
            };
        }
    }

    /// The type in `(T)`.
    pub(super) fn parenthesized_type<'c>(&self, node: Node<'c>) -> Option<Node<'c>> {
        let inner = node
            .named()
            .next()
            .filter(|_| node.kind() == Kind::ParenthesizedExpression)?;
        self.names_type(inner).then_some(inner)
    }

    pub(super) fn call(&self, node: Node<'_>) -> ExprKind {
        let range = node.range();
        let arguments = node.field(Field::Arguments);
        let Some(function) = node.field(Field::Function) else {
            return ExprKind::Error;
        };
        if let Some(syntax) = node.child_of(Kind::KernelCallSyntax) {
            return ExprKind::Launch {
                callee: Box::new(self.expr(function)),
                config: Self::tight(syntax.named().map(|part| self.config(part))),
                arguments: self.arguments(arguments),
            };
        }
        let is_builtin = function.kind() == Kind::PrimitiveType
            || (function.kind() != Kind::ParenthesizedExpression
                && builtin(self.text(function)).is_some());
        if is_builtin {
            return self.construct(self.type_of(function), self.arguments(arguments));
        }
        if function.kind() == Kind::TemplateFunction
            && let Some(cast) = self.named_cast(function, arguments)
        {
            return cast;
        }
        // `(T)(x)` reads as a call of `(T)`.
        if let (Some(inner), Some(list)) = (self.parenthesized_type(function), arguments) {
            // `(T)(a, b)`: the comma operator.
            let value = self
                .arguments(arguments)
                .into_iter()
                .reduce(|left, right| Expr {
                    range: list.range(),
                    kind: ExprKind::Binary(BinaryOp::Comma, Box::new(left), Box::new(right)),
                });
            match value {
                Some(value) if self.hoisted.get() == Some(range) => return value.kind,
                Some(value) => {
                    let ty = self.type_of(inner);
                    return ExprKind::Cast {
                        ty,
                        value: Box::new(value),
                        is_reinterpret: false,
                    };
                }
                None => {}
            }
        }
        let callee = Box::new(self.expr(function));
        ExprKind::Call {
            callee,
            arguments: self.arguments(arguments),
        }
    }

    /// Whether a name in parentheses can only be meant as a type.
    pub(super) fn names_type(&self, node: Node<'_>) -> bool {
        match node.kind() {
            Kind::Identifier => {
                let text = self.text(node);
                self.names.is_type(text, node.start())
            }
            Kind::PrimitiveType | Kind::TypeIdentifier => true,
            Kind::QualifiedIdentifier => {
                let text = self.text(node);
                let last = text.rsplit("::").next().unwrap_or(text).trim();
                self.names.is_member_type(last) || last == "type"
            }
            _ => false,
        }
    }

    pub(super) fn construct(&self, ty: TypeExpr, mut arguments: Vec<Expr>) -> ExprKind {
        match (&ty.kind, arguments.pop()) {
            (TypeKind::Builtin(_), Some(value)) if arguments.is_empty() => ExprKind::Cast {
                ty,
                value: Box::new(value),
                is_reinterpret: false,
            },
            (_, last) => {
                arguments.extend(last);
                ExprKind::Construct { ty, arguments }
            }
        }
    }

    /// `static_cast<T>(e)` and its kin.
    pub(super) fn named_cast(
        &self,
        function: Node<'_>,
        arguments: Option<Node<'_>>,
    ) -> Option<ExprKind> {
        let name = function.field(Field::Name)?;
        let is_reinterpret = match self.text(name) {
            "reinterpret_cast" => true,
            "static_cast" | "const_cast" | "dynamic_cast" => false,
            _ => return None,
        };
        let argument = function.field(Field::Arguments)?.named().next()?;
        let ty = match self.template_argument(argument) {
            TemplateArgument::Type(ty) => ty,
            TemplateArgument::Expr(_) => return Some(ExprKind::Error),
        };
        let value = arguments.and_then(|list| list.named().next());
        Some(ExprKind::Cast {
            ty,
            value: self.boxed(value, function.range()),
            is_reinterpret,
        })
    }
}

/// `new T(…)` of what is given to it.
pub(in crate::syntax::parse) fn new(given: Vec<Expr>, range: Range) -> Expr {
    let made = Expr {
        kind: ExprKind::Other("new"),
        range,
    };
    if given.is_empty() {
        return made;
    }
    Expr {
        kind: ExprKind::Call {
            callee: Box::new(made),
            arguments: given,
        },
        range,
    }
}
