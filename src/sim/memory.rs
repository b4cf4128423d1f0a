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

/// Bytes of one page.
const PAGE: usize = 1 << 12;

/// Bytes, each with the reason why it is not known (0: it is known). Bytes that nobody wrote take no
/// memory: arrays are far larger than what one block touches.
#[derive(Clone, Debug, Default)]
pub(super) struct Region {
    size: usize,
    /// The reason of bytes in pages that are not there; their value is 0.
    elsewhere: Why,
    pages: Vec<Option<Box<Page>>>,
}

#[derive(Clone, Debug)]
struct Page {
    bytes: [u8; PAGE],
    why: [Why; PAGE],
}

impl Region {
    pub(super) fn known(bytes: &[u8]) -> Self {
        let mut region = Self::zeros(bytes.len());
        for (at, piece) in bytes.chunks(PAGE).enumerate() {
            let page = region.page(at);
            page.bytes[..piece.len()].copy_from_slice(piece);
        }
        region
    }

    pub(super) fn zeros(size: usize) -> Self {
        Self::unknown(size, 0)
    }

    pub(super) fn unknown(size: usize, why: Why) -> Self {
        Self {
            size,
            elsewhere: why,
            pages: vec![None; size.div_ceil(PAGE)],
        }
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// All bytes, and which of them are known.
    pub(super) fn into_parts(self) -> (Vec<u8>, Vec<bool>) {
        let (mut bytes, mut known) = (Vec::new(), Vec::new());
        for page in &self.pages {
            match page {
                Some(page) => {
                    bytes.extend_from_slice(&page.bytes);
                    known.extend(page.why.iter().map(|why| *why == 0));
                }
                None => {
                    bytes.resize(bytes.len() + PAGE, 0);
                    known.resize(known.len() + PAGE, self.elsewhere == 0);
                }
            }
        }
        bytes.truncate(self.size);
        known.truncate(self.size);
        (bytes, known)
    }

    fn page(&mut self, index: usize) -> &mut Page {
        let why = self.elsewhere;
        self.pages[index].get_or_insert_with(|| {
            Box::new(Page {
                bytes: [0; PAGE],
                why: [why; PAGE],
            })
        })
    }

    /// The pieces of `size` bytes from `at` on that lie in one page each: the page, where in it,
    /// where in the whole, and how many.
    fn pieces(at: usize, size: usize) -> impl Iterator<Item = (usize, usize, usize, usize)> {
        let mut done = 0;
        std::iter::from_fn(move || {
            let start = (at + done) % PAGE;
            let count = (size - done).min(PAGE - start);
            let piece = ((at + done) / PAGE, start, done, count);
            done += count;
            (count > 0).then_some(piece)
        })
    }

    /// `size` bytes, 8 at most, little-endian.
    pub(super) fn read(&self, at: usize, size: usize) -> (u64, Why) {
        debug_assert!(at + size <= self.size);
        let (mut raw, mut why) = (0, 0);
        for (page, start, done, count) in Self::pieces(at, size) {
            let Some(page) = &self.pages[page] else {
                why = why.max(self.elsewhere);
                continue;
            };
            for at in 0..count {
                raw |= u64::from(page.bytes[start + at]) << (8 * (done + at));
                why = why.max(page.why[start + at]);
            }
        }
        (raw, why)
    }

    pub(super) fn write(&mut self, at: usize, size: usize, raw: u64, why: Why) {
        debug_assert!(at + size <= self.size);
        let bytes = raw.to_le_bytes();
        for (page, start, done, count) in Self::pieces(at, size) {
            let page = self.page(page);
            page.bytes[start..start + count].copy_from_slice(&bytes[done..done + count]);
            page.why[start..start + count].fill(why);
        }
    }

    pub(super) fn read_bytes(&self, at: usize, size: usize) -> (Vec<u8>, Vec<Why>) {
        let (mut bytes, mut why) = (vec![0; size], vec![self.elsewhere; size]);
        for (page, start, done, count) in Self::pieces(at, size) {
            if let Some(page) = &self.pages[page] {
                bytes[done..done + count].copy_from_slice(&page.bytes[start..start + count]);
                why[done..done + count].copy_from_slice(&page.why[start..start + count]);
            }
        }
        (bytes, why)
    }

    pub(super) fn write_bytes(&mut self, at: usize, (bytes, why): &(Vec<u8>, Vec<Why>)) {
        for (page, start, done, count) in Self::pieces(at, bytes.len()) {
            let page = self.page(page);
            page.bytes[start..start + count].copy_from_slice(&bytes[done..done + count]);
            page.why[start..start + count].copy_from_slice(&why[done..done + count]);
        }
    }

    pub(super) fn forget(&mut self, at: usize, size: usize, why: Why) {
        for (page, start, _, count) in Self::pieces(at, size) {
            self.page(page).why[start..start + count].fill(why);
        }
    }

    pub(super) fn forget_all(&mut self, why: Why) {
        self.elsewhere = why;
        for page in self.pages.iter_mut().flatten() {
            page.why.fill(why);
        }
    }
}

/// The object that an address points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryPlace {
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
    ) -> Result<MemoryPlace, String> {
        let at = address.wrapping_sub(SHARED);
        if at < shared && at + size <= shared {
            return Ok(MemoryPlace::Shared(at));
        }
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
            return window(SHARED, shared, "shared memory").map(MemoryPlace::Shared);
        }
        if (LOCAL..LOCAL + MAX_WINDOW).contains(&address) {
            return window(LOCAL, local, "the thread's own objects").map(MemoryPlace::Local);
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
        let length = allocation.region.size() as u64;
        match u64::try_from(at) {
            Ok(at) if at + size <= length => Ok(MemoryPlace::Global(index, at)),
            _ => Err(format!(
                "{size} bytes at byte {at} of `{}`, which has {length}",
                allocation.name
            )),
        }
    }
}

