//! The concrete tree of one parsed text: the only file that names tree-sitter.
//!
//! Given text, gives its tree flattened into one array in preorder, so that
//! children, fields and ranges are looked up without a cursor and nothing
//! recurses. Knows grammar symbols; knows nothing of what they mean.

mod packed;

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::tree_cache::Pieces;
use crate::syntax::ast::Range;

macro_rules! symbols {
    ($name:ident: $($variant:ident = $text:literal,)*) => {
        /// Symbols of the grammar that conversion tells apart.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name { Other, $($variant,)* }
        impl $name {
            const TABLE: &[(&str, $name)] = &[$(($text, $name::$variant),)*];
            fn of(text: &str) -> $name {
                Self::TABLE.iter().find(|(name, _)| *name == text).map_or($name::Other, |(_, kind)| *kind)
            }

            /// The symbol whose number this is.
            fn numbered(number: u8) -> $name {
                let known = Self::TABLE.get(usize::from(number).wrapping_sub(1));
                known.map_or($name::Other, |(_, kind)| *kind)
            }
        }
    };
}

symbols! { Kind:
    Token = "",
    Error = "ERROR",
    AbstractArray = "abstract_array_declarator",
    AbstractFunction = "abstract_function_declarator",
    AbstractParenthesized = "abstract_parenthesized_declarator",
    AbstractPointer = "abstract_pointer_declarator",
    AbstractReference = "abstract_reference_declarator",
    AccessSpecifier = "access_specifier",
    AliasDeclaration = "alias_declaration",
    AlignasQualifier = "alignas_qualifier",
    AlignofExpression = "alignof_expression",
    ArgumentList = "argument_list",
    ArrayDeclarator = "array_declarator",
    AssignmentExpression = "assignment_expression",
    AttributeDeclaration = "attribute_declaration",
    AttributeSpecifier = "attribute_specifier",
    AttributedDeclarator = "attributed_declarator",
    AttributedStatement = "attributed_statement",
    Auto = "auto",
    BaseClassClause = "base_class_clause",
    BinaryExpression = "binary_expression",
    BitfieldClause = "bitfield_clause",
    BreakStatement = "break_statement",
    CallExpression = "call_expression",
    CaseStatement = "case_statement",
    CastExpression = "cast_expression",
    CatchClause = "catch_clause",
    CharLiteral = "char_literal",
    ClassSpecifier = "class_specifier",
    CommaExpression = "comma_expression",
    Comment = "comment",
    CompoundLiteral = "compound_literal_expression",
    CompoundStatement = "compound_statement",
    ConcatenatedString = "concatenated_string",
    ConditionClause = "condition_clause",
    ConditionalExpression = "conditional_expression",
    ContinueStatement = "continue_statement",
    Declaration = "declaration",
    DeclarationList = "declaration_list",
    Decltype = "decltype",
    DefaultMethod = "default_method_clause",
    DeleteExpression = "delete_expression",
    DeleteMethod = "delete_method_clause",
    DependentName = "dependent_name",
    DependentType = "dependent_type",
    DestructorName = "destructor_name",
    DoStatement = "do_statement",
    ElseClause = "else_clause",
    EnumSpecifier = "enum_specifier",
    Enumerator = "enumerator",
    EnumeratorList = "enumerator_list",
    ExpressionStatement = "expression_statement",
    ExtensionExpression = "extension_expression",
    False = "false",
    FieldDeclaration = "field_declaration",
    FieldDeclarationList = "field_declaration_list",
    FieldDesignator = "field_designator",
    FieldExpression = "field_expression",
    FieldIdentifier = "field_identifier",
    FieldInitializer = "field_initializer",
    FieldInitializerList = "field_initializer_list",
    FoldExpression = "fold_expression",
    ForRangeLoop = "for_range_loop",
    ForStatement = "for_statement",
    FriendDeclaration = "friend_declaration",
    FunctionDeclarator = "function_declarator",
    FunctionDefinition = "function_definition",
    GenericExpression = "generic_expression",
    GotoStatement = "goto_statement",
    Identifier = "identifier",
    IfStatement = "if_statement",
    InitDeclarator = "init_declarator",
    InitStatement = "init_statement",
    InitializerList = "initializer_list",
    InitializerPair = "initializer_pair",
    KernelCallSyntax = "kernel_call_syntax",
    LabeledStatement = "labeled_statement",
    LambdaCaptureSpecifier = "lambda_capture_specifier",
    LambdaDeclarator = "lambda_declarator",
    LambdaDefaultCapture = "lambda_default_capture",
    LambdaExpression = "lambda_expression",
    LinkageSpecification = "linkage_specification",
    NamespaceAlias = "namespace_alias_definition",
    NamespaceDefinition = "namespace_definition",
    NamespaceIdentifier = "namespace_identifier",
    NestedNamespace = "nested_namespace_specifier",
    NewExpression = "new_expression",
    Null = "null",
    NumberLiteral = "number_literal",
    OffsetofExpression = "offsetof_expression",
    OperatorCast = "operator_cast",
    OperatorName = "operator_name",
    OptionalParameter = "optional_parameter_declaration",
    OptionalTypeParameter = "optional_type_parameter_declaration",
    ParameterDeclaration = "parameter_declaration",
    ParameterList = "parameter_list",
    PackExpansion = "parameter_pack_expansion",
    ParenthesizedDeclarator = "parenthesized_declarator",
    ParenthesizedExpression = "parenthesized_expression",
    PlaceholderType = "placeholder_type_specifier",
    PointerDeclarator = "pointer_declarator",
    PointerExpression = "pointer_expression",
    PointerTypeDeclarator = "pointer_type_declarator",
    PrimitiveType = "primitive_type",
    QualifiedIdentifier = "qualified_identifier",
    RawString = "raw_string_literal",
    ReferenceDeclarator = "reference_declarator",
    RequiresClause = "requires_clause",
    RequiresExpression = "requires_expression",
    ReturnStatement = "return_statement",
    SizedType = "sized_type_specifier",
    SizeofExpression = "sizeof_expression",
    StatementIdentifier = "statement_identifier",
    StaticAssert = "static_assert_declaration",
    StorageClass = "storage_class_specifier",
    StringLiteral = "string_literal",
    StructSpecifier = "struct_specifier",
    StructuredBinding = "structured_binding_declarator",
    SubscriptArguments = "subscript_argument_list",
    SubscriptExpression = "subscript_expression",
    SwitchStatement = "switch_statement",
    TemplateArguments = "template_argument_list",
    TemplateDeclaration = "template_declaration",
    TemplateFunction = "template_function",
    TemplateInstantiation = "template_instantiation",
    TemplateMethod = "template_method",
    TemplateParameters = "template_parameter_list",
    TemplateTemplateParameter = "template_template_parameter_declaration",
    TemplateType = "template_type",
    This = "this",
    ThrowStatement = "throw_statement",
    TrailingReturn = "trailing_return_type",
    TranslationUnit = "translation_unit",
    True = "true",
    TryStatement = "try_statement",
    TypeDefinition = "type_definition",
    TypeDescriptor = "type_descriptor",
    TypeIdentifier = "type_identifier",
    TypeParameter = "type_parameter_declaration",
    TypeQualifier = "type_qualifier",
    UnaryExpression = "unary_expression",
    UnionSpecifier = "union_specifier",
    UpdateExpression = "update_expression",
    UserDefinedLiteral = "user_defined_literal",
    UsingDeclaration = "using_declaration",
    VariadicDeclarator = "variadic_declarator",
    VariadicParameter = "variadic_parameter_declaration",
    VariadicTypeParameter = "variadic_type_parameter_declaration",
    WhileStatement = "while_statement",
}

