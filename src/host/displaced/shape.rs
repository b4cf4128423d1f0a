//! The share of pointers in the type of an expression, by the text alone.
//!
//! Given a unit, notes what its declarations say about names; tells numbers from pointers to numbers and
//! from everything that may hold or lead to a pointer. Resolves nothing: a name that is declared twice in
//! different ways may be anything.

use super::sources::is_standard;
use super::{Displaced, Key};
use crate::host::operands::is_of_toolkit;
use crate::sema::types::{self, Type};
use crate::syntax::ast::{
    self, BinaryOp, Builtin, Expr, ExprKind, Name, TemplateArgument, TypeExpr, TypeKind, UnaryOp,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// Nesting of types and expressions, below which they may be anything.
const MAX_DEPTH: u32 = 24;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Neither is nor holds a pointer.
    Number,
    /// A function, or a pointer to one.
    Function,
    Pointer(Rc<Shape>),
    /// An array, or a container that is indexed.
    Array(Rc<Shape>),
    /// A class of the unit.
    Record,
    Other,
}

impl Shape {
    /// What an index or a `*` leads to.
    pub fn element(&self) -> Self {
        match self {
            Self::Pointer(to) | Self::Array(to) => (**to).clone(),
            Self::Number => Self::Number,
            Self::Function => Self::Function,
            Self::Record | Self::Other => Self::Other,
        }
    }

    /// Whether writing through a copy may change pointers that somebody else holds.
    pub fn leads_to_pointers(&self) -> bool {
        match self {
            Self::Number | Self::Function => false,
            Self::Pointer(to) | Self::Array(to) => **to != Self::Number,
            Self::Record | Self::Other => true,
        }
    }

    /// Whether nothing that is followed can be put into a variable of this shape: a number, or an array
    /// of numbers, which stays where it is.
    pub fn is_number(&self) -> bool {
        match self {
            Self::Number => true,
            Self::Array(of) => of.is_number(),
            _ => false,
        }
    }

    /// Whether objects of classes may be there.
    pub fn holds_classes(&self) -> bool {
        match self {
            Self::Array(of) => of.holds_classes(),
            Self::Record | Self::Other => true,
            _ => false,
        }
    }

    /// Whether no pointer into an allocation can be put there.
    pub fn is_fixed(&self) -> bool {
        match self {
            Self::Number | Self::Function => true,
            Self::Array(of) => of.is_fixed(),
            _ => false,
        }
    }

    fn join(self, other: Self) -> Self {
        if self == other { self } else { Self::Other }
    }
}

/// What the declarations of a unit say about the names of types.
#[derive(Default)]
pub(super) struct TypeNames {
    pub aliases: FxHashMap<Name, Vec<TypeExpr>>,
    pub records: FxHashSet<Name>,
    pub enums: FxHashSet<Name>,
    /// Names that stand for any type somewhere.
    pub parameters: FxHashSet<Name>,
    /// Names that stand for a value somewhere, a function perhaps.
    pub values: FxHashSet<Name>,
    /// Shapes of aliases, until another one is noted.
    pub known: RefCell<FxHashMap<Name, Shape>>,
}

impl TypeNames {
    pub fn note_templates(&mut self, heads: &[ast::TemplateHead]) {
        for p in heads.iter().flat_map(|h| &h.parameters) {
            let is_type = !matches!(p.kind, ast::TemplateParameterKind::Value { .. });
            let names = match is_type {
                true => &mut self.parameters,
                false => &mut self.values,
            };
            names.extend(p.name.iter().cloned());
        }
    }

    /// Whether a type is an array: as it is written, by another name, or the standard library's.
    pub fn is_array(&self, ty: &TypeExpr) -> bool {
        let is_standard = |path: &ast::Path| {
            let last = path.segments.last();
            last.is_some_and(|last| &*last.name == "array" && last.arguments.is_some())
        };
        match &ty.kind {
            TypeKind::Named(path) if is_standard(path) => true,
            TypeKind::Named(_) => matches!(self.shape(ty), Shape::Array(_)),
            kind => matches!(kind, TypeKind::Array(..)),
        }
    }

    /// Whether a type is a pointer or a reference to a class of one of these names, or holds some.
    pub fn names_one_of(&self, ty: &TypeExpr, classes: &FxHashSet<Name>) -> bool {
        self.names_one_within(ty, classes, false, MAX_DEPTH)
    }

