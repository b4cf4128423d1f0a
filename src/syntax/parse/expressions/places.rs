//! Lists whose elements say their places: `{[2] = 5, 7, [4 ... 6] = 1}`.

use crate::syntax::ast::{Expr, ExprKind, Name};
use crate::syntax::parse::context::Context;
use crate::syntax::parse::cst::{Field, Kind, Node};

/// Elements that are written out; longer arrays are not known.
const MOST: usize = 1 << 12;

const UNKNOWN: ExprKind = ExprKind::Other("a place in an array that is not a number");

impl Context<'_> {
    /// Whether an entry begins with a place in an array.
    pub(super) fn is_placed(&self, entry: Node<'_>) -> bool {
        let first = entry
            .children()
            .find(|child| child.role() == Field::Designator);
        first.is_some_and(|first| self.text(first).starts_with('['))
    }

    /// A list of which an entry says its place; those that none names are of no value of their own.
    pub(super) fn list_by_place(&self, node: Node<'_>) -> ExprKind {
        let mut elements: Vec<(Option<Name>, Expr)> = Vec::new();
        let mut next = 0;
        for entry in node.named() {
            let (from, to, value) = if entry.kind() == Kind::InitializerPair {
                let mut designators = entry
                    .children()
                    .filter(|child| child.role() == Field::Designator);
                let places = designators.next().and_then(|one| places(self.text(one)));
                let (Some((from, to)), None) = (places, designators.next()) else {
                    return UNKNOWN;
                };
                let value = entry.field(Field::Value);
                let value = value.map_or(Self::error(entry.range()), |value| self.expr(value));
                (from, to, value)
            } else {
                (next, next, self.expr(entry))
            };
            if to >= MOST || from > to {
                return UNKNOWN;
            }
            while elements.len() <= to {
                let empty = Expr {
                    kind: ExprKind::List(Vec::new()),
                    range: entry.range(),
                };
                elements.push((None, empty));
            }
            for element in &mut elements[from..=to] {
                element.1 = value.clone();
            }
            next = to + 1;
        }
        ExprKind::List(elements)
    }
}

/// The first and the last place of `[2]` and `[4 ... 6]`.
fn places(text: &str) -> Option<(usize, usize)> {
    let inside = text.strip_prefix('[')?.strip_suffix(']')?;
    let number = |text: &str| text.trim().parse().ok();
    match inside.split_once("...") {
        Some((from, to)) => Some((number(from)?, number(to)?)),
        None => number(inside).map(|at| (at, at)),
    }
}
