//! Branches and loops: `if`, `switch`, `for` over a range, their conditions.

use std::sync::Arc;

use super::super::context::Context;
use super::super::cst::{Field, Kind, Node};
use crate::syntax::ast::{
    Condition, Expr, ExprKind, Path, Range, Segment, Stmt, StmtKind, UnaryOp,
};

/// Most values of `case 1 ... 4:`.
pub(super) const MAX_CASES: i64 = 256;

impl Context<'_> {
    pub(super) fn init(&self, node: Node<'_>) -> Box<Stmt> {
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
    pub(super) fn condition(
        &self,
        clause: Option<Node<'_>>,
        range: Range,
    ) -> (Option<Box<Stmt>>, Condition) {
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

    pub(super) fn if_statement(&self, node: Node<'_>) -> StmtKind {
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
    pub(super) fn case_values(&self, value: Node<'_>) -> Vec<StmtKind> {
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

    /// `for (init; x : range) …`: the first is a statement in front.
    pub(super) fn range_for(&self, node: Node<'_>) -> StmtKind {
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
        let kind = StmtKind::RangeFor {
            variable: Arc::new(variable),
            range: self.expr(over),
            body,
        };
        match node.field(Field::Initializer) {
            Some(init) => {
                let init = *self.init(init);
                StmtKind::Block(vec![init, Stmt { kind, range }])
            }
            None => kind,
        }
    }

    /// `switch (init; x) { … }`: what stands in front of the value is a statement in front.
    pub(super) fn switch(&self, node: Node<'_>) -> StmtKind {
        let range = node.range();
        let (init, condition) = self.condition(node.field(Field::Condition), range);
        let mut body = node
            .field(Field::Body)
            .map(|body| self.block(body))
            .unwrap_or_default();
        let mut before: Vec<Stmt> = init.map_or_else(Vec::new, |init| match init.kind {
            StmtKind::Block(parts) => parts,
            _ => vec![*init],
        });
        before.extend(declared_before_labels(&mut body));
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

    pub(super) fn case(&self, node: Node<'_>, out: &mut Vec<Stmt>) {
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
        let children = node.named();
        self.listed(children.filter(|child| child.role() != Field::Value), out);
    }
}

/// A statement behind the types that its head declares: `if (enum { A } e = f(); e == A)`.
pub(super) fn with_types_of_head(mut kind: StmtKind, range: Range) -> StmtKind {
    let is_type = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Record(_) | StmtKind::Enum(_));
    let init = match &mut kind {
        StmtKind::If {
            init: Some(init), ..
        }
        | StmtKind::For {
            init: Some(init), ..
        } => init,
        _ => return kind,
    };
    let StmtKind::Block(parts) = &mut init.kind else {
        return kind;
    };
    let types = parts.iter().take_while(|stmt| is_type(stmt)).count();
    let mut before: Vec<Stmt> = parts.drain(..types).collect();
    if let [_] = &parts[..] {
        let only = parts.pop();
        only.into_iter().for_each(|only| **init = only);
    }
    if before.is_empty() {
        return kind;
    }
    before.push(Stmt { kind, range });
    StmtKind::Block(before)
}

/// Takes what a `switch` declares in front of all else, which holds behind every label: nothing there runs.
fn declared_before_labels(body: &mut Vec<Stmt>) -> Vec<Stmt> {
    let is_declaration = |stmt: &&Stmt| {
        matches!(
            stmt.kind,
            StmtKind::Variables(_)
                | StmtKind::Alias(_)
                | StmtKind::Record(_)
                | StmtKind::Enum(_)
                | StmtKind::Using(_)
                | StmtKind::UsingNamespace(_)
        )
    };
    let count = body.iter().take_while(is_declaration).count();
    let declared = body.drain(..count).map(|stmt| {
        let kind = match stmt.kind {
            StmtKind::Variables(variables) => {
                let mut variables = Arc::into_inner(variables).unwrap_or_default();
                variables.iter_mut().for_each(|v| v.init = None);
                StmtKind::Variables(Arc::new(variables))
            }
            kind => kind,
        };
        Stmt { kind, ..stmt }
    });
    declared.collect()
}
