//! The search among paddings: which rows, and how much further apart.
//!
//! Given the ways in which the text lets rows lie further apart, gives candidates, best first, each
//! with the program after its edits: all values stay, and fewer conflicts are left. Samples tell
//! which are worth reading again. Knows nothing of how a padding is written or told.

use super::{Declaration, Rows, edits, is_always_subscripted, padded};
use crate::finding::Edit;
use crate::fix::layout::{Mapping, Until};
use crate::fix::subscripts::Use;
use crate::fix::text::{code, reach};
use crate::fix::{Array, Reproof, Reprove, Sampled, excess, predicted, sized};
use crate::ir::{Kernel, SharedObject};
use crate::prove::implication::Claims;
use crate::source::Span;

/// Paddings tried, in units of the widest access.
const PADDINGS: [u64; 7] = [1, 2, 3, 4, 8, 16, 32];
/// Most elements of padding.
const MOST: u64 = 32;
/// Paddings judged; the others are known from samples to be worse.
const MOST_TRIED: usize = 4;
/// More instructions for each access, where subscripts are moved on as a whole, are worth a whole
/// cure only: less than this may be left.
const MOST_OF_WHOLE: u64 = 1;

/// One padding, with the program after it.
pub(super) struct Candidate {
    pub edits: Vec<Edit>,
    pub reproof: Reproof,
    /// Weighted wavefronts beyond the ideal.
    pub left: u64,
    /// In elements.
    pub padding: u64,
    pub rows: Rows,
    /// Whether a subscript was rewritten as a whole.
    pub has_arithmetic: bool,
    /// Whether keeping all values is proved, not only granted by the rules of subscripts.
    pub is_proved: bool,
}

/// One way of padding that keeps all values, with what each padding may leave.
struct Way {
    rows: Rows,
    /// Subscripts that are moved on as a whole.
    whole: Vec<Span>,
    is_proved: bool,
    /// Excess that samples predict, and the padding in elements.
    hopes: Vec<(u64, u64)>,
    /// The padding by which all this was found out, and the program after it until it is used.
    probed: u64,
    probe: Option<Reproof>,
}

impl Way {
    /// What it has to leave less than, where `usual` is that of ways which move no subscript as a whole.
    fn most(&self, usual: u64) -> u64 {
        if self.whole.is_empty() {
            usual
        } else {
            MOST_OF_WHOLE
        }
    }
}

/// State of the search for paddings of one array.
pub(super) struct Search<'s> {
    array: Array<'s>,
    samples: &'s [Sampled<'s>],
    declaration: &'s Declaration<'s>,
    uses: &'s [Use],
    /// Predicted cost without a padding.
    now: u64,
    reprove: &'s dyn Reprove,
    claims: &'s mut Claims,
}

