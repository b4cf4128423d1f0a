//! Objects as their classes' relatives: base classes, derived ones, members named with their class.
//!
//! Given an object and a class, gives the part of it that is one of that class. Which function a
//! virtual call means is known where the whole object is a local one.

use super::context::Lower;
use super::values::{LValue, Mem};
use crate::ir::{Expr, ExprId, Object, Scalar, VarId};
use crate::sema::scope;
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast;
use std::sync::Arc;

/// Deepest nesting of base classes that is looked through.
const DEEPEST: u32 = 16;

/// Bytes from the start of an object of `from` to its base class `base`.
pub(super) fn base_offset(
    from: &Arc<RecordType>,
    base: &Arc<RecordType>,
    depth: u32,
) -> Option<u64> {
    if depth > DEEPEST {
        return None;
    }
    from.bases.iter().find_map(|(offset, inner)| {
        if inner.identity == base.identity {
            return Some(*offset);
        }
        base_offset(inner, base, depth + 1).map(|more| offset + more)
    })
}

/// Whether an object of `from` is one of `to`: the same class, or one that derives from it.
pub(super) fn is_one_of(from: &Arc<RecordType>, to: &Arc<RecordType>) -> bool {
    from.identity == to.identity || base_offset(from, to, 0).is_some()
}

impl Lower<'_> {
    /// An object as one of its base classes.
    pub fn as_base(&mut self, this: Mem, record: &Arc<RecordType>) -> Mem {
        match self.as_relative(&this, &Type::Record(record.clone())) {
            Some(part) => part,
            None => this,
        }
    }

    /// An object as one of a class that it derives from, or that derives from its own.
    pub fn as_relative(&mut self, mem: &Mem, target: &Type) -> Option<Mem> {
        let (Type::Record(from), Type::Record(to)) = (&mem.ty, target) else {
            return None;
        };
        let pointer = self.moved_to(mem.pointer, from, to)?;
        Some(mem.part(pointer, target.clone()))
    }

    /// A pointer to an object of `from`, to the same object as one of `to`.
    pub fn moved_to(
        &mut self,
        pointer: ExprId,
        from: &Arc<RecordType>,
        to: &Arc<RecordType>,
    ) -> Option<ExprId> {
        if from.identity == to.identity {
            return Some(pointer);
        }
        let bytes = match (base_offset(from, to, 0), base_offset(to, from, 0)) {
            (Some(down), _) => down as i64,
            (None, Some(up)) => -(up as i64),
            (None, None) => return None,
        };
        if bytes == 0 {
            return Some(pointer);
        }
        let bytes = self.arena.int(bytes, Scalar::I64);
        Some(self.arena.offset(pointer, bytes))
    }

    /// `object` as what the class in front of a member's name says: `d.B::k`. The reason where that is
    /// no relative of its own.
    pub fn as_named(&mut self, object: LValue, member: &ast::Path) -> Result<LValue, String> {
        let Some(qualifier) = member.qualifier() else {
            return Ok(object);
        };
        let (LValue::Mem(mem) | LValue::Val(super::values::Val::Object(mem))) = &object else {
            return Ok(object);
        };
        let Type::Record(own) = &mem.ty else {
            return Ok(object);
        };
        let written = ast::TypeExpr::named(qualifier);
        let inside = scope::Env::inside(own);
        let mut found = None;
        for env in [&inside, &self.frame.env] {
            if let ty @ Type::Record(_) = scope::resolve_type(&self.unit.names, env, &written) {
                found = Some(ty);
                break;
            }
        }
        let mem = mem.clone();
        found
            .and_then(|ty| self.as_relative(&mem, &ty))
            .map(LValue::Mem)
            .ok_or_else(|| {
                format!(
                    "which class of `{}` `{}` means is not known",
                    mem.ty,
                    scope::display_path(member)
                )
            })
    }

    /// Whether a call of this member goes to what the object's own class says.
    pub fn is_virtual(&self, record: &Arc<RecordType>, name: &str) -> bool {
        fn declares(record: &RecordType, name: &str, depth: u32) -> bool {
            let own = record.record.members.iter().any(|member| match member {
                ast::Member::Function(f) => &*f.name == name && f.attributes.is_virtual,
                _ => false,
            });
            own || depth < DEEPEST
                && record
                    .bases
                    .iter()
                    .any(|(_, base)| declares(base, name, depth + 1))
        }
        record.is_polymorphic && declares(record, name, 0)
    }

    /// Takes the object for one of `mem`'s class; gives what it was taken for.
    pub fn made_as(&mut self, mem: &Mem) -> Option<(VarId, Type)> {
        let variable = self.object_behind(mem.pointer)?;
        let before = self.polymorphic.get_mut(&variable)?;
        Some((variable, std::mem::replace(before, mem.ty.clone())))
    }

    /// The whole object that `mem` begins, of the class that it was made as.
    pub fn whole(&self, mem: &Mem) -> Option<Mem> {
        let variable = self.object_behind(mem.pointer)?;
        let made = self.polymorphic.get(&variable)?;
        Some(mem.part(mem.pointer, made.clone()))
    }

    /// The local object that begins where a pointer leads, also one that a parameter holds.
    fn object_behind(&self, pointer: ExprId) -> Option<VarId> {
        match self.arena.get(self.fixed_value(pointer)) {
            Expr::Address(Object::Local(variable)) => Some(*variable),
            _ => None,
        }
    }
}
