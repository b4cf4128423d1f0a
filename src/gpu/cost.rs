//! The executable specification of cost: what one warp's one memory instruction costs.
//!
//! Given: 32 optional byte addresses, the access width, space, operation, and architecture.
//! Gives: wavefronts (shared) or 32-byte sectors (global), beside the ideal: the cost of the
//! same width and the same active lanes with dense, aligned addresses.
//! Does not know: where addresses come from, what else is in flight, caches, or time.
//!
//! Nothing else in this crate computes a number of wavefronts or sectors. Each rule names its
//! source: a recording under `fixtures/measured/`, or a section of NVIDIA's *CUDA C++
//! Programming Guide* ("Guide" below), appendix "Compute Capabilities".

use serde::{Deserialize, Serialize};

use super::WARP;
use super::arch::{Arch, GlobalRule, SharedRule};

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

/// What a request does there.
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

/// What one warp's one memory instruction asks for.
///
/// The hardware has widths 1, 2, 4, 8 and 16 only and traps on an address that is no multiple
/// of its width; a caller splits anything else (a 12-byte struct is three 4-byte requests).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    pub addresses: LaneAddresses,
    /// Bytes per lane.
    pub width: u32,
    pub space: Space,
    pub op: Op,
}

/// Cost of one request: wavefronts for shared memory, sectors for global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cost {
    pub actual: u32,
    pub ideal: u32,
}

impl Cost {
    /// What the request costs beyond its ideal.
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
        SharedRule::Kepler => kepler_rule(addresses, width, arch.bank_bytes),
        SharedRule::Fermi => fermi_rule(addresses, width),
        SharedRule::HalfWarp => half_warp_rule(addresses, width),
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
        (GlobalRule::CachedLines, Op::Load) => cached_lines_rule(addresses, width),
        (GlobalRule::Segments, _) => segments_rule(addresses, width),
        (GlobalRule::InSequence, _) => in_sequence_rule(addresses, width),
    })
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
    let aligned = unit.is_power_of_two()
        && unit <= 16
        && addresses
            .iter()
            .flatten()
            .all(|address| address % width == 0);
    let most = |group: &[Option<u64>]| {
        if aligned {
            most_per_bank_aligned(group, unit)
        } else {
            most_per_bank(group, width, |word| ((word & 31) as usize, word))
        }
    };
    let agree = |group: &[Option<u64>]| pairs_agree(group, 1) || pairs_agree(group, 2);
    match view {
        _ if lanes == WARP || op != Op::Load => addresses.chunks(lanes).map(most).sum(),
        View::Hardware => addresses
            .chunks(if agree(addresses) { 2 * lanes } else { lanes })
            .map(most)
            .sum(),
        View::SourcePage => {
            let merged =
                |pair: &[Option<u64>]| Some(most(pair)).filter(|most| *most <= 1 && agree(pair));
            addresses
                .chunks(2 * lanes)
                .map(|pair| merged(pair).unwrap_or_else(|| pair.chunks(lanes).map(most).sum()))
                .sum()
        }
    }
}

/// Whose count of wavefronts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    Hardware,
    SourcePage,
}

/// Lanes of a shared request of this width that are served together.
fn group_of(width: u64) -> usize {
    match width {
        0..=4 => 32,
        5..=8 => 16,
        _ => 8,
    }
}

