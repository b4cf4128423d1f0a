//! Calls of methods: which object they are for, and which function of its class they mean.

use super::call::{ArgumentLValue, path_text};
use super::context::Lower;
use super::groups::SpecialValue;
use super::values::{LValue, Mem, Val, scalar_val};
use super::virtual_calls::Target;
use crate::ir::Scalar;
use crate::sema::scope::{self, Callee, Env};
use crate::sema::types::Type;
use crate::syntax::ast::{self, ExprKind, RefQualifier};

impl Lower<'_> {
    /// `*this` for a member function called by its plain name.
    pub(super) fn this_for(&mut self, callee: &Callee) -> Option<Mem> {
        let record = callee.env.record.as_ref()?;
        let this = self.frame.this.clone()?;
        Some(self.as_base(this, record))
    }

    pub(super) fn call_member(
        &mut self,
        object: &ast::Expr,
        arrow: bool,
        member: &ast::Path,
        list: &[ast::Expr],
        e: &ast::Expr,
    ) -> LValue {
        let Some(last) = member.segments.last() else {
            return LValue::Val(Val::Void);
        };
        if let Some(function) = self.function_in_a_constant(object, arrow, member) {
            let places = self.arguments(list);
            return self.call_value(function, &places, e);
        }
        let base = if arrow {
            let base = self.operand_place(object, false);
            self.arrow(base, object)
        } else {
            self.place(object)
        };
        let base = match self.as_named(base.clone(), member) {
            Ok(base) => base,
            Err(_) => {
                let mut all = vec![(base, object.range)];
                all.extend(self.arguments(list));
                return self.opaque_call(&path_text(member), &all, None, e.range);
            }
        };
        let is_named = member.segments.len() > 1;
        let is_lvalue = category(object, &base);
        let span = self.span(object.range);
        // The object is what a call gives that was not followed: that is told already.
        let is_told = self.gaps.last().is_some_and(|gap| gap.span == span);
        match base {
            LValue::Val(Val::SpecialValue(special)) => {
                let places = match special {
                    SpecialValue::Opaque(_) | SpecialValue::Closure(_) => self.arguments(list),
                    _ => self.arguments_by_value(list),
                };
                self.special_call(&special, last, &places, e)
            }
            LValue::Mem(mem) | LValue::Val(Val::Object(mem)) => {
                let candidates = self.called_by_member(&mem.ty, &last.name);
                let places = self.arguments_for(list, &candidates);
                let is_lvalue = if arrow { Some(true) } else { is_lvalue };
                self.call_method(mem, last, (is_named, is_lvalue), &places, e)
            }
            base => {
                let places = self.arguments(list);
                // A number or pointer has no members that could change it.
                let base = match base.ty() {
                    Type::Scalar(_, _) | Type::Pointer(_) => {
                        LValue::Val(self.read(base, object.range))
                    }
                    _ => base,
                };
                let mut all = vec![(base, object.range)];
                all.extend(places);
                let told = self.gaps.len();
                let result = self.opaque_call(&last.name, &all, None, e.range);
                if is_told {
                    self.gaps.truncate(told);
                }
                result
            }
        }
    }

    /// The functions that `object.name(…)` may call: those of that name, or the operators of a member that
    /// is an object.
    fn called_by_member(&self, ty: &Type, name: &str) -> Vec<Callee> {
        let Type::Record(record) = ty else {
            return Vec::new();
        };
        let names = &self.unit.names;
        let own = names.methods(record, name);
        if !own.is_empty() {
            return own;
        }
        match scope::field(names, record, name).map(|field| field.ty) {
            Some(of) => match of.strip_reference() {
                Type::Record(inner) => names.methods(inner, "()"),
                _ => own,
            },
            None => own,
        }
    }

    /// `mem.segment(places)`; a function `is_named` by its class is no virtual call.
    pub fn call_method(
        &mut self,
        mem: Mem,
        segment: &ast::Segment,
        (is_named, is_lvalue): (bool, Option<bool>),
        places: &[ArgumentLValue],
        e: &ast::Expr,
    ) -> LValue {
        let name = &segment.name;
        let Type::Record(record) = mem.ty.clone() else {
            if let Type::Array(element, Some(count)) = &mem.ty {
                // `std::array`.
                match &**name {
                    "size" => {
                        return LValue::Val(scalar_val(
                            self.arena.int(*count as i64, Scalar::U64),
                            Scalar::U64,
                        ));
                    }
                    "data" | "begin" => {
                        let ty = Type::Pointer(element.clone());
                        return LValue::Val(Val::Scalar {
                            id: mem.pointer,
                            ty,
                            volatile: mem.volatile,
                        });
                    }
                    "fill" => {
                        self.lose_object(&mem, "`fill` of an array", e.range);
                        return LValue::Val(Val::Void);
                    }
                    _ => {}
                }
            }
            if let Type::Vector {
                scalar,
                name: vector,
                ..
            } = &mem.ty
                && vector.contains("complex")
                && let lane @ ("real" | "imag") = &**name
                && places.is_empty()
            {
                let offset = if lane == "imag" {
                    u64::from(scalar.size())
                } else {
                    0
                };
                let pointer = self.arena.offset_const(mem.pointer, offset);
                let ty = Type::number(*scalar);
                return LValue::Mem(mem.part(pointer, ty));
            }
            let ty = mem.ty.clone();
            let mut all = vec![(LValue::Mem(mem), e.range)];
            all.extend(places.iter().cloned());
            let name = format!("{ty}::{name}");
            return self.opaque_call(&name, &all, None, e.range);
        };
        if let Some(field) = scope::field(&self.unit.names, &record, name) {
            let place = self.field_place(mem, &field, name);
            return self.call_value(place, places, e);
        }
        let candidates = self.unit.names.methods(&record, name);
        let candidates = self.of_object(candidates, mem.is_const, is_lvalue);
        if let Some((callee, env)) = self.choose(&candidates, segment.arguments.as_deref(), places)
        {
            let run = self.run_by(callee, env, &mem, is_named, places.len());
            if let Some((callee, env, mem)) = run.filter(|run| run.0.function.body.is_some()) {
                let this = match &callee.env.record {
                    Some(base) => self.as_base(mem, base),
                    None => mem,
                };
                let this = Some(self.pinned(this));
                return self.inline_chosen(&callee, env, this, places, name, e.range);
            }
        }
        let ty = mem.ty.clone();
        let mut all = vec![(LValue::Mem(mem), e.range)];
        all.extend(places.iter().cloned());
        let is_explicit = segment.arguments.is_some();
        let name = format!("{ty}::{name}");
        self.undecided_call(&name, &candidates, is_explicit, (1, None), &all, e.range)
    }

    /// The function that runs where overload resolution chose `callee`, and its object: whose function a virtual call
    /// means is known when it runs, and where the object was made.
    fn run_by(
        &self,
        callee: Callee,
        env: Env,
        mem: &Mem,
        is_named: bool,
        given: usize,
    ) -> Option<(Callee, Env, Mem)> {
        if is_named {
            return Some((callee, env, mem.clone()));
        }
        match self.target_of(&callee, mem, given) {
            Target::Itself => Some((callee, env, mem.clone())),
            Target::Other(other, whole) => {
                let env = other.env.clone();
                Some((*other, env, whole))
            }
            Target::Open => None,
        }
    }

    pub fn pinned(&mut self, mem: Mem) -> Mem {
        match self.pin(LValue::Mem(mem.clone())) {
            LValue::Mem(mem) => mem,
            _ => mem,
        }
    }

    /// Of member functions those that an object is called with: `const` or not, by name or as a temporary.
    pub fn of_object(
        &self,
        mut candidates: Vec<Callee>,
        is_const: Option<bool>,
        is_lvalue: Option<bool>,
    ) -> Vec<Callee> {
        let is_free = |c: &Callee| {
            c.env.record.is_none()
                || c.function.attributes.is_static
                || c.function.kind == ast::FunctionKind::Constructor
        };
        let is_only = candidates.len() < 2;
        let qualifier = |c: &Callee| c.function.attributes.reference;
        let names = &self.unit.names;
        let hides = |c: &Callee, other: &Callee| {
            !is_free(other) && names.has_same_parameters(c, other) == Some(true)
        };
        if is_only || candidates.iter().all(is_free) {
            return candidates;
        }
        match is_lvalue {
            Some(true) => {
                candidates.retain(|c| is_free(c) || qualifier(c) != Some(RefQualifier::RValue));
            }
            Some(false) => {
                let all = candidates.clone();
                candidates.retain(|c| {
                    let is_bound = qualifier(c) != Some(RefQualifier::LValue)
                        || c.function.attributes.is_const;
                    let is_better = |other: &Callee| {
                        qualifier(other) == Some(RefQualifier::RValue) && hides(c, other)
                    };
                    is_free(c)
                        || qualifier(c) == Some(RefQualifier::RValue)
                        || is_bound && !all.iter().any(is_better)
                });
            }
            None => {}
        }
        match is_const {
            Some(true) => {
                candidates.retain(|c| is_free(c) || c.function.attributes.is_const);
            }
            Some(false) => {
                let all = candidates.clone();
                let is_better = |c: &Callee, other: &Callee| {
                    !other.function.attributes.is_const && hides(c, other)
                };
                candidates.retain(|c| {
                    is_free(c)
                        || !c.function.attributes.is_const
                        || !all.iter().any(|other| is_better(c, other))
                });
            }
            None => {}
        }
        candidates
    }
}

/// Whether an expression that gives this place names an object, rather than makes one or lets one expire.
fn category(e: &ast::Expr, place: &LValue) -> Option<bool> {
    match (&e.kind, place) {
        (ExprKind::Path(_), _) | (_, LValue::Var { .. }) => Some(true),
        (_, LValue::Mem(mem)) => mem.is_temporary.map(|is_temporary| !is_temporary),
        (_, LValue::Val(Val::Object(_))) => Some(false),
        _ => None,
    }
}
