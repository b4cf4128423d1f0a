//! Small questions about host expressions, by shape and name alone: which functions of libraries only take values and
//! launch nothing.

use crate::syntax::ast::{self, Expr, ExprKind, Name, UnaryOp};

/// What the toolkit's functions of the runtime and the driver do, by the word behind `cuda`, `hip` or `cu`.
const VERBS: &[&str] = &[
    "Array",
    "Bind",
    "Choose",
    "Configure",
    "Coredump",
    "Create",
    "Ctx",
    "Destroy",
    "Device",
    "Driver",
    "EGL",
    "Event",
    "External",
    "Flush",
    "Free",
    "Func",
    "GL",
    "Get",
    "Graph",
    "Green",
    "Host",
    "IPC",
    "Import",
    "Init",
    "Ipc",
    "Kernel",
    "Launch",
    "Library",
    "Link",
    "Malloc",
    "Managed",
    "Mem",
    "Mipmapped",
    "Module",
    "Multicast",
    "Occupancy",
    "Param",
    "Peek",
    "Pointer",
    "Primary",
    "Profiler",
    "Runtime",
    "Set",
    "Setup",
    "Signal",
    "Stream",
    "Surf",
    "Symbol",
    "Tensor",
    "Tex",
    "Thread",
    "Unbind",
    "User",
    "VDPAU",
    "Wait",
];

/// Prefixes of functions whose names are known, each with the words that follow it; any word, where
/// there are none.
const TOOLKIT: &[(&str, &[&str])] = &[
    ("cublas", &[]),
    ("cufft", &[]),
    ("cusparse", &[]),
    ("cusolver", &[]),
    ("cudnn", &[]),
    ("hipblas", &[]),
    ("hipfft", &[]),
    ("hipsparse", &[]),
    ("hipsolver", &[]),
    (
        "hiprand",
        &["Create", "Destroy", "Generate", "Get", "Set", "Make", "_"],
    ),
    (
        "curand",
        &["Create", "Destroy", "Generate", "Get", "Set", "Make", "_"],
    ),
    (
        "nccl",
        &[
            "All",
            "Bcast",
            "Broadcast",
            "Comm",
            "Gather",
            "Get",
            "Group",
            "Init",
            "Mem",
            "Red",
            "Recv",
            "Reduce",
            "Scatter",
            "Send",
        ],
    ),
    ("cuda", VERBS),
    ("hip", VERBS),
    ("cu", VERBS),
];

/// The helpers that come with the toolkit's samples.
const SAMPLES: (&str, &[&str]) = (
    "sdk",
    &[
        "Average", "Compare", "Create", "Delete", "Dump", "Find", "Get", "Load", "Read", "Reset",
        "Save", "Start", "Stop", "Write",
    ],
);

fn begins_with(name: &str, (prefix, words): &(&str, &[&str])) -> bool {
    name.strip_prefix(prefix)
        .is_some_and(|rest| words.is_empty() || words.iter().any(|word| rest.starts_with(word)))
}

/// Whether a function is one of the toolkit's libraries, by its name: those give a status.
pub(super) fn is_of_toolkit(name: &str) -> bool {
    TOOLKIT.iter().any(|one| begins_with(name, one))
}

/// Whether a name can be the library's: those of other namespaces are somebody else's.
pub(super) fn may_be_of_library(p: &ast::Path) -> bool {
    match &p.segments[..] {
        [] | [_] => true,
        [first, ..] => matches!(
            &*first.name,
            "std"
                | "thrust"
                | "cub"
                | "cuda"
                | "cooperative_groups"
                | "cg"
                | "at"
                | "c10"
                | "torch"
        ),
    }
}