/// Whether every active lane i wants the same address as lane i xor `distance`, an inactive
/// partner counting as agreeing. If the lanes of a warp's load agree so, at distance 1 or all
/// at distance 2, its groups are served in pairs: one group for 8 bytes, two for 16. The whole
/// warp must agree, not just the pair of groups; stores never merge.
///
/// Source: measured on 9.0 (hardware counters in `h200-requests.csv` and in the column
/// `hardware` of `sm_90-h200-probes.json`).
fn pairs_agree(lanes: &[Option<u64>], distance: usize) -> bool {
    (0..lanes.len()).all(|lane| match (lanes[lane], lanes[lane ^ distance]) {
        (Some(mine), Some(partner)) => mine == partner,
        _ => true,
    })
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

fn most_lanes(addresses: impl Iterator<Item = u64>, width: u64) -> u32 {
    let mut lanes = [0_u32; 32];
    for address in addresses {
        for word in address / 4..=address.saturating_add(width.clamp(1, 16) - 1) / 4 {
            lanes[(word % 32) as usize] += 1;
        }
    }
    lanes.into_iter().max().unwrap_or(0)
}

/// The most distinct rows wanted of one bank. `place` gives a 4-byte word's bank (below 32) and
/// the identity of the row it lies in; lanes that want the same row of a bank share it.
///
/// Source: measured on 9.0 (`h200-requests.csv`): same word is a broadcast, distinct words of
/// one bank take a wavefront each; stores alike.
fn most_per_bank(group: &[Option<u64>], width: u64, place: impl Fn(u64) -> (usize, u64)) -> u32 {
    let mut seen = Set::<256>::new();
    let mut rows = [0_u32; 32];
    let mut most = 0;
    for address in group.iter().flatten() {
        // 32 lanes × 5 words (16 unaligned bytes) at most, which keeps the set from filling up.
        let last = address.saturating_add(width.min(16) - 1) / 4;
        for word in address / 4..=last {
            let (bank, row) = place(word);
            if seen.insert(row) {
                rows[bank] += 1;
                most = most.max(rows[bank]);
            }
        }
    }
    most
}

/// [`most_per_bank`] for banks of 4-byte words and aligned addresses: then all words of an
/// access conflict alike, so its `unit` (the width, or 4 for narrower accesses) stands for them.
fn most_per_bank_aligned(group: &[Option<u64>], unit: u64) -> u32 {
    let mut seen = Set::<64>::new();
    let mut units = [0_u8; 32];
    let (shift, mask) = (unit.trailing_zeros(), 128 / unit - 1);
    let mut most = 0;
    let mut previous = None;
    for address in group.iter().flatten() {
        let number = address >> shift;
        // Neighbouring lanes often share a word.
        if previous != Some(number) && seen.insert(number) {
            let bank = &mut units[(number & mask) as usize];
            *bank += 1;
            most = most.max(*bank);
        }
        previous = Some(number);
    }
    u32::from(most)
}

/// An open-addressing set of numbers below `u64::MAX`, without heap: requests are counted by
/// the million. `N` is a power of two above the count of members.
struct Set<const N: usize>([u64; N]);

impl<const N: usize> Set<N> {
    const EMPTY: u64 = u64::MAX;

    fn new() -> Self {
        Set([Self::EMPTY; N])
    }

    /// Whether the number is new.
    fn insert(&mut self, number: u64) -> bool {
        let mut slot =
            (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - N.trailing_zeros())) as usize;
        loop {
            // The mask changes nothing but lets the compiler drop the bounds check.
            let member = &mut self.0[slot & (N - 1)];
            if *member == number {
                return false;
            }
            if *member == Self::EMPTY {
                *member = number;
                return true;
            }
            slot += 1;
        }
    }
}

// ---------------------------------------------------------------- shared memory, older

/// Banks of 8 bytes. 8-byte mode: successive 8-byte words lie in successive banks, and lanes
/// within one 8-byte word don't conflict. 4-byte mode: successive 4-byte words lie in
/// successive banks, and words i and i + 32 of an aligned 64-word segment don't conflict.
///
/// Source: Guide, "Compute Capability 3.x", "Shared Memory". The guide does not say how 16-byte
/// requests are split; half-warps are assumed here, since 32 × 8 bytes is a bank row.
fn kepler_rule(addresses: &LaneAddresses, width: u64, bank_bytes: u8) -> u32 {
    let lanes = if width <= 8 { 32 } else { 16 };
    let place = |word: u64| {
        if bank_bytes == 8 {
            ((word / 2 % 32) as usize, word / 2)
        } else {
            ((word % 32) as usize, word / 64 * 32 + word % 32)
        }
    };
    addresses
        .chunks(lanes)
        .map(|group| most_per_bank(group, width, place))
        .sum()
}

