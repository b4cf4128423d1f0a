//! The search for cases in which the normal form decides every lane.
//!
//! Given a [`Problem`], gives [`Leaf`]s: together they cover every value of every
//! symbol, and in each the address is a shared part plus one known number per
//! lane. A guard that compares a contiguous index with a bound leaves an interior
//! warp full: that warp is the one spoken of. Knows nothing of costs or Z3.

mod by_data;
mod divide;
mod divisors;
mod first_warp;
mod lanes;

use super::bound::is_bound;
use super::interior::passage;
use super::law::Law;
use super::merge_symbols::{Join, join};
use super::nested_quotients::nest;
use super::normalise::{Evaluator, Forms, MAX_MODULUS, Obstacle};
use super::poly::{LANES, Monomial};
use super::reasons::{Hard, OpenGuard};
use super::residue_cost::is_negative_for_counts;
use crate::access::Atomic;
use crate::access::assumption::Assumption;
use crate::gpu::cost::{Op as AccessOp, Space};
use crate::ir::stop::Stop;
use crate::term::side_table::SideTable;
use crate::term::substitution::Substitution;
use crate::term::{Domain, LaneDifference, Op, Sharing, SymbolId, Term, TermId, Terms};
use divide::divide;
pub use first_warp::explore;
use lanes::{AddressForm, GuardedLanes, Undecided, address_form, lanes_decided, lanes_guarded};
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;

/// Most cases of one problem.
const MAX_LEAVES: usize = 2048;
/// Most cases where symbols that only occur together could be one instead: that leaves fewer cases,
/// but what a cost depends on is no longer told by symbol.
const MAX_LEAVES_APART: usize = 256;
/// Terms that cases may make of one problem.
const MAX_TERMS: usize = 15_000;
/// A search is given up early only if the extrapolation from the first branch of each enclosing split
/// exceeds the budget this many times: later branches are often smaller.
const DOUBT: usize = 16;
/// Most nested splits.
const MAX_DEPTH: u32 = 14;
/// Bytes from the start of an array, at most, and less than so many before it: how far two such
/// places lie apart is a number of 64 bits.
const FARTHEST: i64 = 1 << 62;
/// Guards for which values are looked for in vain: then it is taken that there are none for others.
const MAX_BLOCKED: usize = 4;
/// Bits of the widest word: C leaves open what a shift by more comes to.
const WORD: i64 = 64;

/// One access in canonical form: symbols are numbered in order of appearance.
#[derive(Debug)]
pub struct Problem {
    pub terms: Terms,
    pub lane: SymbolId,
    /// Byte offset from an aligned base.
    pub address: TermId,
    pub guards: Vec<TermId>,
    pub space: Space,
    pub op: AccessOp,
    /// Bytes per lane.
    pub width: u32,
    /// Row addresses of a matrix move, else 0.
    pub rows: u32,
    pub atomic: Atomic,
    /// The symbols that the problem began with, in canonical order.
    pub symbols: Vec<SymbolId>,
    /// Narrowed domains of symbols; they stay narrowed.
    pub narrowed: Vec<Assumption>,
}

impl Problem {
    /// The kind of its request, as numbers.
    #[must_use]
    pub fn kind(&self) -> [i64; 5] {
        let atomic = match self.atomic {
            Atomic::No => 0,
            Atomic::Loop => 1,
            Atomic::Instruction(kind) => 2 + kind as i64,
        };
        let (width, rows) = (i64::from(self.width), i64::from(self.rows));
        [self.space as i64, self.op as i64, width, rows, atomic]
    }

    /// Narrows a symbol to values above a number, and notes that in place of a weaker note.
    fn hold_above(&mut self, symbol: SymbolId, than: i64) {
        let symbol = self.terms.symbol_mut(symbol);
        symbol.domain.low = than + 1;
        let name = symbol.name.to_string();
        self.narrowed.retain(
            |known| !matches!(known, Assumption::Greater { symbol, .. } if *symbol == name),
        );
        let symbol = name;
        self.narrowed.push(Assumption::Greater { symbol, than });
    }
}

