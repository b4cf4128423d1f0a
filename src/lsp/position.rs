//! Positions as clients count them.
//!
//! Given a file and an encoding, turns byte offsets into positions and back.
//! Positions beyond a line mean its end, lines beyond the file its end. Knows
//! nothing of documents.

use crate::source::{SourceFile, Span};
use gen_lsp_types::{Position, PositionEncodingKind, Range};

/// In which units columns are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    /// What every client understands.
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    /// The cheapest of those that a client offers.
    #[must_use]
    pub fn choose(offered: &[PositionEncodingKind]) -> Self {
        [
            (PositionEncodingKind::UTF8, Self::Utf8),
            (PositionEncodingKind::UTF32, Self::Utf32),
        ]
        .into_iter()
        .find(|(kind, _)| offered.contains(kind))
        .map_or(Self::Utf16, |(_, encoding)| encoding)
    }

    #[must_use]
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn width(self, c: char) -> u32 {
        (match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }) as u32
    }

    /// The position of byte `offset`.
    #[must_use]
    pub fn position(self, file: &SourceFile, offset: u32) -> Position {
        let mut offset = (offset as usize).min(file.text.len());
        while !file.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = file.line(offset as u32);
        let start = file.line_start(line).unwrap_or(0) as usize;
        let before = file.text.get(start..offset).unwrap_or("");
        Position {
            line: line - 1,
            character: before.chars().map(|c| self.width(c)).sum(),
        }
    }

    /// The byte that a position means.
    #[must_use]
    pub fn offset(self, file: &SourceFile, position: Position) -> u32 {
        let line = position.line.saturating_add(1);
        let Some(start) = file.line_start(line) else {
            return file.text.len() as u32;
        };
        let mut left = position.character;
        let mut bytes = 0;
        for c in file.line_text(line).chars() {
            let width = self.width(c);
            if left < width {
                break;
            }
            left -= width;
            bytes += c.len_utf8() as u32;
        }
        start + bytes
    }

    #[must_use]
    pub fn range(self, file: &SourceFile, span: Span) -> Range {
        Range {
            start: self.position(file, span.start),
            end: self.position(file, span.end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn columns_are_counted_in_each_unit() {
        let file = SourceFile::new(PathBuf::from("a.cu"), "ä𝄞x\r\ny".into());
        for (encoding, columns) in [
            (Encoding::Utf8, [0, 2, 6, 7]),
            (Encoding::Utf16, [0, 1, 3, 4]),
            (Encoding::Utf32, [0, 1, 2, 3]),
        ] {
            for (offset, column) in [0, 2, 6, 7].into_iter().zip(columns) {
                let position = encoding.position(&file, offset);
                assert_eq!((position.line, position.character), (0, column));
                assert_eq!(encoding.offset(&file, position), offset);
            }
        }
    }

    #[test]
    fn positions_beyond_mean_the_end() {
        let file = SourceFile::new(PathBuf::from("a.cu"), "ab\r\nc".into());
        let at = |line, character| Encoding::Utf16.offset(&file, Position { line, character });
        assert_eq!(at(0, 99), 2);
        assert_eq!(at(1, 0), 4);
        assert_eq!(at(9, 0), 5);
        assert_eq!(at(u32::MAX, u32::MAX), 5);
    }
}