symbols! { Field:
    Alternative = "alternative",
    Argument = "argument",
    Arguments = "arguments",
    Base = "base",
    Body = "body",
    Captures = "captures",
    Condition = "condition",
    Consequence = "consequence",
    Declarator = "declarator",
    DefaultType = "default_type",
    DefaultValue = "default_value",
    Designator = "designator",
    Selected = "field",
    Function = "function",
    Indices = "indices",
    Initializer = "initializer",
    Label = "label",
    Left = "left",
    Member = "member",
    Name = "name",
    Operator = "operator",
    Parameters = "parameters",
    Pattern = "pattern",
    Right = "right",
    Scope = "scope",
    Size = "size",
    Type = "type",
    Update = "update",
    Value = "value",
}

#[derive(Clone, Copy, Debug)]
struct Raw {
    kind: Kind,
    field: Field,
    is_named: bool,
    is_missing: bool,
    has_error: bool,
    start: u32,
    end: u32,
    /// Index just past the last descendant.
    next: u32,
}

/// The tree of one text, wherever that stands.
#[derive(Clone, Debug)]
pub struct Cst {
    nodes: Arc<[Raw]>,
    /// What is expected at a missing node, by its index.
    expected: Arc<[(u32, &'static str)]>,
    /// What is added to offsets.
    delta: i64,
}

pub use packed::Packed;

/// One node; cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct Node<'c> {
    tree: &'c Cst,
    at: u32,
}

/// The version of the tables that the grammar was generated with.
pub fn abi_version() -> usize {
    let language: tree_sitter::Language = tree_sitter_cuda::LANGUAGE.into();
    language.abi_version()
}

struct Grammar {
    language: tree_sitter::Language,
    kinds: Vec<(Kind, bool)>,
    fields: Vec<Field>,
}

fn grammar() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| {
        let language: tree_sitter::Language = tree_sitter_cuda::LANGUAGE.into();
        let kinds = (0..language.node_kind_count() as u16)
            .map(|id| {
                if language.node_kind_is_named(id) {
                    let name = language.node_kind_for_id(id).unwrap_or("");
                    (Kind::of(name), true)
                } else {
                    (Kind::Token, false)
                }
            })
            .collect();
        let fields = (0..=language.field_count() as u16)
            .map(|id| Field::of(language.field_name_for_id(id).unwrap_or("-")))
            .collect();
        Grammar {
            language,
            kinds,
            fields,
        }
    })
}

