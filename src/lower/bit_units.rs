//! What bit-fields of a local object begin with.
//!
//! A bit-field is set by reading the word that it lies in. Bits of it that nothing set have no value, so any will
//! do: they are 0 here, and the word is a number.

use super::context::Lower;
use super::values::Mem;
use crate::ir::{Scalar, Value};
use crate::sema::types::Type;
use crate::syntax::ast;

/// Words of one object; of more none is known.
const MOST_WORDS: usize = 64;

impl Lower<'_> {
    /// Clears the words of a new local's bit-fields.
    pub(super) fn clear_bit_fields(&mut self, object: &Mem) {
        let mut words = Vec::new();
        collect(&object.ty, 0, &mut words, 0);
        if words.len() > MOST_WORDS {
            return;
        }
        for (offset, scalar) in words {
            let pointer = self.arena.offset_const(object.pointer, offset);
            let zero = self.arena.int(0, Scalar::I32);
            let value = Value::Scalar(self.arena.cast(zero, scalar));
            let range = ast::Range::default();
            self.emit_store(object, pointer, value, scalar, object.path(), range);
        }
    }
}

fn collect(ty: &Type, start: u64, words: &mut Vec<(u64, Scalar)>, depth: u32) {
    if depth > 8 || words.len() > MOST_WORDS {
        return;
    }
    match ty {
        Type::Record(record) => {
            for (offset, base) in &record.bases {
                collect(
                    &Type::Record(base.clone()),
                    start + offset,
                    words,
                    depth + 1,
                );
            }
            for field in &record.fields {
                match (field.bits, field.ty.scalar()) {
                    (Some(_), Some(scalar)) => {
                        let unit = match scalar {
                            Scalar::Bool => Scalar::U8,
                            scalar => scalar,
                        };
                        let word = (start + field.offset, unit);
                        if !words.iter().any(|(at, _)| *at == word.0) {
                            words.push(word);
                        }
                    }
                    _ => collect(&field.ty, start + field.offset, words, depth + 1),
                }
            }
        }
        Type::Array(element, Some(count)) => {
            let mut own = Vec::new();
            collect(element, 0, &mut own, depth + 1);
            if own.is_empty() {
                return;
            }
            let size = element.size().unwrap_or(0);
            for at in 0..(*count).min(MOST_WORDS as u64 + 1) {
                let moved = own
                    .iter()
                    .map(|(offset, unit)| (start + at * size + offset, *unit));
                words.extend(moved);
            }
        }
        _ => {}
    }
}
