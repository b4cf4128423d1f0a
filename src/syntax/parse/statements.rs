//! Statements.
//!
//! Given the body of a function, gives its statements; a statement that could
//! not be read becomes [`StmtKind::Error`] and its neighbours stay.

use std::sync::Arc;

use super::context::Context;
use super::cst::{Field, Kind, Node};
use super::expressions::{changes, new};
use super::types::Declared;
use crate::syntax::ast::{
    Asm, BinaryOp, Condition, Expr, ExprKind, Initialiser, Item, Path, Range, Segment, Stmt,
    StmtKind, Storage, TemplateArgument, TypeExpr, TypeKind, UnaryOp, Variable,
};

impl Context<'_> {
    /// The statements between braces.
    pub fn block(&self, node: Node<'_>) -> Vec<Stmt> {
        let mut out = Vec::new();
        if node.kind() == Kind::CompoundStatement {
            for child in node.named() {
                self.statement(child, &mut out);
            }
        } else {
            self.statement(node, &mut out);
        }
        out.shrink_to_fit();
        out
    }

    /// What a handler does, over a variable that is not known.
    fn handler(&self, node: Node<'_>) -> StmtKind {
        let Some(body) = node.field(Field::Body) else {
            return StmtKind::Error;
        };
        let mut inner = self.block(body);
        let range = node.range();
        let list = node.field(Field::Parameters);
        let caught = list.into_iter().flat_map(|list| self.parameters(list));
        let caught: Vec<Variable> = caught
            .filter_map(|p| p.name)
            .map(|name| Variable {
                name: Arc::from(""),
                bindings: vec![name],
                qualifier: None,
                template: None,
                arguments: Vec::new(),
                ty: TypeExpr {
                    kind: TypeKind::Auto,
                    is_const: false,
                    is_volatile: false,
                    range,
                },
                storage: Storage::default(),
                init: None,
                bits: None,
                range,
                name_range: range,
            })
            .collect();
        if !caught.is_empty() {
            let kind = StmtKind::Variables(Arc::new(caught));
            inner.insert(0, Stmt { kind, range });
        }
        StmtKind::Block(inner)
    }

    /// A statement as one: several become a block.
    fn single(&self, node: Node<'_>) -> Box<Stmt> {
        let range = node.range();
        if node.kind() == Kind::CompoundStatement {
            let body = self.deeper(range, || self.block(node));
            let kind = body.map_or(StmtKind::Error, StmtKind::Block);
            return Box::new(Stmt { kind, range });
        }
        let mut out = Vec::new();
        self.statement(node, &mut out);
        match (out.pop(), out.is_empty()) {
            (Some(only), true) => Box::new(only),
            (Some(last), false) => {
                out.push(last);
                out.shrink_to_fit();
                Box::new(Stmt {
                    kind: StmtKind::Block(out),
                    range,
                })
            }
            (None, _) => Box::new(Stmt {
                kind: StmtKind::Empty,
                range,
            }),
        }
    }

    /// Appends the statement (or statements: labels, cases) of `node`.
    pub fn statement(&self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let range = node.range();
        if self
            .deeper(range, || self.statement_here(node, out))
            .is_none()
        {
            out.push(Stmt {
                kind: StmtKind::Error,
                range,
            });
        }
    }

    fn statement_here(&self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let range = node.range();
        let body = |field| {
            node.field(field).map_or_else(
                || {
                    Box::new(Stmt {
                        kind: StmtKind::Empty,
                        range,
                    })
                },
                |body| self.single(body),
            )
        };
        let kind = match node.kind() {
            Kind::CompoundStatement => StmtKind::Block(self.block(node)),
            Kind::Declaration | Kind::FieldDeclaration => return self.local_declaration(node, out),
            Kind::ExpressionStatement => self.expression_statement(node),
            Kind::IfStatement => self.if_statement(node),
            Kind::ForStatement => StmtKind::For {
                init: node.field(Field::Initializer).map(|init| self.init(init)),
                condition: node
                    .field(Field::Condition)
                    .map(|condition| self.expr(condition)),
                step: node.field(Field::Update).map(|update| self.expr(update)),
                body: body(Field::Body),
            },
            Kind::ForRangeLoop => self.range_for(node),
            Kind::WhileStatement if self.text(node).starts_with("switch") => {
                let mut kind = self.switch(node);
                // To the grammar all that follows belongs to the `case`; to C one statement does.
                let mut rest = Vec::new();
                if let StmtKind::Switch { body, .. } = &mut kind {
                    let is_label =
                        |s: &Stmt| matches!(s.kind, StmtKind::Case(_) | StmtKind::Default);
                    let own = body.iter().take_while(|s| is_label(s)).count() + 1;
                    rest = body.split_off(own.min(body.len()));
                }
                out.push(Stmt { kind, range });
                out.append(&mut rest);
                return;
            }
            Kind::WhileStatement => {
                let (_, condition) = self.condition(node.field(Field::Condition), range);
                StmtKind::While {
                    condition,
                    body: body(Field::Body),
                }
            }
            Kind::DoStatement => StmtKind::DoWhile {
                body: body(Field::Body),
                condition: node
                    .field(Field::Condition)
                    .map_or(Self::error(range), |condition| self.expr(condition)),
            },
            Kind::SwitchStatement => self.switch(node),
            Kind::CaseStatement => return self.case(node, out),
            Kind::BreakStatement => StmtKind::Break,
            Kind::ContinueStatement => StmtKind::Continue,
            Kind::ReturnStatement => StmtKind::Return(
                node.named()
                    .find(|child| !child.is_error())
                    .map(|value| self.expr(value)),
            ),
            Kind::GotoStatement => match node.field(Field::Label) {
                Some(label) => StmtKind::Goto(self.name(label)),
                None => StmtKind::Error,
            },
            Kind::LabeledStatement => {
                if let Some(label) = node.field(Field::Label) {
                    let kind = StmtKind::Label(self.name(label));
                    out.push(Stmt {
                        kind,
                        range: label.range(),
                    });
                }
                for child in node.named().filter(|child| child.role() != Field::Label) {
                    self.statement(child, out);
                }
                return;
            }
            Kind::AttributedStatement => {
                for child in node
                    .named()
                    .filter(|child| child.kind() != Kind::AttributeDeclaration)
                {
                    self.statement(child, out);
                }
                return;
            }
            Kind::TryStatement => {
                // `{ <try> {body} if (<caught>) {handler} … }`: host code only.
                let mark = |what| Expr {
                    kind: ExprKind::Other(what),
                    range,
                };
                let stmt = |kind| Stmt { kind, range };
                let block = |node: Option<Node<'_>>| {
                    node.map_or(StmtKind::Error, |body| StmtKind::Block(self.block(body)))
                };
                let mut parts = vec![
                    stmt(StmtKind::Expr(mark("try"))),
                    stmt(block(node.field(Field::Body))),
                ];
                for handler in node.named().filter(|n| n.kind() == Kind::CatchClause) {
                    parts.push(stmt(StmtKind::If {
                        is_constexpr: false,
                        init: None,
                        condition: Condition::Expr(mark("caught")),
                        then: Box::new(stmt(self.handler(handler))),
                        otherwise: None,
                    }));
                }
                StmtKind::Block(parts)
            }
            Kind::ThrowStatement => {
                let throw = StmtKind::Expr(Expr {
                    kind: ExprKind::Other("throw"),
                    range,
                });
                let given = node.named().map(|child| self.expr(child));
                let given: Vec<Expr> = given.filter(changes).collect();
                if given.is_empty() {
                    throw
                } else {
                    let stmt = |kind| Stmt { kind, range };
                    let made = StmtKind::Expr(new(given, range));
                    StmtKind::Block(vec![stmt(made), stmt(throw)])
                }
            }
            Kind::TypeDefinition
            | Kind::AliasDeclaration
            | Kind::StructSpecifier
            | Kind::ClassSpecifier
            | Kind::UnionSpecifier
            | Kind::EnumSpecifier
            | Kind::UsingDeclaration
            | Kind::TemplateDeclaration
            | Kind::NamespaceAlias => {
                return self.local_item(node, out);
            }
            Kind::StaticAssert
            | Kind::Comment
            | Kind::AttributeDeclaration
            | Kind::AttributeSpecifier => return,
            Kind::InitStatement => {
                for child in node.named() {
                    self.statement(child, out);
                }
                return;
            }
            Kind::Error => {
                // Launches inside a broken stretch are still worth reading.
                let from = out.len();
                for child in node.named().filter(|child| is_statement(child.kind())) {
                    self.statement(child, out);
                }
                out.insert(
                    from,
                    Stmt {
                        kind: StmtKind::Error,
                        range,
                    },
                );
                return;
            }
            _ => StmtKind::Error,
        };
        out.push(Stmt { kind, range });
    }

    fn expression_statement(&self, node: Node<'_>) -> StmtKind {
        if node
            .children()
            .any(|child| child.is_error() || child.is_missing())
        {
            return StmtKind::Error;
        }
        let Some(inner) = node.named().next() else {
            return StmtKind::Empty;
        };
        if inner.kind() == Kind::CallExpression
            && let Some(asm) = self.asm(inner.start())
        {
            let colons = asm.colons.clone();
            return self.asm_statement(inner, &colons);
        }
        if let Some(variable) = self.reference_declaration(inner) {
            return StmtKind::Variables(Arc::new(vec![variable]));
        }
        match tile_declaration(self.expr(inner)) {
            Ok(variable) => StmtKind::Variables(Arc::new(vec![variable])),
            Err(expr) => StmtKind::Expr(expr),
        }
    }

    fn asm_statement(&self, call: Node<'_>, colons: &[u32]) -> StmtKind {
        let mut asm = Asm {
            text: String::new(),
            outputs: Vec::new(),
            inputs: Vec::new(),
        };
        let Some(list) = call.field(Field::Arguments) else {
            return StmtKind::Error;
        };
        for argument in list.named() {
            let section = colons
                .iter()
                .filter(|colon| **colon < argument.start())
                .count();
            if section == 0 {
                asm.text.push_str(&self.string(argument));
                continue;
            }
            if section > 2 {
                break;
            }
            let (Some(constraint), Some(operands)) = (
                argument.field(Field::Function),
                argument.field(Field::Arguments),
            ) else {
                continue;
            };
            let value = operands
                .named()
                .next()
                .map_or(Self::error(argument.range()), |value| self.expr(value));
            let operand = (self.string(constraint), value);
            if section == 1 {
                asm.outputs.push(operand)
            } else {
                asm.inputs.push(operand)
            }
        }
        StmtKind::Asm(Arc::new(asm))
    }

    /// `float (&r)[4] = e;` reads as an assignment to `float(&r)[4]`.
    fn reference_declaration(&self, node: Node<'_>) -> Option<Variable> {
        let (target, value) = match node.kind() {
            Kind::AssignmentExpression => (node.field(Field::Left)?, node.field(Field::Right)),
            _ => (node, None),
        };
        let mut sizes = Vec::new();
        let mut at = target;
        while at.kind() == Kind::SubscriptExpression {
            sizes.push(at.field(Field::Indices)?.named().next());
            at = at.field(Field::Argument)?;
        }
        if at.kind() != Kind::CallExpression || sizes.is_empty() || sizes.len() > 16 {
            return None;
        }
        let function = at.field(Field::Function)?;
        let is_type = function.kind() == Kind::PrimitiveType
            || (function.kind() == Kind::Identifier
                && self.names.declares_type(self.text(function)));
        let mut arguments = at.field(Field::Arguments)?.named();
        let (Some(argument), None) = (arguments.next(), arguments.next()) else {
            return None;
        };
        if !is_type || argument.kind() != Kind::PointerExpression {
            return None;
        }
        let name = argument.field(Field::Argument)?;
        let range = node.range();
        let plain = |kind| TypeExpr {
            kind,
            is_const: false,
            is_volatile: false,
            range,
        };
        let mut ty = self.type_of(function);
        for size in sizes {
            ty = plain(TypeKind::Array(
                Arc::new(ty),
                size.map(|size| Arc::new(self.expr(size))),
            ));
        }
        let to = Arc::new(ty);
        let is_reference = self.text(argument).starts_with('&');
        let ty = plain(if is_reference {
            TypeKind::Reference {
                to,
                is_rvalue: false,
            }
        } else {
            TypeKind::Pointer {
                to,
                is_restrict: false,
            }
        });
        Some(Variable {
            name: self.name(name),
            bindings: Vec::new(),
            qualifier: None,
            template: None,
            arguments: Vec::new(),
            ty,
            storage: Storage::default(),
            init: value.map(|value| Initialiser::Equals(self.expr(value))),
            bits: None,
            range,
            name_range: name.range(),
        })
    }

    fn local_declaration(&self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let range = node.range();
        if node.children().any(|child| child.is_error()) {
            out.push(Stmt {
                kind: StmtKind::Error,
                range,
            });
            return;
        }
        if node.field(Field::Declarator).is_none() {
            return node
                .field(Field::Type)
                .filter(|ty| ty.field(Field::Body).is_some())
                .map_or((), |ty| self.local_item(ty, out));
        }
        if self.starts_with_value(node) {
            let kind = self.operator_of_values(node);
            out.push(Stmt {
                kind: kind.map_or(StmtKind::Error, StmtKind::Expr),
                range,
            });
            return;
        }
        let mut items = Vec::new();
        if self.is_late_typedef(node) {
            self.typedef(node, &mut items);
            return Self::as_statements(items, range, out);
        }
        let (defined, base) = self.defined_type(self.specified_type(node));
        items.extend(defined);
        let mut variables = self.variables_of(node, base);
        variables.retain(|variable| !variable.name.is_empty() || !variable.bindings.is_empty());
        variables.shrink_to_fit();
        if !variables.is_empty() {
            items.push(Item::Variables(variables));
        }
        Self::as_statements(items, range, out);
    }

    /// Whether what reads as a declaration, `a & b;`, is an operator: `a` is a value.
    fn starts_with_value(&self, node: Node<'_>) -> bool {
        let is_reference = |declarator: Node<'_>| {
            matches!(
                declarator.kind(),
                Kind::PointerDeclarator | Kind::ReferenceDeclarator
            )
        };
        let is_value = |ty: Node<'_>| {
            let text = self.text(ty);
            let last = text.rsplit("::").next().unwrap_or(text).trim();
            match ty.kind() {
                Kind::TypeIdentifier => self.names.is_value(last, ty.start()),
                Kind::QualifiedIdentifier => {
                    !self.names.is_member_type(last) && self.names.is_value(last, ty.start())
                }
                _ => false,
            }
        };
        node.field(Field::Declarator).is_some_and(is_reference)
            && node.field(Field::Type).is_some_and(is_value)
    }

    /// `a & b`, where both are plain names.
    fn operator_of_values(&self, node: Node<'_>) -> Option<Expr> {
        let ty = node.field(Field::Type)?;
        let mut named = node.named();
        let declarator = named.nth(1)?;
        let op = match declarator.kind() {
            Kind::PointerDeclarator => BinaryOp::Mul,
            _ if self.text(declarator).starts_with("&&") => BinaryOp::LogicalAnd,
            _ => BinaryOp::And,
        };
        let right = declarator.named().next()?;
        if named.next().is_some() || right.kind() != Kind::Identifier {
            return None;
        }
        Some(Expr {
            kind: ExprKind::Binary(op, Box::new(self.expr(ty)), Box::new(self.expr(right))),
            range: node.range(),
        })
    }

    fn local_item(&self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let mut items = Vec::new();
        self.item(node, &[], &mut items);
        Self::as_statements(items, node.range(), out);
    }

    fn as_statements(items: Vec<Item>, range: Range, out: &mut Vec<Stmt>) {
        for item in items {
            let kind = match item {
                Item::Alias(alias) => StmtKind::Alias(alias),
                Item::Record(record) => StmtKind::Record(record),
                Item::Enum(enumeration) => StmtKind::Enum(enumeration),
                Item::Using(path) => StmtKind::Using(path),
                Item::UsingNamespace(path) => StmtKind::UsingNamespace(path),
                Item::Variables(variables) => StmtKind::Variables(Arc::new(variables)),
                _ => continue,
            };
            out.push(Stmt { kind, range });
        }
    }

    fn init(&self, node: Node<'_>) -> Box<Stmt> {
        match node.kind() {
            Kind::Declaration
            | Kind::InitStatement
            | Kind::ExpressionStatement
            | Kind::AliasDeclaration => self.single(node),
            _ => Box::new(Stmt {
                kind: StmtKind::Expr(self.expr(node)),
                range: node.range(),
            }),
        }
    }

    /// The condition of a clause, and what stands before its `;`.
    fn condition(&self, clause: Option<Node<'_>>, range: Range) -> (Option<Box<Stmt>>, Condition) {
        let Some(clause) = clause else {
            return (None, Condition::Expr(Self::error(range)));
        };
        let init = clause
            .field(Field::Initializer)
            .map(|init| self.single(init));
        let value = clause.field(Field::Value).or_else(|| {
            clause
                .named()
                .find(|child| child.role() != Field::Initializer && !child.is_error())
        });
        let condition = match value {
            Some(value) if value.kind() == Kind::Declaration => {
                match self.variables(value).into_iter().next() {
                    Some(variable) => Condition::Variable(Arc::new(variable)),
                    None => Condition::Expr(Self::error(range)),
                }
            }
            Some(value) => Condition::Expr(self.expr(value)),
            None => Condition::Expr(Self::error(clause.range())),
        };
        (init, condition)
    }

    fn if_statement(&self, node: Node<'_>) -> StmtKind {
        let range = node.range();
        let is_constexpr = node
            .children()
            .any(|child| !child.is_named() && self.text(child) == "constexpr");
        let (init, condition) = self.condition(node.field(Field::Condition), range);
        let then = node.field(Field::Consequence).map_or_else(
            || {
                Box::new(Stmt {
                    kind: StmtKind::Error,
                    range,
                })
            },
            |then| self.single(then),
        );
        let otherwise = node
            .field(Field::Alternative)
            .and_then(|otherwise| otherwise.named().find(|child| !child.is_error()))
            .map(|otherwise| self.single(otherwise));
        StmtKind::If {
            is_constexpr,
            init,
            condition,
            then,
            otherwise,
        }
    }

    /// `case x:`, and `case 1 ... 4:` as the labels that it stands for.
    fn case_values(&self, value: Node<'_>) -> Vec<StmtKind> {
        let is_range = value.kind() == Kind::BinaryExpression
            && value
                .field(Field::Operator)
                .is_some_and(|operator| self.text(operator).starts_with(".."));
        if !is_range {
            return vec![StmtKind::Case(self.expr(value))];
        }
        let end = |field| {
            let value = value.field(field)?;
            match self.expr(value).kind {
                ExprKind::Int { value, .. } => i64::try_from(value).ok(),
                ExprKind::Char(value, _) => Some(value),
                ExprKind::Unary(UnaryOp::Neg, inner) => match inner.kind {
                    ExprKind::Int { value, .. } => i64::try_from(value).ok().map(|value| -value),
                    _ => None,
                },
                _ => None,
            }
        };
        match (end(Field::Left), end(Field::Right)) {
            (Some(low), Some(high)) if high.saturating_sub(low) < MAX_CASES => (low..=high)
                .map(|number| {
                    let range = value.range();
                    let kind = ExprKind::Int {
                        value: number.unsigned_abs(),
                        is_unsigned: false,
                        is_long: i32::try_from(number).is_err(),
                        is_long_long: false,
                    };
                    let mut label = Expr { kind, range };
                    if number < 0 {
                        let kind = ExprKind::Unary(UnaryOp::Neg, Box::new(label));
                        label = Expr { kind, range };
                    }
                    StmtKind::Case(label)
                })
                .collect(),
            _ => vec![StmtKind::Error],
        }
    }

    fn range_for(&self, node: Node<'_>) -> StmtKind {
        let range = node.range();
        let base = self.specified_type(node);
        let (Some(declarator), Some(over)) =
            (node.field(Field::Declarator), node.field(Field::Right))
        else {
            return StmtKind::Error;
        };
        let declared = self.declare(declarator, base);
        let variable = self.plain_variable(declared, declarator.range());
        let body = node.field(Field::Body).map_or_else(
            || {
                Box::new(Stmt {
                    kind: StmtKind::Empty,
                    range,
                })
            },
            |body| self.single(body),
        );
        StmtKind::RangeFor {
            variable: Arc::new(variable),
            range: self.expr(over),
            body,
        }
    }

    pub fn plain_variable(&self, declared: Declared, range: Range) -> Variable {
        Variable {
            name: declared.name,
            bindings: declared.bindings,
            qualifier: declared.qualifier,
            template: None,
            arguments: declared.arguments,
            ty: declared.ty,
            storage: Storage::default(),
            init: None,
            bits: None,
            range,
            name_range: declared.name_range,
        }
    }

    /// `switch (init; x) { … }`: what stands in front of the value is a statement in front.
    fn switch(&self, node: Node<'_>) -> StmtKind {
        let range = node.range();
        let (init, condition) = self.condition(node.field(Field::Condition), range);
        let body = node
            .field(Field::Body)
            .map(|body| self.block(body))
            .unwrap_or_default();
        let mut before: Vec<Stmt> = init.into_iter().map(|init| *init).collect();
        let value = match condition {
            Condition::Expr(value) => value,
            Condition::Variable(variable) => {
                let name = Segment {
                    name: variable.name.clone(),
                    arguments: None,
                };
                let path = Path {
                    is_global: false,
                    segments: vec![name],
                    range: variable.name_range,
                };
                let range = variable.range;
                // One owner, so it is taken out of its box again.
                let variables = Arc::into_inner(variable).into_iter().collect();
                let kind = StmtKind::Variables(Arc::new(variables));
                before.push(Stmt { kind, range });
                Expr {
                    kind: ExprKind::Path(path),
                    range,
                }
            }
        };
        let kind = StmtKind::Switch { value, body };
        if before.is_empty() {
            return kind;
        }
        before.push(Stmt { kind, range });
        StmtKind::Block(before)
    }

    fn case(&self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let value = node.field(Field::Value);
        let range = Range {
            start: node.start(),
            end: value.map_or(node.start() + 7, |value| value.end()),
        };
        match value {
            None => out.push(Stmt {
                kind: StmtKind::Default,
                range,
            }),
            Some(value) => out.extend(
                self.case_values(value)
                    .into_iter()
                    .map(|kind| Stmt { kind, range }),
            ),
        }
        for child in node.named().filter(|child| child.role() != Field::Value) {
            self.statement(child, out);
        }
    }
}

