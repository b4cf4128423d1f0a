//! Expressions that are written in a form of their own and mean another: literals with a suffix of the
//! user's are calls, `offsetof` is the address of a member of an object at address 0.

use super::context::Context;
use super::cst::{Field, Kind, Node};
use super::literals;
use crate::syntax::ast::{
    Builtin, Expr, ExprKind, Path, Range, Segment, TypeExpr, TypeKind, UnaryOp,
};
use std::sync::Arc;

/// A literal of the user's that is not understood.
const UNREAD: ExprKind = ExprKind::Other("user-defined literal");

impl Context<'_> {
    /// `3_k`: a call of `operator""_k`, which takes the widest type of its kind.
    pub(super) fn literal_operator(&self, node: Node<'_>) -> ExprKind {
        let text = self.text(node);
        let Some((literal, suffix)) = split(text) else {
            return UNREAD;
        };
        let range = node.range();
        let of = |kind: ExprKind| Expr { kind, range };
        let arguments = match literal.as_bytes().last() {
            Some(b'"') => {
                let inner = node
                    .named()
                    .next()
                    .filter(|_| node.kind() == Kind::UserDefinedLiteral);
                let Some(inner) = inner else { return UNREAD };
                let bytes = self.string(inner);
                let count = whole(bytes.chars().count() as u64, false);
                vec![of(ExprKind::Str(Arc::from(bytes))), of(count)]
            }
            Some(b'\'') => vec![of(literals::character(literal))],
            _ => match literals::number(literal) {
                ExprKind::Int { value, .. } => vec![of(whole(value, true))],
                float @ ExprKind::Float { .. } => vec![of(float)],
                _ => return UNREAD,
            },
        };
        let name = self.intern(&format!("\"\"{suffix}"));
        let segments = vec![Segment {
            name,
            arguments: None,
        }];
        let path = Path {
            is_global: false,
            segments,
            range,
        };
        ExprKind::Call {
            callee: Box::new(of(ExprKind::Path(path))),
            arguments,
        }
    }

    /// `offsetof(T, m)`.
    pub(super) fn offset_of(&self, node: Node<'_>) -> ExprKind {
        let range = node.range();
        let of = |kind: ExprKind| Expr { kind, range };
        let Some(member) = node.field(Field::Member) else {
            return ExprKind::Other("offsetof");
        };
        let pointer = TypeKind::Pointer {
            to: Arc::new(self.type_field(node)),
            is_restrict: false,
        };
        let object = ExprKind::Cast {
            ty: plain(pointer, range),
            value: Box::new(of(ExprKind::Null)),
            is_reinterpret: true,
        };
        let segments = vec![Segment {
            name: self.intern(self.text(member)),
            arguments: None,
        }];
        let place = ExprKind::Member {
            object: Box::new(of(object)),
            arrow: true,
            member: Path {
                is_global: false,
                segments,
                range,
            },
        };
        let address = ExprKind::Unary(UnaryOp::AddressOf, Box::new(of(place)));
        ExprKind::Cast {
            ty: plain(TypeKind::Builtin(Builtin::UnsignedLong), range),
            value: Box::new(of(address)),
            is_reinterpret: true,
        }
    }
}

fn whole(value: u64, is_long_long: bool) -> ExprKind {
    ExprKind::Int {
        value,
        is_unsigned: true,
        is_long: true,
        is_long_long,
    }
}

fn plain(kind: TypeKind, range: Range) -> TypeExpr {
    TypeExpr {
        kind,
        range,
        is_const: false,
        is_volatile: false,
    }
}

/// A literal and its suffix, which begins with an underscore.
fn split(text: &str) -> Option<(&str, &str)> {
    let from = text.rfind(['"', '\'']).map_or(0, |quote| {
        // Digits may have quotes between them.
        let is_quoted = !text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        if is_quoted { quote + 1 } else { 0 }
    });
    let at = from + text[from..].find('_')?;
    let (literal, suffix) = text.split_at(at);
    let is_name = suffix
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_name && !literal.is_empty()).then_some((literal, suffix))
}
