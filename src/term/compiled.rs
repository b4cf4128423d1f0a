//! Terms made ready to be evaluated many times, for all lanes at once.
//!
//! Given some terms of one arena, puts their parts in an order in which each comes after its own
//! parts; gives their values for one assignment after the other without looking anything up by
//! name. What lanes share is evaluated once. Knows nothing of what the values are for.

use super::side_table::SideTable;
use super::{Op, Sharing, SymbolId, Term, TermId, Terms, fold};
use crate::gpu::WARP;
use crate::ir::Scalar;

/// A value for each lane; `None` where C leaves it undefined.
pub type Lanes = [Option<i64>; WARP];

/// The value of one term that lanes share; `None` where C leaves it undefined.
#[must_use]
pub fn value(
    terms: &Terms,
    id: TermId,
    assignment: impl Fn(SymbolId) -> Option<i64>,
) -> Option<i64> {
    let mut evaluation = Evaluation::new(terms, [id]);
    evaluation.run(|symbol, _| assignment(symbol));
    evaluation.value(id)
}

/// The parts of some terms, each after its own parts, with their values.
pub struct Evaluation<'t> {
    parts: Vec<Part<'t>>,
    /// Values of parts that all lanes share.
    shared: Vec<Option<i64>>,
    /// Those of the others.
    by_lane: Vec<ByLane>,
    /// Shared parts that have to hold.
    gates: Vec<bool>,
    places: Vec<(TermId, ValueSlot)>,
}

/// Where a part's value stands.
#[derive(Clone, Copy, Debug)]
pub enum ValueSlot {
    Shared(usize),
    ByLane(usize),
}

struct Part<'t> {
    place: ValueSlot,
    what: What<'t>,
}

/// A part over the places of its own parts.
enum What<'t> {
    Symbol(SymbolId),
    Lane,
    Binary(Op, ValueSlot, ValueSlot),
    Not(ValueSlot),
    Select(ValueSlot, ValueSlot, ValueSlot),
    Wrap(Scalar, ValueSlot),
    Table(ValueSlot, &'t [i64]),
}

/// A number for each lane; of undefined ones it means nothing.
#[derive(Clone, Copy)]
struct ByLane {
    numbers: [i64; WARP],
    /// Bit n: that of lane n is defined.
    defined: u32,
}

impl ByLane {
    fn of(value: impl Fn(usize) -> Option<i64>) -> Self {
        let (mut numbers, mut defined) = ([0; WARP], 0);
        for (lane, number) in numbers.iter_mut().enumerate() {
            if let Some(value) = value(lane) {
                *number = value;
                defined |= 1 << lane;
            }
        }
        Self { numbers, defined }
    }

    fn all(value: Option<i64>) -> Self {
        Self {
            numbers: [value.unwrap_or(0); WARP],
            defined: if value.is_some() { u32::MAX } else { 0 },
        }
    }

    fn get(&self, lane: usize) -> Option<i64> {
        (self.defined >> lane & 1 == 1).then(|| self.numbers[lane])
    }

    /// An operator that is defined for any two numbers.
    fn always(a: &Self, b: &Self, f: impl Fn(i64, i64) -> i64) -> Self {
        let mut numbers = [0; WARP];
        for (lane, number) in numbers.iter_mut().enumerate() {
            *number = f(a.numbers[lane], b.numbers[lane]);
        }
        Self {
            numbers,
            defined: a.defined & b.defined,
        }
    }

    /// An operator that says of its result whether it left 64 bits.
    fn within(a: &Self, b: &Self, f: impl Fn(i64, i64) -> (i64, bool)) -> Self {
        let (mut numbers, mut left) = ([0; WARP], 0);
        for (lane, number) in numbers.iter_mut().enumerate() {
            let (value, has_left) = f(a.numbers[lane], b.numbers[lane]);
            *number = value;
            left |= u32::from(has_left) << lane;
        }
        Self {
            numbers,
            defined: a.defined & b.defined & !left,
        }
    }