    fn names_one_within(
        &self,
        ty: &TypeExpr,
        classes: &FxHashSet<Name>,
        is_led_to: bool,
        depth: u32,
    ) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return true;
        };
        match &ty.kind {
            TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } => {
                self.names_one_within(to, classes, true, depth)
            }
            TypeKind::Array(of, _) => self.names_one_within(of, classes, is_led_to, depth),
            TypeKind::Named(path) => path.segments.last().is_some_and(|last| {
                let aliases = self.aliases.get(&last.name);
                is_led_to && classes.contains(&last.name)
                    || aliases
                        .into_iter()
                        .flatten()
                        .any(|alias| self.names_one_within(alias, classes, is_led_to, depth))
            }),
            _ => false,
        }
    }

    pub fn shape(&self, ty: &TypeExpr) -> Shape {
        self.shape_in(ty, MAX_DEPTH)
    }

    fn shape_in(&self, ty: &TypeExpr, depth: u32) -> Shape {
        let Some(depth) = depth.checked_sub(1) else {
            return Shape::Other;
        };
        match &ty.kind {
            TypeKind::Builtin(Builtin::Void) => Shape::Other,
            TypeKind::Builtin(_) | TypeKind::Enum(_) => Shape::Number,
            TypeKind::Function { .. } => Shape::Function,
            TypeKind::Pointer { to, .. } if self.is_function(to, depth) => Shape::Function,
            TypeKind::Pointer { to, .. } => Shape::Pointer(Rc::new(self.shape_in(to, depth))),
            // Where the array begins, its declaration says.
            TypeKind::Reference { to, .. } if matches!(to.kind, TypeKind::Array(..)) => {
                Shape::Pointer(Rc::new(self.shape_in(to, depth).element()))
            }
            TypeKind::Reference { to, .. } => self.shape_in(to, depth),
            TypeKind::Array(of, _) => Shape::Array(Rc::new(self.shape_in(of, depth))),
            TypeKind::Record(_) => Shape::Record,
            TypeKind::Named(path) => self.named(path, depth),
            TypeKind::Auto | TypeKind::Decltype(_) | TypeKind::DecltypeAuto | TypeKind::None => {
                Shape::Other
            }
        }
    }

    /// Whether a type is a function, not a pointer to one.
    fn is_function(&self, ty: &TypeExpr, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        match &ty.kind {
            TypeKind::Function { .. } => true,
            TypeKind::Named(path) => {
                let last = path.segments.last();
                let all = last.and_then(|s| self.aliases.get(&s.name));
                all.is_some_and(|all| all.iter().all(|ty| self.is_function(ty, depth)))
            }
            _ => false,
        }
    }

    fn named(&self, path: &ast::Path, depth: u32) -> Shape {
        let Some(last) = path.segments.last() else {
            return Shape::Other;
        };
        let name = &*last.name;
        if self.parameters.contains(name) {
            return Shape::Other;
        }
        if let Some(all) = self.aliases.get(name) {
            if let Some(known) = self.known.borrow().get(name) {
                return known.clone();
            }
            // What leads back to itself may be anything.
            let name = last.name.clone();
            self.known.borrow_mut().insert(name.clone(), Shape::Other);
            let mut shapes = all.iter().map(|ty| self.shape_in(ty, depth));
            let first = shapes.next().unwrap_or(Shape::Other);
            let shape = shapes.fold(first, Shape::join);
            self.known.borrow_mut().insert(name, shape.clone());
            return shape;
        }
        if self.records.contains(name) {
            return Shape::Record;
        }
        if self.enums.contains(name) {
            return Shape::Number;
        }
        let argument = |i: usize| match last.arguments.as_deref()?.get(i)? {
            TemplateArgument::Type(ty) => Some(self.shape_in(ty, depth)),
            TemplateArgument::Expr(_) => None,
        };
        match name {
            // An address, though it counts as a number.
            "CUdeviceptr" | "hipDeviceptr_t" => Shape::Other,
            "vector" | "array" | "deque" | "list" | "initializer_list" | "device_vector"
            | "host_vector" => argument(0).map_or(Shape::Other, |s| Shape::Array(Rc::new(s))),
            "span" | "unique_ptr" | "shared_ptr" | "device_ptr" => {
                argument(0).map_or(Shape::Other, |s| Shape::Pointer(Rc::new(s)))
            }
            "map" | "unordered_map" => {
                argument(1).map_or(Shape::Other, |s| Shape::Array(Rc::new(s)))
            }
            "dim3" => Shape::Number,
            // Texts and files hold characters of their own.
            "string" | "string_view" | "ofstream" | "ifstream" | "fstream" | "stringstream"
            | "ostringstream" | "istringstream" | "FILE" => Shape::Array(Rc::new(Shape::Number)),
            _ => match types::known(name) {
                Some(Type::Scalar(_, _) | Type::Vector { .. }) => Shape::Number,
                // Streams, events and other handles.
                Some(Type::Pointer(_)) => Shape::Number,
                _ => Shape::Other,
            },
        }
    }
}

