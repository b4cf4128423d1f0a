//! Loops: every iteration at once.
//!
//! The body is first studied with a fresh symbol for each variable it writes, which says what
//! variables are in iteration `k` (`induction.rs`). Then it is walked once with those values, `k`
//! being a symbol that all lanes share: lanes that are still in the loop are in the same iteration.

use super::Turns;
use super::value::{Pointer, Value, Variation};
use super::walker::{Guard, Held, Slot, Turning, Walker};
use crate::ir::{self, Block, Kernel, Loop, Scalar, Stmt, VarId, VariableKind};
use crate::term::{Domain, Sharing, SymbolId, Term, TermId};
use std::rc::Rc;

/// A variable that the loop changes, while the body is studied.
pub(super) struct Carried {
    pub variable: VarId,
    pub start: Option<Value>,
    /// The symbol standing for its value when an iteration begins.
    pub symbol: Option<SymbolId>,
    pub varying: bool,
    /// Its value when an iteration ends.
    pub end: Option<Value>,
}

/// What a studied body says.
pub(super) struct Study {
    pub carried: Vec<Carried>,
    /// The loop condition, over the symbols.
    pub condition: TermId,
    /// Symbols made before the body ran have smaller numbers.
    pub first_symbol: usize,
    objects: Vec<(VarId, Variation)>,
    pub leaves_early: bool,
    pub leaves_varying: bool,
}

