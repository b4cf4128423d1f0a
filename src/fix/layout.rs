//! New places for the elements of one shared array, and the proof that nothing else changes.
//!
//! Given the program before and after an edit, proves that every access of the array moved as
//! the mapping says, that every other access stayed where it was, and that each takes place
//! under the same conditions. The mapping gives different places to different bytes, so what
//! is read is what was written, as before. Knows nothing of text or costs.

use super::stored;
use crate::access::sample::from_domain;
use crate::access::{Target, Visit, Walk, Walks};
use crate::gpu::cost::Space;
use crate::ir::{Expr, Kernel, Launch, Object, Program, SharedId, SiteId, Stmt, visit};
use crate::prove::implication::Claims;
use crate::prove::launches;
use crate::prove::smt::Answer;
use crate::term::compiled::Evaluation;
use crate::term::{Op, Sharing, SymbolId, Term, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Claims put to Z3 for one array.
const MOST_CLAIMS: usize = 160;
/// Values tried before a claim is put to Z3.
const SAMPLES: i64 = 96;
/// Widths of the ranges that they come from, in turn.
const SPANS: [i64; 3] = [1024, 8, 64];

/// Values that thread indices and counters of loops have, at most; parameters may have more.
const MOST_TOLD: i64 = 1 << 16;

/// Terms of one swizzle, at most.
pub const MOST_EXCHANGES: usize = 5;

/// One term of a swizzle, `(a >> shift & mask) * factor`: bits of the offset that are laid over lower ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exchange {
    pub shift: u32,
    /// Nothing is exchanged where it is 0.
    pub mask: u64,
    pub factor: u64,
}

impl Exchange {
    fn of(self, a: u64) -> u64 {
        (a >> self.shift & self.mask) * self.factor
    }
}

/// Where byte `a` of the array goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// Rows of `row` bytes lie `padding` bytes further apart: `a + a / row * padding`.
    Pad { row: u64, padding: u64 },
    /// `a ^ x ^ y …` for all exchanges, in bits of the byte offset. All bits that are read lie
    /// above all that are changed, so that they stay as they are.
    Swizzle([Exchange; MOST_EXCHANGES]),
}

impl Mapping {
    /// Every byte stays where it is.
    pub const UNMOVED: Self = Self::Pad { row: 1, padding: 0 };

    /// The place of byte `a`.
    #[must_use]
    pub fn apply(self, a: u64) -> u64 {
        match self {
            Self::Pad { row, padding } => a + a / row.max(1) * padding,
            Self::Swizzle(exchanges) => exchanges.iter().fold(a, |to, one| to ^ one.of(a)),
        }
    }

    /// The place of byte `a`, which is `element` times a whole number where it has that form:
    /// written as an edited subscript writes it, so that equal terms are one.
    fn term(self, terms: &mut Terms, a: TermId, element: u64) -> TermId {
        let factor = element as i64;
        let by_element = match *terms.term(a) {
            Term::Binary(Op::Mul, x, scale) if terms.constant(scale) == Some(factor) => Some(x),
            _ => None,
        };
        let scaled = by_element.and_then(|x| Some((x, self.scaled(element)?)));
        match scaled {
            Some((x, mapping)) if element > 1 => {
                let moved = mapping.plain_term(terms, x);
                let element = terms.int(factor);
                terms.mul(moved, element)
            }
            _ => self.plain_term(terms, a),
        }
    }

    /// The same in units of `element` bytes.
    fn scaled(self, element: u64) -> Option<Self> {
        match self {
            Self::Pad { row, padding } => (row.is_multiple_of(element)
                && padding.is_multiple_of(element))
            .then(|| Self::Pad {
                row: row / element,
                padding: padding / element,
            }),
            Self::Swizzle(mut exchanges) => {
                let bits = element.trailing_zeros();
                for one in exchanges.iter_mut().filter(|one| one.mask != 0) {
                    if !element.is_power_of_two() || !one.factor.is_multiple_of(element) {
                        return None;
                    }
                    one.shift = one.shift.checked_sub(bits)?;
                    one.factor /= element;
                }
                Some(Self::Swizzle(exchanges))
            }
        }
    }

