//! Loads and stores: visits for shared and global memory, cells for locals.

use super::counted;
use super::extent::{self, Extent};
use super::given::may_be_address;
use super::side_effects::OtherEffectKind;
use super::value::{Base, Contents, Pointer, Value, Variation, has_local};
use super::walker::Walker;
use super::{Target, Visit};
use crate::gpu::cost::{Op, Space};
use crate::ir::promote;
use crate::ir::residue::Residue;
use crate::ir::{
    Expr, ExprId, Holds, Kernel, Object, Path, Scalar, SiteId, Stmt, Value as Stored, VarId,
    VariableKind, visit,
};
use crate::term::{Domain, LaneDifference, SymbolName, TermId};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// A place in a local object.
pub(super) struct LocalPlace {
    pub object: VarId,
    pub offset: TermId,
    /// The bytes that an access there may reach, where the offset is no constant.
    pub reach: Extent,
}

/// Why a pointer that was read from memory leads nowhere.
fn which_pointer(holder: &str) -> Arc<str> {
    format!("which pointer `{holder}` holds is not known").into()
}

/// Of a local that is read: the text that writes it was not understood, or there is none.
pub(super) fn never_written(name: &str) -> LaneDifference {
    LaneDifference::not_modelled(format!("nothing is seen to write `{name}`"))
}

