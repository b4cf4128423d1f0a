//! Names with their qualifiers and template arguments: `a::b<int, 3>::c`.

use std::sync::Arc;

use super::context::Context;
use super::cst::{Field, Kind, Node};
use super::repair::MarkKind;
use crate::syntax::ast::{
    DECLTYPE, Expr, ExprKind, Name, Path, Range, Segment, TemplateArgument, TypeExpr, TypeKind,
};

impl Context<'_> {
    /// A possibly qualified name.
    pub fn path(&self, node: Node<'_>) -> Path {
        let mut path = Path {
            is_global: false,
            segments: Vec::new(),
            range: node.range(),
        };
        self.path_segments(node, &mut path);
        // The grammar does not see the `::` of `p[::f(x)]`.
        let start = path.range.start;
        path.is_global |= start.checked_sub(3).is_some_and(|before| {
            let before = Range {
                start: before,
                end: start,
            };
            self.slice(before) == "[::"
        });
        if path.segments.len() > 1 {
            path = self.through_alias(path);
        }
        path.segments.shrink_to_fit();
        path
    }

    fn path_segments(&self, node: Node<'_>, path: &mut Path) {
        let mut at = Some(node);
        // Qualified names nest to the right: no recursion but for scopes.
        while let Some(node) = at.take() {
            match node.kind() {
                Kind::QualifiedIdentifier => {
                    match node.field(Field::Scope) {
                        Some(scope) => {
                            self.deeper(scope.range(), || self.path_segments(scope, path));
                        }
                        None if path.segments.is_empty() => path.is_global = true,
                        None => {}
                    }
                    at = node.field(Field::Name);
                }
                Kind::TemplateFunction | Kind::TemplateMethod | Kind::TemplateType => {
                    let name = node.field(Field::Name).map_or("", |name| self.text(name));
                    let arguments = node
                        .field(Field::Arguments)
                        .map(|list| self.template_arguments(list));
                    let name = name.strip_prefix("operator").map_or(name, str::trim);
                    path.segments.push(Segment {
                        name: self.intern(name),
                        arguments: arguments.map(Arc::from),
                    });
                }
                // `decltype(x)::value`: written like a template that gives its argument.
                Kind::Decltype => path.segments.push(Segment {
                    name: self.intern(DECLTYPE),
                    arguments: Some(Arc::from([TemplateArgument::Type(self.type_of(node))])),
                }),
                Kind::DependentName | Kind::DependentType => at = node.named().last(),
                Kind::NestedNamespace => {
                    for part in node.named() {
                        self.deeper(part.range(), || self.path_segments(part, path));
                    }
                }
                Kind::OperatorName => {
                    path.segments.push(Segment {
                        name: self.operator_name(node),
                        arguments: None,
                    });
                }
                Kind::PointerTypeDeclarator => at = node.field(Field::Declarator),
                _ => path.segments.push(Segment {
                    name: if names_operator(self.text(node)) {
                        self.operator_name(node)
                    } else {
                        self.name(node)
                    },
                    // `decltype(x){}`: written like one that gives its argument, too.
                    arguments: self.arguments_taken_out(node.end(), self.text(node) == DECLTYPE),
                }),
            }
        }
    }

    /// An operator by its symbol; a literal's without a space before its suffix.
    pub(super) fn operator_name(&self, node: Node<'_>) -> Name {
        let text = self.text(node).trim_start_matches("operator").trim();
        match text.strip_prefix("\"\"") {
            Some(suffix) => self.intern(&format!("\"\"{}", suffix.trim())),
            None => self.intern(text),
        }
    }

    /// Template arguments behind the name that ends here, which the grammar did not see.
    fn arguments_taken_out(&self, end: u32, is_decltype: bool) -> Option<Arc<[TemplateArgument]>> {
        let next = self.skip_space(end);
        let mut marks = self.marks(next, next + 1).iter();
        let mark = marks.find(|mark| mark.kind == MarkKind::Arguments && mark.at >= end)?;
        let arguments = self.snippets(mark.arguments).into_iter();
        if is_decltype {
            let of_type = |e: Expr| {
                TemplateArgument::Type(TypeExpr {
                    range: e.range,
                    kind: TypeKind::Decltype(Arc::new(e)),
                    is_const: false,
                    is_volatile: false,
                })
            };
            return Some(arguments.map(of_type).collect());
        }
        Some(arguments.map(TemplateArgument::Expr).collect())
    }

    /// `<int, 3>`
    pub fn template_arguments(&self, list: Node<'_>) -> Vec<TemplateArgument> {
        // Where one begins and another ends is not known either.
        let is_read = self.problem_of_declaration(list).is_none();
        list.named()
            .map(|argument| match is_read {
                true => self.template_argument(argument),
                false => TemplateArgument::Expr(Self::error(argument.range())),
            })
            .collect()
    }

    pub fn template_argument(&self, node: Node<'_>) -> TemplateArgument {
        match node.kind() {
            Kind::TypeDescriptor => TemplateArgument::Type(self.type_of(node)),
            Kind::Identifier
            | Kind::QualifiedIdentifier
            | Kind::TypeIdentifier
            | Kind::TemplateType
            | Kind::TemplateFunction
            | Kind::DependentType
            | Kind::PrimitiveType
            | Kind::SizedType => TemplateArgument::Type(self.type_of(node)),
            // `f<Ts...>`
            Kind::PackExpansion => match node.field(Field::Pattern).or_else(|| node.named().next())
            {
                Some(pattern) if pattern.kind() == Kind::TypeDescriptor => {
                    let value = Expr {
                        range: node.range(),
                        kind: self.descriptor_as_expr(pattern),
                    };
                    TemplateArgument::Expr(Expr {
                        range: node.range(),
                        kind: ExprKind::Expand(Box::new(value)),
                    })
                }
                _ => TemplateArgument::Expr(self.expr(node)),
            },
            _ => TemplateArgument::Expr(self.expr(node)),
        }
    }

    /// A type descriptor where an expression is wanted: a name by itself, any other type as an object of it.
    fn descriptor_as_expr(&self, node: Node<'_>) -> ExprKind {
        let ty = self.type_of(node);
        match ty.kind {
            TypeKind::Named(path) if !ty.is_const && !ty.is_volatile => ExprKind::Path(path),
            _ => ExprKind::Construct {
                ty,
                arguments: Vec::new(),
            },
        }
    }
}

/// Whether an identifier of the grammar is the name of an operator: `operator!=`.
fn names_operator(text: &str) -> bool {
    text.strip_prefix("operator")
        .is_some_and(|rest| rest.starts_with(|c: char| !c.is_alphanumeric() && c != '_'))
}
