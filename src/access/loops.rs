//! Loops: every iteration at once.
//!
//! The body is first studied with a fresh symbol for each variable it writes, which says what
//! variables are in iteration `k` (`closed_form.rs`). Then it is walked once with those values, `k`
//! being a symbol that all lanes share: lanes that are still in the loop are in the same iteration.
//! Which lanes those are, and what holds after the loop, is found in `exits.rs`.

mod carried;

use super::LoopIterations;
use super::counted::{self, Counter};
use super::exits::Present;
use super::extent::{self, Extent};
use super::trail::Mark;
use super::trips::{Table, Trips};
use super::value::{Value, Variation};
use super::walker::{ExitRecord, Guard, OpenLoop, Slot, SlotValue, Walker};
use super::way_out;
use crate::ir::{self, Block, Kernel, Loop, Scalar, Stmt, VarId, VariableKind};
use crate::term::{Counted, Domain, LaneDifference, Sharing, SymbolId, Term, TermId, iteration_of};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Rounds of a study in which objects that hold pointers are written in parts; in later ones as a whole.
const ROUNDS_FOR_PARTS: u32 = 4;

/// A variable that the loop changes, while the body is studied.
pub(super) struct Carried {
    pub variable: VarId,
    pub start: Option<Value>,
    /// The symbol standing for its value when an iteration begins.
    pub symbol: Option<SymbolId>,
    /// That value, over the symbol.
    pub begin: Option<Value>,
    pub varying: bool,
    /// Its value when an iteration ends.
    pub end: Option<Value>,
}

/// A local object that a loop writes.
#[derive(Clone)]
pub(super) struct WrittenObject {
    pub object: VarId,
    /// Its bytes that any iteration may write.
    pub extent: Extent,
    /// Whether lanes may differ in those.
    pub variation: Variation,
}

/// Result of studying an inner loop. The next round of the outer study begins with it: values only get less certain
/// from round to round, and beginning anew doubles the time at each level.
pub(super) struct LastRound {
    /// Of each carried variable.
    varying: Vec<bool>,
    objects: Vec<WrittenObject>,
}

/// The bytes of an object that stores go to.
#[derive(Default)]
struct StoredTo {
    extent: Extent,
    /// Whether there are others, which the text alone does not tell.
    is_open: bool,
}

/// Variables and objects that the statements of a loop write by name, in order of number.
pub(super) struct Written {
    pub variables: Vec<VarId>,
    extents: FxHashMap<VarId, StoredTo>,
    /// Variables that count its iterations.
    pub counters: Vec<Counter>,
}

/// Result of studying a loop's body.
pub(super) struct Study {
    pub carried: Vec<Carried>,
    /// The loop condition, over the symbols.
    pub condition: TermId,
    /// Symbols made before the body ran have smaller numbers.
    pub first_symbol: usize,
    pub objects: Vec<WrittenObject>,
    /// Lanes that leave on the way, over the symbols.
    pub exits: Vec<ExitRecord>,
    /// Lanes that go on behind the loop may come from different iterations.
    pub parts_ways: bool,
}

/// A loop that is being left: the lanes that do, and what the others have.
pub(super) struct Leaving<'l> {
    pub body: &'l Loop,
    pub study: &'l Study,
    /// Guards and exits before it.
    pub base: usize,
    pub first_exit: usize,
    /// Symbols from here on are its own.
    pub own: usize,
    /// Values of scalars when an iteration begins.
    pub begin: Vec<Option<Value>>,
    /// Their values where the condition ends the loop.
    pub finals: Vec<Option<Value>>,
}

