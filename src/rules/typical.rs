//! What requests cost for the sizes that programs commonly have, where a verdict leaves that open.
//!
//! Given an access, puts in common values for everything that the caller chooses. Proves nothing: a finding stays what it
//! is, and only its level depends on this.

use super::Scope;
use super::kernel_facts::{STEP, Wanted, attempts};
use super::lane_pattern::Pattern;
use super::spread;
use crate::gpu::cost::{self, Request};
use crate::gpu::{LaneAddresses, Space};
use crate::prove::verdict::Access;
use crate::term::SymbolOrigin;
use crate::term::compiled::Lanes;

/// So many samples have to let lanes through, or they show nothing.
const LEAST_SAMPLES: usize = 4;

/// The lanes of the access under common values, in each sample that lets one through; where few do, as in a loop from one number
/// to another, where all lanes would go.
fn samples(access: &Access, scope: &Scope) -> Vec<Lanes> {
    let Some(Wanted {
        walk,
        conditions,
        offset,
    }) = scope.view.wanted(access)
    else {
        return Vec::new();
    };
    let typical = || attempts().filter(|attempt| attempt.is_typical);
    let sampled = scope.view.sampled(walk, conditions, offset);
    let active: Vec<Lanes> = typical().filter_map(sampled).collect();
    if active.len() >= LEAST_SAMPLES {
        return active;
    }
    let all = typical().map(|attempt| scope.view.moved_lanes(walk, offset, attempt, None));
    all.filter(|lanes| lanes.iter().any(Option::is_some))
        .collect()
}

/// Whether global requests cost no more than their ideal and the sector that a misaligned row takes, whatever common values
/// the caller's numbers have: rows of a tensor are longer than a warp, and a block is shared out so.
pub fn is_ideal(access: &Access, scope: &Scope) -> bool {
    if access.space != Space::Global || access.merged.is_some() {
        return false;
    }
    let samples = samples(access, scope);
    let is_fine = |lanes: &Lanes| is_near_ideal(lanes, access, scope);
    samples.len() >= LEAST_SAMPLES && samples.iter().all(is_fine)
}

/// What requests cost at most, as far as samples show, where pointers point to the start of their allocations; `None` where no
/// pointer's place decides.
pub fn cost_from_start(access: &Access, scope: &Scope) -> Option<u32> {
    let verdict = &access.verdict;
    let wanted = scope.view.wanted(access)?;
    let terms = &wanted.walk.terms;
    let symbols = terms.symbols_in([wanted.offset]);
    let mut origins = symbols.iter().map(|symbol| terms.symbol(*symbol).origin);
    let decides = origins.any(|origin| matches!(origin, SymbolOrigin::PointerOffset { .. }));
    if !decides || verdict.min == verdict.max || access.merged.is_some() {
        return None;
    }
    let lanes = attempts().filter_map(|attempt| scope.view.lanes_from_start(&wanted, attempt));
    // Samples seldom have all lanes where data choose them; the witness has the dearest ones.
    let dearest = verdict
        .witness
        .as_ref()
        .and_then(|witness| scope.view.witness_from_start(&wanted, witness));
    lanes
        .chain(dearest)
        .map(|lanes| cost_of(&lanes, access, scope).0)
        .max()
}

/// Cost and ideal of a request.
fn cost_of(lanes: &Lanes, access: &Access, scope: &Scope) -> (u32, u32) {
    let addresses: LaneAddresses = lanes.map(|lane| lane.map(|byte| byte as u64));
    let request = Request {
        addresses,
        width: access.width,
        space: access.space,
        op: access.op,
    };
    let cost = cost::cost(&request, scope.context.arch);
    (cost.actual, cost.ideal)
}

fn is_near_ideal(lanes: &Lanes, access: &Access, scope: &Scope) -> bool {
    let (cost, ideal) = cost_of(lanes, access, scope);
    cost <= ideal + 1
}

/// Whether lanes take three or another odd number of neighbouring elements together, as far apart as one number of the
/// caller says: for pixels of that size it is that number.
pub fn is_of_odd_records(access: &Access, scope: &Scope) -> bool {
    const MOST: u64 = 16;
    let Some(witness) = &access.verdict.witness else {
        return false;
    };
    let pattern = Pattern::of(witness, access.width);
    let longest = pattern.runs.iter().map(|(_, length)| *length).max();
    let count = longest.unwrap_or(0) / u64::from(access.width.max(1));
    let is_record = count <= MOST && !count.is_power_of_two() && pattern.runs.len() > 2;
    let Some(wanted) = scope.view.wanted(access) else {
        return false;
    };
    let mut strides = spread::stride(access, scope.view);
    // A block of unknown size moves where records begin, and no two lanes apart.
    strides.retain(|symbol| {
        let origin = wanted.walk.terms.symbol(*symbol).origin;
        scope.view.is_free(wanted.walk, *symbol) && origin != SymbolOrigin::Dimension
    });
    let [symbol] = &strides[..] else {
        return false;
    };
    if access.space != Space::Global || !is_record {
        return false;
    }
    let typical = attempts().filter(|attempt| attempt.is_typical);
    let packed: Vec<Lanes> = typical
        .step_by(STEP)
        .filter_map(|attempt| {
            let given = (*symbol, count as i64);
            scope.view.lanes_where(&wanted, attempt, given)
        })
        .collect();
    let is_fine = |lanes: &Lanes| is_near_ideal(lanes, access, scope);
    packed.len() >= LEAST_SAMPLES && packed.iter().all(is_fine)
}

/// Whether each lane takes one element of a row and of a column at once: no order of lanes brings the elements of a
/// diagonal together.
pub fn is_diagonal(access: &Access, scope: &Scope) -> bool {
    /// Common pitches are multiples of so many elements.
    const PITCH: i64 = 256;
    let width = i64::from(access.width);
    let samples = samples(access, scope);
    let is_diagonal = |lanes: &Lanes| {
        let mut pairs = lanes
            .windows(2)
            .filter_map(|pair| pair[1]?.checked_sub(pair[0]?));
        pairs.all(|step| step != width && (step - width) % (PITCH * width) == 0)
    };
    access.space == Space::Global
        && samples.len() >= LEAST_SAMPLES
        && samples.iter().all(is_diagonal)
}
