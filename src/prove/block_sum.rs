//! Exact sums: what all requests of an access come to in one block.
//!
//! Given a visit with its course and its verdict, goes through every warp of the block and every
//! iteration of the loops around it and adds up what the requests cost in which a lane is left.
//! Symbols that no part of the course is, such as block indices and parameters, must not matter:
//! they may move all lanes alike, by distances that no cost tells. Gives the sum or nothing, never
//! an estimate. Knows nothing of Z3 or of how a verdict came about.

use super::canonical::{Canonical, canonical};
use super::claim::{self, Hash};
use super::decide::Decision;
use super::explore::Problem;
use super::normalise::{Evaluator, Forms};
use super::poly::{Coefficient, LANES, Monomial};
use super::residue_cost;
use super::verdict::Status;
use crate::access::assumption::Assumption;
use crate::access::{Atomic, Schedule, Visit, Walk};
use crate::gpu::Total;
use crate::gpu::arch::Arch;
use crate::gpu::cost::Cost;
use crate::term::compiled::Evaluation;
use crate::term::gcd;
use crate::term::{SymbolId, Term, TermId, Terms};

/// Terms that are evaluated for one sum at most.
const MAX_WORK: u64 = 1_000_000;
/// Requests up to which nothing is gained by looking for loops that change no cost.
const FEW: u64 = 64;
/// Bytes after which every cost repeats, on every architecture: two rows of 32 banks of 4 bytes, or
/// one of 8.
const ALWAYS: i64 = 256;

/// A sum still to be made: everything that it depends on.
pub(super) struct Sum {
    /// The address, with the course's conditions as guards.
    problem: Problem,
    levels: Vec<Level>,
    /// Guards of the problem that are no loop's own.
    guards: usize,
    /// Sums of equal keys are equal.
    pub key: Hash,
}

/// A part of the course: the warps along one axis, or the iterations of one loop.
struct Level {
    /// `None` where nothing depends on it.
    symbol: Option<SymbolId>,
    /// `None` where `condition` ends it.
    count: Option<u64>,
    condition: Option<TermId>,
}

/// The sum of a visit under its verdict, where no more than counting is needed.
pub(super) enum Known {
    Total(Total),
    Later(Box<Sum>),
}

/// `None` where the course, or what a request of it costs, is not known.
pub(super) fn prepare(walk: &Walk, visit: &Visit, outcome: &Decision) -> Option<Known> {
    let (warps, schedule) = (walk.warps.as_ref()?, visit.schedule.as_ref()?);
    // How often a loop of compare-and-swap goes round depends on the data.
    let is_known = matches!(outcome.status, Status::Exact | Status::Bounded);
    if !is_known || visit.atomic == Atomic::Loop {
        return None;
    }
    let terms = &walk.terms;
    let domain = |symbol: &SymbolId| terms.symbol(*symbol).domain.count(usize::MAX);
    let of_warps = warps.iter().map(|symbol| {
        let count = Some(domain(symbol)? as u64);
        Some((Some(*symbol), count, None))
    });
    let of_loops = schedule.loops.iter().map(|turns| {
        let symbol = match *terms.term(turns.counter) {
            Term::Symbol(symbol) => Some(symbol),
            _ => None,
        };
        let is_ended = turns.trip.is_some() || turns.condition.is_some();
        is_ended.then_some((symbol, turns.trip, turns.condition))
    });
    let levels: Vec<_> = of_warps.chain(of_loops).collect::<Option<_>>()?;
    let is_free = schedule.guards.is_empty() && levels.iter().all(|level| level.2.is_none());
    if is_free && outcome.status == Status::Exact && outcome.min == outcome.max {
        let mut counts = levels.iter();
        let requests = counts.try_fold(1_u64, |all, (_, count, _)| all.checked_mul((*count)?))?;
        let one = Cost {
            actual: outcome.max,
            ideal: outcome.ideal,
        };
        return Total::from(one).times(requests).map(Known::Total);
    }
    later(walk, visit, schedule, &levels).map(|sum| Known::Later(Box::new(sum)))
}

