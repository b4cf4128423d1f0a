//! What a loop carries from one iteration to the next, when its study begins: scalars that its body writes, and objects.

use super::super::extent::Extent;
use super::super::trail::Mark;
use super::super::value::{Pointer, Value, Variation};
use super::super::walker::{Slot, SlotValue, Walker};
use super::{Carried, Written, WrittenObject};
use crate::ir::VarId;
use crate::term::{Domain, LaneDifference, Term};
use rustc_hash::FxHashSet;

impl Walker<'_> {
    /// The scalars that the body writes, as they are in front of the loop.
    pub(super) fn carried_variables(&self, written: &Written) -> Vec<Carried> {
        written
            .variables
            .iter()
            .filter(|variable| self.scalar_type_of(**variable).is_some())
            .map(|variable| {
                let start = self.scalars[variable.index()].clone();
                // What is not set yet is mostly declared in the body, and written before it is read.
                let varying = start
                    .as_ref()
                    .is_none_or(|value| value.variation(&self.terms) != Variation::Uniform);
                Carried {
                    variable: *variable,
                    start,
                    symbol: None,
                    begin: None,
                    varying,
                    end: None,
                }
            })
            .collect()
    }

    /// The objects that the body writes through known names; others are found on the trail.
    pub(super) fn written_objects(&self, written: &Written) -> Vec<WrittenObject> {
        written
            .variables
            .iter()
            .filter(|variable| self.scalar_type_of(**variable).is_none())
            .map(|variable| {
                let extent = match written.extents.get(variable) {
                    // Where pointers stand in it, the walk finds what is written.
                    Some(known) if !known.is_open || self.contents(*variable).holds_a_pointer() => {
                        known.extent.clone()
                    }
                    // What is written whole is no store.
                    _ => Extent::all(),
                };
                self.written_object(*variable, extent)
            })
            .collect()
    }

    /// A symbol for what a variable is when an iteration begins.
    pub(super) fn studied_value(&mut self, item: &mut Carried) -> Option<Value> {
        let of_start = item
            .start
            .as_ref()
            .map(|start| start.variation(&self.terms));
        let variation = match of_start {
            _ if !item.varying => Variation::Uniform,
            Some(Variation::Varying(reason)) => Variation::Varying(reason),
            _ => Variation::Varying(LaneDifference::data("a value that a loop changes per lane")),
        };
        let name = self.kernel.variables[item.variable.index()].name.clone();
        let ty = self.scalar_type_of(item.variable)?;
        let domain = match &item.start {
            Some(Value::Int(_)) => {
                // Terms mean integers: a start that passed its type's range stands as it is.
                let of_type = Domain::of_type(ty);
                let domain = if ty.is_integer() && ty.size() < 8 {
                    of_type
                } else {
                    Domain::range(-crate::term::LIMIT, crate::term::LIMIT)
                };
                Some(domain)
            }
            Some(Value::Pointer(_)) => Some(Domain::range(-crate::term::LIMIT, crate::term::LIMIT)),
            Some(Value::Opaque(_, name)) => return Some(Value::Opaque(variation, name.clone())),
            None if ty.is_integer() => Some(Domain::of_type(ty)),
            // Declared in the body, as a rule: it is written before it is read.
            None if item.varying => return Some(self.unknown(ty, variation, name)),
            None => None,
        };
        let term = self.terms.new_symbol(name, variation.sharing(), domain?);
        if let Term::Symbol(symbol) = *self.terms.term(term) {
            item.symbol = Some(symbol);
        }
        Some(match &item.start {
            Some(Value::Pointer(pointer)) => Value::Pointer(Pointer {
                base: pointer.base.clone(),
                offset: term,
            }),
            _ => Value::Int(term),
        })
    }

    pub(super) fn written_object(&self, object: VarId, extent: Extent) -> WrittenObject {
        let contents = self.objects.get(&object);
        let variation = contents.map_or(Variation::Uniform, |contents| {
            contents.variation_of(&self.terms, &extent)
        });
        WrittenObject {
            object,
            extent,
            variation,
        }
    }

    /// Objects in which a pointer stood before something that was written since `mark`.
    pub(super) fn objects_that_held_a_pointer(&self, mark: Mark) -> FxHashSet<VarId> {
        let mut found = self.trail.held_a_pointer.clone();
        for (slot, old) in self.trail.since(mark) {
            if let (Slot::Object(object), SlotValue::Object(contents)) = (slot, old)
                && !found.contains(&object)
                && contents.holds_a_pointer()
            {
                found.insert(object);
            }
        }
        found
    }
}
