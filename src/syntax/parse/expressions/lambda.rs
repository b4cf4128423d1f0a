//! Lambdas: captures, parameters, body.

use std::sync::Arc;

use super::super::context::Context;
use super::super::cst::{Field, Kind, Node};
use super::super::lex::{IDENT, Token};
use crate::syntax::ast::{Capture, Captures, ExprKind, Lambda, Name, Range};

impl Context<'_> {
    /// The list in a lambda's brackets: from its text, initial values from the tree.
    pub(super) fn captures(&self, brackets: Node<'_>) -> Captures {
        let mut out = Captures::default();
        let mut depth = 0_usize;
        let text = self.text(brackets);
        let inside = text.trim().trim_start_matches('[').trim_end_matches(']');
        let parts = inside.split(|c: char| {
            match c {
                // A `<` may compare; what a list of templates names behind a comma is no variable.
                '(' | '{' | '[' => depth += 1,
                ')' | '}' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && depth == 0
        });
        for part in parts.map(str::trim) {
            match part {
                "&" => out.default = Some(true),
                "=" => out.default = Some(false),
                _ => {
                    let is_reference = part.starts_with('&') || part == "this";
                    let name = part.trim_start_matches(['&', '*', ' ', '.']);
                    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_'));
                    let (name, rest) = name.split_at(end.unwrap_or(name.len()));
                    if !name.is_empty() {
                        out.listed.push(Capture {
                            name: self.intern(name),
                            is_reference,
                            is_new: rest.trim_start().starts_with(['=', '{', '(']),
                            init: None,
                        });
                    }
                }
            }
        }
        for part in brackets.named() {
            let (Some(left), Some(right)) = (part.field(Field::Left), part.field(Field::Right))
            else {
                continue;
            };
            let name = self.text(left).trim_matches(['&', ' ', '.']);
            if let Some(capture) = out.listed.iter_mut().find(|c| &*c.name == name) {
                capture.init = Some(self.expr(right));
            }
        }
        out
    }

    pub(super) fn tokens_of(&self, range: Range) -> std::slice::Iter<'_, Token> {
        let from = self
            .tokens
            .partition_point(|token| token.start < range.start);
        let past = self.tokens.partition_point(|token| token.start < range.end);
        self.tokens[from..past.max(from)].iter()
    }

    /// The different words of a stretch of text.
    pub(super) fn words_of(&self, range: Range) -> Vec<Name> {
        let words = self.tokens_of(range);
        let mut names: Vec<Name> = words
            .filter(|token| token.kind == IDENT)
            .map(|token| self.intern(&self.source[token.start as usize..token.end as usize]))
            .collect();
        names.sort_unstable();
        names.dedup();
        names.shrink_to_fit();
        names
    }

    pub(super) fn lambda(&self, node: Node<'_>) -> ExprKind {
        let range = node.range();
        let brackets = node.field(Field::Captures);
        let captures = brackets.map_or_else(Captures::default, |node| self.captures(node));
        let mentioned = if captures.default == Some(false) {
            self.words_of(range)
        } else {
            Vec::new()
        };
        let declarator = node.field(Field::Declarator);
        let parameters = declarator
            .and_then(|declarator| declarator.field(Field::Parameters))
            .map(|list| self.parameters(list))
            .unwrap_or_default();
        let result = declarator
            .and_then(|declarator| declarator.child_of(Kind::TrailingReturn))
            .and_then(|result| result.named().next())
            .map(|ty| self.type_of(ty));
        let inside = node.field(Field::Body);
        let is_mutable = inside.is_some_and(|body| {
            let head = Range {
                start: range.start,
                end: body.range().start,
            };
            self.tokens_of(head)
                .any(|token| &self.source[token.start as usize..token.end as usize] == "mutable")
        });
        let body = inside.map(|body| self.block(body)).unwrap_or_default();
        let head = node.child_of(Kind::TemplateParameters);
        ExprKind::Lambda(Arc::new(Lambda {
            templates: head
                .map(|list| self.template_head(list))
                .into_iter()
                .collect(),
            parameters,
            body,
            captures_by_reference: captures.default == Some(true),
            is_mutable,
            captures,
            mentioned,
            result,
            range,
        }))
    }
}
