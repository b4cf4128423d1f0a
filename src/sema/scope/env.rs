//! Environments: what local names stand for, and the bound on how deep questions go.

use super::{Names, ScopeId};
use crate::sema::consteval::Value;
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast::{self, Name, Path, TypeKind};
use crate::syntax::preprocess::plain_name;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

/// What a name is bound to in an [`Env`].
#[derive(Clone, Debug)]
pub enum Binding {
    Type(Type),
    /// A constant, and its type where that says more than the constant: a scoped enumeration goes by
    /// [`super::Names::scoped_enumeration`].
    Value(Value, Option<Type>),
    /// A variable without a known value; it hides outer names.
    Variable(Type),
    Pack(Arc<[Binding]>),
    /// A template as a template argument: where it was named.
    Template(Path, Env),
    /// `using namespace` inside a function.
    Namespace(ScopeId),
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type(t) | Self::Variable(t) => t.fmt(f),
            Self::Value(v, _) => v.fmt(f),
            Self::Pack(items) => f.write_str(&display_list(items)),
            Self::Template(path, _) => f.write_str(&display_path(path)),
            Self::Namespace(_) => Ok(()),
        }
    }
}

/// `float, 16`
#[must_use]
pub fn display_list(bindings: &[Binding]) -> String {
    bindings
        .iter()
        .map(ToString::to_string)
        .filter(|s| !s.is_empty())
        .collect::<Vec<_>>()
        .join(", ")
}

/// A path as written, without template arguments.
#[must_use]
pub fn display_path(path: &Path) -> String {
    path.segments
        .iter()
        .map(|s| match s.decltype().map(|ty| &ty.kind) {
            Some(TypeKind::Decltype(e)) => format!("decltype({})", crate::sema::text(e)),
            _ => plain_name(&s.name).to_owned(),
        })
        .collect::<Vec<_>>()
        .join("::")
}

struct Local {
    name: Name,
    binding: Binding,
    /// Of a variable whether it is `const`, where that is known.
    is_const: Option<bool>,
    next: Option<Arc<Local>>,
}

impl Drop for Local {
    // A long chain must not be dropped recursively.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(local) = next {
            match Arc::try_unwrap(local) {
                Ok(mut local) => next = local.next.take(),
                Err(_) => break,
            }
        }
    }
}

/// Where names are looked up: a namespace, a class, and local names. Cheap to clone.
#[derive(Clone, Default)]
pub struct Env {
    pub namespace: ScopeId,
    /// The class whose members are visible.
    pub record: Option<Arc<RecordType>>,
    locals: Option<Arc<Local>>,
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Env({}, {:?})",
            self.namespace,
            self.record.as_ref().map(|r| &r.name)
        )
    }
}

impl Env {
    #[must_use]
    pub fn new(namespace: ScopeId) -> Self {
        Self {
            namespace,
            record: None,
            locals: None,
        }
    }

    /// Inside the members of `record`.
    #[must_use]
    pub fn inside(record: &Arc<RecordType>) -> Self {
        Self {
            record: Some(record.clone()),
            ..record.env.clone()
        }
    }

    /// Binds a local name, hiding what it meant before.
    pub fn set(&mut self, name: Name, binding: Binding) {
        self.push(name, binding, None);
    }

    fn push(&mut self, name: Name, binding: Binding, is_const: Option<bool>) {
        self.locals = Some(Arc::new(Local {
            name,
            binding,
            is_const,
            next: self.locals.take(),
        }));
    }

    /// Says of the variable that a name means whether it is `const`; a reference is none itself.
    pub fn note_const(&mut self, name: &Name, is_const: bool) {
        if let Some(known @ Binding::Variable(ty)) = self.get(name)
            && !matches!(ty, Type::Reference(_))
        {
            let known = known.clone();
            self.push(name.clone(), known, Some(is_const));
        }
    }

    /// Whether the variable that a name means is `const`; `None` where that is not known.
    #[must_use]
    pub fn is_const(&self, name: &str) -> Option<bool> {
        self.local(name)?.is_const
    }

    #[must_use]
    pub fn with(&self, name: Name, binding: Binding) -> Self {
        let mut env = self.clone();
        env.set(name, binding);
        env
    }

