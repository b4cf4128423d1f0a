//! The executable specification of cost: what one warp's one memory instruction costs.
//!
//! Given: 32 optional byte addresses, the access width, space, operation, and architecture.
//! Gives: wavefronts (shared) or 32-byte sectors (global), beside the ideal: what as many bytes
//! cost where they lie densely, or the cost itself where lanes share addresses and undercut it.
//! Does not know: where addresses come from, what else is in flight, caches, or time.
//!
//! Nothing else in this crate computes a number of wavefronts or sectors. Each rule names its
//! source: a recording under `fixtures/measured/`, or a section of NVIDIA's *CUDA C++
//! Programming Guide* ("Guide" below), appendix "Compute Capabilities".

use serde::{Deserialize, Serialize};

use super::WARP;
use super::arch::{Arch, GlobalRule, SharedRule};
use super::counting::{
    distinct_pieces, most_lanes, most_per_bank, most_per_bank_aligned, pieces_by_shift,
};
use super::older;

/// Byte address of each lane; `None` is an inactive lane.
pub type LaneAddresses = [Option<u64>; WARP];

/// Wavefronts of one shared-memory request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Wavefronts(pub u32);

/// Aligned 32-byte sectors of one global-memory request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Sectors(pub u32);

/// A size or distance in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Bytes(pub u64);

/// A lane of a warp, 0 to 31.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Lane(pub u8);

/// The memory a request goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    Shared,
    Global,
}

/// The operation of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    Load,
    Store,
    Atomic,
}

impl Space {
    /// The unit its cost is counted in.
    pub fn unit(self) -> &'static str {
        match self {
            Space::Shared => "wavefronts",
            Space::Global => "sectors",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Space::Shared => "shared",
            Space::Global => "global",
        }
    }
}

impl Op {
    pub fn name(self) -> &'static str {
        match self {
            Op::Load => "load",
            Op::Store => "store",
            Op::Atomic => "atomic",
        }
    }
}

/// One memory instruction of one warp.  The hardware has widths 1, 2, 4, 8 and 16 only and traps on an address that
/// is no multiple of its width; a caller splits anything else (a 12-byte struct is three 4-byte requests).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    pub addresses: LaneAddresses,
    /// Bytes per lane.
    pub width: u32,
    pub space: Space,
    pub op: Op,
}

/// Cost of one request: wavefronts for shared memory, sectors for global memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cost {
    pub actual: u32,
    pub ideal: u32,
}

impl Cost {
    /// The cost beyond the ideal.
    pub fn excessive(self) -> u32 {
        self.actual.saturating_sub(self.ideal)
    }

    pub fn is_ideal(self) -> bool {
        self.actual <= self.ideal
    }
}

impl Request {
    /// Bit i is set where lane i is active.
    pub fn active_mask(&self) -> u32 {
        active_mask(&self.addresses)
    }
}

/// Cost of a request beside its ideal: the dense ideal ([`ideal`]), or the cost itself where
/// lanes share addresses and so undercut it.
///
/// Source: Nsight Compute's `memory_l1_wavefronts_shared_ideal` and
/// `memory_l2_theoretical_sectors_global_ideal`, measured on 9.0 (`sm_90-h200-probes.json`): a
/// broadcast's ideal is its own cost, not the dense one's.
pub fn cost(request: &Request, arch: &Arch) -> Cost {
    let Request {
        space, op, width, ..
    } = *request;
    let actual = actual(request, arch);
    Cost {
        actual,
        ideal: actual.min(ideal(space, op, width, request.active_mask(), arch)),
    }
}

/// Cost of as many bytes from dense, aligned addresses: of the densest request of this width
/// and these active lanes where no two of them share an address.
///
/// Source: measured on 9.0 (`sm_90-h200-probes.json`): active lanes × width in pieces of 128
/// bytes (shared) or 32 (global), whichever lanes are active. On older rules the k-th active
/// lane accesses byte k × width.
pub fn ideal(space: Space, op: Op, width: u32, active_mask: u32, arch: &Arch) -> u32 {
    let bytes = active_mask.count_ones() * width.min(16);
    match (space, arch.shared_rule, arch.global_rule) {
        (Space::Global, _, GlobalRule::Sectors) => return bytes.div_ceil(32),
        (Space::Shared, SharedRule::Words, _) => return bytes.div_ceil(128),
        _ => {}
    }
    let mut addresses = [None; WARP];
    let mut next = 0;
    for (lane, address) in addresses.iter_mut().enumerate() {
        if active_mask >> lane & 1 == 1 {
            *address = Some(next);
            next += u64::from(width);
        }
    }
    actual(
        &Request {
            addresses,
            width,
            space,
            op,
        },
        arch,
    )
}

