//! `template <class T, int N = 4>`: the parameters of templates.

use super::context::Context;
use super::cst::{Field, Kind, Node};
use super::repair::MarkKind;
use crate::syntax::ast::{
    Range, TemplateArgument, TemplateHead, TemplateParameter, TemplateParameterKind, TypeExpr,
    TypeKind,
};

impl Context<'_> {
    /// `<typename T, int N = 3>`
    pub fn template_head(&self, list: Node<'_>) -> TemplateHead {
        let is_read = self.problem_of_declaration(list).is_none();
        let parameters = list.named().filter_map(|node| {
            let mut parameter = self.template_parameter(node)?;
            // Where a default ends is not known.
            if !is_read && let TemplateParameterKind::Value { default, .. } = &mut parameter.kind {
                *default = default.take().map(|default| Self::error(default.range));
            }
            Some(parameter)
        });
        TemplateHead {
            parameters: Self::tight(parameters),
        }
    }

    fn template_parameter(&self, node: Node<'_>) -> Option<TemplateParameter> {
        let named = |node: Node<'_>| {
            node.named()
                .find(|child| child.kind() == Kind::TypeIdentifier)
                .map(|name| self.name(name))
        };
        Some(match node.kind() {
            Kind::TypeParameter => TemplateParameter {
                name: named(node),
                kind: TemplateParameterKind::Type {
                    default: self.default_taken_out(node.end()),
                },
                is_pack: false,
            },
            Kind::VariadicTypeParameter => TemplateParameter {
                name: named(node),
                kind: TemplateParameterKind::Type { default: None },
                is_pack: true,
            },
            Kind::OptionalTypeParameter => TemplateParameter {
                name: node.field(Field::Name).map(|name| self.name(name)),
                kind: TemplateParameterKind::Type {
                    default: node.field(Field::DefaultType).map(|ty| self.type_of(ty)),
                },
                is_pack: false,
            },
            Kind::TemplateTemplateParameter => {
                let last = node.named().last();
                let default = last.and_then(|last| last.field(Field::DefaultType));
                let default = default.and_then(|ty| match self.type_of(ty).kind {
                    TypeKind::Named(path) => Some(path),
                    _ => None,
                });
                let name = last.and_then(|last| match last.field(Field::Name) {
                    Some(name) => Some(self.name(name)),
                    None => named(last),
                });
                TemplateParameter {
                    name,
                    kind: TemplateParameterKind::Template { default },
                    is_pack: last.is_some_and(|last| last.kind() == Kind::VariadicTypeParameter),
                }
            }
            Kind::ParameterDeclaration | Kind::OptionalParameter | Kind::VariadicParameter => {
                let parameter = self.parameter(node);
                TemplateParameter {
                    name: parameter.name,
                    kind: TemplateParameterKind::Value {
                        ty: parameter.ty,
                        default: parameter.default,
                    },
                    is_pack: parameter.is_pack,
                }
            }
            _ => return None,
        })
    }

    /// The default of a type parameter that ends here, which the grammar did not see.
    fn default_taken_out(&self, end: u32) -> Option<TypeExpr> {
        const HEAD: &str = "void f(){g<";
        let next = self.skip_space(end);
        let mut marks = self.marks(next, next + 1).iter();
        let mark = marks.find(|mark| mark.kind == MarkKind::DefaultType && mark.at >= end)?;
        let (start, past) = mark.arguments;
        let range = Range { start, end: past };
        let wrapped = format!("{HEAD}{}>(0);}}", self.slice(range));
        let delta = i64::from(start) - HEAD.len() as i64;
        let tree = self.parser.borrow_mut().piece(&wrapped, delta);
        let list = tree
            .as_ref()
            .and_then(|tree| tree.root().first_of(Kind::TemplateArguments))
            .filter(|list| !list.has_error());
        let mut arguments = list.map_or_else(Vec::new, |list| self.template_arguments(list));
        match (arguments.pop(), arguments.is_empty()) {
            (Some(TemplateArgument::Type(ty)), true) => Some(ty),
            // What it is stays open; that there is one does not.
            _ => Some(TypeExpr {
                kind: TypeKind::None,
                is_const: false,
                is_volatile: false,
                range,
            }),
        }
    }
}
