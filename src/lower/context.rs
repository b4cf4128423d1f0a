//! The state of one kernel while it is lowered: values, places, scopes, frames.
//!
//! Gives the other parts of `lower` their vocabulary and the one way to emit
//! statements, make variables and record sites. Knows no syntax but ranges.

use super::Unit;
use super::arena::Arena;
use super::name_interner::NameInterner;
use super::values::{LValue, Mem};
use crate::ir::{
    Block, Expr, ExprId, Holds, LabelId, LoopId, NotAnalysed, Object, Omission, Path, Scalar,
    SharedId, SharedObject, Site, Stmt, Stops, Value, VarId, Variable, VariableKind,
};
use crate::sema::scope::Env;
use crate::sema::types::Type;
use crate::source::Span;
use crate::syntax::ast;
use crate::syntax::preprocess::Origin;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Stands among declarations whose address is taken for all whose variables hold functions.
pub(super) const EVERY_FUNCTION: u32 = u32::MAX;

#[derive(Clone)]
pub(super) enum Binding {
    LValue(LValue),
    /// A parameter pack.
    Pack(Vec<Binding>),
}

pub(super) struct ScopeNode {
    bindings: RefCell<FxHashMap<ast::Name, Binding>>,
    /// Names that mean no local object here, whatever scopes around this one have.
    hidden: RefCell<FxHashSet<ast::Name>>,
    /// Where variables are declared that hold functions or groups.
    keys: RefCell<FxHashMap<ast::Name, u32>>,
    /// Objects that do something where the scope ends, in order of declaration.
    objects: RefCell<Vec<Mem>>,
    parent: Option<Scope>,
}

/// Local names, innermost first.
pub(super) type Scope = Rc<ScopeNode>;

pub(super) fn new_scope(parent: Option<Scope>) -> Scope {
    Rc::new(ScopeNode {
        bindings: RefCell::default(),
        hidden: RefCell::default(),
        keys: RefCell::default(),
        objects: RefCell::default(),
        parent,
    })
}

impl ScopeNode {
    pub fn note_object(&self, mem: &Mem) {
        self.objects.borrow_mut().push(mem.clone());
    }

    pub fn take_objects(&self) -> Vec<Mem> {
        self.objects.take()
    }

    pub fn has_objects(&self) -> bool {
        !self.objects.borrow().is_empty()
    }

    /// The objects so far, but for the first `kept` ones.
    pub fn objects_after(&self, kept: usize) -> Vec<Mem> {
        let objects = self.objects.borrow();
        objects.get(kept..).unwrap_or(&[]).to_vec()
    }

    pub fn count_objects(&self) -> usize {
        self.objects.borrow().len()
    }

    pub fn outer(&self) -> Option<Scope> {
        self.parent.clone()
    }

