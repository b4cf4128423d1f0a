//! The lanes of one case: which of them the guards let through, and where each goes.

use super::super::normalise::{Evaluator, Obstacle};
use super::super::poly::{Coefficient, LANES, Monomial};
use super::super::reasons::{Hard, OpenGuard};
use super::{Class, Detail, FARTHEST, Failure, classify};
use crate::term::{SymbolId, TermId};
use rustc_hash::FxHashMap;

/// The lanes that a case's guards let through.
pub(super) struct GuardedLanes {
    pub mask: u32,
    /// Whether a guard lets an interior warp through whole.
    pub interior: bool,
    /// Why the set of lanes is open.
    pub open_mask: Option<OpenGuard>,
    /// Each guard, and whether `mask` says what it lets through.
    pub guards: Vec<(TermId, bool)>,
    pub obstacle: Option<Obstacle>,
    /// Whether a guard needed a split.
    pub is_split: bool,
}

impl GuardedLanes {
    fn all(guards: &[TermId]) -> Self {
        Self {
            mask: u32::MAX,
            interior: false,
            open_mask: None,
            guards: Vec::with_capacity(guards.len()),
            obstacle: None,
            is_split: false,
        }
    }
}

/// For an address that is the same whichever lanes take part: only what is decided already.
pub(super) fn lanes_decided(evaluator: &mut Evaluator<'_>, guards: &[TermId]) -> GuardedLanes {
    let mut out = GuardedLanes::all(guards);
    for guard in guards {
        let decided = evaluator.mask(*guard);
        out.mask &= decided.unwrap_or(u32::MAX);
        out.guards.push((*guard, decided.is_some()));
    }
    out
}

pub(super) fn lanes_guarded(
    evaluator: &mut Evaluator<'_>,
    guards: &[TermId],
    detail: Detail,
    classes: &mut FxHashMap<TermId, Class>,
) -> GuardedLanes {
    let mut out = GuardedLanes::all(guards);
    for guard in guards {
        let class = classify(evaluator, *guard, classes);
        out.guards.push((*guard, matches!(class, Class::Lanes(_))));
        match class {
            Class::Lanes(lanes) => out.mask &= lanes,
            Class::Interior => out.interior = true,
            Class::Open(reason) => out.open_mask = Some(reason),
            Class::Split(_) if detail == Detail::Open => {
                out.is_split = true;
                out.open_mask = Some(OpenGuard::TooManyCases);
            }
            Class::Split(found) => {
                out.is_split = true;
                out.obstacle = Some(found);
                break;
            }
        }
    }
    out
}

/// An address whose lanes are decided: a number for each, what they share, and shared factors of lane numbers.
#[derive(Default)]
pub(super) struct AddressForm {
    pub lanes: [i64; LANES],
    pub base: Vec<(Monomial, i64)>,
    pub coupled: Vec<(Monomial, [i64; LANES])>,
}

/// Why an address is not decided.
pub(super) enum Undecided {
    Obstacle(Obstacle),
    Failure(Failure),
}

pub(super) fn address_form(
    evaluator: &mut Evaluator,
    address: TermId,
    mask: u32,
) -> Result<AddressForm, Undecided> {
    let hard = |why| Undecided::Failure(Failure::Hard(why));
    let poly = evaluator.poly(address);
    let poly = poly.ok_or_else(|| hard(Hard::ExpressionTooLarge))?;
    if let Some(obstacle) = evaluator.obstacle_of(&poly) {
        return Err(Undecided::Obstacle(obstacle));
    }
    // Lanes that are switched off do not couple.
    let active = || (0..LANES).filter(|lane| mask >> lane & 1 == 1);
    let mut form = AddressForm::default();
    for (monomial, coefficient) in &poly.terms {
        if *monomial == Monomial::ONE {
            form.lanes = coefficient.lanes();
            continue;
        }
        let mut values = active().map(|lane| coefficient.lane(lane));
        let first = values.next().unwrap_or(0);
        match coefficient {
            Coefficient::Lanes(all) if values.any(|value| value != first) => {
                form.coupled.push((*monomial, **all));
            }
            _ => form.base.push((*monomial, first)),
        }
    }
    let is_far = |value: i64| value > FARTHEST || value <= -FARTHEST;
    let is_far_at = |lane: usize| {
        is_far(form.lanes[lane]) || form.coupled.iter().any(|(_, values)| is_far(values[lane]))
    };
    if active().any(is_far_at) {
        return Err(hard(Hard::BeyondEveryAddress));
    }
    // A shared factor of few values is told apart by value.
    let mut few = None;
    for atom in form
        .coupled
        .iter()
        .flat_map(|(monomial, _)| monomial.atoms())
    {
        let mut symbols = Vec::new();
        evaluator.terms.symbols_of(atom, &mut symbols);
        let has_few =
            |symbol: &&SymbolId| evaluator.terms.symbol(**symbol).domain.count(128).is_some();
        few = symbols.iter().find(has_few).copied().or(few);
    }
    let low_bits = || evaluator.remainder_in(address);
    match few {
        Some(symbol) => Err(Undecided::Obstacle(Obstacle::Values(symbol))),
        // `n & 15` is `n - 16 (n >> 4)`: two factors, of which the remainder tells both.
        None if form.coupled.len() > 1
            && let Some(found) = low_bits() =>
        {
            Err(Undecided::Obstacle(found))
        }
        None => Ok(form),
    }
}
