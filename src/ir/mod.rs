//! Kernels as a small typed language: what symbolic execution and the simulator read.
//!
//! Given syntax trees by `lower`; every name is resolved, every type has a size,
//! templates are instantiated, device functions are inlined, memory operations
//! are statements of their own and expressions are pure. Knows nothing of warps,
//! costs or proofs.
//!
//! Memory model: a pointer is an object plus a byte offset. A scalar local whose
//! address is never taken is a *scalar variable*, read by [`Expr::Var`] and
//! written by [`Stmt::Assign`]. Every other local (array, struct, vector,
//! address-taken scalar) is an *object*, read and written by [`Stmt::Load`] and
//! [`Stmt::Store`] through [`Object::Local`]; such accesses are no memory requests.

pub mod atomics;
pub mod builtin;
pub mod content;
pub mod dump;
pub mod folded;
mod joined;
pub mod launch;
pub mod promote;
pub mod residue;
mod scalar;
pub mod stays_false;
pub mod stop;
pub mod visit;

pub use launch::{Argument, Dimension, Launch, LaunchSite, LaunchSource, MovedPointer, Written};
pub use scalar::Scalar;

use crate::gpu::cost::SharedAtomic;
use crate::source::Span;
use std::sync::Arc;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
id!(
    /// An expression of one kernel's arena.
    ExprId
);
id!(
    /// A local variable of one kernel, inlined functions' and temporaries included.
    VarId
);
id!(
    /// A `__shared__` object of one kernel.
    SharedId
);
id!(
    /// A `__device__` or `__constant__` object of the program.
    GlobalId
);
id!(
    /// A place in the source that reads or writes memory; one per load or store.
    SiteId
);
id!(
    /// A target of [`Stmt::Exit`].
    LabelId
);
id!(
    /// A loop of one kernel.
    LoopId
);

/// How many statements there are that keep the compiler from putting accesses before and behind them together (seen in
/// the SASS of CUDA 13.0 for sm_90).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stops {
    /// `asm` statements, volatile or not, and calls into the system: NVVM puts nothing together across one.
    pub asm: u32,
    /// Those of them that may touch memory or order what does: ptxas puts stores to shared memory together across the
    /// others.
    pub memory: u32,
    /// Those of the first that the headers make of operations with 16-bit numbers: ptxas puts loads of shared memory
    /// together across them.
    pub half: u32,
}

impl Stops {
    /// Whether any are not of the headers' operations with 16-bit numbers.
    #[must_use]
    pub fn has_other_than_half(self) -> bool {
        self.asm > self.half
    }
}

impl std::ops::Sub for Stops {
    type Output = Self;

    /// What stands between two places, the earlier one given last.
    fn sub(self, before: Self) -> Self {
        Self {
            asm: self.asm.saturating_sub(before.asm),
            memory: self.memory.saturating_sub(before.memory),
            half: self.half.saturating_sub(before.half),
        }
    }
}

/// The kernels of one run, and what could not be made into one.
#[derive(Debug, Default)]
pub struct Program {
    pub kernels: Vec<Kernel>,
    pub globals: Vec<Global>,
    pub not_analysed: Vec<NotAnalysed>,
    /// Every launch that the text shows, whether or not its kernel is defined in the run.
    pub launch_sites: Vec<LaunchSite>,
    /// Launches that the text shows and that no run gets to.
    pub unreached: Vec<Span>,
    /// Every kernel that the run defines, launched or not.
    pub defined: Vec<DefinedKernel>,
    /// Where a bound is set on the steps of a walk through one kernel.
    pub most_steps: Option<u64>,
    /// Most terms of one walk; the walk's own bound where there is none.
    pub most_terms: Option<usize>,
    /// Raised to end the work on it.
    pub stop: stop::Stop,
}

/// A function that was seen but could not be analysed.
#[derive(Clone, Debug)]
pub struct NotAnalysed {
    pub function: String,
    pub span: Span,
    /// One sentence for users.
    pub reason: String,
    pub omission: Omission,
}

