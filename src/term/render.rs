//! Terms as people read them.

use super::{Op, Term, TermId, Terms};
use crate::ir::Scalar;

/// The term as an expression; long ones are cut at `limit` characters.
#[must_use]
pub fn render(terms: &Terms, id: TermId, limit: usize) -> String {
    let mut text = String::new();
    write(terms, id, 0, limit, &mut text);
    for (sum, name) in SUMS {
        if text.contains(sum) {
            text = text.replace(sum, name);
        }
    }
    if text.chars().count() > limit {
        text = text.chars().take(limit.saturating_sub(1)).collect();
        text.push('…');
    }
    text
}

/// Sums that make up thread numbers, and their names in the source.
const SUMS: [(&str, &str); 4] = [
    ("(threadIdx.x / 32 * 32 + lane)", "threadIdx.x"),
    ("threadIdx.x / 32 * 32 + lane", "threadIdx.x"),
    ("(blockDim.x / 32 * 32)", "blockDim.x"),
    ("blockDim.x / 32 * 32", "blockDim.x"),
];

/// Binding strength, as in C.
fn strength(op: Op) -> u8 {
    match op {
        Op::LogicalOr => 1,
        Op::LogicalAnd => 2,
        Op::Or => 3,
        Op::Xor => 4,
        Op::And => 5,
        Op::Eq | Op::Ne => 6,
        Op::Lt | Op::Le => 7,
        Op::Shl | Op::Shr => 8,
        Op::Add | Op::Sub => 9,
        Op::Mul | Op::Div | Op::Rem => 10,
        Op::Min | Op::Max => 12,
    }
}

fn sign(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Div => "/",
        Op::Rem => "%",
        Op::Shl => "<<",
        Op::Shr => ">>",
        Op::And => "&",
        Op::Or => "|",
        Op::Xor => "^",
        Op::Min => "min",
        Op::Max => "max",
        Op::Eq => "==",
        Op::Ne => "!=",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::LogicalAnd => "&&",
        Op::LogicalOr => "||",
    }
}

/// The name of a type that arithmetic is not done in.
fn narrow(ty: Scalar) -> Option<&'static str> {
    match ty {
        Scalar::I8 => Some("signed char"),
        Scalar::U8 => Some("unsigned char"),
        Scalar::I16 => Some("short"),
        Scalar::U16 => Some("unsigned short"),
        _ => None,
    }
}

/// Whether one condition is plainly the other one negated.
fn is_opposite(terms: &Terms, one: TermId, other: TermId) -> bool {
    let negates = |a: TermId, b: TermId| match (terms.term(a), terms.term(b)) {
        (Term::Not(inner), _) => *inner == b,
        (Term::Binary(Op::Lt, x, y), Term::Binary(Op::Le, z, w)) => (x, y) == (w, z),
        _ => false,
    };
    negates(one, other) || negates(other, one)
}

#[expect(clippy::too_many_lines, reason = "a match over the language")]
fn write(terms: &Terms, id: TermId, outer: u8, limit: usize, out: &mut String) {
    use std::fmt::Write as _;
    if out.len() > limit * 2 {
        return;
    }
    match terms.term(id) {
        Term::Const(value) => {
            let _ = write!(out, "{value}");
        }
        Term::Symbol(symbol) => out.push_str(&terms.symbol(*symbol).name),
        // A comparison that does not hold is the opposite one.
        Term::Binary(Op::Eq, a, b)
            if terms.constant(*b) == Some(0)
                && matches!(terms.term(*a), Term::Binary(Op::Lt | Op::Le, ..)) =>
        {
            if let Term::Binary(op, x, y) = terms.term(*a) {
                let (own, sign) = match op {
                    Op::Lt => (strength(Op::Le), " <= "),
                    _ => (strength(Op::Lt), " < "),
                };
                let parenthesise = own < outer;
                out.push_str(if parenthesise { "(" } else { "" });
                write(terms, *y, own, limit, out);
                out.push_str(sign);
                write(terms, *x, own + 1, limit, out);
                out.push_str(if parenthesise { ")" } else { "" });
            }
        }
        Term::Binary(op @ (Op::Min | Op::Max), a, b) => {
            out.push_str(sign(*op));
            out.push('(');
            write(terms, *a, 0, limit, out);
            out.push_str(", ");
            write(terms, *b, 0, limit, out);
            out.push(')');
        }
        Term::Binary(op, a, b) => {
            let own = strength(*op);
            let parenthesise = own < outer;
            if parenthesise {
                out.push('(');
            }
            write(terms, *a, own, limit, out);
            let negative = match (op, terms.constant(*b)) {
                (Op::Add, Some(value)) if value < 0 => value.checked_neg(),
                _ => None,
            };
            match negative {
                Some(value) => {
                    let _ = write!(out, " - {value}");
                }
                None => {
                    let _ = write!(out, " {} ", sign(*op));
                    write(terms, *b, own + 1, limit, out);
                }
            }
            if parenthesise {
                out.push(')');
            }
        }
        Term::Not(a) => {
            out.push('!');
            write(terms, *a, 13, limit, out);
        }
        // `c && a` where `a` is only asked for behind `c`, and `!c || a`.
        Term::Select(c, a, b) if b == c || is_opposite(terms, *b, *c) => {
            let op = if b == c {
                Op::LogicalAnd
            } else {
                Op::LogicalOr
            };
            let own = strength(op);
            out.push_str(if own < outer { "(" } else { "" });
            write(terms, *b, own, limit, out);
            let _ = write!(out, " {} ", sign(op));
            write(terms, *a, own + 1, limit, out);
            out.push_str(if own < outer { ")" } else { "" });
        }
        Term::Select(c, a, b) => {
            out.push('(');
            write(terms, *c, 1, limit, out);
            out.push_str(" ? ");
            write(terms, *a, 1, limit, out);
            out.push_str(" : ");
            write(terms, *b, 1, limit, out);
            out.push(')');
        }
        // What is cut off is a part of the value.
        Term::Wrap(ty, a) => match narrow(*ty) {
            Some(name) => {
                out.push('(');
                out.push_str(name);
                out.push(')');
                write(terms, *a, 13, limit, out);
            }
            None => write(terms, *a, outer, limit, out),
        },
        Term::Table(index, values) => {
            out.push('{');
            for (at, value) in values.iter().enumerate() {
                if at == 6 && values.len() > 8 {
                    out.push_str(", …");
                    break;
                }
                if at > 0 {
                    out.push_str(", ");
                }
                let _ = write!(out, "{value}");
            }
            out.push_str("}[");
            write(terms, *index, 0, limit, out);
            out.push(']');
        }
    }
}
