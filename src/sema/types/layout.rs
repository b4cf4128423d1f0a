//! Layouts of classes: offsets, padding and bit-fields by the Itanium ABI.

/// Places members by the rules of the Itanium C++ ABI.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    is_union: bool,
    /// The largest alignment of a member.
    pack: Option<u64>,
    /// Bits used so far.
    bits: u64,
    size: u64,
    align: u64,
}

impl Placement {
    #[must_use]
    pub fn new(is_union: bool) -> Self {
        Self {
            is_union,
            pack: None,
            bits: 0,
            size: 0,
            align: 1,
        }
    }

    /// With `#pragma pack(pack)`.
    #[must_use]
    pub fn packed(self, pack: Option<u64>) -> Self {
        Self { pack, ..self }
    }

    #[must_use]
    pub fn is_packed(&self) -> bool {
        self.pack.is_some()
    }

    /// Bytes used so far.
    #[must_use]
    pub fn data_size(&self) -> u64 {
        self.size
    }

    /// Byte offset of the next member; `None` where sizes overflow.
    pub fn place(&mut self, size: u64, align: u64) -> Option<u64> {
        let align = align.max(1).min(self.pack.unwrap_or(u64::MAX).max(1));
        self.align = self.align.max(align);
        if self.is_union {
            self.size = self.size.max(size);
            return Some(0);
        }
        let offset = self.bits.div_ceil(8).checked_next_multiple_of(align)?;
        self.bits = offset.checked_add(size)?.checked_mul(8)?;
        self.size = self.bits / 8;
        Some(offset)
    }

    /// As [`Placement::place`], further on where something is in the way at an offset.
    pub fn place_apart(
        &mut self,
        size: u64,
        align: u64,
        is_taken: impl Fn(u64) -> bool,
    ) -> Option<u64> {
        /// Places that are tried.
        const MOST: u32 = 64;
        let before = self.clone();
        for by in 0..MOST {
            *self = before.clone();
            if !self.is_union {
                let skipped = u64::from(by) * align.max(1) * 8;
                self.bits = self.bits.checked_add(skipped)?;
            }
            let at = self.place(size, align)?;
            if self.is_union || !is_taken(at) {
                return Some(at);
            }
        }
        None
    }

    /// Storage unit offset and first bit of a bit-field of `unit` bytes; width 0 ends the unit. One without a
    /// name takes room and asks for no alignment, as the ABI of x86-64 has it.
    pub fn place_bits(&mut self, unit: u64, width: u32, is_named: bool) -> Option<(u64, u32)> {
        if self.pack.is_some_and(|pack| pack < unit) {
            return None;
        }
        let unit_bits = unit.checked_mul(8)?.max(8);
        if self.is_union {
            if is_named {
                self.align = self.align.max(unit);
            }
            self.size = self.size.max(u64::from(width).div_ceil(8));
            return Some((0, 0));
        }
        if width == 0 {
            self.bits = self.bits.checked_next_multiple_of(unit_bits)?;
            self.size = self.size.max(self.bits / 8);
            return Some((self.bits / 8, 0));
        }
        if is_named {
            self.align = self.align.max(unit);
        }
        if self.bits / unit_bits != (self.bits + u64::from(width) - 1) / unit_bits {
            self.bits = self.bits.checked_next_multiple_of(unit_bits)?;
        }
        let start = self.bits / unit_bits * unit_bits;
        let first = (self.bits - start) as u32;
        self.bits += u64::from(width);
        self.size = self.bits.div_ceil(8);
        Some((start / 8, first))
    }

    /// Size and alignment of the whole; `at_least` is an explicit alignment.
    #[must_use]
    pub fn finish(&self, at_least: u64) -> Option<(u64, u64)> {
        let align = self.align.max(at_least).max(1);
        Some((self.size.max(1).checked_next_multiple_of(align)?, align))
    }
}
