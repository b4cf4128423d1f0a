//! Where in an allocation a pointer of host code points, as far as its expression shows.
//!
//! Given an expression that does not fold, follows sums, subscripts and casts down to a variable or an
//! allocation; an unknown number leaves a residue: `p + 4 * n` is a multiple of four elements. Knows
//! nothing of launches.

use super::operands;
use super::walk::{Walk, World};
use crate::ir::residue::Residue;
use crate::sema::consteval::Value;
use crate::sema::scope::{Env, resolve_type};
use crate::sema::types::Type;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Name, Stmt, StmtKind, UnaryOp};

/// Nesting below which results are not looked for.
const MAX_DEPTH: u32 = 64;

impl Walk<'_, '_> {
    /// Bytes from the start of an allocation, and whether that the allocation starts there is assumed.
    pub fn offset(&self, env: &Env, world: &World, e: &Expr) -> (Residue, bool) {
        if self.is_fresh(env, e) {
            return (Residue::ZERO, false);
        }
        let is_assumed = !self.is_sure(env, world, e);
        if !operands::is_arithmetic(e) {
            return (self.start(env, world, e), is_assumed);
        }
        // Evaluating may count variables up; that is done elsewhere.
        (self.offset_in(env, &mut world.clone(), e), is_assumed)
    }

    /// Whether the text shows the allocation that a pointer is computed from.
    fn is_sure(&self, env: &Env, world: &World, e: &Expr) -> bool {
        let known = |v: &Option<Value>| {
            matches!(
                v,
                Some(Value::Pointer {
                    is_assumed: false,
                    ..
                })
            )
        };
        match &e.kind {
            ExprKind::Path(p) => {
                let slot = p.segments.last().and_then(|s| world.get(&s.name));
                slot.is_some_and(|s| known(&s.value))
            }
            ExprKind::Index(base, _) => {
                let slot = operands::root_of(base).and_then(|n| world.get(n));
                matches!(slot.and_then(|s| s.value.as_ref()), Some(Value::List(items)) if items.iter().all(known))
            }
            ExprKind::Binary(_, a, b) => {
                let is_pointer = self.is_pointer(env, world, a);
                self.is_sure(env, world, if is_pointer { a } else { b })
            }
            ExprKind::Unary(UnaryOp::AddressOf, inner) => match &inner.kind {
                ExprKind::Index(pointer, _) => self.is_sure(env, world, pointer),
                _ => false,
            },
            ExprKind::Cast { value, .. } => self.is_sure(env, world, value),
            ExprKind::Conditional(_, a, b) => {
                self.is_sure(env, world, a) && self.is_sure(env, world, b)
            }
            _ => false,
        }
    }

    /// Where `pointer` points after `pointer += by`, or `-=`.
    pub fn moved_by(
        &self,
        env: &Env,
        world: &World,
        pointer: &Expr,
        op: BinaryOp,
        by: &Expr,
    ) -> Residue {
        let sign = match op {
            BinaryOp::Add => 1,
            BinaryOp::Sub => -1,
            _ => return Residue::ANY,
        };
        self.moved(env, &mut world.clone(), pointer, by, sign)
    }

    fn offset_in(&self, env: &Env, world: &mut World, e: &Expr) -> Residue {
        if let Some(Value::Pointer { offset, .. }) = self.value(env, world, e) {
            return offset;
        }
        match &e.kind {
            ExprKind::Binary(BinaryOp::Add, a, b) => {
                let (pointer, by) = if self.is_pointer(env, world, a) {
                    (a, b)
                } else {
                    (b, a)
                };
                self.moved(env, world, pointer, by, 1)
            }
            ExprKind::Binary(BinaryOp::Sub, pointer, by) => self.moved(env, world, pointer, by, -1),
            ExprKind::Unary(UnaryOp::AddressOf, inner) => match &inner.kind {
                ExprKind::Index(pointer, by) => match &by[..] {
                    [by] => self.moved(env, world, pointer, by, 1),
                    _ => Residue::ANY,
                },
                _ => self.start(env, world, e),
            },
            ExprKind::Cast { value, .. } => self.offset_in(env, world, value),
            ExprKind::Conditional(_, a, b) => {
                let a = self.offset_in(env, world, a);
                a.or(self.offset_in(env, world, b))
            }
            _ => self.start(env, world, e),
        }
    }

