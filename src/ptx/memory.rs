//! Bytes of one block and its grid; what nobody wrote is made up when it is read.

use super::operation::{Kind, Space, Type};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The highest byte of a generic address says which memory it is in; global memory has none.
pub const SHARED: u64 = 0x01 << 56;
pub const LOCAL: u64 = 0x02 << 56;
pub const PARAMETER: u64 = 0x03 << 56;
const TAG: u64 = 0xff << 56;

/// Where made-up buffers lie: so far apart that no plausible subscript leads from one into the next.
pub const FIRST_BUFFER: u64 = 1 << 44;
pub const BETWEEN_BUFFERS: u64 = 1 << 40;

/// No buffer reaches so far; what lies between here and [`SHARED`] is meant to be shared memory.
pub const END_OF_GLOBAL: u64 = SHARED >> 1;

const PAGE: u64 = 4096;

#[must_use]
pub fn space(address: u64) -> Option<Space> {
    match address & TAG {
        0 => Some(Space::Global),
        SHARED => Some(Space::Shared),
        LOCAL => Some(Space::Local),
        PARAMETER => Some(Space::Parameter),
        _ => None,
    }
}

/// How bytes that nobody wrote are made up.
#[derive(Clone, Copy, Debug)]
pub struct Invention {
    pub seed: u64,
    /// Integers lie in `0..most`.
    pub most: u64,
}

impl Invention {
    /// Bits for a value of that type at that address.
    #[must_use]
    pub fn bits(&self, address: u64, ty: Type) -> u64 {
        let mixed = mix(address ^ self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let number = mixed % self.most.max(1);
        let fraction = (mixed >> 32) % 64;
        match (ty.kind, ty.bits) {
            (Kind::Float, 64) => (fraction as f64 / 8.0).to_bits(),
            (Kind::Float, 32) => u64::from((fraction as f32 / 8.0).to_bits()),
            (Kind::Float | Kind::Brain, _) => 0,
            _ => number,
        }
    }
}

#[must_use]
pub fn mix(mut x: u64) -> u64 {
    x ^= x >> 31;
    x = x.wrapping_mul(0x7FB5_D329_728E_A185);
    x ^= x >> 27;
    x = x.wrapping_mul(0x81DA_DEF4_BC2D_D44D);
    x ^ (x >> 33)
}

struct Page {
    bytes: [u8; PAGE as usize],
    is_written: [u64; PAGE as usize / 64],
    /// Of those, what was not made up.
    is_stored: [u64; PAGE as usize / 64],
}

/// Memory that grows where it is touched.
#[derive(Default)]
pub struct Sparse {
    pages: FxHashMap<u64, Box<Page>>,
    /// What was made up: address, bits and how many bytes.
    made_up: Vec<(u64, u64, usize)>,
}

impl Sparse {
    fn page(&mut self, number: u64) -> &mut Page {
        self.pages.entry(number).or_insert_with(|| {
            Box::new(Page {
                bytes: [0; PAGE as usize],
                is_written: [0; PAGE as usize / 64],
                is_stored: [0; PAGE as usize / 64],
            })
        })
    }

    #[must_use]
    pub fn bytes(&self) -> usize {
        self.pages.len() * PAGE as usize
    }

    pub fn write(&mut self, address: u64, bits: u64, count: usize) {
        self.put(address, bits, count, true);
    }

    fn put(&mut self, address: u64, bits: u64, count: usize, is_stored: bool) {
        for (at, byte) in bits.to_le_bytes().into_iter().take(count).enumerate() {
            let address = address.wrapping_add(at as u64);
            let within = (address % PAGE) as usize;
            let page = self.page(address / PAGE);
            page.bytes[within] = byte;
            page.is_written[within / 64] |= 1 << (within % 64);
            page.is_stored[within / 64] |= u64::from(is_stored) << (within % 64);
        }
    }

    /// Holds from now on what `other` made up, whatever the type that it is read with.
    pub fn begin_with(&mut self, other: &Self) {
        for (address, bits, count) in &other.made_up {
            self.put(*address, *bits, *count, false);
        }
    }

    /// Bytes that were stored, in order of their addresses.
    #[must_use]
    pub fn stored(&self) -> BTreeMap<u64, u8> {
        let mut out = BTreeMap::new();
        for (number, page) in &self.pages {
            for (within, byte) in page.bytes.iter().enumerate() {
                if page.is_stored[within / 64] >> (within % 64) & 1 == 1 {
                    out.insert(number * PAGE + within as u64, *byte);
                }
            }
        }
        out
    }

    /// Reads, making up what is not there.
    pub fn read(&mut self, address: u64, ty: Type, invention: &Invention) -> u64 {
        let count = ty.bytes().min(8);
        let mut bytes = [0; 8];
        let mut known = 0;
        for (at, byte) in bytes.iter_mut().enumerate().take(count) {
            let address = address.wrapping_add(at as u64);
            let within = (address % PAGE) as usize;
            let page = self.page(address / PAGE);
            if page.is_written[within / 64] >> (within % 64) & 1 == 1 {
                *byte = page.bytes[within];
                known += 1;
            }
        }
        if known == 0 {
            let bits = invention.bits(address, ty);
            self.put(address, bits, count, false);
            self.made_up.push((address, bits, count));
            let kept = if count == 8 {
                u64::MAX
            } else {
                (1 << (count * 8)) - 1
            };
            return bits & kept;
        }
        u64::from_le_bytes(bytes)
    }
}

/// Memory of a fixed size, zero where nobody wrote.
#[derive(Clone, Debug, Default)]
pub struct Flat {
    pub bytes: Vec<u8>,
}

impl Flat {
    #[must_use]
    pub fn read(&self, at: u64, count: usize) -> Option<u64> {
        let at = usize::try_from(at).ok()?;
        let part = self.bytes.get(at..at.checked_add(count)?)?;
        let mut bytes = [0; 8];
        bytes[..count].copy_from_slice(part);
        Some(u64::from_le_bytes(bytes))
    }

    pub fn write(&mut self, at: u64, bits: u64, count: usize) -> Option<()> {
        let at = usize::try_from(at).ok()?;
        let part = self.bytes.get_mut(at..at.checked_add(count)?)?;
        part.copy_from_slice(&bits.to_le_bytes()[..count]);
        Some(())
    }
}