fn actual(request: &Request, arch: &Arch) -> u32 {
    match request.space {
        Space::Shared => wavefronts(&request.addresses, request.width, request.op, arch).0,
        Space::Global => sectors(&request.addresses, request.width, request.op, arch).0,
    }
}

/// Wavefronts of a shared-memory request; 0 if no lane is active.
pub fn wavefronts(addresses: &LaneAddresses, width: u32, op: Op, arch: &Arch) -> Wavefronts {
    let width = u64::from(width.max(1));
    Wavefronts(match arch.shared_rule {
        SharedRule::Words => words_rule(addresses, width, op, View::Hardware),
        SharedRule::Kepler => older::kepler_rule(addresses, width, arch.bank_bytes),
        SharedRule::Fermi => older::fermi_rule(addresses, width),
        SharedRule::HalfWarp => older::half_warp_rule(addresses, width),
    })
}

/// Cost as Nsight Compute's source page states it, where that differs from the hardware.
///
/// `memory_l1_wavefronts_shared` comes from instrumented code, not from the hardware's counter,
/// and judges the lanes of an 8- or 16-byte load pair of groups by pair of groups, merging only
/// what then takes a single wavefront. Everything else is as in [`cost`]. For comparing with
/// that metric; predictions state what the hardware does.
///
/// Source: measured on 9.0 (`sm_90-h200-probes.json`, columns `cost` and `hardware`).
pub fn source_page(request: &Request, arch: &Arch) -> Cost {
    let Request {
        addresses,
        space,
        op,
        width,
    } = *request;
    if space == Space::Global || arch.shared_rule != SharedRule::Words {
        return cost(request, arch);
    }
    let actual = words_rule(&addresses, u64::from(width.max(1)), op, View::SourcePage);
    Cost {
        actual,
        ideal: actual.min(ideal(space, op, width, request.active_mask(), arch)),
    }
}

/// Sectors of a global-memory request; 0 if no lane is active.
pub fn sectors(addresses: &LaneAddresses, width: u32, op: Op, arch: &Arch) -> Sectors {
    let width = u64::from(width.max(1));
    Sectors(match (arch.global_rule, op) {
        (GlobalRule::Sectors, _) | (GlobalRule::CachedLines, Op::Store | Op::Atomic) => {
            distinct_pieces(addresses, width, 32)
        }
        (GlobalRule::CachedLines, Op::Load) => older::cached_lines_rule(addresses, width),
        (GlobalRule::Segments, _) => older::segments_rule(addresses, width),
        (GlobalRule::InSequence, _) => older::in_sequence_rule(addresses, width),
    })
}

/// Costs of a global request whose lanes access the bytes from `starts` on, at least one of them, when
/// all of them lie 0, 1, 2 … 31 bytes further on: 32 times [`cost`] in one. `None` on devices that do
/// not count sectors for this operation, or where addresses leave 62 bits.
pub fn costs_by_shift(starts: &mut [i64], width: u32, op: Op, arch: &Arch) -> Option<[Cost; 32]> {
    let is_near = |start: &i64| start.unsigned_abs() < 1 << 62;
    if arch.global_rule != GlobalRule::Sectors || !starts.iter().all(is_near) {
        return None;
    }
    let active_mask = u32::MAX.checked_shr(32_u32.checked_sub(starts.len() as u32)?)?;
    let ideal = ideal(Space::Global, op, width, active_mask, arch);
    let counts = pieces_by_shift(starts, i64::from(width.clamp(1, 32)));
    Some(counts.map(|actual| Cost {
        actual,
        ideal: actual.min(ideal),
    }))
}

// ---------------------------------------------------------------- shared memory, 5.0 and later