    fn start(&self, env: &Env, world: &World, e: &Expr) -> Residue {
        if self.is_start(env, world, e) {
            Residue::ZERO
        } else {
            Residue::ANY
        }
    }

    fn is_pointer(&self, env: &Env, world: &World, e: &Expr) -> bool {
        matches!(self.argument_type(env, world, e).decay(), Type::Pointer(_))
    }

    /// `pointer + sign * by`, for any pointer that elements are known of.
    fn moved(&self, env: &Env, world: &mut World, pointer: &Expr, by: &Expr, sign: i64) -> Residue {
        let Type::Pointer(to) = self.argument_type(env, world, pointer).decay() else {
            return Residue::ANY;
        };
        let Some(element) = to.size().and_then(|size| i64::try_from(size).ok()) else {
            return Residue::ANY;
        };
        let bytes = Residue::exactly(sign * element).times(self.number(env, world, by));
        self.offset_in(env, world, pointer).plus(bytes)
    }

    /// What is known of an integer.
    fn number(&self, env: &Env, world: &mut World, e: &Expr) -> Residue {
        if let Some(Value::Int { value, .. }) = self.value(env, world, e) {
            return Residue::exactly(value);
        }
        match &e.kind {
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.number(env, world, a), self.number(env, world, b));
                match (op, y.value()) {
                    (BinaryOp::Add, _) => x.plus(y),
                    (BinaryOp::Sub, _) => x.plus(y.times(Residue::exactly(-1))),
                    (BinaryOp::Mul, _) => x.times(y),
                    (BinaryOp::Shl, Some(by @ 0..=30)) => x.times(Residue::exactly(1 << by)),
                    _ => Residue::ANY,
                }
            }
            ExprKind::Conditional(_, a, b) => {
                let a = self.number(env, world, a);
                a.or(self.number(env, world, b))
            }
            // Residues of small powers of two outlast every conversion between integers.
            ExprKind::Cast { ty, value, .. } if resolve_type(self.names, env, ty).is_integer() => {
                self.number(env, world, value)
            }
            _ => Residue::ANY,
        }
    }

    /// Where a pointer points whose value does not fold: what memory functions and plain names give
    /// is the start of an allocation, anything computed is somewhere in one.
    pub fn pointer_value(&self, env: &Env, world: &World, ty: &Type, e: &Expr) -> Option<Value> {
        let Type::Pointer(to) = ty.strip_reference() else {
            return None;
        };
        if matches!(**to, Type::Function) {
            return None;
        }
        let (offset, is_assumed) = self.offset(env, world, e);
        Some(Value::Pointer {
            offset,
            element: to.size().unwrap_or(0),
            is_assumed,
        })
    }

    /// Whether an expression is taken for the start of an allocation, though the text does not show
    /// the allocation.
    pub fn is_start(&self, env: &Env, world: &World, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Path(p) => match p.segments.last().and_then(|s| world.get(&s.name)) {
                Some(slot) => {
                    !matches!(slot.value, Some(Value::Pointer { offset, .. }) if offset != Residue::ZERO)
                }
                None => true,
            },
            ExprKind::Null | ExprKind::Member { .. } | ExprKind::Other("new") => true,
            // One of several pointers is a start where all are.
            ExprKind::Index(base, _) => {
                let list = operands::root_of(base).and_then(|n| world.get(n));
                match list.and_then(|s| s.value.as_ref()) {
                    Some(Value::List(items)) => items.iter().all(|item| {
                        matches!(item, Some(Value::Pointer { offset, .. }) if *offset == Residue::ZERO)
                    }),
                    _ => true,
                }
            }
            ExprKind::Cast { value, .. } => self.is_start(env, world, value),
            ExprKind::Conditional(_, a, b) => {
                self.is_start(env, world, a) && self.is_start(env, world, b)
            }
            ExprKind::Unary(UnaryOp::AddressOf, inner) => matches!(&inner.kind, ExprKind::Path(_)),
            ExprKind::Unary(UnaryOp::Deref, inner) => self.is_start(env, world, inner),
            // What it does with the pointer is in sight.
            ExprKind::Call { callee, .. } if self.moves_result(env, world, callee) => false,
            ExprKind::Call { callee, arguments } => match &callee.kind {
                ExprKind::Other("new") => true,
                ExprKind::Path(p) => p.segments.last().is_some_and(|s| {
                    let lower = s.name.to_ascii_lowercase();
                    lower.contains("alloc")
                        || (&*s.name == "raw_pointer_cast"
                            && arguments
                                .first()
                                .is_some_and(|a| self.is_start(env, world, address_or_self(a))))
                        || lower == "data"
                }),
                ExprKind::Member { member, .. } => member.segments.last().is_some_and(|s| {
                    let lower = s.name.to_ascii_lowercase();
                    matches!(
                        &*lower,
                        "data" | "get" | "begin" | "ptr" | "c_str" | "front"
                    ) || lower.contains("ptr")
                        || lower.contains("pointer")
                        || lower.contains("data")
                }),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a function whose body is in sight may give something other than a pointer that it keeps
    /// or has made.
    fn moves_result(&self, env: &Env, world: &World, callee: &Expr) -> bool {
        let candidates = match &callee.kind {
            ExprKind::Path(p) => self.names.functions(env, p),
            ExprKind::Member { object, member, .. } => {
                let ty = self.argument_type(env, world, object);
                let ty = ty.element().cloned().unwrap_or(ty);
                match (ty.strip_reference(), member.segments.last()) {
                    (Type::Record(r), Some(last)) => self.names.methods(r, &last.name),
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        };
        candidates.iter().any(|c| {
            let f = &c.function;
            let mut results = Vec::new();
            f.body
                .iter()
                .flatten()
                .for_each(|s| returned(s, &mut results, MAX_DEPTH));
            let summary = self.survey.of(f).map(|b| &b.summary);
            let is_kept = |e: &&Expr| {
                let Some(root) = kept(e) else { return false };
                let is_parameter = f.parameters.iter().any(|p| p.name.as_ref() == Some(root));
                !is_parameter && summary.is_some_and(|s| !s.writes.moved.contains(root))
            };
            !results.iter().all(|e| is_kept(e) || self.is_fresh(env, e))
        })
    }

    /// Whether an expression makes an allocation and gives its start.
    pub fn is_fresh(&self, env: &Env, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Other("new") => true,
            ExprKind::Cast { value, .. } => self.is_fresh(env, value),
            ExprKind::Call { callee, .. } => match &callee.kind {
                ExprKind::Other("new") => true,
                ExprKind::Path(p) => {
                    p.segments
                        .last()
                        .is_some_and(|s| matches!(&*s.name, "malloc" | "calloc"))
                        && self.names.functions(env, p).is_empty()
                }
                _ => false,
            },
            _ => false,
        }
    }
}

fn address_or_self(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Unary(UnaryOp::AddressOf, inner) => match &inner.kind {
            ExprKind::Index(base, at)
                if matches!(
                    at.first().map(|e| &e.kind),
                    Some(ExprKind::Int { value: 0, .. })
                ) =>
            {
                base
            }
            _ => e,
        },
        _ => e,
    }
}

/// The variable or member whose value an expression gives as it is.
fn kept(e: &Expr) -> Option<&Name> {
    match &e.kind {
        ExprKind::Path(p) => p.segments.last().map(|s| &s.name),
        ExprKind::Member { member, .. } => member.segments.last().map(|s| &s.name),
        ExprKind::Cast { value, .. } => kept(value),
        _ => None,
    }
}

/// The results of a function.
fn returned<'s>(s: &'s Stmt, out: &mut Vec<&'s Expr>, depth: u32) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    match &s.kind {
        StmtKind::Return(Some(e)) => out.push(e),
        StmtKind::Block(body) | StmtKind::Switch { body, .. } => {
            body.iter().for_each(|s| returned(s, out, depth));
        }
        StmtKind::If {
            then, otherwise, ..
        } => {
            returned(then, out, depth);
            otherwise.iter().for_each(|s| returned(s, out, depth));
        }
        StmtKind::For { body, .. }
        | StmtKind::RangeFor { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. } => returned(body, out, depth),
        _ => {}
    }
}
