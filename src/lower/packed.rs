//! Members of packed classes: what stands at no multiple of its size is loaded and stored in pieces.
//!
//! Given an access to a scalar; emits the accesses that nvcc makes of it. A class whose alignment was lowered
//! (`__attribute__((packed))`, `#pragma pack`) tells the compiler no more of its members' addresses than that: it takes
//! them in pieces of so many bytes (seen in the PTX of CUDA 13.0). The number that the pieces make is not modelled.

use super::context::Lower;
use super::values::{LValue, Mem};
use crate::ir::{ExprId, Object, Scalar, Stmt, Value, VarId};
use crate::sema::types::Type;
use crate::syntax::ast;

const REASON: &str = "a member of a packed class";

impl Mem {
    /// What a member `offset` bytes into this object is known to be aligned to.
    pub fn packed_at(&self, offset: u64) -> Option<u32> {
        let of_object = self.ty.align().and_then(|align| u32::try_from(align).ok());
        let Some(of_object) = of_object.filter(|_| matches!(self.ty, Type::Record(_))) else {
            return self.packed;
        };
        let of_offset = 1 << offset.trailing_zeros().min(6);
        let own = of_object.max(1).min(of_offset);
        Some(self.packed.map_or(own, |outer| outer.min(own)))
    }

    /// The same for each part of an object of type `ty` that is copied whole.
    pub fn packed_whole(&self, ty: &Type) -> Self {
        let align = ty.align().and_then(|align| u32::try_from(align).ok());
        let packed = self.packed.into_iter().chain(align).min();
        Self {
            packed,
            ..self.clone()
        }
    }
}

impl LValue {
    /// What the elements of an array are known to be aligned to.
    pub fn packed_elements(&self) -> Option<u32> {
        match self {
            Self::Mem(mem) if matches!(mem.ty, Type::Array(..)) => mem.packed,
            _ => None,
        }
    }

    pub fn set_packed(&mut self, packed: Option<u32>) {
        if let Self::Mem(mem) = self {
            mem.packed = packed;
        }
    }
}

impl Lower<'_> {
    /// Bytes of each piece in which a scalar of `mem` is accessed, if those are several.
    fn piece(&self, mem: &Mem, scalar: Scalar) -> Option<u32> {
        let packed = mem.packed?;
        let is_in_pieces = packed < scalar.size() && mem.bits.is_none() && !self.is_local(mem);
        is_in_pieces.then_some(packed)
    }

    /// Notes that the access emitted last is one of several for one number.
    fn note_packed(&mut self) {
        if let Some(site) = self.sites.last_mut() {
            site.of_packed = true;
        }
    }

    /// Loads a scalar at `pointer`, which is in `mem`; gives the variable that it is in.
    pub(super) fn load_pieces(
        &mut self,
        mem: &Mem,
        pointer: ExprId,
        scalar: Scalar,
        range: ast::Range,
    ) -> VarId {
        let Some(piece) = self.piece(mem, scalar) else {
            return self.emit_load(mem, pointer, scalar, mem.path(), range);
        };
        let mut parts = Vec::new();
        for offset in (0..scalar.size()).step_by(piece as usize) {
            let at = self.arena.offset_const(pointer, u64::from(offset));
            let part = self.emit_load(mem, at, number_of(piece), mem.path(), range);
            self.note_packed();
            parts.push(self.arena.var(part, number_of(piece)));
        }
        let target = self.loaded_variable(scalar);
        if let Scalar::Bytes(_) = scalar {
            let object = self.arena.address(Object::Local(target));
            self.make_unknown(Vec::new(), vec![object], REASON, range);
        } else {
            let value = self.arena.unknown(REASON, parts, true, scalar);
            self.emit(Stmt::Assign {
                variable: target,
                value,
            });
        }
        target
    }

    /// Stores a scalar at `pointer`, which is in `mem`.
    pub(super) fn store_pieces(
        &mut self,
        mem: &Mem,
        pointer: ExprId,
        value: Value,
        scalar: Scalar,
        range: ast::Range,
    ) {
        let Some(piece) = self.piece(mem, scalar) else {
            self.emit_store(mem, pointer, value, scalar, mem.path(), range);
            return;
        };
        let inputs = match value {
            Value::Scalar(value) => vec![value],
            Value::Object(_) => Vec::new(),
        };
        for offset in (0..scalar.size()).step_by(piece as usize) {
            let at = self.arena.offset_const(pointer, u64::from(offset));
            let part = self
                .arena
                .unknown(REASON, inputs.clone(), true, number_of(piece));
            let part = Value::Scalar(part);
            self.emit_store(mem, at, part, number_of(piece), mem.path(), range);
            self.note_packed();
        }
    }
}

/// A number of so many bytes, 1, 2, 4 or 8.
fn number_of(bytes: u32) -> Scalar {
    match bytes {
        1 => Scalar::U8,
        2 => Scalar::U16,
        4 => Scalar::U32,
        _ => Scalar::U64,
    }
}
