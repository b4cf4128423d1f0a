//! Elements of local arrays that a subscript chooses, all of which are known.

use super::memory::LocalPlace;
use super::value::{Contents, Value};
use super::walker::Walker;
use crate::ir::Scalar;
use crate::term::{Op, TermId};

/// Elements that may be chosen between where they are numbers, and else.
const MOST_NUMBERS: u32 = 256;
const MOST_TERMS: u32 = 16;

impl Walker<'_> {
    /// The elements of `size` bytes that a place may be, and which of them it is.
    fn choice(
        &mut self,
        contents: &Contents,
        place: &LocalPlace,
        size: u32,
    ) -> Option<(u32, Vec<Value>, TermId)> {
        let (start, end) = place.reach.only()?;
        let bytes = end - start;
        if size == 0
            || bytes % size != 0
            || bytes / size > MOST_NUMBERS
            || self.terms.has_data(place.offset)
        {
            return None;
        }
        let read = |at: u32| contents.read(start + at * size, size).cloned();
        let all = (0..bytes / size).map(read).collect::<Option<Vec<_>>>()?;
        let is_number = |value: &Value| matches!(value, Value::Int(term) if self.terms.constant(*term).is_some());
        if all.len() > MOST_TERMS as usize && !all.iter().all(is_number) {
            return None;
        }
        let (first, size) = (self.terms.int(start.into()), self.terms.int(size.into()));
        let offset = self.terms.sub(place.offset, first);
        // What is subscripted lies at whole elements.
        let index = self.terms.binary(Op::Div, offset, size);
        Some((start, all, index))
    }

    /// What is read from one of several elements.
    pub(super) fn chosen_element(
        &mut self,
        contents: &Contents,
        place: &LocalPlace,
        ty: Scalar,
    ) -> Option<Value> {
        if !(ty.is_integer() || ty == Scalar::Pointer) {
            return None;
        }
        let (_, all, index) = self.choice(contents, place, ty.size())?;
        let all: Vec<Value> = all.into_iter().map(|one| self.convert(one, ty)).collect();
        let number = |value: &Value| match value {
            Value::Int(term) => self.terms.constant(*term),
            _ => None,
        };
        if let Some(numbers) = all.iter().map(number).collect::<Option<Vec<i64>>>() {
            return Some(Value::Int(self.terms.table(index, numbers)));
        }
        let is_fit = |value: &Value| match value {
            Value::Int(_) => ty.is_integer(),
            Value::Pointer(_) => ty == Scalar::Pointer && value.is_known_pointer(),
            Value::Opaque(..) => false,
        };
        if !all.iter().all(is_fit) {
            return None;
        }
        let mut chosen: Option<Value> = None;
        for (at, value) in all.into_iter().enumerate().rev() {
            chosen = match chosen {
                None => Some(value),
                Some(other) => {
                    let at = self.terms.int(at as i64);
                    let is_it = self.terms.binary(Op::Eq, index, at);
                    self.merge(is_it, Some(value), Some(other))
                }
            };
        }
        chosen
    }

    /// Writes a number to one of several elements that hold numbers; false where that is not known.
    pub(super) fn write_chosen(
        &mut self,
        contents: &mut Contents,
        place: &LocalPlace,
        size: u32,
        value: &Value,
    ) -> bool {
        let Value::Int(new) = value else {
            return false;
        };
        let Some((start, all, index)) = self.choice(contents, place, size) else {
            return false;
        };
        let is_number = |value: &Value| matches!(value, Value::Int(_));
        if all.len() > MOST_TERMS as usize || !all.iter().all(is_number) {
            return false;
        }
        let last = all.len() - 1;
        let mut is_none_before = self.terms.int(1);
        for (at, old) in all.into_iter().enumerate() {
            let Value::Int(old) = old else { continue };
            // The last one is what is left, as where an element is read.
            let is_it = if at == last {
                is_none_before
            } else {
                let number = self.terms.int(at as i64);
                self.terms.binary(Op::Eq, index, number)
            };
            let is_other = self.terms.not(is_it);
            is_none_before = self.terms.binary(Op::LogicalAnd, is_none_before, is_other);
            let value = Value::Int(self.terms.select(is_it, *new, old));
            contents.write(&self.terms, start + at as u32 * size, size, value);
        }
        true
    }
}