/// A text with an angle bracket in so many bytes may have the parser follow several readings of it at once.
const BYTES_AN_ANGLE: usize = 512;
/// There it may take one step, of a hundred operations of its own, for so many bytes. Over public projects whole
/// definitions mostly take one for 90. Tables of numbers take more steps, each of which is short.
const BYTES_A_STEP: u64 = 40;
/// It may take so many more, for what is dense or broken: of the same projects no definition needs more than 18.
const MORE_STEPS: u64 = 30;

/// A parser that can be used for many texts: what it parsed before saves work and changes no answer.
pub struct CstParser {
    parser: tree_sitter::Parser,
    usable: bool,
    pieces: Arc<Pieces>,
}

impl CstParser {
    /// A parser that takes the trees of definitions from `pieces`, and puts them there.
    #[must_use]
    pub fn new(pieces: Arc<Pieces>) -> Self {
        let mut parser = tree_sitter::Parser::new();
        let usable = parser.set_language(&grammar().language).is_ok();
        Self {
            parser,
            usable,
            pieces,
        }
    }

    /// Parses texts that [`CstParser::piece`] will be asked for, on all threads, as far as there is room
    /// to keep their trees.
    pub fn prepare(&self, texts: &[&str]) {
        let pieces = &self.pieces;
        if pieces.keeps() {
            let texts = texts.par_iter();
            texts.for_each_init(
                || Self::new(pieces.clone()),
                |parser, text| {
                    let name = pieces.name(text);
                    if !name.is_some_and(|name| pieces.has(&name)) {
                        parser.piece(text, 0);
                    }
                },
            );
        }
    }

