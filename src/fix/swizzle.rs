//! XOR swizzles: elements permuted inside of their row, which takes no memory.
//!
//! Given a shared array with conflicts, gives a swizzle under which every access of the array is
//! proved ideal: the one `(bits, base, shift)` with the fewest bits, or else one that lays each
//! higher bit over lower bits of its own, as found by descent over samples. No element leaves its
//! row. Each access takes a few more instructions: nothing is offered that leaves a conflict.

use super::banks::{MOST_SOURCES, Units};
use super::layout::{Exchange, MOST_EXCHANGES, Mapping, Until};
use super::subscripts::{self, Use};
use super::text::{array_declarator, code, is_used_conditionally};
use super::{Array, Proposed, Reproof, Reprove, Sampled, predicted};
use crate::finding::{Edit, Fix, Safety};
use crate::gpu::Arch;
use crate::gpu::cost;
use crate::ir::SharedObject;
use crate::prove::implication::Claims;
use crate::prove::verdict::Access;

/// Swizzles of one form proved; the others are known from samples to be worse.
const MOST_PROVED: usize = 3;
/// Most bits that are exchanged: 32 banks are 5 bits.
const MOST_BITS: u32 = 5;
/// Most exchanges of one swizzle: each takes about four instructions at every access, and more cost
/// more than most conflicts do.
const MOST_STEPS: usize = 2;
/// Passes of one descent.
const PASSES: usize = 4;
/// Banks, bytes of a word, and bytes after which banks repeat (CUDA C++ Programming Guide, compute
/// capability 5.x).
const BANKS: u64 = 32;
const WORD: u32 = 4;
const BANKS_BYTES: u32 = 128;

/// One swizzle, in bits of the index of an element.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Swizzle {
    exchanges: Vec<Exchange>,
}

/// Constraints on a swizzle, in bits of the index of an element.
struct Shape {
    /// Bytes of an element: a power of two.
    element: u32,
    /// Bits below the widest access stay.
    granule: u32,
    /// Bits of the place in a row, for arrays of rows.
    row: Option<u32>,
    /// Bits from here on stay, so that no element leaves its row or the array.
    end: u32,
    /// Bits of the largest index.
    top: u32,
}

impl Shape {
    fn of(array: Array) -> Option<Self> {
        let (_, _, object) = array.holders().next()?;
        let is_same = |other: &SharedObject| {
            (&other.dimensions, other.element) == (&object.dimensions, object.element)
        };
        if !array.holders().all(|(_, _, other)| is_same(other)) || !object.element.is_power_of_two()
        {
            return None;
        }
        let widest = array.accesses.iter().map(|access| access.width).max()?;
        let granule = (widest / object.element).max(1).ilog2();
        let is_flat = object.dimensions.len() == 1;
        let sizes = array.sizes()?;
        let element = u64::from(object.element);
        let columns = if is_flat {
            // Of several launches, each has to hold whole pieces.
            sizes.iter().fold(0, |all, size| all | (size / element))
        } else {
            *object.dimensions.last()?
        };
        let largest = sizes.iter().max()? / element;
        if columns < 2 || !is_flat && !columns.is_power_of_two() {
            return None;
        }
        let end = columns.trailing_zeros();
        Some(Self {
            element: object.element,
            granule,
            row: (!is_flat).then_some(end),
            end,
            top: (largest - 1).max(1).ilog2() + 1,
        })
    }

    /// Bits that choose a bank and may be changed.
    fn targets(&self) -> std::ops::Range<u32> {
        let banks = (BANKS_BYTES / self.element).max(1).ilog2();
        self.granule..banks.min(self.end)
    }

    /// Whether the request has a conflict whatever the pieces change places with. The n-th words of
    /// all pieces share the banks that hold n-th words: if they are too many for those, some bank
    /// gets too many of them.
    fn is_hopeless(&self, sample: &Sampled, arch: &Arch) -> bool {
        let request = &sample.request;
        if request.width > WORD || u32::from(arch.bank_bytes) != WORD {
            return false;
        }
        let piece = (u64::from(self.element) << self.granule) / u64::from(WORD);
        let piece = piece.clamp(1, BANKS);
        let mut words: Vec<u64> = request.addresses.iter().flatten().copied().collect();
        words.iter_mut().for_each(|word| *word /= u64::from(WORD));
        words.sort_unstable();
        words.dedup();
        let room = BANKS / piece * u64::from(cost::cost(request, arch).ideal);
        (0..piece)
            .any(|nth| words.iter().filter(|word| **word % piece == nth).count() as u64 > room)
    }

