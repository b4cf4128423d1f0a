//! Lanes that leave a loop: who is still inside, and what holds behind it.
//!
//! Lanes leave by the condition, by `break`, and for places further out (`return` of an inlined
//! function, of the kernel, or of an outer block), each in an iteration of its own. Inside, lanes
//! that left in an earlier iteration are out. Behind the loop nothing speaks of its iterations: what
//! lanes took with them from different ones is a value of their own, and where a condition on the
//! lane decided who left, it is one that is not known.

use super::closed_form::{Wraps, slope};
use super::joins::either;
use super::loops::{Leaving, Study};
use super::value::{Contents, Pointer, Value, Variation};
use super::waiting::parts_lanes;
use super::walker::{ExitRecord, Guard, Slot, SlotValue, Walker};
use crate::ir::{Loop, Scalar, VarId};
use crate::term::substitution::Substitution;
use crate::term::{Domain, LaneDifference, Op, Sharing, SymbolId, Term, TermId};
use std::rc::Rc;
use std::sync::Arc;

/// Iterations of a loop for which conditions are told one by one.
const MOST_TOLD: i64 = 32;
/// Why lanes are unknown that left in an iteration before.
const LEFT: &str = "lanes left the loop in an earlier iteration";
const WAITED: &str = "how long lanes waited for others";
const GONE: &str = "lanes left the loop";
const PARTED: &str = "a value that lanes took out of a loop at different times";

/// Conditions for lanes to be in an iteration at all.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Present {
    /// Where the iteration begins.
    pub in_head: Option<TermId>,
    /// Behind the test that the loop begins with, beside that the test holds.
    pub after_head: Option<TermId>,
}

