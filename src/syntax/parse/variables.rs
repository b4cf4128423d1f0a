//! Declarations of variables and members: each declarator with its storage, alignment and initialiser.

use std::sync::Arc;

use super::context::Context;
use super::cst::{Field, Kind, Node};
use super::repair::MarkKind;
use super::types::function_type;
use crate::syntax::ast::{Expr, Initialiser, Range, Storage, TypeExpr, TypeKind, Variable};

impl Context<'_> {
    /// The variables of a declaration; function prototypes among them are left out.
    pub fn variables(&self, node: Node<'_>) -> Vec<Variable> {
        let mut all = self.variables_of(node, self.specified_type(node));
        all.retain(|v| !is_function(v));
        all
    }

    pub fn variables_of(&self, node: Node<'_>, base: TypeExpr) -> Vec<Variable> {
        let storage = self.storage(node);
        let mut variables: Vec<Variable> = Vec::new();
        let mut awaits_value = false;
        let mut past_last = None;
        for child in node.children() {
            match (child.role(), child.kind()) {
                (Field::Declarator, _) => {
                    awaits_value = true;
                    let own = self.own_alignment(past_last.unwrap_or(child.start() + 1), child);
                    past_last = Some(self.skip_space(child.end()) + 1);
                    if let Some(mut variable) = self.variable(child, base.clone()) {
                        variable.storage = storage.clone();
                        if let Some(own) = own {
                            let several = storage.align.is_some();
                            let open = || Arc::new(Self::error(own.range));
                            variable.storage.align =
                                Some(if several { open() } else { own.clone() });
                        }
                        variables.push(variable);
                    } else {
                        awaits_value = false;
                    }
                }
                (Field::DefaultValue | Field::Value, _) if awaits_value && child.is_named() => {
                    if let Some(variable) = variables.last_mut() {
                        variable.init = Some(match child.kind() {
                            Kind::InitializerList if !self.follows_equals(node, child) => {
                                self.brace(child)
                            }
                            _ => Initialiser::Equals(self.expr(child)),
                        });
                    }
                }
                (_, Kind::BitfieldClause) => {
                    let bits = child.named().next().map(|bits| self.expr(bits));
                    match variables.last_mut() {
                        Some(variable) if awaits_value => variable.bits = bits,
                        _ => variables.push(Variable {
                            bits,
                            ..self.unnamed(base.clone(), child.range())
                        }),
                    }
                }
                _ => {}
            }
        }
        let is_record = matches!(base.kind, TypeKind::Record(_));
        if variables.is_empty() && is_record && node.field(Field::Declarator).is_none() {
            variables.push(Variable {
                storage,
                ..self.unnamed(base, node.range())
            });
        }
        variables.shrink_to_fit();
        variables
    }

    fn unnamed(&self, ty: TypeExpr, range: Range) -> Variable {
        Variable {
            name: self.intern(""),
            bindings: Vec::new(),
            qualifier: None,
            template: None,
            arguments: Vec::new(),
            ty,
            storage: Storage::default(),
            init: None,
            bits: None,
            range,
            name_range: Range {
                start: range.start,
                end: range.start,
            },
        }
    }

    fn follows_equals(&self, node: Node<'_>, value: Node<'_>) -> bool {
        node.children()
            .take_while(|child| child.start() < value.start())
            .last()
            .is_some_and(|before| self.text(before) == "=")
    }

    fn brace(&self, list: Node<'_>) -> Initialiser {
        // The repair turned `T x(a);` into `T x{a};`: the user's own text decides.
        if self.text(list).starts_with('(') {
            Initialiser::Paren(self.arguments(Some(list)))
        } else {
            Initialiser::Brace(self.expr(list))
        }
    }

    /// A variable, or a function that a block declares again: that hides what its name means farther out.
    fn variable(&self, node: Node<'_>, base: TypeExpr) -> Option<Variable> {
        let is_init = node.kind() == Kind::InitDeclarator;
        let declarator = if is_init {
            node.field(Field::Declarator)?
        } else {
            node
        };
        let mut declared = self.declare(declarator, base);
        if let Some(signature) = declared.function.take() {
            declared.ty = function_type(declared.ty, signature, node.range());
        }
        let init = node
            .field(Field::Value)
            .filter(|_| is_init)
            .map(|value| match value.kind() {
                Kind::ArgumentList => Initialiser::Paren(self.arguments(Some(value))),
                Kind::InitializerList if !self.follows_equals(node, value) => self.brace(value),
                _ => Initialiser::Equals(self.expr(value)),
            });
        Some(Variable {
            init,
            ..self.plain_variable(declared, node.range())
        })
    }

    pub(super) fn storage(&self, node: Node<'_>) -> Storage {
        let specifiers = self.specifiers(node);
        let mut storage = Storage {
            is_extern: specifiers.is_extern,
            is_static: specifiers.is_static,
            is_mutable: specifiers.is_mutable,
            is_constexpr: specifiers.is_constexpr,
            ..Storage::default()
        };
        // Marks inside a struct defined here belong to its members, and those
        // behind the first declarator to its initialiser.
        let ty = node.field(Field::Type);
        let declarator = node.field(Field::Declarator);
        let end = match declarator {
            Some(node) if node.kind() == Kind::InitDeclarator => node
                .field(Field::Value)
                .map_or(node.end(), |value| value.start()),
            Some(node) => self.skip_space(node.end()) + 1,
            None => node.start(),
        };
        let (before, after) = match ty {
            Some(ty) if ty.field(Field::Body).is_some() => (ty.start() + 1, ty.end()),
            _ => (node.start(), node.start()),
        };
        for (from, to) in [(node.start(), before), (after, end.max(after))] {
            for mark in self.marks(from, to) {
                match mark.kind {
                    MarkKind::Shared => storage.is_shared = true,
                    MarkKind::Constant => storage.is_constant = true,
                    MarkKind::Device => storage.is_device = true,
                    MarkKind::Managed => storage.is_managed = true,
                    _ => {}
                }
            }
        }
        let shared = declarator.map_or(node.start(), |node| node.start() + 1);
        let ranges = [(node.start(), before), (after, shared.max(after))];
        storage.align = self.alignment(&ranges);
        storage
    }

    /// The alignment that attributes in these stretches of text ask for; an expression without a value
    /// where there are several, or one of them is not modelled.
    pub(super) fn alignment(&self, ranges: &[(u32, u32)]) -> Option<Arc<Expr>> {
        let marks = ranges.iter().flat_map(|(from, to)| self.marks(*from, *to));
        let mut marks =
            marks.filter(|mark| matches!(mark.kind, MarkKind::Align | MarkKind::Layout));
        let first = marks.next()?;
        let (from, to) = first.arguments;
        let is_plain = first.kind == MarkKind::Align && marks.next().is_none();
        let written = self.snippets(first.arguments).into_iter().next();
        let open = || {
            Self::error(Range {
                start: from,
                end: to,
            })
        };
        Some(Arc::new(written.filter(|_| is_plain).unwrap_or_else(open)))
    }

    /// As [`Self::alignment`], of what stands in a declarator and behind it, and in front of a later one.
    fn own_alignment(&self, from: u32, declarator: Node<'_>) -> Option<Arc<Expr>> {
        let inner = match declarator.kind() {
            Kind::InitDeclarator => declarator.field(Field::Declarator).unwrap_or(declarator),
            _ => declarator,
        };
        self.alignment(&[(from, self.skip_space(inner.end()) + 1)])
    }
}

/// Whether a declaration is a function's.
pub fn is_function(variable: &Variable) -> bool {
    matches!(variable.ty.kind, TypeKind::Function { .. })
}