/// Lanes served together: 8-byte requests go by half-warps, 16-byte requests by quarter-warps,
/// and costs add up.
///
/// Source: measured on 9.0 (`h200-requests.csv`, `sm_90-h200-probes.json`); Guide, "Compute
/// Capability 5.x", gives the 32 banks of 4-byte words, to which 6.x and later refer.
fn words_rule(addresses: &LaneAddresses, width: u64, op: Op, view: View) -> u32 {
    if op == Op::Atomic {
        return lanes_per_bank(addresses, width);
    }
    let lanes = group_of(width);
    let unit = width.max(4);
    let is_aligned = is_aligned(addresses, width);
    let most = |group: &[Option<u64>]| {
        if is_aligned {
            most_per_bank_aligned(group, unit)
        } else {
            most_per_bank(group, width, |word| ((word & 31) as usize, word))
        }
    };
    match view {
        View::SourcePage if lanes < WARP && op == Op::Load => {
            let merged = |pair: &[Option<u64>]| {
                Some(most(pair)).filter(|most| *most <= 1 && pairs_agree(pair))
            };
            addresses
                .chunks(2 * lanes)
                .map(|pair| merged(pair).unwrap_or_else(|| pair.chunks(lanes).map(most).sum()))
                .sum()
        }
        _ => addresses
            .chunks(served_lanes(addresses, width, op))
            .map(most)
            .sum(),
    }
}

/// Whether addresses are multiples of a width that one lane can move at once.
fn is_aligned(addresses: &LaneAddresses, width: u64) -> bool {
    let low_bits = |address: &u64| address & (width - 1);
    width.is_power_of_two()
        && width <= 16
        && addresses.iter().flatten().map(low_bits).all(|low| low == 0)
}

/// Lanes of a shared request that are served together.
fn served_lanes(addresses: &LaneAddresses, width: u64, op: Op) -> usize {
    let lanes = group_of(width);
    if lanes < WARP && op == Op::Load && pairs_agree(addresses) {
        2 * lanes
    } else {
        lanes
    }
}

/// A shared-memory request as banks see it.
pub struct Served {
    /// Bytes of one unit: the width, or 4 for narrower accesses. 128 / unit of them span all banks.
    pub unit: u64,
    /// For each group of lanes that is served together its units, by their numbers: what lanes
    /// share stands there once, unless the lanes of an atomic have to take turns.
    pub groups: Vec<Vec<u64>>,
}

/// The units of a shared-memory request. Its wavefronts are the most units in one bank, summed up
/// over groups. `None` where costs do not follow from units: on older rules, and where addresses
/// are no multiples of the width.
pub fn served(request: &Request, arch: &Arch) -> Option<Served> {
    let Request {
        addresses,
        width,
        space: Space::Shared,
        op,
    } = request
    else {
        return None;
    };
    let width = u64::from((*width).max(1));
    if arch.shared_rule != SharedRule::Words || !is_aligned(addresses, width) {
        return None;
    }
    let unit = width.max(4);
    let lanes = served_lanes(addresses, width, *op);
    let units = |group: &[Option<u64>]| {
        let mut units: Vec<u64> = group.iter().flatten().map(|at| at / unit).collect();
        if *op != Op::Atomic {
            units.sort_unstable();
            units.dedup();
        }
        units
    };
    Some(Served {
        unit,
        groups: addresses.chunks(lanes).map(units).collect(),
    })
}

/// Whose count of wavefronts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    Hardware,
    SourcePage,
}

/// Lanes of a shared request of this width that are served together where they do not agree.
pub(super) fn group_of(width: u64) -> usize {
    match width {
        0..=4 => 32,
        5..=8 => 16,
        _ => 8,
    }
}

/// Whether every active lane i wants the same address as lane i xor 1, or all as lane i xor 2,
/// an inactive partner counting as agreeing. If the lanes of a warp's load agree so, its groups
/// are served in pairs: one group for 8 bytes, two for 16. The whole warp must agree, not just
/// the pair of groups; stores never merge.
///
/// Source: measured on 9.0 (hardware counters in `h200-requests.csv` and in the column
/// `hardware` of `sm_90-h200-probes.json`).
fn pairs_agree(lanes: &[Option<u64>]) -> bool {
    let agree = |lane: usize, distance: usize| match (lanes[lane], lanes[lane ^ distance]) {
        (Some(mine), Some(partner)) => mine == partner,
        _ => true,
    };
    [1, 2]
        .iter()
        .any(|distance| (0..lanes.len()).all(|lane| agree(lane, *distance)))
}

