//! Trees that wait, in a third of the bytes.

use super::{Cst, Field, Kind, Raw};
use std::sync::Arc;

/// A tree in a third of the bytes.
#[derive(Clone, Debug)]
pub struct Packed {
    /// Of each node its kind, field and flags, then what its offsets and its last descendant add to
    /// those of the node before, seven bits to a byte.
    bytes: Arc<[u8]>,
    nodes: u32,
    expected: Arc<[(u32, &'static str)]>,
}

impl Packed {
    /// Of memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes.len() + size_of_val(&*self.expected)
    }

    #[must_use]
    pub fn unpack(&self) -> Cst {
        let mut bytes = self.bytes.iter().copied();
        let number = |bytes: &mut std::iter::Copied<std::slice::Iter<u8>>| {
            let (mut value, mut shift) = (0_u32, 0);
            for byte in bytes.by_ref() {
                value |= u32::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 || shift > 28 {
                    break;
                }
            }
            value
        };
        let mut before = 0_u32;
        let node = |at: u32| {
            let mut byte = || bytes.next().unwrap_or(0);
            let (kind, field, flags) = (byte(), byte(), byte());
            let start = before.wrapping_add(number(&mut bytes));
            before = start;
            let end = start.wrapping_add(number(&mut bytes));
            Raw {
                kind: Kind::numbered(kind),
                field: Field::numbered(field),
                is_named: flags & 1 != 0,
                is_missing: flags & 2 != 0,
                has_error: flags & 4 != 0,
                start,
                end,
                next: at.wrapping_add(number(&mut bytes)),
            }
        };
        Cst {
            nodes: (0..self.nodes).map(node).collect(),
            expected: self.expected.clone(),
            delta: 0,
        }
    }
}

impl Cst {
    /// The same tree, its offsets not moved.
    #[must_use]
    pub fn pack(&self) -> Packed {
        let mut bytes = Vec::with_capacity(self.nodes.len() * 6);
        let number = |bytes: &mut Vec<u8>, mut value: u32| {
            while value >= 0x80 {
                bytes.push(value as u8 | 0x80);
                value >>= 7;
            }
            bytes.push(value as u8);
        };
        let mut before = 0;
        for (at, node) in self.nodes.iter().enumerate() {
            let flags = u8::from(node.is_named)
                | u8::from(node.is_missing) << 1
                | u8::from(node.has_error) << 2;
            bytes.extend([node.kind as u8, node.field as u8, flags]);
            // Wrapping, so that any tree comes back.
            number(&mut bytes, node.start.wrapping_sub(before));
            number(&mut bytes, node.end.wrapping_sub(node.start));
            number(&mut bytes, node.next.wrapping_sub(at as u32));
            before = node.start;
        }
        Packed {
            bytes: bytes.into(),
            nodes: self.nodes.len() as u32,
            expected: self.expected.clone(),
        }
    }
}
