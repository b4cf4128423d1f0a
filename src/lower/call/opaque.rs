//! Calls that are not followed: what they may write, and why.

use super::super::context::Lower;
use super::super::groups::SpecialValue;
use super::super::limits::Signature;
use super::super::values::{LValue, Mem, Val};
use super::ArgumentLValue;
use crate::ir::{ExprId, Scalar};
use crate::sema::scope::{self, Callee, Env};
use crate::sema::types::Type;
use crate::syntax::ast;

impl Lower<'_> {
    /// A use of an operator that may be one of several functions, or built in: it may write any operand.
    pub(in crate::lower) fn undecided_operator(
        &mut self,
        name: &str,
        candidates: &[Callee],
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> LValue {
        if !candidates.iter().any(|c| c.function.body.is_some()) {
            return self.opaque_call(name, places, None, range);
        }
        let reason = format!("which `{name}` is meant is not known");
        self.not_followed(&[], None, places, None, &reason, range)
    }

    /// A call of one of several functions, or of one that has no body. What they have in common is known:
    /// an argument that all take by value stays. The first `objects` of the places are what methods are called
    /// for, and `this` is the object around the call, if one of them may be its own.
    pub(in crate::lower) fn undecided_call(
        &mut self,
        name: &str,
        candidates: &[Callee],
        is_explicit: bool,
        (objects, this): (usize, Option<&Mem>),
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> LValue {
        if !candidates.iter().any(|c| c.function.body.is_some()) && this.is_none() {
            return self.opaque_call(name, places, None, range);
        }
        let reason = match candidates.iter().any(|c| c.function.body.is_some()) {
            true => format!("which `{name}` is meant is not known"),
            false => no_definition(name),
        };
        let names = &self.unit.names;
        let signatures: Vec<Signature<'_>> = candidates
            .iter()
            .map(|c| Signature {
                objects,
                deduced: names.own_head(&c.function, &c.env).filter(|_| !is_explicit),
                ..Signature::new(&c.function.parameters, &c.env)
            })
            .collect();
        self.not_followed(&signatures, this, places, None, &reason, range)
    }

    /// The object around a call by name, if a function that may be meant is its method.
    pub(in crate::lower) fn own_object(&self, candidates: &[Callee]) -> Option<Mem> {
        let is_method = |c: &Callee| c.env.record.is_some() && !c.function.attributes.is_static;
        let is_own = candidates.iter().any(is_method);
        self.frame.this.clone().filter(|_| is_own)
    }

    /// A call of a function that is declared, and whose body is not there.
    pub fn undefined(
        &mut self,
        name: &str,
        (callee, env): (&Callee, &Env),
        this: Option<&Mem>,
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> LValue {
        let result = scope::result_type(&self.unit.names, env, &callee.function);
        let reason = no_definition(name);
        let signature = Signature::new(&callee.function.parameters, env);
        self.not_followed(&[signature], this, places, Some(result), &reason, range)
    }

    /// A call of a function of which nothing is known but, perhaps, its result. One with a name of the
    /// compiler's own takes values.
    pub fn opaque_call(
        &mut self,
        name: &str,
        places: &[ArgumentLValue],
        result: Option<Type>,
        range: ast::Range,
    ) -> LValue {
        let reason = no_definition(name);
        if crate::lower::intrinsics::is_of_the_toolkit(name) {
            return self.opaque_with(places, result, &reason, true, range);
        }
        if self.has_lambdas && self.is_data_member(name) {
            self.forget_locals_as_well("a member that is called may be a lambda", range);
        }
        self.not_followed(&[], None, places, result, &reason, range)
    }

    /// Whether a name is that of a data member of the class around.
    fn is_data_member(&self, name: &str) -> bool {
        let is_it = |member: &ast::Member| match member {
            ast::Member::Variables(all) => all.iter().any(|one| &*one.name == name),
            _ => false,
        };
        let record = self.frame.env.record.as_ref();
        record.is_some_and(|record| record.record.members.iter().any(is_it))
    }

    /// Whether it is a member of a local object, by itself of some bytes.
    pub fn is_part(&self, mem: &Mem) -> bool {
        const MOST: u64 = 256;
        matches!(mem.ty, Type::Record(_) | Type::Vector { .. })
            && matches!(self.arena.get(mem.pointer), crate::ir::Expr::Offset { .. })
            && mem.ty.size().is_some_and(|size| size <= MOST)
            && self.is_local(mem)
    }

    pub fn opaque_with(
        &mut self,
        places: &[ArgumentLValue],
        result: Option<Type>,
        reason: &str,
        is_of_arguments: bool,
        range: ast::Range,
    ) -> LValue {
        let mut pointers = Vec::new();
        let mut parts: Vec<Mem> = Vec::new();
        let mut inputs: Vec<ExprId> = Vec::new();
        let mut queue: Vec<&ArgumentLValue> = places.iter().rev().collect();
        while let Some((place, at)) = queue.pop() {
            match place {
                LValue::Val(Val::SpecialValue(SpecialValue::List(items))) => {
                    queue.extend(items.iter().rev());
                }
                LValue::Mem(mem) | LValue::Val(Val::Object(mem)) => {
                    if mem.ty.scalar().is_some() && !matches!(mem.ty, Type::Pointer(_)) {
                        if let Val::Scalar { id, .. } = self.read(place.clone(), *at) {
                            inputs.push(id);
                        }
                    } else if self.is_part(mem) {
                        parts.push(mem.clone());
                    } else {
                        pointers.push(mem.pointer);
                    }
                }
                place => {
                    if let Val::Scalar { id, .. } = self.read(place.clone(), *at) {
                        pointers.extend(self.arena.address_in(id));
                        inputs.push(id);
                    }
                }
            }
        }
        let ty = match result {
            Some(ty) => ty.strip_reference().clone(),
            None => Type::unknown(reason),
        };
        // What the lane is may decide the result, too.
        let is_pure =
            is_of_arguments && !inputs.is_empty() && pointers.is_empty() && parts.is_empty();
        // Of a member that is passed nothing else of the object is reached.
        for part in parts {
            let value = self.unknown_val(reason, part.ty.clone());
            self.write(&LValue::Mem(part), value, range);
        }
        match ty {
            Type::Void => {
                self.gap(range, reason, Vec::new(), pointers);
                LValue::Val(Val::Void)
            }
            Type::Vector { .. } | Type::Record(_) => {
                self.gap(range, reason, Vec::new(), pointers);
                LValue::Val(self.unknown_val(reason, ty))
            }
            ty => {
                let scalar = ty.scalar().unwrap_or(Scalar::I64);
                let id = if is_pure {
                    self.gap(range, reason, Vec::new(), pointers);
                    self.arena.unknown(reason, inputs, false, scalar)
                } else {
                    let variable = self.scalar_variable("", scalar, None);
                    self.gap(range, reason, vec![variable], pointers);
                    self.arena.var(variable, scalar)
                };
                LValue::Val(Val::Scalar {
                    id,
                    ty,
                    volatile: false,
                })
            }
        }
    }
}

/// Why a call is not followed.
pub(super) fn no_definition(name: &str) -> String {
    format!("`{name}` has no definition in the files given")
}
