//! Premises: what the walk takes for granted of loops, as claims that a solver can be asked for.
//!
//! Given a studied body and what the walk made of it, gives one [`Premise`] for each closed form,
//! number of iterations and set of lanes that are still inside. Each speaks of the body's own terms by
//! induction over the iteration: what holds in the first one and goes on from any one to the next. A
//! visit rests on all premises that were stated before it. Asks nobody.

mod stated;

use super::closed_form::Step;
use super::loops::{Carried, Study};
use super::trips::{Bound, Table, Trips};
use super::value::Value;
use super::walker::Walker;
use crate::ir::{Loop, Scalar, VarId};
use crate::term::formula::{Depth, Draft, Formula, Keep, Node, NodeId, Reading};
use crate::term::{Domain, LIMIT, Op, SymbolId, Term, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) use stated::Premises;
pub use stated::{Premise, PremiseKind};

/// The number that stands for a value: itself, or a pointer's offset.
fn number_of(value: &Value) -> Option<TermId> {
    match value {
        Value::Int(term) => Some(*term),
        Value::Pointer(pointer) => Some(pointer.offset),
        Value::Opaque(..) => None,
    }
}

/// Whether `value` is `general` with `count` in the place of `template`, as it stands.
fn is_instance(terms: &Terms, general: TermId, value: TermId, by: (TermId, TermId)) -> bool {
    let (template, count) = by;
    if general == template {
        return value == count;
    }
    let same = |a: TermId, b: TermId| is_instance(terms, a, b, by);
    match (terms.term(general), terms.term(value)) {
        _ if general == value => true,
        (Term::Binary(op, a, b), Term::Binary(other, x, y)) => {
            op == other && same(*a, *x) && same(*b, *y)
        }
        (Term::Wrap(ty, a), Term::Wrap(other, x)) => ty == other && same(*a, *x),
        // A table that is told further than it is used.
        (Term::Table(a, long), Term::Table(x, short)) => {
            let within = |at: i64| usize::try_from(at).is_ok_and(|at| at < short.len());
            let (low, high) = terms.interval(*x);
            same(*a, *x) && long.starts_with(short) && within(low) && within(high)
        }
        _ => false,
    }
}

/// Iterations of a loop without a known end that a form of bits is claimed for.
pub(super) const MAX_STEPS: i64 = 1 << 31;

/// The value of a variable over the walker's symbol for an iteration and one for where it starts.
#[derive(Clone, Copy)]
pub(super) struct Stepped {
    pub general: TermId,
    pub start: SymbolId,
    /// Least and greatest start.
    pub range: (i64, i64),
}

/// The value of a variable as a function of the walker's symbol for an iteration.
struct Form {
    symbol: SymbolId,
    general: TermId,
    is_line: bool,
}

