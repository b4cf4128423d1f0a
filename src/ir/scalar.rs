//! Scalar types: their widths, signs, and the reduction of a number to each.

/// Types of values. Integer arithmetic has C's meaning at this width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    BF16,
    F32,
    F64,
    Pointer,
    /// A value of a built-in vector type or another 8- or 16-byte leaf that is moved whole.
    Bytes(u8),
}

impl Scalar {
    /// `value` reduced to the width of the type and extended again, as a variable of the type holds it.
    #[must_use]
    pub fn wrap(self, value: i64) -> i64 {
        match self {
            Self::Bool => i64::from(value != 0),
            Self::I8 => i64::from(value as i8),
            Self::U8 => i64::from(value as u8),
            Self::I16 => i64::from(value as i16),
            Self::U16 => i64::from(value as u16),
            Self::I32 => i64::from(value as i32),
            Self::U32 => i64::from(value as u32),
            _ => value,
        }
    }

    /// Bytes.
    #[must_use]
    pub fn size(self) -> u32 {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 | Self::BF16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 | Self::Pointer => 8,
            Self::Bytes(n) => u32::from(n),
        }
    }

    #[must_use]
    pub fn is_integer(self) -> bool {
        matches!(
            self,
            Self::Bool
                | Self::I8
                | Self::U8
                | Self::I16
                | Self::U16
                | Self::I32
                | Self::U32
                | Self::I64
                | Self::U64
        )
    }

    #[must_use]
    pub fn to_unsigned(self) -> Self {
        match self {
            Self::I8 => Self::U8,
            Self::I16 => Self::U16,
            Self::I32 => Self::U32,
            Self::I64 => Self::U64,
            other => other,
        }
    }

    #[must_use]
    pub fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::BF16 | Self::F32 | Self::F64)
    }

    /// Width in bits.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.size() * 8
    }
}
