//! Types and declarators.
//!
//! Given the specifiers and the declarator of a declaration, gives the declared
//! name with its type: `float (*p)[32]` is a pointer to an array of 32.

use std::sync::Arc;

use super::context::{Context, TOO_DEEP};
use super::cst::{Field, Kind, Node};
use super::repair::MarkKind;
use crate::syntax::ast::{
    Builtin, Expr, ExprKind, FunctionKind, Name, Parameter, Path, Range, RefQualifier, Segment,
    TemplateArgument, TypeExpr, TypeKind, UnaryOp,
};

/// Pointers, arrays and parentheses around one name.
const MAX_LAYERS: usize = 64;

/// What one declarator declares.
pub struct Declared {
    pub name: Name,
    pub name_range: Range,
    pub qualifier: Option<Path>,
    pub arguments: Vec<TemplateArgument>,
    pub ty: TypeExpr,
    pub bindings: Vec<Name>,
    pub function: Option<Signature>,
    pub kind: FunctionKind,
    pub is_pack: bool,
}

/// The rest of a function's declarator.
pub struct Signature {
    pub parameters: Vec<Parameter>,
    pub is_variadic: bool,
    pub is_const: bool,
    pub reference: Option<RefQualifier>,
    /// Where the parameter list starts.
    pub start: u32,
}

/// The parts of a declaration's specifiers.
#[derive(Default)]
pub struct Specifiers {
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_constexpr: bool,
    pub is_extern: bool,
    pub is_static: bool,
    pub is_mutable: bool,
}

