//! Declarations among the statements of a body.

use std::sync::Arc;

use super::super::context::Context;
use super::super::cst::{Field, Kind, Node};
use super::super::types::Declared;
use crate::syntax::ast::{
    BinaryOp, Expr, ExprKind, Initialiser, Item, Range, Stmt, StmtKind, Storage, TemplateArgument,
    TypeExpr, TypeKind, Variable,
};

impl Context<'_> {
    pub(super) fn local_declaration(&self, node: Node<'_>, out: &mut Vec<Stmt>) {
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
            return self.as_statements(items, range, out);
        }
        let (defined, base) = self.defined_type(self.specified_type(node));
        items.extend(defined);
        let mut variables = self.variables_of(node, base);
        variables.retain(|variable| !variable.name.is_empty() || !variable.bindings.is_empty());
        variables.shrink_to_fit();
        if !variables.is_empty() {
            items.push(Item::Variables(variables));
        }
        self.as_statements(items, range, out);
    }

    /// Whether what reads as a declaration, `a & b;`, is an operator: `a` is a value.
    pub(super) fn starts_with_value(&self, node: Node<'_>) -> bool {
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
                    self.names.is_enumerator(text)
                        || (!self.names.is_member_type(last)
                            && self.names.is_value(last, ty.start()))
                }
                _ => false,
            }
        };
        node.field(Field::Declarator).is_some_and(is_reference)
            && node.field(Field::Type).is_some_and(is_value)
    }

    /// `a & b`, where `a` is a name and `b` a name, or elements of what it names.
    pub(super) fn operator_of_values(&self, node: Node<'_>) -> Option<Expr> {
        let ty = node.field(Field::Type)?;
        let mut named = node.named();
        let declarator = named.nth(1)?;
        let op = match declarator.kind() {
            Kind::PointerDeclarator => BinaryOp::Mul,
            _ if self.text(declarator).starts_with("&&") => BinaryOp::LogicalAnd,
            _ => BinaryOp::And,
        };
        let right = declarator.named().next()?;
        if named.next().is_some() {
            return None;
        }
        let right = self.element(right)?;
        Some(Expr {
            kind: ExprKind::Binary(op, Box::new(self.expr(ty)), Box::new(right)),
            range: node.range(),
        })
    }

    /// What reads as the declarator of an array, `p[i][j]`, as the expression that it is.
    fn element(&self, node: Node<'_>) -> Option<Expr> {
        let kind = match node.kind() {
            Kind::Identifier => return Some(self.expr(node)),
            Kind::ArrayDeclarator => {
                let of = self.element(node.field(Field::Declarator)?)?;
                let at = node.field(Field::Size).filter(|size| size.is_named())?;
                ExprKind::Index(Box::new(of), vec![self.expr(at)])
            }
            _ => return None,
        };
        Some(Expr {
            kind,
            range: node.range(),
        })
    }

    pub(super) fn local_item(&self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let mut items = Vec::new();
        self.item(node, &[], &mut items);
        self.as_statements(items, node.range(), out);
    }

    pub(super) fn as_statements(&self, items: Vec<Item>, range: Range, out: &mut Vec<Stmt>) {
        for item in items {
            let kind = match item {
                Item::Alias(alias) => StmtKind::Alias(alias),
                Item::Record(record) => StmtKind::Record(record),
                Item::Enum(enumeration) => StmtKind::Enum(enumeration),
                Item::Using(path) => StmtKind::Using(path),
                Item::UsingNamespace(path) => StmtKind::UsingNamespace(path),
                Item::Variables(variables) => StmtKind::Variables(Arc::new(variables)),
                Item::NamespaceAlias(name, path) => {
                    let path = self.through_alias(path);
                    self.aliases.borrow_mut().push((name, path));
                    continue;
                }
                _ => continue,
            };
            out.push(Stmt { kind, range });
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
}

/// `ns::tile<32> name = value;`: the grammar takes a list of numbers for two comparisons, but
/// an assignment to a comparison can only be a declaration.
pub(super) fn tile_declaration(mut expr: Expr) -> Result<Variable, Expr> {
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
