//! Functions that CUDA and the standard library define.
//!
//! Given a name and arguments, gives the value and emits what the function does to
//! memory and lanes. User functions of the same name are `call`'s business; a name
//! that is not known here gives `None`.

use super::builtin_table;
use super::builtin_table::Result as R;
use super::call::ArgumentLValue;
use super::context::{LValue, Lower, Mem, Val, scalar_val};
use super::place::base_name;
use crate::ir::builtin;
use crate::ir::{Barrier, Binary, ExprId, OpaqueOp, Path, Scalar, Stmt, Value};
use crate::sema::scope;
use crate::sema::types::{Type, known, promote, usual_arithmetic};
use crate::syntax::ast;
use std::sync::Arc;

/// Largest `memcpy` that is taken apart, in bytes.
const MAX_COPY: u64 = 256;

/// Calls without effect on what is analysed, arguments included: those that `NDEBUG` takes out, and
/// those that are never evaluated.
pub(super) fn is_ignored(name: &str) -> bool {
    evaluates_only(name) || matches!(name, "static_assert" | "__assume")
}

/// Functions that do nothing to memory: their arguments are evaluated all the same.
pub(super) fn evaluates_only(name: &str) -> bool {
    matches!(
        name,
        "assert"
            | "__trap"
            | "__brkpt"
            | "__assertfail"
            | "__assert_fail"
            | "__builtin_unreachable"
            | "__nanosleep"
            | "__prof_trigger"
            | "__builtin_trap"
            | "__cluster_barrier_arrive"
            | "__cluster_barrier_arrive_relaxed"
            | "cudaGridDependencySynchronize"
            | "cudaTriggerProgrammaticLaunchCompletion"
    )
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
        Type::Vector { .. } => operation == "Add",
        Type::Unknown(_) | Type::Opaque(_) => true,
        _ => false,
    }
}

/// Whether the built-in meaning of a name goes before a user's function of that name.
pub(super) fn comes_first(name: &str) -> bool {
    builtin_table::atomic(name).is_some()
        || builtin_table::barrier(name).is_some()
        || builtin_table::collective(name).is_some()
        || matches!(
            name,
            "__ldg" | "__cvta_generic_to_shared" | "__builtin_assume" | "__builtin_expect"
        )
}

