//! Values that are no numbers: groups of lanes, lambdas, function names, library objects.
//!
//! Cooperative groups are lowered to expressions on the built-in variables; which
//! lanes a coalesced group holds is not known.

use super::call::{ArgumentLValue, named_type};
use super::context::{Lower, Scope};
use super::values::{LValue, Mem, Val, scalar_val};
use crate::ir::{Axis, Barrier, Binary, BuiltinValue, ExprId, MAP_SHARED_RANK, OpaqueOp, Scalar};
use crate::sema::scope::{self, Env};
use crate::sema::types::{Type, known};
use crate::syntax::ast;
use std::rc::Rc;
use std::sync::Arc;

#[derive(Clone)]
pub(super) enum SpecialValue {
    Group(Group),
    Closure(Rc<Closure>),
    Function(ast::Path, Env),
    /// `cuda::atomic_ref<T>(x)`
    AtomicRef(Mem),
    /// An object of a class that is known by name only.
    Opaque(Type),
    /// `{a, b}` where no type is known yet: its elements, evaluated.
    List(Rc<[ArgumentLValue]>),
}

/// Which lanes a cooperative group holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    Grid,
    /// Blocks that run together: how many there are and which one this is are not known.
    Cluster,
    Block,
    /// Consecutive lanes, this many.
    Tile(u32),
    /// Such a tile, of a tile of so many.
    Part(u32, u32),
    Coalesced,
}

pub(super) struct Closure {
    pub lambda: Arc<ast::Lambda>,
    pub scope: Scope,
    pub env: Env,
    pub this: Option<Mem>,
    /// Its type. That of one that changes its copies is [`Type::lambda`]: what they hold goes by the call.
    pub ty: Type,
}

impl SpecialValue {
    /// Whether both certainly mean the same.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Group(a), Self::Group(b)) => a == b,
            (Self::Closure(a), Self::Closure(b)) => Rc::ptr_eq(a, b),
            // What template arguments and qualifiers mean depends on where they stand.
            (Self::Function(a, here), Self::Function(b, there)) => {
                let is_plain = |path: &ast::Path| {
                    let has_arguments = |s: &ast::Segment| s.arguments.is_some();
                    path.segments.len() == 1 && !path.segments.iter().any(has_arguments)
                };
                is_plain(a)
                    && is_plain(b)
                    && scope::display_path(a) == scope::display_path(b)
                    && here.is_same(there)
            }
            (Self::Opaque(a), Self::Opaque(b)) => a == b,
            _ => false,
        }
    }

    pub fn ty(&self) -> Type {
        match self {
            SpecialValue::Group(group) => Type::Opaque(match group {
                Group::Grid => Arc::from("cooperative_groups::grid_group"),
                Group::Cluster => Arc::from("cooperative_groups::cluster_group"),
                Group::Block => Arc::from("cooperative_groups::thread_block"),
                Group::Tile(n) | Group::Part(n, _) => {
                    Arc::from(format!("cooperative_groups::thread_block_tile<{n}>"))
                }
                Group::Coalesced => Arc::from("cooperative_groups::coalesced_group"),
            }),
            SpecialValue::Closure(closure) => closure.ty.clone(),
            SpecialValue::Function(..) => Type::Function,
            SpecialValue::AtomicRef(_) => Type::Opaque(Arc::from("cuda::atomic_ref")),
            SpecialValue::Opaque(ty) => ty.clone(),
            SpecialValue::List(_) => Type::unknown("a braced list"),
        }
    }
}

/// `thread_block` of `cooperative_groups::thread_block<…>`.
pub(super) fn class_name(ty: &str) -> &str {
    let bare = ty.split('<').next().unwrap_or(ty);
    bare.rsplit("::").next().unwrap_or(bare)
}

fn group_of_class(ty: &str) -> Option<Group> {
    Some(match class_name(ty) {
        "thread_block" => Group::Block,
        "grid_group" => Group::Grid,
        "cluster_group" => Group::Cluster,
        "coalesced_group" => Group::Coalesced,
        "thread_block_tile" => {
            let (_, rest) = ty.split_once("thread_block_tile<")?;
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            Group::Tile(digits.parse().ok().filter(|n: &u32| n.is_power_of_two())?)
        }
        _ => return None,
    })
}