/// One case.
#[derive(Debug)]
pub struct Leaf {
    /// Lanes that take part.
    pub mask: u32,
    /// A range guard was taken to let all of `mask` through.
    pub interior: bool,
    /// Which lanes of `mask` take part depends on this.
    pub open_mask: Option<OpenGuard>,
    /// Byte offset of each lane, without the shared part.
    pub lanes: [i64; LANES],
    /// The shared part: monomial and coefficient.
    pub base: Vec<(Monomial, i64)>,
    /// Monomials whose coefficient differs between lanes.
    pub coupled: Vec<(Monomial, [i64; LANES])>,
    /// The value of each of the problem's symbols in this case.
    pub values: Vec<TermId>,
    /// The address and guards with those values put in.
    pub address: TermId,
    pub guards: Vec<(TermId, bool)>,
}

#[derive(Clone, Debug)]
pub enum Failure {
    Data(LaneDifference),
    Hard(Hard),
    /// It splits into too many cases.
    OverBudget,
}

#[derive(Debug, Default)]
pub struct Exploration {
    pub leaves: Vec<Leaf>,
    pub failure: Option<Failure>,
    pub assumptions: Vec<Assumption>,
    /// The lemmas that the splits rest on.
    pub laws: Vec<Law>,
    /// Symbols that were made one.
    pub joins: Vec<Join>,
    /// How much is told apart.
    detail: Detail,
    /// Normal forms of the problem's terms found on the way.
    pub forms: Forms,
    /// The class of each guard, valid while no symbol's domain changes.
    classes: FxHashMap<TermId, Class>,
    /// Which lanes take part does not matter where all have one address.
    is_indifferent: bool,
    /// How many cases like the one that is worked on there are, if the first part of each split around
    /// it stands for the others.
    repeats: usize,
    /// Terms that the problem may grow to.
    most_terms: usize,
    most_leaves: usize,
    /// Raised to end the search as if there were too many cases.
    stop: Stop,
    /// Guards and lanes, and whether some values let those through.
    passages: FxHashMap<(Vec<TermId>, u32), bool>,
    /// For how many no values were found.
    blocked: usize,
    /// A guard was a reason to split, or would have been.
    splits_guards: bool,
    /// There were too many cases, or would have been.
    failed_by_leaves: bool,
    /// Another search could take up terms of this one: it split by values before it had symbols of its own.
    leaves_terms: bool,
    /// A split brought symbols that no other search has.
    has_own_symbols: bool,
    /// The first case, until it is asked whether symbols in it could be one.
    apart: Option<Case>,
    /// The case with symbols made one, where there was reason to look for it.
    joined: Option<(Case, Vec<Join>)>,
}

/// How much a search tells apart. The less, the fewer cases, and the less is known in each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Detail {
    #[default]
    Fine,
    /// Quotients are split by where they step, not by residues.
    Coarse,
    /// No case is made for guards: lanes that depend on one are left open.
    Open,
}

#[derive(Clone, Debug)]
struct Case {
    address: TermId,
    guards: Vec<TermId>,
    values: Vec<TermId>,
    /// Set where data choose the row, which `address` leaves out: the banks have to tell all lanes apart.
    row_by_data: Option<LaneDifference>,
}

impl Case {
    /// The case of an address, which comes first, and its guards.
    fn of(mut roots: Vec<TermId>, values: Vec<TermId>) -> Self {
        let guards = roots.split_off(1);
        Self {
            address: roots[0],
            guards,
            values,
            row_by_data: None,
        }
    }
}

/// The effect of a guard on the warp.
#[derive(Clone, Debug)]
enum Class {
    /// These lanes, whatever the symbols are.
    Lanes(u32),
    /// All lanes of an interior warp.
    Interior,
    /// Unknown lanes.
    Open(OpenGuard),
    Split(Obstacle),
}

