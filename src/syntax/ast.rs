//! The tree of one translation unit, in our own types.
//!
//! Given by `parse`; read by `sema`, `host` and `lower`. Every node carries the byte range of the
//! *expanded* text it came from; only `Expanded::origin` knows where the user
//! wrote it. Names are not resolved, types are as written, nothing is folded.

mod operators;

pub use operators::{BinaryOp, UnaryOp};

use std::sync::Arc;

/// An identifier; equal names of one unit share one allocation.
pub type Name = Arc<str>;

/// Bytes of the expanded text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Range {
    pub start: u32,
    pub end: u32,
}

/// One translation unit.
#[derive(Debug, Default)]
pub struct Unit {
    pub items: Vec<Item>,
    /// Places that could not be read and belong to no function.
    pub problems: Vec<Problem>,
}

/// Text that could not be read.
#[derive(Clone, Debug)]
pub struct Problem {
    pub range: Range,
    /// One sentence for users.
    pub message: String,
}

#[derive(Debug)]
pub enum Item {
    Function(Arc<Function>),
    Variables(Vec<Variable>),
    /// What text that could not be read may declare. It hides what outer scopes have under these names.
    Unread(Vec<Variable>),
    Record(Arc<Record>),
    Enum(Arc<Enum>),
    Alias(Arc<Alias>),
    /// `namespace a { … }`; `None` for an unnamed one. `extern "C" { … }` is spliced into its parent.
    Namespace(Option<Name>, Vec<Item>),
    /// `using namespace a::b;`
    UsingNamespace(Path),
    /// `using a::b;`
    Using(Path),
    /// `namespace a = b;`
    /// An empty path means the namespace that it stands in: `inline namespace v2` has its names there.
    NamespaceAlias(Name, Path),
    /// `template __global__ void f<float>(…);`
    Instantiation(Arc<Function>),
    /// `template class C<float>;`
    ClassInstantiation(Path),
}

/// A function declaration or definition, method or free.
#[derive(Debug)]
pub struct Function {
    pub name: Name,
    /// `A::B` of `A::B::name`.
    pub qualifier: Option<Path>,
    /// Template heads, outermost first (a member template of a class template defined outside has two).
    pub templates: Vec<TemplateHead>,
    /// Arguments after the name: `f<float, 3>` in a specialisation or instantiation.
    pub arguments: Vec<TemplateArgument>,
    pub parameters: Vec<Parameter>,
    pub result: TypeExpr,
    pub attributes: FunctionAttributes,
    pub kind: FunctionKind,
    /// Initialisers of a constructor: `: a(1), b{2}, Base<T>(3)`, each by the member or class that it names.
    pub initialisers: Vec<(Path, Vec<Expr>)>,
    pub body: Option<Vec<Stmt>>,
    /// Set where the definition holds text that could not be read: the body is then not to be trusted.
    pub problem: Option<Problem>,
    pub range: Range,
    pub name_range: Range,
}

impl Function {
    /// `S(const S &) = default;`: it does what there would be without it.
    #[must_use]
    pub fn is_default_copy(&self) -> bool {
        let is_copy = match &self.parameters[..] {
            [one] => matches!(one.ty.kind, TypeKind::Reference { .. }),
            _ => false,
        };
        self.kind == FunctionKind::Constructor && self.attributes.is_default && is_copy
    }