fn later(
    walk: &Walk,
    visit: &Visit,
    schedule: &Schedule,
    levels: &[(Option<SymbolId>, Option<u64>, Option<TermId>)],
) -> Option<Sum> {
    let terms = &walk.terms;
    let conditions = levels.iter().filter_map(|level| level.2);
    let guards: Vec<TermId> = schedule.guards.iter().copied().chain(conditions).collect();
    let symbols = terms.symbols_in(guards.iter().copied());
    let level_of = |symbol: SymbolId| levels.iter().position(|level| level.0 == Some(symbol));
    let is_of_course = |symbol: &SymbolId| *symbol == walk.lane || level_of(*symbol).is_some();
    if !symbols.iter().all(is_of_course) || terms.has_data(visit.offset?) {
        return None;
    }
    let whole = Visit {
        guards,
        facts: Vec::new(),
        ..visit.clone()
    };
    let Canonical {
        problem,
        mut key,
        origins,
        ..
    } = canonical(walk, &whole, visit.offset?);
    let mut found: Vec<Level> = Vec::with_capacity(levels.len());
    let mut conditions = problem.guards.iter().skip(schedule.guards.len());
    for (symbol, count, condition) in levels {
        found.push(Level {
            symbol: None,
            count: *count,
            condition: condition.and_then(|_| conditions.next().copied()),
        });
        let count = count.map_or(-1, |count| i64::try_from(count).unwrap_or(i64::MAX));
        key.extend([
            count,
            i64::from(symbol.is_some()),
            i64::from(condition.is_some()),
        ]);
    }
    for (symbol, origin) in problem.symbols.iter().zip(origins) {
        let level = level_of(origin);
        key.push(level.map_or(-1, |level| level as i64));
        if let Some(level) = level
            && *symbol != problem.lane
        {
            found[level].symbol = Some(*symbol);
        }
    }
    // A loop whose condition does not mention its counter, once what the counter's range says is left out: nothing
    // here says when it ends.
    for ((symbol, count, condition), level) in levels.iter().zip(&found) {
        let is_lost = symbol.is_some() && level.symbol.is_none();
        if is_lost && count.is_none() && condition.is_some() {
            return None;
        }
    }
    Some(Sum {
        guards: schedule.guards.len(),
        levels: found,
        key: claim::hash_of(&key),
        problem,
    })
}

/// A sum, and what it takes for granted.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub total: Total,
    pub assumptions: Vec<Assumption>,
}

/// Makes the sum.
pub(super) fn make(mut sum: Sum, arch: &Arch) -> Option<Made> {
    let period = match arch.measured || arch.major >= 5 {
        true => residue_cost::period(&sum.problem, arch),
        false => ALWAYS,
    };
    let terms = &sum.problem.terms;
    let decided = terms.symbols_in(sum.problem.guards.iter().copied());
    let of_level: Vec<SymbolId> = sum.levels.iter().filter_map(|level| level.symbol).collect();
    let mut in_address = Vec::new();
    sum.problem
        .terms
        .symbols_of(sum.problem.address, &mut in_address);
    let mut free = in_address.clone();
    free.retain(|symbol| *symbol != sum.problem.lane && !of_level.contains(symbol));

    // Levels that nothing mentions only multiply.
    let mut factor = 1_u64;
    for level in &mut sum.levels {
        let is_met = |symbol: &SymbolId| decided.contains(symbol) || in_address.contains(symbol);
        if level.condition.is_none() && !level.symbol.as_ref().is_some_and(is_met) {
            factor = factor.checked_mul(level.count?)?;
            level.count = Some(1);
        }
    }
    let requests = sum
        .levels
        .iter()
        .try_fold(1_u64, |all, level| all.checked_mul(level.count?));
    let is_long = requests.is_none_or(|requests| requests > FEW);
    let mut shift = 0;
    let mut assumptions = Vec::new();
    if !free.is_empty() || is_long {
        let moved = Moved::of(&mut sum.problem, &mut assumptions);
        shift = match &moved {
            Some(moved) => moved.by(&free)?,
            None if free.is_empty() => 0,
            None => return None,
        };
        for level in &mut sum.levels {
            let Some(symbol) = level.symbol.filter(|_| level.condition.is_none()) else {
                continue;
            };
            let by = moved.as_ref().and_then(|moved| moved.by(&[symbol]));
            if !decided.contains(&symbol) && by.is_some_and(|by| by % period == 0) {
                factor = factor.checked_mul(level.count?)?;
                level.count = Some(1);
            }
        }
    }
    let total = Tour::new(&sum, shift, period, arch).run()?;
    let total = total.times(factor)?;
    Some(Made { total, assumptions })
}

