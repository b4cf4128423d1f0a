//! XOR swizzles: elements permuted inside of their row, which takes no memory.
//!
//! Given a shared array with conflicts, gives the swizzle `(bits, base, shift)` with the fewest
//! bits under which every access of the array is proved ideal. Only for rows of a power of two,
//! so that no element leaves its row. Each access takes a few more instructions: nothing is
//! offered that leaves a conflict.

use super::layout::Mapping;
use super::subscripts::{self, Use};
use super::text::array_declarator;
use super::{Array, Proposed, Reproof, Reprove, Sampled, predicted};
use crate::finding::{Edit, Fix, Safety};
use crate::ir::SharedObject;
use crate::prove::implication::Claims;

/// Swizzles proved; the others are known from samples to be worse.
const MOST_PROVED: usize = 3;
const UNMOVED: Mapping = Mapping::Pad { row: 1, padding: 0 };
/// Most bits that are exchanged: 32 banks are 5 bits.
const MOST_BITS: u32 = 5;

/// One swizzle, in bits of the index of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Swizzle {
    bits: u32,
    base: u32,
    shift: u32,
}

impl Swizzle {
    fn mask(self) -> u64 {
        (1 << self.bits) - 1
    }

    fn mapping(self, element: u32) -> Mapping {
        let scale = element.trailing_zeros();
        Mapping::Swizzle {
            base: self.base + scale,
            mask: self.mask(),
            shift: self.shift + scale,
        }
    }

    /// `i ^ ((i >> 5 & 3) << 2)`; for rows of a power of two the row itself is read.
    fn subscript(self, one: &Use, columns: Option<u32>, array: Array) -> Option<Edit> {
        let inner = subscripts::operand(array.sources.text(one.inner))?;
        let (from, by) = match columns {
            None => (inner.clone(), self.shift),
            Some(columns) => (
                subscripts::operand(array.sources.text(one.outer?))?,
                self.shift.checked_sub(columns)?,
            ),
        };
        let high = if by == 0 {
            format!("{from} & {}", self.mask())
        } else {
            format!("{from} >> {by} & {}", self.mask())
        };
        let moved = if self.base == 0 {
            format!("({high})")
        } else {
            format!("(({high}) << {})", self.base)
        };
        Some(Edit {
            span: one.inner,
            replacement: format!("{inner} ^ {moved}"),
        })
    }
}

/// The proved swizzle of an array that leaves no conflict, if there is one.
pub(super) fn propose(
    array: Array,
    samples: &[Sampled],
    reprove: &dyn Reprove,
    claims: &mut Claims,
) -> Option<Proposed> {
    array_declarator(array.sources.text(array.declaration))?;
    let (_, _, object) = array.holders().next()?;
    let is_same = |other: &SharedObject| {
        (&other.dimensions, other.element) == (&object.dimensions, object.element)
    };
    let columns = *object.dimensions.last()?;
    let elements: u64 = object.dimensions.iter().product();
    if !array.holders().all(|(_, _, other)| is_same(other))
        || object.size.is_none()
        || !object.element.is_power_of_two()
        || !columns.is_power_of_two()
        || columns < 2
    {
        return None;
    }
    let widest = array.accesses.iter().map(|access| access.width).max()?;
    let granule = (widest / object.element.max(1)).max(1).ilog2();
    let is_flat = object.dimensions.len() == 1;
    let uses = subscripts::uses(array.accesses, array.sources);
    let row = columns.ilog2();

    let now = predicted(samples, array.arch, &|_| Some(UNMOVED));
    let mut swizzles: Vec<(u64, Swizzle)> = Vec::new();
    // Bits that choose a bank, exchanged with bits above them.
    let top = elements.max(2).ilog2();
    for bits in 1..=MOST_BITS {
        for base in granule..=granule + 2 {
            let least = if is_flat { base + bits } else { row };
            for shift in least..top.max(least) {
                let one = Swizzle { bits, base, shift };
                // No element may leave its row, or the array.
                let end = if is_flat { top } else { row };
                if base + bits > end || is_flat && shift + bits > top {
                    continue;
                }
                let mapping = one.mapping(object.element);
                let hoped = predicted(samples, array.arch, &|_| Some(mapping));
                if hoped == 0 && now > 0 {
                    swizzles.push((hoped, one));
                }
            }
        }
    }
    swizzles.sort_unstable();

    swizzles.into_iter().take(MOST_PROVED).find_map(|(_, one)| {
        let by_row = (!is_flat).then_some(row);
        let edits: Option<Vec<Edit>> = uses
            .iter()
            .map(|each| one.subscript(each, by_row, array))
            .collect();
        let mut edits = edits?;
        edits.sort_by_key(|edit| edit.span);
        edits.dedup();
        let overlaps = edits.windows(2).any(|pair| {
            pair[0].span.file == pair[1].span.file && pair[1].span.start < pair[0].span.end
        });
        if edits.is_empty() || overlaps || !array.is_edited_alone(&edits) {
            return None;
        }
        let mut reproof = reprove.read(&edits)?;
        let mapping = |old: &SharedObject, _: &SharedObject| Some(one.mapping(old.element));
        if array.keeps_values(&reproof, &mapping, claims).is_err() {
            return None;
        }
        let is_cured = |reproof: &Reproof| {
            array.accesses_after(reproof).next().is_some()
                && array
                    .accesses_after(reproof)
                    .all(|access| access.verdict.is_ideal())
        };
        reprove.judge(&mut reproof, false);
        if !is_cured(&reproof) {
            return None;
        }
        reprove.judge(&mut reproof, true);
        if !is_cured(&reproof) {
            return None;
        }
        let places = edits.len();
        let plural = if places == 1 { "" } else { "s" };
        Some(Proposed {
            left: 0,
            fits: true,
            fix: Fix {
                title: format!(
                    "swizzle `{}` (bits {}, base {}, shift {}) in {places} subscript{plural}: proved conflict-free, no more shared memory",
                    array.accesses.first()?.site.array,
                    one.bits,
                    one.base,
                    one.shift,
                ),
                // Values stay, but each access takes a few more instructions.
                safety: Safety::Unsafe,
                edits,
            },
        })
    })
}