/// The most lanes that want one bank, same word or not: what each bank must do one after the
/// other for a read-modify-write. Groups as for other requests.
///
/// Source: measured on 9.0 (`sm_90-h200-probes.json`, `atom.shared.add` and others).
fn lanes_per_bank(addresses: &LaneAddresses, width: u64) -> u32 {
    addresses
        .chunks(group_of(width))
        .map(|group| most_lanes(group.iter().flatten().copied(), width))
        .sum()
}

// ---------------------------------------------------------------- other instructions

/// The machine instruction behind an atomic on shared memory, which decides its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SharedAtomic {
    /// `ATOMS.POPC.INC`: `atomicAdd` of the constant 1 to 32-bit integers, result unused.
    Increment,
    /// A reduction over the warp's lanes (`REDUX`, or a vote where all add one value), then one
    /// lane's atomic: what the compiler makes of a 32-bit integer operation on an address that
    /// does not depend on the thread.
    Combined,
    /// `ATOMS.ADD`, `.MIN`, `.EXCH` and their like: integers of 32 bits, exchange of 64.
    Native,
    /// `ATOMS.CAS`: `atomicCAS` of 32 or 64 bits.
    CompareAndSwap,
}

/// The first round of the loop that an atomic on floats or 64-bit integers in shared memory becomes, for the lanes
/// that take part: a compare-and-swap of one lane a word. Contention makes rounds, of fewer lanes each, not wavefronts.
/// Of 8 bytes it takes two wavefronts for each half of the warp that has a lane in it, with an ideal of two for each
/// 16 lanes.
///
/// Source: measured on 9.0: 4 bytes in `sm_90-h200-probes.json`; 8 bytes by Nsight Compute's shared wavefronts of
/// `ATOMS.CAST.SPIN.64` on an H200 (CUDA 13.0), with 1, 8, 16 and 32 lanes on one word and on words of their own.
#[must_use]
pub fn atomic_loop_round(width: u32, lanes: u32) -> Cost {
    if width <= 4 {
        return Cost {
            actual: 2,
            ideal: 2,
        };
    }
    let halves = u32::from(lanes & 0xffff != 0) + u32::from(lanes >> 16 != 0);
    Cost {
        actual: 2 * halves.max(1),
        ideal: 2 * lanes.count_ones().div_ceil(16).max(1),
    }
}

/// Wavefronts of an atomic on shared memory. [`cost`] takes every atomic for
/// [`SharedAtomic::Native`].
///
/// Adding floats, or 64-bit integers, is no single instruction: the compiler makes a loop of a
/// load and a compare-and-swap (`ATOMS.CAST.SPIN`), as many rounds as the most lanes that want
/// one bank; see [`atomic_loop_round`].
///
/// Before 8.0 there is neither increment nor reduction: such atomics are taken for native ones.
///
/// Source: measured on 9.0 (`sm_90-h200-probes.json`): increments share a word as loads do,
/// others serialise lanes; compare-and-swap passes twice. Combined ones: `sm_90-h200.json`,
/// `atomic_sum.cu`, one active lane and one wavefront a warp. That 8.0 is the first with both:
/// the machine code that the compiler of CUDA 13.0 makes for 7.5, 8.0, 9.0 and 10.0.
pub fn shared_atomic(
    addresses: &LaneAddresses,
    width: u32,
    kind: SharedAtomic,
    arch: &Arch,
) -> Cost {
    let mask = active_mask(addresses);
    let dense = ideal(Space::Shared, Op::Atomic, width, mask, arch);
    let kind = match kind {
        SharedAtomic::Increment | SharedAtomic::Combined if arch.major < 8 => SharedAtomic::Native,
        kind => kind,
    };
    let (actual, dense) = match kind {
        SharedAtomic::Combined => (u32::from(mask != 0), dense),
        SharedAtomic::Increment => (wavefronts(addresses, width, Op::Store, arch).0, dense),
        SharedAtomic::Native => (wavefronts(addresses, width, Op::Atomic, arch).0, dense),
        SharedAtomic::CompareAndSwap => (
            2 * wavefronts(addresses, width, Op::Atomic, arch).0,
            2 * dense,
        ),
    };
    Cost {
        actual,
        ideal: actual.min(dense),
    }
}

