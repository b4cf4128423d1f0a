//! Atomics, shuffles, votes and the like: built-in functions that lanes carry out together or in turn.

use super::call::ArgumentLValue;
use super::context::Lower;
use super::place::base_name;
use super::values::{LValue, Mem, Val, scalar_val};
use crate::ir::{ExprId, OpaqueOp, Path, Scalar, Stmt, Value};
use crate::sema::types::{Type, promote};
use crate::syntax::ast;

impl Lower<'_> {
    /// The memory that a pointer argument points to.
    pub fn target(
        &mut self,
        places: &[ArgumentLValue],
        list: &[ast::Expr],
        at: usize,
    ) -> Option<Mem> {
        let value = self.read_argument(places, at)?;
        let name = list.get(at).map_or("", base_name).to_owned();
        match self.deref_named(value, &name) {
            LValue::Mem(mut mem) => {
                while let Type::Array(element, _) = &mem.ty {
                    mem.ty = (**element).clone();
                }
                Some(mem)
            }
            _ => None,
        }
    }

    pub fn atomic(
        &mut self,
        op: &'static str,
        places: &[ArgumentLValue],
        list: &[ast::Expr],
        range: ast::Range,
    ) -> Val {
        let Some(mem) = self.target(places, list, 0) else {
            return Val::Void;
        };
        self.atomic_on(op, &mem, places.get(1..).unwrap_or(&[]), range)
    }

    pub fn atomic_on(
        &mut self,
        op: &'static str,
        mem: &Mem,
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> Val {
        let scalar = match (&mem.ty, mem.ty.scalar()) {
            (_, Some(scalar)) => scalar,
            (ty, None) => match ty.size() {
                Some(size @ (4 | 8 | 16)) => Scalar::Bytes(size as u8),
                _ => {
                    let reason = match ty {
                        Type::Unknown(reason) => reason.to_string(),
                        ty => format!("the size of `{ty}` is not known"),
                    };
                    self.opaque_access(mem, OpaqueOp::Store, &reason, range);
                    return self.unknown_val(&reason, mem.ty.clone());
                }
            },
        };
        let mut operands = Vec::new();
        for at in 0..places.len() {
            let Some(value) = self.read_argument(places, at) else {
                continue;
            };
            if let Scalar::Bytes(_) = scalar {
                continue;
            }
            operands.push(self.scalar_of(value, scalar, range));
        }
        let target = match scalar {
            Scalar::Bytes(n) => self.object_variable("", u64::from(n), u64::from(n), None),
            scalar => self.scalar_variable("", scalar, None),
        };
        let site = self.site(range, &mem.array);
        self.emit(Stmt::Atomic {
            target: Some(target),
            pointer: mem.pointer,
            op,
            operands,
            ty: scalar,
            site,
            instruction: None,
        });
        match scalar {
            Scalar::Bytes(_) => {
                let pointer = self.arena.address(crate::ir::Object::Local(target));
                Val::Object(mem.part(pointer, mem.ty.clone()))
            }
            scalar => {
                let id = self.arena.var(target, scalar);
                Val::Scalar {
                    id,
                    ty: mem.ty.clone(),
                    volatile: false,
                }
            }
        }
    }

    pub(super) fn named_collective(
        &mut self,
        op: &'static str,
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> Val {
        // The exchanged value stands after the mask.
        let has_mask = op.ends_with("_sync");
        let ty = if op.starts_with("__shfl") || op.starts_with("__reduce") {
            let at = usize::from(has_mask);
            match places.get(at).map(|(place, _)| place.ty()) {
                Some(ty) => match ty.strip_reference() {
                    Type::Scalar(scalar, _) => promote_small(*scalar),
                    Type::Pointer(_) => Scalar::Pointer,
                    other if other.size().is_some() => {
                        let other = other.clone();
                        return self.shuffle_object(op, places, &other, range);
                    }
                    _ => Scalar::I32,
                },
                None => Scalar::I32,
            }
        } else if op.starts_with("__any") || op.starts_with("__all") {
            Scalar::I32
        } else {
            Scalar::U32
        };
        self.collective(op, places, ty, range)
    }

    /// An exchange of a vector or class: one per leaf.
    fn shuffle_object(
        &mut self,
        op: &'static str,
        places: &[ArgumentLValue],
        ty: &Type,
        range: ast::Range,
    ) -> Val {
        let at = usize::from(op.ends_with("_sync"));
        let result = self.local("", ty, None);
        let Some(Val::Object(from)) = self.read_argument(places, at) else {
            return Val::Object(result);
        };
        let rest: Vec<ExprId> = (0..places.len())
            .filter(|index| *index != at)
            .filter_map(|index| self.scalar_argument(places, index))
            .collect();
        let leaves = ty.leaves();
        if leaves.is_empty() || leaves.len() > 64 {
            return self.unknown_val("an exchange of a whole object", ty.clone());
        }
        for (offset, scalar, _) in leaves {
            let pointer = self.arena.offset_const(from.pointer, offset);
            let loaded = self.emit_load(&from, pointer, scalar, Path::Plain, range);
            let value = self.arena.var(loaded, scalar);
            let mut arguments = rest.clone();
            arguments.insert(at.min(arguments.len()), value);
            let target = self.scalar_variable("", scalar, None);
            let span = self.span(range);
            self.emit(Stmt::Collective {
                target: Some(target),
                op,
                arguments,
                ty: scalar,
                span,
            });
            let value = self.arena.var(target, scalar);
            let pointer = self.arena.offset_const(result.pointer, offset);
            self.emit_store(
                &result,
                pointer,
                Value::Scalar(value),
                scalar,
                Path::Plain,
                range,
            );
        }
        Val::Object(result)
    }

    pub(super) fn collective(
        &mut self,
        op: &'static str,
        places: &[ArgumentLValue],
        ty: Scalar,
        range: ast::Range,
    ) -> Val {
        let arguments = self.scalar_arguments(places);
        self.exchange(op, arguments, ty, range)
    }

    pub fn exchange(
        &mut self,
        op: &'static str,
        arguments: Vec<ExprId>,
        ty: Scalar,
        range: ast::Range,
    ) -> Val {
        let target = self.scalar_variable("", ty, None);
        let span = self.span(range);
        self.emit(Stmt::Collective {
            target: Some(target),
            op,
            arguments,
            ty,
            span,
        });
        scalar_val(self.arena.var(target, ty), ty)
    }
}

/// Whether the language's own atomic of that name takes a pointer to values of this type: a function
/// of the user's by the same name is meant for others.
pub(super) fn has_atomic(name: &str, ty: &Type) -> bool {
    let name = name.trim_end_matches("_block").trim_end_matches("_system");
    let operation = name.strip_prefix("atomic").unwrap_or(name);
    match ty {
        Type::Scalar(scalar, _) => match scalar {
            Scalar::I32 | Scalar::U32 => true,
            Scalar::U64 => !matches!(operation, "Sub" | "Inc" | "Dec"),
            Scalar::I64 => matches!(operation, "Min" | "Max"),
            Scalar::F32 => matches!(operation, "Add" | "Exch"),
            Scalar::F64 | Scalar::F16 | Scalar::BF16 => operation == "Add",
            Scalar::U16 => operation == "CAS",
            _ => false,
        },
        // `half2`, `float2` and `float4`; there is none of three.
        Type::Vector { .. } => operation == "Add" && ty.size().is_some_and(u64::is_power_of_two),
        Type::Unknown(_) | Type::Opaque(_) => true,
        _ => false,
    }
}

fn promote_small(scalar: Scalar) -> Scalar {
    if scalar.is_integer() {
        promote(scalar)
    } else {
        scalar
    }
}
