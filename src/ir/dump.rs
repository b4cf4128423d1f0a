//! Kernels as text.
//!
//! Given a [`Kernel`], gives a stable, readable form for `--emit ir` and for
//! tests. Not read back by anything, and silent on places in the source.

use super::{
    Argument, Barrier, Binary, Block, BuiltinValue, Dimension, Expr, ExprId, Kernel, Launch,
    Object, OpaqueOp, ParameterKind, Path, Scalar, SiteId, Stmt, Unary, Value, VarId, VariableKind,
};
use crate::gpu::cost::SharedAtomic;
use std::fmt::Write as _;

/// Deepest nesting of an expression that is printed.
const MAX_DEPTH: u32 = 64;

/// The kernel's signature, objects, launches and body.
#[must_use]
pub fn dump(kernel: &Kernel) -> String {
    let mut text = String::new();
    let parameters: Vec<String> = kernel
        .parameters
        .iter()
        .map(|parameter| {
            let kind = match &parameter.kind {
                ParameterKind::Scalar(ty) => scalar(*ty),
                ParameterKind::Pointer { element, .. } => format!("ptr<{element}>"),
                ParameterKind::Object { leaves } => {
                    let leaves: Vec<String> = leaves
                        .iter()
                        .map(|(at, ty, path)| format!("{path}@{at}: {}", scalar(*ty)))
                        .collect();
                    format!("{{{}}}", leaves.join(", "))
                }
            };
            format!("{}: {kind}", variable(kernel, parameter.variable))
        })
        .collect();
    let _ = writeln!(
        text,
        "kernel {}{}({})",
        kernel.name,
        kernel.instance,
        parameters.join(", ")
    );
    if let Some(threads) = kernel.max_threads {
        let _ = writeln!(text, "  at most {threads} threads");
    }
    for launch in &kernel.launches {
        let _ = writeln!(text, "  {}", launch_text(launch));
    }
    for shared in &kernel.shared {
        let size = shared
            .size
            .map_or("dynamic".to_owned(), |size| size.to_string());
        let _ = writeln!(
            text,
            "  shared {}: {size} bytes, align {}, element {}, dimensions {:?}",
            shared.name, shared.align, shared.element, shared.dimensions
        );
    }
    for (at, local) in kernel.variables.iter().enumerate() {
        if let VariableKind::Object { size, align, .. } = local.kind {
            let _ = writeln!(
                text,
                "  local {}: {size} bytes, align {align}",
                variable(kernel, VarId(at as u32))
            );
        }
    }
    block(kernel, &kernel.body, 1, &mut text);
    for gap in &kernel.gaps {
        let _ = writeln!(text, "  gap: {}", gap.reason);
    }
    text
}

fn launch_text(launch: &Launch) -> String {
    let shape = |dimensions: &[Dimension; 3]| {
        let parts: Vec<String> = dimensions
            .iter()
            .map(|dimension| match dimension {
                Dimension::Const(n) => n.to_string(),
                Dimension::Unknown(text) | Dimension::Uneven(text) => format!("`{text}`"),
            })
            .collect();
        format!("({})", parts.join(", "))
    };
    let arguments: Vec<String> = launch
        .arguments
        .iter()
        .map(|argument| match argument {
            Argument::Int(n) => n.to_string(),
            Argument::Float(x) => format!("{x:?}"),
            Argument::Pointer { offset, .. } => match (offset.value(), offset.class()) {
                (Some(bytes), _) => format!("ptr+{bytes}"),
                (None, Some((step, rest))) => format!("ptr+{rest}+{step}*?"),
                (None, None) => "ptr".to_owned(),
            },
            Argument::Unknown | Argument::Narrowed => "?".to_owned(),
        })
        .collect();
    let shared = launch
        .dynamic_shared
        .map_or("?".to_owned(), |bytes| bytes.to_string());
    format!(
        "{} grid {} block {} shared {shared} arguments ({})",
        launch.source.name(),
        shape(&launch.grid),
        shape(&launch.block),
        arguments.join(", ")
    )
}

fn scalar(ty: Scalar) -> String {
    match ty {
        Scalar::Bool => "bool".to_owned(),
        Scalar::I8 => "i8".to_owned(),
        Scalar::U8 => "u8".to_owned(),
        Scalar::I16 => "i16".to_owned(),
        Scalar::U16 => "u16".to_owned(),
        Scalar::I32 => "i32".to_owned(),
        Scalar::U32 => "u32".to_owned(),
        Scalar::I64 => "i64".to_owned(),
        Scalar::U64 => "u64".to_owned(),
        Scalar::F16 => "f16".to_owned(),
        Scalar::BF16 => "bf16".to_owned(),
        Scalar::F32 => "f32".to_owned(),
        Scalar::F64 => "f64".to_owned(),
        Scalar::Pointer => "ptr".to_owned(),
        Scalar::Bytes(n) => format!("b{}", u32::from(n) * 8),
    }
}

