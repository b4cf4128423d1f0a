//! Worlds, the abstract states of host code: joined, told apart, and forgotten in part.

use super::packs::written_name;
use super::reaching::Writes;
use super::walk::World;
use crate::ir::residue::Residue;
use crate::sema::consteval::{FunctionValue, LambdaValue, Pointee, Slot, Value};
use crate::sema::types::Type;
use crate::syntax::ast::{self, Expr, ExprKind, TypeKind};
use std::sync::Arc;

pub(super) fn is_other(world: &World, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Path(p) => {
            p.segments.len() == 1
                && world
                    .get(&p.segments[0].name)
                    .is_some_and(|s| s.is_other && s.value.is_none())
        }
        _ => false,
    }
}

/// Appends what tells values apart.
pub(super) fn value_key(v: Option<&Value>, out: &mut String) {
    use std::fmt::Write;
    out.push(';');
    let _ = match v {
        None => Ok(()),
        Some(Value::Lambda(l)) => write!(out, "{:?} {:?}", Arc::as_ptr(&l.lambda), l.frame),
        // Functions of one name may stand in several namespaces.
        Some(v @ Value::Function(f)) => {
            let all = f.candidates.iter();
            all.for_each(|c| _ = write!(out, "{:?} ", Arc::as_ptr(&c.function)));
            write!(out, "{v}")
        }
        Some(Value::Pointer {
            offset, is_assumed, ..
        }) => write!(out, "*{offset:?}{is_assumed}"),
        Some(Value::List(items)) => {
            items.iter().for_each(|v| value_key(v.as_ref(), out));
            Ok(())
        }
        Some(Value::Fields(f)) => {
            f.values
                .iter()
                .for_each(|(_, v)| value_key(v.as_ref(), out));
            Ok(())
        }
        Some(v) => write!(out, "{v}"),
    };
}

/// Elements that hold no value yet.
pub(super) fn undefined(v: Value) -> Value {
    match v {
        Value::List(items) => Value::List(Arc::new(
            items
                .iter()
                .map(|i| match i {
                    Some(v @ (Value::List(_) | Value::Fields(_))) => Some(undefined(v.clone())),
                    _ => None,
                })
                .collect(),
        )),
        v => v,
    }
}

/// A pointer variable that nothing is known of is taken to point to the start of an allocation, unless
/// something in the text may move it.
pub(super) fn start_of_allocation(ty: &Type, is_moving: bool) -> Option<Value> {
    match ty.strip_reference() {
        Type::Pointer(t) if !matches!(**t, Type::Function) => Some(Value::Pointer {
            offset: if is_moving {
                Residue::ANY
            } else {
                Residue::ZERO
            },
            pointee: Pointee::of(t),
            is_assumed: true,
        }),
        _ => None,
    }
}

/// Whether a declared type can depend on local constants.
pub(super) fn matters_to_type(ty: &ast::TypeExpr) -> bool {
    match &ty.kind {
        TypeKind::Array(..) | TypeKind::Decltype(_) => true,
        TypeKind::Named(p) => p.segments.iter().any(|s| s.arguments.is_some()),
        TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } => matters_to_type(to),
        _ => false,
    }
}

/// Whether an expression names something with template arguments.
pub(super) fn names_template(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Path(p) => p.segments.iter().any(|s| s.arguments.is_some()),
        ExprKind::Construct { ty, .. } => matters_to_type(ty),
        ExprKind::Cast { ty, value, .. } => matters_to_type(ty) || names_template(value),
        ExprKind::Unary(_, a) => names_template(a),
        ExprKind::Call { callee, .. } => names_template(callee),
        ExprKind::Conditional(_, a, b) => names_template(a) || names_template(b),
        ExprKind::Binary(_, a, b) => names_template(a) || names_template(b),
        ExprKind::Assign(_, _, b) => names_template(b),
        _ => false,
    }
}

/// Forgets a slot. A pointer that nothing in the text moves is taken to point to the start of an
/// allocation, as long as it did.
pub(super) fn forget_slot(slot: &mut Slot, is_moved: bool) {
    slot.may_hold = None;
    slot.value = match &slot.value {
        Some(Value::Pointer {
            offset, pointee, ..
        }) => Some(Value::Pointer {
            offset: if *offset == Residue::ZERO && !is_moved && !slot.is_moving {
                Residue::ZERO
            } else {
                Residue::ANY
            },
            pointee: pointee.clone(),
            is_assumed: true,
        }),
        _ => None,
    };
}