impl Context<'_> {
    pub fn no_type(range: Range) -> TypeExpr {
        TypeExpr {
            kind: TypeKind::None,
            is_const: false,
            is_volatile: false,
            range,
        }
    }

    /// The type in field `type`, with the qualifiers around it.
    pub fn type_field(&self, node: Node<'_>) -> TypeExpr {
        node.field(Field::Type)
            .map_or_else(|| Self::no_type(node.range()), |ty| self.type_of(ty))
    }

    /// A type by itself: a specifier or a whole descriptor.
    pub fn type_of(&self, node: Node<'_>) -> TypeExpr {
        let range = node.range();
        self.deeper(range, || self.type_here(node))
            .unwrap_or_else(|| Self::no_type(range))
    }

    fn type_here(&self, node: Node<'_>) -> TypeExpr {
        let range = node.range();
        let kind = match node.kind() {
            _ if let Some(kind) = self.written_typeof(node) => kind,
            // The type of a pointer to a member is no pointer's; only what it points to is read.
            Kind::TypeDescriptor if self.has_member_pointer(node) => {
                TypeKind::Decltype(Arc::new(Self::error(range)))
            }
            Kind::TypeDescriptor => {
                let base = self.specified_type(node);
                return match node.field(Field::Declarator) {
                    Some(declarator) => TypeExpr {
                        range,
                        ..self.declare(declarator, base).ty
                    },
                    None => TypeExpr { range, ..base },
                };
            }
            Kind::PrimitiveType | Kind::SizedType => match builtin(self.text(node)) {
                Some(builtin) => TypeKind::Builtin(builtin),
                None if node.kind() == Kind::PrimitiveType => TypeKind::Named(self.path(node)),
                None => self.sized(node),
            },
            Kind::Identifier
            | Kind::TypeIdentifier
            | Kind::TemplateType
            | Kind::TemplateFunction
            | Kind::NamespaceIdentifier => match self.text(node) {
                "auto" => TypeKind::Auto,
                text => builtin(text)
                    .map_or_else(|| TypeKind::Named(self.path(node)), TypeKind::Builtin),
            },
            Kind::QualifiedIdentifier => TypeKind::Named(self.path(node)),
            Kind::DependentType => match node.named().next() {
                Some(inner) => {
                    return TypeExpr {
                        range,
                        ..self.type_of(inner)
                    };
                }
                None => TypeKind::None,
            },
            Kind::StructSpecifier | Kind::ClassSpecifier | Kind::UnionSpecifier => {
                match (node.field(Field::Body), node.field(Field::Name)) {
                    (None, Some(name)) => TypeKind::Named(self.path(name)),
                    _ => TypeKind::Record(Arc::new(self.record(node, Vec::new()))),
                }
            }
            Kind::EnumSpecifier => match (node.field(Field::Body), node.field(Field::Name)) {
                (None, Some(name)) => TypeKind::Named(self.path(name)),
                _ => TypeKind::Enum(Arc::new(self.enumeration(node))),
            },
            Kind::PlaceholderType if let Some(inner) = node.child_of(Kind::Decltype) => {
                return self.type_of(inner);
            }
            Kind::Auto | Kind::PlaceholderType => TypeKind::Auto,
            Kind::Decltype => match node.named().next() {
                Some(inner) if inner.kind() != Kind::Auto => {
                    let e = self.expr(inner);
                    // In parentheses a name is an expression like others.
                    let is_name = matches!(e.kind, ExprKind::Path(_) | ExprKind::Member { .. });
                    let e = if is_name && inner.kind() == Kind::ParenthesizedExpression {
                        let range = e.range;
                        let unary = |op, e| Expr {
                            kind: ExprKind::Unary(op, Box::new(e)),
                            range,
                        };
                        unary(UnaryOp::Deref, unary(UnaryOp::AddressOf, e))
                    } else {
                        e
                    };
                    TypeKind::Decltype(Arc::new(e))
                }
                _ => TypeKind::DecltypeAuto,
            },
            _ => TypeKind::None,
        };
        TypeExpr {
            kind,
            is_const: false,
            is_volatile: false,
            range,
        }
    }

    /// Whether `C::*` stands in a type, but not in its template arguments.
    fn has_member_pointer(&self, node: Node<'_>) -> bool {
        let mut depth = 0;
        let mut all = self.tokens_in(node.start(), node.end());
        all.any(|at| {
            match self.tokens[at].kind {
                b'<' => depth += 1,
                b'>' => depth -= 1,
                super::lex::SCOPE if depth == 0 => {
                    return self
                        .tokens
                        .get(at + 1)
                        .is_some_and(|next| next.kind == b'*');
                }
                _ => {}
            }
            false
        })
    }

    /// `unsigned` with a name that is no keyword, as `unsigned __int64`.
    fn sized(&self, node: Node<'_>) -> TypeKind {
        let text = self.text(node);
        let is_unsigned = text.contains("unsigned");
        let base = text
            .split_whitespace()
            .rfind(|word| !matches!(*word, "unsigned" | "signed" | "const" | "volatile"));
        match (base, is_unsigned) {
            (Some("__int64"), true) => TypeKind::Builtin(Builtin::UnsignedLongLong),
            (Some("__int64"), false) => TypeKind::Builtin(Builtin::LongLong),
            // `unsigned __int128`
            (Some(_), _) => self.named_type(Some(self.intern(text)), node.range()).kind,
            (None, true) => TypeKind::Builtin(Builtin::UnsignedInt),
            (None, false) => TypeKind::Builtin(Builtin::Int),
        }
    }

    /// The specifiers of a declaration, whatever their order.
    pub fn specifiers(&self, node: Node<'_>) -> Specifiers {
        let mut found = Specifiers::default();
        for child in node.children() {
            match child.kind() {
                Kind::TypeQualifier | Kind::StorageClass => match self.text(child) {
                    "const" => found.is_const = true,
                    "volatile" => found.is_volatile = true,
                    "constexpr" | "consteval" | "constinit" => found.is_constexpr = true,
                    "extern" => found.is_extern = true,
                    "static" | "thread_local" => found.is_static = true,
                    "mutable" => found.is_mutable = true,
                    _ => {}
                },
                _ => {}
            }
            if child.role() == Field::Declarator {
                break;
            }
        }
        found
    }

    /// The type of a declaration before its declarators.
    pub fn specified_type(&self, node: Node<'_>) -> TypeExpr {
        let mut ty = self.type_field(node);
        let specifiers = self.specifiers(node);
        ty.is_const |= specifiers.is_const;
        ty.is_volatile |= specifiers.is_volatile;
        ty
    }

    /// Wraps `base` as `declarator` says.
    pub fn declare(&self, declarator: Node<'_>, base: TypeExpr) -> Declared {
        let range = declarator.range();
        let mut declared = Declared {
            name: self.intern(""),
            name_range: Range {
                start: range.start,
                end: range.start,
            },
            qualifier: None,
            arguments: Vec::new(),
            ty: base,
            bindings: Vec::new(),
            function: None,
            kind: FunctionKind::Plain,
            is_pack: false,
        };
        // From the outside inwards; each layer wraps what the layers around it gave.
        let mut at = Some(declarator);
        let mut layers = 0;
        while let Some(node) = at.take() {
            layers += 1;
            if layers > MAX_LAYERS {
                self.problem(range, TOO_DEEP);
                break;
            }
            at = self.declarator_layer(node, &mut declared);
        }
        declared
    }

    pub(super) fn declarator_layer<'c>(
        &self,
        node: Node<'c>,
        declared: &mut Declared,
    ) -> Option<Node<'c>> {
        let inner = node.field(Field::Declarator);
        match node.kind() {
            Kind::PointerDeclarator | Kind::ReferenceDeclarator if self.is_bound_to_name(node) => {
                self.layers_bound_to_name(node, declared)
            }
            Kind::PointerDeclarator | Kind::PointerTypeDeclarator | Kind::AbstractPointer => {
                self.pointer_layer(node, inner, declared);
                inner
            }
            Kind::ReferenceDeclarator | Kind::AbstractReference => {
                self.reference_layer(node, declared);
                Self::referred(node)
            }
            Kind::ArrayDeclarator | Kind::AbstractArray => {
                let size = node
                    .field(Field::Size)
                    .filter(|size| size.is_named())
                    .map(|size| Arc::new(self.expr(size)));
                Self::derive(node, declared, |of| TypeKind::Array(of, size));
                inner
            }
            Kind::FunctionDeclarator | Kind::AbstractFunction => {
                self.function_layer(node, inner, declared);
                inner
            }
            Kind::ParenthesizedDeclarator
            | Kind::AbstractParenthesized
            | Kind::AttributedDeclarator => node.named().find(|child| {
                !matches!(
                    child.kind(),
                    Kind::AttributeDeclaration | Kind::Error | Kind::Other
                )
            }),
            Kind::InitDeclarator => inner,
            Kind::VariadicDeclarator => {
                declared.is_pack = true;
                node.named().next()
            }
            Kind::StructuredBinding => {
                declared.bindings = node.named().map(|name| self.name(name)).collect();
                None
            }
            Kind::QualifiedIdentifier => self.qualified_layer(node, declared),
            Kind::TemplateFunction | Kind::TemplateMethod => {
                declared.arguments = node
                    .field(Field::Arguments)
                    .map(|list| self.template_arguments(list))
                    .unwrap_or_default();
                node.field(Field::Name)
            }
            Kind::OperatorName => {
                declared.kind = FunctionKind::Operator;
                declared.name = self.operator_name(node);
                declared.name_range = node.range();
                None
            }
            Kind::OperatorCast => {
                declared.kind = FunctionKind::Conversion;
                declared.name = self.intern("");
                declared.name_range = node.range();
                declared.ty = self.specified_type(node);
                inner
            }
            Kind::DestructorName => {
                declared.kind = FunctionKind::Destructor;
                declared.name = node
                    .named()
                    .next()
                    .map_or_else(|| self.intern(""), |name| self.name(name));
                declared.name_range = node.range();
                None
            }
            _ => {
                declared.name = self.name(node);
                declared.name_range = node.range();
                None
            }
        }
    }

    /// Turns a type into what a layer of the declarator makes of it.
    pub(super) fn derive(
        node: Node<'_>,
        declared: &mut Declared,
        kind: impl FnOnce(Arc<TypeExpr>) -> TypeKind,
    ) {
        let range = Range {
            start: declared.ty.range.start,
            end: node.end().max(declared.ty.range.end),
        };
        let below = std::mem::replace(&mut declared.ty, Self::no_type(range));
        declared.ty = TypeExpr {
            kind: kind(Arc::new(below)),
            is_const: false,
            is_volatile: false,
            range,
        };
    }

    /// `&` or `&&`.
    pub(super) fn reference_layer(&self, node: Node<'_>, declared: &mut Declared) {
        let is_rvalue = self.text(node).starts_with("&&");
        Self::derive(node, declared, |to| TypeKind::Reference { to, is_rvalue });
    }

    /// The declarator behind `&` or `&&`.
    pub(super) fn referred(node: Node<'_>) -> Option<Node<'_>> {
        node.named().find(|child| !child.is_error())
    }

    /// `*` with its qualifiers.
    pub(super) fn pointer_layer(
        &self,
        node: Node<'_>,
        inner: Option<Node<'_>>,
        declared: &mut Declared,
    ) {
        let star = node.start();
        // A restrict belongs to the star in front of it.
        let until = inner.map_or_else(|| self.skip_space(node.end()), |inner| inner.start());
        let is_restrict = self
            .marks(star, until + 1)
            .iter()
            .any(|mark| mark.kind == MarkKind::Restrict && mark.at > star);
        Self::derive(node, declared, |to| TypeKind::Pointer { to, is_restrict });
        for qualifier in node
            .children()
            .filter(|child| child.kind() == Kind::TypeQualifier)
        {
            match self.text(qualifier) {
                "const" => declared.ty.is_const = true,
                "volatile" => declared.ty.is_volatile = true,
                _ => {}
            }
        }
    }

    /// `(parameters)`: the function itself where its name is next, otherwise a function type.
    fn function_layer(&self, node: Node<'_>, inner: Option<Node<'_>>, declared: &mut Declared) {
        let list = node.field(Field::Parameters);
        let parameters = list.map(|list| self.parameters(list)).unwrap_or_default();
        if let Some(result) = node
            .child_of(Kind::TrailingReturn)
            .and_then(|result| result.named().next())
        {
            declared.ty = self.type_of(result);
        }
        let is_name = match inner {
            None => declared.kind == FunctionKind::Conversion,
            Some(inner) => names_directly(inner),
        };
        if is_name {
            let is_const = node
                .children()
                .any(|child| child.kind() == Kind::TypeQualifier && self.text(child) == "const");
            let start = list.map_or(node.end(), |list| list.start());
            let behind = self.slice(Range {
                start: list.map_or(node.end(), |list| list.end()),
                end: node.end(),
            });
            let mut qualifiers = behind.split(['-', '(']);
            let reference = qualifiers.next().and_then(|text| {
                let is_rvalue = text.contains("&&");
                let kind = if is_rvalue {
                    RefQualifier::RValue
                } else {
                    RefQualifier::LValue
                };
                text.contains('&').then_some(kind)
            });
            let text = list.map_or("", |list| self.text(list));
            let text = text.trim_end_matches(')').trim_end();
            let has_pack = parameters.last().is_some_and(|last| last.is_pack);
            declared.function = Some(Signature {
                is_variadic: text.ends_with("...") && !has_pack,
                parameters,
                is_const,
                reference,
                start,
            });
            return;
        }
        Self::function_type(node, parameters, declared);
    }

    /// What the declarator makes of a type where it says that of a function behind a pointer.
    pub(super) fn function_type(
        node: Node<'_>,
        parameters: Vec<Parameter>,
        declared: &mut Declared,
    ) {
        let range = Range {
            start: declared.ty.range.start,
            end: node.end(),
        };
        let result = Arc::new(std::mem::replace(&mut declared.ty, Self::no_type(range)));
        let parameters = parameters
            .into_iter()
            .map(|parameter| parameter.ty)
            .collect();
        let kind = TypeKind::Function { result, parameters };
        declared.ty = TypeExpr {
            kind,
            is_const: false,
            is_volatile: false,
            range,
        };
    }

    fn qualified_layer<'c>(&self, node: Node<'c>, declared: &mut Declared) -> Option<Node<'c>> {
        let qualifier = declared.qualifier.get_or_insert_with(|| Path {
            is_global: false,
            segments: Vec::new(),
            range: node.range(),
        });
        match node.field(Field::Scope) {
            Some(scope) => qualifier.segments.extend(self.path(scope).segments),
            None => qualifier.is_global = true,
        }
        node.field(Field::Name)
    }

    /// `(int a, float *b = 0)`; `(void)` gives none.
    pub fn parameters(&self, list: Node<'_>) -> Vec<Parameter> {
        let mut parameters: Vec<Parameter> = list
            .named()
            .filter(|child| {
                matches!(
                    child.kind(),
                    Kind::ParameterDeclaration | Kind::OptionalParameter | Kind::VariadicParameter
                )
            })
            .map(|child| self.parameter(child))
            .collect();
        parameters.shrink_to_fit();
        if let [only] = parameters.as_slice()
            && only.name.is_none()
            && matches!(only.ty.kind, TypeKind::Builtin(Builtin::Void))
        {
            parameters.clear();
        }
        parameters
    }

    /// The type of a pack's elements with the pointers that a repair took out.
    fn pointers_of_pack(&self, node: Node<'_>, base: TypeExpr) -> TypeExpr {
        let marks = self.marks(node.start(), node.end()).iter();
        let pointers = marks.filter(|mark| mark.kind == MarkKind::PackPointer);
        pointers.fold(base, |to, _| TypeExpr {
            range: to.range,
            kind: TypeKind::Pointer {
                to: Arc::new(to),
                is_restrict: false,
            },
            is_const: false,
            is_volatile: false,
        })
    }

    /// A default in braces, for which something else stands in the text.
    pub(super) fn default_list(&self, value: Node<'_>) -> Option<Expr> {
        let mut marks = self.marks(value.start(), value.start() + 1).iter();
        let mark = marks.find(|mark| mark.kind == MarkKind::DefaultList)?;
        let list = self.snippets(mark.arguments).into_iter().next();
        Some(list.unwrap_or_else(|| Self::error(value.range())))
    }

    /// The type that `typeof(…)` names, for which `auto` stands: a type, or that of an expression without its reference.
    fn written_typeof(&self, node: Node<'_>) -> Option<TypeKind> {
        let is_word = matches!(
            node.kind(),
            Kind::Auto | Kind::PlaceholderType | Kind::Identifier | Kind::TypeIdentifier
        );
        let range = node.range();
        if !is_word {
            return None;
        }
        let mut marks = self.marks(range.start, range.start + 1).iter();
        let mark = marks.find(|mark| mark.kind == MarkKind::TypeOf)?;
        let mut of = self.snippets(mark.arguments).into_iter();
        Some(match (of.next(), of.next()) {
            (Some(one), None) => match one.kind {
                ExprKind::AlignofType(ty) => ty.kind,
                ExprKind::Error => TypeKind::None,
                // `T()` is the type of a function here.
                ExprKind::Call { arguments, .. } | ExprKind::Construct { arguments, .. }
                    if arguments.is_empty() =>
                {
                    TypeKind::None
                }
                _ => without_reference(one),
            },
            _ => TypeKind::None,
        })
    }

    pub(super) fn parameter(&self, node: Node<'_>) -> Parameter {
        let base = self.specified_type(node);
        let is_variadic = node.kind() == Kind::VariadicParameter;
        let default = node
            .field(Field::DefaultValue)
            .map(|value| self.expr(value));
        let Some(declarator) = node.field(Field::Declarator) else {
            return Parameter {
                name: None,
                ty: base,
                default,
                is_pack: is_variadic,
                range: node.range(),
            };
        };
        let base = self.pointers_of_pack(node, base);
        let declared = self.declare(declarator, base);
        let name = Some(declared.name).filter(|name| !name.is_empty());
        Parameter {
            name,
            ty: match declared.function {
                // `float f(int)` as a parameter is a pointer to a function.
                Some(signature) => function_pointer(declared.ty, signature, node.range()),
                None => declared.ty,
            },
            default,
            is_pack: is_variadic || declared.is_pack,
            range: node.range(),
        }
    }

    /// The alignment taken out of the text in `start..end`.
    pub fn align(&self, start: u32, end: u32) -> Option<Expr> {
        // What stands in front of the class is a variable's.
        let marks = self.marks(start, end).iter();
        let mut marks = marks.filter(|mark| mark.kind == MarkKind::Align && mark.at >= start);
        let mark = marks.next()?;
        if let Some(other) = marks.next() {
            let (start, end) = other.arguments;
            return Some(Self::error(Range { start, end }));
        }
        self.snippets(mark.arguments).into_iter().next()
    }
}

