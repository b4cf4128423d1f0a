//! The cases of a split: which they are for each kind of obstacle, and the search of each.
//!
//! Given a case and what stands in its way, makes one case for each value, residue, quotient or mask that
//! it may have, and searches them until one fails or the budget is spent.

use super::*;
use crate::access::assumption::Assumption;
use crate::prove::law;
use crate::prove::threshold::Threshold;
use crate::term::LIMIT;

/// Runs every case of a split.
pub(super) fn divide(
    problem: &mut Problem,
    case: Case,
    obstacle: &Obstacle,
    depth: u32,
    out: &mut Exploration,
) {
    match obstacle {
        Obstacle::Values(_) if !out.has_own_symbols => out.leaves_terms = true,
        Obstacle::Residue(..) | Obstacle::Remainder(..) | Obstacle::Quotient { .. } => {
            out.has_own_symbols = true;
        }
        _ => {}
    }
    let mut division = Division {
        problem,
        case,
        depth,
        out,
    };
    // What breaks it off stands in `out`.
    let _: ControlFlow<()> = match obstacle {
        Obstacle::Values(symbol) => division.by_values(*symbol),
        Obstacle::Residue(symbol, modulus) => division.by_residues(*symbol, *modulus),
        Obstacle::Remainder(term, modulus) => division.by_remainders(*term, *modulus),
        Obstacle::Shift(amount) => division.by_shifts(*amount),
        Obstacle::Condition(condition) => division.by_truth(*condition),
        Obstacle::Masks(condition, threshold) => division.by_masks(*condition, threshold),
        Obstacle::Quotient {
            term,
            steps,
            whole,
            divisor,
            spread,
        } => division.by_quotients(*term, (steps.as_slice(), &**whole), *divisor, *spread),
        Obstacle::Data(reason) => division.fail(Failure::Data(reason.clone())),
        Obstacle::Hard(reason) => division.fail(Failure::Hard(*reason)),
    };
}

/// A case that is split, and the search that its parts go to.
struct Division<'a> {
    problem: &'a mut Problem,
    case: Case,
    depth: u32,
    out: &'a mut Exploration,
}

