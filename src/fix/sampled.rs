//! Samples of the requests to one array: what a mapping would make of their cost.

use super::Array;
use super::layout::Mapping;
use crate::access::Target;
use crate::access::sample::{Sampler, from_domain};
use crate::gpu::cost::{self, Cost, Request};
use crate::gpu::{Arch, LaneAddresses};
use crate::ir::Kernel;
use crate::prove;
use crate::term::{Sharing, SymbolId, TermId};

/// Requests sampled for each access: paddings are few and all of them are judged again, while a
/// swizzle is searched for among many.
pub(super) const FEW: i64 = 4;
pub(super) const MANY: i64 = 160;
/// Different requests of one access, and how many samples in a row may bring nothing new.
pub(super) const MOST_DISTINCT: usize = 48;
pub(super) const PATIENCE: i64 = 40;
/// Requests of one array.
pub(super) const MOST_SAMPLES: usize = 1200;
/// From sample to sample, values of a symbol are so far apart in its list: steps that have no
/// divisor in common with the length of a usual list, so that all of it is seen.
pub(super) const STEPS: [i64; 8] = [1, 11, 13, 17, 19, 23, 29, 31];
/// Launches of a kernel that are sampled.
pub(super) const LAUNCHES: usize = 3;

/// Which of a symbol's values the sample takes: for one half of the samples all of a list come by in
/// turn, for the other half symbols go their own ways. In pairs, so that every other sample is as
/// good as all. A symbol counts by its place among those of the request.
pub(super) fn seed(number: i64, place: usize) -> i64 {
    if number % 4 < 2 {
        return (number / 4 * 2 + number % 4) * STEPS[place % STEPS.len()];
    }
    let mut mixed = (number as u64) << 32 | place as u64;
    for factor in [0x9E37_79B9_7F4A_7C15, 0xBF58_476D_1CE4_E5B9] {
        mixed = mixed.wrapping_mul(factor);
        mixed ^= mixed >> 31;
    }
    (mixed >> 33) as i64
}

/// Concrete requests to the array, some for each access.
pub(super) struct Sampled<'a> {
    pub(super) kernel: &'a Kernel,
    /// The same for all requests of one access.
    pub(super) access: usize,
    pub(super) request: Request,
    pub(super) loop_depth: u32,
}

pub(super) fn sampled<'a>(array: &Array<'a>, count: i64) -> Vec<Sampled<'a>> {
    let mut all = Vec::new();
    let mut access = 0;
    for (kernel, id, _) in array.holders() {
        for launch in prove::launches(kernel).iter().take(LAUNCHES) {
            let walk = array.walks.get(array.program, kernel, launch);
            for visit in &walk.visits {
                let Some(offset) = visit.offset.filter(|_| visit.target == Target::Shared(id))
                else {
                    continue;
                };
                access += 1;
                let requests = |conditions: &[TermId]| {
                    let mut symbols: Vec<SymbolId> = Vec::new();
                    walk.terms.symbols_of(offset, &mut symbols);
                    for condition in conditions {
                        walk.terms.symbols_of(*condition, &mut symbols);
                    }
                    symbols.sort_unstable();
                    symbols.dedup();
                    let pick = |number: i64, symbol: SymbolId, lane: i64| {
                        let known = walk.terms.symbol(symbol);
                        let by_lane = match known.sharing {
                            Sharing::Varying(_) => lane,
                            _ => 0,
                        };
                        let place = symbols.binary_search(&symbol).unwrap_or_default();
                        from_domain(&known.domain, seed(number, place) + by_lane, 64)
                    };
                    let mut known: Vec<LaneAddresses> = Vec::new();
                    let mut last = 0;
                    let mut sampler = Sampler::new(&walk, conditions, offset);
                    for number in 0..count {
                        if known.len() >= MOST_DISTINCT || number - last > PATIENCE {
                            break;
                        }
                        let lanes = sampler.lanes(&|symbol, lane| pick(number, symbol, lane));
                        let Some(lanes) = lanes else { continue };
                        let addresses = lanes.map(|lane| u64::try_from(lane?).ok());
                        if !known.contains(&addresses) {
                            known.push(addresses);
                            last = number;
                        }
                    }
                    known
                };
                // Iterations that are never reached say nothing, unless there are no others.
                let on_the_way: Vec<TermId> =
                    visit.guards.iter().chain(&visit.facts).copied().collect();
                let mut found = requests(&on_the_way);
                if found.is_empty() {
                    found = requests(&visit.guards);
                }
                // Guards that few values of parameters pass let whole warps through somewhere.
                if found.is_empty() {
                    found = requests(&[]);
                }
                all.extend(found.into_iter().map(|addresses| Sampled {
                    kernel,
                    access,
                    request: Request {
                        addresses,
                        width: visit.width,
                        space: visit.space,
                        op: visit.op,
                    },
                    loop_depth: visit.loop_depth,
                }));
            }
        }
    }
    // Of very many, some of each access are left.
    let step = all.len().div_ceil(MOST_SAMPLES).max(1);
    all.into_iter().step_by(step).collect()
}

/// [`excess`] after a mapping, estimated from samples; from `limit` on it is a lower bound.
pub(super) fn predicted(
    samples: &[Sampled],
    arch: &Arch,
    limit: u64,
    mapping: &dyn Fn(&Kernel) -> Option<Mapping>,
) -> u64 {
    let mut tally = Tally::default();
    for one in samples {
        let Some(mapping) = mapping(one.kernel) else {
            continue;
        };
        let request = Request {
            addresses: one
                .request
                .addresses
                .map(|lane| lane.map(|address| mapping.apply(address))),
            ..one.request
        };
        tally.add(one.access, one.loop_depth, cost::cost(&request, arch));
        if tally.all >= limit {
            break;
        }
    }
    tally.all
}

/// Sums up what sampled requests cost beyond the ideal: of each access its worst one.
#[derive(Default)]
pub(super) struct Tally {
    /// The access that is being looked at; requests of one stand together.
    pub(super) access: Option<usize>,
    pub(super) worst: u64,
    pub(super) all: u64,
}

impl Tally {
    pub(super) fn add(&mut self, access: usize, loop_depth: u32, cost: Cost) {
        if self.access.replace(access) != Some(access) {
            self.worst = 0;
        }
        let weighted = weighted(u64::from(cost.excessive()), loop_depth);
        self.all += weighted.saturating_sub(self.worst);
        self.worst = weighted.max(self.worst);
    }
}

/// Wavefronts count for more in inner loops.
pub(super) fn weighted(wavefronts: u64, loop_depth: u32) -> u64 {
    wavefronts << (2 * loop_depth.min(4))
}