/// The kind of thing that a [`NotAnalysed`] leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Omission {
    /// The text that it stands at.
    #[default]
    Text,
    /// Launches of a kernel: those beyond the limit, or of an instance that is not known.
    Launches,
}

/// A `__global__` function with a body.
#[derive(Clone, Debug)]
pub struct DefinedKernel {
    pub name: String,
    pub span: Span,
    pub is_template: bool,
}

/// One kernel, for one set of template arguments.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// As the user calls it, with namespaces.
    pub name: String,
    /// `<float, 16>`; empty for a kernel that is no template.
    pub instance: String,
    /// The kernel's name in its definition.
    pub span: Span,
    pub parameters: Vec<Parameter>,
    pub variables: Vec<Variable>,
    pub shared: Vec<SharedObject>,
    pub sites: Vec<Site>,
    /// How many [`LabelId`] and [`LoopId`] the body uses.
    pub labels: u32,
    pub loops: u32,
    pub exprs: Vec<Expr>,
    pub body: Block,
    pub launches: Vec<Launch>,
    /// First argument of `__launch_bounds__`, where it folds.
    pub max_threads: Option<u32>,
    /// A template of which no instance is known: its arguments are defaults, or open.
    pub is_open: bool,
    /// Whether anything that is compiled of it touches memory, were it a local object: nothing does where it traps
    /// at once, or where all of it is for another architecture.
    pub touches_memory: bool,
    /// Parts of the body that could not be lowered, each standing as [`Stmt::Opaque`].
    pub gaps: Vec<NotAnalysed>,
    /// Expressions and statements that were read to lower it, called functions included.
    pub steps: u64,
    /// Where the code is.
    pub form: folded::Form,
}

impl Kernel {
    #[must_use]
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// Gives back the room that its lists were grown by and do not need.
    pub fn shrink(&mut self) {
        self.exprs.shrink_to_fit();
        self.variables.shrink_to_fit();
        self.sites.shrink_to_fit();
        shrink(&mut self.body);
    }

    /// The kernel with its launches and gaps, but nothing that it does.
    #[must_use]
    pub fn without_code(self) -> Self {
        Self {
            variables: Vec::new(),
            sites: Vec::new(),
            exprs: Vec::new(),
            body: Vec::new(),
            form: folded::Form::Plain,
            ..self
        }
    }
}

/// The local object that a pointer among `exprs` certainly points into, offsets aside.
#[must_use]
pub fn local_object(exprs: &[Expr], mut pointer: ExprId) -> Option<VarId> {
    loop {
        match exprs.get(pointer.index())? {
            Expr::Offset { pointer: inner, .. } => pointer = *inner,
            Expr::Address(Object::Local(variable)) => return Some(*variable),
            _ => return None,
        }
    }
}

/// Bytes from what a pointer among `exprs` begins with to where it leads, where numbers alone tell.
#[must_use]
pub fn fixed_offset(exprs: &[Expr], mut pointer: ExprId) -> Option<i64> {
    let mut total = 0_i64;
    while let Expr::Offset {
        pointer: inner,
        bytes,
        ..
    } = exprs.get(pointer.index())?
    {
        let Expr::Int { value, .. } = exprs.get(bytes.index())? else {
            return None;
        };
        total = total.checked_add(*value)?;
        pointer = *inner;
    }
    Some(total)
}

/// A kernel parameter. Its variable holds the argument when the body starts.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: String,
    pub variable: VarId,
    pub kind: ParameterKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ParameterKind {
    Scalar(Scalar),
    /// A pointer to global memory; `element` is the pointee's size in bytes, 0 where unknown.
    Pointer {
        element: u32,
        is_const: bool,
        is_restrict: bool,
    },
    /// A struct by value: its scalar leaves as (byte offset, type, path such as `p.width`).
    /// A leaf of type [`Scalar::Pointer`] points to a global allocation of its own.
    Object {
        leaves: Vec<(u32, Scalar, String)>,
    },
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Arc<str>,
    pub kind: VariableKind,
    pub span: Option<Span>,
}