/// How symbols move an address whose normal form is known.
struct Moved {
    /// The symbols of a monomial; its coefficient where it moves all lanes alike.
    monomials: Vec<(Vec<SymbolId>, Option<i64>)>,
}

impl Moved {
    fn of(problem: &mut Problem, assumptions: &mut Vec<Assumption>) -> Option<Self> {
        let mut forms = Forms::default();
        let mut evaluator = Evaluator::new(&mut problem.terms, problem.lane, &mut forms);
        let poly = evaluator.poly(problem.address)?;
        assumptions.append(&mut evaluator.forms.assumptions);
        let terms: &Terms = evaluator.terms;
        let of_monomial = |(monomial, coefficient): &(Monomial, Coefficient)| {
            let mut symbols = Vec::new();
            let mut is_shared = true;
            for atom in monomial.atoms() {
                is_shared &= !terms.is_varying(atom);
                terms.symbols_of(atom, &mut symbols);
            }
            let lanes = coefficient.lanes();
            let is_uniform = is_shared && lanes.iter().all(|value| *value == lanes[0]);
            (symbols, is_uniform.then_some(lanes[0]))
        };
        Some(Self {
            monomials: poly.open().map(of_monomial).collect(),
        })
    }

    /// All lanes move by the same multiple of this, whatever the values of `symbols`; `None` where
    /// lanes may move apart.
    fn by(&self, symbols: &[SymbolId]) -> Option<i64> {
        let is_meant = |mentioned: &[SymbolId]| mentioned.iter().any(|one| symbols.contains(one));
        let mut meant = self
            .monomials
            .iter()
            .filter(|(mentioned, _)| is_meant(mentioned));
        meant.try_fold(0, |all, (_, coefficient)| Some(gcd(all, (*coefficient)?)))
    }
}

/// Goes through the course, part by part.
struct Tour<'s> {
    sum: &'s Sum,
    arch: &'s Arch,
    /// All lanes may stand any number of times this many bytes further on; divides the period.
    shift: i64,
    period: i64,
    /// Where each level is.
    values: Vec<i64>,
    /// Of each level: its loop's condition.
    conditions: Vec<Option<Conditions<'s>>>,
    /// The guards that so many levels decide, none more than needed.
    guards: Vec<Conditions<'s>>,
    address: Evaluation<'s>,
    /// Rest of the budget [`MAX_WORK`].
    work: u64,
    total: Total,
}

/// Conditions that are evaluated together.
struct Conditions<'s> {
    terms: Vec<TermId>,
    evaluation: Evaluation<'s>,
}

impl<'s> Conditions<'s> {
    fn new(terms: &'s Terms, conditions: Vec<TermId>) -> Self {
        Self {
            evaluation: Evaluation::new(terms, conditions.iter().copied()),
            terms: conditions,
        }
    }
}

impl<'s> Tour<'s> {
    fn new(sum: &'s Sum, shift: i64, period: i64, arch: &'s Arch) -> Self {
        let terms = &sum.problem.terms;
        let mut guards: Vec<Vec<TermId>> = vec![Vec::new(); sum.levels.len() + 1];
        for guard in sum.problem.guards.iter().take(sum.guards) {
            let mut symbols = Vec::new();
            terms.symbols_of(*guard, &mut symbols);
            let is_met = |level: &Level| level.symbol.is_some_and(|one| symbols.contains(&one));
            let last = sum.levels.iter().rposition(is_met);
            guards[last.map_or(0, |last| last + 1)].push(*guard);
        }
        let of_loop = |level: &Level| Some(Conditions::new(terms, vec![level.condition?]));
        Self {
            shift: gcd(shift, period),
            period,
            values: vec![0; sum.levels.len()],
            conditions: sum.levels.iter().map(of_loop).collect(),
            guards: guards
                .into_iter()
                .map(|guards| Conditions::new(terms, guards))
                .collect(),
            address: Evaluation::new(terms, [sum.problem.address]),
            work: MAX_WORK,
            total: Total::default(),
            sum,
            arch,
        }
    }

    fn run(mut self) -> Option<Total> {
        let all = Self::left(
            &mut self.guards[0],
            self.sum,
            &self.values,
            &mut self.work,
            u32::MAX,
        )?;
        self.level(0, all)?;
        Some(self.total)
    }