    fn sometimes(a: &Self, b: &Self, f: impl Fn(i64, i64) -> Option<i64>) -> Self {
        let defined = a.defined & b.defined;
        Self::of(|lane| {
            (defined >> lane & 1 == 1)
                .then(|| f(a.numbers[lane], b.numbers[lane]))
                .flatten()
        })
    }

    /// As [`fold`], but that the operator is looked at once for all lanes.
    fn binary(op: Op, a: &Self, b: &Self) -> Self {
        match op {
            Op::Add => Self::within(a, b, i64::overflowing_add),
            Op::Sub => Self::within(a, b, i64::overflowing_sub),
            Op::Mul => Self::within(a, b, i64::overflowing_mul),
            Op::And => Self::always(a, b, |x, y| x & y),
            Op::Xor => Self::always(a, b, |x, y| x ^ y),
            Op::Eq => Self::always(a, b, |x, y| i64::from(x == y)),
            Op::Ne => Self::always(a, b, |x, y| i64::from(x != y)),
            Op::Lt => Self::always(a, b, |x, y| i64::from(x < y)),
            Op::Le => Self::always(a, b, |x, y| i64::from(x <= y)),
            Op::LogicalAnd => Self::always(a, b, |x, y| i64::from(x != 0 && y != 0)),
            _ => Self::sometimes(a, b, |x, y| fold(op, x, y)),
        }
    }
}

impl<'t> Evaluation<'t> {
    #[must_use]
    pub fn new(terms: &'t Terms, roots: impl IntoIterator<Item = TermId>) -> Self {
        // Terms are made after their parts: the order of their numbers is one of evaluation.
        let subterms = terms.subterms(roots.into_iter());
        let mut this = Self {
            parts: Vec::with_capacity(subterms.len()),
            shared: Vec::new(),
            by_lane: Vec::new(),
            gates: Vec::new(),
            places: Vec::with_capacity(subterms.len()),
        };
        let mut numbers = SideTable::default();
        for (number, id) in subterms.into_iter().enumerate() {
            let place = this.add(terms, terms.term(id), &numbers);
            numbers.insert(id, number as u32);
            this.places.push((id, place));
        }
        this.gates = vec![false; this.shared.len()];
        this
    }

    /// Where the value of a term stands that this was made for.
    #[must_use]
    pub fn place(&self, id: TermId) -> Option<ValueSlot> {
        let at = self.places.binary_search_by_key(&id, |(id, _)| *id);
        at.ok().map(|at| self.places[at].1)
    }

    /// Adds the next part, whose own parts are there: `numbers` says which of the places are theirs.
    fn add(&mut self, terms: &'t Terms, term: &'t Term, numbers: &SideTable) -> ValueSlot {
        let place = |id: &TermId| {
            let place = numbers.get(*id).and_then(|at| self.places.get(at as usize));
            place.map_or(ValueSlot::Shared(0), |(_, place)| *place)
        };
        let is_shared = |place: &ValueSlot| matches!(place, ValueSlot::Shared(_));
        let (is_shared, what) = match term {
            // Never changes.
            Term::Const(value) => {
                self.shared.push(Some(*value));
                return ValueSlot::Shared(self.shared.len() - 1);
            }
            Term::Symbol(symbol) => match terms.symbol(*symbol).sharing {
                Sharing::Lane => (false, What::Lane),
                Sharing::Uniform => (true, What::Symbol(*symbol)),
                Sharing::Varying(_) => (false, What::Symbol(*symbol)),
            },
            Term::Binary(op, a, b) => {
                let (a, b) = (place(a), place(b));
                (is_shared(&a) && is_shared(&b), What::Binary(*op, a, b))
            }
            Term::Not(a) => {
                let a = place(a);
                (is_shared(&a), What::Not(a))
            }
            Term::Select(condition, a, b) => {
                let all = [condition, a, b].map(place);
                let [condition, a, b] = all;
                (all.iter().all(is_shared), What::Select(condition, a, b))
            }
            Term::Wrap(ty, a) => {
                let a = place(a);
                (is_shared(&a), What::Wrap(*ty, a))
            }
            Term::Table(index, values) => {
                let index = place(index);
                (is_shared(&index), What::Table(index, values))
            }
        };
        let place = if is_shared {
            self.shared.push(None);
            ValueSlot::Shared(self.shared.len() - 1)
        } else {
            self.by_lane.push(ByLane::all(None));
            ValueSlot::ByLane(self.by_lane.len() - 1)
        };
        self.parts.push(Part { place, what });
        place
    }

