//! Names that a scope has without declaring them there: by `using`, by an alias of a namespace in a block, and those
//! that text which could not be read may declare.

use std::sync::Arc;

use super::context::Context;
use super::cst::{Field, Kind, Node};
use super::lex::{self, kind_at};
use super::names::{is_keyword, is_macro_like};
use super::repair::MarkKind;
use crate::syntax::ast::{
    ExprKind, Initialiser, Item, Name, Path, Range, Segment, Stmt, StmtKind, Storage, Variable,
};

impl Context<'_> {
    pub(super) fn using(&self, node: Node<'_>, out: &mut Vec<Item>) {
        let is_name = |child: &Node<'_>| {
            matches!(
                child.kind(),
                Kind::Identifier | Kind::QualifiedIdentifier | Kind::TypeIdentifier
            )
        };
        let Some(path) = node.named().find(is_name).map(|name| self.path(name)) else {
            return;
        };
        let is_namespace = node
            .children()
            .any(|child| !child.is_named() && self.text(child) == "namespace");
        let second = self.tokens_in(node.start(), node.end()).nth(1);
        if is_namespace {
            out.push(Item::UsingNamespace(self.through_alias(path)));
        } else if second.is_some_and(|at| self.token_text(at) == "enum") {
            self.using_enum(&path, out);
        } else {
            out.push(Item::Using(path));
        }
        for mark in self.marks(node.start(), node.end()) {
            if mark.kind == MarkKind::UsedToo {
                for e in self.snippets(mark.arguments) {
                    if let ExprKind::Path(path) = e.kind {
                        out.push(Item::Using(path));
                    }
                }
            }
        }
    }

    /// `using enum E;` is a using-declaration of each of its enumerators.
    fn using_enum(&self, path: &Path, out: &mut Vec<Item>) {
        let Some(last) = path.segments.last() else {
            return;
        };
        let enumerators = self.names.enumerators_in(&last.name);
        if enumerators.is_empty() {
            let reason = "`using enum` of an enumeration that the files given do not declare";
            self.problem(path.range, reason);
        }
        for enumerator in enumerators {
            let mut path = path.clone();
            path.segments.push(Segment {
                name: self.intern(enumerator),
                arguments: None,
            });
            out.push(Item::Using(path));
        }
    }

    /// What a text that could not be read may declare: names between what can stand in front of a declared one and behind it.
    pub(super) fn unread(&self, node: Node<'_>, out: &mut Vec<Item>) {
        let kind_at = |at: usize| kind_at(&self.tokens, at);
        let may_be_declared = |at: &usize| {
            let before = at.checked_sub(1).map_or(lex::NONE, kind_at);
            kind_at(*at) == lex::IDENT
                && matches!(
                    before,
                    lex::NONE
                        | lex::IDENT
                        | lex::AND_AND
                        | b'*'
                        | b'&'
                        | b'>'
                        | b','
                        | b'('
                        | b')'
                        | b']'
                )
                && matches!(
                    kind_at(at + 1),
                    b'=' | b';' | b',' | b'[' | b'(' | b'{' | b':' | b')'
                )
                && !is_keyword(self.token_text(*at))
        };
        let names = self.tokens_in(node.start(), node.end());
        let unread: Vec<Variable> = names
            .filter(may_be_declared)
            .map(|at| self.unread_variable(self.intern(self.token_text(at)), node.range()))
            .collect();
        if !unread.is_empty() {
            out.push(Item::Unread(unread));
        }
    }

    /// `DECLARE(n);` of a macro that nobody expanded may declare what it is given: a name of the file from there on means
    /// what nobody knows.
    pub(super) fn declared_by_macro(&self, node: Node<'_>) -> Option<StmtKind> {
        let call = node.named().next()?;
        if node.kind() != Kind::ExpressionStatement || call.kind() != Kind::CallExpression {
            return None;
        }
        let name = call.field(Field::Function)?;
        let word = self.text(name);
        if name.kind() != Kind::Identifier
            || !is_macro_like(word)
            || self.names.is_value(word, name.start())
            || self.names.is_type(word, name.start())
        {
            return None;
        }
        let given = call.field(Field::Arguments)?;
        let is_outer = |one: &Node<'_>| {
            one.kind() == Kind::Identifier
                && self.names.is_outer_value(self.text(*one), one.start())
        };
        let names = given.named().filter(is_outer);
        let declared: Vec<Variable> = names
            .map(|one| self.unread_variable(self.intern(self.text(one)), node.range()))
            .collect();
        (!declared.is_empty()).then(|| StmtKind::Variables(Arc::new(declared)))
    }

    /// What the errors of a body may declare, as variables in front of all else: they hide what stands outside.
    pub(super) fn unread_names(&self, body: Node<'_>) -> Vec<Stmt> {
        const MOST: usize = 32;
        let mut items = Vec::new();
        let mut waiting = vec![body];
        while let Some(node) = waiting.pop() {
            if node.is_error() {
                self.unread(node, &mut items);
            } else if node.has_error() {
                waiting.extend(node.children());
            }
            if items.len() > MOST {
                break;
            }
        }
        let unread = items.into_iter().filter_map(|item| match item {
            Item::Unread(variables) => Some(variables),
            _ => None,
        });
        let range = body.range();
        unread
            .map(|variables| Stmt {
                kind: StmtKind::Variables(Arc::new(variables)),
                range,
            })
            .collect()
    }

    /// A variable of which the name alone is known.
    pub(super) fn unread_variable(&self, name: Name, range: Range) -> Variable {
        Variable {
            name,
            bindings: Vec::new(),
            qualifier: None,
            template: None,
            arguments: Vec::new(),
            ty: Self::no_type(range),
            storage: Storage::default(),
            init: Some(Initialiser::Equals(Self::error(range))),
            bits: None,
            range,
            name_range: range,
        }
    }

    /// What a path means whose first name is one that a block gives a namespace: `namespace z = a::b;`.
    pub(super) fn through_alias(&self, mut path: Path) -> Path {
        let aliases = self.aliases.borrow();
        let first = path.segments.first().filter(|_| !path.is_global);
        let alias = first.and_then(|first| aliases.iter().rfind(|(name, _)| *name == first.name));
        if let Some((_, target)) = alias {
            path.is_global = target.is_global;
            path.segments.splice(..1, target.segments.iter().cloned());
        }
        path
    }
}
