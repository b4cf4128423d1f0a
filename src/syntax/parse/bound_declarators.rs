//! Declarators whose parentheses a repair took out: `T (*p)[8]`, `T (*f)(T)`.
//!
//! What stands in parentheses binds to the name before what stands behind them.

use super::context::Context;
use super::cst::{Field, Kind, Node};
use super::repair::MarkKind;
use super::types::Declared;

impl Context<'_> {
    /// Whether parentheses that a repair took out bind the pointers that begin here to the name.
    pub(super) fn is_bound_to_name(&self, node: Node<'_>) -> bool {
        self.has_mark(node.start(), node.start() + 1, MarkKind::BoundToName)
    }

    /// `(*p)[8]` without its parentheses: what the pointers point to is the array behind the name.
    pub(super) fn layers_bound_to_name<'c>(
        &self,
        node: Node<'c>,
        declared: &mut Declared,
    ) -> Option<Node<'c>> {
        let mut pointers = Vec::new();
        let mut at = Some(node);
        while let Some(layer) = at {
            let inside = match layer.kind() {
                Kind::PointerDeclarator => layer.field(Field::Declarator),
                Kind::ReferenceDeclarator => Self::referred(layer),
                _ => break,
            };
            pointers.push(layer);
            at = inside;
        }
        while let Some(layer) = at {
            at = match layer.kind() {
                Kind::ArrayDeclarator => self.declarator_layer(layer, declared),
                Kind::FunctionDeclarator => {
                    let list = layer.field(Field::Parameters);
                    let parameters = list.map(|list| self.parameters(list));
                    Self::function_type(layer, parameters.unwrap_or_default(), declared);
                    layer.field(Field::Declarator)
                }
                _ => break,
            };
        }
        for pointer in pointers {
            match pointer.kind() {
                Kind::PointerDeclarator => {
                    self.pointer_layer(pointer, pointer.field(Field::Declarator), declared);
                }
                _ => self.reference_layer(pointer, declared),
            }
        }
        at
    }
}
