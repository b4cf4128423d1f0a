//! Functions that CUDA and the standard library define.
//!
//! Given a name and arguments, gives the value and emits what the function does to
//! memory and lanes. User functions of the same name are `call`'s business; a name
//! that is not known here gives `None`.

use super::builtin_table;
use super::call::ArgumentLValue;
use super::context::Lower;
use super::values::{LValue, Val, scalar_val};
use crate::ir::builtin;
use crate::ir::{Barrier, Binary, ExprId, Scalar, Stmt};
use crate::sema::library::constants::{self, Constant};
use crate::sema::library::functions::{self, Gives};
use crate::sema::scope;
use crate::sema::types::{Type, known, promote, usual_arithmetic};
use crate::syntax::ast;

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

/// Whether a function of this name that no file declares is a known one that takes values.
pub(super) fn takes_values(name: &str) -> bool {
    comes_first(name)
        || is_of_the_toolkit(name)
        || matches!(
            name,
            "min"
                | "max"
                | "clamp"
                | "abs"
                | "labs"
                | "llabs"
                | "printf"
                | "memcpy"
                | "memmove"
                | "memset"
        )
        || name
            .strip_prefix("make_")
            .is_some_and(|of| known(of).is_some())
        || builtin::find(name).is_some()
        || functions::find(name).is_some()
}

/// Functions that are `asm` in the toolkit's headers, or whose slow path is a branch: NVVM puts no accesses together across
/// one (seen in the SASS of CUDA 13.0 for sm_90).
pub(super) fn ends_block(name: &str) -> bool {
    let is_slow = |stem: &str| {
        matches!(
            stem,
            "sin"
                | "cos"
                | "tan"
                | "sincos"
                | "sinpi"
                | "cospi"
                | "log"
                | "log2"
                | "log10"
                | "log1p"
                | "pow"
                | "fmod"
                | "remainder"
                | "erf"
                | "erfc"
                | "atan2"
                | "asin"
                | "acos"
                | "lgamma"
                | "tgamma"
                | "cbrt"
        )
    };
    let plain = name.strip_suffix('f').unwrap_or(name);
    is_slow(plain)
        || is_slow(name)
        || matches!(name, "exp" | "exp2" | "exp10" | "sinh" | "cosh" | "tanh")
        || name.starts_with("__ldc")
        || name.starts_with("__dp")
        || name.starts_with("__funnelshift")
        || matches!(
            name,
            "__ldg" | "__ldlu" | "__nanosleep" | "__prof_trigger" | "__trap" | "__brkpt" | "assert"
        )
}

/// Whether a function of CUDA's headers for numbers of 16 bits does its work by `asm`.
fn is_half_function(name: &str) -> bool {
    let is_of_kind = name.starts_with("__h") || name.contains("half") || name.contains("bfloat16");
    is_of_kind && !name.contains("_as_") && !name.starts_with("make_")
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
        let is_half = is_half_function(name);
        self.stops.asm += u32::from(is_half || ends_block(name));
        self.stops.half += u32::from(is_half && !ends_block(name));
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
        let is_qualified = path.segments.len() > 1;
        if let Some(value) = self.arithmetic_intrinsic((name, is_qualified), places, range) {
            return Some(LValue::Val(value));
        }
        if let Some(value) = self.numeric_limit(path, name) {
            return Some(LValue::Val(value));
        }
        match name {
            "printf" => {
                self.stops.asm += 1;
                self.stops.memory += 1;
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
        match constants::limit(scalar, name) {
            Some(constant) => Some(self.constant_val(constant)),
            None if scalar.is_integer() => None,
            None => {
                let reason = "a limit of a type";
                let id = self.arena.unknown(reason, Vec::new(), false, scalar);
                Some(scalar_val(id, scalar))
            }
        }
    }

    /// A constant of the standard headers.
    pub(super) fn constant_val(&mut self, constant: Constant) -> Val {
        match constant {
            Constant::Int(value, ty) => scalar_val(self.arena.int(value, ty), ty),
            Constant::Float(value, ty) => scalar_val(self.arena.float(value, ty), ty),
        }
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

    // Atomics and exchanges.

    // Memory.

    // Arithmetic.

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    fn arithmetic_intrinsic(
        &mut self,
        (name, is_qualified): (&str, bool),
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> Option<Val> {
        match name {
            "min" | "max" | "umin" | "umax" | "llmin" | "llmax" | "ullmin" | "ullmax" | "clamp" => {
                // One argument more is the user's own order.
                if places.len() != if name == "clamp" { 3 } else { 2 } {
                    return None;
                }
                if places.iter().any(|(place, _)| {
                    matches!(
                        place.ty().strip_reference(),
                        Type::Record(_) | Type::Vector { .. }
                    )
                }) {
                    return None;
                }
                return self.min_max((name, is_qualified), places);
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
        let (name, gives) = functions::find(name)?;
        if matches!(gives, Gives::Class(_) | Gives::Pair) {
            let ty = gives.class(places.first().map(|(place, _)| place.ty()).as_ref())?;
            for at in 0..places.len() {
                self.read_argument(places, at);
            }
            let reason = format!("a result of `{name}`");
            return Some(self.unknown_val(&reason, ty));
        }
        if places
            .iter()
            .any(|(place, _)| matches!(place.ty().strip_reference(), Type::Vector { .. }))
            && gives == Gives::Float
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
        let types: Vec<Scalar> = arguments.iter().map(|id| self.arena.ty(*id)).collect();
        if gives.is_open(&types) {
            let reason = format!("the type of `{name}` of a half");
            let ty = Type::unknown(format!("{reason} is not known"));
            return Some(self.unknown_val(&reason, ty));
        }
        let ty = gives.scalar(&types).unwrap_or(match gives {
            Gives::Float => Scalar::F32,
            _ => Scalar::I32,
        });
        if gives == Gives::Float && name == "fabs" && ty.is_integer() {
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

    /// `min` and its kin. CUDA's promote `short` to `int`, those of the standard library do not.
    pub(super) fn min_max(
        &mut self,
        (name, is_qualified): (&str, bool),
        places: &[ArgumentLValue],
    ) -> Option<Val> {
        let a = self.scalar_argument(places, 0)?;
        let b = self.scalar_argument(places, 1)?;
        let own = self.arena.ty(a);
        let is_narrow = matches!(name, "min" | "max" | "clamp")
            && own == self.arena.ty(b)
            && promote(own) != own;
        let is_bare = self.brings_std_in || self.unit.names.brings_std_in();
        let ty = match is_narrow && is_qualified {
            true => own,
            false => usual_arithmetic(own, self.arena.ty(b)),
        };
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
        let id = self.arena.binary(op, a, b, ty);
        if is_narrow && !is_qualified && is_bare {
            let reason =
                format!("whether `{name}` is CUDA's or the standard library's decides its type");
            return Some(Val::Scalar {
                id,
                ty: Type::unknown(reason),
                volatile: false,
            });
        }
        Some(scalar_val(id, ty))
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