    /// Whether this takes a `std::initializer_list`: braces prefer such a constructor to all others.
    #[must_use]
    pub fn takes_list(&self) -> bool {
        self.parameters.iter().take(1).any(|parameter| {
            let mut ty = &parameter.ty;
            while let TypeKind::Reference { to, .. } = &ty.kind {
                ty = to;
            }
            matches!(&ty.kind, TypeKind::Named(path)
                if path.segments.last().is_some_and(|last| &*last.name == "initializer_list"))
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    Plain,
    Constructor,
    Destructor,
    /// `operator+`, `operator[]`, `operator()`: `Function::name` is the text after `operator`.
    Operator,
    /// `operator T*()`: the type is `Function::result`.
    Conversion,
}

/// With which objects a member function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefQualifier {
    LValue,
    RValue,
}

#[derive(Debug, Default)]
pub struct FunctionAttributes {
    pub global: bool,
    pub device: bool,
    pub host: bool,
    pub is_static: bool,
    pub is_constexpr: bool,
    /// The `...` of C.
    pub is_variadic: bool,
    pub is_const: bool,
    /// `f() &`, `f() &&`
    pub reference: Option<RefQualifier>,
    pub is_virtual: bool,
    /// Takes no part in conversions that nobody wrote.
    pub is_explicit: bool,
    /// `= default`
    pub is_default: bool,
    /// C++20: takes part only where a condition holds of its template arguments.
    pub is_constrained: bool,
    /// `__launch_bounds__(a, b)`; empty where there is none.
    pub launch_bounds: Vec<Expr>,
}

#[derive(Debug)]
pub struct Parameter {
    pub name: Option<Name>,
    pub ty: TypeExpr,
    pub default: Option<Expr>,
    /// `T... xs`
    pub is_pack: bool,
    pub range: Range,
}

#[derive(Debug, Default)]
pub struct TemplateHead {
    pub parameters: Vec<TemplateParameter>,
}

#[derive(Debug)]
pub struct TemplateParameter {
    pub name: Option<Name>,
    pub kind: TemplateParameterKind,
    pub is_pack: bool,
}

#[derive(Debug)]
pub enum TemplateParameterKind {
    Type {
        default: Option<TypeExpr>,
    },
    Value {
        ty: TypeExpr,
        default: Option<Expr>,
    },
    /// `template <typename> class P = D`
    Template {
        default: Option<Path>,
    },
}

/// A class, struct or union.
#[derive(Debug)]
pub struct Record {
    pub name: Option<Name>,
    pub qualifier: Option<Path>,
    pub templates: Vec<TemplateHead>,
    /// Arguments of a specialisation: `struct S<float> { … }`.
    pub arguments: Vec<TemplateArgument>,
    pub is_union: bool,
    pub bases: Vec<TypeExpr>,
    /// `alignas(n)`, `__align__(n)`.
    pub align: Option<Expr>,
    /// `#pragma pack`, `__attribute__((packed))`: the largest alignment of a member; 0 where it
    /// is not known.
    pub pack: Option<u64>,
    /// Declares a virtual function.
    pub is_polymorphic: bool,
    /// Has private or protected data.
    pub has_hidden_data: bool,
    /// Not everything in it, and in its bases, is public.
    pub has_hidden_names: bool,
    /// C++20: meant only where a condition holds of its template arguments.
    pub is_constrained: bool,
    /// What the layout rests on that is not modelled.
    pub unmodelled: Option<&'static str>,
    pub members: Vec<Member>,
    /// False for `struct S;`
    pub is_definition: bool,
    pub problem: Option<Problem>,
    pub range: Range,
}

impl Record {
    /// The names that a class without a name gives to the scope around it: `union { int i; float f; };`
    #[must_use]
    pub fn names_given_outward(&self) -> Vec<&Name> {
        let mut names = Vec::new();
        let mut unnamed = vec![self];
        while let Some(record) = unnamed.pop() {
            for member in &record.members {
                match member {
                    Member::Variables(variables) => {
                        for variable in variables.iter() {
                            match &variable.ty.kind {
                                TypeKind::Record(inner) if variable.name.is_empty() => {
                                    unnamed.push(inner)
                                }
                                _ => names.push(&variable.name),
                            }
                        }
                    }
                    Member::Record(inner) if inner.name.is_none() => unnamed.push(inner),
                    _ => {}
                }
            }
        }
        names
    }

    /// Whether this is a specialisation of a class template: `template <> struct S<> { … }`.
    #[must_use]
    pub fn is_specialisation(&self) -> bool {
        let is_full = |head: &TemplateHead| head.parameters.is_empty();
        !self.arguments.is_empty() || self.templates.last().is_some_and(is_full)
    }
}

#[derive(Debug)]
pub enum Member {
    /// Data members, static ones included (`Variable::storage.is_static`); an unnamed
    /// nested struct or union is a variable with an empty name.
    Variables(Vec<Variable>),
    Function(Arc<Function>),
    Record(Arc<Record>),
    Enum(Arc<Enum>),
    Alias(Arc<Alias>),
    /// `using Base::name;`
    Using(Path),
    /// A friend that the class defines: a function of the namespace around it that only arguments of the
    /// class bring in.
    Friend(Arc<Function>),
}

#[derive(Debug)]
pub struct Enum {
    pub name: Option<Name>,
    pub is_class: bool,
    /// `__attribute__((packed))` and others, which change its size.
    pub has_attributes: bool,
    pub underlying: Option<TypeExpr>,
    pub values: Vec<(Name, Option<Expr>)>,
    pub range: Range,
}

/// `typedef T name;` or `using name = T;`
#[derive(Debug)]
pub struct Alias {
    pub name: Name,
    pub template: Option<TemplateHead>,
    pub ty: TypeExpr,
    pub range: Range,
}

/// One declarator of a declaration.
#[derive(Debug)]
pub struct Variable {
    /// Empty for an unnamed member; see `bindings` for `auto [a, b] = …`.
    pub name: Name,
    pub bindings: Vec<Name>,
    /// Qualified definitions such as `int S::x = 1;`.
    pub qualifier: Option<Path>,
    pub template: Option<TemplateHead>,
    /// Arguments of a specialisation of a variable template: `v<float>`.
    pub arguments: Vec<TemplateArgument>,
    pub ty: TypeExpr,
    pub storage: Storage,
    pub init: Option<Initialiser>,
    /// Width of a bit-field.
    pub bits: Option<Expr>,
    pub range: Range,
    pub name_range: Range,
}

#[derive(Clone, Debug, Default)]
pub struct Storage {
    pub is_shared: bool,
    pub is_constant: bool,
    pub is_device: bool,
    pub is_managed: bool,
    pub is_extern: bool,
    pub is_static: bool,
    pub is_mutable: bool,
    pub is_constexpr: bool,
    /// `__align__(n)`, `alignas(n)`
    pub align: Option<Arc<Expr>>,
}

#[derive(Debug)]
pub enum Initialiser {
    /// `= e`
    Equals(Expr),
    /// `(a, b)`
    Paren(Vec<Expr>),
    /// `{a, b}`
    Brace(Expr),
}

/// `a::b<int>::c`
#[derive(Clone, Debug)]
pub struct Path {
    /// Starts with `::`.
    pub is_global: bool,
    pub segments: Vec<Segment>,
    pub range: Range,
}

impl Path {
    /// A name alone, or with `::` in front of it.
    #[must_use]
    pub fn of_name(name: Name, is_global: bool, range: Range) -> Self {
        let segment = Segment {
            name,
            arguments: None,
        };
        Self {
            is_global,
            segments: vec![segment],
            range,
        }
    }

    /// The name that it is, without qualifier and arguments.
    #[must_use]
    pub fn as_name(&self) -> Option<&Name> {
        match &self.segments[..] {
            [only] if !self.is_global && only.arguments.is_none() => Some(&only.name),
            _ => None,
        }
    }

    /// The template arguments of all segments, from left to right.
    pub fn template_arguments(&self) -> impl Iterator<Item = &TemplateArgument> {
        let lists = self.segments.iter().filter_map(|s| s.arguments.as_deref());
        lists.flatten()
    }

    /// What stands before the last name: `a::b` of `a::b::c`, nothing of `c` or `::c`.
    #[must_use]
    pub fn qualifier(&self) -> Option<Path> {
        let (_, segments) = self.segments.split_last()?;
        (!segments.is_empty()).then(|| Path {
            is_global: self.is_global,
            segments: segments.to_vec(),
            range: self.range,
        })
    }
}

/// The name of a segment that stands for `decltype(…)`; its one argument is that type.
pub const DECLTYPE: &str = "decltype";

#[derive(Clone, Debug)]
pub struct Segment {
    pub name: Name,
    pub arguments: Option<Arc<[TemplateArgument]>>,
}

impl Segment {
    /// The type of `decltype(…)`, where that stands for a name.
    #[must_use]
    pub fn decltype(&self) -> Option<&TypeExpr> {
        match self.arguments.as_deref() {
            Some([TemplateArgument::Type(ty)]) if &*self.name == DECLTYPE => Some(ty),
            _ => None,
        }
    }
}

/// A name alone (`f<N>`) is given as `Type(Named)`: only a scope can tell a type from a value.
#[derive(Clone, Debug)]
pub enum TemplateArgument {
    Type(TypeExpr),
    Expr(Expr),
}

#[derive(Clone, Debug)]
pub struct TypeExpr {
    pub kind: TypeKind,
    pub is_const: bool,
    pub is_volatile: bool,
    pub range: Range,
}

impl TypeExpr {
    /// The type that a path names, without `const` and `volatile`.
    #[must_use]
    pub fn named(path: Path) -> Self {
        Self {
            range: path.range,
            kind: TypeKind::Named(path),
            is_const: false,
            is_volatile: false,
        }
    }
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Auto,
    Builtin(Builtin),
    /// `typename`, `struct`, `enum` in front are dropped.
    Named(Path),
    Pointer {
        to: Arc<TypeExpr>,
        is_restrict: bool,
    },
    Reference {
        to: Arc<TypeExpr>,
        is_rvalue: bool,
    },
    /// `None` for `[]`.
    Array(Arc<TypeExpr>, Option<Arc<Expr>>),
    /// A function, as in a function pointer.
    Function {
        result: Arc<TypeExpr>,
        parameters: Arc<[TypeExpr]>,
    },
    Record(Arc<Record>),
    Enum(Arc<Enum>),
    Decltype(Arc<Expr>),
    /// `decltype(auto)`
    DecltypeAuto,
    /// No type in the text: constructors, `operator T()` before its type is read.
    None,
}

/// The fundamental types, spelled in any order (`unsigned long int`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    Void,
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Float,
    Double,
    LongDouble,
    WChar,
    Char8,
    Char16,
    Char32,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub range: Range,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `is_unsigned` as the suffix or the size of a hexadecimal literal makes it; `is_long` for 64 bits,
    /// `is_long_long` where the suffix says so.
    Int {
        value: u64,
        is_unsigned: bool,
        is_long: bool,
        is_long_long: bool,
    },
    /// `is_single`: suffix `f`.
    Float {
        value: f64,
        is_single: bool,
    },
    Bool(bool),
    /// Its value and type; that of several characters is `int`.
    Char(i64, Builtin),
    /// Contents, adjacent literals joined.
    Str(Arc<str>),
    Null,
    This,
    Path(Path),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a = b` or `a op= b`.
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Call {
        callee: Box<Expr>,
        arguments: Vec<Expr>,
    },
    /// `f<<<grid, block, shared, stream>>>(arguments)`
    Launch {
        callee: Box<Expr>,
        config: Vec<Expr>,
        arguments: Vec<Expr>,
    },
    Index(Box<Expr>, Vec<Expr>),
    Member {
        object: Box<Expr>,
        arrow: bool,
        member: Path,
    },
    /// Every cast: `(T)e`, `static_cast<T>(e)`, `reinterpret_cast<T>(e)`, `const_cast<T>(e)`.
    Cast {
        ty: TypeExpr,
        value: Box<Expr>,
        is_reinterpret: bool,
    },
    /// `T(a, b)` where `T` can only be a type, `T{a, b}`. `name(a)` with a plain name is a `Call`.
    Construct {
        ty: TypeExpr,
        arguments: Vec<Expr>,
    },
    /// `{a, .b = c}` with its designators.
    List(Vec<(Option<Name>, Expr)>),
    SizeofType(TypeExpr),
    Sizeof(Box<Expr>),
    AlignofType(TypeExpr),
    /// `sizeof...(xs)`
    SizeofPack(Name),
    Lambda(Arc<Lambda>),
    /// `xs...` in an argument list.
    Expand(Box<Expr>),
    /// A fold expression: operator, pack expression, and the initial operand where there is one.
    Fold {
        op: BinaryOp,
        pack: Box<Expr>,
        init: Option<Box<Expr>>,
        is_left: bool,
    },
    /// Valid C++ that carries no address: `new`, `throw`, `typeid`, … with its name.
    Other(&'static str),
    Error,
}

/// `new (place) T(x)`: [`ExprKind::Other`] that is called, cast to the type of its result where that is one object;
/// and with `()` or `{}`, which gives an object without constructors a value.
pub const NEW_IN_PLACE: &str = "new in a place";
pub const NEW_VALUE_IN_PLACE: &str = "new with a value in a place";

impl Expr {
    /// Whether a name or a member stands in parentheses: `(f)`, `(s.m)`.
    #[must_use]
    pub fn is_name_in_parentheses(&self) -> bool {
        match &self.kind {
            ExprKind::Path(path) => self.range.start < path.range.start,
            ExprKind::Member { object, .. } => self.range.start < object.range.start,
            _ => false,
        }
    }
}

/// What stands in a lambda's brackets.
#[derive(Debug, Default)]
pub struct Captures {
    /// `[=]` or `[&]`: whether by reference.
    pub default: Option<bool>,
    pub listed: Vec<Capture>,
}

/// `x`, `&x`, `x = e`, `&x = e`, `this`, `*this` (by copy)
#[derive(Debug)]
pub struct Capture {
    pub name: Name,
    pub is_reference: bool,
    /// A variable of its own, with an initial value.
    pub is_new: bool,
    pub init: Option<Expr>,
}

impl Captures {
    /// How a variable that is in sight where the lambda stands gets into it: by reference or as a
    /// copy; `None` where the lambda has no way to it.
    #[must_use]
    pub fn is_reference(&self, name: &str) -> Option<bool> {
        match self.listed.iter().find(|c| &*c.name == name) {
            Some(c) => Some(c.is_reference),
            None => self.default,
        }
    }
}

#[derive(Debug)]
pub struct Lambda {
    /// `[]<class T, int N>(…)`
    pub templates: Vec<TemplateHead>,
    pub parameters: Vec<Parameter>,
    pub body: Vec<Stmt>,
    /// `[&]`
    pub captures_by_reference: bool,
    /// Its copies keep what a call leaves in them.
    pub is_mutable: bool,
    /// What the brackets name.
    pub captures: Captures,
    /// With `[=]`, every name in the lambda: those of variables around it are copied.
    pub mentioned: Vec<Name>,
    pub result: Option<TypeExpr>,
    pub range: Range,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub range: Range,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Empty,
    Block(Vec<Stmt>),
    Variables(Arc<Vec<Variable>>),
    Alias(Arc<Alias>),
    Record(Arc<Record>),
    Enum(Arc<Enum>),
    Using(Path),
    UsingNamespace(Path),
    Expr(Expr),
    If {
        is_constexpr: bool,
        init: Option<Box<Stmt>>,
        condition: Condition,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    For {
        init: Option<Box<Stmt>>,
        condition: Option<Expr>,
        step: Option<Expr>,
        body: Box<Stmt>,
    },
    RangeFor {
        variable: Arc<Variable>,
        range: Expr,
        body: Box<Stmt>,
    },
    While {
        condition: Condition,
        body: Box<Stmt>,
    },
    DoWhile {
        body: Box<Stmt>,
        condition: Expr,
    },
    /// The body is kept flat: `Case` and `Default` mark positions in it.
    Switch {
        value: Expr,
        body: Vec<Stmt>,
    },
    Case(Expr),
    Default,
    Break,
    Continue,
    Return(Option<Expr>),
    Goto(Name),
    Label(Name),
    Asm(Arc<Asm>),
    Error,
}

/// The condition of `if` and `while`: an expression, or a declaration (`if (int x = f())`).
#[derive(Clone, Debug)]
pub enum Condition {
    Expr(Expr),
    Variable(Arc<Variable>),
}

/// Inline assembly after macro expansion.
#[derive(Debug)]
pub struct Asm {
    /// The template, string literals joined.
    pub text: String,
    /// Constraint (`"=r"`) and operand.
    pub outputs: Vec<(String, Expr)>,
    pub inputs: Vec<(String, Expr)>,
}