/// Wavefronts of an `ldmatrix` or `stmatrix` of `matrices` (1, 2 or 4) 8×8 matrices of 2-byte
/// elements: lanes 8m to 8m + 7 hold the 16-byte row addresses of matrix m, each matrix is
/// served by itself, and only the matrices asked for.
///
/// Source: PTX ISA, "Warp-level matrix load instruction: ldmatrix", for which lane addresses
/// which row; measured on 9.0 (`sm_90-h200-probes.json`), transposed or not.
pub fn ldmatrix(rows: &LaneAddresses, matrices: u32, arch: &Arch) -> Cost {
    let matrices = matrices.clamp(1, 4);
    let place = |word: u64| ((word % u64::from(arch.banks)) as usize, word);
    let actual: u32 = rows
        .chunks(8)
        .take(matrices as usize)
        .map(|matrix| most_per_bank(matrix, 16, place))
        .sum();
    Cost {
        actual,
        ideal: actual.min(matrices),
    }
}

/// Cost of a `cp.async`: the wavefronts of its shared side and the sectors of its global side.
///
/// The shared side takes, for each group of lanes, as many wavefronts as the most lanes that
/// write one bank, or that read one bank of L1 (their global addresses taken as bank
/// addresses), whichever is more. That is exact for all measured requests whose lanes do not
/// conflict on both sides at once, and a lower bound for those.
///
/// Source: measured on 9.0 (`sm_90-h200-probes.json`, `cp.async.ca`). There the profiler counted nothing of `.cg`, which
/// goes past L1. By instruction, ncu 2025.3 does, and the same holds on an H200: of 16 bytes per lane that are written one
/// behind the other, a warp takes 4 wavefronts where they are read so, 8 where they are read in rows of 64 bytes that lie
/// 256 apart, 16 of 32 bytes; and 32 where they are written 128 bytes apart.
pub fn async_copy(
    shared: &LaneAddresses,
    global: &LaneAddresses,
    width: u32,
    arch: &Arch,
) -> (Cost, Cost) {
    let request = Request {
        addresses: *global,
        width,
        space: Space::Global,
        op: Op::Load,
    };
    let group = group_of(u64::from(width));
    let actual = shared
        .chunks(group)
        .zip(global.chunks(group))
        .map(|(to, from)| {
            let most =
                |side: &[Option<u64>]| most_lanes(side.iter().flatten().copied(), u64::from(width));
            most(to).max(most(from))
        })
        .sum::<u32>();
    let dense = ideal(Space::Shared, Op::Store, width, active_mask(shared), arch);
    (
        Cost {
            actual,
            ideal: actual.min(dense),
        },
        cost(&request, arch),
    )
}

// ---------------------------------------------------------------- for explanations

/// One lane of [`bank_map`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BankUse {
    pub lane: Lane,
    /// Number of the first aligned 4-byte word (8-byte in Kepler's 8-byte mode) it touches.
    pub word: u64,
    /// Bank of that word.
    pub bank: u32,
    /// Words it touches, from `word` on.
    pub words: u32,
    /// The group of lanes it is served with, from 0; groups are served one after the other.
    pub group: u32,
}

/// Which word and bank each active lane of a shared request wants, in lane order, for `explain`.
pub fn bank_map(request: &Request, arch: &Arch) -> Vec<BankUse> {
    let unit = u64::from(arch.bank_bytes);
    let width = u64::from(request.width.max(1));
    let lanes = group_lanes(request, arch);
    let active = request
        .addresses
        .iter()
        .enumerate()
        .filter_map(|(lane, address)| address.map(|address| (lane, address)));
    active
        .map(|(lane, address)| BankUse {
            lane: Lane(lane as u8),
            word: address / unit,
            bank: (address / unit % u64::from(arch.banks)) as u32,
            words: (address.saturating_add(width - 1) / unit - address / unit + 1) as u32,
            group: (lane / lanes) as u32,
        })
        .collect()
}

/// How many neighbouring lanes of a shared request are served together (before groups of
/// agreeing lanes are merged).
pub fn group_lanes(request: &Request, arch: &Arch) -> usize {
    match (arch.shared_rule, request.width) {
        (SharedRule::HalfWarp, _) => 16,
        (SharedRule::Kepler, width) => {
            if width <= 8 {
                32
            } else {
                16
            }
        }
        (SharedRule::Fermi | SharedRule::Words, width) => group_of(u64::from(width)),
    }
}

fn active_mask(addresses: &LaneAddresses) -> u32 {
    let mut mask = 0;
    for (lane, address) in addresses.iter().enumerate() {
        mask |= u32::from(address.is_some()) << lane;
    }
    mask
}

#[cfg(test)]
mod tests;