impl Division<'_> {
    fn fail(&mut self, failure: Failure) -> ControlFlow<()> {
        self.out.failure = Some(failure);
        ControlFlow::Break(())
    }

    fn explore(&mut self, next: Case, branch: Branch) -> ControlFlow<()> {
        explore_branch(self.problem, next, branch, self.depth, self.out)
    }

    /// The case with other terms, searched; fails with `reason` where nothing of it changes.
    fn explore_with(&mut self, by: Substitution, branch: Branch, reason: Hard) -> ControlFlow<()> {
        let next = rewrite(self.problem, &self.case, by);
        if next.address == self.case.address && next.guards == self.case.guards {
            return self.fail(Failure::Hard(reason));
        }
        self.explore(next, branch)
    }

    fn by_values(&mut self, symbol: SymbolId) -> ControlFlow<()> {
        let values = self.problem.terms.symbol(symbol).domain.list();
        let leaves = values.len().saturating_add(self.out.leaves.len());
        if self.out.exceeds_case_budget(self.problem, leaves) {
            return self.fail(Failure::OverBudget);
        }
        let count = values.len();
        for (index, value) in values.into_iter().enumerate() {
            let value = self.problem.terms.int(value);
            let next = substitute(self.problem, &self.case, symbol, value);
            // Of values the first ones tell: later ones may come to less.
            let mut branch = Branch::of(index, count);
            branch.is_representative = index == 0;
            self.explore(next, branch)?;
        }
        ControlFlow::Continue(())
    }

    /// The symbol as `quotient * modulus + residue`, for each residue that its domain has.
    fn by_residues(&mut self, symbol: SymbolId, modulus: i64) -> ControlFlow<()> {
        if modulus > MAX_MODULUS {
            return self.fail(Failure::Hard(Hard::LargeDivisor));
        }
        let name = self.problem.terms.symbol(symbol).name.clone();
        let domain = self.problem.terms.symbol(symbol).domain.clone();
        let mut index = 0;
        for residue in 0..modulus {
            let low = (domain.low - residue).div_euclid(modulus)
                + i64::from((domain.low - residue).rem_euclid(modulus) != 0);
            let high = (domain.high - residue).div_euclid(modulus);
            let (low, high) = without_bounds((domain.low, domain.high), (low, high));
            if low > high {
                continue;
            }
            let terms = &mut self.problem.terms;
            let quotient = terms.new_symbol(
                format!("{name} / {modulus}"),
                Sharing::Uniform,
                Domain::range(low, high),
            );
            let factor = terms.int(modulus);
            let residue = terms.int(residue);
            let product = terms.mul(quotient, factor);
            let value = terms.add(product, residue);
            let next = substitute(self.problem, &self.case, symbol, value);
            let mut branch = Branch::of(index, modulus as usize);
            branch.is_representative = true;
            self.explore(next, branch)?;
            index += 1;
        }
        ControlFlow::Continue(())
    }

    /// The same for a term that all lanes share.
    fn by_remainders(&mut self, term: TermId, modulus: i64) -> ControlFlow<()> {
        if modulus > MAX_MODULUS {
            return self.fail(Failure::Hard(Hard::LargeDivisor));
        }
        let terms = &mut self.problem.terms;
        let whole = terms.interval(term);
        let (low, high) = (whole.0.div_euclid(modulus), whole.1.div_euclid(modulus));
        let (low, high) = without_bounds(whole, (low, high));
        let quotient = if low == high {
            terms.int(low)
        } else {
            terms.new_symbol(
                format!("a shared value / {modulus}"),
                Sharing::Uniform,
                Domain::range(low, high),
            )
        };
        let factor = terms.int(modulus);
        let product = terms.mul(quotient, factor);
        for residue in 0..modulus {
            let rest = self.problem.terms.int(residue);
            let value = self.problem.terms.add(product, rest);
            let by = Substitution::of_terms(&self.problem.terms, [(term, value)]);
            let mut branch = Branch::of(residue as usize, modulus as usize);
            branch.is_representative = true;
            self.explore_with(by, branch, Hard::SharedValue)?;
        }
        ControlFlow::Continue(())
    }

    /// A shift is by each number of bits that a word has.
    fn by_shifts(&mut self, amount: TermId) -> ControlFlow<()> {
        let (low, high) = self.problem.terms.interval(amount);
        let (low, high) = (low.max(0), high.min(WORD - 1));
        for at in low..=high {
            let value = self.problem.terms.int(at);
            let by = Substitution::of_terms(&self.problem.terms, [(amount, value)]);
            let branch = Branch::of((at - low) as usize, (high - low + 1) as usize);
            self.explore_with(by, branch, Hard::SharedValue)?;
        }
        ControlFlow::Continue(())
    }

    fn by_truth(&mut self, condition: TermId) -> ControlFlow<()> {
        for (at, truth) in [1, 0].into_iter().enumerate() {
            let value = self.problem.terms.int(truth);
            let opposite = self.problem.terms.int(1 - truth);
            let by = self.both_ways(condition, value, opposite);
            self.explore_with(by, Branch::of(at, 2), Hard::Condition)?;
        }
        ControlFlow::Continue(())
    }

    /// A condition on the lane holds in each set of lanes that its threshold may give.
    fn by_masks(&mut self, condition: TermId, threshold: &Threshold) -> ControlFlow<()> {
        let masks = threshold.masks();
        let parts = masks.len();
        for (at, mask) in masks.into_iter().enumerate() {
            let value = lane_table(self.problem, mask);
            let opposite = lane_table(self.problem, !mask);
            let by = self.both_ways(condition, value, opposite);
            self.explore_with(by, Branch::of(at, parts), Hard::ConditionOnLane)?;
        }
        ControlFlow::Continue(())
    }

    /// A condition and its negation, replaced.
    fn both_ways(&mut self, condition: TermId, value: TermId, opposite: TermId) -> Substitution {
        let negated = self.problem.terms.not(condition);
        let by = [(condition, value), (negated, opposite)];
        Substitution::of_terms(&self.problem.terms, by)
    }

    /// The quotient of each lane is one number that all share, what `whole` has for the lane, and a step of 0
    /// or 1, which `steps` has for each case: the lemma of the page on the normal form. Where `whole` has
    /// anything, the divisor is a constant, and multiples of it are taken out of what the lanes add.
    fn by_quotients(
        &mut self,
        term: TermId,
        (steps, whole): (&[u32], &[i64; LANES]),
        divisor: TermId,
        spread: i64,
    ) -> ControlFlow<()> {
        if !self.out.laws.contains(&Law::Step) {
            self.out.laws.push(Law::Step);
        }
        if whole.iter().any(|one| *one != 0)
            && let Some(law) = quotient_divisor(self.problem, term).map(Law::Division)
            && !self.out.laws.contains(&law)
        {
            self.out.laws.push(law);
        }
        self.hold_divisor_above(divisor, spread)?;
        self.hold_dividend_not_negative(term)?;
        let remainders = remainders_of(self.problem, &self.case, term);
        let masked = bits_of(self.problem, &self.case, term);
        let domain = quotient_domain(self.problem, term);
        let is_zero = is_below_divisor(self.problem, term, divisor, spread);
        let (steps, whole) = match is_zero {
            true => (&[0][..], &[0; LANES]),
            false => (steps, whole),
        };
        for (at, mask) in steps.iter().enumerate() {
            let terms = &mut self.problem.terms;
            let quotient = match is_zero {
                true => terms.int(0),
                false => terms.new_symbol("quotient", Sharing::Uniform, domain.clone()),
            };
            let step = |lane: usize| whole[lane] + i64::from(mask >> lane & 1);
            let step = lane_values(self.problem, (0..LANES).map(step).collect());
            let value = self.problem.terms.add(quotient, step);
            let by = self.with_what_follows(term, value, &remainders, &masked);
            self.explore_with(by, Branch::of(at, steps.len()), Hard::QuotientOfBits)?;
        }
        ControlFlow::Continue(())
    }

    /// Narrows a divisor to what the lemma speaks of, and says so.
    fn hold_divisor_above(&mut self, divisor: TermId, spread: i64) -> ControlFlow<()> {
        if let Term::Symbol(symbol) = *self.problem.terms.term(divisor) {
            let domain = &self.problem.terms.symbol(symbol).domain;
            if domain.high <= spread {
                return self.fail(Failure::Hard(Hard::DivisorBelowSpread));
            }
            if domain.low <= spread {
                self.problem.hold_above(symbol, spread);
                self.out.classes.clear();
            }
        } else if self.problem.terms.constant(divisor).is_none() {
            self.assume(Assumption::LargeDivisors { than: spread });
        }
        ControlFlow::Continue(())
    }

    /// A quotient steps as the lemma says from 0 on.
    fn hold_dividend_not_negative(&mut self, quotient: TermId) -> ControlFlow<()> {
        let Term::Binary(Op::Div, dividend, _) = *self.problem.terms.term(quotient) else {
            return ControlFlow::Continue(());
        };
        let (low, high) = self.problem.terms.interval(dividend);
        if high < 0 || low < 0 && is_refuted(self.problem, &self.case, dividend, self.out) {
            return self.fail(Failure::Hard(Hard::NegativeDividend));
        }
        if low < 0 {
            self.out.forms.divided.insert(dividend);
            self.assume(Assumption::NotNegative);
        }
        ControlFlow::Continue(())
    }

    fn assume(&mut self, assumption: Assumption) {
        if !self.out.assumptions.contains(&assumption) {
            self.out.assumptions.push(assumption);
        }
    }

    /// A quotient replaced by `value`, and with it what it decides: its remainder, remainders whose quotient
    /// it is in other words, and bits of a number whose shift it is.
    fn with_what_follows(
        &mut self,
        quotient: TermId,
        value: TermId,
        remainders: &[(TermId, TermId, TermId)],
        masked: &[Bits],
    ) -> Substitution {
        let terms = &mut self.problem.terms;
        let mut by = Substitution::of_terms(terms, [(quotient, value)]);
        if let Term::Binary(Op::Div, dividend, divisor) = *terms.term(quotient) {
            let remainder = terms.binary(Op::Rem, dividend, divisor);
            let product = terms.mul(value, divisor);
            let rest = terms.sub(dividend, product);
            by.replace(terms, remainder, rest);
        }
        // (x / a) % b leaves what x / (a b) takes.
        for (remainder, dividend, divisor) in remainders {
            let product = terms.mul(value, *divisor);
            let rest = terms.sub(*dividend, product);
            by.replace(terms, *remainder, rest);
        }
        for bits in masked {
            let low = bits.value(self.problem, quotient, value);
            by.replace(&self.problem.terms, bits.id, low);
            for law in bits.laws() {
                if !self.out.laws.contains(&law) {
                    self.out.laws.push(law);
                }
            }
        }
        by
    }
}

