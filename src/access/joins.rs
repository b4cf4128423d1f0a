//! Values after two branches met: what either wrote, selected by the condition.

use super::value::{
    Base, Contents, Pointer, Value, Variation, has_local, pointer_of_each_lane, space_of,
};
use super::walker::{Slot, SlotValue, Walker};
use crate::gpu::cost::Space;
use crate::term::{Domain, Sharing, TermId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl Walker<'_> {
    /// The value where `condition` holds `a`, else `b`.
    pub fn merge(
        &mut self,
        condition: TermId,
        a: Option<Value>,
        b: Option<Value>,
    ) -> Option<Value> {
        let (a, b) = match (a, b) {
            (Some(a), Some(b)) => (a, b),
            // Not set on one side: reading it there would be undefined.
            (one, other) => return one.or(other),
        };
        if a == b {
            return Some(a);
        }
        let condition_varies = self.terms.is_varying(condition);
        Some(match (&a, &b) {
            (Value::Int(x), Value::Int(y)) => Value::Int(self.terms.select(condition, *x, *y)),
            (Value::Pointer(p), Value::Pointer(q)) => {
                let offset = match (&p.base, &q.base) {
                    (Base::Null, _) if !condition_varies => q.offset,
                    (_, Base::Null) if !condition_varies => p.offset,
                    _ => self.terms.select(condition, p.offset, q.offset),
                };
                let base = either(&p.base, &q.base, condition_varies);
                self.pointer(base, offset, condition_varies)
            }
            _ => {
                let mut variation = a.variation(&self.terms).join(&b.variation(&self.terms));
                if condition_varies && variation == Variation::Uniform {
                    variation = Value::Int(condition).variation(&self.terms);
                }
                let name = match &a {
                    Value::Opaque(_, name) => name.clone(),
                    _ => "a value chosen by a condition".into(),
                };
                Value::Opaque(variation, name)
            }
        })
    }

    /// A pointer to `base`. Where lanes may choose different locals, so they do in its offset.
    fn pointer(&mut self, base: Base, offset: TermId, varies: bool) -> Value {
        let offset = match &base {
            Base::OneOf(_) if varies => {
                let domain = Domain::range(0, 1 << 40);
                let chosen = pointer_of_each_lane();
                let name = chosen.text.clone();
                self.terms
                    .new_symbol(name, Sharing::Varying(chosen), domain)
            }
            _ => offset,
        };
        Value::Pointer(Pointer { base, offset })
    }

    fn merge_held(&mut self, condition: TermId, a: SlotValue, b: SlotValue) -> SlotValue {
        match (a, b) {
            (SlotValue::Scalar(a), SlotValue::Scalar(b)) => {
                SlotValue::Scalar(self.merge(condition, a, b))
            }
            (SlotValue::Object(a), SlotValue::Object(b)) => {
                if Rc::ptr_eq(&a, &b) || a == b {
                    return SlotValue::Object(a);
                }
                let mut merged = Contents {
                    cells: std::collections::BTreeMap::new(),
                    rest: a.rest.clone().join(&b.rest),
                    is_unset: a.is_unset && b.is_unset,
                    changes: a.changes.max(b.changes),
                    has_lost_a_pointer: a.has_lost_a_pointer || b.has_lost_a_pointer,
                };
                let mut is_torn = a.changes != b.changes;
                for (at, (size, left)) in &a.cells {
                    match b.read(*at, *size) {
                        Some(right) => {
                            let value =
                                self.merge(condition, Some(left.clone()), Some(right.clone()));
                            if let Some(value) = value {
                                merged.cells.insert(*at, (*size, value));
                            }
                        }
                        None => {
                            is_torn = true;
                            merged.has_lost_a_pointer |= left.is_known_pointer();
                            merged.rest = merged.rest.clone().join(&left.variation(&self.terms));
                        }
                    }
                }
                for (at, (size, right)) in &b.cells {
                    if a.read(*at, *size).is_none() {
                        is_torn = true;
                        merged.has_lost_a_pointer |= right.is_known_pointer();
                        merged.rest = merged.rest.clone().join(&right.variation(&self.terms));
                    }
                }
                // A place that only some lanes wrote differs between them.
                if is_torn {
                    merged.is_unset = false;
                    merged.changes += 1;
                    if self.terms.is_varying(condition) {
                        let chosen = Value::Int(condition).variation(&self.terms);
                        merged.rest = merged.rest.clone().join(&chosen);
                    }
                }
                SlotValue::Object(Rc::new(merged))
            }
            (a, _) => a,
        }
    }

    /// Merges `other`, written by lanes where `condition` holds, into the present state.
    pub(super) fn merge_into(
        &mut self,
        condition: TermId,
        other: Vec<(Slot, SlotValue)>,
        also: &[Slot],
        before: &FxHashMap<Slot, SlotValue>,
    ) {
        let mut slots: Vec<Slot> = other.iter().map(|(slot, _)| *slot).collect();
        let mut there: FxHashMap<Slot, SlotValue> = other.into_iter().collect();
        for slot in also {
            if !there.contains_key(slot) {
                slots.push(*slot);
            }
        }
        for slot in slots {
            let here = self.held(slot);
            let theirs = match there.remove(&slot) {
                Some(held) => held,
                None => match before.get(&slot) {
                    Some(held) => held.clone(),
                    None => continue,
                },
            };
            let merged = self.merge_held(condition, theirs, here);
            self.set(slot, merged);
        }
    }
}

/// A base that is one of two, one of which may be null; lanes may choose differently where `varies` is set.
pub(super) fn either(a: &Base, b: &Base, varies: bool) -> Base {
    if a.is_same_object(b) {
        return a.clone();
    }
    if let (Base::Varying(reason), _) | (_, Base::Varying(reason)) = (a, b) {
        return Base::Varying(reason.clone());
    }
    match (a, b) {
        (Base::NoLocal(reason, space), other) | (other, Base::NoLocal(reason, space)) => {
            let of_other = match other {
                Base::NoLocal(_, of_other) => Some(*of_other),
                other => {
                    let all = other.candidates().filter(|all| !has_local(all));
                    all.map(space_of)
                }
            };
            return match of_other {
                None => Base::Varying(reason.clone()),
                Some(of_other) if of_other == *space => Base::NoLocal(reason.clone(), *space),
                Some(_) => Base::NoLocal(reason.clone(), Space::Global),
            };
        }
        (Base::Distributed(x), Base::Distributed(y)) => {
            let chosen = pointer_of_each_lane();
            let chosen = if varies {
                Variation::Varying(chosen)
            } else {
                Variation::Uniform
            };
            return Base::Distributed(x.clone().join(y).join(&chosen));
        }
        (Base::Distributed(_), Base::Null) => return a.clone(),
        (Base::Null, Base::Distributed(_)) => return b.clone(),
        _ => {}
    }
    let (Some(x), Some(y)) = (a.candidates(), b.candidates()) else {
        return Base::Unknown("a pointer that is one of several objects".into());
    };
    let mut all = x.to_vec();
    all.extend(y.iter().filter(|base| !x.contains(base)).cloned());
    // What is written through it has to reach the locals.
    if varies && !has_local(&all) {
        return Base::NoLocal(pointer_of_each_lane(), space_of(&all));
    }
    Base::OneOf(all.into())
}