/// Whether a function that is not visible is known to take plain arguments by value, and to keep no
/// address that it is given. Names of the toolkit and of the standard libraries only.
#[expect(clippy::too_many_lines, reason = "still to be split")]
pub(super) fn takes_values(name: &str) -> bool {
    const PREFIXES: &[&str] = &["nvtx", "omp_", "__builtin_"];
    const EXACT: &[&str] = &[
        "printf",
        "fprintf",
        "sprintf",
        "snprintf",
        "puts",
        "fputs",
        "malloc",
        "calloc",
        "realloc",
        "free",
        "aligned_alloc",
        "memcpy",
        "memset",
        "memmove",
        "memcmp",
        "strlen",
        "strcmp",
        "strncmp",
        "strcpy",
        "strcat",
        "strtol",
        "strtoul",
        "atoi",
        "atol",
        "atoll",
        "atof",
        "stoi",
        "stol",
        "scanf",
        "fscanf",
        "sscanf",
        "exit",
        "abort",
        "assert",
        "static_assert",
        "rand",
        "srand",
        "time",
        "clock",
        "sqrt",
        "sqrtf",
        "pow",
        "powf",
        "ceil",
        "ceilf",
        "floor",
        "floorf",
        "log",
        "logf",
        "log2",
        "log2f",
        "log10",
        "exp",
        "expf",
        "fabs",
        "fabsf",
        "abs",
        "sin",
        "cos",
        "sinf",
        "cosf",
        "fopen",
        "fclose",
        "fread",
        "fwrite",
        "to_string",
        "make_pair",
        "make_tuple",
        "raw_pointer_cast",
        "device_pointer_cast",
        "dim3",
        "size_t",
        "int",
        "unsigned",
        "float",
        "double",
        "round",
        "setw",
        "setprecision",
        "isnan",
        "fmax",
        "fmin",
        "fmaxf",
        "fminf",
        "usleep",
        "sleep",
        "perror",
        "getenv",
        "max",
        "min",
        "gcd",
        "lcm",
        "clamp",
        "checkCudaErrors",
        "getLastCudaError",
        "TORCH_CHECK",
        "AT_ASSERT",
        "AT_ASSERTM",
        "CHECK_CUDA",
        "CUDA_CHECK",
        "MPI_Comm_rank",
        "MPI_Comm_size",
    ];
    EXACT.contains(&name)
        || is_of_toolkit(name)
        || PREFIXES.iter().any(|p| name.starts_with(p))
        || begins_with(name, &SAMPLES)
        || name
            .strip_prefix("make_")
            .is_some_and(|vector| crate::sema::types::known(vector).is_some())
}

/// Whether a function that is not visible takes references all the same, for all that its name says: a
/// macro that projects define for themselves, or one that gives a value which nobody takes.
pub(super) fn takes_places(name: &str, is_dropped: bool) -> bool {
    match name {
        "CUDA_CHECK" | "CHECK_CUDA" => true,
        "max" | "min" | "clamp" | "gcd" | "lcm" | "abs" | "round" | "ceil" | "floor" | "sqrt"
        | "pow" | "log2" | "exp" | "log" => is_dropped,
        _ => false,
    }
}

/// Methods that put things into standard containers.
pub(super) fn fills_container(name: &str) -> bool {
    matches!(
        name,
        "push_back"
            | "emplace_back"
            | "push"
            | "emplace"
            | "insert"
            | "insert_or_assign"
            | "try_emplace"
            | "assign"
            | "resize"
            | "fill"
    )
}

/// Whether an object of an opaque class is a container of a library, by the name of its class.
pub(super) fn is_container(class: &str) -> bool {
    let name = class.split('<').next().unwrap_or_default();
    let (space, name) = name.rsplit_once("::").unwrap_or(("", name));
    matches!(space.trim_start_matches("::"), "" | "std" | "thrust")
        && matches!(
            name,
            "vector"
                | "deque"
                | "list"
                | "forward_list"
                | "queue"
                | "stack"
                | "priority_queue"
                | "set"
                | "multiset"
                | "unordered_set"
                | "map"
                | "multimap"
                | "unordered_map"
                | "string"
                | "basic_string"
                | "device_vector"
                | "host_vector"
        )
}

/// Whether a library function that takes references gives a value all the same.
pub(super) fn makes_value(name: &str) -> bool {
    matches!(
        name,
        "size" | "empty" | "length" | "count" | "make_unique" | "make_shared"
    )
}

/// Whether a call gives its argument on, as what it is.
pub(super) fn passes_on(name: &str) -> bool {
    matches!(name, "forward" | "move" | "as_const")
}

/// Methods of standard containers that change nothing.
pub(super) fn only_reads(name: &str) -> bool {
    matches!(
        name,
        "size"
            | "empty"
            | "length"
            | "count"
            | "c_str"
            | "at"
            | "front"
            | "back"
            | "capacity"
            | "max_size"
            | "find"
    )
}

/// Whether text was read whose meaning is not modelled, so that it may write anything.
pub(super) fn is_unread(e: &Expr) -> bool {
    matches!(
        e.kind,
        ExprKind::Error | ExprKind::Other("pointer to member")
    )
}

/// Whether a known function keeps an address that it is given, to write there later.
pub(super) fn keeps_addresses(name: &str) -> bool {
    !takes_values(name)
        || [
            "Async", "Callback", "HostFunc", "Register", "Graph", "Capture", "Host", "Import",
        ]
        .iter()
        .any(|part| name.contains(part) && !name.contains("Malloc") && !name.contains("Launch"))
}

