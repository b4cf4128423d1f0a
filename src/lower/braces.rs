//! Braced lists: which element each item initialises.
//!
//! Given a list, fills arrays, built-in vectors and classes without constructors in order, bases
//! first. Inner braces may be left out: an item that is no object of an element's own type begins
//! the list of that element. Where a type that is not known decides, nothing of the object is known.

use super::aggregate::MAX_ELEMENTS;
use super::call::ArgumentLValue;
use super::construct::acts;
use super::context::{Binding, Lower};
use super::packs::has_packs;
use super::values::{LValue, Mem, Val};
use crate::ir::Scalar;
use crate::sema::braces::{self, Given};
use crate::sema::scope;
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast::{self, ExprKind};
use std::collections::VecDeque;
use std::sync::Arc;

enum Item<'e> {
    Written(&'e ast::Expr),
    Evaluated(ArgumentLValue),
}

/// What is left of a list.
struct Items<'e> {
    rest: VecDeque<(Option<&'e ast::Name>, Item<'e>)>,
    /// Elements that may still be written.
    left: usize,
    /// Why it is not known which element the rest initialises.
    lost: Option<String>,
}

impl Items<'_> {
    fn is_done(&self) -> bool {
        self.rest.is_empty() || self.lost.is_some()
    }

    fn starts_with_list(&self) -> bool {
        matches!(
            self.rest.front(),
            Some((_, Item::Written(e))) if matches!(e.kind, ExprKind::List(_))
        )
    }

    fn lose(&mut self, reason: impl Into<String>) {
        self.lost.get_or_insert(reason.into());
    }
}

/// Whether an object of type `given` initialises an element of type `ty` as a whole; `None` where that
/// is not known.
fn fits(ty: &Type, given: &Type, has_constructors: bool) -> Option<bool> {
    match (ty, given.strip_reference()) {
        (_, Type::Unknown(_) | Type::Opaque(_)) => None,
        (Type::Array(..), Type::Array(..)) => Some(ty == given),
        (Type::Array(..), _) => Some(false),
        _ if has_constructors => Some(true),
        (Type::Record(to), Type::Record(from)) => {
            let is_one = super::base_classes::is_one_of(from, to);
            let converts = from.record.members.iter().any(|member| match member {
                ast::Member::Function(f) => f.kind == ast::FunctionKind::Conversion,
                _ => false,
            });
            (is_one || !converts).then_some(is_one)
        }
        (Type::Vector { .. }, Type::Vector { .. } | Type::Record(_)) => Some(true),
        _ => Some(false),
    }
}

