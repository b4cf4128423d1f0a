//! `misaligned-vector` (CL102): a vector access at an address that is no multiple of its width.

use super::Context;
use super::kernel_facts::{Attempt, KernelFacts, attempts};
use super::kernels::{KernelFinding, launch_note};
use crate::access::{Visit, Walk};
use crate::finding::{Evidence, Level};
use crate::gpu::WARP;
use crate::ir::{Scalar, Stmt, visit};
use crate::term::{Op, SymbolId, SymbolOrigin, Term, TermId, Terms, fold, gcd};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

pub fn judge(view: &KernelFacts, context: &Context) -> Vec<KernelFinding> {
    if !has_vectors(view) {
        return Vec::new();
    }
    let mut told = Vec::new();
    let mut seen = FxHashSet::default();
    for (walk, launch) in view.walks().iter().zip(&view.launches) {
        let mut divisors = FxHashMap::default();
        for visit in &walk.visits {
            let is_vector = matches!(visit.width, 8 | 16) && visit.rows == 0;
            let Some(offset) = visit.offset.filter(|_| is_vector && visit.reason.is_none()) else {
                continue;
            };
            if visit.target.is_open() || !seen.insert((visit.site, offset)) {
                continue;
            }
            let Some(found) = misaligned(view, walk, visit, offset, &mut divisors) else {
                continue;
            };
            let site = &view.kernel.sites[visit.site.index()];
            let is_proved = found.is_always && !view.kernel.is_open;
            let possibly = if is_proved { "" } else { "possibly " };
            let mut one = KernelFinding::at(
                site,
                format!(
                    "{possibly}misaligned {}-byte {} of `{}`: its address must be a multiple of {}",
                    visit.width,
                    visit.op.name(),
                    site.array,
                    visit.width
                ),
                format!(
                    "lane {} is {} bytes past a multiple of {}",
                    found.lane,
                    found.byte.rem_euclid(i64::from(visit.width)),
                    visit.width
                ),
            );
            if !is_proved {
                one.evidence = Evidence::Possible;
                // What a visible launch passes is worth a look; what any caller might, is not.
                let is_passed = of_launch(&walk.terms, offset);
                one.level = Some(if is_passed { Level::Info } else { Level::Allow });
            }
            let values = view.values(walk, offset, found.attempt);
            if !values.is_empty() {
                one.notes
                    .push(format!("witness: byte {} with {values}", found.byte).into());
            }
            one.notes.push(launch_note(launch, context));
            told.push(one);
        }
    }
    told
}

/// Whether the term depends on where a launch lets a parameter point.
fn of_launch(terms: &Terms, offset: TermId) -> bool {
    let mut symbols = Vec::new();
    terms.symbols_of(offset, &mut symbols);
    let mut origins = symbols.iter().map(|symbol| terms.symbol(*symbol).origin);
    origins.any(|origin| matches!(origin, SymbolOrigin::PointerOffset { .. }))
}

/// Whether the kernel moves more than a word at a time anywhere.
fn has_vectors(view: &KernelFacts) -> bool {
    let mut found = false;
    visit::statements(&view.kernel.body, &mut |stmt| {
        if let Stmt::Load { ty, .. } | Stmt::Store { ty, .. } = stmt {
            found |= ty.size() >= 8;
        }
    });
    found
}

struct Found {
    attempt: Attempt,
    lane: usize,
    byte: i64,
    /// The lane commonly takes part, and whatever the values of symbols are, its address leaves this
    /// residue.
    is_always: bool,
}

/// A lane whose address is no multiple of the width; values that everybody uses come first.
fn misaligned(
    view: &KernelFacts,
    walk: &Walk,
    visit: &Visit,
    offset: TermId,
    divisors: &mut Divisors,
) -> Option<Found> {
    let width = i64::from(visit.width);
    if divisor(&walk.terms, offset, divisors) % width == 0 || walk.terms.has_data(offset) {
        return None;
    }
    let conditions: Vec<TermId> = visit.guards.iter().chain(&visit.facts).copied().collect();
    if conditions.iter().any(|guard| walk.terms.has_data(*guard)) {
        return None;
    }
    let mut sampled = view.sampled(walk, &conditions, offset);
    let residues: [OnceCell<Option<i64>>; WARP] = std::array::from_fn(|_| OnceCell::new());
    let mut possible = None;
    for attempt in attempts() {
        let Some(lanes) = sampled(attempt) else {
            continue;
        };
        let active = lanes
            .iter()
            .enumerate()
            .filter_map(|(lane, byte)| Some((lane, (*byte)?)));
        for (lane, byte) in active.filter(|(_, byte)| byte.rem_euclid(width) != 0) {
            let residue = residues[lane].get_or_init(|| {
                let residue = Residues {
                    terms: &walk.terms,
                    lane: (walk.lane, lane as i64),
                    modulus: width,
                };
                residue.of(offset, divisors, &mut Known::default())
            });
            let found = Found {
                attempt,
                lane,
                byte,
                is_always: attempt.is_typical && *residue == Some(byte.rem_euclid(width)),
            };
            if found.is_always {
                return Some(found);
            }
            possible.get_or_insert(found);
        }
    }
    possible
}

/// Remainders of terms by a power of two, where one lane has one remainder whatever the other symbols are.
struct Residues<'t> {
    terms: &'t Terms,
    lane: (SymbolId, i64),
    modulus: i64,
}

/// Numbers of terms; `None` where there is no single one.
type Numbers = FxHashMap<TermId, Option<i64>>;

