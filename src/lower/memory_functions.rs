//! Built-in functions that read or write memory: copies, fills, asynchronous copies, textures.

use super::call::ArgumentLValue;
use super::context::Lower;
use super::values::{LValue, Mem, Val, scalar_val};
use crate::ir::{ExprId, OpaqueOp, Path, Scalar, Stmt, Value, VarId};
use crate::sema::scope;
use crate::sema::types::{Type, known};
use crate::syntax::ast::{self, ExprKind};
use std::sync::Arc;

/// Copies of a pointer that are followed to what it was made of.
const MOST_COPIES: usize = 16;

impl Lower<'_> {
    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    pub(super) fn memory_intrinsic(
        &mut self,
        name: &str,
        places: &[ArgumentLValue],
        list: &[ast::Expr],
        range: ast::Range,
    ) -> Option<Val> {
        match name {
            "__ldg" | "__ldcs" | "__ldcg" | "__ldca" | "__ldcv" | "__ldlu"
            | "__nv_atomic_load_n" => {
                let mem = self.target(places, list, 0)?;
                self.way = Some(if name == "__ldcv" {
                    Path::Volatile
                } else {
                    Path::ReadOnly
                });
                let value = self.read(LValue::Mem(mem), range);
                self.way = None;
                Some(value)
            }
            "__stcs" | "__stcg" | "__stwb" | "__stwt" => {
                let mem = self.target(places, list, 0)?;
                let value = self.read_argument(places, 1)?;
                self.write(&LValue::Mem(mem), value, range);
                Some(Val::Void)
            }
            "memcpy" | "memmove" | "__builtin_memcpy" => {
                let to = self.target(places, list, 0)?;
                let from = self.target(places, list, 1)?;
                let size = self.scalar_argument(places, 2)?;
                self.copy_bytes(&to, &from, size, name == "memmove", range);
                Some(Val::Void)
            }
            "memset" | "__builtin_memset" => {
                let to = self.target(places, list, 0)?;
                let value = self.scalar_argument(places, 1)?;
                let size = self.scalar_argument(places, 2)?;
                self.set_bytes(&to, value, size, range);
                Some(Val::Void)
            }
            "__pipeline_memcpy_async" => {
                let to = self.target(places, list, 0)?;
                let from = self.target(places, list, 1)?;
                let size = self
                    .scalar_argument(places, 2)
                    .and_then(|id| self.arena.as_int(id));
                let zeros = match places.get(3) {
                    Some(_) => Some(self.scalar_argument(places, 3)?),
                    None => None,
                };
                self.filled_copy(&to, &from, size, zeros, range);
                Some(Val::Void)
            }
            "memcpy_async" => {
                // cuda::memcpy_async(dst, src, shape, pipeline or barrier): this thread's copy.
                let to = self.target(places, list, 0)?;
                let from = self.target(places, list, 1)?;
                let size = match self.read_argument(places, 2) {
                    Some(Val::Scalar { id, .. }) => self.arena.as_int(id),
                    _ => None,
                };
                let aligned_to = list.get(2).and_then(|size| self.aligned_to(size));
                self.async_copies(&to, &from, size, aligned_to, range);
                Some(Val::Void)
            }
            "__pipeline_commit"
            | "__pipeline_wait_prior"
            | "__pipeline_arrive_on"
            | "pipeline_consumer_wait_prior" => Some(Val::Void),
            "swap" => {
                let (a, at_a) = places.first()?.clone();
                let (b, at_b) = places.get(1)?.clone();
                if !self.moves_bytes(a.ty().strip_reference(), list.get(1)?) {
                    return None;
                }
                let first = self.read(a.clone(), at_a);
                let first = match first {
                    Val::Scalar { id, ty, volatile } => Val::Scalar {
                        id: self.keep(id, ""),
                        ty,
                        volatile,
                    },
                    Val::Object(mem) => {
                        let object = self.local("", &mem.ty, None);
                        self.copy(&object, &mem, at_a);
                        Val::Object(object)
                    }
                    other => other,
                };
                let second = self.read(b.clone(), at_b);
                self.write(&a, second, at_a);
                self.write(&b, first, at_b);
                Some(Val::Void)
            }
            "load_matrix_sync" | "store_matrix_sync" | "fill_fragment" | "mma_sync" => {
                self.fragment_call(name, places, list, range)
            }
            "sincosf" | "sincos" | "__sincosf" | "sincospif" | "sincospi" | "modf" | "modff"
            | "frexp" | "frexpf" => self.with_outputs(name, places, list, range),
            "clock" => Some(scalar_val(
                self.havoc("a clock", Scalar::I64, range),
                Scalar::I64,
            )),
            "clock64" | "__globaltimer" => Some(scalar_val(
                self.havoc("a clock", Scalar::I64, range),
                Scalar::I64,
            )),
            "malloc" => {
                let id = self.havoc("memory allocated by the kernel", Scalar::Pointer, range);
                Some(Val::Scalar {
                    id,
                    ty: Type::Void.pointer_to(),
                    volatile: false,
                })
            }
            "free" => Some(Val::Void),
            _ if name.starts_with("curand") => self.random(name, places, range),
            _ if name.starts_with("tex") || name.starts_with("surf") => {
                self.texture(name, places, range)
            }
            _ => None,
        }
    }

    /// Textures and surfaces: the layout of their memory is the driver's own, so that their requests are counted as not
    /// followed; what is read is not known.
    fn texture(&mut self, name: &str, places: &[ArgumentLValue], range: ast::Range) -> Option<Val> {
        let is_texture = [
            "tex1D",
            "tex2D",
            "tex3D",
            "texCubemap",
            "surf1D",
            "surf2D",
            "surf3D",
        ]
        .iter()
        .any(|prefix| name.starts_with(prefix));
        if !is_texture {
            return None;
        }
        self.scalar_arguments(places);
        let what = if name.starts_with("tex") {
            "texture"
        } else {
            "surface"
        };
        let does = if name.contains("write") {
            "writes"
        } else {
            "reads"
        };
        let gap = format!("`{name}` {does} a {what}, of whose memory the layout is not known");
        self.left_out(range, &gap);
        if name.contains("write") {
            return Some(Val::Void);
        }
        let reason = "a texture or surface read";
        let id = self.havoc(reason, Scalar::F32, range);
        Some(Val::Scalar {
            id,
            ty: Type::unknown(reason),
            volatile: false,
        })
    }

    /// `curand_uniform(&state)`: the state changes, the result differs from lane to lane.
    fn random(&mut self, name: &str, places: &[ArgumentLValue], range: ast::Range) -> Option<Val> {
        let mut pointers = Vec::new();
        for at in 0..places.len() {
            if let Some(Val::Scalar {
                id,
                ty: Type::Pointer(_),
                ..
            }) = self.read_argument(places, at)
            {
                pointers.push(id);
            }
        }
        let (reason, span): (Arc<str>, _) = (Arc::from("a random number"), self.span(range));
        // What the library moves between a state in memory and its registers is in no list.
        if pointers
            .iter()
            .any(|pointer| !self.points_into_local(*pointer))
        {
            let reason = format!("`{name}` reads and writes a state in memory");
            self.gap(range, &reason, Vec::new(), pointers);
        } else if !pointers.is_empty() {
            self.emit(Stmt::Opaque {
                variables: Vec::new(),
                pointers,
                reason: reason.clone(),
                span,
            });
        }
        let ty = match name {
            "curand_init" | "skipahead" => return Some(Val::Void),
            "curand_uniform4" | "curand_normal4" => known("float4"),
            "curand4" => known("uint4"),
            "curand_normal2" | "curand_box_muller" => known("float2"),
            "curand_normal2_double" => known("double2"),
            _ if name.ends_with("_double") => Some(Type::number(Scalar::F64)),
            "curand" | "curand_poisson" | "curand_discrete" => Some(Type::number(Scalar::U32)),
            _ => Some(Type::number(Scalar::F32)),
        }?;
        Some(match ty.scalar() {
            Some(scalar) => scalar_val(self.havoc(&reason, scalar, range), scalar),
            None => self.unknown_val(&reason, ty),
        })
    }

    /// Whether a pointer certainly leads into a local object.
    fn points_into_local(&self, mut pointer: ExprId) -> bool {
        for _ in 0..MOST_COPIES {
            if self.arena.local_object(pointer).is_some() {
                return true;
            }
            pointer = self.arena.bases(pointer).last().unwrap_or(pointer);
            let fixed = self.fixed_value(pointer);
            if fixed == pointer {
                return false;
            }
            pointer = fixed;
        }
        false
    }

    /// Functions that give results through pointers.
    fn with_outputs(
        &mut self,
        name: &str,
        places: &[ArgumentLValue],
        list: &[ast::Expr],
        range: ast::Range,
    ) -> Option<Val> {
        let x = self.scalar_argument(places, 0)?;
        for at in 1..places.len() {
            if let Some(mem) = self.target(places, list, at)
                && let Some(scalar) = mem.ty.scalar()
            {
                let id =
                    self.arena
                        .unknown(&format!("a result of `{name}`"), vec![x], false, scalar);
                self.write(&LValue::Mem(mem), scalar_val(id, scalar), range);
            }
        }
        let ty = self.arena.ty(x);
        let id = self
            .arena
            .unknown(&format!("a result of `{name}`"), vec![x], false, ty);
        Some(scalar_val(id, ty))
    }

    /// The alignment that a size brings: `cuda::aligned_size_t<16>(n)`.
    fn aligned_to(&self, size: &ast::Expr) -> Option<u64> {
        let path = match &size.kind {
            ExprKind::Call { callee, .. } => match &callee.kind {
                ExprKind::Path(path) => path,
                _ => return None,
            },
            ExprKind::Construct { ty, .. } => match &ty.kind {
                ast::TypeKind::Named(path) => path,
                _ => return None,
            },
            _ => return None,
        };
        let last = path.segments.last()?;
        let arguments = last
            .arguments
            .as_ref()
            .filter(|_| &*last.name == "aligned_size_t")?;
        let names = &self.unit.names;
        let given = scope::resolve_arguments(names, &self.frame.env, arguments, None);
        match given.first()? {
            scope::Binding::Value(value, _) => u64::try_from(value.as_int()?).ok(),
            _ => None,
        }
    }

    /// `memcpy` by one thread.
    fn copy_bytes(
        &mut self,
        to: &Mem,
        from: &Mem,
        size: ExprId,
        may_overlap: bool,
        range: ast::Range,
    ) {
        let known = self
            .arena
            .as_int(size)
            .and_then(|size| u64::try_from(size).ok())
            .filter(|size| *size <= MAX_COPY);
        let Some(size) = known else {
            let reason = "a copy whose size is not known or large";
            for (mem, op) in [(from, OpaqueOp::Load), (to, OpaqueOp::Store)] {
                if self.is_local(mem) {
                    self.make_unknown(Vec::new(), vec![mem.pointer], reason, range);
                } else {
                    self.opaque_access(mem, op, reason, range);
                }
            }
            return;
        };
        let mut piece = self.piece_of(to).min(self.piece_of(from));
        while piece > 1 && size % piece != 0 {
            piece /= 2;
        }
        let scalar = match piece {
            1 => Scalar::U8,
            2 => Scalar::U16,
            4 => Scalar::U32,
            n => Scalar::Bytes(n as u8),
        };
        // A copy that may overlap reads all of it first.
        let at_once = if may_overlap { size.max(1) } else { piece };
        for first in (0..size).step_by(at_once as usize) {
            let all = (first..size.min(first + at_once)).step_by(piece as usize);
            let read: Vec<(u64, VarId)> = all
                .map(|at| {
                    let source = self.arena.offset_const(from.pointer, at);
                    let target = self.emit_load(from, source, scalar, from.path(), range);
                    (at, target)
                })
                .collect();
            for (at, target) in read {
                let value = match scalar {
                    Scalar::Bytes(_) => Value::Object(target),
                    _ => Value::Scalar(self.arena.var(target, scalar)),
                };
                let place = self.arena.offset_const(to.pointer, at);
                self.emit_store(to, place, value, scalar, to.path(), range);
            }
        }
    }

    /// Bytes that a copy or a setting of bytes takes at once there. Its pointers are `void *`: the compiler
    /// knows the alignment of variables only, and goes byte by byte through any other pointer (nvcc 13.0).
    fn piece_of(&self, mem: &Mem) -> u64 {
        if self.is_local(mem) {
            16
        } else if self.arena.is_in_variable(mem.pointer) {
            mem.ty.align().unwrap_or(1)
        } else {
            1
        }
    }

    fn set_bytes(&mut self, to: &Mem, value: ExprId, size: ExprId, range: ast::Range) {
        let size = self
            .arena
            .as_int(size)
            .and_then(|size| u64::try_from(size).ok());
        let byte = self.arena.as_int(value);
        let (Some(size), Some(byte)) = (size.filter(|size| *size <= MAX_COPY), byte) else {
            if self.is_local(to) {
                self.make_unknown(Vec::new(), vec![to.pointer], "memory set to a value", range);
            } else {
                self.opaque_access(
                    to,
                    OpaqueOp::Store,
                    "memory set over a size that is not known or large",
                    range,
                );
            }
            return;
        };
        // Locals are read again by their elements.
        let natural = to.ty.align().unwrap_or(1);
        let mut piece = self.piece_of(to).min(natural).min(8);
        while piece > 1 && size % piece != 0 {
            piece /= 2;
        }
        let scalar = match piece {
            1 => Scalar::U8,
            2 => Scalar::U16,
            4 => Scalar::U32,
            _ => Scalar::U64,
        };
        let pattern = i64::from_ne_bytes([byte as u8; 8]);
        let value = self.arena.int(pattern, scalar);
        for at in 0..size / piece {
            let pointer = self.arena.offset_const(to.pointer, at * piece);
            self.emit_store(to, pointer, Value::Scalar(value), scalar, to.path(), range);
        }
    }
}

/// Largest `memcpy` that is taken apart, in bytes.
const MAX_COPY: u64 = 256;
