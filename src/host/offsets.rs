//! Where in an allocation a pointer of host code points, as far as its expression shows.
//!
//! Given an expression that does not fold, follows sums, subscripts and casts down to a variable or an
//! allocation; an unknown number leaves a residue: `p + 4 * n` is a multiple of four elements. Knows
//! nothing of launches.

use super::displaced::OUTSIDE;
use super::operands;
use super::walk::{Walk, World};
use crate::ir::MovedPointer;
use crate::ir::residue::Residue;
use crate::sema::consteval::{Pointee, Value};
use crate::sema::scope::{Env, resolve_type};
use crate::sema::types::Type;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};

/// Classes in classes and pointers to pointers, below which nothing is looked for.
const MAX_NESTING: u32 = 6;

fn moved_pointer(member: &str, to: &Type) -> MovedPointer {
    let element = to.size().and_then(|size| u32::try_from(size).ok());
    MovedPointer {
        member: member.into(),
        element: element.unwrap_or(0),
    }
}

impl Walk<'_, '_> {
    /// Bytes from the start of an allocation, and whether that the allocation starts there is assumed.
    pub fn offset(&self, env: &Env, world: &World, e: &Expr) -> (Residue, bool) {
        if self.is_fresh(env, e) {
            return (Residue::ZERO, false);
        }
        if self.is_converted(env, world, e) {
            return (Residue::ANY, true);
        }
        let is_assumed = !self.is_sure(env, world, e);
        if !operands::is_arithmetic(e) {
            return (self.start(e), is_assumed);
        }
        // Evaluating may count variables up; that is done elsewhere.
        (self.offset_in(env, &mut world.clone(), e), is_assumed)
    }

    /// Whether a class converts itself to the pointer: it may compute it.
    fn is_converted(&self, env: &Env, world: &World, e: &Expr) -> bool {
        let is_class = matches!(
            self.argument_type(env, world, e).strip_reference(),
            Type::Record(_)
        );
        match &e.kind {
            ExprKind::Cast { value, .. } => is_class || self.is_converted(env, world, value),
            _ => is_class,
        }
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
                _ => self.start(e),
            },
            ExprKind::Cast { value, .. } => self.offset_in(env, world, value),
            ExprKind::Conditional(_, a, b) => {
                let a = self.offset_in(env, world, a);
                a.or(self.offset_in(env, world, b))
            }
            _ => self.start(e),
        }
    }

    fn start(&self, e: &Expr) -> Residue {
        if self.is_start(e) {
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
            pointee: Pointee::of(to),
            is_assumed,
        })
    }

    /// Whether an expression is taken for the start of an allocation, though the text does not show
    /// the allocation: nothing in the text moves it.
    pub fn is_start(&self, e: &Expr) -> bool {
        !self.survey.displaced.is_displaced(self.place, e)
    }

    /// Pointers that a kernel finds in its arguments, or in memory behind them, and that the text may
    /// have moved.
    pub fn moved_pointers(&self, arguments: &[Expr], types: &[Type]) -> Vec<MovedPointer> {
        let mut out = Vec::new();
        for (e, ty) in arguments.iter().zip(types) {
            if let Type::Pointer(to) = ty.strip_reference()
                && let Type::Pointer(inner) | Type::Array(inner, _) = &**to
                && !self.is_start(e)
            {
                out.push(moved_pointer("", inner));
            }
            self.moved_members(ty, &mut out, MAX_NESTING);
        }
        let survey = &self.survey;
        let mut variables = survey.of_device.iter();
        if variables.any(|name| survey.displaced.moves(OUTSIDE, name)) {
            out.push(MovedPointer {
                member: "".into(),
                element: 0,
            });
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    fn moved_members(&self, ty: &Type, out: &mut Vec<MovedPointer>, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match ty.strip_reference() {
            Type::Pointer(to) | Type::Array(to, _) => self.moved_members(to, out, depth),
            Type::Record(r) => {
                for f in &r.fields {
                    let mut held = &f.ty;
                    while let Type::Array(of, _) = held {
                        held = of;
                    }
                    if let Type::Pointer(to) = held
                        && self.survey.displaced.moves(OUTSIDE, &f.name)
                    {
                        out.push(moved_pointer(&f.name, to));
                    }
                    self.moved_members(held, out, depth);
                }
            }
            _ => {}
        }
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