/// 32 banks of 4 bytes, same word broadcast; 8-byte accesses conflict within half-warps only;
/// 16-byte accesses cost one more than the most of a quarter-warp.
///
/// Source: Guide, "Compute Capability 2.x", "Shared Memory" (32-bit strided access, larger than
/// 32-bit access). The guide states 16-byte accesses as a degree of conflict; read here as two
/// wavefronts at least for each quarter-warp.
fn fermi_rule(addresses: &LaneAddresses, width: u64) -> u32 {
    let place = |word: u64| ((word % 32) as usize, word);
    addresses
        .chunks(group_of(width))
        .map(|group| match most_per_bank(group, width, place) {
            most if most > 0 && width > 8 => most + 1,
            most => most,
        })
        .sum()
}

/// 16 banks of 4 bytes, each half-warp by itself; an access wider than a word becomes one
/// request per word. Each step serves every lane that wants the broadcast word, and one
/// address from each other bank.
///
/// Source: Guide, "Compute Capability 1.x", "Shared Memory". Which word is broadcast and which
/// address is picked from a bank is unspecified there; the lowest remaining lane decides here.
fn half_warp_rule(addresses: &LaneAddresses, width: u64) -> u32 {
    let mut steps = 0;
    for half in addresses.chunks(16) {
        for part in 0..width.div_ceil(4) {
            let mut wanted = [None; 16];
            for (want, address) in wanted.iter_mut().zip(half) {
                *want = address.map(|address| address.saturating_add(4 * part));
            }
            while let Some(broadcast) = wanted.iter().flatten().next().map(|address| address / 4) {
                steps += 1;
                let mut bank_address = [None; 16];
                for want in &mut wanted {
                    let Some(address) = *want else { continue };
                    let picked = bank_address[(address / 4 % 16) as usize].get_or_insert(address);
                    if address / 4 == broadcast
                        || (address / 4 % 16 != broadcast % 16 && *picked == address)
                    {
                        *want = None;
                    }
                }
            }
        }
    }
    steps
}

// ---------------------------------------------------------------- global memory

/// Distinct aligned pieces of `piece` bytes that active lanes touch.
///
/// Source, for 32-byte sectors: measured on 9.0 (`h200-requests.csv`), any width; Guide,
/// "Compute Capability 3.x" and "5.x", "Global Memory" (32-byte L2 transactions).
fn distinct_pieces(addresses: &[Option<u64>], width: u64, piece: u64) -> u32 {
    // 32 lanes × 2 pieces at most.
    let mut seen = Set::<128>::new();
    let mut count = 0;
    let mut previous = None;
    for address in addresses.iter().flatten() {
        let last = address.saturating_add(width.min(piece) - 1) / piece;
        for number in address / piece..=last {
            // Neighbouring lanes mostly share a piece.
            if previous != Some(number) && seen.insert(number) {
                count += 1;
            }
            previous = Some(number);
        }
    }
    count
}

/// Loads through L1 move 128-byte lines, four sectors each; 8-byte requests go by half-warps,
/// 16-byte requests by quarter-warps, each with its own lines.
///
/// Source: Guide, "Compute Capability 2.x", "Global Memory" (default caching, `-dlcm=ca`).
fn cached_lines_rule(addresses: &LaneAddresses, width: u64) -> u32 {
    addresses
        .chunks(group_of(width))
        .map(|group| 4 * distinct_pieces(group, width, 128))
        .sum()
}

/// Each half-warp: the aligned segment of the lowest active lane's address (32 bytes for
/// 1-byte accesses, 64 for 2-byte, 128 for wider) serves every lane inside it, shrunk while
/// only one of its halves is used, down to 32 bytes; then the next remaining lane's.
///
/// Source: Guide, "Compute Capability 1.x", "Global Memory", devices 1.2 and 1.3. Counted in
/// 32-byte sectors moved.
fn segments_rule(addresses: &LaneAddresses, width: u64) -> u32 {
    let segment = match width {
        1 => 32,
        2 => 64,
        _ => 128,
    };
    let mut moved = 0;
    for half in addresses.chunks(16) {
        let mut remaining = [None; 16];
        remaining.copy_from_slice(half);
        while let Some(base) = remaining
            .iter()
            .flatten()
            .next()
            .map(|address| address / segment)
        {
            let (mut low, mut high) = (u64::MAX, 0);
            for slot in &mut remaining {
                if let Some(address) = slot.filter(|address| address / segment == base) {
                    low = low.min(address);
                    high = high.max(address.saturating_add(width - 1));
                    *slot = None;
                }
            }
            let mut size = segment;
            while size > 32 && low / (size / 2) == high / (size / 2) {
                size /= 2;
            }
            moved += (size / 32) as u32;
        }
    }
    moved
}