/// Whether a call gives a pointer to fresh memory through its first argument.
pub(super) fn allocates(name: &str) -> bool {
    matches!(
        name,
        "cudaMalloc"
            | "cudaMallocManaged"
            | "cudaMallocHost"
            | "cudaHostAlloc"
            | "cudaMallocAsync"
            | "hipMalloc"
            | "hipMallocManaged"
            | "hipHostMalloc"
            | "hipMallocAsync"
            | "cuMemAlloc"
            | "cuMemAlloc_v2"
            | "cuMemAllocManaged"
    )
}

/// Whether evaluating an expression may do anything besides giving its value.
pub(super) fn has_effects(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Assign(..)
        | ExprKind::Call { .. }
        | ExprKind::Launch { .. }
        | ExprKind::Lambda(_)
        | ExprKind::Construct { .. }
        | ExprKind::Other(_)
        | ExprKind::Fold { .. }
        | ExprKind::Error
        | ExprKind::Unary(
            UnaryOp::PreIncrement
            | UnaryOp::PreDecrement
            | UnaryOp::PostIncrement
            | UnaryOp::PostDecrement,
            _,
        )
        | ExprKind::Binary(ast::BinaryOp::Shr, ..) => true,
        ExprKind::Sizeof(_) => false,
        _ => {
            let mut any = false;
            e.each_operand(&mut |c| any |= has_effects(c));
            any
        }
    }
}

/// Whether an expression names a variable or a part of one, which a reference may be bound to.
pub(super) fn is_lvalue(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Path(_) | ExprKind::Member { .. } | ExprKind::Index(..) => true,
        ExprKind::Unary(UnaryOp::Deref | UnaryOp::PreIncrement | UnaryOp::PreDecrement, _)
        | ExprKind::Assign(..) => true,
        ExprKind::Conditional(_, a, b) => is_lvalue(a) || is_lvalue(b),
        ExprKind::Binary(ast::BinaryOp::Comma, _, b) => is_lvalue(b),
        // `std::forward<T>(x)`, `std::move(x)`
        ExprKind::Call { callee, arguments } => {
            matches!(&callee.kind, ExprKind::Path(p) if p.segments.last().is_some_and(|s| matches!(&*s.name, "forward" | "move" | "ref" | "as_const")))
                && arguments.iter().any(is_lvalue)
        }
        ExprKind::Cast { value, .. } | ExprKind::Expand(value) => is_lvalue(value),
        _ => false,
    }
}

/// The variables that a place may lie in: its root, or all that it mentions where that is no plain one.
pub(super) fn roots_of(e: &Expr) -> Vec<Name> {
    match root_of(e) {
        Some(root) => vec![root.clone()],
        None => {
            let mut out = Vec::new();
            mentioned(e, &mut out, 64);
            out
        }
    }
}

/// `x` of `&x`, under casts.
pub(super) fn address_of(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Unary(UnaryOp::AddressOf, inner) => Some(inner),
        ExprKind::Cast { value, .. } => address_of(value),
        _ => None,
    }
}

pub(super) fn is_arithmetic(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary(..) => true,
        ExprKind::Unary(UnaryOp::AddressOf, inner) => matches!(inner.kind, ExprKind::Index(..)),
        ExprKind::Cast { value, .. } => is_arithmetic(value),
        ExprKind::Conditional(_, a, b) => is_arithmetic(a) || is_arithmetic(b),
        _ => false,
    }
}

/// The variable that a place lies in.
pub(super) fn root_of(e: &Expr) -> Option<&Name> {
    match &e.kind {
        ExprKind::Path(p) => p.segments.last().map(|s| &s.name),
        ExprKind::Member { object, .. } => root_of(object),
        ExprKind::Index(base, _) => root_of(base),
        ExprKind::Cast { value, .. } | ExprKind::Unary(UnaryOp::Deref, value) => root_of(value),
        _ => None,
    }
}

/// Names of variables that an expression reads.
pub(super) fn mentioned(e: &Expr, out: &mut Vec<Name>, depth: u32) {
    if depth == 0 {
        return;
    }
    if let ExprKind::Path(p) = &e.kind {
        if let [s] = &p.segments[..] {
            out.push(s.name.clone());
        }
        for a in p.template_arguments() {
            match a {
                ast::TemplateArgument::Expr(e) => mentioned(e, out, depth - 1),
                ast::TemplateArgument::Type(ast::TypeExpr {
                    kind: ast::TypeKind::Named(p),
                    ..
                }) => {
                    out.extend(p.segments.first().map(|s| s.name.clone()));
                }
                ast::TemplateArgument::Type(ast::TypeExpr {
                    kind: ast::TypeKind::Decltype(e),
                    ..
                }) => mentioned(e, out, depth - 1),
                ast::TemplateArgument::Type(_) => {}
            }
        }
    }
    e.each_operand(&mut |c| mentioned(c, out, depth - 1));
}