fn search(problem: &mut Problem, is_indifferent: bool, stop: &Stop) -> Exploration {
    let mut guards = Vec::new();
    let mut seen = SideTable::default();
    for guard in problem.guards.clone() {
        flatten(&mut problem.terms, guard, &mut seen, &mut guards);
    }
    let values = problem
        .symbols
        .clone()
        .into_iter()
        .map(|symbol| problem.terms.symbol_term(symbol))
        .collect();
    let mut roots = vec![problem.address];
    roots.append(&mut guards);
    divisors::hold_positive(problem, &mut roots);
    let laws = nest(&mut problem.terms, &mut roots);
    let case = Case::of(roots, values);
    let start = |detail, joins: &[Join]| Exploration {
        laws: laws.clone(),
        joins: joins.to_vec(),
        detail,
        is_indifferent,
        repeats: 1,
        most_leaves: MAX_LEAVES,
        stop: stop.clone(),
        ..Exploration::default()
    };
    let mut out = start(Detail::Fine, &[]);
    out.most_leaves = MAX_LEAVES_APART;
    out.apart = Some(case.clone());
    let mut out = attempt(problem, &case, out);
    if !out.is_crowded() {
        return out;
    }
    if let Some(apart) = out.apart.take() {
        out.joined = joined(problem, &apart);
    }
    let mut attempts = Vec::new();
    match &out.joined {
        // Each symbol by itself may need fewer cases after all: one that moves a sum far decides alone.
        Some((joined, joins)) => {
            attempts.push((Detail::Fine, joined.clone(), joins.clone()));
            attempts.push((Detail::Fine, case.clone(), Vec::new()));
            attempts.push((Detail::Coarse, case, Vec::new()));
            attempts.push((Detail::Open, joined.clone(), joins.clone()));
        }
        None => {
            attempts.push((Detail::Coarse, case.clone(), Vec::new()));
            attempts.push((Detail::Open, case, Vec::new()));
        }
    }
    let mut failed = vec![Failed::of(&out, !problem.narrowed.is_empty())];
    for (detail, case, joins) in attempts {
        if failed
            .iter()
            .any(|one| one.predicts_failure_of(detail, !joins.is_empty()))
        {
            continue;
        }
        out = attempt(problem, &case, start(detail, &joins));
        if !out.is_crowded() {
            break;
        }
        failed.push(Failed::of(&out, !problem.narrowed.is_empty()));
    }
    out
}

/// A search that came to too many cases, and what had a say in that.
struct Failed {
    detail: Detail,
    is_joined: bool,
    has_small_divisor: bool,
    splits_guards: bool,
    /// It would have gone on with room for more cases.
    by_leaves: bool,
    /// It leaves something that others of the problem begin with: narrower domains, or terms.
    leaves_something: bool,
}

impl Failed {
    fn of(out: &Exploration, is_narrowed: bool) -> Self {
        Self {
            detail: out.detail,
            is_joined: !out.joins.is_empty(),
            has_small_divisor: out.forms.has_small_divisor,
            splits_guards: out.splits_guards,
            by_leaves: out.failed_by_leaves && out.most_leaves < MAX_LEAVES,
            leaves_something: out.leaves_terms || is_narrowed,
        }
    }

    /// Whether the search with room for all cases would come no further.
    fn predicts_failure_of(&self, detail: Detail, is_joined: bool) -> bool {
        let differ_in = |of: fn(Detail) -> bool| of(self.detail) != of(detail);
        let other_divisors = self.has_small_divisor && differ_in(|one| one != Detail::Fine);
        let other_guards = self.splits_guards && differ_in(|one| one == Detail::Open);
        let may_differ = self.by_leaves || self.leaves_something || other_divisors || other_guards;
        self.is_joined == is_joined && !may_differ
    }
}

fn attempt(problem: &mut Problem, case: &Case, mut out: Exploration) -> Exploration {
    out.most_terms = problem.terms.count() + MAX_TERMS;
    split(problem, case.clone(), 0, &mut out);
    out
}

