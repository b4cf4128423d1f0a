//! Terms made ready to be evaluated many times.
//!
//! Given some terms of one arena, puts their parts in an order in which each comes after
//! its own parts; gives their values for one assignment after the other without looking
//! anything up by name. Knows nothing of what the values are for.

use super::term::{Op, SymbolId, Term, TermId, Terms, fold, wrap_value};
use crate::ir::Scalar;
use rustc_hash::FxHashMap;

/// One part, with its own parts by their place.
enum Step<'t> {
    Const(i64),
    Symbol(SymbolId),
    Binary(Op, u32, u32),
    Not(u32),
    Select(u32, u32, u32),
    Wrap(Scalar, u32),
    Table(u32, &'t [i64]),
}

/// The parts of some terms, each after its own parts.
pub struct Evaluation<'t> {
    steps: Vec<Step<'t>>,
    place: FxHashMap<TermId, u32>,
    values: Vec<Option<i64>>,
}

impl<'t> Evaluation<'t> {
    #[must_use]
    pub fn new(terms: &'t Terms, roots: impl IntoIterator<Item = TermId>) -> Self {
        let mut steps = Vec::new();
        let mut place: FxHashMap<TermId, u32> = FxHashMap::default();
        let mut stack: Vec<(TermId, bool)> = roots.into_iter().map(|root| (root, false)).collect();
        while let Some((id, parts_done)) = stack.pop() {
            if place.contains_key(&id) {
                continue;
            }
            if !parts_done {
                stack.push((id, true));
                match terms.term(id) {
                    Term::Const(_) | Term::Symbol(_) => {}
                    Term::Binary(_, a, b) => stack.extend([(*a, false), (*b, false)]),
                    Term::Not(a) | Term::Wrap(_, a) | Term::Table(a, _) => stack.push((*a, false)),
                    Term::Select(c, a, b) => stack.extend([(*c, false), (*a, false), (*b, false)]),
                }
                continue;
            }
            let of = |part: &TermId| place[part];
            let step = match terms.term(id) {
                Term::Const(value) => Step::Const(*value),
                Term::Symbol(symbol) => Step::Symbol(*symbol),
                Term::Binary(op, a, b) => Step::Binary(*op, of(a), of(b)),
                Term::Not(a) => Step::Not(of(a)),
                Term::Select(c, a, b) => Step::Select(of(c), of(a), of(b)),
                Term::Wrap(ty, a) => Step::Wrap(*ty, of(a)),
                Term::Table(index, values) => Step::Table(of(index), values),
            };
            place.insert(id, steps.len() as u32);
            steps.push(step);
        }
        Self {
            values: vec![None; steps.len()],
            steps,
            place,
        }
    }

    /// How many parts there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Takes the values under `assignment`.
    pub fn run(&mut self, assignment: impl Fn(SymbolId) -> Option<i64>) {
        for at in 0..self.steps.len() {
            let of = |place: &u32| self.values[*place as usize];
            let value = match &self.steps[at] {
                Step::Const(value) => Some(*value),
                Step::Symbol(symbol) => assignment(*symbol),
                Step::Binary(op, a, b) => match (of(a), of(b)) {
                    (Some(x), Some(y)) => fold(*op, x, y),
                    _ => None,
                },
                Step::Not(a) => of(a).map(|x| i64::from(x == 0)),
                // The side that is not taken may well be undefined.
                Step::Select(c, a, b) => match of(c) {
                    Some(0) => of(b),
                    Some(_) => of(a),
                    None => None,
                },
                Step::Wrap(ty, a) => of(a).map(|x| wrap_value(*ty, x)),
                Step::Table(index, values) => {
                    of(index).and_then(|at| values.get(usize::try_from(at).ok()?).copied())
                }
            };
            self.values[at] = value;
        }
    }

    /// The value of a term that this was made for; `None` where C leaves it undefined.
    #[must_use]
    pub fn value(&self, id: TermId) -> Option<i64> {
        self.values[*self.place.get(&id)? as usize]
    }
}
