//! Statements.
//!
//! Given the body of a function, gives its statements; a statement that could
//! not be read becomes [`StmtKind::Error`] and its neighbours stay.

mod branches;
mod declarations;

use std::sync::Arc;

use super::context::Context;
use super::cst::{Field, Kind, Node};
use super::expressions::{changes, new};
use super::names::is_macro_like;
use super::repair::MarkKind;
use crate::syntax::ast::{
    Asm, Condition, Expr, ExprKind, Range, Stmt, StmtKind, Storage, TypeExpr, TypeKind, Variable,
};
use declarations::tile_declaration;

impl Context<'_> {
    /// The statements between braces.
    pub fn block(&self, node: Node<'_>) -> Vec<Stmt> {
        let mut out = Vec::new();
        if node.kind() == Kind::CompoundStatement {
            let aliases = self.aliases.borrow().len();
            self.listed(node.named(), &mut out);
            self.aliases.borrow_mut().truncate(aliases);
        } else {
            self.statement(node, &mut out);
        }
        out.shrink_to_fit();
        out
    }

    /// Appends statements that stand one behind the other.
    pub(super) fn listed<'n>(&self, children: impl Iterator<Item = Node<'n>>, out: &mut Vec<Stmt>) {
        // Macros that nobody expanded: each decides whether, and how often, what stands behind it runs.
        let mut macros: Vec<(usize, usize)> = Vec::new();
        let (mut is_open, mut is_cut) = (false, false);
        for child in children {
            let from = out.len();
            self.statement(child, out);
            let count = out.len() - from;
            if count == 0 {
                continue;
            }
            if is_open && child.kind() != Kind::Declaration {
                macros.push((from - 1, count));
            } else if is_cut {
                // It belongs to a branch or loop that ended in front of it.
                out.truncate(from);
                out.push(Stmt {
                    kind: StmtKind::Error,
                    range: child.range(),
                });
            }
            is_open = self.is_unfinished(child);
            is_cut = self.is_cut(child);
        }
        for (at, count) in macros.into_iter().rev() {
            govern(out, at, count);
        }
    }

    /// `if (x) MACRO(y)` without `;`: what stands behind it is a part of it.
    fn is_cut(&self, node: Node<'_>) -> bool {
        let governs = matches!(
            node.kind(),
            Kind::IfStatement | Kind::ForStatement | Kind::ForRangeLoop | Kind::WhileStatement
        );
        governs && !self.text(node).ends_with([';', '}'])
    }

    /// `MACRO(x)` without `;`, of a macro that is not known. One that names a pragma is taken for it.
    fn is_unfinished(&self, node: Node<'_>) -> bool {
        let name = || {
            let call = node.named().next()?;
            let is_call = call.kind() == Kind::CallExpression;
            is_call.then(|| call.field(Field::Function)).flatten()
        };
        node.kind() == Kind::ExpressionStatement
            && !self.text(node).ends_with(';')
            && name().is_some_and(|name| {
                let word = self.text(name);
                is_macro_like(word) && !word.contains("UNROLL") && !word.contains("PRAGMA")
            })
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

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    fn statement_here(&self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let range = node.range();
        if self.has_unread(node) {
            let kind = StmtKind::Error;
            out.push(Stmt { kind, range });
            return;
        }
        let body = |field| self.body(node, field);
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
                return self.switch_without_braces(node, out);
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
                return self.labelled(node, out);
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
            Kind::TryStatement => self.try_statement(node),
            Kind::ThrowStatement => self.throw_statement(node),
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
                return self.broken(node, out);
            }
            _ => StmtKind::Error,
        };
        let kind = branches::with_types_of_head(kind, range);
        out.push(Stmt { kind, range });
        if let Some(kind) = self.declared_by_macro(node) {
            out.push(Stmt { kind, range });
        }
    }

    /// A statement that belongs to `node`, an empty one where there is none.
    fn body(&self, node: Node<'_>, field: Field) -> Box<Stmt> {
        let empty = || {
            Box::new(Stmt {
                kind: StmtKind::Empty,
                range: node.range(),
            })
        };
        node.field(field)
            .map_or_else(empty, |body| self.single(body))
    }

    /// To the grammar all that follows belongs to the `case`; to C one statement does.
    fn switch_without_braces(&self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let mut kind = self.switch(node);
        let mut rest = Vec::new();
        if let StmtKind::Switch { body, .. } = &mut kind {
            let is_label = |s: &Stmt| matches!(s.kind, StmtKind::Case(_) | StmtKind::Default);
            let own = body.iter().take_while(|s| is_label(s)).count() + 1;
            rest = body.split_off(own.min(body.len()));
        }
        out.push(Stmt {
            kind,
            range: node.range(),
        });
        out.append(&mut rest);
    }

    fn labelled(&self, node: Node<'_>, out: &mut Vec<Stmt>) {
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
    }

    /// `{ <try> {body} if (<caught>) {handler} … }`: host code only.
    fn try_statement(&self, node: Node<'_>) -> StmtKind {
        let mark = |what| Expr {
            kind: ExprKind::Other(what),
            range: node.range(),
        };
        let stmt = |kind| Stmt {
            kind,
            range: node.range(),
        };
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

    /// What `throw` is given, where that changes something, and the throw.
    fn throw_statement(&self, node: Node<'_>) -> StmtKind {
        let range = node.range();
        let throw = StmtKind::Expr(Expr {
            kind: ExprKind::Other("throw"),
            range,
        });
        let given: Vec<Expr> = node.named().map(|child| self.expr(child)).collect();
        let made = match given.iter().any(changes) {
            true => Some(new(given, range)),
            // What is called is called all the same.
            false => given.into_iter().find(calls_by_name),
        };
        match made {
            Some(made) => {
                let stmt = |kind| Stmt { kind, range };
                StmtKind::Block(vec![stmt(StmtKind::Expr(made)), stmt(throw)])
            }
            None => throw,
        }
    }

    /// Launches inside a broken stretch are still worth reading.
    fn broken(&self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let from = out.len();
        for child in node.named().filter(|child| is_statement(child.kind())) {
            self.statement(child, out);
        }
        out.insert(
            from,
            Stmt {
                kind: StmtKind::Error,
                range: node.range(),
            },
        );
    }

    /// Whether a declaration stands in a statement, or in the head of one, that is not read.
    fn has_unread(&self, node: Node<'_>) -> bool {
        let end = match node.kind() {
            Kind::ExpressionStatement | Kind::Declaration => node.end(),
            Kind::ForStatement | Kind::WhileStatement | Kind::SwitchStatement => node
                .field(Field::Body)
                .map_or(node.end(), |body| body.start()),
            Kind::IfStatement => {
                let condition = node.field(Field::Condition);
                condition.map_or(node.start(), |condition| condition.end())
            }
            _ => return false,
        };
        self.has_mark(node.start(), end, MarkKind::Unread)
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
}

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

/// Puts so many statements behind the call at `at` into a loop under it.
fn govern(out: &mut Vec<Stmt>, at: usize, count: usize) {
    let body: Vec<Stmt> = out.drain(at + 1..at + 1 + count).collect();
    let Some(first) = out.get_mut(at) else { return };
    let end = body.last().map_or(first.range.end, |last| last.range.end);
    let start = first.range.end;
    let body = Stmt {
        kind: StmtKind::Block(body),
        range: Range { start, end },
    };
    let call = std::mem::replace(&mut first.kind, StmtKind::Error);
    first.range.end = end;
    if let StmtKind::Expr(call) = call {
        first.kind = StmtKind::While {
            condition: Condition::Expr(call),
            body: Box::new(body),
        };
    }
}

/// Whether an expression is a call of a function by one name: no object of a library's class is made.
fn calls_by_name(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Call { callee, .. }
        if matches!(&callee.kind, ExprKind::Path(path) if path.segments.len() == 1))
}