/// Each half-warp: coalesced if lane k accesses the k-th element of one aligned segment of 16
/// elements (inactive lanes allowed) and elements have 4, 8 or 16 bytes; otherwise one 32-byte
/// transaction for each active lane.
///
/// Source: Guide, "Compute Capability 1.x", "Global Memory", devices 1.0 and 1.1. A coalesced
/// half-warp moves 64 bytes, 128 bytes, or twice 128 bytes. Counted in 32-byte sectors moved.
fn in_sequence_rule(addresses: &LaneAddresses, width: u64) -> u32 {
    let mut moved = 0;
    for half in addresses.chunks(16) {
        let active = half.iter().flatten().count() as u32;
        let mut lanes = half
            .iter()
            .enumerate()
            .filter_map(|(lane, address)| address.map(|address| (lane as u64, address)));
        let segment = 16 * width;
        let Some((first_lane, first)) = lanes.next() else {
            continue;
        };
        let base = first.wrapping_sub(first_lane * width);
        let in_sequence = matches!(width, 4 | 8 | 16)
            && base % segment == 0
            && lanes.all(|(lane, address)| address == base.wrapping_add(lane * width));
        moved += if in_sequence {
            (segment / 32) as u32
        } else {
            active
        };
    }
    moved
}

// ---------------------------------------------------------------- other instructions

/// The machine instruction behind an atomic on shared memory, which decides its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SharedAtomic {
    /// `ATOMS.POPC.INC`: `atomicAdd` of the constant 1 to 32-bit integers, result unused.
    Increment,
    /// `ATOMS.ADD`, `.MIN`, `.EXCH` and their like: integers of 32 bits, exchange of 64.
    Native,
    /// `ATOMS.CAS`: `atomicCAS` of 32 or 64 bits.
    CompareAndSwap,
}