    /// Whether a local name hides outer ones in front of `::`, where variables are looked past.
    #[must_use]
    pub fn hides_in_front(&self, name: &str) -> bool {
        let is_variable = |b: &Binding| matches!(b, Binding::Value(..) | Binding::Variable(_));
        self.get(name).is_some_and(|binding| !is_variable(binding))
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Binding> {
        self.local(name).map(|local| &local.binding)
    }

    fn local(&self, name: &str) -> Option<&Local> {
        let mut at = self.locals.as_deref();
        while let Some(local) = at {
            if &*local.name == name {
                return Some(local);
            }
            at = local.next.as_deref();
        }
        None
    }

    /// What local names are bound to, the innermost first; an outer one may have the name of an inner one.
    pub(super) fn bindings(&self) -> impl Iterator<Item = (&Name, &Binding)> {
        let first = self.locals.as_deref();
        std::iter::successors(first, |local| local.next.as_deref())
            .map(|local| (&local.name, &local.binding))
    }

    /// What a path means here that is one name: nothing where `::` stands in front of it.
    #[must_use]
    pub fn named(&self, path: &Path) -> Option<&Binding> {
        match &path.segments[..] {
            [only] if !path.is_global => self.get(&only.name),
            _ => None,
        }
    }

    /// Without the names that were bound last, as far as they are these.
    pub(super) fn without_first(&self, names: &[&Name]) -> Self {
        let mut env = self.clone();
        while let Some(local) = &env.locals
            && names.contains(&&local.name)
        {
            env.locals = local.next.clone();
        }
        env
    }

    /// `using namespace path;` inside a function.
    pub fn use_namespace(&mut self, names: &Names<'_>, path: &Path) {
        if let Some(scope) = names.namespace(self, path) {
            self.set(Arc::from(""), Binding::Namespace(scope));
        }
    }

    pub(super) fn used_namespaces(&self) -> Vec<ScopeId> {
        let mut out = Vec::new();
        let mut at = self.locals.as_deref();
        while let Some(local) = at {
            if let Binding::Namespace(s) = local.binding {
                out.push(s);
            }
            at = local.next.as_deref();
        }
        out
    }

    /// Whether names certainly mean the same in both.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let record = |env: &Self| env.record.as_ref().map(Arc::as_ptr);
        self.namespace == other.namespace
            && record(self) == record(other)
            && self.identity() == other.identity()
    }

    /// Tells apart environments that bind different local names.
    pub(super) fn identity(&self) -> usize {
        self.locals.as_ref().map_or(0, |l| Arc::as_ptr(l) as usize)
    }
}

/// A function together with the environment its declaration is read in: its namespace, or
/// its class with the class's template arguments.
#[derive(Clone, Debug)]
pub struct Callee {
    pub function: Arc<ast::Function>,
    pub env: Env,
}

/// What stands in front of the last `::`.
pub(crate) enum Prefix {
    Scope(ScopeId),
    Record(Arc<RecordType>),
    Enum(Arc<ast::Enum>, Env),
    /// A name from a header that is not there: the whole prefix.
    Foreign(String),
}

/// Nested calls of resolution and folding on one thread.
const MAX_DEPTH: u32 = 160;
/// Steps of one outermost call, where an answer that is kept counts as one.
const MAX_STEPS: u32 = 200_000;
/// Steps of one outermost call in all.
const MAX_STEPS_IN_ALL: u32 = 1_000_000;
/// A question that starts below these has all but the whole bound to itself.
const EARLY_STEPS: u32 = MAX_STEPS / 100;
const EARLY_DEPTH: u32 = MAX_DEPTH / 8;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static STEPS: Cell<u32> = const { Cell::new(0) };
    static STEPS_IN_ALL: Cell<u32> = const { Cell::new(0) };
    /// Questions refused, and classes seen that were still being laid out.
    static CUTS: Cell<u64> = const { Cell::new(0) };
    static UNFINISHED: Cell<u64> = const { Cell::new(0) };
}

/// Bounds the mutual recursion of resolution and folding.
pub(crate) struct Guard(());

impl Guard {
    /// `None` where the question is too deep or takes too long.
    pub(crate) fn enter() -> Option<Guard> {
        let depth = DEPTH.get();
        if depth == 0 {
            STEPS.set(0);
            STEPS_IN_ALL.set(0);
        }
        let steps = STEPS.get() + 1;
        let in_all = STEPS_IN_ALL.get() + 1;
        if depth >= MAX_DEPTH || steps > MAX_STEPS || in_all > MAX_STEPS_IN_ALL {
            CUTS.set(CUTS.get() + 1);
            return None;
        }
        DEPTH.set(depth + 1);
        STEPS.set(steps);
        STEPS_IN_ALL.set(in_all);
        Some(Guard(()))
    }

    /// A class was seen that is still being laid out: what is said of it may change.
    pub(super) fn note_unfinished() {
        UNFINISHED.set(UNFINISHED.get() + 1);
    }
}

/// Watches one question that others are part of.
pub(super) struct Watch {
    cuts: u64,
    unfinished: u64,
    steps: u32,
    is_early: bool,
}

impl Watch {
    pub fn start() -> Self {
        let is_outermost = DEPTH.get() == 0;
        let steps = if is_outermost { 0 } else { STEPS.get() };
        Self {
            cuts: CUTS.get(),
            unfinished: UNFINISHED.get(),
            steps,
            is_early: steps <= EARLY_STEPS && DEPTH.get() <= EARLY_DEPTH,
        }
    }

    /// Whether the answer is the same wherever it is asked for. The question counts as one step.
    pub fn end(self) -> bool {
        STEPS.set(self.steps + 1);
        let is_whole = CUTS.get() == self.cuts || self.is_early;
        is_whole && UNFINISHED.get() == self.unfinished
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get().saturating_sub(1));
    }
}
