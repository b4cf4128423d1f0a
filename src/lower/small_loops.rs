//! Short loops that move each of a few pointers on: `for (int i = 0; i < 4; i++) { … *p[i] …; p[i] += step; }` in a loop.
//!
//! What a loop around it carries from one iteration to the next is known of each element by itself. So the body is
//! lowered once for each number, as compilers unroll it: then each element is a place of its own.

use super::context::{Binding, Lower};
use super::values::{LValue, Val, scalar_val};
use crate::ir::Scalar;
use crate::sema::scope;
use crate::sema::types::Type;
use crate::syntax::ast::{self, BinaryOp, Expr, ExprKind, Name, Stmt, StmtKind, UnaryOp};
use crate::syntax::visit::Part;

/// Turns beyond which a loop stays one.
const MOST_TURNS: usize = 8;
/// Nesting below which nothing is known of a body.
const MAX_DEPTH: u32 = 64;

/// The parts of a `for` statement.
#[derive(Clone, Copy)]
pub(super) struct For<'s> {
    pub init: Option<&'s Stmt>,
    pub condition: Option<&'s Expr>,
    pub step: Option<&'s Expr>,
    pub body: &'s Stmt,
}

/// What a body does with the counter of its loop.
#[derive(Default)]
struct Body {
    /// It writes the counter, or jumps.
    is_wild: bool,
    /// Local arrays of which it moves the element that the counter names.
    moved: Vec<Name>,
    /// Arrays whose element is part of a subscript.
    subscripts: Vec<Name>,
}

impl Lower<'_> {
    /// Lowers such a loop turn by turn; false for any other one.
    pub(super) fn unrolled(&mut self, of: For<'_>) -> bool {
        let Some((variable, values)) = self.turns(of) else {
            return false;
        };
        let mut body = Body::default();
        body.statement(of.body, &variable.name, MAX_DEPTH);
        let is_meant = |name: &Name| self.holds_pointers(name, body.subscripts.contains(name));
        if body.is_wild || !body.moved.iter().any(is_meant) {
            return false;
        }
        let scalar = Scalar::I32;
        self.each_turn(values, of.body, |this, value| {
            let value = scalar_val(this.arena.int(value, scalar), scalar);
            let ty = match this.resolve(&variable.ty) {
                ty @ Type::Scalar(of, _) if of.is_integer() => ty,
                _ => Type::number(scalar),
            };
            let value = this.convert(value, &ty, variable.range);
            // Nothing writes it: it is a number.
            let of_type = scope::Binding::Variable(value.ty());
            this.frame.env.set(variable.name.clone(), of_type);
            this.bind(&variable.name, Binding::LValue(LValue::Val(value)));
        });
        true
    }

    /// The counter of a loop in another one, and the few values that it has.
    fn turns<'s>(&mut self, of: For<'s>) -> Option<(&'s ast::Variable, Vec<i64>)> {
        if self.loop_depth == 0 {
            return None;
        }
        let StmtKind::Variables(declared) = &of.init?.kind else {
            return None;
        };
        let [variable] = &declared[..] else {
            return None;
        };
        let first = match variable.init.as_ref()? {
            ast::Initialiser::Equals(e) => self.constant_int(e)?,
            _ => return None,
        };
        let ExprKind::Binary(op @ (BinaryOp::Lt | BinaryOp::Le), left, bound) = &of.condition?.kind
        else {
            return None;
        };
        let is_counter = |e: &Expr| is_name(e, &variable.name);
        let steps = match &of.step?.kind {
            ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PostIncrement, of) => is_counter(of),
            _ => false,
        };
        if !steps || !is_counter(left) {
            return None;
        }
        let end = self
            .constant_int(bound)?
            .checked_add(i64::from(*op == BinaryOp::Le))?;
        let count = usize::try_from(end.checked_sub(first)?).ok()?;
        (1..=MOST_TURNS)
            .contains(&count)
            .then(|| (variable, (first..end).collect()))
    }

    /// Whether a name is a local array of pointers, or of objects or numbers that may lead somewhere.
    fn holds_pointers(&self, name: &Name, is_subscript: bool) -> bool {
        let Some(Binding::LValue(LValue::Mem(mem) | LValue::Val(Val::Object(mem)))) =
            self.lookup(name)
        else {
            return false;
        };
        let Type::Array(element, Some(1..=16)) = &mem.ty else {
            return false;
        };
        self.is_local(&mem)
            && match &**element {
                Type::Pointer(_) => true,
                Type::Record(class) => class
                    .fields
                    .iter()
                    .any(|field| matches!(field.ty, Type::Pointer(_))),
                Type::Scalar(scalar, _) => scalar.is_integer() && is_subscript,
                _ => false,
            }
    }
}

impl Body {
    fn statement(&mut self, s: &Stmt, counter: &Name, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            self.is_wild = true;
            return;
        };
        self.is_wild |= matches!(
            s.kind,
            StmtKind::Label(_) | StmtKind::Goto(_) | StmtKind::Asm(_) | StmtKind::Error
        );
        s.each_part(&mut |part| match part {
            Part::Stmt(inner) => self.statement(inner, counter, depth),
            Part::Expr(e) => self.expr(e, counter, depth),
            Part::Variable(v) => {
                self.is_wild |= v.name == *counter;
                v.each_initial(&mut |e| self.expr(e, counter, depth));
            }
        });
    }

    fn expr(&mut self, e: &Expr, counter: &Name, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            self.is_wild = true;
            return;
        };
        let is_counter = |e: &Expr| is_name(e, counter);
        match &e.kind {
            ExprKind::Lambda(_) => self.is_wild = true,
            ExprKind::Assign(op, place, _) => {
                self.is_wild |= is_counter(place);
                if op.is_some() {
                    self.moved.extend(element(place, counter));
                }
            }
            ExprKind::Unary(op, place) if op.is_step() => {
                self.is_wild |= is_counter(place);
                self.moved.extend(element(place, counter));
            }
            ExprKind::Unary(UnaryOp::AddressOf, place) => self.is_wild |= is_counter(place),
            ExprKind::Call { callee, .. } => {
                if let ExprKind::Member { object, .. } = &callee.kind {
                    self.moved.extend(element(object, counter));
                }
            }
            ExprKind::Index(_, subscripts) => {
                for subscript in subscripts {
                    self.subscripts
                        .extend(element_in(subscript, counter, depth));
                }
            }
            _ => {}
        }
        e.each_operand(&mut |part| self.expr(part, counter, depth));
    }
}

fn is_name(e: &Expr, name: &Name) -> bool {
    matches!(&e.kind, ExprKind::Path(path) if path.as_name() == Some(name))
}

/// `p` of `p[i]`, `p[i].next` and kin, where `i` is the counter.
fn element(e: &Expr, counter: &Name) -> Option<Name> {
    match &e.kind {
        ExprKind::Member { object, .. } => element(object, counter),
        ExprKind::Index(base, subscripts) => match (&base.kind, &subscripts[..]) {
            (ExprKind::Path(array), [by]) if is_name(by, counter) => array.as_name().cloned(),
            _ => None,
        },
        _ => None,
    }
}

fn element_in(e: &Expr, counter: &Name, depth: u32) -> Option<Name> {
    let depth = depth.checked_sub(1)?;
    let mut found = element(e, counter);
    e.each_operand(&mut |part| {
        if found.is_none() {
            found = element_in(part, counter, depth);
        }
    });
    found
}
