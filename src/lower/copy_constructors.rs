//! Copies of objects whose class has a copy constructor or an assignment of its own.
//!
//! Given a class, tells whether a copy holds what the object held: its constructors copy member by member.
//! Where one does anything else, a copy of a variable is not known unless that constructor is followed.
//! Tells as well what an assignment does: a class that declares none that copies has one beside those
//! that it declares.

use super::context::{Binding, Lower};
use super::values::{LValue, Mem, Val};
use crate::ir::{VarId, VariableKind};
use crate::sema::scope::{self, Callee};
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast::{self, ExprKind, Function, StmtKind};
use std::sync::Arc;

/// Nesting of members that is looked through.
const DEEPEST: u32 = 6;

/// What `a = b` does to an object of a class.
pub(super) enum Assignment {
    /// Copies member by member.
    Members,
    /// Calls one of these functions.
    Own(Vec<Callee>),
    /// The reason why that is not known.
    Open(String),
}

/// `*this`
fn returns_itself(e: &ast::Expr) -> bool {
    match &e.kind {
        ExprKind::Unary(ast::UnaryOp::Deref, inner) => matches!(inner.kind, ExprKind::This),
        _ => false,
    }
}

fn name_of(e: &ast::Expr) -> Option<&str> {
    match &e.kind {
        ExprKind::Path(path) => path.segments.last().map(|last| &*last.name),
        ExprKind::Member { object, member, .. } if matches!(object.kind, ExprKind::This) => {
            member.segments.last().map(|last| &*last.name)
        }
        _ => None,
    }
}

/// Whether it gives every member what that member of its argument is, and does nothing else.
fn goes_by_members(function: &Function, record: &RecordType) -> bool {
    let Some(from) = function.parameters.first().and_then(|p| p.name.as_ref()) else {
        return false;
    };
    let is_member = |e: &ast::Expr, name: &str| match &e.kind {
        ExprKind::Member {
            object,
            arrow: false,
            member,
        } => {
            name_of(object) == Some(&**from)
                && member
                    .segments
                    .last()
                    .is_some_and(|last| &*last.name == name)
        }
        _ => false,
    };
    let mut copied: Vec<&str> = Vec::new();
    for (path, list) in &function.initialisers {
        match (path.as_name(), list.as_slice()) {
            (Some(name), [one]) if is_member(one, name) => copied.push(name),
            _ => return false,
        }
    }
    for stmt in function.body.iter().flatten() {
        match &stmt.kind {
            StmtKind::Empty => {}
            StmtKind::Return(Some(e)) if returns_itself(e) => {}
            StmtKind::Expr(e) => match &e.kind {
                ExprKind::Assign(None, left, right)
                    if name_of(left).is_some_and(|name| is_member(right, name)) =>
                {
                    copied.extend(name_of(left));
                }
                _ => return false,
            },
            _ => return false,
        }
    }
    record.bases.is_empty()
        && record
            .fields
            .iter()
            .all(|field| copied.contains(&field.name.as_str()))
}

