//! The vectors that the compiler makes of elements that lie side by side.
//!
//! Given elements of one kind in order of place, gives the access that takes the first of them, and which others it takes.

use super::group::Group;
use super::{Element, Merger, WIDEST, WORD};
use crate::access::Target;
use crate::gpu::cost::Op;
use crate::term::compiled::Lanes;

/// One access of the machine: its first byte past the leader, its bytes, and the elements that it takes.
pub(super) struct Wide {
    pub start: i64,
    pub size: i64,
    pub taken: Vec<usize>,
}

/// Elements that the compiler looks at together, and the bytes of the vector that would take them all.
struct Chain {
    taken: Vec<usize>,
    whole: i64,
    /// Behind the last of them.
    end: i64,
}

impl Group<'_> {
    /// The access that takes the first of these elements: it alone, or the next ones along; and the end of what the
    /// compiler looked at together. Before `closed` it has looked already, and fills no gap again.
    pub(super) fn widest(
        &self,
        elements: &[Element],
        bases: &[(Lanes, u32)],
        width: i64,
        closed: i64,
    ) -> (Wide, i64) {
        let first = elements[0].place;
        let mut widest = Wide {
            start: first,
            size: width,
            taken: vec![0],
        };
        if let Some(wide) = self.last_three(elements, bases, width) {
            return (wide, closed);
        }
        let may_fill = first >= closed;
        let mut end = closed;
        for merger in [Merger::Nvvm, Merger::Ptxas] {
            let knows = |elements: &[Element], size: i64| {
                let mergers = self.mergers(elements, bases, first, size);
                mergers.contains(&merger)
            };
            // What isn't aligned to two of them is aligned to no more.
            if !knows(&elements[..1], 2 * width) && !knows(elements, 2 * width) {
                continue;
            }
            let chain = self.chain(elements, width, merger, may_fill);
            if chain.taken.len() > 1 {
                end = end.max(chain.end);
            }
            let mut size = chain.whole.min(WIDEST);
            while size > widest.size {
                let taken = chain.taken.iter().copied();
                let taken = taken.filter(|at| elements[*at].place + width <= first + size);
                let taken: Vec<usize> = taken.collect();
                let inside: Vec<Element> = taken.iter().map(|at| elements[*at]).collect();
                let is_whole = inside.len() as i64 * width == size;
                let is_taken = inside.len() > 1
                    && (is_whole
                        || may_fill && self.is_filled(&inside, (first, size), width, merger));
                if is_taken && knows(&inside, size) {
                    widest = Wide {
                        start: first,
                        size,
                        taken,
                    };
                }
                size /= 2;
            }
        }
        (widest, end)
    }

    /// The elements that the compiler looks at together, from the first one on. Of loads it fills gaps, as long as
    /// the vector of four, or of more, is no longer for it (LLVM's LoadStoreVectorizer, seen in the SASS of CUDA
    /// 13.0 for sm_90). What something else disturbs is not there for it.
    fn chain(&self, elements: &[Element], width: i64, merger: Merger, may_fill: bool) -> Chain {
        let visit = self.segment.members[elements[0].member].visit;
        let mut taken = vec![0];
        let mut together = vec![elements[0]];
        let mut count: i64 = 1;
        let mut end = elements[0].place + width;
        for (at, element) in elements.iter().enumerate().skip(1) {
            let gap = element.place - end;
            if count * width >= WIDEST || gap % width != 0 {
                break;
            }
            let missing = gap / width;
            let whole = u64::try_from(count)
                .map_or(0, u64::next_power_of_two)
                .max(4);
            let is_filled = may_fill && visit.op == Op::Load && count + missing < whole as i64;
            if missing < 0 || missing > 0 && !is_filled {
                break;
            }
            together.push(*element);
            if !self.is_undisturbed(&together, merger) {
                together.pop();
                continue;
            }
            taken.push(at);
            count += missing + 1;
            end = element.place + width;
        }
        let whole = u64::try_from(count).map_or(1, u64::next_power_of_two) as i64;
        Chain {
            taken,
            whole: whole * width,
            end,
        }
    }

    /// Whether these elements, which are not all that it takes, are loaded in one access of `size` bytes. Loads leave some of four or more unused: ptxas
    /// splits those of words of which half is. Shared memory can be read everywhere, other memory within an object.
    fn is_filled(
        &self,
        inside: &[Element],
        (start, size): (i64, i64),
        width: i64,
        merger: Merger,
    ) -> bool {
        let visit = self.segment.members[inside[0].member].visit;
        let is_last = inside
            .last()
            .is_some_and(|last| last.place + width == start + size);
        let is_typed = self.whole_align(visit) >= size;
        let is_readable = is_typed || is_last || matches!(visit.target, Target::Shared(_));
        let is_enough = match merger {
            Merger::Nvvm => width < WORD || inside.len() > 2,
            Merger::Ptxas => inside.len() == 3 && size == 4 * width && width > 1,
        };
        visit.op == Op::Load && width <= WORD && size >= 4 * width && is_readable && is_enough
    }

    /// The load of four words of shared memory of which the first is not used: ptxas loads it along (seen in the SASS
    /// of CUDA 13.0 for sm_90; of halves, and of other memory, it doesn't).
    fn last_three(&self, elements: &[Element], bases: &[(Lanes, u32)], width: i64) -> Option<Wide> {
        let three = elements.get(..3)?;
        let visit = self.segment.members[three[0].member].visit;
        let is_shared = matches!(visit.target, Target::Shared(_));
        let start = three[0].place - width;
        let mut in_turn = three.iter().zip(1..);
        let is_run = in_turn.all(|(one, nth)| one.place == start + nth * width);
        if !is_shared || !is_run || visit.op != Op::Load || width != WORD {
            return None;
        }
        let size = 4 * width;
        let mut mergers = self.mergers(three, bases, start, size).into_iter();
        let is_merged = mergers.any(|merger| self.is_undisturbed(three, merger));
        is_merged.then(|| Wide {
            start,
            size,
            taken: vec![0, 1, 2],
        })
    }
}
