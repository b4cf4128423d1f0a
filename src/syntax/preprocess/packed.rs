//! Expanded text in few bytes.
//!
//! Most of an expanded text stands in files, as it stands there: given those, keeps where each piece comes
//! from as numbers of varying length, and gives the text back as it was. Notes and comments are not kept.

use super::expanded::{Expanded, PLAIN, Piece};
use super::tokens::{NO_PLACE, TextId};
use super::{LinePlace, Note};
use crate::source::{FileId, Span};

/// The text of a file that was expanded, by its number.
pub type FileText<'a> = dyn Fn(FileId) -> Option<&'a str> + 'a;

/// An expanded text; see the module.
#[derive(Debug)]
pub struct Packed {
    bytes: Box<[u8]>,
    main: FileId,
    text: usize,
    pieces: usize,
    invocations: usize,
    places: usize,
    bodies: usize,
}

const LINEAR: u8 = 1;
/// The spelling is that of the file.
const IN_FILE: u8 = 1 << 1;
/// A blank follows it.
const WITH_BLANK: u8 = 1 << 2;
/// The spelling is line ends.
const LINES: u8 = 1 << 3;
const SAME_TEXT: u8 = 1 << 4;
const INVOKED: u8 = 1 << 5;
const PARAMETER: u8 = 1 << 6;

impl Packed {
    /// The text of `expanded`, which was made of these files.
    #[must_use]
    pub fn of<'a>(expanded: &Expanded, file: &FileText<'a>) -> Self {
        let mut writer = Writer::default();
        let first = expanded.pieces.first();
        let before = first.map_or(expanded.text.len(), |piece| piece.out as usize);
        writer.spelled(&expanded.text[..before]);
        let ends = expanded
            .pieces
            .iter()
            .skip(1)
            .map(|piece| piece.out as usize);
        let ends = ends.chain([expanded.text.len()]);
        for (piece, end) in expanded.pieces.iter().zip(ends) {
            writer.piece(piece, &expanded.text[piece.out as usize..end], file);
        }
        expanded
            .invocations
            .iter()
            .for_each(|invocation| writer.span(*invocation));
        expanded
            .places
            .iter()
            .for_each(|place| writer.place(*place));
        expanded.bodies.iter().for_each(|body| writer.span(*body));
        Self {
            bytes: writer.bytes.into(),
            main: expanded.main,
            text: expanded.text.len(),
            pieces: expanded.pieces.len(),
            invocations: expanded.invocations.len(),
            places: expanded.places.len(),
            bodies: expanded.bodies.len(),
        }
    }

    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The text as it was, with the same numbers of files, without notes and comments; `None` where it
    /// was made of other files.
    #[must_use]
    pub fn unpacked<'a>(&self, file: &FileText<'a>) -> Option<Expanded> {
        let mut reader = Reader {
            bytes: &self.bytes,
            last: LAST,
            invocation: 0,
        };
        let mut text = String::with_capacity(self.text);
        text.push_str(reader.spelled()?);
        let mut pieces = Vec::with_capacity(self.pieces);
        for _ in 0..self.pieces {
            pieces.push(reader.piece(&mut text, file)?);
        }
        let spans = |reader: &mut Reader, count: usize| -> Option<Vec<Span>> {
            (0..count).map(|_| reader.span()).collect()
        };
        Some(Expanded {
            invocations: spans(&mut reader, self.invocations)?,
            places: (0..self.places)
                .map(|_| reader.place())
                .collect::<Option<_>>()?,
            bodies: spans(&mut reader, self.bodies)?,
            text,
            notes: Vec::<Note>::new(),
            comments: Vec::new(),
            main: self.main,
            pieces,
        })
    }
}

/// Places are written by how far they are from the last one.
const LAST: LinePlace = LinePlace {
    text: TextId(0),
    start: 0,
    end: 0,
};

struct Writer {
    bytes: Vec<u8>,
    last: LinePlace,
    invocation: u32,
}

impl Default for Writer {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            last: LAST,
            invocation: 0,
        }
    }
}

impl Writer {
    fn number(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.bytes.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.bytes.push(n as u8);
    }

    fn signed(&mut self, n: i64) {
        self.number((n.cast_unsigned() << 1) ^ (n >> 63).cast_unsigned());
    }