impl Walker<'_> {
    pub fn run_loop(&mut self, body: &Loop) -> bool {
        let (base, first_exit) = (self.guards.len(), self.exits.len());
        let first_symbol = self.terms.symbol_count();
        let study = self.study(body);
        if self.parts_at_exits(&study, base)
            && let Some((shorter, way)) = way_out::split(self.kernel, body)
        {
            let falls = self.run_loop(&shorter);
            return falls && self.way_out(way);
        }
        if self.study_depth == 0 {
            let studied = first_symbol..self.terms.symbol_count();
            self.studied.push(studied);
        }
        let (trips, tables) = self.concrete_run(body, &study);
        self.state_trips(body, &study, &tables, trips);
        if trips.exact == Some(0) {
            self.exits.truncate(first_exit);
            if body.pretest {
                self.block(&body.prelude);
            }
            return true;
        }
        let unrolled = self.unrolled(body, &study, trips);
        // While a loop around it is studied only what is left behind counts, and who leaves.
        if self.study_depth > 0 {
            let symbols = study.carried.iter().map(|carried| carried.begin.clone());
            let leaving = Leaving {
                body,
                base,
                first_exit,
                own: first_symbol,
                begin: symbols.collect(),
                finals: self.final_values(body, &study, trips, &tables),
                study: &study,
            };
            self.exits.extend(study.exits.iter().cloned());
            self.leave_loop(&leaving);
            self.set_unrolled(unrolled, first_symbol);
            return true;
        }
        let counter = self.loop_counter(body, &study, trips);
        let own = self
            .terms
            .symbol_count()
            .saturating_sub(1)
            .max(first_symbol);

        let begin = self.begin_values(body, &study, counter, &tables);
        let finals = self.final_values(body, &study, trips, &tables);
        self.assign_loop_values(&study, begin.clone());
        self.run_any_iteration(body, &study, &begin, counter, trips);

        self.leave_loop(&Leaving {
            body,
            study: &study,
            base,
            first_exit,
            own,
            begin,
            finals,
        });
        self.set_unrolled(unrolled, first_symbol);
        true
    }

    /// Values of scalars at the start of iteration `counter`.
    fn begin_values(
        &mut self,
        body: &Loop,
        study: &Study,
        counter: TermId,
        tables: &FxHashMap<VarId, Table>,
    ) -> Vec<Option<Value>> {
        let variable = self.counter_variable(body);
        let mut begin = Vec::new();
        for carried in &study.carried {
            let value = self.closed_form(carried, study, counter, tables);
            if Some(carried.variable) == variable {
                self.note_counted(counter, value.as_ref());
            }
            begin.push(value);
        }
        begin
    }

    /// Walks the body for iteration `counter`, with the lanes that are still in the loop.
    fn run_any_iteration(
        &mut self,
        body: &Loop,
        study: &Study,
        begin: &[Option<Value>],
        counter: TermId,
        trips: Trips,
    ) {
        self.loop_depth += 1;
        let facts = self.facts.len();
        let leaves_early = !study.exits.is_empty();
        let premises = self.premises.count();
        let present = self.still_present(body, study, begin, counter);
        // What stands before a test is reached once more than what stands after it.
        self.open_loops.push(OpenLoop {
            turns: LoopIterations {
                counter,
                trip: trips.exact.and_then(|trip| u64::try_from(trip).ok()),
                condition: None,
            },
            is_exact: !body.pretest && !leaves_early && present.after_head.is_none(),
            leaves_early,
        });
        self.run_iteration(body, present, leaves_early);
        self.facts.truncate(facts);
        self.loop_depth -= 1;
        self.open_loops.pop();
        let stays_near = |exit: &ExitRecord| exit.label == body.break_label;
        if study.exits.iter().all(stays_near) {
            self.premises.close_masks(premises, self.visits.len());
        }
    }

    /// The number of the iteration, up to the last one that there may be.
    fn loop_counter(&mut self, body: &Loop, study: &Study, trips: Trips) -> TermId {
        let bound = match trips.most {
            Some(_) => None,
            None => self.trip_bound(body, study),
        };
        // The head of a loop that lanes leave at different times is reached once more.
        let head = i64::from(
            body.pretest && !body.prelude.is_empty() && self.terms.is_varying(study.condition),
        );
        let counter_high = match trips.most {
            Some(n) => n - 1 + head,
            None => bound.map_or(i64::from(i32::MAX), |bound| bound.saturating_add(head)),
        };
        let variable = self.counter_variable(body);
        let name = variable.map(|variable| self.kernel.variables[variable.index()].name.clone());
        let name = name.map(|name| Arc::from(&*name));
        self.terms.new_iteration(name.as_ref(), counter_high.max(0))
    }

    /// Goes through the body once, for any iteration.
    fn run_iteration(&mut self, body: &Loop, present: Present, leaves_early: bool) {
        self.open_label(body.break_label);
        let entry = self.guards.len();
        let stays = |condition| Guard::against(body.break_label, condition);
        self.guards.extend(present.in_head.map(stays));
        if body.pretest {
            self.block(&body.prelude);
            let condition = self.condition(body.condition);
            let is_open = self.terms.constant(condition).is_none();
            if let Some(turning) = self.open_loops.last_mut() {
                turning.is_exact = !leaves_early && present.after_head.is_none();
                turning.turns.condition = is_open.then_some(condition);
            }
            if present.in_head.is_some() && self.guards.len() > entry {
                self.guards.remove(entry);
            }
            self.guards.extend(present.after_head.map(stays));
            if is_open {
                self.guards.push(Guard {
                    is_of_loop: true,
                    ..Guard::against(body.break_label, condition)
                });
            }
        }
        let falls = self.labelled(body.continue_label, &body.body);
        if falls {
            self.block(&body.step);
            if !body.pretest {
                self.block(&body.prelude);
            }
        }
        self.close_open_label();
    }

    /// Values of scalars where the condition ends the loop.
    fn final_values(
        &mut self,
        body: &Loop,
        study: &Study,
        trips: Trips,
        tables: &FxHashMap<VarId, Table>,
    ) -> Vec<Option<Value>> {
        let breaks = study
            .exits
            .iter()
            .any(|exit| exit.label == body.break_label);
        let count = match trips.exact.filter(|_| !breaks) {
            Some(count) => self.terms.int(count),
            None => {
                let least = i64::from(!body.pretest && !breaks);
                let most = trips.most.unwrap_or(i64::from(i32::MAX));
                let sharing = if study.parts_ways {
                    Sharing::Varying(LaneDifference::computed(
                        "how often a loop runs that lanes leave at different times",
                    ))
                } else {
                    Sharing::Uniform
                };
                let domain = Domain::range(least, most.max(least));
                self.terms.new_symbol("iterations done", sharing, domain)
            }
        };
        let last = |carried| self.final_value(carried, study, count, tables);
        study.carried.iter().map(last).collect()
    }

    /// Gives the variables that a loop writes their values, and its objects any contents.
    pub(super) fn assign_loop_values(&mut self, study: &Study, values: Vec<Option<Value>>) {
        for (carried, value) in study.carried.iter().zip(values) {
            self.set(Slot::Scalar(carried.variable), SlotValue::Scalar(value));
        }
        for one in &study.objects {
            self.forget_part(one.object, &one.extent, &one.variation);
        }
    }

    /// Scalar variables and objects that statements write, in order of number.
    fn written(&mut self, body: &Loop) -> Rc<Written> {
        if let Some(known) = self.written_cache.get(&body.id.0) {
            return known.clone();
        }
        let mut found = Vec::new();
        let mut extents = FxHashMap::default();
        for block in [&body.prelude, &body.body, &body.step] {
            collect_written(self.kernel, block, &mut found);
            ir::visit::statements(block, &mut |stmt| {
                if let Stmt::Store { pointer, ty, .. } = stmt
                    && let Some((object, extent)) =
                        extent::of_named(self.kernel, *pointer, ty.size())
                {
                    let known: &mut StoredTo = extents.entry(object).or_default();
                    match extent {
                        Some(extent) => known.extent.join(&extent),
                        None => known.is_open = true,
                    }
                }
            });
        }
        let counters = counted::counters(self.kernel, &body.step, &found);
        found.sort_unstable();
        found.dedup();
        let found = Rc::new(Written {
            variables: found,
            extents,
            counters,
        });
        self.written_cache.insert(body.id.0, found.clone());
        found
    }

    pub(super) fn scalar_type_of(&self, variable: VarId) -> Option<Scalar> {
        match self.kernel.variables[variable.index()].kind {
            VariableKind::Scalar(ty) => Some(ty),
            VariableKind::Object { .. } => None,
        }
    }

    /// Runs the body once without recording, each written variable standing for itself. While
    /// another study goes on, its exits stay.
    fn study(&mut self, body: &Loop) -> Study {
        let written = self.written(body);
        let mut carried = self.carried_variables(&written);
        let mut objects = self.written_objects(&written);
        if self.open_studies > 0
            && let Some(last) = self.last_rounds.get(&body.id.0)
        {
            for (item, varies) in carried.iter_mut().zip(&last.varying) {
                item.varying |= varies;
            }
            join_written(&mut objects, &last.objects);
        }
        let mut rounds = 0;

        loop {
            rounds += 1;
            let mark = self.trail.open();
            let held_pointers = std::mem::take(&mut self.trail.held_a_pointer);
            self.trail.watches += 1;
            let base = self.guards.len();
            let first_exit = self.exits.len();
            let facts = self.facts.len();
            let exits_of_unknown_lanes = self.exits_of_unknown_lanes.clone();
            let premises = self.premises.count();
            self.study_depth += 1;
            self.open_studies += 1;
            for item in &mut carried {
                let now = self.studied_value(item);
                item.begin = now.clone();
                self.set(Slot::Scalar(item.variable), SlotValue::Scalar(now));
            }
            for one in &objects {
                self.forget_part(one.object, &one.extent, &one.variation);
            }
            let outer = std::mem::take(&mut self.touched);
            let first_symbol = self.terms.symbol_count();

            let condition = self.run_studied(body, &written, &carried);
            let mut stable = self.note_ends(&mut carried);
            let touched = std::mem::replace(&mut self.touched, outer);
            let joins_parts = rounds < ROUNDS_FOR_PARTS;
            stable &= self.join_touched(&mut objects, &touched, mark, joins_parts);
            for (object, extent) in touched {
                self.touched.entry(object).or_default().join(&extent);
            }
            let exits = self.exits.split_off(first_exit);
            let leaves = |exit: &&ExitRecord| exit.label == body.break_label;
            let mut own = exits
                .iter()
                .filter(leaves)
                .flat_map(|exit| exit.guards.get(base..).unwrap_or(&[]));
            let parts_ways =
                self.terms.is_varying(condition) || own.any(|guard| self.terms.is_varying(*guard));
            self.facts.truncate(facts);
            self.exits_of_unknown_lanes = exits_of_unknown_lanes;
            self.guards.truncate(base);
            self.undo(mark);
            self.trail.close(mark);
            self.trail.watches -= 1;
            self.trail.held_a_pointer = held_pointers;
            self.study_depth -= 1;
            self.open_studies -= 1;
            let is_done = stable || self.incomplete.is_some();
            if is_done {
                self.keep_last_round(body, &carried, &objects);
                return Study {
                    carried,
                    condition,
                    first_symbol,
                    objects,
                    exits,
                    parts_ways,
                };
            }
            self.premises.truncate(premises);
        }
    }

    /// Lets the study of a loop begin where the last one ended, while the loop around it is studied.
    fn keep_last_round(&mut self, body: &Loop, carried: &[Carried], objects: &[WrittenObject]) {
        if self.open_studies > 0 {
            let last = LastRound {
                varying: carried.iter().map(|item| item.varying).collect(),
                objects: objects.to_vec(),
            };
            self.last_rounds.insert(body.id.0, last);
        } else {
            self.last_rounds.clear();
        }
    }

    /// Runs the body with each carried variable standing for itself; gives the condition to go on.
    fn run_studied(&mut self, body: &Loop, written: &Written, carried: &[Carried]) -> TermId {
        self.open_label(body.break_label);
        let mut condition = None;
        if body.pretest {
            self.block(&body.prelude);
            let term = self.condition(body.condition);
            condition = Some(term);
            if self.terms.constant(term).is_none() {
                self.guards.push(Guard::against(body.break_label, term));
            }
        }
        let counting = self.counting.len();
        let counted = self.counted(body, written, carried);
        self.counting.extend(counted);
        if self.labelled(body.continue_label, &body.body) {
            self.block(&body.step);
            if !body.pretest {
                self.block(&body.prelude);
                condition = Some(self.condition(body.condition));
            }
        }
        self.close_open_label();
        self.counting.truncate(counting);
        condition.unwrap_or_else(|| self.terms.int(1))
    }

    /// Notes what the variables are at the end of the body; false where one varies that did not before.
    fn note_ends(&self, carried: &mut [Carried]) -> bool {
        let mut stable = true;
        for item in carried {
            item.end = self.scalars[item.variable.index()].clone();
            let Some(end) = &item.end else { continue };
            // Lanes that skip the change, or leave at different times, differ afterwards.
            if !item.varying && end.variation(&self.terms) != Variation::Uniform {
                item.varying = true;
                stable = false;
            }
        }
        stable
    }

    /// Adds what the body wrote since `mark`; false where it was not all among `objects`.
    fn join_touched(
        &mut self,
        objects: &mut Vec<WrittenObject>,
        touched: &FxHashMap<VarId, Extent>,
        mark: Mark,
        joins_parts: bool,
    ) -> bool {
        let mut stable = true;
        let held_a_pointer = self.objects_that_held_a_pointer(mark);
        for slot in self.slots_written_since(mark) {
            let Slot::Object(object) = slot else { continue };
            let at = objects.iter().position(|one| one.object == object);
            let Some(extent) = touched.get(&object) else {
                continue;
            };
            let is_covered = at.is_some_and(|at| objects[at].extent.covers(extent));
            let extent = match at {
                Some(at) if is_covered => objects[at].extent.clone(),
                // Pointers are worth another look for what else may be written then.
                _ if held_a_pointer.contains(&object) && joins_parts => {
                    let mut joined = extent.clone();
                    if let Some(at) = at {
                        joined.join(&objects[at].extent);
                    }
                    joined
                }
                _ => Extent::all(),
            };
            let found = self.written_object(object, extent);
            match at {
                Some(at) => {
                    let known = &mut objects[at];
                    let varies = found.variation != Variation::Uniform;
                    stable &= is_covered;
                    known.extent = found.extent;
                    if known.variation == Variation::Uniform && varies {
                        known.variation = found.variation;
                        stable = false;
                    }
                }
                None => {
                    objects.push(found);
                    stable = false;
                }
            }
        }
        stable
    }

    /// The variable that names a loop best: the one that its step writes.
    fn counter_variable(&self, body: &Loop) -> Option<VarId> {
        let mut found = Vec::new();
        collect_written(self.kernel, &body.step, &mut found);
        let first = *found.first()?;
        let is_named = !self.kernel.variables[first.index()].name.is_empty();
        is_named.then_some(first)
    }

    /// Notes what the variable that counts a loop is in each iteration.
    fn note_counted(&mut self, counter: TermId, value: Option<&Value>) {
        let (Term::Symbol(symbol), Some(Value::Int(value))) =
            (self.terms.term(counter).clone(), value)
        else {
            return;
        };
        let counted = match *self.terms.term(*value) {
            _ if *value == counter => Counted::Number,
            Term::Table(index, _) if index == counter => Counted::Selected,
            _ => Counted::Other,
        };
        self.terms.symbol_mut(symbol).counted = counted;
    }

    /// How the iterations of a loop are called.
    pub(super) fn counter_name(&self, body: &Loop) -> String {
        let variable = self.counter_variable(body);
        iteration_of(variable.map(|one| &*self.kernel.variables[one.index()].name))
    }
}

