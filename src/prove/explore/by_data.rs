//! Addresses that data decide, where their cost does not depend on the data: of a single lane, and of rows of shared
//! memory that data choose, each lane in a bank of its own.

use super::*;
use crate::prove::poly::Coefficient;

/// The case without the data that stand in its way, where those do not matter.
pub(super) fn case_without(
    problem: &mut Problem,
    case: &Case,
    obstacle: &Obstacle,
    mask: u32,
    out: &mut Exploration,
) -> Option<Case> {
    let Obstacle::Data(reason) = obstacle else {
        return None;
    };
    let mut next = case.clone();
    if mask.count_ones() == 1
        && let Some(address) = told_by_one_lane(problem, case.address)
    {
        next.address = address;
    } else {
        next.address = without_rows(problem, case.address, &mut out.forms)?;
        next.row_by_data = Some(reason.clone());
    }
    Some(next)
}

/// Bytes from one word of a bank to the next: 32 banks of 4 bytes (CUDA C++ Programming Guide, "Shared Memory").
const ROW: i64 = 128;

/// An address of shared memory without the rows that data choose, where each is a multiple of all banks: `row[i] * 32 +
/// lane` words lie in the bank of the lane. `None` where there are none.
fn without_rows(problem: &mut Problem, address: TermId, forms: &mut Forms) -> Option<TermId> {
    if problem.space != Space::Shared || problem.width != 4 || problem.rows != 0 {
        return None;
    }
    let lane = problem.lane;
    let poly = Evaluator::new(&mut problem.terms, lane, forms).poly(address)?;
    let terms = &mut problem.terms;
    let mut left = address;
    for (monomial, coefficient) in &poly.terms {
        if !monomial.atoms().any(|atom| terms.has_data(atom)) {
            continue;
        }
        let Coefficient::Splat(factor) = *coefficient else {
            return None;
        };
        if factor % ROW != 0 {
            return None;
        }
        let mut row = terms.int(factor);
        for atom in monomial.atoms() {
            row = terms.mul(row, atom);
        }
        left = terms.sub(left, row);
    }
    (left != address).then_some(left)
}

/// Whether each of the lanes that take part has a bank of its own, whatever they share.
pub(super) fn is_bank_by_lane(form: &AddressForm, mask: u32) -> bool {
    let mut banks = 0_u32;
    let all = (0..LANES).filter(|lane| mask >> lane & 1 == 1);
    form.coupled.is_empty()
        && all
            .map(|lane| form.lanes[lane].rem_euclid(ROW))
            .all(|place| {
                let bank = 1_u32 << (place / 4);
                let is_new = place % 4 == 0 && banks & bank == 0;
                banks |= bank;
                is_new
            })
}

/// The address where one lane takes part: what differs from lane to lane is any one value. `None` where nothing does.
fn told_by_one_lane(problem: &mut Problem, address: TermId) -> Option<TermId> {
    let lane = problem.lane;
    let terms = &mut problem.terms;
    let mut by = Vec::new();
    for symbol in terms.symbols_in([address]) {
        let found = terms.symbol(symbol);
        if symbol != lane && matches!(found.sharing, Sharing::Varying(_)) {
            let (name, domain) = (found.name.clone(), found.domain.clone());
            by.push((symbol, terms.new_symbol(name, Sharing::Uniform, domain)));
        }
    }
    if by.is_empty() {
        return None;
    }
    let mut by = Substitution::of_symbols(terms, by);
    Some(by.apply(terms, address))
}