impl Walker<'_> {
    pub fn load(&mut self, target: VarId, pointer: ExprId, ty: Scalar, site: SiteId, path: Path) {
        let is_global = may_be_address(ty) && self.is_in_global_memory(pointer);
        let (local, variation) = self.touch(pointer, ty, Op::Load, site, path);
        match local {
            Some(place) => self.load_local(target, &place, ty),
            None => {
                let name = match is_global {
                    true => SymbolName::given_element_of(self.array_name(site)),
                    false => SymbolName::element_of(self.array_name(site)),
                };
                let variation = match variation {
                    Variation::Uniform => Variation::Uniform,
                    Variation::Varying(_) => Variation::Varying(LaneDifference::data(format!(
                        "a value loaded from `{}`",
                        self.array_name(site)
                    ))),
                };
                // A pointer in global memory points to an allocation of its own. What one in shared
                // memory points to, or one that a choice of locals holds, the text does not say.
                if let (Scalar::Pointer, Variation::Uniform, true) = (ty, &variation, is_global) {
                    let base = self.allocation(name.text.clone());
                    let offset = self.offset_in_given(&name.text);
                    self.assign(target, Value::Pointer(Pointer { base, offset }));
                    return;
                }
                let name = match ty {
                    Scalar::Pointer => which_pointer(self.array_name(site)).into(),
                    _ => name,
                };
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
                    self.note_unsigned_copy(*object, place.object, i64::from(at));
                    self.copy_cells(place.object, at, ty.size(), contents);
                    return;
                }
                let variation = contents.map_or(Variation::Uniform, |c| c.variation(&self.terms));
                Some(Value::Opaque(variation, "a vector".into()))
            }
        };
        if let Some(place) = local {
            if let (Some(Holds::Numbers), Some(Value::Pointer(address))) =
                (self.holds(place.object), &stored)
            {
                self.addresses_are_numbers |= leads_to_a_local(&address.base);
            }
            if is_number(ty) && !ty.is_signed() {
                let at = self.constant_offset(&place);
                self.unsigned_parts.insert((place.object, at));
            }
            self.write_local(&place, ty.size(), stored);
        }
    }

    fn constant_offset(&self, place: &LocalPlace) -> Option<u32> {
        u32::try_from(self.terms.constant(place.offset)?).ok()
    }

    fn copy_cells(&mut self, object: VarId, at: u32, size: u32, from: &Contents) {
        let extent = Extent::of(at.into(), i64::from(at) + i64::from(size));
        self.change_object(object, &extent, |terms, contents| {
            let whole = Value::Opaque(from.rest.clone(), "a vector".into());
            contents.write(terms, at, size, whole);
            if from.cells.is_empty() {
                return;
            }
            contents.cells.remove(&at);
            contents.rest = contents.rest.clone().join(&from.rest);
            contents.is_unset &= from.is_unset;
            contents.has_lost_a_pointer |= from.has_lost_a_pointer;
            // What was forgotten there is not known here.
            contents.changes += u64::from(from.changes > 0);
            for (offset, (cell, value)) in &from.cells {
                let at = at.saturating_add(*offset);
                contents.write(terms, at, *cell, value.clone());
            }
        });
    }

    pub(super) fn contents(&self, object: VarId) -> Rc<Contents> {
        let held = self.objects.get(&object).cloned();
        held.unwrap_or_else(|| Rc::new(Contents::empty()))
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
                copy.is_unset = contents.is_unset;
                copy.has_lost_a_pointer = contents.has_lost_a_pointer;
                let end = at.saturating_add(ty.size());
                for (offset, (size, value)) in contents.cells.range(at..end) {
                    copy.cells.insert(offset - at, (*size, value.clone()));
                }
            }
            self.note_unsigned_copy(place.object, target, -i64::from(at));
            self.write_object(target, copy);
            return;
        }
        if ty != Scalar::Pointer
            && let Some(contents) = &contents
            && contents.holds_a_pointer_in(&place.reach)
        {
            self.addresses_are_numbers = true;
        }
        if let (Some(at), Some(contents)) = (at, &contents)
            && let Some(value) = contents.read(at, ty.size())
        {
            let value = match value {
                Value::Int(term) if self.was_unsigned(place.object, at, ty) => {
                    Value::Int(self.terms.wrap(ty, *term))
                }
                value => value.clone(),
            };
            let value = self.convert(value, ty);
            self.assign(target, value);
            return;
        }
        if let (None, Some(contents)) = (at, &contents)
            && let Some(value) = self.chosen_element(contents, place, ty)
        {
            self.assign(target, value);
            return;
        }
        if ty == Scalar::Pointer
            && let Some(contents) = &contents
            && let Some((base, step)) = self.one_of_pointers(contents, place)
        {
            let offset = match u32::try_from(step) {
                Ok(0) => self.terms.int(0),
                step => {
                    let object = &self.kernel.variables[place.object.index()].name;
                    let name = SymbolName::element_of(object).text;
                    self.pointer_offset(&name, step.unwrap_or(1), Residue::ANY)
                }
            };
            self.assign(target, Value::Pointer(Pointer { base, offset }));
            return;
        }
        let is_given = contents
            .as_ref()
            .is_some_and(|contents| self.is_as_given(place.object, contents));
        let has_lost_a_pointer = contents.as_ref().is_some_and(|c| c.has_lost_a_pointer);
        let is_unset = |c: &Rc<Contents>| c.may_be_unset(&place.reach);
        let is_unset = contents.as_ref().is_none_or(is_unset);
        let of_reach = |c: Rc<Contents>| c.variation_of(&self.terms, &place.reach);
        let mut variation = contents.map_or(Variation::Uniform, of_reach);
        if is_unset {
            let object = &self.kernel.variables[place.object.index()].name;
            variation = Variation::Varying(never_written(object));
        }
        if self.terms.is_varying(place.offset) {
            variation = variation.join(&self.choice_by_lanes(place, ty));
        }
        if let (Scalar::Pointer, Variation::Varying(_), true) = (ty, &variation, has_lost_a_pointer)
        {
            // Where it points to was known, and is not: no data says so.
            let object = &self.kernel.variables[place.object.index()].name;
            variation = Variation::Varying(LaneDifference::not_modelled(which_pointer(object)));
        }
        self.define_element(target, place.object, (ty, variation), is_given);
    }

    /// Reinterprets a cell's value as `ty`.
    pub(super) fn convert(&mut self, value: Value, ty: Scalar) -> Value {
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
                let base = Base::Unknown(name.text.clone());
                let offset = self.terms.int(0);
                Value::Pointer(Pointer { base, offset })
            }
            // Numbers of floating point are no integers here: these are the bits of one.
            Value::Int(_) if ty.is_float() => {
                let variation = value.variation(&self.terms);
                Value::Opaque(variation, "the bits of an integer".into())
            }
            // What was signed may be read as unsigned. Sums of signed numbers do not wrap, so what is read as it was
            // written stays.
            Value::Int(term)
                if ty.is_integer()
                    && (!ty.is_signed()
                        || self.terms.constant(*term).is_some()
                        || self.reads_by_sign()) =>
            {
                Value::Int(self.terms.wrap(ty, *term))
            }
            _ => value,
        }
    }

    /// Bytes of one local are copied to another, `by` bytes further on: they are what they were there.
    fn note_unsigned_copy(&mut self, from: VarId, to: VarId, by: i64) {
        let moved = |at: &Option<u32>| match at {
            Some(at) => u32::try_from(i64::from(*at) + by).ok().map(Some),
            None => Some(None),
        };
        let parts = self
            .unsigned_parts
            .iter()
            .filter(|(object, _)| *object == from);
        let copied: Vec<_> = parts.filter_map(|(_, at)| Some((to, moved(at)?))).collect();
        self.unsigned_parts.extend(copied);
    }

    /// Whether what is read as a signed number was written as an unsigned one.
    fn was_unsigned(&self, object: VarId, at: u32, ty: Scalar) -> bool {
        let parts = &self.unsigned_parts;
        ty.is_integer()
            && ty.is_signed()
            && (parts.contains(&(object, Some(at))) || parts.contains(&(object, None)))
    }

    /// Whether the kernel reads a number in a local by another sign than it is written by: in a union, through a
    /// pointer to another type, in bytes that were copied.
    fn reads_by_sign(&mut self) -> bool {
        if let Some(known) = self.puns {
            return known;
        }
        let kernel = self.kernel;
        let mut signs: FxHashMap<(VarId, Option<i64>, u32), [bool; 2]> = FxHashMap::default();
        let mut found = false;
        visit::statements(&kernel.body, &mut |stmt| {
            let (Stmt::Load { pointer, ty, .. } | Stmt::Store { pointer, ty, .. }) = stmt else {
                return;
            };
            let Some(object) = crate::ir::local_object(&kernel.exprs, *pointer) else {
                return;
            };
            if is_number(*ty) {
                let at = crate::ir::fixed_offset(&kernel.exprs, *pointer);
                let seen = signs.entry((object, at, ty.size())).or_default();
                seen[usize::from(ty.is_signed())] = true;
                found |= seen[0] && seen[1];
            }
        });
        self.puns = Some(found);
        found
    }

    /// Writes a local; `None` for a value that is not known.
    pub fn write_local(&mut self, place: &LocalPlace, size: u32, value: Option<Value>) {
        let unknown = || {
            Value::Opaque(
                Variation::Varying(LaneDifference::computed("an atomic on a local")),
                "a local".into(),
            )
        };
        let value = value.unwrap_or_else(unknown);
        if let Some(at) = self.constant_offset(place) {
            let extent = Extent::of(at.into(), i64::from(at) + i64::from(size));
            self.change_object(place.object, &extent, |terms, contents| {
                contents.write(terms, at, size, value);
            });
            return;
        }
        let mut contents = Contents::clone(&self.contents(place.object));
        if self.write_chosen(&mut contents, place, size, &value) {
            self.change_object(place.object, &place.reach, |_, held| *held = contents);
            return;
        }
        let mut variation = value.variation(&self.terms);
        if self.terms.is_varying(place.offset) {
            variation = variation.join(&Value::Int(place.offset).variation(&self.terms));
        }
        self.change_object(place.object, &place.reach, |terms, contents| {
            contents.has_lost_a_pointer |= value.is_known_pointer();
            contents.havoc(terms, &place.reach, &variation);
        });
    }

    /// The bytes that an access of `size` bytes may reach: what subscripts leave open, as far as the
    /// offset's bounds go.
    fn reach(&mut self, given: ExprId, pointer: &Pointer, size: u32) -> Extent {
        let size_of = i64::from(size);
        if let Some(at) = self.terms.constant(pointer.offset) {
            return Extent::of(at, at.saturating_add(size_of));
        }
        let (mut low, mut high) = self.narrow_interval(pointer.offset, counted::DEPTH);
        high = high.saturating_add(size_of);
        if let Some((start, first, end)) = extent::reach(self.kernel, given, size)
            && let Value::Pointer(start) = self.eval(start)
            && start.base == pointer.base
            && let Some(at) = self.terms.constant(start.offset)
        {
            low = low.max(at.saturating_add(first));
            high = high.min(at.saturating_add(end));
        }
        Extent::of(low, high)
    }

    /// Locals that an access through a pointer of several objects, or of unknown ones, may read or write.
    fn through(&mut self, base: &Base, op: Op) -> Variation {
        let mut found = Variation::Uniform;
        if base.is_one() {
            return found;
        }
        let written = Variation::Varying(LaneDifference::computed(
            "a pointer that is one of several objects",
        ));
        for object in self.locals_of(base) {
            found = found.join(&self.contents(object).variation(&self.terms));
            if op != Op::Load && self.holds(object) != Some(Holds::Argument) {
                self.forget_contents(object, &written);
            }
        }
        found
    }

    /// The locals that a pointer may point into: where its objects are not known, any whose address is a
    /// value somewhere.
    fn locals_of(&mut self, base: &Base) -> Vec<VarId> {
        if matches!(base, Base::Distributed(_) | Base::NoLocal(..)) {
            return Vec::new();
        }
        let Some(candidates) = base.candidates() else {
            return self.exposed().to_vec();
        };
        let local = |base: &Base| match base {
            Base::Local(object) => Some(*object),
            _ => None,
        };
        candidates.iter().filter_map(local).collect()
    }

    /// Locals whose address is a value somewhere, and not only that of an access.
    fn exposed(&mut self) -> Rc<[VarId]> {
        let kernel = self.kernel;
        self.exposed.get_or_insert_with(|| exposed(kernel)).clone()
    }

    fn may_hold_addresses(&self, object: VarId, contents: &Contents) -> bool {
        match self.holds(object) {
            Some(Holds::Argument) => false,
            Some(Holds::Numbers) => contents.has_lost_a_pointer || self.addresses_are_numbers,
            _ => true,
        }
    }

    /// What an object may hold, by its type.
    pub fn holds(&self, object: VarId) -> Option<Holds> {
        match self.kernel.variables[object.index()].kind {
            VariableKind::Object { holds, .. } => Some(holds),
            VariableKind::Scalar(_) => None,
        }
    }

    /// Forgets what can be written through a pointer that a call is given: its objects, and what pointers
    /// in those lead to.
    pub fn forget_reachable(&mut self, base: &Base, variation: &Variation) -> Vec<VarId> {
        let mut left = self.locals_of(base);
        let mut seen = rustc_hash::FxHashSet::default();
        let mut found = Vec::new();
        while let Some(object) = left.pop() {
            if !seen.insert(object) {
                continue;
            }
            if self.holds(object) == Some(Holds::Argument) {
                continue;
            }
            found.push(object);
            let contents = self.contents(object);
            for (_, value) in contents.cells.values() {
                if let Value::Pointer(pointer) = value {
                    left.extend(self.locals_of(&pointer.base));
                }
            }
            // Pointers may have been in what is not known of it.
            if contents.changes > 0 && self.may_hold_addresses(object, &contents) {
                left.extend(self.exposed().iter().copied());
            }
            self.forget_contents(object, variation);
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
        let given = pointer;
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
                reach: self.reach(given, &pointer, ty.size()),
            };
            self.note_local(site, &place);
            return (Some(place), variation);
        }
        let variation = variation.join(&self.through(&pointer.base, op));
        let Some((space, target)) = self.target(&pointer.base) else {
            if let Base::Global(object) = pointer.base {
                self.note(OtherEffectKind::Constant {
                    site,
                    object,
                    offset: pointer.offset,
                    width: ty.size(),
                });
            }
            return (None, variation);
        };
        let unknown_base = match &target {
            Target::Unknown(why) => Some(why.clone()),
            Target::Distributed => Some(LaneDifference::not_modelled(Target::OF_THE_CLUSTER)),
            _ => None,
        };
        let space = match unknown_base {
            Some(_) if self.kernel.sites[site.index()].of_shared => Space::Shared,
            _ => space,
        };
        let is_known = unknown_base.is_none() && reason.is_none();
        let offset = is_known.then(|| self.past_aligned_place(&pointer, &target, ty.size()));
        let source = self.copy_source(site, space, op, path, offset);
        self.record(Visit {
            site,
            space,
            op,
            width: ty.size(),
            target,
            offset,
            reason: reason.map(LaneDifference::not_modelled).or(unknown_base),
            guards: Vec::new(),
            facts: Vec::new(),
            loop_depth: 0,
            iterations: None,
            schedule: None,
            inner_loops: Vec::new(),
            premises: 0,
            path,
            source,
            rows,
            atomic: self.atomic,
        });
        (None, variation)
    }
}