impl Walker<'_> {
    fn name_of_variable(&self, variable: VarId) -> String {
        self.kernel.variables[variable.index()].name.to_string()
    }

    fn iteration_symbol(&self) -> Option<SymbolId> {
        match *self.terms.term(self.iteration) {
            Term::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// States that a variable follows a line, and that it is `value` after `count` iterations.
    pub(super) fn state_line(
        &mut self,
        carried: &Carried,
        step: Step,
        count: TermId,
        value: &Value,
    ) {
        let name = self.name_of_variable(carried.variable);
        let Some(general) = self.line_of(carried, step, &name) else {
            self.premises.state(PremiseKind::ClosedForm, &name, None);
            return;
        };
        if let Some(value) = number_of(value) {
            self.state_instance(&name, general, count, value);
        }
    }

    /// States the value of a linear variable in any iteration.
    fn line_of(&mut self, carried: &Carried, step: Step, name: &str) -> Option<TermId> {
        let (symbol, iteration) = (carried.symbol?, self.iteration_symbol()?);
        let start = carried.start.clone()?;
        let first = number_of(&start)?;
        let end = number_of(carried.end.as_ref()?)?;
        let general = number_of(&self.advanced(start, step, self.iteration))?;
        let ty = self.scalar_type_of(carried.variable)?;
        let line = Line {
            symbol,
            iteration,
            first,
            end,
            general,
            // Signed arithmetic that leaves its type is undefined.
            within: ty.is_signed().then(|| Domain::of_type(ty)),
        };
        let claim = line.claim(&self.terms);
        self.premises.state(PremiseKind::ClosedForm, name, claim);
        Some(general)
    }

    /// States that `general` is `value` where the iteration is `count`.
    fn state_instance(&mut self, name: &str, general: TermId, count: TermId, value: TermId) {
        if is_instance(&self.terms, general, value, (self.iteration, count)) {
            return;
        }
        let Some(iteration) = self.iteration_symbol() else {
            return;
        };
        let mut draft = Draft::of(&self.terms, Depth::Parts);
        let at = draft.read(count, &mut Reading::with(Vec::new()));
        let formed = draft.read(general, &mut Reading::with(vec![(iteration, at)]));
        let value = draft.read(value, &mut Reading::with(Vec::new()));
        draft.equal(formed, value);
        let kind = if draft.wraps() {
            PremiseKind::Width
        } else {
            PremiseKind::ClosedForm
        };
        let claim = draft.finish(Keep::Bounds);
        self.premises.state(kind, name, claim);
    }

    /// States that a variable goes through a table, and that it is `value` after `count` iterations.
    pub(super) fn state_table(
        &mut self,
        study: &Study,
        tables: &FxHashMap<VarId, Table>,
        carried: &Carried,
        count: TermId,
        value: TermId,
    ) {
        let name = self.name_of_variable(carried.variable);
        let Some(general) = self.table_of(study, tables, carried, &name) else {
            self.premises.state(PremiseKind::ClosedForm, &name, None);
            return;
        };
        self.state_instance(&name, general, count, value);
    }

    /// States the value of a variable in each iteration of its table.
    fn table_of(
        &mut self,
        study: &Study,
        tables: &FxHashMap<VarId, Table>,
        carried: &Carried,
        name: &str,
    ) -> Option<TermId> {
        let iteration = self.iteration_symbol()?;
        let table = tables.get(&carried.variable)?;
        let first = number_of(carried.start.as_ref()?)?;
        let end = number_of(carried.end.as_ref()?)?;
        let general = self.told(table);
        let mut mentioned = Vec::new();
        self.terms.symbols_of(end, &mut mentioned);
        let all = self.told_of(study, tables);
        let used = |symbol: &&(SymbolId, TermId, TermId)| mentioned.contains(&symbol.0);
        let steps = table.steps();
        let mut draft = Draft::of(&self.terms, Depth::Whole);
        let zero = draft.number(0);
        let start = draft.read(first, &mut Reading::with(Vec::new()));
        let begin = draft.read(general, &mut Reading::with(vec![(iteration, zero)]));
        draft.equal(begin, start);
        for at in 0..steps {
            let now = draft.number(at as i64);
            let next = draft.number(at as i64 + 1);
            let by = state_at(&mut draft, all.iter().filter(used), iteration, now);
            let stepped = draft.read(end, &mut Reading::with(by));
            let next = draft.read(general, &mut Reading::with(vec![(iteration, next)]));
            draft.equal(stepped, next);
        }
        if table.is_all {
            // What comes next would overflow a signed type.
            let now = draft.number(steps as i64);
            let by = state_at(&mut draft, all.iter(), iteration, now);
            let mut overflow = draft.number(0);
            for carried in &study.carried {
                let own =
                    |(symbol, ..): &&(SymbolId, TermId, TermId)| carried.symbol == Some(*symbol);
                let Some((_, _, end)) = all.iter().find(own) else {
                    continue;
                };
                let ty = self.scalar_type_of(carried.variable).unwrap_or(Scalar::I32);
                if ty.is_signed() {
                    let stepped = draft.read(*end, &mut Reading::with(by.clone()));
                    let passes = outside(&mut draft, stepped, ty);
                    overflow = draft.binary(Op::LogicalOr, overflow, passes);
                }
            }
            draft.claim(overflow);
        }
        let claim = draft.finish(Keep::Bounds);
        self.premises.state(PremiseKind::ClosedForm, name, claim);
        Some(general)
    }

    /// States that a variable is `general` in any iteration, or in each of the first `entries` and the one behind
    /// them; `None` where that cannot be claimed.
    pub(super) fn state_steps(
        &mut self,
        carried: &Carried,
        study: &Study,
        tables: &FxHashMap<VarId, Table>,
        form: Stepped,
        entries: Option<i64>,
    ) -> Option<()> {
        let (symbol, iteration) = (carried.symbol?, self.iteration_symbol()?);
        let Stepped {
            general,
            start,
            range,
        } = form;
        let end = number_of(carried.end.as_ref()?)?;
        let mut all = self.told_of(study, tables);
        let mentioned = self.terms.symbols_in([end]);
        all.retain(|(other, ..)| *other != symbol && mentioned.contains(other));
        let mut draft = Draft::of(&self.terms, Depth::Whole);
        let first = draft.unknown(range.0, range.1);
        let formed = |draft: &mut Draft, at: NodeId| {
            draft.read(
                general,
                &mut Reading::with(vec![(iteration, at), (start, first)]),
            )
        };
        let zero = draft.number(0);
        let begin = formed(&mut draft, zero);
        draft.equal(begin, first);
        let goes_on = |draft: &mut Draft, at: NodeId, next: NodeId| {
            let now = formed(draft, at);
            let mut by = state_at(draft, all.iter(), iteration, at);
            by.push((symbol, now));
            let stepped = draft.read(end, &mut Reading::with(by));
            let then = formed(draft, next);
            draft.equal(stepped, then);
        };
        match entries {
            Some(entries) => {
                for at in 0..entries {
                    let (at, next) = (draft.number(at), draft.number(at + 1));
                    goes_on(&mut draft, at, next);
                }
            }
            None => {
                // What goes by turns does in pairs of iterations.
                let pair = draft.unknown(0, MAX_STEPS / 2);
                let (one, two) = (draft.number(1), draft.number(2));
                let even = draft.binary(Op::Mul, pair, two);
                let odd = draft.binary(Op::Add, even, one);
                let next = draft.binary(Op::Add, even, two);
                goes_on(&mut draft, even, odd);
                goes_on(&mut draft, odd, next);
            }
        }
        let claim = draft.finish(Keep::Bounds)?;
        let name = self.name_of_variable(carried.variable);
        self.premises
            .state(PremiseKind::ClosedForm, &name, Some(claim));
        Some(())
    }

    /// The table of a variable over the symbol for an iteration, with what comes after it.
    fn told(&mut self, table: &Table) -> TermId {
        let mut values = table.values.clone();
        values.extend(table.last);
        let index = self.table_index(table, self.iteration);
        self.terms.table(index, values)
    }

    /// Of variables that constants decide: symbol, table and what an iteration makes of it.
    fn told_of(
        &mut self,
        study: &Study,
        tables: &FxHashMap<VarId, Table>,
    ) -> Vec<(SymbolId, TermId, TermId)> {
        let mut found = Vec::new();
        for carried in &study.carried {
            let table = tables.get(&carried.variable);
            if let (Some(symbol), Some(table), Some(Value::Int(end))) =
                (carried.symbol, table, &carried.end)
            {
                found.push((symbol, self.told(table), *end));
            }
        }
        found
    }

    /// States that a variable is one of the values that `general` tells, entry after entry; that it has
    /// no others where nothing else bounds the entry.
    pub(super) fn state_powers(
        &mut self,
        carried: &Carried,
        general: TermId,
        entries: usize,
        is_exhaustive: bool,
        used: (TermId, TermId),
    ) {
        let name = self.name_of_variable(carried.variable);
        let claim = self.powers_claim(carried, general, entries, is_exhaustive);
        self.premises.state(PremiseKind::ClosedForm, &name, claim);
        self.state_instance(&name, general, used.0, used.1);
    }

    fn powers_claim(
        &self,
        carried: &Carried,
        general: TermId,
        entries: usize,
        is_exhaustive: bool,
    ) -> Option<Formula> {
        let (symbol, iteration) = (carried.symbol?, self.iteration_symbol()?);
        let first = number_of(carried.start.as_ref()?)?;
        let end = number_of(carried.end.as_ref()?)?;
        let ty = self.scalar_type_of(carried.variable)?;
        let mut draft = Draft::of(&self.terms, Depth::Whole);
        let start = draft.read(first, &mut Reading::with(Vec::new()));
        for at in 0..entries {
            let here = draft.number(at as i64);
            let now = draft.read(general, &mut Reading::with(vec![(iteration, here)]));
            if at == 0 {
                draft.equal(now, start);
            }
            let stepped = draft.read(end, &mut Reading::with(vec![(symbol, now)]));
            if at + 1 < entries {
                let next = draft.number(at as i64 + 1);
                let next = draft.read(general, &mut Reading::with(vec![(iteration, next)]));
                draft.equal(stepped, next);
            } else if is_exhaustive {
                let stays = draft.binary(Op::Eq, stepped, now);
                let closed = if ty.is_signed() {
                    let passes = outside(&mut draft, stepped, ty);
                    draft.binary(Op::LogicalOr, stays, passes)
                } else {
                    stays
                };
                draft.claim(closed);
            }
        }
        draft.finish(Keep::Bounds)
    }

    /// States how often a loop runs.
    pub(super) fn state_trips(
        &mut self,
        body: &Loop,
        study: &Study,
        tables: &FxHashMap<VarId, Table>,
        trips: Trips,
    ) {
        let Some(most) = trips.most else { return };
        // The test that ends it comes after so many that do not.
        let fails_at = if body.pretest { most } else { most - 1 };
        let is_exact = trips.exact.is_some();
        if self.terms.constant(study.condition).is_some() {
            return;
        }
        let name = self.counter_name(body);
        let Some(iteration) = self.iteration_symbol() else {
            return;
        };
        let forms = self.forms_in(study, tables);
        let is_linear = forms.iter().all(|form| form.is_line);
        let mut draft = Draft::of(&self.terms, Depth::Whole);
        let test = |draft: &mut Draft, at: NodeId| {
            let mut by = Vec::new();
            for form in &forms {
                let now = draft.read(form.general, &mut Reading::with(vec![(iteration, at)]));
                by.push((form.symbol, now));
            }
            draft.read(study.condition, &mut Reading::with(by))
        };
        if is_exact && is_linear && fails_at > 1 {
            let before = draft.unknown(0, fails_at - 1);
            let holds = test(&mut draft, before);
            draft.claim(holds);
        } else if is_exact {
            for at in 0..fails_at {
                let at = draft.number(at);
                let holds = test(&mut draft, at);
                draft.claim(holds);
            }
        }
        let at = draft.number(fails_at);
        let holds = test(&mut draft, at);
        let fails = draft.node(Node::Not(holds));
        draft.claim(fails);
        let claim = draft.finish(Keep::Bounds);
        self.premises.state(PremiseKind::TripCount, &name, claim);
    }

    /// States that a variable has grown so far by some iteration that the test fails, by induction over
    /// the iterations in which it held.
    pub(super) fn state_bound(&mut self, body: &Loop, study: &Study, bound: Bound) {
        let name = self.counter_name(body);
        let own = |carried: &&Carried| carried.symbol == Some(bound.symbol);
        let claim = study.carried.iter().find(own).and_then(|carried| {
            let first = number_of(carried.start.as_ref()?)?;
            let end = number_of(carried.end.as_ref()?)?;
            let domain = &self.terms.symbol(bound.symbol).domain;
            let mut draft = Draft::of(&self.terms, Depth::Whole);
            let start = draft.read(first, &mut Reading::with(Vec::new()));
            let value = draft.unknown(domain.low, domain.high);
            let k = draft.unknown(0, bound.last);
            let mut now = Reading::with(vec![(bound.symbol, value)]);
            let holds = draft.read(study.condition, &mut now);
            let stepped = draft.read(end, &mut now);
            let (zero, one) = (draft.number(0), draft.number(1));
            let next = draft.binary(Op::Add, k, one);
            let last = draft.number(bound.last + 1);
            let (from, by) = (draft.number(bound.first), draft.number(bound.least));
            let mut has_grown = |k: NodeId, value: NodeId| {
                let grown = draft.binary(Op::Mul, k, by);
                let least = draft.binary(Op::Add, from, grown);
                draft.binary(Op::Le, least, value)
            };
            let (begins, grown) = (has_grown(zero, start), has_grown(k, value));
            let (grows, ended) = (has_grown(next, stepped), has_grown(last, value));
            let mut unless = |condition: NodeId, then: NodeId| {
                let not = draft.node(Node::Not(condition));
                draft.binary(Op::LogicalOr, not, then)
            };
            let goes_on = unless(holds, grows);
            let goes_on = unless(grown, goes_on);
            let fails = draft.node(Node::Not(holds));
            let not_ended = draft.node(Node::Not(ended));
            let ends = draft.binary(Op::LogicalOr, not_ended, fails);
            draft.claim(begins);
            draft.claim(goes_on);
            draft.claim(ends);
            draft.finish(Keep::Bounds)
        });
        self.premises.state(PremiseKind::TripCount, &name, claim);
    }

    /// States the values of the variables in a loop's condition.
    fn forms_in(&mut self, study: &Study, tables: &FxHashMap<VarId, Table>) -> Vec<Form> {
        let mut symbols = Vec::new();
        self.terms.symbols_of(study.condition, &mut symbols);
        let mut forms = Vec::new();
        for symbol in symbols {
            let own = |carried: &&Carried| carried.symbol == Some(symbol);
            let Some(carried) = study.carried.iter().find(own) else {
                continue;
            };
            let name = self.name_of_variable(carried.variable);
            let line = self.step_of(carried, study);
            let (general, is_line) = match line {
                Some(step) => (self.line_of(carried, step, &name), true),
                None if tables.contains_key(&carried.variable) => {
                    (self.table_of(study, tables, carried, &name), false)
                }
                None => continue,
            };
            if let Some(general) = general {
                forms.push(Form {
                    symbol,
                    general,
                    is_line,
                });
            }
        }
        forms
    }

    /// States which lanes are in an iteration: of those that leave in one where `path` holds, the ones
    /// for which `stays` does. Where that is not told, that a lane for which `path` holds never passes a
    /// later test: it goes on to hold.
    pub(super) fn state_mask(
        &mut self,
        body: &Loop,
        path: TermId,
        counter: SymbolId,
        stays: Option<TermId>,
    ) {
        let last = self.terms.symbol(counter).domain.high;
        if last < 1 {
            return;
        }
        let name = self.counter_name(body);
        // A remainder of one iteration and that of another have their parts in common.
        let depth = if stays.is_some() && self.has_bits_of(path, counter) {
            Depth::All
        } else {
            Depth::Parts
        };
        let mut draft = Draft::of(&self.terms, depth);
        let k = draft.unknown(0, last - 1);
        let one = draft.number(1);
        let next = draft.binary(Op::Add, k, one);
        let mut now = Reading::with(vec![(counter, k)]);
        let mut later = Reading::with(vec![(counter, next)]);
        let leaves = draft.read(path, &mut now);
        match stays {
            Some(stays) => {
                let zero = draft.number(0);
                let at_first = draft.read(stays, &mut Reading::with(vec![(counter, zero)]));
                draft.claim(at_first);
                let is_there = draft.read(stays, &mut now);
                let goes_on = draft.node(Node::Not(leaves));
                let remains = draft.binary(Op::LogicalAnd, is_there, goes_on);
                let is_there_then = draft.read(stays, &mut later);
                draft.equal(is_there_then, remains);
            }
            None => {
                let goes_on = draft.node(Node::Not(leaves));
                let leaves_then = draft.read(path, &mut later);
                if leaves_then == leaves {
                    return;
                }
                let for_good = draft.binary(Op::LogicalOr, goes_on, leaves_then);
                draft.claim(for_good);
            }
        }
        let claim = draft.finish(Keep::Bounds);
        let unwrapped = claim.as_ref().and_then(unwrapped);
        self.premises
            .state_either(PremiseKind::Mask, &name, claim, unwrapped);
    }

    /// Whether a quotient, a remainder or an operation on bits mentions the counter.
    fn has_bits_of(&self, term: TermId, counter: SymbolId) -> bool {
        let mut seen = FxHashSet::default();
        let mut waiting = vec![term];
        while let Some(term) = waiting.pop() {
            if !seen.insert(term) || !self.terms.mentions(term, &[counter]) {
                continue;
            }
            match *self.terms.term(term) {
                Term::Binary(
                    Op::Div | Op::Rem | Op::Shl | Op::Shr | Op::And | Op::Or | Op::Xor,
                    ..,
                )
                | Term::Table(..) => return true,
                Term::Binary(_, a, b) => waiting.extend([a, b]),
                Term::Select(c, a, b) => waiting.extend([c, a, b]),
                Term::Not(a) | Term::Wrap(_, a) => waiting.push(a),
                Term::Const(_) | Term::Symbol(_) => {}
            }
        }
        false
    }
}

/// Values of the variables with tables in one iteration.
fn state_at<'a>(
    draft: &mut Draft,
    told: impl Iterator<Item = &'a (SymbolId, TermId, TermId)>,
    iteration: SymbolId,
    at: NodeId,
) -> Vec<(SymbolId, NodeId)> {
    told.map(|(symbol, general, _)| {
        let now = draft.read(*general, &mut Reading::with(vec![(iteration, at)]));
        (*symbol, now)
    })
    .collect()
}