fn function_pointer(result: TypeExpr, signature: Signature, range: Range) -> TypeExpr {
    TypeExpr {
        kind: TypeKind::Pointer {
            to: Arc::new(function_type(result, signature, range)),
            is_restrict: false,
        },
        is_const: false,
        is_volatile: false,
        range,
    }
}

/// `std::remove_reference_t<decltype(e)>`
fn without_reference(e: Expr) -> TypeKind {
    let range = e.range;
    let of = TypeExpr {
        kind: TypeKind::Decltype(Arc::new(e)),
        is_const: false,
        is_volatile: false,
        range,
    };
    let segment = |name: &str, arguments| Segment {
        name: Arc::from(name),
        arguments,
    };
    TypeKind::Named(Path {
        is_global: true,
        segments: vec![
            segment("std", None),
            segment(
                "remove_reference_t",
                Some(Arc::from([TemplateArgument::Type(of)])),
            ),
        ],
        range,
    })
}

/// The type of a function that is declared like a variable.
pub fn function_type(result: TypeExpr, signature: Signature, range: Range) -> TypeExpr {
    let parameters = signature
        .parameters
        .into_iter()
        .map(|parameter| parameter.ty)
        .collect();
    TypeExpr {
        kind: TypeKind::Function {
            result: Arc::new(result),
            parameters,
        },
        is_const: false,
        is_volatile: false,
        range,
    }
}