/// Adds what another study says of objects.
fn join_written(objects: &mut Vec<WrittenObject>, others: &[WrittenObject]) {
    for other in others {
        match objects.iter_mut().find(|one| one.object == other.object) {
            Some(known) => {
                known.extent.join(&other.extent);
                if known.variation == Variation::Uniform {
                    known.variation = other.variation.clone();
                }
            }
            None => objects.push(other.clone()),
        }
    }
}

/// Adds the variables that statements write by name.
fn collect_written(kernel: &Kernel, block: &Block, into: &mut Vec<VarId>) {
    for stmt in block {
        match stmt {
            Stmt::Assign { variable, .. } => into.push(*variable),
            Stmt::Load { target, .. } => into.push(*target),
            Stmt::Atomic { target, .. } | Stmt::Collective { target, .. } => {
                into.extend(target.iter())
            }
            Stmt::Matrix { targets, .. } => into.extend(targets.iter()),
            Stmt::Opaque { variables, .. } => into.extend(variables.iter()),
            Stmt::If {
                then, otherwise, ..
            } => {
                collect_written(kernel, then, into);
                collect_written(kernel, otherwise, into);
            }
            Stmt::Labelled { body, .. } => collect_written(kernel, body, into),
            Stmt::Loop(inner) => {
                collect_written(kernel, &inner.prelude, into);
                collect_written(kernel, &inner.body, into);
                collect_written(kernel, &inner.step, into);
            }
            Stmt::Store { pointer, .. } => into.extend(ir::local_object(&kernel.exprs, *pointer)),
            Stmt::OpaqueAccess { .. }
            | Stmt::Exit(_)
            | Stmt::Return
            | Stmt::Barrier { .. }
            | Stmt::Assume { .. } => {}
        }
    }
}
