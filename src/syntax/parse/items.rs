//! Declarations: functions, variables, records, enumerations, aliases, namespaces.

use std::sync::Arc;

use super::context::Context;
use super::cst::{Field, Kind, Node};
use super::repair::MarkKind;
use super::types::{Declared, Specifiers};
use super::variables::is_function;
use crate::syntax::ast::{
    Alias, Expr, ExprKind, Function, FunctionAttributes, FunctionKind, Initialiser, Item, Name,
    Path, Range, TemplateHead, TypeExpr, TypeKind, Variable,
};

impl Context<'_> {
    /// Appends what `node` declares. `heads` are the template heads around it.
    pub fn item(&self, node: Node<'_>, heads: &[Node<'_>], out: &mut Vec<Item>) {
        self.deeper(node.range(), || self.item_here(node, heads, out));
    }

    fn item_here(&self, node: Node<'_>, heads: &[Node<'_>], out: &mut Vec<Item>) {
        match node.kind() {
            Kind::FunctionDefinition => match self.function(node, heads) {
                Some(function) => out.push(Item::Function(Arc::new(function))),
                None => self.emptied(node, heads, out),
            },
            Kind::Declaration | Kind::FieldDeclaration => self.declaration(node, heads, out),
            Kind::StructSpecifier | Kind::ClassSpecifier | Kind::UnionSpecifier => {
                let mut record = self.record(node, self.heads(heads));
                let head = heads.first().map_or(node.start(), |head| head.start());
                record.is_constrained = self.requires_in(head, node.start());
                out.push(Item::Record(Arc::new(record)));
            }
            Kind::EnumSpecifier => out.push(Item::Enum(Arc::new(self.enumeration(node)))),
            Kind::TypeDefinition => self.typedef(node, out),
            Kind::AliasDeclaration if self.text(node).starts_with("template") => {
                let alias = self.alias(node, heads);
                if let Some(TypeKind::Named(path)) = alias.map(|alias| alias.ty.kind) {
                    out.push(Item::ClassInstantiation(path));
                }
            }
            Kind::AliasDeclaration => out.extend(
                self.alias(node, heads)
                    .map(|alias| Item::Alias(Arc::new(alias))),
            ),
            Kind::NamespaceDefinition => self.namespace(node, out),
            Kind::NamespaceAlias => {
                let mut parts = node.named();
                if let (Some(name), Some(target)) = (parts.next(), parts.next()) {
                    out.push(Item::NamespaceAlias(self.name(name), self.path(target)));
                }
            }
            Kind::UsingDeclaration => self.using(node, out),
            Kind::Error => self.unread(node, out),
            Kind::LinkageSpecification => {
                if let Some(body) = node.field(Field::Body) {
                    self.item(body, heads, out);
                }
            }
            Kind::TranslationUnit | Kind::DeclarationList => self.items(node, out),
            Kind::TemplateDeclaration => {
                let mut heads = heads.to_vec();
                heads.extend(node.field(Field::Parameters));
                for child in node
                    .named()
                    .filter(|child| child.role() != Field::Parameters)
                {
                    self.item(child, &heads, out);
                }
            }
            Kind::TemplateInstantiation => {
                // `extern template …`: the instance is another file's.
                let is_elsewhere = self.text(node).starts_with("extern");
                if let Some(function) = self.function(node, heads).filter(|_| !is_elsewhere) {
                    out.push(Item::Instantiation(Arc::new(function)));
                }
            }
            _ => {}
        }
    }

    /// Everything that `node` holds directly.
    pub fn items(&self, node: Node<'_>, out: &mut Vec<Item>) {
        for child in node.named() {
            self.item(child, &[], out);
        }
    }

    fn namespace(&self, node: Node<'_>, out: &mut Vec<Item>) {
        let mut items = Vec::new();
        if let Some(body) = node.field(Field::Body) {
            self.item(body, &[], &mut items);
        }
        items.shrink_to_fit();
        let path = node.field(Field::Name).map(|name| self.path(name));
        let is_inline = self.text(node).starts_with("inline");
        let names = path.map(|path| {
            let names = path.segments.into_iter().map(|segment| segment.name);
            names.map(|name| (name, is_inline)).collect()
        });
        self.nest(names, items, out);
    }

    /// `namespace a::b { items }`; with each name whether its namespace is inline: the names in one are
    /// those of the namespace around it.
    pub fn nest(&self, names: Option<Vec<(Name, bool)>>, items: Vec<Item>, out: &mut Vec<Item>) {
        let Some(mut names) = names.filter(|names| !names.is_empty()) else {
            out.push(Item::Namespace(None, items));
            return;
        };
        // Deeper nesting than anyone writes would only serve to exhaust a stack.
        names.truncate(64);
        let mut nested = items;
        while let Some((name, is_inline)) = names.pop() {
            nested = if is_inline {
                let here = Path {
                    is_global: false,
                    segments: Vec::new(),
                    range: Range::default(),
                };
                vec![
                    Item::NamespaceAlias(name, here),
                    Item::Namespace(None, nested),
                ]
            } else {
                vec![Item::Namespace(Some(name), nested)]
            };
        }
        out.append(&mut nested);
    }

    fn heads(&self, heads: &[Node<'_>]) -> Vec<TemplateHead> {
        heads.iter().map(|head| self.template_head(*head)).collect()
    }

    fn declaration(&self, node: Node<'_>, heads: &[Node<'_>], out: &mut Vec<Item>) {
        if let Some(ty) = node.field(Field::Type)
            && node.field(Field::Declarator).is_none()
        {
            // `struct S { … };`
            let is_type = matches!(
                ty.kind(),
                Kind::StructSpecifier
                    | Kind::ClassSpecifier
                    | Kind::UnionSpecifier
                    | Kind::EnumSpecifier
            );
            if is_type {
                self.item(ty, heads, out);
            }
            return;
        }
        if self.is_late_typedef(node) {
            return self.typedef(node, out);
        }
        if let Some(function) = self.function(node, heads) {
            out.push(Item::Function(Arc::new(function)));
            return;
        }
        let (defined, base) = self.defined_type(self.specified_type(node));
        out.extend(defined);
        let mut variables = self.variables_of(node, base);
        variables.retain(|v| !is_function(v));
        let problem = self.problem_of_declaration(node);
        if let Some(problem) = &problem {
            // Which part of them is not read, nobody knows.
            for variable in &mut variables {
                variable.ty = Self::no_type(problem.range);
                variable.init = Some(Initialiser::Equals(Self::error(problem.range)));
            }
        }
        if let (Some(head), Some(first)) = (heads.last(), variables.first_mut()) {
            first.template = Some(self.template_head(*head));
        }
        let bound: Vec<Variable> = variables
            .iter()
            .flat_map(|v| v.bindings.iter().map(|name| (name, v.range)))
            .map(|(name, range)| self.unread_variable(name.clone(), range))
            .collect();
        if !variables.is_empty() {
            out.push(Item::Variables(variables));
        }
        if !bound.is_empty() {
            out.push(Item::Unread(bound));
        }
        if problem.is_some() {
            self.unread(node, out);
        }
    }

    /// `constexpr Less less{};`: a variable, which the grammar takes for a function without parameters.
    fn emptied(&self, node: Node<'_>, heads: &[Node<'_>], out: &mut Vec<Item>) {
        let Some(body) = node.field(Field::Body) else {
            return;
        };
        if body.named().next().is_some() || node.has_error() {
            return;
        }
        let mut variables = self.variables_of(node, self.specified_type(node));
        variables.retain(|v| !is_function(v));
        for variable in &mut variables {
            variable.init = Some(Initialiser::Brace(Expr {
                kind: ExprKind::List(Vec::new()),
                range: body.range(),
            }));
        }
        if let (Some(head), Some(first)) = (heads.last(), variables.first_mut()) {
            first.template = Some(self.template_head(*head));
        }
        if !variables.is_empty() {
            out.push(Item::Variables(variables));
        }
    }

    /// The function that `node` defines or declares; `None` where it declares something else.
    pub fn function(&self, node: Node<'_>, heads: &[Node<'_>]) -> Option<Function> {
        let declarator = node.field(Field::Declarator)?;
        if declarator.kind() == Kind::InitDeclarator {
            return None;
        }
        let base = self.specified_type(node);
        let base_is_none = matches!(base.kind, TypeKind::None);
        let declared = self.declare(declarator, base);
        let signature = declared.function?;
        let body = node.field(Field::Body);
        let body = body.or_else(|| node.child_of(Kind::TryStatement));
        let problems_before = self.problems.borrow().len();
        let problem = self.problem_of(node);
        let specifiers = self.specifiers(node);
        let attributes = self.function_attributes(
            &specifiers,
            node.start(),
            signature.start + 1,
            body.map(|body| body.start()),
        );
        let kind = match declared.kind {
            FunctionKind::Plain if base_is_none && matches!(declared.ty.kind, TypeKind::None) => {
                FunctionKind::Constructor
            }
            kind => kind,
        };
        let body_start = body.map(|body| body.start());
        let body = body.map(|body| match body.kind() {
            // What handlers do, the function does.
            Kind::TryStatement => {
                let mut out = Vec::new();
                self.statement(body, &mut out);
                out
            }
            _ => {
                let mut out = self.unread_names(body);
                out.extend(self.block(body));
                out
            }
        });
        // What was met inside belongs to this function.
        let inside = self
            .problems
            .borrow_mut()
            .split_off(problems_before)
            .into_iter()
            .next();
        let problem = problem.or(inside);
        Some(Function {
            name: declared.name,
            qualifier: declared.qualifier,
            templates: self.heads(heads),
            arguments: declared.arguments,
            parameters: signature.parameters,
            result: declared.ty,
            attributes: FunctionAttributes {
                is_default: node.child_of(Kind::DefaultMethod).is_some(),
                is_constrained: self.is_constrained(node, heads, signature.start, body_start),
                is_variadic: signature.is_variadic,
                is_const: signature.is_const,
                reference: signature.reference,
                ..attributes
            },
            kind,
            initialisers: self.initialisers(node),
            body: body.or_else(|| {
                // What an operator does by default no body says.
                let is_default = node.child_of(Kind::DefaultMethod).is_some();
                (is_default && kind != FunctionKind::Operator).then(Vec::new)
            }),
            problem,
            range: node.range(),
            name_range: declared.name_range,
        })
    }

    fn function_attributes(
        &self,
        specifiers: &Specifiers,
        start: u32,
        end: u32,
        body: Option<u32>,
    ) -> FunctionAttributes {
        let mut attributes = FunctionAttributes {
            is_static: specifiers.is_static,
            is_constexpr: specifiers.is_constexpr,
            is_virtual: self
                .tokens_in(start, end)
                .any(|at| matches!(self.token_text(at), "virtual" | "override")),
            is_explicit: self
                .tokens_in(start, end)
                .any(|at| self.token_text(at) == "explicit"),
            ..FunctionAttributes::default()
        };
        self.mark_all(&mut attributes, start, end);
        // `void f(…) __launch_bounds__(256) {`
        if let Some(body) = body {
            for mark in self.marks(body, body + 1) {
                if mark.kind == MarkKind::LaunchBounds {
                    attributes.launch_bounds = self.snippets(mark.arguments);
                }
            }
        }
        attributes
    }

    /// Whether a requires-clause begins in a stretch of text.
    fn requires_in(&self, start: u32, end: u32) -> bool {
        let mut tokens = self.tokens_in(start, end);
        tokens.any(|at| self.token_text(at) == "requires")
    }

    /// `requires …`, or a parameter of a type `Concept auto`.
    fn is_constrained(
        &self,
        node: Node<'_>,
        heads: &[Node<'_>],
        signature: u32,
        body: Option<u32>,
    ) -> bool {
        let start = heads.first().map_or(node.start(), |head| head.start());
        let end = body.unwrap_or(node.end());
        let is_named = |at: usize| match self.tokens[at].kind {
            super::lex::IDENT => !matches!(
                self.token_text(at),
                "const" | "volatile" | "register" | "__restrict__"
            ),
            kind => kind == b'>',
        };
        let mut tokens = self.tokens_in(signature + 1, end);
        self.requires_in(start, end)
            || tokens
                .any(|at| self.token_text(at) == "auto" && at.checked_sub(1).is_some_and(is_named))
    }

    /// What is marked in a stretch of text.
    pub(super) fn mark_all(&self, attributes: &mut FunctionAttributes, start: u32, end: u32) {
        for mark in self.marks(start, end) {
            match mark.kind {
                MarkKind::Global => attributes.global = true,
                MarkKind::Device => attributes.device = true,
                MarkKind::Host => attributes.host = true,
                MarkKind::LaunchBounds => attributes.launch_bounds = self.snippets(mark.arguments),
                _ => {}
            }
        }
    }

    fn initialisers(&self, node: Node<'_>) -> Vec<(Path, Vec<Expr>)> {
        let outer = node.child_of(Kind::TryStatement).unwrap_or(node);
        let Some(list) = outer.child_of(Kind::FieldInitializerList) else {
            return Vec::new();
        };
        let initialisers = list
            .named()
            .filter(|child| child.kind() == Kind::FieldInitializer)
            .filter_map(|child| {
                let mut parts = child.named();
                let path = self.path(parts.next()?);
                Some((path, self.arguments(parts.next())))
            });
        Self::tight(initialisers)
    }

    /// A named type defined in a declaration's specifiers, and the type that then names it.
    pub fn defined_type(&self, base: TypeExpr) -> (Option<Item>, TypeExpr) {
        let (item, name) = match &base.kind {
            TypeKind::Record(record) if record.name.is_some() => {
                (Item::Record(record.clone()), record.name.clone())
            }
            TypeKind::Enum(enumeration) => {
                (Item::Enum(enumeration.clone()), enumeration.name.clone())
            }
            _ => return (None, base),
        };
        if name.is_none() {
            return (Some(item), base);
        }
        (
            Some(item),
            TypeExpr {
                kind: self.named_type(name, base.range).kind,
                ..base
            },
        )
    }

    /// Whether `typedef` stands behind the type: `struct { … } typedef T;`.
    pub(super) fn is_late_typedef(&self, node: Node<'_>) -> bool {
        let parts = (node.field(Field::Type), node.field(Field::Declarator));
        let (Some(ty), Some(declarator)) = parts else {
            return false;
        };
        self.has_mark(ty.end(), declarator.start() + 1, MarkKind::Typedef)
    }

    pub(super) fn typedef(&self, node: Node<'_>, out: &mut Vec<Item>) {
        let (defined, base) = self.defined_type(self.specified_type(node));
        out.extend(defined);
        for declarator in node.fields(Field::Declarator) {
            let declared = self.declare(declarator, base.clone());
            let Declared {
                name, ty, function, ..
            } = declared;
            let ty = match function {
                Some(signature) => TypeExpr {
                    range: ty.range,
                    is_const: false,
                    is_volatile: false,
                    kind: TypeKind::Function {
                        result: Arc::new(ty),
                        parameters: signature
                            .parameters
                            .into_iter()
                            .map(|parameter| parameter.ty)
                            .collect(),
                    },
                },
                None => ty,
            };
            let ty = self.without_alignment(ty, node, Some(declarator));
            out.push(Item::Alias(Arc::new(Alias {
                name,
                template: None,
                ty,
                range: node.range(),
            })));
        }
    }

    pub(super) fn named_type(&self, name: Option<Name>, range: Range) -> TypeExpr {
        use crate::syntax::ast::{Path, Segment};
        let segments = name
            .into_iter()
            .map(|name| Segment {
                name,
                arguments: None,
            })
            .collect();
        let path = Path {
            is_global: false,
            segments,
            range,
        };
        TypeExpr {
            kind: TypeKind::Named(path),
            is_const: false,
            is_volatile: false,
            range,
        }
    }

    /// A type that a name is given to; one that is not known where the name has an alignment of its own.
    fn without_alignment(
        &self,
        ty: TypeExpr,
        node: Node<'_>,
        declarator: Option<Node<'_>>,
    ) -> TypeExpr {
        // What stands at a class that is defined here is the class's own.
        let class = node.field(Field::Type);
        let class = class.filter(|class| class.field(Field::Body).is_some());
        let mut ranges = vec![match class {
            Some(class) => (node.start(), class.start()),
            None => (
                node.start(),
                declarator.map_or(node.end(), |d| d.start() + 1),
            ),
        }];
        ranges.extend(declarator.map(|d| (d.start() + 1, self.skip_space(d.end()) + 1)));
        match self.alignment(&ranges) {
            None => ty,
            Some(align) => TypeExpr {
                kind: TypeKind::Decltype(Arc::new(Self::error(align.range))),
                ..ty
            },
        }
    }

    fn alias(&self, node: Node<'_>, heads: &[Node<'_>]) -> Option<Alias> {
        Some(Alias {
            name: self.name(node.field(Field::Name)?),
            template: heads.last().map(|head| self.template_head(*head)),
            ty: self.without_alignment(self.type_field(node), node, None),
            range: node.range(),
        })
    }

    /// The expressions of a text taken out by a repair, parsed by themselves.
    pub fn snippets(&self, (start, end): (u32, u32)) -> Vec<Expr> {
        let range = Range { start, end };
        let text = self.slice(range);
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Vec::new();
        }
        if trimmed.bytes().all(|byte| byte.is_ascii_digit()) {
            return vec![Expr {
                kind: super::literals::number(trimmed),
                range,
            }];
        }
        let Some((first, names_type)) = trimmed
            .split_whitespace()
            .next()
            .map(|first| (first, self.names.is_type(trimmed, start)))
        else {
            return Vec::new();
        };
        if names_type || super::types::builtin(trimmed).is_some() || first == "struct" {
            let kind = super::types::builtin(trimmed).map_or_else(
                || self.named_type(Some(self.intern(trimmed)), range).kind,
                TypeKind::Builtin,
            );
            let ty = TypeExpr {
                kind,
                is_const: false,
                is_volatile: false,
                range,
            };
            return vec![Expr {
                kind: ExprKind::AlignofType(ty),
                range,
            }];
        }
        const HEAD: &str = "void f(){g(";
        let wrapped = format!("{HEAD}{text});}}");
        let delta = i64::from(start) - HEAD.len() as i64;
        let tree = self.parser.borrow_mut().piece(&wrapped, delta);
        let list = tree.as_ref().and_then(|tree| {
            let call = tree.root().first_of(Kind::CallExpression)?;
            call.field(Field::Arguments)
        });
        match list {
            Some(list) if !list.has_error() => self.arguments(Some(list)),
            _ => vec![Self::error(range)],
        }
    }
}