    /// `i ^ ((i >> 5 & 3) << 2)`; bits above a row are read from the row's own subscript.
    fn subscript(&self, swizzle: &Swizzle, one: &Use, array: Array) -> Option<Edit> {
        let inner = subscripts::operand(array.sources.text(one.inner))?;
        let mut text = inner.clone();
        for exchange in &swizzle.exchanges {
            let (from, by) = match self.row.filter(|row| exchange.shift >= *row) {
                None => (inner.clone(), exchange.shift),
                Some(row) => (
                    subscripts::operand(array.sources.text(one.outer?))?,
                    exchange.shift - row,
                ),
            };
            let high = if by == 0 {
                format!("{from} & {}", exchange.mask)
            } else {
                format!("{from} >> {by} & {}", exchange.mask)
            };
            text += &match exchange.factor {
                1 => format!(" ^ ({high})"),
                factor if factor.is_power_of_two() => {
                    format!(" ^ (({high}) << {})", factor.trailing_zeros())
                }
                factor => format!(" ^ (({high}) * {factor})"),
            };
        }
        Some(Edit {
            span: one.inner,
            replacement: text,
        })
    }

    /// One that reads the first bit above those that choose a bank.
    fn probe(&self) -> Option<Swizzle> {
        let targets = self.targets();
        let is_there = !targets.is_empty() && targets.end < self.top;
        is_there.then(|| Swizzle {
            exchanges: vec![Exchange {
                shift: targets.end,
                mask: 1,
                factor: 1 << self.granule,
            }],
        })
    }

    /// Swizzles of one term that leave no sampled conflict, the plainest first.
    fn plain(&self, is_ideal: &dyn Fn(&Swizzle) -> bool) -> Vec<Swizzle> {
        let mut found = Vec::new();
        for bits in 1..=MOST_BITS {
            for base in self.granule..=self.granule + 2 {
                if base + bits > self.end {
                    continue;
                }
                for shift in base + bits..self.top.max(base + bits) {
                    let one = Swizzle {
                        exchanges: vec![Exchange {
                            shift,
                            mask: (1 << bits) - 1,
                            factor: 1 << base,
                        }],
                    };
                    let crosses = self
                        .row
                        .is_some_and(|row| shift < row && shift + bits > row);
                    let leaves = self.row.is_none() && shift + bits > self.top;
                    if !crosses && !leaves && is_ideal(&one) {
                        found.push(one);
                    }
                }
            }
        }
        found
    }

    /// Swizzles that lay each higher bit over lower bits of its own, found by descent.
    fn mixed(&self, samples: &[Sampled], arch: &Arch) -> Vec<Swizzle> {
        let targets = self.targets();
        if targets.is_empty() {
            return Vec::new();
        }
        let sources: Vec<u32> = (targets.end..self.top).take(MOST_SOURCES).collect();
        let element = u64::from(self.element);
        let units = Units::of(samples, arch, element, element << self.granule, &sources);
        let swizzle = |columns: &[u64]| self.joined(&sources, columns);
        // Need not go beyond its limit.
        let excess = |columns: &[u64], limit: u64| {
            let Some(mapping) = swizzle(columns).mapping(self.element) else {
                return u64::MAX;
            };
            match &units {
                Some(units) => units.excess(columns, limit),
                None => predicted(samples, arch, limit, &|_| Some(mapping)),
            }
        };
        let width = targets.end - targets.start;
        let all = (1u64 << width) - 1;
        let starts: [&dyn Fn(u32) -> u64; 4] = [
            &|_| 0,
            &|at| 1 << (at % width),
            &|at| 1 << (width - 1 - at % width),
            &|_| all,
        ];
        let mut found: Vec<Swizzle> = Vec::new();
        for start in starts {
            let mut columns: Vec<u64> = (0..sources.len() as u32).map(start).collect();
            let mut left = excess(&columns, u64::MAX);
            for _ in 0..PASSES {
                let before = left;
                for at in 0..sources.len() {
                    let old = columns[at];
                    let (mut best, mut choice) = (left, old);
                    for value in 0..=all {
                        columns[at] = value;
                        let now = excess(&columns, best.saturating_add(1));
                        if now < best || now == best && value.count_ones() < choice.count_ones() {
                            (best, choice) = (now, value);
                        }
                    }
                    (left, columns[at]) = (best, choice);
                }
                if left == 0 || left == before {
                    break;
                }
            }
            let one = swizzle(&columns);
            let fits = (1..=MOST_EXCHANGES).contains(&one.exchanges.len());
            if left == 0 && fits && !found.contains(&one) {
                found.push(one);
            }
        }
        found.sort_by_key(|one| one.exchanges.len());
        found
    }

