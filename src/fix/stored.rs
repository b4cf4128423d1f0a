//! That what a kernel computes does not depend on where the elements of a shared array lie.
//!
//! Given a kernel before and after an edit, compares them statement by statement. What differs is followed through
//! variables: it may only end in addresses, which [`super::layout`] proves. A size or a distance that the edit
//! changes must reach no stored value, no condition and no other lane; and no address of the array may lie where
//! code finds it that takes its places for what they were.

use crate::ir::{
    Binary, Block, Expr, ExprId, Kernel, Loop, Object, Scalar, SharedId, Stmt, Value, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether both kernels store the same, where accesses to `object` read what they read before.
pub(super) fn is_same(before: &Kernel, after: &Kernel, object: SharedId) -> bool {
    let mut pair = Pair {
        before,
        after,
        object,
        partners: FxHashMap::default(),
        moved: Reached::default(),
        addresses: Reached::default(),
        same: FxHashMap::default(),
    };
    loop {
        let known = pair.size();
        if !pair.block(&before.body, &after.body) {
            return false;
        }
        if pair.size() == known {
            return true;
        }
        pair.same.clear();
    }
}

/// What a kind of value gets to.
#[derive(Default)]
struct Reached {
    variables: FxHashSet<VarId>,
    /// Some object in the memory of a thread.
    is_in_memory: bool,
}

struct Pair<'k> {
    before: &'k Kernel,
    after: &'k Kernel,
    object: SharedId,
    /// Variables after the edit, and those that they were.
    partners: FxHashMap<VarId, VarId>,
    /// What the edit changes, and what is made of it.
    moved: Reached,
    /// Addresses of the array.
    addresses: Reached,
    same: FxHashMap<(ExprId, ExprId), bool>,
}