fn variable(kernel: &Kernel, id: VarId) -> String {
    let name = kernel
        .variables
        .get(id.index())
        .map_or("", |variable| &*variable.name);
    format!("{name}.{}", id.0)
}

fn list(kernel: &Kernel, ids: &[ExprId], depth: u32) -> String {
    let parts: Vec<String> = ids.iter().map(|id| expr(kernel, *id, depth)).collect();
    parts.join(", ")
}

#[expect(clippy::too_many_lines, reason = "a match over the language")]
fn expr(kernel: &Kernel, id: ExprId, depth: u32) -> String {
    if depth > MAX_DEPTH {
        return "…".to_owned();
    }
    let inner = |id: ExprId| expr(kernel, id, depth + 1);
    match kernel.expr(id) {
        Expr::Int {
            value,
            ty: Scalar::U64,
        } => format!("{}", *value as u64),
        Expr::Int {
            value,
            ty: Scalar::Bool,
        } => if *value == 0 { "false" } else { "true" }.to_owned(),
        Expr::Int { value, .. } => value.to_string(),
        Expr::Float { bits, .. } => format!("{:?}", f64::from_bits(*bits)),
        Expr::Var(id) => variable(kernel, *id),
        Expr::Builtin(value) => {
            let (name, axis) = match value {
                BuiltinValue::ThreadIdx(axis) => ("threadIdx", axis),
                BuiltinValue::BlockIdx(axis) => ("blockIdx", axis),
                BuiltinValue::BlockDim(axis) => ("blockDim", axis),
                BuiltinValue::GridDim(axis) => ("gridDim", axis),
            };
            format!("{name}.{}", format!("{axis:?}").to_lowercase())
        }
        Expr::Unary { op, value, ty } => {
            let op = match op {
                Unary::Neg => "-",
                Unary::Not => "~",
                Unary::LogicalNot => "!",
            };
            format!("{op}{}:{}", inner(*value), scalar(*ty))
        }
        Expr::Binary {
            op,
            left,
            right,
            ty,
        } => {
            let op = match op {
                Binary::Add => "+",
                Binary::Sub => "-",
                Binary::Mul => "*",
                Binary::Div => "/",
                Binary::Rem => "%",
                Binary::Shl => "<<",
                Binary::Shr => ">>",
                Binary::And => "&",
                Binary::Or => "|",
                Binary::Xor => "^",
                Binary::Min => "min",
                Binary::Max => "max",
                Binary::Eq => "==",
                Binary::Ne => "!=",
                Binary::Lt => "<",
                Binary::Le => "<=",
                Binary::LogicalAnd => "&&",
                Binary::LogicalOr => "||",
            };
            format!("({} {op}:{} {})", inner(*left), scalar(*ty), inner(*right))
        }
        Expr::Select {
            condition,
            then,
            otherwise,
            ..
        } => {
            format!(
                "({} ? {} : {})",
                inner(*condition),
                inner(*then),
                inner(*otherwise)
            )
        }
        Expr::Cast { value, to, .. } => format!("{}({})", scalar(*to), inner(*value)),
        Expr::Address(object) => match object {
            Object::Local(id) => format!("&{}", variable(kernel, *id)),
            Object::Shared(id) => {
                let name = kernel
                    .shared
                    .get(id.index())
                    .map_or("", |shared| shared.name.as_str());
                format!("&shared {name}.{}", id.0)
            }
            Object::Global(id) => format!("&global {}", id.0),
        },
        Expr::Offset { pointer, bytes, .. } => format!("{} +> {}", inner(*pointer), inner(*bytes)),
        Expr::Distance { left, right } => format!("({} <-> {})", inner(*left), inner(*right)),
        Expr::Intrinsic {
            name, arguments, ..
        } => format!("{name}({})", list(kernel, arguments, depth + 1)),
        Expr::Unknown {
            reason,
            inputs,
            is_varying,
            ty,
        } => format!(
            "{}unknown:{}({reason}; {})",
            if *is_varying { "varying " } else { "" },
            scalar(*ty),
            list(kernel, inputs, depth + 1)
        ),
    }
}

fn path(path: Path) -> &'static str {
    match path {
        Path::Plain => "",
        Path::Volatile => " volatile",
        Path::ReadOnly => " readonly",
        Path::AsyncCopy => " async",
        Path::AsyncCopyPastL1 => " async.cg",
    }
}

fn site(kernel: &Kernel, id: SiteId) -> String {
    let array = kernel.sites.get(id.index()).map_or("", |site| &*site.array);
    format!("#{} {array}", id.0)
}

fn block(kernel: &Kernel, stmts: &Block, indent: usize, text: &mut String) {
    for stmt in stmts {
        statement(kernel, stmt, indent, text);
    }
}