/// Whether hardly a run divides what is not negative: then that is nothing to assume. Guards may see to it.
fn is_refuted(problem: &mut Problem, case: &Case, dividend: TermId, out: &mut Exploration) -> bool {
    let lane = problem.lane;
    let mut evaluator = Evaluator::new(&mut problem.terms, lane, &mut out.forms);
    let Some(poly) = evaluator.poly(dividend) else {
        return false;
    };
    if !is_negative_for_counts(&problem.terms, &poly) {
        return false;
    }
    let zero = problem.terms.int(0);
    let condition = problem.terms.binary(Op::Le, zero, dividend);
    let mut of_lanes = Vec::new();
    problem.terms.symbols_of(dividend, &mut of_lanes);
    of_lanes.retain(|symbol| *symbol != lane);
    let mentions = |guard: TermId, symbols: &[SymbolId]| {
        let mut own = Vec::new();
        problem.terms.symbols_of(guard, &mut own);
        own.iter().any(|symbol| symbols.contains(symbol))
    };
    let mut guards = case.guards.clone();
    guards.retain(|guard| mentions(*guard, &of_lanes));
    // A guard that became a set of lanes may have seen to it.
    let is_by_lanes = |guard: &TermId| {
        let mut own = Vec::new();
        problem.terms.symbols_of(*guard, &mut own);
        own.contains(&lane) && own.len() > 1
    };
    if problem.guards.iter().any(is_by_lanes) {
        return false;
    }
    if guards.is_empty() {
        return true;
    }
    guards.push(condition);
    !(0..LANES).any(|lane| passage(&problem.terms, &guards, 1 << lane).is_some())
}