/// Results for terms in one lane, kept because terms share parts.
#[derive(Default)]
struct Known {
    residues: Numbers,
    values: Numbers,
}

impl Residues<'_> {
    fn of(&self, id: TermId, divisors: &mut Divisors, known: &mut Known) -> Option<i64> {
        if let Some(found) = known.residues.get(&id) {
            return *found;
        }
        let found = self.find(id, divisors, known);
        known.residues.insert(id, found);
        found
    }

    fn find(&self, id: TermId, divisors: &mut Divisors, known: &mut Known) -> Option<i64> {
        let (terms, modulus) = (self.terms, self.modulus);
        if let Some(value) = self.value(id, &mut known.values) {
            return Some(value.rem_euclid(modulus));
        }
        if divisor(terms, id, divisors) % modulus == 0 {
            return Some(0);
        }
        let mut of = |id: TermId| self.of(id, divisors, known);
        let residue = match terms.term(id) {
            Term::Binary(Op::Add, a, b) => of(*a)?.checked_add(of(*b)?)?,
            Term::Binary(Op::Sub, a, b) => of(*a)?.checked_sub(of(*b)?)?,
            Term::Binary(Op::Mul, a, b) => of(*a)?.checked_mul(of(*b)?)?,
            Term::Binary(Op::Shl, a, b) => match terms.constant(*b) {
                Some(by @ 0..=40) => of(*a)?.checked_mul(1 << by)?,
                _ => return None,
            },
            Term::Select(_, a, b) => of(*a).filter(|a| of(*b) == Some(*a))?,
            // A word has as many residues as a number where the modulus is a power of two.
            Term::Wrap(ty, a) if *ty != Scalar::Bool => of(*a)?,
            _ => return None,
        };
        Some(residue.rem_euclid(modulus))
    }

    /// The value of a term that nothing but the lane decides.
    fn value(&self, id: TermId, values: &mut Numbers) -> Option<i64> {
        if let Some(found) = values.get(&id) {
            return *found;
        }
        let mut of = |id: TermId| self.value(id, values);
        let found = match self.terms.term(id) {
            Term::Const(value) => Some(*value),
            Term::Symbol(symbol) => (*symbol == self.lane.0).then_some(self.lane.1),
            Term::Binary(op, a, b) => of(*a).zip(of(*b)).and_then(|(a, b)| fold(*op, a, b)),
            Term::Wrap(ty, a) => of(*a).map(|a| ty.wrap(a)),
            Term::Select(condition, a, b) => match of(*condition) {
                Some(0) => of(*b),
                Some(_) => of(*a),
                None => None,
            },
            Term::Not(_) | Term::Table(..) => None,
        };
        values.insert(id, found);
        found
    }
}

/// Known divisors of the terms of one walk. Terms share parts: each is looked at once.
type Divisors = FxHashMap<TermId, i64>;

/// A number that divides the term whatever its symbols are; 0 for a term that is 0.
fn divisor(terms: &Terms, id: TermId, known: &mut Divisors) -> i64 {
    if let Some(found) = known.get(&id) {
        return *found;
    }
    let mut of = |id: TermId| divisor(terms, id, known);
    let found = match terms.term(id) {
        Term::Const(value) => value.saturating_abs(),
        Term::Symbol(symbol) => terms.symbol(*symbol).multiple_of.max(1),
        Term::Binary(op, a, b) => {
            let (x, y) = (of(*a), of(*b));
            match op {
                Op::Add | Op::Sub | Op::Min | Op::Max | Op::Rem => gcd(x, y),
                Op::Mul => x.saturating_mul(y),
                Op::Shl => match terms.constant(*b) {
                    Some(by @ 0..=40) => x.saturating_mul(1 << by),
                    _ => x,
                },
                Op::And => power_of_two(x).max(power_of_two(y)),
                Op::Or | Op::Xor => gcd(power_of_two(x), power_of_two(y)),
                _ => 1,
            }
        }
        Term::Select(_, a, b) => gcd(of(*a), of(*b)),
        Term::Table(_, values) => values
            .iter()
            .fold(0, |all, one| gcd(all, one.saturating_abs())),
        Term::Wrap(_, a) => power_of_two(of(*a)),
        Term::Not(_) => 1,
    };
    known.insert(id, found);
    found
}

/// The largest power of two that divides `n`.
fn power_of_two(n: i64) -> i64 {
    if n == 0 {
        0
    } else {
        1 << n.trailing_zeros().min(40)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Domain, Sharing};

    #[test]
    fn divisors_follow_the_operators() {
        let mut terms = Terms::default();
        let n = terms.new_symbol("n", Sharing::Uniform, Domain::range(0, 100));
        let four = terms.int(4);
        let scaled = terms.mul(n, four);
        let six = terms.int(6);
        let sum = terms.add(scaled, six);
        let mask = terms.int(-8);
        let rounded = terms.binary(Op::And, n, mask);
        let known = &mut Divisors::default();
        let found = [scaled, sum, rounded].map(|term| divisor(&terms, term, known));
        assert_eq!(found, [4, 2, 8]);
    }

    #[test]
    fn shared_parts_are_looked_at_once() {
        let mut terms = Terms::default();
        let mut term = terms.new_symbol("n", Sharing::Uniform, Domain::range(0, 100));
        for step in 0..200 {
            let number = terms.int(step);
            let changed = terms.binary(Op::Xor, term, number);
            term = terms.binary(Op::And, term, changed);
        }
        assert_eq!(divisor(&terms, term, &mut Divisors::default()), 1);
    }
}