#[expect(clippy::too_many_lines, reason = "a match over the language")]
fn statement(kernel: &Kernel, stmt: &Stmt, indent: usize, text: &mut String) {
    let pad = "  ".repeat(indent);
    let show = |id: ExprId| expr(kernel, id, 0);
    let target =
        |id: &Option<VarId>| id.map_or(String::new(), |id| format!("{} = ", variable(kernel, id)));
    let line = match stmt {
        Stmt::Assign {
            variable: id,
            value,
        } => format!("{} = {}", variable(kernel, *id), show(*value)),
        Stmt::Load {
            target,
            pointer,
            ty,
            site: id,
            path: way,
        } => format!(
            "{} = load{} {} [{}] {}",
            variable(kernel, *target),
            path(*way),
            scalar(*ty),
            show(*pointer),
            site(kernel, *id)
        ),
        Stmt::Store {
            pointer,
            value,
            ty,
            site: id,
            path: way,
        } => {
            let value = match value {
                Value::Scalar(value) => show(*value),
                Value::Object(id) => variable(kernel, *id),
            };
            format!(
                "store{} {} [{}] {value} {}",
                path(*way),
                scalar(*ty),
                show(*pointer),
                site(kernel, *id)
            )
        }
        Stmt::Atomic {
            target: to,
            pointer,
            op,
            operands,
            ty,
            site: id,
            instruction,
        } => format!(
            "{}atomic {op} {} [{}] ({}) {}{}",
            target(to),
            scalar(*ty),
            show(*pointer),
            list(kernel, operands, 0),
            site(kernel, *id),
            match instruction {
                Some(SharedAtomic::Increment) => " increment",
                Some(SharedAtomic::Combined) => " combined",
                _ => "",
            }
        ),
        Stmt::Matrix {
            pointer,
            rows,
            is_store,
            site: id,
            targets,
        } => {
            let targets: Vec<String> = targets.iter().map(|id| variable(kernel, *id)).collect();
            let kind = if *is_store { "store" } else { "load" };
            format!(
                "matrix {kind} {rows} rows [{}] ({}) {}",
                show(*pointer),
                targets.join(", "),
                site(kernel, *id)
            )
        }
        Stmt::OpaqueAccess {
            pointer,
            ty,
            op,
            site: id,
            reason,
        } => {
            let op = match op {
                OpaqueOp::Load => "load",
                OpaqueOp::Store => "store",
            };
            format!(
                "opaque {op} {} [{}] {} ({reason})",
                scalar(*ty),
                show(*pointer),
                site(kernel, *id)
            )
        }
        Stmt::If {
            condition,
            then,
            otherwise,
            ..
        } => {
            let _ = writeln!(text, "{pad}if {}", show(*condition));
            block(kernel, then, indent + 1, text);
            if !otherwise.is_empty() {
                let _ = writeln!(text, "{pad}else");
                block(kernel, otherwise, indent + 1, text);
            }
            return;
        }
        Stmt::Loop(body) => {
            let kind = if body.pretest { "while" } else { "do while" };
            let _ = writeln!(
                text,
                "{pad}loop {} {kind} {} (continue L{}, break L{})",
                body.id.0,
                show(body.condition),
                body.continue_label.0,
                body.break_label.0
            );
            if !body.prelude.is_empty() {
                let _ = writeln!(text, "{pad}before test");
                block(kernel, &body.prelude, indent + 1, text);
                let _ = writeln!(text, "{pad}body");
            }
            block(kernel, &body.body, indent + 1, text);
            if !body.step.is_empty() {
                let _ = writeln!(text, "{pad}step");
                block(kernel, &body.step, indent + 1, text);
            }
            return;
        }
        Stmt::Labelled { label, body } => {
            let _ = writeln!(text, "{pad}L{}:", label.0);
            block(kernel, body, indent + 1, text);
            return;
        }
        Stmt::Exit(label) => format!("exit L{}", label.0),
        Stmt::Return => "return".to_owned(),
        Stmt::Barrier { kind, .. } => match kind {
            Barrier::Block => "barrier block",
            Barrier::Warp => "barrier warp",
            Barrier::Grid => "barrier grid",
            Barrier::Fence => "fence",
        }
        .to_owned(),
        Stmt::Collective {
            target: to,
            op,
            arguments,
            ty,
            ..
        } => {
            format!(
                "{}collective {op} {} ({})",
                target(to),
                scalar(*ty),
                list(kernel, arguments, 0)
            )
        }
        Stmt::Assume { condition, .. } => format!("assume {}", show(*condition)),
        Stmt::Opaque {
            variables,
            pointers,
            reason,
            ..
        } => {
            let variables: Vec<String> = variables.iter().map(|id| variable(kernel, *id)).collect();
            format!(
                "opaque ({}) [{}] {reason}",
                variables.join(", "),
                list(kernel, pointers, 0)
            )
        }
    };
    let _ = writeln!(text, "{pad}{line}");
}