impl Exploration {
    /// Whether values were found under which guards let these lanes through.
    fn finds_passage(&mut self, terms: &Terms, guards: Vec<TermId>, mask: u32) -> bool {
        let key = (guards, mask);
        if let Some(known) = self.passages.get(&key) {
            return *known;
        }
        if self.blocked >= MAX_BLOCKED {
            return false;
        }
        let is_found = passage(terms, &key.0, mask).is_some();
        self.blocked += usize::from(!is_found);
        self.passages.insert(key, is_found);
        is_found
    }

    fn is_crowded(&self) -> bool {
        matches!(self.failure, Some(Failure::OverBudget))
    }

    /// Whether so many cases are too many. The first time that it may be so, symbols that could be
    /// one are looked for: where there are none, there may be more cases.
    fn exceeds_case_budget(&mut self, problem: &mut Problem, leaves: usize) -> bool {
        if leaves <= self.most_leaves {
            return false;
        }
        if let Some(apart) = self.apart.take() {
            self.joined = joined(problem, &apart);
            if self.joined.is_none() {
                self.most_leaves = MAX_LEAVES;
            }
        }
        self.failed_by_leaves |= leaves > self.most_leaves;
        leaves > self.most_leaves
    }
}

/// The case with symbols made one that only occur together.
fn joined(problem: &mut Problem, case: &Case) -> Option<(Case, Vec<Join>)> {
    let mut roots = vec![case.address];
    roots.extend(&case.guards);
    let mut values = case.values.clone();
    let joins = join(&mut problem.terms, &mut roots, &mut values);
    (!joins.is_empty()).then(|| (Case::of(roots, values), joins))
}

/// Splits a conjunction into its parts, each told once.
fn flatten(terms: &mut Terms, guard: TermId, seen: &mut SideTable, into: &mut Vec<TermId>) {
    if !seen.first_visit(guard) {
        return;
    }
    match *terms.term(guard) {
        Term::Binary(Op::LogicalAnd, a, b) => {
            flatten(terms, a, seen, into);
            flatten(terms, b, seen, into);
        }
        Term::Not(inner) => match *terms.term(inner) {
            Term::Binary(Op::LogicalOr, a, b) => {
                let (a, b) = (terms.not(a), terms.not(b));
                flatten(terms, a, seen, into);
                flatten(terms, b, seen, into);
            }
            _ => into.push(guard),
        },
        _ => into.push(guard),
    }
}

fn split(problem: &mut Problem, case: Case, depth: u32, out: &mut Exploration) {
    if out.failure.is_some() {
        return;
    }
    let has_room = problem.terms.count() <= out.most_terms;
    let is_over = out.stop.is_raised() || depth > MAX_DEPTH || !has_room;
    if is_over || out.exceeds_case_budget(problem, out.leaves.len()) {
        out.failure = Some(Failure::OverBudget);
        return;
    }
    let lane = problem.lane;
    let mut evaluator = Evaluator::new(&mut problem.terms, lane, &mut out.forms);
    evaluator.coarse = out.detail != Detail::Fine;
    let is_any_lane = out.is_indifferent && evaluator.is_shared(case.address);
    let GuardedLanes {
        mask,
        mut interior,
        mut open_mask,
        guards,
        mut obstacle,
        is_split,
    } = if is_any_lane {
        lanes_decided(&mut evaluator, &case.guards)
    } else {
        lanes_guarded(&mut evaluator, &case.guards, out.detail, &mut out.classes)
    };
    out.splits_guards |= is_split;
    if mask == 0 {
        return;
    }
    let mut form = AddressForm::default();
    if obstacle.is_none() {
        match address_form(&mut evaluator, case.address, mask) {
            Ok(found) => form = found,
            Err(Undecided::Obstacle(found)) => obstacle = Some(found),
            Err(Undecided::Failure(failure)) => {
                out.failure = Some(failure);
                return;
            }
        }
    }
    for assumption in std::mem::take(&mut out.forms.assumptions) {
        if !out.assumptions.contains(&assumption) {
            out.assumptions.push(assumption);
        }
    }
    if obstacle.is_none() && interior && open_mask.is_none() && !is_any_lane {
        // A warp that no values let through is not spoken of.
        let open = guards.iter().filter(|(_, is_decided)| !is_decided);
        let open: Vec<TermId> = open.map(|(guard, _)| *guard).collect();
        if !out.finds_passage(&problem.terms, open, mask) {
            open_mask = Some(OpenGuard::Lane);
            interior = false;
        }
    }
    if obstacle.is_none()
        && let Some(reason) = &case.row_by_data
        && !by_data::is_bank_by_lane(&form, mask)
    {
        out.failure = Some(Failure::Data(reason.clone()));
        return;
    }
    match obstacle {
        None => out.leaves.push(Leaf {
            mask,
            interior,
            open_mask,
            lanes: form.lanes,
            base: form.base,
            coupled: form.coupled,
            values: case.values,
            address: case.address,
            guards,
        }),
        Some(obstacle) => match by_data::case_without(problem, &case, &obstacle, mask, out) {
            Some(case) => split(problem, case, depth + 1, out),
            None => divide(problem, case, &obstacle, depth, out),
        },
    }
}