impl MemoryPlace {
    /// The memory that a request for it may go to.
    pub(super) fn space(self) -> Option<Space> {
        match self {
            Self::Shared(_) => Some(Space::Shared),
            Self::Global(..) => Some(Space::Global),
            Self::Local(_) => None,
        }
    }

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
    fn bytes_stay_where_they_were_written() {
        let mut region = Region::unknown(3 * PAGE, 7);
        region.write(PAGE - 3, 8, 0x0807_0605_0403_0201, 0);
        assert_eq!(region.read(PAGE - 3, 8), (0x0807_0605_0403_0201, 0));
        assert_eq!(region.read(PAGE - 1, 2), (0x0403, 0));
        assert_eq!(region.read(PAGE - 4, 2), (0x0100, 7));
        assert_eq!(region.read(2 * PAGE, 4), (0, 7));
        region.write_bytes(2 * PAGE - 1, &(vec![9, 8], vec![0, 0]));
        assert_eq!(region.read_bytes(2 * PAGE - 1, 2), (vec![9, 8], vec![0, 0]));
        region.forget(PAGE, 2, 3);
        assert_eq!(region.read(PAGE - 1, 3).1, 3);
        region.forget_all(2);
        assert_eq!(region.read(2 * PAGE - 1, 2), (0x0809, 2));
        let (bytes, known) = Region::known(&[1, 2, 3]).into_parts();
        assert_eq!((bytes, known), (vec![1, 2, 3], vec![true; 3]));
    }

    #[test]
    fn addresses_lie_in_one_place_or_none() {
        let mut global = Global::default();
        let named = |name: &str| Allocation {
            name: name.to_owned(),
            is_constant: false,
            region: Region::zeros(16),
        };
        let first = global.add(named("a"));
        let second = global.add(named("b"));
        assert_eq!((first % 256, second % 256), (0, 0));
        assert_eq!(
            global.place(first + 12, 4, 0, 0),
            Ok(MemoryPlace::Global(0, 12))
        );
        assert_eq!(global.place(second, 4, 0, 0), Ok(MemoryPlace::Global(1, 0)));
        let before = global
            .place(second.wrapping_sub(4), 4, 0, 0)
            .expect_err("before its start");
        assert_eq!(before, "4 bytes at byte -4 of `b`, which has 16");
        assert!(global.place(first + 14, 4, 0, 0).is_err());
        assert!(global.place(0, 4, 64, 64).is_err());
        assert_eq!(
            global.place(SHARED + 60, 4, 64, 0),
            Ok(MemoryPlace::Shared(60))
        );
        assert!(global.place(SHARED + 61, 4, 64, 0).is_err());
    }
}