    /// The tree of a definition, its offsets moved by `delta`; `None` where the parser gave up on garbage.
    pub fn piece(&mut self, text: &str, delta: i64) -> Option<Cst> {
        let name = self.pieces.name(text);
        let known = name.as_ref().and_then(|name| self.pieces.get(name));
        let cst = match known {
            Some(cst) => cst,
            None => {
                let tree = self.tree(text)?;
                let cst = flatten(&tree);
                if let Some(name) = name {
                    self.pieces.put(name, &cst);
                }
                cst
            }
        };
        Some(cst.moved_by(delta))
    }

    /// `None` where the parser gave up: error recovery is bounded by a count of steps, not by a clock. A step of a
    /// parser that has lost its way takes as long as what it has read, so the bound holds at every place of
    /// the text.
    fn tree(&mut self, text: &str) -> Option<tree_sitter::Tree> {
        if !self.usable || text.len() > u32::MAX as usize / 2 {
            return None;
        }
        let bytes = text.as_bytes();
        let angles = bytes.iter().filter(|byte| **byte == b'<').count();
        let has_angles = angles * BYTES_AN_ANGLE > bytes.len();
        let mut steps: u64 = 0;
        let mut progress = |state: &tree_sitter::ParseState| {
            steps += 1;
            let read = state.current_byte_offset() as u64;
            let most = match has_angles {
                true => MORE_STEPS + read / BYTES_A_STEP,
                false => 20_000 + bytes.len() as u64,
            };
            if steps > most {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let options = tree_sitter::ParseOptions::new().progress_callback(&mut progress);
        let tree = self.parser.parse_with_options(
            &mut |at, _| bytes.get(at..).unwrap_or(&[]),
            None,
            Some(options),
        );
        if tree.is_none() {
            self.parser.reset();
        }
        tree
    }
}

fn flatten(tree: &tree_sitter::Tree) -> Cst {
    let grammar = grammar();
    let mut expected = Vec::new();
    let mut nodes: Vec<Raw> = Vec::with_capacity(tree.root_node().descendant_count());
    let mut open: Vec<u32> = Vec::new();
    let mut cursor = tree.walk();
    'walk: loop {
        let node = cursor.node();
        let id = node.kind_id();
        let (kind, is_named) = if node.is_error() {
            (Kind::Error, true)
        } else {
            grammar
                .kinds
                .get(id as usize)
                .copied()
                .unwrap_or((Kind::Other, true))
        };
        let skip = kind == Kind::Comment;
        if !skip {
            let field = cursor
                .field_id()
                .and_then(|id| grammar.fields.get(id.get() as usize).copied())
                .unwrap_or(Field::Other);
            if node.is_missing() {
                let name = grammar.language.node_kind_for_id(id);
                expected.push((nodes.len() as u32, name.unwrap_or("a token")));
            }
            nodes.push(Raw {
                kind,
                field,
                is_named,
                is_missing: node.is_missing(),
                has_error: node.has_error(),
                start: node.start_byte() as u32,
                end: node.end_byte() as u32,
                next: nodes.len() as u32 + 1,
            });
            if cursor.goto_first_child() {
                open.push(nodes.len() as u32 - 1);
                continue;
            }
        }
        loop {
            if cursor.goto_next_sibling() {
                continue 'walk;
            }
            if !cursor.goto_parent() {
                break 'walk;
            }
            if let Some(parent) = open.pop() {
                nodes[parent as usize].next = nodes.len() as u32;
            }
        }
    }
    Cst {
        nodes: nodes.into(),
        expected: expected.into(),
        delta: 0,
    }
}

impl Cst {
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        Node { tree: self, at: 0 }
    }

    /// The tree of the text that begins at byte `delta` of a longer one.
    #[must_use]
    pub fn moved_by(self, delta: i64) -> Self {
        Self { delta, ..self }
    }

    fn moved(&self, at: u32) -> u32 {
        (i64::from(at) + self.delta).max(0) as u32
    }
}

