//! The simulator's memory: where objects lie, and bytes that may be unknown.
//!
//! Given sizes, gives each object an address and its bytes. Global allocations lie far
//! apart, so that an address that has left its own lies in none. Knows nothing of types,
//! warps or costs.

use super::value::Why;
use crate::gpu::cost::Space;

/// Shared memory starts here; low enough for addresses that pass through 32 bits.
pub(super) const SHARED: u64 = 0x1000_0000;
/// Each thread's own objects start here.
pub(super) const LOCAL: u64 = 0x2000_0000;
/// The first global allocation starts here, the others follow at this distance.
const GLOBAL: u64 = 1 << 40;
const DISTANCE: u64 = 1 << 36;

/// Most bytes of shared memory, or of one thread's objects.
pub(super) const MAX_WINDOW: u64 = 1 << 24;

/// Bytes, each with the reason why it is not known (0: it is known).
#[derive(Clone, Debug, Default)]
pub(super) struct Region {
    pub(super) bytes: Vec<u8>,
    pub(super) why: Vec<Why>,
}

impl Region {
    pub(super) fn known(bytes: Vec<u8>) -> Self {
        Self {
            why: vec![0; bytes.len()],
            bytes,
        }
    }

    pub(super) fn unknown(size: usize, why: Why) -> Self {
        Self {
            bytes: vec![0; size],
            why: vec![why; size],
        }
    }

    /// `size` bytes, 8 at most, little-endian.
    pub(super) fn read(&self, at: usize, size: usize) -> (u64, Why) {
        let bytes = self.bytes[at..at + size].iter().rev();
        let raw = bytes.fold(0, |raw, byte| raw << 8 | u64::from(*byte));
        let why = self.why[at..at + size].iter().copied().max().unwrap_or(0);
        (raw, why)
    }

    pub(super) fn write(&mut self, at: usize, size: usize, raw: u64, why: Why) {
        self.bytes[at..at + size].copy_from_slice(&raw.to_le_bytes()[..size]);
        self.why[at..at + size].fill(why);
    }

    pub(super) fn read_bytes(&self, at: usize, size: usize) -> (Vec<u8>, Vec<Why>) {
        (
            self.bytes[at..at + size].to_vec(),
            self.why[at..at + size].to_vec(),
        )
    }

    pub(super) fn write_bytes(&mut self, at: usize, (bytes, why): &(Vec<u8>, Vec<Why>)) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self.why[at..at + why.len()].copy_from_slice(why);
    }

    pub(super) fn forget(&mut self, at: usize, size: usize, why: Why) {
        self.why[at..at + size].fill(why);
    }
}

/// What an address points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Bytes after the start of shared memory.
    Shared(u64),
    /// Bytes after the start of the thread's objects.
    Local(u64),
    /// Allocation, and bytes after its start.
    Global(usize, u64),
}

/// A global allocation.
#[derive(Clone, Debug)]
pub(super) struct Allocation {
    /// As the user calls it.
    pub(super) name: String,
    /// `__constant__`: reads are no requests.
    pub(super) is_constant: bool,
    pub(super) region: Region,
}

/// Global memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Global {
    pub(super) allocations: Vec<Allocation>,
}

impl Global {
    /// Gives the address of the allocation's start, a multiple of 256 as `cudaMalloc` gives.
    pub(super) fn add(&mut self, allocation: Allocation) -> u64 {
        self.allocations.push(allocation);
        Self::start(self.allocations.len() - 1)
    }

    fn start(index: usize) -> u64 {
        GLOBAL + DISTANCE * index as u64
    }

    /// Where `size` bytes at `address` lie.
    ///
    /// # Errors
    /// A sentence for users where they lie nowhere.
    pub(super) fn place(
        &self,
        address: u64,
        size: u64,
        shared: u64,
        local: u64,
    ) -> Result<Place, String> {
        let window = |start: u64, length: u64, name: &str| {
            let at = address - start;
            if at + size <= length {
                Ok(at)
            } else {
                Err(format!(
                    "{size} bytes at byte {at} of {name}, which has {length}"
                ))
            }
        };
        if (SHARED..SHARED + MAX_WINDOW).contains(&address) {
            return window(SHARED, shared, "shared memory").map(Place::Shared);
        }
        if (LOCAL..LOCAL + MAX_WINDOW).contains(&address) {
            return window(LOCAL, local, "the thread's own objects").map(Place::Local);
        }
        let near = address.wrapping_add(DISTANCE / 2).wrapping_sub(GLOBAL);
        let index = (near / DISTANCE) as usize;
        let Some(allocation) = self
            .allocations
            .get(index)
            .filter(|_| address >= GLOBAL / 2)
        else {
            return Err(format!("address {address:#x}, which lies in no allocation"));
        };
        let at = address.wrapping_sub(Self::start(index)) as i64;
        let length = allocation.region.bytes.len() as u64;
        match u64::try_from(at) {
            Ok(at) if at + size <= length => Ok(Place::Global(index, at)),
            _ => Err(format!(
                "{size} bytes at byte {at} of `{}`, which has {length}",
                allocation.name
            )),
        }
    }
}

impl Place {
    /// The memory whose requests are counted, with the address relative to its aligned start.
    pub(super) fn request(self, global: &Global) -> Option<(Space, u64)> {
        match self {
            Self::Shared(at) => Some((Space::Shared, at)),
            Self::Global(index, at) if !global.allocations[index].is_constant => {
                Some((Space::Global, at))
            }
            Self::Local(_) | Self::Global(..) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lie_in_one_place_or_none() {
        let mut global = Global::default();
        let named = |name: &str| Allocation {
            name: name.to_owned(),
            is_constant: false,
            region: Region::known(vec![0; 16]),
        };
        let first = global.add(named("a"));
        let second = global.add(named("b"));
        assert_eq!((first % 256, second % 256), (0, 0));
        assert_eq!(global.place(first + 12, 4, 0, 0), Ok(Place::Global(0, 12)));
        assert_eq!(global.place(second, 4, 0, 0), Ok(Place::Global(1, 0)));
        let before = global
            .place(second.wrapping_sub(4), 4, 0, 0)
            .expect_err("before its start");
        assert_eq!(before, "4 bytes at byte -4 of `b`, which has 16");
        assert!(global.place(first + 14, 4, 0, 0).is_err());
        assert!(global.place(0, 4, 64, 64).is_err());
        assert_eq!(global.place(SHARED + 60, 4, 64, 0), Ok(Place::Shared(60)));
        assert!(global.place(SHARED + 61, 4, 64, 0).is_err());
    }
}
