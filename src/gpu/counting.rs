//! Counting without heap: requests are counted by the million.
//!
//! Given: the addresses of some lanes. Gives: the most rows or lanes of a bank, distinct pieces.
//! Knows of the hardware: 32 banks of 4-byte words, one row of each at a time.
//! Does not know: which lanes belong together, spaces, operations, or differences between architectures.

/// The most lanes that touch one bank of 4-byte words.
pub(super) fn most_lanes(addresses: impl Iterator<Item = u64>, width: u64) -> u32 {
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
pub(super) fn most_per_bank(
    group: &[Option<u64>],
    width: u64,
    place: impl Fn(u64) -> (usize, u64),
) -> u32 {
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
#[inline]
pub(super) fn most_per_bank_aligned(group: &[Option<u64>], unit: u64) -> u32 {
    let (shift, mask) = (unit.trailing_zeros(), 128 / unit - 1);
    let numbers = group.iter().flatten().map(|address| address >> shift);
    let (least, greatest) = numbers.fold((u64::MAX, 0), |(least, greatest), number| {
        (least.min(number), greatest.max(number))
    });
    // Units that lie so close together are in banks of their own.
    if least <= greatest && greatest - least <= mask {
        return 1;
    }
    let mut seen = Set::<64>::new();
    let mut units = [0_u8; 32];
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

/// Distinct aligned pieces of `piece` bytes that active lanes touch.
///
/// Source, for 32-byte sectors: measured on 9.0 (`h200-requests.csv`), any width; Guide,
/// "Compute Capability 3.x" and "5.x", "Global Memory" (32-byte L2 transactions).
#[inline]
pub(super) fn distinct_pieces(addresses: &[Option<u64>], width: u64, piece: u64) -> u32 {
    // 32 lanes × 2 pieces at most; `piece` is a power of two.
    let shift = piece.trailing_zeros();
    if let Some(count) = pieces_in_order(addresses, width.min(piece), shift) {
        return count;
    }
    let mut seen = Set::<128>::new();
    let mut count = 0;
    let mut previous = None;
    for address in addresses.iter().flatten() {
        let last = address.saturating_add(width.min(piece) - 1) >> shift;
        for number in address >> shift..=last {
            // Neighbouring lanes mostly share a piece.
            if previous != Some(number) && seen.insert(number) {
                count += 1;
            }
            previous = Some(number);
        }
    }
    count
}

/// [`distinct_pieces`] for lanes in order: none begins in a piece before the last one of the lane before it.
fn pieces_in_order(addresses: &[Option<u64>], width: u64, shift: u32) -> Option<u32> {
    let mut count = 0;
    let mut last = None;
    for address in addresses.iter().flatten() {
        let (from, to) = (address >> shift, address.saturating_add(width - 1) >> shift);
        count += to - from;
        match last {
            Some(last) if from < last => return None,
            Some(last) if from == last => {}
            _ => count += 1,
        }
        last = Some(to);
    }
    Some(count as u32)
}

/// Distinct aligned pieces of 32 bytes that are touched by `width` bytes, 1 to 32, from each of
/// `starts` on, when all of them lie 0, 1, 2 … 31 bytes further on. Sorts `starts`.
///
/// Two bytes that lie `d < 32` apart are in different pieces for `d` of the 32 shifts, those that
/// carry the later one past a multiple of 32 and not the earlier one.
pub(super) fn pieces_by_shift(starts: &mut [i64], width: i64) -> [u32; 32] {
    if !starts.is_sorted() {
        starts.sort_unstable();
    }
    // How many more pieces each shift has than the one before it.
    let mut more = [0_i32; 33];
    let mut all = 0;
    let mut parted = |from: i64, distance: i64| {
        if distance >= 32 {
            all += 1;
        } else if distance > 0 {
            let first = (32 - distance - from).rem_euclid(32) as usize;
            let past = first + distance as usize;
            more[first] += 1;
            more[past.min(32)] -= 1;
            if past > 32 {
                more[0] += 1;
                more[past - 32] -= 1;
            }
        }
    };
    let mut last: Option<i64> = None;
    for start in starts {
        let (start, end) = (*start, *start + width - 1);
        match last {
            None => {
                parted(start, 32);
                parted(start, end - start);
            }
            // What lies in between takes no piece of its own.
            Some(last) if start > last => {
                parted(last, start - last);
                parted(start, end - start);
            }
            Some(last) => parted(last, end - last),
        }
        last = Some(last.map_or(end, |last| last.max(end)));
    }
    let mut count = all;
    std::array::from_fn(|shift| {
        count += more[shift];
        count as u32
    })
}