/// The size of a local object that is not known.
pub const UNKNOWN_SIZE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    Scalar(Scalar),
    /// Size and alignment in bytes.
    Object {
        size: u32,
        align: u32,
        holds: Holds,
    },
}

/// What a local object may hold, by its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holds {
    Anything,
    /// Numbers that are too small for an address, or none.
    Numbers,
    /// What it held when the kernel began: it is a constant, a parameter or an array of constants.
    Argument,
}

/// A `__shared__` declaration.
#[derive(Clone, Debug)]
pub struct SharedObject {
    pub name: String,
    /// Bytes; `None` for `extern __shared__ T s[]`.
    pub size: Option<u64>,
    pub align: u32,
    /// Bytes of one element, dimensions outermost first (empty for a scalar; 0 for `[]`).
    pub element: u32,
    pub dimensions: Vec<u64>,
    /// The declarator (`tile[32][33]`), in the user's text.
    pub span: Span,
}

/// A `__device__`, `__managed__` or `__constant__` object.
#[derive(Clone, Debug)]
pub struct Global {
    pub name: String,
    pub is_constant: bool,
    pub size: Option<u64>,
    /// What its declaration says of where it starts, in bytes.
    pub align: u32,
    pub span: Span,
}

/// A member of a class, as LLVM's metadata for type-based alias analysis names it (LLVM Language Reference, "tbaa").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemberTag {
    /// A number for the class.
    pub class: u64,
    /// Bytes from the start of its objects.
    pub offset: u32,
    /// Bytes of such an object.
    pub size: u32,
}

/// Where a load or store stands.
#[derive(Clone, Debug)]
pub struct Site {
    /// The access expression (`tile[threadIdx.x][j]`) in the user's text; for text out of a
    /// macro body the macro's place of use; for an inlined function its own text.
    pub span: Span,
    /// The line that `-lineinfo` names, as a span (differs from `span` only inside macro arguments).
    pub line: Span,
    /// Body of the macro that the text came from.
    pub definition: Option<Span>,
    /// The user's name of the array: the innermost variable, parameter or member.
    pub array: Arc<str>,
    /// Bytes that the type of the object around it is aligned to: a member of a `float4` is aligned as
    /// a float, the whole of it to 16. 0 where there is none.
    pub whole_align: u32,
    /// The member of a class, or lane of a vector, that the text names: the compiler tells it apart from other members
    /// of objects of that class, wherever they lie.
    pub member: Option<MemberTag>,
    /// What keeps accesses apart and stands before it in the kernel, as it was lowered.
    pub stops: Stops,
    /// Whether the text that accesses is that of a library, and the user's is the call.
    pub is_of_library: bool,
    /// Whether it reads or writes what a `?:` names, or is part of such a copy: nvcc makes it in each branch, for
    /// the lanes there, and may put the branches together again (seen in the PTX of CUDA 13.0, with -G and -O3);
    /// other compilers choose the address first.
    pub by_branch: bool,
    /// Whether it is a piece of a number that a packed class leaves at any address.
    pub of_packed: bool,
    /// Whether the instruction is one for shared memory (`ld.shared`, `ldmatrix`), whatever is known of the address.
    pub of_shared: bool,
    /// Calls that were inlined to get here, outermost first: name and place of the call.
    pub inlined: Arc<[(Arc<str>, Span)]>,
}

