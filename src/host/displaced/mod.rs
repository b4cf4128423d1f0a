//! Displaced pointers: those of host code that the text may move away from the start of an allocation.
//!
//! Given all host functions of a unit; follows, whatever the order of execution, where the results of
//! pointer arithmetic may get to: through variables, members, parameters, results, references, pointers
//! to pointers, containers and lambdas. What a pointer of a name that is not displaced holds was never
//! computed in the text, so that taking it for the start of an allocation assumes only what the text does
//! not show. Names stand for all variables of that name in one function, or of all classes and
//! namespaces; elements and pointees share the cell of what leads to them.

mod flow;
mod read;
mod shape;
mod sources;

use super::scan::MAX_DEPTH;
use crate::syntax::ast::{self, Expr, Function, Item, Lambda, Member, Name, Record};
use read::unnamed_class;
use rustc_hash::{FxHashMap, FxHashSet};
use shape::{Shape, TypeNames};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// What may hold a pointer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// A variable of a function, by the function's place.
    Local(usize, Name),
    /// A member, or a variable of a namespace.
    Global(Name),
    /// What calls in the text give to a parameter of the functions of a name.
    Entry(Name, usize),
    /// What functions of a name write through their parameters of one place; with `true`, those only that
    /// lead on to other pointers.
    Through(Name, flow::ParameterSlot, bool),
    Result(Name),
    /// What is given to functions that are not known by name, and to classes that are made out of sight.
    Anybody,
    /// What these may leave in their arguments, and give back.
    LeftByAnybody,
    ResultOfAnybody,
    /// Names that are bound to members may be any of them, and may write any of them.
    AnyMember,
    BoundToMembers,
}

/// The place of what stands outside of functions.
pub(super) const OUTSIDE: usize = usize::MAX;
/// The place of text that was not read: every pointer may be moved there.
pub(super) const NOWHERE: usize = usize::MAX - 1;

/// Which cells what a cell holds may get to.
#[derive(Default)]
struct Flows {
    numbers: FxHashMap<Key, u32>,
    keys: Vec<Key>,
    /// By number.
    to: Vec<FxHashSet<u32>>,
}

impl Flows {
    fn number(&mut self, key: &Key) -> u32 {
        if let Some(known) = self.numbers.get(key) {
            return *known;
        }
        let number = self.keys.len() as u32;
        self.numbers.insert(key.clone(), number);
        self.keys.push(key.clone());
        self.to.push(FxHashSet::default());
        number
    }

    fn insert(&mut self, from: &Key, to: &Key) {
        let (from, to) = (self.number(from), self.number(to));
        self.to[from as usize].insert(to);
    }

    /// Where what a cell holds gets to in one step.
    fn from(&self, key: &Key) -> impl Iterator<Item = &Key> {
        let number = self.numbers.get(key);
        let next = number.into_iter().flat_map(|at| &self.to[*at as usize]);
        next.map(|at| &self.keys[*at as usize])
    }
}