impl Walker<'_> {
    pub fn run_loop(&mut self, body: &Loop) -> bool {
        let (base, first_exit) = (self.guards.len(), self.exits.len());
        let first_symbol = self.terms.symbol_count();
        let study = self.study(body);
        if self.dry == 0 {
            let studied = first_symbol..self.terms.symbol_count();
            self.studied.push(studied);
        }
        let (trip, tables) = self.concrete_run(body, &study);
        if trip == Some(0) {
            self.exits.truncate(first_exit);
            if body.pretest {
                self.block(&body.prelude);
            }
            return true;
        }
        // While a loop around it is studied only what is left behind counts, and who leaves.
        if self.dry > 0 {
            let last = |carried| self.final_value(carried, &study, trip, &tables);
            let finals = study.carried.iter().map(last).collect();
            self.take_over(&study, finals);
            self.leave_loop(body, base, first_exit, first_symbol);
            return true;
        }
        let counter_high = match trip {
            Some(n) => n - 1,
            None => self.trip_bound(&study).unwrap_or(i64::from(i32::MAX)),
        };
        let name = self.counter_name(body);
        let counter = self.terms.new_symbol(
            name,
            Sharing::Uniform,
            Domain::range(0, counter_high.max(0)),
        );
        let own = self.terms.symbol_count() - 1;

        // The values at the start of iteration `counter`.
        let (mut now, mut finals) = (Vec::new(), Vec::new());
        for carried in &study.carried {
            now.push(self.closed_form(carried, &study, counter, &tables));
            finals.push(self.final_value(carried, &study, trip, &tables));
        }
        self.take_over(&study, now);

        self.loop_depth += 1;
        // What stands before a test is reached once more than what stands after it.
        self.turning.push(Turning {
            turns: Turns {
                counter,
                trip: trip.and_then(|trip| u64::try_from(trip).ok()),
                condition: None,
            },
            is_exact: !body.pretest && !study.leaves_early,
        });
        self.open_label(body.break_label);
        if body.pretest {
            self.block(&body.prelude);
            let condition = self.condition(body.condition);
            let is_open = self.terms.constant(condition).is_none();
            if let Some(turning) = self.turning.last_mut() {
                turning.is_exact = !study.leaves_early;
                turning.turns.condition = is_open.then_some(condition);
            }
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
        self.loop_depth -= 1;
        self.turning.pop();

        self.take_over(&study, finals);
        self.leave_loop(body, base, first_exit, own);
        true
    }

    /// Gives the variables that a loop writes their values, and its objects any contents.
    fn take_over(&mut self, study: &Study, values: Vec<Option<Value>>) {
        for (carried, value) in study.carried.iter().zip(values) {
            self.set(Slot::Scalar(carried.variable), Held::Scalar(value));
        }
        for (object, variation) in &study.objects {
            self.havoc_object(*object, variation);
        }
    }

    /// Guards after a loop: lanes that returned from inside it are gone. Symbols from `own` on
    /// are its own.
    fn leave_loop(&mut self, body: &Loop, base: usize, first_exit: usize, own: usize) {
        let mut gone = Vec::new();
        let mut at = first_exit;
        while at < self.exits.len() {
            let label = self.exits[at].label;
            if label == body.break_label || label == body.continue_label {
                self.exits.remove(at);
                continue;
            }
            gone.push((
                label,
                self.exits[at].guards.get(base..).unwrap_or(&[]).to_vec(),
            ));
            at += 1;
        }
        self.guards.truncate(base);
        for (label, path) in gone {
            self.blurred.push(label);
            let path = self.conjunction(&path);
            let mut symbols = Vec::new();
            self.terms.symbols_of(path, &mut symbols);
            let is_local = symbols.iter().any(|symbol| symbol.0 as usize >= own);
            let condition = if !is_local {
                self.terms.not(path)
            } else if self.terms.has_data(path) {
                let reason = "lanes left the loop depending on data";
                self.terms
                    .new_symbol(reason, Sharing::Varying(reason.into()), Domain::range(0, 1))
            } else {
                continue;
            };
            self.guards.push(Guard::against(label, condition));
        }
    }

    /// Scalar variables and objects that statements write, in order of number.
    fn written(&mut self, body: &Loop) -> Rc<Vec<VarId>> {
        if let Some(known) = self.written_cache.get(&body.id.0) {
            return known.clone();
        }
        let mut found = Vec::new();
        for block in [&body.prelude, &body.body, &body.step] {
            collect_written(self.kernel, block, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        let found = Rc::new(found);
        self.written_cache.insert(body.id.0, found.clone());
        found
    }

    pub(super) fn is_scalar(&self, variable: VarId) -> Option<Scalar> {
        match self.kernel.variables[variable.index()].kind {
            VariableKind::Scalar(ty) => Some(ty),
            VariableKind::Object { .. } => None,
        }
    }

    /// Runs the body once without recording, each written variable standing for itself. While
    /// another study goes on, its exits stay.
    fn study(&mut self, body: &Loop) -> Study {
        let written = self.written(body);
        let mut carried: Vec<Carried> = written
            .iter()
            .filter(|variable| self.is_scalar(**variable).is_some())
            .map(|variable| {
                let start = self.scalars[variable.index()].clone();
                let varying = start
                    .as_ref()
                    .is_some_and(|value| value.variation(&self.terms) != Variation::Uniform);
                Carried {
                    variable: *variable,
                    start,
                    symbol: None,
                    varying,
                    end: None,
                }
            })
            .collect();
        // Objects written through known names; others are found on the trail.
        let mut objects: Vec<(VarId, Variation)> = written
            .iter()
            .filter(|variable| self.is_scalar(**variable).is_none())
            .map(|variable| (*variable, self.object_variation(*variable)))
            .collect();

        loop {
            let mark = self.trail.len();
            let base = self.guards.len();
            let first_exit = self.exits.len();
            let facts = self.facts.len();
            let blurred = self.blurred.clone();
            self.dry += 1;
            for item in &mut carried {
                let Some(start) = &item.start else { continue };
                let variation = if item.varying {
                    match start.variation(&self.terms) {
                        Variation::Uniform => {
                            Variation::Varying("a value that a loop changes per lane".into())
                        }
                        varying => varying,
                    }
                } else {
                    Variation::Uniform
                };
                let now = match start {
                    Value::Int(_) | Value::Pointer(_) => {
                        let name = self.kernel.variables[item.variable.index()].name.clone();
                        let domain = Domain::range(-crate::term::LIMIT, crate::term::LIMIT);
                        let term = self.terms.new_symbol(name, variation.sharing(), domain);
                        if let Term::Symbol(symbol) = *self.terms.term(term) {
                            item.symbol = Some(symbol);
                        }
                        match start {
                            Value::Pointer(pointer) => Value::Pointer(Pointer {
                                base: pointer.base.clone(),
                                offset: term,
                            }),
                            _ => Value::Int(term),
                        }
                    }
                    Value::Opaque(_, name) => Value::Opaque(variation, name.clone()),
                };
                self.set(Slot::Scalar(item.variable), Held::Scalar(Some(now)));
            }
            for (object, variation) in &objects {
                self.havoc_object(*object, variation);
            }
            let first_symbol = self.terms.symbol_count();

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
            if self.labelled(body.continue_label, &body.body) {
                self.block(&body.step);
                if !body.pretest {
                    self.block(&body.prelude);
                    condition = Some(self.condition(body.condition));
                }
            }
            self.close_open_label();
            let condition = condition.unwrap_or_else(|| self.terms.int(1));

            let mut stable = true;
            for item in &mut carried {
                item.end = self.scalars[item.variable.index()].clone();
                let Some(end) = &item.end else { continue };
                // Lanes that skip the change, or leave at different times, differ afterwards.
                if !item.varying
                    && item.start.is_some()
                    && end.variation(&self.terms) != Variation::Uniform
                {
                    item.varying = true;
                    stable = false;
                }
            }
            for (slot, _) in self.written_since(mark) {
                if let Slot::Object(object) = slot {
                    let variation = self.object_variation(object);
                    match objects.iter_mut().find(|(known, _)| *known == object) {
                        Some((_, known)) => {
                            if *known == Variation::Uniform && variation != Variation::Uniform {
                                *known = variation;
                                stable = false;
                            }
                        }
                        None => {
                            objects.push((object, variation));
                            stable = false;
                        }
                    }
                }
            }
            let mut leaves_early = false;
            let mut leaves_varying = false;
            for exit in &self.exits[first_exit..] {
                leaves_early = true;
                let own = exit.guards.get(base..).unwrap_or(&[]);
                leaves_varying |= own.iter().any(|guard| self.terms.is_varying(*guard));
            }
            self.facts.truncate(facts);
            self.blurred = blurred;
            self.guards.truncate(base);
            self.undo(mark);
            self.dry -= 1;
            let is_done = stable || self.incomplete.is_some();
            if !is_done || self.dry == 0 {
                self.exits.truncate(first_exit);
            }
            if is_done {
                return Study {
                    carried,
                    condition,
                    first_symbol,
                    objects,
                    leaves_early,
                    leaves_varying,
                };
            }
        }
    }

    fn object_variation(&self, object: VarId) -> Variation {
        self.objects
            .get(&object)
            .map_or(Variation::Uniform, |contents| {
                contents.variation(&self.terms)
            })
    }

    fn counter_name(&self, body: &Loop) -> String {
        // The variable that the step writes names the loop best.
        let mut found = Vec::new();
        collect_written(self.kernel, &body.step, &mut found);
        match found.first() {
            Some(variable) if !self.kernel.variables[variable.index()].name.is_empty() => {
                format!(
                    "iteration of {}",
                    self.kernel.variables[variable.index()].name
                )
            }
            _ => "iteration".to_owned(),
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