impl Site {
    /// Visits every place that it names. Its calls are shared with others: they are copied where one changes.
    pub fn each_span(&mut self, visit: &mut dyn FnMut(&mut Span)) {
        visit(&mut self.span);
        visit(&mut self.line);
        self.definition.iter_mut().for_each(&mut *visit);
        let mut calls = None;
        for (at, (_, call)) in self.inlined.iter().enumerate() {
            let mut now = *call;
            visit(&mut now);
            if now != *call {
                calls.get_or_insert_with(|| self.inlined.to_vec())[at].1 = now;
            }
        }
        if let Some(calls) = calls {
            self.inlined = calls.into();
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Axis {
    X,
    Y,
    Z,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BuiltinValue {
    ThreadIdx(Axis),
    BlockIdx(Axis),
    BlockDim(Axis),
    GridDim(Axis),
}

/// The intrinsic that gives the address of the same place in the shared memory of another block of the cluster.
pub const MAP_SHARED_RANK: &str = "__cluster_map_shared_rank";

/// The start of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    Local(VarId),
    Shared(SharedId),
    Global(GlobalId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    Neg,
    /// `~`
    Not,
    /// `!`: gives `Bool`.
    LogicalNot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    /// Truncating, as C divides.
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    /// Both operands are evaluated; short-circuit with memory operations is lowered to `If`.
    LogicalAnd,
    LogicalOr,
}

/// A pure expression: no memory operation, no side effect.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// Two's complement, sign- or zero-extended to 64 bits as `ty` is signed or not.
    Int { value: i64, ty: Scalar },
    /// Bits of the value as `f64`.
    Float { bits: u64, ty: Scalar },
    /// The present value of a scalar variable.
    Var(VarId),
    /// Type `U32`.
    Builtin(BuiltinValue),
    Unary {
        op: Unary,
        value: ExprId,
        ty: Scalar,
    },
    /// `ty` is the common type of both operands (for shifts: of the left one); comparisons and
    /// logical operators give `Bool`.
    Binary {
        op: Binary,
        left: ExprId,
        right: ExprId,
        ty: Scalar,
    },
    Select {
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
        ty: Scalar,
    },
    /// Conversion between scalars (integer, float, pointer to integer and back).
    Cast {
        value: ExprId,
        from: Scalar,
        to: Scalar,
    },
    /// Type `Pointer`.
    Address(Object),
    /// A pointer moved by `bytes` (type `I64` or `U64`).
    Offset {
        pointer: ExprId,
        bytes: ExprId,
        /// Bytes of the array that begins at `pointer`, where it is a subscript of one.
        within: Option<u32>,
    },
    /// Bytes between two pointers into one object; type `I64`.
    Distance { left: ExprId, right: ExprId },
    /// A pure mathematical function (`sqrtf`, `__popc`, `__float2int_rn`, …).
    Intrinsic {
        name: &'static str,
        arguments: Vec<ExprId>,
        ty: Scalar,
    },
    /// A value that is not modelled. It is a function of `inputs` alone: equal in all lanes where
    /// those are, unless `is_varying` says that lanes may differ all the same.
    Unknown {
        reason: Arc<str>,
        inputs: Vec<ExprId>,
        is_varying: bool,
        ty: Scalar,
    },
}

impl Expr {
    /// Calls `visit` for each expression that this one is made of.
    pub fn each_part(&self, visit: &mut dyn FnMut(ExprId)) {
        match self {
            Expr::Int { .. }
            | Expr::Float { .. }
            | Expr::Var(_)
            | Expr::Builtin(_)
            | Expr::Address(_) => {}
            Expr::Unary { value, .. } | Expr::Cast { value, .. } => visit(*value),
            Expr::Binary { left, right, .. } | Expr::Distance { left, right } => {
                visit(*left);
                visit(*right);
            }
            Expr::Select {
                condition,
                then,
                otherwise,
                ..
            } => {
                visit(*condition);
                visit(*then);
                visit(*otherwise);
            }
            Expr::Offset { pointer, bytes, .. } => {
                visit(*pointer);
                visit(*bytes);
            }
            Expr::Intrinsic { arguments, .. } => arguments.iter().copied().for_each(visit),
            Expr::Unknown { inputs, .. } => inputs.iter().copied().for_each(visit),
        }
    }
}

pub type Block = Vec<Stmt>;

fn shrink(block: &mut Block) {
    block.shrink_to_fit();
    for stmt in block {
        match stmt {
            Stmt::If {
                then, otherwise, ..
            } => {
                shrink(then);
                shrink(otherwise);
            }
            Stmt::Loop(inner) => {
                shrink(&mut inner.prelude);
                shrink(&mut inner.body);
                shrink(&mut inner.step);
            }
            Stmt::Labelled { body, .. } => shrink(body),
            _ => {}
        }
    }
}

#[derive(Clone, Debug)]
pub enum Stmt {
    /// Writes a scalar variable.
    Assign {
        variable: VarId,
        value: ExprId,
    },
    /// One machine load of `ty` through `pointer`; `target` is a scalar variable, or an object of
    /// `ty.size()` bytes for [`Scalar::Bytes`].
    Load {
        target: VarId,
        pointer: ExprId,
        ty: Scalar,
        site: SiteId,
        path: Path,
    },
    /// One machine store; `value` as for [`Stmt::Load::target`].
    Store {
        pointer: ExprId,
        value: Value,
        ty: Scalar,
        site: SiteId,
        path: Path,
    },
    /// Read-modify-write; `target` gets the old value where something depends on it.
    Atomic {
        target: Option<VarId>,
        pointer: ExprId,
        op: &'static str,
        operands: Vec<ExprId>,
        ty: Scalar,
        site: SiteId,
        /// Its instruction in shared memory; `None` for a loop of a load and a compare-and-swap. Set once the whole
        /// kernel is lowered.
        instruction: Option<SharedAtomic>,
    },
    /// A warp-wide matrix move with request shapes of its own (`ldmatrix`, `stmatrix`): each group of
    /// eight lanes supplies eight 16-byte row addresses; `rows` (8, 16 or 32) lanes take part.
    Matrix {
        pointer: ExprId,
        rows: u32,
        is_store: bool,
        site: SiteId,
        targets: Vec<VarId>,
    },
    /// A bulk or fragment access whose lane addresses are not modelled (wmma on generic layouts):
    /// it is reported as unknown, with the reason.
    OpaqueAccess {
        pointer: ExprId,
        ty: Scalar,
        op: OpaqueOp,
        site: SiteId,
        reason: Arc<str>,
    },
    If {
        condition: ExprId,
        then: Block,
        otherwise: Block,
        span: Span,
    },
    Loop(Box<Loop>),
    /// Runs `body`; `Exit(label)` inside leaves it (`break`, `continue`, `return` of an inlined function).
    Labelled {
        label: LabelId,
        body: Block,
    },
    Exit(LabelId),
    /// `return` of the kernel, for the lanes that are here.
    Return,
    Barrier {
        kind: Barrier,
        span: Span,
    },
    /// Exchange between lanes (`__shfl_xor_sync`, `__ballot_sync`, …).
    Collective {
        target: Option<VarId>,
        op: &'static str,
        arguments: Vec<ExprId>,
        ty: Scalar,
        span: Span,
    },
    /// A fact that holds from here on: `__builtin_assume`, `// cudalint: assume(…)`.
    Assume {
        condition: ExprId,
        span: Span,
    },
    /// Something not modelled; `variables` and the objects behind `pointers` hold unknown values after it.
    Opaque {
        variables: Vec<VarId>,
        pointers: Vec<ExprId>,
        reason: Arc<str>,
        span: Span,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpaqueOp {
    Load,
    Store,
}

/// The value of a store.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    Scalar(ExprId),
    /// The bytes of an object.
    Object(VarId),
}

/// How a memory operation travels; cost depends on it only where the vendor says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Path {
    Plain,
    Volatile,
    /// `__ldg`, `__ldcs`, …
    ReadOnly,
    /// The two halves of a `cp.async` that goes through L1, or may.
    AsyncCopy,
    /// Those of `cp.async.cg`, which does not.
    AsyncCopyPastL1,
}

#[derive(Clone, Debug)]
pub struct Loop {
    pub id: LoopId,
    /// Whether the condition is tested before the first iteration.
    pub pretest: bool,
    /// Runs before each test.
    pub prelude: Block,
    /// Goes on while this holds.
    pub condition: ExprId,
    /// `Exit(continue_label)` inside ends the iteration.
    pub body: Block,
    pub step: Block,
    pub continue_label: LabelId,
    pub break_label: LabelId,
    /// What keeps accesses apart and stands in it.
    pub stops: Stops,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Barrier {
    /// `__syncthreads` and kin, `bar.sync 0`.
    Block,
    Warp,
    Grid,
    /// `__threadfence` and kin: orders, does not wait.
    Fence,
}