#[derive(Default)]
pub(super) struct Displaced<'a> {
    types: TypeNames,
    /// Every function of a name, with a body or without.
    signatures: FxHashMap<Name, Vec<&'a Function>>,
    /// Those whose bodies are read, each with the place of its variables.
    functions: FxHashMap<Name, Vec<(usize, &'a Function)>>,
    /// Their parameters, of names that are called.
    parameters: FxHashMap<Name, Rc<[(flow::ParameterSlot, flow::Parameter<'a>)]>>,
    records: FxHashMap<Name, Vec<&'a Record>>,
    enumerators: FxHashSet<Name>,
    /// Members that are arrays: a pointer to their elements points into an object.
    arrays: FxHashSet<Name>,
    /// Data members of classes.
    members: FxHashSet<Name>,
    /// Variables that are references to numbers, which may lie in any object.
    references: FxHashSet<Key>,
    /// Classes that others derive from and do not begin with: a pointer that becomes one to them moves.
    later_bases: FxHashSet<Name>,
    shapes: FxHashMap<Key, Shape>,
    /// Names of variables that differ in shape.
    of_several_shapes: FxHashSet<Key>,
    /// Names that a function declares, by its place.
    locals: Vec<FxHashSet<Name>>,
    /// Functions that lambdas stand in, by address.
    lambdas: FxHashMap<usize, usize>,
    /// Functions of the unit by address.
    places: FxHashMap<usize, usize>,
    has_operators: bool,
    /// Whether a class converts itself to something that is no number.
    has_conversions: bool,
    has_bindings: bool,
    /// Whether all declarations are known.
    is_noted: bool,
    flows: Flows,
    displaced: FxHashSet<Key>,
    /// Shapes of what the functions of a name give, once all declarations are noted.
    results: RefCell<FxHashMap<Name, Shape>>,
    /// Names of kernels.
    kernels: FxHashSet<Name>,
    /// Kernels that may be launched through what a cell holds.
    kernels_in: FxHashMap<Key, Vec<ast::Path>>,
}

/// Types that go by one name, beyond which the name may stand for any.
const MAX_ALIASES: usize = 8;

impl<'a> Displaced<'a> {
    /// Reads a unit's host functions; functions used as `values` may be called by anybody.
    pub fn new(
        unit: &'a ast::Unit,
        functions: &[&'a Arc<Function>],
        values: &FxHashSet<Name>,
    ) -> Self {
        let mut out = Self {
            locals: vec![FxHashSet::default(); functions.len()],
            ..Self::default()
        };
        out.note_types(&unit.items, 0);
        out.note_items(&unit.items, 0);
        for (at, f) in functions.iter().enumerate() {
            out.places.insert(Arc::as_ptr(f) as usize, at);
            out.note_function(at, f);
        }
        out.types.known.borrow_mut().clear();
        out.is_noted = true;
        out.read_items(&unit.items, 0);
        for (at, f) in functions.iter().enumerate() {
            out.read_function(at, f);
        }
        out.link_anybody(values);
        out.close();
        out.close_kernels();
        out
    }

    /// The place of a function's variables.
    pub fn place_of(&self, function: &Arc<Function>) -> usize {
        let address = Arc::as_ptr(function) as usize;
        self.places.get(&address).copied().unwrap_or(NOWHERE)
    }

    /// The place of the variables around a lambda.
    pub fn place_of_lambda(&self, l: &Arc<Lambda>) -> usize {
        let address = Arc::as_ptr(l) as usize;
        self.lambdas.get(&address).copied().unwrap_or(NOWHERE)
    }

    /// Whether a variable may hold a pointer that was moved.
    pub fn moves(&self, at: usize, name: &str) -> bool {
        let name = Name::from(name);
        at == NOWHERE || self.displaced.contains(&self.key(at, &name))
    }

    /// Whether a call in the text may give a moved pointer to a parameter.
    pub fn moves_argument(&self, function: &Function, i: usize) -> bool {
        let key = Key::Entry(function.name.clone(), i);
        self.displaced.contains(&key)
    }

    /// Whether an expression may give a pointer that was moved.
    pub fn is_displaced(&self, at: usize, e: &Expr) -> bool {
        if at == NOWHERE {
            return true;
        }
        if self.converts(at, e) {
            return true;
        }
        let sources = self.sources(at, e);
        sources.is_moved
            || sources.is_part
            || sources.is_opaque
            || sources.cells.iter().any(|c| self.displaced.contains(c))
    }

    /// Whether an expression that gives a pointer is one only by a conversion of its class: what that gives
    /// is not followed.
    fn converts(&self, at: usize, e: &Expr) -> bool {
        match self.shape_of(at, e) {
            Shape::Record => true,
            Shape::Other => self.has_conversions,
            _ => false,
        }
    }

    /// The kernels that an expression may stand for, as far as the text names them.
    pub fn kernels(&self, at: usize, e: &Expr) -> Vec<ast::Path> {
        if at == NOWHERE {
            return Vec::new();
        }
        let sources = self.sources(at, e);
        let held = sources.cells.iter().filter_map(|c| self.kernels_in.get(c));
        let mut out: Vec<ast::Path> = Vec::new();
        for path in sources.kernels.iter().chain(held.flatten()) {
            if !out.iter().any(|known| known.range == path.range) {
                out.push(path.clone());
            }
        }
        out.sort_by_key(|path| path.range.start);
        out
    }

    /// Carries kernels along all flows.
    fn close_kernels(&mut self) {
        let mut todo: Vec<Key> = self.kernels_in.keys().cloned().collect();
        while let Some(key) = todo.pop() {
            let held = self.kernels_in.get(&key).cloned().unwrap_or_default();
            for next in self.flows.from(&key) {
                let known = self.kernels_in.entry(next.clone()).or_default();
                let before = known.len();
                for path in &held {
                    if !known.iter().any(|one| one.range == path.range) {
                        known.push(path.clone());
                    }
                }
                if known.len() > before {
                    todo.push(next.clone());
                }
            }
        }
    }

    fn key(&self, at: usize, name: &Name) -> Key {
        match self.locals.get(at) {
            Some(own) if own.contains(name) => Key::Local(at, name.clone()),
            _ => Key::Global(name.clone()),
        }
    }

    fn note_types(&mut self, items: &'a [Item], depth: u32) {
        for item in items.iter().filter(|_| depth < 64) {
            match item {
                Item::Record(r) => self.note_record(r, depth),
                Item::Enum(e) => self.note_enum(e),
                Item::Alias(a) => self.note_alias(a),
                Item::Function(f) => self.types.note_templates(&f.templates),
                Item::Namespace(_, inner) => self.note_types(inner, depth + 1),
                _ => {}
            }
        }
    }

    fn note_alias(&mut self, a: &ast::Alias) {
        if a.template.is_some() {
            self.types.parameters.insert(a.name.clone());
            return;
        }
        self.types.known.borrow_mut().clear();
        let all = self.types.aliases.entry(a.name.clone()).or_default();
        if all.len() < MAX_ALIASES {
            all.push(a.ty.clone());
        } else {
            self.types.parameters.insert(a.name.clone());
        }
    }

    fn note_enum(&mut self, e: &ast::Enum) {
        self.types.enums.extend(e.name.clone());
        let names = e.values.iter().map(|(name, _)| name.clone());
        self.enumerators.extend(names);
    }

    /// Notes a class and the types in it.
    fn note_record(&mut self, r: &'a Record, depth: u32) {
        if depth >= 64 {
            return;
        }
        self.types.note_templates(&r.templates);
        // A table of virtual functions comes first.
        let first = usize::from(!r.is_polymorphic);
        for base in r.bases.iter().skip(first) {
            if let ast::TypeKind::Named(path) = &base.kind {
                let name = path.segments.last().map(|last| last.name.clone());
                self.later_bases.extend(name);
            }
        }
        if let Some(name) = &r.name {
            self.types.records.insert(name.clone());
            if r.is_definition {
                self.records.entry(name.clone()).or_default().push(r);
            }
        }
        for m in &r.members {
            match m {
                Member::Record(inner) => self.note_record(inner, depth + 1),
                Member::Enum(e) => self.note_enum(e),
                Member::Alias(a) => self.note_alias(a),
                Member::Function(f) | Member::Friend(f) => self.types.note_templates(&f.templates),
                Member::Variables(_) | Member::Using(_) => {}
            }
        }
    }

    fn note_items(&mut self, items: &'a [Item], depth: u32) {
        for item in items.iter().filter(|_| depth < 64) {
            match item {
                Item::Function(f) => self.note_signature(f),
                Item::Record(r) => self.note_members(r, depth),
                Item::Variables(vs) => {
                    for v in vs {
                        self.note_global(v);
                        if let Some(r) = unnamed_class(&v.ty) {
                            self.note_unnamed(r, depth + 1);
                        }
                    }
                }
                Item::Namespace(_, inner) => self.note_items(inner, depth + 1),
                _ => {}
            }
        }
    }

    /// Whether a type is that of pointers to, or references to, a class that others do not begin with.
    pub fn leads_to_later_base(&self, ty: &ast::TypeExpr) -> bool {
        !self.later_bases.is_empty() && self.types.names_one_of(ty, &self.later_bases)
    }

    fn note_global(&mut self, v: &'a ast::Variable) {
        let shape = self.types.shape(&v.ty);
        if self.leads_to_later_base(&v.ty) {
            self.displaced.insert(Key::Global(v.name.clone()));
        }
        for name in v.bindings.iter().chain([&v.name]) {
            self.declare(Key::Global(name.clone()), shape.clone());
        }
    }

    fn note_signature(&mut self, f: &'a Function) {
        self.has_operators |= f.kind == ast::FunctionKind::Operator;
        self.has_conversions |=
            f.kind == ast::FunctionKind::Conversion && self.types.shape(&f.result) != Shape::Number;
        if f.attributes.global {
            self.kernels.insert(f.name.clone());
        }
        if self.leads_to_later_base(&f.result) {
            self.displaced.insert(Key::Result(f.name.clone()));
        }
        for (i, p) in f.parameters.iter().enumerate() {
            if self.leads_to_later_base(&p.ty) {
                self.displaced.insert(Key::Entry(f.name.clone(), i));
            }
        }
        let all = self.signatures.entry(f.name.clone()).or_default();
        all.push(f);
    }

    /// Notes a class without a name: its members count as those of the class around it.
    fn note_unnamed(&mut self, r: &'a Arc<Record>, depth: u32) {
        self.note_members(r, depth);
        self.records.entry(Name::from("")).or_default().push(r);
    }

    /// Notes the members of a class.
    fn note_members(&mut self, r: &'a Record, depth: u32) {
        if depth >= 64 {
            return;
        }
        for m in &r.members {
            match m {
                Member::Variables(vs) => {
                    for v in vs {
                        self.note_global(v);
                        if !v.storage.is_static {
                            self.members.insert(v.name.clone());
                        }
                        if self.types.is_array(&v.ty) {
                            self.arrays.insert(v.name.clone());
                        }
                        if let Some(inner) = unnamed_class(&v.ty) {
                            self.note_unnamed(inner, depth + 1);
                        }
                    }
                }
                Member::Function(f) | Member::Friend(f) => self.note_signature(f),
                Member::Record(inner) => self.note_members(inner, depth + 1),
                _ => {}
            }
        }
    }

    /// Carries displacement along all flows.
    fn close(&mut self) {
        let mut todo: Vec<Key> = self.displaced.iter().cloned().collect();
        while let Some(key) = todo.pop() {
            for next in self.flows.from(&key) {
                if self.displaced.insert(next.clone()) {
                    todo.push(next.clone());
                }
            }
        }
    }
}
