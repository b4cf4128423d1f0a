//! Expressions as one line of C++, for messages.

use super::scope::display_path;
use crate::syntax::ast::{
    BinaryOp, Expr, ExprKind, Path, TemplateArgument, TypeExpr, TypeKind, UnaryOp,
};
use crate::syntax::preprocess::plain_name;

/// Nesting below which an expression is shown as `…`.
const MAX_DEPTH: u32 = 12;

/// `e` as C++ has it, spaced evenly; `…` stands for what is nested too deeply.
#[must_use]
pub fn text(e: &Expr) -> String {
    let mut out = String::new();
    write(e, MAX_DEPTH, &mut out);
    out
}

fn list(items: &[Expr], depth: u32, out: &mut String) {
    for (i, e) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write(e, depth, out);
    }
}

fn path(p: &Path, depth: u32, out: &mut String) {
    if p.is_global {
        out.push_str("::");
    }
    for (i, s) in p.segments.iter().enumerate() {
        if i > 0 {
            out.push_str("::");
        }
        if let Some(written) = s.decltype() {
            out.push_str(&type_text(written, depth));
            continue;
        }
        out.push_str(plain_name(&s.name));
        if let Some(arguments) = &s.arguments {
            out.push('<');
            for (i, a) in arguments.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                match a {
                    TemplateArgument::Type(t) => out.push_str(&type_text(t, depth)),
                    TemplateArgument::Expr(e) => write(e, depth, out),
                }
            }
            out.push('>');
        }
    }
}

fn type_text(ty: &TypeExpr, depth: u32) -> String {
    if depth == 0 {
        return "…".to_string();
    }
    match &ty.kind {
        TypeKind::Builtin(b) => super::types::builtin(*b).display(),
        TypeKind::Named(p) => {
            let mut out = String::new();
            path(p, depth - 1, &mut out);
            out
        }
        TypeKind::Pointer { to, .. } => format!("{}*", type_text(to, depth - 1)),
        TypeKind::Reference { to, .. } => format!("{}&", type_text(to, depth - 1)),
        TypeKind::Auto => "auto".to_string(),
        TypeKind::Decltype(e) => {
            let mut out = "decltype(".to_string();
            write(e, depth - 1, &mut out);
            out.push(')');
            out
        }
        _ => "…".to_string(),
    }
}

#[expect(clippy::too_many_lines, reason = "a match over the language")]
fn write(e: &Expr, depth: u32, out: &mut String) {
    if depth == 0 {
        out.push('…');
        return;
    }
    let depth = depth - 1;
    match &e.kind {
        ExprKind::Int { value, .. } => out.push_str(&value.to_string()),
        ExprKind::Float { value, is_single } => {
            out.push_str(&format!("{value:?}"));
            if *is_single {
                out.push('f');
            }
        }
        ExprKind::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        ExprKind::Char(c, _) => out.push_str(&c.to_string()),
        ExprKind::Str(_) => out.push_str("\"…\""),
        ExprKind::Null => out.push_str("nullptr"),
        ExprKind::This => out.push_str("this"),
        ExprKind::Path(p) => path(p, depth, out),
        ExprKind::Unary(op, a) => {
            let (before, after) = match op {
                UnaryOp::Plus => ("+", ""),
                UnaryOp::Neg => ("-", ""),
                UnaryOp::Not => ("!", ""),
                UnaryOp::BitNot => ("~", ""),
                UnaryOp::Deref => ("*", ""),
                UnaryOp::AddressOf => ("&", ""),
                UnaryOp::PreIncrement => ("++", ""),
                UnaryOp::PreDecrement => ("--", ""),
                UnaryOp::PostIncrement => ("", "++"),
                UnaryOp::PostDecrement => ("", "--"),
            };
            out.push_str(before);
            operand(a, depth, out);
            out.push_str(after);
        }
        ExprKind::Binary(op, a, b) => {
            operand(a, depth, out);
            out.push_str(&format!(" {} ", op.symbol()));
            operand(b, depth, out);
        }
        ExprKind::Assign(op, a, b) => {
            write(a, depth, out);
            out.push_str(&format!(" {}= ", op.map_or("", BinaryOp::symbol)));
            write(b, depth, out);
        }
        ExprKind::Conditional(c, a, b) => {
            operand(c, depth, out);
            out.push_str(" ? ");
            operand(a, depth, out);
            out.push_str(" : ");
            operand(b, depth, out);
        }
        ExprKind::Call { callee, arguments } => {
            write(callee, depth, out);
            out.push('(');
            list(arguments, depth, out);
            out.push(')');
        }
        ExprKind::Launch { callee, .. } => {
            write(callee, depth, out);
            out.push_str("<<<…>>>(…)");
        }
        ExprKind::Index(base, at) => {
            operand(base, depth, out);
            out.push('[');
            list(at, depth, out);
            out.push(']');
        }
        ExprKind::Member {
            object,
            arrow,
            member,
        } => {
            operand(object, depth, out);
            out.push_str(if *arrow { "->" } else { "." });
            out.push_str(&display_path(member));
        }
        ExprKind::Cast { ty, value, .. } => {
            out.push_str(&format!("({})", type_text(ty, depth)));
            operand(value, depth, out);
        }
        ExprKind::Construct { ty, arguments } => {
            out.push_str(&type_text(ty, depth));
            out.push('(');
            list(arguments, depth, out);
            out.push(')');
        }
        ExprKind::List(items) => {
            out.push('{');
            for (i, (_, e)) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                if i >= 8 {
                    out.push('…');
                    break;
                }
                write(e, depth, out);
            }
            out.push('}');
        }
        ExprKind::SizeofType(t) => out.push_str(&format!("sizeof({})", type_text(t, depth))),
        ExprKind::AlignofType(t) => out.push_str(&format!("alignof({})", type_text(t, depth))),
        ExprKind::Sizeof(a) => {
            out.push_str("sizeof(");
            write(a, depth, out);
            out.push(')');
        }
        ExprKind::SizeofPack(name) => out.push_str(&format!("sizeof...({name})")),
        ExprKind::Lambda(_) => out.push_str("[…] { … }"),
        ExprKind::Expand(a) => {
            write(a, depth, out);
            out.push_str("...");
        }
        ExprKind::Fold { op, pack, .. } => {
            out.push('(');
            write(pack, depth, out);
            out.push_str(&format!(" {} ...)", op.symbol()));
        }
        ExprKind::Other(name) => out.push_str(name),
        ExprKind::Error => out.push('…'),
    }
}

/// An operand, in parentheses where it is an operation itself.
fn operand(e: &Expr, depth: u32, out: &mut String) {
    let nested = matches!(
        e.kind,
        ExprKind::Binary(..) | ExprKind::Conditional(..) | ExprKind::Assign(..)
    );
    if nested {
        out.push('(');
    }
    write(e, depth, out);
    if nested {
        out.push(')');
    }
}