/// How far a search has come.
#[derive(Clone, Copy)]
struct Size {
    leaves: usize,
    terms: usize,
}

impl Size {
    fn of(problem: &Problem, out: &Exploration) -> Self {
        Self {
            leaves: out.leaves.len(),
            terms: problem.terms.count(),
        }
    }
}

/// One branch of a split.
#[derive(Clone, Copy)]
struct Branch {
    index: usize,
    count: usize,
    /// All branches have the result of this one.
    is_representative: bool,
}

impl Branch {
    fn of(index: usize, count: usize) -> Self {
        Self {
            index,
            count,
            is_representative: false,
        }
    }
}

/// Searches one branch of a split; breaks where the search failed or cannot end within its budget.
fn explore_branch(
    problem: &mut Problem,
    next: Case,
    branch: Branch,
    depth: u32,
    out: &mut Exploration,
) -> ControlFlow<()> {
    let before = Size::of(problem, out);
    let around = out.repeats;
    let is_first = branch.index == 0;
    out.repeats = if is_first {
        around.saturating_mul(branch.count)
    } else {
        1
    };
    split(problem, next, depth + 1, out);
    let all_around = std::mem::replace(&mut out.repeats, around);
    if out.failure.is_some() {
        return ControlFlow::Break(());
    }
    // As much for every branch as for this one. Later branches have terms of the first, which alone says
    // how many those are.
    let now = Size::of(problem, out);
    let (leaves, terms) = (now.leaves - before.leaves, now.terms - before.terms);
    let room = out.most_terms.saturating_sub(before.terms);
    let here = if branch.is_representative {
        branch.count
    } else {
        1
    };
    let is_hopeless = (is_first
        && (terms.saturating_mul(here) > room
            || terms.saturating_mul(all_around) / DOUBT > room
            || out.exceeds_case_budget(problem, leaves.saturating_mul(all_around) / DOUBT)))
        || out.exceeds_case_budget(problem, leaves.saturating_mul(here) / 2);
    if is_hopeless {
        out.failure = Some(Failure::OverBudget);
        return ControlFlow::Break(());
    }
    ControlFlow::Continue(())
}

/// The remainders in a case whose quotient is `quotient`, with dividend and divisor.
fn remainders_of(
    problem: &mut Problem,
    case: &Case,
    quotient: TermId,
) -> Vec<(TermId, TermId, TermId)> {
    let mut found = Vec::new();
    for id in parts_of(problem, case) {
        if let Term::Binary(Op::Rem, a, b) = *problem.terms.term(id)
            && problem.terms.binary(Op::Div, a, b) == quotient
        {
            found.push((id, a, b));
        }
    }
    found
}

/// The ends of a quotient: from the limit on a dividend has no bound, and so its quotient has none.
fn without_bounds(dividend: (i64, i64), (low, high): (i64, i64)) -> (i64, i64) {
    let low = if dividend.0 <= -LIMIT { -LIMIT } else { low };
    let high = if dividend.1 >= LIMIT { LIMIT } else { high };
    (low, high)
}

/// What the quotient of a split may be. That of a division is not negative; a shift rounds down.
fn quotient_domain(problem: &Problem, term: TermId) -> Domain {
    match *problem.terms.term(term) {
        Term::Binary(Op::Shr, ..) => {
            let (low, high) = problem.terms.interval(term);
            // One more in some lanes than in the others.
            Domain::range(low - 1, high)
        }
        _ => Domain::range(0, i64::from(i32::MAX)),
    }
}