    /// How many parts there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Has [`Evaluation::run`] end where this condition, if lanes share it, does not hold.
    pub fn require(&mut self, condition: TermId) {
        if let Some(ValueSlot::Shared(at)) = self.place(condition) {
            self.gates[at] = true;
        }
    }

    /// Takes the values under `assignment`, which gives each symbol its value by lane, the same for
    /// all lanes where they share it. False where it ended early: then values mean nothing.
    pub fn run(&mut self, assignment: impl Fn(SymbolId, usize) -> Option<i64>) -> bool {
        (0..self.parts.len()).all(|at| self.take(at, &assignment))
    }

    /// Takes the values once more of those parts only, as [`Evaluation::parts_of`] gives them: those of all
    /// others have to be under the same assignment still.
    pub fn run_again(
        &mut self,
        parts: &[usize],
        assignment: impl Fn(SymbolId, usize) -> Option<i64>,
    ) -> bool {
        parts.iter().all(|at| self.take(*at, &assignment))
    }

    /// The parts whose values a symbol has a say in, each after its own parts.
    #[must_use]
    pub fn parts_of(&self, symbol: SymbolId) -> Vec<usize> {
        let mut shared = vec![false; self.shared.len()];
        let mut by_lane = vec![false; self.by_lane.len()];
        let mut found = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            let has = |place: &ValueSlot| match *place {
                ValueSlot::Shared(at) => shared[at],
                ValueSlot::ByLane(at) => by_lane[at],
            };
            let is_of = match &part.what {
                What::Symbol(own) => *own == symbol,
                What::Lane => false,
                What::Binary(_, a, b) => has(a) || has(b),
                What::Not(a) | What::Wrap(_, a) | What::Table(a, _) => has(a),
                What::Select(condition, a, b) => has(condition) || has(a) || has(b),
            };
            if is_of {
                found.push(at);
                match part.place {
                    ValueSlot::Shared(at) => shared[at] = true,
                    ValueSlot::ByLane(at) => by_lane[at] = true,
                }
            }
        }
        found
    }

    /// Takes the value of one part. False where it has to hold and does not.
    fn take(&mut self, at: usize, assignment: &impl Fn(SymbolId, usize) -> Option<i64>) -> bool {
        let part = &self.parts[at];
        match part.place {
            ValueSlot::Shared(to) => {
                let value = self.shared_value(&part.what, assignment);
                if self.gates[to] && value.unwrap_or(0) == 0 {
                    return false;
                }
                self.shared[to] = value;
            }
            ValueSlot::ByLane(to) => {
                self.by_lane[to] = self.values_by_lane(&part.what, assignment);
            }
        }
        true
    }

    fn shared_value(
        &self,
        what: &What,
        assignment: &impl Fn(SymbolId, usize) -> Option<i64>,
    ) -> Option<i64> {
        let at = |place: &ValueSlot| self.at(*place, 0);
        match what {
            What::Symbol(symbol) => assignment(*symbol, 0),
            What::Lane => Some(0),
            What::Binary(op, a, b) => fold(*op, at(a)?, at(b)?),
            What::Not(a) => Some(i64::from(at(a)? == 0)),
            // The side that is not taken may well be undefined.
            What::Select(condition, a, b) => at(if at(condition)? == 0 { b } else { a }),
            What::Wrap(ty, a) => Some(ty.wrap(at(a)?)),
            What::Table(index, values) => values.get(usize::try_from(at(index)?).ok()?).copied(),
        }
    }

    fn values_by_lane(
        &self,
        what: &What,
        assignment: &impl Fn(SymbolId, usize) -> Option<i64>,
    ) -> ByLane {
        let (mut first, mut second) = (None, None);
        match what {
            What::Symbol(symbol) => ByLane::of(|lane| assignment(*symbol, lane)),
            What::Lane => ByLane::of(|lane| Some(lane as i64)),
            What::Binary(op, a, b) => {
                let (a, b) = (self.all(*a, &mut first), self.all(*b, &mut second));
                ByLane::binary(*op, a, b)
            }
            What::Not(a) => {
                let a = self.all(*a, &mut first);
                ByLane::always(a, a, |x, _| i64::from(x == 0))
            }
            What::Select(condition, a, b) => ByLane::of(|lane| {
                let chosen = if self.at(*condition, lane)? == 0 {
                    b
                } else {
                    a
                };
                self.at(*chosen, lane)
            }),
            What::Wrap(ty, a) => {
                let a = self.all(*a, &mut first);
                ByLane::always(a, a, |x, _| ty.wrap(x))
            }
            What::Table(index, values) => ByLane::of(|lane| {
                let at = usize::try_from(self.at(*index, lane)?).ok()?;
                values.get(at).copied()
            }),
        }
    }

    /// The values at a place, which stand in `room` where lanes share them.
    fn all<'a>(&'a self, place: ValueSlot, room: &'a mut Option<ByLane>) -> &'a ByLane {
        match place {
            ValueSlot::Shared(at) => room.insert(ByLane::all(self.shared[at])),
            ValueSlot::ByLane(at) => &self.by_lane[at],
        }
    }

    fn at(&self, place: ValueSlot, lane: usize) -> Option<i64> {
        match place {
            ValueSlot::Shared(at) => self.shared[at],
            ValueSlot::ByLane(at) => self.by_lane[at].get(lane),
        }
    }

    /// The value of a term that this was made for, in the first lane where lanes differ; `None`
    /// where C leaves it undefined.
    #[must_use]
    pub fn value(&self, id: TermId) -> Option<i64> {
        self.at(self.place(id)?, 0)
    }

    /// The values of a term that this was made for.
    #[must_use]
    pub fn lanes(&self, id: TermId) -> Lanes {
        let Some(place) = self.place(id) else {
            return [None; WARP];
        };
        match place {
            ValueSlot::Shared(at) => [self.shared[at]; WARP],
            ValueSlot::ByLane(at) => {
                let by_lane = &self.by_lane[at];
                std::array::from_fn(|lane| by_lane.get(lane))
            }
        }
    }

    /// The lanes in which all of some conditions hold that this was made for.
    #[must_use]
    pub fn active(&self, conditions: &[TermId]) -> u32 {
        let all = |lanes: u32, condition: &TermId| lanes & self.holds(*condition).0;
        conditions.iter().fold(u32::MAX, all)
    }

    /// The lanes in which a condition that this was made for holds, and those in which it is defined.
    #[must_use]
    pub fn holds(&self, condition: TermId) -> (u32, u32) {
        self.holds_at(self.place(condition))
    }

    /// The same of one whose place is known.
    #[must_use]
    pub fn holds_at(&self, condition: Option<ValueSlot>) -> (u32, u32) {
        match condition {
            Some(ValueSlot::Shared(at)) => match self.shared[at] {
                Some(value) => (if value == 0 { 0 } else { u32::MAX }, u32::MAX),
                None => (0, 0),
            },
            Some(ValueSlot::ByLane(at)) => {
                let ByLane { numbers, defined } = &self.by_lane[at];
                let mut lanes = 0;
                for (lane, number) in numbers.iter().enumerate() {
                    lanes |= u32::from(*number != 0) << lane;
                }
                (lanes & defined, *defined)
            }
            None => (0, 0),
        }
    }
}