/// Whether arguments are those of `init(&barrier, count)`.
fn points_to_barrier(places: &[ArgumentLValue]) -> bool {
    let [(barrier, _), _] = places else {
        return false;
    };
    match barrier.ty().decay() {
        Type::Pointer(to) => {
            matches!(&*to, Type::Opaque(name) if name.starts_with("cuda::barrier"))
        }
        _ => false,
    }
}

/// Whether a name stands for a type of the user's that is missing (`real_t` of a build option),
/// not for a class of a library.
pub(super) fn is_undeclared(name: &str) -> bool {
    const LIBRARY: [&str; 6] = ["curand", "thread_", "texture", "surface", "cuda", "cub"];
    !name.contains(['<', ':'])
        && group_of_class(name).is_none()
        && !LIBRARY.iter().any(|start| name.starts_with(start))
        && !matches!(name, "pipeline" | "barrier" | "fragment" | "lambda")
}

impl Lower<'_> {
    /// Free functions of `cooperative_groups`.
    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    pub fn group_function(
        &mut self,
        path: &ast::Path,
        places: &[ArgumentLValue],
        e: &ast::Expr,
    ) -> Option<LValue> {
        let last = path.segments.last()?;
        if let Some(group) = self.group_of_path(path) {
            return self.group_method(group, &last.name, places, e);
        }
        let group = match places.first() {
            Some((LValue::Val(Val::SpecialValue(SpecialValue::Group(group))), _)) => Some(*group),
            _ => None,
        };
        let made = |group| Some(LValue::Val(Val::SpecialValue(SpecialValue::Group(group))));
        if &*last.name == "init" && points_to_barrier(places) {
            self.unordered(e.range, "a barrier in shared memory orders threads");
            return Some(LValue::Val(Val::Void));
        }
        match (&*last.name, group) {
            ("this_thread_block", _) => made(Group::Block),
            ("this_grid", _) => made(Group::Grid),
            ("this_cluster", _) => made(Group::Cluster),
            ("make_pipeline", _) => Some(LValue::Val(Val::SpecialValue(SpecialValue::Opaque(
                Type::Opaque(Arc::from("cuda::pipeline")),
            )))),
            ("coalesced_threads", _) => made(Group::Coalesced),
            ("tiled_partition", _) => {
                let size = match &last.arguments {
                    Some(arguments) => {
                        let given = scope::resolve_arguments(
                            &self.unit.names,
                            &self.frame.env,
                            arguments,
                            None,
                        );
                        match given.first() {
                            Some(scope::Binding::Value(value, _)) => {
                                value.as_int().and_then(|n| u32::try_from(n).ok())
                            }
                            _ => None,
                        }
                    }
                    None => match self.read_argument(places, 1) {
                        Some(Val::Scalar { id, .. }) => {
                            self.arena.as_int(id).and_then(|n| u32::try_from(n).ok())
                        }
                        _ => None,
                    },
                };
                match (size.filter(|n| n.is_power_of_two()), group) {
                    (None, _) | (_, Some(Group::Coalesced)) => made(Group::Coalesced),
                    (Some(size), Some(Group::Tile(whole) | Group::Part(whole, _))) => {
                        made(Group::Part(size, whole))
                    }
                    (Some(size), _) => made(Group::Tile(size)),
                }
            }
            ("binary_partition" | "labeled_partition", Some(_)) => {
                self.scalar_arguments(places.get(1..)?);
                made(Group::Coalesced)
            }
            ("sync" | "thread_rank" | "group_size", Some(group)) => {
                let name = if &*last.name == "group_size" {
                    "size"
                } else {
                    &*last.name
                };
                self.group_method(group, name, places.get(1..)?, e)
            }
            ("wait" | "wait_prior", Some(group)) => self.group_method(group, "sync", &[], e),
            ("reduce" | "inclusive_scan" | "exclusive_scan", Some(group)) => {
                let value = self.read_argument(places, 1)?;
                Some(LValue::Val(self.group_reduce(
                    group,
                    &last.name,
                    value,
                    places.get(2),
                    e.range,
                )))
            }
            ("memcpy_async", Some(_)) => {
                let reason = "which thread of the group copies which bytes is not specified";
                for (at, op) in [(2, OpaqueOp::Load), (1, OpaqueOp::Store)] {
                    let value = self.read_argument(places, at)?;
                    if let LValue::Mem(mem) = self.deref_named(value, "memcpy_async") {
                        self.opaque_access(&mem, op, reason, e.range);
                    }
                }
                self.scalar_arguments(places.get(3..)?);
                Some(LValue::Val(Val::Void))
            }
            _ => None,
        }
    }

    fn group_reduce(
        &mut self,
        group: Group,
        name: &str,
        value: Val,
        op: Option<&ArgumentLValue>,
        range: ast::Range,
    ) -> Val {
        let op = match op.map(|(place, _)| place.ty()) {
            Some(Type::Opaque(name)) => match class_name(&name) {
                "plus" => Some("__reduce_add_sync"),
                "less" => Some("__reduce_min_sync"),
                "greater" => Some("__reduce_max_sync"),
                _ => None,
            },
            _ => None,
        };
        let ty = value.ty();
        let Some(scalar) = ty.scalar() else {
            return self.unknown_val("a reduction over a group", ty);
        };
        let id = self.scalar_of(value, scalar, range);
        if let (Group::Tile(32) | Group::Part(32, _), "reduce", Some(op)) = (group, name, op) {
            let mask = self.arena.int(-1, Scalar::U32);
            return self.exchange(op, vec![mask, id], scalar, range);
        }
        scalar_val(
            self.havoc("a reduction over a group", scalar, range),
            scalar,
        )
    }

    fn builtin_axis(&mut self, of: fn(Axis) -> BuiltinValue, axis: Axis) -> ExprId {
        self.arena.builtin(of(axis))
    }

    fn all_axes(&mut self, of: fn(Axis) -> BuiltinValue) -> [ExprId; 3] {
        [Axis::X, Axis::Y, Axis::Z].map(|axis| self.builtin_axis(of, axis))
    }

    fn group_rank(&mut self, group: Group, range: ast::Range) -> ExprId {
        match group {
            Group::Block => self.linear_thread(),
            Group::Tile(n) | Group::Part(n, _) => {
                let thread = self.linear_thread();
                let n = self.arena.int(i64::from(n), Scalar::U32);
                self.arena.binary(Binary::Rem, thread, n, Scalar::U32)
            }
            Group::Grid => {
                let (thread, block) = (self.linear_thread(), self.linear_block());
                let size = self.group_size(Group::Block, range);
                let [thread, block, size] =
                    [thread, block, size].map(|id| self.arena.cast(id, Scalar::U64));
                let first = self.arena.binary(Binary::Mul, block, size, Scalar::U64);
                self.arena.binary(Binary::Add, first, thread, Scalar::U64)
            }
            Group::Cluster => {
                let (thread, block) = (self.linear_thread(), self.cluster_value("block_rank"));
                let size = self.group_size(Group::Block, range);
                let first = self.arena.binary(Binary::Mul, block, size, Scalar::U32);
                self.arena.binary(Binary::Add, first, thread, Scalar::U32)
            }
            Group::Coalesced => self.havoc("the rank in a coalesced group", Scalar::U32, range),
        }
    }

    fn group_size(&mut self, group: Group, range: ast::Range) -> ExprId {
        match group {
            Group::Block => {
                let axes = self.all_axes(BuiltinValue::BlockDim);
                self.product(&axes)
            }
            Group::Tile(n) | Group::Part(n, _) => self.arena.int(i64::from(n), Scalar::U32),
            Group::Grid => {
                let threads = self.group_size(Group::Block, range);
                let axes = self.all_axes(BuiltinValue::GridDim);
                let blocks = self.product(&axes);
                let [threads, blocks] =
                    [threads, blocks].map(|id| self.arena.cast(id, Scalar::U64));
                self.arena.binary(Binary::Mul, threads, blocks, Scalar::U64)
            }
            Group::Cluster => {
                let threads = self.group_size(Group::Block, range);
                let blocks = self.cluster_value("num_blocks");
                self.arena.binary(Binary::Mul, threads, blocks, Scalar::U32)
            }
            Group::Coalesced => self.havoc("the size of a coalesced group", Scalar::U32, range),
        }
    }

    /// What all threads of a block agree on and only the launch's attributes say.
    fn cluster_value(&mut self, name: &str) -> ExprId {
        let block = self.all_axes(BuiltinValue::BlockIdx).to_vec();
        let reason = format!("`{name}` of the cluster");
        self.arena.unknown_by_name(&reason, block, Scalar::U32)
    }

    fn as_value(&mut self, id: ExprId) -> LValue {
        let ty = self.arena.ty(id);
        LValue::Val(scalar_val(id, ty))
    }

    /// The group whose class a path names before the function: `cluster_group::sync`.
    fn group_of_path(&mut self, path: &ast::Path) -> Option<Group> {
        let (_, class) = path.segments.split_last()?;
        if !matches!(
            &*class.last()?.name,
            "thread_block" | "grid_group" | "cluster_group"
        ) {
            return None;
        }
        let class = ast::Path {
            segments: class.to_vec(),
            ..*path
        };
        match self.resolve(&named_type(&class)) {
            Type::Opaque(name) => group_of_class(&name),
            _ => None,
        }
    }

    /// A method of a group; `None` for one that is not known.
    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    fn group_method(
        &mut self,
        group: Group,
        name: &str,
        places: &[ArgumentLValue],
        e: &ast::Expr,
    ) -> Option<LValue> {
        let range = e.range;
        Some(match name {
            "sync" | "barrier_wait" => match group {
                Group::Block | Group::Cluster => self.barrier(Barrier::Block, range),
                Group::Grid => self.barrier(Barrier::Grid, range),
                Group::Tile(n) | Group::Part(n, _) if n > 32 => self.barrier(Barrier::Block, range),
                _ => self.barrier(Barrier::Warp, range),
            },
            "barrier_arrive" => LValue::Val(Val::Void),
            "is_valid" => {
                let id = self.arena.int(1, Scalar::Bool);
                self.as_value(id)
            }
            "thread_rank" => {
                let id = self.group_rank(group, range);
                self.as_value(id)
            }
            "size" | "num_threads" => {
                let id = self.group_size(group, range);
                self.as_value(id)
            }
            "meta_group_rank" => {
                let (n, whole) = match group {
                    Group::Tile(n) => (n, None),
                    Group::Part(n, whole) => (n, Some(whole)),
                    _ => return None,
                };
                let mut thread = self.linear_thread();
                if let Some(whole) = whole {
                    let whole = self.arena.int(i64::from(whole), Scalar::U32);
                    thread = self.arena.binary(Binary::Rem, thread, whole, Scalar::U32);
                }
                let n = self.arena.int(i64::from(n), Scalar::U32);
                let id = self.arena.binary(Binary::Div, thread, n, Scalar::U32);
                self.as_value(id)
            }
            "meta_group_size" => {
                let (n, size) = match group {
                    Group::Tile(n) => (n, self.group_size(Group::Block, range)),
                    Group::Part(n, whole) => (n, self.arena.int(i64::from(whole), Scalar::U32)),
                    _ => return None,
                };
                let less = self.arena.int(i64::from(n) - 1, Scalar::U32);
                let n = self.arena.int(i64::from(n), Scalar::U32);
                let up = self.arena.binary(Binary::Add, size, less, Scalar::U32);
                let id = self.arena.binary(Binary::Div, up, n, Scalar::U32);
                self.as_value(id)
            }
            "block_index" | "dim_blocks" | "group_dim" | "group_index" | "dim_threads"
            | "thread_index"
                if group == Group::Cluster =>
            {
                return None;
            }
            "thread_index" => self.axes_value(BuiltinValue::ThreadIdx, "uint3"),
            "group_index" | "block_index" => self.axes_value(BuiltinValue::BlockIdx, "uint3"),
            "group_dim" | "dim_blocks" if group == Group::Grid => {
                self.axes_value(BuiltinValue::GridDim, "dim3")
            }
            "group_dim" | "dim_threads" => self.axes_value(BuiltinValue::BlockDim, "dim3"),
            "block_rank" | "num_blocks" if group == Group::Cluster => {
                let id = self.cluster_value(name);
                self.as_value(id)
            }
            "cluster_rank" | "num_clusters" if group == Group::Grid => {
                let id = self.cluster_value(name);
                self.as_value(id)
            }
            "map_shared_rank" if group == Group::Cluster => {
                let pointer = self.read_argument(places, 0)?;
                let ty = pointer.ty().decay();
                let pointer = self.scalar_of(pointer, Scalar::Pointer, range);
                let mut given = vec![pointer];
                given.extend(self.scalar_arguments(places.get(1..)?));
                let id = self
                    .arena
                    .intrinsic(MAP_SHARED_RANK, given, Scalar::Pointer);
                let volatile = false;
                LValue::Val(Val::Scalar { id, ty, volatile })
            }
            "query_shared_rank" if group == Group::Cluster => {
                let id = self.havoc("the rank of a block of the cluster", Scalar::U32, range);
                self.as_value(id)
            }
            "num_blocks" => {
                let axes = self.all_axes(BuiltinValue::GridDim);
                let id = self.product(&axes);
                let id = self.arena.cast(id, Scalar::U64);
                self.as_value(id)
            }
            "block_rank" => {
                let id = self.linear_block();
                let id = self.arena.cast(id, Scalar::U64);
                self.as_value(id)
            }
            "shfl" | "shfl_up" | "shfl_down" | "shfl_xor" | "any" | "all" | "ballot"
            | "match_any" | "match_all" => {
                return self
                    .group_exchange(group, name, places, range)
                    .map(LValue::Val);
            }
            _ => return None,
        })
    }

    fn axes_value(&mut self, of: fn(Axis) -> BuiltinValue, name: &str) -> LValue {
        let axes = self.all_axes(of);
        let ty = known(name).unwrap_or(Type::Void);
        LValue::Val(self.vector_of(&ty, &axes))
    }

    fn group_exchange(
        &mut self,
        group: Group,
        name: &str,
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> Option<Val> {
        let op = match name {
            "shfl" => "__shfl_sync",
            "shfl_up" => "__shfl_up_sync",
            "shfl_down" => "__shfl_down_sync",
            "shfl_xor" => "__shfl_xor_sync",
            "any" => "__any_sync",
            "all" => "__all_sync",
            "ballot" => "__ballot_sync",
            "match_any" => "__match_any_sync",
            _ => "__match_all_sync",
        };
        let value = self.read_argument(places, 0)?;
        let ty = value.ty();
        let is_shuffle = name.starts_with("shfl");
        let result = if is_shuffle {
            ty.scalar()?
        } else {
            Scalar::U32
        };
        let from = ty.scalar().unwrap_or(Scalar::I32);
        let id = self.scalar_of(value, from, range);
        let rest = self.scalar_arguments(places.get(1..)?);
        match group {
            Group::Tile(width @ 1..=32) | Group::Part(width @ 1..=32, _)
                if is_shuffle || width == 32 =>
            {
                let mask = self.arena.int(-1, Scalar::U32);
                let mut arguments = vec![mask, id];
                arguments.extend(rest);
                if is_shuffle {
                    arguments.push(self.arena.int(i64::from(width), Scalar::I32));
                }
                Some(self.exchange(op, arguments, result, range))
            }
            _ => Some(scalar_val(
                self.havoc("an exchange within a part of a warp", result, range),
                result,
            )),
        }
    }

    /// An object of a class known by name, where construction has a meaning.
    pub fn known_opaque(
        &mut self,
        name: &str,
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> Option<Val> {
        match class_name(name) {
            "atomic_ref" => {
                let (place, at) = places.first()?.clone();
                let mem = self.memory_of(place, at)?;
                Some(Val::SpecialValue(SpecialValue::AtomicRef(mem)))
            }
            "aligned_size_t" => {
                let value = self.read_argument(places, 0)?;
                let id = self.scalar_of(value, Scalar::U64, range);
                Some(scalar_val(id, Scalar::U64))
            }
            "plus" | "less" | "greater" | "bit_and" | "bit_or" | "bit_xor" | "minus"
            | "multiplies" => Some(Val::SpecialValue(SpecialValue::Opaque(Type::Opaque(
                Arc::from(name),
            )))),
            class => match places.first() {
                Some((LValue::Val(Val::SpecialValue(SpecialValue::Group(group))), _))
                    if class == "thread_group" || group_of_class(name).is_some() =>
                {
                    Some(Val::SpecialValue(SpecialValue::Group(*group)))
                }
                _ => {
                    group_of_class(name).map(|group| Val::SpecialValue(SpecialValue::Group(group)))
                }
            },
        }
    }

    /// The number that an object of a class of constants is: `std::integral_constant<int, 4>{}`.
    pub fn constant_of_class(&mut self, special: &SpecialValue) -> Option<Val> {
        let SpecialValue::Opaque(ty) = special else {
            return None;
        };
        let value = scope::constant_of(ty)?;
        self.constant_value(&value)
    }

    /// `special.name`
    pub fn special_member(&mut self, special: &SpecialValue, name: &str, e: &ast::Expr) -> LValue {
        if name == "value"
            && let Some(value) = self.constant_of_class(special)
        {
            return LValue::Val(value);
        }
        let reason = format!("member `{name}` of `{}`", special.ty());
        if let SpecialValue::Opaque(Type::Opaque(class)) = special
            && let Some(place) = self.fragment_member(&class.clone(), name, e.range)
        {
            return place;
        }
        LValue::Val(self.unknown_val(&reason, Type::unknown(reason.clone())))
    }

    /// `special.name(arguments)`
    pub fn special_call(
        &mut self,
        special: &SpecialValue,
        segment: &ast::Segment,
        places: &[ArgumentLValue],
        e: &ast::Expr,
    ) -> LValue {
        let name: &str = &segment.name;
        match special {
            SpecialValue::Group(group) => {
                if let Some(place) = self.group_method(*group, name, places, e) {
                    return place;
                }
            }
            SpecialValue::Closure(closure) if name == "()" => {
                let explicit = segment.arguments.as_deref().unwrap_or_default();
                return self.inline_closure(&closure.clone(), explicit, places, e.range);
            }
            SpecialValue::AtomicRef(mem) => {
                if let Some(value) = self.atomic_method(&mem.clone(), name, places, e.range) {
                    return LValue::Val(value);
                }
            }
            SpecialValue::Opaque(Type::Opaque(class)) => {
                if let Some(group) = group_of_class(class)
                    && let Some(place) = self.group_method(group, name, places, e)
                {
                    return place;
                }
                match (class_name(class), name) {
                    ("pipeline", _) => return LValue::Val(Val::Void),
                    ("barrier", "arrive_and_wait" | "wait") => {
                        return self.barrier(Barrier::Block, e.range);
                    }
                    ("barrier", _) => return LValue::Val(Val::SpecialValue(special.clone())),
                    ("thread_group", "sync") => return self.barrier(Barrier::Block, e.range),
                    _ => {}
                }
            }
            _ => {}
        }
        let name = format!("{}::{name}", special.ty());
        self.opaque_call(&name, places, None, e.range)
    }

    fn atomic_method(
        &mut self,
        mem: &Mem,
        name: &str,
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> Option<Val> {
        // Memory orders stand after the operands.
        let one = places.get(..places.len().min(1))?;
        let op = match name {
            "fetch_add" => "atomicAdd",
            "fetch_sub" => "atomicSub",
            "fetch_and" => "atomicAnd",
            "fetch_or" => "atomicOr",
            "fetch_xor" => "atomicXor",
            "fetch_min" => "atomicMin",
            "fetch_max" => "atomicMax",
            "exchange" => "atomicExch",
            "load" => return Some(self.read(LValue::Mem(mem.clone()), range)),
            "store" => {
                let value = self.read_argument(places, 0)?;
                self.write(&LValue::Mem(mem.clone()), value, range);
                return Some(Val::Void);
            }
            "compare_exchange_strong" | "compare_exchange_weak" => {
                let (expected, at) = places.first()?.clone();
                let old = self.atomic_on("atomicCAS", mem, places.get(..2)?, range);
                let wanted = self.read(expected.clone(), at);
                let same = self.arithmetic(ast::BinaryOp::Eq, old.clone(), wanted, range);
                self.write(&expected, old, at);
                return Some(same);
            }
            _ => return None,
        };
        Some(self.atomic_on(op, mem, one, range))
    }
}