/// Whether an address may be that of a local object.
fn leads_to_a_local(base: &Base) -> bool {
    base.candidates().is_none_or(has_local)
}

/// Locals whose address takes part in something else than the pointer of an access.
fn exposed(kernel: &Kernel) -> Rc<[VarId]> {
    let aliases = promote::aliases(kernel);
    let mut found = Vec::new();
    visit::statements(&kernel.body, &mut |stmt| {
        let mut used: Vec<ExprId> = Vec::new();
        let mut pointers: Vec<ExprId> = Vec::new();
        match stmt {
            // As good as a name.
            Stmt::Assign { variable, .. } if aliases.contains_key(variable) => {}
            Stmt::Assign { value, .. } => used.push(*value),
            Stmt::Load { pointer, .. }
            | Stmt::OpaqueAccess { pointer, .. }
            | Stmt::Matrix { pointer, .. } => pointers.push(*pointer),
            Stmt::Store { pointer, value, .. } => {
                pointers.push(*pointer);
                if let Stored::Scalar(value) = value {
                    used.push(*value);
                }
            }
            Stmt::Atomic {
                pointer, operands, ..
            } => {
                pointers.push(*pointer);
                used.extend(operands);
            }
            Stmt::Collective { arguments, .. } => used.extend(arguments),
            Stmt::Opaque {
                pointers: given, ..
            } => pointers.extend(given),
            Stmt::If { condition, .. } | Stmt::Assume { condition, .. } => used.push(*condition),
            Stmt::Loop(inner) => used.push(inner.condition),
            Stmt::Labelled { .. } | Stmt::Exit(_) | Stmt::Return | Stmt::Barrier { .. } => {}
        }
        // Of the pointer of an access only what moves it is a value.
        while let Some(pointer) = pointers.pop() {
            match kernel.expr(pointer) {
                Expr::Offset { pointer, bytes, .. } => {
                    pointers.push(*pointer);
                    used.push(*bytes);
                }
                Expr::Address(_) => {}
                Expr::Var(variable) if aliases.contains_key(variable) => {}
                _ => used.push(pointer),
            }
        }
        while let Some(id) = used.pop() {
            match kernel.expr(id) {
                Expr::Address(Object::Local(object)) => found.push(*object),
                Expr::Var(variable) => {
                    found.extend(aliases.get(variable).map(|(object, _)| *object));
                }
                other => other.each_part(&mut |part| used.push(part)),
            }
        }
    });
    found.sort_unstable();
    found.dedup();
    found.into()
}

/// Whether a type has numbers that may, or may not, have a sign.
fn is_number(ty: Scalar) -> bool {
    ty.is_integer() && ty != Scalar::Bool && ty != Scalar::Pointer
}