/// Whether what is divided is less than the divisor, which is larger than what lanes add: the quotient is 0 in all.
fn is_below_divisor(problem: &Problem, quotient: TermId, divisor: TermId, spread: i64) -> bool {
    let Term::Binary(Op::Div, dividend, _) = *problem.terms.term(quotient) else {
        return false;
    };
    let least = match *problem.terms.term(divisor) {
        Term::Symbol(symbol) => problem.terms.symbol(symbol).domain.low,
        _ => problem.terms.interval(divisor).0,
    };
    let (low, high) = problem.terms.interval(dividend);
    low >= 0 && high < least.max(spread.saturating_add(1))
}

/// `number & mask`, `number | mask` or `number ^ mask` of a case, for a constant mask.
struct Bits {
    id: TermId,
    op: Op,
    number: TermId,
    mask: i64,
}

impl Bits {
    /// What it is by shifts of the number, of which `shift` is `quotient`: [`Law::Run`], [`Law::Or`], [`Law::Xor`].
    fn value(&self, problem: &mut Problem, shift: TermId, quotient: TermId) -> TermId {
        let mut common = problem.terms.int(0);
        for (start, run) in law::runs(self.mask) {
            let low = shifted(problem, self.number, start);
            let high = shifted(problem, self.number, start + run);
            let told = |id: TermId| if id == shift { quotient } else { id };
            let (low, high) = (told(low), told(high));
            let (scale, place) = (problem.terms.int(1 << run), problem.terms.int(1 << start));
            let high = problem.terms.mul(high, scale);
            let part = problem.terms.sub(low, high);
            let part = problem.terms.mul(part, place);
            common = problem.terms.add(common, part);
        }
        let factor = match self.op {
            Op::Or => 1,
            Op::Xor => 2,
            _ => return common,
        };
        let (mask, factor) = (problem.terms.int(self.mask), problem.terms.int(factor));
        let all = problem.terms.add(self.number, mask);
        let twice = problem.terms.mul(common, factor);
        problem.terms.sub(all, twice)
    }

    fn laws(&self) -> Vec<Law> {
        let mut laws = law::of_mask(self.mask);
        match self.op {
            Op::Or => laws.push(Law::Or),
            Op::Xor => laws.push(Law::Xor),
            _ => {}
        }
        laws
    }
}

fn shifted(problem: &mut Problem, number: TermId, by: u32) -> TermId {
    let by = problem.terms.int(i64::from(by));
    problem.terms.binary(Op::Shr, number, by)
}

/// The operations on bits in a case that `shift` is a part of.
fn bits_of(problem: &mut Problem, case: &Case, shift: TermId) -> Vec<Bits> {
    let mut found = Vec::new();
    if !matches!(problem.terms.term(shift), Term::Binary(Op::Shr, ..)) {
        return found;
    }
    for id in parts_of(problem, case) {
        let Term::Binary(op @ (Op::And | Op::Or | Op::Xor), a, b) = *problem.terms.term(id) else {
            continue;
        };
        for (number, mask) in [(a, b), (b, a)] {
            let Some(mask) = problem.terms.constant(mask).filter(|mask| *mask > 0) else {
                continue;
            };
            let is_part = law::runs(mask).into_iter().any(|(start, run)| {
                shifted(problem, number, start) == shift
                    || shifted(problem, number, start + run) == shift
            });
            if is_part {
                found.push(Bits {
                    id,
                    op,
                    number,
                    mask,
                });
            }
        }
    }
    found
}

/// All terms of a case.
fn parts_of(problem: &Problem, case: &Case) -> Vec<TermId> {
    let mut stack = vec![case.address];
    stack.extend(&case.guards);
    let mut seen = SideTable::default();
    let mut found = Vec::new();
    while let Some(id) = stack.pop() {
        if seen.first_visit(id) {
            stack.extend(problem.terms.term(id).parts());
            found.push(id);
        }
    }
    found
}

/// The constant that a quotient divides by.
fn quotient_divisor(problem: &Problem, quotient: TermId) -> Option<i64> {
    match *problem.terms.term(quotient) {
        Term::Binary(Op::Div, _, by) => problem.terms.constant(by),
        Term::Binary(Op::Shr, _, by) => {
            let by = u32::try_from(problem.terms.constant(by)?).ok()?;
            1_i64.checked_shl(by)
        }
        _ => None,
    }
}

/// 1 in the lanes of `mask`, 0 in the others.
fn lane_table(problem: &mut Problem, mask: u32) -> TermId {
    lane_values(
        problem,
        (0..32).map(|lane| i64::from(mask >> lane & 1)).collect(),
    )
}

/// A number for each lane.
fn lane_values(problem: &mut Problem, values: Vec<i64>) -> TermId {
    let lane = problem.terms.symbol_term(problem.lane);
    problem.terms.table(lane, values)
}