    /// The names bound in this scope itself, in the order of the alphabet.
    pub fn own_bindings(&self) -> Vec<(ast::Name, Binding)> {
        let bindings = self.bindings.borrow();
        let mut all: Vec<_> = bindings
            .iter()
            .map(|(n, b)| (n.clone(), b.clone()))
            .collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    pub fn rebind(&self, name: &ast::Name, binding: Binding) {
        self.bindings.borrow_mut().insert(name.clone(), binding);
    }

    pub fn note_key(&self, name: &ast::Name, key: u32) {
        self.keys.borrow_mut().insert(name.clone(), key);
    }

    /// Where the variable of this name is declared, if it holds a function or group.
    pub fn key_of(&self, name: &str) -> Option<u32> {
        if self.bindings.borrow().contains_key(name) {
            return self.keys.borrow().get(name).copied();
        }
        self.parent.as_ref()?.key_of(name)
    }

    /// Hands over every name and its binding, those of outer scopes last.
    pub fn each_binding(&self, f: &mut dyn FnMut(&ast::Name, &Binding)) {
        let mut next = self.parent.clone();
        self.bindings
            .borrow()
            .iter()
            .for_each(|(name, one)| f(name, one));
        while let Some(node) = next {
            node.bindings
                .borrow()
                .iter()
                .for_each(|(name, one)| f(name, one));
            next = node.parent.clone();
        }
    }
}

/// The scopes that closures hold. A closure is mostly bound in the scope that it holds, so that each
/// would keep the other for ever: they are emptied when the kernel is done.
#[derive(Default)]
pub(super) struct Captured(Vec<Scope>);

impl Captured {
    /// Gives a closure its scope.
    pub fn hold(&mut self, scope: &Scope) -> Scope {
        self.0.push(scope.clone());
        scope.clone()
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        for scope in self.0.drain(..) {
            let mut next = Some(scope);
            while let Some(node) = next {
                let bindings = std::mem::take(&mut *node.bindings.borrow_mut());
                drop(bindings);
                next = node.parent.clone();
            }
        }
    }
}

/// Where a jump goes.
#[derive(Clone)]
pub(super) struct Aim {
    pub label: LabelId,
    /// Scopes inside of this one end on the way.
    pub scope: Scope,
    /// Objects of that scope that are there at the label; those after them end on the way.
    pub kept: usize,
}

/// A label that `goto` names.
pub(super) struct GotoTarget {
    pub name: ast::Name,
    pub aim: Aim,
    /// Whether something jumps there.
    pub is_used: bool,
}

/// How `return` leaves the function that is being lowered.
pub(super) struct Returns {
    /// The kernel itself: `return` ends the lanes.
    pub is_kernel: bool,
    pub label: Option<LabelId>,
    /// Declared type; `None` for `auto`.
    pub ty: Option<Type>,
    /// Where returned values are put once there is more than one `return`.
    pub slot: Option<LValue>,
    /// The value of a single `return` that ends the body.
    pub direct: Option<LValue>,
    /// The objects that parameters are which are no references.
    pub owned: Vec<ExprId>,
    /// How many variables there were when the function was called: later ones are its own.
    pub first: usize,
}

/// One function body under way.
pub(super) struct Frame {
    pub scope: Scope,
    /// The scope of the body itself.
    pub body: Scope,
    pub env: Env,
    /// `*this`.
    pub this: Option<Mem>,
    pub returns: Returns,
    pub breaks: Vec<Aim>,
    pub continues: Vec<Aim>,
    /// `goto` targets that may be jumped to from here.
    pub targets: Vec<GotoTarget>,
    pub inlined: Arc<[(Arc<str>, Span)]>,
    /// How many blocks were open when the body began.
    pub base: usize,
}

pub(super) struct Lower<'a> {
    pub unit: &'a Unit<'a>,
    pub limits: &'a super::Options,
    pub arena: Arena,
    pub variables: Vec<Variable>,
    pub shared: Vec<SharedObject>,
    pub sites: Vec<Site>,
    /// `asm` statements and calls into the system that were lowered so far.
    pub stops: Stops,
    /// Names of variables and arrays, each kept once.
    pub words: NameInterner,
    /// The alignment of objects that pointers point to.
    pub aligned: FxHashMap<ExprId, u32>,
    /// Members of classes by the places that the text names them at.
    pub members: FxHashMap<ExprId, crate::ir::MemberTag>,
    /// The addresses of places that a `?:` names.
    pub chosen: FxHashSet<ExprId>,
    pub gaps: Vec<NotAnalysed>,
    pub labels: u32,
    pub loops: u32,
    pub blocks: Vec<Block>,
    pub frame: Frame,
    /// Functions being inlined by address and template arguments, outermost first.
    pub stack: Vec<(usize, String)>,
    /// Nesting of expressions and statements.
    pub depth: u32,
    pub statements: u32,
    /// Expressions and statements lowered so far.
    pub steps: u64,
    /// Steps spent in a function's body, by the function's address.
    pub spent: FxHashMap<usize, u64>,
    /// Scalar variables that still have the fixed value they began with, and the loops around them.
    pub fixed: FxHashMap<VarId, (ExprId, u32)>,
    /// Arguments of the call at hand that are numbers which another argument writes.
    pub written_by_another: FxHashSet<ast::Range>,
    /// Where ranges of the text were written, and the lines that machine code names for them.
    pub written_at: FxHashMap<ast::Range, (Origin, Span)>,
    pub loop_depth: u32,
    /// Declarations whose address is taken: their variables are objects.
    pub spilled: Rc<RefCell<FxHashSet<u32>>>,
    /// Variables that are declared `const`.
    pub constants: FxHashSet<VarId>,
    /// Whether there was a lambda: an object may hold one, and one may write what it captured.
    pub has_lambdas: bool,
    /// Lambdas by the numbers in their types; `None` where a type may stand for several of them.
    pub closures: Vec<Option<Rc<crate::lower::groups::Closure>>>,
    /// Values that are functions, or lambdas that capture nothing: what they write, they get as arguments.
    pub plain_functions: FxHashSet<ExprId>,
    /// What the kernel is handed with lambdas, behind its own parameters.
    pub handed: Vec<crate::ir::Parameter>,
    /// Variables that an object of an unknown class may hold references to: any call that is not followed
    /// may write them from then on.
    pub kept: Vec<VarId>,
    /// Local objects of that kind, by their addresses.
    pub kept_objects: Vec<ExprId>,
    /// What variables of types that are not declared were made of: classes among them may hold references.
    pub made_of: FxHashMap<VarId, Vec<super::call::ArgumentLValue>>,
    /// Static shared objects by declaration and instance.
    pub statics: FxHashMap<(u32, String), (SharedId, Type)>,
    /// Objects that hold what constant arrays in device memory hold, by the start of those; none where that
    /// is not known.
    pub tables: FxHashMap<crate::ir::Expr, Option<VarId>>,
    /// Objects of constants by what they hold.
    pub constant_objects: FxHashMap<Vec<super::constant_arrays::Cell>, VarId>,
    /// Runs before the body of the kernel.
    pub prologue: Block,
    /// How loads travel while a cached read is being lowered.
    pub way: Option<Path>,
    /// Assumptions inside of the kernel that are still to come.
    pub assumptions: Vec<usize>,
    /// Kernel-wide reasons already reported.
    pub reported: FxHashSet<(Span, Arc<str>)>,
    /// Whether a function so far brings `std` in; [`Names`](scope::Names) knows of namespaces.
    pub brings_std_in: bool,
    pub captured: Captured,
    /// Local objects of classes with virtual functions, and the class that each was made as.
    pub polymorphic: FxHashMap<VarId, Type>,
    /// Classes that arguments are being converted to, the innermost last.
    pub converting: Vec<Type>,
    /// Functions under way that called themselves, by address and template arguments.
    pub recursive: FxHashSet<(usize, String)>,
}

