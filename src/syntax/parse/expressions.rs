//! Expressions.
//!
//! Given a node of the concrete tree, gives our expression; what cannot be
//! read becomes [`ExprKind::Error`], what carries no address [`ExprKind::Other`].

mod calls;
mod inner_statements;
mod lambda;
mod operators;
mod places;

use std::sync::Arc;

use super::context::Context;
use super::cst::{Field, Kind, Node};
use super::literals;
use crate::syntax::ast::{Expr, ExprKind, Range, UnaryOp};

pub(super) use calls::new;
use inner_statements::is_pure;

impl Context<'_> {
    /// The expression of `node`.
    pub fn expr(&self, node: Node<'_>) -> Expr {
        let range = node.range();
        self.deeper(range, || self.expr_here(node))
            .unwrap_or(Self::error(range))
    }

    pub fn boxed(&self, node: Option<Node<'_>>, range: Range) -> Box<Expr> {
        Box::new(node.map_or(Self::error(range), |node| self.expr(node)))
    }

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    fn expr_here(&self, node: Node<'_>) -> Expr {
        let range = node.range();
        if node.is_missing() {
            return Self::error(range);
        }
        if let Some((bottom, ty)) = self.cast_below(node) {
            let around = self.hoisted.replace(Some(bottom.range()));
            let value = Box::new(self.expr_here(node));
            self.hoisted.set(around);
            let kind = ExprKind::Cast {
                ty: self.type_of(ty),
                value,
                is_reinterpret: false,
            };
            return Expr { kind, range };
        }
        let kind = match node.kind() {
            Kind::TemplateFunction if self.text(node).starts_with("sizeof(") => {
                let types = node.field(Field::Arguments);
                let ty = types.and_then(|types| types.named().next());
                ty.map_or(ExprKind::Error, |ty| ExprKind::SizeofType(self.type_of(ty)))
            }
            Kind::Identifier
            | Kind::FieldIdentifier
            | Kind::TypeIdentifier
            | Kind::NamespaceIdentifier
            | Kind::QualifiedIdentifier
            | Kind::TemplateFunction
            | Kind::TemplateMethod
            | Kind::TemplateType
            | Kind::DependentName
            | Kind::OperatorName
            | Kind::PrimitiveType => self.name_expr(node),
            Kind::NumberLiteral if self.text(node).starts_with('{') => {
                return self.default_list(node).unwrap_or(Self::error(range));
            }
            Kind::NumberLiteral => match self.number(node) {
                ExprKind::Other("user-defined literal") => self.literal_operator(node),
                number => number,
            },
            Kind::CharLiteral => literals::character(self.text(node)),
            Kind::StringLiteral | Kind::RawString | Kind::ConcatenatedString
                if self.is_wide(node) =>
            {
                ExprKind::Other("string of wide characters")
            }
            Kind::StringLiteral | Kind::RawString | Kind::ConcatenatedString => {
                ExprKind::Str(Arc::from(self.string(node)))
            }
            Kind::UserDefinedLiteral => self.literal_operator(node),
            Kind::True => ExprKind::Bool(true),
            Kind::False => ExprKind::Bool(false),
            Kind::Null => ExprKind::Null,
            Kind::This => ExprKind::This,
            Kind::ParenthesizedExpression => return self.parenthesized(node),
            Kind::UnaryExpression | Kind::PointerExpression => self.unary(node),
            Kind::UpdateExpression => self.update(node),
            Kind::BinaryExpression => return self.binary(node),
            Kind::CommaExpression => return self.comma(node),
            Kind::AssignmentExpression => self.assignment(node),
            Kind::ConditionalExpression => {
                let condition = self.boxed(node.field(Field::Condition), range);
                let then = match node.field(Field::Consequence) {
                    Some(then) => Box::new(self.expr(then)),
                    // It is looked at twice here, and once where it runs.
                    None if !is_pure(&condition) => {
                        self.problem(
                            range,
                            "`?:` without a middle, whose condition does something",
                        );
                        return Self::error(range);
                    }
                    None => condition.clone(),
                };
                ExprKind::Conditional(
                    condition,
                    then,
                    self.boxed(node.field(Field::Alternative), range),
                )
            }
            Kind::CallExpression => self.call(node),
            Kind::SubscriptExpression => {
                let object = self.boxed(node.field(Field::Argument), range);
                let list = node.field(Field::Indices);
                let indices = list.into_iter().flat_map(|list| list.named());
                // Before C++23 a comma in a subscript is the operator.
                let joined = indices
                    .map(|index| self.expr(index))
                    .reduce(|left, right| self.then(left, right));
                let at = joined.into_iter().collect();
                // The grammar takes a sign for part of the number: `-1[p]` is `-(1[p])`.
                match *object {
                    Expr {
                        kind: ExprKind::Unary(sign, number),
                        ..
                    } if node
                        .field(Field::Argument)
                        .is_some_and(|of| of.kind() == Kind::NumberLiteral) =>
                    {
                        let kind = ExprKind::Index(number, at);
                        ExprKind::Unary(sign, Box::new(Expr { kind, range }))
                    }
                    object => ExprKind::Index(Box::new(object), at),
                }
            }
            Kind::FieldExpression => self.member(node),
            Kind::CastExpression => {
                let ty = self.type_field(node);
                let cast = |value| ExprKind::Cast {
                    ty,
                    value,
                    is_reinterpret: false,
                };
                self.before_place(node, node.field(Field::Value), cast)
            }
            Kind::CompoundLiteral => self.compound_literal(node),
            Kind::InitializerList => self.list(node),
            Kind::SizeofExpression => self.sizeof(node),
            Kind::AlignofExpression => ExprKind::AlignofType(self.type_field(node)),
            Kind::LambdaExpression => self.lambda(node),
            Kind::PackExpansion => {
                let pattern = node.field(Field::Pattern).or_else(|| node.named().next());
                ExprKind::Expand(self.boxed(pattern, range))
            }
            Kind::FoldExpression => self.fold(node),
            Kind::ExtensionExpression => {
                return node
                    .named()
                    .last()
                    .map_or(Self::error(range), |inner| self.expr(inner));
            }
            Kind::NewExpression => return self.made_by_new(node),
            Kind::DeleteExpression => ExprKind::Other("delete"),
            Kind::OffsetofExpression => self.offset_of(node),
            Kind::GenericExpression => ExprKind::Other("_Generic"),
            Kind::RequiresExpression | Kind::RequiresClause => ExprKind::Other("requires"),
            Kind::ThrowStatement => ExprKind::Other("throw"),
            Kind::CompoundStatement => ExprKind::Other("statement expression"),
            Kind::TypeDescriptor => ExprKind::Other("type"),
            _ => ExprKind::Error,
        };
        Expr { kind, range }
    }

    fn name_expr(&self, node: Node<'_>) -> ExprKind {
        match self.text(node) {
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "nullptr" => ExprKind::Null,
            "this" => ExprKind::This,
            "typeid" => ExprKind::Other("typeid"),
            // `operator+(a, b)` reads as a sum.
            operators::OPERATOR => ExprKind::Other(operators::OPERATOR),
            _ => ExprKind::Path(self.path(node)),
        }
    }

    /// A number; the grammar takes a sign in front of it for a part of it.
    fn number(&self, node: Node<'_>) -> ExprKind {
        let text = self.text(node);
        let op = match text.as_bytes().first() {
            Some(b'-') => UnaryOp::Neg,
            Some(b'+') => UnaryOp::Plus,
            _ => return literals::number(text),
        };
        let range = Range {
            start: node.start() + 1,
            end: node.end(),
        };
        let kind = literals::number(text[1..].trim_start());
        ExprKind::Unary(op, Box::new(Expr { kind, range }))
    }

    /// Whether a string, or one of those that it is joined of, consists of wide characters.
    fn is_wide(&self, node: Node<'_>) -> bool {
        match node.kind() {
            Kind::ConcatenatedString => node.named().any(|part| self.is_wide(part)),
            _ => is_wide(self.text(node)),
        }
    }

    /// The contents of the string literals of `node`, joined.
    pub fn string(&self, node: Node<'_>) -> String {
        if node.kind() == Kind::ConcatenatedString {
            node.named().map(|part| self.string(part)).collect()
        } else if matches!(node.kind(), Kind::StringLiteral | Kind::RawString) {
            literals::string(self.text(node))
        } else {
            String::new()
        }
    }

    fn parenthesized(&self, node: Node<'_>) -> Expr {
        let range = node.range();
        // What is left beside text that could not be read is another expression.
        if node.named().any(|child| child.is_error()) {
            return Self::error(range);
        }
        match node.named().next() {
            Some(inner) if inner.kind() != Kind::CompoundStatement => Expr {
                range,
                ..self.expr(inner)
            },
            Some(body) => Expr {
                kind: self.statement_expression(body),
                range,
            },
            None => Self::error(range),
        }
    }

    fn member(&self, node: Node<'_>) -> ExprKind {
        let range = node.range();
        let arrow = match self.operator(node) {
            "->" => true,
            "." => false,
            _ => return ExprKind::Other("pointer to member"),
        };
        let object = self.boxed(node.field(Field::Argument), range);
        let Some(field) = node.field(Field::Selected) else {
            return ExprKind::Error;
        };
        ExprKind::Member {
            object,
            arrow,
            member: self.path(field),
        }
    }

    fn compound_literal(&self, node: Node<'_>) -> ExprKind {
        let ty = node
            .field(Field::Type)
            .map_or_else(|| Self::no_type(node.range()), |ty| self.type_of(ty));
        let list = node.field(Field::Value);
        let has_designators =
            list.is_some_and(|list| list.child_of(Kind::InitializerPair).is_some());
        let is_cast_form = node
            .children()
            .next()
            .is_some_and(|first| self.text(first) == "(");
        let arguments = match list {
            Some(list) if has_designators => vec![self.expr(list)],
            list => self.arguments(list),
        };
        if is_cast_form {
            ExprKind::Construct { ty, arguments }
        } else {
            self.construct(ty, arguments)
        }
    }

    /// `{a, .b = c}`
    fn list(&self, node: Node<'_>) -> ExprKind {
        if node.named().next().is_none()
            && let Some(table) = self.table(node.range())
        {
            return table;
        }
        if node.named().any(|entry| self.is_placed(entry)) {
            return self.list_by_place(node);
        }
        let entries = node.named().map(|entry| {
            if entry.kind() != Kind::InitializerPair {
                return (None, self.expr(entry));
            }
            let name = entry
                .field(Field::Designator)
                .and_then(|designator| match designator.kind() {
                    Kind::FieldDesignator => designator.named().next(),
                    Kind::FieldIdentifier => Some(designator),
                    _ => None,
                })
                .map(|name| self.name(name));
            let value = entry
                .field(Field::Value)
                .map_or(Self::error(entry.range()), |value| self.expr(value));
            (name, value)
        });
        ExprKind::List(Self::tight(entries))
    }

    fn sizeof(&self, node: Node<'_>) -> ExprKind {
        let range = node.range();
        if node
            .children()
            .any(|child| !child.is_named() && self.text(child) == "...")
        {
            let name = node.named().next().map(|name| match name.kind() {
                Kind::ParenthesizedExpression => self.text(name).trim_matches(['(', ')', ' ']),
                _ => self.text(name),
            });
            return ExprKind::SizeofPack(self.intern(name.unwrap_or("")));
        }
        if let Some(ty) = node.field(Field::Type) {
            return ExprKind::SizeofType(self.type_of(ty));
        }
        let Some(value) = node.field(Field::Value) else {
            return ExprKind::Error;
        };
        let inner = match value.kind() {
            Kind::ParenthesizedExpression => value.named().next().unwrap_or(value),
            _ => value,
        };
        if self.names_type(inner) || inner.kind() == Kind::TypeDescriptor {
            return ExprKind::SizeofType(self.type_of(inner));
        }
        ExprKind::Sizeof(self.boxed(Some(value), range))
    }
}

/// Whether an expression writes a variable, or takes its address.
pub(super) fn changes(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Assign(..) | ExprKind::Unary(UnaryOp::AddressOf, _) => true,
        ExprKind::Unary(op, _) if op.is_step() => true,
        _ => {
            let mut any = false;
            e.each_operand(&mut |part| any = any || changes(part));
            any
        }
    }
}

/// Whether a string, or the first of several beside each other, is one of `wchar_t` and kin.
fn is_wide(text: &str) -> bool {
    let before = text.split('"').next().unwrap_or_default();
    before.starts_with(['L', 'U']) || before.starts_with('u') && !before.starts_with("u8")
}