/// Classifies an undecided guard; `known` has the parts already classified.
fn classify(
    evaluator: &mut Evaluator,
    guard: TermId,
    known: &mut FxHashMap<TermId, Class>,
) -> Class {
    if let Some(class) = known.get(&guard) {
        return class.clone();
    }
    let class = classify_new(evaluator, guard, known);
    known.insert(guard, class.clone());
    class
}

fn classify_new(
    evaluator: &mut Evaluator,
    guard: TermId,
    known: &mut FxHashMap<TermId, Class>,
) -> Class {
    if let Some(mask) = evaluator.mask(guard) {
        // An assumption drops no access.
        if mask == 0 && evaluator.is_assumed(guard) {
            return Class::Open(OpenGuard::MayWrap);
        }
        return Class::Lanes(mask);
    }
    match evaluator.terms.term(guard).clone() {
        Term::Binary(Op::LogicalOr, a, b) => {
            return match (classify(evaluator, a, known), classify(evaluator, b, known)) {
                (Class::Split(found), _) | (_, Class::Split(found)) => Class::Split(found),
                (Class::Lanes(x), Class::Lanes(y)) => Class::Lanes(x | y),
                // Behind `i >= n ||` the warps before the bound go by the data.
                (Class::Open(reason), _) | (_, Class::Open(reason)) => Class::Open(reason),
                (Class::Interior, _) | (_, Class::Interior) => Class::Interior,
            };
        }
        Term::Binary(Op::LogicalAnd, a, b) => {
            return match (classify(evaluator, a, known), classify(evaluator, b, known)) {
                (Class::Split(found), _) | (_, Class::Split(found)) => Class::Split(found),
                (Class::Open(reason), _) | (_, Class::Open(reason)) => Class::Open(reason),
                (Class::Lanes(x), Class::Lanes(y)) => Class::Lanes(x & y),
                (Class::Interior, Class::Lanes(u32::MAX) | Class::Interior)
                | (Class::Lanes(u32::MAX), Class::Interior) => Class::Interior,
                (Class::Interior, Class::Lanes(_)) | (Class::Lanes(_), Class::Interior) => {
                    Class::Open(OpenGuard::LaneAndBound)
                }
            };
        }
        // `i < n && p[i]`, whose right side loads only where the left side holds.
        Term::Select(condition, a, b) => {
            let chosen = either(evaluator.terms, condition, a, b);
            if chosen != guard {
                return classify(evaluator, chosen, known);
            }
        }
        Term::Not(inner) => {
            let parts = match *evaluator.terms.term(inner) {
                Term::Binary(Op::LogicalAnd, a, b) => Some((Op::LogicalOr, a, b)),
                Term::Binary(Op::LogicalOr, a, b) => Some((Op::LogicalAnd, a, b)),
                _ => None,
            };
            if let Some((op, a, b)) = parts {
                let (a, b) = (evaluator.terms.not(a), evaluator.terms.not(b));
                let opposite = evaluator.terms.binary(op, a, b);
                return classify(evaluator, opposite, known);
            }
            if let Term::Select(condition, a, b) = *evaluator.terms.term(inner) {
                let (a, b) = (evaluator.terms.not(a), evaluator.terms.not(b));
                let opposite = evaluator.terms.select(condition, a, b);
                return classify(evaluator, opposite, known);
            }
        }
        _ => {}
    }
    by_obstacle(evaluator, guard)
}