/// That a value is none of its type.
fn outside(draft: &mut Draft, value: NodeId, ty: Scalar) -> NodeId {
    let domain = Domain::of_type(ty);
    let (low, high) = (draft.number(domain.low), draft.number(domain.high));
    let below = draft.binary(Op::Lt, value, low);
    let above = draft.binary(Op::Lt, high, value);
    draft.binary(Op::LogicalOr, below, above)
}

/// That `general` is `first` in iteration 0, and from any iteration what the body makes of it in the
/// next.
struct Line {
    symbol: SymbolId,
    iteration: SymbolId,
    first: TermId,
    end: TermId,
    general: TermId,
    within: Option<Domain>,
}

impl Line {
    fn claim(&self, terms: &Terms) -> Option<Formula> {
        // Few formulas differ where what stays the same is one unknown; but it must be the same in both.
        for depth in [Depth::Whole, Depth::Parts] {
            let mut draft = Draft::of(terms, depth);
            let start = draft.read(self.first, &mut Reading::with(Vec::new()));
            let now = draft.unknown(-LIMIT, LIMIT);
            let stepped = draft.read(self.end, &mut Reading::with(vec![(self.symbol, now)]));
            draft.set_depth(Depth::Parts);
            let before = draft.of_parts;
            let k = draft.unknown(-LIMIT, LIMIT);
            let (zero, one) = (draft.number(0), draft.number(1));
            let next = draft.binary(Op::Add, k, one);
            let mut at = |k: NodeId| {
                let by = vec![(self.iteration, k)];
                draft.read(self.general, &mut Reading::with(by))
            };
            let (begin, formed, then) = (at(zero), at(k), at(next));
            if depth == Depth::Whole && draft.of_parts > before {
                continue;
            }
            draft.equal(begin, start);
            if stepped != now || formed != start {
                let is_now = draft.binary(Op::Eq, now, formed);
                draft.given(is_now);
                draft.equal(stepped, then);
            }
            if !draft.wraps() {
                return draft.finish(Keep::Nothing);
            }
            if let Some(domain) = &self.within {
                let (low, high) = (draft.number(domain.low), draft.number(domain.high));
                for (a, b) in [(low, start), (start, high)] {
                    let holds = draft.binary(Op::Le, a, b);
                    draft.given(holds);
                }
            }
            return draft.finish(Keep::Types);
        }
        None
    }
}

/// The formula weakened by the premise that no 32-bit arithmetic wraps; `None` where it has none.
fn unwrapped(formula: &Formula) -> Option<Formula> {
    let mut formula = formula.clone();
    for at in 0..formula.nodes.len() {
        let Node::Wrap(ty, inner) = formula.nodes[at] else {
            continue;
        };
        if ty.size() != 4 {
            continue;
        }
        let domain = Domain::of_type(ty);
        for (op, bound) in [(Op::Le, domain.low), (Op::Le, domain.high)] {
            let bound_at = formula.nodes.len() as NodeId;
            formula.nodes.push(Node::Number(bound));
            let condition = if bound == domain.low {
                Node::Binary(op, bound_at, inner)
            } else {
                Node::Binary(op, inner, bound_at)
            };
            formula.nodes.push(condition);
            formula.given.push(bound_at + 1);
        }
    }
    (!formula.given.is_empty()).then_some(formula)
}
