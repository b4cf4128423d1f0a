//! Expressions.
//!
//! Given a node of the concrete tree, gives our expression; what cannot be
//! read becomes [`ExprKind::Error`], what carries no address [`ExprKind::Other`].

use std::sync::Arc;

use super::context::{Context, TOO_DEEP};
use super::cst::{Field, Kind, Node};
use super::lex::{IDENT, Token};
use super::literals;
use super::types::builtin;
use crate::syntax::ast::{
    BinaryOp, Capture, Captures, Expr, ExprKind, Lambda, Name, Range, StmtKind, TemplateArgument,
    TypeExpr, TypeKind, UnaryOp,
};

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
            // A braced default argument that a repair replaced.
            Kind::NumberLiteral if self.text(node).starts_with('{') => ExprKind::List(Vec::new()),
            Kind::NumberLiteral => self.number(node),
            Kind::CharLiteral => literals::character(self.text(node)),
            Kind::StringLiteral | Kind::RawString | Kind::ConcatenatedString
                if self.is_wide(node) =>
            {
                ExprKind::Other("string of wide characters")
            }
            Kind::StringLiteral | Kind::RawString | Kind::ConcatenatedString => {
                ExprKind::Str(Arc::from(self.string(node)))
            }
            Kind::UserDefinedLiteral => ExprKind::Other("user-defined literal"),
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
                ExprKind::Index(object, joined.into_iter().collect())
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
            Kind::OffsetofExpression => ExprKind::Other("offsetof"),
            Kind::GenericExpression => ExprKind::Other("_Generic"),
            Kind::RequiresExpression | Kind::RequiresClause => ExprKind::Other("requires"),
            Kind::ThrowStatement => ExprKind::Other("throw"),
            Kind::CompoundStatement => ExprKind::Other("statement expression"),
            Kind::TypeDescriptor => ExprKind::Other("type"),
            _ => ExprKind::Error,
        };
        Expr { kind, range }
    }

    fn made_by_new(&self, node: Node<'_>) -> Expr {
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
            given.splice(0..0, place);
            return Expr {
                kind: ExprKind::Call {
                    callee: Box::new(Expr {
                        kind: ExprKind::Other("new in a place"),
                        range,
                    }),
                    arguments: given,
                },
                range,
            };
        }
        new(given, range)
    }

    fn name_expr(&self, node: Node<'_>) -> ExprKind {
        match self.text(node) {
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "nullptr" => ExprKind::Null,
            "this" => ExprKind::This,
            "typeid" => ExprKind::Other("typeid"),
            // `operator+(a, b)` reads as a sum.
            "operator" => ExprKind::Other("operator"),
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
        match node.named().find(|child| !child.is_error()) {
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

    /// `({ a; b; })`: a lambda called at once, its last expression returned.
    fn statement_expression(&self, body: Node<'_>) -> ExprKind {
        let range = body.range();
        let mut body = self.block(body);
        if let Some(last) = body.last_mut()
            && let StmtKind::Expr(value) = &last.kind
        {
            last.kind = StmtKind::Return(Some(value.clone()));
        }
        let lambda = Lambda {
            parameters: Vec::new(),
            body,
            captures_by_reference: true,
            is_mutable: false,
            captures: Captures {
                default: Some(true),
                listed: Vec::new(),
            },
            mentioned: Vec::new(),
            result: None,
            range,
        };
        let callee = Box::new(Expr {
            kind: ExprKind::Lambda(Arc::new(lambda)),
            range,
        });
        ExprKind::Call {
            callee,
            arguments: Vec::new(),
        }
    }

    /// The text of a node's operator, as the user wrote it.
    fn operator(&self, node: Node<'_>) -> &str {
        node.field(Field::Operator)
            .map_or("", |operator| self.text(operator))
    }

    fn unary(&self, node: Node<'_>) -> ExprKind {
        let op = match self.operator(node) {
            "+" => UnaryOp::Plus,
            "-" => UnaryOp::Neg,
            "!" | "not" => UnaryOp::Not,
            "~" | "compl" => UnaryOp::BitNot,
            "*" => UnaryOp::Deref,
            "&" => UnaryOp::AddressOf,
            _ => return ExprKind::Error,
        };
        self.prefixed(op, node)
    }

    /// An operator in front of its operand. The grammar reads `++x = 5` as `++(x = 5)`.
    fn prefixed(&self, op: UnaryOp, node: Node<'_>) -> ExprKind {
        let argument = node.field(Field::Argument);
        self.before_place(node, argument, |operand| ExprKind::Unary(op, operand))
    }

    /// What stands in front of an operand. Where the grammar takes an assignment for the operand, it is the
    /// place assigned to: `(int &)x = 5` is no cast of `x = 5`.
    fn before_place(
        &self,
        node: Node<'_>,
        operand: Option<Node<'_>>,
        wrapped: impl FnOnce(Box<Expr>) -> ExprKind,
    ) -> ExprKind {
        let is_bare = operand.is_some_and(|node| node.kind() != Kind::ParenthesizedExpression);
        match *self.boxed(operand, node.range()) {
            Expr {
                kind: ExprKind::Assign(by, place, value),
                ..
            } if is_bare => {
                let range = Range {
                    start: node.start(),
                    end: place.range.end,
                };
                let kind = wrapped(place);
                ExprKind::Assign(by, Box::new(Expr { kind, range }), value)
            }
            operand => wrapped(Box::new(operand)),
        }
    }

    fn update(&self, node: Node<'_>) -> ExprKind {
        let argument = node.field(Field::Argument);
        let operator = node.field(Field::Operator);
        let is_prefix = match (operator, argument) {
            (Some(operator), Some(argument)) => operator.start() < argument.start(),
            _ => false,
        };
        let op = match (self.operator(node), is_prefix) {
            ("++", true) => UnaryOp::PreIncrement,
            ("++", false) => UnaryOp::PostIncrement,
            ("--", true) => UnaryOp::PreDecrement,
            _ => UnaryOp::PostDecrement,
        };
        if is_prefix {
            return self.prefixed(op, node);
        }
        ExprKind::Unary(op, self.boxed(argument, node.range()))
    }

    /// A left-leaning chain is walked without recursion: generated sums are long.
    fn binary(&self, node: Node<'_>) -> Expr {
        let mut chain = vec![node];
        while let Some(left) = chain.last().and_then(|last| last.field(Field::Left))
            && left.kind() == Kind::BinaryExpression
            && chain.len() < self.levels_left()
        {
            chain.push(left);
        }
        let Some(first) = chain.last().and_then(|last| last.field(Field::Left)) else {
            return Self::error(node.range());
        };
        let mut result = self.deeper_by(chain.len(), || self.expr(first));
        for (depth, link) in chain.into_iter().enumerate().rev() {
            let range = link.range();
            let right = link
                .field(Field::Right)
                .map_or(Self::error(range), |right| {
                    self.deeper_by(depth, || self.expr(right))
                });
            let kind = match binary_op(self.operator(link)) {
                Some(op) if is_template_list(op, &result, &right) => {
                    ExprKind::Other(LAMBDA_ARGUMENT)
                }
                Some(op) => ExprKind::Binary(op, Box::new(result), Box::new(right)),
                None => ExprKind::Other("operator"),
            };
            result = Expr { kind, range };
        }
        result
    }

    fn comma(&self, node: Node<'_>) -> Expr {
        let range = node.range();
        let parts = self.comma_parts(node);
        if parts.len() > self.levels_left() {
            self.problem(range, TOO_DEEP);
            return Self::error(range);
        }
        let mut operands: Vec<Expr> = Vec::new();
        let mut parts = parts.into_iter().peekable();
        while let Some(part) = parts.next() {
            // A repair put commas for assignments, which group to the right.
            let mut targets = Vec::new();
            let mut last = part;
            while let Some(next) = parts.peek()
                && let Some(op) = self.assignment_between(last, *next)
            {
                targets.push((last, op));
                last = *next;
                parts.next();
            }
            let value = self.expr(last);
            let assigned = targets.into_iter().rev();
            operands.push(assigned.fold(value, |value, (target, op)| Expr {
                range: Range {
                    start: target.start(),
                    end: value.range.end,
                },
                kind: ExprKind::Assign(op, Box::new(self.expr(target)), Box::new(value)),
            }));
        }
        let joined = operands
            .into_iter()
            .reduce(|left, right| self.then(left, right));
        joined.unwrap_or(Self::error(range))
    }

    /// `left, right`
    fn then(&self, left: Expr, right: Expr) -> Expr {
        Expr {
            range: Range {
                start: left.range.start,
                end: right.range.end,
            },
            kind: ExprKind::Binary(BinaryOp::Comma, Box::new(left), Box::new(right)),
        }
    }

    /// The operator of the assignment that the user wrote between two operands of a comma.
    fn assignment_between(&self, left: Node<'_>, right: Node<'_>) -> Option<Option<BinaryOp>> {
        let between = Range {
            start: left.end(),
            end: right.start(),
        };
        let text = self.slice(between).trim().trim_matches(['(', ')', ' ']);
        match text.strip_suffix('=')? {
            "" => Some(None),
            op => binary_op(op).map(Some),
        }
    }

    /// The operands of `a, b, c`: right-leaning in the grammar, left-leaning in C.
    fn comma_parts<'c>(&self, node: Node<'c>) -> Vec<Node<'c>> {
        let mut parts = Vec::new();
        let mut at = Some(node);
        while let Some(comma) = at.filter(|at| at.kind() == Kind::CommaExpression) {
            parts.extend(comma.field(Field::Left));
            at = comma.field(Field::Right);
        }
        parts.extend(at);
        parts
    }

    fn assignment(&self, node: Node<'_>) -> ExprKind {
        let range = node.range();
        let operator = self.operator(node);
        let op = match operator.strip_suffix('=') {
            Some("") => None,
            Some(op) => match binary_op(op) {
                Some(op) => Some(op),
                None => return ExprKind::Error,
            },
            None => return ExprKind::Error,
        };
        let left = self.boxed(node.field(Field::Left), range);
        ExprKind::Assign(op, left, self.boxed(node.field(Field::Right), range))
    }

    /// The arguments of a call.
    pub fn arguments(&self, list: Option<Node<'_>>) -> Vec<Expr> {
        list.map(|list| Self::tight(list.named().map(|argument| self.expr(argument))))
            .unwrap_or_default()
    }

    /// A part of a launch configuration; a repair put `{1, 2}` into parentheses.
    fn config(&self, node: Node<'_>) -> Expr {
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
    fn cast_below<'c>(&self, node: Node<'c>) -> Option<(Node<'c>, Node<'c>)> {
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
    fn parenthesized_type<'c>(&self, node: Node<'c>) -> Option<Node<'c>> {
        let inner = node
            .named()
            .next()
            .filter(|_| node.kind() == Kind::ParenthesizedExpression)?;
        self.names_type(inner).then_some(inner)
    }

    fn call(&self, node: Node<'_>) -> ExprKind {
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
    fn names_type(&self, node: Node<'_>) -> bool {
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

    fn construct(&self, ty: TypeExpr, mut arguments: Vec<Expr>) -> ExprKind {
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
    fn named_cast(&self, function: Node<'_>, arguments: Option<Node<'_>>) -> Option<ExprKind> {
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

    fn fold(&self, node: Node<'_>) -> ExprKind {
        let range = node.range();
        let is_dots = |side: Node<'_>| self.text(side) == "...";
        let (Some(left), Some(right)) = (node.field(Field::Left), node.field(Field::Right)) else {
            return ExprKind::Error;
        };
        let operator = self.operator(node);
        let op = match binary_op(operator) {
            Some(op) => op,
            None if operator == "," => BinaryOp::Comma,
            None => return ExprKind::Other("fold"),
        };
        let has_inner_dots = node
            .children()
            .any(|child| child.role() == Field::Other && self.text(child) == "...");
        if is_dots(left) {
            ExprKind::Fold {
                op,
                pack: self.boxed(Some(right), range),
                init: None,
                is_left: true,
            }
        } else if is_dots(right) {
            ExprKind::Fold {
                op,
                pack: self.boxed(Some(left), range),
                init: None,
                is_left: false,
            }
        } else if has_inner_dots {
            // `(pack op ... op init)` or `(init op ... op pack)`: the side with a plain value is the initial one.
            let left_is_init =
                matches!(left.kind(), Kind::NumberLiteral | Kind::True | Kind::False);
            let (pack, init) = if left_is_init {
                (right, left)
            } else {
                (left, right)
            };
            let init = Some(self.boxed(Some(init), range));
            ExprKind::Fold {
                op,
                pack: self.boxed(Some(pack), range),
                init,
                is_left: left_is_init,
            }
        } else {
            ExprKind::Other("fold")
        }
    }

    /// The list in a lambda's brackets: from its text, initial values from the tree.
    fn captures(&self, brackets: Node<'_>) -> Captures {
        let mut out = Captures::default();
        let mut depth = 0_usize;
        let text = self.text(brackets);
        let inside = text.trim().trim_start_matches('[').trim_end_matches(']');
        let parts = inside.split(|c: char| {
            match c {
                '(' | '{' | '[' | '<' => depth += 1,
                ')' | '}' | ']' | '>' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && depth == 0
        });
        for part in parts.map(str::trim) {
            match part {
                "&" => out.default = Some(true),
                "=" => out.default = Some(false),
                _ => {
                    let is_reference = part.starts_with('&') || part == "this";
                    let name = part.trim_start_matches(['&', '*', ' ', '.']);
                    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_'));
                    let (name, rest) = name.split_at(end.unwrap_or(name.len()));
                    if !name.is_empty() {
                        out.listed.push(Capture {
                            name: self.intern(name),
                            is_reference,
                            is_new: rest.trim_start().starts_with(['=', '{', '(']),
                            init: None,
                        });
                    }
                }
            }
        }
        for part in brackets.named() {
            let (Some(left), Some(right)) = (part.field(Field::Left), part.field(Field::Right))
            else {
                continue;
            };
            let name = self.text(left).trim_matches(['&', ' ', '.']);
            if let Some(capture) = out.listed.iter_mut().find(|c| &*c.name == name) {
                capture.init = Some(self.expr(right));
            }
        }
        out
    }

    fn tokens_of(&self, range: Range) -> std::slice::Iter<'_, Token> {
        let from = self
            .tokens
            .partition_point(|token| token.start < range.start);
        let past = self.tokens.partition_point(|token| token.start < range.end);
        self.tokens[from..past.max(from)].iter()
    }

    /// The different words of a stretch of text.
    fn words_of(&self, range: Range) -> Vec<Name> {
        let words = self.tokens_of(range);
        let mut names: Vec<Name> = words
            .filter(|token| token.kind == IDENT)
            .map(|token| self.intern(&self.source[token.start as usize..token.end as usize]))
            .collect();
        names.sort_unstable();
        names.dedup();
        names.shrink_to_fit();
        names
    }

    fn lambda(&self, node: Node<'_>) -> ExprKind {
        let range = node.range();
        let brackets = node.field(Field::Captures);
        let captures = brackets.map_or_else(Captures::default, |node| self.captures(node));
        let mentioned = if captures.default == Some(false) {
            self.words_of(range)
        } else {
            Vec::new()
        };
        let declarator = node.field(Field::Declarator);
        let parameters = declarator
            .and_then(|declarator| declarator.field(Field::Parameters))
            .map(|list| self.parameters(list))
            .unwrap_or_default();
        let result = declarator
            .and_then(|declarator| declarator.child_of(Kind::TrailingReturn))
            .and_then(|result| result.named().next())
            .map(|ty| self.type_of(ty));
        let inside = node.field(Field::Body);
        let is_mutable = inside.is_some_and(|body| {
            let head = Range {
                start: range.start,
                end: body.range().start,
            };
            self.tokens_of(head)
                .any(|token| &self.source[token.start as usize..token.end as usize] == "mutable")
        });
        let body = inside.map(|body| self.block(body)).unwrap_or_default();
        ExprKind::Lambda(Arc::new(Lambda {
            parameters,
            body,
            captures_by_reference: captures.default == Some(true),
            is_mutable,
            captures,
            mentioned,
            result,
            range,
        }))
    }
}

/// The operator spelled `text`.
pub fn binary_op(text: &str) -> Option<BinaryOp> {
    Some(match text {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Rem,
        "<<" => BinaryOp::Shl,
        ">>" => BinaryOp::Shr,
        "&" | "bitand" => BinaryOp::And,
        "|" | "bitor" => BinaryOp::Or,
        "^" | "xor" => BinaryOp::Xor,
        "&&" | "and" => BinaryOp::LogicalAnd,
        "||" | "or" => BinaryOp::LogicalOr,
        "==" => BinaryOp::Eq,
        "!=" | "not_eq" => BinaryOp::Ne,
        "<" => BinaryOp::Lt,
        "<=" => BinaryOp::Le,
        ">" => BinaryOp::Gt,
        ">=" => BinaryOp::Ge,
        "," => BinaryOp::Comma,
        _ => return None,
    })
}

/// `new T(…)` of what is given to it.
pub(super) fn new(given: Vec<Expr>, range: Range) -> Expr {
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

const LAMBDA_ARGUMENT: &str = "lambda as a template argument";

/// Whether two operands are parts of `f<[] {}>(x)`: nothing is compared with a lambda.
fn is_template_list(op: BinaryOp, left: &Expr, right: &Expr) -> bool {
    let is_part = matches!(left.kind, ExprKind::Other(LAMBDA_ARGUMENT));
    match op {
        BinaryOp::Lt => is_part || matches!(right.kind, ExprKind::Lambda(_)),
        BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Shr => is_part,
        _ => false,
    }
}

/// Whether a string, or the first of several beside each other, is one of `wchar_t` and kin.
fn is_wide(text: &str) -> bool {
    let before = text.split('"').next().unwrap_or_default();
    before.starts_with(['L', 'U']) || before.starts_with('u') && !before.starts_with("u8")
}
