//! The pattern of a witness: what its lanes do, in words.
//!
//! Given 32 addresses, gives their shape: one stride, dense runs, or neither.
//! Knows nothing of what a request costs.

use crate::gpu::LaneAddresses;
use crate::prove::verdict::Witness;

/// Bytes of a sector, the unit of global traffic.
const SECTOR: u64 = 32;

/// The addresses of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Active lanes.
    pub lanes: usize,
    /// Bytes from each active lane to the next, where that is one number.
    pub stride: Option<i64>,
    /// Bytes touched without a gap, by address: start and length.
    pub runs: Vec<(i64, u64)>,
}

impl Pattern {
    /// `width` is in bytes per lane.
    #[must_use]
    pub fn of(witness: &Witness, width: u32) -> Self {
        Self::of_request(&witness.addresses, width)
    }

    /// Addresses are in bytes.
    #[must_use]
    pub fn of_request(addresses: &LaneAddresses, width: u32) -> Self {
        let addresses: Vec<u64> = addresses.iter().flatten().copied().collect();
        let mut steps = addresses
            .windows(2)
            .map(|pair| pair[1].wrapping_sub(pair[0]) as i64);
        let first = steps.next();
        let stride = first.filter(|first| steps.all(|step| step == *first));
        // Addresses are relative to the array's base, so that some may lie before it.
        let mut sorted: Vec<i64> = addresses.iter().map(|address| *address as i64).collect();
        sorted.sort_unstable();
        let width = u64::from(width.max(1));
        let mut runs: Vec<(i64, u64)> = Vec::new();
        for address in sorted {
            match runs.last_mut() {
                Some((start, length)) if address.abs_diff(*start) <= *length => {
                    *length = (*length).max(address.abs_diff(*start) + width);
                }
                _ => runs.push((address, width)),
            }
        }
        Self {
            lanes: addresses.len(),
            stride,
            runs,
        }
    }

    /// Bytes wanted by at least one lane.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.runs.iter().map(|(_, length)| length).sum()
    }

    /// Whether the lanes read whole runs of neighbouring bytes that would be ideal if they began
    /// at a sector: the fault is where the runs begin, not how the lanes are spread.
    #[must_use]
    pub fn is_only_misaligned(&self, ideal: u32) -> bool {
        let aligned: u64 = self
            .runs
            .iter()
            .map(|(_, length)| length.div_ceil(SECTOR))
            .sum();
        aligned <= u64::from(ideal)
    }

    /// Where the first misaligned run begins, in bytes past a sector.
    #[must_use]
    pub fn misalignment(&self) -> u64 {
        let past = |start: &i64| start.rem_euclid(SECTOR as i64) as u64;
        self.runs
            .iter()
            .map(|(start, _)| past(start))
            .find(|past| *past != 0)
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(address: impl Fn(u64) -> u64, width: u32) -> Pattern {
        let mut addresses = [None; 32];
        for (lane, slot) in addresses.iter_mut().enumerate() {
            *slot = Some(address(lane as u64));
        }
        let witness = Witness {
            symbols: Vec::new(),
            addresses,
            cost: 0,
            ideal: 0,
        };
        Pattern::of(&witness, width)
    }

    #[test]
    fn an_offset_is_a_misaligned_run() {
        let shifted = pattern(|lane| 4 * lane + 4, 4);
        assert_eq!((shifted.stride, shifted.runs.len()), (Some(4), 1));
        assert!(shifted.is_only_misaligned(4));
        assert_eq!(shifted.misalignment(), 4);
    }

    #[test]
    fn a_stride_is_not() {
        let strided = pattern(|lane| 4096 * lane, 4);
        assert_eq!((strided.stride, strided.runs.len()), (Some(4096), 32));
        assert!(!strided.is_only_misaligned(4));
    }

    #[test]
    fn two_rows_of_an_odd_pitch_are_misaligned_runs() {
        let rows = pattern(|lane| 4 * (lane % 16) + lane / 16 * 404, 4);
        assert_eq!(rows.stride, None);
        assert!(rows.is_only_misaligned(4));
    }
}
