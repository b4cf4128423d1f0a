//! Small questions about host expressions, by shape and name alone.

use crate::syntax::ast::{self, Expr, ExprKind, Name, UnaryOp};

/// Whether a function that is not visible is known to take plain arguments by value.
pub(super) fn takes_values(name: &str) -> bool {
    const PREFIXES: &[&str] = &[
        "cuda", "hip", "cublas", "cufft", "curand", "cusparse", "cusolver", "cudnn", "nvtx", "cu",
        "check", "CHECK", "Check", "str", "mem", "omp_", "nccl", "__",
    ];
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
        "atoi",
        "atol",
        "atof",
        "exit",
        "abort",
        "assert",
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
        "log2",
        "exp",
        "fabs",
        "abs",
        "min",
        "max",
        "sin",
        "cos",
        "fopen",
        "fclose",
        "fread",
        "fwrite",
        "to_string",
        "move",
        "make_pair",
        "make_tuple",
        "raw_pointer_cast",
        "getLastCudaError",
        "dim3",
        "fill",
        "fill_n",
        "copy",
        "accumulate",
        "reduce",
        "sort",
        "transform",
        "iota",
        "generate",
        "size_t",
        "int",
        "float",
        "double",
        "round",
        "setw",
        "setprecision",
        "device_pointer_cast",
        "sequence",
        "isnan",
        "fmax",
        "fmin",
        "usleep",
        "sleep",
        "error",
        "perror",
        "getenv",
    ];
    EXACT.contains(&name)
        || PREFIXES.iter().any(|p| name.starts_with(p))
        || name.starts_with("make_")
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
        for a in p
            .segments
            .iter()
            .filter_map(|s| s.arguments.as_deref())
            .flatten()
        {
            match a {
                ast::TemplateArgument::Expr(e) => mentioned(e, out, depth - 1),
                ast::TemplateArgument::Type(ast::TypeExpr {
                    kind: ast::TypeKind::Named(p),
                    ..
                }) => {
                    out.extend(p.segments.first().map(|s| s.name.clone()));
                }
                ast::TemplateArgument::Type(_) => {}
            }
        }
    }
    each_child(e, &mut |c| mentioned(c, out, depth - 1));
}

/// Calls `f` on the direct operands of an expression (not into lambdas).
pub(super) fn each_child<'e>(e: &'e Expr, f: &mut dyn FnMut(&'e Expr)) {
    match &e.kind {
        ExprKind::Unary(_, a)
        | ExprKind::Sizeof(a)
        | ExprKind::Expand(a)
        | ExprKind::Cast { value: a, .. }
        | ExprKind::Member { object: a, .. } => f(a),
        ExprKind::Binary(_, a, b) | ExprKind::Assign(_, a, b) => {
            f(a);
            f(b);
        }
        ExprKind::Conditional(a, b, c) => {
            f(a);
            f(b);
            f(c);
        }
        ExprKind::Call { callee, arguments } => {
            f(callee);
            arguments.iter().for_each(f);
        }
        ExprKind::Launch {
            callee,
            config,
            arguments,
        } => {
            f(callee);
            config.iter().chain(arguments).for_each(f);
        }
        ExprKind::Index(base, at) => {
            f(base);
            at.iter().for_each(f);
        }
        ExprKind::Construct { arguments, .. } => arguments.iter().for_each(f),
        ExprKind::List(items) => items.iter().for_each(|(_, e)| f(e)),
        ExprKind::Fold { pack, init, .. } => {
            f(pack);
            if let Some(init) = init {
                f(init);
            }
        }
        _ => {}
    }
}