impl Lower<'_> {
    pub fn push_block(&mut self) {
        self.blocks.push(Block::new());
    }

    pub fn pop_block(&mut self) -> Block {
        self.blocks.pop().unwrap_or_default()
    }

    pub fn emit(&mut self, stmt: Stmt) {
        self.statements += 1;
        if self.statements > self.limits.max_statements {
            return;
        }
        self.forget_fixed(&stmt);
        if let Some(block) = self.blocks.last_mut() {
            block.push(stmt);
        }
    }

    pub fn block_depth(&self) -> usize {
        self.blocks.len()
    }

    /// Whether nothing but the function's own block is open.
    pub fn is_outermost(&self) -> bool {
        self.blocks.len() == self.frame.base
    }

    pub fn append(&mut self, block: Block) {
        if let Some(last) = self.blocks.last_mut() {
            last.extend(block);
        }
    }

    pub fn label(&mut self) -> LabelId {
        self.labels += 1;
        LabelId(self.labels - 1)
    }

    pub fn loop_id(&mut self) -> LoopId {
        self.loops += 1;
        LoopId(self.loops - 1)
    }

    // Variables.

    pub fn scalar_variable(&mut self, name: &str, ty: Scalar, range: Option<ast::Range>) -> VarId {
        let span = range.map(|range| self.span(range));
        self.variables.push(Variable {
            name: self.words.of(name),
            kind: VariableKind::Scalar(ty),
            span,
        });
        VarId(self.variables.len() as u32 - 1)
    }

    pub fn object_variable(
        &mut self,
        name: &str,
        size: u64,
        align: u64,
        range: Option<ast::Range>,
    ) -> VarId {
        let span = range.map(|range| self.span(range));
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        let align = u32::try_from(align).unwrap_or(1).max(1);
        self.variables.push(Variable {
            name: self.words.of(name),
            kind: VariableKind::Object {
                size,
                align,
                holds: Holds::Anything,
            },
            span,
        });
        VarId(self.variables.len() as u32 - 1)
    }

    /// Says what a local object may hold.
    pub fn set_holds(&mut self, variable: VarId, what: Holds) {
        if let VariableKind::Object { holds, .. } = &mut self.variables[variable.index()].kind {
            *holds = what;
        }
    }

    /// A local object of `ty`, as memory.
    pub fn local(&mut self, name: &str, ty: &Type, range: Option<ast::Range>) -> Mem {
        let variable =
            self.object_variable(name, ty.size().unwrap_or(0), ty.align().unwrap_or(1), range);
        if ty.holds_numbers() {
            self.set_holds(variable, Holds::Numbers);
        }
        if let Type::Record(record) = ty
            && record.is_polymorphic
        {
            self.polymorphic.insert(variable, ty.clone());
        }
        let pointer = self.arena.address(Object::Local(variable));
        let object = Mem {
            pointer,
            ty: ty.clone(),
            array: Rc::from(name),
            volatile: false,
            is_const: Some(false),
            bits: None,
            packed: None,
            is_temporary: Some(false),
        };
        self.clear_bit_fields(&object);
        object
    }

    /// A fresh scalar variable that holds `value` from here on.
    pub fn keep(&mut self, value: ExprId, name: &str) -> ExprId {
        let ty = self.arena.ty(value);
        let variable = self.scalar_variable(name, ty, None);
        self.emit(Stmt::Assign { variable, value });
        self.arena.var(variable, ty)
    }

    /// Nothing is known from here on of these variables, and of what these pointers point into.
    pub fn make_unknown(
        &mut self,
        variables: Vec<VarId>,
        pointers: Vec<ExprId>,
        reason: &str,
        range: ast::Range,
    ) {
        let span = self.span(range);
        self.emit(Stmt::Opaque {
            variables,
            pointers,
            reason: Arc::from(reason),
            span,
        });
    }

    /// A scalar variable with a value that nothing is known of.
    pub fn havoc(&mut self, reason: &str, ty: Scalar, range: ast::Range) -> ExprId {
        let variable = self.scalar_variable("", ty, None);
        self.make_unknown(vec![variable], Vec::new(), reason, range);
        self.arena.var(variable, ty)
    }

    /// Notes that a variable begins with a value that nothing can change.
    pub fn fix(&mut self, variable: VarId, value: ExprId) {
        let value = self.fixed_value(value);
        if self.arena.is_fixed(value) {
            self.fixed.insert(variable, (value, self.loop_depth));
        }
    }

    /// The number or unknown value that an expression has at this place, where that is known: its own
    /// where it is none.
    pub fn fixed_value(&self, id: ExprId) -> ExprId {
        match self.arena.get(id) {
            // In a loop that began since, a later iteration may see another value.
            Expr::Var(variable) => match self.fixed.get(variable) {
                Some((value, depth)) if *depth == self.loop_depth => *value,
                _ => id,
            },
            _ => id,
        }
    }

    fn forget_fixed(&mut self, stmt: &Stmt) {
        if self.fixed.is_empty() {
            return;
        }
        match stmt {
            Stmt::Assign { variable, .. }
            | Stmt::Load {
                target: variable, ..
            } => {
                self.fixed.remove(variable);
            }
            Stmt::Atomic { target, .. } | Stmt::Collective { target, .. } => {
                if let Some(target) = target {
                    self.fixed.remove(target);
                }
            }
            Stmt::Matrix { targets, .. } => {
                for target in targets {
                    self.fixed.remove(target);
                }
            }
            Stmt::Opaque { variables, .. } => {
                for variable in variables {
                    self.fixed.remove(variable);
                }
            }
            _ => {}
        }
    }

    // Scopes.

    pub fn bind(&mut self, name: &ast::Name, mut binding: Binding) {
        // What has a name does not expire before it.
        if let Binding::LValue(LValue::Mem(mem)) = &mut binding {
            mem.is_temporary = Some(false);
        }
        self.frame
            .scope
            .bindings
            .borrow_mut()
            .insert(name.clone(), binding);
    }

    pub fn lookup(&self, name: &str) -> Option<Binding> {
        let mut scope = Some(&self.frame.scope);
        while let Some(node) = scope {
            if let Some(binding) = node.bindings.borrow().get(name) {
                return Some(binding.clone());
            }
            if node.hidden.borrow().contains(name) {
                return None;
            }
            scope = node.parent.as_ref();
        }
        None
    }

    /// Says that a name means no local object here.
    pub fn hide(&mut self, name: &ast::Name) {
        if self.lookup(name).is_some() {
            self.frame.scope.hidden.borrow_mut().insert(name.clone());
        }
    }

    /// Runs `body` in a nested scope.
    pub fn scoped<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let scope = self.frame.scope.clone();
        let env = self.frame.env.clone();
        self.frame.scope = new_scope(Some(scope.clone()));
        let result = body(self);
        self.end_scope(ast::Range::default());
        self.frame.scope = scope;
        self.frame.env = env;
        result
    }

    /// Notes that a part of the body is not modelled.
    pub fn gap(
        &mut self,
        range: ast::Range,
        reason: &str,
        variables: Vec<VarId>,
        pointers: Vec<ExprId>,
    ) {
        self.left_out(range, reason);
        let span = self.span(range);
        self.emit(Stmt::Opaque {
            variables,
            pointers,
            reason: Arc::from(reason),
            span,
        });
    }

    /// Counts requests that are in no list although nothing else depends on them.
    pub fn left_out(&mut self, range: ast::Range, reason: &str) {
        let span = self.span(range);
        if !self.reported.insert((span, Arc::from(reason))) {
            return;
        }
        let function = self
            .frame
            .inlined
            .last()
            .map_or(String::new(), |(name, _)| name.to_string());
        self.gaps.push(NotAnalysed {
            function,
            span,
            reason: reason.to_owned(),
            omission: Omission::Text,
        });
    }

    /// Something that orders threads and is not run here: no access is missing, but nobody may say that
    /// two of them are in no order.
    pub fn unordered(&mut self, range: ast::Range, reason: &str) {
        let span = self.span(range);
        self.emit(Stmt::Opaque {
            variables: Vec::new(),
            pointers: Vec::new(),
            reason: Arc::from(reason),
            span,
        });
    }

    // Loads and stores.

    pub fn emit_load(
        &mut self,
        mem: &Mem,
        pointer: ExprId,
        ty: Scalar,
        path: Path,
        range: ast::Range,
    ) -> VarId {
        let target = self.loaded_variable(ty);
        self.emit_load_into(target, mem, pointer, ty, path, range);
        target
    }

    /// A variable for what a load gives.
    pub fn loaded_variable(&mut self, ty: Scalar) -> VarId {
        match ty {
            Scalar::Bytes(n) => self.object_variable("", u64::from(n), u64::from(n), None),
            _ => self.scalar_variable("", ty, None),
        }
    }

    pub fn emit_load_into(
        &mut self,
        target: VarId,
        mem: &Mem,
        pointer: ExprId,
        ty: Scalar,
        path: Path,
        range: ast::Range,
    ) {
        let path = self.way.unwrap_or(path);
        let site = self.site_of(range, mem, pointer);
        // nvcc puts the number in the place of an element that is named by a number (seen in PTX of CUDA 13.0).
        let is_folded = self.is_at_fixed_place(pointer);
        if !is_folded || self.place_in_table(pointer).is_none() {
            self.emit(Stmt::Load {
                target,
                pointer,
                ty,
                site,
                path,
            });
        }
        // What the request gives is known of a constant array; where it is not folded the request is made all the same.
        if let Some(known) = self.place_in_table(pointer) {
            self.emit(Stmt::Load {
                target,
                pointer: known,
                ty,
                site,
                path,
            });
        }
    }

    pub fn emit_store(
        &mut self,
        mem: &Mem,
        pointer: ExprId,
        value: Value,
        ty: Scalar,
        path: Path,
        range: ast::Range,
    ) {
        let site = self.site_of(range, mem, pointer);
        self.emit(Stmt::Store {
            pointer,
            value,
            ty,
            site,
            path,
        });
    }

    pub fn is_local(&self, mem: &Mem) -> bool {
        self.arena.local_object(mem.pointer).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::groups::{Closure, SpecialValue};
    use crate::lower::values::Val;
    use crate::sema::scope::ScopeId;

    #[test]
    fn a_closure_does_not_keep_the_scope_that_it_is_bound_in() {
        let mut captured = Captured::default();
        let outer = new_scope(None);
        let inner = new_scope(Some(outer.clone()));
        let closure = Closure {
            lambda: Arc::new(ast::Lambda {
                templates: Vec::new(),
                parameters: Vec::new(),
                body: Vec::new(),
                captures_by_reference: true,
                is_mutable: false,
                captures: ast::Captures::default(),
                mentioned: Vec::new(),
                result: None,
                range: ast::Range::default(),
            }),
            scope: captured.hold(&inner),
            env: Env::new(ScopeId::default()),
            this: None,
            ty: Type::lambda(),
        };
        let binding = Binding::LValue(LValue::Val(Val::SpecialValue(SpecialValue::Closure(
            Rc::new(closure),
        ))));
        for scope in [&outer, &inner] {
            let mut bindings = scope.bindings.borrow_mut();
            bindings.insert("f".into(), binding.clone());
        }
        let both = [Rc::downgrade(&outer), Rc::downgrade(&inner)];
        drop((outer, inner, binding));
        assert!(both.iter().all(|scope| scope.upgrade().is_some()));
        drop(captured);
        assert!(both.iter().all(|scope| scope.upgrade().is_none()));
    }
}