impl<'s> Search<'s> {
    pub fn new(
        array: Array<'s>,
        samples: &'s [Sampled<'s>],
        declaration: &'s Declaration<'s>,
        uses: &'s [Use],
        reprove: &'s dyn Reprove,
        claims: &'s mut Claims,
    ) -> Self {
        Self {
            array,
            samples,
            declaration,
            uses,
            now: predicted(samples, array.arch, u64::MAX, &|_| Some(Mapping::UNMOVED)),
            reprove,
            claims,
        }
    }

    /// Paddings that leave less than `before`, the best first; none is looked for beyond one that
    /// leaves nothing.
    pub fn candidates(&mut self, ways: Vec<Rows>, before: u64) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = Vec::new();
        let mut later: Vec<(u64, usize, u64)> = Vec::new();
        let mut read: Vec<Way> = Vec::new();
        let mut tries = MOST_TRIED;
        let mut is_cured = false;
        for rows in ways {
            if is_cured {
                break;
            }
            let Some(way) = self.way(rows) else {
                continue;
            };
            let most = way.most(self.now);
            let mut hopes = way.hopes.clone();
            hopes.retain(|(left, _)| *left < most);
            hopes.sort_unstable();
            let at = read.len();
            read.push(way);
            // Other ways are read if this one cures nothing.
            for (left, padding) in hopes {
                if left > 0 {
                    later.push((left, at, padding));
                } else if !is_cured {
                    is_cured = self.cures(&mut read[at], padding, before, &mut tries, &mut found);
                }
            }
        }
        later.sort_unstable();
        for (_, at, padding) in later {
            if !is_cured {
                is_cured = self.cures(&mut read[at], padding, before, &mut tries, &mut found);
            }
        }
        found.sort_by_key(|one| one.left);
        found
    }

    /// Tries one padding, if it may; whether it leaves nothing.
    fn cures(
        &mut self,
        way: &mut Way,
        padding: u64,
        before: u64,
        tries: &mut usize,
        found: &mut Vec<Candidate>,
    ) -> bool {
        if *tries == 0 {
            return false;
        }
        *tries -= 1;
        let most = way.most(before);
        let candidate = self.candidate(way, padding);
        let better = candidate.filter(|one| one.left < most);
        let cures = better.as_ref().is_some_and(|one| one.left == 0);
        found.extend(better);
        cures
    }

    /// `None` where no padding helps, or values would not be kept.
    fn way(&mut self, rows: Rows) -> Option<Way> {
        let Self {
            array,
            samples,
            declaration,
            uses,
            now,
            reprove,
            ..
        } = *self;
        // Which subscripts have to be moved on as a whole shows at any padding.
        let mut whole: Vec<Span> = Vec::new();
        if rows == Rows::Banks {
            whole = uses.iter().map(|one| one.site).collect();
        }
        let is_hopeless = |hopes: &[(u64, u64)]| hopes.iter().all(|(left, _)| *left >= now);
        // Mostly known before anything is read again.
        let by_text = hopes(array, samples, declaration, &|kernel, before| {
            declaration.row(&rows, &sized(kernel, before)?)
        });
        if by_text.as_deref().is_some_and(is_hopeless) {
            return None;
        }
        // The one that is tried first. Rows that are declared have to keep values at the least one: then
        // the others are asked one by one.
        let best = by_text.iter().flatten().min();
        let best = best.filter(|_| rows != Rows::Declared);
        let probed = best.map_or(declaration.step, |(_, padding)| *padding);
        let first = edits(array, declaration, uses, &rows, probed, &whole)?;
        let mut probe = reprove.read(&first)?;
        let by_reading = || {
            hopes(array, samples, declaration, &|kernel, before| {
                let (new_holder, _, after) = array.holder_after(&probe, kernel)?;
                let (before, after) = (sized(kernel, before)?, sized(new_holder, after)?);
                declaration.row_after(&rows, probed, &before, &after)
            })
        };
        let hopes = by_text.or_else(by_reading)?;
        if is_hopeless(&hopes) {
            return None;
        }
        let mapping = |before: &SharedObject, after: &SharedObject| {
            declaration.mapping(&rows, probed, before, after)
        };
        let mut is_proved = true;
        while let Err(wrong) = array.keeps_values(&probe, &mapping, self.claims, Until::AllWrong) {
            let is_worth_more = hopes.iter().any(|(left, _)| *left < MOST_OF_WHOLE);
            let may_move = rows != Rows::Declared && whole.is_empty() && is_worth_more;
            if may_move && can_move(&wrong.places, uses) {
                whole = wrong.places;
                let next = edits(array, declaration, uses, &rows, probed, &whole)?;
                probe = reprove.read(&next)?;
                continue;
            }
            let Declaration {
                name, dimensions, ..
            } = declaration;
            let code = array.sources.get(array.declaration.file).code(code);
            let look = |text: &str| is_always_subscripted(text, name, *dimensions);
            let of_function = || look(&reach(&code.text, array.declaration.start as usize));
            if rows != Rows::Declared
                || wrong.is_refuted
                || !(code.is_subscripted(name, *dimensions, look) || of_function())
            {
                return None;
            }
            is_proved = false;
            break;
        }
        Some(Way {
            rows,
            whole,
            is_proved,
            hopes,
            probed,
            probe: Some(probe),
        })
    }

    fn candidate(&mut self, way: &mut Way, padding: u64) -> Option<Candidate> {
        let Self {
            array,
            declaration,
            uses,
            reprove,
            ..
        } = *self;
        let edits = edits(array, declaration, uses, &way.rows, padding, &way.whole)?;
        let probe = way.probe.take_if(|_| padding == way.probed);
        let is_new = probe.is_none();
        let mut reproof = probe.or_else(|| reprove.read(&edits))?;
        let mapping = |before: &SharedObject, after: &SharedObject| {
            declaration.mapping(&way.rows, padding, before, after)
        };
        if way.is_proved
            && is_new
            && array
                .keeps_values(&reproof, &mapping, self.claims, Until::FirstWrong)
                .is_err()
        {
            return None;
        }
        reprove.judge(&mut reproof, false);
        array.accesses_after(&reproof).next()?;
        if !array.is_cheaper(&reproof) {
            return None;
        }
        let left = excess(array.accesses_after(&reproof));
        Some(Candidate {
            edits,
            reproof,
            left,
            padding,
            rows: way.rows.clone(),
            has_arithmetic: !way.whole.is_empty(),
            is_proved: way.is_proved,
        })
    }
}

/// What each padding leaves as far as samples tell, and the padding, in elements; `row` gives the
/// elements of a row. `None` where it gives none.
fn hopes(
    array: Array,
    samples: &[Sampled],
    declaration: &Declaration,
    row: &dyn Fn(&Kernel, &SharedObject) -> Option<u64>,
) -> Option<Vec<(u64, u64)>> {
    let rows: Vec<(&Kernel, &SharedObject, u64)> = array
        .holders()
        .map(|(kernel, _, object)| Some((kernel, object, row(kernel, object)?)))
        .collect::<Option<_>>()?;
    let left = |padding: u64| {
        predicted(samples, array.arch, u64::MAX, &|kernel| {
            let mut all = rows.iter();
            let (_, object, row) = all.find(|(holder, ..)| std::ptr::eq(*holder, kernel))?;
            Some(padded(*row, padding, object))
        })
    };
    let step = declaration.step;
    Some(
        PADDINGS
            .iter()
            .map(|n| n * step)
            .filter(|n| *n <= MOST.max(step))
            .map(|n| (left(n), n))
            .collect(),
    )
}

fn can_move(wrong: &[Span], uses: &[Use]) -> bool {
    !wrong.is_empty()
        && wrong
            .iter()
            .all(|site| uses.iter().any(|one| one.site == *site))
}