    fn spelled(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn place(&mut self, place: LinePlace) {
        self.number(place.text.0.into());
        self.within(place);
    }

    fn span(&mut self, span: Span) {
        self.place(LinePlace {
            text: TextId(span.file.0),
            start: span.start,
            end: span.end,
        });
    }

    fn within(&mut self, place: LinePlace) {
        self.signed(i64::from(place.start) - i64::from(self.last.end));
        self.signed(i64::from(place.end) - i64::from(place.start));
        self.last = place;
    }

    fn piece<'a>(&mut self, piece: &Piece, text: &str, file: &FileText<'a>) {
        let Piece {
            out: _,
            place,
            linear,
            invocation,
            parameter,
        } = *piece;
        let written = (linear && place.text.is_file())
            .then(|| file(FileId(place.text.0)))
            .flatten()
            .and_then(|text| text.get(place.start as usize..));
        let stands_there = |text: &str| written.is_some_and(|written| written.starts_with(text));
        let short = text.strip_suffix(' ');
        let spelling = if stands_there(text) {
            IN_FILE
        } else if short.is_some_and(stands_there) {
            IN_FILE | WITH_BLANK
        } else if !text.is_empty() && text.bytes().all(|byte| byte == b'\n') {
            LINES
        } else {
            0
        };
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let flags = spelling
            | flag(linear, LINEAR)
            | flag(place.text == self.last.text, SAME_TEXT)
            | flag(invocation != PLAIN, INVOKED)
            | flag(parameter != NO_PLACE, PARAMETER);
        self.bytes.push(flags);
        if flags & SAME_TEXT == 0 {
            self.number(place.text.0.into());
        }
        self.within(place);
        if flags & INVOKED != 0 {
            self.signed(i64::from(invocation) - i64::from(self.invocation));
            self.invocation = invocation;
        }
        if flags & PARAMETER != 0 {
            self.number(parameter.into());
        }
        match spelling {
            0 => self.spelled(text),
            _ => self.number(text.len() as u64),
        }
    }
}

struct Reader<'p> {
    bytes: &'p [u8],
    last: LinePlace,
    invocation: u32,
}

impl<'p> Reader<'p> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u64> {
        let mut n = 0;
        let mut shift = 0;
        loop {
            let byte = self.byte()?;
            n |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(n);
            }
            shift += 7;
        }
    }

    fn short(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    fn signed(&mut self) -> Option<i64> {
        let n = self.number()?;
        Some((n >> 1).cast_signed() ^ -((n & 1).cast_signed()))
    }

    /// So far behind `from`.
    fn behind(&mut self, from: u32) -> Option<u32> {
        u32::try_from(i64::from(from) + self.signed()?).ok()
    }

    fn spelled(&mut self) -> Option<&'p str> {
        let length = self.number()? as usize;
        let (text, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        std::str::from_utf8(text).ok()
    }

    fn place(&mut self) -> Option<LinePlace> {
        let text = TextId(self.short()?);
        self.within(text)
    }

    fn span(&mut self) -> Option<Span> {
        let place = self.place()?;
        Some(Span::new(FileId(place.text.0), place.start, place.end))
    }

    fn within(&mut self, text: TextId) -> Option<LinePlace> {
        let start = self.behind(self.last.end)?;
        let end = self.behind(start)?;
        self.last = LinePlace { text, start, end };
        Some(self.last)
    }

    /// A piece; its spelling goes to `out`.
    fn piece<'a>(&mut self, out: &mut String, file: &FileText<'a>) -> Option<Piece> {
        let flags = self.byte()?;
        let has = |flag: u8| flags & flag != 0;
        let text = if has(SAME_TEXT) {
            self.last.text
        } else {
            TextId(self.short()?)
        };
        let place = self.within(text)?;
        let invocation = if has(INVOKED) {
            self.invocation = self.behind(self.invocation)?;
            self.invocation
        } else {
            PLAIN
        };
        let parameter = if has(PARAMETER) {
            self.short()?
        } else {
            NO_PLACE
        };
        let piece = Piece {
            out: u32::try_from(out.len()).ok()?,
            place,
            linear: has(LINEAR),
            invocation,
            parameter,
        };
        if has(IN_FILE) {
            let length = self.number()? as usize;
            let blank = usize::from(has(WITH_BLANK));
            let start = place.start as usize;
            let end = start + length.checked_sub(blank)?;
            out.push_str(file(FileId(text.0))?.get(start..end)?);
            out.extend(std::iter::repeat_n(' ', blank));
        } else if has(LINES) {
            let length = self.number()? as usize;
            out.extend(std::iter::repeat_n('\n', length));
        } else {
            out.push_str(self.spelled()?);
        }
        Some(piece)
    }
}