impl Lower<'_> {
    /// How many elements an array without a bound has; `None` where a pack in the list is not known, or whether an
    /// item is one or a part of one.
    pub fn elements(
        &mut self,
        element: &Type,
        items: &[(Option<ast::Name>, ast::Expr)],
    ) -> Option<u64> {
        if let Some(length) = braces::text_length(element, items) {
            return Some(length);
        }
        let mut given = Vec::new();
        for (_, item) in items {
            match &item.kind {
                ExprKind::Expand(pattern) => {
                    let packs = self.packs_in(pattern)?;
                    given.extend((0..packs.count).map(|at| {
                        Given::of(self.with_element(&packs, at, |this| this.type_here(pattern)))
                    }));
                }
                _ => given.push(Given::written(item, || self.type_here(item))),
            }
        }
        braces::count(&self.unit.names, element, &given)
    }

    /// The type of an expression, as far as names and variables in sight tell it.
    pub fn type_here(&self, e: &ast::Expr) -> Type {
        let local = |name: &str| match self.lookup(name)? {
            Binding::LValue(place) => Some(place.ty()),
            Binding::Pack(_) => None,
        };
        scope::type_with(&self.unit.names, &self.frame.env, e, &local)
    }

    /// Whether a value of another type becomes one of this by a constructor.
    fn is_constructed(&self, ty: &Type) -> bool {
        match ty {
            Type::Record(record) => !self.constructors(record).is_empty(),
            Type::Vector { name, .. } => ["dim3", "complex", "half", "bfloat"]
                .iter()
                .any(|part| name.contains(part)),
            _ => false,
        }
    }

    #[expect(clippy::too_many_lines, reason = "still to be split")]
    pub fn initialise_list(
        &mut self,
        object: &Mem,
        items: &[(Option<ast::Name>, ast::Expr)],
        e: &ast::Expr,
    ) {
        if has_packs(items) {
            self.initialise_expanded(object, items, e.range);
            return;
        }
        match &object.ty {
            // `std::array<int, 2> a = {{4, 5}};`
            Type::Array(element, count)
                if element.is_class
                    && let Some((inner, e)) = inner_list(items) =>
            {
                // The array that the class consists of.
                let plain = Type::Array(element.clone().of_class(false), *count);
                let part = object.part(object.pointer, plain);
                self.initialise_list(&part, inner, e);
            }
            Type::Array(element, _) => {
                if items.len() <= 1 || self.has_gaps(object, items.len()) {
                    // `{}`, `{0}`: everything else is zero.
                    self.zero_fill(object, e.range);
                }
                if let (Type::Scalar(_, _), [(None, one)]) = (&**element, items)
                    && matches!(one.kind, ExprKind::Str(_))
                {
                    self.lose_object(object, "a string", e.range);
                    return;
                }
                self.fill_written(object, items, e.range);
            }
            Type::Record(record) => {
                let constructors = self.constructors(record);
                if !items.is_empty() && constructors.iter().any(|c| c.function.takes_list()) {
                    let reason = "a constructor that takes a list in braces is not followed";
                    self.lose_object(object, reason, e.range);
                    return;
                }
                let has_constructor = constructors.iter().any(|c| {
                    !c.function.parameters.is_empty() || (items.is_empty() && acts(&c.function))
                });
                if has_constructor && items.iter().all(|(name, _)| name.is_none()) {
                    let list: Vec<ast::Expr> = items.iter().map(|(_, e)| e.clone()).collect();
                    let places = self.arguments_of_class(&object.ty, &list);
                    self.construct_into(object, &places, e.range);
                    return;
                }
                if let [(None, one)] = items
                    && !matches!(one.kind, ExprKind::List(_))
                {
                    let is_kept = matches!(record.fields.first(), Some(field)
                        if matches!(field.ty, Type::Reference(_)));
                    let place = if is_kept {
                        (self.place(one), one.range)
                    } else {
                        self.argument(one)
                    };
                    // `S{other}` is a copy, if that is an object of the class.
                    self.construct_into(object, &[place], e.range);
                    return;
                }
                self.fill_written(object, items, e.range);
            }
            Type::Vector {
                name,
                scalar,
                lanes,
            } => {
                let (scalar, lanes) = (*scalar, usize::from(*lanes));
                let missing = i64::from(*name == "dim3");
                let mut values = Vec::new();
                for (_, item) in items {
                    let value = self.value(item);
                    if items.len() == 1
                        && let Val::Object(_) = value
                    {
                        self.write(&LValue::Mem(object.clone()), value, e.range);
                        return;
                    }
                    values.push(self.scalar_of(value, scalar, item.range));
                }
                let rest = self.arena.int(missing, Scalar::I32);
                let rest = self.arena.cast(rest, scalar);
                values.resize(lanes, rest);
                self.set_lanes(object, &values, e.range);
            }
            Type::Scalar(_, _) | Type::Pointer(_) => {
                let value = self.initialised(&object.ty.clone(), e);
                self.write(&LValue::Mem(object.clone()), value, e.range);
            }
            _ => {
                for (_, item) in items {
                    self.value(item);
                }
                self.lose_object(object, "an initialiser of an unknown type", e.range);
            }
        }
    }

    /// [`Self::initialise_list`] with packs among the items.
    fn initialise_expanded(
        &mut self,
        object: &Mem,
        items: &[(Option<ast::Name>, ast::Expr)],
        range: ast::Range,
    ) {
        let is_named = items.iter().any(|(name, _)| name.is_some());
        let Some(places) = self.expanded_items(items).filter(|_| !is_named) else {
            let reason = "a braced list with a pack that is not known";
            self.lose_object(object, reason, range);
            return;
        };
        match &object.ty {
            Type::Array(..) if places.len() <= 1 || self.has_gaps(object, places.len()) => {
                self.zero_fill(object, range);
                self.fill_evaluated(object, &places, range);
            }
            Type::Record(record) => {
                let constructors = self.constructors(record);
                if !places.is_empty() && constructors.iter().any(|c| c.function.takes_list()) {
                    let reason = "a constructor that takes a list in braces is not followed";
                    self.lose_object(object, reason, range);
                } else if places.len() <= 1
                    || constructors
                        .iter()
                        .any(|c| !c.function.parameters.is_empty())
                {
                    self.construct_into(object, &places, range);
                } else {
                    self.fill_evaluated(object, &places, range);
                }
            }
            Type::Scalar(..) | Type::Pointer(_) => match places.as_slice() {
                [] => self.zero_fill(object, range),
                [one] => self.write_item(object, one.clone()),
                _ => {
                    let reason = "a list of more items than there are elements";
                    self.lose_object(object, reason, range);
                }
            },
            _ => self.fill_evaluated(object, &places, range),
        }
    }

    fn fill_written(
        &mut self,
        object: &Mem,
        items: &[(Option<ast::Name>, ast::Expr)],
        range: ast::Range,
    ) {
        let items = items
            .iter()
            .map(|(name, e)| (name.as_ref(), Item::Written(e)));
        self.fill_whole(object, items.collect(), range);
    }

    /// As [`Self::initialise_list`] with items that have been evaluated.
    pub fn fill_evaluated(&mut self, object: &Mem, items: &[ArgumentLValue], range: ast::Range) {
        let items = items
            .iter()
            .map(|item| (None, Item::Evaluated(item.clone())));
        self.fill_whole(object, items.collect(), range);
    }

    fn fill_whole<'e>(
        &mut self,
        object: &Mem,
        items: VecDeque<(Option<&'e ast::Name>, Item<'e>)>,
        range: ast::Range,
    ) {
        let mut items = Items {
            rest: items,
            left: MAX_ELEMENTS,
            lost: None,
        };
        self.fill(object, &mut items, range);
        if items.lost.is_none() && !items.rest.is_empty() {
            items.lose("a list of more items than there are elements");
        }
        if let Some(reason) = items.lost {
            for (_, item) in items.rest {
                if let Item::Written(e) = item {
                    self.value(e);
                }
            }
            self.lose_object(object, &reason, range);
        }
    }

    /// Whether a list of `count` items leaves elements of an array unwritten.
    fn has_gaps(&self, object: &Mem, count: usize) -> bool {
        match &object.ty {
            Type::Array(element, Some(n)) if element.scalar().is_some() => *n > count as u64,
            _ => true,
        }
    }

    /// Fills the elements of `object` from the front of the list.
    fn fill(&mut self, object: &Mem, items: &mut Items<'_>, range: ast::Range) {
        if !self.enter() {
            items.lose("lists are nested too deeply");
            return;
        }
        match object.ty.clone() {
            Type::Array(element, count) => self.fill_array(object, &element, count, items, range),
            Type::Record(record) => self.fill_record(object, &record, items, range),
            Type::Vector { scalar, lanes, .. } => {
                for at in 0..u64::from(lanes) {
                    let offset = at * u64::from(scalar.size());
                    let pointer = self.arena.offset_const(object.pointer, offset);
                    let part = object.part(pointer, Type::number(scalar));
                    if items.is_done() {
                        self.zero_fill(&part, range);
                    } else {
                        self.fill_element(&part, items, range);
                    }
                }
            }
            _ => items.lose("a list for an object of an unknown type"),
        }
        self.leave();
    }

    fn fill_array(
        &mut self,
        object: &Mem,
        element: &Type,
        count: Option<u64>,
        items: &mut Items<'_>,
        range: ast::Range,
    ) {
        let count = count.unwrap_or(items.rest.len() as u64);
        let Some(size) = element.size() else {
            items.lose("a list for elements of an unknown size");
            return;
        };
        let has_defaults = self.is_made_by_constructors(element, 0);
        for at in 0..count {
            let pointer = self.arena.offset_const(object.pointer, at * size);
            let part = object.part(pointer, element.clone());
            if items.is_done() {
                if !has_defaults || items.lost.is_some() {
                    return;
                }
                self.construct_into(&part, &[], range);
            } else {
                self.fill_element(&part, items, range);
            }
            if items.left == 0 {
                items.lose("a list of very many items");
                return;
            }
            items.left -= 1;
        }
    }

    fn fill_record(
        &mut self,
        object: &Mem,
        record: &Arc<RecordType>,
        items: &mut Items<'_>,
        range: ast::Range,
    ) {
        let is_named = items.rest.iter().any(|(name, _)| name.is_some());
        for (offset, base) in record.bases.clone() {
            let pointer = self.arena.offset_const(object.pointer, offset);
            let part = object.part(pointer, Type::Record(base.clone()));
            if items.is_done() || is_named {
                self.default_part(&part, &base, range);
            } else if !self.constructors(&base).is_empty() && !items.starts_with_list() {
                // `using Base::Base;` is not read.
                items.lose("whether a class has the constructors of its base class");
            } else {
                self.fill_element(&part, items, range);
            }
        }
        let fields = record.fields.clone();
        let mut given = vec![false; fields.len()];
        let mut next = 0;
        while !items.is_done() {
            if let Some((Some(name), _)) = items.rest.front() {
                match fields.iter().position(|field| field.name == ***name) {
                    Some(at) => next = at,
                    None => {
                        items.lose("a braced list with the name of an inner member");
                        return;
                    }
                }
                if let Some((name, _)) = items.rest.front_mut() {
                    *name = None;
                }
            }
            let (Some(field), Some(is_given)) = (fields.get(next), given.get_mut(next)) else {
                break;
            };
            *is_given = true;
            next = if record.is_union {
                fields.len()
            } else {
                next + 1
            };
            let pointer = self.field_pointer(object.pointer, field);
            let mut part = object.part(pointer, field.ty.clone());
            part.bits = field.bits;
            self.fill_element(&part, items, range);
        }
        let is_union = record.is_union && given.contains(&true);
        for (field, _) in fields
            .iter()
            .zip(&given)
            .filter(|(_, is_given)| !**is_given && !is_union)
        {
            self.default_field(object, record, &field.name, range, true);
        }
    }

    /// A base class that the list does not reach.
    fn default_part(&mut self, part: &Mem, record: &Arc<RecordType>, range: ast::Range) {
        if self.needs_construction(record, 0) {
            self.construct_record(part, record, &[], range);
        } else {
            self.zero_fill(part, range);
        }
    }

    /// Fills one element from the front of the list: by one item, or by as many as it has elements.
    fn fill_element(&mut self, part: &Mem, items: &mut Items<'_>, range: ast::Range) {
        let is_aggregate = matches!(
            part.ty,
            Type::Array(..) | Type::Record(_) | Type::Vector { .. }
        );
        let Some((name, item)) = items.rest.pop_front() else {
            return;
        };
        let place = match item {
            Item::Written(e) => {
                let is_plain = matches!(e.kind, ExprKind::List(_) | ExprKind::Str(_));
                if is_plain || !is_aggregate {
                    self.initialise_field(part, e);
                    return;
                }
                self.argument(e)
            }
            Item::Evaluated(place) => place,
        };
        if !is_aggregate {
            self.write_item(part, place);
            return;
        }
        if let LValue::Val(Val::SpecialValue(super::groups::SpecialValue::List(_))) = &place.0 {
            self.write_item(part, place);
            return;
        }
        match fits(&part.ty, &place.0.ty(), self.is_constructed(&part.ty)) {
            Some(true) => match &part.ty {
                Type::Record(record) => {
                    let record = record.clone();
                    self.construct_implicitly(part, &record, &[place], range);
                }
                _ => self.write_item(part, place),
            },
            Some(false) => {
                items.rest.push_front((name, Item::Evaluated(place)));
                self.fill(part, items, range);
            }
            None => {
                items.lose("a braced list with an item of an unknown type");
            }
        }
    }

    fn write_item(&mut self, part: &Mem, (place, at): ArgumentLValue) {
        if matches!(part.ty, Type::Reference(_)) {
            if let Some(mem) = self.memory_of(place, at) {
                let value = Val::Scalar {
                    id: mem.pointer,
                    ty: mem.ty.pointer_to(),
                    volatile: false,
                };
                self.write(&LValue::Mem(part.clone()), value, at);
            }
            return;
        }
        let value = self.read(place, at);
        let value = self.convert(value, &part.ty, at);
        self.write(&LValue::Mem(part.clone()), value, at);
    }
}

type Written = (Option<ast::Name>, ast::Expr);

/// The list in a list, where there is nothing else.
fn inner_list(items: &[Written]) -> Option<(&[Written], &ast::Expr)> {
    let [(None, e)] = items else { return None };
    match &e.kind {
        ExprKind::List(inner) => Some((inner, e)),
        _ => None,
    }
}