/// Most values of `case 1 ... 4:`.
const MAX_CASES: i64 = 256;

fn is_statement(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::CompoundStatement
            | Kind::Declaration
            | Kind::ExpressionStatement
            | Kind::IfStatement
            | Kind::ForStatement
            | Kind::WhileStatement
            | Kind::DoStatement
            | Kind::SwitchStatement
            | Kind::ForRangeLoop
            | Kind::CaseStatement
            | Kind::ReturnStatement
            | Kind::LabeledStatement
            | Kind::TryStatement
    )
}

/// `ns::tile<32> name = value;`: the grammar takes a list of numbers for two comparisons, but
/// an assignment to a comparison can only be a declaration.
fn tile_declaration(mut expr: Expr) -> Result<Variable, Expr> {
    // `(tile < 32) > (name = value)` is the other way the grammar reads it.
    if let ExprKind::Binary(BinaryOp::Gt, list, rest) = &expr.kind
        && let ExprKind::Assign(None, name, value) = &rest.kind
        && matches!(list.kind, ExprKind::Binary(BinaryOp::Lt, ..))
    {
        let target = Expr {
            kind: ExprKind::Binary(BinaryOp::Gt, list.clone(), name.clone()),
            range: expr.range,
        };
        expr.kind = ExprKind::Assign(None, Box::new(target), value.clone());
    }
    let is_declaration = match &expr.kind {
        ExprKind::Assign(None, target, _) => match &target.kind {
            ExprKind::Binary(BinaryOp::Gt, list, name) => {
                matches!(&list.kind, ExprKind::Binary(BinaryOp::Lt, template, _)
                    if matches!(template.kind, ExprKind::Path(_)))
                    && matches!(&name.kind, ExprKind::Path(path) if path.segments.len() == 1)
            }
            _ => false,
        },
        _ => false,
    };
    if !is_declaration {
        return Err(expr);
    }
    let range = expr.range;
    let ExprKind::Assign(_, target, value) = expr.kind else {
        return Err(expr);
    };
    let target_range = target.range;
    if let ExprKind::Binary(_, list, name) = target.kind
        && let ExprKind::Binary(_, template, argument) = list.kind
        && let (ExprKind::Path(mut path), ExprKind::Path(variable)) = (template.kind, name.kind)
        && let (Some(last), Some(own)) = (path.segments.last_mut(), variable.segments.first())
    {
        last.arguments = Some(Arc::from(vec![TemplateArgument::Expr(*argument)]));
        return Ok(Variable {
            name: own.name.clone(),
            bindings: Vec::new(),
            qualifier: None,
            template: None,
            arguments: Vec::new(),
            ty: TypeExpr {
                kind: TypeKind::Named(path),
                is_const: false,
                is_volatile: false,
                range: target_range,
            },
            storage: Storage::default(),
            init: Some(Initialiser::Equals(*value)),
            bits: None,
            range,
            name_range: name.range,
        });
    }
    Err(Expr {
        kind: ExprKind::Error,
        range,
    })
}
