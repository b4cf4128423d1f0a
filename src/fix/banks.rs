//! A fast count of the conflicts that a swizzle leaves of sampled requests.
//!
//! Given requests and the higher bits that a swizzle may lay over lower ones, gives for any choice
//! of lower bits what [`super::predicted`] would. A swizzle gives units of banks new places and
//! leaves units whole, so that of a request the units and those higher bits are all that is needed.

use super::{Sampled, Tally};
use crate::gpu::Arch;
use crate::gpu::cost::{self, Cost, Served};

/// Bytes after which banks repeat (CUDA C++ Programming Guide, compute capability 5.x).
const BANKS_BYTES: u64 = 128;
/// Higher bits, at most.
pub const MOST_SOURCES: usize = 6;

/// Sampled requests, and what a swizzle may read of their addresses.
pub struct Units {
    requests: Vec<OfRequest>,
    units: Vec<Unit>,
    /// Bytes by which one more in a choice of lower bits moves an access.
    granule: u64,
}

struct OfRequest {
    /// The same for all requests of one access, which stand together.
    access: usize,
    loop_depth: u32,
    ideal: u32,
    /// Bytes of a unit.
    bytes: u64,
    /// Ends of its groups among all units; they begin where those of the request before end.
    ends: Vec<usize>,
}

#[derive(Clone, Copy)]
struct Unit {
    /// Its place among those that span all banks.
    slot: u8,
    /// The higher bits of its address.
    sources: u8,
}

impl Units {
    /// `sources` are bits of the index of an element; a `granule` is what stays together. Both
    /// `element` and `granule` in bytes. `None` where units are no whole granules or costs do not
    /// follow from units.
    pub fn of(
        samples: &[Sampled],
        arch: &Arch,
        element: u64,
        granule: u64,
        sources: &[u32],
    ) -> Option<Self> {
        if sources.len() > MOST_SOURCES {
            return None;
        }
        let mut this = Self {
            requests: Vec::with_capacity(samples.len()),
            units: Vec::new(),
            granule,
        };
        for one in samples {
            let Served { unit, groups } = cost::served(&one.request, arch)?;
            if !granule.is_multiple_of(unit) {
                return None;
            }
            let mut ends = Vec::with_capacity(groups.len());
            for group in groups {
                this.units.extend(group.iter().map(|number| {
                    let index = number * unit / element.max(1);
                    let bit = |(at, source): (usize, &u32)| (index >> source & 1) << at;
                    Unit {
                        slot: (number % (BANKS_BYTES / unit)) as u8,
                        sources: sources.iter().enumerate().map(bit).sum::<u64>() as u8,
                    }
                }));
                ends.push(this.units.len());
            }
            this.requests.push(OfRequest {
                access: one.access,
                loop_depth: one.loop_depth,
                ideal: cost::ideal(
                    one.request.space,
                    one.request.op,
                    one.request.width,
                    one.request.active_mask(),
                    arch,
                ),
                bytes: unit,
                ends,
            });
        }
        Some(this)
    }

    /// Weighted wavefronts beyond the ideal where the n-th source is laid over the bits `columns[n]`
    /// of a granule's number; from `limit` on, at least that.
    pub fn excess(&self, columns: &[u64], limit: u64) -> u64 {
        // What each choice of higher bits is laid over.
        let mut laid = [0_u64; 1 << MOST_SOURCES];
        for bits in 1..laid.len() {
            let first = bits.trailing_zeros() as usize;
            let column = columns.get(first).copied().unwrap_or(0);
            laid[bits] = laid[bits & (bits - 1)] ^ column;
        }
        let mut tally = Tally::default();
        let mut start = 0;
        for request in &self.requests {
            let scale = self.granule / request.bytes;
            let mut actual = 0;
            for end in &request.ends {
                let mut banks = [0_u8; 32];
                let mut most = 0;
                for unit in &self.units[start..*end] {
                    let moved = laid[usize::from(unit.sources)] * scale;
                    let bank = &mut banks[(u64::from(unit.slot) ^ moved) as usize & 31];
                    *bank += 1;
                    most = most.max(*bank);
                }
                actual += u32::from(most);
                start = *end;
            }
            let cost = Cost {
                actual,
                ideal: request.ideal,
            };
            tally.add(request.access, request.loop_depth, cost);
            if tally.all >= limit {
                break;
            }
        }
        tally.all
    }
}