    /// Bits with what each is laid over; neighbours that are laid over neighbours are one term.
    fn joined(&self, sources: &[u32], columns: &[u64]) -> Swizzle {
        let mut exchanges: Vec<Exchange> = Vec::new();
        for (bit, column) in sources.iter().zip(columns).filter(|(_, one)| **one != 0) {
            let factor = column << self.granule;
            if let Some(last) = exchanges.last_mut() {
                let bits = last.mask.count_ones();
                let follows = last.shift + bits == *bit && self.row != Some(*bit);
                if follows && last.factor.is_power_of_two() && factor == last.factor << bits {
                    last.mask = last.mask << 1 | 1;
                    continue;
                }
            }
            exchanges.push(Exchange {
                shift: *bit,
                mask: 1,
                factor,
            });
        }
        Swizzle { exchanges }
    }
}

impl Swizzle {
    /// `None` where it has too many terms.
    fn mapping(&self, element: u32) -> Option<Mapping> {
        let scale = element.trailing_zeros();
        let mut all = [Exchange::default(); MOST_EXCHANGES];
        if self.exchanges.len() > MOST_EXCHANGES {
            return None;
        }
        for (to, one) in all.iter_mut().zip(&self.exchanges) {
            *to = Exchange {
                shift: one.shift + scale,
                mask: one.mask,
                factor: one.factor << scale,
            };
        }
        Some(Mapping::Swizzle(all))
    }

    /// `bits 2, base 1, shift 5`, or each bit with what it is laid over.
    fn name(&self) -> String {
        match self.exchanges.as_slice() {
            [one] if one.factor.is_power_of_two() => format!(
                "bits {}, base {}, shift {}",
                one.mask.count_ones(),
                one.factor.trailing_zeros(),
                one.shift
            ),
            all => {
                let terms: Vec<String> = all
                    .iter()
                    .map(|one| format!("(i >> {} & {}) * {}", one.shift, one.mask, one.factor))
                    .collect();
                format!("`i ^ {}`", terms.join(" ^ "))
            }
        }
    }
}

/// The proved swizzle of an array that leaves no conflict, if there is one.
pub(super) fn propose(
    array: Array,
    samples: &[Sampled],
    reprove: &dyn Reprove,
    claims: &mut Claims,
) -> Option<Proposed> {
    let (name, _) = array_declarator(array.sources.text(array.declaration))?;
    let file = array.sources.get(array.declaration.file).code(code);
    if is_used_conditionally(&file.text, array.declaration.start as usize, name) {
        // Subscripts in text that is not compiled here would stay as they are.
        return None;
    }
    let shape = Shape::of(array)?;
    let uses = subscripts::uses(array);
    if predicted(samples, array.arch, 1, &|_| Some(Mapping::UNMOVED)) == 0
        || !may_help(array, samples)
    {
        return None;
    }
    let excess = |one: &Swizzle, limit: u64| match one.mapping(shape.element) {
        Some(mapping) => predicted(samples, array.arch, limit, &|_| Some(mapping)),
        None => u64::MAX,
    };
    let plain = shape.plain(&|one| excess(one, 1) == 0);
    let found = first_proved(array, &shape, &uses, &plain, reprove, claims)?;
    if found.is_some() {
        return found;
    }
    if plain.is_empty() {
        // Whether any keeps the values: a search takes longer.
        let probe = shape.probe()?;
        let edits = edits(array, &shape, &uses, &probe)?;
        kept(array, &edits, &probe, reprove, claims)?;
    }
    let mixed = shape.mixed(samples, array.arch);
    first_proved(array, &shape, &uses, &mixed, reprove, claims)?
}

/// The first of several swizzles that is proved. `None` where one does not keep the values: the next
/// one hardly does, then.
fn first_proved(
    array: Array,
    shape: &Shape,
    uses: &[Use],
    all: &[Swizzle],
    reprove: &dyn Reprove,
    claims: &mut Claims,
) -> Option<Option<Proposed>> {
    let cheap = all.iter().filter(|one| one.exchanges.len() <= MOST_STEPS);
    for one in cheap.take(MOST_PROVED) {
        let Some(edits) = edits(array, shape, uses, one) else {
            continue;
        };
        let reproof = kept(array, &edits, one, reprove, claims)?;
        let found = proved(array, one, edits, reproof, reprove);
        if found.is_some() {
            return Some(found);
        }
    }
    Some(None)
}

/// Whether there may be a swizzle, as far as these samples tell.
pub(super) fn may_help(array: Array, samples: &[Sampled]) -> bool {
    let is_hopeless = |shape: Shape| samples.iter().any(|one| shape.is_hopeless(one, array.arch));
    array_declarator(array.sources.text(array.declaration)).is_some()
        && Shape::of(array).is_some_and(|shape| !is_hopeless(shape))
}