    fn plain_term(self, terms: &mut Terms, a: TermId) -> TermId {
        match self {
            Self::Pad { row, padding } => {
                let (row, padding) = (terms.int(row as i64), terms.int(padding as i64));
                let rows = terms.binary(Op::Div, a, row);
                let moved = terms.mul(rows, padding);
                terms.add(a, moved)
            }
            Self::Swizzle(exchanges) => {
                let mut to = a;
                for one in exchanges.iter().filter(|one| one.mask != 0) {
                    let (by, mask) = (terms.int(i64::from(one.shift)), terms.int(one.mask as i64));
                    let high = terms.binary(Op::Shr, a, by);
                    let high = terms.binary(Op::And, high, mask);
                    let moved = if one.factor.is_power_of_two() {
                        let up = terms.int(i64::from(one.factor.trailing_zeros()));
                        terms.binary(Op::Shl, high, up)
                    } else {
                        let factor = terms.int(one.factor as i64);
                        terms.mul(high, factor)
                    };
                    to = terms.binary(Op::Xor, to, moved);
                }
                to
            }
        }
    }

    /// Bytes that stay together.
    fn piece(self) -> u64 {
        match self {
            Self::Pad { row, .. } => row,
            Self::Swizzle(exchanges) => exchanges
                .iter()
                .filter(|one| one.mask != 0)
                .map(|one| 1 << one.factor.trailing_zeros())
                .min()
                .unwrap_or(1),
        }
    }
}

/// The fate of the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Proved the same.
    Proved,
    /// These places do not follow the mapping, or are not proved to.
    Not {
        places: FxHashSet<SiteId>,
        /// One of them leaves it in every run: that it stays inside of its row is nothing to grant.
        is_refuted: bool,
    },
    /// Something else changed, or cannot be compared.
    Unclear,
}

/// How much is to be known where values are not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// That some place stands in the way.
    FirstWrong,
    /// All places that do.
    AllWrong,
}

/// One kernel before or after the edit.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    pub program: &'a Program,
    pub kernel: &'a Kernel,
    pub walks: &'a Walks,
}

impl Side<'_> {
    fn walk(&self, launch: &Launch) -> Arc<Walk> {
        self.walks.get(self.program, self.kernel, launch)
    }
}

/// Whether all accesses to `object` follow `mapping` and everything else is as it was.
pub fn keeps_values(
    before: Side,
    after: Side,
    object: SharedId,
    mapping: Mapping,
    claims: &mut Claims,
    until: Until,
) -> Kept {
    let Some(held) = before.kernel.shared.get(object.index()) else {
        return Kept::Unclear;
    };
    let element = u64::from(held.element.max(1));
    if escapes(&before.kernel.unfolded()) {
        return Kept::Unclear;
    }
    let mut wrong = FxHashSet::default();
    let mut is_refuted = false;
    for launch in launches(before.kernel) {
        let Some(size) = held.size.or(launch.dynamic_shared) else {
            return Kept::Unclear;
        };
        let (old, new) = (before.walk(&launch), after.walk(&launch));
        if !is_same_run(&old, &new) {
            return Kept::Unclear;
        }
        // Takes terms of the other.
        let mut old = Walk::clone(&old);
        let mut memo = FxHashMap::default();
        let visits = std::mem::take(&mut old.visits);
        let mut asked = FxHashSet::default();
        let mut claimed: Vec<(SiteId, Following)> = Vec::new();
        for (one, other) in visits.iter().zip(&new.visits) {
            let mut import = |id: TermId| import(&mut old.terms, &new.terms, id, &mut memo);
            let offset = other.offset.map(&mut import);
            let guards: Vec<TermId> = other.guards.iter().map(|guard| import(*guard)).collect();
            let is_same_place = (one.site, one.op, one.width, &one.target)
                == (other.site, other.op, other.width, &other.target);
            if !is_same_place || guards != one.guards {
                return Kept::Unclear;
            }
            if one.target != Target::Shared(object) {
                // An unknown place might be one in the array, and so might one in any of several arrays.
                let is_of_several =
                    one.space == Space::Shared && matches!(one.target, Target::Allocation(_));
                if one.offset != offset || one.target.is_open() || is_of_several {
                    return Kept::Unclear;
                }
                continue;
            }
            let (Some(a), Some(b), None) = (one.offset, offset, &one.reason) else {
                return Kept::Unclear;
            };
            if !asked.insert((a, b, one.width)) {
                continue;
            }
            if asked.len() > MOST_CLAIMS {
                return Kept::Unclear;
            }
            let following = Following::of(&mut old, one, (a, b), (size, element), mapping);
            claimed.push((one.site, following));
        }
        // What is plainly wrong need not be put to Z3.
        claimed.retain(|(site, following)| {
            let is_wrong = following.is_wrong_somewhere(&old.terms);
            if is_wrong {
                wrong.insert(*site);
                is_refuted |= is_told_shape(&launch) && following.is_told(&old.terms);
            }
            !is_wrong
        });
        for (site, following) in claimed {
            if until == Until::FirstWrong && !wrong.is_empty() {
                break;
            }
            if !following.is_proved(&mut old, claims) {
                wrong.insert(site);
            }
        }
    }
    if wrong.is_empty() {
        let (old, new) = (before.kernel.unfolded(), after.kernel.unfolded());
        if !stored::is_same(&old, &new, object) {
            return Kept::Unclear;
        }
        Kept::Proved
    } else {
        Kept::Not {
            places: wrong,
            is_refuted,
        }
    }
}