/// Whether a pointer in sight points behind the start of its allocation.
fn is_any_moved(world: &World) -> bool {
    fn is_moved(v: &Value) -> bool {
        match v {
            Value::Pointer { offset, .. } => *offset != Residue::ZERO,
            Value::List(items) => items.iter().flatten().any(is_moved),
            Value::Fields(f) => f
                .values
                .iter()
                .filter_map(|(_, v)| v.as_ref())
                .any(is_moved),
            _ => false,
        }
    }
    world
        .slots
        .iter()
        .filter_map(|s| s.value.as_ref())
        .any(is_moved)
}

pub(super) fn forget(world: &mut World, writes: &Writes) {
    if writes.everything {
        return forget_all(world);
    }
    let is_any_moved = is_any_moved(world);
    for slot in world.slots.iter_mut().filter(|s| !s.is_const) {
        let name = slot.name.clone();
        let name = written_name(&name);
        // An object that is called may change itself.
        let is_called = matches!(slot.ty.strip_reference(), Type::Record(_) | Type::Opaque(_))
            && !matches!(slot.value, Some(Value::Lambda(_) | Value::Function(_)))
            && writes.calls.contains(name);
        if is_called {
            forget_slot(slot, true);
        }
        if writes.names.contains(name) {
            forget_slot(slot, is_any_moved || writes.moved.contains(name));
            if writes.handed.contains(name) {
                escape(slot);
            }
        }
    }
}

/// From here on nothing is known of a variable: somebody else may write it.
pub(super) fn escape(slot: &mut Slot) {
    if !slot.is_const {
        forget_slot(slot, false);
        slot.is_escaped = true;
        slot.is_other = false;
    }
}

/// Something was not understood: no variable is known any more.
pub(super) fn forget_all(world: &mut World) {
    world.slots.iter_mut().for_each(escape);
}

/// The functions among which a variable's value is that two worlds know differently.
fn held_by_either(a: &Slot, b: &Slot) -> Option<Arc<[Arc<FunctionValue>]>> {
    match (&a.may_hold, &b.may_hold) {
        (None, None) if a.value == b.value => return None,
        (Some(x), Some(y)) if Arc::ptr_eq(x, y) => return Some(x.clone()),
        _ => {}
    }
    let held = |slot: &Slot| match &slot.value {
        Some(Value::Function(f)) => Some(vec![f.clone()]),
        _ => slot.may_hold.as_ref().map(|all| all.to_vec()),
    };
    let mut all = held(a)?;
    for f in held(b)? {
        if !all.iter().any(|known| Arc::ptr_eq(known, &f)) {
            all.push(f);
        }
    }
    Some(all.into())
}

/// What both worlds agree on.
pub(super) fn join(a: &World, b: &World) -> World {
    let mut out = a.clone();
    let length = a.slots.len().min(b.slots.len());
    out.slots.truncate(length);
    for (slot, other) in out.slots.iter_mut().zip(&b.slots) {
        slot.is_other &= other.is_other;
        slot.is_escaped |= other.is_escaped;
        slot.is_moving |= other.is_moving;
        slot.may_hold = held_by_either(slot, other);
        if slot.value != other.value {
            slot.value = match (&slot.value, &other.value) {
                (Some(Value::Fields(x)), Some(Value::Fields(y)))
                    if x.values.len() == y.values.len() =>
                {
                    let mut both = (**x).clone();
                    for ((_, v), (_, w)) in both.values.iter_mut().zip(&y.values) {
                        if v != w {
                            *v = None;
                        }
                    }
                    Some(Value::Fields(Arc::new(both)))
                }
                (
                    Some(Value::Pointer {
                        offset: x,
                        pointee,
                        is_assumed: a,
                    }),
                    Some(Value::Pointer {
                        offset: y,
                        is_assumed: b,
                        ..
                    }),
                ) => Some(Value::Pointer {
                    offset: x.or(*y),
                    pointee: pointee.clone(),
                    is_assumed: *a || *b,
                }),
                (Some(Value::Lambda(x)), Some(Value::Lambda(y)))
                    if Arc::ptr_eq(&x.lambda, &y.lambda) && x.frame == y.frame =>
                {
                    let around = |v: &LambdaValue| World {
                        slots: v.slots.clone(),
                        is_mutable: false,
                        frame: v.frame,
                    };
                    let slots = join(&around(x), &around(y)).slots;
                    Some(Value::Lambda(Arc::new(LambdaValue {
                        slots,
                        ..(**x).clone()
                    })))
                }
                _ => None,
            };
        }
    }
    out
}