/// The edits of a swizzle; `None` where it cannot be written down.
fn edits(array: Array, shape: &Shape, uses: &[Use], one: &Swizzle) -> Option<Vec<Edit>> {
    let edits: Option<Vec<Edit>> = uses
        .iter()
        .map(|each| shape.subscript(one, each, array))
        .collect();
    let mut edits = edits?;
    edits.sort_by_key(|edit| edit.span);
    edits.dedup();
    let overlaps = edits.windows(2).any(|pair| {
        pair[0].span.file == pair[1].span.file && pair[1].span.start < pair[0].span.end
    });
    let is_written = !edits.is_empty() && !overlaps && array.is_edited_alone(&edits);
    is_written.then_some(edits)
}

/// The program after the edits of a swizzle, if every value stays.
fn kept(
    array: Array,
    edits: &[Edit],
    one: &Swizzle,
    reprove: &dyn Reprove,
    claims: &mut Claims,
) -> Option<Reproof> {
    let reproof = reprove.read(edits)?;
    let mapping = |old: &SharedObject, _: &SharedObject| one.mapping(old.element);
    let is_kept = array
        .keeps_values(&reproof, &mapping, claims, Until::FirstWrong)
        .is_ok();
    is_kept.then_some(reproof)
}

/// The fix, if the program after its edits has no conflict.
fn proved(
    array: Array,
    one: &Swizzle,
    edits: Vec<Edit>,
    mut reproof: Reproof,
    reprove: &dyn Reprove,
) -> Option<Proposed> {
    let is_cured = |reproof: &Reproof| {
        array.accesses_after(reproof).next().is_some()
            && array.accesses_after(reproof).all(Access::is_ideal)
            && array.is_cheaper(reproof)
            && array.keeps_each(reproof)
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
                "swizzle `{}` ({}) in {places} subscript{plural}: proved conflict-free, no more shared memory",
                array.accesses.first()?.site.array,
                one.name(),
            ),
            // Values stay, but each access takes a few more instructions.
            safety: Safety::Unsafe,
            is_whole: true,
            edits,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::cost::{Op, Request, Space};
    use crate::ir::Kernel;
    use crate::source::{FileId, Span};

    #[test]
    fn counting_units_is_counting_requests() {
        let arch = &Arch::DEFAULT;
        let kernel = &Kernel {
            name: String::new(),
            instance: String::new(),
            span: Span::new(FileId(0), 0, 0),
            parameters: Vec::new(),
            variables: Vec::new(),
            shared: Vec::new(),
            sites: Vec::new(),
            labels: 0,
            loops: 0,
            exprs: Vec::new(),
            body: Vec::new(),
            launches: Vec::new(),
            max_threads: None,
            is_open: false,
            touches_memory: true,
            gaps: Vec::new(),
            steps: 0,
            form: Default::default(),
        };
        let mut seed = 1_u64;
        let mut below = |bound: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % bound
        };
        for (element, granule) in [(4, 0), (4, 2), (8, 0), (1, 2), (2, 3), (16, 0)] {
            let shape = Shape {
                element,
                granule,
                row: None,
                end: 12,
                top: 12,
            };
            let bytes = u64::from(element) << granule;
            let samples: Vec<Sampled> = (0..40)
                .map(|number| {
                    let width = [4, 8, 16, 1, 2][below(5) as usize];
                    let width = u64::from(element).max(width).min(bytes);
                    let step = below(40);
                    Sampled {
                        kernel,
                        access: number / 3,
                        request: Request {
                            addresses: std::array::from_fn(|lane| {
                                let at = (lane as u64 * step + below(2) * 37) * width % 4096;
                                (below(9) > 0).then_some(at)
                            }),
                            width: width as u32,
                            space: Space::Shared,
                            op: [Op::Load, Op::Store, Op::Atomic][below(3) as usize],
                        },
                        loop_depth: number as u32 % 3,
                    }
                })
                .collect();
            let targets = shape.targets();
            let sources: Vec<u32> = (targets.end..shape.top).take(MOST_SOURCES).collect();
            let units = Units::of(&samples, arch, u64::from(element), bytes, &sources);
            let units = units.expect("whole units");
            let mut counted = 0;
            for _ in 0..100 {
                let width = targets.end - targets.start;
                let columns: Vec<u64> = sources
                    .iter()
                    .map(|_| below(2) * below(1 << width))
                    .collect();
                let Some(mapping) = shape.joined(&sources, &columns).mapping(element) else {
                    continue;
                };
                let slow = predicted(&samples, arch, u64::MAX, &|_| Some(mapping));
                assert_eq!(
                    units.excess(&columns, u64::MAX),
                    slow,
                    "{element} {columns:?}"
                );
                counted += 1;
            }
            assert!(counted > 20, "{counted}");
        }
    }
}