impl Lower<'_> {
    pub fn intrinsic(
        &mut self,
        path: &ast::Path,
        places: &[ArgumentLValue],
        list: &[ast::Expr],
        e: &ast::Expr,
    ) -> Option<LValue> {
        let name: &str = &path.segments.last()?.name;
        let range = e.range;
        if let Some(place) = self.group_function(path, places, e) {
            return Some(place);
        }
        if let Some(op) = builtin_table::atomic(name) {
            return Some(LValue::Val(self.atomic(op, places, list, range)));
        }
        if let Some(kind) = builtin_table::barrier(name) {
            let span = self.span(range);
            self.emit(Stmt::Barrier { kind, span });
            if let (Some(op), Some(_)) = (builtin_table::collective(name), places.first()) {
                return Some(LValue::Val(self.collective(op, places, Scalar::I32, range)));
            }
            return Some(LValue::Val(Val::Void));
        }
        if let Some(op) = builtin_table::collective(name) {
            return Some(LValue::Val(self.named_collective(op, places, range)));
        }
        if let Some(value) = self.memory_intrinsic(name, places, list, range) {
            return Some(LValue::Val(value));
        }
        if let Some(value) = self.arithmetic_intrinsic(name, places, range) {
            return Some(LValue::Val(value));
        }
        if let Some(value) = self.numeric_limit(path, name) {
            return Some(LValue::Val(value));
        }
        match name {
            "printf" => {
                let inputs = self.scalars_of(places);
                let ty = Type::number(Scalar::I32);
                Some(LValue::Val(self.unknown_from(&inputs, ty)))
            }
            "move" | "forward" | "as_const" | "addressof" if path.segments.len() > 1 => {
                let (place, at) = places.first()?.clone();
                if name == "addressof" {
                    let mem = self.memory_of(place, at)?;
                    return Some(LValue::Val(Val::Scalar {
                        id: mem.pointer,
                        ty: mem.ty.pointer_to(),
                        volatile: false,
                    }));
                }
                if name == "as_const" {
                    return Some(place.named(Some(true)));
                }
                let segment = path.segments.last()?;
                if name == "forward" && self.names_lvalue(segment) {
                    return Some(place);
                }
                Some(self.expiring(place, at))
            }
            "__builtin_expect"
            | "__builtin_assume_aligned"
            | "__cvta_shared_to_generic"
            | "launder" => Some(places.first()?.0.clone()),
            "get" if path.segments.len() > 1 && places.len() == 1 => {
                self.tuple_get(path, places, e)
            }
            _ => None,
        }
    }

    /// Whether the template argument of `std::forward<T>` says that what is passed on has a name.
    fn names_lvalue(&self, segment: &ast::Segment) -> bool {
        let written = segment.arguments.as_deref().unwrap_or_default();
        let given = scope::resolve_arguments(&self.unit.names, &self.frame.env, written, None);
        match given.first() {
            Some(scope::Binding::Type(Type::Reference(to))) => !to.is_rvalue,
            _ => false,
        }
    }

    /// Reads what is passed as a value.
    fn scalars_of(&mut self, places: &[ArgumentLValue]) -> Vec<ExprId> {
        let mut out = Vec::new();
        for (place, at) in places {
            if let Val::Scalar { id, .. } = self.read(place.clone(), *at) {
                out.push(id);
            }
        }
        out
    }

    /// `std::numeric_limits<T>::max()`
    fn numeric_limit(&mut self, path: &ast::Path, name: &str) -> Option<Val> {
        let class = path.segments.get(path.segments.len().checked_sub(2)?)?;
        if &*class.name != "numeric_limits" {
            return None;
        }
        let given = scope::resolve_arguments(
            &self.unit.names,
            &self.frame.env,
            class.arguments.as_ref()?,
            None,
        );
        let Some(scope::Binding::Type(ty)) = given.first() else {
            return None;
        };
        let Some(scalar) = ty.scalar() else {
            let ty = ty.clone().unqualified();
            return Some(self.unknown_from(&[], ty));
        };
        if scalar.is_integer() {
            let bits = scalar.bits();
            let value = match (name, scalar) {
                ("max", Scalar::Bool) => 1,
                ("max", _) if scalar.is_signed() => i64::MAX >> (64 - bits),
                ("max", _) => -1,
                ("min" | "lowest", _) if scalar.is_signed() => i64::MIN >> (64 - bits),
                ("min" | "lowest", _) => 0,
                _ => return None,
            };
            return Some(scalar_val(self.arena.int(value, scalar), scalar));
        }
        let is_single = scalar == Scalar::F32;
        let value = match name {
            "max" if is_single => f64::from(f32::MAX),
            "max" if scalar == Scalar::F64 => f64::MAX,
            "lowest" if is_single => f64::from(f32::MIN),
            "lowest" if scalar == Scalar::F64 => f64::MIN,
            "min" if is_single => f64::from(f32::MIN_POSITIVE),
            "min" if scalar == Scalar::F64 => f64::MIN_POSITIVE,
            "epsilon" if is_single => f64::from(f32::EPSILON),
            "epsilon" if scalar == Scalar::F64 => f64::EPSILON,
            "infinity" => f64::INFINITY,
            "quiet_NaN" | "signaling_NaN" => f64::NAN,
            _ => {
                let id = self
                    .arena
                    .unknown("a limit of a type", Vec::new(), false, scalar);
                return Some(scalar_val(id, scalar));
            }
        };
        Some(scalar_val(self.arena.float(value, scalar), scalar))
    }

    fn tuple_get(
        &mut self,
        path: &ast::Path,
        places: &[ArgumentLValue],
        e: &ast::Expr,
    ) -> Option<LValue> {
        let (place, _) = places.first()?.clone();
        let ast::TemplateArgument::Expr(index) =
            path.segments.last()?.arguments.as_ref()?.first()?
        else {
            return None;
        };
        let at = u64::try_from(self.constant_int(index)?).ok()?;
        let mem = self.memory_of(place, e.range)?;
        let element = mem.ty.element()?.clone();
        let pointer = self.arena.offset_const(mem.pointer, at * element.size()?);
        Some(LValue::Mem(mem.part(pointer, element)))
    }

    pub fn read_argument(&mut self, places: &[ArgumentLValue], at: usize) -> Option<Val> {
        let (place, range) = places.get(at)?.clone();
        Some(self.read(place, range))
    }

    pub fn scalar_argument(&mut self, places: &[ArgumentLValue], at: usize) -> Option<ExprId> {
        let range = places.get(at)?.1;
        match self.read_argument(places, at)? {
            Val::Scalar { id, .. } => Some(id),
            value @ Val::Object(_) => {
                let Val::Object(mem) = &value else {
                    return None;
                };
                let mem = mem.clone();
                match self.class_to_any_scalar(&mem, range) {
                    Some(Val::Scalar { id, .. }) => Some(id),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    pub fn scalar_arguments(&mut self, places: &[ArgumentLValue]) -> Vec<ExprId> {
        let mut out = Vec::new();
        for at in 0..places.len() {
            if let Some(id) = self.scalar_argument(places, at) {
                out.push(id);
            }
        }
        out
    }

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

    // Atomics and exchanges.

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

    fn named_collective(
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

    fn collective(
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

    // Memory.

    fn memory_intrinsic(
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
                self.copy_bytes(&to, &from, size, range);
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
                self.async_copy(&to, &from, size, range);
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
                self.async_copy(&to, &from, size, range);
                Some(Val::Void)
            }
            "__pipeline_commit"
            | "__pipeline_wait_prior"
            | "__pipeline_arrive_on"
            | "pipeline_consumer_wait_prior" => Some(Val::Void),
            "swap" => {
                let (a, at_a) = places.first()?.clone();
                let (b, at_b) = places.get(1)?.clone();
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

    /// `cudaTextureObject_t` reads: no request that is modelled, a value that is not known.
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
        if !pointers.is_empty() {
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

    /// One asynchronous copy of this thread's, from global to shared memory.
    pub fn async_copy(&mut self, to: &Mem, from: &Mem, size: Option<i64>, range: ast::Range) {
        let Some(size @ (4 | 8 | 16)) = size else {
            let reason = match size {
                Some(_) => "an asynchronous copy of a size that is not 4, 8 or 16 bytes",
                None => "an asynchronous copy whose size is not known",
            };
            self.opaque_access(from, OpaqueOp::Load, reason, range);
            self.opaque_access(to, OpaqueOp::Store, reason, range);
            return;
        };
        let scalar = if size == 4 {
            Scalar::U32
        } else {
            Scalar::Bytes(size as u8)
        };
        let target = self.emit_load(from, from.pointer, scalar, Path::AsyncCopy, range);
        let value = match scalar {
            Scalar::Bytes(_) => Value::Object(target),
            _ => Value::Scalar(self.arena.var(target, scalar)),
        };
        self.emit_store(to, to.pointer, value, scalar, Path::AsyncCopy, range);
    }

    /// `memcpy` by one thread.
    fn copy_bytes(&mut self, to: &Mem, from: &Mem, size: ExprId, range: ast::Range) {
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
        let mut at = 0;
        while at < size {
            let source = self.arena.offset_const(from.pointer, at);
            let target = self.emit_load(from, source, scalar, from.path(), range);
            let value = match scalar {
                Scalar::Bytes(_) => Value::Object(target),
                _ => Value::Scalar(self.arena.var(target, scalar)),
            };
            let place = self.arena.offset_const(to.pointer, at);
            self.emit_store(to, place, value, scalar, to.path(), range);
            at += piece;
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

    // Arithmetic.

    fn arithmetic_intrinsic(
        &mut self,
        name: &str,
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> Option<Val> {
        match name {
            "min" | "max" | "umin" | "umax" | "llmin" | "llmax" | "ullmin" | "ullmax" | "clamp" => {
                if places.iter().any(|(place, _)| {
                    matches!(
                        place.ty().strip_reference(),
                        Type::Record(_) | Type::Vector { .. }
                    )
                }) {
                    return None;
                }
                return self.min_max(name, places);
            }
            "abs" | "labs" | "llabs" => {
                let x = self.scalar_argument(places, 0)?;
                let ty = promote(self.arena.ty(x));
                let x = self.arena.cast(x, ty);
                let name = if ty.is_float() { "fabs" } else { "abs" };
                let id = if self.arena.ty(x).is_signed() || ty.is_float() {
                    self.arena.intrinsic(name, vec![x], ty)
                } else {
                    x
                };
                return Some(scalar_val(id, ty));
            }
            "__builtin_assume" => {
                let value = self.read_argument(places, 0)?;
                let condition = self.scalar_of(value, Scalar::Bool, range);
                let span = self.span(range);
                self.emit(Stmt::Assume { condition, span });
                return Some(Val::Void);
            }
            "__cvta_generic_to_shared" | "__cvta_generic_to_global" | "cast_smem_ptr_to_uint" => {
                let Val::Scalar { id, .. } = self.read_argument(places, 0)? else {
                    return None;
                };
                let id = self.arena.cast(id, Scalar::U64);
                return Some(scalar_val(id, Scalar::U64));
            }
            "__isShared" | "__isGlobal" | "__isConstant" | "__isLocal" => {
                let x = self.scalar_argument(places, 0)?;
                let id = self
                    .arena
                    .unknown("the space of an address", vec![x], false, Scalar::U32);
                return Some(scalar_val(id, Scalar::U32));
            }
            "div" | "ceil_div" | "cdiv" => return None,
            _ => {}
        }
        if let Some(of) = name.strip_prefix("make_")
            && let Some(ty @ Type::Vector { .. }) = known(of)
        {
            let value = self.construct_value(&ty, places, range);
            return Some(value);
        }
        if let Some(row) = builtin::find(name)
            && places.len() == row.parameters.len()
        {
            return self.integer_builtin(row, places, range);
        }
        let (name, result) = builtin_table::function(name)?;
        if let R::Vector(vector) = result {
            let ty = known(vector)?;
            for at in 0..places.len() {
                self.read_argument(places, at);
            }
            let reason = format!("a result of `{name}`");
            return Some(self.unknown_val(&reason, ty));
        }
        if places
            .iter()
            .any(|(place, _)| matches!(place.ty().strip_reference(), Type::Vector { .. }))
            && result == R::Float
        {
            let ty = places
                .iter()
                .find_map(|(place, _)| match place.ty().strip_reference() {
                    ty @ Type::Vector { .. } => Some(ty.clone()),
                    _ => None,
                })?;
            return Some(self.unknown_val(&format!("a result of `{name}`"), ty));
        }
        let arguments = self.scalar_arguments(places);
        let ty = self.result_type(result, &arguments);
        if result == R::Float && name == "fabs" && ty.is_integer() {
            return None;
        }
        Some(scalar_val(self.arena.intrinsic(name, arguments, ty), ty))
    }

    /// A call of a function whose exact value is known: its arguments have the types of its row.
    fn integer_builtin(
        &mut self,
        row: &'static builtin::Builtin,
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> Option<Val> {
        let mut arguments = Vec::new();
        for (at, ty) in row.parameters.iter().enumerate() {
            let value = self.read_argument(places, at)?;
            arguments.push(self.scalar_of(value, *ty, range));
        }
        let numbers: Option<Vec<i64>> = arguments.iter().map(|id| self.arena.as_int(*id)).collect();
        let id = match numbers.and_then(|numbers| row.value(&numbers)) {
            Some(value) => self.arena.int(value, row.result),
            None => self.arena.intrinsic(row.name, arguments, row.result),
        };
        Some(scalar_val(id, row.result))
    }

    fn result_type(&self, result: R, arguments: &[ExprId]) -> Scalar {
        match result {
            R::Scalar(scalar) => scalar,
            R::Float => {
                let types = arguments.iter().map(|id| self.arena.ty(*id));
                types
                    .map(|ty| if ty.is_float() { ty } else { Scalar::F64 })
                    .reduce(usual_arithmetic)
                    .unwrap_or(Scalar::F32)
            }
            R::Same => arguments
                .first()
                .map_or(Scalar::I32, |id| promote(self.arena.ty(*id))),
            R::Vector(_) => Scalar::I64,
        }
    }

    fn min_max(&mut self, name: &str, places: &[ArgumentLValue]) -> Option<Val> {
        let a = self.scalar_argument(places, 0)?;
        let b = self.scalar_argument(places, 1)?;
        let ty = usual_arithmetic(self.arena.ty(a), self.arena.ty(b));
        let ty = match name {
            "umin" | "umax" => Scalar::U32,
            "llmin" | "llmax" => Scalar::I64,
            "ullmin" | "ullmax" => Scalar::U64,
            _ => ty,
        };
        let (a, b) = (self.arena.cast(a, ty), self.arena.cast(b, ty));
        if name == "clamp" {
            let c = self.scalar_argument(places, 2)?;
            let c = self.arena.cast(c, ty);
            let low = self.arena.binary(Binary::Max, a, b, ty);
            return Some(scalar_val(self.arena.binary(Binary::Min, low, c, ty), ty));
        }
        let op = if name.ends_with("min") {
            Binary::Min
        } else {
            Binary::Max
        };
        Some(scalar_val(self.arena.binary(op, a, b, ty), ty))
    }

    /// `threadIdx` in row-major order: which thread of the block this is.
    pub fn linear_thread(&mut self) -> ExprId {
        use crate::ir::{Axis, BuiltinValue as B};
        let [x, y, z] =
            [Axis::X, Axis::Y, Axis::Z].map(|axis| self.arena.builtin(B::ThreadIdx(axis)));
        let [width, height] = [Axis::X, Axis::Y].map(|axis| self.arena.builtin(B::BlockDim(axis)));
        self.linear(x, y, z, width, height)
    }

    pub fn linear_block(&mut self) -> ExprId {
        use crate::ir::{Axis, BuiltinValue as B};
        let [x, y, z] =
            [Axis::X, Axis::Y, Axis::Z].map(|axis| self.arena.builtin(B::BlockIdx(axis)));
        let [width, height] = [Axis::X, Axis::Y].map(|axis| self.arena.builtin(B::GridDim(axis)));
        self.linear(x, y, z, width, height)
    }

    /// `(z * height + y) * width + x` as `x + y*width + z*width*height`.
    fn linear(&mut self, x: ExprId, y: ExprId, z: ExprId, width: ExprId, height: ExprId) -> ExprId {
        let ty = Scalar::U32;
        let row = self.arena.binary(Binary::Mul, y, width, ty);
        let area = self.arena.binary(Binary::Mul, width, height, ty);
        let plane = self.arena.binary(Binary::Mul, z, area, ty);
        let sum = self.arena.binary(Binary::Add, x, row, ty);
        self.arena.binary(Binary::Add, sum, plane, ty)
    }

    pub fn product(&mut self, factors: &[ExprId]) -> ExprId {
        let mut result = self.arena.int(1, Scalar::U32);
        for factor in factors {
            result = self.arena.binary(Binary::Mul, result, *factor, Scalar::U32);
        }
        result
    }

    pub fn barrier(&mut self, kind: Barrier, range: ast::Range) -> LValue {
        let span = self.span(range);
        self.emit(Stmt::Barrier { kind, span });
        LValue::Val(Val::Void)
    }
}

fn promote_small(scalar: Scalar) -> Scalar {
    if scalar.is_integer() {
        promote(scalar)
    } else {
        scalar
    }
}

/// What functions of the toolkit that take values and give one are called, after the two underscores.
const FAMILIES: &[&str] = &[
    "half",
    "float",
    "double",
    "int2",
    "int_as",
    "uint",
    "ll2",
    "ull",
    "longlong",
    "short",
    "ushort",
    "char",
    "uchar",
    "bfloat16",
    "nv_",
    "low",
    "high",
    "hadd",
    "hsub",
    "hmul",
    "hfma",
    "hdiv",
    "hneg",
    "habs",
    "hmax",
    "hmin",
    "heq",
    "hne",
    "hlt",
    "hle",
    "hgt",
    "hge",
    "his",
    "hcmadd",
    "hb",
    "fadd",
    "fsub",
    "fmul",
    "fdiv",
    "fsqrt",
    "frcp",
    "frsqrt",
    "fmaf",
    "fma_",
    "ffs",
    "fns",
    "dadd",
    "dsub",
    "dmul",
    "ddiv",
    "dsqrt",
    "drcp",
    "dp4a",
    "dp2a",
    "vadd",
    "vsub",
    "vabs",
    "vavg",
    "vcmp",
    "vmax",
    "vmin",
    "vneg",
    "vset",
    "vsad",
    "vhadd",
    "mul",
    "umul",
    "sad",
    "usad",
    "rhadd",
    "uhadd",
    "urhadd",
    "brev",
    "byte_perm",
    "clz",
    "popc",
    "funnelshift",
    "cosf",
    "sinf",
    "sincosf",
    "tanf",
    "tanhf",
    "expf",
    "exp10f",
    "logf",
    "log2f",
    "log10f",
    "powf",
    "saturatef",
    "cvta_",
    "isGlobal",
    "isShared",
    "isLocal",
    "isConstant",
    "trap",
    "nanosleep",
    "prof_trigger",
    "brkpt",
    "assert",
    "threadfence",
    "builtin_assume",
    "builtin_expect",
    "builtin_unreachable",
    "builtin_align",
    "builtin_is_constant",
];

/// Whether a function that is not declared is one of the toolkit's, or of the compiler's own, that takes
/// values: of another one that begins with underscores nothing is known.
pub(super) fn is_of_the_toolkit(name: &str) -> bool {
    let plain = name.strip_prefix("__");
    plain.is_some_and(|plain| FAMILIES.iter().any(|family| plain.starts_with(family)))
}
