//! Where variables start that the compiler places. It aligns one as its declaration says and puts the next one right
//! behind it, so a `float` array of device memory begins anywhere in a sector, and an array of bytes in shared memory
//! anywhere in a word. Allocations and whole words of banks begin at aligned places.

use super::Target;
use super::value::{Base, Pointer};
use super::walker::Walker;
use crate::ir::SharedId;
use crate::term::{Domain, Sharing, SymbolOrigin, Term, TermId};

/// What decides a cost repeats every so many bytes: a sector of global memory, a word of a bank.
pub(super) const SECTOR: u32 = 32;
const WORD: u32 = 4;

impl Walker<'_> {
    /// Where an access of so many bytes lies behind an aligned place. Its address is a multiple of its width.
    pub fn past_aligned_place(&mut self, pointer: &Pointer, target: &Target, width: u32) -> TermId {
        // What a study makes is no part of any visit.
        if self.study_depth > 0 {
            return pointer.offset;
        }
        let all = pointer.base.candidates().unwrap_or_default();
        let least = all.iter().filter_map(|base| self.placed_anywhere(base));
        let Some((align, unit)) = least.min() else {
            return pointer.offset;
        };
        let piece = align.max(width);
        if piece >= unit {
            return pointer.offset;
        }
        let start = self.start_of(&self.name_of(target), piece, unit);
        self.terms.add(start, pointer.offset)
    }

    /// The alignment of a variable that the compiler may put at each multiple of it, and what its costs repeat by.
    fn placed_anywhere(&self, base: &Base) -> Option<(u32, u32)> {
        match base {
            Base::Global(id) => {
                let global = self.program.globals.get(id.index())?;
                Some((global.align.max(1), SECTOR))
            }
            Base::Shared(id) => {
                let object = self.kernel.shared.get(id.index())?;
                // Of unknown size are those that begin behind all others, at a multiple of 16.
                let is_free = object.size.is_some() && self.has_odd_neighbours(*id);
                is_free.then_some((object.align.max(1), WORD))
            }
            _ => None,
        }
    }

    /// Whether another shared variable of the kernel ends inside a word.
    fn has_odd_neighbours(&self, id: SharedId) -> bool {
        let all = self.kernel.shared.iter().enumerate();
        let mut others = all.filter(|(at, _)| *at != id.index());
        others.any(|(_, one)| one.size.is_some_and(|size| size % u64::from(WORD) != 0))
    }

    fn start_of(&mut self, name: &str, piece: u32, unit: u32) -> TermId {
        let key = (name.into(), piece);
        if let Some(known) = self.starts.get(&key) {
            return *known;
        }
        let (bytes, last) = (i64::from(piece), i64::from(unit / piece) - 1);
        let text = match piece {
            1 => format!("start of {name}"),
            _ => format!("start of {name} / {piece} bytes"),
        };
        let origin = SymbolOrigin::Start { piece: bytes };
        let domain = Domain::range(0, last);
        let count = self
            .terms
            .new_symbol_of(origin, text, Sharing::Uniform, domain);
        if let Term::Symbol(symbol) = *self.terms.term(count) {
            self.terms.symbol_mut(symbol).variable = Some(name.into());
        }
        let bytes = self.terms.int(bytes);
        let start = self.terms.mul(count, bytes);
        self.starts.insert(key, start);
        start
    }
}
