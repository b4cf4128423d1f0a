//! The cost rules of compute capabilities 1.x to 3.x, from the vendor's documentation alone.
//!
//! Given: lane addresses and a width. Gives: wavefronts (bank steps) or 32-byte sectors.
//! Does not know: which architecture has which rule, or the ideal.
//!
//! "Guide" is NVIDIA's *CUDA C Programming Guide*, appendix "Compute Capabilities".

use super::cost::{LaneAddresses, group_of};
use super::counting::{distinct_pieces, most_per_bank};

/// Banks of 8 bytes. 8-byte mode: successive 8-byte words lie in successive banks, and lanes
/// within one 8-byte word don't conflict. 4-byte mode: successive 4-byte words lie in
/// successive banks, and words i and i + 32 of an aligned 64-word segment don't conflict.
///
/// Source: Guide, "Compute Capability 3.x", "Shared Memory". The guide does not say how 16-byte
/// requests are split; half-warps are assumed here, since 32 × 8 bytes is a bank row.
pub(super) fn kepler_rule(addresses: &LaneAddresses, width: u64, bank_bytes: u8) -> u32 {
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
pub(super) fn fermi_rule(addresses: &LaneAddresses, width: u64) -> u32 {
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
pub(super) fn half_warp_rule(addresses: &LaneAddresses, width: u64) -> u32 {
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

/// Loads through L1 move 128-byte lines, four sectors each; 8-byte requests go by half-warps,
/// 16-byte requests by quarter-warps, each with its own lines.
///
/// Source: Guide, "Compute Capability 2.x", "Global Memory" (default caching, `-dlcm=ca`).
pub(super) fn cached_lines_rule(addresses: &LaneAddresses, width: u64) -> u32 {
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
pub(super) fn segments_rule(addresses: &LaneAddresses, width: u64) -> u32 {
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
pub(super) fn in_sequence_rule(addresses: &LaneAddresses, width: u64) -> u32 {
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
