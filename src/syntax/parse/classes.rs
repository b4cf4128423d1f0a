//! Classes and enumerations: members, access, attributes that change the layout.

use super::context::Context;
use super::cst::{Field, Kind, Node};
use super::repair::MarkKind;
use super::types::split_path;
use crate::syntax::ast::{Enum, Item, Member, Problem, Record, TemplateHead, TypeKind};
use std::sync::Arc;

impl Context<'_> {
    /// What could not be read of a class. Methods, and classes in it, report their own errors.
    fn problem_of_class(&self, node: Node<'_>, body: Option<Node<'_>>) -> Option<Problem> {
        let is_broken = |child: &Node<'_>| child.is_error() || child.is_missing();
        let inside = body.filter(|body| body.children().any(|child| is_broken(&child)));
        let bases = node.child_of(Kind::BaseClassClause).into_iter();
        let broken = node.children().filter(is_broken);
        let members = body.into_iter().flat_map(|body| body.named());
        let mut read = broken.chain(bases).chain(members);
        inside
            .and_then(|body| self.problem_of(body))
            .or_else(|| read.find_map(|part| self.problem_of_declaration(part)))
    }

    /// A class, struct or union.
    pub fn record(&self, node: Node<'_>, templates: Vec<TemplateHead>) -> Record {
        let body = node.field(Field::Body);
        let (qualifier, last) = match node.field(Field::Name) {
            Some(name) => split_path(self.path(name)),
            None => (None, None),
        };
        let bases = node
            .child_of(Kind::BaseClassClause)
            .map(|clause| {
                clause
                    .named()
                    .filter(|child| {
                        !matches!(
                            child.kind(),
                            Kind::AccessSpecifier | Kind::AttributeDeclaration | Kind::Error
                        )
                    })
                    .map(|base| self.type_of(base))
                    .collect()
            })
            .unwrap_or_default();
        let mut members = Vec::new();
        let mut is_hidden = node.kind() == Kind::ClassSpecifier;
        let mut has_hidden_data = false;
        let mut has_hidden_names = self.has_hidden_bases(node, body);
        for child in body.into_iter().flat_map(|body| body.named()) {
            if child.kind() == Kind::AccessSpecifier {
                is_hidden = !self.text(child).starts_with("public");
            }
            let before = members.len();
            self.deeper(child.range(), || self.member_item(child, &[], &mut members));
            has_hidden_data |= is_hidden && members[before..].iter().any(is_data);
            has_hidden_names |= is_hidden && members.len() > before;
        }
        members.shrink_to_fit();
        let head_end = body.map_or(node.end(), |body| body.start() + 1);
        let problem = self.problem_of_class(node, body);
        let (is_polymorphic, mut unmodelled) = self.layout_words(node, body);
        let own = last.as_ref().map_or("", |last| &*last.name);
        if body.is_some_and(|body| self.has_unknown_macro(node, body, own)) {
            unmodelled = Some("a macro in it that no file defines may be a member");
        }
        let closes = node.end();
        let trailing = body.filter(|_| self.has_attribute_at(closes));
        let align = self.align(node.start(), head_end).or_else(|| {
            let next = self.skip_space(trailing?.end());
            self.align(closes, next + 1)
        });
        Record {
            pack: self.pack_of(node, head_end),
            is_polymorphic,
            has_hidden_data,
            has_hidden_names,
            is_constrained: false,
            unmodelled,
            arguments: last
                .as_ref()
                .and_then(|last| last.arguments.as_deref())
                .map(<[_]>::to_vec)
                .unwrap_or_default(),
            name: last.map(|last| last.name),
            qualifier,
            templates,
            is_union: node.kind() == Kind::UnionSpecifier,
            bases,
            align,
            members,
            is_definition: body.is_some(),
            problem,
            range: node.range(),
        }
    }

    /// Whether a base of a class may not be named by everybody: `class A : B`, `struct A : private B`.
    fn has_hidden_bases(&self, node: Node<'_>, body: Option<Node<'_>>) -> bool {
        let end = body.map_or(node.end(), |body| body.start());
        let words = self.tokens_in(node.start(), end);
        let mut words = words
            .map(|at| self.token_text(at))
            .skip_while(|word| *word != ":");
        match node.kind() {
            // Which of several bases `public` stands before is not asked.
            Kind::ClassSpecifier => words.next().is_some(),
            _ => words.any(|word| matches!(word, "private" | "protected")),
        }
    }

    /// The tokens that begin in a stretch of text.
    pub(super) fn tokens_in(&self, start: u32, end: u32) -> std::ops::Range<usize> {
        let at = |place| self.tokens.partition_point(|token| token.start < place);
        at(start)..at(end).max(at(start))
    }

    /// Whether attributes follow directly at `end`.
    fn has_attribute_at(&self, end: u32) -> bool {
        let next = self.tokens_in(end, u32::MAX).next();
        next.is_some_and(|at| self.token_text(at).starts_with("__attribute"))
    }

    pub(super) fn token_text(&self, at: usize) -> &str {
        let token = self.tokens[at];
        &self.source[token.start as usize..token.end as usize]
    }

    /// The bound on alignment that `#pragma pack` or an attribute sets for a class.
    fn pack_of(&self, node: Node<'_>, head_end: u32) -> Option<u64> {
        let mut attributes = self.tokens_in(node.start(), head_end);
        let is_packed = |at: usize| matches!(self.token_text(at), "packed" | "__packed__");
        let mut found = attributes.any(is_packed);
        if self.has_attribute_at(node.end()) {
            let end = self.skip_space(node.end());
            found |= self
                .tokens_in(node.end(), end.max(node.end() + 1))
                .any(is_packed);
        }
        if found {
            return Some(1);
        }
        let at = self
            .packs
            .partition_point(|(place, _)| *place <= node.start());
        at.checked_sub(1).and_then(|at| self.packs[at].1)
    }

    /// Whether a class has virtual functions of its own, and what its layout rests on besides.
    fn layout_words(&self, node: Node<'_>, body: Option<Node<'_>>) -> (bool, Option<&'static str>) {
        let Some(body) = body else {
            return (false, None);
        };
        let head = self.tokens_in(node.start(), body.start());
        let mut unmodelled = head
            .into_iter()
            .any(|at| self.token_text(at) == "virtual")
            .then_some("virtual base classes are not modelled");
        let is_aligned = |at: usize| {
            matches!(self.token_text(at), "aligned" | "__aligned__")
                && self.tokens.get(at + 1).is_none_or(|next| next.kind != b'(')
        };
        let mut attributes = self.tokens_in(node.start(), body.start()).chain(
            self.tokens_in(node.end(), self.skip_space(node.end()).max(node.end() + 1))
                .filter(|_| self.has_attribute_at(node.end())),
        );
        if attributes.any(is_aligned) {
            unmodelled = Some("the largest alignment is not modelled");
        }
        let mut is_polymorphic = false;
        let mut at = self.tokens_in(body.start() + 1, body.end());
        while let Some(token) = at.next() {
            match self.tokens[token].kind {
                // Classes and functions inside speak for themselves.
                b'{' => {
                    if let Some(close) = self.pairs.get(token).map(|close| *close as usize)
                        && close > token
                        && close < at.end
                    {
                        at.start = close;
                    }
                }
                super::lex::IDENT => match self.token_text(token) {
                    "virtual" => is_polymorphic = true,
                    "no_unique_address" => {
                        unmodelled = Some("`[[no_unique_address]]` is not modelled");
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        (is_polymorphic, unmodelled)
    }

    fn member_item(&self, node: Node<'_>, heads: &[Node<'_>], out: &mut Vec<Member>) {
        match node.kind() {
            Kind::AccessSpecifier | Kind::StaticAssert => {}
            Kind::FriendDeclaration => {
                let defined = |child: &Node<'_>| child.kind() == Kind::FunctionDefinition;
                for child in node.named().filter(defined) {
                    if let Some(mut function) = self.function(child, heads) {
                        // It has no `this`.
                        function.attributes.is_static = true;
                        self.mark_all(&mut function.attributes, node.start(), child.start());
                        out.push(Member::Friend(Arc::new(function)));
                    }
                }
            }
            Kind::TemplateDeclaration => {
                let mut heads = heads.to_vec();
                heads.extend(node.field(Field::Parameters));
                for child in node
                    .named()
                    .filter(|child| child.role() != Field::Parameters)
                {
                    self.member_item(child, &heads, out);
                }
            }
            Kind::FieldDeclaration if node.field(Field::Declarator).is_none() => {
                self.unnamed_member(node, out)
            }
            _ => {
                let mut items = Vec::new();
                self.item(node, heads, &mut items);
                out.extend(items.into_iter().filter_map(|item| match item {
                    Item::Function(function) => Some(Member::Function(function)),
                    Item::Variables(variables) => Some(Member::Variables(variables)),
                    Item::Record(record) => Some(Member::Record(record)),
                    Item::Enum(enumeration) => Some(Member::Enum(enumeration)),
                    Item::Alias(alias) => Some(Member::Alias(alias)),
                    Item::Using(path) => Some(Member::Using(path)),
                    _ => None,
                }));
            }
        }
    }

    /// `struct { … };` is a member, `struct S { … };` only a type.
    fn unnamed_member(&self, node: Node<'_>, out: &mut Vec<Member>) {
        let ty = self.specified_type(node);
        match ty.kind {
            TypeKind::Record(record) if record.name.is_some() => out.push(Member::Record(record)),
            TypeKind::Enum(enumeration) => out.push(Member::Enum(enumeration)),
            TypeKind::Record(_) => out.push(Member::Variables(self.variables(node))),
            _ if node.child_of(Kind::BitfieldClause).is_some() => {
                out.push(Member::Variables(self.variables(node)))
            }
            _ => out.extend(self.declared_type(node)),
        }
    }

    /// `struct Part;` and `enum class Mode : int;`, which are defined outside of their class: what has the name
    /// farther out is hidden.
    fn declared_type(&self, node: Node<'_>) -> Option<Member> {
        let ty = node.field(Field::Type)?;
        if ty.field(Field::Name)?.kind() == Kind::QualifiedIdentifier {
            return None;
        }
        match ty.kind() {
            Kind::StructSpecifier | Kind::ClassSpecifier | Kind::UnionSpecifier => {
                Some(Member::Record(Arc::new(self.record(ty, Vec::new()))))
            }
            Kind::EnumSpecifier => Some(Member::Enum(Arc::new(self.enumeration(ty)))),
            _ => None,
        }
    }

    pub fn enumeration(&self, node: Node<'_>) -> Enum {
        let values = node.field(Field::Body).map(|body| {
            let problem = self.problem_of_declaration(body);
            let values = body
                .named()
                .filter(|child| child.kind() == Kind::Enumerator)
                .filter_map(|child| {
                    let value = child.field(Field::Value).map(|value| match &problem {
                        Some(problem) => Self::error(problem.range),
                        None => self.expr(value),
                    });
                    Some((self.name(child.field(Field::Name)?), value))
                });
            Self::tight(values)
        });
        let head_end = node
            .field(Field::Body)
            .map_or(node.end(), |body| body.start());
        let has_layout = |from: u32, to: u32| {
            let mut marks = self.marks(from, to).iter();
            marks.any(|mark| {
                mark.at >= from && matches!(mark.kind, MarkKind::Align | MarkKind::Layout)
            })
        };
        let is_closed_by_attribute = self.has_attribute_at(node.end());
        Enum {
            has_attributes: has_layout(node.start(), head_end + 1)
                || is_closed_by_attribute
                    && has_layout(node.end(), self.skip_space(node.end()) + 1),
            name: node.field(Field::Name).map(|name| self.name(name)),
            is_class: node
                .children()
                .any(|child| !child.is_named() && matches!(self.text(child), "class" | "struct")),
            underlying: node.field(Field::Base).map(|base| self.type_of(base)),
            values: values.unwrap_or_default(),
            range: node.range(),
        }
    }
}

/// Whether a member takes room in each object.
fn is_data(member: &Member) -> bool {
    match member {
        Member::Variables(variables) => variables
            .iter()
            .any(|one| !one.storage.is_static && !one.storage.is_constexpr),
        _ => false,
    }
}