    /// The lanes of `mask` for which all conditions hold; `None` where C leaves one undefined, or
    /// after too much work.
    fn left(
        conditions: &mut Conditions,
        sum: &Sum,
        values: &[i64],
        work: &mut u64,
        mask: u32,
    ) -> Option<u32> {
        if conditions.terms.is_empty() {
            return Some(mask);
        }
        let evaluation = &mut conditions.evaluation;
        *work = work.checked_sub(u64::from(mask.count_ones()) * evaluation.len() as u64)?;
        evaluation.run(|symbol, _| Some(sum.value(symbol, values)));
        let mut left = mask;
        for condition in &conditions.terms {
            let (holds, defined) = evaluation.holds(*condition);
            if mask & !defined != 0 {
                return None;
            }
            left &= holds;
        }
        Some(left)
    }

    fn level(&mut self, at: usize, lanes: u32) -> Option<()> {
        let Some(level) = self.sum.levels.get(at) else {
            return self.request(lanes);
        };
        let domain = level
            .symbol
            .map(|one| &self.sum.problem.terms.symbol(one).domain);
        // The counter of a loop that its condition ends never gets past its domain.
        let last = domain.map_or(0, |domain| domain.high);
        let mut inside = lanes;
        for turn in 0.. {
            if level.count == u64::try_from(turn).ok() {
                break;
            }
            self.values[at] = turn;
            if let Some(conditions) = &mut self.conditions[at] {
                if level.count.is_none() && level.symbol.is_none() && turn > last {
                    break;
                }
                inside = Self::left(conditions, self.sum, &self.values, &mut self.work, inside)?;
                if inside == 0 {
                    break;
                }
                if level.count.is_none() && turn > last {
                    return None;
                }
            }
            let guards = &mut self.guards[at + 1];
            let next = Self::left(guards, self.sum, &self.values, &mut self.work, inside)?;
            if next != 0 {
                self.level(at + 1, next)?;
            }
        }
        Some(())
    }

    /// Adds the request of these lanes.
    fn request(&mut self, lanes: u32) -> Option<()> {
        if lanes == 0 {
            return Some(());
        }
        let work = u64::from(lanes.count_ones()) * self.address.len() as u64;
        self.work = self.work.checked_sub(work)?;
        let (sum, values) = (self.sum, &self.values);
        self.address
            .run(|symbol, _| Some(sum.value(symbol, values)));
        let mut offsets = [0_i64; LANES];
        for (lane, value) in self
            .address
            .lanes(sum.problem.address)
            .into_iter()
            .enumerate()
        {
            if lanes >> lane & 1 == 1 {
                offsets[lane] = value?;
            }
        }
        let found = self.cost(lanes, &offsets)?;
        self.total = self.total.plus(found.into())?;
        Some(())
    }

    /// Cost of the request at every place it may stand; `None` where places differ.
    fn cost(&self, lanes: u32, offsets: &[i64; LANES]) -> Option<Cost> {
        let problem = &self.sum.problem;
        let alignment = gcd(i64::from(problem.width), self.period);
        let mut known: Option<Cost> = None;
        for shift in (0..self.period).step_by(usize::try_from(self.shift.max(1)).ok()?) {
            let moved = offsets.map(|offset| offset.wrapping_add(shift));
            let mut active = (0..LANES).filter(|lane| lanes >> lane & 1 == 1);
            // A lane at no multiple of the width faults: such values are never there.
            if shift > 0 && !active.all(|lane| moved[lane].rem_euclid(alignment) == 0) {
                continue;
            }
            let found = residue_cost::request_cost(
                residue_cost::RequestKind::of(problem),
                self.arch,
                lanes,
                &moved,
            );
            if known.is_some_and(|known| known != found) {
                return None;
            }
            known = Some(found);
        }
        known
    }
}

impl Sum {
    /// A symbol's value where the levels are at `values`; those that must not matter are small, and
    /// no 0, since programs divide by them.
    fn value(&self, symbol: SymbolId, values: &[i64]) -> i64 {
        let mut levels = self.levels.iter();
        match levels.position(|level| level.symbol == Some(symbol)) {
            Some(level) => values[level],
            None => {
                let domain = &self.problem.terms.symbol(symbol).domain;
                match &domain.values {
                    Some(values) => values.first().copied().unwrap_or(1),
                    None => 1.clamp(domain.low, domain.high.max(domain.low)),
                }
            }
        }
    }
}
