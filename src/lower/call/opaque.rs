//! Calls that are not followed: what they may write, and why.

use super::super::context::Lower;
use super::super::groups::SpecialValue;
use super::super::values::{LValue, Mem, Val};
use super::ArgumentLValue;
use crate::ir::{ExprId, Scalar};
use crate::sema::scope::{self, Callee, Env};
use crate::sema::types::Type;
use crate::syntax::ast;

impl Lower<'_> {
    /// A call of one of several functions, or of one that has no body.
    pub(in crate::lower) fn undecided_call(
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
        self.not_followed(None, None, places, None, &reason, range)
    }

    /// A call of a function that is declared, and whose body is not there.
    pub fn undefined(
        &mut self,
        name: &str,
        callee: &Callee,
        env: &Env,
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> LValue {
        let result = scope::result_type(&self.unit.names, env, &callee.function);
        let reason = no_definition(name);
        let signature = Some((callee.function.parameters.as_slice(), env));
        self.not_followed(signature, None, places, Some(result), &reason, range)
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
            self.forget_locals("a member that is called may be a lambda", range);
        }
        self.not_followed(None, None, places, result, &reason, range)
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