impl Pair<'_> {
    fn size(&self) -> (usize, usize, bool, bool) {
        let (a, b) = (&self.moved, &self.addresses);
        (
            a.variables.len(),
            b.variables.len(),
            a.is_in_memory,
            b.is_in_memory,
        )
    }

    fn block(&mut self, before: &Block, after: &Block) -> bool {
        before.len() == after.len() && before.iter().zip(after).all(|(a, b)| self.statement(a, b))
    }

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    fn statement(&mut self, before: &Stmt, after: &Stmt) -> bool {
        match (before, after) {
            (
                Stmt::Assign {
                    variable: a,
                    value: x,
                },
                Stmt::Assign {
                    variable: b,
                    value: y,
                },
            ) => {
                let is_moved = !self.is_same(*x, *y);
                let is_address = self.holds_address(*x);
                self.pair(*a, *b) && self.reach(*a, is_moved, is_address)
            }
            (
                Stmt::Load {
                    target: a, pointer, ..
                },
                Stmt::Load { target: b, .. },
            ) => {
                let is_near = self.may_be_local(*pointer);
                let is_moved = is_near && self.moved.is_in_memory;
                let is_address = is_near && self.addresses.is_in_memory;
                self.pair(*a, *b) && self.reach(*a, is_moved, is_address)
            }
            (
                Stmt::Store {
                    pointer, value: x, ..
                },
                Stmt::Store { value: y, .. },
            ) => {
                let (is_moved, is_address) = match (x, y) {
                    (Value::Scalar(x), Value::Scalar(y)) => {
                        (!self.is_same(*x, *y), self.holds_address(*x))
                    }
                    (Value::Object(x), Value::Object(y)) if self.pair(*x, *y) => {
                        (self.moved.is_in_memory, self.addresses.is_in_memory)
                    }
                    _ => return false,
                };
                let is_near = self.is_local(*pointer);
                self.moved.is_in_memory |= is_moved;
                self.addresses.is_in_memory |= is_address;
                is_near || !(is_moved || is_address)
            }
            (
                Stmt::Atomic {
                    target: a,
                    operands: x,
                    ..
                },
                Stmt::Atomic {
                    target: b,
                    operands: y,
                    ..
                },
            ) => self.targets(*a, *b) && self.is_kept(x, y),
            (
                Stmt::Collective {
                    target: a,
                    arguments: x,
                    ..
                },
                Stmt::Collective {
                    target: b,
                    arguments: y,
                    ..
                },
            ) => self.targets(*a, *b) && self.is_kept(x, y),
            (Stmt::Matrix { targets: x, .. }, Stmt::Matrix { targets: y, .. }) => {
                x.len() == y.len() && x.iter().zip(y).all(|(a, b)| self.pair(*a, *b))
            }
            (
                Stmt::If {
                    condition: x,
                    then: a,
                    otherwise: b,
                    ..
                },
                Stmt::If {
                    condition: y,
                    then: c,
                    otherwise: d,
                    ..
                },
            ) => self.decides(*x, *y) && self.block(a, c) && self.block(b, d),
            (Stmt::Loop(a), Stmt::Loop(b)) => self.repeated(a, b),
            (Stmt::Labelled { body: a, .. }, Stmt::Labelled { body: b, .. }) => self.block(a, b),
            (Stmt::Opaque { variables: x, .. }, Stmt::Opaque { variables: y, .. }) => {
                x.len() == y.len() && x.iter().zip(y).all(|(a, b)| self.pair(*a, *b))
            }
            (Stmt::Exit(_), Stmt::Exit(_))
            | (Stmt::Return, Stmt::Return)
            | (Stmt::Barrier { .. }, Stmt::Barrier { .. })
            | (Stmt::Assume { .. }, Stmt::Assume { .. })
            | (Stmt::OpaqueAccess { .. }, Stmt::OpaqueAccess { .. }) => true,
            _ => false,
        }
    }

    fn repeated(&mut self, a: &Loop, b: &Loop) -> bool {
        self.block(&a.prelude, &b.prelude)
            && self.decides(a.condition, b.condition)
            && self.block(&a.body, &b.body)
            && self.block(&a.step, &b.step)
    }

    /// Whether the condition decides as before. Pointers keep their order: what the edit moves, it moves up.
    fn decides(&mut self, before: ExprId, after: ExprId) -> bool {
        let is_order = |e: &Expr| {
            matches!(
                e,
                Expr::Binary {
                    op: Binary::Lt | Binary::Le | Binary::Eq | Binary::Ne,
                    ty: Scalar::Pointer,
                    ..
                }
            )
        };
        self.is_same(before, after)
            || is_order(self.before.expr(before)) && is_order(self.after.expr(after))
    }

    /// Whether operands that leave the thread are what they were, and no addresses.
    fn is_kept(&mut self, before: &[ExprId], after: &[ExprId]) -> bool {
        before.len() == after.len()
            && before
                .iter()
                .zip(after)
                .all(|(x, y)| self.is_same(*x, *y) && !self.holds_address(*x))
    }

    fn targets(&mut self, a: Option<VarId>, b: Option<VarId>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => self.pair(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }

    /// Whether the variables stand for each other.
    fn pair(&mut self, before: VarId, after: VarId) -> bool {
        *self.partners.entry(after).or_insert(before) == before
    }

    fn reach(&mut self, variable: VarId, is_moved: bool, is_address: bool) -> bool {
        if is_moved {
            self.moved.variables.insert(variable);
        }
        if is_address {
            self.addresses.variables.insert(variable);
        }
        true
    }

    /// Whether two expressions have one value.
    fn is_same(&mut self, before: ExprId, after: ExprId) -> bool {
        if let Some(known) = self.same.get(&(before, after)) {
            return *known;
        }
        let (a, b) = (self.before.expr(before), self.after.expr(after));
        let is_alike = match (a, b) {
            (Expr::Var(a), Expr::Var(b)) => {
                self.partners.get(b).unwrap_or(b) == a && !self.moved.variables.contains(a)
            }
            // How long a row is says nothing of its start.
            (Expr::Offset { .. }, Expr::Offset { .. }) => true,
            (Expr::Address(Object::Local(a)), Expr::Address(Object::Local(b))) => {
                self.partners.get(b).unwrap_or(b) == a
            }
            (Expr::Address(a), Expr::Address(b)) => a == b,
            (a, b) => without_parts(a) == without_parts(b),
        };
        let (mut x, mut y) = (Vec::new(), Vec::new());
        a.each_part(&mut |part| x.push(part));
        b.each_part(&mut |part| y.push(part));
        let is_same =
            is_alike && x.len() == y.len() && x.iter().zip(&y).all(|(x, y)| self.is_same(*x, *y));
        self.same.insert((before, after), is_same);
        is_same
    }

    /// Whether a value tells where the array lies.
    fn holds_address(&self, e: ExprId) -> bool {
        match self.before.expr(e) {
            Expr::Address(Object::Shared(id)) => *id == self.object,
            Expr::Var(variable) => self.addresses.variables.contains(variable),
            Expr::Distance { .. }
            | Expr::Binary {
                op: Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le,
                ..
            } => false,
            e => {
                let mut any = false;
                e.each_part(&mut |part| any |= self.holds_address(part));
                any
            }
        }
    }

    fn is_local(&self, pointer: ExprId) -> bool {
        match self.before.expr(pointer) {
            Expr::Address(Object::Local(_)) => true,
            Expr::Offset { pointer, .. } => self.is_local(*pointer),
            _ => false,
        }
    }

    fn may_be_local(&self, pointer: ExprId) -> bool {
        match self.before.expr(pointer) {
            Expr::Address(object) => matches!(object, Object::Local(_)),
            Expr::Offset { pointer, .. } => self.may_be_local(*pointer),
            _ => true,
        }
    }
}

/// An expression without what it is made of.
fn without_parts(e: &Expr) -> Expr {
    let none = ExprId(0);
    let mut e = e.clone();
    match &mut e {
        Expr::Unary { value, .. } | Expr::Cast { value, .. } => *value = none,
        Expr::Binary { left, right, .. } | Expr::Distance { left, right } => {
            (*left, *right) = (none, none);
        }
        Expr::Select {
            condition,
            then,
            otherwise,
            ..
        } => (*condition, *then, *otherwise) = (none, none, none),
        Expr::Offset { pointer, bytes, .. } => (*pointer, *bytes) = (none, none),
        Expr::Intrinsic { arguments, .. } => arguments.fill(none),
        Expr::Unknown { inputs, .. } => inputs.fill(none),
        Expr::Int { .. }
        | Expr::Float { .. }
        | Expr::Var(_)
        | Expr::Builtin(_)
        | Expr::Address(_) => {}
    }
    e
}