impl Walker<'_> {
    /// Which lanes are in iteration `counter`: those that did not leave in one before it.
    pub(super) fn still_present(
        &mut self,
        body: &Loop,
        study: &Study,
        begin: &[Option<Value>],
        counter: TermId,
    ) -> Present {
        let Term::Symbol(counter) = *self.terms.term(counter) else {
            // There is one iteration only.
            return Present::default();
        };
        let base = self.guards.len();
        let mut by_symbol = Vec::new();
        for (carried, value) in study.carried.iter().zip(begin) {
            match (carried.symbol, value) {
                (Some(symbol), Some(Value::Int(term))) => by_symbol.push((symbol, *term)),
                (Some(symbol), Some(Value::Pointer(at))) => by_symbol.push((symbol, at.offset)),
                _ => {}
            }
        }
        let mut now = Substitution::of_symbols(&mut self.terms, by_symbol);
        let mut all = None;
        if parts_lanes(self.kernel, body) {
            all = Some(self.unknown_lanes(WAITED));
        }
        for exit in &study.exits {
            // That the loop's own condition held before is said by itself.
            let path = exit.guards.get(base..).unwrap_or(&[]).iter().copied();
            let path: Vec<TermId> = path.filter(|guard| *guard != study.condition).collect();
            let is_parted = path.iter().any(|guard| self.terms.is_varying(*guard));
            let path = self.conjunction(&path);
            let path = now.apply(&mut self.terms, path);
            let stayed = if is_parted && !self.terms.is_varying(path) {
                // Lanes that continue need not wait for those that ask whether to leave.
                Some(self.unknown_lanes(LEFT))
            } else {
                self.stayed(body, path, counter, study)
            };
            all = self.both(all, stayed);
        }
        let fails = self.terms.not(study.condition);
        let fails = now.apply(&mut self.terms, fails);
        if !self.terms.is_varying(fails) {
            return Present {
                in_head: all,
                after_head: all,
            };
        }
        // That the test holds says that it did before where, once it fails, it does so for good.
        let has_head = !body.pretest || !body.prelude.is_empty();
        let condition = self.terms.not(fails);
        let is_needed =
            !self.is_for_good(fails, counter) || !self.is_closed(condition, counter, study);
        let stayed = if has_head || is_needed {
            self.stayed(body, fails, counter, study)
        } else {
            self.state_mask(body, fails, counter, None);
            None
        };
        Present {
            in_head: self.both(all, stayed),
            after_head: self.both(all, stayed.filter(|_| is_needed)),
        }
    }

    fn both(&mut self, a: Option<TermId>, b: Option<TermId>) -> Option<TermId> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.terms.binary(Op::LogicalAnd, a, b)),
            (one, other) => one.or(other),
        }
    }

    /// Of lanes that leave where `path` holds: those that are there in iteration `counter`. `None` for
    /// all of them.
    fn stayed(
        &mut self,
        body: &Loop,
        path: TermId,
        counter: SymbolId,
        study: &Study,
    ) -> Option<TermId> {
        if !self.terms.is_varying(path) {
            // All leave together: where there is a request, none has left.
            return None;
        }
        let is_told = self.is_told(path, counter, study);
        let k = self.terms.symbol_term(counter);
        let (_, last) = self.terms.interval(k);
        let is_data = self.terms.has_data(path);
        if is_told && !is_data && self.is_for_good(path, counter) {
            // Who left before left at the latest in the iteration before.
            let one = self.terms.int(1);
            let before = self.terms.sub(k, one);
            let gone = self.put(path, counter, before);
            let stays = self.terms.not(gone);
            let zero = self.terms.int(0);
            let is_first = self.terms.binary(Op::Eq, k, zero);
            let stays = self.terms.binary(Op::LogicalOr, is_first, stays);
            self.state_mask(body, path, counter, Some(stays));
            return Some(stays);
        }
        if is_told && !is_data && last < MOST_TOLD {
            let mut all = self.terms.int(1);
            for at in 0..last {
                let at = self.terms.int(at);
                let gone = self.put(path, counter, at);
                let stays = self.terms.not(gone);
                let is_before = self.terms.binary(Op::Le, k, at);
                let part = self.terms.binary(Op::LogicalOr, is_before, stays);
                all = self.terms.binary(Op::LogicalAnd, all, part);
            }
            self.state_mask(body, path, counter, Some(all));
            return Some(all);
        }
        Some(self.unknown_lanes(LEFT))
    }

    /// Some of the lanes, for a reason.
    fn unknown_lanes(&mut self, reason: &'static str) -> TermId {
        let sharing = Sharing::Varying(LaneDifference::computed(reason));
        self.terms.new_symbol(reason, sharing, Domain::range(0, 1))
    }

    /// Whether a condition mentions nothing of the loop but its counter.
    fn is_told(&self, condition: TermId, counter: SymbolId, study: &Study) -> bool {
        let own = self.own_of(study);
        if self.terms.symbols_below(condition) <= own {
            return true;
        }
        let mut symbols = self.terms.symbols_in([condition]).into_iter();
        symbols.all(|symbol| symbol == counter || (symbol.0 as usize) < own)
    }

    /// Whether lanes that pass a test in several iterations are those that pass it in one. What is
    /// another number in each iteration may let go in one whom it keeps in the next; but where it is a
    /// threshold for the lanes, the least of several is one as well.
    fn is_closed(&self, test: TermId, counter: SymbolId, study: &Study) -> bool {
        if self.terms.has_data(test) || self.is_told(test, counter, study) {
            return true;
        }
        match *self.terms.term(test) {
            Term::Binary(Op::LogicalAnd, a, b) => {
                self.is_closed(a, counter, study) && self.is_closed(b, counter, study)
            }
            Term::Binary(Op::Lt | Op::Le, a, b) => {
                let (mut left, mut right) = (Vec::new(), Vec::new());
                self.summands(a, &mut left, &mut right);
                self.summands(b, &mut right, &mut left);
                // What stands on both sides says nothing.
                left.retain(|part| {
                    let twin = right.iter().position(|other| other == part);
                    twin.map(|at| right.swap_remove(at)).is_none()
                });
                // The rest differs between lanes by the same in every iteration.
                left.iter().chain(&right).all(|part| {
                    !self.terms.is_varying(*part)
                        || self.is_told(*part, counter, study)
                            && !self.terms.mentions(*part, &[counter])
                })
            }
            _ => !self.terms.is_varying(test),
        }
    }

    /// The summands of a sum: those added, and those subtracted.
    fn summands(&self, sum: TermId, added: &mut Vec<TermId>, taken: &mut Vec<TermId>) {
        match *self.terms.term(sum) {
            Term::Binary(Op::Add, a, b) => {
                self.summands(a, added, taken);
                self.summands(b, added, taken);
            }
            Term::Binary(Op::Sub, a, b) => {
                self.summands(a, added, taken);
                self.summands(b, taken, added);
            }
            Term::Wrap(ty, a) if ty.size() >= 4 => self.summands(a, added, taken),
            _ => added.push(sum),
        }
    }

    /// Symbols from here on stand for something in the studied loop.
    fn own_of(&self, study: &Study) -> usize {
        let symbols = study.carried.iter().filter_map(|carried| carried.symbol);
        let least = symbols.map(|symbol| symbol.0 as usize).min();
        least.map_or(study.first_symbol, |least| least.min(study.first_symbol))
    }

    fn put(&mut self, term: TermId, symbol: SymbolId, value: TermId) -> TermId {
        let mut by = Substitution::of_symbols(&mut self.terms, [(symbol, value)]);
        by.apply(&mut self.terms, term)
    }

    /// Whether a condition, once it holds, holds in all later iterations.
    fn is_for_good(&self, condition: TermId, counter: SymbolId) -> bool {
        if !self.terms.mentions(condition, &[counter]) {
            return true;
        }
        match *self.terms.term(condition) {
            Term::Binary(Op::LogicalAnd | Op::LogicalOr, a, b) => {
                self.is_for_good(a, counter) && self.is_for_good(b, counter)
            }
            Term::Binary(Op::Lt | Op::Le, a, b) => {
                let of = |side| slope(&self.terms, side, counter, Wraps::Through);
                of(a)
                    .zip(of(b))
                    .and_then(|(a, b)| a.1.checked_sub(b.0))
                    .is_some_and(|gains| gains <= 0)
            }
            Term::Not(inner) => match *self.terms.term(inner) {
                Term::Binary(Op::LogicalAnd, a, b) => [a, b].into_iter().all(|part| {
                    !self.terms.mentions(part, &[counter]) || self.fails_for_good(part, counter)
                }),
                _ => false,
            },
            _ => false,
        }
    }

    fn fails_for_good(&self, condition: TermId, counter: SymbolId) -> bool {
        let Term::Binary(Op::Lt | Op::Le, a, b) = *self.terms.term(condition) else {
            return false;
        };
        let of = |side| slope(&self.terms, side, counter, Wraps::Through);
        of(a)
            .zip(of(b))
            .and_then(|(a, b)| a.0.checked_sub(b.1))
            .is_some_and(|gains| gains >= 0)
    }

    /// The state behind a loop: what the condition leaves, joined with what lanes had that broke out of
    /// it. Those that left for places further out are gone.
    pub(super) fn leave_loop(&mut self, leaving: &Leaving) {
        let Leaving {
            body, study, base, ..
        } = *leaving;
        let mut breaks = Vec::new();
        let mut outer = Vec::new();
        for exit in self.exits.split_off(leaving.first_exit) {
            if exit.label == body.break_label || exit.label == body.continue_label {
                breaks.push(exit);
            } else {
                outer.push(exit);
            }
        }
        self.guards.truncate(base);
        let mut parts_ways = study.parts_ways;
        for exit in &breaks {
            let own = exit.guards.get(base..).unwrap_or(&[]);
            parts_ways |= own.iter().any(|guard| self.terms.is_varying(*guard));
        }
        self.assign_loop_values(study, leaving.finals.clone());
        if body.pretest && !body.prelude.is_empty() {
            // The test that fails is one more.
            let exits = self.exits.len();
            self.study_depth += u32::from(parts_ways);
            self.block(&body.prelude);
            self.study_depth -= u32::from(parts_ways);
            self.exits.truncate(exits);
            self.guards.truncate(base);
        }
        if parts_ways {
            let parted = Variation::Varying(LaneDifference::computed(PARTED));
            for one in &study.objects {
                self.forget_part(one.object, &one.extent, &parted);
            }
        }
        self.join_breaks(leaving, &breaks, parts_ways);
        for exit in outer {
            let exit = self.generalised(leaving, exit);
            self.exits_of_unknown_lanes.push(exit.label);
            let path = exit.guards.get(base..).unwrap_or(&[]).to_vec();
            let path = self.conjunction(&path);
            let stays = self.terms.not(path);
            let label = exit.label;
            self.exits.push(exit);
            if self.terms.constant(stays) != Some(1) {
                self.guards.push(Guard::against(label, stays));
            }
        }
    }

    /// Joins what lanes had written that broke out of the loop.
    fn join_breaks(&mut self, leaving: &Leaving, breaks: &[ExitRecord], parts_ways: bool) {
        let mut written: Vec<(Slot, Vec<SlotValue>)> = Vec::new();
        for exit in breaks {
            for (slot, held) in &exit.written {
                if self.is_as_it_began(leaving, *slot, held) {
                    continue;
                }
                match written.iter_mut().find(|(known, _)| known == slot) {
                    Some((_, all)) => all.push(held.clone()),
                    None => written.push((*slot, vec![held.clone()])),
                }
            }
        }
        for (slot, all) in written {
            match slot {
                Slot::Scalar(variable) => {
                    let mut found = match self.held(slot) {
                        SlotValue::Scalar(value) => vec![value],
                        SlotValue::Object(_) => continue,
                    };
                    for held in all {
                        if let SlotValue::Scalar(value) = held {
                            found.push(value);
                        }
                    }
                    let value = self.one_of(leaving, variable, found, parts_ways);
                    self.set(slot, SlotValue::Scalar(value));
                }
                Slot::Object(object) => {
                    let mut found = self.objects.get(&object).cloned().into_iter().collect();
                    let held = all.into_iter().filter_map(|held| match held {
                        SlotValue::Object(contents) => Some(contents),
                        SlotValue::Scalar(_) => None,
                    });
                    Vec::extend(&mut found, held);
                    let contents = self.one_of_contents(leaving, &found, parts_ways);
                    self.set(slot, SlotValue::Object(Rc::new(contents)));
                }
            }
        }
    }

    /// Some contents out of several: what all of them have in one place stays.
    fn one_of_contents(
        &self,
        leaving: &Leaving,
        all: &[Rc<Contents>],
        parts_ways: bool,
    ) -> Contents {
        let is_same = |at: u32, size: u32, value: &Value| {
            let mut all = all.iter();
            !self.is_own(leaving, value) && all.all(|one| one.read(at, size) == Some(value))
        };
        let mut found = Contents::empty();
        found.is_unset = false;
        found.changes = 1;
        if parts_ways {
            found.rest = Variation::Varying(LaneDifference::computed(PARTED));
        }
        for one in all {
            found.changes = found.changes.max(one.changes.saturating_add(1));
            found.rest = found.rest.join(&one.rest);
            found.has_lost_a_pointer |= one.has_lost_a_pointer;
            for (at, (size, value)) in &one.cells {
                if is_same(*at, *size, value) {
                    found.cells.insert(*at, (*size, value.clone()));
                } else {
                    found.has_lost_a_pointer |= value.is_known_pointer();
                    found.rest = found.rest.join(&value.variation(&self.terms));
                }
            }
        }
        found
    }

    /// Whether a slot holds what it did when the iteration began.
    fn is_as_it_began(&self, leaving: &Leaving, slot: Slot, held: &SlotValue) -> bool {
        let (Slot::Scalar(variable), SlotValue::Scalar(value)) = (slot, held) else {
            return false;
        };
        let carried = leaving.study.carried.iter().zip(&leaving.begin);
        carried
            .filter(|(carried, _)| carried.variable == variable)
            .any(|(_, begin)| begin == value && !matches!(value, Some(Value::Opaque(..))))
    }

    /// Some value out of several.
    fn one_of(
        &mut self,
        leaving: &Leaving,
        variable: VarId,
        found: Vec<Option<Value>>,
        parts_ways: bool,
    ) -> Option<Value> {
        // Not set on one way: reading it there would be undefined.
        let mut found: Vec<Value> = found.into_iter().flatten().collect();
        found.dedup();
        let mut variation = Variation::Uniform;
        for value in &found {
            variation = variation.join(&value.variation(&self.terms));
        }
        if parts_ways {
            variation = variation.join(&Variation::Varying(LaneDifference::computed(PARTED)));
        }
        if let [one] = found.as_slice()
            && !self.is_own(leaving, one)
        {
            return Some(one.clone());
        }
        let first = found.first()?.clone();
        let ty = self.scalar_type_of(variable).unwrap_or(Scalar::I32);
        let name = &*self.kernel.variables[variable.index()].name;
        let name: Arc<str> = format!("{name} after the loop").into();
        let terms: Option<Vec<TermId>> = found
            .iter()
            .map(|value| match value {
                Value::Int(term) => Some(*term),
                Value::Pointer(pointer) => Some(pointer.offset),
                Value::Opaque(..) => None,
            })
            .collect();
        let domain = terms.as_ref().map(|terms| self.hull(terms));
        let is_pointer = |value: &Value| matches!(value, Value::Pointer(_));
        if found.iter().all(is_pointer) {
            let mut base = None;
            for value in &found {
                let Value::Pointer(pointer) = value else {
                    continue;
                };
                base = Some(match base {
                    None => pointer.base.clone(),
                    Some(known) => either(&known, &pointer.base, parts_ways),
                });
            }
            let offset = self.terms.new_symbol(name, variation.sharing(), domain?);
            return Some(Value::Pointer(Pointer {
                base: base?,
                offset,
            }));
        }
        match (first, domain) {
            (Value::Int(_), Some(domain)) if !found.iter().any(is_pointer) => Some(Value::Int(
                self.terms.new_symbol(name, variation.sharing(), domain),
            )),
            _ => Some(self.unknown(ty, variation, name)),
        }
    }

    /// Bounds of several terms; their values, where those are numbers.
    fn hull(&self, terms: &[TermId]) -> Domain {
        let numbers: Option<Vec<i64>> = terms
            .iter()
            .map(|term| self.terms.constant(*term))
            .collect();
        if let Some(mut numbers) = numbers {
            numbers.sort_unstable();
            numbers.dedup();
            return Domain::of(numbers);
        }
        let bounds = terms.iter().map(|term| self.terms.interval(*term));
        let (low, high) = bounds.fold((i64::MAX, i64::MIN), |all, one| {
            (all.0.min(one.0), all.1.max(one.1))
        });
        Domain::range(low, high)
    }

    /// Whether a value speaks of the loop's own iterations.
    fn is_own(&self, leaving: &Leaving, value: &Value) -> bool {
        match value {
            Value::Int(term) => self.is_own_term(leaving, *term),
            Value::Pointer(pointer) => self.is_own_term(leaving, pointer.offset),
            Value::Opaque(..) => true,
        }
    }

    fn is_own_term(&self, leaving: &Leaving, term: TermId) -> bool {
        self.terms.symbols_below(term) > leaving.own
    }

    /// An exit for a place further out, without the loop's own symbols.
    fn generalised(&mut self, leaving: &Leaving, exit: ExitRecord) -> ExitRecord {
        let base = leaving.base.min(exit.guards.len());
        let mut guards = exit.guards[..base].to_vec();
        let path = self.conjunction(&exit.guards[base..]);
        // A study's paths do not say who left in an iteration before.
        let is_own = self.is_own_term(leaving, path);
        let is_parted = self.study_depth > 0 && is_own && self.parts_lanes_early(leaving);
        let varies = self.terms.is_varying(path) || is_parted;
        if is_own {
            let sharing = if varies {
                Sharing::Varying(LaneDifference::computed(GONE))
            } else {
                Sharing::Uniform
            };
            guards.push(self.terms.new_symbol(GONE, sharing, Domain::range(0, 1)));
        } else {
            guards.push(path);
        }
        let mut written = exit.written;
        if varies {
            for (slot, held) in &mut written {
                self.part(leaving, *slot, held);
            }
        }
        ExitRecord {
            label: exit.label,
            guards,
            written,
        }
    }

    /// Whether lanes leave a studied loop in different iterations, for wherever.
    fn parts_lanes_early(&self, leaving: &Leaving) -> bool {
        let study = leaving.study;
        study.parts_ways
            || study.exits.iter().any(|exit| {
                let own = exit.guards.get(leaving.base..).unwrap_or(&[]);
                own.iter().any(|guard| self.terms.is_varying(*guard))
            })
    }

    /// Makes what lanes took with them from different iterations a value of each lane.
    fn part(&mut self, leaving: &Leaving, slot: Slot, held: &mut SlotValue) {
        match (slot, held) {
            (Slot::Scalar(_), SlotValue::Scalar(Some(value))) => {
                *value = self.parted(leaving, value)
            }
            (Slot::Object(_), SlotValue::Object(contents)) => {
                let mut parted = Contents::clone(contents);
                for (_, value) in parted.cells.values_mut() {
                    *value = self.parted(leaving, value);
                }
                parted.rest = parted
                    .rest
                    .join(&Variation::Varying(LaneDifference::computed(PARTED)));
                parted.changes += 1;
                *contents = Rc::new(parted);
            }
            _ => {}
        }
    }

    fn parted(&mut self, leaving: &Leaving, value: &Value) -> Value {
        if !self.is_own(leaving, value) {
            return value.clone();
        }
        let varying = value
            .variation(&self.terms)
            .join(&Variation::Varying(LaneDifference::computed(PARTED)));
        match value {
            Value::Int(term) => {
                let domain = self.hull(&[*term]);
                Value::Int(self.terms.new_symbol(PARTED, varying.sharing(), domain))
            }
            Value::Pointer(pointer) => {
                let domain = self.hull(&[pointer.offset]);
                Value::Pointer(Pointer {
                    base: pointer.base.one_of_those(true),
                    offset: self.terms.new_symbol(PARTED, varying.sharing(), domain),
                })
            }
            Value::Opaque(_, name) => Value::Opaque(varying, name.clone()),
        }
    }
}