impl Displaced<'_> {
    /// Whether an expression names a function, not a variable that points to one.
    pub(super) fn is_function_name(&self, at: usize, e: &Expr) -> bool {
        let ExprKind::Path(p) = &e.kind else {
            return false;
        };
        let key = p.segments.last().map(|last| self.key(at, &last.name));
        key.is_some_and(|key| {
            matches!(&key, Key::Global(name) if self.signatures.contains_key(name))
                && !self.shapes.contains_key(&key)
        })
    }

    /// The shape of an expression in a function.
    pub(super) fn shape_of(&self, at: usize, e: &Expr) -> Shape {
        self.shape_at(at, e, MAX_DEPTH)
    }

    fn shape_at(&self, at: usize, e: &Expr, depth: u32) -> Shape {
        let Some(depth) = depth.checked_sub(1) else {
            return Shape::Other;
        };
        let of = |e: &Expr| self.shape_at(at, e, depth);
        match &e.kind {
            ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Bool(_)
            | ExprKind::Char(..)
            | ExprKind::SizeofType(_)
            | ExprKind::Sizeof(_)
            | ExprKind::AlignofType(_)
            | ExprKind::SizeofPack(_) => Shape::Number,
            ExprKind::Str(_) | ExprKind::Null => Shape::Pointer(Rc::new(Shape::Number)),
            ExprKind::Path(p) => self.shape_of_path(at, p),
            ExprKind::Member { member, .. } => match member.segments.last() {
                Some(s) => self.declared(&Key::Global(s.name.clone())),
                None => Shape::Other,
            },
            ExprKind::Unary(op, inner) => match op {
                UnaryOp::Deref => of(inner).element(),
                UnaryOp::AddressOf if self.is_function_name(at, inner) => Shape::Function,
                UnaryOp::AddressOf => Shape::Pointer(Rc::new(of(inner))),
                UnaryOp::Not | UnaryOp::BitNot | UnaryOp::Neg => Shape::Number,
                _ => of(inner),
            },
            ExprKind::Index(base, _) => of(base).element(),
            ExprKind::Cast { ty, .. } | ExprKind::Construct { ty, .. } => self.types.shape(ty),
            ExprKind::Assign(_, place, _) => of(place),
            ExprKind::Conditional(_, a, b) => of(a).join(of(b)),
            ExprKind::Expand(inner) => of(inner),
            ExprKind::Binary(BinaryOp::Comma, _, b) => of(b),
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => match (of(a), of(b)) {
                (Shape::Number, Shape::Number) => Shape::Number,
                (Shape::Pointer(_) | Shape::Array(_), Shape::Pointer(_) | Shape::Array(_))
                    if *op == BinaryOp::Sub =>
                {
                    Shape::Number
                }
                (Shape::Pointer(to) | Shape::Array(to), _)
                | (_, Shape::Pointer(to) | Shape::Array(to)) => Shape::Pointer(to),
                _ => Shape::Other,
            },
            ExprKind::Binary(_, a, b) => match (of(a), of(b)) {
                // An operator of a class.
                (Shape::Record, _) | (_, Shape::Record) => Shape::Other,
                (Shape::Other, _) | (_, Shape::Other) if self.has_operators => Shape::Other,
                _ => Shape::Number,
            },
            ExprKind::Call { callee, .. } => {
                let name = match &callee.kind {
                    ExprKind::Path(p) if is_standard(p) => None,
                    ExprKind::Path(p) => p.segments.last(),
                    ExprKind::Member { member, .. } => member.segments.last(),
                    ExprKind::Other("new") => return Shape::Pointer(Rc::new(Shape::Other)),
                    _ => None,
                };
                name.map_or(Shape::Other, |last| self.shape_of_result(&last.name))
            }
            _ => Shape::Other,
        }
    }

    /// The shape of what all functions of a name give.
    fn shape_of_result(&self, name: &Name) -> Shape {
        if let Some(known) = self.results.borrow().get(name) {
            return known.clone();
        }
        let shape = match self.signatures.get(name) {
            Some(all) => {
                let mut shapes = all.iter().map(|f| self.types.shape(&f.result));
                let first = shapes.next().unwrap_or(Shape::Other);
                shapes.fold(first, Shape::join)
            }
            None if is_of_toolkit(name) => Shape::Number,
            None => Shape::Other,
        };
        if self.is_noted {
            let mut results = self.results.borrow_mut();
            results.insert(name.clone(), shape.clone());
        }
        shape
    }

    fn shape_of_path(&self, at: usize, p: &ast::Path) -> Shape {
        let Some(last) = p.segments.last() else {
            return Shape::Other;
        };
        if self.enumerators.contains(&last.name) {
            return Shape::Number;
        }
        let key = self.key(at, &last.name);
        match (&key, self.shapes.get(&key)) {
            (_, Some(shape)) => shape.clone(),
            (Key::Global(name), None) if self.signatures.contains_key(name) => Shape::Function,
            _ => Shape::Other,
        }
    }

    /// What the declarations of a variable say.
    pub(super) fn declared(&self, key: &Key) -> Shape {
        self.shapes.get(key).cloned().unwrap_or(Shape::Other)
    }

    /// Adds a declaration of a variable.
    pub(super) fn declare(&mut self, key: Key, shape: Shape) {
        match self.shapes.remove(&key) {
            Some(known) => {
                if known != shape {
                    self.of_several_shapes.insert(key.clone());
                }
                self.shapes.insert(key, known.join(shape))
            }
            None => self.shapes.insert(key, shape),
        };
    }
}
