//! Loads and stores: visits for shared and global memory, cells for locals.

use super::Visit;
use super::side_effects::ExtraKind;
use super::value::{Base, Contents, Pointer, Value, Variation};
use super::walker::{Slot, SlotValue, Walker};
use crate::gpu::cost::Op;
use crate::ir::{ExprId, Path, Scalar, SiteId, Value as Stored, VarId, VariableKind};
use crate::term::{Domain, TermId};
use std::rc::Rc;
use std::sync::Arc;

/// A place in a local object.
pub(super) struct LocalPlace {
    pub object: VarId,
    pub offset: TermId,
}

impl Walker<'_> {
    pub fn load(&mut self, target: VarId, pointer: ExprId, ty: Scalar, site: SiteId, path: Path) {
        let (local, variation) = self.touch(pointer, ty, Op::Load, site, path);
        match local {
            Some(place) => self.load_local(target, &place, ty),
            None => {
                let name: Arc<str> = format!("{}[…]", self.array_name(site)).into();
                let variation = match variation {
                    Variation::Uniform => Variation::Uniform,
                    Variation::Varying(_) => Variation::Varying(
                        format!("a value loaded from `{}`", self.array_name(site)).into(),
                    ),
                };
                // The text does not say where a pointer in memory points: to an allocation of its own.
                if let (Scalar::Pointer, Variation::Uniform) = (ty, &variation) {
                    let base = self.allocation(name);
                    let offset = self.terms.int(0);
                    self.assign(target, Value::Pointer(Pointer { base, offset }));
                    return;
                }
                self.define(target, variation, name, ty);
            }
        }
    }

    pub fn store(&mut self, pointer: ExprId, value: &Stored, ty: Scalar, site: SiteId, path: Path) {
        let (local, _) = self.touch(pointer, ty, Op::Store, site, path);
        let stored = match value {
            Stored::Scalar(id) => Some(self.eval(*id)),
            Stored::Object(object) => {
                let contents = self.objects.get(object).cloned();
                if let (Some(place), Some(contents)) = (&local, &contents)
                    && let Some(at) = self.constant_offset(place)
                {
                    self.copy_cells(place.object, at, ty.size(), contents);
                    return;
                }
                let variation = contents.map_or(Variation::Uniform, |c| c.variation(&self.terms));
                Some(Value::Opaque(variation, "a vector".into()))
            }
        };
        if let Some(place) = local {
            self.write_local(&place, ty.size(), stored);
        }
    }

    fn constant_offset(&self, place: &LocalPlace) -> Option<u32> {
        u32::try_from(self.terms.constant(place.offset)?).ok()
    }

    fn copy_cells(&mut self, object: VarId, at: u32, size: u32, from: &Contents) {
        let mut contents = self.contents(object);
        contents.write(
            &self.terms,
            at,
            size,
            Value::Opaque(from.rest.clone(), "a vector".into()),
        );
        if !from.cells.is_empty() {
            contents.cells.remove(&at);
            contents.rest = contents.rest.clone().join(&from.rest);
            for (offset, (cell, value)) in &from.cells {
                contents.write(
                    &self.terms,
                    at.saturating_add(*offset),
                    *cell,
                    value.clone(),
                );
            }
        }
        self.set(Slot::Object(object), SlotValue::Object(Rc::new(contents)));
    }

    fn contents(&self, object: VarId) -> Contents {
        self.objects
            .get(&object)
            .map_or_else(Contents::empty, |held| (**held).clone())
    }

    fn load_local(&mut self, target: VarId, place: &LocalPlace, ty: Scalar) {
        let contents = self.objects.get(&place.object).cloned();
        let at = self.constant_offset(place);
        if let (Some(at), VariableKind::Object { .. }) =
            (at, self.kernel.variables[target.index()].kind)
        {
            // A whole vector moves from one local to another.
            let mut copy = Contents::empty();
            if let Some(contents) = &contents {
                copy.rest = contents.rest.clone();
                let end = at.saturating_add(ty.size());
                for (offset, (size, value)) in contents.cells.range(at..end) {
                    copy.cells.insert(offset - at, (*size, value.clone()));
                }
            }
            self.set(Slot::Object(target), SlotValue::Object(Rc::new(copy)));
            return;
        }
        if let (Some(at), Some(contents)) = (at, &contents)
            && let Some(value) = contents.read(at, ty.size())
        {
            let value = self.convert(value.clone(), ty);
            self.assign(target, value);
            return;
        }
        let mut variation = contents.map_or(Variation::Uniform, |c| c.variation(&self.terms));
        if self.terms.is_varying(place.offset) {
            variation = variation.join(&Value::Int(place.offset).variation(&self.terms));
        }
        let name: Arc<str> =
            format!("{}[…]", self.kernel.variables[place.object.index()].name).into();
        self.define(target, variation, name, ty);
    }

    /// Reinterprets a cell's value as `ty`.
    fn convert(&mut self, value: Value, ty: Scalar) -> Value {
        match &value {
            Value::Opaque(variation, name) if ty.is_integer() => {
                let sharing = variation.sharing();
                Value::Int(
                    self.terms
                        .new_symbol(name.clone(), sharing, Domain::of_type(ty)),
                )
            }
            Value::Opaque(Variation::Varying(reason), _) if ty == Scalar::Pointer => {
                let offset = self.terms.int(0);
                Value::Pointer(Pointer {
                    base: Base::Varying(reason.clone()),
                    offset,
                })
            }
            Value::Opaque(Variation::Uniform, name) if ty == Scalar::Pointer => {
                let base = Base::Unknown(name.clone());
                let offset = self.terms.int(0);
                Value::Pointer(Pointer { base, offset })
            }
            _ => value,
        }
    }

    /// Writes a local; `None` for a value that is not known.
    pub fn write_local(&mut self, place: &LocalPlace, size: u32, value: Option<Value>) {
        let mut contents = self.contents(place.object);
        let unknown = || {
            Value::Opaque(
                Variation::Varying("an atomic on a local".into()),
                "a local".into(),
            )
        };
        let value = value.unwrap_or_else(unknown);
        match self.constant_offset(place) {
            Some(at) => contents.write(&self.terms, at, size, value),
            None => {
                let mut variation = value.variation(&self.terms);
                if self.terms.is_varying(place.offset) {
                    variation = variation.join(&Value::Int(place.offset).variation(&self.terms));
                }
                contents.havoc(&self.terms, &variation);
            }
        }
        self.set(
            Slot::Object(place.object),
            SlotValue::Object(Rc::new(contents)),
        );
    }

    /// Locals that an access through a pointer of several objects may read or write.
    fn through(&mut self, pointer: &Pointer, op: Op) -> Variation {
        let mut found = Variation::Uniform;
        let Base::OneOf(all) = &pointer.base else {
            return found;
        };
        let written = Variation::Varying("a pointer that is one of several objects".into());
        for base in all.iter() {
            let Base::Local(object) = base else { continue };
            found = found.join(&self.contents(*object).variation(&self.terms));
            if op != Op::Load {
                self.forget_contents(*object, &written);
            }
        }
        found
    }

    /// Notes a memory operation. Gives the place where it is a local one, and how lanes differ
    /// in what a load would give.
    pub fn touch(
        &mut self,
        pointer: ExprId,
        ty: Scalar,
        op: Op,
        site: SiteId,
        path: Path,
    ) -> (Option<LocalPlace>, Variation) {
        self.touch_with(pointer, ty, op, site, path, 0, None)
    }

    #[allow(clippy::too_many_arguments)]
    pub fn touch_with(
        &mut self,
        pointer: ExprId,
        ty: Scalar,
        op: Op,
        site: SiteId,
        path: Path,
        rows: u32,
        reason: Option<Arc<str>>,
    ) -> (Option<LocalPlace>, Variation) {
        let value = self.eval(pointer);
        let variation = value.variation(&self.terms);
        let pointer = match value {
            Value::Pointer(pointer) => pointer,
            other => {
                let why: Arc<str> = match other {
                    Value::Opaque(_, name) => format!("the pointer is {name}").into(),
                    _ => "the address is computed from integers".into(),
                };
                let base = match &variation {
                    Variation::Uniform => Base::Unknown(why),
                    Variation::Varying(data) => Base::Varying(data.clone()),
                };
                Pointer {
                    base,
                    offset: self.terms.int(0),
                }
            }
        };
        if let Base::Local(object) = pointer.base {
            let place = LocalPlace {
                object,
                offset: pointer.offset,
            };
            self.note_local(site, &place);
            return (Some(place), variation);
        }
        let variation = variation.join(&self.through(&pointer, op));
        let Some((space, target)) = self.target(&pointer.base) else {
            if let Base::Global(object) = pointer.base {
                self.note(ExtraKind::Constant {
                    site,
                    object,
                    offset: pointer.offset,
                    width: ty.size(),
                });
            }
            return (None, variation);
        };
        let unknown_base = match &pointer.base {
            Base::Varying(why) | Base::Unknown(why) => Some(why.clone()),
            _ => None,
        };
        let offset = (unknown_base.is_none() && reason.is_none()).then_some(pointer.offset);
        self.record(Visit {
            site,
            space,
            op,
            width: ty.size(),
            target,
            offset,
            reason: reason.or(unknown_base),
            guards: Vec::new(),
            facts: Vec::new(),
            loop_depth: 0,
            iterations: None,
            schedule: None,
            path,
            rows,
            atomic: self.atomic,
        });
        (None, variation)
    }
}