impl Lower<'_> {
    /// Whether a copy of a variable of this type may hold something else than the variable.
    pub fn changes_by_copy(&self, ty: &Type) -> bool {
        self.changes_below(ty, 0)
    }

    fn changes_below(&self, ty: &Type, depth: u32) -> bool {
        let record = match ty {
            Type::Array(element, _) => return self.changes_below(element, depth),
            Type::Record(record) if depth < DEEPEST => record,
            _ => return false,
        };
        let own = self.constructors(record);
        own.iter().any(|c| {
            let f = &*c.function;
            f.body.is_some() && self.is_copy_constructor(c, record) && !goes_by_members(f, record)
        }) || self.parts_change(record, depth + 1)
    }

    /// What `object = right` does, where the object is one of `class` and `from` is the type of the right
    /// side.
    pub fn what_assigns(
        &self,
        class: &Arc<RecordType>,
        from: &Type,
        right: &ast::Expr,
    ) -> Assignment {
        let own = self.own_assignments(class);
        let copies = own.iter().filter(|c| self.copies_its_class(c, class));
        let mut copies = copies.peekable();
        let is_declared = copies.peek().is_some();
        if !copies.all(|c| c.function.attributes.is_default) {
            return Assignment::Own(own);
        }
        let others = own.iter().any(|c| !c.function.attributes.is_default);
        match from.strip_reference() {
            Type::Record(from) if from.identity == class.identity => {
                // `template <class T> S &operator=(T &&)` takes what is not `const` as it is.
                let is_closer = |c: &Callee| {
                    let by_reference = |p: &ast::Parameter| match &p.ty.kind {
                        ast::TypeKind::Reference { to, .. } => !to.is_const,
                        _ => false,
                    };
                    self.is_template(c) && c.function.parameters.iter().any(by_reference)
                };
                if own.iter().any(is_closer) && (is_declared || !self.is_named_const(right)) {
                    let reason = format!(
                        "which `operator=` of `{}` is meant is not known",
                        class.name
                    );
                    return Assignment::Open(reason);
                }
                self.by_members(class)
            }
            Type::Record(from) if others && super::base_classes::is_one_of(from, class) => {
                let reason = format!(
                    "which `operator=` of `{}` is meant is not known",
                    class.name
                );
                Assignment::Open(reason)
            }
            _ if others => Assignment::Own(own),
            _ => self.by_members(class),
        }
    }

    /// Whether objects of this type are copied and assigned by moving their bytes.
    pub fn moves_bytes(&self, ty: &Type, right: &ast::Expr) -> bool {
        match ty {
            Type::Array(element, _) => self.moves_bytes(element, right),
            Type::Record(class) => {
                !self.changes_by_copy(ty)
                    && matches!(self.what_assigns(class, ty, right), Assignment::Members)
            }
            _ => true,
        }
    }

    /// Whether a class has a copy constructor of its own, whose body is there.
    pub fn has_copy_constructor(&self, class: &Arc<RecordType>) -> bool {
        let own = self.constructors(class);
        own.iter()
            .any(|c| c.function.body.is_some() && self.is_copy_constructor(c, class))
    }

    /// `S(const S &)`, `S(S &&, int = 0)`: of this class, not of another instance of its template, and no template.
    pub fn is_copy_constructor(&self, callee: &Callee, class: &Arc<RecordType>) -> bool {
        let [one, others @ ..] = &callee.function.parameters[..] else {
            return false;
        };
        let is_called_with_one = others.iter().all(|other| other.default.is_some());
        if !is_called_with_one
            || !matches!(one.ty.kind, ast::TypeKind::Reference { .. })
            || self.is_template(callee)
        {
            return false;
        }
        match scope::resolve_type(&self.unit.names, &callee.env, &one.ty).strip_reference() {
            Type::Record(of) => of.identity == class.identity,
            // It may be the class.
            ty => ty.is_unknown(),
        }
    }

    /// Whether what is taken by value here is a part of an object of another class: a value is of its own class.
    fn is_of_derived(&self, mem: &Mem) -> bool {
        matches!(&mem.ty, Type::Record(class) if class.is_polymorphic)
            && self.whole(mem).is_some_and(|whole| whole.ty != mem.ty)
    }

    /// Whether a local object was there before the function was called that gives it: what is written to either later
    /// leaves the other one alone.
    fn outlives_call(&self, mem: &Mem) -> bool {
        let returns = &self.frame.returns;
        let variable = self.arena.local_object(mem.pointer);
        variable.is_some_and(|one| one.index() < returns.first)
            && self.is_named(mem)
            && !returns.owned.contains(&mem.pointer)
    }

    /// A value that a cast makes of an object: another one, of its own class.
    pub fn cast_object(&mut self, value: Val) -> Val {
        let is_another = |mem: &Mem| {
            let is_local = self.arena.local_object(mem.pointer).is_some();
            self.is_of_derived(mem) || is_local && self.is_named(mem)
        };
        match &value {
            Val::Object(mem) if is_another(mem) => self.copied(value),
            _ => value,
        }
    }

    /// What a function gives that returns an object which lives on or ends with it: a copy, where a copy may hold
    /// something else.
    pub fn copied_result(&mut self, result: LValue, e: &ast::Expr) -> LValue {
        let (LValue::Mem(mem) | LValue::Val(Val::Object(mem))) = &result else {
            return result;
        };
        if self.is_of_derived(mem) || self.outlives_call(mem) && !self.changes_by_copy(&mem.ty) {
            let mem = mem.clone();
            return LValue::Val(self.copied(Val::Object(mem)));
        }
        let ends = self.needs_destruction(&mem.ty, 0);
        if !(ends || self.changes_by_copy(&mem.ty)) || !self.is_named(mem) {
            return result;
        }
        let (ty, range) = (mem.ty.clone(), e.range);
        if ends {
            // A variable that is made where the result is wanted does not end with the function.
            let reason = format!("a `{ty}` that is returned ends with the function, or later");
            self.forget_locals(&reason, range);
            return LValue::Val(self.unknown_val(&reason, ty));
        }
        let from = if self.frame.returns.owned.contains(&mem.pointer) {
            // A parameter expires with its function.
            self.expiring(LValue::Mem(mem.clone()), range)
        } else if matches!(e.kind, ExprKind::Path(_)) && !self.names_reference(e) {
            // A variable may have been made where the result is wanted, or be copied there: that is the compiler's
            // choice. What a constructor asks of memory is then not known, either.
            let reason = format!("a copy of a `{ty}` by its own constructor, or none");
            self.forget_locals(&reason, range);
            return LValue::Val(self.unknown_val(&reason, ty));
        } else {
            LValue::Mem(mem.clone())
        };
        LValue::Val(self.construct_value(&ty, &[(from, range)], range))
    }

    /// Whether it is the name of an lvalue reference, which no result is made in the place of.
    fn names_reference(&self, e: &ast::Expr) -> bool {
        let ExprKind::Path(path) = &e.kind else {
            return false;
        };
        let known = self.frame.env.named(path);
        matches!(known, Some(scope::Binding::Variable(Type::Reference(to))) if !to.is_rvalue)
    }

    fn by_members(&self, class: &Arc<RecordType>) -> Assignment {
        match self.part_that_assigns(class, 0) {
            Some(part) => Assignment::Open(format!("an assignment by the `operator=` of `{part}`")),
            None => Assignment::Members,
        }
    }

    /// The assignments that a class declares or takes over; those of its bases are hidden by its own one.
    fn own_assignments(&self, class: &Arc<RecordType>) -> Vec<Callee> {
        let is_one = |member: &ast::Member| match member {
            ast::Member::Function(f) => &*f.name == "=",
            ast::Member::Using(path) => path.segments.last().is_some_and(|last| {
                let name = last.name.strip_prefix("operator").map(str::trim);
                name.unwrap_or(&last.name) == "="
            }),
            _ => false,
        };
        if class.record.members.iter().any(is_one) {
            self.unit.names.methods(class, "=")
        } else {
            Vec::new()
        }
    }

    pub fn is_template(&self, callee: &Callee) -> bool {
        let head = self.unit.names.own_head(&callee.function, &callee.env);
        head.is_some_and(|head| !head.parameters.is_empty())
    }

    /// Whether it is a copy or move assignment of the class.
    fn copies_its_class(&self, callee: &Callee, class: &Arc<RecordType>) -> bool {
        let [one] = &callee.function.parameters[..] else {
            return false;
        };
        let ty = scope::resolve_type(&self.unit.names, &callee.env, &one.ty);
        !self.is_template(callee)
            && matches!(ty.strip_reference(), Type::Record(r) if r.identity == class.identity)
    }

    fn is_named_const(&self, e: &ast::Expr) -> bool {
        let ExprKind::Path(path) = &e.kind else {
            return false;
        };
        match path
            .segments
            .last()
            .and_then(|last| self.lookup(&last.name))
        {
            Some(Binding::LValue(place @ (LValue::Mem(_) | LValue::Var { .. }))) => {
                place.is_const() == Some(true)
            }
            _ => false,
        }
    }

    /// A base or member that an assignment member by member hands on to its own `operator=`.
    fn part_that_assigns(&self, class: &Arc<RecordType>, depth: u32) -> Option<String> {
        let bases = class.bases.iter().map(|(_, base)| base.clone());
        let fields = class.fields.iter().filter_map(|field| {
            let mut ty = &field.ty;
            while let Type::Array(element, _) = ty {
                ty = element;
            }
            match ty {
                Type::Record(inner) => Some(inner.clone()),
                _ => None,
            }
        });
        let mut parts = bases.chain(fields);
        parts.find_map(|part| {
            let own = self.own_assignments(&part);
            let copies = own.iter().filter(|c| self.copies_its_class(c, &part));
            let is_own = |c: &Callee| {
                let f = &*c.function;
                !f.attributes.is_default && (f.body.is_none() || !goes_by_members(f, &part))
            };
            if depth > DEEPEST || copies.clone().any(is_own) {
                return Some(part.name.clone());
            }
            if copies
                .clone()
                .next()
                .is_some_and(|c| !c.function.attributes.is_default)
            {
                return None;
            }
            self.part_that_assigns(&part, depth + 1)
        })
    }

    fn parts_change(&self, record: &Arc<RecordType>, depth: u32) -> bool {
        let bases = record.bases.iter();
        bases
            .map(|(_, base)| Type::Record(base.clone()))
            .chain(record.fields.iter().map(|field| field.ty.clone()))
            .any(|ty| self.changes_below(&ty, depth))
    }

    /// A reference binds to an object: from here on, a temporary is one that can be copied.
    pub fn name_temporary(&mut self, place: &LValue) {
        let LValue::Mem(mem) = place else { return };
        if self.is_named(mem) {
            return;
        }
        let variable = self.arena.local_object(mem.pointer);
        if let Some(one) = variable.and_then(|at| self.variables.get_mut(at.index())) {
            one.name = "a temporary".into();
        }
    }

    /// The variable of a temporary that has no name so far, and what stands in place of one.
    pub fn unnamed(&self, mem: &Mem) -> Option<(VarId, Arc<str>)> {
        let variable = self.arena.local_object(mem.pointer)?;
        let name = self.variables.get(variable.index())?.name.clone();
        (!self.is_named(mem)).then_some((variable, name))
    }

    /// Whether it is a variable of the user's or lies in memory that lanes share: a temporary is no
    /// copy of anything.
    pub fn is_named(&self, mem: &Mem) -> bool {
        let Some(variable) = self.arena.local_object(mem.pointer) else {
            return true;
        };
        self.variables.get(variable.index()).is_none_or(|one| {
            matches!(one.kind, VariableKind::Scalar(_))
                || !(one.name.is_empty() || &*one.name == "return")
        })
    }
}