impl<'c> Node<'c> {
    // A tree always has its root, and other indices come from the tree itself.
    fn raw(self) -> &'c Raw {
        &self.tree.nodes[self.at as usize]
    }

    #[must_use]
    pub fn kind(self) -> Kind {
        self.raw().kind
    }

    #[must_use]
    pub fn role(self) -> Field {
        self.raw().field
    }

    #[must_use]
    pub fn start(self) -> u32 {
        self.tree.moved(self.raw().start)
    }

    #[must_use]
    pub fn end(self) -> u32 {
        self.tree.moved(self.raw().end)
    }

    #[must_use]
    pub fn range(self) -> Range {
        Range {
            start: self.start(),
            end: self.end(),
        }
    }

    #[must_use]
    pub fn is_named(self) -> bool {
        self.raw().is_named
    }

    /// This node or something below it could not be parsed.
    #[must_use]
    pub fn has_error(self) -> bool {
        self.raw().has_error
    }

    #[must_use]
    pub fn is_missing(self) -> bool {
        self.raw().is_missing
    }

    /// What the grammar expected at a missing node.
    #[must_use]
    pub fn expected(self) -> &'static str {
        let found = self
            .tree
            .expected
            .binary_search_by_key(&self.at, |(at, _)| *at);
        found.map_or("a token", |at| self.tree.expected[at].1)
    }

    #[must_use]
    pub fn is_error(self) -> bool {
        self.raw().kind == Kind::Error
    }

    #[must_use]
    pub fn children(self) -> Children<'c> {
        Children {
            tree: self.tree,
            at: self.at + 1,
            end: self.raw().next,
        }
    }

    /// Children that are not mere tokens.
    pub fn named(self) -> impl Iterator<Item = Node<'c>> {
        self.children().filter(|child| child.is_named())
    }

    #[must_use]
    pub fn field(self, field: Field) -> Option<Node<'c>> {
        self.children().find(|child| child.role() == field)
    }

    pub fn fields(self, field: Field) -> impl Iterator<Item = Node<'c>> {
        self.children().filter(move |child| child.role() == field)
    }

    #[must_use]
    pub fn child_of(self, kind: Kind) -> Option<Node<'c>> {
        self.children().find(|child| child.kind() == kind)
    }

    /// The first node of `kind` below (or at) this node.
    #[must_use]
    pub fn first_of(self, kind: Kind) -> Option<Node<'c>> {
        self.descendants().find(|node| node.kind() == kind)
    }

    fn descendants(self) -> impl Iterator<Item = Node<'c>> {
        (self.at..self.raw().next).map(move |at| Node {
            tree: self.tree,
            at,
        })
    }

    /// The first place below (or at) this node that could not be parsed.
    #[must_use]
    pub fn first_error(self) -> Option<Node<'c>> {
        self.descendants().find(|node| node.is_unread())
    }

    /// Whether the text could not be parsed at this very node.
    #[must_use]
    pub fn is_unread(self) -> bool {
        // The grammar wants a name for `int : 5;`.
        self.is_error() || (self.is_missing() && self.expected() != "field_identifier")
    }
}

/// Children of a node, in order.
#[derive(Clone)]
pub struct Children<'c> {
    tree: &'c Cst,
    at: u32,
    end: u32,
}

impl<'c> Iterator for Children<'c> {
    type Item = Node<'c>;

    fn next(&mut self) -> Option<Node<'c>> {
        if self.at >= self.end {
            return None;
        }
        let node = Node {
            tree: self.tree,
            at: self.at,
        };
        self.at = node.raw().next;
        Some(node)
    }
}

#[cfg(test)]
mod tests {
    use crate::syntax::parse::cst::{Field, Kind, grammar};

    #[test]
    fn every_symbol_exists_in_the_grammar() {
        let language = &grammar().language;
        for (name, kind) in Kind::TABLE {
            let exists = matches!(kind, Kind::Token | Kind::Error)
                || language.id_for_node_kind(name, true) != 0;
            assert!(exists, "{name}");
        }
        for (name, _) in Field::TABLE {
            assert!(language.field_id_for_name(name).is_some(), "{name}");
        }
    }
}