/// Whether a declarator is nothing but a name.
fn names_directly(node: Node<'_>) -> bool {
    let mut at = Some(node);
    while let Some(node) = at {
        at = match node.kind() {
            Kind::Identifier
            | Kind::FieldIdentifier
            | Kind::TypeIdentifier
            | Kind::OperatorName
            | Kind::DestructorName
            | Kind::TemplateFunction
            | Kind::TemplateMethod
            | Kind::QualifiedIdentifier
            | Kind::OperatorCast
            | Kind::PrimitiveType => return true,
            Kind::ParenthesizedDeclarator => node.named().next(),
            _ => return false,
        };
    }
    false
}

/// The fundamental type that `text` spells, its words in any order.
pub fn builtin(text: &str) -> Option<Builtin> {
    let (mut long, mut unsigned, mut signed, mut short) = (0, false, false, false);
    let mut base = None;
    for word in text.split_whitespace() {
        match word {
            "long" => long += 1,
            "unsigned" => unsigned = true,
            "signed" => signed = true,
            "short" => short = true,
            "const" | "volatile" => {}
            "int" | "char" | "double" | "float" | "void" | "bool" | "wchar_t" | "_Bool" => {
                base = Some(word)
            }
            _ => return None,
        }
    }
    let by_sign = |plain, with_sign| if unsigned { with_sign } else { plain };
    Some(match (base, long) {
        (Some("void"), _) => Builtin::Void,
        (Some("bool" | "_Bool"), _) => Builtin::Bool,
        (Some("wchar_t"), _) => Builtin::WChar,
        (Some("char"), _) if unsigned => Builtin::UnsignedChar,
        (Some("char"), _) if signed => Builtin::SignedChar,
        (Some("char"), _) => Builtin::Char,
        (Some("float"), _) => Builtin::Float,
        (Some("double"), 0) => Builtin::Double,
        (Some("double"), _) => Builtin::LongDouble,
        _ if short => by_sign(Builtin::Short, Builtin::UnsignedShort),
        (_, 2..) => by_sign(Builtin::LongLong, Builtin::UnsignedLongLong),
        (_, 1) => by_sign(Builtin::Long, Builtin::UnsignedLong),
        (Some("int"), _) => by_sign(Builtin::Int, Builtin::UnsignedInt),
        (None, 0) if unsigned || signed => by_sign(Builtin::Int, Builtin::UnsignedInt),
        _ => return None,
    })
}

/// The last segment of a path split from what stands in front of it.
pub fn split_path(mut path: Path) -> (Option<Path>, Option<Segment>) {
    let last = path.segments.pop();
    let qualifier = (!path.segments.is_empty() || path.is_global).then_some(path);
    (qualifier, last)
}