/// Whether host code tells the shape of every block: what an unknown one does is the user's to grant.
fn is_told_shape(launch: &Launch) -> bool {
    let mut all = launch.block.iter();
    all.all(|dimension| dimension.known().is_some())
}

/// That an access follows the mapping.
struct Following {
    /// The access is inside of the array.
    inside: [TermId; 2],
    guards: Vec<TermId>,
    facts: Vec<TermId>,
    /// Its new place is that of the mapping.
    same: TermId,
    /// It is not torn apart.
    whole: TermId,
    /// As pieces are whole elements, an access of one element is not torn.
    is_one_element: bool,
}

impl Following {
    /// `size` and `element` in bytes.
    fn of(
        walk: &mut Walk,
        visit: &Visit,
        (offset, moved): (TermId, TermId),
        (size, element): (u64, u64),
        mapping: Mapping,
    ) -> Self {
        let terms = &mut walk.terms;
        let width = u64::from(visit.width.max(1));
        let (zero, last) = (terms.int(0), terms.int(size.saturating_sub(width) as i64));
        let inside = [
            terms.binary(Op::Le, zero, offset),
            terms.binary(Op::Le, offset, last),
        ];
        let expected = mapping.term(terms, offset, element);
        let same = terms.binary(Op::Eq, moved, expected);
        let (piece, width) = (
            terms.int(mapping.piece() as i64),
            terms.int(mapping.piece().saturating_sub(width) as i64),
        );
        let at = terms.binary(Op::Rem, offset, piece);
        Self {
            inside,
            guards: visit.guards.clone(),
            facts: visit.facts.clone(),
            same,
            whole: terms.binary(Op::Le, at, width),
            is_one_element: u64::from(visit.width) <= element,
        }
    }

    /// Conditions that hold where the access happens.
    fn given(&self) -> impl Iterator<Item = TermId> {
        let conditions = self.inside.iter().chain(&self.guards);
        conditions.chain(&self.facts).copied()
    }

    /// Whether the launch and the text tell all that it depends on: no parameter and no data is among it.
    fn is_told(&self, terms: &Terms) -> bool {
        let mut symbols = Vec::new();
        for term in self.given().chain([self.same, self.whole]) {
            terms.symbols_of(term, &mut symbols);
        }
        symbols.iter().all(|symbol| {
            let symbol = terms.symbol(*symbol);
            let is_data = matches!(symbol.sharing, Sharing::Varying(_));
            !is_data && symbol.domain.high.saturating_sub(symbol.domain.low) < MOST_TOLD
        })
    }

    fn is_wrong_somewhere(&self, terms: &Terms) -> bool {
        let conditions: Vec<TermId> = self.given().collect();
        is_wrong_somewhere(terms, &conditions, &[self.same, self.whole])
    }

    fn is_proved(&self, walk: &mut Walk, claims: &mut Claims) -> bool {
        let all = [self.same, self.whole];
        let made = if self.is_one_element { &all[..1] } else { &all };
        let given: Vec<TermId> = self.given().collect();
        let lane = walk.lane;
        let terms = &mut walk.terms;
        let mut holds = |terms: &mut Terms, given: &[TermId], claim: TermId| {
            claims.hold(terms, lane, given, claim) == Answer::Proved
        };
        made.iter().all(|claim| {
            if given.len() == self.inside.len() {
                return holds(terms, &given, *claim);
            }
            // Under all conditions values were tried before.
            let is_likely = !is_wrong_somewhere(terms, &self.inside, &[*claim]);
            (is_likely && holds(terms, &self.inside, *claim)) || holds(terms, &given, *claim)
        })
    }
}