/// Wavefronts of an atomic on shared memory. [`cost`] takes every atomic for
/// [`SharedAtomic::Native`].
///
/// Adding floats, or 64-bit integers, is no single instruction: the compiler makes a loop of a
/// load and a compare-and-swap (`ATOMS.CAST.SPIN`), as many rounds as the most lanes that want
/// one bank, each round two wavefronts with an ideal of two (32-bit).
///
/// Source: measured on 9.0 (`sm_90-h200-probes.json`): increments share a word as loads do,
/// others serialise lanes; compare-and-swap passes twice.
pub fn shared_atomic(
    addresses: &LaneAddresses,
    width: u32,
    kind: SharedAtomic,
    arch: &Arch,
) -> Cost {
    let mask = active_mask(addresses);
    let dense = ideal(Space::Shared, Op::Atomic, width, mask, arch);
    let (actual, dense) = match kind {
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

/// Cost of a `cp.async` that goes through L1 (`.ca`): the wavefronts of its shared side and the
/// sectors of its global side. `None` as wavefronts: `.cg` (16 bytes) bypasses L1, and the
/// profiler counts neither side of it.
///
/// The shared side takes, for each group of lanes, as many wavefronts as the most lanes that
/// write one bank, or that read one bank of L1 (their global addresses taken as bank
/// addresses), whichever is more. That is exact for all measured requests whose lanes do not
/// conflict on both sides at once, and a lower bound for those.
///
/// Source: measured on 9.0 (`sm_90-h200-probes.json`, `cp.async.ca`).
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
mod tests {
    use super::*;

    const WIDTHS: [u32; 5] = [1, 2, 4, 8, 16];

    /// Deterministic noise (splitmix64), so that a failure repeats.
    struct Noise(u64);

    impl Noise {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut mixed = self.0;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            (mixed ^ (mixed >> 31)) % bound
        }

        fn request(&mut self) -> Request {
            let width = WIDTHS[self.below(5) as usize];
            let space = [Space::Shared, Space::Global][self.below(2) as usize];
            let op = [Op::Load, Op::Store, Op::Atomic][self.below(3) as usize];
            let range = [4, 40, 400][self.below(3) as usize];
            let mut addresses = [None; WARP];
            for address in &mut addresses {
                let offset = u64::from(width) * self.below(range);
                *address = (self.below(8) > 0).then_some(offset);
            }
            Request {
                addresses,
                width,
                space,
                op,
            }
        }
    }

    fn strided(width: u32, stride: u64, space: Space, op: Op) -> Request {
        Request {
            addresses: std::array::from_fn(|lane| Some(lane as u64 * stride)),
            width,
            space,
            op,
        }
    }

    fn both(request: Request) -> (u32, u32) {
        let cost = cost(&request, &Arch::DEFAULT);
        (cost.actual, cost.ideal)
    }

    #[test]
    fn the_field_s_known_answers() {
        assert_eq!(both(strided(4, 4, Space::Shared, Op::Load)), (1, 1));
        assert_eq!(both(strided(4, 128, Space::Shared, Op::Load)), (32, 1));
        assert_eq!(both(strided(4, 132, Space::Shared, Op::Store)), (1, 1));
        assert_eq!(both(strided(8, 256, Space::Shared, Op::Load)), (32, 2));
        assert_eq!(both(strided(8, 264, Space::Shared, Op::Load)), (2, 2));
        assert_eq!(both(strided(16, 16, Space::Shared, Op::Load)), (4, 4));
        assert_eq!(both(strided(2, 128, Space::Shared, Op::Load)), (32, 1));
        assert_eq!(both(strided(4, 4, Space::Global, Op::Load)), (4, 4));
        assert_eq!(both(strided(4, 12, Space::Global, Op::Load)), (12, 4));
        assert_eq!(both(strided(16, 16, Space::Global, Op::Store)), (16, 16));
        assert_eq!(both(strided(4, 0, Space::Shared, Op::Load)), (1, 1));
        assert_eq!(both(strided(4, 0, Space::Global, Op::Load)), (1, 1));
        assert_eq!(both(strided(4, 0, Space::Shared, Op::Atomic)), (32, 1));
        assert_eq!(both(strided(4, 0, Space::Global, Op::Atomic)), (1, 1));
        let nobody = Request {
            addresses: [None; WARP],
            width: 4,
            space: Space::Shared,
            op: Op::Load,
        };
        assert_eq!(both(nobody), (0, 0));
    }

    #[test]
    fn shifting_by_128_bytes_keeps_wavefronts_and_sectors() {
        let mut noise = Noise(1);
        for _ in 0..2000 {
            let request = noise.request();
            let shift = 128 * noise.below(1 << 20);
            let addresses = request
                .addresses
                .map(|address| address.map(|address| address + shift));
            assert_eq!(
                both(request),
                both(Request {
                    addresses,
                    ..request
                }),
                "{request:?} by {shift}"
            );
        }
    }

    #[test]
    fn order_inside_the_warp_is_free() {
        let mut noise = Noise(2);
        for _ in 0..2000 {
            let mut request = noise.request();
            // Wider shared requests are served by groups of lanes, so order matters to them.
            if request.space == Space::Shared && request.width > 4 {
                let addresses = request
                    .addresses
                    .map(|address| address.map(|address| address / u64::from(request.width) * 4));
                request = Request {
                    addresses,
                    width: 4,
                    ..request
                };
            }
            let before = both(request);
            for lane in (1..WARP).rev() {
                request
                    .addresses
                    .swap(lane, noise.below(lane as u64 + 1) as usize);
            }
            assert_eq!(before, both(request));
        }
    }

    #[test]
    fn counting_agrees_with_a_plain_set() {
        use std::collections::{BTreeMap, BTreeSet};
        let mut noise = Noise(3);
        for _ in 0..2000 {
            let request = noise.request();
            let addresses = || request.addresses.iter().flatten();
            let touched: BTreeSet<u64> = addresses()
                .flat_map(|a| a / 32..=(a + u64::from(request.width) - 1) / 32)
                .collect();
            assert_eq!(
                sectors(
                    &request.addresses,
                    request.width,
                    request.op,
                    &Arch::DEFAULT
                )
                .0,
                touched.len() as u32
            );
            if request.width <= 4 && request.op != Op::Atomic {
                let mut banks: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
                for address in addresses() {
                    banks
                        .entry(address / 4 % 32)
                        .or_default()
                        .insert(address / 4);
                }
                let most = banks.values().map(BTreeSet::len).max().unwrap_or(0);
                assert_eq!(
                    wavefronts(
                        &request.addresses,
                        request.width,
                        request.op,
                        &Arch::DEFAULT
                    )
                    .0,
                    most as u32
                );
            }
        }
    }

    #[test]
    fn short_cuts_meet_their_definitions() {
        let mut noise = Noise(5);
        for _ in 0..2000 {
            let Request {
                addresses,
                width,
                space,
                op,
            } = noise.request();
            let mask = [u32::MAX, active_mask(&addresses)][noise.below(2) as usize];
            let dense = Request {
                addresses: std::array::from_fn(|lane| {
                    (mask >> lane & 1 == 1)
                        .then(|| u64::from(width * (mask & ((1 << lane) - 1)).count_ones()))
                }),
                width,
                space,
                op,
            };
            let cost = actual(&dense, &Arch::DEFAULT);
            let least = ideal(space, op, width, mask, &Arch::DEFAULT);
            assert!(least <= cost, "{space:?} {op:?} {width} {mask:#x}");
            assert!(least == cost || mask != u32::MAX || op == Op::Atomic && width < 4);
            let word = |word: u64| ((word % 32) as usize, word);
            let unit = u64::from(width).max(4);
            assert_eq!(
                most_per_bank_aligned(&addresses, unit),
                most_per_bank(&addresses, u64::from(width), word)
            );
        }
    }

    #[test]
    fn no_architecture_costs_nothing_or_panics() {
        let mut noise = Noise(4);
        for _ in 0..500 {
            let mut request = noise.request();
            let far = noise.below(2) * (u64::MAX - 8000);
            request.addresses = request
                .addresses
                .map(|address| address.map(|address| address + far));
            for arch in Arch::all() {
                let cost = cost(&request, &arch);
                assert_eq!(
                    cost.actual == 0,
                    request.active_mask() == 0,
                    "{arch} {request:?}"
                );
                assert_eq!(cost.ideal == 0, request.active_mask() == 0);
            }
        }
    }

    #[test]
    fn kepler_modes_differ_as_documented() {
        let four = Arch::parse("sm_35").unwrap();
        let eight = Arch::parse("sm_35/8").unwrap();
        let two_words = |first: u64, second: u64| {
            let addresses =
                std::array::from_fn(|lane| Some(4 * if lane % 2 == 0 { first } else { second }));
            Request {
                addresses,
                width: 4,
                space: Space::Shared,
                op: Op::Load,
            }
        };
        // Words 0 and 32 of one aligned 64-word segment.
        assert_eq!(cost(&two_words(0, 32), &four).actual, 1);
        assert_eq!(cost(&two_words(0, 32), &eight).actual, 1);
        assert_eq!(cost(&two_words(32, 64), &four).actual, 2);
        assert_eq!(cost(&two_words(0, 64), &eight).actual, 2);
        // A stride that suits one mode can hurt the other: 3 words, and a pitch of 34 words.
        let modes = |stride: u64| {
            [four, eight]
                .map(|arch| cost(&strided(4, stride, Space::Shared, Op::Load), &arch).actual)
        };
        assert_eq!(modes(12), [1, 2]);
        assert_eq!(modes(136), [2, 1]);
        assert_eq!(modes(132), [1, 1]);
        assert_eq!(
            cost(&strided(8, 8, Space::Shared, Op::Load), &eight).actual,
            1
        );
    }

    #[test]
    fn agreeing_lanes_are_judged_over_the_warp() {
        let load = |offset: fn(u64) -> u64| Request {
            addresses: std::array::from_fn(|lane| Some(offset(lane as u64))),
            width: 16,
            space: Space::Shared,
            op: Op::Load,
        };
        let views = |request: Request| {
            (
                cost(&request, &Arch::DEFAULT).actual,
                source_page(&request, &Arch::DEFAULT).actual,
            )
        };
        assert_eq!(views(load(|lane| lane / 2 * 16)), (2, 2));
        // Only the low half agrees: the hardware merges nothing.
        assert_eq!(
            views(load(|lane| if lane < 16 {
                lane / 2 * 16
            } else {
                lane * 16
            })),
            (4, 3)
        );
        // Merged groups conflict: the hardware merges them all the same.
        assert_eq!(views(load(|lane| lane / 2 * 64)), (8, 8));
        let store = Request {
            op: Op::Store,
            ..load(|lane| lane / 2 * 16)
        };
        assert_eq!(views(store), (4, 4));
    }

    #[test]
    fn older_rules_give_the_guide_s_examples() {
        let answer =
            |name: &str, request: Request| cost(&request, &Arch::parse(name).unwrap()).actual;
        let shifted = |by: u64| {
            let addresses = std::array::from_fn(|lane| Some(4 * lane as u64 + by));
            Request {
                addresses,
                width: 4,
                space: Space::Global,
                op: Op::Load,
            }
        };
        let permuted = Request {
            addresses: std::array::from_fn(|lane| Some(4 * (lane as u64 ^ 1))),
            ..shifted(0)
        };
        // Sequential, permuted, misaligned by one element.
        assert_eq!(
            [shifted(0), permuted, shifted(4)].map(|request| answer("1.0", request)),
            [4, 32, 32]
        );
        assert_eq!(
            [shifted(0), permuted, shifted(4)].map(|request| answer("1.3", request)),
            [4, 4, 7]
        );
        assert_eq!(
            [shifted(0), permuted, shifted(4)].map(|request| answer("2.0", request)),
            [4, 4, 8]
        );
        assert_eq!(
            [shifted(0), permuted, shifted(4)].map(|request| answer("3.5", request)),
            [4, 4, 5]
        );
        // 1.x: two half-warps; doubles conflict; bytes of one word are not one request.
        assert_eq!(answer("1.3", strided(4, 4, Space::Shared, Op::Load)), 2);
        assert_eq!(answer("1.3", strided(8, 8, Space::Shared, Op::Load)), 8);
        assert!(answer("1.3", strided(1, 1, Space::Shared, Op::Load)) > 2);
        // 2.x: doubles don't conflict, 16 bytes do.
        assert_eq!(answer("2.0", strided(8, 8, Space::Shared, Op::Load)), 2);
        assert_eq!(answer("2.0", strided(16, 16, Space::Shared, Op::Load)), 8);
    }

    #[test]
    fn ldmatrix_phases_are_counted_alone() {
        let rows = |pitch: u64| std::array::from_fn(|lane| Some(pitch * lane as u64));
        assert_eq!(
            ldmatrix(&rows(16), 4, &Arch::DEFAULT),
            Cost {
                actual: 4,
                ideal: 4
            }
        );
        assert_eq!(
            ldmatrix(&rows(128), 4, &Arch::DEFAULT),
            Cost {
                actual: 32,
                ideal: 4
            }
        );
        assert_eq!(
            ldmatrix(&rows(144), 2, &Arch::DEFAULT),
            Cost {
                actual: 2,
                ideal: 2
            }
        );
    }

    #[test]
    fn bank_map_names_words_and_banks() {
        let map = bank_map(&strided(8, 8, Space::Shared, Op::Load), &Arch::DEFAULT);
        assert_eq!(
            map[17],
            BankUse {
                lane: Lane(17),
                word: 34,
                bank: 2,
                words: 2,
                group: 1
            }
        );
    }
}