/// The class of a condition that has no parts, by what keeps it from one mask.
fn by_obstacle(evaluator: &mut Evaluator, guard: TermId) -> Class {
    let is_equality = matches!(evaluator.terms.term(guard), Term::Binary(Op::Eq, ..));
    match evaluator.condition_obstacle(guard, 0) {
        // Of the whole condition: what a part of it orders says nothing of the rest.
        Obstacle::Masks(whole, threshold)
            if whole == guard
                && !is_equality
                && threshold.may_hold_for_all()
                && (is_bound(evaluator.terms, guard)
                    || has_shared_side(evaluator.terms, guard)) =>
        {
            Class::Interior
        }
        Obstacle::Masks(whole, threshold)
            if whole != guard && !is_equality && threshold.may_hold_for_all() =>
        {
            Class::Open(OpenGuard::Lane)
        }
        found @ Obstacle::Masks(..) => Class::Split(found),
        Obstacle::Quotient { .. } | Obstacle::Residue(..) | Obstacle::Remainder(..)
            if is_bound(evaluator.terms, guard) =>
        {
            Class::Interior
        }
        found @ (Obstacle::Values(_) | Obstacle::Condition(_)) => Class::Split(found),
        Obstacle::Residue(symbol, modulus) if modulus <= 64 => {
            Class::Split(Obstacle::Residue(symbol, modulus))
        }
        Obstacle::Data(why) => Class::Open(OpenGuard::Data(why)),
        Obstacle::Hard(_)
            if !evaluator.terms.has_data(guard) && is_bound(evaluator.terms, guard) =>
        {
            Class::Interior
        }
        _ => Class::Open(OpenGuard::Lane),
    }
}

/// Whether a comparison has a side that all lanes share. Of others, such as `(i ^ j) > i`, warps that hold whole are no
/// more common than those that don't.
fn has_shared_side(terms: &Terms, guard: TermId) -> bool {
    match *terms.term(guard) {
        Term::Binary(_, a, b) => !terms.is_varying(a) || !terms.is_varying(b),
        Term::Not(inner) => has_shared_side(terms, inner),
        _ => true,
    }
}

/// `condition ? a : b` of conditions by `&&` and `||`.
fn either(terms: &mut Terms, condition: TermId, a: TermId, b: TermId) -> TermId {
    if b == condition {
        return terms.binary(Op::LogicalAnd, condition, a);
    }
    let other = terms.not(condition);
    if b == other {
        return terms.binary(Op::LogicalOr, other, a);
    }
    let first = terms.binary(Op::LogicalAnd, condition, a);
    let second = terms.binary(Op::LogicalAnd, other, b);
    terms.binary(Op::LogicalOr, first, second)
}

fn substitute(problem: &mut Problem, case: &Case, symbol: SymbolId, value: TermId) -> Case {
    let by = Substitution::of_symbols(&mut problem.terms, [(symbol, value)]);
    rewrite(problem, case, by)
}

fn rewrite(problem: &mut Problem, case: &Case, mut by: Substitution) -> Case {
    let terms = &mut problem.terms;
    let address = by.apply(terms, case.address);
    let mut guards = Vec::with_capacity(case.guards.len());
    let mut seen = SideTable::default();
    for guard in &case.guards {
        let guard = by.apply(terms, *guard);
        flatten(terms, guard, &mut seen, &mut guards);
    }
    let mut values = case.values.clone();
    for value in &mut values {
        *value = by.apply(terms, *value);
    }
    Case {
        address,
        guards,
        values,
        row_by_data: case.row_by_data.clone(),
    }
}