/// Whether one of the claims fails for some values at which all conditions hold: what is plainly
/// wrong need not be put to Z3.
pub(super) fn is_wrong_somewhere(terms: &Terms, conditions: &[TermId], claims: &[TermId]) -> bool {
    let roots = conditions.iter().chain(claims).copied();
    let mut evaluation = Evaluation::new(terms, roots);
    for condition in conditions {
        evaluation.require(*condition);
    }
    (0..SAMPLES).any(|sample| {
        let value = |symbol: SymbolId, _| {
            let mixed = (sample * 31 + i64::from(symbol.0) * 17).wrapping_mul(0x9E37_79B9) >> 7;
            // Small values are more often inside of arrays.
            let span = SPANS[sample as usize % SPANS.len()];
            Some(from_domain(&terms.symbol(symbol).domain, mixed, span))
        };
        if !evaluation.run(value) {
            return false;
        }
        let active = evaluation.active(conditions);
        claims.iter().any(|claim| {
            let (holds, defined) = evaluation.holds(*claim);
            active & defined & !holds != 0
        })
    })
}

/// Whether both walks went the same way and mean the same by their symbols.
fn is_same_run(old: &Walk, new: &Walk) -> bool {
    old.visits.len() == new.visits.len() && means_the_same(old, new)
}

/// Whether both walks came to their ends and mean the same by their symbols.
pub(super) fn means_the_same(old: &Walk, new: &Walk) -> bool {
    let symbol = |terms: &Terms, at: usize| {
        let symbol = terms.symbol(SymbolId(at as u32));
        let is_data = matches!(symbol.sharing, Sharing::Varying(_));
        (symbol.name.clone(), symbol.domain.clone(), is_data)
    };
    old.incomplete.is_none()
        && new.incomplete.is_none()
        && old.lane == new.lane
        && old.course == new.course
        && old.terms.symbol_count() == new.terms.symbol_count()
        && (0..old.terms.symbol_count()).all(|at| symbol(&old.terms, at) == symbol(&new.terms, at))
}

/// The term of another walk, whose symbols have the same numbers.
pub(super) fn import(
    to: &mut Terms,
    from: &Terms,
    id: TermId,
    memo: &mut FxHashMap<TermId, TermId>,
) -> TermId {
    if let Some(done) = memo.get(&id) {
        return *done;
    }
    let new = match from.term(id).clone() {
        Term::Const(value) => to.int(value),
        Term::Symbol(symbol) => to.symbol_term(symbol),
        Term::Binary(op, a, b) => {
            let (a, b) = (import(to, from, a, memo), import(to, from, b, memo));
            to.binary(op, a, b)
        }
        Term::Not(a) => {
            let a = import(to, from, a, memo);
            to.not(a)
        }
        Term::Select(c, a, b) => {
            let c = import(to, from, c, memo);
            let (a, b) = (import(to, from, a, memo), import(to, from, b, memo));
            to.select(c, a, b)
        }
        Term::Wrap(ty, a) => {
            let a = import(to, from, a, memo);
            to.wrap(ty, a)
        }
        Term::Table(index, values) => {
            let index = import(to, from, index, memo);
            to.table(index, values)
        }
    };
    memo.insert(id, new);
    new
}

/// Whether code that is not modelled may see an address of shared memory.
fn escapes(kernel: &Kernel) -> bool {
    if !kernel.gaps.is_empty() {
        return true;
    }
    let mut is_seen = false;
    visit::statements(&kernel.body, &mut |stmt| {
        if let Stmt::Opaque { pointers, .. } = stmt {
            is_seen |= pointers
                .iter()
                .any(|id| may_be_shared(kernel, kernel.expr(*id)));
        }
    });
    is_seen
}

fn may_be_shared(kernel: &Kernel, expr: &Expr) -> bool {
    match expr {
        Expr::Address(Object::Local(_) | Object::Global(_)) => false,
        Expr::Offset { pointer, .. } => may_be_shared(kernel, kernel.expr(*pointer)),
        _ => true,
    }
}
