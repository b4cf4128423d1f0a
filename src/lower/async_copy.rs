//! Asynchronous copies from global to shared memory: how wide they are, what they read, and what becomes zeros.

use super::context::Lower;
use super::values::Mem;
use crate::ir::{Binary, ExprId, OpaqueOp, Path, Scalar, Value};
use crate::syntax::ast;

/// What an asynchronous copy reads; the rest of what it writes becomes zeros.
pub(super) enum Read {
    All,
    Bytes(i64),
    /// All, where this holds; else nothing.
    Under(ExprId),
}

impl Lower<'_> {
    /// One asynchronous copy of this thread's.
    pub(super) fn async_copy(
        &mut self,
        path: Path,
        (to, from): (&Mem, &Mem),
        size: Option<i64>,
        read: Read,
        range: ast::Range,
    ) {
        let mut open = |reason: &str| {
            self.opaque_access(from, OpaqueOp::Load, reason, range);
            self.opaque_access(to, OpaqueOp::Store, reason, range);
        };
        let size = match size {
            Some(size @ (4 | 8 | 16)) => size,
            Some(_) => return open("an asynchronous copy of a size that is not 4, 8 or 16 bytes"),
            None => return open("an asynchronous copy whose size is not known"),
        };
        let condition = match read {
            Read::All => None,
            Read::Bytes(bytes) if bytes == size => None,
            Read::Bytes(0) => Some(self.arena.int(0, Scalar::Bool)),
            Read::Bytes(_) => {
                return open("an asynchronous copy that reads less than it writes");
            }
            Read::Under(condition) => Some(condition),
        };
        let scalar = if size == 4 {
            Scalar::U32
        } else {
            Scalar::Bytes(size as u8)
        };
        let target = self.loaded_variable(scalar);
        match condition {
            None => self.emit_load_into(target, from, from.pointer, scalar, path, range),
            Some(condition) => {
                self.push_block();
                self.emit_load_into(target, from, from.pointer, scalar, path, range);
                let then = self.pop_block();
                self.emit_if(condition, then, Vec::new(), range);
            }
        }
        let value = match scalar {
            Scalar::Bytes(_) => Value::Object(target),
            scalar => Value::Scalar(self.arena.var(target, scalar)),
        };
        self.emit_store(to, to.pointer, value, scalar, path, range);
    }

    /// One asynchronous copy whose last bytes are zeros that are not read: this many. A piece lies in one sector, so
    /// a part of it costs as much as the whole.
    pub(super) fn filled_copy(
        &mut self,
        to: &Mem,
        from: &Mem,
        size: Option<i64>,
        zeros: Option<ExprId>,
        range: ast::Range,
    ) {
        let read = match (size, zeros) {
            (Some(_), Some(zeros)) if self.arena.as_int(zeros) == Some(0) => Read::All,
            (Some(size), Some(zeros)) => {
                let ty = self.arena.ty(zeros);
                let size = self.arena.int(size, ty);
                Read::Under(self.arena.binary(Binary::Ne, zeros, size, ty))
            }
            _ => Read::All,
        };
        self.async_copy(Path::AsyncCopy, (to, from), size, read, range);
    }

    /// The copies that one thread makes of a size and an alignment: the widest ones, one behind the other.
    pub(super) fn async_copies(
        &mut self,
        to: &Mem,
        from: &Mem,
        size: Option<i64>,
        aligned_to: Option<u64>,
        range: ast::Range,
    ) {
        const MOST: u64 = 16;
        let piece = match aligned_to {
            Some(piece @ (4 | 8)) => piece,
            Some(16..) => 16,
            _ => return self.async_copy(Path::AsyncCopy, (to, from), size, Read::All, range),
        };
        match size.and_then(|size| u64::try_from(size).ok()) {
            Some(size) if size > 16 && size % piece == 0 && size / piece <= MOST => {
                for at in (0..size).step_by(piece as usize) {
                    let place = self.arena.offset_const(to.pointer, at);
                    let source = self.arena.offset_const(from.pointer, at);
                    let to = to.part(place, to.ty.clone());
                    let from = from.part(source, from.ty.clone());
                    self.async_copy(
                        Path::AsyncCopy,
                        (&to, &from),
                        i64::try_from(piece).ok(),
                        Read::All,
                        range,
                    );
                }
            }
            _ => self.async_copy(Path::AsyncCopy, (to, from), size, Read::All, range),
        }
    }
}
